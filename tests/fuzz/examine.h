/* Reads one input to its end, follows everything its records refer to, and reports each violation
 * of the interface of a reader or writer. Shared by the damage test and the fuzzing driver. */
#ifndef PF_TESTS_EXAMINE_H
#define PF_TESTS_EXAMINE_H

#include "codec/codec.h"
#include "codec/registry.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

struct examination {
    const struct pf_format *format;
    const void *bytes;
    size_t size;
    bool salvage;
    const struct pf_format *writer; /* also write the records in this format, or NULL */
};

struct outcome {
    int status; /* PF_EOF, or the error code of opening or reading */
    bool opened;
    uint64_t records; /* SAMPLE, FLAT and EDGE rows */
    uint64_t offset;  /* bytes of the (gunzipped) input that were read */
    unsigned warnings;
    char text[512];
    char wrong[768]; /* "" = nothing is wrong */
    uint64_t sum;    /* of everything read, so that the compiler does not remove the reading */
};

static void blame(struct outcome *, const char *format, ...) PF_PRINTF(2, 3);

static void blame(struct outcome *outcome, const char *format, ...)
{
    va_list args;
    if (outcome->wrong[0])
        return;
    va_start(args, format);
    vsnprintf(outcome->wrong, sizeof outcome->wrong, format, args);
    va_end(args);
}

static void hear(void *arg, enum pf_severity severity, const char *text)
{
    struct outcome *outcome = arg;
    outcome->warnings += severity == PF_WARNING;
    /* a warning may quote any bytes of a name: the program that prints it escapes them */
    if (!text[0])
        blame(outcome, "a warning without text");
}

/* --- the dictionary: each row once, when it is new -------------------------------------------- */

struct seen {
    uint32_t strings, images, functions, locations, stacks, labels, measures;
};

static void touch_bytes(struct outcome *outcome, const char *data, size_t size)
{
    for (size_t k = 0; k < size; k += 64)
        outcome->sum += (unsigned char)data[k];
    if (size)
        outcome->sum += (unsigned char)data[size - 1];
}

static void need(struct outcome *outcome, const char *what, uint64_t id, uint64_t count)
{
    if (id >= count)
        blame(outcome, "%s %" PRIu64 " of %" PRIu64, what, id, count);
}

static void touch_functions(struct outcome *outcome, const struct pf_dict *dict, struct seen *seen)
{
    uint32_t strings = dict->strings.count;
    for (; seen->strings < strings; seen->strings++) {
        struct pf_bytes bytes = pf_dict_string(dict, seen->strings);
        touch_bytes(outcome, bytes.data, bytes.size + 1);
    }
    for (; seen->images < dict->images.count; seen->images++) {
        const struct pf_image *image = pf_dict_image(dict, seen->images);
        need(outcome, "name of an image: string", image->name, strings);
        need(outcome, "identifier of an image: string", image->identifier, strings);
    }
    for (; seen->functions < dict->functions.count; seen->functions++) {
        const struct pf_function *function = pf_dict_function(dict, seen->functions);
        need(outcome, "name of a function: string", function->name, strings);
        need(outcome, "system name of a function: string", function->system_name, strings);
        need(outcome, "file of a function: string", function->file, strings);
    }
}

static void touch_places(struct outcome *outcome, const struct pf_dict *dict, struct seen *seen)
{
    char scratch[32];
    for (; seen->locations < dict->locations.count; seen->locations++) {
        const struct pf_location *location = pf_dict_location(dict, seen->locations);
        need(outcome, "function of a location", location->function, dict->functions.count);
        need(outcome, "image of a location", location->image, dict->images.count);
        need(outcome, "kind of a location", location->kind, PF_FRAME_KINDS);
        if (outcome->wrong[0])
            return;
        struct pf_bytes name = pf_dict_frame_name(dict, seen->locations, scratch);
        touch_bytes(outcome, name.data, name.size);
    }
    for (; seen->stacks < dict->stacks.count; seen->stacks++) {
        const struct pf_stack *stack = pf_dict_stack(dict, seen->stacks);
        if (seen->stacks)
            need(outcome, "parent of a stack", stack->parent, seen->stacks);
        need(outcome, "location of a stack", stack->location, dict->locations.count);
    }
}

static void touch_labels(struct outcome *outcome, const struct pf_dict *dict, struct seen *seen)
{
    uint32_t strings = dict->strings.count;
    for (; seen->labels < dict->labels.count; seen->labels++) {
        const struct pf_label *label = pf_dict_label(dict, seen->labels);
        if (seen->labels)
            need(outcome, "parent of a label", label->parent, seen->labels);
        need(outcome, "key of a label: string", label->key, strings);
        need(outcome, "text of a label: string", label->text, strings);
    }
    for (; seen->measures < pf_measures_count(&dict->measures); seen->measures++) {
        const struct pf_measure *measure = pf_measures_row(&dict->measures, seen->measures);
        need(outcome, "name of a measure: string", measure->name, strings);
        need(outcome, "unit of a measure: string", measure->unit, strings);
        need(outcome, "raw unit of a measure: string", measure->raw_unit, strings);
        need(outcome, "kind of a measure", measure->kind, PF_RECORD_KINDS);
        need(outcome, "side of a measure", measure->side, PF_SIDES);
        if (measure->side != pf_side_of_name(pf_dict_string(dict, measure->name)))
            blame(outcome, "a measure whose name tells another side");
        if (!measure->den)
            blame(outcome, "a measure with the denominator 0");
    }
}

/* --- the records ------------------------------------------------------------------------------ */

static void touch_ids(struct outcome *outcome, const char *what, const uint32_t *ids, uint32_t rows,
                      uint32_t count)
{
    for (uint32_t row = 0; ids && row < rows && !outcome->wrong[0]; row++)
        need(outcome, what, ids[row], count);
}

static void walk_stack(struct outcome *outcome, const struct pf_dict *dict, uint32_t stack)
{
    for (; stack; stack = pf_dict_stack(dict, stack)->parent) {
        const struct pf_location *location =
            pf_dict_location(dict, pf_dict_stack(dict, stack)->location);
        outcome->sum += (uint64_t)location->line + pf_dict_function(dict, location->function)->name;
    }
}

static void touch_values(struct outcome *outcome, const struct pf_dict *dict,
                         const struct pf_batch *batch)
{
    for (uint32_t k = 0; k < batch->value_count; k++) {
        need(outcome, "measure of a column", batch->values[k].measure,
             pf_measures_count(&dict->measures));
        if (outcome->wrong[0])
            return;
        for (uint32_t i = 0; i < k && k < 64; i++)
            if (batch->values[i].measure == batch->values[k].measure)
                blame(outcome, "two columns of one measure in a batch");
        if (pf_measures_row(&dict->measures, batch->values[k].measure)->kind != batch->kind)
            blame(outcome, "a column's measure is of another kind than its batch");
        for (uint32_t row = 0; row < batch->rows; row++)
            outcome->sum += (uint64_t)batch->values[k].data[row];
    }
    for (uint32_t row = 0; batch->time && row < batch->rows; row++)
        outcome->sum += (uint64_t)batch->time[row];
}

static void touch_batch(struct outcome *outcome, const struct pf_dict *dict,
                        const struct pf_batch *batch)
{
    uint32_t rows = batch->rows;
    if (rows > PF_BATCH_ROWS || (unsigned)batch->kind > PF_TEXT)
        blame(outcome, "a batch of kind %d with %" PRIu32 " rows", (int)batch->kind, rows);
    else if (batch->kind == PF_META) {
        touch_ids(outcome, "origin: string", batch->origin, rows, dict->strings.count);
        touch_ids(outcome, "key: string", batch->key, rows, dict->strings.count);
        touch_ids(outcome, "value: string", batch->value, rows, dict->strings.count);
    } else if (batch->kind == PF_TEXT) {
        for (uint32_t row = 0; row < rows; row++) {
            touch_bytes(outcome, batch->texts[row].name.data, batch->texts[row].name.size);
            touch_bytes(outcome, batch->texts[row].text.data, batch->texts[row].text.size);
        }
    } else {
        touch_ids(outcome, "stack", batch->stack, rows, dict->stacks.count);
        touch_ids(outcome, "location", batch->location, rows, dict->locations.count);
        touch_ids(outcome, "callee: location", batch->callee, rows, dict->locations.count);
        touch_ids(outcome, "label set", batch->labels, rows, dict->labels.count);
        if (outcome->wrong[0])
            return;
        touch_values(outcome, dict, batch);
        for (uint32_t row = 0; batch->stack && row < rows; row += 1 + rows / 16)
            walk_stack(outcome, dict, batch->stack[row]);
        outcome->records += rows;
    }
}

/* --- writing while reading -------------------------------------------------------------------- */

struct copy {
    struct pf_sink *sink;
    struct pf_writer *writer;
    int status;
};

static void copy_check(struct outcome *outcome, struct copy *copy, int status,
                       const struct pf_error *error)
{
    if (status == PF_OK || copy->status != PF_OK)
        return;
    copy->status = status;
    if (status >= 0 || !error->text[0])
        blame(outcome, "a writer fails with %d and the text '%s'", status, error->text);
    if (status != PF_USAGE && status != PF_OVERFLOW && status != PF_UNSUPPORTED)
        blame(outcome, "a writer to memory fails with %d: %s", status, error->text);
}

static void copy_open(struct outcome *outcome, struct copy *copy, const struct pf_format *format,
                      struct pf_dict *dict)
{
    /* Without a limit, a few bytes make NYTProf's writer write for minutes. */
    static struct pf_option_value limit = {{"limit", 5}, {"1000000", 7}};
    static const struct pf_options none, limited = {.values = &limit, .count = 1};
    struct pf_error error = {0};
    if (!format)
        return;
    copy_check(outcome, copy, pf_sink_open_memory(&copy->sink, &error), &error);
    struct pf_writer setup = {.format = format,
                              .sink = copy->sink,
                              .dict = dict,
                              .options = strcmp(format->name, "nytprof") ? &none : &limited,
                              .report = {hear, outcome},
                              .compression = -1,
                              .force = true};
    if (copy->status == PF_OK)
        copy_check(outcome, copy, pf_writer_open(&copy->writer, &setup, &error), &error);
}

static void examine(const struct examination *, struct outcome *);

/* jansson's message for a key with a NUL, which JSON allows and jansson does not read. */
#define NUL_IN_KEY "NUL byte in object key"

/* What a writer wrote must be readable. The native stream holds all records and says when it is
 * incomplete; other formats are whole (or, for an input that failed, lack their end); JSON must be
 * a valid document. */
static void copy_read(struct outcome *outcome, const struct pf_format *format, const void *bytes,
                      size_t size, bool failed)
{
    struct outcome again = {0};
    if (!strcmp(format->name, "json")) {
        json_error_t why;
        json_t *document = size < 2000000 ? json_loadb(bytes, size, JSON_ALLOW_NUL, &why)
                                          : json_null();
        if (!document && !strstr(why.text, NUL_IN_KEY) && !strstr(why.text, "too big"))
            blame(outcome, "the JSON written is none: %s at byte %d", why.text, why.position);
        json_decref(document);
        return;
    }
    if (!format->bid || !size)
        return;
    examine(&(struct examination){.format = format, .bytes = bytes, .size = size}, &again);
    bool native = format->caps & PF_HOLDS_FAILURE;
    if (strstr(again.text, NUL_IN_KEY))
        return;
    if (again.wrong[0])
        blame(outcome, "reading what %s wrote: %s", format->name, again.wrong);
    else if (again.status == PF_OVERFLOW && !native)
        return; /* base units are smaller than the input's, and JSON has no largest number */
    else if (again.status != (native && failed ? PF_FAILED : PF_EOF) &&
             !(failed && again.status == PF_FAILED))
        blame(outcome, "what %s wrote reads with %d: %s", format->name, again.status, again.text);
    else if (native && again.records != outcome->records)
        blame(outcome, "%" PRIu64 " records written as %s, %" PRIu64 " read again",
              outcome->records, format->name, again.records);
}

static void copy_close(struct outcome *outcome, struct copy *copy, const struct pf_format *format)
{
    bool failed = outcome->status != PF_EOF;
    if (copy->writer && copy->status == PF_OK) {
        copy_check(outcome, copy, pf_writer_finish(copy->writer, failed), &copy->writer->error);
        size_t size = 0;
        const void *bytes = pf_sink_memory(copy->sink, &size);
        if (copy->status == PF_OK)
            copy_read(outcome, format, bytes, size, failed);
    }
    pf_writer_close(copy->writer);
    pf_sink_abort(copy->sink);
}

/* --- the whole -------------------------------------------------------------------------------- */

/* Adds rows of other inputs, as in a run with several inputs: a reader must not take the
 * dictionary's ids for its own numbers. */
static void fill_dict(struct pf_dict *dict)
{
    uint32_t name = pf_dict_intern(dict, PF_BYTES("elsewhere"), 0);
    struct pf_measure measure = {.name = name, .unit = name, .num = 1, .den = 1};
    uint32_t function =
        pf_dict_add_function(dict, &(struct pf_function){.name = name, .file = name});
    uint32_t location =
        pf_dict_add_location(dict, &(struct pf_location){.function = function, .line = 7});
    pf_dict_add_frame(dict, 0, location);
    pf_dict_add_label(dict, 0, name, name);
    pf_measures_intern(&dict->measures, &measure);
}

static void judge_status(struct outcome *outcome, bool salvage, const struct pf_error *error)
{
    snprintf(outcome->text, sizeof outcome->text, "%s", error->text);
    if (outcome->status == PF_EOF)
        return;
    if (outcome->status != PF_FAILED && outcome->status != PF_UNSUPPORTED &&
        outcome->status != PF_OVERFLOW)
        blame(outcome, "a damaged input gives %d: %s", outcome->status, error->text);
    if (!error->text[0])
        blame(outcome, "a failure (%d) without a text", outcome->status);
    if (outcome->status == PF_FAILED && !error->has_offset && !strstr(error->text, "offset ") &&
        !strstr(error->text, "line "))
        blame(outcome, "a failure that names neither offset nor line: %s", error->text);
    if (salvage && outcome->opened && outcome->status == PF_FAILED)
        blame(outcome, "salvage fails: %s", error->text);
}

static void read_all(struct outcome *outcome, struct pf_reader *reader, struct copy *copy)
{
    struct seen seen = {0};
    struct pf_batch batch;
    while ((outcome->status = pf_reader_next(reader, &batch)) == PF_OK && !outcome->wrong[0]) {
        touch_functions(outcome, reader->dict, &seen);
        touch_places(outcome, reader->dict, &seen);
        touch_labels(outcome, reader->dict, &seen);
        touch_batch(outcome, reader->dict, &batch);
        if (copy->writer && copy->status == PF_OK && !outcome->wrong[0])
            copy_check(outcome, copy, pf_writer_write(copy->writer, &batch), &copy->writer->error);
    }
    if (outcome->wrong[0])
        return;
    if (reader->records != outcome->records)
        blame(outcome, "%" PRIu64 " records given, the reader counts %" PRIu64, outcome->records,
              reader->records);
    judge_status(outcome, reader->salvage, &reader->error);
}

static void examine(const struct examination *what, struct outcome *outcome)
{
    static const struct pf_options none;
    struct pf_error error = {0}, unknown = {0};
    struct pf_source *source = NULL;
    struct pf_shared *shared = pf_shared_new();
    struct pf_dict dict;
    struct copy copy = {0};

    if (pf_dict_init(&dict) != PF_OK || !shared ||
        pf_source_open_memory(&source, what->bytes, what->size, &error) != PF_OK)
        blame(outcome, "cannot begin: %s", error.text);
    if (!what->writer)
        fill_dict(&dict);
    if (source && !pf_registry_guess(source, "input", NULL, &unknown) &&
        (unknown.code >= 0 || !unknown.text[0]))
        blame(outcome, "an input nobody knows gives %d and the text '%s'", unknown.code,
              unknown.text);

    struct pf_reader *reader = NULL;
    struct pf_reader setup = {.format = what->format,
                              .source = source,
                              .dict = &dict,
                              .options = &none,
                              .shared = shared,
                              .report = {hear, outcome},
                              .name = "input",
                              .salvage = what->salvage};
    if (!outcome->wrong[0]) {
        outcome->status = pf_reader_open(&reader, &setup, &error);
        outcome->opened = outcome->status == PF_OK;
        if (outcome->opened) {
            copy_open(outcome, &copy, what->writer, &dict);
            read_all(outcome, reader, &copy);
        } else
            judge_status(outcome, what->salvage, &error);
    }
    outcome->offset = source ? pf_source_offset(source) : 0;
    copy_close(outcome, &copy, what->writer);
    pf_reader_close(reader);
    pf_source_close(source);
    pf_dict_free(&dict);
    pf_shared_free(shared);
}

#endif

/* Records as JSON, schema profutils.samples/1: `json` is one document, `ndjson` has only the rows.
 * The document ends with facts that are known only at the end: totals, metadata, and whether the
 * input was complete. */
#include "render/records/json.h"
#include "analysis/sum/facts.h"
#include "codec/format.h"
#include "model/json.h"
#include "render/flame/cache.h"
#include "render/flame/json.h"
#include "render/records/record.h"
#include "render/records/values.h"
#include "render/table/meta.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NOTHING_REMOVED ",\"removed\":[]}"

struct json_writer {
    bool document, names, explode, flame, begun;
    bool open;      /* ndjson: the last row has not ended */
    size_t removed; /* ndjson: how many facts about removed records were written */
    uint64_t rows;
    struct pf_values values;
    struct pf_cache frames, labels; /* by location, by label set */
    struct pf_cache keys;           /* by column of the values */
    struct pf_cache ends;           /* by kind: the text after the values of a row */
    uint64_t ends_of;               /* `ends` were made at this turn of the values */
    size_t ends_from;               /* and with so many source formats */
    struct pf_id_list list;
    struct pf_label_list label_list;
    struct pf_buffer scratch;
    struct pf_facts facts;
    struct pf_flame graph; /* option flame: all samples, written at the end */
};

static int open_writer(struct pf_writer *writer)
{
    struct json_writer *state = writer->state;
    const char *stack = pf_options_get(writer->options, "stack");

    state->document = strcmp(writer->format->name, "json") == 0;
    state->names = stack && strcmp(stack, "names") == 0;
    state->explode = pf_options_get(writer->options, "explode");
    state->flame = pf_options_get(writer->options, "flame");
    state->values.dict = writer->dict;
    state->values.by_kind = true;
    if (state->document && !state->flame)
        pf_sink_text(writer->sink, "{\"schema\":\"profutils.samples/1\",\"rows\":[");
    return state->flame ? pf_flame_open(&state->graph, writer) : PF_OK;
}

static void close_writer(struct pf_writer *writer)
{
    struct json_writer *state = writer->state;

    pf_values_free(&state->values);
    pf_cache_free(&state->frames);
    pf_cache_free(&state->labels);
    pf_cache_free(&state->keys);
    pf_cache_free(&state->ends);
    free(state->list.ids);
    free(state->label_list.rows);
    pf_buffer_free(&state->scratch);
    pf_facts_free(&state->facts);
    pf_flame_free(&state->graph);
}

/* --- what rows repeat ------------------------------------------------------------------------- */

/* Writes the members of a frame, without braces. */
static void write_place(struct pf_writer *writer, uint32_t id, struct pf_sink *sink)
{
    struct json_writer *state = writer->state;
    const struct pf_dict *dict = writer->dict;
    const struct pf_location *location = pf_dict_location(dict, id);
    const struct pf_function *function = pf_dict_function(dict, location->function);
    char scratch[32];

    pf_sink_text(sink, "\"function\":");
    pf_json_string(sink, pf_dict_frame_name(dict, id, scratch), pf_record_frame_flags(dict, id),
                   &state->scratch);
    pf_sink_text(sink, ",\"file\":");
    pf_json_name(sink, dict, function->file, &state->scratch);
    pf_sink_text(sink, ",\"line\":");
    pf_json_int(sink, location->line < 0 ? 0 : location->line);
    pf_sink_text(sink, ",\"column\":");
    pf_json_int(sink, location->column);
    pf_sink_text(sink, ",\"image\":");
    pf_json_name(sink, dict, pf_dict_image(dict, location->image)->name, &state->scratch);
    if (pf_dict_has_address(dict, location))
        pf_sink_printf(sink, ",\"address\":\"0x%" PRIx64 "\"", location->address);
    else
        pf_sink_text(sink, ",\"address\":\"\"");
    pf_sink_text(sink, location->inlined ? ",\"inlined\":true" : ",\"inlined\":false");
}

static void render_frame(void *arg, uint32_t id, struct pf_sink *sink)
{
    struct pf_writer *writer = arg;
    struct json_writer *state = writer->state;
    char scratch[32];

    if (state->explode) {
        write_place(writer, id, sink);
    } else if (state->names) {
        pf_json_string(sink, pf_dict_frame_name(writer->dict, id, scratch),
                       pf_record_frame_flags(writer->dict, id), &state->scratch);
    } else {
        const struct pf_location *location = pf_dict_location(writer->dict, id);
        int64_t start = pf_dict_function(writer->dict, location->function)->start_line;

        pf_sink_text(sink, "{");
        write_place(writer, id, sink);
        pf_sink_text(sink, ",\"start_line\":");
        pf_json_int(sink, start < 0 ? 0 : start);
        pf_sink_printf(sink, ",\"frame_kind\":\"%s\"}", pf_frame_kind_name(location->kind));
    }
}

static void write_label_value(struct pf_writer *writer, const struct pf_label *label,
                              struct pf_sink *sink)
{
    struct json_writer *state = writer->state;

    if (label->numeric) {
        pf_sink_text(sink, "{\"num\":");
        pf_json_int(sink, label->number);
        pf_sink_text(sink, ",\"unit\":");
    }
    pf_json_name(sink, writer->dict, label->text, &state->scratch);
    if (label->numeric)
        pf_sink_text(sink, "}");
}

/* Writes `"sections":[...],"labels":{"key":[...]}`. */
static void render_labels(void *arg, uint32_t id, struct pf_sink *sink)
{
    struct pf_writer *writer = arg;
    struct json_writer *state = writer->state;
    const struct pf_label_list *list = &state->label_list;
    bool sections = true;

    if (!pf_record_labels(writer->dict, id, &state->label_list))
        state->scratch.failed = true;
    pf_sink_text(sink, "\"sections\":[");
    for (size_t k = 0; k < list->count; k++) {
        const struct pf_record_label *row = &list->rows[k];
        const struct pf_label *label = pf_dict_label(writer->dict, row->id);

        if (row->section || row->same_key) {
            pf_sink_text(sink, k > 0 ? "," : "");
        } else {
            pf_sink_text(sink, sections ? "],\"labels\":{" : "],");
            pf_json_name(sink, writer->dict, label->key, &state->scratch);
            pf_sink_text(sink, ":[");
        }
        sections = row->section;
        write_label_value(writer, label, sink);
    }
    pf_sink_text(sink, sections ? "],\"labels\":{}" : "]}");
}

/* Writes `"wall":`. */
static void render_key(void *arg, uint32_t column, struct pf_sink *sink)
{
    struct json_writer *state = ((struct pf_writer *)arg)->state;
    const struct pf_value_name *name = &state->values.columns[column];

    pf_json_string(sink, name->name, PF_UTF8, &state->scratch);
    pf_sink_text(sink, ":");
}

/* Writes a number, unless it has its usual value, or readers cannot hold it. */
static void write_number(struct pf_sink *sink, const char *key, uint64_t number, uint64_t usual)
{
    if (number != usual && number <= INT64_MAX)
        pf_sink_printf(sink, ",\"%s\":%" PRIu64, key, number);
}

/* Writes what a reader needs to make the measure again, into an object that has begun. Usual values
 * are left out. */
static void write_measure_facts(struct json_writer *state, const struct pf_value_name *column,
                                struct pf_sink *sink)
{
    const struct pf_dict *dict = state->values.dict;
    const struct pf_measure *measure = pf_measures_row(&dict->measures, column->measure);

    pf_sink_printf(sink, "\"role\":\"%s\"", pf_role_name(measure->role));
    if (measure->nature != PF_UNKNOWN_NATURE)
        pf_sink_printf(sink, ",\"nature\":\"%s\"", pf_nature_name(measure->nature));
    if (measure->aggregation != PF_SUM)
        pf_sink_printf(sink, ",\"aggregation\":\"%s\"", pf_aggregation_name(measure->aggregation));
    if (measure->main)
        pf_sink_text(sink, ",\"main\":true");
    if (measure->runs)
        pf_sink_text(sink, ",\"runs\":true");
    if (!pf_bytes_equal(column->own, column->name)) {
        pf_sink_text(sink, ",\"measure\":");
        pf_json_string(sink, column->own, PF_UTF8, &state->scratch);
    }
    if (!pf_bytes_equal(pf_dict_string(dict, measure->unit), column->unit)) {
        pf_sink_text(sink, ",\"base_unit\":");
        pf_json_name(sink, dict, measure->unit, &state->scratch);
    }
    if (measure->raw_unit != 0) {
        pf_sink_text(sink, ",\"raw_unit\":");
        pf_json_name(sink, dict, measure->raw_unit, &state->scratch);
    }
    write_number(sink, "num", measure->num, 1);
    write_number(sink, "den", measure->den, 1);
    write_number(sink, "period", measure->period, 0);
    write_number(sink, "period_parts", pf_measure_period_parts(measure), 1);
    pf_sink_text(sink, "}");
}

/*
 * `},"units":{"wall":"nanoseconds"},"measures":{"wall":{"role":"self"}},"source_format":"folded"`
 */
static void render_end(void *arg, uint32_t kind, struct pf_sink *sink)
{
    struct json_writer *state = ((struct pf_writer *)arg)->state;

    for (int facts = 0; facts < 2; facts++) {
        const char *comma = "";

        pf_sink_text(sink, facts ? "},\"measures\":{" : "},\"units\":{");
        for (uint32_t k = 0; k < state->values.count; k++) {
            const struct pf_value_name *column = &state->values.columns[k];

            if (column->kind != (enum pf_kind)kind)
                continue;
            pf_sink_text(sink, comma);
            comma = ",";
            render_key(arg, k, sink);
            if (facts) {
                pf_sink_text(sink, "{");
                write_measure_facts(state, column, sink);
            } else {
                pf_json_string(sink, column->unit, PF_UTF8, &state->scratch);
            }
        }
    }
    struct pf_buffer formats = {0};

    pf_meta_formats(state->values.dict, &state->facts, &formats);
    pf_sink_text(sink, "},\"source_format\":");
    pf_json_string(sink, (struct pf_bytes){formats.data, formats.size}, PF_UTF8, &state->scratch);
    if (state->document)
        pf_sink_text(sink, NOTHING_REMOVED);
    state->scratch.failed = state->scratch.failed || formats.failed;
    pf_buffer_free(&formats);
}

/* --- what filters removed --------------------------------------------------------------------- */

/* The facts about removed records, from fact `first` on, in the words of the native stream's
 * metadata. NULL: out of memory. */
static json_t *removed_json(struct pf_writer *writer, size_t first)
{
    const struct pf_before *before = &((struct json_writer *)writer->state)->facts.before;
    json_t *list = json_array();

    for (size_t k = first; list && k < before->count; k++) {
        uint32_t text = pf_before_print(writer->dict, &before->rows[k]);

        if (text == 0 ||
            json_array_append_new(list, pf_json_text(pf_dict_string(writer->dict, text), 0)) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

/* Ends a row of ndjson. */
static void end_row(struct pf_writer *writer)
{
    struct json_writer *state = writer->state;

    state->open = false;
    if (state->removed == state->facts.before.count) {
        pf_sink_text(writer->sink, NOTHING_REMOVED "\n");
        return;
    }
    pf_sink_text(writer->sink, ",\"removed\":");
    if (!pf_json_dump(writer->sink, removed_json(writer, state->removed)) &&
        pf_sink_status(writer->sink, NULL) == PF_OK)
        state->scratch.failed = true;
    pf_sink_text(writer->sink, "}\n");
    state->removed = state->facts.before.count;
}

/* Ends the rows of ndjson. A filter says at its end what it removed. The last row gets these facts
 * if it has not ended; in a live pipe readers may have it already, and then a row without values
 * follows. */
static void end_rows(struct pf_writer *writer)
{
    struct json_writer *state = writer->state;
    struct pf_buffer formats = {0};

    if (!state->open && (state->removed == state->facts.before.count || state->rows == 0))
        return;
    if (!state->open) {
        pf_meta_formats(writer->dict, &state->facts, &formats);
        pf_sink_printf(writer->sink,
                       "{\"id\":%" PRIu64
                       ",\"kind\":\"removed\",\"sections\":[],\"labels\":{},\"stack\":[],"
                       "\"values\":{},\"units\":{},\"measures\":{},\"source_format\":",
                       state->rows + 1);
        pf_json_string(writer->sink, (struct pf_bytes){formats.data, formats.size}, PF_UTF8,
                       &state->scratch);
        state->scratch.failed = state->scratch.failed || formats.failed;
        pf_buffer_free(&formats);
    }
    end_row(writer);
}

/* --- rows ------------------------------------------------------------------------------------- */

static void write_bytes(struct pf_sink *sink, struct pf_bytes bytes)
{
    pf_sink_write(sink, bytes.data, bytes.size);
}

static void write_begin(struct pf_writer *writer, const struct pf_batch *batch, uint32_t row)
{
    static const char *const kinds[] = {",\"kind\":\"sample\",", ",\"kind\":\"flat\",",
                                        ",\"kind\":\"edge\","};
    struct json_writer *state = writer->state;
    uint32_t labels = batch->labels ? batch->labels[row] : 0;

    if (state->open)
        end_row(writer);
    if (state->document)
        pf_sink_text(writer->sink, state->begun ? ",\n" : "\n");
    state->open = !state->document;
    state->begun = true;
    pf_sink_text(writer->sink, "{\"id\":");
    pf_json_int(writer->sink, (int64_t)state->rows);
    pf_sink_text(writer->sink, kinds[batch->kind]);
    write_bytes(writer->sink, pf_cache_text(&state->labels, labels, render_labels, writer));
}

/* True if a reader can hold the amount: in raw units or base units, in 64 bits. */
static bool fits(const struct pf_dict *dict, const struct pf_value_name *column, pf_int128 amount)
{
    const struct pf_measure *measure = pf_measures_row(&dict->measures, column->measure);

    if ((amount >= INT64_MIN && amount <= INT64_MAX) || column->parts != 1)
        return true;
    return measure->den == 1 && measure->num <= INT64_MAX &&
           amount % (pf_int128)measure->num == 0 && amount / (pf_int128)measure->num >= INT64_MIN &&
           amount / (pf_int128)measure->num <= INT64_MAX;
}

static void write_values(struct pf_writer *writer, enum pf_kind kind)
{
    struct json_writer *state = writer->state;
    const char *comma = "";

    pf_sink_text(writer->sink, ",\"values\":{");
    for (uint32_t k = 0; k < state->values.count; k++) {
        if (state->values.columns[k].kind != kind)
            continue;
        pf_sink_text(writer->sink, comma);
        write_bytes(writer->sink, pf_cache_text(&state->keys, k, render_key, writer));
        pf_json_parts(writer->sink, state->values.amounts[k], state->values.columns[k].parts);
        if (!fits(writer->dict, &state->values.columns[k], state->values.amounts[k]))
            pf_error_set(&writer->error, PF_OVERFLOW,
                         "record %" PRIu64 ": the value of %s overflows 64 bits", state->rows,
                         pf_clip(state->values.columns[k].name).text);
        comma = ",";
    }
    write_bytes(writer->sink, pf_cache_text(&state->ends, kind, render_end, writer));
}

static void write_row(struct pf_writer *writer, const struct pf_batch *batch, uint32_t row)
{
    struct json_writer *state = writer->state;

    write_begin(writer, batch, row);
    pf_sink_text(writer->sink, ",\"stack\":[");
    for (size_t k = 0; k < state->list.count; k++) {
        if (k > 0)
            pf_sink_write(writer->sink, ",", 1);
        write_bytes(writer->sink,
                    pf_cache_text(&state->frames, state->list.ids[k], render_frame, writer));
    }
    pf_sink_write(writer->sink, "]", 1);
    write_values(writer, batch->kind);
}

/* Writes a row for each frame, leaf first. A record without frames becomes a row of an unknown
 * frame at depth 0, because its values count. */
static void write_frames(struct pf_writer *writer, const struct pf_batch *batch, uint32_t row)
{
    struct json_writer *state = writer->state;
    size_t depth = state->list.count;

    for (size_t k = 0; k < depth || k == 0; k++) {
        uint32_t location = depth > 0 ? state->list.ids[k] : 0;

        write_begin(writer, batch, row);
        pf_sink_printf(writer->sink, ",\"depth\":%zu,", depth - k);
        write_bytes(writer->sink, pf_cache_text(&state->frames, location, render_frame, writer));
        pf_sink_text(writer->sink, k == 0 ? ",\"leaf\":true" : ",\"leaf\":false");
        write_values(writer, batch->kind);
    }
}

static int write_records(struct pf_writer *writer, const struct pf_batch *batch)
{
    struct json_writer *state = writer->state;
    bool changed;

    if (pf_values_declare(&state->values, batch, &changed) != PF_OK)
        return pf_error_nomem(&writer->error);
    if (state->ends_of != state->values.turns || state->ends_from != state->facts.format_count)
        pf_cache_free(&state->ends);
    state->ends_of = state->values.turns;
    state->ends_from = state->facts.format_count;
    pf_values_add(&state->values, batch);
    for (uint32_t row = 0; row < batch->rows; row++) {
        if (!pf_record_frames(writer->dict, batch, row, &state->list))
            return pf_error_nomem(&writer->error);
        pf_values_row(&state->values, batch, row);
        state->rows++;
        if (state->explode)
            write_frames(writer, batch, row);
        else
            write_row(writer, batch, row);
    }
    if (state->scratch.failed || state->frames.status || state->labels.status ||
        state->keys.status || state->ends.status)
        return pf_error_nomem(&writer->error);
    return writer->error.code;
}

/* --- flame graph ------------------------------------------------------------------------------ */

static int write_flame(struct pf_writer *writer)
{
    struct json_writer *state = writer->state;

    int status = pf_flame_json(&state->graph, writer->sink, &writer->measures, &writer->error);

    if (status == PF_EOF)
        return pf_error_set(&writer->error, PF_USAGE,
                            "a flame graph needs stacks, and these records have none");
    if (status == PF_OK && state->graph.others > 0)
        pf_report_send(&writer->report, PF_WARNING,
                       "%" PRIu64 " records without stacks are left out", state->graph.others);
    return status;
}

/* --- batches and the end --------------------------------------------------------------------- */

static int write_batch(struct pf_writer *writer, const struct pf_batch *batch)
{
    struct json_writer *state = writer->state;
    int status = PF_OK;

    if (batch->kind == PF_META && state->flame)
        return pf_flame_add(&state->graph, batch, &writer->error);
    if (batch->kind == PF_META)
        return pf_facts_add(&state->facts, writer->dict, batch) == PF_OK
                   ? PF_OK
                   : pf_error_nomem(&writer->error);
    if (batch->kind == PF_TEXT)
        return PF_OK;
    status = state->flame ? pf_flame_add(&state->graph, batch, &writer->error)
                          : write_records(writer, batch);
    return status == PF_OK ? pf_sink_status(writer->sink, &writer->error) : status;
}

static int flush(struct pf_writer *writer)
{
    const struct json_writer *state = writer->state;

    if (state->open)
        end_row(writer);
    return state->scratch.failed ? pf_error_nomem(&writer->error) : pf_sink_flush(writer->sink);
}

static void write_measures(struct pf_writer *writer)
{
    struct json_writer *state = writer->state;
    struct pf_sink *sink = writer->sink;

    pf_values_total(&state->values);
    for (size_t k = 0; k < state->values.count; k++) {
        const struct pf_value_name *column = &state->values.columns[k];

        pf_sink_text(sink, k > 0 ? ",{\"name\":" : "{\"name\":");
        pf_json_string(sink, column->name, PF_UTF8, &state->scratch);
        pf_sink_text(sink, ",\"unit\":");
        pf_json_string(sink, column->unit, PF_UTF8, &state->scratch);
        pf_sink_printf(sink, ",\"kind\":\"%s\",\"total\":", pf_kind_name(column->kind));
        pf_json_parts(sink, column->total, column->parts);
        pf_sink_text(sink, ",");
        write_measure_facts(state, column, sink);
    }
}

/* Writes the meta object. False: out of memory; the sink keeps failed writes. */
static bool write_meta(struct pf_writer *writer)
{
    const struct json_writer *state = writer->state;
    static const char *const none[] = {NULL};
    const struct pf_document *document = writer->document;
    json_t *meta = pf_meta_json(writer->dict, &state->facts, document ? document->tool : "",
                                document ? document->inputs : none, !writer->failed_input);

    if (meta && json_object_set_new_nocheck(meta, "removed", removed_json(writer, 0)) != 0) {
        json_decref(meta);
        return false;
    }
    return pf_json_dump(writer->sink, meta) || pf_sink_status(writer->sink, NULL) != PF_OK;
}

static int finish(struct pf_writer *writer)
{
    struct json_writer *state = writer->state;
    int status;

    if (state->flame && (status = write_flame(writer)) != PF_OK)
        return status;
    if (state->document && !state->flame) {
        pf_sink_text(writer->sink, state->begun ? "\n],\"measures\":[" : "],\"measures\":[");
        write_measures(writer);
        pf_sink_text(writer->sink, "],\"meta\":");
        if (!write_meta(writer) || state->scratch.failed)
            return pf_error_nomem(&writer->error);
        pf_sink_text(writer->sink, "}\n");
    }
    if (!state->document)
        end_rows(writer);
    if (state->scratch.failed)
        return pf_error_nomem(&writer->error);
    return pf_sink_status(writer->sink, &writer->error);
}

static const struct pf_option document_options[] = {
    {"stack", "frames as objects, or as names only", "frames|names", false, true},
    {"explode", "one row per frame, with its depth and whether it is the leaf", "yes", false, true},
    {"flame", "the tree of calls instead of records, nested for d3-flame-graph", "yes", false,
     true},
    {0},
};

static const struct pf_option row_options[] = {
    {"stack", "frames as objects, or as names only", "frames|names", false, true},
    {"explode", "one row per frame, with its depth and whether it is the leaf", "yes", false, true},
    {0},
};

const struct pf_format pf_format_json = {
    .name = "json",
    .about = "one JSON document: records, totals, metadata (schema profutils.samples/1)",
    .suffixes = ".json",
    .losses = "metadata private to a format, source texts, times of records; parts of a nanosecond "
              "and of a millionth; of images all but the name; "
              "system names of functions; bytes that are not UTF-8, negative lines",
    .caps = PF_HOLDS_SAMPLE | PF_HOLDS_RUNS | PF_HOLDS_FLAT | PF_HOLDS_EDGE | PF_HOLDS_DIFFERENCE |
            PF_IS_TEXT | PF_IS_STREAM | PF_TELLS_SOURCE | PF_METADATA_LAST,
    .options = document_options,
    .bid = pf_samples_bid_document,
    .reader_size = sizeof(struct pf_samples_reader),
    .open_reader = pf_samples_open_reader,
    .step = pf_samples_step,
    .read = pf_samples_read,
    .close_reader = pf_samples_close_reader,
    .writer_size = sizeof(struct json_writer),
    .open_writer = open_writer,
    .write = write_batch,
    .flush = flush,
    .finish = finish,
    .close_writer = close_writer,
};

const struct pf_format pf_format_ndjson = {
    .name = "ndjson",
    .about = "one JSON object a line for each record (schema profutils.samples/1), for notebooks",
    .suffixes = ".ndjson .jsonl",
    .losses =
        "metadata, measures without records, source texts, times of records; parts of a nanosecond "
        "and of a millionth; of images all but the name; system names of functions; bytes that are "
        "not UTF-8, negative lines",
    .caps = PF_HOLDS_SAMPLE | PF_HOLDS_RUNS | PF_HOLDS_FLAT | PF_HOLDS_EDGE | PF_IS_TEXT |
            PF_IS_STREAM | PF_TELLS_SOURCE,
    .options = row_options,
    .bid = pf_samples_bid_rows,
    .reader_size = sizeof(struct pf_samples_reader),
    .open_reader = pf_samples_open_reader,
    .step = pf_samples_step,
    .read = pf_samples_read,
    .close_reader = pf_samples_close_reader,
    .writer_size = sizeof(struct json_writer),
    .open_writer = open_writer,
    .write = write_batch,
    .flush = flush,
    .finish = finish,
    .close_writer = close_writer,
};

#include "render/top_parts.h"

#include "model/json.h"
#include "model/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pf_bytes pf_top_percent(double percent, char text[PF_PERCENT_TEXT])
{
    double size = fabs(percent);

    if (size == 0)
        snprintf(text, PF_PERCENT_TEXT, "0%%");
    else if (size >= 99.995 && size < 100.005)
        snprintf(text, PF_PERCENT_TEXT, percent < 0 ? "-100%%" : "100%%");
    else if (size >= 100 && size < 1e15)
        snprintf(text, PF_PERCENT_TEXT, "%.0f%%", percent);
    else if (size >= 0.9995 && size < 100)
        snprintf(text, PF_PERCENT_TEXT, "%.2f%%", percent);
    else
        snprintf(text, PF_PERCENT_TEXT, "%.2g%%", percent);
    return pf_bytes_of(text);
}

/* --- head ------------------------------------------------------------------------------------------------- */

static bool count_samples(const struct pf_top *top, const struct pf_top_block *block, pf_int128 *samples, uint64_t *parts)
{
    const struct pf_accumulator *accumulator = top->accumulator;
    struct pf_error ignored = {0};
    struct pf_scale scale;

    for (uint32_t i = 0; i < accumulator->count; i++) {
        const struct pf_measure *measure = &accumulator->sums[i].quantity.measure;
        if (measure->kind != PF_SAMPLE || !pf_bytes_equal(pf_dict_string(top->dict, measure->name), PF_BYTES("samples")) ||
            !pf_bytes_equal(pf_dict_string(top->dict, measure->unit), PF_BYTES("count")))
            continue;
        pf_quantity_scale(&accumulator->sums[i].quantity, top->dict, PF_UNIT_AUTO, &scale, &ignored);
        *samples = pf_scale_total(&scale, pf_sums_total(&accumulator->sums[i]));
        *parts = scale.parts;
        return &accumulator->sums[i] != block->subject.shown;
    }
    *samples = 0;
    *parts = 1;
    return false;
}

static void append_text(struct pf_buffer *line, const char *text)
{
    pf_buffer_append(line, text, strlen(text));
}

/* "1243 samples", "1 section" */
static void append_count(struct pf_buffer *line, pf_int128 count, uint64_t parts, const char *noun)
{
    const struct pf_scale scale = {.parts = parts};
    char text[PF_AMOUNT_TEXT];

    append_text(line, ", ");
    append_text(line, pf_scale_print(&scale, count, text));
    append_text(line, " ");
    append_text(line, noun);
    if (count != (pf_int128)parts)
        append_text(line, "s");
}

static void append_amount(struct pf_buffer *line, const struct pf_scale *scale, pf_int128 amount)
{
    char text[PF_AMOUNT_TEXT];
    bool plain = scale->time || scale->bytes || pf_bytes_equal(scale->name, PF_BYTES("count"));

    append_text(line, pf_scale_print(scale, amount, text));
    if (!plain || scale->shown == PF_UNIT_COUNT) {
        if (!pf_bytes_equal(scale->name, PF_BYTES("count")) && scale->name.size > 0) {
            append_text(line, " ");
            pf_buffer_append(line, scale->name.data, scale->name.size);
        }
    }
}

/* How many sections the records stand in, those of --by=section: several may be shown alike. PF_OK or PF_NOMEM. */
static int count_sections(const struct pf_top *top, size_t *count)
{
    const struct pf_accumulator *accumulator = top->accumulator;
    bool *seen = calloc(accumulator->label_count + 1, sizeof *seen);
    struct pf_keys keys;
    int status = pf_keys_init(&keys, top->dict, PF_BY_LABEL, top->dict->section_key);

    if (seen == NULL)
        status = PF_NOMEM;
    for (uint32_t i = 0; i < accumulator->label_count && status == PF_OK; i++)
        for (uint32_t at = accumulator->labels[i] ? i : 0; at != 0 && !seen[at]; at = pf_dict_label(top->dict, at)->parent) {
            seen[at] = true;
            if (pf_dict_label(top->dict, at)->key == top->dict->section_key)
                pf_keys_value(&keys, pf_dict_label(top->dict, at));
        }
    *count = keys.table.count > 0 ? keys.table.count - 1 : 0;
    status = status != PF_OK ? status : keys.status;
    pf_keys_free(&keys);
    free(seen);
    return status;
}

static void append_inputs(const struct pf_top *top, struct pf_buffer *line, struct pf_buffer *scratch)
{
    const struct pf_facts *facts = top->facts;
    size_t count = facts->input_count;

    while (facts->input_count == 0 && top->operands[count] != NULL)
        count++;
    if (facts->input_count == 0 && count == 1 && strcmp(top->operands[0], "-") == 0)
        return;
    for (size_t i = 0; i < count && i < (count > 3 ? 2 : 3); i++) {
        uint32_t id = facts->input_count > 0 ? facts->inputs[i] : 0;
        struct pf_bytes name = facts->input_count > 0 ? pf_dict_string(top->dict, id) : pf_bytes_of(top->operands[i]);
        name = pf_text_line(name, facts->input_count > 0 ? top->dict->strings.rows[id].flags : PF_UTF8, scratch);
        while (i == 0 && !line->failed && line->size < 64)
            pf_buffer_byte(line, ' ');
        append_text(line, i == 0 ? "  " : ", ");
        pf_buffer_append(line, name.data, name.size);
    }
    if (count > 3) {
        char more[48];
        snprintf(more, sizeof more, " and %zu more", count - 2);
        append_text(line, more);
    }
}

static void append_total(const struct pf_top_block *block, struct pf_buffer *line)
{
    const struct pf_subject *subject = &block->subject;
    double percent = pf_percent(subject->total, block->whole);
    char share[48];

    append_amount(line, &subject->whole_scale, subject->total);
    if (block->whole == subject->total) {
        append_text(line, " total");
        return;
    }
    snprintf(share, sizeof share, fabs(percent) >= 10 || percent == 0 ? ", %.0f %% of " : ", %.2g %% of ", percent);
    append_text(line, share);
    append_amount(line, &subject->whole_scale, block->whole);
}

/* What is there besides the kind shown: "also here: flat (stmts, time); --kind shows them". */
static void append_kinds(const struct pf_top *top, enum pf_kind shown, struct pf_buffer *line, struct pf_buffer *scratch)
{
    bool any = false;

    for (enum pf_kind kind = PF_SAMPLE; kind < PF_RECORD_KINDS; kind++) {
        const char *before = " (";
        if (kind == shown || top->accumulator->records[kind] == 0)
            continue;
        append_text(line, any ? ", " : "also here: ");
        append_text(line, pf_kind_name(kind));
        any = true;
        for (uint32_t i = 0; i < top->accumulator->count; i++) {
            const struct pf_measure *measure = &top->accumulator->sums[i].quantity.measure;
            struct pf_bytes name = pf_dict_string(top->dict, measure->name);
            if (measure->kind != kind)
                continue;
            name = pf_text_line(name, top->dict->strings.rows[measure->name].flags, scratch);
            append_text(line, before);
            pf_buffer_append(line, name.data, name.size);
            before = ", ";
        }
        append_text(line, before[0] == ',' ? ")" : "");
    }
    if (any)
        append_text(line, "; --kind shows them\n");
}

static void append_string(const struct pf_top *top, uint32_t id, struct pf_buffer *line, struct pf_buffer *scratch)
{
    struct pf_bytes text = pf_text_line(pf_dict_string(top->dict, id), top->dict->strings.rows[id].flags, scratch);

    pf_buffer_append(line, text.data, text.size);
}

/* The measures of the columns: "wall", or "excl, cum incl" where flat and cumulative values are of two. */
static void append_measures(const struct pf_top *top, const struct pf_top_view *view, const struct pf_subject *subject,
                            struct pf_buffer *line, struct pf_buffer *scratch)
{
    uint32_t flat = pf_subject_flat(subject)->name, cum = pf_subject_cum(subject)->name;

    if (view->of_calls)
        flat = cum = subject->shown->quantity.measure.name;
    append_string(top, flat, line, scratch);
    if (flat == cum)
        return;
    append_text(line, ", cum ");
    append_string(top, cum, line, scratch);
}

/* A table of main::RUNTIME alone, which is computed: it is the time of records of another kind. */
static bool no_record_tells(const struct pf_accumulator *accumulator, enum pf_kind kind)
{
    return accumulator->records[kind] == 0 && accumulator->file_scope;
}

/* "wall: 12.43s total, 1243 samples, 4 sections   web.out", and a line that says what other kinds of records there are. */
static int write_head(const struct pf_top *top, const struct pf_top_view *view, const struct pf_top_block *block)
{
    struct pf_buffer line = {0}, scratch = {0};
    enum pf_kind kind = block->subject.kind;
    pf_int128 samples;
    uint64_t parts;
    size_t sections;
    bool failed;

    append_measures(top, view, &block->subject, &line, &scratch);
    append_text(&line, ": ");
    append_total(block, &line);
    if (kind == PF_SAMPLE && count_samples(top, block, &samples, &parts))
        append_count(&line, samples, parts, "sample");
    else if ((kind != PF_SAMPLE || samples == 0) && !no_record_tells(top->accumulator, kind))
        append_count(&line, (pf_int128)top->accumulator->records[kind], 1, "record");
    failed = count_sections(top, &sections) != PF_OK;
    if (sections > 0)
        append_count(&line, (pf_int128)sections, 1, "section");
    append_inputs(top, &line, &scratch);
    append_text(&line, "\n");
    append_kinds(top, kind, &line, &scratch);
    pf_sink_write(top->sink, line.data, line.size);
    failed = failed || line.failed || scratch.failed;
    pf_buffer_free(&line);
    pf_buffer_free(&scratch);
    return failed ? PF_NOMEM : PF_OK;
}

/* --- documents -------------------------------------------------------------------------------------------- */

static json_t *string_of(const struct pf_top *top, uint32_t id)
{
    return pf_json_text(pf_dict_string(top->dict, id), top->dict->strings.rows[id].flags);
}

static bool append_new(json_t *array, json_t *value)
{
    return value != NULL && json_array_append_new(array, value) == 0;
}

static json_t *inputs_of(const struct pf_top *top)
{
    json_t *array = json_array();
    bool good = array != NULL;

    for (size_t i = 0; i < top->facts->input_count && good; i++)
        good = append_new(array, string_of(top, top->facts->inputs[i]));
    for (size_t i = 0; top->facts->input_count == 0 && top->operands[i] != NULL && good; i++)
        good = append_new(array, pf_json_text(pf_bytes_of(top->operands[i]), PF_UTF8));
    if (!good)
        json_decref(array);
    return good ? array : NULL;
}

static json_t *formats_of(const struct pf_top *top)
{
    struct pf_buffer names = {0};
    json_t *string;

    for (size_t i = 0; i < top->facts->format_count; i++) {
        struct pf_bytes name = pf_dict_string(top->dict, top->facts->formats[i]);
        append_text(&names, i > 0 ? "," : "");
        pf_buffer_append(&names, name.data, name.size);
    }
    string = names.failed ? NULL : pf_json_text((struct pf_bytes){names.data, names.size}, PF_UTF8);
    pf_buffer_free(&names);
    return string;
}

static json_t *metadata_of(const struct pf_top *top)
{
    json_t *array = json_array();
    bool good = array != NULL;

    for (size_t i = 0; i < top->facts->metadata_count && good; i++) {
        const struct pf_fact *fact = &top->facts->metadata[i];
        good = append_new(array, json_pack("{s:o,s:o,s:o}", "origin", string_of(top, fact->origin), "key",
                                           string_of(top, fact->key), "value", string_of(top, fact->value)));
    }
    if (!good)
        json_decref(array);
    return good ? array : NULL;
}

/* Not with jansson: totals may have more than 64 bits. */
static void write_measures(const struct pf_top *top, struct pf_sink *sink, bool of_calls)
{
    struct pf_buffer scratch = {0};

    for (size_t i = 0; i < top->block_count; i++) {
        const struct pf_subject *subject = &top->blocks[i].subject;
        pf_sink_text(sink, i == 0 ? "[{\"name\":" : ",{\"name\":");
        pf_json_name(sink, top->dict, of_calls ? subject->shown->quantity.measure.name : pf_top_measure(&top->blocks[i]), &scratch);
        pf_sink_text(sink, ",\"unit\":");
        pf_json_string(sink, subject->scale.name, PF_UTF8, &scratch);
        pf_sink_printf(sink, ",\"kind\":\"%s\",\"total\":", pf_kind_name(subject->kind));
        pf_json_parts(sink, subject->total, subject->scale.parts);
        pf_sink_text(sink, ",\"before\":");
        pf_json_parts(sink, top->blocks[i].whole, subject->scale.parts);
        pf_sink_text(sink, "}");
    }
    pf_sink_text(sink, top->block_count == 0 ? "[]" : "]");
    pf_buffer_free(&scratch);
}

static void write_measures_of_columns(const void *top, struct pf_sink *sink)
{
    write_measures(top, sink, false);
}

static void write_measures_of_calls(const void *top, struct pf_sink *sink)
{
    write_measures(top, sink, true);
}

static struct pf_sheet_head document(const struct pf_top *top, const struct pf_top_view *view)
{
    return (struct pf_sheet_head){
        .schema = view->schema,
        .meta = json_pack("{s:s,s:o,s:o,s:b,s:o}", "tool", top->tool, "inputs", inputs_of(top), "source_format", formats_of(top),
                          "complete", !top->incomplete, "metadata", metadata_of(top)),
        .measures = view->of_calls ? write_measures_of_calls : write_measures_of_columns,
        .arg = top,
    };
}

/* --- rows ------------------------------------------------------------------------------------------------- */

/* The name, or what stands for a row that has none. */
static void append_name(const struct pf_top *top, const struct pf_keys *keys, uint32_t key, struct pf_buffer *line,
                        struct pf_buffer *scratch, struct pf_buffer *second)
{
    unsigned flags;
    struct pf_bytes name = pf_keys_name(keys, key, scratch, &flags);

    if (name.size == 0)
        name = top->by == PF_BY_LABEL ? PF_BYTES("\"\"") : PF_BYTES("(none)");
    name = pf_text_line(name, flags, second);
    pf_buffer_append(line, name.data, name.size);
}

struct pf_bytes pf_top_label(const struct pf_top *top, const struct pf_keys *keys, uint32_t key, struct pf_buffer *line)
{
    struct pf_buffer scratch = {0}, second = {0};
    const struct pf_key *row = pf_keys_row(keys, key);
    bool place = keys->by == PF_BY_FUNCTION || keys->by == PF_BY_LINE || keys->by == PF_BY_ADDRESS;
    int64_t number = pf_keys_line(keys, key);
    char text[48];

    line->size = 0;
    if (keys->by == PF_BY_ADDRESS && row->name != 0 && row->address != 0) {
        snprintf(text, sizeof text, "0x%" PRIx64 "  ", row->address);
        append_text(line, text);
    }
    append_name(top, keys, key, line, &scratch, &second);
    if (place && row->file != 0) {
        append_text(line, "  ");
        append_string(top, row->file, line, &scratch);
        snprintf(text, sizeof text, ":%" PRId64, number);
        append_text(line, number > 0 ? text : "");
    } else if (place && row->image != 0) {
        append_text(line, "  [");
        append_string(top, row->image, line, &scratch);
        append_text(line, "]");
    }
    line->failed = line->failed || scratch.failed || second.failed;
    pf_buffer_free(&scratch);
    pf_buffer_free(&second);
    return line->failed ? PF_BYTES("") : (struct pf_bytes){line->data, line->size};
}

static struct pf_cell string_cell(const struct pf_dict *dict, uint32_t id)
{
    return (struct pf_cell){.text = pf_dict_string(dict, id), .flags = dict->strings.rows[id].flags};
}

void pf_top_place_cells(const struct pf_keys *keys, uint32_t key, struct pf_cell cells[4], struct pf_buffer *scratch)
{
    const struct pf_key *row = pf_keys_row(keys, key);
    bool function = keys->by <= PF_BY_NAME || keys->by == PF_BY_LINE || keys->by == PF_BY_ADDRESS;

    cells[0] = (struct pf_cell){0};
    if (function)
        cells[0].text = pf_keys_name(keys, key, scratch, &cells[0].flags);
    cells[1] = string_cell(keys->dict, row->file);
    cells[2] = (struct pf_cell){.integer = pf_keys_line(keys, key)};
    cells[3] = string_cell(keys->dict, row->image);
}

uint32_t pf_top_measure(const struct pf_top_block *block)
{
    return block->named ? block->subject.shown->quantity.measure.name : pf_subject_flat(&block->subject)->name;
}

void pf_top_measure_cells(const struct pf_top *top, const struct pf_top_block *block, uint32_t name, struct pf_cell cells[2])
{
    cells[0] = string_cell(top->dict, name);
    cells[1] = (struct pf_cell){.text = block->subject.scale.name, .flags = PF_UTF8};
}

/* From 5 % on a row is worth a look, as perf colours it. */
const char *pf_top_color(const struct pf_top *top, double percent)
{
    if (!top->color)
        return NULL;
    return percent < 0 ? "\033[34m" : percent >= 5 ? "\033[31m" : NULL;
}

struct pf_sheet pf_top_sheet(const struct pf_top *top)
{
    return (struct pf_sheet){.terminal = top->terminal, .mark = top->utf8 ? "\xe2\x80\xa6" : "~"};
}

void pf_top_bar(struct pf_buffer *line, bool utf8, double percent)
{
    static const char *const eighths[] = {"", "\u258f", "\u258e", "\u258d", "\u258c", "\u258b", "\u258a", "\u2589"};
    double share = fabs(percent) > 100 ? 1 : fabs(percent) / 100;
    int steps = (int)lround(share * PF_TOP_BAR * (utf8 ? 8 : 1)), full = utf8 ? steps / 8 : steps, used = full;

    for (int i = 0; i < full; i++)
        pf_buffer_append(line, utf8 ? "\u2588" : "#", utf8 ? 3 : 1);
    if (utf8 && steps % 8 != 0) {
        pf_buffer_append(line, eighths[steps % 8], 3);
        used++;
    }
    for (; used < PF_TOP_BAR; used++)
        pf_buffer_byte(line, ' ');
}

const char *pf_top_noun(const struct pf_top *top, bool many)
{
    static const char *const nouns[][2] = {
        {"function", "functions"}, {"name", "names"},   {"file", "files"},       {"line", "lines"},
        {"address", "addresses"},  {"image", "images"}, {"package", "packages"}, {"value", "values"},
    };

    if (top->by == PF_BY_LABEL && top->label == top->dict->section_key)
        return many ? "sections" : "section";
    return nouns[top->by][many];
}

/* --- blocks ----------------------------------------------------------------------------------------------- */

/* All but the first, which is made once. They are made twice, so that what one is made of is held alone. */
static int check_others(const struct pf_top *top, const struct pf_top_view *view, void *state, struct pf_error *error)
{
    int status = PF_OK;

    for (size_t i = 1; i < top->block_count && status == PF_OK; i++)
        status = view->drop(state, view->make(state, &top->blocks[i], error), error);
    return status;
}

static void begin_sheet(const struct pf_top *top, const struct pf_top_view *view, struct pf_sheet *sheet)
{
    struct pf_sheet_head head = {0};

    if (top->form == PF_SHEET_JSON)
        head = document(top, view);
    if (top->form != PF_SHEET_TEXT)
        pf_sheet_begin(sheet, top->sink, top->form, view->columns, view->column_count, head);
}

/* Its head in text form. */
static int write_block(const struct pf_top *top, const struct pf_top_view *view, void *state, size_t i, struct pf_sheet *sheet)
{
    if (top->form == PF_SHEET_TEXT) {
        pf_sink_text(top->sink, i > 0 ? "\n" : "");
        if (write_head(top, view, &top->blocks[i]) != PF_OK)
            return PF_NOMEM;
    }
    view->write(state, sheet);
    return PF_OK;
}

int pf_top_show(const struct pf_top *top, const struct pf_top_view *view, void *state, struct pf_error *error)
{
    struct pf_sheet sheet = pf_top_sheet(top);
    int status = check_others(top, view, state, error);

    if (top->block_count == 0)
        begin_sheet(top, view, &sheet);
    for (size_t i = 0; i < top->block_count && status == PF_OK; i++) {
        status = view->make(state, &top->blocks[i], error);
        if (status == PF_OK && i == 0)
            begin_sheet(top, view, &sheet);
        if (status == PF_OK && write_block(top, view, state, i, &sheet) != PF_OK)
            status = pf_error_nomem(error);
        status = view->drop(state, status, error);
    }
    if (sheet.sink != NULL && pf_sheet_end(&sheet) != PF_OK && status == PF_OK)
        status = pf_error_nomem(error);
    return status;
}

bool pf_top_list_has(const struct pf_top *top, const struct pf_keys *keys, uint32_t key, struct pf_buffer *scratch)
{
    struct pf_bytes file = pf_dict_string(top->dict, pf_keys_row(keys, key)->file);

    return pf_pattern_match(top->list, pf_keys_name(keys, key, scratch, NULL)) ||
           (file.size > 0 && pf_pattern_match(top->list, file));
}

#include "render/table/parts.h"

#include "model/json.h"
#include "model/utf8.h"
#include "render/table/meta.h"
#include "render/table/prose.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
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
    else if (size < 0.00995)
        snprintf(text, PF_PERCENT_TEXT, percent < 0 ? ">-0.01%%" : "<0.01%%");
    else
        snprintf(text, PF_PERCENT_TEXT, "%.2g%%", percent);
    return pf_bytes_of(text);
}

/* --- documents -------------------------------------------------------------------------------------------- */

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
        .meta = pf_meta_json(top->dict, top->facts, top->tool, top->operands, !top->incomplete),
        .measures = view->of_calls ? write_measures_of_calls : write_measures_of_columns,
        .arg = top,
    };
}

/* --- rows ------------------------------------------------------------------------------------------------- */

/* The name, or what stands for a row that has none. */
static void append_name(const struct pf_top *top, const struct pf_keys *keys, uint32_t key, struct pf_buffer *text)
{
    struct pf_buffer scratch = {0}, second = {0};
    unsigned flags;
    struct pf_bytes name = pf_keys_name(keys, key, &scratch, &flags);

    if (name.size == 0)
        name = top->by == PF_BY_LABEL ? PF_BYTES("\"\"") : PF_BYTES("(none)");
    name = pf_text_line(name, flags, &second);
    pf_buffer_append(text, name.data, name.size);
    text->failed = text->failed || scratch.failed || second.failed;
    pf_buffer_free(&scratch);
    pf_buffer_free(&second);
}

static void append_string(const struct pf_top *top, uint32_t id, struct pf_buffer *text)
{
    struct pf_buffer scratch = {0};
    struct pf_bytes line = pf_text_line(pf_dict_string(top->dict, id), top->dict->strings.rows[id].flags, &scratch);

    pf_buffer_append(text, line.data, line.size);
    text->failed = text->failed || scratch.failed;
    pf_buffer_free(&scratch);
}

/* What a function's frames are, as pprof marks them. */
static struct pf_bytes inline_mark(const struct pf_keys *keys, uint32_t key)
{
    switch (pf_keys_inlined(keys, key)) {
    case PF_KEY_INLINED: return PF_BYTES(" (inline)");
    case PF_KEY_INLINED | PF_KEY_CALLED: return PF_BYTES(" (partial-inline)");
    default: return PF_BYTES("");
    }
}

void pf_top_place(const struct pf_top *top, const struct pf_keys *keys, uint32_t key, struct pf_buffer *text, struct pf_place *place)
{
    const struct pf_key *row = pf_keys_row(keys, key);
    bool has_place = keys->by == PF_BY_FUNCTION || keys->by == PF_BY_LINE || keys->by == PF_BY_ADDRESS;
    int64_t line = pf_keys_line(keys, key);
    size_t name_at, file_at, close_at;
    char number[48] = "";

    *place = (struct pf_place){.mark = inline_mark(keys, key)};
    text->size = 0;
    if (keys->by == PF_BY_ADDRESS && row->name != 0 && row->address != 0)
        pf_buffer_printf(text, "0x%" PRIx64 "  ", row->address);
    name_at = text->size;
    append_name(top, keys, key, text);
    file_at = text->size;
    if (has_place && row->file != 0)
        append_string(top, row->file, text);
    else if (has_place && row->image != 0)
        append_string(top, row->image, text);
    close_at = text->size;
    if (row->file != 0 && line > 0)
        snprintf(number, sizeof number, ":%" PRId64, line);
    pf_buffer_printf(text, "%s", row->file != 0 ? number : "]");
    if (text->failed)
        return;
    place->lead = (struct pf_bytes){text->data, name_at};
    place->name = (struct pf_bytes){text->data + name_at, file_at - name_at};
    if (close_at == file_at)
        return;
    place->open = row->file != 0 ? PF_BYTES("  ") : PF_BYTES("  [");
    place->file = (struct pf_bytes){text->data + file_at, close_at - file_at};
    place->close = (struct pf_bytes){text->data + close_at, text->size - close_at};
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

const char *pf_top_mark(const struct pf_top *top)
{
    return pf_sink_mark(top->sink);
}

int pf_top_end(const struct pf_top *top, struct pf_text_table *table)
{
    return pf_text_table_end(table, top->sink, top->terminal, pf_top_mark(top));
}

int pf_top_note(const struct pf_top *top, const char *format, ...)
{
    struct pf_buffer line = {0};
    va_list arguments;
    int status;

    va_start(arguments, format);
    pf_buffer_vprintf(&line, format, arguments);
    va_end(arguments);
    status = line.failed ? PF_NOMEM : pf_prose_write(top->sink, (struct pf_bytes){line.data, line.size}, top->terminal, pf_top_mark(top));
    pf_buffer_free(&line);
    return status;
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

const char *pf_top_count(const struct pf_top *top, size_t count, char text[PF_AMOUNT_TEXT])
{
    const struct pf_scale scale = {.parts = 1, .group = top->group};

    return pf_scale_print(&scale, (pf_int128)count, text);
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

/* --- what is left out ------------------------------------------------------------------------------------ */

/* Sections lie within each other: their shares do not add up. */
bool pf_top_sums(const struct pf_top *top)
{
    return top->by != PF_BY_LABEL || top->label != top->dict->section_key;
}

/* "... 212 functions below 0.1% (4.2%) not shown; -n 0 for all" */
int pf_top_hidden(const struct pf_top *top, const struct pf_top_block *block, const struct pf_hidden *hidden)
{
    size_t count = hidden->small + hidden->behind;
    double bound = hidden->behind == 0 ? top->min_percent : floor(hidden->share * 10 + 1) / 10;
    char below[48] = "", sum[PF_PERCENT_TEXT], share[PF_PERCENT_TEXT + 4] = "", number[PF_AMOUNT_TEXT];

    if (count == 0)
        return PF_OK;
    if (top->sort <= PF_SORT_CUM || hidden->behind == 0)
        snprintf(below, sizeof below, bound < 0.1 ? " below %g%%" : " below %.1f%%", bound);
    pf_top_percent(pf_percent(hidden->flat, block->whole), sum);
    if (pf_top_sums(top))
        snprintf(share, sizeof share, " (%s)", sum);
    return pf_top_note(top, "... %s %s%s%s not shown;%s%s for all", pf_top_count(top, count, number), pf_top_noun(top, count != 1), below,
                       share, hidden->behind > 0 ? " -n 0" : "", hidden->small > 0 ? " --min-percent=0" : "");
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
        if (pf_top_head(top, view, &top->blocks[i]) != PF_OK)
            return PF_NOMEM;
    }
    view->write(state, sheet);
    return PF_OK;
}

int pf_top_show(const struct pf_top *top, const struct pf_top_view *view, void *state, struct pf_error *error)
{
    struct pf_sheet sheet = {0};
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

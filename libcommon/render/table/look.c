#include "render/table/look.h"

#include "model/utf8.h"
#include "render/table/prose.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    RIGHT = 64
}; /* width of the left part of a headline; two blanks and the right part follow */

/* --- numbers ---------------------------------------------------------------------------------- */

struct pf_bytes pf_look_percent(double percent, char text[PF_PERCENT_TEXT])
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

/* --- names and places ------------------------------------------------------------------------- */

/* Appends the name of a key, or the text for a row without a name. */
static void append_name(const struct pf_look *look, const struct pf_keys *keys, uint32_t key,
                        struct pf_buffer *text)
{
    struct pf_buffer scratch = {0}, second = {0};
    unsigned flags;
    struct pf_bytes name = pf_keys_name(keys, key, &scratch, &flags);

    if (name.size == 0)
        name = look->by == PF_BY_LABEL ? PF_BYTES("\"\"") : PF_BYTES("(none)");
    name = pf_text_line(name, flags, &second);
    pf_buffer_append(text, name.data, name.size);
    text->failed = text->failed || scratch.failed || second.failed;
    pf_buffer_free(&scratch);
    pf_buffer_free(&second);
}

void pf_look_string(const struct pf_look *look, uint32_t id, struct pf_buffer *text)
{
    struct pf_buffer scratch = {0};
    struct pf_bytes line =
        pf_text_line(pf_dict_string(look->dict, id), look->dict->strings.rows[id].flags, &scratch);

    pf_buffer_append(text, line.data, line.size);
    text->failed = text->failed || scratch.failed;
    pf_buffer_free(&scratch);
}

/* The mark of a function whose calls are inlined, as in pprof. */
static struct pf_bytes inline_mark(const struct pf_keys *keys, uint32_t key)
{
    switch (pf_keys_inlined(keys, key)) {
    case PF_KEY_INLINED: return PF_BYTES(" (inline)");
    case PF_KEY_INLINED | PF_KEY_CALLED: return PF_BYTES(" (partial-inline)");
    default: return PF_BYTES("");
    }
}

void pf_look_place(const struct pf_look *look, const struct pf_keys *keys, uint32_t key,
                   struct pf_buffer *text, struct pf_place *place)
{
    const struct pf_key *row = pf_keys_row(keys, key);
    bool has_place = keys->by == PF_BY_FUNCTION || keys->by == PF_BY_LINE ||
                     keys->by == PF_BY_ADDRESS;
    int64_t line = pf_keys_line(keys, key);
    size_t name_at, file_at, close_at;
    char number[48] = "";

    *place = (struct pf_place){.mark = inline_mark(keys, key)};
    text->size = 0;
    if (keys->by == PF_BY_ADDRESS && row->name != 0 && row->address != 0)
        pf_buffer_printf(text, "0x%" PRIx64 "  ", row->address);
    name_at = text->size;
    append_name(look, keys, key, text);
    file_at = text->size;
    if (has_place && row->file != 0)
        pf_look_string(look, row->file, text);
    else if (has_place && row->image != 0)
        pf_look_string(look, row->image, text);
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

struct pf_cell pf_look_cell(const struct pf_dict *dict, uint32_t id)
{
    return (struct pf_cell){.text = pf_dict_string(dict, id),
                            .flags = dict->strings.rows[id].flags};
}

void pf_look_place_cells(const struct pf_keys *keys, uint32_t key, struct pf_cell cells[4],
                         struct pf_buffer *scratch)
{
    const struct pf_key *row = pf_keys_row(keys, key);
    bool function = keys->by <= PF_BY_NAME || keys->by == PF_BY_LINE || keys->by == PF_BY_ADDRESS;

    cells[0] = (struct pf_cell){0};
    if (function)
        cells[0].text = pf_keys_name(keys, key, scratch, &cells[0].flags);
    cells[1] = pf_look_cell(keys->dict, row->file);
    cells[2] = (struct pf_cell){.integer = pf_keys_line(keys, key)};
    cells[3] = pf_look_cell(keys->dict, row->image);
}

const char *pf_look_added_column(const struct pf_look *look)
{
    switch (look->by) {
    case PF_BY_LABEL: return look->label == look->dict->section_key ? "section" : "label";
    case PF_BY_ADDRESS: return "address";
    case PF_BY_PACKAGE: return "package";
    default: return NULL;
    }
}

struct pf_cell pf_look_added_cell(const struct pf_look *look, const struct pf_keys *keys,
                                  uint32_t key, struct pf_buffer *scratch,
                                  char address[PF_ADDRESS_TEXT])
{
    struct pf_cell cell = {0};

    if (look->by != PF_BY_ADDRESS) {
        cell.text = pf_keys_name(keys, key, scratch, &cell.flags);
        return cell;
    }
    snprintf(address, PF_ADDRESS_TEXT, "0x%" PRIx64, pf_keys_row(keys, key)->address);
    cell.text = pf_bytes_of(pf_keys_has_address(keys, key) ? address : "");
    return cell;
}

/* --- lines ------------------------------------------------------------------------------------ */

/* Rows from 5 % on have a colour, as in perf. */
const char *pf_look_color(const struct pf_look *look, double percent)
{
    if (!look->color)
        return NULL;
    return percent < 0 ? "\033[34m" : percent >= 5 ? "\033[31m" : NULL;
}

int pf_look_end(const struct pf_look *look, struct pf_text_table *table)
{
    return pf_text_table_end(table, look->sink, look->terminal, look->paths, look->sink->mark);
}

int pf_look_prose(const struct pf_look *look, const struct pf_buffer *text)
{
    if (text->failed)
        return PF_NOMEM;
    return pf_prose_write(look->sink, pf_buffer_bytes(text), look->terminal, look->sink->mark);
}

void pf_look_line(const struct pf_look *look, struct pf_buffer *text)
{
    if (pf_look_prose(look, text) != PF_OK)
        text->failed = true;
    text->size = 0;
}

int pf_look_note(const struct pf_look *look, const char *format, ...)
{
    struct pf_buffer line = {0};
    va_list arguments;
    int status;

    va_start(arguments, format);
    pf_buffer_vprintf(&line, format, arguments);
    va_end(arguments);
    status = pf_look_prose(look, &line);
    pf_buffer_free(&line);
    return status;
}

int pf_look_not_shown(const struct pf_look *look, bool behind, bool small, const char *format, ...)
{
    struct pf_buffer line = {0};
    va_list arguments;
    int status;

    pf_buffer_printf(&line, "... ");
    va_start(arguments, format);
    pf_buffer_vprintf(&line, format, arguments);
    va_end(arguments);
    pf_buffer_printf(&line, " not shown;%s%s for all", behind ? " -n 0" : "",
                     small ? " --min-percent=0" : "");
    status = pf_look_prose(look, &line);
    pf_buffer_free(&line);
    return status;
}

void pf_look_bar(struct pf_buffer *line, bool utf8, double percent)
{
    static const char *const eighths[] = {"",       "\u258f", "\u258e", "\u258d",
                                          "\u258c", "\u258b", "\u258a", "\u2589"};
    double share = fabs(percent) > 100 ? 1 : fabs(percent) / 100;
    int steps = (int)lround(share * PF_LOOK_BAR * (utf8 ? 8 : 1)), full = utf8 ? steps / 8 : steps,
        used = full;

    for (int i = 0; i < full; i++)
        pf_buffer_append(line, utf8 ? "\u2588" : "#", utf8 ? 3 : 1);
    if (utf8 && steps % 8 != 0) {
        pf_buffer_append(line, eighths[steps % 8], 3);
        used++;
    }
    for (; used < PF_LOOK_BAR; used++)
        pf_buffer_byte(line, ' ');
}

const char *pf_look_count(const struct pf_look *look, size_t count, char text[PF_AMOUNT_TEXT])
{
    const struct pf_scale scale = {.parts = 1, .group = look->group};

    return pf_scale_print(&scale, (pf_int128)count, text);
}

const char *pf_look_noun(const struct pf_look *look, bool many)
{
    static const char *const nouns[][2] = {
        {"function", "functions"}, {"name", "names"},        {"file", "files"},
        {"line", "lines"},         {"address", "addresses"}, {"image", "images"},
        {"package", "packages"},   {"value", "values"},
    };

    if (look->by == PF_BY_LABEL && look->label == look->dict->section_key)
        return many ? "sections" : "section";
    return nouns[look->by][many];
}

int pf_look_headline(const struct pf_look *look, struct pf_bytes left, struct pf_bytes right,
                     struct pf_bytes brief)
{
    struct pf_buffer line = {0};
    size_t columns = look->terminal > 0 ? look->terminal : SIZE_MAX, width = pf_text_width(left);
    size_t start = width < RIGHT ? RIGHT : width;
    int status;

    if (start + 2 + pf_text_width(right) > columns) {
        right = width + 2 + pf_text_width(right) <= columns ? right : brief;
        start = columns > pf_text_width(right) + 2 ? columns - pf_text_width(right) - 2 : 0;
        start = start < width ? width : start > RIGHT ? RIGHT : start;
    }
    pf_buffer_append(&line, left.data, left.size);
    if (right.size > 0)
        pf_buffer_printf(&line, "%*s", (int)(start - width + 2), "");
    pf_buffer_append(&line, right.data, right.size);
    status = pf_look_prose(look, &line);
    pf_buffer_free(&line);
    return status;
}

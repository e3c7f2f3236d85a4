#include "render/table/text_table.h"

#include "model/utf8.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    GAP = 2,    /* blanks before the last column */
    LEAST = 16, /* most columns of a name for which other columns are left out */
    RULE = 24   /* dashes under the last column */
};

/* A row; without places, a rule. */
struct pf_text_line {
    /* place of its strings in `texts`: colour and text of each cell, then six strings for each
     * place */
    size_t start;
    size_t place_count;
};

/* Which columns are shown, and their widths. */
struct layout {
    size_t widths[PF_TEXT_COLUMNS];
    size_t used; /* columns of all but the last column, with the gap */
    size_t room; /* columns for the last column */
    bool hidden[PF_TEXT_COLUMNS];
};

void pf_text_table_begin(struct pf_text_table *table, const struct pf_text_column *columns,
                         size_t count)
{
    table->columns = columns;
    table->column_count = count;
    for (size_t i = 0; i < count; i++)
        table->widths[i] = strlen(columns[i].name);
}

/* --- rows ------------------------------------------------------------------------------------- */

static void keep(struct pf_text_table *table, struct pf_bytes text)
{
    pf_buffer_append(&table->texts, text.data, text.size);
    pf_buffer_byte(&table->texts, '\0');
}

static bool add_line(struct pf_text_table *table, size_t place_count)
{
    if (!pf_grow(&table->lines, &table->capacity, table->count + 1, sizeof *table->lines)) {
        table->failed = true;
        return false;
    }
    table->lines[table->count++] = (struct pf_text_line){table->texts.size, place_count};
    return true;
}

void pf_text_table_row(struct pf_text_table *table, const struct pf_text_cell *cells,
                       const struct pf_place *places, size_t place_count)
{
    if (!add_line(table, place_count))
        return;
    for (size_t i = 0; i + 1 < table->column_count; i++) {
        struct pf_bytes text = cells[i].text;
        size_t width = pf_text_width(text);

        table->widths[i] = width > table->widths[i] ? width : table->widths[i];
        keep(table, pf_bytes_of(cells[i].color ? cells[i].color : ""));
        keep(table, text);
    }
    for (size_t i = 0; i < place_count; i++) {
        const struct pf_bytes parts[PF_PLACE_PARTS] = {places[i].lead, places[i].name,
                                                       places[i].mark, places[i].open,
                                                       places[i].file, places[i].close};

        for (size_t k = 0; k < PF_PLACE_PARTS; k++)
            keep(table, parts[k]);
    }
}

void pf_text_table_rule(struct pf_text_table *table)
{
    add_line(table, 0);
}

static struct pf_bytes next_text(const char **at)
{
    struct pf_bytes text = pf_bytes_of(*at);

    *at += text.size + 1;
    return text;
}

/* Reads the places of a row; `at`: the end of its cells. */
static void read_places(const char *at, struct pf_place *places, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        places[i].lead = next_text(&at);
        places[i].name = next_text(&at);
        places[i].mark = next_text(&at);
        places[i].open = next_text(&at);
        places[i].file = next_text(&at);
        places[i].close = next_text(&at);
    }
}

static const char *behind_cells(const struct pf_text_table *table, const struct pf_text_line *line)
{
    const char *at = table->texts.data + line->start;

    for (size_t i = 0; i < 2 * (table->column_count - 1); i++)
        next_text(&at);
    return at;
}

/* --- layout ----------------------------------------------------------------------------------- */

/* Computes a layout without the columns whose `drop` is at most `dropped`; `tight`: the others are
 * as narrow as possible. */
static void lay_out(const struct pf_text_table *table, unsigned dropped, bool tight,
                    size_t terminal, struct layout *layout)
{
    size_t gap = 0;

    *layout = (struct layout){0};
    for (size_t i = 0; i + 1 < table->column_count; i++) {
        size_t wanted = tight ? 0 : table->columns[i].width, least = table->widths[i] + gap;

        layout->hidden[i] = table->columns[i].drop > 0 && table->columns[i].drop <= dropped;
        if (layout->hidden[i])
            continue;
        layout->widths[i] = wanted > least ? wanted : least;
        layout->used += layout->widths[i];
        gap = 1;
    }
    layout->used += GAP;
    layout->room = terminal == 0 ? SIZE_MAX : terminal > layout->used ? terminal - layout->used : 0;
}

/* How many columns the last column needs so that no name is shortened that fits into `widest`.
 * *bare: the width of the widest name. */
static size_t needed(const struct pf_text_table *table, size_t widest, size_t *bare)
{
    struct pf_place places[2];
    size_t most = 0;

    *bare = 0;
    for (size_t i = 0; i < table->count; i++) {
        size_t count = table->lines[i].place_count, need, name;

        if (count == 0)
            continue;
        read_places(behind_cells(table, &table->lines[i]), places, count);
        need = pf_place_width(places, count, PF_PLACE_BASENAME);
        name = pf_place_width(places, count, PF_PLACE_BARE);
        *bare = name > *bare ? name : *bare;
        need = need <= widest ? need : name <= widest ? name : 0;
        most = need > most ? need : most;
    }
    return most;
}

static void choose_layout(const struct pf_text_table *table, size_t terminal, struct layout *layout)
{
    size_t need, bare, least;

    lay_out(table, PF_DROP_FOR_NAMES, true, terminal, layout);
    if (terminal > 0) {
        need = needed(table, layout->room, &bare);
        least = bare < LEAST ? bare : LEAST;
        need = need < least ? least : need;
    } else {
        need = least = 0;
    }
    for (unsigned dropped = 0; dropped <= PF_DROP_MOST; dropped++)
        for (unsigned tight = 0; tight < 2; tight++) {
            lay_out(table, dropped, tight, terminal, layout);
            if (layout->room >= (dropped <= PF_DROP_FOR_NAMES ? need : least))
                return;
        }
}

bool pf_text_table_shows(const struct pf_text_table *table, size_t column, size_t terminal)
{
    struct layout layout;

    choose_layout(table, terminal, &layout);
    return !layout.hidden[column];
}

/* --- writing ---------------------------------------------------------------------------------- */

static void pad(struct pf_buffer *line, size_t columns)
{
    while (columns-- > 0 && !line->failed)
        pf_buffer_byte(line, ' ');
}

static void append_cell(struct pf_buffer *line, struct pf_bytes text, struct pf_bytes color,
                        size_t width)
{
    size_t own = pf_text_width(text);

    pad(line, width > own ? width - own : 0);
    pf_buffer_append(line, color.data, color.size);
    pf_buffer_append(line, text.data, text.size);
    if (color.size > 0)
        pf_buffer_append(line, "\033[0m", 4);
}

static void write_heading(struct pf_text_table *table, const struct layout *layout,
                          struct pf_sink *sink)
{
    struct pf_buffer *line = &table->scratch;
    struct pf_bytes last = pf_bytes_of(table->columns[table->column_count - 1].name);

    line->size = 0;
    for (size_t i = 0; i + 1 < table->column_count; i++)
        if (!layout->hidden[i])
            append_cell(line, pf_bytes_of(table->columns[i].name), PF_BYTES(""), layout->widths[i]);
    while (line->size > 0 && line->data[line->size - 1] == ' ')
        line->size--;
    if (last.size > 0 && layout->room > 0) {
        pad(line, layout->used - line->size);
        pf_buffer_append(line, last.data, pf_text_prefix(last, layout->room));
    }
    pf_buffer_byte(line, '\n');
    pf_sink_write(sink, line->data, line->size);
}

static void write_rule(struct pf_text_table *table, const struct layout *layout,
                       struct pf_sink *sink)
{
    struct pf_buffer *line = &table->scratch;
    size_t behind = layout->room < RULE + 1 ? layout->room : RULE + 1;

    line->size = 0;
    for (size_t i = 0; i < layout->used + behind; i++)
        pf_buffer_byte(line, i == layout->used ? '+' : '-');
    pf_buffer_byte(line, '\n');
    pf_sink_write(sink, line->data, line->size);
}

static void write_row(struct pf_text_table *table, const struct pf_text_line *row,
                      const struct layout *layout, struct pf_sink *sink, const char *mark)
{
    const char *at = table->texts.data + row->start;
    struct pf_buffer *line = &table->scratch;
    struct pf_place places[2];

    line->size = 0;
    for (size_t i = 0; i + 1 < table->column_count; i++) {
        struct pf_bytes color = next_text(&at), text = next_text(&at);

        if (!layout->hidden[i])
            append_cell(line, text, color, layout->widths[i]);
    }
    read_places(at, places, row->place_count);
    if (layout->room > 0) {
        pad(line, GAP);
        pf_place_append(line, places, row->place_count, layout->room, mark);
    }
    pf_buffer_byte(line, '\n');
    pf_sink_write(sink, line->data, line->size);
}

static void free_table(struct pf_text_table *table)
{
    free(table->lines);
    pf_buffer_free(&table->texts);
    pf_buffer_free(&table->scratch);
    *table = (struct pf_text_table){0};
}

int pf_text_table_end(struct pf_text_table *table, struct pf_sink *sink, size_t terminal,
                      const char *mark)
{
    bool failed = table->failed || table->texts.failed;
    struct layout layout;

    if (!failed) {
        choose_layout(table, terminal, &layout);
        write_heading(table, &layout, sink);
    }
    for (size_t i = 0; i < table->count && !failed; i++) {
        if (table->lines[i].place_count > 0)
            write_row(table, &table->lines[i], &layout, sink, mark);
        else
            write_rule(table, &layout, sink);
        failed = table->scratch.failed;
    }
    free_table(table);
    return failed ? PF_NOMEM : PF_OK;
}

#include "render/table/text_table.h"

#include "model/utf8.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    GAP = 2,    /* blanks before the last column */
    LEAST = 16, /* width for names: other columns are left out until names have these columns */
    RULE = 24   /* dashes under the last column */
};

/* A row; without places, a rule. */
struct pf_text_line {
    struct pf_text_cell *cells; /* of all columns but the last */
    struct pf_place *places;
    size_t place_count;
};

/* Which columns are shown, and their widths. */
struct layout {
    size_t widths[PF_TEXT_COLUMNS];
    size_t used;  /* width of all columns but the last, with the gap */
    size_t room;  /* width for the last column */
    size_t paths; /* width of the last column for which files lose directories */
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

/* A copy of `size` bytes that the table owns. */
static void *keep(struct pf_text_table *table, const void *bytes, size_t size)
{
    void *copy = pf_arena_copy(&table->texts, bytes, size);

    table->failed = table->failed || !copy;
    return copy;
}

static struct pf_bytes keep_text(struct pf_text_table *table, struct pf_bytes text)
{
    const char *copy = text.size > 0 ? keep(table, text.data, text.size) : NULL;

    return (struct pf_bytes){copy, copy ? text.size : 0};
}

static void add_line(struct pf_text_table *table, struct pf_text_line line)
{
    if (pf_grow(&table->lines, &table->capacity, table->count + 1, sizeof *table->lines))
        table->lines[table->count++] = line;
    else
        table->failed = true;
}

void pf_text_table_row(struct pf_text_table *table, const struct pf_text_cell *cells,
                       const struct pf_place *places, size_t place_count)
{
    size_t cell_count = table->column_count - 1;
    struct pf_text_line line = {keep(table, cells, cell_count * sizeof *cells),
                                keep(table, places, place_count * sizeof *places), place_count};

    if (table->failed)
        return;
    for (size_t i = 0; i < cell_count; i++) {
        size_t width = pf_text_width(cells[i].text);

        table->widths[i] = width > table->widths[i] ? width : table->widths[i];
        line.cells[i].text = keep_text(table, cells[i].text);
    }
    for (size_t i = 0; i < place_count; i++)
        line.places[i] = (struct pf_place){
            .lead = keep_text(table, places[i].lead),
            .name = keep_text(table, places[i].name),
            .mark = keep_text(table, places[i].mark),
            .open = keep_text(table, places[i].open),
            .file = keep_text(table, places[i].file),
            .close = keep_text(table, places[i].close),
        };
    add_line(table, line);
}

void pf_text_table_rule(struct pf_text_table *table)
{
    add_line(table, (struct pf_text_line){0});
}

/* --- layout ----------------------------------------------------------------------------------- */

/* Computes a layout without the columns whose `drop` is 1 to `dropped`. `tight`: the other columns
 * are as narrow as possible. */
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

/* Sets the tails of all files. */
static void set_tails(struct pf_text_table *table)
{
    struct pf_place **places = NULL;
    size_t count = 0, capacity = 0;

    for (size_t i = 0; i < table->count && !table->failed; i++)
        for (size_t k = 0; k < table->lines[i].place_count && !table->failed; k++) {
            struct pf_place *place = &table->lines[i].places[k];

            if (place->file.size == 0)
                continue;
            if (pf_grow(&places, &capacity, count + 1, sizeof *places))
                places[count++] = place;
            else
                table->failed = true;
        }
    if (count > 0)
        pf_place_tails(places, count);
    free(places);
    table->has_tails = true;
}

/* The width that the last column needs to show in full every name that fits `widest` columns.
 * *bare: the width of the widest name. */
static size_t needed(const struct pf_text_table *table, size_t widest, size_t *bare)
{
    size_t most = 0;

    *bare = 0;
    for (size_t i = 0; i < table->count; i++) {
        const struct pf_text_line *line = &table->lines[i];
        size_t need, name;

        if (line->place_count == 0)
            continue;
        need = pf_place_width(line->places, line->place_count, PF_PLACE_BASENAME);
        name = pf_place_width(line->places, line->place_count, PF_PLACE_BARE);
        *bare = name > *bare ? name : *bare;
        need = need <= widest ? need : name <= widest ? name : 0;
        most = need > most ? need : most;
    }
    return most;
}

static void choose_layout(struct pf_text_table *table, size_t terminal, struct layout *layout)
{
    size_t need, bare, least;

    if (!table->has_tails)
        set_tails(table);
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

bool pf_text_table_shows(struct pf_text_table *table, size_t column, size_t terminal)
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

static void append_cell(struct pf_buffer *line, struct pf_bytes text, const char *color,
                        size_t width)
{
    size_t own = pf_text_width(text);

    pad(line, width > own ? width - own : 0);
    pf_buffer_append(line, color, color ? strlen(color) : 0);
    pf_buffer_append(line, text.data, text.size);
    if (color)
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
            append_cell(line, pf_bytes_of(table->columns[i].name), NULL, layout->widths[i]);
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
    struct pf_buffer *line = &table->scratch;

    line->size = 0;
    for (size_t i = 0; i + 1 < table->column_count; i++)
        if (!layout->hidden[i])
            append_cell(line, row->cells[i].text, row->cells[i].color, layout->widths[i]);
    if (layout->room > 0) {
        pad(line, GAP);
        pf_place_append(line, row->places, row->place_count, layout->room, layout->paths, mark);
    }
    pf_buffer_byte(line, '\n');
    pf_sink_write(sink, line->data, line->size);
}

int pf_text_table_end(struct pf_text_table *table, struct pf_sink *sink, size_t terminal,
                      size_t paths, const char *mark)
{
    struct layout layout;
    bool failed;

    choose_layout(table, terminal, &layout);
    layout.paths = paths == 0 ? SIZE_MAX : paths > layout.used ? paths - layout.used : 0;
    failed = table->failed;
    if (!failed)
        write_heading(table, &layout, sink);
    for (size_t i = 0; i < table->count && !failed; i++) {
        if (table->lines[i].place_count > 0)
            write_row(table, &table->lines[i], &layout, sink, mark);
        else
            write_rule(table, &layout, sink);
        failed = table->scratch.failed;
    }
    free(table->lines);
    pf_arena_free(&table->texts);
    pf_buffer_free(&table->scratch);
    *table = (struct pf_text_table){0};
    return failed ? PF_NOMEM : PF_OK;
}

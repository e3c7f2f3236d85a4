#include "render/table/view.h"

#include "analysis/table/tree.h"
#include "model/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The tree of a block. */
struct own {
    struct pf_tree tree;
    size_t count; /* nodes shown */
};

static int make(struct pf_top_page *page)
{
    const struct pf_top *top = page->top;
    const struct pf_top_block *block = page->block;
    struct own *own = page->own;
    int status =
        pf_tree_make(&own->tree, top->accumulator, &block->subject, &page->keys, page->error);

    return status == PF_OK
               ? pf_tree_limit(&own->tree, top->limit, top->min_percent, block->whole, &own->count)
               : status;
}

static void free_own(void *state)
{
    struct own *own = state;

    pf_tree_free(&own->tree);
}

static unsigned marks_of(const struct pf_tree *tree, uint32_t node)
{
    return tree->marks ? tree->marks[node] : 0;
}

/* --- rows for machines ------------------------------------------------------------------------ */

static const struct pf_sheet_column columns[] = {
    {"id", PF_CELL_INT},        {"parent", PF_CELL_INT}, {"depth", PF_CELL_INT},
    {"function", PF_CELL_TEXT}, {"file", PF_CELL_TEXT},  {"line", PF_CELL_INT},
    {"measure", PF_CELL_TEXT},  {"unit", PF_CELL_TEXT},  {"self", PF_CELL_INT},
    {"total", PF_CELL_INT},
};

enum { COLUMNS = sizeof columns / sizeof *columns };

/* Sets the cells for name, file, line and image of a node; packages, files or images take the place
 * of functions if --by says so. */
static void node_cells(struct pf_top_page *page, uint32_t node, struct pf_cell cells[4])
{
    const struct own *own = page->own;
    uint32_t key = pf_tree_row(&own->tree, node)->key;

    memset(cells, 0, 4 * sizeof *cells);
    if (node != 0)
        pf_look_place_cells(&page->keys, key, cells, &page->scratch);
    if (node == 0)
        cells[0].text = PF_BYTES("all");
    else if (cells[0].text.size == 0)
        cells[0].text = pf_keys_name(&page->keys, key, &page->scratch, &cells[0].flags);
}

static int write_rows(struct pf_top_page *page, struct pf_sheet *sheet)
{
    const struct own *own = page->own;
    const struct pf_tree *tree = &own->tree;
    /* by node: its row, from 1 */
    uint32_t *rows = calloc(tree->count, sizeof *rows);

    for (size_t i = 0; rows && i < own->count; i++) {
        uint32_t node = tree->preorder[i];
        struct pf_cell cells[COLUMNS] = {{.integer = (pf_int128)i + 1}}, place[4];

        rows[node] = (uint32_t)i + 1;
        node_cells(page, node, place);
        cells[1].integer = node == 0 ? 0 : rows[pf_tree_row(tree, node)->parent];
        cells[2].integer = tree->depth[node];
        memcpy(&cells[3], place, 3 * sizeof *place);
        pf_top_measure_cells(page, pf_top_measure(page->block), &cells[6]);
        cells[8].integer = tree->self[node];
        cells[8].missing = marks_of(tree, node) & PF_TREE_NO_SELF;
        cells[9].integer = tree->total[node];
        cells[8].parts = cells[9].parts = page->block->subject.scale.parts;
        pf_sheet_row(sheet, cells);
    }
    free(rows);
    return rows ? PF_OK : PF_NOMEM;
}

/* --- text ------------------------------------------------------------------------------------- */

enum {
    MOST_LEVELS = 40, /* levels of indentation */
    LEAST_LEVELS = 4,
    /* columns of a terminal for numbers and a name, besides the indentation */
    BESIDE = 40
};

static const struct pf_text_column text_columns[] = {
    {"total", 10, 0}, {"total%", 8, 5}, {"self", 11, 4}, {"", PF_LOOK_BAR + 2, PF_DROP_BAR},
    {"", 0, 0},
};

enum { TOTAL, SHARE, SELF, BAR, CELLS };

/* Levels of indentation: they get half of the columns that are left for names. */
static uint32_t most_levels(const struct pf_top *top)
{
    uint32_t levels = top->look.terminal == 0       ? MOST_LEVELS
                      : top->look.terminal > BESIDE ? (top->look.terminal - BESIDE) / 4
                                                    : 0;

    return levels > MOST_LEVELS ? MOST_LEVELS : levels < LEAST_LEVELS ? LEAST_LEVELS : levels;
}

/* Sets the indentation: two blanks for each level; below the deepest shown level, the level as a
 * number. */
static void set_lead(struct pf_top_page *page, uint32_t depth, struct pf_place *place)
{
    struct pf_buffer *lead = &page->scratch;
    uint32_t most = most_levels(page->top);

    lead->size = 0;
    for (uint32_t i = 0; i < depth && i < most; i++)
        pf_buffer_append(lead, "  ", 2);
    if (depth > most)
        pf_buffer_printf(lead, "%" PRIu32 ": ", depth);
    pf_buffer_append(lead, place->lead.data, place->lead.size);
    if (!lead->failed)
        place->lead = pf_buffer_bytes(lead);
}

static void set_place(struct pf_top_page *page, uint32_t node, struct pf_place *place)
{
    const struct pf_look *look = &page->top->look;
    const struct own *own = page->own;

    *place = (struct pf_place){.name = PF_BYTES("all")};
    if (node != 0)
        pf_look_place(look, &page->keys, pf_tree_row(&own->tree, node)->key, &page->label, place);
    set_lead(page, own->tree.depth[node], place);
    if (marks_of(&own->tree, node) & PF_TREE_CUT)
        place->mark = look->utf8 ? PF_BYTES(" \u2026") : PF_BYTES(" ...");
}

static void write_node(struct pf_top_page *page, uint32_t node, struct pf_text_table *table)
{
    const struct pf_look *look = &page->top->look;
    const struct own *own = page->own;
    const struct pf_tree *tree = &own->tree;
    const struct pf_scale *scale = &page->block->subject.scale;
    char total[PF_AMOUNT_TEXT], self[PF_AMOUNT_TEXT], share[PF_PERCENT_TEXT];
    double percent = pf_percent(tree->total[node], page->block->whole);
    struct pf_text_cell cells[CELLS] = {{.color = pf_look_color(look, percent)}};
    struct pf_buffer *bar = &page->second;
    struct pf_place place;

    bar->size = 0;
    pf_look_bar(bar, look->utf8, percent);
    cells[TOTAL].text = pf_bytes_of(pf_scale_print(scale, tree->total[node], total));
    cells[SHARE].text = pf_look_percent(percent, share);
    cells[SELF].text = pf_bytes_of(pf_scale_print(scale, tree->self[node], self));
    if (marks_of(tree, node) & PF_TREE_NO_SELF)
        cells[SELF].text = PF_BYTES("?");
    if (!bar->failed)
        cells[BAR].text = pf_buffer_bytes(bar);
    set_place(page, node, &place);
    pf_text_table_row(table, cells, &place, 1);
}

static bool some_are_cut(const struct own *own)
{
    for (size_t i = 0; i < own->count; i++)
        if (marks_of(&own->tree, own->tree.preorder[i]) & PF_TREE_CUT)
            return true;
    return false;
}

/* Writes the note about nodes that are not shown, and why. */
static int write_left(const struct pf_top_page *page)
{
    const struct own *own = page->own;
    const struct pf_top *top = page->top;
    size_t left = own->tree.count - own->count;
    char number[PF_AMOUNT_TEXT];
    int status = PF_OK;

    if (left > 0)
        status = pf_look_not_shown(&top->look, top->limit > 0, top->min_percent > 0,
                                   "%s lighter call%s", pf_look_count(&top->look, left, number),
                                   left == 1 ? "" : "s");
    if (status == PF_OK && some_are_cut(own))
        status = pf_look_note(&top->look, "... behind a name: the function has other callers too, "
                                          "and what it called for this caller is not known "
                                          "(--callees=RE)");
    return status;
}

static int write_text(struct pf_top_page *page)
{
    const struct own *own = page->own;
    struct pf_text_table table = {0};
    int status;

    pf_text_table_begin(&table, text_columns, CELLS + 1);
    for (size_t i = 0; i < own->count; i++)
        write_node(page, own->tree.preorder[i], &table);
    status = pf_look_end(&page->top->look, &table);
    return status == PF_OK ? write_left(page) : status;
}

const struct pf_top_view pf_top_tree = {
    .schema = "profutils.tree/1",
    .columns = columns,
    .column_count = COLUMNS,
    .own_size = sizeof(struct own),
    .make = make,
    .write_text = write_text,
    .write_rows = write_rows,
    .free_own = free_own,
};

/* --- nested, for d3 --------------------------------------------------------------------------- */

static void close_nodes(struct pf_sink *sink, uint32_t *open, uint32_t depth)
{
    for (; *open > depth; --*open)
        pf_sink_text(sink, "]}");
}

static void write_flame(struct pf_top_page *page)
{
    const struct own *own = page->own;
    const struct pf_tree *tree = &own->tree;
    struct pf_sink *sink = page->top->look.sink;
    uint64_t parts = page->block->subject.scale.parts;
    struct pf_cell cells[4];
    uint32_t open = 0; /* number of nodes whose children are being written */

    for (size_t i = 0; i < own->count; i++) {
        uint32_t node = tree->preorder[i];
        bool first = i > 0 && tree->depth[node] > tree->depth[tree->preorder[i - 1]];
        close_nodes(sink, &open, tree->depth[node]);
        node_cells(page, node, cells);
        pf_sink_text(sink, i == 0 || first ? "{\"name\":" : ",{\"name\":");
        pf_json_string(sink, cells[0].text, cells[0].flags, &page->label);
        pf_sink_text(sink, ",\"value\":");
        pf_json_parts(sink, tree->total[node], parts);
        pf_sink_text(sink, ",\"self\":");
        pf_json_parts(sink, tree->self[node], parts);
        pf_sink_text(sink, ",\"children\":[");
        open++;
    }
    close_nodes(sink, &open, 0);
    pf_sink_text(sink, "\n");
}

int pf_top_flame(struct pf_top_page *page)
{
    int status;

    if (page->top->block_count == 0) {
        pf_sink_text(page->top->look.sink,
                     "{\"name\":\"all\",\"value\":0,\"self\":0,\"children\":[]}\n");
        return PF_OK;
    }
    status = pf_top_make(page, page->top->blocks);
    if (status == PF_OK)
        write_flame(page);
    return pf_top_drop(page, status);
}

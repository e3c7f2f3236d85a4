#include "render/table/view.h"

#include "analysis/table/tree.h"
#include "model/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The block that is being written. */
struct writing {
    const struct pf_top *top;
    const struct pf_top_block *block;
    struct pf_keys keys;
    struct pf_tree tree;
    size_t count; /* nodes shown */
    struct pf_buffer label, scratch;
    uint32_t *ids; /* by depth: id of the last row */
    size_t id_capacity;
    bool failed;
};

static int make(void *state, const struct pf_top_block *block, struct pf_error *error)
{
    struct writing *writing = state;
    const struct pf_top *top = writing->top;
    int status = pf_top_keys(top, top->look.by, top->look.label, &writing->keys, error);

    writing->block = block;
    if (status == PF_OK)
        status =
            pf_tree_make(&writing->tree, top->accumulator, &block->subject, &writing->keys, error);
    if (status == PF_OK && pf_tree_limit(&writing->tree, top->limit, top->min_percent, block->whole,
                                         &writing->count) != PF_OK)
        status = pf_error_nomem(error);
    return status;
}

static int drop(void *state, int status, struct pf_error *error)
{
    struct writing *writing = state;

    if (status == PF_OK && (writing->failed || writing->label.failed || writing->scratch.failed))
        status = pf_error_nomem(error);
    free(writing->ids);
    pf_buffer_free(&writing->label);
    pf_buffer_free(&writing->scratch);
    pf_tree_free(&writing->tree);
    pf_keys_free(&writing->keys);
    *writing = (struct writing){.top = writing->top};
    return status;
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
static void node_cells(struct writing *writing, uint32_t node, struct pf_cell cells[4])
{
    uint32_t key = pf_tree_row(&writing->tree, node)->key;

    memset(cells, 0, 4 * sizeof *cells);
    if (node != 0)
        pf_look_place_cells(&writing->keys, key, cells, &writing->scratch);
    if (node == 0)
        cells[0].text = PF_BYTES("all");
    else if (cells[0].text.size == 0)
        cells[0].text = pf_keys_name(&writing->keys, key, &writing->scratch, &cells[0].flags);
}

static void write_rows(struct writing *writing, struct pf_sheet *sheet)
{
    const struct pf_tree *tree = &writing->tree;

    for (size_t i = 0; i < writing->count; i++) {
        uint32_t node = tree->preorder[i];
        uint32_t depth = tree->depth[node];
        struct pf_cell cells[COLUMNS] = {{.integer = (pf_int128)i + 1}}, place[4];
        if (!pf_grow(&writing->ids, &writing->id_capacity, (size_t)depth + 1,
                     sizeof *writing->ids)) {
            writing->failed = true;
            return;
        }
        writing->ids[depth] = (uint32_t)i + 1;
        node_cells(writing, node, place);
        cells[1].integer = depth > 0 ? writing->ids[depth - 1] : 0;
        cells[2].integer = depth;
        memcpy(&cells[3], place, 3 * sizeof *place);
        pf_top_measure_cells(writing->top, writing->block, pf_top_measure(writing->block),
                             &cells[6]);
        cells[8].integer = tree->self[node];
        cells[8].missing = marks_of(tree, node) & PF_TREE_NO_SELF;
        cells[9].integer = tree->total[node];
        cells[8].parts = cells[9].parts = writing->block->subject.scale.parts;
        pf_sheet_row(sheet, cells);
    }
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
static void set_lead(struct writing *writing, uint32_t depth, struct pf_place *place)
{
    struct pf_buffer *lead = &writing->scratch;
    uint32_t most = most_levels(writing->top);

    lead->size = 0;
    for (uint32_t i = 0; i < depth && i < most; i++)
        pf_buffer_append(lead, "  ", 2);
    if (depth > most)
        pf_buffer_printf(lead, "%" PRIu32 ": ", depth);
    pf_buffer_append(lead, place->lead.data, place->lead.size);
    if (!lead->failed)
        place->lead = (struct pf_bytes){lead->data, lead->size};
}

static void set_place(struct writing *writing, uint32_t node, struct pf_place *place)
{
    *place = (struct pf_place){.name = PF_BYTES("all")};
    if (node != 0)
        pf_look_place(&writing->top->look, &writing->keys, pf_tree_row(&writing->tree, node)->key,
                      &writing->label, place);
    set_lead(writing, writing->tree.depth[node], place);
    if (marks_of(&writing->tree, node) & PF_TREE_CUT)
        place->mark = writing->top->look.utf8 ? PF_BYTES(" \u2026") : PF_BYTES(" ...");
}

static void write_node(struct writing *writing, uint32_t node, struct pf_text_table *table)
{
    const struct pf_tree *tree = &writing->tree;
    const struct pf_scale *scale = &writing->block->subject.scale;
    char total[PF_AMOUNT_TEXT], self[PF_AMOUNT_TEXT], share[PF_PERCENT_TEXT];
    double percent = pf_percent(tree->total[node], writing->block->whole);
    struct pf_text_cell cells[CELLS] = {{.color = pf_look_color(&writing->top->look, percent)}};
    struct pf_buffer bar = {0};
    struct pf_place place;

    pf_look_bar(&bar, writing->top->look.utf8, percent);
    cells[TOTAL].text = pf_bytes_of(pf_scale_print(scale, tree->total[node], total));
    cells[SHARE].text = pf_look_percent(percent, share);
    cells[SELF].text = pf_bytes_of(pf_scale_print(scale, tree->self[node], self));
    if (marks_of(tree, node) & PF_TREE_NO_SELF)
        cells[SELF].text = PF_BYTES("?");
    if (!bar.failed)
        cells[BAR].text = (struct pf_bytes){bar.data, bar.size};
    set_place(writing, node, &place);
    pf_text_table_row(table, cells, &place, 1);
    writing->failed = writing->failed || bar.failed;
    pf_buffer_free(&bar);
}

static bool some_are_cut(const struct writing *writing)
{
    for (size_t i = 0; i < writing->count; i++)
        if (marks_of(&writing->tree, writing->tree.preorder[i]) & PF_TREE_CUT)
            return true;
    return false;
}

/* Writes the note about nodes that are not shown, and why. */
static int write_left(struct writing *writing)
{
    const struct pf_top *top = writing->top;
    size_t left = writing->tree.count - writing->count;
    char number[PF_AMOUNT_TEXT];
    int status = PF_OK;

    if (left > 0)
        status = pf_look_note(&top->look, "... %s lighter call%s not shown;%s%s for all",
                              pf_look_count(&top->look, left, number), left == 1 ? "" : "s",
                              top->limit > 0 ? " -n 0" : "",
                              top->min_percent > 0 ? " --min-percent=0" : "");
    if (status == PF_OK && some_are_cut(writing))
        status = pf_look_note(&top->look, "... behind a name: the function has other callers too, "
                                          "and what it called for this caller is not known "
                                          "(--callees=RE)");
    return status;
}

static void write_text(struct writing *writing)
{
    struct pf_text_table table = {0};
    int status;

    pf_text_table_begin(&table, text_columns, CELLS + 1);
    for (size_t i = 0; i < writing->count; i++)
        write_node(writing, writing->tree.preorder[i], &table);
    status = pf_look_end(&writing->top->look, &table);
    if (status == PF_OK)
        status = write_left(writing);
    writing->failed = writing->failed || status != PF_OK;
}

static void write_block(void *state, struct pf_sheet *sheet)
{
    struct writing *writing = state;

    if (writing->top->form == PF_SHEET_TEXT)
        write_text(writing);
    else
        write_rows(writing, sheet);
}

int pf_top_tree(const struct pf_top *top, struct pf_error *error)
{
    static const struct pf_top_view view = {
        .schema = "profutils.tree/1",
        .columns = columns,
        .column_count = COLUMNS,
        .make = make,
        .write = write_block,
        .drop = drop,
    };
    struct writing writing = {.top = top};

    return pf_top_show(top, &view, &writing, error);
}

/* --- nested, for d3 --------------------------------------------------------------------------- */

static void close_nodes(struct pf_sink *sink, uint32_t *open, uint32_t depth)
{
    for (; *open > depth; --*open)
        pf_sink_text(sink, "]}");
}

static void write_flame(struct writing *writing)
{
    const struct pf_tree *tree = &writing->tree;
    struct pf_sink *sink = writing->top->look.sink;
    uint64_t parts = writing->block->subject.scale.parts;
    struct pf_cell cells[4];
    uint32_t open = 0; /* number of nodes whose children are being written */

    for (size_t i = 0; i < writing->count; i++) {
        uint32_t node = tree->preorder[i];
        bool first = i > 0 && tree->depth[node] > tree->depth[tree->preorder[i - 1]];
        close_nodes(sink, &open, tree->depth[node]);
        node_cells(writing, node, cells);
        pf_sink_text(sink, i == 0 || first ? "{\"name\":" : ",{\"name\":");
        pf_json_string(sink, cells[0].text, cells[0].flags, &writing->label);
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

int pf_top_flame(const struct pf_top *top, struct pf_error *error)
{
    struct writing writing = {.top = top};
    int status;

    if (top->block_count == 0) {
        pf_sink_text(top->look.sink, "{\"name\":\"all\",\"value\":0,\"self\":0,\"children\":[]}\n");
        return PF_OK;
    }
    status = make(&writing, top->blocks, error);
    if (status == PF_OK)
        write_flame(&writing);
    return drop(&writing, status, error);
}

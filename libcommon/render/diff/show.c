#include "render/diff/parts.h"

#include "model/json.h"
#include "model/utf8.h"
#include "render/table/meta.h"

#include <string.h>

/* The columns of every table. */
static const struct pf_sheet_column place_columns[] = {
    {"row", PF_CELL_TEXT},  {"function", PF_CELL_TEXT}, {"file", PF_CELL_TEXT},
    {"line", PF_CELL_INT},  {"image", PF_CELL_TEXT},    {"measure", PF_CELL_TEXT},
    {"unit", PF_CELL_TEXT},
};

enum { ROW, PLACE_COLUMNS = sizeof place_columns / sizeof *place_columns };

/* Tables without a total lack the column ROW. */
static size_t first_column(const struct pf_diff_layout *layout)
{
    return layout->has_total ? ROW : ROW + 1;
}

struct showing {
    const struct pf_diff_view *view;
    const struct pf_diff_layout *layout;
    void *state;
    struct pf_buffer scratch, second;
};

size_t pf_diff_shown(const struct pf_diff_view *view, size_t count)
{
    return view->limit > 0 && view->limit < count ? view->limit : count;
}

/* --- for machines ----------------------------------------------------------------------------- */

/* Unit of the amounts. */
static struct pf_bytes unit_of(const struct pf_diff_view *view, const struct pf_diff_block *block)
{
    return view->diff->normalize ? PF_BYTES("ppb") : block->scale.name;
}

static void write_row(struct showing *showing, struct pf_sheet *sheet, size_t block, size_t row)
{
    const struct pf_look *look = &showing->view->look;
    const struct pf_diff *diff = showing->view->diff;
    struct pf_cell cells[PLACE_COLUMNS + PF_DIFF_COLUMNS + 1] = {{.integer = 0}};
    uint32_t key = showing->layout->fill(showing->state, block, row, cells + PLACE_COLUMNS);
    char address[PF_ADDRESS_TEXT];

    cells[ROW].text = pf_bytes_of(key > 0 ? pf_look_noun(look, false) : "total");
    if (key > 0)
        pf_look_place_cells(&diff->keys, key, cells + 1, &showing->scratch);
    cells[5] = pf_look_cell(diff->dict, diff->blocks[block].name);
    cells[6] =
        (struct pf_cell){.text = unit_of(showing->view, &diff->blocks[block]), .flags = PF_UTF8};
    if (pf_look_added_column(look) && key > 0)
        cells[PLACE_COLUMNS + showing->layout->column_count] =
            pf_look_added_cell(look, &diff->keys, key, &showing->second, address);
    pf_sheet_row(sheet, cells + first_column(showing->layout));
}

static void write_measures(const void *arg, struct pf_sink *sink)
{
    const struct showing *showing = arg;
    const struct pf_diff *diff = showing->view->diff;
    struct pf_buffer scratch = {0};
    bool any = false;

    pf_sink_text(sink, "[");
    for (size_t i = 0; i < diff->block_count; i++) {
        const struct pf_diff_block *block = &diff->blocks[i];

        if (block->measure.kind == PF_RECORD_KINDS)
            continue;
        pf_sink_text(sink, any ? ",{\"name\":" : "{\"name\":");
        pf_json_name(sink, diff->dict, block->name, &scratch);
        pf_sink_text(sink, ",\"unit\":");
        pf_json_string(sink, unit_of(showing->view, block), PF_UTF8, &scratch);
        pf_sink_printf(sink, ",\"kind\":\"%s\"", pf_kind_name(block->measure.kind));
        showing->layout->write_members(showing->state, sink, i);
        pf_sink_text(sink, "}");
        any = true;
    }
    pf_sink_text(sink, "]");
    pf_buffer_free(&scratch);
}

/* The head of a JSON document. */
static struct pf_sheet_head head_of(const struct showing *showing)
{
    const struct pf_diff_view *view = showing->view;

    return (struct pf_sheet_head){
        .schema = showing->layout->schema,
        .meta = pf_meta_json(view->diff->dict, &view->diff->facts, view->tool, view->operands,
                             !view->incomplete),
        .measures = write_measures,
        .arg = showing,
    };
}

static int write_sheet(struct showing *showing)
{
    const struct pf_diff_view *view = showing->view;
    const struct pf_diff_layout *layout = showing->layout;
    struct pf_sheet sheet = {0};
    struct pf_sheet_column all[PLACE_COLUMNS + PF_DIFF_COLUMNS + 1];
    size_t count = PLACE_COLUMNS + layout->column_count;
    size_t first = first_column(layout);
    const char *added = pf_look_added_column(&view->look);

    memcpy(all, place_columns, sizeof place_columns);
    memcpy(all + PLACE_COLUMNS, layout->columns, layout->column_count * sizeof *all);
    all[count] = (struct pf_sheet_column){added, PF_CELL_TEXT};
    pf_sheet_begin(&sheet, view->look.sink, view->form, all + first,
                   count + (added != NULL) - first,
                   view->form == PF_SHEET_JSON ? head_of(showing) : (struct pf_sheet_head){0});
    for (size_t i = 0; i < view->diff->block_count; i++) {
        size_t shown = layout->rows(showing->state, i);
        for (size_t k = 0; k < shown; k++)
            write_row(showing, &sheet, i, k);
    }
    return pf_sheet_end(&sheet);
}

/* --- all -------------------------------------------------------------------------------------- */

static int write_text(const struct showing *showing)
{
    const struct pf_diff_view *view = showing->view;
    int status = PF_OK;
    bool any = false;

    for (size_t i = 0; i < view->diff->block_count && status == PF_OK; i++) {
        if (view->diff->blocks[i].measure.kind == PF_RECORD_KINDS)
            continue;
        pf_sink_text(view->look.sink, any ? "\n" : "");
        any = true;
        status = showing->layout->write_text(showing->state, i);
    }
    return status;
}

int pf_diff_show(const struct pf_diff_view *view, const struct pf_diff_layout *layout, void *state)
{
    struct showing showing = {.view = view, .layout = layout, .state = state};
    int status = view->form == PF_SHEET_TEXT ? write_text(&showing) : write_sheet(&showing);

    if (showing.scratch.failed || showing.second.failed)
        status = PF_NOMEM;
    pf_buffer_free(&showing.scratch);
    pf_buffer_free(&showing.second);
    return status;
}

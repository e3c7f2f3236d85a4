#include "render/diff/parts.h"

#include "model/json.h"
#include "model/utf8.h"
#include "render/table/meta.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pf_bytes pf_diff_unit(const struct pf_diff_view *view, const struct pf_diff_block *block)
{
    return view->diff->normalize ? PF_BYTES("ppb") : block->scale.name;
}

void pf_diff_place_cells(const struct pf_diff_view *view, const struct pf_diff_block *block,
                         uint32_t key, struct pf_cell *cells, struct pf_buffer *scratch)
{
    pf_look_place_cells(&view->diff->keys, key, cells, scratch);
    cells[4] = pf_look_cell(view->diff->dict, block->name);
    cells[5] = (struct pf_cell){.text = pf_diff_unit(view, block), .flags = PF_UTF8};
}

const char *pf_diff_added_column(const struct pf_diff_view *view)
{
    const struct pf_diff *diff = view->diff;

    if (diff->by == PF_BY_LABEL)
        return diff->label == diff->dict->section_key ? "section" : "label";
    return diff->by == PF_BY_ADDRESS ? "address" : diff->by == PF_BY_PACKAGE ? "package" : NULL;
}

struct pf_cell pf_diff_added_cell(const struct pf_diff_view *view, uint32_t key,
                                  struct pf_buffer *scratch, char address[32])
{
    const struct pf_keys *keys = &view->diff->keys;
    struct pf_cell cell = {0};

    if (view->diff->by != PF_BY_ADDRESS) {
        cell.text = pf_keys_name(keys, key, scratch, &cell.flags);
        return cell;
    }
    snprintf(address, 32, "0x%" PRIx64, pf_keys_row(keys, key)->address);
    cell.text = pf_bytes_of(pf_keys_has_address(keys, key) ? address : "");
    return cell;
}

struct pf_sheet_head pf_diff_document(const struct pf_diff_view *view, const char *schema,
                                      void (*measures)(const void *arg, struct pf_sink *),
                                      const void *arg)
{
    return (struct pf_sheet_head){
        .schema = schema,
        .meta = pf_meta_json(view->diff->dict, &view->diff->facts, view->tool, view->operands,
                             !view->incomplete),
        .measures = measures,
        .arg = arg,
    };
}

/* --- rows for machines ------------------------------------------------------------------------ */

static const struct pf_sheet_column columns[] = {
    {"function", PF_CELL_TEXT},   {"file", PF_CELL_TEXT},      {"line", PF_CELL_INT},
    {"image", PF_CELL_TEXT},      {"measure", PF_CELL_TEXT},   {"unit", PF_CELL_TEXT},
    {"flat_before", PF_CELL_INT}, {"flat_after", PF_CELL_INT}, {"flat_delta", PF_CELL_INT},
    {"cum_before", PF_CELL_INT},  {"cum_after", PF_CELL_INT},  {"cum_delta", PF_CELL_INT},
    {"ratio", PF_CELL_NUMBER},    {"points", PF_CELL_NUMBER},  {"runs_before", PF_CELL_INT},
    {"runs_after", PF_CELL_INT},  {"ci_low", PF_CELL_NUMBER},  {"ci_high", PF_CELL_NUMBER},
    {"p", PF_CELL_NUMBER},        {"q", PF_CELL_NUMBER},       {"verdict", PF_CELL_TEXT},
    {"status", PF_CELL_TEXT},
};

enum { COLUMNS = sizeof columns / sizeof *columns };

struct writing {
    const struct pf_diff_view *view;
    struct pf_diff_table *tables; /* by block */
    struct pf_buffer scratch, second;
};

static void number_cells(const struct pf_diff_table *table, const struct pf_diff_means *means,
                         struct pf_cell cells[3])
{
    const struct pf_diff_means shown = pf_diff_shown_means(table, means);

    cells[0] = (struct pf_cell){.integer = shown.before, .parts = table->shown_parts};
    cells[1] = (struct pf_cell){.integer = shown.after, .parts = table->shown_parts};
    cells[2] = (struct pf_cell){.integer = shown.delta, .parts = table->shown_parts};
}

static void write_row(struct writing *writing, struct pf_sheet *sheet, size_t block,
                      const struct pf_diff_row *row)
{
    const struct pf_diff_view *view = writing->view;
    struct pf_cell cells[COLUMNS + 1] = {{.integer = 0}};
    const struct pf_diff_table *table = &writing->tables[block];
    double parts = view->diff->normalize ? 1 : (double)view->diff->blocks[block].scale.parts;
    bool tested = row->test.tested;
    char address[32];

    pf_diff_place_cells(view, &view->diff->blocks[block], row->key, cells, &writing->scratch);
    number_cells(table, &row->flat, &cells[6]);
    number_cells(table, &row->cum, &cells[9]);
    cells[12] =
        (struct pf_cell){.real = row->ratio, .missing = pf_diff_compared(table, row)->before == 0};
    cells[13] = (struct pf_cell){.real = row->points};
    cells[14].integer = (pf_int128)pf_diff_runs(view->diff, 0);
    cells[15].integer = (pf_int128)pf_diff_runs(view->diff, 1);
    cells[16] = (struct pf_cell){.real = row->test.low / parts, .missing = !tested};
    cells[17] = (struct pf_cell){.real = row->test.high / parts, .missing = !tested};
    cells[18] = (struct pf_cell){.real = row->test.p, .missing = !tested};
    cells[19] = (struct pf_cell){.real = row->q, .missing = !tested};
    cells[20].text = (struct pf_bytes){&row->verdict, 1};
    cells[21].text = pf_bytes_of(pf_diff_status_name(row->status));
    if (pf_diff_added_column(view))
        cells[COLUMNS] = pf_diff_added_cell(view, row->key, &writing->second, address);
    pf_sheet_row(sheet, cells);
}

static void write_measure(const struct writing *writing, struct pf_sink *sink, size_t block,
                          struct pf_buffer *scratch)
{
    static const char *const methods[] = {"none", "exact", "welch", "binomial", "none"};
    const struct pf_diff_table *table = &writing->tables[block];
    const struct pf_diff *diff = writing->view->diff;
    const struct pf_measure *measure = &diff->blocks[block].measure;
    const struct pf_diff_means total = pf_diff_shown_means(table, &table->total);

    pf_sink_text(sink, "{\"name\":");
    pf_json_name(sink, diff->dict, diff->blocks[block].name, scratch);
    pf_sink_text(sink, ",\"unit\":");
    pf_json_string(sink, pf_diff_unit(writing->view, &diff->blocks[block]), PF_UTF8, scratch);
    pf_sink_printf(sink, ",\"kind\":\"%s\",\"total_before\":", pf_kind_name(measure->kind));
    pf_json_parts(sink, total.before, table->shown_parts);
    pf_sink_text(sink, ",\"total_after\":");
    pf_json_parts(sink, total.after, table->shown_parts);
    pf_sink_text(sink, ",\"total_delta\":");
    pf_json_parts(sink, total.delta, table->shown_parts);
    pf_sink_printf(sink, ",\"test\":\"%s\",\"compared\":\"%s\",\"tests\":%zu,\"min_delta\":",
                   methods[table->method], table->cum ? "cum" : "flat", table->tests);
    pf_json_parts(sink, table->margin, table->shown_parts);
    pf_sink_text(sink, "}");
}

static void write_measures(const void *arg, struct pf_sink *sink)
{
    const struct writing *writing = arg;
    struct pf_buffer scratch = {0};
    bool any = false;

    pf_sink_text(sink, "[");
    for (size_t i = 0; i < writing->view->diff->block_count; i++) {
        if (writing->view->diff->blocks[i].measure.kind == PF_RECORD_KINDS)
            continue;
        pf_sink_text(sink, any ? "," : "");
        write_measure(writing, sink, i, &scratch);
        any = true;
    }
    pf_sink_text(sink, "]");
    pf_buffer_free(&scratch);
}

static int write_sheet(struct writing *writing)
{
    const struct pf_diff_view *view = writing->view;
    struct pf_sheet sheet = {0};
    struct pf_sheet_column all[COLUMNS + 1];
    const char *added = pf_diff_added_column(view);

    for (size_t i = 0; i < COLUMNS; i++)
        all[i] = columns[i];
    all[COLUMNS] = (struct pf_sheet_column){added, PF_CELL_TEXT};
    pf_sheet_begin(&sheet, view->look.sink, view->form, all, COLUMNS + (added != NULL),
                   view->form == PF_SHEET_JSON
                       ? pf_diff_document(view, "profutils.diff/1", write_measures, writing)
                       : (struct pf_sheet_head){0});
    for (size_t i = 0; i < view->diff->block_count; i++) {
        size_t shown = pf_diff_shown(view, writing->tables[i].count);
        for (size_t k = 0; k < shown; k++)
            write_row(writing, &sheet, i, &writing->tables[i].rows[k]);
    }
    return pf_sheet_end(&sheet);
}

static int write_text(struct writing *writing, const size_t *rows)
{
    const struct pf_diff_view *view = writing->view;
    int status = PF_OK;
    bool any = false;

    for (size_t i = 0; i < view->diff->block_count && status == PF_OK; i++) {
        if (view->diff->blocks[i].measure.kind == PF_RECORD_KINDS)
            continue;
        pf_sink_text(view->look.sink, any ? "\n" : "");
        any = true;
        status = pf_diff_text(view, &view->diff->blocks[i], &writing->tables[i], rows[i]);
    }
    return status;
}

/* --- all -------------------------------------------------------------------------------------- */

static int make_table(const struct pf_diff_view *view, const struct pf_diff_block *block,
                      struct pf_diff_table *table, size_t *rows, bool *rose, struct pf_error *error)
{
    int status;

    if (block->measure.kind == PF_RECORD_KINDS)
        return PF_OK;
    status = pf_diff_table_make(table, view->diff, block, &view->margin, error);
    *rows = table->count;
    if (status == PF_OK && view->gate)
        status = pf_diff_table_gate(table, view->diff, block, view->gate, error);
    *rose = *rose || (view->gate != NULL && table->count > 0);
    pf_diff_table_only(table, view->only);
    if (view->drop_negative)
        pf_diff_table_drop_negative(table);
    if (view->min_percent > 0)
        pf_diff_table_least(table, view->min_percent);
    if (status == PF_OK && pf_diff_table_sort(table, &view->diff->keys, view->sort) != PF_OK)
        status = pf_error_nomem(error);
    return status;
}

int pf_diff_write(const struct pf_diff_view *view, bool *rose, struct pf_error *error)
{
    size_t count = view->diff->block_count;
    struct writing writing = {.view = view, .tables = calloc(count + 1, sizeof *writing.tables)};
    size_t *rows = calloc(count + 1, sizeof *rows);
    int status = !writing.tables || !rows ? pf_error_nomem(error) : PF_OK;

    *rose = false;
    for (size_t i = 0; i < count && status == PF_OK; i++)
        status =
            make_table(view, &view->diff->blocks[i], &writing.tables[i], &rows[i], rose, error);
    if (status == PF_OK && ((view->form == PF_SHEET_TEXT ? write_text(&writing, rows)
                                                         : write_sheet(&writing)) != PF_OK ||
                            writing.scratch.failed || writing.second.failed))
        status = pf_error_nomem(error);
    for (size_t i = 0; i < count && writing.tables; i++)
        pf_diff_table_free(&writing.tables[i]);
    free(writing.tables);
    free(rows);
    pf_buffer_free(&writing.scratch);
    pf_buffer_free(&writing.second);
    return status;
}

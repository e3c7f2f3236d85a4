#include "render/diff/parts.h"

#include "analysis/sum/rank.h"
#include "analysis/sum/sort.h"
#include "model/json.h"
#include "model/utf8.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct row {
    uint32_t key;
    struct pf_summary summary;
};

struct table {
    struct row *rows;
    size_t count, runs;
    int64_t *amounts; /* of one row, by run */
    pf_int128 total;  /* of all records of all runs */
    size_t small;     /* rows left out because they are below --min-percent */
};

struct writing {
    const struct pf_diff_view *view;
    struct table *tables; /* by block */
    struct pf_buffer scratch;
};

/* --- rows ------------------------------------------------------------------------------------- */

static bool summarize(const struct pf_diff *diff, const struct pf_diff_block *block,
                      struct table *table, uint32_t key)
{
    struct row *row = &table->rows[table->count];
    bool any = false;

    table->runs = 0;
    for (size_t k = 0; k < diff->run_count; k++) {
        const struct pf_diff_amounts *run = &block->runs[k];
        const int64_t *column = diff->cum ? run->cum : run->flat;
        int64_t amount = key < run->count ? column[key] : 0;
        if (diff->runs[k].left_out)
            continue;
        any = any || amount != 0;
        table->amounts[table->runs++] = diff->normalize ? pf_diff_share(amount, run->total)
                                                        : amount;
    }
    if (!any)
        return false;
    row->key = key;
    pf_summary_of(&row->summary, table->amounts, table->runs);
    return true;
}

static void leave_small(struct table *table, double percent)
{
    size_t kept = 0;

    for (size_t i = 0; i < table->count; i++)
        if (fabs(pf_percent(table->rows[i].summary.sum, table->total)) >= percent)
            table->rows[kept++] = table->rows[i];
    table->small = table->count - kept;
    table->count = kept;
}

struct order {
    const struct pf_keys *keys;
    bool by_name;
};

/* Rows that vary most come first. */
static int compare_rows(const void *arg, const void *x, const void *y)
{
    const struct order *order = arg;
    const struct row *a = x, *b = y;
    double left = fabs(a->summary.normalised), right = fabs(b->summary.normalised);

    if (!order->by_name && left != right)
        return left > right ? -1 : 1;
    return pf_keys_compare(order->keys, a->key, b->key);
}

static int make_table(const struct pf_diff_view *view, const struct pf_diff_block *block,
                      struct table *table, struct pf_error *error)
{
    const struct pf_diff *diff = view->diff;
    const struct order order = {&diff->keys, view->by_name};
    uint32_t keys = diff->keys.table.count;

    if (block->measure.kind == PF_RECORD_KINDS)
        return PF_OK;
    table->rows = calloc(keys, sizeof *table->rows);
    table->amounts = calloc(diff->run_count + 1, sizeof *table->amounts);
    if (!table->rows || !table->amounts)
        return pf_error_nomem(error);
    for (size_t k = 0; k < diff->run_count; k++)
        if (!diff->runs[k].left_out)
            table->total += diff->normalize ? (block->runs[k].total != 0 ? PF_DIFF_WHOLE : 0)
                                            : block->runs[k].total;
    for (uint32_t key = 1; key < keys; key++)
        table->count += summarize(diff, block, table, key);
    leave_small(table, view->terms.least);
    return pf_sort(table->rows, table->count, sizeof *table->rows, compare_rows, &order) == PF_OK
               ? PF_OK
               : pf_error_nomem(error);
}

/* How many parts of an amount are one unit. */
static uint64_t parts_of(const struct pf_diff_view *view, const struct pf_diff_block *block)
{
    return view->diff->normalize ? 1 : block->scale.parts;
}

/* --- for machines ----------------------------------------------------------------------------- */

static const struct pf_sheet_column columns[] = {
    {"sum", PF_CELL_INT},     {"sum_pct", PF_CELL_NUMBER}, {"n", PF_CELL_INT},
    {"mean", PF_CELL_NUMBER}, {"sd", PF_CELL_NUMBER},      {"min", PF_CELL_INT},
    {"max", PF_CELL_INT},     {"range", PF_CELL_INT},      {"range_pct", PF_CELL_NUMBER},
};

enum { COLUMNS = sizeof columns / sizeof *columns };
static_assert((size_t)COLUMNS <= PF_DIFF_COLUMNS, "room for the columns");

static size_t rows(const void *state, size_t block)
{
    const struct writing *writing = state;

    return pf_diff_shown(writing->view, writing->tables[block].count);
}

static uint32_t fill(void *state, size_t block, size_t at, struct pf_cell *cells)
{
    const struct writing *writing = state;
    const struct table *table = &writing->tables[block];
    const struct pf_summary *summary = &table->rows[at].summary;
    uint64_t parts = parts_of(writing->view, &writing->view->diff->blocks[block]);

    cells[0].integer = summary->sum;
    cells[1].real = pf_percent(summary->sum, table->total);
    cells[2].integer = (pf_int128)summary->count;
    cells[3].real = summary->mean / (double)parts;
    cells[4] = (struct pf_cell){.real = summary->sd / (double)parts, .missing = summary->count < 2};
    cells[5].integer = summary->least;
    cells[6].integer = summary->greatest;
    cells[7].integer = summary->range;
    cells[0].parts = cells[5].parts = cells[6].parts = cells[7].parts = parts;
    cells[8] = (struct pf_cell){.real = summary->normalised, .missing = summary->sum == 0};
    return table->rows[at].key;
}

static void write_members(const void *state, struct pf_sink *sink, size_t block)
{
    const struct writing *writing = state;
    const struct pf_diff *diff = writing->view->diff;

    pf_sink_text(sink, ",\"total\":");
    pf_json_parts(sink, writing->tables[block].total,
                  parts_of(writing->view, &diff->blocks[block]));
    pf_sink_printf(sink, ",\"compared\":\"%s\"", diff->cum ? "cum" : "flat");
}

/* --- for people ------------------------------------------------------------------------------- */

enum { RANGE_SHARE, SUM, SUM_SHARE, COUNT, MEAN, SD, LEAST, GREATEST, NAME, TEXT_COLUMNS };

static const struct pf_text_column text_columns[TEXT_COLUMNS] = {
    {"range%", 8, 0},      {"sum", 11, 6},  {"sum%", 7, PF_DROP_POINTS},
    {"n", 5, PF_DROP_BAR}, {"mean", 11, 0}, {"sd", 11, 9},
    {"min", 11, 7},        {"max", 11, 8},  {"", 0, 0},
};

static int write_head(struct writing *writing, size_t block)
{
    const struct pf_diff_view *view = writing->view;
    const struct pf_diff_block *about = &view->diff->blocks[block];
    const struct pf_dict *dict = view->diff->dict;
    struct pf_buffer line = {0};
    struct pf_bytes name = pf_text_line(pf_dict_string(dict, about->column),
                                        dict->strings.rows[about->column].flags, &writing->scratch);
    char text[PF_AMOUNT_TEXT];
    int status;

    pf_buffer_append(&line, name.data, name.size);
    pf_diff_print(view, about, writing->tables[block].total, parts_of(view, about), false, text);
    pf_buffer_printf(&line, ": %s in %zu run%s", text, writing->tables[block].runs,
                     writing->tables[block].runs == 1 ? "" : "s");
    status = pf_diff_headline(view, &line);
    pf_buffer_free(&line);
    return status == PF_OK
               ? pf_look_note(&view->look,
                              "sum%%: of the total of all runs; range%%: max - min, of the sum")
               : status;
}

/* Prints a mean or a deviation. Counts have two decimals, because most counts are small. */
static const char *print_real(const struct pf_diff_view *view, const struct pf_diff_block *block,
                              double amount, char text[PF_AMOUNT_TEXT])
{
    uint64_t parts = parts_of(view, block);
    double value = amount / (double)parts;

    if (view->diff->normalize || block->scale.time || block->scale.bytes || fabs(value) >= 1e6)
        return pf_diff_print(view, block, (pf_int128)nearbyint(amount), parts, false, text);
    snprintf(text, PF_AMOUNT_TEXT, fabs(value) >= 0.1 || parts == 1 ? "%.2f" : "%.2g", value);
    if (view->look.group)
        pf_group_digits(text);
    return text;
}

static void write_text_row(struct writing *writing, struct pf_text_table *table, size_t block,
                           const struct row *row)
{
    const struct pf_diff_view *view = writing->view;
    const struct pf_diff_block *about = &view->diff->blocks[block];
    const struct pf_summary *summary = &row->summary;
    uint64_t parts = parts_of(view, about);
    char texts[5][PF_AMOUNT_TEXT], percents[2][PF_PERCENT_TEXT], count[PF_AMOUNT_TEXT];
    struct pf_text_cell cells[TEXT_COLUMNS] = {{.color = NULL}};
    struct pf_place place;

    cells[RANGE_SHARE].text = pf_look_percent(summary->normalised, percents[0]);
    cells[SUM].text = pf_bytes_of(pf_diff_print(view, about, summary->sum, parts, false, texts[0]));
    cells[SUM_SHARE].text =
        pf_look_percent(pf_percent(summary->sum, writing->tables[block].total), percents[1]);
    cells[COUNT].text = pf_bytes_of(pf_look_count(&view->look, summary->count, count));
    cells[MEAN].text = pf_bytes_of(print_real(view, about, summary->mean, texts[1]));
    cells[SD].text = pf_bytes_of(print_real(view, about, summary->sd, texts[2]));
    if (summary->count < 2)
        cells[SD].text = PF_BYTES("-");
    cells[LEAST].text =
        pf_bytes_of(pf_diff_print(view, about, summary->least, parts, false, texts[3]));
    cells[GREATEST].text =
        pf_bytes_of(pf_diff_print(view, about, summary->greatest, parts, false, texts[4]));
    pf_look_place(&view->look, &view->diff->keys, row->key, &writing->scratch, &place);
    pf_text_table_row(table, cells, &place, 1);
}

static int write_text(void *state, size_t block)
{
    struct writing *writing = state;
    const struct pf_diff_view *view = writing->view;
    const struct table *rows = &writing->tables[block];
    struct pf_text_table table = {0};
    size_t shown = pf_diff_shown(view, rows->count), behind = rows->count - shown;
    char number[PF_AMOUNT_TEXT];
    int status = write_head(writing, block);

    pf_text_table_begin(&table, text_columns, TEXT_COLUMNS);
    for (size_t k = 0; k < shown; k++)
        write_text_row(writing, &table, block, &rows->rows[k]);
    if (pf_look_end(&view->look, &table) != PF_OK)
        status = PF_NOMEM;
    if (status == PF_OK && behind + rows->small > 0)
        status = pf_look_note(&view->look, "... %s %s not shown;%s%s for all",
                              pf_look_count(&view->look, behind + rows->small, number),
                              pf_look_noun(&view->look, behind + rows->small != 1),
                              behind > 0 ? " -n 0" : "", rows->small > 0 ? " --min-percent=0" : "");
    return status == PF_OK && writing->scratch.failed ? PF_NOMEM : status;
}

int pf_diff_stats(const struct pf_diff_view *view, struct pf_error *error)
{
    static const struct pf_diff_layout layout = {
        .schema = "profutils.stats/1",
        .columns = columns,
        .column_count = COLUMNS,
        .rows = rows,
        .fill = fill,
        .write_members = write_members,
        .write_text = write_text,
    };
    size_t count = view->diff->block_count;
    struct writing writing = {.view = view, .tables = calloc(count + 1, sizeof *writing.tables)};
    int status = !writing.tables ? pf_error_nomem(error) : PF_OK;

    for (size_t i = 0; i < count && status == PF_OK; i++)
        status = make_table(view, &view->diff->blocks[i], &writing.tables[i], error);
    if (status == PF_OK && pf_diff_show(view, &layout, &writing) != PF_OK)
        status = pf_error_nomem(error);
    for (size_t i = 0; i < count && writing.tables; i++) {
        free(writing.tables[i].rows);
        free(writing.tables[i].amounts);
    }
    free(writing.tables);
    pf_buffer_free(&writing.scratch);
    return status;
}

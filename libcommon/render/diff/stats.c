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

enum { NO_RUN = -1, RUN_WIDTH = 24 };

struct row {
    uint32_t key;
    struct pf_summary summary;
    struct pf_middle middle;
    /* the first run with the greatest amount, an index of table->runs; NO_RUN: all have the same */
    ptrdiff_t greatest;
};

/* A block. */
struct table {
    const struct pf_diff_view *view;
    const struct pf_diff_block *block;
    uint64_t parts; /* an amount of `parts` is one unit */
    struct row *rows;
    size_t count;
    size_t *runs; /* the runs that have the measure, by their numbers in `diff` */
    size_t run_count;
    int64_t *amounts; /* of one row, by run of `runs` */
    pf_int128 total;  /* of all records of all runs */
    size_t small;     /* rows left out because they are below --min-percent */
    /* for people: the line being made, whose `failed` stays after a failure; other texts */
    struct pf_buffer line, scratch;
};

struct writing {
    const struct pf_diff_view *view;
    struct table *tables; /* by block */
};

/* --- rows ------------------------------------------------------------------------------------- */

/* Makes the row of a key. False: no run has an amount of the key. */
static bool summarize(struct table *table, uint32_t key)
{
    const struct pf_diff *diff = table->view->diff;
    struct row *row = &table->rows[table->count];
    bool any = false;

    *row = (struct row){.key = key};
    for (size_t k = 0; k < table->run_count; k++) {
        const struct pf_diff_amounts *run = &table->block->runs[table->runs[k]];
        int64_t amount = (int64_t)pf_diff_amount(diff, run, key);

        any = any || amount != 0;
        table->amounts[k] = diff->normalize ? pf_diff_share(amount, run->total) : amount;
        if (table->amounts[k] > table->amounts[row->greatest])
            row->greatest = (ptrdiff_t)k;
    }
    if (!any)
        return false;
    pf_summary_of(&row->summary, table->amounts, table->run_count);
    pf_middle_of(&row->middle, table->amounts, table->run_count);
    if (row->summary.range == 0)
        row->greatest = NO_RUN;
    return true;
}

static void drop_small(struct table *table, double percent)
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

static int make_table(struct table *table, const struct pf_diff_view *view,
                      const struct pf_diff_block *block, struct pf_error *error)
{
    const struct pf_diff *diff = view->diff;
    const struct order order = {&diff->keys, view->by_name};
    uint32_t keys = diff->keys.table.count;

    table->view = view;
    table->block = block;
    table->parts = diff->normalize ? 1 : block->scale.parts;
    if (block->measure.kind == PF_RECORD_KINDS)
        return PF_OK;
    table->rows = calloc(keys, sizeof *table->rows);
    table->runs = calloc(diff->run_count + 1, sizeof *table->runs);
    table->amounts = calloc(diff->run_count + 1, sizeof *table->amounts);
    if (!table->rows || !table->runs || !table->amounts)
        return pf_error_nomem(error);
    for (size_t k = 0; k < diff->run_count; k++)
        if (block->runs[k].met)
            table->runs[table->run_count++] = k;
    for (size_t k = 0; k < diff->run_count; k++)
        table->total += diff->normalize ? (block->runs[k].total != 0 ? PF_DIFF_WHOLE : 0)
                                        : block->runs[k].total;
    for (uint32_t key = 1; key < keys; key++)
        table->count += summarize(table, key);
    drop_small(table, view->terms.least);
    return pf_sort(table->rows, table->count, sizeof *table->rows, compare_rows, &order) == PF_OK
               ? PF_OK
               : pf_error_nomem(error);
}

static bool has_ratio(const struct row *row)
{
    return row->greatest != NO_RUN && row->middle.median > 0;
}

/* The greatest amount in medians. */
static double ratio_of(const struct row *row)
{
    return (double)row->summary.greatest / row->middle.median;
}

/* The name of the run with the greatest amount. */
static struct pf_bytes run_name(const struct table *table, const struct row *row, unsigned *flags)
{
    struct pf_bytes name = pf_bytes_of(table->view->runs[table->runs[row->greatest]]);

    *flags = pf_utf8_valid(name) ? PF_UTF8 : 0;
    return name;
}

/* By how much the greatest amount exceeds the median. */
static double excess_of(const struct row *row)
{
    return (double)row->summary.greatest - row->middle.median;
}

/* --- for machines ----------------------------------------------------------------------------- */

static const struct pf_sheet_column columns[] = {
    {"sum", PF_CELL_INT},       {"sum_pct", PF_CELL_NUMBER},   {"n", PF_CELL_INT},
    {"mean", PF_CELL_NUMBER},   {"sd", PF_CELL_NUMBER},        {"min", PF_CELL_INT},
    {"max", PF_CELL_INT},       {"range", PF_CELL_INT},        {"range_pct", PF_CELL_NUMBER},
    {"median", PF_CELL_NUMBER}, {"max_ratio", PF_CELL_NUMBER}, {"max_run", PF_CELL_TEXT},
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
    const struct row *row = &table->rows[at];
    const struct pf_summary *summary = &row->summary;
    uint64_t parts = table->parts;

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
    cells[9].real = row->middle.median / (double)parts;
    cells[10] =
        (struct pf_cell){.real = has_ratio(row) ? ratio_of(row) : 0, .missing = !has_ratio(row)};
    cells[11].missing = row->greatest == NO_RUN;
    if (row->greatest != NO_RUN)
        cells[11].text = run_name(table, row, &cells[11].flags);
    return row->key;
}

static void write_members(const void *state, struct pf_sink *sink, size_t block)
{
    const struct table *table = &((const struct writing *)state)->tables[block];

    pf_sink_text(sink, ",\"total\":");
    pf_json_parts(sink, table->total, table->parts);
    pf_sink_printf(sink, ",\"compared\":\"%s\",\"lacking\":%zu",
                   table->view->diff->cum ? "cum" : "flat",
                   table->view->diff->run_count - table->run_count);
}

/* --- for people ------------------------------------------------------------------------------- */

enum {
    RANGE_SHARE,
    SUM,
    SUM_SHARE,
    COUNT,
    MEAN,
    SD,
    LEAST,
    MEDIAN,
    GREATEST,
    RATIO,
    RUN,
    NAME,
    TEXT_COLUMNS
};

static const struct pf_text_column text_columns[TEXT_COLUMNS] = {
    {"range%", 8, 0},      {"sum", 11, 4},    {"sum%", 7, PF_DROP_POINTS},
    {"n", 5, PF_DROP_BAR}, {"mean", 11, 0},   {"sd", 11, 6},
    {"min", 11, 5},        {"median", 11, 8}, {"max", 11, 7},
    {"max/med", 8, 9},     {"max in", 8, 9},  {"", 0, 0},
};

static const char *print(const struct table *table, pf_int128 amount, char text[PF_AMOUNT_TEXT])
{
    return pf_diff_print(table->view, table->block, amount, table->parts, false, text);
}

static void write_head(struct table *table)
{
    const struct pf_diff_view *view = table->view;
    size_t runs = table->run_count;
    char text[PF_AMOUNT_TEXT];

    pf_look_string(&view->look, table->block->column, &table->line);
    pf_buffer_printf(&table->line, ": %s in %zu run%s", print(table, table->total, text), runs,
                     runs == 1 ? "" : "s");
    pf_diff_headline(view, table->block, &table->line);
    pf_buffer_printf(&table->line,
                     "sum%%: of the total of all runs; range%%: max - min, of the sum");
    pf_look_line(&view->look, &table->line);
}

/* Prints a ratio: 1.04, 4.1, 310. */
static const char *print_ratio(double ratio, char text[PF_AMOUNT_TEXT])
{
    snprintf(text, PF_AMOUNT_TEXT, ratio < 2 ? "%.2f" : ratio < 100 ? "%.1f" : "%.0f", ratio);
    return text;
}

/* Appends the name of the run with the greatest amount as one line, in at most `width` columns. */
static void append_run(struct table *table, const struct row *row, size_t width,
                       struct pf_buffer *text)
{
    unsigned flags;
    struct pf_bytes name = run_name(table, row, &flags);
    const struct pf_place place = {.name = pf_text_line(name, flags, &table->scratch)};

    pf_place_append(text, &place, 1, width, SIZE_MAX, table->view->look.sink->mark);
}

/* Prints a mean or a deviation. Counts have two decimals, because most counts are small. */
static const char *print_real(const struct table *table, double amount, char text[PF_AMOUNT_TEXT])
{
    const struct pf_scale *scale = &table->block->scale;
    double value = amount / (double)table->parts;

    if (table->view->diff->normalize || scale->time || scale->bytes || fabs(value) >= 1e6)
        return print(table, (pf_int128)nearbyint(amount), text);
    snprintf(text, PF_AMOUNT_TEXT, fabs(value) >= 0.1 || table->parts == 1 ? "%.2f" : "%.2g",
             value);
    if (table->view->look.group)
        pf_group_digits(text);
    return text;
}

static void write_text_row(struct table *table, const struct row *row, struct pf_text_table *text)
{
    const struct pf_look *look = &table->view->look;
    const struct pf_summary *summary = &row->summary;
    char texts[7][PF_AMOUNT_TEXT], percents[2][PF_PERCENT_TEXT], count[PF_AMOUNT_TEXT];
    struct pf_buffer run = {0};
    struct pf_text_cell cells[TEXT_COLUMNS] = {{.color = NULL}};
    struct pf_place place;

    cells[RANGE_SHARE].text = pf_look_percent(summary->normalised, percents[0]);
    cells[SUM].text = pf_bytes_of(print(table, summary->sum, texts[0]));
    cells[SUM_SHARE].text = pf_look_percent(pf_percent(summary->sum, table->total), percents[1]);
    cells[COUNT].text = pf_bytes_of(pf_look_count(look, summary->count, count));
    cells[MEAN].text = pf_bytes_of(print_real(table, summary->mean, texts[1]));
    cells[SD].text = summary->count < 2 ? PF_BYTES("-")
                                        : pf_bytes_of(print_real(table, summary->sd, texts[2]));
    cells[LEAST].text = pf_bytes_of(print(table, summary->least, texts[3]));
    cells[GREATEST].text = pf_bytes_of(print(table, summary->greatest, texts[4]));
    cells[MEDIAN].text = pf_bytes_of(print_real(table, row->middle.median, texts[5]));
    cells[RATIO].text = has_ratio(row) ? pf_bytes_of(print_ratio(ratio_of(row), texts[6]))
                                       : PF_BYTES("-");
    if (row->greatest == NO_RUN)
        pf_buffer_append(&run, "-", 1);
    else
        append_run(table, row, look->terminal > 0 ? RUN_WIDTH : SIZE_MAX, &run);
    cells[RUN].text = (struct pf_bytes){run.data, run.size};
    pf_look_place(look, &table->view->diff->keys, row->key, &table->scratch, &place);
    pf_text_table_row(text, cells, &place, 1);
    text->failed = text->failed || run.failed;
    pf_buffer_free(&run);
}

/* --- outliers --------------------------------------------------------------------------------- */

/* A run stands out in a row if its amount is the greatest of at least three, at least twice the
 * median, and more than five deviations above; and by at least 1 % of what a run takes in the mean,
 * so that small rows of a few samples do not count. */
enum {
    OUTLIER_RUNS = 3,
    OUTLIER_RATIO = 2,
    OUTLIER_DEVIATIONS = 5,
    OUTLIER_PERCENT = 1,
    OUTLIERS = 3
};

static bool stands_out(const struct table *table, const struct row *row)
{
    size_t runs = row->summary.count;
    double mean = fabs((double)table->total) / (double)runs;

    return runs >= OUTLIER_RUNS && row->greatest != NO_RUN && row->middle.median >= 0 &&
           (double)row->summary.greatest >= OUTLIER_RATIO * row->middle.median &&
           excess_of(row) > OUTLIER_DEVIATIONS * row->middle.deviation &&
           excess_of(row) >= mean * OUTLIER_PERCENT / 100;
}

/* Finds the rows whose greatest runs exceed their medians by most, the first one first. Returns the
 * number of all rows in which a run stands out. */
static size_t find_outliers(const struct table *table, const struct row *found[OUTLIERS])
{
    size_t count = 0;

    for (size_t k = 0; k < table->count; k++) {
        const struct row *row = &table->rows[k];
        size_t at = count < OUTLIERS ? count : OUTLIERS;

        if (!stands_out(table, row))
            continue;
        for (; at > 0 && excess_of(row) > excess_of(found[at - 1]); at--)
            if (at < OUTLIERS)
                found[at] = found[at - 1];
        if (at < OUTLIERS)
            found[at] = row;
        count++;
    }
    return count;
}

/* "web17 spends 4.1 times the median in JSON::decode: 1.20s, median 0.29s" */
static void write_outlier(struct table *table, const struct row *row)
{
    const struct pf_look *look = &table->view->look;
    struct pf_buffer *line = &table->line;
    char ratio[PF_AMOUNT_TEXT], amount[PF_AMOUNT_TEXT], median[PF_AMOUNT_TEXT];
    struct pf_place place;

    append_run(table, row, SIZE_MAX, line);
    print(table, row->summary.greatest, amount);
    pf_buffer_printf(line, table->block->scale.time ? " spends " : " has ");
    if (has_ratio(row))
        pf_buffer_printf(line, "%s times the median in ", print_ratio(ratio_of(row), ratio));
    else
        pf_buffer_printf(line, "%s in ", amount);
    pf_look_place(look, &table->view->diff->keys, row->key, &table->scratch, &place);
    pf_buffer_append(line, place.name.data, place.name.size);
    if (has_ratio(row))
        pf_buffer_printf(line, ": %s, median %s", amount,
                         print_real(table, row->middle.median, median));
    else
        pf_buffer_printf(line, ", the median is 0");
    pf_look_line(look, line);
}

static void write_outliers(struct table *table)
{
    const struct pf_look *look = &table->view->look;
    const struct row *found[OUTLIERS];
    size_t count = find_outliers(table, found);
    char number[PF_AMOUNT_TEXT];

    for (size_t k = 0; k < count && k < OUTLIERS; k++)
        write_outlier(table, found[k]);
    if (count <= OUTLIERS)
        return;
    pf_buffer_printf(&table->line, "... a run stands out in %s more %s",
                     pf_look_count(look, count - OUTLIERS, number),
                     pf_look_noun(look, count - OUTLIERS != 1));
    pf_look_line(look, &table->line);
}

static int write_text(void *state, size_t block)
{
    struct table *table = &((struct writing *)state)->tables[block];
    const struct pf_look *look = &table->view->look;
    struct pf_text_table text = {0};
    size_t shown = pf_diff_shown(table->view, table->count),
           hidden = table->count - shown + table->small;
    char number[PF_AMOUNT_TEXT];
    bool good;

    write_head(table);
    pf_text_table_begin(&text, text_columns, TEXT_COLUMNS);
    for (size_t k = 0; k < shown; k++)
        write_text_row(table, &table->rows[k], &text);
    good = pf_look_end(look, &text) == PF_OK;
    if (hidden > 0)
        good = pf_look_not_shown(look, table->count > shown, table->small > 0, "%s %s",
                                 pf_look_count(look, hidden, number),
                                 pf_look_noun(look, hidden != 1)) == PF_OK &&
               good;
    write_outliers(table);
    return good && !table->line.failed && !table->scratch.failed ? PF_OK : PF_NOMEM;
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
        status = make_table(&writing.tables[i], view, &view->diff->blocks[i], error);
    if (status == PF_OK && pf_diff_show(view, &layout, &writing) != PF_OK)
        status = pf_error_nomem(error);
    for (size_t i = 0; i < count && writing.tables; i++) {
        free(writing.tables[i].rows);
        free(writing.tables[i].runs);
        free(writing.tables[i].amounts);
        pf_buffer_free(&writing.tables[i].line);
        pf_buffer_free(&writing.tables[i].scratch);
    }
    free(writing.tables);
    return status;
}

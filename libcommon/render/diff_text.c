#include "render/diff_parts.h"

#include "analysis/rank.h"
#include "model/utf8.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* With tests there are an interval and a q. */
static const struct pf_sheet_column plain_columns[] = {
    {"before", PF_CELL_TEXT, 10}, {"after", PF_CELL_TEXT, 10}, {"delta", PF_CELL_TEXT, 11}, {"points", PF_CELL_TEXT, 8},
    {"ratio", PF_CELL_TEXT, 8},   {"verdict", PF_CELL_TEXT, 10}, {"", PF_CELL_TEXT, 0},
};

static const struct pf_sheet_column tested_columns[] = {
    {"before", PF_CELL_TEXT, 10}, {"after", PF_CELL_TEXT, 10},       {"delta", PF_CELL_TEXT, 11},
    {"points", PF_CELL_TEXT, 8},  {"ratio", PF_CELL_TEXT, 8},        {"95% interval", PF_CELL_TEXT, 23},
    {"q", PF_CELL_TEXT, 9},              {"verdict", PF_CELL_TEXT, 10},             {"", PF_CELL_TEXT, 0},
};

static void append(struct pf_buffer *line, const char *format, ...) PF_PRINTF(2, 3);

static void append(struct pf_buffer *line, const char *format, ...)
{
    char text[256];
    va_list arguments;

    va_start(arguments, format);
    int size = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    pf_buffer_append(line, text, size < 0 ? 0 : (size_t)size < sizeof text ? (size_t)size : sizeof text - 1);
}

/* --- head ------------------------------------------------------------------------------------------------- */

static void append_worths(const struct pf_diff_view *view, const struct pf_diff_block *block, const struct pf_diff_table *table,
                          struct pf_buffer *line)
{
    char text[PF_AMOUNT_TEXT];

    if (table->worth[0] == table->worth[1])
        return;
    append(line, "; a sample stands for %s before", pf_diff_print(view, block, (pf_int128)table->worth[0], block->scale.parts, false, text));
    append(line, ", %s after", pf_diff_print(view, block, (pf_int128)table->worth[1], block->scale.parts, false, text));
}

/* What made the verdicts, and what they take for granted. */
static void append_method(const struct pf_diff_view *view, const struct pf_diff_block *block, const struct pf_diff_table *table,
                          struct pf_buffer *line)
{
    size_t before = pf_diff_runs(view->diff, 0), after = pf_diff_runs(view->diff, 1);
    char margin[PF_AMOUNT_TEXT];

    switch (table->method) {
    case PF_DIFF_RUNS:
        append(line, "Welch's t over %zu and %zu runs", before, after);
        if (block->measure.nature == PF_SAMPLED && block->sampled)
            append(line, ", a side's variance being at least that of its number of samples");
        else if (block->measure.nature == PF_EXACT)
            append(line, "; exact counts that are the same in all runs of a side need no test");
        break;
    case PF_DIFF_SAMPLES:
        append(line, "exact binomial on the numbers of samples, given their sum; right if samples do not depend on each other");
        append_worths(view, block, table, line);
        break;
    case PF_DIFF_EXACT:
        append(line, "exact counts: any change is real\n");
        return;
    case PF_DIFF_UNLIKE:
        append(line, "one run on a side, and what a sample stands for differs between or within the sides: nothing tells a change from chance (?)\n");
        return;
    case PF_DIFF_NOTHING:
        append(line, "one run on a side, and the number of samples is not known: nothing tells a change from chance (?)\n");
        return;
    }
    pf_diff_print(view, block, table->margin, table->shown_parts, false, margin);
    append(line, "\n+ -: q < 0.05 over %zu %s tested; =: equal, or the interval lies within %s\n", table->tests,
           pf_diff_noun(view, table->tests != 1), margin);
}

static void append_total(const struct pf_diff_view *view, const struct pf_diff_block *block, const struct pf_diff_table *table,
                         struct pf_buffer *line)
{
    const struct pf_diff_means total = pf_diff_shown_means(table, &table->total);
    char text[PF_AMOUNT_TEXT], percent[PF_PERCENT_TEXT];
    bool mean = pf_diff_runs(view->diff, 0) > 1 || pf_diff_runs(view->diff, 1) > 1;

    append(line, "%s before, ", pf_diff_print(view, block, total.before, table->shown_parts, false, text));
    append(line, "%s after", pf_diff_print(view, block, total.after, table->shown_parts, false, text));
    append(line, "%s, ", mean ? " per run" : "");
    append(line, "%s", pf_diff_print(view, block, total.delta, table->shown_parts, true, text));
    if (table->total.before != 0 && !view->diff->normalize) {
        pf_top_percent(pf_percent(table->total.delta, table->total.before), percent);
        append(line, " (%s%s of before)", table->total.delta > 0 ? "+" : "", percent);
    }
}

static int write_head(const struct pf_diff_view *view, const struct pf_diff_block *block, const struct pf_diff_table *table)
{
    const struct pf_dict *dict = view->diff->dict;
    struct pf_buffer line = {0}, scratch = {0};
    struct pf_bytes name = pf_text_line(pf_dict_string(dict, block->column), dict->strings.rows[block->column].flags, &scratch);
    bool failed;

    pf_buffer_append(&line, name.data, name.size);
    append(&line, view->diff->normalize ? ", shares of each run's total: " : ": ");
    append_total(view, block, table, &line);
    pf_diff_append_sides(view, &line, 64);
    append(&line, "\n");
    append_method(view, block, table, &line);
    append(&line, "points: share of the total after, less share of the total before%s\n",
           table->cum ? "; all columns: cumulative" : "");
    pf_sink_write(view->sink, line.data, line.size);
    failed = line.failed || scratch.failed;
    pf_buffer_free(&line);
    pf_buffer_free(&scratch);
    return failed ? PF_NOMEM : PF_OK;
}

/* --- rows ------------------------------------------------------------------------------------------------- */

struct row_texts {
    char before[PF_AMOUNT_TEXT], after[PF_AMOUNT_TEXT], delta[PF_AMOUNT_TEXT], points[32], ratio[32], interval[2 * PF_AMOUNT_TEXT + 8],
        q[32], verdict[16];
};

static void print_ratio(const struct pf_diff_row *row, const struct pf_diff_means *means, char text[32])
{
    if (means->before == 0)
        snprintf(text, 32, "-");
    else
        snprintf(text, 32, fabs(row->ratio) >= 1e5 ? "%.2gx" : fabs(row->ratio) >= 100 ? "%.0fx" : "%.2fx", row->ratio);
}

/* An end of an interval: with decimals where means may have some. */
static void print_end(const struct pf_diff_view *view, const struct pf_diff_block *block, const struct pf_diff_table *table, double amount,
                      char text[PF_AMOUNT_TEXT])
{
    double digits = table->shown_parts > 1 ? 1e6 / (double)block->scale.parts : 1;

    pf_diff_print(view, block, (pf_int128)nearbyint(amount * digits), table->shown_parts > 1 ? 1000000 : 1, true, text);
}

static void print_row(const struct pf_diff_view *view, const struct pf_diff_block *block, const struct pf_diff_table *table,
                      const struct pf_diff_row *row, struct row_texts *texts)
{
    const struct pf_diff_means *means = pf_diff_compared(table, row);
    const struct pf_diff_means shown = pf_diff_shown_means(table, means);
    char low[PF_AMOUNT_TEXT], high[PF_AMOUNT_TEXT];

    pf_diff_print(view, block, shown.before, table->shown_parts, false, texts->before);
    pf_diff_print(view, block, shown.after, table->shown_parts, false, texts->after);
    pf_diff_print(view, block, shown.delta, table->shown_parts, true, texts->delta);
    snprintf(texts->points, sizeof texts->points, fabs(row->points) < 0.005 ? "0" : "%+.2f", row->points);
    print_ratio(row, means, texts->ratio);
    snprintf(texts->verdict, sizeof texts->verdict, "%c %-7s", row->verdict, pf_diff_status_name(row->status));
    snprintf(texts->q, sizeof texts->q, row->q < 0.0001 ? "%.0e" : "%.4f", row->q);
    print_end(view, block, table, row->test.low, low);
    print_end(view, block, table, row->test.high, high);
    snprintf(texts->interval, sizeof texts->interval, "%s .. %s", low, high);
    if (!row->test.tested)
        texts->interval[0] = texts->q[0] = '\0';
}

static const char *color_of(const struct pf_diff_view *view, pf_int128 delta)
{
    return !view->color || delta == 0 ? NULL : delta > 0 ? "\033[31m" : "\033[34m";
}

static bool tested(const struct pf_diff_table *table)
{
    return table->method == PF_DIFF_RUNS || table->method == PF_DIFF_SAMPLES;
}

static void write_row(const struct pf_diff_view *view, const struct pf_diff_block *block, const struct pf_diff_table *table,
                      const struct pf_diff_row *row, double greatest, struct pf_sheet *sheet, struct pf_buffer buffers[2])
{
    const struct pf_top top = pf_diff_top(view);
    pf_int128 delta = pf_diff_compared(table, row)->delta;
    struct row_texts texts;
    struct pf_cell cells[9] = {{.integer = 0}};
    struct pf_bytes label = pf_top_label(&top, &view->diff->keys, row->key, &buffers[0]);
    size_t n = 0;

    print_row(view, block, table, row, &texts);
    buffers[1].size = 0;
    pf_top_bar(&buffers[1], view->utf8, greatest > 0 ? 100 * fabs((double)delta) / greatest : 0);
    pf_buffer_append(&buffers[1], "  ", 2);
    pf_buffer_append(&buffers[1], label.data, label.size);
    cells[n++].text = pf_bytes_of(texts.before);
    cells[n++].text = pf_bytes_of(texts.after);
    cells[n].color = color_of(view, delta);
    cells[n++].text = pf_bytes_of(texts.delta);
    cells[n++].text = pf_bytes_of(texts.points);
    cells[n++].text = pf_bytes_of(texts.ratio);
    if (tested(table)) {
        cells[n++].text = pf_bytes_of(texts.interval);
        cells[n++].text = pf_bytes_of(texts.q);
    }
    cells[n].color = row->verdict == '+' || row->verdict == '-' ? color_of(view, delta) : NULL;
    cells[n++].text = pf_bytes_of(texts.verdict);
    cells[n] = (struct pf_cell){.text = {buffers[1].data, buffers[1].size}, .flags = PF_UTF8};
    pf_sheet_row(sheet, cells);
}

static void write_moved(const struct pf_diff_view *view, const struct pf_diff_table *table)
{
    if (table->moved > 0)
        pf_sink_printf(view->sink, "... %zu %s gone with one file or image and new with another under the same name: --by=name joins them\n",
                       table->moved, table->moved == 1 ? "function is" : "functions are");
}

/* What is not there, and why. */
static void write_rest(const struct pf_diff_view *view, const struct pf_diff_table *table, size_t shown, size_t rows)
{
    if (view->gate != NULL) {
        pf_sink_printf(view->sink, "%zu of %zu %s rose by more than %s%s\n", table->count, rows, pf_diff_noun(view, rows != 1),
                       view->gate_text, view->gate->percent ? " of what it was before" : "");
        return;
    }
    if (rows == 0)
        pf_sink_text(view->sink, "no record has a value\n");
    if (shown < table->count)
        pf_sink_printf(view->sink, "... %zu %s not shown; -n 0 for all\n", table->count - shown,
                       pf_diff_noun(view, table->count - shown != 1));
    if (table->count < rows)
        pf_sink_printf(view->sink, "... %zu of %zu %s left out\n", rows - table->count, rows, pf_diff_noun(view, rows != 1));
}

int pf_diff_text(const struct pf_diff_view *view, const struct pf_diff_block *block, const struct pf_diff_table *table, size_t rows)
{
    const struct pf_top top = pf_diff_top(view);
    struct pf_sheet sheet = pf_top_sheet(&top);
    struct pf_buffer buffers[2] = {{0}};
    size_t shown = pf_diff_shown(view, table->count);
    double greatest = 0;
    int status = write_head(view, block, table);

    for (size_t i = 0; i < shown; i++)
        greatest = fmax(greatest, fabs((double)pf_diff_compared(table, &table->rows[i])->delta));
    if (shown > 0)
        pf_sheet_begin(&sheet, view->sink, PF_SHEET_TEXT, tested(table) ? tested_columns : plain_columns, tested(table) ? 9 : 7,
                       (struct pf_sheet_head){0});
    for (size_t i = 0; i < shown; i++)
        write_row(view, block, table, &table->rows[i], greatest, &sheet, buffers);
    write_rest(view, table, shown, rows);
    write_moved(view, table);
    if (shown > 0 && pf_sheet_end(&sheet) != PF_OK)
        status = PF_NOMEM;
    status = buffers[0].failed || buffers[1].failed ? PF_NOMEM : status;
    pf_buffer_free(&buffers[0]);
    pf_buffer_free(&buffers[1]);
    return status;
}

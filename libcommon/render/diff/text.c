#include "render/diff/parts.h"

#include "analysis/sum/rank.h"
#include "model/utf8.h"
#include "render/diff/words.h"
#include "render/table/prose.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* INTERVAL and Q are only in tables with tests. */
enum { BEFORE, AFTER, DELTA, POINTS, CHANGE, INTERVAL, Q, VERDICT, BAR, NAME, COLUMNS };

static const struct pf_text_column text_columns[COLUMNS] = {
    {"before", 10, 7},
    {"after", 10, 6},
    {"delta", 11, 0},
    {"points", 8, PF_DROP_POINTS},
    {"change", 8, 6},
    {"95% interval", 18, PF_DROP_INTERVAL},
    {"q", 9, 4},
    {"verdict", 10, 8},
    {"", PF_LOOK_BAR + 2, PF_DROP_BAR},
    {"", 0, 0},
};

/* --- amounts and sides ------------------------------------------------------------------------ */

const char *pf_diff_print(const struct pf_diff_view *view, const struct pf_diff_block *block,
                          pf_int128 amount, uint64_t parts, bool sign, char text[PF_AMOUNT_TEXT])
{
    struct pf_scale scale = block->scale;
    char plain[PF_AMOUNT_TEXT];
    const char *number = plain;

    scale.parts = parts;
    scale.group = view->look.group;
    if (view->diff->normalize)
        pf_look_percent((double)amount * 100 / PF_DIFF_WHOLE, plain);
    else
        number = pf_scale_print(&scale, amount, plain);
    snprintf(text, PF_AMOUNT_TEXT, "%s%.*s", sign && amount > 0 ? "+" : "", PF_AMOUNT_TEXT - 2,
             number);
    return text;
}

/* Appends how many runs side `side` has, if it is not one: " (5 runs)", " (3 of 4 files have
 * cpu)". */
static void append_runs(const struct pf_diff_view *view, const struct pf_diff_block *block,
                        unsigned side, struct pf_buffer *line)
{
    size_t all = pf_diff_runs(view->diff, side), runs = pf_diff_block_runs(view->diff, block, side);

    if (runs < all) {
        pf_buffer_printf(line, " (%zu of %zu %s have ", runs, all, view->nouns[side]);
        pf_look_string(&view->look, block->measure.name, line);
        pf_buffer_printf(line, ")");
    } else if (runs != 1) {
        pf_buffer_printf(line, " (%zu runs)", runs);
    }
}

/* Appends the names of the sides; `brief`: without directories. */
static void append_sides(const struct pf_diff_view *view, const struct pf_diff_block *block,
                         bool brief, struct pf_buffer *line)
{
    struct pf_buffer scratch = {0};

    for (size_t i = 0; i < view->side_count; i++) {
        struct pf_bytes name = pf_text_line(pf_bytes_of(view->sides[i]), PF_UTF8, &scratch);

        name = brief ? pf_base_name(name) : name;
        pf_buffer_append(line, ", ", i > 0 ? 2 : 0);
        if (i == 3 && view->side_count > 4) {
            pf_buffer_printf(line, "and %zu more", view->side_count - 3);
            break;
        }
        pf_buffer_append(line, name.data, name.size);
        append_runs(view, block, (unsigned)i, line);
    }
    line->failed = line->failed || scratch.failed;
    pf_buffer_free(&scratch);
}

/* True if all sides have different names without their directories. */
static bool brief_names(const struct pf_diff_view *view)
{
    for (size_t i = 0; i < view->side_count; i++)
        for (size_t k = 0; k < i; k++)
            if (pf_bytes_equal(pf_base_name(pf_bytes_of(view->sides[i])),
                               pf_base_name(pf_bytes_of(view->sides[k]))))
                return false;
    return true;
}

void pf_diff_headline(const struct pf_diff_view *view, const struct pf_diff_block *block,
                      struct pf_buffer *left)
{
    struct pf_buffer right = {0}, brief = {0};

    append_sides(view, block, false, &right);
    append_sides(view, block, view->side_count <= 4 && brief_names(view), &brief);
    left->failed = left->failed || right.failed || brief.failed ||
                   pf_look_headline(&view->look, (struct pf_bytes){left->data, left->size},
                                    (struct pf_bytes){right.data, right.size},
                                    (struct pf_bytes){brief.data, brief.size}) != PF_OK;
    left->size = 0;
    pf_buffer_free(&right);
    pf_buffer_free(&brief);
}

/* --- lines ------------------------------------------------------------------------------------ */

/* A block being written. */
struct page {
    const struct pf_diff_view *view;
    const struct pf_diff_block *block;
    const struct pf_diff_table *table;
    struct pf_buffer line; /* being made; `failed` stays after a failure */
};

static size_t runs_of(const struct page *page, unsigned side)
{
    return pf_diff_block_runs(page->view->diff, page->block, side);
}

static void end_line(struct page *page)
{
    pf_look_line(&page->view->look, &page->line);
}

/* A shown mean, or with `sign` a difference. */
static const char *print_mean(const struct page *page, pf_int128 mean, bool sign,
                              char text[PF_AMOUNT_TEXT])
{
    return pf_diff_print(page->view, page->block, mean, page->table->shown_parts, sign, text);
}

/* Appends the change of the total in percent: "+19%". */
static void append_change(struct page *page)
{
    const struct pf_diff_means *total = &page->table->total;
    char percent[PF_PERCENT_TEXT];

    pf_look_percent(pf_percent(total->delta, total->before), percent);
    pf_buffer_printf(&page->line, "%s%s", total->delta > 0 && percent[0] != '<' ? "+" : "",
                     percent);
}

/* Appends a share as a percentage for people: 0.53%, 6.1%, 23%. */
static void append_percent(struct page *page, double share)
{
    double percent = share * 100;

    pf_buffer_printf(&page->line, "%.*f%%", percent < 1 ? 2 : percent < 9.95 ? 1 : 0, percent);
}

/* --- head ------------------------------------------------------------------------------------- */

static void append_total(struct page *page)
{
    const struct pf_diff *diff = page->view->diff;
    bool several = runs_of(page, 0) > 1 || runs_of(page, 1) > 1;
    const struct pf_diff_means total = pf_diff_shown_means(page->table, &page->table->total);
    char before[PF_AMOUNT_TEXT], after[PF_AMOUNT_TEXT], delta[PF_AMOUNT_TEXT];

    pf_buffer_printf(&page->line, "%s before, %s after%s, %s",
                     print_mean(page, total.before, false, before),
                     print_mean(page, total.after, false, after), several ? " per run" : "",
                     print_mean(page, total.delta, true, delta));
    if (page->table->total.before == 0 || diff->normalize)
        return;
    pf_buffer_printf(&page->line, " (");
    append_change(page);
    pf_buffer_printf(&page->line, " of before)");
}

/* Writes which images were joined. */
static void write_images(struct page *page)
{
    const struct pf_look *look = &page->view->look;
    const uint32_t *images = page->view->diff->joined_images;

    if (images[0] == 0)
        return;
    pf_buffer_printf(&page->line, "one program: ");
    pf_look_string(look, images[0], &page->line);
    pf_buffer_printf(&page->line, " before, ");
    pf_look_string(look, images[1], &page->line);
    pf_buffer_printf(&page->line, " after (--images=apart keeps their functions apart)");
    end_line(page);
}

/* Writes how much runs vary. */
static void write_spreads(struct page *page)
{
    const struct pf_diff_advice *advice = &page->table->advice;

    if (advice->rows <= 0 && advice->total <= 0)
        return;
    pf_buffer_printf(&page->line, "runs vary: ");
    if (advice->total > 0) {
        pf_buffer_printf(&page->line, "totals by ");
        append_percent(page, advice->total);
    }
    if (advice->rows > 0) {
        pf_buffer_printf(&page->line, "%s%s by ", advice->total > 0 ? ", " : "",
                         pf_look_noun(&page->view->look, true));
        append_percent(page, advice->rows);
        pf_buffer_printf(&page->line, " (median)");
    }
    if (advice->shares > 1e-4 && advice->shares < advice->rows) {
        pf_buffer_printf(&page->line, ", with --normalize by ");
        append_percent(page, advice->shares);
    }
    end_line(page);
}

/* Writes which rises would be found. */
static void write_power(struct page *page)
{
    const struct pf_diff_view *view = page->view;
    const struct pf_diff_advice *advice = &page->table->advice;
    char runs[PF_AMOUNT_TEXT];

    if (advice->rise <= 0)
        return;
    pf_buffer_printf(&page->line, "%zu and %zu runs: rises above ", runs_of(page, 0),
                     runs_of(page, 1));
    append_percent(page, advice->rise - 1);
    pf_buffer_printf(
        &page->line, " of a %s of 1%% of the total would be found; +10%% needs %s %s runs a side",
        pf_look_noun(&view->look, false), advice->runs > 0 ? "about" : "over",
        pf_look_count(&view->look, advice->runs > 0 ? advice->runs : PF_POWER_RUNS, runs));
    end_line(page);
}

/* Writes the lines above the table. `points`: the table shows the column POINTS. */
static void write_head(struct page *page, bool points)
{
    const struct pf_diff_view *view = page->view;

    pf_look_string(&view->look, page->block->column, &page->line);
    pf_buffer_printf(&page->line, view->diff->normalize ? ", shares of each run's total: " : ": ");
    append_total(page);
    pf_diff_headline(view, page->block, &page->line);
    if (points)
        pf_buffer_printf(&page->line,
                         "points: share of the total after, less share of the total before%s",
                         page->table->cum ? "; " : "");
    if (page->table->cum)
        pf_buffer_printf(&page->line, "all columns: cumulative");
    if (page->line.size > 0)
        end_line(page);
    write_images(page);
    write_spreads(page);
    write_power(page);
}

/* --- foot ------------------------------------------------------------------------------------- */

static void append_worths(struct page *page)
{
    const double *worth = page->table->worth;
    uint64_t parts = page->block->scale.parts;
    char before[PF_AMOUNT_TEXT], after[PF_AMOUNT_TEXT];

    if (worth[0] != worth[1])
        pf_buffer_printf(
            &page->line, "; a sample stands for %s before, %s after",
            pf_diff_print(page->view, page->block, (pf_int128)worth[0], parts, false, before),
            pf_diff_print(page->view, page->block, (pf_int128)worth[1], parts, false, after));
}

/* Appends how the verdicts were found. */
static void append_method(struct page *page)
{
    const struct pf_diff_view *view = page->view;
    const struct pf_diff_table *table = page->table;
    struct pf_buffer *line = &page->line;
    bool exact = page->block->measure.nature == PF_EXACT;

    if (table->method == PF_DIFF_NOTHING && exact) {
        pf_buffer_printf(line, "exact counts: any change is real");
    } else if (table->method == PF_DIFF_NOTHING) {
        pf_buffer_printf(line, "one run on a side: nothing tells a change from chance (~)");
        if (table->hinted) {
            pf_buffer_printf(line, "; (+) (-): significant if runs did not vary");
            append_worths(page);
        }
    } else if (table->tests == 0 && exact) {
        pf_buffer_printf(line, "exact counts, the same in all runs of a side: any change is real");
    } else {
        pf_buffer_printf(line,
                         "%s over %zu and %zu runs; + -: q < 0.05 over %zu %s tested; =: same "
                         "amounts, or interval within %g%%; ~: neither",
                         table->method == PF_DIFF_WELCH ? "Welch's t" : "moderated t",
                         runs_of(page, 0), runs_of(page, 1), table->tests,
                         pf_look_noun(&view->look, table->tests != 1), view->terms.margin * 100);
        if (view->terms.least > 0)
            pf_buffer_printf(line, "; .: below %g%%, not tested", view->terms.least);
        if (exact)
            pf_buffer_printf(line,
                             "; exact counts that are the same in all runs of a side need none");
    }
}

/* Appends "; total +19% (p < 0.001)". */
static void append_verdict(struct page *page)
{
    const struct pf_diff_row *row = &page->table->total_row;

    if (page->table->total.before == 0)
        return;
    pf_buffer_printf(&page->line, "; total ");
    append_change(page);
    if (row->exact)
        pf_buffer_printf(&page->line, " (exact)");
    else if (row->tested && row->p < 0.001)
        pf_buffer_printf(&page->line, " (p < 0.001)");
    else if (row->tested)
        pf_buffer_printf(&page->line, " (p = %.3f)", row->p);
}

/* Writes how the verdicts were found, and how many rows rose and fell. */
static void write_foot(struct page *page)
{
    const struct pf_look *look = &page->view->look;
    const struct pf_diff_table *table = page->table;
    char rose[PF_AMOUNT_TEXT], fell[PF_AMOUNT_TEXT], rest[PF_AMOUNT_TEXT];
    bool slower = page->block->scale.time && !page->view->diff->normalize;

    append_method(page);
    end_line(page);
    if (table->method == PF_DIFF_NOTHING && page->block->measure.nature != PF_EXACT)
        pf_buffer_printf(&page->line, "nothing tested");
    else
        pf_buffer_printf(&page->line, "%s %s %s, %s %s, %s unchanged or too noisy",
                         pf_look_count(look, table->rose, rose),
                         pf_look_noun(look, table->rose != 1), slower ? "slower" : "up",
                         pf_look_count(look, table->fell, fell), slower ? "faster" : "down",
                         pf_look_count(look, table->all - table->rose - table->fell, rest));
    if (!page->view->diff->normalize)
        append_verdict(page);
    end_line(page);
}

/* --- rows ------------------------------------------------------------------------------------- */

struct row_texts {
    char before[PF_AMOUNT_TEXT], after[PF_AMOUNT_TEXT], delta[PF_AMOUNT_TEXT], points[32],
        change[PF_DIFF_WORD], interval[PF_DIFF_WORD], q[PF_DIFF_WORD], verdict[24];
};

/* Prints the status of the row, if it is known, and its hint. */
static void print_status(const struct pf_diff_row *row, char text[16])
{
    snprintf(text, 16, "%s",
             row->status == PF_DIFF_UNCLEAR ? "" : pf_diff_status_name(row->status));
    if (row->hint != 0)
        snprintf(text + strlen(text), 5, "%s(%c)", text[0] ? " " : "", row->hint);
}

/* Prints the row. `width`: of the longest status of the table. */
static void print_row(const struct page *page, const struct pf_diff_row *row, int width,
                      struct row_texts *texts)
{
    char status[16];
    const struct pf_diff_means *means = pf_diff_compared(page->table, row);
    const struct pf_diff_means shown = pf_diff_shown_means(page->table, means);

    print_mean(page, shown.before, false, texts->before);
    print_mean(page, shown.after, false, texts->after);
    print_mean(page, shown.delta, true, texts->delta);
    snprintf(texts->points, sizeof texts->points, fabs(row->points) < 0.005 ? "0" : "%+.2f",
             row->points);
    pf_diff_print_change(row, means, texts->change);
    pf_diff_print_interval(row, means, texts->interval);
    print_status(row, status);
    snprintf(texts->verdict, sizeof texts->verdict, "%c %-*s", row->verdict, width, status);
    pf_diff_print_q(row, texts->q);
}

static bool tested(const struct pf_diff_table *table)
{
    return table->method != PF_DIFF_NOTHING;
}

/* Chooses the columns of the block. Returns their number. */
static size_t choose_columns(const struct pf_diff_table *table,
                             struct pf_text_column columns[COLUMNS])
{
    size_t count = 0;

    for (size_t i = 0; i < COLUMNS; i++)
        if (tested(table) || (i != INTERVAL && i != Q))
            columns[count++] = text_columns[i];
    return count;
}

/* Returns the width of the longest status of the first `shown` rows and of the total. */
static int status_width(const struct pf_diff_table *table, size_t shown)
{
    size_t width = 0;
    char status[16];

    for (size_t i = 0; i <= shown; i++) {
        print_status(i < shown ? &table->rows[i] : &table->total_row, status);
        width = strlen(status) > width ? strlen(status) : width;
    }
    return (int)width;
}

/* Adds a row to the text. `greatest`: the change with the longest bar; 0: no bar. `width`: of the
 * longest status. */
static void write_row(struct page *page, const struct pf_diff_row *row, double greatest, int width,
                      struct pf_text_table *text)
{
    const struct pf_diff_view *view = page->view;
    pf_int128 delta = pf_diff_compared(page->table, row)->delta;
    const char *color = !view->look.color || delta == 0 ? NULL
                        : delta > 0                     ? "\033[31m"
                                                        : "\033[34m";
    struct row_texts texts;
    struct pf_text_cell cells[COLUMNS] = {{.color = NULL}};
    struct pf_buffer name = {0}, bar = {0};
    struct pf_place place = {.name = PF_BYTES("total")};
    size_t n = 0;

    print_row(page, row, width, &texts);
    pf_look_bar(&bar, view->look.utf8, greatest > 0 ? 100 * fabs((double)delta) / greatest : 0);
    cells[n++].text = pf_bytes_of(texts.before);
    cells[n++].text = pf_bytes_of(texts.after);
    cells[n].color = color;
    cells[n++].text = pf_bytes_of(texts.delta);
    cells[n++].text = pf_bytes_of(texts.points);
    cells[n++].text = pf_bytes_of(texts.change);
    if (tested(page->table)) {
        cells[n++].text = pf_bytes_of(texts.interval);
        cells[n++].text = pf_bytes_of(texts.q);
    }
    cells[n].color = row->verdict == '+' || row->verdict == '-' ? color : NULL;
    cells[n++].text = pf_bytes_of(texts.verdict);
    cells[n].text = (struct pf_bytes){bar.data, bar.failed ? 0 : bar.size};
    if (row->key != 0)
        pf_look_place(&view->look, &view->diff->keys, row->key, &name, &place);
    pf_text_table_row(text, cells, &place, 1);
    page->line.failed = page->line.failed || name.failed || bar.failed;
    pf_buffer_free(&name);
    pf_buffer_free(&bar);
}

/* Writes the head and the table. The rows decide which columns fit a narrow terminal, and the head
 * explains only those. */
static void write_table(struct page *page, size_t shown)
{
    const struct pf_diff_table *table = page->table;
    const struct pf_look *look = &page->view->look;
    struct pf_text_column columns[COLUMNS];
    struct pf_text_table text = {0};
    double greatest = 0;
    int width = status_width(table, shown);

    for (size_t i = 0; i < shown; i++)
        greatest = fmax(greatest, fabs((double)pf_diff_compared(table, &table->rows[i])->delta));
    pf_text_table_begin(&text, columns, choose_columns(table, columns));
    if (!table->hides_total)
        write_row(page, &table->total_row, 0, width, &text);
    for (size_t i = 0; i < shown; i++)
        write_row(page, &table->rows[i], greatest, width, &text);
    write_head(page, pf_text_table_shows(&text, POINTS, look->terminal));
    page->line.failed = pf_look_end(look, &text) != PF_OK || page->line.failed;
}

/* Appends which rises the gate would have found. */
static void append_sight(struct page *page)
{
    const struct pf_diff_advice *advice = &page->table->advice;

    if (advice->gate_total <= 0 && advice->gate_row <= 0)
        return;
    pf_buffer_printf(&page->line, "; a rise of ");
    if (advice->gate_total > 0) {
        pf_buffer_printf(&page->line, "the total above ");
        append_percent(page, advice->gate_total - 1);
    }
    if (advice->gate_row > 0) {
        pf_buffer_printf(&page->line, "%sa %s of 1%% of the total above ",
                         advice->gate_total > 0 ? ", or of " : "",
                         pf_look_noun(&page->view->look, false));
        append_percent(page, advice->gate_row - 1);
    }
    pf_buffer_printf(&page->line, "%s would be found", advice->gate_row > 0 ? "," : "");
}

/* Writes what the gate found, and what it could have found. */
static void write_gate(struct page *page)
{
    const struct pf_diff_view *view = page->view;
    const struct pf_diff_table *table = page->table;
    char number[PF_AMOUNT_TEXT], all[PF_AMOUNT_TEXT];

    pf_buffer_printf(&page->line, "%s of %s %s%s rose by more than %s%s",
                     pf_look_count(&view->look, table->count, number),
                     pf_look_count(&view->look, table->all, all),
                     pf_look_noun(&view->look, table->all != 1),
                     table->hides_total ? "" : ", and the total,", view->gate_text,
                     view->terms.gate->percent ? " of what they were before" : "");
    if (table->count == 0 && table->hides_total)
        append_sight(page);
    end_line(page);
}

/* Writes how many rows are left out, and why. */
static void write_rest(struct page *page, size_t shown)
{
    const struct pf_look *look = &page->view->look;
    const struct pf_diff_table *table = page->table;
    char number[PF_AMOUNT_TEXT], all[PF_AMOUNT_TEXT];
    size_t behind = table->count - shown, out = table->all - table->count;

    if (table->all == 0) {
        pf_buffer_printf(&page->line, "no record has a value");
        end_line(page);
    }
    if (behind > 0 &&
        pf_look_not_shown(look, true, false, "%s %s", pf_look_count(look, behind, number),
                          pf_look_noun(look, behind != 1)) != PF_OK)
        page->line.failed = true;
    if (out > 0) {
        pf_buffer_printf(&page->line, "... %s of %s %s left out", pf_look_count(look, out, number),
                         pf_look_count(look, table->all, all), pf_look_noun(look, table->all != 1));
        end_line(page);
    }
}

static void write_moved(struct page *page)
{
    size_t moved = page->table->moved;
    char number[PF_AMOUNT_TEXT];

    if (moved == 0)
        return;
    pf_buffer_printf(&page->line,
                     "... %s %s gone with one file or image and new with another under the same "
                     "name: --by=name joins them",
                     pf_look_count(&page->view->look, moved, number),
                     moved == 1 ? "function is" : "functions are");
    end_line(page);
}

int pf_diff_text(const struct pf_diff_view *view, const struct pf_diff_block *block,
                 const struct pf_diff_table *table)
{
    struct page page = {.view = view, .block = block, .table = table};
    size_t shown = pf_diff_shown(view, table->count);
    int status;

    if (shown > 0 || (table->all > 0 && !table->hides_total))
        write_table(&page, shown);
    else
        write_head(&page, true);
    if (view->terms.gate)
        write_gate(&page);
    else
        write_rest(&page, shown);
    write_moved(&page);
    write_foot(&page);
    status = page.line.failed ? PF_NOMEM : PF_OK;
    pf_buffer_free(&page.line);
    return status;
}

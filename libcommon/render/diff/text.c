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

/* Appends the names of the sides; `brief`: without directories. */
static void append_sides(const struct pf_diff_view *view, bool brief, struct pf_buffer *line)
{
    struct pf_buffer scratch = {0};

    for (size_t i = 0; i < view->side_count; i++) {
        struct pf_bytes name = pf_text_line(pf_bytes_of(view->sides[i]), PF_UTF8, &scratch);
        size_t runs = pf_diff_runs(view->diff, (unsigned)i);

        name = brief ? pf_place_basename(name) : name;
        pf_buffer_append(line, ", ", i > 0 ? 2 : 0);
        if (i == 3 && view->side_count > 4) {
            pf_buffer_printf(line, "and %zu more", view->side_count - 3);
            break;
        }
        pf_buffer_append(line, name.data, name.size);
        if (runs != 1)
            pf_buffer_printf(line, " (%zu runs)", runs);
    }
    line->failed = line->failed || scratch.failed;
    pf_buffer_free(&scratch);
}

/* True if all sides have different names without their directories. */
static bool brief_names(const struct pf_diff_view *view)
{
    for (size_t i = 0; i < view->side_count; i++)
        for (size_t k = 0; k < i; k++)
            if (pf_bytes_equal(pf_place_basename(pf_bytes_of(view->sides[i])),
                               pf_place_basename(pf_bytes_of(view->sides[k]))))
                return false;
    return true;
}

int pf_diff_headline(const struct pf_diff_view *view, const struct pf_buffer *left)
{
    struct pf_buffer right = {0}, brief = {0};
    int status = PF_NOMEM;

    append_sides(view, false, &right);
    append_sides(view, view->side_count <= 4 && brief_names(view), &brief);
    if (!left->failed && !right.failed && !brief.failed)
        status = pf_look_headline(&view->look, (struct pf_bytes){left->data, left->size},
                                  (struct pf_bytes){right.data, right.size},
                                  (struct pf_bytes){brief.data, brief.size});
    pf_buffer_free(&right);
    pf_buffer_free(&brief);
    return status;
}

/* --- head ------------------------------------------------------------------------------------- */

static void append_total(const struct pf_diff_view *view, const struct pf_diff_block *block,
                         const struct pf_diff_table *table, struct pf_buffer *line)
{
    const struct pf_diff_means total = pf_diff_shown_means(table, &table->total);
    char text[PF_AMOUNT_TEXT], percent[PF_PERCENT_TEXT];
    bool mean = pf_diff_runs(view->diff, 0) > 1 || pf_diff_runs(view->diff, 1) > 1;

    pf_buffer_printf(line, "%s before, ",
                     pf_diff_print(view, block, total.before, table->shown_parts, false, text));
    pf_buffer_printf(line, "%s after",
                     pf_diff_print(view, block, total.after, table->shown_parts, false, text));
    pf_buffer_printf(line, "%s, ", mean ? " per run" : "");
    pf_buffer_printf(line, "%s",
                     pf_diff_print(view, block, total.delta, table->shown_parts, true, text));
    if (table->total.before != 0 && !view->diff->normalize) {
        pf_look_percent(pf_percent(table->total.delta, table->total.before), percent);
        pf_buffer_printf(line, " (%s%s of before)",
                         table->total.delta > 0 && percent[0] != '<' ? "+" : "", percent);
    }
}

/* Appends a share as a percentage for people: 0.53%, 6.1%, 23%. */
static void append_percent(double share, struct pf_buffer *line)
{
    double percent = share * 100;

    pf_buffer_printf(line, "%.*f%%", percent < 1 ? 2 : percent < 9.95 ? 1 : 0, percent);
}

/* Writes which images were joined. */
static int write_images(const struct pf_diff_view *view, struct pf_buffer *line)
{
    struct pf_buffer scratch = {0};
    int status = PF_OK;

    line->size = 0;
    for (unsigned side = 0; side < 2 && view->diff->joined_images[0] != 0; side++) {
        uint32_t string = view->diff->joined_images[side];
        struct pf_bytes name = pf_text_line(pf_dict_string(view->diff->dict, string),
                                            view->diff->dict->strings.rows[string].flags, &scratch);

        pf_buffer_printf(line, side == 0 ? "one program: " : " before, ");
        pf_buffer_append(line, name.data, name.size);
    }
    if (line->size > 0) {
        pf_buffer_printf(line, " after (--images=apart keeps their functions apart)");
        status = pf_look_prose(&view->look, line);
    }
    line->failed = line->failed || scratch.failed;
    pf_buffer_free(&scratch);
    return status;
}

/* Writes how much runs vary. */
static int write_spreads(const struct pf_diff_view *view, const struct pf_diff_advice *advice,
                         struct pf_buffer *line)
{
    if (advice->rows <= 0 && advice->total <= 0)
        return PF_OK;
    line->size = 0;
    pf_buffer_printf(line, "runs vary: ");
    if (advice->total > 0) {
        pf_buffer_printf(line, "totals by ");
        append_percent(advice->total, line);
    }
    if (advice->rows > 0) {
        pf_buffer_printf(line, "%s%s by ", advice->total > 0 ? ", " : "",
                         pf_look_noun(&view->look, true));
        append_percent(advice->rows, line);
        pf_buffer_printf(line, " (median)");
    }
    if (advice->shares > 1e-4 && advice->shares < advice->rows) {
        pf_buffer_printf(line, ", with --normalize by ");
        append_percent(advice->shares, line);
    }
    return pf_look_prose(&view->look, line);
}

/* Writes which rises would be found. */
static int write_power(const struct pf_diff_view *view, const struct pf_diff_advice *advice,
                       struct pf_buffer *line)
{
    char runs[PF_AMOUNT_TEXT];

    if (advice->rise <= 0)
        return PF_OK;
    line->size = 0;
    pf_buffer_printf(line, "%zu and %zu runs: rises above ", pf_diff_runs(view->diff, 0),
                     pf_diff_runs(view->diff, 1));
    append_percent(advice->rise - 1, line);
    pf_buffer_printf(line, " of a %s of 1%% of the total would be found; +10%% needs ",
                     pf_look_noun(&view->look, false));
    if (advice->runs > 0)
        pf_buffer_printf(line, "about %s", pf_look_count(&view->look, advice->runs, runs));
    else
        pf_buffer_printf(line, "over %s", pf_look_count(&view->look, PF_POWER_RUNS, runs));
    pf_buffer_printf(line, " runs a side");
    return pf_look_prose(&view->look, line);
}

/* Writes the lines above the table. `points`: the table shows the column POINTS. */
static int write_head(const struct pf_diff_view *view, const struct pf_diff_block *block,
                      const struct pf_diff_table *table, bool points)
{
    const struct pf_dict *dict = view->diff->dict;
    struct pf_buffer line = {0}, scratch = {0};
    struct pf_bytes name = pf_text_line(pf_dict_string(dict, block->column),
                                        dict->strings.rows[block->column].flags, &scratch);
    int status;

    pf_buffer_append(&line, name.data, name.size);
    pf_buffer_printf(&line, view->diff->normalize ? ", shares of each run's total: " : ": ");
    append_total(view, block, table, &line);
    status = scratch.failed ? PF_NOMEM : pf_diff_headline(view, &line);
    line.size = 0;
    if (points)
        pf_buffer_printf(&line,
                         "points: share of the total after, less share of the total before%s",
                         table->cum ? "; " : "");
    if (table->cum)
        pf_buffer_printf(&line, "all columns: cumulative");
    if (status == PF_OK && (line.size > 0 || line.failed))
        status = pf_look_prose(&view->look, &line);
    if (status == PF_OK)
        status = write_images(view, &line);
    if (status == PF_OK)
        status = write_spreads(view, &table->advice, &line);
    if (status == PF_OK)
        status = write_power(view, &table->advice, &line);
    pf_buffer_free(&line);
    pf_buffer_free(&scratch);
    return status;
}

/* --- foot ------------------------------------------------------------------------------------- */

static void append_worths(const struct pf_diff_view *view, const struct pf_diff_block *block,
                          const struct pf_diff_table *table, struct pf_buffer *line)
{
    char text[PF_AMOUNT_TEXT];

    if (table->worth[0] == table->worth[1])
        return;
    pf_buffer_printf(
        line, "; a sample stands for %s before",
        pf_diff_print(view, block, (pf_int128)table->worth[0], block->scale.parts, false, text));
    pf_buffer_printf(
        line, ", %s after",
        pf_diff_print(view, block, (pf_int128)table->worth[1], block->scale.parts, false, text));
}

/* Appends how the verdicts were found. */
static void append_method(const struct pf_diff_view *view, const struct pf_diff_block *block,
                          const struct pf_diff_table *table, struct pf_buffer *line)
{
    size_t before = pf_diff_runs(view->diff, 0), after = pf_diff_runs(view->diff, 1);

    if (table->method == PF_DIFF_NOTHING && block->measure.nature == PF_EXACT) {
        pf_buffer_printf(line, "exact counts: any change is real");
        return;
    }
    if (table->method == PF_DIFF_NOTHING) {
        pf_buffer_printf(line, "one run on a side: nothing tells a change from chance (~)");
        if (table->hinted)
            pf_buffer_printf(line, "; (+) (-): significant if runs did not vary");
        if (table->hinted)
            append_worths(view, block, table, line);
        return;
    }
    if (table->tests == 0 && block->measure.nature == PF_EXACT) {
        pf_buffer_printf(line, "exact counts, the same in all runs of a side: any change is real");
        return;
    }
    pf_buffer_printf(line, "%s over %zu and %zu runs",
                     table->method == PF_DIFF_WELCH ? "Welch's t" : "moderated t", before, after);
    pf_buffer_printf(line,
                     "; + -: q < 0.05 over %zu %s tested; =: same amounts, or interval within "
                     "%g%%; ~: neither",
                     table->tests, pf_look_noun(&view->look, table->tests != 1),
                     view->terms.margin * 100);
    if (view->terms.least > 0)
        pf_buffer_printf(line, "; .: below %g%%, not tested", view->terms.least);
    if (block->measure.nature == PF_EXACT)
        pf_buffer_printf(line, "; exact counts that are the same in all runs of a side need none");
}

/* Appends "; total +19% (p < 0.001)". */
static void append_verdict(const struct pf_diff_table *table, struct pf_buffer *line)
{
    const struct pf_diff_row *row = &table->total_row;
    char percent[PF_PERCENT_TEXT];

    if (table->total.before == 0)
        return;
    pf_look_percent(pf_percent(table->total.delta, table->total.before), percent);
    pf_buffer_printf(line, "; total %s%s", table->total.delta > 0 && percent[0] != '<' ? "+" : "",
                     percent);
    if (row->exact)
        pf_buffer_printf(line, " (exact)");
    else if (row->tested && row->p < 0.001)
        pf_buffer_printf(line, " (p < 0.001)");
    else if (row->tested)
        pf_buffer_printf(line, " (p = %.3f)", row->p);
}

/* Writes how the verdicts were found, and the result in a sentence. */
static int write_foot(const struct pf_diff_view *view, const struct pf_diff_block *block,
                      const struct pf_diff_table *table, size_t rows)
{
    struct pf_buffer line = {0};
    char rose[PF_AMOUNT_TEXT], fell[PF_AMOUNT_TEXT], rest[PF_AMOUNT_TEXT];
    bool slower = block->scale.time && !view->diff->normalize;
    int status;

    append_method(view, block, table, &line);
    status = pf_look_prose(&view->look, &line);
    line.size = 0;
    if (table->method == PF_DIFF_NOTHING && block->measure.nature != PF_EXACT)
        pf_buffer_printf(&line, "nothing tested");
    else
        pf_buffer_printf(&line, "%s %s %s, %s %s, %s unchanged or too noisy",
                         pf_look_count(&view->look, table->rose, rose),
                         pf_look_noun(&view->look, table->rose != 1), slower ? "slower" : "up",
                         pf_look_count(&view->look, table->fell, fell), slower ? "faster" : "down",
                         pf_look_count(&view->look, rows - table->rose - table->fell, rest));
    if (!view->diff->normalize)
        append_verdict(table, &line);
    if (status == PF_OK)
        status = pf_look_prose(&view->look, &line);
    pf_buffer_free(&line);
    return status;
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
static void print_row(const struct pf_diff_view *view, const struct pf_diff_block *block,
                      const struct pf_diff_table *table, const struct pf_diff_row *row, int width,
                      struct row_texts *texts)
{
    char status[16];
    const struct pf_diff_means *means = pf_diff_compared(table, row);
    const struct pf_diff_means shown = pf_diff_shown_means(table, means);

    pf_diff_print(view, block, shown.before, table->shown_parts, false, texts->before);
    pf_diff_print(view, block, shown.after, table->shown_parts, false, texts->after);
    pf_diff_print(view, block, shown.delta, table->shown_parts, true, texts->delta);
    snprintf(texts->points, sizeof texts->points, fabs(row->points) < 0.005 ? "0" : "%+.2f",
             row->points);
    pf_diff_print_change(row, means, texts->change);
    pf_diff_print_interval(row, means, texts->interval);
    print_status(row, status);
    snprintf(texts->verdict, sizeof texts->verdict, "%c %-*s", row->verdict, width, status);
    pf_diff_print_q(row, texts->q);
}

static const char *color_of(const struct pf_diff_view *view, pf_int128 delta)
{
    return !view->look.color || delta == 0 ? NULL : delta > 0 ? "\033[31m" : "\033[34m";
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

/* A row of the table, the length of its bar, and the width of the longest status of the table. */
struct shown_row {
    const struct pf_diff_row *row;
    double percent;
    int width;
};

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

static void write_row(const struct pf_diff_view *view, const struct pf_diff_block *block,
                      const struct pf_diff_table *table, struct shown_row shown,
                      struct pf_text_table *text, struct pf_buffer buffers[2])
{
    const struct pf_diff_row *row = shown.row;
    pf_int128 delta = pf_diff_compared(table, row)->delta;
    struct row_texts texts;
    struct pf_text_cell cells[COLUMNS] = {{.color = NULL}};
    struct pf_place place;
    size_t n = 0;

    print_row(view, block, table, row, shown.width, &texts);
    buffers[1].size = 0;
    pf_look_bar(&buffers[1], view->look.utf8, shown.percent);
    cells[n++].text = pf_bytes_of(texts.before);
    cells[n++].text = pf_bytes_of(texts.after);
    cells[n].color = color_of(view, delta);
    cells[n++].text = pf_bytes_of(texts.delta);
    cells[n++].text = pf_bytes_of(texts.points);
    cells[n++].text = pf_bytes_of(texts.change);
    if (tested(table)) {
        cells[n++].text = pf_bytes_of(texts.interval);
        cells[n++].text = pf_bytes_of(texts.q);
    }
    cells[n].color = row->verdict == '+' || row->verdict == '-' ? color_of(view, delta) : NULL;
    cells[n++].text = pf_bytes_of(texts.verdict);
    if (!buffers[1].failed)
        cells[n].text = (struct pf_bytes){buffers[1].data, buffers[1].size};
    if (row->key == 0)
        place = (struct pf_place){.name = PF_BYTES("total")};
    else
        pf_look_place(&view->look, &view->diff->keys, row->key, &buffers[0], &place);
    pf_text_table_row(text, cells, &place, 1);
}

/* Writes the head and the table. The rows decide which columns fit a narrow terminal, and the head
 * explains only those. */
static int write_table(const struct pf_diff_view *view, const struct pf_diff_block *block,
                       const struct pf_diff_table *table, size_t shown)
{
    struct pf_text_column columns[COLUMNS];
    struct pf_text_table text = {0};
    struct pf_buffer buffers[2] = {{0}};
    double greatest = 0;
    int status, width = status_width(table, shown);

    for (size_t i = 0; i < shown; i++)
        greatest = fmax(greatest, fabs((double)pf_diff_compared(table, &table->rows[i])->delta));
    pf_text_table_begin(&text, columns, choose_columns(table, columns));
    if (!table->hides_total)
        write_row(view, block, table, (struct shown_row){&table->total_row, 0, width}, &text,
                  buffers);
    for (size_t i = 0; i < shown; i++) {
        double size = fabs((double)pf_diff_compared(table, &table->rows[i])->delta);
        write_row(
            view, block, table,
            (struct shown_row){&table->rows[i], greatest > 0 ? 100 * size / greatest : 0, width},
            &text, buffers);
    }
    status =
        write_head(view, block, table, pf_text_table_shows(&text, POINTS, view->look.terminal));
    int written = pf_look_end(&view->look, &text);

    status = buffers[0].failed || buffers[1].failed ? PF_NOMEM : status != PF_OK ? status : written;
    pf_buffer_free(&buffers[0]);
    pf_buffer_free(&buffers[1]);
    return status;
}

/* Appends which rises the gate would have found. */
static void append_sight(const struct pf_diff_view *view, const struct pf_diff_advice *advice,
                         struct pf_buffer *line)
{
    if (advice->gate_total <= 0 && advice->gate_row <= 0)
        return;
    pf_buffer_printf(line, "; a rise of ");
    if (advice->gate_total > 0) {
        pf_buffer_printf(line, "the total above ");
        append_percent(advice->gate_total - 1, line);
    }
    if (advice->gate_row > 0) {
        pf_buffer_printf(line, "%sa %s of 1%% of the total above ",
                         advice->gate_total > 0 ? ", or of " : "",
                         pf_look_noun(&view->look, false));
        append_percent(advice->gate_row - 1, line);
    }
    pf_buffer_printf(line, "%s would be found", advice->gate_row > 0 ? "," : "");
}

/* Writes what the gate found, and what it could have found. */
static int write_gate(const struct pf_diff_view *view, const struct pf_diff_table *table,
                      size_t rows)
{
    char number[PF_AMOUNT_TEXT], all[PF_AMOUNT_TEXT];
    struct pf_buffer line = {0};
    int status;

    pf_buffer_printf(&line, "%s of %s %s%s rose by more than %s%s",
                     pf_look_count(&view->look, table->count, number),
                     pf_look_count(&view->look, rows, all), pf_look_noun(&view->look, rows != 1),
                     table->hides_total ? "" : ", and the total,", view->gate_text,
                     view->terms.gate->percent ? " of what they were before" : "");
    if (table->count == 0 && table->hides_total)
        append_sight(view, &table->advice, &line);
    status = pf_look_prose(&view->look, &line);
    pf_buffer_free(&line);
    return status;
}

/* Writes the note about rows that are left out, and why. */
static int write_rest(const struct pf_diff_view *view, const struct pf_diff_table *table,
                      size_t shown, size_t rows)
{
    char number[PF_AMOUNT_TEXT], all[PF_AMOUNT_TEXT];
    size_t behind = table->count - shown;
    int status = PF_OK;

    if (view->terms.gate)
        return write_gate(view, table, rows);
    if (rows == 0)
        status = pf_look_note(&view->look, "no record has a value");
    if (status == PF_OK && behind > 0)
        status = pf_look_not_shown(&view->look, true, false, "%s %s",
                                   pf_look_count(&view->look, behind, number),
                                   pf_look_noun(&view->look, behind != 1));
    if (status == PF_OK && table->count < rows)
        status = pf_look_note(&view->look, "... %s of %s %s left out",
                              pf_look_count(&view->look, rows - table->count, number),
                              pf_look_count(&view->look, rows, all),
                              pf_look_noun(&view->look, rows != 1));
    return status;
}

static int write_moved(const struct pf_diff_view *view, const struct pf_diff_table *table)
{
    char number[PF_AMOUNT_TEXT];

    if (table->moved == 0)
        return PF_OK;
    return pf_look_note(&view->look,
                        "... %s %s gone with one file or image and new with another under the same "
                        "name: --by=name joins them",
                        pf_look_count(&view->look, table->moved, number),
                        table->moved == 1 ? "function is" : "functions are");
}

int pf_diff_text(const struct pf_diff_view *view, const struct pf_diff_block *block,
                 const struct pf_diff_table *table, size_t rows)
{
    size_t shown = pf_diff_shown(view, table->count);
    int status = shown > 0 || (rows > 0 && !table->hides_total)
                     ? write_table(view, block, table, shown)
                     : write_head(view, block, table, true);

    if (status == PF_OK)
        status = write_rest(view, table, shown, rows);
    if (status == PF_OK)
        status = write_moved(view, table);
    return status == PF_OK ? write_foot(view, block, table, rows) : status;
}

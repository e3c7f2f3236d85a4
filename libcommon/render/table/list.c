#include "render/table/view.h"

#include "analysis/sum/sort.h"
#include "model/utf8.h"
#include "render/table/prose.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONTEXT = 5 }; /* lines shown around lines with costs, as in pprof */

/* The block that is being written. */
struct writing {
    const struct pf_top *top;
    bool *matched;
    const struct pf_top_block *block;
    struct pf_keys keys;
    struct pf_rank rank; /* rows by line, only of requested functions, sorted by function */
    /* in the order of output; the key of a function is the key of its first line */
    struct pf_rank functions;
    size_t *first; /* by key of a first line: its place in `rank` */
    struct pf_hidden hidden;
    struct pf_buffer scratch, second;
    struct pf_error failure; /* of reading a source file */
};

static int compare_rows(const void *arg, const void *x, const void *y)
{
    const struct pf_row *a = x, *b = y;

    return pf_keys_compare(arg, a->key, b->key);
}

static int select_rows(struct writing *writing, struct pf_error *error)
{
    size_t kept = 0;

    for (size_t i = 0; i < writing->rank.count; i++)
        if (pf_top_list_has(writing->top, &writing->keys, writing->rank.rows[i].key,
                            &writing->scratch))
            writing->rank.rows[kept++] = writing->rank.rows[i];
    writing->rank.count = kept;
    return writing->top->list->status == PF_OK ? PF_OK : pf_error_nomem(error);
}

static bool same_function(const struct writing *writing, const struct pf_row *a,
                          const struct pf_row *b)
{
    return pf_keys_same_function(&writing->keys, a->key, b->key);
}

/* How many rows the function has whose first row is number i. */
static size_t function_rows(const struct writing *writing, size_t i)
{
    const struct pf_rank *rank = &writing->rank;
    size_t count = 1;

    while (i + count < rank->count &&
           same_function(writing, &rank->rows[i], &rank->rows[i + count]))
        count++;
    return count;
}

static int64_t line_of(const struct writing *writing, const struct pf_row *row)
{
    return pf_keys_row(&writing->keys, row->key)->line;
}

/* Appends a source line. On a terminal tabs become blanks, because the width of the line must be
 * known. */
static void append_source(struct writing *writing, struct pf_bytes text, struct pf_buffer *line)
{
    enum { TAB = 8 };
    size_t column = 0;

    for (size_t start = 0; start <= text.size;) {
        const char *tab = memchr(text.data + start, '\t', text.size - start);
        size_t end = tab ? (size_t)(tab - text.data) : text.size;
        struct pf_bytes part =
            pf_text_line((struct pf_bytes){text.data + start, end - start}, 0, &writing->scratch);

        if (start > 0 && writing->top->look.terminal > 0)
            pf_buffer_printf(line, "%*s", (int)(TAB - column % TAB), "");
        else
            pf_buffer_append(line, "\t", start > 0);
        column = start > 0 ? column + TAB - column % TAB : 0;
        pf_buffer_append(line, part.data, part.size);
        column += pf_text_width(part);
        start = end + 1;
    }
}

/* Writes a line. A line wider than the terminal loses its end: the beginning of source text says
 * more. */
static void write_cut(struct writing *writing, struct pf_buffer *line)
{
    const struct pf_top *top = writing->top;
    struct pf_bytes text = {line->data, line->size};

    if (line->failed)
        return;
    if (top->look.terminal == 0 || pf_text_width(text) <= top->look.terminal) {
        pf_sink_write(top->look.sink, text.data, text.size);
    } else {
        pf_sink_write(top->look.sink, text.data, pf_text_prefix(text, top->look.terminal - 1));
        pf_sink_text(top->look.sink, pf_look_mark(&top->look));
    }
    pf_sink_text(top->look.sink, "\n");
}

static void write_line(struct writing *writing, const struct pf_row *row, int64_t number,
                       const struct pf_lines *lines)
{
    const struct pf_scale *scale = &writing->block->subject.scale;
    char flat[PF_AMOUNT_TEXT] = ".", cum[PF_AMOUNT_TEXT] = ".", at[32] = "?";
    struct pf_buffer *line = &writing->second;

    if (row && row->flat != 0)
        pf_scale_print(scale, row->flat, flat);
    if (row && row->cum != 0)
        pf_scale_print(scale, row->cum, cum);
    if (number > 0)
        snprintf(at, sizeof at, "%" PRId64, number);
    line->size = 0;
    pf_buffer_printf(line, "%10s %10s %6s:", flat, cum, at);
    if (number > 0 && (uint64_t)number <= lines->count && lines->lines[number - 1].size > 0) {
        pf_buffer_byte(line, ' ');
        append_source(writing, lines->lines[number - 1], line);
    }
    write_cut(writing, line);
}

/* Writes rows[0 .. last], which are near each other, and the lines around them. */
static void write_range(struct writing *writing, const struct pf_row *rows, size_t last,
                        const struct pf_lines *lines)
{
    int64_t from = line_of(writing, &rows[0]) - CONTEXT, to = line_of(writing, &rows[last]);
    size_t next = 0;

    if ((uint64_t)to < lines->count)
        to = (uint64_t)to + CONTEXT < lines->count ? to + CONTEXT : (int64_t)lines->count;
    for (int64_t line = from > 0 ? from : 1;; line++) {
        bool costs = next <= last && line_of(writing, &rows[next]) == line;
        if (costs || lines->count > 0)
            write_line(writing, costs ? &rows[next] : NULL, line, lines);
        next += costs;
        if (line == to)
            return;
    }
}

/* Writes the rows of a function, which are sorted by line. */
static void write_lines(struct writing *writing, const struct pf_row *rows, size_t count,
                        const struct pf_lines *lines)
{
    size_t next = 0;

    for (; next < count && line_of(writing, &rows[next]) == 0; next++)
        write_line(writing, &rows[next], 0, lines);
    while (next < count) {
        size_t last = next;
        while (last + 1 < count &&
               line_of(writing, &rows[last + 1]) - line_of(writing, &rows[last]) <= 10 * CONTEXT)
            last++;
        write_range(writing, rows + next, last - next, lines);
        next = last + 1;
        if (next < count)
            pf_sink_text(writing->top->look.sink, "       ...\n");
    }
}

/* Writes "My::f in lib/My.pm: flat 3ms (1.09%)". */
static int write_title(struct writing *writing, const struct pf_row *function, bool unknown_source)
{
    const struct pf_top *top = writing->top;
    const struct pf_key *key = pf_keys_row(&writing->keys, function->key);
    uint32_t file = key->file;
    struct pf_buffer line = {0};
    char amount[PF_AMOUNT_TEXT], share[PF_PERCENT_TEXT];
    unsigned flags;
    struct pf_bytes text = pf_keys_name(&writing->keys, function->key, &writing->scratch, &flags);
    int status;

    text = pf_text_line(text, flags, &writing->second);
    pf_buffer_append(&line, text.data, text.size);
    text = pf_text_line(pf_dict_string(top->look.dict, file),
                        top->look.dict->strings.rows[file].flags, &writing->scratch);
    pf_buffer_printf(&line, "%s", text.size > 0 ? " in " : "");
    pf_buffer_append(&line, text.data, text.size);
    if (key->first > 0)
        pf_buffer_printf(&line, ":%" PRId64, key->first);
    pf_look_percent(pf_percent(function->flat, writing->block->whole), share);
    pf_buffer_printf(&line, ": flat %s (%s)%s",
                     pf_scale_print(&writing->block->subject.scale, function->flat, amount), share,
                     unknown_source ? "; its source is neither in the profile nor on the disk"
                                    : "");
    pf_sink_text(top->look.sink, "\n");
    status = pf_look_prose(&top->look, &line);
    pf_buffer_free(&line);
    return status;
}

static int write_function(struct writing *writing, const struct pf_row *function)
{
    const struct pf_top *top = writing->top;
    size_t first = writing->first[function->key];
    struct pf_lines lines;
    int status = pf_sources_lines(
        top->sources,
        pf_dict_string(top->look.dict, pf_keys_row(&writing->keys, function->key)->file), &lines,
        &writing->failure);

    if (status < 0)
        return status;
    status = write_title(writing, function, status == PF_EOF);
    pf_sink_printf(top->look.sink, "%10s %10s %6s\n", "flat", "cum", "line");
    write_lines(writing, &writing->rank.rows[first], function_rows(writing, first), &lines);
    pf_lines_free(&lines);
    return status;
}

static void write_block(void *state, struct pf_sheet *unused)
{
    struct writing *writing = state;
    struct pf_top functions = *writing->top;
    int status = PF_OK;

    (void)unused;
    functions.look.by = PF_BY_FUNCTION;
    for (size_t i = 0; i < writing->functions.count && status == PF_OK; i++)
        status = write_function(writing, &writing->functions.rows[i]);
    if (status == PF_OK)
        status = pf_top_hidden(&functions, writing->block, &writing->hidden);
    writing->scratch.failed = writing->scratch.failed ||
                              (status != PF_OK && writing->failure.code == PF_OK);
}

/* Adds up the lines of a function. Its cumulative amount is the greatest of a line: the sum of the
 * lines would count a call several times. */
static int add_lines(struct pf_row *function, const struct pf_row *rows, size_t count,
                     struct pf_error *error)
{
    *function = rows[0];
    for (size_t k = 1; k < count; k++) {
        if (!pf_add64(function->flat, rows[k].flat, &function->flat) ||
            !pf_add64(function->calls, rows[k].calls, &function->calls))
            return pf_error_set(error, PF_OVERFLOW,
                                "the sum of the lines of a function overflows 64 bits");
        if (fabs((double)rows[k].cum) > fabs((double)function->cum))
            function->cum = rows[k].cum;
    }
    return PF_OK;
}

/* Makes a row for each function. owners[line key]: the number of the function, from 1. */
static int add_functions(struct writing *writing, size_t *owners, struct pf_error *error)
{
    const struct pf_rank *rank = &writing->rank;
    int status = PF_OK;

    for (size_t i = 0, count; i < rank->count && status == PF_OK; i += count) {
        count = function_rows(writing, i);
        writing->first[rank->rows[i].key] = i;
        status = add_lines(&writing->functions.rows[writing->functions.count++], &rank->rows[i],
                           count, error);
        for (size_t k = 0; k < count; k++)
            owners[rank->rows[i + k].key] = writing->functions.count;
    }
    return status;
}

/* Sets the exact cumulative amounts of functions, from stacks. */
static int set_cums(struct writing *writing, const size_t *owners, struct pf_error *error)
{
    const struct pf_top *top = writing->top;
    struct pf_keys keys;
    struct pf_rank rank = {0};
    int64_t *cums = NULL;
    int status = pf_top_keys(top, PF_BY_FUNCTION, 0, &keys, error);

    if (status == PF_OK)
        status = pf_rank_make(&rank, top->accumulator, &writing->block->subject, &keys, error);
    if (status == PF_OK && (cums = calloc(keys.table.count, sizeof *cums)) == NULL)
        status = pf_error_nomem(error);
    for (size_t i = 0; i < rank.count && status == PF_OK; i++)
        cums[rank.rows[i].key] = rank.rows[i].cum;
    for (size_t place = 1; place < keys.places_done && status == PF_OK; place++) {
        size_t owner = owners[writing->keys.places[place]];
        if (owner > 0)
            writing->functions.rows[owner - 1].cum = cums[keys.places[place]];
    }
    free(cums);
    pf_rank_free(&rank);
    pf_keys_free(&keys);
    return status;
}

/* Makes and sorts the functions, and drops those that are not shown. */
static int order_functions(struct writing *writing, struct pf_error *error)
{
    const struct pf_top *top = writing->top;
    size_t keys = writing->keys.table.count, *owners = calloc(keys, sizeof *owners);
    int status = PF_OK;

    writing->functions.rows = calloc(writing->rank.count + 1, sizeof *writing->functions.rows);
    writing->first = calloc(keys, sizeof *writing->first);
    if (!owners || !writing->functions.rows || !writing->first)
        status = pf_error_nomem(error);
    if (status == PF_OK)
        status = add_functions(writing, owners, error);
    if (status == PF_OK && writing->block->subject.kind == PF_SAMPLE)
        status = set_cums(writing, owners, error);
    free(owners);
    if (status == PF_OK && pf_rank_sort(&writing->functions, &writing->keys, top->sort) != PF_OK)
        status = pf_error_nomem(error);
    if (status == PF_OK)
        pf_rank_limit(&writing->functions, top->limit, top->min_percent, writing->block->whole,
                      top->sort, &writing->hidden);
    return status;
}

static int make(void *state, const struct pf_top_block *block, struct pf_error *error)
{
    struct writing *writing = state;
    const struct pf_top *top = writing->top;
    int status = pf_top_keys(top, PF_BY_LINE, 0, &writing->keys, error);

    writing->block = block;
    if (status == PF_OK)
        status =
            pf_rank_make(&writing->rank, top->accumulator, &block->subject, &writing->keys, error);
    if (status == PF_OK)
        status = select_rows(writing, error);
    if (status == PF_OK &&
        pf_sort(writing->rank.rows, writing->rank.count, sizeof *writing->rank.rows, compare_rows,
                &writing->keys) != PF_OK)
        status = pf_error_nomem(error);
    if (status == PF_OK)
        status = order_functions(writing, error);
    *writing->matched = *writing->matched || writing->rank.count > 0;
    return status;
}

static int drop(void *state, int status, struct pf_error *error)
{
    struct writing *writing = state;

    if (status == PF_OK && writing->failure.code != PF_OK) {
        *error = writing->failure;
        status = error->code;
    }
    if (status == PF_OK && (writing->scratch.failed || writing->second.failed))
        status = pf_error_nomem(error);
    pf_buffer_free(&writing->scratch);
    pf_buffer_free(&writing->second);
    free(writing->first);
    pf_rank_free(&writing->functions);
    pf_rank_free(&writing->rank);
    pf_keys_free(&writing->keys);
    *writing = (struct writing){.top = writing->top, .matched = writing->matched};
    return status;
}

int pf_top_list(const struct pf_top *top, bool *matched, struct pf_error *error)
{
    static const struct pf_top_view view = {.make = make, .write = write_block, .drop = drop};
    struct writing writing = {.top = top, .matched = matched};

    if (top->form != PF_SHEET_TEXT)
        return pf_top_table(top, matched, error);
    *matched = false;
    return pf_top_show(top, &view, &writing, error);
}

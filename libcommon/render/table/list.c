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

/* The functions of a block. page->rank has the rows by line, only of requested functions, sorted by
 * function. */
struct own {
    /* in the order of output; the key of a function is the key of its first line */
    struct pf_rank functions;
    size_t *first; /* by key of a first line: its place in page->rank */
};

static int compare_rows(const void *arg, const void *x, const void *y)
{
    const struct pf_row *a = x, *b = y;

    return pf_keys_compare(arg, a->key, b->key);
}

/* How many rows the function has whose first row is number i. */
static size_t function_rows(const struct pf_top_page *page, size_t i)
{
    const struct pf_rank *rank = &page->rank;
    size_t count = 1;

    while (i + count < rank->count &&
           pf_keys_same_function(&page->keys, rank->rows[i].key, rank->rows[i + count].key))
        count++;
    return count;
}

static int64_t line_of(const struct pf_top_page *page, const struct pf_row *row)
{
    return pf_keys_row(&page->keys, row->key)->line;
}

/* Appends a source line. On a terminal tabs become blanks, because the width of the line must be
 * known. */
static void append_source(struct pf_top_page *page, struct pf_bytes text, struct pf_buffer *line)
{
    enum { TAB = 8 };
    size_t column = 0;

    for (size_t start = 0; start <= text.size;) {
        const char *tab = memchr(text.data + start, '\t', text.size - start);
        size_t end = tab ? (size_t)(tab - text.data) : text.size;
        struct pf_bytes part =
            pf_text_line((struct pf_bytes){text.data + start, end - start}, 0, &page->scratch);

        if (start > 0 && page->top->look.terminal > 0)
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
static void write_cut(struct pf_top_page *page, struct pf_buffer *line)
{
    const struct pf_top *top = page->top;
    struct pf_bytes text = {line->data, line->size};

    if (line->failed)
        return;
    if (top->look.terminal == 0 || pf_text_width(text) <= top->look.terminal) {
        pf_sink_write(top->look.sink, text.data, text.size);
    } else {
        pf_sink_write(top->look.sink, text.data, pf_text_prefix(text, top->look.terminal - 1));
        pf_sink_text(top->look.sink, top->look.sink->mark);
    }
    pf_sink_text(top->look.sink, "\n");
}

static void write_line(struct pf_top_page *page, const struct pf_row *row, int64_t number,
                       const struct pf_lines *lines)
{
    const struct pf_scale *scale = &page->block->subject.scale;
    char flat[PF_AMOUNT_TEXT] = ".", cum[PF_AMOUNT_TEXT] = ".", at[32] = "?";
    struct pf_buffer *line = &page->second;

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
        append_source(page, lines->lines[number - 1], line);
    }
    write_cut(page, line);
}

/* Writes rows[0 .. last], which are near each other, and the lines around them. */
static void write_range(struct pf_top_page *page, const struct pf_row *rows, size_t last,
                        const struct pf_lines *lines)
{
    int64_t from = line_of(page, &rows[0]) - CONTEXT, to = line_of(page, &rows[last]);
    size_t next = 0;

    if ((uint64_t)to < lines->count)
        to = (uint64_t)to + CONTEXT < lines->count ? to + CONTEXT : (int64_t)lines->count;
    for (int64_t line = from > 0 ? from : 1;; line++) {
        bool costs = next <= last && line_of(page, &rows[next]) == line;
        if (costs || lines->count > 0)
            write_line(page, costs ? &rows[next] : NULL, line, lines);
        next += costs;
        if (line == to)
            return;
    }
}

/* Writes the rows of a function, which are sorted by line. */
static void write_lines(struct pf_top_page *page, const struct pf_row *rows, size_t count,
                        const struct pf_lines *lines)
{
    size_t next = 0;

    for (; next < count && line_of(page, &rows[next]) == 0; next++)
        write_line(page, &rows[next], 0, lines);
    while (next < count) {
        size_t last = next;
        while (last + 1 < count &&
               line_of(page, &rows[last + 1]) - line_of(page, &rows[last]) <= 10 * CONTEXT)
            last++;
        write_range(page, rows + next, last - next, lines);
        next = last + 1;
        if (next < count)
            pf_sink_text(page->top->look.sink, "       ...\n");
    }
}

/* Writes "My::f in lib/My.pm: flat 3ms (1.09%)". */
static int write_title(struct pf_top_page *page, const struct pf_row *function, bool unknown_source)
{
    const struct pf_top *top = page->top;
    const struct pf_key *key = pf_keys_row(&page->keys, function->key);
    uint32_t file = key->file;
    struct pf_buffer line = {0};
    char amount[PF_AMOUNT_TEXT], share[PF_PERCENT_TEXT];
    unsigned flags;
    struct pf_bytes text = pf_keys_name(&page->keys, function->key, &page->scratch, &flags);
    int status;

    text = pf_text_line(text, flags, &page->second);
    pf_buffer_append(&line, text.data, text.size);
    text = pf_text_line(pf_dict_string(top->look.dict, file),
                        top->look.dict->strings.rows[file].flags, &page->scratch);
    pf_buffer_printf(&line, "%s", text.size > 0 ? " in " : "");
    pf_buffer_append(&line, text.data, text.size);
    if (key->first > 0)
        pf_buffer_printf(&line, ":%" PRId64, key->first);
    pf_look_percent(pf_percent(function->flat, page->block->whole), share);
    pf_buffer_printf(&line, ": flat %s (%s)%s",
                     pf_scale_print(&page->block->subject.scale, function->flat, amount), share,
                     unknown_source ? "; its source is neither in the profile nor on the disk"
                                    : "");
    pf_sink_text(top->look.sink, "\n");
    status = pf_look_prose(&top->look, &line);
    pf_buffer_free(&line);
    return status;
}

static int write_function(struct pf_top_page *page, const struct pf_row *function)
{
    const struct pf_top *top = page->top;
    const struct own *own = page->own;
    size_t first = own->first[function->key];
    uint32_t file = pf_keys_row(&page->keys, function->key)->file;
    struct pf_lines lines;
    int status =
        pf_sources_lines(top->sources, pf_dict_string(top->look.dict, file), &lines, page->error);

    if (status < 0)
        return status;
    status = write_title(page, function, status == PF_EOF);
    pf_sink_printf(top->look.sink, "%10s %10s %6s\n", "flat", "cum", "line");
    write_lines(page, &page->rank.rows[first], function_rows(page, first), &lines);
    pf_lines_free(&lines);
    return status;
}

static int write_text(struct pf_top_page *page)
{
    const struct own *own = page->own;
    struct pf_look functions = page->top->look;
    int status = PF_OK;

    for (size_t i = 0; i < own->functions.count && status == PF_OK; i++)
        status = write_function(page, &own->functions.rows[i]);
    functions.by = PF_BY_FUNCTION;
    return status == PF_OK ? pf_top_hidden(page, &functions) : status;
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
static int add_functions(struct pf_top_page *page, size_t *owners)
{
    const struct pf_rank *rank = &page->rank;
    struct own *own = page->own;
    int status = PF_OK;

    for (size_t i = 0, count; i < rank->count && status == PF_OK; i += count) {
        count = function_rows(page, i);
        own->first[rank->rows[i].key] = i;
        status = add_lines(&own->functions.rows[own->functions.count++], &rank->rows[i], count,
                           page->error);
        for (size_t k = 0; k < count; k++)
            owners[rank->rows[i + k].key] = own->functions.count;
    }
    return status;
}

/* Sets the exact cumulative amounts of functions, from stacks. */
static int set_cums(struct pf_top_page *page, const size_t *owners)
{
    const struct pf_top *top = page->top;
    const struct own *own = page->own;
    struct pf_keys keys;
    struct pf_rank rank = {0};
    int64_t *cums = NULL;
    int status = pf_keys_init(&keys, top->look.dict, PF_BY_FUNCTION, 0);

    if (status == PF_OK)
        status = pf_rank_make(&rank, top->accumulator, &page->block->subject, &keys, page->error);
    if (status == PF_OK && (cums = calloc(keys.table.count, sizeof *cums)) == NULL)
        status = PF_NOMEM;
    for (size_t i = 0; i < rank.count && status == PF_OK; i++)
        cums[rank.rows[i].key] = rank.rows[i].cum;
    for (size_t place = 1; place < keys.places_done && status == PF_OK; place++) {
        size_t owner = owners[page->keys.places[place]];
        if (owner > 0)
            own->functions.rows[owner - 1].cum = cums[keys.places[place]];
    }
    free(cums);
    pf_rank_free(&rank);
    pf_keys_free(&keys);
    return status;
}

/* Makes and sorts the functions, and drops those that are not shown. */
static int order_functions(struct pf_top_page *page)
{
    const struct pf_top *top = page->top;
    struct own *own = page->own;
    size_t keys = page->keys.table.count, *owners = calloc(keys, sizeof *owners);
    int status = PF_NOMEM;

    own->functions.rows = calloc(page->rank.count + 1, sizeof *own->functions.rows);
    own->first = calloc(keys, sizeof *own->first);
    if (owners && own->functions.rows && own->first)
        status = add_functions(page, owners);
    if (status == PF_OK && page->block->subject.kind == PF_SAMPLE)
        status = set_cums(page, owners);
    free(owners);
    if (status == PF_OK)
        status = pf_rank_sort(&own->functions, &page->keys, top->sort);
    if (status == PF_OK)
        pf_rank_limit(&own->functions, top->limit, top->min_percent, page->block->whole, top->sort,
                      &page->hidden);
    return status;
}

static int make(struct pf_top_page *page)
{
    struct pf_rank *rank = &page->rank;
    int status = pf_top_rank(page);

    *page->matched = *page->matched || rank->count > 0;
    if (status == PF_OK)
        status = pf_sort(rank->rows, rank->count, sizeof *rank->rows, compare_rows, &page->keys);
    return status == PF_OK ? order_functions(page) : status;
}

static void free_own(void *state)
{
    struct own *own = state;

    free(own->first);
    pf_rank_free(&own->functions);
}

const struct pf_top_view pf_top_list = {
    .own_size = sizeof(struct own),
    .make = make,
    .write_text = write_text,
    .free_own = free_own,
};

#include "render/top_parts.h"

#include "analysis/sort.h"
#include "model/utf8.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { CONTEXT = 5 }; /* lines shown around those that cost something, as pprof does */

/* One block being written. */
struct writing {
    const struct pf_top *top;
    bool *matched;
    const struct pf_top_block *block;
    struct pf_keys keys;
    struct pf_rank rank; /* by line; those of functions asked for, function by function */
    struct pf_buffer scratch, second;
    struct pf_error failure; /* of a source */
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
        if (pf_top_list_has(writing->top, &writing->keys, writing->rank.rows[i].key, &writing->scratch))
            writing->rank.rows[kept++] = writing->rank.rows[i];
    writing->rank.count = kept;
    return writing->top->list->status == PF_OK ? PF_OK : pf_error_nomem(error);
}

static bool same_function(const struct writing *writing, const struct pf_row *a, const struct pf_row *b)
{
    return pf_keys_same_function(&writing->keys, a->key, b->key);
}

static int64_t line_of(const struct writing *writing, const struct pf_row *row)
{
    return pf_keys_row(&writing->keys, row->key)->line;
}

static void write_line(struct writing *writing, const struct pf_row *row, int64_t number, const struct pf_lines *lines)
{
    const struct pf_scale *scale = &writing->block->subject.scale;
    struct pf_sink *sink = writing->top->sink;
    char flat[PF_AMOUNT_TEXT] = ".", cum[PF_AMOUNT_TEXT] = ".", at[32] = "?";
    struct pf_bytes text = {"", 0};

    if (row != NULL && row->flat != 0)
        pf_scale_print(scale, row->flat, flat);
    if (row != NULL && row->cum != 0)
        pf_scale_print(scale, row->cum, cum);
    if (number > 0)
        snprintf(at, sizeof at, "%" PRId64, number);
    if (number > 0 && (uint64_t)number <= lines->count && lines->lines[number - 1].data != NULL)
        text = lines->lines[number - 1];
    pf_sink_printf(sink, "%10s %10s %6s:", flat, cum, at);
    for (size_t start = 0; text.size > 0 && start <= text.size;) { /* a tab is no control here */
        const char *tab = memchr(text.data + start, '\t', text.size - start);
        size_t end = tab != NULL ? (size_t)(tab - text.data) : text.size;
        struct pf_bytes part = pf_text_line((struct pf_bytes){text.data + start, end - start}, 0, &writing->scratch);
        pf_sink_text(sink, start == 0 ? " " : "\t");
        pf_sink_write(sink, part.data, part.size);
        start = end + 1;
    }
    pf_sink_text(sink, "\n");
}

/* Rows rows[0 .. last], which are not far from each other, with the lines around them. */
static void write_range(struct writing *writing, const struct pf_row *rows, size_t last, const struct pf_lines *lines)
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

/* Rows of one function, sorted by line. */
static void write_lines(struct writing *writing, const struct pf_row *rows, size_t count, const struct pf_lines *lines)
{
    size_t next = 0;

    for (; next < count && line_of(writing, &rows[next]) == 0; next++)
        write_line(writing, &rows[next], 0, lines);
    while (next < count) {
        size_t last = next;
        while (last + 1 < count && line_of(writing, &rows[last + 1]) - line_of(writing, &rows[last]) <= 10 * CONTEXT)
            last++;
        write_range(writing, rows + next, last - next, lines);
        next = last + 1;
        if (next < count)
            pf_sink_text(writing->top->sink, "       ...\n");
    }
}

static int write_function(struct writing *writing, const struct pf_row *rows, size_t count)
{
    const struct pf_top *top = writing->top;
    const struct pf_key *key = pf_keys_row(&writing->keys, rows[0].key);
    const struct pf_scale *scale = &writing->block->subject.scale;
    struct pf_lines lines;
    pf_int128 flat = 0;
    char amount[PF_AMOUNT_TEXT], share[PF_PERCENT_TEXT];
    struct pf_bytes text;
    unsigned flags;
    int status = pf_sources_lines(top->sources, pf_dict_string(top->dict, key->file), &lines,
                                  &writing->failure);

    if (status < 0)
        return status;
    for (size_t i = 0; i < count; i++)
        flat += rows[i].flat;
    text = pf_keys_name(&writing->keys, rows[0].key, &writing->scratch, &flags);
    text = pf_text_line(text, flags, &writing->second);
    pf_sink_text(top->sink, "\n");
    pf_sink_write(top->sink, text.data, text.size);
    text = pf_text_line(pf_dict_string(top->dict, key->file), top->dict->strings.rows[key->file].flags, &writing->scratch);
    if (text.size > 0) {
        pf_sink_text(top->sink, " in ");
        pf_sink_write(top->sink, text.data, text.size);
    }
    if (key->first > 0)
        pf_sink_printf(top->sink, ":%" PRId64, key->first);
    pf_top_percent(pf_percent(flat, writing->block->whole), share);
    pf_sink_printf(top->sink, ": flat %s (%s)%s\n", pf_scale_print(scale, flat, amount), share,
                   status == PF_EOF ? "; its source is neither in the profile nor on the disk" : "");
    pf_sink_printf(top->sink, "%10s %10s %6s\n", "flat", "cum", "line");
    write_lines(writing, rows, count, &lines);
    pf_lines_free(&lines);
    return PF_OK;
}

static void write_block(void *state, struct pf_sheet *unused)
{
    struct writing *writing = state;
    const struct pf_rank *rank = &writing->rank;
    int status = PF_OK;

    (void)unused;
    for (size_t i = 0, count; i < rank->count && status == PF_OK; i += count) {
        const struct pf_row *rows = &rank->rows[i];
        for (count = 1; i + count < rank->count && same_function(writing, rows, rows + count);)
            count++;
        status = write_function(writing, rows, count);
    }
}

static int make(void *state, const struct pf_top_block *block, struct pf_error *error)
{
    struct writing *writing = state;
    const struct pf_top *top = writing->top;
    int status = pf_keys_init(&writing->keys, top->dict, PF_BY_LINE, 0) == PF_OK ? PF_OK : pf_error_nomem(error);

    writing->block = block;
    if (status == PF_OK)
        status = pf_rank_make(&writing->rank, top->accumulator, &block->subject, &writing->keys, error);
    if (status == PF_OK)
        status = select_rows(writing, error);
    if (status == PF_OK &&
        pf_sort(writing->rank.rows, writing->rank.count, sizeof *writing->rank.rows, compare_rows, &writing->keys) != PF_OK)
        status = pf_error_nomem(error);
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
    pf_rank_free(&writing->rank);
    pf_keys_free(&writing->keys);
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

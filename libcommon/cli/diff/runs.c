#include "cli/diff/runs.h"

#include "base/memory.h"
#include "cli/hint.h"
#include "cli/operands.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A file or directory of a side, and the run to which it belongs. */
struct entry {
    const char *name;
    size_t position, group; /* group: position of the first entry of the run */
};

static size_t root_of(const struct entry *entries, size_t at)
{
    while (entries[at].group != at)
        at = entries[at].group;
    return at;
}

/* Joins the groups of two entries; the first entry of both names the group. */
static void join(struct entry *entries, size_t a, size_t b)
{
    a = root_of(entries, a);
    b = root_of(entries, b);
    entries[a > b ? a : b].group = a > b ? b : a;
}

/* Compares the key of a series with that of a file. */
static int compare_key(const void *key, const void *file)
{
    return strcmp(key, ((const struct pf_series_file *)file)->series.key);
}

/* Finds which entries are one run: files of one process (but not copies of one file), and the files
 * of the process that started this process. */
static void find_groups(struct pf_runs *runs, struct entry *entries, size_t from, size_t count)
{
    char *const *names = runs->names->names + from;
    struct pf_series_file *files = count > 1 ? pf_operands_series(runs->common, names, count)
                                             : NULL;

    for (size_t i = 0; files && i < count; i++) {
        const struct pf_series *series = &files[i].series;
        const struct pf_series_file *parent =
            bsearch(series->parent, files, count, sizeof *files, compare_key);

        if (files[i].first != files[i].position && series->ordinal != files[i - 1].series.ordinal)
            join(entries, files[i - 1].position, files[i].position);
        if (series->key[0] != '\0' && parent && parent->series.key[0] != '\0')
            join(entries, files[i].position, parent->first);
    }
    for (size_t i = 0; i < count; i++)
        entries[i].group = root_of(entries, i);
    free(files);
}

static int compare_groups(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return x->position < y->position ? -1 : x->position > y->position;
}

static void add_run(struct pf_runs *runs, const char *name, unsigned side, size_t first,
                    size_t *capacity)
{
    if (!pf_grow(&runs->runs, capacity, runs->count + 1, sizeof *runs->runs))
        pf_tool_nomem(&runs->common->tool);
    runs->runs[runs->count++] = (struct pf_run){.name = name, .side = side, .first = first};
}

/* Adds the files of a run, in order, after the files of earlier runs. `inside`: the directory of
 * the side. */
static void add_files(struct pf_runs *runs, struct pf_operands *files, const struct entry *entries,
                      size_t count, const char *inside)
{
    struct pf_operands own = {0};

    for (size_t i = 0; i < count; i++)
        if (pf_operands_directory(entries[i].name))
            pf_operands_add_directory(&own, runs->common, entries[i].name, inside);
        else
            pf_operands_add(&own, runs->common, pf_bytes_of(entries[i].name));
    if (own.count > 1)
        pf_operands_order(&own, runs->common);
    for (size_t i = 0; i < own.count; i++)
        pf_operands_add(files, runs->common, pf_bytes_of(own.names[i]));
    runs->runs[runs->count - 1].count = own.count;
    pf_operands_free(&own);
}

static void add_entries(struct pf_runs *runs, struct pf_operands *files, unsigned side, size_t from,
                        size_t *capacity)
{
    size_t count = runs->names->count - from;
    struct entry *entries = pf_tool_calloc(&runs->common->tool, count + 1, sizeof *entries);
    for (size_t i = 0; i < count; i++)
        entries[i] = (struct entry){runs->names->names[from + i], i, i};
    find_groups(runs, entries, from, count);
    qsort(entries, count, sizeof *entries, compare_groups);
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && entries[next].group == entries[i].group;)
            next++;
        add_run(runs, entries[i].name, side, files->count, capacity);
        add_files(runs, files, &entries[i], next - i, runs->sides[side].name);
        if (runs->runs[runs->count - 1].count == 0)
            runs->count--; /* a directory without files */
    }
    free(entries);
}

static void expand_side(struct pf_runs *runs, struct pf_operands *files, unsigned side,
                        size_t *capacity)
{
    struct pf_common *common = runs->common;
    const char *name = runs->sides[side].name;
    size_t from = runs->names->count;
    struct pf_error error = {0};

    if (name[0] == '@' && name[1] != '\0')
        pf_operands_add_list(runs->names, common, name + 1);
    else if (pf_operands_directory(name))
        pf_operands_add_entries(runs->names, common, name);
    else
        pf_operands_add(runs->names, common, pf_bytes_of(name));
    runs->sides[side].first = runs->count;
    add_entries(runs, files, side, from, capacity);
    runs->sides[side].count = runs->count - runs->sides[side].first;
    if (runs->sides[side].count == 0) {
        if (common->tool.status >= PF_EXIT_INPUT)
            pf_tool_quit(&common->tool);
        pf_error_set(&error, PF_FAILED, "the set has no runs");
        pf_tool_die(&common->tool, name, &error, false);
    }
}

static void check_standard_input(struct pf_common *common, const struct pf_operands *files)
{
    size_t count = 0;

    for (size_t i = 0; i < files->count; i++)
        count += strcmp(files->names[i], "-") == 0;
    if (count > 0 && isatty(STDIN_FILENO))
        pf_tool_usage(&common->tool, "standard input is a terminal: give a FILE or a pipe");
    if (count > 1)
        pf_tool_usage(&common->tool, "standard input can be only one run");
}

/* Makes a side of each operand. */
static void make_sides(struct pf_runs *runs, bool reverse)
{
    struct pf_common *common = runs->common;
    struct pf_operands *names = runs->names;

    if (common->files0_from)
        pf_operands_add_files0(names, common, common->files0_from);
    for (unsigned i = 0; i < common->operand_count; i++)
        pf_operands_add(names, common, pf_bytes_of(common->operands[i]));
    runs->side_count = names->count;
    runs->sides = pf_tool_calloc(&common->tool, names->count + 1, sizeof *runs->sides);
    for (size_t i = 0; i < names->count; i++)
        runs->sides[i].name = names->names[reverse ? names->count - 1 - i : i];
}

struct pf_runs *pf_runs_open(struct pf_common *common, size_t least, size_t most, const char *what,
                             bool reverse)
{
    struct pf_runs *runs = pf_tool_calloc(&common->tool, 1, sizeof *runs);
    struct pf_operands files = {0};
    size_t capacity = 0;

    runs->names = pf_tool_calloc(&common->tool, 1, sizeof *runs->names);
    runs->common = common;
    make_sides(runs, reverse);
    if (most == 2 && runs->side_count > most)
        pf_hint_sides(common, what, runs->names->names, runs->side_count);
    if (runs->side_count < least || (most > 0 && runs->side_count > most))
        pf_tool_usage(&common->tool, "%s; there %s %zu", what, runs->side_count == 1 ? "is" : "are",
                      runs->side_count);
    for (unsigned side = 0; side < runs->side_count; side++)
        expand_side(runs, &files, side, &capacity);
    check_standard_input(common, &files);
    runs->inputs = pf_inputs_open_names(common, &files);
    return runs;
}

void pf_runs_close(struct pf_runs *runs)
{
    pf_inputs_close(runs->inputs);
    pf_operands_free(runs->names);
    free(runs->names);
    free(runs->sides);
    free(runs->runs);
    free(runs);
}

static enum pf_run_event end_run(struct pf_runs *runs, size_t *run, bool *whole)
{
    runs->runs[runs->at].left_out = !runs->chosen;
    *run = runs->at++;
    *whole = !runs->damaged;
    runs->begun = runs->damaged = false;
    return PF_RUN_END;
}

enum pf_run_event pf_runs_next(struct pf_runs *runs, struct pf_batch *batch, size_t *run,
                               bool *whole)
{
    struct pf_event event;

    while (pf_inputs_next(runs->inputs, &event) == PF_OK) {
        struct pf_run *at = &runs->runs[runs->at];
        bool ended = event.kind == PF_EVENT_END;

        if (!ended && event.kind != PF_EVENT_BATCH)
            continue;
        runs->given = (runs->begun && runs->given) || !ended;
        runs->chosen = (runs->begun && runs->chosen) || !event.input->left_out;
        runs->begun = true;
        runs->reached = runs->at + 1;
        *run = runs->at;
        *batch = event.batch;
        if (!ended)
            return PF_RUN_BATCH;
        runs->damaged = runs->damaged || !event.input->complete;
        at->disputed = at->disputed || event.input->disputed;
        if (event.input->number + 1 == at->first + at->count)
            return end_run(runs, run, whole);
    }
    return runs->begun ? end_run(runs, run, whole) : PF_RUN_EOF;
}

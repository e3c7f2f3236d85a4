#include "analysis/filter/select.h"

#include "analysis/filter/frames.h"
#include "analysis/filter/label_tests.h"
#include "analysis/filter/min_value.h"
#include "base/memory.h"
#include "model/copied_rows.h"
#include "model/units.h"

#include <stdlib.h>
#include <string.h>

struct pf_select {
    const struct pf_dict *dict;
    bool no_section, invert;

    struct pf_label_tests labels;
    uint8_t label_asked;        /* enum pf_label_mark of all expressions together */
    uint8_t label_verdict[256]; /* by marks: 1: selected */

    struct pf_frames frames;
    uint8_t frame_verdict[256];
    uint8_t *stacks; /* marks by stack; 0: not known yet */
    size_t stack_capacity;
    uint32_t *path; /* scratch: stacks to be tested, the innermost first */
    size_t path_capacity;
    uint8_t seen; /* the marks of all records together */

    unsigned kinds, kinds_seen; /* bits 1 << kind; kinds 0: all */

    bool timed, time_seen, time_matched;
    int64_t from, to, first, last;

    struct pf_min_value least;

    uint8_t *keep;
    uint32_t *order; /* rows that are selected, then the others */
    size_t keep_capacity, order_capacity;
    struct pf_copied_rows rows;
};

struct pf_select *pf_select_new(const struct pf_dict *dict)
{
    struct pf_select *select = calloc(1, sizeof *select);

    if (select)
        select->dict = dict;
    return select;
}

void pf_select_free(struct pf_select *select)
{
    if (!select)
        return;
    pf_label_tests_free(&select->labels);
    pf_frames_free(&select->frames);
    pf_min_value_free(&select->least);
    pf_copied_rows_free(&select->rows);
    free(select->stacks);
    free(select->path);
    free(select->keep);
    free(select->order);
    free(select);
}

/* --- the expressions -------------------------------------------------------------------------- */

/* A set is selected if it has all needed marks and no refused mark. */
static void make_label_verdicts(struct pf_select *select)
{
    uint8_t needed = select->label_asked & (PF_LABEL_SECTION | PF_LABEL_MATCHED);
    uint8_t refused = PF_LABEL_IGNORED | (select->no_section ? PF_LABEL_IN_SECTION : 0);

    for (unsigned marks = 0; marks < 256; marks++)
        select->label_verdict[marks] = (marks & needed) == needed && !(marks & refused);
}

static void make_frame_verdicts(struct pf_select *select)
{
    uint8_t needed = select->frames.marks & (PF_SELECT_FOCUS | PF_SELECT_LEAF | PF_SELECT_ROOT);

    for (unsigned marks = 0; marks < 256; marks++)
        select->frame_verdict[marks] = (marks & needed) == needed && !(marks & PF_SELECT_IGNORE);
}

static int add_label(struct pf_select *select, enum pf_label_mark mark, const char *text,
                     unsigned flags, struct pf_error *error)
{
    select->label_asked |= (uint8_t)mark;
    make_label_verdicts(select);
    return pf_label_tests_add(&select->labels, mark, text, flags, error);
}

void pf_select_no_section(struct pf_select *select)
{
    select->no_section = true;
    select->label_asked |= PF_LABEL_IN_SECTION;
    make_label_verdicts(select);
}

static int add_frame(struct pf_select *select, enum pf_select_rule rule, const char *text,
                     unsigned flags, struct pf_error *error)
{
    int status = pf_frames_add(&select->frames, (uint8_t)rule, text, flags, error);

    make_frame_verdicts(select);
    return status;
}

static int add_kind(struct pf_select *select, const char *name, struct pf_error *error)
{
    for (unsigned kind = 0; kind < PF_RECORD_KINDS; kind++)
        if (strcmp(name, pf_kind_name((enum pf_kind)kind)) == 0) {
            select->kinds |= 1u << kind;
            return PF_OK;
        }
    return pf_error_set(error, PF_USAGE, "unknown kind '%s'; kinds: sample, flat, edge", name);
}

static int set_time(struct pf_select *select, const char *text, struct pf_error *error)
{
    static const char suffixes[] = PF_TIME_SUFFIXES;
    const char *comma = strchr(text, ',');

    select->timed = true;
    select->from = INT64_MIN;
    select->to = INT64_MAX;
    if (comma && (comma > text || comma[1] != '\0') &&
        (comma == text || pf_parse_scaled((struct pf_bytes){text, (size_t)(comma - text)}, suffixes,
                                          &select->from)) &&
        (comma[1] == '\0' || pf_parse_scaled(pf_bytes_of(comma + 1), suffixes, &select->to)))
        return PF_OK;
    return pf_error_set(
        error, PF_USAGE,
        "--time takes FROM,TO in nanoseconds or with a suffix (ns us ms s), not '%s'", text);
}

int pf_select_add(struct pf_select *select, enum pf_select_rule rule, const char *text,
                  unsigned flags, struct pf_error *error)
{
    switch (rule) {
    case PF_SELECT_LABEL: return add_label(select, PF_LABEL_MATCHED, text, flags, error);
    case PF_SELECT_IGNORE_LABEL: return add_label(select, PF_LABEL_IGNORED, text, flags, error);
    case PF_SELECT_SECTION: return add_label(select, PF_LABEL_SECTION, text, flags, error);
    case PF_SELECT_KIND: return add_kind(select, text, error);
    case PF_SELECT_TIME: return set_time(select, text, error);
    default: return add_frame(select, rule, text, flags, error);
    }
}

int pf_select_min_value(struct pf_select *select, const char *text, const char *measure,
                        struct pf_error *error)
{
    return pf_min_value_parse(&select->least, text, measure, error);
}

void pf_select_invert(struct pf_select *select)
{
    select->invert = true;
}

bool pf_select_takes_all(const struct pf_select *select)
{
    return !select->invert && select->label_asked == 0 && select->frames.count == 0 &&
           select->kinds == 0 && !select->timed && !select->least.text;
}

bool pf_select_needs_total(const struct pf_select *select)
{
    return select->least.text && select->least.percent;
}

int pf_select_total(struct pf_select *select, const struct pf_batch *batch, struct pf_error *error)
{
    if (batch->kind < PF_RECORD_KINDS &&
        pf_min_value_add(&select->least, select->dict, batch) != PF_OK)
        return pf_error_nomem(error);
    return PF_OK;
}

/* --- tests of a batch ------------------------------------------------------------------------- */

static void test_labels(struct pf_select *select, const struct pf_batch *batch, uint8_t *keep)
{
    for (uint32_t i = 0; i < batch->rows; i++) {
        uint32_t set = batch->labels ? batch->labels[i] : 0;

        keep[i] &= select->label_verdict[pf_label_tests_marks(&select->labels, select->dict, set)];
    }
}

/* The marks of a stack: the marks of all frames, PF_SELECT_LEAF only of the leaf, PF_SELECT_ROOT
 * only of the root. 0: out of memory. */
static uint8_t mark_stack(struct pf_select *select, uint32_t stack)
{
    uint8_t *stacks = select->stacks;
    size_t depth = 0;

    for (uint32_t at = stack; stacks[at] == 0; at = pf_dict_stack(select->dict, at)->parent) {
        if (!pf_grow(&select->path, &select->path_capacity, depth + 1, sizeof *select->path))
            return 0;
        select->path[depth++] = at;
    }
    while (depth > 0) {
        uint32_t node = select->path[--depth];
        const struct pf_stack *row = pf_dict_stack(select->dict, node);
        uint8_t own = pf_frames_marks(&select->frames, select->dict, row->location);

        if (row->parent != 0)
            own &= (uint8_t)~PF_SELECT_ROOT;
        stacks[node] = own | (stacks[row->parent] & (uint8_t)~PF_SELECT_LEAF);
    }
    return stacks[stack];
}

static bool test_stacks(struct pf_select *select, const struct pf_batch *batch, uint8_t *keep)
{
    uint8_t seen = 0;

    for (uint32_t i = 0; i < batch->rows; i++) {
        uint32_t stack = batch->stack ? batch->stack[i] : 0;
        uint8_t marks = select->stacks[stack];

        if (marks == 0 && (marks = mark_stack(select, stack)) == 0)
            return false;
        seen |= marks;
        keep[i] &= select->frame_verdict[marks];
    }
    select->seen |= seen;
    return true;
}

static void test_places(struct pf_select *select, const struct pf_batch *batch, uint8_t *keep)
{
    bool edge = batch->kind == PF_EDGE;

    for (uint32_t i = 0; i < batch->rows; i++) {
        uint32_t place = batch->location ? batch->location[i] : 0;
        uint8_t marks = pf_frames_marks(&select->frames, select->dict, place);

        if (edge) {
            uint32_t callee = batch->callee ? batch->callee[i] : 0;

            marks =
                (marks & (uint8_t)~PF_SELECT_LEAF) |
                (pf_frames_marks(&select->frames, select->dict, callee) & (uint8_t)~PF_SELECT_ROOT);
        }
        select->seen |= marks;
        keep[i] &= select->frame_verdict[marks];
    }
}

static int test_frames(struct pf_select *select, const struct pf_batch *batch, uint8_t *keep)
{
    if (pf_frames_prepare(&select->frames, select->dict) != PF_OK ||
        !pf_grow_clear(&select->stacks, &select->stack_capacity, select->dict->stacks.count, 1))
        return PF_NOMEM;
    select->stacks[0] = PF_FRAME_KNOWN;
    if (batch->kind != PF_SAMPLE)
        test_places(select, batch, keep);
    else if (!test_stacks(select, batch, keep))
        return PF_NOMEM;
    return pf_frames_status(&select->frames);
}

static void test_time(struct pf_select *select, const struct pf_batch *batch, uint8_t *keep)
{
    if (!batch->time) {
        memset(keep, 0, batch->rows);
        return;
    }
    for (uint32_t i = 0; i < batch->rows; i++) {
        int64_t time = batch->time[i];
        bool inside = time >= select->from && time < select->to;

        if (!select->time_seen || time < select->first)
            select->first = time;
        if (!select->time_seen || time > select->last)
            select->last = time;
        select->time_seen = true;
        select->time_matched |= inside;
        keep[i] &= inside;
    }
}

/* Sets keep[i] to 1 for the records that satisfy all expressions, else to 0. */
static int test_batch(struct pf_select *select, const struct pf_batch *batch,
                      struct pf_error *error)
{
    uint8_t *keep = select->keep;
    int status = PF_OK;

    select->kinds_seen |= 1u << batch->kind;
    memset(keep, select->kinds == 0 || select->kinds >> batch->kind & 1 ? 1 : 0, batch->rows);
    if (select->label_asked != 0) {
        if (pf_label_tests_prepare(&select->labels, select->dict) != PF_OK)
            return PF_NOMEM;
        test_labels(select, batch, keep);
        status = pf_label_tests_status(&select->labels);
    }
    if (status == PF_OK && select->frames.count > 0)
        status = test_frames(select, batch, keep);
    if (status == PF_OK && select->timed)
        test_time(select, batch, keep);
    if (status == PF_OK && select->least.text)
        status = pf_min_value_test(&select->least, select->dict, batch, keep, error);
    return status;
}

/* Selects all records that count runs (model/replicates.h): the selected part of the profile comes
 * from the same number of runs. */
static void keep_runs(const struct pf_select *select, const struct pf_batch *batch)
{
    for (uint32_t k = 0; k < batch->value_count; k++) {
        const int64_t *runs = batch->values[k].data;

        if (!runs || !pf_measures_row(&select->dict->measures, batch->values[k].measure)->runs)
            continue;
        for (uint32_t i = 0; i < batch->rows; i++)
            if (runs[i] != 0)
                select->keep[i] = !select->invert;
    }
}

/* Lists the selected rows, then the others; returns the number of selected rows. Without branches,
 * because the selection is as good as random. */
static uint32_t list_rows(const struct pf_select *select, uint32_t rows)
{
    uint32_t *stay = select->order, *go = select->order + rows, kept = 0;
    uint8_t flip = select->invert ? 1 : 0;

    for (uint32_t i = 0; i < rows; i++) {
        uint32_t stays = select->keep[i] ^ flip;

        stay[kept] = i;
        go[i - kept] = i;
        kept += stays;
    }
    return kept;
}

int pf_select_batch(struct pf_select *select, const struct pf_batch *from, struct pf_batch *to,
                    struct pf_removed *removed, struct pf_error *error)
{
    uint32_t rows = from->rows, kept;
    int status;

    *to = *from;
    if (rows == 0)
        return PF_OK;
    if (!pf_grow(&select->keep, &select->keep_capacity, rows, 1) ||
        !pf_grow(&select->order, &select->order_capacity, 2 * (size_t)rows, sizeof *select->order))
        return pf_error_nomem(error);
    status = test_batch(select, from, error);
    if (status != PF_OK)
        return status == PF_NOMEM ? pf_error_nomem(error) : status;
    keep_runs(select, from);
    kept = list_rows(select, rows);
    if (kept == rows)
        return PF_OK;
    if (pf_removed_count(removed, select->dict, from, select->order + rows, rows - kept) != PF_OK ||
        pf_copied_rows_take(&select->rows, from, select->order, kept, to) != PF_OK)
        return pf_error_nomem(error);
    return PF_OK;
}

/* --- the report ------------------------------------------------------------------------------- */

static void report_kinds(const struct pf_select *select, const struct pf_report *report)
{
    char names[64] = "";
    size_t used = 0;

    if (select->kinds == 0)
        return;
    for (unsigned kind = 0; kind < PF_RECORD_KINDS; kind++)
        if (select->kinds_seen >> kind & 1) {
            const char *name = pf_kind_name((enum pf_kind)kind);
            size_t size = strlen(name);

            memcpy(names + used, ", ", used > 0 ? 2 : 0);
            used += used > 0 ? 2 : 0;
            memcpy(names + used, name, size + 1);
            used += size;
        }
    for (unsigned kind = 0; kind < PF_RECORD_KINDS; kind++)
        if (select->kinds >> kind & ~(select->kinds_seen >> kind) & 1)
            pf_report_send(report, PF_WARNING, "no record is of kind '%s'; kinds here: %s",
                           pf_kind_name((enum pf_kind)kind), used > 0 ? names : "none");
}

static void report_frames(const struct pf_select *select, const struct pf_report *report)
{
    static const struct {
        enum pf_select_rule mark;
        const char *what;
    } ends[] = {{PF_SELECT_LEAF, "leaf"}, {PF_SELECT_ROOT, "root"}};
    uint8_t matched = 0;

    pf_frames_report(&select->frames, report);
    for (size_t i = 0; i < select->frames.count; i++)
        if (select->frames.tests[i].matched)
            matched |= select->frames.tests[i].mark;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (matched & ends[i].mark & ~select->seen)
            pf_report_send(report, PF_WARNING, "no record has a %s frame that matches --%s",
                           ends[i].what, ends[i].what);
}

int pf_select_report(const struct pf_select *select, const char *format,
                     const struct pf_report *report)
{
    int status = pf_label_tests_report(&select->labels, select->dict, format, report);

    if (select->no_section && select->labels.seen != 0 && !select->labels.seen_outside)
        pf_report_send(report, PF_WARNING, "every record is in a section");
    report_frames(select, report);
    report_kinds(select, report);
    if (select->timed && !select->time_seen)
        pf_report_send(report, PF_WARNING, "no record has a time");
    else if (select->timed && !select->time_matched)
        pf_report_send(
            report, PF_WARNING,
            "no record is in the requested time; the records are from %lld ns to %lld ns",
            (long long)select->first, (long long)select->last);
    if (select->least.text && !select->invert)
        pf_min_value_report(&select->least, select->dict, report);
    return status;
}

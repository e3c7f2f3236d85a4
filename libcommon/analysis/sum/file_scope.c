#include "analysis/sum/file_scope.h"

#include "analysis/sum/slices.h"

#include <stdlib.h>

struct scope {
    struct pf_accumulator *calls, *stacks;
    struct pf_dict *dict;
    struct pf_error *error;
    struct pf_measure time; /* the FLAT measure of the time of statements */
    pf_int128 total;        /* of `time`, in its raw units */
    uint32_t name;          /* string: main::RUNTIME */
    uint32_t function;      /* main::RUNTIME in the file of the program */
    uint32_t location;      /* a location of this function, without a line */
    struct pf_file_scope added;
};

bool pf_file_scope_possible(const struct pf_dict *dict, const struct pf_facts *facts)
{
    return facts->before.count == 0 && pf_facts_calls_tell(facts, dict);
}

static uint32_t caller_function(const struct scope *scope, uint32_t edge)
{
    const struct pf_edge *row = pf_accumulator_edge(scope->calls, edge);

    return pf_dict_location(scope->dict, row->caller)->function;
}

static bool is_runtime(const struct scope *scope, uint32_t function)
{
    return function != 0 && pf_dict_function(scope->dict, function)->name == scope->name;
}

/* --- the function ----------------------------------------------------------------------------- */

/* The better candidate for the program's main::RUNTIME: a function whose first line is known,
 * because NYTProf knows the first line in the program's file; else the first by file name. */
static bool is_better(const struct pf_dict *dict, uint32_t function, uint32_t than)
{
    const struct pf_function *a = pf_dict_function(dict, function),
                             *b = pf_dict_function(dict, than);

    if (than == 0 || (a->start_line > 0) != (b->start_line > 0))
        return than == 0 || a->start_line > 0;
    return pf_bytes_compare(pf_dict_string(dict, a->file), pf_dict_string(dict, b->file)) < 0;
}

static uint32_t find_caller(const struct scope *scope)
{
    uint32_t best = 0;

    for (uint32_t edge = 1; edge < scope->calls->edges.count; edge++) {
        uint32_t function = caller_function(scope, edge);
        if (is_runtime(scope, function) && function != best &&
            is_better(scope->dict, function, best))
            best = function;
    }
    return best;
}

/* *file: the file whose statements outside of all subs cost the most, a string; 0 if no file has
 * such statements. */
static int find_file(const struct scope *scope, const struct pf_sums *time, uint32_t *file)
{
    int64_t *sums = calloc(scope->dict->strings.count, sizeof *sums);

    if (!sums)
        return pf_error_nomem(scope->error);
    *file = 0;
    for (size_t place = 1; place < time->count; place++) {
        const struct pf_location *location = pf_dict_location(scope->dict, (uint32_t)place);
        uint32_t here = pf_dict_function(scope->dict, location->function)->file;
        if (location->kind == PF_FRAME_SUB || here == 0 ||
            !pf_add64(sums[here], time->data[place], &sums[here]))
            continue;
        if (*file == 0 || sums[here] > sums[*file])
            *file = here;
    }
    free(sums);
    return PF_OK;
}

static int find_place(struct scope *scope, const struct pf_sums *time)
{
    struct pf_location place = {.kind = PF_FRAME_MAIN};
    struct pf_function function = {.name = scope->name};

    scope->function = find_caller(scope);
    if (scope->function == 0 && find_file(scope, time, &function.file) != PF_OK)
        return PF_NOMEM;
    if (scope->function == 0)
        scope->function = pf_dict_add_function(scope->dict, &function);
    place.function = scope->function;
    scope->location = pf_dict_add_location(scope->dict, &place);
    return pf_dict_status(scope->dict) == PF_OK ? PF_OK : pf_error_nomem(scope->error);
}

/* --- the time --------------------------------------------------------------------------------- */

static int too_big(const struct scope *scope, const struct pf_measure *measure)
{
    struct pf_bytes name = pf_dict_string(scope->dict, measure->name);

    return pf_error_set(scope->error, PF_OVERFLOW, "the sum of measure '%s' overflows 64 bits",
                        pf_clip(name).text);
}

/* Adds one record without labels to the sums. `of` is the measure; num, den and raw unit come from
 * `scale`. */
static int add_value(struct scope *scope, struct pf_accumulator *to, const struct pf_measure *of,
                     const struct pf_measure *scale, uint32_t place, pf_int128 value)
{
    struct pf_measure measure = *of;
    const uint32_t nobody = 0;
    int64_t number = (int64_t)value;
    struct pf_value_column column = {.data = &number};
    struct pf_batch batch = {
        .kind = (enum pf_kind)of->kind, .rows = 1, .values = &column, .value_count = 1};

    if (value > INT64_MAX || value < INT64_MIN)
        return too_big(scope, of);
    measure.num = scale->num;
    measure.den = scale->den;
    measure.raw_unit = scale->raw_unit;
    column.measure = pf_measures_intern(&scope->dict->measures, &measure);
    if (column.measure == UINT32_MAX)
        return pf_error_nomem(scope->error);
    if (batch.kind == PF_SAMPLE)
        batch.stack = &place;
    else
        batch.location = &nobody;
    batch.callee = batch.kind == PF_EDGE ? &place : NULL;
    int status = pf_accumulator_add(to, &batch, scope->error);
    to->records[batch.kind]--;
    return status;
}

/* *record: the row of the sums of `to` for a stack, or for the call of a location without a caller;
 * UINT32_MAX if there is no such call. */
static int record_of(struct scope *scope, struct pf_accumulator *to, enum pf_kind kind,
                     uint32_t place, uint32_t labels, uint32_t *record)
{
    struct pf_edge edge = {0, place};

    *record = place;
    if (kind == PF_EDGE)
        *record = to->edges.count > 0 && pf_table_find(&to->edges, &edge) != 0
                      ? pf_table_find(&to->edges, &edge)
                      : UINT32_MAX;
    else if (to->slices && pf_merge_records_find(&to->slices->records, scope->dict->stacks.count,
                                                 &place, NULL, &labels, 1, record) != PF_OK)
        return pf_error_nomem(scope->error);
    return PF_OK;
}

/* The value of a row; NULL if the sums have no such row. */
static int64_t *value_of(struct pf_accumulator *to, const struct pf_measure *measure,
                         uint32_t record)
{
    struct pf_sums *sums = pf_ledger_same(&to->ledger, measure);

    return sums && record < sums->count ? &sums->data[record] : NULL;
}

/* Adds the time of statements minus `sum`, the self times in units of `own`, to the measure
 * `of`. */
static int add_rest(struct scope *scope, struct pf_accumulator *to, const struct pf_measure *of,
                    const struct pf_measure *own, pf_int128 sum, uint32_t place)
{
    int status = add_value(scope, to, of, &scope->time, place, scope->total);

    return status == PF_OK ? add_value(scope, to, of, own, place, -sum) : status;
}

/* Adds the time outside of all subs to the self times. *more is false, and no time is added, if
 * this time is not above 0 or if records already have time of main::RUNTIME. */
static int add_own(struct scope *scope, struct pf_accumulator *to, const struct pf_measure *own,
                   pf_int128 sum, uint32_t place, bool *more)
{
    uint32_t record = 0;
    int64_t *value;
    int status = record_of(scope, to, (enum pf_kind)own->kind, place, 0, &record);

    *more = false;
    if (status != PF_OK || ((value = value_of(to, own, record)) != NULL && *value != 0))
        return status;
    status = add_rest(scope, to, own, own, sum, place);
    if (status == PF_OK)
        status = record_of(scope, to, (enum pf_kind)own->kind, place, 0, &record);
    if (status != PF_OK || (value = value_of(to, own, record)) == NULL)
        return status;
    *more = *value > 0;
    *value = *more ? *value : 0;
    return PF_OK;
}

/* --- calls ------------------------------------------------------------------------------------ */

/* The measure of a kind and role that has the unit of `scope->time`, the main one first. NULL:
 * no such measure. */
static const struct pf_measure *own_measure(const struct scope *scope,
                                            const struct pf_accumulator *accumulator,
                                            enum pf_kind kind, enum pf_role role)
{
    const struct pf_measure *best = NULL;

    for (uint32_t i = 0; i < accumulator->ledger.count; i++) {
        const struct pf_sums *sums = &accumulator->ledger.sums[i];
        const struct pf_measure *measure = &sums->quantity.measure;
        if (measure->kind == kind && measure->role == role && measure->unit == scope->time.unit &&
            sums->kept && measure->aggregation == PF_SUM &&
            (!best || (measure->main && !best->main)))
            best = measure;
    }
    return best;
}

/* Turns calls of main::RUNTIME from other files than the program's into calls from the program's
 * file, because NYTProf knows the caller only by its name. */
static int join_callers(struct scope *scope)
{
    uint32_t count = scope->calls->edges.count;
    int status = PF_OK;

    for (uint32_t edge = 1; edge < count && status == PF_OK; edge++) {
        struct pf_edge row = *pf_accumulator_edge(scope->calls, edge);
        struct pf_location place = *pf_dict_location(scope->dict, row.caller);
        if (place.function == scope->function || !is_runtime(scope, place.function))
            continue;
        place.function = scope->function;
        row.caller = pf_dict_add_location(scope->dict, &place);
        uint32_t to = pf_table_intern(&scope->calls->edges, &row);
        if (row.caller == 0 || to == 0)
            return pf_error_nomem(scope->error);
        status = pf_accumulator_move(scope->calls, PF_EDGE, edge, to, scope->error);
    }
    return status;
}

/* The inclusive time of the calls that main::RUNTIME makes. */
static pf_int128 sum_calls(const struct scope *scope, const struct pf_sums *inclusive)
{
    pf_int128 sum = 0;

    for (uint32_t edge = 1; edge < inclusive->count; edge++) {
        const struct pf_edge *row = pf_accumulator_edge(scope->calls, edge);
        if (is_runtime(scope, caller_function(scope, edge)) &&
            !is_runtime(scope, pf_dict_location(scope->dict, row->callee)->function))
            sum += inclusive->data[edge];
    }
    return sum;
}

static int add_call(struct scope *scope, const struct pf_measure *own,
                    const struct pf_measure *inclusive, bool *more)
{
    const struct pf_measure excl = *own, incl = *inclusive;
    const struct pf_sums *sums = pf_ledger_same(&scope->calls->ledger, &excl);
    pf_int128 sum = sums ? pf_sums_total(sums) : 0;
    int status = add_own(scope, scope->calls, &excl, sum, scope->location, more);

    if (status != PF_OK || !*more)
        return status;
    if ((sums = pf_ledger_same(&scope->calls->ledger, &incl)) != NULL)
        status =
            add_value(scope, scope->calls, &incl, &incl, scope->location, sum_calls(scope, sums));
    return status == PF_OK ? add_rest(scope, scope->calls, &incl, &excl, sum, scope->location)
                           : status;
}

/* True if the program calls no sub, so that all statements are outside of subs. If calls were just
 * not recorded, there are statements inside of subs. */
static bool calls_nothing(const struct scope *scope, const struct pf_sums *time)
{
    bool outside = false;

    for (size_t place = 1; place < time->count; place++) {
        enum pf_frame_kind kind =
            (enum pf_frame_kind)pf_dict_location(scope->dict, (uint32_t)place)->kind;
        if (time->data[place] != 0 && kind == PF_FRAME_SUB)
            return false;
        outside = outside || kind == PF_FRAME_MAIN;
    }
    return outside && scope->calls->records[PF_EDGE] == 0 && scope->stacks->records[PF_SAMPLE] == 0;
}

static void note_call(struct scope *scope)
{
    const struct pf_edge edge = {0, scope->location};

    scope->added.edge = pf_table_find(&scope->calls->edges, &edge);
    scope->added.location = scope->location;
}

/* Adds the call of main::RUNTIME. `silent`: the program calls no sub, so the measures of
 * the call are made here. */
static int add_to_calls(struct scope *scope, bool silent, enum pf_by by)
{
    struct pf_measure own = scope->time, inclusive = own;
    const struct pf_measure *known_own = own_measure(scope, scope->calls, PF_EDGE, PF_SELF);
    const struct pf_measure *known_inclusive =
        own_measure(scope, scope->calls, PF_EDGE, PF_INCLUSIVE);
    bool more = false;

    own.kind = inclusive.kind = PF_EDGE;
    own.name = pf_dict_intern(scope->dict, PF_BYTES("excl"), PF_UTF8);
    inclusive.name = pf_dict_intern(scope->dict, PF_BYTES("incl"), PF_UTF8);
    own.side = inclusive.side = PF_NO_SIDE;
    own.main = 0;
    inclusive.main = 1;
    inclusive.role = PF_INCLUSIVE;
    if (!silent && (!known_own || !known_inclusive))
        return PF_OK;
    int status =
        add_call(scope, silent ? &own : known_own, silent ? &inclusive : known_inclusive, &more);

    if (status == PF_OK && more && by == PF_BY_FUNCTION)
        status = join_callers(scope);
    if (status == PF_OK && more)
        note_call(scope);
    scope->calls->file_scope = more;
    return status;
}

/* --- stacks ----------------------------------------------------------------------------------- */

/* called[f]: main::RUNTIME calls function f. NULL: out of memory. */
static bool *mark_called(const struct scope *scope)
{
    bool *called = calloc(scope->dict->functions.count, sizeof *called);

    for (uint32_t edge = 1; called && edge < scope->calls->edges.count; edge++) {
        const struct pf_edge *row = pf_accumulator_edge(scope->calls, edge);
        if (is_runtime(scope, caller_function(scope, edge)))
            called[pf_dict_location(scope->dict, row->callee)->function] = true;
    }
    return called;
}

/* moved[s]: the stack s below `root` if main::RUNTIME calls its first function, else s. */
static void move_stacks(struct scope *scope, const bool *called, uint32_t root, uint32_t *moved,
                        uint32_t count)
{
    for (uint32_t stack = 1; stack < count; stack++) {
        struct pf_stack row = *pf_dict_stack(scope->dict, stack);
        bool first = row.parent == 0;

        moved[stack] = stack;
        if (first && stack != root && called[pf_dict_location(scope->dict, row.location)->function])
            moved[stack] = pf_dict_add_frame(scope->dict, root, row.location);
        else if (!first && moved[row.parent] != row.parent)
            moved[stack] = pf_dict_add_frame(scope->dict, moved[row.parent], row.location);
    }
}

static int move_records(struct scope *scope, const uint32_t *moved, uint32_t stacks)
{
    struct pf_accumulator *to = scope->stacks;
    size_t count = to->slices ? pf_merge_records_count(&to->slices->records) : stacks;
    int status = PF_OK;

    for (size_t from = 0; from < count && status == PF_OK; from++) {
        uint32_t stack = (uint32_t)from, labels = 0, record;
        if (to->slices) {
            stack = pf_merge_records_key(&to->slices->records, from)->place - 1;
            labels = pf_merge_records_key(&to->slices->records, from)->labels;
        }
        if (stack == 0 || moved[stack] == stack)
            continue;
        status = record_of(scope, to, PF_SAMPLE, moved[stack], labels, &record);
        if (status == PF_OK)
            status = pf_accumulator_move(to, PF_SAMPLE, from, record, scope->error);
    }
    return status;
}

static int put_below(struct scope *scope, uint32_t root)
{
    uint32_t count = scope->dict->stacks.count, *moved = calloc(count, sizeof *moved);
    bool *called = mark_called(scope);
    int status = PF_NOMEM;

    if (moved && called) {
        move_stacks(scope, called, root, moved, count);
        status = pf_dict_status(scope->dict);
    }
    status = status == PF_OK ? move_records(scope, moved, count) : pf_error_nomem(scope->error);
    scope->added.stack = root;
    scope->added.moved = moved;
    scope->added.moved_count = count;
    free(called);
    return status;
}

static int add_to_stacks(struct scope *scope, bool silent)
{
    struct pf_measure own = scope->time;
    const struct pf_measure *known = own_measure(scope, scope->stacks, PF_SAMPLE, PF_SELF);
    uint32_t root = pf_dict_add_frame(scope->dict, 0, scope->location);
    bool more = false;

    own.kind = PF_SAMPLE;
    own.side = PF_NO_SIDE;
    own.name = pf_dict_intern(scope->dict, PF_BYTES("excl"), PF_UTF8);
    if (root == 0 || own.name == 0)
        return pf_error_nomem(scope->error);
    if (!known && (!silent || scope->stacks == scope->calls))
        return PF_OK;
    own = known ? *known : own;
    pf_int128 sum = known ? pf_sums_total(pf_ledger_same(&scope->stacks->ledger, &own)) : 0;
    int status = add_own(scope, scope->stacks, &own, sum, root, &more);

    scope->stacks->file_scope = scope->stacks->file_scope || more;
    return status == PF_OK && more ? put_below(scope, root) : status;
}

/* --- the whole -------------------------------------------------------------------------------- */

/* The sums of the statements' time; NULL if several measures have this name, as in a difference. */
static struct pf_sums *find_time(const struct pf_accumulator *accumulator)
{
    struct pf_sums *found = NULL;
    bool several = false;

    for (uint32_t i = 0; i < accumulator->ledger.count; i++) {
        struct pf_sums *sums = &accumulator->ledger.sums[i];
        const struct pf_measure *measure = &sums->quantity.measure;
        if (measure->kind != PF_FLAT || measure->role != PF_SELF ||
            !pf_bytes_equal(pf_dict_string(accumulator->dict, measure->name), PF_BYTES("time")))
            continue;
        several = several || found;
        found = sums;
    }
    return several ? NULL : found;
}

int pf_file_scope_add(struct pf_accumulator *calls, struct pf_accumulator *stacks,
                      struct pf_dict *dict, const struct pf_facts *facts, enum pf_by by,
                      struct pf_file_scope *added, struct pf_error *error)
{
    struct scope scope = {.calls = calls, .stacks = stacks, .dict = dict, .error = error};
    const struct pf_sums *time =
        pf_file_scope_possible(dict, facts) && !calls->by_labels ? find_time(calls) : NULL;
    bool silent;
    int status;

    if (!time || (scope.total = pf_sums_total(time)) <= 0)
        return PF_OK;
    scope.time = time->quantity.measure;
    scope.name = pf_dict_intern(dict, PF_BYTES("main::RUNTIME"), 0);
    silent = calls_nothing(&scope, time);
    if (!silent && calls->records[PF_EDGE] == 0 && stacks->records[PF_SAMPLE] == 0)
        return PF_OK;
    status = find_place(&scope, time);
    if (status == PF_OK)
        status = add_to_calls(&scope, silent, by);
    if (status == PF_OK)
        status = add_to_stacks(&scope, silent);
    if (added)
        *added = scope.added;
    else
        free(scope.added.moved);
    return status;
}

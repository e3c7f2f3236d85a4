#include "analysis/sum/callers.h"

#include "analysis/sum/accumulate.h"
#include "analysis/sum/subject.h"

#include <stdlib.h>

enum { CALLS, SELF, INCLUSIVE, RECURSIVE, DEPTH, COLUMNS, TOLD = RECURSIVE };

/* A function and the EDGE records of its calls. */
struct function {
    /* the function's totals; the part of them for calls that have records */
    int64_t told[TOLD], target[TOLD];
    pf_int128 known[TOLD]; /* sums of the records; INCLUSIVE: of calls by other functions */
    pf_int128 others;      /* number of calls by other functions */
    pf_int128 passed[TOLD];
    int64_t given[TOLD];
    uint32_t location; /* a location of the function; 0: no FLAT record has totals of it */
    uint32_t records;  /* number of records of calls by other functions */
    bool settled, recursive;
};

struct pf_callers {
    struct pf_dict *dict;
    struct pf_accumulator accumulator;
    const struct pf_sums *calls[TOLD], *told[TOLD]; /* EDGE and FLAT sums; NULL: there are none */
    struct function *functions;                     /* by function id */
    size_t function_count, next; /* next: the next edge, then the next function */
    bool ready;

    uint32_t rows, caller[PF_BATCH_ROWS], callee[PF_BATCH_ROWS];
    int64_t values[COLUMNS][PF_BATCH_ROWS];
    struct pf_value_column columns[COLUMNS];
    uint32_t column_count;
};

void pf_callers_free(struct pf_callers *callers)
{
    if (!callers)
        return;
    pf_accumulator_free(&callers->accumulator);
    free(callers->functions);
    free(callers);
}

/* --- reading ---------------------------------------------------------------------------------- */

static bool is_inclusive(const struct pf_measure *measure)
{
    return measure->role == PF_INCLUSIVE && measure->aggregation == PF_SUM;
}

static bool has_inclusive(const struct pf_dict *dict, const struct pf_batch *batch)
{
    bool any = false;

    for (uint32_t k = 0; k < batch->value_count && !any; k++)
        any = is_inclusive(pf_measures_row(&dict->measures, batch->values[k].measure));
    return any;
}

static bool names_functions(const struct pf_dict *dict, const struct pf_batch *batch)
{
    bool any = false;

    for (uint32_t k = 0; batch->location && k < batch->rows && !any; k++)
        any = pf_subject_names(dict, batch->location[k]);
    return any;
}

static bool has_measure(const struct pf_batch *batch, uint32_t measure)
{
    bool any = false;

    for (uint32_t k = 0; k < batch->value_count && !any; k++)
        any = batch->values[k].measure == measure;
    return any;
}

/* True if FLAT records have totals for the functions of these calls. If a total is 0 everywhere,
 * its column may be missing. */
static bool have_totals(const struct pf_callers *callers, const struct pf_batch *batch)
{
    const struct pf_measures *measures = &callers->dict->measures;
    bool counts_only = !has_inclusive(callers->dict, batch), any = false;

    for (uint32_t k = 0; k < pf_measures_count(measures) && !any; k++)
        any = pf_measures_row(measures, k)->kind == PF_EDGE &&
              (counts_only || has_measure(batch, k)) &&
              pf_subject_told(&callers->accumulator, pf_measures_row(measures, k));
    return any;
}

static int add_calls(struct pf_callers *callers, const struct pf_batch *batch,
                     struct pf_error *error)
{
    const struct pf_measures *measures = &callers->dict->measures;
    int status = PF_OK;

    for (uint32_t k = 0; k < pf_measures_count(measures) && status == PF_OK; k++) {
        struct pf_value_column column = {.measure = k};
        struct pf_batch declaration = {.kind = PF_EDGE, .values = &column, .value_count = 1};
        if (pf_measures_row(measures, k)->kind == PF_EDGE &&
            pf_subject_beside(&callers->accumulator, pf_measures_row(measures, k)))
            status = pf_accumulator_add(&callers->accumulator, &declaration, error);
    }
    return status == PF_OK ? pf_accumulator_add(&callers->accumulator, batch, error) : status;
}

int pf_callers_take(struct pf_callers **callers, struct pf_dict *dict, const struct pf_batch *batch,
                    bool *held, struct pf_error *error)
{
    *held = false;
    if (batch->rows == 0 || (batch->kind == PF_EDGE && !*callers) ||
        (batch->kind == PF_FLAT && !(has_inclusive(dict, batch) && names_functions(dict, batch))))
        return PF_OK;
    if (!*callers && !(*callers = calloc(1, sizeof **callers)))
        return pf_error_nomem(error);
    (*callers)->dict = dict;
    (*callers)->accumulator.dict = dict;
    if (batch->kind == PF_FLAT)
        return pf_accumulator_add(&(*callers)->accumulator, batch, error);
    *held = have_totals(*callers, batch);
    return *held ? add_calls(*callers, batch, error) : PF_OK;
}

bool pf_callers_told(const struct pf_callers *callers, const struct pf_measure *flat)
{
    const struct pf_measures *measures = callers ? &callers->dict->measures : NULL;

    for (uint32_t k = 0;
         callers && flat->kind == PF_FLAT && is_inclusive(flat) && k < pf_measures_count(measures);
         k++) {
        const struct pf_measure *measure = pf_measures_row(measures, k);
        if (measure->kind == PF_EDGE && measure->name == flat->name &&
            pf_subject_told(&callers->accumulator, measure))
            return true;
    }
    return false;
}

/* --- totals ----------------------------------------------------------------------------------- */

static const struct pf_measure *measure_of(const struct pf_sums *sums)
{
    return &sums->quantity.measure;
}

static void choose_sums(struct pf_callers *callers)
{
    const struct pf_accumulator *accumulator = &callers->accumulator;
    const struct pf_sums *inclusive = NULL;

    for (uint32_t k = 0; k < accumulator->ledger.count && !inclusive; k++)
        if (measure_of(&accumulator->ledger.sums[k])->kind == PF_EDGE &&
            pf_subject_told(accumulator, measure_of(&accumulator->ledger.sums[k])))
            inclusive = &accumulator->ledger.sums[k];
    for (uint32_t k = 0; k < accumulator->ledger.count && inclusive; k++) {
        const struct pf_sums *sums = &accumulator->ledger.sums[k];
        const struct pf_measure *measure = measure_of(sums);
        size_t to = sums == inclusive                          ? INCLUSIVE
                    : pf_measure_calls(callers->dict, measure) ? CALLS
                    : measure->role == PF_SELF && measure->unit == measure_of(inclusive)->unit
                        ? SELF
                        : TOLD;
        if (measure->kind != PF_EDGE || to == TOLD || callers->calls[to])
            continue;
        callers->calls[to] = sums;
        callers->told[to] = pf_subject_beside(accumulator, measure);
    }
}

static uint32_t function_of(const struct pf_callers *callers, uint32_t location)
{
    return pf_dict_location(callers->dict, location)->function;
}

static bool calls_itself(const struct pf_callers *callers, const struct pf_edge *edge)
{
    return function_of(callers, edge->caller) == function_of(callers, edge->callee);
}

static int64_t value_of(const struct pf_callers *callers, size_t edge, unsigned column)
{
    return callers->calls[column] ? pf_sums_at(callers->calls[column], edge) : 0;
}

static bool add_totals(struct pf_callers *callers)
{
    bool good = true;

    for (unsigned k = 0; k < TOLD; k++)
        for (size_t place = 1; callers->told[k] && place < callers->told[k]->count; place++) {
            int64_t value = callers->told[k]->data[place];
            struct function *function = &callers->functions[function_of(callers, (uint32_t)place)];
            if (value == 0 || !pf_subject_names(callers->dict, (uint32_t)place))
                continue;
            function->location = (uint32_t)place;
            good = good && pf_add64(function->told[k], value, &function->told[k]);
        }
    return good;
}

/* Sums the records of each function. A function with negative values, as in a difference, is left
 * as it is. */
static void add_known(struct pf_callers *callers)
{
    for (uint32_t id = 1; id < callers->function_count; id++) {
        struct function *function = &callers->functions[id];
        function->settled = function->location != 0 && function->told[CALLS] >= 0 &&
                            function->told[SELF] >= 0 && function->told[INCLUSIVE] >= 0;
    }
    for (size_t edge = 1; edge < callers->accumulator.edges.count; edge++) {
        bool own = calls_itself(callers, pf_accumulator_edge(&callers->accumulator, edge));
        struct function *function = &callers->functions[function_of(
            callers, pf_accumulator_edge(&callers->accumulator, edge)->callee)];
        function->records += !own;
        function->others += own ? 0 : value_of(callers, edge, CALLS);
        for (unsigned k = 0; k < TOLD; k++) {
            int64_t value = value_of(callers, edge, k);
            function->known[k] += k == INCLUSIVE && own ? 0 : value;
            function->settled = function->settled && value >= 0 && function->known[k] <= INT64_MAX;
        }
    }
}

static pf_int128 weights_of(const struct function *function, unsigned column)
{
    return function->known[column] > 0 ? function->known[column]
           : column == INCLUSIVE       ? function->others
                                       : function->known[CALLS];
}

static void set_targets(struct function *function)
{
    pf_int128 outside = function->told[CALLS] - function->known[CALLS];

    for (unsigned k = SELF; k < TOLD; k++) {
        int64_t told = function->told[k];
        pf_int128 known = function->known[k], weights = weights_of(function, k);
        if (weights == 0)
            function->target[k] = 0;
        else if (outside <= 0)
            function->target[k] = told;
        else if (known > 0)
            function->target[k] = known < told ? (int64_t)known : told;
        else
            function->target[k] = (int64_t)(told * weights / (weights + outside));
    }
    function->target[CALLS] = outside > 0 ? (int64_t)function->known[CALLS] : function->told[CALLS];
    /* the inclusive time of each record was rounded once */
    function->recursive = function->known[INCLUSIVE] - function->told[INCLUSIVE] >
                          function->records;
}

static void set_columns(struct pf_callers *callers)
{
    struct pf_dict *dict = callers->dict;
    struct pf_measure reci = *measure_of(callers->calls[INCLUSIVE]), depth;

    reci.name = pf_dict_intern(dict, PF_BYTES("reci"), 0);
    reci.main = 0;
    reci.side = PF_NO_SIDE;
    depth = pf_measure_make(dict, "depth", "count", PF_EDGE, PF_COUNT, PF_EXACT);
    depth.aggregation = PF_MAX;
    for (unsigned k = 0; k < COLUMNS; k++) {
        const struct pf_measure *measure = k == RECURSIVE      ? &reci
                                           : k == DEPTH        ? &depth
                                           : callers->calls[k] ? measure_of(callers->calls[k])
                                                               : NULL;
        if (measure)
            callers->columns[callers->column_count++] = (struct pf_value_column){
                pf_measures_intern(&dict->measures, measure), callers->values[k]};
    }
}

static int make_ready(struct pf_callers *callers, struct pf_error *error)
{
    callers->ready = true;
    callers->next = 1;
    choose_sums(callers);
    if (!callers->calls[INCLUSIVE])
        return PF_EOF;
    callers->function_count = callers->dict->functions.count;
    callers->functions = calloc(callers->function_count, sizeof *callers->functions);
    if (!callers->functions)
        return pf_error_nomem(error);
    if (!add_totals(callers))
        return pf_error_set(error, PF_OVERFLOW,
                            "the sum of the costs of one function overflows 64 bits");
    add_known(callers);
    for (size_t id = 1; id < callers->function_count; id++)
        if (callers->functions[id].settled)
            set_targets(&callers->functions[id]);
    set_columns(callers);
    return pf_dict_status(callers->dict) == PF_OK ? PF_OK : pf_error_nomem(error);
}

/* --- the result ------------------------------------------------------------------------------- */

/* Divides the target of a column among the records of a function. A share is the difference of the
 * rounded amounts due before and after it, so the shares add up to the target. */
static int64_t share(struct function *function, unsigned column, int64_t value, int64_t calls)
{
    pf_int128 weights = weights_of(function, column);

    function->passed[column] += function->known[column] > 0 ? value : calls;
    int64_t due = weights > 0
                      ? (int64_t)(function->target[column] * function->passed[column] / weights)
                      : 0,
            amount = due - function->given[column];
    function->given[column] = due;
    return amount;
}

static void add_edge(struct pf_callers *callers, size_t id)
{
    const struct pf_edge *edge = pf_accumulator_edge(&callers->accumulator, id);
    struct function *function = &callers->functions[function_of(callers, edge->callee)];
    int64_t calls = value_of(callers, id, CALLS), self = value_of(callers, id, SELF),
            inclusive = value_of(callers, id, INCLUSIVE);
    int64_t reci = 0;
    uint32_t row = callers->rows++;

    callers->caller[row] = edge->caller;
    callers->callee[row] = edge->callee;
    if (function->settled && callers->told[SELF])
        self = share(function, SELF, self, calls);
    if (calls_itself(callers, edge)) {
        reci = inclusive;
        inclusive = 0;
    } else if (function->settled) {
        int64_t whole = inclusive;
        inclusive = share(function, INCLUSIVE, whole, calls);
        reci = function->recursive ? whole - inclusive : 0;
    }
    const int64_t values[COLUMNS] = {calls, self, inclusive, reci, reci > 0};
    for (unsigned k = 0; k < COLUMNS; k++)
        callers->values[k][row] = values[k];
}

static void add_outside_calls(struct pf_callers *callers, const struct function *function)
{
    int64_t left[COLUMNS] = {0};
    bool any = false;

    for (unsigned k = 0; k < TOLD; k++) {
        left[k] = function->settled && callers->told[k] ? function->told[k] - function->target[k]
                                                        : 0;
        any = any || left[k] != 0;
    }
    if (!any)
        return;
    callers->caller[callers->rows] = 0;
    callers->callee[callers->rows] = function->location;
    for (unsigned k = 0; k < COLUMNS; k++)
        callers->values[k][callers->rows] = left[k];
    callers->rows++;
}

int pf_callers_next(struct pf_callers *callers, bool recursion, struct pf_batch *batch,
                    struct pf_error *error)
{
    int status = !callers ? PF_EOF : callers->ready ? PF_OK : make_ready(callers, error);

    if (status != PF_OK || !callers->calls[INCLUSIVE])
        return status != PF_OK ? status : PF_EOF;
    size_t edges = callers->accumulator.edges.count, end = edges + callers->function_count;

    for (callers->rows = 0; callers->rows < PF_BATCH_ROWS && callers->next < end; callers->next++)
        if (callers->next < edges)
            add_edge(callers, callers->next);
        else
            add_outside_calls(callers, &callers->functions[callers->next - edges]);
    if (callers->rows == 0)
        return PF_EOF;
    *batch =
        (struct pf_batch){.kind = PF_EDGE,
                          .rows = callers->rows,
                          .location = callers->caller,
                          .callee = callers->callee,
                          .values = callers->columns,
                          .value_count = callers->column_count - (recursion ? 0 : COLUMNS - TOLD)};
    return PF_OK;
}

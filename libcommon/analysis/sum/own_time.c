#include "analysis/sum/own_time.h"

#include "analysis/sum/subject.h"
#include "base/memory.h"

#include <stdlib.h>

struct function {
    /* inclusive time of calls by other functions, and of calls of other functions */
    pf_int128 in, out;
    uint32_t location; /* a location of the function; 0: no call has the function */
};

/* True if FLAT records have self values in the measure of the calls, as in callgrind. */
static bool calls_measure(const struct pf_accumulator *accumulator, const struct pf_measure *lines)
{
    for (uint32_t i = 0; i < accumulator->ledger.count; i++) {
        const struct pf_measure *calls = &accumulator->ledger.sums[i].quantity.measure;

        if (calls->kind == PF_EDGE && calls->role == PF_INCLUSIVE && lines->role == PF_SELF &&
            calls->name == lines->name && calls->unit == lines->unit)
            return true;
    }
    return false;
}

/* True if other records already have self times of functions. */
static bool is_known(const struct pf_accumulator *accumulator)
{
    for (uint32_t i = 0; i < accumulator->ledger.count; i++) {
        const struct pf_sums *sums = &accumulator->ledger.sums[i];
        const struct pf_measure *measure = &sums->quantity.measure;

        if ((measure->kind == PF_EDGE && measure->role == PF_SELF) ||
            (measure->kind == PF_FLAT && (pf_subject_has_functions(accumulator->dict, sums) ||
                                          calls_measure(accumulator, measure))))
            return true;
    }
    return accumulator->edges.count == 0;
}

/* True if FLAT records have the self part of this EDGE measure: a measure of the same name, as in
 * callgrind. A function without such records has no self cost. */
static bool has_own(const struct pf_accumulator *accumulator, const struct pf_measure *calls)
{
    for (uint32_t i = 0; i < accumulator->ledger.count; i++) {
        const struct pf_measure *measure = &accumulator->ledger.sums[i].quantity.measure;

        if (measure->kind == PF_FLAT && measure->role == PF_SELF && measure->name == calls->name)
            return true;
    }
    return false;
}

/* functions[f]: sums of the calls of and by function f. NULL: out of memory. */
static struct function *sum_calls(const struct pf_accumulator *accumulator,
                                  const struct pf_sums *sums)
{
    const struct pf_dict *dict = accumulator->dict;
    struct function *functions = calloc(dict->functions.count, sizeof *functions);

    for (uint32_t edge = 1; functions && edge < sums->count; edge++) {
        const struct pf_edge *row = pf_accumulator_edge(accumulator, edge);
        struct function *from = &functions[pf_dict_location(dict, row->caller)->function];
        struct function *to = &functions[pf_dict_location(dict, row->callee)->function];

        from->location = row->caller;
        to->location = row->callee;
        if (from == to)
            continue;
        from->out += sums->data[edge];
        to->in += sums->data[edge];
    }
    return functions;
}

static pf_int128 missing_of(const struct function *function)
{
    return function->out > function->in ? function->out - function->in : 0;
}

static pf_int128 self_of(const struct function *function)
{
    return function->in + missing_of(function) - function->out;
}

/* True if all results fit in 64 bits. If not, nothing is added here: tables report the overflow if
 * the measure is shown. */
static bool fits(const struct pf_accumulator *accumulator, const struct function *functions)
{
    for (uint32_t id = 1; id < accumulator->dict->functions.count; id++)
        if (missing_of(&functions[id]) > INT64_MAX || self_of(&functions[id]) > INT64_MAX)
            return false;
    return true;
}

/* Puts a function's self time and the time that its callers lack on a call without a caller. */
static int add_function(struct pf_accumulator *accumulator, struct pf_sums *sums,
                        struct pf_sums *own, const struct function *function,
                        struct pf_error *error)
{
    struct pf_edge edge = {0, function->location};
    uint32_t at = pf_table_intern(&accumulator->edges, &edge);

    if (at == 0)
        return pf_error_nomem(error);
    if (pf_accumulator_put(accumulator, sums, at, (int64_t)missing_of(function), error) != PF_OK)
        return error->code;
    return pf_accumulator_put(accumulator, own, at, (int64_t)self_of(function), error);
}

static int derive_self(struct pf_accumulator *accumulator, struct pf_sums *sums,
                       struct pf_error *error)
{
    struct function *functions = sum_calls(accumulator, sums);
    int status = functions ? PF_OK : pf_error_nomem(error);
    struct pf_sums *own = &accumulator->derived[accumulator->derived_count];

    if (status != PF_OK || !fits(accumulator, functions)) {
        free(functions);
        return status;
    }
    accumulator->derived_count++;
    own->quantity = sums->quantity;
    own->quantity.measure.role = PF_SELF;
    own->kept = true;
    for (uint32_t id = 1; id < accumulator->dict->functions.count && status == PF_OK; id++)
        if (functions[id].location != 0)
            status = add_function(accumulator, sums, own, &functions[id], error);
    free(functions);
    return status;
}

int pf_own_time_add(struct pf_accumulator *accumulator, struct pf_error *error)
{
    int status = PF_OK;

    if (accumulator->by_labels || accumulator->derived || is_known(accumulator))
        return PF_OK;
    accumulator->derived =
        calloc((size_t)accumulator->ledger.count + 1, sizeof *accumulator->derived);
    if (!accumulator->derived)
        return pf_error_nomem(error);
    for (uint32_t i = 0; i < accumulator->ledger.count && status == PF_OK; i++) {
        struct pf_sums *sums = &accumulator->ledger.sums[i];
        const struct pf_measure *measure = &sums->quantity.measure;

        if (measure->kind == PF_EDGE && measure->role == PF_INCLUSIVE &&
            measure->aggregation == PF_SUM && !has_own(accumulator, measure))
            status = derive_self(accumulator, sums, error);
    }
    return status;
}

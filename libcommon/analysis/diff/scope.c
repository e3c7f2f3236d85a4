#include "analysis/diff/scope.h"

#include <stdlib.h>

struct pf_diff_scope {
    struct pf_dict *dict;
    /* sums of the current run: of flat records and edges; of samples */
    struct pf_accumulator calls, stacks;
    struct pf_facts facts;
    /* number of columns done, first of `calls`, then of `stacks` */
    uint32_t given;
    struct pf_value_column column;
    int64_t value;
    uint32_t location, callee;
};

static bool wants_all(void *arg, uint32_t measure)
{
    (void)arg;
    (void)measure;
    return true;
}

static void begin(struct pf_diff_scope *scope)
{
    struct pf_accumulator empty = {.dict = scope->dict, .wants = wants_all};

    scope->calls = scope->stacks = empty;
    scope->facts = (struct pf_facts){0};
    scope->given = 0;
}

struct pf_diff_scope *pf_diff_scope_new(struct pf_dict *dict)
{
    struct pf_diff_scope *scope = calloc(1, sizeof *scope);

    if (!scope)
        return NULL;
    scope->dict = dict;
    begin(scope);
    return scope;
}

void pf_diff_scope_clear(struct pf_diff_scope *scope)
{
    pf_accumulator_free(&scope->calls);
    pf_accumulator_free(&scope->stacks);
    pf_facts_free(&scope->facts);
    begin(scope);
}

void pf_diff_scope_free(struct pf_diff_scope *scope)
{
    if (scope)
        pf_diff_scope_clear(scope);
    free(scope);
}

int pf_diff_scope_take(struct pf_diff_scope *scope, const struct pf_batch *batch,
                       struct pf_error *error)
{
    if (pf_facts_add(&scope->facts, scope->dict, batch) != PF_OK)
        return pf_error_nomem(error);
    if (!pf_file_scope_possible(scope->dict, &scope->facts))
        return PF_OK;
    return pf_accumulator_add(batch->kind == PF_SAMPLE ? &scope->stacks : &scope->calls, batch,
                              error);
}

int pf_diff_scope_end(struct pf_diff_scope *scope, struct pf_file_scope *added,
                      struct pf_error *error)
{
    return pf_file_scope_add(&scope->calls, &scope->stacks, scope->dict, &scope->facts,
                             PF_BY_FUNCTION, added, error);
}

/* The edge or the stack that was added for main::RUNTIME; 0 if nothing was added. */
static uint32_t record_of(const struct pf_file_scope *added, enum pf_kind kind)
{
    return kind == PF_EDGE ? added->edge : kind == PF_SAMPLE ? added->stack : 0;
}

int pf_diff_scope_next(struct pf_diff_scope *scope, const struct pf_file_scope *added,
                       struct pf_batch *batch, struct pf_error *error)
{
    for (; scope->given < scope->calls.ledger.count + scope->stacks.ledger.count; scope->given++) {
        bool call = scope->given < scope->calls.ledger.count;
        const struct pf_sums *sums =
            call ? &scope->calls.ledger.sums[scope->given]
                 : &scope->stacks.ledger.sums[scope->given - scope->calls.ledger.count];
        enum pf_kind kind = (enum pf_kind)sums->quantity.measure.kind;
        uint32_t record = record_of(added, kind);

        if (record == 0 || (scope->value = pf_sums_at(sums, record)) == 0)
            continue;
        scope->column.measure = pf_measures_intern(&scope->dict->measures, &sums->quantity.measure);
        if (scope->column.measure == UINT32_MAX)
            return pf_error_nomem(error);
        scope->column.data = &scope->value;
        scope->location = kind == PF_SAMPLE ? added->stack : 0;
        scope->callee = added->location;
        *batch = (struct pf_batch){
            .kind = kind,
            .rows = 1,
            .stack = kind == PF_SAMPLE ? &scope->location : NULL,
            .location = kind == PF_EDGE ? &scope->location : NULL,
            .callee = kind == PF_EDGE ? &scope->callee : NULL,
            .values = &scope->column,
            .value_count = 1,
        };
        scope->given++;
        return PF_OK;
    }
    return PF_EOF;
}

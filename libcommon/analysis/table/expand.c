#include "analysis/table/expand.h"

#include "analysis/names/key.h"
#include "analysis/sum/accumulate.h"
#include "analysis/sum/facts.h"
#include "analysis/sum/file_scope.h"
#include "analysis/sum/own_time.h"
#include "analysis/sum/rank.h"
#include "analysis/sum/sort.h"
#include "analysis/sum/subject.h"
#include "analysis/table/edges.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* Calls are followed only while more than 1 / SMALLEST_PART of the total arrives. */
enum { SMALLEST_PART = 10000 };

/* What the stacks need of a function besides the graph. */
struct function {
    pf_int128 weight, passed; /* sum of the weights of all its nodes; of the nodes given so far */
    int64_t given;            /* part of its flat amount given so far */
    uint32_t location;
    bool open; /* it is in the current stack */
};

/* A function of the current stack; it passes `amount` on to its self cost and its calls. */
struct step {
    uint32_t key, stack;
    int64_t amount;
    /* the whole cost of the function; the part of it whose share has been passed on */
    pf_int128 known, passed;
    int64_t given;
    size_t call; /* next call to follow */
};

/* A stack that ends in a function, and the amount that arrived there. */
struct node {
    uint32_t key, stack;
    int64_t weight;
};

struct pf_expand {
    struct pf_dict *dict;
    struct pf_accumulator accumulator;
    struct pf_facts facts;
    uint32_t measure; /* next measure to try */
    bool begun;
    bool found; /* a measure could be expanded */

    /* the current measure */
    struct pf_keys keys;
    struct pf_call_graph graph;
    struct function *functions; /* by key */
    int64_t least;
    struct step *steps;
    size_t depth, step_capacity;
    struct node *nodes;
    size_t node_count, node_capacity, next;
    bool expanding;

    struct pf_value_column column;
    uint32_t stacks[PF_BATCH_ROWS];
    int64_t values[PF_BATCH_ROWS];
    uint32_t rows;
};

struct pf_expand *pf_expand_new(struct pf_dict *dict)
{
    struct pf_expand *expand = calloc(1, sizeof *expand);
    if (expand) {
        expand->dict = dict;
        expand->accumulator.dict = dict;
    }
    return expand;
}

static void drop_measure(struct pf_expand *expand)
{
    pf_call_graph_free(&expand->graph);
    pf_keys_free(&expand->keys);
    free(expand->functions);
    expand->functions = NULL;
    expand->node_count = expand->next = 0;
    expand->expanding = false;
}

void pf_expand_free(struct pf_expand *expand)
{
    if (!expand)
        return;
    if (expand->expanding)
        drop_measure(expand);
    pf_accumulator_free(&expand->accumulator);
    pf_facts_free(&expand->facts);
    free(expand->steps);
    free(expand->nodes);
    free(expand);
}

int pf_expand_add(struct pf_expand *expand, const struct pf_batch *batch, struct pf_error *error)
{
    if (batch->kind == PF_SAMPLE) {
        expand->accumulator.records[PF_SAMPLE] += batch->rows;
        return PF_OK;
    }
    if (pf_facts_add(&expand->facts, expand->dict, batch) != PF_OK)
        return pf_error_nomem(error);
    return pf_accumulator_add(&expand->accumulator, batch, error);
}

bool pf_expand_has(const struct pf_expand *expand, enum pf_kind kind)
{
    return expand->accumulator.records[kind] > 0;
}

/* --- calls of a measure ----------------------------------------------------------------------- */

static int negative(const struct pf_expand *expand, const struct pf_subject *subject, uint32_t key,
                    struct pf_error *error)
{
    struct pf_buffer scratch = {0};
    struct pf_bytes name = pf_keys_name(&expand->keys, key, &scratch, NULL);
    struct pf_bytes measure = pf_dict_string(expand->dict, subject->self->quantity.measure.name);
    pf_error_set(error, PF_UNSUPPORTED,
                 "measure '%s' of '%s' is negative: the value cannot be divided among stacks",
                 pf_clip(measure).text, pf_clip(name).text);
    pf_buffer_free(&scratch);
    return error->code;
}

/* Finds a location for each function, without the line, which differs from call to call. */
static void find_locations(struct pf_expand *expand)
{
    for (uint32_t id = 1; id < expand->keys.place_count; id++) {
        struct function *function = &expand->functions[expand->keys.places[id]];
        struct pf_location row = *pf_dict_location(expand->dict, id);
        if (function->location)
            continue;
        if (row.function) {
            row.line = 0;
            row.column = 0;
            row.address = 0;
        }
        row.inlined = 0;
        function->location = pf_dict_add_location(expand->dict, &row);
    }
}

static int collect(struct pf_expand *expand, const struct pf_subject *subject,
                   struct pf_error *error)
{
    const struct pf_call_graph *graph = &expand->graph;
    int status = pf_call_graph_make(&expand->graph, &expand->accumulator, subject, &expand->keys,
                                    false, error);

    expand->functions = calloc(expand->keys.table.count, sizeof *expand->functions);
    if (status == PF_OK && !expand->functions)
        status = pf_error_nomem(error);
    for (size_t i = 0; i < graph->order_count && status == PF_OK; i++)
        if (graph->functions[graph->order[i]].flat < 0 && subject->kind == PF_EDGE)
            status = negative(expand, subject, graph->order[i], error);
    if (status == PF_OK)
        find_locations(expand);
    return status;
}

/* Checks that the amounts of calls can be divided. */
static int check_calls(const struct pf_expand *expand, const struct pf_subject *subject,
                       struct pf_error *error)
{
    const struct pf_call_graph *graph = &expand->graph;

    for (size_t i = graph->calls.count; i-- > 0;)
        if (graph->calls.rows[i].value < 0)
            return negative(expand, subject, graph->calls.rows[i].callee, error);
    for (uint32_t key = 0; key < expand->keys.table.count; key++)
        if (graph->functions[key].flat + graph->functions[key].callees > INT64_MAX)
            return pf_error_set(error, PF_OVERFLOW,
                                "the sum of the calls from one function overflows 64 bits");
    return PF_OK;
}

/* --- nodes ------------------------------------------------------------------------------------ */

/* The share of a call in the amount that arrived at its caller: the difference of the rounded
 * amounts due before and after the call, so that the shares add up. */
static int64_t share(struct step *step, int64_t part)
{
    step->passed += part;
    int64_t due =
        (int64_t)((pf_uint128)step->amount * (pf_uint128)step->passed / (pf_uint128)step->known);
    int64_t amount = due - step->given;
    step->given = due;
    return amount;
}

static bool add_node(struct pf_expand *expand, uint32_t key, uint32_t stack, int64_t weight)
{
    if (!pf_grow(&expand->nodes, &expand->node_capacity, expand->node_count + 1,
                 sizeof *expand->nodes))
        return false;
    expand->nodes[expand->node_count++] = (struct node){key, stack, weight};
    expand->functions[key].weight += weight;
    return true;
}

/* Adds the node of a function below `parent`, and puts the function on the stack if its calls are
 * to be followed. */
static bool enter_function(struct pf_expand *expand, uint32_t parent, uint32_t key, int64_t amount)
{
    struct function *function = &expand->functions[key];
    const struct pf_graph_function *amounts = &expand->graph.functions[key];
    uint32_t stack = pf_dict_add_frame(expand->dict, parent, function->location);
    struct step step = {.key = key,
                        .stack = stack,
                        .amount = amount,
                        .known = amounts->flat + amounts->callees,
                        .call = amounts->first};
    if (amount > 0 && !add_node(expand, key, stack, amount))
        return false;
    if (function->open || amount <= expand->least || amounts->callees == 0 ||
        expand->depth + 1 == PF_STACK_DEPTH_MAX)
        return true;
    if (!pf_grow(&expand->steps, &expand->step_capacity, expand->depth + 1, sizeof *expand->steps))
        return false;
    function->open = true;
    share(&step, amounts->flat);
    expand->steps[expand->depth++] = step;
    return true;
}

/* Makes all nodes below a root. */
static bool follow_calls(struct pf_expand *expand, uint32_t root, int64_t amount)
{
    bool good = enter_function(expand, 0, root, amount);
    while (good && expand->depth > 0) {
        struct step *step = &expand->steps[expand->depth - 1];
        const struct pf_call *call = &expand->graph.calls.rows[step->call++];
        if (step->call > expand->graph.calls.count || call->caller != step->key) {
            expand->functions[step->key].open = false;
            expand->depth--;
        } else if (call->callee != step->key) {
            good = enter_function(expand, step->stack, call->callee, share(step, call->value));
        }
    }
    return good;
}

/* Makes all nodes: from roots with the cost that their callers do not account for, then from
 * functions that no root reaches. */
static bool find_nodes(struct pf_expand *expand)
{
    const struct pf_call_graph *graph = &expand->graph;
    bool good = true;
    for (size_t i = 0; good && i < graph->order_count; i++) {
        const struct pf_graph_function *function = &graph->functions[graph->order[i]];
        pf_int128 amount = function->flat + function->callees - function->callers;
        if (amount > 0)
            good = follow_calls(expand, graph->order[i], (int64_t)amount);
    }
    for (size_t i = 0; good && i < graph->order_count; i++) {
        uint32_t key = graph->order[i];
        int64_t flat = graph->functions[key].flat, cum = graph->functions[key].cum;
        if (expand->functions[key].weight == 0 && flat > 0)
            good = follow_calls(expand, key, cum > flat ? cum : flat);
    }
    return good;
}

/* Without calls: makes a node for each function. */
static bool list_nodes(struct pf_expand *expand)
{
    bool good = true;
    for (size_t i = 0; good && i < expand->graph.order_count; i++) {
        uint32_t key = expand->graph.order[i];
        good = add_node(expand, key,
                        pf_dict_add_frame(expand->dict, 0, expand->functions[key].location), 1);
    }
    return good;
}

/* --- measures --------------------------------------------------------------------------------- */

/* The number of a measure with these sums. */
static uint32_t own_measure(const struct pf_expand *expand, const struct pf_sums *sums)
{
    uint32_t measure = 0;
    while (pf_accumulator_find(&expand->accumulator, measure) != sums)
        measure++;
    return measure;
}

/* True if a measure can be expanded: it has self and inclusive values. Each self measure is used
 * with one inclusive measure only (NYTProf has two). */
static bool can_expand(const struct pf_expand *expand, const struct pf_subject *subject)
{
    struct pf_subject own;
    struct pf_error ignored = {0};
    if (subject->kind == PF_FLAT)
        return subject->self == subject->shown && subject->self->quantity.measure.role == PF_SELF;
    if (!subject->self || !subject->inclusive || subject->shown != subject->inclusive)
        return false;
    return subject->self->quantity.measure.kind != PF_EDGE || subject->derived ||
           (pf_subject_choose(&own, &expand->accumulator, own_measure(expand, subject->self),
                              PF_UNIT_AUTO, &ignored) == PF_OK &&
            own.inclusive == subject->inclusive);
}

static void declare(struct pf_expand *expand, const struct pf_subject *subject)
{
    struct pf_dict *dict = expand->dict;
    const struct pf_scale *scale = &subject->self_scale;
    struct pf_measure measure = subject->self->quantity.measure;
    measure.kind = PF_SAMPLE;
    measure.role = PF_SELF;
    measure.unit = pf_dict_intern(dict, scale->name, 0);
    measure.raw_unit = 0;
    measure.num = measure.den = 1;
    measure.period = measure.period_parts = 0;
    expand->column =
        (struct pf_value_column){pf_measures_intern(&dict->measures, &measure), expand->values};
}

/* Finds the next measure that can be expanded: PF_OK, PF_EOF or a failure. */
static int next_measure(struct pf_expand *expand, struct pf_subject *subject,
                        struct pf_error *error)
{
    enum pf_kind kind = pf_expand_has(expand, PF_EDGE) ? PF_EDGE : PF_FLAT;
    int status = PF_EOF;
    for (; status == PF_EOF && expand->measure < pf_measures_count(&expand->dict->measures);
         expand->measure++) {
        if (pf_measures_row(&expand->dict->measures, expand->measure)->kind != kind ||
            !pf_accumulator_find(&expand->accumulator, expand->measure))
            continue;
        status =
            pf_subject_choose(subject, &expand->accumulator, expand->measure, PF_UNIT_AUTO, error);
        if (status == PF_OK && !can_expand(expand, subject))
            status = PF_EOF;
    }
    return status;
}

static int share_out(struct pf_expand *expand, const struct pf_subject *subject,
                     struct pf_error *error)
{
    const struct pf_call_graph *graph = &expand->graph;
    int status = check_calls(expand, subject, error);
    if (status != PF_OK)
        return status;
    expand->least = subject->total / SMALLEST_PART > INT64_MAX
                        ? INT64_MAX
                        : (int64_t)(subject->total / SMALLEST_PART);
    if (!find_nodes(expand))
        return pf_error_nomem(error);
    for (size_t i = 0; i < graph->order_count; i++)
        if (expand->functions[graph->order[i]].weight > UINT64_MAX)
            return pf_error_set(error, PF_OVERFLOW,
                                "the sum of the calls to one function overflows 64 bits");
    return PF_OK;
}

/* Adds self times and main::RUNTIME to the sums, once. */
static int add_computed_times(struct pf_expand *expand, struct pf_error *error)
{
    bool begun = expand->begun;
    expand->begun = true;
    if (begun || !pf_expand_has(expand, PF_EDGE))
        return PF_OK;
    if (pf_own_time_add(&expand->accumulator, error) != PF_OK)
        return error->code;
    return pf_file_scope_add(&expand->accumulator, &expand->accumulator, expand->dict,
                             &expand->facts, PF_BY_FUNCTION, NULL, error);
}

static int begin_measure(struct pf_expand *expand, struct pf_error *error)
{
    struct pf_subject subject;
    int status = add_computed_times(expand, error);
    if (status == PF_OK)
        status = next_measure(expand, &subject, error);
    if (status != PF_OK)
        return status;
    expand->expanding = expand->found = true;
    if (pf_keys_init(&expand->keys, expand->dict, PF_BY_FUNCTION, 0) != PF_OK ||
        pf_keys_places(&expand->keys) != PF_OK)
        return pf_error_nomem(error);
    status = collect(expand, &subject, error);
    if (status == PF_OK && subject.kind == PF_EDGE)
        status = share_out(expand, &subject, error);
    else if (status == PF_OK && !list_nodes(expand))
        status = pf_error_nomem(error);
    if (status != PF_OK)
        return status;
    declare(expand, &subject);
    return pf_dict_status(expand->dict) == PF_OK ? PF_OK : pf_error_nomem(error);
}

/* --- records ---------------------------------------------------------------------------------- */

/* Adds the record of a node: its part of the function's self cost, in proportion to its weight. The
 * parts add up; a part of 0 has no record. */
static void add_record(struct pf_expand *expand, const struct node *node)
{
    struct function *function = &expand->functions[node->key];
    function->passed += node->weight;
    int64_t due = (int64_t)((pf_uint128)expand->graph.functions[node->key].flat *
                            (pf_uint128)function->passed / (pf_uint128)function->weight);
    if (due == function->given)
        return;
    expand->stacks[expand->rows] = node->stack;
    expand->values[expand->rows++] = due - function->given;
    function->given = due;
}

int pf_expand_next(struct pf_expand *expand, struct pf_batch *batch, struct pf_error *error)
{
    int status = expand->expanding ? PF_OK : begin_measure(expand, error);
    if (status == PF_EOF && !expand->found)
        return pf_error_set(
            error, PF_UNSUPPORTED,
            pf_expand_has(expand, PF_EDGE)
                ? "no measure of the calls has own and inclusive values: stacks cannot be made"
                : "no measure has the own costs of functions: stacks cannot be made");
    if (status != PF_OK)
        return status;
    expand->rows = 0;
    while (expand->next < expand->node_count && expand->rows < PF_BATCH_ROWS)
        add_record(expand, &expand->nodes[expand->next++]);
    if (expand->next == expand->node_count)
        drop_measure(expand);
    *batch = (struct pf_batch){.kind = PF_SAMPLE,
                               .rows = expand->rows,
                               .stack = expand->stacks,
                               .values = &expand->column,
                               .value_count = 1};
    return PF_OK;
}

/* Costs of lines and of calls, as a part of a callgrind profile lists them: from records of lines
 * and calls, or made of stacks. */
#include "format/callgrind/callgrind.h"

#include "analysis/sum/subject.h"
#include "analysis/sum/walk.h"
#include "base/memory.h"
#include "base/number.h"
#include "model/units.h"

#include <stdlib.h>
#include <string.h>

/* --- records and rows ------------------------------------------------------------------------- */

/* the greatest scale and factor: their product, times 1000 for picoseconds, fits 64 bits */
enum { MOST_TIMES = INT32_MAX / 1000 };

/* --- records ---------------------------------------------------------------------------------- */

void pf_cg_records_free(struct pf_cg_records *records)
{
    pf_accumulator_free(&records->sums);
    free(records->places);
    free(records->hits);
}

static bool count_rows(struct pf_cg_records *records, const struct pf_batch *batch)
{
    for (uint32_t k = 0; batch->kind == PF_FLAT && k < batch->rows; k++) {
        uint32_t place = batch->location ? batch->location[k] : 0;
        if (!pf_grow_zeroed(&records->places, &records->place_count, &records->place_capacity,
                            (size_t)place + 1, 1))
            return false;
        records->places[place] = 1;
    }
    for (uint32_t k = 0; batch->kind == PF_SAMPLE && k < batch->rows; k++) {
        uint32_t stack = batch->stack ? batch->stack[k] : 0;
        if (!pf_grow_zeroed(&records->hits, &records->hit_count, &records->hit_capacity,
                            (size_t)stack + 1, sizeof *records->hits))
            return false;
        records->hits[stack]++;
    }
    return true;
}

int pf_cg_records_add(struct pf_cg_records *records, const struct pf_batch *batch,
                      struct pf_error *error)
{
    return count_rows(records, batch) ? pf_accumulator_add(&records->sums, batch, error)
                                      : pf_error_nomem(error);
}

/* --- events ----------------------------------------------------------------------------------- */

static const struct pf_measure *measure_of(const struct pf_sums *sums)
{
    return &sums->quantity.measure;
}

static bool named(const struct pf_dict *dict, const struct pf_sums *sums, const char *name)
{
    return pf_bytes_equal(pf_dict_string(dict, measure_of(sums)->name), pf_bytes_of(name));
}

static bool is_jump(const struct pf_dict *dict, const struct pf_sums *sums)
{
    return measure_of(sums)->kind == PF_EDGE && measure_of(sums)->role == PF_COUNT &&
           (named(dict, sums, PF_CG_JUMPS) || named(dict, sums, PF_CG_BRANCHES) ||
            named(dict, sums, PF_CG_TAKEN));
}

static bool is_calls(const struct pf_dict *dict, const struct pf_sums *sums)
{
    return pf_measure_calls(dict, measure_of(sums));
}

/* True if an event before the last has this name and self costs from records of calls. */
static bool is_name_of_calls(const struct pf_cg_costs *costs, const struct pf_measure *measure)
{
    for (size_t k = 0; k + 1 < costs->count; k++)
        if (costs->events[k].self_of_calls &&
            measure_of(costs->events[k].self.sums)->name == measure->name)
            return true;
    return false;
}

static bool same_scale(const struct pf_measure *a, const struct pf_measure *b)
{
    return a->num == b->num && a->den == b->den;
}

/* Sets the scale of `measure` to the greatest common divisor of both scales. *times, *other_times:
 * how often each scale contains the divisor. False: a number is too large (MOST_TIMES, 64 bits). */
static bool common_scale(const struct pf_dict *dict, struct pf_measure *measure,
                         struct pf_measure other, int64_t *times, int64_t *other_times)
{
    struct pf_quantity common = {0};
    struct pf_error ignored = {0};
    int64_t one;

    measure->period = other.period = measure->period_parts = other.period_parts = 0;
    if (pf_quantity_join(&common, dict, measure, &one, &one, &ignored) != PF_OK ||
        pf_quantity_join(&common, dict, &other, times, other_times, &ignored) != PF_OK)
        return false;
    measure->raw_unit = 0;
    measure->num = common.measure.num;
    measure->den = common.measure.den;
    return *times <= MOST_TIMES && *other_times <= MOST_TIMES && measure->num <= MOST_TIMES;
}

static void base_unit(struct pf_measure *measure)
{
    measure->raw_unit = 0;
    measure->num = measure->den = 1;
}

/* Sets the name of an event, and the factors that bring both columns to one unit. */
static bool name_event(const struct pf_cg_costs *costs, struct pf_cg_event *event)
{
    const struct pf_dict *dict = costs->dict;
    struct pf_cg_column *first = event->self.sums ? &event->self : &event->inclusive,
                        *other = &event->inclusive;
    const struct pf_measure *own = measure_of(first->sums),
                            *others = other->sums ? measure_of(other->sums) : own;
    struct pf_measure measure = *own;
    int64_t times = 1, other_times = 1;
    uint64_t num, den;

    if (measure.kind == PF_FLAT && is_name_of_calls(costs, &measure))
        pf_buffer_append(&event->name, "line_", 5);
    bool one = same_scale(own, others) ||
               common_scale(dict, &measure, *others, &times, &other_times);

    if (!one)
        base_unit(&measure);
    pf_cg_event_name(dict, &measure, &event->name, &num, &den);
    *first = (struct pf_cg_column){first->sums, one ? num * (uint64_t)times : own->num,
                                   one ? den : own->den};
    if (other != first)
        *other = (struct pf_cg_column){other->sums, one ? num * (uint64_t)other_times : others->num,
                                       one ? den : others->den};
    return !event->name.failed;
}

static bool is_used(const struct pf_cg_costs *costs, const struct pf_sums *sums)
{
    for (size_t k = 0; k < costs->count; k++)
        if (costs->events[k].self.sums == sums || costs->events[k].inclusive.sums == sums)
            return true;
    return false;
}

static bool add_event(struct pf_cg_costs *costs, struct pf_sums *self, struct pf_sums *inclusive)
{
    struct pf_cg_event event = {.self.sums = self, .inclusive.sums = inclusive};

    if (!pf_grow(&costs->events, &costs->capacity, costs->count + 1, sizeof *costs->events))
        return false;
    event.self_of_calls = self && measure_of(self)->kind == PF_EDGE;
    costs->events[costs->count++] = event;
    return name_event(costs, &costs->events[costs->count - 1]);
}

/* Finds the self costs for inclusive costs, of the same unit. The best are lines of the same name,
 * and any lines if lines have inclusive totals (pf_subject_told). Next, only for the first event
 * and the main measure, come self costs of calls, then any lines. NULL: no self costs. */
static struct pf_sums *self_of(const struct pf_cg_costs *costs, const struct pf_accumulator *sums,
                               const struct pf_sums *inclusive)
{
    struct pf_sums *best = NULL;
    bool totals = pf_subject_told(sums, measure_of(inclusive));
    int fit, best_fit = 0;

    for (uint32_t k = 0; k < sums->ledger.count; k++) {
        const struct pf_measure *measure = measure_of(&sums->ledger.sums[k]);

        if (measure->unit != measure_of(inclusive)->unit || measure->aggregation != PF_SUM ||
            is_used(costs, &sums->ledger.sums[k]))
            continue;
        fit = measure->kind == PF_FLAT && measure->role != PF_INCLUSIVE &&
                      measure->name == measure_of(inclusive)->name
                  ? 3
              : measure->kind == PF_EDGE && measure->role == PF_SELF ? 2
              : measure->kind == PF_FLAT && measure->role == PF_SELF ? 1 + 2 * totals
                                                                     : 0;
        if (fit > best_fit && (fit == 3 || costs->count == 0 || measure_of(inclusive)->main)) {
            best_fit = fit;
            best = &sums->ledger.sums[k];
        }
    }
    return best;
}

static bool is_inclusive(const struct pf_cg_costs *costs, const struct pf_sums *sums,
                         enum pf_kind kind)
{
    const struct pf_measure *measure = measure_of(sums);

    return measure->kind == kind && measure->role == PF_INCLUSIVE &&
           measure->aggregation == PF_SUM && !is_used(costs, sums);
}

static bool is_own(const struct pf_cg_costs *costs, const struct pf_sums *sums, enum pf_kind kind)
{
    const struct pf_measure *measure = measure_of(sums);

    return measure->kind == kind && measure->aggregation == PF_SUM &&
           measure->role != PF_INCLUSIVE && !is_calls(costs->dict, sums) && !is_used(costs, sums);
}

/* The event to write first, because viewers show it first: the main measure. UINT32_MAX: no
 * event. */
static uint32_t main_of(const struct pf_cg_costs *costs, const struct pf_accumulator *sums,
                        enum pf_kind kind,
                        bool (*is)(const struct pf_cg_costs *, const struct pf_sums *,
                                   enum pf_kind))
{
    struct pf_main_choice choice = {0};
    uint32_t best = UINT32_MAX;

    for (uint32_t k = 0; k < sums->ledger.count; k++)
        if (is(costs, &sums->ledger.sums[k], kind) &&
            pf_main_offer(&choice, costs->dict, measure_of(&sums->ledger.sums[k])))
            best = k;
    return best;
}

/* Adds an event for inclusive costs: the first in any case, later ones only with self costs. */
static bool choose_call(struct pf_cg_costs *costs, struct pf_accumulator *sums, uint32_t index)
{
    struct pf_sums *inclusive = &sums->ledger.sums[index], *self;

    if (!is_inclusive(costs, inclusive, PF_EDGE))
        return true;
    self = self_of(costs, sums, inclusive);
    return (!self && costs->count > 0) || add_event(costs, self, inclusive);
}

static bool choose_calls(struct pf_cg_costs *costs, struct pf_accumulator *sums)
{
    uint32_t main = main_of(costs, sums, PF_EDGE, is_inclusive);
    bool good = main == UINT32_MAX || choose_call(costs, sums, main);

    for (uint32_t k = 0; good && k < sums->ledger.count; k++)
        good = choose_call(costs, sums, k);
    return good;
}

static bool choose_own(struct pf_cg_costs *costs, struct pf_accumulator *sums, enum pf_kind kind)
{
    uint32_t main = main_of(costs, sums, kind, is_own);
    bool good = main == UINT32_MAX || add_event(costs, &sums->ledger.sums[main], NULL);

    for (uint32_t k = 0; good && k < sums->ledger.count; k++)
        good = !is_own(costs, &sums->ledger.sums[k], kind) ||
               add_event(costs, &sums->ledger.sums[k], NULL);
    return good;
}

static int choose_events(struct pf_cg_costs *costs, struct pf_accumulator *sums, bool stacks,
                         struct pf_error *error)
{
    bool good = stacks ? choose_own(costs, sums, PF_SAMPLE)
                       : choose_calls(costs, sums) && choose_own(costs, sums, PF_FLAT);

    if (!good)
        return pf_error_nomem(error);
    return costs->count > 0 ? PF_OK
                            : pf_error_set(error, PF_USAGE,
                                           "callgrind lists costs, and these records have none");
}

static int report_left_measures(const struct pf_cg_costs *costs, const struct pf_accumulator *sums,
                                bool stacks, struct pf_writer *writer)
{
    int status = PF_OK;

    for (uint32_t k = 0; status == PF_OK && k < sums->ledger.count; k++) {
        const struct pf_sums *each = &sums->ledger.sums[k];
        const struct pf_measure *measure = measure_of(each);

        if (!is_used(costs, each) && !is_calls(costs->dict, each) && !is_jump(costs->dict, each) &&
            (measure->kind == PF_SAMPLE) == stacks)
            status = pf_leave_name(writer, (enum pf_left)measure->kind, measure->name);
    }
    return status;
}

/* --- rows ------------------------------------------------------------------------------------- */

/* The row of a pair; makes a new row. 0: out of memory. `caller` is not 0. */
static uint32_t costs_find(struct pf_cg_costs *costs, uint32_t caller, uint32_t callee)
{
    struct pf_edge key = {caller, callee};
    uint32_t count = costs->keys.count, row = pf_table_intern(&costs->keys, &key);
    size_t columns = costs->count + PF_CG_EXTRAS;

    if (row < count)
        return row;
    if (!pf_grow(&costs->values, &costs->value_capacity, (size_t)row + 1,
                 columns * sizeof *costs->values)) {
        costs->keys.status = PF_NOMEM;
        return 0;
    }
    memset(pf_cg_costs_row(costs, row), 0, columns * sizeof *costs->values);
    return row;
}

/* Adds to a column of a row; PF_OK or PF_OVERFLOW. */
static int costs_add(struct pf_cg_costs *costs, uint32_t row, size_t column, int64_t value,
                     struct pf_error *error)
{
    int64_t *sum = pf_cg_costs_row(costs, row) + column;

    return pf_add64(*sum, value, sum)
               ? PF_OK
               : pf_error_set(error, PF_OVERFLOW, "a sum of costs overflows 64 bits");
}

/* The written value of a sum; PF_OK or PF_OVERFLOW. */
static int column_value(const struct pf_cg_column *column, int64_t sum, int64_t *value,
                        struct pf_error *error)
{
    if (column->num == 1 && column->den == 1)
        *value = sum;
    else if (!pf_scale64(sum, column->num, column->den, value))
        return pf_error_set(error, PF_OVERFLOW,
                            "a cost of %lld units of %llu / %llu overflows 64 bits", (long long)sum,
                            (unsigned long long)column->num, (unsigned long long)column->den);
    return PF_OK;
}

/* The place of records without a place. */
static uint32_t costs_nowhere(struct pf_cg_costs *costs)
{
    return pf_dict_add_named(costs->dict, PF_BYTES("[unknown]"));
}

static int add_column(struct pf_cg_costs *costs, uint32_t row, size_t event,
                      const struct pf_cg_column *column, size_t index, struct pf_error *error)
{
    int64_t sum = column->sums ? pf_sums_at(column->sums, index) : 0, value;

    if (sum == 0)
        return PF_OK;
    int status = column_value(column, sum, &value, error);
    return status == PF_OK ? costs_add(costs, row, event, value, error) : status;
}

static int add_lines(struct pf_cg_costs *costs, const struct pf_cg_records *records,
                     struct pf_error *error)
{
    for (size_t place = 0; place < records->place_count; place++) {
        uint32_t row =
            records->places[place]
                ? costs_find(costs, place == 0 ? costs_nowhere(costs) : (uint32_t)place, 0)
                : 0;

        for (size_t k = 0; row != 0 && k < costs->count; k++)
            if (!costs->events[k].self_of_calls &&
                add_column(costs, row, k, &costs->events[k].self, place, error) != PF_OK)
                return error->code;
    }
    return costs->keys.status == PF_OK ? PF_OK : pf_error_nomem(error);
}

/* The location of the first line of a function, if it is known. */
static uint32_t first_line(struct pf_cg_costs *costs, uint32_t location)
{
    struct pf_location place = *pf_dict_location(costs->dict, location);
    int64_t line = pf_dict_function(costs->dict, place.function)->start_line;

    if (place.line > 0 || line <= 0)
        return location;
    place.line = line;
    return pf_dict_add_location(costs->dict, &place);
}

static int add_edge(struct pf_cg_costs *costs, const struct pf_cg_records *records, uint32_t edge,
                    struct pf_error *error)
{
    struct pf_edge ends = *pf_accumulator_edge(&records->sums, edge);
    uint32_t callee = ends.callee != 0 ? first_line(costs, ends.callee) : costs_nowhere(costs);
    uint32_t row = ends.caller != 0 ? costs_find(costs, ends.caller, callee) : 0;

    for (size_t k = 0; k < costs->count; k++) {
        struct pf_cg_event *event = &costs->events[k];
        uint32_t own = event->self_of_calls ? costs_find(costs, callee, 0) : 0;

        if ((own != 0 && add_column(costs, own, k, &event->self, edge, error) != PF_OK) ||
            (row != 0 && add_column(costs, row, k, &event->inclusive, edge, error) != PF_OK))
            return error->code;
    }
    for (uint32_t k = 0; row != 0 && k < records->sums.ledger.count; k++) {
        const struct pf_sums *sums = &records->sums.ledger.sums[k];
        size_t extra = PF_CG_CALLS;

        if (measure_of(sums)->kind != PF_EDGE ||
            (!is_calls(costs->dict, sums) && !is_jump(costs->dict, sums)))
            continue;
        if (is_jump(costs->dict, sums))
            extra = named(costs->dict, sums, PF_CG_JUMPS)      ? PF_CG_JUMP_COUNT
                    : named(costs->dict, sums, PF_CG_BRANCHES) ? PF_CG_REACHED_COUNT
                                                               : PF_CG_TAKEN_COUNT;
        if (costs_add(costs, row, costs->count + extra, pf_sums_at(sums, edge), error) != PF_OK)
            return error->code;
    }
    return PF_OK;
}

static int add_edges(struct pf_cg_costs *costs, const struct pf_cg_records *records,
                     struct pf_error *error)
{
    for (uint32_t edge = 0; edge < records->sums.edges.count; edge++)
        if (records->sums.records[PF_EDGE] > 0 && edge > 0 &&
            add_edge(costs, records, edge, error) != PF_OK)
            return error->code;
    return costs->keys.status == PF_OK ? PF_OK : pf_error_nomem(error);
}

/* --- lines and calls made of stacks ----------------------------------------------------------- */

struct walk {
    struct pf_cg_costs *costs;
    struct pf_cg_records *records;
    struct pf_sums *calls;   /* numbers of calls, not of subtrees; NULL: samples are counted */
    struct pf_sums *samples; /* numbers of samples of subtrees; NULL: records are counted */
    uint32_t *functions;     /* by location: the place that stands for its function */
    uint32_t *plain;         /* by location: the place as a row has it */
    struct pf_table pairs;   /* struct pf_edge of functions */
    struct pf_walk nodes;
    struct pf_path path;
    struct pf_error *error;
};

/* Makes the places of rows, without facts of stacks, and the places of whole functions. A frame
 * without any facts becomes the unknown function, because a call of place 0 would become a line. */
static bool map_places(struct walk *walk)
{
    struct pf_dict *dict = walk->costs->dict;
    uint32_t count = dict->locations.count, nowhere = costs_nowhere(walk->costs);

    walk->functions = calloc(count, sizeof *walk->functions);
    walk->plain = calloc(count, sizeof *walk->plain);
    if (!walk->functions || !walk->plain)
        return false;
    for (uint32_t k = 1; k < count; k++) {
        struct pf_location place = *pf_dict_location(dict, k);
        const struct pf_function *function = pf_dict_function(dict, place.function);

        place.inlined = 0;
        walk->plain[k] = pf_dict_add_location(dict, &place);
        if (function->name != 0 || !pf_dict_has_address(dict, &place))
            place.address = 0;
        place.line = function->start_line > 0 ? function->start_line : 0;
        place.column = 0;
        place.kind = 0;
        walk->functions[k] = pf_dict_add_location(dict, &place);
        if (walk->plain[k] == 0)
            walk->plain[k] = nowhere;
        if (walk->functions[k] == 0)
            walk->functions[k] = nowhere;
    }
    return pf_dict_status(dict) == PF_OK;
}

static uint32_t location_at(const struct walk *walk, uint32_t node)
{
    return pf_dict_stack(walk->costs->dict, node)->location;
}

/* The id of the pair of functions at a node; 0: a root, or out of memory. */
static uint32_t pair_at(struct walk *walk, uint32_t node)
{
    uint32_t parent = pf_dict_stack(walk->costs->dict, node)->parent;
    struct pf_edge pair = {walk->functions[location_at(walk, parent)],
                           walk->functions[location_at(walk, node)]};

    return parent != 0 && pair.caller != 0 ? pf_table_intern(&walk->pairs, &pair) : 0;
}

static bool any_at(const struct pf_cg_costs *costs, uint32_t node)
{
    for (size_t k = 0; k < costs->count; k++)
        if (pf_sums_at(costs->events[k].self.sums, node) != 0)
            return true;
    return false;
}

/* Adds the self costs of a stack. */
static int add_self(struct walk *walk, uint32_t node)
{
    struct pf_cg_costs *costs = walk->costs;
    uint32_t place = walk->plain[location_at(walk, node)];
    uint32_t row = costs_find(costs, place != 0 ? place : costs_nowhere(costs), 0);

    for (size_t k = 0; row != 0 && k < costs->count; k++)
        if (add_column(costs, row, k, &costs->events[k].self, node, walk->error) != PF_OK)
            return walk->error->code;
    return row != 0 ? PF_OK : pf_error_nomem(walk->error);
}

static uint32_t row_of(struct walk *walk, uint32_t node)
{
    uint32_t parent = pf_dict_stack(walk->costs->dict, node)->parent;

    return costs_find(walk->costs, walk->plain[location_at(walk, parent)],
                      walk->functions[location_at(walk, node)]);
}

static int add_call(struct walk *walk, uint32_t node, bool first)
{
    struct pf_cg_costs *costs = walk->costs;
    int64_t samples = walk->samples ? pf_sums_at(walk->samples, node) : walk->records->hits[node];
    int64_t count = walk->calls ? pf_sums_at(walk->calls, node) : first ? samples : 0;

    if (!first && count == 0)
        return PF_OK;
    uint32_t row = row_of(walk, node);
    if (row == 0)
        return pf_error_nomem(walk->error);
    for (size_t k = 0; first && k < costs->count; k++)
        if (add_column(costs, row, k, &costs->events[k].self, node, walk->error) != PF_OK)
            return walk->error->code;
    return costs_add(costs, row, costs->count + PF_CG_CALLS, count, walk->error);
}

static int walk_calls(struct walk *walk)
{
    const struct pf_table *stacks = &walk->costs->dict->stacks;
    size_t count = walk->records->hit_count;

    if (pf_walk_init(&walk->nodes, stacks,
                     count < stacks->count ? (uint32_t)count : stacks->count) != PF_OK)
        return pf_error_nomem(walk->error);
    for (uint32_t node; (node = pf_walk_next(&walk->nodes)) != 0;) {
        if (walk->records->hits[node] == 0)
            continue;
        uint32_t pair = pair_at(walk, node);
        if (walk->pairs.status != PF_OK || pf_path_enter(&walk->path, &walk->nodes, pair) != PF_OK)
            return pf_error_nomem(walk->error);
        if (pair != 0 && add_call(walk, node, !walk->path.again) != PF_OK)
            return walk->error->code;
    }
    return PF_OK;
}

/* Finds the counts of samples and calls. Numbers of records become sums of subtrees. */
static int find_counts(struct walk *walk)
{
    struct pf_cg_records *records = walk->records;
    struct pf_dict *dict = walk->costs->dict;

    for (uint32_t k = 0; k < records->sums.ledger.count; k++) {
        struct pf_sums *sums = &records->sums.ledger.sums[k];
        const struct pf_measure *measure = &sums->quantity.measure;

        if (measure->kind != PF_SAMPLE)
            continue;
        if (pf_measure_calls(dict, measure))
            walk->calls = sums;
        if (sums->subtrees && measure->num == measure->den && pf_measure_is_samples(dict, measure))
            walk->samples = sums;
    }
    for (size_t node = records->hit_count; node-- > 1;) {
        if (records->hits[node] == 0)
            continue;
        int64_t *above = &records->hits[pf_dict_stack(dict, (uint32_t)node)->parent];

        if (!pf_add64(*above, records->hits[node], above))
            return pf_error_set(walk->error, PF_OVERFLOW,
                                "the number of records overflows 64 bits");
    }
    return PF_OK;
}

static int walk_stacks(struct walk *walk)
{
    struct pf_cg_costs *costs = walk->costs;
    struct pf_cg_records *records = walk->records;
    int status = PF_OK;

    for (uint32_t node = 0; status == PF_OK && node < records->hit_count; node++)
        if (records->hits[node] != 0 && (node != 0 || any_at(costs, node)))
            status = add_self(walk, node);
    for (size_t k = 0; status == PF_OK && k < costs->count; k++)
        status = pf_sums_subtrees(costs->events[k].self.sums, costs->dict, walk->error);
    if (status == PF_OK)
        status = find_counts(walk);
    return status == PF_OK ? walk_calls(walk) : status;
}

/* Adds the self costs of each stack to its leaf, and a call for each pair of neighbouring frames:
 * once for each stack and pair of functions, from the outermost place. The number of calls is the
 * records' number of calls, else the number of samples. PF_OK, PF_NOMEM or PF_OVERFLOW. */
static int stacks_cost(struct pf_cg_costs *costs, struct pf_cg_records *records,
                       struct pf_error *error)
{
    struct walk walk = {.costs = costs, .records = records, .error = error};
    int status = pf_table_init(&walk.pairs, sizeof(struct pf_edge)) == PF_OK && map_places(&walk)
                     ? walk_stacks(&walk)
                     : pf_error_nomem(error);

    pf_table_free(&walk.pairs);
    free(walk.functions);
    free(walk.plain);
    pf_walk_free(&walk.nodes);
    pf_path_free(&walk.path);
    return status;
}

/* --- all of it -------------------------------------------------------------------------------- */

int pf_cg_costs_make(struct pf_cg_costs *costs, struct pf_cg_records *records,
                     struct pf_writer *writer)
{
    struct pf_error *error = &writer->error;
    const uint64_t *counts = records->sums.records;
    bool others = counts[PF_FLAT] + counts[PF_EDGE] > 0, stacks = counts[PF_SAMPLE] > 0 && !others;
    int status;

    *costs = (struct pf_cg_costs){.dict = writer->dict};
    if (pf_table_init(&costs->keys, sizeof(struct pf_edge)) != PF_OK)
        return pf_error_nomem(error);
    if (!others && !stacks)
        stacks = pf_accumulator_main(&records->sums, PF_SAMPLE) != UINT32_MAX;
    if (others && counts[PF_SAMPLE] > 0)
        pf_report_send(&writer->report, PF_NOTE,
                       "the costs come from lines and calls; stacks are left out");
    status = choose_events(costs, &records->sums, stacks, error);
    if (status != PF_OK)
        return status;
    if (report_left_measures(costs, &records->sums, stacks, writer) != PF_OK)
        return error->code;
    if (stacks)
        return stacks_cost(costs, records, error);
    status = add_lines(costs, records, error);
    return status == PF_OK ? add_edges(costs, records, error) : status;
}

void pf_cg_costs_free(struct pf_cg_costs *costs)
{
    for (size_t k = 0; k < costs->count; k++)
        pf_buffer_free(&costs->events[k].name);
    free(costs->events);
    free(costs->values);
    pf_table_free(&costs->keys);
}

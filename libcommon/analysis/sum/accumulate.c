#include "analysis/sum/accumulate.h"

#include "analysis/sum/slices.h"
#include "base/memory.h"
#include "model/units.h"

#include <stdlib.h>
#include <string.h>

void pf_accumulator_free(struct pf_accumulator *accumulator)
{
    pf_ledger_free(&accumulator->ledger);
    for (uint32_t i = 0; i < accumulator->derived_count; i++)
        free(accumulator->derived[i].data);
    free(accumulator->derived);
    free(accumulator->labels);
    pf_table_free(&accumulator->edges);
}

static bool is_excluded(const struct pf_accumulator *accumulator, uint32_t index,
                        const struct pf_measure *measure)
{
    const struct pf_sums *sums = pf_ledger_same(&accumulator->ledger, measure);

    if (pf_measures_left_out(&accumulator->dict->measures, index))
        return true;
    if (index < accumulator->ledger.member_count && accumulator->ledger.members[index].dropped)
        return true;
    return sums && !sums->kept;
}

/* Compares the measures of a kind from number `from` on; *best becomes the number of a better
 * measure. */
static void find_better(const struct pf_accumulator *accumulator, enum pf_kind kind, uint32_t from,
                        struct pf_main_choice *choice, uint32_t *best)
{
    const struct pf_dict *dict = accumulator->dict;

    for (uint32_t k = from; k < pf_measures_count(&dict->measures); k++) {
        const struct pf_measure *measure = pf_measures_row(&dict->measures, k);
        if (measure->kind == kind && !is_excluded(accumulator, k, measure) &&
            pf_main_offer(choice, dict, measure))
            *best = k;
    }
}

uint32_t pf_accumulator_main(const struct pf_accumulator *accumulator, enum pf_kind kind)
{
    struct pf_main_choice choice = {0};
    uint32_t best = UINT32_MAX;

    find_better(accumulator, kind, 0, &choice, &best);
    return best;
}

bool pf_measure_calls(const struct pf_dict *dict, const struct pf_measure *measure)
{
    return measure->role == PF_COUNT &&
           pf_bytes_equal(pf_dict_string(dict, measure->name), PF_BYTES("calls"));
}

bool pf_accumulator_any(const struct pf_accumulator *accumulator)
{
    bool any = accumulator->file_scope;

    for (unsigned kind = 0; kind < PF_RECORD_KINDS; kind++)
        any = any || accumulator->records[kind] > 0;
    return any;
}

uint32_t pf_accumulator_preferred(struct pf_accumulator *accumulator)
{
    struct pf_preferred *main = &accumulator->preferred;

    if (main->looked == 0 || accumulator->dict->measures.some_count)
        *main = (struct pf_preferred){.measure = UINT32_MAX};
    find_better(accumulator, PF_SAMPLE, main->looked, &main->choice, &main->measure);
    main->looked = pf_measures_count(&accumulator->dict->measures);
    return main->measure;
}

/* True if the sums of a measure are kept. This is decided when the first measure of a quantity
 * comes. A better main measure may come later, but no earlier record had a value of it, so nothing
 * is lost. */
static bool wanted(struct pf_accumulator *accumulator, uint32_t index,
                   const struct pf_measure *measure)
{
    const struct pf_measures *measures = &accumulator->dict->measures;

    if (measure->kind != PF_SAMPLE || pf_measure_calls(accumulator->dict, measure))
        return true;
    if (accumulator->wants)
        return accumulator->wants(accumulator->arg, index);
    return pf_measure_same(measure,
                           pf_measures_row(measures, pf_accumulator_preferred(accumulator)));
}

static int overflow(const struct pf_accumulator *accumulator, const struct pf_measure *measure,
                    uint64_t record, struct pf_error *error)
{
    struct pf_bytes name = pf_dict_string(accumulator->dict, measure->name);

    return pf_error_set(error, PF_OVERFLOW,
                        "record %llu: the sum of measure '%s' overflows 64 bits",
                        (unsigned long long)record, pf_clip(name).text);
}

/* Adds a measure that is new to the ledger. */
static int add_measure(struct pf_accumulator *accumulator, uint32_t index, struct pf_error *error)
{
    const struct pf_measure *measure = pf_measures_row(&accumulator->dict->measures, index);
    struct pf_sums *sums = pf_ledger_same(&accumulator->ledger, measure);

    if (accumulator->ledger.members[index].dropped)
        accumulator->preferred.looked = 0;
    accumulator->ledger.members[index].dropped = false;
    if (!sums) {
        bool kept = wanted(accumulator, index, measure);

        if ((sums = pf_ledger_new(&accumulator->ledger, measure)) == NULL)
            return pf_error_nomem(error);
        sums->kept = kept;
    }
    return pf_ledger_join(&accumulator->ledger, sums, accumulator->dict, index, measure, error);
}

static int member_of(struct pf_accumulator *accumulator, uint32_t measure, struct pf_member *member,
                     struct pf_error *error)
{
    struct pf_ledger *ledger = &accumulator->ledger;
    int status = pf_ledger_reserve(ledger, accumulator->dict) ? PF_OK : pf_error_nomem(error);

    if (status == PF_OK && ledger->members[measure].sums == 0)
        status = add_measure(accumulator, measure, error);
    if (status == PF_OK)
        *member = ledger->members[measure];
    return status;
}

/* The loops that decide the speed of proftop. Each returns the number of rows added: fewer than
 * `rows` if the next sum would overflow 64 bits. */
static uint32_t add_rows(int64_t *restrict sums, const uint32_t *restrict index,
                         const int64_t *restrict values, uint32_t rows)
{
    uint32_t i;

    for (i = 0; i < rows; i++)
        if (__builtin_add_overflow(sums[index[i]], values[i], &sums[index[i]]))
            break;
    return i;
}

static uint32_t add_all(int64_t *sum, const int64_t *values, uint32_t rows)
{
    uint32_t i;

    for (i = 0; i < rows; i++)
        if (!pf_add64(*sum, values[i], sum))
            break;
    return i;
}

static void max_rows(int64_t *restrict sums, const uint32_t *restrict index,
                     const int64_t *restrict values, uint32_t rows)
{
    for (uint32_t i = 0; i < rows; i++) {
        int64_t *sum = &sums[index ? index[i] : 0];
        if (values[i] > *sum)
            *sum = values[i];
    }
}

/* Sums high and low halves apart: within a batch these cannot overflow 64 bits, so no branch is
 * needed. */
static pf_int128 total_of(const int64_t *values, uint32_t rows)
{
    int64_t high = 0, low = 0;

    for (uint32_t i = 0; i < rows; i++) {
        high += values[i] >> 32;
        low += values[i] & 0xffffffff;
    }
    return (pf_int128)high * ((int64_t)1 << 32) + low;
}

static pf_int128 greatest_of(const int64_t *values, uint32_t rows)
{
    int64_t greatest = 0;

    for (uint32_t i = 0; i < rows; i++)
        greatest = values[i] > greatest ? values[i] : greatest;
    return greatest;
}

static int add_column(struct pf_accumulator *accumulator, const struct pf_batch *batch,
                      const struct pf_value_column *column, const uint32_t *index, size_t count,
                      struct pf_error *error)
{
    const int64_t *values = column->data;
    struct pf_member member = {0};
    struct pf_sums *sums;
    uint32_t done = batch->rows;
    int status = member_of(accumulator, column->measure, &member, error);

    if (status != PF_OK || batch->rows == 0 || !values)
        return status;
    sums = &accumulator->ledger.sums[member.sums - 1];
    for (uint32_t i = 0; member.factor != 1 && i < done; i++)
        if (!pf_mul64(values[i], member.factor, &accumulator->scaled[i]))
            done = i;
    if (member.factor != 1)
        values = accumulator->scaled;
    if (!sums->kept) {
        if (sums->quantity.measure.aggregation == PF_MAX) {
            pf_int128 greatest = greatest_of(values, done);
            sums->total = greatest > sums->total ? greatest : sums->total;
        } else {
            sums->total += total_of(values, done);
        }
    } else if (!pf_sums_reserve(sums, count)) {
        return pf_error_nomem(error);
    } else if (sums->quantity.measure.aggregation == PF_MAX) {
        max_rows(sums->data, index, values, done);
    } else {
        done = index ? add_rows(sums->data, index, values, done)
                     : add_all(sums->data, values, done);
    }
    if (done < batch->rows)
        return overflow(accumulator, &sums->quantity.measure,
                        accumulator->records[batch->kind] + done + 1, error);
    return PF_OK;
}

static bool reserve_labels(struct pf_accumulator *accumulator, size_t count)
{
    size_t old = accumulator->label_count;

    if (count <= old)
        return true;
    if (!pf_grow(&accumulator->labels, &accumulator->label_capacity, count, 1))
        return false;
    memset(accumulator->labels + old, 0, count - old);
    accumulator->label_count = count;
    return true;
}

/* Marks the label sets of the rows. Most batches have a single set, and a loop that only reads is
 * much faster than a loop that writes. */
static bool mark_labels(struct pf_accumulator *accumulator, const uint32_t *labels, uint32_t rows)
{
    uint32_t differ = 0;

    if (!reserve_labels(accumulator, accumulator->dict->labels.count))
        return false;
    for (uint32_t i = 0; labels && i < rows; i++)
        differ |= labels[i] ^ labels[0];
    if (differ == 0)
        accumulator->labels[labels ? labels[0] : 0] = 1;
    for (uint32_t i = 0; differ != 0 && i < rows; i++)
        accumulator->labels[labels[i]] = 1;
    return true;
}

/* *index: the row of the sums for each record of the batch; *count: number of rows of the sums.
 * False: out of memory. */
static bool index_of(struct pf_accumulator *accumulator, const struct pf_batch *batch,
                     const uint32_t **index, size_t *count)
{
    const struct pf_dict *dict = accumulator->dict;
    struct pf_table *edges = &accumulator->edges;

    if (accumulator->by_labels) {
        *index = batch->labels;
        *count = dict->labels.count;
        return true;
    }
    if (accumulator->slices && batch->kind == PF_SAMPLE) {
        *index = accumulator->pairs;
        if (batch->rows > 0 &&
            pf_slices_find(accumulator->slices, batch, accumulator->pairs) != PF_OK)
            return false;
        *count = pf_merge_records_count(&accumulator->slices->records);
        return true;
    }
    if (batch->kind != PF_EDGE) {
        *index = batch->kind == PF_SAMPLE ? batch->stack : batch->location;
        *count = batch->kind == PF_SAMPLE ? dict->stacks.count : dict->locations.count;
        return true;
    }
    if (edges->count == 0 && pf_table_init(edges, sizeof(struct pf_edge)) != PF_OK)
        return false;
    for (uint32_t i = 0; i < batch->rows; i++) {
        struct pf_edge edge = {batch->location ? batch->location[i] : 0,
                               batch->callee ? batch->callee[i] : 0};
        accumulator->pairs[i] = pf_table_intern(edges, &edge);
    }
    *index = accumulator->pairs;
    *count = edges->count;
    return edges->status == PF_OK;
}

/* --- samples of events ------------------------------------------------------------------------ */

static bool is_event(const struct pf_dict *dict, const struct pf_measure *measure)
{
    return measure->kind == PF_SAMPLE && measure->nature == PF_SAMPLED &&
           measure->aggregation == PF_SUM && !pf_measure_is_samples(dict, measure);
}

/* The sums of a column of a batch whose measure is an event; else NULL. */
static struct pf_sums *event_of(const struct pf_accumulator *accumulator,
                                const struct pf_value_column *column)
{
    bool event =
        column->data &&
        is_event(accumulator->dict, pf_measures_row(&accumulator->dict->measures, column->measure));

    return event ? pf_ledger_of(&accumulator->ledger, column->measure) : NULL;
}

/* Adds the samples of each event, for a batch of several events. */
static void divide_samples(struct pf_accumulator *accumulator, const struct pf_batch *batch,
                           const int64_t *samples)
{
    uint32_t *events = accumulator->pairs; /* by record: number of events with a value */
    struct pf_sums *sums;

    memset(events, 0, batch->rows * sizeof *events);
    for (uint32_t k = 0; k < batch->value_count; k++)
        for (uint32_t i = 0; event_of(accumulator, &batch->values[k]) && i < batch->rows; i++)
            events[i] += batch->values[k].data[i] != 0;
    for (uint32_t k = 0; k < batch->value_count; k++) {
        if ((sums = event_of(accumulator, &batch->values[k])) == NULL)
            continue;
        for (uint32_t i = 0; i < batch->rows; i++) {
            sums->samples += batch->values[k].data[i] != 0 ? samples[i] : 0;
            sums->shared += batch->values[k].data[i] != 0 && events[i] > 1 ? samples[i] : 0;
        }
    }
    for (uint32_t i = 0; i < batch->rows; i++)
        accumulator->eventless += events[i] == 0 ? samples[i] : 0;
}

static void count_samples(struct pf_accumulator *accumulator, const struct pf_batch *batch)
{
    const struct pf_measures *measures = &accumulator->dict->measures;
    const int64_t *samples = NULL;
    struct pf_sums *event = NULL, *found;
    uint32_t events = 0;

    for (uint32_t k = 0; k < batch->value_count; k++) {
        const struct pf_value_column *column = &batch->values[k];

        if (!samples &&
            pf_measure_is_samples(accumulator->dict, pf_measures_row(measures, column->measure)))
            samples = column->data;
        if ((found = event_of(accumulator, column)) != NULL) {
            event = found;
            events++;
        }
    }
    if (samples && events > 1)
        divide_samples(accumulator, batch, samples);
    else if (samples)
        *(event ? &event->samples : &accumulator->eventless) += total_of(samples, batch->rows);
}

bool pf_accumulator_divides(const struct pf_accumulator *accumulator, const struct pf_sums *sums,
                            const struct pf_sums *samples)
{
    bool whole = samples->quantity.measure.num == samples->quantity.measure.den;

    return whole && is_event(accumulator->dict, &sums->quantity.measure) &&
           sums->samples + accumulator->eventless < pf_sums_total(samples);
}

pf_int128 pf_accumulator_samples(const struct pf_accumulator *accumulator,
                                 const struct pf_sums *sums, const struct pf_sums *samples,
                                 bool *most)
{
    bool divided = pf_accumulator_divides(accumulator, sums, samples);

    *most = divided && sums->shared > 0;
    return divided ? sums->samples + accumulator->eventless : pf_sums_total(samples);
}

/* --- records ---------------------------------------------------------------------------------- */

int pf_accumulator_add(struct pf_accumulator *accumulator, const struct pf_batch *batch,
                       struct pf_error *error)
{
    const uint32_t *index;
    size_t count;
    int status = PF_OK;

    if (batch->kind >= PF_RECORD_KINDS)
        return PF_OK;
    if (!index_of(accumulator, batch, &index, &count) ||
        (batch->rows > 0 && !mark_labels(accumulator, batch->labels, batch->rows)))
        return pf_error_nomem(error);
    for (uint32_t i = 0; i < batch->value_count && status == PF_OK; i++)
        status = add_column(accumulator, batch, &batch->values[i], index, count, error);
    if (status == PF_OK && batch->kind == PF_SAMPLE && batch->rows > 0)
        count_samples(accumulator, batch);
    accumulator->records[batch->kind] += batch->rows;
    return status;
}

int pf_accumulator_put(struct pf_accumulator *accumulator, struct pf_sums *sums, size_t place,
                       int64_t value, struct pf_error *error)
{
    const struct pf_measure *measure = &sums->quantity.measure;

    if (!pf_sums_reserve(sums, place + 1))
        return pf_error_nomem(error);
    if (!pf_sums_combine(sums, &sums->data[place], value))
        return overflow(accumulator, measure, accumulator->records[measure->kind], error);
    return PF_OK;
}

int pf_accumulator_move(struct pf_accumulator *accumulator, enum pf_kind kind, size_t from,
                        size_t to, struct pf_error *error)
{
    for (uint32_t i = 0; i < accumulator->ledger.count; i++) {
        struct pf_sums *sums = &accumulator->ledger.sums[i];
        if (sums->quantity.measure.kind != kind || pf_sums_at(sums, from) == 0)
            continue;
        int status = pf_accumulator_put(accumulator, sums, to, sums->data[from], error);
        if (status != PF_OK)
            return status;
        sums->data[from] = 0;
    }
    return PF_OK;
}

/* --- the sums of a single input --------------------------------------------------------------- */

int pf_accumulator_begin(struct pf_accumulator *own, const struct pf_accumulator *all)
{
    *own = (struct pf_accumulator){
        .dict = all->dict, .by_labels = all->by_labels, .wants = all->wants, .arg = all->arg};
    if (!pf_ledger_reserve(&own->ledger, own->dict))
        return PF_NOMEM;
    for (size_t k = 0; k < all->ledger.member_count && k < own->ledger.member_count; k++)
        own->ledger.members[k].dropped = all->ledger.members[k].dropped;
    return PF_OK;
}

int pf_accumulator_leave_out(struct pf_accumulator *all)
{
    uint32_t count = pf_measures_count(&all->dict->measures);

    if (!pf_ledger_reserve(&all->ledger, all->dict))
        return PF_NOMEM;
    for (uint32_t k = 0; k < count; k++)
        all->ledger.members[k].dropped = all->ledger.members[k].sums == 0;
    return PF_OK;
}

/* The number in `all` of each edge of the input; NULL: out of memory. The caller frees it. */
static uint32_t *join_edges(struct pf_accumulator *all, const struct pf_accumulator *own)
{
    uint32_t *to = malloc(((size_t)own->edges.count + 1) * sizeof *to);
    bool good = to && (own->edges.count == 0 || all->edges.count > 0 ||
                       pf_table_init(&all->edges, sizeof(struct pf_edge)) == PF_OK);

    for (uint32_t edge = 1; good && edge < own->edges.count; edge++)
        good = (to[edge] = pf_table_intern(&all->edges, pf_table_row(&own->edges, edge))) != 0;
    if (good)
        to[0] = 0;
    if (good)
        return to;
    free(to);
    return NULL;
}

/* How the sums of an input are added to those of all. */
struct joint {
    struct pf_quantity quantity; /* the common quantity */
    int64_t times, factor;       /* factors of the sums of all inputs; of those of the input */
    const uint32_t *rows;        /* row in `all` of each row of the input; NULL: the same row */
};

/* True if the joined sums fit in 64 bits. `old` is NULL if no input has this measure yet. */
static bool fits(const struct pf_sums *old, const struct pf_sums *from, const struct joint *joint)
{
    int64_t sum, value;

    for (size_t k = 0; old && joint->times != 1 && k < old->count; k++)
        if (!pf_mul64(old->data[k], joint->times, &sum))
            return false;
    for (size_t k = 0; k < from->count; k++) {
        sum = old ? pf_sums_at(old, joint->rows ? joint->rows[k] : k) * joint->times : 0;
        if (!pf_mul64(from->data[k], joint->factor, &value) || !pf_sums_combine(from, &sum, value))
            return false;
    }
    return true;
}

static int plan_sums(struct joint *joint, const struct pf_accumulator *all,
                     const struct pf_sums *from, const uint32_t *edges, struct pf_error *error)
{
    const struct pf_sums *old = pf_ledger_same(&all->ledger, &from->quantity.measure);
    struct pf_measure measure = from->quantity.measure;
    struct pf_bytes name = pf_dict_string(all->dict, measure.name);
    int status = PF_OK;

    *joint = (struct joint){from->quantity, 1, 1,
                            measure.kind == PF_EDGE && !all->by_labels ? edges : NULL};
    if (from->quantity.events)
        measure.period = measure.period_parts = 1;
    if (old) {
        joint->quantity = old->quantity;
        status = pf_quantity_join(&joint->quantity, all->dict, &measure, &joint->times,
                                  &joint->factor, error);
    }
    joint->quantity.events = joint->quantity.events || from->quantity.events;
    joint->quantity.mixed = joint->quantity.mixed || from->quantity.mixed;
    if (status != PF_OK || fits(old, from, joint))
        return status;
    return pf_error_set(error, PF_OVERFLOW, "the sum of measure '%s' overflows 64 bits",
                        pf_clip(name).text);
}

/* Drops the rows of a column and keeps its total. */
static void keep_total(struct pf_sums *sums)
{
    sums->total = pf_sums_total(sums);
    sums->kept = false;
    free(sums->data);
    sums->data = NULL;
    sums->count = sums->capacity = 0;
}

/* Adds a column of the input as planned; `fits` was true. PF_OK or PF_NOMEM. */
static int add_sums(struct pf_sums *sums, const struct pf_sums *from, const struct joint *joint)
{
    pf_int128 total = pf_sums_total(from) * joint->factor;
    bool sum = from->quantity.measure.aggregation == PF_SUM;

    for (size_t k = 0; joint->times != 1 && k < sums->count; k++)
        sums->data[k] *= joint->times;
    sums->total *= joint->times;
    sums->quantity = joint->quantity;
    if (sums->kept && !from->kept)
        keep_total(sums);
    if (!sums->kept) {
        sums->total = sum ? sums->total + total : total > sums->total ? total : sums->total;
        return PF_OK;
    }
    for (size_t k = 0; k < from->count; k++) {
        size_t row = joint->rows ? joint->rows[k] : k;

        if (!pf_sums_reserve(sums, row + 1))
            return PF_NOMEM;
        pf_sums_combine(sums, &sums->data[row], from->data[k] * joint->factor);
    }
    return PF_OK;
}

/* Adds all columns of the input as planned. The members' factors in `all` are not used, because
 * values are added to the sums of their input. */
static int join_sums(struct pf_accumulator *all, const struct pf_accumulator *own,
                     const struct joint *joints)
{
    struct pf_ledger *ledger = &all->ledger;

    if (!pf_ledger_reserve(ledger, all->dict))
        return PF_NOMEM;
    for (uint32_t k = 0; k < own->ledger.count; k++) {
        const struct pf_sums *from = &own->ledger.sums[k];
        struct pf_sums *sums = pf_ledger_same(ledger, &from->quantity.measure);

        if (!sums && (sums = pf_ledger_new(ledger, &from->quantity.measure)) != NULL)
            sums->kept = from->kept;
        if (!sums || add_sums(sums, from, &joints[k]) != PF_OK)
            return PF_NOMEM;
        sums->samples += from->samples;
        sums->shared += from->shared;
        for (uint32_t m = 0; m < pf_measures_count(&all->dict->measures); m++)
            if (pf_ledger_of(&own->ledger, m) == from)
                ledger->members[m] =
                    (struct pf_member){.sums = (uint32_t)(sums - ledger->sums) + 1, .factor = 1};
    }
    return PF_OK;
}

int pf_accumulator_join(struct pf_accumulator *all, const struct pf_accumulator *own,
                        struct pf_error *error)
{
    uint32_t edges = all->edges.count, *to = join_edges(all, own);
    struct joint *joints = calloc((size_t)own->ledger.count + 1, sizeof *joints);
    int status = to && joints ? PF_OK : pf_error_nomem(error);

    for (uint32_t k = 0; k < own->ledger.count && status == PF_OK; k++)
        status = plan_sums(&joints[k], all, &own->ledger.sums[k], to, error);
    if (status != PF_OK && edges > 0)
        pf_table_truncate(&all->edges, edges);
    if (status == PF_OK && join_sums(all, own, joints) != PF_OK)
        status = pf_error_nomem(error);
    free(joints);
    free(to);
    if (status != PF_OK)
        return status;
    if (!reserve_labels(all, own->label_count))
        return pf_error_nomem(error);
    for (size_t k = 0; k < own->label_count; k++)
        all->labels[k] |= own->labels[k];
    for (unsigned kind = 0; kind < PF_RECORD_KINDS; kind++)
        all->records[kind] += own->records[kind];
    all->eventless += own->eventless;
    all->preferred.looked = 0;
    return PF_OK;
}

int pf_sums_subtrees(struct pf_sums *sums, const struct pf_dict *dict, struct pf_error *error)
{
    struct pf_bytes name = pf_dict_string(dict, sums->quantity.measure.name);

    if (sums->subtrees)
        return PF_OK;
    sums->whole = pf_sums_total(sums);
    if (sums->quantity.measure.aggregation == PF_MAX && sums->count > 0) {
        if ((sums->nodes = malloc(sums->count * sizeof *sums->nodes)) == NULL)
            return pf_error_nomem(error);
        memcpy(sums->nodes, sums->data, sums->count * sizeof *sums->nodes);
    }
    for (size_t node = sums->count; node-- > 1;) {
        uint32_t parent = pf_dict_stack(dict, (uint32_t)node)->parent;
        if (parent != 0 && !pf_sums_combine(sums, &sums->data[parent], sums->data[node]))
            return pf_error_set(error, PF_OVERFLOW,
                                "the sum of measure '%s' below one frame overflows 64 bits",
                                pf_clip(name).text);
    }
    sums->subtrees = true;
    return PF_OK;
}

/* Subtracts nodes from their parents in the order of ids: a node then still has the sum of its
 * subtree. */
void pf_sums_nodes(struct pf_sums *sums, const struct pf_dict *dict)
{
    if (!sums->subtrees)
        return;
    if (sums->nodes) {
        memcpy(sums->data, sums->nodes, sums->count * sizeof *sums->nodes);
        free(sums->nodes);
        sums->nodes = NULL;
    }
    for (size_t node = 1; sums->quantity.measure.aggregation == PF_SUM && node < sums->count;
         node++) {
        uint32_t parent = pf_dict_stack(dict, (uint32_t)node)->parent;
        if (parent != 0)
            sums->data[parent] -= sums->data[node];
    }
    sums->subtrees = false;
}

#include "analysis/sum/accumulate.h"

#include "analysis/sum/slices.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void pf_accumulator_free(struct pf_accumulator *accumulator)
{
    pf_ledger_free(&accumulator->ledger);
    for (size_t i = 0; i < accumulator->kept.capacity; i++)
        free(accumulator->kept.sums[i].data);
    for (uint32_t i = 0; i < accumulator->derived_count; i++)
        free(accumulator->derived[i].data);
    free(accumulator->derived);
    free(accumulator->labels);
    free(accumulator->kept.sums);
    free(accumulator->kept.members);
    free(accumulator->kept.labels);
    pf_table_free(&accumulator->edges);
}

static bool passed_over(const struct pf_accumulator *accumulator, uint32_t index, const struct pf_measure *measure)
{
    const struct pf_sums *sums = pf_ledger_same(&accumulator->ledger, measure);

    if (index < accumulator->ledger.member_count && accumulator->ledger.members[index].dropped)
        return true;
    return sums != NULL && !sums->kept;
}

/* Offers the measures of a kind from number `from` on; *best becomes the number of a better one. */
static void prefer(const struct pf_accumulator *accumulator, enum pf_kind kind, uint32_t from, struct pf_main_choice *choice, uint32_t *best)
{
    const struct pf_dict *dict = accumulator->dict;

    for (uint32_t k = from; k < pf_measures_count(&dict->measures); k++) {
        const struct pf_measure *measure = pf_measures_row(&dict->measures, k);
        if (measure->kind == kind && !passed_over(accumulator, k, measure) && pf_main_offer(choice, dict, measure))
            *best = k;
    }
}

uint32_t pf_accumulator_main(const struct pf_accumulator *accumulator, enum pf_kind kind)
{
    struct pf_main_choice choice = {0};
    uint32_t best = UINT32_MAX;

    prefer(accumulator, kind, 0, &choice, &best);
    return best;
}

bool pf_measure_calls(const struct pf_dict *dict, const struct pf_measure *measure)
{
    return measure->role == PF_COUNT && pf_bytes_equal(pf_dict_string(dict, measure->name), PF_BYTES("calls"));
}

uint32_t pf_accumulator_preferred(struct pf_accumulator *accumulator)
{
    struct pf_preferred *main = &accumulator->preferred;

    if (main->looked == 0)
        *main = (struct pf_preferred){.measure = UINT32_MAX};
    prefer(accumulator, PF_SAMPLE, main->looked, &main->choice, &main->measure);
    main->looked = pf_measures_count(&accumulator->dict->measures);
    return main->measure;
}

/* Decided once, when the first measure of a quantity is met: a better main measure that comes later was not known before, so no
 * record had a value of it and nothing is lost. */
static bool wanted(struct pf_accumulator *accumulator, uint32_t index, const struct pf_measure *measure)
{
    const struct pf_measures *measures = &accumulator->dict->measures;

    if (measure->kind != PF_SAMPLE || pf_measure_calls(accumulator->dict, measure))
        return true;
    if (accumulator->wants != NULL)
        return accumulator->wants(accumulator->arg, index);
    return pf_measure_same(measure, pf_measures_row(measures, pf_accumulator_preferred(accumulator)));
}

static int overflow(const struct pf_accumulator *accumulator, const struct pf_measure *measure, uint64_t record,
                    struct pf_error *error)
{
    struct pf_bytes name = pf_dict_string(accumulator->dict, measure->name);

    return pf_error_set(error, PF_OVERFLOW, "record %llu: the sum of measure '%s' leaves 64 bits", (unsigned long long)record,
                        pf_clip(name).text);
}

/* Makes the member of a measure that is new. */
static int meet(struct pf_accumulator *accumulator, uint32_t index, struct pf_error *error)
{
    const struct pf_measure *measure = pf_measures_row(&accumulator->dict->measures, index);
    struct pf_sums *sums = pf_ledger_same(&accumulator->ledger, measure);

    if (sums == NULL) {
        bool kept = wanted(accumulator, index, measure);

        if ((sums = pf_ledger_new(&accumulator->ledger, measure)) == NULL)
            return pf_error_nomem(error);
        sums->kept = kept;
    }
    return pf_ledger_join(&accumulator->ledger, sums, accumulator->dict, index, measure, error);
}

static int member_of(struct pf_accumulator *accumulator, uint32_t measure, struct pf_member *member, struct pf_error *error)
{
    struct pf_ledger *ledger = &accumulator->ledger;
    int status = pf_ledger_reserve(ledger, accumulator->dict) ? PF_OK : pf_error_nomem(error);

    if (status == PF_OK && ledger->members[measure].sums == 0)
        status = meet(accumulator, measure, error);
    if (status == PF_OK)
        *member = ledger->members[measure];
    return status;
}

/* The two loops the speed of the whole depends on. Each gives the rows done: fewer than `rows` when the next sum leaves 64 bits. */
static uint32_t add_rows(int64_t *restrict sums, const uint32_t *restrict index, const int64_t *restrict values, uint32_t rows)
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

static void max_rows(int64_t *restrict sums, const uint32_t *restrict index, const int64_t *restrict values, uint32_t rows)
{
    for (uint32_t i = 0; i < rows; i++) {
        int64_t *sum = &sums[index != NULL ? index[i] : 0];
        if (values[i] > *sum)
            *sum = values[i];
    }
}

/* In halves, which cannot leave 64 bits within a batch and add up without branches. */
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

static int add_column(struct pf_accumulator *accumulator, const struct pf_batch *batch, const struct pf_value_column *column,
                      const uint32_t *index, size_t count, struct pf_error *error)
{
    const int64_t *values = column->data;
    struct pf_member member = {0};
    struct pf_sums *sums;
    uint32_t done = batch->rows;
    int status = member_of(accumulator, column->measure, &member, error);

    if (status != PF_OK || batch->rows == 0 || values == NULL)
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
        done = index != NULL ? add_rows(sums->data, index, values, done) : add_all(sums->data, values, done);
    }
    if (done < batch->rows)
        return overflow(accumulator, &sums->quantity.measure, accumulator->records[batch->kind] + done + 1, error);
    return PF_OK;
}

/* Marks the label sets of the rows; most batches have one alone, and a loop that only looks is much faster than one that writes. */
static bool mark_labels(struct pf_accumulator *accumulator, const uint32_t *labels, uint32_t rows)
{
    size_t count = accumulator->dict->labels.count, old = accumulator->label_count;
    uint32_t differ = 0;

    if (count > old) {
        if (!pf_grow(&accumulator->labels, &accumulator->label_capacity, count, 1))
            return false;
        memset(accumulator->labels + old, 0, count - old);
        accumulator->label_count = count;
    }
    for (uint32_t i = 0; labels != NULL && i < rows; i++)
        differ |= labels[i] ^ labels[0];
    if (differ == 0)
        accumulator->labels[labels != NULL ? labels[0] : 0] = 1;
    for (uint32_t i = 0; differ != 0 && i < rows; i++)
        accumulator->labels[labels[i]] = 1;
    return true;
}

/* What the rows of a batch are summed by, and how many of those there are. False: out of memory. */
static bool index_of(struct pf_accumulator *accumulator, const struct pf_batch *batch, const uint32_t **index, size_t *count)
{
    const struct pf_dict *dict = accumulator->dict;
    struct pf_table *edges = &accumulator->edges;

    if (accumulator->by_labels) {
        *index = batch->labels;
        *count = dict->labels.count;
        return true;
    }
    if (accumulator->slices != NULL && batch->kind == PF_SAMPLE) {
        *index = accumulator->pairs;
        if (batch->rows > 0 && pf_slices_find(accumulator->slices, batch, accumulator->pairs) != PF_OK)
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
        struct pf_edge edge = {batch->location != NULL ? batch->location[i] : 0, batch->callee != NULL ? batch->callee[i] : 0};
        accumulator->pairs[i] = pf_table_intern(edges, &edge);
    }
    *index = accumulator->pairs;
    *count = edges->count;
    return edges->status == PF_OK;
}

int pf_accumulator_add(struct pf_accumulator *accumulator, const struct pf_batch *batch, struct pf_error *error)
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
    accumulator->records[batch->kind] += batch->rows;
    return status;
}

int pf_accumulator_put(struct pf_accumulator *accumulator, struct pf_sums *sums, size_t place, int64_t value, struct pf_error *error)
{
    const struct pf_measure *measure = &sums->quantity.measure;

    if (!pf_sums_reserve(sums, place + 1))
        return pf_error_nomem(error);
    if (!pf_sums_combine(sums, &sums->data[place], value))
        return overflow(accumulator, measure, accumulator->records[measure->kind], error);
    return PF_OK;
}

int pf_accumulator_move(struct pf_accumulator *accumulator, enum pf_kind kind, size_t from, size_t to, struct pf_error *error)
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

/* --- inputs that are left out ----------------------------------------------------------------------------- */

/* The copy keeps its own memory. */
static bool copy_sums(struct pf_sums *copy, const struct pf_sums *sums)
{
    int64_t *data = copy->data;
    size_t capacity = copy->capacity;

    if (sums->count > 0 && !pf_grow(&data, &capacity, sums->count, sizeof *data))
        return false;
    if (sums->count > 0)
        memcpy(data, sums->data, sums->count * sizeof *data);
    *copy = *sums;
    copy->data = data;
    copy->capacity = capacity;
    return true;
}

int pf_accumulator_keep(struct pf_accumulator *accumulator)
{
    struct pf_accumulated *kept = &accumulator->kept;
    size_t old = kept->capacity;

    if (!pf_grow(&kept->sums, &kept->capacity, (size_t)accumulator->ledger.count + 1, sizeof *kept->sums))
        return PF_NOMEM;
    memset(kept->sums + old, 0, (kept->capacity - old) * sizeof *kept->sums);
    if (!pf_ledger_reserve(&accumulator->ledger, accumulator->dict) ||
        !pf_grow(&kept->members, &kept->member_capacity, accumulator->ledger.member_count + 1, sizeof *kept->members) ||
        !pf_grow(&kept->labels, &kept->label_capacity, accumulator->label_count + 1, 1))
        return PF_NOMEM;
    for (kept->count = 0; kept->count < accumulator->ledger.count; kept->count++)
        if (!copy_sums(&kept->sums[kept->count], &accumulator->ledger.sums[kept->count]))
            return PF_NOMEM;
    kept->member_count = accumulator->ledger.member_count;
    if (kept->member_count > 0)
        memcpy(kept->members, accumulator->ledger.members, kept->member_count * sizeof *kept->members);
    kept->label_count = accumulator->label_count;
    if (kept->label_count > 0)
        memcpy(kept->labels, accumulator->labels, kept->label_count);
    memcpy(kept->records, accumulator->records, sizeof kept->records);
    return PF_OK;
}

int pf_accumulator_drop(struct pf_accumulator *accumulator)
{
    const struct pf_accumulated *kept = &accumulator->kept;

    if (!pf_ledger_reserve(&accumulator->ledger, accumulator->dict))
        return PF_NOMEM;
    for (uint32_t i = 0; i < kept->count; i++)
        if (!copy_sums(&accumulator->ledger.sums[i], &kept->sums[i]))
            return PF_NOMEM;
    pf_ledger_truncate(&accumulator->ledger, kept->count);
    accumulator->preferred.looked = 0;
    for (size_t k = 0; k < accumulator->ledger.member_count; k++)
        accumulator->ledger.members[k] = k < kept->member_count ? kept->members[k] : (struct pf_member){.dropped = true};
    accumulator->label_count = kept->label_count;
    if (kept->label_count > 0)
        memcpy(accumulator->labels, kept->labels, kept->label_count);
    memcpy(accumulator->records, kept->records, sizeof kept->records);
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
            return pf_error_set(error, PF_OVERFLOW, "the sum of measure '%s' below one frame leaves 64 bits", pf_clip(name).text);
    }
    sums->subtrees = true;
    return PF_OK;
}

/* Whoever has a greater id still has its subtree's sum when it is taken from that of its parent. */
void pf_sums_nodes(struct pf_sums *sums, const struct pf_dict *dict)
{
    if (!sums->subtrees)
        return;
    if (sums->nodes != NULL) {
        memcpy(sums->data, sums->nodes, sums->count * sizeof *sums->nodes);
        free(sums->nodes);
        sums->nodes = NULL;
    }
    for (size_t node = 1; sums->quantity.measure.aggregation == PF_SUM && node < sums->count; node++) {
        uint32_t parent = pf_dict_stack(dict, (uint32_t)node)->parent;
        if (parent != 0)
            sums->data[parent] -= sums->data[node];
    }
    sums->subtrees = false;
}

#include "analysis/diff/diff.h"

#include "analysis/diff/builds.h"
#include "analysis/merge/columns.h"
#include "analysis/sum/file_scope.h"
#include "analysis/sum/own_time.h"
#include "analysis/sum/rank.h"
#include "base/memory.h"
#include "model/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int pf_diff_init(struct pf_diff *diff)
{
    diff->block_count = diff->name_count > 0 ? diff->name_count : 1;
    diff->blocks = calloc(diff->block_count, sizeof *diff->blocks);
    for (size_t i = 0; diff->blocks && i < diff->block_count; i++)
        diff->blocks[i].measure.kind = PF_RECORD_KINDS;
    if (pf_keys_init(&diff->keys, diff->dict, diff->by, diff->label) != PF_OK)
        return PF_NOMEM;
    diff->keys.open = true;
    return diff->blocks ? PF_OK : PF_NOMEM;
}

static void free_accumulator(struct pf_accumulator **accumulator)
{
    if (*accumulator)
        pf_accumulator_free(*accumulator);
    free(*accumulator);
    *accumulator = NULL;
}

static void free_amounts(struct pf_diff_amounts *run)
{
    free(run->flat);
    free(run->cum);
    free(run->samples);
    *run = (struct pf_diff_amounts){0};
}

void pf_diff_free(struct pf_diff *diff)
{
    for (size_t i = 0; diff->blocks && i < diff->block_count; i++) {
        for (size_t k = 0; k < diff->run_count && k < diff->blocks[i].run_capacity; k++)
            free_amounts(&diff->blocks[i].runs[k]);
        free(diff->blocks[i].runs);
    }
    for (size_t k = 0; k < diff->run_count; k++)
        free_accumulator(&diff->runs[k].accumulator);
    free(diff->blocks);
    free(diff->runs);
    free(diff->there[0].has);
    free(diff->there[1].has);
    free_accumulator(&diff->accumulator);
    pf_facts_free(&diff->facts);
    pf_facts_free(&diff->run_facts);
    pf_keys_free(&diff->keys);
}

/* --- reading ---------------------------------------------------------------------------------- */

/* True if a measure is summed: the requested measures and the numbers of samples. */
static bool wants(void *arg, uint32_t index)
{
    const struct pf_diff *diff = arg;
    const struct pf_measure *measure = pf_measures_row(&diff->dict->measures, index), *main;
    bool asked = pf_measure_is_samples(diff->dict, measure);

    for (unsigned i = 0; i < diff->name_count && !asked; i++)
        asked = diff->named(diff->arg, i, index);
    if (diff->name_count > 0 || asked)
        return asked;
    main =
        diff->blocks[0].measure.kind == PF_SAMPLE
            ? &diff->blocks[0].measure
            : pf_measures_row(&diff->dict->measures, pf_accumulator_preferred(diff->accumulator));
    return pf_measure_same(measure, main);
}

int pf_diff_begin(struct pf_diff *diff, unsigned side, uint64_t runs, struct pf_error *error)
{
    if (!pf_grow(&diff->runs, &diff->run_capacity, diff->run_count + 1, sizeof *diff->runs) ||
        (diff->accumulator = calloc(1, sizeof *diff->accumulator)) == NULL)
        return pf_error_nomem(error);
    for (size_t i = 0; i < diff->block_count; i++) {
        struct pf_diff_block *block = &diff->blocks[i];
        if (!pf_grow(&block->runs, &block->run_capacity, diff->run_count + 1, sizeof *block->runs))
            return pf_error_nomem(error);
        block->runs[diff->run_count] = (struct pf_diff_amounts){0};
    }
    diff->runs[diff->run_count++] = (struct pf_diff_run){.side = side, .runs = runs};
    pf_facts_free(&diff->run_facts);
    diff->run_facts = (struct pf_facts){0};
    diff->accumulator->dict = diff->dict;
    diff->accumulator->by_labels = diff->by == PF_BY_LABEL;
    diff->accumulator->wants = wants;
    diff->accumulator->arg = diff;
    return PF_OK;
}

/* Notes the measures of a batch of records for its side. */
static bool note_measures(struct pf_diff *diff, const struct pf_batch *batch)
{
    unsigned side = diff->runs[diff->run_count - 1].side;

    if (batch->kind >= PF_RECORD_KINDS || batch->rows == 0 || side > 1)
        return true;
    struct pf_diff_there *there = &diff->there[side];

    for (size_t k = 0; k < batch->value_count; k++) {
        size_t measure = batch->values[k].measure;

        if (!pf_grow_zeroed(&there->has, &there->count, &there->capacity, measure + 1,
                            sizeof *there->has))
            return false;
        there->has[measure] = true;
    }
    return true;
}

int pf_diff_add(struct pf_diff *diff, const struct pf_batch *batch, struct pf_error *error)
{
    if (pf_facts_add(&diff->facts, diff->dict, batch) != PF_OK ||
        pf_facts_add(&diff->run_facts, diff->dict, batch) != PF_OK || !note_measures(diff, batch))
        return pf_error_nomem(error);
    return pf_accumulator_add(diff->accumulator, batch, error);
}

int pf_diff_add_again(struct pf_diff *diff, const struct pf_batch *batch, struct pf_error *error)
{
    return pf_facts_add(&diff->run_facts, diff->dict, batch) == PF_OK ? PF_OK
                                                                      : pf_error_nomem(error);
}

/* --- one run ---------------------------------------------------------------------------------- */

static int overflows(const struct pf_diff *diff, const struct pf_diff_block *block,
                     struct pf_error *error)
{
    return pf_error_set(error, PF_OVERFLOW,
                        "measure '%s' overflows 64 bits in the common unit of all runs",
                        pf_clip(pf_dict_string(diff->dict, block->measure.name)).text);
}

/* The measure of the current run that belongs to the block; a block without a measure gets this
 * one. UINT32_MAX: the run has no such measure. */
static uint32_t measure_of(const struct pf_diff *diff, size_t block)
{
    const struct pf_measures *measures = &diff->dict->measures;
    const struct pf_measure *known = &diff->blocks[block].measure;
    uint32_t found = UINT32_MAX;

    if (known->kind == PF_RECORD_KINDS && diff->name_count == 0) {
        found = diff->kind < PF_RECORD_KINDS ? pf_accumulator_main(diff->accumulator, diff->kind)
                                             : UINT32_MAX;
        return found != UINT32_MAX && pf_accumulator_find(diff->accumulator, found) ? found
                                                                                    : UINT32_MAX;
    }
    for (uint32_t k = pf_measures_count(measures); k-- > 0;) {
        const struct pf_measure *measure = pf_measures_row(measures, k);
        if (!pf_accumulator_find(diff->accumulator, k))
            continue;
        if (known->kind != PF_RECORD_KINDS
                ? pf_measure_same(known, measure)
                : diff->named(diff->arg, (unsigned)block, k) &&
                      (found == UINT32_MAX || measure->kind == diff->kind))
            found = k;
    }
    return found;
}

/* Fails if the current run, which lacks the block's measure, has it in another unit. */
static int check_units(const struct pf_diff *diff, const struct pf_measure *known,
                       struct pf_error *error)
{
    const struct pf_measures *measures = &diff->dict->measures;

    for (uint32_t k = 0; k < pf_measures_count(measures) && known->kind != PF_RECORD_KINDS; k++) {
        const struct pf_measure *measure = pf_measures_row(measures, k);
        if (measure->kind == known->kind && measure->name == known->name &&
            measure->unit != known->unit && pf_accumulator_find(diff->accumulator, k))
            return pf_measure_differ(diff->dict, known, measure, error);
    }
    return PF_OK;
}

/* The measure that counts the samples of `measure`: `measure` itself, or a measure of samples
 * of the same profile. UINT32_MAX: the profile has no such measure, or other events have samples
 * too. */
static uint32_t samples_of(const struct pf_diff *diff, uint32_t measure)
{
    const struct pf_measures *measures = &diff->dict->measures;
    const struct pf_measure *row = pf_measures_row(measures, measure);
    const struct pf_accumulator *sums = diff->accumulator;

    if (row->nature != PF_SAMPLED || row->aggregation != PF_SUM)
        return UINT32_MAX;
    for (uint32_t k = 0; k < pf_measures_count(measures); k++) {
        const struct pf_sums *samples = pf_accumulator_find(sums, k);

        if (samples && pf_measures_row(measures, k)->kind == row->kind &&
            pf_measure_is_samples(diff->dict, pf_measures_row(measures, k)))
            return pf_accumulator_divides(sums, pf_accumulator_find(sums, measure), samples)
                       ? UINT32_MAX
                       : k;
    }
    return pf_measure_is_count(diff->dict, row) ? measure : UINT32_MAX;
}

/* True if amounts are raw counts, which cannot be converted to other units. */
static bool raw_amounts(const struct pf_measure *measure, const struct pf_scale *scale)
{
    return scale->num == 1 && scale->den == 1 &&
           (pf_uint128)measure->num * scale->parts != measure->den;
}

static int set_scale(const struct pf_diff *diff, struct pf_diff_block *block,
                     const struct pf_subject *subject, struct pf_error *error)
{
    const struct pf_measure *measure = &subject->shown->quantity.measure;
    bool raw = raw_amounts(measure, &subject->scale), events = subject->shown->quantity.events;
    double tick = raw ? 1 : (double)measure->num / (double)measure->den;
    struct pf_bytes name = pf_dict_string(diff->dict, measure->name);
    bool differ;

    if (block->measure.kind == PF_RECORD_KINDS) {
        block->measure = *measure;
        block->column = (diff->cum ? pf_subject_cum(subject) : pf_subject_flat(subject))->name;
        block->name = diff->name_count > 0 ? measure->name : block->column;
        block->scale = subject->scale;
        block->events = events;
        block->sampled = true;
    }
    differ = measure->num != block->measure.num || measure->den != block->measure.den;
    block->tick = tick > block->tick ? tick : block->tick;
    if ((events == block->events && !pf_bytes_equal(block->scale.name, subject->scale.name)) ||
        (differ && (raw || raw_amounts(&block->measure, &block->scale))))
        return pf_error_set(error, PF_UNSUPPORTED,
                            "measure '%s' has another unit than in the earlier runs",
                            pf_clip(name).text);
    return PF_OK;
}

static bool new_columns(const struct pf_diff *diff, struct pf_diff_amounts *run)
{
    run->count = diff->keys.table.count;
    run->flat = calloc(run->count, sizeof *run->flat);
    run->cum = calloc(run->count, sizeof *run->cum);
    return run->flat && run->cum;
}

static int fold_amounts(struct pf_diff *diff, const struct pf_subject *subject,
                        struct pf_diff_amounts *run, struct pf_error *error)
{
    struct pf_rank rank = {0};
    int status = pf_rank_make(&rank, diff->accumulator, subject, &diff->keys, error);

    if (status == PF_OK && !new_columns(diff, run))
        status = pf_error_nomem(error);
    for (size_t i = 0; i < rank.count && status == PF_OK; i++) {
        run->flat[rank.rows[i].key] = rank.rows[i].flat;
        run->cum[rank.rows[i].key] = rank.rows[i].cum;
    }
    pf_rank_free(&rank);
    return status;
}

static int rank_samples(struct pf_diff *diff, struct pf_subject *subject,
                        struct pf_diff_amounts *run, struct pf_error *error)
{
    struct pf_rank rank = {0};
    int status;

    subject->flat_only = !diff->cum;
    status = pf_rank_make(&rank, diff->accumulator, subject, &diff->keys, error);
    for (size_t i = 0; i < rank.count && status == PF_OK; i++)
        run->samples[rank.rows[i].key] = diff->cum ? rank.rows[i].cum : rank.rows[i].flat;
    pf_rank_free(&rank);
    return status;
}

/* Converts parts of samples to whole samples, rounded. */
static void round_samples(struct pf_diff_amounts *run, const struct pf_scale *scale)
{
    run->total_samples = pf_divide128(run->total_samples, (pf_int128)scale->parts);
    for (size_t key = 0; key < run->count; key++)
        pf_scale64(run->samples[key], 1, scale->parts, &run->samples[key]);
}

/* Finds the numbers of samples of the compared column. If the amounts are already raw counts of
 * samples, they are copied. */
static int fold_samples(struct pf_diff *diff, uint32_t measure, const struct pf_subject *shown,
                        struct pf_diff_amounts *run, struct pf_error *error)
{
    struct pf_subject subject;
    struct pf_error ignored = {0};
    const struct pf_quantity *quantity =
        measure != UINT32_MAX ? &pf_accumulator_find(diff->accumulator, measure)->quantity : NULL;
    bool parts = quantity && quantity->measure.num < quantity->measure.den;
    int status = PF_OK;

    if (!quantity || pf_subject_choose(&subject, diff->accumulator, measure,
                                       parts ? PF_UNIT_COUNT : PF_UNIT_TICKS, &ignored) != PF_OK)
        return PF_OK;
    run->total_samples = subject.total;
    if ((run->samples = calloc(run->count, sizeof *run->samples)) == NULL)
        return pf_error_nomem(error);
    if (parts || subject.shown != shown->shown || shown->scale.num != 1 || shown->scale.den != 1)
        status = rank_samples(diff, &subject, run, error);
    else
        memcpy(run->samples, diff->cum ? run->cum : run->flat, run->count * sizeof *run->samples);
    if (parts)
        round_samples(run, &subject.scale);
    if (parts && subject.shown == shown->shown && shown->scale.parts > 1 &&
        diff->unit != PF_UNIT_EVENTS)
        run->worth = (int64_t)shown->scale.parts;
    return status;
}

/* The amounts of the run count in the block's common unit from now on: where periods differ, in
 * events. pf_diff_finish converts them. */
static int join_run(const struct pf_diff *diff, struct pf_diff_block *block,
                    const struct pf_diff_amounts *run, struct pf_error *error)
{
    struct pf_bytes name = pf_dict_string(diff->dict, block->measure.name);
    struct pf_error why = {0};
    int64_t times, factor;
    int status = pf_quantity_join(&block->common, diff->dict, &run->measure, &times, &factor, &why);

    block->common.events = block->common.events || run->events;
    if (status == PF_UNSUPPORTED)
        return pf_error_set(
            error, PF_UNSUPPORTED,
            "measure '%s' has a period in one run and none in another: the runs cannot be compared",
            pf_clip(name).text);
    return status == PF_OK ? PF_OK : overflows(diff, block, error);
}

static int fold_block(struct pf_diff *diff, size_t number, struct pf_error *error)
{
    struct pf_diff_block *block = &diff->blocks[number];
    struct pf_diff_amounts *run = &block->runs[diff->run_count - 1];
    struct pf_subject subject;
    uint32_t measure = measure_of(diff, number);
    int status;

    if (measure == UINT32_MAX)
        return check_units(diff, &block->measure, error);
    status = pf_subject_choose(&subject, diff->accumulator, measure, diff->unit, error);
    if (status == PF_OK)
        status = set_scale(diff, block, &subject, error);
    if (status == PF_OK)
        status = fold_amounts(diff, &subject, run, error);
    if (status == PF_OK)
        status = fold_samples(diff, samples_of(diff, measure), &subject, run, error);
    if (status != PF_OK)
        return status;
    run->met = true;
    run->unit =
        (double)subject.scale.num / ((double)subject.scale.den * (double)subject.scale.parts);
    if (subject.shown->quantity.mixed && run->worth == 0)
        run->unit = 0;
    run->total = subject.total;
    run->events = subject.shown->quantity.events || diff->unit == PF_UNIT_EVENTS;
    run->measure = subject.shown->quantity.measure;
    run->measure.num = 1;
    run->measure.den = subject.scale.parts;
    if (run->events)
        run->measure.period = run->measure.period_parts = 1;
    block->sampled = block->sampled && run->samples;
    return join_run(diff, block, run, error);
}

/* Adds run `number`, whose sums are in `sums`, to all blocks. */
static int fold_sums(struct pf_diff *diff, size_t number, struct pf_accumulator *sums,
                     struct pf_error *error)
{
    struct pf_accumulator *current = diff->accumulator;
    size_t count = diff->run_count;
    int status = PF_OK;

    diff->accumulator = sums;
    diff->run_count = number + 1;
    for (size_t i = 0; i < diff->block_count && status == PF_OK; i++)
        status = fold_block(diff, i, error);
    diff->accumulator = current;
    diff->run_count = count;
    return status;
}

/* Adds the runs that waited for the kind of records, or after a failure none of them. */
static int fold_waiting(struct pf_diff *diff, struct pf_error *error)
{
    bool keep = diff->evals && pf_evals_any(diff->evals);
    int status = PF_OK;

    for (size_t k = 0; k < diff->run_count && status == PF_OK; k++)
        if (diff->runs[k].waits)
            status = fold_sums(diff, k, diff->runs[k].accumulator, error);
    for (size_t k = 0; k < diff->run_count; k++) {
        struct pf_diff_run *run = &diff->runs[k];

        for (size_t i = 0; i < diff->block_count && run->waits && status != PF_OK; i++)
            free_amounts(&diff->blocks[i].runs[k]);
        if (run->waits && status == PF_OK && !keep)
            free_accumulator(&run->accumulator);
        run->waits = run->waits && status != PF_OK;
    }
    return status;
}

/* Adds the current run to all blocks, or after a failure to none. A run without records waits until
 * another run has chosen the kind. */
static int fold_run(struct pf_diff *diff, struct pf_error *error)
{
    struct pf_diff_block *before = malloc(diff->block_count * sizeof *before);
    enum pf_kind kind = diff->kind;
    int status = before ? PF_OK : pf_error_nomem(error);

    if (status == PF_OK)
        memcpy(before, diff->blocks, diff->block_count * sizeof *before);
    if (status == PF_OK)
        status = pf_own_time_add(diff->accumulator, error);
    if (status == PF_OK)
        status = pf_file_scope_add(diff->accumulator, diff->accumulator, diff->dict,
                                   &diff->run_facts, diff->by, NULL, error);
    diff->runs[diff->run_count - 1].waits = kind == PF_RECORD_KINDS &&
                                            !pf_accumulator_any(diff->accumulator);
    if (kind == PF_RECORD_KINDS && !diff->runs[diff->run_count - 1].waits)
        diff->kind = pf_subject_kind(diff->accumulator, diff->by, &diff->facts);
    if (status == PF_OK && diff->kind != PF_RECORD_KINDS)
        status = fold_sums(diff, diff->run_count - 1, diff->accumulator, error);
    if (status == PF_OK && diff->kind != PF_RECORD_KINDS)
        status = fold_waiting(diff, error);
    if (status != PF_OK && before) {
        memcpy(diff->blocks, before, diff->block_count * sizeof *before);
        diff->kind = kind;
    }
    free(before);
    return status;
}

void pf_diff_drop(struct pf_diff *diff)
{
    diff->run_count--;
    free_accumulator(&diff->runs[diff->run_count].accumulator);
    for (size_t i = 0; i < diff->block_count; i++)
        free_amounts(&diff->blocks[i].runs[diff->run_count]);
}

int pf_diff_end(struct pf_diff *diff, bool keep, struct pf_error *error)
{
    int status = keep ? fold_run(diff, error) : PF_OK;

    if (!keep || status != PF_OK)
        pf_diff_drop(diff);
    else if (diff->runs[diff->run_count - 1].waits ||
             (diff->evals && pf_evals_any(diff->evals) && diff->by != PF_BY_LABEL)) {
        diff->runs[diff->run_count - 1].accumulator = diff->accumulator;
        diff->accumulator = NULL;
    }
    free_accumulator(&diff->accumulator);
    return status;
}

/* --- equal rows ------------------------------------------------------------------------------- */

/* Sums up a run again from its sums by stack, with the new keys. */
static int fold_again(struct pf_diff *diff, size_t number, struct pf_error *error)
{
    int status;

    for (size_t i = 0; i < diff->block_count; i++)
        free_amounts(&diff->blocks[i].runs[number]);
    status = fold_sums(diff, number, diff->runs[number].accumulator, error);
    free_accumulator(&diff->runs[number].accumulator);
    return status;
}

/* Moves the amounts of a column to new keys: key k becomes to[k]. */
static int move_column(int64_t **column, size_t count, const uint32_t *to, size_t new_count,
                       bool greatest)
{
    int64_t *moved = *column ? calloc(new_count, sizeof *moved) : NULL;
    bool fits = true;

    if (!*column)
        return PF_OK;
    for (size_t key = 0; key < count && moved; key++) {
        int64_t *sum = &moved[to[key]], value = (*column)[key];
        if (greatest)
            *sum = value > *sum ? value : *sum;
        else
            fits = pf_add64(*sum, value, sum) && fits;
    }
    free(*column);
    *column = moved;
    return !moved ? PF_NOMEM : fits ? PF_OK : PF_OVERFLOW;
}

static int move_amounts(const struct pf_diff *diff, const struct pf_diff_block *block,
                        struct pf_diff_amounts *run, const uint32_t *to, struct pf_error *error)
{
    struct pf_bytes name = pf_dict_string(diff->dict, block->measure.name);
    bool greatest = block->measure.aggregation == PF_MAX;
    size_t count = diff->keys.table.count;
    int status = move_column(&run->flat, run->count, to, count, greatest);

    if (status == PF_OK)
        status = move_column(&run->cum, run->count, to, count, greatest);
    if (status == PF_OK)
        status = move_column(&run->samples, run->count, to, count, false);
    run->count = count;
    if (status == PF_OVERFLOW)
        return pf_error_set(error, PF_OVERFLOW, "a sum of measure '%s' overflows 64 bits",
                            pf_clip(name).text);
    return status == PF_OK ? PF_OK : pf_error_nomem(error);
}

/* Makes the keys anew, with evals joined, and returns the new key of each old key (the caller frees
 * it). If the locations of one old key get different new keys, the first location decides. NULL:
 * out of memory. */
static uint32_t *new_keys(struct pf_diff *diff, const struct pf_keys *old)
{
    uint32_t *to = calloc((size_t)old->table.count + 1, sizeof *to);

    if (pf_keys_init(&diff->keys, diff->dict, diff->by, diff->label) == PF_OK) {
        diff->keys.evals = diff->evals;
        pf_keys_places(&diff->keys);
    }
    for (size_t place = old->places_done; to && diff->keys.status == PF_OK && place-- > 1;)
        to[old->places[place]] = diff->keys.places[place];
    if (diff->keys.status == PF_OK)
        return to;
    free(to);
    return NULL;
}

/* Joins rows that are known to be equal only after the last run: evals with the same text, forms of
 * one image. */
static int join_equal_rows(struct pf_diff *diff, struct pf_error *error)
{
    struct pf_keys old = diff->keys;
    uint32_t *to;
    int status = PF_OK;

    if (diff->by == PF_BY_LABEL)
        return PF_OK;
    if ((!diff->evals || diff->evals->renamed == 0) && pf_forms_settled(&old.images))
        return PF_OK;
    to = new_keys(diff, &old);
    pf_keys_free(&old);
    if (!to)
        return pf_error_nomem(error);
    for (size_t k = 0; k < diff->run_count && status == PF_OK; k++) {
        if (diff->runs[k].accumulator)
            status = fold_again(diff, k, error);
        else
            for (size_t i = 0; i < diff->block_count && status == PF_OK; i++)
                if (diff->blocks[i].runs[k].met)
                    status =
                        move_amounts(diff, &diff->blocks[i], &diff->blocks[i].runs[k], to, error);
    }
    free(to);
    return status;
}

/* Sets seen[image] to the marks of the sides (pf_builds_program) whose runs have an amount of the
 * image, a string. */
static void see_images(const struct pf_diff *diff, unsigned char *seen)
{
    for (size_t k = 0; k < diff->run_count; k++)
        for (size_t i = 0; i < diff->block_count && diff->runs[k].side < 2; i++) {
            const struct pf_diff_amounts *run = &diff->blocks[i].runs[k];

            for (uint32_t key = 1; key < run->count && run->met; key++)
                if (run->flat[key] != 0 || run->cum[key] != 0)
                    seen[pf_keys_row(&diff->keys, key)->image] |=
                        (unsigned char)(PF_BUILD_BEFORE << diff->runs[k].side);
        }
}

/* Joins the functions of a program that has one name before and another after. Each amount moves to
 * a key without an amount on that side, so nothing is added up. */
static int join_images(struct pf_diff *diff, struct pf_error *error)
{
    uint32_t images[2], *to = NULL;
    unsigned char *seen = calloc(diff->dict->strings.count + 1, sizeof *seen);
    bool any = false, good = seen != NULL;
    int status;

    if (good)
        see_images(diff, seen);
    if (good && pf_builds_program(diff->dict, seen, images))
        good = (to = pf_builds_keys(&diff->keys, images, &any)) != NULL;
    status = good ? PF_OK : pf_error_nomem(error);
    for (size_t k = 0; k < diff->run_count && any && status == PF_OK; k++)
        for (size_t i = 0; i < diff->block_count && status == PF_OK; i++)
            if (diff->blocks[i].runs[k].met)
                status = move_amounts(diff, &diff->blocks[i], &diff->blocks[i].runs[k], to, error);
    if (any)
        memcpy(diff->joined_images, images, sizeof images);
    free(seen);
    free(to);
    return status;
}

/* --- all runs --------------------------------------------------------------------------------- */

static bool multiply_run(struct pf_diff_amounts *run, int64_t factor)
{
    bool fits = !__builtin_mul_overflow(run->total, (pf_int128)factor, &run->total) &&
                pf_mul64(run->worth, factor, &run->worth);

    for (size_t key = 0; key < run->count && fits; key++)
        fits = pf_mul64(run->flat[key], factor, &run->flat[key]) &&
               pf_mul64(run->cum[key], factor, &run->cum[key]);
    return fits;
}

/* Amounts of the run become whole numbers of the parts of all runs. */
static bool convert_run(const struct pf_diff *diff, const struct pf_diff_block *block,
                        struct pf_diff_amounts *run)
{
    struct pf_quantity common = block->common;
    struct pf_error ignored = {0};
    int64_t times, factor;

    if (common.events && !run->events) {
        run->unit *= (double)run->measure.period / (double)pf_measure_period_parts(&run->measure);
        run->worth = 0;
    }
    return pf_quantity_join(&common, diff->dict, &run->measure, &times, &factor, &ignored) ==
               PF_OK &&
           common.measure.num <= INT64_MAX &&
           pf_mul64(factor, (int64_t)common.measure.num, &factor) &&
           (factor == 1 || multiply_run(run, factor));
}

static int convert_runs(const struct pf_diff *diff, struct pf_diff_block *block,
                        struct pf_error *error)
{
    block->scale.parts = block->common.measure.den;
    if (block->common.events)
        block->scale.name = PF_BYTES("events");
    for (size_t k = 0; k < diff->run_count; k++)
        if (block->runs[k].met && !convert_run(diff, block, &block->runs[k]))
            return overflows(diff, block, error);
    return PF_OK;
}

/* --- means of groups -------------------------------------------------------------------------- */

uint64_t pf_diff_parts(uint64_t parts, uint64_t runs)
{
    uint64_t joined;

    return pf_parts_join(parts, runs, &joined) && joined <= PF_DIFF_PARTS_MAX ? joined
                                                                              : PF_DIFF_PARTS_MAX;
}

/* Replaces `column` by its means over the runs of the group, in 1/parts. False: an amount overflows
 * 64 bits. Without `change` only checks for overflow. */
static bool divide_column(int64_t *column, size_t count, uint64_t parts, uint64_t runs, bool change)
{
    int64_t mean;

    for (size_t key = 0; column && key < count; key++) {
        if (column[key] == 0)
            continue;
        if (!pf_scale64(column[key], parts, runs, &mean))
            return false;
        column[key] = change ? mean : column[key];
    }
    return true;
}

/* The greatest of several values is not divided. */
static uint64_t divisor_of(const struct pf_diff *diff, const struct pf_diff_block *block,
                           size_t run)
{
    return block->measure.aggregation == PF_MAX ? 1 : diff->runs[run].runs;
}

static bool fits_parts(const struct pf_diff *diff, const struct pf_diff_block *block,
                       uint64_t parts)
{
    pf_int128 total;

    for (size_t k = 0; k < diff->run_count; k++) {
        const struct pf_diff_amounts *run = &block->runs[k];
        uint64_t runs = divisor_of(diff, block, k), den;
        int64_t worth;

        if (run->met && (!divide_column(run->flat, run->count, parts, runs, false) ||
                         !divide_column(run->cum, run->count, parts, runs, false) ||
                         !pf_scale128(run->total, parts, runs, &total) ||
                         !pf_mul64(run->worth, (int64_t)parts, &worth) ||
                         __builtin_mul_overflow(run->measure.den, parts, &den)))
            return false;
    }
    return true;
}

static void divide_run(struct pf_diff_amounts *run, uint64_t parts, uint64_t runs)
{
    divide_column(run->flat, run->count, parts, runs, true);
    divide_column(run->cum, run->count, parts, runs, true);
    divide_column(run->samples, run->count, 1, runs, true);
    pf_scale128(run->total, parts, runs, &run->total);
    run->total_samples = pf_divide128(run->total_samples, (pf_int128)runs);
    run->worth *= (int64_t)parts;
    run->measure.den *= parts;
}

/* Replaces the sums of groups by means over their runs: times in whole nanoseconds, other amounts
 * in parts. If amounts overflow 64 bits in the parts, means are rounded to coarser parts. */
static int divide_groups(struct pf_diff *diff, struct pf_diff_block *block, struct pf_error *error)
{
    uint64_t parts = 1;
    bool grouped = false;
    int status = PF_OK;

    for (size_t k = 0; k < diff->run_count; k++) {
        grouped = grouped || diff->runs[k].runs > 1;
        if (!block->scale.time)
            parts = pf_diff_parts(parts, divisor_of(diff, block, k));
    }
    if (!grouped || diff->normalize)
        return PF_OK;
    while (parts > 1 && !fits_parts(diff, block, parts))
        parts = parts > 1000 ? 1000 : 1;
    for (size_t k = 0; k < diff->run_count && status == PF_OK; k++) {
        if (!block->runs[k].met)
            continue;
        divide_run(&block->runs[k], parts, divisor_of(diff, block, k));
        status = join_run(diff, block, &block->runs[k], error);
    }
    return status;
}

/* Adds the runs that wait, if no run has records: their measures choose the kind. */
static int end_waiting(struct pf_diff *diff, struct pf_error *error)
{
    for (size_t k = 0; k < diff->run_count && diff->kind == PF_RECORD_KINDS; k++)
        if (diff->runs[k].waits)
            diff->kind = pf_subject_kind(diff->runs[k].accumulator, diff->by, &diff->facts);
    return fold_waiting(diff, error);
}

int pf_diff_finish(struct pf_diff *diff, struct pf_error *error)
{
    int status = end_waiting(diff, error);

    if (status == PF_OK)
        status = join_equal_rows(diff, error);
    if (status == PF_OK && diff->images == PF_DIFF_IMAGES_JOINED &&
        (diff->by == PF_BY_FUNCTION || diff->by == PF_BY_LINE))
        status = join_images(diff, error);
    for (size_t i = 0; i < diff->block_count && status == PF_OK; i++) {
        struct pf_diff_block *block = &diff->blocks[i];

        if (block->measure.kind == PF_RECORD_KINDS)
            continue;
        status = divide_groups(diff, block, error);
        if (status == PF_OK)
            status = convert_runs(diff, block, error);
    }
    return status;
}

size_t pf_diff_runs(const struct pf_diff *diff, unsigned side)
{
    size_t count = 0;

    for (size_t k = 0; k < diff->run_count; k++)
        count += diff->runs[k].side == side;
    return count;
}

size_t pf_diff_block_runs(const struct pf_diff *diff, const struct pf_diff_block *block,
                          unsigned side)
{
    size_t count = 0;

    for (size_t k = 0; k < diff->run_count; k++)
        count += diff->runs[k].side == side && block->runs[k].met;
    return count;
}

bool pf_diff_side_has(const struct pf_diff *diff, const struct pf_diff_block *block, unsigned side)
{
    const struct pf_measures *measures = &diff->dict->measures;
    const struct pf_diff_there *there = &diff->there[side];
    bool known = false, any = false, has = false;

    for (uint32_t k = 0; k < pf_measures_count(measures); k++) {
        const struct pf_measure *measure = pf_measures_row(measures, k);
        bool here = k < there->count && there->has[k];

        if (measure->kind != block->measure.kind)
            continue;
        any = any || here;
        known = known || measure->name == block->measure.name;
        has = has || (here && measure->name == block->measure.name);
    }
    has = known ? has : any; /* a measure that is computed has no records of its own */
    for (size_t k = 0; k < diff->run_count; k++)
        has = has || (diff->runs[k].side == side && block->runs[k].total != 0);
    return has;
}

int64_t pf_diff_share(pf_int128 amount, pf_int128 total)
{
    pf_int128 part = amount;
    int64_t share;

    if (total < 0) {
        part = -part;
        total = -total;
    }
    if (total == 0)
        return 0;
    if (total <= UINT64_MAX && pf_scale64(part, PF_DIFF_WHOLE, (uint64_t)total, &share))
        return share;
    /* amounts below 0 may leave a total that is tiny beside its parts */
    double real = nearbyint((double)PF_DIFF_WHOLE * (double)part / (double)total);

    return real >= 0x1p63 ? INT64_MAX : real <= -0x1p63 ? -INT64_MAX : (int64_t)real;
}

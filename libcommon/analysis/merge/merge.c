#include "analysis/merge/merge.h"

#include "analysis/merge/kind.h"
#include "analysis/merge/meta.h"
#include "analysis/merge/replicates.h"
#include "analysis/names/texts.h"
#include "analysis/sum/removed.h"
#include "base/memory.h"
#include "model/notes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct pf_merge {
    struct pf_dict *dict;
    struct pf_merge_options options;
    struct pf_merge_kind kinds[PF_RECORD_KINDS];
    /* the current input alone, if it is added as a whole at its end (stages) */
    struct pf_merge_kind own[PF_RECORD_KINDS];
    struct pf_merge_frames frames;
    struct pf_merge_labels labels, own_labels; /* applied while reading; applied at the end */
    struct pf_merge_scale scale;
    struct pf_merge_meta meta;
    struct pf_merge_texts texts;
    struct pf_before removed; /* by filters, from all inputs; in pieces */
    struct pf_notes notes;    /* of the current input, added at its end */
    struct pf_merge_replicates replicates;
    uint32_t replicate; /* the group of the current input (pf_merge_replicate) */

    uint64_t inputs, measured; /* inputs begun; inputs ended that have measures */
    bool has_measures;         /* of the current input */
    int64_t weight;            /* of the current input, in pieces */
    pf_int128 weights;         /* sum over all inputs */
    struct pf_merge_rows rows;

    pf_int128 pieces; /* number of pieces in a raw unit; of a mean over all inputs */
    enum { METADATA, DECLARE, TEXTS, RUNS, RECORDS, DONE } phase;
    unsigned giving; /* kind being written */
    size_t given;    /* records of this kind written so far */
    struct pf_value_column *values;
    int64_t *numbers;
    size_t value_capacity, number_capacity;
    uint64_t clamped; /* number of clamped values */
};

static void begin_kinds(struct pf_merge_kind kinds[PF_RECORD_KINDS], struct pf_dict *dict,
                        const struct pf_merge_options *options)
{
    for (unsigned k = 0; k < PF_RECORD_KINDS; k++)
        kinds[k] = (struct pf_merge_kind){.kind = (enum pf_kind)k,
                                          .columns = {.dict = dict, .force = options->force}};
}

static void free_kinds(struct pf_merge_kind kinds[PF_RECORD_KINDS])
{
    for (unsigned k = 0; k < PF_RECORD_KINDS; k++)
        pf_merge_kind_free(&kinds[k]);
}

/* Reads options.labels. The label of the groups that --replicates makes always stays. */
static int choose_labels(struct pf_merge *merge)
{
    int status = pf_merge_labels_only(&merge->labels, merge->options.labels);

    if (status == PF_OK && merge->options.replicates > 0)
        status = pf_merge_labels_add(&merge->labels, merge->replicates.key);
    merge->replicates.dropped = !pf_merge_labels_stay(&merge->labels, merge->replicates.key);
    return status;
}

struct pf_merge *pf_merge_new(struct pf_dict *dict, const struct pf_merge_options *options)
{
    struct pf_merge *merge = calloc(1, sizeof *merge);
    int status;

    if (!merge)
        return NULL;
    merge->dict = dict;
    merge->options = *options;
    merge->scale.normalize = options->normalize;
    merge->scale.amount = options->amount;
    merge->meta.dict = merge->labels.dict = merge->own_labels.dict = dict;
    begin_kinds(merge->kinds, dict, options);
    begin_kinds(merge->own, dict, options);
    status = pf_merge_frames_init(&merge->frames, dict, options->granularity);
    merge->replicates.dict = dict;
    merge->replicates.groups = options->replicates;
    if (status == PF_OK)
        status = pf_merge_replicates_init(&merge->replicates);
    if (status == PF_OK && options->labels)
        status = choose_labels(merge);
    if (status == PF_OK)
        return merge;
    pf_merge_free(merge);
    return NULL;
}

void pf_merge_free(struct pf_merge *merge)
{
    if (!merge)
        return;
    free_kinds(merge->kinds);
    free_kinds(merge->own);
    pf_merge_frames_free(&merge->frames);
    pf_merge_labels_free(&merge->labels);
    pf_merge_labels_free(&merge->own_labels);
    pf_merge_meta_free(&merge->meta);
    pf_merge_texts_free(&merge->texts);
    pf_before_free(&merge->removed);
    pf_notes_free(&merge->notes);
    pf_merge_replicates_free(&merge->replicates);
    free(merge->values);
    free(merge->numbers);
    free(merge);
}

static int overflow(const struct pf_merge *merge, const struct pf_merge_place *place,
                    struct pf_error *error)
{
    const struct pf_dict *dict = merge->dict;
    enum pf_kind kind = place->kind->kind;
    const struct pf_merge_key *key = pf_merge_records_key(&place->kind->records, place->record);
    struct pf_bytes name = pf_dict_string(dict, place->sums->quantity.measure.name);
    uint32_t leaf = kind == PF_SAMPLE ? pf_dict_stack(dict, key->place - 1)->location
                    : kind == PF_EDGE ? key->callee
                                      : key->place - 1;
    char scratch[32];
    struct pf_bytes frame = pf_dict_frame_name(dict, leaf, scratch);

    return pf_error_set(
        error, PF_OVERFLOW, "%s record %zu, of '%s': the sum of measure '%s' overflows 64 bits",
        pf_kind_name(kind), place->record + 1, pf_clip(frame).text, pf_clip(name).text);
}

/* --- inputs ----------------------------------------------------------------------------------- */

static bool normalizes(const struct pf_merge *merge)
{
    return merge->options.normalize != PF_MERGE_AS_IT_IS;
}

/* True if an input is held apart until it ends. */
static bool stages(const struct pf_merge *merge)
{
    return normalizes(merge) || merge->options.droppable;
}

/* The column of the current input that has the measure of the reference (--normalize=total). NULL:
 * no input was the reference yet, or the input lacks the measure. */
static const struct pf_sums *reference_column(const struct pf_merge *merge)
{
    const struct pf_merge_scale *scale = &merge->scale;
    const struct pf_ledger *ledger = &merge->own[scale->kind].columns.ledger;

    if (!scale->known || scale->normalize != PF_MERGE_TOTAL)
        return NULL;
    for (uint32_t c = 0; c < ledger->count; c++)
        if (ledger->sums[c].quantity.measure.name == scale->name &&
            ledger->sums[c].quantity.measure.aggregation == PF_SUM)
            return &ledger->sums[c];
    return NULL;
}

/* The column of the current input that decides its scale: of the measure of the reference, else of
 * its main measure: of samples, else of flat records, else of edges. NULL: the input has no
 * measure. */
static const struct pf_sums *scale_column(const struct pf_merge *merge, pf_int128 *total)
{
    const struct pf_sums *sums = reference_column(merge);

    for (unsigned k = 0; k < PF_RECORD_KINDS && !sums; k++)
        sums = pf_merge_kind_main(&merge->own[k]);
    *total = sums != NULL ? pf_sums_total(sums) : 0;
    return sums;
}

/* The run time that the input at hand states, in nanoseconds; 0: not known. */
static pf_int128 duration_of(const struct pf_merge *merge)
{
    struct pf_batch rows = pf_notes_metadata(&merge->notes);
    pf_int128 duration = 0;

    for (uint32_t i = 0; i < rows.rows; i++)
        duration += pf_meta_duration(merge->dict, rows.origin[i], rows.key[i], rows.value[i]);
    return duration;
}

/* The factor for the values of the current input, in pieces. */
static int find_times(const struct pf_merge *merge, struct pf_merge_scale *scale, pf_int128 *times,
                      struct pf_error *error)
{
    pf_int128 total;
    const struct pf_sums *sums = scale_column(merge, &total);
    int status = PF_OK;

    *times = 1;
    if (normalizes(merge) && merge->has_measures && merge->weight != 0)
        status =
            pf_merge_scale_input(scale, merge->dict, sums, total, duration_of(merge), times, error);
    *times *= merge->weight;
    return status;
}

/* Adds the input that was held apart, as a whole or not at all. */
static int add_own(struct pf_merge *merge, pf_int128 *times, struct pf_error *error)
{
    struct pf_merge_scale scale = merge->scale;
    struct pf_merge_place place = {NULL, NULL, 0};
    int status = find_times(merge, &scale, times, error);

    if (status == PF_OK)
        status =
            pf_merge_kinds_add(merge->kinds, merge->own, merge->inputs, 0, *times, &place, error);
    if (place.sums)
        overflow(merge, &place, error);
    if (status == PF_OK)
        merge->scale = scale;
    return status;
}

/* True if the measure keeps the greatest amount, not the sum (PF_MAX). */
static bool is_greatest(const struct pf_dict *dict, const struct pf_before_row *row)
{
    for (uint32_t k = 0; k < pf_measures_count(&dict->measures); k++) {
        const struct pf_measure *measure = pf_measures_row(&dict->measures, k);

        if (measure->aggregation == PF_MAX && measure->kind == row->kind &&
            measure->name == row->name && measure->unit == row->unit)
            return true;
    }
    return false;
}

static struct pf_before_row *find_removed(struct pf_before *before,
                                          const struct pf_before_row *like)
{
    struct pf_before_row *row;

    for (size_t k = 0; k < before->count; k++) {
        row = &before->rows[k];
        if (row->kind == like->kind && row->name == like->name && row->unit == like->unit &&
            row->num == like->num && row->den == like->den)
            return row;
    }
    if (!pf_grow(&before->rows, &before->capacity, before->count + 1, sizeof *before->rows))
        return NULL;
    row = &before->rows[before->count++];
    *row = *like;
    row->amount = 0;
    row->records = 0;
    return row;
}

/* Adds what the rows `removed` in the metadata of an input say, multiplied by `times`. They are
 * weighted like the records, so that the total before all filters is still the sum of the records
 * and of the amounts removed. A sum that overflows 128 bits is dropped. */
static int add_removed(struct pf_merge *merge, const struct pf_batch *batch, pf_int128 times)
{
    struct pf_before *all = &merge->removed, input = {0};
    int status = pf_before_read(&input, merge->dict, batch);

    for (size_t k = 0; k < input.count && status == PF_OK; k++) {
        const struct pf_before_row *from = &input.rows[k];
        struct pf_before_row *to = find_removed(all, from);
        pf_int128 amount;

        if (!to) {
            status = PF_NOMEM;
            break;
        }
        to->records += from->records;
        if (is_greatest(merge->dict, from))
            to->amount = from->amount > to->amount ? from->amount : to->amount;
        else if (__builtin_mul_overflow(from->amount, times, &amount) ||
                 __builtin_add_overflow(to->amount, amount, &to->amount))
            *to = all->rows[--all->count];
    }
    pf_before_free(&input);
    return status;
}

static int add_notes(struct pf_merge *merge, pf_int128 times)
{
    struct pf_batch metadata = pf_notes_metadata(&merge->notes),
                    texts = pf_notes_texts(&merge->notes);
    int status = pf_merge_meta_add(&merge->meta, &metadata);

    if (status == PF_OK)
        status = pf_merge_texts_add(&merge->texts, &texts);
    if (status == PF_OK)
        status = add_removed(merge, &metadata, times);
    pf_notes_free(&merge->notes);
    return status;
}

int pf_merge_input_end(struct pf_merge *merge, struct pf_error *error)
{
    pf_int128 times = merge->weight;
    int status = stages(merge) ? add_own(merge, &times, error) : PF_OK;

    if (status == PF_OK)
        status =
            pf_merge_replicates_end(&merge->replicates, merge->weight, merge->replicate, error);
    if (status != PF_OK)
        return status;
    for (unsigned k = 0; k < PF_RECORD_KINDS; k++)
        pf_merge_columns_counted(&merge->kinds[k].columns, merge->inputs, merge->weight, times);
    merge->measured += merge->has_measures;
    merge->weights += merge->weight;
    return add_notes(merge, times) == PF_OK ? PF_OK : pf_error_nomem(error);
}

void pf_merge_input(struct pf_merge *merge, int64_t weight)
{
    free_kinds(merge->own);
    begin_kinds(merge->own, merge->dict, &merge->options);
    merge->inputs++;
    merge->weight = weight;
    merge->has_measures = false;
    pf_notes_free(&merge->notes);
    pf_merge_replicates_begin(&merge->replicates);
}

void pf_merge_replicate(struct pf_merge *merge, uint32_t name)
{
    merge->replicate = name;
}

/* Records of an input with weight 0 are left out. */
static int add_records(struct pf_merge *merge, const struct pf_batch *batch, struct pf_error *error)
{
    struct pf_merge_kind *kind = stages(merge) ? &merge->own[batch->kind]
                                               : &merge->kinds[batch->kind];
    struct pf_merge_place place = {NULL, NULL, 0};
    int64_t weight = stages(merge) && merge->weight != 0 ? 1 : merge->weight;
    int status = PF_OK;

    if (weight != 0 && batch->rows > 0 &&
        pf_merge_kind_find(kind, &merge->frames, &merge->labels, batch, &merge->rows) != PF_OK)
        return pf_error_nomem(error);
    for (uint32_t k = 0; status == PF_OK && k < batch->value_count; k++)
        status =
            pf_merge_kind_add(kind, batch, k, &merge->rows, merge->inputs, weight, &place, error);
    merge->has_measures = merge->has_measures || batch->value_count > 0;
    return place.sums ? overflow(merge, &place, error) : status;
}

int pf_merge_add(struct pf_merge *merge, const struct pf_batch *batch, struct pf_error *error)
{
    struct pf_batch plain;
    int status;

    if (batch->kind < PF_RECORD_KINDS) {
        status = pf_merge_replicates_take(&merge->replicates, batch, &plain, error);
        return status == PF_OK ? add_records(merge, &plain, error) : status;
    }
    if (batch->kind == PF_TEXT && !merge->options.droppable)
        status = pf_merge_texts_add(&merge->texts, batch);
    else
        status = pf_notes_add(&merge->notes, batch);
    return status == PF_OK ? PF_OK : pf_error_nomem(error);
}

/* --- the end ---------------------------------------------------------------------------------- */

/* Leaves out or refuses measures that not all inputs have. */
static int choose_measures(struct pf_merge *merge, struct pf_error *error)
{
    enum pf_merge_measures wanted = merge->options.measures;
    size_t left = 0;

    for (unsigned k = 0; k < PF_RECORD_KINDS; k++)
        for (size_t c = 0; c < merge->kinds[k].columns.ledger.count; c++) {
            struct pf_merge_facts *facts = &merge->kinds[k].columns.facts[c];
            struct pf_bytes name = pf_dict_string(
                merge->dict, merge->kinds[k].columns.ledger.sums[c].quantity.measure.name);

            facts->left_out = wanted != PF_MERGE_UNION && facts->inputs < merge->measured;
            left += !facts->left_out;
            if (facts->left_out && wanted == PF_MERGE_SAME)
                return pf_error_set(
                    error, PF_UNSUPPORTED,
                    "only %llu of %llu inputs have the measure '%s' of %s records%s",
                    (unsigned long long)facts->inputs, (unsigned long long)merge->measured,
                    pf_clip(name).text, pf_kind_name((enum pf_kind)k),
                    merge->options.replicates > 0
                        ? ": profdiff would count the others as runs of 0 "
                          "(--measures=intersect leaves out the measure)"
                        : "");
        }
    if (left == 0 && wanted == PF_MERGE_INTERSECT && merge->measured > 0)
        return pf_error_set(error, PF_UNSUPPORTED, "the inputs have no measure in common");
    return PF_OK;
}

/* Warns if levels were summed: the memory that a process holds at one time (inuse_space) does not
 * add up. */
static void report_gauges(const struct pf_merge *merge, const struct pf_report *report)
{
    static const struct pf_bytes gauge = {"inuse_", 6};

    for (unsigned k = 0; k < PF_RECORD_KINDS; k++)
        for (size_t c = 0; c < merge->kinds[k].columns.ledger.count; c++) {
            const struct pf_merge_columns *columns = &merge->kinds[k].columns;
            struct pf_bytes name =
                pf_dict_string(merge->dict, columns->ledger.sums[c].quantity.measure.name);

            if (columns->facts[c].inputs > 1 && !merge->options.mean && name.size > gauge.size &&
                memcmp(name.data, gauge.data, gauge.size) == 0)
                pf_report_send(report, PF_WARNING,
                               "'%s' is a level: a sum over several times of one process counts "
                               "the same objects several times (--mean gives the mean)",
                               pf_clip(name).text);
        }
}

/* Gives the evals in metadata their final names. */
static uint32_t eval_name(void *context, uint32_t name)
{
    struct pf_merge *merge = context;

    return pf_evals_name(merge->options.evals, name);
}

static int rename_metadata(struct pf_merge *merge)
{
    struct pf_meta_edit edit = {eval_name, eval_name, merge};

    if (merge->options.evals->renamed > 0)
        pf_merge_meta_rename(&merge->meta, &edit);
    return pf_dict_status(merge->dict);
}

/* The status of pf_merge_kind_regroup, with its message. */
static int regrouped(const struct pf_merge *merge, int status, const struct pf_sums *failed,
                     struct pf_error *error)
{
    if (status == PF_OVERFLOW)
        return pf_error_set(error, PF_OVERFLOW, "a sum of measure '%s' overflows 128 bits",
                            pf_dict_string(merge->dict, failed->quantity.measure.name).data);
    return status == PF_OK ? PF_OK : pf_error_nomem(error);
}

/* Does what needs all inputs: puts the least form in place of each location, joins evals with equal
 * texts, and drops labels whose numbers mean something within one input only. */
static int finish_records(struct pf_merge *merge, struct pf_error *error)
{
    const struct pf_sums *failed = NULL;
    const struct pf_evals *evals = merge->options.evals;
    int status = evals ? pf_evals_texts(evals, &merge->texts) : PF_OK;

    if (status == PF_OK && evals)
        status = rename_metadata(merge);
    if (status == PF_OK)
        status = pf_merge_frames_end(&merge->frames, evals);
    if (status == PF_OK && merge->meta.own_label != 0 && merge->meta.sources > 1)
        status = pf_merge_labels_add(&merge->own_labels, merge->meta.own_label);
    if (status == PF_OK)
        status = pf_merge_labels_extend(&merge->own_labels);
    bool changes = merge->frames.final.locations.to || merge->own_labels.sets.to;

    for (unsigned k = 0; k < PF_RECORD_KINDS && changes && status == PF_OK; k++)
        status = pf_merge_kind_regroup(&merge->kinds[k], &merge->frames.final, &merge->own_labels,
                                       &failed);
    return regrouped(merge, status, failed, error);
}

/* The number of pieces in a raw unit of a column. A mean is that of the inputs that have the
 * measure: an input without the measure is not 0. */
static pf_int128 pieces_of(const struct pf_merge *merge, const struct pf_merge_columns *columns,
                           size_t column)
{
    pf_int128 weights = columns->facts[column].weights;

    if (!merge->options.mean || weights == 0)
        return merge->pieces;
    return normalizes(merge) ? weights * PF_MERGE_SCALE_ONE : weights;
}

/* Warns of means over some of the inputs. */
static void report_means(const struct pf_merge *merge, const struct pf_report *report)
{
    for (unsigned k = 0; k < PF_RECORD_KINDS && merge->options.mean; k++)
        for (size_t c = 0; c < merge->kinds[k].columns.ledger.count; c++) {
            const struct pf_merge_columns *columns = &merge->kinds[k].columns;

            if (columns->facts[c].inputs < merge->measured && !columns->facts[c].left_out)
                pf_report_send(
                    report, PF_WARNING,
                    "'%s' of %s records: the mean is over the %" PRIu64 " of %" PRIu64
                    " inputs that have the measure",
                    pf_clip(
                        pf_dict_string(merge->dict, columns->ledger.sums[c].quantity.measure.name))
                        .text,
                    pf_kind_name((enum pf_kind)k), columns->facts[c].inputs, merge->measured);
        }
}

static int set_pieces(struct pf_merge *merge, struct pf_error *error)
{
    merge->pieces = merge->options.mean ? merge->weights : (pf_int128)merge->options.pieces;
    if (normalizes(merge))
        merge->pieces *= PF_MERGE_SCALE_ONE;
    if (merge->pieces == 0)
        return pf_error_set(error, PF_USAGE, "the weights sum to 0: the mean is not defined");
    if (merge->options.mean && pf_merge_replicates_any(&merge->replicates))
        return pf_error_set(
            error, PF_USAGE,
            "the inputs have groups of runs (label 'replicate'), whose means profdiff "
            "takes itself: leave out --mean");
    return pf_merge_replicates_check(&merge->replicates, (pf_int128)merge->options.pieces, error);
}

/* As pieces_of, for an amount that filters removed. */
static pf_int128 removed_pieces(const struct pf_merge *merge, const struct pf_before_row *row)
{
    const struct pf_merge_columns *columns = &merge->kinds[row->kind].columns;

    for (size_t c = 0; c < columns->ledger.count; c++) {
        const struct pf_measure *measure = &columns->ledger.sums[c].quantity.measure;

        if (measure->name == row->name && measure->unit == row->unit)
            return pieces_of(merge, columns, c);
    }
    return merge->pieces;
}

/* Appends the amounts that filters removed, in raw units, as rows of metadata. */
static int append_removed(struct pf_merge *merge)
{
    uint32_t origin = pf_dict_intern(merge->dict, PF_BYTES("profutils"), 0),
             key = pf_dict_intern(merge->dict, PF_BYTES("removed"), 0);
    int status = PF_OK;

    for (size_t k = 0; status == PF_OK && k < merge->removed.count; k++) {
        struct pf_before_row *row = &merge->removed.rows[k];
        uint32_t value;

        if (!is_greatest(merge->dict, row))
            row->amount = pf_divide128(row->amount, removed_pieces(merge, row));
        value = pf_before_print(merge->dict, row);
        status = value != 0 ? pf_merge_meta_append(&merge->meta, origin, key, value) : PF_NOMEM;
    }
    return status;
}

/* Appends the row that says that metadata have lost their places between records. */
static int append_mark(struct pf_merge *merge)
{
    if (merge->meta.count == 0)
        return PF_OK;
    return pf_merge_meta_append(&merge->meta, pf_dict_intern_word(merge->dict, "profutils"),
                                pf_dict_intern_word(merge->dict, "merged"), 0);
}

int pf_merge_end(struct pf_merge *merge, const struct pf_report *report, struct pf_error *error)
{
    size_t columns = 0;
    int status = choose_measures(merge, error);

    if (status == PF_OK)
        status = set_pieces(merge, error);
    if (status == PF_OK)
        status = finish_records(merge, error);
    if (status != PF_OK)
        return status;
    report_gauges(merge, report);
    report_means(merge, report);
    for (unsigned k = 0; k < PF_RECORD_KINDS; k++)
        columns = merge->kinds[k].columns.ledger.count > columns
                      ? merge->kinds[k].columns.ledger.count
                      : columns;
    if (pf_merge_meta_end(&merge->meta) != PF_OK || append_mark(merge) != PF_OK ||
        append_removed(merge) != PF_OK ||
        !pf_grow(&merge->values, &merge->value_capacity, columns + 1, sizeof *merge->values) ||
        !pf_grow(&merge->numbers, &merge->number_capacity, (columns + 1) * PF_BATCH_ROWS,
                 sizeof *merge->numbers))
        return pf_error_nomem(error);
    return PF_OK;
}

int pf_merge_keep_share(struct pf_merge *merge, const struct pf_rollup *rollup,
                        const struct pf_report *report, struct pf_error *error)
{
    const struct pf_sums *failed;
    size_t records[PF_RECORD_KINDS];

    if (rollup->share.amount == 0)
        return PF_OK;
    for (unsigned k = 0; k < PF_RECORD_KINDS; k++)
        records[k] = pf_merge_records_count(&merge->kinds[k].records);
    if (records[PF_SAMPLE] == 0 && records[PF_FLAT] + records[PF_EDGE] > 0)
        pf_report_send(report, PF_WARNING,
                       "--keep-share has no effect: the inputs have no samples with stacks, and "
                       "other records stay as they are");
    return regrouped(merge, pf_merge_rollup(&merge->kinds[PF_SAMPLE], rollup, &failed), failed,
                     error);
}

/* --- the result ------------------------------------------------------------------------------- */

/* Sets the batch's columns of one kind; false: out of memory. */
static bool set_columns(struct pf_merge *merge, unsigned number, struct pf_batch *batch)
{
    struct pf_merge_columns *columns = &merge->kinds[number].columns;
    uint32_t count = 0;

    for (size_t k = 0; k < columns->ledger.count; k++) {
        if (columns->facts[k].left_out)
            continue;
        merge->values[count].measure =
            pf_merge_columns_measure(columns, k, pieces_of(merge, columns, k));
        if (merge->values[count].measure == UINT32_MAX)
            return false;
        merge->values[count].data = merge->numbers + (size_t)count * PF_BATCH_ROWS;
        count++;
    }
    batch->kind = (enum pf_kind)number;
    batch->values = merge->values;
    batch->value_count = count;
    return true;
}

/* The value of a sum, rounded. False if it overflows 64 bits and must not be clamped. */
static bool value_of(struct pf_merge *merge, struct pf_merge_columns *columns, size_t column,
                     size_t record, int64_t *value)
{
    const struct pf_sums *sums = &columns->ledger.sums[column];
    pf_int128 exact = pf_sums_wide_at(sums, record), sum = exact,
              pieces = pieces_of(merge, columns, column);
    bool rounds = pieces != 1 && sums->quantity.measure.aggregation == PF_SUM;

    if (rounds)
        sum = pf_divide128(sum, pieces);
    *value = (int64_t)sum;
    if (rounds)
        pf_merge_given(&columns->facts[column], exact, *value);
    if (*value == sum)
        return true;
    *value = sum < 0 ? INT64_MIN : INT64_MAX;
    merge->clamped++;
    return merge->options.saturate;
}

static int give_values(struct pf_merge *merge, struct pf_merge_kind *kind, uint32_t rows,
                       struct pf_error *error)
{
    int64_t *to = merge->numbers;

    for (size_t k = 0; k < kind->columns.ledger.count; k++) {
        if (kind->columns.facts[k].left_out)
            continue;
        for (uint32_t i = 0; i < rows; i++)
            if (!value_of(merge, &kind->columns, k, merge->given + i, &to[i]))
                return overflow(
                    merge,
                    &(struct pf_merge_place){kind, &kind->columns.ledger.sums[k], merge->given + i},
                    error);
        to += PF_BATCH_ROWS;
    }
    return PF_OK;
}

/* Writes the next records of the current kind. A kind whose measures were all left out has no
 * records. */
static int give_records(struct pf_merge *merge, struct pf_batch *batch, struct pf_error *error)
{
    struct pf_merge_kind *kind = &merge->kinds[merge->giving];
    size_t left = pf_merge_records_count(&kind->records) - merge->given;
    uint32_t rows = left < PF_BATCH_ROWS ? (uint32_t)left : PF_BATCH_ROWS;

    if (!set_columns(merge, merge->giving, batch))
        return pf_error_nomem(error);
    if (rows == 0 || (batch->value_count == 0 && kind->columns.ledger.count > 0))
        return PF_EOF;
    for (uint32_t i = 0; i < rows; i++)
        pf_merge_rows_set(&merge->rows, i, pf_merge_records_key(&kind->records, merge->given + i));
    int status = give_values(merge, kind, rows, error);

    merge->given += rows;
    pf_merge_rows_give(&merge->rows, rows, batch);
    return status;
}

/* Makes a batch without rows that declares the measures of the next kind that has measures. */
static int give_measures(struct pf_merge *merge, struct pf_batch *batch, struct pf_error *error)
{
    while (merge->giving < PF_RECORD_KINDS) {
        if (!set_columns(merge, merge->giving++, batch))
            return pf_error_nomem(error);
        if (batch->value_count > 0)
            return PF_OK;
    }
    return PF_EOF;
}

static int give_kinds(struct pf_merge *merge, struct pf_batch *batch, struct pf_error *error)
{
    int status = PF_EOF;

    while (merge->giving < PF_RECORD_KINDS &&
           (status = give_records(merge, batch, error)) == PF_EOF) {
        merge->giving++;
        merge->given = 0;
    }
    return status;
}

static int give_runs(struct pf_merge *merge, struct pf_batch *batch, struct pf_error *error)
{
    int status =
        pf_merge_replicates_next(&merge->replicates, (pf_int128)merge->options.pieces, batch);

    return status == PF_NOMEM ? pf_error_nomem(error) : status;
}

int pf_merge_next(struct pf_merge *merge, struct pf_batch *batch, struct pf_error *error)
{
    int status = PF_EOF;

    for (; merge->phase < DONE; merge->phase++, merge->giving = 0) {
        *batch = (struct pf_batch){0};
        if (merge->phase == METADATA)
            status = pf_merge_meta_next(&merge->meta, batch) ? PF_OK : PF_EOF;
        else if (merge->phase == TEXTS)
            status = pf_merge_texts_next(&merge->texts, batch) ? PF_OK : PF_EOF;
        else if (merge->phase == RUNS)
            status = give_runs(merge, batch, error);
        else
            status = merge->phase == DECLARE ? give_measures(merge, batch, error)
                                             : give_kinds(merge, batch, error);
        if (status != PF_EOF)
            return status;
    }
    return PF_EOF;
}

static void report_drift(const struct pf_merge *merge, const struct pf_merge_columns *columns,
                         size_t column, const struct pf_report *report)
{
    const struct pf_measure *measure = &columns->ledger.sums[column].quantity.measure;
    struct pf_bytes name = pf_dict_string(merge->dict, measure->name),
                    unit = pf_dict_string(merge->dict, measure->raw_unit);
    char given[PF_INT128_TEXT], exact[PF_INT128_TEXT];
    pf_int128 values, sums;

    if (!pf_merge_drifts(&columns->facts[column], pieces_of(merge, columns, column), &values,
                         &sums))
        return;
    size_t given_size = pf_print_int128(values, given), exact_size = pf_print_int128(sums, exact);

    pf_report_send(report, PF_WARNING,
                   "'%s' of %s records: the rounded values sum to %.*s, the exact sum is %.*s%s%s; "
                   "whole weights without --mean or --normalize need no rounding",
                   pf_clip(name).text, pf_kind_name(measure->kind), (int)given_size, given,
                   (int)exact_size, exact, unit.size > 0 ? " " : "", pf_clip(unit).text);
}

void pf_merge_report(const struct pf_merge *merge, const struct pf_report *report)
{
    if (merge->clamped > 0 && merge->options.saturate)
        pf_report_send(report, PF_WARNING, "%" PRIu64 " values overflow 64 bits and are clamped",
                       merge->clamped);
    for (unsigned k = 0; k < PF_RECORD_KINDS && merge->clamped == 0; k++)
        for (size_t i = 0; i < merge->kinds[k].columns.ledger.count; i++)
            report_drift(merge, &merge->kinds[k].columns, i, report);
}

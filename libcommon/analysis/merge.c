#include "analysis/merge.h"

#include "analysis/merge_columns.h"
#include "analysis/merge_meta.h"
#include "analysis/merge_records.h"
#include "analysis/merge_texts.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { FRAME_TEXT = 64 };

/* The records of a kind and their values. */
struct kind {
    struct pf_merge_records records;
    struct pf_merge_columns columns;
};

struct pf_merge {
    struct pf_dict *dict;
    struct pf_merge_options options;
    struct kind kinds[PF_RECORD_KINDS];
    uint64_t inputs; /* so far */
    int64_t weight;  /* of the input at hand */
    pf_int128 weights;
    uint64_t record; /* of the input, in all kinds */
    uint32_t found[PF_BATCH_ROWS];

    pf_int128 pieces; /* of a raw unit in a sum */
    struct pf_merge_meta meta;
    struct pf_merge_texts texts;
    enum { METADATA, TEXTS, DECLARE, RECORDS, DONE } phase;
    unsigned giving; /* kind */
    size_t given;    /* records of it */
    uint32_t ids[3][PF_BATCH_ROWS];
    struct pf_value_column *values;
    int64_t *numbers;
    size_t value_capacity, number_capacity;
    bool clamped;
};

struct pf_merge *pf_merge_new(struct pf_dict *dict, const struct pf_merge_options *options)
{
    struct pf_merge *merge = calloc(1, sizeof *merge);

    if (merge == NULL)
        return NULL;
    merge->dict = dict;
    merge->options = *options;
    merge->meta.dict = dict;
    for (unsigned k = 0; k < PF_RECORD_KINDS; k++) {
        merge->kinds[k].columns.dict = dict;
        merge->kinds[k].columns.force = options->force;
    }
    return merge;
}

void pf_merge_free(struct pf_merge *merge)
{
    if (merge == NULL)
        return;
    for (unsigned k = 0; k < PF_RECORD_KINDS; k++) {
        pf_merge_records_free(&merge->kinds[k].records);
        pf_merge_columns_free(&merge->kinds[k].columns);
    }
    pf_merge_meta_free(&merge->meta);
    pf_merge_texts_free(&merge->texts);
    free(merge->values);
    free(merge->numbers);
    free(merge);
}

/* --- inputs ----------------------------------------------------------------------------------------------- */

int pf_merge_input(struct pf_merge *merge, int64_t weight, struct pf_error *error)
{
    (void)error;
    merge->inputs++;
    merge->weight = weight;
    merge->weights += weight;
    merge->record = 0;
    return PF_OK;
}

static int overflow(const struct pf_merge *merge, enum pf_kind kind, const struct pf_merge_column *column,
                    const struct pf_merge_key *key, struct pf_error *error)
{
    const struct pf_dict *dict = merge->dict;
    struct pf_bytes name = pf_dict_string(dict, column->quantity.measure.name);
    uint32_t place = key->place - 1;
    uint32_t location = kind == PF_SAMPLE ? pf_dict_stack(dict, place)->location : kind == PF_EDGE ? key->callee : place;
    char scratch[32];
    struct pf_bytes frame = pf_dict_frame_name(dict, location, scratch);

    return pf_error_set(error, PF_OVERFLOW, "%s record %u, of '%.*s': the sum of measure '%.*s' leaves 64 bits", pf_kind_name(kind),
                        (unsigned)(1 + (key - pf_merge_records_key(&merge->kinds[kind].records, 0))),
                        (int)(frame.size < FRAME_TEXT ? frame.size : FRAME_TEXT), frame.data,
                        (int)(name.size < FRAME_TEXT ? name.size : FRAME_TEXT), name.data);
}

/* How often a value counts, in pieces; 0 where it counts for nothing. */
static bool times_of(const struct pf_merge *merge, const struct pf_merge_member *member, int64_t *times)
{
    return pf_mul64(member->factor, merge->weight, times);
}

static int add_values(struct pf_merge *merge, const struct pf_batch *batch, const struct pf_value_column *values,
                      struct pf_error *error)
{
    struct kind *kind = &merge->kinds[batch->kind];
    struct pf_merge_member member = {0};
    uint32_t failed = 0;
    int64_t times;
    int status = pf_merge_columns_find(&kind->columns, values->measure, merge->inputs, &member, error);

    if (status != PF_OK || batch->rows == 0 || values->data == NULL || merge->weight == 0)
        return status;
    struct pf_merge_column *column = &kind->columns.rows[member.column - 1];

    if (!times_of(merge, &member, &times))
        status = PF_OVERFLOW;
    else
        status = pf_merge_column_add(column, merge->found, values->data, batch->rows, times, false, &failed);
    if (status == PF_OVERFLOW)
        return overflow(merge, batch->kind, column, pf_merge_records_key(&kind->records, merge->found[failed]), error);
    return status == PF_OK ? PF_OK : pf_error_nomem(error);
}

static int add_records(struct pf_merge *merge, const struct pf_batch *batch, struct pf_error *error)
{
    const struct pf_dict *dict = merge->dict;
    int status = PF_OK;
    struct kind *kind = &merge->kinds[batch->kind];

    if (merge->weight != 0 && batch->rows > 0)
        status = pf_merge_records_find(&kind->records, batch->kind == PF_SAMPLE ? dict->stacks.count : dict->locations.count,
                                       batch->kind == PF_SAMPLE ? batch->stack : batch->location, batch->callee, batch->labels,
                                       batch->rows, merge->found);
    if (status != PF_OK)
        return pf_error_nomem(error);
    for (uint32_t k = 0; status == PF_OK && k < batch->value_count; k++)
        status = add_values(merge, batch, &batch->values[k], error);
    return status;
}

int pf_merge_add(struct pf_merge *merge, const struct pf_batch *batch, struct pf_error *error)
{
    int status;

    if (batch->kind < PF_RECORD_KINDS)
        return add_records(merge, batch, error);
    status = batch->kind == PF_META ? pf_merge_meta_add(&merge->meta, batch) : pf_merge_texts_add(&merge->texts, batch);
    return status == PF_OK ? PF_OK : pf_error_nomem(error);
}

/* --- the result ------------------------------------------------------------------------------------------- */

int pf_merge_end(struct pf_merge *merge, const struct pf_report *report, struct pf_error *error)
{
    size_t columns = 0;

    (void)report;
    merge->pieces = (pf_int128)merge->options.pieces;
    if (merge->options.mean)
        merge->pieces = merge->weights;
    if (merge->pieces == 0)
        return pf_error_set(error, PF_USAGE, "the weights sum to 0: there is no mean");
    for (unsigned k = 0; k < PF_RECORD_KINDS; k++)
        columns = merge->kinds[k].columns.count > columns ? merge->kinds[k].columns.count : columns;
    if (pf_merge_meta_end(&merge->meta) != PF_OK ||
        !pf_grow(&merge->values, &merge->value_capacity, columns + 1, sizeof *merge->values) ||
        !pf_grow(&merge->numbers, &merge->number_capacity, (columns + 1) * PF_BATCH_ROWS, sizeof *merge->numbers))
        return pf_error_nomem(error);
    return PF_OK;
}

/* Columns of the kind for a batch; false: out of memory. */
static bool set_columns(struct pf_merge *merge, unsigned number, struct pf_batch *batch)
{
    struct pf_merge_columns *columns = &merge->kinds[number].columns;
    uint32_t count = 0;

    for (size_t k = 0; k < columns->count; k++) {
        if (columns->rows[k].left_out)
            continue;
        merge->values[count].measure = pf_merge_column_measure(&columns->rows[k], merge->dict);
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

/* The value of a sum. */
static bool value_of(struct pf_merge *merge, const struct pf_merge_column *column, size_t record, int64_t *value)
{
    pf_int128 sum = record < column->count ? column->sums[record] : 0;

    if (merge->pieces != 1 && column->quantity.measure.aggregation == PF_SUM)
        sum = pf_merge_round(sum, merge->pieces);
    *value = (int64_t)sum;
    if (*value == sum)
        return true;
    *value = sum < 0 ? INT64_MIN : INT64_MAX;
    merge->clamped = true;
    return merge->options.saturate;
}

static int give_values(struct pf_merge *merge, uint32_t rows, struct pf_error *error)
{
    struct kind *kind = &merge->kinds[merge->giving];
    int64_t *to = merge->numbers;

    for (size_t k = 0; k < kind->columns.count; k++) {
        const struct pf_merge_column *column = &kind->columns.rows[k];

        if (column->left_out)
            continue;
        for (uint32_t i = 0; i < rows; i++)
            if (!value_of(merge, column, merge->given + i, &to[i]))
                return overflow(merge, (enum pf_kind)merge->giving, column, pf_merge_records_key(&kind->records, merge->given + i),
                                error);
        to += PF_BATCH_ROWS;
    }
    return PF_OK;
}

static int give_records(struct pf_merge *merge, struct pf_batch *batch, struct pf_error *error)
{
    const struct pf_merge_records *records = &merge->kinds[merge->giving].records;
    size_t left = pf_merge_records_count(records) - merge->given;
    uint32_t rows = left < PF_BATCH_ROWS ? (uint32_t)left : PF_BATCH_ROWS;

    if (rows == 0)
        return PF_EOF;
    if (!set_columns(merge, merge->giving, batch))
        return pf_error_nomem(error);
    for (uint32_t i = 0; i < rows; i++) {
        const struct pf_merge_key *key = pf_merge_records_key(records, merge->given + i);

        merge->ids[0][i] = key->place - 1;
        merge->ids[1][i] = key->callee;
        merge->ids[2][i] = key->labels;
    }
    int status = give_values(merge, rows, error);

    merge->given += rows;
    batch->rows = rows;
    batch->stack = batch->kind == PF_SAMPLE ? merge->ids[0] : NULL;
    batch->location = batch->kind == PF_SAMPLE ? NULL : merge->ids[0];
    batch->callee = batch->kind == PF_EDGE ? merge->ids[1] : NULL;
    batch->labels = merge->ids[2];
    return status;
}

/* A batch of no rows that declares the measures of the next kind that has some. */
static int give_measures(struct pf_merge *merge, struct pf_batch *batch, struct pf_error *error)
{
    while (merge->giving < PF_RECORD_KINDS && merge->kinds[merge->giving].columns.count == 0)
        merge->giving++;
    if (merge->giving == PF_RECORD_KINDS)
        return PF_EOF;
    return set_columns(merge, merge->giving++, batch) ? PF_OK : pf_error_nomem(error);
}

static int give_kinds(struct pf_merge *merge, struct pf_batch *batch, struct pf_error *error)
{
    int status = PF_EOF;

    while (merge->giving < PF_RECORD_KINDS && (status = give_records(merge, batch, error)) == PF_EOF) {
        merge->giving++;
        merge->given = 0;
    }
    return status;
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
        else
            status = merge->phase == DECLARE ? give_measures(merge, batch, error) : give_kinds(merge, batch, error);
        if (status != PF_EOF)
            return status;
    }
    return PF_EOF;
}

#include "analysis/diff/labelled.h"

#include "analysis/sum/sort.h"
#include "base/memory.h"
#include "base/number.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void free_kind(struct pf_labelled_kind *kind)
{
    pf_merge_records_free(&kind->records);
    for (size_t k = 0; k < kind->column_count; k++)
        free(kind->columns[k].sums);
    free(kind->columns);
    free(kind->order);
    free(kind->ends);
    free(kind->lacks);
}

void pf_labelled_free(struct pf_labelled *labelled)
{
    for (unsigned kind = 0; kind < PF_RECORD_KINDS; kind++)
        free_kind(&labelled->kinds[kind]);
    pf_notes_free(&labelled->notes);
    pf_table_free(&labelled->values);
    free(labelled->runs);
    free(labelled->of_set);
    free(labelled->sorted);
    pf_replicates_free(&labelled->parts);
    free(labelled->given);
    free(labelled->numbers);
    free(labelled->without);
    *labelled = (struct pf_labelled){
        .dict = labelled->dict, .key = labelled->key, .drops = labelled->drops};
}

/* --- values ----------------------------------------------------------------------------------- */

/* The row of the value of a label set in labelled->values; 0: the set has no such label. False: out
 * of memory. */
static bool value_of(struct pf_labelled *labelled, uint32_t set, uint32_t *value)
{
    const struct pf_dict *dict = labelled->dict;
    uint32_t found;

    if (labelled->values.count == 0 &&
        pf_table_init(&labelled->values, sizeof(struct pf_labelled_value)) != PF_OK)
        return false;
    if (!pf_grow_clear(&labelled->of_set, &labelled->set_capacity, dict->labels.count,
                       sizeof *labelled->of_set))
        return false;
    if (labelled->of_set[set] == 0) {
        found = pf_label_find(dict, set, labelled->key);
        const struct pf_label *label = pf_dict_label(dict, found);
        struct pf_labelled_value row = {label->text, label->numeric, label->number, 1};

        labelled->of_set[set] = 1 + (found != 0 ? pf_table_intern(&labelled->values, &row) : 0);
    }
    *value = labelled->of_set[set] - 1;
    return labelled->values.status == PF_OK &&
           pf_grow_clear(&labelled->runs, &labelled->run_capacity, labelled->values.count,
                         sizeof *labelled->runs);
}

static int count_value(struct pf_labelled *labelled, uint32_t value, int64_t runs,
                       struct pf_error *error)
{
    labelled->grouped = true;
    return pf_add64(labelled->runs[value], runs, &labelled->runs[value])
               ? PF_OK
               : pf_error_set(error, PF_OVERFLOW, "a number of runs overflows 64 bits");
}

/* Records that count runs matter only if the groups are the runs. */
static int count_runs(struct pf_labelled *labelled, const struct pf_batch *runs,
                      struct pf_error *error)
{
    int status = PF_OK;

    for (uint32_t row = 0; row < runs->rows && status == PF_OK; row++) {
        uint32_t value;

        if (!value_of(labelled, runs->labels ? runs->labels[row] : 0, &value))
            return pf_error_nomem(error);
        if (value != 0)
            status = count_value(labelled, value, pf_replicates_count(runs, row), error);
    }
    return status;
}

static bool note_labels(struct pf_labelled *labelled, const struct pf_batch *batch)
{
    labelled->records += batch->rows;
    for (uint32_t row = 0; row < batch->rows; row++) {
        uint32_t value;

        if (!value_of(labelled, batch->labels ? batch->labels[row] : 0, &value))
            return false;
        labelled->lacking += value == 0;
    }
    return true;
}

/* --- records ---------------------------------------------------------------------------------- */

static struct pf_labelled_column *find_column(struct pf_labelled_kind *kind, uint32_t measure)
{
    for (size_t k = 0; k < kind->column_count; k++)
        if (kind->columns[k].measure == measure)
            return &kind->columns[k];
    if (!pf_grow(&kind->columns, &kind->column_capacity, kind->column_count + 1,
                 sizeof *kind->columns))
        return NULL;
    kind->columns[kind->column_count] = (struct pf_labelled_column){.measure = measure};
    return &kind->columns[kind->column_count++];
}

static int add_column(struct pf_labelled *labelled, struct pf_labelled_kind *kind,
                      const struct pf_value_column *values, const uint32_t *records, uint32_t rows,
                      struct pf_error *error)
{
    const struct pf_measure *measure = pf_measures_row(&labelled->dict->measures, values->measure);
    struct pf_labelled_column *column = find_column(kind, values->measure);

    if (!column ||
        !pf_grow_zeroed(&column->sums, &column->count, &column->capacity,
                        pf_merge_records_count(&kind->records) + 1, sizeof *column->sums))
        return pf_error_nomem(error);
    for (uint32_t row = 0; values->data && row < rows; row++) {
        int64_t *sum = &column->sums[records[row]], value = values->data[row];

        if (measure->aggregation == PF_MAX)
            *sum = value > *sum ? value : *sum;
        else if (!pf_add64(*sum, value, sum))
            return pf_error_set(error, PF_OVERFLOW, "a sum of measure '%s' overflows 64 bits",
                                pf_clip(pf_dict_string(labelled->dict, measure->name)).text);
    }
    return PF_OK;
}

static int add_records(struct pf_labelled *labelled, const struct pf_batch *batch,
                       struct pf_error *error)
{
    struct pf_labelled_kind *kind = &labelled->kinds[batch->kind];
    const struct pf_dict *dict = labelled->dict;
    bool stacks = batch->kind == PF_SAMPLE;
    int status = PF_OK;

    if (batch->rows > 0 &&
        pf_merge_records_find(&kind->records, stacks ? dict->stacks.count : dict->locations.count,
                              stacks ? batch->stack : batch->location, batch->callee, batch->labels,
                              batch->rows, labelled->rows.records) != PF_OK)
        return pf_error_nomem(error);
    for (uint32_t k = 0; k < batch->value_count && status == PF_OK; k++)
        status = add_column(labelled, kind, &batch->values[k], labelled->rows.records, batch->rows,
                            error);
    return status;
}

int pf_labelled_add(struct pf_labelled *labelled, const struct pf_batch *batch,
                    struct pf_error *error)
{
    struct pf_batch plain, runs;
    int status;

    if (batch->kind >= PF_RECORD_KINDS)
        return pf_notes_add(&labelled->notes, batch) == PF_OK ? PF_OK : pf_error_nomem(error);
    if (pf_replicates_part(&labelled->parts, labelled->dict, batch, &plain, &runs) != PF_OK)
        return pf_error_nomem(error);
    status = count_runs(labelled, &runs, error);
    if (status != PF_OK)
        return status;
    return note_labels(labelled, &plain) ? add_records(labelled, &plain, error)
                                         : pf_error_nomem(error);
}

/* --- a batch of the sums ---------------------------------------------------------------------- */

/* Makes a batch of the records order[0] to order[rows - 1] of a kind (NULL: from `first` on).
 * lacks[column]: the batch does not have the column; NULL: it has all. */
static bool make_batch(struct pf_labelled *labelled, const struct pf_labelled *from,
                       unsigned number, const uint32_t *order, size_t first, uint32_t rows,
                       const bool *lacks, struct pf_batch *batch)
{
    const struct pf_labelled_kind *kind = &from->kinds[number];
    size_t columns = kind->column_count;
    uint32_t given = 0;

    if (!pf_grow(&labelled->given, &labelled->given_capacity, columns + 1,
                 sizeof *labelled->given) ||
        !pf_grow(&labelled->numbers, &labelled->number_capacity, columns * rows + 1,
                 sizeof *labelled->numbers))
        return false;
    for (uint32_t row = 0; row < rows; row++) {
        size_t record = order ? order[row] : first + row;

        pf_merge_rows_set(&labelled->rows, row, pf_merge_records_key(&kind->records, record));
        for (size_t k = 0; k < columns; k++)
            labelled->numbers[k * rows + row] =
                record < kind->columns[k].count ? kind->columns[k].sums[record] : 0;
    }
    for (size_t k = 0; k < columns; k++)
        if (!lacks || !lacks[k])
            labelled->given[given++] =
                (struct pf_value_column){kind->columns[k].measure, labelled->numbers + k * rows};
    *batch = (struct pf_batch){
        .kind = (enum pf_kind)number, .values = labelled->given, .value_count = given};
    pf_merge_rows_give(&labelled->rows, rows, batch);
    return true;
}

static int join_runs(struct pf_labelled *labelled, const struct pf_labelled *own,
                     struct pf_error *error)
{
    int status = PF_OK;

    for (uint32_t row = 1; row < own->values.count && status == PF_OK; row++) {
        uint32_t value;

        if (own->runs[row] == 0)
            continue;
        if (!value_of(labelled, 0, &value)) /* makes the table */
            return pf_error_nomem(error);
        value = pf_table_intern(&labelled->values, pf_table_row(&own->values, row));
        if (value == 0 || !pf_grow_clear(&labelled->runs, &labelled->run_capacity,
                                         labelled->values.count, sizeof *labelled->runs))
            return pf_error_nomem(error);
        status = count_value(labelled, value, own->runs[row], error);
    }
    return status;
}

int pf_labelled_join(struct pf_labelled *labelled, const struct pf_labelled *own,
                     struct pf_error *error)
{
    const struct pf_batch notes[] = {pf_notes_metadata(&own->notes), pf_notes_texts(&own->notes)};
    int status = join_runs(labelled, own, error);

    for (size_t k = 0; k < 2 && status == PF_OK; k++)
        status = pf_labelled_add(labelled, &notes[k], error);
    for (unsigned kind = 0; kind < PF_RECORD_KINDS; kind++) {
        size_t count = pf_merge_records_count(&own->kinds[kind].records), first = 0;

        while (status == PF_OK &&
               (first < count || (first == 0 && own->kinds[kind].column_count))) {
            uint32_t rows = count - first < PF_BATCH_ROWS ? (uint32_t)(count - first)
                                                          : PF_BATCH_ROWS;
            struct pf_batch batch;

            if (!make_batch(labelled, own, kind, NULL, first, rows, NULL, &batch))
                return pf_error_nomem(error);
            status = pf_labelled_add(labelled, &batch, error);
            first += rows > 0 ? rows : 1;
        }
    }
    return status;
}

/* --- the runs --------------------------------------------------------------------------------- */

size_t pf_labelled_count(const struct pf_labelled *labelled)
{
    return labelled->values.count > 0 ? labelled->values.count - 1 : 0;
}

/* Writes the keys of all labels that the dictionary knows to `text`, at most a few. */
static void list_keys(const struct pf_dict *dict, struct pf_buffer *text)
{
    enum { MOST = 12 };
    uint32_t keys[MOST];
    size_t count = 0;

    for (uint32_t set = 1; set < dict->labels.count && count < MOST; set++) {
        uint32_t key = pf_dict_label(dict, set)->key;
        size_t k = 0;

        while (k < count && keys[k] != key)
            k++;
        if (k == count) {
            keys[count++] = key;
            pf_buffer_printf(text, "%s%s", k > 0 ? ", " : "",
                             pf_clip(pf_dict_string(dict, key)).text);
        }
    }
    if (count == 0)
        pf_buffer_printf(text, "none");
}

/* Fails because records lack the label. */
static int lacks_label(const struct pf_labelled *labelled, struct pf_error *error)
{
    struct pf_clip key = pf_clip(pf_dict_string(labelled->dict, labelled->key));
    struct pf_buffer keys = {0};

    list_keys(labelled->dict, &keys);
    pf_buffer_byte(&keys, '\0');
    if (keys.failed)
        pf_error_nomem(error);
    else if (labelled->grouped)
        pf_error_set(error, PF_UNSUPPORTED,
                     "%" PRIu64 " of %" PRIu64 " records belong to no group of runs (label '%s'): "
                     "merge all runs of a side with profmerge --replicates",
                     labelled->lacking, labelled->records, key.text);
    else if (labelled->lacking == labelled->records)
        pf_error_set(error, PF_UNSUPPORTED, "no record has a label '%s'; labels here: %s", key.text,
                     keys.data);
    else
        pf_error_set(error, PF_UNSUPPORTED,
                     "%" PRIu64 " of %" PRIu64
                     " records have no label '%s', so they are in no run: "
                     "--label=%s leaves them out (labels here: %s)",
                     labelled->lacking, labelled->records, key.text, key.text, keys.data);
    pf_buffer_free(&keys);
    return error->code;
}

const char *pf_labelled_name(const struct pf_labelled *labelled, size_t run, struct pf_buffer *text)
{
    const struct pf_labelled_value *value = pf_table_row(&labelled->values, labelled->sorted[run]);
    struct pf_bytes word = pf_dict_string(labelled->dict, value->text);

    text->size = 0;
    if (value->numeric)
        pf_buffer_printf(text, "%" PRId64 "%s", value->number, word.size > 0 ? " " : "");
    pf_buffer_append(text, word.data, word.size);
    return pf_buffer_byte(text, '\0') ? text->data : NULL;
}

uint64_t pf_labelled_runs(const struct pf_labelled *labelled, size_t run)
{
    return labelled->grouped ? (uint64_t)labelled->runs[labelled->sorted[run]] : 1;
}

/* The order of runs: numbers first, then texts. */
static int compare_values(const void *arg, const void *a, const void *b)
{
    const struct pf_labelled *labelled = arg;
    const struct pf_labelled_value *x = pf_table_row(&labelled->values, *(const uint32_t *)a),
                                   *y = pf_table_row(&labelled->values, *(const uint32_t *)b);

    if (x->numeric != y->numeric)
        return x->numeric > y->numeric ? -1 : 1;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return pf_bytes_compare(pf_dict_string(labelled->dict, x->text),
                            pf_dict_string(labelled->dict, y->text));
}

/* Sorts the runs by value; *place: the place of each row of `values`, which the caller frees. */
static bool sort_values(struct pf_labelled *labelled, uint32_t **place)
{
    size_t count = pf_labelled_count(labelled);

    labelled->sorted = calloc(count + 1, sizeof *labelled->sorted);
    *place = calloc(count + 1, sizeof **place);
    if (!labelled->sorted || !*place)
        return false;
    for (size_t k = 0; k < count; k++)
        labelled->sorted[k] = (uint32_t)k + 1;
    if (pf_sort(labelled->sorted, count, sizeof *labelled->sorted, compare_values, labelled) !=
        PF_OK)
        return false;
    for (size_t k = 0; k < count; k++)
        (*place)[labelled->sorted[k]] = (uint32_t)k;
    return true;
}

/* Sorts the records of a kind by run, without changing their order within a run. */
static bool sort_records(const struct pf_labelled *labelled, struct pf_labelled_kind *kind,
                         const uint32_t *place)
{
    size_t count = pf_merge_records_count(&kind->records), runs = pf_labelled_count(labelled);
    size_t at = 0;

    kind->order = calloc(count + 1, sizeof *kind->order);
    kind->ends = calloc(runs + 1, sizeof *kind->ends);
    if (!kind->order || !kind->ends)
        return false;
    for (size_t k = 0; k < count; k++)
        kind->ends[place[labelled->of_set[pf_merge_records_key(&kind->records, k)->labels] - 1]]++;
    for (size_t run = 0; run < runs; run++) {
        size_t records = kind->ends[run];

        kind->ends[run] = at;
        at += records;
    }
    for (size_t k = 0; k < count; k++) {
        uint32_t run = place[labelled->of_set[pf_merge_records_key(&kind->records, k)->labels] - 1];

        kind->order[kind->ends[run]++] = (uint32_t)k;
    }
    return true;
}

/* The first record of the run in kind->order. */
static size_t begin_of(const struct pf_labelled_kind *kind, size_t run)
{
    return run > 0 ? kind->ends[run - 1] : 0;
}

/* True if a record of the run has an amount other than 0. */
static bool has_amount(const struct pf_labelled_kind *kind, size_t run, size_t column)
{
    const struct pf_labelled_column *sums = &kind->columns[column];
    bool any = false;

    for (size_t k = begin_of(kind, run); k < kind->ends[run] && !any; k++)
        any = kind->order[k] < sums->count && sums->sums[kind->order[k]] != 0;
    return any;
}

static bool has_records(const struct pf_labelled *labelled, size_t run)
{
    bool any = false;

    for (unsigned kind = 0; kind < PF_RECORD_KINDS; kind++)
        any = any || begin_of(&labelled->kinds[kind], run) < labelled->kinds[kind].ends[run];
    return any;
}

/* Sets which runs lack which measures of a kind. A group without a selected record lacks
 * nothing. */
static bool find_lacks(const struct pf_labelled *labelled, struct pf_labelled_kind *kind)
{
    size_t runs = pf_labelled_count(labelled), columns = kind->column_count;

    kind->lacks = calloc(runs * columns + 1, sizeof *kind->lacks);
    for (size_t run = 0; run < runs && kind->lacks; run++) {
        bool *lacks = kind->lacks + run * columns, some = false;

        for (size_t k = 0; k < columns; k++) {
            lacks[k] = !has_amount(kind, run, k);
            some = some || !lacks[k];
        }
        for (size_t k = 0; k < columns && !some; k++)
            lacks[k] = begin_of(kind, run) == kind->ends[run] && has_records(labelled, run);
    }
    return kind->lacks;
}

/* Fails if a group has no number of runs. */
static int check_groups(const struct pf_labelled *labelled, struct pf_error *error)
{
    struct pf_buffer text = {0};
    int status = PF_OK;

    for (size_t run = 0; run < pf_labelled_count(labelled) && status == PF_OK; run++)
        if (labelled->grouped && labelled->runs[labelled->sorted[run]] <= 0)
            status = pf_labelled_name(labelled, run, &text)
                         ? pf_error_set(error, PF_UNSUPPORTED,
                                        "group '%s': no record has its number of runs",
                                        pf_clip(pf_bytes_of(text.data)).text)
                         : pf_error_nomem(error);
    pf_buffer_free(&text);
    return status;
}

int pf_labelled_end(struct pf_labelled *labelled, struct pf_error *error)
{
    uint32_t *place = NULL;
    bool good;

    if (labelled->lacking > 0)
        return lacks_label(labelled, error);
    good = sort_values(labelled, &place);
    for (unsigned kind = 0; kind < PF_RECORD_KINDS && good; kind++)
        good = sort_records(labelled, &labelled->kinds[kind], place);
    for (unsigned kind = 0; kind < PF_RECORD_KINDS && good; kind++)
        good = find_lacks(labelled, &labelled->kinds[kind]);
    free(place);
    return good ? check_groups(labelled, error) : pf_error_nomem(error);
}

/* --- giving a run ----------------------------------------------------------------------------- */

void pf_labelled_begin(struct pf_labelled *labelled)
{
    labelled->at = 0;
    labelled->begun = false;
}

int pf_labelled_declared(struct pf_labelled *labelled, struct pf_batch *batch)
{
    while (labelled->at < PF_RECORD_KINDS) {
        unsigned kind = labelled->at++;

        if (labelled->kinds[kind].column_count > 0)
            return make_batch(labelled, labelled, kind, NULL, 0, 0, NULL, batch) ? PF_OK : PF_NOMEM;
    }
    return PF_EOF;
}

/* Takes the label off the records of a batch. */
static bool drop_label(struct pf_labelled *labelled, const struct pf_batch *batch)
{
    struct pf_dict *dict = labelled->dict;

    if (!pf_grow_clear(&labelled->without, &labelled->without_capacity, dict->labels.count,
                       sizeof *labelled->without))
        return false;
    for (uint32_t row = 0; row < batch->rows; row++) {
        uint32_t set = labelled->rows.labels[row];

        if (labelled->without[set] == 0)
            labelled->without[set] = 1 + pf_dict_drop_label(dict, set, labelled->key);
        labelled->rows.labels[row] = labelled->without[set] - 1;
    }
    return pf_dict_status(dict) == PF_OK;
}

int pf_labelled_next(struct pf_labelled *labelled, size_t run, struct pf_batch *batch)
{
    for (; labelled->at < PF_RECORD_KINDS; labelled->at++, labelled->begun = false) {
        const struct pf_labelled_kind *kind = &labelled->kinds[labelled->at];
        size_t left;
        uint32_t rows;

        if (!labelled->begun)
            labelled->next = begin_of(kind, run);
        left = kind->ends[run] - labelled->next;
        rows = left < PF_BATCH_ROWS ? (uint32_t)left : PF_BATCH_ROWS;
        if (kind->column_count == 0 || (labelled->begun && rows == 0))
            continue;
        labelled->begun = true;
        if (!make_batch(labelled, labelled, labelled->at, kind->order + labelled->next, 0, rows,
                        kind->lacks + run * kind->column_count, batch))
            return PF_NOMEM;
        labelled->next += rows;
        return !labelled->drops || drop_label(labelled, batch) ? PF_OK : PF_NOMEM;
    }
    return PF_EOF;
}

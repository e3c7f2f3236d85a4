#include "analysis/diff/records.h"

#include "analysis/diff/diff.h"
#include "analysis/diff/scope.h"
#include "base/memory.h"
#include "model/main_measure.h"
#include "model/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BEFORE, AFTER, DELTA };

int pf_diff_records_init(struct pf_diff_records *records)
{
    records->scope = pf_diff_scope_new(records->dict);
    return records->scope != NULL ? pf_merge_frames_init(&records->frames, records->dict, PF_GRANULARITY_FULL) : PF_NOMEM;
}

static void free_column(struct pf_diff_column *column)
{
    free(column->run);
    free(column->sums[BEFORE]);
    free(column->sums[AFTER]);
}

void pf_diff_records_free(struct pf_diff_records *records)
{
    for (unsigned kind = 0; kind < PF_RECORD_KINDS; kind++)
        pf_merge_records_free(&records->records[kind]);
    for (size_t i = 0; i < records->count; i++)
        free_column(&records->columns[i]);
    for (unsigned i = 0; i < 3; i++)
        free(records->ids[i]);
    free(records->columns);
    free(records->members);
    free(records->values);
    free(records->given);
    free(records->meta);
    pf_facts_free(&records->facts);
    pf_diff_scope_free(records->scope);
    pf_merge_frames_free(&records->frames);
    pf_merge_texts_free(&records->texts);
    pf_merge_evals_free(&records->evals);
}

static int overflow(const struct pf_diff_records *records, const struct pf_diff_column *column, size_t record, struct pf_error *error)
{
    struct pf_bytes name = pf_dict_string(records->dict, column->quantity.measure.name);

    return pf_error_set(error, PF_OVERFLOW, "record %zu: measure '%s' leaves 64 bits", record + 1, pf_clip(name).text);
}

/* --- measures --------------------------------------------------------------------------------------------- */

/* NULL with the error set. One run may have a measure in two units, which are two columns then. */
static struct pf_diff_column *find_column(struct pf_diff_records *records, const struct pf_measure *measure, struct pf_error *error)
{
    size_t ended = records->runs[BEFORE] + records->runs[AFTER];

    for (size_t i = 0; i < records->count; i++)
        if (pf_measure_same(&records->columns[i].quantity.measure, measure))
            return &records->columns[i];
    for (size_t i = 0; i < records->count; i++) {
        const struct pf_measure *other = &records->columns[i].quantity.measure;
        if (other->kind == measure->kind && other->name == measure->name && other->unit != measure->unit &&
            records->columns[i].since < ended) {
            pf_diff_other_unit(records->dict, other, measure, error);
            return NULL;
        }
    }
    if (!pf_grow(&records->columns, &records->capacity, records->count + 1, sizeof *records->columns)) {
        pf_error_nomem(error);
        return NULL;
    }
    records->columns[records->count] = (struct pf_diff_column){.since = ended, .finer = 1};
    return &records->columns[records->count++];
}

/* What is there is counted in a finer unit from now on. Shares have none. */
static void rescale(const struct pf_diff_records *records, struct pf_diff_column *column, int64_t factor)
{
    for (size_t i = 0; i < column->run_count && factor != 1; i++)
        column->run[i] *= factor;
    for (unsigned side = BEFORE; side <= AFTER && factor != 1 && !records->normalize; side++)
        for (size_t i = 0; i < column->sum_count[side]; i++)
            column->sums[side][i] *= factor;
}

/* Whether that can be done, so that a run that is left out changes nothing. */
static int check_rescale(const struct pf_diff_records *records, const struct pf_diff_column *column, int64_t factor, struct pf_error *error)
{
    pf_int128 wide;
    int64_t value;

    for (size_t i = 0; i < column->run_count; i++)
        if (!pf_mul64(column->run[i], factor, &value))
            return overflow(records, column, i, error);
    for (unsigned side = BEFORE; side <= AFTER && !records->normalize; side++)
        for (size_t i = 0; i < column->sum_count[side]; i++)
            if (__builtin_mul_overflow(column->sums[side][i], (pf_int128)factor, &wide))
                return overflow(records, column, i, error);
    for (size_t i = 0; i < records->member_count; i++)
        if (records->members[i].column == (uint32_t)(column - records->columns) + 1 && !pf_mul64(records->members[i].factor, factor, &value))
            return overflow(records, column, 0, error);
    return PF_OK;
}

static int meet(struct pf_diff_records *records, uint32_t index, struct pf_diff_member *member, struct pf_error *error)
{
    const struct pf_measure *measure = pf_measures_row(&records->dict->measures, index);
    struct pf_diff_column *column;
    struct pf_quantity joined;
    int64_t old, new;
    int status;

    if (records->named != NULL && !records->named(records->arg, index)) {
        member->column = UINT32_MAX;
        return PF_OK;
    }
    if ((column = find_column(records, measure, error)) == NULL)
        return error->code;
    joined = column->quantity;
    status = pf_quantity_join(&joined, records->dict, measure, &old, &new, error);
    if (status == PF_OK)
        status = check_rescale(records, column, old, error);
    if (status != PF_OK)
        return status;
    column->quantity = joined;
    column->finer *= old;
    rescale(records, column, old);
    for (size_t i = 0; i < records->member_count; i++)
        if (records->members[i].column == (uint32_t)(column - records->columns) + 1)
            records->members[i].factor *= old;
    *member = (struct pf_diff_member){.column = (uint32_t)(column - records->columns) + 1, .factor = new, .fresh = true};
    return PF_OK;
}

static int member_of(struct pf_diff_records *records, uint32_t measure, struct pf_diff_member *member, struct pf_error *error)
{
    int status = PF_OK;

    if (!pf_grow_zeroed(&records->members, &records->member_count, &records->member_capacity,
                        pf_measures_count(&records->dict->measures), sizeof *records->members))
        return pf_error_nomem(error);
    if (records->members[measure].column == 0)
        status = meet(records, measure, &records->members[measure], error);
    *member = records->members[measure];
    return status;
}

/* --- reading ---------------------------------------------------------------------------------------------- */

static int add_column(struct pf_diff_records *records, const struct pf_batch *batch, const struct pf_value_column *values,
                      struct pf_error *error)
{
    struct pf_diff_member member = {0};
    struct pf_diff_column *column;
    int status = member_of(records, values->measure, &member, error);

    if (status != PF_OK || member.column == UINT32_MAX || values->data == NULL || batch->rows == 0)
        return status;
    column = &records->columns[member.column - 1];
    if (!pf_grow_zeroed(&column->run, &column->run_count, &column->run_capacity, pf_merge_records_count(&records->records[batch->kind]),
                 sizeof *column->run))
        return pf_error_nomem(error);
    for (uint32_t i = 0; i < batch->rows; i++) {
        int64_t *sum = &column->run[records->rows[i]], value;
        bool fits = pf_mul64(values->data[i], member.factor, &value);
        if (column->quantity.measure.aggregation == PF_MAX)
            *sum = fits && value > *sum ? value : *sum;
        else
            fits = fits && pf_add64(*sum, value, sum);
        if (!fits)
            return overflow(records, column, records->rows[i], error);
    }
    return PF_OK;
}

static int find_records(struct pf_diff_records *records, const struct pf_batch *batch)
{
    const struct pf_dict *dict = records->dict;
    const struct pf_merge_map *now = &records->frames.now;
    const struct pf_merge_ids *places = batch->kind == PF_SAMPLE ? &now->stacks : &now->locations;
    const uint32_t *place, *callee = NULL;

    if (pf_merge_frames_extend(&records->frames) != PF_OK)
        return PF_NOMEM;
    place = pf_merge_ids_column(places, batch->kind == PF_SAMPLE ? batch->stack : batch->location, batch->rows, records->places);
    if (batch->kind == PF_EDGE)
        callee = pf_merge_ids_column(&now->locations, batch->callee, batch->rows, records->callees);
    return pf_merge_records_find(&records->records[batch->kind], batch->kind == PF_SAMPLE ? dict->stacks.count : dict->locations.count,
                                 place, callee, batch->labels, batch->rows, records->rows);
}

static int take(struct pf_diff_records *records, const struct pf_batch *batch, struct pf_error *error)
{
    int status = PF_OK;

    if (batch->kind >= PF_RECORD_KINDS || (records->kind != PF_RECORD_KINDS && records->kind != batch->kind))
        return PF_OK;
    if (batch->rows > 0 && find_records(records, batch) != PF_OK)
        return pf_error_nomem(error);
    for (uint32_t i = 0; i < batch->value_count && status == PF_OK; i++)
        status = add_column(records, batch, &batch->values[i], error);
    return status;
}

int pf_diff_records_add(struct pf_diff_records *records, const struct pf_batch *batch, struct pf_error *error)
{
    int status;

    if (pf_facts_add(&records->facts, records->dict, batch) != PF_OK || pf_merge_evals_take(&records->texts, batch) != PF_OK)
        return pf_error_nomem(error);
    status = take(records, batch, error);
    return status == PF_OK ? pf_diff_scope_take(records->scope, batch, error) : status;
}

/* --- the time outside of all subs ------------------------------------------------------------------------- */

/* Moves what the run at hand has in a record to another one. */
static int move_record(struct pf_diff_records *records, size_t from, uint32_t to, struct pf_error *error)
{
    for (size_t i = 0; i < records->count; i++) {
        struct pf_diff_column *column = &records->columns[i];
        if (column->quantity.measure.kind != PF_SAMPLE || from >= column->run_count || column->run[from] == 0)
            continue;
        if (!pf_grow_zeroed(&column->run, &column->run_count, &column->run_capacity, (size_t)to + 1, sizeof *column->run))
            return pf_error_nomem(error);
        if (column->quantity.measure.aggregation == PF_MAX)
            column->run[to] = column->run[from] > column->run[to] ? column->run[from] : column->run[to];
        else if (!pf_add64(column->run[to], column->run[from], &column->run[to]))
            return overflow(records, column, to, error);
        column->run[from] = 0;
    }
    return PF_OK;
}

/* Stacks that main::RUNTIME calls stand below it. `to`: by stack as the records have it, where it goes; 0: nowhere. */
static int move_records(struct pf_diff_records *records, const uint32_t *to, uint32_t stacks, struct pf_error *error)
{
    size_t count = pf_merge_records_count(&records->records[PF_SAMPLE]);
    int status = PF_OK;

    for (size_t from = 0; from < count && status == PF_OK; from++) {
        const struct pf_merge_key *key = pf_merge_records_key(&records->records[PF_SAMPLE], from);
        uint32_t labels = key->labels, stack = key->place - 1, record;
        if (stack >= stacks || to[stack] == 0)
            continue;
        if (pf_merge_records_find(&records->records[PF_SAMPLE], records->dict->stacks.count, &to[stack], NULL, &labels, 1, &record) != PF_OK)
            return pf_error_nomem(error);
        status = move_record(records, from, record, error);
    }
    return status;
}

static int move_stacks(struct pf_diff_records *records, const struct pf_file_scope *added, struct pf_error *error)
{
    const struct pf_merge_ids *now = &records->frames.now.stacks;
    uint32_t count = records->dict->stacks.count, *to = calloc(count, sizeof *to);
    int status = to != NULL && pf_merge_frames_extend(&records->frames) == PF_OK ? PF_OK : pf_error_nomem(error);

    for (uint32_t stack = 1; stack < added->moved_count && status == PF_OK; stack++)
        if (added->moved[stack] != stack)
            to[pf_merge_id(now, stack)] = pf_merge_id(now, added->moved[stack]);
    if (status == PF_OK)
        status = move_records(records, to, count, error);
    free(to);
    return status;
}

/* The run at hand gets main::RUNTIME as the table of a difference has it. */
static int add_scope(struct pf_diff_records *records, struct pf_error *error)
{
    struct pf_file_scope added = {0};
    struct pf_batch batch;
    int status = pf_diff_scope_end(records->scope, &added, error);

    while (status == PF_OK && (status = pf_diff_scope_next(records->scope, &added, &batch, error)) == PF_OK)
        status = take(records, &batch, error);
    if (status == PF_EOF)
        status = added.moved != NULL ? move_stacks(records, &added, error) : PF_OK;
    free(added.moved);
    return status;
}

static int end_column(struct pf_diff_records *records, struct pf_diff_column *column, unsigned side, struct pf_error *error)
{
    bool greatest = column->quantity.measure.aggregation == PF_MAX;
    pf_int128 total = 0;

    if (!pf_grow_zeroed(&column->sums[side], &column->sum_count[side], &column->sum_capacity[side], column->run_count, sizeof **column->sums))
        return pf_error_nomem(error);
    for (size_t i = 0; i < column->run_count; i++)
        total = !greatest ? total + column->run[i] : column->run[i] > total ? column->run[i] : total;
    for (size_t i = 0; i < column->run_count; i++)
        column->sums[side][i] += records->normalize ? pf_diff_share(column->run[i], total) : column->run[i];
    return PF_OK;
}

/* The measures of the run at hand are those of all from now on. */
static void keep_measures(struct pf_diff_records *records)
{
    for (size_t i = 0; i < records->member_count; i++)
        records->members[i].fresh = false;
    for (size_t i = 0; i < records->count; i++) {
        records->columns[i].before = records->columns[i].quantity;
        records->columns[i].finer = 1;
    }
    records->kept = records->count;
}

/* The measures are as they were before the run. */
static void drop_measures(struct pf_diff_records *records)
{
    for (size_t i = 0; i < records->member_count; i++) {
        struct pf_diff_member *member = &records->members[i];
        if (member->fresh)
            *member = (struct pf_diff_member){0};
        else if (member->column != 0 && member->column != UINT32_MAX)
            member->factor /= records->columns[member->column - 1].finer;
    }
    for (size_t i = 0; i < records->kept; i++) {
        struct pf_diff_column *column = &records->columns[i];
        for (unsigned side = BEFORE; side <= AFTER && column->finer != 1 && !records->normalize; side++)
            for (size_t k = 0; k < column->sum_count[side]; k++)
                column->sums[side][k] /= column->finer;
        column->quantity = column->before;
        column->finer = 1;
    }
    while (records->count > records->kept)
        free_column(&records->columns[--records->count]);
}

int pf_diff_records_end(struct pf_diff_records *records, unsigned side, bool keep, struct pf_error *error)
{
    int status = keep ? add_scope(records, error) : PF_OK;

    keep = keep && status == PF_OK;
    for (size_t i = 0; i < records->count; i++) {
        struct pf_diff_column *column = &records->columns[i];
        if (keep && status == PF_OK)
            status = end_column(records, column, side, error);
        if (column->run_count > 0)
            memset(column->run, 0, column->run_count * sizeof *column->run);
    }
    if (keep)
        keep_measures(records);
    else
        drop_measures(records);
    pf_diff_scope_clear(records->scope);
    records->runs[side] += keep;
    return status;
}

/* --- records that are one --------------------------------------------------------------------------------- */

/* The sums of a side by `new_count` records, `to` of the old ones. */
static int regroup_sums(struct pf_diff_column *column, unsigned side, const uint32_t *to, size_t old_count, size_t new_count)
{
    pf_int128 *sums = calloc(new_count + 1, sizeof *sums);
    bool greatest = column->quantity.measure.aggregation == PF_MAX;

    for (size_t i = 0; i < old_count && i < column->sum_count[side] && sums != NULL; i++) {
        pf_int128 *sum = &sums[to[i]], value = column->sums[side][i];
        *sum = !greatest ? *sum + value : value > *sum ? value : *sum;
    }
    free(column->sums[side]);
    column->sums[side] = sums;
    column->sum_count[side] = column->sum_capacity[side] = sums != NULL ? new_count : 0;
    return sums != NULL ? PF_OK : PF_NOMEM;
}

static int regroup(struct pf_diff_records *records, enum pf_kind kind)
{
    const struct pf_merge_map *final = &records->frames.final;
    const struct pf_merge_ids *places = kind == PF_SAMPLE ? &final->stacks : &final->locations;
    size_t limit = kind == PF_SAMPLE ? records->dict->stacks.count : records->dict->locations.count;
    struct pf_merge_records old = records->records[kind], *new = &records->records[kind];
    size_t count = pf_merge_records_count(&old);
    uint32_t *to = malloc((count + 1) * sizeof *to);
    int status = to != NULL ? PF_OK : PF_NOMEM;

    *new = (struct pf_merge_records){0};
    for (size_t i = 0; i < count && status == PF_OK; i++) {
        const struct pf_merge_key *key = pf_merge_records_key(&old, i);
        uint32_t place = pf_merge_id(places, key->place - 1), callee = pf_merge_id(&final->locations, key->callee);
        status = pf_merge_records_find(new, limit, &place, &callee, &key->labels, 1, &to[i]);
    }
    for (size_t i = 0; i < records->count; i++)
        for (unsigned side = BEFORE; side <= AFTER && status == PF_OK && records->columns[i].quantity.measure.kind == kind; side++)
            status = regroup_sums(&records->columns[i], side, to, count, pf_merge_records_count(new));
    pf_merge_records_free(&old);
    free(to);
    return status;
}

/* What is known at the end only: evals with the same text, and the least form of images. */
static bool settle(struct pf_diff_records *records)
{
    int status = pf_merge_evals_find(&records->evals, records->dict, &records->texts);

    if (status == PF_OK)
        status = pf_merge_frames_end(&records->frames, &records->evals);
    for (unsigned kind = 0; kind < PF_RECORD_KINDS && status == PF_OK && records->frames.final.locations.to != NULL; kind++)
        status = regroup(records, (enum pf_kind)kind);
    return status == PF_OK;
}

/* --- giving ----------------------------------------------------------------------------------------------- */

static size_t main_column(const struct pf_diff_records *records, enum pf_kind kind)
{
    struct pf_main_choice choice = {0};
    size_t best = records->count;

    for (size_t i = 0; i < records->count; i++) {
        const struct pf_measure *measure = &records->columns[i].quantity.measure;
        if (measure->kind == kind && pf_main_offer(&choice, records->dict, measure))
            best = i;
    }
    return best;
}

/* The least number of parts of a raw unit that the means of both sides are whole numbers of, whatever the sums; 0: there is none. */
static uint64_t common_parts(const struct pf_diff_records *records)
{
    uint64_t before = records->runs[BEFORE] > 0 ? records->runs[BEFORE] : 1, after = records->runs[AFTER] > 0 ? records->runs[AFTER] : 1;
    uint64_t parts;

    return __builtin_mul_overflow(before, after / pf_gcd(before, after), &parts) ? 0 : parts;
}

/* Parts that all means of the column are whole numbers of, and so few of them that sums of all fit. */
static uint64_t parts_of(const struct pf_diff_records *records, const struct pf_diff_column *column)
{
    uint64_t parts = common_parts(records), common = parts, den;
    pf_int128 total = 0;

    if (parts == 0 || records->normalize)
        return 0;
    for (unsigned side = BEFORE; side <= AFTER; side++)
        for (size_t i = 0; i < column->sum_count[side] && parts > 1; i++) {
            pf_int128 size = column->sums[side][i] < 0 ? -column->sums[side][i] : column->sums[side][i], value;
            if (__builtin_mul_overflow(size, (pf_int128)(parts / records->runs[side]), &value) || __builtin_add_overflow(total, value, &total))
                return 0;
            if (common > 1)
                common = pf_gcd(common, (uint64_t)(value % (pf_int128)common));
        }
    parts /= common;
    if (parts > 1 && (total / (pf_int128)common > INT64_MAX / 4 || __builtin_mul_overflow(column->quantity.measure.den, parts, &den)))
        return 0;
    return parts;
}

/* A measure's raw unit becomes one of its parts. False: out of memory. */
static bool divide_unit(struct pf_dict *dict, struct pf_measure *measure, uint64_t parts)
{
    struct pf_bytes whole = pf_dict_string(dict, measure->raw_unit);
    uint64_t known = pf_unit_parts(whole, &whole), gcd = pf_gcd(measure->num, parts);
    struct pf_buffer text = {0};
    char digits[PF_INT128_TEXT];

    if (measure->raw_unit == 0)
        whole = measure->num == measure->den ? pf_dict_string(dict, measure->unit) : PF_BYTES("raw");
    pf_buffer_append(&text, "1/", 2);
    pf_buffer_append(&text, digits, pf_print_int128((pf_int128)known * (pf_int128)parts, digits));
    pf_buffer_append(&text, " ", whole.size > 0);
    pf_buffer_append(&text, whole.data, whole.size);
    if (!text.failed)
        measure->raw_unit = pf_dict_intern(dict, (struct pf_bytes){text.data, text.size}, PF_UTF8);
    measure->num /= gcd;
    measure->den *= parts / gcd;
    pf_buffer_free(&text);
    return !text.failed;
}

/* NAME.before; at further attempts NAME/UNIT.before, NAME/UNIT/2.before ... */
static uint32_t name_column(struct pf_dict *dict, const struct pf_measure *measure, const char *end, unsigned attempt)
{
    struct pf_bytes name = pf_dict_string(dict, measure->name), unit = pf_dict_string(dict, measure->unit);
    unsigned flags = dict->strings.rows[measure->name].flags;
    struct pf_buffer text = {0};
    char number[16];
    uint32_t id = 0;

    pf_buffer_append(&text, name.data, name.size);
    if (attempt > 0 && unit.size > 0) {
        pf_buffer_byte(&text, '/');
        pf_buffer_append(&text, unit.data, unit.size);
        flags = pf_utf8_valid((struct pf_bytes){text.data, text.size}) ? PF_UTF8 : 0;
    }
    if (attempt > 1)
        pf_buffer_append(&text, number, (size_t)snprintf(number, sizeof number, "/%u", attempt));
    pf_buffer_append(&text, end, strlen(end));
    if (!text.failed)
        id = pf_dict_intern(dict, (struct pf_bytes){text.data, text.size}, flags);
    pf_buffer_free(&text);
    return id;
}

static uint32_t declare(struct pf_diff_records *records, const struct pf_diff_column *column, unsigned attempt, unsigned k, bool main)
{
    static const char *const ends[] = {".before", ".after", ".delta"};
    struct pf_measure measure = pf_quantity_measure(&column->quantity, records->dict);
    bool good;

    measure.name = name_column(records->dict, &column->quantity.measure, ends[k], attempt);
    good = measure.name != 0;
    measure.main = main;
    if (records->normalize) {
        measure.unit = pf_dict_intern(records->dict, PF_BYTES("ppb"), 0);
        measure.raw_unit = 0;
        measure.num = measure.den = 1;
        measure.period = measure.period_parts = 0;
    }
    if (column->parts > 1)
        good = divide_unit(records->dict, &measure, column->parts) && good;
    if (k == DELTA) /* a difference does not count samples */
        measure.nature = PF_UNKNOWN_NATURE;
    return good ? pf_measures_intern(&records->dict->measures, &measure) : UINT32_MAX;
}

static bool is_declared(const struct pf_diff_records *records, size_t columns, uint32_t measure)
{
    for (size_t i = 0; i < columns; i++)
        for (unsigned k = BEFORE; k <= DELTA; k++)
            if (pf_measure_same(pf_measures_row(&records->dict->measures, records->columns[i].measures[k]),
                                pf_measures_row(&records->dict->measures, measure)))
                return true;
    return false;
}

/* Shares and events take the place of units: columns of one name that differ by their unit alone are kept apart by names. */
static bool declare_column(struct pf_diff_records *records, size_t i, bool main)
{
    struct pf_diff_column *column = &records->columns[i];
    bool again = true;

    for (unsigned attempt = 0; again; attempt++) {
        again = false;
        for (unsigned k = BEFORE; k <= DELTA; k++) {
            column->measures[k] = declare(records, column, attempt, k, main && k == DELTA);
            if (column->measures[k] == UINT32_MAX)
                return false;
            again = again || is_declared(records, i, column->measures[k]);
        }
    }
    return true;
}

static bool declare_all(struct pf_diff_records *records)
{
    bool good = true;

    for (size_t i = 0; good && i < records->count; i++) {
        struct pf_diff_column *column = &records->columns[i];

        column->parts = parts_of(records, column);
        good = declare_column(records, i, main_column(records, column->quantity.measure.kind) == i);
    }
    return good && pf_dict_status(records->dict) == PF_OK;
}

/* Names and formats of the inputs. */
static bool announce(struct pf_diff_records *records, struct pf_batch *batch)
{
    const struct pf_facts *facts = &records->facts;
    size_t count = facts->input_count + facts->format_count;
    uint32_t origin = pf_dict_intern(records->dict, PF_BYTES("profutils"), 0);
    uint32_t input = pf_dict_intern(records->dict, PF_BYTES("input"), 0);
    uint32_t format = pf_dict_intern(records->dict, PF_BYTES("source_format"), 0);

    if (count > UINT32_MAX || (records->meta = calloc(3 * count + 1, sizeof *records->meta)) == NULL)
        return false;
    for (size_t i = 0; i < count; i++) {
        bool name = i < facts->input_count;
        records->meta[i] = origin;
        records->meta[count + i] = name ? input : format;
        records->meta[2 * count + i] = name ? facts->inputs[i] : facts->formats[i - facts->input_count];
    }
    *batch = (struct pf_batch){.kind = PF_META,
                               .rows = (uint32_t)count,
                               .origin = records->meta,
                               .key = records->meta + count,
                               .value = records->meta + 2 * count};
    return pf_dict_status(records->dict) == PF_OK;
}

static bool begin(struct pf_diff_records *records)
{
    bool good = settle(records) && declare_all(records);

    for (unsigned i = 0; i < 3; i++)
        good = (records->ids[i] = calloc(PF_BATCH_ROWS, sizeof *records->ids[i])) != NULL && good;
    records->values = calloc(3 * records->count + 1, PF_BATCH_ROWS * sizeof *records->values);
    records->given = calloc(3 * records->count + 1, sizeof *records->given);
    records->announced = true;
    return good && records->values != NULL && records->given != NULL;
}

/* Columns of the kind at hand. */
static void lay_out(struct pf_diff_records *records)
{
    records->given_count = 0;
    for (size_t i = 0; i < records->count; i++)
        for (unsigned k = BEFORE; k <= DELTA && records->columns[i].quantity.measure.kind == records->at; k++) {
            records->given[records->given_count] =
                (struct pf_value_column){records->columns[i].measures[k], records->values + records->given_count * PF_BATCH_ROWS};
            records->given_count++;
        }
}

static bool mean_at(const struct pf_diff_records *records, const struct pf_diff_column *column, unsigned side, size_t record, int64_t *mean)
{
    *mean = 0;
    return record >= column->sum_count[side] || records->runs[side] == 0 ||
           pf_scale64(column->sums[side][record], column->parts > 0 ? column->parts : 1, records->runs[side], mean);
}

/* Fills row `row` of the batch with a record; *any: it has values, and is not to be left out. */
static int fill(struct pf_diff_records *records, size_t record, uint32_t row, bool *any, struct pf_error *error)
{
    const struct pf_merge_key *key = pf_merge_records_key(&records->records[records->at], record);
    size_t main = main_column(records, records->at);
    int64_t *values = records->values + row;
    bool fell = false;

    *any = false;
    for (size_t i = 0; i < records->count; i++) {
        const struct pf_diff_column *column = &records->columns[i];
        int64_t mean[2];
        if (column->quantity.measure.kind != records->at)
            continue;
        if (!mean_at(records, column, BEFORE, record, &mean[BEFORE]) || !mean_at(records, column, AFTER, record, &mean[AFTER]) ||
            __builtin_sub_overflow(mean[AFTER], mean[BEFORE], &values[DELTA * PF_BATCH_ROWS]))
            return overflow(records, column, record, error);
        values[BEFORE * PF_BATCH_ROWS] = mean[BEFORE];
        values[AFTER * PF_BATCH_ROWS] = mean[AFTER];
        *any = *any || mean[BEFORE] != 0 || mean[AFTER] != 0;
        fell = fell || (i == main && values[DELTA * PF_BATCH_ROWS] < 0);
        values += 3 * PF_BATCH_ROWS;
    }
    *any = *any && !(fell && records->drop_negative);
    records->ids[0][row] = key->place - 1;
    records->ids[1][row] = key->callee;
    records->ids[2][row] = key->labels;
    return PF_OK;
}

static void give(const struct pf_diff_records *records, uint32_t rows, struct pf_batch *batch)
{
    *batch = (struct pf_batch){
        .kind = records->at,
        .rows = rows,
        .stack = records->at == PF_SAMPLE ? records->ids[0] : NULL,
        .location = records->at != PF_SAMPLE ? records->ids[0] : NULL,
        .callee = records->at == PF_EDGE ? records->ids[1] : NULL,
        .labels = records->ids[2],
        .values = records->given,
        .value_count = (uint32_t)records->given_count,
    };
}

int pf_diff_records_next(struct pf_diff_records *records, struct pf_batch *batch, struct pf_error *error)
{
    uint32_t rows = 0;

    if (!records->announced)
        return begin(records) && announce(records, batch) ? PF_OK : pf_error_nomem(error);
    for (; records->at < PF_RECORD_KINDS; records->at++, records->next = 0, records->declared = false) {
        size_t count = pf_merge_records_count(&records->records[records->at]);
        bool first = !records->declared;
        lay_out(records);
        if (records->given_count == 0)
            continue;
        records->declared = true;
        for (; records->next < count && rows < PF_BATCH_ROWS && !first; records->next++) {
            bool any;
            int status = fill(records, records->next, rows, &any, error);
            if (status != PF_OK)
                return status;
            rows += any;
        }
        if (first || rows > 0) {
            give(records, rows, batch);
            return PF_OK;
        }
    }
    return PF_EOF;
}

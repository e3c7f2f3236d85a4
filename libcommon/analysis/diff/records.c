#include "analysis/diff/records.h"

#include "analysis/diff/builds.h"
#include "analysis/diff/diff.h"
#include "analysis/sum/file_scope.h"
#include "analysis/sum/own_time.h"
#include "analysis/sum/subject.h"
#include "base/memory.h"
#include "model/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void begin_kinds(const struct pf_diff_records *records,
                        struct pf_merge_kind kinds[PF_RECORD_KINDS], unsigned sides)
{
    for (unsigned k = 0; k < PF_RECORD_KINDS; k++)
        kinds[k] = (struct pf_merge_kind){
            .kind = (enum pf_kind)k,
            .sides = sides,
            .columns = {.dict = records->dict, .shares = records->normalize, .compares = true}};
}

/* Of samples only the total is needed. */
static bool wants_no_rows(void *arg, uint32_t measure)
{
    (void)arg;
    (void)measure;
    return false;
}

static bool wants_all_rows(void *arg, uint32_t measure)
{
    (void)arg;
    (void)measure;
    return true;
}

/* Prepares the sums of a run. */
static void begin_run(struct pf_diff_records *records)
{
    begin_kinds(records, records->own, 0);
    records->wholes = (struct pf_accumulator){.dict = records->dict, .wants = wants_no_rows};
    records->calls = records->stacks =
        (struct pf_accumulator){.dict = records->dict, .wants = wants_all_rows};
    records->run_facts = (struct pf_facts){0};
}

static void end_run(struct pf_diff_records *records)
{
    for (unsigned kind = 0; kind < PF_RECORD_KINDS; kind++)
        pf_merge_kind_free(&records->own[kind]);
    pf_accumulator_free(&records->wholes);
    pf_accumulator_free(&records->calls);
    pf_accumulator_free(&records->stacks);
    pf_facts_free(&records->run_facts);
}

int pf_diff_records_init(struct pf_diff_records *records)
{
    begin_run(records);
    begin_kinds(records, records->all, 2);
    return pf_merge_frames_init(&records->frames, records->dict, PF_GRANULARITY_FULL);
}

void pf_diff_records_free(struct pf_diff_records *records)
{
    end_run(records);
    for (unsigned kind = 0; kind < PF_RECORD_KINDS; kind++) {
        pf_merge_kind_free(&records->all[kind]);
        free(records->columns[kind]);
        for (size_t i = 0; i < records->met_count[kind]; i++)
            free(records->met[kind][i].has);
        free(records->met[kind]);
    }
    free(records->values);
    free(records->given);
    free(records->meta);
    pf_facts_free(&records->facts);
    pf_merge_frames_free(&records->frames);
}

bool pf_diff_records_any(const struct pf_diff_records *records)
{
    bool any = false;

    for (unsigned kind = 0; kind < PF_RECORD_KINDS; kind++)
        any = any || records->all[kind].columns.ledger.count > 0;
    return any;
}

static int overflow(const struct pf_diff_records *records, const struct pf_sums *sums,
                    size_t record, struct pf_error *error)
{
    struct pf_bytes name = pf_dict_string(records->dict, sums->quantity.measure.name);

    return pf_error_set(error, PF_OVERFLOW, "record %zu: measure '%s' overflows 64 bits",
                        record + 1, pf_clip(name).text);
}

/* --- reading ---------------------------------------------------------------------------------- */

static int add_values(struct pf_diff_records *records, const struct pf_batch *batch,
                      struct pf_error *error)
{
    struct pf_merge_place place = {NULL, NULL, 0};
    int status = records->normalize ? pf_accumulator_add(&records->wholes, batch, error) : PF_OK;

    if (status != PF_OK || batch->kind >= PF_RECORD_KINDS ||
        (records->kind != PF_RECORD_KINDS && records->kind != batch->kind))
        return status;
    struct pf_merge_kind *own = &records->own[batch->kind];

    if (batch->rows > 0 &&
        pf_merge_kind_find(own, &records->frames, NULL, batch, &records->rows) != PF_OK)
        return pf_error_nomem(error);
    for (uint32_t i = 0; i < batch->value_count && status == PF_OK; i++)
        if (!records->named || records->named(records->arg, batch->values[i].measure))
            status = pf_merge_kind_add(own, batch, i, &records->rows, 1, 1, &place, error);
    return place.sums ? overflow(records, place.sums, place.record, error) : status;
}

int pf_diff_records_add(struct pf_diff_records *records, const struct pf_batch *batch,
                        struct pf_error *error)
{
    int status;

    if (pf_facts_add(&records->facts, records->dict, batch) != PF_OK)
        return pf_error_nomem(error);
    status = add_values(records, batch, error);
    return status == PF_OK ? pf_diff_records_add_again(records, batch, error) : status;
}

int pf_diff_records_add_again(struct pf_diff_records *records, const struct pf_batch *batch,
                              struct pf_error *error)
{
    if (pf_facts_add(&records->run_facts, records->dict, batch) != PF_OK)
        return pf_error_nomem(error);
    if (!pf_file_scope_possible(records->dict, &records->run_facts))
        return PF_OK;
    return pf_accumulator_add(batch->kind == PF_SAMPLE ? &records->stacks : &records->calls, batch,
                              error);
}

/* --- main::RUNTIME ---------------------------------------------------------------------------- */

/* Moves the current run's values from one record to another. */
static int move_record(struct pf_diff_records *records, uint32_t from, uint32_t to,
                       struct pf_error *error)
{
    struct pf_ledger *ledger = &records->own[PF_SAMPLE].columns.ledger;

    for (uint32_t i = 0; i < ledger->count; i++) {
        struct pf_sums *sums = &ledger->sums[i];
        pf_int128 value = pf_sums_wide_at(sums, from), *into;
        if (value == 0)
            continue;
        if (!pf_sums_reserve(sums, (size_t)to + 1))
            return pf_error_nomem(error);
        into = &sums->sums[to];
        if (sums->quantity.measure.aggregation == PF_MAX)
            *into = value > *into ? value : *into;
        else if (__builtin_add_overflow(*into, value, into))
            return overflow(records, sums, to, error);
        sums->sums[from] = 0;
    }
    return PF_OK;
}

/* Moves records of stacks that main::RUNTIME calls below its frame. to[stack] is the stack that
 * replaces `stack`; 0: the stack stays. */
static int move_records(struct pf_diff_records *records, const uint32_t *to, uint32_t stacks,
                        struct pf_error *error)
{
    struct pf_merge_records *own = &records->own[PF_SAMPLE].records;
    size_t count = pf_merge_records_count(own);
    int status = PF_OK;

    for (uint32_t from = 0; from < count && status == PF_OK; from++) {
        const struct pf_merge_key *key = pf_merge_records_key(own, from);
        uint32_t labels = key->labels, stack = key->place - 1, record;
        if (stack >= stacks || to[stack] == 0)
            continue;
        if (pf_merge_records_find(own, records->dict->stacks.count, &to[stack], NULL, &labels, 1,
                                  &record) != PF_OK)
            return pf_error_nomem(error);
        status = move_record(records, from, record, error);
    }
    return status;
}

static int move_stacks(struct pf_diff_records *records, const struct pf_file_scope *added,
                       struct pf_error *error)
{
    const struct pf_merge_ids *now = &records->frames.now.stacks;
    uint32_t count = records->dict->stacks.count, *to = calloc(count, sizeof *to);
    int status = to && pf_merge_frames_extend(&records->frames) == PF_OK ? PF_OK
                                                                         : pf_error_nomem(error);

    for (uint32_t stack = 1; stack < added->moved_count && status == PF_OK; stack++)
        if (added->moved[stack] != stack)
            to[pf_merge_id(now, stack)] = pf_merge_id(now, added->moved[stack]);
    if (status == PF_OK)
        status = move_records(records, to, count, error);
    free(to);
    return status;
}

/* Adds the edge or the stack of main::RUNTIME to the current run, with its values in `from`. */
static int add_runtime(struct pf_diff_records *records, const struct pf_accumulator *from,
                       const struct pf_file_scope *added, struct pf_error *error)
{
    const uint32_t nobody = 0;
    int status = PF_OK;

    for (uint32_t k = 0; k < from->ledger.count && status == PF_OK; k++) {
        const struct pf_sums *sums = &from->ledger.sums[k];
        enum pf_kind kind = (enum pf_kind)sums->quantity.measure.kind;
        uint32_t record = kind == PF_EDGE ? added->edge : kind == PF_SAMPLE ? added->stack : 0;
        int64_t value = record != 0 ? pf_sums_at(sums, record) : 0;
        struct pf_value_column column = {.data = &value};
        const struct pf_batch batch = {
            .kind = kind,
            .rows = 1,
            .stack = kind == PF_SAMPLE ? &added->stack : NULL,
            .location = kind == PF_EDGE ? &nobody : NULL,
            .callee = kind == PF_EDGE ? &added->location : NULL,
            .values = &column,
            .value_count = 1,
        };

        if (value == 0)
            continue;
        column.measure = pf_measures_intern(&records->dict->measures, &sums->quantity.measure);
        status = column.measure != UINT32_MAX ? add_values(records, &batch, error)
                                              : pf_error_nomem(error);
    }
    return status;
}

/* Adds main::RUNTIME to the current run, as the table of a difference has it. */
static int add_scope(struct pf_diff_records *records, struct pf_error *error)
{
    struct pf_file_scope added = {0};
    int status = pf_file_scope_add(&records->calls, &records->stacks, records->dict,
                                   &records->run_facts, PF_BY_FUNCTION, &added, error);

    if (status == PF_OK)
        status = add_runtime(records, &records->calls, &added, error);
    if (status == PF_OK)
        status = add_runtime(records, &records->stacks, &added, error);
    if (status == PF_OK && added.moved)
        status = move_stacks(records, &added, error);
    free(added.moved);
    return status;
}

/* Fails if a sum of the run overflows 64 bits: then its mean and difference could overflow too. */
static int check_run(const struct pf_diff_records *records, const struct pf_sums *sums,
                     struct pf_error *error)
{
    for (size_t i = 0; i < sums->count; i++)
        if (sums->sums[i] != (int64_t)sums->sums[i])
            return overflow(records, sums, i, error);
    return PF_OK;
}

/* Number of a measure of the column. */
static uint32_t measure_of(const struct pf_ledger *ledger, uint32_t column)
{
    uint32_t measure = 0;

    while (pf_ledger_of(ledger, measure) != &ledger->sums[column])
        measure++;
    return measure;
}

/* Replaces the values of a column by shares of the total that is 100 % in tables of its measure. */
static int set_shares(const struct pf_diff_records *records, const struct pf_ledger *ledger,
                      uint32_t column, struct pf_error *error)
{
    struct pf_sums *sums = &ledger->sums[column];
    struct pf_subject subject;
    int status = pf_subject_choose(&subject, &records->wholes, measure_of(ledger, column),
                                   PF_UNIT_AUTO, error);

    if (status != PF_OK)
        return status;
    bool own = subject.whole == subject.shown;
    pf_int128 total = own ? pf_sums_total(sums) : subject.total;

    for (size_t i = 0; i < sums->count; i++)
        sums->sums[i] = pf_diff_share(
            own ? sums->sums[i] : pf_scale_total(&subject.scale, sums->sums[i]), total);
    return PF_OK;
}

/* Replaces the values by their means over the runs of the group, in 1/parts. The greatest of
 * several values is not divided. The values have 64 bits, so nothing overflows. */
static void set_means(struct pf_sums *sums, uint64_t parts, uint64_t runs)
{
    if (sums->quantity.measure.aggregation == PF_MAX)
        runs = 1;
    for (size_t i = 0; i < sums->count; i++)
        sums->sums[i] = pf_divide128(sums->sums[i] * (pf_int128)parts, (pf_int128)runs);
}

/* Notes which measures run number `run` (from 1) has. False: out of memory. */
static bool note_met(struct pf_diff_records *records, enum pf_side side, size_t run)
{
    for (unsigned kind = 0; kind < PF_RECORD_KINDS; kind++) {
        const struct pf_merge_columns *columns = &records->all[kind].columns;

        if (!pf_grow_zeroed(&records->met[kind], &records->met_count[kind],
                            &records->met_capacity[kind], columns->ledger.count,
                            sizeof *records->met[kind]))
            return false;
        for (uint32_t i = 0; i < columns->ledger.count; i++) {
            struct pf_diff_met *met = &records->met[kind][i];

            if (columns->facts[i].last_input != run)
                continue;
            if (!pf_grow_zeroed(&met->has, &met->count, &met->capacity, run, sizeof *met->has))
                return false;
            met->has[run - 1] = true;
            met->runs[side]++;
        }
    }
    return true;
}

/* Adds the current run to the runs of its side. */
static int add_run(struct pf_diff_records *records, enum pf_side side, uint64_t runs,
                   struct pf_error *error)
{
    size_t number = records->runs[PF_BEFORE] + records->runs[PF_AFTER] + 1;
    struct pf_merge_place place = {NULL, NULL, 0};
    int status = records->normalize ? pf_own_time_add(&records->wholes, error) : PF_OK;

    for (unsigned kind = 0; kind < PF_RECORD_KINDS; kind++) {
        struct pf_ledger *ledger = &records->own[kind].columns.ledger;

        for (uint32_t i = 0; i < ledger->count && status == PF_OK; i++) {
            status = check_run(records, &ledger->sums[i], error);
            if (status == PF_OK && records->normalize)
                status = set_shares(records, ledger, i, error);
            else if (records->parts[side] > 1)
                set_means(&ledger->sums[i], records->parts[side], runs);
        }
    }
    if (status == PF_OK)
        status = pf_merge_kinds_add(records->all, records->own, number, side - PF_BEFORE, 1, &place,
                                    error);
    if (place.sums)
        overflow(records, place.sums, place.record, error);
    if (status == PF_OK && !note_met(records, side, number))
        status = pf_error_nomem(error);
    return status;
}

int pf_diff_records_end(struct pf_diff_records *records, enum pf_side side, uint64_t runs,
                        bool keep, struct pf_error *error)
{
    int status = keep ? add_scope(records, error) : PF_OK;

    if (keep && status == PF_OK)
        status = add_run(records, side, runs, error);
    records->runs[side] += keep && status == PF_OK;
    end_run(records);
    begin_run(records);
    return status;
}

/* --- equal records ---------------------------------------------------------------------------- */

/* Maps the places of all records; joins records that become equal. */
static int regroup(struct pf_diff_records *records, const struct pf_merge_map *map,
                   struct pf_error *error)
{
    const struct pf_merge_labels labels = {.dict = records->dict};
    const struct pf_sums *failed = NULL;
    int status = PF_OK;

    for (unsigned kind = 0; kind < PF_RECORD_KINDS && status == PF_OK && map->locations.to; kind++)
        status = pf_merge_kind_regroup(&records->all[kind], map, &labels, &failed);
    if (status == PF_OVERFLOW)
        return overflow(records, failed, 0, error);
    return status == PF_OK ? PF_OK : pf_error_nomem(error);
}

static int join_builds(struct pf_diff_records *records, struct pf_error *error)
{
    struct pf_builds builds = {0};
    int status = pf_builds_find(&builds, records->dict, records->all) == PF_OK
                     ? regroup(records, &builds.map, error)
                     : pf_error_nomem(error);

    pf_builds_free(&builds);
    return status;
}

/* Joins records that are known to be equal only after the last run: evals with the same text, forms
 * of one image, functions of two builds. */
static int join_equal_records(struct pf_diff_records *records, struct pf_error *error)
{
    int status = pf_merge_frames_end(&records->frames, records->evals) == PF_OK
                     ? regroup(records, &records->frames.final, error)
                     : pf_error_nomem(error);

    return status == PF_OK && records->join_builds ? join_builds(records, error) : status;
}

/* --- the result ------------------------------------------------------------------------------- */

/* The number by which the sums of a side are divided to get means; at least 1. `column` is a number
 * of a column of the kind. */
static uint64_t divisor_of(const struct pf_diff_records *records, enum pf_kind kind,
                           uint32_t column, enum pf_side side)
{
    uint64_t met = records->met[kind][column].runs[side], runs = met > 0 ? met : 1;

    return records->parts[side] > 1 && !records->normalize ? runs * records->parts[side] : runs;
}

/* The least number of parts of a raw unit in which all means of the column are whole numbers; 0 if
 * the number, or the sum of all means in these parts, would overflow 64 bits. */
static uint64_t parts_of(const struct pf_diff_records *records, enum pf_kind kind, uint32_t column)
{
    const struct pf_sums *sums = &records->all[kind].columns.ledger.sums[column];
    const uint64_t divisors[] = {divisor_of(records, kind, column, PF_BEFORE),
                                 divisor_of(records, kind, column, PF_AFTER)};
    uint64_t parts, common, den;
    pf_int128 total = 0;

    if (records->normalize || !pf_parts_join(divisors[0], divisors[1], &parts))
        return 0;
    common = parts;
    for (size_t i = 0; i < sums->count && parts > 1; i++) {
        pf_int128 size = sums->sums[i] < 0 ? -sums->sums[i] : sums->sums[i], value;

        if (size == 0)
            continue;
        if (__builtin_mul_overflow(size, (pf_int128)(parts / divisors[i % 2]), &value) ||
            __builtin_add_overflow(total, value, &total))
            return 0;
        if (common > 1)
            common = pf_gcd(common, (uint64_t)(value % (pf_int128)common));
    }
    parts /= common;
    if (parts > 1 && (total / (pf_int128)common > INT64_MAX / 4 ||
                      __builtin_mul_overflow(sums->quantity.measure.den, parts, &den)))
        return 0;
    return parts;
}

/* Divides a measure's raw unit by `parts`. False: out of memory. */
static bool divide_unit(struct pf_dict *dict, struct pf_measure *measure, uint64_t parts)
{
    struct pf_bytes whole = pf_dict_string(dict, measure->raw_unit);
    uint64_t known = pf_unit_parts(whole, &whole), gcd = pf_gcd(measure->num, parts);
    struct pf_buffer text = {0};
    char digits[PF_INT128_TEXT];

    if (measure->raw_unit == 0)
        whole = measure->num == measure->den ? pf_dict_string(dict, measure->unit)
                                             : PF_BYTES("raw");
    pf_buffer_append(&text, "1/", 2);
    pf_buffer_append(&text, digits, pf_print_int128((pf_int128)known * (pf_int128)parts, digits));
    pf_buffer_append(&text, " ", whole.size > 0);
    pf_buffer_append(&text, whole.data, whole.size);
    measure->raw_unit = pf_dict_intern_buffer(dict, &text, PF_UTF8);
    measure->num /= gcd;
    measure->den *= parts / gcd;
    return pf_dict_status(dict) == PF_OK;
}

/* Attempt 0 makes the name NAME, attempt 1 NAME/UNIT, attempt 2 NAME/UNIT/2 and so on. False: out
 * of memory. */
static bool attempt_name(struct pf_dict *dict, const struct pf_measure *measure, unsigned attempt,
                         uint32_t *id)
{
    struct pf_bytes name = pf_dict_string(dict, measure->name),
                    unit = pf_dict_string(dict, measure->unit);
    struct pf_buffer text = {0};
    unsigned flags = dict->strings.rows[measure->name].flags;

    pf_buffer_append(&text, name.data, name.size);
    if (attempt > 0 && unit.size > 0) {
        pf_buffer_byte(&text, '/');
        pf_buffer_append(&text, unit.data, unit.size);
        flags = pf_utf8_valid((struct pf_bytes){text.data, text.size}) ? PF_UTF8 : 0;
    }
    if (attempt > 1)
        pf_buffer_printf(&text, "/%u", attempt);
    *id = pf_dict_intern_buffer(dict, &text, flags);
    return pf_dict_status(dict) == PF_OK;
}

static uint32_t declare(struct pf_diff_records *records, const struct pf_quantity *quantity,
                        uint64_t parts, unsigned attempt, enum pf_side side, bool main)
{
    struct pf_measure measure = pf_quantity_measure(quantity, records->dict);
    bool good = attempt_name(records->dict, &quantity->measure, attempt, &measure.name);

    measure.side = side;
    if (good)
        measure.name = pf_dict_side_name(records->dict, measure.name, side);
    good = good && measure.name != 0;
    measure.main = main;
    if (records->normalize) {
        measure.unit = pf_dict_intern(records->dict, PF_BYTES("ppb"), 0);
        measure.raw_unit = 0;
        measure.num = measure.den = 1;
        measure.period = measure.period_parts = 0;
    }
    if (parts > 1)
        good = divide_unit(records->dict, &measure, parts) && good;
    if (side == PF_DELTA) /* the sampling error of a difference does not follow from its value */
        measure.nature = PF_UNKNOWN_NATURE;
    return good ? pf_measures_intern(&records->dict->measures, &measure) : UINT32_MAX;
}

static bool is_declared(const struct pf_diff_records *records, enum pf_kind kind, uint32_t columns,
                        uint32_t measure)
{
    for (uint32_t i = 0; i < columns; i++)
        for (enum pf_side side = PF_BEFORE; side <= PF_DELTA; side++)
            if (pf_measure_same(pf_measures_row(&records->dict->measures,
                                                records->columns[kind][i].measures[side]),
                                pf_measures_row(&records->dict->measures, measure)))
                return true;
    return false;
}

/* Declares the three measures of a column. In the result shares and events replace other units, so
 * columns of one name whose units differed need different names. */
static bool declare_column(struct pf_diff_records *records, enum pf_kind kind, uint32_t i,
                           bool main)
{
    const struct pf_sums *sums = &records->all[kind].columns.ledger.sums[i];
    struct pf_diff_column *column = &records->columns[kind][i];
    bool again = true;

    column->parts = parts_of(records, kind, i);
    for (unsigned attempt = 0; again; attempt++) {
        again = false;
        for (enum pf_side side = PF_BEFORE; side <= PF_DELTA; side++) {
            column->measures[side] = declare(records, &sums->quantity, column->parts, attempt, side,
                                             main && side == PF_DELTA);
            if (column->measures[side] == UINT32_MAX)
                return false;
            again = again || is_declared(records, kind, i, column->measures[side]);
        }
    }
    return true;
}

static bool declare_all(struct pf_diff_records *records)
{
    bool good = true;

    for (enum pf_kind kind = PF_SAMPLE; good && kind < PF_RECORD_KINDS; kind++) {
        const struct pf_ledger *ledger = &records->all[kind].columns.ledger;
        const struct pf_sums *main = pf_merge_kind_main(&records->all[kind]);

        good = (records->columns[kind] =
                    calloc((size_t)ledger->count + 1, sizeof *records->columns[kind])) != NULL;
        for (uint32_t i = 0; good && i < ledger->count; i++)
            good = declare_column(records, kind, i, &ledger->sums[i] == main);
    }
    return good && pf_dict_status(records->dict) == PF_OK;
}

/* Collects the metadata: names and formats of the inputs. False: out of memory. */
static bool collect_meta(struct pf_diff_records *records)
{
    const struct pf_facts *facts = &records->facts;
    size_t count = facts->input_count + facts->format_count;
    uint32_t origin = pf_dict_intern(records->dict, PF_BYTES("profutils"), 0);
    uint32_t input = pf_dict_intern(records->dict, PF_BYTES("input"), 0);
    uint32_t format = pf_dict_intern(records->dict, PF_BYTES("source_format"), 0);

    if ((records->meta = calloc(3 * count + 1, sizeof *records->meta)) == NULL)
        return false;
    for (size_t i = 0; i < count; i++) {
        bool name = i < facts->input_count;

        records->meta[i] = origin;
        records->meta[count + i] = name ? input : format;
        records->meta[2 * count + i] = name ? facts->inputs[i]
                                            : facts->formats[i - facts->input_count];
    }
    records->meta_count = count;
    return pf_dict_status(records->dict) == PF_OK;
}

/* Gives the next batch of metadata. False: all are given. */
static bool give_meta(struct pf_diff_records *records, struct pf_batch *batch)
{
    size_t count = records->meta_count, from = records->meta_given;
    uint32_t rows = count - from < PF_BATCH_ROWS ? (uint32_t)(count - from) : PF_BATCH_ROWS;

    *batch = (struct pf_batch){.kind = PF_META,
                               .rows = rows,
                               .origin = records->meta + from,
                               .key = records->meta + count + from,
                               .value = records->meta + 2 * count + from};
    records->meta_given += rows;
    return rows > 0;
}

static int begin_result(struct pf_diff_records *records, struct pf_error *error)
{
    int status = join_equal_records(records, error);
    bool good = status == PF_OK && declare_all(records);
    size_t most = 0;

    if (status != PF_OK)
        return status;
    for (unsigned kind = 0; kind < PF_RECORD_KINDS; kind++) {
        size_t count = records->all[kind].columns.ledger.count;

        most = count > most ? count : most;
    }
    records->values = calloc(3 * most + 1, PF_BATCH_ROWS * sizeof *records->values);
    records->given = calloc(3 * most + 1, sizeof *records->given);
    good = good && collect_meta(records);
    records->begun = true;
    return good && records->values && records->given ? PF_OK : pf_error_nomem(error);
}

/* Sets the value columns of the current kind. */
static void set_columns(struct pf_diff_records *records)
{
    records->main = pf_merge_kind_main(&records->all[records->at]);
    records->given_count = 0;
    for (uint32_t i = 0; i < records->all[records->at].columns.ledger.count; i++)
        for (enum pf_side side = PF_BEFORE; side <= PF_DELTA; side++) {
            records->given[records->given_count] =
                (struct pf_value_column){records->columns[records->at][i].measures[side],
                                         records->values + records->given_count * PF_BATCH_ROWS};
            records->given_count++;
        }
}

static bool mean_at(const struct pf_diff_records *records, uint32_t column, enum pf_side side,
                    size_t record, int64_t *mean)
{
    pf_int128 sum = pf_sums_wide_at(&records->all[records->at].columns.ledger.sums[column],
                                    2 * record + (side - PF_BEFORE));
    uint64_t parts = records->columns[records->at][column].parts,
             divisor = divisor_of(records, records->at, column, side);

    parts = parts > 0 ? parts : 1;
    *mean = (int64_t)sum;
    return (sum == *mean && (sum == 0 || parts == divisor)) ||
           pf_scale64(sum, parts, divisor, mean);
}

/* Fills row `row` of the batch with a record. *any: the record has values and must not be left
 * out. */
static int fill_row(struct pf_diff_records *records, size_t record, uint32_t row, bool *any,
                    struct pf_error *error)
{
    const struct pf_ledger *ledger = &records->all[records->at].columns.ledger;
    int64_t *values = records->values + row;
    bool fell = false;

    *any = false;
    for (uint32_t i = 0; i < ledger->count; i++) {
        int64_t *before = values, *after = before + PF_BATCH_ROWS, *delta = after + PF_BATCH_ROWS;

        if (!mean_at(records, i, PF_BEFORE, record, before) ||
            !mean_at(records, i, PF_AFTER, record, after) ||
            __builtin_sub_overflow(*after, *before, delta))
            return overflow(records, &ledger->sums[i], record, error);
        *any = *any || *before != 0 || *after != 0;
        fell = fell || (&ledger->sums[i] == records->main && *delta < 0);
        values += 3 * PF_BATCH_ROWS;
    }
    *any = *any && !(fell && records->drop_negative);
    pf_merge_rows_set(&records->rows, row,
                      pf_merge_records_key(&records->all[records->at].records, record));
    return PF_OK;
}

int pf_diff_records_next(struct pf_diff_records *records, struct pf_batch *batch,
                         struct pf_error *error)
{
    uint32_t rows = 0;

    if (!records->begun) {
        int status = begin_result(records, error);

        if (status != PF_OK)
            return status;
    }
    if (give_meta(records, batch))
        return PF_OK;
    for (; records->at < PF_RECORD_KINDS;
         records->at++, records->next = 0, records->declared = false) {
        size_t count = pf_merge_records_count(&records->all[records->at].records);
        bool first = !records->declared;
        set_columns(records);
        if (records->given_count == 0)
            continue;
        records->declared = true;
        for (; records->next < count && rows < PF_BATCH_ROWS && !first; records->next++) {
            bool any;
            int status = fill_row(records, records->next, rows, &any, error);
            if (status != PF_OK)
                return status;
            rows += any;
        }
        if (first || rows > 0) {
            *batch = (struct pf_batch){.kind = records->at,
                                       .values = records->given,
                                       .value_count = (uint32_t)records->given_count};
            pf_merge_rows_give(&records->rows, rows, batch);
            return PF_OK;
        }
    }
    return PF_EOF;
}

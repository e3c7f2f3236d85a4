#include "analysis/sum/removed.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/scan.h"

#include <stdlib.h>
#include <string.h>

static const struct pf_bytes origin = {"profutils", 9}, key = {"removed", 7};

static void print_escaped(struct pf_bytes text, struct pf_buffer *out)
{
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.data[i];

        if (c > ' ' && c != '%' && c != 0x7f)
            pf_buffer_byte(out, c);
        else
            pf_buffer_printf(out, "%%%02X", (unsigned)c);
    }
    pf_buffer_byte(out, ' ');
}

uint32_t pf_before_print(struct pf_dict *dict, const struct pf_before_row *row)
{
    const struct pf_string *strings = dict->strings.rows;
    struct pf_buffer text = {0};
    char number[PF_INT128_TEXT];
    uint32_t id = 0;

    pf_buffer_printf(&text, "%s ", pf_kind_name((enum pf_kind)row->kind));
    print_escaped(pf_dict_string(dict, row->name), &text);
    print_escaped(pf_dict_string(dict, row->unit), &text);
    pf_print_int128(row->amount, number);
    pf_buffer_printf(&text, "%s %llu/%llu %llu", number, (unsigned long long)row->num,
                     (unsigned long long)row->den, (unsigned long long)row->records);
    if (!text.failed)
        id = pf_dict_intern(dict, (struct pf_bytes){text.data, text.size},
                            strings[row->name].flags | strings[row->unit].flags);
    pf_buffer_free(&text);
    return id;
}

/* *name: the string that the field spells. False if the field is not a name, or memory ran out
 * (then scratch->failed is set). */
static bool parse_name(struct pf_dict *dict, struct pf_bytes field, unsigned flags,
                       struct pf_buffer *scratch, uint32_t *name)
{
    scratch->size = 0;
    for (size_t i = 0; i < field.size; i++) {
        int byte = pf_percent_byte(pf_bytes_skip(field, i));

        if (byte < 0 && field.data[i] == '%')
            return false;
        pf_buffer_byte(scratch, (unsigned char)(byte < 0 ? field.data[i] : byte));
        i += byte < 0 ? 0 : 2;
    }
    *name = pf_dict_intern(dict, (struct pf_bytes){scratch->data, scratch->size}, flags);
    return !scratch->failed;
}

static bool parse_kind(struct pf_bytes field, uint32_t *kind)
{
    for (unsigned k = 0; k < PF_RECORD_KINDS; k++)
        if (pf_bytes_equal(field, pf_bytes_of(pf_kind_name((enum pf_kind)k)))) {
            *kind = k;
            return true;
        }
    return false;
}

/* Parses the string `value` as a row. False if the text is not such a row, or memory ran out (then
 * scratch->failed or the status of the dictionary is set). */
static bool parse_row(struct pf_dict *dict, uint32_t value, struct pf_before_row *row,
                      struct pf_buffer *scratch)
{
    struct pf_bytes text = pf_dict_string(dict, value), kind, name, unit, amount, num, den;
    unsigned flags = dict->strings.rows[value].flags;

    return pf_scan_field(&text, ' ', &kind) && pf_scan_field(&text, ' ', &name) &&
           pf_scan_field(&text, ' ', &unit) && pf_scan_field(&text, ' ', &amount) &&
           pf_scan_field(&text, '/', &num) && pf_scan_field(&text, ' ', &den) &&
           parse_kind(kind, &row->kind) && pf_parse_int128(amount, &row->amount) &&
           pf_parse_digits(num, UINT64_MAX, &row->num) &&
           pf_parse_digits(den, UINT64_MAX, &row->den) && row->den != 0 &&
           pf_parse_digits(text, UINT64_MAX, &row->records) &&
           parse_name(dict, name, flags, scratch, &row->name) &&
           parse_name(dict, unit, flags, scratch, &row->unit);
}

/* --- writing ---------------------------------------------------------------------------------- */

void pf_removed_free(struct pf_removed *removed)
{
    free(removed->amounts);
    free(removed->columns);
    *removed = (struct pf_removed){0};
}

void pf_removed_clear(struct pf_removed *removed)
{
    for (size_t k = 0; k < removed->capacity; k++)
        removed->amounts[k] = (struct pf_removed_amount){0};
    memset(removed->records, 0, sizeof removed->records);
}

static int make_room(struct pf_removed *removed, uint32_t measures)
{
    return pf_grow_clear(&removed->amounts, &removed->capacity, measures, sizeof *removed->amounts)
               ? PF_OK
               : PF_NOMEM;
}

int pf_removed_note(struct pf_removed *removed, const struct pf_dict *dict,
                    const struct pf_batch *batch)
{
    removed->noting = true;
    if (make_room(removed, pf_measures_count(&dict->measures)) != PF_OK)
        return PF_NOMEM;
    for (uint32_t c = 0; c < batch->value_count; c++)
        removed->amounts[batch->values[c].measure].noted = true;
    return PF_OK;
}

static pf_int128 sum_of(const int64_t *data, const uint32_t *rows, uint32_t count)
{
    pf_int128 sum = 0;

    for (uint32_t i = 0; i < count; i++)
        sum += data[rows[i]];
    return sum;
}

/* The greatest value, at least 0: values that are not summed are sizes and depths, never
 * negative. */
static pf_int128 greatest_of(pf_int128 greatest, const int64_t *data, const uint32_t *rows,
                             uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (data[rows[i]] > greatest)
            greatest = data[rows[i]];
    return greatest;
}

int pf_removed_count(struct pf_removed *removed, const struct pf_dict *dict,
                     const struct pf_batch *batch, const uint32_t *rows, uint32_t count)
{
    if (make_room(removed, pf_measures_count(&dict->measures)) != PF_OK)
        return PF_NOMEM;
    for (uint32_t c = 0; c < batch->value_count; c++) {
        const struct pf_value_column *column = &batch->values[c];
        pf_int128 *amount = &removed->amounts[column->measure].sum;

        if (!column->data)
            continue;
        if (pf_measures_row(&dict->measures, column->measure)->aggregation == PF_MAX)
            *amount = greatest_of(*amount, column->data, rows, count);
        else
            *amount += sum_of(column->data, rows, count);
    }
    removed->records[batch->kind] += count;
    return PF_OK;
}

/* Records that count runs are never removed. */
static bool has_row(const struct pf_removed *removed, const struct pf_dict *dict, uint32_t measure)
{
    return !pf_measures_row(&dict->measures, measure)->runs &&
           (!removed->noting || removed->amounts[measure].noted);
}

/* The number of records for a measure's row: of measures that differ only in scale, the first has
 * it and the others have 0. */
static uint64_t records_of(const struct pf_removed *removed, const struct pf_dict *dict,
                           struct pf_table *told, uint32_t measure)
{
    const struct pf_measure *row = pf_measures_row(&dict->measures, measure);
    struct pf_measure_key same = pf_measure_key(row);
    uint32_t count = told->count;

    return has_row(removed, dict, measure) && pf_table_intern(told, &same) < count
               ? 0
               : removed->records[row->kind];
}

static uint32_t intern_row(struct pf_dict *dict, const struct pf_measure *measure, pf_int128 amount,
                           uint64_t records)
{
    const struct pf_before_row row = {
        .name = measure->name,
        .unit = measure->unit,
        .kind = measure->kind,
        .amount = amount,
        .num = measure->num,
        .den = measure->den,
        .records = records,
    };

    return pf_before_print(dict, &row);
}

int pf_removed_meta(struct pf_removed *removed, struct pf_dict *dict, struct pf_batch *batch)
{
    uint32_t count = pf_measures_count(&dict->measures), rows = 0;
    uint32_t origin_id = pf_dict_intern(dict, origin, 0), key_id = pf_dict_intern(dict, key, 0);
    struct pf_table told;
    bool failed = false;

    *batch = (struct pf_batch){.kind = PF_META};
    if (make_room(removed, count) != PF_OK || !pf_grow(&removed->columns, &removed->column_capacity,
                                                       (size_t)count * 3, sizeof *removed->columns))
        return PF_NOMEM;
    pf_table_init(&told, sizeof(struct pf_measure_key));
    for (uint32_t m = 0; m < count; m++) {
        uint64_t records = records_of(removed, dict, &told, m);

        if (!has_row(removed, dict, m) || (records == 0 && removed->amounts[m].sum == 0))
            continue;
        removed->columns[rows] = origin_id;
        removed->columns[count + rows] = key_id;
        removed->columns[2 * (size_t)count + rows] =
            intern_row(dict, pf_measures_row(&dict->measures, m), removed->amounts[m].sum, records);
        failed |= removed->columns[2 * (size_t)count + rows++] == 0;
    }
    failed |= told.status != PF_OK;
    pf_table_free(&told);
    if (failed || pf_dict_status(dict) != PF_OK)
        return PF_NOMEM;
    batch->rows = rows;
    batch->origin = removed->columns;
    batch->key = count > 0 ? removed->columns + count : NULL;
    batch->value = count > 0 ? removed->columns + 2 * (size_t)count : NULL;
    return PF_OK;
}

/* --- reading ---------------------------------------------------------------------------------- */

void pf_before_free(struct pf_before *before)
{
    free(before->rows);
    *before = (struct pf_before){0};
}

int pf_before_read(struct pf_before *before, struct pf_dict *dict, const struct pf_batch *batch)
{
    struct pf_buffer scratch = {0};
    int status = PF_OK;

    if (batch->kind != PF_META || !batch->origin || !batch->key || !batch->value)
        return PF_OK;
    for (uint32_t i = 0; i < batch->rows && status == PF_OK; i++) {
        struct pf_before_row row;

        if (!pf_bytes_equal(pf_dict_string(dict, batch->origin[i]), origin) ||
            !pf_bytes_equal(pf_dict_string(dict, batch->key[i]), key))
            continue;
        bool good = parse_row(dict, batch->value[i], &row, &scratch);

        if (scratch.failed || pf_dict_status(dict) != PF_OK ||
            (good &&
             !pf_grow(&before->rows, &before->capacity, before->count + 1, sizeof *before->rows)))
            status = PF_NOMEM;
        else if (good)
            before->rows[before->count++] = row;
    }
    pf_buffer_free(&scratch);
    return status;
}

/* Converts the amount of `row` to raw units of `measure`. */
static bool convert_amount(const struct pf_before_row *row, const struct pf_measure *measure,
                           pf_int128 *amount)
{
    uint64_t a = pf_gcd(row->num, measure->num), b = pf_gcd(row->den, measure->den), num, den;

    if (measure->num == 0 || __builtin_mul_overflow(row->num / a, measure->den / b, &num) ||
        __builtin_mul_overflow(row->den / b, measure->num / a, &den))
        return false;
    return pf_scale128(row->amount, num, den, amount);
}

bool pf_before_find(const struct pf_before *before, const struct pf_dict *dict,
                    const struct pf_measure *measure, pf_int128 *amount, uint64_t *records)
{
    pf_int128 part, all = 0;
    uint64_t gone = 0;
    bool found = false;

    *amount = 0;
    *records = 0;
    for (size_t i = 0; i < before->count; i++) {
        const struct pf_before_row *row = &before->rows[i];

        if (row->kind != measure->kind ||
            !pf_bytes_equal(pf_dict_string(dict, row->name), pf_dict_string(dict, measure->name)) ||
            !pf_bytes_equal(pf_dict_string(dict, row->unit), pf_dict_string(dict, measure->unit)))
            continue;
        if (!convert_amount(row, measure, &part))
            return false;
        if (measure->aggregation != PF_MAX) {
            *amount = part < 0 ? -PF_INT128_MAX : PF_INT128_MAX;
            if (__builtin_add_overflow(all, part, &all))
                return true;
        } else if (!found || part > all) {
            all = part;
        }
        gone += row->records;
        found = true;
    }
    *amount = all;
    *records = gone;
    return found;
}

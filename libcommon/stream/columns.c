#include "stream/columns.h"

#include "base/bytes.h"
#include "model/measure.h"
#include "stream/layout.h"

#include <inttypes.h>

static size_t padded(size_t size)
{
    return (size + 7) & ~(size_t)7;
}

static bool is_zero(const unsigned char *bytes, size_t size)
{
    unsigned char any = 0;
    for (size_t i = 0; i < size; i++)
        any |= bytes[i];
    return any == 0;
}

static int bad(const struct pf_columns *walk, struct pf_error *error, const char *what)
{
    return pf_error_at(error, PF_FAILED, walk->offset,
                       "frame with a damaged column at byte %zu of its payload: %s", walk->at,
                       what);
}

/* Checks that the column's data and padding are inside the payload, and that the padding is
 * zero. */
static int check_extent(const struct pf_columns *walk, uint32_t bytes, struct pf_error *error)
{
    size_t left = walk->size - walk->at - PF_COLUMN_HEADER;

    if (bytes > left || padded(bytes) > left)
        return bad(walk, error, "the data end after the payload");
    if (!is_zero(walk->bytes + walk->at + PF_COLUMN_HEADER + bytes, padded(bytes) - bytes))
        return bad(walk, error, "the padding is not zero");
    return PF_OK;
}

int pf_columns_next(struct pf_columns *walk, struct pf_column *column, struct pf_error *error)
{
    while (walk->at < walk->size) {
        const unsigned char *p = walk->bytes + walk->at;
        if (walk->size - walk->at < PF_COLUMN_HEADER)
            return bad(walk, error, "less than the 16 bytes of a column header");
        uint16_t id = pf_load16le(p);
        uint8_t encoding = p[2], width = p[3];
        uint32_t bytes = pf_load32le(p + 4);
        int status = check_extent(walk, bytes, error);
        if (status < 0)
            return status;
        if (id <= walk->last)
            return bad(walk, error, "the column numbers do not rise");
        walk->last = id;
        bool skipped = (id & PF_COLUMN_MAY_SKIP) != 0 && (id < walk->known || id > walk->known_end);

        if (!skipped) {
            if (encoding != 0)
                return pf_error_at(error, PF_UNSUPPORTED, walk->offset,
                                   "column %u has encoding %u: needs a newer version", id,
                                   encoding);
            if (width > 8 || (width & (width - 1)) != 0)
                return bad(walk, error, "the width is not 0, 1, 2, 4 or 8");
            if (bytes != (uint64_t)width * walk->rows)
                return bad(walk, error, "the size is not rows times width");
        }
        walk->at += PF_COLUMN_HEADER + padded(bytes);
        if (!skipped) {
            *column = (struct pf_column){id, width, pf_load64le(p + 8), p + PF_COLUMN_HEADER};
            return PF_OK;
        }
    }
    return PF_EOF;
}

int pf_columns_begin(struct pf_columns *walk, uint32_t rows, uint64_t offset,
                     const unsigned char *payload, size_t size, bool tail, struct pf_error *error)
{
    struct pf_columns start = {payload, size, 0, rows, offset, -1, 0, 0};
    struct pf_column ends;

    *walk = start;
    if (!tail || size < PF_COLUMN_HEADER || pf_load16le(payload) != 1)
        return PF_OK;
    int status = pf_columns_next(walk, &ends, error);
    if (status != PF_OK)
        return status;
    uint64_t bytes = pf_column_value(&ends, rows - 1);
    if (bytes > size - walk->at)
        return bad(walk, error, "column 1 says that more bytes follow than there are");
    *walk = start;
    walk->size -= (size_t)bytes;
    return PF_OK;
}

static uint64_t max_stored(const struct pf_column *column, uint32_t rows)
{
    const unsigned char *restrict data = column->data;
    uint64_t wide = 0;
    uint32_t word = 0;
    uint16_t half = 0;
    uint8_t byte = 0;

    switch (column->width) {
    case 0: return 0;
    case 1:
        for (uint32_t i = 0; i < rows; i++)
            byte = data[i] > byte ? data[i] : byte;
        return byte;
    case 2:
        for (uint32_t i = 0; i < rows; i++) {
            uint16_t v = pf_load16le(data + 2 * (size_t)i);
            half = v > half ? v : half;
        }
        return half;
    case 4:
        for (uint32_t i = 0; i < rows; i++) {
            uint32_t v = pf_load32le(data + 4 * (size_t)i);
            word = v > word ? v : word;
        }
        return word;
    default:
        for (uint32_t i = 0; i < rows; i++) {
            uint64_t v = pf_load64le(data + 8 * (size_t)i);
            wide = v > wide ? v : wide;
        }
        return wide;
    }
}

bool pf_column_below(const struct pf_column *column, uint32_t rows, uint64_t limit)
{
    return column->minimum < limit && max_stored(column, rows) < limit - column->minimum;
}

uint64_t pf_column_value(const struct pf_column *column, uint32_t row)
{
    const unsigned char *p = column->data + (size_t)column->width * row;

    switch (column->width) {
    case 0: return column->minimum;
    case 1: return column->minimum + *p;
    case 2: return column->minimum + pf_load16le(p);
    case 4: return column->minimum + pf_load32le(p);
    default: return column->minimum + pf_load64le(p);
    }
}

void pf_column_ids(const struct pf_column *column, uint32_t first, uint32_t rows,
                   uint32_t *restrict ids)
{
    const unsigned char *restrict data = column->data + (size_t)column->width * first;
    uint32_t minimum = (uint32_t)column->minimum;

    switch (column->width) {
    case 0:
        for (uint32_t i = 0; i < rows; i++)
            ids[i] = minimum;
        break;
    case 1:
        for (uint32_t i = 0; i < rows; i++)
            ids[i] = minimum + data[i];
        break;
    case 2:
        for (uint32_t i = 0; i < rows; i++)
            ids[i] = minimum + pf_load16le(data + 2 * (size_t)i);
        break;
    case 4:
        for (uint32_t i = 0; i < rows; i++)
            ids[i] = minimum + pf_load32le(data + 4 * (size_t)i);
        break;
    default:
        for (uint32_t i = 0; i < rows; i++)
            ids[i] = minimum + (uint32_t)pf_load64le(data + 8 * (size_t)i);
        break;
    }
}

uint64_t pf_column_values(const struct pf_column *column, uint32_t first, uint32_t rows,
                          int64_t *restrict values)
{
    const unsigned char *restrict data = column->data + (size_t)column->width * first;
    uint64_t minimum = column->minimum, sum = 0;

    switch (column->width) {
    case 0:
        for (uint32_t i = 0; i < rows; i++)
            values[i] = (int64_t)minimum;
        break;
    case 1:
        for (uint32_t i = 0; i < rows; i++) {
            uint64_t v = data[i];
            sum += v;
            values[i] = (int64_t)(minimum + v);
        }
        break;
    case 2:
        for (uint32_t i = 0; i < rows; i++) {
            uint64_t v = pf_load16le(data + 2 * (size_t)i);
            sum += v;
            values[i] = (int64_t)(minimum + v);
        }
        break;
    case 4:
        for (uint32_t i = 0; i < rows; i++) {
            uint64_t v = pf_load32le(data + 4 * (size_t)i);
            sum += v;
            values[i] = (int64_t)(minimum + v);
        }
        break;
    default:
        for (uint32_t i = 0; i < rows; i++) {
            uint64_t v = pf_load64le(data + 8 * (size_t)i);
            sum += v;
            values[i] = (int64_t)(minimum + v);
        }
        break;
    }
    return sum;
}

void pf_column_remap(uint32_t *restrict ids, uint32_t rows, const uint32_t *restrict map)
{
    for (uint32_t i = 0; i < rows; i++)
        ids[i] = map[ids[i]];
}

static uint8_t width_of(uint64_t range)
{
    return range == 0            ? 0
           : range <= UINT8_MAX  ? 1
           : range <= UINT16_MAX ? 2
           : range <= UINT32_MAX ? 4
                                 : 8;
}

/* Appends a column header, room for the data, and zeroed padding; returns the room. NULL: out of
 * memory, and the buffer's `failed` is set. */
static unsigned char *append_header(struct pf_buffer *buffer, uint16_t id, uint8_t width,
                                    uint64_t minimum, uint32_t rows)
{
    size_t bytes = (size_t)width * rows;
    unsigned char *p = pf_buffer_extend(buffer, PF_COLUMN_HEADER + padded(bytes));
    if (!p)
        return NULL;
    pf_store16le(p, id);
    p[2] = 0;
    p[3] = width;
    pf_store32le(p + 4, (uint32_t)bytes);
    pf_store64le(p + 8, minimum);
    memset(p + PF_COLUMN_HEADER + bytes, 0, padded(bytes) - bytes);
    return p + PF_COLUMN_HEADER;
}

void pf_column_append_ids(struct pf_buffer *buffer, uint16_t id, const uint32_t *restrict ids,
                          uint32_t rows)
{
    uint32_t min = ids[0], max = ids[0];
    for (uint32_t i = 1; i < rows; i++) {
        min = ids[i] < min ? ids[i] : min;
        max = ids[i] > max ? ids[i] : max;
    }
    if (max == 0)
        return;
    uint8_t width = width_of(max - min);
    unsigned char *restrict data = append_header(buffer, id, width, min, rows);
    if (!data)
        return;
    if (width == 1)
        for (uint32_t i = 0; i < rows; i++)
            data[i] = (unsigned char)(ids[i] - min);
    else if (width == 2)
        for (uint32_t i = 0; i < rows; i++)
            pf_store16le(data + 2 * (size_t)i, (uint16_t)(ids[i] - min));
    else if (width == 4)
        for (uint32_t i = 0; i < rows; i++)
            pf_store32le(data + 4 * (size_t)i, ids[i] - min);
}

void pf_column_append_values(struct pf_buffer *buffer, uint16_t id, const int64_t *restrict values,
                             uint32_t rows)
{
    int64_t low = values[0], high = values[0];
    for (uint32_t i = 1; i < rows; i++) {
        low = values[i] < low ? values[i] : low;
        high = values[i] > high ? values[i] : high;
    }
    if (low == 0 && high == 0)
        return;
    uint64_t min = (uint64_t)low;
    uint8_t width = width_of((uint64_t)high - min);
    unsigned char *restrict data = append_header(buffer, id, width, min, rows);
    if (!data)
        return;
    if (width == 1)
        for (uint32_t i = 0; i < rows; i++)
            data[i] = (unsigned char)((uint64_t)values[i] - min);
    else if (width == 2)
        for (uint32_t i = 0; i < rows; i++)
            pf_store16le(data + 2 * (size_t)i, (uint16_t)((uint64_t)values[i] - min));
    else if (width == 4)
        for (uint32_t i = 0; i < rows; i++)
            pf_store32le(data + 4 * (size_t)i, (uint32_t)((uint64_t)values[i] - min));
    else if (width == 8)
        for (uint32_t i = 0; i < rows; i++)
            pf_store64le(data + 8 * (size_t)i, (uint64_t)values[i] - min);
}

/* --- totals ------------------------------------------------------------------------------------
 */

static pf_int128 sum_of(const int64_t *restrict values, uint32_t rows)
{
    uint64_t low = 0, high = 0;

    /* Sums low and high halves apart, so that the loop needs no carry: 2^32 rows fit. The sign bit
     * is inverted and subtracted at the end. */
    for (uint32_t i = 0; i < rows; i++) {
        uint64_t v = (uint64_t)values[i] ^ UINT64_C(1) << 63;
        low += (uint32_t)v;
        high += v >> 32;
    }
    return (pf_int128)high * ((pf_int128)1 << 32) + (pf_int128)low -
           (pf_int128)rows * ((pf_int128)1 << 63);
}

static int64_t greatest_of(const int64_t *restrict values, uint32_t rows)
{
    int64_t max = values[0];
    for (uint32_t i = 1; i < rows; i++)
        max = values[i] > max ? values[i] : max;
    return max;
}

void pf_total_add(struct pf_total *total, const int64_t *values, uint32_t rows)
{
    if (total->aggregation == PF_MAX) {
        int64_t max = greatest_of(values, rows);
        if (total->rows == 0 || max > total->amount)
            total->amount = max;
    } else {
        total->amount += sum_of(values, rows);
    }
    total->rows += rows;
}

void pf_total_add_column(struct pf_total *total, const struct pf_column *column,
                         const int64_t *values, uint32_t rows, uint64_t stored)
{
    int64_t minimum = (int64_t)column->minimum;

    /* needs that minimum + stored number did not wrap in any row */
    if (total->aggregation == PF_MAX || column->width == 8 || minimum > INT64_MAX - UINT32_MAX) {
        pf_total_add(total, values, rows);
        return;
    }
    total->amount += (pf_int128)minimum * rows + stored;
    total->rows += rows;
}

pf_int128 pf_total_amount(const struct pf_total *total, uint64_t records)
{
    if (total->aggregation == PF_MAX && total->rows < records && total->amount < 0)
        return 0;
    return total->amount;
}

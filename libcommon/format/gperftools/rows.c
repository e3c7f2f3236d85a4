#include "format/gperftools/gperftools.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/table.h"

#include <stdlib.h>
#include <string.h>

enum { SIMILAR = 32 }; /* one record in so many may differ */

int pf_gperftools_rows_init(struct pf_gperftools_rows *rows)
{
    return pf_strings_init(&rows->keys);
}

void pf_gperftools_rows_free(struct pf_gperftools_rows *rows)
{
    pf_strings_free(&rows->keys);
    pf_buffer_free(&rows->key);
    free(rows->rows);
}

int pf_gperftools_rows_add(struct pf_gperftools_rows *rows, uint32_t labels, const uint64_t *addresses, size_t depth,
                           const int64_t values[PF_GPERFTOOLS_VALUES], uint64_t offset, struct pf_error *error)
{
    rows->key.size = 0;
    pf_buffer_append(&rows->key, &labels, sizeof labels);
    pf_buffer_append(&rows->key, addresses, depth * sizeof *addresses);
    if (rows->key.failed)
        return pf_error_nomem(error);
    size_t k = pf_strings_intern(&rows->keys, (struct pf_bytes){rows->key.data, rows->key.size}, 0);

    if (k == 0)
        return pf_error_nomem(error);
    if (k > rows->count) {
        if (!pf_grow(&rows->rows, &rows->capacity, k, sizeof *rows->rows))
            return pf_error_nomem(error);
        memset(&rows->rows[rows->count], 0, (k - rows->count) * sizeof *rows->rows);
        rows->count = k;
    }
    struct pf_gperftools_row *row = &rows->rows[k - 1], sum = *row;

    for (size_t i = 0; i < PF_GPERFTOOLS_VALUES; i++)
        if (!pf_add64(sum.values[i], values[i], &sum.values[i]))
            return pf_error_at(error, PF_OVERFLOW, offset, "the sum of the records of this stack leaves 64 bits");
    if (sum.times++ == 0)
        sum.offset = offset;
    rows->records++;
    *row = sum;
    return PF_OK;
}

uint32_t pf_gperftools_rows_stack(const struct pf_gperftools_rows *rows, size_t k, const char **addresses, size_t *depth)
{
    struct pf_bytes key = pf_strings_bytes(&rows->keys, (uint32_t)k + 1);
    uint32_t labels;

    memcpy(&labels, key.data, sizeof labels);
    *addresses = key.data + sizeof labels;
    *depth = (key.size - sizeof labels) / sizeof(uint64_t);
    return labels;
}

static uint64_t load(const char *addresses, size_t k)
{
    uint64_t address;

    memcpy(&address, addresses + k * sizeof address, sizeof address);
    return address;
}

/* How many frames behind the leaf are removed; these have one place behind each other. */
static size_t skipped(const char *addresses, size_t depth, const uint64_t *removed, size_t count)
{
    size_t skip = 0;

    for (size_t k = 0; k < count; k++)
        skip += skip + 1 < depth && load(addresses, 1 + skip) == removed[k];
    return skip;
}

size_t pf_gperftools_rows_strip(const char *addresses, size_t depth, const uint64_t *removed, size_t count, uint64_t *to)
{
    size_t skip = skipped(addresses, depth, removed, count);

    for (size_t k = 0; k < depth; k++)
        if (k == 0 || k > skip)
            *to++ = load(addresses, k);
    return depth - skip;
}

uint64_t pf_gperftools_rows_handler(const struct pf_gperftools_rows *rows, const uint64_t *removed, size_t count, struct pf_error *error)
{
    struct pf_table seconds;
    uint64_t *times = NULL, found = 0, need = rows->records - rows->records / SIMILAR;
    size_t capacity = 0, known = 1;
    bool good = pf_table_init(&seconds, sizeof(uint64_t)) == PF_OK;

    for (size_t k = 0; good && k < rows->count && found == 0; k++) {
        const char *addresses;
        size_t depth;

        pf_gperftools_rows_stack(rows, k, &addresses, &depth);
        size_t at = 1 + skipped(addresses, depth, removed, count);

        if (at >= depth)
            continue;
        uint64_t address = load(addresses, at);
        uint32_t id = pf_table_intern(&seconds, &address);

        if (id == 0)
            continue;
        good = pf_grow(&times, &capacity, (size_t)id + 1, sizeof *times);
        if (!good)
            break;
        for (; known <= id; known++)
            times[known] = 0;
        times[id] += rows->rows[k].times;
        if (times[id] >= need)
            found = address;
    }
    if (!good || seconds.status != PF_OK)
        pf_error_nomem(error);
    pf_table_free(&seconds);
    free(times);
    return found;
}

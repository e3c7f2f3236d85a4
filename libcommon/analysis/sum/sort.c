#include "analysis/sum/sort.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

struct sorting {
    size_t size;
    int (*compare)(const void *arg, const void *a, const void *b);
    const void *arg;
};

static void merge(const struct sorting *sorting, char *rows, char *spare, size_t count)
{
    size_t size = sorting->size, half = count / 2;
    char *a = rows, *middle = rows + half * size, *b = middle, *end = rows + count * size,
         *out = spare;

    if (count < 2)
        return;
    merge(sorting, rows, spare, half);
    merge(sorting, middle, spare, count - half);
    if (sorting->compare(sorting->arg, middle - size, middle) <= 0)
        return;
    while (a < middle && b < end) {
        char **from = sorting->compare(sorting->arg, a, b) <= 0 ? &a : &b;
        memcpy(out, *from, size);
        out += size;
        *from += size;
    }
    memcpy(out, a, (size_t)(middle - a));
    memcpy(rows, spare, (size_t)(out - spare) + (size_t)(middle - a));
}

int pf_sort(void *rows, size_t count, size_t size,
            int (*compare)(const void *arg, const void *a, const void *b), const void *arg)
{
    const struct sorting sorting = {size, compare, arg};
    void *spare;

    if (count < 2)
        return PF_OK;
    spare = malloc(count * size);
    if (!spare)
        return PF_NOMEM;
    merge(&sorting, rows, spare, count);
    free(spare);
    return PF_OK;
}

/* Sorts with an argument for the comparison, which qsort of POSIX.1-2008 lacks. Stable; O(n log n)
 * in all cases. */
#ifndef PF_ANALYSIS_SUM_SORT_H
#define PF_ANALYSIS_SUM_SORT_H

#include "base/number.h"

#include <stddef.h>

/* Sorts `count` rows of `size` bytes; needs as much memory again. PF_OK or PF_NOMEM. */
int pf_sort(void *rows, size_t count, size_t size,
            int (*compare)(const void *arg, const void *a, const void *b), const void *arg);

/* Compares amounts: the greater magnitude first; of equal magnitudes the positive amount first. */
static inline int pf_compare_amounts(pf_int128 a, pf_int128 b)
{
    pf_uint128 x = a < 0 ? -(pf_uint128)a : (pf_uint128)a,
               y = b < 0 ? -(pf_uint128)b : (pf_uint128)b;

    if (x != y)
        return x > y ? -1 : 1;
    return a > b ? -1 : a < b;
}

#endif

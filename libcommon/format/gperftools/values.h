/* The numbers of heap and contention profiles: what a sample stands for. */
#ifndef PF_FORMAT_GPERFTOOLS_VALUES_H
#define PF_FORMAT_GPERFTOOLS_VALUES_H

#include "base/bytes.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

enum { PF_GPERFTOOLS_JAVA_PERIOD = 512 * 1024 };

/* A heap profile whose allocations were sampled, once in `period` bytes on average; 0 or 1: all of them. */
struct pf_gperftools_scale {
    int64_t period;
    bool both;    /* values are those allocated, and those in use */
    bool go;
    bool objects; /* growth, fragmentation */
};

/* KIND/RATE as the head has it; false: unknown. */
bool pf_gperftools_heap_kind(struct pf_bytes kind, struct pf_gperftools_scale *);

/* `numbers`: objects and bytes in use, those ever allocated. `size`: of a block. Values are scaled by 1/(1-exp(-bytes/objects/period)),
 * cut to whole numbers. PF_FAILED: bytes without objects; PF_OVERFLOW. */
int pf_gperftools_heap_values(const struct pf_gperftools_scale *, const int64_t numbers[4], int64_t *values, int64_t *size, uint64_t offset,
                              struct pf_error *);

struct pf_gperftools_clock {
    int64_t frequency, period; /* cycles a second, 0 = not known; one in so many contentions is counted */
    char resolution[32];       /* Java: the unit */
};

/* Contentions and their delay in nanoseconds, cut to a whole number: cycles * period / (frequency / 10^9), in double as pprof does it. */
int pf_gperftools_delay(const struct pf_gperftools_clock *, int64_t delay, int64_t count, int64_t *values, uint64_t offset, struct pf_error *);

#endif

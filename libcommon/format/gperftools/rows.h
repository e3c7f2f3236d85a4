/* The records of a profile: what was mapped, and what addresses are called, stands behind them, so they are held, equal ones added up. */
#ifndef PF_FORMAT_GPERFTOOLS_ROWS_H
#define PF_FORMAT_GPERFTOOLS_ROWS_H

#include "base/error.h"
#include "model/strings.h"

#include <stddef.h>
#include <stdint.h>

enum { PF_GPERFTOOLS_VALUES = 4 };

struct pf_gperftools_row {
    int64_t values[PF_GPERFTOOLS_VALUES];
    uint64_t times;  /* it stands in the file */
    uint64_t offset; /* of the first of them */
};

struct pf_gperftools_rows {
    struct pf_strings keys; /* labels and addresses; of row k that with id k + 1 */
    struct pf_gperftools_row *rows;
    size_t count, capacity;
    uint64_t records;       /* of the file */
    struct pf_buffer key;
};

int pf_gperftools_rows_init(struct pf_gperftools_rows *);
void pf_gperftools_rows_free(struct pf_gperftools_rows *);

/* Adds a record: addresses leaf first, at most PF_STACK_DEPTH_MAX. PF_OVERFLOW names the offset of the record. */
int pf_gperftools_rows_add(struct pf_gperftools_rows *, uint32_t labels, const uint64_t *addresses, size_t depth,
                           const int64_t values[PF_GPERFTOOLS_VALUES], uint64_t offset, struct pf_error *);

/* Labels and addresses of row k: *addresses (unaligned) is valid until more are added. */
uint32_t pf_gperftools_rows_stack(const struct pf_gperftools_rows *, size_t k, const char **addresses, size_t *depth);

/* Frames that most records have in second place are the signal handler's, as pprof has it: the address of the next such, or 0. `removed` are
 * those known so far. */
uint64_t pf_gperftools_rows_handler(const struct pf_gperftools_rows *, const uint64_t *removed, size_t count, struct pf_error *);

/* Copies addresses without the frames that are `removed`. Returns the depth. */
size_t pf_gperftools_rows_strip(const char *addresses, size_t depth, const uint64_t *removed, size_t count, uint64_t *to);

#endif

/* An interning table: rows of one fixed size, numbered from 1 in order of first sight. Row 0 always
 * stands for "none" and is all zero bytes, so an id can be followed without asking whether it is 0.
 * Rows are compared byte by byte: a row's padding must be zero. */
#ifndef PF_BASE_TABLE_H
#define PF_BASE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_table {
    char *rows; /* `count` rows, row 0 included; moves when the table grows */
    size_t row_size;
    uint32_t count;   /* next id */
    size_t capacity;  /* rows */
    uint32_t *slots;  /* open addressing; 0 = empty, else an id with bits of its hash above it */
    size_t slot_mask; /* number of slots - 1 */
    uint64_t seed;    /* of hashes */
    uint32_t indexed; /* rows before it have a slot */
    int status;       /* PF_OK, or PF_NOMEM, which stays */
};

/* PF_OK or PF_NOMEM. */
int pf_table_init(struct pf_table *, size_t row_size);
void pf_table_free(struct pf_table *);

/* Id of the row equal to `row`, added when new. 0 for the all-zero row, and for any new row once
 * memory or ids (2^32 - 2) ran out: `status` tells, so a loop may check it once at its end. */
uint32_t pf_table_intern(struct pf_table *, const void *row);

/* Id of the row equal to `row`, 0 when there is none. pf_table_hint before it, for several rows in
 * turn, saves waiting for memory: the searches of all of them go on side by side then. */
uint32_t pf_table_find(const struct pf_table *, const void *row);
void pf_table_hint(const struct pf_table *, const void *row);
/* A second step behind that one, where rows are many and long: what is likely the row itself. */
void pf_table_hint_row(const struct pf_table *, const void *row);

/* Adds `count` rows of which the caller knows that none is there yet, is zero, or equals another of
 * them: nothing is looked for. Id of the first, the others follow; 0 when memory or ids ran out. */
uint32_t pf_table_append(struct pf_table *, const void *rows, uint32_t count);
/* The same for rows that may never be looked for: only the next pf_table_intern or pf_table_append
 * does the work that makes them found, and pf_table_find misses them until then. Saves 75 ns a row
 * where that never happens (12 million rows of 32 bytes). */
uint32_t pf_table_append_unindexed(struct pf_table *, const void *rows, uint32_t count);

/* Only the rows before `count`, which is above 0, are left. Like unindexed ones they are not found
 * before the next pf_table_intern. */
void pf_table_truncate(struct pf_table *, uint32_t count);

static inline const void *pf_table_row(const struct pf_table *table, uint32_t id)
{
    return table->rows + (size_t)id * table->row_size;
}

#endif

/* An interning table: distinct rows of one fixed size, numbered from 1 in the order of their
 * first occurrence. Row 0 means "none" and is all zero bytes, so that id 0 needs no test before
 * its row is read. Rows are compared byte by byte: a row's padding must be zero. */
#ifndef PF_BASE_TABLE_H
#define PF_BASE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_table {
    char *rows; /* `count` rows with row 0; the address changes when the table grows */
    size_t row_size;
    uint32_t count;  /* next id */
    size_t capacity; /* rows */
    /* open addressing; 0: empty; else an id, and bits of its row's hash above it */
    uint32_t *slots;
    size_t slot_mask; /* number of slots - 1 */
    uint64_t seed;    /* seed of the hashes */
    uint32_t indexed; /* rows below this id have a slot */
    int status;       /* PF_OK, or PF_NOMEM, which stays */
};

/* Makes a table of rows of `row_size` bytes. PF_OK or PF_NOMEM; free in any case. */
int pf_table_init(struct pf_table *, size_t row_size);
void pf_table_free(struct pf_table *);

/* The id of the row equal to `row`, which is added if new. 0 for the all-zero row, and for new rows
 * after memory or ids (2^32 - 2) ran out: then `status` is PF_NOMEM, so a loop may check it once at
 * its end. */
uint32_t pf_table_intern(struct pf_table *, const void *row);

/* The id of the row equal to `row`, 0 if there is none. For several rows call pf_table_hint for
 * each of them first: then the waits for memory overlap. */
uint32_t pf_table_find(const struct pf_table *, const void *row);
void pf_table_hint(const struct pf_table *, const void *row);
/* A second step after pf_table_hint for many long rows: loads the row that probably matches. */
void pf_table_hint_row(const struct pf_table *, const void *row);

/* Adds `count` rows without searching. The rows must be new, distinct and not zero. Returns the id
 * of the first row, the others follow; 0 if memory or ids ran out. */
uint32_t pf_table_append(struct pf_table *, const void *rows, uint32_t count);
/* The same for rows that may never be searched: pf_table_find does not find them before the next
 * pf_table_intern or pf_table_append, which indexes them. Saves 75 ns a row if this never happens
 * (12 million rows of 32 bytes). */
uint32_t pf_table_append_unindexed(struct pf_table *, const void *rows, uint32_t count);

/* Removes all rows from `count` (above 0) on. The remaining rows are found as before. */
void pf_table_truncate(struct pf_table *, uint32_t count);

/* The row with an id below `count`, valid until the table grows. */
static inline const void *pf_table_row(const struct pf_table *table, uint32_t id)
{
    return table->rows + (size_t)id * table->row_size;
}

#endif

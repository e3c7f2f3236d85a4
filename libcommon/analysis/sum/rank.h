/* Rows of a table: flat and cumulative amounts per key, sorted, limited. */
#ifndef PF_ANALYSIS_SUM_RANK_H
#define PF_ANALYSIS_SUM_RANK_H

#include "analysis/names/key.h"
#include "analysis/sum/accumulate.h"
#include "analysis/sum/subject.h"

#include <stddef.h>
#include <stdint.h>

struct pf_row {
    uint32_t key;
    int64_t flat, cum; /* amounts of the subject's scale */
    int64_t calls;
};

/* Zero-initialise; free with pf_rank_free. */
struct pf_rank {
    struct pf_row *rows;
    size_t count;
    pf_int128 without; /* PF_BY_LABEL: amount of the records that have no such label */
    pf_int128 bound;   /* FLAT, EDGE: what no cum is greater than */
};

void pf_rank_free(struct pf_rank *);

/* Rows with anything but zeros, in no order. Records without a stack or place are in no row.
 * SAMPLE: cum of a key is the sum of the records whose stack has it, each once; labels: a record
 * counts once for each value, flat and cum alike, and one without the label in `without`. EDGE: cum
 * is the inclusive values of the edges into a function from others where edges have values of their
 * own as well, or what the subject is told; else, and of files, images and packages, flat plus
 * those of the edges out of it to others, and no more than the bound: the total, or what the rows
 * have of their own where that is more, for others have less than nothing. Lines and addresses of
 * the latter (and of FLAT, with inclusive values of edges): also those of edges into their own
 * function, but with them no more than that function has. For SAMPLE the subject's sums become
 * those of subtrees. PF_NOMEM; PF_OVERFLOW with the row when a sum overflows 64 bits. */
int pf_rank_make(struct pf_rank *, const struct pf_accumulator *, const struct pf_subject *,
                 struct pf_keys *, struct pf_error *);

enum pf_sort { PF_SORT_FLAT, PF_SORT_CUM, PF_SORT_CALLS, PF_SORT_NAME, PF_SORT_FILE };

/* By the names of --sort; false when there is none. */
bool pf_sort_find(const char *name, enum pf_sort *);
/* Numbers from the greatest magnitude down; equal rows by name, file and image. PF_OK or
 * PF_NOMEM. */
int pf_rank_sort(struct pf_rank *, const struct pf_keys *, enum pf_sort);

/* What a table leaves out: rows whose cum and flat are both less than `percent` of `whole`, and
 * those behind the first `limit` (0: no limit). */
struct pf_hidden {
    size_t shown, small, behind; /* rows shown, too small, behind the limit */
    pf_int128 flat;              /* of the rows left out */
    /* greatest share of one of them in percent, by the column sorted by (flat or cum) */
    double share;
};
void pf_rank_limit(struct pf_rank *, size_t limit, double percent, pf_int128 whole, enum pf_sort,
                   struct pf_hidden *);

/* 100 * amount / whole; 0 when the whole is. */
double pf_percent(pf_int128 amount, pf_int128 whole);

#endif

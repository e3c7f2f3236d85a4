/* The rows of a table: flat and cumulative amounts by key, sorted and limited. */
#ifndef PF_ANALYSIS_SUM_RANK_H
#define PF_ANALYSIS_SUM_RANK_H

#include "analysis/names/key.h"
#include "analysis/sum/accumulate.h"
#include "analysis/sum/subject.h"

#include <stddef.h>
#include <stdint.h>

struct pf_row {
    uint32_t key;
    int64_t flat, cum; /* amounts in the subject's scale */
    int64_t calls;
};

/* Zero-initialise; free with pf_rank_free. */
struct pf_rank {
    struct pf_row *rows;
    size_t count;
    pf_int128 without; /* PF_BY_LABEL: amount of the records without the label */
    pf_int128 bound;   /* FLAT, EDGE: the greatest possible cum; from INT64_MAX on: none */
};

void pf_rank_free(struct pf_rank *);

/* Computes the rows that have any amount, in no order. Records without a stack or location are in
 * no row. The flat amount of a key is the sum of its self values. The cumulative amount is:
 *
 * - SAMPLE: the sum of the records whose stack has the key, each record once.
 * - By label: the flat amount. A record counts once for each different value of the label; records
 *   without the label are counted in rank->without.
 * - EDGE, if FLAT records have inclusive totals of functions (subject->told): these totals, except
 *   by file, image and package.
 * - EDGE, if self values are FLAT, and by file, image and package: flat plus the inclusive values
 *   of calls out of the key to others. If a row is one function and has no flat amount, the
 *   inclusive values of the calls into it count instead if their magnitude is greater.
 * - EDGE else: the inclusive values of calls into the key from others.
 * - FLAT: the inclusive values, else flat. By line and address, if calls have the inclusive values:
 *   flat plus those of the calls made there.
 *
 * Lines and addresses that call their own function count these calls too, but have at most the
 * amount of the function. For FLAT and EDGE no cumulative amount exceeds rank->bound: the total, or
 * the sum of the positive flat amounts if this is greater; for a difference that of the side after,
 * less the negative amounts before. For SAMPLE the subject's sums become those of subtrees. PF_OK;
 * PF_NOMEM; PF_OVERFLOW, naming the row, if a sum overflows 64 bits. */
int pf_rank_make(struct pf_rank *, const struct pf_accumulator *, const struct pf_subject *,
                 struct pf_keys *, struct pf_error *);

enum pf_sort { PF_SORT_FLAT, PF_SORT_CUM, PF_SORT_CALLS, PF_SORT_NAME, PF_SORT_FILE };

/* Finds an order by its name for --sort; false if unknown. */
bool pf_sort_find(const char *name, enum pf_sort *);
/* Sorts the rows: amounts from the greatest magnitude down; equal rows by name, file and image.
 * PF_OK or PF_NOMEM. */
int pf_rank_sort(struct pf_rank *, const struct pf_keys *, enum pf_sort);

/* The rows that pf_rank_limit left out. */
struct pf_hidden {
    size_t shown, small, behind; /* number of rows shown, too small, beyond the limit */
    pf_int128 flat;              /* sum over the rows left out */
    /* the greatest share of a row left out, in percent of `whole`: of its cum if sorted by cum,
     * else of its flat */
    double share;
};
/* Removes rows whose flat and cum are both less than `percent` of `whole`, and rows after the first
 * `limit` (0: no limit). */
void pf_rank_limit(struct pf_rank *, size_t limit, double percent, pf_int128 whole, enum pf_sort,
                   struct pf_hidden *);

/* 100 * amount / whole; 0 if `whole` is 0. */
double pf_percent(pf_int128 amount, pf_int128 whole);

#endif

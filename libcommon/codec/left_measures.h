/* Records that count nothing a format with room for few measures writes. The inputs note which measures their records have, the
 * writer says which ones it has written. */
#ifndef PF_CODEC_LEFT_MEASURES_H
#define PF_CODEC_LEFT_MEASURES_H

#include "model/batch.h"
#include "model/dict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PF_HELD_MEASURES = 16 };

/* What a writer has written, where it has no room for other measures. A part of struct pf_writer, zero at first. */
struct pf_held_measures {
    struct pf_measure rows[PF_HELD_MEASURES];
    size_t count;
};

void pf_held_measures_add(struct pf_held_measures *, const struct pf_measure *);

/* How many records have which measures. Zero-initialise. */
struct pf_left_measures {
    struct pf_measure_set {
        uint32_t *measures;
        uint32_t count;
        enum pf_kind kind;
        uint64_t rows;
        const char *input; /* borrowed: the first with such records */
    } *sets;
    size_t count, capacity, last;
};

void pf_left_measures_free(struct pf_left_measures *);
/* Counts a batch; the name of its input must stay. PF_OK or PF_NOMEM. */
int pf_left_measures_add(struct pf_left_measures *, const struct pf_batch *, const char *input);
/* The records that have none of the measures held, where others have one: how many of *all, and the input of the first. */
uint64_t pf_left_measures_count(const struct pf_left_measures *, const struct pf_dict *, const struct pf_held_measures *, uint64_t *all,
                                const char **input);

#endif

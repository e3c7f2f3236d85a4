/* The labels of records that a format has no place for: told once, by their keys. */
#ifndef PF_CODEC_LEFT_LABELS_H
#define PF_CODEC_LEFT_LABELS_H

#include "model/batch.h"
#include "model/dict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_writer;

enum { PF_LEFT_KEYS = 16 }; /* that are told by name */

/* A part of struct pf_writer, zero at first. */
struct pf_left_labels {
    bool *seen;     /* by set of labels */
    size_t seen_count, seen_capacity;
    bool *met;      /* by string: it is a key of them */
    size_t met_count, met_capacity;
    uint32_t keys[PF_LEFT_KEYS]; /* the first, in the order they were met in */
    size_t key_count; /* of all */
    bool of_samples; /* some are of stacks */
};

/* Asks the format of each label in the batch that was not met before. PF_OK or PF_NOMEM. */
int pf_left_labels_add(struct pf_writer *, const struct pf_batch *);
/* The warning, where there is anything to tell. */
void pf_left_labels_tell(struct pf_writer *);
void pf_left_labels_free(struct pf_left_labels *);

/* The holds_label of a format without labels. */
bool pf_holds_no_label(struct pf_writer *, const struct pf_label *);

#endif

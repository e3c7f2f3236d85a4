/* Maps each label set to the set of those of its labels that keep records apart. */
#ifndef PF_ANALYSIS_MERGE_LABELS_H
#define PF_ANALYSIS_MERGE_LABELS_H

#include "analysis/merge/map.h"
#include "model/dict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialise, set dict; free with pf_merge_labels_free. */
struct pf_merge_labels {
    struct pf_dict *dict;
    bool only;      /* true: only labels with these keys stay; false: labels with these keys go */
    uint32_t *keys; /* string ids */
    size_t count, capacity;
    struct pf_merge_ids sets; /* by label set: the set of the labels that stay */
};

void pf_merge_labels_free(struct pf_merge_labels *);
/* Adds a key to the list. Call before the first pf_merge_labels_extend. PF_OK or PF_NOMEM. */
int pf_merge_labels_add(struct pf_merge_labels *, uint32_t key);
/* Sets `only` and adds the keys, which are separated by commas; "" keeps no label. PF_OK or
 * PF_NOMEM. */
int pf_merge_labels_only(struct pf_merge_labels *, const char *keys);
/* True if labels with this key stay. */
bool pf_merge_labels_stay(const struct pf_merge_labels *, uint32_t key);
/* Maps the sets that the dictionary got since the last call. PF_OK or PF_NOMEM. */
int pf_merge_labels_extend(struct pf_merge_labels *);

#endif

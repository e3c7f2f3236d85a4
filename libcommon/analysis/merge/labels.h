/* Which labels keep records apart. Every set of labels is mapped once. */
#ifndef PF_ANALYSIS_MERGE_LABELS_H
#define PF_ANALYSIS_MERGE_LABELS_H

#include "analysis/merge/map.h"
#include "model/dict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialise but for `dict`; free with pf_merge_labels_free. */
struct pf_merge_labels {
    struct pf_dict *dict;
    bool only;      /* labels of these keys stay; else they go */
    uint32_t *keys; /* strings */
    size_t count, capacity;
    struct pf_merge_ids sets;
};

void pf_merge_labels_free(struct pf_merge_labels *);
/* One more key; before the first label is met. PF_OK or PF_NOMEM. */
int pf_merge_labels_add(struct pf_merge_labels *, uint32_t key);
/* Only these stay: keys separated by commas, or none. PF_OK or PF_NOMEM. */
int pf_merge_labels_only(struct pf_merge_labels *, const char *keys);
/* Maps the sets that the dictionary has got since the last time. PF_OK or PF_NOMEM. */
int pf_merge_labels_extend(struct pf_merge_labels *);

#endif

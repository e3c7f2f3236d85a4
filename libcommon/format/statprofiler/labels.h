/* Label sets of samples: the op, and one label for each section that is open. */
#ifndef PF_FORMAT_STATPROFILER_LABELS_H
#define PF_FORMAT_STATPROFILER_LABELS_H

#include "format/statprofiler/events.h"
#include "model/dict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_sp_label_slot {
    uint32_t sections, op, labels; /* op 0: free */
};

struct pf_sp_labels {
    struct pf_sp_open open; /* sections, in order of opening */
    uint32_t *sets;         /* sets[i] holds the first i + 1 of them */
    size_t set_capacity;
    uint32_t op_key;
    struct pf_sp_label_slot *slots; /* sets with an op, by that op and the set without it */
    size_t mask, used;
    uint64_t seed; /* of hashes */
};

bool pf_sp_labels_open(struct pf_sp_labels *, struct pf_dict *); /* false: no memory; close in any case */
void pf_sp_labels_close(struct pf_sp_labels *);

bool pf_sp_labels_start(struct pf_sp_labels *, struct pf_dict *, uint32_t name); /* false: no memory */
/* Closes the section of that name that was opened last; false when there is none. */
bool pf_sp_labels_end(struct pf_sp_labels *, struct pf_dict *, uint32_t name);

/* The set of the open sections and the op (a string, 0 = none), ordered as pf_dict_add_label would. False: no memory. Every op
 * has sets of its own for the sections: `used` counts them. */
bool pf_sp_labels_find(struct pf_sp_labels *, struct pf_dict *, uint32_t op, uint32_t *labels);

#endif

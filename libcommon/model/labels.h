/* Collects the labels of a record and adds them as one set. (Adding them one by one would intern
 * a set for each.) */
#ifndef PF_MODEL_LABELS_H
#define PF_MODEL_LABELS_H

#include "base/error.h"
#include "model/dict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PF_LABELS_MAX = 65535 }; /* labels in one set: the limit of the native stream */

/* Zero-initialise; free with pf_labels_free. */
struct pf_labels {
    struct pf_labels_item {
        struct pf_label label;
        struct pf_bytes key, text; /* its strings, for sorting */
        bool section;
        size_t place; /* order of adding */
    } * items;
    size_t count, capacity;
};

void pf_labels_free(struct pf_labels *);

/* Add a label, as pf_dict_add_label and pf_dict_add_number do, to the set that pf_labels_take will
 * make. False: out of memory. */
bool pf_labels_add(struct pf_labels *, const struct pf_dict *, uint32_t key, uint32_t text);
bool pf_labels_add_number(struct pf_labels *, const struct pf_dict *, uint32_t key, int64_t number,
                          uint32_t unit);
/* Adds all labels of a set. False: out of memory. */
bool pf_labels_add_set(struct pf_labels *, const struct pf_dict *, uint32_t set);
/* Makes the set, in the order of pf_dict_add_label, and empties the list. Failures are in
 * pf_dict_status. */
uint32_t pf_labels_take(struct pf_labels *, struct pf_dict *);
/* The same for labels at `offset` of an input. PF_OK with *set; PF_FAILED in `error` if there are
 * more than PF_LABELS_MAX. */
int pf_labels_take_checked(struct pf_labels *, struct pf_dict *, uint32_t *set, struct pf_error *,
                           uint64_t offset);

#endif

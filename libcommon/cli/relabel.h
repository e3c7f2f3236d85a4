/* Labels that every record gets in place of its own labels of the same key: --set-label gives key
 * and value, --label-source gives the name of the input. */
#ifndef PF_CLI_RELABEL_H
#define PF_CLI_RELABEL_H

#include "cli/common.h"
#include "model/batch.h"
#include "model/dict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero: no record changes. Free with pf_relabel_free. */
struct pf_relabel {
    struct pf_dict *dict;
    struct pf_set_label {
        uint32_t key, value;
    } * set;
    size_t set_count;
    uint32_t source_key;  /* string; 0: no --label-source */
    const char *source;   /* name of the input, borrowed */
    uint32_t *relabelled; /* label set -> set with our labels + 1; 0: not made yet */
    size_t relabelled_capacity, relabelled_count;
    uint32_t column[PF_BATCH_ROWS];
};

/* Reads the options. Exits 2 where --set-label is not KEY=VALUE. */
void pf_relabel_read(struct pf_relabel *, struct pf_common *, struct pf_dict *);
void pf_relabel_free(struct pf_relabel *);

bool pf_relabel_active(const struct pf_relabel *);
/* An input of this name begins; the name is borrowed. */
void pf_relabel_input(struct pf_relabel *, const char *name);
/* Replaces the labels of a batch of records; they are valid until the next call. PF_OK or PF_NOMEM.
 */
int pf_relabel_batch(struct pf_relabel *, struct pf_batch *);

#endif

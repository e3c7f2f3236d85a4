/* Things that are the same in several forms: the forms of each, the first that was met and the
 * least. */
#ifndef PF_ANALYSIS_NAMES_FORMS_H
#define PF_ANALYSIS_NAMES_FORMS_H

#include "analysis/names/id_map.h"
#include "base/table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_form {
    uint32_t first, least; /* ids: the one that stands for all, the one that is given */
};

/* Zero-initialise; free with pf_forms_free. */
struct pf_forms {
    struct pf_table keys; /* what forms of one thing have in common */
    struct pf_form *rows; /* by id of the key */
    size_t capacity;
    struct pf_id_map of; /* id of the key, by id */
};

/* PF_OK or PF_NOMEM; free in any case. */
int pf_forms_init(struct pf_forms *, size_t key_size);
void pf_forms_free(struct pf_forms *);
/* Enters an id under its key; the forms it belongs to, valid until the next call, or NULL when out
 * of memory. `least` is the caller's. */
struct pf_form *pf_forms_enter(struct pf_forms *, const void *key, uint32_t id);
/* The forms an id belongs to; NULL: it was not entered. */
struct pf_form *pf_forms_of(const struct pf_forms *, uint32_t id);
/* Whether no least form is another than the first. */
bool pf_forms_settled(const struct pf_forms *);

#endif

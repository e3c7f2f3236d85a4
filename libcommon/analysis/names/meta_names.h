/* Renames files and functions in a format's private metadata, like those of the records. */
#ifndef PF_ANALYSIS_NAMES_META_NAMES_H
#define PF_ANALYSIS_NAMES_META_NAMES_H

#include "codec/format.h"
#include "model/dict.h"

#include <stdint.h>

/* The format of an origin: its name is before the first dot, or after the dot of a private
 * origin. NULL: none. */
const struct pf_format *pf_meta_owner(struct pf_bytes origin);

/* Functions that edit names. Strings; out of memory: 0, and the dictionary's status is set. */
struct pf_meta_edit {
    uint32_t (*file)(void *context, uint32_t name);
    uint32_t (*function)(void *context, uint32_t name);
    void *context;
};

/* Edits the name in a row of metadata, if any. Failures are in the dictionary's status. */
void pf_meta_rename(struct pf_dict *, const struct pf_meta_edit *, uint32_t origin, uint32_t *key,
                    uint32_t *value);

#endif

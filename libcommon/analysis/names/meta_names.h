/* What metadata that belong to a format say: the run time, and names of files and functions, which
 * can be edited. */
#ifndef PF_ANALYSIS_NAMES_META_NAMES_H
#define PF_ANALYSIS_NAMES_META_NAMES_H

#include "codec/format.h"
#include "codec/merging.h"
#include "model/dict.h"

#include <stdint.h>

/* The rules of the format that an origin belongs to: the format's name is the text before the first
 * dot, or in a private origin the text after its leading dot. NULL: no such format, or no rules. */
const struct pf_merging *pf_meta_rules(struct pf_bytes origin);

/* The run time in nanoseconds that a row of metadata adds to that of its input, as its format says
 * (codec/merging.h); 0 for most rows. */
int64_t pf_meta_duration(const struct pf_dict *, uint32_t origin, uint32_t key, uint32_t value);

/* The records that a row of metadata describes, as its format says. */
enum pf_meta_place pf_meta_place(struct pf_bytes origin, struct pf_bytes key);
/* The time at which a run began, in nanoseconds since 1970 UTC, if the row has it. */
enum pf_meta_time pf_meta_start(const struct pf_dict *, uint32_t origin, uint32_t key,
                                uint32_t value, int64_t *time);

/* Functions that edit names. Names are strings; if memory runs out they return 0, and the
 * dictionary's status is set. */
struct pf_meta_edit {
    uint32_t (*file)(void *context, uint32_t name);
    uint32_t (*function)(void *context, uint32_t name);
    void *context;
};

/* Edits the name in a row of metadata, if there is one. Failures are in pf_dict_status. */
void pf_meta_rename(struct pf_dict *, const struct pf_meta_edit *, uint32_t origin, uint32_t *key,
                    uint32_t *value);

#endif

/* What rows of metadata say of a profile, for whoever writes one. */
#ifndef PF_FORMAT_PPROF_FACTS_H
#define PF_FORMAT_PPROF_FACTS_H

#include "base/error.h"
#include "format/pprof/places.h"
#include "model/batch.h"

struct pf_pprof_facts {
    int64_t time, duration, period;
    bool has_time, has_period;
    uint32_t period_type, period_unit, drop_frames, keep_frames, default_type, doc_url; /* strings of the dictionary */
    uint32_t *comments;
    size_t comment_count, comment_capacity;
    bool from_pprof, from_others;  /* what the inputs were */
    bool other_periods;
};

void pf_pprof_facts_free(struct pf_pprof_facts *);
/* Takes a batch of metadata: the earliest time, the sum of durations, the longest period (of the type met first), all comments, else what was
 * said first. Mappings get the next numbers. PF_OK, PF_NOMEM, PF_OVERFLOW. */
int pf_pprof_facts_add(struct pf_pprof_facts *, struct pf_pprof_places *, const struct pf_batch *, struct pf_error *);

#endif

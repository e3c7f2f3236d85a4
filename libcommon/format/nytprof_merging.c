#include "format/nytprof_merging.h"

#include "format/nytprof_meta.h"

/* Attributes that a writer counts or adds up, and what it needs of each input's files, subs and processes. The number of a
 * source text's file says which text follows, and nothing does any more. */
static enum pf_meta_rule rule(struct pf_bytes origin, struct pf_bytes key)
{
    if (pf_bytes_equal(origin, PF_BYTES(PF_NYT_ATTRIBUTE_ORIGIN)))
        return pf_bytes_equal(key, PF_BYTES("application")) || pf_bytes_equal(key, PF_BYTES("cumulative_overhead_ticks"))
                   ? PF_META_EACH
                   : PF_META_ONCE;
    if (!pf_bytes_equal(origin, PF_BYTES(PF_NYT_PRIVATE_ORIGIN)))
        return PF_META_ONCE;
    return key.size >= 6 && memcmp(key.data, "source", 6) == 0 ? PF_META_SINGLE : PF_META_EACH;
}

const struct pf_merging pf_nyt_merging = {.rule = rule};

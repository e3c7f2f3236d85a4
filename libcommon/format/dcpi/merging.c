#include "format/dcpi/dcpi.h"

/* The layout of the chunks and the totals belong to one file; a separator belongs to the header line behind it. */
static enum pf_meta_rule rule(struct pf_bytes origin, struct pf_bytes key)
{
    bool hidden = origin.size > 0 && origin.data[0] == '.';

    if (hidden && (pf_bytes_equal(key, PF_BYTES("chunks")) || pf_bytes_equal(key, PF_BYTES("footer"))))
        return PF_META_SINGLE;
    return hidden && pf_bytes_equal(key, PF_BYTES("separator")) ? PF_META_PREFIX : PF_META_EACH;
}

const struct pf_merging pf_dcpi_merging = {.rule = rule};

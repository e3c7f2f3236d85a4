#include "format/dcpi_merging.h"

/* How chunks lay in a file, and its totals, are of that file. */
static enum pf_meta_rule rule(struct pf_bytes origin, struct pf_bytes key)
{
    bool hidden = origin.size > 0 && origin.data[0] == '.';

    return hidden && (pf_bytes_equal(key, PF_BYTES("chunks")) || pf_bytes_equal(key, PF_BYTES("footer"))) ? PF_META_SINGLE
                                                                                                          : PF_META_EACH;
}

const struct pf_merging pf_dcpi_merging = {.rule = rule};

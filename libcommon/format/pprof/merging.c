#include "format/pprof/merging.h"

#include "base/number.h"
#include "format/pprof/profile.h"

/* The writer takes the earliest time, the sum of the durations and the longest period, as pprof does (formats page, section 4). How
 * mappings stood in a file is of that file. */
static enum pf_meta_rule rule(struct pf_bytes origin, struct pf_bytes key)
{
    if (!pf_bytes_equal(origin, PF_BYTES(PF_PPROF_ORIGIN)))
        return PF_META_SINGLE;
    return pf_bytes_equal(key, PF_BYTES("duration_nanos")) ? PF_META_EACH : PF_META_ONCE;
}

static int64_t duration(struct pf_bytes origin, struct pf_bytes key, struct pf_bytes value)
{
    int64_t nanoseconds;

    return pf_bytes_equal(origin, PF_BYTES(PF_PPROF_ORIGIN)) && pf_bytes_equal(key, PF_BYTES("duration_nanos")) &&
                   pf_parse_int(value, 0, INT64_MAX, &nanoseconds)
               ? nanoseconds
               : 0;
}

const struct pf_merging pf_pprof_merging = {.rule = rule, .duration = duration};

#include "format/nytprof/merging.h"

#include "format/nytprof/wire.h"

#include <stdlib.h>

/* Attributes that a writer counts or adds up, and what it needs of each input's files, subs and processes. The number of a
 * source text's file says which text follows, and in a merge none does. */
static enum pf_meta_rule rule(struct pf_bytes origin, struct pf_bytes key)
{
    static const char *const of_each[] = {"application", "cumulative_overhead_ticks", "ticks_per_sec"};

    if (pf_bytes_equal(origin, PF_BYTES(PF_NYT_PRIVATE_ORIGIN)))
        return pf_bytes_starts(key, PF_BYTES("source")) ? PF_META_NEVER : PF_META_EACH;
    for (size_t k = 0; k < sizeof of_each / sizeof *of_each; k++)
        if (pf_bytes_equal(origin, PF_BYTES(PF_NYT_ATTRIBUTE_ORIGIN)) && pf_bytes_equal(key, pf_bytes_of(of_each[k])))
            return PF_META_EACH;
    return PF_META_ONCE;
}

static enum pf_meta_name names(struct pf_bytes origin, struct pf_bytes key)
{
    if (!pf_bytes_equal(origin, PF_BYTES(PF_NYT_PRIVATE_ORIGIN)))
        return PF_META_NO_NAME;
    if (pf_bytes_starts(key, PF_BYTES("fid ")) || pf_bytes_starts(key, PF_BYTES(PF_NYT_RENAMED "fid ")))
        return PF_META_FILE;
    return pf_bytes_starts(key, PF_BYTES("sub ")) || pf_bytes_equal(key, PF_BYTES("xsub")) ? PF_META_FUNCTION : PF_META_NO_NAME;
}

/* `start PID PPID TIME` and `end PID TIME`: the time is that of a double in seconds. */
static int64_t duration(struct pf_bytes origin, struct pf_bytes key, struct pf_bytes value)
{
    enum { DIGITS = 16 };
    bool end = pf_bytes_starts(key, PF_BYTES("end ")), start = pf_bytes_starts(key, PF_BYTES("start "));
    char digits[DIGITS + 1] = "";
    uint64_t bits;
    double seconds;

    (void)value;
    if (!pf_bytes_equal(origin, PF_BYTES(PF_NYT_PRIVATE_ORIGIN)) || !(start || end) || key.size < DIGITS)
        return 0;
    memcpy(digits, key.data + key.size - DIGITS, DIGITS);
    bits = strtoull(digits, NULL, 16);
    memcpy(&seconds, &bits, sizeof seconds);
    if (!(seconds > 0 && seconds < 1e10))
        return 0;
    return (int64_t)(seconds * 1e9) * (end ? 1 : -1);
}

const struct pf_merging pf_nyt_merging = {.rule = rule, .duration = duration, .own_label = "fid",
                                           .names = names, .renamed = PF_NYT_RENAMED};

/* The rules for the metadata of NYTProf streams in a merge (formats page, section 1.15). */
#include "base/calendar.h"
#include "base/scan.h"
#include "format/nytprof/wire.h"

/* The writer counts or adds up some attributes, and needs the files, subs and processes of each
 * input. A `source` row belongs to the text after it, and in a merge no text follows the
 * metadata. */
static enum pf_meta_rule rule(struct pf_bytes origin, struct pf_bytes key)
{
    static const char *const of_each[] = {"application", "cumulative_overhead_ticks",
                                          "ticks_per_sec"};

    if (pf_bytes_equal(origin, PF_BYTES(PF_NYT_PRIVATE_ORIGIN)))
        return pf_bytes_starts(key, PF_BYTES("source")) ? PF_META_NEVER : PF_META_EACH;
    for (size_t k = 0; k < sizeof of_each / sizeof *of_each; k++)
        if (pf_bytes_equal(origin, PF_BYTES(PF_NYT_ATTRIBUTE_ORIGIN)) &&
            pf_bytes_equal(key, pf_bytes_of(of_each[k])))
            return PF_META_EACH;
    return PF_META_ONCE;
}

static enum pf_meta_name names(struct pf_bytes origin, struct pf_bytes key)
{
    if (!pf_bytes_equal(origin, PF_BYTES(PF_NYT_PRIVATE_ORIGIN)))
        return PF_META_NO_NAME;
    if (pf_bytes_starts(key, PF_BYTES("fid ")) ||
        pf_bytes_starts(key, PF_BYTES(PF_NYT_RENAMED "fid ")))
        return PF_META_FILE;
    return pf_bytes_starts(key, PF_BYTES("sub ")) || pf_bytes_equal(key, PF_BYTES("xsub"))
               ? PF_META_FUNCTION
               : PF_META_NO_NAME;
}

/* The time in the keys `start PID PPID TIME` and `end PID TIME` is the bits of a double in
 * seconds. */
static int64_t duration(struct pf_bytes origin, struct pf_bytes key, struct pf_bytes value)
{
    enum { DIGITS = 16 };
    bool end = pf_bytes_starts(key, PF_BYTES("end ")),
         start = pf_bytes_starts(key, PF_BYTES("start "));
    uint64_t bits;

    (void)value;
    if (!pf_bytes_equal(origin, PF_BYTES(PF_NYT_PRIVATE_ORIGIN)) || !(start || end) ||
        key.size < DIGITS || !pf_parse_hex(pf_bytes_skip(key, key.size - DIGITS), &bits))
        return 0;
    double seconds = pf_double_of(bits);
    if (!(seconds > 0 && seconds < 1e10))
        return 0;
    return (int64_t)(seconds * 1e9) * (end ? 1 : -1);
}

/* These attributes describe the whole file; nytprofmerge writes them at its end. */
static enum pf_meta_place place(struct pf_bytes origin, struct pf_bytes key)
{
    static const char *const late[] = {"application", "basetime", "cumulative_overhead_ticks"};

    (void)origin;
    for (size_t k = 0; k < sizeof late / sizeof *late; k++)
        if (pf_bytes_equal(key, pf_bytes_of(late[k])))
            return PF_META_WHOLE;
    return pf_bytes_equal(key, PF_BYTES("comment")) ? PF_META_LIST : PF_META_FROM_HERE;
}

static enum pf_meta_time start(struct pf_bytes origin, struct pf_bytes key, struct pf_bytes value,
                               int64_t *time)
{
    return pf_bytes_equal(origin, PF_BYTES(PF_NYT_ATTRIBUTE_ORIGIN)) &&
                   pf_bytes_equal(key, PF_BYTES("basetime")) && pf_time_parse_seconds(value, time)
               ? PF_META_IS_TIME
               : PF_META_NO_TIME;
}

const struct pf_merging pf_nyt_merging = {.rule = rule,
                                          .duration = duration,
                                          .place = place,
                                          .start = start,
                                          .start_late = true,
                                          .own_label = "fid",
                                          .names = names,
                                          .renamed = PF_NYT_RENAMED};

#include "format/pynytprof/merging.h"

#include "format/pynytprof/pynytprof.h"

/* Numbers of subs are of one file. What is known of files stays, input by input: the version begins each of them. */
static enum pf_meta_rule rule(struct pf_bytes origin, struct pf_bytes key)
{
    if (!pf_bytes_equal(origin, PF_BYTES(PF_PYN_PRIVATE)))
        return PF_META_ONCE;
    return pf_bytes_equal(key, PF_BYTES(PF_PYN_SUB)) ? PF_META_NEVER : PF_META_EACH;
}

static enum pf_meta_name names(struct pf_bytes origin, struct pf_bytes key)
{
    if (!pf_bytes_equal(origin, PF_BYTES(PF_PYN_PRIVATE)))
        return PF_META_NO_NAME;
    if (pf_bytes_equal(key, PF_BYTES(PF_PYN_FILE)))
        return PF_META_FILE;
    return pf_bytes_equal(key, PF_BYTES(PF_PYN_SUB)) ? PF_META_FUNCTION : PF_META_NO_NAME;
}

/* Behind the numbers, each with a blank. */
static size_t name_at(struct pf_bytes key, struct pf_bytes value)
{
    size_t numbers = pf_bytes_equal(key, PF_BYTES(PF_PYN_FILE)) ? PF_PYN_FILE_NUMBERS : PF_PYN_SUB_NUMBERS, at = 0;

    for (size_t k = 0; k < numbers && at < value.size; k++) {
        const char *blank = memchr(value.data + at, ' ', value.size - at);

        at = blank != NULL ? (size_t)(blank - value.data) + 1 : value.size;
    }
    return at;
}

const struct pf_merging pf_pyn_merging = {.rule = rule, .names = names, .name_at = name_at};

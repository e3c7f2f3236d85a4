#include "format/statprofiler/statprofiler.h"

#include "base/hash.h"
#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>

/* Hexadecimal digits of an id: process, thread, time of start, three random words (formats page, section 7). */
enum { WORD = 8, ID = 6 * WORD };

static enum pf_meta_rule rule(struct pf_bytes origin, struct pf_bytes key)
{
    static const char *const of_a_process[] = {"ordinal", "parent_id", "parent_ordinal"};

    if (origin.size > 0 && origin.data[0] == '.')
        return PF_META_NEVER;
    if (!pf_bytes_equal(origin, PF_BYTES("statprofiler")))
        return PF_META_ONCE;
    for (size_t k = 0; k < sizeof of_a_process / sizeof *of_a_process; k++)
        if (pf_bytes_equal(key, pf_bytes_of(of_a_process[k])))
            return PF_META_SAME;
    return pf_bytes_equal(key, PF_BYTES("process_id")) ? PF_META_IDENTITY : PF_META_ONCE;
}

/* XXH64 with `salt` before the ids. False: out of memory. */
static bool hash_ids(const struct pf_bytes *ids, size_t count, char salt, uint64_t *hash)
{
    struct pf_buffer text = {0};
    bool good;

    pf_buffer_byte(&text, (unsigned char)salt);
    for (size_t k = 0; k < count; k++)
        pf_buffer_append(&text, ids[k].data, ids[k].size);
    good = !text.failed;
    if (good)
        *hash = pf_xxh64(text.data, text.size);
    pf_buffer_free(&text);
    return good;
}

/* Threads are numbered from 2, so 0 tells a merge. The earliest start stays a time: readers find the byte order by it. */
static bool make(const struct pf_bytes *ids, size_t count, char text[PF_IDENTITY_TEXT])
{
    const char *start = NULL;
    uint64_t a, b;

    if (!hash_ids(ids, count, 'a', &a) || !hash_ids(ids, count, 'b', &b))
        return false;
    for (size_t k = 0; k < count; k++)
        if (ids[k].size == ID && (start == NULL || memcmp(ids[k].data + 2 * WORD, start, WORD) < 0))
            start = ids[k].data + 2 * WORD;
    snprintf(text, PF_IDENTITY_TEXT, "%08" PRIx32 "00000000%.8s%08" PRIx32 "%016" PRIx64, (uint32_t)(a >> 32),
             start != NULL ? start : "00000000", (uint32_t)a, b);
    return true;
}

static bool made(struct pf_bytes id)
{
    return id.size == ID && memcmp(id.data + WORD, "00000000", WORD) == 0;
}

const struct pf_merging pf_sp_merging = {.rule = rule, .make = make, .made = made};

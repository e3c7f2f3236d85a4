/* What becomes of a format's metadata when several inputs become one, or names are edited. */
#ifndef PF_CODEC_MERGING_H
#define PF_CODEC_MERGING_H

#include "base/bytes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pf_meta_rule {
    PF_META_ONCE, /* equal rows once, others all */
    PF_META_EACH, /* the rows of every input, in their order */
    /* as EACH; the row says something about the next row, and stays before it also where rows are
     * sorted */
    PF_META_PREFIX,
    PF_META_SINGLE, /* only where there is one input */
    PF_META_SAME,   /* only where all inputs say the same and are parts of one run, once */
    /* which run it was: of several, one that is made of them, and theirs under the key
     * `merged_KEY` */
    PF_META_IDENTITY,
    PF_META_NEVER /* about the order of records, which is gone */
};

enum { PF_IDENTITY_TEXT = 64 };

/* What the value of a row names. */
enum pf_meta_name { PF_META_NO_NAME, PF_META_FILE, PF_META_FUNCTION };

struct pf_merging {
    /* `origin` is the format's name, or that with something before or behind it. */
    enum pf_meta_rule (*rule)(struct pf_bytes origin, struct pf_bytes key);
    /* The identity of a merge of these (at least two, sorted, all different); the same for the
     * same ones. False: out of memory. NULL without an IDENTITY. */
    bool (*make)(const struct pf_bytes *identities, size_t count, char text[PF_IDENTITY_TEXT]);
    /* Whether an identity was made by that. */
    bool (*made)(struct pf_bytes identity);
    /* Nanoseconds that a row adds to the time its input ran. NULL: none does. */
    int64_t (*duration)(struct pf_bytes origin, struct pf_bytes key, struct pf_bytes value);
    /* The key of labels whose numbers mean something within one input only. NULL: there are
     * none. */
    const char *own_label;
    /* Rows that name files and functions as records do: where these get another name, so does the
     * row. NULL: there are none. */
    enum pf_meta_name (*names)(struct pf_bytes origin, struct pf_bytes key);
    /* Where in the value of such a row the name begins: its end, where there is none. NULL: it is
     * all of it. */
    size_t (*name_at)(struct pf_bytes key, struct pf_bytes value);
    /* What stands from then on before the key of a row that names a file: the name may be that of
     * another file now. */
    const char *renamed;
};

#endif

/* The rules for a format's metadata when several inputs are merged, or names are edited. */
#ifndef PF_CODEC_MERGING_H
#define PF_CODEC_MERGING_H

#include "base/bytes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pf_meta_rule {
    PF_META_ONCE, /* all different rows, equal rows once */
    PF_META_EACH, /* the rows of every input, in their order */
    /* as EACH; the row describes the next row, and stays before that row even if rows are sorted */
    PF_META_PREFIX,
    PF_META_SINGLE, /* kept only if there is a single input */
    PF_META_SAME,   /* once, only if the row is equal in all inputs and they are parts of one run */
    /* identifies the run: a merge gets a new identity made from the inputs' identities, which
     * move to the key `merged_KEY` */
    PF_META_IDENTITY,
    PF_META_NEVER /* the row depends on the order of records, which is lost */
};

enum { PF_IDENTITY_TEXT = 64 };

/* The records that a row of metadata describes. Rows of a key "stand together" if no record is
 * between them. */
enum pf_meta_place {
    PF_META_FROM_HERE, /* the records after the row, until the next row of the key */
    PF_META_LIST,      /* as FROM_HERE, but all rows that stand together describe the records */
    /* as FROM_HERE; the value changes within a run, and continues in the next file of the series */
    PF_META_MARK,
    PF_META_BEGINS, /* as FROM_HERE; earlier rows do not describe the records after this row */
    PF_META_WHOLE,  /* as FROM_HERE, and the records before the row that have no value of the key */
    PF_META_BEFORE, /* the records before the row, back to the previous row of the key */
    PF_META_ORDINAL /* as FROM_HERE; the value is the number of the file in its series */
};

/* The kind of time that the value of a row is. */
enum pf_meta_time {
    PF_META_NO_TIME,
    PF_META_HAS_TIME, /* the value contains the time at which the run began */
    PF_META_IS_TIME   /* the value is the time at which the run began */
};

/* The kind of name that the value of a row is. */
enum pf_meta_name { PF_META_NO_NAME, PF_META_FILE, PF_META_FUNCTION };

struct pf_merging {
    /* `origin` is the format's name, possibly with a prefix or suffix. */
    enum pf_meta_rule (*rule)(struct pf_bytes origin, struct pf_bytes key);
    /* Makes the identity of a merge from its inputs' identities (at least two, sorted, all
     * different); equal inputs give equal results. False: out of memory. NULL without an
     * IDENTITY. */
    bool (*make)(const struct pf_bytes *identities, size_t count, char text[PF_IDENTITY_TEXT]);
    /* True if `make` made this identity. */
    bool (*made)(struct pf_bytes identity);
    /* Nanoseconds that a row adds to the run time of its input. NULL: no row does. */
    int64_t (*duration)(struct pf_bytes origin, struct pf_bytes key, struct pf_bytes value);
    /* The records that rows of a key describe. NULL: LIST for the key `comment`, else FROM_HERE. */
    enum pf_meta_place (*place)(struct pf_bytes origin, struct pf_bytes key);
    /* The time in a row at which the run began, in nanoseconds since 1970 UTC. NULL: no row has
     * this time. */
    enum pf_meta_time (*start)(struct pf_bytes origin, struct pf_bytes key, struct pf_bytes value,
                               int64_t *time);
    bool start_late; /* the row with the start may come after records */
    /* The key of labels whose numbers are valid within one input only. NULL: no such key. */
    const char *own_label;
    /* The kind of the name in a row, if records have a file or function of this name: an edit of
     * the name changes the row too. NULL: no row has such a name. */
    enum pf_meta_name (*names)(struct pf_bytes origin, struct pf_bytes key);
    /* The position of the name in the value of such a row; the end of the value if there is no
     * name. NULL: the whole value is the name. */
    size_t (*name_at)(struct pf_bytes key, struct pf_bytes value);
    /* A prefix for the keys of rows whose file name was edited: another file may have the new
     * name. */
    const char *renamed;
};

#endif

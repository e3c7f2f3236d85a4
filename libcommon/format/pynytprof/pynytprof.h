/* Pynytprof's files: what the parts of the reader and the writer share. A text banner like NYTProf's, then chunks: a tag, a
 * 32-bit length, a payload; all numbers little-endian. */
#ifndef PF_FORMAT_PYNYTPROF_PYNYTPROF_H
#define PF_FORMAT_PYNYTPROF_PYNYTPROF_H

#include "base/memory.h"
#include "codec/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Origins of metadata. */
#define PF_PYN_ATTRIBUTE "pynytprof"       /* lines `:key=value`; one of any kind without `=` has the key "" */
#define PF_PYN_OPTION "pynytprof.option"   /* lines `!key=value` */
#define PF_PYN_COMMENT "pynytprof.comment" /* lines `#value`, key `comment` */
#define PF_PYN_CHUNK "pynytprof.chunk"     /* from A, H and P chunks and from binary headers */
#define PF_PYN_PRIVATE ".pynytprof"
/* Keys of private rows. */
#define PF_PYN_VERSION "version" /* "5 0"; begins the metadata of each file */
#define PF_PYN_FILE "file"       /* "FID FLAGS SIZE MTIME PATH"; "FID" alone: used and never defined */
#define PF_PYN_SUB "sub"         /* "SID FLAGS NAME"; "SID" alone likewise */

enum { PF_PYN_FILE_NUMBERS = 4, PF_PYN_SUB_NUMBERS = 2 }; /* that stand in these before the name */

enum { PF_PYN_ROW = 28, PF_PYN_TICKS = 10000000 }; /* bytes of a record of S and C; ticks in a second unless told otherwise */

/* What F and D define. */
struct pf_pyn_entry {
    uint32_t id;
    uint32_t text;       /* string: path or name as it stands in the file */
    uint32_t numbers[3]; /* flags, size, mtime; or flags, 0, 0; or fid, first line, last line */
    bool absent;         /* used and never defined */
};

struct pf_pyn_list {
    struct pf_pyn_entry *rows;
    size_t count, capacity;
};

/* A record of S (fid, line, calls) or C (caller, callee, calls; beside subs with line ranges: fid, line, callee). */
struct pf_pyn_row {
    uint32_t words[3];
    int64_t incl, excl; /* ticks */
};

struct pf_pyn_rows {
    struct pf_pyn_row *rows;
    size_t count, capacity;
};

struct pf_pyn_meta {
    uint32_t *origin, *key, *value;
    size_t count, origin_capacity, key_capacity, value_capacity;
};

/* All that a file says. Its chunks may come in any order, so it is held until its end. */
struct pf_pyn_content {
    struct pf_pyn_list files, subs;
    struct pf_pyn_rows lines, calls;
    struct pf_pyn_meta meta;
    uint64_t ticks; /* in a second */
    bool ticks_told;
    bool ranged;    /* subs have line ranges, and calls come from lines */
    bool own_unknown; /* the two times of each call are equal: what it took by itself is not known */
    bool failed;    /* memory ran out */
    const char *variant;
    uint64_t damages; /* chunks or records that were passed over */
};

/* Adds a row of metadata; memory that runs out sets `failed`. */
void pf_pyn_meta_add(struct pf_reader *, struct pf_pyn_content *, const char *origin, struct pf_bytes key, struct pf_bytes value);
/* An attribute of the banner or of a chunk: metadata, and ticks_per_sec counts. */
void pf_pyn_attribute(struct pf_reader *, struct pf_pyn_content *, const char *origin, struct pf_bytes key, struct pf_bytes value);
/* What deviates from the usual layout, unless something said it before. */
void pf_pyn_variant(struct pf_pyn_content *, const char *variant);

#endif

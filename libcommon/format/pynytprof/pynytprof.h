/* Pynytprof's files: what the parts of the reader and the writer share. A text banner like NYTProf's, then chunks: a tag, a
 * 32-bit length, a payload; all numbers little-endian. */
#ifndef PF_FORMAT_PYNYTPROF_PYNYTPROF_H
#define PF_FORMAT_PYNYTPROF_PYNYTPROF_H

#include "base/memory.h"
#include "base/table.h"
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

/* ---- header.c: metadata, and what stands before the chunks ---- */

/* Adds a row of metadata; sets `failed` when memory runs out. */
void pf_pyn_meta_add(struct pf_reader *, struct pf_pyn_content *, const char *origin, struct pf_bytes key, struct pf_bytes value);
/* An attribute of the banner or of a chunk: a row of metadata, and for ticks_per_sec the length of a tick. */
void pf_pyn_attribute(struct pf_reader *, struct pf_pyn_content *, const char *origin, struct pf_bytes key, struct pf_bytes value);
/* Names the first deviation from the usual layout; later ones do not count. */
void pf_pyn_variant(struct pf_pyn_content *, const char *variant);

/* True for the tag of a chunk that some version wrote. */
bool pf_pyn_tag(unsigned byte);

/* Bits of evidence that the bytes ahead are Pynytprof's chunks and not NYTProf's records (pf_format.bid). */
int pf_pyn_bid(struct pf_source *, const char *path);

/* Reads the header. PF_OK; PF_FAILED, PF_UNSUPPORTED, or a failure of the source, in reader->error. */
int pf_pyn_header_read(struct pf_reader *, struct pf_pyn_content *);

/* ---- chunks.c ---- */

/* Reads all chunks to the end of the file. PF_OK; else a code, with a text in reader->error and all whole chunks in the
 * content. Skips a chunk that is damaged inside: the first such failure is the result at the end, a warning when salvaging. */
int pf_pyn_chunks_read(struct pf_reader *, struct pf_pyn_content *);

/* ---- names.c ---- */

/* A name of the model. Numbers without a name, or with an empty one, are called `(file 7)`, `(sub 7)`; where several have the same
 * name, all but the first have that as an alias, which keeps them apart (it becomes a function's system name). */
struct pf_pyn_name {
    uint32_t id;
    uint32_t text, alias; /* strings */
    uint32_t function;    /* of the dictionary: the sub, or the file's lines; 0 = not made yet */
    size_t place;         /* of its entry in the list */
};

/* By id, ascending. */
struct pf_pyn_names {
    struct pf_pyn_name *rows;
    size_t count;
};

/* The name and the alias an entry gets, `seen` being a table of the names given so far (rows of one uint32_t). `kind` is "file" or "sub". */
void pf_pyn_name_make(struct pf_dict *, struct pf_table *seen, const char *kind, const struct pf_pyn_entry *, uint32_t *text,
                      uint32_t *alias);

/* Names of all entries; of several with one id the last counts. False: out of memory. */
bool pf_pyn_names_make(struct pf_pyn_names *, struct pf_dict *, const char *kind, const struct pf_pyn_list *);
void pf_pyn_names_free(struct pf_pyn_names *);
/* NULL: not defined. */
struct pf_pyn_name *pf_pyn_names_find(const struct pf_pyn_names *, uint32_t id);

#endif

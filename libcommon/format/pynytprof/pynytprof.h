/* Files of Pynytprof: a text banner like NYTProf's, then chunks: a tag, a 32-bit length, a payload;
 * all numbers are little-endian. pynytprof.c is the format and the reader, writer.c the writer. */
#ifndef PF_FORMAT_PYNYTPROF_PYNYTPROF_H
#define PF_FORMAT_PYNYTPROF_PYNYTPROF_H

#include "analysis/sum/callers.h"
#include "analysis/sum/ledger.h"
#include "base/memory.h"
#include "base/table.h"
#include "codec/format.h"
#include "model/rows.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Origins of metadata. */
#define PF_PYN_ATTRIBUTE \
    "pynytprof" /* lines `:key=value`; one of any kind without `=` has the key "" */
#define PF_PYN_OPTION  "pynytprof.option"  /* lines `!key=value` */
#define PF_PYN_COMMENT "pynytprof.comment" /* lines `#value`, key `comment` */
#define PF_PYN_CHUNK   "pynytprof.chunk"   /* from A, H and P chunks and from binary headers */
#define PF_PYN_PRIVATE ".pynytprof"
/* Keys of private rows. */
#define PF_PYN_VERSION "version" /* "5 0"; begins the metadata of each file */
#define PF_PYN_FILE    "file" /* "FID FLAGS SIZE MTIME PATH"; "FID" alone: used and never defined */
#define PF_PYN_SUB     "sub"  /* "SID FLAGS NAME"; "SID" alone likewise */

enum { PF_PYN_FILE_NUMBERS = 4, PF_PYN_SUB_NUMBERS = 2 }; /* of these rows, before the name */

/* bytes of a record of S and C; ticks in a second, the default */
enum { PF_PYN_ROW = 28, PF_PYN_TICKS = 10000000 };

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

/* A record of S (fid, line, calls) or C (caller, callee, calls; beside subs with line ranges: fid,
 * line, callee). */
struct pf_pyn_row {
    uint32_t words[3];
    int64_t incl, excl; /* ticks */
};

struct pf_pyn_rows {
    struct pf_pyn_row *rows;
    size_t count, capacity;
};

/* All that a file says, held until the end of the file, because chunks come in any order. */
struct pf_pyn_content {
    struct pf_pyn_list files, subs;
    struct pf_pyn_rows lines, calls;
    struct pf_rows rows; /* metadata, and the records once their names are known */
    uint64_t ticks;      /* in a second */
    bool ticks_told;
    bool ranged;      /* subs have line ranges, and calls come from lines */
    bool own_unknown; /* the two times of each call are equal: its own time is not known */
    bool failed;      /* memory ran out */
    const char *variant;
    uint64_t damages; /* chunks or records that were skipped */
};

/* --- header.c: metadata, and what stands before the chunks ------------------------------------ */

/* An attribute of the banner or of a chunk: a row of metadata, and for ticks_per_sec the length of
 * a tick. */
void pf_pyn_attribute(struct pf_reader *, struct pf_pyn_content *, const char *origin,
                      struct pf_bytes key, struct pf_bytes value);
/* Names the first deviation from the usual layout; later ones do not count. */
void pf_pyn_variant(struct pf_pyn_content *, const char *variant);

/* True for the tag of a chunk that some version wrote. */
bool pf_pyn_tag(unsigned byte);

/* Bits of evidence that the bytes ahead are Pynytprof's chunks and not NYTProf's records
 * (pf_format.bid). */
int pf_pyn_bid(struct pf_source *, const char *path);

/* Reads the header. PF_OK; PF_FAILED, PF_UNSUPPORTED, or a failure of the source, in
 * reader->error. */
int pf_pyn_header_read(struct pf_reader *, struct pf_pyn_content *);

/* The banner of the output: lines of files of the format, in their order, and facts from metadata
 * of other formats. */
struct pf_pyn_banner {
    struct pf_pyn_banner_line {
        char type; /* # : ! or 0: key is "", value is the line */
        uint32_t key, value;
    } * lines;
    size_t count, capacity;
    struct pf_table known; /* types and keys of the lines; of lines without a key their text */
    bool titled;           /* a line says who generated the file */
    unsigned files;        /* begun so far */
    uint32_t facts[8];     /* by the attributes of the note: strings; 0 = not known */
};

/* PF_OK or PF_NOMEM; free in any case. */
int pf_pyn_banner_init(struct pf_pyn_banner *);
void pf_pyn_banner_free(struct pf_pyn_banner *);
/* Keeps a row of metadata; of later files only lines with new keys. False: out of memory. */
bool pf_pyn_banner_keep(struct pf_pyn_banner *, const struct pf_dict *, uint32_t origin,
                        uint32_t key, uint32_t value);
/* Writes the lines kept, then the lines that the note asks for and nobody gave, then the blank
 * line. */
void pf_pyn_banner_write(const struct pf_pyn_banner *, const struct pf_dict *, struct pf_sink *);

/* --- chunks.c --------------------------------------------------------------------------------- */

/* Reads all chunks to the end of the file. PF_OK; else a code, with a text in reader->error and all
 * whole chunks in the content. Skips a chunk that is damaged inside: the first such failure is the
 * result at the end, a warning when salvaging. */
int pf_pyn_chunks_read(struct pf_reader *, struct pf_pyn_content *);

/* --- names.c ---------------------------------------------------------------------------------- */

/* A name of the model. Numbers without a name, or with an empty one, are called `(file 7)`, `(sub
 * 7)`; where several have the same name, all but the first have that as an alias, which keeps them
 * apart (it becomes a function's system name). */
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

/* Names of all entries; of several with one id the last counts. False: out of memory. */
bool pf_pyn_names_make(struct pf_pyn_names *, struct pf_dict *, const char *kind,
                       const struct pf_pyn_list *);
void pf_pyn_names_free(struct pf_pyn_names *);
/* NULL: not defined. */
struct pf_pyn_name *pf_pyn_names_find(const struct pf_pyn_names *, uint32_t id);

/* Two entries with the same key are one. Strings; without padding. */
struct pf_pyn_key {
    uint32_t text, alias, file; /* path or name, system name, file of a sub */
    uint32_t used;              /* 1 */
};

/* The numbers of files or subs in the output. Numbers that a file of the format had stay where they
 * are free. */
struct pf_pyn_register {
    const char *kind;        /* "file" or "sub" */
    struct pf_table keys;    /* id k is entry k - 1 */
    struct pf_table taken;   /* id + 1 in 64 bits */
    struct pf_table seen;    /* names of the current file */
    uint32_t next;           /* no id below is free */
    bool differ;             /* inputs had different numbers for one entry */
    struct pf_pyn_list list; /* in the order in which they are written */
};

/* PF_OK or PF_NOMEM; free in any case. */
int pf_pyn_register_init(struct pf_pyn_register *, const char *kind);
void pf_pyn_register_free(struct pf_pyn_register *);

/* The metadata of another file begins. */
int pf_pyn_register_restart(struct pf_pyn_register *);
/* Keeps a private row, "ID NUMBER... TEXT" or "ID", with `numbers` numbers. Ignores rows of another
 * form. When inputs differ about a file, the newest time counts. False: out of memory. */
bool pf_pyn_register_keep(struct pf_pyn_register *, struct pf_dict *, struct pf_bytes row,
                          size_t numbers);
/* Id of the key; a new one gets the first free number, and `flags` if that is 0. False: out of
 * memory or of numbers. */
bool pf_pyn_register_find(struct pf_pyn_register *, const struct pf_pyn_key *, uint32_t flags,
                          uint32_t *id);

/* --- writer.c --------------------------------------------------------------------------------- */

/* The number of a record that a measure goes to. */
enum pf_pyn_slot { PF_PYN_CALLS, PF_PYN_INCL, PF_PYN_EXCL, PF_PYN_SLOTS };

/* The records of one chunk. Lines and edges are summed: one record for each. */
struct pf_pyn_sums {
    struct pf_table keys;               /* uint32_t[3]: fid, line or caller, callee; and 1 */
    struct pf_sums slots[PF_PYN_SLOTS]; /* wide, by key */
    /* a measure was declared for it: a batch without its column has 0 in every row */
    bool told[PF_PYN_SLOTS];
    uint32_t chosen[PF_PYN_SLOTS]; /* a measure of another name that fits, + 1; 0 = none */
};

struct pf_pyn_writer {
    struct pf_pyn_banner banner;
    struct pf_pyn_register files, subs;
    struct pf_pyn_sums lines, calls;
    /* calls that have to agree with the costs of functions; added at the end */
    struct pf_callers *callers;
    uint32_t private_origin, version_key, file_key, sub_key;
    bool rounded[2]; /* a warning was sent for times, for calls */
};

int pf_pyn_writer_open(struct pf_writer *);
int pf_pyn_writer_write(struct pf_writer *, const struct pf_batch *);
int pf_pyn_writer_finish(struct pf_writer *);
void pf_pyn_writer_close(struct pf_writer *);

#endif

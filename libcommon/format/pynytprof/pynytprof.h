/* Files of Pynytprof: a banner of text lines like NYTProf's, then chunks, each a tag, a 32-bit
 * length and a payload. All numbers are little-endian. "The note" is the description of the format
 * of July 2025 (FORMAT.md, sections 1 to 3). */
#ifndef PF_FORMAT_PYNYTPROF_PYNYTPROF_H
#define PF_FORMAT_PYNYTPROF_PYNYTPROF_H

#include "analysis/names/id_map.h"
#include "analysis/sum/callers.h"
#include "analysis/sum/ledger.h"
#include "base/memory.h"
#include "base/table.h"
#include "codec/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Origins of metadata. */
#define PF_PYN_ATTRIBUTE \
    "pynytprof" /* lines `:key=value`; a line of any kind without `=` has the key "" */
#define PF_PYN_OPTION  "pynytprof.option"  /* lines `!key=value` */
#define PF_PYN_COMMENT "pynytprof.comment" /* lines `#value`, key `comment` */
#define PF_PYN_CHUNK   "pynytprof.chunk"   /* from A, H and P chunks and from binary headers */
#define PF_PYN_PRIVATE ".pynytprof"
/* Keys of private rows. */
#define PF_PYN_VERSION "version" /* "5 0": the first row of each file */
#define PF_PYN_FILE    "file"    /* "FID FLAGS SIZE MTIME PATH", or "FID": no chunk defines it */
#define PF_PYN_SUB     "sub"     /* "SID FLAGS NAME", or "SID" */

enum { PF_PYN_FILE_NUMBERS = 4, PF_PYN_SUB_NUMBERS = 2 };

/* bytes of a record of an S or C chunk; the default number of ticks in a second */
enum { PF_PYN_ROW = 28, PF_PYN_TICKS = 10000000 };

/* A file or a sub as an F or D chunk defines it. */
struct pf_pyn_entry {
    uint32_t id;
    uint32_t text;       /* string: path or name as in the file */
    uint32_t numbers[3]; /* flags, size, mtime; or flags, 0, 0; or fid, first line, last line */
    bool absent;         /* records use the number, no chunk defines it */
    bool replaced;       /* a later entry has the same id */
    /* Set by the reader: name and alias (strings, see pf_pyn_list_name), and the function of the
     * sub, or of the lines of the file; 0 = not made yet. */
    uint32_t name, alias, function;
};

/* Zero-initialise; free with pf_pyn_list_free. */
struct pf_pyn_list {
    struct pf_pyn_entry *rows;
    size_t count, capacity;
    struct pf_pair_map places; /* id, 0: place of the last entry of the id */
};

/* A record of an S chunk (fid, line, calls) or of a C chunk (caller, callee, calls; if subs have
 * line ranges: fid, line, callee). */
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
    uint64_t ticks;   /* ticks in a second */
    bool ticks_known; /* the file gives `ticks` */
    bool ranged;      /* subs have line ranges, and calls come from lines */
    bool own_unknown; /* the two times of each call are equal: exclusive times are unknown */
    bool failed;      /* memory ran out */
    /* the first deviation from the usual layout, a constant; NULL: none */
    const char *variant;
    uint64_t damages; /* chunks or records that were skipped */

    bool is_read;                /* the whole file is read */
    size_t next_line, next_call; /* records that are not rows yet */
    int status;                  /* the result after all records */
};

/* --- header.c: metadata, and everything before the chunks ------------------------------------- */

/* Adds an attribute of the banner or of a chunk as a row of metadata; ticks_per_sec also sets the
 * length of a tick. Out of memory: sets content->failed. */
void pf_pyn_attribute(struct pf_reader *, struct pf_pyn_content *, const char *origin,
                      struct pf_bytes key, struct pf_bytes value);
/* Keeps the first deviation from the usual layout (a constant text); later calls do nothing. */
void pf_pyn_variant(struct pf_pyn_content *, const char *variant);

/* True if some version wrote chunks with this tag. */
bool pf_pyn_tag(unsigned byte);

/* Bits of evidence that the bytes ahead are Pynytprof's chunks and not NYTProf's records
 * (pf_format.bid). */
int pf_pyn_bid(struct pf_source *, const char *path);

/* Reads everything before the chunks. PF_OK; PF_FAILED, PF_UNSUPPORTED, or a failure of the source,
 * in reader->error. */
int pf_pyn_header_read(struct pf_reader *, struct pf_pyn_content *);

/* The banner of the output: the lines that Pynytprof files had, in their order, and facts from
 * metadata of other formats. */
struct pf_pyn_banner {
    struct pf_pyn_banner_line {
        char type; /* `#`, `:` or `!`; 0: key is "", value is the line */
        uint32_t key, value;
    } * lines;
    size_t count, capacity;
    struct pf_table known; /* types and keys of the lines; for lines without a key their text */
    bool titled;           /* a line says who generated the file */
    unsigned files;        /* number of input files begun so far */
    uint32_t facts[8];     /* strings, by number of the attribute in the note; 0 = unknown */
};

/* PF_OK or PF_NOMEM; free in any case. */
int pf_pyn_banner_init(struct pf_pyn_banner *);
void pf_pyn_banner_free(struct pf_pyn_banner *);
/* Keeps a row of metadata (strings); of later files only lines with new keys. False: out of
 * memory. */
bool pf_pyn_banner_keep(struct pf_pyn_banner *, const struct pf_dict *, uint32_t origin,
                        uint32_t key, uint32_t value);
/* Writes the kept lines, then the lines that the note demands and no input had, then the blank
 * line. Failures stay in the sink. */
void pf_pyn_banner_write(const struct pf_pyn_banner *, const struct pf_dict *, struct pf_sink *);

/* --- chunks.c --------------------------------------------------------------------------------- */

/* Reads all chunks up to the end of the file. PF_OK; else a code with a text in reader->error;
 * whole chunks are in the content in any case. A chunk that is damaged inside is skipped: the first
 * such damage is the result at the end, or a warning when salvaging. */
int pf_pyn_chunks_read(struct pf_reader *, struct pf_pyn_content *);

/* --- names.c ---------------------------------------------------------------------------------- */

/* Adds an entry, which replaces an earlier entry of its id. False: out of memory. */
bool pf_pyn_list_add(struct pf_pyn_list *, const struct pf_pyn_entry *);
/* The entry of an id; NULL: the id is not defined. */
struct pf_pyn_entry *pf_pyn_list_find(const struct pf_pyn_list *, uint32_t id);
void pf_pyn_list_free(struct pf_pyn_list *);

/* Names the entries, in their order; `kind` is "file" or "sub". Entries without a name, or with an
 * empty name, are called `(file 7)`, `(sub 7)`. If several entries have one name, all but the first
 * have such a name as alias, which keeps them apart: the alias becomes the system name of the
 * function. False: out of memory. */
bool pf_pyn_list_name(struct pf_pyn_list *, struct pf_dict *, const char *kind);

/* Files or subs with the same key are the same in all inputs. Fields are strings; the struct has no
 * padding. */
struct pf_pyn_key {
    uint32_t text, alias, file; /* path or name, system name, file of a sub */
    uint32_t used;              /* always 1: a table cannot hold a row of zeros */
};

/* The numbers of files or subs in the output. A number from a Pynytprof file stays if it is
 * free. */
struct pf_pyn_register {
    const char *kind;        /* "file" or "sub" */
    struct pf_table keys;    /* id k is entry k - 1 */
    struct pf_table seen;    /* names of the current file */
    uint32_t next;           /* no id below is free */
    bool differ;             /* inputs had different flags, sizes or times for one entry */
    struct pf_pyn_list list; /* in the order in which they are written */
};

/* PF_OK or PF_NOMEM; free in any case. */
int pf_pyn_register_init(struct pf_pyn_register *, const char *kind);
void pf_pyn_register_free(struct pf_pyn_register *);

/* Begins the metadata of another file. PF_OK or PF_NOMEM. */
int pf_pyn_register_restart(struct pf_pyn_register *);
/* Keeps a private row, "ID NUMBER... TEXT" with `numbers` numbers, or "ID". Ignores rows of another
 * form. If inputs differ about a file, the newest modification time counts. False: out of
 * memory. */
bool pf_pyn_register_keep(struct pf_pyn_register *, struct pf_dict *, struct pf_bytes row,
                          size_t numbers);
/* Sets *id to the id of a key. A new key gets the first free number, and `flags` if that number is
 * 0. False: out of memory, or no number is free. */
bool pf_pyn_register_find(struct pf_pyn_register *, const struct pf_pyn_key *, uint32_t flags,
                          uint32_t *id);

/* --- writer.c --------------------------------------------------------------------------------- */

/* The field of a record that a measure fills. */
enum pf_pyn_slot { PF_PYN_CALLS, PF_PYN_INCL, PF_PYN_EXCL, PF_PYN_SLOTS };

/* The records of an S or C chunk: one for each line, or for each pair of caller and callee. */
struct pf_pyn_sums {
    struct pf_table keys;               /* uint32_t[3]: fid, line or caller, callee; and 1 */
    struct pf_sums slots[PF_PYN_SLOTS]; /* wide, by key */
    /* a measure was declared for the slot: a batch without its column has 0 in every row */
    bool declared[PF_PYN_SLOTS];
    /* measure + 1 that fills the slot by its role and unit, not by its name; 0 = none */
    uint32_t chosen[PF_PYN_SLOTS];
};

struct pf_pyn_writer {
    struct pf_pyn_banner banner;
    struct pf_pyn_register files, subs;
    struct pf_pyn_sums lines, calls;
    /* records of other formats whose calls have to agree with the costs of functions; added at the
     * end */
    struct pf_callers *callers;
    uint32_t private_origin, version_key, file_key, sub_key;
    bool rounded[2]; /* the warning about rounding was sent: for times, for calls */
};

int pf_pyn_writer_open(struct pf_writer *);
int pf_pyn_writer_write(struct pf_writer *, const struct pf_batch *);
int pf_pyn_writer_finish(struct pf_writer *);
void pf_pyn_writer_close(struct pf_writer *);

#endif

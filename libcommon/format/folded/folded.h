/* Private to the format of folded stacks: each line has a stack, whose frames are separated by
 * semicolons, then a count. FORMAT.md has the facts. */
#ifndef PF_FORMAT_FOLDED_FOLDED_H
#define PF_FORMAT_FOLDED_FOLDED_H

#include "analysis/sum/ledger.h"
#include "base/bytes.h"
#include "base/memory.h"
#include "codec/format.h"
#include "model/dict.h"
#include "model/main_measure.h"

#include <stdbool.h>
#include <stdint.h>

/* --- text.c: counts --------------------------------------------------------------------------- */

/* decimals written for a count that has infinitely many */
enum { PF_FOLDED_ROUNDED = 6 };

/* The count is value / 10^decimals, with as few decimals as possible. */
struct pf_folded_count {
    int64_t value;
    unsigned decimals;
};

enum pf_folded_result { PF_FOLDED_GOOD, PF_FOLDED_NO_COUNT, PF_FOLDED_TOO_BIG };

/* Cuts a line into its stack, without blanks at both ends, and its count: the last word,
 * -?digits[.digits][e-?digits] (FlameGraph accepts `12.` too). */
enum pf_folded_result pf_folded_split(struct pf_bytes line, struct pf_bytes *stack,
                                      struct pf_folded_count *);

/* True for a comment: a line with `#`, or with `//` and no count (a frame may begin with `//`). */
bool pf_folded_comment(struct pf_bytes line);

/* --- text.c: names of frames ------------------------------------------------------------------ */

/* How frames are spelled. */
struct pf_folded_spelling {
    enum pf_folded_style style;
    bool annotate;  /* `_[k]` behind frames of the kernel, `_[j]` behind frames made at run time */
    bool thread;    /* -PID/TID after the command */
    bool addresses; /* write addresses of frames without a name */
};

/* Appends the name of a frame. */
void pf_folded_spell(struct pf_buffer *, const struct pf_dict *, uint32_t location,
                     const struct pf_folded_spelling *);

/* Appends the outermost frame that a label set becomes, such as the command. False: no such
 * frame. */
bool pf_folded_spell_root(struct pf_buffer *, const struct pf_dict *, uint32_t labels,
                          const struct pf_folded_spelling *);

/* The letter of the mark that FlameGraph's scripts put behind a name: `_[k]` (kernel), `_[j]` (made
 * at run time) or `_[i]` (inlined). 0: no mark. */
char pf_folded_mark(struct pf_bytes name);

enum { PF_FOLDED_MARK = 4 }; /* bytes of a mark */

/* --- writer.c --------------------------------------------------------------------------------- */

/* Functions of the writer, codec/format.h. */
int pf_folded_open_writer(struct pf_writer *);
bool pf_folded_holds_label(struct pf_writer *, const struct pf_label *);
int pf_folded_write(struct pf_writer *, const struct pf_batch *);
int pf_folded_finish(struct pf_writer *);
void pf_folded_close_writer(struct pf_writer *);

struct pf_folded_writer {
    struct pf_strings names; /* as written: without `;` and line feeds, never empty */
    struct pf_table nodes;   /* a name below another node */
    /* one column of sums, because both sides have one scale; rows: node * column_count + side */
    struct pf_ledger ledger;
    struct pf_measure columns[2]; /* the measures that are written; two: before and after */
    unsigned column_count;        /* 0: not chosen yet */
    struct pf_main_choice main;
    struct pf_folded_names {
        uint32_t *name_of; /* by location; 0 = not yet */
        size_t count, capacity;
    } spelled;
    struct pf_folded_place {
        uint32_t node, root; /* the node of the stack below the node `root`; node 0: not made yet */
    } * place_of;            /* by stack */
    size_t place_count, place_capacity;
    uint32_t *root_of; /* by label set: a node + 1; 0 = not made yet */
    size_t root_count, root_capacity;
    struct pf_folded_spelling spelling; /* of the current records */
    uint32_t *path;
    size_t path_capacity;
    struct pf_buffer text;

    bool rounded;
};

#endif

/* Private to the format of folded stacks: one stack a line, its frames separated by semicolons, then its count. */
#ifndef PF_FORMAT_FOLDED_FOLDED_H
#define PF_FORMAT_FOLDED_FOLDED_H

#include "analysis/sum/units.h"
#include "base/bytes.h"
#include "base/memory.h"
#include "codec/format.h"
#include "model/dict.h"
#include "model/main_measure.h"

#include <stdbool.h>
#include <stdint.h>

/* A line of folded stacks, `frame;frame;frame COUNT`: what reader and writer share. */

enum { PF_FOLDED_DECIMALS = 18 }; /* 10^18 is the last power of ten in an int64 */

enum { PF_FOLDED_ROUNDED = 6 };   /* decimals of counts whose decimals do not end */

/* Powers of ten by exponent. */
extern const int64_t pf_folded_powers[PF_FOLDED_DECIMALS + 1];

/* value / 10^decimals, without needless zeros behind the point. */
struct pf_folded_count {
    int64_t value;
    unsigned decimals;
};

enum pf_folded_result { PF_FOLDED_GOOD, PF_FOLDED_NO_COUNT, PF_FOLDED_TOO_BIG };

/* Cuts a line into its stack, without blanks at its ends, and its count: the last token between blanks, -?digits[.digits][e-?digits]
 * (FlameGraph takes `12.` as well). */
enum pf_folded_result pf_folded_split(struct pf_bytes line, struct pf_bytes *stack, struct pf_folded_count *);

/* `#` begins a comment, and so does `//` where no count follows (a frame may begin with it). */
bool pf_folded_comment(struct pf_bytes line);

/* As which of FlameGraph's scripts names are: stackcollapse-perf.pl, stackcollapse.pl (DTrace), stackcollapse-bpftrace.pl. What else is
 * known of a sample, its command or the other parts of its key, is the outermost frame. */
enum pf_folded_style { PF_FOLDED_PLAIN, PF_FOLDED_PERF, PF_FOLDED_DTRACE, PF_FOLDED_BPFTRACE };

/* How frames are spelled. */
struct pf_folded_spelling {
    enum pf_folded_style style;
    bool annotate;  /* `_[k]` behind what is the kernel's, `_[j]` behind what was made at run time */
    bool thread;    /* behind the command: -PID/TID */
    bool addresses; /* of frames nobody named */
    bool java;      /* the command begins with `java` */
};

/* Appends the name of a frame. */
void pf_folded_spell(struct pf_buffer *, const struct pf_dict *, uint32_t location, const struct pf_folded_spelling *);

/* Appends what a set of labels has for an outermost frame; false, and nothing, when it has nothing. */
bool pf_folded_spell_root(struct pf_buffer *, const struct pf_dict *, uint32_t labels, const struct pf_folded_spelling *);

/* The mark at the end of a name, `_[k]` (kernel), `_[j]` (made at run time) or `_[i]` (inlined), that FlameGraph's scripts put there; its
 * letter, or 0. */
char pf_folded_mark(struct pf_bytes name);

enum { PF_FOLDED_MARK = 4 }; /* its size */

/* The writer's part of the format, codec/format.h. */
int pf_folded_open_writer(struct pf_writer *);
bool pf_folded_holds_label(struct pf_writer *, const struct pf_label *);
int pf_folded_write(struct pf_writer *, const struct pf_batch *);
int pf_folded_finish(struct pf_writer *);
void pf_folded_close_writer(struct pf_writer *);

/* Private to folded_writer.c. */
struct pf_folded_writer {
    struct pf_strings names;      /* as written: no `;`, no line feed, never empty */
    struct pf_table nodes;        /* a name below another node */
    struct pf_folded_column {
        struct pf_measure measure; /* which one is written */
        pf_int128 *sums;           /* by node */
        size_t sum_count, sum_capacity;
    } columns[2];                 /* two: what was before, and after */
    unsigned column_count;        /* 0: not chosen yet */
    struct pf_main_choice main;
    struct pf_folded_names {
        uint32_t *name_of;        /* by location; 0 = not yet */
        size_t count, capacity;
    } names_of[2];                /* below other commands, and below `java` */
    struct pf_folded_place {
        uint32_t node, root;      /* where it is in the tree below the node `root`; node 0 = not yet */
    } *place_of;                  /* by stack */
    size_t place_count, place_capacity;
    uint32_t *root_of;            /* by label set: a node and 1; 0 = not yet */
    size_t root_count, root_capacity;
    struct pf_folded_spelling spelling; /* of the records that come now */
    uint32_t *path;
    size_t path_capacity;
    struct pf_buffer text;

    bool rounded;
    struct pf_quantity quantity;  /* what the sums count */
    int64_t *factors;             /* by measure: values to sums; 0 = not joined yet */
    size_t factor_count, factor_capacity;
};

/* Stacks that earlier lines of a run had, by their text: two inputs that are compared have most of them in common, and a line that was met
 * before need not be cut into frames. Holds 8 bytes a stack and no text. */

struct pf_folded_known;

/* The one of the run; NULL when there is none, it is of another dictionary, or memory ran out: then nothing is known. */
struct pf_folded_known *pf_folded_known_get(struct pf_shared *, const struct pf_dict *);

/* The stack of this text, whose tag is told; 0 when it is not known. NULL is allowed. */
uint32_t pf_folded_known_find(const struct pf_folded_known *, struct pf_bytes text, uint32_t *tag);

/* Its text has this tag. */
void pf_folded_known_add(struct pf_folded_known *, uint32_t tag, uint32_t stack);

/* Lines of folded stacks that end in two counts, held until it is known whether all lines of the input do. */

struct pf_folded_pair {
    uint32_t stack;
    uint32_t tail_size;
    size_t tail; /* where the first count stands in the tails, with the blanks before it */
    struct pf_folded_count before, after;
};

/* Zero-initialise. */
struct pf_folded_pairs {
    struct pf_folded_pair *rows;
    size_t count, capacity;
    struct pf_buffer tails;
    unsigned decimals; /* most of any count */
};

/* False: out of memory. */
bool pf_folded_pairs_add(struct pf_folded_pairs *, uint32_t stack, struct pf_bytes tail, struct pf_folded_count before,
                         struct pf_folded_count after);
void pf_folded_pairs_free(struct pf_folded_pairs *);

#endif

/* Flame graphs: the stacks of a profile as a tree of frames, laid out so that the width of a
 * frame is its cumulative amount. */
#ifndef PF_ANALYSIS_TABLE_FLAME_H
#define PF_ANALYSIS_TABLE_FLAME_H

#include "analysis/names/key.h"
#include "analysis/sum/accumulate.h"
#include "analysis/sum/facts.h"
#include "analysis/sum/slices.h"
#include "codec/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialise, and set `label` if wanted; pf_flame_open; free with pf_flame_free. */
struct pf_flame {
    struct pf_dict *dict;
    bool reverse;   /* leaves are at the root, their callers above */
    enum pf_by by;  /* PF_BY_FUNCTION, or PF_BY_NAME: functions of one name are one */
    uint32_t label; /* string: key of the label whose values are told apart; 0: none */

    struct pf_accumulator sums;
    /* FLAT and EDGE records of profiles that have a file scope (analysis/sum/file_scope.h) */
    struct pf_accumulator calls;
    struct pf_facts facts;
    uint64_t others;         /* FLAT and EDGE records */
    struct pf_slices slices; /* where there is a label */
    struct pf_keys keys;     /* functions */

    /* pf_flame_make. Nodes below which something has a value; parents have smaller numbers than
     * their children, node 0 is the root, `all`. */
    uint32_t *key, *parent;
    uint32_t count;
    /* node of each record of the sums; UINT32_MAX: all its values are 0, or its node was left
     * out */
    uint32_t *places;
    size_t place_count;

    /* pf_flame_order */
    uint32_t *depth, *end; /* end: behind the last node of its subtree */
    uint32_t height;       /* greatest depth */
};

/* Begins the tree of a writer, as its options `reverse` and `by` say. PF_OK, or PF_NOMEM with the
 * writer's error; free in any case. */
int pf_flame_open(struct pf_flame *, struct pf_writer *);
void pf_flame_free(struct pf_flame *);

/* Adds a batch. Of FLAT and EDGE records only the time outside of all subs is drawn
 * (analysis/sum/file_scope.h). As pf_accumulator_add. */
int pf_flame_add(struct pf_flame *, const struct pf_batch *, struct pf_error *);
/* Joins the stacks, after the last batch. PF_OK; PF_EOF if there are records but nothing to
 * draw; PF_NOMEM, PF_OVERFLOW. */
int pf_flame_make(struct pf_flame *, struct pf_error *);

/* The subject of a flame graph: a measure, or the measures before and after. */
struct pf_flame_subject {
    /* of the measure; of NAME.before, NAME.after and NAME.delta NAME */
    struct pf_bytes name;
    unsigned name_flags;
    /* of amounts; whole numbers of what a node has, however small that is */
    struct pf_scale scale;
    /* so many of them make one of what `scale` is called by; its own parts are what is shown */
    uint64_t parts;
    /* a difference: before and after; else the second is NULL */
    const struct pf_sums *sums[2];
};

/* All there are, in the order of the profile; *main is the number of the one shown first. What
 * cannot be added up (PF_MAX) is none. PF_OK, PF_NOMEM, PF_USAGE when there are only such, or as
 * pf_quantity_scale. The caller frees *subjects. */
int pf_flame_subjects(const struct pf_flame *, struct pf_flame_subject **subjects, size_t *count,
                      size_t *main, struct pf_error *);

/* An amount, or a sum or difference of some, as it is shown, in scale.parts: times are whole
 * nanoseconds, rounded half to even. */
int64_t pf_flame_shown(const struct pf_flame_subject *, int64_t amount);

/* Amounts of a subject by node. Zero-initialise; free with pf_flame_amounts_free. */
struct pf_flame_amounts {
    /* the second is NULL where it is no difference; self: of the function, at the root where leaves
     * stand there */
    int64_t *self[2], *total[2];
    /* sum over the subtree of the greater magnitude where stacks end: never less than that of its
     * children */
    int64_t *width;
};

/* A subject without sums is nothing everywhere. PF_OK, PF_NOMEM, PF_OVERFLOW. */
int pf_flame_measure(const struct pf_flame *, const struct pf_flame_subject *,
                     struct pf_flame_amounts *, struct pf_error *);
void pf_flame_amounts_free(struct pf_flame_amounts *);

/* Numbers the nodes in preorder, siblings by name, and puts amounts (NULL: none) in that order.
 * What is called from nodes narrower than `least` is left out. Once, and before what follows. PF_OK
 * or PF_NOMEM. */
int pf_flame_order(struct pf_flame *, struct pf_flame_amounts *, int64_t least, struct pf_error *);

/* The records that have values, by slice, then by node; *count of them. The caller frees it; NULL:
 * out of memory. */
uint32_t *pf_flame_records(const struct pf_flame *, size_t *count);
/* The slice of a record. */
uint32_t pf_flame_slice(const struct pf_flame *, size_t record);

#endif

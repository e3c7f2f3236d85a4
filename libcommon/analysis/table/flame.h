/* Flame graphs: the stacks of a profile as a tree of frames. The width of a frame is its cumulative
 * amount. */
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

/* Zero-initialise, set `label` if wanted, call pf_flame_open; free with pf_flame_free. */
struct pf_flame {
    struct pf_dict *dict;
    bool reverse;   /* the tree begins with the leaves, and callers are above them */
    enum pf_by by;  /* PF_BY_FUNCTION, or PF_BY_NAME: functions with equal names are joined */
    uint32_t label; /* key of the label whose values are kept apart, a string; 0: none */

    struct pf_accumulator sums;
    /* sums of FLAT and EDGE records, for main::RUNTIME (analysis/sum/file_scope.h) */
    struct pf_accumulator calls;
    struct pf_facts facts;
    uint64_t others;         /* number of FLAT and EDGE records */
    struct pf_slices slices; /* used if there is a label */
    struct pf_keys keys;     /* functions */

    /* Set by pf_flame_make: the nodes at or below which a record has a value. A parent has a
     * smaller number than its children; node 0 is the root, `all`. */
    uint32_t *key, *parent;
    uint32_t count;
    /* by record of the sums: its node; UINT32_MAX: all its values are 0, or its node was left
     * out */
    uint32_t *places;
    size_t place_count;

    /* Set by pf_flame_order: */
    uint32_t *depth, *end; /* end: the number after the last node of the subtree */
    uint32_t height;       /* greatest depth */
};

/* Begins the tree of a writer, with the writer's options `reverse` and `by`. PF_OK, or PF_NOMEM
 * with the writer's error set; free in any case. */
int pf_flame_open(struct pf_flame *, struct pf_writer *);
void pf_flame_free(struct pf_flame *);

/* Adds a batch. Of FLAT and EDGE records only main::RUNTIME is drawn (analysis/sum/file_scope.h).
 * As pf_accumulator_add. */
int pf_flame_add(struct pf_flame *, const struct pf_batch *, struct pf_error *);
/* Call after the last batch: joins the stacks to a tree. PF_OK; PF_EOF if there are records but
 * nothing to draw; PF_NOMEM; PF_OVERFLOW. */
int pf_flame_make(struct pf_flame *, struct pf_error *);

/* The subject of a flame graph: a measure, or the sides before and after of a difference. */
struct pf_flame_subject {
    /* name of the measure; NAME for a difference of NAME.before, NAME.after and NAME.delta */
    struct pf_bytes name;
    unsigned name_flags;
    /* scale of the amounts of nodes, which are exact; scale.parts is for amounts from
     * pf_flame_shown */
    struct pf_scale scale;
    /* an amount of `parts` is one unit of the scale */
    uint64_t parts;
    /* sums of the measure, and NULL; of a difference those of before and after */
    const struct pf_sums *sums[2];
};

/* Lists all subjects, in the order of the profile; *main is the number of the subject to show
 * first. Measures that are not summed (PF_MAX) cannot be subjects. PF_OK; PF_NOMEM; PF_USAGE if
 * there are only such measures; or as pf_quantity_scale. The caller frees *subjects. */
int pf_flame_subjects(const struct pf_flame *, struct pf_flame_subject **subjects, size_t *count,
                      size_t *main, struct pf_error *);

/* For writers of one subject: calls pf_flame_make and gives the subject to show first, which has no
 * sums if there is nothing to draw. Adds its measure to `held`. As pf_flame_make and
 * pf_flame_subjects. */
int pf_flame_main(struct pf_flame *, struct pf_flame_subject *, struct pf_held_measures *held,
                  struct pf_error *);

/* Converts an amount, or a sum or difference of amounts, to the amount that is shown, in
 * 1/scale.parts: times are rounded half to even to whole nanoseconds. */
int64_t pf_flame_shown(const struct pf_flame_subject *, int64_t amount);

/* Amounts of a subject by node. Zero-initialise; free with pf_flame_amounts_free. */
struct pf_flame_amounts {
    /* by side; [1] is NULL unless it is a difference. self: of the function; if flame->reverse,
     * only the children of the root have self amounts */
    int64_t *self[2], *total[2];
    /* sum over the subtree of the greater magnitude of both sides' self amounts; never less than
     * the sum of its children */
    int64_t *width;
};

/* Computes the amounts of all nodes. A subject without sums has 0 everywhere. PF_OK, PF_NOMEM,
 * PF_OVERFLOW. */
int pf_flame_measure(const struct pf_flame *, const struct pf_flame_subject *,
                     struct pf_flame_amounts *, struct pf_error *);
void pf_flame_amounts_free(struct pf_flame_amounts *);

/* Renumbers the nodes in preorder, siblings by name, and reorders the amounts (may be NULL). Leaves
 * out the nodes below nodes narrower than `least`. Call once, before pf_flame_records. PF_OK or
 * PF_NOMEM. */
int pf_flame_order(struct pf_flame *, struct pf_flame_amounts *, int64_t least, struct pf_error *);

/* Lists the records that have values, sorted by slice, then by node; *count is their number. The
 * caller frees the list; NULL: out of memory. */
uint32_t *pf_flame_records(const struct pf_flame *, size_t *count);
/* The slice of a record. */
uint32_t pf_flame_slice(const struct pf_flame *, size_t record);

#endif

/* Edits of frames, labels and names, made to all records of a filter. Applied in the order of the
 * functions below, whatever the order they are called in. Every node of the calling-context tree
 * and every set of labels is edited once.
 *
 * A SAMPLE is its stack. An EDGE counts as a stack of caller and callee, a FLAT record as one of
 * its place alone: one that loses its place or its callee goes, and an edge that loses its caller
 * stays as an edge from no place. A sample goes when no frame is left of those it had; one that
 * never had any goes only under show and show_from. */
#ifndef PF_ANALYSIS_FILTER_REWRITE_H
#define PF_ANALYSIS_FILTER_REWRITE_H

#include "analysis/filter/places.h"
#include "analysis/sum/removed.h"
#include "base/error.h"
#include "model/batch.h"

#include <stdbool.h>
#include <stdint.h>

struct pf_rewrite;

enum pf_rewrite_frame {
    PF_REWRITE_SHOW = 1, /* only frames that match stay */
    /* frames that match go; what they cost falls to the frame outside them */
    PF_REWRITE_HIDE = 2,
    /* frames outside the outermost match go, and records without a match */
    PF_REWRITE_SHOW_FROM = 4,
    PF_REWRITE_PRUNE_FROM = 8 /* frames inside the innermost match go */
};

/* `dict` is the one of all batches and outlives this, as do all texts given. NULL: out of
 * memory. */
struct pf_rewrite *pf_rewrite_new(struct pf_dict *dict);
void pf_rewrite_free(struct pf_rewrite *); /* NULL is allowed */

/* Those that can fail give PF_OK, PF_USAGE with the reason, or PF_NOMEM. `flags` are enum
 * pf_pattern_flag. */
int pf_rewrite_frames(struct pf_rewrite *, enum pf_rewrite_frame, const char *text, unsigned flags,
                      struct pf_error *);
/* What makes two frames the same: drops the rest. A frame that does not have it (no name, no file,
 * no image) stays as it is. */
void pf_rewrite_granularity(struct pf_rewrite *, enum pf_granularity);
/* Neighbours of the same function (of the same place, where nobody named it) become one frame, the
 * inner one. */
void pf_rewrite_collapse(struct pf_rewrite *);
/* Stacks keep their outermost `frames` frames. */
void pf_rewrite_max_depth(struct pf_rewrite *, uint32_t frames);
/* Files below this directory lose its name. */
int pf_rewrite_trim_path(struct pf_rewrite *, const char *path, struct pf_error *);
/* [function|file|image|label:KEY:]s/RE/TEXT/FLAGS; file names of source texts too. */
int pf_rewrite_rename(struct pf_rewrite *, const char *text, unsigned flags, struct pf_error *);
/* The values of a label become frames at the root of samples, or behind the leaf; several calls:
 * from the outside inwards. */
int pf_rewrite_label_frames(struct pf_rewrite *, const char *key, bool leaf, struct pf_error *);

/* True when nothing was asked for: batches need not be given. */
bool pf_rewrite_changes_nothing(const struct pf_rewrite *);

/* *to: the edited *from, with 0 rows when no record is left; valid until the next call. What goes
 * is counted in `removed`. Metadata pass unchanged but for names of files and functions in what a
 * format keeps for itself. PF_OK or PF_NOMEM. */
int pf_rewrite_batch(struct pf_rewrite *, const struct pf_batch *from, struct pf_batch *to,
                     struct pf_removed *removed);

/* At the end: says which expressions matched nothing; where no record is left, only those that
 * could have kept one. */
void pf_rewrite_report(const struct pf_rewrite *, bool left, const struct pf_report *);

#endif

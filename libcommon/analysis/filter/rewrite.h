/* Edits frames, labels and names in all records of a filter. The edits are applied in the order of
 * the functions below, not in the order of the calls. Every stack and every label set is edited
 * once.
 *
 * An EDGE counts as a stack of caller and callee, a FLAT record as a stack of one frame. A FLAT
 * record is removed with its frame, an EDGE with its callee; an EDGE whose caller is removed
 * becomes an edge from location 0. A SAMPLE is removed with its last frame; a SAMPLE that never had
 * frames is removed only by show and show_from. */
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
    PF_REWRITE_SHOW = 1, /* frames that do not match are removed */
    /* frames that match are removed; their cost goes to the frame outside */
    PF_REWRITE_HIDE = 2,
    /* frames outside the outermost match are removed, and records without a match */
    PF_REWRITE_SHOW_FROM = 4,
    PF_REWRITE_PRUNE_FROM = 8 /* frames inside the innermost match are removed */
};

/* `dict` is the dictionary of all batches. It must outlive the result, and so must the texts given
 * to the functions below. NULL: out of memory. */
struct pf_rewrite *pf_rewrite_new(struct pf_dict *dict);
void pf_rewrite_free(struct pf_rewrite *); /* NULL is allowed */

/* Adds an expression for frames. Functions that can fail return PF_OK, PF_USAGE with the reason, or
 * PF_NOMEM. `flags`: enum pf_pattern_flag. */
int pf_rewrite_frames(struct pf_rewrite *, enum pf_rewrite_frame, const char *text, unsigned flags,
                      struct pf_error *);
/* Reduces frames to a granularity. A frame without the needed part (name, file, image) is
 * unchanged. */
void pf_rewrite_granularity(struct pf_rewrite *, enum pf_granularity);
/* Joins neighbouring frames of the same function, or of the same unnamed place, into the inner
 * frame. */
void pf_rewrite_collapse(struct pf_rewrite *);
/* Cuts stacks to their outermost `frames` frames. */
void pf_rewrite_max_depth(struct pf_rewrite *, uint32_t frames);
/* Removes the directory `path` from the beginning of file names. */
int pf_rewrite_trim_path(struct pf_rewrite *, const char *path, struct pf_error *);
/* Renames by [function|file|image|label:KEY:]s/RE/TEXT/FLAGS; file names of source texts too. */
int pf_rewrite_rename(struct pf_rewrite *, const char *text, unsigned flags, struct pf_error *);
/* Adds the values of label `key` as frames to samples, at the root or after the leaf. The keys of
 * several calls go from the outside inwards. */
int pf_rewrite_label_frames(struct pf_rewrite *, const char *key, bool leaf, struct pf_error *);

/* True if no edit was asked for: the caller may skip pf_rewrite_batch. */
bool pf_rewrite_changes_nothing(const struct pf_rewrite *);

/* Edits a batch: *to is valid until the next call and has 0 rows if no record is left. `removed`
 * counts the removed records. Of metadata only the names of files and functions are edited. PF_OK
 * or PF_NOMEM. */
int pf_rewrite_batch(struct pf_rewrite *, const struct pf_batch *from, struct pf_batch *to,
                     struct pf_removed *removed);

/* Call at the end: warns of expressions that matched nothing. `left` false: no record is left, so
 * only expressions for frames are reported. */
void pf_rewrite_report(const struct pf_rewrite *, bool left, const struct pf_report *);

#endif

/* Edits frames, labels and names in all records of a filter. The edits are applied in the order of
 * enum pf_rewrite_edit and of the settings, not in the order of the calls. Every stack and every
 * label set is edited once.
 *
 * An EDGE counts as a stack of caller and callee, a FLAT record as a stack of one frame. A FLAT
 * record is removed with its frame, an EDGE with its callee; an EDGE whose caller is removed
 * becomes an edge from location 0. A SAMPLE is removed when no frame of its stack is left; a SAMPLE
 * without frames in the input is removed only by show and show_from. */
#ifndef PF_ANALYSIS_FILTER_REWRITE_H
#define PF_ANALYSIS_FILTER_REWRITE_H

#include "analysis/filter/places.h"
#include "analysis/sum/removed.h"
#include "base/error.h"
#include "model/batch.h"

#include <stdbool.h>
#include <stdint.h>

struct pf_rewrite;

enum pf_rewrite_edit {
    /* expressions for frames; their values are marks of frames, a bit each */
    PF_REWRITE_SHOW = 1, /* frames that do not match are removed */
    /* frames that match are removed; their cost goes to the frame outside */
    PF_REWRITE_HIDE = 2,
    /* frames outside the outermost match are removed, and records without a match */
    PF_REWRITE_SHOW_FROM = 4,
    PF_REWRITE_PRUNE_FROM = 8, /* frames inside the innermost match are removed */
    PF_REWRITE_TRIM_PATH,      /* removes this directory from the beginning of file names */
    /* [function|file|image|label:KEY:]s/RE/TEXT/FLAGS; file names of source texts too */
    PF_REWRITE_RENAME,
    /* adds the values of the label with this key as frames to samples, at the root or after the
     * leaf; several keys go from the outside inwards */
    PF_REWRITE_ROOT_LABEL,
    PF_REWRITE_LEAF_LABEL
};

/* Zero-initialised: no edit. */
struct pf_rewrite_settings {
    /* a frame without the needed part (name, file, image) is unchanged */
    enum pf_granularity granularity;
    /* joins neighbouring frames of the same function, or of the same unnamed place, into the inner
     * frame */
    bool collapse;
    int64_t max_depth; /* cuts stacks to their outermost frames; 0: no limit */
};

/* `dict` is the dictionary of all batches. It must outlive the result, and so must the texts given
 * to pf_rewrite_add. NULL: out of memory. */
struct pf_rewrite *pf_rewrite_new(struct pf_dict *dict, const struct pf_rewrite_settings *);
void pf_rewrite_free(struct pf_rewrite *); /* NULL is allowed */

/* Adds an edit. `flags`: enum pf_pattern_flag. PF_OK, PF_USAGE with the reason, or PF_NOMEM. */
int pf_rewrite_add(struct pf_rewrite *, enum pf_rewrite_edit, const char *text, unsigned flags,
                   struct pf_error *);

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

/* Frames that a profile asks not to be shown: those that its drop_frames matches and its keep_frames does not, and what they call
 * (Prune of pprof's profile package). */
#ifndef PF_FORMAT_PPROF_DROP_H
#define PF_FORMAT_PPROF_DROP_H

#include "base/error.h"
#include "format/pprof/names.h"

/* Where a stack that is put together leaf first is cut. Zero-initialise for each. */
struct pf_pprof_cut {
    size_t from;       /* frames before this one go */
    size_t next, last; /* or those before `next`, once there are frames behind `last`: the outermost frames stay, whatever they are */
};

/* Takes inlined frames away and fills names->cuts, unless nothing is to be dropped. PF_OK; PF_FAILED for an expression that is none;
 * PF_NOMEM. */
int pf_pprof_drop_find(struct pf_pprof_names *, const struct pf_pprof_profile *, const struct pf_dict *, struct pf_error *);

/* The location at `place` has just been put on the stack, from frame `begin` up to `end`. */
static inline void pf_pprof_cut_location(struct pf_pprof_cut *cut, const struct pf_pprof_names *names, size_t place, size_t begin, size_t end)
{
    if (names->cuts == NULL || names->cuts[place] == PF_PPROF_KEPT)
        return;
    if (begin > cut->last)
        cut->from = cut->next;
    cut->next = names->cuts[place] == PF_PPROF_DROPPED ? end : begin;
    cut->last = end;
}

/* The first frame of those that stay of `depth`. */
static inline size_t pf_pprof_cut_end(const struct pf_pprof_cut *cut, size_t depth)
{
    return depth > cut->last ? cut->next : cut->from;
}

#endif

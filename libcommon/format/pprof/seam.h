/* Where one profile ends and the next begins, in an input of several one behind the other.
 *
 * To a protocol buffer that is one message more than merged, so the seam is looked for. A profile has one time, and one table of strings,
 * which begins with an empty one: a second of either says that the next has begun, there or before, but behind the last string of the one
 * at hand. In between it is where a gzip member begins, else where a field comes again whose like had ended: one that is there once, or a
 * message, unless tables go on with the next id. Profiles whose messages of one kind are not side by side (locations between samples) have
 * more such places than one; then it is where what came first in the profile, or the sample types, come again. Where the messages ahead of
 * that place may be of either profile, ids that come twice and the number of values tell, or nothing does: then `doubt` says so. */
#ifndef PF_FORMAT_PPROF_SEAM_H
#define PF_FORMAT_PPROF_SEAM_H

#include "format/pprof/profile.h"

/* To be asked of each field behind which the profile may go on, before it is added. `member`: a gzip member begins with it. True: the next
 * profile has begun, at *seam. */
bool pf_pprof_seam_met(struct pf_pprof_profile *, const struct pf_proto_field *, uint64_t offset, bool member, struct pf_pprof_seam *seam);

/* Cuts the profile there; the rest becomes `next`, which is empty. PF_OK, or PF_NOMEM in `error`. */
int pf_pprof_seam_cut(struct pf_pprof_profile *, struct pf_pprof_profile *next, const struct pf_pprof_seam *, struct pf_error *);

#endif

/* Which frames of different inputs are the same.
 *
 * At full granularity the whole location counts. Addresses are taken from the start of their image,
 * so that it does not matter where that was mapped: an image is known by its identifier (build id),
 * else by its name, and by which part of it was mapped. Coarser granularities leave out the address
 * and what of the image differs from build to build; a function is then known by name and file, but
 * those without a name of their own by their first line too.
 *
 * What has several forms (an image mapped at several places, a function at several first lines) is
 * given in the least of them, so that the order of inputs does not matter; that one is known at the
 * end. */
#ifndef PF_ANALYSIS_MERGE_FRAMES_H
#define PF_ANALYSIS_MERGE_FRAMES_H

#include "analysis/filter/places.h"
#include "analysis/merge/map.h"
#include "analysis/names/evals.h"
#include "analysis/names/image_forms.h"

struct pf_merge_frames {
    struct pf_places places;
    struct pf_merge_map now;   /* while reading */
    struct pf_merge_map final; /* then */
    struct pf_forms images, functions;
    uint32_t images_known; /* ids below it are entered */
    const struct pf_merge_evals *evals;
    int status;
};

/* PF_OK or PF_NOMEM; free in any case. */
int pf_merge_frames_init(struct pf_merge_frames *, struct pf_dict *, enum pf_granularity);
void pf_merge_frames_free(struct pf_merge_frames *);

/* Brings `now` up to date with the dictionary. PF_OK or PF_NOMEM. */
int pf_merge_frames_extend(struct pf_merge_frames *);
/* All were met: fills `final`. `evals` outlives this. PF_OK or PF_NOMEM. */
int pf_merge_frames_end(struct pf_merge_frames *, const struct pf_merge_evals *evals);

#endif

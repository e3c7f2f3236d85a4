/* Decides which frames of different inputs are the same.
 *
 * At full granularity all fields of the location count. Addresses are measured from the start of
 * the image, so the address at which an image was mapped does not matter. Images are equal if they
 * have the same identifier (build id), or without identifiers the same name, and the same part of
 * the file was mapped. Coarser granularities ignore addresses and whatever differs between builds
 * of an image. Functions are then equal if name and file are; functions without a name of their own
 * (analysis/names/anonymous.h) also need equal first lines.
 *
 * If an image or a function has several forms (an image mapped at several addresses, a function
 * with several first lines), the output shows the least form, so that the order of inputs does not
 * matter. The least form is known only after the last input. While reading, all forms are mapped to
 * the first. */
#ifndef PF_ANALYSIS_MERGE_FRAMES_H
#define PF_ANALYSIS_MERGE_FRAMES_H

#include "analysis/filter/places.h"
#include "analysis/merge/map.h"
#include "analysis/names/evals.h"
#include "analysis/names/forms.h"

struct pf_merge_frames {
    struct pf_places places;
    struct pf_merge_map now;   /* from a location of an input to its first form */
    struct pf_merge_map final; /* from the first form to the least form, after the last input */
    struct pf_forms images, functions;
    uint32_t images_known;        /* images below this id have been entered */
    const struct pf_evals *evals; /* NULL: no eval gets another name */
    int status;
};

/* `dict` must outlive the frames. PF_OK or PF_NOMEM; free in any case. */
int pf_merge_frames_init(struct pf_merge_frames *, struct pf_dict *, enum pf_granularity);
void pf_merge_frames_free(struct pf_merge_frames *);

/* Maps the locations and stacks that the dictionary got since the last call. PF_OK or PF_NOMEM. */
int pf_merge_frames_extend(struct pf_merge_frames *);
/* Call after the last input: fills `final`, with the final names of evals (NULL: none). `evals`
 * must outlive the frames. PF_OK or PF_NOMEM. */
int pf_merge_frames_end(struct pf_merge_frames *, const struct pf_evals *evals);

#endif

/* One image mapped at several places (model/images.h), and addresses in it, which are counted from
 * its start. The least form is the one mapped lowest. */
#ifndef PF_ANALYSIS_NAMES_IMAGE_FORMS_H
#define PF_ANALYSIS_NAMES_IMAGE_FORMS_H

#include "analysis/names/forms.h"
#include "model/dict.h"

#include <stdint.h>

/* PF_OK or PF_NOMEM; free with pf_forms_free in any case. */
int pf_image_forms_init(struct pf_forms *);
/* Enters an image, if it was not yet, and points *form at the forms it belongs to; NULL: it is the
 * same as no other. PF_OK or PF_NOMEM. */
int pf_image_forms_enter(struct pf_forms *, const struct pf_dict *, uint32_t image,
                         struct pf_form **form);
/* The place becomes the one in another form of its image. */
void pf_image_slide(const struct pf_dict *, struct pf_location *, uint32_t image);

#endif

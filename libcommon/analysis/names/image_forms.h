/* Images mapped at several addresses (model/images.h), and their addresses, which are counted
 * from the start of the image. The least form is the lowest mapping. */
#ifndef PF_ANALYSIS_NAMES_IMAGE_FORMS_H
#define PF_ANALYSIS_NAMES_IMAGE_FORMS_H

#include "analysis/names/forms.h"
#include "model/dict.h"

#include <stdint.h>

/* PF_OK or PF_NOMEM; free with pf_forms_free in any case. */
int pf_image_forms_init(struct pf_forms *);
/* Enters an image once; *form is its forms, NULL if it is equal to no other image. PF_OK or
 * PF_NOMEM. */
int pf_image_forms_enter(struct pf_forms *, const struct pf_dict *, uint32_t image,
                         struct pf_form **form);
/* Moves a location to another form of its image. */
void pf_image_slide(const struct pf_dict *, struct pf_location *, uint32_t image);

#endif

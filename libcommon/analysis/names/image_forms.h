/* Images mapped at several addresses (model/images.h) are forms of one image; their addresses are
 * measured from the start of the image. The least form is the mapping with the lowest address. */
#ifndef PF_ANALYSIS_NAMES_IMAGE_FORMS_H
#define PF_ANALYSIS_NAMES_IMAGE_FORMS_H

#include "analysis/names/forms.h"
#include "model/dict.h"

#include <stdint.h>

/* PF_OK or PF_NOMEM; free with pf_forms_free in any case. */
int pf_image_forms_init(struct pf_forms *);
/* Enters an image, if it has not been entered. *form: its forms; NULL if the image has no key and
 * so no other forms. PF_OK or PF_NOMEM. */
int pf_image_forms_enter(struct pf_forms *, const struct pf_dict *, uint32_t image,
                         struct pf_form **form);
/* Moves a location to another form of its image: changes its image and address. */
void pf_image_slide(const struct pf_dict *, struct pf_location *, uint32_t image);
/* The image without the fields that differ between builds: the name alone, or without a name the
 * identifier alone. Out of memory: pf_dict_status. */
uint32_t pf_image_plain(struct pf_dict *, uint32_t image);

#endif

/* Groups ids that are forms of the same thing; knows of each group the first form and the least
 * form. */
#ifndef PF_ANALYSIS_NAMES_FORMS_H
#define PF_ANALYSIS_NAMES_FORMS_H

#include "analysis/names/id_map.h"
#include "base/table.h"
#include "model/dict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_form {
    uint32_t first, least; /* ids: the form entered first, the least form */
};

/* Zero-initialise; free with pf_forms_free. */
struct pf_forms {
    struct pf_table keys; /* the keys of the things */
    struct pf_form *rows; /* by row of `keys` */
    size_t capacity;
    struct pf_id_map of; /* from an id to the row of its key */
};

/* Things have keys of `key_size` bytes. PF_OK or PF_NOMEM; free in any case. */
int pf_forms_init(struct pf_forms *, size_t key_size);
void pf_forms_free(struct pf_forms *);
/* Enters an id under its key. Returns the forms of the key, valid until the next call; NULL: out of
 * memory. The caller updates `least`. */
struct pf_form *pf_forms_enter(struct pf_forms *, const void *key, uint32_t id);
/* The forms that an id belongs to; NULL: the id was not entered. */
struct pf_form *pf_forms_of(const struct pf_forms *, uint32_t id);
/* True if the least form of every thing is its first form. */
bool pf_forms_settled(const struct pf_forms *);

/* Images mapped at several addresses (model/images.h) are forms of one image; their addresses are
 * measured from the start of the image. The least form is the mapping with the lowest address. */

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

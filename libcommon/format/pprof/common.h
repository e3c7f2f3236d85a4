/* What the inputs of one run have in common: stacks met before, images met at another place, and memory. */
#ifndef PF_FORMAT_PPROF_COMMON_H
#define PF_FORMAT_PPROF_COMMON_H

#include "base/table.h"
#include "format/pprof/profile.h"
#include "model/dict.h"
#include "model/stacks.h"

#include <stddef.h>
#include <stdint.h>

struct pf_pprof_common {
    struct pf_stack_memo *memo;
    struct pf_table keys;  /* of images */
    struct pf_pprof_profile spare; /* room an input had, for the next */
    uint32_t *first;       /* the one met first, by id of its key */
    size_t first_capacity;
};

/* For one input more. PF_OK or PF_NOMEM; free in any case. */
int pf_pprof_common_init(struct pf_pprof_common *);
void pf_pprof_common_free(void *);

/* As pf_dict_add_image, but a mapping that only has an id is an image, too. */
uint32_t pf_pprof_add_image(struct pf_dict *, struct pf_image);
/* The image that this one is the same as, and was met first: itself, where there is none. */
uint32_t pf_pprof_common_image(struct pf_pprof_common *, struct pf_dict *, uint32_t image);

#endif

#include "format/pprof/common.h"

#include "base/error.h"
#include "base/memory.h"
#include "model/images.h"

#include <stdlib.h>

int pf_pprof_common_init(struct pf_pprof_common *common)
{
    if (common->memo != NULL)
        return PF_OK;
    common->memo = pf_stack_memo_new();
    return common->memo != NULL ? pf_table_init(&common->keys, sizeof(struct pf_image_key)) : PF_NOMEM;
}

void pf_pprof_common_free(void *object)
{
    struct pf_pprof_common *common = object;

    pf_stack_memo_free(common->memo);
    pf_table_free(&common->keys);
    free(common->first);
    pf_pprof_profile_free(&common->spare);
}

uint32_t pf_pprof_add_image(struct pf_dict *dict, struct pf_image image)
{
    if (!image.name && !image.identifier && !image.start && !image.limit && !image.offset && !image.flags)
        image.flags = PF_IMAGE_BARE;
    return pf_dict_add_image(dict, &image);
}

uint32_t pf_pprof_common_image(struct pf_pprof_common *common, struct pf_dict *dict, uint32_t image)
{
    struct pf_image_key key;
    uint32_t count = common->keys.count, id;

    if (!pf_image_key(dict, pf_dict_image(dict, image), &key))
        return image;
    id = pf_table_intern(&common->keys, &key);
    if (id == 0 || !pf_grow(&common->first, &common->first_capacity, (size_t)id + 1, sizeof *common->first)) {
        dict->images.status = PF_NOMEM;
        return image;
    }
    if (id == count)
        common->first[id] = image;
    return common->first[id];
}

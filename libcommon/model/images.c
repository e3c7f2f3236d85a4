#include "model/images.h"

#include <string.h>

bool pf_image_key(const struct pf_dict *dict, const struct pf_image *image,
                  struct pf_image_key *key)
{
    struct pf_bytes name = pf_dict_string(dict, image->name);

    *key = (struct pf_image_key){image->identifier != 0 ? image->identifier : image->name,
                                 image->identifier == 0,
                                 image->limit - image->start,
                                 image->offset,
                                 image->text_start,
                                 image->text_size};
    return image->identifier != 0 ||
           (name.size > 0 && (name.size < 2 || memcmp(name.data, "//", 2) != 0));
}

bool pf_image_is_kernel(struct pf_bytes name)
{
    return pf_bytes_starts(name, PF_BYTES("[kernel")) ||
           pf_bytes_starts(name, PF_BYTES("[guest.kernel")) ||
           pf_bytes_ends(name, PF_BYTES(".ko")) ||
           pf_bytes_starts(pf_base_name(name), PF_BYTES("vmlinux"));
}

bool pf_image_is_made(struct pf_bytes name)
{
    struct pf_bytes last = pf_base_name(name);

    return (pf_bytes_starts(last, PF_BYTES("perf-")) && pf_bytes_ends(last, PF_BYTES(".map"))) ||
           (pf_bytes_starts(last, PF_BYTES("jitted-")) && pf_bytes_ends(last, PF_BYTES(".so"))) ||
           pf_bytes_starts(name, PF_BYTES("[JIT]"));
}

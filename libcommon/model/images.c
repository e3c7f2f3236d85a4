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

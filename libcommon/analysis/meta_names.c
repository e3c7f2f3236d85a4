#include "analysis/meta_names.h"

#include "base/bytes.h"
#include "codec/registry.h"

#include <string.h>

const struct pf_format *pf_meta_owner(struct pf_bytes origin)
{
    const char *dot;

    if (origin.size > 0 && origin.data[0] == '.') {
        origin.data++;
        origin.size--;
    }
    dot = origin.size > 0 ? memchr(origin.data, '.', origin.size) : NULL;
    if (dot != NULL)
        origin.size = (size_t)(dot - origin.data);
    return pf_registry_find(origin);
}

static uint32_t renamed_key(struct pf_dict *dict, uint32_t key, struct pf_bytes mark)
{
    struct pf_bytes text = pf_dict_string(dict, key);
    struct pf_buffer whole = {0};

    if (text.size >= mark.size && memcmp(text.data, mark.data, mark.size) == 0)
        return key;
    pf_buffer_append(&whole, mark.data, mark.size);
    pf_buffer_append(&whole, text.data, text.size);
    if (whole.failed)
        dict->strings.status = PF_NOMEM;
    else
        key = pf_dict_intern(dict, (struct pf_bytes){whole.data, whole.size}, 0);
    pf_buffer_free(&whole);
    return key;
}

void pf_meta_rename(struct pf_dict *dict, const struct pf_meta_edit *edit, uint32_t origin, uint32_t *key, uint32_t *value)
{
    const struct pf_format *format = pf_meta_owner(pf_dict_string(dict, origin));
    const struct pf_merging *merging = format != NULL ? format->merging : NULL;
    enum pf_meta_name what = PF_META_NO_NAME;
    uint32_t before = *value;

    if (merging != NULL && merging->names != NULL)
        what = merging->names(pf_dict_string(dict, origin), pf_dict_string(dict, *key));
    if (what == PF_META_FUNCTION)
        *value = edit->function(edit->context, before);
    if (what == PF_META_FILE)
        *value = edit->file(edit->context, before);
    if (what == PF_META_FILE && *value != before && merging->renamed != NULL)
        *key = renamed_key(dict, *key, pf_bytes_of(merging->renamed));
}

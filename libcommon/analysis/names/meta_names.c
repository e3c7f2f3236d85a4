#include "analysis/names/meta_names.h"

#include "base/bytes.h"
#include "codec/registry.h"

#include <string.h>

const struct pf_merging *pf_meta_rules(struct pf_bytes origin)
{
    const struct pf_format *format;
    const char *dot;

    if (origin.size > 0 && origin.data[0] == '.') {
        origin.data++;
        origin.size--;
    }
    dot = origin.size > 0 ? memchr(origin.data, '.', origin.size) : NULL;
    if (dot)
        origin.size = (size_t)(dot - origin.data);
    format = pf_registry_find(origin);
    return format ? format->merging : NULL;
}

int64_t pf_meta_duration(const struct pf_dict *dict, uint32_t origin, uint32_t key, uint32_t value)
{
    struct pf_bytes from = pf_dict_string(dict, origin);
    const struct pf_merging *rules = pf_meta_rules(from);

    return rules && rules->duration
               ? rules->duration(from, pf_dict_string(dict, key), pf_dict_string(dict, value))
               : 0;
}

enum pf_meta_place pf_meta_place(struct pf_bytes origin, struct pf_bytes key)
{
    const struct pf_merging *rules = pf_meta_rules(origin);

    if (rules && rules->place)
        return rules->place(origin, key);
    return pf_bytes_equal(key, PF_BYTES("comment")) ? PF_META_LIST : PF_META_FROM_HERE;
}

enum pf_meta_time pf_meta_start(const struct pf_dict *dict, uint32_t origin, uint32_t key,
                                uint32_t value, int64_t *time)
{
    struct pf_bytes from = pf_dict_string(dict, origin);
    const struct pf_merging *rules = pf_meta_rules(from);

    return rules && rules->start
               ? rules->start(from, pf_dict_string(dict, key), pf_dict_string(dict, value), time)
               : PF_META_NO_TIME;
}

static uint32_t renamed_key(struct pf_dict *dict, uint32_t key, struct pf_bytes mark)
{
    struct pf_bytes text = pf_dict_string(dict, key);
    struct pf_buffer whole = {0};

    if (pf_bytes_starts(text, mark))
        return key;
    pf_buffer_append(&whole, mark.data, mark.size);
    pf_buffer_append(&whole, text.data, text.size);
    return pf_dict_intern_buffer(dict, &whole, 0);
}

/* Edits the name in a value, which begins after `start` bytes. */
static uint32_t edited(struct pf_dict *dict, uint32_t (*edit)(void *, uint32_t), void *context,
                       uint32_t value, size_t start)
{
    struct pf_bytes text = pf_dict_string(dict, value), name;
    unsigned flags = dict->strings.rows[value].flags;
    uint32_t before, after;
    struct pf_buffer whole = {0};

    if (start == 0)
        return edit(context, value);
    before = pf_dict_intern(dict, pf_bytes_skip(text, start), flags);
    after = edit(context, before);
    if (after == before)
        return value;
    name = pf_dict_string(dict, after);
    pf_buffer_append(&whole, text.data, start);
    pf_buffer_append(&whole, name.data, name.size);
    return pf_dict_intern_buffer(dict, &whole, flags | dict->strings.rows[after].flags);
}

void pf_meta_rename(struct pf_dict *dict, const struct pf_meta_edit *edit, uint32_t origin,
                    uint32_t *key, uint32_t *value)
{
    const struct pf_merging *rules = pf_meta_rules(pf_dict_string(dict, origin));
    enum pf_meta_name what = PF_META_NO_NAME;
    uint32_t before = *value;
    size_t start = 0;

    if (rules && rules->names)
        what = rules->names(pf_dict_string(dict, origin), pf_dict_string(dict, *key));
    if (what != PF_META_NO_NAME && rules->name_at)
        start = rules->name_at(pf_dict_string(dict, *key), pf_dict_string(dict, before));
    if (what == PF_META_FUNCTION)
        *value = edited(dict, edit->function, edit->context, before, start);
    if (what == PF_META_FILE)
        *value = edited(dict, edit->file, edit->context, before, start);
    if (what == PF_META_FILE && *value != before && rules->renamed)
        *key = renamed_key(dict, *key, pf_bytes_of(rules->renamed));
}

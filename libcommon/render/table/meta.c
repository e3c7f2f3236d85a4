#include "render/table/meta.h"

#include "model/json.h"

static json_t *name_json(const struct pf_dict *dict, uint32_t id)
{
    return pf_json_text(pf_dict_string(dict, id), dict->strings.rows[id].flags);
}

/* The names of the inputs from the profile's metadata; else the operands. */
static json_t *inputs_json(const struct pf_dict *dict, const struct pf_facts *facts,
                           const char *const *operands)
{
    json_t *inputs = json_array();
    int failed = 0;

    for (size_t k = 0; k < facts->input_count; k++)
        failed |= json_array_append_new(inputs, name_json(dict, facts->inputs[k]));
    for (size_t k = 0; facts->input_count == 0 && operands[k]; k++)
        failed |= json_array_append_new(inputs, pf_json_text(pf_bytes_of(operands[k]), PF_UTF8));
    if (!failed)
        return inputs;
    json_decref(inputs);
    return NULL;
}

void pf_meta_formats(const struct pf_dict *dict, const struct pf_facts *facts,
                     struct pf_buffer *text)
{
    for (size_t k = 0; k < facts->format_count; k++) {
        struct pf_bytes name = pf_dict_string(dict, facts->formats[k]);

        if (k > 0)
            pf_buffer_byte(text, ',');
        pf_buffer_append(text, name.data, name.size);
    }
}

static json_t *formats_json(const struct pf_dict *dict, const struct pf_facts *facts)
{
    struct pf_buffer text = {0};

    pf_meta_formats(dict, facts, &text);
    json_t *string = text.failed ? NULL : pf_json_text(pf_buffer_bytes(&text), PF_UTF8);

    pf_buffer_free(&text);
    return string;
}

static json_t *metadata_json(const struct pf_dict *dict, const struct pf_facts *facts)
{
    json_t *list = json_array();
    int failed = 0;

    for (size_t k = 0; k < facts->metadata_count; k++) {
        const struct pf_fact *fact = &facts->metadata[k];
        json_t *object = json_object();

        failed |= json_object_set_new_nocheck(object, "origin", name_json(dict, fact->origin));
        failed |= json_object_set_new_nocheck(object, "key", name_json(dict, fact->key));
        failed |= json_object_set_new_nocheck(object, "value", name_json(dict, fact->value));
        failed |= json_array_append_new(list, object);
    }
    if (!failed)
        return list;
    json_decref(list);
    return NULL;
}

json_t *pf_meta_json(const struct pf_dict *dict, const struct pf_facts *facts, const char *tool,
                     const char *const *operands, bool complete)
{
    json_t *meta = json_object();
    int failed = 0;

    failed |= json_object_set_new_nocheck(meta, "tool", json_string(tool));
    failed |= json_object_set_new_nocheck(meta, "inputs", inputs_json(dict, facts, operands));
    failed |= json_object_set_new_nocheck(meta, "source_format", formats_json(dict, facts));
    failed |= json_object_set_new_nocheck(meta, "complete", json_boolean(complete));
    failed |= json_object_set_new_nocheck(meta, "metadata", metadata_json(dict, facts));
    if (!failed)
        return meta;
    json_decref(meta);
    return NULL;
}

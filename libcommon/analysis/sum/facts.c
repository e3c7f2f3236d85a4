#include "analysis/sum/facts.h"

#include "analysis/names/meta_names.h"
#include "base/error.h"
#include "codec/format.h"
#include "codec/registry.h"

#include <stdlib.h>

void pf_facts_free(struct pf_facts *facts)
{
    free(facts->metadata);
    free(facts->inputs);
    free(facts->formats);
    pf_before_free(&facts->before);
}

static bool append_id(uint32_t **list, size_t *count, size_t *capacity, uint32_t id)
{
    if (!pf_grow(list, capacity, *count + 1, sizeof **list))
        return false;
    (*list)[(*count)++] = id;
    return true;
}

static bool add_format(struct pf_facts *facts, uint32_t format)
{
    for (size_t i = 0; i < facts->format_count; i++)
        if (facts->formats[i] == format)
            return true;
    return append_id(&facts->formats, &facts->format_count, &facts->format_capacity, format);
}

static bool add_shown(struct pf_facts *facts, struct pf_fact fact)
{
    if (!pf_grow(&facts->metadata, &facts->metadata_capacity, facts->metadata_count + 1,
                 sizeof *facts->metadata))
        return false;
    facts->metadata[facts->metadata_count++] = fact;
    return true;
}

static bool add_row(struct pf_facts *facts, const struct pf_dict *dict, struct pf_fact fact)
{
    struct pf_bytes origin = pf_dict_string(dict, fact.origin),
                    key = pf_dict_string(dict, fact.key);

    facts->duration += pf_meta_duration(dict, fact.origin, fact.key, fact.value);
    if (origin.size > 0 && origin.data[0] == '.')
        return true;
    if (!pf_bytes_equal(origin, PF_BYTES("profutils")))
        return add_shown(facts, fact);
    if (pf_bytes_equal(key, PF_BYTES("input")))
        return append_id(&facts->inputs, &facts->input_count, &facts->input_capacity, fact.value);
    return !pf_bytes_equal(key, PF_BYTES("source_format")) || add_format(facts, fact.value);
}

int pf_facts_add(struct pf_facts *facts, struct pf_dict *dict, const struct pf_batch *batch)
{
    if (batch->kind != PF_META)
        return PF_OK;
    for (uint32_t i = 0; i < batch->rows; i++) {
        struct pf_fact fact = {batch->origin ? batch->origin[i] : 0, batch->key ? batch->key[i] : 0,
                               batch->value ? batch->value[i] : 0};
        if (!add_row(facts, dict, fact))
            return PF_NOMEM;
    }
    return pf_before_read(&facts->before, dict, batch);
}

bool pf_facts_calls_tell(const struct pf_facts *facts, const struct pf_dict *dict)
{
    const struct pf_format *format = pf_registry_find(pf_facts_format(facts, dict));

    return format && (format->caps & PF_CALLS_TELL) != 0;
}

struct pf_bytes pf_facts_format(const struct pf_facts *facts, const struct pf_dict *dict)
{
    return facts->format_count == 1 ? pf_dict_string(dict, facts->formats[0]) : PF_BYTES("");
}

#include "cli/relabel.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

struct texts {
    struct pf_texts set_label;
    const char *label_source;
};

static const struct pf_setting settings[] = {
    PF_TEXTS_SETTING("set-label", struct texts, set_label),
    PF_TEXT_SETTING("label-source", struct texts, label_source),
    PF_SETTINGS_END,
};

void pf_relabel_read(struct pf_relabel *relabel, struct pf_common *common, struct pf_dict *dict)
{
    struct texts texts = {0};

    relabel->dict = dict;
    pf_settings_read(&common->tool, common->given, settings, &texts);
    relabel->set = calloc((size_t)texts.set_label.count + 1, sizeof *relabel->set);
    if (!relabel->set)
        pf_tool_nomem(&common->tool);
    for (unsigned k = 0; k < texts.set_label.count; k++) {
        const char *text = texts.set_label.list[k], *equals = strchr(text, '=');

        if (!equals || equals == text)
            pf_tool_usage(&common->tool, "--set-label takes KEY=VALUE, not '%s'", text);
        relabel->set[relabel->set_count++] = (struct pf_set_label){
            pf_dict_intern(dict, (struct pf_bytes){text, (size_t)(equals - text)}, PF_UTF8),
            pf_dict_intern(dict, pf_bytes_of(equals + 1), PF_UTF8),
        };
    }
    if (texts.label_source)
        relabel->source_key = pf_dict_intern(
            dict, pf_bytes_of(*texts.label_source ? texts.label_source : "source"), PF_UTF8);
}

void pf_relabel_free(struct pf_relabel *relabel)
{
    free(relabel->relabelled);
    free(relabel->set);
}

bool pf_relabel_active(const struct pf_relabel *relabel)
{
    return relabel->set_count > 0 || relabel->source_key != 0;
}

void pf_relabel_input(struct pf_relabel *relabel, const char *name)
{
    if (!relabel->source_key)
        return;
    relabel->source = name;
    relabel->relabelled_count = 0;
}

static uint32_t replace_label(struct pf_dict *dict, uint32_t labels, uint32_t key, uint32_t value)
{
    return pf_dict_add_label(dict, pf_dict_drop_label(dict, labels, key), key, value);
}

static uint32_t replace_labels(const struct pf_relabel *relabel, uint32_t labels)
{
    for (size_t i = 0; i < relabel->set_count; i++)
        labels = replace_label(relabel->dict, labels, relabel->set[i].key, relabel->set[i].value);
    if (relabel->source_key)
        labels =
            replace_label(relabel->dict, labels, relabel->source_key,
                          pf_dict_intern(relabel->dict, pf_bytes_of(relabel->source), PF_UTF8));
    return labels;
}

int pf_relabel_batch(struct pf_relabel *relabel, struct pf_batch *batch)
{
    for (uint32_t i = 0; i < batch->rows; i++) {
        uint32_t labels = batch->labels ? batch->labels[i] : 0;

        if (labels >= relabel->relabelled_count &&
            !pf_grow_zeroed(&relabel->relabelled, &relabel->relabelled_count, &relabel->relabelled_capacity,
                            relabel->dict->labels.count, sizeof *relabel->relabelled))
            return PF_NOMEM;
        if (!relabel->relabelled[labels])
            relabel->relabelled[labels] = replace_labels(relabel, labels) + 1;
        relabel->column[i] = relabel->relabelled[labels] - 1;
    }
    batch->labels = relabel->column;
    return pf_dict_status(relabel->dict);
}

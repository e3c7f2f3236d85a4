#include "cli/merge/weighted.h"

#include "io/source.h"
#include "model/strings.h"

#include <string.h>

struct texts {
    struct pf_texts weights;
    const char *list;
};

static const struct pf_setting settings[] = {
    PF_TEXTS_SETTING("weight", struct texts, weights),
    PF_TEXT_SETTING("weights", struct texts, list),
    PF_SETTINGS_END,
};

struct weighted {
    struct pf_common *common;
    struct pf_weights *weights;
    struct pf_operands operands;
    struct pf_strings names; /* names that have a weight */
};

static void add(struct weighted *weighted, struct pf_weight weight, struct pf_bytes name)
{
    uint32_t id = pf_strings_intern(&weighted->names, name, 0);

    if (weighted->names.status != PF_OK)
        pf_tool_nomem(&weighted->common->tool);
    weighted->operands.group = (uint32_t)weighted->weights->count;
    pf_tool_check_memory(&weighted->common->tool, pf_weights_add(weighted->weights, weight));
    pf_operands_add_operand(&weighted->operands, weighted->common,
                            pf_strings_bytes(&weighted->names, id).data);
}

static void add_text(struct weighted *weighted, const char *text)
{
    const char *colon = strchr(text, ':');
    struct pf_error error = {0};
    struct pf_weight weight;
    int status;

    if (!colon || colon[1] == '\0')
        pf_tool_usage(&weighted->common->tool, "--weight takes WEIGHT:FILE, not '%s'", text);
    status = pf_weight_parse(&weight, (struct pf_bytes){text, (size_t)(colon - text)}, &error);
    pf_tool_check(&weighted->common->tool, status, &error);
    add(weighted, weight, pf_bytes_of(colon + 1));
}

static int add_line(struct weighted *weighted, struct pf_bytes line, struct pf_error *error)
{
    const char *tab = memchr(line.data, '\t', line.size);
    struct pf_weight weight;
    size_t size = tab ? (size_t)(tab - line.data) : 0;
    int status;

    if (!tab || size + 1 == line.size)
        return pf_error_set(error, PF_USAGE, "'%s' is not of the form WEIGHT, tab, FILE",
                            pf_clip(line).text);
    status = pf_weight_parse(&weight, (struct pf_bytes){line.data, size}, error);
    if (status == PF_OK)
        add(weighted, weight, (struct pf_bytes){tab + 1, line.size - size - 1});
    return status;
}

static void add_list(struct weighted *weighted, const char *path)
{
    struct pf_tool *tool = &weighted->common->tool;
    struct pf_error error = {0};
    struct pf_source *source;
    struct pf_bytes line;
    int status = pf_common_open_source(weighted->common, &source, path, &error);
    uint64_t number = 0;

    while (status == PF_OK && (status = pf_source_line(source, &line, &error)) == PF_OK) {
        number++;
        if (line.size > 0)
            status = add_line(weighted, line, &error);
    }
    if (status == PF_USAGE)
        pf_tool_usage(tool, "%s: line %llu: %s", path, (unsigned long long)number, error.text);
    if (status < 0)
        pf_tool_die(tool, path, &error, false);
    pf_source_close(source);
}

/* Adds the operands that have no weight yet, with weight 1. */
static void add_operands(struct weighted *weighted)
{
    struct pf_common *common = weighted->common;
    uint32_t known = weighted->names.count;

    weighted->operands.group = (uint32_t)weighted->weights->count;
    pf_tool_check_memory(&weighted->common->tool,
                         pf_weights_add(weighted->weights, (struct pf_weight){1, 1}));
    if (common->files0_from)
        pf_operands_add_files0(&weighted->operands, common, common->files0_from);
    for (unsigned i = 0; i < common->operand_count; i++)
        if (pf_strings_intern(&weighted->names, pf_bytes_of(common->operands[i]), 0) >= known ||
            known == 1)
            pf_operands_add_operand(&weighted->operands, common, common->operands[i]);
    if (!common->files0_from && common->operand_count == 0 && weighted->weights->count == 1)
        pf_operands_add(&weighted->operands, common, PF_BYTES("-"));
}

void pf_weighted_operands(struct pf_common *common, struct pf_operands *operands,
                          struct pf_weights *weights)
{
    struct weighted weighted = {.common = common, .weights = weights};
    struct texts texts = {0};
    struct pf_error error = {0};

    pf_settings_read(&common->tool, common->given, settings, &texts);
    pf_tool_check_memory(&common->tool, pf_strings_init(&weighted.names));
    for (unsigned i = 0; i < texts.weights.count; i++)
        add_text(&weighted, texts.weights.list[i]);
    if (texts.list)
        add_list(&weighted, texts.list);
    add_operands(&weighted);
    pf_strings_free(&weighted.names);
    pf_tool_check(&common->tool, pf_weights_join(weights, &error), &error);
    pf_operands_finish(&weighted.operands, common);
    *operands = weighted.operands;
}

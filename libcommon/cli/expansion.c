#include "cli/expansion.h"

#include "analysis/table/expand.h"

struct expansion {
    struct pf_common *common;
    struct pf_inputs *inputs;
    struct pf_output *output;
    struct pf_expand *expand; /* of the current input */
};

/* Warns that the stacks are approximate, and adds metadata that say so to later programs. */
static bool write_remark(struct expansion *expansion, const char *name)
{
    struct pf_tool *tool = &expansion->common->tool;
    if (!pf_expand_has(expansion->expand, PF_EDGE)) {
        pf_tool_warn(tool, "%s: the profile has no calls: each stack is one function", name);
        return true;
    }
    pf_tool_warn(tool, "%s: stacks are approximate: made of pairs of caller and callee", name);
    struct pf_dict *dict = pf_inputs_dict(expansion->inputs);
    uint32_t origin = pf_dict_intern(dict, PF_BYTES("profcat"), 0),
             key = pf_dict_intern(dict, PF_BYTES("expand-edges"), 0);
    uint32_t value = pf_dict_intern(
        dict, PF_BYTES("stacks are approximate: made of pairs of caller and callee"), 0);
    struct pf_batch remark = {
        .kind = PF_META, .rows = 1, .origin = &origin, .key = &key, .value = &value};

    return pf_output_write(expansion->output, &remark);
}

static bool write_stacks(struct expansion *expansion, const char *name)
{
    struct pf_error error = {0};
    struct pf_batch batch;
    int status;

    for (bool first = true; (status = pf_expand_next(expansion->expand, &batch, &error)) == PF_OK;
         first = false)
        if ((first && !write_remark(expansion, name)) ||
            !pf_output_write(expansion->output, &batch))
            return false;
    if (status != PF_EOF)
        pf_tool_fail(&expansion->common->tool, name, &error, false);
    return status == PF_EOF;
}

/* Ends an input: writes the stacks that replace its edges. */
static bool end_input(struct expansion *expansion, const char *name)
{
    bool good = true;

    if (pf_expand_has(expansion->expand, PF_SAMPLE))
        pf_tool_note(&expansion->common->tool, "%s: the profile already has stacks", name);
    else if (pf_expand_has(expansion->expand, PF_EDGE) || pf_expand_has(expansion->expand, PF_FLAT))
        good = write_stacks(expansion, name);
    pf_expand_free(expansion->expand);
    expansion->expand = NULL;
    return good;
}

static bool add_event(struct expansion *expansion, const struct pf_event *event)
{
    const struct pf_batch *batch = &event->batch;
    struct pf_error error = {0};

    if (!expansion->expand &&
        !(expansion->expand = pf_expand_new(pf_inputs_dict(expansion->inputs))))
        pf_tool_nomem(&expansion->common->tool);
    if (event->kind == PF_EVENT_END)
        return end_input(expansion, event->input->name);
    if (event->kind != PF_EVENT_BATCH)
        return true;
    if (pf_expand_add(expansion->expand, batch, &error) != PF_OK) {
        pf_tool_fail(&expansion->common->tool, event->input->name, &error, false);
        return false;
    }
    return batch->kind == PF_EDGE || batch->kind == PF_FLAT ||
           pf_output_write(expansion->output, batch);
}

void pf_expansion_write(struct pf_common *common, struct pf_inputs *inputs,
                        struct pf_output *output)
{
    struct expansion expansion = {common, inputs, output, NULL};
    struct pf_event event;
    bool good = true;

    while (good && pf_inputs_next(inputs, &event) == PF_OK)
        good = add_event(&expansion, &event);
    if (!good)
        pf_output_abandon(output);
    pf_expand_free(expansion.expand);
}

/* profcat: concatenates, converts and inspects profiles. */
#include "analysis/table/expand.h"
#include "cli/inspect.h"
#include "cli/output.h"

struct settings {
    bool probe, header, count, frames, expand_edges;
};

static const struct pf_setting settings_table[] = {
    PF_FLAG_SETTING("probe", struct settings, probe),
    PF_FLAG_SETTING("header", struct settings, header),
    PF_FLAG_SETTING("count", struct settings, count),
    PF_FLAG_SETTING("frames", struct settings, frames),
    PF_FLAG_SETTING("expand-edges", struct settings, expand_edges),
    PF_SETTINGS_END,
};

static enum pf_inspect inspection(struct pf_common *common, const struct settings *settings)
{
    if (settings->probe + settings->header + settings->count + settings->frames > 1)
        pf_tool_usage(&common->tool, "--probe, --header, --count and --frames exclude each other");
    return settings->probe    ? PF_INSPECT_PROBE
           : settings->header ? PF_INSPECT_HEADER
           : settings->count  ? PF_INSPECT_COUNT
           : settings->frames ? PF_INSPECT_FRAMES
                              : PF_INSPECT_NOTHING;
}

/* --- stacks made of calls
 * ---------------------------------------------------------------------------------- */

struct expansion {
    struct pf_common *common;
    struct pf_inputs *inputs;
    struct pf_output *output;
    struct pf_expand *expand; /* of the input at hand */
};

/* What is made up says so, also behind the pipe. */
static bool write_remark(struct expansion *expansion, const char *name)
{
    struct pf_tool *tool = &expansion->common->tool;
    if (!pf_expand_has_calls(expansion->expand)) {
        pf_tool_warn(tool, "%s: it knows no calls: each of its stacks is one function", name);
        return true;
    }
    pf_tool_warn(
        tool, "%s: its stacks are made of pairs of caller and callee: they are approximate", name);
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

/* An input is through. */
static bool end_input(struct expansion *expansion, const char *name)
{
    bool good = true;

    if (pf_expand_has_stacks(expansion->expand))
        pf_tool_note(&expansion->common->tool, "%s: it has stacks of its own", name);
    else if (pf_expand_has_calls(expansion->expand) || pf_expand_has_places(expansion->expand))
        good = write_stacks(expansion, name);
    pf_expand_free(expansion->expand);
    expansion->expand = NULL;
    return good;
}

static bool take(struct expansion *expansion, const struct pf_batch *batch,
                 const struct pf_input *input)
{
    struct pf_error error = {0};

    if (!expansion->expand &&
        !(expansion->expand = pf_expand_new(pf_inputs_dict(expansion->inputs))))
        pf_tool_nomem(&expansion->common->tool);
    if (input->ended)
        return end_input(expansion, input->name);
    if (pf_expand_add(expansion->expand, batch, &error) != PF_OK) {
        pf_tool_fail(&expansion->common->tool, input->name, &error, false);
        return false;
    }
    return batch->kind == PF_EDGE || batch->kind == PF_FLAT ||
           pf_output_write(expansion->output, batch);
}

static void expand(struct pf_common *common, struct pf_inputs *inputs, struct pf_output *output)
{
    struct expansion expansion = {common, inputs, output, NULL};
    struct pf_batch batch;
    struct pf_input input;
    bool good = true;

    pf_inputs_want_ends(inputs);
    while (good && pf_inputs_next(inputs, &batch, &input) == PF_OK)
        good = take(&expansion, &batch, &input);
    if (!good)
        pf_output_abandon(output);
    pf_expand_free(expansion.expand);
}

static void copy(struct pf_inputs *inputs, struct pf_output *output)
{
    struct pf_batch batch;

    if (pf_output_copy(output))
        while (pf_inputs_next(inputs, &batch, NULL) == PF_OK && pf_output_write(output, &batch))
            ;
}

static void convert(struct pf_common *common, const struct settings *settings)
{
    struct pf_inputs *inputs = pf_inputs_open(common);
    struct pf_output *output;

    pf_inputs_set_labels(inputs);
    if (pf_inputs_set_names(inputs)) {
        output = pf_output_open(common, inputs);
        if (output && settings->expand_edges)
            expand(common, inputs, output);
        else if (output)
            copy(inputs, output);
        pf_output_close(output);
    }
    pf_inputs_close(inputs);
}

int main(int argc, char **argv)
{
    struct pf_common common = {0};
    struct settings settings = {0};
    enum pf_inspect what;

    pf_common_start(&common, pf_command_line(), argc, argv);
    pf_settings_read(&common.tool, common.given, settings_table, &settings);
    what = inspection(&common, &settings);
    if (what == PF_INSPECT_NOTHING)
        convert(&common, &settings);
    else
        pf_inspect(&common, what);
    return pf_common_end(&common);
}

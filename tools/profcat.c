/* profcat: concatenates, converts and inspects profiles. */
#include "profcat_options.h"

#include "analysis/table/expand.h"
#include "cli/guess.h"
#include "cli/inspect.h"
#include "cli/output.h"

#include <stdlib.h>
#include <string.h>

static enum pf_inspect inspection(struct pf_common *common, const struct args *args)
{
    int given = !!args->probe_given + !!args->header_given + !!args->count_given + !!args->frames_given;

    if (given > 1)
        pf_tool_usage(&common->tool, "--probe, --header, --count and --frames exclude each other");
    return args->probe_given    ? PF_INSPECT_PROBE
           : args->header_given ? PF_INSPECT_HEADER
           : args->count_given  ? PF_INSPECT_COUNT
           : args->frames_given ? PF_INSPECT_FRAMES
                                : PF_INSPECT_NOTHING;
}

static void set_labels(struct pf_common *common, struct pf_inputs *inputs, const struct args *args)
{
    for (unsigned k = 0; k < args->set_label_given; k++) {
        const char *label = args->set_label_arg[k], *equals = strchr(label, '=');
        char *key;

        if (!equals || equals == label)
            pf_tool_usage(&common->tool, "--set-label takes KEY=VALUE, not '%s'", label);
        key = strndup(label, (size_t)(equals - label));
        if (!key)
            pf_tool_nomem(&common->tool);
        pf_inputs_set_label(inputs, key, equals + 1);
        free(key);
    }
    if (args->label_source_given) {
        const char *key = args->label_source_arg[args->label_source_given - 1];

        pf_inputs_label_source(inputs, key && *key ? key : "source");
    }
}

/* --- stacks made of calls ---------------------------------------------------------------------------------- */

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
    pf_tool_warn(tool, "%s: its stacks are made of pairs of caller and callee: they are approximate", name);
    struct pf_dict *dict = pf_inputs_dict(expansion->inputs);
    uint32_t origin = pf_dict_intern(dict, PF_BYTES("profcat"), 0), key = pf_dict_intern(dict, PF_BYTES("expand-edges"), 0);
    uint32_t value = pf_dict_intern(dict, PF_BYTES("stacks are approximate: made of pairs of caller and callee"), 0);
    struct pf_batch remark = {.kind = PF_META, .rows = 1, .origin = &origin, .key = &key, .value = &value};

    return pf_output_write(expansion->output, &remark);
}

static bool write_stacks(struct expansion *expansion, const char *name)
{
    struct pf_error error = {0};
    struct pf_batch batch;
    int status;

    for (bool first = true; (status = pf_expand_next(expansion->expand, &batch, &error)) == PF_OK; first = false)
        if ((first && !write_remark(expansion, name)) || !pf_output_write(expansion->output, &batch))
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

static bool take(struct expansion *expansion, const struct pf_batch *batch, const struct pf_input *input)
{
    struct pf_error error = {0};

    if (!expansion->expand && !(expansion->expand = pf_expand_new(pf_inputs_dict(expansion->inputs))))
        pf_tool_nomem(&expansion->common->tool);
    if (input->ended)
        return end_input(expansion, input->name);
    if (pf_expand_add(expansion->expand, batch, &error) != PF_OK) {
        pf_tool_fail(&expansion->common->tool, input->name, &error, false);
        return false;
    }
    return batch->kind == PF_EDGE || batch->kind == PF_FLAT || pf_output_write(expansion->output, batch);
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

static void convert(struct pf_common *common, const struct args *args)
{
    struct pf_inputs *inputs = pf_inputs_open(common);
    struct pf_output *output;

    set_labels(common, inputs, args);
    if (!pf_inputs_set_names(inputs, &(struct pf_name_options)PF_NAME_OPTIONS(*args))) {
        pf_inputs_close(inputs);
        return;
    }
    output = pf_output_open(common, inputs);
    if (output && args->expand_edges_given)
        expand(common, inputs, output);
    else if (output)
        copy(inputs, output);
    pf_output_close(output);
    pf_inputs_close(inputs);
}

int main(int argc, char **argv)
{
    struct pf_common common = {0};
    struct args args;
    int status;

    pf_common_dashes(argc, argv);
    pf_tool_start(&common.tool, "profcat");
    pf_guess_options(&common.tool, argc, argv, args_help);
    if (cmdline_parser(argc, argv, &args) != 0)
        pf_tool_usage_printed(&common.tool);
    pf_common_read(&common, &(struct pf_common_args)PF_COMMON_ARGS(args), args_help, false, NULL);
    enum pf_inspect what = inspection(&common, &args);

    if (what == PF_INSPECT_NOTHING)
        convert(&common, &args);
    else
        pf_inspect(&common, what);
    status = pf_tool_finish(&common.tool);
    pf_common_free(&common);
    cmdline_parser_free(&args);
    return status;
}

/* profcat: concatenates, converts and inspects profiles. */
#include "profcat_options.h"

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
        char *key = equals && equals > label ? strndup(label, (size_t)(equals - label)) : NULL;

        if (!key)
            pf_tool_usage(&common->tool, "--set-label takes KEY=VALUE, not '%s'", label);
        pf_inputs_set_label(inputs, key, equals + 1);
        free(key);
    }
    if (args->label_source_given) {
        const char *key = args->label_source_arg[args->label_source_given - 1];

        pf_inputs_label_source(inputs, key && *key ? key : "source");
    }
}

static void convert(struct pf_common *common, const struct args *args)
{
    struct pf_inputs *inputs = pf_inputs_open(common);
    struct pf_output *output;
    struct pf_batch batch;

    set_labels(common, inputs, args);
    if (args->symbols_given && !pf_inputs_set_symbols(inputs, args->symbols_arg[args->symbols_given - 1])) {
        pf_inputs_close(inputs);
        return;
    }
    output = pf_output_open(common, inputs);
    if (output && pf_output_copy(output))
        while (pf_inputs_next(inputs, &batch, NULL) == PF_OK && pf_output_write(output, &batch))
            ;
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
    if (cmdline_parser(argc, argv, &args) != 0)
        pf_tool_usage_printed(&common.tool);
    pf_common_read(&common, "profcat", &(struct pf_common_args)PF_COMMON_ARGS(args), args_help, false, NULL);
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

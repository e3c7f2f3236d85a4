/* profcat: concatenates, converts and inspects profiles. */
#include "cli/expansion.h"
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

static void convert(struct pf_common *common, const struct settings *settings)
{
    struct pf_inputs *inputs = pf_inputs_open(common);
    struct pf_output *output;

    pf_inputs_set_labels(inputs);
    if (pf_inputs_set_names(inputs)) {
        output = pf_output_open(common, inputs);
        if (output && settings->expand_edges)
            pf_expansion_write(common, inputs, output);
        else if (output)
            pf_output_write_inputs(output);
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

/* proffilter: selects and edits parts of profiles. */
#include "cli/parts.h"

struct settings {
    const char *split;
    bool exit_code;
};

static const struct pf_setting settings_table[] = {
    PF_TEXT_SETTING("split", struct settings, split),
    PF_FLAG_SETTING("exit-code", struct settings, exit_code),
    PF_SETTINGS_END,
};

/* Writes what the pipeline gives to one file, or to one file for each part. False: nothing could be
 * written. */
static bool write_inputs(struct pf_common *common, struct pf_inputs *inputs, const char *split)
{
    struct pf_output *output;

    if (split) {
        struct pf_parts *parts = pf_parts_open(common, inputs, split);

        pf_parts_write_inputs(parts);
        pf_inputs_report_filters(inputs);
        pf_parts_close(parts);
        return true;
    }
    output = pf_output_open(common, inputs);
    if (output)
        pf_output_write_inputs(output);
    pf_inputs_report_filters(inputs);
    pf_output_close(output);
    return output;
}

int main(int argc, char **argv)
{
    struct pf_common common = {0};
    struct settings settings = {0};
    struct pf_inputs *inputs;

    pf_common_start(&common, pf_command_line(), argc, argv);
    pf_settings_read(&common.tool, common.given, settings_table, &settings);
    inputs = pf_inputs_open(&common);
    pf_inputs_filter(inputs);
    if (write_inputs(&common, inputs, settings.split) && settings.exit_code &&
        !pf_inputs_left_records(inputs))
        pf_tool_raise(&common.tool, PF_EXIT_CONDITION);
    pf_inputs_close(inputs);
    return pf_common_end(&common);
}

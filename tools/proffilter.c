/* proffilter: select and edit parts of profiles. */
#include "cli/filtering.h"

struct run {
    struct pf_filtering filtering;
    bool exit_code;
};

static const struct pf_setting settings[] = {
    PF_TEXT_SETTING("split", struct run, filtering.split),
    PF_FLAG_SETTING("exit-code", struct run, exit_code),
    PF_SETTINGS_END,
};

int main(int argc, char **argv)
{
    struct run run = {0};
    struct pf_common *common = &run.filtering.common;
    bool empty;

    pf_common_start(common, pf_command_line(), argc, argv);
    pf_settings_read(&common->tool, common->given, settings, &run);
    pf_filtering_write(&run.filtering, &empty);
    if (run.exit_code && empty)
        pf_tool_raise(&common->tool, PF_EXIT_CONDITION);
    return pf_common_end(common);
}

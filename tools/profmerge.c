/* profmerge: one profile from many runs. */
#include "analysis/merge/merge.h"
#include "base/number.h"
#include "cli/output.h"
#include "cli/weighted.h"
#include "model/units.h"

#include <string.h>

struct run {
    struct pf_common common;
    struct pf_inputs *inputs;
    struct pf_weights weights;
    struct pf_merge_options options;
    struct pf_rollup rollup; /* --keep-share */
    struct pf_merge *merge;
    struct pf_output *output;
    bool
        counted; /* the run of the current input is counted: other files of a series do not count */
};

/* Parses the argument of --normalize. `field` is a struct pf_merge_options. */
static bool find_normalize(const char *text, void *field)
{
    static const char suffixes[] = PF_TIME_SUFFIXES "," PF_COUNT_SUFFIXES;
    struct pf_merge_options *options = field;

    options->normalize = strcmp(text, "total") == 0      ? PF_MERGE_TOTAL
                         : strcmp(text, "duration") == 0 ? PF_MERGE_DURATION
                                                         : PF_MERGE_AMOUNT;
    return options->normalize != PF_MERGE_AMOUNT ||
           (pf_parse_scaled(pf_bytes_of(text), suffixes, &options->amount) && options->amount > 0);
}

static const struct pf_setting settings[] = {
    PF_FLAG_SETTING("mean", struct run, options.mean),
    PF_OTHER_SETTING("normalize", struct run, options, "'total', 'duration' or a number above 0",
                     find_normalize),
    PF_WORD_SETTING("measures", struct run, options.measures, "union, intersect or same", 0),
    PF_FLAG_SETTING("saturate", struct run, options.saturate),
    PF_WORD_SETTING("granularity", struct run, options.granularity, "function, file or line",
                    PF_GRANULARITY_FUNCTION),
    PF_TEXT_SETTING("labels", struct run, options.labels),
    PF_OTHER_SETTING("keep-share", struct run, rollup.share, "a percentage from 0 to 100",
                     pf_find_share),
    PF_SETTINGS_END,
};

static void start(struct run *run)
{
    struct pf_tool *tool = &run->common.tool;
    uint32_t none;

    pf_settings_read(tool, run->common.given, settings, run);
    if (run->options.labels && strcmp(run->options.labels, "none") == 0)
        run->options.labels = "";
    run->options.force = tool->force;
    run->options.droppable = tool->keep_going;
    run->common.saturate = run->options.saturate;
    run->inputs = pf_weighted_open(&run->common, &run->weights);
    pf_inputs_relocate(run->inputs);
    run->options.evals = pf_inputs_join_evals(run->inputs, true);
    pf_inputs_select(run->inputs);
    run->options.pieces = run->weights.den;
    pf_inputs_set_labels(run->inputs);
    run->options.replicates = pf_inputs_replicates(run->inputs, &none);
    if (run->options.mean && run->options.replicates > 0)
        pf_tool_usage(tool, "--replicates keeps runs apart, whose means profdiff takes itself: it "
                            "cannot be combined with --mean");
    run->rollup.sorted = run->common.canonical;
    run->rollup.measures = run->common.measures;
    run->rollup.measure_count = run->common.measure_count;
    run->merge = pf_merge_new(pf_inputs_dict(run->inputs), &run->options);
    if (!run->merge)
        pf_tool_nomem(tool);
}

static void merge(struct run *run)
{
    const char *name = NULL;
    struct pf_report to = pf_tool_report(&run->common.tool);
    struct pf_error error = {0};
    struct pf_batch batch;
    int status =
        pf_weighted_merge(&run->common, run->inputs, &run->weights, run->merge, &name, &error);

    if (status == PF_OK || status == PF_EOF) {
        pf_inputs_find_evals(run->inputs, false, false);
        status = pf_merge_end(run->merge, &to, &error);
        if (status < 0 && status != PF_NOMEM)
            pf_tool_stop_failed(&run->common.tool);
    }
    if (status == PF_OK)
        status = pf_merge_keep_share(run->merge, &run->rollup, &to, &error);
    while (status == PF_OK && (status = pf_merge_next(run->merge, &batch, &error)) == PF_OK)
        if (!pf_output_write(run->output, &batch))
            return;
    if (status == PF_NOMEM)
        pf_tool_nomem(&run->common.tool);
    if (status >= 0)
        pf_merge_tell(run->merge, &to);
    if (status < 0) {
        pf_tool_fail(&run->common.tool, name, &error, false);
        pf_output_abandon(run->output);
    }
}

int main(int argc, char **argv)
{
    struct run run = {0};

    pf_common_start(&run.common, pf_command_line(), argc, argv);
    start(&run);
    run.output = pf_output_open(&run.common, run.inputs);
    if (run.output)
        merge(&run);
    pf_output_close(run.output);
    pf_merge_free(run.merge);
    pf_weights_free(&run.weights);
    pf_inputs_close(run.inputs);
    return pf_common_end(&run.common);
}

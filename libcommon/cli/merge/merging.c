#include "cli/merge/merging.h"

#include "base/number.h"
#include "model/units.h"

#include <string.h>

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
    PF_FLAG_SETTING("mean", struct pf_merge_run, options.mean),
    PF_OTHER_SETTING("normalize", struct pf_merge_run, options,
                     "'total', 'duration' or a number above 0", find_normalize),
    PF_WORD_SETTING("measures", struct pf_merge_run, options.measures, "union, intersect or same",
                    0),
    PF_FLAG_SETTING("saturate", struct pf_merge_run, options.saturate),
    PF_WORD_SETTING("granularity", struct pf_merge_run, options.granularity,
                    "function, file or line", PF_GRANULARITY_FUNCTION),
    PF_TEXT_SETTING("labels", struct pf_merge_run, options.labels),
    PF_OTHER_SETTING("keep-share", struct pf_merge_run, rollup.share, "a percentage from 0 to 100",
                     pf_find_share),
    PF_SETTINGS_END,
};

void pf_merging_read(struct pf_merge_run *merging, struct pf_common *common)
{
    const struct pf_tool *tool = &common->tool;

    *merging = (struct pf_merge_run){.common = common};
    pf_settings_read(&common->tool, common->given, settings, merging);
    if (merging->options.labels && strcmp(merging->options.labels, "none") == 0)
        merging->options.labels = "";
    merging->options.force = tool->force;
    merging->options.droppable = tool->keep_going;
    merging->rollup.sorted = common->canonical;
    merging->rollup.measures = common->measures;
    merging->rollup.measure_count = common->measure_count;
    common->saturate = merging->options.saturate;
}

struct pf_inputs *pf_merging_inputs(struct pf_merge_run *merging, struct pf_operands *operands,
                                    bool part)
{
    struct pf_inputs *inputs = pf_inputs_open_names(merging->common, operands);
    uint32_t none;

    if (part)
        pf_inputs_part(inputs);
    pf_inputs_relocate(inputs);
    merging->options.evals = pf_inputs_join_evals(inputs, true);
    pf_inputs_select(inputs);
    pf_inputs_set_labels(inputs);
    merging->options.replicates = pf_inputs_replicates(inputs, &none);
    if (merging->options.mean && merging->options.replicates > 0)
        pf_tool_usage(&merging->common->tool,
                      "--replicates keeps runs apart, whose means profdiff takes itself: it "
                      "cannot be combined with --mean");
    return inputs;
}

/* Merges with `weighted->merge`. */
static void write_merge(struct pf_weighted *weighted, const struct pf_rollup *rollup,
                        struct pf_output *output)
{
    const char *name = NULL;
    struct pf_tool *tool = &weighted->common->tool;
    struct pf_report to = pf_tool_report(tool);
    struct pf_error error = {0};
    struct pf_batch batch;
    int status = pf_weighted_merge(weighted, &name, &error);

    if (status == PF_OK || status == PF_EOF) {
        pf_inputs_find_evals(weighted->inputs, false, false);
        status = pf_merge_end(weighted->merge, &to, &error);
        if (status < 0 && status != PF_NOMEM)
            pf_tool_stop_failed(tool);
    }
    if (status == PF_OK)
        status = pf_merge_keep_share(weighted->merge, rollup, &to, &error);
    while (status == PF_OK && (status = pf_merge_next(weighted->merge, &batch, &error)) == PF_OK)
        if (!pf_output_write(output, &batch))
            return;
    if (status == PF_NOMEM)
        pf_tool_nomem(tool);
    if (status >= 0)
        pf_merge_tell(weighted->merge, &to);
    if (status < 0) {
        pf_tool_fail(tool, name, &error, false);
        pf_output_abandon(output);
    }
}

void pf_merging_write(const struct pf_merge_run *merging, struct pf_weighted *weighted,
                      struct pf_output *output)
{
    struct pf_merge_options options = merging->options;

    options.pieces = weighted->weights->den;
    weighted->merge = pf_merge_new(pf_inputs_dict(weighted->inputs), &options);
    if (!weighted->merge)
        pf_tool_nomem(&merging->common->tool);
    write_merge(weighted, &merging->rollup, output);
    pf_merge_free(weighted->merge);
    weighted->merge = NULL;
}

#include "cli/merge/merging.h"

#include "base/number.h"
#include "model/units.h"

#include <string.h>

/* --- options ---------------------------------------------------------------------------------- */

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

void pf_merging_open(struct pf_merge_run *merging, struct pf_operands *operands, bool part)
{
    struct pf_inputs *inputs = pf_inputs_open_names(merging->common, operands);
    uint32_t none;

    merging->inputs = inputs;
    pf_inputs_want(inputs, PF_WANT_RELOCATED | (part ? PF_WANT_PART : 0));
    merging->options.evals = pf_inputs_join_evals(inputs, true);
    pf_inputs_select(inputs);
    pf_inputs_set_labels(inputs);
    merging->options.replicates = pf_inputs_replicates(inputs, &none);
    /* the number of runs of a group is one number for all its measures */
    if (merging->options.replicates > 0 && !merging->common->tool.force &&
        !pf_settings_given(merging->common->given, "measures"))
        merging->options.measures = PF_MERGE_SAME;
    if (merging->options.mean && merging->options.replicates > 0)
        pf_tool_usage(&merging->common->tool,
                      "--replicates keeps runs apart, whose means profdiff takes itself: it "
                      "cannot be combined with --mean");
    if (merging->manifest)
        pf_manifest_dict(merging->manifest, pf_inputs_dict(inputs));
}

void pf_merging_close(struct pf_merge_run *merging)
{
    pf_weights_free(&merging->weights);
    merging->weights = (struct pf_weights){0};
    pf_inputs_close(merging->inputs);
}

/* --- inputs ----------------------------------------------------------------------------------- */

static void begin_input(struct pf_merge_run *merging, const struct pf_input *input)
{
    uint32_t group;

    merging->begun = true;
    pf_merge_input(merging->merge,
                   merging->weights.rows[pf_inputs_group(merging->inputs, input->number)].num);
    if (pf_inputs_replicates(merging->inputs, &group) > 0)
        pf_merge_replicate(merging->merge, merging->counted == input->first + 1 ? 0 : group);
}

static int end_input(struct pf_merge_run *merging, const struct pf_input *input,
                     struct pf_error *error)
{
    int status = merging->check ? merging->check(merging->arg, input, error) : PF_OK;

    if (status != PF_OK || !merging->begun || (merging->whole && input->failure))
        return status;
    status = pf_merge_input_end(merging->merge, error);
    if (status == PF_OK)
        merging->counted = input->first + 1;
    return status;
}

/* Adds a batch of an input, or its end. With --replicates an input without batches is a run. */
static int add_event(struct pf_merge_run *merging, const struct pf_event *event,
                     struct pf_error *error)
{
    const struct pf_input *input = event->input;
    bool ended = event->kind == PF_EVENT_END,
         is_run = merging->options.replicates > 0 && input->complete && !input->left_out;

    if (!ended && event->kind != PF_EVENT_BATCH)
        return PF_OK;
    if (merging->manifest && !ended)
        pf_manifest_batch(merging->manifest, &event->batch);
    if (!merging->begun && (!ended || is_run))
        begin_input(merging, input);
    return ended ? end_input(merging, input, error)
                 : pf_merge_add(merging->merge, &event->batch, error);
}

/* Writes the row of an input that has ended. */
static void note_end(const struct pf_merge_run *merging, const struct pf_input *input)
{
    static const struct pf_error none;
    uint32_t group = pf_inputs_group(merging->inputs, input->number);
    struct pf_weight weight = {merging->weights.rows[group].num, merging->weights.den};
    bool left_out = merging->dropped || !input->format || (merging->whole && input->failure);

    if (merging->manifest)
        pf_manifest_end(merging->manifest, merging->rows ? merging->rows[group] : input->number,
                        input, &weight, left_out,
                        merging->dropped  ? &merging->reason
                        : !input->failure ? &none
                                          : input->failure);
}

/* Reads all inputs and adds them to the merge. PF_EOF, or the failure of input *name. */
static int read_all(struct pf_merge_run *merging, const char **name, struct pf_error *error)
{
    struct pf_tool *tool = &merging->common->tool;
    struct pf_event event;
    int status;

    while ((status = pf_inputs_next(merging->inputs, &event)) == PF_OK) {
        bool ended = event.kind == PF_EVENT_END;

        *name = event.input->name;
        status = merging->dropped ? PF_OK : add_event(merging, &event, error);
        if (status < 0 && status != PF_NOMEM && ended && !event.input->complete)
            pf_tool_stop_failed(tool);
        if (status == PF_NOMEM || status == PF_USAGE || (status != PF_OK && !tool->keep_going))
            return status;
        if (status != PF_OK) {
            pf_inputs_reject(merging->inputs, error);
            merging->reason = *error;
            *error = (struct pf_error){0};
            merging->dropped = true;
        }
        if (ended) {
            note_end(merging, event.input);
            merging->begun = merging->dropped = false;
        }
    }
    *name = NULL;
    return status;
}

/* --- the result ------------------------------------------------------------------------------- */

/* Merges with merging->merge. */
static void write_merge(struct pf_merge_run *merging, struct pf_output *output)
{
    const char *name = NULL;
    struct pf_tool *tool = &merging->common->tool;
    struct pf_report to = pf_tool_report(tool);
    struct pf_error error = {0};
    struct pf_batch batch;
    int status = read_all(merging, &name, &error);

    if (status == PF_EOF) {
        pf_inputs_find_evals(merging->inputs, false, false);
        status = pf_merge_end(merging->merge, &to, &error);
        if (status < 0 && status != PF_NOMEM)
            pf_tool_stop_failed(tool);
    }
    if (status == PF_OK)
        status = pf_merge_keep_share(merging->merge, &merging->rollup, &to, &error);
    while (status == PF_OK && (status = pf_merge_next(merging->merge, &batch, &error)) == PF_OK)
        if (!pf_output_write(output, &batch))
            return;
    if (status == PF_NOMEM)
        pf_tool_nomem(tool);
    if (status >= 0)
        pf_merge_report(merging->merge, &to);
    if (status < 0) {
        pf_tool_fail(tool, name, &error, false);
        pf_output_abandon(output);
    }
}

void pf_merging_write(struct pf_merge_run *merging, struct pf_output *output)
{
    merging->options.pieces = merging->weights.den;
    merging->counted = 0;
    merging->merge = pf_merge_new(pf_inputs_dict(merging->inputs), &merging->options);
    if (!merging->merge)
        pf_tool_nomem(&merging->common->tool);
    write_merge(merging, output);
    pf_merge_free(merging->merge);
}

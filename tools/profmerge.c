/* profmerge: one profile from many runs. */
#include "profmerge_options.h"

#include "analysis/merge/merge.h"
#include "base/number.h"
#include "cli/guess.h"
#include "cli/output.h"
#include "cli/weighted.h"
#include "model/units.h"

#include <string.h>

struct run {
    struct pf_common common;
    struct pf_inputs *inputs;
    struct pf_weights weights;
    struct pf_merge_options options;
    struct pf_merge *merge;
    struct pf_output *output;
};

static const char *last(char **values, unsigned count)
{
    return count > 0 ? values[count - 1] : NULL;
}

static enum pf_granularity granularity(const char *name)
{
    if (name == NULL)
        return PF_GRANULARITY_FULL;
    return strcmp(name, "function") == 0 ? PF_GRANULARITY_FUNCTION : strcmp(name, "file") == 0 ? PF_GRANULARITY_FILE : PF_GRANULARITY_LINE;
}

static enum pf_merge_measures measures(const char *name)
{
    if (name == NULL || strcmp(name, "union") == 0)
        return PF_MERGE_UNION;
    return strcmp(name, "same") == 0 ? PF_MERGE_SAME : PF_MERGE_INTERSECT;
}

static void read_normalize(struct run *run, const char *text)
{
    struct pf_merge_options *options = &run->options;

    if (text == NULL)
        return;
    options->normalize = strcmp(text, "total") == 0      ? PF_MERGE_TOTAL
                         : strcmp(text, "duration") == 0 ? PF_MERGE_DURATION
                                                         : PF_MERGE_AMOUNT;
    if (options->normalize == PF_MERGE_AMOUNT &&
        (!pf_parse_scaled(pf_bytes_of(text), PF_TIME_SUFFIXES ",k=1000,M=1000000,G=1000000000", &options->amount) ||
         options->amount <= 0))
        pf_tool_usage(&run->common.tool, "--normalize takes 'total', 'duration' or a number above 0, not '%s'", text);
}

static void read_options(struct run *run, const struct args *args)
{
    const char *labels = last(args->labels_arg, args->labels_given);

    run->options = (struct pf_merge_options){
        .mean = args->mean_given,
        .saturate = args->saturate_given,
        .force = args->force_given,
        .droppable = args->keep_going_given,
        .measures = measures(last(args->measures_arg, args->measures_given)),
        .granularity = granularity(last(args->granularity_arg, args->granularity_given)),
        .labels = labels != NULL && strcmp(labels, "none") == 0 ? "" : labels,
    };
    read_normalize(run, last(args->normalize_arg, args->normalize_given));
    run->common.saturate = args->saturate_given;
    run->inputs = pf_weighted_open(&run->common, args->weight_arg, args->weight_given, last(args->weights_arg, args->weights_given),
                                   &run->weights);
    pf_inputs_relocate(run->inputs);
    pf_inputs_select(run->inputs, &(struct pf_selection_args)PF_SELECTION_ARGS(*args));
    run->options.pieces = run->weights.den;
    run->merge = pf_merge_new(pf_inputs_dict(run->inputs), &run->options);
    if (run->merge == NULL)
        pf_tool_nomem(&run->common.tool);
    if (args->label_source_given) {
        const char *key = last(args->label_source_arg, args->label_source_given);

        pf_inputs_label_source(run->inputs, key != NULL && *key != '\0' ? key : "source");
    }
}

static void report(void *arg, enum pf_severity severity, const char *text)
{
    struct run *run = arg;

    if (severity == PF_WARNING)
        pf_tool_warn(&run->common.tool, "%s", text);
    else
        pf_tool_note(&run->common.tool, "%s", text);
}

/* A batch of an input, or its end. `merged`: it is the one being merged. */
static int add(struct run *run, const struct pf_input *input, bool *merged, const struct pf_batch *batch, struct pf_error *error)
{
    int status = PF_OK;

    if (input->ended)
        return *merged ? pf_merge_input_end(run->merge, error) : PF_OK;
    if (!*merged)
        status = pf_merge_input(run->merge, run->weights.rows[pf_inputs_group(run->inputs, input->number)].num, error);
    *merged = true;
    return status == PF_OK ? pf_merge_add(run->merge, batch, error) : status;
}

/* PF_EOF when all is read. `name` is the input a failure is about. With --keep-going one that cannot be added is left out. */
static int read_inputs(struct run *run, const char **name, struct pf_error *error)
{
    struct pf_input input;
    struct pf_batch batch;
    bool merged = false, dropped = false;
    int status;

    pf_inputs_want_ends(run->inputs);
    while ((status = pf_inputs_next(run->inputs, &batch, &input)) == PF_OK) {
        *name = input.name;
        status = dropped ? PF_OK : add(run, &input, &merged, &batch, error);
        if (status < 0 && status != PF_NOMEM && input.ended && !input.complete)
            pf_tool_stop_failed(&run->common.tool);
        if (status == PF_NOMEM || (status != PF_OK && !run->common.tool.keep_going))
            return status;
        if (status != PF_OK) {
            pf_inputs_reject(run->inputs, error);
            pf_merge_input_drop(run->merge);
            dropped = true;
        }
        if (input.ended)
            merged = dropped = false;
    }
    *name = NULL;
    return status;
}

static void merge(struct run *run)
{
    const char *name = NULL;
    struct pf_report to = {report, run};
    struct pf_error error = {0};
    struct pf_batch batch;
    int status = read_inputs(run, &name, &error);

    if (status == PF_OK || status == PF_EOF) {
        status = pf_merge_end(run->merge, &to, &error);
        if (status < 0 && status != PF_NOMEM)
            pf_tool_stop_failed(&run->common.tool);
    }
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
    struct args args;
    int status;

    pf_common_dashes(argc, argv);
    pf_tool_start(&run.common.tool, "profmerge");
    pf_guess_options(&run.common.tool, argc, argv, args_help);
    if (cmdline_parser(argc, argv, &args) != 0)
        pf_tool_usage_printed(&run.common.tool);
    pf_common_read(&run.common, &(struct pf_common_args)PF_COMMON_ARGS(args), args_help, false, NULL);
    read_options(&run, &args);
    run.output = pf_output_open(&run.common, run.inputs);
    if (run.output != NULL)
        merge(&run);
    pf_output_close(run.output);
    pf_merge_free(run.merge);
    pf_weights_free(&run.weights);
    pf_inputs_close(run.inputs);
    status = pf_tool_finish(&run.common.tool);
    pf_common_free(&run.common);
    cmdline_parser_free(&args);
    return status;
}

/* proffilter: the part of a profile that was asked for. */
#include "proffilter_options.h"

#include "analysis/filter/rewrite.h"
#include "analysis/merge/spill.h"
#include "base/number.h"
#include "cli/guess.h"
#include "cli/output.h"
#include "cli/parts.h"
#include "cli/selection.h"

#include <string.h>

struct filter {
    struct pf_common common;
    struct pf_inputs *inputs;
    struct pf_dict *dict;
    struct pf_selection selection;
    struct pf_rewrite *rewrite;
    struct pf_output *output; /* one of these two */
    struct pf_parts *parts;
    struct pf_spill *spill; /* the input on its second reading; NULL: it is read once */
    bool chosen, left; /* a record was chosen; one is left */
};

/* --- options ---------------------------------------------------------------------------------- */

static const char *last(char **values, unsigned count)
{
    return count > 0 ? values[count - 1] : NULL;
}

/* The record selections that only this program has. */
static void read_records(struct filter *filter, const struct args *args)
{
    const struct {
        enum pf_select_frame which;
        char **values;
        unsigned count;
    } frames[] = {{PF_SELECT_LEAF, args->leaf_arg, args->leaf_given},
                  {PF_SELECT_ROOT, args->root_arg, args->root_given}};
    const char *least = last(args->min_value_arg, args->min_value_given);
    const char *measure = filter->common.measure_count > 0 ? filter->common.measures[0] : NULL;
    struct pf_select *select = filter->selection.select;
    struct pf_error error = {0};

    for (size_t k = 0; k < sizeof frames / sizeof *frames; k++)
        for (unsigned i = 0; i < frames[k].count; i++)
            pf_tool_check(&filter->common.tool,
                  pf_select_frame(select, frames[k].which, frames[k].values[i],
                                  filter->selection.flags, &error),
                  &error);
    for (unsigned i = 0; i < args->kind_given; i++)
        pf_tool_check(&filter->common.tool, pf_select_kind(select, args->kind_arg[i], &error), &error);
    if (least != NULL)
        pf_tool_check(&filter->common.tool, pf_select_min_value(select, least, measure, &error), &error);
    if (args->invert_given)
        pf_select_invert(select);
}

static enum pf_granularity granularity(struct filter *filter, const char *name)
{
    static const struct {
        const char *name;
        enum pf_granularity granularity;
    } names[] = {{"function", PF_GRANULARITY_FUNCTION},
                 {"file", PF_GRANULARITY_FILE},
                 {"line", PF_GRANULARITY_LINE},
                 {"image", PF_GRANULARITY_IMAGE}};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i].name) == 0)
            return names[i].granularity;
    pf_tool_usage(&filter->common.tool,
                  "--granularity takes function, file, line or image, not '%s'", name);
}

static void read_shape(struct filter *filter, const struct args *args)
{
    const char *what = last(args->granularity_arg, args->granularity_given);
    const char *depth = last(args->max_depth_arg, args->max_depth_given);
    int64_t frames;

    if (what != NULL)
        pf_rewrite_granularity(filter->rewrite, granularity(filter, what));
    if (args->collapse_recursion_given)
        pf_rewrite_collapse(filter->rewrite);
    if (depth == NULL)
        return;
    if (!pf_parse_int(pf_bytes_of(depth), 1, PF_STACK_DEPTH_MAX, &frames))
        pf_tool_usage(&filter->common.tool, "--max-depth takes a number from 1 to %d, not '%s'",
                      PF_STACK_DEPTH_MAX, depth);
    pf_rewrite_max_depth(filter->rewrite, (uint32_t)frames);
}

static void read_frames(struct filter *filter, const struct args *args, unsigned flags)
{
    const struct {
        enum pf_rewrite_frame which;
        char **values;
        unsigned count;
    } frames[] = {{PF_REWRITE_SHOW, args->show_arg, args->show_given},
                  {PF_REWRITE_HIDE, args->hide_arg, args->hide_given},
                  {PF_REWRITE_SHOW_FROM, args->show_from_arg, args->show_from_given},
                  {PF_REWRITE_PRUNE_FROM, args->prune_from_arg, args->prune_from_given}};
    struct pf_rewrite *rewrite = filter->rewrite;
    struct pf_error error = {0};

    for (size_t k = 0; k < sizeof frames / sizeof *frames; k++)
        for (unsigned i = 0; i < frames[k].count; i++)
            pf_tool_check(&filter->common.tool,
                  pf_rewrite_frames(rewrite, frames[k].which, frames[k].values[i], flags, &error),
                  &error);
    read_shape(filter, args);
    for (unsigned i = 0; i < args->trim_path_given; i++)
        pf_tool_check(&filter->common.tool, pf_rewrite_trim_path(rewrite, args->trim_path_arg[i], &error), &error);
    for (unsigned i = 0; i < args->rename_given; i++)
        pf_tool_check(&filter->common.tool, pf_rewrite_rename(rewrite, args->rename_arg[i], flags, &error), &error);
    for (unsigned i = 0; i < args->root_label_given; i++)
        pf_tool_check(&filter->common.tool, pf_rewrite_label_frames(rewrite, args->root_label_arg[i], false, &error),
              &error);
    for (unsigned i = 0; i < args->leaf_label_given; i++)
        pf_tool_check(&filter->common.tool, pf_rewrite_label_frames(rewrite, args->leaf_label_arg[i], true, &error),
              &error);
    if (args->invert_given && !pf_rewrite_changes_nothing(rewrite))
        pf_tool_usage(&filter->common.tool,
                      "--invert is about records and does not go with edits of frames");
}

static void read_options(struct filter *filter, const struct args *args)
{
    filter->inputs = pf_inputs_open(&filter->common);
    filter->dict = pf_inputs_dict(filter->inputs);
    filter->rewrite = pf_rewrite_new(filter->dict);
    if (filter->rewrite == NULL)
        pf_tool_nomem(&filter->common.tool);
    pf_selection_read(&filter->selection, &filter->common.tool, filter->dict,
                      &(struct pf_selection_args)PF_SELECTION_ARGS(*args));
    if (filter->selection.timed)
        pf_inputs_want_times(filter->inputs);
    read_records(filter, args);
    read_frames(filter, args, filter->selection.flags);
}

/* --- batches ---------------------------------------------------------------------------------- */

/* Prints a failure of the filter itself, which the output must show too; false, so that the loop
 * ends. */
static bool fail(struct filter *filter, int status, const struct pf_error *error)
{
    if (status == PF_NOMEM)
        pf_tool_nomem(&filter->common.tool);
    pf_tool_fail(&filter->common.tool, NULL, error, status == PF_IO);
    if (filter->parts != NULL)
        pf_parts_abandon(filter->parts);
    else
        pf_output_abandon(filter->output);
    return false;
}

static int next_batch(struct filter *filter, struct pf_batch *batch, struct pf_error *error)
{
    struct pf_input input;
    int status;

    if (filter->spill != NULL)
        return pf_spill_next(filter->spill, batch, error);
    status = pf_inputs_next(filter->inputs, batch, &input);
    if (status == PF_OK)
        pf_selection_note(&filter->selection, input.number, batch);
    return status;
}

static bool emit(struct filter *filter, const struct pf_batch *batch)
{
    return filter->parts != NULL ? pf_parts_write(filter->parts, batch)
                                 : pf_output_write(filter->output, batch);
}

/* Chooses, edits and writes. A batch of which nothing is left must not look like one that asks for
 * a flush. */
static bool process(struct filter *filter, const struct pf_batch *given)
{
    struct pf_batch chosen, edited;
    struct pf_error error = {0};
    int status;

    status = pf_selection_batch(&filter->selection, given, &chosen, &error);
    edited = chosen;
    if (status == PF_OK && !pf_rewrite_changes_nothing(filter->rewrite))
        status = pf_rewrite_batch(filter->rewrite, &chosen, &edited, &filter->selection.removed);
    if (status != PF_OK)
        return fail(filter, status, &error);
    if (given->kind < PF_RECORD_KINDS) {
        filter->chosen |= chosen.rows > 0;
        filter->left |= edited.rows > 0;
    }
    return (given->rows > 0 && edited.rows == 0) || emit(filter, &edited);
}

/* A share of the total can be had only when everything has been read: the input waits in a
 * temporary file. */
static bool read_total(struct filter *filter)
{
    struct pf_spill *spill = NULL;
    struct pf_error error = {0};
    struct pf_batch batch;
    int status = pf_spill_open(&spill, filter->dict, &error);

    while (status == PF_OK && (status = next_batch(filter, &batch, &error)) == PF_OK) {
        status = pf_select_total(filter->selection.select, &batch, &error);
        if (status == PF_OK)
            status = pf_spill_write(spill, &batch, &error);
    }
    if (status == PF_EOF)
        status = pf_spill_rewind(spill, &error);
    filter->spill = spill;
    return status == PF_OK || fail(filter, status, &error);
}

static bool run(struct filter *filter)
{
    struct pf_error error = {0};
    struct pf_batch batch;
    int status;

    if (pf_select_needs_total(filter->selection.select) && !read_total(filter))
        return false;
    while ((status = next_batch(filter, &batch, &error)) == PF_OK)
        if (!process(filter, &batch))
            return false;
    if (status < 0)
        return fail(filter, status, &error);
    if (pf_removed_meta(&filter->selection.removed, filter->dict, &batch) != PF_OK)
        pf_tool_nomem(&filter->common.tool);
    return batch.rows == 0 || emit(filter, &batch);
}

/* --- the end ---------------------------------------------------------------------------------- */

/* Nothing is said of an input that cannot be read at all. */
static void report(struct filter *filter)
{
    struct pf_report to = pf_selection_messages(&filter->selection);

    if (pf_inputs_failed(filter->inputs) &&
        (!filter->selection.seen || !filter->common.tool.keep_going))
        return;
    pf_selection_report(&filter->selection);
    if (filter->chosen)
        pf_rewrite_report(filter->rewrite, filter->left, &to);
}

static void close_filter(struct filter *filter)
{
    if (filter->parts != NULL)
        pf_parts_close(filter->parts);
    pf_output_close(filter->output);
    pf_spill_close(filter->spill);
    pf_selection_free(&filter->selection);
    pf_rewrite_free(filter->rewrite);
    pf_inputs_close(filter->inputs);
}

int main(int argc, char **argv)
{
    struct filter filter = {0};
    struct args args;
    int status;

    pf_common_dashes(argc, argv);
    pf_tool_start(&filter.common.tool, "proffilter");
    pf_guess_options(&filter.common.tool, argc, argv, args_help);
    if (cmdline_parser(argc, argv, &args) != 0)
        pf_tool_usage_printed(&filter.common.tool);
    pf_common_read(&filter.common, &(struct pf_common_args)PF_COMMON_ARGS(args),
                   args_help, false, NULL);
    read_options(&filter, &args);
    if (args.split_given)
        filter.parts =
            pf_parts_open(&filter.common, filter.inputs, last(args.split_arg, args.split_given));
    else
        filter.output = pf_output_open(&filter.common, filter.inputs);
    if (filter.parts != NULL || filter.output != NULL) {
        if (run(&filter))
            report(&filter);
        if (args.exit_code_given && !filter.left)
            pf_tool_raise(&filter.common.tool, PF_EXIT_CONDITION);
    }
    close_filter(&filter);
    status = pf_tool_finish(&filter.common.tool);
    pf_common_free(&filter.common);
    cmdline_parser_free(&args);
    return status;
}

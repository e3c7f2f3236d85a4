/* proffilter: the part of a profile that was asked for. */
#include "proffilter_options.h"

#include "analysis/rewrite.h"
#include "analysis/select.h"
#include "analysis/spill.h"
#include "base/number.h"
#include "cli/output.h"
#include "cli/parts.h"

#include <string.h>

struct filter {
    struct pf_common common;
    struct pf_inputs *inputs;
    struct pf_dict *dict;
    struct pf_select *select;
    struct pf_rewrite *rewrite;
    struct pf_removed removed;
    struct pf_output *output; /* one of these two */
    struct pf_parts *parts;
    struct pf_spill *spill; /* the input on its second reading; NULL: it is read once */
    const char *format;     /* of the inputs; NULL: there are several */
    bool seen, chosen, left; /* there was a record; one was chosen; one is left */
};

/* --- options ---------------------------------------------------------------------------------- */

/* Ends the program when an expression is wrong. */
static void check(struct filter *filter, int status, const struct pf_error *error)
{
    if (status == PF_NOMEM)
        pf_tool_nomem(&filter->common.tool);
    if (status != PF_OK)
        pf_tool_usage(&filter->common.tool, "%s", error->text);
}

static const char *last(char **values, unsigned count)
{
    return count > 0 ? values[count - 1] : NULL;
}

static void read_labels(struct filter *filter, const struct args *args, unsigned flags)
{
    struct pf_error error = {0};

    for (unsigned i = 0; i < args->section_given; i++)
        check(filter, pf_select_section(filter->select, args->section_arg[i], flags, &error),
              &error);
    for (unsigned i = 0; i < args->label_given; i++)
        check(filter, pf_select_label(filter->select, args->label_arg[i], false, flags, &error),
              &error);
    for (unsigned i = 0; i < args->ignore_label_given; i++)
        check(filter,
              pf_select_label(filter->select, args->ignore_label_arg[i], true, flags, &error),
              &error);
    if (args->no_section_given)
        pf_select_no_section(filter->select);
    if (args->no_section_given && args->section_given)
        pf_tool_usage(&filter->common.tool, "--section and --no-section exclude each other");
}

static void read_records(struct filter *filter, const struct args *args, unsigned flags)
{
    const struct {
        enum pf_select_frame which;
        char **values;
        unsigned count;
    } frames[] = {{PF_SELECT_FOCUS, args->focus_arg, args->focus_given},
                  {PF_SELECT_IGNORE, args->ignore_arg, args->ignore_given},
                  {PF_SELECT_LEAF, args->leaf_arg, args->leaf_given},
                  {PF_SELECT_ROOT, args->root_arg, args->root_given}};
    const char *time = last(args->time_arg, args->time_given);
    const char *least = last(args->min_value_arg, args->min_value_given);
    const char *measure = filter->common.measure_count > 0 ? filter->common.measures[0] : NULL;
    struct pf_error error = {0};

    for (size_t k = 0; k < sizeof frames / sizeof *frames; k++)
        for (unsigned i = 0; i < frames[k].count; i++)
            check(filter,
                  pf_select_frame(filter->select, frames[k].which, frames[k].values[i], flags,
                                  &error),
                  &error);
    for (unsigned i = 0; i < args->kind_given; i++)
        check(filter, pf_select_kind(filter->select, args->kind_arg[i], &error), &error);
    if (time != NULL) {
        check(filter, pf_select_time(filter->select, time, &error), &error);
        pf_inputs_want_times(filter->inputs);
    }
    if (least != NULL)
        check(filter, pf_select_min_value(filter->select, least, measure, &error), &error);
    if (args->invert_given)
        pf_select_invert(filter->select);
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
            check(filter,
                  pf_rewrite_frames(rewrite, frames[k].which, frames[k].values[i], flags, &error),
                  &error);
    read_shape(filter, args);
    for (unsigned i = 0; i < args->trim_path_given; i++)
        check(filter, pf_rewrite_trim_path(rewrite, args->trim_path_arg[i], &error), &error);
    for (unsigned i = 0; i < args->rename_given; i++)
        check(filter, pf_rewrite_rename(rewrite, args->rename_arg[i], flags, &error), &error);
    for (unsigned i = 0; i < args->root_label_given; i++)
        check(filter, pf_rewrite_label_frames(rewrite, args->root_label_arg[i], false, &error),
              &error);
    for (unsigned i = 0; i < args->leaf_label_given; i++)
        check(filter, pf_rewrite_label_frames(rewrite, args->leaf_label_arg[i], true, &error),
              &error);
    if (args->invert_given && !pf_rewrite_changes_nothing(rewrite))
        pf_tool_usage(&filter->common.tool,
                      "--invert is about records and does not go with edits of frames");
}

static void read_options(struct filter *filter, const struct args *args)
{
    unsigned flags = (args->ignore_case_given ? PF_PATTERN_IGNORE_CASE : 0) |
                     (args->fixed_strings_given ? PF_PATTERN_FIXED : 0);

    filter->inputs = pf_inputs_open(&filter->common);
    filter->dict = pf_inputs_dict(filter->inputs);
    filter->select = pf_select_new(filter->dict);
    filter->rewrite = pf_rewrite_new(filter->dict);
    if (filter->select == NULL || filter->rewrite == NULL)
        pf_tool_nomem(&filter->common.tool);
    read_labels(filter, args, flags);
    read_records(filter, args, flags);
    read_frames(filter, args, flags);
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

static void note_format(struct filter *filter, const struct pf_input *input,
                        const struct pf_batch *batch)
{
    const char *name = NULL;

    if (batch->kind != PF_META)
        return;
    for (uint32_t i = 0; i < batch->rows; i++)
        if (pf_bytes_equal(pf_dict_string(filter->dict, batch->origin[i]), PF_BYTES("profutils")) &&
            pf_bytes_equal(pf_dict_string(filter->dict, batch->key[i]), PF_BYTES("source_format")))
            name = pf_dict_string(filter->dict, batch->value[i]).data;
    if (name == NULL)
        return;
    filter->format =
        input->number > 0 && filter->format != NULL && strcmp(filter->format, name) != 0 ? NULL
                                                                                         : name;
}

static int next_batch(struct filter *filter, struct pf_batch *batch, struct pf_error *error)
{
    struct pf_input input;
    int status;

    if (filter->spill != NULL)
        return pf_spill_next(filter->spill, batch, error);
    status = pf_inputs_next(filter->inputs, batch, &input);
    if (status == PF_OK)
        note_format(filter, &input, batch);
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
    struct pf_batch chosen = *given, edited;
    struct pf_error error = {0};
    int status = PF_OK;

    if (given->kind < PF_RECORD_KINDS && !pf_select_takes_all(filter->select))
        status = pf_select_batch(filter->select, given, &chosen, &filter->removed, &error);
    edited = chosen;
    if (status == PF_OK && !pf_rewrite_changes_nothing(filter->rewrite))
        status = pf_rewrite_batch(filter->rewrite, &chosen, &edited, &filter->removed);
    if (status != PF_OK)
        return fail(filter, status, &error);
    if (given->kind < PF_RECORD_KINDS) {
        filter->seen |= given->rows > 0;
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
        status = pf_select_total(filter->select, &batch, &error);
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

    if (pf_select_needs_total(filter->select) && !read_total(filter))
        return false;
    while ((status = next_batch(filter, &batch, &error)) == PF_OK)
        if (!process(filter, &batch))
            return false;
    if (status < 0)
        return fail(filter, status, &error);
    if (pf_removed_meta(&filter->removed, filter->dict, &batch) != PF_OK)
        pf_tool_nomem(&filter->common.tool);
    return batch.rows == 0 || emit(filter, &batch);
}

/* --- the end ---------------------------------------------------------------------------------- */

static void say(void *arg, enum pf_severity severity, const char *text)
{
    struct filter *filter = arg;

    if (severity == PF_WARNING && !filter->common.tool.quiet)
        pf_tool_error(&filter->common.tool, "%s", text);
}

/* Of an input that cannot be read at all nothing more is to be said. */
static void report(struct filter *filter)
{
    struct pf_report to = {say, filter};

    if (!filter->seen && pf_inputs_failed(filter->inputs))
        return;
    if (pf_select_report(filter->select, filter->format, &to) != PF_OK)
        pf_tool_nomem(&filter->common.tool);
    if (filter->chosen)
        pf_rewrite_report(filter->rewrite, filter->left, &to);
}

static void close_filter(struct filter *filter)
{
    if (filter->parts != NULL)
        pf_parts_close(filter->parts);
    pf_output_close(filter->output);
    pf_spill_close(filter->spill);
    pf_select_free(filter->select);
    pf_rewrite_free(filter->rewrite);
    pf_removed_free(&filter->removed);
    pf_inputs_close(filter->inputs);
}

int main(int argc, char **argv)
{
    struct filter filter = {0};
    struct args args;
    int status;

    pf_common_dashes(argc, argv);
    pf_tool_start(&filter.common.tool, "proffilter");
    if (cmdline_parser(argc, argv, &args) != 0)
        pf_tool_usage_printed(&filter.common.tool);
    pf_common_read(&filter.common, "proffilter", &(struct pf_common_args)PF_COMMON_ARGS(args),
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

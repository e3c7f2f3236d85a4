/* proffilter: the part of a profile that was asked for. */
#include "analysis/filter/rewrite.h"
#include "analysis/merge/spill.h"
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
    bool chosen, left;      /* a record was chosen; one is left */
};

/* --- options ---------------------------------------------------------------------------------- */

struct settings {
    struct pf_texts show, hide, show_from, prune_from, trim_path, rename, root_label, leaf_label;
    enum pf_granularity granularity;
    bool collapse_recursion, exit_code;
    int64_t max_depth;
    const char *split;
};

static const struct pf_setting settings_table[] = {
    PF_TEXTS_SETTING("show", struct settings, show),
    PF_TEXTS_SETTING("hide", struct settings, hide),
    PF_TEXTS_SETTING("show-from", struct settings, show_from),
    PF_TEXTS_SETTING("prune-from", struct settings, prune_from),
    PF_WORD_SETTING("granularity", struct settings, granularity, "function, file, line or image",
                    PF_GRANULARITY_FUNCTION),
    PF_FLAG_SETTING("collapse-recursion", struct settings, collapse_recursion),
    PF_NUMBER_SETTING("max-depth", struct settings, max_depth, NULL, 1, PF_STACK_DEPTH_MAX),
    PF_TEXTS_SETTING("trim-path", struct settings, trim_path),
    PF_TEXTS_SETTING("rename", struct settings, rename),
    PF_TEXTS_SETTING("root-label", struct settings, root_label),
    PF_TEXTS_SETTING("leaf-label", struct settings, leaf_label),
    PF_TEXT_SETTING("split", struct settings, split),
    PF_FLAG_SETTING("exit-code", struct settings, exit_code),
    PF_SETTINGS_END,
};

static void read_frames(struct filter *filter, const struct settings *settings)
{
    const struct {
        enum pf_rewrite_frame which;
        const struct pf_texts *texts;
    } frames[] = {{PF_REWRITE_SHOW, &settings->show},
                  {PF_REWRITE_HIDE, &settings->hide},
                  {PF_REWRITE_SHOW_FROM, &settings->show_from},
                  {PF_REWRITE_PRUNE_FROM, &settings->prune_from}};
    struct pf_rewrite *rewrite = filter->rewrite;
    struct pf_tool *tool = &filter->common.tool;
    unsigned flags = filter->selection.flags;
    struct pf_error error = {0};

    for (size_t k = 0; k < sizeof frames / sizeof *frames; k++)
        for (unsigned i = 0; i < frames[k].texts->count; i++)
            pf_tool_check(tool,
                          pf_rewrite_frames(rewrite, frames[k].which, frames[k].texts->list[i],
                                            flags, &error),
                          &error);
    if (settings->granularity != PF_GRANULARITY_FULL)
        pf_rewrite_granularity(rewrite, settings->granularity);
    if (settings->collapse_recursion)
        pf_rewrite_collapse(rewrite);
    if (settings->max_depth > 0)
        pf_rewrite_max_depth(rewrite, (uint32_t)settings->max_depth);
    for (unsigned i = 0; i < settings->trim_path.count; i++)
        pf_tool_check(tool, pf_rewrite_trim_path(rewrite, settings->trim_path.list[i], &error),
                      &error);
    for (unsigned i = 0; i < settings->rename.count; i++)
        pf_tool_check(tool, pf_rewrite_rename(rewrite, settings->rename.list[i], flags, &error),
                      &error);
    for (unsigned i = 0; i < settings->root_label.count; i++)
        pf_tool_check(tool,
                      pf_rewrite_label_frames(rewrite, settings->root_label.list[i], false, &error),
                      &error);
    for (unsigned i = 0; i < settings->leaf_label.count; i++)
        pf_tool_check(tool,
                      pf_rewrite_label_frames(rewrite, settings->leaf_label.list[i], true, &error),
                      &error);
    if (filter->selection.inverted && !pf_rewrite_changes_nothing(rewrite))
        pf_tool_usage(tool, "--invert is about records and does not go with edits of frames");
}

static void start(struct filter *filter, const struct settings *settings)
{
    filter->inputs = pf_inputs_open(&filter->common);
    filter->dict = pf_inputs_dict(filter->inputs);
    filter->rewrite = pf_rewrite_new(filter->dict);
    if (filter->rewrite == NULL)
        pf_tool_nomem(&filter->common.tool);
    pf_selection_read(&filter->selection, &filter->common, filter->dict);
    if (filter->selection.timed)
        pf_inputs_want_times(filter->inputs);
    pf_selection_read_more(&filter->selection, &filter->common);
    read_frames(filter, settings);
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
    struct settings settings = {0};

    pf_common_start(&filter.common, pf_command_line(), argc, argv);
    pf_settings_read(&filter.common.tool, filter.common.given, settings_table, &settings);
    start(&filter, &settings);
    if (settings.split != NULL)
        filter.parts = pf_parts_open(&filter.common, filter.inputs, settings.split);
    else
        filter.output = pf_output_open(&filter.common, filter.inputs);
    if (filter.parts != NULL || filter.output != NULL) {
        if (run(&filter))
            report(&filter);
        if (settings.exit_code && !filter.left)
            pf_tool_raise(&filter.common.tool, PF_EXIT_CONDITION);
    }
    close_filter(&filter);
    return pf_common_end(&filter.common);
}

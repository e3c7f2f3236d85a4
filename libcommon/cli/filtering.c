#include "cli/filtering.h"

#include "cli/rewriting.h"

static void open_filter(struct pf_filtering *filter)
{
    struct pf_common *common = &filter->common;

    filter->inputs = pf_inputs_open(common);
    filter->dict = pf_inputs_dict(filter->inputs);
    pf_selection_read(&filter->selection, common, filter->dict);
    if (filter->selection.timed)
        pf_inputs_want_times(filter->inputs);
    pf_selection_read_more(&filter->selection, common);
    filter->rewrite = pf_rewriting_read(common, filter->dict, filter->selection.flags);
    if (filter->selection.inverted && !pf_rewrite_changes_nothing(filter->rewrite))
        pf_tool_usage(&common->tool,
                      "--invert is about records and does not go with edits of frames");
    if (filter->split != NULL)
        filter->parts = pf_parts_open(common, filter->inputs, filter->split);
    else
        filter->output = pf_output_open(common, filter->inputs);
}

/* --- batches ---------------------------------------------------------------------------------- */

/* Prints a failure of the filter itself, which the output must show too; false, so that the loop
 * ends. */
static bool fail(struct pf_filtering *filter, int status, const struct pf_error *error)
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

static int next_batch(struct pf_filtering *filter, struct pf_batch *batch, struct pf_error *error)
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

static bool emit(struct pf_filtering *filter, const struct pf_batch *batch)
{
    return filter->parts != NULL ? pf_parts_write(filter->parts, batch)
                                 : pf_output_write(filter->output, batch);
}

/* Chooses, edits and writes. A batch of which nothing is left must not look like one that asks for
 * a flush. */
static bool process(struct pf_filtering *filter, const struct pf_batch *given)
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
static bool read_total(struct pf_filtering *filter)
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

static bool run(struct pf_filtering *filter)
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
static void report(struct pf_filtering *filter)
{
    struct pf_report to = pf_selection_messages(&filter->selection);

    if (pf_inputs_failed(filter->inputs) &&
        (!filter->selection.seen || !filter->common.tool.keep_going))
        return;
    pf_selection_report(&filter->selection);
    if (filter->chosen)
        pf_rewrite_report(filter->rewrite, filter->left, &to);
}

static void close_filter(struct pf_filtering *filter)
{
    if (filter->parts != NULL)
        pf_parts_close(filter->parts);
    pf_output_close(filter->output);
    pf_spill_close(filter->spill);
    pf_selection_free(&filter->selection);
    pf_rewrite_free(filter->rewrite);
    pf_inputs_close(filter->inputs);
}

void pf_filtering_write(struct pf_filtering *filter, bool *empty)
{
    open_filter(filter);
    *empty = false;
    if (filter->parts != NULL || filter->output != NULL) {
        if (run(filter))
            report(filter);
        *empty = !filter->left;
    }
    close_filter(filter);
}

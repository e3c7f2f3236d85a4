#include "cli/filtering.h"

/* --- options of edits ------------------------------------------------------------------------- */

static const struct pf_setting settings[] = {
    PF_WORD_SETTING("granularity", struct pf_rewrite_settings, granularity,
                    "function, file, line or image", PF_GRANULARITY_FUNCTION),
    PF_FLAG_SETTING("collapse-recursion", struct pf_rewrite_settings, collapse),
    PF_NUMBER_SETTING("max-depth", struct pf_rewrite_settings, max_depth, NULL, 1,
                      PF_STACK_DEPTH_MAX),
    PF_SETTINGS_END,
};

static const struct pf_rule edits[] = {
    PF_RULE_SETTING("show", PF_REWRITE_SHOW),
    PF_RULE_SETTING("hide", PF_REWRITE_HIDE),
    PF_RULE_SETTING("show-from", PF_REWRITE_SHOW_FROM),
    PF_RULE_SETTING("prune-from", PF_REWRITE_PRUNE_FROM),
    PF_RULE_SETTING("trim-path", PF_REWRITE_TRIM_PATH),
    PF_RULE_SETTING("rename", PF_REWRITE_RENAME),
    PF_RULE_SETTING("root-label", PF_REWRITE_ROOT_LABEL),
    PF_RULE_SETTING("leaf-label", PF_REWRITE_LEAF_LABEL),
    PF_RULE_SETTING(NULL, 0),
};

/* The edits of frames that the options ask for; free with pf_rewrite_free. `flags`: enum
 * pf_pattern_flag of all expressions. Exits 2 for a bad argument. Never NULL. */
static struct pf_rewrite *read_rewrite(struct pf_common *common, struct pf_dict *dict,
                                       unsigned flags)
{
    struct pf_tool *tool = &common->tool;
    struct pf_rewrite_settings asked = {0};
    struct pf_rewrite *rewrite;
    struct pf_error error = {0};

    pf_settings_read(tool, common->given, settings, &asked);
    if (!(rewrite = pf_rewrite_new(dict, &asked)))
        pf_tool_nomem(tool);
    for (const struct pf_rule *rule = edits; rule->option; rule++) {
        const struct pf_given *option = pf_settings_given(common->given, rule->option);

        for (unsigned i = 0; option && i < option->count; i++)
            pf_tool_check(tool,
                          pf_rewrite_add(rewrite, (enum pf_rewrite_edit)rule->rule,
                                         option->values[i], flags, &error),
                          &error);
    }
    return rewrite;
}

/* --- the start -------------------------------------------------------------------------------- */

static void open_filter(struct pf_filtering *filter)
{
    struct pf_common *common = &filter->common;

    filter->inputs = pf_inputs_open(common);
    filter->dict = pf_inputs_dict(filter->inputs);
    pf_selection_read(&filter->selection, common, filter->dict);
    if (filter->selection.timed)
        pf_inputs_want(filter->inputs, PF_WANT_TIMES);
    pf_selection_read_more(&filter->selection, common);
    filter->rewrite = read_rewrite(common, filter->dict, filter->selection.flags);
    if (filter->selection.inverted && !pf_rewrite_changes_nothing(filter->rewrite))
        pf_tool_usage(&common->tool,
                      "--invert selects records and cannot be combined with edits of frames");
    if (filter->split)
        filter->parts = pf_parts_open(common, filter->inputs, filter->split);
    else
        filter->output = pf_output_open(common, filter->inputs);
}

/* --- batches ---------------------------------------------------------------------------------- */

/* Prints a failure of the filter itself, and leaves the output unfinished. Returns false, to end
 * the loop. */
static bool fail(struct pf_filtering *filter, int status, const struct pf_error *error)
{
    if (status == PF_NOMEM)
        pf_tool_nomem(&filter->common.tool);
    pf_tool_fail(&filter->common.tool, NULL, error, status == PF_IO);
    if (filter->parts)
        pf_parts_abandon(filter->parts);
    else
        pf_output_abandon(filter->output);
    return false;
}

static int next_batch(struct pf_filtering *filter, struct pf_batch *batch, struct pf_error *error)
{
    struct pf_input input;
    int status;

    if (filter->spill)
        return pf_spill_next(filter->spill, batch, error);
    status = pf_inputs_next(filter->inputs, batch, &input);
    if (status == PF_OK)
        pf_selection_note(&filter->selection, input.number, batch);
    return status;
}

static bool write_batch(struct pf_filtering *filter, const struct pf_batch *batch)
{
    return filter->parts ? pf_parts_write(filter->parts, batch)
                         : pf_output_write(filter->output, batch);
}

/* Selects, edits and writes a batch. A batch whose records are all removed still declares its
 * measures. Without measures it is not written: a batch without rows would ask for a flush. */
static bool filter_plain(struct pf_filtering *filter, const struct pf_batch *given)
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
    return (given->rows > 0 && edited.rows == 0 && edited.value_count == 0) ||
           write_batch(filter, &edited);
}

/* Records that count runs are written as they are: the filtered profile comes from as many runs. */
static bool filter_batch(struct pf_filtering *filter, const struct pf_batch *given)
{
    struct pf_batch plain, runs;

    if (!pf_replicates_here(filter->dict, given))
        return filter_plain(filter, given);
    pf_tool_check_memory(&filter->common.tool, pf_replicates_part(&filter->replicates, filter->dict,
                                                                  given, &plain, &runs));
    if (!write_batch(filter, &runs))
        return false;
    return (plain.rows == 0 && plain.value_count == 0) || filter_plain(filter, &plain);
}

/* Reads the whole input to compute its total, for selections by a share of the total. The input
 * waits in a temporary file. */
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

static bool filter_all(struct pf_filtering *filter)
{
    struct pf_error error = {0};
    struct pf_batch batch;
    int status;

    if (pf_select_needs_total(filter->selection.select) && !read_total(filter))
        return false;
    while ((status = next_batch(filter, &batch, &error)) == PF_OK)
        if (!filter_batch(filter, &batch))
            return false;
    if (status < 0)
        return fail(filter, status, &error);
    pf_tool_check_memory(&filter->common.tool,
                         pf_removed_meta(&filter->selection.removed, filter->dict, &batch));
    return batch.rows == 0 || write_batch(filter, &batch);
}

/* --- the end ---------------------------------------------------------------------------------- */

/* Reports expressions that matched nothing, unless an input could not be read. */
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
    if (filter->parts)
        pf_parts_close(filter->parts);
    pf_output_close(filter->output);
    pf_spill_close(filter->spill);
    pf_selection_free(&filter->selection);
    pf_replicates_free(&filter->replicates);
    pf_rewrite_free(filter->rewrite);
    pf_inputs_close(filter->inputs);
}

void pf_filtering_write(struct pf_filtering *filter, bool *empty)
{
    open_filter(filter);
    *empty = false;
    if (filter->parts || filter->output) {
        if (filter_all(filter))
            report(filter);
        *empty = !filter->left;
    }
    close_filter(filter);
}

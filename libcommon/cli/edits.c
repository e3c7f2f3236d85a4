#include "cli/edits.h"

#include "model/replicates.h"

#include <stdlib.h>

static const struct pf_setting settings[] = {
    PF_WORD_SETTING("granularity", struct pf_rewrite_settings, granularity,
                    "function, file, line or image", PF_GRANULARITY_FUNCTION),
    PF_FLAG_SETTING("collapse-recursion", struct pf_rewrite_settings, collapse),
    PF_NUMBER_SETTING("max-depth", struct pf_rewrite_settings, max_depth, NULL, 1,
                      PF_STACK_DEPTH_MAX),
    PF_SETTINGS_END,
};

static const struct pf_rule edit_rules[] = {
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
    for (const struct pf_rule *rule = edit_rules; rule->option; rule++) {
        const struct pf_given *option = pf_settings_given(common->given, rule->option);

        for (unsigned i = 0; option && i < option->count; i++)
            pf_tool_check(tool,
                          pf_rewrite_add(rewrite, (enum pf_rewrite_edit)rule->rule,
                                         option->values[i], flags, &error),
                          &error);
    }
    return rewrite;
}

struct pf_edits *pf_edits_read(struct pf_common *common, struct pf_selection *selection)
{
    struct pf_edits *result = pf_tool_calloc(&common->tool, 1, sizeof *result);

    result->selection = selection;
    result->rewrite = read_rewrite(common, selection->dict, selection->flags);
    if (selection->inverted && !pf_rewrite_changes_nothing(result->rewrite))
        pf_tool_usage(&common->tool,
                      "--invert selects records and cannot be combined with edits of frames");
    return result;
}

void pf_edits_free(struct pf_edits *edits)
{
    if (!edits)
        return;
    pf_rewrite_free(edits->rewrite);
    pf_replicates_free(&edits->replicates);
    free(edits);
}

/* Edits the records, metadata or texts of a batch. True: something is left to give. */
static bool edit_batch(struct pf_edits *edits, struct pf_batch *batch, int *status)
{
    struct pf_batch given = *batch;
    bool records = given.kind < PF_RECORD_KINDS;

    if (!pf_rewrite_changes_nothing(edits->rewrite))
        *status = pf_rewrite_batch(edits->rewrite, &given, batch, &edits->selection->removed);
    edits->chosen |= records && given.rows > 0;
    edits->left |= records && batch->rows > 0;
    return *status != PF_OK || given.rows == 0 || batch->rows > 0 || batch->value_count > 0;
}

/* Divides a batch with records that count runs: the event gets these, the others follow. */
static int divide(struct pf_edits *edits, struct pf_event *event)
{
    struct pf_batch runs;
    int status = pf_replicates_part(&edits->replicates, edits->selection->dict, &event->batch,
                                    &edits->plain.batch, &runs);

    edits->plain.kind = PF_EVENT_BATCH;
    edits->plain.input = event->input;
    edits->plain_due = edits->plain.batch.rows > 0 || edits->plain.batch.value_count > 0;
    event->batch = runs;
    return status;
}

static int next_event(struct pf_stage *stage, struct pf_event *event, struct pf_error *error)
{
    struct pf_edits *edits = PF_STAGE_OWNER(stage, struct pf_edits, stage);
    int status = PF_OK;

    for (bool given = false; status == PF_OK && !given;) {
        bool plain = edits->plain_due;

        if (plain)
            *event = edits->plain;
        else if ((status = pf_stage_next(stage->from, event, error)) != PF_OK)
            return status;
        edits->plain_due = false;
        given = true;
        if (!plain && event->kind == PF_EVENT_BATCH &&
            pf_replicates_here(edits->selection->dict, &event->batch))
            status = divide(edits, event);
        else if (event->kind == PF_EVENT_BATCH)
            given = edit_batch(edits, &event->batch, &status);
    }
    return status == PF_NOMEM ? pf_error_nomem(error) : status;
}

struct pf_stage *pf_edits_add(struct pf_edits *edits, struct pf_stage *from)
{
    edits->stage.next = next_event;
    return pf_stage_after(&edits->stage, from);
}

void pf_edits_report(const struct pf_edits *edits)
{
    const struct pf_report report = pf_selection_messages(edits->selection);

    if (edits->chosen)
        pf_rewrite_report(edits->rewrite, edits->left, &report);
}

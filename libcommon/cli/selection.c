#include "cli/selection.h"

#include "analysis/filter/pattern.h"

#include <string.h>

/* --- options ---------------------------------------------------------------------------------- */

static const struct pf_rule rules[] = {
    PF_RULE_SETTING("section", PF_SELECT_SECTION),
    PF_RULE_SETTING("label", PF_SELECT_LABEL),
    PF_RULE_SETTING("ignore-label", PF_SELECT_IGNORE_LABEL),
    PF_RULE_SETTING("focus", PF_SELECT_FOCUS),
    PF_RULE_SETTING("ignore", PF_SELECT_IGNORE),
    PF_RULE_SETTING(NULL, 0),
};

static const struct pf_rule more_rules[] = {
    PF_RULE_SETTING("leaf", PF_SELECT_LEAF),
    PF_RULE_SETTING("root", PF_SELECT_ROOT),
    PF_RULE_SETTING("kind", PF_SELECT_KIND),
    PF_RULE_SETTING(NULL, 0),
};

struct texts {
    const char *time, *min_value;
    bool no_section, ignore_case, fixed_strings;
};

static const struct pf_setting settings[] = {
    PF_FLAG_SETTING("no-section", struct texts, no_section),
    PF_TEXT_SETTING("time", struct texts, time),
    PF_FLAG_SETTING("ignore-case", struct texts, ignore_case),
    PF_FLAG_SETTING("fixed-strings", struct texts, fixed_strings),
    PF_SETTINGS_END,
};

static const struct pf_setting more_settings[] = {
    PF_TEXT_SETTING("min-value", struct texts, min_value),
    PF_SETTINGS_END,
};

static void add_rule(struct pf_selection *selection, enum pf_select_rule rule, const char *text)
{
    struct pf_error error = {0};

    pf_tool_check(selection->tool,
                  pf_select_add(selection->select, rule, text, selection->flags, &error), &error);
}

/* Adds an expression for each argument of the options. */
static void add_rules(struct pf_selection *selection, const struct pf_given *given,
                      const struct pf_rule *rule)
{
    for (; rule->option; rule++) {
        const struct pf_given *option = pf_settings_given(given, rule->option);

        for (unsigned i = 0; option && i < option->count; i++)
            add_rule(selection, (enum pf_select_rule)rule->rule, option->values[i]);
    }
}

void pf_selection_read(struct pf_selection *selection, struct pf_common *common,
                       struct pf_dict *dict)
{
    struct texts texts = {0};

    pf_settings_read(&common->tool, common->given, settings, &texts);
    selection->tool = &common->tool;
    selection->dict = dict;
    selection->select = pf_select_new(dict);
    selection->flags = (texts.ignore_case ? PF_PATTERN_IGNORE_CASE : 0) |
                       (texts.fixed_strings ? PF_PATTERN_FIXED : 0);
    if (!selection->select)
        pf_tool_nomem(selection->tool);
    add_rules(selection, common->given, rules);
    if (texts.no_section)
        pf_select_no_section(selection->select);
    if (texts.no_section && pf_settings_given(common->given, "section"))
        pf_tool_usage(selection->tool, "--section and --no-section exclude each other");
    selection->timed = texts.time;
    if (selection->timed)
        add_rule(selection, PF_SELECT_TIME, texts.time);
}

void pf_selection_read_more(struct pf_selection *selection, struct pf_common *common)
{
    struct texts texts = {0};
    struct pf_error error = {0};
    const char *measure = common->measure_count > 0 ? common->measures[0] : NULL;

    pf_settings_read(selection->tool, common->given, more_settings, &texts);
    add_rules(selection, common->given, more_rules);
    if (texts.min_value)
        pf_tool_check(selection->tool,
                      pf_select_min_value(selection->select, texts.min_value, measure, &error),
                      &error);
    selection->inverted = pf_settings_given(common->given, "invert");
    if (selection->inverted)
        pf_select_invert(selection->select);
}

bool pf_selection_given(const struct pf_given *given)
{
    static const char *const options[] = {"section", "no-section", "label", "ignore-label",
                                          "focus",   "ignore",     "time",  NULL};

    return pf_settings_first(given, options);
}

void pf_selection_free(struct pf_selection *selection)
{
    pf_select_free(selection->select);
    pf_removed_free(&selection->removed);
    pf_spill_close(selection->spill);
}

/* --- the selected records --------------------------------------------------------------------- */

/* Remembers the format that a batch of metadata names. */
static void note_format(struct pf_selection *selection, const struct pf_event *event)
{
    const struct pf_dict *dict = selection->dict;
    const struct pf_batch *batch = &event->batch;
    const char *name = NULL;

    for (uint32_t i = 0; batch->kind == PF_META && i < batch->rows; i++)
        if (pf_bytes_equal(pf_dict_string(dict, batch->origin[i]), PF_BYTES("profutils")) &&
            pf_bytes_equal(pf_dict_string(dict, batch->key[i]), PF_BYTES("source_format")))
            name = pf_dict_string(dict, batch->value[i]).data;
    if (!name)
        return;
    if (event->input->number > 0 && selection->format && strcmp(selection->format, name) != 0)
        name = NULL;
    selection->format = name;
}

/* Removes the records of a batch that are not selected. PF_OK, PF_NOMEM, or the result of
 * pf_select_batch. */
static int choose_records(struct pf_selection *selection, struct pf_batch *batch,
                          struct pf_error *error)
{
    struct pf_batch all = *batch;

    if (all.kind >= PF_RECORD_KINDS)
        return PF_OK;
    selection->seen |= all.rows > 0;
    if (selection->removed_of == PF_REMOVED_OF_EACH &&
        pf_removed_note(&selection->removed, selection->dict, &all) != PF_OK)
        return pf_error_nomem(error);
    if (pf_select_takes_all(selection->select))
        return PF_OK;
    return pf_select_batch(selection->select, &all, batch, &selection->removed, error);
}

/* A batch whose records are all removed still declares its measures: the amount of an input without
 * selected records is 0, whereas an input without the measure has no amount. */
static int choose(struct pf_stage *stage, struct pf_event *event, struct pf_error *error)
{
    struct pf_selection *selection = PF_STAGE_OWNER(stage, struct pf_selection, choose);
    int status;

    while ((status = pf_stage_next(stage->from, event, error)) == PF_OK &&
           event->kind == PF_EVENT_BATCH) {
        bool had = event->batch.rows > 0;

        note_format(selection, event);
        status = choose_records(selection, &event->batch, error);
        if (status != PF_OK || !had || event->batch.rows > 0 || event->batch.value_count > 0)
            return status;
    }
    return status;
}

/* --- the total, for selections by a share of it ----------------------------------------------- */

static int hold_batch(struct pf_selection *selection, const struct pf_batch *batch,
                      struct pf_error *error)
{
    int status = PF_OK;

    if (!selection->spill)
        status = pf_spill_open(&selection->spill, selection->dict, error);
    if (status == PF_OK)
        status = pf_select_total(selection->select, batch, error);
    return status == PF_OK ? pf_spill_write(selection->spill, batch, error) : status;
}

/* Reads all inputs, and adds up their totals. PF_OK or a failure. */
static int read_total(struct pf_selection *selection, struct pf_event *event,
                      struct pf_error *error)
{
    int status;

    while ((status = pf_stage_next(selection->total.from, event, error)) == PF_OK) {
        if (event->kind != PF_EVENT_BATCH)
            continue;
        note_format(selection, event);
        if ((status = hold_batch(selection, &event->batch, error)) != PF_OK) {
            selection->totals = PF_TOTAL_BROKEN;
            return status;
        }
    }
    if (status == PF_EOF) {
        selection->totals = PF_TOTAL_GIVES;
        status = selection->spill ? pf_spill_rewind(selection->spill, error) : PF_OK;
    }
    return status;
}

static int total(struct pf_stage *stage, struct pf_event *event, struct pf_error *error)
{
    struct pf_selection *selection = PF_STAGE_OWNER(stage, struct pf_selection, total);
    int status = PF_OK;

    if (selection->totals == PF_TOTAL_READS)
        status = read_total(selection, event, error);
    if (status == PF_OK)
        status = selection->spill && selection->totals == PF_TOTAL_GIVES
                     ? pf_spill_next(selection->spill, &event->batch, error)
                     : PF_EOF;
    if (status < 0 && selection->totals == PF_TOTAL_GIVES)
        selection->totals = PF_TOTAL_BROKEN;
    event->kind = PF_EVENT_BATCH;
    return status;
}

struct pf_stage *pf_selection_choose(struct pf_selection *selection, struct pf_stage *from)
{
    selection->total.next = total;
    selection->choose.next = choose;
    if (pf_select_needs_total(selection->select))
        from = pf_stage_after(&selection->total, from);
    return pf_stage_after(&selection->choose, from);
}

/* --- the removed records ---------------------------------------------------------------------- */

/* Gives the metadata about the removed records. False: no record was removed. */
static bool tell_removed(struct pf_selection *selection, struct pf_event *event)
{
    event->kind = PF_EVENT_BATCH;
    pf_tool_check_memory(selection->tool,
                         pf_removed_meta(&selection->removed, selection->dict, &event->batch));
    pf_removed_clear(&selection->removed);
    selection->told = event->batch.rows > 0;
    return selection->told;
}

static int tell(struct pf_stage *stage, struct pf_event *event, struct pf_error *error)
{
    struct pf_selection *selection = PF_STAGE_OWNER(stage, struct pf_selection, tell);
    bool of_all = selection->removed_of == PF_REMOVED_OF_ALL;
    int status;

    if (selection->told && !of_all) {
        *event = selection->end;
        selection->told = false;
        return PF_OK;
    }
    status = pf_stage_next(stage->from, event, error);
    if (of_all)
        return status == PF_EOF && !selection->told && tell_removed(selection, event) ? PF_OK
                                                                                      : status;
    if (status != PF_OK || event->kind != PF_EVENT_END)
        return status;
    selection->end = *event;
    if (!tell_removed(selection, event))
        *event = selection->end;
    return PF_OK;
}

struct pf_stage *pf_selection_tell(struct pf_selection *selection, struct pf_stage *from)
{
    selection->tell.next = tell;
    return pf_stage_after(&selection->tell, from);
}

/* --- the end ---------------------------------------------------------------------------------- */

static void warn(void *arg, enum pf_severity severity, const char *text)
{
    struct pf_tool *tool = arg;

    if (severity == PF_WARNING && !tool->quiet)
        pf_tool_error(tool, "%s", text);
}

struct pf_report pf_selection_messages(struct pf_selection *selection)
{
    return (struct pf_report){warn, selection->tool};
}

void pf_selection_report(struct pf_selection *selection)
{
    const struct pf_report report = pf_selection_messages(selection);

    pf_tool_check_memory(selection->tool,
                         pf_select_report(selection->select, selection->format, &report));
}

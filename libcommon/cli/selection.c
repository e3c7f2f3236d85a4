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

void pf_selection_free(struct pf_selection *selection)
{
    pf_select_free(selection->select);
    pf_removed_free(&selection->removed);
}

/* --- batches ---------------------------------------------------------------------------------- */

void pf_selection_note(struct pf_selection *selection, unsigned number,
                       const struct pf_batch *batch)
{
    const struct pf_dict *dict = selection->dict;
    const char *name = NULL;

    if (batch->kind != PF_META)
        return;
    for (uint32_t i = 0; i < batch->rows; i++)
        if (pf_bytes_equal(pf_dict_string(dict, batch->origin[i]), PF_BYTES("profutils")) &&
            pf_bytes_equal(pf_dict_string(dict, batch->key[i]), PF_BYTES("source_format")))
            name = pf_dict_string(dict, batch->value[i]).data;
    if (!name)
        return;
    if (number > 0 && selection->format && strcmp(selection->format, name) != 0)
        name = NULL;
    selection->format = name;
}

int pf_selection_batch(struct pf_selection *selection, const struct pf_batch *from,
                       struct pf_batch *to, struct pf_error *error)
{
    *to = *from;
    if (from->kind >= PF_RECORD_KINDS)
        return PF_OK;
    selection->seen |= from->rows > 0;
    if (selection->apart && pf_removed_note(&selection->removed, selection->dict, from) != PF_OK)
        return pf_error_nomem(error);
    if (pf_select_takes_all(selection->select))
        return PF_OK;
    return pf_select_batch(selection->select, from, to, &selection->removed, error);
}

int pf_selection_removed(struct pf_selection *selection, struct pf_batch *batch)
{
    int status = pf_removed_meta(&selection->removed, selection->dict, batch);

    pf_removed_clear(&selection->removed);
    return status;
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

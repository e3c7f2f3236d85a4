#include "cli/selection.h"

#include "analysis/filter/pattern.h"

#include <string.h>

/* --- options ---------------------------------------------------------------------------------- */

struct texts {
    struct pf_texts section, label, ignore_label, focus, ignore, leaf, root, kind;
    const char *time, *min_value;
    bool no_section, ignore_case, fixed_strings;
};

static const struct pf_setting settings[] = {
    PF_TEXTS_SETTING("section", struct texts, section),
    PF_FLAG_SETTING("no-section", struct texts, no_section),
    PF_TEXTS_SETTING("label", struct texts, label),
    PF_TEXTS_SETTING("ignore-label", struct texts, ignore_label),
    PF_TEXTS_SETTING("focus", struct texts, focus),
    PF_TEXTS_SETTING("ignore", struct texts, ignore),
    PF_TEXT_SETTING("time", struct texts, time),
    PF_FLAG_SETTING("ignore-case", struct texts, ignore_case),
    PF_FLAG_SETTING("fixed-strings", struct texts, fixed_strings),
    PF_SETTINGS_END,
};

static const struct pf_setting more_settings[] = {
    PF_TEXTS_SETTING("leaf", struct texts, leaf),
    PF_TEXTS_SETTING("root", struct texts, root),
    PF_TEXTS_SETTING("kind", struct texts, kind),
    PF_TEXT_SETTING("min-value", struct texts, min_value),
    PF_SETTINGS_END,
};

static void read_labels(struct pf_selection *selection, const struct texts *texts)
{
    struct pf_select *select = selection->select;
    struct pf_tool *tool = selection->tool;
    unsigned flags = selection->flags;
    struct pf_error error = {0};

    for (unsigned i = 0; i < texts->section.count; i++)
        pf_tool_check(tool, pf_select_section(select, texts->section.list[i], flags, &error),
                      &error);
    for (unsigned i = 0; i < texts->label.count; i++)
        pf_tool_check(tool, pf_select_label(select, texts->label.list[i], false, flags, &error),
                      &error);
    for (unsigned i = 0; i < texts->ignore_label.count; i++)
        pf_tool_check(tool,
                      pf_select_label(select, texts->ignore_label.list[i], true, flags, &error),
                      &error);
    if (texts->no_section)
        pf_select_no_section(select);
    if (texts->no_section && texts->section.count > 0)
        pf_tool_usage(tool, "--section and --no-section exclude each other");
}

static void read_frames(struct pf_selection *selection, enum pf_select_frame which,
                        const struct pf_texts *texts)
{
    struct pf_error error = {0};

    for (unsigned i = 0; i < texts->count; i++)
        pf_tool_check(
            selection->tool,
            pf_select_frame(selection->select, which, texts->list[i], selection->flags, &error),
            &error);
}

void pf_selection_read(struct pf_selection *selection, struct pf_common *common,
                       struct pf_dict *dict)
{
    struct texts texts = {0};
    struct pf_error error = {0};

    pf_settings_read(&common->tool, common->given, settings, &texts);
    selection->tool = &common->tool;
    selection->dict = dict;
    selection->select = pf_select_new(dict);
    selection->flags = (texts.ignore_case ? PF_PATTERN_IGNORE_CASE : 0) |
                       (texts.fixed_strings ? PF_PATTERN_FIXED : 0);
    if (!selection->select)
        pf_tool_nomem(selection->tool);
    read_labels(selection, &texts);
    read_frames(selection, PF_SELECT_FOCUS, &texts.focus);
    read_frames(selection, PF_SELECT_IGNORE, &texts.ignore);
    selection->timed = texts.time;
    if (selection->timed)
        pf_tool_check(selection->tool, pf_select_time(selection->select, texts.time, &error),
                      &error);
}

void pf_selection_read_more(struct pf_selection *selection, struct pf_common *common)
{
    struct texts texts = {0};
    struct pf_error error = {0};
    const char *measure = common->measure_count > 0 ? common->measures[0] : NULL;

    pf_settings_read(selection->tool, common->given, more_settings, &texts);
    read_frames(selection, PF_SELECT_LEAF, &texts.leaf);
    read_frames(selection, PF_SELECT_ROOT, &texts.root);
    for (unsigned i = 0; i < texts.kind.count; i++)
        pf_tool_check(selection->tool,
                      pf_select_kind(selection->select, texts.kind.list[i], &error), &error);
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

static void say(void *arg, enum pf_severity severity, const char *text)
{
    struct pf_tool *tool = arg;

    if (severity == PF_WARNING && !tool->quiet)
        pf_tool_error(tool, "%s", text);
}

struct pf_report pf_selection_messages(struct pf_selection *selection)
{
    return (struct pf_report){say, selection->tool};
}

void pf_selection_report(struct pf_selection *selection)
{
    const struct pf_report report = pf_selection_messages(selection);

    pf_tool_check_memory(selection->tool,
                         pf_select_report(selection->select, selection->format, &report));
}

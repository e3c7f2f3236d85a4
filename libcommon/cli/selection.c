#include "cli/selection.h"

#include "analysis/filter/pattern.h"

#include <string.h>

/* --- options ---------------------------------------------------------------------------------- */

static void read_labels(struct pf_selection *selection, const struct pf_selection_args *args)
{
    struct pf_select *select = selection->select;
    struct pf_tool *tool = selection->tool;
    unsigned flags = selection->flags;
    struct pf_error error = {0};

    for (unsigned i = 0; i < args->section_given; i++)
        pf_tool_check(tool, pf_select_section(select, args->section[i], flags, &error), &error);
    for (unsigned i = 0; i < args->label_given; i++)
        pf_tool_check(tool, pf_select_label(select, args->label[i], false, flags, &error), &error);
    for (unsigned i = 0; i < args->ignore_label_given; i++)
        pf_tool_check(tool, pf_select_label(select, args->ignore_label[i], true, flags, &error),
                      &error);
    if (args->no_section_given)
        pf_select_no_section(select);
    if (args->no_section_given && args->section_given)
        pf_tool_usage(tool, "--section and --no-section exclude each other");
}

static void read_frames(struct pf_selection *selection, const struct pf_selection_args *args)
{
    const struct {
        enum pf_select_frame which;
        char *const *values;
        unsigned count;
    } frames[] = {{PF_SELECT_FOCUS, args->focus, args->focus_given},
                  {PF_SELECT_IGNORE, args->ignore, args->ignore_given}};
    struct pf_error error = {0};

    for (size_t k = 0; k < sizeof frames / sizeof *frames; k++)
        for (unsigned i = 0; i < frames[k].count; i++)
            pf_tool_check(selection->tool,
                          pf_select_frame(selection->select, frames[k].which, frames[k].values[i],
                                          selection->flags, &error),
                          &error);
}

void pf_selection_read(struct pf_selection *selection, struct pf_tool *tool, struct pf_dict *dict,
                       const struct pf_selection_args *args)
{
    struct pf_error error = {0};

    selection->tool = tool;
    selection->dict = dict;
    selection->select = pf_select_new(dict);
    selection->flags = (args->ignore_case_given ? PF_PATTERN_IGNORE_CASE : 0) |
                       (args->fixed_strings_given ? PF_PATTERN_FIXED : 0);
    if (selection->select == NULL)
        pf_tool_nomem(tool);
    read_labels(selection, args);
    read_frames(selection, args);
    selection->timed = args->time_given > 0;
    if (selection->timed)
        pf_tool_check(
            tool, pf_select_time(selection->select, args->time[args->time_given - 1], &error),
            &error);
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
    if (name == NULL)
        return;
    if (number > 0 && selection->format != NULL && strcmp(selection->format, name) != 0)
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

    if (pf_select_report(selection->select, selection->format, &report) != PF_OK)
        pf_tool_nomem(selection->tool);
}

#include "cli/lacking.h"

#include "model/named.h"

void pf_lacking_unknown(const struct pf_lacking *lacking, const char *measure)
{
    struct pf_error error = {0};

    if (measure)
        pf_named_unknown(lacking->diff->dict, measure, &error);
    else
        pf_error_set(&error, PF_USAGE, "the input has no %s records", pf_kind_name(lacking->kind));
    pf_tool_fail(&lacking->common->tool, NULL, &error, false);
}

/* Appends the names of the measures that the records of a side have: the first few, each once. */
static void append_there(const struct pf_lacking *lacking, size_t side, struct pf_buffer *text)
{
    enum { FEW = 8 };
    const struct pf_diff_there *there = &lacking->diff->there[side];
    const struct pf_dict *dict = lacking->diff->dict;
    uint32_t names[FEW];
    size_t count = 0;

    for (uint32_t k = 0; k < there->count; k++) {
        bool known = false;

        if (!there->has[k])
            continue;
        uint32_t name = pf_measures_row(&dict->measures, k)->name;

        for (size_t i = 0; i < count && !known; i++)
            known = names[i] == name;
        if (known)
            continue;
        if (count == FEW) {
            pf_buffer_printf(text, " and more");
            return;
        }
        names[count++] = name;
        pf_buffer_printf(text, "%s%s", count > 1 ? ", " : "",
                         pf_clip(pf_dict_string(dict, name)).text);
    }
}

/* Reports that a whole side lacks a measure that the other has: an error if there is a gate, or if
 * the side has records with other measures; else a warning. False: an error. */
static bool side_lacks(const struct pf_lacking *lacking, size_t side, struct pf_bytes measure)
{
    const char *name = lacking->runs->sides[side].name;
    struct pf_buffer there = {0};
    struct pf_error error = {0};

    if (!lacking->stats)
        append_there(lacking, side, &there);
    if (there.size == 0 && !lacking->gate) {
        pf_tool_warn(&lacking->common->tool, "%s: no record has the measure '%s'", name,
                     pf_clip(measure).text);
        return true;
    }
    pf_tool_stop_failed(&lacking->common->tool); /* the failed input may have the measure */
    if (there.size > 0)
        pf_error_set(&error, PF_UNSUPPORTED,
                     "this side has no measure '%s' to compare; its measures: %.*s",
                     pf_clip(measure).text, (int)there.size, (const char *)there.data);
    else
        pf_error_set(&error, PF_UNSUPPORTED,
                     "this side has no measure '%s': --fail-above has nothing to compare",
                     pf_clip(measure).text);
    pf_tool_fail(&lacking->common->tool, name, &error, false);
    pf_buffer_free(&there);
    return false;
}

/* For a block that no run has: an error, or a warning if no measure and no kind was asked for.
 * False: an error. */
static bool check_nothing(const struct pf_lacking *lacking, const char *name)
{
    bool any = pf_measures_count(&lacking->diff->dict->measures) > 0;
    struct pf_error error = {0};

    if (any && (name || lacking->kind != PF_RECORD_KINDS)) {
        pf_lacking_unknown(lacking, name);
    } else if (lacking->gate) {
        pf_error_set(&error, PF_UNSUPPORTED,
                     "there are no records and no measures: --fail-above has nothing to compare");
        pf_tool_fail(&lacking->common->tool, NULL, &error, false);
    } else {
        pf_tool_warn(&lacking->common->tool, "there are no records and no measures");
        return true;
    }
    return false;
}

/* True if --since and --until have left out all runs of a side. */
static bool side_left_out(const struct pf_lacking *lacking, size_t side)
{
    const struct pf_runs *runs = lacking->runs;
    bool all = true;

    for (size_t k = 0; k < runs->count && all; k++)
        all = runs->runs[k].side != side || runs->runs[k].left_out;
    return all;
}

/* Reports sides and runs that lack the measure of a block. False: an error. */
static bool check_block(const struct pf_lacking *lacking, const struct pf_diff_block *block,
                        const char *name)
{
    struct pf_bytes text;
    bool met, good = true;

    if (block->measure.kind == PF_RECORD_KINDS)
        return check_nothing(lacking, name);
    text = pf_dict_string(lacking->diff->dict, block->measure.name);
    for (size_t side = 0; side < lacking->runs->side_count; side++) {
        met = false;
        for (size_t k = 0; k < lacking->diff->run_count; k++)
            met = met || (lacking->diff->runs[k].side == side && block->runs[k].met);
        if (!met && !side_left_out(lacking, side))
            good = side_lacks(lacking, side, text) && good;
        for (size_t k = 0; k < lacking->diff->run_count && met; k++)
            if (lacking->diff->runs[k].side == side && !block->runs[k].met)
                pf_tool_warn(&lacking->common->tool, "%s: no record has the measure '%s'",
                             lacking->reading->names[k], pf_clip(text).text);
    }
    return good;
}

bool pf_lacking_check(const struct pf_lacking *lacking)
{
    for (size_t i = 0; i < lacking->diff->block_count; i++)
        if (!check_block(lacking, &lacking->diff->blocks[i],
                         i < lacking->measure_count ? lacking->measures[i] : NULL))
            return false;
    return true;
}

#include "cli/diff/lacking.h"

#include "cli/selection.h"
#include "model/named.h"

#include <stdlib.h>

void pf_lacking_unknown(const struct pf_lacking *lacking, const char *measure)
{
    struct pf_error error = {0};

    if (measure)
        pf_named_unknown(lacking->reading->dict, measure, &error);
    else
        pf_error_set(&error, PF_USAGE, "the input has no %s records", pf_kind_name(lacking->kind));
    pf_tool_fail(&lacking->common->tool, NULL, &error, false);
}

static const char *side_name(const struct pf_lacking *lacking, size_t side)
{
    return lacking->runs->sides[side].name;
}

/* --- sides ------------------------------------------------------------------------------------ */

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
    const char *name = side_name(lacking, side);
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

/* For a gate: fails if a side has no records of the block, because all were removed by a selection
 * or because the profiler found none. An empty side would pass, or be a rise by more than any
 * percentage. With --force one empty side counts as 0. */
static bool sides_have_records(const struct pf_lacking *lacking, const struct pf_diff_block *block,
                               struct pf_bytes measure)
{
    bool selects = pf_selection_given(lacking->common->given);
    bool has[2] = {pf_diff_side_has(lacking->diff, block, 0),
                   pf_diff_side_has(lacking->diff, block, 1)},
         none = !has[0] && !has[1];
    struct pf_error error = {0};

    if ((has[0] && has[1]) || (!none && lacking->common->tool.force))
        return true;
    pf_tool_stop_failed(&lacking->common->tool); /* the failed input may have records */
    pf_error_set(&error, PF_UNSUPPORTED,
                 "no record %s%s%s%s: --fail-above has nothing to compare%s",
                 selects ? "is selected" : "has the measure '",
                 selects ? "" : pf_clip(measure).text, selects ? "" : "'",
                 none ? " on either side" : "", none ? "" : " (--force compares with 0)");
    pf_tool_fail(&lacking->common->tool, none ? NULL : side_name(lacking, has[0] ? 1 : 0), &error,
                 false);
    return false;
}

/* --- runs ------------------------------------------------------------------------------------- */

/* Appends the names of the runs of a side that lack a measure: the first few. */
static void append_runs(const struct pf_lacking *lacking, unsigned side, const bool *has,
                        struct pf_buffer *text)
{
    enum { FEW = 8 };
    const struct pf_reading *reading = lacking->reading;
    size_t count = 0;

    for (size_t k = 0; k < reading->count; k++)
        if (reading->read[k].side == side && !has[k] && count++ < FEW)
            pf_buffer_printf(
                text, "%s%s", count > 1 ? ", " : "",
                pf_clip(pf_bytes_of(reading->read[k].name + reading->read[k].prefix)).text);
    if (count > FEW)
        pf_buffer_printf(text, " and %zu more", count - FEW);
    pf_buffer_byte(text, '\0');
    if (text->failed)
        pf_tool_nomem(&lacking->common->tool);
}

/* Reports the runs of a side that lack a measure, if others have it. has[run]: the run has the
 * measure. False: an error, because the gate must not judge the other runs alone. */
static bool check_runs(const struct pf_lacking *lacking, unsigned side, struct pf_bytes measure,
                       const bool *has)
{
    const struct pf_reading *reading = lacking->reading;
    const char *name = side_name(lacking, side), *noun = pf_reading_noun(reading, side);
    struct pf_tool *tool = &lacking->common->tool;
    struct pf_clip text = pf_clip(measure);
    struct pf_buffer runs = {0};
    struct pf_error error = {0};
    size_t all = 0, met = 0;
    bool good = !lacking->gate || tool->force;

    for (size_t k = 0; k < reading->count; k++) {
        all += reading->read[k].side == side;
        met += reading->read[k].side == side && has[k];
    }
    if (met == 0 || met == all)
        return true;
    append_runs(lacking, side, has, &runs);
    if (good)
        pf_tool_warn(tool, "%s: %zu of %zu %s have %s; left out: %s", name, met, all, noun,
                     text.text, (const char *)runs.data);
    else
        pf_error_set(&error, PF_UNSUPPORTED,
                     "%zu of %zu %s have %s, not %s: --fail-above gives no verdict (--force leaves "
                     "out runs without the measure)",
                     met, all, noun, text.text, (const char *)runs.data);
    if (!good)
        pf_tool_fail(tool, name, &error, false);
    pf_buffer_free(&runs);
    return good;
}

/* For a gate: fails if the records of a file do not add up to the totals that the file states. A
 * file that lost records would pass. */
static bool check_totals(const struct pf_lacking *lacking)
{
    const struct pf_runs *runs = lacking->runs;
    struct pf_error error = {0};

    for (size_t k = 0; k < runs->count && !lacking->common->tool.force; k++)
        if (runs->runs[k].disputed) {
            pf_error_set(&error, PF_UNSUPPORTED,
                         "the records do not add up to the totals that the profile states: "
                         "--fail-above gives no verdict (--force gives one)");
            pf_tool_fail(&lacking->common->tool, runs->runs[k].name, &error, false);
            return false;
        }
    return true;
}

/* --- blocks ----------------------------------------------------------------------------------- */

/* Reports sides and runs that lack the measure of a block. False: an error. */
static bool check_block(const struct pf_lacking *lacking, const struct pf_diff_block *block,
                        const char *name, bool *has)
{
    const struct pf_diff *diff = lacking->diff;
    struct pf_bytes text;
    bool good = true;

    if (block->measure.kind == PF_RECORD_KINDS)
        return check_nothing(lacking, name);
    text = pf_dict_string(diff->dict, block->measure.name);
    for (size_t k = 0; k < diff->run_count; k++)
        has[k] = block->runs[k].met;
    for (unsigned side = 0; side < lacking->runs->side_count; side++)
        if (pf_diff_block_runs(diff, block, side) > 0)
            good = check_runs(lacking, side, text, has) && good;
        else if (!side_left_out(lacking, side))
            good = side_lacks(lacking, side, text) && good;
    return good && (!lacking->gate || sides_have_records(lacking, block, text));
}

bool pf_lacking_check(const struct pf_lacking *lacking)
{
    const struct pf_diff *diff = lacking->diff;
    bool *has = pf_tool_calloc(&lacking->common->tool, diff->run_count + 1, sizeof *has),
         good = !lacking->gate || check_totals(lacking);

    for (size_t i = 0; i < diff->block_count && good; i++)
        good = check_block(lacking, &diff->blocks[i],
                           i < lacking->measure_count ? lacking->measures[i] : NULL, has);
    free(has);
    return good;
}

void pf_lacking_records(const struct pf_lacking *lacking)
{
    const struct pf_diff_records *records = lacking->reading->records;
    size_t count = lacking->reading->count;
    bool *has = pf_tool_calloc(&lacking->common->tool, count + 1, sizeof *has);

    for (unsigned kind = 0; kind < PF_RECORD_KINDS; kind++) {
        const struct pf_ledger *ledger = &records->all[kind].columns.ledger;

        for (uint32_t i = 0; i < ledger->count; i++) {
            const struct pf_diff_met *met = &records->met[kind][i];

            for (size_t k = 0; k < count; k++)
                has[k] = k < met->count && met->has[k];
            for (unsigned side = 0; side < 2; side++)
                check_runs(lacking, side,
                           pf_dict_string(records->dict, ledger->sums[i].quantity.measure.name),
                           has);
        }
    }
    free(has);
}

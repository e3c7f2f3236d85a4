#include "cli/summary.h"

#include "analysis/sum/file_scope.h"
#include "analysis/sum/own_time.h"
#include "cli/hint.h"
#include "cli/output.h"

#include <stdlib.h>

/* Lines of the terminal that a table needs besides its rows. */
enum { OTHER_LINES = 4 };

/* --- reading ---------------------------------------------------------------------------------- */

static bool wants(void *arg, uint32_t measure)
{
    const struct pf_summary *summary = arg;

    return pf_common_wants(&summary->common, summary->accumulator.dict, measure, NULL);
}

/* The sums to which the next batch is added. With --keep-going the input has sums of its own, which
 * are added at its end if all of them fit. */
static struct pf_accumulator *current_sums(struct pf_summary *summary)
{
    if (!summary->common.tool.keep_going)
        return &summary->accumulator;
    if (!summary->has_own && pf_accumulator_begin(&summary->own, &summary->accumulator) != PF_OK)
        pf_tool_nomem(&summary->common.tool);
    summary->has_own = true;
    return &summary->own;
}

/* Checks a status of the current input. With --keep-going rejects an input that cannot be added:
 * *drop. False after a failure that ends the program, printed and raised. */
static bool check_status(struct pf_summary *summary, const struct pf_input *input, int status,
                         const struct pf_error *error, bool *drop)
{
    if (status == PF_NOMEM)
        pf_tool_nomem(&summary->common.tool);
    *drop = status != PF_OK && summary->common.tool.keep_going;
    if (*drop)
        pf_inputs_reject(summary->inputs, error);
    else if (status != PF_OK)
        pf_tool_fail(&summary->common.tool, input->name, error, false);
    return status == PF_OK || *drop;
}

/* Adds metadata or source texts; records are skipped. */
static int add_notes(struct pf_summary *summary, const struct pf_batch *batch)
{
    return batch->kind == PF_TEXT ? pf_notes_add(&summary->sources, batch)
                                  : pf_facts_add(&summary->facts, summary->top.look.dict, batch);
}

static bool add_batch(struct pf_summary *summary, const struct pf_batch *batch,
                      const struct pf_input *input, bool *drop)
{
    struct pf_error error = {0};
    int status = pf_accumulator_add(current_sums(summary), batch, &error);

    if (status == PF_OK && (batch->kind != PF_TEXT || summary->top.view == PF_TOP_LIST))
        status = summary->common.tool.keep_going ? pf_notes_add(&summary->own_notes, batch)
                                                 : add_notes(summary, batch);
    return check_status(summary, input, status, &error, drop);
}

/* Ends an input, with --keep-going: adds its sums and notes, or drops both. */
static void end_input(struct pf_summary *summary, const struct pf_input *input, bool drop)
{
    struct pf_error error = {0};

    if (!drop && summary->has_own) {
        int status = pf_accumulator_join(&summary->accumulator, &summary->own, &error);

        check_status(summary, input, status, &error, &drop);
    }
    pf_accumulator_free(&summary->own);
    summary->own = (struct pf_accumulator){0};
    summary->has_own = false;
    const struct pf_batch notes[] = {pf_notes_metadata(&summary->own_notes),
                                     pf_notes_texts(&summary->own_notes)};

    if (drop ? pf_accumulator_leave_out(&summary->accumulator) != PF_OK
             : add_notes(summary, &notes[0]) != PF_OK || add_notes(summary, &notes[1]) != PF_OK)
        pf_tool_nomem(&summary->common.tool);
    pf_notes_free(&summary->own_notes);
}

static bool read_all(struct pf_summary *summary)
{
    struct pf_event event;
    bool drop = false;

    while (pf_inputs_next(summary->inputs, &event) == PF_OK) {
        if (event.kind == PF_EVENT_BEGIN)
            drop = false;
        else if (event.kind == PF_EVENT_BATCH && !drop &&
                 !add_batch(summary, &event.batch, event.input, &drop))
            return false;
        else if (event.kind == PF_EVENT_END && summary->common.tool.keep_going)
            end_input(summary, event.input, drop);
        summary->from_stream |= event.input && event.input->format &&
                                event.input->format->caps & PF_HOLDS_FAILURE;
    }
    summary->top.incomplete = pf_inputs_failed(summary->inputs);
    return true;
}

/* --- writing ---------------------------------------------------------------------------------- */

/* Gives string evals their final names. */
static void join_evals(struct pf_summary *summary, const struct pf_evals *evals)
{
    struct pf_notes *sources = &summary->sources;
    struct pf_dict *dict = summary->top.look.dict;

    pf_inputs_find_evals(summary->inputs, true, false);
    for (size_t k = 0; evals->renamed > 0 && k < sources->text_count; k++) {
        struct pf_text *text = &sources->texts[k];
        uint32_t name = pf_evals_name(evals, pf_dict_intern(dict, text->name, text->name_flags));

        text->name = pf_dict_string(dict, name);
        text->name_flags = dict->strings.rows[name].flags;
    }
    pf_tool_check_memory(&summary->common.tool, pf_evals_rename(evals));
}

/* Adds times that no record has: self times of functions whose profile times only calls, and the
 * time outside of all subs. */
static void add_times(struct pf_summary *summary)
{
    struct pf_error error = {0};

    if (pf_own_time_add(&summary->accumulator, &error) != PF_OK ||
        pf_file_scope_add(&summary->accumulator, &summary->accumulator, summary->top.look.dict,
                          &summary->facts, summary->top.look.by, NULL, &error) != PF_OK)
        pf_tool_die(&summary->common.tool, NULL, &error, false);
}

/* Chooses the blocks. Exits 2 if the profile cannot show what the options request; if an input
 * failed, its message stays the only one. */
static void choose_blocks(struct pf_summary *summary)
{
    const struct pf_top_choice choice = {summary->common.measures, summary->common.measure_count,
                                         summary->rows.kind, summary->rows.unit};
    struct pf_tool *tool = &summary->common.tool;
    struct pf_error error = {0};
    int status = pf_top_choose(&summary->top, &choice, &error);

    if (status == PF_USAGE)
        pf_tool_stop_failed(tool);
    if (status == PF_USAGE)
        pf_tool_usage(tool, "%s", error.text);
    if (status != PF_OK)
        pf_tool_die(tool, NULL, &error, status == PF_NOMEM);
}

/* If no frame has a name, or a line that was executed, says how to get names or lines. */
static void hint_names(struct pf_summary *summary)
{
    const struct pf_given *given = summary->common.given;
    struct pf_top *top = &summary->top;

    if (top->form == PF_SHEET_TEXT && top->look.by == PF_BY_LINE &&
        summary->accumulator.records[PF_SAMPLE] > 0 && summary->accumulator.records[PF_FLAT] == 0)
        pf_hint_lines(&summary->common, pf_facts_format(&summary->facts, top->look.dict),
                      summary->from_stream);
    if (summary->top.form == PF_SHEET_TEXT && !pf_settings_given(given, "binary") &&
        !pf_settings_given(given, "symbols-from") && !pf_settings_given(given, "symbols"))
        pf_hint_names(&summary->common, summary->top.look.dict,
                      pf_facts_format(&summary->facts, summary->top.look.dict).data,
                      summary->top.view == PF_TOP_LIST ? summary->top.list->text : NULL);
}

static void write_view(struct pf_summary *summary)
{
    static const char *const what[] = {
        [PF_TOP_CALLS] = "callers or callees of", [PF_TOP_LIST] = "source of"};
    struct pf_tool *tool = &summary->common.tool;
    struct pf_error error = {0};
    bool matched;
    int status;

    if (summary->top.incomplete)
        pf_tool_warn(tool, "input incomplete: result is partial");
    if (summary->top.block_count == 0)
        pf_tool_warn(tool, "there are no records and no measures");
    if (summary->rows.limit < 0 && summary->top.limit > 0 &&
        pf_tool_rows(summary->top.look.sink) > 0)
        pf_top_fit_height(&summary->top);
    status = pf_top_write(&summary->top, &matched, &error);
    if (status == PF_NOMEM)
        pf_tool_nomem(tool);
    if (status != PF_OK && status != PF_IO)
        pf_tool_stop_failed(tool);
    if (status != PF_OK)
        pf_tool_fail(tool, NULL, &error, false);
    else if (!matched)
        pf_tool_warn(tool, "%s '%s': no function matches", what[summary->top.view],
                     summary->pattern);
    if (status == PF_OK)
        hint_names(summary);
}

/* Sets the look of the output, and the names that it shows. */
static void prepare_look(struct pf_summary *summary)
{
    struct pf_top *top = &summary->top;
    bool fits = top->form == PF_SHEET_TEXT && top->view != PF_TOP_LIST;

    top->limit = pf_row_settings_limit(&summary->rows, top->look.sink, fits, OTHER_LINES);
    top->min_percent = summary->rows.min_percent;
    pf_common_look(&summary->common, &top->look, top->form == PF_SHEET_TEXT);
    top->look.dict = pf_inputs_dict(summary->inputs);
    summary->accumulator.dict = top->look.dict;
    top->accumulator = &summary->accumulator;
    top->facts = &summary->facts;
    top->sources = &summary->sources;
    top->tool = summary->common.tool.name;
    top->operands = pf_inputs_names(summary->inputs);
    summary->accumulator.by_labels = top->look.by == PF_BY_LABEL;
    summary->accumulator.wants = summary->common.measure_count > 0 ? wants : NULL;
    summary->accumulator.arg = summary;
    if (summary->common.measure_count == 0)
        pf_inputs_want(summary->inputs, PF_WANT_NO_RUNS);
}

void pf_summary_write(struct pf_summary *summary)
{
    struct pf_temporary *temporary;
    const struct pf_evals *evals;

    summary->top.look.sink = pf_output_sink(&summary->common, &temporary);
    if (!summary->top.look.sink)
        return;
    prepare_look(summary);
    evals = pf_inputs_join_evals(summary->inputs, summary->top.view == PF_TOP_LIST);
    if (read_all(summary)) {
        join_evals(summary, evals);
        add_times(summary);
        choose_blocks(summary);
        if (summary->accumulator.ledger.count > 0 || !summary->top.incomplete)
            write_view(summary);
    }
    pf_output_sink_close(&summary->common, summary->inputs, summary->top.look.sink, temporary);
}

void pf_summary_free(struct pf_summary *summary)
{
    pf_accumulator_free(&summary->accumulator);
    pf_accumulator_free(&summary->own);
    pf_facts_free(&summary->facts);
    pf_notes_free(&summary->sources);
    pf_notes_free(&summary->own_notes);
    free(summary->top.blocks);
    pf_inputs_close(summary->inputs);
}

/* profdiff: what changed between two sets of runs, and whether it is real. */
#include "analysis/diff/records.h"
#include "cli/output.h"
#include "cli/rows.h"
#include "cli/runs.h"
#include "codec/registry.h"
#include "render/diff/diff.h"
#include "render/table/top.h"

#include <stdlib.h>
#include <string.h>

struct run {
    struct pf_common common;
    struct pf_runs *runs;
    struct pf_diff diff;
    struct pf_diff_records records;
    struct pf_diff_view view;
    struct pf_bound gate;
    struct pf_row_settings rows;
    const char *fail_above;
    bool stream, stats, reverse;
    const char **measures; /* -m; the output has other names */
    unsigned measure_count;
};

/* --- options ---------------------------------------------------------------------------------------------- */

static bool find_bound(const char *text, void *field)
{
    return pf_bound_parse(text, field);
}

static const struct pf_setting settings[] = {
    PF_WORD_SETTING("sort", struct run, view.sort, "abs, delta, ratio, q or name", PF_DIFF_BY_ABS),
    PF_WORD_SETTING("only", struct run, view.only, "added, removed, more, less, same or significant", PF_DIFF_ONLY_ADDED),
    PF_FLAG_SETTING("drop-negative", struct run, view.drop_negative),
    PF_FLAG_SETTING("normalize", struct run, diff.normalize),
    PF_FLAG_SETTING("reverse", struct run, reverse),
    PF_OTHER_SETTING("min-delta", struct run, view.margin, "an amount such as 100, 0.1% or 5ms", find_bound),
    PF_TEXT_SETTING("fail-above", struct run, fail_above),
    PF_FLAG_SETTING("stats", struct run, stats),
    PF_SETTINGS_END,
};

/* Options that only tables have. */
static const char *const table_options[] = {"limit", "min-percent", "sort", "only", "unit", "cum", "min-delta", "fail-above", "stats",
                                            "by", NULL};

static bool is_picture(const struct pf_format *format)
{
    return (format->caps & (PF_IS_VIEW | PF_HOLDS_DIFFERENCE)) == (PF_IS_VIEW | PF_HOLDS_DIFFERENCE);
}

/* -t of records. What is one frame of a picture --by says, as the picture's option does. */
static void read_format(struct run *run, const char *to, const char *by)
{
    struct pf_buffer text = {0};
    const struct pf_format *format = pf_registry_find((struct pf_bytes){to, strcspn(to, ":")});

    pf_buffer_append(&text, to, strlen(to));
    if (by != NULL && format != NULL && is_picture(format)) {
        pf_buffer_append(&text, strchr(to, ':') != NULL ? ",by=" : ":by=", 4);
        pf_buffer_append(&text, by, strlen(by));
    }
    if (!pf_buffer_byte(&text, '\0'))
        pf_tool_nomem(&run->common.tool);
    pf_common_to(&run->common, text.data);
    pf_buffer_free(&text);
}

/* A table, unless -t or the suffix of -o names a format of records. */
static void read_form(struct run *run, const char *to)
{
    const char *wanted = pf_settings_first(run->common.given, table_options);

    if (to == NULL || pf_sheet_form_find(pf_bytes_of(to), &run->view.form))
        return;
    run->stream = true;
    read_format(run, to, run->rows.by);
    if (run->common.to != NULL && (run->common.to->caps & (PF_IS_VIEW | PF_HOLDS_DIFFERENCE)) == PF_IS_VIEW)
        pf_tool_usage(&run->common.tool, "tables have no options: -t takes text, json, ndjson, csv, tsv or a format of records, not '%s'", to);
    if (run->common.to != NULL && !(run->common.to->caps & PF_HOLDS_DIFFERENCE))
        pf_tool_usage(&run->common.tool, "%s cannot hold what was before and what after beside each other", run->common.to->name);
    if (wanted != NULL && !(strcmp(wanted, "by") == 0 && run->common.to != NULL && is_picture(run->common.to)))
        pf_tool_usage(&run->common.tool, "--%s is for tables: -t takes text, json, ndjson, csv or tsv then, not '%s'", wanted, to);
}

static void read_gate(struct run *run)
{
    const char *text = run->fail_above;
    bool good;

    if (text == NULL)
        return;
    good = pf_bound_parse(text, &run->gate);
    if (run->gate.bare && (!good || run->gate.amount != 0))
        pf_tool_usage(&run->common.tool, "--fail-above=%s has no unit: type --fail-above=%s%% (or %sms, %scount, %sbytes)",
                      text, text, text, text, text);
    if (!good)
        pf_tool_usage(&run->common.tool, "--fail-above takes an amount such as 5%%, 10ms or 1000count, not '%s'", text);
    run->view.gate = &run->gate;
    run->view.gate_text = text;
}

/* --stats compares nothing. */
static void check_stats(struct run *run)
{
    bool others = run->view.only != PF_DIFF_ALL || run->view.drop_negative || run->reverse;
    bool margin = pf_settings_given(run->common.given, "min-delta");

    if (pf_settings_given(run->common.given, "sort") && run->view.sort != PF_DIFF_BY_NAME)
        pf_tool_usage(&run->common.tool, "--stats sorts by the normalised range, or with --sort=name by name");
    if (run->fail_above != NULL || others || margin)
        pf_tool_usage(&run->common.tool, "--stats compares nothing: there is no %s in it",
                      run->fail_above != NULL ? "--fail-above" : margin ? "--min-delta" : "--only, --drop-negative or --reverse");
}

static void read_options(struct run *run)
{
    run->view.margin = (struct pf_bound){.percent = true, .amount = 100000};
    pf_row_settings_read(&run->rows, &run->common);
    pf_settings_read(&run->common.tool, run->common.given, settings, run);
    run->diff.kind = run->rows.kind;
    run->diff.unit = run->rows.unit;
    run->diff.cum = run->rows.cum;
    read_form(run, run->common.to_text);
    read_gate(run);
    if (run->stats)
        check_stats(run);
    run->measures = run->common.measures;
    run->measure_count = run->common.measure_count;
    run->common.measure_count = 0;
}

/* --- reading ---------------------------------------------------------------------------------------------- */

static bool named(void *arg, unsigned name, uint32_t measure)
{
    const struct run *run = arg;
    const struct pf_common one = {.measures = &run->measures[name], .measure_count = 1};

    return pf_common_wants(&one, run->diff.dict, measure, NULL);
}

static bool named_any(void *arg, uint32_t measure)
{
    const struct run *run = arg;

    for (unsigned i = 0; i < run->measure_count; i++)
        if (named(arg, i, measure))
            return true;
    return false;
}

/* A run that cannot be compared is left out, with --keep-going. False: there is nothing to be done about the failure. */
static bool leave_out(struct run *run, int status, const struct pf_error *error)
{
    if (!run->common.tool.keep_going || (status != PF_UNSUPPORTED && status != PF_OVERFLOW))
        return false;
    pf_inputs_reject(run->runs->inputs, error);
    return true;
}

/* False after a failure, printed and raised. */
static bool good(struct run *run, size_t number, int status, const struct pf_error *error)
{
    if (status == PF_NOMEM)
        pf_tool_nomem(&run->common.tool);
    if (status != PF_OK)
        pf_tool_fail(&run->common.tool, run->runs->runs[number].name, error, false);
    return status == PF_OK;
}

/* With --keep-going a run that is damaged does not count; else what came of it does, and if nothing came there is nothing to compare. */
static bool end_run(struct run *run, size_t number, bool whole)
{
    struct pf_error error = {0};
    unsigned side = run->runs->runs[number].side;
    bool keep = whole || !run->common.tool.keep_going, left_out;
    int status;

    if (!whole && keep && !run->runs->given)
        return false;
    status = run->stream ? pf_diff_records_end(&run->records, side, keep, &error) : pf_diff_end(&run->diff, keep, &error);
    left_out = status != PF_OK && leave_out(run, status, &error);
    if (!keep || left_out)
        pf_tool_warn(&run->common.tool, "%s: this run is left out", run->runs->runs[number].name);
    return left_out || good(run, number, status, &error);
}

/* *drop: its batches count no more. */
static bool add_batch(struct run *run, size_t number, const struct pf_batch *batch, bool *drop)
{
    struct pf_error error = {0};
    int status = run->stream ? pf_diff_records_add(&run->records, batch, &error) : pf_diff_add(&run->diff, batch, &error);

    *drop = status != PF_OK && leave_out(run, status, &error);
    return *drop || good(run, number, status, &error);
}

static bool read_all(struct run *run)
{
    struct pf_error error = {0};
    struct pf_batch batch;
    enum pf_run_event event;
    size_t number, begun = 0;
    bool whole, drop = false;

    while ((event = pf_runs_next(run->runs, &batch, &number, &whole)) != PF_RUN_EOF) {
        if (begun == number && begun++ < run->runs->count && !run->stream &&
            !good(run, number, pf_diff_begin(&run->diff, run->runs->runs[number].side, &error), &error))
            return false;
        if (event == PF_RUN_END) {
            if (!end_run(run, number, whole))
                return false;
            drop = false;
        } else if (!drop && !add_batch(run, number, &batch, &drop)) {
            return false;
        }
    }
    return run->runs->reached == run->runs->count;
}

/* --- showing ---------------------------------------------------------------------------------------------- */

/* Says which measures there are; the status becomes 2. */
static void unknown_measure(struct run *run, const char *name)
{
    const struct pf_measures *measures = &run->diff.dict->measures;
    struct pf_buffer names = {0};
    struct pf_error error = {0};

    for (uint32_t k = 0; k < pf_measures_count(measures); k++) {
        struct pf_bytes known = pf_dict_string(run->diff.dict, pf_measures_row(measures, k)->name);
        pf_buffer_append(&names, ", ", names.size > 0 ? 2 : 0);
        pf_buffer_append(&names, known.data, known.size);
    }
    pf_error_set(&error, PF_USAGE, "there is no measure '%s' here; measures: %.*s", name, (int)names.size,
                 names.size > 0 ? names.data : "");
    pf_tool_fail(&run->common.tool, NULL, &error, false);
    pf_buffer_free(&names);
}

static void unknown_kind(struct run *run)
{
    struct pf_error error = {0};

    pf_error_set(&error, PF_USAGE, "there are no %s records here", pf_kind_name(run->diff.kind));
    pf_tool_fail(&run->common.tool, NULL, &error, false);
}

/* A side, or one of its runs, lacks what others have. False: a gate needs it. */
static bool lacks(struct run *run, const char *name, bool side, struct pf_bytes measure)
{
    struct pf_error error = {0};

    if (!side || run->view.gate == NULL) {
        pf_tool_warn(&run->common.tool, "%s: there is no measure '%.*s'", name, (int)measure.size, measure.data);
        return true;
    }
    pf_error_set(&error, PF_UNSUPPORTED, "there is no measure '%.*s': --fail-above has nothing to compare",
                 (int)(measure.size < 60 ? measure.size : 60), measure.data);
    pf_tool_fail(&run->common.tool, name, &error, false);
    return false;
}

/* No run has it. False: that is a failure. */
static bool check_nothing(struct run *run, const char *name)
{
    bool any = pf_measures_count(&run->diff.dict->measures) > 0;
    struct pf_error error = {0};

    if (any && name != NULL) {
        unknown_measure(run, name);
    } else if (any && run->rows.kind != PF_RECORD_KINDS) {
        unknown_kind(run);
    } else if (run->view.gate != NULL) {
        pf_error_set(&error, PF_UNSUPPORTED, "there are no records and no measures: --fail-above has nothing to compare");
        pf_tool_fail(&run->common.tool, NULL, &error, false);
    } else {
        pf_tool_warn(&run->common.tool, "there are no records and no measures");
        return true;
    }
    return false;
}

/* Sides that cannot be compared because one has nothing of the kind, and runs that lack what others have. False: no run has it, or a
 * gate needs it. */
static bool check_block(struct run *run, const struct pf_diff_block *block, const char *name)
{
    struct pf_bytes text;
    bool met, good = true;

    if (block->measure.kind == PF_RECORD_KINDS)
        return check_nothing(run, name);
    text = pf_dict_string(run->diff.dict, block->measure.name);
    for (size_t side = 0; side < run->runs->side_count; side++) {
        met = false;
        for (size_t k = 0; k < run->diff.run_count; k++)
            met = met || (run->diff.runs[k].side == side && block->runs[k].met);
        if (!met)
            good = lacks(run, run->runs->sides[side].name, true, text) && good;
        for (size_t k = 0; k < run->diff.run_count && met; k++)
            if (run->diff.runs[k].side == side && !block->runs[k].met && !run->diff.runs[k].left_out)
                lacks(run, run->runs->runs[k].name, false, text);
    }
    return good;
}

static bool sides_are_there(struct run *run)
{
    for (unsigned side = 0; side < run->runs->side_count && !run->stats; side++)
        if ((run->stream ? run->records.runs[side] : pf_diff_runs(&run->diff, side)) == 0) {
            struct pf_error error = {0};
            pf_error_set(&error, PF_FAILED, "no run of it is good");
            pf_tool_fail(&run->common.tool, run->runs->sides[side].name, &error, false);
            return false;
        }
    return true;
}

/* False: there is nothing to show. */
static bool show(struct run *run)
{
    struct pf_error error = {0};
    bool rose = false;
    int status = pf_diff_finish(&run->diff, &error);

    if (!sides_are_there(run))
        return false;
    for (size_t i = 0; i < run->diff.block_count; i++)
        if (!check_block(run, &run->diff.blocks[i], i < run->measure_count ? run->measures[i] : NULL))
            return false;
    run->view.incomplete = pf_inputs_failed(run->runs->inputs);
    if (run->view.incomplete)
        pf_tool_warn(&run->common.tool, "the input is incomplete, and so is what is shown");
    if (status == PF_OK)
        status = run->stats ? pf_diff_stats(&run->view, &error) : pf_diff_write(&run->view, &rose, &error);
    if (status == PF_NOMEM)
        pf_tool_nomem(&run->common.tool);
    if (status != PF_OK)
        pf_tool_fail(&run->common.tool, NULL, &error, false);
    else if (rose)
        pf_tool_raise(&run->common.tool, PF_EXIT_CONDITION);
    return status == PF_OK;
}

static void read_style(struct run *run)
{
    struct pf_tool *tool = &run->common.tool;
    struct pf_diff_view *view = &run->view;

    view->color = pf_tool_colors(tool, view->sink);
    view->utf8 = pf_sink_terminal(view->sink) && pf_tool_utf8(); /* a file or a pipe does not depend on the locale */
    view->group = !tool->no_group;
    view->terminal = pf_sink_columns(view->sink);
}

static void write_table(struct run *run)
{
    struct pf_diff_view *view = &run->view;
    const char **sides = calloc(run->runs->side_count + 1, sizeof *sides);
    int slot;

    if (sides == NULL)
        pf_tool_nomem(&run->common.tool);
    view->sink = pf_output_sink(&run->common, &slot);
    if (view->sink == NULL) {
        free(sides);
        return;
    }
    for (size_t i = 0; i < run->runs->side_count; i++)
        sides[i] = run->runs->sides[i].name;
    view->limit = pf_row_settings_limit(&run->rows, view->sink, view->form == PF_SHEET_TEXT && view->gate == NULL, 7);
    view->min_percent = run->rows.min_percent;
    read_style(run);
    view->diff = &run->diff;
    view->tool = run->common.tool.name;
    view->operands = pf_inputs_names(run->runs->inputs);
    view->sides = sides;
    view->side_count = run->runs->side_count;
    view->by_name = view->sort == PF_DIFF_BY_NAME;
    if (pf_diff_init(&run->diff) != PF_OK)
        pf_tool_nomem(&run->common.tool);
    if (read_all(run) && show(run)) {
        pf_output_sink_close(&run->common, run->runs->inputs, view->sink, slot);
    } else {
        pf_sink_abort(view->sink);
        pf_tool_temporary_done(slot);
    }
    pf_diff_free(&run->diff);
    free(sides);
}

static void write_records(struct run *run)
{
    struct pf_output *output = pf_output_open(&run->common, run->runs->inputs);
    struct pf_error error = {0};
    struct pf_batch batch;
    int status = PF_OK;
    bool whole;

    if (output == NULL)
        return;
    run->records.dict = run->diff.dict;
    run->records.kind = run->diff.kind;
    run->records.normalize = run->diff.normalize;
    run->records.drop_negative = run->view.drop_negative;
    run->records.named = run->measure_count > 0 ? named_any : NULL;
    run->records.arg = run;
    if (pf_diff_records_init(&run->records) != PF_OK)
        pf_tool_nomem(&run->common.tool);
    whole = read_all(run) && sides_are_there(run);
    if (whole && run->records.count == 0 && (run->measure_count > 0 || run->rows.kind != PF_RECORD_KINDS)) {
        if (run->measure_count > 0)
            unknown_measure(run, run->measures[0]);
        else
            unknown_kind(run);
        whole = false;
    }
    while (whole && (status = pf_diff_records_next(&run->records, &batch, &error)) == PF_OK)
        whole = pf_output_write(output, &batch);
    if (status < 0)
        pf_tool_fail(&run->common.tool, NULL, &error, false);
    if (!whole || status < 0)
        pf_output_abandon(output);
    pf_output_close(output);
    pf_diff_records_free(&run->records);
}

static void profdiff(struct run *run)
{
    read_options(run);
    run->runs = pf_runs_open(&run->common, run->stats ? 1 : 2, run->stats ? 0 : 2,
                             run->stats ? "give the sets to summarise" : "give two operands, BEFORE and AFTER", run->reverse);
    run->diff.dict = pf_inputs_dict(run->runs->inputs);
    run->diff.by = pf_row_settings_by(&run->rows, &run->common, run->diff.dict, &run->diff.label);
    pf_inputs_relocate(run->runs->inputs);
    pf_inputs_select(run->runs->inputs);
    run->diff.named = named;
    run->diff.arg = run;
    run->diff.name_count = run->measure_count;
    if (run->stream)
        write_records(run);
    else
        write_table(run);
    pf_runs_close(run->runs);
}

int main(int argc, char **argv)
{
    struct run run = {.common.views = true};

    pf_common_start(&run.common, pf_command_line(), argc, argv);
    profdiff(&run);
    return pf_common_end(&run.common);
}

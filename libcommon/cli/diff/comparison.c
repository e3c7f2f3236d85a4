#include "cli/diff/comparison.h"

#include "base/memory.h"
#include "cli/diff/lacking.h"
#include "cli/output.h"
#include "codec/registry.h"
#include "model/named.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Lines of the terminal that a table needs besides its rows. */
enum { OTHER_LINES = 7 };

/* --- tables or records ------------------------------------------------------------------------ */

/* Options that only tables have; those of the rows that a table or a gate judges; and options of
 * verdicts, which pictures of a difference have too. */
static const char *const table_options[] = {"limit", "sort", "only", "unit", "stats", NULL};
static const char *const row_options[] = {"cum", NULL};
static const char *const verdict_options[] = {"min-percent", "min-delta", "test", NULL};

static bool is_picture(const struct pf_format *format)
{
    return (format->caps & (PF_IS_VIEW | PF_HOLDS_DIFFERENCE)) ==
           (PF_IS_VIEW | PF_HOLDS_DIFFERENCE);
}

/* Sets the format of records from -t. For a picture, --by becomes the picture's option `by`. */
static void read_format(struct pf_common *common, const char *to, const char *by)
{
    struct pf_buffer text = {0};
    const struct pf_format *format = pf_registry_find((struct pf_bytes){to, strcspn(to, ":")});

    pf_buffer_append(&text, to, strlen(to));
    if (by && format && is_picture(format)) {
        pf_buffer_append(&text, strchr(to, ':') ? ",by=" : ":by=", 4);
        pf_buffer_append(&text, by, strlen(by));
    }
    if (!pf_buffer_byte(&text, '\0'))
        pf_tool_nomem(&common->tool);
    pf_common_to(common, text.data);
    pf_buffer_free(&text);
}

/* The first given option that does not go with a format of records; NULL: every given option
 * goes with it. */
static const char *unwanted_option(const struct pf_comparison *comparison)
{
    const struct pf_common *common = &comparison->common;
    const char *name = pf_settings_first(common->given, table_options);

    if (name || pf_settings_given(common->given, "fail-above"))
        return name;
    name = pf_settings_first(common->given, row_options);
    if (!name && !(common->to->caps & PF_SHOWS_VERDICTS))
        name = pf_settings_first(common->given, verdict_options);
    return !name && comparison->rows.by && !is_picture(common->to) ? "by" : name;
}

void pf_comparison_form(struct pf_comparison *comparison)
{
    struct pf_common *common = &comparison->common;
    const char *to = common->to_text, *unwanted;

    if (!to || pf_sheet_form_find(pf_bytes_of(to), &comparison->view.form))
        return;
    comparison->stream = true;
    read_format(common, to, comparison->rows.by);
    if ((common->to->caps & (PF_IS_VIEW | PF_HOLDS_DIFFERENCE)) == PF_IS_VIEW)
        pf_tool_usage(&common->tool,
                      "tables have no options: expected -t text, json, ndjson, csv, tsv or a "
                      "format of records, not '%s'",
                      to);
    if (!(common->to->caps & PF_HOLDS_DIFFERENCE))
        pf_tool_usage(&common->tool, "%s cannot hold the values before and after side by side",
                      common->to->name);
    if ((unwanted = unwanted_option(comparison)) != NULL)
        pf_tool_usage(&common->tool,
                      "--%s is for tables: expected -t text, json, ndjson, csv or tsv, not '%s'",
                      unwanted, to);
}

/* True if rows are judged: for a table, and for a gate beside records. */
static bool judges_rows(const struct pf_comparison *comparison)
{
    return !comparison->stream || comparison->view.terms.gate;
}

/* True if the functions of a picture are judged too. */
static bool judges_frames(const struct pf_comparison *comparison)
{
    return comparison->stream && comparison->common.to->caps & PF_SHOWS_VERDICTS;
}

/* --- measures --------------------------------------------------------------------------------- */

static bool named(void *arg, unsigned name, uint32_t measure)
{
    const struct pf_comparison *comparison = arg;

    return pf_named_measure(comparison->diff.dict, measure, comparison->measures[name]);
}

static bool named_any(void *arg, uint32_t measure)
{
    const struct pf_comparison *comparison = arg;

    for (unsigned i = 0; i < comparison->measure_count; i++)
        if (named(arg, i, measure))
            return true;
    return false;
}

/* --- tables ----------------------------------------------------------------------------------- */

static bool sides_are_there(struct pf_comparison *comparison)
{
    struct pf_error error = {0};

    for (unsigned side = 0; side < comparison->runs->side_count && !comparison->stats; side++)
        if ((comparison->stream ? comparison->records.runs[PF_BEFORE + side]
                                : pf_diff_runs(&comparison->diff, side)) == 0) {
            pf_error_set(&error, PF_FAILED, "no run could be read");
            pf_tool_fail(&comparison->common.tool, comparison->runs->sides[side].name, &error,
                         false);
            return false;
        }
    return true;
}

/* --stats: gives the view a short name of each run: the value of the label, if no other run has
 * this value. */
static void name_runs(struct pf_comparison *comparison)
{
    const struct pf_reading *reading = &comparison->reading;
    struct pf_strings seen;
    size_t count = reading->count;
    struct pf_tool *tool = &comparison->common.tool;
    uint32_t *ids = pf_tool_calloc(tool, count + 1, sizeof *ids);
    uint32_t *times = pf_tool_calloc(tool, count + 2, sizeof *times);

    comparison->names = pf_tool_calloc(tool, count + 1, sizeof *comparison->names);
    pf_tool_check_memory(tool, pf_strings_init(&seen));
    for (size_t run = 0; run < count; run++) {
        const struct pf_reading_run *read = &reading->read[run];

        ids[run] = pf_strings_intern(&seen, pf_bytes_of(read->name + read->prefix), 0);
        times[ids[run]]++;
    }
    pf_tool_check_memory(tool, seen.status);
    for (size_t run = 0; run < count; run++) {
        const struct pf_reading_run *read = &reading->read[run];

        comparison->names[run] = read->name + (times[ids[run]] == 1 ? read->prefix : 0);
    }
    comparison->view.runs = comparison->names;
    pf_strings_free(&seen);
    free(ids);
    free(times);
}

static struct pf_lacking lacking_of(struct pf_comparison *comparison)
{
    return (struct pf_lacking){
        .common = &comparison->common,
        .runs = comparison->runs,
        .reading = &comparison->reading,
        .diff = &comparison->diff,
        .measures = comparison->measures,
        .measure_count = comparison->measure_count,
        .kind = comparison->rows.kind,
        .gate = comparison->view.terms.gate,
        .stats = comparison->stats,
    };
}

/* Gives the view the names of the sides and of what their runs are. */
static void name_sides(struct pf_comparison *comparison)
{
    struct pf_tool *tool = &comparison->common.tool;
    size_t count = comparison->runs->side_count;

    comparison->sides = pf_tool_calloc(tool, count + 1, sizeof *comparison->sides);
    comparison->nouns = pf_tool_calloc(tool, count + 1, sizeof *comparison->nouns);
    for (unsigned side = 0; side < count; side++) {
        comparison->sides[side] = comparison->runs->sides[side].name;
        comparison->nouns[side] = pf_reading_noun(&comparison->reading, side);
    }
    comparison->view.sides = comparison->sides;
    comparison->view.nouns = comparison->nouns;
    comparison->view.side_count = count;
}

/* Checks the sides and writes the tables. False after a failure, printed and raised. */
static bool write_blocks(struct pf_comparison *comparison)
{
    struct pf_error error = {0};
    bool rose = false;

    int status = pf_diff_finish(&comparison->diff, &error);
    const struct pf_lacking lacking = lacking_of(comparison);

    if (!sides_are_there(comparison))
        return false;
    if (!pf_lacking_check(&lacking))
        return false;
    name_sides(comparison);
    comparison->view.incomplete = pf_inputs_failed(comparison->runs->inputs);
    if (comparison->view.incomplete)
        pf_tool_warn(&comparison->common.tool, "input incomplete: result is partial");
    if (comparison->stats)
        name_runs(comparison);
    if (status == PF_OK)
        status = comparison->stats ? pf_diff_stats(&comparison->view, &error)
                                   : pf_diff_write(&comparison->view, &rose, &error);
    if (status == PF_NOMEM)
        pf_tool_nomem(&comparison->common.tool);
    if (status != PF_OK)
        pf_tool_fail(&comparison->common.tool, NULL, &error, false);
    else if (rose)
        pf_tool_raise(&comparison->common.tool, PF_EXIT_CONDITION);
    return status == PF_OK;
}

/* Sets the look of the table, and the names that it shows. */
static void prepare_table(struct pf_comparison *comparison)
{
    struct pf_diff_view *view = &comparison->view;
    struct pf_tool *tool = &comparison->common.tool;
    bool fits = view->form == PF_SHEET_TEXT && !view->terms.gate;

    if (view->look.sink)
        view->limit = pf_row_settings_limit(&comparison->rows, view->look.sink, fits, OTHER_LINES);
    view->terms.least = comparison->rows.min_percent;
    view->terms.force = comparison->common.tool.force;
    if (view->look.sink)
        pf_common_look(&comparison->common, &view->look, view->form == PF_SHEET_TEXT);
    view->look.by = comparison->diff.by;
    view->look.label = comparison->diff.label;
    view->look.dict = comparison->diff.dict;
    view->diff = &comparison->diff;
    view->tool = tool->name;
    view->operands = pf_inputs_names(comparison->runs->inputs);
    view->by_name = view->sort == PF_DIFF_BY_NAME;
}

static bool read_table(struct pf_comparison *comparison)
{
    if (!pf_reading_all(&comparison->reading))
        return false;
    pf_inputs_find_evals(comparison->runs->inputs, true, true);
    return true;
}

static void write_table(struct pf_comparison *comparison)
{
    struct pf_temporary *temporary;
    struct pf_sink *sink = pf_output_sink(&comparison->common, &temporary);

    comparison->view.look.sink = sink;
    if (sink) {
        prepare_table(comparison);
        pf_tool_check_memory(&comparison->common.tool, pf_diff_init(&comparison->diff));
        if (read_table(comparison) && write_blocks(comparison)) {
            pf_output_sink_close(&comparison->common, comparison->runs->inputs, sink, temporary);
        } else {
            pf_sink_abort(sink);
            pf_tool_temporary_done(temporary);
        }
        pf_diff_free(&comparison->diff);
    }
}

/* --- records ---------------------------------------------------------------------------------- */

/* Judges the functions of a picture: those of its stacks, by cumulative amounts. */
static void prepare_verdicts(struct pf_comparison *comparison)
{
    const char *by = pf_options_get(&comparison->common.to_options, "by");
    struct pf_diff *diff = &comparison->frames;

    *diff = comparison->diff;
    diff->by = by && strcmp(by, "name") == 0 ? PF_BY_NAME : PF_BY_FUNCTION;
    diff->kind = PF_SAMPLE;
    diff->cum = true;
    comparison->view.terms.least = comparison->rows.min_percent;
    pf_tool_check_memory(&comparison->common.tool, pf_diff_init(diff));
}

/* Finds the verdicts after the last run. False after a failure, printed and raised. */
static bool find_verdicts(struct pf_comparison *comparison)
{
    struct pf_diff_terms terms = comparison->view.terms;
    struct pf_error error = {0};
    int status = pf_diff_finish(&comparison->frames, &error);

    terms.gate = NULL;
    if (status == PF_OK)
        status = pf_verdicts_make(&comparison->verdicts, &comparison->frames, &terms, &error);
    return pf_tool_good(&comparison->common.tool, NULL, status, &error);
}

/* Judges the gate beside records. Its table goes to standard output if -o names the file of the
 * records, else to standard error, without -q. False after a failure, printed and raised. */
static bool judge_gate(struct pf_comparison *comparison)
{
    struct pf_common *common = &comparison->common;
    bool apart = common->output && strcmp(common->output, "-") != 0, good;
    struct pf_sink *sink = NULL;
    struct pf_error error = {0};
    int status = PF_OK;

    if (apart)
        status = pf_sink_open(&sink, NULL, &error);
    else if (!common->tool.quiet)
        status = pf_sink_open_file(&sink, dup(STDERR_FILENO), "standard error", &error);
    if (status != PF_OK) {
        pf_tool_fail(&common->tool, NULL, &error, true);
        return false;
    }
    comparison->view.look.sink = sink;
    prepare_table(comparison);
    good = write_blocks(comparison);
    if (sink && pf_sink_commit(sink, &error) < 0) {
        pf_tool_fail(&common->tool, NULL, &error, true);
        good = false;
    }
    return good;
}

/* Reads all runs as records. False after a failure, printed and raised. */
static bool read_records(struct pf_comparison *comparison)
{
    struct pf_diff_records *records = &comparison->records;

    records->dict = comparison->diff.dict;
    records->kind = comparison->rows.kind;
    records->normalize = comparison->diff.normalize;
    records->join_builds = comparison->diff.images == PF_DIFF_IMAGES_JOINED;
    records->drop_negative = comparison->view.drop_negative;
    records->named = comparison->measure_count > 0 ? named_any : NULL;
    records->arg = comparison;
    records->evals = comparison->diff.evals;
    pf_tool_check_memory(&comparison->common.tool, pf_diff_records_init(records));
    if (!pf_reading_all(&comparison->reading) || !sides_are_there(comparison))
        return false;
    pf_inputs_find_evals(comparison->runs->inputs, true, true);

    const struct pf_lacking lacking = lacking_of(comparison);

    if (!pf_diff_records_any(records) &&
        (comparison->measure_count > 0 || comparison->rows.kind != PF_RECORD_KINDS)) {
        pf_lacking_unknown(&lacking,
                           comparison->measure_count > 0 ? comparison->measures[0] : NULL);
        return false;
    }
    if (!judges_rows(comparison))
        pf_lacking_records(&lacking);
    return (!judges_frames(comparison) || find_verdicts(comparison)) &&
           (!judges_rows(comparison) || judge_gate(comparison));
}

static void write_records(struct pf_comparison *comparison)
{
    struct pf_output *output = pf_output_open(&comparison->common, comparison->runs->inputs);
    struct pf_error error = {0};
    struct pf_batch batch;
    int status = PF_OK;
    bool whole;

    if (!output)
        return;
    if (judges_frames(comparison)) {
        prepare_verdicts(comparison);
        pf_output_verdicts(output, &comparison->verdicts);
    }
    if (judges_rows(comparison))
        pf_tool_check_memory(&comparison->common.tool, pf_diff_init(&comparison->diff));
    whole = read_records(comparison);
    while (whole && (status = pf_diff_records_next(&comparison->records, &batch, &error)) == PF_OK)
        whole = pf_output_write(output, &batch);
    if (status < 0)
        pf_tool_fail(&comparison->common.tool, NULL, &error, false);
    if (!whole || status < 0)
        pf_output_abandon(output);
    pf_output_close(output);
    pf_diff_records_free(&comparison->records);
    pf_verdicts_free(&comparison->verdicts);
    if (judges_frames(comparison))
        pf_diff_free(&comparison->frames);
    if (judges_rows(comparison))
        pf_diff_free(&comparison->diff);
}

/* Sets where the runs go: into the rows, the records, or both. */
static void prepare_reading(struct pf_comparison *comparison)
{
    struct pf_reading *reading = &comparison->reading;

    reading->common = &comparison->common;
    reading->runs = comparison->runs;
    reading->dict = comparison->diff.dict;
    if (judges_rows(comparison))
        reading->diffs[reading->diff_count++] = &comparison->diff;
    if (judges_frames(comparison))
        reading->diffs[reading->diff_count++] = &comparison->frames;
    reading->records = comparison->stream ? &comparison->records : NULL;
}

void pf_comparison_write(struct pf_comparison *comparison)
{
    struct pf_common *common = &comparison->common;
    const char *what = comparison->stats ? "expected the sets of runs to summarise"
                                         : "expected two operands, BEFORE and AFTER";

    comparison->measures = common->measures;
    comparison->measure_count = common->measure_count;
    common->measure_count = 0;
    comparison->runs = pf_runs_open(common, comparison->stats ? 1 : 2, comparison->stats ? 0 : 2,
                                    what, comparison->reverse);
    comparison->diff.dict = pf_inputs_dict(comparison->runs->inputs);
    prepare_reading(comparison);
    comparison->diff.by = pf_row_settings_by(&comparison->rows, common, comparison->diff.dict,
                                             &comparison->diff.label);
    comparison->diff.kind = comparison->rows.kind;
    comparison->diff.unit = comparison->rows.unit;
    comparison->diff.cum = comparison->rows.cum;
    comparison->diff.named = named;
    comparison->diff.arg = comparison;
    comparison->diff.name_count = comparison->measure_count;
    bool lines = comparison->diff.by == PF_BY_LINE || comparison->diff.kind == PF_FLAT;
    pf_inputs_want(comparison->runs->inputs, PF_WANT_RELOCATED | (lines ? PF_WANT_LINES : 0));
    pf_inputs_select(comparison->runs->inputs);
    comparison->diff.evals = pf_inputs_join_evals(comparison->runs->inputs, false);
    bool named_well = pf_inputs_set_names(comparison->runs->inputs);

    if (named_well && comparison->stream)
        write_records(comparison);
    else if (named_well)
        write_table(comparison);
    free(comparison->sides);
    free(comparison->nouns);
    free(comparison->names);
    pf_reading_free(&comparison->reading);
    pf_runs_close(comparison->runs);
}

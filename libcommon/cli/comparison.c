#include "cli/comparison.h"

#include "cli/output.h"
#include "codec/registry.h"
#include "model/named.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lines of the terminal that a table needs besides its rows. */
enum { OTHER_LINES = 7 };

/* --- tables or records ------------------------------------------------------------------------ */

/* Options that only tables have, and options of verdicts, which pictures of a difference have
 * too. */
static const char *const table_options[] = {"limit", "sort",       "only",  "unit",
                                            "cum",   "fail-above", "stats", NULL};
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

/* True if rows are compared: for a table, and for a picture with verdicts. */
static bool compares_rows(const struct pf_comparison *comparison)
{
    return !comparison->stream || comparison->common.to->caps & PF_SHOWS_VERDICTS;
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

static void free_reading(struct pf_reading *reading)
{
    pf_labelled_free(&reading->side);
    pf_labelled_free(&reading->own);
    pf_arena_free(&reading->texts);
    free(reading->names);
    free(reading->prefixes);
}

/* --- failures of runs ------------------------------------------------------------------------- */

static bool keeps_going(const struct pf_comparison *comparison)
{
    return comparison->common.tool.keep_going;
}

/* With --keep-going leaves out a run that cannot be compared. False: the failure ends the
 * comparison. */
static bool leave_out(struct pf_comparison *comparison, int status, const struct pf_error *error)
{
    if (!keeps_going(comparison) || (status != PF_UNSUPPORTED && status != PF_OVERFLOW))
        return false;
    pf_inputs_reject(comparison->runs->inputs, error);
    return true;
}

/* True if the status of the run or side `name` is PF_OK; else prints and raises the failure. */
static bool check_status(struct pf_comparison *comparison, const char *name, int status,
                         const struct pf_error *error)
{
    if (status == PF_NOMEM)
        pf_tool_nomem(&comparison->common.tool);
    if (status != PF_OK)
        pf_tool_fail(&comparison->common.tool, name, error, false);
    return status == PF_OK;
}

static void warn_left_out(struct pf_comparison *comparison, const char *name)
{
    pf_tool_warn(&comparison->common.tool, "%s: this run is left out", name);
}

/* --- one run ---------------------------------------------------------------------------------- */

static unsigned side_of(const struct pf_comparison *comparison, size_t number)
{
    return comparison->runs->runs[number].side;
}

static const char *name_of(const struct pf_comparison *comparison, size_t number)
{
    return comparison->runs->runs[number].name;
}

/* Begins a run that is the sum of `runs` runs; `prefix`: where its value begins in the name. False
 * after a failure, printed and raised. */
static bool begin_run(struct pf_comparison *comparison, const char *name, size_t prefix,
                      unsigned side, uint64_t runs)
{
    struct pf_reading *reading = &comparison->reading;
    struct pf_error error = {0};

    if (!pf_grow(&reading->names, &reading->name_capacity, reading->name_count + 1,
                 sizeof *reading->names) ||
        !pf_grow(&reading->prefixes, &reading->prefix_capacity, reading->name_count + 1,
                 sizeof *reading->prefixes))
        pf_tool_nomem(&comparison->common.tool);
    reading->prefixes[reading->name_count] = prefix;
    reading->names[reading->name_count++] = name;
    return !compares_rows(comparison) ||
           check_status(comparison, name, pf_diff_begin(&comparison->diff, side, runs, &error),
                        &error);
}

static int add_batch(struct pf_comparison *comparison, const struct pf_batch *batch,
                     struct pf_error *error)
{
    int status = comparison->stream ? pf_diff_records_add(&comparison->records, batch, error)
                                    : PF_OK;

    return status == PF_OK && compares_rows(comparison)
               ? pf_diff_add(&comparison->diff, batch, error)
               : status;
}

static int add_again(struct pf_comparison *comparison, const struct pf_batch *batch,
                     struct pf_error *error)
{
    int status = comparison->stream ? pf_diff_records_add_again(&comparison->records, batch, error)
                                    : PF_OK;

    return status == PF_OK && compares_rows(comparison)
               ? pf_diff_add_again(&comparison->diff, batch, error)
               : status;
}

/* If the rows or the records of a run fail, neither counts. */
static int finish_run(struct pf_comparison *comparison, unsigned side, uint64_t runs, bool keep,
                      struct pf_error *error)
{
    struct pf_diff *diff = &comparison->diff;
    struct pf_error ignored = {0};
    int rows = compares_rows(comparison) ? pf_diff_end(diff, keep, error) : PF_OK, records = PF_OK;

    if (comparison->stream)
        records = pf_diff_records_end(&comparison->records, PF_BEFORE + side, runs,
                                      keep && rows == PF_OK, rows == PF_OK ? error : &ignored);
    if (records != PF_OK && compares_rows(comparison))
        pf_diff_drop(diff);
    if (!keep || rows != PF_OK || records != PF_OK)
        comparison->reading.name_count--;
    return rows != PF_OK ? rows : records;
}

/* --- runs that are inputs --------------------------------------------------------------------- */

/* Adds a batch of a run. *drop: the run is left out; skip its other batches. False after a
 * failure. */
static bool add_to_input(struct pf_comparison *comparison, size_t number,
                         const struct pf_batch *batch, bool *drop)
{
    struct pf_error error = {0};
    int status;

    if (pf_replicates_here(comparison->diff.dict, batch))
        status = pf_error_set(&error, PF_UNSUPPORTED,
                              "the profile has groups of runs (label 'replicate'), but other "
                              "inputs of its side have none");
    else
        status = add_batch(comparison, batch, &error);
    *drop = status != PF_OK && leave_out(comparison, status, &error);
    return *drop || check_status(comparison, name_of(comparison, number), status, &error);
}

/* Ends a run. With --keep-going a damaged run is left out. Without it, the batches before the
 * damage count; if there are none, nothing can be compared. False after a failure. */
static bool end_input(struct pf_comparison *comparison, size_t number, bool whole)
{
    struct pf_error error = {0};
    bool chosen = comparison->runs->chosen, left_out;
    bool keep = chosen && (whole || !keeps_going(comparison));
    const char *name = name_of(comparison, number);
    int status;

    if (!whole && keep && !comparison->runs->given)
        return false;
    status = finish_run(comparison, side_of(comparison, number), 1, keep, &error);
    left_out = status != PF_OK && leave_out(comparison, status, &error);
    if (chosen && (!keep || left_out))
        warn_left_out(comparison, name);
    return left_out || check_status(comparison, name, status, &error);
}

/* --- runs that are values of a label ---------------------------------------------------------- */

/* Gives metadata, source texts and declarations that came before the first record. */
static bool give_pending(struct pf_comparison *comparison, size_t number,
                         struct pf_labelled *pending, bool *drop)
{
    const struct pf_batch notes[] = {pf_notes_metadata(&pending->notes),
                                     pf_notes_texts(&pending->notes)};
    struct pf_batch batch;
    bool done = true;
    int status = PF_EOF;

    for (size_t k = 0; k < 2 && done && !*drop; k++)
        if (notes[k].rows > 0)
            done = add_to_input(comparison, number, &notes[k], drop);
    pf_labelled_begin(pending);
    while (done && !*drop && (status = pf_labelled_declared(pending, &batch)) == PF_OK)
        done = add_to_input(comparison, number, &batch, drop);
    if (status == PF_NOMEM)
        pf_tool_nomem(&comparison->common.tool);
    pf_labelled_free(pending);
    return done;
}

/* Where the batches of the current input are collected. */
static struct pf_labelled *current_labelled(struct pf_comparison *comparison)
{
    return keeps_going(comparison) ? &comparison->reading.own : &comparison->reading.side;
}

static void set_label(struct pf_comparison *comparison, uint32_t key)
{
    comparison->reading.form = PF_RUNS_LABELLED;
    comparison->reading.side.key = comparison->reading.own.key = key;
}

/* Collects a batch. As add_to_input. */
static bool collect(struct pf_comparison *comparison, size_t number, const struct pf_batch *batch,
                    bool *drop)
{
    struct pf_error error = {0};
    int status = pf_labelled_add(current_labelled(comparison), batch, &error);

    *drop = status != PF_OK && leave_out(comparison, status, &error);
    return *drop || check_status(comparison, name_of(comparison, number), status, &error);
}

/* The name of run `run` of a side: the side, and the value of the label, which begins at
 * *prefix. */
static const char *make_name(struct pf_comparison *comparison, unsigned side, size_t run,
                             size_t *prefix)
{
    struct pf_reading *reading = &comparison->reading;
    struct pf_buffer value = {0}, text = {0};
    const char *name = NULL;

    if (pf_labelled_name(&reading->side, run, &value))
        pf_buffer_printf(&text, "%s: %s=", comparison->runs->sides[side].name,
                         pf_dict_string(comparison->diff.dict, reading->side.key).data);
    *prefix = text.size;
    if (text.size > 0)
        pf_buffer_printf(&text, "%s", value.data);
    if (text.size > 0 && !text.failed)
        name = pf_arena_copy(&reading->texts, text.data, text.size);
    pf_buffer_free(&value);
    pf_buffer_free(&text);
    if (!name)
        pf_tool_nomem(&comparison->common.tool);
    return name;
}

/* Adds the batches of a run. Metadata and source texts describe all runs of the side: the first run
 * gets both, the others the metadata again. */
static int add_labelled(struct pf_comparison *comparison, size_t run, struct pf_error *error)
{
    struct pf_labelled *side = &comparison->reading.side;
    const struct pf_batch metadata = pf_notes_metadata(&side->notes),
                          texts = pf_notes_texts(&side->notes);
    struct pf_batch batch;
    int status = run == 0 ? add_batch(comparison, &metadata, error)
                          : add_again(comparison, &metadata, error);

    if (run == 0 && status == PF_OK && texts.rows > 0)
        status = add_batch(comparison, &texts, error);
    pf_labelled_begin(side);
    while (status == PF_OK && (status = pf_labelled_next(side, run, &batch)) == PF_OK)
        status = add_batch(comparison, &batch, error);
    return status == PF_EOF ? PF_OK : status;
}

/* Reads the runs of a side from what was collected. False after a failure, printed and raised. */
static bool read_labelled(struct pf_comparison *comparison, unsigned side)
{
    struct pf_labelled *labelled = &comparison->reading.side;
    const char *operand = comparison->runs->sides[side].name;
    struct pf_error error = {0};
    int status = pf_labelled_end(labelled, &error);
    size_t count = pf_labelled_count(labelled);
    uint64_t parts = 1;

    if (status == PF_OK && count == 0)
        status = pf_error_set(&error, PF_UNSUPPORTED,
                              "no records: the label '%s' has no value that could be a run",
                              pf_dict_string(comparison->diff.dict, labelled->key).data);
    if (!check_status(comparison, operand, status, &error))
        return false;
    for (size_t run = 0; run < count; run++)
        parts = pf_diff_parts(parts, pf_labelled_runs(labelled, run));
    if (comparison->stream)
        comparison->records.parts[PF_BEFORE + side] = parts;
    for (size_t run = 0; run < count; run++) {
        size_t prefix;
        const char *name = make_name(comparison, side, run, &prefix);
        uint64_t runs = pf_labelled_runs(labelled, run);
        int ended;

        error = (struct pf_error){0};
        if (!begin_run(comparison, name, prefix, side, runs))
            return false;
        status = add_labelled(comparison, run, &error);
        ended = finish_run(comparison, side, runs, status == PF_OK, &error);
        status = status == PF_OK ? ended : status;
        if (!check_status(comparison, name, status, &error) && !keeps_going(comparison))
            return false;
        if (status != PF_OK)
            warn_left_out(comparison, name);
    }
    pf_labelled_free(labelled);
    return true;
}

/* Ends an input whose records are collected, and after the last one the side. As end_input. */
static bool end_labelled(struct pf_comparison *comparison, size_t number, bool whole, bool drop)
{
    struct pf_reading *reading = &comparison->reading;
    bool keep = whole || !keeps_going(comparison);
    struct pf_error error = {0};
    int status = PF_OK;

    if (!whole && keep && !comparison->runs->given)
        return false;
    if (keeps_going(comparison) && keep && !drop) {
        status = pf_labelled_join(&reading->side, &reading->own, &error);
        drop = status != PF_OK && leave_out(comparison, status, &error);
    }
    if (!keep || drop)
        warn_left_out(comparison, name_of(comparison, number));
    else if (!check_status(comparison, name_of(comparison, number), status, &error))
        return false;
    pf_labelled_free(&reading->own);
    if (number + 1 < comparison->runs->count &&
        side_of(comparison, number + 1) == side_of(comparison, number))
        return true;
    return read_labelled(comparison, side_of(comparison, number));
}

/* --- all runs --------------------------------------------------------------------------------- */

static bool start_run(struct pf_comparison *comparison, size_t number)
{
    struct pf_reading *reading = &comparison->reading;
    bool first = number == 0 || side_of(comparison, number - 1) != side_of(comparison, number);

    if (first && reading->label)
        set_label(comparison,
                  pf_dict_intern_text(comparison->diff.dict, pf_bytes_of(reading->label)));
    else if (first)
        reading->form = PF_RUNS_UNKNOWN;
    return reading->form != PF_RUNS_INPUTS ||
           begin_run(comparison, name_of(comparison, number), 0, side_of(comparison, number), 1);
}

/* Takes the inputs of the side as runs. The current input has begun already. */
static bool choose_inputs(struct pf_comparison *comparison, size_t number, bool *drop)
{
    comparison->reading.form = PF_RUNS_INPUTS;
    return begin_run(comparison, name_of(comparison, number), 0, side_of(comparison, number), 1) &&
           give_pending(comparison, number, current_labelled(comparison), drop);
}

/* Adds a batch. The first records of a side show whether its inputs have groups of runs. */
static bool add_run_batch(struct pf_comparison *comparison, size_t number,
                          const struct pf_batch *batch, bool *drop)
{
    struct pf_reading *reading = &comparison->reading;

    if (reading->form == PF_RUNS_UNKNOWN && batch->kind < PF_RECORD_KINDS && batch->rows > 0) {
        if (pf_replicates_here(comparison->diff.dict, batch))
            set_label(comparison, pf_replicate_key(comparison->diff.dict));
        else if (!choose_inputs(comparison, number, drop) || *drop)
            return *drop;
    }
    return reading->form == PF_RUNS_INPUTS ? add_to_input(comparison, number, batch, drop)
                                           : collect(comparison, number, batch, drop);
}

static bool end_run(struct pf_comparison *comparison, size_t number, bool whole, bool drop)
{
    if (comparison->reading.form == PF_RUNS_UNKNOWN && !comparison->runs->chosen)
        return true;
    if (comparison->reading.form == PF_RUNS_UNKNOWN && !choose_inputs(comparison, number, &drop))
        return false;
    return comparison->reading.form == PF_RUNS_INPUTS
               ? end_input(comparison, number, whole)
               : end_labelled(comparison, number, whole, drop);
}

/* Reads all runs. False after a failure, printed and raised. */
static bool read_all(struct pf_comparison *comparison)
{
    struct pf_reading *reading = &comparison->reading;
    struct pf_batch batch;
    enum pf_run_event event;
    size_t number, begun = 0;
    bool whole, drop = false;

    reading->side.dict = reading->own.dict = comparison->diff.dict;
    reading->side.drops = comparison->stream;
    while ((event = pf_runs_next(comparison->runs, &batch, &number, &whole)) != PF_RUN_EOF) {
        if (begun == number && begun++ < comparison->runs->count && !start_run(comparison, number))
            return false;
        if (event == PF_RUN_END) {
            if (!end_run(comparison, number, whole, drop))
                return false;
            drop = false;
        } else if (!drop && !add_run_batch(comparison, number, &batch, &drop)) {
            return false;
        }
    }
    return comparison->runs->reached == comparison->runs->count;
}

/* --- what the runs lack ----------------------------------------------------------------------- */

/* Prints that no run has the measure (NULL: the kind of records), and raises the status to 2. */
static void refuse_unknown(struct pf_comparison *comparison, const char *measure)
{
    struct pf_error error = {0};

    if (measure)
        pf_named_unknown(comparison->diff.dict, measure, &error);
    else
        pf_error_set(&error, PF_USAGE, "the input has no %s records",
                     pf_kind_name(comparison->rows.kind));
    pf_tool_fail(&comparison->common.tool, NULL, &error, false);
}

/* Appends the names of the measures that the records of a side have: the first few, each once. */
static void append_there(const struct pf_comparison *comparison, size_t side,
                         struct pf_buffer *text)
{
    enum { FEW = 8 };
    const struct pf_diff_there *there = &comparison->diff.there[side];
    const struct pf_dict *dict = comparison->diff.dict;
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
static bool side_lacks(struct pf_comparison *comparison, size_t side, struct pf_bytes measure)
{
    const char *name = comparison->runs->sides[side].name;
    struct pf_buffer there = {0};
    struct pf_error error = {0};

    if (!comparison->stats)
        append_there(comparison, side, &there);
    if (there.size == 0 && !comparison->view.terms.gate) {
        pf_tool_warn(&comparison->common.tool, "%s: no record has the measure '%s'", name,
                     pf_clip(measure).text);
        return true;
    }
    pf_tool_stop_failed(&comparison->common.tool); /* the failed input may have the measure */
    if (there.size > 0)
        pf_error_set(&error, PF_UNSUPPORTED,
                     "this side has no measure '%s' to compare; its measures: %.*s",
                     pf_clip(measure).text, (int)there.size, (const char *)there.data);
    else
        pf_error_set(&error, PF_UNSUPPORTED,
                     "this side has no measure '%s': --fail-above has nothing to compare",
                     pf_clip(measure).text);
    pf_tool_fail(&comparison->common.tool, name, &error, false);
    pf_buffer_free(&there);
    return false;
}

/* For a block that no run has: an error, or a warning if no measure and no kind was asked for.
 * False: an error. */
static bool check_nothing(struct pf_comparison *comparison, const char *name)
{
    bool any = pf_measures_count(&comparison->diff.dict->measures) > 0;
    struct pf_error error = {0};

    if (any && (name || comparison->rows.kind != PF_RECORD_KINDS)) {
        refuse_unknown(comparison, name);
    } else if (comparison->view.terms.gate) {
        pf_error_set(&error, PF_UNSUPPORTED,
                     "there are no records and no measures: --fail-above has nothing to compare");
        pf_tool_fail(&comparison->common.tool, NULL, &error, false);
    } else {
        pf_tool_warn(&comparison->common.tool, "there are no records and no measures");
        return true;
    }
    return false;
}

/* True if --since and --until have left out all runs of a side. */
static bool side_left_out(const struct pf_comparison *comparison, size_t side)
{
    const struct pf_runs *runs = comparison->runs;
    bool all = true;

    for (size_t k = 0; k < runs->count && all; k++)
        all = runs->runs[k].side != side || runs->runs[k].left_out;
    return all;
}

/* Reports sides and runs that lack the measure of a block. False: an error. */
static bool check_block(struct pf_comparison *comparison, const struct pf_diff_block *block,
                        const char *name)
{
    struct pf_bytes text;
    bool met, good = true;

    if (block->measure.kind == PF_RECORD_KINDS)
        return check_nothing(comparison, name);
    text = pf_dict_string(comparison->diff.dict, block->measure.name);
    for (size_t side = 0; side < comparison->runs->side_count; side++) {
        met = false;
        for (size_t k = 0; k < comparison->diff.run_count; k++)
            met = met || (comparison->diff.runs[k].side == side && block->runs[k].met);
        if (!met && !side_left_out(comparison, side))
            good = side_lacks(comparison, side, text) && good;
        for (size_t k = 0; k < comparison->diff.run_count && met; k++)
            if (comparison->diff.runs[k].side == side && !block->runs[k].met)
                pf_tool_warn(&comparison->common.tool, "%s: no record has the measure '%s'",
                             comparison->reading.names[k], pf_clip(text).text);
    }
    return good;
}

static bool sides_are_there(struct pf_comparison *comparison)
{
    for (unsigned side = 0; side < comparison->runs->side_count && !comparison->stats; side++)
        if ((comparison->stream ? comparison->records.runs[PF_BEFORE + side]
                                : pf_diff_runs(&comparison->diff, side)) == 0) {
            struct pf_error error = {0};
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
    struct pf_reading *reading = &comparison->reading;
    struct pf_strings seen;
    size_t count = reading->name_count;
    struct pf_tool *tool = &comparison->common.tool;
    uint32_t *ids = pf_tool_calloc(tool, count + 1, sizeof *ids);
    uint32_t *times = pf_tool_calloc(tool, count + 2, sizeof *times);

    pf_tool_check_memory(tool, pf_strings_init(&seen));
    for (size_t run = 0; run < count; run++) {
        ids[run] =
            pf_strings_intern(&seen, pf_bytes_of(reading->names[run] + reading->prefixes[run]), 0);
        times[ids[run]]++;
    }
    pf_tool_check_memory(tool, seen.status);
    for (size_t run = 0; run < count; run++)
        if (times[ids[run]] == 1)
            reading->names[run] += reading->prefixes[run];
    comparison->view.runs = reading->names;
    pf_strings_free(&seen);
    free(ids);
    free(times);
}

/* Checks the sides and writes the tables. False after a failure, printed and raised. */
static bool write_blocks(struct pf_comparison *comparison)
{
    struct pf_error error = {0};
    bool rose = false;

    pf_inputs_find_evals(comparison->runs->inputs, true, true);

    int status = pf_diff_finish(&comparison->diff, &error);

    if (!sides_are_there(comparison))
        return false;
    for (size_t i = 0; i < comparison->diff.block_count; i++)
        if (!check_block(comparison, &comparison->diff.blocks[i],
                         i < comparison->measure_count ? comparison->measures[i] : NULL))
            return false;
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

/* --- tables ----------------------------------------------------------------------------------- */

/* Sets the look of the table, and the names that it shows. */
static void prepare_table(struct pf_comparison *comparison, const char *const *sides)
{
    struct pf_diff_view *view = &comparison->view;
    struct pf_tool *tool = &comparison->common.tool;
    bool fits = view->form == PF_SHEET_TEXT && !view->terms.gate;

    view->limit = pf_row_settings_limit(&comparison->rows, view->look.sink, fits, OTHER_LINES);
    view->terms.least = comparison->rows.min_percent;
    view->terms.force = comparison->common.tool.force;
    pf_common_look(&comparison->common, &view->look);
    view->look.by = comparison->diff.by;
    view->look.label = comparison->diff.label;
    view->look.dict = comparison->diff.dict;
    view->diff = &comparison->diff;
    view->tool = tool->name;
    view->operands = pf_inputs_names(comparison->runs->inputs);
    view->sides = sides;
    view->side_count = comparison->runs->side_count;
    view->by_name = view->sort == PF_DIFF_BY_NAME;
}

static void write_table(struct pf_comparison *comparison)
{
    const char **sides =
        pf_tool_calloc(&comparison->common.tool, comparison->runs->side_count + 1, sizeof *sides);
    struct pf_sink *sink;
    struct pf_temporary *temporary;

    for (size_t i = 0; i < comparison->runs->side_count; i++)
        sides[i] = comparison->runs->sides[i].name;
    comparison->view.look.sink = sink = pf_output_sink(&comparison->common, &temporary);
    if (sink) {
        prepare_table(comparison, sides);
        pf_tool_check_memory(&comparison->common.tool, pf_diff_init(&comparison->diff));
        if (read_all(comparison) && write_blocks(comparison)) {
            pf_output_sink_close(&comparison->common, comparison->runs->inputs, sink, temporary);
        } else {
            pf_sink_abort(sink);
            pf_tool_temporary_done(temporary);
        }
        pf_diff_free(&comparison->diff);
    }
    free(sides);
}

/* --- records ---------------------------------------------------------------------------------- */

/* Judges the functions of a picture: those of its stacks, by cumulative amounts. */
static void prepare_verdicts(struct pf_comparison *comparison)
{
    const char *by = pf_options_get(&comparison->common.to_options, "by");
    struct pf_diff *diff = &comparison->diff;

    diff->by = by && strcmp(by, "name") == 0 ? PF_BY_NAME : PF_BY_FUNCTION;
    diff->kind = PF_SAMPLE;
    diff->cum = true;
    comparison->view.terms.least = comparison->rows.min_percent;
    pf_tool_check_memory(&comparison->common.tool, pf_diff_init(diff));
}

/* Finds the verdicts after the last run. False after a failure, printed and raised. */
static bool find_verdicts(struct pf_comparison *comparison)
{
    struct pf_error error = {0};
    int status = pf_diff_finish(&comparison->diff, &error);

    if (status == PF_OK)
        status = pf_verdicts_make(&comparison->verdicts, &comparison->diff, &comparison->view.terms,
                                  &error);
    return check_status(comparison, NULL, status, &error);
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
    if (!read_all(comparison) || !sides_are_there(comparison))
        return false;
    pf_inputs_find_evals(comparison->runs->inputs, true, true);
    if (pf_diff_records_any(records) ||
        (comparison->measure_count == 0 && comparison->rows.kind == PF_RECORD_KINDS))
        return !compares_rows(comparison) || find_verdicts(comparison);
    refuse_unknown(comparison, comparison->measure_count > 0 ? comparison->measures[0] : NULL);
    return false;
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
    if (compares_rows(comparison)) {
        prepare_verdicts(comparison);
        pf_output_verdicts(output, &comparison->verdicts);
    }
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
    if (compares_rows(comparison))
        pf_diff_free(&comparison->diff);
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
    comparison->diff.by = pf_row_settings_by(&comparison->rows, common, comparison->diff.dict,
                                             &comparison->diff.label);
    comparison->diff.kind = comparison->rows.kind;
    comparison->diff.unit = comparison->rows.unit;
    comparison->diff.cum = comparison->rows.cum;
    comparison->diff.named = named;
    comparison->diff.arg = comparison;
    comparison->diff.name_count = comparison->measure_count;
    pf_inputs_want(comparison->runs->inputs, PF_WANT_RELOCATED);
    pf_inputs_select(comparison->runs->inputs);
    comparison->diff.evals = pf_inputs_join_evals(comparison->runs->inputs, false);
    bool named_well = pf_inputs_set_names(comparison->runs->inputs);

    if (named_well && comparison->stream)
        write_records(comparison);
    else if (named_well)
        write_table(comparison);
    free_reading(&comparison->reading);
    pf_runs_close(comparison->runs);
}

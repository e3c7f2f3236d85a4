#include "cli/diff/reading.h"

#include "base/memory.h"

#include <stdlib.h>

void pf_reading_free(struct pf_reading *reading)
{
    pf_labelled_free(&reading->side);
    pf_labelled_free(&reading->own);
    pf_arena_free(&reading->texts);
    free(reading->read);
}

/* --- failures of runs ------------------------------------------------------------------------- */

static bool keeps_going(const struct pf_reading *reading)
{
    return reading->common->tool.keep_going;
}

/* With --keep-going leaves out a run that cannot be compared. False: the failure ends the
 * comparison. */
static bool leave_out(struct pf_reading *reading, int status, const struct pf_error *error)
{
    if (!keeps_going(reading) || (status != PF_UNSUPPORTED && status != PF_OVERFLOW))
        return false;
    pf_inputs_reject(reading->runs->inputs, error);
    return true;
}

static void warn_left_out(struct pf_reading *reading, const char *name)
{
    pf_tool_warn(&reading->common->tool, "%s: this run is left out", name);
}

/* --- one run ---------------------------------------------------------------------------------- */

static unsigned side_of(const struct pf_reading *reading, size_t number)
{
    return reading->runs->runs[number].side;
}

static const char *name_of(const struct pf_reading *reading, size_t number)
{
    return reading->runs->runs[number].name;
}

/* Begins a run that is the sum of `runs` runs; `prefix`: where its value begins in the name. False
 * after a failure, printed and raised. */
static bool begin_run(struct pf_reading *reading, const char *name, size_t prefix, unsigned side,
                      uint64_t runs)
{
    struct pf_error error = {0};

    if (!pf_grow(&reading->read, &reading->capacity, reading->count + 1, sizeof *reading->read))
        pf_tool_nomem(&reading->common->tool);
    reading->read[reading->count++] = (struct pf_reading_run){name, prefix, side};
    for (size_t i = 0; i < reading->diff_count; i++)
        if (!pf_tool_good(&reading->common->tool, name,
                          pf_diff_begin(reading->diffs[i], side, runs, &error), &error))
            return false;
    return true;
}

static int add_batch(struct pf_reading *reading, const struct pf_batch *batch,
                     struct pf_error *error)
{
    int status = reading->records ? pf_diff_records_add(reading->records, batch, error) : PF_OK;

    for (size_t i = 0; i < reading->diff_count && status == PF_OK; i++)
        status = pf_diff_add(reading->diffs[i], batch, error);
    return status;
}

static int add_again(struct pf_reading *reading, const struct pf_batch *batch,
                     struct pf_error *error)
{
    int status = reading->records ? pf_diff_records_add_again(reading->records, batch, error)
                                  : PF_OK;

    for (size_t i = 0; i < reading->diff_count && status == PF_OK; i++)
        status = pf_diff_add_again(reading->diffs[i], batch, error);
    return status;
}

/* Ends the run in all differences. If the rows or the records of a run fail, none of them count. */
static int finish_run(struct pf_reading *reading, unsigned side, uint64_t runs, bool keep,
                      struct pf_error *error)
{
    struct pf_error ignored = {0};
    size_t kept = 0;
    int status = PF_OK, ended;

    for (size_t i = 0; i < reading->diff_count; i++) {
        bool good = keep && status == PF_OK;

        ended = pf_diff_end(reading->diffs[i], good, status == PF_OK ? error : &ignored);
        kept += good && ended == PF_OK;
        status = status == PF_OK ? ended : status;
    }
    if (reading->records) {
        ended = pf_diff_records_end(reading->records, PF_BEFORE + side, runs,
                                    keep && status == PF_OK, status == PF_OK ? error : &ignored);
        status = status == PF_OK ? ended : status;
    }
    for (size_t i = 0; i < kept && status != PF_OK; i++)
        pf_diff_drop(reading->diffs[i]);
    if (!keep || status != PF_OK)
        reading->count--;
    return status;
}

/* --- runs that are inputs --------------------------------------------------------------------- */

/* Adds a batch of a run. *drop: the run is left out; skip its other batches. False after a
 * failure. */
static bool add_to_input(struct pf_reading *reading, size_t number, const struct pf_batch *batch,
                         bool *drop)
{
    struct pf_error error = {0};
    int status;

    if (pf_replicates_here(reading->dict, batch))
        status = pf_error_set(&error, PF_UNSUPPORTED,
                              "the profile has groups of runs (label 'replicate'), but other "
                              "inputs of its side have none");
    else
        status = add_batch(reading, batch, &error);
    *drop = status != PF_OK && leave_out(reading, status, &error);
    return *drop || pf_tool_good(&reading->common->tool, name_of(reading, number), status, &error);
}

/* Ends a run. With --keep-going a damaged run is left out. Without it, the batches before the
 * damage count; without such batches nothing can be compared. False after a failure. */
static bool end_input(struct pf_reading *reading, size_t number, bool whole)
{
    struct pf_error error = {0};
    bool chosen = reading->runs->chosen, left_out;
    bool keep = chosen && (whole || !keeps_going(reading));
    const char *name = name_of(reading, number);
    int status;

    if (!whole && keep && !reading->runs->given)
        return false;
    status = finish_run(reading, side_of(reading, number), 1, keep, &error);
    left_out = status != PF_OK && leave_out(reading, status, &error);
    if (chosen && (!keep || left_out))
        warn_left_out(reading, name);
    return left_out || pf_tool_good(&reading->common->tool, name, status, &error);
}

/* --- runs that are values of a label ---------------------------------------------------------- */

/* Gives metadata, source texts and declarations that came before the first record. */
static bool give_pending(struct pf_reading *reading, size_t number, struct pf_labelled *pending,
                         bool *drop)
{
    const struct pf_batch notes[] = {pf_notes_metadata(&pending->notes),
                                     pf_notes_texts(&pending->notes)};
    struct pf_batch batch;
    bool done = true;
    int status = PF_EOF;

    for (size_t k = 0; k < 2 && done && !*drop; k++)
        if (notes[k].rows > 0)
            done = add_to_input(reading, number, &notes[k], drop);
    pf_labelled_begin(pending);
    while (done && !*drop && (status = pf_labelled_declared(pending, &batch)) == PF_OK)
        done = add_to_input(reading, number, &batch, drop);
    if (status == PF_NOMEM)
        pf_tool_nomem(&reading->common->tool);
    pf_labelled_free(pending);
    return done;
}

/* Where the batches of the current input are collected. */
static struct pf_labelled *current_labelled(struct pf_reading *reading)
{
    return keeps_going(reading) ? &reading->own : &reading->side;
}

static void set_label(struct pf_reading *reading, uint32_t key)
{
    reading->form = PF_RUNS_LABELLED;
    reading->side.key = reading->own.key = key;
}

/* Collects a batch. As add_to_input. */
static bool collect(struct pf_reading *reading, size_t number, const struct pf_batch *batch,
                    bool *drop)
{
    struct pf_error error = {0};
    int status = pf_labelled_add(current_labelled(reading), batch, &error);

    *drop = status != PF_OK && leave_out(reading, status, &error);
    return *drop || pf_tool_good(&reading->common->tool, name_of(reading, number), status, &error);
}

/* The name of run `run` of a side: the side, and the value of the label, which begins at
 * *prefix. */
static const char *make_name(struct pf_reading *reading, unsigned side, size_t run, size_t *prefix)
{
    struct pf_buffer value = {0}, text = {0};
    const char *name = NULL;

    if (pf_labelled_name(&reading->side, run, &value))
        pf_buffer_printf(&text, "%s: %s=", reading->runs->sides[side].name,
                         pf_dict_string(reading->dict, reading->side.key).data);
    *prefix = text.size;
    if (text.size > 0)
        pf_buffer_printf(&text, "%s", value.data);
    if (text.size > 0 && !text.failed)
        name = pf_arena_copy(&reading->texts, text.data, text.size);
    pf_buffer_free(&value);
    pf_buffer_free(&text);
    if (!name)
        pf_tool_nomem(&reading->common->tool);
    return name;
}

/* Adds the batches of a run. Metadata and source texts describe all runs of the side: the first run
 * gets both, the others the metadata again. */
static int add_labelled(struct pf_reading *reading, size_t run, struct pf_error *error)
{
    struct pf_labelled *side = &reading->side;
    const struct pf_batch metadata = pf_notes_metadata(&side->notes),
                          texts = pf_notes_texts(&side->notes);
    struct pf_batch batch;
    int status = run == 0 ? add_batch(reading, &metadata, error)
                          : add_again(reading, &metadata, error);

    if (run == 0 && status == PF_OK && texts.rows > 0)
        status = add_batch(reading, &texts, error);
    pf_labelled_begin(side);
    while (status == PF_OK && (status = pf_labelled_next(side, run, &batch)) == PF_OK)
        status = add_batch(reading, &batch, error);
    return status == PF_EOF ? PF_OK : status;
}

/* Reads the runs of a side from what was collected. False after a failure, printed and raised. */
static bool read_labelled(struct pf_reading *reading, unsigned side)
{
    struct pf_labelled *labelled = &reading->side;
    const char *operand = reading->runs->sides[side].name;
    struct pf_error error = {0};
    int status = pf_labelled_end(labelled, &error);
    size_t count = pf_labelled_count(labelled);
    uint64_t parts = 1;

    if (status == PF_OK && count == 0)
        status = pf_error_set(&error, PF_UNSUPPORTED,
                              "no records: the label '%s' has no value that could be a run",
                              pf_dict_string(reading->dict, labelled->key).data);
    if (!pf_tool_good(&reading->common->tool, operand, status, &error))
        return false;
    for (size_t run = 0; run < count; run++)
        parts = pf_diff_parts(parts, pf_labelled_runs(labelled, run));
    if (reading->records)
        reading->records->parts[PF_BEFORE + side] = parts;
    for (size_t run = 0; run < count; run++) {
        size_t prefix;
        const char *name = make_name(reading, side, run, &prefix);
        uint64_t runs = pf_labelled_runs(labelled, run);
        int ended;

        error = (struct pf_error){0};
        if (!begin_run(reading, name, prefix, side, runs))
            return false;
        status = add_labelled(reading, run, &error);
        ended = finish_run(reading, side, runs, status == PF_OK, &error);
        status = status == PF_OK ? ended : status;
        if (!pf_tool_good(&reading->common->tool, name, status, &error) && !keeps_going(reading))
            return false;
        if (status != PF_OK)
            warn_left_out(reading, name);
    }
    pf_labelled_free(labelled);
    return true;
}

/* Ends an input whose records are collected, and after the last one the side. As end_input. */
static bool end_labelled(struct pf_reading *reading, size_t number, bool whole, bool drop)
{
    bool keep = whole || !keeps_going(reading);
    struct pf_error error = {0};
    int status = PF_OK;

    if (!whole && keep && !reading->runs->given)
        return false;
    if (keeps_going(reading) && keep && !drop) {
        status = pf_labelled_join(&reading->side, &reading->own, &error);
        drop = status != PF_OK && leave_out(reading, status, &error);
    }
    if (!keep || drop)
        warn_left_out(reading, name_of(reading, number));
    else if (!pf_tool_good(&reading->common->tool, name_of(reading, number), status, &error))
        return false;
    pf_labelled_free(&reading->own);
    if (number + 1 < reading->runs->count &&
        side_of(reading, number + 1) == side_of(reading, number))
        return true;
    return read_labelled(reading, side_of(reading, number));
}

/* --- all runs --------------------------------------------------------------------------------- */

static bool start_run(struct pf_reading *reading, size_t number)
{
    bool first = number == 0 || side_of(reading, number - 1) != side_of(reading, number);

    if (first && reading->label)
        set_label(reading, pf_dict_intern_text(reading->dict, pf_bytes_of(reading->label)));
    else if (first)
        reading->form = PF_RUNS_UNKNOWN;
    return reading->form != PF_RUNS_INPUTS ||
           begin_run(reading, name_of(reading, number), 0, side_of(reading, number), 1);
}

/* Takes the inputs of the side as runs. The current input has begun already. */
static bool choose_inputs(struct pf_reading *reading, size_t number, bool *drop)
{
    reading->form = PF_RUNS_INPUTS;
    return begin_run(reading, name_of(reading, number), 0, side_of(reading, number), 1) &&
           give_pending(reading, number, current_labelled(reading), drop);
}

/* Adds a batch. The first records of a side show whether its inputs have groups of runs. */
static bool add_run_batch(struct pf_reading *reading, size_t number, const struct pf_batch *batch,
                          bool *drop)
{

    if (reading->form == PF_RUNS_UNKNOWN && batch->kind < PF_RECORD_KINDS && batch->rows > 0) {
        if (pf_replicates_here(reading->dict, batch))
            set_label(reading, pf_replicate_key(reading->dict));
        else if (!choose_inputs(reading, number, drop) || *drop)
            return *drop;
    }
    return reading->form == PF_RUNS_INPUTS ? add_to_input(reading, number, batch, drop)
                                           : collect(reading, number, batch, drop);
}

static bool end_run(struct pf_reading *reading, size_t number, bool whole, bool drop)
{
    if (reading->form == PF_RUNS_UNKNOWN && !reading->runs->chosen)
        return true;
    if (reading->form == PF_RUNS_UNKNOWN && !choose_inputs(reading, number, &drop))
        return false;
    return reading->form == PF_RUNS_INPUTS ? end_input(reading, number, whole)
                                           : end_labelled(reading, number, whole, drop);
}

bool pf_reading_all(struct pf_reading *reading)
{
    struct pf_batch batch;
    enum pf_run_event event;
    size_t number, begun = 0;
    bool whole, drop = false;

    reading->side.dict = reading->own.dict = reading->dict;
    reading->side.drops = reading->records;
    while ((event = pf_runs_next(reading->runs, &batch, &number, &whole)) != PF_RUN_EOF) {
        if (begun == number && begun++ < reading->runs->count && !start_run(reading, number))
            return false;
        if (event == PF_RUN_END) {
            if (!end_run(reading, number, whole, drop))
                return false;
            drop = false;
        } else if (!drop && !add_run_batch(reading, number, &batch, &drop)) {
            return false;
        }
    }
    return reading->runs->reached == reading->runs->count;
}

const char *pf_reading_noun(const struct pf_reading *reading, unsigned side)
{
    bool files = true;

    for (size_t k = 0; k < reading->count; k++)
        files = files && (reading->read[k].side != side || reading->read[k].prefix == 0);
    for (size_t k = 0; k < reading->runs->count; k++)
        files = files && (reading->runs->runs[k].side != side || reading->runs->runs[k].count == 1);
    return files ? "files" : "runs";
}

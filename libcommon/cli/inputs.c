#include "cli/inputs.h"

#include "analysis/merge/eval_batches.h"
#include "cli/annotation.h"
#include "cli/edits.h"
#include "cli/feed.h"
#include "cli/selection.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct pf_inputs {
    struct pf_common *common;
    struct pf_dict dict;
    unsigned wants; /* enum pf_inputs_want */

    /* the stages in the order of the pipeline; those behind a pointer may be NULL */
    struct pf_feed *feed;
    struct pf_annotation annotation; /* two stages: its `staging`, and itself */
    struct pf_selection *selection;
    struct pf_edits *edits;
    struct pf_stage hide, count;
    struct pf_eval_batches *evals;
    struct pf_stage *last; /* NULL: the pipeline is not composed yet */
    bool reported;         /* expressions that matched nothing were printed */

    struct pf_replicates replicates;       /* of `hide` */
    struct pf_left_measures left_measures; /* of `count` */
};

/* --- small stages ----------------------------------------------------------------------------- */

/* PF_WANT_NO_RUNS: removes the records that count runs. */
static int hide_runs(struct pf_stage *stage, struct pf_event *event, struct pf_error *error)
{
    struct pf_inputs *inputs = PF_STAGE_OWNER(stage, struct pf_inputs, hide);
    int status;

    while ((status = pf_stage_next(stage->from, event, error)) == PF_OK &&
           event->kind == PF_EVENT_BATCH && pf_replicates_here(&inputs->dict, &event->batch)) {
        struct pf_batch all = event->batch, runs;

        if (pf_replicates_part(&inputs->replicates, &inputs->dict, &all, &event->batch, &runs) !=
            PF_OK)
            return pf_error_nomem(error);
        if (event->batch.rows > 0 || event->batch.value_count > 0)
            break;
    }
    return status;
}

/* Counts the records of each set of measures; a record that counts runs has none. */
static int count_measures(struct pf_stage *stage, struct pf_event *event, struct pf_error *error)
{
    struct pf_inputs *inputs = PF_STAGE_OWNER(stage, struct pf_inputs, count);
    int status = pf_stage_next(stage->from, event, error);

    if (status != PF_OK || event->kind != PF_EVENT_BATCH ||
        (event->batch.value_count == 1 && pf_replicates_here(&inputs->dict, &event->batch)))
        return status;
    status = pf_left_measures_add(&inputs->left_measures, &event->batch, event->input->name);
    return status == PF_OK ? status : pf_error_nomem(error);
}

/* --- the pipeline ----------------------------------------------------------------------------- */

/* Puts the stages after one another. */
static struct pf_stage *compose(struct pf_inputs *inputs)
{
    struct pf_stage *last = pf_feed_stage(inputs->feed);

    if (pf_staging_active(&inputs->annotation.staging))
        last = pf_stage_after(&inputs->annotation.staging.stage, last);
    if (inputs->selection)
        last = pf_selection_choose(inputs->selection, last);
    if (inputs->edits)
        last = pf_edits_add(inputs->edits, last);
    if (inputs->wants & PF_WANT_NO_RUNS) {
        inputs->hide.next = hide_runs;
        last = pf_stage_after(&inputs->hide, last);
    }
    inputs->count.next = count_measures;
    last = pf_stage_after(&inputs->count, last);
    last = pf_annotation_add(&inputs->annotation, last);
    if (inputs->selection)
        last = pf_selection_tell(inputs->selection, last);
    if (inputs->evals)
        last = pf_eval_batches_add(inputs->evals, last);
    return last;
}

int pf_inputs_next(struct pf_inputs *inputs, struct pf_event *event)
{
    struct pf_error error = {0};
    int status;

    if (!inputs->last)
        inputs->last = compose(inputs);
    while ((status = pf_stage_next(inputs->last, event, &error)) < 0)
        pf_feed_fail(inputs->feed, &error);
    return status;
}

/* --- opening ---------------------------------------------------------------------------------- */

/* Exits 2 if standard output is also an input: `profcat x.pfs >>x.pfs` would read what it writes,
 * without end. */
static void refuse_own_output(struct pf_common *common, const struct pf_operands *operands)
{
    struct stat output, input;
    if ((common->output && strcmp(common->output, "-") != 0) ||
        fstat(STDOUT_FILENO, &output) != 0 || !S_ISREG(output.st_mode))
        return;
    for (size_t i = 0; i < operands->count; i++) {
        const char *name = operands->names[i];
        bool standard = strcmp(name, "-") == 0;
        int status = standard ? fstat(STDIN_FILENO, &input) : stat(name, &input);
        if (status != 0 || input.st_dev != output.st_dev || input.st_ino != output.st_ino)
            continue;
        if (standard)
            pf_tool_usage(
                &common->tool,
                "standard input and standard output are the same file: write to another file");
        pf_tool_usage(
            &common->tool,
            "'%s' is both an input and standard output: write to another file, or use -o '%s'",
            name, name);
    }
}

struct pf_inputs *pf_inputs_open(struct pf_common *common)
{
    struct pf_operands operands;

    pf_operands_expand(&operands, common);
    return pf_inputs_open_names(common, &operands);
}

struct pf_inputs *pf_inputs_open_names(struct pf_common *common, struct pf_operands *operands)
{
    struct pf_inputs *inputs = pf_tool_calloc(&common->tool, 1, sizeof *inputs);

    refuse_own_output(common, operands);
    pf_tool_check_memory(&common->tool, pf_dict_init(&inputs->dict));
    inputs->common = common;
    inputs->feed = pf_feed_open(common, &inputs->dict, operands);
    inputs->annotation.dict = &inputs->dict;
    inputs->annotation.staging.report = pf_feed_report(inputs->feed);
    pf_annotation_read_metadata(&inputs->annotation, common);
    return inputs;
}

struct pf_dict *pf_inputs_dict(struct pf_inputs *inputs)
{
    return &inputs->dict;
}

void pf_inputs_want(struct pf_inputs *inputs, unsigned wants)
{
    struct pf_feed_wants *feed = pf_feed_wants(inputs->feed);

    inputs->wants |= wants;
    feed->flush |= wants & PF_WANT_FLUSH;
    feed->times |= wants & PF_WANT_TIMES;
    feed->lines |= wants & PF_WANT_LINES;
    feed->relocate |= wants & PF_WANT_RELOCATED;
}

void pf_inputs_set_labels(struct pf_inputs *inputs)
{
    pf_annotation_read_labels(&inputs->annotation, inputs->common);
    pf_feed_wants(inputs->feed)->content = inputs->annotation.groups > 0 &&
                                           !inputs->annotation.by_name;
}

unsigned pf_inputs_replicates(const struct pf_inputs *inputs, uint32_t *name)
{
    *name = inputs->annotation.replicate;
    return inputs->annotation.groups;
}

bool pf_inputs_set_names(struct pf_inputs *inputs)
{
    return pf_annotation_read_names(&inputs->annotation, inputs->common);
}

void pf_inputs_select(struct pf_inputs *inputs)
{
    inputs->selection = pf_tool_calloc(&inputs->common->tool, 1, sizeof *inputs->selection);
    pf_selection_read(inputs->selection, inputs->common, &inputs->dict);
    if (inputs->selection->timed)
        pf_inputs_want(inputs, PF_WANT_TIMES);
}

void pf_inputs_filter(struct pf_inputs *inputs)
{
    pf_inputs_select(inputs);
    inputs->selection->removed_of = PF_REMOVED_OF_ALL;
    pf_selection_read_more(inputs->selection, inputs->common);
    inputs->edits = pf_edits_read(inputs->common, inputs->selection);
}

bool pf_inputs_left_records(const struct pf_inputs *inputs)
{
    return inputs->edits->left;
}

const struct pf_evals *pf_inputs_join_evals(struct pf_inputs *inputs, bool notes)
{
    struct pf_tool *tool = &inputs->common->tool;
    bool apart = inputs->common->evals == PF_EVALS_APART;

    inputs->evals = pf_tool_calloc(tool, 1, sizeof *inputs->evals);
    pf_tool_check_memory(tool, pf_eval_batches_init(inputs->evals, &inputs->dict, apart));
    inputs->evals->notes = notes;
    inputs->evals->single = pf_inputs_count(inputs) == 1;
    return &inputs->evals->evals;
}

void pf_inputs_find_evals(struct pf_inputs *inputs, bool joins, bool several)
{
    struct pf_eval_batches *batches = inputs->evals;
    struct pf_evals *evals = &batches->evals;
    bool single = !several && batches->announced <= 1 && evals->inputs <= 1;

    evals->names_win = joins && !evals->apart;
    pf_tool_check_memory(&inputs->common->tool, pf_evals_find(evals, single));
    if (evals->bare > 0 && !single && !evals->apart)
        pf_tool_warn(&inputs->common->tool,
                     "%zu string evals have no source text: their numbers and places decide which "
                     "are the same",
                     evals->bare);
}

bool pf_inputs_copy(struct pf_inputs *inputs, const struct pf_format *format, struct pf_sink *sink)
{
    return !inputs->selection && !pf_annotation_active(&inputs->annotation) &&
           pf_feed_copy(inputs->feed, format, sink);
}

void pf_inputs_reject(struct pf_inputs *inputs, const struct pf_error *error)
{
    pf_feed_reject(inputs->feed, error);
}

/* --- the end ---------------------------------------------------------------------------------- */

/* True if the inputs are all inputs of the run, and were all read. */
static bool are_whole(const struct pf_inputs *inputs)
{
    return !(inputs->wants & PF_WANT_PART) && pf_feed_reached_last(inputs->feed);
}

/* Expressions may match in an input that could not be read. A failure of the system, such as a full
 * disk, stays the only message. */
void pf_inputs_report_filters(struct pf_inputs *inputs)
{
    const struct pf_selection *selection = inputs->selection;

    if (!selection || inputs->reported || !are_whole(inputs) ||
        inputs->common->tool.status == PF_EXIT_FAILURE ||
        (pf_feed_failed(inputs->feed) && (!selection->seen || !inputs->common->tool.keep_going)))
        return;
    inputs->reported = true;
    pf_selection_report(inputs->selection);
    if (inputs->edits)
        pf_edits_report(inputs->edits);
}

/* Reports metadata that no input has. */
static void report_staging(struct pf_inputs *inputs)
{
    const struct pf_report report = pf_tool_report(&inputs->common->tool);

    if (are_whole(inputs) && pf_inputs_good(inputs) > 0)
        pf_tool_check_memory(&inputs->common->tool,
                             pf_staging_report(&inputs->annotation.staging, &report));
}

void pf_inputs_close(struct pf_inputs *inputs)
{
    pf_feed_end(inputs->feed);
    report_staging(inputs);
    if (pf_inputs_good(inputs) > 0)
        pf_annotation_report(&inputs->annotation, &inputs->common->tool);
    pf_inputs_report_filters(inputs);
    if (inputs->evals)
        pf_eval_batches_free(inputs->evals);
    free(inputs->evals);
    pf_edits_free(inputs->edits);
    if (inputs->selection)
        pf_selection_free(inputs->selection);
    free(inputs->selection);
    pf_left_measures_free(&inputs->left_measures);
    pf_replicates_free(&inputs->replicates);
    pf_feed_close(inputs->feed);
    pf_annotation_free(&inputs->annotation);
    pf_dict_free(&inputs->dict);
    free(inputs);
}

uint64_t pf_inputs_left_out(const struct pf_inputs *inputs, const struct pf_held_measures *held,
                            uint64_t *all, const char **input)
{
    return pf_left_measures_count(&inputs->left_measures, &inputs->dict, held, all, input);
}

bool pf_inputs_failed(const struct pf_inputs *inputs)
{
    return pf_feed_failed(inputs->feed);
}

unsigned pf_inputs_count(const struct pf_inputs *inputs)
{
    return (unsigned)pf_feed_operands(inputs->feed)->count;
}

unsigned pf_inputs_good(const struct pf_inputs *inputs)
{
    return pf_feed_good(inputs->feed);
}

uint32_t pf_inputs_group(const struct pf_inputs *inputs, unsigned number)
{
    return pf_feed_operands(inputs->feed)->groups[number];
}

const char *const *pf_inputs_names(const struct pf_inputs *inputs)
{
    return (const char *const *)pf_feed_operands(inputs->feed)->names;
}

/* The programs' analyses for the fuzzing driver: each reads inputs from memory and produces its
 * whole result, as text, JSON or a written profile. A failure must have an error text; nothing may
 * crash or hang. */
#ifndef PF_TESTS_ANALYSES_H
#define PF_TESTS_ANALYSES_H

#include "analysis/diff/labelled.h"
#include "analysis/diff/records.h"
#include "analysis/diff/rows.h"
#include "analysis/filter/rewrite.h"
#include "analysis/filter/select.h"
#include "analysis/merge/canonical.h"
#include "analysis/merge/eval_batches.h"
#include "analysis/merge/merge.h"
#include "render/diff/diff.h"
#include "render/table/top.h"

#include "examine.h"

#include <stdlib.h>

enum analysis {
    ANALYSE_COPY, /* read and write at once: examine.h */
    ANALYSE_TOP,
    ANALYSE_DIFF,
    ANALYSE_DIFFERENCE, /* as records */
    ANALYSE_FILTER,
    ANALYSE_MERGE,
    ANALYSE_CANONICAL,
    ANALYSES
};

struct study {
    struct pf_stage input; /* gives the events of one input, then PF_EOF until the next is opened */
    struct pf_input of;
    struct pf_reader *reading; /* the open input */
    bool ended;                /* its end was given */
    const struct pf_format *reader, *writer;
    const unsigned char *bytes;
    size_t size, cut; /* the second input is the first `cut` bytes, salvaged */
    bool salvage;
    unsigned char choices[4]; /* options of the analysis */
    struct pf_dict dict;
    struct pf_shared *shared;
    struct pf_eval_batches *evals; /* NULL: names of evals stay */
    struct outcome *outcome;
};

/* True if the status is no error. Blames an error that an analysis must not return (out of memory,
 * input or output) and an error without a text. */
static bool study_good(struct study *study, const char *what, int status,
                       const struct pf_error *error)
{
    if (status >= 0)
        return true;
    if (status == PF_NOMEM || status == PF_IO || !error->text[0])
        blame(study->outcome, "%s gives %d and the text '%s'", what, status, error->text);
    return false;
}

/* --- reading ---------------------------------------------------------------------------------- */

typedef bool take_batch(struct study *, void *arg, const struct pf_batch *);

static int next_event(struct pf_stage *stage, struct pf_event *event, struct pf_error *error)
{
    struct study *study = PF_STAGE_OWNER(stage, struct study, input);

    (void)error;
    if (study->ended)
        return PF_EOF;
    event->kind = PF_EVENT_BATCH;
    event->input = &study->of;
    if (!study->reading || pf_reader_next(study->reading, &event->batch) != PF_OK) {
        event->kind = PF_EVENT_END;
        study->ended = true;
    }
    return PF_OK;
}

/* Passes the batches of one input to `take`; false if `take` failed. Of an input that fails, the
 * records before the failure count. */
static bool study_read(struct study *study, size_t size, take_batch *take, void *arg)
{
    static const struct pf_options none;
    struct pf_error error = {0};
    struct pf_source *source = NULL;
    struct pf_stage *last = &study->input;
    struct pf_event event;
    int status = PF_OK;
    bool good = true;

    if (pf_source_open_memory(&source, study->bytes, size, &error) != PF_OK)
        return false;
    struct pf_reader setup = {.format = study->reader,
                              .source = source,
                              .dict = &study->dict,
                              .options = &none,
                              .shared = study->shared,
                              .report = {hear, study->outcome},
                              .name = "input",
                              .salvage = study->salvage || size < study->size,
                              .times = study->choices[3] & 1};
    pf_reader_open(&study->reading, &setup, &error);
    study->input.next = next_event;
    study->of = (struct pf_input){.name = "input", .format = study->reader, .variant = ""};
    study->ended = false;
    if (study->evals)
        last = pf_eval_batches_add(study->evals, last);
    while (good && (status = pf_stage_next(last, &event, &error)) == PF_OK)
        good = event.kind != PF_EVENT_BATCH || take(study, arg, &event.batch);
    good = study_good(study, "evals", status, &error) && good;
    pf_reader_close(study->reading);
    study->reading = NULL;
    pf_source_close(source);
    return good;
}

/* Sets study->evals if the choices ask for names of evals. Returns the evals for diffs and merges,
 * or NULL. */
static const struct pf_evals *open_evals(struct study *study, struct pf_eval_batches *batches)
{
    if (!(study->choices[3] & 16) ||
        pf_eval_batches_init(batches, &study->dict, study->choices[3] & 32) != PF_OK)
        return NULL;
    batches->notes = study->choices[3] & 64;
    batches->evals.names_win = !batches->evals.apart;
    study->evals = batches;
    return &batches->evals;
}

/* Finds equal evals; call after the last input. */
static void find_evals(struct study *study)
{
    struct pf_error error = {0};

    if (study->evals)
        study_good(study, "names of evals",
                   pf_evals_find(&study->evals->evals, study->choices[3] & 128), &error);
}

static void close_evals(struct study *study)
{
    if (study->evals)
        pf_eval_batches_free(study->evals);
    study->evals = NULL;
}

/* --- writing ---------------------------------------------------------------------------------- */

static bool write_batch(struct study *study, void *arg, const struct pf_batch *batch)
{
    struct copy *copy = arg;

    if (copy->writer && copy->status == PF_OK)
        copy_check(study->outcome, copy, pf_writer_write(copy->writer, batch),
                   &copy->writer->error);
    if (batch->kind < PF_RECORD_KINDS)
        study->outcome->records += batch->rows;
    return !study->outcome->wrong[0];
}

static void open_copy(struct study *study, struct copy *copy)
{
    const struct pf_format *writer = study->writer;

    copy_open(study->outcome, copy, writer ? writer : pf_registry_find(PF_BYTES("pfs")),
              &study->dict);
}

static void close_copy(struct study *study, struct copy *copy)
{
    study->outcome->status = PF_EOF;
    copy_close(study->outcome, copy, copy->writer ? copy->writer->format : NULL);
}

/* A table written as JSON must be a valid document. */
static void check_sheet(struct study *study, struct pf_sink *sink, enum pf_sheet_form form)
{
    size_t size = 0;
    const void *bytes = pf_sink_memory(sink, &size);
    json_error_t why;

    if (form == PF_SHEET_JSON && size > 0 && size < 2000000) {
        json_t *document = json_loadb(bytes, size, JSON_ALLOW_NUL, &why);
        if (!document && !strstr(why.text, "NUL byte in object key") &&
            !strstr(why.text, "too big"))
            blame(study->outcome, "a table is no JSON document: %s at byte %d", why.text,
                  why.position);
        json_decref(document);
    }
}

/* --- top -------------------------------------------------------------------------------------- */

struct top_study {
    struct pf_accumulator accumulator;
    struct pf_facts facts;
    struct pf_notes sources;
};

static bool top_batch(struct study *study, void *arg, const struct pf_batch *batch)
{
    struct top_study *top = arg;
    struct pf_error error = {0};

    return study_good(study, "a sum", pf_accumulator_add(&top->accumulator, batch, &error),
                      &error) &&
           pf_facts_add(&top->facts, &study->dict, batch) == PF_OK &&
           pf_notes_add(&top->sources, batch) == PF_OK;
}

static void top_view(struct study *study, struct pf_top *top, enum pf_top_shape view)
{
    struct pf_error error = {0};
    struct pf_pattern all;
    bool matched;

    if (pf_pattern_compile(&all, "", 0, &error) != PF_OK)
        return;
    top->view = view;
    if (view == PF_TOP_LIST)
        top->look.by = PF_BY_LINE, top->list = &all;
    if (view == PF_TOP_CALLS)
        top->callers = top->callees = &all;
    study_good(study, "a view", pf_top_write(top, &matched, &error), &error);
    pf_pattern_free(&all);
    check_sheet(study, top->look.sink, view == PF_TOP_FLAME ? PF_SHEET_JSON : top->form);
}

static void show_top(struct study *study, struct top_study *state)
{
    static const char *const operands[] = {"input", NULL};
    struct pf_top_block block = {0};
    struct pf_error error = {0};
    struct pf_top top = {
        .look = {.dict = &study->dict,
                 .by = study->choices[1] % 8,
                 .utf8 = study->choices[3] & 2,
                 .color = study->choices[3] & 4,
                 .group = study->choices[3] & 4,
                 .terminal = study->choices[3] & 8 ? 80 : 0},
        .accumulator = &state->accumulator,
        .facts = &state->facts,
        .sources = &state->sources,
        .tool = "proftop",
        .operands = operands,
        .form = study->choices[0] % 5,
        .sort = study->choices[0] / 5 % 5,
        .limit = study->choices[1] / 8,
        .blocks = &block,
        .block_count = 1,
    };
    struct pf_look *look = &top.look;
    enum pf_kind kind = study->choices[2] / 5 % 4;

    if (kind == PF_RECORD_KINDS)
        kind = pf_subject_kind(&state->accumulator, look->by, &state->facts);
    uint32_t measure = kind < PF_RECORD_KINDS ? pf_accumulator_main(&state->accumulator, kind)
                                              : UINT32_MAX;
    if (look->by == PF_BY_LABEL)
        look->label = pf_dict_intern(&study->dict, PF_BYTES("section"), 0);
    if (measure == UINT32_MAX || !pf_accumulator_find(&state->accumulator, measure) ||
        pf_sink_open_memory(&look->sink, &error) != PF_OK)
        return;
    if (study_good(study, "a block",
                   pf_top_block(&top, measure, study->choices[3] / 16 % 9, &block, &error), &error))
        top_view(study, &top, look->by == PF_BY_LABEL ? PF_TOP_TABLE : study->choices[2] % 5);
    pf_sink_abort(look->sink);
}

static void study_top(struct study *study)
{
    struct top_study state = {
        .accumulator = {.dict = &study->dict, .by_labels = study->choices[1] % 8 == PF_BY_LABEL}};

    if (study_read(study, study->size, top_batch, &state))
        show_top(study, &state);
    pf_accumulator_free(&state.accumulator);
    pf_facts_free(&state.facts);
    pf_notes_free(&state.sources);
}

/* --- differences ------------------------------------------------------------------------------ */

static bool diff_batch(struct study *study, void *arg, const struct pf_batch *batch)
{
    struct pf_error error = {0};

    return study_good(study, "a run", pf_diff_add(arg, batch, &error), &error);
}

static void show_diff(struct study *study, struct pf_diff *diff)
{
    static const char *const operands[] = {"before", "after", NULL};
    struct pf_error error = {0};
    struct pf_bound gate = {.percent = true, .amount = 5000000};
    struct pf_diff_view view = {
        .look = {.dict = diff->dict,
                 .by = diff->by,
                 .label = diff->label,
                 .utf8 = study->choices[3] & 2,
                 .color = study->choices[3] & 4,
                 .group = study->choices[3] & 4,
                 .terminal = study->choices[3] & 8 ? 80 : 0},
        .diff = diff,
        .tool = "profdiff",
        .operands = operands,
        .sides = operands,
        .side_count = 2,
        .form = study->choices[0] % 5,
        .sort = study->choices[0] / 5 % 5,
        .terms = {.margin = 0.01,
                  .least = study->choices[0] & 1 ? 0 : 0.2,
                  .test = study->choices[2] & 16 ? PF_DIFF_TEST_WELCH : PF_DIFF_TEST_MODERATED,
                  .gate = study->choices[2] & 32 ? &gate : NULL,
                  .force = study->choices[2] & 64},
        .gate_text = "5%",
    };
    bool rose = false, stats = study->choices[2] & 1;

    if (pf_diff_runs(diff, 0) == 0 || pf_diff_runs(diff, 1) == 0 || diff->block_count == 0 ||
        diff->blocks[0].measure.kind == PF_RECORD_KINDS)
        return;
    if (pf_sink_open_memory(&view.look.sink, &error) != PF_OK)
        return;
    int status = pf_diff_finish(diff, &error);
    if (status == PF_OK)
        status = stats ? pf_diff_stats(&view, &error) : pf_diff_write(&view, &rose, &error);
    study_good(study, "a difference", status, &error);
    check_sheet(study, view.look.sink, view.form);
    pf_sink_abort(view.look.sink);
}

/* Adds the runs of both sides: the whole input and a part of it. */
static void study_diff(struct study *study)
{
    struct pf_eval_batches evals = {0};
    struct pf_diff diff = {.dict = &study->dict,
                           .evals = open_evals(study, &evals),
                           .by = study->choices[1] % 8,
                           .kind = study->choices[1] / 8 % 4,
                           .cum = study->choices[3] & 2,
                           .normalize = study->choices[3] & 4};
    const size_t sizes[] = {study->size, study->cut,  study->cut,
                            study->size, study->size, study->cut / 2};
    struct pf_error error = {0};
    bool good = true;

    if (diff.by == PF_BY_LABEL)
        diff.label = pf_dict_intern(&study->dict, PF_BYTES("section"), 0);
    if (pf_diff_init(&diff) != PF_OK)
        good = false;
    static const unsigned counts[] = {2, 4, 6, 6};
    for (unsigned run = 0; run < counts[study->choices[2] / 2 % 4] && good; run++) {
        uint64_t runs = study->choices[2] & 8 ? 1 + 3 * run : 1;

        good = pf_diff_begin(&diff, run % 2, runs, &error) == PF_OK &&
               study_read(study, sizes[run], diff_batch, &diff);
        good = study_good(study, "the end of a run", pf_diff_end(&diff, good, &error), &error) &&
               good;
    }
    find_evals(study);
    if (good)
        show_diff(study, &diff);
    pf_diff_free(&diff);
    close_evals(study);
}

static bool labelled_batch(struct study *study, void *arg, const struct pf_batch *batch)
{
    struct pf_error error = {0};

    return study_good(study, "runs in a profile", pf_labelled_add(arg, batch, &error), &error);
}

/* Divides an input into runs, and adds them to one side of a difference. */
static bool add_labelled(struct study *study, struct pf_diff *diff, unsigned side, size_t size)
{
    bool groups = study->choices[2] & 16;
    struct pf_labelled labelled = {.dict = &study->dict, .drops = study->choices[2] & 32};
    struct pf_error error = {0};
    struct pf_batch batch;
    bool good;
    int status = PF_OK;

    labelled.key =
        pf_dict_intern(&study->dict, groups ? PF_BYTES("replicate") : PF_BYTES("section"), 0);
    good = study_read(study, size, labelled_batch, &labelled) &&
           study_good(study, "runs in a profile", pf_labelled_end(&labelled, &error), &error);
    for (size_t run = 0; good && run < pf_labelled_count(&labelled); run++) {
        good = study_good(study, "the begin of a run",
                          pf_diff_begin(diff, side, pf_labelled_runs(&labelled, run), &error),
                          &error);
        pf_labelled_begin(&labelled);
        while (good && (status = pf_labelled_next(&labelled, run, &batch)) == PF_OK)
            good = diff_batch(study, diff, &batch);
        good = study_good(study, "the end of a run", pf_diff_end(diff, good, &error), &error) &&
               good;
    }
    pf_labelled_free(&labelled);
    return good;
}

/* Compares the runs in the whole input, by section or group, with those in a part of it. */
static void study_labelled(struct study *study)
{
    struct pf_eval_batches evals = {0};
    struct pf_diff diff = {.dict = &study->dict,
                           .evals = open_evals(study, &evals),
                           .kind = PF_RECORD_KINDS,
                           .cum = study->choices[3] & 2,
                           .normalize = study->choices[3] & 4};
    bool good = pf_diff_init(&diff) == PF_OK && add_labelled(study, &diff, 0, study->size) &&
                add_labelled(study, &diff, 1, study->cut);

    find_evals(study);
    if (good)
        show_diff(study, &diff);
    pf_diff_free(&diff);
    close_evals(study);
}

static bool difference_batch(struct study *study, void *arg, const struct pf_batch *batch)
{
    struct pf_error error = {0};

    return study_good(study, "a run", pf_diff_records_add(arg, batch, &error), &error);
}

static void study_difference(struct study *study)
{
    struct pf_eval_batches evals = {0};
    struct pf_diff_records records = {.dict = &study->dict,
                                      .kind = PF_RECORD_KINDS,
                                      .normalize = study->choices[3] & 4,
                                      .join_builds = study->choices[3] & 8};
    const size_t sizes[] = {study->size, study->cut};
    struct pf_error error = {0};
    struct pf_batch batch;
    struct copy copy = {0};
    bool good;
    int status;

    if (study->choices[2] & 8) {
        study_labelled(study);
        return;
    }
    records.evals = open_evals(study, &evals);
    good = pf_diff_records_init(&records) == PF_OK;
    for (unsigned side = 0; side < 2 && good; side++) {
        uint64_t runs = study->choices[2] & 4 ? 2 + side : 1;

        records.parts[PF_BEFORE + side] = pf_diff_parts(1, runs);
        good = study_read(study, sizes[side], difference_batch, &records);
        good = study_good(study, "the end of a run",
                          pf_diff_records_end(&records, PF_BEFORE + side, runs, good, &error),
                          &error) &&
               good;
    }
    find_evals(study);
    if (good) {
        open_copy(study, &copy);
        while ((status = pf_diff_records_next(&records, &batch, &error)) == PF_OK &&
               write_batch(study, &copy, &batch)) {
        }
        study_good(study, "a difference", status, &error);
        close_copy(study, &copy);
    }
    pf_diff_records_free(&records);
    close_evals(study);
}

/* --- filter, merge, canonical order ----------------------------------------------------------- */

struct filter_study {
    struct pf_select *select;
    struct pf_rewrite *rewrite;
    struct pf_removed removed;
    struct copy copy;
};

static bool filter_batch(struct study *study, void *arg, const struct pf_batch *batch)
{
    struct filter_study *filter = arg;
    struct pf_batch chosen = *batch, edited;
    struct pf_error error = {0};
    int status = PF_OK;

    if (batch->kind < PF_RECORD_KINDS && !pf_select_takes_all(filter->select))
        status = pf_select_batch(filter->select, batch, &chosen, &filter->removed, &error);
    edited = chosen;
    if (status == PF_OK && !pf_rewrite_changes_nothing(filter->rewrite))
        status = pf_rewrite_batch(filter->rewrite, &chosen, &edited, &filter->removed);
    return study_good(study, "a filter", status, &error) &&
           ((batch->rows > 0 && edited.rows == 0) || write_batch(study, &filter->copy, &edited));
}

/* Each bit of the choices is an option. */
static unsigned filter_bits(const struct study *study)
{
    return study->choices[0] | study->choices[1] * 256u;
}

static struct pf_rewrite *new_rewrite(struct study *study)
{
    unsigned bits = filter_bits(study);
    struct pf_rewrite_settings settings = {
        .granularity = bits & 256 ? study->choices[3] % 4 : PF_GRANULARITY_FULL,
        .collapse = bits & 512,
        .max_depth = bits & 1024 ? 1 + study->choices[3] % 7 : 0,
    };

    return pf_rewrite_new(&study->dict, &settings);
}

static void filter_options(struct study *study, struct filter_study *filter)
{
    struct pf_error error = {0};
    unsigned bits = filter_bits(study);
    static const char *const patterns[] = {"a", "^m", "[b-k]", "."};
    const char *pattern = patterns[study->choices[2] % 4];

    if (bits & 1)
        pf_select_add(filter->select, PF_SELECT_SECTION, "*e*", 0, &error);
    if (bits & 2)
        pf_select_add(filter->select, PF_SELECT_FOCUS, pattern, PF_PATTERN_IGNORE_CASE, &error);
    if (bits & 4)
        pf_select_add(filter->select, PF_SELECT_IGNORE, pattern, 0, &error);
    if (bits & 8)
        pf_select_add(filter->select, bits & 16 ? PF_SELECT_IGNORE_LABEL : PF_SELECT_LABEL, "op", 0,
                      &error);
    if (bits & 32)
        pf_select_add(filter->select, PF_SELECT_TIME, "1,5s", 0, &error);
    if (bits & 64)
        pf_select_invert(filter->select);
    if (bits & 128)
        pf_rewrite_add(filter->rewrite, 1u << study->choices[2] / 4 % 4, pattern, 0, &error);
    if (bits & 2048)
        pf_rewrite_add(filter->rewrite, PF_REWRITE_RENAME, "s/[aeiou]+/<&>/g", 0, &error);
    if (bits & 4096)
        pf_rewrite_add(filter->rewrite, bits & 8192 ? PF_REWRITE_LEAF_LABEL : PF_REWRITE_ROOT_LABEL,
                       "section", 0, &error);
}

static void study_filter(struct study *study)
{
    struct filter_study filter = {.select = pf_select_new(&study->dict),
                                  .rewrite = new_rewrite(study)};
    struct pf_batch batch;

    if (filter.select && filter.rewrite) {
        filter_options(study, &filter);
        open_copy(study, &filter.copy);
        if (study_read(study, study->size, filter_batch, &filter) &&
            pf_removed_meta(&filter.removed, &study->dict, &batch) == PF_OK && batch.rows > 0)
            write_batch(study, &filter.copy, &batch);
        close_copy(study, &filter.copy);
    }
    pf_removed_free(&filter.removed);
    pf_select_free(filter.select);
    pf_rewrite_free(filter.rewrite);
}

static bool merge_batch(struct study *study, void *arg, const struct pf_batch *batch)
{
    struct pf_error error = {0};

    return study_good(study, "a merge", pf_merge_add(arg, batch, &error), &error);
}

static bool merge_inputs(struct study *study, struct pf_merge *merge)
{
    const size_t sizes[] = {study->size, study->cut};
    struct pf_report report = {hear, study->outcome};
    struct pf_error error = {0};
    bool droppable = study->choices[0] & 64, good = true;

    for (unsigned k = 0; k < 2 && good; k++) {
        pf_merge_input(merge, study->choices[2] % 7 - 1);
        good = study_read(study, sizes[k], merge_batch, merge);
        if (droppable && (!good || study->choices[1] & 64u << k)) {
            good = true;
            continue;
        }
        good = good &&
               study_good(study, "the end of an input", pf_merge_input_end(merge, &error), &error);
    }
    find_evals(study);
    return good &&
           study_good(study, "the end of a merge", pf_merge_end(merge, &report, &error), &error);
}

static void study_merge(struct study *study)
{
    unsigned bits = study->choices[0];
    struct pf_eval_batches evals = {0};
    struct pf_merge_options options = {.mean = bits & 1,
                                       .saturate = bits & 2,
                                       .force = bits & 4,
                                       .droppable = bits & 64,
                                       .measures = bits / 8 % 3,
                                       .normalize = study->choices[1] % 4,
                                       .amount = 1000000,
                                       .granularity = study->choices[1] / 4 % 4,
                                       .labels = bits & 32 ? "section" : NULL,
                                       .replicates = bits & 128 ? 3 : 0,
                                       .evals = open_evals(study, &evals),
                                       .pieces = 1 + study->choices[3] % 3};
    struct pf_merge *merge = pf_merge_new(&study->dict, &options);
    struct pf_error error = {0};
    struct pf_batch batch;
    struct copy copy = {0};
    int status;

    if (merge)
        pf_merge_replicate(merge, pf_replicate_name(&study->dict, 1, 3));
    if (merge && merge_inputs(study, merge)) {
        open_copy(study, &copy);
        while ((status = pf_merge_next(merge, &batch, &error)) == PF_OK &&
               write_batch(study, &copy, &batch)) {
        }
        study_good(study, "a merge", status, &error);
        close_copy(study, &copy);
    }
    pf_merge_free(merge);
    close_evals(study);
}

static bool canonical_batch(struct study *study, void *arg, const struct pf_batch *batch)
{
    (void)study;
    return pf_canonical_add(arg, batch) == PF_OK;
}

static void study_canonical(struct study *study)
{
    struct pf_canonical *canonical = pf_canonical_new(&study->dict, NULL);
    struct copy copy = {0};
    struct pf_batch batch;

    if (canonical && study_read(study, study->size, canonical_batch, canonical)) {
        open_copy(study, &copy);
        while (pf_canonical_next(canonical, &batch) == PF_OK && write_batch(study, &copy, &batch)) {
        }
        close_copy(study, &copy);
    }
    pf_canonical_free(canonical);
}

/* --- the whole -------------------------------------------------------------------------------- */

static void analyse(struct study *study, enum analysis analysis)
{
    static void (*const studies[ANALYSES])(struct study *) = {
        [ANALYSE_TOP] = study_top,
        [ANALYSE_DIFF] = study_diff,
        [ANALYSE_DIFFERENCE] = study_difference,
        [ANALYSE_FILTER] = study_filter,
        [ANALYSE_MERGE] = study_merge,
        [ANALYSE_CANONICAL] = study_canonical,
    };

    if (analysis == ANALYSE_COPY) {
        examine(&(struct examination){.format = study->reader,
                                      .bytes = study->bytes,
                                      .size = study->size,
                                      .salvage = study->salvage,
                                      .writer = study->writer},
                study->outcome);
        return;
    }
    study->shared = pf_shared_new();
    if (pf_dict_init(&study->dict) == PF_OK && study->shared)
        studies[analysis](study);
    pf_dict_free(&study->dict);
    pf_shared_free(study->shared);
}

#endif

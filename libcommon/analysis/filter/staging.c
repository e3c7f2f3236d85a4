#include "analysis/filter/staging.h"

#include "analysis/names/name_list.h"
#include "base/calendar.h"
#include "model/notes.h"
#include "model/replicates.h"

#include <stdlib.h>

static int next_event(struct pf_stage *, struct pf_event *, struct pf_error *);

int pf_staging_init(struct pf_staging *staging, struct pf_dict *dict)
{
    staging->stage.next = next_event;
    staging->since = INT64_MIN;
    staging->until = INT64_MAX;
    return pf_in_force_init(&staging->force, dict);
}

static void free_staged(struct pf_staged *staged)
{
    if (staged)
        pf_parcel_free(staged->copy);
    free(staged);
}

static void empty_queue(struct pf_staging *staging)
{
    while (staging->first) {
        struct pf_staged *next = staging->first->next;

        free_staged(staging->first);
        staging->first = next;
    }
}

void pf_staging_free(struct pf_staging *staging)
{
    empty_queue(staging);
    free_staged(staging->taken);
    pf_in_force_free(&staging->force);
}

bool pf_staging_active(const struct pf_staging *staging)
{
    return staging->force.key_count > 0 || staging->selects;
}

/* Fails, and gives no more batches. */
static void fail_without_memory(struct pf_staging *staging)
{
    pf_error_nomem(&staging->error);
    staging->failed = true;
    empty_queue(staging);
}

static void begin_input(struct pf_staging *staging, struct pf_input *input)
{
    empty_queue(staging);
    staging->input = input;
    staging->error = (struct pf_error){0};
    staging->undecided = staging->selects;
    staging->chosen = !staging->selects;
    staging->force.dict->measures.some_count = staging->selects;
    staging->recorded = staging->given = staging->left_out = false;
    staging->skips = staging->failed = false;
    if (pf_in_force_input(&staging->force, input->format) != PF_OK)
        fail_without_memory(staging);
}

/* --- choosing by the start -------------------------------------------------------------------- */

/* Decides whether the profile at hand is chosen. PF_OK; PF_FAILED if the profile does not say when
 * its run began. */
static int choose_profile(struct pf_staging *staging)
{
    const struct pf_in_force *force = &staging->force;

    staging->chosen = false;
    if (!force->has_start)
        return pf_error_set(&staging->error, PF_FAILED,
                            "the profile does not say when its run began, which --since and "
                            "--until need");
    staging->chosen = force->start >= staging->since && force->start < staging->until;
    if (staging->chosen) {
        staging->any_chosen = true;
        return PF_OK;
    }
    if (!staging->any_start || force->start < staging->earliest)
        staging->earliest = force->start;
    if (!staging->any_start || force->start > staging->latest)
        staging->latest = force->start;
    staging->any_start = staging->left_out = true;
    return PF_OK;
}

/* --- the queue -------------------------------------------------------------------------------- */

static bool is_record(const struct pf_batch *batch)
{
    return batch->kind < PF_RECORD_KINDS && batch->rows > 0;
}

static void hold_batch(struct pf_staging *staging, const struct pf_batch *batch)
{
    const struct pf_in_force *force = &staging->force;
    struct pf_staged *held = malloc(sizeof *held);
    struct pf_parcel *copy = pf_parcel_copy(batch);

    if (!held || !copy) {
        free(held);
        pf_parcel_free(copy);
        fail_without_memory(staging);
        return;
    }
    *held = (struct pf_staged){.copy = copy};
    *(staging->first ? &staging->last->next : &staging->first) = held;
    staging->last = held;
    held->set = force->set;
    held->labelled = !is_record(batch) || !(force->last || force->holds);
    held->decided = !staging->undecided;
    held->dropped = !staging->undecided && !staging->chosen;
}

/* Completes the labels of the batches that wait for later metadata. `end`: no more metadata. */
static void complete_labels(struct pf_staging *staging, bool end)
{
    struct pf_in_force *force = &staging->force;

    for (struct pf_staged *held = staging->first; held; held = held->next) {
        if (held->labelled)
            continue;
        if (force->last)
            held->set = force->set;
        else if (force->before)
            held->set = held->set ? pf_in_force_label(force, held->set, force->before)
                                  : force->before;
        held->labelled = end || force->begun || (force->before && !force->waits);
    }
}

/* Releases the batches of the profile at hand, after the decision. */
static void release_profile(struct pf_staging *staging)
{
    for (struct pf_staged *held = staging->first; held; held = held->next)
        if (!held->decided) {
            held->decided = true;
            held->dropped = !staging->chosen;
        }
}

/* Warns about keys after pf_in_force_settle. */
static void report_keys(struct pf_staging *staging)
{
    for (size_t k = 0; k < staging->force.key_count; k++) {
        struct pf_in_force_key *key = &staging->force.keys[k];

        if (key->unknown)
            pf_report_send(&staging->report, PF_WARNING,
                           "the input does not tell which records have which value of '%s': they "
                           "get no label (give --label-meta when profiles are merged or converted)",
                           pf_clip(key->name).text);
        if (key->cut)
            pf_report_send(&staging->report, PF_WARNING,
                           "more than %d values of '%s': the first %d are labels", PF_IN_FORCE_MAX,
                           pf_clip(key->name).text, PF_IN_FORCE_MAX);
        key->unknown = key->cut = false;
    }
}

/* Decides about the profile at hand when its start is known, or at its end (`end`). */
static int decide_profile(struct pf_staging *staging, bool end)
{
    const struct pf_in_force *force = &staging->force;
    bool late = force->format && force->format->merging && force->format->merging->start_late;
    bool damaged = staging->ended && staging->input->failure;

    if (!staging->undecided || (!force->has_start && late && !end))
        return PF_OK;
    staging->undecided = false;
    if (force->has_start || !damaged)
        return choose_profile(staging);
    staging->chosen = false;
    return PF_OK;
}

/* Uses the metadata so far, before records or at the end of a profile. */
static void use_metadata(struct pf_staging *staging, bool end)
{
    bool news = staging->force.count > 0 || staging->undecided || end;
    int status = pf_in_force_settle(&staging->force);

    if (status == PF_OK && !news)
        return;
    if (status != PF_OK) {
        fail_without_memory(staging);
        return;
    }
    report_keys(staging);
    complete_labels(staging, end);
    status = decide_profile(staging, end);
    if (status != PF_OK)
        staging->failed = true;
    else if (!staging->undecided && !staging->chosen && !staging->ended &&
             !(staging->input->format->caps & PF_HOLDS_PROFILES))
        staging->skips = true; /* the file has no other profile */
    if (!staging->undecided)
        release_profile(staging);
}

/* --- batches ---------------------------------------------------------------------------------- */

/* True if row `row` counts runs; such a record has no other labels than its group. */
static bool counts_runs(const struct pf_dict *dict, const struct pf_batch *batch, uint32_t row)
{
    for (uint32_t k = 0; k < batch->value_count; k++)
        if (batch->values[k].data && batch->values[k].data[row] != 0 &&
            pf_measures_row(&dict->measures, batch->values[k].measure)->runs)
            return true;
    return false;
}

static void label_records(struct pf_staging *staging, struct pf_batch *batch, uint32_t set)
{
    struct pf_in_force *force = &staging->force;
    bool runs = set != 0 && pf_replicates_here(force->dict, batch);
    uint32_t last = UINT32_MAX, labelled = 0;

    if (set == 0)
        return;
    for (uint32_t i = 0; i < batch->rows; i++) {
        uint32_t labels = batch->labels ? batch->labels[i] : 0;

        if (labels != last)
            labelled = pf_in_force_label(force, labels, set);
        last = labels;
        staging->column[i] = runs && counts_runs(force->dict, batch, i) ? labels : labelled;
    }
    batch->labels = staging->column;
    if (pf_dict_status(force->dict) != PF_OK)
        fail_without_memory(staging);
}

static void note_metadata(struct pf_staging *staging, const struct pf_batch *batch)
{
    if (batch->rows > 0 && pf_in_force_note(&staging->force, batch) != PF_OK)
        fail_without_memory(staging);
}

/* Notes metadata, and holds them in parts: the rows of the profile at hand, and those of the next.
 * The metadata of profiles without records belong to the next profile that has records. */
static void divide_metadata(struct pf_staging *staging, const struct pf_batch *batch)
{
    uint32_t begin = 0;
    struct pf_batch head, tail;

    while (begin < batch->rows && !pf_in_force_begins(staging->force.dict, batch, begin))
        begin++;
    if (staging->undecided && !staging->recorded)
        begin = batch->rows;
    head = pf_notes_part(batch, 0, begin);
    tail = pf_notes_part(batch, begin, batch->rows);
    note_metadata(staging, &head);
    if (head.rows > 0)
        hold_batch(staging, &head);
    if (tail.rows == 0)
        return;
    if (staging->undecided)
        use_metadata(staging, true);
    note_metadata(staging, &tail);
    staging->undecided = true;
    staging->recorded = false;
    hold_batch(staging, &tail);
}

/* Notes metadata. True: the batch can be returned at once. */
static bool pass_metadata(struct pf_staging *staging, const struct pf_batch *batch)
{
    if (staging->selects && batch->rows > 0) {
        divide_metadata(staging, batch);
        return false;
    }
    note_metadata(staging, batch);
    if (staging->first)
        hold_batch(staging, batch);
    return !staging->first;
}

/* True: the batch can be returned at once. */
static bool pass_batch(struct pf_staging *staging, struct pf_batch *batch)
{
    struct pf_in_force *force = &staging->force;

    if (batch->kind == PF_META)
        return pass_metadata(staging, batch);
    if (is_record(batch) && !force->last)
        use_metadata(staging, false);
    staging->recorded |= is_record(batch);
    if (staging->failed || (!staging->undecided && !staging->chosen))
        return false;
    if (staging->undecided || staging->first ||
        (is_record(batch) && (force->last || force->holds))) {
        hold_batch(staging, batch);
        return false;
    }
    if (is_record(batch))
        label_records(staging, batch, force->set);
    return true;
}

/* Takes the first batch of a chosen profile from the queue. False: the queue is empty, or its first
 * batch waits. */
static bool take_held(struct pf_staging *staging, struct pf_event *event)
{
    struct pf_staged *held;

    while ((held = staging->first) != NULL && held->labelled && held->decided) {
        free_staged(staging->taken);
        staging->taken = held;
        staging->first = held->next;
        if (held->dropped)
            continue;
        *event = pf_event_batch(staging->input, *pf_parcel_batch(held->copy));
        if (is_record(&event->batch))
            label_records(staging, &event->batch, held->set);
        return true;
    }
    return false;
}

/* Notes that a batch is given: its measures belong to a chosen profile. */
static void note_given(struct pf_staging *staging, const struct pf_batch *batch)
{
    struct pf_measures *measures = &staging->force.dict->measures;

    staging->given = true;
    for (uint32_t k = 0; staging->selects && k < batch->value_count; k++)
        if (pf_measures_left_out(measures, batch->values[k].measure) &&
            pf_measures_set_counts(measures, batch->values[k].measure) != PF_OK)
            fail_without_memory(staging);
}

static int give_end(struct pf_staging *staging, struct pf_event *event)
{
    *event = (struct pf_event){.kind = PF_EVENT_END, .input = staging->input};
    staging->input->left_out = staging->left_out && !staging->given;
    staging->ended = false;
    staging->input = NULL;
    return PF_OK;
}

/* Notes an event of the stage before. True: the event can be given at once. */
static bool pass_event(struct pf_staging *staging, struct pf_event *event)
{
    switch (event->kind) {
    case PF_EVENT_BEGIN: begin_input(staging, event->input); return true;
    case PF_EVENT_BATCH: return pass_batch(staging, &event->batch);
    case PF_EVENT_FLUSH: return true;
    case PF_EVENT_END: break;
    }
    if (!staging->input)
        return true; /* the input could not be opened */
    staging->ended = true;
    if (!staging->skips)
        use_metadata(staging, true);
    return false;
}

static int next_event(struct pf_stage *stage, struct pf_event *event, struct pf_error *error)
{
    struct pf_staging *staging = PF_STAGE_OWNER(stage, struct pf_staging, stage);
    int status = PF_OK;

    while (!take_held(staging, event)) {
        if (staging->failed) {
            staging->failed = false;
            *error = staging->error;
            return error->code;
        }
        if (staging->ended)
            return give_end(staging, event);
        if (staging->skips)
            pf_stage_skip(stage->from);
        if ((status = pf_stage_next(stage->from, event, error)) != PF_OK)
            return status;
        if (pass_event(staging, event))
            break;
    }
    if (event->kind == PF_EVENT_BATCH)
        note_given(staging, &event->batch);
    return PF_OK;
}

/* --- messages --------------------------------------------------------------------------------- */

static int report_key(const struct pf_staging *staging, const struct pf_in_force_key *key,
                      const struct pf_report *report)
{
    const struct pf_in_force *force = &staging->force;
    struct pf_name_list list = {0};
    char names[600] = "";
    int status = PF_OK;

    for (uint32_t id = 1; id < force->seen.count && status == PF_OK; id++)
        status = pf_name_list_add_string(&list, force->dict,
                                         *(const uint32_t *)pf_table_row(&force->seen, id));
    pf_name_list_sort(&list);
    pf_name_list_join(&list, names, sizeof names);
    if (key->computed != PF_OF_METADATA)
        pf_report_send(report, PF_WARNING,
                       "no input says when its run began, so no record gets the label '%s'",
                       pf_clip(key->name).text);
    else
        pf_report_send(report, PF_WARNING, "no input has the metadata '%s'; %s%s",
                       pf_clip(key->name).text,
                       names[0] != '\0' ? "metadata here: " : "the inputs have no metadata", names);
    pf_name_list_free(&list);
    return status;
}

int pf_staging_report(struct pf_staging *staging, const struct pf_report *report)
{
    char first[PF_TIME_TEXT], last[PF_TIME_TEXT];
    int status = PF_OK;

    if (staging->selects && !staging->any_chosen && staging->any_start) {
        pf_time_print(staging->earliest, first);
        pf_time_print(staging->latest, last);
        pf_report_send(report, PF_WARNING,
                       "no input began in the requested time; the inputs began from %s to %s",
                       first, last);
        return PF_OK;
    }
    for (size_t k = 0; k < staging->force.key_count && status == PF_OK; k++)
        if (!staging->force.keys[k].found)
            status = report_key(staging, &staging->force.keys[k], report);
    return status;
}

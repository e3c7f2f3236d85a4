#include "analysis/merge/eval_batches.h"

#include "analysis/names/meta_names.h"
#include "base/memory.h"
#include "codec/format.h"

#include <stdlib.h>
#include <string.h>

enum { FOR_ALL = UINT32_MAX };

int pf_eval_batches_init(struct pf_eval_batches *batches, struct pf_dict *dict, bool apart)
{
    batches->input = 1;
    return pf_evals_init(&batches->evals, dict, apart);
}

void pf_eval_batches_free(struct pf_eval_batches *batches)
{
    pf_evals_free(&batches->evals);
    pf_notes_free(&batches->held);
    pf_spill_close(batches->spill);
    free(batches->functions.rows);
    free(batches->locations.rows);
    free(batches->stacks.rows);
    free(batches->path);
}

/* --- records ---------------------------------------------------------------------------------- */

static bool reserve(struct pf_eval_places *places, size_t count)
{
    return pf_grow_zeroed(&places->rows, &places->count, &places->capacity, count,
                          sizeof *places->rows);
}

/* Finds the new functions that have the name of an eval. False: out of memory. */
static bool find_eval_functions(struct pf_eval_batches *batches)
{
    const struct pf_dict *dict = batches->evals.dict;
    struct pf_evals *evals = &batches->evals;

    if (!reserve(&batches->functions, dict->functions.count))
        return false;
    for (; batches->known < dict->functions.count; batches->known++) {
        const struct pf_function *row = pf_dict_function(dict, batches->known);

        if (pf_evals_contains(evals, row->file) || pf_evals_contains(evals, row->name) ||
            pf_evals_contains(evals, row->system_name))
            batches->any = true;
        else
            batches->functions.rows[batches->known] =
                (struct pf_eval_place){FOR_ALL, batches->known};
    }
    return evals->status == PF_OK;
}

static bool is_mapped(const struct pf_eval_batches *batches, const struct pf_eval_places *places,
                      uint32_t id)
{
    return places->rows[id].input == batches->input || places->rows[id].input == FOR_ALL;
}

/* Maps a function. False: it needs a text that has not come yet. */
static bool map_function(struct pf_eval_batches *batches, uint32_t id)
{
    struct pf_dict *dict = batches->evals.dict;
    struct pf_function row = *pf_dict_function(dict, id), was = row;

    if (is_mapped(batches, &batches->functions, id))
        return true;
    if (!pf_evals_function(&batches->evals, &row, batches->all))
        return false;
    batches->functions.rows[id] = (struct pf_eval_place){batches->input, id};
    if (memcmp(&row, &was, sizeof row) != 0)
        batches->functions.rows[id].to = pf_dict_add_function(dict, &row);
    return true;
}

/* Maps a location. False: as map_function. */
static bool map_location(struct pf_eval_batches *batches, uint32_t id)
{
    struct pf_dict *dict = batches->evals.dict;
    struct pf_location place = *pf_dict_location(dict, id);
    const struct pf_eval_place *function = &batches->functions.rows[place.function];

    if (!map_function(batches, place.function))
        return false;
    batches->locations.rows[id] = (struct pf_eval_place){function->input, id};
    if (function->to != place.function) {
        place.function = function->to;
        batches->locations.rows[id].to = pf_dict_add_location(dict, &place);
    }
    return true;
}

/* Maps a stack whose parent is mapped. */
static bool map_frame(struct pf_eval_batches *batches, uint32_t id)
{
    struct pf_dict *dict = batches->evals.dict;
    const struct pf_stack row = *pf_dict_stack(dict, id);
    const struct pf_eval_place *parent = &batches->stacks.rows[row.parent], *location;

    if (!is_mapped(batches, &batches->locations, row.location) &&
        !map_location(batches, row.location))
        return false;
    location = &batches->locations.rows[row.location];
    batches->stacks.rows[id] = (struct pf_eval_place){
        parent->input == FOR_ALL && location->input == FOR_ALL ? FOR_ALL : batches->input, id};
    if (parent->to != row.parent || location->to != row.location)
        batches->stacks.rows[id].to = pf_dict_add_frame(dict, parent->to, location->to);
    return true;
}

/* Maps a stack and all its parents. */
static bool map_stack(struct pf_eval_batches *batches, uint32_t id)
{
    size_t depth = 0;

    for (; !is_mapped(batches, &batches->stacks, id);
         id = pf_dict_stack(batches->evals.dict, id)->parent) {
        if (!pf_grow(&batches->path, &batches->path_capacity, depth + 1, sizeof *batches->path)) {
            batches->evals.status = PF_NOMEM;
            return false;
        }
        batches->path[depth++] = id;
    }
    while (depth > 0)
        if (!map_frame(batches, batches->path[--depth]))
            return false;
    return true;
}

/* Maps the ids of a column. *column stays if every id maps to itself. False: as map_location. */
static bool map_column(struct pf_eval_batches *batches, const uint32_t **column, uint32_t rows,
                       bool stacks, uint32_t *to)
{
    struct pf_eval_places *places = stacks ? &batches->stacks : &batches->locations;
    bool differs = false;

    for (uint32_t i = 0; *column && i < rows; i++) {
        uint32_t id = (*column)[i];

        if (!is_mapped(batches, places, id) &&
            !(stacks ? map_stack(batches, id) : map_location(batches, id)))
            return false;
        to[i] = places->rows[id].to;
        differs |= to[i] != id;
    }
    if (differs)
        *column = to;
    return true;
}

static bool map_records(struct pf_eval_batches *batches, struct pf_batch *batch)
{
    return map_column(batches, &batch->stack, batch->rows, true, batches->columns[0]) &&
           map_column(batches, &batch->location, batch->rows, false, batches->columns[1]) &&
           map_column(batches, &batch->callee, batch->rows, false, batches->columns[2]);
}

/* Prepares the maps for the ids of a batch. PF_OK or PF_NOMEM. */
static int prepare(struct pf_eval_batches *batches)
{
    const struct pf_dict *dict = batches->evals.dict;

    if (!find_eval_functions(batches) || !reserve(&batches->locations, dict->locations.count) ||
        !reserve(&batches->stacks, dict->stacks.count))
        return PF_NOMEM;
    batches->stacks.rows[0] = batches->locations.rows[0] = (struct pf_eval_place){FOR_ALL, 0};
    return PF_OK;
}

static int hold_records(struct pf_eval_batches *batches, const struct pf_batch *batch,
                        struct pf_error *error)
{
    int status = PF_OK;

    if (!batches->spill)
        status = pf_spill_open(&batches->spill, batches->evals.dict, error);
    return status == PF_OK ? pf_spill_write(batches->spill, batch, error) : status;
}

/* Gives a batch of records with the names of this run, or holds it: PF_EOF. */
static int give_records(struct pf_eval_batches *batches, struct pf_batch *batch,
                        struct pf_error *error)
{
    bool mapped;

    if (batches->input == 1 || batch->rows == 0)
        return PF_OK;
    if (prepare(batches) != PF_OK)
        return pf_error_nomem(error);
    if (!batches->any)
        return PF_OK;
    mapped = map_records(batches, batch);
    if (batches->evals.status != PF_OK || pf_dict_status(batches->evals.dict) != PF_OK)
        return pf_error_nomem(error);
    if (mapped)
        return PF_OK;
    int status = hold_records(batches, &batches->batch, error);

    return status == PF_OK ? PF_EOF : status;
}

/* --- metadata and texts ----------------------------------------------------------------------- */

/* True if a batch of metadata or texts has names of evals. */
static bool has_evals(struct pf_eval_batches *batches, const struct pf_batch *batch)
{
    bool found = false;

    for (uint32_t i = 0; batch->kind == PF_META && i < batch->rows && !found; i++)
        found = pf_evals_contains(&batches->evals, batch->value[i]);
    for (uint32_t i = 0; batch->kind == PF_TEXT && i < batch->rows && !found; i++)
        found = pf_bytes_starts(batch->texts[i].name, PF_BYTES("(eval "));
    return found;
}

static uint32_t name_now(void *context, uint32_t name)
{
    struct pf_eval_batches *batches = context;

    return pf_evals_now(&batches->evals, name, true);
}

/* Gives up to PF_BATCH_ROWS rows of metadata from row `from` on, with the names of this run. */
static void give_metadata(struct pf_eval_batches *batches, struct pf_batch *batch, size_t from)
{
    struct pf_meta_edit edit = {name_now, name_now, batches};
    uint32_t rows = batch->rows - from < PF_BATCH_ROWS ? (uint32_t)(batch->rows - from)
                                                       : PF_BATCH_ROWS;

    for (uint32_t i = 0; i < rows; i++) {
        batches->columns[0][i] = batch->origin[from + i];
        batches->columns[1][i] = batch->key[from + i];
        batches->columns[2][i] = batch->value[from + i];
        if (name_now(batches, batch->value[from + i]) == batch->value[from + i])
            continue;
        pf_meta_rename(batches->evals.dict, &edit, batches->columns[0][i], &batches->columns[1][i],
                       &batches->columns[2][i]);
    }
    *batch = (struct pf_batch){.kind = PF_META,
                               .rows = rows,
                               .origin = batches->columns[0],
                               .key = batches->columns[1],
                               .value = batches->columns[2]};
}

static void give_texts(struct pf_eval_batches *batches, struct pf_batch *batch, size_t from)
{
    struct pf_dict *dict = batches->evals.dict;
    uint32_t rows = batch->rows - from < PF_MERGE_TEXTS ? (uint32_t)(batch->rows - from)
                                                        : PF_MERGE_TEXTS;
    struct pf_bytes last = {NULL, 0};
    uint32_t name = 0;

    for (uint32_t i = 0; i < rows; i++) {
        struct pf_text *text = &batches->texts[i];

        *text = batch->texts[from + i];
        if (!pf_bytes_starts(text->name, PF_BYTES("(eval ")))
            continue;
        if (text->name.data != last.data || text->name.size != last.size) {
            last = text->name;
            name = text->name_string != 0 ? text->name_string
                                          : pf_dict_intern(dict, last, text->name_flags);
            name = pf_evals_now(&batches->evals, name, true);
        }
        text->name_string = name;
        text->name = pf_dict_string(dict, name);
        text->name_flags = dict->strings.rows[name].flags;
    }
    *batch = (struct pf_batch){.kind = PF_TEXT, .rows = rows, .texts = batches->texts};
}

/* Gives a batch of metadata or texts, or holds it: PF_EOF. */
static int give_notes(struct pf_eval_batches *batches, struct pf_batch *batch,
                      struct pf_error *error)
{
    bool holding = batches->held.metadata_count + batches->held.text_count > 0;

    if (!batches->notes || batches->input == 1 || batch->rows == 0 ||
        (!holding && !has_evals(batches, batch)))
        return PF_OK;
    return pf_notes_add(&batches->held, batch) == PF_OK ? PF_EOF : pf_error_nomem(error);
}

/* --- the order -------------------------------------------------------------------------------- */

/* Gives the next batch that was held; PF_EOF after the last. */
static int give_held(struct pf_eval_batches *batches, struct pf_batch *batch,
                     struct pf_error *error)
{
    int status = PF_OK;

    if (batches->giving == PF_EVALS_META) {
        *batch = pf_notes_metadata(&batches->held);
        if (batches->given < batch->rows) {
            give_metadata(batches, batch, batches->given);
            batches->given += batch->rows;
            return PF_OK;
        }
        batches->given = 0;
        batches->giving = PF_EVALS_TEXTS;
    }
    if (batches->giving == PF_EVALS_TEXTS) {
        *batch = pf_notes_texts(&batches->held);
        if (batches->given < batch->rows) {
            give_texts(batches, batch, batches->given);
            batches->given += batch->rows;
            return PF_OK;
        }
        pf_notes_free(&batches->held);
        batches->giving = batches->spill && batches->ends ? PF_EVALS_REWIND : PF_EVALS_PASS;
    }
    if (batches->giving == PF_EVALS_REWIND) {
        status = pf_spill_rewind(batches->spill, error);
        batches->giving = PF_EVALS_RECORDS;
    }
    if (status == PF_OK && batches->giving == PF_EVALS_RECORDS)
        status = pf_spill_next(batches->spill, batch, error);
    else if (status == PF_OK)
        status = PF_EOF;
    return status == PF_OK ? give_records(batches, batch, error) : status;
}

/* All evals of the first input keep their names. */
static void end_first(struct pf_eval_batches *batches)
{
    struct pf_evals *evals = &batches->evals;

    if (!find_eval_functions(batches))
        evals->status = PF_NOMEM;
    for (uint32_t k = 1; evals->status == PF_OK && k < batches->known && batches->any; k++) {
        struct pf_function row = *pf_dict_function(evals->dict, k);

        if (batches->functions.rows[k].input != FOR_ALL)
            pf_evals_function(evals, &row, true);
    }
}

/* Ends the held batches, and the current input if its end has come. */
static void end_held(struct pf_eval_batches *batches)
{
    pf_spill_close(batches->spill);
    batches->spill = NULL;
    batches->giving = PF_EVALS_PASS;
    if (!batches->ends)
        return;
    if (batches->input == 1 && batches->begun && !batches->alone)
        end_first(batches);
    pf_evals_end(&batches->evals);
    batches->evals.inputs += batches->begun;
    batches->input += batches->begun;
    batches->ends = batches->begun = batches->all = false;
}

/* Gives the held batches next. */
static void begin_held(struct pf_eval_batches *batches)
{
    batches->all = true;
    batches->given = 0;
    batches->giving = PF_EVALS_META;
}

/* Ends an input. */
static void end_input(struct pf_eval_batches *batches)
{
    batches->ends = true;
    begin_held(batches);
}

/* The number of the first row `profutils` `input`; the number of rows if no row is one. */
static uint32_t find_input(const struct pf_eval_batches *batches, const struct pf_batch *batch)
{
    const struct pf_dict *dict = batches->evals.dict;
    uint32_t row = 0;

    while (row < batch->rows &&
           !(pf_bytes_equal(pf_dict_string(dict, batch->origin[row]), PF_BYTES("profutils")) &&
             pf_bytes_equal(pf_dict_string(dict, batch->key[row]), PF_BYTES("input"))))
        row++;
    return row;
}

/* Gives the rows of metadata before the next input, or ends the current input. */
static int give_meta(struct pf_eval_batches *batches, struct pf_batch *batch,
                     struct pf_error *error)
{
    struct pf_batch *all = &batches->batch;
    uint32_t rows = find_input(batches, all);

    if (rows < all->rows && rows == 0 && batches->begun) {
        end_input(batches);
        return PF_EOF;
    }
    if (rows == 0 && !batches->begun) {
        batches->announced++;
        rows = 1;
    }
    if (rows > PF_BATCH_ROWS)
        rows = PF_BATCH_ROWS;
    *batch = pf_notes_part(all, 0, rows);
    *all = pf_notes_part(all, rows, all->rows);
    batches->waiting = all->rows > 0;
    if (batches->all && batches->notes && batches->input > 1) {
        give_metadata(batches, batch, 0);
        return PF_OK;
    }
    return give_notes(batches, batch, error);
}

static int give_waiting(struct pf_eval_batches *batches, struct pf_batch *batch,
                        struct pf_error *error)
{
    if (batches->batch.kind == PF_META && batches->batch.rows > 0)
        return give_meta(batches, batch, error);
    *batch = batches->batch;
    batches->begun |= batch->kind != PF_META && batch->rows > 0;
    if (batch->kind == PF_TEXT)
        pf_evals_take(&batches->evals, batch);
    if (batch->kind < PF_RECORD_KINDS && batch->rows > 0 && batches->first && !batches->all) {
        begin_held(batches);
        return PF_EOF;
    }
    batches->waiting = false;
    return batch->kind < PF_RECORD_KINDS ? give_records(batches, batch, error)
                                         : give_notes(batches, batch, error);
}

/* Gives the next batch of those that came so far. PF_EOF: all are given, or wait for more. */
static int give_batch(struct pf_eval_batches *batches, struct pf_batch *batch,
                      struct pf_error *error)
{
    int status = PF_EOF;

    while (status == PF_EOF && (batches->giving != PF_EVALS_PASS || batches->waiting)) {
        if (batches->giving != PF_EVALS_PASS) {
            status = give_held(batches, batch, error);
            if (status == PF_EOF)
                end_held(batches);
        } else {
            status = give_waiting(batches, batch, error);
        }
        if (batches->evals.status != PF_OK && status >= 0)
            status = pf_error_nomem(error);
    }
    return status;
}

/* --- the stage -------------------------------------------------------------------------------- */

static void take_batch(struct pf_eval_batches *batches, const struct pf_event *event)
{
    unsigned caps = event->input->format->caps;

    batches->of = event->input;
    batches->alone = batches->single && !(caps & PF_HOLDS_PROFILES);
    batches->batch = event->batch;
    batches->first = caps & PF_TEXTS_FIRST;
    batches->waiting = true;
}

static void take_end(struct pf_eval_batches *batches, const struct pf_event *event)
{
    batches->end = *event;
    batches->end_due = true;
    if (batches->of)
        end_input(batches);
}

static int next_event(struct pf_stage *stage, struct pf_event *event, struct pf_error *error)
{
    struct pf_eval_batches *batches = PF_STAGE_OWNER(stage, struct pf_eval_batches, stage);
    int status;

    if (batches->failed)
        return PF_EOF;
    while ((status = give_batch(batches, &event->batch, error)) == PF_EOF) {
        if (batches->end_due) {
            *event = batches->end;
            batches->end_due = false;
            batches->of = NULL;
            return PF_OK;
        }
        if ((status = pf_stage_next(stage->from, event, error)) != PF_OK)
            return status;
        if (event->kind == PF_EVENT_BATCH)
            take_batch(batches, event);
        else if (event->kind == PF_EVENT_END)
            take_end(batches, event);
        else
            return PF_OK;
    }
    batches->failed = status < 0;
    event->kind = PF_EVENT_BATCH;
    event->input = batches->of;
    return status;
}

struct pf_stage *pf_eval_batches_add(struct pf_eval_batches *batches, struct pf_stage *from)
{
    batches->stage.next = next_event;
    return pf_stage_after(&batches->stage, from);
}

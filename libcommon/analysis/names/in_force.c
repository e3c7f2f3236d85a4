#include "analysis/names/in_force.h"

#include "analysis/names/meta_names.h"
#include "base/calendar.h"
#include "base/memory.h"
#include "base/scan.h"
#include "codec/registry.h"

#include <stdlib.h>
#include <string.h>

int pf_in_force_init(struct pf_in_force *force, struct pf_dict *dict)
{
    *force = (struct pf_in_force){.dict = dict};
    if (pf_table_init(&force->seen, sizeof(uint32_t)) != PF_OK)
        return PF_NOMEM;
    return pf_table_init(&force->series, sizeof(uint32_t));
}

void pf_in_force_free(struct pf_in_force *force)
{
    for (size_t k = 0; k < force->key_count; k++)
        free(force->keys[k].values);
    for (size_t k = 0; k < force->state_count; k++)
        free(force->states[k].marks);
    free(force->keys);
    free(force->rows);
    free(force->states);
    pf_table_free(&force->seen);
    pf_table_free(&force->series);
    pf_labels_free(&force->labels);
    pf_pair_map_free(&force->relabelled);
}

int pf_in_force_choose(struct pf_in_force *force, struct pf_bytes name)
{
    if (!pf_grow(&force->keys, &force->key_capacity, force->key_count + 1, sizeof *force->keys))
        return PF_NOMEM;
    force->keys[force->key_count++] = (struct pf_in_force_key){
        .name = name,
        .label = pf_dict_intern_text(force->dict, name),
        .computed = pf_bytes_equal(name, PF_BYTES("start")) ? PF_OF_START
                    : pf_bytes_equal(name, PF_BYTES("day")) ? PF_OF_DAY
                                                            : PF_OF_METADATA,
    };
    return pf_dict_status(force->dict);
}

/* --- noting rows ------------------------------------------------------------------------------ */

static int kind_of_row(const struct pf_dict *dict, uint32_t origin, uint32_t key)
{
    struct pf_bytes name = pf_dict_string(dict, key);

    if (!pf_bytes_equal(pf_dict_string(dict, origin), PF_BYTES("profutils")))
        return PF_ROW_OTHER;
    return pf_bytes_equal(name, PF_BYTES("input"))           ? PF_ROW_INPUT
           : pf_bytes_equal(name, PF_BYTES("merged"))        ? PF_ROW_MERGED
           : pf_bytes_equal(name, PF_BYTES("source_format")) ? PF_ROW_FORMAT
                                                             : -1;
}

bool pf_in_force_begins(const struct pf_dict *dict, const struct pf_batch *batch, uint32_t row)
{
    return kind_of_row(dict, batch->origin[row], batch->key[row]) == PF_ROW_INPUT;
}

int pf_in_force_note(struct pf_in_force *force, const struct pf_batch *batch)
{
    if (!pf_grow(&force->rows, &force->capacity, force->count + batch->rows, sizeof *force->rows))
        return PF_NOMEM;
    for (uint32_t i = 0; i < batch->rows; i++) {
        uint32_t origin = batch->origin[i], key = batch->key[i];
        struct pf_bytes from = pf_dict_string(force->dict, origin);
        int what = kind_of_row(force->dict, origin, key);

        if (what < 0 || (from.size > 0 && from.data[0] == '.'))
            continue;
        if (what == PF_ROW_OTHER)
            pf_table_intern(&force->seen, &key);
        force->rows[force->count].origin = origin;
        force->rows[force->count].key = key;
        force->rows[force->count].value = batch->value[i];
        force->rows[force->count++].what = (unsigned)what;
    }
    return force->seen.status;
}

/* --- profiles --------------------------------------------------------------------------------- */

/* Keeps the values that stay in the next file of the series. */
static int save_series(struct pf_in_force *force)
{
    struct pf_in_force_series *state;
    uint32_t id;

    if (force->identity == 0 || force->key_count == 0)
        return PF_OK;
    id = pf_table_intern(&force->series, &force->identity);
    if (force->series.status != PF_OK ||
        !pf_grow_zeroed(&force->states, &force->state_count, &force->state_capacity, id + 1,
                        sizeof *force->states))
        return PF_NOMEM;
    state = &force->states[id];
    if (!state->marks)
        state->marks = calloc(force->key_count, sizeof *state->marks);
    if (!state->marks)
        return PF_NOMEM;
    state->ordinal = force->ordinal;
    for (size_t k = 0; k < force->key_count; k++) {
        const struct pf_in_force_key *key = &force->keys[k];

        state->marks[k] = key->mark && key->count > 0 ? key->values[0] + 1 : 0;
    }
    return PF_OK;
}

static bool add_value(struct pf_in_force *force, struct pf_in_force_key *key, uint32_t value)
{
    for (size_t k = 0; k < key->count; k++)
        if (key->values[k] == value)
            return true;
    force->changed = true;
    if (key->count == PF_IN_FORCE_MAX) {
        key->cut = true;
        return true;
    }
    if (!pf_grow(&key->values, &key->capacity, key->count + 1, sizeof *key->values))
        return false;
    key->values[key->count++] = value;
    return true;
}

static void clear_values(struct pf_in_force *force)
{
    for (size_t k = 0; k < force->key_count; k++) {
        force->changed |= force->keys[k].count > 0;
        force->keys[k].count = 0;
        force->keys[k].mark = force->keys[k].closed = force->keys[k].missed = false;
    }
}

static int begin_profile(struct pf_in_force *force)
{
    int status = save_series(force);

    clear_values(force);
    force->begun = true;
    force->identity = 0;
    force->ordinal = 0;
    force->has_start = false;
    return status;
}

/* Continues with the values at the end of the previous file of a series, once the number of this
 * file is known. */
static bool resume_series(struct pf_in_force *force, uint32_t value)
{
    uint32_t id = force->identity ? pf_table_find(&force->series, &force->identity) : 0;

    if (!pf_parse_digits(pf_dict_string(force->dict, value), UINT32_MAX, &force->ordinal) ||
        id == 0 || force->states[id].ordinal + 1 != force->ordinal)
        return true;
    for (size_t k = 0; k < force->key_count; k++) {
        uint32_t mark = force->states[id].marks[k];

        if (mark == 0 || force->keys[k].count > 0)
            continue;
        if (!add_value(force, &force->keys[k], mark - 1))
            return false;
        force->keys[k].mark = force->keys[k].closed = true;
    }
    return true;
}

/* True if a value of the key may come after the records that it describes. */
static bool comes_late(const struct pf_in_force *force, const struct pf_in_force_key *key,
                       bool *once)
{
    const struct pf_format *format = force->format;
    enum pf_meta_place place;

    *once = true;
    if (!format || !format->merging)
        return false;
    place = pf_meta_place(pf_bytes_of(format->name), key->name);
    *once = place != PF_META_BEFORE;
    return place == PF_META_BEFORE ||
           (key->count == 0 && (place == PF_META_WHOLE ||
                                (key->computed != PF_OF_METADATA && format->merging->start_late)));
}

static void find_late_keys(struct pf_in_force *force)
{
    force->holds = force->waits = false;
    for (size_t k = 0; k < force->key_count; k++) {
        bool once, late = comes_late(force, &force->keys[k], &once);

        force->holds |= late;
        force->waits |= late && once;
    }
}

int pf_in_force_input(struct pf_in_force *force, const struct pf_format *format)
{
    force->count = 0;
    force->last = (format->caps & PF_METADATA_LAST) != 0;
    force->format = format;
    return begin_profile(force);
}

/* --- rows ------------------------------------------------------------------------------------- */

static struct pf_in_force_key *key_of(const struct pf_in_force *force,
                                      const struct pf_in_force_row *row)
{
    struct pf_bytes name = pf_dict_string(force->dict, row->key);

    for (size_t k = 0; k < force->key_count; k++)
        if (pf_bytes_equal(force->keys[k].name, name))
            return &force->keys[k];
    return NULL;
}

/* The value of a row as a label: times as ISO 8601. Notes the start of the run. */
static uint32_t shown_value(struct pf_in_force *force, const struct pf_in_force_row *row)
{
    int64_t time;
    char text[PF_TIME_TEXT];
    enum pf_meta_time has = pf_meta_start(force->dict, row->origin, row->key, row->value, &time);

    if (has != PF_META_NO_TIME && !force->has_start) {
        force->has_start = true;
        force->start = time;
    }
    if (has != PF_META_IS_TIME)
        return row->value;
    return pf_dict_intern(force->dict, (struct pf_bytes){text, pf_time_print(time, text)}, 0);
}

static bool is_identity(const struct pf_in_force *force, const struct pf_in_force_row *row)
{
    struct pf_bytes origin = pf_dict_string(force->dict, row->origin);
    const struct pf_merging *rules = pf_meta_rules(origin);

    return rules && rules->rule(origin, pf_dict_string(force->dict, row->key)) == PF_META_IDENTITY;
}

/* Sets or adds a value that describes the records from here on. */
static bool put_value(struct pf_in_force *force, struct pf_in_force_key *key, uint32_t value,
                      enum pf_meta_place place)
{
    if (place != PF_META_LIST || key->closed) {
        force->changed |= key->count != 1 || key->values[0] != value;
        key->count = 0;
    }
    key->mark = place == PF_META_MARK;
    key->closed = false;
    return add_value(force, key, value);
}

/* Adds a value for the records before the row. */
static bool add_before(struct pf_in_force *force, struct pf_in_force_key *key, uint32_t value)
{
    key->missed = false;
    if (!pf_labels_add_set(&force->labels, force->dict, force->before) ||
        !pf_labels_add(&force->labels, force->dict, key->label, value))
        return false;
    force->before = pf_labels_take(&force->labels, force->dict);
    return true;
}

static bool use_row(struct pf_in_force *force, const struct pf_in_force_row *row)
{
    enum pf_meta_place place = pf_meta_place(pf_dict_string(force->dict, row->origin),
                                             pf_dict_string(force->dict, row->key));
    struct pf_in_force_key *key;
    uint32_t value;

    if (place == PF_META_BEGINS)
        clear_values(force);
    if (place == PF_META_BEGINS)
        force->has_start = false;
    key = key_of(force, row);
    value = shown_value(force, row);
    if (is_identity(force, row))
        force->identity = row->value;
    if (place == PF_META_ORDINAL && !resume_series(force, row->value))
        return false;
    if (!key)
        return true;
    key->found = true;
    if ((place == PF_META_BEFORE || (place == PF_META_WHOLE && key->missed)) &&
        !add_before(force, key, value))
        return false;
    return place == PF_META_BEFORE || put_value(force, key, value, place);
}

static int use_rows(struct pf_in_force *force)
{
    int status = PF_OK;

    for (size_t k = 0; k < force->count && status == PF_OK; k++) {
        const struct pf_in_force_row *row = &force->rows[k];

        if (row->what == PF_ROW_INPUT)
            status = begin_profile(force);
        else if (row->what == PF_ROW_FORMAT)
            force->format = pf_registry_find(pf_dict_string(force->dict, row->value));
        else if (!use_row(force, row))
            status = PF_NOMEM;
    }
    return status;
}

/* Sets the values of rows that lost their places. A value is known only in a stream of one profile,
 * and only if a key that is not a list has one value. */
static int use_unplaced(struct pf_in_force *force)
{
    size_t inputs = 0;
    int status = begin_profile(force);

    for (size_t k = 0; k < force->count; k++)
        inputs += force->rows[k].what == PF_ROW_INPUT;
    for (size_t k = 0; k < force->count && status == PF_OK; k++) {
        const struct pf_in_force_row *row = &force->rows[k];
        enum pf_meta_place place = pf_meta_place(pf_dict_string(force->dict, row->origin),
                                                 pf_dict_string(force->dict, row->key));
        struct pf_in_force_key *key = row->what == PF_ROW_OTHER ? key_of(force, row) : NULL;
        uint32_t value = shown_value(force, row);

        if (!key)
            continue;
        key->found = true;
        if (inputs > 1 || place == PF_META_MARK ||
            (place != PF_META_LIST && key->count > 0 && key->values[0] != value))
            key->unknown = true;
        else if (!add_value(force, key, value))
            status = PF_NOMEM;
    }
    for (size_t k = 0; k < force->key_count; k++)
        if (force->keys[k].unknown)
            force->keys[k].count = 0;
    if (force->has_start && inputs > 1) {
        for (size_t k = 0; k < force->key_count; k++)
            if (force->keys[k].computed != PF_OF_METADATA)
                force->keys[k].found = force->keys[k].unknown = true;
        force->has_start = false;
    }
    force->identity = 0;
    force->format = NULL; /* nothing comes late */
    return status;
}

/* Sets the values of `start` and `day`. Metadata of these names come first. */
static bool add_times(struct pf_in_force *force)
{
    char text[PF_TIME_TEXT];
    size_t size;

    if (!force->has_start)
        return true;
    size = pf_time_print(force->start, text);
    for (size_t k = 0; k < force->key_count; k++) {
        struct pf_in_force_key *key = &force->keys[k];
        struct pf_bytes value = {text, key->computed == PF_OF_DAY ? PF_TIME_DAY : size};
        uint32_t id;

        if (key->computed == PF_OF_METADATA || key->count > 0)
            continue;
        id = pf_dict_intern(force->dict, value, 0);
        key->found = true;
        if ((key->missed && !add_before(force, key, id)) || !add_value(force, key, id))
            return false;
    }
    return true;
}

static bool make_set(struct pf_in_force *force)
{
    for (size_t k = 0; k < force->key_count; k++)
        for (size_t v = 0; v < force->keys[k].count; v++)
            if (!pf_labels_add(&force->labels, force->dict, force->keys[k].label,
                               force->keys[k].values[v]))
                return false;
    force->set = pf_labels_take(&force->labels, force->dict);
    force->changed = false;
    return true;
}

int pf_in_force_settle(struct pf_in_force *force)
{
    bool unplaced = force->last;
    int status;

    force->begun = false;
    force->before = 0;
    if (force->count == 0)
        return PF_OK;
    for (size_t k = 0; k < force->count; k++)
        unplaced |= force->rows[k].what == PF_ROW_MERGED;
    status = unplaced ? use_unplaced(force) : use_rows(force);
    force->count = 0;
    if (status == PF_OK && (!add_times(force) || (force->changed && !make_set(force))))
        status = PF_NOMEM;
    find_late_keys(force);
    for (size_t k = 0; k < force->key_count; k++) {
        force->keys[k].closed = true;
        force->keys[k].missed = force->keys[k].count == 0;
    }
    return status == PF_OK ? pf_dict_status(force->dict) : status;
}

/* --- labels ----------------------------------------------------------------------------------- */

uint32_t pf_in_force_label(struct pf_in_force *force, uint32_t labels, uint32_t values)
{
    uint32_t set = labels, all;

    if (values == 0 || pf_pair_map_get(&force->relabelled, labels, values, &all))
        return values == 0 ? labels : all;
    for (uint32_t at = values; at != 0; at = pf_dict_label(force->dict, at)->parent)
        set = pf_dict_drop_label(force->dict, set, pf_dict_label(force->dict, at)->key);
    if (pf_labels_add_set(&force->labels, force->dict, set) &&
        pf_labels_add_set(&force->labels, force->dict, values))
        all = pf_labels_take(&force->labels, force->dict);
    else
        all = 0;
    if (all == 0 || !pf_pair_map_put(&force->relabelled, labels, values, all))
        force->dict->strings.status = PF_NOMEM;
    return all;
}

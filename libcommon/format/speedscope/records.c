/* The records of a speedscope document that was read. Profiles of one unit get one scale, each
 * profile gets a measure and a label, and paths of frame numbers become stacks. Profiles with the
 * same stacks in the same order become columns of the same records. */
#include "format/speedscope/speedscope.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/table.h"
#include "model/amounts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- units and measures ----------------------------------------------------------------------- */

static const struct pf_speedscope_unit {
    const char *word;    /* in the document */
    const char *unit;    /* in the model */
    const char *measure; /* the name of the measure */
    uint8_t role;        /* enum pf_role: of the measure */
} units[] = {
    {"none", "count", "hits", PF_COUNT},
    {"nanoseconds", "nanoseconds", "wall", PF_SELF},
    {"microseconds", "microseconds", "wall", PF_SELF},
    {"milliseconds", "milliseconds", "wall", PF_SELF},
    {"seconds", "seconds", "wall", PF_SELF},
    {"bytes", "bytes", "bytes", PF_SELF},
};
enum { UNITS = sizeof units / sizeof *units };

const struct pf_speedscope_unit *pf_speedscope_find_unit(struct pf_bytes word)
{
    for (size_t k = 0; k < UNITS; k++)
        if (pf_bytes_equal(word, pf_bytes_of(units[k].word)))
            return &units[k];
    return NULL;
}

/* Gives all profiles of one unit the same scale. A profile whose weights do not fit 64 bits in this
 * scale keeps its own. */
static void join_scales(struct pf_speedscope_document *document)
{
    struct pf_speedscope_profile *profiles = document->profiles;

    for (const struct pf_speedscope_unit *unit = units; unit < units + UNITS; unit++) {
        int places = 0;

        for (size_t k = 0; k < document->profile_count; k++)
            if (profiles[k].unit == unit && profiles[k].amounts.places > places)
                places = profiles[k].amounts.places;
        for (size_t k = 0; k < document->profile_count; k++)
            if (profiles[k].unit == unit)
                pf_decimals_rescale(&profiles[k].amounts, places);
    }
}

/* Sets the scale and the unit of the profile's measure, and negates the weights of a profile of
 * negative sums. If a weight overflows 64 bits then, the records end before this weight. */
static int scale_amounts(struct pf_reader *reader, struct pf_speedscope_profile *profile)
{
    struct pf_decimals *amounts = &profile->amounts;
    uint32_t unit = profile->measure.unit;
    struct pf_amount_unit written = pf_amount_unit_of(profile->unit->unit);

    pf_amounts_scale(reader->dict, amounts, &written, &profile->measure);
    if (unit)
        profile->measure.unit = unit;
    if (amounts->rounded)
        pf_report_send(&reader->report, PF_NOTE,
                       "offset %" PRIu64 ": the profile has numbers with too many digits: rounded",
                       profile->offset);
    for (size_t k = 0; profile->negative && k < profile->count; k++) {
        if (!__builtin_sub_overflow(0, amounts->values[k], &amounts->values[k]))
            continue;
        profile->count = k;
        return pf_error_at(&reader->error, PF_OVERFLOW, profile->offset,
                           "record %zu: the weight overflows 64 bits", k + 1);
    }
    return PF_OK;
}

/* Sets the scale of the profile's measure, and names the measure if the file does not. */
static int name_measure(struct pf_reader *reader, struct pf_speedscope_profile *profile)
{
    struct pf_measure *measure = &profile->measure;
    int status = scale_amounts(reader, profile);

    if (measure->name == 0) {
        measure->name = pf_dict_intern_word(reader->dict, profile->unit->measure);
        measure->role = profile->unit->role;
        measure->nature = profile->evented ? PF_TIMED : PF_SAMPLED;
    }
    return status;
}

/* --- labels ----------------------------------------------------------------------------------- */

/* Profiles with the same key have the same measure and label. */
struct measure_key {
    uint32_t name, unit, label;
};

/* Gives a profile the label `thread` with the profile's name, or with its number if the profile has
 * no name. */
static void label_profile(struct pf_reader *reader, struct pf_speedscope_document *document,
                          size_t which)
{
    uint32_t name = document->profiles[which].name,
             key = pf_dict_intern(reader->dict, PF_BYTES("thread"), 0);
    char number[32];

    if (name == 0)
        name = pf_dict_intern(reader->dict,
                              (struct pf_bytes){number, (size_t)snprintf(number, sizeof number,
                                                                         "profile %zu", which + 1)},
                              0);
    document->profiles[which].label = pf_dict_add_label(reader->dict, 0, key, name);
}

/* Labels each profile that has the same measure as another profile, unless our own writer wrote its
 * label. */
static int label_profiles(struct pf_reader *reader, struct pf_speedscope_document *document)
{
    size_t *profiles = calloc(document->profile_count + 1, sizeof *profiles); /* by measure */
    struct pf_table measures;
    int status = pf_table_init(&measures, sizeof(struct measure_key));

    for (unsigned pass = 0; pass < 2 && profiles; pass++)
        for (size_t k = 0; k < document->profile_count; k++) {
            const struct pf_speedscope_profile *profile = &document->profiles[k];
            uint32_t id = pf_table_intern(
                &measures, &(struct measure_key){profile->measure.name, profile->measure.unit, 0});

            if (pass == 0)
                profiles[id]++;
            else if (profiles[id] > 1 && !profile->labelled)
                label_profile(reader, document, k);
        }
    status = !profiles || status != PF_OK || measures.status != PF_OK
                 ? pf_error_nomem(&reader->error)
                 : PF_OK;
    pf_table_free(&measures);
    free(profiles);
    return status;
}

/* --- stacks ----------------------------------------------------------------------------------- */

/* Makes the stacks of all paths; UINT32_MAX for a path with a frame that the file does not have.
 * The caller frees the array. NULL: out of memory. */
static uint32_t *path_stacks(struct pf_reader *reader,
                             const struct pf_speedscope_document *document)
{
    uint32_t *stacks = calloc(document->paths.stacks.count, sizeof *stacks);

    for (uint32_t path = 1; stacks && path < document->paths.stacks.count; path++) {
        const struct pf_stack *node = pf_dict_stack(&document->paths, path);
        uint32_t parent = stacks[node->parent], number = node->location - 1,
                 location = number < document->location_count ? document->locations[number] : 0;

        stacks[path] = location == 0 || parent == UINT32_MAX
                           ? UINT32_MAX
                           : pf_dict_add_frame(reader->dict, parent, location);
    }
    return stacks;
}

/* Replaces the paths of all profiles by stacks. Records of a profile end before a path with a
 * missing frame. */
static int resolve_paths(struct pf_reader *reader, struct pf_speedscope_document *document,
                         int status)
{
    uint32_t *stacks = path_stacks(reader, document);

    if (!stacks)
        return pf_error_nomem(&reader->error);
    for (size_t k = 0; k < document->profile_count; k++) {
        struct pf_speedscope_profile *profile = &document->profiles[k];

        for (size_t row = 0; row < profile->count; row++) {
            if (stacks[profile->stacks[row]] == UINT32_MAX)
                profile->count = row;
            else
                profile->stacks[row] = stacks[profile->stacks[row]];
        }
    }
    free(stacks);
    if (status == PF_OK && document->highest > document->location_count)
        status = pf_error_at(&reader->error, PF_FAILED, document->highest_at,
                             "frame %" PRIu64 " is used, but the file has %zu frames",
                             document->highest - 1, document->location_count);
    return status;
}

/* --- columns ---------------------------------------------------------------------------------- */

/* Profiles with the same key probably have the same stacks; `hash` is the hash of the stacks. */
struct stacks_key {
    uint64_t hash, count, label;
};

/* For finding earlier profiles with the same stacks. */
struct twins {
    struct pf_table measures, stacks; /* measure_key, stacks_key */
    /* by measure: the first profile with records of its own that has the measure as a column; by
     * stacks: the first profile with these stacks */
    size_t *of_measure, *of_stacks;
};

static int twins_init(struct twins *twins, size_t count)
{
    int status = pf_table_init(&twins->measures, sizeof(struct measure_key));

    twins->of_measure = calloc(count + 1, sizeof *twins->of_measure);
    twins->of_stacks = calloc(count + 1, sizeof *twins->of_stacks);
    return pf_table_init(&twins->stacks, sizeof(struct stacks_key)) == PF_OK && twins->of_measure &&
                   twins->of_stacks
               ? status
               : PF_NOMEM;
}

static void twins_free(struct twins *twins)
{
    pf_table_free(&twins->measures);
    pf_table_free(&twins->stacks);
    free(twins->of_measure);
    free(twins->of_stacks);
}

/* Finds the earlier profile with the same label and the same stacks in the same order: both become
 * columns of the same records. NULL: there is no such profile; the profile has events; or the
 * earlier profile, or a profile before the earlier one, has the same measure and label. */
static struct pf_speedscope_profile *find_twin(struct pf_speedscope_document *document,
                                               struct twins *twins, size_t which)
{
    const struct pf_speedscope_profile *profile = &document->profiles[which];
    size_t size = profile->count * sizeof *profile->stacks;
    struct stacks_key key = {pf_hash(size ? (const void *)profile->stacks : "", size, 0),
                             profile->count, profile->label};
    uint32_t measures = twins->measures.count, known = twins->stacks.count;
    uint32_t measure = pf_table_intern(
        &twins->measures,
        &(struct measure_key){profile->measure.name, profile->measure.unit, profile->label});
    uint32_t stacks = pf_table_intern(&twins->stacks, &key);

    if (measure >= measures)
        twins->of_measure[measure] = which;
    if (stacks < known) {
        struct pf_speedscope_profile *other = &document->profiles[twins->of_stacks[stacks]];
        bool same = !profile->evented && twins->of_stacks[stacks] < twins->of_measure[measure] &&
                    (size == 0 || memcmp(other->stacks, profile->stacks, size) == 0);

        if (same)
            twins->of_measure[measure] = twins->of_stacks[stacks];
        return same ? other : NULL;
    }
    twins->of_stacks[stacks] = which;
    return NULL;
}

/* Adds the measures to the dictionary, and links the profiles that are columns of others. */
static int link_columns(struct pf_reader *reader, struct pf_speedscope_document *document)
{
    /* by profile: the profile of its last column */
    size_t *last = calloc(document->profile_count + 1, sizeof *last);
    struct twins twins;
    int status = twins_init(&twins, document->profile_count);

    for (size_t k = 0; last && status == PF_OK && k < document->profile_count; k++) {
        struct pf_speedscope_profile *profile = &document->profiles[k],
                                     *twin = find_twin(document, &twins, k);
        size_t first = twin ? (size_t)(twin - document->profiles) : k;

        profile->column = pf_dict_add_measure(reader->dict, profile->measure);
        profile->is_column = twin;
        if (twin)
            document->profiles[last[first]].next_column = k + 1;
        last[first] = k;
    }
    if (!last || twins.measures.status != PF_OK || twins.stacks.status != PF_OK)
        status = PF_NOMEM;
    twins_free(&twins);
    free(last);
    return status == PF_OK ? PF_OK : pf_error_nomem(&reader->error);
}

/* --- records ---------------------------------------------------------------------------------- */

/* Begins the records of profile `k` and of the profiles that are its columns. */
static void begin_profile(struct pf_reader *reader, const struct pf_speedscope_document *document,
                          size_t k)
{
    pf_rows_begin(&reader->rows, PF_SAMPLE);
    for (size_t next = k + 1; next > 0; next = document->profiles[next - 1].next_column)
        pf_rows_measure(&reader->rows, document->profiles[next - 1].column);
}

int pf_speedscope_finish_document(struct pf_reader *reader, struct pf_speedscope_document *document,
                                  int status)
{
    join_scales(document);
    pf_file_urls_tell(&document->urls, &reader->rows, reader->format->name);
    if (pf_file_urls_status(&document->urls) != PF_OK)
        return pf_error_nomem(&reader->error);
    for (size_t k = 0; k < document->profile_count; k++) {
        int named = name_measure(reader, &document->profiles[k]);

        status = status == PF_OK ? named : status;
    }
    status = resolve_paths(reader, document, status);
    if (label_profiles(reader, document) != PF_OK || link_columns(reader, document) != PF_OK)
        return reader->error.code;
    for (size_t k = 0; k < document->profile_count; k++)
        if (!document->profiles[k].is_column) {
            begin_profile(reader, document, k);
            pf_rows_declare_ahead(&reader->rows);
        }
    return status;
}

/* Adds the next records of profile `k` until a batch is full. */
static int add_batch(struct pf_reader *reader, struct pf_speedscope_document *document, size_t k)
{
    const struct pf_speedscope_profile *profile = &document->profiles[k];
    struct pf_rows *rows = &reader->rows;
    size_t count = profile->count - document->next_row,
           most = PF_BATCH_ROWS - pf_rows_waiting(rows), column = 0;

    if (document->next_row == 0)
        begin_profile(reader, document, k);
    count = count < most ? count : most;
    if (!pf_rows_room(rows, count))
        return pf_error_nomem(&reader->error);
    memcpy(rows->places + rows->count, profile->stacks + document->next_row,
           count * sizeof *rows->places);
    for (size_t next = k + 1; next > 0 && column < pf_rows_column_count(rows);
         next = document->profiles[next - 1].next_column)
        memcpy(rows->values[column++] + rows->count,
               document->profiles[next - 1].amounts.values + document->next_row,
               count * sizeof **rows->values);
    pf_rows_wrote(rows, count, profile->label);
    document->next_row += count;
    return PF_OK;
}

int pf_speedscope_add_records(struct pf_reader *reader, struct pf_speedscope_document *document)
{
    for (; document->next_profile < document->profile_count;
         document->next_profile++, document->next_row = 0) {
        const struct pf_speedscope_profile *profile = &document->profiles[document->next_profile];

        if (!profile->is_column && document->next_row < profile->count)
            return add_batch(reader, document, document->next_profile);
    }
    return PF_EOF;
}

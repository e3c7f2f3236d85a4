#include "format/pprof/reader.h"

#include "analysis/sum/units.h"
#include "format/pprof/profile.h"
#include "model/units.h"

#include <stdio.h>
#include <stdlib.h>

int pf_pprof_open_reader(struct pf_reader *reader)
{
    static const char owner;
    struct pf_pprof_reader *state = reader->state;
    size_t have;

    state->common = &state->own;
    if (reader->shared != NULL)
        state->common = pf_shared_get(reader->shared, &owner, sizeof *state->common, pf_pprof_common_free);
    if (state->common == NULL || pf_pprof_common_init(state->common) != PF_OK)
        return pf_error_nomem(&reader->error);
    state->profile = state->common->spare;
    state->common->spare = (struct pf_pprof_profile){0};
    pf_source_peek(reader->source, 1, &have);
    if (have > 0)
        return PF_OK;
    return pf_source_status(reader->source, &reader->error) != PF_OK
               ? reader->error.code
               : pf_error_at(&reader->error, PF_FAILED, 0, "the input is empty: no byte of a profile");
}

static void clear_profile(struct pf_pprof_reader *state)
{
    pf_pprof_samples_free(&state->samples);
    pf_pprof_meta_free(&state->meta);
    pf_pprof_names_free(&state->names);
    pf_pprof_profile_clear(&state->profile);
    free(state->columns);
    state->columns = NULL;
}

void pf_pprof_close_reader(struct pf_reader *reader)
{
    struct pf_pprof_reader *state = reader->state;

    clear_profile(state);
    if (state->common != NULL) {
        pf_pprof_profile_free(&state->common->spare);
        state->common->spare = state->profile;
    }
    pf_pprof_profile_free(&state->next);
    pf_pprof_profile_free(&state->third);
    pf_pprof_common_free(&state->own);
}

/* --- measures --------------------------------------------------------------------------------------------- */

/* The type tables show first: the one named as the default, else the last. */
static size_t main_type(const struct pf_pprof_profile *profile)
{
    uint64_t named = profile->count.scalars.value[PF_PPROF_DEFAULT_TYPE];

    for (size_t k = 0; k < profile->count.types && named != 0 && named < profile->count.strings; k++)
        if (profile->types[k].type < profile->count.strings &&
            profile->strings[profile->types[k].type] == profile->strings[named])
            return k;
    return profile->count.types - 1;
}

static bool counts_samples(const struct pf_dict *dict, uint32_t name, uint32_t unit)
{
    struct pf_bytes text = pf_dict_string(dict, name);

    return pf_bytes_equal(pf_dict_string(dict, unit), PF_BYTES("count")) &&
           (pf_bytes_equal(text, PF_BYTES("samples")) || pf_bytes_equal(text, PF_BYTES("sample")));
}

/* A second type of the same name and unit is another measure all the same. */
static uint32_t distinct_name(const struct pf_pprof_profile *profile, struct pf_dict *dict, size_t type, uint32_t name)
{
    struct pf_bytes text = pf_dict_string(dict, name);
    struct pf_buffer numbered = {0};
    char number[32];
    size_t same = 1;

    for (size_t k = 0; k < type; k++)
        same += profile->types[k].type == profile->types[type].type && profile->types[k].unit == profile->types[type].unit;
    if (same == 1)
        return name;
    pf_buffer_append(&numbered, text.data, text.size);
    pf_buffer_append(&numbered, number, (size_t)snprintf(number, sizeof number, "#%zu", same));
    name = pf_dict_intern(dict, (struct pf_bytes){numbered.data, numbered.size}, dict->strings.rows[name].flags);
    if (numbered.failed)
        dict->strings.status = PF_NOMEM;
    pf_buffer_free(&numbered);
    return name;
}

static int find_measure(struct pf_reader *reader, size_t k, bool sampled, uint32_t *index)
{
    struct pf_pprof_reader *state = reader->state;
    const struct pf_pprof_type *type = &state->profile.types[k];
    struct pf_unit_size size;
    struct pf_measure measure;
    uint32_t name, unit;

    if (pf_pprof_string(&state->profile, type->type, type->offset, &name, &reader->error) != PF_OK ||
        pf_pprof_string(&state->profile, type->unit, type->offset, &unit, &reader->error) != PF_OK)
        return reader->error.code;
    measure = pf_measure_make_named(reader->dict, distinct_name(&state->profile, reader->dict, k, name), NULL,
                                    PF_SAMPLE, PF_SELF, sampled ? PF_SAMPLED : PF_UNKNOWN_NATURE);
    measure.unit = unit;
    pf_unit_take_parts(reader->dict, &measure);
    if (counts_samples(reader->dict, name, measure.unit))
        measure.role = PF_COUNT;
    if (pf_unit_parse(pf_dict_string(reader->dict, measure.unit), PF_PPROF_UNITS, &size)) {
        pf_measure_set_scale(&measure, size.num, measure.den);
        measure.unit = pf_dict_intern_word(reader->dict, size.base);
        measure.raw_unit = measure.unit != unit ? unit : 0;
    }
    measure.main = k == main_type(&state->profile);
    *index = pf_dict_add_measure(reader->dict, measure);
    return *index != UINT32_MAX ? PF_OK : pf_error_nomem(&reader->error);
}

static int find_measures(struct pf_reader *reader)
{
    struct pf_pprof_reader *state = reader->state;
    const struct pf_pprof_profile *profile = &state->profile;
    bool sampled = false;
    int status = PF_OK;

    state->columns = malloc((profile->count.types + 1) * sizeof *state->columns);
    if (state->columns == NULL)
        return pf_error_nomem(&reader->error);
    for (size_t k = 0; k < profile->count.types; k++) {
        uint64_t name = profile->types[k].type, unit = profile->types[k].unit;

        sampled |= name < profile->count.strings && unit < profile->count.strings &&
                   counts_samples(reader->dict, profile->strings[name], profile->strings[unit]);
    }
    for (size_t k = 0; k < profile->count.types && status == PF_OK; k++) {
        status = find_measure(reader, k, sampled, &state->columns[k].measure);
        state->columns[k].data = state->samples.values + k * PF_BATCH_ROWS;
    }
    return status;
}

/* --- phases ----------------------------------------------------------------------------------------------- */

/* What is damaged may have whole records before the damage; they are given if all they need is there. */
static int read_fields(struct pf_reader *reader)
{
    struct pf_pprof_reader *state = reader->state;

    if (!state->is_ahead)
        return pf_pprof_profile_read(&state->profile, &state->next, reader->source, reader->dict, &reader->error);
    state->is_ahead = false;
    reader->error = state->ahead_error;
    return state->ahead;
}

/* Where the last samples may be those of the next profile: they are not, if that has others. */
static bool ends_surely(struct pf_reader *reader)
{
    struct pf_pprof_reader *state = reader->state;
    const struct pf_pprof_profile *profile = &state->profile, *next = &state->next;

    if (profile->doubt_end != PF_PPROF_SAMPLE && profile->doubt_end != PF_PPROF_FIELDS)
        return true;
    state->is_ahead = true;
    state->ahead_error = (struct pf_error){0};
    state->ahead = pf_pprof_profile_read(&state->next, &state->third, reader->source, reader->dict, &state->ahead_error);
    if (profile->doubt_end == PF_PPROF_SAMPLE && next->count.runs > 0 &&
        (next->doubt_end != PF_PPROF_SAMPLE || next->first == profile->first))
        return true;
    pf_error_at(&reader->error, PF_FAILED, profile->end,
                "two profiles, one behind the other, and which of them the fields before belong to cannot be told; give each as a file, "
                "or in gzip, of its own");
    return false;
}

/* Whether what is missing is missing indeed, rather than taken for the profile's before it. */
static bool lacks_surely(const struct pf_pprof_profile *profile)
{
    return profile->doubt_begin != PF_PPROF_MAPPING && profile->doubt_begin != PF_PPROF_FUNCTION;
}

/* What is wrong with a profile may be where it was taken to begin or to end. */
static void add_doubt(struct pf_reader *reader)
{
    const struct pf_pprof_profile *profile = &((struct pf_pprof_reader *)reader->state)->profile;
    struct pf_error plain = reader->error;

    if (plain.code != PF_FAILED || (profile->doubt_begin == 0 && profile->doubt_end == 0))
        return;
    reader->error = (struct pf_error){0};
    pf_error_at(&reader->error, PF_FAILED, plain.offset,
                "%.300s, unless that is the profile's beside this one, and where the other begins cannot be told; give each as a file, "
                "or in gzip, of its own",
                plain.text);
}

static int read_profile(struct pf_reader *reader)
{
    struct pf_pprof_reader *state = reader->state;
    struct pf_error error = {0};
    int status = read_fields(reader);

    if (status == PF_EOF)
        return status;
    if (status == PF_OK && !ends_surely(reader))
        return reader->error.code;
    state->damaged = status != PF_OK;
    if (status != PF_OK && (status != PF_FAILED || state->profile.count.strings == 0))
        return status;
    if (state->profile.count.strings == 0)
        return pf_error_at(&reader->error, PF_FAILED, state->profile.end, "the table of strings is missing");
    if (state->profile.count.types > PF_PPROF_TYPES_MAX)
        return pf_error_at(&reader->error, PF_FAILED, state->profile.types[PF_PPROF_TYPES_MAX].offset, "more than %d sample types",
                           PF_PPROF_TYPES_MAX);
    error = reader->error;
    reader->error = (struct pf_error){0};
    state->names.cut = state->damaged;
    status = pf_pprof_names_find(&state->names, &state->profile, reader->dict, reader->relocate ? state->common : NULL,
                                 &reader->error);
    if (status == PF_OK && pf_options_get(reader->options, "drop") != NULL)
        status = pf_pprof_drop_find(&state->names, &state->profile, reader->dict, &reader->error);
    if (status == PF_OK)
        pf_pprof_meta_make(&state->meta, &state->profile, &state->names, reader->dict);
    if (status == PF_OK && pf_pprof_samples_init(&state->samples, &state->profile, &state->names, state->common->memo, reader->dict) != PF_OK)
        status = pf_error_nomem(&reader->error);
    if (status == PF_OK)
        status = find_measures(reader);
    if (status == PF_NOMEM)
        return status;
    /* What is damaged in what was read stands before where it could not be read on. */
    state->damaged = state->samples.damaged;
    if (state->names.damage.code != PF_OK)
        reader->error = state->names.damage;
    else if (error.code != PF_OK)
        reader->error = error;
    else if (status == PF_OK && state->names.unknown > 0 && !lacks_surely(&state->profile))
        status = pf_error_at(&reader->error, PF_FAILED, state->profile.end, "%zu references to mappings or functions that are not there",
                             state->names.unknown);
    if (error.code == PF_OK)
        add_doubt(reader);
    if (state->names.unknown > 0 && status == PF_OK && !state->damaged)
        pf_report_send(&reader->report, PF_WARNING, "%zu references to mappings or functions that are not there", state->names.unknown);
    return status;
}

static void give_columns(struct pf_pprof_reader *state, struct pf_batch *batch, uint32_t rows)
{
    batch->kind = PF_SAMPLE;
    batch->rows = rows;
    batch->stack = state->samples.stacks;
    batch->labels = state->samples.sets;
    batch->values = state->columns;
    batch->value_count = (uint32_t)state->profile.count.types;
}

/* Rows, or what follows them. */
static int give_samples(struct pf_reader *reader, struct pf_batch *batch)
{
    struct pf_pprof_reader *state = reader->state;
    struct pf_error error = {0};
    uint32_t rows;
    int status = pf_pprof_samples_next(&state->samples, &rows, &error);

    if (status < 0) {
        /* Behind damage nothing is read; before that at the end, the samples that lack nothing. */
        if (status == PF_FAILED && error.offset == state->profile.end)
            state->samples.damaged = true;
        else
            state->samples.at = state->samples.end;
        if (!state->damaged) {
            reader->error = error;
            add_doubt(reader);
        }
        state->damaged = true;
    }
    if (rows > 0) {
        give_columns(state, batch, rows);
        return PF_OK;
    }
    if (state->samples.at < state->samples.end)
        return PF_OK;
    if (state->damaged)
        return reader->error.code;
    struct pf_pprof_profile next = state->next;

    clear_profile(state);
    state->next = state->third;
    state->third = state->profile;
    state->profile = next;
    state->phase = PF_PPROF_READ;
    return PF_OK;
}

int pf_pprof_read(struct pf_reader *reader, struct pf_batch *batch)
{
    struct pf_pprof_reader *state = reader->state;
    int status;

    switch (state->phase) {
    case PF_PPROF_READ:
        status = read_profile(reader);
        state->phase = status == PF_OK ? PF_PPROF_DECLARE : PF_PPROF_END;
        return status;
    case PF_PPROF_DECLARE:
        give_columns(state, batch, 0);
        state->phase = PF_PPROF_META;
        return PF_OK;
    case PF_PPROF_META:
        if (!pf_pprof_meta_next(&state->meta, batch))
            state->phase = PF_PPROF_SAMPLES;
        return PF_OK;
    case PF_PPROF_SAMPLES:
        return give_samples(reader, batch);
    default:
        return reader->error.code;
    }
}

#include "format/pprof/seam.h"

#include "format/pprof/pprof.h"

#include <string.h>

#define BIT(number) (UINT32_C(1) << (number))

enum {
    ONCE = 1 << PF_PPROF_DROP_FRAMES | 1 << PF_PPROF_KEEP_FRAMES | 1 << PF_PPROF_TIME | 1 << PF_PPROF_DURATION | 1 << PF_PPROF_PERIOD_TYPE |
           1 << PF_PPROF_PERIOD | 1 << PF_PPROF_DEFAULT_TYPE | 1 << PF_PPROF_DOC_URL
};

/* What the id of a row says: another table has begun, this one goes on behind messages of another kind, or neither. */
enum row { ROW_TWICE, ROW_NEXT, ROW_OTHER };

/* --- finding it ------------------------------------------------------------------------------------------- */

static void mark(const struct pf_pprof_profile *profile, struct pf_pprof_seam *seam, uint32_t number, uint64_t offset)
{
    if (seam->set)
        return;
    *seam = (struct pf_pprof_seam){
        .set = true,
        .count = profile->count,
        .run = profile->seams.run,
        .run_since = profile->seams.run_since,
        .before = profile->last != number ? profile->seams.before : 0,
        .first = number,
        .offset = offset,
    };
}

/* Facts of a profile, which are there once, are of one kind. */
static uint32_t kind(uint32_t number)
{
    return number > PF_PPROF_STRING ? PF_PPROF_TIME : number;
}

/* The number of values of the first sample, which there is. */
static size_t count_values(const struct pf_pprof_profile *profile)
{
    const unsigned char *bytes = (const unsigned char *)profile->samples.data, *end = bytes + profile->samples.size;
    struct pf_proto_field field;
    const char *problem;
    uint64_t size = 0, value;
    size_t count = 0;

    bytes = pf_proto_varint(bytes, end, &size);
    struct pf_proto message = {bytes, bytes + size};

    while (pf_proto_next(&message, &field, &problem) == PF_OK) {
        if (field.number != 2)
            continue;
        struct pf_proto packed = field.type == PF_PROTO_BYTES ? pf_proto_of(&field) : (struct pf_proto){0};

        count += field.type == PF_PROTO_VARINT;
        for (; packed.cursor != packed.end && packed.cursor != NULL; count++)
            packed.cursor = pf_proto_varint(packed.cursor, packed.end, &value);
    }
    return count;
}

/* That number; 0: there is no sample. It is asked for by many sample types. */
static size_t values_of(struct pf_pprof_profile *profile)
{
    size_t *values = &profile->seams.values;

    if (*values == 0 && profile->samples.size > 0)
        *values = count_values(profile) + 1;
    return *values > 0 ? *values - 1 : 0;
}

static enum row weigh_id(uint64_t id, uint64_t first, uint64_t last)
{
    return id == first ? ROW_TWICE : id == last + 1 ? ROW_NEXT : ROW_OTHER;
}

static bool is_row(const struct pf_proto_field *field)
{
    return field->type == PF_PROTO_BYTES && field->number >= PF_PPROF_MAPPING && field->number <= PF_PPROF_FUNCTION;
}

static enum row weigh_row(const struct pf_pprof_profile *profile, const struct pf_proto_field *field)
{
    const struct pf_pprof_mark *count = &profile->count;
    struct pf_proto message = pf_proto_of(field);
    struct pf_proto_field id = {0};
    const char *problem;

    while (id.number != 1)
        if (pf_proto_next(&message, &id, &problem) != PF_OK)
            return ROW_OTHER;
    if (field->number == PF_PPROF_MAPPING)
        return weigh_id(id.value, profile->mappings[0].id, profile->mappings[count->mappings - 1].id);
    if (field->number == PF_PPROF_LOCATION)
        return weigh_id(id.value, profile->locations[0].id, profile->locations[count->locations - 1].id);
    return weigh_id(id.value, profile->functions[0].id, profile->functions[count->functions - 1].id);
}

/* Whether a field is one too many for a profile whose messages of one kind stand side by side. Samples may follow tables that go on. */
static bool comes_again(struct pf_pprof_profile *profile, const struct pf_proto_field *field)
{
    struct pf_pprof_seams *seams = &profile->seams;
    uint32_t number = field->number;
    bool begins = number != profile->last, seen = profile->seen & BIT(number);

    if (is_row(field)) {
        enum row row = seen ? weigh_row(profile, field) : ROW_OTHER;

        if (begins)
            seams->goes_on = seen && row == ROW_NEXT;
        return row == ROW_TWICE || (seen && begins && row == ROW_OTHER);
    }
    if (number == PF_PPROF_SAMPLE)
        return seen && begins && !seams->goes_on;
    seams->goes_on = false;
    if (number == PF_PPROF_SAMPLE_TYPE && seen && !begins)
        return profile->count.types == values_of(profile);
    return seen && (begins || ONCE & BIT(number));
}

static bool has_string(const struct pf_pprof_mark *count, uint64_t string)
{
    return string < count->strings;
}

/* Whether a table of strings that ends at the empty one has all that the messages before it refer to. */
static bool is_whole(struct pf_pprof_profile *profile)
{
    struct pf_pprof_seams *seams = &profile->seams;
    const struct pf_pprof_mark *count = &seams->empty.count;
    bool whole = true;

    if (seams->asked)
        return seams->is_whole;
    for (size_t k = 0; k < count->types; k++)
        whole = whole && has_string(count, profile->types[k].type) && has_string(count, profile->types[k].unit);
    for (size_t k = 0; k < count->mappings; k++)
        whole = whole && has_string(count, profile->mappings[k].file) && has_string(count, profile->mappings[k].build_id);
    for (size_t k = 0; k < count->functions; k++)
        whole = whole && has_string(count, profile->functions[k].name) && has_string(count, profile->functions[k].system_name) &&
                has_string(count, profile->functions[k].file);
    seams->asked = true;
    return seams->is_whole = whole;
}

static void choose(const struct pf_pprof_profile *profile, const struct pf_proto_field *field, uint64_t offset, struct pf_pprof_seam *seam)
{
    const struct pf_pprof_seams *seams = &profile->seams;

    if (seams->member.set) {
        *seam = seams->member;
        seam->before = seam->run_since = 0;
        return;
    }
    *seam = seams->again.set && !seams->scattered ? seams->again : seams->same;
    mark(profile, seam, field->number, offset);
    if (seams->again.set && !seams->scattered && seams->is_weak)
        seam->before = PF_PPROF_FIELDS;
}

/* An empty string inside a table may be a second one of the same, or the first of another table right behind it: see meet_other. */
static bool meet_string(struct pf_pprof_profile *profile, const struct pf_proto_field *field, uint64_t offset, bool member,
                        struct pf_pprof_seam *seam)
{
    struct pf_pprof_seams *seams = &profile->seams;
    bool inside = profile->last == PF_PPROF_STRING && !member;

    if (field->value > 0) {
        seams->member.set = seams->again.set = seams->same.set = seams->scattered = seams->goes_on = false;
        seams->before = seams->met = seams->run_since = 0;
        return false;
    }
    if (inside)
        mark(profile, &seams->empty, field->number, offset);
    else
        choose(profile, field, offset, seam);
    return !inside;
}

static bool meet_other(struct pf_pprof_profile *profile, const struct pf_proto_field *field, uint64_t offset, struct pf_pprof_seam *seam)
{
    struct pf_pprof_seams *seams = &profile->seams;
    uint32_t number = field->number;
    bool again = comes_again(profile, field);

    if (again && (number == PF_PPROF_TIME || number == PF_PPROF_SAMPLE_TYPE) && seams->empty.set && is_whole(profile)) {
        *seam = seams->empty;
        return true;
    }
    if (again) {
        seams->scattered |= seams->again.set && number != profile->last && seams->again.since & BIT(number);
        if (!seams->again.set)
            seams->is_weak = seams->met & BIT(number) && number != profile->last && is_row(field) && weigh_row(profile, field) != ROW_TWICE;
        mark(profile, &seams->again, number, offset);
        if (number == profile->first || number == PF_PPROF_SAMPLE_TYPE)
            mark(profile, &seams->same, number, offset);
    }
    if (again && number == PF_PPROF_TIME) {
        choose(profile, field, offset, seam);
        return true;
    }
    if (kind(number) != kind(profile->last)) {
        seams->run = profile->count;
        seams->run_since = 0;
    }
    seams->run_since |= BIT(number);
    seams->met |= BIT(number);
    if (number <= PF_PPROF_FUNCTION)
        seams->before = number;
    return false;
}

bool pf_pprof_seam_met(struct pf_pprof_profile *profile, const struct pf_proto_field *field, uint64_t offset, bool member,
                       struct pf_pprof_seam *seam)
{
    struct pf_pprof_seams *seams = &profile->seams;
    bool string = field->number == PF_PPROF_STRING && field->type == PF_PROTO_BYTES;

    if (profile->count.strings == 0)
        return false;
    if (member)
        mark(profile, &seams->member, field->number, offset);
    if (field->number >= PF_PPROF_FIELDS)
        return false;
    if (string ? meet_string(profile, field, offset, member, seam) : meet_other(profile, field, offset, seam))
        return true;
    seams->member.since |= BIT(field->number);
    seams->again.since |= BIT(field->number);
    seams->same.since |= BIT(field->number);
    seams->empty.since |= BIT(field->number);
    return false;
}

/* --- cutting there ---------------------------------------------------------------------------------------- */

/* Whether strings that the facts refer to are there: else they are the next profile's. */
static bool are_whole(const struct pf_pprof_profile *profile, const struct pf_pprof_mark *count)
{
    const uint64_t *value = count->scalars.value;
    bool whole = has_string(count, value[PF_PPROF_DROP_FRAMES]) && has_string(count, value[PF_PPROF_KEEP_FRAMES]) &&
                 has_string(count, value[PF_PPROF_DEFAULT_TYPE]) && has_string(count, value[PF_PPROF_DOC_URL]) &&
                 has_string(count, count->scalars.period_type.type) && has_string(count, count->scalars.period_type.unit);

    for (size_t k = 0; k < count->comments; k++)
        whole = whole && has_string(count, profile->comments[k]);
    return whole;
}

static void move(void *to, const void *array, size_t from, size_t end)
{
    if (end > from)
        memcpy(to, (const char *)array + from, end - from);
}

/* Moves the elements from `from` on into the same array of `next`. */
#define MOVE(profile, next, what, from)                                                                                                    \
    (pf_grow(&(next)->what, &(next)->capacity.what, (profile)->count.what - (from) + 1, sizeof *(next)->what) &&                           \
     (move((next)->what, (profile)->what, (from) * sizeof *(next)->what, (profile)->count.what * sizeof *(next)->what),                    \
      (next)->count.what = (profile)->count.what - (from), (profile)->count.what = (from), true))

static void move_scalars(struct pf_pprof_scalars *old, struct pf_pprof_scalars *next, const struct pf_pprof_seam *seam)
{
    *next = (struct pf_pprof_scalars){0};
    for (unsigned k = 0; k < PF_PPROF_FIELDS; k++)
        if (seam->since & BIT(k))
            next->value[k] = old->value[k];
    if (seam->since & BIT(PF_PPROF_PERIOD_TYPE))
        next->period_type = old->period_type;
    *old = seam->count.scalars;
}

static bool split(struct pf_pprof_profile *profile, struct pf_pprof_profile *next, const struct pf_pprof_seam *seam)
{
    const struct pf_pprof_mark *count = &seam->count;
    size_t bytes = profile->count.sample_bytes - count->sample_bytes;

    if (!MOVE(profile, next, types, count->types) || !MOVE(profile, next, mappings, count->mappings) ||
        !MOVE(profile, next, lines, count->lines) || !MOVE(profile, next, locations, count->locations) ||
        !MOVE(profile, next, functions, count->functions) || !MOVE(profile, next, strings, count->strings) ||
        !MOVE(profile, next, comments, count->comments) || !MOVE(profile, next, runs, count->runs) ||
        !pf_buffer_append(&next->samples, profile->samples.data + count->sample_bytes, bytes))
        return false;
    next->count.sample_bytes = bytes;
    profile->count.sample_bytes = profile->samples.size = count->sample_bytes;
    for (size_t k = 0; k < next->count.locations; k++)
        next->locations[k].line -= count->lines;
    for (size_t k = 0; k < next->count.runs; k++)
        next->runs[k].at -= count->sample_bytes;
    move_scalars(&profile->count.scalars, &next->count.scalars, seam);
    return true;
}

int pf_pprof_seam_cut(struct pf_pprof_profile *profile, struct pf_pprof_profile *next, const struct pf_pprof_seam *found,
                      struct pf_error *error)
{
    struct pf_pprof_seam seam = *found;

    if (seam.run_since >> (PF_PPROF_STRING + 1) != 0 && !are_whole(profile, &seam.count)) {
        seam.count = seam.run;
        seam.since |= seam.run_since;
    }
    if (!split(profile, next, &seam))
        return pf_error_nomem(error);
    if (seam.since != 0) {
        next->first = seam.first;
        next->last = profile->last;
        next->seen = seam.since;
    }
    profile->end = seam.offset;
    profile->doubt_end = next->doubt_begin = seam.before;
    return PF_OK;
}

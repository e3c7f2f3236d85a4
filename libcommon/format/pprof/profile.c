#include "format/pprof/profile.h"

#include "format/pprof/pprof.h"
#include "format/pprof/seam.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void pf_pprof_profile_clear(struct pf_pprof_profile *profile)
{
    struct pf_pprof_profile was = *profile;

    *profile = (struct pf_pprof_profile){
        .types = was.types,
        .mappings = was.mappings,
        .lines = was.lines,
        .locations = was.locations,
        .functions = was.functions,
        .strings = was.strings,
        .comments = was.comments,
        .runs = was.runs,
        .samples = was.samples,
        .capacity = was.capacity,
    };
    profile->samples.size = 0;
}

void pf_pprof_profile_free(struct pf_pprof_profile *profile)
{
    free(profile->types);
    free(profile->mappings);
    free(profile->lines);
    free(profile->locations);
    free(profile->functions);
    free(profile->strings);
    free(profile->comments);
    free(profile->runs);
    pf_buffer_free(&profile->samples);
    *profile = (struct pf_pprof_profile){0};
}

/* Offsets are held in fewer than 64 bits. */
#define OFFSET_BITS ((UINT64_C(1) << 60) - 1)

/* --- messages --------------------------------------------------------------------------------------------- */

/* Numbers of fields 1 to count - 1 of a message; others are passed over, the last one that came counts. False: damaged. */
static bool read_numbers(struct pf_proto message, uint64_t *values, uint32_t count, const char **problem)
{
    struct pf_proto_field field;
    int status;

    memset(values, 0, count * sizeof *values);
    /* Tags of one byte first: mostly there are no others. */
    while (message.cursor < message.end && *message.cursor < 128 && (*message.cursor & 7) == PF_PROTO_VARINT &&
           (uint32_t)*message.cursor >> 3 < count && *message.cursor >= 8) {
        uint32_t number = *message.cursor >> 3;
        const unsigned char *next = pf_proto_varint(message.cursor + 1, message.end, &values[number]);

        if (next == NULL)
            break;
        message.cursor = next;
    }
    while ((status = pf_proto_next(&message, &field, problem)) == PF_OK) {
        if (field.number >= count)
            continue;
        if (field.type != PF_PROTO_VARINT) {
            *problem = "a number is of another type";
            return false;
        }
        values[field.number] = field.value;
    }
    return status == PF_EOF;
}

/* Room for one element more. */
#define ROOM(profile, what)                               \
    ((profile)->count.what < (profile)->capacity.what ||  \
     pf_grow(&(profile)->what, &(profile)->capacity.what, (profile)->count.what + 1, sizeof *(profile)->what))

static int damaged(struct pf_error *error, uint64_t offset, const char *what, const char *problem)
{
    return pf_error_at(error, PF_FAILED, offset, "%s: %s", what, problem);
}

static int add_type(struct pf_pprof_profile *profile, struct pf_proto message, uint64_t offset, struct pf_error *error)
{
    const char *problem;
    uint64_t values[3];

    if (!read_numbers(message, values, 3, &problem))
        return damaged(error, offset, "sample type", problem);
    if (profile->count.types > PF_PPROF_TYPES_MAX)
        return PF_OK; /* one more than there may be is the message's */
    if (!ROOM(profile, types))
        return pf_error_nomem(error);
    profile->types[profile->count.types++] = (struct pf_pprof_type){values[1], values[2], offset};
    return PF_OK;
}

static int set_period_type(struct pf_pprof_profile *profile, struct pf_proto message, uint64_t offset, struct pf_error *error)
{
    const char *problem;
    uint64_t values[3];

    if (!read_numbers(message, values, 3, &problem))
        return damaged(error, offset, "period type", problem);
    profile->count.scalars.period_type = (struct pf_pprof_type){values[1], values[2], offset};
    return PF_OK;
}

/* Whether a row is one more that has no id: nothing can refer to such a row, and an empty message takes but two bytes. The first is kept,
 * so that its offset can be told. */
static bool is_nothing(struct pf_pprof_profile *profile, uint32_t field, uint64_t id)
{
    bool again = id == 0 && (profile->without_id >> field & 1) != 0;

    if (id == 0)
        profile->without_id |= UINT32_C(1) << field;
    return again;
}

static int add_mapping(struct pf_pprof_profile *profile, struct pf_proto message, uint64_t offset, struct pf_error *error)
{
    const char *problem;
    uint64_t values[11], flags = 0;

    if (!read_numbers(message, values, 11, &problem))
        return damaged(error, offset, "mapping", problem);
    if (is_nothing(profile, PF_PPROF_MAPPING, values[1]))
        return PF_OK;
    if (!ROOM(profile, mappings))
        return pf_error_nomem(error);
    for (unsigned k = 0; k < PF_PPROF_MAPPING_FLAGS; k++)
        flags |= (uint64_t)(values[7 + k] != 0) << k;
    profile->mappings[profile->count.mappings++] =
        (struct pf_pprof_mapping){values[1], values[2], values[3], values[4], values[5], values[6], offset & OFFSET_BITS, flags & 15};
    return PF_OK;
}

static int add_function(struct pf_pprof_profile *profile, struct pf_proto message, uint64_t offset, struct pf_error *error)
{
    const char *problem;
    uint64_t values[6];

    if (!read_numbers(message, values, 6, &problem))
        return damaged(error, offset, "function", problem);
    if (is_nothing(profile, PF_PPROF_FUNCTION, values[1]))
        return PF_OK;
    if (!ROOM(profile, functions))
        return pf_error_nomem(error);
    profile->functions[profile->count.functions++] =
        (struct pf_pprof_function){values[1], values[2], values[3], values[4], (int64_t)values[5], offset};
    return PF_OK;
}

static bool add_line(struct pf_pprof_profile *profile, struct pf_proto message, const char **problem)
{
    uint64_t values[4];

    if (!read_numbers(message, values, 4, problem))
        return false;
    *problem = NULL;
    if (!ROOM(profile, lines))
        return false;
    profile->lines[profile->count.lines++] = (struct pf_pprof_line){values[1], (int64_t)values[2], (int64_t)values[3]};
    return true;
}

static int add_location(struct pf_pprof_profile *profile, struct pf_proto message, uint64_t offset, struct pf_error *error)
{
    struct pf_pprof_location location = {.offset = offset & OFFSET_BITS, .line = profile->count.lines};
    struct pf_proto_field field;
    const char *problem;
    int status;

    while ((status = pf_proto_next(&message, &field, &problem)) == PF_OK) {
        bool line = field.number == 4;

        if (field.number > 5)
            continue;
        if (field.type != (line ? PF_PROTO_BYTES : PF_PROTO_VARINT))
            return damaged(error, offset, "location", "a field is of another type");
        if (line && !add_line(profile, pf_proto_of(&field), &problem))
            return problem != NULL ? damaged(error, offset, "line of a location", problem) : pf_error_nomem(error);
        if (field.number == 1)
            location.id = field.value;
        else if (field.number == 2)
            location.mapping = field.value;
        else if (field.number == 3)
            location.address = field.value;
        else if (field.number == 5)
            location.folded = (field.value != 0) & 1;
    }
    if (status != PF_EOF)
        return damaged(error, offset, "location", problem);
    if (is_nothing(profile, PF_PPROF_LOCATION, location.id)) {
        profile->count.lines = (size_t)location.line;
        return PF_OK;
    }
    if (!ROOM(profile, locations))
        return pf_error_nomem(error);
    location.line_count = (uint32_t)(profile->count.lines - location.line);
    profile->locations[profile->count.locations++] = location;
    return PF_OK;
}

static int add_string(struct pf_pprof_profile *profile, struct pf_dict *dict, struct pf_bytes bytes, uint64_t offset,
                      struct pf_error *error)
{
    if (profile->count.strings == 0 && bytes.size != 0)
        return pf_error_at(error, PF_FAILED, offset, "the table of strings begins with '%s', not with an empty one",
                           pf_clip(bytes).text);
    if (bytes.size > PF_STRING_MAX)
        return pf_error_at(error, PF_FAILED, offset, "a string of %zu bytes; at most %zu are read", bytes.size, PF_STRING_MAX);
    if (profile->count.strings == UINT32_MAX || !ROOM(profile, strings))
        return pf_error_nomem(error);
    profile->strings[profile->count.strings++] = pf_dict_intern(dict, bytes, !pf_ascii(bytes) && pf_utf8_valid(bytes) ? PF_UTF8 : 0);
    return PF_OK;
}

static int add_sample(struct pf_pprof_profile *profile, struct pf_bytes bytes, uint64_t offset, struct pf_error *error)
{
    unsigned char size[PF_PROTO_VARINT_MAX];

    if (profile->last != PF_PPROF_SAMPLE) {
        if (!ROOM(profile, runs))
            return pf_error_nomem(error);
        profile->runs[profile->count.runs++] = (struct pf_pprof_run){profile->count.sample_bytes, offset};
    }
    size_t head = pf_proto_store(size, bytes.size);
    char *to = pf_buffer_extend(&profile->samples, head + bytes.size);

    if (to == NULL)
        return pf_error_nomem(error);
    memcpy(to, size, head);
    if (bytes.size > 0)
        memcpy(to + head, bytes.data, bytes.size);
    profile->count.sample_bytes = profile->samples.size;
    return PF_OK;
}

/* The last run that begins at or before a place; `count.runs` is not 0. */
static size_t find_run(const struct pf_pprof_profile *profile, size_t at)
{
    size_t low = 0, high = profile->count.runs;

    while (low + 1 < high) {
        size_t middle = low + (high - low) / 2;

        if (profile->runs[middle].at <= at)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Goes from one sample to the next of a run: each has its tag in the input, one byte. */
static void step(const struct pf_pprof_profile *profile, size_t *at, uint64_t *offset)
{
    const unsigned char *bytes = (const unsigned char *)profile->samples.data, *begin = bytes + *at;
    uint64_t size;
    const unsigned char *body = pf_proto_varint(begin, bytes + profile->samples.size, &size);
    size_t taken = (size_t)(body - begin) + (size_t)size;

    *at += taken;
    *offset += taken + 1;
}

uint64_t pf_pprof_profile_offset(const struct pf_pprof_profile *profile, size_t at)
{
    if (profile->count.runs == 0)
        return profile->end;
    size_t run = find_run(profile, at), position = profile->runs[run].at;
    uint64_t offset = profile->runs[run].offset;

    while (position < at)
        step(profile, &position, &offset);
    return offset;
}

size_t pf_pprof_profile_before(const struct pf_pprof_profile *profile, uint64_t offset)
{
    size_t run = profile->count.runs;

    while (run > 0 && profile->runs[run - 1].offset >= offset)
        run--;
    if (run == 0)
        return 0;
    size_t at = profile->runs[run - 1].at, end = run < profile->count.runs ? profile->runs[run].at : profile->samples.size;

    for (uint64_t here = profile->runs[run - 1].offset; at < end && here < offset;)
        step(profile, &at, &here);
    return at;
}

/* --- fields ----------------------------------------------------------------------------------------------- */

static int add_comment(struct pf_pprof_profile *profile, uint64_t value, uint64_t offset, struct pf_error *error)
{
    if (value > UINT32_MAX)
        return pf_error_at(error, PF_FAILED, offset, "comment: string %" PRIu64 ", which no table can have", value);
    if (profile->count.comments == PF_PPROF_COMMENTS_MAX)
        return pf_error_at(error, PF_FAILED, offset, "more than %d comments", PF_PPROF_COMMENTS_MAX);
    if (!ROOM(profile, comments))
        return pf_error_nomem(error);
    profile->comments[profile->count.comments++] = (uint32_t)value;
    return PF_OK;
}

/* Comments may come packed, as any repeated number. */
static int add_comments(struct pf_pprof_profile *profile, const struct pf_proto_field *field, uint64_t offset, struct pf_error *error)
{
    struct pf_proto packed;
    uint64_t value;
    int status = PF_OK;

    if (field->type != PF_PROTO_BYTES)
        return add_comment(profile, field->value, offset, error);
    packed = pf_proto_of(field);
    while (packed.cursor < packed.end && status == PF_OK) {
        packed.cursor = pf_proto_varint(packed.cursor, packed.end, &value);
        if (packed.cursor == NULL)
            return damaged(error, offset, "comments", "a number is cut, or has more than 10 bytes");
        status = add_comment(profile, value, offset, error);
    }
    return status;
}

static int add_bytes(struct pf_pprof_profile *profile, struct pf_dict *dict, const struct pf_proto_field *field, uint64_t offset,
                     struct pf_error *error)
{
    struct pf_bytes bytes = {(const char *)field->bytes, (size_t)field->value};
    struct pf_proto message = pf_proto_of(field);

    switch (field->number) {
    case PF_PPROF_SAMPLE_TYPE:
        return add_type(profile, message, offset, error);
    case PF_PPROF_SAMPLE:
        return add_sample(profile, bytes, offset, error);
    case PF_PPROF_MAPPING:
        return add_mapping(profile, message, offset, error);
    case PF_PPROF_LOCATION:
        return add_location(profile, message, offset, error);
    case PF_PPROF_FUNCTION:
        return add_function(profile, message, offset, error);
    case PF_PPROF_STRING:
        return add_string(profile, dict, bytes, offset, error);
    default:
        return set_period_type(profile, message, offset, error);
    }
}

static bool is_message(uint32_t number)
{
    return number <= PF_PPROF_STRING || number == PF_PPROF_PERIOD_TYPE;
}

static int add_field(struct pf_pprof_profile *profile, struct pf_dict *dict, const struct pf_proto_field *field, uint64_t offset,
                     struct pf_error *error)
{
    int status = PF_OK;

    if (field->number >= PF_PPROF_FIELDS)
        return PF_OK;
    if (field->number == PF_PPROF_COMMENT && (field->type == PF_PROTO_BYTES || field->type == PF_PROTO_VARINT))
        status = add_comments(profile, field, offset, error);
    else if (field->type != (is_message(field->number) ? PF_PROTO_BYTES : PF_PROTO_VARINT))
        return pf_error_at(error, PF_FAILED, offset, "field %u of a profile is of another type", field->number);
    else if (field->type == PF_PROTO_BYTES)
        status = add_bytes(profile, dict, field, offset, error);
    else
        profile->count.scalars.value[field->number] = field->value;
    profile->seen |= UINT32_C(1) << field->number;
    if (profile->first == 0)
        profile->first = field->number;
    profile->last = field->number;
    return status;
}

enum { WANTED = ((1u << PF_PPROF_FIELDS) - 1) & ~1u };

int pf_pprof_profile_read(struct pf_pprof_profile *profile, struct pf_pprof_profile *next, struct pf_source *source,
                          struct pf_dict *dict, struct pf_error *error)
{
    struct pf_proto_field field;
    struct pf_pprof_seam seam;
    uint64_t offset, end = pf_source_offset(source);
    int status;

    while ((status = pf_proto_read(source, WANTED, &field, &offset, error)) == PF_OK) {
        bool member = pf_source_member(source, end) <= offset;

        if (pf_pprof_seam_met(profile, &field, offset, member, &seam))
            return pf_pprof_seam_cut(profile, next, &seam, error) == PF_OK ? add_field(next, dict, &field, offset, error) : error->code;
        status = add_field(profile, dict, &field, offset, error);
        if (status != PF_OK)
            return status;
        end = pf_source_offset(source);
    }
    profile->end = pf_source_offset(source);
    return status == PF_EOF && profile->first != 0 ? PF_OK : status;
}

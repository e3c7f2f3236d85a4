/* Reads the messages of a profile, and finds the seams between the profiles of an input. */
#include "format/pprof/profile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define BIT(number) (UINT32_C(1) << (number))

enum {
    ONCE = 1 << PF_PPROF_DROP_FRAMES | 1 << PF_PPROF_KEEP_FRAMES | 1 << PF_PPROF_TIME |
           1 << PF_PPROF_DURATION | 1 << PF_PPROF_PERIOD_TYPE | 1 << PF_PPROF_PERIOD |
           1 << PF_PPROF_DEFAULT_TYPE | 1 << PF_PPROF_DOC_URL
};

/* The id of a row shows: another table has begun; the table goes on with the next id; neither. */
enum row { ROW_TWICE, ROW_NEXT, ROW_OTHER };

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

/* --- messages --------------------------------------------------------------------------------- */

/* Reads the numbers of fields 1 to count - 1 of a message into `values`, which are 0; if a field
 * comes twice, the last number counts. Skips other fields. False: damaged. */
static bool read_numbers(struct pf_proto message, uint64_t *values, uint32_t count,
                         const char **problem)
{
    struct pf_proto_field field;
    int status;

    /* The fast way, for tags of one byte: most messages have only such tags. */
    while (message.cursor<message.end && *
                          message.cursor<128 && (*message.cursor & 7) == PF_PROTO_VARINT &&
                                         (uint32_t)*message.cursor>> 3 < count &&
           *message.cursor >= 8) {
        uint32_t number = *message.cursor >> 3;
        const unsigned char *next =
            pf_proto_varint(message.cursor + 1, message.end, &values[number]);

        if (!next)
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

/* Makes room for an element; false: out of memory. */
#define ROOM(profile, what) \
    ((profile)->count.what < (profile)->capacity.what || \
     pf_grow(&(profile)->what, &(profile)->capacity.what, (profile)->count.what + 1, \
             sizeof *(profile)->what))

static int damaged(struct pf_error *error, uint64_t offset, const char *what, const char *problem)
{
    return pf_error_at(error, PF_FAILED, offset, "%s: %s", what, problem);
}

/* True for the second and later rows without an id: they are not kept, because nothing can refer to
 * them and an empty message takes only two bytes. The first is kept, because the message names its
 * offset. */
static bool is_repeated_without_id(struct pf_pprof_profile *profile, uint32_t field, uint64_t id)
{
    bool again = id == 0 && (profile->without_id >> field & 1) != 0;

    if (id == 0)
        profile->without_id |= UINT32_C(1) << field;
    return again;
}

/* Adds a message of numbers: values[k] is the value of field k. False: out of memory. */
static bool add_numbers(struct pf_pprof_profile *profile, uint32_t field, const uint64_t *values,
                        uint64_t offset)
{
    uint32_t flags = 0;

    switch (field) {
    case PF_PPROF_SAMPLE_TYPE:
        if (profile->count.types > PF_PPROF_TYPES_MAX)
            return true; /* one type above the limit is kept, for the message */
        if (!ROOM(profile, types))
            return false;
        profile->types[profile->count.types++] =
            (struct pf_pprof_type){values[1], values[2], offset};
        return true;
    case PF_PPROF_MAPPING:
        if (!ROOM(profile, mappings))
            return false;
        for (unsigned k = 0; k < PF_PPROF_MAPPING_FLAGS; k++)
            flags |= (uint32_t)(values[7 + k] != 0) << k;
        profile->mappings[profile->count.mappings++] = (struct pf_pprof_mapping){
            values[1], offset, values[2], values[3], values[4], values[5], values[6], flags};
        return true;
    case PF_PPROF_FUNCTION:
        if (!ROOM(profile, functions))
            return false;
        profile->functions[profile->count.functions++] = (struct pf_pprof_function){
            values[1], offset, values[2], values[3], values[4], (int64_t)values[5]};
        return true;
    default:
        profile->count.scalars.period_type = (struct pf_pprof_type){values[1], values[2], offset};
        return true;
    }
}

static int add_message(struct pf_pprof_profile *profile, uint32_t field, struct pf_proto message,
                       uint64_t offset, struct pf_error *error)
{
    static const struct {
        const char *name;
        uint32_t fields; /* the greatest number of a field */
    } MESSAGES[] = {
        [PF_PPROF_SAMPLE_TYPE] = {"sample type", 2},
        [PF_PPROF_MAPPING] = {"mapping", 10},
        [PF_PPROF_FUNCTION] = {"function", 5},
        [PF_PPROF_PERIOD_TYPE] = {"period type", 2},
    };
    bool has_id = field == PF_PPROF_MAPPING || field == PF_PPROF_FUNCTION;
    uint64_t values[11] = {0};
    const char *problem;

    if (!read_numbers(message, values, MESSAGES[field].fields + 1, &problem))
        return damaged(error, offset, MESSAGES[field].name, problem);
    if (has_id && is_repeated_without_id(profile, field, values[1]))
        return PF_OK;
    return add_numbers(profile, field, values, offset) ? PF_OK : pf_error_nomem(error);
}

static bool add_line(struct pf_pprof_profile *profile, struct pf_proto message,
                     const char **problem)
{
    uint64_t values[4] = {0};

    if (!read_numbers(message, values, 4, problem))
        return false;
    *problem = NULL;
    if (!ROOM(profile, lines))
        return false;
    profile->lines[profile->count.lines++] =
        (struct pf_pprof_line){values[1], (int64_t)values[2], (int64_t)values[3]};
    return true;
}

static int add_location(struct pf_pprof_profile *profile, struct pf_proto message, uint64_t offset,
                        struct pf_error *error)
{
    struct pf_pprof_location location = {.offset = offset, .line = profile->count.lines};
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
            return problem ? damaged(error, offset, "line of a location", problem)
                           : pf_error_nomem(error);
        if (field.number == 1)
            location.id = field.value;
        else if (field.number == 2)
            location.mapping = field.value;
        else if (field.number == 3)
            location.address = field.value;
        else if (field.number == 5)
            location.folded = field.value != 0;
    }
    if (status != PF_EOF)
        return damaged(error, offset, "location", problem);
    if (is_repeated_without_id(profile, PF_PPROF_LOCATION, location.id)) {
        profile->count.lines = (size_t)location.line;
        return PF_OK;
    }
    if (!ROOM(profile, locations))
        return pf_error_nomem(error);
    location.line_count = (uint32_t)(profile->count.lines - location.line);
    profile->locations[profile->count.locations++] = location;
    return PF_OK;
}

static int add_string(struct pf_pprof_profile *profile, struct pf_dict *dict, struct pf_bytes bytes,
                      uint64_t offset, struct pf_error *error)
{
    if (profile->count.strings == 0 && bytes.size != 0)
        return pf_error_at(error, PF_FAILED, offset,
                           "the table of strings begins with '%s', not with an empty one",
                           pf_clip(bytes).text);
    if (bytes.size > PF_STRING_MAX)
        return pf_error_at(error, PF_FAILED, offset, "a string of %zu bytes; at most %zu are read",
                           bytes.size, PF_STRING_MAX);
    if (profile->count.strings == UINT32_MAX || !ROOM(profile, strings))
        return pf_error_nomem(error);
    profile->strings[profile->count.strings++] =
        pf_dict_intern(dict, bytes, !pf_ascii(bytes) && pf_utf8_valid(bytes) ? PF_UTF8 : 0);
    return PF_OK;
}

static int add_sample(struct pf_pprof_profile *profile, struct pf_bytes bytes, uint64_t offset,
                      struct pf_error *error)
{
    unsigned char size[PF_PROTO_VARINT_MAX];

    if (profile->last != PF_PPROF_SAMPLE) {
        if (!ROOM(profile, runs))
            return pf_error_nomem(error);
        profile->runs[profile->count.runs++] =
            (struct pf_pprof_run){profile->count.sample_bytes, offset};
    }
    size_t head = pf_proto_store(size, bytes.size);
    char *to = pf_buffer_extend(&profile->samples, head + bytes.size);

    if (!to)
        return pf_error_nomem(error);
    memcpy(to, size, head);
    if (bytes.size > 0)
        memcpy(to + head, bytes.data, bytes.size);
    profile->count.sample_bytes = profile->samples.size;
    return PF_OK;
}

/* The last run that begins at or before a place of the held bytes; there is a run. */
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

/* Goes to the next sample of a run. In the input each sample also has a tag of one byte. */
static void skip_sample(const struct pf_pprof_profile *profile, size_t *at, uint64_t *offset)
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
        skip_sample(profile, &position, &offset);
    return offset;
}

size_t pf_pprof_profile_before(const struct pf_pprof_profile *profile, uint64_t offset)
{
    size_t run = profile->count.runs;

    while (run > 0 && profile->runs[run - 1].offset >= offset)
        run--;
    if (run == 0)
        return 0;
    size_t at = profile->runs[run - 1].at,
           end = run < profile->count.runs ? profile->runs[run].at : profile->samples.size;

    for (uint64_t here = profile->runs[run - 1].offset; at < end && here < offset;)
        skip_sample(profile, &at, &here);
    return at;
}

/* --- fields ----------------------------------------------------------------------------------- */

static int add_comment(struct pf_pprof_profile *profile, uint64_t value, uint64_t offset,
                       struct pf_error *error)
{
    if (value > UINT32_MAX)
        return pf_error_at(error, PF_FAILED, offset, "comment: string %" PRIu64 " is out of range",
                           value);
    if (profile->count.comments == PF_PPROF_COMMENTS_MAX)
        return pf_error_at(error, PF_FAILED, offset, "more than %d comments",
                           PF_PPROF_COMMENTS_MAX);
    if (!ROOM(profile, comments))
        return pf_error_nomem(error);
    profile->comments[profile->count.comments++] = (uint32_t)value;
    return PF_OK;
}

/* Adds the comments of a field: comments may be packed, like all repeated numbers. */
static int add_comments(struct pf_pprof_profile *profile, const struct pf_proto_field *field,
                        uint64_t offset, struct pf_error *error)
{
    struct pf_proto packed;
    uint64_t value;
    int status = PF_OK;

    if (field->type != PF_PROTO_BYTES)
        return add_comment(profile, field->value, offset, error);
    packed = pf_proto_of(field);
    while (packed.cursor < packed.end && status == PF_OK) {
        packed.cursor = pf_proto_varint(packed.cursor, packed.end, &value);
        if (!packed.cursor)
            return damaged(error, offset, "comments", "a number is cut, or has more than 10 bytes");
        status = add_comment(profile, value, offset, error);
    }
    return status;
}

static int add_bytes(struct pf_pprof_profile *profile, struct pf_dict *dict,
                     const struct pf_proto_field *field, uint64_t offset, struct pf_error *error)
{
    struct pf_bytes bytes = {(const char *)field->bytes, (size_t)field->value};
    struct pf_proto message = pf_proto_of(field);

    switch (field->number) {
    case PF_PPROF_SAMPLE: return add_sample(profile, bytes, offset, error);
    case PF_PPROF_LOCATION: return add_location(profile, message, offset, error);
    case PF_PPROF_STRING: return add_string(profile, dict, bytes, offset, error);
    default: return add_message(profile, field->number, message, offset, error);
    }
}

static bool is_message(uint32_t number)
{
    return number <= PF_PPROF_STRING || number == PF_PPROF_PERIOD_TYPE;
}

static int add_field(struct pf_pprof_profile *profile, struct pf_dict *dict,
                     const struct pf_proto_field *field, uint64_t offset, struct pf_error *error)
{
    int status = PF_OK;

    if (field->number >= PF_PPROF_FIELDS)
        return PF_OK;
    if (field->number == PF_PPROF_COMMENT &&
        (field->type == PF_PROTO_BYTES || field->type == PF_PROTO_VARINT))
        status = add_comments(profile, field, offset, error);
    else if (field->type != (is_message(field->number) ? PF_PROTO_BYTES : PF_PROTO_VARINT))
        return pf_error_at(error, PF_FAILED, offset, "field %u of a profile is of another type",
                           field->number);
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

/* --- the seam between profiles ---------------------------------------------------------------- */

/* An input of several profiles, one after the other, does not mark where a profile ends
 * (FORMAT.md, section 3).
 *
 * For protocol buffers they are one merged message, so the reader must find the seam. A profile has
 * one time, and one table of strings, which begins with an empty string: a second time or table
 * shows that the next profile has begun, there or earlier, but after the last string of the current
 * profile. Between these two places, the seam is where a gzip member begins, else where a field
 * comes again after a field of another kind: a field that a profile has once, or a message, unless
 * its table goes on with the next id. Profiles whose messages of one kind are not side by side
 * (locations between samples) have several such places; then the seam is where the first kind of
 * field of the profile, or the sample types, come again. When the messages before that place may
 * belong to either profile, ids that come twice and the number of values decide; when these decide
 * nothing, `doubt_begin` and `doubt_end` say so. */

static void mark_seam(const struct pf_pprof_profile *profile, struct pf_pprof_seam *seam,
                      uint32_t number, uint64_t offset)
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

/* The kind of a field, to see where groups of fields begin: all fields that a profile has once are
 * of one kind. */
static uint32_t kind(uint32_t number)
{
    return number > PF_PPROF_STRING ? PF_PPROF_TIME : number;
}

/* The number of values of the first sample; the profile has a sample. */
static size_t count_values(const struct pf_pprof_profile *profile)
{
    const unsigned char *bytes = (const unsigned char *)profile->samples.data,
                        *end = bytes + profile->samples.size;
    struct pf_proto_field field;
    const char *problem;
    uint64_t size = 0, value;
    size_t count = 0;

    bytes = pf_proto_varint(bytes, end, &size);
    struct pf_proto message = {bytes, bytes + size};

    while (pf_proto_next(&message, &field, &problem) == PF_OK) {
        if (field.number != 2)
            continue;
        struct pf_proto packed = field.type == PF_PROTO_BYTES ? pf_proto_of(&field)
                                                              : (struct pf_proto){0};

        count += field.type == PF_PROTO_VARINT;
        for (; packed.cursor != packed.end && packed.cursor; count++)
            packed.cursor = pf_proto_varint(packed.cursor, packed.end, &value);
    }
    return count;
}

/* The number of values of the first sample, counted once only; 0: no sample. */
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
    return field->type == PF_PROTO_BYTES && field->number >= PF_PPROF_MAPPING &&
           field->number <= PF_PPROF_FUNCTION;
}

static enum row weigh_row(const struct pf_pprof_profile *profile,
                          const struct pf_proto_field *field)
{
    const struct pf_pprof_mark *count = &profile->count;
    struct pf_proto message = pf_proto_of(field);
    struct pf_proto_field id = {0};
    const char *problem;

    while (id.number != 1)
        if (pf_proto_next(&message, &id, &problem) != PF_OK)
            return ROW_OTHER;
    if (field->number == PF_PPROF_MAPPING)
        return weigh_id(id.value, profile->mappings[0].id,
                        profile->mappings[count->mappings - 1].id);
    if (field->number == PF_PPROF_LOCATION)
        return weigh_id(id.value, profile->locations[0].id,
                        profile->locations[count->locations - 1].id);
    return weigh_id(id.value, profile->functions[0].id,
                    profile->functions[count->functions - 1].id);
}

/* True if the field begins something that the profile has already, provided that its messages of
 * one kind stand side by side. Samples may follow a table that goes on. */
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

/* True if the strings before the seam `empty` include all strings of the sample types, mappings and
 * functions before the seam. */
static bool is_whole(struct pf_pprof_profile *profile)
{
    struct pf_pprof_seams *seams = &profile->seams;
    const struct pf_pprof_mark *count = &seams->empty.count;
    bool whole = true;

    if (seams->is_whole_known)
        return seams->is_whole;
    for (size_t k = 0; k < count->types; k++)
        whole = whole && has_string(count, profile->types[k].type) &&
                has_string(count, profile->types[k].unit);
    for (size_t k = 0; k < count->mappings; k++)
        whole = whole && has_string(count, profile->mappings[k].file) &&
                has_string(count, profile->mappings[k].build_id);
    for (size_t k = 0; k < count->functions; k++)
        whole = whole && has_string(count, profile->functions[k].name) &&
                has_string(count, profile->functions[k].system_name) &&
                has_string(count, profile->functions[k].file);
    seams->is_whole_known = true;
    return seams->is_whole = whole;
}

static void choose_seam(const struct pf_pprof_profile *profile, const struct pf_proto_field *field,
                        uint64_t offset, struct pf_pprof_seam *seam)
{
    const struct pf_pprof_seams *seams = &profile->seams;

    if (seams->member.set) {
        *seam = seams->member;
        seam->before = seam->run_since = 0;
        return;
    }
    *seam = seams->again.set && !seams->scattered ? seams->again : seams->same;
    mark_seam(profile, seam, field->number, offset);
    if (seams->again.set && !seams->scattered && seams->is_weak)
        seam->before = PF_PPROF_FIELDS;
}

/* Looks for a seam at a string. An empty string after another string may belong to the same table,
 * or begin the next profile's: seam_at_field decides. */
static bool seam_at_string(struct pf_pprof_profile *profile, const struct pf_proto_field *field,
                           uint64_t offset, bool member, struct pf_pprof_seam *seam)
{
    struct pf_pprof_seams *seams = &profile->seams;
    bool inside = profile->last == PF_PPROF_STRING && !member;

    if (field->value > 0) {
        seams->member.set = seams->again.set = seams->same.set = seams->scattered = seams->goes_on =
            false;
        seams->before = seams->after_string = seams->run_since = 0;
        return false;
    }
    if (inside)
        mark_seam(profile, &seams->empty, field->number, offset);
    else
        choose_seam(profile, field, offset, seam);
    return !inside;
}

static bool seam_at_field(struct pf_pprof_profile *profile, const struct pf_proto_field *field,
                          uint64_t offset, struct pf_pprof_seam *seam)
{
    struct pf_pprof_seams *seams = &profile->seams;
    uint32_t number = field->number;
    bool again = comes_again(profile, field);

    if (again && (number == PF_PPROF_TIME || number == PF_PPROF_SAMPLE_TYPE) && seams->empty.set &&
        is_whole(profile)) {
        *seam = seams->empty;
        return true;
    }
    if (again) {
        seams->scattered |= seams->again.set && number != profile->last &&
                            seams->again.since & BIT(number);
        if (!seams->again.set)
            seams->is_weak = seams->after_string & BIT(number) && number != profile->last &&
                             is_row(field) && weigh_row(profile, field) != ROW_TWICE;
        mark_seam(profile, &seams->again, number, offset);
        if (number == profile->first || number == PF_PPROF_SAMPLE_TYPE)
            mark_seam(profile, &seams->same, number, offset);
    }
    if (again && number == PF_PPROF_TIME) {
        choose_seam(profile, field, offset, seam);
        return true;
    }
    if (kind(number) != kind(profile->last)) {
        seams->run = profile->count;
        seams->run_since = 0;
    }
    seams->run_since |= BIT(number);
    seams->after_string |= BIT(number);
    if (number <= PF_PPROF_FUNCTION)
        seams->before = number;
    return false;
}

/* Looks for a seam at a field, before the field is added. `member`: a gzip member begins with the
 * field. True: the next profile has begun, at *seam. */
static bool find_seam(struct pf_pprof_profile *profile, const struct pf_proto_field *field,
                      uint64_t offset, bool member, struct pf_pprof_seam *seam)
{
    struct pf_pprof_seams *seams = &profile->seams;
    bool string = field->number == PF_PPROF_STRING && field->type == PF_PROTO_BYTES;

    if (profile->count.strings == 0)
        return false;
    if (member)
        mark_seam(profile, &seams->member, field->number, offset);
    if (field->number >= PF_PPROF_FIELDS)
        return false;
    if (string ? seam_at_string(profile, field, offset, member, seam)
               : seam_at_field(profile, field, offset, seam))
        return true;
    seams->member.since |= BIT(field->number);
    seams->again.since |= BIT(field->number);
    seams->same.since |= BIT(field->number);
    seams->empty.since |= BIT(field->number);
    return false;
}

/* True if the table of strings has the strings of the fields that a profile has once; if not, these
 * fields belong to the next profile. */
static bool are_whole(const struct pf_pprof_profile *profile, const struct pf_pprof_mark *count)
{
    const uint64_t *value = count->scalars.value;
    bool whole = has_string(count, value[PF_PPROF_DROP_FRAMES]) &&
                 has_string(count, value[PF_PPROF_KEEP_FRAMES]) &&
                 has_string(count, value[PF_PPROF_DEFAULT_TYPE]) &&
                 has_string(count, value[PF_PPROF_DOC_URL]) &&
                 has_string(count, count->scalars.period_type.type) &&
                 has_string(count, count->scalars.period_type.unit);

    for (size_t k = 0; k < count->comments; k++)
        whole = whole && has_string(count, profile->comments[k]);
    return whole;
}

static void move_elements(void *to, const void *array, size_t from, size_t end)
{
    if (end > from)
        memcpy(to, (const char *)array + from, end - from);
}

/* Moves the elements from `from` on into the same array of `next`; false: out of memory. */
#define MOVE(profile, next, what, from) \
    (pf_grow(&(next)->what, &(next)->capacity.what, (profile)->count.what - (from) + 1, \
             sizeof *(next)->what) && \
     (move_elements((next)->what, (profile)->what, (from) * sizeof *(next)->what, \
                    (profile)->count.what * sizeof *(next)->what), \
      (next)->count.what = (profile)->count.what - (from), (profile)->count.what = (from), true))

static void move_scalars(struct pf_pprof_scalars *old, struct pf_pprof_scalars *next,
                         const struct pf_pprof_seam *seam)
{
    *next = (struct pf_pprof_scalars){0};
    for (unsigned k = 0; k < PF_PPROF_FIELDS; k++)
        if (seam->since & BIT(k))
            next->value[k] = old->value[k];
    if (seam->since & BIT(PF_PPROF_PERIOD_TYPE))
        next->period_type = old->period_type;
    *old = seam->count.scalars;
}

static bool split_profile(struct pf_pprof_profile *profile, struct pf_pprof_profile *next,
                          const struct pf_pprof_seam *seam)
{
    const struct pf_pprof_mark *count = &seam->count;
    size_t bytes = profile->count.sample_bytes - count->sample_bytes;

    if (!MOVE(profile, next, types, count->types) ||
        !MOVE(profile, next, mappings, count->mappings) ||
        !MOVE(profile, next, lines, count->lines) ||
        !MOVE(profile, next, locations, count->locations) ||
        !MOVE(profile, next, functions, count->functions) ||
        !MOVE(profile, next, strings, count->strings) ||
        !MOVE(profile, next, comments, count->comments) ||
        !MOVE(profile, next, runs, count->runs) ||
        (bytes > 0 &&
         !pf_buffer_append(&next->samples, profile->samples.data + count->sample_bytes, bytes)))
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

/* Cuts the profile at the seam and moves the rest to `next`, which is empty. PF_OK; PF_NOMEM. */
static int cut_at_seam(struct pf_pprof_profile *profile, struct pf_pprof_profile *next,
                       const struct pf_pprof_seam *found, struct pf_error *error)
{
    struct pf_pprof_seam seam = *found;

    if (seam.run_since >> (PF_PPROF_STRING + 1) != 0 && !are_whole(profile, &seam.count)) {
        seam.count = seam.run;
        seam.since |= seam.run_since;
    }
    if (!split_profile(profile, next, &seam))
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

/* --- reading ---------------------------------------------------------------------------------- */

enum { WANTED = ((1u << PF_PPROF_FIELDS) - 1) & ~1u };

int pf_pprof_profile_read(struct pf_pprof_profile *profile, struct pf_pprof_profile *next,
                          struct pf_source *source, struct pf_dict *dict, struct pf_error *error)
{
    struct pf_proto_field field;
    struct pf_pprof_seam seam;
    uint64_t offset, end = pf_source_offset(source);
    int status;

    while ((status = pf_proto_read(source, WANTED, &field, &offset, error)) == PF_OK) {
        bool member = pf_source_member(source, end) <= offset;

        if (find_seam(profile, &field, offset, member, &seam))
            return cut_at_seam(profile, next, &seam, error) == PF_OK
                       ? add_field(next, dict, &field, offset, error)
                       : error->code;
        status = add_field(profile, dict, &field, offset, error);
        if (status != PF_OK)
            return status;
        end = pf_source_offset(source);
    }
    profile->end = pf_source_offset(source);
    return status == PF_EOF && profile->first != 0 ? PF_OK : status;
}

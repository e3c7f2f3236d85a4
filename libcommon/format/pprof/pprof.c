/* pprof's profile.proto, which Go, gperftools' pprof, Pyroscope, Parca, Datadog and many more write: a protocol buffer, mostly in gzip. */
#include "codec/format.h"
#include "format/pprof/merging.h"
#include "format/pprof/profile.h"
#include "format/pprof/reader.h"
#include "format/pprof/writer.h"

enum { WINDOW = 4 * 1024, TAG_BITS = 3, MESSAGE_BITS = 12, MOST_BITS = 60 };

/* A message, or a packed list of numbers where it is none. */
struct shape {
    uint32_t fields;          /* its numbers are 1 to this */
    uint32_t lists, messages; /* those that may be packed, and those that are messages of numbers; others are numbers */
    bool has_id;              /* field 1 is one, never 0 */
};

static bool is_packed(struct pf_proto list)
{
    uint64_t value;

    while (list.cursor != NULL && list.cursor < list.end)
        list.cursor = pf_proto_varint(list.cursor, list.end, &value);
    return list.cursor != NULL;
}

static bool is_numbers(struct pf_proto message)
{
    struct pf_proto_field field;
    const char *problem;
    int status;

    while ((status = pf_proto_next(&message, &field, &problem)) == PF_OK)
        if (field.number <= 4 && field.type != PF_PROTO_VARINT)
            return false;
    return status == PF_EOF;
}

static bool fits(const struct pf_proto_field *field, const struct shape *shape)
{
    uint32_t bit = UINT32_C(1) << field->number;

    if (shape->messages & bit)
        return field->type == PF_PROTO_BYTES && is_numbers(pf_proto_of(field));
    if (shape->lists & bit && field->type == PF_PROTO_BYTES)
        return is_packed(pf_proto_of(field));
    return field->type == PF_PROTO_VARINT;
}

/* Bits of evidence in a message; -1: it is none such. Text has no letter that is a tag of the first two fields, which is where ids, types and
 * places of samples stand. */
static int weigh_message(struct pf_proto message, const struct shape *shape)
{
    bool known = true, id = false;
    struct pf_proto_field field;
    const char *problem;
    int status;

    while ((status = pf_proto_next(&message, &field, &problem)) == PF_OK) {
        if (field.number > shape->fields)
            known = false; /* of a later version, or chance */
        else if (!fits(&field, shape))
            return -1;
        else if (shape->has_id ? field.number == 1 : field.number <= 2)
            id = id || field.value != 0;
    }
    return status != PF_EOF ? -1 : known && id ? MESSAGE_BITS : 0;
}

/* What was met of a profile. */
struct met {
    uint32_t fields;  /* by number */
    bool has_names;   /* the table of strings, which begins with an empty one */
};

/* Bits of evidence in a field; -1: it is none of a profile. A number gives some when it comes first: a profile has it once. */
static int weigh(const struct pf_proto_field *field, struct met *met)
{
    static const struct shape shapes[] = {
        [PF_PPROF_SAMPLE_TYPE] = {2, 0, 0, false},    [PF_PPROF_SAMPLE] = {3, 1 << 1 | 1 << 2, 1 << 3, false},
        [PF_PPROF_MAPPING] = {10, 0, 0, true},        [PF_PPROF_LOCATION] = {5, 0, 1 << 4, true},
        [PF_PPROF_FUNCTION] = {5, 0, 0, true},        [PF_PPROF_PERIOD_TYPE] = {2, 0, 0, false},
    };

    if (field->number >= PF_PPROF_FIELDS)
        return 0;
    bool first = !(met->fields >> field->number & 1);

    met->fields |= UINT32_C(1) << field->number;
    if (field->number == PF_PPROF_STRING && field->type == PF_PROTO_BYTES) {
        met->has_names = met->has_names || (first && field->value == 0);
        return first && field->value == 0 ? TAG_BITS + 8 : 0;
    }
    if (field->number == PF_PPROF_COMMENT && field->type == PF_PROTO_BYTES)
        return is_packed(pf_proto_of(field)) ? 0 : -1;
    if (field->number > PF_PPROF_FUNCTION && field->number != PF_PPROF_PERIOD_TYPE)
        return field->type != PF_PROTO_VARINT ? -1 : first ? TAG_BITS : 0;
    return field->type == PF_PROTO_BYTES ? weigh_message(pf_proto_of(field), &shapes[field->number]) : -1;
}

/* There is no magic: all fields ahead must be those of a profile, in shape, and there must be a message or the begin of the table of
 * strings among them. Letters are tags of numbers, and with those alone a text of them would do. */
static int bid(struct pf_source *source, const char *path)
{
    size_t have;
    const unsigned char *bytes = pf_source_peek(source, 1, &have);
    struct pf_proto message = {bytes, bytes + (have < WINDOW ? have : WINDOW)};
    struct pf_proto_field field;
    const char *problem;
    struct met met = {0};
    int bits = 0, messages = 0, status;

    (void)path;
    while ((status = pf_proto_next(&message, &field, &problem)) == PF_OK) {
        int more = weigh(&field, &met);

        if (more < 0)
            return 0;
        bits += more;
        messages += more == MESSAGE_BITS;
    }
    if (status == PF_FAILED && message.end - message.cursor > PF_PROTO_VARINT_MAX && (*message.cursor & 7) != PF_PROTO_BYTES)
        return 0;
    return messages == 0 && !met.has_names ? 0 : bits < MOST_BITS ? bits : MOST_BITS;
}

static const struct pf_option options[] = {
    {"drop", "without the frames that the profile's drop_frames names, and what they call, as pprof shows it", "yes", true, false},
    {0},
};

const struct pf_format pf_format_pprof = {
    .name = "pprof",
    .about = "pprof's profile.proto, gzip or plain (Go, Pyroscope, Parca, Datadog, gperftools' pprof)",
    .suffixes = ".pb.gz .pprof .pb .prof.gz",
    .losses = "edges, flat records beside samples, kinds of frames, times of records, source texts, that a value is a maximum (such values are added up); metadata of other formats become comments",
    .caps = PF_HOLDS_SAMPLE | PF_HOLDS_FLAT | PF_COMPRESSES | PF_IS_GZIP,
    .options = options,
    .merging = &pf_pprof_merging,
    .bid = bid,
    .reader_size = sizeof(struct pf_pprof_reader),
    .open_reader = pf_pprof_open_reader,
    .read = pf_pprof_read,
    .close_reader = pf_pprof_close_reader,
    .writer_size = sizeof(struct pf_pprof_writer),
    .open_writer = pf_pprof_open_writer,
    .write = pf_pprof_write,
    .finish = pf_pprof_finish,
    .close_writer = pf_pprof_close_writer,
};

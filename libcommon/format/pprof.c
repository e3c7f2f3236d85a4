/* pprof's profile.proto, which Go, gperftools' pprof, Pyroscope, Parca, Datadog and many more write: a protocol buffer, mostly in gzip. */
#include "format/pprof.h"

#include "codec/format.h"
#include "format/pprof_merging.h"
#include "format/pprof_reader.h"
#include "format/pprof_writer.h"

enum { WINDOW = 4 * 1024, TAG_BITS = 3, MESSAGE_BITS = 12, MOST_BITS = 60 };

/* Bits of evidence in a message whose fields are numbers, but for those in `lists`, which may be packed, or messages in turn; -1: it is
 * none such. */
static int weigh_message(struct pf_proto message, uint32_t fields, uint32_t lists)
{
    int bits = message.end - message.cursor >= 2 ? MESSAGE_BITS : 0;

    struct pf_proto_field field;
    const char *problem;
    int status;

    while ((status = pf_proto_next(&message, &field, &problem)) == PF_OK) {
        bool list = field.number < 32 && lists >> field.number & 1;

        if (field.number > fields)
            bits = 0; /* of a later version, or chance */
        else if (field.type != PF_PROTO_VARINT && !(list && field.type == PF_PROTO_BYTES))
            return -1;
    }
    return status == PF_EOF ? bits : -1;
}

/* Bits of evidence in a field; -1: it is none of a profile. */
static int weigh(const struct pf_proto_field *field, bool *has_names)
{
    static const struct {
        uint32_t fields, lists;
    } messages[] = {
        [PF_PPROF_SAMPLE_TYPE] = {2, 0},         [PF_PPROF_SAMPLE] = {3, 1 << 1 | 1 << 2 | 1 << 3},
        [PF_PPROF_MAPPING] = {10, 0},            [PF_PPROF_LOCATION] = {5, 1 << 4},
        [PF_PPROF_FUNCTION] = {5, 0},            [PF_PPROF_PERIOD_TYPE] = {2, 0},
    };
    bool packed = field->number == PF_PPROF_COMMENT && field->type == PF_PROTO_BYTES;

    if (field->number >= PF_PPROF_FIELDS)
        return 0;
    if (field->number == PF_PPROF_STRING && field->type == PF_PROTO_BYTES) {
        bool first = field->value == 0 && !*has_names;

        *has_names = true;
        return first ? TAG_BITS + 8 : 0;
    }
    if (field->number > PF_PPROF_FUNCTION && field->number != PF_PPROF_PERIOD_TYPE)
        return field->type == PF_PROTO_VARINT ? TAG_BITS : packed ? 0 : -1;
    return field->type == PF_PROTO_BYTES
               ? weigh_message(pf_proto_of(field), messages[field->number].fields, messages[field->number].lists)
               : -1;
}

/* There is no magic: all fields ahead must be those of a profile, in shape. A letter may be a tag, a text with many of them that fit is not
 * to be had. */
static int bid(struct pf_source *source, const char *path)
{
    size_t have;
    const unsigned char *bytes = pf_source_peek(source, 1, &have);
    struct pf_proto message = {bytes, bytes + (have < WINDOW ? have : WINDOW)};
    struct pf_proto_field field;
    const char *problem;
    bool has_names = false;
    int bits = 0, status;

    (void)path;
    while ((status = pf_proto_next(&message, &field, &problem)) == PF_OK) {
        int more = weigh(&field, &has_names);

        if (more < 0)
            return 0;
        bits += more;
    }
    if (status == PF_FAILED && message.end - message.cursor > PF_PROTO_VARINT_MAX && (*message.cursor & 7) != PF_PROTO_BYTES)
        return 0;
    return bits < MESSAGE_BITS && !(bits > 0 && has_names) ? 0 : bits < MOST_BITS ? bits : MOST_BITS;
}

const struct pf_format pf_format_pprof = {
    .name = "pprof",
    .about = "pprof's profile.proto, gzip or plain (Go, Pyroscope, Parca, Datadog, gperftools' pprof)",
    .suffixes = ".pb.gz .pprof .pb .prof.gz",
    .losses = "edges, flat records beside samples, kinds of frames, times of records, source texts; metadata of other formats become comments",
    .caps = PF_HOLDS_SAMPLE | PF_HOLDS_FLAT | PF_COMPRESSES | PF_IS_GZIP,
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

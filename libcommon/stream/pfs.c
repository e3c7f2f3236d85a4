#include "stream/stream.h"

#include <string.h>

static int bid(struct pf_source *source, const char *path)
{
    size_t have;
    const unsigned char *bytes = pf_source_peek(source, 5, &have);

    (void)path;
    if (have < 4 || memcmp(bytes, "\x89PFS", 4) != 0)
        return 0;
    return have >= 5 && bytes[4] == 'H' ? 40 | PF_SURE : 32;
}

extern const struct pf_format pf_format_pfs;

const struct pf_format pf_format_pfs = {
    .name = "pfs",
    .about = "the native record stream, profstream(5)",
    .suffixes = ".pfs",
    .caps = PF_HOLDS_SAMPLE | PF_HOLDS_RUNS | PF_HOLDS_FLAT | PF_HOLDS_EDGE | PF_HOLDS_DIFFERENCE |
            PF_IS_STREAM | PF_HOLDS_FAILURE | PF_HOLDS_PROFILES | PF_COMPRESSES,
    .bid = bid,
    .reader_size = sizeof(void *),
    .open_reader = pf_stream_open_reader,
    .read = pf_stream_read,
    .close_reader = pf_stream_close_reader,
    .copy = pf_stream_copy,
    .writer_size = sizeof(void *),
    .open_writer = pf_stream_open_writer,
    .write = pf_stream_write,
    .flush = pf_stream_flush,
    .finish = pf_stream_finish,
    .close_writer = pf_stream_close_writer,
};

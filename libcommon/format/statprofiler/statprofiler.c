/* Devel::StatProfiler, read and written. The facts: 0.01 to 0.56 write one binary form in snappy blocks; before them there were
 * others, and a plan of one, which are told apart by content. */
#include "base/number.h"
#include "codec/codec.h"
#include "format/statprofiler/statprofiler.h"

#include <string.h>

static const struct pf_option options[] = {
    {"tick", "microseconds in a tick, where the input does not say", NULL, true, true},
    {"dialect", "what is written: the profiler's form, that of its plan, or the text form before both", "real|plan|text",
     false, true},
    {"names", "dialect=plan: a function's name as one string, or package and sub apart", "whole|split", false, true},
    {NULL, NULL, NULL, false, false},
};

struct state {
    bool text;
    union {
        struct pf_sp_records records;
        struct pf_sp_lines lines;
    } as;
};

static int bid(struct pf_source *source, const char *path)
{
    size_t have;
    const unsigned char *bytes = pf_source_peek(source, 64, &have);
    (void)path;
    size_t size = have < PF_SP_MAGIC_SIZE ? have : PF_SP_MAGIC_SIZE;
    /* A file that is cut inside the magic is damaged, not unknown. */
    if (size > 3 && memcmp(bytes, PF_SP_MAGIC, size) == 0)
        return (int)(8 * size);
    return pf_sp_lines_bid(source) ? 24 : 0;
}

static int open_binary(struct pf_reader *reader, struct state *state, uint64_t tick_ns)
{
    size_t have;
    const unsigned char *bytes = pf_source_peek(reader->source, PF_SP_START, &have);
    if (have < PF_SP_START && pf_source_status(reader->source, &reader->error) != PF_OK)
        return reader->error.code;
    if (have < PF_SP_START)
        return pf_error_at(&reader->error, PF_FAILED, have, "the file ends before its format version");
    if (pf_reader_check_mark(reader) != PF_OK)
        return reader->error.code;
    if (bytes[PF_SP_MAGIC_SIZE] != 1)
        return pf_error_at(&reader->error, PF_UNSUPPORTED, PF_SP_MAGIC_SIZE,
                           "StatProfiler format version %u is not known, only version 1 is",
                           (unsigned)bytes[PF_SP_MAGIC_SIZE]);
    return pf_sp_records_open(reader, &state->as.records, tick_ns);
}

static int open_reader(struct pf_reader *reader)
{
    struct state *state = reader->state;
    const char *tick = pf_options_get(reader->options, "tick");
    int64_t tick_us = 0;
    size_t have;
    if (tick && !pf_parse_int(pf_bytes_of(tick), 1, UINT32_MAX, &tick_us))
        return pf_error_set(&reader->error, PF_USAGE, "tick=%s is no number of microseconds", tick);
    const unsigned char *bytes = pf_source_peek(reader->source, PF_SP_MAGIC_SIZE, &have);
    state->text = have > 0 && bytes[0] != '=';
    if (state->text)
        return pf_sp_lines_open(reader, &state->as.lines, (uint64_t)tick_us * 1000);
    return open_binary(reader, state, (uint64_t)tick_us * 1000);
}

static const char *variant(const struct state *state)
{
    if (state->text)
        return "text";
    const struct pf_sp_records *records = &state->as.records;
    if (records->header.dialect == PF_SP_PLAN)
        return records->header.lsb ? "plan, least significant group first" : "plan";
    return records->input.blocks ? NULL : "uncompressed";
}

static int read_batch(struct pf_reader *reader, struct pf_batch *batch)
{
    struct state *state = reader->state;
    int status = state->text ? pf_sp_lines_read(reader, &state->as.lines, batch)
                             : pf_sp_records_read(reader, &state->as.records, batch);
    reader->variant = variant(state);
    return status;
}

static void close_reader(struct pf_reader *reader)
{
    struct state *state = reader->state;
    if (state->text)
        pf_sp_lines_close(&state->as.lines);
    else
        pf_sp_records_close(&state->as.records);
}

const struct pf_format pf_format_statprofiler = {
    .name = "statprofiler",
    .about = "Devel::StatProfiler, all forms of its files",
    .suffixes = ".statprof",
    .losses = "labels but section and op, all measures but one, how many samples a record stands for, images, columns, addresses, inlining; "
              "dialect=plan: first lines, eval sources, process and ordinal, metadata of the header apart; "
              "dialect=text: these, and sections, metadata, the length of a tick",
    .caps = PF_HOLDS_SAMPLE | PF_IS_STREAM | PF_COMPRESSES | PF_READS_TEXT,
    .options = options,
    .merging = &pf_sp_merging,
    .bid = bid,
    .series = pf_sp_series_find,
    .reader_size = sizeof(struct state),
    .open_reader = open_reader,
    .read = read_batch,
    .close_reader = close_reader,
    .writer_size = sizeof(struct pf_sp_writer),
    .open_writer = pf_sp_writer_open,
    .write = pf_sp_writer_write,
    .finish = pf_sp_writer_finish,
    .close_writer = pf_sp_writer_close,
};

/* The CPU profile: words in the size and byte order of the producer, then text. */
#include "base/memory.h"
#include "base/number.h"
#include "codec/codec.h"
#include "format/gperftools/gperftools.h"
#include "model/stacks.h"

#include <inttypes.h>

enum {
    HEADER_WORDS = 5,
    EXTRA_WORDS = 1024, /* most further words of a header */
    EVIDENCE = 96
};

struct words {
    unsigned size;
    bool big;
};

static uint64_t load(const unsigned char *bytes, struct words words)
{
    return pf_load_number(bytes, words.size, words.big);
}

/* Finds the size and byte order of words. A header is 0, the number of words that follow (3 or
 * more), version 0 or Java's 1, a period, 0. */
static bool find_words(const unsigned char *bytes, size_t have, struct words *words,
                       uint64_t header[HEADER_WORDS])
{
    for (unsigned k = 0; k < 4; k++) {
        *words = (struct words){k / 2 ? 8 : 4, k % 2};
        if (have < HEADER_WORDS * words->size)
            continue;
        for (unsigned i = 0; i < HEADER_WORDS; i++)
            header[i] = load(bytes + i * words->size, *words);
        if (header[0] == 0 && header[1] >= 3 && header[1] <= EXTRA_WORDS && header[2] <= 1 &&
            header[3] > 0 && header[4] == 0)
            return true;
    }
    return false;
}

int pf_gperftools_cpu_bid(struct pf_source *source)
{
    size_t have;
    const unsigned char *bytes = pf_source_peek(source, 1, &have);
    struct words words;
    uint64_t header[HEADER_WORDS];

    if (have == 0 || bytes[0] != 0)
        return 0;
    bytes = pf_source_peek(source, HEADER_WORDS * 8, &have);
    return find_words(bytes, have, &words, header) ? EVIDENCE : 0;
}

struct cpu {
    struct words words;
    uint64_t period; /* nanoseconds */
    bool java;
};

static int read_header(struct pf_reader *reader, struct cpu *cpu)
{
    struct pf_gperftools *state = reader->state;
    size_t have;
    const unsigned char *bytes = pf_source_peek(reader->source, HEADER_WORDS * 8, &have);
    uint64_t header[HEADER_WORDS], size;

    if (!find_words(bytes, have, &cpu->words, header))
        return pf_error_at(&reader->error, PF_FAILED, 0, "not the header of a CPU profile");
    if (header[3] > INT64_MAX / 1000)
        return pf_error_at(&reader->error, PF_FAILED, 3 * (uint64_t)cpu->words.size,
                           "a period of %" PRIu64 " microseconds overflows 64 bits", header[3]);
    size = (2 + header[1]) * cpu->words.size;
    if (pf_source_skip(reader->source, size) < size)
        return pf_source_cut(reader->source, "the header", &reader->error);
    cpu->period = header[3] * 1000;
    cpu->java = header[2] == 1;
    state->rows.interrupted = state->rows.twice = !cpu->java;
    reader->variant = cpu->java ? "CPU, Java" : "CPU";
    pf_gperftools_measure(reader, PF_BYTES("samples"), "count", PF_SAMPLED, false);
    pf_gperftools_measure(reader, PF_BYTES("cpu"), "nanoseconds", PF_SAMPLED, true);
    pf_gperftools_meta(reader, "period_type", PF_BYTES("cpu/nanoseconds"));
    pf_gperftools_meta_number(reader, "period", (int64_t)cpu->period);
    return PF_OK;
}

static int read_addresses(struct pf_reader *reader, const struct cpu *cpu, size_t depth)
{
    struct pf_gperftools_record *record = &((struct pf_gperftools *)reader->state)->record;
    size_t size = depth * cpu->words.size, have;
    const unsigned char *bytes = pf_source_peek(reader->source, size, &have);

    if (have < size)
        return pf_source_cut(reader->source, "a record", &reader->error);
    if (!pf_grow(&record->addresses, &record->capacity, depth + 1, sizeof *record->addresses))
        return pf_error_nomem(&reader->error);
    for (size_t k = 0; k < depth; k++) {
        uint64_t address = load(bytes + k * cpu->words.size, cpu->words);

        /* addresses of callers are return addresses: one less lies within the call */
        record->addresses[k] = address - (k > 0 && !cpu->java && address > 0);
    }
    record->depth = depth;
    pf_source_take(reader->source, size);
    return PF_OK;
}

/* Reads a record. PF_OK; PF_EOF: no more records. */
static int read_record(struct pf_reader *reader, const struct cpu *cpu)
{
    struct pf_gperftools *state = reader->state;
    struct pf_gperftools_record *record = &state->record;
    size_t have, size = 2 * cpu->words.size;
    const unsigned char *bytes = pf_source_peek(reader->source, size, &have);

    if (have == 0 && pf_source_status(reader->source, NULL) == PF_OK)
        return PF_EOF;
    if (have < size)
        return pf_source_cut(reader->source, "a record", &reader->error);
    uint64_t count = load(bytes, cpu->words), depth = load(bytes + cpu->words.size, cpu->words);

    state->offset = pf_source_offset(reader->source);
    if (depth > PF_STACK_DEPTH_MAX)
        return pf_rows_too_deep(&reader->error, state->offset);
    pf_source_take(reader->source, size);
    int status = read_addresses(reader, cpu, (size_t)depth);

    if (status != PF_OK)
        return status;
    if (count == 0 && depth == 1 && record->addresses[0] == 0)
        return PF_EOF;
    if (count > INT64_MAX || !pf_mul64((int64_t)count, (int64_t)cpu->period, &record->values[1]))
        return pf_error_at(&reader->error, PF_OVERFLOW, state->offset,
                           "%" PRIu64 " samples of %" PRIu64 " nanoseconds overflow 64 bits", count,
                           cpu->period);
    record->values[0] = (int64_t)count;
    pf_gperftools_begin_record(reader);
    return pf_gperftools_end_record(reader);
}

static int read_java_line(struct pf_reader *reader, struct pf_bytes line)
{
    pf_gperftools_java_line(reader, line);
    return PF_OK;
}

int pf_gperftools_cpu_read(struct pf_reader *reader)
{
    struct pf_gperftools *state = reader->state;
    struct cpu cpu = {0};
    int status = pf_reader_check_mark(reader);

    if (status == PF_OK)
        status = read_header(reader, &cpu);
    while (status == PF_OK)
        status = read_record(reader, &cpu);
    state->read_line = cpu.java ? read_java_line : pf_gperftools_map_line;
    return status == PF_EOF ? PF_OK : status;
}

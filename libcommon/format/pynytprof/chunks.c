/* The chunks of a Pynytprof file (FORMAT.md, sections 2 and 4). */
#include "base/scan.h"
#include "format/pynytprof/pynytprof.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK = 65536, HEAD = 5, PROCESS = 16, EVENT = 17 };

struct chunk {
    unsigned tag;
    uint64_t offset; /* of the tag */
    uint32_t size;   /* of the payload, as the head says */
    uint64_t left;   /* bytes of the payload that are still ahead */
};

struct chunks {
    struct pf_reader *reader;
    struct pf_pyn_content *content;
    struct pf_error damage; /* the first damage; reported at the end */
    struct pf_buffer payload;
    uint64_t unknown; /* a bit for each tag that was skipped with a warning */
};

/* --- damage ----------------------------------------------------------------------------------- */

static void report_damage(struct chunks *chunks, uint64_t offset, const char *format, ...)
    PF_PRINTF(3, 4);

static void report_damage(struct chunks *chunks, uint64_t offset, const char *format, ...)
{
    char text[256];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (chunks->reader->salvage && chunks->content->damages == 0)
        pf_report_send(&chunks->reader->report, PF_WARNING, "offset %" PRIu64 ": %s; skipped",
                       offset, text);
    else if (chunks->content->damages == 0)
        pf_error_at(&chunks->damage, PF_FAILED, offset, "%s", text);
    chunks->content->damages++;
}

static int ends_inside(struct chunks *chunks, const struct chunk *chunk)
{
    struct pf_reader *reader = chunks->reader;

    if (pf_source_status(reader->source, &reader->error) != PF_OK)
        return reader->error.code;
    return pf_error_at(&reader->error, PF_FAILED, chunk->offset,
                       "chunk %c of %" PRIu32 " bytes: the file ends %" PRIu64
                       " bytes before its end",
                       (int)chunk->tag, chunk->size, chunk->left);
}

/* --- payloads --------------------------------------------------------------------------------- */

static void consume(struct chunks *chunks, struct chunk *chunk, size_t size)
{
    pf_source_take(chunks->reader->source, size);
    chunk->left -= size;
}

/* Peeks at `need` bytes of the payload, or at the rest of the payload if that is less. */
static const unsigned char *peek(struct chunks *chunks, const struct chunk *chunk, size_t need,
                                 size_t *have)
{
    const unsigned char *p = pf_source_peek(chunks->reader->source,
                                            need < chunk->left ? need : (size_t)chunk->left, have);

    if (*have > chunk->left)
        *have = (size_t)chunk->left;
    return p;
}

/* Reads the payload into `payload`: all of it, or as much as the file has. */
static void collect(struct chunks *chunks, struct chunk *chunk)
{
    size_t have;

    chunks->payload.size = 0;
    while (chunk->left > 0) {
        const unsigned char *p = peek(chunks, chunk, BLOCK, &have);

        if (have == 0 || !pf_buffer_append(&chunks->payload, p, have))
            break;
        consume(chunks, chunk, have);
    }
    chunks->content->failed = chunks->content->failed || chunks->payload.failed;
}

static void keep_row(struct chunks *chunks, const struct chunk *chunk, const unsigned char *p,
                     uint64_t offset)
{
    struct pf_pyn_content *content = chunks->content;
    struct pf_pyn_rows *rows = chunk->tag == 'S' ? &content->lines : &content->calls;
    uint64_t incl = pf_load64le(p + 12), excl = pf_load64le(p + 20);

    if (incl > INT64_MAX || excl > INT64_MAX) {
        report_damage(chunks, offset,
                      "record of chunk %c: %" PRIu64 " ticks need more than 63 bits",
                      (int)chunk->tag, incl > INT64_MAX ? incl : excl);
        return;
    }
    if (!pf_grow(&rows->rows, &rows->capacity, rows->count + 1, sizeof *rows->rows)) {
        content->failed = true;
        return;
    }
    rows->rows[rows->count++] = (struct pf_pyn_row){
        {pf_load32le(p), pf_load32le(p + 4), pf_load32le(p + 8)}, (int64_t)incl, (int64_t)excl};
}

static void read_rows(struct chunks *chunks, struct chunk *chunk)
{
    size_t have;

    while (chunk->left >= PF_PYN_ROW && !chunks->content->failed) {
        const unsigned char *p = peek(chunks, chunk, BLOCK, &have);
        uint64_t offset = pf_source_offset(chunks->reader->source);
        size_t whole = have - have % PF_PYN_ROW;

        for (size_t at = 0; at < whole; at += PF_PYN_ROW)
            keep_row(chunks, chunk, p + at, offset + at);
        consume(chunks, chunk, whole);
        if (whole == 0)
            return;
    }
    peek(chunks, chunk, (size_t)chunk->left, &have);
    if (have == chunk->left && have > 0 && chunk->left < PF_PYN_ROW)
        report_damage(chunks, pf_source_offset(chunks->reader->source),
                      "chunk %c has %" PRIu32 " bytes, not a multiple of 28", (int)chunk->tag,
                      chunk->size);
    if (have == chunk->left)
        consume(chunks, chunk, have);
}

/* --- files and subs --------------------------------------------------------------------------- */

/* The size of a record of F or D: 32-bit numbers and a text that ends with a NUL. 0: the record is
 * not whole. */
static size_t record_size(const struct pf_buffer *payload, size_t at, size_t head)
{
    if (payload->size - at < head)
        return 0;
    const char *text = payload->data + at + head;
    const char *nul = payload->size - at > head ? memchr(text, 0, payload->size - at - head) : NULL;

    return nul ? head + (size_t)(nul - text) + 1 : 0;
}

static uint32_t number(const struct pf_buffer *payload, size_t at, size_t k)
{
    return pf_load32le(payload->data + at + 4 * k);
}

static void keep_entry(struct chunks *chunks, const struct chunk *chunk, struct pf_pyn_list *list,
                       size_t at, size_t head, size_t size)
{
    const struct pf_buffer *payload = &chunks->payload;
    struct pf_bytes text = {payload->data + at + head, size - head - 1};
    struct pf_pyn_entry entry = {.id = number(payload, at, 0)};

    if (text.size > PF_STRING_MAX) {
        report_damage(chunks, chunk->offset + HEAD + at,
                      "a name of %zu bytes in chunk %c is longer than 16 MiB", text.size,
                      (int)chunk->tag);
        return;
    }
    for (size_t k = 1; k < head / 4; k++)
        entry.numbers[k - 1] = number(payload, at, k);
    entry.text = pf_dict_intern_text(chunks->reader->dict, text);
    if (!pf_pyn_list_add(list, &entry))
        chunks->content->failed = true;
}

/* Keeps all whole records. If the chunk is whole, bytes after them are damage. */
static void keep_entries(struct chunks *chunks, const struct chunk *chunk, struct pf_pyn_list *list,
                         size_t head)
{
    const struct pf_buffer *payload = &chunks->payload;
    size_t at = 0, size;

    while (at < payload->size && (size = record_size(payload, at, head)) > 0) {
        keep_entry(chunks, chunk, list, at, head, size);
        at += size;
    }
    if (at == payload->size || chunk->left > 0)
        return;
    if (payload->size - at < head)
        report_damage(chunks, chunk->offset + HEAD + at,
                      "chunk %c ends inside the numbers of a record", (int)chunk->tag);
    else
        report_damage(chunks, chunk->offset + HEAD + at,
                      "chunk %c ends inside a name: the NUL is missing", (int)chunk->tag);
}

/* Versions of July 2025 wrote pairs of a fid and the index of a string, but no strings. True if the
 * payload looks like such pairs: their numbers are below 2^24; a path or a time read as numbers
 * would not be. */
static bool looks_like_pairs(const struct pf_buffer *payload)
{
    if (payload->size == 0 || payload->size % 8 != 0)
        return false;
    for (size_t k = 0; k < payload->size / 4; k++)
        if (number(payload, 0, k) >> 24 != 0)
            return false;
    return true;
}

static void read_files(struct chunks *chunks, struct chunk *chunk)
{
    struct pf_pyn_content *content = chunks->content;

    collect(chunks, chunk);
    if (chunk->left > 0 || !looks_like_pairs(&chunks->payload)) {
        keep_entries(chunks, chunk, &content->files, PROCESS);
        return;
    }
    pf_pyn_variant(content, "files without names");
    pf_report_send(&chunks->reader->report, PF_WARNING,
                   "offset %" PRIu64
                   ": chunk F names no files: only the numbers of the files are known",
                   chunk->offset);
}

/* True for a stream of events (each 1, fid, line, nanoseconds; then a 0). The S chunk has the sums
 * of the events. */
static bool looks_like_events(const struct pf_buffer *payload)
{
    if (payload->size % EVENT != 1 || payload->data[payload->size - 1] != 0)
        return false;
    for (size_t at = 0; at + 1 < payload->size; at += EVENT)
        if (payload->data[at] != 1)
            return false;
    return true;
}

struct layout {
    bool whole;  /* the records fill the payload */
    bool names;  /* all names are there and printable */
    bool ranges; /* lines are below 2^24; letters read as numbers would not be */
};

static struct layout try_layout(const struct pf_buffer *payload, size_t head)
{
    struct layout layout = {false, true, true};
    size_t at = 0, size;

    for (; at < payload->size && (size = record_size(payload, at, head)) > 0; at += size) {
        layout.names = layout.names && size > head + 1;
        for (size_t k = head; k + 1 < size; k++) {
            unsigned char c = (unsigned char)payload->data[at + k];
            layout.names = layout.names && c >= 32 && c != 127;
        }
        layout.ranges = layout.ranges && head == PROCESS && number(payload, at, 2) >> 24 == 0 &&
                        number(payload, at, 3) >> 24 == 0;
    }
    layout.whole = at == payload->size;
    return layout;
}

/* The size of the numbers before the name of a sub. Two layouts were in use, and the file does not
 * say which: sid, flags; and sid, fid, first line, last line. */
static size_t sub_head(const struct pf_buffer *payload)
{
    struct layout narrow = try_layout(payload, 8), wide = try_layout(payload, PROCESS);
    bool narrow_good = narrow.whole && narrow.names, wide_good = wide.whole && wide.names;

    /* names may have line feeds */
    if (payload->size == 0 || (narrow.whole && wide.whole && !wide.ranges))
        return 8;
    if (narrow_good && wide_good)
        return wide.ranges ? PROCESS : 8;
    if (narrow_good || (narrow.whole && !wide_good))
        return 8;
    return wide.whole || (!narrow.whole && wide.names && wide.ranges && !narrow.names) ? PROCESS
                                                                                       : 8;
}

static void read_subs(struct chunks *chunks, struct chunk *chunk)
{
    struct pf_pyn_content *content = chunks->content;

    collect(chunks, chunk);
    if (chunk->left == 0 && looks_like_events(&chunks->payload)) {
        pf_pyn_variant(content, "events");
        pf_report_send(&chunks->reader->report, PF_NOTE,
                       "offset %" PRIu64 ": chunk D holds events that S has summed, and no names",
                       chunk->offset);
        return;
    }
    size_t head = sub_head(&chunks->payload);
    if (head == PROCESS) {
        content->ranged = true;
        pf_pyn_variant(content, "line ranges");
    }
    keep_entries(chunks, chunk, &content->subs, head);
}

/* --- facts ------------------------------------------------------------------------------------ */

static void read_attributes(struct chunks *chunks, struct chunk *chunk)
{
    const struct pf_buffer *payload = &chunks->payload;
    size_t at = 0, size;

    pf_pyn_variant(chunks->content, chunk->tag == 'A' ? "A chunk" : "H chunk");
    collect(chunks, chunk);
    if (chunk->tag == 'H' && payload->size == 8)
        return;
    for (; at < payload->size; at += size + 1) {
        const char *text = payload->data + at;
        const char *nul = memchr(text, 0, payload->size - at);
        size = nul ? (size_t)(nul - text) : payload->size - at;
        struct pf_bytes value = {text, size}, key;

        if (size <= PF_STRING_MAX && pf_scan_field(&value, '=', &key))
            pf_pyn_attribute(chunks->reader, chunks->content, PF_PYN_CHUNK, key, value);
    }
}

static void add_number(struct chunks *chunks, const char *key, uint64_t value, uint64_t fraction)
{
    char text[48];
    int size = snprintf(text, sizeof text, "%" PRIu64, value);

    if (fraction > 0)
        size = snprintf(text, sizeof text, "%" PRIu64 ".%06" PRIu64, value, fraction);
    pf_rows_meta(&chunks->reader->rows, PF_PYN_CHUNK, pf_bytes_of(key),
                 (struct pf_bytes){text, (size_t)size});
}

/* Keeps the facts of a P chunk: process id, parent's id and seconds as a double; or microseconds in
 * 64 bits, then the two ids. */
static void keep_process(struct chunks *chunks, const unsigned char *p)
{
    uint64_t micro = pf_load64le(p);
    double seconds = pf_double_of(pf_load64le(p + 8));
    size_t ids = 0;

    if (seconds >= 1e8 && seconds < 1e11)
        micro = (uint64_t)(seconds * 1e6 + 0.5);
    else
        ids = 8;
    add_number(chunks, "pid", pf_load32le(p + ids), 0);
    add_number(chunks, "ppid", pf_load32le(p + ids + 4), 0);
    add_number(chunks, "start_time", micro / 1000000, micro % 1000000);
}

static void read_process(struct chunks *chunks, struct chunk *chunk)
{
    pf_pyn_variant(chunks->content, "P chunk");
    collect(chunks, chunk);
    if (chunks->payload.size == PROCESS)
        keep_process(chunks, (const unsigned char *)chunks->payload.data);
    else if (chunk->left == 0)
        report_damage(chunks, chunk->offset, "chunk P has %" PRIu32 " bytes, expected 16",
                      chunk->size);
}

/* --- chunks ----------------------------------------------------------------------------------- */

/* True if the P chunk ahead has no length: the next chunk begins 16 bytes after the tag. */
static bool bare_process(struct chunks *chunks)
{
    size_t have;
    const unsigned char *p = pf_source_peek(chunks->reader->source, HEAD + PROCESS + 1, &have);

    return have < HEAD || pf_load32le(p + 1) != PROCESS ||
           (have > HEAD + PROCESS && !pf_pyn_tag(p[HEAD + PROCESS]) && pf_pyn_tag(p[1 + PROCESS]));
}

static int read_bare_process(struct chunks *chunks, struct chunk *chunk)
{
    pf_pyn_variant(chunks->content, "P without a length");
    *chunk = (struct chunk){'P', chunk->offset, PROCESS, PROCESS};
    pf_source_take(chunks->reader->source, 1);
    read_process(chunks, chunk);
    return chunk->left > 0 ? ends_inside(chunks, chunk) : PF_OK;
}

static void pass_over(struct chunks *chunks, struct chunk *chunk)
{
    chunk->left -= pf_source_skip(chunks->reader->source, chunk->left);
    if (chunk->left > 0 || (chunks->unknown >> (chunk->tag - 'A') & 1) != 0)
        return;
    chunks->unknown |= (uint64_t)1 << (chunk->tag - 'A');
    pf_report_send(&chunks->reader->report, PF_WARNING,
                   "offset %" PRIu64 ": unknown chunk %c of %" PRIu32 " bytes: skipped",
                   chunk->offset, (int)chunk->tag, chunk->size);
}

static void read_payload(struct chunks *chunks, struct chunk *chunk)
{
    switch (chunk->tag) {
    case 'F': read_files(chunks, chunk); break;
    case 'D': read_subs(chunks, chunk); break;
    case 'S':
    case 'C': read_rows(chunks, chunk); break;
    case 'A':
    case 'H': read_attributes(chunks, chunk); break;
    case 'P': read_process(chunks, chunk); break;
    case 'E': chunk->left -= pf_source_skip(chunks->reader->source, chunk->left); break;
    default: pass_over(chunks, chunk); break;
    }
}

/* The error for a byte that begins no chunk. */
static int no_chunk(struct chunks *chunks, unsigned byte, uint64_t offset)
{
    struct pf_error *error = &chunks->reader->error;

    if (byte == '\r')
        return pf_error_at(error, PF_FAILED, offset,
                           "byte 0x0d, expected the start of a chunk: lines end in CR LF, was the "
                           "file converted as text?");
    return pf_error_at(error, PF_FAILED, offset,
                       "byte 0x%02x, expected the start of a chunk (F S D C E)", byte);
}

/* Reads the head of the next chunk. PF_EOF: the chunk E, the end. */
static int next_head(struct chunks *chunks, struct chunk *chunk)
{
    struct pf_reader *reader = chunks->reader;
    size_t have;
    const unsigned char *p = pf_source_peek(reader->source, HEAD, &have);

    *chunk = (struct chunk){.offset = pf_source_offset(reader->source)};
    if (have < HEAD && pf_source_status(reader->source, &reader->error) != PF_OK)
        return reader->error.code;
    if (have == 0)
        return pf_error_at(&reader->error, PF_FAILED, chunk->offset,
                           "the file ends without its end chunk E");
    chunk->tag = *p;
    if (!pf_letter((char)*p))
        return no_chunk(chunks, *p, chunk->offset);
    if (*p == 'T')
        return pf_error_at(&reader->error, PF_UNSUPPORTED, chunk->offset,
                           "chunk T: the compressed dialect of an early Pynytprof is not read");
    if (have == 1 && *p == 'E') {
        pf_source_take(reader->source, 1);
        return PF_EOF;
    }
    if (have < HEAD)
        return pf_error_at(&reader->error, PF_FAILED, chunk->offset,
                           "the file ends inside the head of chunk %c", (int)*p);
    chunk->size = pf_load32le(p + 1);
    chunk->left = chunk->size;
    return PF_OK;
}

static int next_chunk(struct chunks *chunks)
{
    struct chunk chunk;
    int status = next_head(chunks, &chunk);

    if (status != PF_OK)
        return status;
    if (chunk.tag == 'P' && bare_process(chunks))
        return read_bare_process(chunks, &chunk);
    pf_source_take(chunks->reader->source, HEAD);
    read_payload(chunks, &chunk);
    if (chunks->content->failed)
        return pf_error_nomem(&chunks->reader->error);
    if (chunk.left > 0)
        return ends_inside(chunks, &chunk);
    return chunk.tag == 'E' ? PF_EOF : PF_OK;
}

/* Reports bytes after the chunk E: a second profile there would be lost. */
static int read_rest(struct chunks *chunks)
{
    struct pf_reader *reader = chunks->reader;
    uint64_t offset = pf_source_offset(reader->source),
             rest = pf_source_skip(reader->source, UINT64_MAX);

    if (pf_source_status(reader->source, &reader->error) != PF_OK)
        return reader->error.code;
    if (rest > 0)
        pf_report_send(&reader->report, PF_WARNING,
                       "offset %" PRIu64 ": %" PRIu64 " bytes after the end chunk are not read",
                       offset, rest);
    return PF_OK;
}

int pf_pyn_chunks_read(struct pf_reader *reader, struct pf_pyn_content *content)
{
    struct chunks chunks = {.reader = reader, .content = content};
    int status;

    do
        status = next_chunk(&chunks);
    while (status == PF_OK);
    if (status == PF_EOF)
        status = read_rest(&chunks);
    pf_buffer_free(&chunks.payload);
    if (chunks.damage.code == 0 || (status != PF_OK && status != PF_FAILED))
        return status;
    reader->error = chunks.damage;
    return PF_FAILED;
}

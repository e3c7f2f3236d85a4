/* Contention profiles, and stacks of all threads as Google's servers print them for /threadz:
 *     --- threadz 1 ---
 *     --- Thread 7f794ab90940 (name: main/14748) stack: ---
 *       PC: 0x00bc8f1c: helper(int)
 *       0x0040be31 0x7f7949a9811d
 *     --- Thread 7f794ab90941 (name: a/1) stack: ---
 *       [same as previous thread]
 *     --- Memory map: ---
 * The leaf comes first; a line may have addresses, names, or both. Each thread is a sample. */
#include "format/gperftools/gperftools.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/scan.h"
#include "model/stacks.h"

#include <stdlib.h>
#include <string.h>

/* --- contention, and the heap of Java --------------------------------------------------------- */

int pf_gperftools_delay(const struct pf_gperftools_clock *clock, int64_t delay, int64_t count,
                        int64_t *values, uint64_t offset, struct pf_error *error)
{
    values[0] = count;
    values[1] = delay;
    if (clock->period == 0)
        return PF_OK;
    bool fits = pf_mul64(count, clock->period, &values[0]);

    if (clock->frequency > 0)
        fits = fits && pf_gperftools_to_whole((double)delay * (double)clock->period /
                                                  ((double)clock->frequency / 1e9),
                                              &values[1]);
    else
        fits = fits && pf_mul64(delay, clock->period, &values[1]);
    if (!fits)
        return pf_error_at(error, PF_OVERFLOW, offset,
                           "%lld contentions of %lld cycles, one in %lld counted, overflow 64 bits",
                           (long long)count, (long long)delay, (long long)clock->period);
    return PF_OK;
}

int pf_gperftools_attribute(struct pf_gperftools_text *text, struct pf_bytes line,
                            const char *equals)
{
    struct pf_bytes key = pf_bytes_trim((struct pf_bytes){line.data, (size_t)(equals - line.data)});
    struct pf_bytes value = pf_bytes_trim(pf_bytes_skip(line, (size_t)(equals - line.data) + 1));
    char name[64];

    if (key.size == 0 || key.size >= sizeof name || value.size > PF_STRING_MAX)
        return pf_gperftools_expected(text, "NAME = VALUE");
    memcpy(name, key.data, key.size);
    name[key.size] = '\0';
    if (strcmp(name, "format") == 0) {
        text->java = pf_bytes_equal(value, PF_BYTES("java"));
        if (!text->java)
            return pf_error_at(&text->reader->error, PF_UNSUPPORTED, text->offset,
                               "a contention profile of an unknown format, expected java");
    }
    if (strcmp(name, "resolution") == 0 && value.size < sizeof text->clock.resolution)
        memcpy(text->clock.resolution, value.data, value.size);
    if ((strcmp(name, "cycles/second") == 0 &&
         !pf_parse_int(value, 0, INT64_MAX, &text->clock.frequency)) ||
        (strcmp(name, "sampling period") == 0 &&
         !pf_parse_int(value, 0, INT64_MAX, &text->clock.period)))
        return pf_gperftools_expected(text, "a number after the =");
    return pf_gperftools_meta(text->reader, name, value) ? PF_OK
                                                         : pf_error_nomem(&text->reader->error);
}

int pf_gperftools_end_attributes(struct pf_gperftools_text *text)
{
    struct pf_gperftools_clock *clock = &text->clock;
    enum pf_nature nature = clock->period > 1 ? PF_SAMPLED : PF_EXACT;
    int status;

    if (text->state->measures > 0)
        return PF_OK;
    if (text->form == PF_GPERFTOOLS_JAVA_HEAP) {
        text->scale.period = PF_GPERFTOOLS_JAVA_PERIOD;
        text->reader->variant = "heap, Java";
        status = pf_gperftools_declare(text, "inuse_objects", "count", PF_SAMPLED, false);
        return status == PF_OK
                   ? pf_gperftools_declare(text, "inuse_space",
                                           clock->resolution[0] ? clock->resolution : "bytes",
                                           PF_SAMPLED, true)
                   : status;
    }
    text->reader->variant = text->java ? "contention, Java" : "contention";
    status = pf_gperftools_declare(text, "contentions", "count", nature, false);
    if (status == PF_OK)
        status = pf_gperftools_declare(text, "delay",
                                       text->java && clock->resolution[0] ? clock->resolution
                                       : clock->frequency > 0             ? "nanoseconds"
                                                                          : "cycles",
                                       nature == PF_SAMPLED ? PF_SAMPLED : PF_TIMED, true);
    if (status == PF_OK &&
        (!pf_gperftools_meta(text->reader, "period_type", PF_BYTES("contentions/count")) ||
         !pf_gperftools_meta_number(text->reader, "period", clock->period)))
        status = pf_error_nomem(&text->reader->error);
    return status;
}

/* --- stacks of all threads -------------------------------------------------------------------- */

struct threads {
    struct pf_reader *reader;
    struct pf_gperftools *state;
    uint64_t offset, begin; /* of the current line; of the current thread */
    struct pf_bytes line;
    bool open;           /* a thread has begun */
    bool old;            /* the frames are those of the thread before */
    uint64_t *addresses; /* leaf first: addresses, or keys of named frames */
    size_t depth, capacity;
};

/* Reads an address 0xADDRESS, with a colon before a name. *is_address false: another word.
 * PF_FAILED: over 64 bits. */
static int read_address(struct threads *threads, struct pf_bytes word, uint64_t *address,
                        bool *is_address)
{
    *is_address = false;
    if (!pf_bytes_starts(word, PF_BYTES("0x")))
        return PF_OK;
    word = pf_bytes_skip(word, 2);
    if (word.size > 0 && (word.data[word.size - 1] == ':' || word.data[word.size - 1] == ','))
        word.size--;
    *is_address = word.size > 0 && pf_all_of(word, "0123456789abcdefABCDEF");
    if (!*is_address || pf_parse_hex(word, address))
        return PF_OK;
    return pf_gperftools_bad_line(threads->reader, threads->offset, threads->line,
                                  "an address of 64 bits");
}

/* Finds the first address of a line; *rest is the text after it. *found false: no address. `+ 0x15`
 * is an offset. */
static int find_address(struct threads *threads, struct pf_bytes *rest, uint64_t *address,
                        bool *found)
{
    bool offset = false;
    int status = PF_OK;

    for (*found = false; status == PF_OK && !*found && rest->size > 0;) {
        struct pf_bytes word = pf_scan_word(rest);

        if (!offset)
            status = read_address(threads, word, address, found);
        offset = pf_bytes_equal(word, PF_BYTES("+"));
    }
    return status;
}

/* Adds a frame: a name with its address, a name alone (address 0), or an address alone. */
static int add_frame(struct threads *threads, uint64_t address, struct pf_bytes name)
{
    uint64_t key = address - (threads->depth > 0 && address > 0);

    if (pf_gperftools_is_named(key) || name.size > PF_STRING_MAX)
        return pf_gperftools_bad_line(threads->reader, threads->offset, threads->line,
                                      "addresses of a program and names below 16 MiB");
    for (size_t at = name.size; address > 0 && at-- > 0;)
        if (pf_bytes_starts(pf_bytes_skip(name, at), PF_BYTES("+0x"))) {
            name = pf_bytes_trim((struct pf_bytes){name.data, at});
            break;
        }
    if (name.size > 0) {
        uint32_t function = pf_gperftools_function(threads->reader->dict, name, PF_BYTES(""));

        key = function ? pf_gperftools_names_key(&threads->state->names, key, function) : 0;
        if (key == 0)
            return pf_error_nomem(&threads->reader->error);
    }
    if (threads->depth == PF_STACK_DEPTH_MAX)
        return pf_rows_too_deep(&threads->reader->error, threads->offset);
    if (!pf_grow(&threads->addresses, &threads->capacity, threads->depth + 1,
                 sizeof *threads->addresses))
        return pf_error_nomem(&threads->reader->error);
    threads->addresses[threads->depth++] = key;
    return PF_OK;
}

/* Reads frames of a thread: `PC: 0xADDRESS 0xADDRESS`, `0xADDRESS: NAME` or `NAME`. Words before
 * the first address, such as `creator:` or `@`, do not belong to a name. */
static int read_frames(struct threads *threads, struct pf_bytes line)
{
    struct pf_bytes rest = line, behind, label;
    uint64_t address, next;
    bool more;
    int status = find_address(threads, &rest, &address, &more);

    if (status == PF_OK && !more) {
        label = pf_scan_word(&line);
        rest = pf_bytes_trim(line);
        if (label.size == 1 || label.data[label.size - 1] != ':' ||
            label.data[label.size - 2] == ':')
            rest = (struct pf_bytes){label.data, label.size + line.size};
        return rest.size > 0 ? add_frame(threads, 0, rest) : PF_OK;
    }
    while (status == PF_OK && more) {
        behind = pf_bytes_trim(rest);
        status = read_address(threads, pf_scan_word(&rest), &next, &more);
        if (status == PF_OK)
            status = add_frame(threads, address, more ? PF_BYTES("") : behind);
        address = next;
    }
    return status;
}

static int end_thread(struct threads *threads)
{
    const int64_t values[PF_GPERFTOOLS_VALUES] = {1};

    if (!threads->open)
        return PF_OK;
    threads->open = false;
    return pf_gperftools_rows_add(&threads->state->rows, 0, threads->addresses, threads->depth,
                                  values, threads->begin, &threads->reader->error);
}

/* Reads a line: `--- Thread ID (name: NAME) stack: ---`, frames, or a line that says that the
 * thread has the stack of the thread before. */
static int read_line(struct threads *threads, struct pf_bytes line)
{
    if (pf_bytes_starts(line, PF_BYTES("---"))) {
        if (pf_bytes_starts(line, PF_BYTES("---- no stack trace for")))
            threads->depth = 0;
        int status = end_thread(threads);

        threads->open = pf_bytes_starts(line, PF_BYTES("--- Thread "));
        threads->old = true;
        threads->begin = threads->offset;
        return status;
    }
    if (!threads->open)
        return pf_gperftools_meta(threads->reader, "comment", line)
                   ? PF_OK
                   : pf_error_nomem(&threads->reader->error);
    if (pf_bytes_find(line, PF_BYTES("same as previous thread")))
        return PF_OK;
    if (threads->old)
        threads->depth = 0;
    threads->old = false;
    return read_frames(threads, line);
}

int pf_gperftools_threads_read(struct pf_reader *reader)
{
    struct threads threads = {.reader = reader, .state = reader->state};
    int status = pf_gperftools_measure(reader, PF_BYTES("thread"), "count", PF_EXACT, true);

    reader->variant = "threads";
    threads.state->twice = true;
    while (status == PF_OK) {
        threads.offset = pf_source_offset(reader->source);
        status = pf_source_line(reader->source, &threads.line, &reader->error);
        struct pf_bytes line = pf_bytes_trim(threads.line);

        if (status != PF_OK || line.size == 0)
            continue;
        bool maps = pf_gperftools_begins_maps(line);

        status = maps ? end_thread(&threads) : read_line(&threads, line);
        if (maps && status == PF_OK)
            status = pf_gperftools_read_maps(reader);
    }
    if (status == PF_EOF && end_thread(&threads) != PF_OK)
        status = reader->error.code;
    free(threads.addresses);
    return status;
}

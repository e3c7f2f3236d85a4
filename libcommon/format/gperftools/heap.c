/* Heap profiles of gperftools, Go, Java and jemalloc: scaled samples, first lines, and lines of
 * jemalloc. */
#include "format/gperftools/gperftools.h"

#include "base/number.h"
#include "base/scan.h"

#include <math.h>
#include <string.h>

/* --- what a sample stands for ----------------------------------------------------------------- */

/* Reads KIND/RATE of the first line; false: unknown. */
static bool heap_kind(struct pf_bytes kind, struct pf_gperftools_scale *scale)
{
    static const struct {
        const char *name;
        int64_t divisor; /* of the rate; 0: nothing was sampled */
        bool go, objects;
    } KINDS[] = {
        {"heapprofile", 0, false, false},   {"heap", 2, true, false},
        {"heap_v2", 1, false, false},       {"heapz_v2", 1, false, false},
        {"growthz", 0, false, true},        {"growth", 0, false, true},
        {"fragmentationz", 0, false, true}, {"fragmentation", 0, false, true},
    };
    const char *slash = memchr(kind.data, '/', kind.size);
    struct pf_bytes name = {kind.data, slash ? (size_t)(slash - kind.data) : kind.size};
    int64_t rate = 0;

    if (slash &&
        !pf_parse_int((struct pf_bytes){slash + 1, kind.size - name.size - 1}, 0, INT64_MAX, &rate))
        return false;
    for (size_t k = 0; k < sizeof KINDS / sizeof *KINDS; k++) {
        if (!pf_bytes_equal(name, pf_bytes_of(KINDS[k].name)))
            continue;
        *scale =
            (struct pf_gperftools_scale){.period = KINDS[k].divisor ? rate / KINDS[k].divisor : 1,
                                         .go = KINDS[k].go,
                                         .objects = KINDS[k].objects};
        return true;
    }
    return false;
}

static int unsample(int64_t period, int64_t objects, int64_t bytes, int64_t *values,
                    uint64_t offset, struct pf_error *error)
{
    values[0] = objects;
    values[1] = bytes;
    if (objects == 0 && bytes != 0)
        return pf_error_at(error, PF_FAILED, offset, "%lld bytes in 0 objects", (long long)bytes);
    if (objects == 0 || period <= 1)
        return PF_OK;
    if (bytes == 0) {
        values[0] = 0;
        return PF_OK;
    }
    double scale = 1 / (1 - exp(-((double)bytes / (double)objects) / (double)period));

    if (!pf_gperftools_to_whole((double)objects * scale, &values[0]) ||
        !pf_gperftools_to_whole((double)bytes * scale, &values[1]))
        return pf_error_at(error, PF_OVERFLOW, offset,
                           "%lld objects of %lld bytes, sampled, overflow 64 bits when scaled",
                           (long long)objects, (long long)bytes);
    return PF_OK;
}

static int64_t block_size(int64_t objects, int64_t bytes)
{
    return objects == 0 || (objects == -1 && bytes == INT64_MIN) ? 0 : bytes / objects;
}

/* `numbers`: objects and bytes in use, then those ever allocated. *size: of a block. Values are
 * scaled by 1/(1-exp(-bytes/objects/period)) and cut to whole numbers. PF_FAILED: bytes without
 * objects; PF_OVERFLOW. */
static int scale_values(const struct pf_gperftools_scale *scale, const int64_t numbers[4],
                        int64_t *values, int64_t *size, uint64_t offset, struct pf_error *error)
{
    int status = PF_OK;

    if (scale->both) {
        status = unsample(scale->period, numbers[2], numbers[3], values, offset, error);
        *size = block_size(numbers[2], numbers[3]);
        values += 2;
    }
    if (status == PF_OK)
        status = unsample(scale->period, numbers[0], numbers[1], values, offset, error);
    if (numbers[0] != 0)
        *size = block_size(numbers[0], numbers[1]);
    return status;
}

/* --- heap profiles ---------------------------------------------------------------------------- */

static uint32_t bytes_label(struct pf_gperftools_text *text, uint32_t labels, int64_t size)
{
    struct pf_dict *dict = text->reader->dict;
    uint32_t bytes = pf_dict_intern(dict, PF_BYTES("bytes"), 0);

    return pf_dict_add_number(dict, labels, bytes, size, bytes);
}

int pf_gperftools_heap_record(struct pf_gperftools_text *text, const int64_t numbers[4])
{
    int64_t size = 0;
    int status = scale_values(&text->scale, numbers, text->values, &size, text->offset,
                              &text->reader->error);

    text->labels = bytes_label(text, text->labels, size);
    return status;
}

static int declare_heap(struct pf_gperftools_text *text)
{
    enum pf_nature nature = text->scale.period > 1 ? PF_SAMPLED : PF_EXACT;
    static const char *const NAMES[2][4] = {
        {"objects", "space"}, {"alloc_objects", "alloc_space", "inuse_objects", "inuse_space"}};
    size_t count = text->scale.both ? 4 : 2;
    int status = PF_OK;

    for (size_t k = 0; status == PF_OK && k < count; k++)
        status = pf_gperftools_declare(text, NAMES[text->scale.both][k], k % 2 ? "bytes" : "count",
                                       nature, k + 1 == count);
    if (status == PF_OK &&
        (!pf_gperftools_meta(text->reader, "period_type", PF_BYTES("space/bytes")) ||
         !pf_gperftools_meta_number(text->reader, "period", text->scale.period)))
        status = pf_error_nomem(&text->reader->error);
    return status;
}

int pf_gperftools_heap_head(struct pf_gperftools_text *text, struct pf_bytes line)
{
    int64_t total[4];
    struct pf_bytes rest = pf_bytes_skip(line, 13), kind;
    struct pf_gperftools_scale *scale = &text->scale;
    const char *origin = NULL;

    if (!pf_gperftools_numbers(&rest, "d:d[d:d]@", total))
        return pf_gperftools_expected(
            text, "'heap profile: OBJECTS: BYTES [OBJECTS: BYTES] @ KIND/RATE'");
    pf_scan_blanks(&rest);
    kind = rest;
    if (!heap_kind(kind, scale))
        return pf_error_at(&text->reader->error, PF_UNSUPPORTED, text->offset,
                           "a heap profile of unknown kind '%s', expected heapprofile, heap, "
                           "heap_v2, heapz_v2, growthz or fragmentationz",
                           pf_clip(kind).text);
    bool differs = (total[2] != total[0] && total[2] != 0) ||
                   (total[3] != total[1] && total[3] != 0);

    if (scale->go && !differs)
        origin = "alloc_* are what the file has in brackets, which its sum has equal to inuse_*";
    else if (scale->go)
        origin = "alloc_* are what the file has in brackets";
    scale->both = scale->go || (differs && !scale->objects);
    text->expected = total[0];
    text->reader->variant = scale->go ? "heap, Go" : "heap";
    if (!pf_gperftools_meta(text->reader, "heap profile", pf_bytes_trim(pf_bytes_skip(line, 13))) ||
        (origin && !pf_gperftools_meta(text->reader, "provenance", pf_bytes_of(origin))) ||
        (scale->period > 1 &&
         !pf_gperftools_meta(
             text->reader, "provenance",
             PF_BYTES("objects and bytes are scaled by 1/(1-exp(-bytes/objects/period))"))))
        return pf_error_nomem(&text->reader->error);
    return declare_heap(text);
}

/* --- jemalloc --------------------------------------------------------------------------------- */

int pf_gperftools_jemalloc_head(struct pf_gperftools_text *text, struct pf_bytes line)
{
    const char *threads = pf_options_get(text->reader->options, "threads");

    if (!pf_parse_int(pf_bytes_skip(line, 8), 0, INT64_MAX, &text->scale.period))
        return pf_gperftools_expected(text, "heap_v2/PERIOD");
    text->split = threads && strcmp(threads, "no") != 0;
    text->scale.both = true;
    text->reader->variant = "heap, jemalloc";
    if (!pf_gperftools_meta(
            text->reader, "provenance",
            PF_BYTES("objects and bytes are scaled by 1/(1-exp(-bytes/objects/period))")))
        return pf_error_nomem(&text->reader->error);
    return declare_heap(text);
}

/* A record is `@ ADDRESSES`, then a line for all threads and a line for each: `  t*: OBJECTS: BYTES
 * [OBJECTS: BYTES]`. */
int pf_gperftools_jemalloc_line(struct pf_gperftools_text *text, struct pf_bytes line)
{
    int64_t numbers[4];
    struct pf_bytes thread = line, rest;
    int status;

    if (*line.data == '@') {
        text->depth = 0;
        status = pf_gperftools_addresses(text, pf_bytes_skip(line, 1));
        pf_gperftools_step_back(text);
        text->known = status == PF_OK;
        return status;
    }
    thread.size = 0;
    while (thread.size < line.size && thread.data[thread.size] != ':')
        thread.size++;
    rest = pf_bytes_skip(line, thread.size);
    if (*line.data != 't' || !pf_gperftools_numbers(&rest, ":d:d[d:d]", numbers) ||
        pf_bytes_trim(rest).size > 0)
        return pf_gperftools_expected(
            text, "'@ ADDRESSES' or 'tTHREAD: OBJECTS: BYTES [OBJECTS: BYTES]'");
    if (!text->known)
        return pf_bytes_equal(thread, PF_BYTES("t*")) &&
                       !pf_gperftools_meta(text->reader, "total",
                                           pf_bytes_trim(pf_bytes_skip(line, thread.size + 1)))
                   ? pf_error_nomem(&text->reader->error)
                   : PF_OK;
    if (text->split == pf_bytes_equal(thread, PF_BYTES("t*")))
        return PF_OK;
    pf_gperftools_begin_record(text);
    if (text->split) {
        struct pf_dict *dict = text->reader->dict;

        text->labels = pf_dict_add_label(dict, 0, pf_dict_intern(dict, PF_BYTES("thread"), 0),
                                         pf_dict_intern_text(dict, thread));
    }
    status = pf_gperftools_heap_record(text, numbers);
    if (status != PF_OK)
        text->pending = false;
    return status == PF_OK ? pf_gperftools_end_record(text) : status;
}

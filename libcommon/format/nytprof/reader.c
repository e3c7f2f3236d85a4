/* Devel::NYTProf: the files that all releases since 4.00 write. Detection, and the reader, which
 * sums statements, calls and callers and returns the sums at the end, when the places of all subs
 * are known. Metadata and source texts are returned as they come; metadata after the first
 * statement or call come after the sums, except file numbers, which source texts need. Also the
 * rules of a merge. */
#include "base/calendar.h"
#include "base/scan.h"
#include "codec/format.h"
#include "format/nytprof/sums.h"
#include "format/nytprof/wire.h"
#include "format/nytprof/writer.h"
#include "io/layer.h"
#include "model/rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- evidence --------------------------------------------------------------------------------- */

/* Pynytprof's files have the same first line; its reader bids more if its chunks follow. */
static int bid(struct pf_source *source, const char *path)
{
    size_t have;
    const char *bytes = (const char *)pf_source_peek(source, 64, &have);
    (void)path;
    if (have < 8 || memcmp(bytes, "NYTProf ", 8) != 0)
        return have >= 4 && have < 8 && memcmp(bytes, "NYTProf ", have) == 0 ? (int)(8 * have) : 0;
    return 64;
}

/* --- the reader ------------------------------------------------------------------------------- */

enum { TEXTS = 256, EPOCHS = 16 };

/* Statements and calls whose ticks have the same length. */
struct epoch {
    struct pf_nyt_clock clock;
    struct pf_nyt_lines lines;
    struct pf_nyt_tree tree;
};

struct nyt_reader {
    struct pf_source *source; /* of the records: the file, or its inflated bytes */
    struct pf_nyt_nv nv;
    struct pf_nyt_clock clock;
    struct pf_nyt_places places;
    struct pf_nyt_edges edges;
    struct epoch *epochs;
    size_t epoch_count, epoch;
    struct pf_nyt_record record; /* the record being read */
    unsigned count;              /* 0: the next statement is discounted */
    uint64_t discounts;
    bool eventful;           /* a statement or a call was read */
    bool called;             /* a SUB_CALLERS record was read */
    bool odd_line;           /* the warning about a line without `=` was sent */
    uint64_t started, ended; /* processes */
    struct pf_nyt_rows rows; /* adds to reader->rows, the next batches: metadata, then sums */
    bool declared;           /* the measures were declared */
    /* metadata after the first statement or call: [0] goes before the edges, [1] after them */
    struct pf_rows held[2];
    struct pf_text texts[TEXTS];
    size_t text_count;
    /* a `source` row was sent: texts belong to file `text_fid`; 0: find the file by their names */
    bool texted;
    uint32_t text_fid;
    uint32_t attribute_origin, option_origin, comment_origin, private_origin, comment_key;
    int result; /* PF_OK, then the result of the input; its error is in `error` */
    struct pf_error error;
    size_t summed;     /* epochs whose sums were added to the rows */
    bool edges_summed; /* the edges were added too */
};

/* --- opening ---------------------------------------------------------------------------------- */

enum { BANNER_MAX = 64 };

static size_t bytes_ahead(const struct nyt_reader *r)
{
    return (size_t)(r->source->limit - r->source->cursor);
}

/* Reads the first line, `NYTProf 5 0`. Like the profiler, takes two numbers and ignores the rest of
 * the line. */
static int read_banner(struct pf_reader *reader, struct nyt_reader *r)
{
    static const struct pf_bytes MAGIC = {"NYTProf ", 8};
    struct pf_bytes line, rest;
    uint64_t version[2] = {0, 0};
    if (pf_source_need(r->source, BANNER_MAX, &reader->error) < 0)
        return reader->error.code;
    size_t have = bytes_ahead(r) < BANNER_MAX ? bytes_ahead(r) : BANNER_MAX;
    line = (struct pf_bytes){(const char *)r->source->cursor, have};
    if (have < MAGIC.size || memcmp(line.data, MAGIC.data, MAGIC.size) != 0)
        return pf_error_at(&reader->error, PF_FAILED, 0,
                           "not a NYTProf stream: expected 'NYTProf ' at the start");
    const char *feed = memchr(line.data, '\n', line.size);
    if (!feed)
        return pf_error_at(&reader->error, PF_FAILED, have,
                           have < BANNER_MAX ? "the file ends inside its first line"
                                             : "the first line does not end");
    size_t size = (size_t)(feed - line.data);
    rest = (struct pf_bytes){line.data + MAGIC.size, size - MAGIC.size};
    for (int k = 0; k < 2; k++) {
        if (!pf_scan_number(&rest, INT32_MAX, &version[k]))
            return pf_error_at(
                &reader->error, PF_FAILED, size - rest.size,
                "the version is missing in the first line, expected 'NYTProf MAJOR MINOR'");
        rest = pf_bytes_skip(rest, rest.size > 0); /* the byte after a number may be any byte */
    }
    if (version[0] != 4 && version[0] != 5)
        return pf_error_at(&reader->error, PF_UNSUPPORTED, MAGIC.size,
                           "unknown NYTProf format version %d.%d, expected 4.0 or 5.0",
                           (int)version[0], (int)version[1]);
    if (version[1] > 0)
        pf_report_send(&reader->report, PF_WARNING,
                       "offset %zu: format version %d.%d is newer than 5.0: read as 5.0",
                       MAGIC.size, (int)version[0], (int)version[1]);
    pf_source_take(r->source, size + 1);
    return PF_OK;
}

static int open_reader(struct pf_reader *reader)
{
    struct nyt_reader *r = reader->state;
    r->source = reader->source;
    r->rows = (struct pf_nyt_rows){.rows = &reader->rows,
                                   .places = &r->places,
                                   .error = &reader->error,
                                   .report = &reader->report};
    for (int k = 0; k < 2; k++)
        pf_rows_init(&r->held[k], reader->dict);
    pf_nyt_nv_size(&r->nv, 8);
    r->count = 1;
    r->attribute_origin = pf_dict_intern_word(reader->dict, PF_NYT_ATTRIBUTE_ORIGIN);
    r->option_origin = pf_dict_intern_word(reader->dict, PF_NYT_OPTION_ORIGIN);
    r->comment_origin = pf_dict_intern_word(reader->dict, PF_NYT_COMMENT_ORIGIN);
    r->private_origin = pf_dict_intern_word(reader->dict, PF_NYT_PRIVATE_ORIGIN);
    r->comment_key = pf_dict_intern_word(reader->dict, "comment");
    r->epochs = calloc(EPOCHS, sizeof *r->epochs);
    if (!r->epochs || pf_nyt_rows_open(&r->rows) != PF_OK ||
        pf_nyt_places_init(&r->places, reader->dict) != PF_OK ||
        pf_nyt_edges_init(&r->edges) != PF_OK)
        return pf_error_nomem(&reader->error);
    return read_banner(reader, r);
}

static void close_reader(struct pf_reader *reader)
{
    struct nyt_reader *r = reader->state;
    if (r->source != reader->source)
        pf_source_close(r->source);
    if (r->places.dict)
        pf_nyt_places_free(&r->places);
    pf_nyt_edges_free(&r->edges);
    for (size_t i = 0; i < r->epoch_count; i++) {
        pf_nyt_lines_free(&r->epochs[i].lines);
        pf_nyt_tree_free(&r->epochs[i].tree);
    }
    free(r->epochs);
    for (int k = 0; k < 2; k++)
        pf_rows_free(&r->held[k]);
}

/* --- errors, names, private rows -------------------------------------------------------------- */

static int fail(struct nyt_reader *r, const char *format, ...) PF_PRINTF(2, 3);
static int fail(struct nyt_reader *r, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int status = pf_source_vfail(r->source, &r->error, pf_source_offset(r->source), format, args);
    va_end(args);
    return status;
}

static void warn(struct pf_reader *reader, const struct nyt_reader *r, const char *text)
{
    pf_source_warn(r->source, &reader->report, pf_source_offset(r->source), "%s", text);
}

static uint32_t name_of(struct pf_reader *reader, const struct pf_nyt_text *text)
{
    return pf_dict_intern(reader->dict, text->bytes, text->flags);
}

/* Adds a private row of metadata, for the writer of this format. */
static void add_private(const struct nyt_reader *r, struct pf_rows *rows, uint32_t value,
                        const char *format, ...) PF_PRINTF(4, 5);
static void add_private(const struct nyt_reader *r, struct pf_rows *rows, uint32_t value,
                        const char *format, ...)
{
    char text[128];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    pf_rows_meta_strings(rows, r->private_origin, pf_dict_intern_word(rows->dict, text), value);
}

/* The same for a key of a word and numbers, without printf, which is slow: there may be a row for
 * each file and sub. */
static void add_numbers(const struct nyt_reader *r, struct pf_rows *rows, uint32_t value,
                        struct pf_bytes word, const uint32_t *numbers, size_t count)
{
    char text[128], *end = text + sizeof text, *at = end;
    while (count-- > 0) {
        at = pf_print_before(at, numbers[count]);
        *--at = ' ';
    }
    at -= word.size;
    memcpy(at, word.data, word.size);
    pf_rows_meta_strings(rows, r->private_origin,
                         pf_dict_intern(rows->dict, (struct pf_bytes){at, (size_t)(end - at)}, 0),
                         value);
}

/* The rows to which metadata at this place in the file are added. */
static struct pf_rows *metas_here(struct nyt_reader *r)
{
    return r->eventful ? &r->held[r->called] : r->rows.rows;
}

static struct epoch *find_epoch(struct nyt_reader *r)
{
    struct epoch *at = &r->epochs[r->epoch];
    /* The length of a tick was unknown so far: the first known length holds for earlier records. */
    if (r->epoch_count == 1 && at->clock.ticks_per_sec == 0) {
        at->clock = r->clock;
        return at;
    }
    for (r->epoch = 0; r->epoch < r->epoch_count; r->epoch++)
        if (r->epochs[r->epoch].clock.ticks_per_sec == r->clock.ticks_per_sec)
            return &r->epochs[r->epoch];
    if (r->epoch_count == EPOCHS) {
        r->epoch = 0;
        fail(r, "ticks of more than %d different lengths", (int)EPOCHS);
        return NULL;
    }
    at = &r->epochs[r->epoch_count];
    at->clock = r->clock;
    int lines = pf_nyt_lines_init(&at->lines), tree = pf_nyt_tree_init(&at->tree);
    if (lines == PF_OK && tree == PF_OK) {
        r->epoch_count++;
        return at;
    }
    pf_nyt_lines_free(&at->lines);
    pf_nyt_tree_free(&at->tree);
    r->epoch = 0;
    pf_error_nomem(&r->error);
    return NULL;
}

/* The statements and calls of the current length of a tick. NULL, with the error: too many lengths,
 * or out of memory. */
static inline struct epoch *epoch(struct nyt_reader *r)
{
    struct epoch *at = &r->epochs[r->epoch];
    return r->epoch_count > 0 && at->clock.ticks_per_sec == r->clock.ticks_per_sec ? at
                                                                                   : find_epoch(r);
}

/* --- attributes, options, comments ------------------------------------------------------------ */

static int read_attribute(struct pf_reader *reader, struct nyt_reader *r, struct pf_bytes key,
                          struct pf_bytes value)
{
    int64_t number;
    if (pf_bytes_equal(key, PF_BYTES("nv_size"))) {
        if (!pf_parse_int(value, 1, PF_NYT_NV_MAX, &number) || !pf_nyt_nv_size(&r->nv, number))
            return fail(r, "nv_size is '%s', expected 4, 8, 12 or 16", pf_clip(value).text);
    } else if (pf_bytes_equal(key, PF_BYTES("ticks_per_sec"))) {
        if (!pf_parse_int(value, 1, INT64_MAX, &number)) {
            warn(reader, r, "ticks_per_sec is not a number of ticks: skipped");
            return PF_OK;
        }
        /* Times of callers are seconds. Ticks of two lengths have no common unit. */
        for (int k = 0; k < PF_NYT_EDGE_TIMES; k++)
            r->edges.units[k].broken |= r->edges.sums && r->clock.ticks_per_sec != (uint64_t)number;
        r->clock.ticks_per_sec = (uint64_t)number;
    }
    return PF_OK;
}

static int read_pair(struct pf_reader *reader, struct nyt_reader *r,
                     const struct pf_nyt_record *record)
{
    struct pf_bytes line = record->text[0].bytes;
    const char *equals = line.size > 0 ? memchr(line.data, '=', line.size) : NULL;
    if (!equals) {
        if (!r->odd_line)
            warn(reader, r, "attributes or options without '=' are skipped");
        r->odd_line = true;
        return PF_OK;
    }
    struct pf_bytes key = {line.data, (size_t)(equals - line.data)},
                    value = {equals + 1, line.size - key.size - 1};
    bool option = record->tag == PF_NYT_OPTION;
    pf_rows_meta_strings(metas_here(r), option ? r->option_origin : r->attribute_origin,
                         pf_dict_intern(reader->dict, key, 0),
                         pf_dict_intern(reader->dict, value, 0));
    return option ? PF_OK : read_attribute(reader, r, key, value);
}

/* --- processes, files, subs ------------------------------------------------------------------- */

static int read_process(struct nyt_reader *r, const struct pf_nyt_record *record)
{
    pf_nyt_nv_probe(&r->nv, record->nv[0]);
    uint64_t bits = pf_bits_of(pf_nyt_nv_load(&r->nv, record->nv[0]));
    struct pf_rows *metas = metas_here(r);
    if (record->tag == PF_NYT_PID_START) {
        r->started++;
        add_private(r, metas, 0, "start %" PRIu32 " %" PRIu32 " %016" PRIx64, record->number[0],
                    record->number[1], bits);
    } else {
        r->ended++;
        add_private(r, metas, 0, "end %" PRIu32 " %016" PRIx64, record->number[0], bits);
    }
    /* Subs that returned in this process are not called from the next process. */
    for (size_t i = 0; i < r->epoch_count; i++)
        pf_nyt_tree_end_process(&r->epochs[i].tree);
    return PF_OK;
}

static int read_file(struct pf_reader *reader, struct nyt_reader *r,
                     const struct pf_nyt_record *record)
{
    const uint32_t *n = record->number;
    uint32_t name = name_of(reader, &record->text[0]), before;
    if (pf_nyt_files_name(&r->places.files, n[0], &before) && before != name)
        warn(reader, r, "a file number is defined again with another name");
    pf_nyt_files_define(&r->places.files, n[0], name);
    add_numbers(r, &reader->rows, name, PF_BYTES("fid"), n, 6);
    return PF_OK;
}

static int read_sub(struct pf_reader *reader, struct nyt_reader *r,
                    const struct pf_nyt_record *record)
{
    struct pf_nyt_sub sub = {name_of(reader, &record->text[0]), record->number[0],
                             record->number[1], record->number[2]};
    if (pf_nyt_places_add_sub(&r->places, sub))
        add_numbers(r, metas_here(r), sub.name, PF_BYTES("sub"), record->number, 3);
    return PF_OK;
}

/* --- calls ------------------------------------------------------------------------------------ */

static int read_callers(struct pf_reader *reader, struct nyt_reader *r,
                        const struct pf_nyt_record *record)
{
    static const char *const names[] = {"inclusive", "exclusive", "recursive"};
    const uint32_t *n = record->number;
    struct pf_nyt_edge edge = {name_of(reader, &record->text[0]), name_of(reader, &record->text[1]),
                               n[0], n[1]};
    double seconds[PF_NYT_EDGE_TIMES];
    r->called = true;
    for (int k = 0; k < PF_NYT_EDGE_TIMES; k++) {
        seconds[k] = pf_nyt_nv_load(&r->nv, record->nv[k]);
        if (!isfinite(seconds[k]))
            return fail(r, "the %s time of a call is not a number", names[k]);
    }
    if (edge.fid == 0 && edge.line == 0 && n[2] == 0) {
        if (pf_nyt_places_add_xsub(&r->places, edge.callee))
            add_private(r, metas_here(r), edge.callee, "xsub");
        return PF_OK;
    }
    pf_nyt_edges_add(&r->edges, &edge, r->clock, n[2], seconds, n[3]);
    return PF_OK;
}

static int read_return(struct pf_reader *reader, struct nyt_reader *r,
                       const struct pf_nyt_record *record)
{
    struct epoch *now = epoch(r);
    double self = pf_nyt_nv_load(&r->nv, record->nv[1]);
    if (!now)
        return r->error.code;
    if (!isfinite(self))
        return fail(r, "the exclusive time of a return is not a number");
    if (record->number[0] > PF_STACK_DEPTH_MAX)
        return fail(r, "a return from depth %" PRIu32 ": " PF_TOO_DEEP, record->number[0]);
    pf_nyt_tree_return(&now->tree, record->number[0], name_of(reader, &record->text[0]), now->clock,
                       self);
    return PF_OK;
}

/* --- statements ------------------------------------------------------------------------------- */

/* Reads all whole statements ahead: most of the work of the reader. */
static int read_statements(struct nyt_reader *r)
{
    struct epoch *now = epoch(r);
    if (!now)
        return r->error.code;
    struct pf_nyt_lines *lines = &now->lines;
    const unsigned char *p = r->source->cursor, *end = r->source->limit;
    unsigned count = r->count;
    uint64_t discounts = 0;
    uint32_t ticks;
    r->eventful = true;
    while (end - p >= PF_NYT_STATEMENT_MAX) {
        unsigned tag = *p;
        if (tag == PF_NYT_TIME_LINE) {
            uint32_t fid, line;
            p = pf_nyt_varint(pf_nyt_varint(pf_nyt_random_varint(p + 1, &ticks), &fid), &line);
            pf_nyt_lines_add(lines, fid, line, ticks, count);
            discounts += !count;
            count = 1;
        } else if (tag == PF_NYT_DISCOUNT) {
            p++;
            count = 0;
        } else if (tag == PF_NYT_TIME_BLOCK) {
            struct pf_nyt_block block;
            p = pf_nyt_varint(pf_nyt_varint(pf_nyt_varint(p + 1, &ticks), &block.fid), &block.line);
            p = pf_nyt_varint(pf_nyt_varint(p, &block.block), &block.sub);
            pf_nyt_lines_add_block(lines, block, ticks, count);
            discounts += !count;
            count = 1;
        } else {
            break;
        }
    }
    r->source->cursor = p;
    r->count = count;
    r->discounts += discounts;
    return lines->failed ? pf_error_nomem(&r->error) : PF_OK;
}

/* Reads a statement near the end of the bytes ahead. */
static int read_statement(struct nyt_reader *r, const struct pf_nyt_record *record)
{
    struct epoch *now = epoch(r);
    const uint32_t *n = record->number;
    if (!now)
        return r->error.code;
    if (record->tag == PF_NYT_TIME_LINE)
        pf_nyt_lines_add(&now->lines, n[1], n[2], n[0], r->count);
    else
        pf_nyt_lines_add_block(&now->lines, (struct pf_nyt_block){n[1], n[2], n[3], n[4]}, n[0],
                               r->count);
    r->discounts += !r->count;
    r->count = 1;
    return now->lines.failed ? pf_error_nomem(&r->error) : PF_OK;
}

/* --- source texts ----------------------------------------------------------------------------- */

/* Keeps a text for the next batch, as a pointer into the bytes ahead: the batch must be sent before
 * the source reads on. */
static void keep_text(struct pf_reader *reader, struct nyt_reader *r,
                      const struct pf_nyt_record *record)
{
    struct pf_text *text = &r->texts[r->text_count++];
    uint32_t name;
    pf_nyt_files_name(&r->places.files, record->number[0], &name);
    *text = (struct pf_text){
        .name = pf_dict_string(reader->dict, name),
        .name_flags = reader->dict->strings.rows[name].flags,
        .name_string = name,
        .text = record->text[0].bytes,
        .text_flags = record->text[0].flags,
        .line = record->number[1],
    };
}

/* The file number for a `source` row; 0 if the number owns the name of the file. */
static uint32_t hidden_fid(struct nyt_reader *r, uint32_t fid)
{
    return pf_nyt_files_owns(&r->places.files, fid) ? 0 : fid;
}

/* --- the stream ------------------------------------------------------------------------------- */

static int read_record(struct pf_reader *reader, struct nyt_reader *r,
                       const struct pf_nyt_record *record)
{
    switch (record->tag) {
    case PF_NYT_ATTRIBUTE:
    case PF_NYT_OPTION: return read_pair(reader, r, record);
    case PF_NYT_COMMENT:
        pf_rows_meta_strings(metas_here(r), r->comment_origin, r->comment_key,
                             name_of(reader, &record->text[0]));
        return PF_OK;
    case PF_NYT_PID_START:
    case PF_NYT_PID_END: return read_process(r, record);
    case PF_NYT_NEW_FID: return read_file(reader, r, record);
    case PF_NYT_SUB_INFO: return read_sub(reader, r, record);
    case PF_NYT_SUB_CALLERS: return read_callers(reader, r, record);
    case PF_NYT_SUB_RETURN: r->eventful = true; return read_return(reader, r, record);
    case PF_NYT_SUB_ENTRY: r->eventful = true; return PF_OK;
    case PF_NYT_DISCOUNT:
        r->eventful = true;
        r->count = 0;
        return PF_OK;
    case PF_NYT_TIME_LINE:
    case PF_NYT_TIME_BLOCK: r->eventful = true; return read_statement(r, record);
    default: return PF_OK;
    }
}

static int start_deflate(struct pf_reader *reader, struct nyt_reader *r)
{
    if (pf_source_layer(r->source))
        return fail(r, "deflated data inside deflated data");
    add_private(r, metas_here(r), 0, "deflate");
    pf_source_take(r->source, 1);
    struct pf_source *inflated;
    int status = pf_layer_inflate(&inflated, reader->source, &r->error);
    if (status == PF_OK)
        r->source = inflated;
    return status;
}

/* Ends an input whose data end between two records: warns if the start or the end of a process is
 * missing. */
static int finish(struct pf_reader *reader, struct nyt_reader *r)
{
    const struct pf_layer *deflated = pf_source_layer(r->source);
    if (deflated && deflated->cut)
        warn(reader, r, "the deflated data do not end: the process was killed, or is running");
    else if (r->started == 0)
        warn(reader, r, "the file has no start of a process");
    else if (r->ended < r->started)
        warn(reader, r, "the file ends without the end of a process: it was killed, or is running");
    return PF_EOF;
}

/* Makes `need` bytes available for a record that is not whole. PF_OK, or the error of a cut
 * record. */
static int need_more(struct nyt_reader *r, size_t need)
{
    int status = pf_source_need(r->source, need, &r->error);
    if (status != PF_EOF)
        return status;
    return fail(r, "the %s inside a record with tag '%c': %zu bytes of it are there",
                pf_source_layer(r->source) ? "deflated data end" : "file ends", *r->source->cursor,
                bytes_ahead(r));
}

static int bad_record(struct nyt_reader *r, enum pf_nyt_parse result,
                      const struct pf_nyt_record *record)
{
    unsigned tag = record->tag;
    bool printed = tag > ' ' && tag < 0x7f;
    char name[16];
    snprintf(name, sizeof name, printed ? "'%c'" : "%u", tag);
    if (result == PF_NYT_NO_TAG && tag == '\n')
        return fail(
            r, "an empty line, expected the start of a record: Devel::NYTProf writes no such line");
    if (result == PF_NYT_NO_TAG)
        return fail(r, "the byte %s begins no record", name);
    if (result == PF_NYT_NO_STRING)
        return fail(r,
                    "record with tag %s: a string begins with ' or \", not with the byte %" PRIu32,
                    name, record->bad);
    return fail(r, "record with tag %s: a string of %" PRIu32 " bytes, at most 16 MiB are read",
                name, record->bad);
}

/* Parses a record, or all statements ahead. PF_OK; PF_EOF at the end; WAIT: first send the rows or
 * texts so far; or a failure. */
enum { WAIT = 2 };

static int parse_next(struct pf_reader *reader, struct nyt_reader *r)
{
    struct pf_nyt_record *record = &r->record;
    size_t need = PF_NYT_STATEMENT_MAX;
    if (bytes_ahead(r) < need && r->text_count > 0)
        return WAIT;
    int status = bytes_ahead(r) < need ? pf_source_need(r->source, need, &r->error) : PF_OK;
    if (bytes_ahead(r) == 0)
        return status == PF_EOF ? finish(reader, r) : status;
    unsigned tag = *r->source->cursor;
    if (status == PF_OK &&
        (tag == PF_NYT_TIME_LINE || tag == PF_NYT_TIME_BLOCK || tag == PF_NYT_DISCOUNT))
        return read_statements(r);
    for (;;) {
        enum pf_nyt_parse result =
            pf_nyt_record_parse(record, r->source->cursor, bytes_ahead(r), r->nv.size);
        if (result == PF_NYT_WHOLE)
            break;
        if (result != PF_NYT_MISSING)
            return bad_record(r, result, record);
        if (r->text_count > 0)
            return WAIT;
        status = need_more(r, bytes_ahead(r) + record->missing);
        if (status != PF_OK)
            return status;
    }
    if (tag == PF_NYT_DEFLATE)
        return start_deflate(reader, r);
    if (tag != PF_NYT_SRC_LINE) {
        if (r->text_count > 0)
            return WAIT;
        status = read_record(reader, r, record);
        pf_source_take(r->source, record->size);
        if (tag == PF_NYT_SUB_RETURN || tag == PF_NYT_SUB_ENTRY)
            return status; /* most records, and they add no rows */
        return status == PF_OK && pf_rows_ready(&reader->rows) ? WAIT : status;
    }
    uint32_t hidden = hidden_fid(r, record->number[0]);
    if (r->texted ? hidden != r->text_fid : hidden != 0) {
        if (r->text_count > 0)
            return WAIT;
        add_private(r, &reader->rows, 0, "source %" PRIu32, hidden);
        r->text_fid = hidden;
        r->texted = true;
    }
    if (!pf_rows_empty(&reader->rows) || r->text_count == TEXTS)
        return WAIT;
    keep_text(reader, r, record);
    pf_source_take(r->source, record->size);
    return PF_OK;
}

/* Parses until a batch of metadata or texts is ready, or to the end of the input, which sets
 * `result`. */
static void parse(struct pf_reader *reader, struct nyt_reader *r)
{
    int status;
    do
        status = parse_next(reader, r);
    while (status == PF_OK);
    if (status == WAIT)
        return;
    r->result = status;
    for (size_t i = 0; i < r->epoch_count; i++)
        pf_nyt_tree_end_process(&r->epochs[i].tree);
    if (r->discounts > 0)
        add_private(r, &r->held[1], 0, "discounts %" PRIu64, r->discounts);
}

/* --- the order -------------------------------------------------------------------------------- */

/* Adds the sums of an epoch as records, and frees the sums. A failure is in reader->error. */
static void add_epoch(struct nyt_reader *r, struct epoch *at)
{
    int status = pf_nyt_rows_lines(&r->rows, &at->lines, at->clock);
    pf_nyt_lines_free(&at->lines);
    if (status == PF_OK)
        pf_nyt_rows_stacks(&r->rows, &at->tree, at->clock);
    pf_nyt_tree_free(&at->tree);
}

static bool give_texts(struct nyt_reader *r, struct pf_batch *batch)
{
    if (r->text_count == 0)
        return false;
    batch->kind = PF_TEXT;
    batch->rows = (uint32_t)r->text_count;
    batch->texts = r->texts;
    r->text_count = 0;
    return true;
}

/* Declares the measures in the first batch, so that a profile without records has them too. Parses
 * first, because the length of a tick, which measures need, stands before the first record. */
static void declare(struct pf_reader *reader, struct nyt_reader *r)
{
    parse(reader, r);
    pf_nyt_rows_declare(&r->rows, r->clock);
    r->declared = true;
}

static int read_batch(struct pf_reader *reader, struct pf_batch *batch)
{
    struct nyt_reader *r = reader->state;
    if (!r->declared)
        declare(reader, r);
    for (;;) {
        if (pf_dict_status(reader->dict) == PF_NOMEM || r->places.failed ||
            r->places.files.failed || r->edges.failed)
            return pf_error_nomem(&reader->error);
        if (pf_rows_give(&reader->rows, batch) || give_texts(r, batch))
            return PF_OK;
        if (reader->error.code != PF_OK)
            return reader->error.code;
        if (r->result == PF_OK) {
            parse(reader, r);
        } else if (r->summed < r->epoch_count) {
            add_epoch(r, &r->epochs[r->summed++]);
        } else if (pf_rows_give(&r->held[0], batch)) {
            return PF_OK;
        } else if (!r->edges_summed) {
            r->edges_summed = true;
            pf_nyt_rows_edges(&r->rows, &r->edges, r->clock);
        } else if (pf_rows_give(&r->held[1], batch)) {
            return PF_OK;
        } else {
            reader->error = r->error;
            return r->result;
        }
    }
}

/* --- merging ---------------------------------------------------------------------------------- */

/* Metadata in a merge, as in nytprofmerge (FORMAT.md, section 12). The writer counts or adds up
 * some attributes, and needs the files, subs and processes of each input. A `source` row belongs to
 * the text after it, and in a merge no text follows the metadata. */
static enum pf_meta_rule rule(struct pf_bytes origin, struct pf_bytes key)
{
    static const char *const of_each[] = {"application", "cumulative_overhead_ticks",
                                          "ticks_per_sec"};

    if (pf_bytes_equal(origin, PF_BYTES(PF_NYT_PRIVATE_ORIGIN)))
        return pf_bytes_starts(key, PF_BYTES("source")) ? PF_META_NEVER : PF_META_EACH;
    for (size_t k = 0; k < sizeof of_each / sizeof *of_each; k++)
        if (pf_bytes_equal(origin, PF_BYTES(PF_NYT_ATTRIBUTE_ORIGIN)) &&
            pf_bytes_equal(key, pf_bytes_of(of_each[k])))
            return PF_META_EACH;
    return PF_META_ONCE;
}

static enum pf_meta_name names(struct pf_bytes origin, struct pf_bytes key)
{
    if (!pf_bytes_equal(origin, PF_BYTES(PF_NYT_PRIVATE_ORIGIN)))
        return PF_META_NO_NAME;
    if (pf_bytes_starts(key, PF_BYTES("fid ")) ||
        pf_bytes_starts(key, PF_BYTES(PF_NYT_RENAMED "fid ")))
        return PF_META_FILE;
    return pf_bytes_starts(key, PF_BYTES("sub ")) || pf_bytes_equal(key, PF_BYTES("xsub"))
               ? PF_META_FUNCTION
               : PF_META_NO_NAME;
}

/* The time in the keys `start PID PPID TIME` and `end PID TIME` is the bits of a double in
 * seconds. */
static int64_t duration(struct pf_bytes origin, struct pf_bytes key, struct pf_bytes value)
{
    enum { DIGITS = 16 };
    bool end = pf_bytes_starts(key, PF_BYTES("end ")),
         start = pf_bytes_starts(key, PF_BYTES("start "));
    uint64_t bits;

    (void)value;
    if (!pf_bytes_equal(origin, PF_BYTES(PF_NYT_PRIVATE_ORIGIN)) || !(start || end) ||
        key.size < DIGITS || !pf_parse_hex(pf_bytes_skip(key, key.size - DIGITS), &bits))
        return 0;
    double seconds = pf_double_of(bits);
    if (!(seconds > 0 && seconds < 1e10))
        return 0;
    return (int64_t)(seconds * 1e9) * (end ? 1 : -1);
}

/* These attributes describe the whole file; nytprofmerge writes them at its end. */
static enum pf_meta_place place(struct pf_bytes origin, struct pf_bytes key)
{
    static const char *const late[] = {"application", "basetime", "cumulative_overhead_ticks"};

    (void)origin;
    for (size_t k = 0; k < sizeof late / sizeof *late; k++)
        if (pf_bytes_equal(key, pf_bytes_of(late[k])))
            return PF_META_WHOLE;
    return pf_bytes_equal(key, PF_BYTES("comment")) ? PF_META_LIST : PF_META_FROM_HERE;
}

static enum pf_meta_time start(struct pf_bytes origin, struct pf_bytes key, struct pf_bytes value,
                               int64_t *time)
{
    return pf_bytes_equal(origin, PF_BYTES(PF_NYT_ATTRIBUTE_ORIGIN)) &&
                   pf_bytes_equal(key, PF_BYTES("basetime")) && pf_time_parse_seconds(value, time)
               ? PF_META_IS_TIME
               : PF_META_NO_TIME;
}

static const struct pf_merging merging = {.rule = rule,
                                          .duration = duration,
                                          .place = place,
                                          .start = start,
                                          .start_late = true,
                                          .own_label = "fid",
                                          .names = names,
                                          .renamed = PF_NYT_RENAMED};

/* --- the format ------------------------------------------------------------------------------- */

static const struct pf_option options[] = {
    {"limit",
     "the largest number of statements and calls to write, a record for each (default 16777216; "
     "of NYTProf's own profiles 4294967295)",
     NULL, false, true},
    {NULL, NULL, NULL, false, false},
};

const struct pf_format pf_format_nytprof = {
    .name = "nytprof",
    .about = "Devel::NYTProf, the Perl profiler: lines, callers, call stacks, sources",
    .suffixes = ".nyt",
    .losses = "labels; measures but times, statements, calls and depth; columns, images, "
              "addresses, positions of entries among returns; records without a file, negative "
              "numbers and samples that are not times are refused; stacks without numbers of calls "
              "count as one call each, a sub has one place, times of lines finer than a nanosecond "
              "are rounded",
    .caps = PF_HOLDS_SAMPLE | PF_HOLDS_FLAT | PF_HOLDS_EDGE | PF_COMPRESSES | PF_CALLS_TELL |
            PF_TEXTS_FIRST,
    .merging = &merging,
    .options = options,
    .bid = bid,
    .reader_size = sizeof(struct nyt_reader),
    .open_reader = open_reader,
    .read = read_batch,
    .close_reader = close_reader,
    .writer_size = sizeof(struct pf_nyt_writer),
    .open_writer = pf_nyt_writer_open,
    .holds_label = pf_nyt_writer_holds_label,
    .write = pf_nyt_writer_write,
    .finish = pf_nyt_writer_finish,
    .close_writer = pf_nyt_writer_close,
};

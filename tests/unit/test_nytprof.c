/* Tests of the NYTProf reader with random streams whose sums are known: whole, in pieces of any
 * size, deflated, and cut anywhere. */
#include "tap.h"

#include "base/hash.h"
#include "base/memory.h"
#include "codec/codec.h"
#include "format/nytprof/wire.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

extern const struct pf_format pf_format_nytprof;

enum { FIDS = 4, LINES = 8, RECORDS = 40000, FEW = 150 };

static const uint32_t fids[FIDS] = {1, 127, 300, 0xfffffff0},
                      lines[LINES] = {1, 127, 128, 0x3fff, 0x4000, 0x1fffff, 0x200000, 0xfffffff};

struct sums {
    int64_t count[FIDS][LINES], ticks[FIDS][LINES];
    uint64_t calls, call_ticks, texts, text_bytes;
};

/* A stream, with the end offset of each record and the sums up to there. */
struct made {
    struct pf_buffer bytes;
    struct mark {
        size_t end;
        int64_t count, ticks;
        uint64_t texts;
    } marks[RECORDS];
    size_t records, head; /* bytes before the first record that can be deflated */
    struct sums sums;
    bool discount, wide; /* wide: all numbers in the longest form */
};

/* --- random numbers --------------------------------------------------------------------------- */

static uint64_t random_state;

static uint32_t below(uint32_t limit)
{
    random_state += 0x9e3779b97f4a7c15u;
    return (uint32_t)((pf_hash_mix(random_state) >> 32) * limit >> 32);
}

/* --- making a stream -------------------------------------------------------------------------- */

static void put(struct made *made, int byte)
{
    pf_buffer_byte(&made->bytes, (unsigned char)byte);
}

/* Writes a number in any form that can hold it; the shortest form half of the time. */
static void put_number(struct made *made, uint32_t value)
{
    static const uint32_t limit[] = {0x7f, 0x3fff, 0x1fffff, 0xfffffff, UINT32_MAX},
                          mark[] = {0, 0x80, 0xc0, 0xe0, 0xff};
    int shortest = 0;
    while (value > limit[shortest])
        shortest++;
    int form = made->wide ? 4
               : below(2) ? shortest
                          : shortest + (int)below((uint32_t)(5 - shortest));
    if (form == 4)
        put(made, 0xff);
    else
        /* Bit 4 of the first of four bytes, F0 to FE, has no meaning. */
        put(made, (int)(mark[form] | value >> 8 * form |
                        (form == 3 && value >> 24 < 15 && below(4) == 0 ? 0x10 : 0)));
    for (int k = (form < 4 ? form : 4) - 1; k >= 0; k--)
        put(made, (int)(value >> 8 * k & 0xff));
}

static void put_string(struct made *made, uint32_t size)
{
    put(made, below(2) ? '\'' : '"');
    put_number(made, size);
    for (uint32_t k = 0; k < size; k++)
        put(made, (int)('a' + below(26)));
}

/* Writes a double in little-endian order, as on x86. */
static void put_real(struct made *made, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    for (int k = 0; k < 8; k++)
        put(made, (int)(bits >> 8 * k & 0xff));
}

static void put_head(struct made *made)
{
    static const char text[] =
        "NYTProf 5 0\n#made at random\n:ticks_per_sec=10000000\n:nv_size=8\n!calls=2\n";
    pf_buffer_append(&made->bytes, text, sizeof text - 1);
    made->head = made->bytes.size;
    put(made, 'P');
    put_number(made, 7);
    put_number(made, 1);
    put_real(made, 1.7e9);
    for (int k = 0; k < FIDS; k++) {
        put(made, '@');
        put_number(made, fids[k]);
        for (int n = 0; n < 5; n++)
            put_number(made, 0);
        put(made, '\'');
        put_number(made, 1);
        put(made, 'a' + k);
    }
}

static void put_statement(struct made *made)
{
    static const int32_t times[] = {0,         1,        127,      128,       0x3fff,
                                    0x4000,    0x1fffff, 0x200000, 0xfffffff, 0x10000000,
                                    INT32_MAX, -1,       INT32_MIN};
    uint32_t fid = below(FIDS), line = below(LINES);
    int32_t ticks = times[below(2) ? below(4) : below(sizeof times / sizeof *times)];
    bool block = below(8) == 0;
    put(made, block ? '*' : '+');
    put_number(made, (uint32_t)ticks);
    put_number(made, fids[fid]);
    put_number(made, lines[line]);
    if (block) {
        put_number(made, lines[below(LINES)]);
        put_number(made, lines[below(LINES)]);
    }
    made->sums.count[fid][line] += !made->discount;
    made->sums.ticks[fid][line] += ticks;
    made->discount = false;
}

static void put_return(struct made *made)
{
    uint32_t self = below(1000);
    put(made, '<');
    put_number(made, 1 + below(3));
    put_real(made, self + 5.0);
    put_real(made, self);
    put_string(made, 1 + below(300));
    made->sums.calls++;
    made->sums.call_ticks += self;
}

static void put_source(struct made *made)
{
    uint32_t size = below(400);
    put(made, 'S');
    put_number(made, fids[below(FIDS)]);
    put_number(made, lines[below(LINES)]);
    put_string(made, size);
    made->sums.texts++;
    made->sums.text_bytes += size;
}

static void put_record(struct made *made)
{
    uint32_t what = below(100);
    if (what < 70) {
        put_statement(made);
    } else if (what < 85) {
        put(made, '-');
        made->discount = true;
    } else if (what < 90) {
        put(made, '>');
        put_number(made, fids[below(FIDS)]);
        put_number(made, lines[below(LINES)]);
    } else if (what < 93) {
        put_return(made);
    } else if (what < 98) {
        put_source(made);
    } else {
        static const char text[] = "#a comment\n:key=value\n";
        pf_buffer_append(&made->bytes, text, sizeof text - 1);
    }
}

static void make(struct made *made, uint64_t seed, size_t records, bool wide)
{
    memset(made, 0, sizeof *made);
    made->wide = wide;
    random_state = seed;
    put_head(made);
    for (; made->records < records; made->records++) {
        put_record(made);
        struct mark *mark = &made->marks[made->records];
        *mark = (struct mark){.end = made->bytes.size, .texts = made->sums.texts};
        for (int k = 0; k < FIDS * LINES; k++) {
            mark->count += made->sums.count[k / LINES][k % LINES];
            mark->ticks += made->sums.ticks[k / LINES][k % LINES];
        }
    }
}

/* The same stream with all records deflated, flushed now and then, and with plain bytes after
 * them. */
static struct pf_buffer deflated(const struct made *made)
{
    struct pf_buffer out = {0};
    unsigned char room[4096];
    z_stream z = {0};
    size_t at = made->head;
    int flush = Z_NO_FLUSH;
    pf_buffer_append(&out, made->bytes.data, made->head);
    pf_buffer_byte(&out, 'z');
    if (deflateInit(&z, 6) != Z_OK)
        return out;
    while (flush != Z_FINISH) {
        size_t size = made->bytes.size - at < 30000 ? made->bytes.size - at : 30000;
        z.next_in = (Bytef *)made->bytes.data + at;
        z.avail_in = (uInt)size;
        at += size;
        flush = at == made->bytes.size ? Z_FINISH : below(2) ? Z_SYNC_FLUSH : Z_NO_FLUSH;
        do {
            z.next_out = room;
            z.avail_out = sizeof room;
            deflate(&z, flush);
            pf_buffer_append(&out, room, sizeof room - z.avail_out);
        } while (z.avail_out == 0);
    }
    deflateEnd(&z);
    pf_buffer_append(&out, "#\n# Compressed\n\1\2\3", 18);
    return out;
}

/* --- reading ---------------------------------------------------------------------------------- */

static bool named(const struct pf_dict *dict, uint32_t measure, const char *name)
{
    return pf_bytes_equal(pf_dict_string(dict, pf_measures_row(&dict->measures, measure)->name),
                          pf_bytes_of(name));
}

static void add_line(struct sums *sums, const struct pf_dict *dict, const struct pf_batch *batch,
                     uint32_t row)
{
    const struct pf_location *location = pf_dict_location(dict, batch->location[row]);
    struct pf_bytes file = pf_dict_string(dict, pf_dict_function(dict, location->function)->file);
    for (int k = 0; k < FIDS * LINES; k++) {
        if (file.size != 1 || file.data[0] != 'a' + k / LINES || location->line != lines[k % LINES])
            continue;
        sums->count[k / LINES][k % LINES] += batch->values[0].data[row];
        sums->ticks[k / LINES][k % LINES] += batch->values[1].data[row];
    }
}

static void add_batch(struct sums *sums, const struct pf_dict *dict, const struct pf_batch *batch)
{
    for (uint32_t row = 0; row < batch->rows; row++) {
        if (batch->kind == PF_FLAT && named(dict, batch->values[0].measure, "stmts"))
            add_line(sums, dict, batch, row);
        if (batch->kind == PF_TEXT)
            sums->text_bytes += batch->texts[row].text.size;
        if (batch->kind == PF_SAMPLE) {
            sums->call_ticks += (uint64_t)batch->values[0].data[row];
            sums->calls += (uint64_t)batch->values[1].data[row];
        }
    }
    if (batch->kind == PF_TEXT)
        sums->texts += batch->rows;
}

/* Reads everything and closes the source. Returns PF_EOF or an error code. */
static int read_source(struct pf_source *source, bool salvage, struct sums *sums)
{
    static const struct pf_options none;
    struct pf_error error = {0};
    struct pf_reader *reader = NULL;
    struct pf_batch batch;
    struct pf_dict dict;
    memset(sums, 0, sizeof *sums);
    int status = pf_dict_init(&dict);
    struct pf_reader setup = {.format = &pf_format_nytprof,
                              .source = source,
                              .dict = &dict,
                              .options = &none,
                              .name = "test",
                              .salvage = salvage};
    if (status == PF_OK)
        status = pf_reader_open(&reader, &setup, &error);
    while (status == PF_OK && (status = pf_reader_next(reader, &batch)) == PF_OK)
        add_batch(sums, &dict, &batch);
    pf_reader_close(reader);
    pf_source_close(source);
    pf_dict_free(&dict);
    return status;
}

/* Reads from memory of exactly this size, so that AddressSanitizer sees reading beyond its end. */
static int read_memory(const void *bytes, size_t size, bool salvage, struct sums *sums)
{
    struct pf_error error = {0};
    struct pf_source *source;
    void *exact = malloc(size);
    if (!exact)
        return PF_NOMEM;
    memcpy(exact, bytes, size);
    int status = pf_source_open_memory(&source, exact, size, &error);
    if (status == PF_OK)
        status = read_source(source, salvage, sums);
    free(exact);
    return status;
}

/* Reads from standard input, which gets pieces of 1 to `most` bytes; each piece arrives
 * separately. */
static int read_pieces(const struct pf_buffer *bytes, uint32_t most, struct sums *sums)
{
    int ends[2];
    struct pf_error error = {0};
    struct pf_source *source;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) != 0)
        return PF_IO;
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        for (size_t at = 0, size; at < bytes->size; at += size) {
            size = 1 + below(most);
            size = size < bytes->size - at ? size : bytes->size - at;
            if (send(ends[1], bytes->data + at, size, MSG_NOSIGNAL) != (ssize_t)size)
                _exit(1);
        }
        _exit(0);
    }
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    int status = pf_source_open(&source, "-", &error);
    if (status == PF_OK)
        status = read_source(source, false, sums);
    shutdown(STDIN_FILENO, SHUT_RD);
    waitpid(child, NULL, 0);
    return status;
}

/* --- the tests -------------------------------------------------------------------------------- */

static void expect(int status, const struct sums *got, const struct sums *want,
                   const char *sentence)
{
    tap_ok(status == PF_EOF && memcmp(got, want, sizeof *got) == 0, "%s", sentence);
    if (status != PF_EOF)
        printf("# status %d\n", status);
    for (int k = 0; k < FIDS * LINES; k++)
        if (got->count[k / LINES][k % LINES] != want->count[k / LINES][k % LINES] ||
            got->ticks[k / LINES][k % LINES] != want->ticks[k / LINES][k % LINES])
            printf("# line %" PRIu32 " of %" PRIu32 ": %" PRId64 " statements, %" PRId64
                   " ticks, not %" PRId64 " and %" PRId64 "\n",
                   lines[k % LINES], fids[k / LINES], got->count[k / LINES][k % LINES],
                   got->ticks[k / LINES][k % LINES], want->count[k / LINES][k % LINES],
                   want->ticks[k / LINES][k % LINES]);
}

static void test_pieces(struct made *made)
{
    struct sums got;
    make(made, 1, RECORDS, false);
    struct pf_buffer packed = deflated(made);
    expect(read_memory(made->bytes.data, made->bytes.size, false, &got), &got, &made->sums,
           "a stream gives what its records add up to");
    expect(read_pieces(&made->bytes, 1, &got), &got, &made->sums, "the same byte by byte");
    expect(read_pieces(&made->bytes, 40, &got), &got, &made->sums, "in pieces of up to 40 bytes");
    expect(read_pieces(&made->bytes, 5000, &got), &got, &made->sums,
           "in pieces of up to 5000 bytes");
    expect(read_memory(packed.data, packed.size, false, &got), &got, &made->sums,
           "deflated, whatever follows");
    expect(read_pieces(&packed, 1, &got), &got, &made->sums, "deflated, byte by byte");
    expect(read_pieces(&packed, 3000, &got), &got, &made->sums,
           "deflated, in pieces of up to 3000 bytes");
    pf_buffer_free(&packed);
    pf_buffer_free(&made->bytes);
}

/* True if a cut stream gives the sums of its whole records. Reading fails if a record is
 * cut, but not with salvage. */
static bool cut_is_right(const struct made *made, const void *bytes, size_t size, size_t length,
                         bool whole)
{
    struct sums salvaged, plain;
    struct mark want = {.end = made->head}, got = {0};
    for (size_t k = 0; k < made->records && made->marks[k].end <= length; k++)
        want = made->marks[k];
    int status = read_memory(bytes, size, false, &plain),
        forgiving = read_memory(bytes, size, true, &salvaged);
    for (int k = 0; k < FIDS * LINES; k++) {
        got.count += salvaged.count[k / LINES][k % LINES];
        got.ticks += salvaged.ticks[k / LINES][k % LINES];
    }
    bool good = forgiving == PF_EOF && status == (whole ? PF_EOF : PF_FAILED) &&
                got.count == want.count && got.ticks == want.ticks &&
                salvaged.texts == want.texts && memcmp(&plain, &salvaged, sizeof plain) == 0;
    if (!good)
        printf("# of %zu bytes: status %d, with salvage %d; %" PRId64 " statements, not %" PRId64
               "\n",
               length, status, forgiving, got.count, want.count);
    return good;
}

/* True if a stream of this length ends between two records. A comment and an attribute have one
 * mark together, so the end of the comment is found by its text. */
static bool ends_whole(const struct made *made, size_t length)
{
    const char *bytes = made->bytes.data;
    for (size_t k = 0; k < made->records; k++)
        if (made->marks[k].end == length)
            return true;
    return length > 11 && memcmp(bytes + length - 11, "#a comment\n", 11) == 0;
}

static void test_cuts(struct made *made, bool wide)
{
    size_t wrong = 0;
    make(made, 2, FEW, wide);
    for (size_t length = made->marks[0].end; length < made->bytes.size; length++)
        wrong += !cut_is_right(made, made->bytes.data, length, length, ends_whole(made, length));
    tap_int((int64_t)wrong, 0,
            wide ? "also where all numbers are as long as can be"
                 : "cut anywhere it gives its whole records, and fails inside one");
    pf_buffer_free(&made->bytes);
}

/* Returns how many bytes of the stream can be inflated from the first `size` packed bytes. */
static size_t inflatable(const struct made *made, const struct pf_buffer *packed, size_t size)
{
    z_stream z = {0};
    unsigned char room[65536];
    if (inflateInit(&z) != Z_OK)
        return 0;
    z.next_in = (Bytef *)packed->data + made->head + 1;
    z.avail_in = (uInt)(size - made->head - 1);
    do {
        z.next_out = room;
        z.avail_out = sizeof room;
    } while (inflate(&z, Z_SYNC_FLUSH) == Z_OK && z.avail_out == 0);
    size_t length = made->head + z.total_out;
    inflateEnd(&z);
    return length;
}

static void test_deflated_cuts(struct made *made)
{
    size_t wrong = 0;
    make(made, 3, FEW, false);
    struct pf_buffer packed = deflated(made);
    for (size_t size = made->head + 1; size < packed.size - 18; size++) {
        size_t length = inflatable(made, &packed, size);
        if (length >= made->marks[0].end)
            wrong += !cut_is_right(made, packed.data, size, length, ends_whole(made, length));
    }
    tap_int((int64_t)wrong, 0,
            "deflated and cut anywhere it gives every whole record that can be inflated");
    pf_buffer_free(&packed);
    pf_buffer_free(&made->bytes);
}

/* --- numbers ---------------------------------------------------------------------------------- */

static void test_varints(void)
{
    static const unsigned char bytes[][6] = {{0x7f},
                                             {0x80, 0x7f},
                                             {0xbf, 0xff},
                                             {0xc0, 0, 1},
                                             {0xdf, 0xff, 0xff},
                                             {0xe0, 0, 0, 2},
                                             {0xfe, 1, 2, 3},
                                             {0xff, 0xff, 0xff, 0xff, 0xfb}};
    static const uint32_t values[] = {0x7f, 0x7f, 0x3fff, 1, 0x1fffff, 2, 0xe010203, (uint32_t)-5};
    static const int sizes[] = {1, 2, 2, 3, 3, 4, 4, 5};
    for (int k = 0; k < 8; k++) {
        uint32_t value, random;
        bool good = pf_nyt_varint(bytes[k], &value) - bytes[k] == sizes[k];
        good &= pf_nyt_random_varint(bytes[k], &random) - bytes[k] == sizes[k];
        tap_ok(good && value == values[k] && random == value, "the number %" PRIu32 " of %d bytes",
               values[k], sizes[k]);
    }
}

/* Tests 1.5 * 2^30, a time of day in 2021, and -0.75, in every form of numbers. */
static void test_reals(void)
{
    static const struct {
        const char *name;
        int64_t size;
        unsigned char time[16], other[16];
    } forms[] = {
        {"double, little-endian",
         8,
         {0, 0, 0, 0, 0, 0, 0xd8, 0x41},
         {0, 0, 0, 0, 0, 0, 0xe8, 0xbf}},
        {"double, big-endian", 8, {0x41, 0xd8}, {0xbf, 0xe8}},
        {"single, little-endian", 4, {0, 0, 0xc0, 0x4e}, {0, 0, 0x40, 0xbf}},
        {"single, big-endian", 4, {0x4e, 0xc0}, {0xbf, 0x40}},
        {"x87 in 16 bytes",
         16,
         {0, 0, 0, 0, 0, 0, 0, 0xc0, 0x1d, 0x40, 9, 9},
         {0, 0, 0, 0, 0, 0, 0, 0xc0, 0xfe, 0xbf, 9, 9}},
        {"x87 in 12 bytes",
         12,
         {0, 0, 0, 0, 0, 0, 0, 0xc0, 0x1d, 0x40, 9, 9},
         {0, 0, 0, 0, 0, 0, 0, 0xc0, 0xfe, 0xbf, 9, 9}},
        {"quad, little-endian",
         16,
         {[13] = 0x80, [14] = 0x1d, [15] = 0x40},
         {[13] = 0x80, [14] = 0xfe, [15] = 0xbf}},
        {"quad, big-endian", 16, {0x40, 0x1d, 0x80}, {0xbf, 0xfe, 0x80}},
    };
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
        struct pf_nyt_nv nv;
        bool known = pf_nyt_nv_size(&nv, forms[k].size);
        pf_nyt_nv_probe(&nv, forms[k].time);
        double time = pf_nyt_nv_load(&nv, forms[k].time),
               other = pf_nyt_nv_load(&nv, forms[k].other);
        tap_ok(known && time > 1610612735.5 && time < 1610612736.5 && other > -0.7501 &&
                   other < -0.7499,
               "the time of day tells the form of numbers: %s", forms[k].name);
    }
}

int main(void)
{
    struct made *made = malloc(sizeof *made);
    if (!made)
        return 2;
    test_varints();
    test_reals();
    test_pieces(made);
    test_cuts(made, false);
    test_cuts(made, true);
    test_deflated_cuts(made);
    free(made);
    return tap_done();
}

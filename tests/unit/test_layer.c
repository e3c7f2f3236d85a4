/* Tests of io/layer.h and of the layers that a source puts on a file by itself: gzip, UTF-16,
 * UTF-8's mark. */
#include "io/layer.h"
#include "io/source.h"

#include "scratch.h"
#include "tap.h"

#include <poll.h>
#include <snappy-c.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

struct gzip_case {
    const char *about;
    unsigned char bytes[400];
    size_t size;
    const char *text; /* expected bytes */
    int status;
    uint64_t offset; /* of the expected error */
};

static void add(struct gzip_case *c, const char *text)
{
    c->size += gzip_member(c->bytes + c->size, sizeof c->bytes - c->size, text, strlen(text));
}

static void add_raw(struct gzip_case *c, const char *bytes, size_t size)
{
    memcpy(c->bytes + c->size, bytes, size);
    c->size += size;
}

static void check_gzip(const struct gzip_case *c, struct pf_source *source, const char *where)
{
    struct pf_error error = {0};
    size_t size = drain_source(source, (const unsigned char *)c->text, strlen(c->text), 3);
    int status = pf_source_status(source, &error);

    tap_ok(size == strlen(c->text) && status == c->status, "gzip from %s: %s", where, c->about);
    if (c->status != PF_OK && status != PF_OK)
        tap_int((int64_t)error.offset, (int64_t)c->offset,
                "the failure of a gzip names the offset in the compressed file");
    pf_source_close(source);
}

static void test_gzip_members(void)
{
    struct gzip_case cases[] = {
        {.about = "one member", .text = "hello"},
        {.about = "three members, one of them empty", .text = "hello world"},
        {.about = "zero padding after the data", .text = "hello"},
        {.about = "zero padding between members", .text = "hello world"},
        {.about = "other bytes after the data", .text = "hello", .status = PF_FAILED},
        {.about = "other bytes after padding", .text = "hello", .status = PF_FAILED},
        {.about = "a cut magic number after the data", .text = "hello", .status = PF_FAILED},
        {.about = "a magic number with another second byte after the data",
         .text = "hello",
         .status = PF_FAILED},
        {.about = "magic only", .text = "", .status = PF_FAILED},
        {.about = "a wrong checksum", .text = "hello", .status = PF_FAILED},
    };
    struct pf_source *source;
    struct pf_error error = {0};

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        if (k != 8)
            add(&cases[k], "hello");
    }
    add(&cases[1], "");
    add(&cases[1], " world");
    add_raw(&cases[2], "\0\0\0\0\0\0\0", 7);
    add_raw(&cases[3], "\0\0\0", 3);
    add(&cases[3], " world");
    cases[4].offset = cases[4].size;
    add_raw(&cases[4], "junk", 4);
    cases[5].offset = cases[5].size + 2;
    add_raw(&cases[5], "\0\0junk", 6);
    add_raw(&cases[6], "\x1f", 1);
    cases[6].offset = cases[6].size;
    cases[7].offset = cases[7].size + 2;
    add_raw(&cases[7], "\x1f\x8c", 2);
    add_raw(&cases[8], "\x1f\x8b", 2);
    cases[8].offset = 2;
    cases[9].bytes[cases[9].size - 8] ^= 1;
    cases[9].offset = cases[9].size - 4;

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        pf_source_open_memory(&source, cases[k].bytes, cases[k].size, &error);
        check_gzip(&cases[k], source, "memory");
        write_file(in_folder("x.gz"), cases[k].bytes, cases[k].size);
        pf_source_open(&source, in_folder("x.gz"), &error);
        check_gzip(&cases[k], source, "a file");
    }
}

static void test_gzip_program(void)
{
    struct pf_source *source;
    struct pf_error error = {0};
    char command[600];

    snprintf(command, sizeof command,
             "cd '%s' && { echo one | gzip -9; echo two | gzip -1; } > two.gz 2> /dev/null",
             folder);
    if (system(command) != 0) {
        tap_ok(true, "the gzip program's members are read # SKIP there is no gzip");
        return;
    }
    pf_source_open(&source, in_folder("two.gz"), &error);
    tap_ok(drain_source(source, (const unsigned char *)"one\ntwo\n", 8, 100) == 8 &&
               pf_source_status(source, NULL) == PF_OK,
           "the gzip program's members are read");
    pf_source_close(source);
}

/* Reading input cut at any byte fails, unless the cut is between members. The bytes before the
 * failure are the beginning of the text. */
static void test_gzip_cuts(void)
{
    static const char text[] =
        "a line of text, another line of text, and numbers 0123456789 9876543210";
    struct gzip_case whole = {.text = text};
    size_t first;
    bool good = true;

    add(&whole, "a line of text, another line of text,");
    first = whole.size;
    add(&whole, text + strlen("a line of text, another line of text,"));
    for (size_t cut = 0; cut <= whole.size; cut++) {
        struct pf_source *source;
        struct pf_error error = {0};
        unsigned char *bytes = malloc(cut + 1); /* exact size, for AddressSanitizer */
        bool between = cut == 0 || cut == first || cut == whole.size;
        size_t size;

        memcpy(bytes, whole.bytes, cut);
        bytes = realloc(bytes, cut > 0 ? cut : 1);
        pf_source_open_memory(&source, bytes, cut, &error);
        if (cut == 1)
            between = true; /* 1f alone is plain text, not gzip */
        size = drain_source(source, cut == 1 ? bytes : (const unsigned char *)text, sizeof text - 1,
                            5);
        if (size == SIZE_MAX || pf_source_status(source, &error) != (between ? PF_OK : PF_FAILED) ||
            (!between && (!error.has_offset || error.offset != cut))) {
            good = false;
            printf("# cut at %zu of %zu: status %d, %zu bytes, offset %" PRIu64 "\n", cut,
                   whole.size, error.code, size, error.offset);
        }
        pf_source_close(source);
        free(bytes);
    }
    tap_ok(good, "a gzip cut at any byte gives a beginning and a failure at the cut");
}

/* With any byte damaged, reading fails or (for the header's time, flags and system) gives the same
 * text. */
static void test_gzip_damage(void)
{
    static const char text[] = "abcabcabcabc some text with numbers 1 2 3 4 5 6 7 8 9 10 abcabcabc";
    struct gzip_case whole = {.text = text};
    bool good = true;

    add(&whole, text);
    for (size_t at = 0; at < whole.size * 8; at++) {
        struct pf_source *source;
        struct pf_error error = {0};
        unsigned char bytes[sizeof whole.bytes];
        size_t have;

        memcpy(bytes, whole.bytes, whole.size);
        bytes[at / 8] = (unsigned char)(bytes[at / 8] ^ 1 << at % 8);
        pf_source_open_memory(&source, bytes, whole.size, &error);
        if (at >= 16 &&
            drain_source(source, (const unsigned char *)text, sizeof text - 1, 1000) !=
                sizeof text - 1 &&
            pf_source_status(source, NULL) != PF_FAILED)
            good = false;
        pf_source_skip(source, UINT64_MAX);
        pf_source_peek(source, 1, &have);
        good = good && have == 0;
        pf_source_close(source);
    }
    tap_ok(good, "a flipped bit in a gzip is found");
}

static void test_gzip_places(void)
{
    unsigned char bytes[400];
    size_t size = gzip_member(bytes, sizeof bytes, "hello ", 6), have;
    struct pf_source *source;
    struct pf_error error = {0};

    size += gzip_member(bytes + size, sizeof bytes - size, "", 0);
    size += gzip_member(bytes + size, sizeof bytes - size, "world", 5);
    size += gzip_member(bytes + size, sizeof bytes - size, "s", 1);
    pf_source_open_memory(&source, bytes, size, &error);
    pf_source_peek(source, 100, &have);
    tap_ok(have == 12 && pf_source_member(source, 0) == 6,
           "the first member of a gzip is not reported as a member");
    pf_source_take(source, 8);
    tap_ok(pf_source_member(source, 6) == 6,
           "a member that began in the bytes taken since the last call is reported");
    tap_ok(pf_source_member(source, 7) == 11 && pf_source_member(source, 12) == UINT64_MAX,
           "each further member is reported once");
    pf_source_close(source);
}

static void test_gzip_large(void)
{
    enum { SIZE = 2000000, MEMBERS = 5 };
    unsigned char *bytes = malloc(SIZE * MEMBERS), *packed = malloc(SIZE * MEMBERS + 100000);
    size_t size = 0;
    struct pf_source *source;
    struct pf_error error = {0};

    fill(bytes, SIZE * MEMBERS);
    memset(bytes + SIZE, 'x', SIZE); /* a small member that inflates to many bytes */
    for (size_t k = 0; k < MEMBERS; k++)
        size += gzip_member(packed + size, SIZE + 20000, bytes + k * SIZE, SIZE);
    write_file(in_folder("large.gz"), packed, size);
    pf_source_open(&source, in_folder("large.gz"), &error);
    tap_ok(drain_source(source, bytes, SIZE * MEMBERS, 300001) == SIZE * MEMBERS &&
               pf_source_status(source, NULL) == PF_OK && pf_source_raw_offset(source) == size,
           "a large gzip of several members is the data");
    pf_source_close(source);
    pf_source_open(&source, in_folder("large.gz"), &error);
    bool told = true;
    for (size_t k = 1, have; k < MEMBERS; k++) {
        /* a member ended long before the bytes that are inflated ahead */
        pf_source_skip(source, SIZE - 10);
        told = told && (pf_source_peek(source, 1, &have),
                        pf_source_member(source, k * SIZE - 10) >= k * SIZE);
        pf_source_skip(source, 10);
        told = told &&
               (pf_source_peek(source, 1, &have), pf_source_member(source, k * SIZE) == k * SIZE);
    }
    tap_ok(told, "a large gzip reports where its members begin");
    pf_source_close(source);
    write_file(in_folder("large.gz"), packed, size - 1);
    pf_source_open(&source, in_folder("large.gz"), &error);
    tap_ok(drain_source(source, bytes, SIZE * MEMBERS, 77) == SIZE * MEMBERS &&
               pf_source_status(source, &error) == PF_FAILED && error.offset == size - 1,
           "a gzip without its last byte gives all data and then fails");
    pf_source_close(source);
    free(bytes);
    free(packed);
}

static void test_line_of_cut_gzip(void)
{
    struct gzip_case cut = {.size = 0};
    struct pf_source *source;
    struct pf_error error = {0};
    struct pf_bytes line;
    size_t have;

    add(&cut, "whole\npart");
    pf_source_open_memory(&source, cut.bytes, cut.size - 8, &error);
    tap_ok(pf_source_line(source, &line, &error) == PF_OK &&
               pf_bytes_equal(line, PF_BYTES("whole")),
           "whole lines before a cut are given");
    tap_int(pf_source_line(source, &line, &error), PF_FAILED,
            "a line that may continue after the cut is not given");
    tap_ok(memcmp(pf_source_peek(source, 4, &have), "part", 4) == 0 && have == 4,
           "a line that may continue after the cut can be peeked at");
    pf_source_close(source);
}

/* True if the bytes, read from memory, give `text`. `marked`: they begin with a byte order mark,
 * which `text` lacks and offsets count. */
static bool read_behind_mark(const unsigned char *bytes, size_t size, const char *text, bool marked)
{
    struct pf_source *source;
    struct pf_error error = {0};
    size_t length = strlen(text);
    uint64_t before = marked ? 3 : 0;

    pf_source_open_memory(&source, bytes, size, &error);
    pf_source_peek(source, 1, &(size_t){0});
    bool good = pf_source_marked(source) == marked && pf_source_offset(source) == before &&
                drain_source(source, (const unsigned char *)text, length, 2) == length &&
                pf_source_offset(source) == before + length;
    pf_source_close(source);
    return good;
}

static void write_mark_slowly(int file)
{
    for (const char *p = "\xef\xbb\xbfone"; *p; p++) {
        poll(NULL, 0, 2);
        if (write(file, p, 1) != 1)
            _exit(1);
    }
}

static void test_mark(void)
{
    static const struct {
        const char *bytes, *text;
    } cases[] = {{"\xef\xbb\xbfone", "one"},
                 {"\xef\xbb\xbf", ""},
                 {"\xef\xbb\xbf\xef\xbb\xbf", "\xef\xbb\xbf"},
                 {"\xef\xbb", "\xef\xbb"},
                 {"\xef", "\xef"},
                 {"\xef\xbb\xbe", "\xef\xbb\xbe"},
                 {"one\xef\xbb\xbf", "one\xef\xbb\xbf"},
                 {"\xef\xbbone", "\xef\xbbone"}};
    unsigned char packed[200];
    struct pf_source *source;
    struct pf_error error = {0};
    pid_t pid;

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        size_t size = strlen(cases[k].bytes), split = 0;
        bool marked = size != strlen(cases[k].text);

        tap_ok(read_behind_mark((const unsigned char *)cases[k].bytes, size, cases[k].text, marked),
               "UTF-8's mark, case %zu", k);
        bool good = true;
        for (; split <= size; split++) {
            size_t used = gzip_member(packed, sizeof packed, cases[k].bytes, split);
            used += gzip_member(packed + used, sizeof packed - used, cases[k].bytes + split,
                                size - split);
            good = good && read_behind_mark(packed, used, cases[k].text, marked);
        }
        tap_ok(good, "UTF-8's mark in two members of a gzip");
        write_file(in_folder("mark"), cases[k].bytes, size);
        pf_source_open(&source, in_folder("mark"), &error);
        pf_source_start(source);
        tap_ok(drain_source(source, (const unsigned char *)cases[k].text, strlen(cases[k].text),
                            1) == strlen(cases[k].text) &&
                   pf_source_offset(source) == size,
               "UTF-8's mark in a file");
        pf_source_close(source);
    }
    become_stdin(pipe_from(write_mark_slowly, &pid));
    pf_source_open(&source, "-", &error);
    tap_ok(drain_source(source, (const unsigned char *)"one", 3, 1) == 3 &&
               pf_source_marked(source),
           "the mark comes through a pipe byte by byte");
    waitpid(pid, NULL, 0);
    pf_source_close(source);
}

/* Characters of one to four bytes in UTF-8, in UTF-16 in both byte orders. */
static const char utf8_text[] = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80";
static const unsigned char utf16_text[2][10] = {
    {0x61, 0x00, 0xe9, 0x00, 0xac, 0x20, 0x3d, 0xd8, 0x00, 0xde},
    {0x00, 0x61, 0x00, 0xe9, 0x20, 0xac, 0xd8, 0x3d, 0xde, 0x00},
};
static const unsigned char utf16_marks[2][2] = {{0xff, 0xfe}, {0xfe, 0xff}};

/* Cut UTF-16: whole characters, then U+FFFD for half a character, and a failure at an odd byte. */
static void check_utf16_cut(size_t order, size_t cut)
{
    static const size_t whole[] = {0, 1, 3, 6, 6, 10};
    unsigned char *bytes = malloc(2 + cut), expected[16]; /* exact size, for AddressSanitizer */
    size_t size = whole[cut / 2];
    struct pf_source *source;
    struct pf_error error = {0};

    memcpy(bytes, utf16_marks[order], 2);
    memcpy(bytes + 2, utf16_text[order], cut);
    memcpy(expected, utf8_text, size);
    if (cut / 2 == 4) {
        memcpy(expected + size, "\xef\xbf\xbd", 3);
        size += 3;
    }
    pf_source_open_memory(&source, bytes, 2 + cut, &error);
    tap_ok(drain_source(source, expected, size, 2) == size &&
               pf_source_status(source, &error) == (cut % 2 ? PF_FAILED : PF_OK) &&
               (cut % 2 == 0 || error.offset == 2 + cut - 1),
           "UTF-16 in byte order %zu, cut after %zu bytes", order, cut);
    pf_source_close(source);
    free(bytes);
}

static void test_utf16(void)
{
    enum { TIMES = 30000, UNITS = sizeof utf16_text[0], TEXT = sizeof utf8_text - 1 };
    unsigned char *bytes = malloc(2 + TIMES * UNITS), *expected = malloc(TIMES * TEXT);
    struct pf_source *source;
    struct pf_error error = {0};
    int ends[2];

    for (size_t order = 0; order < 2; order++) {
        for (size_t cut = 0; cut <= UNITS; cut++)
            check_utf16_cut(order, cut);
        memcpy(bytes, utf16_marks[order], 2);
        for (size_t k = 0; k < TIMES; k++) {
            memcpy(bytes + 2 + k * UNITS, utf16_text[order], UNITS);
            memcpy(expected + k * TEXT, utf8_text, TEXT);
        }
        write_file(in_folder("utf16"), bytes, 2 + TIMES * UNITS);
        pf_source_open(&source, in_folder("utf16"), &error);
        tap_ok(drain_source(source, expected, TIMES * TEXT, 7) == TIMES * TEXT &&
                   pf_source_status(source, NULL) == PF_OK &&
                   pf_source_raw_offset(source) == 2 + TIMES * UNITS &&
                   pf_source_raw_size(source) == 2 + TIMES * UNITS,
               "a long text in UTF-16 in byte order %zu", order);
        pf_source_close(source);
    }
    if (pipe(ends) != 0)
        exit(2);
    become_stdin(ends[0]);
    pf_source_open(&source, "-", &error);
    tap_ok(write(ends[1],
                 "\xff\xfe"
                 "a\0b",
                 5) == 5 &&
               pf_source_skip(source, 1) == 1 && pf_source_would_block(source),
           "half a character of UTF-16 blocks while the pipe is open");
    tap_ok(write(ends[1], "\0", 1) == 1 && !pf_source_would_block(source) &&
               *pf_source_peek(source, 1, &(size_t){0}) == 'b',
           "the other half comes later");
    close(ends[1]);
    pf_source_close(source);
    free(bytes);
    free(expected);
}

/* The limit counts inflated bytes, not the bytes of the file, and counts each layer separately. */
static void test_limit(void)
{
    enum { SIZE = 1000 };
    unsigned char bytes[SIZE], deflated[2 * SIZE], packed[2 * SIZE];
    uLongf inner = sizeof deflated;
    struct pf_source *source, *inflated;
    struct pf_error error = {0};

    fill(bytes, SIZE);
    size_t size = gzip_member(packed, sizeof packed, bytes, SIZE);
    for (uint64_t most = SIZE - 1; most <= SIZE; most++) {
        write_file(in_folder("x.gz"), packed, size);
        pf_source_open(&source, in_folder("x.gz"), &error);
        pf_source_limit(source, most);
        tap_ok(size > SIZE && drain_source(source, bytes, SIZE, 64) == most &&
                   pf_source_status(source, NULL) == (most < SIZE ? PF_FAILED : PF_OK),
               "a gzip of %zu bytes with %d inflated bytes and a limit of %" PRIu64, size, SIZE,
               most);
        pf_source_close(source);
    }
    compress(deflated, &inner, bytes, SIZE);
    size = gzip_member(packed, sizeof packed, deflated, inner);
    for (size_t less = 0; less < 2; less++) {
        pf_source_open_memory(&source, packed, size, &error);
        pf_source_limit(source, inner - less);
        tap_ok(!pf_source_layer(source), "a gzip shows no layer of a format");
        pf_layer_inflate(&inflated, source, &error);
        tap_ok(inner > SIZE && drain_source(inflated, bytes, SIZE, 64) == SIZE &&
                   pf_source_skip(source, 1) == 0 &&
                   pf_source_status(source, NULL) == (less ? PF_FAILED : PF_OK),
               "a layer in a gzip, with a limit %zu below the inflated bytes", less);
        pf_source_close(inflated);
        pf_source_close(source);
    }
}

/* Opens a source in memory with a layer that inflates from offset `skip`. */
static struct pf_source *open_inflated(struct pf_source **file, const void *bytes, size_t size,
                                       size_t skip)
{
    struct pf_error error = {0};
    struct pf_source *inflated = NULL;

    pf_source_open_memory(file, bytes, size, &error);
    pf_source_skip(*file, skip);
    pf_layer_inflate(&inflated, *file, &error);
    return inflated;
}

/* The source has "head", a zlib stream of SIZE bytes, "tail". */
static void test_inflate_layer(void)
{
    enum { SIZE = 500000, HEAD = 4 };
    unsigned char *bytes = malloc(SIZE), *file_bytes = malloc(2 * SIZE);
    uLongf packed = 2 * SIZE - 2 * HEAD;
    struct pf_error error = {0};
    struct pf_source *file, *inflated;
    size_t have;

    fill(bytes, SIZE);
    memcpy(file_bytes, "head", HEAD);
    compress(file_bytes + HEAD, &packed, bytes, SIZE);
    memcpy(file_bytes + HEAD + packed, "tail", HEAD);
    inflated = open_inflated(&file, file_bytes, packed + 2 * HEAD, HEAD);
    tap_ok(drain_source(inflated, bytes, SIZE, 70000) == SIZE &&
               pf_source_need(inflated, 1, &error) == PF_EOF && !pf_source_layer(inflated)->cut,
           "a layer inflates zlib's data and ends");
    tap_ok(pf_source_offset(inflated) == SIZE && pf_source_offset(file) == HEAD + packed &&
               memcmp(pf_source_peek(file, HEAD, &have), "tail", HEAD) == 0,
           "a layer takes no byte after the end of the zlib stream");
    pf_source_close(inflated);
    pf_source_close(file);

    inflated = open_inflated(&file, file_bytes, HEAD + packed - 1, HEAD);
    pf_source_skip(inflated, UINT64_MAX);
    tap_ok(pf_source_need(inflated, 1, &error) == PF_EOF && pf_source_layer(inflated)->cut,
           "a cut stream ends and is marked as cut");
    pf_source_close(inflated);
    pf_source_close(file);

    inflated = open_inflated(&file, file_bytes, HEAD + packed, 0);
    tap_ok(pf_source_need(inflated, 1, &error) == PF_FAILED && error.offset == 2 &&
               strstr(error.text, "the deflated data are damaged (") &&
               strstr(error.text, "(offset 0 once inflated)"),
           "damaged data fail after the head, with both offsets");
    pf_source_close(inflated);
    pf_source_close(file);

    error = (struct pf_error){0};
    pf_source_open_memory(&file, file_bytes, packed + HEAD, &error);
    pf_source_limit(file, SIZE - 1);
    pf_source_skip(file, HEAD);
    pf_layer_inflate(&inflated, file, &error);
    tap_ok(pf_source_skip(inflated, SIZE) < SIZE && pf_source_status(inflated, NULL) == PF_FAILED,
           "the limit of the source below holds for inflated bytes");
    pf_source_close(inflated);
    pf_source_close(file);
    free(bytes);
    free(file_bytes);
}

/* Three blocks, of which the second is empty. */
static void test_snappy_layers(void)
{
    enum { SIZE = 60000 };
    static char file_bytes[4 * SIZE] = "head";
    unsigned char *bytes = malloc(SIZE + 3);
    const size_t sizes[] = {SIZE, 0, 3};
    size_t at = 4, from = 0, have, packed;
    struct pf_error error = {0};
    struct pf_source *file, *look, *layer;

    fill(bytes, SIZE + 3);
    for (size_t k = 0; k < 3; k++, at += 2 + packed) {
        packed = sizeof file_bytes - at - 2;
        snappy_compress((const char *)bytes + from, sizes[k], file_bytes + at + 2, &packed);
        file_bytes[at] = (char)(packed >> 8);
        file_bytes[at + 1] = (char)(packed & 0xff);
        from += sizes[k];
    }
    pf_source_open_memory(&file, file_bytes, at, &error);
    pf_layer_look(&look, file, 4, SIZE, &error);
    pf_layer_snappy(&layer, look, &error);
    tap_ok(drain_source(layer, bytes, SIZE + 3, 1000) == SIZE + 3 && pf_source_offset(file) == 0,
           "a snappy layer that looks ahead gives the data and takes no byte of the file");
    pf_source_close(layer);
    pf_source_close(look);

    pf_layer_look(&look, file, 2, 2, &error);
    tap_ok(pf_source_offset(look) == 2 && *pf_source_peek(look, 1, &have) == 'a',
           "a layer that looks ahead has the offsets of the file");
    pf_source_close(look);
    pf_source_close(file);

    pf_source_open_memory(&file, file_bytes, at - 1, &error);
    pf_source_skip(file, 4);
    pf_layer_snappy(&layer, file, &error);
    pf_source_skip(layer, UINT64_MAX);
    tap_ok(pf_source_need(layer, 1, &error) == PF_FAILED &&
               strstr(error.text, "the file ends inside a block: only 4 of 5 bytes") &&
               error.offset == at - 7 && strstr(error.text, "(offset 60000 once uncompressed)"),
           "a cut block fails, with both offsets");
    pf_source_close(layer);
    pf_source_close(file);
    free(bytes);
}

int main(void)
{
    make_folder();
    test_gzip_members();
    test_gzip_program();
    test_gzip_cuts();
    test_gzip_damage();
    test_gzip_places();
    test_gzip_large();
    test_line_of_cut_gzip();
    test_mark();
    test_utf16();
    test_limit();
    test_inflate_layer();
    test_snappy_layers();
    remove_folder();
    return tap_done();
}

/* io/: what comes out of a source and what a sink leaves behind. */
#include "io/sink.h"
#include "io/source.h"

#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

static char folder[] = "/tmp/test_io.XXXXXX";

static const char *in_folder(const char *name)
{
    static char paths[16][256];
    static unsigned next;
    char *path = paths[next++ % 16];

    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static void write_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");

    if (file == NULL || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
        perror(path);
        exit(2);
    }
}

/* Size of the file, or -1; its first bytes in `bytes`. */
static long read_file(const char *path, void *bytes, size_t room)
{
    FILE *file = fopen(path, "rb");
    size_t size;

    if (file == NULL)
        return -1;
    size = fread(bytes, 1, room, file);
    fclose(file);
    return (long)size;
}

static bool file_is(const char *path, const char *text)
{
    char bytes[4096];
    long size = read_file(path, bytes, sizeof bytes);

    return size == (long)strlen(text) && memcmp(bytes, text, strlen(text)) == 0;
}

static bool exists(const char *path)
{
    struct stat status;

    return lstat(path, &status) == 0;
}

/* Bytes that neither repeat nor compress. */
static void fill(unsigned char *bytes, size_t size)
{
    uint32_t state = 1;

    for (size_t k = 0; k < size; k++) {
        state = state * 1664525u + 1013904223u;
        bytes[k] = (unsigned char)(state >> 24);
    }
}

/* One gzip member by zlib's own compressor; returns its size. */
static size_t gzip_member(unsigned char *out, size_t room, const void *bytes, size_t size)
{
    z_stream z = {0};
    size_t written;

    deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY);
    z.next_in = (z_const Bytef *)bytes;
    z.avail_in = (uInt)size;
    z.next_out = out;
    z.avail_out = (uInt)room;
    deflate(&z, Z_FINISH);
    written = room - z.avail_out;
    deflateEnd(&z);
    return written;
}

/* Takes everything in pieces of `step`; returns the size, or SIZE_MAX where the bytes differ from
 * `expected`. */
static size_t drain_source(struct pf_source *source, const unsigned char *expected, size_t size,
                           size_t step)
{
    size_t total = 0;

    for (;;) {
        size_t have;
        const unsigned char *p = pf_source_peek(source, step, &have);
        size_t part = have < step ? have : step;

        if (part == 0)
            return total;
        if (part > size - total || memcmp(p, expected + total, part) != 0 ||
            pf_source_offset(source) != total)
            return SIZE_MAX;
        pf_source_take(source, part);
        total += part;
    }
}

static void test_plain_file(void)
{
    static const size_t steps[] = {1, 7, 4096, 262144, 262145, 700000, 5000000};
    enum { SIZE = 3000001 };
    unsigned char *bytes = malloc(SIZE);
    const char *path = in_folder("plain");
    struct pf_error error = {0};
    struct pf_source *source;

    fill(bytes, SIZE);
    write_file(path, bytes, SIZE);
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
        pf_source_open(&source, path, &error);
        tap_ok(drain_source(source, bytes, SIZE, steps[k]) == SIZE &&
                   pf_source_status(source, NULL) == PF_OK,
               "a file taken in pieces of %zu is the file", steps[k]);
        tap_ok(pf_source_raw_offset(source) == SIZE && pf_source_raw_size(source) == SIZE &&
                   pf_source_offset(source) == SIZE,
               "its offsets end at its size");
        pf_source_close(source);
    }
    pf_source_open(&source, path, &error);
    tap_ok(pf_source_skip(source, 1000000) == 1000000 &&
               *pf_source_peek(source, 1, &(size_t){0}) == bytes[1000000] &&
               pf_source_skip(source, UINT64_MAX) == SIZE - 1000000 &&
               pf_source_skip(source, 1) == 0,
           "a skip stops at the end and says how far it came");
    pf_source_close(source);
    free(bytes);
}

static void test_peek_beyond(void)
{
    struct pf_source *source;
    struct pf_error error = {0};
    const unsigned char *p;
    size_t have;

    write_file(in_folder("small"), "0123456789", 10);
    pf_source_open(&source, in_folder("small"), &error);
    p = pf_source_peek(source, SIZE_MAX, &have);
    tap_ok(have == 10 && memcmp(p, "0123456789", 10) == 0,
           "a peek beyond the end gives what there is");
    pf_source_take(source, 9);
    p = pf_source_peek(source, (size_t)1 << 60, &have);
    tap_ok(have == 1 && *p == '9', "also with a huge need and little left");
    pf_source_take(source, 1);
    pf_source_peek(source, 1, &have);
    tap_ok(have == 0 && pf_source_status(source, &error) == PF_OK, "the end of a file is no error");
    pf_source_close(source);
    write_file(in_folder("empty"), "", 0);
    pf_source_open(&source, in_folder("empty"), &error);
    p = pf_source_peek(source, 4, &have);
    tap_ok(have == 0 && p != NULL, "an empty file has nothing to peek at");
    pf_source_close(source);
}

static void test_open_failures(void)
{
    struct pf_source *source = NULL;
    struct pf_error absent = {0}, is_folder = {0};
    char expected[300];

    tap_int(pf_source_open(&source, in_folder("absent"), &absent), PF_IO,
            "an absent file cannot be opened");
    snprintf(expected, sizeof expected, "cannot open '%s/absent': No such file or directory",
             folder);
    tap_text(absent.text, expected, "the message names it and says why");
    tap_ok(source == NULL, "and there is no source");
    tap_int(pf_source_open(&source, folder, &is_folder), PF_IO, "a directory cannot be read");
    snprintf(expected, sizeof expected, "cannot read '%s': it is a directory", folder);
    tap_text(is_folder.text, expected, "the message says that it is one");
}

static void test_memory(void)
{
    struct pf_source *source;
    struct pf_error error = {0};
    size_t have;

    pf_source_open_memory(&source, "abcdef", 6, &error);
    tap_ok(memcmp(pf_source_peek(source, 6, &have), "abcdef", 6) == 0 && have == 6,
           "memory is peeked at");
    tap_ok(!pf_source_would_block(source), "memory never blocks");
    pf_source_take(source, 6);
    tap_ok(pf_source_peek(source, 1, &have) != NULL && have == 0, "and ends");
    pf_source_close(source);
    pf_source_open_memory(&source, NULL, 0, &error);
    tap_ok(pf_source_peek(source, 1, &have) != NULL && have == 0 &&
               pf_source_status(source, NULL) == PF_OK,
           "no memory at all is an empty source");
    pf_source_close(source);
    pf_source_close(NULL);
}

struct gzip_case {
    const char *about;
    unsigned char bytes[400];
    size_t size;
    const char *text; /* what comes out */
    int status;
    uint64_t offset; /* of a failure */
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
                "its failure names the byte of the compressed file");
    pf_source_close(source);
}

static void test_gzip_members(void)
{
    struct gzip_case cases[] = {
        {.about = "one member", .text = "hello"},
        {.about = "three members, one of them empty", .text = "hello world"},
        {.about = "zero padding behind the data", .text = "hello"},
        {.about = "zero padding between members", .text = "hello world"},
        {.about = "other bytes behind the data", .text = "hello", .status = PF_FAILED},
        {.about = "other bytes behind padding", .text = "hello", .status = PF_FAILED},
        {.about = "a cut magic behind the data", .text = "hello", .status = PF_FAILED},
        {.about = "a magic with another second byte behind the data",
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

/* A cut at any byte is a failure, unless it is between the members; what is decoded is a beginning
 * of the text. */
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
        unsigned char *bytes = malloc(cut + 1); /* exactly as long, for the address sanitizer */
        bool between = cut == 0 || cut == first || cut == whole.size;
        size_t size;

        memcpy(bytes, whole.bytes, cut);
        bytes = realloc(bytes, cut > 0 ? cut : 1);
        pf_source_open_memory(&source, bytes, cut, &error);
        if (cut == 1)
            between = true; /* 1f alone is a plain byte */
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

/* Every damaged byte gives a failure or (in the header's time, flags and system) the same text. */
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

static void test_gzip_large(void)
{
    enum { SIZE = 2000000, MEMBERS = 5 };
    unsigned char *bytes = malloc(SIZE * MEMBERS), *packed = malloc(SIZE * MEMBERS + 100000);
    size_t size = 0;
    struct pf_source *source;
    struct pf_error error = {0};

    fill(bytes, SIZE * MEMBERS);
    memset(bytes + SIZE, 'x', SIZE); /* a member of few bytes that becomes many */
    for (size_t k = 0; k < MEMBERS; k++)
        size += gzip_member(packed + size, SIZE + 20000, bytes + k * SIZE, SIZE);
    write_file(in_folder("large.gz"), packed, size);
    pf_source_open(&source, in_folder("large.gz"), &error);
    tap_ok(drain_source(source, bytes, SIZE * MEMBERS, 300001) == SIZE * MEMBERS &&
               pf_source_status(source, NULL) == PF_OK && pf_source_raw_offset(source) == size &&
               pf_source_raw_size(source) == size,
           "a large gzip of several members is the data");
    pf_source_close(source);
    write_file(in_folder("large.gz"), packed, size - 1);
    pf_source_open(&source, in_folder("large.gz"), &error);
    tap_ok(drain_source(source, bytes, SIZE * MEMBERS, 77) == SIZE * MEMBERS &&
               pf_source_status(source, &error) == PF_FAILED && error.offset == size - 1,
           "one that lacks its last byte gives all data and then fails");
    pf_source_close(source);
    free(bytes);
    free(packed);
}

static void test_lines(void)
{
    static const char text[] = "one\n\ntwo\r\nthree\r\r\n\r\n\0x\nlast\r";
    static const struct {
        struct pf_bytes line;
        uint64_t offset;
    } lines[] = {
        {PF_BYTES("one"), 4},      {PF_BYTES(""), 5},  {PF_BYTES("two"), 10},
        {PF_BYTES("three\r"), 18}, {PF_BYTES(""), 20}, {PF_BYTES("\0x"), 23},
        {PF_BYTES("last\r"), 28},
    };
    struct pf_source *source;
    struct pf_error error = {0};
    struct pf_bytes line;

    pf_source_open_memory(&source, text, sizeof text - 1, &error);
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
        int status = pf_source_line(source, &line, &error);

        tap_ok(status == PF_OK && pf_bytes_equal(line, lines[k].line) &&
                   pf_source_offset(source) == lines[k].offset,
               "line %zu is read without its end", k + 1);
    }
    tap_int(pf_source_line(source, &line, &error), PF_EOF, "then the lines end");
    tap_int(pf_source_line(source, &line, &error), PF_EOF, "and stay at their end");
    pf_source_close(source);
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
            "a line that may go on behind the cut is not");
    tap_ok(memcmp(pf_source_peek(source, 4, &have), "part", 4) == 0 && have == 4,
           "but can be peeked at");
    pf_source_close(source);
}

static void test_long_lines(void)
{
    enum { MIB = 1024 * 1024, LIMIT = 64 * MIB };
    const char *path = in_folder("long");
    char *text = malloc(LIMIT + 2);
    struct pf_source *source;
    struct pf_error error = {0};
    struct pf_bytes line;

    memset(text, 'x', LIMIT + 2);
    text[2] = '\n';
    text[LIMIT + 1] = '\n';
    write_file(path, text, LIMIT + 2);
    pf_source_open(&source, path, &error);
    tap_ok(pf_source_line(source, &line, &error) == PF_OK && line.size == 2 &&
               pf_source_line(source, &line, &error) == PF_OK && line.size == LIMIT - 2,
           "a line of nearly 64 MiB is read");
    pf_source_close(source);
    text[1] = '\n';
    text[2] = 'x';
    text[LIMIT + 1] = 'x';
    pf_source_open_memory(&source, text, LIMIT + 2, &error);
    tap_ok(pf_source_line(source, &line, &error) == PF_OK &&
               pf_source_line(source, &line, &error) == PF_OK && line.size == LIMIT,
           "one of 64 MiB too");
    pf_source_close(source);
    text[1] = 'x';
    write_file(path, text, LIMIT + 2);
    pf_source_open(&source, path, &error);
    tap_int(pf_source_line(source, &line, &error), PF_FAILED, "a longer one is refused");
    tap_text(error.text, "line longer than 64 MiB", "by what it is");
    tap_ok(error.has_offset && error.offset == 0, "and where it starts");
    pf_source_close(source);
    unlink(path);
    free(text);
}

/* Runs `writer` in a process of its own whose output is the write end of a pipe; returns the read
 * end. */
static int pipe_from(void (*writer)(int fd), pid_t *pid)
{
    int ends[2];

    if (pipe(ends) != 0)
        exit(2);
    *pid = fork();
    if (*pid == 0) {
        close(ends[0]);
        writer(ends[1]);
        _exit(0);
    }
    close(ends[1]);
    return ends[0];
}

static void write_slowly(int fd)
{
    for (int k = 0; k < 200; k++) {
        char line[32];
        int size = snprintf(line, sizeof line, "line number %d\n", k);

        for (int at = 0; at < size; at += 5) {
            if (write(fd, line + at, (size_t)(size - at < 5 ? size - at : 5)) < 0)
                _exit(1);
        }
    }
}

static void write_gzip_slowly(int fd)
{
    unsigned char bytes[200];
    size_t size = gzip_member(bytes, sizeof bytes, "one\n", 4);

    size += gzip_member(bytes + size, sizeof bytes - size, "two\n", 4);
    for (size_t at = 0; at < size; at++) {
        if (write(fd, bytes + at, 1) != 1)
            _exit(1);
    }
}

/* Makes fd 0 of this process the given descriptor. */
static void become_stdin(int fd)
{
    dup2(fd, STDIN_FILENO);
    close(fd);
}

static void test_pipes(void)
{
    struct pf_source *source;
    struct pf_error error = {0};
    struct pf_bytes line;
    pid_t pid;
    int count = 0, ends[2];
    char expected[32];
    bool good = true;

    become_stdin(pipe_from(write_slowly, &pid));
    pf_source_open(&source, "-", &error);
    while (pf_source_line(source, &line, &error) == PF_OK) {
        snprintf(expected, sizeof expected, "line number %d", count++);
        good = good && pf_bytes_equal(line, pf_bytes_of(expected));
    }
    waitpid(pid, NULL, 0);
    tap_ok(good && count == 200 && pf_source_raw_size(source) == 0,
           "standard input is read from a pipe in small pieces");
    pf_source_close(source);
    tap_ok(fcntl(STDIN_FILENO, F_GETFD) >= 0, "and is not closed");

    become_stdin(pipe_from(write_gzip_slowly, &pid));
    pf_source_open(&source, "-", &error);
    tap_ok(drain_source(source, (const unsigned char *)"one\ntwo\n", 8, 100) == 8 &&
               pf_source_status(source, NULL) == PF_OK,
           "gzip comes through a pipe byte by byte");
    waitpid(pid, NULL, 0);
    pf_source_close(source);

    if (pipe(ends) != 0)
        exit(2);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    become_stdin(ends[0]);
    pid = fork();
    if (pid == 0) {
        poll(NULL, 0, 30);
        _exit(write(ends[1], "late", 4) == 4 ? 0 : 1);
    }
    close(ends[1]);
    pf_source_open(&source, "-", &error);
    tap_ok(drain_source(source, (const unsigned char *)"late", 4, 100) == 4 &&
               pf_source_status(source, NULL) == PF_OK,
           "a descriptor somebody made non-blocking is waited for");
    waitpid(pid, NULL, 0);
    pf_source_close(source);
}

static void test_would_block(void)
{
    unsigned char bytes[200];
    struct pf_source *source;
    struct pf_error error = {0};
    size_t have, size = gzip_member(bytes, sizeof bytes, "0123456789", 10);
    int ends[2];

    if (pipe(ends) != 0)
        exit(2);
    become_stdin(ends[0]);
    pf_source_open(&source, "-", &error);
    tap_ok(pf_source_would_block(source), "an empty pipe would block");
    tap_ok(write(ends[1], "ab", 2) == 2 && !pf_source_would_block(source),
           "one with bytes would not");
    pf_source_peek(source, 2, &have);
    tap_ok(!pf_source_would_block(source), "bytes at hand do not block");
    pf_source_take(source, 2);
    tap_ok(pf_source_would_block(source), "when they are taken it blocks again");
    close(ends[1]);
    tap_ok(!pf_source_would_block(source), "the end does not block");
    pf_source_close(source);

    if (pipe(ends) != 0)
        exit(2);
    become_stdin(ends[0]);
    pf_source_open(&source, "-", &error);
    tap_ok(write(ends[1], bytes, size) == (ssize_t)size, "(a whole gzip is in the pipe)");
    pf_source_peek(source, 1, &have);
    tap_ok(!pf_source_would_block(source), "inflated bytes at hand do not block");
    pf_source_take(source, have);
    tap_ok(pf_source_would_block(source), "the end of a member blocks while the pipe is open");
    tap_ok(write(ends[1], bytes, size) == (ssize_t)size && !pf_source_would_block(source),
           "another member does not");
    close(ends[1]);
    pf_source_close(source);

    write_file(in_folder("regular"), "x", 1);
    pf_source_open(&source, in_folder("regular"), &error);
    tap_ok(!pf_source_would_block(source), "a regular file never blocks");
    pf_source_close(source);
}

static void test_fifo(void)
{
    const char *path = in_folder("fifo");
    struct pf_source *source;
    struct pf_sink *sink;
    struct pf_error error = {0};
    pid_t pid;

    mkfifo(path, 0600);
    pid = fork();
    if (pid == 0) {
        if (pf_sink_open(&sink, path, &error) != PF_OK || !pf_sink_live(sink) ||
            pf_sink_temporary(sink) != NULL)
            _exit(1);
        pf_sink_text(sink, "through a fifo");
        _exit(pf_sink_commit(sink, &error) == PF_OK ? 0 : 1);
    }
    pf_source_open(&source, path, &error);
    tap_ok(drain_source(source, (const unsigned char *)"through a fifo", 14, 100) == 14,
           "a FIFO is written in place and read");
    pf_source_close(source);
    tap_ok(waitpid(pid, &(int){0}, 0) == pid && exists(path), "and is still there");
}

static mode_t mode_of(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 ? status.st_mode & 07777 : 0;
}

static void test_commit(void)
{
    const char *path = in_folder("target");
    struct pf_sink *sink;
    struct pf_error error = {0};
    char temporary[300];
    mode_t mask = umask(027);

    pf_sink_open(&sink, path, &error);
    snprintf(temporary, sizeof temporary, "%s", pf_sink_temporary(sink));
    pf_sink_text(sink, "new text\n");
    pf_sink_printf(sink, "%s %d\n", "number", 42);
    tap_ok(!exists(path) && exists(temporary) && strstr(temporary, "/.target.") != NULL,
           "before the commit there is only a file beside the target");
    tap_int((int64_t)pf_sink_offset(sink), 19, "the offset counts what was written");
    tap_ok(!pf_sink_live(sink) && !pf_sink_terminal(sink), "nobody waits for a file");
    tap_int(pf_sink_commit(sink, &error), PF_OK, "the commit succeeds");
    tap_ok(file_is(path, "new text\nnumber 42\n") && !exists(temporary),
           "then the target holds it all");
    tap_int(mode_of(path), 0640, "with the mode the umask leaves");
    umask(mask);

    chmod(path, 0604);
    pf_sink_open(&sink, path, &error);
    pf_sink_text(sink, "never seen");
    snprintf(temporary, sizeof temporary, "%s", pf_sink_temporary(sink));
    pf_sink_abort(sink);
    tap_ok(file_is(path, "new text\nnumber 42\n") && !exists(temporary),
           "an old target survives an abort, nothing else does");
    pf_sink_open(&sink, path, &error);
    pf_sink_text(sink, "second");
    pf_sink_commit(sink, &error);
    tap_ok(file_is(path, "second") && mode_of(path) == 0604, "a replaced file keeps its mode");
    pf_sink_abort(NULL);
}

static void test_links(void)
{
    const char *link = in_folder("sub/link"), *dangling = in_folder("sub/dangling"),
               *loop = in_folder("loop");
    struct pf_sink *sink;
    struct pf_error error = {0};

    mkdir(in_folder("sub"), 0700);
    if (symlink("../target", link) != 0 || symlink("link2", dangling) != 0 ||
        symlink("../fresh", in_folder("sub/link2")) != 0 || symlink("loop", loop) != 0)
        exit(2);
    pf_sink_open(&sink, link, &error);
    pf_sink_text(sink, "by link");
    pf_sink_commit(sink, &error);
    tap_ok(file_is(in_folder("target"), "by link") && readlink(link, (char[8]){0}, 8) > 0,
           "a link is followed and stays");
    pf_sink_open(&sink, dangling, &error);
    pf_sink_text(sink, "fresh");
    pf_sink_commit(sink, &error);
    tap_ok(file_is(in_folder("fresh"), "fresh") && readlink(dangling, (char[8]){0}, 8) > 0,
           "also links to a file that is not there yet");
    tap_ok(pf_sink_open(&sink, loop, &error) == PF_IO && sink == NULL &&
               strstr(error.text, "cannot write '") == error.text,
           "a link to itself is an error");
}

static void test_sink_failures(void)
{
    char long_name[300], expected[400];
    struct pf_sink *sink;
    struct pf_error nowhere = {0}, is_folder = {0};

    tap_int(pf_sink_open(&sink, in_folder("no/where"), &nowhere), PF_IO,
            "a target in no directory cannot be written");
    snprintf(expected, sizeof expected,
             "cannot create a file beside '%s/no/where': No such file or directory", folder);
    tap_text(nowhere.text, expected, "and the message says so");
    tap_int(pf_sink_open(&sink, folder, &is_folder), PF_IO, "a directory cannot be written");
    snprintf(expected, sizeof expected, "cannot write '%s': Is a directory", folder);
    tap_text(is_folder.text, expected, "and the message says so");
    memset(long_name, 'n', 255);
    long_name[255] = '\0';
    snprintf(expected, sizeof expected, "%s/%s", folder, long_name);
    tap_ok(pf_sink_open(&sink, expected, &(struct pf_error){0}) == PF_OK,
           "a name as long as names can be is possible");
    pf_sink_abort(sink);
}

static bool has_full_device(void)
{
    int fd = open("/dev/full", O_WRONLY);
    bool full = fd >= 0 && write(fd, "x", 1) < 0 && errno == ENOSPC;

    if (fd >= 0)
        close(fd);
    return full;
}

static void test_full(void)
{
    static char block[300000];
    struct pf_sink *sink;
    struct pf_error error = {0}, later = {0};

    if (!has_full_device()) {
        tap_ok(true, "a full device is reported # SKIP there is no /dev/full");
        return;
    }
    pf_sink_open(&sink, "/dev/full", &error);
    tap_int(pf_sink_text(sink, "buffered"), PF_OK, "a buffered write to a full device looks good");
    tap_int(pf_sink_commit(sink, &error), PF_IO, "its commit does not");
    tap_text(error.text, "cannot write '/dev/full': No space left on device", "and says why");
    pf_sink_open(&sink, "/dev/full", &later);
    tap_int(pf_sink_write(sink, block, sizeof block), PF_IO,
            "a write over the buffer fails at once");
    tap_int(pf_sink_text(sink, ""), PF_IO, "the failure stays, even for nothing");
    tap_int(pf_sink_text(sink, "x"), PF_IO, "and for more");
    tap_ok(pf_sink_status(sink, &later) == PF_IO && later.code == PF_IO, "and is the status");
    pf_sink_abort(sink);
    pf_sink_open(&sink, "/dev/full", &error);
    pf_sink_gzip(sink, 6);
    pf_sink_text(sink, "buffered");
    tap_int(pf_sink_commit(sink, NULL), PF_IO, "so it is with gzip");
}

static int write_too_much(void)
{
    struct rlimit limit = {100000, 100000};
    struct pf_sink *sink;
    struct pf_error error = {0};
    unsigned char *bytes = malloc(1000000);
    char temporary[300];

    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    fill(bytes, 1000000);
    pf_sink_open(&sink, in_folder("kept"), &error);
    snprintf(temporary, sizeof temporary, "%s", pf_sink_temporary(sink));
    pf_sink_write(sink, bytes, 1000000);
    free(bytes);
    if (pf_sink_commit(sink, &error) != PF_IO ||
        strstr(error.text, "/kept': File too large") == NULL)
        return 1;
    return exists(temporary) ? 2 : 0;
}

/* The exit status of `body` in a process whose standard output is `fd` (-1: closed). */
static int with_stdout(int fd, int (*body)(void))
{
    int status = 0;
    pid_t pid = fork();

    if (pid == 0) {
        if (fd >= 0)
            dup2(fd, STDOUT_FILENO);
        else
            close(STDOUT_FILENO);
        _exit(body());
    }
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static int write_stdout(void)
{
    static const char mark[] = "to standard output: No space left on device";
    struct pf_sink *sink;
    struct pf_error error = {0};

    if (pf_sink_open(&sink, "-", &error) != PF_OK)
        return strcmp(error.text, "cannot write standard output: Bad file descriptor") == 0 ? 10
                                                                                            : 11;
    pf_sink_text(sink, mark);
    if (pf_sink_commit(sink, &error) != PF_OK)
        return strcmp(error.text, "cannot write standard output: No space left on device") == 0
                   ? 20
                   : 21;
    return 0;
}

static int write_twice(void)
{
    struct pf_sink *sink;
    struct pf_error error = {0};

    signal(SIGPIPE, SIG_IGN);
    pf_sink_open(&sink, NULL, &error);
    if (!pf_sink_live(sink) || pf_sink_text(sink, "x") != PF_OK || pf_sink_flush(sink) != PF_IO)
        return 1;
    pf_sink_status(sink, &error);
    pf_sink_abort(sink);
    return strcmp(error.text, "cannot write standard output: Broken pipe") == 0 ? 30 : 31;
}

static void test_stdout(void)
{
    int full = open("/dev/full", O_WRONLY),
        file = open(in_folder("stdout"), O_WRONLY | O_CREAT, 0600), ends[2];

    tap_int(with_stdout(file, write_stdout), 0, "standard output is written");
    tap_ok(file_is(in_folder("stdout"), "to standard output: No space left on device"),
           "with all bytes");
    tap_int(with_stdout(-1, write_stdout), 10,
            "a closed standard output is reported when it is opened");
    if (full >= 0)
        tap_int(with_stdout(full, write_stdout), 20, "a full one when it is committed");
    if (pipe(ends) != 0)
        exit(2);
    close(ends[0]);
    tap_int(with_stdout(ends[1], write_stdout), 1000 + SIGPIPE, "a closed pipe kills by SIGPIPE");
    tap_int(with_stdout(ends[1], write_twice), 30, "or is an error where that signal is ignored");
    close(ends[1]);
    close(full);
    write_file(in_folder("kept"), "old", 3);
    tap_int(with_stdout(file, write_too_much), 0,
            "a file that cannot grow fails and leaves no litter");
    tap_ok(file_is(in_folder("kept"), "old"), "and its old target is still there");
    close(file);
}

/* The memory of a sink through the reader. */
static void check_memory(struct pf_sink *sink, const unsigned char *expected, size_t size,
                         const char *sentence)
{
    struct pf_source *source;
    size_t packed;
    const void *bytes = pf_sink_memory(sink, &packed);

    pf_source_open_memory(&source, bytes, packed, NULL);
    tap_ok(drain_source(source, expected, size, 1000) == size &&
               pf_source_status(source, NULL) == PF_OK,
           "%s", sentence);
    pf_source_close(source);
}

static void test_sink_memory(void)
{
    enum { SIZE = 1000000 };
    unsigned char *bytes = malloc(SIZE);
    struct pf_sink *sink, *other;
    size_t size, other_size;

    fill(bytes, SIZE);
    pf_sink_open_memory(&sink, NULL);
    for (size_t at = 0; at < SIZE; at += 1000)
        pf_sink_write(sink, bytes + at, 1000);
    check_memory(sink, bytes, SIZE, "a sink in memory holds what was written");
    tap_int((int64_t)pf_sink_offset(sink), SIZE, "and counts it");
    tap_int(pf_sink_commit(sink, NULL), PF_OK, "and is committed to nowhere");

    memset(bytes + SIZE / 2, 'x', SIZE / 2);
    pf_sink_open_memory(&sink, NULL);
    pf_sink_open_memory(&other, NULL);
    pf_sink_gzip(sink, 9);
    pf_sink_gzip(other, 9);
    pf_sink_write(sink, bytes, SIZE);
    for (size_t at = 0; at < SIZE; at += 1000)
        pf_sink_write(other, bytes + at, 1000);
    tap_int((int64_t)pf_sink_offset(sink), SIZE,
            "the offset of a gzip counts bytes before compression");
    pf_sink_finish(sink);
    pf_sink_finish(other);
    check_memory(sink, bytes, SIZE, "a finished gzip is read back");
    tap_ok(memcmp(pf_sink_memory(sink, &size), pf_sink_memory(other, &other_size), 100000) == 0 &&
               size == other_size,
           "a gzip does not depend on how it was cut into writes");
    tap_ok(memcmp((const char *)pf_sink_memory(sink, &size) + 3, "\0\0\0\0", 5) == 0,
           "it names no file and no time");
    pf_sink_abort(sink);
    pf_sink_abort(other);

    pf_sink_open_memory(&sink, NULL);
    pf_sink_gzip(sink, 1);
    pf_sink_finish(sink);
    check_memory(sink, bytes, 0, "an empty gzip is read back");
    pf_sink_abort(sink);
    free(bytes);
}

static void test_sink_file(void)
{
    enum { SIZE = 5000000 };
    unsigned char *bytes = malloc(SIZE);
    const char *path = in_folder("big");
    struct pf_sink *sink;
    struct pf_source *source;
    struct pf_error error = {0};
    char *text = malloc(3000);

    fill(bytes, SIZE);
    for (int gzip = 0; gzip < 2; gzip++) {
        size_t at = 0;

        pf_sink_open(&sink, path, &error);
        if (gzip != 0)
            pf_sink_gzip(sink, 1);
        for (size_t step = 1; at < SIZE; step = step * 3 % 700001) {
            size_t part = step < SIZE - at ? step : SIZE - at;

            pf_sink_write(sink, bytes + at, part);
            at += part;
            if (pf_sink_offset(sink) != at)
                tap_ok(false, "the offset is right after each write");
            if (step % 5 == 0)
                pf_sink_flush(sink);
        }
        tap_int(pf_sink_commit(sink, &error), PF_OK, "writes of all sizes are committed");
        pf_source_open(&source, path, &error);
        tap_ok(drain_source(source, bytes, SIZE, 100000) == SIZE &&
                   pf_source_status(source, NULL) == PF_OK,
               "and read back from %s", gzip != 0 ? "gzip" : "the file");
        pf_source_close(source);
    }
    memset(text, 'y', 2999);
    text[2999] = '\0';
    pf_sink_open(&sink, path, &error);
    pf_sink_printf(sink, "%s", text);
    tap_int(pf_sink_commit(sink, &error), PF_OK, "a long formatted text is committed");
    tap_ok(file_is(path, text), "and is whole");
    free(text);
    free(bytes);
}

static void ignore(int number)
{
    (void)number;
}

/* A timer interrupts reads and writes all the time: nothing is lost. */
static void test_interrupts(void)
{
    enum { SIZE = 3000000 };
    unsigned char *bytes = malloc(SIZE);
    struct sigaction action;
    struct pf_source *source;
    struct pf_sink *sink;
    struct pf_error error = {0};
    int ends[2], status = 0;
    pid_t pid, child;

    fill(bytes, SIZE);
    memset(&action, 0, sizeof action);
    action.sa_handler = ignore; /* without SA_RESTART */
    sigaction(SIGUSR1, &action, NULL);
    if (pipe(ends) != 0)
        exit(2);
    become_stdin(ends[0]);
    child = fork();
    if (child == 0) {
        close(STDIN_FILENO);
        dup2(ends[1], STDOUT_FILENO);
        close(ends[1]);
        if (pf_sink_open(&sink, "-", &error) != PF_OK)
            _exit(1);
        pf_sink_write(sink, bytes, SIZE);
        _exit(pf_sink_commit(sink, &error) == PF_OK ? 0 : 1);
    }
    close(ends[1]);
    pid = fork();
    if (pid == 0) {
        for (int k = 0; k < 200; k++) {
            kill(getppid(), SIGUSR1);
            kill(child, SIGUSR1);
            poll(NULL, 0, 1);
        }
        _exit(0);
    }
    pf_source_open(&source, "-", &error);
    poll(NULL, 0, 5); /* the pipe fills: the writer waits and is interrupted there */
    tap_ok(drain_source(source, bytes, SIZE, 100) == SIZE &&
               pf_source_status(source, NULL) == PF_OK,
           "signals in the middle of reads and writes lose nothing");
    waitpid(pid, NULL, 0);
    tap_ok(waitpid(child, &status, 0) == child && status == 0, "the writer ends well too");
    pf_source_close(source);
    free(bytes);
}

static void remove_folder(void)
{
    char command[64];

    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command) != 0)
        perror(folder);
}

int main(void)
{
    if (mkdtemp(folder) == NULL)
        return 2;
    test_plain_file();
    test_peek_beyond();
    test_open_failures();
    test_memory();
    test_gzip_members();
    test_gzip_program();
    test_gzip_cuts();
    test_gzip_damage();
    test_gzip_large();
    test_lines();
    test_line_of_cut_gzip();
    test_long_lines();
    test_pipes();
    test_would_block();
    test_fifo();
    test_commit();
    test_links();
    test_sink_failures();
    test_full();
    test_stdout();
    test_sink_memory();
    test_sink_file();
    test_interrupts();
    remove_folder();
    return tap_done();
}

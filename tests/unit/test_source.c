/* Tests of io/source.h: bytes and lines from files, pipes and memory. */
#include "io/source.h"

#include "scratch.h"
#include "tap.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

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
        tap_ok(pf_source_raw_offset(source) == SIZE && pf_source_offset(source) == SIZE,
               "offsets end at the size of the file");
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
    tap_ok(have == 10 && memcmp(p, "0123456789", 10) == 0, "a peek beyond the end gives the rest");
    pf_source_take(source, 9);
    p = pf_source_peek(source, (size_t)1 << 60, &have);
    tap_ok(have == 1 && *p == '9', "a huge peek near the end gives the rest");
    pf_source_take(source, 1);
    pf_source_peek(source, 1, &have);
    tap_ok(have == 0 && pf_source_status(source, &error) == PF_OK, "the end of a file is no error");
    pf_source_close(source);
    write_file(in_folder("empty"), "", 0);
    pf_source_open(&source, in_folder("empty"), &error);
    p = pf_source_peek(source, 4, &have);
    tap_ok(have == 0 && p, "an empty file has nothing to peek at");
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
    tap_text(absent.text, expected, "the message names the absent file and says why");
    tap_ok(!source, "a failed open gives no source");
    tap_int(pf_source_open(&source, folder, &is_folder), PF_IO, "a directory cannot be read");
    snprintf(expected, sizeof expected, "cannot read '%s': it is a directory", folder);
    tap_text(is_folder.text, expected, "the message says that it is a directory");
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
    tap_ok(pf_source_peek(source, 1, &have) && have == 0, "and ends");
    pf_source_close(source);
    pf_source_open_memory(&source, NULL, 0, &error);
    tap_ok(pf_source_peek(source, 1, &have) && have == 0 && pf_source_status(source, NULL) == PF_OK,
           "no memory at all is an empty source");
    pf_source_close(source);
    pf_source_close(NULL);
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
    tap_int(pf_source_line(source, &line, &error), PF_EOF, "a source stays at its end");
    pf_source_close(source);
}

/* The bytes before the cursor are those read last, as long as they are kept. */
static void test_behind(void)
{
    struct pf_source *source;
    struct pf_error error = {0};
    struct pf_bytes line;
    bool same = true, seen = false;
    char *text = malloc(2000000);
    unsigned char *packed = malloc(100000);

    for (size_t k = 0; k < 2000000; k++)
        text[k] = k % 1000 == 999 ? '\n' : (char)('a' + k % 1000 % 26);
    pf_source_open_memory(&source, text, 2000000, &error);
    tap_ok(pf_source_line(source, &line, &error) == PF_OK && pf_source_behind(source) == 0,
           "a source of borrowed bytes does not know the bytes before");
    pf_source_close(source);
    pf_source_open_memory(&source, packed, gzip_member(packed, 100000, text, 2000000), &error);
    while (pf_source_line(source, &line, &error) == PF_OK) {
        size_t behind = pf_source_behind(source);
        same = same && behind <= pf_source_offset(source) &&
               (behind < 2000 || memcmp(source->cursor - 2000, source->cursor - 1000, 1000) == 0);
        seen = seen || behind >= 2000;
    }
    tap_ok(same && seen, "the line before is still readable");
    pf_source_close(source);
    free(packed);
    free(text);
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
    tap_int(pf_source_line(source, &line, &error), PF_FAILED, "a longer line is refused");
    tap_text(error.text, "line longer than 64 MiB", "by what it is");
    tap_ok(error.has_offset && error.offset == 0, "the error names the offset of the long line");
    pf_source_close(source);
    unlink(path);
    free(text);
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
    tap_ok(good && count == 200, "standard input is read from a pipe in small pieces");
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
           "a pipe with bytes would not block");
    pf_source_peek(source, 2, &have);
    tap_ok(!pf_source_would_block(source), "bytes in the buffer do not block");
    pf_source_take(source, 2);
    tap_ok(pf_source_would_block(source), "an empty buffer and pipe block again");
    close(ends[1]);
    tap_ok(!pf_source_would_block(source), "the end of a pipe does not block");
    pf_source_close(source);

    if (pipe(ends) != 0)
        exit(2);
    become_stdin(ends[0]);
    pf_source_open(&source, "-", &error);
    tap_ok(write(ends[1], bytes, size) == (ssize_t)size, "(a whole gzip is in the pipe)");
    pf_source_peek(source, 1, &have);
    tap_ok(!pf_source_would_block(source), "inflated bytes in the buffer do not block");
    pf_source_take(source, have);
    tap_ok(pf_source_would_block(source), "the end of a member blocks while the pipe is open");
    tap_ok(write(ends[1], bytes, size) == (ssize_t)size && !pf_source_would_block(source),
           "a further member in the buffer does not block");
    close(ends[1]);
    pf_source_close(source);

    write_file(in_folder("regular"), "x", 1);
    pf_source_open(&source, in_folder("regular"), &error);
    tap_ok(!pf_source_would_block(source), "a regular file never blocks");
    pf_source_close(source);
}

int main(void)
{
    make_folder();
    test_plain_file();
    test_peek_beyond();
    test_open_failures();
    test_memory();
    test_lines();
    test_behind();
    test_long_lines();
    test_pipes();
    test_would_block();
    remove_folder();
    return tap_done();
}

/* Tests of io/sink.h: which files exist after success and after failures. */
#include "io/sink.h"
#include "io/source.h"

#include "scratch.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <zlib.h>

/* Size of the file in bytes, or -1. Stores its first bytes in `bytes`. */
static long read_file(const char *path, void *bytes, size_t room)
{
    FILE *file = fopen(path, "rb");
    size_t size;

    if (!file)
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
        if (pf_sink_open(&sink, path, &error) != PF_OK || !sink->live || pf_sink_temporary(sink))
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
    pf_sink_text(sink, "number ");
    pf_sink_number(sink, 42);
    pf_sink_text(sink, "\n");
    tap_ok(!exists(path) && exists(temporary) && strstr(temporary, "/.target."),
           "before the commit there is only a temporary file");
    tap_int((int64_t)pf_sink_offset(sink), 19, "the offset counts what was written");
    tap_ok(!sink->live && !sink->terminal, "a file is neither a live pipe nor a terminal");
    tap_int(pf_sink_commit(sink, &error), PF_OK, "the commit succeeds");
    tap_ok(file_is(path, "new text\nnumber 42\n") && !exists(temporary),
           "after the commit the target has all bytes");
    tap_int(mode_of(path), 0640, "a new file has the mode that the umask allows");
    umask(mask);

    chmod(path, 0604);
    pf_sink_open(&sink, path, &error);
    pf_sink_text(sink, "never seen");
    snprintf(temporary, sizeof temporary, "%s", pf_sink_temporary(sink));
    pf_sink_abort(sink);
    tap_ok(file_is(path, "new text\nnumber 42\n") && !exists(temporary),
           "after an abort only the old target is left");
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
           "a link to a missing file is followed and stays");
    tap_ok(pf_sink_open(&sink, loop, &error) == PF_IO && !sink &&
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
    snprintf(expected, sizeof expected, "cannot create '%s/no/where': No such file or directory",
             folder);
    tap_text(nowhere.text, expected, "the message says why the target cannot be written");
    tap_int(pf_sink_open(&sink, folder, &is_folder), PF_IO, "a directory cannot be written");
    snprintf(expected, sizeof expected, "cannot write '%s': Is a directory", folder);
    tap_text(is_folder.text, expected, "the message says why the target cannot be written");
    memset(long_name, 'n', 255);
    long_name[255] = '\0';
    snprintf(expected, sizeof expected, "%s/%s", folder, long_name);
    tap_ok(pf_sink_open(&sink, expected, &(struct pf_error){0}) == PF_OK,
           "a target may have a name of the greatest length");
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
    tap_int(pf_sink_commit(sink, &error), PF_IO, "the commit to a full device fails");
    tap_text(error.text, "cannot write '/dev/full': No space left on device", "and says why");
    pf_sink_open(&sink, "/dev/full", &later);
    tap_int(pf_sink_write(sink, block, sizeof block), PF_IO,
            "a write longer than the buffer fails at once");
    tap_int(pf_sink_text(sink, ""), PF_IO, "after a failure even an empty write fails");
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
    if (pf_sink_commit(sink, &error) != PF_IO || !strstr(error.text, "/kept': File too large"))
        return 1;
    return exists(temporary) ? 2 : 0;
}

/* Runs `body` in a process whose standard output is `fd` (-1: closed). Returns its exit status. */
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
    if (!sink->live || pf_sink_text(sink, "x") != PF_OK || pf_sink_flush(sink) != PF_IO)
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
        tap_int(with_stdout(full, write_stdout), 20,
                "a full standard output is reported at the commit");
    if (pipe(ends) != 0)
        exit(2);
    close(ends[0]);
    tap_int(with_stdout(ends[1], write_stdout), 1000 + SIGPIPE,
            "a write to a closed pipe kills by SIGPIPE");
    tap_int(with_stdout(ends[1], write_twice), 30,
            "a write to a closed pipe is an error if SIGPIPE is ignored");
    close(ends[1]);
    close(full);
    write_file(in_folder("kept"), "old", 3);
    tap_int(with_stdout(file, write_too_much), 0,
            "a file that cannot grow is an error and leaves no file");
    tap_ok(file_is(in_folder("kept"), "old"),
           "the old target of a file that cannot grow is still there");
    close(file);
}

/* Tests the memory of a sink by reading it as a source. */
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
    tap_int(pf_sink_commit(sink, NULL), PF_OK, "a sink in memory can be committed");

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
           "a gzip has neither name nor time of a file");
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
               "writes of all sizes are read back from %s", gzip != 0 ? "gzip" : "the file");
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

/* Returns the lowest free descriptor. */
static int free_descriptor(void)
{
    int file = dup(STDERR_FILENO);

    close(file);
    return file;
}

static void test_park(void)
{
    enum { SIZE = 700000 };
    unsigned char *bytes = malloc(SIZE);
    const char *path = in_folder("parked");
    int free_before = free_descriptor();
    struct pf_sink *sink;
    struct pf_source *source;
    struct pf_error error = {0}, gone = {0}, gone_at_end = {0};
    char expected[400];

    fill(bytes, SIZE);
    for (int gzip = 0; gzip < 2; gzip++) {
        bool closed = true;

        pf_sink_open(&sink, path, &error);
        if (gzip != 0)
            pf_sink_gzip(sink, 1);
        pf_sink_sync(sink);
        tap_int(pf_sink_park(sink, &error), PF_OK, "a file is parked");
        for (size_t at = 0; at < SIZE; at += 70000) {
            closed = closed && free_descriptor() == free_before;
            pf_sink_write(sink, bytes + at, 70000);
        }
        tap_ok(closed && free_descriptor() == free_before, "the file is closed between writes");
        tap_int(pf_sink_commit(sink, &error), PF_OK, "and is committed");
        pf_source_open(&source, path, &error);
        tap_ok(drain_source(source, bytes, SIZE, 100000) == SIZE &&
                   pf_source_status(source, NULL) == PF_OK,
               "with all bytes");
        pf_source_close(source);
    }
    snprintf(expected, sizeof expected,
             "cannot reopen the file beside '%s': No such file or directory", path);
    pf_sink_open(&sink, path, &error);
    pf_sink_park(sink, &error);
    unlink(pf_sink_temporary(sink));
    tap_int(pf_sink_write(sink, bytes, SIZE), PF_IO, "a write fails if the file is gone");
    tap_int(pf_sink_commit(sink, &gone), PF_IO, "and the commit");
    tap_text(gone.text, expected, "with a message");
    pf_sink_open(&sink, path, &error);
    pf_sink_sync(sink);
    pf_sink_park(sink, &error);
    unlink(pf_sink_temporary(sink));
    tap_int(pf_sink_commit(sink, &gone_at_end), PF_IO, "so does the sync of an empty file");
    tap_text(gone_at_end.text, expected, "with the same message");
    pf_sink_open(&sink, path, &error);
    pf_sink_park(sink, &error);
    pf_sink_write(sink, bytes, SIZE);
    pf_sink_abort(sink);
    pf_source_open(&source, path, &error);
    tap_ok(drain_source(source, bytes, SIZE, 100000) == SIZE, "an abort leaves the old file");
    pf_source_close(source);
    pf_sink_open(&sink, "/dev/null", &error);
    tap_ok(pf_sink_park(sink, &error) == PF_OK && free_descriptor() > free_before,
           "a file that is written in place stays open");
    pf_sink_abort(sink);
    free(bytes);
}

static void ignore(int number)
{
    (void)number;
}

/* A timer interrupts reads and writes all the time; no bytes are lost. */
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
    poll(NULL, 0, 5); /* the pipe fills, so the writer waits and is interrupted there */
    tap_ok(drain_source(source, bytes, SIZE, 100) == SIZE &&
               pf_source_status(source, NULL) == PF_OK,
           "signals in the middle of reads and writes lose nothing");
    waitpid(pid, NULL, 0);
    tap_ok(waitpid(child, &status, 0) == child && status == 0,
           "the writer succeeds although signals came");
    pf_source_close(source);
    free(bytes);
}

/* The sink gets "head", deflated bytes, "tail"; zlib itself inflates them. */
static void test_deflate_layer(void)
{
    enum { SIZE = 700000 };
    unsigned char *bytes = malloc(SIZE), *back = malloc(SIZE);
    uLongf got = SIZE;
    struct pf_error error = {0};
    struct pf_sink *below, *deflated;
    const char *all;
    size_t size;

    fill(bytes, SIZE);
    pf_sink_open_memory(&below, &error);
    pf_sink_text(below, "head");
    pf_sink_open_deflate(&deflated, below, 6, &error);
    for (size_t at = 0; at < SIZE; at += 70000)
        pf_sink_write(deflated, bytes + at, 70000);
    pf_sink_finish(deflated);
    tap_ok(pf_sink_offset(deflated) == SIZE, "a layer counts the bytes given to it");
    pf_sink_abort(deflated);
    pf_sink_text(below, "tail");
    all = pf_sink_memory(below, &size);
    tap_ok(pf_sink_offset(below) == size && memcmp(all, "head", 4) == 0 &&
               memcmp(all + size - 4, "tail", 4) == 0 &&
               uncompress(back, &got, (const unsigned char *)all + 4, size - 8) == Z_OK &&
               got == SIZE && memcmp(back, bytes, SIZE) == 0,
           "zlib inflates the bytes of a layer between other bytes");
    pf_sink_abort(below);

    if (access("/dev/full", W_OK) == 0) {
        pf_sink_open(&below, "/dev/full", &error);
        pf_sink_open_deflate(&deflated, below, 1, &error);
        pf_sink_write(deflated, bytes, SIZE);
        pf_sink_write(deflated, bytes, SIZE);
        tap_ok(pf_sink_status(below, NULL) == PF_IO && pf_sink_status(deflated, NULL) == PF_IO,
               "a failure of the sink below is a failure of the layer too");
        pf_sink_abort(deflated);
        pf_sink_abort(below);
    }
    free(bytes);
    free(back);
}

int main(void)
{
    make_folder();
    test_fifo();
    test_commit();
    test_links();
    test_sink_failures();
    test_full();
    test_stdout();
    test_sink_memory();
    test_deflate_layer();
    test_sink_file();
    test_park();
    test_interrupts();
    remove_folder();
    return tap_done();
}

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* F_SETPIPE_SZ */
#endif

#include "io/sink.h"

#include "base/escape.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/number.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum {
    BUFFER_SIZE = 256 * 1024,
    PIPE_SIZE = 1024 * 1024,
    WRITE_MAX = 1 << 30, /* some systems refuse more than INT_MAX at once */
    LINKS_MAX = 40,
    NAME_KEPT = 200, /* of the target's name in the temporary one: NAME_MAX is 255 */
    ATTEMPTS = 100
};

struct pf_sink_output {
    char *name; /* for messages, with quotes */
    int fd;     /* -1: memory, the sink below, or a parked file between writes */
    struct pf_sink *below;
    bool is_stdout;
    bool sync;
    bool parked;            /* the temporary file is open only during writes */
    void (*before)(void *); /* called before the first byte; NULL: nothing to call */
    void *before_arg;
    char *target; /* the name that the temporary file gets; NULL: written in place */
    char *temporary;
    char *buffer; /* BUFFER_SIZE; NULL: unbuffered */
    struct pf_buffer memory;
    struct pf_error error;

    bool escapes;           /* for a terminal */
    char held[PF_UTF8_MAX]; /* the beginning of a character that the next bytes complete */
    size_t held_size;

    bool deflates;
    z_stream deflater;
    unsigned char *deflated; /* BUFFER_SIZE */
};

/* After a failure, makes every write take the slow way, which returns the failure. */
static int fail(struct pf_sink *sink)
{
    sink->limit_offset -= (uint64_t)(sink->limit - sink->cursor);
    sink->limit = sink->cursor;
    return sink->output->error.code;
}

/* Closes the output. Standard output stays open for the program; closing a copy makes the system
 * report errors of writes that it held back (NFS). */
static void close_output(struct pf_sink_output *output)
{
    int fd = output->is_stdout ? dup(STDOUT_FILENO) : output->fd;

    output->fd = -1;
    if (fd >= 0 && close(fd) != 0)
        pf_error_system(&output->error, "cannot close %s", output->name);
}

/* Syncs a descriptor. Descriptors that cannot be synced (pipes, terminals) give EINVAL. */
static void sync_descriptor(struct pf_sink_output *output, int fd)
{
    if (fsync(fd) != 0 && errno != EINVAL && errno != ENOTSUP)
        pf_error_system(&output->error, "cannot sync %s", output->name);
}

/* Writes all bytes to the descriptor. */
static int write_file(struct pf_sink_output *output, const char *p, size_t size)
{
    while (size > 0) {
        ssize_t written = write(output->fd, p, size < WRITE_MAX ? size : WRITE_MAX);

        if (written > 0) {
            p += written;
            size -= (size_t)written;
        } else if (written == 0) {
            errno = EIO;
            return pf_error_system(&output->error, "cannot write %s", output->name);
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            /* another process shares the descriptor and made it non-blocking */
            poll(&(struct pollfd){.fd = output->fd, .events = POLLOUT}, 1, -1);
        } else if (errno != EINTR) {
            return pf_error_system(&output->error, "cannot write %s", output->name);
        }
    }
    return PF_OK;
}

/* Opens a parked file at its end. */
static int reopen(struct pf_sink_output *output)
{
    do
        output->fd =
            open(output->temporary, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY);
    while (output->fd < 0 && errno == EINTR);
    if (output->fd < 0)
        return pf_error_system(&output->error, "cannot reopen the file beside %s", output->name);
    return PF_OK;
}

/* Opens a parked file, writes, and closes the file. With pf_sink_sync each write waits for the
 * disk, because the system may forget a failed write of a file that nobody has open. */
static int write_parked(struct pf_sink_output *output, const char *bytes, size_t size)
{
    if (size == 0 || reopen(output) != PF_OK)
        return output->error.code;
    write_file(output, bytes, size);
    if (output->sync && output->error.code == PF_OK)
        sync_descriptor(output, output->fd);
    close_output(output);
    return output->error.code;
}

/* Writes all bytes to the descriptor, to the sink below, or to memory. */
static int write_raw(struct pf_sink_output *output, const void *bytes, size_t size)
{
    if (output->below)
        return pf_sink_write(output->below, bytes, size) == PF_OK
                   ? PF_OK
                   : pf_sink_status(output->below, &output->error);
    if (output->parked)
        return write_parked(output, bytes, size);
    if (output->fd < 0)
        return pf_buffer_append(&output->memory, bytes, size) ? PF_OK
                                                              : pf_error_nomem(&output->error);
    if (size > 0 && output->before) {
        output->before(output->before_arg);
        output->before = NULL;
    }
    return write_file(output, bytes, size);
}

/* True if more bytes may complete the character at the end of the text. */
static bool is_cut(struct pf_bytes text)
{
    unsigned char first = (unsigned char)text.data[0];

    return text.size < (first < 0xc2 ? 1u : first < 0xe0 ? 2u : first < 0xf0 ? 3u : 4u);
}

/* Writes text to a terminal. `last`: no byte follows. */
static int write_escaped(struct pf_sink_output *output, const void *bytes, size_t size, bool last)
{
    struct pf_buffer given = {0}, shown = {0};
    struct pf_bytes rest;

    pf_buffer_append(&given, output->held, output->held_size);
    pf_buffer_append(&given, bytes, size);
    rest = (struct pf_bytes){given.data, given.size};
    while (rest.size > 0 && !given.failed && (last || !is_cut(rest))) {
        char escape[PF_TEXT_ESCAPE];
        size_t part = pf_text_next(rest, escape);

        if (escape[0] == '\0' || rest.data[0] == '\n' || rest.data[0] == '\t')
            pf_buffer_append(&shown, rest.data, part);
        else
            pf_buffer_append(&shown, escape, strlen(escape));
        rest = pf_bytes_skip(rest, part);
    }
    output->held_size = rest.size;
    memcpy(output->held, rest.data, rest.size);
    if (given.failed || shown.failed)
        pf_error_nomem(&output->error);
    else
        write_raw(output, shown.data, shown.size);
    pf_buffer_free(&given);
    pf_buffer_free(&shown);
    return output->error.code;
}

/* Writes bytes through the compressor. `flush` is zlib's. */
static int write_deflated(struct pf_sink_output *output, const void *bytes, size_t size, int flush)
{
    z_stream *z = &output->deflater;
    const unsigned char *p = size > 0 ? bytes : (const unsigned char *)"";

    do {
        uInt part = size < WRITE_MAX ? (uInt)size : WRITE_MAX;

        z->next_in = (z_const Bytef *)p;
        z->avail_in = part;
        do {
            int status;

            z->next_out = output->deflated;
            z->avail_out = BUFFER_SIZE;
            deflate(z, part == size ? flush : Z_NO_FLUSH);
            status = write_raw(output, output->deflated, BUFFER_SIZE - z->avail_out);
            if (status != PF_OK)
                return status;
        } while (z->avail_out == 0);
        p += part;
        size -= part;
    } while (size > 0);
    return PF_OK;
}

static int emit(struct pf_sink_output *output, const void *bytes, size_t size, int flush)
{
    if (output->error.code != PF_OK)
        return output->error.code;
    if (output->deflates)
        return write_deflated(output, bytes, size, flush);
    return output->escapes ? write_escaped(output, bytes, size, flush == Z_FINISH)
                           : write_raw(output, bytes, size);
}

/* Empties the buffer. */
static int drain(struct pf_sink *sink, int flush)
{
    struct pf_sink_output *output = sink->output;
    uint64_t offset = pf_sink_offset(sink);
    const char *bytes = !output->buffer ? "" : output->buffer;
    size_t size = !output->buffer ? 0 : (size_t)(sink->cursor - output->buffer);

    if (emit(output, bytes, size, flush) != PF_OK)
        return fail(sink);
    if (output->buffer) {
        sink->cursor = output->buffer;
        sink->limit = output->buffer + BUFFER_SIZE;
        sink->limit_offset = offset + BUFFER_SIZE;
    }
    return PF_OK;
}

int pf_sink_spill(struct pf_sink *sink, const void *bytes, size_t size)
{
    int status = drain(sink, Z_NO_FLUSH);

    if (status != PF_OK)
        return status;
    if (size < (size_t)(sink->limit - sink->cursor))
        return pf_sink_write(sink, bytes, size);
    if (emit(sink->output, bytes, size, Z_NO_FLUSH) != PF_OK)
        return fail(sink);
    sink->limit_offset += size;
    return PF_OK;
}

int pf_sink_text(struct pf_sink *sink, const char *string)
{
    return pf_sink_write(sink, string, strlen(string));
}

int pf_sink_number(struct pf_sink *sink, int64_t number)
{
    char text[PF_INT_TEXT];

    return pf_sink_write(sink, text, pf_print_int(number, text));
}

int pf_sink_printf(struct pf_sink *sink, const char *format, ...)
{
    char small[512], *text = small;
    va_list args, again;
    int length, status;

    va_start(args, format);
    va_copy(again, args);
    length = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    if (length >= (int)sizeof small) {
        text = malloc((size_t)length + 1);
        if (text)
            vsnprintf(text, (size_t)length + 1, format, again);
    }
    va_end(again);
    if (length < 0 || !text) {
        pf_error_nomem(&sink->output->error);
        return fail(sink);
    }
    status = pf_sink_write(sink, text, (size_t)length);
    if (text != small)
        free(text);
    return status;
}

int pf_sink_flush(struct pf_sink *sink)
{
    return drain(sink, Z_SYNC_FLUSH);
}

int pf_sink_finish(struct pf_sink *sink)
{
    int status = drain(sink, Z_FINISH);

    if (sink->output->deflates) {
        deflateEnd(&sink->output->deflater);
        sink->output->deflates = false;
    }
    return status;
}

/* `window` and `memory` are those of deflateInit2. */
static int start_deflate(struct pf_sink *sink, int level, int window, int memory)
{
    struct pf_sink_output *output = sink->output;

    output->deflated = malloc(BUFFER_SIZE);
    if (!output->deflated || deflateInit2(&output->deflater, level, Z_DEFLATED, window, memory,
                                          Z_DEFAULT_STRATEGY) != Z_OK) {
        pf_error_nomem(&output->error);
        return fail(sink);
    }
    output->deflates = true;
    return PF_OK;
}

void pf_sink_raw(struct pf_sink *sink)
{
    sink->output->escapes = false;
}

int pf_sink_gzip(struct pf_sink *sink, int level)
{
    int status = drain(sink, Z_NO_FLUSH);

    /* 16: a gzip header, in zlib's default without name and time */
    return status == PF_OK ? start_deflate(sink, level, 16 + MAX_WBITS, 8) : status;
}

void pf_sink_sync(struct pf_sink *sink)
{
    sink->output->sync = true;
}

int pf_sink_park(struct pf_sink *sink, struct pf_error *error)
{
    struct pf_sink_output *output = sink->output;

    if (output->temporary && !output->parked && output->error.code == PF_OK) {
        output->parked = true;
        close_output(output);
        if (output->error.code != PF_OK)
            fail(sink);
    }
    return pf_sink_status(sink, error);
}

void pf_sink_before_terminal(struct pf_sink *sink, void (*before)(void *), void *arg)
{
    sink->output->before = sink->terminal ? before : NULL;
    sink->output->before_arg = arg;
}

int pf_sink_status(const struct pf_sink *sink, struct pf_error *error)
{
    const struct pf_error *own = &sink->output->error;

    if (own->code != PF_OK && error && error->code == PF_OK)
        *error = *own;
    return own->code;
}

const void *pf_sink_memory(const struct pf_sink *sink, size_t *size)
{
    *size = sink->output->memory.size;
    return sink->output->memory.data;
}

const char *pf_sink_temporary(const struct pf_sink *sink)
{
    return sink->output->temporary;
}

/* Removes the temporary file, if it is still there, and frees the sink. */
static void discard(struct pf_sink *sink)
{
    struct pf_sink_output *output = sink->output;

    if (output->temporary)
        unlink(output->temporary);
    if (output->deflates)
        deflateEnd(&output->deflater);
    pf_buffer_free(&output->memory);
    free(output->deflated);
    free(output->buffer);
    free(output->target);
    free(output->temporary);
    free(output->name);
    free(output);
    free(sink);
}

/* The folder part of a path with its slash, "" when there is none; *name is the rest of `path`. */
static char *folder_of(const char *path, const char **name)
{
    const char *slash = strrchr(path, '/');
    size_t size = !slash ? 0 : (size_t)(slash - path) + 1;
    char *folder = malloc(size + 1);

    *name = path + size;
    if (folder) {
        memcpy(folder, path, size);
        folder[size] = '\0';
    }
    return folder;
}

/* Opens the folder of the target for syncing: the new name is on the disk once the folder is.
 * Opened before the rename, so that only the sync itself can fail afterwards. -1: not wanted, or an
 * error. */
static int open_folder(struct pf_sink_output *output)
{
    const char *name;
    char *folder;
    int fd = -1;

    if (!output->sync || !output->temporary || output->error.code != PF_OK)
        return -1;
    folder = folder_of(output->target, &name);
    if (!folder)
        pf_error_nomem(&output->error);
    else if ((fd = open(folder[0] == '\0' ? "." : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
        pf_error_system(&output->error, "cannot open the directory of %s", output->name);
    free(folder);
    return fd;
}

int pf_sink_commit(struct pf_sink *sink, struct pf_error *error)
{
    struct pf_sink_output *output = sink->output;
    int status, folder;

    pf_sink_finish(sink);
    if (output->sync && output->parked && output->error.code == PF_OK)
        reopen(output);
    if (output->sync && output->error.code == PF_OK && output->fd >= 0)
        sync_descriptor(output, output->fd);
    close_output(output);
    folder = open_folder(output);
    if (output->error.code == PF_OK && output->temporary) {
        if (rename(output->temporary, output->target) == 0) {
            free(output->temporary);
            output->temporary = NULL;
            if (folder >= 0)
                sync_descriptor(output, folder);
        } else {
            pf_error_system(&output->error, "cannot rename the new file to %s", output->name);
        }
    }
    if (folder >= 0)
        close(folder);
    status = pf_sink_status(sink, error);
    discard(sink);
    return status;
}

void pf_sink_abort(struct pf_sink *sink)
{
    if (!sink)
        return;
    close_output(sink->output);
    discard(sink);
}

/* `a`, `b` and `c` in one allocated string. */
static char *join(const char *a, const char *b, const char *c)
{
    size_t size = strlen(a) + strlen(b) + strlen(c) + 1;
    char *text = malloc(size);

    if (text)
        snprintf(text, size, "%s%s%s", a, b, c);
    return text;
}

/* The path that a link points to. NULL with errno EINVAL: `path` is not a link. */
static char *follow(const char *path)
{
    char to[PATH_MAX];
    ssize_t size = readlink(path, to, sizeof to - 1);
    const char *name;
    char *folder, *next;

    if (size < 0)
        return NULL;
    to[size] = '\0';
    if (to[0] == '/')
        return strdup(to);
    folder = folder_of(path, &name);
    next = !folder ? NULL : join(folder, to, "");
    free(folder);
    return next;
}

/* The path after following all links; the file may not exist yet. */
static char *resolve(const char *path)
{
    char *real = realpath(path, NULL), *at;

    if (real || errno != ENOENT)
        return real;
    at = strdup(path);
    for (int links = 0; at && links < LINKS_MAX; links++) {
        char *next = follow(at);

        if (!next && (errno == EINVAL || errno == ENOENT))
            return at;
        free(at);
        at = next;
    }
    free(at);
    return NULL;
}

/* Opens a new file beside the target. Not with mkstemp, so that the system applies the umask (which
 * threads cannot ask for safely) and the folder's default access list. */
static int open_temporary(struct pf_sink_output *output, mode_t mode, bool absent)
{
    const char *name;
    char *folder = folder_of(output->target, &name);
    size_t size = strlen(output->target) + 16;

    output->temporary = malloc(size);
    if (!folder || !output->temporary) {
        free(folder);
        return pf_error_nomem(&output->error);
    }
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        snprintf(output->temporary, size, "%s.%.*s.%06x", folder, NAME_KEPT, name,
                 (unsigned)(pf_hash_seed() & 0xffffff));
        output->fd = open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY,
                          mode & 0777);
        if (output->fd >= 0 || (errno != EEXIST && errno != EINTR))
            break;
    }
    free(folder);
    if (output->fd >= 0)
        return PF_OK;
    pf_error_system(&output->error, absent ? "cannot create %s" : "cannot create a file beside %s",
                    output->name);
    free(output->temporary);
    output->temporary = NULL;
    return output->error.code;
}

/* Opens the output for a target that is a regular file or does not exist (`status` NULL). */
static int open_beside(struct pf_sink_output *output, const char *path, const struct stat *status)
{
    if (status && access(path, W_OK) != 0)
        return pf_error_system(&output->error, "cannot write %s", output->name);
    output->target = resolve(path);
    if (!output->target)
        return pf_error_system(&output->error, "cannot write %s", output->name);
    if (open_temporary(output, status == NULL ? 0666 : status->st_mode, status == NULL) != PF_OK)
        return output->error.code;
    if (status && fchmod(output->fd, status->st_mode & 07777) != 0)
        return pf_error_system(&output->error, "cannot set the mode of %s", output->name);
    return PF_OK;
}

static int open_in_place(struct pf_sink_output *output, const char *path)
{
    do
        output->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    while (output->fd < 0 && errno == EINTR);
    if (output->fd < 0)
        return pf_error_system(&output->error, "cannot write %s", output->name);
    return PF_OK;
}

static int open_output(struct pf_sink_output *output, const char *path)
{
    struct stat status;

    if (output->is_stdout)
        output->fd = STDOUT_FILENO;
    else if (stat(path, &status) == 0)
        return S_ISREG(status.st_mode) ? open_beside(output, path, &status)
                                       : open_in_place(output, path);
    else if (errno == ENOENT)
        return open_beside(output, path, NULL);
    else
        return pf_error_system(&output->error, "cannot write %s", output->name);
    return PF_OK;
}

/* Finds out what the descriptor is. */
static int inspect(struct pf_sink *sink)
{
    struct pf_sink_output *output = sink->output;
    struct stat status;

    if (fstat(output->fd, &status) != 0)
        return pf_error_system(&output->error, "cannot write %s", output->name);
    sink->terminal = S_ISCHR(status.st_mode) && isatty(output->fd);
    output->escapes = sink->terminal;
    sink->live = sink->terminal || S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode);
#ifdef F_SETPIPE_SZ
    /* a larger pipe needs fewer switches between programs; the system may refuse, which does no
     * harm */
    if (S_ISFIFO(status.st_mode))
        fcntl(output->fd, F_SETPIPE_SZ, PIPE_SIZE);
#endif
    return PF_OK;
}

static struct pf_sink *new_sink(const char *name)
{
    struct pf_sink *sink = calloc(1, sizeof *sink);
    struct pf_sink_output *output = calloc(1, sizeof *output);
    char *copy = !name ? strdup("standard output") : join("'", name, "'");

    if (!sink || !output || !copy) {
        free(sink);
        free(output);
        free(copy);
        return NULL;
    }
    output->name = copy;
    output->fd = -1;
    sink->mark = "~";
    sink->output = output;
    return sink;
}

/* A sink with a buffer; NULL: out of memory. */
static struct pf_sink *new_buffered(const char *name)
{
    struct pf_sink *sink = new_sink(name);
    char *buffer = sink ? malloc(BUFFER_SIZE) : NULL;

    if (!buffer) {
        if (sink)
            discard(sink);
        return NULL;
    }
    sink->output->buffer = sink->cursor = buffer;
    sink->limit = buffer + BUFFER_SIZE;
    sink->limit_offset = BUFFER_SIZE;
    return sink;
}

static int finish_open(struct pf_sink **result, struct pf_sink *sink, struct pf_error *error)
{
    int status = pf_sink_status(sink, error);

    *result = status == PF_OK ? sink : NULL;
    if (status != PF_OK)
        pf_sink_abort(sink);
    return status;
}

int pf_sink_open(struct pf_sink **result, const char *path, struct pf_error *error)
{
    bool is_stdout = !path || strcmp(path, "-") == 0;
    struct pf_sink *sink = new_buffered(is_stdout ? NULL : path);

    *result = NULL;
    if (!sink)
        return pf_error_nomem(error);
    sink->output->is_stdout = is_stdout;
    if (open_output(sink->output, path) == PF_OK)
        inspect(sink);
    return finish_open(result, sink, error);
}

int pf_sink_open_file(struct pf_sink **result, int file, const char *name, struct pf_error *error)
{
    struct pf_sink *sink = new_buffered(name);

    *result = NULL;
    if (!sink) {
        close(file);
        return pf_error_nomem(error);
    }
    sink->output->fd = file;
    inspect(sink);
    return finish_open(result, sink, error);
}

/* A sink without a buffer; NULL: out of memory. */
static struct pf_sink *new_unbuffered(const char *name, struct pf_error *error)
{
    struct pf_sink *sink = new_sink(name);

    if (!sink)
        pf_error_nomem(error);
    else
        sink->cursor = sink->limit = sink->output->name; /* any address: there is no room */
    return sink;
}

int pf_sink_open_memory(struct pf_sink **result, struct pf_error *error)
{
    *result = new_unbuffered("memory", error);
    return !*result ? PF_NOMEM : PF_OK;
}

/* Unbuffered, because NYTProf's writer has a buffer. */
int pf_sink_open_deflate(struct pf_sink **result, struct pf_sink *below, int level,
                         struct pf_error *error)
{
    struct pf_sink *sink = new_unbuffered("deflated", error);

    *result = NULL;
    if (!sink)
        return PF_NOMEM;
    sink->output->below = below;
    start_deflate(sink, level, MAX_WBITS, MAX_MEM_LEVEL);
    return finish_open(result, sink, error);
}

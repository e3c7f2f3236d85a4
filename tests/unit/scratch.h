/* Helpers for the tests of sources, layers and sinks: a temporary folder, bytes to compare, gzip,
 * pipes. */
#ifndef TESTS_UNIT_SCRATCH_H
#define TESTS_UNIT_SCRATCH_H

#include "io/source.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

static char folder[] = "/tmp/profutils.XXXXXX";

/* Creates the temporary folder; call this first. */
static inline void make_folder(void)
{
    if (!mkdtemp(folder)) {
        perror(folder);
        exit(2);
    }
}

static inline const char *in_folder(const char *name)
{
    static char paths[16][256];
    static unsigned next;
    char *path = paths[next++ % 16];

    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static inline void write_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");

    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
        perror(path);
        exit(2);
    }
}

/* Fills `bytes` with pseudo-random bytes, which do not compress. */
static inline void fill(unsigned char *bytes, size_t size)
{
    uint32_t state = 1;

    for (size_t k = 0; k < size; k++) {
        state = state * 1664525u + 1013904223u;
        bytes[k] = (unsigned char)(state >> 24);
    }
}

/* Reads everything in pieces of `step` bytes, without a UTF-8 byte order mark. Returns the size, or
 * SIZE_MAX if the bytes differ from `expected`. */
static inline size_t drain_source(struct pf_source *source, const unsigned char *expected,
                                  size_t size, size_t step)
{
    size_t total = 0, have;

    pf_source_peek(source, 1, &have);
    size_t before = pf_source_marked(source) ? 3 : 0;
    for (;;) {
        const unsigned char *p = pf_source_peek(source, step, &have);
        size_t part = have < step ? have : step;

        if (part == 0)
            return total;
        if (part > size - total || memcmp(p, expected + total, part) != 0 ||
            pf_source_offset(source) != before + total)
            return SIZE_MAX;
        pf_source_take(source, part);
        total += part;
    }
}

/* Makes this descriptor the standard input of this process. */
static inline void become_stdin(int fd)
{
    dup2(fd, STDIN_FILENO);
    close(fd);
}

static inline void remove_folder(void)
{
    char command[64];

    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command) != 0)
        perror(folder);
}

/* Makes one gzip member with zlib's compressor. Returns its size. */
static inline size_t gzip_member(unsigned char *out, size_t room, const void *bytes, size_t size)
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

/* Runs `writer` in another process, with the write end of a pipe as its output. Returns the read
 * end. */
static inline int pipe_from(void (*writer)(int fd), pid_t *pid)
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

#endif

#include "io/content.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

enum { UNIT = 256 * 1024 };

int pf_temporary_file(int *file, struct pf_error *error)
{
    static const char name[] = "/profutils-XXXXXX";
    const char *directory = getenv("TMPDIR");
    struct pf_buffer path = {0};

    *file = -1;
    if (!directory || directory[0] == '\0')
        directory = "/tmp";
    pf_buffer_append(&path, directory, strlen(directory));
    if (!pf_buffer_append(&path, name, sizeof name))
        return pf_error_nomem(error);
    *file = mkstemp(path.data);
    if (*file >= 0)
        unlink(path.data);
    else
        pf_error_system(error, "cannot make a temporary file in %s", directory);
    pf_buffer_free(&path);
    return *file >= 0 ? PF_OK : error->code;
}

static bool write_all(int file, const unsigned char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t put = write(file, bytes, size);

        if (put < 0 && errno != EINTR)
            return false;
        bytes += put > 0 ? put : 0;
        size -= put > 0 ? (size_t)put : 0;
    }
    return true;
}

static int open_file(const char *path, int *file, struct pf_error *error)
{
    *file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    return *file >= 0 ? PF_OK : pf_error_system(error, "cannot open '%s'", path);
}

int pf_content_read(int file, const char *path, bool (*use)(void *arg, const void *, size_t),
                    void *arg, struct pf_error *error)
{
    unsigned char *bytes = malloc(UNIT);
    ssize_t got = 1;
    int status = bytes ? PF_OK : pf_error_nomem(error);

    while (status == PF_OK && got != 0) {
        got = read(file, bytes, UNIT);
        if (got < 0 && errno != EINTR)
            status = pf_error_system(error, "cannot read '%s'", path);
        else if (got > 0 && !use(arg, bytes, (size_t)got))
            status = pf_error_system(error, "cannot write the temporary file");
    }
    free(bytes);
    return status;
}

static bool append(void *text, const void *bytes, size_t size)
{
    return pf_buffer_append(text, bytes, size);
}

int pf_content_text(const char *path, struct pf_buffer *text, struct pf_error *error)
{
    int file, status = open_file(path, &file, error);

    if (status != PF_OK)
        return status;
    status = pf_content_read(file, path, append, text, error);
    close(file);
    if (!text->failed)
        return status;
    *error = (struct pf_error){0};
    return pf_error_nomem(error);
}

struct hashing {
    XXH64_state_t *state;
    int to; /* gets a copy; -1: no copy */
};

static bool hash_piece(void *arg, const void *bytes, size_t size)
{
    struct hashing *hashing = arg;

    XXH64_update(hashing->state, bytes, size);
    return hashing->to < 0 || write_all(hashing->to, bytes, size);
}

/* Hashes the bytes of `from`, and copies them to `to` unless that is -1. `path` is for messages. */
static int hash_bytes(int from, int to, const char *path, uint64_t *hash, struct pf_error *error)
{
    struct hashing hashing = {XXH64_createState(), to};
    int status;

    if (!hashing.state)
        return pf_error_nomem(error);
    XXH64_reset(hashing.state, 0);
    status = pf_content_read(from, path, hash_piece, &hashing, error);
    *hash = XXH64_digest(hashing.state);
    XXH64_freeState(hashing.state);
    return status;
}

int pf_content_hash(const char *path, uint64_t *hash, struct pf_error *error)
{
    int file, status = open_file(path, &file, error);

    *hash = 0;
    if (status != PF_OK)
        return status;
    status = hash_bytes(file, -1, path, hash, error);
    close(file);
    return status;
}

int pf_content_copy(const char *path, int *file, uint64_t *hash, struct pf_error *error)
{
    bool standard = strcmp(path, "-") == 0;
    int from = STDIN_FILENO, status = standard ? PF_OK : open_file(path, &from, error);

    *file = -1;
    *hash = 0;
    if (status != PF_OK)
        return status;
    status = pf_temporary_file(file, error);
    if (status == PF_OK)
        status = hash_bytes(from, *file, standard ? "standard input" : path, hash, error);
    if (status == PF_OK && lseek(*file, 0, SEEK_SET) != 0)
        status = pf_error_system(error, "cannot read the temporary file");
    if (!standard)
        close(from);
    if (status == PF_OK)
        return PF_OK;
    if (*file >= 0)
        close(*file);
    *file = -1;
    return status;
}

/* Loaded with LD_PRELOAD: makes system calls on regular files fail, so that error paths can be tested without root.
 *
 *     FAULT_WRITE=N   after N bytes were written, writes fail: no space left
 *     FAULT_READ=N    after N bytes were read, reads fail: input/output error
 *     FAULT_CLOSE=1   closing a file that was written fails: input/output error
 *     FAULT_RENAME=1  renaming fails: input/output error
 *     FAULT_MALLOC=N  there is no memory for N bytes, no more and no less
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_file(int fd)
{
    struct stat info;
    int saved = errno;
    bool file = fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
    errno = saved;
    return file;
}

/* The function this one stands before; memcpy, as ISO C knows no cast from an object to a function. */
static void find(const char *name, void *function)
{
    void *found = dlsym(RTLD_NEXT, name);
    memcpy(function, &found, sizeof found);
}

/* How many of `size` bytes may still go through; -1: none, fail. */
static ssize_t allowed(const char *variable, int fd, size_t size, size_t *used)
{
    const char *limit = getenv(variable);
    if (!limit || !is_file(fd))
        return (ssize_t)size;
    size_t left = strtoull(limit, NULL, 10) - *used;
    if (size && !left)
        return -1;
    if (size > left)
        size = left;
    *used += size;
    return (ssize_t)size;
}

ssize_t write(int fd, const void *bytes, size_t size)
{
    static size_t used;
    static ssize_t (*next)(int, const void *, size_t);
    find("write", &next);
    ssize_t part = allowed("FAULT_WRITE", fd, size, &used);
    if (part < 0) {
        errno = ENOSPC;
        return -1;
    }
    return next(fd, bytes, (size_t)part);
}

ssize_t read(int fd, void *bytes, size_t size)
{
    static size_t used;
    static ssize_t (*next)(int, void *, size_t);
    find("read", &next);
    ssize_t part = allowed("FAULT_READ", fd, size, &used);
    if (part < 0) {
        errno = EIO;
        return -1;
    }
    return next(fd, bytes, (size_t)part);
}

int close(int fd)
{
    static int (*next)(int);
    find("close", &next);
    bool fails = getenv("FAULT_CLOSE") && is_file(fd) && (fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY;
    int status = next(fd);
    if (!fails)
        return status;
    errno = EIO;
    return -1;
}

int rename(const char *from, const char *to)
{
    static int (*next)(const char *, const char *);
    find("rename", &next);
    if (!getenv("FAULT_RENAME"))
        return next(from, to);
    errno = EIO;
    return -1;
}

void *malloc(size_t size)
{
    static void *(*next)(size_t);
    static size_t refused;
    static bool known;

    if (!known) {
        const char *asked = getenv("FAULT_MALLOC");

        known = true;
        find("malloc", &next);
        refused = asked ? strtoull(asked, NULL, 10) : 0;
    }
    if (refused && size == refused) {
        errno = ENOMEM;
        return NULL;
    }
    return next(size);
}

/* Loaded with LD_PRELOAD: makes system calls fail, so that error paths can be tested without root.
 * Environment variables say what fails, for regular files:
 *
 *     FAULT_WRITE=N   writes fail after N bytes were written: no space left
 *     FAULT_READ=N    reads fail after N bytes were read: input/output error
 *     FAULT_CLOSE=1   closing a file that was open for writing fails: input/output error
 *     FAULT_RENAME=1  renaming fails: input/output error
 *     FAULT_UNLINK=1  removing fails: operation not permitted
 *     FAULT_FSYNC=N   call number N of fsync fails: input/output error
 *     FAULT_FLOCK=1   the file system has no locks
 *     FAULT_CHANGE=NAME:N  before call N of open for the file NAME, an `x` is appended to the file
 *     FAULT_CALL=K:N  call number N of kind K (enum fault_kind) fails; K:N+ makes all later calls
 *                     of this kind fail too. Repeats a finding of the sweep
 *
 * FAULT_SERVER=1 is for sweep.c: the program stops before main and forks a child for each fault
 * that the sweep asks for. A fork takes a tenth of the time of a new start. The child counts all
 * calls and fails the call of the given kind and number. */
#define _GNU_SOURCE
#include "faults.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- the sweep -------------------------------------------------------------------------------- */

/* NULL: no call is to fail, or the program has not started */
static struct fault_plan *_Atomic plan;

/* Counts a call of `kind`. True if it must fail. `caller` is its return address. */
static bool fails_at(enum fault_kind kind, const void *caller)
{
    struct fault_plan *own = plan;

    if (!own || (kind == FAULT_MEMORY && own->own_memory &&
                 ((uintptr_t)caller < own->base || (uintptr_t)caller >= own->end)))
        return false;
    uint64_t number = atomic_fetch_add(&own->calls[kind], 1) + 1;
    if (kind != own->kind || own->number == 0 || number < own->number ||
        (number > own->number && !own->onward))
        return false;
    if (!atomic_exchange(&own->failed, true)) {
        void *frames[FAULT_FRAMES];

        plan = NULL; /* do not count the calls that backtrace makes */
        own->frame_count = backtrace(frames, FAULT_FRAMES);
        plan = own;
        for (int i = 0; i < own->frame_count; i++)
            own->frames[i] = (uintptr_t)frames[i];
    }
    return true;
}

#define fails(kind) fails_at(kind, __builtin_return_address(0))

static int note_place(struct dl_phdr_info *info, size_t size, void *shared)
{
    struct fault_plan *own = shared;

    (void)size;
    own->base = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        uintptr_t end = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;

        if (info->dlpi_phdr[i].p_type == PT_LOAD && end > own->end)
            own->end = end;
    }
    return 1; /* the first object is the program itself */
}

/* Starts a child for each byte that the sweep sends, and sends back the child's wait status.
 * Returns only in the child. */
static void serve(struct fault_plan *shared)
{
    char order;
    int status;

    while (read(FAULT_DESCRIPTOR, &order, 1) == 1) {
        pid_t child = fork();
        if (child == 0) {
            close(FAULT_DESCRIPTOR);
            close(FAULT_DESCRIPTOR + 1);
            close(FAULT_DESCRIPTOR + 2);
            alarm(20);
            plan = shared;
            return;
        }
        if (child < 0 || waitpid(child, &status, 0) != child ||
            write(FAULT_DESCRIPTOR + 1, &status, sizeof status) < 0)
            _exit(1);
    }
    _exit(0);
}

__attribute__((constructor)) static void start(void)
{
    void *frames[4];
    struct fault_plan *shared;

    if (getenv("FAULT_CALL")) {
        static struct fault_plan one;
        char *end;

        one.kind = (enum fault_kind)strtoul(getenv("FAULT_CALL"), &end, 10);
        one.number = strtoull(end + 1, &end, 10);
        one.onward = *end == '+';
        plan = &one;
    }
    if (!getenv("FAULT_SERVER"))
        return;
    unsetenv("FAULT_SERVER");
    unsetenv("LD_PRELOAD");
    shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, FAULT_DESCRIPTOR + 2, 0);
    if (shared == MAP_FAILED)
        _exit(1);
    backtrace(frames, 4); /* loads the unwinder before calls are counted */
    dl_iterate_phdr(note_place, shared);
    serve(shared);
}

/* --- the functions that fail ------------------------------------------------------------------ */

static bool is_file(int fd)
{
    struct stat info;
    int saved = errno;
    bool file = fstatat(fd, "", &info, AT_EMPTY_PATH) == 0 && S_ISREG(info.st_mode);
    errno = saved;
    return file;
}

/* Stores in *function the next definition of `name` after this library's. memcpy is used because
 * ISO C has no cast from an object pointer to a function pointer. */
static void find(const char *name, void *function)
{
    void *found = dlsym(RTLD_NEXT, name);
    memcpy(function, &found, sizeof found);
}

static int refuse(int reason)
{
    errno = reason;
    return -1;
}

/* Returns how many of `size` bytes may still be transferred; -1: none, fail. */
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
    ssize_t part = fails(FAULT_WRITE) ? -1 : allowed("FAULT_WRITE", fd, size, &used);
    return part < 0 ? refuse(ENOSPC) : next(fd, bytes, (size_t)part);
}

ssize_t read(int fd, void *bytes, size_t size)
{
    static size_t used;
    static ssize_t (*next)(int, void *, size_t);
    find("read", &next);
    ssize_t part = fails(FAULT_READ) ? -1 : allowed("FAULT_READ", fd, size, &used);
    return part < 0 ? refuse(EIO) : next(fd, bytes, (size_t)part);
}

int close(int fd)
{
    static int (*next)(int);
    find("close", &next);
    bool refused = fails(FAULT_CLOSE) || (getenv("FAULT_CLOSE") && is_file(fd) &&
                                          (fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY);
    int status = next(fd);
    return refused ? refuse(EIO) : status;
}

int rename(const char *from, const char *to)
{
    static int (*next)(const char *, const char *);
    find("rename", &next);
    return fails(FAULT_RENAME) || getenv("FAULT_RENAME") ? refuse(EIO) : next(from, to);
}

int unlink(const char *path)
{
    static int (*next)(const char *);
    find("unlink", &next);
    return getenv("FAULT_UNLINK") ? refuse(EPERM) : next(path);
}

int fsync(int fd)
{
    static unsigned long number;
    static int (*next)(int);
    const char *asked = getenv("FAULT_FSYNC");
    find("fsync", &next);
    return asked && ++number == strtoul(asked, NULL, 10) ? refuse(EIO) : next(fd);
}

int flock(int fd, int how)
{
    static int (*next)(int, int);
    find("flock", &next);
    return getenv("FAULT_FLOCK") ? refuse(ENOLCK) : next(fd, how);
}

/* FAULT_CHANGE: appends a byte to the file. */
static void change_file(int (*next)(const char *, int, ...), const char *path)
{
    static unsigned long number;
    const char *asked = getenv("FAULT_CHANGE"), *colon = asked ? strrchr(asked, ':') : NULL;

    if (!colon || strncmp(asked, path, (size_t)(colon - asked)) != 0 ||
        path[colon - asked] != '\0' || ++number != strtoul(colon + 1, NULL, 10))
        return;
    int fd = next(path, O_WRONLY | O_APPEND);
    if (fd < 0 || write(fd, "x", 1) != 1)
        abort();
    close(fd);
}

static int open_next(const char *name, const char *path, int flags, mode_t mode)
{
    int (*next)(const char *, int, ...);
    find(name, &next);
    change_file(next, path);
    return fails(FAULT_OPEN) ? refuse(EMFILE) : next(path, flags, mode);
}

static mode_t mode_of(int flags, va_list args)
{
    return flags & (O_CREAT | __O_TMPFILE) ? va_arg(args, mode_t) : 0;
}

int open(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    mode_t mode = mode_of(flags, args);
    va_end(args);
    return open_next("open", path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    mode_t mode = mode_of(flags, args);
    va_end(args);
    return open_next("open64", path, flags, mode);
}

static FILE *open_stream(const char *name, const char *path, const char *mode)
{
    FILE *(*next)(const char *, const char *);
    find(name, &next);
    if (!fails(FAULT_OPEN))
        return next(path, mode);
    errno = EMFILE;
    return NULL;
}

FILE *fopen(const char *path, const char *mode)
{
    return open_stream("fopen", path, mode);
}

FILE *fopen64(const char *path, const char *mode)
{
    return open_stream("fopen64", path, mode);
}

int fstat(int fd, struct stat *info)
{
    static int (*next)(int, struct stat *);
    find("fstat", &next);
    return fails(FAULT_FSTAT) ? refuse(EIO) : next(fd, info);
}

int fstat64(int fd, struct stat64 *info)
{
    static int (*next)(int, struct stat64 *);
    find("fstat64", &next);
    return fails(FAULT_FSTAT) ? refuse(EIO) : next(fd, info);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                   void *arg)
{
    static int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    find("pthread_create", &next);
    return fails(FAULT_THREAD) ? EAGAIN : next(thread, attributes, run, arg);
}

/* --- memory ----------------------------------------------------------------------------------- */

static void *no_memory(void)
{
    errno = ENOMEM;
    return NULL;
}

void *malloc(size_t size)
{
    static void *(*next)(size_t);
    if (!next)
        find("malloc", &next);
    return fails(FAULT_MEMORY) ? no_memory() : next(size);
}

void *calloc(size_t count, size_t size)
{
    static void *(*next)(size_t, size_t);
    if (!next)
        find("calloc", &next);
    return fails(FAULT_MEMORY) ? no_memory() : next(count, size);
}

void *realloc(void *bytes, size_t size)
{
    static void *(*next)(void *, size_t);
    if (!next)
        find("realloc", &next);
    return fails(FAULT_MEMORY) ? no_memory() : next(bytes, size);
}

int posix_memalign(void **bytes, size_t alignment, size_t size)
{
    static int (*next)(void **, size_t, size_t);
    if (!next)
        find("posix_memalign", &next);
    return fails(FAULT_MEMORY) ? ENOMEM : next(bytes, alignment, size);
}

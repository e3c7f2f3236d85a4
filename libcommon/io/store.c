#define _DEFAULT_SOURCE /* flock */

#include "io/store.h"

#include "base/hash.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char lock_name[] = "lock";
static const char temporary_prefix[] = ".new.";

/* flock, again after a signal. 0 or -1. */
static int lock_file(int file, int how)
{
    int result;

    do
        result = flock(file, how);
    while (result != 0 && errno == EINTR);
    return result;
}

/* Waits for a lock: flock waits, but says nothing. */
static int wait_for_lock(struct pf_store *store, int file, int how)
{
    const struct timespec pause = {0, 20 * 1000 * 1000};
    int result = lock_file(file, how | LOCK_NB);

    for (int times = 0; result != 0 && errno == EWOULDBLOCK && times < 50; times++) {
        nanosleep(&pause, NULL);
        result = lock_file(file, how | LOCK_NB);
    }
    if (result == 0 || errno != EWOULDBLOCK)
        return result;
    if (store->waits)
        store->waits(store->arg, store->path);
    store->waits = NULL;
    return lock_file(file, how);
}

/* The path of a file in the directory; the caller frees it. NULL: out of memory. */
static char *path_of(const struct pf_store *store, const char *name)
{
    size_t size = strlen(store->path) + strlen(name) + 2;
    char *path = malloc(size);

    if (path)
        snprintf(path, size, "%s/%s", store->path, name);
    return path;
}

const char *pf_store_path(struct pf_store *store, const char *name, const char *suffix)
{
    struct pf_buffer path = {0};

    pf_buffer_printf(&path, "%s/%s%s", store->path, name, suffix);
    return pf_arena_take(&store->names, &path);
}

bool pf_store_has(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

/* Calls `use` for each file in the directory, in any order, until it fails. */
static int each_file(struct pf_store *store, int (*use)(void *, const char *name, const char *path),
                     void *arg, struct pf_error *error)
{
    DIR *directory = opendir(store->path);
    const struct dirent *entry;
    int status = PF_OK;

    if (!directory)
        return pf_error_system(error, "cannot read the directory '%s'", store->path);
    while (status == PF_OK && (errno = 0, entry = readdir(directory))) {
        char *path;

        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        path = path_of(store, entry->d_name);
        status = path ? use(arg, entry->d_name, path) : pf_error_nomem(error);
        free(path);
    }
    if (status == PF_OK && errno != 0)
        status = pf_error_system(error, "cannot read the directory '%s'", store->path);
    closedir(directory);
    return status;
}

static bool is_temporary(const char *name)
{
    return strncmp(name, temporary_prefix, strlen(temporary_prefix)) == 0;
}

/* Removes a temporary file that no program holds. */
static int remove_abandoned(void *arg, const char *name, const char *path)
{
    int file;

    (void)arg;
    if (!is_temporary(name))
        return PF_OK;
    file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0)
        return PF_OK;
    if (lock_file(file, LOCK_EX | LOCK_NB) == 0)
        unlink(path);
    close(file);
    return PF_OK;
}

/* Opens the file `lock`, also in a directory that may not be written. -1, with errno of the first
 * failure if the file is not there. */
static int open_lock(const char *path)
{
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666), refused = errno;

    if (file >= 0 || (refused != EROFS && refused != EACCES))
        return file;
    file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0 && errno == ENOENT)
        errno = refused;
    return file;
}

/* Opens the file `lock` and locks it. A file system without locks refuses with ENOLCK or a code
 * that says that the call is not supported. */
static int hold(struct pf_store *store, struct pf_error *error)
{
    char *path = path_of(store, lock_name);
    int status = path ? PF_OK : pf_error_nomem(error);

    if (status == PF_OK) {
        store->lock = open_lock(path);
        if (store->lock < 0)
            status = pf_error_system(error, "cannot open '%s'", path);
    }
    if (status == PF_OK)
        store->locks = wait_for_lock(store, store->lock, LOCK_SH) == 0;
    free(path);
    return status;
}

int pf_store_open(struct pf_store *store, const char *path, struct pf_error *error)
{
    struct stat info;
    int status;

    store->lock = -1;
    store->path = strdup(path);
    if (!store->path)
        return pf_error_nomem(error);
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        return pf_error_system(error, "cannot make the directory '%s'", path);
    if (stat(path, &info) != 0)
        return pf_error_system(error, "cannot open '%s'", path);
    if (!S_ISDIR(info.st_mode))
        return pf_error_set(error, PF_IO, "'%s' is not a directory", path);
    status = hold(store, error);
    if (status == PF_OK && store->locks)
        status = each_file(store, remove_abandoned, NULL, error);
    return status;
}

void pf_store_close(struct pf_store *store)
{
    if (store->lock >= 0)
        close(store->lock);
    pf_arena_free(&store->names);
    free(store->path);
    *store = (struct pf_store){.lock = -1};
}

/* --- writing ---------------------------------------------------------------------------------- */

/* Opens a new temporary file and locks it. Another program may remove the file before it is locked:
 * the file then has no name any more. */
static int open_temporary(struct pf_store *store, struct pf_store_file *file, int *opened,
                          struct pf_error *error)
{
    struct stat info;

    for (;;) {
        char name[64];

        snprintf(name, sizeof name, "%s%016" PRIx64, temporary_prefix, pf_hash_seed());
        free(file->temporary);
        file->temporary = path_of(store, name);
        if (!file->temporary)
            return pf_error_nomem(error);
        *opened = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (*opened < 0 && errno == EEXIST)
            continue;
        if (*opened < 0) {
            int status = pf_error_system(error, "cannot make a file in '%s'", store->path);

            free(file->temporary);
            file->temporary = NULL;
            return status;
        }
        if (store->locks)
            wait_for_lock(store, *opened, LOCK_EX);
        if (fstat(*opened, &info) != 0 || info.st_nlink > 0)
            return PF_OK;
        close(*opened);
    }
}

int pf_store_begin(struct pf_store *store, struct pf_store_file *file, struct pf_error *error)
{
    int opened = -1, status;

    file->lock = -1;
    status = open_temporary(store, file, &opened, error);
    if (status != PF_OK)
        return status;
    /* the copy of the descriptor keeps the lock when the sink closes the other */
    file->lock = fcntl(opened, F_DUPFD_CLOEXEC, 0);
    if (file->lock < 0) {
        close(opened);
        return pf_error_system(error, "cannot write to '%s'", store->path);
    }
    return pf_sink_open_file(&file->sink, opened, file->temporary, error);
}

int pf_store_publish(struct pf_store_file *file, const char *path, struct pf_error *error)
{
    if (rename(file->temporary, path) != 0)
        return pf_error_system(error, "cannot write '%s'", path);
    free(file->temporary);
    file->temporary = NULL;
    return PF_OK;
}

void pf_store_end(struct pf_store_file *file)
{
    pf_sink_abort(file->sink);
    if (file->temporary)
        unlink(file->temporary);
    free(file->temporary);
    if (file->lock >= 0)
        close(file->lock);
    *file = (struct pf_store_file){.lock = -1};
}

int pf_store_write(struct pf_store *store, const char *path, struct pf_bytes text,
                   struct pf_error *error)
{
    struct pf_store_file file = {0};
    int status = pf_store_begin(store, &file, error);

    if (status == PF_OK) {
        struct pf_sink *sink = file.sink;

        file.sink = NULL;
        pf_sink_write(sink, text.data, text.size);
        status = pf_sink_commit(sink, error);
    }
    if (status == PF_OK)
        status = pf_store_publish(&file, path, error);
    pf_store_end(&file);
    return status;
}

/* --- removing --------------------------------------------------------------------------------- */

struct pruning {
    bool (*keeps)(void *arg, const char *name);
    void *arg;
    size_t removed;
    struct pf_error *error;
};

static int remove_unneeded(void *arg, const char *name, const char *path)
{
    struct pruning *pruning = arg;

    if (strcmp(name, lock_name) == 0 || is_temporary(name) || pruning->keeps(pruning->arg, name))
        return PF_OK;
    if (unlink(path) != 0 && errno != ENOENT)
        return pf_error_system(pruning->error, "cannot remove '%s'", path);
    pruning->removed++;
    return PF_OK;
}

int pf_store_prune(struct pf_store *store, bool (*keeps)(void *arg, const char *name), void *arg,
                   size_t *removed, struct pf_error *error)
{
    struct pruning pruning = {keeps, arg, 0, error};
    int status;

    *removed = 0;
    if (!store->locks)
        return pf_error_set(error, PF_UNSUPPORTED, "the file system of '%s' has no locks",
                            store->path);
    if (lock_file(store->lock, LOCK_EX | LOCK_NB) != 0) {
        /* a refused change may have lost the shared lock */
        wait_for_lock(store, store->lock, LOCK_SH);
        return PF_EOF;
    }
    status = each_file(store, remove_unneeded, &pruning, error);
    *removed = pruning.removed;
    lock_file(store->lock, LOCK_SH);
    return status;
}

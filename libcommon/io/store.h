/* A directory of results that several programs fill at once. A result is a file that gets its name
 * when it is whole, and never changes. Before, it is a temporary file that its program locks
 * (flock): a file of a killed program has no lock and can be removed. On a file system without
 * locks nothing is removed. */
#ifndef PF_IO_STORE_H
#define PF_IO_STORE_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"
#include "io/sink.h"

#include <stdbool.h>

struct pf_store {
    char *path; /* the directory; owned */
    int lock;   /* descriptor of its file `lock`; -1: not open */
    bool locks; /* the file system has locks */
    /* Set by the caller before the open; NULL: nothing to call. Called once if the store waits for
     * another program for longer than a second. */
    void (*waits)(void *arg, const char *path);
    void *arg;
    struct pf_arena names;
};

/* Opens the directory; makes it if only the last part of the path is missing. Holds a shared lock
 * until the close; waits while another program removes files (pf_store_prune). Removes temporary
 * files that no program holds. A directory that may not be written can be opened too, if its file
 * `lock` is there. Zero-initialise, but for `waits`. PF_OK, PF_IO or PF_NOMEM; close in any case.
 */
int pf_store_open(struct pf_store *, const char *path, struct pf_error *);
void pf_store_close(struct pf_store *);

/* The path of the result with this name and suffix, valid until the close; NULL: out of memory. */
const char *pf_store_path(struct pf_store *, const char *name, const char *suffix);
/* True if the result is there. */
bool pf_store_has(const char *path);

/* A result that is being written. Zero-initialise. */
struct pf_store_file {
    char *temporary; /* its path; owned */
    int lock;        /* descriptor that holds the lock */
    struct pf_sink *sink;
};

/* Begins a result: write to file->sink. PF_OK, PF_IO or PF_NOMEM. */
int pf_store_begin(struct pf_store *, struct pf_store_file *, struct pf_error *);
/* Gives the file its path: the sink must be committed or aborted, and file->sink NULL. PF_OK or
 * PF_IO. */
int pf_store_publish(struct pf_store_file *, const char *path, struct pf_error *);
/* Removes the temporary file, unless it was published, and frees. Aborts file->sink, if it is not
 * NULL. */
void pf_store_end(struct pf_store_file *);
/* Writes a text as the result `path`: begin, publish and end in one call. Results as
 * pf_store_begin. */
int pf_store_write(struct pf_store *, const char *path, struct pf_bytes text, struct pf_error *);

/* Removes all files of the store that `keeps` rejects; *removed is their number. PF_OK; PF_EOF,
 * with nothing removed, if another program has the directory open; PF_UNSUPPORTED if the file
 * system has no locks; PF_IO or PF_NOMEM. */
int pf_store_prune(struct pf_store *, bool (*keeps)(void *arg, const char *name), void *arg,
                   size_t *removed, struct pf_error *);

#endif

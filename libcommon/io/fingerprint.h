/* Fingerprints of files: the hash of a file's bytes, with what the system knows of the file, so
 * that a file that has not changed is not read again. */
#ifndef PF_IO_FINGERPRINT_H
#define PF_IO_FINGERPRINT_H

#include "base/error.h"
#include "base/hash.h"
#include "base/table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Device, inode, size in bytes, and the times of the last change of the bytes and of the inode, in
 * nanoseconds since 1970. */
struct pf_file_state {
    uint64_t device, inode, size;
    int64_t modified, changed;
};

struct pf_fingerprint {
    struct pf_file_state state;
    int64_t taken; /* when the reading began; 0: the bytes were not read, only the hash is known */
    struct pf_hash128 hash;
};

/* Reads a regular file and hashes its bytes. PF_OK; PF_IO, also for a directory, a pipe or a
 * device; PF_FAILED if the file changes meanwhile; PF_NOMEM. */
int pf_fingerprint_take(struct pf_fingerprint *, const char *path, struct pf_error *);
/* Call after the file was read: checks that the bytes are still those of the fingerprint. The file
 * is read again only if its times do not exclude a change. PF_OK; PF_FAILED if the file has
 * changed; or as pf_fingerprint_take. */
int pf_fingerprint_check(const struct pf_fingerprint *, const char *path, struct pf_error *);

/* An index of fingerprints that lives in a file. A file has a row only if it had not changed for
 * two seconds when it was read, and pf_fingerprints_load drops the row unless the file is two
 * seconds older than the index: a later change might not show in the times of a newer file.
 * Zero-initialise; free with pf_fingerprints_free. */
struct pf_fingerprints {
    struct pf_table states;    /* struct pf_file_state */
    struct pf_hash128 *hashes; /* by row of `states` */
    bool *used;                /* the row was looked up or added since the load */
    size_t capacity, used_capacity;
    bool changed; /* differs from the index on the disk */
};

/* Loads the index. An index that is absent, damaged or of another version is empty. PF_OK or
 * PF_NOMEM; free in any case. */
int pf_fingerprints_load(struct pf_fingerprints *, const char *path);
void pf_fingerprints_free(struct pf_fingerprints *);
/* The fingerprint of a file: from the index if the file has not changed since, else by reading the
 * file. Results as pf_fingerprint_take. */
int pf_fingerprints_find(struct pf_fingerprints *, struct pf_fingerprint *, const char *path,
                         struct pf_error *);
/* The text of the index for pf_fingerprints_load: all rows, or only those used since the load.
 * False: out of memory. */
struct pf_buffer;
bool pf_fingerprints_text(const struct pf_fingerprints *, bool used_only, struct pf_buffer *);

#endif

/* The bytes of a whole input, before it is read: their hash, and a copy of a pipe, which can be
 * read only once. */
#ifndef PF_IO_CONTENT_H
#define PF_IO_CONTENT_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Opens a new temporary file in $TMPDIR, or /tmp, for reading and writing. The name of the file is
 * removed at once: the system frees the file, however the program ends. The caller closes *file.
 * PF_OK, PF_IO or PF_NOMEM. */
int pf_temporary_file(int *file, struct pf_error *);

/* Reads a descriptor to its end and calls `use` with each piece; `use` returns false, with errno
 * set, if a write fails. `path` is for messages. PF_OK, PF_IO or PF_NOMEM. */
int pf_content_read(int file, const char *path, bool (*use)(void *arg, const void *, size_t),
                    void *arg, struct pf_error *);

/* Appends all bytes of a file to the buffer. Results as pf_content_read. */
struct pf_buffer;
int pf_content_text(const char *path, struct pf_buffer *, struct pf_error *);

/* Hashes all bytes of a regular file, as they are on the disk: XXH64 with seed 0. PF_OK, PF_IO or
 * PF_NOMEM. */
int pf_content_hash(const char *path, uint64_t *hash, struct pf_error *);
/* The same for `path` ("-": standard input) that may be a pipe: copies the bytes to a temporary
 * file, which is then at its start. The caller closes *file. */
int pf_content_copy(const char *path, int *file, uint64_t *hash, struct pf_error *);

#endif

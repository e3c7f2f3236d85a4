/* Inflates bytes in a thread, ahead of the reader. */
#ifndef PF_IO_UNPACK_H
#define PF_IO_UNPACK_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_unpack;

/* The function that inflates up to `size` bytes of one gzip member and returns their number; 0: the
 * end, or a failure in *error. *member: a member begins with these bytes. *raw: the position in the
 * file after them. */
typedef size_t pf_unpack_read(void *owner, unsigned char *bytes, size_t size, bool *member,
                              uint64_t *raw, struct pf_error *error);

/* Starts a thread that calls the function. The function must not wait for another process. The
 * thread owns `owner` until pf_unpack_stop. NULL: no thread or memory available. */
struct pf_unpack *pf_unpack_start(pf_unpack_read *, void *owner);
void pf_unpack_stop(struct pf_unpack *); /* NULL is allowed */

/* Gives the next bytes, at most PF_UNPACK_MOST, valid until the next call, and returns their
 * number; *member and *raw as above. 0: the end, or a failure in *error. */
enum { PF_UNPACK_MOST = 64 * 1024 };
size_t pf_unpack_next(struct pf_unpack *, const unsigned char **bytes, bool *member, uint64_t *raw,
                      struct pf_error *error);

#endif

/* Bytes that are inflated by a thread of its own, some way ahead of whoever reads them. */
#ifndef PF_IO_UNPACK_H
#define PF_IO_UNPACK_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_unpack;

/* Inflates up to `size` bytes; 0: the end, or a failure, which then stands in *error. *member: one
 * begins with them, and none within. *raw: how far the file was read for them. */
typedef size_t pf_unpack_read(void *owner, unsigned char *bytes, size_t size, bool *member,
                              uint64_t *raw, struct pf_error *error);

/* Starts to read, which must not wait for anybody. `owner` is the thread's until it is stopped.
 * NULL: there is no thread or memory to be had. */
struct pf_unpack *pf_unpack_start(pf_unpack_read *, void *owner);
void pf_unpack_stop(struct pf_unpack *); /* NULL is allowed */

/* The next bytes, at most PF_UNPACK_MOST, valid until the next call; *member and *raw as above. 0:
 * the end, or a failure, which then stands in *error. */
enum { PF_UNPACK_MOST = 64 * 1024 };
size_t pf_unpack_next(struct pf_unpack *, const unsigned char **bytes, bool *member, uint64_t *raw,
                      struct pf_error *error);

#endif

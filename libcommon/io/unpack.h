/* A gzip file inflated by a thread of its own, some way ahead of whoever reads it. */
#ifndef PF_IO_UNPACK_H
#define PF_IO_UNPACK_H

#include "io/source.h"

struct pf_unpack;

/* Takes over the source, which must not wait for anybody, and starts to read it. NULL: there is no thread or memory to be had, and the
 * source is still the caller's. */
struct pf_unpack *pf_unpack_start(struct pf_source *);
void pf_unpack_stop(struct pf_unpack *); /* NULL is allowed */

/* The next bytes, at most PF_UNPACK_MOST, valid until the next call; *raw is how far the file was read for them. 0: the end, or a failure,
 * which then stands in *error. */
enum { PF_UNPACK_MOST = 64 * 1024 };
size_t pf_unpack_next(struct pf_unpack *, const unsigned char **bytes, uint64_t *raw, struct pf_error *error);

#endif

/* Reads a layer in a thread, ahead of the reader: a file is inflated while a format uses the bytes
 * before. */
#ifndef PF_IO_UNPACK_H
#define PF_IO_UNPACK_H

#include "io/source.h"

/* Starts a thread that reads the layer `packed`, up to 4 MiB ahead, and returns a layer with the
 * same bytes, members and offsets. Reads of `packed` must not wait for another process. The new
 * layer owns `packed`; until it is closed, the thread alone uses `packed` and the source below,
 * which the new layer does not have. NULL: no thread or memory available; `packed` is still the
 * caller's. */
struct pf_layer *pf_unpack_start(struct pf_layer *packed);

#endif

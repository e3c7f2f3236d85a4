/* Sources on sources: a layer makes bytes of those that a source below it has, and is read as any
 * source is. Formats push a layer where their bytes change: NYTProf's inflates from its `z` tag on,
 * StatProfiler's uncompresses blocks of snappy.
 *
 * The source below is borrowed and must not be read while the layer is. A layer takes from it no
 * byte behind its own end. */
#ifndef PF_IO_LAYER_H
#define PF_IO_LAYER_H

#include "base/error.h"
#include "io/source.h"

#include <stddef.h>
#include <stdint.h>

/* Each opens a source on a source; pf_source_close closes it. PF_OK or PF_NOMEM. */

/* A zlib stream. Where the source below ends within it, the layer ends too and `cut` is set. */
int pf_layer_inflate(struct pf_source **, struct pf_source *below, struct pf_error *);
/* Blocks of snappy of up to 64 KiB, each behind its size, 2 bytes, big-endian. */
int pf_layer_snappy(struct pf_source **, struct pf_source *below, struct pf_error *);
/* A look at what is ahead below, from `skip` bytes on, and at no more than about `most`: nothing is
 * taken below. */
int pf_layer_look(struct pf_source **, struct pf_source *below, size_t skip, size_t most,
                  struct pf_error *);

/* The following take any source, with a layer or without. */

/* Brings at least `need` bytes ahead. PF_OK; PF_EOF when the data end before; or why they do, with
 * the place. */
int pf_source_need(struct pf_source *, size_t need, struct pf_error *);
/* Sets an error about the bytes at `at`, an offset of this source; behind the text stands where
 * that is "once inflated". */
int pf_source_fail(const struct pf_source *, struct pf_error *, int code, uint64_t at,
                   const char *text);
/* Warns of the bytes at `at`. */
void pf_source_warn(const struct pf_source *, const struct pf_report *, uint64_t at,
                    const char *text);

#endif

/* Layers: sources that decode the bytes of another source below, and are read like any source. A
 * format opens a layer where its encoding changes: NYTProf inflates after its `z` tag, StatProfiler
 * uncompresses blocks of snappy. The source itself opens the layers of whole files, gzip and
 * UTF-16 (struct pf_coding).
 *
 * The source below is borrowed and must not be read while the layer is in use. A layer consumes no
 * byte of the source below after its own end. */
#ifndef PF_IO_LAYER_H
#define PF_IO_LAYER_H

#include "base/error.h"
#include "io/source.h"

#include <stddef.h>
#include <stdint.h>

/* These functions open a source on the source `below`; pf_source_close closes it. PF_OK or
 * PF_NOMEM. */

/* Inflates a zlib stream. If the source below ends within the stream, the layer ends too and `cut`
 * is set. */
int pf_layer_inflate(struct pf_source **, struct pf_source *below, struct pf_error *);
/* Uncompresses blocks of snappy of up to 64 KiB, each after its size in 2 bytes, big-endian. */
int pf_layer_snappy(struct pf_source **, struct pf_source *below, struct pf_error *);
/* Reads the bytes of the source below from `skip` to about `most` bytes ahead, without consuming
 * them. */
int pf_layer_look(struct pf_source **, struct pf_source *below, size_t skip, size_t most,
                  struct pf_error *);

/* The following functions accept any source, with or without a layer. */

/* Makes sure that at least `need` bytes are in memory. PF_OK; PF_EOF if the data end before; or the
 * failure that ends the data, with its offset. */
int pf_source_need(struct pf_source *, size_t need, struct pf_error *);
/* Sets an error about the bytes at offset `at` of this source: PF_FAILED, which it returns. With a
 * layer, the message has the offset in the file first, and `at` as the offset "once inflated". */
int pf_source_vfail(const struct pf_source *, struct pf_error *, uint64_t at, const char *format,
                    va_list) PF_PRINTF(4, 0);
/* Sends a warning about the bytes at offset `at`, in the same way. */
void pf_source_warn(const struct pf_source *, const struct pf_report *, uint64_t at,
                    const char *format, ...) PF_PRINTF(4, 5);

#endif

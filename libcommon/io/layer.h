/* Sources on sources: a layer makes bytes of those that a source below it has, and is read as any source is. Formats push a
 * layer where their bytes change: NYTProf's inflates from its `z` tag on, StatProfiler's uncompresses blocks of snappy.
 *
 * The source below is borrowed and must not be read while the layer is. A layer takes from it no byte behind its own end. */
#ifndef PF_IO_LAYER_H
#define PF_IO_LAYER_H

#include "base/error.h"
#include "io/source.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a layer has room for at a time, at least: bytes are used while they are near. */
enum { PF_LAYER_ROOM = 64 * 1024 };

struct pf_layer {
    /* Makes up to `room` bytes. 0: the end, or a failure: of the source below in *error, of the layer's own data in `damage`. */
    size_t (*read)(struct pf_layer *, unsigned char *bytes, size_t room, struct pf_error *);
    void (*close)(struct pf_layer *); /* frees the layer; NULL: free() does */
    struct pf_source *below;
    const char *once;  /* offsets are those of bytes "once inflated"; NULL: the layer shows bytes as they are */
    uint64_t offset;   /* in the source below: of the bytes that messages are about */
    bool blocks;       /* damage is told of where the bytes made before it end, not of where they are read */
    bool cut;          /* the source below ends before the layer's data do */
    char damage[128];  /* "" or why the layer's data cannot be read on */
};

/* Each opens a source on a source; pf_source_close closes it. PF_OK or PF_NOMEM. */

/* A zlib stream. Where the source below ends within it, the layer ends too and `cut` is set. */
int pf_layer_inflate(struct pf_source **, struct pf_source *below, struct pf_error *);
/* Blocks of snappy of up to 64 KiB, each behind its size, 2 bytes, big-endian. */
int pf_layer_snappy(struct pf_source **, struct pf_source *below, struct pf_error *);
/* A look at what is ahead below, from `skip` bytes on, and at no more than about `most`: nothing is taken below. */
int pf_layer_look(struct pf_source **, struct pf_source *below, size_t skip, size_t most, struct pf_error *);

/* The following take any source, with a layer or without. */

/* Brings at least `need` bytes ahead. PF_OK; PF_EOF when the data end before; or why they do, with the place. */
int pf_source_need(struct pf_source *, size_t need, struct pf_error *);
/* Sets an error about the bytes at `at`, an offset of this source; behind the text stands where that is "once inflated". */
int pf_source_fail(const struct pf_source *, struct pf_error *, int code, uint64_t at, const char *text);
/* Warns of the bytes at `at`. */
void pf_source_warn(const struct pf_source *, const struct pf_report *, uint64_t at, const char *text);

#endif

/* A line of a call chain in perf script, `ADDRESS SYMBOL+0xOFFSET (IMAGE)`, and the line with its
 * place in the source below it. */
#ifndef PF_FORMAT_PERF_SCRIPT_FRAME_H
#define PF_FORMAT_PERF_SCRIPT_FRAME_H

#include "base/bytes.h"
#include "model/dict.h"

#include <stdint.h>

struct pf_perf_frame {
    uint64_t address;
    struct pf_bytes symbol; /* without the offset; may be empty */
    struct pf_bytes image;  /* without its brackets; empty where it is not printed */
    bool inlined;
};

/* A frame begins with blanks and a hexadecimal address; false for any other line. */
bool pf_perf_frame_parse(struct pf_bytes line, struct pf_perf_frame *);
/* A frame that has lost its blanks: an address of at least four digits and a symbol or an image. */
bool pf_perf_frame_unindented(struct pf_bytes line, struct pf_perf_frame *);
/* Whether the line says more of the frame than its address. */
static inline bool pf_perf_frame_named(const struct pf_perf_frame *frame)
{
    return frame->symbol.size > 0 || frame->image.size > 0 || frame->inlined;
}

/* The locations of a frame: several where a compiler at run time says what it inlined,
 * `outer->inner->innermost`. Appends them innermost first with *count; false: out of memory. */
bool pf_perf_frame_locations(struct pf_dict *, const struct pf_perf_frame *, uint32_t **locations,
                             size_t *count, size_t *capacity);

/* `FILE:LINE`, where a frame is in the source, maybe followed by ` (inlined)`. False when the line
 * is none. `??:0` and `IMAGE[ADDRESS]` have no file. */
struct pf_perf_source {
    struct pf_bytes file;
    int64_t line;
    bool inlined;
};
bool pf_perf_source_parse(struct pf_bytes line, struct pf_perf_source *);
/* A location with its place. */
uint32_t pf_perf_source_location(struct pf_dict *, uint32_t location,
                                 const struct pf_perf_source *);

#endif

/* perf script: the text in which Linux's perf prints its samples, an event a block with its call
 * chain. How its lines are parsed. */
#ifndef PF_FORMAT_PERF_SCRIPT_PERF_SCRIPT_H
#define PF_FORMAT_PERF_SCRIPT_PERF_SCRIPT_H

#include "base/bytes.h"
#include "codec/format.h"
#include "model/dict.h"

#include <stdint.h>

/* --- header.c ---------------------------------------------------------------------------------
 *
 * The line that begins an event: `COMM PID/TID [CPU] TIME: PERIOD EVENT: ...`, each part only where
 * it was asked for with -F. The name of a command may hold anything, also what looks like the other
 * parts, so that they are looked for from the right. */

struct pf_perf_header {
    /* the part before time, period and event: the same bytes mean the same command, thread and
     * processor */
    struct pf_bytes who;
    struct pf_bytes comm; /* of `who`, empty where it is not printed */
    bool has_pid, has_tid, has_cpu, has_time, has_period;
    int64_t pid, tid, cpu;
    int64_t time; /* nanoseconds */
    int64_t period;
    struct pf_bytes event; /* without its colon; empty where it is not printed */
    /* behind the event: a frame, what a tracepoint has to say, or nothing */
    struct pf_bytes rest;
};

/* False when the line is none, or a number leaves 64 bits. `timed`: the file's have times. */
bool pf_perf_header_parse(struct pf_bytes line, bool timed, struct pf_perf_header *);

/* The same of a line that has neither a time nor an event: who alone. */
void pf_perf_who_parse(struct pf_bytes line, struct pf_perf_header *);

/* Whether it is a line of --show-mmap-events and the like, `... TIME: PERF_RECORD_...`, which are
 * no samples. */
bool pf_perf_other_record(struct pf_bytes line);

/* --- frame.c ----------------------------------------------------------------------------------
 *
 * A line of a call chain, `ADDRESS SYMBOL+0xOFFSET (IMAGE)`, and the line with its place in the
 * source below it. */

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

/* --- detect.c --------------------------------------------------------------------------------- */

/* Bits of evidence that the text is of perf script. */
int pf_perf_bid(struct pf_source *, const char *path);

#endif

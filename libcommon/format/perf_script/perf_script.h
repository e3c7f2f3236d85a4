/* perf script: the text in which Linux's perf prints its events, each a header line and the call
 * chain below it. Here: how the lines are parsed. FORMAT.md has the facts. */
#ifndef PF_FORMAT_PERF_SCRIPT_PERF_SCRIPT_H
#define PF_FORMAT_PERF_SCRIPT_PERF_SCRIPT_H

#include "base/bytes.h"
#include "codec/format.h"
#include "model/dict.h"

#include <stdint.h>

/* --- header.c ---------------------------------------------------------------------------------
 *
 * The line that begins an event: `COMM PID/TID [CPU] TIME: PERIOD EVENT: ...`. Each part may be
 * missing: -F chooses the parts. The name of a command may hold anything, even text that looks like
 * another part, so the parts are searched from the right (FORMAT.md, section 1). */

struct pf_perf_header {
    /* the bytes before time, period and event: equal bytes mean the same command, thread and
     * processor */
    struct pf_bytes who;
    struct pf_bytes comm; /* the command in `who`; empty: not printed */
    bool has_pid, has_tid, has_cpu, has_time, has_period;
    int64_t pid, tid, cpu;
    int64_t time; /* nanoseconds */
    int64_t period;
    struct pf_bytes event; /* without its colon; empty: not printed */
    /* after the event: a frame, the fields of a tracepoint, or nothing */
    struct pf_bytes rest;
};

/* Parses a header line. `timed`: events of this file have times, so a line without a time is not an
 * event. False: not a header, or a number over 64 bits. */
bool pf_perf_header_parse(struct pf_bytes line, bool timed, struct pf_perf_header *);

/* Parses a header line that has neither a time nor an event, only command, thread and processor. */
void pf_perf_who_parse(struct pf_bytes line, struct pf_perf_header *);

/* True for a line of --show-mmap-events and similar options, `... TIME: PERF_RECORD_...`: such
 * events are not samples. */
bool pf_perf_other_record(struct pf_bytes line);

/* --- frame.c ----------------------------------------------------------------------------------
 *
 * A line of a call chain, `ADDRESS SYMBOL+0xOFFSET (IMAGE)`, and the line below it with the place
 * in the source (FORMAT.md, section 2). */

struct pf_perf_frame {
    uint64_t address;
    struct pf_bytes symbol; /* without the offset; may be empty */
    struct pf_bytes image;  /* without its brackets; empty: not printed */
    bool inlined;
};

/* Parses a line of a call chain: blanks and a hexadecimal address, then symbol and image. False:
 * another line. */
bool pf_perf_frame_parse(struct pf_bytes line, struct pf_perf_frame *);
/* Parses a frame that has lost its blanks: an address of at least four digits, and a symbol or an
 * image. False: another line. */
bool pf_perf_frame_unindented(struct pf_bytes line, struct pf_perf_frame *);
/* True if the line says more about the frame than its address. */
static inline bool pf_perf_frame_named(const struct pf_perf_frame *frame)
{
    return frame->symbol.size > 0 || frame->image.size > 0 || frame->inlined;
}

/* Appends the locations of a frame, innermost first; *count grows. Frames of a compiler at run time
 * may be several: it prints what it inlined as `outer->inner->innermost`. False: out of memory. */
bool pf_perf_frame_locations(struct pf_dict *, const struct pf_perf_frame *, uint32_t **locations,
                             size_t *count, size_t *capacity);

/* The line below a frame that says where the frame is in the source: `FILE:LINE`, maybe with `
 * (inlined)`. `??:0` and `IMAGE[ADDRESS]` give no file. False: another line. */
struct pf_perf_source {
    struct pf_bytes file;
    int64_t line;
    bool inlined;
};
bool pf_perf_source_parse(struct pf_bytes line, struct pf_perf_source *);
/* The location, with file and line added. */
uint32_t pf_perf_source_location(struct pf_dict *, uint32_t location,
                                 const struct pf_perf_source *);

/* --- detect.c --------------------------------------------------------------------------------- */

/* Bits of evidence that the text is perf script's (pf_format.bid). */
int pf_perf_bid(struct pf_source *, const char *path);

#endif

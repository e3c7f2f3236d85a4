/* The line that begins an event of perf script: `COMM PID/TID [CPU] TIME: PERIOD EVENT: ...`, each
 * part only where it was asked for with -F. The name of a command may hold anything, also what
 * looks like the other parts, so that they are looked for from the right. */
#ifndef PF_FORMAT_PERF_SCRIPT_HEADER_H
#define PF_FORMAT_PERF_SCRIPT_HEADER_H

#include "base/bytes.h"

#include <stdint.h>

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

#endif

/* Private to the format chrometrace: what the parts of its reader share. FORMAT.md has the facts.
 */
#ifndef PF_FORMAT_CHROMETRACE_CHROMETRACE_H
#define PF_FORMAT_CHROMETRACE_CHROMETRACE_H

#include "base/number.h"
#include "codec/file_urls.h"
#include "codec/json_reader.h"
#include "codec/text_reader.h"
#include "model/call_tree.h"

#include <stdbool.h>
#include <stdint.h>

/* A span, its begin or its end; times in nanoseconds. */
struct pf_trace_event {
    int64_t time, duration;          /* INT64_MAX: a begin whose end is not found yet; -1: an end */
    uint32_t thread, location, name; /* name: a string, 0 = none */
    uint32_t order;                  /* number of the event in the file */
};

/* The members of the event that is being read. */
struct pf_trace_fields {
    uint32_t pid, tid, name, id; /* strings */
    char phase;
    bool has_time, has_duration, has_weight;
    int64_t time, duration, weight;
    uint32_t frame; /* id in `frames` of the stack frame's number; 0: no stack frame */
    uint64_t args_offset;
};

/* A profile of V8 in the trace. */
struct pf_trace_profile {
    uint32_t thread;
    struct pf_call_tree tree;
    struct pf_call_samples samples;
    bool has_start, has_end;
    pf_int128 start, end; /* nanoseconds */
};

struct pf_trace_thread_key {
    uint32_t pid, tid; /* strings */
    uint64_t used;     /* 1, because a table cannot hold a row of zeros */
};

struct pf_trace_reader {
    struct pf_json_cut cut;
    struct pf_trace_event *events;
    size_t event_count, event_capacity;
    struct pf_table threads; /* pf_trace_thread_key */
    struct pf_trace_thread {
        uint32_t name, process, labels;
    } * thread_rows;
    size_t thread_capacity;
    struct pf_call_tree frames; /* the member stackFrames; numbers of frames are strings */
    struct pf_trace_sample {
        int64_t time, weight;
        uint32_t thread, frame, order;
    } * samples;
    size_t sample_count, sample_capacity;
    /* profile k has the id k + 1; its key is pid and id (strings), or pid and a number */
    struct pf_table profile_keys;
    struct pf_trace_profile *profiles;
    size_t profile_count, profile_capacity, profile_samples;
    struct pf_buffer args; /* `args` of the current event, as in the file */
    /* for warnings: rounded times, cut spans, ends without a begin, begins without an end */
    uint64_t rounded, cut_spans, unmatched, unclosed;
    pf_int128 cut_time;   /* nanoseconds */
    struct pf_table keys; /* stack and labels of each record of spans */
};

/* The row of a thread in `thread_rows`; a new thread is added. 0: out of memory. */
uint32_t pf_trace_thread(struct pf_reader *, uint32_t pid, uint32_t tid);
/* Sets the labels of all threads. Call it at the end, because names of threads and processes may
 * come after their events. */
void pf_trace_label_threads(struct pf_reader *);

/* Adds the parts of a profile that an event has. PF_OK or a failure. */
int pf_trace_read_profile(struct pf_reader *, const struct pf_trace_fields *);

/* Add the records of the trace's spans, of its samples, and of its profiles. PF_OK or a failure. */
int pf_trace_add_spans(struct pf_reader *);
int pf_trace_add_samples(struct pf_reader *);
int pf_trace_add_profiles(struct pf_reader *);

#endif

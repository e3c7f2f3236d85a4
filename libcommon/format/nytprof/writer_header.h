/* Attributes, options and comments of a NYTProf stream that is written. Those of the first input pass as they come; of others, comments
 * and what is new; at the end follows what several inputs have together, as nytprofmerge has it: the least basetime, a list of the
 * applications, and the sum of the overheads. */
#ifndef PF_FORMAT_NYTPROF_WRITER_HEADER_H
#define PF_FORMAT_NYTPROF_WRITER_HEADER_H

#include "format/nytprof/places.h"
#include "format/nytprof/wire.h"
#include "model/dict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_nyt_header {
    struct pf_dict *dict;       /* borrowed */
    struct pf_nyt_out *out;     /* borrowed */
    struct pf_nyt_map written;  /* key, 1 for options: value + 1 */
    struct pf_nyt_application {
        uint32_t name;
        uint64_t runs;
    } *applications;            /* sorted by name */
    size_t application_count, application_capacity;
    uint32_t inputs;            /* that had attributes; the last may be at hand */
    bool attributed;            /* the input at hand had some */
    uint32_t application;       /* of the input at hand */
    double overhead, all_overhead; /* seconds where ticks have a length: of the input at hand, and of those before */
    bool overhead_known;
    uint32_t basetime;          /* the least */
    uint64_t rate;              /* ticks_per_sec as written last, 0 = not */
    uint64_t input_rate;        /* of the input at hand */
    uint32_t application_key, overhead_key, basetime_key, rate_key, nv_key;
    bool failed;                /* memory ran out */
};

/* PF_OK or PF_NOMEM; free in any case. */
int pf_nyt_header_init(struct pf_nyt_header *, struct pf_dict *, struct pf_nyt_out *);
void pf_nyt_header_free(struct pf_nyt_header *);

void pf_nyt_header_restart(struct pf_nyt_header *);
/* An attribute or option of the input. False: it cannot be a line (it has a line feed, or an '=' in its key). */
bool pf_nyt_header_pair(struct pf_nyt_header *, bool option, uint32_t key, uint32_t value);
/* A comment; false: it has a line feed. */
bool pf_nyt_header_comment(struct pf_nyt_header *, struct pf_bytes text);
/* ticks_per_sec from here on. */
void pf_nyt_header_rate(struct pf_nyt_header *, uint64_t rate);
/* A header for records that no NYTProf file had. `application` as far as it can be in a line. */
void pf_nyt_header_make(struct pf_nyt_header *, struct pf_bytes application, uint64_t rate, int level);
/* What several inputs have together. */
void pf_nyt_header_finish(struct pf_nyt_header *);

#endif

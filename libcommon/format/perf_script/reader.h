/* The reader of perf script, event by event. */
#ifndef PF_FORMAT_PERF_SCRIPT_READER_H
#define PF_FORMAT_PERF_SCRIPT_READER_H

#include "base/line_memo.h"
#include "codec/text_reader.h"
#include "format/perf_script/header.h"

enum { PF_PERF_EVENTS = 64 }; /* different ones in a batch; one with more of them is cut short */

/* What a line of a call chain means is its value in the memo: a location, or, with the upper bit,
 * one of these. */
#define PF_PERF_SPECIAL 0x80000000u

struct pf_perf_line {
    uint32_t first, count; /* of its locations, some inlined; 0: a place in the source */
};

/* One of the events that the file names. */
struct pf_perf_measure {
    uint32_t index[2]; /* of the measure without periods and with; UINT32_MAX = not yet */
};

struct pf_perf_reader {
    struct pf_rows rows;
    struct pf_line_memo lines, names; /* of call chains; `who` parts, and events */
    struct pf_perf_line *specials;
    size_t special_count, special_capacity;
    uint32_t *locations; /* of the special lines */
    size_t location_count, location_capacity;
    /* locations with a place in the source: location, line; the result by id */
    struct pf_table placed;
    uint32_t *placed_locations;
    size_t placed_capacity;
    uint32_t *labels; /* by `who` part */
    size_t label_capacity;
    struct pf_perf_measure *measures; /* by event */
    size_t measure_capacity;
    uint32_t samples; /* the measure; UINT32_MAX = not yet */
    /* an event counts time: the first that does is the main measure */
    bool has_time;
    bool timed; /* the file's events carry times */
    bool named; /* one came that has a time or an event in its header */
    bool bare;  /* one came that has neither */
    bool give_times;
    int status; /* what follows the records given last */

    bool inlines;         /* frames of the event at hand are inlined */
    uint64_t passed_over; /* lines that are no frames, and where the first is */
    uint64_t passed_offset;

    uint64_t event; /* the event at hand: where it begins */
    uint32_t item_measure, item_labels;
    int64_t item_value, item_time;
    uint32_t origin;
};

/* Reads on to the next event or comment, which becomes a record or metadata. PF_EOF, or a
 * failure. */
int pf_perf_read_item(struct pf_reader *);

#endif

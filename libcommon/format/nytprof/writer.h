/* The writer of NYTProf streams. It writes metadata, source texts, statements and callers as they
 * come, and calls when all are known. If a profile of another format has only stacks, the writer
 * makes lines and callers from the stacks. */
#ifndef PF_FORMAT_NYTPROF_WRITER_H
#define PF_FORMAT_NYTPROF_WRITER_H

#include "analysis/sum/callers.h"
#include "base/error.h"
#include "base/number.h"
#include "base/table.h"
#include "codec/format.h"
#include "format/nytprof/places.h"
#include "format/nytprof/wire.h"
#include "model/dict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- units of time ---------------------------------------------------------------------------- */

/* Ticks per second: the default, which most systems have; for times that are too fine for the
 * format and are rounded; the greatest that Devel::NYTProf holds. */
enum { PF_NYT_RATE_DEFAULT = 10000000, PF_NYT_RATE_FINE = 1000000000 };
#define PF_NYT_RATE_MAX UINT32_MAX

/* The unit of a measure of time: a value means value * num / rate seconds; `num` and `rate` have no
 * common divisor. Rate 0: a value means value * num / den ticks of unknown length. */
struct pf_nyt_time {
    uint64_t num, rate, den;
};

/* Sets the unit of a measure. False: the measure is not a time. */
bool pf_nyt_time_of(const struct pf_dict *, const struct pf_measure *, struct pf_nyt_time *);

/* Chooses ticks per second such that values of this unit are whole ticks: `rate` if possible, else
 * the rate of the unit. If the rate of the unit is above PF_NYT_RATE_MAX: PF_NYT_RATE_FINE; but if
 * times may have fractions of a tick (returns), `rate`, or PF_NYT_RATE_DEFAULT if `rate` is 0. */
uint64_t pf_nyt_time_rate(const struct pf_nyt_time *, uint64_t rate, bool fractions);

/* A value in whole ticks of a rate. Sets *rounded if the ticks are not exact. False: over 64
 * bits. */
bool pf_nyt_time_ticks(const struct pf_nyt_time *, uint64_t rate, int64_t value, int64_t *ticks,
                       bool *rounded);

/* Subtracts a part from *value and returns the part, which is small enough for a double to hold
 * exactly. */
int64_t pf_nyt_time_part(int64_t *value);
/* How many parts pf_nyt_time_part makes of a value. */
uint64_t pf_nyt_time_parts(int64_t value);
/* A part in seconds. A reader that converts the double to units gets the same part. */
double pf_nyt_time_seconds(const struct pf_nyt_time *, int64_t part);

/* --- call events ------------------------------------------------------------------------------ */

/* A sub in a chain of calls; node 0 stands for the code outside of all subs. */
struct pf_nyt_call {
    uint32_t name, parent;      /* name: a string; 0 = a sub without a name */
    uint32_t first, last, next; /* children and siblings, 0 = none */
    uint32_t depth;
    int64_t calls, self;
    double total; /* ticks, with the ticks of all called subs */
};

/* The tree of calls, which becomes SUB_RETURN records: a sub returns before its caller, as when a
 * program runs. Subs that never returned have no record. They come last among the subs of their
 * caller: no return after them may adopt the subs that they called. */
struct pf_nyt_calls {
    struct pf_dict *dict;      /* borrowed */
    struct pf_table keys;      /* parent and name */
    struct pf_nyt_call *nodes; /* by id of a key */
    size_t count, capacity;
    uint32_t *of_stack; /* nodes by stack of the dictionary, + 1 */
    size_t stack_count, stack_capacity;
    uint32_t *path; /* stacks on the way to a root */
    size_t path_capacity;
    double ticks; /* sum of the self times that the last pf_nyt_calls_write wrote */
};

/* PF_OK or PF_NOMEM; free in any case. */
int pf_nyt_calls_init(struct pf_nyt_calls *, struct pf_dict *);
void pf_nyt_calls_free(struct pf_nyt_calls *);
static inline bool pf_nyt_calls_empty(const struct pf_nyt_calls *calls)
{
    return calls->count <= 1;
}

/* Adds self time and a number of calls to a stack. PF_OK; PF_NOMEM; PF_OVERFLOW; PF_USAGE: the
 * number is negative. */
int pf_nyt_calls_add(struct pf_nyt_calls *, uint32_t stack, int64_t self, int64_t number,
                     struct pf_error *);

/* Writes the returns of all calls and removes the calls. `time` is the unit of their self times.
 * PF_OK, PF_OVERFLOW or PF_NOMEM. */
int pf_nyt_calls_write(struct pf_nyt_calls *, struct pf_nyt_out *, const struct pf_nyt_time *,
                       uint64_t rate, struct pf_error *);

/* --- stacks ----------------------------------------------------------------------------------- */

struct pf_nyt_stack {
    int64_t self, hits; /* of records of this stack */
    int64_t total;      /* self time, with the self time of all called stacks */
    uint32_t recursion; /* how many of its callers have the same function */
    bool used;
};

/* Stacks of profiles of other formats, which become lines and callers: the time of a stack goes to
 * the line of its leaf, and each frame is called from the line of its caller's frame. */
struct pf_nyt_stacks {
    struct pf_nyt_stack *rows; /* by stack of the dictionary */
    size_t count, capacity;
};

/* Zero-initialise. */
void pf_nyt_stacks_free(struct pf_nyt_stacks *);

/* Adds the amounts of a record. PF_OK, PF_NOMEM or PF_OVERFLOW. */
int pf_nyt_stacks_add(struct pf_nyt_stacks *, uint32_t stack, int64_t self, int64_t hits,
                      struct pf_error *);
/* Adds the callers of all stacks, and fills in `total` and `recursion`. PF_OK, PF_NOMEM or
 * PF_OVERFLOW. */
int pf_nyt_stacks_finish(struct pf_nyt_stacks *, const struct pf_dict *, struct pf_error *);

/* --- header lines ----------------------------------------------------------------------------- */

/* Attributes, options and comments of an output. The writer passes on those of the first input, and
 * comments and new attributes of later inputs. At the end it writes the attributes that join all
 * inputs, as nytprofmerge does: the least basetime, a list of the applications, and the sum of the
 * overheads. */
struct pf_nyt_header {
    struct pf_dict *dict;       /* borrowed */
    struct pf_nyt_out *out;     /* borrowed */
    struct pf_pair_map written; /* key, 1 for options: value */
    struct pf_nyt_application {
        uint32_t name;
        uint64_t runs;
    } * applications; /* sorted by name */
    size_t application_count, application_capacity;
    uint32_t inputs;      /* number of inputs with attributes so far */
    bool attributed;      /* the current input has attributes */
    uint32_t application; /* of the current input */
    /* of the current input in ticks, and of the inputs before in seconds (in ticks if the length of
     * a tick is unknown) */
    double overhead, all_overhead;
    bool overhead_known;
    uint32_t basetime;   /* the least of all inputs */
    uint64_t rate;       /* the last ticks_per_sec written, 0 = none */
    uint64_t input_rate; /* of the current input; 0 = none */
    uint32_t application_key, overhead_key, basetime_key, rate_key, nv_key;
    bool failed; /* memory ran out */
};

/* Writes the attribute ticks_per_sec, which holds for the records after it. */
void pf_nyt_header_rate(struct pf_nyt_header *, uint64_t rate);
/* Adds an attribute or option of the input. False: no line can hold the pair (it has a line feed,
 * or its key has a `=`). */
bool pf_nyt_header_pair(struct pf_nyt_header *, bool option, uint32_t key, uint32_t value);
/* Writes a comment. False: the text has a line feed. */
bool pf_nyt_header_comment(struct pf_nyt_header *, struct pf_bytes text);
/* Begins another input. */
void pf_nyt_header_restart(struct pf_nyt_header *);
/* Writes the attributes that join several inputs. Call it at the end. */
void pf_nyt_header_finish(struct pf_nyt_header *);

/* --- the writer ------------------------------------------------------------------------------- */

struct pf_nyt_writer {
    struct pf_nyt_out out;
    struct pf_nyt_header header;
    struct pf_nyt_numbers numbers;
    struct pf_nyt_subs subs;
    struct pf_nyt_calls calls;
    struct pf_nyt_stacks stacks; /* of profiles that have only stacks */
    /* records of other formats whose calls have to agree with the costs of functions; written at
     * the end */
    struct pf_callers *callers;
    struct pf_nyt_time call_time; /* of the amounts in `calls` */
    uint32_t input;               /* name of the first input, a string */
    bool ready;                   /* all above are initialised */
    /* private rows of NYTProf files came: from any input; from the current input */
    bool genuine, own;
    bool begun;    /* more than header lines was written */
    bool process;  /* a process that the writer began is open */
    bool detailed; /* the input has lines or callers */
    bool stated;   /* `last` is set: the last statement */
    struct pf_nyt_statement {
        uint32_t fid, line, block, sub; /* block and sub: 0 for statements without blocks */
        int64_t count, value;           /* number of statements, and the sum of their times */
    } last;
    uint64_t statements, discounts, discounts_wanted;
    uint64_t wanted; /* statements and calls so far, a record each */
    /* limits of `wanted`: for profiles of other formats, for profiles of NYTProf */
    uint64_t limit, own_limit;
    uint32_t packed_comment; /* held back: the comment (string) before deflated data */
    bool ended;              /* held back: the end of a process */
    uint32_t end_pid;
    double end_time;
    /* file number (of the input) of the next source texts; 0: find the file by their names */
    uint32_t source_fid;
    /* sum of the times of all statements; sum of the self times of all calls */
    double seconds, call_seconds;
    bool rounded;
    uint32_t attribute_origin, option_origin, comment_origin, private_origin, tool_origin,
        input_key;
    uint32_t fid_key, block_key, sub_key, unknown;
};

int pf_nyt_writer_open(struct pf_writer *);
bool pf_nyt_writer_holds_label(struct pf_writer *, const struct pf_label *);
int pf_nyt_writer_write(struct pf_writer *, const struct pf_batch *);
int pf_nyt_writer_finish(struct pf_writer *);
void pf_nyt_writer_close(struct pf_writer *);

/* Writes everything before the records (writer_header.c). Results are PF_OK or a failure, which is
 * in writer->error. */

/* Writes header lines and the start of a process before the first record; later calls do nothing.
 * `time` (may be NULL) decides the length of a tick if no input does. */
int pf_nyt_begin(struct pf_writer *, const struct pf_nyt_time *time);
/* Writes what was held back: a comment, the end of a process. */
void pf_nyt_write_held(struct pf_writer *);
/* Writes a string of the dictionary. */
void pf_nyt_write_name(struct pf_writer *, uint32_t name);
/* Begins to deflate the output where the input is deflated, unless --compression is 0. */
int pf_nyt_begin_deflated(struct pf_writer *);
/* Ends the process that the writer began, if it is open; do this before another process begins. */
void pf_nyt_end_process(struct pf_writer *);
/* Writes source texts that no earlier input gave. */
int pf_nyt_write_texts(struct pf_writer *, const struct pf_batch *);

/* Finds the number of a file, for a name and the number in a label (0: no label). Writes a record
 * for a new file. */
int pf_nyt_writer_fid(struct pf_writer *, uint32_t name, uint32_t label, uint32_t *fid);
/* Sets *line to the number of a line, or to 0 if the line is unknown. PF_USAGE: over 32 bits. */
int pf_nyt_writer_line(struct pf_writer *, int64_t from, uint32_t *line);

#endif

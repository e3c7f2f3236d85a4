/* The writer of NYTProf streams. It writes metadata, source texts, statements and callers as they
 * come, and call events when all are known. Profiles of other formats with stacks alone get lines
 * and callers from the stacks. */
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

/* Ticks per second: the default, that of most systems; for times without whole ticks, which are
 * rounded; the most that Devel::NYTProf holds. */
enum { PF_NYT_RATE_DEFAULT = 10000000, PF_NYT_RATE_FINE = 1000000000 };
#define PF_NYT_RATE_MAX UINT32_MAX

/* A unit of time: a value is value * num / rate seconds, `num` and `rate` without common divisor.
 * Rate 0: value * num / den ticks of unknown length. */
struct pf_nyt_time {
    uint64_t num, rate, den;
};

/* False when the measure is no time. */
bool pf_nyt_time_of(const struct pf_dict *, const struct pf_measure *, struct pf_nyt_time *);

/* The rate with which values of this time are whole ticks: `rate` if possible, else the rate of the
 * time. When the format does not hold that rate: PF_NYT_RATE_FINE, or for returns, which take
 * fractions, `rate` or PF_NYT_RATE_DEFAULT. */
uint64_t pf_nyt_time_rate(const struct pf_nyt_time *, uint64_t rate, bool fractions);

/* A value in whole ticks of a rate; sets *rounded when they are not exact. False: more than 64
 * bits. */
bool pf_nyt_time_ticks(const struct pf_nyt_time *, uint64_t rate, int64_t value, int64_t *ticks,
                       bool *rounded);

/* Takes a part off *value that is small enough for a double to hold exactly. */
int64_t pf_nyt_time_part(int64_t *value);
/* The number of parts of a value. */
uint64_t pf_nyt_time_parts(int64_t value);
/* A part as seconds, in a double that a reader reads back as the same part. */
double pf_nyt_time_seconds(const struct pf_nyt_time *, int64_t part);

/* --- call events ------------------------------------------------------------------------------ */

/* A sub called in a chain of calls; node 0 is outside of all. */
struct pf_nyt_call {
    uint32_t name, parent;      /* name: a string; 0 = a sub without a name */
    uint32_t first, last, next; /* children and siblings, 0 = none */
    uint32_t depth;
    int64_t calls, self;
    double total; /* ticks, with those of all called subs */
};

/* The tree of calls, which becomes records of returns: leaf first, as they come when a program
 * runs. Subs that never returned (without calls) stay open and come last among the subs of their
 * caller, so that no later return takes them as its own. */
struct pf_nyt_calls {
    struct pf_dict *dict;      /* borrowed */
    struct pf_table keys;      /* parent and name */
    struct pf_nyt_call *nodes; /* by id of a key */
    size_t count, capacity;
    uint32_t *of_stack; /* nodes by stack of the dictionary, + 1 */
    size_t stack_count, stack_capacity;
    uint32_t *path; /* stacks on the way to a root */
    size_t path_capacity;
    double ticks; /* self time of the calls written last */
};

/* PF_OK or PF_NOMEM; free in any case. */
int pf_nyt_calls_init(struct pf_nyt_calls *, struct pf_dict *);
void pf_nyt_calls_free(struct pf_nyt_calls *);
static inline bool pf_nyt_calls_empty(const struct pf_nyt_calls *calls)
{
    return calls->count <= 1;
}

/* Adds self time and a number of calls to a stack. PF_OK, PF_NOMEM, PF_OVERFLOW, PF_USAGE. */
int pf_nyt_calls_add(struct pf_nyt_calls *, uint32_t stack, int64_t self, int64_t number,
                     struct pf_error *);

/* Writes all calls and removes them. PF_OK, PF_OVERFLOW, PF_NOMEM. */
int pf_nyt_calls_write(struct pf_nyt_calls *, struct pf_nyt_out *, const struct pf_nyt_time *,
                       uint64_t rate, struct pf_error *);

/* --- stacks ----------------------------------------------------------------------------------- */

struct pf_nyt_stack {
    int64_t self, hits;   /* of records of this stack */
    int64_t total;        /* self time with that of all called stacks */
    uint32_t first, next; /* stacks that it called */
    uint32_t recursion;   /* how often its function is among its callers */
    bool used;
};

/* Stacks of profiles of other formats, which become lines and callers: the line of the leaf spends
 * the time of a stack, and each frame is called from the line of the frame outside. */
struct pf_nyt_stacks {
    struct pf_nyt_stack *rows; /* by stack of the dictionary */
    size_t count, capacity;
};

/* Zero-initialise. */
void pf_nyt_stacks_free(struct pf_nyt_stacks *);

/* Adds the amounts of a record. PF_OK, PF_NOMEM, PF_OVERFLOW. */
int pf_nyt_stacks_add(struct pf_nyt_stacks *, uint32_t stack, int64_t self, int64_t hits,
                      struct pf_error *);
/* Marks the callers of all stacks as used, and fills in totals and recursion. PF_OK, PF_NOMEM,
 * PF_OVERFLOW. */
int pf_nyt_stacks_finish(struct pf_nyt_stacks *, const struct pf_dict *, struct pf_error *);

/* --- header lines ----------------------------------------------------------------------------- */

/* Attributes, options and comments of an output. Those of the first input pass as they come; of
 * later inputs comments and new attributes. At the end follow the attributes of all inputs
 * together, like those of nytprofmerge: the least basetime, a list of the applications, and the sum
 * of the overheads. */
struct pf_nyt_header {
    struct pf_dict *dict;      /* borrowed */
    struct pf_nyt_out *out;    /* borrowed */
    struct pf_nyt_map written; /* key, 1 for options: value + 1 */
    struct pf_nyt_application {
        uint32_t name;
        uint64_t runs;
    } * applications; /* sorted by name */
    size_t application_count, application_capacity;
    uint32_t inputs;      /* with attributes; the last may be the current one */
    bool attributed;      /* the current input has attributes */
    uint32_t application; /* of the current input */
    /* of the current input, and of those before; seconds if ticks have a length */
    double overhead, all_overhead;
    bool overhead_known;
    uint32_t basetime;   /* the least */
    uint64_t rate;       /* the last ticks_per_sec written, 0 = none */
    uint64_t input_rate; /* of the current input */
    uint32_t application_key, overhead_key, basetime_key, rate_key, nv_key;
    bool failed; /* memory ran out */
};

/* Writes ticks_per_sec, which counts from here on. */
void pf_nyt_header_rate(struct pf_nyt_header *, uint64_t rate);
/* An attribute or option of the input. False: it cannot be a line (it has a line feed, or an '=' in
 * its key). */
bool pf_nyt_header_pair(struct pf_nyt_header *, bool option, uint32_t key, uint32_t value);
/* A comment; false: it has a line feed. */
bool pf_nyt_header_comment(struct pf_nyt_header *, struct pf_bytes text);
/* The lines that follow are of another input. */
void pf_nyt_header_restart(struct pf_nyt_header *);
/* Writes the attributes of several inputs together. */
void pf_nyt_header_finish(struct pf_nyt_header *);

/* --- the writer ------------------------------------------------------------------------------- */

struct pf_nyt_writer {
    struct pf_nyt_out out;
    struct pf_nyt_header header;
    struct pf_nyt_numbers numbers;
    struct pf_nyt_subs subs;
    struct pf_nyt_calls calls;
    struct pf_nyt_stacks stacks; /* of profiles with stacks alone */
    /* calls that have to agree with the costs of functions; written at the end */
    struct pf_callers *callers;
    struct pf_nyt_time call_time; /* of the amounts in `calls` */
    uint32_t input;               /* name of the first input, a string */
    bool ready;                   /* all above are initialised */
    /* rows came that only a NYTProf file has; own: from the current input */
    bool genuine, own;
    bool begun;    /* records were written, not header lines alone */
    bool process;  /* a process of our own is open */
    bool detailed; /* the input has lines or callers */
    bool stated;   /* there were statements; the last of them */
    struct pf_nyt_statement {
        uint32_t fid, line, block, sub; /* block and sub: of statements with blocks, else 0 */
        int64_t count, value;           /* number of statements, and their time together */
    } last;
    uint64_t statements, discounts, discounts_wanted;
    /* the rest of the limit of statements and calls of other formats */
    uint64_t limit;
    uint32_t packed_comment; /* held back: the comment before deflated data */
    bool ended;              /* held back: the end of a process */
    uint32_t end_pid;
    double end_time;
    /* of the next source texts, 0: their names lead to the number */
    uint32_t source_fid;
    double seconds, call_seconds; /* self time of all statements, of all call events */
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

/* What stands before records (writer_header.c). PF_OK or a failure, which is in writer->error. */

/* Called before the first record. `time` (may be NULL) decides the length of a tick when nothing
 * else does. */
int pf_nyt_begin(struct pf_writer *, const struct pf_nyt_time *time);
/* Writes the rows held back. */
void pf_nyt_write_held(struct pf_writer *);
/* Writes a string of the dictionary. */
void pf_nyt_write_name(struct pf_writer *, uint32_t name);
/* Begins to deflate the output, if it is to be, where the input does. */
int pf_nyt_begin_deflated(struct pf_writer *);
/* Ends a process of our own: no others begin while it runs. */
void pf_nyt_end_process(struct pf_writer *);
int pf_nyt_write_texts(struct pf_writer *, const struct pf_batch *);

/* Finds the number of a file; a new file gets a record. */
int pf_nyt_writer_fid(struct pf_writer *, uint32_t name, uint32_t label, uint32_t *fid);
int pf_nyt_writer_line(struct pf_writer *, int64_t from, uint32_t *line);

#endif

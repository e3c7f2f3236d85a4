/* The writer of NYTProf streams. Metadata, source texts, statements and callers are written as they come; call events when all of a
 * kind are known. Profiles of other formats that have stacks alone get lines and callers from these. */
#ifndef PF_FORMAT_NYTPROF_WRITER_H
#define PF_FORMAT_NYTPROF_WRITER_H

#include "analysis/sum/callers.h"
#include "codec/format.h"
#include "format/nytprof/writer_calls.h"
#include "format/nytprof/places.h"
#include "format/nytprof/writer_header.h"
#include "format/nytprof/wire.h"
#include "format/nytprof/writer_stacks.h"
#include "format/nytprof/writer_units.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_nyt_writer {
    struct pf_nyt_out out;
    struct pf_nyt_header header;
    struct pf_nyt_numbers numbers;
    struct pf_nyt_subs subs;
    struct pf_nyt_calls calls;
    struct pf_nyt_stacks stacks;     /* of profiles that have nothing else */
    struct pf_callers *callers;      /* calls of functions of which more is told, to be written at the end */
    struct pf_nyt_time call_time;    /* of the amounts in `calls` */
    uint32_t input;                  /* name of the first input, a string */
    bool ready;                      /* all above are initialised */
    bool genuine, own;               /* rows came that only a NYTProf file has; of the input at hand, too */
    bool begun;                      /* records were written, not header lines alone */
    bool process;                    /* it is in a process of our own */
    bool given;                      /* there were lines or callers in the input */
    bool stated;                     /* there were statements; the last of them */
    struct pf_nyt_statement {
        uint32_t fid, line, block, sub; /* block and sub: of statements with blocks, else 0 */
        int64_t count, value;        /* so many statements, and what they took together */
    } last;
    uint64_t statements, discounts, discounts_wanted;
    uint64_t limit;                  /* so many more statements and calls of other formats are written */
    uint32_t packed_comment;         /* held back: a comment that what follows is deflated */
    uint32_t end_key;                /* held back: the end of a process */
    uint32_t source_fid;             /* of the source texts that follow, 0: their names tell */
    double seconds, call_seconds;    /* self time of all statements, of all call events */
    bool rounded;
    uint32_t attribute_origin, option_origin, comment_origin, private_origin, tool_origin, input_key;
    uint32_t fid_key, block_key, sub_key, unknown;
};

int pf_nyt_writer_open(struct pf_writer *);
bool pf_nyt_writer_holds_label(struct pf_writer *, const struct pf_label *);
int pf_nyt_writer_write(struct pf_writer *, const struct pf_batch *);
int pf_nyt_writer_finish(struct pf_writer *);
void pf_nyt_writer_close(struct pf_writer *);

/* Below: what the parts of the writer share. All give PF_OK or a failure, which is in writer->error. */

/* Before the first record; `time` (may be NULL) decides what a tick is where nothing else does. */
int pf_nyt_begin(struct pf_writer *, const struct pf_nyt_time *time);
/* Ends a process of our own: no others begin while it runs. */
void pf_nyt_end_process(struct pf_writer *);
/* Here the input begins to be deflated; so does the output, if it is to be. */
int pf_nyt_begin_deflated(struct pf_writer *);
/* Files, subs, sources, processes. */
int pf_nyt_write_metadata(struct pf_writer *, const struct pf_batch *);
/* What the rows held back say. */
void pf_nyt_write_held(struct pf_writer *);
/* A marker that a sub is in C. */
void pf_nyt_write_xsub(struct pf_writer *, uint32_t name);
int pf_nyt_write_texts(struct pf_writer *, const struct pf_batch *);
/* FLAT, EDGE and SAMPLE records. */
int pf_nyt_write_records(struct pf_writer *, const struct pf_batch *);
int pf_nyt_write_stacks(struct pf_writer *);
/* The callers that are held. */
int pf_nyt_write_callers(struct pf_writer *);
/* Statements that make the number of discounts that is wanted. */
void pf_nyt_write_discounts(struct pf_writer *);

/* The number of a file, defined when new. */
int pf_nyt_writer_fid(struct pf_writer *, uint32_t name, uint32_t label, uint32_t *fid);
int pf_nyt_writer_line(struct pf_writer *, int64_t from, uint32_t *line);

#endif

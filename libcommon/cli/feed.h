/* Opens and reads the operands of a run, one after the other, in this thread or in threads that
 * read ahead: the part of cli/inputs.h that deals with sources, formats and threads. */
#ifndef PF_CLI_FEED_H
#define PF_CLI_FEED_H

#include "cli/ahead.h"
#include "cli/common.h"
#include "cli/operands.h"
#include "codec/codec.h"

/* The input of a batch. */
struct pf_input {
    const char *name;               /* the operand */
    const struct pf_format *format; /* NULL: unknown */
    int evidence;                   /* bits of evidence for the format; 0: set by -f */
    unsigned number;                /* from 0 in reading order */
    unsigned first;      /* number of the first input of its series; of itself without a series */
    uint64_t content;    /* with want_content: hash of its bytes (io/content.h) */
    const char *variant; /* an unusual form of the format, else ""; known at the end of the input */
    bool left_out; /* --since and --until have not chosen it; it returns no batch but its end */
    bool ended,
        complete; /* with pf_inputs_want_ends: the input has ended; it was read completely */
    /* with `ended`: why it is not complete; NULL: no failure. Valid until the next batch. */
    const struct pf_error *failure;
};

/* Set the first group; free with pf_feed_free. */
struct pf_feed {
    struct pf_common *common;
    struct pf_dict *dict;
    struct pf_operands operands; /* owned */
    bool want_flush, want_times; /* as pf_inputs_want_flush and pf_inputs_want_times */
    bool want_content;           /* hash the inputs */
    bool muted;                  /* send no messages */

    struct pf_shared *shared;
    size_t next;           /* operand to open next */
    struct pf_input input; /* the operand that was opened last */
    bool open;             /* batches can be read */
    bool ended;            /* the last batch was read */
    uint64_t done;         /* bytes of finished inputs */
    struct pf_source *source;
    struct pf_reader *reader;
    struct pf_source *early; /* operand `next`, if already open */
    struct pf_ahead
        *ahead; /* reads the inputs from `ahead_first`; source and reader are NULL for these */
    size_t ahead_first;
    uint64_t ahead_offset; /* offset in the open input */
    bool ahead_started;
};

/* Exits 4 if out of memory. */
void pf_feed_start(struct pf_feed *);
void pf_feed_free(struct pf_feed *);

/* True if no operand is left to open. */
bool pf_feed_ended(const struct pf_feed *);
/* Opens the source of the next operand and detects its format, without a reader: for a copy of
 * its bytes. PF_OK or a negative code with the error; `input` is always this operand. */
int pf_feed_open_source(struct pf_feed *, struct pf_error *);
/* Opens the next operand for reading, or the operand whose source is open. Results as
 * pf_feed_open_source. */
int pf_feed_open(struct pf_feed *, struct pf_error *);
/* Closes the open operand, if any. */
void pf_feed_close(struct pf_feed *);

/* As pf_reader_next. */
int pf_feed_next(struct pf_feed *, struct pf_batch *, struct pf_error *);
/* Skips the rest of the open input without messages: a file of a series is read to its end, because
 * the next file depends on it. */
void pf_feed_skip(struct pf_feed *);
/* Sends messages about the current input as warnings and notes. */
struct pf_report pf_feed_report(struct pf_feed *);
/* The number of bytes read of all inputs. */
uint64_t pf_feed_bytes(const struct pf_feed *);
/* True if a read of the open input would wait for its producer. */
bool pf_feed_would_block(const struct pf_feed *);

#endif

/* Opens and reads the operands of a run, one after the other, here or in threads that read ahead:
 * the part of cli/inputs.h that knows sources, formats and threads. */
#ifndef PF_CLI_FEED_H
#define PF_CLI_FEED_H

#include "cli/ahead.h"
#include "cli/common.h"
#include "cli/operands.h"
#include "codec/codec.h"

/* The input of a batch. */
struct pf_input {
    const char *name;               /* the operand */
    const struct pf_format *format; /* NULL: it was not found out */
    int evidence;                   /* bits of it that the bytes have this format; 0: -f said so */
    unsigned number;                /* from 0 in reading order */
    const char *variant;  /* the form it has where that is not the usual one, else ""; known when it
                             has ended */
    bool ended, complete; /* pf_inputs_want_ends: this is its end, and it was read whole */
};

/* Set the first group; end with pf_feed_free. */
struct pf_feed {
    struct pf_common *common;
    struct pf_dict *dict;
    struct pf_operands operands; /* owned */
    bool want_flush, want_times; /* as pf_inputs_want_flush and pf_inputs_want_times */

    struct pf_shared *shared;
    size_t next;           /* operand to open next */
    struct pf_input input; /* the operand that was opened last */
    bool open;             /* batches can be read */
    uint64_t done;         /* bytes of inputs that are through */
    struct pf_source *source;
    struct pf_reader *reader;
    struct pf_source *early; /* operand `next`, where it is open already */
    struct pf_ahead
        *ahead; /* reads the inputs from `ahead_first`; source and reader are NULL for these */
    size_t ahead_first;
    uint64_t ahead_offset; /* in the one that is open */
    bool ahead_started;
};

/* Exits 4 when memory runs out. */
void pf_feed_start(struct pf_feed *);
void pf_feed_free(struct pf_feed *);

/* No operand is left to open. */
bool pf_feed_ended(const struct pf_feed *);
/* Opens the source of the next operand and finds its format, and no more: for a copy of its bytes.
 * PF_OK or a negative code with the error; `input` is this operand in any case. */
int pf_feed_open_source(struct pf_feed *, struct pf_error *);
/* Opens the next operand for reading, or the one whose source is open. As pf_feed_open_source. */
int pf_feed_open(struct pf_feed *, struct pf_error *);
/* Closes the operand that is open, if any. */
void pf_feed_close(struct pf_feed *);

/* As pf_reader_next. */
int pf_feed_next(struct pf_feed *, struct pf_batch *, struct pf_error *);
/* Messages about the input at hand, as warnings and notes. */
struct pf_report pf_feed_report(struct pf_feed *);
/* Bytes of all inputs that are read. */
uint64_t pf_feed_bytes(const struct pf_feed *);
/* True when the producer of the open input lets us wait. */
bool pf_feed_would_block(const struct pf_feed *);

#endif

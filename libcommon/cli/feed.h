/* The first stage of every pipeline: opens the operands one after the other, detects their formats
 * and gives their batches, in this thread or from threads that read ahead. Each input of a foreign
 * format begins with a META batch of origin `profutils`: `input` (the operand) and
 * `source_format`. */
#ifndef PF_CLI_FEED_H
#define PF_CLI_FEED_H

#include "cli/common.h"
#include "cli/operands.h"
#include "codec/stage.h"
#include "io/sink.h"

#include <stdbool.h>

struct pf_feed;

/* What the feed is to find in its inputs, besides their records. */
struct pf_feed_wants {
    bool times;    /* the times of records, even if the format gives them on request only */
    bool lines;    /* the same for the lines that were executed */
    bool relocate; /* addresses count from the start of their image (codec/format.h) */
    bool flush; /* PF_EVENT_FLUSH when the producer is slow, so that a live pipe is not held back */
    bool content; /* the hash of the bytes of each input */
};

/* `dict` gets the ids of all batches. Takes ownership of the operands. Exits 4 if out of memory.
 * Never NULL. */
struct pf_feed *pf_feed_open(struct pf_common *, struct pf_dict *dict, struct pf_operands *);
/* Closes the open input and ends the progress line, so that messages can follow. */
void pf_feed_end(struct pf_feed *);
void pf_feed_close(struct pf_feed *);

/* To be changed before the first event. */
struct pf_feed_wants *pf_feed_wants(struct pf_feed *);
struct pf_stage *pf_feed_stage(struct pf_feed *);
/* Sends messages about the current input as warnings and notes. */
struct pf_report pf_feed_report(struct pf_feed *);

/* Copies inputs unchanged to the sink while they have this format and can be copied; the events
 * continue with the first other input. Call before the first event. True: bytes went to the sink,
 * and the caller checks its status. */
bool pf_feed_copy(struct pf_feed *, const struct pf_format *, struct pf_sink *);

/* Ends the current input with a failure, which a later stage has met: prints the error. Without
 * --keep-going no further input is opened. */
void pf_feed_fail(struct pf_feed *, const struct pf_error *);
/* Counts the current input as failed and prints the error; its events go on. Without --keep-going
 * no further input is opened. */
void pf_feed_reject(struct pf_feed *, const struct pf_error *);

/* True if an input failed or was rejected. */
bool pf_feed_failed(const struct pf_feed *);
/* True if no operand is left, and the end of the last input was given. */
bool pf_feed_reached_last(const struct pf_feed *);
/* The number of completely read inputs. */
unsigned pf_feed_good(const struct pf_feed *);
const struct pf_operands *pf_feed_operands(const struct pf_feed *);

#endif

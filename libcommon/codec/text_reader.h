/* Readers that gather rows step by step, and those of texts, whose step is a line. A text format
 * supplies what a line means, and what the lines ahead say of the format. */
#ifndef PF_CODEC_TEXT_READER_H
#define PF_CODEC_TEXT_READER_H

#include "codec/format.h"
#include "model/rows.h"

/* Calls step(reader), which adds to the rows, until a batch is ready, and gives the batch. *status
 * is the last result of a step; what was added before a failure is given before the failure is.
 * Does not wait for a slow producer while rows wait (reader->flush). PF_OK, PF_EOF, or a
 * failure. */
int pf_rows_read(struct pf_reader *, struct pf_rows *, int *status, int (*step)(struct pf_reader *),
                 struct pf_batch *);

/* --- lines ------------------------------------------------------------------------------------ */

/* The first member of the state of a text format. */
struct pf_text_reader {
    struct pf_rows rows;
    uint64_t number; /* of the line at hand, from 1 */
    uint64_t offset; /* where it begins; behind the last line: where the input ends */
    int status;      /* what follows the rows that wait */
    int (*line)(struct pf_reader *, struct pf_bytes line);
    int (*end)(struct pf_reader *, int status);
};

/* `line` takes each line, without its line feed: PF_OK or a failure. `end` is called once behind
 * the last line that was read, with PF_EOF or the failure that ends the input, and returns the
 * same or a failure of its own; it may add rows. NULL: nothing is left to do. */
void pf_text_open(struct pf_reader *, int (*line)(struct pf_reader *, struct pf_bytes),
                  int (*end)(struct pf_reader *, int status));
void pf_text_close(struct pf_reader *);

/* For pf_format.read. */
int pf_text_read(struct pf_reader *, struct pf_batch *);

/* --- evidence --------------------------------------------------------------------------------- */

enum {
    PF_TEXT_OTHER = -1,     /* a line that the format does not have: the input is not of it */
    PF_TEXT_SURE = 1 << 17, /* with bits of evidence: no other line need be judged */
    PF_TEXT_MORE = 1 << 18, /* with bits or without: wait for the next line of a live pipe */
    PF_TEXT_WINDOW = 64 * 1024
};

/* A bid on the lines among the first 64 KiB, or, of a live pipe, among those that are there, at
 * least one. `judge` says of each how many bits of evidence there are so far, 0 where the line
 * does not tell, or PF_TEXT_OTHER. The last line may be cut: then `whole` is false, and the line
 * cannot speak against the format. The result is the most bits. The lines may move between two
 * calls. */
int pf_text_bid(struct pf_source *, int (*judge)(struct pf_bytes line, bool whole, void *evidence),
                void *evidence);

/* The bytes ahead for a format that weighs its first lines against each other: those that one read
 * brings, or with `wait` 64 KiB; at least the first line, unless it has a NUL or 16 MiB. *ended: no
 * bytes are behind them. */
struct pf_bytes pf_text_window(struct pf_source *, bool wait, bool *ended);

#endif

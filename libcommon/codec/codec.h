/* Opens, runs and closes readers and writers: the code that all formats share. */
#ifndef PF_CODEC_CODEC_H
#define PF_CODEC_CODEC_H

#include "codec/format.h"

/* Opens a reader. `setup` has the owner's choices: format, source, dict, options, shared,
 * report, name, salvage, flush. On failure *reader is NULL and `error` is set. Borrowed objects
 * must outlive the reader. */
int pf_reader_open(struct pf_reader **, const struct pf_reader *setup, struct pf_error *error);

/* PF_FAILED if the input begins with UTF-8's byte order mark. Opening a reader of a binary
 * format checks this; a format with text and binary forms calls this function for its binary
 * form. */
int pf_reader_check_mark(struct pf_reader *);

/* The next batch: PF_OK, PF_EOF, or a negative code that stays (message in reader->error).
 * Batches with neither rows nor value columns are skipped. With salvage PF_FAILED becomes a
 * warning, with the numbers of records kept and bytes lost, and PF_EOF. Checks the dictionary
 * too. */
int pf_reader_next(struct pf_reader *, struct pf_batch *);
void pf_reader_close(struct pf_reader *); /* NULL is allowed */

/* Opens a writer in the same way: format, sink, dict, options, report, document, measures,
 * compression, force. */
int pf_writer_open(struct pf_writer **, const struct pf_writer *setup, struct pf_error *error);
/* Records of a kind the format cannot hold are left out and counted. */
int pf_writer_write(struct pf_writer *, const struct pf_batch *);
/* Call once, after the last batch. `failed_input`: the output is incomplete. If some records
 * were left out because of their kind, a warning is sent; if all were, the result is PF_USAGE
 * and the message names the kinds. */
int pf_writer_finish(struct pf_writer *, bool failed_input);
void pf_writer_close(struct pf_writer *);

#endif

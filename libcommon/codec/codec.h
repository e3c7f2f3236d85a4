/* Opening, driving and closing readers and writers: the part that is the same for every format. */
#ifndef PF_CODEC_CODEC_H
#define PF_CODEC_CODEC_H

#include "codec/format.h"

/* Opens a reader. `setup` gives what the owner decides: format, source, dict, options, shared,
 * report, name, salvage, flush. On failure *reader is NULL and `error` says why. Everything
 * borrowed must outlive the reader. */
int pf_reader_open(struct pf_reader **, const struct pf_reader *setup, struct pf_error *error);

/* PF_FAILED where UTF-8's mark stands before the input. Opening checks so for formats that are no
 * text; one that reads both calls it for what turns out to be none. */
int pf_reader_check_mark(struct pf_reader *);

/* The next batch: PF_OK, PF_EOF, or a negative code that stays (text in reader->error). Batches
 * with neither rows nor value columns are passed over. With salvage a PF_FAILED is reported as a
 * warning with the records kept and the bytes lost, and is PF_EOF. Checks the dictionary too. */
int pf_reader_next(struct pf_reader *, struct pf_batch *);
void pf_reader_close(struct pf_reader *); /* NULL is allowed */

/* Opens a writer likewise: format, sink, dict, options, report, document, measures, compression,
 * force. */
int pf_writer_open(struct pf_writer **, const struct pf_writer *setup, struct pf_error *error);
/* Records of a kind the format cannot hold are left out and counted. */
int pf_writer_write(struct pf_writer *, const struct pf_batch *);
/* Once, after the last batch. `failed_input`: what was written is incomplete. Where some records
 * were left out for their kind, a warning says so; where all were, PF_USAGE and a text that names
 * the kinds. */
int pf_writer_finish(struct pf_writer *, bool failed_input);
void pf_writer_close(struct pf_writer *);

#endif

/* Opens, runs and closes readers and writers: the code that all formats share. */
#ifndef PF_CODEC_CODEC_H
#define PF_CODEC_CODEC_H

#include "codec/format.h"

/* Opens a reader. The owner sets in `setup`: format, source, dict, options, shared, report, name,
 * salvage, times, lines, relocate, flush. These must outlive the reader. PF_OK, or on failure a
 * negative code with `error` set and *reader NULL. */
int pf_reader_open(struct pf_reader **, const struct pf_reader *setup, struct pf_error *error);

/* PF_FAILED, in reader->error, if the input begins with UTF-8's byte order mark: a program has
 * converted the input as text. Opening a reader of a binary format checks this; a format with text
 * and binary forms calls this function for its binary form. */
int pf_reader_check_mark(struct pf_reader *);

/* Reads the next batch: PF_OK; PF_EOF; or a negative code, with the message in reader->error, which
 * every later call returns too. Batches with neither rows nor value columns are skipped. With
 * salvage, PF_FAILED becomes PF_EOF and a warning with the numbers of records kept and bytes lost.
 * Failures of the dictionary count too. */
int pf_reader_next(struct pf_reader *, struct pf_batch *);
void pf_reader_close(struct pf_reader *); /* NULL is allowed */

/* Opens a writer in the same way. The owner sets in `setup`: format, sink, dict, options, report,
 * document, compression, force, saturate. */
int pf_writer_open(struct pf_writer **, const struct pf_writer *setup, struct pf_error *error);
/* Writes a batch. Records of a kind that the format cannot hold are left out and counted. PF_OK, or
 * a negative code with writer->error set. */
int pf_writer_write(struct pf_writer *, const struct pf_batch *);
/* Writes out everything that waits in the writer, because the producer is slow. As
 * pf_writer_write. */
int pf_writer_flush(struct pf_writer *);
/* Call once, after the last batch. `failed_input`: an input failed, so the output is incomplete. If
 * some records were left out because of their kind, a warning is sent; if all were, the result is
 * PF_USAGE and the message names the kinds. PF_OK, or a negative code with writer->error set. */
int pf_writer_finish(struct pf_writer *, bool failed_input);
void pf_writer_close(struct pf_writer *);

#endif

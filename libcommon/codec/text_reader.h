/* Readers of text, whose step is a line. A text format supplies a function that reads a line, and a
 * function that judges a line for detection. */
#ifndef PF_CODEC_TEXT_READER_H
#define PF_CODEC_TEXT_READER_H

#include "codec/format.h"

/* --- lines ------------------------------------------------------------------------------------ */

/* The first member of the state of a text format. */
struct pf_text_reader {
    uint64_t number; /* number of the current line, from 1 */
    uint64_t offset; /* offset of the current line; after the last line: the end of the input */
    int (*line)(struct pf_reader *, struct pf_bytes line);
    int (*end)(struct pf_reader *, int status);
};

/* Sets reader->step. `line` reads a line, without its line feed: PF_OK or a failure. `end` (may be
 * NULL) is called once after the last line, with PF_EOF or the failure that ended the input; it may
 * add rows, and returns its argument or a failure of its own. */
void pf_text_open(struct pf_reader *, int (*line)(struct pf_reader *, struct pf_bytes),
                  int (*end)(struct pf_reader *, int status));

/* --- evidence --------------------------------------------------------------------------------- */

enum {
    PF_TEXT_OTHER = -1,     /* the format has no such line: the input has another format */
    PF_TEXT_SURE = 1 << 17, /* added to bits of evidence: no other line need be judged */
    /* added to bits of evidence or 0: wait for the next line of a live pipe */
    PF_TEXT_MORE = 1 << 18,
    PF_TEXT_WINDOW = 64 * 1024
};

/* A bid based on the lines in the first 64 KiB; of a live pipe, on the lines that are there, at
 * least one. `judge` returns the bits of evidence so far, 0 if the line says nothing, or
 * PF_TEXT_OTHER. The last line may be cut: then `whole` is false, and the line cannot exclude the
 * format. Returns the most bits, 0 if the format is excluded. Lines may move in memory between two
 * calls of `judge`. */
int pf_text_bid(struct pf_source *, int (*judge)(struct pf_bytes line, bool whole, void *evidence),
                void *evidence);

/* The bytes ahead, for a format that compares its first lines with each other: the bytes of one
 * read, or with `wait` 64 KiB. Includes the whole first line, unless the line contains a NUL or is
 * longer than 16 MiB. *ended: the input ends after these bytes. */
struct pf_bytes pf_text_window(struct pf_source *, bool wait, bool *ended);

#endif

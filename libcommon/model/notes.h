/* Notes: the metadata and source texts of an input, kept until they are used: at the end of the
 * input, when the program knows that the input counts, or for each output that is opened later. */
#ifndef PF_MODEL_NOTES_H
#define PF_MODEL_NOTES_H

#include "base/memory.h"
#include "model/batch.h"

#include <stddef.h>
#include <stdint.h>

/* Zero-initialise; free with pf_notes_free. */
struct pf_notes {
    uint32_t *metadata[3]; /* columns: origin, key, value; strings of the batches' dictionary */
    size_t metadata_count, metadata_capacity[3];
    struct pf_text *texts; /* their bytes are copies */
    size_t text_count, text_capacity;
    struct pf_arena bytes;
};

/* Frees all rows; the notes are empty then and can be used again. */
void pf_notes_free(struct pf_notes *);
/* Copies the rows of a META or TEXT batch; other kinds are skipped. PF_OK or PF_NOMEM. */
int pf_notes_add(struct pf_notes *, const struct pf_batch *);
/* All rows of metadata, and all texts, as one batch of any number of rows, valid until the notes
 * change. */
struct pf_batch pf_notes_metadata(const struct pf_notes *);
struct pf_batch pf_notes_texts(const struct pf_notes *);
/* The rows from `first` to before `end` of a META or TEXT batch. */
struct pf_batch pf_notes_part(const struct pf_batch *, size_t first, size_t end);

#endif

/* Source texts of a merge: each different text once, in order of first occurrence. */
#ifndef PF_ANALYSIS_NAMES_TEXTS_H
#define PF_ANALYSIS_NAMES_TEXTS_H

#include "base/table.h"
#include "model/batch.h"
#include "model/strings.h"

#include <stdbool.h>
#include <stddef.h>

enum { PF_MERGE_TEXTS = 256 };

struct pf_merge_text {
    uint32_t name, text; /* ids in pf_merge_texts.strings */
    uint64_t line;       /* line + 1, so that no row is all 0 */
};

/* Zero-initialise; free with pf_merge_texts_free. */
struct pf_merge_texts {
    bool ready;
    struct pf_strings strings;
    struct pf_table rows; /* struct pf_merge_text */
    size_t given;
    struct pf_text texts[PF_MERGE_TEXTS];
};

void pf_merge_texts_free(struct pf_merge_texts *);
/* Adds a TEXT batch. PF_OK or PF_NOMEM. */
int pf_merge_texts_add(struct pf_merge_texts *, const struct pf_batch *);
/* The text in row `id` of `rows`. */
struct pf_text pf_merge_texts_row(const struct pf_merge_texts *, uint32_t id);
/* Gives the next texts as a batch, valid until the next call; false at the end. */
bool pf_merge_texts_next(struct pf_merge_texts *, struct pf_batch *);

#endif

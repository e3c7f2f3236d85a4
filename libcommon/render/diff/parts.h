/* What the tables of diff.h share: cells of JSON and CSV (diff.c), amounts and lines of text
 * (text.c). */
#ifndef PF_RENDER_DIFF_PARTS_H
#define PF_RENDER_DIFF_PARTS_H

#include "render/diff/diff.h"

/* Cells for function, file, line, image, measure and unit, in this order. */
void pf_diff_place_cells(const struct pf_diff_view *, const struct pf_diff_block *, uint32_t key,
                         struct pf_cell *cells, struct pf_buffer *scratch);
/* The last column, which --by adds, or NULL, and its cell; `address` may hold its text. */
const char *pf_diff_added_column(const struct pf_diff_view *);
struct pf_cell pf_diff_added_cell(const struct pf_diff_view *, uint32_t key,
                                  struct pf_buffer *scratch, char address[32]);
/* Unit of the amounts. */
struct pf_bytes pf_diff_unit(const struct pf_diff_view *, const struct pf_diff_block *);
/* The head of a JSON document. */
struct pf_sheet_head pf_diff_document(const struct pf_diff_view *, const char *schema,
                                      void (*measures)(const void *arg, struct pf_sink *),
                                      const void *arg);

/* amount / parts for people, shares in percent; `sign`: a + before positive amounts. */
const char *pf_diff_print(const struct pf_diff_view *, const struct pf_diff_block *,
                          pf_int128 amount, uint64_t parts, bool sign, char text[PF_AMOUNT_TEXT]);
/* Writes "LEFT     before/ (5 runs), after.out". PF_OK or PF_NOMEM. */
int pf_diff_headline(const struct pf_diff_view *, const struct pf_buffer *left);
/* The number of shown rows out of `count`. */
size_t pf_diff_shown(const struct pf_diff_view *, size_t count);

/* One block as text. PF_OK or PF_NOMEM. */
int pf_diff_text(const struct pf_diff_view *, const struct pf_diff_block *,
                 const struct pf_diff_table *, size_t rows);

#endif

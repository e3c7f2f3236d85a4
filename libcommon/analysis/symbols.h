/* Names for addresses nobody named: from the text that nm prints, or from a perf map. */
#ifndef PF_ANALYSIS_SYMBOLS_H
#define PF_ANALYSIS_SYMBOLS_H

#include "base/error.h"
#include "io/source.h"
#include "model/batch.h"

struct pf_symbols;

/* Reads a file whose first byte is ahead. Which of both it is, the lines tell:
 *     nm         ADDRESS [SIZE] TYPE NAME [TAB FILE:LINE]     (also -S, -l, -C; /proc/kallsyms)
 *     perf map   ADDRESS SIZE NAME
 * with numbers in hexadecimal. Symbols without a size end where the next one begins, of data too. Of several at one place the last one
 * of a perf map counts, of nm's the global one. PF_FAILED when no line is one of these, PF_NOMEM, or the source's own failure;
 * *symbols is NULL then. */
int pf_symbols_read(struct pf_symbols **symbols, struct pf_source *, struct pf_error *);
void pf_symbols_free(struct pf_symbols *); /* NULL is allowed */

/* *to: the records of *from with names where there are any; valid until the next call. An address is looked for relative to the start of
 * its image, where that is known, and as it is. All batches have the same dictionary. PF_OK or PF_NOMEM. */
int pf_symbols_batch(struct pf_symbols *, struct pf_dict *, const struct pf_batch *from, struct pf_batch *to);

/* At the end: says whether no address was named, or such of several images, which may be mistaken for each other. */
void pf_symbols_report(const struct pf_symbols *, const struct pf_report *);

#endif

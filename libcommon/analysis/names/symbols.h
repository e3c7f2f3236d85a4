/* A table of symbols: the names of addresses in one image. Read from the output of nm, from a perf
 * map, or filled from an image's own symbols. */
#ifndef PF_ANALYSIS_NAMES_SYMBOLS_H
#define PF_ANALYSIS_NAMES_SYMBOLS_H

#include "base/bytes.h"
#include "base/error.h"
#include "io/source.h"

#include <stdint.h>

struct pf_symbols;

struct pf_symbol {
    uint64_t address, size; /* in bytes; size 0: up to the next symbol */
    struct pf_bytes name;   /* empty: a symbol of data, which only ends the function before it */
    struct pf_bytes file;
    uint32_t line;
    /* of symbols at one address the greatest rank counts, then the greatest `order` */
    uint32_t rank, order;
};

enum pf_symbol_rank { PF_SYMBOL_DATA, PF_SYMBOL_LOCAL, PF_SYMBOL_WEAK, PF_SYMBOL_GLOBAL };

struct pf_symbols *pf_symbols_new(void); /* NULL: out of memory */
/* Reads a file from its first byte. Its lines have one of two forms; most lines decide which.
 * Numbers are hexadecimal.
 *
 *   nm         ADDRESS [SIZE] TYPE NAME [TAB FILE:LINE]      also with -S, -l, -C; /proc/kallsyms
 *   perf map   ADDRESS SIZE NAME
 *
 * A symbol without a size ends where the next symbol begins, even a symbol of data. Of several
 * symbols at one address the last counts in a perf map, the global one in the output of nm. PF_OK;
 * PF_FAILED if no line has such a form; PF_NOMEM; or the source's failure. On failure *symbols is
 * NULL. */
int pf_symbols_read(struct pf_symbols **symbols, struct pf_source *, struct pf_error *);
void pf_symbols_free(struct pf_symbols *); /* NULL is allowed */

/* Adds a symbol; copies its texts. False: out of memory. Call pf_symbols_sort after the last
 * symbol, and before pf_symbols_find. */
bool pf_symbols_add(struct pf_symbols *, const struct pf_symbol *);
void pf_symbols_sort(struct pf_symbols *);

/* The symbol that contains an address; NULL: there is none. */
const struct pf_symbol *pf_symbols_find(const struct pf_symbols *, uint64_t address);

#endif

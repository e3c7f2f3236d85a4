/* A table of symbols: the names of addresses in one image. From the output of nm, a perf map, or
 * an image's own table. */
#ifndef PF_ANALYSIS_NAMES_SYMBOLS_H
#define PF_ANALYSIS_NAMES_SYMBOLS_H

#include "base/bytes.h"
#include "base/error.h"
#include "io/source.h"

#include <stdint.h>

struct pf_symbols;

struct pf_symbol {
    uint64_t address, size; /* size 0: up to the next symbol */
    struct pf_bytes name;   /* empty: data, where a function ends */
    struct pf_bytes file;
    uint32_t line;
    uint32_t rank, order; /* at one address the greatest rank counts, then order */
};

enum pf_symbol_rank { PF_SYMBOL_DATA, PF_SYMBOL_LOCAL, PF_SYMBOL_WEAK, PF_SYMBOL_GLOBAL };

struct pf_symbols *pf_symbols_new(void); /* NULL: out of memory */
/* Reads a file from its first byte. The lines decide between two forms: nm ADDRESS [SIZE] TYPE
 * NAME [TAB FILE:LINE] (also -S, -l, -C; /proc/kallsyms) perf map ADDRESS SIZE NAME with numbers
 * in hexadecimal. Symbols without a size end where the next one begins, of data too. Of several
 * at one place the last one of a perf map counts, of nm's the global one. PF_FAILED when no line
 * is one of these, PF_NOMEM, or the source's own failure; *symbols is NULL then. */
int pf_symbols_read(struct pf_symbols **symbols, struct pf_source *, struct pf_error *);
void pf_symbols_free(struct pf_symbols *); /* NULL is allowed */

/* Adds a symbol and copies its texts; false: out of memory. Call pf_symbols_sort after the last
 * symbol. */
bool pf_symbols_add(struct pf_symbols *, const struct pf_symbol *);
void pf_symbols_sort(struct pf_symbols *);

/* The symbol that contains an address, or NULL. */
const struct pf_symbol *pf_symbols_find(const struct pf_symbols *, uint64_t address);

#endif

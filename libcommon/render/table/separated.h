/* Cells of tables as text: CSV (RFC 4180 quoting) and TSV (tabs, line ends and backslashes as \t \n
 * \r \\). */
#ifndef PF_RENDER_TABLE_SEPARATED_H
#define PF_RENDER_TABLE_SEPARATED_H

#include "base/bytes.h"
#include "base/memory.h"
#include "io/sink.h"

#include <stdbool.h>

struct pf_separated {
    bool tabs; /* TSV */
    /* spreadsheets read a cell that begins with = + - or @ as a formula: add a ' unless the cell
     * is a number */
    bool guard;
};

void pf_separated_text(struct pf_separated, struct pf_sink *, struct pf_bytes text);

#endif

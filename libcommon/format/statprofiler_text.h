/* The text form of December 2013, before the binary one: weight;type,Package::sub,file,line;...;op, leaf first (formats page,
 * section 9). */
#ifndef PF_FORMAT_STATPROFILER_TEXT_H
#define PF_FORMAT_STATPROFILER_TEXT_H

#include "codec/format.h"
#include "format/statprofiler_rows.h"
#include "model/stacks.h"

struct pf_sp_lines {
    struct pf_sp_rows rows;
    struct pf_stack_memo *stacks;
    uint32_t *locations; /* leaf first */
    size_t depth, capacity;
    uint32_t op_key;
    uint64_t line; /* number of the last one read */
    int result;
};

/* True when these bytes begin with a line of this form. */
bool pf_sp_lines_begin(struct pf_bytes);

int pf_sp_lines_open(struct pf_reader *, struct pf_sp_lines *, uint64_t tick_ns);
int pf_sp_lines_read(struct pf_reader *, struct pf_sp_lines *, struct pf_batch *);
void pf_sp_lines_close(struct pf_sp_lines *);

#endif

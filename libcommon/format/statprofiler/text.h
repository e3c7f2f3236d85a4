/* The text form of December 2013, before the binary one: weight;type,Package::sub,file,line;...;op, leaf first (formats page,
 * section 9). */
#ifndef PF_FORMAT_STATPROFILER_TEXT_H
#define PF_FORMAT_STATPROFILER_TEXT_H

#include "base/memory.h"
#include "codec/format.h"
#include "format/statprofiler/rows.h"
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

/* True when the input begins with a line of this form that has frames; lines without frames may stand before it. Peeks
 * only. */
bool pf_sp_lines_bid(struct pf_source *);

int pf_sp_lines_open(struct pf_reader *, struct pf_sp_lines *, uint64_t tick_ns);
int pf_sp_lines_read(struct pf_reader *, struct pf_sp_lines *, struct pf_batch *);
void pf_sp_lines_close(struct pf_sp_lines *);

/* Types of frames as perl 5.18 numbers them. */
enum { PF_SP_TYPE_MAIN = 0, PF_SP_TYPE_SUB = 8, PF_SP_TYPE_EVAL = 10 };

struct pf_sp_line_frame {
    unsigned type;
    struct pf_bytes name, file;
    int32_t line;
};

/* Appends ";type,name,file,line". False: the reader would not find the same fields again, as the form quotes nothing. */
bool pf_sp_lines_put_frame(struct pf_buffer *, const struct pf_sp_line_frame *);
/* True when the op can end a line of this form. */
bool pf_sp_lines_op_fits(struct pf_bytes op);

#endif

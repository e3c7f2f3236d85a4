/* Private to the formats cpuprofile and heapprofile, V8's profiles of the processor and of the
 * heap: the writer. */
#ifndef PF_FORMAT_V8_V8_H
#define PF_FORMAT_V8_V8_H

#include "analysis/sum/frame_sums.h"
#include "analysis/sum/walk.h"
#include "codec/format.h"

#include <stdbool.h>
#include <stdint.h>

struct pf_v8_writer {
    struct pf_frame_sums sums;
    struct pf_buffer scratch;
    pf_int128 start;     /* nanoseconds */
    uint32_t *order;     /* nodes in preorder, without the root */
    struct pf_walk walk; /* over the nodes */
    uint32_t *row_of;    /* by node: the row of its sums; 0 = no sums */
    bool cut;            /* digits of an amount were left out */
};

int pf_v8_open_writer(struct pf_writer *);
int pf_v8_write(struct pf_writer *, const struct pf_batch *);
int pf_v8_finish_cpu(struct pf_writer *);
int pf_v8_finish_heap(struct pf_writer *);
void pf_v8_close_writer(struct pf_writer *);

#endif

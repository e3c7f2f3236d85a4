/* Private to the format speedscope: the writer. */
#ifndef PF_FORMAT_SPEEDSCOPE_SPEEDSCOPE_H
#define PF_FORMAT_SPEEDSCOPE_SPEEDSCOPE_H

#include "analysis/sum/frame_sums.h"
#include "codec/format.h"

#include <stdbool.h>
#include <stdint.h>

struct pf_speedscope_writer {
    struct pf_frame_sums sums;
    struct pf_buffer scratch;
    uint32_t *order, *frames;
    size_t frame_capacity, profiles;
    bool cut; /* digits of an amount were left out */
};

int pf_speedscope_open_writer(struct pf_writer *);
bool pf_speedscope_holds_label(struct pf_writer *, const struct pf_label *);
int pf_speedscope_write(struct pf_writer *, const struct pf_batch *);
int pf_speedscope_finish(struct pf_writer *);
void pf_speedscope_close_writer(struct pf_writer *);

#endif

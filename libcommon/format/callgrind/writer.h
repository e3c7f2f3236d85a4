/* The writer of callgrind's profiles. */
#ifndef PF_FORMAT_CALLGRIND_WRITER_H
#define PF_FORMAT_CALLGRIND_WRITER_H

#include "codec/format.h"
#include "format/callgrind/costs.h"

struct pf_cg_group;

/* A part is written when the next one begins, or at the end. */
struct pf_cg_writer {
    uint32_t origin, cachegrind, private_origin; /* strings */
    uint32_t thread_key;
    struct pf_cg_header {
        uint32_t key, value;
    } *header;                   /* of the part */
    size_t header_count, header_capacity;
    struct pf_cg_group **groups; /* records of the part by thread */
    size_t group_count, group_capacity;
    uint32_t *measures;          /* all there were, in order */
    size_t measure_count, measure_capacity;
    bool as_read;                /* files without a name are so in the input */
    bool written;
};

int pf_cg_writer_open(struct pf_writer *);
bool pf_cg_writer_holds_label(struct pf_writer *, const struct pf_label *);
int pf_cg_writer_write(struct pf_writer *, const struct pf_batch *);
int pf_cg_writer_finish(struct pf_writer *);
void pf_cg_writer_close(struct pf_writer *);

#endif

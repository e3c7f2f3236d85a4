/* Writes a DCPI profile 0.07: one event of one image. */
#ifndef PF_FORMAT_DCPI_WRITER_H
#define PF_FORMAT_DCPI_WRITER_H

#include "codec/format.h"
#include "format/dcpi/cat_blocks.h"
#include "format/dcpi/counts.h"
#include "format/dcpi/merge.h"
#include "format/dcpi/profiles.h"

#include <stdbool.h>
#include <stdint.h>

/* Private to dcpi_writer.c. */
struct pf_dcpi_writer {
    struct pf_dcpi_profiles profiles;
    struct pf_dcpi_cat_blocks blocks;
    struct pf_dcpi_counts counts;

    /* at the end */
    struct pf_dcpi_event *event;
    struct pf_dcpi_places places;
    struct pf_dcpi_header header;
    const struct pf_dcpi_layout *layout; /* NULL: canonical chunks */
    uint64_t stride, total;
};

int pf_dcpi_writer_open(struct pf_writer *);
int pf_dcpi_writer_write(struct pf_writer *, const struct pf_batch *);
int pf_dcpi_writer_finish(struct pf_writer *);
void pf_dcpi_writer_close(struct pf_writer *);

/* Bytes that make sure that what was written so far of a body is no whole profile: a chunk without counts and one byte more. At whatever
 * place of a body they stand, it is refused. */
enum { PF_DCPI_BROKEN_SIZE = 9 };
extern const unsigned char pf_dcpi_broken[PF_DCPI_BROKEN_SIZE];

#endif

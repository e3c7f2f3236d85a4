/* Reads a DCPI profile 0.06/0.07: its header as metadata, its counts as records of one address each. */
#ifndef PF_FORMAT_DCPI_READER_H
#define PF_FORMAT_DCPI_READER_H

#include "codec/format.h"
#include "format/dcpi_body.h"
#include "format/dcpi_header.h"
#include "format/dcpi_index.h"

#include <stddef.h>
#include <stdint.h>

enum pf_dcpi_reader_step { PF_DCPI_DECLARE, PF_DCPI_RECORDS, PF_DCPI_END };

/* Private to dcpi_reader.c. */
struct pf_dcpi_reader {
    struct pf_dcpi_header header;
    struct pf_dcpi_body body;
    enum pf_dcpi_reader_step step;
    int status;                 /* what follows the records given last */

    uint32_t image;
    struct pf_dcpi_indexed known; /* locations of the image that other inputs gave; the next one that may be met: */
    size_t next;
    uint64_t next_offset;         /* UINT64_MAX behind the last */
    struct pf_buffer layout;    /* of chunks met, not given yet */

    uint32_t origin, hidden;    /* strings of metadata */
    uint32_t *meta[3];
    size_t meta_count, meta_given, meta_capacity[3];
    struct pf_location fresh[PF_BATCH_ROWS]; /* not known; the rows that have them: */
    uint32_t fresh_rows[PF_BATCH_ROWS], fresh_count;
    uint32_t locations[PF_BATCH_ROWS];
    int64_t values[PF_BATCH_ROWS];
    struct pf_value_column column;
};

int pf_dcpi_reader_open(struct pf_reader *);
int pf_dcpi_reader_read(struct pf_reader *, struct pf_batch *);
void pf_dcpi_reader_close(struct pf_reader *);

/* The stride asked for with `stride=N`, 1 if none. PF_USAGE. */
int pf_dcpi_stride(const struct pf_options *, uint64_t *stride, struct pf_error *);

/* The image as a row of the dictionary; one that is there already when identifier (in any letter case), start and size of the text
 * agree. 0: out of memory. */
uint32_t pf_dcpi_image(struct pf_dict *, const struct pf_image *);

#endif

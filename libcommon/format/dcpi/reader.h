/* Reads a DCPI profile 0.06/0.07: its header as metadata, its counts as records of one address each. */
#ifndef PF_FORMAT_DCPI_READER_H
#define PF_FORMAT_DCPI_READER_H

#include "codec/format.h"
#include "format/dcpi/body.h"
#include "format/dcpi/header.h"
#include "format/dcpi/locator.h"
#include "model/metadata.h"

#include <stdint.h>

enum pf_dcpi_reader_step { PF_DCPI_DECLARE, PF_DCPI_RECORDS, PF_DCPI_END };

/* Private to dcpi_reader.c. */
struct pf_dcpi_reader {
    struct pf_dcpi_header header;
    struct pf_dcpi_body body;
    enum pf_dcpi_reader_step step;
    int status;                 /* what follows the records given last */

    struct pf_dcpi_locator locator;
    struct pf_buffer layout;    /* of chunks met, not given yet */

    struct pf_metadata meta;
    int64_t values[PF_BATCH_ROWS];
    struct pf_value_column column;
};

int pf_dcpi_reader_open(struct pf_reader *);
int pf_dcpi_reader_read(struct pf_reader *, struct pf_batch *);
void pf_dcpi_reader_close(struct pf_reader *);

/* The stride asked for with `stride=N`, 1 if none. PF_USAGE. */
int pf_dcpi_stride(const struct pf_options *, uint64_t *stride, struct pf_error *);

#endif

/* The text that dcpicat prints of DCPI profiles: a head of `word value` lines, with one line `event` for each column of counts, then a line
 * for each address. Several profiles may follow each other. */
#ifndef PF_FORMAT_DCPI_CAT_H
#define PF_FORMAT_DCPI_CAT_H

#include "codec/format.h"
#include "format/dcpi/cat_blocks.h"
#include "format/dcpi/counts.h"
#include "format/dcpi/profiles.h"

#include <stdbool.h>
#include <stdint.h>

/* Value of a line `event`: TOTAL NAME:PERIOD:FRACTION. The name may hold colons and blanks. */
struct pf_dcpi_cat_event {
    int64_t total;
    struct pf_bytes name;
    uint64_t period;
    uint64_t events, parts; /* events / parts are one count: period * 10000 / fraction, reduced */
    uint64_t fraction; /* of the time it was counted, in 1/10000; where it is missing 10000 */
};

/* False: it is none. */
bool pf_dcpi_cat_event_parse(struct pf_bytes value, struct pf_dcpi_cat_event *);

/* Whether lines of the head begin with this word. */
bool pf_dcpi_cat_word(struct pf_bytes);

/* Private to dcpi_cat_writer.c. */
struct pf_dcpi_cat_writer {
    struct pf_dcpi_profiles profiles;
    struct pf_dcpi_cat_blocks blocks;
    struct pf_dcpi_counts counts;
    struct pf_dcpi_places places;
};

int pf_dcpi_cat_open_writer(struct pf_writer *);
int pf_dcpi_cat_write(struct pf_writer *, const struct pf_batch *);
int pf_dcpi_cat_finish(struct pf_writer *);
void pf_dcpi_cat_close_writer(struct pf_writer *);

#endif

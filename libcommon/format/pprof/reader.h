/* The reading side of pprof, codec/format.h.
 *
 * Names stand anywhere, mostly behind the samples, so that samples wait for the end of their profile, damaged or not. Of a damaged one
 * those samples are given that begin before the damage and whose names are all there. The damage that is told is the first in the input;
 * of rows with one id the first holds; a string that a table at the end of the profile has not is damage at that end. */
#ifndef PF_FORMAT_PPROF_READER_H
#define PF_FORMAT_PPROF_READER_H

#include "codec/format.h"
#include "format/pprof/meta.h"
#include "format/pprof/samples.h"

struct pf_pprof_reader {
    enum { PF_PPROF_READ, PF_PPROF_DECLARE, PF_PPROF_META, PF_PPROF_SAMPLES, PF_PPROF_END } phase;
    struct pf_pprof_common *common, own;   /* of all inputs; where it is where there are no others */
    struct pf_pprof_profile profile, next; /* at hand; what was read of the next one in the same input */
    struct pf_pprof_profile third;         /* what was read of the one behind it, where `next` was read to its end */
    bool is_ahead;                         /* it was, with */
    int ahead;                             /* this status, */
    struct pf_error ahead_error;           /* and this text of a failure */
    struct pf_pprof_names names;
    struct pf_pprof_samples samples;
    struct pf_pprof_meta meta;
    struct pf_value_column *columns;       /* by type */
    bool damaged;                          /* reader->error is set, and what can be read is still to be given */
};

int pf_pprof_open_reader(struct pf_reader *);
int pf_pprof_read(struct pf_reader *, struct pf_batch *);
void pf_pprof_close_reader(struct pf_reader *);

#endif

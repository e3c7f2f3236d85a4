/* The writing side of pprof, codec/format.h. Every sample has a value for each measure: the first ones wait until there are too many of
 * them, for measures that come late. Then samples pass as they come; what they refer to is written behind them. */
#ifndef PF_FORMAT_PPROF_WRITER_H
#define PF_FORMAT_PPROF_WRITER_H

#include "codec/format.h"
#include "format/pprof/facts.h"
#include "format/pprof/places.h"
#include "format/pprof/types.h"
#include "model/parcel.h"

struct pf_pprof_writer {
    struct pf_pprof_places places;
    struct pf_pprof_facts facts;
    struct pf_pprof_types types, flat_types;
    bool begun;                    /* sample types are written */
    struct pf_parcel **waiting;    /* batches of samples, before that */
    size_t waiting_count, waiting_capacity, waiting_size;
    struct pf_table flats;         /* place and labels of flat records, which wait: they are written where there are no samples */
    struct pf_buffer labels;       /* label sets as they are written */
    struct pf_id_map label_of;     /* of a set: where it begins among them; its size is before it */
    const int64_t **columns;       /* of the batch at hand, by type; NULL = absent */
    struct pf_pprof_member *scales;
    size_t column_capacity, scale_capacity;
    struct pf_buffer stack, values, message, chain;
};

int pf_pprof_open_writer(struct pf_writer *);
int pf_pprof_write(struct pf_writer *, const struct pf_batch *);
int pf_pprof_finish(struct pf_writer *);
void pf_pprof_close_writer(struct pf_writer *);

#endif

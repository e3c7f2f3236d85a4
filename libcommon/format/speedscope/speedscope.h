/* Private to the format speedscope: the document that the reader reads, its records, and the
 * writer. FORMAT.md has the facts. */
#ifndef PF_FORMAT_SPEEDSCOPE_SPEEDSCOPE_H
#define PF_FORMAT_SPEEDSCOPE_SPEEDSCOPE_H

#include "analysis/sum/frame_sums.h"
#include "base/decimal.h"
#include "codec/file_urls.h"
#include "codec/format.h"
#include "model/dict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- reader.c: the document ------------------------------------------------------------------- */

struct pf_speedscope_profile {
    uint64_t offset;
    uint32_t name; /* string; 0: none */
    /* members of the profile */
    bool sampled, evented, weighed; /* it has samples, events or weights */
    bool other_type;                /* its type is neither sampled nor evented */
    bool begun;                     /* for events: amounts.carried is the time of the last event */
    const struct pf_speedscope_unit *unit;
    struct pf_measure measure; /* name 0: the file does not name the measure */
    bool negative;             /* our own writer wrote negative sums without their sign */
    bool labelled;             /* our own writer wrote `label`, also if the label is 0 */
    uint32_t label;
    uint32_t *stacks; /* by record: its path, and from the end of the document its stack */
    size_t count, capacity;
    struct pf_decimals amounts; /* by record: its weight, or for events the time of its path */
    /* Profiles with the same stacks become columns of the first of these profiles: */
    bool is_column;     /* this profile is a column of an earlier profile */
    size_t next_column; /* number + 1 of the next column's profile; 0: no more columns */
    uint32_t column;    /* the measure of this profile's column in the dictionary */
};

/* What the reader has read of a document. */
struct pf_speedscope_document {
    /* Frames may come after the samples. So until the end of the document a stack is a path: a
     * stack whose "locations" are numbers of frames + 1. */
    struct pf_dict paths;
    struct pf_speedscope_profile *profiles;
    size_t profile_count, profile_capacity;
    uint32_t *locations; /* by number of frame */
    size_t location_count, location_capacity;
    struct pf_file_urls urls;     /* of the files of the frames */
    uint64_t highest, highest_at; /* the greatest used number of a frame + 1, and its offset */
    size_t next_profile;          /* the profile of the next record */
    size_t next_row;              /* the record's number in this profile */
};

/* --- records.c -------------------------------------------------------------------------------- */

/* The unit with this word in the format; NULL: there is no such unit. */
const struct pf_speedscope_unit *pf_speedscope_find_unit(struct pf_bytes word);
/* Call when the document is read, or read as far as possible: replaces paths by stacks, and
 * declares all measures and labels. `status`: the result of reading. Returns `status`, or the first
 * failure here; PF_NOMEM: add no records. */
int pf_speedscope_finish_document(struct pf_reader *, struct pf_speedscope_document *, int status);
/* Adds the next records of one profile until a batch is full. PF_OK, PF_NOMEM; PF_EOF: no records
 * are left. */
int pf_speedscope_add_records(struct pf_reader *, struct pf_speedscope_document *);

/* --- writer.c --------------------------------------------------------------------------------- */

struct pf_speedscope_writer {
    struct pf_frame_sums sums;
    struct pf_file_urls urls; /* of files, from metadata */
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

/* Private to the format speedscope: what reader and writer share. */
#ifndef PF_FORMAT_SPEEDSCOPE_SPEEDSCOPE_H
#define PF_FORMAT_SPEEDSCOPE_SPEEDSCOPE_H

#include "analysis/sum/frame_sums.h"
#include "codec/json_reader.h"
#include "model/amounts.h"
#include "model/rows.h"
#include "model/stacks.h"

#include <stdbool.h>
#include <stdint.h>

/* Units of weights: the word of the format, the unit of the model, and the name of the measure. */
struct pf_speedscope_unit {
    const char *word, *unit, *measure;
};

/* Ends with a NULL word. The first unit is for profiles without a unit. */
extern const struct pf_speedscope_unit pf_speedscope_units[];

int pf_speedscope_open_reader(struct pf_reader *);
int pf_speedscope_step(struct pf_reader *);
void pf_speedscope_close_reader(struct pf_reader *);

int pf_speedscope_open_writer(struct pf_writer *);
bool pf_speedscope_holds_label(struct pf_writer *, const struct pf_label *);
int pf_speedscope_write(struct pf_writer *, const struct pf_batch *);
int pf_speedscope_finish(struct pf_writer *);
void pf_speedscope_close_writer(struct pf_writer *);

/* --- reader.c --------------------------------------------------------------------------------- */

struct pf_speedscope_profile {
    const struct pf_speedscope_unit *unit;
    uint32_t name;
    uint64_t offset;
    bool sampled, evented, weighed, other_type, begun;
    /* the stacks of its records; until the end of the document their ids in `paths` */
    uint32_t *stacks;
    size_t count, capacity;
    /* Profiles with the same stacks become columns of the first of these profiles: */
    bool is_column;     /* this profile is a column of an earlier one */
    size_t next_column; /* number + 1 of the next column's profile; 0: no more columns */
    uint32_t column;    /* its measure in the dictionary */
    /* one for each record: weights, or for events the time of each path; `carried`: the time of the
     * last event */
    struct pf_decimals amounts;
    struct pf_measure measure; /* name 0: the file does not say it */
    bool negative, labelled;
    uint32_t label;
};

struct pf_speedscope_reader {
    struct pf_json_cut cut;
    /* Frames may come after the samples: so `paths` holds stacks whose "locations" are numbers of
     * frames + 1. */
    struct pf_dict paths;
    struct pf_stack_memo *memo; /* for `paths` */
    struct pf_speedscope_profile *profiles;
    size_t profile_count, profile_capacity;
    /* `given`: the profile of the next record; `row`: its number in that profile */
    size_t given, row;
    uint32_t *locations; /* by number of frame */
    size_t location_count, location_capacity;
    uint64_t highest, highest_at; /* the greatest number of a frame + 1, and its offset */
    /* frames of the current sample, or, among events, the open frames */
    uint32_t *frames;
    size_t frame_count, frame_capacity;
    uint32_t *leaf_first;
    size_t leaf_capacity;
    /* for events: `open_paths`: path of each open frame; `row_of`: by path: its record + 1 */
    uint32_t *open_paths, *row_of;
    size_t open_capacity, row_count, row_capacity;
    uint32_t block[PF_BATCH_ROWS]; /* paths of samples that `memo` will set */
    bool read;
    int result; /* the result of reading the document */
};

/* --- writer.c --------------------------------------------------------------------------------- */

struct pf_speedscope_writer {
    struct pf_frame_sums sums;
    struct pf_buffer scratch;
    uint32_t *order, *frames;
    size_t frame_capacity, profiles;
    bool cut; /* an amount has more digits than the file got */
};

#endif

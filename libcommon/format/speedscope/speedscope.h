/* Speedscope's JSON: what reader and writer share. */
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

/* Ends with a NULL name; the first is of what has none. */
extern const struct pf_speedscope_unit pf_speedscope_units[];

int pf_speedscope_open_reader(struct pf_reader *);
int pf_speedscope_read(struct pf_reader *, struct pf_batch *);
void pf_speedscope_close_reader(struct pf_reader *);

int pf_speedscope_open_writer(struct pf_writer *);
bool pf_speedscope_holds_label(struct pf_writer *, const struct pf_label *);
int pf_speedscope_write(struct pf_writer *, const struct pf_batch *);
int pf_speedscope_finish(struct pf_writer *);
void pf_speedscope_close_writer(struct pf_writer *);

/* Private to speedscope_reader.c. */

struct pf_speedscope_profile {
    const struct pf_speedscope_unit *unit;
    uint32_t name;
    uint64_t offset;
    bool sampled, evented, weighed, other_type, begun;
    uint32_t *stacks; /* of its records; paths until all is read */
    size_t count, capacity;
    /* Profiles of the same stacks are columns of the first of them: */
    bool is_column;     /* of a profile before this one */
    size_t next_column; /* number + 1 of the profile; 0: no more */
    uint32_t column;    /* its measure in the dictionary */
    /* weights; of events the times of each path, and carried: when the last one was */
    struct pf_decimals amounts;
    struct pf_measure measure; /* name 0: not said */
    bool negative, labelled;
    uint32_t label;
};

struct pf_speedscope_reader {
    struct pf_json_cut cut;
    /* Frames may stand behind the samples: `paths` has stacks of their numbers + 1, where locations
     * would be. */
    struct pf_dict paths;
    struct pf_stack_memo *memo; /* of paths */
    struct pf_speedscope_profile *profiles;
    size_t profile_count, profile_capacity;
    size_t given, row;   /* the next record */
    uint32_t *locations; /* by number of frame */
    size_t location_count, location_capacity;
    uint64_t highest, highest_at; /* number of a frame + 1, and where it stands */
    uint32_t *frames;             /* of the sample at hand, or those open among events */
    size_t frame_count, frame_capacity;
    uint32_t *leaf_first;
    size_t leaf_capacity;
    uint32_t *open_paths, *row_of; /* events: path of each open frame; row + 1 by path */
    size_t open_capacity, row_count, row_capacity;
    uint32_t block[PF_BATCH_ROWS]; /* paths on their way */
    struct pf_rows rows;
    bool read;
    int result; /* of reading */
    int status; /* what follows the rows that wait */
};

/* Private to speedscope_writer.c. */

struct pf_speedscope_writer {
    struct pf_frame_sums sums;
    struct pf_buffer scratch;
    uint32_t *order, *frames;
    size_t frame_capacity, profiles;
    bool cut; /* a weight has more digits than were written */
};

#endif

/* What a format has no place for: records of other kinds, labels, measures, metadata, source texts.
 * A writer notes it while it writes; the codec says it when the output is finished, each name
 * once and in the same words for all formats. */
#ifndef PF_CODEC_LEFT_OUT_H
#define PF_CODEC_LEFT_OUT_H

#include "model/batch.h"
#include "model/dict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_writer;

enum { PF_LEFT_NAMES = 16 }; /* so many are named, the others counted */

enum pf_left {
    PF_LEFT_SAMPLE_MEASURES = PF_SAMPLE,
    PF_LEFT_FLAT_MEASURES = PF_FLAT,
    PF_LEFT_EDGE_MEASURES = PF_EDGE,
    /* measures that do not count in whole numbers, of a format that holds these only */
    PF_LEFT_FRACTIONS,
    PF_LEFT_LABELS,   /* their keys */
    PF_LEFT_METADATA, /* their keys */
    PF_LEFT_LISTS
};

struct pf_left_list {
    bool *met; /* by string */
    size_t met_count, met_capacity;
    uint32_t names[PF_LEFT_NAMES]; /* the first, in the order in which they were met */
    size_t count;                  /* of all */
};

/* A part of struct pf_writer, zero at first. */
struct pf_left_out {
    uint64_t records[PF_RECORD_KINDS]; /* of kinds that the format does not hold */
    bool calls; /* some of these records say what calls cost: stacks can be made of them */
    struct pf_left_list lists[PF_LEFT_LISTS];
    bool *seen; /* by set of labels */
    size_t seen_count, seen_capacity;
    bool of_samples; /* some labels are of stacks */
    bool texts;
};

/* Notes a name, or a measure by its name and kind. PF_OK or PF_NOMEM, with the error of the
 * writer. */
int pf_leave_name(struct pf_writer *, enum pf_left, uint32_t name);
int pf_leave_measure(struct pf_writer *, uint32_t measure);
/* Notes that there are source texts. */
void pf_leave_texts(struct pf_writer *);

/* The error of a format that holds no amounts below 0, for the measure of this name: PF_USAGE. */
int pf_refuse_negative(struct pf_writer *, uint32_t name);

/* The holds_label of a format without labels. */
bool pf_holds_no_label(struct pf_writer *, const struct pf_label *);

/* For the codec: notes records that the writer does not hold; asks the format of each label in a
 * batch that was not met before. PF_OK or PF_NOMEM. */
void pf_left_out_records(struct pf_writer *, const struct pf_batch *);
int pf_left_out_labels(struct pf_writer *, const struct pf_batch *);
/* The warning about records of other kinds. PF_USAGE, with the error of the writer, when the output
 * would have no records, unless it has sums `drawn` of them. */
int pf_left_out_say_kinds(struct pf_writer *, bool drawn);
/* The warnings about all else. */
void pf_left_out_say_names(struct pf_writer *);
void pf_left_out_free(struct pf_left_out *);

/* Records without any of the measures that a format writes which has room for few. The inputs count
 * which measures their records have, the writer notes the measures it has written. */
enum { PF_HELD_MEASURES = 16 };

/* What a writer has written, where it has no room for other measures. A part of struct pf_writer,
 * zero at first. */
struct pf_held_measures {
    struct pf_measure rows[PF_HELD_MEASURES];
    size_t count;
};

void pf_held_measures_add(struct pf_held_measures *, const struct pf_measure *);

/* How many records have which measures. Zero-initialise. */
struct pf_left_measures {
    struct pf_strings keys; /* of a set: the kind of its records, then the measures */
    struct pf_buffer key;
    struct pf_measure_set {
        uint64_t rows;
        const char *input; /* borrowed: the first with such records */
    } * sets;              /* by key */
    size_t count, capacity;
};

void pf_left_measures_free(struct pf_left_measures *);
/* Counts a batch; the name of its input must stay. PF_OK or PF_NOMEM. */
int pf_left_measures_add(struct pf_left_measures *, const struct pf_batch *, const char *input);
/* The records that have none of the measures held, where others have one: how many of *all, and the
 * input of the first. */
uint64_t pf_left_measures_count(const struct pf_left_measures *, const struct pf_dict *,
                                const struct pf_held_measures *, uint64_t *all, const char **input);

#endif

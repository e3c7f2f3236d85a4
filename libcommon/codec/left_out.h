/* Data that a format cannot hold: records of other kinds, labels, measures, metadata, source texts.
 * A writer notes such data while it writes. When the output is finished, the codec warns: each name
 * once, in the same words for all formats. */
#ifndef PF_CODEC_LEFT_OUT_H
#define PF_CODEC_LEFT_OUT_H

#include "model/batch.h"
#include "model/dict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_format;
struct pf_report;
struct pf_writer;

enum { PF_LEFT_NAMES = 16 }; /* the number of items a warning names; the rest is counted */

enum pf_left {
    PF_LEFT_SAMPLE_MEASURES = PF_SAMPLE,
    PF_LEFT_FLAT_MEASURES = PF_FLAT,
    PF_LEFT_EDGE_MEASURES = PF_EDGE,
    /* measures with fractions, for a format that holds only whole numbers */
    PF_LEFT_FRACTIONS,
    PF_LEFT_LABELS,   /* keys of labels */
    PF_LEFT_METADATA, /* keys of metadata */
    PF_LEFT_LISTS
};

struct pf_left_list {
    bool *met; /* by string: the name is counted */
    size_t met_count, met_capacity;
    uint32_t names[PF_LEFT_NAMES]; /* the first names, in the order of occurrence */
    size_t count;                  /* of all names */
};

/* A part of struct pf_writer, initially zero. */
struct pf_left_out {
    uint64_t records[PF_RECORD_KINDS]; /* of kinds that the format cannot hold */
    uint64_t held[PF_RECORD_KINDS];    /* records of the other kinds */
    bool calls; /* some left-out records have costs of calls, from which stacks can be made */
    struct pf_left_list lists[PF_LEFT_LISTS];
    bool *seen; /* by set of labels: its last label was checked */
    size_t seen_count, seen_capacity;
    bool of_samples; /* some left-out labels belong to samples */
    bool texts;
};

/* Notes a name, or a measure by its name and kind. PF_OK or PF_NOMEM, with the error of the
 * writer. */
int pf_leave_name(struct pf_writer *, enum pf_left, uint32_t name);
int pf_leave_measure(struct pf_writer *, uint32_t measure);
/* Notes that source texts are left out. */
void pf_leave_texts(struct pf_writer *);

/* Sets the error of a format that cannot hold negative amounts, for the measure with this name:
 * PF_USAGE. */
int pf_refuse_negative(struct pf_writer *, uint32_t name);

/* The holds_label of a format without labels. */
bool pf_holds_no_label(struct pf_writer *, const struct pf_label *);

/* For the codec: notes records that the writer cannot hold; asks the format about each new label
 * of a batch. PF_OK or PF_NOMEM. */
void pf_left_out_records(struct pf_writer *, const struct pf_batch *);
int pf_left_out_labels(struct pf_writer *, const struct pf_batch *);
/* PF_USAGE, in the writer's error, if the format holds none of the records; never with `drawn`: the
 * writer has drawn sums of them. Else PF_OK. */
int pf_left_out_check_kinds(struct pf_writer *, bool drawn);
/* Sends the warning about records of other kinds. */
void pf_left_out_say_kinds(const struct pf_left_out *, const struct pf_format *,
                           const struct pf_report *);
/* Sends the warnings about all other left-out data. */
void pf_left_out_say_names(const struct pf_left_out *, const struct pf_dict *,
                           const struct pf_report *);
/* Adds what a file left out to what all files of a split left out; `to` is the dictionary of the
 * names in `all`, `from` that of the file. PF_OK or PF_NOMEM. */
int pf_left_out_join(struct pf_left_out *all, struct pf_dict *to, const struct pf_left_out *,
                     const struct pf_dict *from);
void pf_left_out_free(struct pf_left_out *);

/* Finds records without any written measure, for formats with room for few measures. The inputs
 * count the measures of their records, the writer notes the measures it has written. */
enum { PF_HELD_MEASURES = 16 };

/* The measures that a writer with room for few has written. A part of struct pf_writer,
 * initially zero. */
struct pf_held_measures {
    struct pf_measure rows[PF_HELD_MEASURES];
    size_t count;
};

/* Notes a written measure; more than PF_HELD_MEASURES are ignored. */
void pf_held_measures_add(struct pf_held_measures *, const struct pf_measure *);

/* The number of records for each set of measures. Zero-initialise. */
struct pf_left_measures {
    struct pf_strings keys; /* of a set: the kind of its records, then the measures */
    struct pf_buffer key;
    struct pf_measure_set {
        uint64_t rows;
        const char *input; /* borrowed: the first input with such records */
    } * sets;              /* by key */
    size_t count, capacity;
};

void pf_left_measures_free(struct pf_left_measures *);
/* Counts a batch; the caller keeps the name of the input. PF_OK or PF_NOMEM. */
int pf_left_measures_add(struct pf_left_measures *, const struct pf_batch *, const char *input);
/* The number of records without any held measure, among the *all records of the kind of the held
 * measures; *input is the first input with such records. 0 if no record has a held measure. */
uint64_t pf_left_measures_count(const struct pf_left_measures *, const struct pf_dict *,
                                const struct pf_held_measures *, uint64_t *all, const char **input);

#endif

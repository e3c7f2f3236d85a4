/* Records as JSON (schema profutils.samples/1): the reader, codec/format.h. Both forms are told apart by what is ahead: a document, or
 * a row after the other. */
#ifndef PF_RENDER_SAMPLES_JSON_H
#define PF_RENDER_SAMPLES_JSON_H

#include "codec/format.h"
#include "io/json_cut.h"
#include "model/labels.h"
#include "model/metadata.h"

#include <stdbool.h>
#include <stdint.h>

enum { PF_SAMPLES_COLUMNS = 64 };

/* Values that repeat are known by their bytes. Zero-initialise but for `texts`. */
struct pf_samples_memo {
    struct pf_strings texts;
    uint32_t *ids; /* by string, + 1 */
    size_t count, capacity;
};

struct pf_samples_reader {
    struct pf_json_cut cut;
    struct pf_samples_memo frames, labels, sections;
    struct pf_stack_memo *memo;
    bool document, ended, incomplete;
    int status;

    /* the row that was read last */
    bool waiting;
    enum pf_kind kind;
    uint32_t *leaf_first;
    size_t depth, frame_capacity;
    uint32_t section_set, label_set; /* one of each as it stands, joined for the row */
    struct pf_labels row_labels;     /* while they are joined */
    struct pf_samples_value {
        uint32_t name, unit, measure;
        int64_t value; /* of 10^-places */
        int places;
    } values[PF_SAMPLES_COLUMNS];
    unsigned value_count;
    struct pf_samples_scale { /* the most decimals that values of the name have had: the next ones are counted in as many */
        enum pf_kind kind;
        uint32_t name, unit;
        int places;
    } *scales;
    size_t scale_count, scale_capacity;

    /* the batch */
    uint32_t stacks[PF_BATCH_ROWS], callees[PF_BATCH_ROWS], label_ids[PF_BATCH_ROWS];
    struct pf_value_column columns[PF_SAMPLES_COLUMNS];
    int64_t *data[PF_SAMPLES_COLUMNS];
    unsigned column_count;

    /* what stands behind the rows */
    struct pf_metadata metadata;
    uint32_t *declared; /* measures */
    size_t declared_count, declared_capacity, declared_given;
    struct pf_value_column declared_column;
};

int pf_samples_bid_document(struct pf_source *, const char *path);
int pf_samples_bid_rows(struct pf_source *, const char *path);
int pf_samples_open_reader(struct pf_reader *);
int pf_samples_read(struct pf_reader *, struct pf_batch *);
void pf_samples_close_reader(struct pf_reader *);

#endif

/* Shared by all outputs of single records: the frames of a record in order, and its labels in
 * groups. */
#ifndef PF_RENDER_RECORDS_RECORD_H
#define PF_RENDER_RECORDS_RECORD_H

#include "base/memory.h"
#include "model/batch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A growing list of ids. Zero-initialise; free(ids). */
struct pf_id_list {
    uint32_t *ids;
    size_t count, capacity;
};

/* Locations of a record, leaf first: all frames of a sample's stack; the place of a flat record;
 * callee and caller of an edge. False: out of memory. */
bool pf_record_frames(const struct pf_dict *, const struct pf_batch *, uint32_t row,
                      struct pf_id_list *);

/* The labels of a set in the order of outputs: sections in the order of opening, then the others
 * by key, values of one key in the set's order. Keys are equal if their UTF-8 texts are equal.
 * Zero-initialise; free(rows). */
struct pf_label_list {
    struct pf_record_label {
        uint32_t id;
        bool section;
        bool same_key; /* same key as the row before */
    } * rows;
    size_t count, capacity;
};

/* False: out of memory. */
bool pf_record_labels(const struct pf_dict *, uint32_t labels, struct pf_label_list *);

/* Strings with their flags, for the functions of utf8.h and json.h. */
unsigned pf_record_flags(const struct pf_dict *, uint32_t string);
/* The flags of the result of pf_dict_frame_name. */
unsigned pf_record_frame_flags(const struct pf_dict *, uint32_t location);

#endif

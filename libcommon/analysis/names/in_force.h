/* The metadata in force at each record, as labels: the values of chosen keys, the start of the run,
 * and its day. A row of metadata describes the records that its format says (codec/merging.h). An
 * input is one profile or, in a native stream, several: the row `profutils` `input` begins a
 * profile. The row `profutils` `merged` says that rows and records were put in another order: then
 * a value is known only if the stream is one profile and the value is in force in all of it. */
#ifndef PF_ANALYSIS_NAMES_IN_FORCE_H
#define PF_ANALYSIS_NAMES_IN_FORCE_H

#include "analysis/names/id_map.h"
#include "base/table.h"
#include "codec/format.h"
#include "codec/merging.h"
#include "model/batch.h"
#include "model/labels.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Values of a key that are labels of one record: a profile may have any number of comments. */
enum { PF_IN_FORCE_MAX = 100 };

/* A chosen key. */
struct pf_in_force_key {
    struct pf_bytes name; /* borrowed */
    uint32_t label;       /* the key of the label */
    enum { PF_OF_METADATA, PF_OF_START, PF_OF_DAY } computed;
    bool found; /* an input has the key */
    /* set by pf_in_force_settle, for messages; the caller clears them */
    bool unknown; /* the input does not say which records the values describe */
    bool cut;     /* the key has more than PF_IN_FORCE_MAX values */

    uint32_t *values; /* in force */
    size_t count, capacity;
    bool mark;   /* the value comes from a row PF_META_MARK */
    bool closed; /* records followed: the next value of a list begins a new list */
    bool missed; /* a record of the profile came before its first value */
};

/* Initialise with pf_in_force_init; free with pf_in_force_free. */
struct pf_in_force {
    struct pf_dict *dict;
    struct pf_in_force_key *keys;
    size_t key_count, key_capacity;
    struct pf_table seen; /* all keys of public metadata, for messages */

    struct pf_in_force_row {
        uint32_t origin, key, value;
        enum { PF_ROW_OTHER, PF_ROW_INPUT, PF_ROW_MERGED, PF_ROW_FORMAT } what;
    } * rows; /* since the last record */
    size_t count, capacity;
    bool last; /* all rows of the input come after its records */

    /* the profile at hand */
    bool begun; /* the rows of the last pf_in_force_settle began the profile */
    const struct pf_format *format;
    uint32_t identity;
    uint64_t ordinal;
    bool has_start;
    int64_t start; /* nanoseconds since 1970 UTC */

    uint32_t set; /* label set with the values in force */
    bool changed; /* `set` is out of date */
    /* label set that the last pf_in_force_settle found for earlier records; 0: none */
    uint32_t before;
    bool holds; /* a later row may give earlier records a value of a chosen key */
    bool waits; /* like `holds`, by a row that comes at most once in a profile */

    struct pf_table series; /* identities */
    struct pf_in_force_series {
        uint64_t ordinal;
        uint32_t *marks; /* value + 1 of each key at the end of the file; 0: none */
    } * states;          /* by the ids of `series` */
    size_t state_capacity, state_count;

    struct pf_labels labels;
    struct pf_pair_map relabelled; /* label set and `set` -> both */
};

/* PF_OK or PF_NOMEM; free in any case. */
int pf_in_force_init(struct pf_in_force *, struct pf_dict *);
void pf_in_force_free(struct pf_in_force *);
/* Chooses a key; the name is borrowed. PF_OK or PF_NOMEM. */
int pf_in_force_choose(struct pf_in_force *, struct pf_bytes name);

/* An input begins. PF_OK or PF_NOMEM. */
int pf_in_force_input(struct pf_in_force *, const struct pf_format *);
/* Notes the rows of a META batch. PF_OK or PF_NOMEM. */
int pf_in_force_note(struct pf_in_force *, const struct pf_batch *);
/* True if the row begins a profile. */
bool pf_in_force_begins(const struct pf_dict *, const struct pf_batch *, uint32_t row);
/* Call before each batch of records (unless `last`), and at the end of the input: finds the values
 * after the noted rows. PF_OK or PF_NOMEM. */
int pf_in_force_settle(struct pf_in_force *);
/* The set `labels` with the labels of the set `values`, which replace labels of the same keys.
 * Failures are in pf_dict_status. */
uint32_t pf_in_force_label(struct pf_in_force *, uint32_t labels, uint32_t values);

#endif

/* The contents of an input: numbers of records by kind, totals, functions and sections. */
#ifndef PF_ANALYSIS_TABLE_INVENTORY_H
#define PF_ANALYSIS_TABLE_INVENTORY_H

#include "base/number.h"
#include "model/batch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A set of ids. */
struct pf_id_set {
    bool *seen;
    size_t count, capacity;
};

/* Zero-initialise, set dict; free with pf_inventory_free. */
struct pf_inventory {
    const struct pf_dict *dict;
    bool totals_only; /* set by the owner: only `records` and `measures` are counted */
    uint64_t records[PF_RECORD_KINDS];
    /* number of SAMPLE records, without those that have neither frames nor values: some profilers
     * write them as marks */
    uint64_t samples;
    struct pf_inventory_measure {
        bool seen;
        pf_int128 total; /* in raw units; for PF_MAX the greatest value */
    } * measures;        /* by number of the measure */
    size_t measure_count, measure_capacity;
    struct pf_id_set stacks, locations, labels;

    /* Filled by pf_inventory_sum. */
    uint64_t functions;
    uint32_t *sections; /* strings, sorted by their bytes, each once */
    size_t section_count, section_capacity;
};

void pf_inventory_free(struct pf_inventory *);

/* Counts the records of a batch; ignores metadata and texts. PF_OK or PF_NOMEM. */
int pf_inventory_add(struct pf_inventory *, const struct pf_batch *);
/* Call after the last batch: counts functions and lists sections. PF_OK or PF_NOMEM. */
int pf_inventory_sum(struct pf_inventory *);
/* Forgets everything, for the next input. */
void pf_inventory_clear(struct pf_inventory *);

#endif

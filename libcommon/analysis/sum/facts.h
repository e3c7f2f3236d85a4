/* What metadata say about a whole run: its inputs, their formats, what filters removed, and all
 * rows that are shown to people. */
#ifndef PF_ANALYSIS_SUM_FACTS_H
#define PF_ANALYSIS_SUM_FACTS_H

#include "analysis/sum/removed.h"
#include "model/batch.h"

#include <stddef.h>
#include <stdint.h>

/* Zero-initialise; free with pf_facts_free. */
struct pf_facts {
    struct pf_fact {
        uint32_t origin, key, value; /* strings */
    } * metadata; /* rows to show: not private to a format, and not written by the programs */
    size_t metadata_count, metadata_capacity;
    uint32_t *inputs, *formats; /* strings: names in order; each format once */
    size_t input_count, input_capacity, format_count, format_capacity;
    struct pf_before before; /* amounts that filters removed */
    pf_int128 duration; /* sum of the run times that inputs state, in nanoseconds; 0: not known */
};

void pf_facts_free(struct pf_facts *);

/* True if all records come from one format whose calls tell the costs of functions
 * (PF_CALLS_TELL). */
bool pf_facts_calls_tell(const struct pf_facts *, const struct pf_dict *);

/* Adds the rows of a META batch; ignores other kinds. PF_OK or PF_NOMEM. */
int pf_facts_add(struct pf_facts *, struct pf_dict *, const struct pf_batch *);
/* The format of all inputs; empty if there are several, or none is known. */
struct pf_bytes pf_facts_format(const struct pf_facts *, const struct pf_dict *);

#endif

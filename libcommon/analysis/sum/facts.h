/* What metadata say of a whole run: its inputs, their formats, what filters removed, and everything
 * that is shown to people. */
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
    } * metadata;                    /* shown: neither private to a format nor the programs' own */
    size_t metadata_count, metadata_capacity;
    uint32_t *inputs, *formats; /* strings: names in order, and each format once */
    size_t input_count, input_capacity, format_count, format_capacity;
    struct pf_before before;
    pf_int128 duration; /* nanoseconds that the inputs say they ran, added up; 0: not known */
};

void pf_facts_free(struct pf_facts *);

/* How much of each there is. */
struct pf_facts_mark {
    size_t metadata, inputs, formats, before;
    pf_int128 duration;
};
struct pf_facts_mark pf_facts_mark(const struct pf_facts *);
/* Forgets what was taken since the mark. */
void pf_facts_drop(struct pf_facts *, struct pf_facts_mark);

/* Whether all records come from one format whose calls tell what functions cost (PF_CALLS_TELL). */
bool pf_facts_calls_tell(const struct pf_facts *, const struct pf_dict *);

/* Takes the rows of a META batch; other kinds are skipped. PF_OK or PF_NOMEM. */
int pf_facts_add(struct pf_facts *, struct pf_dict *, const struct pf_batch *);
/* The format of all inputs; empty if there are several, or none is known. */
struct pf_bytes pf_facts_format(const struct pf_facts *, const struct pf_dict *);

#endif

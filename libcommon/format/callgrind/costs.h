/* Costs of lines and of calls, as a part of a callgrind profile lists them: one row a place, or a pair of places. */
#ifndef PF_FORMAT_CALLGRIND_COSTS_H
#define PF_FORMAT_CALLGRIND_COSTS_H

#include "analysis/sum/accumulate.h"
#include "base/error.h"
#include "base/memory.h"
#include "codec/format.h"
#include "model/dict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Columns behind those of the events. */
enum pf_cg_extra { PF_CG_CALLS, PF_CG_JUMP_COUNT, PF_CG_REACHED_COUNT, PF_CG_TAKEN_COUNT, PF_CG_EXTRAS };

/* Records on their way in: sums, and what sums do not tell. */
struct pf_cg_records {
    struct pf_accumulator sums;
    unsigned char *places;   /* by location: 1 where a FLAT record has it, be its values 0 */
    int64_t *hits;           /* by stack: records */
    size_t place_count, place_capacity, hit_count, hit_capacity;
};

struct pf_cg_event {
    struct pf_buffer name;   /* with its unit */
    struct pf_cg_column {
        struct pf_sums *sums; /* NULL: there are none */
        uint64_t num, den;    /* to what is written */
    } self, inclusive;
    bool self_of_calls;      /* self costs stand with the calls of a function */
};

struct pf_cg_costs {
    struct pf_dict *dict;
    struct pf_cg_event *events;
    size_t count, capacity;
    struct pf_table keys;    /* struct pf_edge: the place, and 0 or the function called */
    int64_t *values;         /* rows of count + PF_CG_EXTRAS, that of the key 0 too */
    size_t value_capacity;
};

void pf_cg_records_free(struct pf_cg_records *);
/* Adds a batch of records, as pf_accumulator_add. */
int pf_cg_records_add(struct pf_cg_records *, const struct pf_batch *, struct pf_error *);

/* The events and the rows of records: of lines and calls where there are any, else of stacks. What is left out is reported. PF_OK;
 * PF_NOMEM; PF_OVERFLOW; PF_USAGE where there is no event. Free in any case. Sums of stacks become those of subtrees. */
int pf_cg_costs_make(struct pf_cg_costs *, struct pf_cg_records *, struct pf_writer *);
void pf_cg_costs_free(struct pf_cg_costs *);

static inline int64_t *pf_cg_costs_row(const struct pf_cg_costs *costs, uint32_t row)
{
    return costs->values + (size_t)row * (costs->count + PF_CG_EXTRAS);
}
/* The row of a pair, made when new; 0 when memory ran out. `caller` is not 0. */
uint32_t pf_cg_costs_find(struct pf_cg_costs *, uint32_t caller, uint32_t callee);
/* The place of records that have none. */
uint32_t pf_cg_costs_nowhere(struct pf_cg_costs *);
/* Adds to a column of a row; PF_OK or PF_OVERFLOW. */
int pf_cg_costs_add(struct pf_cg_costs *, uint32_t row, size_t column, int64_t value, struct pf_error *);
/* The value a column of an event writes; PF_OK or PF_OVERFLOW. */
int pf_cg_column_value(const struct pf_cg_column *, int64_t sum, int64_t *value, struct pf_error *);

#endif

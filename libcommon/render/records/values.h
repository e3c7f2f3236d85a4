/* The numbers of a record as outputs show them: a column for each name, unit and period (counts of
 * different periods cannot be added, and a written record cannot be converted to events). Amounts
 * are whole numbers of parts of the base unit. Times are rounded to nanoseconds, half to even;
 * times with a raw unit of infinitely many decimals stay in their raw unit, and the column's unit
 * says so. */
#ifndef PF_RENDER_RECORDS_VALUES_H
#define PF_RENDER_RECORDS_VALUES_H

#include "analysis/sum/units.h"
#include "base/memory.h"
#include "model/batch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_value_name {
    /* UTF-8, in pf_values.texts */
    struct pf_bytes own;  /* the measure's name */
    struct pf_bytes name; /* the same; NAME/UNIT or NAME/period=N if another column has the name */
    struct pf_bytes unit;
    enum pf_kind kind; /* kind of its first measure */
    enum pf_aggregation aggregation;
    uint32_t measure; /* its last measure */
    /* parts of a unit; grows if a later measure is finer */
    uint64_t parts;
    pf_int128 total;
};

/* Zero-initialise all fields except `dict` and `by_kind`; free with pf_values_free. */
struct pf_values {
    const struct pf_dict *dict;
    bool by_kind; /* kinds have separate columns, even if the names are equal */
    struct pf_value_name *columns;
    size_t count, capacity;
    struct pf_strings texts; /* of the columns */
    /* `owns`: columns by the key of their measures, in order; `names`: used names */
    struct pf_table owns, names;
    struct pf_value_measure {
        uint32_t column; /* + 1; 0 = not seen yet */
        struct pf_scale scale;
        pf_int128 total; /* raw */
    } * measures;        /* by number */
    size_t measure_count, measure_capacity;
    uint64_t turns;     /* number of changes of a column's measure, with the first measure */
    pf_int128 *amounts; /* amounts of the current row, by column */
    size_t amount_capacity;
};

void pf_values_free(struct pf_values *);

/* Adds the measures of a batch of records. *changed: there are new columns. PF_OK or PF_NOMEM. */
int pf_values_declare(struct pf_values *, const struct pf_batch *, bool *changed);
/* True if a measure was declared. */
static inline bool pf_values_has(const struct pf_values *values, uint32_t measure)
{
    return measure < values->measure_count && values->measures[measure].column != 0;
}
/* Fills values->amounts for a row, 0 if the batch has no column. Call after pf_values_declare. */
void pf_values_row(struct pf_values *, const struct pf_batch *, uint32_t row);
/* Adds a batch to the totals; call pf_values_total once, at the end, to fill columns[].total. */
void pf_values_add(struct pf_values *, const struct pf_batch *);
void pf_values_total(struct pf_values *);

#endif

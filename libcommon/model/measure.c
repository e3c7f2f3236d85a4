#include "model/measure.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"

#include <assert.h>
#include <stdlib.h>

static_assert(sizeof(struct pf_measure) == 56, "rows of a table have no padding");

int pf_measures_init(struct pf_measures *measures)
{
    return pf_table_init(&measures->table, sizeof(struct pf_measure));
}

void pf_measures_free(struct pf_measures *measures)
{
    pf_table_free(&measures->table);
    free(measures->counts);
}

int pf_measures_set_counts(struct pf_measures *measures, uint32_t k)
{
    measures->some_count = true;
    if (k >= measures->count_capacity &&
        !pf_grow_clear(&measures->counts, &measures->count_capacity, (size_t)k + 1, 1))
        return PF_NOMEM;
    measures->counts[k] = 1;
    return PF_OK;
}

uint32_t pf_measures_intern(struct pf_measures *measures, const struct pf_measure *measure)
{
    uint32_t id = pf_table_intern(&measures->table, measure);
    return id ? id - 1 : UINT32_MAX;
}

void pf_measure_set_scale(struct pf_measure *measure, uint64_t num, uint64_t den)
{
    uint64_t common = pf_gcd(num, den);

    measure->num = num / common;
    measure->den = den / common;
}

bool pf_measure_same(const struct pf_measure *a, const struct pf_measure *b)
{
    return a->kind == b->kind && a->name == b->name && a->unit == b->unit &&
           a->aggregation == b->aggregation && a->side == b->side && a->runs == b->runs;
}

struct pf_measure_key pf_measure_key(const struct pf_measure *measure)
{
    return (struct pf_measure_key){measure->kind,        measure->name, measure->unit,
                                   measure->aggregation, measure->side, 1u + measure->runs};
}

bool pf_measure_same_period(const struct pf_measure *a, const struct pf_measure *b)
{
    return (pf_uint128)a->period * pf_measure_period_parts(b) ==
           (pf_uint128)b->period * pf_measure_period_parts(a);
}

const char *pf_kind_name(enum pf_kind kind)
{
    static const char *const names[] = {"sample", "flat", "edge", "meta", "text"};
    return names[kind];
}

const char *pf_role_name(unsigned role)
{
    static const char *const names[] = {"self", "inclusive", "count"};

    return names[role];
}

const char *pf_nature_name(unsigned nature)
{
    static const char *const names[] = {"", "sampled", "timed", "exact"};

    return names[nature];
}

const char *pf_aggregation_name(unsigned aggregation)
{
    return aggregation == PF_MAX ? "max" : "sum";
}

/* --- the sides of a difference ---------------------------------------------------------------- */

static const struct pf_bytes words[PF_SIDES] = {
    [PF_BEFORE] = {"before", 6}, [PF_AFTER] = {"after", 5}, [PF_DELTA] = {"delta", 5}};

const char *pf_side_word(enum pf_side side)
{
    return words[side].data;
}

struct pf_bytes pf_side_stem(struct pf_bytes name, enum pf_side side)
{
    if (side != PF_NO_SIDE && pf_bytes_ends(name, words[side]))
        name.size -= words[side].size;
    return name;
}

enum pf_side pf_side_of_name(struct pf_bytes name)
{
    for (enum pf_side side = PF_BEFORE; side < PF_SIDES; side++) {
        struct pf_bytes stem = pf_side_stem(name, side);

        if (stem.size < name.size &&
            (stem.size > 0 ? stem.data[stem.size - 1] == '.' : side != PF_DELTA))
            return side;
    }
    return PF_NO_SIDE;
}

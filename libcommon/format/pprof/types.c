#include "format/pprof/types.h"

#include "analysis/sum/units.h"
#include "base/memory.h"
#include "base/number.h"
#include "format/pprof/profile.h"
#include "model/main_measure.h"
#include "model/units.h"

#include <stdlib.h>

void pf_pprof_types_free(struct pf_pprof_types *types)
{
    for (size_t k = 0; k < types->count; k++)
        free(types->rows[k].held);
    free(types->rows);
    free(types->members);
}

/* Parts of a time: in nanoseconds they are one to everybody. */
static bool is_rounded(const struct pf_dict *dict, const struct pf_measure *measure)
{
    struct pf_bytes whole;

    return pf_unit_parts(pf_dict_string(dict, measure->raw_unit), &whole) > 1 &&
           pf_measure_is_time(dict, measure);
}

static struct pf_pprof_out_type new_type(struct pf_dict *dict, const struct pf_measure *measure)
{
    struct pf_pprof_out_type type = {.measure = *measure, .unit = measure->unit, .num = 1, .den = 1};
    struct pf_unit_size size;

    if (measure->raw_unit == 0 || (measure->num == 1 && measure->den == 1 && measure->raw_unit == measure->unit))
        return type;
    bool known = measure->den == 1 &&
                 pf_unit_parse(pf_dict_string(dict, measure->raw_unit), PF_PPROF_UNITS, &size) &&
                 size.num == measure->num &&
                 pf_bytes_equal(pf_bytes_of(size.base), pf_dict_string(dict, measure->unit));

    type.rounded = is_rounded(dict, measure);
    if (known || (measure->den != 1 && !type.rounded)) {
        type.unit = measure->raw_unit;
        type.num = measure->num;
        type.den = measure->den;
    }
    return type;
}

/* Sets what leads from values of the measure to those of the type. */
static bool scale(const struct pf_pprof_out_type *type, const struct pf_measure *measure, struct pf_pprof_member *member)
{
    pf_uint128 times = (pf_uint128)measure->num * type->den, into = (pf_uint128)measure->den * type->num;
    bool whole = times % into == 0;

    if (whole) {
        times /= into;
        into = 1;
    }
    if ((!whole && !type->rounded) || times > INT64_MAX || into > INT64_MAX)
        return false;
    member->num = (uint64_t)times;
    member->den = (uint64_t)into;
    return true;
}

static int meet(struct pf_pprof_types *types, struct pf_dict *dict, uint32_t index, struct pf_error *error)
{
    struct pf_measure measure = *pf_measures_row(&dict->measures, index);
    struct pf_bytes name = pf_dict_string(dict, measure.name);
    struct pf_pprof_member *member = &types->members[index];
    size_t k = 0;

    while (k < types->count && !pf_measure_same(&types->rows[k].measure, &measure))
        k++;
    if (k == types->count) {
        if (!pf_grow(&types->rows, &types->capacity, types->count + 1, sizeof *types->rows))
            return pf_error_nomem(error);
        types->rows[types->count++] = new_type(dict, &measure);
    }
    types->rows[k].measure.main |= measure.main;
    if (!pf_measure_same_period(&types->rows[k].measure, &measure))
        return pf_error_set(error, PF_UNSUPPORTED,
                            "measure '%s' comes with different periods (profmerge brings them to events)",
                            pf_clip(name).text);
    if (!scale(&types->rows[k], &measure, member))
        return pf_error_set(error, PF_UNSUPPORTED, "measure '%s' comes in units of different lengths (profmerge brings them to one)",
                            pf_clip(name).text);
    member->type = (uint32_t)k + 1;
    return PF_OK;
}

int pf_pprof_types_find(struct pf_pprof_types *types, struct pf_dict *dict, uint32_t measure, struct pf_pprof_member *member,
                        struct pf_error *error)
{
    int status = PF_OK;

    if (!pf_grow_zeroed(&types->members, &types->member_count, &types->member_capacity,
                        pf_measures_count(&dict->measures), sizeof *types->members))
        return pf_error_nomem(error);
    if (types->members[measure].type == 0)
        status = meet(types, dict, measure, error);
    *member = types->members[measure];
    return status;
}

uint32_t pf_pprof_types_main(const struct pf_pprof_types *types, const struct pf_dict *dict)
{
    struct pf_main_choice choice = {0};
    uint32_t best = UINT32_MAX;

    for (size_t k = 0; k < types->count; k++)
        if (pf_main_offer(&choice, dict, &types->rows[k].measure))
            best = (uint32_t)k;
    return best;
}

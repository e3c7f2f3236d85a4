#include "model/main_measure.h"

#include "model/units.h"

static int rank_of(const struct pf_dict *dict, const struct pf_measure *measure)
{
    if (measure->runs)
        return 0;
    if (measure->main)
        return 4;
    if (measure->side == PF_DELTA)
        return 3;
    return pf_measure_is_time(dict, measure) ? 2 : 1;
}

bool pf_main_offer(struct pf_main_choice *choice, const struct pf_dict *dict,
                   const struct pf_measure *measure)
{
    int rank = rank_of(dict, measure);
    bool better = rank > choice->rank;

    choice->rank = better ? rank : choice->rank;
    return better;
}

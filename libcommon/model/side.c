#include "model/side.h"

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

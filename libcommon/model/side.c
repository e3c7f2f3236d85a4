#include "model/side.h"

static const struct pf_bytes words[PF_SIDES] = {
    [PF_BEFORE] = {"before", 6}, [PF_AFTER] = {"after", 5}, [PF_DELTA] = {"delta", 5}};

const char *pf_side_word(enum pf_side side)
{
    return words[side].data;
}

enum pf_side pf_side_of(struct pf_bytes name, struct pf_bytes *stem)
{
    for (enum pf_side side = PF_BEFORE; side < PF_SIDES; side++) {
        if (!pf_bytes_ends(name, words[side]))
            continue;
        *stem = (struct pf_bytes){name.data, name.size - words[side].size};
        if (stem->size > 0 ? stem->data[stem->size - 1] == '.' : side != PF_DELTA)
            return side;
    }
    return PF_SIDES;
}

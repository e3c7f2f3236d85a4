#include "format/pprof/units.h"

#include "model/units.h"

bool pf_pprof_unit(struct pf_bytes name, const char **base, uint64_t *num)
{
    static const struct {
        const char *names[3], *base;
        uint64_t num;
    } units[] = {
        {{"b", "byte", "bytes"}, "bytes", 1},
        {{"kb", "kilobyte", "kilobytes"}, "bytes", 1 << 10},
        {{"mb", "megabyte", "megabytes"}, "bytes", 1 << 20},
        {{"gb", "gigabyte", "gigabytes"}, "bytes", 1 << 30},
    };

    uint64_t den;

    if (pf_time_unit(name, num, &den) && den == 1) {
        *base = "nanoseconds";
        return true;
    }
    for (size_t k = 0; k < sizeof units / sizeof *units; k++)
        for (size_t n = 0; n < 3; n++)
            if (pf_bytes_equal(name, pf_bytes_of(units[k].names[n]))) {
                *base = units[k].base;
                *num = units[k].num;
                return true;
            }
    return false;
}

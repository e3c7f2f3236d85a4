#include "format/pprof_units.h"

bool pf_pprof_unit(struct pf_bytes name, const char **base, uint64_t *num)
{
    static const struct {
        const char *names[3], *base;
        uint64_t num;
    } units[] = {
        {{"ns", "nanosecond", "nanoseconds"}, "nanoseconds", 1},
        {{"us", "microsecond", "microseconds"}, "nanoseconds", 1000},
        {{"ms", "millisecond", "milliseconds"}, "nanoseconds", 1000000},
        {{"s", "second", "seconds"}, "nanoseconds", 1000000000},
        {{"b", "byte", "bytes"}, "bytes", 1},
        {{"kb", "kilobyte", "kilobytes"}, "bytes", 1 << 10},
        {{"mb", "megabyte", "megabytes"}, "bytes", 1 << 20},
        {{"gb", "gigabyte", "gigabytes"}, "bytes", 1 << 30},
    };

    for (size_t k = 0; k < sizeof units / sizeof *units; k++)
        for (size_t n = 0; n < 3; n++)
            if (pf_bytes_equal(name, pf_bytes_of(units[k].names[n]))) {
                *base = units[k].base;
                *num = units[k].num;
                return true;
            }
    return false;
}

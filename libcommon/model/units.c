#include "model/units.h"

#include <stddef.h>

#define GREEK_MU "\xce\xbc"   /* U+03BC */
#define MICRO_SIGN "\xc2\xb5" /* U+00B5 */

bool pf_time_unit(struct pf_bytes name, uint64_t *num, uint64_t *den)
{
    static const struct {
        const char *names[5];
        uint64_t num, den;
    } units[] = {
        {{"ps", "picosecond", "picoseconds"}, 1, 1000},
        {{"ns", "nanosecond", "nanoseconds"}, 1, 1},
        {{"us", "microsecond", "microseconds", GREEK_MU "s", MICRO_SIGN "s"}, 1000, 1},
        {{"ms", "millisecond", "milliseconds"}, 1000000, 1},
        {{"s", "second", "seconds"}, 1000000000, 1},
    };

    for (size_t k = 0; k < sizeof units / sizeof *units; k++)
        for (size_t n = 0; n < sizeof units->names / sizeof *units->names && units[k].names[n]; n++)
            if (pf_bytes_equal(name, pf_bytes_of(units[k].names[n]))) {
                *num = units[k].num;
                *den = units[k].den;
                return true;
            }
    return false;
}

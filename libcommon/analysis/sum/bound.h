/* Amounts as people give them to options: 5%, 10ms, 100. */
#ifndef PF_ANALYSIS_SUM_BOUND_H
#define PF_ANALYSIS_SUM_BOUND_H

#include "analysis/sum/units.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct pf_bound {
    bool percent;
    bool time;      /* it has a unit of time, so it fits times only */
    bool bare;      /* it has no unit; also set of a fraction, which is refused */
    int64_t amount; /* base units; of percent: millionths */
};

/* N, N%, or N followed by ns, us, ms, s, k, M, G, count or bytes; not negative. False: anything
 * else. */
bool pf_bound_parse(const char *text, struct pf_bound *);
/* Whether it fits amounts of this scale: PF_OK, or PF_USAGE. */
int pf_bound_check(const struct pf_bound *, const struct pf_scale *, struct pf_error *);
/* Whether amount / parts is greater than the bound, of which 100 % are whole / parts (its magnitude
 * counts). Exact. */
bool pf_bound_passed(const struct pf_bound *, pf_int128 amount, pf_int128 whole, uint64_t parts);
/* What the bound comes to, in parts, rounded towards 0. */
pf_int128 pf_bound_amount(const struct pf_bound *, pf_int128 whole, uint64_t parts);

#endif

/* Amounts as users give them to options: 5%, 10ms, 100. */
#ifndef PF_ANALYSIS_SUM_BOUND_H
#define PF_ANALYSIS_SUM_BOUND_H

#include "analysis/sum/units.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct pf_bound {
    bool percent;
    bool time; /* has a unit of time, so it can bound only times */
    bool bare; /* has no unit; also set for a fraction such as 1.5, which pf_bound_parse refuses */
    int64_t amount; /* base units; if `percent`: millionths of a percent */
};

/* Parses N, N%, or N followed by ns, us, ms, s, k, M, G, count or bytes; N is not negative. False:
 * anything else. */
bool pf_bound_parse(const char *text, struct pf_bound *);
/* PF_OK if the bound fits amounts of this scale, else PF_USAGE with a message. */
int pf_bound_check(const struct pf_bound *, const struct pf_scale *, struct pf_error *);
/* True if amount / parts is greater than the bound. 100 % are |whole| / parts. Exact. */
bool pf_bound_passed(const struct pf_bound *, pf_int128 amount, pf_int128 whole, uint64_t parts);
/* The bound as an amount in 1/parts, rounded towards 0; 100 % are |whole|. */
pf_int128 pf_bound_amount(const struct pf_bound *, pf_int128 whole, uint64_t parts);
/* The least amount that is not below a bound in percent; 100 % are `whole`, which is not
 * negative. */
pf_int128 pf_bound_least(const struct pf_bound *, pf_int128 whole);

#endif

/* What the runs of a comparison lack: the measure that is compared, or records. Without a gate this
 * is a warning. With a gate (--fail-above) it is an error: a gate that cannot judge must not pass.
 */
#ifndef PF_CLI_DIFF_LACKING_H
#define PF_CLI_DIFF_LACKING_H

#include "analysis/diff/diff.h"
#include "cli/diff/reading.h"

#include <stdbool.h>

/* All members are set by the caller and borrowed. */
struct pf_lacking {
    struct pf_common *common;
    const struct pf_runs *runs;
    const struct pf_reading *reading; /* has read all runs */
    const struct pf_diff *diff;       /* finished */
    const char *const *measures;      /* the arguments of -m */
    unsigned measure_count;
    enum pf_kind kind; /* asked for; PF_RECORD_KINDS: none */
    bool gate, stats;  /* --fail-above, --stats */
};

/* Reports what the runs lack in the blocks of the difference. False after an error, printed and
 * raised: nothing can be compared, or the gate cannot judge. */
bool pf_lacking_check(const struct pf_lacking *);
/* Warns of runs that lack a measure of the records of a difference, if other runs of their side
 * have the measure. */
void pf_lacking_records(const struct pf_lacking *);
/* Prints that no run has the measure (NULL: records of the kind asked for), and raises the status
 * to 2. */
void pf_lacking_unknown(const struct pf_lacking *, const char *measure);

#endif

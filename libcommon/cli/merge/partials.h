/* profmerge --partials: merges many inputs through partial profiles, in one process or by a plan
 * for other processes. The partials stay in a directory, and the next run uses them again. */
#ifndef PF_CLI_MERGE_PARTIALS_H
#define PF_CLI_MERGE_PARTIALS_H

#include "cli/merge/plan.h"
#include "cli/merge/task.h"

struct pf_partials {
    const char *directory; /* NULL: --partials is not given */
    int64_t fan_in;        /* mean number of members of a group */
    enum pf_plan plan;
    bool prune;
    const char *manifest; /* NULL: none */
    const char *task;     /* NULL: none */
};

/* Reads the options. Exits 2 with a message for options that do not go together. */
void pf_partials_read(struct pf_partials *, struct pf_common *);

/* Merges the inputs of the command line, or prints the plan. Failures are printed and raise the
 * exit status. */
void pf_partials_merge(const struct pf_partials *, struct pf_common *);

/* Does the task: makes a partial, or writes the output and the manifest. */
void pf_partials_task(const struct pf_partials *, struct pf_common *, struct pf_task *);

#endif

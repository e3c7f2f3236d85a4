/* One line on standard error while long work goes on: after a second, a few times a second. */
#ifndef PF_CLI_PROGRESS_H
#define PF_CLI_PROGRESS_H

#include "cli/tool.h"

#include <stdint.h>

struct pf_progress {
    struct pf_tool *tool;
    int64_t started, shown; /* monotonic milliseconds */
    uint64_t total;         /* bytes of all inputs; 0 = not known */
    bool wanted;
};

void pf_progress_start(struct pf_progress *, struct pf_tool *, uint64_t total);
/* `done` bytes of all inputs are read. Cheap: looks at the clock only. */
void pf_progress_update(struct pf_progress *, uint64_t done);
void pf_progress_end(struct pf_progress *);

#endif

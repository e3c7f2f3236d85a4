/* The sides of a comparison and the runs of each. An operand is a side: a file is one run; of a
 * directory each entry is one, a subdirectory with all files below it; of @LIST each line likewise.
 * Files of one tree of processes (StatProfiler writes one a process and ordinal) are one run. */
#ifndef PF_CLI_RUNS_H
#define PF_CLI_RUNS_H

#include "cli/inputs.h"
#include "cli/operands.h"

#include <stdbool.h>
#include <stddef.h>

struct pf_runs_side {
    const char *name;    /* the operand */
    size_t first, count; /* its runs */
};

struct pf_run {
    const char *name; /* of its first file, or of the directory */
    unsigned side;
    size_t first, count; /* its files */
};

struct pf_runs {
    struct pf_inputs *inputs;
    struct pf_runs_side *sides;
    size_t side_count;
    struct pf_run *runs;
    size_t count;
    size_t at; /* run being read */
    bool begun, damaged;
    bool given;     /* the run at hand, or the one that has just ended, has given a batch */
    size_t reached; /* runs that were read at least in part */
    struct pf_common *common;
    struct pf_operands *names;
};

/* Expands the operands, of which there must be at least `least` and at most `most` (0: any number),
 * else exits 2 with `what` they are; a side without runs ends the program with status 3. `reverse`:
 * the last side first. Never NULL. */
struct pf_runs *pf_runs_open(struct pf_common *, size_t least, size_t most, const char *what,
                             bool reverse);
void pf_runs_close(struct pf_runs *);

enum pf_run_event {
    PF_RUN_BATCH, /* a batch of the run */
    PF_RUN_END,   /* the run has ended, *whole or with a failure that is printed and raised */
    PF_RUN_EOF
};

/* Batches of all runs, one run after the other. Where reading stops at a failure the run at hand
 * ends and those behind it never come: `reached` is less than `count` then. */
enum pf_run_event pf_runs_next(struct pf_runs *, struct pf_batch *, size_t *run, bool *whole);

#endif

/* The sides of a comparison and their runs. An operand is a side: a file is one run; in a
 * directory each entry is a run (a subdirectory with all files below); in @LIST each line. Files
 * of one tree of processes (StatProfiler writes a file per process and ordinal) are one run. */
#ifndef PF_CLI_DIFF_RUNS_H
#define PF_CLI_DIFF_RUNS_H

#include "cli/inputs.h"
#include "cli/operands.h"

#include <stdbool.h>
#include <stddef.h>

struct pf_runs_side {
    const char *name;    /* the operand */
    size_t first, count; /* its runs */
};

struct pf_run {
    const char *name; /* name of its first file, or of the directory */
    unsigned side;
    size_t first, count; /* its files */
    bool left_out;       /* --since and --until have left out all its files */
    bool disputed;       /* the records of a file do not add up to a total that the file states */
};

struct pf_runs {
    struct pf_inputs *inputs;
    struct pf_runs_side *sides;
    size_t side_count;
    struct pf_run *runs;
    size_t count;
    size_t at; /* number of the current run */
    bool begun, damaged;
    /* of the current run, or of the run that has just ended */
    bool chosen;    /* --since and --until keep a file */
    bool given;     /* a batch was returned */
    size_t reached; /* number of runs that were read at least partly */
    struct pf_common *common;
    struct pf_operands *names;
};

/* Expands the operands. Exits 2, with `what` in the message, if their number is not between
 * `least` and `most` (0: any number); exits 3 if a side has no runs. `reverse`: the last side
 * first. Never NULL. */
struct pf_runs *pf_runs_open(struct pf_common *, size_t least, size_t most, const char *what,
                             bool reverse);
void pf_runs_close(struct pf_runs *);

enum pf_run_event {
    PF_RUN_BATCH, /* a batch of the run */
    PF_RUN_END,   /* the run has ended; without *whole, after a failure that is printed */
    PF_RUN_EOF
};

/* Returns the batches of all runs, one run after the other. If reading stops at a failure, the
 * current run ends and later runs are not read: `reached` is then less than `count`. */
enum pf_run_event pf_runs_next(struct pf_runs *, struct pf_batch *, size_t *run, bool *whole);

#endif

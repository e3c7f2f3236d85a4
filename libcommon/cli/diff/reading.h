/* Reads the runs of a comparison, one after the other, into its differences. A run is an input
 * (cli/diff/runs.h), or a value of a label: with --runs=label:KEY, and of inputs that have groups
 * of runs (model/replicates.h). */
#ifndef PF_CLI_DIFF_READING_H
#define PF_CLI_DIFF_READING_H

#include "analysis/diff/diff.h"
#include "analysis/diff/labelled.h"
#include "analysis/diff/records.h"
#include "cli/diff/runs.h"

#include <stdbool.h>
#include <stddef.h>

/* What a run is on the current side. PF_RUNS_UNKNOWN: no record has shown the form yet. */
enum pf_runs_form { PF_RUNS_UNKNOWN, PF_RUNS_INPUTS, PF_RUNS_LABELLED };

/* Zero-initialise, set the members up to `label`; free with pf_reading_free. */
struct pf_reading {
    struct pf_common *common;
    struct pf_runs *runs;
    struct pf_dict *dict;     /* of the runs */
    struct pf_diff *diffs[2]; /* each gets all runs */
    size_t diff_count;
    struct pf_diff_records *records; /* gets all runs too; NULL: none */
    const char *label;               /* the KEY of --runs=label:KEY; NULL: not given */

    enum pf_runs_form form; /* of the current side */
    /* the batches of the current side, and with --keep-going of the current input alone; before the
     * form is known, the batches before the first record */
    struct pf_labelled side, own;
    struct pf_reading_run {
        const char *name;
        size_t prefix; /* where the value of the label begins in the name; 0: the run is an input */
        unsigned side;
    } * read; /* the runs that count, in the order of the differences */
    size_t count, capacity;
    struct pf_arena texts; /* of the names that are not names of inputs */
};

void pf_reading_free(struct pf_reading *);
/* Reads all runs. With --keep-going a run that cannot be compared is left out of all differences.
 * False after a failure, printed and raised. */
bool pf_reading_all(struct pf_reading *);
/* What the runs of a side are: "files", or "runs" if a run may be several files or part of one. */
const char *pf_reading_noun(const struct pf_reading *, unsigned side);

#endif

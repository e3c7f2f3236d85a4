/* profdiff: compares sides run by run; the output is tables, or records with before and after. */
#ifndef PF_CLI_DIFF_COMPARISON_H
#define PF_CLI_DIFF_COMPARISON_H

#include "analysis/diff/verdicts.h"
#include "cli/diff/reading.h"
#include "render/diff/diff.h"

#include <stdbool.h>

/* Zero-initialise; a program sets common, rows, stats, reverse, diff.normalize, reading.label, and
 * the view's sort, only, terms, gate_text and drop_negative. */
struct pf_comparison {
    struct pf_common common;
    struct pf_row_settings rows;
    bool stats;            /* a table of statistics over all sides, without a comparison */
    bool reverse;          /* the last side is first */
    bool stream;           /* records instead of a table, in the format common.to or the default */
    struct pf_diff diff;   /* the rows of the table, and those of the gate */
    struct pf_diff frames; /* the functions of a picture, for its verdicts */
    struct pf_diff_view view;
    struct pf_reading reading;

    struct pf_runs *runs;
    struct pf_diff_records records;
    struct pf_verdicts verdicts; /* for a picture */
    const char **measures;       /* the arguments of -m; the output has other names */
    unsigned measure_count;
    const char **sides, **nouns; /* by side, for tables: its name; what its runs are */
    const char **names;          /* --stats: of the runs */
};

/* Sets view.form and `stream`: tables, unless -t or the suffix of -o names a format of records.
 * Call after pf_row_settings_read. Exits 2 if the format cannot hold a difference, or an option
 * does not go with the format. */
void pf_comparison_form(struct pf_comparison *);
/* Reads the runs and writes to -o or standard output. Failures are printed and raise the exit
 * status; a row above the gate raises PF_EXIT_CONDITION. Exits 2 for a wrong number of operands. */
void pf_comparison_write(struct pf_comparison *);

#endif

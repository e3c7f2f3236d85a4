/* proftop: sums inputs and writes tables, trees or source lines. */
#ifndef PF_CLI_SUMMARY_H
#define PF_CLI_SUMMARY_H

#include "cli/inputs.h"
#include "render/table/top.h"

/* Zero-initialise; a program sets the first group and top.view, form, look.by, look.label, sort and
 * the patterns. Free with pf_summary_free. */
struct pf_summary {
    struct pf_common common;
    struct pf_row_settings rows;
    struct pf_inputs *inputs;
    const char *pattern; /* pattern of the view's functions, for messages */
    struct pf_top top;

    struct pf_accumulator accumulator;
    struct pf_accumulator own; /* with --keep-going: the sums of the current input */
    bool has_own;
    bool from_stream; /* an input is a native stream */
    struct pf_facts facts;
    struct pf_notes sources;   /* source texts */
    struct pf_notes own_notes; /* with --keep-going: those of the current input */
};

/* Reads the inputs and writes to -o or standard output. Failures are printed and raise the exit
 * status; exits 2 if the profile cannot answer the request. */
void pf_summary_write(struct pf_summary *);
void pf_summary_free(struct pf_summary *);

#endif

/* Suggestions for options that the program does not have: the message says what to type instead.
 * A table has the options of pprof, perf and other tools; the program's own options come from
 * its --help. */
#ifndef PF_CLI_GUESS_H
#define PF_CLI_GUESS_H

#include "cli/tool.h"

/* Checks the command line before the option parser. `help` is the generated text of --help. For
 * a known mistake, prints what to type and exits 2; returns otherwise. */
void pf_guess_options(struct pf_tool *, int argc, char *const *argv, const char *const *help);

#endif

/* Suggestions for options that the program does not have: the message says what to type instead.
 * A table has the options of pprof, perf and other tools; the program's own options come from
 * its --help. */
#ifndef PF_CLI_GUESS_H
#define PF_CLI_GUESS_H

#include "base/memory.h"
#include "cli/tool.h"

/* Appends words to the text of a command, unchanged. If memory runs out, both functions set
 * text->failed. */
void pf_command_text(struct pf_buffer *text, const char *words);
/* Appends one word as a shell reads it, quoted where necessary. */
void pf_command_word(struct pf_buffer *text, const char *word);

/* Checks the command line before the option parser. `help` is the generated text of --help. For
 * a known mistake, prints what to type and exits 2; returns otherwise. */
void pf_guess_options(struct pf_tool *, int argc, char *const *argv, const char *const *help);

#endif

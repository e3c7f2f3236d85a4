/* Options that people type first and that the program does not have: the answer is what to type
 * instead. One table knows the words of pprof, perf and other tools; the options of the program
 * itself come from its --help. */
#ifndef PF_CLI_GUESS_H
#define PF_CLI_GUESS_H

#include "base/memory.h"
#include "cli/tool.h"

/* Appends words to a command that is shown, as they are. If memory runs out, both functions set
 * text->failed. */
void pf_command_text(struct pf_buffer *text, const char *words);
/* Appends one word as a shell reads it, quoted where necessary. */
void pf_command_word(struct pf_buffer *text, const char *word);

/* Looks through the command line before the option parser does. `help` is the generated text of
 * --help. Exits 2 with what to type where an option is a mistake it knows; returns otherwise, and
 * the option parser has the last word. */
void pf_guess_options(struct pf_tool *, int argc, char *const *argv, const char *const *help);

#endif

/* Texts of commands that messages suggest. */
#ifndef PF_CLI_COMMAND_H
#define PF_CLI_COMMAND_H

#include "base/memory.h"

/* Appends words to the text of a command, unchanged. If memory runs out, both functions set
 * text->failed. */
void pf_command_text(struct pf_buffer *text, const char *words);
/* Appends one word as a shell reads it, quoted where necessary. */
void pf_command_word(struct pf_buffer *text, const char *word);

#endif

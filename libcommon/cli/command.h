/* Commands for people to type, as a shell reads them. */
#ifndef PF_CLI_COMMAND_H
#define PF_CLI_COMMAND_H

#include "base/bytes.h"
#include "base/memory.h"

/* Appends the text as it is. Running out of memory sets text->failed, here and below. */
void pf_command_text(struct pf_buffer *text, const char *words);
/* Appends one word, in quotes where it needs them. */
void pf_command_word(struct pf_buffer *text, const char *word);

#endif

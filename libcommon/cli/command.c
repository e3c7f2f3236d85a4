#include "cli/command.h"

#include <string.h>

void pf_command_text(struct pf_buffer *text, const char *words)
{
    pf_buffer_append(text, words, strlen(words));
}

void pf_command_word(struct pf_buffer *text, const char *word)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "-_./,:=@%+^";

    if (*word != '\0' && word[strspn(word, plain)] == '\0') {
        pf_command_text(text, word);
        return;
    }
    pf_command_text(text, "'");
    for (const char *p = word; *p != '\0'; p++)
        if (*p == '\'')
            pf_command_text(text, "'\\''");
        else
            pf_buffer_append(text, p, 1);
    pf_command_text(text, "'");
}

/* Options of the command line as fields of a struct: one table says for each option what it takes
 * and which field it fills, and one function checks the arguments and prints the messages. */
#ifndef PF_CLI_SETTINGS_H
#define PF_CLI_SETTINGS_H

#include "cli/tool.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An option of the program, as the command line gives it. */
struct pf_given {
    const char *name;    /* long name without dashes; NULL ends a list */
    char *const *values; /* `count` arguments; NULL where an optional argument is left out */
    unsigned count;
};

/* The command line of a program. tools/options.awk adds pf_command_line to each option parser that
 * gengetopt generates; `parse` fills the last group and returns 0, or prints a message. */
struct pf_command {
    const char *program, *usage, *purpose;
    const char *const *help; /* lines of --help, NULL-terminated */
    int (*parse)(struct pf_command *, int argc, char **argv);

    const struct pf_given *given; /* all options; valid until the program ends, as the operands */
    char *const *operands;
    unsigned operand_count;
};
struct pf_command pf_command_line(void);

/* What an option takes, and the type of its field. An option given several times counts with its
 * last argument; a field keeps its value where the option is not given. */
enum pf_takes {
    PF_TAKES_NOTHING, /* bool: true */
    PF_TAKES_TEXT,    /* const char *; "" where an optional argument is left out */
    PF_TAKES_TEXTS,   /* struct pf_texts: all arguments */
    PF_TAKES_NUMBER,  /* int64_t from `low` to `high` */
    PF_TAKES_WORD,    /* an enum: its values from `low` on stand for the words in `what` */
    PF_TAKES_OTHER    /* what `find` makes of the argument; false for a bad one */
};

struct pf_texts {
    char *const *list;
    unsigned count;
};

struct pf_setting {
    const char *option; /* long name; NULL ends a table */
    enum pf_takes takes;
    size_t field;     /* its offset in the struct */
    const char *what; /* "a, b or c": the message is "--option takes WHAT, not 'ARGUMENT'"; NULL: a
                         number from `low` to `high` */
    int64_t low, high;
    bool (*find)(const char *text, void *field);
};

/* The rows of a table, by what the option takes. */
#define PF_FLAG_SETTING(option, type, field) \
    { \
        option, PF_TAKES_NOTHING, offsetof(type, field), NULL, 0, 0, NULL \
    }
#define PF_TEXT_SETTING(option, type, field) \
    { \
        option, PF_TAKES_TEXT, offsetof(type, field), NULL, 0, 0, NULL \
    }
#define PF_TEXTS_SETTING(option, type, field) \
    { \
        option, PF_TAKES_TEXTS, offsetof(type, field), NULL, 0, 0, NULL \
    }
#define PF_NUMBER_SETTING(option, type, field, what, low, high) \
    { \
        option, PF_TAKES_NUMBER, offsetof(type, field), what, low, high, NULL \
    }
#define PF_WORD_SETTING(option, type, field, what, first) \
    { \
        option, PF_TAKES_WORD, offsetof(type, field), what, first, 0, NULL \
    }
#define PF_OTHER_SETTING(option, type, field, what, find) \
    { \
        option, PF_TAKES_OTHER, offsetof(type, field), what, 0, 0, find \
    }
#define PF_SETTINGS_END \
    { \
        NULL, PF_TAKES_NOTHING, 0, NULL, 0, 0, NULL \
    }

/* Fills the fields of the options that are given. Exits 2 with a message for a bad argument. An
 * option that the program does not have is not given. */
void pf_settings_read(struct pf_tool *, const struct pf_given *, const struct pf_setting *,
                      void *fields);
/* Whether the option is given. */
bool pf_settings_given(const struct pf_given *, const char *option);
/* The first option of a list, NULL-terminated, that is given; NULL: none. */
const char *pf_settings_first(const struct pf_given *, const char *const *options);

#endif

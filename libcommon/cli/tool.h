/* A running program: its name, what the user asked of messages, its exit status. The only part of the library that prints to
 * standard error or exits. */
#ifndef PF_CLI_TOOL_H
#define PF_CLI_TOOL_H

#include "base/error.h"
#include "io/sink.h"

#include <stdbool.h>

/* Exit statuses (CLI.md). The most serious one wins: FAILURE over INPUT over CONDITION. */
enum pf_exit { PF_EXIT_DONE = 0, PF_EXIT_CONDITION = 1, PF_EXIT_USAGE = 2, PF_EXIT_INPUT = 3, PF_EXIT_FAILURE = 4 };

enum pf_when { PF_AUTO, PF_ALWAYS, PF_NEVER };

struct pf_tool {
    const char *name; /* profcat */
    bool quiet, verbose, keep_going, salvage, force, no_trunc;
    enum pf_when color, progress;
    enum pf_exit status;
    bool condition; /* the condition asked for holds */
};

/* First thing in main: default SIGPIPE, locale, name. */
void pf_tool_start(struct pf_tool *, const char *name);

/* Messages to standard error: "profcat: TEXT". Notes appear with -v, warnings unless -q, errors always. */
void pf_tool_note(const struct pf_tool *, const char *format, ...) PF_PRINTF(2, 3);
void pf_tool_warn(const struct pf_tool *, const char *format, ...) PF_PRINTF(2, 3);
void pf_tool_error(const struct pf_tool *, const char *format, ...) PF_PRINTF(2, 3);
/* Prints "profcat: TEXT" and "Try 'profcat --help'.", exits 2. */
_Noreturn void pf_tool_usage(const struct pf_tool *, const char *format, ...) PF_PRINTF(2, 3);
/* Prints "profcat: WHAT: offset N: TEXT" (WHAT may be NULL) and raises the status: 2 for PF_USAGE, 4 for `output` failures and
 * PF_NOMEM, else 3. */
void pf_tool_fail(struct pf_tool *, const char *what, const struct pf_error *, bool output);
void pf_tool_raise(struct pf_tool *, enum pf_exit);

/* --help, --version: prints to standard output and exits 0, or 4 when that cannot be written. */
_Noreturn void pf_tool_print_exit(const struct pf_tool *, const char *const *lines);
_Noreturn void pf_tool_version(const struct pf_tool *);

/* Closes standard output, checks it, and gives the final exit status. */
int pf_tool_finish(struct pf_tool *);

/* Whether standard error is a terminal and progress is wanted; whether `sink` gets colour (NO_COLOR, --color, TERM=dumb);
 * whether the locale is UTF-8; columns and rows of the terminal at standard output (0 = it is none). */
bool pf_tool_shows_progress(const struct pf_tool *);
bool pf_tool_colors(const struct pf_tool *, const struct pf_sink *);
bool pf_tool_utf8(void);
unsigned pf_tool_columns(const struct pf_sink *);
unsigned pf_tool_rows(const struct pf_sink *);

#endif

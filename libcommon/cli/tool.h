/* A running program: its name, the options for messages, its exit status. The only part of the
 * library that prints to standard error or exits. */
#ifndef PF_CLI_TOOL_H
#define PF_CLI_TOOL_H

#include "base/error.h"
#include "io/sink.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Exit statuses. The most serious status wins: FAILURE over INPUT over USAGE over CONDITION. */
enum pf_exit {
    PF_EXIT_DONE = 0,
    PF_EXIT_CONDITION = 1,
    PF_EXIT_USAGE = 2,
    PF_EXIT_INPUT = 3,
    PF_EXIT_FAILURE = 4
};

enum pf_when { PF_AUTO, PF_ALWAYS, PF_NEVER };

struct pf_tool {
    const char *name; /* profcat */
    bool quiet, verbose, keep_going, salvage, force, no_trunc, no_group;
    enum pf_when color, progress;
    enum pf_exit status;
    bool line_shown; /* a progress line is on the terminal */
    bool line_over;  /* output goes to the terminal: no more progress lines */
};

/* Call first in main, once. Opens closed standard descriptors on /dev/null in a mode in which
 * their use fails. Temporary files are removed when the program ends, by exit or by a signal. */
void pf_tool_start(struct pf_tool *, const char *name);

/* Messages to standard error: "profcat: TEXT". Notes appear with -v, warnings unless -q, errors
 * always. */
void pf_tool_note(struct pf_tool *, const char *format, ...) PF_PRINTF(2, 3);
void pf_tool_warn(struct pf_tool *, const char *format, ...) PF_PRINTF(2, 3);
void pf_tool_error(struct pf_tool *, const char *format, ...) PF_PRINTF(2, 3);
/* Sends messages of the library as warnings and notes. */
struct pf_report pf_tool_report(struct pf_tool *);
/* Prints "profcat: TEXT" and "Try 'profcat --help'.", exits 2. */
_Noreturn void pf_tool_usage(struct pf_tool *, const char *format, ...) PF_PRINTF(2, 3);
/* Checks a result that depends on the command line: exits 2 with the error's message, or 4 if
 * out of memory; returns after PF_OK. */
void pf_tool_check(struct pf_tool *, int status, const struct pf_error *);
/* Exits 2 after a message that is already printed (by the generated option parser). */
_Noreturn void pf_tool_usage_printed(struct pf_tool *);
/* Prints "profcat: WHAT: offset N: TEXT" (WHAT may be NULL) and raises the status: 2 for PF_USAGE,
 * 4 for `output` failures and PF_NOMEM, else 3. */
void pf_tool_fail(struct pf_tool *, const char *what, const struct pf_error *, bool output);
/* True if the status is PF_OK; else prints and raises as pf_tool_fail with `output` false. PF_NOMEM
 * ends the program. */
bool pf_tool_good(struct pf_tool *, const char *what, int status, const struct pf_error *);
/* Raises the exit status, unless a more serious status is set. */
void pf_tool_raise(struct pf_tool *, enum pf_exit);
/* As pf_tool_fail, then exits. pf_tool_nomem: the same for "out of memory". */
_Noreturn void pf_tool_die(struct pf_tool *, const char *what, const struct pf_error *,
                           bool output);
_Noreturn void pf_tool_nomem(struct pf_tool *);
/* Exits 4 unless the result is PF_OK: for functions that fail only when memory runs out. */
void pf_tool_check_memory(struct pf_tool *, int status);
/* Zeroed memory for `count` elements of `size` bytes; exits 4 if memory runs out. */
void *pf_tool_calloc(struct pf_tool *, size_t count, size_t size);
/* Call before a refusal that may be the result of a failed input: if a failure was printed and
 * --keep-going is off, exits with its status, so that the first message stays the only one. */
void pf_tool_stop_failed(const struct pf_tool *);
/* Exits with the status raised so far, without a message. */
_Noreturn void pf_tool_quit(const struct pf_tool *);
/* Prints "out of memory" and exits 4, for a call from inside a library, in any thread. */
PF_NORETURN void pf_tool_end_without_memory(void);
/* Returns `memory`; NULL ends the program `name` as pf_tool_nomem does. For the generated option
 * parsers. */
void *pf_tool_checked(const char *name, void *memory);
/* fprintf with the bytes escaped as in messages, except a line feed at the end. For the
 * generated option parsers. */
int pf_tool_print(FILE *, const char *format, ...) PF_PRINTF(2, 3);

/* --help, --version, --formats: prints to standard output and exits 0, or 4 if writing fails. */
_Noreturn void pf_tool_help(struct pf_tool *, const char *usage, const char *purpose,
                            const char *const *lines);
_Noreturn void pf_tool_version(struct pf_tool *);
_Noreturn void pf_tool_sink_exit(struct pf_tool *, struct pf_sink *);
/* Removes the progress line permanently, before output goes to the terminal; for
 * pf_sink_before_terminal. */
void pf_tool_line_over(void *tool);
/* Registers a file to remove if the program ends by exit or by a signal, until
 * pf_tool_temporary_done. Exits 4 if out of memory. */
struct pf_temporary *pf_tool_temporary(struct pf_tool *, const char *path);
void pf_tool_temporary_done(struct pf_temporary *); /* NULL is allowed */

/* The final exit status. */
int pf_tool_finish(struct pf_tool *);

/* Progress of long work: one line on standard error, first after a second, then a few times per
 * second. */
struct pf_progress {
    struct pf_tool *tool;
    int64_t started, shown; /* monotonic milliseconds */
    uint64_t total;         /* bytes of all inputs; 0: unknown */
    bool wanted;
};

void pf_progress_start(struct pf_progress *, struct pf_tool *, uint64_t total);
/* Sets the number of bytes read of all inputs. Cheap: only reads the clock. */
void pf_progress_update(struct pf_progress *, uint64_t done);
void pf_progress_end(struct pf_progress *);

/* True if `sink` gets colour (NO_COLOR, --color, TERM=dumb); true if the locale is UTF-8; columns
 * and rows of the terminal at standard output: 0 without a terminal; COLUMNS and LINES, or 80 and
 * 24, if the terminal does not know its size. */
bool pf_tool_colors(const struct pf_tool *, const struct pf_sink *);
bool pf_tool_utf8(void);
unsigned pf_tool_columns(const struct pf_sink *);
unsigned pf_tool_rows(const struct pf_sink *);

#endif

/* What to type instead of a command line that cannot work as it was meant. */
#ifndef PF_CLI_HINT_H
#define PF_CLI_HINT_H

#include "cli/common.h"

/* Adds to the message about an input that cannot be opened, or whose format is unknown, the command
 * that would work: -r for a directory, -o for an output among the operands, perf script for
 * perf.data, --keep-going where -r met something else. */
void pf_hint_input(const struct pf_common *, const char *name, struct pf_error *);
/* Exits 2: there are more than two operands, and a command that makes one side of each half is
 * shown. `what` begins the message. */
_Noreturn void pf_hint_sides(struct pf_common *, const char *what, char *const *names,
                             size_t count);
/* Warns where no frame of the profile has a name, or, for `list` (NULL: not asked for), a line,
 * and says how to get them. `format` is the format of the profile, "" where there are several. */
void pf_hint_names(struct pf_common *, const struct pf_dict *, const char *format,
                   const char *list);

#endif

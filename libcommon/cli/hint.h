/* Suggests a command in place of a command line that cannot work. */
#ifndef PF_CLI_HINT_H
#define PF_CLI_HINT_H

#include "cli/common.h"

/* Extends the message about an input that cannot be opened, or has an unknown format, by a
 * command that works: -r for a directory, -o for an output among the operands, perf script for
 * perf.data, --keep-going if -r found a file that is not a profile. */
void pf_hint_input(const struct pf_common *, const char *name, struct pf_error *);
/* For more than two operands: shows a command in which each half of the operands is a side, and
 * exits 2. `what` begins the message. */
_Noreturn void pf_hint_sides(struct pf_common *, const char *what, char *const *names,
                             size_t count);
/* Warns if no frame of the profile has a name or, for `list` (NULL: not requested), a line, and
 * says how to get them. `format` is the format of the profile, "" for several formats. */
void pf_hint_names(struct pf_common *, const struct pf_dict *, const char *format,
                   const char *list);
/* For a table of lines without records of lines: warns if the format has the hits of lines, which
 * readers give on request. `stream`: the records come from a stream, which was made without the
 * hits. */
void pf_hint_lines(struct pf_common *, struct pf_bytes format, bool stream);

#endif

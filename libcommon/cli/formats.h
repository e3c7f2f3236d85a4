/* The list of formats for people: --formats, and in messages. */
#ifndef PF_CLI_FORMATS_H
#define PF_CLI_FORMATS_H

#include "cli/tool.h"

#include <stddef.h>

/* "pfs, statprofiler, ..." of those that are written (or read), cut when `names` is too small. */
void pf_formats_names(char *names, size_t size, bool writing);

/* --formats: one line a format; -v adds options and what is lost; -q prints names only. */
_Noreturn void pf_formats_exit(struct pf_tool *);

#endif

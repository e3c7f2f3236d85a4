/* Standard output that is a regular file, as in `profmerge *.gz > m.pb.gz`: the shell's name does
 * not choose a format, as the name of -o does. */
#ifndef PF_CLI_REDIRECT_H
#define PF_CLI_REDIRECT_H

#include "cli/common.h"

/* Call before a program writes `table` or else a native stream to standard output, because neither
 * -t nor -o chose another format. Exits 2 if standard output is a file with the suffix of another
 * format. Warns once, before a native stream only, if the suffix names no format. Does nothing with
 * -t, -o FILE or -q, and for files that have no name. */
void pf_redirect_check(struct pf_common *, bool table);

#endif

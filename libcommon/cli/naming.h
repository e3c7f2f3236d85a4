/* --binary, --symbols and --no-inlines: names for addresses that the profile does not name. */
#ifndef PF_CLI_NAMING_H
#define PF_CLI_NAMING_H

#include "analysis/names/naming.h"
#include "cli/common.h"

/* Reads the options and opens the files. *naming is NULL if nothing is to be named; free it with
 * pf_naming_free. `paths` keeps names of files and is freed after it. False after a failure,
 * printed and raised. */
bool pf_naming_read(struct pf_naming **naming, struct pf_arena *paths, struct pf_common *);
/* Prints what the files did not name. */
void pf_naming_tell(struct pf_naming *, struct pf_dict *, struct pf_tool *);

#endif

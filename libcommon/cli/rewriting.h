/* The options of proffilter that edit frames: --show, --hide, --granularity, --rename and the like.
 */
#ifndef PF_CLI_REWRITING_H
#define PF_CLI_REWRITING_H

#include "analysis/filter/rewrite.h"
#include "cli/common.h"

/* The edits that the options ask for; free with pf_rewrite_free. `flags`: enum pf_pattern_flag of
 * all expressions. Exits 2 for a bad argument. Never NULL. */
struct pf_rewrite *pf_rewriting_read(struct pf_common *, struct pf_dict *, unsigned flags);

#endif

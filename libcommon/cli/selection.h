/* The selections of the command line (tools/selection.part): --section, --label, --focus and so on,
 * as stages of a pipeline. All programs that have these options select alike. */
#ifndef PF_CLI_SELECTION_H
#define PF_CLI_SELECTION_H

#include "analysis/filter/select.h"
#include "analysis/merge/spill.h"
#include "cli/common.h"
#include "codec/stage.h"

#include <stdbool.h>

/* The inputs whose amounts one row of metadata about removed records tells. */
enum pf_removed_of { PF_REMOVED_OF_EACH, PF_REMOVED_OF_ALL };

struct pf_selection {
    struct pf_stage choose, total, tell; /* tell: gives the metadata about the removed records */
    struct pf_tool *tool;
    struct pf_dict *dict;
    struct pf_select *select;
    struct pf_removed removed; /* sums of the removed records; later stages may add to them */
    enum pf_removed_of removed_of;
    unsigned flags;     /* enum pf_pattern_flag of all expressions */
    bool timed;         /* an expression needs the times of records */
    bool inverted;      /* --invert */
    bool seen;          /* at least one record was read */
    const char *format; /* format of all inputs so far; NULL: unknown, or several */

    struct pf_spill *spill; /* all batches, while the total is computed; NULL: none */
    enum { PF_TOTAL_READS, PF_TOTAL_GIVES, PF_TOTAL_BROKEN } totals; /* what `spill` does */
    bool told;           /* the metadata of the input that ends, or of all inputs, were given */
    struct pf_event end; /* the end of this input */
};

/* Reads the options of tools/selection.part into a zeroed struct. Exits 2 for a bad expression.
 * `dict` is the dictionary of all batches; `dict` and `common` must outlive the selection. Free
 * with pf_selection_free. */
void pf_selection_read(struct pf_selection *, struct pf_common *, struct pf_dict *);
/* Adds the selections that only proffilter has: --leaf, --root, --kind, --min-value, --invert. */
void pf_selection_read_more(struct pf_selection *, struct pf_common *);
void pf_selection_free(struct pf_selection *);

/* True if the command line has a selection of tools/selection.part. */
bool pf_selection_given(const struct pf_given *);

/* Adds the stage that gives only the selected records. If an expression needs the total, the stage
 * reads all inputs before it gives the first batch; they wait in a temporary file, and the ends of
 * inputs are not given. Returns the last stage. */
struct pf_stage *pf_selection_choose(struct pf_selection *, struct pf_stage *from);
/* Adds the stage that gives metadata about the removed records (analysis/sum/removed.h): before the
 * end of each input, or after the last input. Returns the stage. */
struct pf_stage *pf_selection_tell(struct pf_selection *, struct pf_stage *from);

/* Messages about expressions that matched nothing: to standard error, unless -q is given. */
struct pf_report pf_selection_messages(struct pf_selection *);
/* Prints, unless -q is given, which expressions matched nothing in all inputs. */
void pf_selection_report(struct pf_selection *);

#endif

/* The record selections of the command line (tools/selection.part): --section, --label, --focus
 * and so on. A program passes them to its inputs (pf_inputs_select), which then return only the
 * selected records, as if proffilter had read each input first. */
#ifndef PF_CLI_SELECTION_H
#define PF_CLI_SELECTION_H

#include "analysis/filter/select.h"
#include "cli/common.h"

#include <stdbool.h>

struct pf_selection {
    struct pf_tool *tool;
    struct pf_dict *dict;
    struct pf_select *select;  /* a program may add expressions */
    struct pf_removed removed; /* sums of the removed records */
    unsigned flags;            /* enum pf_pattern_flag of all expressions */
    bool apart;                /* removed records are summed for each input separately */
    bool timed;                /* an expression needs the times of records */
    bool inverted;             /* --invert */
    bool seen;                 /* at least one record was read */
    const char *format;        /* format of all inputs so far; NULL: unknown, or several */
};

/* Reads the options of tools/selection.part into a zeroed struct. Exits 2 for a bad expression.
 * `dict` is the dictionary of all batches; `dict` and `common` must outlive the selection. Free
 * with pf_selection_free. */
void pf_selection_read(struct pf_selection *, struct pf_common *, struct pf_dict *);
/* Adds the selections that only proffilter has: --leaf, --root, --kind, --min-value, --invert. */
void pf_selection_read_more(struct pf_selection *, struct pf_common *);
void pf_selection_free(struct pf_selection *);

/* Remembers the format in a batch of metadata of input `number`. */
void pf_selection_note(struct pf_selection *, unsigned number, const struct pf_batch *);
/* *to: the selected records of *from, valid until the next call. Metadata are unchanged. PF_OK,
 * PF_NOMEM, or the result of pf_select_batch. */
int pf_selection_batch(struct pf_selection *, const struct pf_batch *from, struct pf_batch *to,
                       struct pf_error *);
/* The metadata (analysis/sum/removed.h) of the records removed since the last call; no rows if
 * none were. Valid until the next call. PF_OK or PF_NOMEM. */
int pf_selection_removed(struct pf_selection *, struct pf_batch *);
/* Reports expressions that matched nothing: to standard error, unless -q is given. */
struct pf_report pf_selection_messages(struct pf_selection *);
/* Prints, unless -q is given, which expressions matched nothing in all inputs. */
void pf_selection_report(struct pf_selection *);

#endif

/* The record selections of the command line (tools/selection.part): --section, --label, --focus and
 * the like. A program hands them to its inputs (pf_inputs_select), which then give the chosen
 * records only, as if a proffilter stood in front of each input. */
#ifndef PF_CLI_SELECTION_H
#define PF_CLI_SELECTION_H

#include "analysis/filter/select.h"
#include "cli/common.h"

#include <stdbool.h>

struct pf_selection {
    struct pf_tool *tool;
    struct pf_dict *dict;
    struct pf_select *select;  /* a program may add expressions of its own */
    struct pf_removed removed; /* counts what is not chosen */
    unsigned flags;            /* enum pf_pattern_flag of all expressions */
    bool apart;                /* what is not chosen is counted for each input apart */
    bool timed;                /* records must carry their times */
    bool inverted;             /* --invert */
    bool seen;                 /* there was a record */
    const char *format;        /* of all inputs so far; NULL: unknown, or several */
};

/* Fills a struct that is all zero from the options of tools/selection.part. Exits 2 for a bad
 * expression. `dict` is the dictionary of all batches; it and `common` outlive the selection. Free
 * with pf_selection_free. */
void pf_selection_read(struct pf_selection *, struct pf_common *, struct pf_dict *);
/* Adds the selections that only proffilter has: --leaf, --root, --kind, --min-value, --invert. */
void pf_selection_read_more(struct pf_selection *, struct pf_common *);
void pf_selection_free(struct pf_selection *);

/* Remembers the format that a batch of metadata of input `number` names. */
void pf_selection_note(struct pf_selection *, unsigned number, const struct pf_batch *);
/* *to: the chosen records of *from, valid until the next call. Metadata pass unchanged. PF_OK,
 * PF_NOMEM, or what pf_select_batch gives. */
int pf_selection_batch(struct pf_selection *, const struct pf_batch *from, struct pf_batch *to,
                       struct pf_error *);
/* The metadata (analysis/sum/removed.h) of what was not chosen since the last call; no rows:
 * nothing. Valid until the next call. PF_OK or PF_NOMEM. */
int pf_selection_removed(struct pf_selection *, struct pf_batch *);
/* Where an expression that matched nothing is reported: standard error, unless -q is given. */
struct pf_report pf_selection_messages(struct pf_selection *);
/* Prints, unless -q is given, which expressions matched nothing in all inputs. */
void pf_selection_report(struct pf_selection *);

#endif

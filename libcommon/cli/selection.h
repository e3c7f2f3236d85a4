/* The record selections of the command line (tools/selection.part): --section, --label, --focus and
 * the like. A program hands them to its inputs (pf_inputs_select), which then give the chosen
 * records only, as if a proffilter stood in front of each input. */
#ifndef PF_CLI_SELECTION_H
#define PF_CLI_SELECTION_H

#include "analysis/filter/select.h"
#include "cli/common.h"

#include <stdbool.h>

/* What the generated parsers hold for tools/selection.part, in every program alike. */
struct pf_selection_args {
    char *const *section, *const *label, *const *ignore_label, *const *focus, *const *ignore,
        *const *time;
    unsigned section_given, label_given, ignore_label_given, focus_given, ignore_given, time_given,
        no_section_given, ignore_case_given, fixed_strings_given;
};

#define PF_SELECTION_ARGS(a)                                                                       \
    {                                                                                              \
        .section = (a).section_arg, .section_given = (a).section_given, .label = (a).label_arg,    \
        .label_given = (a).label_given, .ignore_label = (a).ignore_label_arg,                      \
        .ignore_label_given = (a).ignore_label_given, .focus = (a).focus_arg,                      \
        .focus_given = (a).focus_given, .ignore = (a).ignore_arg,                                  \
        .ignore_given = (a).ignore_given, .time = (a).time_arg, .time_given = (a).time_given,      \
        .no_section_given = (a).no_section_given, .ignore_case_given = (a).ignore_case_given,      \
        .fixed_strings_given = (a).fixed_strings_given,                                            \
    }

struct pf_selection {
    struct pf_tool *tool;
    struct pf_dict *dict;
    struct pf_select *select;  /* a program may add expressions of its own */
    struct pf_removed removed; /* counts what is not chosen */
    unsigned flags;            /* enum pf_pattern_flag of all expressions */
    bool apart;                /* what is not chosen is counted for each input apart */
    bool timed;                /* records must carry their times */
    bool seen;                 /* there was a record */
    const char *format;        /* of all inputs so far; NULL: unknown, or several */
};

/* Fills a struct that is all zero. Exits 2 for a bad expression. `dict` is the dictionary of all
 * batches; it and the arguments outlive the selection. Free with pf_selection_free. */
void pf_selection_read(struct pf_selection *, struct pf_tool *, struct pf_dict *,
                       const struct pf_selection_args *);
void pf_selection_free(struct pf_selection *);

/* Remembers the format that a batch of metadata of input `number` names. */
void pf_selection_note(struct pf_selection *, unsigned number, const struct pf_batch *);
/* *to: the chosen records of *from, valid until the next call. Metadata pass unchanged. PF_OK,
 * PF_NOMEM, or what pf_select_batch gives. */
int pf_selection_batch(struct pf_selection *, const struct pf_batch *from, struct pf_batch *to,
                       struct pf_error *);
/* The metadata (analysis/sum/removed.h) of what was not chosen since the last call; no rows: nothing.
 * Valid until the next call. PF_OK or PF_NOMEM. */
int pf_selection_removed(struct pf_selection *, struct pf_batch *);
/* Where an expression that matched nothing is reported: standard error, unless -q is given. */
struct pf_report pf_selection_messages(struct pf_selection *);
/* Prints, unless -q is given, which expressions matched nothing in all inputs. */
void pf_selection_report(struct pf_selection *);

#endif

/* The tables and trees of a profile, for people and for notebooks. */
#ifndef PF_RENDER_TABLE_TOP_H
#define PF_RENDER_TABLE_TOP_H

#include "analysis/filter/pattern.h"
#include "analysis/names/sources.h"
#include "analysis/sum/accumulate.h"
#include "analysis/sum/facts.h"
#include "analysis/sum/rank.h"
#include "analysis/sum/subject.h"
#include "render/table/look.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Parses the argument of -t: the NAME of a form, or json:flame. PF_OK, or PF_USAGE with a list
 * of the names. */
int pf_top_form_parse(const char *text, enum pf_sheet_form *, bool *flame, struct pf_error *);

/* One block of output: one measure. */
struct pf_top_block {
    struct pf_subject subject;
    pf_int128 whole; /* the amount of 100 %, with the amounts that filters removed */
    bool named;      /* the user named the measure */
};

enum pf_top_shape {
    PF_TOP_TABLE,
    PF_TOP_CALLS, /* pairs of caller and callee; with `callers` or `callees` only those of matching
                     functions */
    PF_TOP_TREE,
    PF_TOP_FLAME, /* the tree as nested JSON for d3-flame-graph, first block alone */
    PF_TOP_LIST   /* text: source lines; other forms: the table, by line */
};

/* The request and the data; everything except the blocks is borrowed. */
struct pf_top {
    struct pf_look look;
    const struct pf_accumulator *accumulator;
    const struct pf_facts *facts;
    const struct pf_notes *sources;
    const char *tool;            /* for `meta` */
    const char *const *operands; /* used if the profile does not name its inputs; NULL-terminated */
    bool incomplete;             /* an input failed */

    enum pf_top_shape view;
    enum pf_sheet_form form;
    enum pf_sort sort;
    size_t limit; /* rows; 0: all */
    double min_percent;
    struct pf_pattern *callers, *callees, *list; /* requested functions, or NULL */

    struct pf_top_block *blocks; /* from pf_top_choose; the caller frees them */
    size_t block_count;
};

/* Measures for the blocks. */
struct pf_top_choice {
    const char *const *names; /* NAME or KIND:NAME, a block for each; empty: the main measure */
    unsigned name_count;
    enum pf_kind kind; /* PF_RECORD_KINDS: the best kind for the view */
    enum pf_unit unit;
};
/* Makes the blocks. PF_OK, also without blocks if there are no sums; PF_USAGE if the profile
 * lacks a requested measure or kind; PF_NOMEM; or the result of pf_top_block. */
int pf_top_choose(struct pf_top *, const struct pf_top_choice *, struct pf_error *);
/* Reduces the limit, which is the height of the terminal, by the additional lines above and
 * below the table that only some profiles have. */
void pf_top_fit_height(struct pf_top *);
/* Writes all blocks in the form of top->view. *matched is false if patterns are set and no function
 * matches. PF_OK, PF_NOMEM, PF_OVERFLOW, or the failure of the analysis; the sink keeps failed
 * writes. */
int pf_top_write(const struct pf_top *, bool *matched, struct pf_error *error);

/* Fills a block for a measure in a unit. PF_OK, PF_OVERFLOW, or the result of pf_subject_choose. */
int pf_top_block(const struct pf_top *, uint32_t measure, enum pf_unit, struct pf_top_block *,
                 struct pf_error *);

#endif

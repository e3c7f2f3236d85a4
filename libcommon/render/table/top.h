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

/* What -t names: NAME of a form, or json:flame. PF_OK, or PF_USAGE with the names there are. */
int pf_top_form_parse(const char *text, enum pf_sheet_form *, bool *flame, struct pf_error *);

/* One block of output: one measure. */
struct pf_top_block {
    struct pf_subject subject;
    pf_int128 whole; /* amount that is 100 %: with what filters removed */
    bool named;      /* the measure was asked for by its name */
};

enum pf_top_shape { PF_TOP_TABLE, PF_TOP_CALLS, PF_TOP_TREE, PF_TOP_FLAME, PF_TOP_LIST };

/* What is asked for and what is known; everything but the blocks is borrowed. */
struct pf_top {
    struct pf_look look;
    const struct pf_accumulator *accumulator;
    const struct pf_facts *facts;
    const struct pf_sources *sources;
    const char *tool;            /* for `meta` */
    const char *const *operands; /* where the profile does not name its inputs; NULL-terminated */
    bool incomplete;             /* an input failed */

    enum pf_top_shape view;
    enum pf_sheet_form form;
    enum pf_sort sort;
    size_t limit; /* rows; 0: all */
    double min_percent;
    struct pf_pattern *callers, *callees, *list; /* functions asked for, or NULL */

    struct pf_top_block *blocks; /* from pf_top_choose; the caller frees them */
    size_t block_count;
};

/* Measures for the blocks. */
struct pf_top_choice {
    const char *const *names; /* NAME or KIND:NAME, a block for each; none: the main measure */
    unsigned name_count;
    enum pf_kind kind; /* PF_RECORD_KINDS: what suits the view */
    enum pf_unit unit;
};
/* Makes the blocks. PF_OK, also without blocks where there are no sums; PF_USAGE where the profile
 * does not have what is asked for; PF_NOMEM; or as pf_top_block. */
int pf_top_choose(struct pf_top *, const struct pf_top_choice *, struct pf_error *);
/* Lowers the limit, which is the height of the terminal, by the lines above and below the table
 * that most profiles do not have. */
void pf_top_fit_height(struct pf_top *);
/* Writes the view: one of the functions below. *matched is true where none of them sets it. */
int pf_top_write(const struct pf_top *, bool *matched, struct pf_error *);

/* What remains of 100 %: fills a block for a measure in a unit. PF_OK, PF_OVERFLOW, or as
 * pf_subject_choose. */
int pf_top_block(const struct pf_top *, uint32_t measure, enum pf_unit, struct pf_top_block *,
                 struct pf_error *);

/* Each writes all blocks. PF_OK, PF_NOMEM, PF_OVERFLOW, or as what they are made of says; failed
 * writes stay with the sink. *matched (where given) is false when no function matched. */
int pf_top_table(const struct pf_top *, bool *matched, struct pf_error *);
/* pairs; with callers or callees only of those that match */
int pf_top_calls(const struct pf_top *, bool *matched, struct pf_error *);
int pf_top_tree(const struct pf_top *, struct pf_error *);
/* nested JSON for d3-flame-graph, first block alone */
int pf_top_flame(const struct pf_top *, struct pf_error *);
/* text: source lines; other forms: the table, by line */
int pf_top_list(const struct pf_top *, bool *matched, struct pf_error *);

#endif

/* The stage that adds to records while they are read: labels (--set-label, --label-source), which
 * replace the record's own labels of the same key; the label of a group (--replicates), unless the
 * record has one; and names of addresses without a name (--binary, --symbols-from, --symbols,
 * --no-inlines). --label-meta, --since and --until: see analysis/filter/staging.h. */
#ifndef PF_CLI_ANNOTATION_H
#define PF_CLI_ANNOTATION_H

#include "analysis/filter/staging.h"
#include "analysis/names/naming.h"
#include "cli/common.h"
#include "codec/stage.h"
#include "model/dict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialise, then set `dict`: no record changes. Free with pf_annotation_free. */
struct pf_annotation {
    struct pf_stage stage;
    struct pf_dict *dict;
    struct pf_set_label {
        uint32_t key, value;
    } * set;
    size_t set_count;
    uint32_t source_key; /* string; 0: no --label-source */
    /* --replicates: the label for records that have no label of this key; key 0: none */
    uint32_t replicate_key, replicate;
    unsigned first;       /* number of the first input of the series that is in the group */
    unsigned groups;      /* K of --replicates; 0: not given */
    bool by_name;         /* --replicates-by=name */
    const char *source;   /* name of the input, borrowed */
    uint32_t *relabelled; /* label set -> set with our labels + 1; 0: not made yet */
    size_t relabelled_capacity, relabelled_count;
    uint32_t column[PF_BATCH_ROWS];

    struct pf_naming *naming; /* NULL: no names are added */
    struct pf_staging staging;
    struct pf_arena texts; /* names of files that `naming` borrows, keys that `staging` borrows */
};

/* Reads the options of labels. Exits 2 for a bad argument. */
void pf_annotation_read_labels(struct pf_annotation *, struct pf_common *);
/* Reads the options of metadata. Exits 2 for a bad argument. */
void pf_annotation_read_metadata(struct pf_annotation *, struct pf_common *);
/* Reads the options of names and opens the files. False after a failure, printed and raised. */
bool pf_annotation_read_names(struct pf_annotation *, struct pf_common *);
void pf_annotation_free(struct pf_annotation *);

/* True if an option for labels, names or metadata is given. */
bool pf_annotation_active(const struct pf_annotation *);
/* Adds the stage. It fails with PF_NOMEM, or with PF_IO if files for the names cannot be read.
 * Returns the stage. */
struct pf_stage *pf_annotation_add(struct pf_annotation *, struct pf_stage *from);
/* Prints which addresses the files did not name. */
void pf_annotation_report(const struct pf_annotation *, struct pf_tool *);

#endif

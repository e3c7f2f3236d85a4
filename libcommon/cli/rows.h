/* The options of tables that proftop and profdiff share: which rows, how many, in what unit. */
#ifndef PF_CLI_ROWS_H
#define PF_CLI_ROWS_H

#include "analysis/names/key.h"
#include "analysis/sum/units.h"
#include "cli/common.h"
#include "model/measure.h"

#include <stdbool.h>
#include <stdint.h>

struct pf_row_settings {
    int64_t limit; /* -1: not given */
    double min_percent;
    const char *by;    /* NULL: not given */
    enum pf_kind kind; /* PF_RECORD_KINDS: not given */
    enum pf_unit unit;
    bool cum;
};

/* Reads the options. Exits 2 with a message for a bad argument. */
void pf_row_settings_read(struct pf_row_settings *, struct pf_common *);
/* --by, with the key of a label in `label`; without --by a function. Exits 2 for another word. */
enum pf_by pf_row_settings_by(const struct pf_row_settings *, struct pf_common *, struct pf_dict *,
                              uint32_t *label);
/* --limit, else for text as many rows as the terminal has lines behind `others`, and 20 without a
 * terminal; for other forms all. */
size_t pf_row_settings_limit(const struct pf_row_settings *, const struct pf_sink *, bool text,
                             unsigned others);

#endif

/* Edits locations: reduces their granularity, and edits the names of functions, files, images and
 * labels. */
#ifndef PF_ANALYSIS_FILTER_PLACES_H
#define PF_ANALYSIS_FILTER_PLACES_H

#include "analysis/filter/substitute.h"
#include "analysis/names/id_map.h"
#include "model/dict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pf_granularity {
    PF_GRANULARITY_FULL,
    PF_GRANULARITY_FUNCTION, /* from here in the order of the words of --granularity */
    PF_GRANULARITY_FILE,
    PF_GRANULARITY_LINE,
    PF_GRANULARITY_IMAGE
};

enum pf_rename_target { PF_RENAME_FUNCTION, PF_RENAME_FILE, PF_RENAME_IMAGE, PF_RENAME_LABEL };

/* Zero-initialise, set dict and granularity; free with pf_places_free. */
struct pf_places {
    struct pf_dict *dict;
    enum pf_granularity granularity;
    struct pf_trim {
        struct pf_bytes path; /* without slashes at its end; borrowed */
        bool matched;
    } * trims;
    struct pf_rename {
        enum pf_rename_target target;
        struct pf_bytes key; /* PF_RENAME_LABEL: the label's key; borrowed */
        const char *text;    /* as given; borrowed */
        struct pf_substitution substitution;
        bool matched;
    } * renames;
    size_t trim_count, trim_capacity, rename_count, rename_capacity;
    unsigned targets; /* the targets that have a rename: bits 1 << enum pf_rename_target */

    struct pf_id_map coarse, named, functions, images;
    struct pf_buffer text, other, shown; /* scratch: names being edited */
    int status;                          /* PF_OK, or PF_NOMEM after a failure, when ids are 0 */
};

void pf_places_free(struct pf_places *);
/* Adds a directory that pf_places_file removes from the beginning of names; `path` must outlive the
 * places. PF_OK, PF_USAGE with the reason, PF_NOMEM. */
int pf_places_trim(struct pf_places *, const char *path, struct pf_error *);
/* Adds a rename: [function|file|image|label:KEY:]s/RE/TEXT/FLAGS, where function: is the default;
 * `text` must outlive the places. `flags`: enum pf_pattern_flag. PF_OK, PF_USAGE with the reason,
 * PF_NOMEM. */
int pf_places_rename(struct pf_places *, const char *text, unsigned flags, struct pf_error *);
/* True if no edit was asked for. */
bool pf_places_change_nothing(const struct pf_places *);

/* The location at the requested granularity; the location with edited names. A failure sets
 * places->status. */
uint32_t pf_places_coarse(struct pf_places *, uint32_t location);
uint32_t pf_places_named(struct pf_places *, uint32_t location);
/* The edited name of a file, of a function, of a label's value; all are string ids. A failure sets
 * places->status. */
uint32_t pf_places_file(struct pf_places *, uint32_t file);
uint32_t pf_places_function(struct pf_places *, uint32_t name);
uint32_t pf_places_label(struct pf_places *, uint32_t key, uint32_t value);

/* Warns of directories and renames that matched nothing. */
void pf_places_report(const struct pf_places *, const struct pf_report *);

#endif

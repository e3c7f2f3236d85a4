/* Keys of table rows (--by): functions, lines, files ... as dense numbers from 1. */
#ifndef PF_ANALYSIS_NAMES_KEY_H
#define PF_ANALYSIS_NAMES_KEY_H

#include "analysis/names/evals.h"
#include "analysis/names/forms.h"
#include "base/memory.h"
#include "model/dict.h"

#include <stdbool.h>
#include <stdint.h>

enum pf_by {
    /* by name, file, image, and for a function without a name of its own the first line: `main` in
     * two files is two functions */
    PF_BY_FUNCTION,
    PF_BY_NAME,
    PF_BY_FILE,
    PF_BY_LINE, /* by function and executed line */
    PF_BY_ADDRESS,
    PF_BY_IMAGE,
    PF_BY_PACKAGE, /* by the package (analysis/names/package.h); else "" */
    PF_BY_LABEL    /* by the value of a label; sections have the label key `section` */
};

/* Parses the argument of --by: function, name, file, line, address, image, package, section or
 * label:KEY. *label is the interned KEY, else 0. False if the argument is unknown. */
bool pf_by_find(const char *name, struct pf_dict *, enum pf_by *, uint32_t *label);

enum {
    PF_KEY_PRESENT = 1,
    PF_KEY_AT_ZERO = 2 /* the address is 0 and valid (pf_dict_has_address) */
};

/* The fields of a key; unused fields are 0. For labels `name` is the value or, if numeric is 1, the
 * unit of the number in `line`. */
struct pf_key {
    uint32_t name, file, image; /* strings */
    /* present: PF_KEY_PRESENT or PF_KEY_AT_ZERO, so that no key is all 0 */
    uint16_t present, numeric;
    int64_t line;
    uint64_t address; /* PF_BY_ADDRESS, and functions without a name */
    /* first line of a function without a name of its own (analysis/names/anonymous.h) */
    int64_t first;
};

struct pf_keys {
    struct pf_dict *dict;
    enum pf_by by;
    uint32_t label;        /* PF_BY_LABEL: the label's key, a string */
    struct pf_table table; /* struct pf_key; row 0 is unused */
    /* by key: the smallest positive start line, for PF_BY_ADDRESS the smallest executed line; 0:
     * not known */
    int64_t *lines;
    size_t line_capacity, line_count;
    unsigned char *inlined; /* by key: PF_KEY_INLINED and PF_KEY_CALLED */
    size_t inlined_capacity, inlined_count;
    uint32_t *places; /* by location: its key (pf_keys_places) */
    size_t place_count, place_capacity, places_done;
    /* the key of the last location, with the names as in the profile, and the row of this key:
     * neighbouring locations often have equal keys */
    struct pf_key last;
    uint32_t last_id;
    int64_t *first_lines; /* by function: pf_anonymous_line */
    size_t first_line_count, first_line_capacity;
    struct pf_forms images; /* joins images that are mapped at several addresses */
    uint32_t images_known;  /* images below this id have been entered */
    bool moved;             /* an image is mapped at several addresses */
    /* set by the owner if more images may come: locations then move to the first form of their
     * image, which is final, and not to the least form */
    bool open;
    /* set by the owner: final names of evals; NULL: names stay */
    const struct pf_evals *evals;
    int status;
};

/* `label`: the label's key, a string, for PF_BY_LABEL only. PF_OK or PF_NOMEM; free in any case. */
int pf_keys_init(struct pf_keys *, struct pf_dict *, enum pf_by, uint32_t label);
void pf_keys_free(struct pf_keys *);

/* Finds the keys of all locations of the dictionary, in `places`; location 0 has key 0. Addresses
 * of an image that is mapped several times count in one of its mappings. A further call only looks
 * at new locations. Not for PF_BY_LABEL. PF_OK or PF_NOMEM. */
int pf_keys_places(struct pf_keys *);
/* The key of a label's value; after a failure keys->status is PF_NOMEM. */
uint32_t pf_keys_value(struct pf_keys *, const struct pf_label *);

/* The fields of a key. */
static inline const struct pf_key *pf_keys_row(const struct pf_keys *keys, uint32_t key)
{
    return (const struct pf_key *)pf_table_row(&keys->table, key);
}
/* True if two keys are equal, or are lines or addresses of one function. */
bool pf_keys_same_function(const struct pf_keys *, uint32_t a, uint32_t b);
/* The fields of a key without line and address: those of its function. */
struct pf_key pf_keys_function(const struct pf_keys *, uint32_t key);
/* True if the key has an address; 0 may be a valid address. */
bool pf_keys_has_address(const struct pf_keys *, uint32_t key);
/* The line that a table shows for a key: the executed line, else the smallest start line; 0: not
 * known. */
int64_t pf_keys_line(const struct pf_keys *, uint32_t key);

/* PF_KEY_INLINED if a location of the key is inlined, with PF_KEY_CALLED if another location is
 * not. 0 if no location is inlined, and for keys that are not functions. */
enum { PF_KEY_INLINED = 1, PF_KEY_CALLED = 2 };
unsigned pf_keys_inlined(const struct pf_keys *, uint32_t key);

/* The name of a key: a function, a file, a value ...; 0x... for an address without a name,
 * `[unknown]` if nothing is known, "" for other keys without a name. The text is in the dictionary
 * or in `scratch`. *flags (may be NULL) receives the string's flags. */
struct pf_bytes pf_keys_name(const struct pf_keys *, uint32_t key, struct pf_buffer *scratch,
                             unsigned *flags);

/* Order of rows with equal amounts: name, file and image as bytes, then first line, line and
 * address. */
int pf_keys_compare(const struct pf_keys *, uint32_t a, uint32_t b);

#endif

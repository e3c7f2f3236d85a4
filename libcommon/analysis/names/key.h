/* Keys of table rows (--by): functions, lines, files ... as dense numbers. */
#ifndef PF_ANALYSIS_NAMES_KEY_H
#define PF_ANALYSIS_NAMES_KEY_H

#include "analysis/names/evals.h"
#include "analysis/names/image_forms.h"
#include "base/memory.h"
#include "model/dict.h"

#include <stdbool.h>
#include <stdint.h>

enum pf_by {
    /* name, file, image and, without a name of its own, first line: `main` in two files is two
     * functions */
    PF_BY_FUNCTION,
    PF_BY_NAME,
    PF_BY_FILE,
    PF_BY_LINE, /* function and executed line */
    PF_BY_ADDRESS,
    PF_BY_IMAGE,
    PF_BY_PACKAGE, /* what stands before the last `::` of the name (Perl, C++, Rust), the first dot
                    * behind the last slash (Go), or the last dot (Java, Python) that is none of a
                    * compiler's (f.part.0); "" else */
    PF_BY_LABEL    /* sections too: their key is `section` */
};

/* Parses the argument of --by: function, name, file, line, address, image, package, section or
 * label:KEY, whose key is interned (else *label is 0). False if unknown. */
bool pf_by_find(const char *name, struct pf_dict *, enum pf_by *, uint32_t *label);

enum {
    PF_KEY_PRESENT = 1,
    PF_KEY_AT_ZERO = 2 /* its address is 0 and valid, pf_dict_has_address */
};

/* The package in a function's name, for PF_BY_PACKAGE. */
struct pf_bytes pf_package_name(struct pf_bytes name);

/* Unused fields are 0. Rows of labels: `name` is the value or, with numeric 1, the unit of the
 * number in `line`. */
struct pf_key {
    uint32_t name, file, image; /* strings */
    uint16_t present, numeric;  /* present: never 0, so that a key of nothing but 0 is a row too */
    int64_t line;
    uint64_t address; /* PF_BY_ADDRESS, and functions without a name */
    /* first line of a function without a name of its own (analysis/names/anonymous.h) */
    int64_t first;
};

struct pf_keys {
    struct pf_dict *dict;
    enum pf_by by;
    uint32_t label;        /* string: the key of the label */
    struct pf_table table; /* struct pf_key, numbered from 1 */
    /* the smallest positive line: start lines, for PF_BY_ADDRESS executed lines; 0 = none */
    int64_t *lines;
    size_t line_capacity, line_count;
    unsigned char *inlined; /* by key: PF_KEY_INLINED and PF_KEY_CALLED */
    size_t inlined_capacity, inlined_count;
    uint32_t *places; /* key of each location; pf_keys_places */
    size_t place_count, place_capacity, places_done;
    int64_t *first_lines; /* by function: analysis/names/anonymous.h */
    size_t first_line_count, first_line_capacity;
    struct pf_forms images; /* images mapped at several addresses are one image */
    uint32_t images_known;  /* ids below it are entered */
    bool moved;             /* one is */
    /* set by the owner: more images may come, so they count in the first form, which stays, not in
     * the least */
    bool open;
    /* set by the owner, what they are called; NULL: as they are */
    const struct pf_merge_evals *evals;
    int status;
};

/* `label` (a string of the dictionary) is for PF_BY_LABEL only. PF_OK or PF_NOMEM; free in any
 * case. */
int pf_keys_init(struct pf_keys *, struct pf_dict *, enum pf_by, uint32_t label);
void pf_keys_free(struct pf_keys *);

/* Fills `places` for all locations there are, an address of an image mapped at several places as
 * that of one of them, after which the number of keys is final until there are more; the key of
 * location 0 is 0. Not for PF_BY_LABEL. PF_OK or PF_NOMEM; a further call looks at new locations
 * only. */
int pf_keys_places(struct pf_keys *);
/* The row of a label's value; after a failure the keys' status is PF_NOMEM. */
uint32_t pf_keys_value(struct pf_keys *, const struct pf_label *);

static inline const struct pf_key *pf_keys_row(const struct pf_keys *keys, uint32_t key)
{
    return (const struct pf_key *)pf_table_row(&keys->table, key);
}
/* Whether two rows are equal, or lines or addresses of one function. */
bool pf_keys_same_function(const struct pf_keys *, uint32_t a, uint32_t b);
/* The row of a key's function, without line and address. */
struct pf_key pf_keys_function(const struct pf_keys *, uint32_t key);
/* Whether the row has an address; 0 may be valid. */
bool pf_keys_has_address(const struct pf_keys *, uint32_t key);
/* The line that a table shows for the key: the executed line, else the smallest start line; 0 =
 * unknown. */
int64_t pf_keys_line(const struct pf_keys *, uint32_t key);

/* Whether the places of the row are inlined, not inlined, or both; 0 for rows without inlined
 * places and rows other than functions. */
enum { PF_KEY_INLINED = 1, PF_KEY_CALLED = 2 };
unsigned pf_keys_inlined(const struct pf_keys *, uint32_t key);

/* The name of the row: a function, a file, a value ...; 0x... for addresses without a name,
 * `[unknown]` if nothing is known, "" for a row without a name. `flags` (may be NULL) receives
 * the string's flags. */

struct pf_bytes pf_keys_name(const struct pf_keys *, uint32_t key, struct pf_buffer *scratch,
                             unsigned *flags);

/* The order of rows with equal amounts: name, file, image as bytes, then first line, line and
 * address. */
int pf_keys_compare(const struct pf_keys *, uint32_t a, uint32_t b);

#endif

/* Perl's string evals: which evals of different inputs are the same function. Perl numbers the
 * evals of a process, so `(eval 2)` of one run may be `(eval 7)` of another, and be another
 * function than `(eval 2)` of a third. The text of an eval, if the profile has it, decides.
 *
 * While inputs are read, pf_evals_now keeps evals apart that have one name and different texts:
 * the first eval with a name keeps this name, the others get the name with ` #K`. After the last
 * input pf_evals_find joins the evals that are the same and gives them their final names, which
 * depend neither on the order of the inputs nor on the merges that were made before:
 *
 * - Evals are the same if their texts are: the lines with their numbers. In a run with a single
 *   input the place must be the same too, as in NYTProf's report. An eval has the least number that
 *   one of the inputs gives it; evals that would get the same name are sorted by the hashes of
 *   their texts, and all but the first get ` #2`, ` #3` ...
 * - Evals without a text are the same if number and place are. */
#ifndef PF_ANALYSIS_NAMES_EVALS_H
#define PF_ANALYSIS_NAMES_EVALS_H

#include "analysis/names/id_map.h"
#include "analysis/names/texts.h"
#include "base/table.h"
#include "model/batch.h"
#include "model/dict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --evals: whether evals with the same text are one function. */
enum pf_evals_choice { PF_EVALS_JOINED, PF_EVALS_APART };

/* An eval of the run: a name of an input with its text. Strings of the dictionary. */
struct pf_eval {
    uint32_t raw;    /* name in its input; evals around it have their names in batches */
    uint32_t string; /* the name in batches; no other eval has it */
    bool simple;     /* `raw` has no eval around it and no ` #K` */
    bool has_text;   /* some line is not empty */
    uint64_t text;   /* hash of its lines with their numbers; 0 without a text */
    uint32_t inputs; /* number of inputs that have the eval */
    uint32_t group;  /* pf_evals_find: the evals that are the same */
};

struct pf_evals {
    struct pf_dict *dict;
    bool apart;     /* evals of different names stay apart, even if their texts are equal */
    bool names_win; /* an eval without a text joins the only text of the same name */
    int status;     /* PF_OK or PF_NOMEM, which stays */

    struct pf_eval *rows; /* row 0 is unused */
    size_t count, capacity;
    struct pf_table others;   /* evals with another name than `raw`: raw, has_text, text */
    struct pf_id_map numbers; /* from a row of `others` to the number of the eval */
    struct pf_eval_string {
        uint32_t owner;   /* number of the eval that has this name in batches; 0: none */
        uint32_t input;   /* `now` is of this input */
        uint32_t now;     /* the name in batches for this name */
        uint32_t texted;  /* `text` is of this input */
        uint32_t text;    /* number in `texts` */
        unsigned char is; /* what the name contains; 0: not known yet */
    } * strings;          /* by string of the dictionary */
    size_t string_count, string_capacity;
    uint32_t inputs;  /* inputs so far that have records or texts */
    size_t with_text; /* evals with a text so far */
    bool plain;       /* every eval has its own name, and no name has ` #K` */

    /* of the current input */
    uint32_t input; /* number, from 1 */
    struct pf_eval_text {
        uint32_t name;
        bool has_text;
        bool listed; /* its lines are in `lines`; false: all from `first` to `last` - 1 */
        uint64_t first, last;
        uint64_t text;
    } * texts;
    size_t text_count, text_capacity;
    struct pf_table lines; /* text, line */
    uint32_t *claims;      /* pairs: name in the input, eval whose text may still come */
    size_t claim_count, claim_capacity;

    /* after pf_evals_find */
    struct pf_id_map names; /* from the name in batches to the final name, if these differ */
    size_t renamed;
    size_t bare; /* evals without a text that were joined by name */
};

/* `dict` is the dictionary of all batches; it gets new strings. PF_OK or PF_NOMEM; free in any
 * case. */
int pf_evals_init(struct pf_evals *, struct pf_dict *, bool apart);
void pf_evals_free(struct pf_evals *);

/* Reads the texts of evals in a TEXT batch; ignores other texts. Failures: `status`. */
void pf_evals_take(struct pf_evals *, const struct pf_batch *);
/* True if a name contains the name of an eval. */
bool pf_evals_contains(struct pf_evals *, uint32_t name);
/* Returns the name in batches for the name of a file or function in the current input; both are
 * strings. `all`: all texts of the input have come. If not, PF_EVALS_WAIT if a text that may still
 * come decides the name. Failures: `status`. */
#define PF_EVALS_WAIT UINT32_MAX
uint32_t pf_evals_now(struct pf_evals *, uint32_t name, bool all);
/* Replaces the names of a function by pf_evals_now, in place. False: a name is PF_EVALS_WAIT. */
bool pf_evals_function(struct pf_evals *, struct pf_function *, bool all);
/* Ends the current input: the names of the next input may mean other evals. Failures: `status`. */
void pf_evals_end(struct pf_evals *);

/* The number of the eval that has a name in batches; 0: none. */
static inline uint32_t pf_evals_owner(const struct pf_evals *evals, uint32_t name)
{
    return name < evals->string_count ? evals->strings[name].owner : 0;
}
/* True if the inputs so far have texts of evals. */
bool pf_evals_any(const struct pf_evals *);
/* Call after the last input: finds the evals that are the same, and their final names. `single`:
 * all records are of one input. PF_OK or PF_NOMEM. */
int pf_evals_find(struct pf_evals *, bool single);
/* The final name for a name in batches, which may contain the names of evals. If memory runs out,
 * the dictionary's status is set. */
uint32_t pf_evals_name(const struct pf_evals *, uint32_t name);
/* Gives the functions of the dictionary their final names: two functions may then be equal. PF_OK
 * or PF_NOMEM. */
int pf_evals_rename(const struct pf_evals *);
/* Gives texts their final names; equal texts are kept once. PF_OK or PF_NOMEM. */
int pf_evals_texts(const struct pf_evals *, struct pf_merge_texts *);

#endif

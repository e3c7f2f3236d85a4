/* Reads JSON objects by a table of their members: each row has a key, the allowed kinds of value,
 * and the function that reads the value. All readers refuse a value of another kind with the same
 * message and the offset of the value: "'samples' is a string, expected an array". Keys without a
 * row are skipped.
 *
 * Functions return PF_OK, or a negative code with the message and the offset in the cutter's
 * error. */
#ifndef PF_IO_JSON_H
#define PF_IO_JSON_H

#include "io/json_cut.h"

#include <stddef.h>
#include <stdint.h>

/* Kinds of values and flags; a row combines them with |. */
enum {
    PF_JSON_OBJECT = 1,
    PF_JSON_ARRAY = 2,
    PF_JSON_NUMBER = 4,
    PF_JSON_STRING = 8,
    PF_JSON_BOOLEAN = 16,
    PF_JSON_NULL = 32,
    PF_JSON_ANY = 63,
    /* the row ignores values of other kinds; without this flag they fail */
    PF_JSON_LAX = 64,
    PF_JSON_REQUIRED = 128, /* an object without this member fails */
    /* a second member with this key fails; without this flag all members with the key are read */
    PF_JSON_ONCE = 256,
    PF_JSON_EACH = 512 /* for an array: the function reads each element, not the array */
};

/* Reads the next value completely. `field` points into the `object` that was passed to
 * pf_json_object or a similar function. */
typedef int pf_json_read(struct pf_json_cut *, void *field);

/* A table has at most 64 rows and ends with {0}. */
struct pf_json_member {
    const char *key; /* NULL: any key that no earlier row has; cut->key is the key */
    unsigned kinds;
    pf_json_read *read;
    size_t offset; /* of the field in the object */
    /* for a nested object, if `read` is NULL: its members fill the field */
    const struct pf_json_member *members;
};

/* Reads the next object. */
int pf_json_object(struct pf_json_cut *, const struct pf_json_member *, void *object);
/* The same for the object that is the whole input: only blanks may follow. */
int pf_json_document(struct pf_json_cut *, const struct pf_json_member *, void *object);
/* Reads the next member of the entered object. PF_EOF at the end. Ignores PF_JSON_REQUIRED and
 * PF_JSON_ONCE. Each call passes `object` anew, so the function of a member may move the object in
 * memory. */
int pf_json_member(struct pf_json_cut *, const struct pf_json_member *, void *object);
/* Reads the next array, each element with `read`. */
int pf_json_array(struct pf_json_cut *, pf_json_read *read, void *object);

/* Allowed kinds of values that jansson has parsed. */
struct pf_json_type {
    const char *key; /* NULL ends the list */
    unsigned kinds;
};
/* Checks that a value is of one of the kinds, and that a number is whole. Messages call the value
 * `name` and give `offset`. PF_OK or PF_FAILED. */
int pf_json_check(struct pf_json_cut *, uint64_t offset, const char *name, const json_t *value,
                  unsigned kinds);
/* Checks the members of an object whose keys are in `types`: each must be of its kinds, or null.
 * PF_OK or PF_FAILED. */
int pf_json_check_members(struct pf_json_cut *, uint64_t offset, const json_t *object,
                          const struct pf_json_type *types);

/* Reads a whole number into an int64_t. */
pf_json_read pf_json_read_int;
/* The same for an unimportant number (a line, a column): the field is unchanged if the number is
 * not whole or out of range. */
pf_json_read pf_json_try_int;
/* Reads a text of one character into a char; other texts become '?'. */
pf_json_read pf_json_read_letter;

#endif

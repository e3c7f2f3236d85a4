/* Reads JSON objects by a table of their members: each row has a key, the kinds of value that are
 * allowed, and the function that reads the value. One walker compares keys and kinds, so that all
 * readers refuse a value with the same message and the offset of the value: "'samples' is a string,
 * expected an array". Keys without a row are skipped.
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
    /* the row ignores values of other kinds, which fail without this flag */
    PF_JSON_LAX = 64,
    PF_JSON_REQUIRED = 128, /* an object without this member fails */
    /* a second member with the key fails; without this flag all are read in turn */
    PF_JSON_ONCE = 256,
    PF_JSON_EACH = 512 /* for an array: the function reads each element */
};

/* Reads the whole next value. `field` points into the object that the caller of the walker
 * passed. */
typedef int pf_json_read(struct pf_json_cut *, void *field);

/* A table has at most 64 rows and ends with {0}. */
struct pf_json_member {
    const char *key; /* NULL: any key without an earlier row (cut->key has the key) */
    unsigned kinds;
    pf_json_read *read;
    size_t offset; /* offset of the field in the object */
    /* for an object without a function: `read` is NULL, and its members fill the field */
    const struct pf_json_member *members;
};

/* Reads the next object. */
int pf_json_object(struct pf_json_cut *, const struct pf_json_member *, void *object);
/* Reads the next member of the entered object. PF_EOF at the end. Ignores PF_JSON_REQUIRED and
 * PF_JSON_ONCE. The function of a member may change the address of `object`. */
int pf_json_member(struct pf_json_cut *, const struct pf_json_member *, void *object);
/* Reads the next array, each element with `read`. */
int pf_json_array(struct pf_json_cut *, pf_json_read *read, void *object);

/* The kinds of values made by jansson, in the same words. */
struct pf_json_type {
    const char *key; /* NULL behind the last */
    unsigned kinds;
};
/* A value, which messages call `name` and place at `offset`, is of one of the kinds; a number is a
 * whole one. PF_OK or PF_FAILED. */
int pf_json_check(struct pf_json_cut *, uint64_t offset, const char *name, const json_t *value,
                  unsigned kinds);
/* Members of an object are of the kinds that `types` has for their keys, or null; other keys are
 * not looked at. PF_OK or PF_FAILED. */
int pf_json_check_members(struct pf_json_cut *, uint64_t offset, const json_t *object,
                          const struct pf_json_type *types);

/* A whole number, into an int64_t. */
pf_json_read pf_json_read_int;
/* The same for an unimportant number (a line, a column): the field is unchanged if the number is
 * not whole or out of range. */
pf_json_read pf_json_try_int;

#endif

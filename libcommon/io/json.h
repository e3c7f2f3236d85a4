/* JSON objects on their way in, by a table of their members: each row names a key, the kinds of
 * value it may have, and the function that reads the value. One walker compares keys and kinds, so
 * that all readers refuse a value in the same words: "'samples' is a string, an array was
 * expected", with the offset of the value. Keys without a row are passed over.
 *
 * Functions give PF_OK, or a negative code with the text and the offset in the error of the
 * cutter. */
#ifndef PF_IO_JSON_H
#define PF_IO_JSON_H

#include "io/json_cut.h"

#include <stddef.h>
#include <stdint.h>

/* Kinds of values, which a row may combine, and how strict the row is. */
enum {
    PF_JSON_OBJECT = 1,
    PF_JSON_ARRAY = 2,
    PF_JSON_NUMBER = 4,
    PF_JSON_STRING = 8,
    PF_JSON_BOOLEAN = 16,
    PF_JSON_NULL = 32,
    PF_JSON_ANY = 63,
    /* the row does not apply to values of other kinds; without it they fail */
    PF_JSON_LAX = 64,
    PF_JSON_REQUIRED = 128, /* an object without the member fails */
    /* a second member of the key fails; without it the values are read one after the other */
    PF_JSON_ONCE = 256,
    PF_JSON_EACH = 512 /* of an array: the function reads each element */
};

/* Reads the value ahead, all of it. `field` points into the object that the caller of the walker
 * passed. */
typedef int pf_json_read(struct pf_json_cut *, void *field);

/* A table has 64 rows at most and ends with {0}. */
struct pf_json_member {
    const char *key; /* NULL: any key that no row before applies to (cut->key has it) */
    unsigned kinds;
    pf_json_read *read;
    size_t offset; /* of the field in the object */
    /* of an object that needs no function: `read` is NULL, its members fill the field */
    const struct pf_json_member *members;
};

/* Reads the object ahead. */
int pf_json_object(struct pf_json_cut *, const struct pf_json_member *, void *object);
/* In an object that was entered: reads its next member. PF_EOF behind the end. Does not look at
 * PF_JSON_REQUIRED and PF_JSON_ONCE. `object` may move while a member is read. */
int pf_json_member(struct pf_json_cut *, const struct pf_json_member *, void *object);
/* Reads the array ahead, each element with `read`. */
int pf_json_array(struct pf_json_cut *, pf_json_read *read, void *object);

/* A whole number, into an int64_t. */
pf_json_read pf_json_read_int;
/* The same of a number that says little (a line, a column): left as it is where the number is not
 * whole or does not fit. */
pf_json_read pf_json_try_int;

#endif

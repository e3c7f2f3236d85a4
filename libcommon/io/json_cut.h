/* Reads JSON value by value, without holding the whole text. A reader enters objects and arrays,
 * gets their keys and elements, reads numbers and strings, lets jansson parse small values, and
 * skips the rest. A level of nesting costs a byte; more than PF_JSON_DEPTH_MAX levels fail.
 *
 * Every function that returns int returns PF_OK, PF_EOF if documented, or a negative code with the
 * message and the offset in the error passed to pf_json_cut_open: PF_FAILED if the input is not
 * JSON, is cut, or has another type than requested; PF_NOMEM; or the failure of the source.
 * Returned bytes are valid until the next call. */
#ifndef PF_IO_JSON_CUT_H
#define PF_IO_JSON_CUT_H

#include "base/error.h"
#include "base/memory.h"
#include "io/source.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PF_JSON_DEPTH_MAX = 1 << 20 };
#define PF_JSON_VALUE_MAX \
    ((size_t)64 * 1024 * 1024) /* longest string, and longest value for jansson */
/* The most members and elements of a value for jansson, which takes up to 500 bytes for each. */
enum { PF_JSON_PARTS_MAX = 131072 };

struct pf_json_cut {
    struct pf_source *source;
    struct pf_error *error;
    /* set by the owner: allows a comma before the end of an array, and an outermost array
     * without an end */
    bool lenient;
    bool begun;            /* the current object or array had a member or element */
    struct pf_buffer open; /* the open '{' and '[', outermost first */
    struct pf_buffer text; /* a string or value that had to be copied */
    json_t *value;         /* the last parsed value */
    /* set by the owner, for the functions of a member table (io/json.h) */
    void *owner;
    /* key of the member that such a function reads; valid until its first call of the cutter */
    struct pf_bytes key;
};

/* Begins reading a source. Source and error are borrowed until pf_json_cut_close. */
void pf_json_cut_open(struct pf_json_cut *, struct pf_source *, struct pf_error *);
void pf_json_cut_close(struct pf_json_cut *);

/* The first character of the next value: one of { [ " t f n, '0' for a number, or a negative
 * code. */
int pf_json_cut_kind(struct pf_json_cut *);
/* Enters an object ('{') or an array ('['). */
int pf_json_cut_enter(struct pf_json_cut *, char bracket);
/* In an object: its next key, or PF_EOF at its end; the object is then left. */
int pf_json_cut_key(struct pf_json_cut *, struct pf_bytes *key);
/* In an array: PF_OK if there is another element, or PF_EOF at its end; the array is then left. */
int pf_json_cut_next(struct pf_json_cut *);
/* The same for an array of whole numbers; reads the number too. */
int pf_json_cut_next_int(struct pf_json_cut *, int64_t *number);

/* A decoded string, always UTF-8: invalid bytes and lone surrogates become U+FFFD. */
int pf_json_cut_string(struct pf_json_cut *, struct pf_bytes *);
/* The text of a number; also of a string that contains a number ("ts":"123"). */
int pf_json_cut_number(struct pf_json_cut *, struct pf_bytes *);
/* Fails for a text of pf_json_cut_number that cannot be used, and says why: not a number, or too
 * large. `what` is the beginning of the message. Returns PF_FAILED or PF_OVERFLOW. */
int pf_json_cut_refuse_number(struct pf_json_cut *, struct pf_bytes text, const char *what);
/* A whole number; 3.0 and 3e2 are whole too. PF_OVERFLOW if it overflows 64 bits. */
int pf_json_cut_int(struct pf_json_cut *, int64_t *);
/* The text of any value. */
int pf_json_cut_raw(struct pf_json_cut *, struct pf_bytes *);
/* Any value, parsed by jansson; it belongs to the cutter until the next call of this function.
 * Strings are repaired as above. */
int pf_json_cut_value(struct pf_json_cut *, const json_t **);
/* The same for bytes kept from pf_json_cut_raw; `offset` is their offset in the input. */
int pf_json_cut_parse(struct pf_json_cut *, struct pf_bytes raw, uint64_t offset, const json_t **);
/* Skips a value of any size. */
int pf_json_cut_skip(struct pf_json_cut *);
/* Checks that only blanks are left. */
int pf_json_cut_end(struct pf_json_cut *);

/* The value of a member of a jansson object; "" or `other` if the member is missing or has another
 * type. */
struct pf_bytes pf_json_member_text(const json_t *object, const char *key);
int64_t pf_json_member_int(const json_t *object, const char *key, int64_t other);

#endif

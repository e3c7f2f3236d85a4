/* JSON on its way in, value by value: the text is walked along its structure and never stands in
 * memory as a whole. A reader enters objects and arrays, is given keys and elements, takes plain
 * numbers and strings itself, hands a small value to jansson, and skips the rest. Nesting costs a
 * byte a level, and a level more than PF_JSON_DEPTH_MAX fails.
 *
 * Every function that returns int gives PF_OK, PF_EOF where it says so, or a negative code with the
 * text and the offset in the error given on opening: PF_FAILED for what is no JSON, cut, or of
 * another type than was asked for; PF_NOMEM; what the source says. Bytes given out are valid until
 * the next call. */
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
#define PF_JSON_VALUE_MAX ((size_t)64 * 1024 * 1024) /* longest string, and value for jansson */
/* Members and elements of a value for jansson, which takes up to 500 bytes for each. */
enum { PF_JSON_PARTS_MAX = 131072 };

struct pf_json_cut {
    struct pf_source *source;
    struct pf_error *error;
    /* set by the owner: a comma may stand before the end of an array, and the outermost one may
     * lack its end */
    bool lenient;
    bool begun;            /* the object or array entered last has given something */
    struct pf_buffer open; /* '{' and '[' that are open, outermost first */
    struct pf_buffer text; /* a string or value that was not good as it stood */
    json_t *value;         /* the last value made */
    /* set by the owner: for the functions of a table of members (io/json.h) */
    void *owner;
    /* of the member such a function reads; valid until its first call of the cutter */
    struct pf_bytes key;
};

void pf_json_cut_open(struct pf_json_cut *, struct pf_source *, struct pf_error *);
void pf_json_cut_close(struct pf_json_cut *);

/* The first character of the value ahead: one of { [ " t f n, '0' for a number, or a negative
 * code. */
int pf_json_cut_kind(struct pf_json_cut *);
/* Enters an object ('{') or an array ('['). */
int pf_json_cut_enter(struct pf_json_cut *, char bracket);
/* In an object: its next key, or PF_EOF behind its end, which is left. */
int pf_json_cut_key(struct pf_json_cut *, struct pf_bytes *key);
/* In an array: PF_OK when there is another element, or PF_EOF behind its end, which is left. */
int pf_json_cut_next(struct pf_json_cut *);
/* The same for an array of whole numbers, with the number. */
int pf_json_cut_next_int(struct pf_json_cut *, int64_t *number);

/* A string, decoded. It is always UTF-8: bytes that are none, and lone surrogates, become
 * U+FFFD. */
int pf_json_cut_string(struct pf_json_cut *, struct pf_bytes *);
/* A number as it is written; also of a string that holds one ("ts":"123"). */
int pf_json_cut_number(struct pf_json_cut *, struct pf_bytes *);
/* A whole number; 3.0 and 3e2 are some. PF_OVERFLOW where it leaves 64 bits. */
int pf_json_cut_int(struct pf_json_cut *, int64_t *);
/* Any value as it is written. */
int pf_json_cut_raw(struct pf_json_cut *, struct pf_bytes *);
/* Any value, made by jansson; it belongs to the cutter until the next call of this function.
 * Repaired as strings are. */
int pf_json_cut_value(struct pf_json_cut *, const json_t **);
/* The same of bytes kept from pf_json_cut_raw; `offset` is where they stood. */
int pf_json_cut_parse(struct pf_json_cut *, struct pf_bytes raw, uint64_t offset, const json_t **);
/* Passes over a value of any size. */
int pf_json_cut_skip(struct pf_json_cut *);
/* PF_OK when nothing but blanks is left. */
int pf_json_cut_end(struct pf_json_cut *);

/* Members of an object made by jansson; empty, or `other`, where there is none or it is of another
 * type. */
struct pf_bytes pf_json_member_text(const json_t *object, const char *key);
int64_t pf_json_member_int(const json_t *object, const char *key, int64_t other);

#endif

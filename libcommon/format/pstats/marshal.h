/* Objects in Python's marshal format, versions 0 to 4 (Python 2 and 3). */
#ifndef PF_FORMAT_PSTATS_MARSHAL_H
#define PF_FORMAT_PSTATS_MARSHAL_H

#include "base/error.h"
#include "base/memory.h"
#include "io/source.h"
#include "model/dict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pf_marshal_kind {
    PF_MARSHAL_NONE, /* None, or an object that is not whole yet */
    PF_MARSHAL_INT,
    PF_MARSHAL_FLOAT,
    PF_MARSHAL_STRING,
    PF_MARSHAL_TUPLE, /* lists too */
    PF_MARSHAL_DICT,  /* keys and values in turn */
    PF_MARSHAL_END    /* the end of a dict */
};

/* Small, because an input can have an object in every five bytes. */
struct pf_marshal_object {
    uint32_t kind;  /* enum pf_marshal_kind */
    uint32_t count; /* number of items */
    union {
        int64_t number;  /* INT; FLOAT: in units of 1e-9, rounded half to even */
        uint32_t string; /* of the dictionary */
        const struct pf_marshal_object *items;
    };
};

/* Zero-initialise but for `source`, `dict` and `error` (borrowed); free with pf_marshal_free. */
struct pf_marshal {
    struct pf_source *source;
    struct pf_dict *dict;
    struct pf_error *error;
    /* items of objects that later references may name, and items of other objects */
    struct pf_arena kept, passing;
    struct pf_marshal_object *refs, *stack;
    uint32_t *interned; /* the interned strings of Python 2, in order */
    size_t ref_count, ref_capacity, stack_count, stack_capacity, interned_count, interned_capacity;
    unsigned depth;
};

void pf_marshal_free(struct pf_marshal *);
/* Reads the next object. Its items are valid until pf_marshal_pass. PF_OK; PF_FAILED with the
 * offset: bytes that are not an object, are cut, or hold what profiles never have (numbers over 64
 * bits, nesting deeper than 16, tuples of more than 16 items); PF_NOMEM. */
int pf_marshal_read(struct pf_marshal *, struct pf_marshal_object *);
/* Reads the head of a dict. Then read its keys and values in turn, up to PF_MARSHAL_END. */
int pf_marshal_open_dict(struct pf_marshal *);
/* Frees the items of all objects that no later reference can name. */
void pf_marshal_pass(struct pf_marshal *);

#endif

/* The dictionary: everything a record can refer to, each thing once, with dense ids. In every table
 * id 0 means nothing (the empty string, no image, the empty stack, no labels) and its row is all
 * zero. Ids are in the order of first occurrence. A parent has a smaller id than its children, so
 * one pass over a table reaches every parent before its children. */
#ifndef PF_MODEL_DICT_H
#define PF_MODEL_DICT_H

#include "base/bytes.h"
#include "base/table.h"
#include "model/measure.h"
#include "model/strings.h"

#include <stdbool.h>
#include <stdint.h>

enum { PF_STACK_DEPTH_MAX = 1048575 };

struct pf_image {
    uint32_t name, identifier;      /* strings: path, and build id or the format's own identifier */
    uint64_t start, limit;          /* mapped addresses; 0 = unknown */
    uint64_t offset;                /* offset of `start` in the file */
    uint64_t text_start, text_size; /* the code: address, size in bytes; size 0 = unknown */
    uint64_t flags;                 /* enum pf_image_flag */
};

enum pf_image_flag {
    PF_IMAGE_FUNCTIONS = 1,
    PF_IMAGE_FILES = 2,
    PF_IMAGE_LINES = 4,
    PF_IMAGE_INLINES = 8,
    /* nothing else is known about the image; the flag keeps its row from being all 0, the row of
     * "no image" */
    PF_IMAGE_BARE = 16
};

struct pf_function {
    uint32_t name; /* string, the name for people: Package::sub */
    /* string, the linker's or the format's own spelling if different; 0 = the same */
    uint32_t system_name;
    uint32_t file;     /* string */
    uint32_t reserved; /* 0 */
    /* 0 = unknown; a format's own value for "unknown" (-1) is kept */
    int64_t start_line;
};

enum pf_frame_kind {
    PF_FRAME_PLAIN = 0, /* the format has no kinds */
    PF_FRAME_SUB,
    PF_FRAME_XSUB, /* a subroutine in C called from an interpreter */
    PF_FRAME_EVAL,
    PF_FRAME_MAIN, /* main program or the file scope of a required file */
    PF_FRAME_NATIVE,
    PF_FRAME_KERNEL,
    PF_FRAME_JIT,
    PF_FRAME_KINDS
};

/* "sub", "xsub" ...; "" for PF_FRAME_PLAIN and unknown numbers. */
const char *pf_frame_kind_name(unsigned kind);

/* A place in a program. */
struct pf_location {
    uint32_t function; /* 0 = no name */
    uint32_t image;
    uint64_t address; /* 0 = none */
    int64_t line;     /* the executed line; 0 = unknown */
    uint32_t column;
    uint16_t kind;    /* enum pf_frame_kind */
    uint16_t inlined; /* 1: inlined into its parent in the stack */
};

/* A stack is a node of the calling-context tree: the frame `location`, called from `parent`. */
struct pf_stack {
    uint32_t parent, location;
};

/* A set of labels is a chain: the labels of `parent` and one more. */
struct pf_label {
    uint32_t parent;
    uint32_t key;     /* string */
    uint32_t text;    /* string: the value, or the unit when numeric */
    uint32_t numeric; /* 1: `number` is the value */
    int64_t number;
};

struct pf_dict {
    struct pf_strings strings;
    struct pf_measures measures;
    struct pf_table images, functions, locations, stacks, labels;
    uint32_t section_key; /* string "section" */
};

/* PF_OK or PF_NOMEM; free in any case. */
int pf_dict_init(struct pf_dict *);
void pf_dict_free(struct pf_dict *);
/* PF_OK, or the first failure of any table. Interning after a failure returns 0, so a loop may
 * check once at its end. */
int pf_dict_status(const struct pf_dict *);

/* The string with an id; it is followed by a NUL. */
static inline struct pf_bytes pf_dict_string(const struct pf_dict *dict, uint32_t id)
{
    return pf_strings_bytes(&dict->strings, id);
}
/* The id of a string, which is added if new; `flags`: PF_UTF8 or 0. Failures as
 * pf_strings_intern. */
static inline uint32_t pf_dict_intern(struct pf_dict *dict, struct pf_bytes bytes, unsigned flags)
{
    return pf_strings_intern(&dict->strings, bytes, flags);
}
/* The same for text that counts as UTF-8 if its bytes are valid UTF-8. */
static inline uint32_t pf_dict_intern_text(struct pf_dict *dict, struct pf_bytes bytes)
{
    return pf_strings_intern(&dict->strings, bytes, pf_utf8_valid(bytes) ? PF_UTF8 : 0);
}
/* The same for an ASCII word of the program: a key, a unit, the name of a measure. */
static inline uint32_t pf_dict_intern_word(struct pf_dict *dict, const char *word)
{
    return pf_strings_intern(&dict->strings, pf_bytes_of(word), 0);
}
/* Interns the bytes of a buffer and frees the buffer. If the buffer has failed: 0, and the
 * dictionary fails with PF_NOMEM. */
uint32_t pf_dict_intern_buffer(struct pf_dict *, struct pf_buffer *, unsigned flags);
/* The id of a string of another dictionary, which is added if new. Failures as
 * pf_strings_intern. */
static inline uint32_t pf_dict_same_string(struct pf_dict *dict, const struct pf_dict *from,
                                           uint32_t id)
{
    return dict == from
               ? id
               : pf_dict_intern(dict, pf_dict_string(from, id), from->strings.rows[id].flags);
}
/* Rows of the tables, valid until the table grows. */
static inline const struct pf_image *pf_dict_image(const struct pf_dict *dict, uint32_t id)
{
    return (const struct pf_image *)pf_table_row(&dict->images, id);
}
static inline const struct pf_function *pf_dict_function(const struct pf_dict *dict, uint32_t id)
{
    return (const struct pf_function *)pf_table_row(&dict->functions, id);
}
static inline const struct pf_location *pf_dict_location(const struct pf_dict *dict, uint32_t id)
{
    return (const struct pf_location *)pf_table_row(&dict->locations, id);
}
static inline const struct pf_stack *pf_dict_stack(const struct pf_dict *dict, uint32_t id)
{
    return (const struct pf_stack *)pf_table_row(&dict->stacks, id);
}
static inline const struct pf_label *pf_dict_label(const struct pf_dict *dict, uint32_t id)
{
    return (const struct pf_label *)pf_table_row(&dict->labels, id);
}

/* Interns rows. Zero-initialise them (memset or designated initialisers: they have no padding). */
uint32_t pf_dict_add_image(struct pf_dict *, const struct pf_image *);
uint32_t pf_dict_add_function(struct pf_dict *, const struct pf_function *);
uint32_t pf_dict_add_location(struct pf_dict *, const struct pf_location *);
/* The location of a function known only by its name, such as `[unknown]`. */
uint32_t pf_dict_add_named(struct pf_dict *, struct pf_bytes name);
/* The frame `location` called from stack `parent` (0 = a root). With `location` 0 the result is
 * `parent`. */
uint32_t pf_dict_add_frame(struct pf_dict *, uint32_t parent, uint32_t location);

/* Adds a label to a set in the set's order: by key, then value; sections keep the order of
 * opening, and a section may occur twice. Other labels occur once. A label in the middle interns
 * the rest of the chain anew: for several labels, model/labels.h is faster. */
uint32_t pf_dict_add_label(struct pf_dict *, uint32_t labels, uint32_t key, uint32_t text);
uint32_t pf_dict_add_number(struct pf_dict *, uint32_t labels, uint32_t key, int64_t number,
                            uint32_t unit);
/* Adds a number without a unit; the key is an ASCII word. */
uint32_t pf_dict_add_word_number(struct pf_dict *, uint32_t labels, const char *key,
                                 int64_t number);
/* Appends a label without sorting, for readers of sorted data. */
uint32_t pf_dict_chain_label(struct pf_dict *, const struct pf_label *);
/* The set without any label of this key. */
uint32_t pf_dict_drop_label(struct pf_dict *, uint32_t labels, uint32_t key);

/* Makes a measure with defaults, outside of the dictionary: raw unit = base unit, values are
 * summed, no period, not the main measure. The caller changes other fields and then adds the
 * measure. Name and unit are interned; NULL: the caller sets the field. */
struct pf_measure pf_measure_make(struct pf_dict *, const char *name, const char *unit,
                                  enum pf_kind, enum pf_role, enum pf_nature);
/* The same for a name that is interned already. */
struct pf_measure pf_measure_make_named(struct pf_dict *, uint32_t name, const char *unit,
                                        enum pf_kind, enum pf_role, enum pf_nature);
/* NAME.before, NAME.after or NAME.delta: the name of this side of the measure NAME; 0: out of
 * memory. */
uint32_t pf_dict_side_name(struct pf_dict *, uint32_t name, enum pf_side);
/* The number of the measure, which is added if new. Afterwards name and side agree: a measure
 * without a side gets the side that its name tells, and if the name lacks the side, the ending is
 * added to the name. UINT32_MAX: out of memory. */
uint32_t pf_dict_add_measure(struct pf_dict *, struct pf_measure);

/* True if a location has an address. Address 0 counts if the image's text begins at 0 and
 * nothing else is known about the location. */
bool pf_dict_has_address(const struct pf_dict *, const struct pf_location *);

/* The name of a frame in all outputs: the function's name, `0x...` for an address without a
 * name, else `[unknown]`. `scratch` (at least 32 bytes) may hold the text. */
struct pf_bytes pf_dict_frame_name(const struct pf_dict *, uint32_t location, char *scratch);

#endif

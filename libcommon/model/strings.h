/* Interned byte strings. Names may hold any byte, NUL included; whether the producer said "these
 * are UTF-8 characters" is part of a string's identity unless the string is plain ASCII, where it
 * means nothing. */
#ifndef PF_MODEL_STRINGS_H
#define PF_MODEL_STRINGS_H

#include "base/bytes.h"
#include "base/memory.h"

#include <stdint.h>

/* Longest string that is kept: it must fit one frame of the native stream (profstream(5),
 * limits). */
#define PF_STRING_MAX ((size_t)16 * 1024 * 1024 - 65536)

enum { PF_UTF8 = 1 }; /* flag: the producer says the bytes are UTF-8 */

struct pf_string {
    const char *data; /* a NUL stands behind it */
    uint32_t size;
    uint32_t flags;
};

struct pf_strings {
    struct pf_string *rows; /* row 0 is "" */
    uint32_t count;
    size_t capacity;
    uint32_t *slots;
    uint32_t *tags; /* upper half of the hash beside each slot: saves following most wrong slots */
    size_t slot_mask;
    uint64_t seed; /* of hashes */
    struct pf_arena bytes;
    int status;
};

int pf_strings_init(struct pf_strings *);
void pf_strings_free(struct pf_strings *);

/* Id of these bytes, copied when new; 0 is the empty string. 0 and status PF_NOMEM when memory runs
 * out, 0 and status PF_UNSUPPORTED when the string is longer than PF_STRING_MAX: readers check
 * lengths before. */
uint32_t pf_strings_intern(struct pf_strings *, struct pf_bytes, unsigned flags);

static inline struct pf_bytes pf_strings_bytes(const struct pf_strings *strings, uint32_t id)
{
    return (struct pf_bytes){strings->rows[id].data, strings->rows[id].size};
}

#endif

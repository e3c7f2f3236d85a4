/* Interned byte strings. Names may contain any byte, even NUL. The producer's claim "these bytes
 * are UTF-8" is part of a string's identity, unless the string is plain ASCII. */
#ifndef PF_MODEL_STRINGS_H
#define PF_MODEL_STRINGS_H

#include "base/bytes.h"
#include "base/memory.h"

#include <stdint.h>

/* The longest string: it must fit into one frame of the native stream (profstream(5), limits). */
#define PF_STRING_MAX ((size_t)16 * 1024 * 1024 - 65536)

enum { PF_UTF8 = 1 }; /* flag: the producer says the bytes are UTF-8 */

struct pf_string {
    const char *data; /* followed by a NUL */
    uint32_t size;
    uint32_t flags;
};

struct pf_strings {
    struct pf_string *rows; /* row 0 is "" */
    uint32_t count;
    size_t capacity;
    uint32_t *slots;
    uint32_t *tags; /* upper half of the hash, by slot: saves reading the row of most wrong slots */
    size_t slot_mask;
    uint64_t seed; /* seed of the hashes */
    struct pf_arena bytes;
    int status;
};

/* PF_OK or PF_NOMEM; free in any case. */
int pf_strings_init(struct pf_strings *);
void pf_strings_free(struct pf_strings *);

/* The id of these bytes, which are copied if new; 0 is the empty string. Failures return 0 and
 * set status: PF_NOMEM, or PF_UNSUPPORTED if the string is longer than PF_STRING_MAX (readers
 * check lengths before). */
uint32_t pf_strings_intern(struct pf_strings *, struct pf_bytes, unsigned flags);

/* The bytes of a string, followed by a NUL. */
static inline struct pf_bytes pf_strings_bytes(const struct pf_strings *strings, uint32_t id)
{
    return (struct pf_bytes){strings->rows[id].data, strings->rows[id].size};
}

#endif

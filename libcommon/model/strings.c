#include "model/strings.h"

#include "base/error.h"
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 1024 };

int pf_strings_init(struct pf_strings *strings)
{
    memset(strings, 0, sizeof *strings);
    if (!pf_grow(&strings->rows, &strings->capacity, 1, sizeof *strings->rows))
        return strings->status = PF_NOMEM;
    strings->slots = calloc(FIRST_SLOTS, sizeof *strings->slots);
    strings->tags = calloc(FIRST_SLOTS, sizeof *strings->tags);
    if (!strings->slots || !strings->tags)
        return strings->status = PF_NOMEM;
    strings->slot_mask = FIRST_SLOTS - 1;
    strings->seed = pf_hash_seed();
    strings->rows[0] = (struct pf_string){.data = ""};
    strings->count = 1;
    return PF_OK;
}

void pf_strings_free(struct pf_strings *strings)
{
    free(strings->rows);
    free(strings->slots);
    free(strings->tags);
    pf_arena_free(&strings->bytes);
    memset(strings, 0, sizeof *strings);
}

static void place(uint32_t *slots, uint32_t *tags, size_t mask, uint64_t hash, uint32_t tag,
                  uint32_t id)
{
    size_t slot = hash & mask;
    while (slots[slot])
        slot = (slot + 1) & mask;
    slots[slot] = id;
    tags[slot] = tag;
}

static uint64_t string_hash(const struct pf_strings *strings, struct pf_bytes bytes, unsigned flags)
{
    return pf_hash(bytes.data, bytes.size, strings->seed) ^ (flags ? 0x9e3779b97f4a7c15u : 0);
}

static bool rehash(struct pf_strings *strings)
{
    size_t size = (strings->slot_mask + 1) * 2;
    uint32_t *slots = calloc(size, sizeof *slots), *tags = calloc(size, sizeof *tags);
    if (!slots || !tags) {
        free(slots);
        free(tags);
        return false;
    }
    for (uint32_t id = 1; id < strings->count; id++) {
        uint64_t hash =
            string_hash(strings, pf_strings_bytes(strings, id), strings->rows[id].flags);
        place(slots, tags, size - 1, hash, (uint32_t)(hash >> 32), id);
    }
    free(strings->slots);
    free(strings->tags);
    strings->slots = slots;
    strings->tags = tags;
    strings->slot_mask = size - 1;
    return true;
}

static uint32_t add(struct pf_strings *strings, struct pf_bytes bytes, unsigned flags,
                    uint64_t hash)
{
    bool full = (size_t)strings->count * 2 > strings->slot_mask;
    char *data = NULL;
    if (strings->count == UINT32_MAX - 1 || (full && !rehash(strings)) ||
        !pf_grow(&strings->rows, &strings->capacity, (size_t)strings->count + 1,
                 sizeof *strings->rows) ||
        !(data = pf_arena_copy(&strings->bytes, bytes.data, bytes.size))) {
        strings->status = PF_NOMEM;
        return 0;
    }
    uint32_t id = strings->count++;
    strings->rows[id] = (struct pf_string){data, (uint32_t)bytes.size, flags};
    place(strings->slots, strings->tags, strings->slot_mask, hash, (uint32_t)(hash >> 32), id);
    return id;
}

uint32_t pf_strings_intern(struct pf_strings *strings, struct pf_bytes bytes, unsigned flags)
{
    if (bytes.size == 0 || strings->status)
        return 0;
    if (bytes.size > PF_STRING_MAX) {
        strings->status = PF_UNSUPPORTED;
        return 0;
    }
    if (flags && pf_ascii(bytes))
        flags = 0;
    uint64_t hash = string_hash(strings, bytes, flags);
    uint32_t tag = (uint32_t)(hash >> 32);
    for (size_t slot = hash & strings->slot_mask; strings->slots[slot];
         slot = (slot + 1) & strings->slot_mask) {
        if (strings->tags[slot] != tag)
            continue;
        const struct pf_string *row = &strings->rows[strings->slots[slot]];
        if (row->size == bytes.size && row->flags == flags &&
            memcmp(row->data, bytes.data, bytes.size) == 0)
            return strings->slots[slot];
    }
    return add(strings, bytes, flags, hash);
}

#include "base/line_memo.h"

#include "base/hash.h"

#include <stdlib.h>

enum { FIRST_SLOTS = 4096 };

bool pf_line_memo_init(struct pf_line_memo *memo)
{
    memset(memo, 0, sizeof *memo);
    memo->slots = calloc(FIRST_SLOTS, sizeof *memo->slots);
    memo->mask = FIRST_SLOTS - 1;
    memo->seed = pf_hash_seed();
    if (!memo->slots || !pf_grow(&memo->rows, &memo->capacity, 1, sizeof *memo->rows))
        return false;
    memo->rows[0] = (struct pf_line_memo_row){.bytes = ""};
    memo->count = 1;
    return true;
}

void pf_line_memo_free(struct pf_line_memo *memo)
{
    free(memo->rows);
    free(memo->slots);
    pf_arena_free(&memo->arena);
}

/* The tag is the lower half of the hash, which is enough to find the slot in up to 2^32 slots. */
static void place(struct pf_line_memo_slot *slots, size_t mask, uint32_t tag, uint32_t id)
{
    size_t slot = tag & mask;

    while (slots[slot].id)
        slot = (slot + 1) & mask;
    slots[slot] = (struct pf_line_memo_slot){tag, id};
}

static bool grow_slots(struct pf_line_memo *memo)
{
    size_t size = (memo->mask + 1) * 2;
    struct pf_line_memo_slot *slots = calloc(size, sizeof *slots);

    if (!slots)
        return false;
    for (size_t k = 0; k <= memo->mask; k++)
        if (memo->slots[k].id)
            place(slots, size - 1, memo->slots[k].tag, memo->slots[k].id);
    free(memo->slots);
    memo->slots = slots;
    memo->mask = size - 1;
    return true;
}

static uint32_t add(struct pf_line_memo *memo, struct pf_bytes line, uint32_t tag)
{
    if (memo->count == UINT32_MAX || ((size_t)memo->count * 2 > memo->mask && !grow_slots(memo)) ||
        !pf_grow(&memo->rows, &memo->capacity, (size_t)memo->count + 1, sizeof *memo->rows))
        return 0;
    char *bytes = pf_arena_alloc(&memo->arena, line.size + 1);
    if (!bytes)
        return 0;
    if (line.size > 0)
        memcpy(bytes, line.data, line.size);
    bytes[line.size] = '\n';
    memo->rows[memo->count] = (struct pf_line_memo_row){bytes, (uint32_t)line.size, 0, 0};
    place(memo->slots, memo->mask, tag, memo->count);
    return memo->count++;
}

static uint32_t find(const struct pf_line_memo *memo, struct pf_bytes line, uint32_t tag)
{
    for (size_t slot = tag & memo->mask; memo->slots[slot].id; slot = (slot + 1) & memo->mask) {
        const struct pf_line_memo_row *row = &memo->rows[memo->slots[slot].id];

        if (memo->slots[slot].tag == tag &&
            pf_bytes_equal((struct pf_bytes){row->bytes, row->size}, line))
            return memo->slots[slot].id;
    }
    return 0;
}

uint32_t pf_line_memo_find(struct pf_line_memo *memo, uint32_t after, struct pf_bytes line)
{
    uint32_t id = find(memo, line, (uint32_t)pf_hash(line.data, line.size, memo->seed));

    if (id)
        memo->rows[after].next = id;
    return id;
}

uint32_t pf_line_memo_intern(struct pf_line_memo *memo, uint32_t after, struct pf_bytes line)
{
    uint32_t tag = (uint32_t)pf_hash(line.data, line.size, memo->seed), id = find(memo, line, tag);

    if (!id)
        id = add(memo, line, tag);
    memo->rows[after].next = id;
    return id;
}

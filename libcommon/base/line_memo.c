#include "base/line_memo.h"

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

static void place(struct pf_line_memo *memo, uint32_t tag, uint32_t id)
{
    size_t slot = tag & memo->mask;

    while (memo->slots[slot].id)
        slot = (slot + 1) & memo->mask;
    memo->slots[slot] = (struct pf_slot){tag, id};
}

static uint32_t add(struct pf_line_memo *memo, struct pf_bytes line, uint32_t tag)
{
    if (memo->count == UINT32_MAX ||
        ((size_t)memo->count * 2 > memo->mask &&
         !pf_slots_double(&memo->slots, &memo->mask, sizeof *memo->slots)) ||
        !pf_grow(&memo->rows, &memo->capacity, (size_t)memo->count + 1, sizeof *memo->rows))
        return 0;
    char *bytes = pf_arena_alloc(&memo->arena, line.size + 1);
    if (!bytes)
        return 0;
    if (line.size > 0)
        memcpy(bytes, line.data, line.size);
    bytes[line.size] = '\n';
    memo->rows[memo->count] = (struct pf_line_memo_row){bytes, (uint32_t)line.size, 0, 0};
    place(memo, tag, memo->count);
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

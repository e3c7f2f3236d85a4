/* What the reader of folded stacks remembers: stacks of earlier lines of a run by their text, and
 * lines that end in two counts. */
#include "format/folded/folded.h"

#include "base/hash.h"
#include "base/memory.h"
#include "codec/shared.h"

#include <stdlib.h>

/* --- stacks of earlier lines ------------------------------------------------------------------ */

enum { FIRST_SLOTS = 4096 };

struct pf_folded_known {
    const struct pf_dict *dict;
    struct pf_slot *slots; /* ids are stacks */
    size_t mask, count;
    uint64_t seed; /* of hashes */
    /* by location, side by side: a fifth of the time that following each location to its string
     * takes */
    struct pf_bytes *names;
    size_t name_count, name_capacity;
};

static const char OWNER;

static void free_known(void *known)
{
    free(((struct pf_folded_known *)known)->slots);
    free(((struct pf_folded_known *)known)->names);
}

struct pf_folded_known *pf_folded_known_get(struct pf_shared *shared, const struct pf_dict *dict)
{
    struct pf_folded_known *known =
        shared ? pf_shared_get(shared, &OWNER, sizeof *known, free_known) : NULL;

    if (known && !known->slots && (known->slots = calloc(FIRST_SLOTS, sizeof *known->slots))) {
        known->dict = dict;
        known->mask = FIRST_SLOTS - 1;
        known->seed = pf_hash_seed();
    }
    return known && known->slots && known->dict == dict ? known : NULL;
}

/* Compares the names of the frames of a stack with the text, from its end on. */
static bool has_text(const struct pf_folded_known *known, uint32_t stack, struct pf_bytes text)
{
    size_t left = text.size;

    for (;;) {
        const struct pf_stack *node = pf_dict_stack(known->dict, stack);
        struct pf_bytes name = known->names[node->location];

        if (name.size > left || memcmp(text.data + left - name.size, name.data, name.size) != 0)
            return false;
        left -= name.size;
        stack = node->parent;
        if (stack == 0)
            return left == 0;
        if (left == 0 || text.data[--left] != ';')
            return false;
    }
}

uint32_t pf_folded_known_find(const struct pf_folded_known *known, struct pf_bytes text,
                              uint32_t *tag)
{
    *tag = known ? (uint32_t)pf_hash(text.data, text.size, known->seed) : 0;
    if (!known || text.size == 0)
        return 0;
    for (size_t slot = *tag & known->mask; known->slots[slot].id; slot = (slot + 1) & known->mask)
        if (known->slots[slot].tag == *tag && has_text(known, known->slots[slot].id, text))
            return known->slots[slot].id;
    return 0;
}

/* Finds the names of new locations. */
static bool find_names(struct pf_folded_known *known)
{
    const struct pf_dict *dict = known->dict;

    if (!pf_grow(&known->names, &known->name_capacity, dict->locations.count, sizeof *known->names))
        return false;
    for (; known->name_count < dict->locations.count; known->name_count++) {
        const struct pf_location *location = pf_dict_location(dict, (uint32_t)known->name_count);
        const struct pf_function *function = pf_dict_function(dict, location->function);

        known->names[known->name_count] =
            pf_dict_string(dict, function->system_name ? function->system_name : function->name);
    }
    return true;
}

/* If memory runs out, new stacks stay unknown. */
void pf_folded_known_add(struct pf_folded_known *known, uint32_t tag, uint32_t stack)
{
    size_t slot;

    if ((known->count * 2 > known->mask &&
         !pf_slots_double(&known->slots, &known->mask, sizeof *known->slots)) ||
        stack == 0 || !find_names(known))
        return;
    for (slot = tag & known->mask; known->slots[slot].id; slot = (slot + 1) & known->mask)
        if (known->slots[slot].id == stack)
            return;
    known->slots[slot] = (struct pf_slot){tag, stack};
    known->count++;
}

/* --- lines of two counts ---------------------------------------------------------------------- */

bool pf_folded_pairs_add(struct pf_folded_pairs *pairs, uint32_t stack, struct pf_bytes tail,
                         struct pf_folded_count before, struct pf_folded_count after)
{
    size_t at = pairs->tails.size;

    if (!pf_grow(&pairs->rows, &pairs->capacity, pairs->count + 1, sizeof *pairs->rows) ||
        !pf_buffer_append(&pairs->tails, tail.data, tail.size))
        return false;
    pairs->rows[pairs->count++] =
        (struct pf_folded_pair){stack, (uint32_t)tail.size, at, before, after};
    if (before.decimals > pairs->decimals)
        pairs->decimals = before.decimals;
    if (after.decimals > pairs->decimals)
        pairs->decimals = after.decimals;
    return true;
}

void pf_folded_pairs_free(struct pf_folded_pairs *pairs)
{
    free(pairs->rows);
    pf_buffer_free(&pairs->tails);
}

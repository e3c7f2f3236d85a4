#include "base/table.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 32, AHEAD = 32, RUN = 8, SPREAD = 5 };

static uint64_t load_key(const void *row)
{
    uint64_t key;

    memcpy(&key, row, sizeof key);
    return key;
}

/* A third of the instructions of a hash for bytes of any number. */
static uint64_t words_hash(const struct pf_table *table, const char *row)
{
    uint64_t hash = table->seed;

    for (size_t k = 0; k < table->row_size; k += sizeof(uint64_t))
        hash = pf_hash_key(load_key(row + k), hash);
    return hash;
}

/* Most rows are one word, nearly all of them whole words. */
static inline uint64_t row_hash(const struct pf_table *table, const void *row)
{
    if (table->row_size == sizeof(uint64_t))
        return pf_hash_key(load_key(row), table->seed);
    if (table->row_size % sizeof(uint64_t) == 0)
        return words_hash(table, row);
    return pf_hash(row, table->row_size, table->seed);
}

int pf_table_init(struct pf_table *table, size_t row_size)
{
    *table = (struct pf_table){.row_size = row_size,
                               .count = 1,
                               .indexed = 1,
                               .slot_mask = FIRST_SLOTS - 1,
                               .seed = pf_hash_seed()};
    table->slots = calloc(FIRST_SLOTS, sizeof *table->slots);
    if (!table->slots || !pf_grow(&table->rows, &table->capacity, 1, row_size)) {
        pf_table_free(table);
        table->status = PF_NOMEM;
        return PF_NOMEM;
    }
    memset(table->rows, 0, row_size);
    return PF_OK;
}

void pf_table_free(struct pf_table *table)
{
    free(table->rows);
    free(table->slots);
    *table = (struct pf_table){0};
}

/* The slots in which a row is searched. The first 4 bytes of an 8-byte row give its first slot; the
 * next slots, and all slots of other rows, come in runs that the hash gives. Rows of 8 bytes are
 * mostly nodes of a tree that begin with their parent's id. The ids of a new branch are
 * consecutive, so their slots are near each other, which saves most cache misses. Measured
 * (processor time, 3 million calls, branches of 15 nodes, each interned from its root): 79 ns for a
 * new node and 51 ns for a known one, against 193 and 174 with slots by hash alone; nodes in random
 * order cost 154 against 115. With SPREAD 5 and a load of 0.3 to 0.6 the first slots go 1.5 to 3
 * times around the table, evenly. After each run a search jumps, so that it leaves a stretch of
 * full slots. */
struct probe {
    uint64_t hash;
    size_t slot;
    unsigned tried;
};

static struct probe first_probe(const struct pf_table *table, const void *row, uint64_t hash)
{
    uint32_t parent;

    if (table->row_size != sizeof(uint64_t))
        return (struct probe){hash, (size_t)hash & table->slot_mask, RUN};
    memcpy(&parent, row, sizeof parent);
    return (struct probe){hash, (size_t)parent * SPREAD & table->slot_mask, RUN - 1};
}

static void next_probe(const struct pf_table *table, struct probe *probe)
{
    if (++probe->tried % RUN != 0)
        probe->slot++;
    else
        probe->slot = (size_t)(probe->hash + (probe->hash >> 32 | 1) * (probe->tried - RUN));
    probe->slot &= table->slot_mask;
}

/* The value of a slot: the id, and a piece of the hash in the bits above. Ids are smaller than the
 * number of slots, so they leave these bits free. Comparing the piece saves reading most other
 * rows, each a cache miss. */
static uint32_t slot_value(const struct pf_table *table, uint64_t hash, uint32_t id)
{
    return ((uint32_t)(hash >> 32) & ~(uint32_t)table->slot_mask) | id;
}

/* True if a slot may have a row with this hash; the id is then value & slot_mask. */
static bool may_be(const struct pf_table *table, uint64_t hash, uint32_t value)
{
    return ((value ^ (uint32_t)(hash >> 32)) & ~(uint32_t)table->slot_mask) == 0;
}

static void fill_slot(struct pf_table *table, struct probe probe, uint32_t id)
{
    while (table->slots[probe.slot] != 0)
        next_probe(table, &probe);
    table->slots[probe.slot] = slot_value(table, probe.hash, id);
}

/* Gives slots to all rows that have none. Slots are scattered in memory, so the next ones are
 * prefetched. */
static void fill_slots(struct pf_table *table)
{
    while (table->indexed < table->count) {
        struct probe probes[AHEAD];
        uint32_t first = table->indexed;
        uint32_t count = table->count - first < AHEAD ? table->count - first : AHEAD;

        for (uint32_t k = 0; k < count; k++) {
            const void *row = pf_table_row(table, first + k);

            probes[k] = first_probe(table, row, row_hash(table, row));
            pf_prefetch(table->slots + probes[k].slot);
        }
        for (uint32_t k = 0; k < count; k++)
            fill_slot(table, probes[k], first + k);
        table->indexed += count;
    }
}

/* Allocates so many slots that `count` rows are a load of 0.6 or less. */
static bool grow_slots(struct pf_table *table, uint64_t count)
{
    size_t mask = table->slot_mask;

    while (count * 5 > ((uint64_t)mask + 1) * 3 && mask < SIZE_MAX / 2)
        mask = mask * 2 + 1;
    uint32_t *slots = pf_zeroed(mask + 1, sizeof *slots);

    if (!slots)
        return false;
    free(table->slots);
    table->slots = slots;
    table->slot_mask = mask;
    table->indexed = 1;
    return true;
}

/* Gives slots to all rows, and makes room for `more` rows. */
static bool make_slots(struct pf_table *table, uint32_t more)
{
    uint64_t all = (uint64_t)table->count + more;

    if (all * 5 > ((uint64_t)table->slot_mask + 1) * 3 && !grow_slots(table, all)) {
        table->status = PF_NOMEM;
        return false;
    }
    fill_slots(table);
    return true;
}

static bool make_room(struct pf_table *table, uint32_t count)
{
    uint64_t all = (uint64_t)table->count + count;

    if (table->status == PF_OK && (all > UINT32_MAX || !pf_grow(&table->rows, &table->capacity,
                                                                (size_t)all, table->row_size)))
        table->status = PF_NOMEM;
    return table->status == PF_OK;
}

/* Adds a row that the table does not have. */
static uint32_t add_row(struct pf_table *table, const void *row, uint64_t hash)
{
    uint32_t id = table->count;

    if (!make_room(table, 1) || !make_slots(table, 1))
        return 0;
    memcpy(table->rows + (size_t)id * table->row_size, row, table->row_size);
    fill_slot(table, first_probe(table, row, hash), id);
    table->count = table->indexed = id + 1;
    return id;
}

/* find_row for rows of 8 bytes, which are most of the work. */
static uint32_t find_key(const struct pf_table *table, uint64_t key, struct probe probe)
{
    uint32_t value;

    for (; (value = table->slots[probe.slot]) != 0; next_probe(table, &probe)) {
        uint32_t id = value & (uint32_t)table->slot_mask;

        if (may_be(table, probe.hash, value) &&
            load_key(table->rows + (size_t)id * sizeof key) == key)
            return id;
    }
    return 0;
}

/* Compares rows. Most rows are a few whole words, for which this is faster than memcmp. */
static bool same_row(const char *a, const char *b, size_t size)
{
    if (size % sizeof(uint64_t) != 0)
        return memcmp(a, b, size) == 0;
    for (size_t k = 0; k < size; k += sizeof(uint64_t))
        if (load_key(a + k) != load_key(b + k))
            return false;
    return true;
}

static uint32_t find_row(const struct pf_table *table, const void *row, struct probe probe)
{
    uint32_t value;

    for (; (value = table->slots[probe.slot]) != 0; next_probe(table, &probe)) {
        uint32_t id = value & (uint32_t)table->slot_mask;

        if (may_be(table, probe.hash, value) &&
            same_row(pf_table_row(table, id), row, table->row_size))
            return id;
    }
    return 0;
}

static uint32_t find(const struct pf_table *table, const void *row, uint64_t hash)
{
    struct probe probe = first_probe(table, row, hash);

    if (table->row_size == sizeof(uint64_t))
        return find_key(table, load_key(row), probe);
    return find_row(table, row, probe);
}

uint32_t pf_table_find(const struct pf_table *table, const void *row)
{
    return !table->slots ? 0 : find(table, row, row_hash(table, row));
}

void pf_table_hint(const struct pf_table *table, const void *row)
{
    if (table->slots)
        pf_prefetch(table->slots + first_probe(table, row, row_hash(table, row)).slot);
}

void pf_table_hint_row(const struct pf_table *table, const void *row)
{
    if (table->slots) {
        uint32_t value = table->slots[first_probe(table, row, row_hash(table, row)).slot];

        pf_prefetch(pf_table_row(table, value & (uint32_t)table->slot_mask));
    }
}

uint32_t pf_table_intern(struct pf_table *table, const void *row)
{
    uint64_t hash;
    uint32_t id;

    if (!table->slots || memcmp(row, table->rows, table->row_size) == 0 ||
        (table->indexed < table->count && !make_slots(table, 0)))
        return 0;
    hash = row_hash(table, row);
    id = find(table, row, hash);
    return id != 0 ? id : add_row(table, row, hash);
}

uint32_t pf_table_append(struct pf_table *table, const void *rows, uint32_t count)
{
    uint32_t first = pf_table_append_unindexed(table, rows, count);

    return first != 0 && make_slots(table, 0) ? first : 0;
}

uint32_t pf_table_append_unindexed(struct pf_table *table, const void *rows, uint32_t count)
{
    uint32_t first = table->count;

    if (!make_room(table, count))
        return 0;
    memcpy(table->rows + (size_t)first * table->row_size, rows, count * table->row_size);
    table->count += count;
    return first;
}

void pf_table_truncate(struct pf_table *table, uint32_t count)
{
    if (count >= table->count)
        return;
    memset(table->slots, 0, (table->slot_mask + 1) * sizeof *table->slots);
    table->count = count;
    table->indexed = 1;
    make_slots(table, 0);
}

/* Tests of walks over trees in reading order. The expected order is written by hand or follows from
 * the rules of a walk. */
#include "analysis/sum/walk.h"
#include "base/error.h"
#include "tap.h"

#include <stdlib.h>

struct row {
    uint32_t parent, name;
};

static void test_order(void)
{
    /* 1(2(5) 4) 3(6), added level by level */
    static const struct row rows[] = {{0, 'a'}, {1, 'b'}, {0, 'c'}, {1, 'd'}, {2, 'e'}, {3, 'f'}};
    static const uint32_t nodes[] = {1, 2, 5, 4, 3, 6}, depths[] = {1, 2, 3, 2, 1, 2};
    struct pf_table table;
    struct pf_walk walk;
    bool same = pf_table_init(&table, sizeof(struct row)) == PF_OK &&
                pf_table_append(&table, rows, 6) == 1;

    tap_ok(same && pf_walk_init(&walk, &table, table.count) == PF_OK,
           "a walk over six nodes can be prepared");
    for (size_t k = 0; k < 6; k++)
        same = same && pf_walk_next(&walk) == nodes[k] && walk.depth == depths[k];
    tap_ok(same, "a node comes before the nodes below it, and these come before its sibling");
    tap_int(pf_walk_next(&walk), 0, "then there is none");
    pf_walk_free(&walk);
    tap_ok(pf_walk_init(&walk, &table, 4) == PF_OK && pf_walk_next(&walk) == 1 &&
               pf_walk_next(&walk) == 2 && pf_walk_next(&walk) == 3 && pf_walk_next(&walk) == 0,
           "later nodes can be left out");
    pf_walk_free(&walk);
    tap_ok(pf_walk_init(&walk, &table, 0) == PF_OK && pf_walk_next(&walk) == 0,
           "a walk over no nodes ends at once");
    pf_walk_free(&walk);
    pf_table_free(&table);
}

static void test_path(void)
{
    /* a(b(a) b) b(c(b)); a recursive node has the same letter above it */
    static const struct row rows[] = {{0, 1}, {1, 2}, {2, 1}, {0, 2}, {4, 3}, {5, 2}};
    static const bool again[] = {false, false, true, false, false, true};
    struct pf_table table;
    struct pf_walk walk;
    struct pf_path path = {0};
    bool same = pf_table_init(&table, sizeof(struct row)) == PF_OK &&
                pf_table_append(&table, rows, 6) == 1 &&
                pf_walk_init(&walk, &table, table.count) == PF_OK;

    for (size_t k = 0; same && k < 6; k++) {
        uint32_t node = pf_walk_next(&walk);
        same = pf_path_enter(&path, &walk,
                             ((const struct row *)pf_table_row(&table, node))->name) == PF_OK &&
               path.again == again[k];
    }
    tap_ok(same, "a tag is found on the path exactly if a node above has it");
    pf_path_free(&path);
    pf_walk_free(&walk);
    pf_table_free(&table);
}

/* 20,000 nodes with random parents: each is visited once, after its parent, and each subtree in one
 * piece. Paths are compared with a search through all parents. */
static void test_chance(void)
{
    enum { NODES = 20001, TAGS = 50 };
    struct row *rows = calloc(NODES, sizeof *rows);
    uint32_t *place = calloc(NODES, sizeof *place), *size = calloc(NODES, sizeof *size), count = 0;
    struct pf_table table;
    struct pf_walk walk;
    struct pf_path path = {0};
    bool ordered = true, tagged = true;
    uint64_t seed = 1;

    for (uint32_t k = 1; k < NODES; k++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        uint32_t chance = (uint32_t)(seed >> 33);
        rows[k] = (struct row){chance % 4 ? k - 1 : chance / 4 % k, (k << 6) + chance / 8 % TAGS};
    }
    pf_table_init(&table, sizeof(struct row));
    pf_table_append(&table, rows + 1, NODES - 1);
    pf_walk_init(&walk, &table, NODES);
    for (uint32_t node; (node = pf_walk_next(&walk)) != 0;) {
        uint32_t tag = rows[node].name & 63, above = rows[node].parent, depth = 1;
        bool again = false;
        ordered = ordered && place[node] == 0 && (above == 0 || place[above] != 0);
        place[node] = ++count;
        for (; above != 0; above = rows[above].parent, depth++)
            again = again || (rows[above].name & 63) == tag;
        ordered = ordered && depth == walk.depth;
        tagged = tagged && pf_path_enter(&path, &walk, tag) == PF_OK && path.again == again;
    }
    for (uint32_t node = NODES; node-- > 1;)
        size[rows[node].parent] += ++size[node];
    for (uint32_t node = 1; node < NODES; node++)
        ordered = ordered &&
                  (rows[node].parent == 0 ||
                   place[node] + size[node] <= place[rows[node].parent] + size[rows[node].parent]);
    tap_int(count, NODES - 1, "every node of a random tree is visited");
    tap_ok(ordered, "each node is visited once, after its parent and within its subtree");
    tap_ok(tagged, "the path has the tags above each node");
    pf_path_free(&path);
    pf_walk_free(&walk);
    pf_table_free(&table);
    free(rows);
    free(place);
    free(size);
}

int main(void)
{
    test_order();
    test_path();
    test_chance();
    return tap_done();
}

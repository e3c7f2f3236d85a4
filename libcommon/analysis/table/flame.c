#include "analysis/table/flame.h"

#include "analysis/sum/file_scope.h"
#include "analysis/sum/sort.h"
#include "analysis/table/tree.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static bool wants_all(void *arg, uint32_t measure)
{
    (void)arg;
    (void)measure;
    return true;
}

static int init(struct pf_flame *flame)
{
    flame->sums.dict = flame->calls.dict = flame->dict;
    flame->sums.wants = wants_all;
    if (flame->label != 0) {
        if (pf_slices_init(&flame->slices, flame->dict, flame->label) != PF_OK)
            return PF_NOMEM;
        flame->sums.slices = &flame->slices;
    }
    return pf_keys_init(&flame->keys, flame->dict, flame->by, 0);
}

int pf_flame_open(struct pf_flame *flame, struct pf_writer *writer)
{
    const char *by = pf_options_get(writer->options, "by");

    flame->dict = writer->dict;
    flame->reverse = pf_options_get(writer->options, "reverse");
    flame->by = by && strcmp(by, "name") == 0 ? PF_BY_NAME : PF_BY_FUNCTION;
    return init(flame) == PF_OK ? PF_OK : pf_error_nomem(&writer->error);
}

void pf_flame_free(struct pf_flame *flame)
{
    pf_accumulator_free(&flame->sums);
    pf_accumulator_free(&flame->calls);
    pf_facts_free(&flame->facts);
    pf_slices_free(&flame->slices);
    pf_keys_free(&flame->keys);
    free(flame->key);
    free(flame->parent);
    free(flame->depth);
    free(flame->end);
    free(flame->places);
}

int pf_flame_add(struct pf_flame *flame, const struct pf_batch *batch, struct pf_error *error)
{
    if (batch->kind == PF_SAMPLE)
        return pf_accumulator_add(&flame->sums, batch, error);
    if (batch->kind == PF_META && pf_facts_add(&flame->facts, flame->dict, batch) != PF_OK)
        return pf_error_nomem(error);
    flame->others += batch->kind < PF_RECORD_KINDS ? batch->rows : 0;
    return pf_file_scope_possible(flame->dict, &flame->facts)
               ? pf_accumulator_add(&flame->calls, batch, error)
               : PF_OK;
}

static uint32_t stack_of(const struct pf_flame *flame, size_t record)
{
    return flame->label != 0 ? pf_merge_records_key(&flame->slices.records, record)->place - 1
                             : (uint32_t)record;
}

uint32_t pf_flame_slice(const struct pf_flame *flame, size_t record)
{
    return flame->label != 0 ? pf_merge_records_key(&flame->slices.records, record)->labels : 0;
}

/* The element of a node's parent may be far away in memory: it is prefetched this many nodes
 * ahead. */
enum { AHEAD = 32 };

/* --- joining ---------------------------------------------------------------------------------- */

static int mark_records(struct pf_flame *flame)
{
    for (uint32_t i = 0; i < flame->sums.ledger.count; i++)
        if (flame->sums.ledger.sums[i].count > flame->place_count)
            flame->place_count = flame->sums.ledger.sums[i].count;
    flame->places = malloc((flame->place_count + 1) * sizeof *flame->places);
    if (!flame->places)
        return PF_NOMEM;
    memset(flame->places, 0xff, flame->place_count * sizeof *flame->places);
    for (uint32_t i = 0; i < flame->sums.ledger.count; i++)
        for (size_t k = 0; k < flame->sums.ledger.sums[i].count; k++)
            if (flame->sums.ledger.sums[i].data[k] != 0)
                flame->places[k] = 0;
    return PF_OK;
}

static bool allocate_nodes(struct pf_flame *flame)
{
    flame->key = calloc(flame->count, sizeof *flame->key);
    flame->parent = calloc(flame->count, sizeof *flame->parent);
    return flame->key && flame->parent;
}

static int copy_nodes(struct pf_flame *flame, const struct pf_table *nodes)
{
    flame->count = nodes->count;
    if (nodes->status != PF_OK || !allocate_nodes(flame))
        return PF_NOMEM;
    for (uint32_t node = 0; node < flame->count; node++) {
        const struct pf_tree_node *row = pf_table_row(nodes, node);
        flame->key[node] = row->key;
        flame->parent[node] = row->parent;
    }
    return PF_OK;
}

/* Sets *differ to true if all locations have different keys: then different stacks are different
 * nodes. PF_OK or PF_NOMEM. */
static int all_differ(const struct pf_keys *keys, bool *differ)
{
    unsigned char *met = calloc(keys->table.count, 1);

    if (!met)
        return PF_NOMEM;
    *differ = true;
    for (size_t i = 1; i < keys->place_count; i++) {
        *differ = *differ && !met[keys->places[i]];
        met[keys->places[i]] = 1;
    }
    free(met);
    return PF_OK;
}

/* Sets joined[stack] to 0 if a record has a value at or below the stack, else to UINT32_MAX. */
static void mark_stacks(const struct pf_flame *flame, uint32_t *joined)
{
    const struct pf_dict *dict = flame->dict;

    memset(joined, 0xff, dict->stacks.count * sizeof *joined);
    joined[0] = 0;
    for (size_t record = 0; record < flame->place_count; record++)
        if (flame->places[record] == 0)
            joined[stack_of(flame, record)] = 0;
    for (uint32_t stack = dict->stacks.count; stack-- > 1;) {
        if (stack > AHEAD)
            pf_prefetch(&joined[pf_dict_stack(dict, stack - AHEAD)->parent]);
        if (joined[stack] == 0)
            joined[pf_dict_stack(dict, stack)->parent] = 0;
    }
}

/* Numbers the marked stacks when no two can be the same node, so that no table is needed. */
static int number_stacks(struct pf_flame *flame, uint32_t *joined)
{
    const struct pf_dict *dict = flame->dict;

    flame->count = 1;
    for (uint32_t stack = 1; stack < dict->stacks.count; stack++)
        if (joined[stack] == 0)
            joined[stack] = flame->count++;
    if (!allocate_nodes(flame))
        return PF_NOMEM;
    for (uint32_t stack = 1; stack < dict->stacks.count; stack++) {
        const struct pf_stack *frame = pf_dict_stack(dict, stack);
        if (stack + AHEAD < dict->stacks.count)
            pf_prefetch(&joined[pf_dict_stack(dict, stack + AHEAD)->parent]);
        if (joined[stack] != UINT32_MAX) {
            flame->parent[joined[stack]] = joined[frame->parent];
            flame->key[joined[stack]] = flame->keys.places[frame->location];
        }
    }
    return PF_OK;
}

static int join_stacks(struct pf_flame *flame, struct pf_table *nodes, uint32_t *joined)
{
    const struct pf_dict *dict = flame->dict;

    for (uint32_t stack = 1; stack < dict->stacks.count; stack++) {
        const struct pf_stack *frame = pf_dict_stack(dict, stack);
        if (joined[stack] == 0) {
            struct pf_tree_node row = {joined[frame->parent], flame->keys.places[frame->location]};
            joined[stack] = pf_table_intern(nodes, &row);
        }
    }
    return copy_nodes(flame, nodes);
}

static int make_tree(struct pf_flame *flame, struct pf_table *nodes)
{
    uint32_t *joined = malloc(flame->dict->stacks.count * sizeof *joined);
    bool differ;
    int status = joined && all_differ(&flame->keys, &differ) == PF_OK ? PF_OK : PF_NOMEM;

    if (status == PF_OK) {
        mark_stacks(flame, joined);
        status = differ ? number_stacks(flame, joined) : join_stacks(flame, nodes, joined);
    }
    for (size_t record = 0; status == PF_OK && record < flame->place_count; record++)
        if (flame->places[record] == 0)
            flame->places[record] = joined[stack_of(flame, record)];
    free(joined);
    return status;
}

static int make_reversed_tree(struct pf_flame *flame, struct pf_table *nodes)
{
    for (size_t record = 0; record < flame->place_count; record++) {
        uint32_t node = 0;
        if (flame->places[record] != 0)
            continue;
        for (uint32_t stack = stack_of(flame, record); stack != 0;
             stack = pf_dict_stack(flame->dict, stack)->parent) {
            struct pf_tree_node row = {
                node, flame->keys.places[pf_dict_stack(flame->dict, stack)->location]};
            node = pf_table_intern(nodes, &row);
        }
        flame->places[record] = node;
    }
    return copy_nodes(flame, nodes);
}

int pf_flame_make(struct pf_flame *flame, struct pf_error *error)
{
    struct pf_table nodes = {0};
    int status = pf_file_scope_add(&flame->calls, &flame->sums, flame->dict, &flame->facts,
                                   flame->by, NULL, error);

    if (status != PF_OK)
        return status;
    if (flame->others > 0 && flame->sums.records[PF_SAMPLE] == 0 && !flame->sums.file_scope)
        return PF_EOF;
    status = PF_NOMEM;
    if (pf_keys_places(&flame->keys) == PF_OK && mark_records(flame) == PF_OK &&
        pf_table_init(&nodes, sizeof(struct pf_tree_node)) == PF_OK)
        status = flame->reverse ? make_reversed_tree(flame, &nodes) : make_tree(flame, &nodes);
    pf_table_free(&nodes);
    return status == PF_OK ? PF_OK : pf_error_nomem(error);
}

/* --- subjects --------------------------------------------------------------------------------- */

static bool is_drawable(const struct pf_sums *sums)
{
    return sums->quantity.joined && sums->quantity.measure.kind == PF_SAMPLE &&
           sums->quantity.measure.aggregation == PF_SUM;
}

static struct pf_bytes stem_of(const struct pf_flame *flame, const struct pf_measure *measure)
{
    return pf_side_stem(pf_dict_string(flame->dict, measure->name), (enum pf_side)measure->side);
}

/* The drawable sums of one side of a difference; NULL: there are none. */
static const struct pf_sums *sums_of_side(const struct pf_flame *flame, struct pf_bytes stem,
                                          enum pf_side side)
{
    for (uint32_t i = 0; i < flame->sums.ledger.count; i++) {
        const struct pf_sums *sums = &flame->sums.ledger.sums[i];
        const struct pf_measure *measure = &sums->quantity.measure;

        if (is_drawable(sums) && measure->side == side &&
            pf_bytes_equal(stem_of(flame, measure), stem))
            return sums;
    }
    return NULL;
}

/* If the measure is part of a difference and both sides exist, makes them the subject. */
static void find_sides(const struct pf_flame *flame, const struct pf_sums *sums,
                       struct pf_flame_subject *subject)
{
    struct pf_bytes stem = stem_of(flame, &sums->quantity.measure);
    bool any = sums->quantity.measure.side != PF_NO_SIDE;
    const struct pf_sums *before = any ? sums_of_side(flame, stem, PF_BEFORE) : NULL;
    const struct pf_sums *after = any ? sums_of_side(flame, stem, PF_AFTER) : NULL;

    if (!before || !after)
        return;
    subject->sums[0] = before;
    subject->sums[1] = after;
    subject->name = stem.size > 1 ? (struct pf_bytes){stem.data, stem.size - 1}
                                  : PF_BYTES("samples");
}

static int set_subject(const struct pf_flame *flame, const struct pf_sums *sums,
                       struct pf_flame_subject *subject, struct pf_error *error)
{
    const struct pf_measure *measure = &sums->quantity.measure;
    int status;

    *subject = (struct pf_flame_subject){.sums = {sums},
                                         .name = pf_dict_string(flame->dict, measure->name)};
    subject->name_flags = flame->dict->strings.rows[measure->name].flags;
    find_sides(flame, sums, subject);
    status = pf_quantity_scale(&subject->sums[0]->quantity, flame->dict, PF_UNIT_AUTO,
                               &subject->scale, error);
    subject->parts = subject->scale.time ? subject->scale.den : subject->scale.parts;
    subject->scale.den = 1;
    return status;
}

int64_t pf_flame_shown(const struct pf_flame_subject *subject, int64_t amount)
{
    int64_t shown = amount;

    return subject->parts <= 1 || !subject->scale.time ||
                   pf_scale64(amount, 1, subject->parts, &shown)
               ? shown
               : amount;
}

/* The sums to show first. Only looks at measures that have sums: the dictionary of a difference
 * also has the measures of its runs. */
static const struct pf_sums *main_sums(const struct pf_flame *flame)
{
    const struct pf_measures *measures = &flame->dict->measures;
    struct pf_main_choice choice = {0};
    const struct pf_sums *best = NULL;

    for (uint32_t k = 0; k < pf_measures_count(measures); k++) {
        const struct pf_sums *sums = pf_accumulator_find(&flame->sums, k);
        if (sums && is_drawable(sums) &&
            pf_main_offer(&choice, flame->dict, pf_measures_row(measures, k)))
            best = sums;
    }
    return best;
}

int pf_flame_subjects(const struct pf_flame *flame, struct pf_flame_subject **subjects,
                      size_t *count, size_t *main, struct pf_error *error)
{
    const struct pf_sums *first = main_sums(flame);
    int status = PF_OK;

    *main = *count = 0;
    if ((*subjects = calloc((size_t)flame->sums.ledger.count + 1, sizeof **subjects)) == NULL)
        return pf_error_nomem(error);
    for (uint32_t i = 0; i < flame->sums.ledger.count && status == PF_OK; i++) {
        const struct pf_sums *sums = &flame->sums.ledger.sums[i];
        struct pf_flame_subject *subject = &(*subjects)[*count];
        size_t same = 0;
        if (!is_drawable(sums))
            continue;
        status = set_subject(flame, sums, subject, error);
        while (same < *count && ((*subjects)[same].sums[0] != subject->sums[0] ||
                                 (*subjects)[same].sums[1] != subject->sums[1]))
            same++;
        *main = sums == first ? same : *main;
        *count += same == *count;
    }
    if (status == PF_OK && *count == 0 && flame->sums.ledger.count > 0)
        status = pf_error_set(
            error, PF_USAGE,
            "the values of these records are maxima, which cannot be added up to a width");
    return status;
}

int pf_flame_main(struct pf_flame *flame, struct pf_flame_subject *subject,
                  struct pf_held_measures *held, struct pf_error *error)
{
    struct pf_flame_subject *subjects = NULL;
    size_t count = 0, main;
    int status = pf_flame_make(flame, error);

    *subject = (struct pf_flame_subject){0};
    if (status == PF_OK)
        status = pf_flame_subjects(flame, &subjects, &count, &main, error);
    if (status == PF_OK && count > 0) {
        *subject = subjects[main];
        pf_held_measures_add(held, &subject->sums[0]->quantity.measure);
    }
    free(subjects);
    return status;
}

/* --- amounts ---------------------------------------------------------------------------------- */

void pf_flame_amounts_free(struct pf_flame_amounts *amounts)
{
    for (unsigned side = 0; side < 2; side++) {
        free(amounts->self[side]);
        free(amounts->total[side]);
    }
    free(amounts->width);
}

static int overflow(const struct pf_flame_subject *subject, struct pf_error *error)
{
    return pf_error_set(error, PF_OVERFLOW,
                        "the sum of measure '%s' below one frame overflows 64 bits",
                        pf_clip(subject->name).text);
}

/* Turns the amounts of nodes into those of their subtrees. */
static int add_subtrees(const struct pf_flame *flame, const struct pf_flame_subject *subject,
                        int64_t *amounts, struct pf_error *error)
{
    for (uint32_t node = flame->count; node-- > 1;) {
        int64_t *parent = &amounts[flame->parent[node]];
        if (node > AHEAD)
            pf_prefetch(&amounts[flame->parent[node - AHEAD]]);
        if (!pf_add64(*parent, amounts[node], parent))
            return overflow(subject, error);
    }
    return PF_OK;
}

static int measure_side(const struct pf_flame *flame, const struct pf_flame_subject *subject,
                        unsigned side, struct pf_flame_amounts *amounts, struct pf_error *error)
{
    const struct pf_sums *sums = subject->sums[side];
    int64_t *self = amounts->self[side] = pf_zeroed(flame->count, sizeof *self);
    int64_t *total = amounts->total[side] = pf_zeroed(flame->count, sizeof *total);
    int status = self && total ? PF_OK : pf_error_nomem(error);

    for (size_t record = 0; status == PF_OK && sums && record < sums->count; record++)
        if (sums->data[record] != 0 && !pf_add64(self[flame->places[record]], sums->data[record],
                                                 &self[flame->places[record]]))
            status = overflow(subject, error);
    for (uint32_t node = 0; status == PF_OK && sums && node < flame->count; node++) {
        status = pf_scale_amount(&subject->scale, self[node], &self[node], error);
        total[node] = self[node];
    }
    return status == PF_OK ? add_subtrees(flame, subject, total, error) : status;
}

static int64_t magnitude(int64_t amount)
{
    return amount == INT64_MIN ? INT64_MAX : amount < 0 ? -amount : amount;
}

/* For flame->reverse: the self amount of a function is the total of its node that is a child of the
 * root; other nodes have no self amount. */
static void reverse_selves(const struct pf_flame *flame, const int64_t *total, int64_t *self)
{
    for (uint32_t node = 1; node < flame->count; node++)
        self[node] = flame->parent[node] == 0 ? total[node] : 0;
}

int pf_flame_measure(const struct pf_flame *flame, const struct pf_flame_subject *subject,
                     struct pf_flame_amounts *amounts, struct pf_error *error)
{
    int64_t *width = amounts->width = pf_zeroed(flame->count, sizeof *width);
    unsigned side_count = subject->sums[1] ? 2 : 1;
    int status = width ? PF_OK : pf_error_nomem(error);

    for (unsigned side = 0; status == PF_OK && side < side_count; side++)
        status = measure_side(flame, subject, side, amounts, error);
    for (unsigned side = 0; status == PF_OK && side < side_count; side++)
        for (uint32_t node = 0; node < flame->count; node++)
            if (magnitude(amounts->self[side][node]) > width[node])
                width[node] = magnitude(amounts->self[side][node]);
    for (unsigned side = 0; status == PF_OK && flame->reverse && side < side_count; side++)
        reverse_selves(flame, amounts->total[side], amounts->self[side]);
    return status == PF_OK ? add_subtrees(flame, subject, width, error) : status;
}

/* --- order ------------------------------------------------------------------------------------ */

/* Turns counts in first[k + 1] into offsets in first[k]: group k ends where group k + 1 begins. */
static void add_up(uint32_t *first, size_t count)
{
    for (size_t k = 1; k <= count; k++)
        first[k] += first[k - 1];
}

static int compare_keys(const void *keys, const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;

    return pf_keys_compare(keys, *x, *y);
}

/* The new order and its scratch space, by node. */
struct ordering {
    uint32_t *size;   /* number of nodes in the subtree; 0: left out */
    uint32_t *number; /* number in preorder */
    /* the nodes that are kept, without the root, by the names of their functions */
    uint32_t *sorted;
    /* children of `node`: children[first[node]] to children[first[node + 1] - 1] */
    uint32_t *first, *children;
};

/* Counts the nodes of each subtree that are kept. Parents are at least as wide as children, so a
 * kept node has kept parents. */
static void count_nodes(const struct pf_flame *flame, const int64_t *width, int64_t least,
                        uint32_t *size)
{
    for (uint32_t node = flame->count; node-- > 1;)
        if (!width || width[flame->parent[node]] >= least)
            size[flame->parent[node]] += ++size[node];
    size[0]++;
}

/* Sorts the nodes by name: sorts the functions, which are few, and then distributes the nodes. */
static int sort_nodes(const struct pf_flame *flame, const struct ordering *ordering)
{
    uint32_t count = flame->keys.table.count, used = 0;
    uint32_t *order = calloc(count, sizeof *order), *rank = calloc(count, sizeof *rank),
             *first = calloc((size_t)count + 1, sizeof *first);
    int status = order && rank && first ? PF_OK : PF_NOMEM;

    for (uint32_t node = 1; status == PF_OK && node < flame->count; node++)
        if (ordering->size[node] > 0 && rank[flame->key[node]]++ == 0)
            order[used++] = flame->key[node];
    if (status == PF_OK)
        status = pf_sort(order, used, sizeof *order, compare_keys, &flame->keys);
    for (uint32_t k = 0; status == PF_OK && k < used; k++) {
        first[k + 1] = rank[order[k]];
        rank[order[k]] = k;
    }
    if (status == PF_OK)
        add_up(first, used);
    for (uint32_t node = 1; status == PF_OK && node < flame->count; node++)
        if (ordering->size[node] > 0)
            ordering->sorted[first[rank[flame->key[node]]]++] = node;
    free(order);
    free(rank);
    free(first);
    return status;
}

/* Numbers the nodes: a node comes after its parent and after the subtrees of its earlier
 * siblings. */
static void number_nodes(const struct pf_flame *flame, const struct ordering *ordering)
{
    uint32_t *first = ordering->first, count = ordering->size[0] - 1;

    for (uint32_t i = 0; i < count; i++)
        first[flame->parent[ordering->sorted[i]] + 2]++;
    add_up(first, (size_t)flame->count + 1);
    for (uint32_t i = 0; i < count; i++)
        ordering->children[first[flame->parent[ordering->sorted[i]] + 1]++] = ordering->sorted[i];
    for (uint32_t node = 0; node < flame->count; node++) {
        uint32_t at = ordering->number[node] + 1;
        for (uint32_t i = first[node]; i < first[node + 1]; i++) {
            ordering->number[ordering->children[i]] = at;
            at += ordering->size[ordering->children[i]];
        }
    }
}

/* Reorders amounts (*amounts may be NULL). False: out of memory; then they are unchanged. */
static bool move_amounts(const struct pf_flame *flame, const struct ordering *ordering,
                         int64_t **amounts)
{
    int64_t *moved = *amounts ? malloc(ordering->size[0] * sizeof *moved) : NULL;

    if (!moved)
        return !*amounts;
    for (uint32_t node = 0; node < flame->count; node++)
        if (ordering->size[node] > 0)
            moved[ordering->number[node]] = (*amounts)[node];
    free(*amounts);
    *amounts = moved;
    return true;
}

static bool move_all(const struct pf_flame *flame, const struct ordering *ordering,
                     struct pf_flame_amounts *amounts)
{
    bool good = !amounts || move_amounts(flame, ordering, &amounts->width);

    for (unsigned side = 0; good && amounts && side < 2; side++)
        good = move_amounts(flame, ordering, &amounts->self[side]) &&
               move_amounts(flame, ordering, &amounts->total[side]);
    return good;
}

static bool move_nodes(struct pf_flame *flame, const struct ordering *ordering)
{
    uint32_t count = ordering->size[0];
    uint32_t *key = malloc(count * sizeof *key), *parent = malloc(count * sizeof *parent);
    uint32_t *depth = calloc(count, sizeof *depth), *end = malloc(count * sizeof *end);
    bool good = key && parent && depth && end;

    for (uint32_t node = 0; good && node < flame->count; node++) {
        uint32_t at = ordering->number[node];
        if (ordering->size[node] == 0)
            continue;
        key[at] = flame->key[node];
        parent[at] = ordering->number[flame->parent[node]];
        depth[at] = node == 0 ? 0 : depth[parent[at]] + 1;
        end[at] = at + ordering->size[node];
        flame->height = depth[at] > flame->height ? depth[at] : flame->height;
    }
    for (size_t record = 0; good && record < flame->place_count; record++) {
        uint32_t *place = &flame->places[record];
        if (*place != UINT32_MAX)
            *place = ordering->size[*place] > 0 ? ordering->number[*place] : UINT32_MAX;
    }
    free(flame->key);
    free(flame->parent);
    flame->key = key;
    flame->parent = parent;
    flame->depth = depth;
    flame->end = end;
    flame->count = count;
    return good;
}

int pf_flame_order(struct pf_flame *flame, struct pf_flame_amounts *amounts, int64_t least,
                   struct pf_error *error)
{
    size_t count = flame->count;
    struct ordering ordering = {.size = calloc(count, sizeof *ordering.size),
                                .first = calloc(count + 2, sizeof *ordering.first)};
    bool good = ordering.size && ordering.first;

    if (good) {
        count_nodes(flame, amounts ? amounts->width : NULL, least, ordering.size);
        ordering.sorted = malloc(ordering.size[0] * sizeof *ordering.sorted);
        ordering.children = malloc(ordering.size[0] * sizeof *ordering.children);
        ordering.number = calloc(count, sizeof *ordering.number);
        good = ordering.sorted && ordering.children && ordering.number &&
               sort_nodes(flame, &ordering) == PF_OK;
    }
    if (good) {
        number_nodes(flame, &ordering);
        good = move_all(flame, &ordering, amounts) && move_nodes(flame, &ordering);
    }
    free(ordering.size);
    free(ordering.number);
    free(ordering.sorted);
    free(ordering.first);
    free(ordering.children);
    return good ? PF_OK : pf_error_nomem(error);
}

/* --- records in order ------------------------------------------------------------------------- */

/* One pass of a radix sort, which is stable: sorts `from` by numbers[], which are below `limit`. */
static bool sort_by(const uint32_t *numbers, size_t limit, const uint32_t *from, size_t count,
                    uint32_t *to)
{
    uint32_t *first = calloc(limit + 1, sizeof *first);

    if (!first)
        return false;
    for (size_t i = 0; i < count; i++)
        first[numbers[from[i]] + 1]++;
    add_up(first, limit);
    for (size_t i = 0; i < count; i++)
        to[first[numbers[from[i]]]++] = from[i];
    free(first);
    return true;
}

uint32_t *pf_flame_records(const struct pf_flame *flame, size_t *count)
{
    size_t places = flame->place_count;
    uint32_t *records = malloc((places + 1) * sizeof *records),
             *sorted = malloc((places + 1) * sizeof *sorted);
    uint32_t *slices = flame->label != 0 ? malloc((places + 1) * sizeof *slices) : NULL;
    bool good = records && sorted && (flame->label == 0 || slices);

    *count = 0;
    for (size_t record = 0; good && record < places; record++)
        if (flame->places[record] != UINT32_MAX)
            records[(*count)++] = (uint32_t)record;
    good = good && sort_by(flame->places, flame->count, records, *count, sorted);
    for (size_t record = 0; good && slices && record < places; record++)
        slices[record] = pf_flame_slice(flame, record);
    if (good && slices) {
        good = sort_by(slices, flame->slices.sets.count, sorted, *count, records);
        uint32_t *other = sorted;
        sorted = records;
        records = other;
    }
    free(records);
    free(slices);
    if (good)
        return sorted;
    free(sorted);
    return NULL;
}

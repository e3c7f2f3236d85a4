#include "analysis/sum/frame_sums.h"

#include "analysis/sum/walk.h"
#include "base/memory.h"
#include "model/main_measure.h"

#include <stdlib.h>
#include <string.h>

int pf_frame_sums_init(struct pf_frame_sums *sums, struct pf_error *error)
{
    sums->ledger.wide = true;
    if (pf_table_init(&sums->frames, sizeof(struct pf_sum_frame)) != PF_OK ||
        pf_table_init(&sums->nodes, sizeof(struct pf_sum_node)) != PF_OK ||
        pf_table_init(&sums->rows, sizeof(struct pf_sum_row)) != PF_OK ||
        pf_table_init(&sums->groups, sizeof(struct pf_label)) != PF_OK)
        return pf_error_nomem(error);
    return PF_OK;
}

void pf_frame_sums_free(struct pf_frame_sums *sums)
{
    pf_table_free(&sums->frames);
    pf_table_free(&sums->nodes);
    pf_table_free(&sums->rows);
    pf_table_free(&sums->groups);
    pf_outermost_free(&sums->outermost);
    free(sums->frame_of);
    free(sums->node_of);
    free(sums->path);
    pf_ledger_free(&sums->ledger);
}

/* --- stacks ----------------------------------------------------------------------------------- */

static uint32_t find_frame(struct pf_frame_sums *sums, uint32_t id)
{
    struct pf_dict *dict = sums->dict;
    const struct pf_location *location = pf_dict_location(dict, id);
    const struct pf_function *function = pf_dict_function(dict, location->function);
    char scratch[32];

    if (!pf_grow_zeroed(&sums->frame_of, &sums->frame_count, &sums->frame_capacity,
                        dict->locations.count, sizeof *sums->frame_of))
        return 0;
    if (sums->frame_of[id])
        return sums->frame_of[id];
    int64_t line = sums->of_functions || location->line <= 0 ? function->start_line
                                                             : location->line;
    struct pf_sum_frame frame = {
        .name = function->name
                    ? function->name
                    : pf_dict_intern(dict, pf_dict_frame_name(dict, id, scratch), PF_UTF8),
        .file = function->file,
        .line = line > 0 ? line : 0,
        .column = !sums->of_functions || location->line == function->start_line ? location->column
                                                                                : 0,
    };
    return sums->frame_of[id] = pf_table_intern(&sums->frames, &frame);
}

/* The node of a stack; UINT32_MAX: out of memory. */
static uint32_t find_node(struct pf_frame_sums *sums, uint32_t stack)
{
    size_t depth = 0;

    if (!pf_grow_zeroed(&sums->node_of, &sums->node_count, &sums->node_capacity,
                        sums->dict->stacks.count, sizeof *sums->node_of))
        return UINT32_MAX;
    for (; stack && !sums->node_of[stack]; stack = pf_dict_stack(sums->dict, stack)->parent) {
        if (!pf_grow(&sums->path, &sums->path_capacity, depth + 1, sizeof *sums->path))
            return UINT32_MAX;
        sums->path[depth++] = stack;
    }
    uint32_t node = stack ? sums->node_of[stack] : 0;
    while (depth > 0) {
        stack = sums->path[--depth];
        uint32_t frame = find_frame(sums, pf_dict_stack(sums->dict, stack)->location);

        node = frame ? pf_table_intern(&sums->nodes, &(struct pf_sum_node){node, frame}) : 0;
        if (node == 0)
            return UINT32_MAX;
        sums->node_of[stack] = node;
    }
    return node;
}

/* The group of a label set: its outermost label with group_key. */
static uint32_t find_group(struct pf_frame_sums *sums, uint32_t labels)
{
    uint32_t outermost = sums->group_key ? pf_outermost_of(&sums->outermost, labels) : 0;
    struct pf_label found = *pf_dict_label(sums->dict, outermost);

    found.parent = 0;
    return pf_table_intern(&sums->groups, &found);
}

/* --- columns ---------------------------------------------------------------------------------- */

static int add_values(struct pf_frame_sums *sums, const struct pf_value_column *values,
                      const uint32_t *rows, uint32_t count, struct pf_error *error)
{
    struct pf_member member = sums->ledger.members[values->measure];
    struct pf_sums *column = &sums->ledger.sums[member.sums - 1];
    struct pf_bytes name = pf_dict_string(sums->dict, column->quantity.measure.name);

    if (count == 0 || !values->data)
        return PF_OK;
    if (!pf_sums_reserve(column, sums->rows.count))
        return pf_error_nomem(error);
    if (pf_sums_add(column, rows, values->data, count, member.factor) < count)
        return pf_error_set(error, PF_OVERFLOW, "a sum of '%s' overflows 128 bits",
                            pf_clip(name).text);
    return PF_OK;
}

int pf_frame_sums_add(struct pf_frame_sums *sums, const struct pf_batch *batch,
                      struct pf_error *error)
{
    uint32_t rows[PF_BATCH_ROWS];
    int status = PF_OK;

    if (sums->group_key && !pf_outermost_extend(&sums->outermost, sums->dict,
                                                pf_dict_string(sums->dict, sums->group_key)))
        return pf_error_nomem(error);
    for (uint32_t k = 0; k < batch->value_count && status == PF_OK; k++)
        status = pf_ledger_find(&sums->ledger, sums->dict, batch->values[k].measure, error);
    for (uint32_t k = 0; k < batch->rows && status == PF_OK; k++) {
        struct pf_sum_row row = {find_node(sums, batch->stack ? batch->stack[k] : 0),
                                 find_group(sums, batch->labels ? batch->labels[k] : 0), 1};

        rows[k] = row.node == UINT32_MAX ? 0 : pf_table_intern(&sums->rows, &row);
        if (rows[k] == 0 || sums->groups.status != PF_OK)
            status = pf_error_nomem(error);
    }
    for (uint32_t k = 0; k < batch->value_count && status == PF_OK; k++)
        status = add_values(sums, &batch->values[k], rows, batch->rows, error);
    return status;
}

/* --- order ------------------------------------------------------------------------------------ */

bool pf_frame_sums_preorder(const struct pf_frame_sums *sums, uint32_t *order)
{
    struct pf_walk walk;
    bool good = pf_walk_init(&walk, &sums->nodes, sums->nodes.count) == PF_OK;

    while (good && pf_walk_next(&walk) != 0)
        *order++ = walk.node;
    pf_walk_free(&walk);
    return good;
}

struct placed {
    uint32_t group, place, row;
};

static int compare_placed(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;

    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

bool pf_frame_sums_order(const struct pf_frame_sums *sums, uint32_t *order)
{
    size_t rows = sums->rows.count, nodes = sums->nodes.count;
    uint32_t *preorder = malloc(nodes * sizeof *preorder), *place = calloc(nodes, sizeof *place);
    struct placed *placed = malloc(rows * sizeof *placed);
    bool good = preorder && place && placed && pf_frame_sums_preorder(sums, preorder);

    for (uint32_t k = 0; good && k + 1 < nodes; k++)
        place[preorder[k]] = k + 1;
    for (uint32_t k = 1; good && k < rows; k++) {
        const struct pf_sum_row *row = pf_table_row(&sums->rows, k);

        placed[k - 1] = (struct placed){row->group, place[row->node], k};
    }
    if (good)
        qsort(placed, rows - 1, sizeof *placed, compare_placed);
    for (size_t k = 0; good && k + 1 < rows; k++)
        order[k] = placed[k].row;
    free(preorder);
    free(place);
    free(placed);
    return good;
}

/* --- choice and text -------------------------------------------------------------------------- */

const struct pf_sums *pf_frame_sums_main(const struct pf_frame_sums *sums,
                                         const struct pf_sums *but)
{
    struct pf_main_choice choice = {0};
    const struct pf_sums *best = NULL;

    for (size_t k = 0; k < sums->ledger.count; k++)
        if (&sums->ledger.sums[k] != but &&
            pf_main_offer(&choice, sums->dict, &sums->ledger.sums[k].quantity.measure))
            best = &sums->ledger.sums[k];
    return best;
}

const struct pf_sums *pf_frame_sums_find(const struct pf_frame_sums *sums, const char *unit,
                                         const char *name)
{
    const struct pf_sums *best = NULL;
    int best_score = -1;

    for (size_t k = 0; k < sums->ledger.count; k++) {
        const struct pf_measure *measure = &sums->ledger.sums[k].quantity.measure;
        int score = measure->main ? 2
                    : pf_bytes_equal(pf_dict_string(sums->dict, measure->name), pf_bytes_of(name))
                        ? 1
                        : 0;

        if (!pf_bytes_equal(pf_dict_string(sums->dict, measure->unit), pf_bytes_of(unit)))
            continue;
        if (score > best_score) {
            best = &sums->ledger.sums[k];
            best_score = score;
        }
    }
    return best;
}

size_t pf_frame_sums_print(const struct pf_sums *column, pf_int128 sum, uint64_t per,
                           char text[PF_SUM_TEXT], bool *cut)
{
    enum { DECIMALS = 18 };
    uint64_t num = column->quantity.measure.num, den = column->quantity.measure.den,
             common = pf_gcd(num, per);
    size_t size = 0;

    num /= common;
    pf_uint128 divisor = (pf_uint128)den * (per / common);
    pf_uint128 number = sum < 0 ? -(pf_uint128)sum : (pf_uint128)sum, rest;
    number *= num;
    rest = number % divisor;
    if (sum < 0)
        text[size++] = '-';
    size += pf_print_int128((pf_int128)(number / divisor), text + size);
    if (rest == 0)
        return size;
    text[size++] = '.';
    for (int k = 0; k < DECIMALS && rest > 0; k++) {
        rest *= 10;
        text[size++] = (char)('0' + (int)(rest / divisor));
        rest %= divisor;
    }
    *cut = *cut || rest > 0;
    return size;
}

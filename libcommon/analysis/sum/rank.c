#include "analysis/sum/rank.h"

#include "analysis/sum/sort.h"
#include "analysis/sum/walk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void pf_rank_free(struct pf_rank *rank)
{
    free(rank->rows);
    *rank = (struct pf_rank){0};
}

double pf_percent(pf_int128 amount, pf_int128 whole)
{
    return whole == 0 ? 0 : 100.0 * (double)amount / (double)whole;
}

/* The rows while they are computed: raw sums by key. */
struct columns {
    const struct pf_accumulator *accumulator;
    const struct pf_subject *subject;
    struct pf_keys *keys;
    struct pf_row *rows; /* by key */
    /* by key: the inclusive value of calls that a line makes into its own function; NULL: not by
     * line or address, or no calls */
    int64_t *own;
    size_t capacity;
    pf_int128 without;
    struct pf_error *error;
};

static int overflow(struct columns *columns, uint32_t key)
{
    struct pf_buffer scratch = {0};
    struct pf_bytes measure =
        pf_dict_string(columns->keys->dict, columns->subject->shown->quantity.measure.name);
    struct pf_bytes name = pf_keys_name(columns->keys, key, &scratch, NULL);

    pf_error_set(columns->error, PF_OVERFLOW, "the sum of measure '%s' for '%s' overflows 64 bits",
                 pf_clip(measure).text, pf_clip(name).text);
    pf_buffer_free(&scratch);
    return PF_OVERFLOW;
}

/* --- stacks ----------------------------------------------------------------------------------- */

static uint32_t key_of_node(const struct columns *columns, uint32_t node)
{
    return columns->keys->places[pf_dict_stack(columns->keys->dict, node)->location];
}

static int add_flat(struct columns *columns, const struct pf_sums *sums)
{
    for (uint32_t node = 1; node < sums->count; node++)
        if (sums->data[node] != 0) {
            uint32_t key = key_of_node(columns, node);
            if (!pf_sums_combine(sums, &columns->rows[key].flat, sums->data[node]))
                return overflow(columns, key);
        }
    return PF_OK;
}

/* Adds subtree sums to cum. If a key occurs again below itself, the upper occurrence already
 * includes the value. */
static int add_cum(struct columns *columns, const struct pf_sums *sums, struct pf_walk *walk,
                   struct pf_path *path)
{
    for (uint32_t node; (node = pf_walk_next(walk)) != 0;) {
        uint32_t key = key_of_node(columns, node);
        pf_prefetch(&sums->data[walk->links[node].next]);
        if (pf_path_enter(path, walk, key) != PF_OK)
            return pf_error_nomem(columns->error);
        if (!path->again && !pf_sums_combine(sums, &columns->rows[key].cum, sums->data[node]))
            return overflow(columns, key);
    }
    return PF_OK;
}

static int add_calls(struct columns *columns, struct pf_sums *calls)
{
    pf_sums_nodes(calls, columns->keys->dict);
    for (uint32_t node = 1; node < calls->count; node++) {
        uint32_t key = key_of_node(columns, node);
        if (!pf_sums_combine(calls, &columns->rows[key].calls, calls->data[node]))
            return overflow(columns, key);
    }
    return PF_OK;
}

static int add_subtrees(struct columns *columns, struct pf_sums *sums)
{
    const struct pf_dict *dict = columns->keys->dict;
    struct pf_path path = {0};
    struct pf_walk walk;
    int status = pf_sums_subtrees(sums, dict, columns->error);

    if (status != PF_OK)
        return status;
    status = pf_walk_init(&walk, &dict->stacks, (uint32_t)sums->count) == PF_OK
                 ? add_cum(columns, sums, &walk, &path)
                 : pf_error_nomem(columns->error);
    pf_walk_free(&walk);
    pf_path_free(&path);
    return status;
}

static int rank_stacks(struct columns *columns)
{
    const struct pf_subject *subject = columns->subject;
    int status = PF_OK;

    if (subject->calls && subject->calls != subject->self)
        status = add_calls(columns, subject->calls);
    pf_sums_nodes(subject->self, columns->keys->dict);
    if (status == PF_OK)
        status = add_flat(columns, subject->self);
    if (status == PF_OK && !subject->flat_only)
        status = add_subtrees(columns, subject->self);
    return status;
}

/* --- places and edges ------------------------------------------------------------------------- */

enum side { CALLER, CALLEE };

static uint32_t key_of_edge(const struct columns *columns, size_t edge, enum side side)
{
    const struct pf_edge *row = pf_accumulator_edge(columns->accumulator, edge);

    return columns->keys->places[side == CALLER ? row->caller : row->callee];
}

static int add_places(struct columns *columns, const struct pf_sums *sums,
                      int64_t *(*column)(struct pf_row *))
{
    for (size_t place = 1; sums && place < sums->count; place++) {
        uint32_t key = columns->keys->places[place];
        if (!pf_sums_combine(sums, column(&columns->rows[key]), sums->data[place]))
            return overflow(columns, key);
    }
    return PF_OK;
}

static int add_edges(struct columns *columns, const struct pf_sums *sums, enum side side, bool own,
                     int64_t *(*column)(struct pf_row *))
{
    for (size_t edge = 1; sums && edge < sums->count; edge++) {
        uint32_t key = key_of_edge(columns, edge, side);
        if ((own || key != key_of_edge(columns, edge, side == CALLER ? CALLEE : CALLER)) &&
            !pf_sums_combine(sums, column(&columns->rows[key]), sums->data[edge]))
            return overflow(columns, key);
    }
    return PF_OK;
}

static int64_t *flat_column(struct pf_row *row)
{
    return &row->flat;
}

static int64_t *cum_column(struct pf_row *row)
{
    return &row->cum;
}

static int64_t *calls_column(struct pf_row *row)
{
    return &row->calls;
}

/* True if a row has several functions. Then calls into a row do not give its cum: calls within the
 * row, and functions without callers, would be missing. */
static bool joins_functions(enum pf_by by)
{
    return by == PF_BY_FILE || by == PF_BY_IMAGE || by == PF_BY_PACKAGE;
}

static bool of_lines(enum pf_by by)
{
    return by == PF_BY_LINE || by == PF_BY_ADDRESS;
}

/* The inclusive values that apply. FLAT records use those of calls only for lines and addresses. */
static const struct pf_sums *inclusive_of(const struct columns *columns)
{
    const struct pf_sums *sums = columns->subject->inclusive;

    if (sums && columns->subject->kind == PF_FLAT && sums->quantity.measure.kind == PF_EDGE &&
        !of_lines(columns->keys->by))
        return NULL;
    return sums;
}

/* True if FLAT records have the inclusive totals of functions, which also cover recursion and calls
 * from outside. */
static bool has_totals(const struct columns *columns)
{
    return columns->subject->told && !joins_functions(columns->keys->by);
}

/* True if cum is flat plus the calls out of the key; else cum is the calls into the key. */
static bool adds_flat(const struct columns *columns)
{
    const struct pf_subject *subject = columns->subject;
    const struct pf_sums *inclusive = inclusive_of(columns);

    if (has_totals(columns) || !inclusive || inclusive->quantity.measure.kind != PF_EDGE)
        return false;
    return pf_subject_lines_have_self(subject) ||
           (subject->self && joins_functions(columns->keys->by));
}

/* Adds the calls made at each line. Calls into the line's own function are kept apart, because they
 * include every level of a recursion. */
static int add_calls_made(struct columns *columns, const struct pf_sums *sums)
{
    columns->own = calloc(columns->keys->table.count, sizeof *columns->own);
    if (!columns->own)
        return pf_error_nomem(columns->error);
    for (size_t edge = 1; edge < sums->count; edge++) {
        uint32_t caller = key_of_edge(columns, edge, CALLER);
        bool own = pf_keys_same_function(columns->keys, caller, key_of_edge(columns, edge, CALLEE));
        if (!pf_sums_combine(sums, own ? &columns->own[caller] : &columns->rows[caller].cum,
                             sums->data[edge]))
            return overflow(columns, caller);
    }
    return PF_OK;
}

static int rank_places(struct columns *columns)
{
    const struct pf_subject *subject = columns->subject;
    const struct pf_sums *inclusive = inclusive_of(columns);
    int status = add_places(columns, subject->self, flat_column);

    if (status == PF_OK)
        status = adds_flat(columns) ? add_calls_made(columns, inclusive)
                                    : add_places(columns, inclusive, cum_column);
    if (status == PF_OK && subject->calls != subject->shown)
        status = add_places(columns, subject->calls, calls_column);
    return status;
}

/* Sets cum of functions without flat amount to the inclusive value of the calls into them, if its
 * magnitude is greater than that of the calls out of them. */
static int use_calls_into(struct columns *columns)
{
    const struct pf_sums *sums = columns->subject->inclusive;
    pf_int128 *into = calloc(columns->keys->table.count, sizeof *into);
    int status = into ? PF_OK : pf_error_nomem(columns->error);

    for (size_t edge = 1; into && edge < sums->count; edge++) {
        uint32_t callee = key_of_edge(columns, edge, CALLEE);
        into[callee] += callee != key_of_edge(columns, edge, CALLER) ? sums->data[edge] : 0;
    }
    for (uint32_t key = 1; key < columns->keys->table.count && status == PF_OK; key++) {
        struct pf_row *row = &columns->rows[key];
        if (row->flat == 0 && pf_magnitude(into[key]) > pf_magnitude(row->cum)) {
            row->cum = (int64_t)into[key];
            status = row->cum != into[key] ? overflow(columns, key) : PF_OK;
        }
    }
    free(into);
    return status;
}

static int rank_edges(struct columns *columns)
{
    const struct pf_subject *subject = columns->subject;
    int status = pf_subject_lines_have_self(subject)
                     ? add_places(columns, subject->self, flat_column)
                     : add_edges(columns, subject->self, CALLEE, true, flat_column);

    if (status == PF_OK && has_totals(columns))
        status = add_places(columns, subject->told, cum_column);
    else if (status == PF_OK && adds_flat(columns) && of_lines(columns->keys->by))
        status = add_calls_made(columns, subject->inclusive);
    else if (status == PF_OK)
        status = add_edges(columns, subject->inclusive, adds_flat(columns) ? CALLER : CALLEE, false,
                           cum_column);
    if (status == PF_OK && adds_flat(columns) && !of_lines(columns->keys->by) &&
        !joins_functions(columns->keys->by))
        status = use_calls_into(columns);
    if (status == PF_OK && subject->calls && subject->calls != subject->shown)
        status = subject->calls->quantity.measure.kind == PF_FLAT
                     ? add_places(columns, subject->calls, calls_column)
                     : add_edges(columns, subject->calls, CALLEE, true, calls_column);
    return status;
}

/* --- labels ----------------------------------------------------------------------------------- */

/* Makes room for `count` rows; new rows are 0. */
static int grow_rows(struct columns *columns, size_t count)
{
    return pf_grow_clear(&columns->rows, &columns->capacity, count, sizeof *columns->rows)
               ? PF_OK
               : pf_error_nomem(columns->error);
}

/* Sums by label set; ..._below: of a set together with all sets that extend it. Label sets are
 * chains, so a value is in all sets below the node that adds it: each node is looked at once,
 * however long the chains are. */
struct label_sums {
    /* calls: NULL if calls are the subject itself, or not known */
    const struct pf_sums *sums, *calls;
    pf_int128 *flat_below, *calls_below;
    bool *used;   /* a record has the set, or a set that extends it */
    bool *valued; /* the set has a value of the label */
    uint32_t count;
};

static void combine_wide(const struct pf_sums *sums, pf_int128 *sum, pf_int128 value)
{
    if (sums->quantity.measure.aggregation == PF_SUM)
        *sum += value;
    else
        *sum = value > *sum ? value : *sum;
}

/* Fills `labels`. From the greatest id down: the parent of a set has a smaller id. */
static int sum_labels(const struct columns *columns, struct label_sums *labels)
{
    const struct pf_accumulator *accumulator = columns->accumulator;
    const struct pf_subject *subject = columns->subject;

    labels->sums = subject->self ? subject->self : subject->inclusive;
    labels->calls = subject->calls != labels->sums ? subject->calls : NULL;
    labels->count = (uint32_t)accumulator->label_count;
    labels->flat_below = calloc((size_t)labels->count + 1, sizeof *labels->flat_below);
    labels->calls_below = calloc((size_t)labels->count + 1, sizeof *labels->calls_below);
    labels->used = calloc((size_t)labels->count + 1, sizeof *labels->used);
    labels->valued = calloc((size_t)labels->count + 1, sizeof *labels->valued);
    if (!labels->flat_below || !labels->calls_below || !labels->used || !labels->valued)
        return pf_error_nomem(columns->error);
    for (uint32_t set = labels->count; set-- > 0;) {
        uint32_t parent = pf_dict_label(columns->keys->dict, set)->parent;

        if (accumulator->labels[set]) {
            labels->used[set] = true;
            combine_wide(labels->sums, &labels->flat_below[set], pf_sums_at(labels->sums, set));
            if (labels->calls)
                combine_wide(labels->calls, &labels->calls_below[set],
                             pf_sums_at(labels->calls, set));
        }
        if (set == 0 || !labels->used[set])
            continue;
        labels->used[parent] = true;
        combine_wide(labels->sums, &labels->flat_below[parent], labels->flat_below[set]);
        if (labels->calls)
            combine_wide(labels->calls, &labels->calls_below[parent], labels->calls_below[set]);
    }
    return PF_OK;
}

static bool add_wide(const struct pf_sums *sums, int64_t *sum, pf_int128 value)
{
    pf_int128 wide = *sum;

    combine_wide(sums, &wide, value);
    *sum = (int64_t)wide;
    return wide >= INT64_MIN && wide <= INT64_MAX;
}

static int add_label(struct columns *columns, const struct label_sums *labels, uint32_t set,
                     uint32_t key)
{
    if (grow_rows(columns, (size_t)key + 1) != PF_OK)
        return PF_NOMEM;
    if (!add_wide(labels->sums, &columns->rows[key].flat, labels->flat_below[set]) ||
        (labels->calls &&
         !add_wide(labels->calls, &columns->rows[key].calls, labels->calls_below[set])))
        return overflow(columns, key);
    return PF_OK;
}

/* Adds the sums of each value. If a value occurs twice in a chain, the upper occurrence already
 * includes the sums. */
static int add_labels(struct columns *columns, struct label_sums *labels, struct pf_walk *walk,
                      struct pf_path *path)
{
    int status = PF_OK;

    for (uint32_t set; status == PF_OK && (set = pf_walk_next(walk)) != 0;) {
        const struct pf_label *label = pf_dict_label(columns->keys->dict, set);
        bool holds = label->key == columns->keys->label;

        if (!labels->used[set])
            continue;
        labels->valued[set] = holds || labels->valued[label->parent];
        uint32_t key = holds ? pf_keys_value(columns->keys, label) : 0;
        if (columns->keys->status != PF_OK || pf_path_enter(path, walk, key) != PF_OK)
            return pf_error_nomem(columns->error);
        if (holds && !path->again)
            status = add_label(columns, labels, set, key);
    }
    for (uint32_t set = 0; set < labels->count; set++)
        if (columns->accumulator->labels[set] && !labels->valued[set])
            columns->without += pf_sums_at(labels->sums, set);
    return status;
}

static int rank_labels(struct columns *columns)
{
    struct label_sums labels = {0};
    struct pf_path path = {0};
    struct pf_walk walk = {0};
    int status = sum_labels(columns, &labels);

    if (status == PF_OK && pf_walk_init(&walk, &columns->keys->dict->labels, labels.count) != PF_OK)
        status = pf_error_nomem(columns->error);
    if (status == PF_OK)
        status = add_labels(columns, &labels, &walk, &path);
    pf_walk_free(&walk);
    pf_path_free(&path);
    free(labels.flat_below);
    free(labels.calls_below);
    free(labels.used);
    free(labels.valued);
    /* other runs may have added keys, which need rows too */
    return status == PF_OK ? grow_rows(columns, columns->keys->table.count) : status;
}

/* --- amounts ---------------------------------------------------------------------------------- */

/* The sums of one side of a difference that belong to the deltas; NULL: this scale has none. */
static const struct pf_sums *side_of(const struct columns *columns, const struct pf_sums *delta,
                                     enum pf_side side)
{
    const struct pf_accumulator *accumulator = columns->accumulator;
    const struct pf_measure *like = &delta->quantity.measure;
    struct pf_bytes stem = pf_side_stem(pf_dict_string(accumulator->dict, like->name), PF_DELTA);

    for (uint32_t k = 0; k < accumulator->ledger.count + accumulator->derived_count; k++) {
        const struct pf_sums *sums = k < accumulator->ledger.count
                                         ? &accumulator->ledger.sums[k]
                                         : &accumulator->derived[k - accumulator->ledger.count];
        const struct pf_measure *measure = &sums->quantity.measure;
        struct pf_bytes name = pf_dict_string(accumulator->dict, measure->name);

        if (measure->side == side && pf_bytes_equal(pf_side_stem(name, side), stem) &&
            measure->kind == like->kind && measure->role == like->role &&
            measure->unit == like->unit && measure->num == like->num && measure->den == like->den)
            return sums;
    }
    return NULL;
}

/* The greatest possible cum of one side times `sign`: the total, or the sum of the flat amounts of
 * this sign; at most INT64_MAX, which also says that the bound is unknown. */
static pf_int128 side_bound(const struct columns *columns, enum pf_side side, int sign)
{
    const struct pf_subject *subject = columns->subject;
    const struct pf_sums *self = side_of(columns, subject->self, side),
                         *whole = side_of(columns, subject->whole, side);
    pf_int128 own = 0, total;

    if (!self || !whole)
        return INT64_MAX;
    for (size_t k = 0; k < self->count; k++)
        own += sign * (pf_int128)self->data[k] > 0 ? sign * (pf_int128)self->data[k] : 0;
    own = pf_scale_total(&subject->self_scale, own);
    total = pf_scale_total(&subject->whole_scale, sign * pf_sums_total(whole));
    own = own > total ? own : total;
    return own < INT64_MAX ? own : INT64_MAX;
}

/* The greatest possible cum of a difference: all that can be after, less the negative amounts
 * before. The total of the deltas is not a bound, because a function may call more of what another
 * function calls less. */
static pf_int128 delta_bound(const struct columns *columns)
{
    return side_bound(columns, PF_AFTER, 1) + side_bound(columns, PF_BEFORE, -1);
}

/* The greatest possible cum: the total, or the sum of the positive flat amounts, which is more if
 * some are negative (memory). */
static pf_int128 bound_of(const struct columns *columns)
{
    pf_int128 own = 0, total = columns->subject->total;

    if (!columns->subject->self)
        return INT64_MAX;
    if (columns->subject->shown->quantity.measure.side == PF_DELTA)
        return delta_bound(columns);
    for (uint32_t key = 1; key < columns->keys->table.count; key++)
        own += columns->rows[key].flat > 0 ? columns->rows[key].flat : 0;
    return own > total ? own : total;
}

/* Converts the raw sums of a row to amounts. */
static int finish_row(struct columns *columns, uint32_t key)
{
    const struct pf_subject *subject = columns->subject;
    struct pf_row *row = &columns->rows[key];
    int status;

    row->key = key;
    status = pf_scale_amount(subject->self ? &subject->self_scale : &subject->inclusive_scale,
                             row->flat, &row->flat, columns->error);
    if (status == PF_OK && (subject->kind == PF_SAMPLE || inclusive_of(columns)))
        status = pf_scale_amount(&subject->inclusive_scale, row->cum, &row->cum, columns->error);
    if (status == PF_OK && subject->calls)
        status = pf_scale_amount(&subject->calls_scale, row->calls, &row->calls, columns->error);
    if (status != PF_OK)
        return status;
    if (subject->calls && subject->calls == subject->shown)
        row->calls = row->flat;
    if (columns->keys->by == PF_BY_LABEL || (subject->kind != PF_SAMPLE && !inclusive_of(columns)))
        row->cum = row->flat;
    else if (subject->kind != PF_SAMPLE && adds_flat(columns) &&
             !pf_add64(row->cum, row->flat, &row->cum))
        return overflow(columns, key);
    return PF_OK;
}

/* Adds to lines the calls into their own function, up to the amount of the function. */
static int add_own(struct columns *columns, pf_int128 bound)
{
    uint32_t count = columns->keys->table.count;
    pf_int128 *wholes = calloc(count, sizeof *wholes);
    struct pf_table functions;
    int status = pf_table_init(&functions, sizeof(struct pf_key)) == PF_OK && wholes
                     ? PF_OK
                     : pf_error_nomem(columns->error);

    for (uint32_t key = 1; key < count && status == PF_OK; key++) {
        struct pf_key function = pf_keys_function(columns->keys, key);
        wholes[pf_table_intern(&functions, &function)] += columns->rows[key].cum;
    }
    if (status == PF_OK && functions.status != PF_OK)
        status = pf_error_nomem(columns->error);
    for (uint32_t key = 1; key < count && status == PF_OK; key++) {
        struct pf_key function = pf_keys_function(columns->keys, key);
        int64_t *cum = &columns->rows[key].cum, own = columns->own[key];
        pf_int128 room = own > 0 ? wholes[pf_table_intern(&functions, &function)] : 0;

        room = (room < bound ? room : bound) - *cum;
        status = pf_scale_amount(&columns->subject->inclusive_scale, own, &own, columns->error);
        if (status == PF_OK && own > 0 && room > 0)
            *cum += own < room ? own : (int64_t)room;
    }
    pf_table_free(&functions);
    free(wholes);
    return status;
}

static int finish(struct columns *columns, struct pf_rank *rank)
{
    uint32_t count = columns->keys->table.count;
    int status = PF_OK;

    rank->rows = columns->rows;
    rank->count = 0;
    rank->without = pf_scale_total(&columns->subject->scale, columns->without);
    for (uint32_t key = 1; key < count && status == PF_OK; key++)
        status = finish_row(columns, key);
    rank->bound = columns->subject->kind == PF_SAMPLE ? INT64_MAX : bound_of(columns);
    for (uint32_t key = 1; key < count && status == PF_OK; key++)
        if (columns->rows[key].cum > rank->bound)
            columns->rows[key].cum = (int64_t)rank->bound;
    if (status == PF_OK && columns->own)
        status = add_own(columns, rank->bound);
    for (uint32_t key = 1; key < count && status == PF_OK; key++) {
        struct pf_row row = columns->rows[key];
        if (row.flat != 0 || row.cum != 0 || row.calls != 0)
            rank->rows[rank->count++] = row;
    }
    return status;
}

int pf_rank_make(struct pf_rank *rank, const struct pf_accumulator *accumulator,
                 const struct pf_subject *subject, struct pf_keys *keys, struct pf_error *error)
{
    struct columns columns = {
        .accumulator = accumulator, .subject = subject, .keys = keys, .error = error};
    int status;

    *rank = (struct pf_rank){0};
    if (keys->by != PF_BY_LABEL &&
        (pf_keys_places(keys) != PF_OK ||
         (columns.rows = calloc(keys->table.count, sizeof *columns.rows)) == NULL))
        return pf_error_nomem(error);
    status = keys->by == PF_BY_LABEL      ? rank_labels(&columns)
             : subject->kind == PF_SAMPLE ? rank_stacks(&columns)
             : subject->kind == PF_EDGE   ? rank_edges(&columns)
                                          : rank_places(&columns);
    if (status == PF_OK)
        status = finish(&columns, rank);
    else
        free(columns.rows);
    free(columns.own);
    return status;
}

/* --- order and limit -------------------------------------------------------------------------- */

bool pf_sort_find(const char *name, enum pf_sort *sort)
{
    static const char *const names[] = {"flat", "cum", "calls", "name", "file"};
    static const char *const peers[] = {"self", "total", "ncalls", "function", "filename"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0 || strcmp(name, peers[i]) == 0) {
            *sort = (enum pf_sort)i;
            return true;
        }
    return false;
}

struct order {
    const struct pf_keys *keys;
    enum pf_sort sort;
};

static int compare_rows(const void *arg, const void *x, const void *y)
{
    const struct order *order = arg;
    const struct pf_dict *dict = order->keys->dict;
    const struct pf_row *a = x, *b = y;
    int result = 0;

    if (order->sort == PF_SORT_FLAT)
        result = pf_compare_amounts(a->flat, b->flat);
    else if (order->sort == PF_SORT_CUM)
        result = pf_compare_amounts(a->cum, b->cum);
    else if (order->sort == PF_SORT_CALLS)
        result = pf_compare_amounts(a->calls, b->calls);
    else if (order->sort == PF_SORT_FILE)
        result = pf_bytes_compare(pf_dict_string(dict, pf_keys_row(order->keys, a->key)->file),
                                  pf_dict_string(dict, pf_keys_row(order->keys, b->key)->file));
    return result != 0 ? result : pf_keys_compare(order->keys, a->key, b->key);
}

int pf_rank_sort(struct pf_rank *rank, const struct pf_keys *keys, enum pf_sort sort)
{
    const struct order order = {keys, sort};

    return pf_sort(rank->rows, rank->count, sizeof *rank->rows, compare_rows, &order);
}

void pf_rank_limit(struct pf_rank *rank, size_t limit, double percent, pf_int128 whole,
                   enum pf_sort sort, struct pf_hidden *hidden)
{
    *hidden = (struct pf_hidden){0};
    for (size_t i = 0; i < rank->count; i++) {
        struct pf_row row = rank->rows[i];
        double flat = fabs(pf_percent(row.flat, whole)), cum = fabs(pf_percent(row.cum, whole));
        double share = sort == PF_SORT_CUM ? cum : flat;
        bool small = flat < percent && cum < percent;
        if (!small && (limit == 0 || hidden->shown < limit)) {
            rank->rows[hidden->shown++] = row;
            continue;
        }
        hidden->small += small;
        hidden->behind += !small;
        hidden->flat += row.flat;
        hidden->share = share > hidden->share ? share : hidden->share;
    }
    rank->count = hidden->shown;
}

/* Units of time of the output, and the calls and stacks that wait until they become records. */
#include "analysis/sum/walk.h"
#include "base/memory.h"
#include "base/number.h"
#include "format/nytprof/places.h"
#include "format/nytprof/writer.h"
#include "model/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- units of time ---------------------------------------------------------------------------- */

/* The quotient has a relative error of 2^-53, and the reader's product another: below 2^50 their
 * sum is less than half a unit. */
#define PART_MAX ((int64_t)1 << 50)

enum { NEIGHBOURS = 16 };

bool pf_nyt_time_of(const struct pf_dict *dict, const struct pf_measure *measure,
                    struct pf_nyt_time *time)
{
    uint64_t rate;

    if (pf_bytes_equal(pf_dict_string(dict, measure->unit), PF_BYTES("ticks"))) {
        *time = (struct pf_nyt_time){measure->num, 0, measure->den};
        return true;
    }
    if (!pf_measure_is_time(dict, measure) ||
        __builtin_mul_overflow(measure->den, PF_SECOND, &rate))
        return false;
    uint64_t common = pf_gcd(rate, measure->num);
    *time = (struct pf_nyt_time){measure->num / common, rate / common, 1};
    return true;
}

uint64_t pf_nyt_time_rate(const struct pf_nyt_time *time, uint64_t rate, bool fractions)
{
    if (time->rate == 0 || (rate != 0 && rate % time->rate == 0))
        return rate;
    if (time->rate <= PF_NYT_RATE_MAX)
        return time->rate;
    if (fractions)
        return rate != 0 ? rate : PF_NYT_RATE_DEFAULT;
    return PF_NYT_RATE_FINE;
}

bool pf_nyt_time_ticks(const struct pf_nyt_time *time, uint64_t rate, int64_t value, int64_t *ticks,
                       bool *rounded)
{
    uint64_t num = time->num, den = time->den;
    pf_int128 exact;
    if (time->rate != 0) {
        uint64_t common = pf_gcd(rate, time->rate);
        den = time->rate / common;
        if (__builtin_mul_overflow(num, rate / common, &num))
            return false;
    }
    if (den == 1)
        return !__builtin_mul_overflow(value, num, ticks);
    *rounded = *rounded || __builtin_mul_overflow((pf_int128)value, (pf_int128)num, &exact) ||
               exact % (pf_int128)den != 0;
    return pf_scale64(value, num, den, ticks);
}

int64_t pf_nyt_time_part(int64_t *value)
{
    int64_t part = *value > PART_MAX ? PART_MAX : *value < -PART_MAX ? -PART_MAX : *value;
    *value -= part;
    return part;
}

uint64_t pf_nyt_time_parts(int64_t value)
{
    uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;
    return (size + PART_MAX - 1) / PART_MAX;
}

double pf_nyt_time_seconds(const struct pf_nyt_time *time, int64_t part)
{
    if (time->rate == 0)
        return (double)part / 1e12;
    return (double)part * (double)time->num / (double)time->rate;
}

/* The value, in units of `time`, that a reader makes from ticks. */
static double read_back(const struct pf_nyt_time *time, uint64_t rate, double ticks)
{
    double units = time->rate != 0 ? ticks / (double)rate * (double)time->rate / (double)time->num
                                   : ticks * (double)time->den / (double)time->num;
    return nearbyint(units);
}

/* A part in ticks. A reader that converts the double back gets the same part. */
static double time_fraction(const struct pf_nyt_time *time, uint64_t rate, int64_t part)
{
    double ticks = time->rate != 0
                       ? (double)part * (double)time->num * (double)rate / (double)time->rate
                       : (double)part * (double)time->num / (double)time->den;
    double wanted = (double)part, less = ticks, more = ticks;
    if (time->rate != 0 && rate % time->rate == 0)
        return (double)part * ((double)time->num * (double)(rate / time->rate));
    for (int k = 0; k < NEIGHBOURS && read_back(time, rate, ticks) != wanted; k++) {
        less = nextafter(less, -INFINITY);
        more = nextafter(more, INFINITY);
        ticks = read_back(time, rate, less) == wanted ? less : more;
    }
    return ticks;
}

/* True if a reader gets this value back; the value may be larger than a part. */
static bool time_exact(const struct pf_nyt_time *time, uint64_t rate, int64_t value)
{
    double read = read_back(time, rate, time_fraction(time, rate, value));
    return fabs(read) < 0x1p63 && (int64_t)read == value;
}

/* --- call events ------------------------------------------------------------------------------ */

/* `parent` + 1, because a table cannot hold a row of zeros. */
struct key {
    uint32_t parent_plus_1, name;
};

static int clear_calls(struct pf_nyt_calls *calls)
{
    pf_table_free(&calls->keys);
    calls->count = 1;
    calls->stack_count = 0;
    if (pf_table_init(&calls->keys, sizeof(struct key)) != PF_OK ||
        !pf_grow(&calls->nodes, &calls->capacity, 1, sizeof *calls->nodes))
        return PF_NOMEM;
    calls->nodes[0] = (struct pf_nyt_call){0};
    return PF_OK;
}

int pf_nyt_calls_init(struct pf_nyt_calls *calls, struct pf_dict *dict)
{
    *calls = (struct pf_nyt_calls){.dict = dict};
    return clear_calls(calls);
}

void pf_nyt_calls_free(struct pf_nyt_calls *calls)
{
    pf_table_free(&calls->keys);
    free(calls->nodes);
    free(calls->of_stack);
    free(calls->path);
}

/* --- nodes of call events --------------------------------------------------------------------- */

/* UINT32_MAX: no memory. */
static uint32_t get_child(struct pf_nyt_calls *calls, uint32_t parent, uint32_t name)
{
    uint32_t node = pf_table_intern(&calls->keys, &(struct key){parent + 1, name});
    if (node == 0 ||
        !pf_grow(&calls->nodes, &calls->capacity, (size_t)node + 1, sizeof *calls->nodes))
        return UINT32_MAX;
    if (node < calls->count)
        return node;
    struct pf_nyt_call *above = &calls->nodes[parent];
    calls->nodes[node] =
        (struct pf_nyt_call){.name = name, .parent = parent, .depth = above->depth + 1};
    *(above->last ? &calls->nodes[above->last].next : &above->first) = node;
    above->last = node;
    calls->count = (size_t)node + 1;
    return node;
}

/* UINT32_MAX: no memory. */
static uint32_t find_node(struct pf_nyt_calls *calls, uint32_t stack)
{
    size_t depth = 0;

    if (stack >= calls->stack_count &&
        !pf_grow_zeroed(&calls->of_stack, &calls->stack_count, &calls->stack_capacity,
                        (size_t)stack + 1, sizeof *calls->of_stack))
        return UINT32_MAX;
    for (; stack != 0 && calls->of_stack[stack] == 0;
         stack = pf_dict_stack(calls->dict, stack)->parent) {
        if (!pf_grow(&calls->path, &calls->path_capacity, depth + 1, sizeof *calls->path))
            return UINT32_MAX;
        calls->path[depth++] = stack;
    }
    uint32_t node = stack != 0 ? calls->of_stack[stack] - 1 : 0;
    while (depth > 0) {
        stack = calls->path[--depth];
        node = get_child(calls, node,
                         pf_nyt_sub_name(calls->dict, pf_dict_stack(calls->dict, stack)->location));
        if (node == UINT32_MAX)
            return node;
        calls->of_stack[stack] = node + 1;
    }
    return node;
}

int pf_nyt_calls_add(struct pf_nyt_calls *calls, uint32_t stack, int64_t self, int64_t number,
                     struct pf_error *error)
{
    uint32_t node = find_node(calls, stack);
    if (node == UINT32_MAX)
        return pf_error_nomem(error);
    struct pf_nyt_call *at = &calls->nodes[node];
    if (number < 0)
        return pf_error_set(error, PF_USAGE,
                            "nytprof cannot hold a negative number of calls, as '%.100s' has",
                            pf_dict_string(calls->dict, at->name).data);
    if (!pf_add64(at->self, self, &at->self) || !pf_add64(at->calls, number, &at->calls))
        return pf_error_set(error, PF_OVERFLOW,
                            "a sum of call events of '%.100s' overflows 64 bits",
                            pf_dict_string(calls->dict, at->name).data);
    return PF_OK;
}

/* --- records ---------------------------------------------------------------------------------- */

/* True for a sub that never returned: the reader gives such a sub neither calls nor a name. No
 * record is written for it. */
static bool is_open(const struct pf_nyt_call *node)
{
    return node->calls == 0 && node->self == 0 && node->name == 0;
}

struct writing {
    struct pf_nyt_calls *calls;
    struct pf_nyt_out *out;
    const struct pf_nyt_time *time;
    uint64_t rate;
    struct pf_buffer record;
    struct pf_error *error;
};

/* Makes a SUB_RETURN record: tag, depth, inclusive and exclusive ticks, name. Returns where the two
 * times stand in the record. */
static size_t make_record(struct writing *w, const struct pf_nyt_call *node)
{
    unsigned char head[1 + PF_NYT_VARINT_MAX + 16 + 1 + PF_NYT_VARINT_MAX] = {PF_NYT_SUB_RETURN};
    struct pf_bytes name = pf_dict_string(w->calls->dict, node->name);
    bool utf8 = w->calls->dict->strings.rows[node->name].flags & PF_UTF8;
    unsigned char *p = pf_nyt_put_varint(head + 1, node->depth);
    size_t times = (size_t)(p - head);
    p += 16;
    *p++ = utf8 ? PF_NYT_STRING_UTF8 : PF_NYT_STRING;
    p = pf_nyt_put_varint(p, (uint32_t)name.size);
    w->record.size = 0;
    pf_buffer_append(&w->record, head, (size_t)(p - head));
    pf_buffer_append(&w->record, name.data, name.size);
    return times;
}

static void put_times(struct writing *w, size_t at, double inclusive, double exclusive)
{
    pf_nyt_put_nv((unsigned char *)w->record.data + at, inclusive);
    pf_nyt_put_nv((unsigned char *)w->record.data + at + 8, exclusive);
}

/* Subtracts the time of one return from *self, the time of `records` returns. False: no double
 * holds the time exactly. */
static bool next_part(struct writing *w, uint64_t records, int64_t *self, double *ticks)
{
    int64_t part = *self / (records < INT64_MAX ? (int64_t)records : INT64_MAX);
    *self -= part;
    *ticks = time_fraction(w->time, w->rate, part);
    return time_exact(w->time, w->rate, part);
}

/* Writes a return for each call; the first returns have the time. */
static int write_returns(struct writing *w, struct pf_nyt_call *node)
{
    uint64_t left = node->calls > 0 ? (uint64_t)node->calls : 1,
             parts = pf_nyt_time_parts(node->self);
    size_t times = make_record(w, node);
    int64_t self = node->self;
    double ticks;
    if (w->record.failed)
        return pf_error_nomem(w->error);
    for (parts = parts < left ? parts : left; parts > 0; parts--, left--) {
        if (!next_part(w, parts, &self, &ticks))
            return pf_error_set(w->error, PF_OVERFLOW,
                                "%" PRId64 " units of time in %" PRId64
                                " calls of '%.100s' need more digits than a double has",
                                node->self, node->calls,
                                pf_dict_string(w->calls->dict, node->name).data);
        node->total += ticks;
        put_times(w, times, parts == 1 ? node->total : ticks, ticks);
        pf_nyt_out_bytes(w->out, w->record.data, w->record.size);
    }
    if (node->self == 0) {
        put_times(w, times, node->total, 0);
        pf_nyt_out_bytes(w->out, w->record.data, w->record.size);
        left--;
    }
    put_times(w, times, 0, 0);
    pf_nyt_out_repeat(w->out, w->record.data, w->record.size, left);
    return PF_OK;
}

/* Moves children that never returned behind their siblings. */
static void move_open_last(struct pf_nyt_calls *calls, struct pf_nyt_call *parent)
{
    uint32_t *at = &parent->first, open = 0;
    while (*at != 0) {
        uint32_t node = *at;
        if (node != parent->last && is_open(&calls->nodes[node])) {
            *at = calls->nodes[node].next;
            calls->nodes[node].next = 0;
            open = node;
        } else {
            at = &calls->nodes[node].next;
        }
    }
    if (open) {
        calls->nodes[parent->last].next = open;
        parent->last = open;
    }
}

static uint32_t innermost_first(struct pf_nyt_calls *calls, uint32_t node)
{
    for (;; node = calls->nodes[node].first) {
        move_open_last(calls, &calls->nodes[node]);
        if (calls->nodes[node].first == 0)
            return node;
    }
}

static int write_tree(struct writing *w)
{
    struct pf_nyt_call *nodes = w->calls->nodes;
    uint32_t node = innermost_first(w->calls, 0);
    int status = PF_OK;
    while (node != 0 && status == PF_OK) {
        if (!is_open(&nodes[node]))
            status = write_returns(w, &nodes[node]);
        nodes[nodes[node].parent].total += nodes[node].total;
        node = nodes[node].next ? innermost_first(w->calls, nodes[node].next) : nodes[node].parent;
    }
    return status;
}

int pf_nyt_calls_write(struct pf_nyt_calls *calls, struct pf_nyt_out *out,
                       const struct pf_nyt_time *time, uint64_t rate, struct pf_error *error)
{
    struct writing w = {.calls = calls, .out = out, .time = time, .rate = rate, .error = error};
    int status = write_tree(&w);
    pf_buffer_free(&w.record);
    calls->ticks = calls->nodes[0].total;
    return clear_calls(calls) == PF_OK ? status : pf_error_nomem(error);
}

/* --- stacks ----------------------------------------------------------------------------------- */

void pf_nyt_stacks_free(struct pf_nyt_stacks *stacks)
{
    free(stacks->rows);
    *stacks = (struct pf_nyt_stacks){0};
}

static int too_big(struct pf_error *error)
{
    return pf_error_set(error, PF_OVERFLOW, "a sum over stacks overflows 64 bits");
}

int pf_nyt_stacks_add(struct pf_nyt_stacks *stacks, uint32_t stack, int64_t self, int64_t hits,
                      struct pf_error *error)
{
    if (!pf_grow_zeroed(&stacks->rows, &stacks->count, &stacks->capacity, (size_t)stack + 1,
                        sizeof *stacks->rows))
        return pf_error_nomem(error);
    struct pf_nyt_stack *row = &stacks->rows[stack];
    row->used = true;
    return pf_add64(row->self, self, &row->self) && pf_add64(row->hits, hits, &row->hits)
               ? PF_OK
               : too_big(error);
}

/* Computes `total`, from the last stack to the first: callers have smaller ids. False: overflow. */
static bool add_totals(struct pf_nyt_stacks *stacks, const struct pf_dict *dict)
{
    for (size_t k = stacks->count; k-- > 1;) {
        struct pf_nyt_stack *row = &stacks->rows[k];
        if (!row->used)
            continue;
        struct pf_nyt_stack *above = &stacks->rows[pf_dict_stack(dict, (uint32_t)k)->parent];
        if (!pf_add64(row->total, row->self, &row->total) ||
            !pf_add64(above->total, row->total, &above->total))
            return false;
        above->used = true;
    }
    return true;
}

/* Computes `recursion`. PF_OK or PF_NOMEM. */
static int count_recursion(struct pf_nyt_stacks *stacks, const struct pf_dict *dict)
{
    struct pf_walk walk = {0};
    struct pf_path path = {0};
    int status = pf_walk_init(&walk, &dict->stacks, dict->stacks.count);
    while (status == PF_OK && pf_walk_next(&walk) != 0) {
        uint32_t location = pf_dict_stack(dict, walk.node)->location,
                 function = pf_dict_location(dict, location)->function;
        status = pf_path_enter(&path, &walk, function);
        if (status == PF_OK && walk.node < stacks->count)
            stacks->rows[walk.node].recursion = path.open[function] - 1;
    }
    pf_path_free(&path);
    pf_walk_free(&walk);
    return status;
}

int pf_nyt_stacks_finish(struct pf_nyt_stacks *stacks, const struct pf_dict *dict,
                         struct pf_error *error)
{
    if (stacks->count == 0)
        return PF_OK;
    if (!add_totals(stacks, dict))
        return too_big(error);
    return count_recursion(stacks, dict) == PF_OK ? PF_OK : pf_error_nomem(error);
}

#include "render/flame/json.h"

#include "analysis/sum/sort.h"
#include "model/json.h"

#include <stdlib.h>

struct writing {
    const struct pf_flame *flame;
    struct pf_sink *sink;
    struct pf_flame_subject subject;
    struct pf_flame_amounts amounts;
    unsigned last; /* the side that is shown: `after` if there are two sides */
    /* `waiting`: nodes to write, the next node last; `open`: nodes being written, by depth */
    uint32_t *waiting, *open;
    struct pf_buffer scratch, line;
};

/* The greatest node comes last. Of equal nodes, the one with the smaller number comes last. */
static int compare_waiting(const void *arg, const void *a, const void *b)
{
    const struct writing *writing = arg;
    const uint32_t *x = a, *y = b;
    const int64_t *total = writing->amounts.total[writing->last];
    int order = pf_compare_amounts(total[*y], total[*x]);

    return order != 0 ? order : *x > *y ? -1 : *x < *y;
}

/* Writes `after` - `before`. Times are whole nanoseconds; other amounts have decimals, so that the
 * amounts of many small nodes add up to the amount of their parent. */
static void write_amount(struct writing *writing, int64_t after, int64_t before)
{
    const struct pf_flame_subject *subject = &writing->subject;

    pf_json_parts(writing->sink,
                  (pf_int128)pf_flame_shown(subject, after) - pf_flame_shown(subject, before),
                  subject->scale.parts);
}

static void open_node(struct writing *writing, uint32_t node)
{
    const struct pf_flame *flame = writing->flame;
    struct pf_bytes name = PF_BYTES("all");
    unsigned flags = 0;

    if (node != 0)
        name = pf_keys_name(&flame->keys, flame->key[node], &writing->scratch, &flags);
    pf_sink_text(writing->sink, "{\"name\":");
    pf_json_string(writing->sink, name, flags, &writing->line);
    pf_sink_text(writing->sink, ",\"value\":");
    write_amount(writing, writing->amounts.total[writing->last][node], 0);
    pf_sink_text(writing->sink, ",\"self\":");
    write_amount(writing, writing->amounts.self[writing->last][node], 0);
    pf_sink_text(writing->sink, ",\"children\":[");
}

static void close_node(struct writing *writing, uint32_t node)
{
    int64_t *const *total = writing->amounts.total;

    pf_sink_text(writing->sink, "]");
    if (writing->last == 1) {
        pf_sink_text(writing->sink, ",\"before\":");
        write_amount(writing, total[0][node], 0);
        pf_sink_text(writing->sink, ",\"delta\":");
        write_amount(writing, total[1][node], total[0][node]);
    }
    pf_sink_text(writing->sink, "}");
}

static int write_nodes(struct writing *writing)
{
    const struct pf_flame *flame = writing->flame;
    size_t size = 1, depth = 0; /* of waiting and open */
    int status = PF_OK;

    writing->waiting[0] = 0;
    while (size > 0 && status == PF_OK) {
        uint32_t node = writing->waiting[--size];
        size_t first = size;
        bool behind = depth > flame->depth[node]; /* a child of the same parent was written */
        while (depth > flame->depth[node])
            close_node(writing, writing->open[--depth]);
        pf_sink_text(writing->sink, behind ? "," : "");
        writing->open[depth++] = node;
        open_node(writing, node);
        for (uint32_t child = node + 1; child < flame->end[node]; child = flame->end[child])
            writing->waiting[size++] = child;
        status = pf_sort(writing->waiting + first, size - first, sizeof *writing->waiting,
                         compare_waiting, writing);
    }
    while (depth > 0)
        close_node(writing, writing->open[--depth]);
    pf_sink_text(writing->sink, "\n");
    return status;
}

int pf_flame_json(struct pf_flame *flame, struct pf_sink *sink, struct pf_held_measures *held,
                  struct pf_error *error)
{
    struct writing writing = {.flame = flame, .sink = sink};
    int status = pf_flame_main(flame, &writing.subject, held, error);

    writing.last = writing.subject.sums[1] != NULL;
    if (status == PF_OK)
        status = pf_flame_measure(flame, &writing.subject, &writing.amounts, error);
    if (status == PF_OK)
        status = pf_flame_order(flame, &writing.amounts, 0, error);
    if (status == PF_OK) {
        writing.waiting = calloc(flame->count, sizeof *writing.waiting);
        writing.open = calloc((size_t)flame->height + 1, sizeof *writing.open);
        status = writing.waiting && writing.open ? write_nodes(&writing) : PF_NOMEM;
        if (status != PF_OK || writing.scratch.failed || writing.line.failed)
            status = pf_error_nomem(error);
    }
    free(writing.waiting);
    free(writing.open);
    pf_flame_amounts_free(&writing.amounts);
    pf_buffer_free(&writing.scratch);
    pf_buffer_free(&writing.line);
    return status;
}

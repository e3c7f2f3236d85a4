#include "analysis/filter/held_batches.h"

#include <stdlib.h>
#include <string.h>

static void free_list(struct pf_held_batch *held)
{
    while (held) {
        struct pf_held_batch *next = held->next;

        free(held);
        held = next;
    }
}

void pf_held_batches_free(struct pf_held_batches *queue)
{
    free_list(queue->first);
    free(queue->given);
    *queue = (struct pf_held_batches){0};
}

/* Counts or copies the columns of a batch one behind the other. */
struct copy {
    char *bytes; /* NULL: count only */
    size_t size;
};

static const void *copy_bytes(struct copy *copy, const void *from, size_t size)
{
    char *to = copy->bytes ? copy->bytes + copy->size : NULL;

    if (!from)
        return NULL;
    if (to && size > 0)
        memcpy(to, from, size);
    copy->size += (size + 7) & ~(size_t)7;
    return to;
}

static void copy_ids(struct copy *copy, const uint32_t **column, uint32_t rows)
{
    *column = copy_bytes(copy, *column, rows * sizeof **column);
}

static void copy_values(struct copy *copy, struct pf_batch *batch)
{
    const struct pf_value_column *from = batch->values;
    struct pf_value_column *to = NULL;

    batch->values = copy_bytes(copy, from, batch->value_count * sizeof *from);
    if (copy->bytes && batch->values)
        to = (struct pf_value_column *)(copy->bytes + ((const char *)batch->values - copy->bytes));
    for (uint32_t k = 0; k < batch->value_count; k++) {
        const int64_t *data = copy_bytes(copy, from[k].data, batch->rows * sizeof *from[k].data);

        if (to)
            to[k].data = data;
    }
}

static void copy_texts(struct copy *copy, struct pf_batch *batch)
{
    const struct pf_text *from = batch->texts;
    struct pf_text *to = NULL;

    batch->texts = copy_bytes(copy, from, batch->rows * sizeof *from);
    if (copy->bytes && batch->texts)
        to = (struct pf_text *)(copy->bytes + ((const char *)batch->texts - copy->bytes));
    for (uint32_t i = 0; from && i < batch->rows; i++) {
        const char *name = copy_bytes(copy, from[i].name.data, from[i].name.size),
                   *text = copy_bytes(copy, from[i].text.data, from[i].text.size);

        if (to) {
            to[i].name.data = name;
            to[i].text.data = text;
        }
    }
}

/* Makes the columns of a batch those of the copy. */
static void copy_batch(struct copy *copy, struct pf_batch *batch)
{
    const uint32_t **ids[] = {&batch->stack,  &batch->location, &batch->callee, &batch->labels,
                              &batch->origin, &batch->key,      &batch->value};

    for (size_t k = 0; k < sizeof ids / sizeof *ids; k++)
        copy_ids(copy, ids[k], batch->rows);
    batch->time = copy_bytes(copy, batch->time, batch->rows * sizeof *batch->time);
    copy_values(copy, batch);
    copy_texts(copy, batch);
}

struct pf_held_batch *pf_held_batches_add(struct pf_held_batches *queue,
                                          const struct pf_batch *batch)
{
    struct pf_batch counted = *batch;
    struct copy copy = {0};
    struct pf_held_batch *held;

    copy_batch(&copy, &counted);
    held = malloc(sizeof *held + copy.size);
    if (!held)
        return NULL;
    *held = (struct pf_held_batch){.batch = *batch};
    copy = (struct copy){.bytes = (char *)held->bytes};
    copy_batch(&copy, &held->batch);
    if (queue->last)
        queue->last->next = held;
    else
        queue->first = held;
    queue->last = held;
    return held;
}

struct pf_held_batch *pf_held_batches_take(struct pf_held_batches *queue)
{
    free(queue->given);
    queue->given = queue->first;
    if (queue->first) {
        queue->first = queue->first->next;
        if (!queue->first)
            queue->last = NULL;
    }
    return queue->given;
}

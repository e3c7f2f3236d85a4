#include "model/samples.h"

#include "base/memory.h"

#include <stdlib.h>

bool pf_samples_init(struct pf_samples *samples)
{
    samples->memo = pf_stack_memo_new();
    return samples->memo != NULL;
}

void pf_samples_free(struct pf_samples *samples)
{
    pf_stack_memo_free(samples->memo);
    free(samples->frames);
}

bool pf_samples_frame(struct pf_samples *samples, uint32_t location)
{
    if (samples->depth == PF_STACK_DEPTH_MAX || !pf_grow(&samples->frames, &samples->capacity, samples->depth + 1, sizeof *samples->frames))
        return false;
    samples->frames[samples->depth++] = location;
    return true;
}

static void turn(struct pf_samples *samples)
{
    for (size_t low = 0, high = samples->depth; low + 1 < high; low++) {
        uint32_t frame = samples->frames[low];

        samples->frames[low] = samples->frames[--high];
        samples->frames[high] = frame;
    }
}

void pf_samples_add(struct pf_samples *samples, struct pf_dict *dict, uint32_t labels, const int64_t *values, bool root_first)
{
    uint32_t row = samples->rows++, given = samples->measure_count - samples->counted;

    if (root_first)
        turn(samples);
    pf_stack_memo_queue(samples->memo, dict, samples->frames, samples->depth, &samples->stacks[row]);
    samples->labels[row] = labels;
    for (uint32_t k = 0; k < samples->measure_count; k++)
        samples->values[k][row] = k < given ? values[k] : 1;
    samples->depth = 0;
}

void pf_samples_give(struct pf_samples *samples, struct pf_dict *dict, struct pf_batch *batch)
{
    pf_stack_memo_flush(samples->memo, dict);
    for (uint32_t k = 0; k < samples->measure_count; k++)
        samples->columns[k] = (struct pf_value_column){samples->measures[k], samples->values[k]};
    batch->kind = PF_SAMPLE;
    batch->rows = samples->rows;
    batch->stack = samples->stacks;
    batch->labels = samples->labels;
    batch->values = samples->columns;
    batch->value_count = samples->measure_count;
    samples->rows = 0;
}

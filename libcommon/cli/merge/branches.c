#include "cli/merge/branches.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* After this number of levels all members form one group, so that the tree ends whatever the hashes
 * are. A level is expected to have `fan_in` times fewer members than the level below, so trees of
 * real inputs have far fewer levels. */
enum { LEVELS_MAX = 128 };

/* --- leaves ----------------------------------------------------------------------------------- */

struct leaf {
    const char *name;
    size_t first, count; /* operands */
};

static int by_name(const void *a, const void *b)
{
    const struct leaf *x = a, *y = b;
    int order = strcmp(x->name, y->name);

    return order ? order : x->first < y->first ? -1 : 1;
}

/* The leaves in the order of their names: the files of a series are one leaf. */
static struct leaf *find_leaves(struct pf_tool *tool, const struct pf_operands *operands,
                                size_t *count)
{
    struct leaf *leaves = pf_tool_calloc(tool, operands->count, sizeof *leaves);

    *count = 0;
    for (size_t k = 0; k < operands->count; k++) {
        if (k == 0 || !operands->first || operands->first[k] == k)
            leaves[(*count)++] = (struct leaf){operands->names[k], k, 0};
        leaves[*count - 1].count++;
    }
    qsort(leaves, *count, sizeof *leaves, by_name);
    return leaves;
}

/* --- the tree --------------------------------------------------------------------------------- */

/* True if the member with this name begins a group of the level. Hashes of different levels are
 * independent, so members that begin groups in one level form groups of usual size in the next. */
static bool begins(const struct pf_branches *branches, size_t level, const char *name)
{
    struct pf_buffer text = {0};
    bool answer;

    pf_buffer_printf(&text, "%zu %s", level + 1, name);
    if (text.failed)
        pf_tool_nomem(&branches->common->tool);
    answer = pf_hash_mix(pf_xxh64(text.data, text.size)) % branches->fan_in == 0;
    pf_buffer_free(&text);
    return answer;
}

/* The step of a level that merges its next member, whose first leaf has this name. */
static struct pf_branch *branch_of(struct pf_branches *branches, size_t level, const char *name)
{
    size_t count = branches->step_count;

    if (count > 0 && branches->steps[count - 1].level == level &&
        (level + 1 >= LEVELS_MAX || !begins(branches, level, name)))
        return &branches->steps[count - 1];
    if (!pf_grow(&branches->steps, &branches->step_capacity, count + 1, sizeof *branches->steps))
        pf_tool_nomem(&branches->common->tool);
    branches->steps[count] =
        (struct pf_branch){.step.store = branches->store, .name = name, .level = level};
    branches->step_count++;
    return &branches->steps[count];
}

static void add_leaf(struct pf_branches *branches, const struct leaf *leaf,
                     const struct pf_weights *weights)
{
    const struct pf_operands *operands = &branches->operands;
    struct pf_step *step = &branch_of(branches, 0, leaf->name)->step;

    if (step->count == 0)
        step->inputs = &branches->inputs[branches->count];
    step->count += leaf->count;
    for (size_t i = leaf->first; i < leaf->first + leaf->count; i++)
        branches->inputs[branches->count++] = (struct pf_step_input){
            .name = operands->names[i],
            .weight = weights->rows[operands->groups[i]].num,
        };
}

/* Adds the levels above the first, until a level has one step. */
static void add_levels(struct pf_branches *branches)
{
    size_t first = 0, end = branches->step_count;

    for (size_t level = 1; end - first > 1; level++) {
        for (size_t k = first; k < end; k++) {
            struct pf_branch *branch = branch_of(branches, level, branches->steps[k].name);

            if (branch->step.count++ == 0)
                branch->first = k;
        }
        first = end;
        end = branches->step_count;
    }
}

void pf_branches_plant(struct pf_branches *branches, struct pf_operands *operands,
                       const struct pf_weights *weights)
{
    size_t count;
    struct pf_tool *tool = &branches->common->tool;
    struct leaf *leaves = find_leaves(tool, operands, &count);

    branches->operands = *operands;
    branches->inputs = pf_tool_calloc(tool, operands->count + 1, sizeof *branches->inputs);
    for (size_t k = 0; k < count; k++)
        add_leaf(branches, &leaves[k], weights);
    free(leaves);
    add_levels(branches);
    for (size_t k = 0; k < branches->step_count; k++) {
        struct pf_step *step = &branches->steps[k].step;

        if (!step->inputs)
            step->partials = pf_tool_calloc(tool, step->count, sizeof *step->partials);
    }
}

void pf_branches_free(struct pf_branches *branches)
{
    for (size_t k = 0; k < branches->step_count; k++)
        free(branches->steps[k].step.partials);
    for (size_t k = 0; k < branches->count; k++)
        free(branches->inputs[k].reason);
    free(branches->steps);
    free(branches->inputs);
    pf_operands_free(&branches->operands);
}

/* --- names ------------------------------------------------------------------------------------ */

void pf_branches_fingerprint(struct pf_branches *branches, struct pf_fingerprints *prints)
{
    struct pf_tool *tool = &branches->common->tool;

    for (size_t k = 0; k < branches->count; k++) {
        struct pf_step_input *input = &branches->inputs[k];
        struct pf_error error = {0};

        if (pf_fingerprints_find(prints, &input->print, input->name, &error) == PF_OK)
            continue;
        if (!tool->keep_going || error.code == PF_NOMEM)
            pf_tool_die(tool, input->name, &error, false);
        pf_tool_fail(tool, input->name, &error, false);
        input->unknown = input->reported = true;
        input->reason = strdup(error.text);
        if (!input->reason)
            pf_tool_nomem(tool);
    }
}

/* True if the step has nothing to merge: its only partial is the result. */
static bool is_single(const struct pf_step *step)
{
    return step->partials && step->count == 1;
}

static void name_step(struct pf_branches *branches, struct pf_branch *branch)
{
    struct pf_step *step = &branch->step;

    for (size_t i = 0; step->partials && i < step->count; i++)
        step->partials[i] = branches->steps[branch->first + i].step.hash;
    if (is_single(step))
        step->hash = step->partials[0];
    else
        pf_tool_check_memory(&branches->common->tool, pf_step_name(step, branches->common->given));
    branch->needed = false;
}

/* Marks the step and the steps below, unless the directory has the partial of the step. */
static void need(struct pf_branches *branches, size_t k)
{
    struct pf_branch *branch = &branches->steps[k];

    if (pf_step_made(&branch->step))
        return;
    branch->needed = !is_single(&branch->step);
    for (size_t i = 0; branch->step.partials && i < branch->step.count; i++)
        need(branches, branch->first + i);
}

void pf_branches_name(struct pf_branches *branches)
{
    for (size_t k = 0; k < branches->step_count; k++)
        name_step(branches, &branches->steps[k]);
    need(branches, branches->step_count - 1);
}

struct pf_step *pf_branches_root(struct pf_branches *branches)
{
    return &branches->steps[branches->step_count - 1].step;
}

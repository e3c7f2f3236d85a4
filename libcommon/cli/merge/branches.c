#include "cli/merge/branches.h"

#include <stdlib.h>
#include <string.h>

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
static struct leaf *find_leaves(const struct pf_operands *operands, size_t *count)
{
    struct leaf *leaves = calloc(operands->count, sizeof *leaves);

    *count = 0;
    for (size_t k = 0; leaves && k < operands->count; k++) {
        if (k == 0 || !operands->first || operands->first[k] == k)
            leaves[(*count)++] = (struct leaf){operands->names[k], k, 0};
        leaves[*count - 1].count++;
    }
    if (leaves)
        qsort(leaves, *count, sizeof *leaves, by_name);
    return leaves;
}

void pf_branches_plant(struct pf_branches *branches, struct pf_operands *operands,
                       const struct pf_weights *weights, uint64_t fan_in)
{
    struct pf_tool *tool = &branches->common->tool;
    struct leaf *leaves = find_leaves(operands, &branches->leaf_count);
    const char **names = calloc(operands->count + 1, sizeof *names);

    branches->operands = *operands;
    branches->inputs = calloc(operands->count + 1, sizeof *branches->inputs);
    branches->leaves = calloc(operands->count + 1, sizeof *branches->leaves);
    if (!leaves || !names || !branches->inputs || !branches->leaves)
        pf_tool_nomem(tool);
    for (size_t k = 0; k < branches->leaf_count; k++) {
        names[k] = leaves[k].name;
        branches->leaves[k] = branches->count;
        for (size_t i = leaves[k].first; i < leaves[k].first + leaves[k].count; i++)
            branches->inputs[branches->count++] = (struct pf_step_input){
                .name = operands->names[i],
                .weight = weights->rows[operands->groups[i]].num,
            };
    }
    branches->leaves[branches->leaf_count] = branches->count;
    if (pf_merge_tree_make(&branches->tree, names, branches->leaf_count, fan_in) != PF_OK)
        pf_tool_nomem(tool);
    free(names);
    free(leaves);
}

void pf_branches_free(struct pf_branches *branches)
{
    for (size_t level = 0; branches->levels && level < branches->tree.depth; level++) {
        for (size_t k = 0; k < branches->tree.levels[level].count; k++)
            free(branches->levels[level][k].step.partials);
        free(branches->levels[level]);
    }
    for (size_t k = 0; k < branches->count; k++)
        free(branches->inputs[k].reason);
    free(branches->levels);
    free(branches->inputs);
    free(branches->leaves);
    pf_merge_tree_free(&branches->tree);
    pf_operands_free(&branches->operands);
}

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
        input->unknown = input->told = true;
        input->reason = strdup(error.text);
        if (!input->reason)
            pf_tool_nomem(tool);
    }
}

/* --- steps ------------------------------------------------------------------------------------ */

/* Makes the steps of a level. */
static void add_level(struct pf_branches *branches, size_t level)
{
    const struct pf_merge_groups *groups = &branches->tree.levels[level];
    struct pf_branch *steps = calloc(groups->count, sizeof *steps);

    if (!steps)
        pf_tool_nomem(&branches->common->tool);
    branches->levels[level] = steps;
    for (size_t k = 0; k < groups->count; k++) {
        size_t first = groups->starts[k], end = groups->starts[k + 1];
        struct pf_step *step = &steps[k].step;

        step->store = branches->store;
        if (level == 0) {
            step->inputs = &branches->inputs[branches->leaves[first]];
            step->count = branches->leaves[end] - branches->leaves[first];
            continue;
        }
        steps[k].single = end - first == 1;
        step->count = end - first;
        step->partials = calloc(step->count, sizeof *step->partials);
        if (!step->partials)
            pf_tool_nomem(&branches->common->tool);
    }
}

static void name_step(struct pf_branches *branches, size_t level, size_t k)
{
    struct pf_branch *branch = &branches->levels[level][k];
    size_t first = branches->tree.levels[level].starts[k];

    for (size_t i = 0; branch->step.partials && i < branch->step.count; i++)
        branch->step.partials[i] = branches->levels[level - 1][first + i].step.hash;
    if (branch->single)
        branch->step.hash = branch->step.partials[0];
    else if (pf_step_name(&branch->step, branches->common->given) != PF_OK)
        pf_tool_nomem(&branches->common->tool);
    branch->needed = false;
}

/* Marks the step and the steps below, unless the directory has the partial of the step. */
static void need(struct pf_branches *branches, size_t level, size_t k)
{
    const size_t *starts = branches->tree.levels[level].starts;
    struct pf_branch *branch = &branches->levels[level][k];

    if (pf_step_made(&branch->step))
        return;
    branch->needed = !branch->single;
    for (size_t i = starts[k]; level > 0 && i < starts[k + 1]; i++)
        need(branches, level - 1, i);
}

void pf_branches_name(struct pf_branches *branches)
{
    size_t depth = branches->tree.depth;

    if (!branches->levels) {
        branches->levels = calloc(depth, sizeof *branches->levels);
        if (!branches->levels)
            pf_tool_nomem(&branches->common->tool);
        for (size_t level = 0; level < depth; level++)
            add_level(branches, level);
    }
    for (size_t level = 0; level < depth; level++)
        for (size_t k = 0; k < branches->tree.levels[level].count; k++)
            name_step(branches, level, k);
    need(branches, depth - 1, 0);
}

struct pf_step *pf_branches_root(struct pf_branches *branches)
{
    return &branches->levels[branches->tree.depth - 1][0].step;
}

#include "analysis/merge/replicates.h"

#include "base/memory.h"

#include <stdlib.h>

int pf_merge_replicates_init(struct pf_merge_replicates *replicates)
{
    replicates->key = pf_replicate_key(replicates->dict);
    return pf_table_init(&replicates->names, sizeof(uint32_t)) == PF_OK
               ? pf_dict_status(replicates->dict)
               : PF_NOMEM;
}

void pf_merge_replicates_free(struct pf_merge_replicates *replicates)
{
    pf_replicates_free(&replicates->parts);
    pf_table_free(&replicates->names);
    free(replicates->rows);
    free(replicates->of_set);
    free(replicates->here);
}

void pf_merge_replicates_begin(struct pf_merge_replicates *replicates)
{
    for (size_t k = 0; k < replicates->here_count; k++) {
        struct pf_merge_group *group = &replicates->rows[replicates->here[k]];

        group->own = 0;
        group->here = group->counted = false;
    }
    replicates->here_count = 0;
}

static struct pf_bytes name_of(const struct pf_merge_replicates *replicates, uint32_t group)
{
    const uint32_t *name = pf_table_row(&replicates->names, group);

    return pf_dict_string(replicates->dict, *name - 1);
}

/* The number of the group with this name (a string); 0: out of memory. */
static uint32_t find_group(struct pf_merge_replicates *replicates, uint32_t name)
{
    uint32_t row = name + 1, group = pf_table_intern(&replicates->names, &row);

    return group != 0 && pf_grow_clear(&replicates->rows, &replicates->capacity, (size_t)group + 1,
                                       sizeof *replicates->rows)
               ? group
               : 0;
}

/* The group of a label set; 0: out of memory. */
static uint32_t group_of(struct pf_merge_replicates *replicates, uint32_t set)
{
    const struct pf_dict *dict = replicates->dict;
    uint32_t *group;

    if (!pf_grow_clear(&replicates->of_set, &replicates->set_capacity, dict->labels.count,
                       sizeof *replicates->of_set))
        return 0;
    group = &replicates->of_set[set];
    if (*group == 0)
        *group = find_group(replicates,
                            pf_dict_label(dict, pf_label_find(dict, set, replicates->key))->text);
    return *group;
}

/* Notes that the current input has the group. */
static int note_group(struct pf_merge_replicates *replicates, uint32_t group,
                      struct pf_error *error)
{
    unsigned groups;

    if (group == 0 || !pf_grow(&replicates->here, &replicates->here_capacity,
                               replicates->here_count + 1, sizeof *replicates->here))
        return pf_error_nomem(error);
    if (replicates->rows[group].here)
        return PF_OK;
    replicates->rows[group].here = true;
    replicates->here[replicates->here_count++] = group;
    groups = pf_replicate_groups(name_of(replicates, group));
    if (replicates->groups != 0 && groups != 0 && groups != replicates->groups)
        return pf_error_set(error, PF_USAGE,
                            "the runs are in %u groups already: expected --replicates=%u, not "
                            "--replicates=%u",
                            groups, groups, replicates->groups);
    return PF_OK;
}

static int count_runs(struct pf_merge_replicates *replicates, const struct pf_batch *runs,
                      struct pf_error *error)
{
    int status = PF_OK;

    for (uint32_t row = 0; row < runs->rows && status == PF_OK; row++) {
        uint32_t group = group_of(replicates, runs->labels ? runs->labels[row] : 0);
        struct pf_merge_group *to;

        status = note_group(replicates, group, error);
        if (status != PF_OK)
            break;
        to = &replicates->rows[group];
        to->counted = true;
        if (!pf_add64(to->own, pf_replicates_count(runs, row), &to->own))
            status = pf_error_set(error, PF_OVERFLOW, "a number of runs overflows 64 bits");
    }
    return status;
}

int pf_merge_replicates_take(struct pf_merge_replicates *replicates, const struct pf_batch *batch,
                             struct pf_batch *plain, struct pf_error *error)
{
    struct pf_batch runs;
    uint32_t set = UINT32_MAX;
    int status;

    if (pf_replicates_part(&replicates->parts, replicates->dict, batch, plain, &runs) != PF_OK)
        return pf_error_nomem(error);
    status = replicates->dropped ? PF_OK : count_runs(replicates, &runs, error);
    for (uint32_t row = 0; replicates->groups > 0 && row < plain->rows && status == PF_OK; row++) {
        uint32_t labels = plain->labels ? plain->labels[row] : 0;

        if (labels != set)
            status = note_group(replicates, group_of(replicates, labels), error);
        set = labels;
    }
    return status;
}

int pf_merge_replicates_end(struct pf_merge_replicates *replicates, int64_t weight, uint32_t name,
                            struct pf_error *error)
{
    int status = PF_OK;

    if (replicates->groups > 0 && replicates->here_count == 0 && name != 0)
        status = note_group(replicates, find_group(replicates, name), error);
    for (size_t k = 0; k < replicates->here_count && status == PF_OK; k++) {
        struct pf_merge_group *group = &replicates->rows[replicates->here[k]];
        pf_int128 runs = group->counted ? group->own : (int64_t)(name != 0);

        if (__builtin_add_overflow(group->runs, runs * weight, &group->runs))
            status = pf_error_set(error, PF_OVERFLOW, "a number of runs overflows 128 bits");
    }
    return status;
}

/* --- the result ------------------------------------------------------------------------------- */

bool pf_merge_replicates_any(const struct pf_merge_replicates *replicates)
{
    for (uint32_t group = 1; group < replicates->names.count; group++)
        if (replicates->rows[group].runs != 0)
            return true;
    return false;
}

int pf_merge_replicates_check(const struct pf_merge_replicates *replicates, pf_int128 pieces,
                              struct pf_error *error)
{
    for (uint32_t group = 1; group < replicates->names.count; group++) {
        pf_int128 runs = replicates->rows[group].runs;

        if (runs % pieces != 0 || runs / pieces != (int64_t)(runs / pieces))
            return pf_error_set(error, PF_UNSUPPORTED,
                                "the weights do not make a whole number of runs in the group '%s'",
                                pf_clip(name_of(replicates, group)).text);
    }
    return PF_OK;
}

int pf_merge_replicates_next(struct pf_merge_replicates *replicates, pf_int128 pieces,
                             struct pf_batch *batch)
{
    struct pf_dict *dict = replicates->dict;
    uint32_t rows = 0;

    while (rows < PF_BATCH_ROWS && ++replicates->given < replicates->names.count) {
        pf_int128 runs = replicates->rows[replicates->given].runs;
        const uint32_t *name = pf_table_row(&replicates->names, replicates->given);

        if (runs == 0)
            continue;
        replicates->labels[rows] =
            *name > 1 ? pf_dict_add_label(dict, 0, replicates->key, *name - 1) : 0;
        replicates->values[rows++] = (int64_t)(runs / pieces);
    }
    replicates->column = (struct pf_value_column){
        pf_dict_add_measure(dict, pf_replicate_measure(dict)), replicates->values};
    *batch = (struct pf_batch){.kind = PF_SAMPLE,
                               .rows = rows,
                               .labels = replicates->labels,
                               .values = &replicates->column,
                               .value_count = 1};
    if (pf_dict_status(dict) != PF_OK)
        return PF_NOMEM;
    return rows > 0 ? PF_OK : PF_EOF;
}

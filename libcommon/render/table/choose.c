#include "render/table/view.h"

#include "model/named.h"

#include <stdlib.h>

/* The kind of records that is shown if no option chooses one. */
static enum pf_kind default_kind(const struct pf_top *top)
{
    const uint64_t *records = top->accumulator->records;

    if ((top->view == PF_TOP_TREE || top->view == PF_TOP_FLAME) && records[PF_SAMPLE] > 0)
        return PF_SAMPLE;
    if (top->view == PF_TOP_CALLS && records[PF_EDGE] > 0)
        return PF_EDGE;
    return pf_subject_kind(top->accumulator, top->look.by, top->facts);
}

/* Adds the block of a measure. Measures of one quantity share a block. */
static int add_block(struct pf_top *top, const struct pf_top_choice *choice, uint32_t measure,
                     struct pf_error *error)
{
    const struct pf_sums *sums = pf_accumulator_find(top->accumulator, measure);
    struct pf_top_block *block = &top->blocks[top->block_count];
    int status;

    for (size_t i = 0; i < top->block_count; i++)
        if (top->blocks[i].subject.shown == sums)
            return PF_OK;
    if (!sums)
        return PF_OK;
    status = pf_top_block(top, measure, choice->unit, block, error);
    if (status != PF_OK)
        return status;
    block->named = choice->name_count > 0;
    top->block_count++;
    return PF_OK;
}

/* The measure of this name: of the shown kind, else of any kind. */
static uint32_t named_measure(const struct pf_top *top, const char *name, enum pf_kind kind)
{
    uint32_t count = pf_measures_count(&top->look.dict->measures), found = UINT32_MAX;

    for (uint32_t k = count; k-- > 0;)
        if (pf_named_measure(top->look.dict, k, name) && pf_accumulator_find(top->accumulator, k) &&
            (found == UINT32_MAX || pf_measures_row(&top->look.dict->measures, k)->kind == kind))
            found = k;
    return found;
}

static int add_named(struct pf_top *top, const struct pf_top_choice *choice, enum pf_kind kind,
                     struct pf_error *error)
{
    int status = PF_OK;

    for (unsigned i = 0; i < choice->name_count && status == PF_OK; i++) {
        uint32_t measure = named_measure(top, choice->names[i], kind);

        status = measure == UINT32_MAX ? pf_named_unknown(top->look.dict, choice->names[i], error)
                                       : add_block(top, choice, measure, error);
    }
    return status;
}

/* Refuses to sort by calls if there are no numbers of calls: the order would be by name. */
static int check_sort(const struct pf_top *top, struct pf_error *error)
{
    for (size_t i = 0; top->sort == PF_SORT_CALLS && i < top->block_count; i++) {
        const struct pf_subject *subject = &top->blocks[i].subject;
        struct pf_bytes name =
            pf_dict_string(top->look.dict, subject->shown->quantity.measure.name);

        if (!subject->calls)
            return pf_error_set(error, PF_USAGE,
                                "--sort=calls: the records of '%s' (%s) have no number of calls",
                                pf_clip(name).text, pf_kind_name(subject->kind));
    }
    return PF_OK;
}

int pf_top_choose(struct pf_top *top, const struct pf_top_choice *choice, struct pf_error *error)
{
    const struct pf_accumulator *sums = top->accumulator;
    enum pf_kind kind = choice->kind != PF_RECORD_KINDS ? choice->kind : default_kind(top);
    uint32_t measure;
    int status = PF_OK;

    top->blocks = calloc((size_t)choice->name_count + 1, sizeof *top->blocks);
    if (!top->blocks)
        return pf_error_nomem(error);
    if (sums->ledger.count == 0)
        return PF_OK;
    if (choice->name_count > 0) {
        status = add_named(top, choice, kind, error);
    } else if (kind < PF_RECORD_KINDS) {
        measure = pf_accumulator_main(sums, kind);
        if (measure != UINT32_MAX)
            status = add_block(top, choice, measure, error);
    }
    if (status == PF_OK && top->block_count == 0 && choice->kind != PF_RECORD_KINDS)
        status = pf_error_set(error, PF_USAGE, "the input has no %s records",
                              pf_kind_name(choice->kind));
    return status == PF_OK ? check_sort(top, error) : status;
}

void pf_top_fit_height(struct pf_top *top)
{
    size_t lines_of_note = top->look.terminal < 100 ? 2 : 1, lines = top->facts->duration > 0;
    bool tree_of_calls = top->view == PF_TOP_TREE && top->block_count > 0 &&
                         top->blocks[0].subject.kind == PF_EDGE;

    lines += pf_top_has_others(top) ? lines_of_note : 0;
    lines += tree_of_calls ? lines_of_note : 0;
    top->limit -= top->limit > lines + 5 ? lines : 0;
}

int pf_top_write(const struct pf_top *top, bool *matched, struct pf_error *error)
{
    static const struct pf_top_view *const views[] = {
        [PF_TOP_TABLE] = &pf_top_table, [PF_TOP_CALLS] = &pf_top_calls,
        [PF_TOP_TREE] = &pf_top_tree,   [PF_TOP_FLAME] = &pf_top_tree,
        [PF_TOP_LIST] = &pf_top_list,
    };
    bool source = top->view == PF_TOP_LIST && top->form == PF_SHEET_TEXT;
    struct pf_top_page page = {
        .top = top,
        .view = top->view == PF_TOP_LIST && !source ? &pf_top_table : views[top->view],
        .error = error,
        .matched = matched,
    };
    int status;

    *matched = !top->callers && !top->callees && !top->list;
    page.own = calloc(1, page.view->own_size + 1);
    if (!page.own)
        return pf_error_nomem(error);
    status = top->view == PF_TOP_FLAME ? pf_top_flame(&page) : pf_top_show(&page);
    free(page.own);
    return status;
}

/* proftop: what costs how much, as tables, trees and source lines. */
#include "cli/summary.h"

struct run {
    struct pf_summary summary;
    bool tree, edges;
    const char *callers, *callees, *peek, *list;
    struct pf_pattern patterns[3];
    unsigned pattern_count;
};

static bool find_sort(const char *text, void *field)
{
    return pf_sort_find(text, field);
}

static const struct pf_setting settings[] = {
    PF_OTHER_SETTING("sort", struct run, summary.top.sort, "flat, cum, calls, name or file",
                     find_sort),
    PF_FLAG_SETTING("tree", struct run, tree),
    PF_TEXT_SETTING("callers", struct run, callers),
    PF_TEXT_SETTING("callees", struct run, callees),
    PF_TEXT_SETTING("peek", struct run, peek),
    PF_FLAG_SETTING("edges", struct run, edges),
    PF_TEXT_SETTING("list", struct run, list),
    PF_SETTINGS_END,
};

static void read_form(struct run *run)
{
    struct pf_common *common = &run->summary.common;
    struct pf_error error = {0};
    bool flame = false;

    if (common->to_text)
        pf_tool_check(&common->tool,
                      pf_top_form_parse(common->to_text, &run->summary.top.form, &flame, &error),
                      &error);
    if (flame)
        run->summary.top.view = PF_TOP_FLAME;
}

/* Compiles a pattern; NULL for no text. Exits 2 for an invalid expression. The first pattern
 * appears in messages. */
static struct pf_pattern *pattern(struct run *run, const char *text)
{
    struct pf_pattern *compiled = &run->patterns[run->pattern_count];
    struct pf_error error = {0};

    if (!text)
        return NULL;
    pf_tool_check(&run->summary.common.tool, pf_pattern_compile(compiled, text, 0, &error), &error);
    if (run->pattern_count++ == 0)
        run->summary.pattern = compiled->text;
    return compiled;
}

static void read_view(struct run *run)
{
    struct pf_tool *tool = &run->summary.common.tool;
    struct pf_top *top = &run->summary.top;
    bool one_way = run->callers || run->callees;
    bool calls = run->edges || run->peek || one_way;

    if (calls + (run->list != NULL) + run->tree > 1 || (run->edges && (run->peek || one_way)) ||
        (run->peek && one_way))
        pf_tool_usage(tool,
                      "choose one of --tree, --edges, --callers and --callees, --peek, --list");
    if (top->view == PF_TOP_FLAME && (calls || run->list))
        pf_tool_usage(tool, "a flame graph is a tree of calls");
    if (top->view != PF_TOP_FLAME)
        top->view = calls       ? PF_TOP_CALLS
                    : run->list ? PF_TOP_LIST
                    : run->tree ? PF_TOP_TREE
                                : PF_TOP_TABLE;
    top->list = pattern(run, run->list);
    top->callers = pattern(run, run->peek ? run->peek : run->callers);
    top->callees = pattern(run, run->peek ? run->peek : run->callees);
}

/* Reads --by. Adds the key of a label to the dictionary. */
static void read_by(struct pf_summary *summary)
{
    struct pf_top *top = &summary->top;

    top->look.by = pf_row_settings_by(&summary->rows, &summary->common,
                                      pf_inputs_dict(summary->inputs), &top->look.label);
    if (top->look.by == PF_BY_LABEL && top->view != PF_TOP_TABLE)
        pf_tool_usage(&summary->common.tool,
                      "labels and sections have no callers and no source: --by=%s is for the table",
                      summary->rows.by);
    if (top->view == PF_TOP_LIST)
        top->look.by = PF_BY_LINE;
    if (top->look.by == PF_BY_LINE || summary->rows.kind == PF_FLAT)
        pf_inputs_want(summary->inputs, PF_WANT_LINES);
}

int main(int argc, char **argv)
{
    struct run run = {.summary.common.views = true};
    struct pf_summary *summary = &run.summary;

    pf_common_start(&summary->common, pf_command_line(), argc, argv);
    pf_row_settings_read(&summary->rows, &summary->common);
    summary->top.sort = summary->rows.cum ? PF_SORT_CUM : PF_SORT_FLAT;
    pf_settings_read(&summary->common.tool, summary->common.given, settings, &run);
    read_form(&run);
    read_view(&run);
    summary->inputs = pf_inputs_open(&summary->common);
    read_by(summary);
    if (pf_inputs_set_names(summary->inputs))
        pf_summary_write(summary);
    pf_summary_free(summary);
    for (unsigned i = 0; i < run.pattern_count; i++)
        pf_pattern_free(&run.patterns[i]);
    return pf_common_end(&summary->common);
}

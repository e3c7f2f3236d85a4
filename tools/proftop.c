/* proftop: what costs how much, as tables, trees and source lines. */
#include "analysis/sum/file_scope.h"
#include "analysis/sum/own_time.h"
#include "cli/hint.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/rows.h"
#include "render/table/top.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum view { TABLE, CALLS, TREE, FLAME, LIST };

struct run {
    struct pf_common common;
    struct pf_inputs *inputs;
    struct pf_accumulator accumulator;
    struct pf_facts facts;
    struct pf_sources sources;
    struct pf_facts_mark facts_kept; /* without the input at hand */
    size_t sources_kept;
    struct pf_top top;
    enum view view;
    bool naming; /* names for addresses were asked for */
    bool fit_height; /* the terminal decides on the number of rows */
    struct pf_row_settings rows;
    bool tree, edges;
    const char *callers_text, *callees_text, *peek, *list;
    struct pf_pattern patterns[3];
    unsigned pattern_count;
};

/* --- options ---------------------------------------------------------------------------------------------- */

static bool find_sort(const char *text, void *field)
{
    return pf_sort_find(text, field);
}

static const struct pf_setting settings[] = {
    PF_OTHER_SETTING("sort", struct run, top.sort, "flat, cum, calls, name or file", find_sort),
    PF_FLAG_SETTING("tree", struct run, tree),
    PF_TEXT_SETTING("callers", struct run, callers_text),
    PF_TEXT_SETTING("callees", struct run, callees_text),
    PF_TEXT_SETTING("peek", struct run, peek),
    PF_FLAG_SETTING("edges", struct run, edges),
    PF_TEXT_SETTING("list", struct run, list),
    PF_SETTINGS_END,
};

static void read_form(struct run *run, const char *to)
{
    struct pf_error error = {0};
    bool flame = false;

    if (to != NULL && pf_top_form_parse(to, &run->top.form, &flame, &error) != PF_OK)
        pf_tool_usage(&run->common.tool, "%s", error.text);
    if (flame)
        run->view = FLAME;
}

static struct pf_pattern *pattern(struct run *run, const char *text)
{
    struct pf_pattern *compiled = &run->patterns[run->pattern_count];
    struct pf_error error = {0};
    int status;

    if (text == NULL)
        return NULL;
    status = pf_pattern_compile(compiled, text, 0, &error);
    if (status == PF_NOMEM)
        pf_tool_nomem(&run->common.tool);
    if (status != PF_OK)
        pf_tool_usage(&run->common.tool, "%s", error.text);
    run->pattern_count++;
    return compiled;
}

static void read_view(struct run *run)
{
    bool one_way = run->callers_text != NULL || run->callees_text != NULL;
    bool calls = run->edges || run->peek != NULL || one_way;

    if (calls + (run->list != NULL) + run->tree > 1 || (run->edges && (run->peek || one_way)) ||
        (run->peek != NULL && one_way))
        pf_tool_usage(&run->common.tool, "choose one of --tree, --edges, --callers and --callees, --peek, --list");
    if (run->view == FLAME && (calls || run->list != NULL))
        pf_tool_usage(&run->common.tool, "a flame graph is a tree of calls");
    if (run->view != FLAME)
        run->view = calls ? CALLS : run->list != NULL ? LIST : run->tree ? TREE : TABLE;
    run->top.list = pattern(run, run->list);
    run->top.callers = pattern(run, run->peek != NULL ? run->peek : run->callers_text);
    run->top.callees = pattern(run, run->peek != NULL ? run->peek : run->callees_text);
}

/* The key of a label is known to the dictionary from here on. */
static void read_by(struct run *run)
{
    enum pf_by by = pf_row_settings_by(&run->rows, &run->common, pf_inputs_dict(run->inputs), &run->top.label);

    if (by == PF_BY_LABEL && run->view != TABLE)
        pf_tool_usage(&run->common.tool, "labels and sections have no callers and no source: --by=%s is for the table", run->rows.by);
    run->top.by = run->view == LIST ? PF_BY_LINE : by;
}

static void read_limits(struct run *run)
{
    bool text = run->top.form == PF_SHEET_TEXT && run->view != LIST;

    run->top.limit = pf_row_settings_limit(&run->rows, run->top.sink, text, 4);
    run->fit_height = run->rows.limit < 0 && text && pf_tool_rows(run->top.sink) > 0;
    run->top.min_percent = run->rows.min_percent;
}

static void read_style(struct run *run)
{
    struct pf_tool *tool = &run->common.tool;

    run->top.color = pf_tool_colors(tool, run->top.sink);
    run->top.utf8 = pf_sink_terminal(run->top.sink) && pf_tool_utf8(); /* a file or a pipe does not depend on the locale */
    run->top.group = !tool->no_group;
    run->top.terminal = pf_sink_columns(run->top.sink);
}

/* --- reading ---------------------------------------------------------------------------------------------- */

static bool wants(void *arg, uint32_t measure)
{
    const struct run *run = arg;

    return pf_common_wants(&run->common, run->accumulator.dict, measure, NULL);
}

/* False after a failure of ours, printed. With --keep-going an input that cannot be added is to be dropped when it ends. */
static bool take_batch(struct run *run, const struct pf_batch *batch, const struct pf_input *input, bool *drop)
{
    struct pf_error error = {0};
    int status = pf_accumulator_add(&run->accumulator, batch, &error);

    if (status == PF_OK)
        status = pf_facts_add(&run->facts, run->top.dict, batch);
    if (status == PF_OK && run->view == LIST)
        status = pf_sources_add(&run->sources, batch);
    if (status == PF_NOMEM)
        pf_tool_nomem(&run->common.tool);
    *drop = status != PF_OK && run->common.tool.keep_going;
    if (*drop)
        pf_inputs_reject(run->inputs, &error);
    else if (status != PF_OK)
        pf_tool_fail(&run->common.tool, input->name, &error, false);
    return status == PF_OK || *drop;
}

/* With --keep-going: what the input said counts, or is forgotten. */
static void end_input(struct run *run, const struct pf_input *input, bool drop)
{
    int status = PF_OK;

    if (drop)
        status = pf_accumulator_drop(&run->accumulator);
    else if (input->number + 1 < pf_inputs_count(run->inputs))
        status = pf_accumulator_keep(&run->accumulator);
    if (status != PF_OK)
        pf_tool_nomem(&run->common.tool);
    if (drop) {
        pf_facts_drop(&run->facts, run->facts_kept);
        run->sources.count = run->sources_kept;
    }
    run->facts_kept = pf_facts_mark(&run->facts);
    run->sources_kept = run->sources.count;
}

static bool read_all(struct run *run)
{
    struct pf_batch batch;
    struct pf_input input;
    bool drop = false;

    if (run->common.tool.keep_going)
        pf_inputs_want_ends(run->inputs);
    while (pf_inputs_next(run->inputs, &batch, &input) == PF_OK) {
        if (!input.ended && !drop && !take_batch(run, &batch, &input, &drop))
            return false;
        if (input.ended)
            end_input(run, &input, drop);
        drop = drop && !input.ended;
    }
    run->top.incomplete = pf_inputs_failed(run->inputs);
    return true;
}

/* --- choosing --------------------------------------------------------------------------------------------- */

/* The format of all inputs; "": there are several. */
static const char *source_format(const struct run *run)
{
    const struct pf_facts *facts = &run->facts;

    return facts->format_count == 1 ? pf_dict_string(run->top.dict, facts->formats[0]).data : "";
}

static enum pf_kind choose_kind(const struct run *run)
{
    const uint64_t *records = run->accumulator.records;

    if (run->rows.kind != PF_RECORD_KINDS)
        return run->rows.kind;
    if ((run->view == TREE || run->view == FLAME) && records[PF_SAMPLE] > 0)
        return PF_SAMPLE;
    if (run->view == CALLS && records[PF_EDGE] > 0)
        return PF_EDGE;
    return pf_subject_kind(&run->accumulator, run->top.by, pf_bytes_of(source_format(run)));
}

static void add_block(struct run *run, uint32_t measure)
{
    struct pf_error error = {0};
    const struct pf_sums *sums = pf_accumulator_find(&run->accumulator, measure);

    for (size_t i = 0; i < run->top.block_count; i++)
        if (run->top.blocks[i].subject.shown == sums)
            return;
    if (sums == NULL)
        return;
    if (pf_top_block(&run->top, measure, run->rows.unit, &run->top.blocks[run->top.block_count], &error) != PF_OK)
        pf_tool_die(&run->common.tool, NULL, &error, false);
    run->top.blocks[run->top.block_count].named = run->common.measure_count > 0;
    run->top.block_count++;
}

/* The measure one -m names: of the kind shown, else of any. */
static uint32_t named_measure(const struct run *run, const char *name, enum pf_kind kind)
{
    const struct pf_common one = {.measures = &name, .measure_count = 1};
    uint32_t count = pf_measures_count(&run->top.dict->measures), found = UINT32_MAX;

    for (uint32_t k = count; k-- > 0;)
        if (pf_common_wants(&one, run->top.dict, k, NULL) && pf_accumulator_find(&run->accumulator, k) != NULL &&
            (found == UINT32_MAX || pf_measures_row(&run->top.dict->measures, k)->kind == kind))
            found = k;
    return found;
}

static void unknown_measure(struct run *run, const char *name)
{
    struct pf_buffer names = {0};

    pf_tool_stop_failed(&run->common.tool);
    for (uint32_t i = 0; i < run->accumulator.count; i++) {
        struct pf_bytes known = pf_dict_string(run->top.dict, run->accumulator.sums[i].quantity.measure.name);
        pf_buffer_append(&names, ", ", names.size > 0 ? 2 : 0);
        pf_buffer_append(&names, known.data, known.size);
    }
    pf_tool_usage(&run->common.tool, "there is no measure '%s' here; measures: %.*s", name, (int)names.size,
                  names.size > 0 ? names.data : "");
}

/* An order by what no row has would be one by name, unsaid. */
static void check_sort(struct run *run)
{
    for (size_t i = 0; run->top.sort == PF_SORT_CALLS && i < run->top.block_count; i++) {
        const struct pf_subject *subject = &run->top.blocks[i].subject;
        struct pf_bytes name = pf_dict_string(run->top.dict, subject->shown->quantity.measure.name);
        if (subject->calls == NULL)
            pf_tool_stop_failed(&run->common.tool);
        if (subject->calls == NULL)
            pf_tool_usage(&run->common.tool, "--sort=calls: the records of '%.*s' (%s) have no number of calls", (int)name.size, name.data,
                          pf_kind_name(subject->kind));
    }
}

/* Times that no record has: of functions whose calls alone are timed, and outside of all subs. */
static void add_times(struct run *run)
{
    struct pf_error error = {0};

    if (pf_own_time_add(&run->accumulator, &error) != PF_OK ||
        pf_file_scope_add(&run->accumulator, &run->accumulator, run->top.dict, &run->facts, run->top.by, NULL, &error) != PF_OK)
        pf_tool_die(&run->common.tool, NULL, &error, false);
}

static void choose(struct run *run)
{
    enum pf_kind kind = choose_kind(run);
    uint32_t main_measure = kind < PF_RECORD_KINDS ? pf_accumulator_main(&run->accumulator, kind) : UINT32_MAX;

    run->top.blocks = calloc(run->common.measure_count + 1, sizeof *run->top.blocks);
    if (run->top.blocks == NULL)
        pf_tool_nomem(&run->common.tool);
    for (unsigned i = 0; i < run->common.measure_count && run->accumulator.count > 0; i++) {
        uint32_t measure = named_measure(run, run->common.measures[i], kind);
        if (measure == UINT32_MAX)
            unknown_measure(run, run->common.measures[i]);
        add_block(run, measure);
    }
    if (run->common.measure_count == 0 && main_measure != UINT32_MAX)
        add_block(run, main_measure);
    if (run->top.block_count == 0 && run->rows.kind != PF_RECORD_KINDS && run->accumulator.count > 0) {
        pf_tool_stop_failed(&run->common.tool);
        pf_tool_usage(&run->common.tool, "there are no %s records here", pf_kind_name(run->rows.kind));
    }
    check_sort(run);
}

/* --- showing ---------------------------------------------------------------------------------------------- */

static bool has_other_kinds(const struct run *run)
{
    for (enum pf_kind kind = PF_SAMPLE; kind < PF_RECORD_KINDS && run->top.block_count > 0; kind++)
        if (kind != run->top.blocks[0].subject.kind && run->accumulator.records[kind] > 0)
            return true;
    return false;
}

/* Rows make room for lines above and below the table that most profiles do not have. */
static void make_room(struct run *run)
{
    size_t lines_of_note = run->top.terminal < 100 ? 2 : 1, lines = run->facts.duration > 0;
    bool tree_of_calls = run->view == TREE && run->top.block_count > 0 && run->top.blocks[0].subject.kind == PF_EDGE;

    lines += has_other_kinds(run) ? lines_of_note : 0;
    lines += tree_of_calls ? lines_of_note : 0;
    run->top.limit -= run->top.limit > lines + 5 ? lines : 0;
}

static void show(struct run *run)
{
    static const char *const what[] = {"", "callers or callees of", "", "", "source of"};
    struct pf_error error = {0};
    bool matched = true;
    int status = PF_OK;

    if (run->top.incomplete)
        pf_tool_warn(&run->common.tool, "the input is incomplete, and so is what is shown");
    if (run->top.block_count == 0)
        pf_tool_warn(&run->common.tool, "there are no records and no measures");
    if (run->fit_height)
        make_room(run);
    if (run->view == TABLE)
        status = pf_top_table(&run->top, &matched, &error);
    else if (run->view == CALLS)
        status = pf_top_calls(&run->top, &matched, &error);
    else if (run->view == LIST)
        status = pf_top_list(&run->top, &matched, &error);
    else if (run->view == TREE)
        status = pf_top_tree(&run->top, &error);
    else
        status = pf_top_flame(&run->top, &error);
    if (status == PF_NOMEM)
        pf_tool_nomem(&run->common.tool);
    if (status != PF_OK && status != PF_IO)
        pf_tool_stop_failed(&run->common.tool);
    if (status != PF_OK)
        pf_tool_fail(&run->common.tool, NULL, &error, false);
    else if (!matched)
        pf_tool_warn(&run->common.tool, "%s '%s': no function matches", what[run->view], run->patterns[0].text);
    if (status == PF_OK && run->top.form == PF_SHEET_TEXT && !run->naming)
        pf_hint_names(&run->common, run->top.dict, source_format(run),
                      run->view == LIST ? run->top.list->text : NULL);
}

static void close_run(struct run *run)
{
    pf_accumulator_free(&run->accumulator);
    pf_facts_free(&run->facts);
    pf_sources_free(&run->sources);
    for (unsigned i = 0; i < run->pattern_count; i++)
        pf_pattern_free(&run->patterns[i]);
    free(run->top.blocks);
    pf_inputs_close(run->inputs);
}

/* Everything between the options that are shared and the end. */
static void proftop(struct run *run)
{
    int slot;

    pf_row_settings_read(&run->rows, &run->common);
    run->top.sort = run->rows.cum ? PF_SORT_CUM : PF_SORT_FLAT;
    pf_settings_read(&run->common.tool, run->common.given, settings, run);
    read_form(run, run->common.to_text);
    read_view(run);
    run->inputs = pf_inputs_open(&run->common);
    read_by(run);
    run->naming = pf_settings_given(run->common.given, "binary") || pf_settings_given(run->common.given, "symbols");
    if (!pf_inputs_set_names(run->inputs)) {
        close_run(run);
        return;
    }
    run->top.sink = pf_output_sink(&run->common, &slot);
    if (run->top.sink != NULL) {
        read_limits(run);
        read_style(run);
        run->top.dict = pf_inputs_dict(run->inputs);
        run->top.accumulator = &run->accumulator;
        run->top.facts = &run->facts;
        run->top.sources = &run->sources;
        run->top.tool = run->common.tool.name;
        run->top.operands = pf_inputs_names(run->inputs);
        run->accumulator.dict = run->top.dict;
        run->accumulator.by_labels = run->top.by == PF_BY_LABEL;
        run->accumulator.wants = run->common.measure_count > 0 ? wants : NULL;
        run->accumulator.arg = run;
        if (read_all(run)) {
            add_times(run);
            choose(run);
            if (run->accumulator.count > 0 || !run->top.incomplete)
                show(run);
        }
        pf_output_sink_close(&run->common, run->inputs, run->top.sink, slot);
    }
    close_run(run);
}

int main(int argc, char **argv)
{
    struct run run = {.common.views = true};

    pf_common_start(&run.common, pf_command_line(), argc, argv);
    proftop(&run);
    return pf_common_end(&run.common);
}

/* profdiff: what changed between two sets of runs, and whether it is real. */
#include "cli/comparison.h"
#include "codec/registry.h"

#include <string.h>

struct run {
    struct pf_comparison comparison;
    struct pf_bound gate;
    const char *fail_above;
};

/* Reads the argument of --runs: `field` becomes the key of the label. */
static bool find_runs(const char *text, void *field)
{
    const char **key = field;

    *key = strncmp(text, "label:", 6) == 0 && text[6] != '\0' ? text + 6 : NULL;
    return *key;
}

static const struct pf_setting settings[] = {
    PF_WORD_SETTING("sort", struct run, comparison.view.sort, "abs, delta, ratio, q or name",
                    PF_DIFF_BY_ABS),
    PF_WORD_SETTING("only", struct run, comparison.view.only,
                    "added, removed, more, less, same, unclear or significant", PF_DIFF_ONLY_ADDED),
    PF_FLAG_SETTING("drop-negative", struct run, comparison.view.drop_negative),
    PF_FLAG_SETTING("normalize", struct run, comparison.diff.normalize),
    PF_FLAG_SETTING("reverse", struct run, comparison.reverse),
    PF_OTHER_SETTING("min-delta", struct run, comparison.view.terms.margin,
                     "a change of the ratio such as 1%", pf_find_fraction),
    PF_WORD_SETTING("test", struct run, comparison.view.terms.test, "moderated or welch",
                    PF_DIFF_TEST_MODERATED),
    PF_TEXT_SETTING("fail-above", struct run, fail_above),
    PF_FLAG_SETTING("stats", struct run, comparison.stats),
    PF_OTHER_SETTING("runs", struct run, comparison.reading.label, "label:KEY", find_runs),
    PF_SETTINGS_END,
};

/* Options that only tables have. */
static const char *const table_options[] = {"limit", "min-percent", "sort",      "only",
                                            "unit",  "cum",         "min-delta", "fail-above",
                                            "stats", "by",          "test",      NULL};

static bool is_picture(const struct pf_format *format)
{
    return (format->caps & (PF_IS_VIEW | PF_HOLDS_DIFFERENCE)) ==
           (PF_IS_VIEW | PF_HOLDS_DIFFERENCE);
}

/* Sets the format of records from -t. For a picture, --by becomes the picture's option `by`. */
static void read_format(struct pf_common *common, const char *to, const char *by)
{
    struct pf_buffer text = {0};
    const struct pf_format *format = pf_registry_find((struct pf_bytes){to, strcspn(to, ":")});

    pf_buffer_append(&text, to, strlen(to));
    if (by && format && is_picture(format)) {
        pf_buffer_append(&text, strchr(to, ':') ? ",by=" : ":by=", 4);
        pf_buffer_append(&text, by, strlen(by));
    }
    if (!pf_buffer_byte(&text, '\0'))
        pf_tool_nomem(&common->tool);
    pf_common_to(common, text.data);
    pf_buffer_free(&text);
}

/* Chooses between tables and records: tables, unless -t or the suffix of -o names a format of
 * records. */
static void read_form(struct pf_comparison *comparison)
{
    struct pf_common *common = &comparison->common;
    const char *to = common->to_text, *wanted = pf_settings_first(common->given, table_options);

    if (!to || pf_sheet_form_find(pf_bytes_of(to), &comparison->view.form))
        return;
    comparison->stream = true;
    read_format(common, to, comparison->rows.by);
    if ((common->to->caps & (PF_IS_VIEW | PF_HOLDS_DIFFERENCE)) == PF_IS_VIEW)
        pf_tool_usage(&common->tool,
                      "tables have no options: expected -t text, json, ndjson, csv, tsv or a "
                      "format of records, not '%s'",
                      to);
    if (!(common->to->caps & PF_HOLDS_DIFFERENCE))
        pf_tool_usage(&common->tool, "%s cannot hold the values before and after side by side",
                      common->to->name);
    if (wanted && !(strcmp(wanted, "by") == 0 && is_picture(common->to)))
        pf_tool_usage(&common->tool,
                      "--%s is for tables: expected -t text, json, ndjson, csv or tsv, not '%s'",
                      wanted, to);
}

static void read_gate(struct run *run)
{
    const char *text = run->fail_above;
    bool good;

    if (!text)
        return;
    good = pf_bound_parse(text, &run->gate);
    if (run->gate.bare && (!good || run->gate.amount != 0))
        pf_tool_usage(
            &run->comparison.common.tool,
            "--fail-above=%s has no unit: type --fail-above=%s%% (or %sms, %scount, %sbytes)", text,
            text, text, text, text);
    if (!good)
        pf_tool_usage(&run->comparison.common.tool,
                      "--fail-above takes an amount such as 5%%, 10ms or 1000count, not '%s'",
                      text);
    run->comparison.view.terms.gate = &run->gate;
    run->comparison.view.gate_text = text;
}

/* Exits 2 if --stats, which does not compare, is combined with options for comparisons. */
static void check_stats(struct run *run)
{
    bool others = run->comparison.view.only != PF_DIFF_ALL || run->comparison.view.drop_negative ||
                  run->comparison.reverse;
    static const char *const tests[] = {"min-delta", "test", NULL};
    const char *test = pf_settings_first(run->comparison.common.given, tests);

    if (pf_settings_given(run->comparison.common.given, "sort") &&
        run->comparison.view.sort != PF_DIFF_BY_NAME)
        pf_tool_usage(&run->comparison.common.tool,
                      "--stats sorts by the normalised range, or with --sort=name by name");
    if (run->fail_above || others || test)
        pf_tool_usage(&run->comparison.common.tool, "--stats compares nothing and has no --%s",
                      run->fail_above ? "fail-above"
                      : test          ? test
                                      : "only, --drop-negative or --reverse");
}

int main(int argc, char **argv)
{
    struct run run = {.comparison = {.common.views = true, .view.terms.margin = 0.01}};
    struct pf_comparison *comparison = &run.comparison;

    pf_common_start(&comparison->common, pf_command_line(), argc, argv);
    pf_row_settings_read(&comparison->rows, &comparison->common);
    pf_settings_read(&comparison->common.tool, comparison->common.given, settings, &run);
    read_form(comparison);
    read_gate(&run);
    if (comparison->stats)
        check_stats(&run);
    if (!pf_settings_given(comparison->common.given, "min-percent"))
        comparison->rows.min_percent = comparison->stats ? 0 : 0.2;
    pf_comparison_write(comparison);
    return pf_common_end(&comparison->common);
}

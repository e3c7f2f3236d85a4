/* profdiff: what changed between two sets of runs, and whether it is real. */
#include "cli/diff/comparison.h"

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
    PF_WORD_SETTING("images", struct run, comparison.diff.images, "joined or apart",
                    PF_DIFF_IMAGES_JOINED),
    PF_TEXT_SETTING("fail-above", struct run, fail_above),
    PF_FLAG_SETTING("stats", struct run, comparison.stats),
    PF_OTHER_SETTING("runs", struct run, comparison.reading.label, "label:KEY", find_runs),
    PF_SETTINGS_END,
};

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
    pf_comparison_form(comparison);
    read_gate(&run);
    if (comparison->stats)
        check_stats(&run);
    if (!pf_settings_given(comparison->common.given, "min-percent"))
        comparison->rows.min_percent = comparison->stats ? 0 : 0.2;
    pf_comparison_write(comparison);
    return pf_common_end(&comparison->common);
}

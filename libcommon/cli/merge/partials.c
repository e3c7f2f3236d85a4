#include "cli/merge/partials.h"

#include "base/memory.h"
#include "cli/merge/branches.h"
#include "cli/merge/manifest.h"
#include "cli/merge/merging.h"
#include "cli/redirect.h"

#include <stdlib.h>
#include <string.h>

/* An input that changes while it is read is left out, and the steps above it are named again. More
 * changes than this mean that a program writes all the time. */
enum { CHANGES_MAX = 1000 };

static const struct pf_setting settings[] = {
    PF_TEXT_SETTING("partials", struct pf_partials, directory),
    PF_NUMBER_SETTING("fan-in", struct pf_partials, fan_in, "a number from 2 to 65536", 2, 65536),
    PF_WORD_SETTING("plan", struct pf_partials, plan, "make or tasks", PF_PLAN_MAKE),
    PF_FLAG_SETTING("prune", struct pf_partials, prune),
    PF_TEXT_SETTING("manifest", struct pf_partials, manifest),
    PF_TEXT_SETTING("task", struct pf_partials, task),
    PF_SETTINGS_END,
};

void pf_partials_read(struct pf_partials *partials, struct pf_common *common)
{
    static const char *const alone[] = {"mean", "normalize", NULL};
    static const char *const needing[] = {"fan-in", "plan", "prune", NULL};
    struct pf_tool *tool = &common->tool;
    const char *option;

    *partials = (struct pf_partials){.fan_in = 64};
    pf_settings_read(tool, common->given, settings, partials);
    option = pf_settings_first(common->given, needing);
    if (!partials->directory && option)
        pf_tool_usage(tool, "--%s needs --partials=DIR", option);
    if (partials->manifest && common->output && strcmp(partials->manifest, common->output) == 0)
        pf_tool_usage(tool, "-o and --manifest name one file: '%s'", common->output);
    if (!partials->directory)
        return;
    if (partials->directory[0] == '\0')
        pf_tool_usage(tool, "--partials takes the name of a directory");
    option = pf_settings_first(common->given, alone);
    if (option)
        pf_tool_usage(tool,
                      "--%s cannot be combined with --partials: a merge of rounded parts differs "
                      "from one merge",
                      option);
    if (partials->plan != PF_PLAN_NONE && partials->prune)
        pf_tool_usage(tool, "--prune cannot be combined with --plan: tasks of the plan need the "
                            "files in the directory");
    if (partials->plan != PF_PLAN_NONE)
        pf_plan_check(tool, partials->plan, partials->directory, common->output);
}

/* --- the output ------------------------------------------------------------------------------- */

/* True if the merge of the last partial differs from its copy. */
static bool changes_records(const struct pf_common *common)
{
    static const char *const options[] = {"keep-share", NULL};

    return pf_settings_first(common->given, options);
}

/* Writes the partial to the output of the run. `names`: the inputs that are counted. False: failed,
 * which is printed and raised. */
static bool write_partial(struct pf_common *common, const char *path, const char *const *names)
{
    struct pf_common own = pf_step_common(PF_STEP_OUTPUT, common);
    struct pf_operands operands = {0};
    struct pf_merge_run merging;
    struct pf_output *output;

    own.tool.keep_going = false; /* a part of the partial is not an output */
    pf_merging_read(&merging, &own);
    if (!path || !names || pf_weights_add(&merging.weights, (struct pf_weight){1, 1}) != PF_OK)
        pf_tool_nomem(&own.tool);
    merging.weights.den = 1;
    pf_operands_add(&operands, &own, pf_bytes_of(path));
    own.canonical = changes_records(common);
    if (own.canonical)
        pf_merging_open(&merging, &operands, true);
    else
        merging.inputs = pf_inputs_open_names(&own, &operands);
    output = pf_output_open(&own, merging.inputs);
    if (output)
        pf_output_names(output, names);
    if (output && own.canonical)
        pf_merging_write(&merging, output);
    else if (output)
        pf_output_write_inputs(output);
    pf_output_close(output);
    pf_merging_close(&merging);
    pf_tool_raise(&common->tool, own.tool.status);
    free((void *)(uintptr_t)own.given);
    return own.tool.status == PF_EXIT_DONE;
}

/* Names the inputs that are left out, except those that were named in this run. The rows are in the
 * order of the inputs (NULL: not known). */
static void report_left_out(struct pf_tool *tool, struct pf_bytes rows,
                            const struct pf_step_input *inputs)
{
    for (size_t k = 0; rows.size > 0; k++) {
        struct pf_bytes row = pf_bytes_line(&rows);

        if (!inputs || !inputs[k].reported)
            pf_manifest_report(tool, row);
    }
}

/* Writes output and manifest from the last partial. The exit status follows the manifest. False:
 * the partial was damaged, which `error` says, and is removed. */
static bool write_output(struct pf_common *common, const struct pf_step *root,
                         const struct pf_step_input *inputs, const char *manifest,
                         struct pf_error *error)
{
    struct pf_tool *tool = &common->tool;
    struct pf_buffer text = {0};
    struct pf_bytes rows;
    size_t count, left_out;
    bool written = true;
    int status = pf_step_load(root, &text, error);

    if (status < 0)
        pf_tool_die(tool, NULL, error, true);
    if (status != PF_OK) {
        pf_buffer_free(&text);
        return false;
    }
    rows = (struct pf_bytes){text.data, text.size};
    count = pf_manifest_rows(rows, &left_out);
    report_left_out(tool, rows, inputs);
    if (left_out == count)
        pf_tool_error(tool, "none of %zu inputs is counted: no output is written", count);
    if (left_out < count) {
        struct pf_arena names = {0};
        const char **list = pf_manifest_counted(rows, &names);

        written = write_partial(common, pf_step_path(root, ".pfs"), list);
        free(list);
        pf_arena_free(&names);
    }
    if (left_out > 0)
        pf_tool_raise(tool, PF_EXIT_INPUT);
    if (manifest && written)
        pf_manifest_save(common, manifest, rows);
    if (left_out > 0 && left_out < count)
        pf_tool_warn(tool, "%zu of %zu inputs are left out", left_out, count);
    pf_buffer_free(&text);
    return true;
}

/* --- one process ------------------------------------------------------------------------------ */

static uint64_t bytes_of(const struct pf_step *step)
{
    uint64_t bytes = 0;

    for (size_t k = 0; step->inputs && k < step->count; k++)
        bytes += step->inputs[k].print.state.size;
    return bytes;
}

/* Makes all needed steps. False: failed, which is printed and raised. */
static bool make_steps(struct pf_branches *branches)
{
    struct pf_tool *tool = &branches->common->tool;
    struct pf_progress progress;
    unsigned changes = 0;
    uint64_t total = 0, done = 0;
    int status = PF_OK;

    for (size_t k = 0; k < branches->step_count; k++)
        if (branches->steps[k].needed)
            total += bytes_of(&branches->steps[k].step);
    pf_progress_start(&progress, tool, total);
    for (size_t k = 0; k < branches->step_count && status != PF_FAILED;) {
        struct pf_branch *branch = &branches->steps[k];
        bool missing = branch->needed && !pf_step_made(&branch->step);

        status = missing ? pf_step_run(&branch->step, branches->common) : PF_OK;
        if (status == PF_OK) {
            done += missing ? bytes_of(&branch->step) : 0;
            pf_progress_update(&progress, done);
            k++;
        } else if (status == PF_EOF && changes++ < CHANGES_MAX) {
            pf_branches_name(branches);
            k = 0;
        } else if (status == PF_EOF) {
            pf_tool_error(tool, "inputs or partials change all the time: no output is written");
            pf_tool_raise(tool, PF_EXIT_INPUT);
            status = PF_FAILED;
        }
    }
    pf_progress_end(&progress);
    return status != PF_FAILED;
}

/* Makes the partials that are missing, and the output. A damaged last partial is made once more.
 * False: failed, which is printed and raised. */
static bool make_output(struct pf_branches *branches, const char *manifest)
{
    struct pf_tool *tool = &branches->common->tool;
    struct pf_error error;

    for (int damaged = 0; damaged < 2; damaged++) {
        error = (struct pf_error){0};
        if (!make_steps(branches))
            return false;
        if (write_output(branches->common, pf_branches_root(branches), branches->inputs, manifest,
                         &error))
            return true;
        pf_tool_note(tool, "%s: the last partial is made again", error.text);
        pf_branches_name(branches);
    }
    pf_tool_fail(tool, NULL, &error, true);
    return false;
}

/* --- removing --------------------------------------------------------------------------------- */

/* Adds the hash in the name of an input that is a partial itself, perhaps of this directory. */
static void keep_input(struct pf_table *hashes, const char *name)
{
    const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
    struct pf_hash128 hash;

    if (pf_hash128_parse(&hash, (struct pf_bytes){base, strcspn(base, ".")}))
        pf_table_intern(hashes, &hash);
}

/* True for partials of the tree and partials that are inputs (the table has the hashes of both),
 * and for all other files. */
static bool keeps(void *hashes, const char *name)
{
    const char *suffix = strchr(name, '.');
    struct pf_hash128 hash;

    if (!suffix || !pf_hash128_parse(&hash, (struct pf_bytes){name, (size_t)(suffix - name)}))
        return true;
    if (strcmp(suffix, ".task") == 0 || strcmp(suffix, ".output.task") == 0)
        return false;
    return (strcmp(suffix, ".pfs") != 0 && strcmp(suffix, ".ndjson") != 0) ||
           pf_table_find(hashes, &hash) != 0;
}

static void prune(struct pf_branches *branches)
{
    struct pf_tool *tool = &branches->common->tool;
    struct pf_error error = {0};
    struct pf_table hashes; /* struct pf_hash128 */
    size_t removed;
    int status = pf_table_init(&hashes, sizeof(struct pf_hash128));

    for (size_t k = 0; k < branches->step_count; k++)
        pf_table_intern(&hashes, &branches->steps[k].step.hash);
    for (size_t k = 0; k < branches->count; k++)
        keep_input(&hashes, branches->inputs[k].name);
    if (status != PF_OK || hashes.status != PF_OK)
        pf_tool_nomem(tool);
    status = pf_store_prune(branches->store, keeps, &hashes, &removed, &error);
    if (status == PF_EOF)
        pf_tool_warn(tool, "another run uses '%s': nothing was removed", branches->store->path);
    else if (status != PF_OK)
        pf_tool_fail(tool, NULL, &error, true);
    else
        pf_tool_note(tool, "%zu files of '%s' were removed", removed, branches->store->path);
    pf_table_free(&hashes);
}

/* --- the run ---------------------------------------------------------------------------------- */

static void open_store(const struct pf_partials *partials, struct pf_tool *tool,
                       struct pf_store *store)
{
    pf_step_open_store(tool, store, partials->directory);
    if (partials->prune && !store->locks)
        pf_tool_usage(
            tool,
            "--prune cannot be used in '%s': its file system has no locks, so another run "
            "may need the files",
            partials->directory);
}

/* Takes the fingerprints of all inputs; the index of the store then has them. */
static void fingerprint(struct pf_branches *branches, bool prune_index)
{
    struct pf_tool *tool = &branches->common->tool;
    struct pf_fingerprints prints = {0};
    struct pf_buffer text = {0};
    struct pf_error error = {0};
    const char *path = pf_store_path(branches->store, "index", "");

    if (!path || pf_fingerprints_load(&prints, path) != PF_OK)
        pf_tool_nomem(tool);
    pf_branches_fingerprint(branches, &prints);
    if (prints.changed || prune_index) {
        if (!pf_fingerprints_text(&prints, prune_index, &text))
            pf_tool_nomem(tool);
        if (pf_store_write(branches->store, path, (struct pf_bytes){text.data, text.size},
                           &error) != PF_OK)
            pf_tool_die(tool, NULL, &error, true);
    }
    pf_buffer_free(&text);
    pf_fingerprints_free(&prints);
}

static void refuse_operands(struct pf_common *common, const struct pf_operands *operands,
                            const struct pf_weights *weights)
{
    if (weights->den != 1)
        pf_tool_usage(&common->tool,
                      "--partials takes whole weights: a merge of rounded parts differs from one "
                      "merge");
    for (size_t k = 0; k < operands->count; k++)
        if (strcmp(operands->names[k], "-") == 0)
            pf_tool_usage(&common->tool, "--partials merges files, not standard input");
}

void pf_partials_merge(const struct pf_partials *partials, struct pf_common *common)
{
    struct pf_store store = {.lock = -1};
    struct pf_branches branches = {
        .common = common, .store = &store, .fan_in = (uint64_t)partials->fan_in};
    struct pf_operands operands;
    struct pf_weights weights = {0};

    pf_weighted_operands(common, &operands, &weights);
    refuse_operands(common, &operands, &weights);
    if (partials->plan == PF_PLAN_NONE)
        pf_redirect_check(common, false);
    open_store(partials, &common->tool, &store);
    pf_branches_plant(&branches, &operands, &weights);
    fingerprint(&branches, partials->prune);
    pf_branches_name(&branches);
    if (partials->plan != PF_PLAN_NONE) {
        pf_plan_print(&branches, partials->plan);
    } else if (make_output(&branches, partials->manifest) && partials->prune) {
        prune(&branches);
    }
    pf_branches_free(&branches);
    pf_weights_free(&weights);
    pf_store_close(&store);
}

void pf_partials_task(const struct pf_partials *partials, struct pf_common *common,
                      struct pf_task *task)
{
    struct pf_error error = {0};
    const char *foreign;

    if (task->error.code != PF_OK)
        pf_tool_die(&common->tool, NULL, &task->error, task->error.code == PF_NOMEM);
    if (!task->store.path)
        pf_tool_usage(&common->tool, "write --task=FILE in full");
    if (common->operand_count > 0)
        pf_tool_usage(&common->tool, "--task names its inputs: '%s' is one more",
                      common->operands[0]);
    foreign = pf_step_foreign(task->kind, common->given);
    if (foreign)
        pf_tool_usage(&common->tool, "--%s cannot be combined with --task: give it to the plan",
                      foreign);
    pf_task_run(task, common);
    if (task->kind == PF_STEP_OUTPUT &&
        !write_output(common, &task->step, NULL, partials->manifest, &error))
        pf_task_refuse(&common->tool, pf_step_path(&task->step, ".pfs"), "the partial is damaged");
}

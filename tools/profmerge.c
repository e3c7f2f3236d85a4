/* profmerge: one profile from many runs. */
#include "base/memory.h"
#include "cli/merge/merging.h"
#include "cli/merge/partials.h"

/* Writes the manifest of a merge that has an output. */
static void save_manifest(const struct pf_manifest *manifest, struct pf_common *common,
                          const char *path)
{
    const struct pf_tool *tool = &common->tool;
    struct pf_buffer text = {0};

    if (!pf_manifest_text(manifest, &text))
        pf_tool_nomem(&common->tool);
    if (tool->status == PF_EXIT_DONE || (tool->status == PF_EXIT_INPUT && tool->keep_going))
        pf_manifest_save(common, path, (struct pf_bytes){text.data, text.size});
    pf_buffer_free(&text);
}

/* Merges all inputs at once. */
static void merge(struct pf_common *common, const char *manifest_path)
{
    struct pf_operands operands;
    struct pf_manifest manifest = {0};
    struct pf_merge_run merging;
    struct pf_output *output;

    pf_merging_read(&merging, common);
    pf_weighted_operands(common, &operands, &merging.weights);
    if (manifest_path) {
        pf_manifest_start(&manifest, &common->tool, operands.count);
        merging.manifest = &manifest;
    }
    pf_merging_open(&merging, &operands, false);
    output = pf_output_open(common, merging.inputs);
    if (output)
        pf_merging_write(&merging, output);
    pf_output_close(output);
    if (manifest_path)
        save_manifest(&manifest, common, manifest_path);
    pf_manifest_free(&manifest);
    pf_merging_close(&merging);
}

int main(int argc, char **argv)
{
    struct pf_common common = {0};
    struct pf_partials partials;
    struct pf_task task = {0};
    int status;

    pf_task_start(&task, &argc, &argv);
    pf_common_start(&common, pf_command_line(), argc, argv);
    pf_partials_read(&partials, &common);
    if (partials.task)
        pf_partials_task(&partials, &common, &task);
    else if (partials.directory)
        pf_partials_merge(&partials, &common);
    else
        merge(&common, partials.manifest);
    status = pf_common_end(&common);
    pf_task_free(&task);
    return status;
}

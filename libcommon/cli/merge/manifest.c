#include "cli/merge/manifest.h"

#include "base/memory.h"
#include "model/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pf_manifest_start(struct pf_manifest *manifest, struct pf_tool *tool, size_t count)
{
    *manifest = (struct pf_manifest){.tool = tool, .count = count};
    manifest->inputs = pf_tool_calloc(tool, count + 1, sizeof *manifest->inputs);
    manifest->inventory.totals_only = true;
}

static void free_input(struct pf_manifest_input *input)
{
    free(input->row);
    free(input->reason);
}

void pf_manifest_free(struct pf_manifest *manifest)
{
    for (size_t k = 0; k < manifest->count; k++)
        free_input(&manifest->inputs[k]);
    free(manifest->inputs);
    pf_inventory_free(&manifest->inventory);
}

void pf_manifest_dict(struct pf_manifest *manifest, const struct pf_dict *dict)
{
    manifest->inventory.dict = dict;
    pf_inventory_clear(&manifest->inventory);
}

void pf_manifest_batch(struct pf_manifest *manifest, const struct pf_batch *batch)
{
    pf_tool_check_memory(manifest->tool, pf_inventory_add(&manifest->inventory, batch));
}

/* "offset 4711: TEXT", or the text of the error alone. */
static void describe(const struct pf_error *error, char *text, size_t size)
{
    if (error->code == PF_OK)
        text[0] = '\0';
    else if (error->has_offset)
        snprintf(text, size, "offset %" PRIu64 ": %s", error->offset, error->text);
    else
        snprintf(text, size, "%s", error->text);
}

static void print_weight(const struct pf_weight *weight, char *text, size_t size)
{
    struct pf_weight least = pf_weight_reduced(*weight);

    if (least.den == 1)
        snprintf(text, size, "%" PRId64, least.num);
    else
        snprintf(text, size, "%" PRId64 "/%" PRIu64, least.num, least.den);
}

void pf_manifest_end(struct pf_manifest *manifest, size_t at, const struct pf_input *input,
                     const struct pf_weight *weight, bool left_out, const struct pf_error *error)
{
    char reason[sizeof error->text + 64], weight_text[64];
    struct pf_inspected inspected = {
        .input = input->name,
        .format = input->format ? input->format->name : "",
        .variant = "",
        .complete = input->format && !input->failure,
    };
    struct pf_manifest_facts facts = {!left_out, !input->left_out, weight_text, reason};
    struct pf_inspection inspection = {.form = PF_SHEET_NDJSON};
    struct pf_error failure = {0};
    const char *row;
    size_t size;

    describe(error, reason, sizeof reason);
    print_weight(weight, weight_text, sizeof weight_text);
    pf_tool_check_memory(manifest->tool, pf_sink_open_memory(&inspection.sink, &failure));
    pf_inspection_manifest(&inspection, &inspected, &manifest->inventory, &facts);
    row = pf_sink_memory(inspection.sink, &size);
    free_input(&manifest->inputs[at]);
    manifest->inputs[at] = (struct pf_manifest_input){
        .row = pf_sink_status(inspection.sink, NULL) == PF_OK ? strndup(row, size) : NULL,
        .reason = strdup(reason),
        .left_out = left_out,
    };
    if (!manifest->inputs[at].row || !manifest->inputs[at].reason || inspection.scratch.failed)
        pf_tool_nomem(manifest->tool);
    pf_sink_abort(inspection.sink);
    pf_buffer_free(&inspection.scratch);
    pf_inventory_clear(&manifest->inventory);
}

bool pf_manifest_text(const struct pf_manifest *manifest, struct pf_buffer *text)
{
    for (size_t k = 0; k < manifest->count; k++)
        if (manifest->inputs[k].row)
            pf_buffer_append(text, manifest->inputs[k].row, strlen(manifest->inputs[k].row));
    return !text->failed;
}

void pf_manifest_save(struct pf_common *common, const char *path, struct pf_bytes text)
{
    struct pf_temporary *temporary = NULL;
    struct pf_error error = {0};
    struct pf_sink *sink;

    if (pf_sink_open(&sink, path, &error) == PF_OK) {
        if (pf_sink_temporary(sink))
            temporary = pf_tool_temporary(&common->tool, pf_sink_temporary(sink));
        pf_sink_write(sink, text.data, text.size);
        pf_sink_commit(sink, &error);
    }
    if (error.code != PF_OK)
        pf_tool_fail(&common->tool, NULL, &error, true);
    pf_tool_temporary_done(temporary);
}

/* --- texts ------------------------------------------------------------------------------------ */

/* How rows begin (render/records/inspection.h), and how the rows of counted inputs end. */
static const struct pf_bytes counted = {"{\"counted\":true", 15},
                             not_counted = {"{\"counted\":false", 16},
                             no_reason = {"\"reason\":\"\"}", 12};

size_t pf_manifest_rows(struct pf_bytes text, size_t *left_out)
{
    size_t rows = 0;

    *left_out = 0;
    for (; text.size > 0; rows++)
        *left_out += pf_bytes_starts(pf_bytes_line(&text), not_counted);
    return rows;
}

void pf_manifest_report(struct pf_tool *tool, struct pf_bytes row)
{
    json_t *object;
    const char *input = NULL, *reason = NULL;

    if (!pf_bytes_starts(row, not_counted))
        return;
    object = json_loadb(row.data, row.size, 0, NULL);
    if (object && json_unpack(object, "{s:s, s:s}", "input", &input, "reason", &reason) == 0)
        pf_tool_error(tool, "%s: left out: %s", input, reason);
    json_decref(object);
}

const char **pf_manifest_counted(struct pf_bytes text, struct pf_arena *names)
{
    size_t left_out, count = pf_manifest_rows(text, &left_out), used = 0;
    const char **list = calloc(count - left_out + 1, sizeof *list);

    while (list && text.size > 0) {
        struct pf_bytes row = pf_bytes_line(&text);
        const char *input = NULL;
        json_t *object;

        if (!pf_bytes_starts(row, counted))
            continue;
        object = json_loadb(row.data, row.size, 0, NULL);
        input = json_string_value(json_object_get(object, "input"));
        list[used] = input ? pf_arena_copy(names, input, strlen(input)) : NULL;
        json_decref(object);
        if (!list[used++]) {
            free(list);
            return NULL;
        }
    }
    return list;
}

bool pf_manifest_leave_out(struct pf_bytes text, const char *reason, struct pf_buffer *result)
{
    struct pf_sink *quoted;
    struct pf_buffer scratch = {0};
    struct pf_error ignored = {0};
    const char *words;
    size_t size;

    if (pf_sink_open_memory(&quoted, &ignored) != PF_OK)
        return false;
    pf_json_string(quoted, pf_bytes_of(reason), PF_UTF8, &scratch);
    words = pf_sink_memory(quoted, &size);
    while (text.size > 0) {
        struct pf_bytes line = pf_bytes_line(&text);

        if (pf_bytes_starts(line, counted) && pf_bytes_ends(line, no_reason)) {
            pf_buffer_append(result, not_counted.data, not_counted.size);
            line = pf_bytes_skip(line, counted.size);
            line.size -= no_reason.size;
            pf_buffer_append(result, line.data, line.size);
            pf_buffer_printf(result, "\"reason\":%.*s}\n", (int)size, words);
        } else {
            pf_buffer_append(result, line.data, line.size);
            pf_buffer_byte(result, '\n');
        }
    }
    result->failed |= scratch.failed || pf_sink_status(quoted, NULL) != PF_OK;
    pf_sink_abort(quoted);
    pf_buffer_free(&scratch);
    return !result->failed;
}

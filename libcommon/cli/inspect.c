#include "cli/inspect.h"

#include "cli/output.h"
#include "codec/registry.h"
#include "render/records/inspection.h"
#include "render/table/meta.h"

#include <string.h>

struct inspect {
    struct pf_common *common;
    struct pf_inputs *inputs;
    enum pf_inspect what;
    struct pf_inspection inspection;
    struct pf_inventory inventory;
    struct pf_facts facts;
    const char *input; /* the input whose frames are being listed */
};

static enum pf_sheet_form choose_form(struct pf_common *common)
{
    enum pf_sheet_form form = PF_SHEET_TEXT;
    const struct pf_format *to = common->to || !common->output ? common->to
                                                               : pf_registry_suffix(common->output);

    if (to && (!pf_sheet_form_find(pf_bytes_of(to->name), &form) || form > PF_SHEET_NDJSON))
        pf_tool_usage(&common->tool, "the output formats are text, json and ndjson, not %s",
                      to->name);
    return form;
}

static void end_input(struct inspect *inspect, const struct pf_input *input)
{
    struct pf_inspected inspected = {
        .input = input->name,
        .format = input->format ? input->format->name : "",
        .variant = input->variant,
        .evidence = input->evidence,
        .complete = input->complete,
    };
    struct pf_inventory *inventory = &inspect->inventory;

    /* An input that is not a profile has its message on standard error. */
    if (!input->format || input->left_out)
        return;
    if (inspect->what == PF_INSPECT_PROBE) {
        pf_tool_check_memory(&inspect->common->tool, pf_inventory_sum(inventory));
        pf_inspection_probe(&inspect->inspection, &inspected, inventory);
    } else if (inspect->what == PF_INSPECT_COUNT) {
        pf_inspection_count(&inspect->inspection, &inspected,
                            inventory->records[PF_SAMPLE] + inventory->records[PF_FLAT] +
                                inventory->records[PF_EDGE]);
    }
    pf_inventory_clear(inventory);
}

static void count_records(struct pf_inventory *inventory, const struct pf_batch *batch)
{
    if (batch->kind < PF_RECORD_KINDS)
        inventory->records[batch->kind] += batch->rows;
}

static void inspect_batch(struct inspect *inspect, const struct pf_event *event)
{
    struct pf_dict *dict = pf_inputs_dict(inspect->inputs);
    const struct pf_batch *batch = &event->batch;

    pf_tool_check_memory(&inspect->common->tool, pf_facts_add(&inspect->facts, dict, batch));
    if (inspect->what == PF_INSPECT_HEADER && batch->kind == PF_META)
        pf_inspection_metadata(&inspect->inspection, event->input->name, dict, batch);
    else if (inspect->what == PF_INSPECT_COUNT)
        count_records(&inspect->inventory, batch);
    else if (inspect->what == PF_INSPECT_PROBE &&
             pf_inventory_add(&inspect->inventory, batch) != PF_OK)
        pf_tool_nomem(&inspect->common->tool);
}

static void inspect_records(struct inspect *inspect)
{
    struct pf_event event;

    while (pf_sink_status(inspect->inspection.sink, NULL) == PF_OK &&
           pf_inputs_next(inspect->inputs, &event) == PF_OK)
        if (event.kind == PF_EVENT_END)
            end_input(inspect, event.input);
        else if (event.kind == PF_EVENT_BATCH)
            inspect_batch(inspect, &event);
    if (inspect->what == PF_INSPECT_COUNT)
        pf_inspection_count_total(&inspect->inspection);
}

static int show_frame(void *arg, const struct pf_frame *frame, bool good)
{
    struct inspect *inspect = arg;

    pf_inspection_frame(&inspect->inspection, inspect->input, frame, good);
    return pf_sink_status(inspect->inspection.sink, NULL);
}

static bool inspect_frames(struct inspect *inspect)
{
    bool complete = true;

    for (const char *const *name = pf_inputs_names(inspect->inputs); *name; name++) {
        struct pf_error error = {0};
        struct pf_source *source;
        int status = pf_common_open_source(inspect->common, &source, *name, &error);

        inspect->input = *name;
        if (status == PF_OK)
            status = pf_frame_walk(source, show_frame, inspect, &error);
        pf_source_close(source);
        if (pf_sink_status(inspect->inspection.sink, NULL) != PF_OK)
            return false;
        if (status < 0)
            pf_tool_fail(&inspect->common->tool, *name, &error, false);
        complete = complete && status >= 0;
    }
    return complete;
}

static void inspect_all(struct inspect *inspect)
{
    static const char *const schemas[] = {
        [PF_INSPECT_PROBE] = "profutils.probe",
        [PF_INSPECT_HEADER] = "profutils.metadata",
        [PF_INSPECT_COUNT] = "profutils.count",
        [PF_INSPECT_FRAMES] = "profutils.frames",
    };
    bool complete = true;

    pf_inspection_begin(&inspect->inspection, schemas[inspect->what]);
    if (inspect->what == PF_INSPECT_FRAMES)
        complete = inspect_frames(inspect);
    else
        inspect_records(inspect);
    json_t *meta = pf_meta_json(pf_inputs_dict(inspect->inputs), &inspect->facts,
                                inspect->common->tool.name, pf_inputs_names(inspect->inputs),
                                complete && !pf_inputs_failed(inspect->inputs));

    pf_tool_check_memory(&inspect->common->tool, pf_inspection_end(&inspect->inspection, meta));
}

void pf_inspect(struct pf_common *common, enum pf_inspect what)
{
    struct inspect inspect = {.common = common, .what = what};
    struct pf_temporary *temporary;

    inspect.inspection.form = choose_form(common);
    common->tool.keep_going = true;
    inspect.inputs = pf_inputs_open(common);
    inspect.inspection.several = pf_inputs_count(inspect.inputs) > 1;
    inspect.inspection.sink = pf_output_sink(common, &temporary);
    inspect.inspection.group = !common->tool.no_group;
    if (inspect.inspection.sink) {
        inspect.inventory.dict = pf_inputs_dict(inspect.inputs);
        inspect_all(&inspect);
        pf_output_sink_close(common, inspect.inputs, inspect.inspection.sink, temporary);
    }
    pf_inventory_free(&inspect.inventory);
    pf_facts_free(&inspect.facts);
    pf_inputs_close(inspect.inputs);
}

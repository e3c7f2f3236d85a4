#include "render/records/inspection.h"

#include "analysis/sum/units.h"
#include "model/json.h"
#include "model/utf8.h"
#include "render/table/prose.h"

#include <inttypes.h>
#include <string.h>

/* --- lines and rows --------------------------------------------------------------------------- */

void pf_inspection_begin(struct pf_inspection *inspection, const char *schema)
{
    if (inspection->form == PF_SHEET_JSON)
        pf_sink_printf(inspection->sink, "{\"schema\":\"%s/1\",\"rows\":[", schema);
}

int pf_inspection_end(struct pf_inspection *inspection, json_t *meta)
{
    bool good = meta;

    if (inspection->form == PF_SHEET_JSON) {
        pf_sink_text(inspection->sink, inspection->rows > 0 ? "\n],\"meta\":" : "],\"meta\":");
        good = pf_json_dump(inspection->sink, meta) ||
               pf_sink_status(inspection->sink, NULL) != PF_OK;
        pf_sink_text(inspection->sink, "}\n");
    } else {
        json_decref(meta);
    }
    good = good && !inspection->scratch.failed;
    pf_buffer_free(&inspection->scratch);
    return good ? PF_OK : PF_NOMEM;
}

/* From here on lines that go to a terminal are held until `release`. */
static struct pf_sink *hold(struct pf_inspection *inspection)
{
    struct pf_sink *out = inspection->sink,
                   *held = inspection->form == PF_SHEET_TEXT ? pf_prose_hold(out) : out;

    inspection->scratch.failed = inspection->scratch.failed || !held;
    inspection->sink = held ? held : out;
    return out;
}

static void release(struct pf_inspection *inspection, struct pf_sink *out)
{
    if (pf_prose_release(inspection->sink, out) != PF_OK)
        inspection->scratch.failed = true;
    inspection->sink = out;
}

static void write_line(struct pf_inspection *inspection, struct pf_bytes bytes, unsigned flags)
{
    struct pf_bytes text = pf_text_line(bytes, flags, &inspection->scratch);

    pf_sink_write(inspection->sink, text.data, text.size);
}

static void write_string(struct pf_inspection *inspection, const struct pf_dict *dict, uint32_t id)
{
    write_line(inspection, pf_dict_string(dict, id), dict->strings.rows[id].flags);
}

static void write_member(struct pf_inspection *inspection, const char *before, const char *text)
{
    pf_sink_text(inspection->sink, before);
    pf_json_string(inspection->sink, pf_bytes_of(text), PF_UTF8, &inspection->scratch);
}

/* Begins a row, with the name of the input. */
static void begin_row(struct pf_inspection *inspection, const char *input)
{
    if (inspection->form == PF_SHEET_JSON)
        pf_sink_text(inspection->sink, inspection->rows > 0 ? ",\n" : "\n");
    inspection->rows++;
    write_member(inspection, "{\"input\":", input);
}

static void end_row(struct pf_inspection *inspection)
{
    pf_sink_text(inspection->sink, inspection->form == PF_SHEET_JSON ? "}" : "}\n");
}

/* If several inputs are listed, writes a line before each. */
static void head_line(struct pf_inspection *inspection, const char *input)
{
    if (!inspection->several || inspection->shown == input)
        return;
    pf_sink_text(inspection->sink, inspection->shown ? "\n==> " : "==> ");
    write_line(inspection, pf_bytes_of(input), PF_UTF8);
    pf_sink_text(inspection->sink, " <==\n");
    inspection->shown = input;
}

/* --- probe ------------------------------------------------------------------------------------ */

/* The total of a measure, and the scale in which it is shown. */
static pf_int128 shown_total(const struct pf_inventory *inventory, uint32_t index,
                             struct pf_scale *scale)
{
    struct pf_quantity quantity = {.measure = *pf_measures_row(&inventory->dict->measures, index),
                                   .joined = true};
    struct pf_error error = {0};

    pf_quantity_scale(&quantity, inventory->dict, PF_UNIT_AUTO, scale, &error);
    return pf_scale_total(scale, inventory->measures[index].total);
}

static void number_line(struct pf_inspection *inspection, const char *what, uint64_t number,
                        const char *behind)
{
    const struct pf_scale scale = {.parts = 1, .group = inspection->group};
    char text[PF_AMOUNT_TEXT];

    pf_sink_printf(inspection->sink, "    %-10s%s%s\n", what,
                   pf_scale_print(&scale, (pf_int128)number, text), behind);
}

/* Writes "sample wall: 274ms". A unit without a short form comes after the number. */
static void measure_line(struct pf_inspection *inspection, const struct pf_inventory *inventory,
                         uint32_t index)
{
    const struct pf_measure *measure = pf_measures_row(&inventory->dict->measures, index);
    struct pf_sink *sink = inspection->sink;
    struct pf_scale scale;
    char number[PF_AMOUNT_TEXT];
    pf_int128 total = shown_total(inventory, index, &scale);

    scale.group = inspection->group;
    pf_sink_printf(sink, "    %-10s%s ", "measure", pf_kind_name(measure->kind));
    write_string(inspection, inventory->dict, measure->name);
    pf_sink_printf(sink, ": %s", pf_scale_print(&scale, total, number));
    if (!((scale.time || scale.bytes) && total != 0) && scale.name.size > 0) {
        pf_sink_text(sink, " ");
        write_line(inspection, scale.name, PF_UTF8);
    }
    pf_sink_text(sink, "\n");
}

static void probe_lines(struct pf_inspection *inspection, const struct pf_inspected *input,
                        const struct pf_inventory *inventory)
{
    static const char *const names[PF_RECORD_KINDS] = {"samples", "flats", "edges"};
    struct pf_sink *sink = inspection->sink;

    write_line(inspection, pf_bytes_of(input->input), PF_UTF8);
    pf_sink_printf(sink, ": %s", input->format[0] ? input->format : "no known format");
    if (*input->variant)
        pf_sink_printf(sink, ", %s", input->variant);
    if (input->evidence > 0)
        pf_sink_printf(sink, " (%d bits of evidence)", input->evidence);
    pf_sink_text(sink, input->complete ? "\n" : ", incomplete\n");
    for (unsigned kind = 0; kind < PF_RECORD_KINDS; kind++)
        if (inventory->records[kind] > 0)
            number_line(inspection, names[kind], inventory->records[kind], "");
    if (inventory->records[PF_SAMPLE] > inventory->samples)
        number_line(inspection, "empty", inventory->records[PF_SAMPLE] - inventory->samples,
                    " of the samples");
    for (uint32_t k = 0; k < inventory->measure_count; k++)
        if (inventory->measures[k].seen)
            measure_line(inspection, inventory, k);
    number_line(inspection, "functions", inventory->functions, "");
    for (size_t k = 0; k < inventory->section_count; k++) {
        pf_sink_printf(sink, "    %-10s", "section");
        if (inventory->sections[k] == 0)
            pf_sink_text(sink, "''");
        write_string(inspection, inventory->dict, inventory->sections[k]);
        pf_sink_text(sink, "\n");
    }
}

static void probe_measures(struct pf_inspection *inspection, const struct pf_inventory *inventory)
{
    struct pf_sink *sink = inspection->sink;
    const char *comma = "";

    for (uint32_t k = 0; k < inventory->measure_count; k++) {
        struct pf_scale scale;

        if (!inventory->measures[k].seen)
            continue;
        const struct pf_measure *measure = pf_measures_row(&inventory->dict->measures, k);
        pf_int128 total = shown_total(inventory, k, &scale);

        pf_sink_printf(sink, "%s{\"name\":", comma);
        pf_json_name(sink, inventory->dict, measure->name, &inspection->scratch);
        pf_sink_text(sink, ",\"unit\":");
        pf_json_string(sink, scale.name, PF_UTF8, &inspection->scratch);
        pf_sink_printf(sink, ",\"kind\":\"%s\",\"total\":", pf_kind_name(measure->kind));
        pf_json_parts(sink, total, scale.parts);
        pf_sink_text(sink, "}");
        comma = ",";
    }
}

static void probe_row(struct pf_inspection *inspection, const struct pf_inspected *input,
                      const struct pf_inventory *inventory)
{
    struct pf_sink *sink = inspection->sink;
    const uint64_t *records = inventory->records;

    begin_row(inspection, input->input);
    write_member(inspection, ",\"format\":", input->format);
    write_member(inspection, ",\"variant\":", input->variant);
    pf_sink_printf(sink,
                   ",\"records\":%" PRIu64 ",\"samples\":%" PRIu64 ",\"flats\":%" PRIu64
                   ",\"edges\":%" PRIu64,
                   records[PF_SAMPLE] + records[PF_FLAT] + records[PF_EDGE], inventory->samples,
                   records[PF_FLAT], records[PF_EDGE]);
    pf_sink_printf(sink, ",\"functions\":%" PRIu64 ",\"measures\":[", inventory->functions);
    probe_measures(inspection, inventory);
    pf_sink_text(sink, "],\"sections\":[");
    for (size_t k = 0; k < inventory->section_count; k++) {
        if (k > 0)
            pf_sink_text(sink, ",");
        pf_json_name(sink, inventory->dict, inventory->sections[k], &inspection->scratch);
    }
    pf_sink_printf(sink, "],\"complete\":%s,\"evidence\":%d", input->complete ? "true" : "false",
                   input->evidence);
    end_row(inspection);
}

void pf_inspection_probe(struct pf_inspection *inspection, const struct pf_inspected *input,
                         const struct pf_inventory *inventory)
{
    struct pf_sink *out = hold(inspection);

    if (inspection->form == PF_SHEET_TEXT)
        probe_lines(inspection, input, inventory);
    else
        probe_row(inspection, input, inventory);
    release(inspection, out);
}

void pf_inspection_manifest(struct pf_inspection *inspection, const struct pf_inspected *input,
                            const struct pf_inventory *inventory,
                            const struct pf_manifest_facts *facts)
{
    const uint64_t *records = inventory->records;
    struct pf_sink *sink = inspection->sink;

    /* programs that search for inputs left out need to read only the beginning of each row */
    pf_sink_printf(sink, "{\"counted\":%s", facts->counted ? "true" : "false");
    write_member(inspection, ",\"input\":", input->input);
    write_member(inspection, ",\"weight\":", facts->weight);
    write_member(inspection, ",\"format\":", input->format);
    pf_sink_printf(sink, ",\"complete\":%s,\"records\":%" PRIu64 ",\"measures\":[",
                   input->complete ? "true" : "false",
                   records[PF_SAMPLE] + records[PF_FLAT] + records[PF_EDGE]);
    probe_measures(inspection, inventory);
    pf_sink_printf(sink, "],\"chosen\":%s", facts->chosen ? "true" : "false");
    write_member(inspection, ",\"reason\":", facts->reason);
    pf_sink_text(sink, "}\n");
}

/* --- counts ----------------------------------------------------------------------------------- */

static void count_line(struct pf_inspection *inspection, const struct pf_inspected *input,
                       uint64_t records)
{
    struct pf_sink *out = hold(inspection);

    pf_sink_printf(inspection->sink, "%" PRIu64, records);
    if (inspection->several) {
        pf_sink_text(inspection->sink, " ");
        write_line(inspection, pf_bytes_of(input->input), PF_UTF8);
    }
    pf_sink_text(inspection->sink, "\n");
    release(inspection, out);
}

void pf_inspection_count(struct pf_inspection *inspection, const struct pf_inspected *input,
                         uint64_t records)
{
    inspection->records += records;
    if (inspection->form == PF_SHEET_TEXT) {
        count_line(inspection, input, records);
        return;
    }
    begin_row(inspection, input->input);
    pf_sink_printf(inspection->sink, ",\"records\":%" PRIu64 ",\"complete\":%s", records,
                   input->complete ? "true" : "false");
    end_row(inspection);
}

void pf_inspection_count_total(struct pf_inspection *inspection)
{
    if (inspection->form == PF_SHEET_TEXT && inspection->several)
        pf_sink_printf(inspection->sink, "%" PRIu64 " total\n", inspection->records);
}

/* --- metadata --------------------------------------------------------------------------------- */

static void metadata_row(struct pf_inspection *inspection, const char *input,
                         const struct pf_dict *dict, const struct pf_batch *batch, uint32_t row)
{
    struct pf_sink *sink = inspection->sink;

    if (inspection->form == PF_SHEET_TEXT) {
        head_line(inspection, input);
        write_string(inspection, dict, batch->origin[row]);
        pf_sink_text(sink, " ");
        write_string(inspection, dict, batch->key[row]);
        pf_sink_text(sink, " ");
        write_string(inspection, dict, batch->value[row]);
        pf_sink_text(sink, "\n");
        return;
    }
    begin_row(inspection, input);
    pf_sink_text(sink, ",\"origin\":");
    pf_json_name(sink, dict, batch->origin[row], &inspection->scratch);
    pf_sink_text(sink, ",\"key\":");
    pf_json_name(sink, dict, batch->key[row], &inspection->scratch);
    pf_sink_text(sink, ",\"value\":");
    pf_json_name(sink, dict, batch->value[row], &inspection->scratch);
    end_row(inspection);
}

void pf_inspection_metadata(struct pf_inspection *inspection, const char *input,
                            const struct pf_dict *dict, const struct pf_batch *batch)
{
    struct pf_sink *out = hold(inspection);

    for (uint32_t row = 0; row < batch->rows; row++) {
        struct pf_bytes origin = pf_dict_string(dict, batch->origin[row]);
        bool private = origin.size > 0 && origin.data[0] == '.';

        if (!private && !pf_bytes_equal(origin, PF_BYTES("profutils")))
            metadata_row(inspection, input, dict, batch, row);
    }
    release(inspection, out);
}

/* --- frames ----------------------------------------------------------------------------------- */

/* The contents of a frame of the stream: its table or kind of records. */
static const char *frame_about(const struct pf_frame *frame)
{
    if (frame->type == 'D' && frame->domain > 0 && frame->domain < PF_TABLES)
        return pf_row_layouts[frame->domain].name;
    if (frame->type == 'B' && frame->domain > 0 && frame->domain <= PF_RECORD_KINDS)
        return pf_kind_name((enum pf_kind)(frame->domain - 1));
    switch (frame->type) {
    case 'H': return "head";
    case 'E': return frame->base & PF_END_INCOMPLETE ? "end, incomplete" : "end";
    case 'M': return "metadata";
    case 's': return "sources";
    default: return "";
    }
}

static void frame_line(struct pf_inspection *inspection, const char *input,
                       const struct pf_frame *frame, bool good)
{
    struct pf_sink *sink = inspection->sink;

    if (inspection->rows == 0 || (inspection->several && inspection->shown != input)) {
        head_line(inspection, input);
        pf_sink_text(sink, "      offset  type  rows      base      size       raw  about\n");
    }
    inspection->rows++;
    pf_sink_printf(
        sink, "%12" PRIu64 "  %c  %7" PRIu32 "  %8" PRIu32 "  %8" PRIu32 "  %8" PRIu32 "  %s%s%s\n",
        frame->offset, frame->type >= 0x21 && frame->type < 0x7f ? frame->type : '?', frame->rows,
        frame->base, frame->size, frame->raw, frame_about(frame),
        frame->flags & PF_FRAME_DEFLATED ? ", deflated" : "", good ? "" : ", DAMAGED");
}

void pf_inspection_frame(struct pf_inspection *inspection, const char *input,
                         const struct pf_frame *frame, bool good)
{
    char type[2] = {(char)frame->type, '\0'};

    if (inspection->form == PF_SHEET_TEXT) {
        struct pf_sink *out = hold(inspection);
        frame_line(inspection, input, frame, good);
        release(inspection, out);
        return;
    }
    begin_row(inspection, input);
    pf_sink_printf(inspection->sink, ",\"offset\":%" PRIu64, frame->offset);
    write_member(inspection, ",\"type\":", type);
    write_member(inspection, ",\"about\":", frame_about(frame));
    pf_sink_printf(inspection->sink,
                   ",\"rows\":%" PRIu32 ",\"base\":%" PRIu32 ",\"size\":%" PRIu32
                   ",\"raw\":%" PRIu32 ",\"good\":%s",
                   frame->rows, frame->base, frame->size, frame->raw, good ? "true" : "false");
    end_row(inspection);
}

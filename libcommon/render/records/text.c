/* Records for people: a line with labels and values, and below it a line for each frame, leaf
 * first. Two blanks separate the parts of a line; control bytes are escaped; unknown things are
 * left out. */
#include "codec/format.h"
#include "model/utf8.h"
#include "render/flame/cache.h"
#include "render/records/record.h"
#include "render/records/values.h"
#include "render/table/prose.h"

#include <inttypes.h>
#include <stdlib.h>

struct text_writer {
    uint64_t rows;
    struct pf_values values;
    struct pf_cache frames, labels;
    struct pf_id_list list;
    struct pf_label_list label_list;
    struct pf_buffer scratch;
};

static int open_writer(struct pf_writer *writer)
{
    struct text_writer *state = writer->state;

    state->values.dict = writer->dict;
    state->values.by_kind = true;
    return PF_OK;
}

static void close_writer(struct pf_writer *writer)
{
    struct text_writer *state = writer->state;

    pf_values_free(&state->values);
    pf_cache_free(&state->frames);
    pf_cache_free(&state->labels);
    free(state->list.ids);
    free(state->label_list.rows);
    pf_buffer_free(&state->scratch);
}

static void write_text(struct text_writer *state, struct pf_sink *sink, struct pf_bytes bytes,
                       unsigned flags)
{
    struct pf_bytes text = pf_text_line(bytes, flags, &state->scratch);

    pf_sink_write(sink, text.data, text.size);
}

static void write_string(struct text_writer *state, struct pf_sink *sink, uint32_t id)
{
    write_text(state, sink, pf_dict_string(state->values.dict, id),
               pf_record_flags(state->values.dict, id));
}

/* Writes ` PREFIX STRING`, unless the string is empty. */
static void write_item(struct text_writer *state, struct pf_sink *sink, const char *prefix,
                       uint32_t id)
{
    if (id == 0)
        return;
    pf_sink_printf(sink, "  %s ", prefix);
    write_string(state, sink, id);
}

/* --- frames and labels ------------------------------------------------------------------------ */

static void write_image(struct text_writer *state, struct pf_sink *sink,
                        const struct pf_image *image)
{
    write_item(state, sink, "image", image->name);
    write_item(state, sink, "build", image->identifier);
    if (image->start || image->limit)
        pf_sink_printf(sink, "  mapped 0x%" PRIx64 "-0x%" PRIx64 "+0x%" PRIx64, image->start,
                       image->limit, image->offset);
    if (image->text_start || image->text_size)
        pf_sink_printf(sink, "  text 0x%" PRIx64 "+0x%" PRIx64, image->text_start,
                       image->text_size);
}

static void write_position(struct text_writer *state, struct pf_sink *sink,
                           const struct pf_location *location)
{
    uint32_t file = pf_dict_function(state->values.dict, location->function)->file;

    if (file || location->line)
        pf_sink_text(sink, "  ");
    write_string(state, sink, file);
    if (location->line)
        pf_sink_printf(sink, ":%" PRId64, location->line < 0 ? 0 : location->line);
    if (location->column)
        pf_sink_printf(sink, ":%" PRIu32, location->column);
}

static void render_frame(void *arg, uint32_t id, struct pf_sink *sink)
{
    struct text_writer *state = arg;
    const struct pf_dict *dict = state->values.dict;
    const struct pf_location *location = pf_dict_location(dict, id);
    const struct pf_function *function = pf_dict_function(dict, location->function);
    char scratch[32];

    pf_sink_text(sink, "    ");
    write_text(state, sink, pf_dict_frame_name(dict, id, scratch), pf_record_frame_flags(dict, id));
    write_position(state, sink, location);
    if (location->kind > PF_FRAME_PLAIN && location->kind < PF_FRAME_KINDS)
        pf_sink_printf(sink, "  %s", pf_frame_kind_name(location->kind));
    if (function->start_line > 0)
        pf_sink_printf(sink, "  from %" PRId64, function->start_line);
    write_item(state, sink, "system", function->system_name);
    if (pf_dict_has_address(dict, location))
        pf_sink_printf(sink, "  at 0x%" PRIx64, location->address);
    write_image(state, sink, pf_dict_image(dict, location->image));
    if (location->inlined)
        pf_sink_text(sink, "  inlined");
    pf_sink_text(sink, "\n");
}

static void render_labels(void *arg, uint32_t id, struct pf_sink *sink)
{
    struct text_writer *state = arg;

    if (!pf_record_labels(state->values.dict, id, &state->label_list))
        state->scratch.failed = true;
    for (size_t k = 0; k < state->label_list.count; k++) {
        const struct pf_label *label =
            pf_dict_label(state->values.dict, state->label_list.rows[k].id);

        pf_sink_text(sink, "  ");
        write_string(state, sink, label->key);
        pf_sink_text(sink, "=");
        if (label->numeric)
            pf_sink_printf(sink, label->text ? "%" PRId64 " " : "%" PRId64, label->number);
        write_string(state, sink, label->text);
    }
}

/* --- measures --------------------------------------------------------------------------------- */

static void write_measure(struct text_writer *state, struct pf_sink *sink,
                          const struct pf_measure *measure)
{
    const char *nature = pf_nature_name(measure->nature);

    pf_sink_printf(sink, "measure  %s ", pf_kind_name(measure->kind));
    write_string(state, sink, measure->name);
    pf_sink_text(sink, "  ");
    write_string(state, sink, measure->unit);
    if (measure->raw_unit) {
        pf_sink_printf(sink, "  %" PRIu64 "/%" PRIu64 " a ", measure->num, measure->den);
        write_string(state, sink, measure->raw_unit);
    }
    pf_sink_printf(sink, "  %s%s%s%s%s", pf_role_name(measure->role), *nature ? "  " : "", nature,
                   measure->aggregation == PF_MAX ? "  maximum" : "",
                   measure->main ? "  main" : "");
    if (measure->period)
        pf_sink_printf(sink, "  period %" PRIu64, measure->period);
    if (measure->period_parts > 1)
        pf_sink_printf(sink, "/%" PRIu64, measure->period_parts);
    pf_sink_text(sink, "\n");
}

static int declare(struct pf_writer *writer, const struct pf_batch *batch)
{
    struct text_writer *state = writer->state;
    bool changed;

    for (uint32_t k = 0; k < batch->value_count; k++) {
        uint32_t measure = batch->values[k].measure;

        if (!pf_values_has(&state->values, measure))
            write_measure(state, writer->sink, pf_measures_row(&writer->dict->measures, measure));
    }
    return pf_values_declare(&state->values, batch, &changed) == PF_OK
               ? PF_OK
               : pf_error_nomem(&writer->error);
}

/* Writes ` wall 30000000 nanoseconds (3 tick)` for each column of the batch. */
static void write_values(struct pf_writer *writer, const struct pf_batch *batch, uint32_t row)
{
    struct text_writer *state = writer->state;
    char number[PF_DECIMAL_TEXT];

    for (uint32_t k = 0; k < batch->value_count; k++) {
        const struct pf_measure *measure =
            pf_measures_row(&writer->dict->measures, batch->values[k].measure);
        const struct pf_scale *scale = &state->values.measures[batch->values[k].measure].scale;
        int64_t value = batch->values[k].data[row];

        pf_sink_text(writer->sink, "  ");
        write_string(state, writer->sink, measure->name);
        pf_print_parts(pf_scale_total(scale, value), scale->parts, PF_DECIMAL_PLACES, number);
        pf_sink_printf(writer->sink, " %s ", number);
        write_text(state, writer->sink, scale->name, PF_UTF8);
        if (scale->num != 1 || scale->den != 1 || scale->parts > 1) {
            pf_sink_printf(writer->sink, " (%" PRId64 "%s", value, measure->raw_unit ? " " : "");
            write_string(state, writer->sink, measure->raw_unit);
            pf_sink_text(writer->sink, ")");
        }
    }
}

/* --- lines ------------------------------------------------------------------------------------ */

static int write_records(struct pf_writer *writer, const struct pf_batch *batch)
{
    struct text_writer *state = writer->state;
    struct pf_sink *sink = writer->sink;
    int status = declare(writer, batch);

    for (uint32_t row = 0; status == PF_OK && row < batch->rows; row++) {
        struct pf_bytes text = pf_cache_text(&state->labels, batch->labels ? batch->labels[row] : 0,
                                             render_labels, state);

        if (!pf_record_frames(writer->dict, batch, row, &state->list))
            return pf_error_nomem(&writer->error);
        pf_sink_printf(sink, "%s %" PRIu64, pf_kind_name(batch->kind), ++state->rows);
        write_values(writer, batch, row);
        if (batch->time)
            pf_sink_printf(sink, "  time %" PRId64, batch->time[row]);
        pf_sink_write(sink, text.data, text.size);
        pf_sink_text(sink, "\n");
        for (size_t k = 0; k < state->list.count; k++) {
            text = pf_cache_text(&state->frames, state->list.ids[k], render_frame, state);
            pf_sink_write(sink, text.data, text.size);
        }
    }
    if (status == PF_OK && (state->scratch.failed || state->frames.status || state->labels.status))
        return pf_error_nomem(&writer->error);
    return status;
}

static void write_metadata(struct pf_writer *writer, const struct pf_batch *batch)
{
    struct text_writer *state = writer->state;

    for (uint32_t row = 0; row < batch->rows; row++) {
        struct pf_bytes origin = pf_dict_string(writer->dict, batch->origin[row]);

        if (origin.size > 0 && origin.data[0] == '.')
            continue;
        pf_sink_text(writer->sink, "metadata  ");
        write_string(state, writer->sink, batch->origin[row]);
        pf_sink_text(writer->sink, "  ");
        write_string(state, writer->sink, batch->key[row]);
        pf_sink_text(writer->sink, "  ");
        write_string(state, writer->sink, batch->value[row]);
        pf_sink_text(writer->sink, "\n");
    }
}

static void write_sources(struct pf_writer *writer, const struct pf_batch *batch)
{
    struct text_writer *state = writer->state;

    for (uint32_t row = 0; row < batch->rows; row++) {
        const struct pf_text *text = &batch->texts[row];

        pf_sink_text(writer->sink, "source  ");
        write_text(state, writer->sink, text->name, text->name_flags);
        pf_sink_printf(writer->sink, ":%" PRIu64 "  ", text->line);
        write_text(state, writer->sink, text->text, text->text_flags);
        pf_sink_text(writer->sink, "\n");
    }
}

static int write_held(struct pf_writer *writer, const struct pf_batch *batch)
{
    struct text_writer *state = writer->state;
    struct pf_sink *out = writer->sink, *held = pf_prose_hold(out);
    int status = PF_OK;

    if (!held)
        return pf_error_nomem(&writer->error);
    writer->sink = held;
    if (batch->kind == PF_META)
        write_metadata(writer, batch);
    else if (batch->kind == PF_TEXT)
        write_sources(writer, batch);
    else
        status = write_records(writer, batch);
    writer->sink = out;
    if (pf_prose_release(held, out) != PF_OK || state->scratch.failed)
        status = status == PF_OK ? pf_error_nomem(&writer->error) : status;
    return status;
}

static int write_batch(struct pf_writer *writer, const struct pf_batch *batch)
{
    int status = write_held(writer, batch);

    return status == PF_OK ? pf_sink_status(writer->sink, &writer->error) : status;
}

static int flush(struct pf_writer *writer)
{
    return pf_sink_flush(writer->sink);
}

static int finish(struct pf_writer *writer)
{
    if (writer->failed_input)
        pf_sink_text(writer->sink, "incomplete: an input failed\n");
    return pf_sink_status(writer->sink, &writer->error);
}

const struct pf_format pf_format_text = {
    .name = "text",
    .about = "every record for people: values, labels, frames",
    .suffixes = ".txt",
    .losses = "what is private to a format",
    .caps = PF_HOLDS_SAMPLE | PF_HOLDS_RUNS | PF_HOLDS_FLAT | PF_HOLDS_EDGE | PF_IS_TEXT |
            PF_IS_STREAM | PF_IS_VIEW,
    .writer_size = sizeof(struct text_writer),
    .open_writer = open_writer,
    .write = write_batch,
    .flush = flush,
    .finish = finish,
    .close_writer = close_writer,
};

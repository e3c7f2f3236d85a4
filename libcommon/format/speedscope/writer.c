/* The writer of speedscope's JSON: a sampled profile for each measure and each value of one label.
 * Negative sums, which the viewer cannot show, have a profile of their own. What the format cannot
 * say about a measure is in a member `profutils`, which the viewer ignores. */
#include "format/speedscope/speedscope.h"

#include "analysis/sum/frame_sums.h"
#include "base/memory.h"
#include "model/json.h"
#include "model/units.h"

#include <inttypes.h>
#include <stdlib.h>

int pf_speedscope_open_writer(struct pf_writer *writer)
{
    struct pf_speedscope_writer *state = writer->state;
    const char *by = pf_options_get(writer->options, "by");

    state->sums.dict = writer->dict;
    state->sums.group_key = pf_dict_intern(writer->dict, pf_bytes_of(by ? by : "thread"), PF_UTF8);
    if (pf_file_urls_init(&state->urls) != PF_OK)
        return pf_error_nomem(&writer->error);
    return pf_frame_sums_init(&state->sums, &writer->error);
}

bool pf_speedscope_holds_label(struct pf_writer *writer, const struct pf_label *label)
{
    return label->key == ((const struct pf_speedscope_writer *)writer->state)->sums.group_key;
}

void pf_speedscope_close_writer(struct pf_writer *writer)
{
    struct pf_speedscope_writer *state = writer->state;

    pf_frame_sums_free(&state->sums);
    pf_file_urls_free(&state->urls);
    pf_buffer_free(&state->scratch);
    free(state->order);
    free(state->frames);
}

int pf_speedscope_write(struct pf_writer *writer, const struct pf_batch *batch)
{
    struct pf_speedscope_writer *state = writer->state;

    if (batch->kind == PF_META) {
        pf_file_urls_keep(&state->urls, writer->dict, batch, writer->format->name);
        if (pf_file_urls_status(&state->urls) != PF_OK)
            return pf_error_nomem(&writer->error);
    }
    if (batch->kind != PF_SAMPLE)
        return PF_OK;
    return pf_frame_sums_add(&state->sums, batch, &writer->error);
}

/* The functions below write the members of the document in their order. */

static void write_frames(struct pf_writer *writer)
{
    struct pf_speedscope_writer *state = writer->state;

    for (uint32_t k = 1; k < state->sums.frames.count; k++) {
        const struct pf_sum_frame *frame = pf_table_row(&state->sums.frames, k);

        pf_sink_text(writer->sink, k > 1 ? ",\n{\"name\":" : "\n{\"name\":");
        pf_json_name(writer->sink, writer->dict, frame->name, &state->scratch);
        if (frame->file) {
            pf_sink_text(writer->sink, ",\"file\":");
            pf_json_name(writer->sink, writer->dict, pf_file_urls_url(&state->urls, frame->file),
                         &state->scratch);
        }
        if (frame->line)
            pf_sink_printf(writer->sink, ",\"line\":%" PRIi64, frame->line);
        if (frame->column)
            pf_sink_printf(writer->sink, ",\"col\":%" PRIu32, frame->column);
        pf_sink_text(writer->sink, "}");
    }
}

/* A profile of the output: the rows of one group, and the positive or the negative sums of one
 * measure. */
struct part {
    const struct pf_sums *column;
    const uint32_t *rows;
    size_t count;
    bool negative;
};

static pf_int128 amount_of(const struct part *part, size_t k)
{
    pf_int128 sum = pf_sums_wide_at(part->column, part->rows[k]);

    return part->negative ? (sum < 0 ? -sum : 0) : sum > 0 ? sum : 0;
}

static const char *unit_name(const struct pf_dict *dict, const struct pf_measure *measure)
{
    const char *unit = pf_dict_string(dict, measure->unit).data;

    return pf_measure_is_time(dict, measure) || pf_measure_is_bytes(dict, measure) ? unit : "none";
}

/* Writes a sum as a decimal number of units. Cut digits of times are not reported. */
static void write_number(struct pf_writer *writer, const struct part *part, pf_int128 sum)
{
    struct pf_speedscope_writer *state = writer->state;
    char text[PF_SUM_TEXT];
    bool cut = false;

    pf_sink_write(writer->sink, text, pf_frame_sums_print(part->column, sum, 1, text, &cut));
    state->cut = state->cut ||
                 (cut && !pf_measure_is_time(writer->dict, &part->column->quantity.measure));
}

/* Writes measure and label, for our own reader. */
static void write_facts(struct pf_writer *writer, const struct part *part,
                        const struct pf_label *label)
{
    struct pf_speedscope_writer *state = writer->state;
    struct pf_measure measure = pf_quantity_measure(&part->column->quantity, writer->dict);

    pf_sink_text(writer->sink, ",\"profutils\":{\"measure\":");
    pf_json_name(writer->sink, writer->dict, measure.name, &state->scratch);
    pf_sink_text(writer->sink, ",\"unit\":");
    pf_json_name(writer->sink, writer->dict, measure.unit, &state->scratch);
    pf_sink_printf(writer->sink, ",\"role\":%d,\"nature\":%d,\"period\":%" PRIu64, measure.role,
                   measure.nature, measure.period <= INT64_MAX ? measure.period : 0);
    if (measure.period_parts > 1 && measure.period_parts <= INT64_MAX)
        pf_sink_printf(writer->sink, ",\"period_parts\":%" PRIu64, measure.period_parts);
    pf_sink_printf(writer->sink,
                   ",\"main\":%s,\"negative\":%s,\"label\":", measure.main ? "true" : "false",
                   part->negative ? "true" : "false");
    if (label->key) {
        pf_sink_text(writer->sink, "[");
        pf_json_name(writer->sink, writer->dict, label->key, &state->scratch);
        pf_sink_text(writer->sink, ",");
        if (label->numeric)
            pf_json_int(writer->sink, label->number);
        else
            pf_json_name(writer->sink, writer->dict, label->text, &state->scratch);
        pf_sink_text(writer->sink, "]");
    } else {
        pf_sink_text(writer->sink, "null");
    }
    pf_sink_text(writer->sink, "}");
}

/* Writes the name: "wall", "wall (worker)", "wall (worker), negative". */
static void write_name(struct pf_writer *writer, const struct part *part,
                       const struct pf_label *label)
{
    struct pf_speedscope_writer *state = writer->state;
    struct pf_dict *dict = writer->dict;
    struct pf_bytes name = pf_dict_string(dict, part->column->quantity.measure.name),
                    value = pf_dict_string(dict, label->text);
    char number[PF_INT128_TEXT];
    struct pf_buffer text = {0};

    pf_buffer_append(&text, name.data, name.size);
    if (label->key) {
        if (label->numeric)
            value = (struct pf_bytes){number, pf_print_int128(label->number, number)};
        pf_buffer_append(&text, " (", 2);
        pf_buffer_append(&text, value.data, value.size);
        pf_buffer_append(&text, ")", 1);
    }
    if (part->negative)
        pf_buffer_append(&text, ", negative", 10);
    pf_json_string(writer->sink, (struct pf_bytes){text.data, text.size}, PF_UTF8, &state->scratch);
    state->scratch.failed = state->scratch.failed || text.failed;
    pf_buffer_free(&text);
}

static bool write_stack(struct pf_writer *writer, uint32_t node)
{
    struct pf_speedscope_writer *state = writer->state;
    size_t depth = 0;

    for (; node; depth++) {
        const struct pf_sum_node *row = pf_table_row(&state->sums.nodes, node);

        if (!pf_grow(&state->frames, &state->frame_capacity, depth + 1, sizeof *state->frames))
            return false;
        state->frames[depth] = row->frame - 1;
        node = row->parent;
    }
    pf_sink_text(writer->sink, "[");
    while (depth-- > 0) {
        pf_json_int(writer->sink, state->frames[depth]);
        if (depth > 0)
            pf_sink_write(writer->sink, ",", 1);
    }
    pf_sink_text(writer->sink, "]");
    return true;
}

static int write_part(struct pf_writer *writer, const struct part *part)
{
    struct pf_speedscope_writer *state = writer->state;
    const struct pf_sum_row *first = pf_table_row(&state->sums.rows, part->rows[0]);
    const struct pf_label *label = pf_table_row(&state->sums.groups, first->group);
    const struct pf_measure *measure = &part->column->quantity.measure;
    pf_int128 total = 0, whole;
    const char *comma = "";
    int64_t shown;

    for (size_t k = 0; k < part->count; k++) {
        total += amount_of(part, k);
        if (amount_of(part, k) > INT64_MAX ||
            !pf_scale64(amount_of(part, k), measure->num, measure->den, &shown))
            return pf_error_set(&writer->error, PF_OVERFLOW,
                                "record %zu: the sum overflows 64 bits", k + 1);
    }
    if (!pf_scale128(total, measure->num, measure->den, &whole))
        return pf_error_set(&writer->error, PF_OVERFLOW, "the total of '%s' overflows 128 bits",
                            pf_dict_string(writer->dict, measure->name).data);
    pf_sink_text(writer->sink, state->profiles++ ? ",\n{\"type\":\"sampled\",\"name\":"
                                                 : "\n{\"type\":\"sampled\",\"name\":");
    write_name(writer, part, label);
    pf_sink_printf(writer->sink, ",\"unit\":\"%s\",\"startValue\":0,\"endValue\":",
                   unit_name(writer->dict, &part->column->quantity.measure));
    write_number(writer, part, total);
    write_facts(writer, part, label);
    pf_sink_text(writer->sink, ",\"samples\":[");
    for (size_t k = 0; k < part->count; k++) {
        if (amount_of(part, k) == 0)
            continue;
        pf_sink_text(writer->sink, comma);
        comma = ",\n";
        if (!write_stack(
                writer,
                ((const struct pf_sum_row *)pf_table_row(&state->sums.rows, part->rows[k]))->node))
            return pf_error_nomem(&writer->error);
    }
    pf_sink_text(writer->sink, "],\"weights\":[");
    comma = "";
    for (size_t k = 0; k < part->count; k++) {
        if (amount_of(part, k) == 0)
            continue;
        pf_sink_text(writer->sink, comma);
        comma = ",";
        write_number(writer, part, amount_of(part, k));
    }
    pf_sink_text(writer->sink, "]}");
    return pf_sink_status(writer->sink, &writer->error);
}

static bool any_amount(const struct part *part)
{
    for (size_t k = 0; k < part->count; k++)
        if (amount_of(part, k) != 0)
            return true;
    return false;
}

/* Writes all profiles. The profiles of the main measure come first, because the viewer opens the
 * first profile. */
static int write_profiles(struct pf_writer *writer)
{
    struct pf_speedscope_writer *state = writer->state;
    struct pf_frame_sums *sums = &state->sums;
    const struct pf_sums *main_sums = pf_frame_sums_main(sums, NULL);
    size_t rows = sums->rows.count - 1;
    int status = PF_OK;

    for (size_t column = 0; column <= sums->ledger.count && status == PF_OK; column++) {
        const struct pf_sums *which = column == 0 ? main_sums : &sums->ledger.sums[column - 1];

        if (!which || (column > 0 && which == main_sums))
            continue;
        for (size_t at = 0, same; at < rows && status == PF_OK; at += same) {
            struct part part = {.column = which, .rows = state->order + at};
            uint32_t group =
                ((const struct pf_sum_row *)pf_table_row(&sums->rows, state->order[at]))->group;

            for (same = 1; at + same < rows && ((const struct pf_sum_row *)pf_table_row(
                                                    &sums->rows, state->order[at + same]))
                                                       ->group == group;)
                same++;
            part.count = same;
            for (int sign = 0; sign < 2 && status == PF_OK; sign++) {
                part.negative = sign == 1;
                if (any_amount(&part))
                    status = write_part(writer, &part);
            }
        }
    }
    return status;
}

int pf_speedscope_finish(struct pf_writer *writer)
{
    struct pf_speedscope_writer *state = writer->state;

    state->order = malloc(state->sums.rows.count * sizeof *state->order);
    if (!state->order || !pf_frame_sums_order(&state->sums, state->order))
        return pf_error_nomem(&writer->error);
    pf_sink_text(writer->sink, "{\"$schema\":\"https://www.speedscope.app/"
                               "file-format-schema.json\",\"exporter\":\"profutils\","
                               "\"activeProfileIndex\":0,\"shared\":{\"frames\":[");
    write_frames(writer);
    pf_sink_text(writer->sink, "\n]},\"profiles\":[");
    int status = write_profiles(writer);
    if (status != PF_OK)
        return status;
    pf_sink_text(writer->sink, "\n]}\n");
    if (state->cut)
        pf_report_send(&writer->report, PF_WARNING,
                       "weights with endless decimals are cut after 18 decimals");
    return state->scratch.failed ? pf_error_nomem(&writer->error)
                                 : pf_sink_status(writer->sink, &writer->error);
}

/* The writers of V8's profiles: a node for each stack, and samples of each node that has an
 * amount. */
#include "format/v8/v8.h"

#include "base/decimal.h"
#include "model/json.h"
#include "model/units.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int pf_v8_open_writer(struct pf_writer *writer)
{
    struct pf_v8_writer *state = writer->state;

    state->sums.dict = writer->dict;
    state->sums.of_functions = true;
    if (pf_file_urls_init(&state->urls) != PF_OK)
        return pf_error_nomem(&writer->error);
    return pf_frame_sums_init(&state->sums, &writer->error);
}

void pf_v8_close_writer(struct pf_writer *writer)
{
    struct pf_v8_writer *state = writer->state;

    pf_frame_sums_free(&state->sums);
    pf_file_urls_free(&state->urls);
    pf_buffer_free(&state->scratch);
    free(state->order);
    free(state->row_of);
    pf_walk_free(&state->walk);
}

/* Keeps the start of the profile, from metadata. */
static void keep_start(struct pf_writer *writer, const struct pf_batch *batch)
{
    struct pf_v8_writer *state = writer->state;
    bool exact;

    for (uint32_t row = 0; row < batch->rows; row++)
        if (pf_bytes_equal(pf_dict_string(writer->dict, batch->origin[row]),
                           pf_bytes_of(writer->format->name)) &&
            pf_bytes_equal(pf_dict_string(writer->dict, batch->key[row]), PF_BYTES("startTime")) &&
            (!pf_decimal_scale128(pf_dict_string(writer->dict, batch->value[row]), 3, &state->start,
                                  &exact) ||
             state->start < 0 || state->start > (pf_int128)1000 * (INT64_MAX / 2)))
            state->start = 0;
}

int pf_v8_write(struct pf_writer *writer, const struct pf_batch *batch)
{
    struct pf_v8_writer *state = writer->state;

    if (batch->kind == PF_META) {
        keep_start(writer, batch);
        pf_file_urls_keep(&state->urls, writer->dict, batch, writer->format->name);
        if (pf_file_urls_status(&state->urls) != PF_OK)
            return pf_error_nomem(&writer->error);
    }
    if (batch->kind != PF_SAMPLE)
        return PF_OK;
    return pf_frame_sums_add(&state->sums, batch, &writer->error);
}

/* --- nodes ------------------------------------------------------------------------------------ */

static const struct pf_sum_node *node_row(const struct pf_v8_writer *state, uint32_t node)
{
    return pf_table_row(&state->sums.nodes, node);
}

/* Finds the order of the nodes and the row of each node's sums. False: out of memory. */
static bool number_nodes(struct pf_v8_writer *state)
{
    uint32_t count = state->sums.nodes.count;

    state->order = calloc(count, sizeof *state->order);
    state->row_of = calloc(count, sizeof *state->row_of);
    if (!state->order || !state->row_of || !pf_frame_sums_preorder(&state->sums, state->order) ||
        pf_walk_init(&state->walk, &state->sums.nodes, count) != PF_OK)
        return false;
    for (uint32_t row = 1; row < state->sums.rows.count; row++)
        state->row_of[((const struct pf_sum_row *)pf_table_row(&state->sums.rows, row))->node] =
            row;
    return true;
}

static void write_call_frame(struct pf_writer *writer, uint32_t node)
{
    struct pf_v8_writer *state = writer->state;
    const struct pf_sum_frame *frame =
        pf_table_row(&state->sums.frames, node_row(state, node)->frame);

    pf_sink_text(writer->sink, "\"callFrame\":{\"functionName\":");
    if (node == 0)
        pf_sink_text(writer->sink, "\"(root)\"");
    else if (pf_bytes_equal(pf_dict_string(writer->dict, frame->name), PF_BYTES("(anonymous)")))
        pf_sink_text(writer->sink, "\"\"");
    else
        pf_json_name(writer->sink, writer->dict, frame->name, &state->scratch);
    pf_sink_text(writer->sink, ",\"scriptId\":\"0\",\"url\":");
    pf_json_name(writer->sink, writer->dict, node ? pf_file_urls_url(&state->urls, frame->file) : 0,
                 &state->scratch);
    pf_sink_printf(writer->sink, ",\"lineNumber\":%" PRIi64 ",\"columnNumber\":%" PRIi64 "}",
                   node ? frame->line - 1 : -1, node ? (int64_t)frame->column - 1 : -1);
}

/* The sum of a node in a column; 0: no sum. */
static pf_int128 sum_of(const struct pf_v8_writer *state, const struct pf_sums *column,
                        uint32_t node)
{
    return column && state->row_of[node] ? pf_sums_wide_at(column, state->row_of[node]) : 0;
}

static int check_sums(struct pf_writer *writer, const struct pf_sums *column)
{
    struct pf_v8_writer *state = writer->state;
    const struct pf_measure *measure = column ? &column->quantity.measure : NULL;
    pf_int128 total = 0;
    int64_t amount;

    for (uint32_t node = 0; column && node < state->sums.nodes.count; node++) {
        total += sum_of(state, column, node);
        if (sum_of(state, column, node) < 0)
            return pf_refuse_negative(writer, measure->name);
        if (total > INT64_MAX)
            break;
    }
    if (total > INT64_MAX || (column && !pf_scale64(total, measure->num, measure->den, &amount)))
        return pf_error_set(&writer->error, PF_OVERFLOW, "the total of '%s' overflows 64 bits",
                            pf_dict_string(writer->dict, measure->name).data);
    return PF_OK;
}

static void write_measure(struct pf_writer *writer, const char *key, const struct pf_sums *column)
{
    struct pf_v8_writer *state = writer->state;
    struct pf_measure measure;

    pf_sink_printf(writer->sink, "\"%s\":", key);
    if (!column) {
        pf_sink_text(writer->sink, "null");
        return;
    }
    measure = pf_quantity_measure(&column->quantity, writer->dict);
    pf_sink_text(writer->sink, "[");
    pf_json_name(writer->sink, writer->dict, measure.name, &state->scratch);
    pf_sink_text(writer->sink, ",");
    pf_json_name(writer->sink, writer->dict, measure.unit, &state->scratch);
    pf_sink_text(writer->sink, "]");
}

/* Ends the output. `warning`: the text to report if amounts were cut, or NULL. */
static int end_of(struct pf_writer *writer, const char *warning)
{
    const struct pf_v8_writer *state = writer->state;

    if (state->cut && warning)
        pf_report_send(&writer->report, PF_WARNING, "%s", warning);
    return state->scratch.failed ? pf_error_nomem(&writer->error)
                                 : pf_sink_status(writer->sink, &writer->error);
}

/* --- profiles of the processor ---------------------------------------------------------------- */

static bool is_time(const struct pf_writer *writer, const struct pf_sums *column)
{
    return pf_measure_is_time(writer->dict, &column->quantity.measure);
}

static void write_nodes(struct pf_writer *writer, const struct pf_sums *hits)
{
    struct pf_v8_writer *state = writer->state;
    uint32_t count = state->sums.nodes.count;

    pf_sink_text(writer->sink, "{\"nodes\":[");
    for (uint32_t k = 0; k < count; k++) {
        uint32_t node = k ? state->order[k - 1] : 0;

        pf_sink_printf(writer->sink, k ? ",\n{\"id\":%" PRIu32 "," : "\n{\"id\":%" PRIu32 ",",
                       node + 1);
        write_call_frame(writer, node);
        pf_sink_text(writer->sink, ",\"hitCount\":");
        pf_json_int128(writer->sink, sum_of(state, hits, node));
        pf_sink_text(writer->sink, ",\"children\":[");
        for (uint32_t child = state->walk.links[node].first; child;
             child = state->walk.links[child].next)
            pf_sink_printf(writer->sink,
                           child == state->walk.links[node].first ? "%" PRIu32 : ",%" PRIu32,
                           child + 1);
        pf_sink_text(writer->sink, "]}");
    }
    pf_sink_text(writer->sink, "\n]");
}

/* Writes the samples and their times: microseconds, or units of another measure. Each sample is
 * written twice, with the sample's time between the two. So the time belongs to the sample's node
 * for all readers: some give a sample the time before it, others (the DevTools) the time after it.
 */
static void write_samples(struct pf_writer *writer, const struct pf_sums *hits,
                          const struct pf_sums *wall)
{
    struct pf_v8_writer *state = writer->state;
    uint64_t per = wall && is_time(writer, wall) ? 1000 : 1;
    char text[PF_SUM_TEXT];

    for (int deltas = 0; deltas < 2; deltas++) {
        const char *comma = "";

        pf_sink_text(writer->sink, deltas ? "],\n\"timeDeltas\":[" : ",\n\"samples\":[");
        for (uint32_t k = 0; k < state->sums.nodes.count; k++) {
            uint32_t node = k ? state->order[k - 1] : 0;

            if (sum_of(state, hits, node) == 0 && sum_of(state, wall, node) == 0)
                continue;
            pf_sink_text(writer->sink, comma);
            comma = ",";
            if (!deltas)
                pf_sink_printf(writer->sink, "%" PRIu32 ",%" PRIu32, node + 1, node + 1);
            else
                pf_sink_printf(writer->sink, "0,%.*s",
                               wall ? (int)pf_frame_sums_print(wall, sum_of(state, wall, node), per,
                                                               text, &state->cut)
                                    : 1,
                               wall ? text : "0");
        }
    }
    pf_sink_text(writer->sink, "]");
}

/* Writes start and end of the profile in microseconds. The end is `whole` microseconds after the
 * start, rounded up. */
static void write_times(struct pf_writer *writer, int64_t whole)
{
    const struct pf_v8_writer *state = writer->state;
    int64_t start = (int64_t)(state->start / 1000), rest = (int64_t)(state->start % 1000),
            next = start + (rest > 0);

    pf_sink_printf(writer->sink, ",\n\"startTime\":%" PRIi64, start);
    if (rest > 0)
        pf_sink_printf(writer->sink, ".%03" PRIi64, rest);
    pf_sink_printf(writer->sink, ",\"endTime\":%" PRIi64,
                   whole > INT64_MAX - next ? INT64_MAX : next + whole);
}

int pf_v8_finish_cpu(struct pf_writer *writer)
{
    struct pf_v8_writer *state = writer->state;
    const struct pf_sums *hits = pf_frame_sums_find(&state->sums, "count", "hits"),
                         *wall = pf_frame_sums_main(&state->sums, NULL);
    char text[PF_SUM_TEXT];
    pf_int128 total = 0;

    if (hits && hits->quantity.measure.num != hits->quantity.measure.den)
        hits = NULL; /* the format holds whole hits only */
    /* The main measure becomes the times of the samples. If the hits are the main measure, another
     * measure becomes the times, because hits have members of their own. */
    if (wall == hits && state->sums.ledger.count > 1)
        wall = pf_frame_sums_main(&state->sums, hits);
    if (wall)
        pf_held_measures_add(&writer->measures, &wall->quantity.measure);
    if (hits)
        pf_held_measures_add(&writer->measures, &hits->quantity.measure);
    if (!number_nodes(state))
        return pf_error_nomem(&writer->error);
    if (check_sums(writer, wall) != PF_OK || check_sums(writer, hits) != PF_OK)
        return writer->error.code;
    for (uint32_t node = 0; node < state->sums.nodes.count; node++)
        total += sum_of(state, wall, node);
    uint64_t per = wall && is_time(writer, wall) ? 1000 : 1;
    write_nodes(writer, hits);
    int64_t whole = 0;
    struct pf_bytes end = {text,
                           wall ? pf_frame_sums_print(wall, total, per, text, &state->cut) : 0};
    const char *point = end.size > 0 ? memchr(text, '.', end.size) : NULL;
    if (point)
        end.size = (size_t)(point - text);
    pf_parse_int(end, 0, INT64_MAX, &whole);
    whole += point && whole < INT64_MAX; /* rounded up: no sample is later than the end */
    write_times(writer, whole);
    write_samples(writer, hits, wall);
    pf_sink_text(writer->sink, ",\n\"profutils\":{");
    write_measure(writer, "deltas", wall == hits ? NULL : wall);
    pf_sink_text(writer->sink, ",");
    write_measure(writer, "hits", hits);
    pf_sink_text(writer->sink, "}}\n");
    return end_of(writer, wall && is_time(writer, wall)
                              ? NULL
                              : "amounts with endless decimals are cut after 18 decimals");
}

/* --- profiles of the heap --------------------------------------------------------------------- */

/* Writes a size in whole bytes, rounded half to even. */
static void write_size(struct pf_writer *writer, const struct pf_sums *size, uint32_t node)
{
    struct pf_v8_writer *state = writer->state;
    const struct pf_measure *measure = &size->quantity.measure;
    pf_int128 sum = sum_of(state, size, node);
    int64_t bytes;

    state->cut = state->cut || sum * (pf_int128)measure->num % (pf_int128)measure->den != 0;
    if (pf_scale64(sum, measure->num, measure->den, &bytes)) /* always fits: see check_sums */
        pf_json_int(writer->sink, bytes);
}

static void open_heap_node(struct pf_writer *writer, const struct pf_sums *size, uint32_t node)
{
    pf_sink_text(writer->sink, "{");
    write_call_frame(writer, node);
    pf_sink_text(writer->sink, ",\"selfSize\":");
    write_size(writer, size, node);
    pf_sink_printf(writer->sink, ",\"id\":%" PRIu32 ",\"children\":[", node + 1);
}

static void write_heap_nodes(struct pf_writer *writer, const struct pf_sums *size)
{
    struct pf_v8_writer *state = writer->state;
    struct pf_walk *walk = &state->walk;
    uint32_t open = 1, depth; /* number of open nodes, with the root */

    open_heap_node(writer, size, 0);
    for (uint32_t node; (node = pf_walk_next(walk)) != 0; open = depth) {
        depth = walk->depth + 1;
        for (uint32_t k = depth; k <= open; k++)
            pf_sink_text(writer->sink, "]}");
        pf_sink_text(writer->sink, depth <= open ? ",\n" : "\n");
        open_heap_node(writer, size, node);
    }
    for (; open > 0; open--)
        pf_sink_text(writer->sink, "]}");
}

int pf_v8_finish_heap(struct pf_writer *writer)
{
    struct pf_v8_writer *state = writer->state;
    const struct pf_sums *size = pf_frame_sums_find(&state->sums, "bytes", "inuse_space");
    const char *comma = "";

    if (!size)
        return pf_error_set(&writer->error, PF_USAGE,
                            "heapprofile holds bytes, and no measure of the profile counts bytes");
    pf_held_measures_add(&writer->measures, &size->quantity.measure);
    if (!number_nodes(state))
        return pf_error_nomem(&writer->error);
    if (check_sums(writer, size) != PF_OK)
        return writer->error.code;
    pf_sink_text(writer->sink, "{\"head\":");
    write_heap_nodes(writer, size);
    pf_sink_text(writer->sink, ",\n\"samples\":[");
    for (uint32_t k = 0, ordinal = 1; k < state->sums.nodes.count; k++) {
        uint32_t node = k ? state->order[k - 1] : 0;

        if (sum_of(state, size, node) == 0)
            continue;
        pf_sink_printf(writer->sink, "%s{\"size\":", comma);
        write_size(writer, size, node);
        pf_sink_printf(writer->sink, ",\"nodeId\":%" PRIu32 ",\"ordinal\":%" PRIu32 "}", node + 1,
                       ordinal++);
        comma = ",";
    }
    pf_sink_text(writer->sink, "],\n\"profutils\":{");
    write_measure(writer, "sizes", size);
    pf_sink_text(writer->sink, "}}\n");
    return end_of(writer, "sizes are rounded to whole bytes");
}

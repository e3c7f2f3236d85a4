/* Records as tables: `csv` (RFC 4180 quoting) and `tsv` (tabs, line feeds and backslashes as \t \n
 * \\). The header is the first line and names all measures, so rows are held until the input ends
 * or pauses, or until they fill 8 MiB. A measure that comes later is an error. */
#include "base/memory.h"
#include "codec/format.h"
#include "model/utf8.h"
#include "render/flame/cache.h"
#include "render/records/record.h"
#include "render/records/values.h"
#include "render/table/separated.h"

#include <stdlib.h>
#include <string.h>

enum { HOLD = 8 << 20 }; /* most bytes of held rows */

/* Rows that wait for the header, without line ends. */
struct held {
    struct pf_sink *sink; /* in memory */
    struct held_row {
        uint64_t end;
        size_t columns; /* measures known when the row was made; it has 0 for later measures */
    } * rows;
    size_t count, capacity;
};

struct csv_writer {
    struct pf_separated form;
    bool headed;
    struct held held;
    struct pf_values values;
    /* names: by location, as in a stack; places: by location, function, file and line; labels: by
     * label set, sections and labels */
    struct pf_cache names, places, labels;
    struct pf_id_list list;
    struct pf_label_list label_list;
    struct pf_buffer field, scratch;
};

static int open_writer(struct pf_writer *writer)
{
    struct csv_writer *state = writer->state;
    bool tabs = strcmp(writer->format->name, "tsv") == 0;

    state->form = (struct pf_separated){tabs, pf_options_get(writer->options, "guard")};
    state->values.dict = writer->dict;
    return pf_sink_open_memory(&state->held.sink, &writer->error);
}

static void close_writer(struct pf_writer *writer)
{
    struct csv_writer *state = writer->state;

    pf_sink_abort(state->held.sink);
    free(state->held.rows);
    pf_values_free(&state->values);
    pf_cache_free(&state->names);
    pf_cache_free(&state->places);
    pf_cache_free(&state->labels);
    free(state->list.ids);
    free(state->label_list.rows);
    pf_buffer_free(&state->field);
    pf_buffer_free(&state->scratch);
}

/* --- fields ----------------------------------------------------------------------------------- */

static void write_field(const struct csv_writer *state, struct pf_sink *sink, struct pf_bytes text)
{
    pf_separated_text(state->form, sink, text);
}

static void write_separator(const struct csv_writer *state, struct pf_sink *sink)
{
    pf_sink_write(sink, state->form.tabs ? "\t" : ",", 1);
}

/* Appends a name to the field, as valid UTF-8. Names in a field are separated by `;`, so a `;` in a
 * name becomes `:`, as in folded stacks. */
static void append_text(struct csv_writer *state, struct pf_bytes bytes, unsigned flags)
{
    struct pf_bytes text = pf_text_utf8(bytes, flags, &state->scratch);
    size_t start = state->field.size;

    pf_buffer_append(&state->field, text.data, text.size);
    for (size_t k = start; k < state->field.size; k++)
        if (state->field.data[k] == ';')
            state->field.data[k] = ':';
}

static void append_string(struct csv_writer *state, uint32_t id)
{
    append_text(state, pf_dict_string(state->values.dict, id),
                pf_record_flags(state->values.dict, id));
}

static void append_name(struct csv_writer *state, uint32_t location)
{
    char scratch[32];

    append_text(state, pf_dict_frame_name(state->values.dict, location, scratch),
                pf_record_frame_flags(state->values.dict, location));
}

static void flush_field(struct csv_writer *state, struct pf_sink *sink)
{
    write_field(state, sink, (struct pf_bytes){state->field.data, state->field.size});
    state->field.size = 0;
}

static void render_name(void *arg, uint32_t location, struct pf_sink *sink)
{
    struct csv_writer *state = arg;
    size_t start = state->field.size;

    append_name(state, location);
    pf_sink_write(sink, state->field.data + start, state->field.size - start);
    state->field.size = start;
}

/* Writes three fields: function, file and line. A `;` in them stays. */
static void render_place(void *arg, uint32_t id, struct pf_sink *sink)
{
    struct csv_writer *state = arg;
    const struct pf_dict *dict = state->values.dict;
    const struct pf_location *location = pf_dict_location(dict, id);
    uint32_t file = pf_dict_function(dict, location->function)->file;
    char scratch[32], line[PF_INT128_TEXT];

    write_field(state, sink,
                pf_text_utf8(pf_dict_frame_name(dict, id, scratch), pf_record_frame_flags(dict, id),
                             &state->scratch));
    write_separator(state, sink);
    write_field(
        state, sink,
        pf_text_utf8(pf_dict_string(dict, file), pf_record_flags(dict, file), &state->scratch));
    write_separator(state, sink);
    pf_sink_write(sink, line, pf_print_int128(location->line < 0 ? 0 : location->line, line));
}

/* Writes two fields: sections and labels, `req;db` and `host=a;op=entersub`. */
static void render_labels(void *arg, uint32_t id, struct pf_sink *sink)
{
    struct csv_writer *state = arg;
    const struct pf_dict *dict = state->values.dict;
    const struct pf_label_list *list = &state->label_list;
    char number[PF_DECIMAL_TEXT];
    bool sections = true;

    if (!pf_record_labels(dict, id, &state->label_list))
        state->scratch.failed = true;
    for (size_t k = 0; k < list->count; k++) {
        const struct pf_label *label = pf_dict_label(dict, list->rows[k].id);

        if (sections && !list->rows[k].section) {
            flush_field(state, sink);
            write_separator(state, sink);
            sections = false;
        } else if (k > 0) {
            pf_buffer_byte(&state->field, ';');
        }
        if (!sections) {
            append_string(state, label->key);
            pf_buffer_byte(&state->field, '=');
        }
        if (label->numeric) {
            pf_buffer_append(&state->field, number, pf_print_int128(label->number, number));
            if (label->text)
                pf_buffer_byte(&state->field, ' ');
        }
        append_string(state, label->text);
    }
    flush_field(state, sink);
    if (sections)
        write_separator(state, sink);
}

/* --- lines ------------------------------------------------------------------------------------ */

static void write_header(struct pf_writer *writer)
{
    struct csv_writer *state = writer->state;
    static const char *const fixed[] = {"kind",     "sections", "labels", "stack",
                                        "function", "file",     "line"};

    for (size_t k = 0; k < sizeof fixed / sizeof *fixed; k++) {
        if (k > 0)
            write_separator(state, writer->sink);
        pf_sink_text(writer->sink, fixed[k]);
    }
    for (size_t k = 0; k < state->values.count; k++) {
        const struct pf_value_name *column = &state->values.columns[k];

        write_separator(state, writer->sink);
        append_text(state, column->name, PF_UTF8);
        flush_field(state, writer->sink);
    }
    pf_sink_text(writer->sink, "\n");
    state->headed = true;
}

/* Writes the header, then the rows that waited for it. */
static int release(struct pf_writer *writer)
{
    struct csv_writer *state = writer->state;
    struct held *held = &state->held;
    uint64_t start = 0;
    size_t size;

    if (state->headed)
        return PF_OK;
    write_header(writer);
    if (pf_sink_flush(held->sink) != PF_OK)
        return pf_error_nomem(&writer->error);
    const char *bytes = pf_sink_memory(held->sink, &size);
    for (size_t i = 0; i < held->count; i++) {
        const struct held_row *row = &held->rows[i];
        pf_sink_write(writer->sink, bytes + start, (size_t)(row->end - start));
        for (size_t k = row->columns; k < state->values.count; k++)
            pf_sink_text(writer->sink, state->form.tabs ? "\t0" : ",0");
        pf_sink_write(writer->sink, "\n", 1);
        start = row->end;
    }
    pf_sink_abort(held->sink);
    free(held->rows);
    *held = (struct held){0};
    return PF_OK;
}

static int end_row(struct pf_writer *writer)
{
    struct csv_writer *state = writer->state;
    struct held *held = &state->held;

    if (state->headed) {
        pf_sink_write(writer->sink, "\n", 1);
        return PF_OK;
    }
    if (!pf_grow(&held->rows, &held->capacity, held->count + 1, sizeof *held->rows))
        return pf_error_nomem(&writer->error);
    held->rows[held->count++] = (struct held_row){pf_sink_offset(held->sink), state->values.count};
    return pf_sink_offset(held->sink) < HOLD ? PF_OK : release(writer);
}

static int write_row(struct pf_writer *writer, const struct pf_batch *batch, uint32_t row)
{
    struct csv_writer *state = writer->state;
    struct pf_sink *sink = state->headed ? writer->sink : state->held.sink;
    uint32_t leaf = state->list.count > 0 ? state->list.ids[0] : 0;
    struct pf_bytes text;
    char number[PF_DECIMAL_TEXT];

    pf_sink_text(sink, pf_kind_name(batch->kind));
    write_separator(state, sink);
    text =
        pf_cache_text(&state->labels, batch->labels ? batch->labels[row] : 0, render_labels, state);
    pf_sink_write(sink, text.data, text.size);
    write_separator(state, sink);
    for (size_t k = state->list.count; k-- > 0;) {
        text = pf_cache_text(&state->names, state->list.ids[k], render_name, state);
        pf_buffer_append(&state->field, text.data, text.size);
        if (k > 0)
            pf_buffer_byte(&state->field, ';');
    }
    flush_field(state, sink);
    write_separator(state, sink);
    if (state->list.count > 0)
        text = pf_cache_text(&state->places, leaf, render_place, state);
    else
        text = state->form.tabs ? PF_BYTES("\t\t0") : PF_BYTES(",,0");
    pf_sink_write(sink, text.data, text.size);
    for (size_t k = 0; k < state->values.count; k++) {
        write_separator(state, sink);
        pf_sink_write(sink, number,
                      pf_print_parts(state->values.amounts[k], state->values.columns[k].parts,
                                     PF_DECIMAL_PLACES, number));
    }
    return end_row(writer);
}

static int declare(struct pf_writer *writer, const struct pf_batch *batch)
{
    struct csv_writer *state = writer->state;
    bool changed;

    if (pf_values_declare(&state->values, batch, &changed) != PF_OK)
        return pf_error_nomem(&writer->error);
    if (changed && state->headed) {
        struct pf_bytes name = state->values.columns[state->values.count - 1].name;

        return pf_error_set(&writer->error, PF_USAGE,
                            "the measure '%s' appears after the header of the table: choose "
                            "measures with -m, or convert the inputs one by one",
                            pf_clip(name).text);
    }
    return PF_OK;
}

static int write_batch(struct pf_writer *writer, const struct pf_batch *batch)
{
    struct csv_writer *state = writer->state;

    if (batch->kind >= PF_RECORD_KINDS)
        return PF_OK;
    int status = declare(writer, batch);

    for (uint32_t row = 0; status == PF_OK && row < batch->rows; row++) {
        if (!pf_record_frames(writer->dict, batch, row, &state->list))
            return pf_error_nomem(&writer->error);
        pf_values_row(&state->values, batch, row);
        status = write_row(writer, batch, row);
    }
    if (status == PF_OK && (state->field.failed || state->scratch.failed || state->names.status ||
                            state->places.status || state->labels.status))
        return pf_error_nomem(&writer->error);
    return status == PF_OK ? pf_sink_status(writer->sink, &writer->error) : status;
}

static int flush(struct pf_writer *writer)
{
    const struct csv_writer *state = writer->state;

    return state->held.count > 0 && release(writer) != PF_OK ? PF_NOMEM
                                                             : pf_sink_flush(writer->sink);
}

static int finish(struct pf_writer *writer)
{
    const struct csv_writer *state = writer->state;
    int status = release(writer);

    if (status == PF_OK && (state->field.failed || state->scratch.failed))
        return pf_error_nomem(&writer->error);
    return status == PF_OK ? pf_sink_status(writer->sink, &writer->error) : status;
}

static const struct pf_option options[] = {
    {"guard", "a ' before cells that begin with = + - or @ and are not numbers, for spreadsheets",
     "yes", false, true},
    {0},
};

const struct pf_format pf_format_csv = {
    .name = "csv",
    .about = "comma separated values, a line for each record, one column per measure",
    .suffixes = ".csv",
    .losses = "frames but their names and the leaf's file and line; metadata, source texts, times "
              "of records",
    .caps = PF_HOLDS_SAMPLE | PF_HOLDS_RUNS | PF_HOLDS_FLAT | PF_HOLDS_EDGE | PF_IS_TEXT |
            PF_IS_STREAM | PF_IS_VIEW,
    .options = options,
    .writer_size = sizeof(struct csv_writer),
    .open_writer = open_writer,
    .write = write_batch,
    .flush = flush,
    .finish = finish,
    .close_writer = close_writer,
};

const struct pf_format pf_format_tsv = {
    .name = "tsv",
    .about = "the same, separated by tabs, without quotes",
    .suffixes = ".tsv",
    .losses = "as csv",
    .caps = PF_HOLDS_SAMPLE | PF_HOLDS_RUNS | PF_HOLDS_FLAT | PF_HOLDS_EDGE | PF_IS_TEXT |
            PF_IS_STREAM | PF_IS_VIEW,
    .options = options,
    .writer_size = sizeof(struct csv_writer),
    .open_writer = open_writer,
    .write = write_batch,
    .flush = flush,
    .finish = finish,
    .close_writer = close_writer,
};

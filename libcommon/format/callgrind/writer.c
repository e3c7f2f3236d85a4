#include "format/callgrind/callgrind.h"

#include <stdio.h>
#include <stdlib.h>

/* The records of one thread of a part. */
struct pf_cg_group {
    uint32_t thread; /* string; 0: unknown */
    struct pf_cg_records records;
};

static struct pf_bytes key_of(const struct pf_writer *writer, const struct pf_cg_header *header)
{
    return pf_dict_string(writer->dict, header->key);
}

/* --- records ---------------------------------------------------------------------------------- */

static void free_groups(struct pf_cg_writer *state)
{
    for (size_t k = 0; k < state->group_count; k++) {
        pf_cg_records_free(&state->groups[k]->records);
        free(state->groups[k]);
    }
    state->group_count = 0;
}

static bool want_all(void *arg, uint32_t measure)
{
    (void)arg;
    (void)measure;
    return true;
}

/* A part has all measures from its beginning, with or without records. */
static int declare(struct pf_writer *writer, struct pf_cg_group *group, uint32_t measure)
{
    struct pf_value_column column = {.measure = measure};
    struct pf_batch batch = {
        .kind = (enum pf_kind)pf_measures_row(&writer->dict->measures, measure)->kind,
        .values = &column,
        .value_count = 1};

    return pf_cg_records_add(&group->records, &batch, &writer->error);
}

static int note_measures(struct pf_writer *writer, const struct pf_batch *batch)
{
    struct pf_cg_writer *state = writer->state;

    for (uint32_t k = 0; k < batch->value_count; k++) {
        size_t at = 0;
        while (at < state->measure_count && state->measures[at] != batch->values[k].measure)
            at++;
        if (at < state->measure_count)
            continue;
        if (!pf_grow(&state->measures, &state->measure_capacity, state->measure_count + 1,
                     sizeof *state->measures))
            return pf_error_nomem(&writer->error);
        state->measures[state->measure_count++] = batch->values[k].measure;
    }
    return PF_OK;
}

static struct pf_cg_group *group_of(struct pf_writer *writer, uint32_t thread)
{
    struct pf_cg_writer *state = writer->state;
    struct pf_cg_group *group;

    for (size_t k = state->group_count; k-- > 0;)
        if (state->groups[k]->thread == thread)
            return state->groups[k];
    group = calloc(1, sizeof *group);
    if (!group || !pf_grow(&state->groups, &state->group_capacity, state->group_count + 1,
                           sizeof *state->groups)) {
        free(group);
        pf_error_nomem(&writer->error);
        return NULL;
    }
    state->groups[state->group_count++] = group;
    group->thread = thread;
    group->records.sums.dict = writer->dict;
    group->records.sums.wants = want_all;
    for (size_t k = 0; k < state->measure_count; k++)
        if (declare(writer, group, state->measures[k]) != PF_OK)
            return NULL;
    return group;
}

bool pf_cg_writer_holds_label(struct pf_writer *writer, const struct pf_label *label)
{
    return label->key == ((const struct pf_cg_writer *)writer->state)->thread_key &&
           !label->numeric;
}

/* The thread of a label set. */
static uint32_t thread_of(struct pf_writer *writer, uint32_t labels)
{
    uint32_t thread = 0;

    while (labels != 0) {
        const struct pf_label *label = pf_dict_label(writer->dict, labels);

        if (pf_cg_writer_holds_label(writer, label))
            thread = label->text;
        labels = label->parent;
    }
    return thread;
}

/* Adds the rows from..to of a batch to the records of a thread. */
static int add_run(struct pf_writer *writer, const struct pf_batch *batch, uint32_t from,
                   uint32_t to, uint32_t thread)
{
    struct pf_cg_group *group = group_of(writer, thread);
    struct pf_value_column *columns;
    struct pf_batch run = *batch;
    int status;

    if (!group)
        return writer->error.code;
    columns = malloc((batch->value_count + 1) * sizeof *columns);
    if (!columns)
        return pf_error_nomem(&writer->error);
    for (uint32_t k = 0; k < batch->value_count; k++) {
        columns[k] = batch->values[k];
        columns[k].data = columns[k].data ? columns[k].data + from : NULL;
    }
    run.rows = to - from;
    run.stack = batch->stack ? batch->stack + from : NULL;
    run.location = batch->location ? batch->location + from : NULL;
    run.callee = batch->callee ? batch->callee + from : NULL;
    run.labels = NULL;
    run.values = columns;
    status = pf_cg_records_add(&group->records, &run, &writer->error);
    free(columns);
    return status;
}

static int add_records(struct pf_writer *writer, const struct pf_batch *batch)
{
    int status = note_measures(writer, batch);

    if (status == PF_OK && batch->rows > 0 && !batch->labels)
        return add_run(writer, batch, 0, batch->rows, 0);
    for (uint32_t from = 0, to; status == PF_OK && from < batch->rows; from = to) {
        for (to = from + 1; to < batch->rows && batch->labels[to] == batch->labels[from];)
            to++;
        status = add_run(writer, batch, from, to, thread_of(writer, batch->labels[from]));
    }
    return status;
}

/* --- writing a part --------------------------------------------------------------------------- */

static void write_value(struct pf_sink *sink, struct pf_bytes text)
{
    for (size_t at = 0; at < text.size; at++) {
        char c = text.data[at] == '\n' || text.data[at] == '\r' ? ' ' : text.data[at];
        pf_sink_write(sink, &c, 1);
    }
    pf_sink_write(sink, "\n", 1);
}

static void write_line(struct pf_sink *sink, struct pf_bytes key, struct pf_bytes value)
{
    pf_sink_write(sink, key.data, key.size);
    pf_sink_text(sink, ": ");
    write_value(sink, value);
}

static bool has_key(const struct pf_writer *writer, const char *key)
{
    const struct pf_cg_writer *state = writer->state;

    for (size_t k = 0; k < state->header_count; k++)
        if (pf_bytes_equal(key_of(writer, &state->header[k]), pf_bytes_of(key)))
            return true;
    return false;
}

/* Writes the lines of the header as they were read, and lines that readers need. */
static void write_header(struct pf_writer *writer, uint32_t thread)
{
    struct pf_cg_writer *state = writer->state;
    bool first = !state->written;

    if (first)
        pf_sink_text(writer->sink, "# callgrind format\n");
    if (first && !has_key(writer, "version"))
        pf_sink_text(writer->sink, "version: 1\n");
    if (first && !has_key(writer, "creator"))
        pf_sink_text(writer->sink, "creator: profutils\n");
    if (!first)
        pf_sink_write(writer->sink, "\n", 1);
    for (size_t k = 0; k < state->header_count; k++) {
        struct pf_bytes key = key_of(writer, &state->header[k]),
                        value = pf_dict_string(writer->dict, state->header[k].value);

        if (pf_bytes_equal(key, PF_BYTES("comment")))
            write_value(writer->sink, value);
        else if (thread == 0 || state->header[k].key != state->thread_key)
            write_line(writer->sink, key, value);
    }
    if (first && !has_key(writer, "cmd"))
        pf_sink_text(writer->sink, "cmd: ???\n");
    if (thread != 0)
        write_line(writer->sink, PF_BYTES(PF_CG_THREAD), pf_dict_string(writer->dict, thread));
    state->written = true;
}

/* The long name of an event in the header. */
static struct pf_bytes long_name_of(const struct pf_writer *writer, struct pf_bytes name)
{
    const struct pf_cg_writer *state = writer->state;
    struct pf_bytes event, long_name;

    for (size_t k = 0; k < state->header_count; k++)
        if (pf_bytes_equal(key_of(writer, &state->header[k]), PF_BYTES("event")) &&
            pf_cg_event_split(pf_dict_string(writer->dict, state->header[k].value), &event,
                              &long_name) &&
            pf_bytes_equal(event, name))
            return long_name;
    return (struct pf_bytes){NULL, 0};
}

static bool is_one_word(struct pf_bytes name)
{
    for (size_t k = 0; k < name.size; k++)
        if ((unsigned char)name.data[k] <= ' ')
            return false;
    return name.size > 0;
}

/* Drops the unit from the name of an event if the header has the unit, or the name alone means the
 * same. */
static bool shorten_name(struct pf_writer *writer, struct pf_cg_event *event)
{
    const struct pf_cg_column *column = event->self.sums ? &event->self : &event->inclusive;
    const struct pf_measure *measure = &column->sums->quantity.measure;
    struct pf_bytes name = pf_dict_string(writer->dict, measure->name);
    struct pf_measure bare;

    pf_cg_event_measure(writer->dict, name, long_name_of(writer, name), &bare);
    if (column->num != 1 || column->den != 1 || !pf_cg_event_same(&bare, measure) ||
        !is_one_word(name))
        return true;
    event->name.size = 0;
    return pf_buffer_append(&event->name, name.data, name.size);
}

static struct pf_bytes name_of(const struct pf_cg_event *event)
{
    return (struct pf_bytes){event->name.data, event->name.size};
}

/* True if a reader would take the event for an earlier event, or its costs for the number of
 * calls. */
static bool is_name_taken(const struct pf_writer *writer, const struct pf_cg_costs *costs,
                          size_t event)
{
    struct pf_measure measures[2];
    struct pf_bytes name = name_of(&costs->events[event]);

    if (pf_bytes_equal(name, PF_BYTES("calls")))
        return true;
    pf_cg_event_measure(writer->dict, name, long_name_of(writer, name), &measures[0]);
    for (size_t k = 0; k < event; k++) {
        name = name_of(&costs->events[k]);
        pf_cg_event_measure(writer->dict, name, long_name_of(writer, name), &measures[1]);
        if (measures[0].name == measures[1].name && measures[0].unit == measures[1].unit)
            return true;
    }
    return false;
}

/* Puts a number before the name of an event if the name is in use. */
static bool number_name(struct pf_writer *writer, struct pf_cg_costs *costs, size_t event)
{
    struct pf_buffer *name = &costs->events[event].name, old = {0};
    bool good = !name->failed;

    for (unsigned number = 2; good && is_name_taken(writer, costs, event); number++) {
        char digits[16];
        int size = snprintf(digits, sizeof digits, "%u_", number);

        good = old.size > 0 || pf_buffer_append(&old, name->data, name->size);
        name->size = 0;
        good = good && pf_buffer_append(name, digits, (size_t)size) &&
               pf_buffer_append(name, old.data, old.size) &&
               pf_dict_status(writer->dict) != PF_NOMEM; /* if memory ran out, all names are 0 */
    }
    if (good && old.size > 0)
        pf_report_send(&writer->report, PF_WARNING,
                       "the name '%s' is taken: an event is written as '%s'",
                       pf_clip((struct pf_bytes){old.data, old.size}).text,
                       pf_clip((struct pf_bytes){name->data, name->size}).text);
    pf_buffer_free(&old);
    return good;
}

static int write_group(struct pf_writer *writer, struct pf_cg_group *group)
{
    const struct pf_cg_writer *state = writer->state;
    struct pf_cg_costs costs;
    int status = pf_cg_costs_make(&costs, &group->records, writer);

    for (size_t k = 0; status == PF_OK && k < costs.count; k++)
        if (!shorten_name(writer, &costs.events[k]) || !number_name(writer, &costs, k))
            status = pf_error_nomem(&writer->error);
    if (status == PF_OK) {
        bool first = !state->written;

        write_header(writer, group->thread);
        status = pf_cg_output_write(writer->sink, &costs, first, state->as_read, &writer->error);
    }
    pf_cg_costs_free(&costs);
    return status;
}

/* Writes a part; without records it has its header and events. Records without a thread come first,
 * because behind the records of a thread they would belong to that thread. */
static int write_part(struct pf_writer *writer)
{
    struct pf_cg_writer *state = writer->state;
    int status = state->group_count > 0 || group_of(writer, 0) ? PF_OK : writer->error.code;

    for (int threads = 0; threads < 2; threads++)
        for (size_t k = 0; status == PF_OK && k < state->group_count; k++)
            if ((state->groups[k]->thread != 0) == threads)
                status = write_group(writer, state->groups[k]);
    free_groups(state);
    state->header_count = 0;
    return status;
}

/* --- metadata --------------------------------------------------------------------------------- */

static bool begins_part(const struct pf_writer *writer, struct pf_bytes key, struct pf_bytes value)
{
    static const char *const keys[] = {"version", "creator", "pid", "cmd", "part", PF_CG_THREAD};
    const struct pf_cg_writer *state = writer->state;

    if (pf_bytes_equal(key, PF_BYTES("comment")))
        return state->group_count > 0 && value.size > 0 &&
               value.data[0] == '='; /* Xdebug's line between profiles */
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        if (pf_bytes_equal(key, pf_bytes_of(keys[k])))
            return state->group_count > 0 ||
                   (pf_bytes_equal(key, PF_BYTES("part")) && has_key(writer, "part"));
    return false;
}

/* True if metadata can be written as a header line: a reader would read it as the same line. The
 * writer makes some lines itself, from the records. */
static bool is_header_line(struct pf_bytes key, struct pf_bytes value)
{
    static const char *const made[] = {"events", "positions", "totals"};
    size_t at = 0;

    if (pf_bytes_equal(key, PF_BYTES("comment")))
        return pf_cg_comment(value);
    for (size_t k = 0; k < sizeof made / sizeof *made; k++)
        if (pf_bytes_equal(key, pf_bytes_of(made[k])))
            return false;
    while (at < key.size && pf_cg_word_char(key.data[at]))
        at++;
    return key.size > 0 && at == key.size && !pf_one_of(*key.data, PF_CG_COST_BEGINS);
}

static int add_header(struct pf_writer *writer, uint32_t key, uint32_t value)
{
    struct pf_cg_writer *state = writer->state;
    struct pf_bytes text = pf_dict_string(writer->dict, key);

    if (pf_bytes_equal(text, PF_BYTES("summary")))
        return PF_OK;
    if (!is_header_line(text, pf_dict_string(writer->dict, value)))
        return pf_leave_name(writer, PF_LEFT_METADATA, key);
    if (begins_part(writer, text, pf_dict_string(writer->dict, value)) &&
        write_part(writer) != PF_OK)
        return writer->error.code;
    if (!pf_grow(&state->header, &state->header_capacity, state->header_count + 1,
                 sizeof *state->header))
        return pf_error_nomem(&writer->error);
    state->header[state->header_count++] = (struct pf_cg_header){key, value};
    return PF_OK;
}

static int add_metadata(struct pf_writer *writer, const struct pf_batch *batch)
{
    struct pf_cg_writer *state = writer->state;
    int status = PF_OK;

    for (uint32_t k = 0; status == PF_OK && k < batch->rows; k++)
        if (batch->origin[k] == state->private_origin)
            state->as_read = true;
        else if (batch->origin[k] == state->origin || batch->origin[k] == state->cachegrind)
            status = add_header(writer, batch->key[k], batch->value[k]);
    return status;
}

/* --- the writer ------------------------------------------------------------------------------- */

int pf_cg_writer_open(struct pf_writer *writer)
{
    struct pf_cg_writer *state = writer->state;

    state->origin = pf_dict_intern(writer->dict, PF_BYTES("callgrind"), 0);
    state->cachegrind = pf_dict_intern(writer->dict, PF_BYTES("cachegrind"), 0);
    state->private_origin = pf_dict_intern(writer->dict, PF_BYTES(PF_CG_PRIVATE), 0);
    state->thread_key = pf_dict_intern(writer->dict, PF_BYTES(PF_CG_THREAD), 0);
    return PF_OK;
}

int pf_cg_writer_write(struct pf_writer *writer, const struct pf_batch *batch)
{
    if (batch->kind == PF_META)
        return add_metadata(writer, batch);
    if (batch->kind != PF_TEXT)
        return add_records(writer, batch);
    pf_leave_texts(writer);
    return PF_OK;
}

int pf_cg_writer_finish(struct pf_writer *writer)
{
    return write_part(writer);
}

void pf_cg_writer_close(struct pf_writer *writer)
{
    struct pf_cg_writer *state = writer->state;

    free_groups(state);
    free(state->groups);
    free(state->header);
    free(state->measures);
}

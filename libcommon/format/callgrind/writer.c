#include "format/callgrind/callgrind.h"

#include "base/number.h"

#include <stdio.h>
#include <stdlib.h>

/* --- the body of a part ----------------------------------------------------------------------- */

/* nearer positions are written as distances, as callgrind does */
enum { NEAR = 100 };
enum { LINE_TEXT = 64 };

enum names { OBJECTS, FILES, FUNCTIONS, NAMES };

/* The names of a function as written: strings. `used` is 1, because a table cannot hold a row of
 * zeros. */
struct function {
    uint32_t image, name, file, used;
};

/* A row in the order of writing. */
struct item {
    uint32_t function, part; /* part: 0, or 1 + the other file of inlined lines */
    uint64_t address;
    int64_t line;
    uint32_t called, row;
};

struct output {
    struct pf_sink *sink;
    struct pf_cg_costs *costs;
    struct pf_dict *dict;
    struct pf_table names[NAMES]; /* uint32_t: string + 1; the row is the number */
    struct pf_table functions;
    struct item *items;
    size_t count;
    bool first; /* nothing was written before */
    /* `instr`: addresses are written; `as_read`: files without a name are written without a name */
    bool instr, as_read;
    struct function at; /* the current function; `file`: of the current lines */
    uint32_t owner;     /* the file of the function */
    uint64_t last_address;
    int64_t last_line;
};

/* --- numbers ---------------------------------------------------------------------------------- */

static size_t print_hex(char *text, uint64_t value)
{
    static const char digits[] = "0123456789abcdef";
    size_t size = 2;
    unsigned shift = 60;

    text[0] = '0';
    text[1] = 'x';
    while (shift > 0 && value >> shift == 0)
        shift -= 4;
    for (;; shift -= 4) {
        text[size++] = digits[value >> shift & 15];
        if (shift == 0)
            return size;
    }
}

static size_t print_difference(char *text, int64_t difference)
{
    if (difference == 0) {
        text[0] = '*';
        return 1;
    }
    text[0] = '+';
    return difference > 0 ? 1 + pf_print_int(difference, text + 1) : pf_print_int(difference, text);
}

/* Writes a position relative to the last one; a `target` does not become the last position. */
static size_t print_position(struct output *output, char *text, const struct pf_location *location,
                             bool target)
{
    int64_t line = location->line > 0 ? location->line : 0, step;
    size_t size = 0;

    if (output->instr) {
        bool near = output->last_address > 0 &&
                    !__builtin_sub_overflow(location->address, output->last_address, &step) &&
                    step > -NEAR && step < NEAR;

        size = near ? print_difference(text, step) : print_hex(text, location->address);
        text[size++] = ' ';
    }
    step = line - output->last_line;
    size += output->last_line > 0 && step > -NEAR && step < NEAR
                ? print_difference(text + size, step)
                : pf_print_int(line, text + size);
    if (!target) {
        output->last_address = location->address;
        output->last_line = line;
    }
    return size;
}

/* Writes a position and the costs after it, without zeros at the end. */
static void write_costs(struct output *output, const struct pf_location *location,
                        const int64_t *values)
{
    char text[2 * LINE_TEXT];
    size_t size = print_position(output, text, location, false), count = output->costs->count;

    while (count > 1 && values[count - 1] == 0)
        count--;
    pf_sink_write(output->sink, text, size);
    for (size_t k = 0; k < count; k++) {
        text[0] = ' ';
        pf_sink_write(output->sink, text, 1 + pf_print_int(values[k], text + 1));
    }
    pf_sink_write(output->sink, "\n", 1);
}

/* --- names ------------------------------------------------------------------------------------ */

static uint32_t image_name(const struct output *output, const struct pf_location *location)
{
    return pf_dict_image(output->dict, location->image)->name;
}

static bool is_inlined(const struct pf_location *location)
{
    return location->inlined != 0 && location->function != 0;
}

/* The function of a place; lines from another file belong to the function around them. */
static struct function function_of(struct output *output, uint32_t id)
{
    const struct pf_location *location = pf_dict_location(output->dict, id);
    const struct pf_function *function = pf_dict_function(output->dict, location->function);
    struct function out = {image_name(output, location), function->name, function->file, 1};
    char scratch[32];

    if (is_inlined(location))
        out.file = function->system_name;
    if (out.name == 0)
        out.name = pf_dict_intern(output->dict, pf_dict_frame_name(output->dict, id, scratch), 0);
    return out;
}

/* Writes a compressed name; replaces characters that a line cannot hold. */
static void write_name(struct output *output, const char *prefix, enum names kind, uint32_t string)
{
    uint32_t key = string + 1, count = output->names[kind].count, id;
    char text[LINE_TEXT];

    if (string == 0 && kind == FILES && !output->as_read) {
        string = pf_dict_intern(output->dict, PF_BYTES("???"), 0);
        key = string + 1;
    }
    pf_sink_text(output->sink, prefix);
    if (string == 0) {
        pf_sink_write(output->sink, "\n", 1);
        return;
    }
    id = pf_table_intern(&output->names[kind], &key);
    text[0] = '(';
    size_t size = 1 + pf_print_int(id, text + 1);
    text[size++] = ')';
    pf_sink_write(output->sink, text, size);
    if (id == count) {
        struct pf_bytes name = pf_dict_string(output->dict, string);

        pf_sink_write(output->sink, " ", 1);
        for (size_t at = 0; at < name.size;) {
            size_t run = 0;
            while (at + run < name.size && name.data[at + run] != '\n' &&
                   name.data[at + run] != '\r')
                run++;
            pf_sink_write(output->sink, name.data + at, run);
            at += run;
            if (at < name.size) {
                pf_sink_write(output->sink, " ", 1);
                at++;
            }
        }
    }
    pf_sink_write(output->sink, "\n", 1);
}

/* --- calls and jumps -------------------------------------------------------------------------- */

static void write_target(struct output *output, const char *word, int64_t count, int64_t of,
                         const struct pf_location *target)
{
    char text[4 * LINE_TEXT];
    size_t size = pf_print_int(count, text);

    if (of >= 0) {
        text[size++] = '/';
        size += pf_print_int(of, text + size);
    }
    text[size++] = ' ';
    size += print_position(output, text + size, target, true);
    text[size++] = '\n';
    pf_sink_text(output->sink, word);
    pf_sink_write(output->sink, text, size);
}

/* Writes the names of the target of a call that differ from the current ones. */
static void write_callee(struct output *output, uint32_t id, bool jump)
{
    const struct pf_location *location = pf_dict_location(output->dict, id);
    struct function callee = function_of(output, id);
    uint32_t file = pf_dict_function(output->dict, location->function)->file;

    if (callee.image != output->at.image)
        write_name(output, "cob=", OBJECTS, callee.image);
    if (file != output->at.file)
        write_name(output, jump ? "jfi=" : "cfi=", FILES, file);
    if (!jump || callee.name != output->at.name || callee.file != output->owner ||
        callee.image != output->at.image)
        write_name(output, jump ? "jfn=" : "cfn=", FUNCTIONS, callee.name);
}

static void write_jump(struct output *output, const struct pf_location *from, uint32_t callee,
                       const char *word, int64_t count, int64_t of)
{
    char text[2 * LINE_TEXT];

    write_callee(output, callee, true);
    write_target(output, word, count, of, pf_dict_location(output->dict, callee));
    size_t size = print_position(output, text, from, false);
    text[size++] = '\n';
    pf_sink_write(output->sink, text, size);
}

static bool any(const int64_t *values, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (values[k] != 0)
            return true;
    return false;
}

static void write_edge(struct output *output, const struct pf_location *from, uint32_t callee,
                       const int64_t *values)
{
    size_t count = output->costs->count;
    const int64_t *extra = values + count;

    if (any(values, count) || extra[PF_CG_CALLS] != 0 || !any(extra, PF_CG_EXTRAS)) {
        write_callee(output, callee, false);
        write_target(output, "calls=", extra[PF_CG_CALLS], -1,
                     pf_dict_location(output->dict, callee));
        write_costs(output, from, values);
    }
    if (extra[PF_CG_JUMP_COUNT] != 0)
        write_jump(output, from, callee, "jump=", extra[PF_CG_JUMP_COUNT], -1);
    if (extra[PF_CG_REACHED_COUNT] != 0 || extra[PF_CG_TAKEN_COUNT] != 0)
        write_jump(output, from, callee, "jcnd=", extra[PF_CG_TAKEN_COUNT],
                   extra[PF_CG_REACHED_COUNT]);
}

/* --- rows ------------------------------------------------------------------------------------- */

/* True for an edge that the reader made of lines from another file. */
static bool is_made(const struct output *output, const struct pf_edge *key, const int64_t *values)
{
    const struct pf_location *from = pf_dict_location(output->dict, key->caller),
                             *to = pf_dict_location(output->dict, key->callee);
    const struct pf_function *outer = pf_dict_function(output->dict, from->function),
                             *inner = pf_dict_function(output->dict, to->function);

    return is_inlined(to) && from->inlined == 0 && from->image == to->image &&
           outer->name == inner->name && inner->system_name == outer->file && from->line == 0 &&
           to->line == 0 && from->address == 0 && to->address == 0 &&
           !any(values + output->costs->count, PF_CG_EXTRAS);
}

static int collect(struct output *output)
{
    struct pf_cg_costs *costs = output->costs;

    output->items = calloc(costs->keys.count, sizeof *output->items);
    if (!output->items)
        return PF_NOMEM;
    for (uint32_t row = 1; row < costs->keys.count; row++) {
        const struct pf_edge *key = (const struct pf_edge *)pf_table_row(&costs->keys, row);
        struct pf_location place = *pf_dict_location(output->dict, key->caller);
        struct function function = function_of(output, key->caller);

        output->instr = output->instr || place.address != 0 ||
                        pf_dict_location(output->dict, key->callee)->address != 0;
        if (key->callee != 0 && is_made(output, key, pf_cg_costs_row(costs, row)))
            continue;
        output->items[output->count++] = (struct item){
            .function = pf_table_intern(&output->functions, &function),
            .part = is_inlined(&place) ? 1 + pf_dict_function(output->dict, place.function)->file
                                       : 0,
            .address = place.address,
            .line = place.line,
            .called = key->callee != 0,
            .row = row,
        };
    }
    return output->functions.status;
}

static int compare(const void *x, const void *y)
{
    const struct item *a = x, *b = y;

    if (a->function != b->function)
        return a->function < b->function ? -1 : 1;
    if (a->part != b->part)
        return a->part < b->part ? -1 : 1;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    if (a->called != b->called)
        return a->called < b->called ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

/* Writes the change to another file, or back to the file of the function. */
static void set_part(struct output *output, const struct function *function, uint32_t part)
{
    uint32_t file = part == 0 ? function->file : part - 1;

    if (file != output->at.file)
        write_name(output, part == 0 ? "fe=" : "fi=", FILES, file);
    output->at.file = file;
}

static void begin_function(struct output *output, const struct function *function)
{
    pf_sink_write(output->sink, "\n", 1);
    if (function->image != output->at.image || (output->at.used == 0 && !output->first))
        write_name(output, "ob=", OBJECTS, function->image);
    if (function->file != output->at.file || output->at.used == 0)
        write_name(output, "fl=", FILES, function->file);
    write_name(output, "fn=", FUNCTIONS, function->name);
    output->at = *function;
    output->owner = function->file;
}

static void write_rows(struct output *output)
{
    uint32_t last = 0;

    for (size_t k = 0; k < output->count; k++) {
        const struct item *item = &output->items[k];
        const struct function *function =
            (const struct function *)pf_table_row(&output->functions, item->function);
        const struct pf_edge *key =
            (const struct pf_edge *)pf_table_row(&output->costs->keys, item->row);
        const struct pf_location *place = pf_dict_location(output->dict, key->caller);

        if (item->function != last) {
            if (last != 0)
                set_part(output, (const struct function *)pf_table_row(&output->functions, last),
                         0);
            begin_function(output, function);
        }
        last = item->function;
        set_part(output, function, item->part);
        if (item->called)
            write_edge(output, place, key->callee, pf_cg_costs_row(output->costs, item->row));
        else
            write_costs(output, place, pf_cg_costs_row(output->costs, item->row));
    }
}

static void write_totals(struct output *output)
{
    char text[PF_INT128_TEXT];

    pf_sink_text(output->sink, "\ntotals:");
    for (size_t k = 0; k < output->costs->count; k++) {
        pf_int128 sum = 0;

        for (size_t i = 0; i < output->count; i++)
            if (!output->items[i].called)
                sum += pf_cg_costs_row(output->costs, output->items[i].row)[k];
        pf_sink_write(output->sink, " ", 1);
        pf_sink_write(output->sink, text, pf_print_int128(sum, text));
    }
    pf_sink_write(output->sink, "\n", 1);
}

/* Writes the lines from `positions:` to `totals:`. `first`: nothing was written before. Files
 * without a name are written as `???`, as valgrind does, unless `as_read`. PF_OK, PF_NOMEM, or the
 * failure of the sink. */
static int write_body(struct pf_sink *sink, struct pf_cg_costs *costs, bool first, bool as_read,
                      struct pf_error *error)
{
    struct output output = {
        .sink = sink, .costs = costs, .dict = costs->dict, .first = first, .as_read = as_read};
    int status = pf_table_init(&output.functions, sizeof(struct function));

    for (unsigned k = 0; k < NAMES; k++)
        if (pf_table_init(&output.names[k], sizeof(uint32_t)) != PF_OK)
            status = PF_NOMEM;
    if (status == PF_OK)
        status = collect(&output);
    if (status == PF_OK) {
        qsort(output.items, output.count, sizeof *output.items, compare);
        pf_sink_text(sink,
                     output.instr ? "positions: instr line\nevents:" : "positions: line\nevents:");
        for (size_t k = 0; k < costs->count; k++) {
            pf_sink_write(sink, " ", 1);
            pf_sink_write(sink, costs->events[k].name.data, costs->events[k].name.size);
        }
        pf_sink_write(sink, "\n", 1);
        write_rows(&output);
        write_totals(&output);
        status = pf_dict_status(costs->dict) == PF_OK ? output.functions.status : PF_NOMEM;
    }
    for (unsigned k = 0; k < NAMES; k++)
        status = output.names[k].status != PF_OK ? PF_NOMEM : status;
    for (unsigned k = 0; k < NAMES; k++)
        pf_table_free(&output.names[k]);
    pf_table_free(&output.functions);
    free(output.items);
    return status == PF_OK ? pf_sink_status(sink, error) : pf_error_nomem(error);
}

/* --- groups ----------------------------------------------------------------------------------- */

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
        status = write_body(writer->sink, &costs, first, state->as_read, &writer->error);
    }
    pf_cg_costs_free(&costs);
    return status;
}

/* Writes a part; without records it has its header and events. Records without a thread come first,
 * because behind the records of a thread they would belong to that thread. */
int pf_cg_write_part(struct pf_writer *writer)
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
        pf_cg_write_part(writer) != PF_OK)
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

void pf_cg_writer_close(struct pf_writer *writer)
{
    struct pf_cg_writer *state = writer->state;

    free_groups(state);
    free(state->groups);
    free(state->header);
    free(state->measures);
}

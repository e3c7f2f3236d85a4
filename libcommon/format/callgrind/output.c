#include "format/callgrind/callgrind.h"

#include "base/number.h"

#include <stdlib.h>

/* nearer positions are written as distances, as callgrind does */
enum { NEAR = 100 };
enum { LINE_TEXT = 64 };

enum names { OBJECTS, FILES, FUNCTIONS, NAMES };

/* The names of a function as written: strings. */
struct function {
    uint32_t image, name, file, used;
};

/* A row in the order of writing. */
struct item {
    uint32_t function, part; /* part: 0, or 1 + the file of lines from elsewhere */
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
    /* `instr`: addresses are written; `as_read`: files without a name stay without */
    bool instr, as_read;
    struct function at; /* `file`: of the current lines */
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

int pf_cg_output_write(struct pf_sink *sink, struct pf_cg_costs *costs, bool first, bool as_read,
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

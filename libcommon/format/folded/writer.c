/* Writes folded stacks. Holds all stacks, because stacks with equal names become one line, and the
 * lines are sorted. */
#include "format/folded/folded.h"

#include "base/decimal.h"
#include "base/memory.h"
#include "codec/registry.h"
#include "model/units.h"

#include <stdlib.h>
#include <string.h>

/* A node of the tree of written stacks: the name of a frame, and the node above. */
struct node {
    uint32_t parent, name;
};

int pf_folded_open_writer(struct pf_writer *writer)
{
    struct pf_folded_writer *state = writer->state;

    state->spelling = (struct pf_folded_spelling){
        .style = PF_FOLDED_PLAIN,
        .annotate = pf_options_get(writer->options, "annotate"),
        .thread = pf_options_get(writer->options, "tid"),
        .addresses = pf_options_get(writer->options, "addresses"),
    };
    if (pf_strings_init(&state->names) != PF_OK ||
        pf_table_init(&state->nodes, sizeof(struct node)) != PF_OK)
        return pf_error_nomem(&writer->error);
    return PF_OK;
}

void pf_folded_close_writer(struct pf_writer *writer)
{
    struct pf_folded_writer *state = writer->state;

    pf_strings_free(&state->names);
    pf_table_free(&state->nodes);
    pf_ledger_free(&state->ledger);
    free(state->spelled.name_of);
    free(state->place_of);
    free(state->root_of);
    free(state->path);
    pf_buffer_free(&state->text);
}

/* True if readers would take the text for a comment, or for the mark of UTF-16 or UTF-8. */
static bool misread(const struct pf_buffer *text)
{
    static const struct pf_bytes starts[] = {
        {"#", 1}, {"//", 2}, {"\xff\xfe", 2}, {"\xfe\xff", 2}, {"\xef\xbb\xbf", 3}};
    bool found = false;

    for (size_t k = 0; k < sizeof starts / sizeof *starts; k++)
        found = found || pf_bytes_starts((struct pf_bytes){text->data, text->size}, starts[k]);
    return found;
}

/* Interns the name in the state's text in a form that a line can hold. `guard`: the name begins a
 * line; a blank before it protects a name that would be misread. */
static uint32_t written_name(struct pf_folded_writer *state, bool guard)
{
    struct pf_buffer *text = &state->text;

    for (size_t k = 0; k < text->size; k++) {
        char c = text->data[k];

        text->data[k] = c == ';' ? ':' : c == '\n' || c == '\r' ? ' ' : c;
    }
    /* a line that begins with blanks only has no stack */
    for (size_t k = 0; guard && k < text->size && text->data[k] == ' ';)
        if (++k == text->size)
            text->size = 0;
    if (text->size == 0)
        pf_buffer_append(text, "[unknown]", 9);
    if (guard && misread(text) && pf_buffer_byte(text, ' ')) {
        memmove(text->data + 1, text->data, text->size - 1);
        text->data[0] = ' ';
    }
    return pf_strings_intern(&state->names, (struct pf_bytes){text->data, text->size}, 0);
}

static uint32_t location_name(struct pf_writer *writer, uint32_t location)
{
    struct pf_folded_writer *state = writer->state;
    struct pf_folded_names *names = &state->spelled;

    if (location < names->count && names->name_of[location])
        return names->name_of[location];
    state->text.size = 0;
    pf_folded_spell(&state->text, writer->dict, location, &state->spelling);
    uint32_t name = written_name(state, false);
    if (!pf_grow_zeroed(&names->name_of, &names->count, &names->capacity,
                        writer->dict->locations.count, sizeof *names->name_of))
        state->names.status = PF_NOMEM;
    else
        names->name_of[location] = name;
    return name;
}

static uint32_t add_node(struct pf_writer *writer, uint32_t parent, uint32_t location)
{
    struct pf_folded_writer *state = writer->state;
    uint32_t name = location_name(writer, location);

    if (parent == 0) {
        struct pf_bytes text = pf_strings_bytes(&state->names, name);

        state->text.size = 0;
        pf_buffer_append(&state->text, text.data, text.size);
        name = written_name(state, true);
    }
    return pf_table_intern(&state->nodes, &(struct node){parent, name});
}

/* The node of a stack below a root; frames with equal names become one node. */
static uint32_t stack_node(struct pf_writer *writer, uint32_t stack, uint32_t root)
{
    struct pf_folded_writer *state = writer->state;
    size_t depth = 0;

    if (!pf_grow_zeroed(&state->place_of, &state->place_count, &state->place_capacity,
                        writer->dict->stacks.count, sizeof *state->place_of))
        return state->nodes.status = PF_NOMEM, 0;
    for (; stack && (!state->place_of[stack].node || state->place_of[stack].root != root);
         stack = pf_dict_stack(writer->dict, stack)->parent) {
        if (!pf_grow(&state->path, &state->path_capacity, depth + 1, sizeof *state->path))
            return state->nodes.status = PF_NOMEM, 0;
        state->path[depth++] = stack;
    }
    uint32_t node = stack ? state->place_of[stack].node : root;
    while (depth > 0) {
        stack = state->path[--depth];
        node = add_node(writer, node, pf_dict_stack(writer->dict, stack)->location);
        state->place_of[stack] = (struct pf_folded_place){node, root};
    }
    return node;
}

/* The node above the stacks of a set of labels: the command, if the style has it. */
static uint32_t root_node(struct pf_writer *writer, uint32_t labels)
{
    struct pf_folded_writer *state = writer->state;
    uint32_t node = 0;

    if (state->spelling.style == PF_FOLDED_PLAIN || labels == 0)
        return 0;
    if (!pf_grow_zeroed(&state->root_of, &state->root_count, &state->root_capacity,
                        writer->dict->labels.count, sizeof *state->root_of))
        return state->nodes.status = PF_NOMEM, 0;
    if (state->root_of[labels])
        return state->root_of[labels] - 1;
    state->text.size = 0;
    if (pf_folded_spell_root(&state->text, writer->dict, labels, &state->spelling))
        node = pf_table_intern(&state->nodes, &(struct node){0, written_name(state, true)});
    state->root_of[labels] = node + 1;
    return node;
}

/* Sets the format from which the next records come. */
static void set_source(struct pf_folded_writer *state, struct pf_bytes name)
{
    const struct pf_format *format = pf_registry_find(name);
    enum pf_folded_style style = format ? format->folded : PF_FOLDED_PLAIN;

    if (style == state->spelling.style)
        return;
    state->spelling.style = style;
    state->spelled.count = state->place_count = state->root_count = 0;
}

static struct pf_bytes stem_of(const struct pf_writer *writer, const struct pf_measure *measure)
{
    return pf_side_stem(pf_dict_string(writer->dict, measure->name), (enum pf_side)measure->side);
}

/* Finds both sides of the difference whose names begin with `stem`, if the batch has both. */
static bool find_sides(struct pf_writer *writer, const struct pf_batch *batch, struct pf_bytes stem)
{
    struct pf_folded_writer *state = writer->state;
    bool found[2] = {false};

    for (uint32_t k = 0; k < batch->value_count; k++) {
        const struct pf_measure *measure =
            pf_measures_row(&writer->dict->measures, batch->values[k].measure);
        unsigned column = measure->side == PF_AFTER;

        if ((measure->side != PF_BEFORE && measure->side != PF_AFTER) ||
            !pf_bytes_equal(stem_of(writer, measure), stem))
            continue;
        state->columns[column] = *measure;
        found[column] = true;
    }
    return found[0] && found[1];
}

/* The main measure, if this batch has a better one than all batches before; else NULL. */
static const struct pf_measure *better_measure(struct pf_writer *writer,
                                               const struct pf_batch *batch)
{
    struct pf_folded_writer *state = writer->state;
    const struct pf_measure *best = NULL;

    for (uint32_t k = 0; k < batch->value_count; k++) {
        const struct pf_measure *measure =
            pf_measures_row(&writer->dict->measures, batch->values[k].measure);

        if (pf_main_offer(&state->main, writer->dict, measure))
            best = measure;
    }
    return best;
}

/* Chooses the measure to write; for a difference both sides. A later batch may have a better
 * measure, such as an event of perf that counts time; the records before have no value of it. */
static void choose_measure(struct pf_writer *writer, const struct pf_batch *batch)
{
    struct pf_folded_writer *state = writer->state;
    const struct pf_measure *best = state->column_count < 2 ? better_measure(writer, batch) : NULL;

    if (!best)
        return;
    pf_ledger_free(&state->ledger);
    state->ledger = (struct pf_ledger){.wide = true};
    state->column_count = 2;
    if (best->side != PF_NO_SIDE && find_sides(writer, batch, stem_of(writer, best)))
        return;
    state->column_count = 1;
    state->columns[0] = *best;
}

static int too_big(struct pf_writer *writer)
{
    return pf_error_set(
        &writer->error, PF_OVERFLOW, "a sum of '%s' overflows 64 bits",
        pf_dict_string(writer->dict, ((struct pf_folded_writer *)writer->state)->columns[0].name)
            .data);
}

/* Adds a measure to the column: its values are rescaled. */
static int join_measure(struct pf_writer *writer, uint32_t index)
{
    struct pf_ledger *ledger = &((struct pf_folded_writer *)writer->state)->ledger;
    const struct pf_measure *measure = pf_measures_row(&writer->dict->measures, index);

    if (!pf_ledger_reserve(ledger, writer->dict) ||
        (ledger->count == 0 && !pf_ledger_new(ledger, measure)))
        return pf_error_nomem(&writer->error);
    if (ledger->members[index].sums != 0)
        return PF_OK;
    return pf_ledger_join(ledger, ledger->sums, writer->dict, index, measure, &writer->error);
}

static int add_column(struct pf_writer *writer, const struct pf_batch *batch, unsigned side,
                      const struct pf_value_column *values)
{
    struct pf_folded_writer *state = writer->state;
    struct pf_sums *sums = state->ledger.sums;
    int64_t factor = state->ledger.members[values->measure].factor;

    for (uint32_t row = 0; row < batch->rows; row++) {
        if (values->data[row] == 0)
            continue;
        uint32_t root = batch->labels ? root_node(writer, batch->labels[row]) : 0;
        uint32_t at =
            stack_node(writer, batch->stack ? batch->stack[row] : 0, root) * state->column_count +
            side;

        if (state->nodes.count > UINT32_MAX / 2 ||
            !pf_sums_reserve(sums, (size_t)state->nodes.count * state->column_count))
            return pf_error_nomem(&writer->error);
        if (pf_sums_add(sums, &at, &values->data[row], 1, factor) == 0)
            return too_big(writer);
    }
    return state->nodes.status || state->names.status || state->text.failed
               ? pf_error_nomem(&writer->error)
               : PF_OK;
}

static void write_comment(struct pf_sink *sink, struct pf_bytes text)
{
    if (!pf_folded_comment(text))
        pf_sink_text(sink, "# ");
    for (size_t k = 0; k < text.size; k++)
        pf_sink_write(sink, text.data[k] == '\n' ? " " : text.data + k, 1);
    pf_sink_text(sink, "\n");
}

/* Writes comments of the format before the stacks; other metadata have no place. */
static int write_meta(struct pf_writer *writer, const struct pf_batch *batch)
{
    const struct pf_dict *dict = writer->dict;

    for (uint32_t row = 0; row < batch->rows; row++) {
        struct pf_bytes origin = pf_dict_string(dict, batch->origin[row]),
                        key = pf_dict_string(dict, batch->key[row]);
        struct pf_bytes value = pf_dict_string(dict, batch->value[row]);

        if (pf_bytes_equal(origin, PF_BYTES("folded")) && pf_bytes_equal(key, PF_BYTES("comment")))
            write_comment(writer->sink, value);
        if (pf_bytes_equal(origin, PF_BYTES("profutils")) &&
            pf_bytes_equal(key, PF_BYTES("source_format")))
            set_source(writer->state,
                       pf_options_get(writer->options, "plain") ? PF_BYTES("") : value);
    }
    return pf_sink_status(writer->sink, &writer->error);
}

/* The name of an event without its modifiers: `cycles` for `cycles:u`. */
static struct pf_bytes unmodified(struct pf_bytes name)
{
    size_t at = name.size;

    while (at > 0 && memchr("ukhHGpPSDeIW", name.data[at - 1], 12))
        at--;
    return at > 1 && at < name.size && name.data[at - 1] == ':'
               ? (struct pf_bytes){name.data, at - 1}
               : name;
}

/* True if a measure goes into the column of another. stackcollapse-perf.pl ignores the modifiers of
 * an event. */
static bool joins(const struct pf_writer *writer, const struct pf_measure *measure,
                  const struct pf_measure *column)
{
    const struct pf_folded_writer *state = writer->state;

    if (pf_measure_same(measure, column))
        return true;
    return state->spelling.style == PF_FOLDED_PERF && measure->kind == column->kind &&
           measure->unit == column->unit &&
           pf_bytes_equal(unmodified(pf_dict_string(writer->dict, measure->name)),
                          unmodified(pf_dict_string(writer->dict, column->name)));
}

/* Commands, and keys of bpftrace's maps, become frames. Like FlameGraph's scripts, the writer
 * leaves out what else perf, DTrace and bpftrace say about processes and processors. */
bool pf_folded_holds_label(struct pf_writer *writer, const struct pf_label *label)
{
    const struct pf_folded_writer *state = writer->state;
    static const char *const common[] = {"comm", "pid", "tid", "cpu"};
    struct pf_bytes key = pf_dict_string(writer->dict, label->key);
    bool known = state->spelling.style == PF_FOLDED_BPFTRACE &&
                 label->key != writer->dict->section_key;

    for (size_t k = 0;
         k < sizeof common / sizeof *common && state->spelling.style != PF_FOLDED_PLAIN; k++)
        known = known || pf_bytes_equal(key, pf_bytes_of(common[k]));
    return known;
}

int pf_folded_write(struct pf_writer *writer, const struct pf_batch *batch)
{
    struct pf_folded_writer *state = writer->state;

    if (batch->kind == PF_META)
        return write_meta(writer, batch);
    if (batch->kind != PF_SAMPLE || batch->value_count == 0)
        return PF_OK;
    choose_measure(writer, batch);
    for (uint32_t k = 0; k < batch->value_count * state->column_count; k++) {
        const struct pf_value_column *values = &batch->values[k / state->column_count];
        unsigned side = k % state->column_count;

        if (!joins(writer, pf_measures_row(&writer->dict->measures, values->measure),
                   &state->columns[side]))
            continue;
        if (join_measure(writer, values->measure) != PF_OK ||
            add_column(writer, batch, side, values) != PF_OK)
            return writer->error.code;
    }
    return PF_OK;
}

/* --- the order of the lines ------------------------------------------------------------------- */

/* Lines are in the order of the bytes of their stacks. A name has two places in the order: as the
 * end of a stack and, with its `;`, as the beginning of the stacks below it; other names may come
 * between ("a", "a b;c", "a;b"). */
struct ranked {
    struct pf_bytes name;
    uint32_t id;
    bool inner;
};

static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    size_t common = x->name.size < y->name.size ? x->name.size : y->name.size;
    int order = memcmp(x->name.data, y->name.data, common);

    if (order != 0)
        return order;
    if (x->name.size == y->name.size)
        return x->inner - y->inner;
    /* The shorter name is followed by its `;` or by nothing; names do not contain a `;`. */
    if (x->name.size == common)
        return x->inner ? (';' > (unsigned char)y->name.data[common] ? 1 : -1) : -1;
    return y->inner ? ((unsigned char)x->name.data[common] > ';' ? 1 : -1) : 1;
}

/* ranks[2 * name + inner]; NULL: out of memory. */
static uint32_t *rank_names(const struct pf_strings *names)
{
    size_t count = (size_t)names->count * 2;
    struct ranked *order = malloc(count * sizeof *order);
    uint32_t *ranks = malloc(count * sizeof *ranks);

    if (!order || !ranks) {
        free(order);
        free(ranks);
        return NULL;
    }
    for (uint32_t k = 0; k < count; k++)
        order[k] = (struct ranked){pf_strings_bytes(names, k / 2), k / 2, k % 2};
    qsort(order, count, sizeof *order, compare_ranked);
    for (uint32_t k = 0; k < count; k++)
        ranks[2 * order[k].id + order[k].inner] = k;
    free(order);
    return ranks;
}

/* A node as the end of a line or as the beginning of other lines. */
struct entry {
    uint64_t key; /* parent, then rank */
    uint32_t node;
    bool inner;
};

static int compare_entries(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    return (x->key > y->key) - (x->key < y->key);
}

struct lines {
    struct entry *entries; /* entries below one node are side by side */
    size_t count;
    uint32_t *first; /* by node: the first of the entries below the node */
    size_t *open;    /* for each frame of the current line: the next entry */
    size_t *sizes;   /* size of the line without the frame */
    size_t open_capacity, size_capacity;
    struct pf_buffer text;
};

static void free_lines(struct lines *lines)
{
    free(lines->entries);
    free(lines->first);
    free(lines->open);
    free(lines->sizes);
    pf_buffer_free(&lines->text);
}

static pf_int128 sum_of(const struct pf_folded_writer *state, unsigned side, uint32_t node)
{
    bool any = side < state->column_count && state->ledger.count > 0;

    return any ? pf_sums_wide_at(state->ledger.sums, (size_t)node * state->column_count + side) : 0;
}

/* The sorted entries of all nodes with a sum, and of the nodes above them. */
static bool sort_lines(const struct pf_folded_writer *state, struct lines *lines)
{
    uint32_t count = state->nodes.count;
    uint32_t *ranks = rank_names(&state->names);
    bool *leads = calloc(count, sizeof *leads);

    lines->entries = malloc((size_t)count * 2 * sizeof *lines->entries);
    lines->first = calloc((size_t)count + 1, sizeof *lines->first);
    bool good = ranks && leads && lines->entries && lines->first;
    for (uint32_t k = count - 1; good && k > 0; k--) {
        const struct node *node = pf_table_row(&state->nodes, k);
        uint64_t parent = (uint64_t)node->parent << 32;
        bool ends = sum_of(state, 0, k) != 0 || sum_of(state, 1, k) != 0;

        if (ends)
            lines->entries[lines->count++] =
                (struct entry){parent | ranks[2 * node->name], k, false};
        if (leads[k])
            lines->entries[lines->count++] =
                (struct entry){parent | ranks[2 * node->name + 1], k, true};
        leads[node->parent] = leads[node->parent] || ends || leads[k];
    }
    free(ranks);
    free(leads);
    if (!good)
        return false;
    qsort(lines->entries, lines->count, sizeof *lines->entries, compare_entries);
    for (size_t k = lines->count; k-- > 0;)
        lines->first[lines->entries[k].key >> 32] = (uint32_t)k;
    return true;
}

/* --- the lines -------------------------------------------------------------------------------- */

/* Prints a sum in base units: times as whole nanoseconds, other amounts with all their decimals. If
 * there are infinitely many decimals, six are printed, and times are in whole raw units. False: a
 * reader would refuse the count, because its digits overflow 64 bits. */
static bool print_count(struct pf_writer *writer, pf_int128 sum, char text[PF_DECIMAL_TEXT])
{
    struct pf_folded_writer *state = writer->state;
    const struct pf_quantity *quantity = &state->ledger.sums->quantity;
    bool time = pf_measure_is_time(writer->dict, &quantity->measure);
    uint64_t num = quantity->measure.num, den = quantity->measure.den;
    unsigned places = time ? 0 : PF_POWER_MAX;
    pf_int128 amount;
    int64_t value;

    if ((uint64_t)pf_power_of_ten(PF_POWER_MAX) % den != 0) {
        struct pf_error ignored = {0};
        struct pf_scale scale;

        pf_quantity_record_scale(quantity, writer->dict, &scale, &ignored);
        num = scale.num;
        den = scale.den * scale.parts;
        places = scale.time || den == 1 ? 0 : PF_FOLDED_ROUNDED;
        state->rounded = state->rounded || (places > 0 && sum % (pf_int128)den != 0);
    }
    if (__builtin_mul_overflow(sum, (pf_int128)num, &amount))
        return false;
    size_t size = pf_print_parts(amount, den, places, text);
    /* so few digits always fit */
    return size <= PF_POWER_MAX ||
           pf_decimal_shortest((struct pf_bytes){text, size}, &value, &places) == PF_OK;
}

/* True if a name ends in a blank and a number. */
static bool number_at_end(struct pf_bytes name)
{
    size_t at = name.size;

    while (at > 0 && pf_one_of(name.data[at - 1], "0123456789.-"))
        at--;
    return at < name.size && at > 0 && name.data[at - 1] == ' ';
}

/* True if all stacks end in numbers, which readers would take for a column. */
static bool numbers_everywhere(const struct pf_folded_writer *state, const struct lines *lines)
{
    bool all = state->column_count == 1 && sum_of(state, 0, 0) == 0 && lines->count > 0;

    for (size_t k = 0; all && k < lines->count; k++) {
        const struct node *row = pf_table_row(&state->nodes, lines->entries[k].node);
        struct pf_bytes name = pf_strings_bytes(&state->names, row->name);

        all = lines->entries[k].inner || number_at_end(name);
    }
    return all;
}

/* Writes the line of an entry; the text has the frames above and is unchanged afterwards. */
static int write_line(struct pf_writer *writer, struct pf_buffer *text, struct pf_bytes leaf,
                      uint32_t node)
{
    const struct pf_folded_writer *state = writer->state;
    char counts[2][PF_DECIMAL_TEXT] = {"0", "0"};
    size_t size = text->size;

    for (unsigned k = 0; k < state->column_count; k++)
        if (!print_count(writer, sum_of(state, k, node), counts[k]))
            return too_big(writer);
    if (strcmp(counts[0], "0") == 0 && strcmp(counts[1], "0") == 0)
        return PF_OK;
    pf_buffer_append(text, leaf.data, leaf.size);
    for (unsigned k = 0; k < state->column_count; k++) {
        if (leaf.size > 0 || k > 0)
            pf_buffer_byte(text, ' ');
        pf_buffer_append(text, counts[k], strlen(counts[k]));
    }
    pf_buffer_byte(text, '\n');
    pf_sink_write(writer->sink, text->data, text->size);
    text->size = size;
    return text->failed ? pf_error_nomem(&writer->error) : PF_OK;
}

static bool open_frame(struct lines *lines, size_t depth, uint32_t node, struct pf_bytes name)
{
    if (!pf_grow(&lines->open, &lines->open_capacity, depth + 1, sizeof *lines->open) ||
        !pf_grow(&lines->sizes, &lines->size_capacity, depth + 1, sizeof *lines->sizes))
        return false;
    lines->open[depth] = lines->first[node];
    lines->sizes[depth] = lines->text.size;
    pf_buffer_append(&lines->text, name.data, name.size);
    return depth == 0 || pf_buffer_byte(&lines->text, ';');
}

/* Writes the entries depth first, without recursion, because a stack may have a million frames. */
static int write_lines(struct pf_writer *writer, struct lines *lines)
{
    const struct pf_folded_writer *state = writer->state;
    size_t depth = 0, next;
    uint32_t node = 0;

    if (!open_frame(lines, 0, 0, PF_BYTES("")))
        return pf_error_nomem(&writer->error);
    for (;;) {
        next = lines->open[depth];
        if (next == lines->count || lines->entries[next].key >> 32 != node) {
            if (depth == 0)
                return PF_OK;
            lines->text.size = lines->sizes[depth--];
            node = (uint32_t)(lines->entries[lines->open[depth] - 1].key >> 32);
            continue;
        }
        lines->open[depth]++;
        const struct entry *entry = &lines->entries[next];
        const struct node *row = pf_table_row(&state->nodes, entry->node);
        struct pf_bytes name = pf_strings_bytes(&state->names, row->name);
        int status = PF_OK;

        if (!entry->inner)
            status = write_line(writer, &lines->text, name, entry->node);
        else if (open_frame(lines, ++depth, entry->node, name))
            node = entry->node;
        else
            status = pf_error_nomem(&writer->error);
        if (status != PF_OK)
            return status;
    }
}

int pf_folded_finish(struct pf_writer *writer)
{
    struct pf_folded_writer *state = writer->state;
    struct lines lines = {0};
    int status = sort_lines(state, &lines) ? PF_OK : pf_error_nomem(&writer->error);

    if (state->column_count > 0)
        pf_held_measures_add(&writer->measures, &state->columns[0]);
    for (uint32_t k = 0; k < state->ledger.member_count; k++)
        if (pf_ledger_of(&state->ledger, k))
            pf_held_measures_add(&writer->measures, pf_measures_row(&writer->dict->measures, k));

    if (status == PF_OK && numbers_everywhere(state, &lines))
        pf_report_send(&writer->report, PF_WARNING,
                       "all stacks end in numbers: -f folded:columns=1 reads them as names");
    if (status == PF_OK)
        status = write_line(writer, &lines.text, PF_BYTES(""), 0);
    if (status == PF_OK)
        status = write_lines(writer, &lines);
    free_lines(&lines);
    if (status == PF_OK && state->rounded)
        pf_report_send(&writer->report, PF_WARNING, "'%s': counts are rounded to %d decimals",
                       pf_dict_string(writer->dict, state->columns[0].name).data,
                       PF_FOLDED_ROUNDED);
    return status == PF_OK ? pf_sink_status(writer->sink, &writer->error) : status;
}

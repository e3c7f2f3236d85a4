/* Folded stacks: lines `frame;frame;frame COUNT`, root first, as stackcollapse-*.pl, inferno,
 * py-spy, Austin and many more write them. */
#include "format/folded/folded.h"

#include "base/decimal.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/scan.h"
#include "codec/shared.h"
#include "codec/text_reader.h"
#include "model/stacks.h"
#include "model/units.h"

#include <stdlib.h>
#include <string.h>

/* Frames of recent lines by their bytes. Most frames of a line are among them, and the processor
 * fetches their slots while the rest of the line is cut (178 MB of 200,000 stacks in no order: 0.36
 * s became 0.33 s). */
enum { SLOTS = 65536 }; /* 1 MiB, which the second cache holds */

struct recent_frame {
    const char *name; /* of the dictionary */
    uint32_t size;
    uint32_t location; /* 0: the slot is free */
};

/* The slot of a name, from its length, begin, middle and end. */
static inline uint32_t frame_slot(struct pf_bytes name)
{
    uint64_t begin = 0, middle = 0, end = 0;

    if (name.size >= 8) {
        memcpy(&begin, name.data, 8);
        memcpy(&middle, name.data + name.size / 2 - 4, 8);
        memcpy(&end, name.data + name.size - 8, 8);
    } else if (name.size > 0) {
        memcpy(&begin, name.data, name.size);
    }
    begin = (begin ^ name.size) * 0x9e3779b97f4a7c15u;
    middle = (middle ^ begin >> 32) * 0xc2b2ae3d27d4eb4fu;
    return (uint32_t)(((end ^ middle ^ begin) * 0x94d049bb133111ebu) >> 48);
}

/* --- evidence --------------------------------------------------------------------------------- */

/* The whole lines of the first bytes, at least one. */
static struct pf_bytes window(struct pf_source *source, bool wait)
{
    bool ended;
    struct pf_bytes text = pf_text_window(source, wait, &ended);

    while (!ended && text.size > 0 && text.data[text.size - 1] != '\n')
        text.size--;
    return text;
}

/* True if the text is printable but for NULs that stand alone: names may have a NUL. */
static bool names_with_nul(struct pf_bytes text)
{
    for (size_t k = 0; k < text.size; k++) {
        unsigned char c = (unsigned char)text.data[k];

        if ((c < ' ' && !memchr("\0\t\n\r", c, 4)) || c == 0x7f ||
            (c == '\0' && k + 1 < text.size && text.data[k + 1] == '\0'))
            return false;
    }
    return pf_utf8_valid(text);
}

/* Skips a name; false: no name. */
static bool skip_name(struct pf_bytes *text)
{
    size_t size = 0;

    while (size < text->size && (pf_word_char(text->data[size]) || text->data[size] == ':'))
        size++;
    *text = pf_bytes_skip(*text, size);
    return size > 0;
}

/* True for the end of a metric: nothing, or its value if the time was cut off. */
static bool metric_end(struct pf_bytes text)
{
    struct pf_bytes before;
    struct pf_folded_count count;

    text = pf_bytes_trim(text);
    return text.size == 0 ||
           (pf_folded_split(text, &before, &count) == PF_FOLDED_GOOD && before.size == 0);
}

/* True for metrics of Prometheus: `name{label="x",...} 1`, with or without a time; `stack` is the
 * line without its last number. */
static bool metric(struct pf_bytes stack)
{
    bool labels = false;

    if (!skip_name(&stack) || !pf_bytes_starts(stack, PF_BYTES("{")))
        return false;
    do {
        stack = pf_bytes_trim(pf_bytes_skip(stack, 1));
        if (!skip_name(&stack) || !pf_bytes_starts(stack, PF_BYTES("=\"")))
            break;
        for (stack = pf_bytes_skip(stack, 2); stack.size > 0 && *stack.data != '"';)
            stack = pf_bytes_skip(stack, *stack.data == '\\' && stack.size > 1 ? 2 : 1);
        stack = pf_bytes_trim(pf_bytes_skip(stack, stack.size > 0));
        labels = true;
    } while (pf_bytes_starts(stack, PF_BYTES(",")));
    return labels && pf_bytes_starts(stack, PF_BYTES("}")) && metric_end(pf_bytes_skip(stack, 1));
}

/* True for `# TYPE name counter`, which stands above metrics. */
static bool metric_type(struct pf_bytes line)
{
    static const char *const types[] = {" counter", " gauge",   " histogram", " summary",
                                        " untyped", " unknown", " info",      " stateset"};

    line = pf_bytes_trim(line);
    for (size_t k = 0;
         pf_bytes_starts(line, PF_BYTES("# TYPE ")) && k < sizeof types / sizeof *types; k++)
        if (pf_bytes_ends(line, pf_bytes_of(types[k])))
            return true;
    return false;
}

/* Stacks: nine lines in ten end in a blank and a number; or half of the lines do, and some have
 * several frames, so that the message can name a bad line or a count that is too big. Metrics are
 * not stacks. The format has no magic, so other formats with evidence win. */
static int bid(struct pf_source *source, const char *path)
{
    struct pf_bytes text = window(source, false);
    unsigned good = 0, bad = 0, deep = 0;
    bool nul = text.size > 0 && memchr(text.data, '\0', text.size);

    (void)path;
    if (nul && !names_with_nul(text))
        return 0;
    while (text.size > 0) {
        struct pf_bytes line = pf_bytes_line(&text), stack;
        struct pf_folded_count count;

        if (metric_type(line))
            return 0;
        if (pf_folded_comment(line) || pf_bytes_trim(line).size == 0)
            continue;
        bool counted = pf_folded_split(line, &stack, &count) != PF_FOLDED_NO_COUNT &&
                       !metric(stack);
        good += counted && stack.size > 0;
        bad += !counted;
        deep += counted && stack.size > 0 && memchr(stack.data, ';', stack.size);
    }
    if (good == 0 || (good < 9 * bad && (nul || deep == 0 || good < bad)))
        return 0;
    return bad == 0 && deep > 0 ? 12 : good >= 9 * bad ? 8 : 4;
}

/* --- stacks of earlier lines ------------------------------------------------------------------ */

/* Stacks of earlier lines of a run by their text: a known line need not be cut into frames. Two
 * inputs of a comparison share most stacks. Needs 8 bytes for each stack and does not keep the
 * text. */

enum { FIRST_SLOTS = 4096 };

struct known {
    const struct pf_dict *dict;
    struct pf_slot *slots; /* ids are stacks */
    size_t mask, count;
    uint64_t seed; /* of hashes */
    /* names of frames by location. Following each location to its string took five times as long */
    struct pf_bytes *names;
    size_t name_count, name_capacity;
};

static const char OWNER;

static void free_known(void *known)
{
    free(((struct known *)known)->slots);
    free(((struct known *)known)->names);
}

/* The known stacks of the run. NULL: no run, another dictionary, or out of memory. */
static struct known *get_known(struct pf_shared *shared, const struct pf_dict *dict)
{
    struct known *known = shared ? pf_shared_get(shared, &OWNER, sizeof *known, free_known) : NULL;

    if (known && !known->slots && (known->slots = calloc(FIRST_SLOTS, sizeof *known->slots))) {
        known->dict = dict;
        known->mask = FIRST_SLOTS - 1;
        known->seed = pf_hash_seed();
    }
    return known && known->slots && known->dict == dict ? known : NULL;
}

/* True if the names of the stack's frames, joined by `;`, are the text. Compares from the end. */
static bool has_text(const struct known *known, uint32_t stack, struct pf_bytes text)
{
    size_t left = text.size;

    for (;;) {
        const struct pf_stack *node = pf_dict_stack(known->dict, stack);
        struct pf_bytes name = known->names[node->location];

        if (name.size > left || memcmp(text.data + left - name.size, name.data, name.size) != 0)
            return false;
        left -= name.size;
        stack = node->parent;
        if (stack == 0)
            return left == 0;
        if (left == 0 || text.data[--left] != ';')
            return false;
    }
}

/* The stack of a text; 0: unknown. Sets *tag, for add_known. `known` may be NULL. */
static uint32_t find_known(const struct known *known, struct pf_bytes text, uint32_t *tag)
{
    *tag = known ? (uint32_t)pf_hash(text.data, text.size, known->seed) : 0;
    if (!known || text.size == 0)
        return 0;
    for (size_t slot = *tag & known->mask; known->slots[slot].id; slot = (slot + 1) & known->mask)
        if (known->slots[slot].tag == *tag && has_text(known, known->slots[slot].id, text))
            return known->slots[slot].id;
    return 0;
}

/* Finds the names of new locations. */
static bool find_names(struct known *known)
{
    const struct pf_dict *dict = known->dict;

    if (!pf_grow(&known->names, &known->name_capacity, dict->locations.count, sizeof *known->names))
        return false;
    for (; known->name_count < dict->locations.count; known->name_count++) {
        const struct pf_location *location = pf_dict_location(dict, (uint32_t)known->name_count);
        const struct pf_function *function = pf_dict_function(dict, location->function);

        known->names[known->name_count] =
            pf_dict_string(dict, function->system_name ? function->system_name : function->name);
    }
    return true;
}

/* Adds a stack whose text has this tag. If memory runs out, new stacks stay unknown. */
static void add_known(struct known *known, uint32_t tag, uint32_t stack)
{
    size_t slot;

    if ((known->count * 2 > known->mask &&
         !pf_slots_double(&known->slots, &known->mask, sizeof *known->slots)) ||
        stack == 0 || !find_names(known))
        return;
    for (slot = tag & known->mask; known->slots[slot].id; slot = (slot + 1) & known->mask)
        if (known->slots[slot].id == stack)
            return;
    known->slots[slot] = (struct pf_slot){tag, stack};
    known->count++;
}

/* --- two counts ------------------------------------------------------------------------------- */

/* Lines that end in two counts, held until the end of the input shows whether all lines do. */

struct pair {
    uint32_t stack;
    uint32_t tail_size;
    size_t tail; /* offset of the first count in the tails, with the blanks before it */
    struct pf_folded_count before, after;
};

struct pairs {
    struct pair *rows;
    size_t count, capacity;
    struct pf_buffer tails;
    unsigned decimals; /* the most decimals of a count */
};

/* False: out of memory. */
static bool keep_pair(struct pairs *pairs, uint32_t stack, struct pf_bytes tail,
                      struct pf_folded_count before, struct pf_folded_count after)
{
    size_t at = pairs->tails.size;

    if (!pf_grow(&pairs->rows, &pairs->capacity, pairs->count + 1, sizeof *pairs->rows) ||
        !pf_buffer_append(&pairs->tails, tail.data, tail.size))
        return false;
    pairs->rows[pairs->count++] = (struct pair){stack, (uint32_t)tail.size, at, before, after};
    if (before.decimals > pairs->decimals)
        pairs->decimals = before.decimals;
    if (after.decimals > pairs->decimals)
        pairs->decimals = after.decimals;
    return true;
}

static void free_pairs(struct pairs *pairs)
{
    free(pairs->rows);
    pf_buffer_free(&pairs->tails);
}

/* --- reader ----------------------------------------------------------------------------------- */

struct folded_reader {
    struct pf_text_reader text;
    /* by string: the location of a frame of this name; 0: not yet */
    uint32_t *location_of;
    size_t location_count, location_capacity;
    /* the stack of the current line: its text, its frames (root first), and where each ends in the
     * text */
    uint64_t text_offset;
    size_t text_size;
    uint32_t *frames, *leaf_first;
    size_t *ends;
    struct recent_frame *recent; /* by slot */
    size_t depth, frame_capacity, end_capacity, leaf_capacity;

    struct pf_measure measure; /* without its scale */
    struct pf_bytes unit;      /* as the option says */
    uint64_t unit_num;
    unsigned decimals; /* a raw unit is 10^-decimals of the unit */
    unsigned columns;  /* 2: counts of before and after */
    bool named;        /* an option names the measure */

    /* lines are held: each so far ends in two counts, which are columns only if all lines have them
     */
    bool holding;
    struct pairs pairs;         /* the held lines */
    struct pf_stack_memo *memo; /* for the stacks of the held lines */

    struct known *known; /* NULL: nothing is known */
    uint32_t *tags;      /* of the records that wait; 0: the stack was known */
    size_t tag_count, tag_capacity;
    uint32_t origin, key; /* of comments */
};

/* The name of a column. Of two columns: `before` and `after`, after the option's name and a
 * point. */
static uint32_t column_name(struct pf_reader *reader, unsigned column)
{
    const struct folded_reader *state = reader->state;
    enum pf_side side = PF_BEFORE + column;

    if (state->columns == 1)
        return state->measure.name;
    return state->named ? pf_dict_side_name(reader->dict, state->measure.name, side)
                        : pf_dict_intern_text(reader->dict, pf_bytes_of(pf_side_word(side)));
}

/* Begins rows whose raw units are 10^-decimals of the unit. */
static int set_decimals(struct pf_reader *reader, unsigned decimals)
{
    struct folded_reader *state = reader->state;
    struct pf_measure measure = state->measure;

    pf_measure_set_scale(&measure, state->unit_num, (uint64_t)pf_power_of_ten(decimals));
    if (measure.num != 1 || measure.den != 1)
        measure.raw_unit = decimals > 0 ? pf_unit_decimal(reader->dict, decimals, state->unit)
                                        : pf_dict_intern(reader->dict, state->unit, PF_UTF8);
    state->decimals = decimals;
    pf_rows_begin(&reader->rows, PF_SAMPLE);
    for (unsigned k = 0; k < state->columns; k++) {
        measure.name = column_name(reader, k);
        measure.main = k + 1 == state->columns;
        if (measure.name == 0)
            return pf_error_nomem(&reader->error);
        pf_rows_measure(&reader->rows, pf_dict_add_measure(reader->dict, measure));
    }
    return pf_dict_status(reader->dict) == PF_NOMEM ? pf_error_nomem(&reader->error) : PF_OK;
}

/* Reads the option `measure=NAME/UNIT`. */
static int set_measure(struct pf_reader *reader)
{
    struct folded_reader *state = reader->state;
    const char *option = pf_options_get(reader->options, "measure");
    struct pf_bytes name = option ? pf_bytes_of(option) : PF_BYTES("samples"), base;
    const char *slash = option ? strchr(option, '/') : NULL;
    struct pf_unit_size size;

    state->unit = PF_BYTES("count");
    state->named = option;
    if (slash) {
        name.size = (size_t)(slash - option);
        state->unit = pf_bytes_of(slash + 1);
    }
    if (name.size == 0 || state->unit.size == 0)
        return pf_error_set(&reader->error, PF_USAGE,
                            "folded:measure takes NAME or NAME/UNIT, not '%s'", option);
    base = state->unit;
    state->unit_num = 1;
    if (pf_unit_parse(state->unit, PF_UNITS_TIME, &size)) {
        base = pf_bytes_of(size.base);
        state->unit_num = size.num;
    }
    state->measure = pf_measure_make_named(
        reader->dict, pf_dict_intern(reader->dict, name, PF_UTF8), NULL, PF_SAMPLE,
        option ? PF_SELF : PF_COUNT, option ? PF_UNKNOWN_NATURE : PF_SAMPLED);
    state->measure.unit = pf_dict_intern(reader->dict, base, PF_UTF8);
    return PF_OK;
}

/* The most decimals of the first counts, so that most inputs have one scale. */
static unsigned decimals_ahead(struct pf_bytes text)
{
    unsigned most = 0;

    while (text.size > 0) {
        struct pf_bytes line = pf_bytes_line(&text), stack;
        struct pf_folded_count count;

        if (!pf_folded_comment(line) && pf_folded_split(line, &stack, &count) == PF_FOLDED_GOOD &&
            count.decimals > most)
            most = count.decimals;
    }
    return most;
}

/* True if the stack ends in a count and has more than this count. */
static bool split_pair(struct pf_bytes stack, struct pf_bytes *shorter,
                       struct pf_folded_count *before)
{
    return pf_folded_split(stack, shorter, before) == PF_FOLDED_GOOD && shorter->size > 0;
}

/* True if all first lines have two columns, and there is a line. */
static bool pairs_ahead(struct pf_bytes text)
{
    bool found = false;

    while (text.size > 0) {
        struct pf_bytes line = pf_bytes_line(&text), stack;
        struct pf_folded_count count;

        if (pf_folded_comment(line) || pf_bytes_trim(line).size == 0)
            continue;
        if (pf_folded_split(line, &stack, &count) != PF_FOLDED_GOOD ||
            !split_pair(stack, &stack, &count))
            return false;
        found = true;
    }
    return found;
}

static int bad_line(struct pf_reader *reader, struct pf_bytes line, const char *what)
{
    const struct folded_reader *state = reader->state;

    return pf_error_line(&reader->error, state->text.offset, state->text.number, line, what);
}

/* Makes the location of a string that was not a frame before. */
static uint32_t new_location(struct pf_reader *reader, uint32_t name)
{
    struct folded_reader *state = reader->state;

    if (!pf_grow_zeroed(&state->location_of, &state->location_count, &state->location_capacity,
                        (size_t)name + 1, sizeof *state->location_of)) {
        reader->dict->strings.status = PF_NOMEM;
        return 0;
    }
    struct pf_bytes text = pf_dict_string(reader->dict, name);
    struct pf_function function = {.name = name};
    char mark = pf_folded_mark(text);

    if (mark) {
        function.system_name = name;
        function.name = pf_dict_intern(reader->dict,
                                       (struct pf_bytes){text.data, text.size - PF_FOLDED_MARK},
                                       reader->dict->strings.rows[name].flags);
    }
    struct pf_location location = {
        .function = pf_dict_add_function(reader->dict, &function),
        .kind = mark == 'k'   ? PF_FRAME_KERNEL
                : mark == 'j' ? PF_FRAME_JIT
                              : PF_FRAME_PLAIN,
        .inlined = mark == 'i',
    };
    return state->location_of[name] = pf_dict_add_location(reader->dict, &location);
}

/* The location of a frame. *name becomes the string of the dictionary. */
static uint32_t frame_location(struct pf_reader *reader, struct pf_bytes *name)
{
    struct folded_reader *state = reader->state;

    if (name->size == 0)
        *name = PF_BYTES("[unknown]");
    uint32_t id = pf_dict_intern(reader->dict, *name, pf_utf8_valid(*name) ? PF_UTF8 : 0);
    *name = pf_dict_string(reader->dict, id);
    if (id < state->location_count && state->location_of[id])
        return state->location_of[id];
    return id ? new_location(reader, id) : 0;
}

static size_t common_prefix(struct pf_bytes a, struct pf_bytes b)
{
    size_t size = a.size < b.size ? a.size : b.size, at = 0;

    while (size - at >= 64 && memcmp(a.data + at, b.data + at, 64) == 0)
        at += 64;
    while (at < size && a.data[at] == b.data[at])
        at++;
    return at;
}

/* The number of frames, from the root, that the text shares with the stack of the line before. 0 if
 * the source no longer holds the line before. */
static size_t shared_frames(struct pf_reader *reader, struct pf_bytes text)
{
    struct folded_reader *state = reader->state;
    uint64_t offset = pf_source_offset(reader->source) -
                      (uint64_t)((const char *)reader->source->cursor - text.data);
    size_t shared = 0;

    if (pf_source_behind(reader->source) >= pf_source_offset(reader->source) - state->text_offset) {
        struct pf_bytes before = {text.data - (offset - state->text_offset), state->text_size};
        size_t same = common_prefix(before, text);
        while (shared < state->depth && state->ends[shared] < same)
            shared++;
    }
    state->text_offset = offset;
    state->text_size = text.size;
    return shared;
}

static bool grow_frames(struct folded_reader *state)
{
    size_t need = state->depth + 1;

    return pf_grow(&state->ends, &state->end_capacity, need, sizeof *state->ends) &&
           pf_grow(&state->leaf_first, &state->leaf_capacity, need, sizeof *state->leaf_first) &&
           pf_grow(&state->frames, &state->frame_capacity, need, sizeof *state->frames);
}

/* The location of a frame, which may already be in its slot. */
static uint32_t find_frame(struct pf_reader *reader, struct pf_bytes name, uint32_t slot)
{
    struct folded_reader *state = reader->state;
    struct recent_frame *found = &state->recent[slot];

    if (found->location == 0 || found->size != name.size ||
        memcmp(found->name, name.data, name.size) != 0) {
        found->location = frame_location(reader, &name);
        found->name = name.data;
        found->size = (uint32_t)name.size;
    }
    return found->location;
}

static bool add_frame(struct folded_reader *state, struct pf_bytes name, size_t end)
{
    if (state->depth >= state->frame_capacity && !grow_frames(state))
        return false;
    state->ends[state->depth] = end;
    state->frames[state->depth] = frame_slot(name); /* until its location is found */
    pf_prefetch(&state->recent[state->frames[state->depth++]]);
    return true;
}

/* Reads the stack of a line. Most inputs are sorted, so most frames are also in the line before. */
static int read_stack(struct pf_reader *reader, struct pf_bytes line, struct pf_bytes text)
{
    struct folded_reader *state = reader->state;
    size_t at, known;

    known = state->depth = shared_frames(reader, text);
    at = known > 0 ? state->ends[known - 1] + 1 : 0;
    while (at <= text.size && text.size > 0) {
        const char *separator = memchr(text.data + at, ';', text.size - at);
        size_t end = separator ? (size_t)(separator - text.data) : text.size;

        if (state->depth == PF_STACK_DEPTH_MAX)
            return pf_rows_too_deep(&reader->error, state->text.offset);
        if (end - at > PF_STRING_MAX)
            return bad_line(reader, line, "a frame longer than 16 MiB");
        if (!add_frame(state, (struct pf_bytes){text.data + at, end - at}, end))
            return pf_error_nomem(&reader->error);
        at = end + 1;
    }
    for (size_t k = known; k < state->depth; k++) {
        size_t start = k > 0 ? state->ends[k - 1] + 1 : 0;
        state->frames[k] = find_frame(
            reader, (struct pf_bytes){text.data + start, state->ends[k] - start}, state->frames[k]);
    }
    for (size_t k = 0; k < state->depth; k++)
        state->leaf_first[k] = state->frames[state->depth - 1 - k];
    return PF_OK;
}

/* --- records ---------------------------------------------------------------------------------- */

/* The value of a count in the current scale; false: it needs another scale. */
static bool scaled_value(const struct folded_reader *state, const struct pf_folded_count *count,
                         int64_t *value)
{
    return count->decimals <= state->decimals &&
           pf_mul64(count->value, pf_power_of_ten(state->decimals - count->decimals), value);
}

/* Keeps the tag of the record that was added. If memory runs out, stacks stay unknown. */
static void note_tag(struct folded_reader *state, uint32_t tag)
{
    if (!state->known)
        return;
    if (state->tag_count == state->tag_capacity &&
        !pf_grow(&state->tags, &state->tag_capacity, state->tag_count + 1, sizeof *state->tags))
        state->known = NULL;
    else
        state->tags[state->tag_count++] = tag;
}

/* Adds the stacks of a batch to the known stacks. */
static void add_known_stacks(struct folded_reader *state, const struct pf_batch *batch)
{
    if (!state->known)
        return;
    for (uint32_t k = 0; k < batch->rows; k++)
        if (state->tags[k])
            add_known(state->known, state->tags[k], batch->stack[k]);
    state->tag_count -= batch->rows;
    if (state->tag_count > 0)
        memmove(state->tags, state->tags + batch->rows, state->tag_count * sizeof *state->tags);
}

/* Adds a record of a known stack; if `stack` is 0, of the frames that were read. */
static inline int add_record(struct pf_reader *reader, uint32_t stack, uint32_t tag,
                             const struct pf_folded_count *count)
{
    struct folded_reader *state = reader->state;
    int64_t value;

    if (!scaled_value(state, count, &value)) {
        int status = set_decimals(reader, count->decimals);

        if (status != PF_OK)
            return status;
        value = count->value;
    }
    note_tag(state, stack ? 0 : tag);
    if (stack)
        pf_rows_stack(&reader->rows, stack, 0);
    else
        pf_rows_sample_of(&reader->rows, state->leaf_first, state->depth, 0);
    pf_rows_set(&reader->rows, 0, value);
    return PF_OK;
}

/* --- lines of two counts ---------------------------------------------------------------------- */

/* The stack of a held line that has one column: the first count belongs to its last frame. */
static uint32_t whole_stack(struct pf_reader *reader, const struct pair *pair)
{
    const struct folded_reader *state = reader->state;
    struct pf_stack node = *pf_dict_stack(reader->dict, pair->stack);
    const struct pf_function *function =
        pf_dict_function(reader->dict, pf_dict_location(reader->dict, node.location)->function);
    struct pf_bytes name = pf_dict_string(
        reader->dict, function->system_name ? function->system_name : function->name);
    struct pf_buffer text = {0};

    pf_buffer_append(&text, name.data, name.size);
    pf_buffer_append(&text, state->pairs.tails.data + pair->tail, pair->tail_size);
    name = (struct pf_bytes){text.data, text.size};
    uint32_t location = text.failed ? 0 : frame_location(reader, &name);
    if (text.failed)
        reader->dict->strings.status = PF_NOMEM;
    pf_buffer_free(&text);
    return pf_dict_add_frame(reader->dict, node.parent, location);
}

static int add_pair(struct pf_reader *reader, const struct pair *pair)
{
    struct folded_reader *state = reader->state;
    struct pf_rows *rows = &reader->rows;
    int64_t before = 0, after;

    if (!scaled_value(state, &pair->after, &after) ||
        (state->columns == 2 && !scaled_value(state, &pair->before, &before)))
        return pf_error_set(&reader->error, PF_FAILED,
                            "counts as different as 1 and 1e-%u need more than 64 bits",
                            state->decimals);
    note_tag(state, 0);
    pf_rows_stack(rows, state->columns == 2 ? pair->stack : whole_stack(reader, pair), 0);
    pf_rows_set(rows, 0, before);
    pf_rows_set(rows, state->columns - 1, after);
    return PF_OK;
}

/* Makes records of the held lines. At the end of the input their two counts are two columns; if
 * another line follows, the first count is a part of the last frame. */
static int end_holding(struct pf_reader *reader)
{
    struct folded_reader *state = reader->state;
    int status = set_decimals(reader, state->pairs.decimals);

    state->holding = false;
    pf_rows_declare(&reader->rows);
    for (size_t k = 0; k < state->pairs.count && status == PF_OK; k++)
        status = add_pair(reader, &state->pairs.rows[k]);
    return status;
}

/* Removes the first count from the stack of a line that is held. A line without this count ends the
 * holding, unless the option asks for two columns. */
static int cut_pair(struct pf_reader *reader, struct pf_bytes line, struct pf_bytes *stack,
                    struct pf_bytes *tail, struct pf_folded_count *before)
{
    struct folded_reader *state = reader->state;
    struct pf_bytes shorter;

    if (split_pair(*stack, &shorter, before)) {
        const char *end = shorter.data + shorter.size;

        *tail = (struct pf_bytes){end, (size_t)(stack->data + stack->size - end)};
        *stack = shorter;
        return PF_OK;
    }
    return state->columns == 1
               ? end_holding(reader)
               : bad_line(
                     reader, line,
                     "the two counts at the end are missing, expected 'frame;frame BEFORE AFTER'");
}

/* Holds the line whose frames were read. */
static int hold_pair(struct pf_reader *reader, struct pf_bytes tail, struct pf_folded_count before,
                     struct pf_folded_count after)
{
    struct folded_reader *state = reader->state;
    uint32_t stack =
        pf_stack_memo_intern(state->memo, reader->dict, state->leaf_first, state->depth);

    return keep_pair(&state->pairs, stack, tail, before, after) ? PF_OK
                                                                : pf_error_nomem(&reader->error);
}

/* --- lines ------------------------------------------------------------------------------------ */

static int add_comment(struct pf_reader *reader, struct pf_bytes line)
{
    struct folded_reader *state = reader->state;

    if (line.size > PF_STRING_MAX)
        return bad_line(reader, line, "a comment longer than 16 MiB");
    pf_rows_meta_strings(&reader->rows, state->origin, state->key,
                         pf_dict_intern_text(reader->dict, line));
    return PF_OK;
}

static int read_line(struct pf_reader *reader, struct pf_bytes line)
{
    struct folded_reader *state = reader->state;
    struct pf_folded_count count, before = {0};
    struct pf_bytes text, tail = {0};
    uint32_t stack = 0, tag = 0;
    int status = PF_OK;

    if (pf_folded_comment(line))
        return add_comment(reader, line);
    switch (pf_folded_split(line, &text, &count)) {
    case PF_FOLDED_GOOD: break;
    case PF_FOLDED_TOO_BIG: return bad_line(reader, line, "the count overflows 64 bits");
    default:
        return pf_bytes_trim(line).size == 0
                   ? PF_OK
                   : bad_line(reader, line,
                              "the count at the end is missing, expected 'frame;frame COUNT'");
    }
    if (state->holding)
        status = cut_pair(reader, line, &text, &tail, &before);
    if (status == PF_OK && !state->holding)
        stack = find_known(state->known, text, &tag);
    if (status == PF_OK && stack == 0)
        status = read_stack(reader, line, text);
    if (status != PF_OK)
        return status;
    return state->holding ? hold_pair(reader, tail, before, count)
                          : add_record(reader, stack, tag, &count);
}

static int end_input(struct pf_reader *reader, int status)
{
    struct folded_reader *state = reader->state;
    int ended;

    if (!state->holding)
        return status;
    state->columns = 2;
    ended = end_holding(reader);
    return ended == PF_OK ? status : ended;
}

static int read_batch(struct pf_reader *reader, struct pf_batch *batch)
{
    int status = pf_rows_read(reader, batch);

    if (status == PF_OK && batch->kind == PF_SAMPLE)
        add_known_stacks(reader->state, batch);
    return status;
}

/* --- the format ------------------------------------------------------------------------------- */

static bool at_end(struct pf_source *source)
{
    size_t have;

    pf_source_peek(source, 1, &have);
    return have == 0;
}

static int open_reader(struct pf_reader *reader)
{
    struct folded_reader *state = reader->state;
    struct pf_bytes text = window(reader->source, !reader->flush);

    if (text.size == 0 && pf_source_status(reader->source, &reader->error) != PF_OK)
        return reader->error.code;
    if (text.size == 0 && at_end(reader->source))
        return pf_error_at(&reader->error, PF_FAILED, 0, "the input is empty: expected a profile");
    pf_text_open(reader, read_line, end_input);
    state->memo = pf_stack_memo_new();
    state->recent = calloc(SLOTS, sizeof *state->recent);
    if (!state->memo || !state->recent)
        return pf_error_nomem(&reader->error);
    state->origin = pf_dict_intern(reader->dict, PF_BYTES("folded"), 0);
    state->key = pf_dict_intern(reader->dict, PF_BYTES("comment"), 0);
    state->known = get_known(reader->shared, reader->dict);
    const char *columns = pf_options_get(reader->options, "columns");
    state->columns = columns && strcmp(columns, "2") == 0 ? 2 : 1;
    state->holding = columns ? state->columns == 2 : pairs_ahead(text);
    int status = set_measure(reader);
    if (status == PF_OK && !state->holding) {
        status = set_decimals(reader, decimals_ahead(text));
        pf_rows_declare(&reader->rows);
    }
    return status;
}

static void close_reader(struct pf_reader *reader)
{
    struct folded_reader *state = reader->state;

    pf_stack_memo_free(state->memo);
    free_pairs(&state->pairs);
    free(state->location_of);
    free(state->frames);
    free(state->leaf_first);
    free(state->ends);
    free(state->recent);
    free(state->tags);
}

static const struct pf_option options[] = {
    {"measure", "what the counts are: NAME or NAME/UNIT (ns, us, ms, s, bytes, ...)", NULL, true,
     false},
    {"columns",
     "counts after a stack: 1, or 2 for before and after (default: 2 if every line has two)", "1|2",
     true, false},
    {"plain",
     "keep the frames of perf script, DTrace and bpftrace as they are: do not spell them as "
     "FlameGraph's scripts do, below the command",
     "yes", false, true},
    {"annotate",
     "_[k] after kernel frames, _[j] after frames compiled at run time, _[i] after frames inlined "
     "at run time",
     "yes", false, true},
    {"tid", "-PID/TID after the command", "yes", false, true},
    {"addresses", "the addresses of unknown frames", "yes", false, true},
    {0},
};

const struct pf_format pf_format_folded = {
    .name = "folded",
    .about = "folded stacks, one per line with its count (FlameGraph, inferno, py-spy, Austin)",
    .suffixes = ".folded .collapsed",
    .losses = "files, lines, images, labels, all measures but one (-m), metadata but its own "
              "comments; ';' in names (becomes ':'), if all stacks end "
              "in numbers: that these are not counts",
    .caps = PF_HOLDS_SAMPLE | PF_IS_TEXT | PF_HOLDS_DIFFERENCE,
    .options = options,
    .bid = bid,
    .reader_size = sizeof(struct folded_reader),
    .open_reader = open_reader,
    .read = read_batch,
    .close_reader = close_reader,
    .writer_size = sizeof(struct pf_folded_writer),
    .open_writer = pf_folded_open_writer,
    .holds_label = pf_folded_holds_label,
    .write = pf_folded_write,
    .finish = pf_folded_finish,
    .close_writer = pf_folded_close_writer,
};

#include "analysis/filter/rewrite.h"

#include "analysis/filter/frames.h"
#include "analysis/names/id_map.h"
#include "analysis/names/meta_names.h"
#include "base/memory.h"
#include "model/copied_rows.h"

#include <stdio.h>
#include <stdlib.h>

/* The result of editing a stack. */
struct node {
    uint32_t full;   /* the edited stack */
    uint32_t pruned; /* the edited stack up to the innermost match of prune_from; 0: no match yet */
    uint32_t top;    /* the coarse location of the last frame, even if max_depth left it out */
    uint32_t depth;  /* number of frames, with those that max_depth left out */
    bool kept;       /* the last frame of the original stack was kept */
};

/* Labels that become frames. */
struct label_frames {
    struct label_key {
        const char *key;
        bool matched;
    } * keys;
    size_t count, capacity;
    struct pf_id_map stacks; /* by label set: the stack of its frames */
};

struct pf_rewrite {
    struct pf_dict *dict;
    struct pf_frames frames;
    struct pf_places places;
    struct pf_rewrite_settings settings;
    struct label_frames root, leaf;

    struct pf_id_map stacks; /* edited stack of each stack */
    struct node *nodes;      /* by original stack; set if `stacks` has the stack */
    size_t node_capacity;
    uint32_t *path; /* scratch: stacks or label sets to be edited, the innermost first */
    size_t path_capacity;
    struct pf_id_map sets;    /* edited set of each label set */
    struct pf_pair_map joins; /* from an inner and an outer stack to the stack of both */
    int status;

    uint32_t *ids[3]; /* the edited columns of a batch */
    size_t id_capacity[3];
    uint32_t *order; /* rows that are kept, then rows that are removed */
    size_t order_capacity;
    struct pf_copied_rows rows;
    struct pf_text *texts;
    size_t text_capacity;
};

struct pf_rewrite *pf_rewrite_new(struct pf_dict *dict, const struct pf_rewrite_settings *settings)
{
    struct pf_rewrite *rewrite = calloc(1, sizeof *rewrite);

    if (!rewrite)
        return NULL;
    rewrite->dict = dict;
    rewrite->places.dict = dict;
    rewrite->places.granularity = settings->granularity;
    rewrite->settings = *settings;
    return rewrite;
}

static void free_label_frames(struct label_frames *frames)
{
    free(frames->keys);
    pf_id_map_free(&frames->stacks);
}

void pf_rewrite_free(struct pf_rewrite *rewrite)
{
    if (!rewrite)
        return;
    pf_frames_free(&rewrite->frames);
    pf_places_free(&rewrite->places);
    free_label_frames(&rewrite->root);
    free_label_frames(&rewrite->leaf);
    pf_id_map_free(&rewrite->stacks);
    pf_id_map_free(&rewrite->sets);
    pf_pair_map_free(&rewrite->joins);
    pf_copied_rows_free(&rewrite->rows);
    for (size_t i = 0; i < sizeof rewrite->ids / sizeof *rewrite->ids; i++)
        free(rewrite->ids[i]);
    free(rewrite->nodes);
    free(rewrite->path);
    free(rewrite->order);
    free(rewrite->texts);
    free(rewrite);
}

/* --- the edits -------------------------------------------------------------------------------- */

static int add_label_key(struct label_frames *frames, const char *key, struct pf_error *error)
{
    if (!pf_grow(&frames->keys, &frames->capacity, frames->count + 1, sizeof *frames->keys))
        return pf_error_nomem(error);
    frames->keys[frames->count++] = (struct label_key){.key = key};
    return PF_OK;
}

int pf_rewrite_add(struct pf_rewrite *rewrite, enum pf_rewrite_edit edit, const char *text,
                   unsigned flags, struct pf_error *error)
{
    switch (edit) {
    case PF_REWRITE_TRIM_PATH: return pf_places_trim(&rewrite->places, text, error);
    case PF_REWRITE_RENAME: return pf_places_rename(&rewrite->places, text, flags, error);
    case PF_REWRITE_ROOT_LABEL: return add_label_key(&rewrite->root, text, error);
    case PF_REWRITE_LEAF_LABEL: return add_label_key(&rewrite->leaf, text, error);
    default: return pf_frames_add(&rewrite->frames, (uint8_t)edit, text, flags, error);
    }
}

static bool edits_stacks(const struct pf_rewrite *rewrite)
{
    return rewrite->frames.count > 0 || rewrite->settings.collapse ||
           rewrite->settings.max_depth > 0 || !pf_places_change_nothing(&rewrite->places);
}

bool pf_rewrite_changes_nothing(const struct pf_rewrite *rewrite)
{
    return !edits_stacks(rewrite) && rewrite->root.count == 0 && rewrite->leaf.count == 0;
}

/* True if records without any frame are removed. */
static bool wants_frames(const struct pf_rewrite *rewrite)
{
    return (rewrite->frames.marks & (PF_REWRITE_SHOW | PF_REWRITE_SHOW_FROM)) != 0;
}

/* --- frames of a stack ------------------------------------------------------------------------ */

static uint8_t marks_of(struct pf_rewrite *rewrite, uint32_t location)
{
    return rewrite->frames.count > 0 ? pf_frames_marks(&rewrite->frames, rewrite->dict, location)
                                     : 0;
}

/* True if show and hide keep a frame with these marks. */
static bool is_shown(const struct pf_rewrite *rewrite, uint8_t marks)
{
    return !(marks & PF_REWRITE_HIDE) &&
           (!(rewrite->frames.marks & PF_REWRITE_SHOW) || marks & PF_REWRITE_SHOW);
}

static bool same_function(const struct pf_dict *dict, uint32_t a, uint32_t b)
{
    const struct pf_location *x = pf_dict_location(dict, a), *y = pf_dict_location(dict, b);

    if (x->function != 0 || y->function != 0)
        return x->function == y->function && x->image == y->image;
    return a == b || (x->image == y->image && x->address == y->address && x->line == y->line);
}

static uint32_t with_inlined(struct pf_dict *dict, uint32_t location, uint16_t inlined)
{
    struct pf_location row = *pf_dict_location(dict, location);

    if (row.inlined == inlined)
        return location;
    row.inlined = inlined;
    return pf_dict_add_location(dict, &row);
}

/* Adds a frame. `outer_kept`: the frame that it may be inlined into was kept. */
static void add_frame(struct pf_rewrite *rewrite, struct node *node, uint32_t location,
                      bool outer_kept)
{
    struct pf_dict *dict = rewrite->dict;
    uint32_t parent = node->full;

    if (!outer_kept)
        location = with_inlined(dict, location, 0);
    location = pf_places_coarse(&rewrite->places, location);
    if (rewrite->settings.collapse && node->depth > 0 && same_function(dict, location, node->top)) {
        location = with_inlined(dict, location, pf_dict_location(dict, node->top)->inlined);
        parent = pf_dict_stack(dict, node->full)->parent;
    } else {
        node->depth++;
    }
    node->top = location;
    if (rewrite->settings.max_depth == 0 || node->depth <= rewrite->settings.max_depth)
        node->full = pf_dict_add_frame(dict, parent, pf_places_named(&rewrite->places, location));
}

/* Edits a stack whose parent has been edited. */
static void edit_node(struct pf_rewrite *rewrite, uint32_t stack)
{
    struct pf_stack row = *pf_dict_stack(rewrite->dict, stack);
    struct node node = rewrite->nodes[row.parent];
    bool outer_kept = node.kept;
    uint8_t marks = marks_of(rewrite, row.location);

    node.kept = is_shown(rewrite, marks);
    if (rewrite->frames.marks & PF_REWRITE_SHOW_FROM && node.depth == 0 &&
        !(marks & PF_REWRITE_SHOW_FROM))
        node.kept = false;
    if (node.kept) {
        add_frame(rewrite, &node, row.location, outer_kept);
        if (marks & PF_REWRITE_PRUNE_FROM)
            node.pruned = node.full;
    }
    rewrite->nodes[stack] = node;
    rewrite->stacks.to[stack] = (node.pruned != 0 ? node.pruned : node.full) + 1;
}

/* Edits a stack and its parents, without recursion, because stacks may have a million frames. */
static uint32_t edit_stack(struct pf_rewrite *rewrite, uint32_t stack)
{
    size_t depth = 0;

    for (uint32_t at = stack; rewrite->stacks.to[at] == 0;
         at = pf_dict_stack(rewrite->dict, at)->parent) {
        if (!pf_grow(&rewrite->path, &rewrite->path_capacity, depth + 1, sizeof *rewrite->path)) {
            rewrite->status = PF_NOMEM;
            return 0;
        }
        rewrite->path[depth++] = at;
    }
    while (depth > 0)
        edit_node(rewrite, rewrite->path[--depth]);
    return rewrite->stacks.to[stack] - 1;
}

static bool prepare_stacks(struct pf_rewrite *rewrite)
{
    uint32_t count = rewrite->dict->stacks.count;

    if (rewrite->frames.count > 0 && pf_frames_prepare(&rewrite->frames, rewrite->dict) != PF_OK)
        return false;
    if (!pf_grow(&rewrite->nodes, &rewrite->node_capacity, count, sizeof *rewrite->nodes) ||
        !pf_id_map_reserve(&rewrite->stacks, count))
        return false;
    rewrite->nodes[0] = (struct node){.kept = true};
    rewrite->stacks.to[0] = 1;
    return true;
}

/* --- labels ----------------------------------------------------------------------------------- */

/* Puts the sets of a chain that `known` does not have on the path, the longest first, and returns
 * their number. Sets *value to the entry in `known` of the set that they extend, or to 0. */
static size_t list_labels(struct pf_rewrite *rewrite, uint32_t labels,
                          const struct pf_id_map *known, uint32_t *value)
{
    size_t count = 0;

    *value = 0;
    for (; labels != 0 && (!known || !pf_id_map_get(known, labels, value));
         labels = pf_dict_label(rewrite->dict, labels)->parent) {
        if (!pf_grow(&rewrite->path, &rewrite->path_capacity, count + 1, sizeof *rewrite->path)) {
            rewrite->status = PF_NOMEM;
            return 0;
        }
        rewrite->path[count++] = labels;
    }
    return count;
}

static uint32_t edit_labels(struct pf_rewrite *rewrite, uint32_t labels)
{
    struct pf_dict *dict = rewrite->dict;
    uint32_t set;
    size_t count = list_labels(rewrite, labels, &rewrite->sets, &set);

    while (count > 0) {
        uint32_t at = rewrite->path[--count];
        struct pf_label row = *pf_dict_label(dict, at);

        if (row.numeric)
            set = pf_dict_add_number(dict, set, row.key, row.number, row.text);
        else
            set = pf_dict_add_label(dict, set, row.key,
                                    pf_places_label(&rewrite->places, row.key, row.text));
        if (!pf_id_map_put(&rewrite->sets, at, set))
            rewrite->status = PF_NOMEM;
    }
    return set;
}

/* The frame for a label: its name is the value, or number and unit; an empty value becomes '',
 * because a frame must have a name. */
static uint32_t label_frame(struct pf_dict *dict, const struct pf_label *label)
{
    struct pf_function function = {.name = label->text};
    struct pf_location location = {0};

    if (label->numeric) {
        struct pf_bytes unit = pf_dict_string(dict, label->text);
        char text[128];
        int size = snprintf(text, sizeof text, unit.size > 0 ? "%lld %.*s" : "%lld",
                            (long long)label->number, unit.size < 100 ? (int)unit.size : 100,
                            unit.data);

        function.name = pf_dict_intern(dict, (struct pf_bytes){text, (size_t)size}, 0);
    } else if (label->text == 0) {
        function.name = pf_dict_intern(dict, PF_BYTES("''"), 0);
    }
    location.function = pf_dict_add_function(dict, &function);
    return pf_dict_add_location(dict, &location);
}

/* Adds the frame of the last label of a set to a stack, if the label has the key. */
static uint32_t add_label_frame(struct pf_rewrite *rewrite, struct label_key *key, uint32_t labels,
                                uint32_t stack)
{
    struct pf_label row = *pf_dict_label(rewrite->dict, labels);

    if (!pf_bytes_equal(pf_dict_string(rewrite->dict, row.key), pf_bytes_of(key->key)))
        return stack;
    key->matched = true;
    return pf_dict_add_frame(rewrite->dict, stack, label_frame(rewrite->dict, &row));
}

/* The stack of the frames that a label set gives. With one key, each label is looked at once,
 * however many sets have it. With several keys, the frames of one key come after those of the key
 * before. */
static uint32_t label_stack(struct pf_rewrite *rewrite, struct label_frames *frames,
                            uint32_t labels)
{
    bool single = frames->count == 1;
    uint32_t stack = 0, ignored;

    if (pf_id_map_get(&frames->stacks, labels, &stack))
        return stack;
    for (size_t k = 0; k < frames->count; k++) {
        size_t at = single ? list_labels(rewrite, labels, &frames->stacks, &stack)
                           : list_labels(rewrite, labels, NULL, &ignored);

        while (at > 0) {
            uint32_t set = rewrite->path[--at];

            stack = add_label_frame(rewrite, &frames->keys[k], set, stack);
            if (single && !pf_id_map_put(&frames->stacks, set, stack))
                rewrite->status = PF_NOMEM;
        }
    }
    if (!pf_id_map_put(&frames->stacks, labels, stack))
        rewrite->status = PF_NOMEM;
    return stack;
}

/* The stack of the frames of `outer` followed by the frames of `inner`. */
static uint32_t join(struct pf_rewrite *rewrite, uint32_t outer, uint32_t inner)
{
    struct pf_dict *dict = rewrite->dict;
    uint32_t stack = outer;
    size_t depth = 0;

    if (outer == 0 || inner == 0)
        return outer + inner;
    for (uint32_t at = inner; at != 0 && !pf_pair_map_get(&rewrite->joins, at, outer, &stack);
         at = pf_dict_stack(dict, at)->parent) {
        if (!pf_grow(&rewrite->path, &rewrite->path_capacity, depth + 1, sizeof(uint32_t))) {
            rewrite->status = PF_NOMEM;
            return 0;
        }
        rewrite->path[depth++] = at;
    }
    while (depth > 0) {
        uint32_t node = rewrite->path[--depth];

        stack = pf_dict_add_frame(dict, stack, pf_dict_stack(dict, node)->location);
        if (!pf_pair_map_put(&rewrite->joins, node, outer, stack))
            rewrite->status = PF_NOMEM;
    }
    return stack;
}

/* --- batches ---------------------------------------------------------------------------------- */

static uint32_t *column(struct pf_rewrite *rewrite, unsigned which, uint32_t rows)
{
    if (pf_grow(&rewrite->ids[which], &rewrite->id_capacity[which], rows, sizeof(uint32_t)))
        return rewrite->ids[which];
    rewrite->status = PF_NOMEM;
    return NULL;
}

static void edit_label_column(struct pf_rewrite *rewrite, struct pf_batch *batch)
{
    uint32_t *labels;

    if (!(rewrite->places.targets >> PF_RENAME_LABEL & 1) || !batch->labels ||
        (labels = column(rewrite, 0, batch->rows)) == NULL)
        return;
    for (uint32_t i = 0; i < batch->rows; i++)
        if (!pf_id_map_get(&rewrite->sets, batch->labels[i], &labels[i]))
            labels[i] = edit_labels(rewrite, batch->labels[i]);
    batch->labels = labels;
}

/* Adds a row to the rows that are kept or that are removed. */
static void place_row(struct pf_rewrite *rewrite, uint32_t row, uint32_t rows, bool goes,
                      uint32_t *kept)
{
    if (goes)
        rewrite->order[rows + row - *kept] = row;
    else
        rewrite->order[(*kept)++] = row;
}

static uint32_t edit_samples(struct pf_rewrite *rewrite, struct pf_batch *batch)
{
    uint32_t *stacks = column(rewrite, 1, batch->rows), kept = 0;
    bool frameless_go = wants_frames(rewrite);

    if (!stacks || !prepare_stacks(rewrite)) {
        rewrite->status = PF_NOMEM;
        return 0;
    }
    for (uint32_t i = 0; i < batch->rows; i++) {
        uint32_t stack = batch->stack ? batch->stack[i] : 0, to = rewrite->stacks.to[stack];

        stacks[i] = to != 0 ? to - 1 : edit_stack(rewrite, stack);
        place_row(rewrite, i, batch->rows, stacks[i] == 0 && (stack != 0 || frameless_go), &kept);
    }
    batch->stack = stacks;
    return kept;
}

static void add_label_frames(struct pf_rewrite *rewrite, struct pf_batch *batch)
{
    uint32_t *stacks = column(rewrite, 1, batch->rows);

    if (!stacks)
        return;
    for (uint32_t i = 0; i < batch->rows && rewrite->status == PF_OK; i++) {
        uint32_t labels = batch->labels ? batch->labels[i] : 0;
        uint32_t stack = batch->stack ? batch->stack[i] : 0;

        stack = join(rewrite, label_stack(rewrite, &rewrite->root, labels), stack);
        stacks[i] = join(rewrite, stack, label_stack(rewrite, &rewrite->leaf, labels));
    }
    batch->stack = stacks;
}

/* Which of a record's locations (one or two, the outer first) are kept: bit i for places[i].
 * Location 0 is not matched. */
static unsigned kept_places(struct pf_rewrite *rewrite, const uint32_t *places, unsigned count)
{
    uint8_t asked = rewrite->frames.marks;
    unsigned kept = 0, started = asked & PF_REWRITE_SHOW_FROM ? 0 : 1, innermost = 0;

    for (unsigned i = 0; i < count; i++) {
        uint8_t marks = places[i] != 0 ? marks_of(rewrite, places[i]) : 0;

        if (places[i] == 0 ? wants_frames(rewrite) : !is_shown(rewrite, marks))
            continue;
        started |= marks & PF_REWRITE_SHOW_FROM;
        if (!started)
            continue;
        kept |= 1u << i;
        if (marks & PF_REWRITE_PRUNE_FROM)
            innermost = kept;
    }
    return innermost != 0 ? innermost : kept;
}

static uint32_t edit_place(struct pf_rewrite *rewrite, uint32_t location)
{
    return pf_places_named(&rewrite->places, pf_places_coarse(&rewrite->places, location));
}

/* Edits the locations of FLAT and EDGE records; returns the number of records that are kept. */
static uint32_t edit_places(struct pf_rewrite *rewrite, struct pf_batch *batch)
{
    unsigned count = batch->kind == PF_EDGE ? 2 : 1;
    uint32_t *outer = column(rewrite, 1, batch->rows), *inner = column(rewrite, 2, batch->rows),
             kept = 0;

    if (!outer || !inner ||
        (rewrite->frames.count > 0 &&
         pf_frames_prepare(&rewrite->frames, rewrite->dict) != PF_OK)) {
        rewrite->status = PF_NOMEM;
        return 0;
    }
    for (uint32_t i = 0; i < batch->rows; i++) {
        uint32_t places[2] = {batch->location ? batch->location[i] : 0,
                              batch->callee ? batch->callee[i] : 0};
        unsigned keeps = kept_places(rewrite, places, count);

        outer[i] = keeps & 1 ? edit_place(rewrite, places[0]) : 0;
        inner[i] = edit_place(rewrite, places[1]);
        place_row(rewrite, i, batch->rows, !(keeps >> (count - 1) & 1), &kept);
    }
    batch->location = outer;
    if (count == 2)
        batch->callee = inner;
    return kept;
}

static int edit_texts(struct pf_rewrite *rewrite, const struct pf_batch *from, struct pf_batch *to)
{
    if (from->rows == 0 ||
        (rewrite->places.trim_count == 0 && !(rewrite->places.targets >> PF_RENAME_FILE & 1)))
        return PF_OK;
    if (!pf_grow(&rewrite->texts, &rewrite->text_capacity, from->rows, sizeof *rewrite->texts))
        return PF_NOMEM;
    for (uint32_t i = 0; i < from->rows; i++) {
        struct pf_text text = from->texts[i];
        uint32_t name = pf_places_file(&rewrite->places,
                                       pf_dict_intern(rewrite->dict, text.name, text.name_flags));

        text.name = pf_dict_string(rewrite->dict, name);
        text.name_flags = rewrite->dict->strings.rows[name].flags;
        text.name_string = name;
        rewrite->texts[i] = text;
    }
    to->texts = rewrite->texts;
    return PF_OK;
}

static uint32_t edit_file(void *rewrite, uint32_t name)
{
    return pf_places_file(&((struct pf_rewrite *)rewrite)->places, name);
}

static uint32_t edit_function(void *rewrite, uint32_t name)
{
    return pf_places_function(&((struct pf_rewrite *)rewrite)->places, name);
}

static void edit_meta(struct pf_rewrite *rewrite, struct pf_batch *batch)
{
    struct pf_meta_edit edit = {edit_file, edit_function, rewrite};
    unsigned targets = 1u << PF_RENAME_FILE | 1u << PF_RENAME_FUNCTION;
    uint32_t *keys, *values;

    if (batch->rows == 0 ||
        (rewrite->places.trim_count == 0 && !(rewrite->places.targets & targets)))
        return;
    keys = column(rewrite, 0, batch->rows);
    values = column(rewrite, 1, batch->rows);
    for (uint32_t i = 0; i < batch->rows && rewrite->status == PF_OK; i++) {
        keys[i] = batch->key[i];
        values[i] = batch->value[i];
        pf_meta_rename(rewrite->dict, &edit, batch->origin[i], &keys[i], &values[i]);
    }
    batch->key = keys;
    batch->value = values;
}

static int status_of(const struct pf_rewrite *rewrite)
{
    if (rewrite->status != PF_OK || rewrite->places.status != PF_OK ||
        pf_dict_status(rewrite->dict) != PF_OK)
        return PF_NOMEM;
    return pf_frames_status(&rewrite->frames);
}

int pf_rewrite_batch(struct pf_rewrite *rewrite, const struct pf_batch *from, struct pf_batch *to,
                     struct pf_removed *removed)
{
    uint32_t rows = from->rows, kept = rows;

    *to = *from;
    if (from->kind == PF_TEXT)
        return edit_texts(rewrite, from, to) != PF_OK ? PF_NOMEM : status_of(rewrite);
    if (from->kind == PF_META) {
        edit_meta(rewrite, to);
        return status_of(rewrite);
    }
    if (from->kind >= PF_RECORD_KINDS || rows == 0)
        return PF_OK;
    if (!pf_grow(&rewrite->order, &rewrite->order_capacity, 2 * (size_t)rows,
                 sizeof *rewrite->order))
        return PF_NOMEM;
    if (edits_stacks(rewrite))
        kept = from->kind == PF_SAMPLE ? edit_samples(rewrite, to) : edit_places(rewrite, to);
    if (status_of(rewrite) != PF_OK)
        return PF_NOMEM;
    if (kept < rows) {
        if (pf_removed_count(removed, rewrite->dict, from, rewrite->order + rows, rows - kept) !=
                PF_OK ||
            pf_copied_rows_take(&rewrite->rows, to, rewrite->order, kept, to) != PF_OK)
            return PF_NOMEM;
    }
    edit_label_column(rewrite, to);
    if (from->kind == PF_SAMPLE && (rewrite->root.count > 0 || rewrite->leaf.count > 0))
        add_label_frames(rewrite, to);
    return status_of(rewrite);
}

void pf_rewrite_report(const struct pf_rewrite *rewrite, bool left, const struct pf_report *report)
{
    const struct label_frames *frames[] = {&rewrite->root, &rewrite->leaf};

    pf_frames_report(&rewrite->frames, report);
    if (!left)
        return;
    pf_places_report(&rewrite->places, report);
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < frames[i]->count; k++)
            if (!frames[i]->keys[k].matched)
                pf_report_send(report, PF_WARNING, "no record has a label '%s'",
                               frames[i]->keys[k].key);
}

/* The nodes of V8's profiles: a list of nodes with the numbers of their children, or nested
 * objects. */
#include "format/v8/v8.h"

#include "base/memory.h"

#include <inttypes.h>

static struct pf_v8_open *top(struct pf_v8_reader *state)
{
    return &state->open[state->open_count - 1];
}

static int open_node(struct pf_reader *reader)
{
    struct pf_v8_reader *state = reader->state;
    uint32_t above = state->open_count ? top(state)->node : 0,
             node = pf_call_tree_add(&state->tree);

    if (node == 0 ||
        !pf_grow(&state->open, &state->open_capacity, state->open_count + 1, sizeof *state->open))
        return pf_error_nomem(&reader->error);
    state->open[state->open_count++] = (struct pf_v8_open){.node = node};
    state->tree.nodes[node].parent = above;
    return pf_json_cut_enter(&state->cut, '{');
}

static void close_node(struct pf_reader *reader)
{
    struct pf_v8_reader *state = reader->state;
    struct pf_call_node *node = &state->tree.nodes[top(state)->node];
    /* the parent of a number may come later, but no number says that a node is the root */
    bool outermost = node->parent == 0 && node->parent_number == 0 &&
                     (node->number == 0 || state->tree.rows[node->number].parent == 0);

    node->location = pf_call_frame_location(reader->dict, &top(state)->frame, outermost);
    state->open_count--;
}

static int damaged(struct pf_reader *reader, const char *what, int64_t number)
{
    return pf_error_at(&reader->error, PF_FAILED, pf_source_offset(reader->source),
                       "node %" PRIi64 " %s", number, what);
}

/* Reads the number of a node, a parent or a child, and finds its id in the tree. */
static int read_id(struct pf_json_cut *cut, int64_t *number, uint32_t *id)
{
    struct pf_reader *reader = cut->owner;
    int status = pf_json_cut_int(cut, number);

    if (status != PF_OK)
        return status;
    *id = pf_call_tree_number(&((struct pf_v8_reader *)reader->state)->tree, *number);
    return *id ? PF_OK : pf_error_nomem(&reader->error);
}

static int read_number(struct pf_json_cut *cut, void *field)
{
    struct pf_reader *reader = cut->owner;
    struct pf_v8_reader *state = reader->state;
    const struct pf_v8_open *open = field;
    int64_t number;
    uint32_t id;
    int status = read_id(cut, &number, &id);

    if (status != PF_OK)
        return status;
    if (state->tree.rows[id].node || state->tree.nodes[open->node].number)
        return damaged(reader, "is defined twice", number);
    state->tree.rows[id].node = open->node;
    state->tree.nodes[open->node].number = id;
    return PF_OK;
}

static int read_child_number(struct pf_reader *reader)
{
    struct pf_v8_reader *state = reader->state;
    int64_t number;
    uint32_t id;
    int status = read_id(&state->cut, &number, &id);

    if (status != PF_OK)
        return status;
    if (state->tree.rows[id].parent)
        return damaged(reader, "has two parents", number);
    state->tree.rows[id].parent = top(state)->node;
    return PF_OK;
}

static int read_parent_number(struct pf_json_cut *cut, void *field)
{
    struct pf_v8_reader *state = ((struct pf_reader *)cut->owner)->state;
    const struct pf_v8_open *open = field;
    int64_t number;

    return read_id(cut, &number, &state->tree.nodes[open->node].parent_number);
}

/* Reads the hits of a processor profile or the bytes of a heap profile; skips the member of the
 * other kind. */
static int read_count(struct pf_json_cut *cut, void *field)
{
    struct pf_v8_reader *state = ((struct pf_reader *)cut->owner)->state;
    const struct pf_v8_open *open = field;

    if (!pf_bytes_equal(cut->key, state->heap ? PF_BYTES("selfSize") : PF_BYTES("hitCount")))
        return pf_json_cut_skip(cut);
    return pf_json_cut_int(cut, &state->tree.nodes[open->node].count);
}

/* Reads {"line":5,"ticks":2}; lines count from 1. */
static int read_line(struct pf_json_cut *cut, void *field)
{
    static const struct pf_json_member row[] = {
        {"line", PF_JSON_NUMBER | PF_JSON_LAX, pf_json_try_int, offsetof(struct pf_v8_line, line),
         NULL},
        {"ticks", PF_JSON_NUMBER | PF_JSON_LAX, pf_json_try_int, offsetof(struct pf_v8_line, ticks),
         NULL},
        {0},
    };
    struct pf_v8_reader *state = ((struct pf_reader *)cut->owner)->state;
    struct pf_v8_line line = {.node = ((struct pf_v8_open *)field)->node, .line = -1};
    int status = pf_json_object(cut, row, &line);

    if (status != PF_OK || line.line < 0 || line.ticks == 0)
        return status;
    if (!pf_grow(&state->line_rows, &state->line_capacity, state->line_count + 1,
                 sizeof *state->line_rows))
        return pf_error_nomem(cut->error);
    state->line_rows[state->line_count++] = line;
    return PF_OK;
}

static int read_lines(struct pf_json_cut *cut, void *field)
{
    const struct pf_v8_reader *state = ((struct pf_reader *)cut->owner)->state;

    return state->lines ? pf_json_array(cut, read_line, field) : pf_json_cut_skip(cut);
}

static int read_call_frame(struct pf_json_cut *cut, void *field)
{
    struct pf_v8_open *open = field;
    const json_t *frame;
    int status = pf_json_cut_value(cut, &frame);

    if (status == PF_OK)
        open->frame = pf_call_frame_json(((struct pf_reader *)cut->owner)->dict, frame);
    open->framed = true;
    return status;
}

/* Nodes of old profiles have no callFrame: the members of the frame are members of the node, read
 * by the next functions. */
static int read_function_name(struct pf_json_cut *cut, void *field)
{
    struct pf_v8_open *open = field;

    open->framed = true;
    return pf_json_cut_kind(cut) == '"' ? pf_json_read_text(cut, &open->frame.name)
                                        : pf_json_cut_skip(cut);
}

/* Reads a line or a column, which counts from 1. */
static int read_place(struct pf_json_cut *cut, void *field)
{
    int64_t *place = field, number;
    int status = pf_json_cut_int(cut, &number);

    if (status == PF_OK)
        *place = number > 0 ? number : 0;
    return status;
}

/* Reads the array `children` up to the next child that is an object, and opens this child; or to
 * the end. */
static int read_children(struct pf_reader *reader)
{
    struct pf_v8_reader *state = reader->state;
    int status;

    while ((status = pf_json_cut_next(&state->cut)) == PF_OK) {
        int kind = pf_json_cut_kind(&state->cut);

        if (kind < 0)
            return kind;
        if (kind == '{')
            return open_node(reader);
        status = read_child_number(reader);
        if (status != PF_OK)
            return status;
    }
    return status == PF_EOF ? PF_OK : status;
}

/* Reads `children`. May leave a child open: its members come next. */
static int begin_children(struct pf_json_cut *cut, void *field)
{
    int status = pf_json_cut_enter(cut, '[');

    (void)field;
    return status == PF_OK ? read_children(cut->owner) : status;
}

static const struct pf_json_member members[] = {
    {"id", PF_JSON_NUMBER | PF_JSON_STRING, read_number, 0, NULL},
    {"parent", PF_JSON_NUMBER | PF_JSON_LAX, read_parent_number, 0, NULL},
    {"children", PF_JSON_ARRAY | PF_JSON_LAX, begin_children, 0, NULL},
    {"callFrame", PF_JSON_ANY, read_call_frame, 0, NULL},
    {"hitCount", PF_JSON_NUMBER | PF_JSON_STRING, read_count, 0, NULL},
    {"selfSize", PF_JSON_NUMBER | PF_JSON_STRING, read_count, 0, NULL},
    {"positionTicks", PF_JSON_ARRAY | PF_JSON_LAX, read_lines, 0, NULL},
    {"functionName", PF_JSON_ANY, read_function_name, 0, NULL},
    {"url", PF_JSON_STRING | PF_JSON_LAX, pf_json_read_text,
     offsetof(struct pf_v8_open, frame.file), NULL},
    {"lineNumber", PF_JSON_NUMBER | PF_JSON_LAX, read_place,
     offsetof(struct pf_v8_open, frame.line), NULL},
    {"columnNumber", PF_JSON_NUMBER | PF_JSON_LAX, read_place,
     offsetof(struct pf_v8_open, frame.column), NULL},
    {0},
};

int pf_v8_read_node(struct pf_reader *reader)
{
    struct pf_v8_reader *state = reader->state;
    int status = open_node(reader);

    while (status == PF_OK) {
        status = pf_json_member(&state->cut, members, top(state));
        if (status == PF_EOF) {
            close_node(reader);
            if (state->open_count == 0)
                return PF_OK;
            status = read_children(reader);
        }
    }
    return status;
}

void pf_v8_end_nodes(struct pf_reader *reader)
{
    struct pf_v8_reader *state = reader->state;

    while (state->open_count > 0) {
        struct pf_call_node *node = &state->tree.nodes[top(state)->node];

        /* without a name the node has no stack, and nodes below it have none either */
        if (!top(state)->framed)
            node->stack = node->depth = UINT32_MAX;
        close_node(reader);
    }
}

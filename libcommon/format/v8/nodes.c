/* The nodes of V8's profiles: a list that tells their children by number, or objects within each other. */
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
    uint32_t above = state->open_count ? top(state)->node : 0, node = pf_call_tree_add(&state->tree);

    if (node == 0 || !pf_grow(&state->open, &state->open_capacity, state->open_count + 1, sizeof *state->open))
        return pf_error_nomem(&reader->error);
    state->open[state->open_count++] = (struct pf_v8_open){.node = node};
    state->tree.nodes[node].parent = above;
    return pf_json_cut_enter(&state->cut, '{');
}

static void close_node(struct pf_reader *reader)
{
    struct pf_v8_reader *state = reader->state;
    struct pf_call_node *node = &state->tree.nodes[top(state)->node];
    /* a parent told by its number may come later, but no root is told so */
    bool outermost = node->parent == 0 && node->parent_number == 0 && (node->number == 0 || state->tree.rows[node->number].parent == 0);

    node->location = pf_call_frame_location(reader->dict, &top(state)->frame, outermost);
    state->open_count--;
}

static int damaged(struct pf_reader *reader, const char *what, int64_t number)
{
    return pf_error_at(&reader->error, PF_FAILED, pf_source_offset(reader->source), "node %" PRIi64 " %s", number, what);
}

/* The number of the node. */
static int read_number(struct pf_reader *reader)
{
    struct pf_v8_reader *state = reader->state;
    uint32_t node = top(state)->node;
    int64_t number;
    int status = pf_json_cut_int(&state->cut, &number);

    if (status != PF_OK)
        return status;
    uint32_t id = pf_call_tree_number(&state->tree, number);
    if (id == 0)
        return pf_error_nomem(&reader->error);
    if (state->tree.rows[id].node || state->tree.nodes[node].number)
        return damaged(reader, "is there twice", number);
    state->tree.rows[id].node = node;
    state->tree.nodes[node].number = id;
    return PF_OK;
}

static int read_child_number(struct pf_reader *reader)
{
    struct pf_v8_reader *state = reader->state;
    int64_t number;
    int status = pf_json_cut_int(&state->cut, &number);

    if (status != PF_OK)
        return status;
    uint32_t id = pf_call_tree_number(&state->tree, number);
    if (id == 0)
        return pf_error_nomem(&reader->error);
    if (state->tree.rows[id].parent)
        return damaged(reader, "has two parents", number);
    state->tree.rows[id].parent = top(state)->node;
    return PF_OK;
}

static int read_parent_number(struct pf_reader *reader)
{
    struct pf_v8_reader *state = reader->state;
    int64_t number;
    int status = pf_json_cut_int(&state->cut, &number);

    if (status == PF_OK) {
        state->tree.nodes[top(state)->node].parent_number = pf_call_tree_number(&state->tree, number);
        if (state->tree.nodes[top(state)->node].parent_number == 0)
            return pf_error_nomem(&reader->error);
    }
    return status;
}

/* [{"line":5,"ticks":2}]; lines from 1 */
static int read_lines(struct pf_reader *reader)
{
    struct pf_v8_reader *state = reader->state;
    const json_t *row;
    int status = pf_json_cut_enter(&state->cut, '[');

    while (status == PF_OK && (status = pf_json_cut_next(&state->cut)) == PF_OK) {
        status = pf_json_cut_value(&state->cut, &row);
        int64_t line = status == PF_OK ? pf_json_member_int(row, "line", -1) : -1;

        if (line < 0 || pf_json_member_int(row, "ticks", 0) == 0)
            continue;
        if (!pf_grow(&state->line_rows, &state->line_capacity, state->line_count + 1, sizeof *state->line_rows))
            return pf_error_nomem(&reader->error);
        state->line_rows[state->line_count++] = (struct pf_v8_line){top(state)->node, line, pf_json_member_int(row, "ticks", 0)};
    }
    return status == PF_EOF ? PF_OK : status;
}

/* Members of the nodes of old profiles, which have no callFrame: there lines are counted from 1. */
static int read_flat_member(struct pf_reader *reader, struct pf_bytes key, bool *known)
{
    struct pf_v8_reader *state = reader->state;
    struct pf_call_frame *frame = &top(state)->frame;
    bool name = pf_bytes_equal(key, PF_BYTES("functionName")), file = pf_bytes_equal(key, PF_BYTES("url"));
    bool line = pf_bytes_equal(key, PF_BYTES("lineNumber")), column = pf_bytes_equal(key, PF_BYTES("columnNumber"));
    struct pf_bytes text;
    int64_t number;
    int status = PF_OK, kind = pf_json_cut_kind(&state->cut);

    top(state)->framed = top(state)->framed || name;
    *known = ((name || file) && kind == '"') || ((line || column) && kind == '0');
    if (*known && (name || file)) {
        status = pf_json_cut_string(&state->cut, &text);
        if (status == PF_OK)
            *(name ? &frame->name : &frame->file) = pf_dict_intern_text(reader->dict, text);
    } else if (*known) {
        status = pf_json_cut_int(&state->cut, &number);
        if (status == PF_OK)
            *(line ? &frame->line : &frame->column) = number > 0 ? number : 0;
    }
    return status;
}

/* A member that is no child object. */
static int read_member(struct pf_reader *reader, struct pf_bytes key)
{
    struct pf_v8_reader *state = reader->state;
    const json_t *frame;
    bool known;

    if (pf_bytes_equal(key, PF_BYTES("callFrame"))) {
        int status = pf_json_cut_value(&state->cut, &frame);

        if (status == PF_OK)
            top(state)->frame = pf_call_frame_json(reader->dict, frame);
        top(state)->framed = true;
        return status;
    }
    if (pf_bytes_equal(key, PF_BYTES("id")))
        return read_number(reader);
    if (pf_bytes_equal(key, PF_BYTES("parent")) && pf_json_cut_kind(&state->cut) == '0')
        return read_parent_number(reader);
    if (pf_bytes_equal(key, state->heap ? PF_BYTES("selfSize") : PF_BYTES("hitCount")))
        return pf_json_cut_int(&state->cut, &state->tree.nodes[top(state)->node].count);
    if (state->lines && pf_bytes_equal(key, PF_BYTES("positionTicks")) && pf_json_cut_kind(&state->cut) == '[')
        return read_lines(reader);
    int status = read_flat_member(reader, key, &known);
    return status != PF_OK || known ? status : pf_json_cut_skip(&state->cut);
}

/* In `children`: up to the next that is an object, which is opened, or to the end. */
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

int pf_v8_read_node(struct pf_reader *reader)
{
    struct pf_v8_reader *state = reader->state;
    struct pf_bytes key;
    int status = open_node(reader);

    while (status == PF_OK) {
        status = pf_json_cut_key(&state->cut, &key);
        if (status == PF_EOF) {
            close_node(reader);
            status = PF_OK;
            if (state->open_count == 0)
                return PF_OK;
            status = read_children(reader);
        } else if (status == PF_OK && pf_bytes_equal(key, PF_BYTES("children")) && pf_json_cut_kind(&state->cut) == '[') {
            status = pf_json_cut_enter(&state->cut, '[');
            if (status == PF_OK)
                status = read_children(reader);
        } else if (status == PF_OK) {
            status = read_member(reader, key);
        }
    }
    return status;
}

void pf_v8_end_nodes(struct pf_reader *reader)
{
    struct pf_v8_reader *state = reader->state;

    while (state->open_count > 0) {
        struct pf_call_node *node = &state->tree.nodes[top(state)->node];

        /* without a name it has no stack, nor has what it called */
        if (!top(state)->framed)
            node->stack = node->depth = UINT32_MAX;
        close_node(reader);
    }
}

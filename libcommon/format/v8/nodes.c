/* The nodes of V8's profiles, which become a tree of calls. The document has a list of nodes, each
 * with the numbers of its children or of its parent; or a single node in which all others are
 * nested. A node may come before or after the numbers that refer to it. */
#include "format/v8/v8.h"

#include "base/error.h"
#include "base/memory.h"
#include "codec/json_reader.h"

#include <inttypes.h>
#include <stdlib.h>

/* A node whose members are being read. */
struct pf_v8_open_node {
    struct pf_v8_nodes *nodes; /* all nodes */
    uint32_t node;             /* this node in the tree */
    struct pf_call_frame frame;
    bool named; /* the node has a member `callFrame` or `functionName` */
};

int pf_v8_nodes_init(struct pf_v8_nodes *nodes, struct pf_json_cut *cut, struct pf_dict *dict)
{
    nodes->cut = cut;
    nodes->dict = dict;
    if (pf_file_urls_init(&nodes->urls) != PF_OK)
        return PF_NOMEM;
    return pf_call_tree_init(&nodes->tree);
}

void pf_v8_nodes_free(struct pf_v8_nodes *nodes)
{
    pf_file_urls_free(&nodes->urls);
    pf_call_tree_free(&nodes->tree);
    free(nodes->open);
    free(nodes->lines);
}

/* --- open nodes ------------------------------------------------------------------------------- */

static struct pf_v8_open_node *top(const struct pf_v8_nodes *nodes)
{
    return &nodes->open[nodes->open_count - 1];
}

static int begin_node(struct pf_v8_nodes *nodes)
{
    uint32_t above = nodes->open_count ? top(nodes)->node : 0,
             node = pf_call_tree_add(&nodes->tree);

    if (node == 0 ||
        !pf_grow(&nodes->open, &nodes->open_capacity, nodes->open_count + 1, sizeof *nodes->open))
        return pf_error_nomem(nodes->cut->error);
    nodes->open[nodes->open_count++] = (struct pf_v8_open_node){.nodes = nodes, .node = node};
    nodes->tree.nodes[node].parent = above;
    return pf_json_cut_enter(nodes->cut, '{');
}

static void close_node(struct pf_v8_nodes *nodes)
{
    struct pf_call_node *node = &nodes->tree.nodes[top(nodes)->node];
    /* a parent that comes later in the document is not known yet; this matters only for a node
     * named `(root)`, which is the root itself if no other node is its parent */
    bool outermost = node->parent == 0 && node->parent_number == 0 &&
                     (node->number == 0 || nodes->tree.rows[node->number].parent == 0);

    struct pf_call_frame *frame = &top(nodes)->frame;

    frame->file = pf_file_urls_path(&nodes->urls, nodes->dict, frame->file);
    node->location = pf_call_frame_location(nodes->dict, frame, outermost);
    nodes->open_count--;
}

/* --- numbers of nodes ------------------------------------------------------------------------- */

static int bad_node(const struct pf_json_cut *cut, const char *what, int64_t number)
{
    return pf_error_at(cut->error, PF_FAILED, pf_source_offset(cut->source), "node %" PRIi64 " %s",
                       number, what);
}

/* Reads the number of a node, a parent or a child, and finds the number's id in the tree. */
static int read_id(struct pf_v8_nodes *nodes, int64_t *number, uint32_t *id)
{
    int status = pf_json_cut_int(nodes->cut, number);

    if (status != PF_OK)
        return status;
    *id = pf_call_tree_number(&nodes->tree, *number);
    return *id ? PF_OK : pf_error_nomem(nodes->cut->error);
}

static int read_number(struct pf_json_cut *cut, void *field)
{
    const struct pf_v8_open_node *open = field;
    struct pf_call_tree *tree = &open->nodes->tree;
    int64_t number;
    uint32_t id;
    int status = read_id(open->nodes, &number, &id);

    if (status != PF_OK)
        return status;
    if (tree->rows[id].node || tree->nodes[open->node].number)
        return bad_node(cut, "is defined twice", number);
    tree->rows[id].node = open->node;
    tree->nodes[open->node].number = id;
    return PF_OK;
}

static int read_child_number(struct pf_v8_nodes *nodes)
{
    int64_t number;
    uint32_t id;
    int status = read_id(nodes, &number, &id);

    if (status != PF_OK)
        return status;
    if (nodes->tree.rows[id].parent)
        return bad_node(nodes->cut, "has two parents", number);
    nodes->tree.rows[id].parent = top(nodes)->node;
    return PF_OK;
}

static int read_parent_number(struct pf_json_cut *cut, void *field)
{
    const struct pf_v8_open_node *open = field;
    int64_t number;

    (void)cut;
    return read_id(open->nodes, &number, &open->nodes->tree.nodes[open->node].parent_number);
}

/* --- hits, bytes and lines -------------------------------------------------------------------- */

/* Reads the hits of a processor profile or the bytes of a heap profile; skips the member of the
 * other kind of profile. */
static int read_count(struct pf_json_cut *cut, void *field)
{
    const struct pf_v8_open_node *open = field;

    if (!pf_bytes_equal(cut->key, open->nodes->count_key))
        return pf_json_cut_skip(cut);
    return pf_json_cut_int(cut, &open->nodes->tree.nodes[open->node].count);
}

/* Reads {"line":5,"ticks":2}; lines count from 1. */
static int read_line(struct pf_json_cut *cut, void *field)
{
    static const struct pf_json_member members[] = {
        {"line", PF_JSON_NUMBER | PF_JSON_LAX, pf_json_try_int, offsetof(struct pf_v8_line, line),
         NULL},
        {"ticks", PF_JSON_NUMBER | PF_JSON_LAX, pf_json_read_int, offsetof(struct pf_v8_line, hits),
         NULL},
        {0},
    };
    const struct pf_v8_open_node *open = field;
    struct pf_v8_nodes *nodes = open->nodes;
    struct pf_v8_line line = {.node = open->node, .line = -1};
    int status = pf_json_object(cut, members, &line);

    if (status != PF_OK || line.line < 0 || line.hits == 0)
        return status;
    if (!pf_grow(&nodes->lines, &nodes->line_capacity, nodes->line_count + 1, sizeof *nodes->lines))
        return pf_error_nomem(cut->error);
    nodes->lines[nodes->line_count++] = line;
    return PF_OK;
}

static int read_lines(struct pf_json_cut *cut, void *field)
{
    const struct pf_v8_open_node *open = field;

    return open->nodes->keep_lines ? pf_json_array(cut, read_line, field) : pf_json_cut_skip(cut);
}

/* --- the frame of a node ---------------------------------------------------------------------- */

static int read_call_frame(struct pf_json_cut *cut, void *field)
{
    struct pf_v8_open_node *open = field;
    const json_t *frame;
    int status = pf_json_cut_value(cut, &frame);

    if (status == PF_OK)
        open->frame = pf_call_frame_json(open->nodes->dict, frame);
    open->named = true;
    return status;
}

/* Nodes of old profiles have no callFrame: the members of the frame are members of the node, read
 * by the next two functions. */
static int read_function_name(struct pf_json_cut *cut, void *field)
{
    struct pf_v8_open_node *open = field;

    open->named = true;
    return pf_json_cut_kind(cut) == '"' ? pf_json_read_text(cut, &open->frame.name)
                                        : pf_json_cut_skip(cut);
}

/* Reads a line or a column of an old profile, which count from 1. */
static int read_place(struct pf_json_cut *cut, void *field)
{
    int64_t *place = field, number;
    int status = pf_json_cut_int(cut, &number);

    if (status == PF_OK)
        *place = number > 0 ? number : 0;
    return status;
}

/* --- a node with its children ----------------------------------------------------------------- */

/* Reads the array `children`: to its end, or up to the next child that is an object, which this
 * function opens. */
static int read_children(struct pf_v8_nodes *nodes)
{
    int status;

    while ((status = pf_json_cut_next(nodes->cut)) == PF_OK) {
        int kind = pf_json_cut_kind(nodes->cut);

        if (kind < 0)
            return kind;
        if (kind == '{')
            return begin_node(nodes);
        status = read_child_number(nodes);
        if (status != PF_OK)
            return status;
    }
    return status == PF_EOF ? PF_OK : status;
}

/* Reads the member `children`. May leave a child open: the members of the child come next. */
static int begin_children(struct pf_json_cut *cut, void *field)
{
    const struct pf_v8_open_node *open = field;
    int status = pf_json_cut_enter(cut, '[');

    return status == PF_OK ? read_children(open->nodes) : status;
}

static const struct pf_json_member node_members[] = {
    {"id", PF_JSON_NUMBER | PF_JSON_STRING, read_number, 0, NULL},
    {"parent", PF_JSON_NUMBER | PF_JSON_LAX, read_parent_number, 0, NULL},
    {"children", PF_JSON_ARRAY | PF_JSON_LAX, begin_children, 0, NULL},
    {"callFrame", PF_JSON_ANY, read_call_frame, 0, NULL},
    {"hitCount", PF_JSON_NUMBER | PF_JSON_STRING, read_count, 0, NULL},
    {"selfSize", PF_JSON_NUMBER | PF_JSON_STRING, read_count, 0, NULL},
    {"positionTicks", PF_JSON_ARRAY | PF_JSON_LAX, read_lines, 0, NULL},
    {"functionName", PF_JSON_ANY, read_function_name, 0, NULL},
    {"url", PF_JSON_STRING | PF_JSON_LAX, pf_json_read_text,
     offsetof(struct pf_v8_open_node, frame.file), NULL},
    {"lineNumber", PF_JSON_NUMBER | PF_JSON_LAX, read_place,
     offsetof(struct pf_v8_open_node, frame.line), NULL},
    {"columnNumber", PF_JSON_NUMBER | PF_JSON_LAX, read_place,
     offsetof(struct pf_v8_open_node, frame.column), NULL},
    {0},
};

int pf_v8_nodes_read(struct pf_v8_nodes *nodes)
{
    int status = begin_node(nodes);

    while (status == PF_OK) {
        status = pf_json_member(nodes->cut, node_members, top(nodes));
        if (status == PF_EOF) {
            close_node(nodes);
            if (nodes->open_count == 0)
                return PF_OK;
            status = read_children(nodes);
        }
    }
    return status;
}

void pf_v8_nodes_end(struct pf_v8_nodes *nodes)
{
    while (nodes->open_count > 0) {
        struct pf_call_node *node = &nodes->tree.nodes[top(nodes)->node];

        /* then pf_call_tree_resolve finds no stacks for this node and the nodes below */
        if (!top(nodes)->named)
            node->stack = node->depth = UINT32_MAX;
        close_node(nodes);
    }
}

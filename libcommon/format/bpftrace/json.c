/* bpftrace -f json: an object a line, those of maps with an object for each map. */
#include "format/bpftrace/bpftrace.h"

enum level { BETWEEN, OBJECT, MAPS, ENTRIES };

/* The lines of a key: those of stacks begin with blanks. */
static int read_key(struct pf_reader *reader, uint64_t offset, struct pf_bytes key)
{
    int status = PF_OK;

    while (status == PF_OK && key.size > 0) {
        const char *end = memchr(key.data, '\n', key.size);
        struct pf_bytes line = {key.data, end ? (size_t)(end - key.data) : key.size};
        size_t step = line.size + (end != NULL);

        status = pf_bpftrace_key_line(reader, offset, line);
        key = (struct pf_bytes){key.data + step, key.size - step};
    }
    return status;
}

struct statistics {
    uint64_t offset; /* of the entry */
    bool found;
};

static int read_total(struct pf_json_cut *cut, void *field)
{
    struct statistics *statistics = field;
    struct pf_bytes number;

    if (statistics->found)
        return pf_json_cut_skip(cut);
    statistics->found = true;
    int status = pf_json_cut_number(cut, &number);
    return status == PF_OK ? pf_bpftrace_value(cut->owner, statistics->offset, number) : status;
}

/* Statistics, `{"count": 2, "average": 30, "total": 61}`: the total. */
static int read_statistics(struct pf_json_cut *cut, uint64_t offset)
{
    static const struct pf_json_member members[] = {
        {"total", PF_JSON_NUMBER | PF_JSON_LAX, read_total, 0, NULL}, {0}};
    struct statistics statistics = {.offset = offset};
    int status = pf_json_object(cut, members, &statistics);

    return status == PF_OK && !statistics.found
               ? pf_bpftrace_value(cut->owner, offset, PF_BYTES(""))
               : status;
}

/* An entry of a map: its key has the stack. */
static int read_entry(struct pf_json_cut *cut, void *field)
{
    uint64_t offset = ((struct pf_bpftrace_reader *)field)->entry_offset;
    struct pf_bytes number;
    int kind = pf_json_cut_kind(cut), status = read_key(cut->owner, offset, cut->key);

    if (status != PF_OK)
        return status;
    if (kind == '{')
        return read_statistics(cut, offset);
    if (kind == '0') {
        status = pf_json_cut_number(cut, &number);
        return status == PF_OK ? pf_bpftrace_value(cut->owner, offset, number) : status;
    }
    pf_bpftrace_value(cut->owner, offset, PF_BYTES(""));
    return pf_json_cut_skip(cut);
}

/* `"@name": {...}`, or a variable. */
static int read_map(struct pf_json_cut *cut, void *field)
{
    struct pf_bpftrace_reader *state = field;
    struct pf_bytes key = cut->key, value;
    int kind = pf_json_cut_kind(cut);

    if (key.size == 0 || key.data[0] != '@')
        return pf_json_cut_skip(cut);
    if (!pf_bpftrace_map(cut->owner, pf_bytes_skip(key, 1)))
        return pf_error_nomem(cut->error);
    if (kind == '{') {
        state->level = ENTRIES;
        return pf_json_cut_enter(cut, '{');
    }
    if (kind != '0')
        return pf_json_cut_skip(cut);
    int status = pf_json_cut_number(cut, &value);
    if (status != PF_OK)
        return status;
    key = (struct pf_bytes){state->name.data, state->name.size};
    pf_bpftrace_variable(cut->owner, key, value);
    return PF_OK;
}

static int enter_maps(struct pf_json_cut *cut, void *field)
{
    ((struct pf_bpftrace_reader *)field)->level = MAPS;
    return pf_json_cut_enter(cut, '{');
}

static int read_object(struct pf_reader *reader)
{
    struct pf_bpftrace_reader *state = reader->state;
    const unsigned char *bytes;
    size_t have;

    while ((bytes = pf_source_peek(reader->source, 1, &have)), have > 0 && pf_white((char)*bytes))
        pf_source_take(reader->source, 1);
    if (have == 0)
        return pf_source_status(reader->source, &reader->error) < 0 ? reader->error.code : PF_EOF;
    state->level = OBJECT;
    return pf_json_cut_enter(&state->json, '{');
}

int pf_bpftrace_read_json(struct pf_reader *reader)
{
    /* the names of the maps tell their types, which stand beside `data` */
    static const struct pf_json_member object[] = {
        {"data", PF_JSON_OBJECT | PF_JSON_LAX, enter_maps, 0, NULL}, {0}};
    static const struct pf_json_member map[] = {{NULL, PF_JSON_ANY, read_map, 0, NULL}, {0}};
    static const struct pf_json_member entry[] = {{NULL, PF_JSON_ANY, read_entry, 0, NULL}, {0}};
    static const struct pf_json_member *const tables[] = {
        [OBJECT] = object, [MAPS] = map, [ENTRIES] = entry};
    struct pf_bpftrace_reader *state = reader->state;

    if (state->level == BETWEEN)
        return read_object(reader);
    state->entry_offset = pf_source_offset(reader->source);
    int status = pf_json_member(&state->json, tables[state->level], state);
    if (status != PF_EOF)
        return status;
    state->level--;
    return PF_OK;
}

/* bpftrace -f json: an object a line, those of maps with an object for each map. */
#include "format/bpftrace/bpftrace.h"

enum level { BETWEEN, OBJECT, MAPS, ENTRIES };

static bool blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

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

/* Statistics, `{"count": 2, "average": 30, "total": 61}`: the total. */
static int read_statistics(struct pf_reader *reader, uint64_t offset)
{
    struct pf_json_cut *cut = &((struct pf_bpftrace_reader *)reader->state)->json;
    struct pf_bytes key, number;
    bool found = false;
    int status = pf_json_cut_enter(cut, '{');

    while (status == PF_OK && (status = pf_json_cut_key(cut, &key)) == PF_OK) {
        if (!found && pf_bytes_equal(key, PF_BYTES("total")) && pf_json_cut_kind(cut) == '0') {
            found = true;
            status = pf_json_cut_number(cut, &number);
            if (status == PF_OK)
                status = pf_bpftrace_value(reader, offset, number);
        } else {
            status = pf_json_cut_skip(cut);
        }
    }
    if (status == PF_EOF && !found)
        return pf_bpftrace_value(reader, offset, PF_BYTES(""));
    return status == PF_EOF ? PF_OK : status;
}

static int read_entry(struct pf_reader *reader)
{
    struct pf_bpftrace_reader *state = reader->state;
    uint64_t offset = pf_source_offset(reader->source);
    struct pf_bytes key, number;
    int status = pf_json_cut_key(&state->json, &key);

    if (status == PF_EOF)
        state->level = MAPS;
    if (status != PF_OK)
        return status == PF_EOF ? PF_OK : status;
    status = read_key(reader, offset, key);
    if (status != PF_OK)
        return status;
    switch (pf_json_cut_kind(&state->json)) {
    case '{':
        return read_statistics(reader, offset);
    case '0':
        status = pf_json_cut_number(&state->json, &number);
        return status == PF_OK ? pf_bpftrace_value(reader, offset, number) : status;
    default:
        pf_bpftrace_value(reader, offset, PF_BYTES(""));
        return pf_json_cut_skip(&state->json);
    }
}

/* `"@name": {...}`, or a variable. */
static int read_map(struct pf_reader *reader)
{
    struct pf_bpftrace_reader *state = reader->state;
    struct pf_bytes key, value;
    int status = pf_json_cut_key(&state->json, &key);

    if (status == PF_EOF)
        state->level = OBJECT;
    if (status != PF_OK)
        return status == PF_EOF ? PF_OK : status;
    if (key.size == 0 || key.data[0] != '@')
        return pf_json_cut_skip(&state->json);
    if (!pf_bpftrace_map(reader, (struct pf_bytes){key.data + 1, key.size - 1}))
        return pf_error_nomem(&reader->error);
    if (pf_json_cut_kind(&state->json) == '{') {
        state->level = ENTRIES;
        return pf_json_cut_enter(&state->json, '{');
    }
    if (pf_json_cut_kind(&state->json) != '0')
        return pf_json_cut_skip(&state->json);
    status = pf_json_cut_number(&state->json, &value);
    if (status != PF_OK)
        return status;
    key = (struct pf_bytes){state->name.data, state->name.size};
    return pf_bpftrace_variable(reader, key, value) ? PF_OK : pf_error_nomem(&reader->error);
}

/* `"data": {...}` has the maps; what its type is, their names tell. */
static int read_member(struct pf_reader *reader)
{
    struct pf_bpftrace_reader *state = reader->state;
    struct pf_bytes key;
    int status = pf_json_cut_key(&state->json, &key);

    if (status == PF_EOF)
        state->level = BETWEEN;
    if (status != PF_OK)
        return status == PF_EOF ? PF_OK : status;
    if (!pf_bytes_equal(key, PF_BYTES("data")) || pf_json_cut_kind(&state->json) != '{')
        return pf_json_cut_skip(&state->json);
    state->level = MAPS;
    return pf_json_cut_enter(&state->json, '{');
}

static int read_object(struct pf_reader *reader)
{
    struct pf_bpftrace_reader *state = reader->state;
    const unsigned char *bytes;
    size_t have;

    while ((bytes = pf_source_peek(reader->source, 1, &have)), have > 0 && blank((char)*bytes))
        pf_source_take(reader->source, 1);
    if (have == 0)
        return pf_source_status(reader->source, &reader->error) < 0 ? reader->error.code : PF_EOF;
    state->level = OBJECT;
    return pf_json_cut_enter(&state->json, '{');
}

int pf_bpftrace_read_json(struct pf_reader *reader)
{
    static int (*const steps[])(struct pf_reader *) = {read_object, read_member, read_map, read_entry};

    return steps[((struct pf_bpftrace_reader *)reader->state)->level](reader);
}

#include "io/json_look.h"

#include <stdbool.h>
#include <string.h>

enum { WINDOW = 64 * 1024, LINE = 16 * 1024 * 1024, LEVELS = 8, PATH_MAX_SIZE = 128 };

/* The text ahead and the path of the current value. Levels deeper than LEVELS have no names. */
struct look {
    const unsigned char *p, *end;
    const char *const *paths;
    uint32_t found;
    size_t depth, sizes[LEVELS];
    char brackets[LEVELS];
    char path[PATH_MAX_SIZE];
    size_t size;
};

/* Reads a string and returns its text without quotes, with its escapes. A string that is cut ends
 * where the text does. */
static struct pf_bytes string_at(struct look *look)
{
    const unsigned char *start = ++look->p;

    while (look->p < look->end && *look->p != '"')
        look->p += *look->p == '\\' ? 2 : 1;
    if (look->p > look->end)
        look->p = look->end;
    struct pf_bytes text = {(const char *)start, (size_t)(look->p - start)};
    look->p += look->p < look->end;
    return text;
}

/* Marks the paths that equal the current path. `text`: the value if it is a string, else NULL. */
static void note(struct look *look, const struct pf_bytes *text)
{
    for (unsigned k = 0; k < PF_JSON_PATHS_MAX && look->paths[k]; k++) {
        const char *value = strchr(look->paths[k], '=');
        size_t size = value ? (size_t)(value - look->paths[k]) : strlen(look->paths[k]);

        if (size == look->size && memcmp(look->paths[k], look->path, size) == 0 &&
            (!value || (text && pf_bytes_find(*text, pf_bytes_of(value + 1)))))
            look->found |= UINT32_C(1) << k;
    }
}

static void add_name(struct look *look, struct pf_bytes name, bool point)
{
    if (look->size + name.size + 1 >= sizeof look->path) {
        look->size = sizeof look->path; /* longer than any path */
        return;
    }
    if (point && look->size > 0)
        look->path[look->size++] = '.';
    memcpy(look->path + look->size, name.data, name.size);
    look->size += name.size;
}

static void enter(struct look *look, unsigned char bracket)
{
    if (look->depth < LEVELS) {
        look->sizes[look->depth] = look->size;
        look->brackets[look->depth] = (char)bracket;
        if (bracket == '[')
            add_name(look, PF_BYTES("[]"), false);
    }
    look->depth++;
    look->p++;
}

static void leave(struct look *look)
{
    if (look->depth > 0)
        look->depth--;
    if (look->depth < LEVELS)
        look->size = look->sizes[look->depth];
    look->p++;
}

/* Reads a string, which is a key if a colon follows, else a value. */
static void look_at_string(struct look *look)
{
    struct pf_bytes text = string_at(look);

    while (look->p < look->end && pf_white((char)*look->p))
        look->p++;
    if (look->depth == 0 || look->depth > LEVELS)
        return;
    size_t outside = look->sizes[look->depth - 1];
    if (look->brackets[look->depth - 1] == '[') {
        note(look, &text);
    } else if (look->p < look->end && *look->p == ':') {
        look->size = outside;
        add_name(look, text, true);
        note(look, NULL);
        look->p++;
    } else {
        note(look, &text);
    }
}

/* True if the bytes ahead may begin an object or an array. Does not wait for more of a live pipe
 * than is there. */
static bool may_begin(struct pf_source *source)
{
    size_t have, start = 0;
    const unsigned char *p = pf_source_peek(source, 1, &have);

    while (start < have && pf_white((char)p[start]))
        start++;
    return start == have || p[start] == '{' || p[start] == '[';
}

static uint32_t look_through(const unsigned char *p, size_t size, const char *const *paths)
{
    struct look look = {.p = p, .end = p + size, .paths = paths};

    while (look.p < look.end && pf_white((char)*look.p))
        look.p++;
    if (look.p >= look.end || (*look.p != '{' && *look.p != '['))
        return 0;
    while (look.p < look.end) {
        if (*look.p == '"')
            look_at_string(&look);
        else if (*look.p == '{' || *look.p == '[')
            enter(&look, *look.p);
        else if (*look.p == '}' || *look.p == ']')
            leave(&look);
        else
            look.p++;
    }
    return look.found;
}

uint32_t pf_json_look(struct pf_source *source, const char *const *paths)
{
    size_t have;

    if (!may_begin(source))
        return 0;
    const unsigned char *p = pf_source_peek(source, WINDOW, &have);
    return look_through(p, have > WINDOW ? WINDOW : have, paths);
}

uint32_t pf_json_look_line(struct pf_source *source, const char *const *paths)
{
    size_t have, want = WINDOW + 1;
    uint32_t found = pf_json_look(source, paths);
    const unsigned char *p, *end;

    if (found == 0)
        return 0;
    p = pf_source_peek(source, want, &have);
    if (have <= WINDOW || memchr(p, '\n', WINDOW))
        return found;
    end = memchr(p, '\n', have);
    while (!end && have >= want && want < LINE) {
        want *= 2;
        p = pf_source_peek(source, want, &have);
        end = memchr(p, '\n', have);
    }
    return look_through(p, end ? (size_t)(end - p) : have, paths);
}

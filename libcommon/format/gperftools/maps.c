#include "format/gperftools/maps.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST_NAME = 255, LONGEST_TEXT = 4096 };

void pf_gperftools_maps_free(struct pf_gperftools_maps *maps)
{
    free(maps->rows);
    pf_table_free(&maps->names);
    free(maps->substitutes);
    pf_buffer_free(&maps->line);
}

void pf_gperftools_skip_blanks(struct pf_bytes *text)
{
    while (text->size > 0 && pf_blank(*text->data))
        *text = pf_bytes_skip(*text, 1);
}

/* A digit and one more, by byte; 0 = none. */
static const unsigned char DIGITS[256] = {
    ['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,  ['6'] = 7,  ['7'] = 8,  ['8'] = 9,  ['9'] = 10, ['a'] = 11,
    ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16, ['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

bool pf_gperftools_hex(struct pf_bytes *text, uint64_t *number)
{
    const unsigned char *at = (const unsigned char *)text->data, *end = at + text->size, *first;
    uint64_t sum = 0;

    if (end - at > 2 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X'))
        at += 2;
    for (first = at; at < end && DIGITS[*at]; at++) {
        if (sum >> 60 != 0)
            return false;
        sum = sum << 4 | (DIGITS[*at] - 1u);
    }
    if (at == first)
        return false;
    *number = sum;
    *text = pf_bytes_skip(*text, (size_t)((const char *)at - text->data));
    return true;
}

static struct pf_bytes take_token(struct pf_bytes *text)
{
    struct pf_bytes token = {text->data, 0};

    while (token.size < text->size && token.data[token.size] != ' ' && token.data[token.size] != '\t')
        token.size++;
    *text = pf_bytes_skip(*text, token.size);
    pf_gperftools_skip_blanks(text);
    return token;
}

static bool all_of(struct pf_bytes token, const char *characters)
{
    for (size_t k = 0; k < token.size; k++)
        if (token.data[k] == '\0' || !strchr(characters, token.data[k]))
            return false;
    return token.size > 0;
}

static void trim_end(struct pf_bytes *text)
{
    while (text->size > 0 && (text->data[text->size - 1] == ' ' || text->data[text->size - 1] == '\t' || text->data[text->size - 1] == '\r'))
        text->size--;
}

/* What stands behind the file's name: that it was deleted, or its offset. */
static void trim_name(struct pf_bytes *name, uint64_t *offset)
{
    trim_end(name);
    if (pf_bytes_ends(*name, PF_BYTES("(deleted)"))) {
        name->size -= 9;
        trim_end(name);
    }
    for (size_t at = name->size; at-- > 1;) {
        struct pf_bytes number = pf_bytes_skip(*name, at);
        uint64_t found;

        if (name->data[at] != '@' || name->data[at - 1] != '(')
            continue;
        number = pf_bytes_skip(number, 1);
        if (pf_gperftools_hex(&number, &found) && number.size == 1 && *number.data == ')') {
            *offset = found;
            name->size = at - 1;
            trim_end(name);
        }
        return;
    }
}

/* False: no line of a map, or one that is not executable. *known: it is one. */
static bool parse(struct pf_bytes line, struct pf_gperftools_map *map, struct pf_bytes *name, bool *known)
{
    struct pf_bytes token, rest;

    *known = false;
    *map = (struct pf_gperftools_map){0};
    pf_gperftools_skip_blanks(&line);
    if (!pf_gperftools_hex(&line, &map->start) || line.size == 0 || (*line.data != '-' && *line.data != ' '))
        return false;
    line = pf_bytes_skip(line, 1);
    if (!pf_gperftools_hex(&line, &map->limit) || (line.size > 0 && *line.data != ':' && !pf_blank(*line.data)))
        return false;
    *known = true;
    if (line.size > 0 && *line.data == ':')
        line = pf_bytes_skip(line, 1);
    pf_gperftools_skip_blanks(&line);
    rest = line;
    token = take_token(&rest);
    if (token.size >= 3 && token.size <= 5 && all_of(token, "-rwxps")) {
        if (!memchr(token.data, 'x', token.size))
            return false;
        line = rest;
        token = take_token(&rest);
        struct pf_bytes offset = token;
        uint64_t number;

        if (pf_gperftools_hex(&offset, &number) && offset.size == 0) {
            map->offset = number;
            token = take_token(&rest);
            line = rest;
            if (memchr(token.data, ':', token.size))
                take_token(&line); /* the inode behind the device */
        }
    }
    *name = line;
    trim_name(name, &map->offset);
    return map->limit > map->start && name->size > 0 && name->size <= PF_STRING_MAX;
}

static bool add_substitute(struct pf_gperftools_maps *maps, struct pf_dict *dict, struct pf_bytes line)
{
    const char *equals = memchr(line.data, '=', line.size);
    uint32_t row = 0;

    if (!equals)
        return true;
    struct pf_bytes name = {line.data, (size_t)(equals - line.data)}, text = pf_bytes_skip(line, name.size + 1);

    pf_gperftools_skip_blanks(&name);
    pf_gperftools_skip_blanks(&text);
    trim_end(&name);
    trim_end(&text);
    if (name.size == 0 || name.size > LONGEST_NAME || text.size > LONGEST_TEXT)
        return true;
    if (!maps->names.slots && pf_table_init(&maps->names, 2 * sizeof(uint32_t)) != PF_OK)
        return false;
    for (size_t k = 0; k < name.size; k++)
        row = pf_table_intern(&maps->names, (const uint32_t[2]){row, (unsigned char)name.data[k] + 1u});
    if (row == 0 || !pf_grow(&maps->substitutes, &maps->substitute_capacity, maps->names.count, sizeof *maps->substitutes))
        return false;
    for (; maps->known < maps->names.count; maps->known++)
        maps->substitutes[maps->known] = (struct pf_gperftools_substitute){0, 0};
    if (maps->substitutes[row].order == 0)
        maps->substitutes[row] = (struct pf_gperftools_substitute){++maps->substitute_count, pf_dict_intern(dict, text, 0)};
    return true;
}

/* What stands for the name that the text begins with; NULL: nothing. */
static const struct pf_gperftools_substitute *find_substitute(const struct pf_gperftools_maps *maps, struct pf_bytes text, size_t *size)
{
    const struct pf_gperftools_substitute *found = NULL;
    uint32_t row = 0;

    for (size_t k = 0; k < text.size; k++) {
        row = pf_table_find(&maps->names, (const uint32_t[2]){row, (unsigned char)text.data[k] + 1u});
        if (row == 0)
            break;
        if (maps->substitutes[row].order == 0 || (found && found->order < maps->substitutes[row].order))
            continue;
        found = &maps->substitutes[row];
        *size = k + 1;
    }
    return found;
}

/* The line with its $NAMEs replaced. */
static int substitute(struct pf_gperftools_maps *maps, const struct pf_dict *dict, struct pf_bytes *line, uint64_t offset, struct pf_error *error)
{
    if (maps->substitute_count == 0 || !memchr(line->data, '$', line->size))
        return PF_OK;
    maps->line.size = 0;
    for (size_t at = 0, size = 0; at < line->size;) {
        const struct pf_gperftools_substitute *found = line->data[at] == '$' ? find_substitute(maps, pf_bytes_skip(*line, at + 1), &size) : NULL;

        if (!found) {
            pf_buffer_byte(&maps->line, (unsigned char)line->data[at++]);
            continue;
        }
        struct pf_bytes text = pf_dict_string(dict, found->text);

        maps->replaced += text.size;
        if (maps->replaced > PF_STRING_MAX)
            return pf_error_at(error, PF_FAILED, offset, "names behind a $ that stand for more than 16 MiB in all");
        pf_buffer_append(&maps->line, text.data, text.size);
        at += 1 + size;
    }
    *line = (struct pf_bytes){maps->line.data, maps->line.size};
    return maps->line.failed ? pf_error_nomem(error) : PF_OK;
}

int pf_gperftools_maps_line(struct pf_gperftools_maps *maps, struct pf_dict *dict, struct pf_bytes line, uint64_t offset, struct pf_error *error)
{
    struct pf_gperftools_map map;
    struct pf_bytes name, replaced = line;
    bool known;
    int status = substitute(maps, dict, &replaced, offset, error);

    if (status != PF_OK)
        return status;
    if (!parse(replaced, &map, &name, &known))
        return known || add_substitute(maps, dict, line) ? PF_OK : pf_error_nomem(error);
    if (!pf_grow(&maps->rows, &maps->capacity, maps->count + 1, sizeof *maps->rows))
        return pf_error_nomem(error);
    map.name = pf_dict_intern_text(dict, name);
    struct pf_gperftools_map *last = maps->count > 0 ? &maps->rows[maps->count - 1] : NULL;

    if (last && last->name == map.name && last->limit == map.start && last->offset + (last->limit - last->start) == map.offset)
        last->limit = map.limit;
    else
        maps->rows[maps->count++] = map;
    return PF_OK;
}

static int compare(const void *a, const void *b)
{
    const struct pf_gperftools_map *x = a, *y = b;

    return (x->start > y->start) - (x->start < y->start);
}

void pf_gperftools_maps_end(struct pf_gperftools_maps *maps)
{
    if (maps->count > 0)
        qsort(maps->rows, maps->count, sizeof *maps->rows, compare);
}

uint32_t pf_gperftools_maps_image(struct pf_gperftools_maps *maps, struct pf_dict *dict, uint64_t address)
{
    size_t low = 0, high = maps->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (maps->rows[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    struct pf_gperftools_map *map = low > 0 ? &maps->rows[low - 1] : NULL;

    if (!map || address >= map->limit)
        return 0;
    if (map->image == 0) {
        struct pf_image image = {.name = map->name, .start = map->start, .limit = map->limit, .offset = map->offset};

        map->image = pf_dict_add_image(dict, &image);
    }
    return map->image;
}

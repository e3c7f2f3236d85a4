#include "format/gperftools/gperftools.h"

#include "base/scan.h"

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

bool pf_gperftools_hex(struct pf_bytes *text, uint64_t *number)
{
    struct pf_bytes rest = *text;

    pf_scan_0x(&rest);
    if (!pf_scan_hex(&rest, number))
        return false;
    *text = rest;
    return true;
}

/* What stands behind the file's name: that it was deleted, or its offset. */
static void trim_name(struct pf_bytes *name, uint64_t *offset)
{
    *name = pf_bytes_trim(*name);
    if (pf_bytes_ends(*name, PF_BYTES("(deleted)"))) {
        name->size -= 9;
        *name = pf_bytes_trim(*name);
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
            *name = pf_bytes_trim(*name);
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
    pf_scan_blanks(&line);
    if (!pf_gperftools_hex(&line, &map->start) || line.size == 0 || (*line.data != '-' && *line.data != ' '))
        return false;
    line = pf_bytes_skip(line, 1);
    if (!pf_gperftools_hex(&line, &map->limit) || (line.size > 0 && *line.data != ':' && !pf_blank(*line.data)))
        return false;
    *known = true;
    if (line.size > 0 && *line.data == ':')
        line = pf_bytes_skip(line, 1);
    pf_scan_blanks(&line);
    rest = line;
    token = pf_scan_column(&rest);
    if (token.size >= 3 && token.size <= 5 && pf_all_of(token, "-rwxps")) {
        if (!memchr(token.data, 'x', token.size))
            return false;
        line = rest;
        token = pf_scan_column(&rest);
        struct pf_bytes offset = token;
        uint64_t number;

        if (pf_gperftools_hex(&offset, &number) && offset.size == 0) {
            map->offset = number;
            token = pf_scan_column(&rest);
            line = rest;
            if (memchr(token.data, ':', token.size))
                pf_scan_column(&line); /* the inode behind the device */
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

    name = pf_bytes_trim(name);
    text = pf_bytes_trim(text);
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

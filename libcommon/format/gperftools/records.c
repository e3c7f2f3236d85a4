/* What the parts of an input share: declarations, pieces of lines, mapped files, names of
 * addresses, and records, which are held until the end, because mapped files and names follow them.
 */
#include "format/gperftools/gperftools.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/scan.h"
#include "base/table.h"
#include "model/stacks.h"
#include "model/units.h"

#include <stdlib.h>
#include <string.h>

/* --- what all parts declare ------------------------------------------------------------------- */

void pf_gperftools_measure(struct pf_reader *reader, struct pf_bytes name, const char *unit,
                           enum pf_nature nature, bool main)
{
    struct pf_measure measure =
        pf_measure_make_named(reader->dict, pf_dict_intern_text(reader->dict, name), unit,
                              PF_SAMPLE, strcmp(unit, "count") == 0 ? PF_COUNT : PF_SELF, nature);
    struct pf_unit_size size;

    measure.main = main;
    if (pf_unit_parse(pf_bytes_of(unit), PF_UNITS_TIME | PF_UNITS_FINE, &size) &&
        strcmp(unit, size.base) != 0) {
        measure.raw_unit = measure.unit;
        measure.unit = pf_dict_intern_word(reader->dict, size.base);
        measure.num = size.num;
        measure.den = size.den;
    }
    pf_rows_measure(&reader->rows, pf_dict_add_measure(reader->dict, measure));
}

void pf_gperftools_meta(struct pf_reader *reader, const char *key, struct pf_bytes value)
{
    pf_rows_meta(&reader->rows, "gperftools", pf_bytes_of(key), value);
}

void pf_gperftools_meta_number(struct pf_reader *reader, const char *key, int64_t value)
{
    pf_rows_meta_number(&reader->rows, "gperftools", key, value);
}

uint32_t pf_gperftools_function(struct pf_dict *dict, struct pf_bytes name, struct pf_bytes file)
{
    struct pf_function function = {
        .name = pf_dict_intern_text(dict, name),
        .file = pf_dict_intern_text(dict, file),
    };

    return pf_dict_add_function(dict, &function);
}

int pf_gperftools_expected(struct pf_reader *reader, const char *what)
{
    const struct pf_gperftools *state = reader->state;

    return pf_error_at(&reader->error, PF_FAILED, state->offset, "expected %s, found '%s'", what,
                       pf_clip(state->line).text);
}

/* --- pieces of lines -------------------------------------------------------------------------- */

bool pf_gperftools_hex(struct pf_bytes *text, uint64_t *number)
{
    struct pf_bytes rest = *text;

    pf_scan_0x(&rest);
    if (!pf_scan_hex(&rest, number))
        return false;
    *text = rest;
    return true;
}

bool pf_gperftools_numbers(struct pf_bytes *text, const char *pattern, int64_t *numbers)
{
    struct pf_bytes rest = *text;

    for (; *pattern; pattern++) {
        size_t size = 0;

        pf_scan_blanks(&rest);
        if (*pattern == 'd') {
            size += rest.size > 0 && *rest.data == '-';
            size += pf_scan_digits(pf_bytes_skip(rest, size));
            if (!pf_parse_int((struct pf_bytes){rest.data, size}, INT64_MIN, INT64_MAX, numbers++))
                return false;
        } else {
            if (rest.size == 0 || *rest.data != *pattern)
                return false;
            size = 1;
        }
        rest = pf_bytes_skip(rest, size);
    }
    *text = rest;
    return true;
}

struct pf_bytes pf_gperftools_file_line(struct pf_bytes place, int64_t *line)
{
    size_t colon = place.size;

    *line = 0;
    while (colon > 0 && place.data[colon - 1] != ':')
        colon--;
    if (colon > 1 && pf_parse_int((struct pf_bytes){place.data + colon, place.size - colon},
                                  INT32_MIN, INT32_MAX, line))
        place.size = colon - 1;
    return place;
}

struct pf_bytes pf_gperftools_without_offset(struct pf_bytes name)
{
    for (size_t at = name.size; at-- > 0;)
        if (pf_bytes_starts(pf_bytes_skip(name, at), PF_BYTES("+0x"))) {
            name.size = at;
            break;
        }
    return pf_bytes_trim(name);
}

/* --- mapped files ----------------------------------------------------------------------------- */

enum { LONGEST_NAME = 255, LONGEST_TEXT = 4096 };

void pf_gperftools_maps_free(struct pf_gperftools_maps *maps)
{
    free(maps->rows);
    pf_table_free(&maps->names);
    free(maps->substitutes);
    pf_buffer_free(&maps->line);
}

/* Removes `(deleted)` and the offset from the name of a file. */
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

/* Parses a line of mapped files. False: not a mapped file, or not executable. *known: it is a
 * mapped file. */
static bool parse_map(struct pf_bytes line, struct pf_gperftools_map *map, struct pf_bytes *name,
                      bool *known)
{
    struct pf_bytes token, rest;

    *known = false;
    *map = (struct pf_gperftools_map){0};
    pf_scan_blanks(&line);
    if (!pf_gperftools_hex(&line, &map->start) || line.size == 0 ||
        (*line.data != '-' && *line.data != ' '))
        return false;
    line = pf_bytes_skip(line, 1);
    if (!pf_gperftools_hex(&line, &map->limit) ||
        (line.size > 0 && *line.data != ':' && !pf_blank(*line.data)))
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
                pf_scan_column(&line); /* the inode after the device */
        }
    }
    *name = line;
    trim_name(name, &map->offset);
    return map->limit > map->start && name->size > 0 && name->size <= PF_STRING_MAX;
}

static bool add_substitute(struct pf_gperftools_maps *maps, struct pf_dict *dict,
                           struct pf_bytes line)
{
    const char *equals = memchr(line.data, '=', line.size);
    uint32_t row = 0;

    if (!equals)
        return true;
    struct pf_bytes name = {line.data, (size_t)(equals - line.data)},
                    text = pf_bytes_skip(line, name.size + 1);

    name = pf_bytes_trim(name);
    text = pf_bytes_trim(text);
    if (name.size == 0 || name.size > LONGEST_NAME || text.size > LONGEST_TEXT)
        return true;
    if (!maps->names.slots && pf_table_init(&maps->names, 2 * sizeof(uint32_t)) != PF_OK)
        return false;
    for (size_t k = 0; k < name.size; k++)
        row = pf_table_intern(&maps->names,
                              (const uint32_t[2]){row, (unsigned char)name.data[k] + 1u});
    if (row == 0 || !pf_grow_clear(&maps->substitutes, &maps->substitute_capacity,
                                   maps->names.count, sizeof *maps->substitutes))
        return false;
    if (maps->substitutes[row].order == 0)
        maps->substitutes[row] = (struct pf_gperftools_substitute){++maps->substitute_count,
                                                                   pf_dict_intern(dict, text, 0)};
    return true;
}

/* Finds the name with which the text begins, and its substitute; *size: of the name. NULL: no such
 * name. */
static const struct pf_gperftools_substitute *find_substitute(const struct pf_gperftools_maps *maps,
                                                              struct pf_bytes text, size_t *size)
{
    const struct pf_gperftools_substitute *found = NULL;
    uint32_t row = 0;

    for (size_t k = 0; k < text.size; k++) {
        row =
            pf_table_find(&maps->names, (const uint32_t[2]){row, (unsigned char)text.data[k] + 1u});
        if (row == 0)
            break;
        if (maps->substitutes[row].order == 0 ||
            (found && found->order < maps->substitutes[row].order))
            continue;
        found = &maps->substitutes[row];
        *size = k + 1;
    }
    return found;
}

/* Replaces the $NAMEs of a line. */
static int substitute(struct pf_reader *reader, struct pf_bytes *line)
{
    struct pf_gperftools *state = reader->state;
    struct pf_gperftools_maps *maps = &state->maps;

    if (maps->substitute_count == 0 || !memchr(line->data, '$', line->size))
        return PF_OK;
    maps->line.size = 0;
    for (size_t at = 0, size = 0; at < line->size;) {
        const struct pf_gperftools_substitute *found =
            line->data[at] == '$' ? find_substitute(maps, pf_bytes_skip(*line, at + 1), &size)
                                  : NULL;

        if (!found) {
            pf_buffer_byte(&maps->line, (unsigned char)line->data[at++]);
            continue;
        }
        struct pf_bytes text = pf_dict_string(reader->dict, found->text);

        maps->replaced += text.size;
        if (maps->replaced > PF_STRING_MAX)
            return pf_error_at(&reader->error, PF_FAILED, state->offset,
                               "names after a $ that stand for more than 16 MiB in all");
        pf_buffer_append(&maps->line, text.data, text.size);
        at += 1 + size;
    }
    *line = (struct pf_bytes){maps->line.data, maps->line.size};
    return maps->line.failed ? pf_error_nomem(&reader->error) : PF_OK;
}

int pf_gperftools_map_line(struct pf_reader *reader, struct pf_bytes line)
{
    struct pf_gperftools_maps *maps = &((struct pf_gperftools *)reader->state)->maps;
    struct pf_gperftools_map map;
    struct pf_bytes name, replaced = line;
    bool known;

    if (substitute(reader, &replaced) != PF_OK)
        return reader->error.code;
    if (!parse_map(replaced, &map, &name, &known))
        return known || add_substitute(maps, reader->dict, line) ? PF_OK
                                                                 : pf_error_nomem(&reader->error);
    if (!pf_grow(&maps->rows, &maps->capacity, maps->count + 1, sizeof *maps->rows))
        return pf_error_nomem(&reader->error);
    map.name = pf_dict_intern_text(reader->dict, name);
    struct pf_gperftools_map *last = maps->count > 0 ? &maps->rows[maps->count - 1] : NULL;

    if (last && last->name == map.name && last->limit == map.start &&
        last->offset + (last->limit - last->start) == map.offset)
        last->limit = map.limit;
    else
        maps->rows[maps->count++] = map;
    return PF_OK;
}

bool pf_gperftools_begin_maps(struct pf_reader *reader, struct pf_bytes line)
{
    struct pf_gperftools *state = reader->state;

    if (!pf_bytes_starts(line, PF_BYTES("MAPPED_LIBRARIES:")) &&
        !pf_bytes_starts(line, PF_BYTES("--- Memory map:")))
        return false;
    state->read_line = pf_gperftools_map_line;
    return true;
}

static int compare_maps(const void *a, const void *b)
{
    const struct pf_gperftools_map *x = a, *y = b;

    return (x->start > y->start) - (x->start < y->start);
}

void pf_gperftools_maps_end(struct pf_gperftools_maps *maps)
{
    if (maps->count > 0)
        qsort(maps->rows, maps->count, sizeof *maps->rows, compare_maps);
}

/* The image of an address; 0: no image. */
static uint32_t maps_image(struct pf_gperftools_maps *maps, struct pf_dict *dict, uint64_t address)
{
    const struct pf_gperftools_map *found =
        pf_last_up_to(maps->rows, maps->count, sizeof *maps->rows, address);
    struct pf_gperftools_map *map = found ? &maps->rows[found - maps->rows] : NULL;

    if (!map || address >= map->limit)
        return 0;
    if (map->image == 0) {
        struct pf_image image = {
            .name = map->name, .start = map->start, .limit = map->limit, .offset = map->offset};

        map->image = pf_dict_add_image(dict, &image);
    }
    return map->image;
}

/* --- names of addresses ----------------------------------------------------------------------- */

struct named {
    uint64_t address, function;
    int64_t line;
};

int pf_gperftools_names_init(struct pf_gperftools_names *names)
{
    int status = pf_table_init(&names->addresses, sizeof(uint64_t));

    return status == PF_OK ? pf_table_init(&names->named, sizeof(struct named)) : status;
}

void pf_gperftools_names_free(struct pf_gperftools_names *names)
{
    pf_table_free(&names->addresses);
    pf_table_free(&names->named);
    free(names->places);
    free(names->frames);
    free(names->locations);
}

uint64_t pf_gperftools_names_key(struct pf_gperftools_names *names, uint64_t address,
                                 struct pf_gperftools_frame frame)
{
    struct named named = {address, frame.function, frame.line};
    uint32_t id = pf_table_intern(&names->named, &named);

    return id ? PF_GPERFTOOLS_NAMED + id : 0;
}

static struct pf_gperftools_place *place_of(struct pf_gperftools_names *names, uint64_t address)
{
    uint32_t id = pf_table_intern(&names->addresses, &address); /* address 0 has id 0 */

    if (names->addresses.status != PF_OK ||
        !pf_grow(&names->places, &names->place_capacity, (size_t)id + 1, sizeof *names->places))
        return NULL;
    for (; names->place_count <= id; names->place_count++)
        names->places[names->place_count] = (struct pf_gperftools_place){.location = SIZE_MAX};
    return &names->places[id];
}

void pf_gperftools_names_set(struct pf_gperftools_names *names, uint64_t address,
                             const struct pf_gperftools_frame *frames, size_t count)
{
    struct pf_gperftools_place *place = place_of(names, address);

    if (!place || !pf_grow(&names->frames, &names->frame_capacity, names->frame_count + count,
                           sizeof *frames)) {
        names->addresses.status = PF_NOMEM;
        return;
    }
    if (place->count > 0)
        return;
    place->first = names->frame_count;
    place->count = count;
    for (size_t k = 0; k < count; k++)
        names->frames[names->frame_count++] = frames[k];
}

static uint32_t add_location(struct pf_dict *dict, const struct pf_location *location)
{
    struct pf_location row = *location;
    uint32_t id = pf_dict_add_location(dict, &row);

    if (id != 0)
        return id;
    struct pf_function function = {.name = pf_dict_intern(dict, PF_BYTES("[unknown]"), 0)};

    row.function = pf_dict_add_function(dict, &function);
    return pf_dict_add_location(dict, &row);
}

static bool make_locations(struct pf_gperftools_names *names, struct pf_dict *dict,
                           struct pf_gperftools_maps *maps, uint64_t address,
                           struct pf_gperftools_place *place)
{
    size_t count = place->count > 0 ? place->count : 1;
    struct named named = {.address = address};
    struct pf_location row = {0};

    if (!pf_grow(&names->locations, &names->location_capacity, names->location_count + count,
                 sizeof *names->locations))
        return false;
    /* in texts without named frames the key is an address */
    if (pf_gperftools_is_named(address) && address - PF_GPERFTOOLS_NAMED < names->named.count)
        named = *(const struct named *)pf_table_row(&names->named,
                                                    (uint32_t)(address - PF_GPERFTOOLS_NAMED));
    row.function = (uint32_t)named.function;
    row.line = named.line;
    if (!names->numbers || place->count == 0)
        row.address = named.address;
    if (row.address > 0)
        row.image = maps_image(maps, dict, row.address);
    place->location = names->location_count;
    place->locations = count;
    for (size_t k = 0; k < count; k++) {
        if (place->count > 0) {
            const struct pf_gperftools_frame *frame = &names->frames[place->first + k];

            row.function = frame->function;
            row.line = frame->line;
            row.inlined = k + 1 < count;
        }
        names->locations[names->location_count++] = add_location(dict, &row);
    }
    return true;
}

const uint32_t *pf_gperftools_names_get(struct pf_gperftools_names *names, struct pf_dict *dict,
                                        struct pf_gperftools_maps *maps, uint64_t address,
                                        size_t *count)
{
    struct pf_gperftools_place *place = place_of(names, address);

    if (!place ||
        (place->location == SIZE_MAX && !make_locations(names, dict, maps, address, place)))
        return NULL;
    *count = place->locations;
    return names->locations + place->location;
}

bool pf_gperftools_java_line(struct pf_reader *reader, struct pf_bytes line)
{
    struct pf_gperftools *state = reader->state;
    struct pf_bytes name = pf_bytes_trim(line), file = PF_BYTES("");
    struct pf_gperftools_frame frame = {0};
    uint64_t number;

    if (!pf_bytes_starts(name, PF_BYTES("0x")) || !pf_gperftools_hex(&name, &number) ||
        name.size == 0 || !pf_one_of(*name.data, " \t") || name.size >= PF_STRING_MAX)
        return false;
    name = pf_bytes_trim(name);
    for (size_t at = name.size; pf_bytes_ends(name, PF_BYTES(")")) && at-- > 1;) {
        if (name.data[at] != '(')
            continue;
        if (name.data[at - 1] == ' ') {
            file = pf_gperftools_file_line(
                (struct pf_bytes){name.data + at + 1, name.size - at - 2}, &frame.line);
            name = pf_bytes_trim((struct pf_bytes){name.data, at});
        }
        break;
    }
    state->names.numbers = true;
    frame.function = pf_gperftools_function(reader->dict, name, file);
    pf_gperftools_names_set(&state->names, number, &frame, 1);
    return true;
}

/* --- the current record ----------------------------------------------------------------------- */

int pf_gperftools_push(struct pf_reader *reader, uint64_t address)
{
    struct pf_gperftools *state = reader->state;
    struct pf_gperftools_record *record = &state->record;

    if (record->depth == PF_STACK_DEPTH_MAX)
        return pf_rows_too_deep(&reader->error, state->offset);
    if (!pf_grow(&record->addresses, &record->capacity, record->depth + 1,
                 sizeof *record->addresses))
        return pf_error_nomem(&reader->error);
    record->addresses[record->depth++] = address;
    return PF_OK;
}

void pf_gperftools_begin_record(struct pf_reader *reader)
{
    struct pf_gperftools *state = reader->state;

    state->record.open = true;
    state->record.offset = state->offset;
    state->record.labels = 0;
}

int pf_gperftools_end_record(struct pf_reader *reader)
{
    struct pf_gperftools *state = reader->state;
    struct pf_gperftools_record *record = &state->record;
    struct pf_gperftools_rows *rows = &state->rows;

    if (!record->open)
        return PF_OK;
    record->open = false;
    rows->key.size = 0;
    pf_buffer_append(&rows->key, &record->labels, sizeof record->labels);
    pf_buffer_append(&rows->key, record->addresses, record->depth * sizeof *record->addresses);
    if (rows->key.failed)
        return pf_error_nomem(&reader->error);
    size_t k = pf_strings_intern(&rows->keys, (struct pf_bytes){rows->key.data, rows->key.size}, 0);

    if (k == 0 || !pf_grow_clear(&rows->rows, &rows->capacity, k, sizeof *rows->rows))
        return pf_error_nomem(&reader->error);
    if (k > rows->count)
        rows->count = k;
    struct pf_gperftools_row *row = &rows->rows[k - 1], sum = *row;

    for (size_t i = 0; i < PF_GPERFTOOLS_VALUES; i++)
        if (!pf_add64(sum.values[i], record->values[i], &sum.values[i]))
            return pf_error_at(&reader->error, PF_OVERFLOW, record->offset,
                               "the sum of the records of this stack overflows 64 bits");
    if (sum.times++ == 0)
        sum.offset = record->offset;
    rows->records++;
    *row = sum;
    return PF_OK;
}

/* --- records ---------------------------------------------------------------------------------- */

enum { SIMILAR = 32 }; /* a frame is a signal handler's if at most one record in so many lacks it */

int pf_gperftools_rows_init(struct pf_gperftools_rows *rows)
{
    return pf_strings_init(&rows->keys);
}

void pf_gperftools_rows_free(struct pf_gperftools_rows *rows)
{
    pf_strings_free(&rows->keys);
    pf_buffer_free(&rows->key);
    free(rows->rows);
    free(rows->stack);
}

/* The addresses of row k, without the frames of the signal handler found so far. */
static const uint64_t *row_addresses(struct pf_gperftools_rows *rows, size_t k, uint32_t *labels,
                                     size_t *depth)
{
    struct pf_bytes key = pf_strings_bytes(&rows->keys, (uint32_t)k + 1);
    size_t skip = 0;

    memcpy(labels, key.data, sizeof *labels);
    key = pf_bytes_skip(key, sizeof *labels);
    *depth = key.size / sizeof *rows->stack;
    if (!pf_grow(&rows->stack, &rows->stack_capacity, *depth + 1, sizeof *rows->stack))
        return NULL;
    memcpy(rows->stack, key.data, key.size);
    for (size_t i = 0; i < rows->handler_count; i++)
        skip += skip + 1 < *depth && rows->stack[1 + skip] == rows->handlers[i];
    if (skip > 0) {
        *depth -= skip;
        memmove(rows->stack + 1, rows->stack + 1 + skip, (*depth - 1) * sizeof *rows->stack);
    }
    return rows->stack;
}

const uint64_t *pf_gperftools_rows_get(struct pf_gperftools_rows *rows, size_t k, uint32_t *labels,
                                       size_t *depth)
{
    const uint64_t *stack = row_addresses(rows, k, labels, depth);

    if (stack && rows->twice && *depth >= 2 && !pf_gperftools_is_named(stack[0]) &&
        stack[0] == stack[1] + 1) {
        --*depth;
        memmove(rows->stack + 1, rows->stack + 2, (*depth - 1) * sizeof *rows->stack);
    }
    return stack;
}

/* Finds the next frame of a signal handler. *found 0: no such frame. */
static int find_handler(struct pf_gperftools_rows *rows, uint64_t *found)
{
    struct pf_table seconds;
    uint64_t *times = NULL, need = rows->records - rows->records / SIMILAR;
    size_t capacity = 0, depth;
    bool good = pf_table_init(&seconds, sizeof(uint64_t)) == PF_OK;

    *found = 0;
    for (size_t k = 0; good && k < rows->count && *found == 0; k++) {
        uint32_t labels, id;
        const uint64_t *stack = row_addresses(rows, k, &labels, &depth);

        if (stack && depth < 2)
            continue;
        id = stack ? pf_table_intern(&seconds, &stack[1]) : 0;
        good = stack && seconds.status == PF_OK &&
               pf_grow_clear(&times, &capacity, (size_t)id + 1, sizeof *times);
        if (!good || id == 0)
            continue;
        times[id] += rows->rows[k].times;
        if (times[id] >= need)
            *found = stack[1];
    }
    pf_table_free(&seconds);
    free(times);
    return good ? PF_OK : PF_NOMEM;
}

int pf_gperftools_rows_find_handlers(struct pf_gperftools_rows *rows)
{
    int status = PF_OK;
    uint64_t address = 1;

    while (status == PF_OK && address != 0 && rows->interrupted &&
           rows->handler_count < PF_GPERFTOOLS_HANDLERS) {
        status = find_handler(rows, &address);
        if (address != 0)
            rows->handlers[rows->handler_count++] = address;
    }
    return status;
}

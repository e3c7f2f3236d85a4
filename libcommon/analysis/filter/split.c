#include "analysis/filter/split.h"

#include "analysis/filter/label_tests.h"
#include "analysis/names/id_map.h"
#include "analysis/sum/outermost.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MAX_BYTES = 200 }; /* leaves room for a suffix in the 255 of most file systems */

/* A part is a value: the bytes of a string, or a number with its unit. Strings with equal bytes but
 * different flags are one value, so `text` is a row of split->strings, which has no flags. */
struct value {
    uint32_t kind; /* enum value_kind */
    uint32_t text; /* string: the value, or the unit */
    int64_t number;
};

enum value_kind { VALUE_TEXT = 1, VALUE_NUMBER };

struct pf_split {
    const struct pf_dict *dict;
    const char *key_text;
    struct pf_bytes key;
    bool by_image;
    bool found;                /* a record has a value */
    struct pf_table values;    /* struct value; part p is row p + 1 */
    struct pf_strings strings; /* bytes without flags */
    struct pf_id_map sets, locations;
    struct pf_outermost outermost;
    char **names; /* file names, by part */
    size_t name_capacity;
    uint32_t *parts, *order, *starts; /* of a batch: the part of each row; the rows by part */
    struct pf_split_rows *list;
    size_t part_capacity, order_capacity, start_capacity, list_capacity;
    struct pf_arena bytes;
};

struct pf_split *pf_split_new(const struct pf_dict *dict, const char *key)
{
    struct pf_split *split = calloc(1, sizeof *split);

    if (!split)
        return NULL;
    split->dict = dict;
    split->key_text = key;
    split->key = pf_bytes_of(key);
    split->by_image = pf_bytes_equal(split->key, PF_BYTES("image"));
    if (pf_table_init(&split->values, sizeof(struct value)) != PF_OK ||
        pf_strings_init(&split->strings) != PF_OK) {
        pf_split_free(split);
        return NULL;
    }
    return split;
}

void pf_split_free(struct pf_split *split)
{
    if (!split)
        return;
    pf_table_free(&split->values);
    pf_strings_free(&split->strings);
    pf_outermost_free(&split->outermost);
    pf_id_map_free(&split->sets);
    pf_id_map_free(&split->locations);
    pf_arena_free(&split->bytes);
    free(split->names);
    free(split->parts);
    free(split->order);
    free(split->starts);
    free(split->list);
    free(split);
}

/* --- parts ------------------------------------------------------------------------------------ */

static uint32_t part_of_value(struct pf_split *split, struct value value, struct pf_bytes text)
{
    split->found = true;
    value.text = pf_strings_intern(&split->strings, text, 0);
    return pf_table_intern(&split->values, &value) - 1;
}

/* The part of records without a value; it is numbered at first occurrence, like the others. */
static uint32_t part_of_none(struct pf_split *split)
{
    struct value none = {.kind = UINT32_MAX};

    return pf_table_intern(&split->values, &none) - 1;
}

static uint32_t part_of_image(struct pf_split *split, uint32_t location)
{
    const struct pf_location *row = pf_dict_location(split->dict, location);
    uint32_t name = pf_dict_image(split->dict, row->image)->name;

    if (row->image == 0)
        return part_of_none(split);
    return part_of_value(split, (struct value){.kind = VALUE_TEXT},
                         pf_dict_string(split->dict, name));
}

static uint32_t part_of_labels(struct pf_split *split, uint32_t labels)
{
    uint32_t outermost = pf_outermost_of(&split->outermost, labels);
    const struct pf_label *found = pf_dict_label(split->dict, outermost);

    if (outermost == 0)
        return part_of_none(split);
    return part_of_value(split,
                         (struct value){.kind = found->numeric ? VALUE_NUMBER : VALUE_TEXT,
                                        .number = found->numeric ? found->number : 0},
                         pf_dict_string(split->dict, found->text));
}

static uint32_t place_of(const struct pf_split *split, const struct pf_batch *batch, uint32_t row)
{
    if (batch->kind == PF_SAMPLE)
        return batch->stack ? pf_dict_stack(split->dict, batch->stack[row])->location : 0;
    if (batch->kind == PF_EDGE)
        return batch->callee ? batch->callee[row] : 0;
    return batch->location ? batch->location[row] : 0;
}

static bool find_parts(struct pf_split *split, const struct pf_batch *batch)
{
    struct pf_id_map *map = split->by_image ? &split->locations : &split->sets;

    if (!pf_outermost_extend(&split->outermost, split->dict, split->key))
        return false;
    for (uint32_t i = 0; i < batch->rows; i++) {
        uint32_t id = split->by_image ? place_of(split, batch, i)
                      : batch->labels ? batch->labels[i]
                                      : 0;

        if (pf_id_map_get(map, id, &split->parts[i]))
            continue;
        split->parts[i] = split->by_image ? part_of_image(split, id) : part_of_labels(split, id);
        if (split->values.status != PF_OK || split->strings.status != PF_OK ||
            !pf_id_map_put(map, id, split->parts[i]))
            return false;
    }
    return true;
}

/* Sorts the rows by part, and keeps their order within a part: counts, then places them. */
static void sort_rows(struct pf_split *split, uint32_t rows, uint32_t parts)
{
    uint32_t *starts = split->starts, before = 0;

    for (uint32_t p = 0; p < parts; p++)
        starts[p] = 0;
    for (uint32_t i = 0; i < rows; i++)
        starts[split->parts[i]]++;
    for (uint32_t p = 0; p < parts; p++) {
        uint32_t count = starts[p];

        starts[p] = before;
        before += count;
    }
    for (uint32_t i = 0; i < rows; i++)
        split->order[starts[split->parts[i]]++] = i;
}

int pf_split_batch(struct pf_split *split, const struct pf_batch *batch,
                   const struct pf_split_rows **list, uint32_t *count)
{
    uint32_t rows = batch->rows, parts, from = 0;

    if (!pf_grow(&split->parts, &split->part_capacity, rows, sizeof(uint32_t)) ||
        !pf_grow(&split->order, &split->order_capacity, rows, sizeof(uint32_t)) ||
        !find_parts(split, batch))
        return PF_NOMEM;
    parts = split->values.count - 1;
    if (!pf_grow(&split->starts, &split->start_capacity, parts, sizeof(uint32_t)) ||
        !pf_grow(&split->list, &split->list_capacity, parts, sizeof *split->list))
        return PF_NOMEM;
    sort_rows(split, rows, parts);
    *count = 0;
    for (uint32_t p = 0; p < parts; p++) {
        uint32_t end = split->starts[p];

        if (end > from)
            split->list[(*count)++] = (struct pf_split_rows){p, split->order + from, end - from};
        from = end;
    }
    *list = split->list;
    return PF_OK;
}

/* --- reports ---------------------------------------------------------------------------------- */

/* Tests all label sets of the records for the key, which no set has, so that the report can name
 * the keys. */
static int look_for_key(const struct pf_split *split, struct pf_label_tests *tests)
{
    struct pf_error ignored = {0};
    uint32_t part;
    int status = pf_label_tests_add(tests, PF_LABEL_MATCHED, split->key_text, 0, &ignored);

    if (status == PF_OK)
        status = pf_label_tests_prepare(tests, split->dict);
    for (uint32_t set = 0; status == PF_OK && set < split->dict->labels.count; set++)
        if (pf_id_map_get(&split->sets, set, &part))
            pf_label_tests_look(tests, split->dict, set);
    return status == PF_OK ? pf_label_tests_status(tests) : status;
}

int pf_split_report(const struct pf_split *split, const struct pf_report *report)
{
    struct pf_label_tests tests = {0};
    int status = PF_OK;

    if (split->found || split->values.count < 2)
        return PF_OK;
    if (split->by_image) {
        pf_report_send(report, PF_WARNING, "no record has an image: all go to _none");
    } else if (memchr(split->key.data, '=', split->key.size)) {
        pf_report_send(report, PF_WARNING, "no record has a label '%s': all go to _none",
                       split->key_text);
    } else {
        status = look_for_key(split, &tests);
        if (status == PF_OK)
            status = pf_label_tests_report(&tests, split->dict, NULL, report);
    }
    pf_label_tests_free(&tests);
    return status;
}

/* --- names ------------------------------------------------------------------------------------ */

static bool is_plain(char c)
{
    return pf_word_char(c) || c == '.' || c == '-';
}

/* Appends `text` with its escapes; false if the name would be too long. */
static bool append_escaped(struct pf_bytes text, struct pf_buffer *name)
{
    bool first = name->size == 0, leading = first;

    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.data[i];
        bool plain = is_plain(text.data[i]) && !(leading && c == '.') &&
                     !(first && i == 0 && c == '-');

        leading = leading && c == '.';
        if (name->size + (plain ? 1 : 3) > NAME_MAX_BYTES)
            return false;
        if (plain)
            pf_buffer_byte(name, c);
        else
            pf_buffer_printf(name, "%%%02X", (unsigned)c);
    }
    return true;
}

static void append(struct pf_buffer *name, const char *text)
{
    pf_buffer_append(name, text, strlen(text));
}

/* Encoded text has no '=' and no '+', so names of numbers and cut names differ from all others. */
static void make_name(const struct pf_split *split, uint32_t part, struct pf_buffer *name)
{
    const struct value *value = pf_table_row(&split->values, part + 1);
    struct pf_bytes text =
        pf_strings_bytes(&split->strings, value->kind == UINT32_MAX ? 0 : value->text);
    char number[32];

    if (value->kind == UINT32_MAX) {
        append(name, "_none");
        return;
    }
    if (value->kind == VALUE_NUMBER) {
        uint64_t size = value->number < 0 ? -(uint64_t)value->number : (uint64_t)value->number;

        snprintf(number, sizeof number, "%s%llu=", value->number < 0 ? "%2D" : "",
                 (unsigned long long)size);
        append(name, number);
    } else if (text.size == 0) {
        append(name, "_empty");
        return;
    } else if (pf_bytes_equal(text, PF_BYTES("_none")) ||
               pf_bytes_equal(text, PF_BYTES("_empty"))) {
        append(name, "%5F");
        text.data++;
        text.size--;
    }
    if (!append_escaped(text, name)) {
        snprintf(number, sizeof number, "+%lu", (unsigned long)part);
        append(name, number);
    }
}

const char *pf_split_name(struct pf_split *split, uint32_t part)
{
    struct pf_buffer name = {0};

    if (!pf_grow_clear(&split->names, &split->name_capacity, (size_t)part + 1,
                       sizeof *split->names))
        return NULL;
    if (!split->names[part]) {
        make_name(split, part, &name);
        split->names[part] = pf_arena_take(&split->bytes, &name);
    }
    return split->names[part];
}

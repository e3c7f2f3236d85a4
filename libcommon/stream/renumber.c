#include "stream/renumber.h"

#include "base/memory.h"
#include "stream/columns.h"

#include <stdlib.h>
#include <string.h>

enum {
    ROWS_AT_ONCE = 8192, /* rows of a table in a frame */
    /* bytes of strings in a frame; a longer string has a frame of its own */
    STRING_BYTES_AT_ONCE = 262144
};

void pf_renumber_start(struct pf_renumber *renumber)
{
    for (size_t i = 0; i < PF_TABLES; i++) {
        struct pf_renumber_table *table = &renumber->tables[i];
        table->known = 0;
        table->next = 1;
        table->fresh_count = 0;
    }
}

void pf_renumber_free(struct pf_renumber *renumber)
{
    for (size_t i = 0; i < PF_TABLES; i++) {
        free(renumber->tables[i].map);
        free(renumber->tables[i].fresh);
    }
    free(renumber->path);
    free(renumber->columns);
    *renumber = (struct pf_renumber){0};
}

/* Extends the map to all rows of the dictionary. */
static bool cover(struct pf_renumber *renumber, const struct pf_dict *dict,
                  enum pf_dict_table number)
{
    struct pf_renumber_table *table = &renumber->tables[number];
    uint32_t count = pf_dict_count(dict, number);

    if (table->known == count)
        return true;
    if (!pf_grow(&table->map, &table->capacity, count, sizeof *table->map)) {
        renumber->failed = true;
        return false;
    }
    memset(table->map + table->known, 0xff, (count - table->known) * sizeof *table->map);
    table->known = count;
    table->map[0] = 0;
    return true;
}

static void number_row(struct pf_renumber *renumber, enum pf_dict_table number, uint32_t id)
{
    struct pf_renumber_table *table = &renumber->tables[number];

    if (!pf_grow(&table->fresh, &table->fresh_capacity, (size_t)table->fresh_count + 1,
                 sizeof *table->fresh)) {
        renumber->failed = true;
        return;
    }
    table->fresh[table->fresh_count++] = id;
    table->map[id] = table->next++;
}

/* True if rows of the table have parents: the first field is then the parent. */
static bool has_parent(enum pf_dict_table table)
{
    return pf_row_layouts[table].fields[0].refers == (uint8_t)table;
}

static void use_fields(struct pf_renumber *renumber, const struct pf_dict *dict,
                       enum pf_dict_table number, uint32_t id)
{
    const struct pf_row_layout *layout = &pf_row_layouts[number];

    for (uint32_t i = has_parent(number) ? 1 : 0; i < layout->field_count; i++) {
        const struct pf_row_field *field = &layout->fields[i];
        if (field->refers != PF_TABLE_NONE)
            pf_renumber_id(
                renumber, dict, (enum pf_dict_table)field->refers,
                (uint32_t)pf_row_get(field, pf_table_row(pf_dict_rows(dict, number), id)));
    }
}

/* Uses a row and its parents; without recursion, because a chain may have a million rows. */
static void use_chain(struct pf_renumber *renumber, const struct pf_dict *dict,
                      enum pf_dict_table number, uint32_t id)
{
    const struct pf_table *rows = pf_dict_rows(dict, number);
    size_t length = 0;

    for (; renumber->tables[number].map[id] == UINT32_MAX;
         memcpy(&id, pf_table_row(rows, id), sizeof id)) {
        if (!pf_grow(&renumber->path, &renumber->path_capacity, length + 1,
                     sizeof *renumber->path)) {
            renumber->failed = true;
            return;
        }
        renumber->path[length++] = id;
    }
    while (length > 0 && !renumber->failed) {
        id = renumber->path[--length];
        use_fields(renumber, dict, number, id);
        number_row(renumber, number, id);
    }
}

uint32_t pf_renumber_id(struct pf_renumber *renumber, const struct pf_dict *dict,
                        enum pf_dict_table number, uint32_t id)
{
    if (renumber->failed || !cover(renumber, dict, number))
        return 0;
    if (renumber->tables[number].map[id] == UINT32_MAX) {
        if (has_parent(number)) {
            use_chain(renumber, dict, number, id);
        } else {
            use_fields(renumber, dict, number, id);
            number_row(renumber, number, id);
        }
    }
    return renumber->failed ? 0 : renumber->tables[number].map[id];
}

void pf_renumber_column(struct pf_renumber *renumber, const struct pf_dict *dict,
                        enum pf_dict_table number, const uint32_t *restrict ids, uint32_t rows,
                        uint32_t *restrict out)
{
    if (renumber->failed || !cover(renumber, dict, number))
        return;
    const uint32_t *restrict map = renumber->tables[number].map;
    uint32_t highest = 0;
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t id = map[ids[i]];
        highest = id > highest ? id : highest;
        out[i] = id;
    }
    if (highest != UINT32_MAX)
        return;
    for (uint32_t i = 0; i < rows; i++)
        if (out[i] == UINT32_MAX)
            out[i] = pf_renumber_id(renumber, dict, number, ids[i]);
}

/* Appends up to `rows` fresh strings to the payload; returns their number. */
static uint32_t append_strings(struct pf_renumber *renumber, const struct pf_dict *dict,
                               const uint32_t *ids, uint32_t rows, struct pf_buffer *payload)
{
    int64_t *ends = renumber->columns, *flags = ends + ROWS_AT_ONCE;
    size_t bytes = 0;
    uint32_t taken = 0;

    for (; taken < rows; taken++) {
        const struct pf_string *string = &dict->strings.rows[ids[taken]];
        if (taken > 0 && bytes + string->size > STRING_BYTES_AT_ONCE)
            break;
        bytes += string->size;
        ends[taken] = (int64_t)bytes;
        flags[taken] = string->flags & PF_UTF8;
    }
    pf_column_append_values(payload, 1, ends, taken);
    pf_column_append_values(payload, 2, flags, taken);
    for (uint32_t i = 0; i < taken; i++)
        pf_buffer_append(payload, dict->strings.rows[ids[i]].data, dict->strings.rows[ids[i]].size);
    return taken;
}

static uint32_t append_rows(struct pf_renumber *renumber, const struct pf_dict *dict,
                            enum pf_dict_table number, const uint32_t *ids, uint32_t rows,
                            struct pf_buffer *payload)
{
    const struct pf_row_layout *layout = &pf_row_layouts[number];

    for (uint32_t i = 0; i < layout->field_count; i++) {
        const struct pf_row_field *field = &layout->fields[i];
        const uint32_t *map = renumber->tables[field->refers].map;
        for (uint32_t row = 0; row < rows; row++) {
            int64_t value = pf_row_get(field, pf_table_row(pf_dict_rows(dict, number), ids[row]));
            renumber->columns[row] = field->refers == PF_TABLE_NONE ? value : map[value];
        }
        pf_column_append_values(payload,
                                (uint16_t)((i + 1) | (field->may_skip ? PF_COLUMN_MAY_SKIP : 0)),
                                renumber->columns, rows);
    }
    return rows;
}

static int write_table(struct pf_renumber *renumber, const struct pf_dict *dict,
                       enum pf_dict_table number, struct pf_emit *emit)
{
    struct pf_renumber_table *table = &renumber->tables[number];
    uint32_t base = table->next - table->fresh_count;

    for (uint32_t done = 0; done < table->fresh_count;) {
        uint32_t left = table->fresh_count - done, rows = left < ROWS_AT_ONCE ? left : ROWS_AT_ONCE;
        const uint32_t *ids = table->fresh + done;
        rows = number == PF_TABLE_STRINGS
                   ? append_strings(renumber, dict, ids, rows, &emit->payload)
                   : append_rows(renumber, dict, number, ids, rows, &emit->payload);
        int status = pf_emit_frame(emit, 'D', number, rows, base + done);
        if (status != PF_OK)
            return status;
        done += rows;
    }
    table->fresh_count = 0;
    return PF_OK;
}

int pf_renumber_write(struct pf_renumber *renumber, const struct pf_dict *dict,
                      struct pf_emit *emit)
{
    if (renumber->failed || !pf_grow(&renumber->columns, &renumber->columns_capacity,
                                     2 * (size_t)ROWS_AT_ONCE, sizeof *renumber->columns))
        return PF_NOMEM;
    for (unsigned number = PF_TABLE_STRINGS; number < PF_TABLES; number++) {
        int status = write_table(renumber, dict, (enum pf_dict_table)number, emit);
        if (status != PF_OK)
            return status;
    }
    return PF_OK;
}

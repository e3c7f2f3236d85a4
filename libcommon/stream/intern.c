#include "stream/intern.h"

#include "base/memory.h"
#include "model/labels.h"
#include "stream/columns.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* rows unpacked at a time */
enum { CHUNK = 1024 };

void pf_intern_start(struct pf_intern *intern)
{
    for (size_t i = 0; i < PF_TABLES; i++) {
        free(intern->maps[i].ids);
        intern->maps[i] = (struct pf_idmap){.count = 1};
    }
}

void pf_intern_free(struct pf_intern *intern)
{
    for (size_t i = 0; i < PF_TABLES; i++)
        free(intern->maps[i].ids);
    free(intern->depths[0].rows);
    free(intern->depths[1].rows);
    free(intern->columns);
    *intern = (struct pf_intern){0};
}

bool pf_idmap_add(struct pf_idmap *map, uint32_t id)
{
    if (!map->ids && id == map->count) {
        map->count++;
        return true;
    }
    bool first = !map->ids;
    if (!pf_grow(&map->ids, &map->capacity, (size_t)map->count + 1, sizeof *map->ids))
        return false;
    for (uint32_t i = 0; first && i < map->count; i++)
        map->ids[i] = i;
    map->ids[map->count++] = id;
    return true;
}

static int bad_row(const struct pf_frame *frame, uint32_t row, struct pf_error *error,
                   const char *what)
{
    return pf_error_at(error, PF_FAILED, frame->offset, "%s %" PRIu32 ": %s",
                       pf_row_layouts[frame->domain].name, frame->base + row, what);
}

/* Finds the columns of a table frame; columns[n - 1] is column n. Absent columns have width and
 * minimum 0. */
static int find_columns(struct pf_columns *walk, struct pf_column *columns, uint32_t count,
                        struct pf_error *error)
{
    struct pf_column column;
    int status;

    for (uint32_t i = 0; i < count; i++)
        columns[i] = (struct pf_column){.data = walk->bytes};
    while ((status = pf_columns_next(walk, &column, error)) == PF_OK) {
        uint32_t number = column.id & ~(uint32_t)PF_COLUMN_MAY_SKIP;

        if (number == 0 || number > count ||
            (number == column.id && walk->known != 0 &&
             (number | PF_COLUMN_MAY_SKIP) >= walk->known))
            return pf_error_at(error, PF_UNSUPPORTED, walk->offset,
                               "table with a column %u: needs a newer version", column.id);
        columns[number - 1] = column;
    }
    return status == PF_EOF ? PF_OK : status;
}

static int intern_strings(struct pf_intern *intern, struct pf_dict *dict,
                          const struct pf_frame *frame, const unsigned char *payload,
                          struct pf_error *error)
{
    struct pf_columns walk;
    struct pf_column columns[2];
    int status =
        pf_columns_begin(&walk, frame->rows, frame->offset, payload, frame->raw, true, error);
    if (status == PF_OK)
        status = find_columns(&walk, columns, 2, error);
    if (status != PF_OK)
        return status;
    if (!pf_column_below(&columns[1], frame->rows, PF_UTF8 + 1))
        return pf_error_at(error, PF_FAILED, frame->offset,
                           "string with flags that are neither 0 nor 1");
    const char *bytes = (const char *)payload + walk.size;
    uint64_t size = frame->raw - walk.size, begin = 0;
    for (uint32_t row = 0; row < frame->rows; row++) {
        uint64_t end = pf_column_value(&columns[0], row);
        if (end < begin || end > size)
            return bad_row(frame, row, error,
                           "the end is before the start or after the bytes of the frame");
        if (end - begin > PF_STRING_MAX)
            return bad_row(frame, row, error, "longer than the limit of 16711680 bytes");
        unsigned flags = (unsigned)pf_column_value(&columns[1], row);
        uint32_t id =
            pf_dict_intern(dict, (struct pf_bytes){bytes + begin, (size_t)(end - begin)}, flags);
        if (!pf_idmap_add(&intern->maps[PF_TABLE_STRINGS], id))
            return pf_error_nomem(error);
        begin = end;
    }
    return PF_OK;
}

/* Checks a value against its limit, and maps an id to the dictionary's. Only earlier rows are
 * mapped, so a parent must be an earlier row. */
static bool field_value(const struct pf_intern *intern, const struct pf_row_field *field,
                        int64_t *value)
{
    const struct pf_idmap *map = &intern->maps[field->refers];
    uint64_t limit = field->limit;

    if (field->refers != PF_TABLE_NONE)
        limit = map->count;
    else if (limit == 0 && field->size < 8)
        limit = UINT64_C(1) << 8 * field->size;
    if (limit != 0 && (uint64_t)*value >= limit)
        return false;
    if (field->refers != PF_TABLE_NONE)
        *value = pf_idmap_get(map, (uint32_t)*value);
    return true;
}

static uint32_t intern_row(struct pf_dict *dict, enum pf_dict_table table, union pf_any_row *row)
{
    if (table != PF_TABLE_MEASURES)
        return pf_dict_add_row(dict, table, row);
    row->measure.num += row->measure.num == 0;
    row->measure.den += row->measure.den == 0;
    return pf_dict_add_measure(dict, row->measure) + 1;
}

/* Checks that no stack or label set exceeds its limit. Only a table with more rows than the limit
 * can have such a chain, so smaller tables are not checked. Depths are those of the dictionary's
 * rows. */
static int check_depths(struct pf_intern *intern, const struct pf_dict *dict,
                        const struct pf_frame *frame, struct pf_error *error)
{
    bool stacks = frame->domain == PF_TABLE_STACKS;
    const struct pf_table *table = pf_dict_rows(dict, (enum pf_dict_table)frame->domain);
    struct pf_depths *depths = &intern->depths[stacks ? 0 : 1];
    uint32_t limit = stacks ? PF_STACK_DEPTH_MAX : PF_LABELS_MAX, parent;

    if (intern->maps[frame->domain].count <= limit)
        return PF_OK;
    if (!pf_grow(&depths->rows, &depths->capacity, table->count, sizeof *depths->rows))
        return pf_error_nomem(error);
    depths->rows[0] = 0;
    for (uint32_t id = depths->known + 1; id < table->count; id++) {
        memcpy(&parent, pf_table_row(table, id), sizeof parent);
        depths->rows[id] = depths->rows[parent] + 1;
        if (depths->rows[id] > limit)
            return pf_error_at(error, PF_FAILED, frame->offset,
                               stacks ? "a stack deeper than %" PRIu32 " frames"
                                      : "a set of more than %" PRIu32 " labels",
                               limit);
        depths->known = id;
    }
    return PF_OK;
}

/* Adds a row from the unpacked columns. */
static int add_row(struct pf_intern *intern, struct pf_dict *dict, const struct pf_frame *frame,
                   uint32_t row, uint32_t at, struct pf_error *error)
{
    const struct pf_row_layout *layout = &pf_row_layouts[frame->domain];
    enum pf_dict_table table = (enum pf_dict_table)frame->domain;
    union pf_any_row values;

    memset(&values, 0, sizeof values);
    for (uint32_t i = 0; i < layout->field_count; i++) {
        int64_t stored = intern->columns[i * CHUNK + at], value = stored;
        if (!field_value(intern, &layout->fields[i], &value))
            return pf_error_at(error, PF_FAILED, frame->offset,
                               "%s %" PRIu32 ": column %" PRIu32 " is %" PRIu64 ", out of range",
                               layout->name, frame->base + row, i + 1, (uint64_t)stored);
        pf_row_set(&layout->fields[i], &values, value);
    }
    uint32_t id = intern_row(dict, table, &values);
    if (id == 0 && pf_dict_status(dict) == PF_OK)
        return bad_row(frame, row, error, "all columns are 0");
    if (!pf_idmap_add(&intern->maps[table], id))
        return pf_error_nomem(error);
    return PF_OK;
}

/* The same as add_row for stacks, faster: most rows are stacks. */
static int add_stacks(struct pf_intern *intern, struct pf_dict *dict, const struct pf_frame *frame,
                      uint32_t first, uint32_t rows, struct pf_error *error)
{
    struct pf_idmap *map = &intern->maps[PF_TABLE_STACKS],
                    *locations = &intern->maps[PF_TABLE_LOCATIONS];
    const int64_t *parents = intern->columns, *places = intern->columns + CHUNK;

    for (uint32_t i = 0; i < rows; i++) {
        uint64_t parent = (uint64_t)parents[i], place = (uint64_t)places[i];
        if (parent >= map->count || place >= locations->count || place == 0)
            return pf_error_at(error, PF_FAILED, frame->offset,
                               "stacks %" PRIu32 ": parent %" PRIu64 " or location %" PRIu64
                               " out of range",
                               frame->base + first + i, parent, place);
        if (!pf_idmap_add(map, pf_dict_add_frame(dict, pf_idmap_get(map, (uint32_t)parent),
                                                 pf_idmap_get(locations, (uint32_t)place))))
            return pf_error_nomem(error);
    }
    return PF_OK;
}

static int intern_rows(struct pf_intern *intern, struct pf_dict *dict, const struct pf_frame *frame,
                       const unsigned char *payload, struct pf_error *error)
{
    const struct pf_row_layout *layout = &pf_row_layouts[frame->domain];
    uint32_t fields = layout->field_count, first_skipped = fields;
    struct pf_columns walk;
    struct pf_column columns[PF_ROW_FIELDS_MAX];
    int status =
        pf_columns_begin(&walk, frame->rows, frame->offset, payload, frame->raw, false, error);
    while (first_skipped > 0 && layout->fields[first_skipped - 1].may_skip)
        first_skipped--;
    if (first_skipped < fields) {
        walk.known = (uint16_t)((first_skipped + 1) | PF_COLUMN_MAY_SKIP);
        walk.known_end = (uint16_t)(fields | PF_COLUMN_MAY_SKIP);
    }
    if (status == PF_OK)
        status = find_columns(&walk, columns, fields, error);
    if (status != PF_OK)
        return status;
    if (!pf_grow(&intern->columns, &intern->columns_capacity, (size_t)PF_ROW_FIELDS_MAX * CHUNK,
                 sizeof *intern->columns))
        return pf_error_nomem(error);
    for (uint32_t first = 0; first < frame->rows; first += CHUNK) {
        uint32_t rows = frame->rows - first < CHUNK ? frame->rows - first : CHUNK;
        for (uint32_t i = 0; i < fields; i++)
            pf_column_values(&columns[i], first, rows, intern->columns + (size_t)i * CHUNK);
        if (frame->domain == PF_TABLE_STACKS)
            status = add_stacks(intern, dict, frame, first, rows, error);
        for (uint32_t at = 0; frame->domain != PF_TABLE_STACKS && at < rows && status == PF_OK;
             at++)
            status = add_row(intern, dict, frame, first + at, at, error);
        if (status != PF_OK)
            return status;
    }
    return frame->domain == PF_TABLE_STACKS || frame->domain == PF_TABLE_LABELS
               ? check_depths(intern, dict, frame, error)
               : PF_OK;
}

int pf_intern_frame(struct pf_intern *intern, struct pf_dict *dict, const struct pf_frame *frame,
                    const unsigned char *payload, struct pf_error *error)
{
    return frame->domain == PF_TABLE_STRINGS ? intern_strings(intern, dict, frame, payload, error)
                                             : intern_rows(intern, dict, frame, payload, error);
}

#include "model/parcel.h"

#include "base/error.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* A row refers only to rows of earlier tables and to earlier rows of its own table. */
enum table { STRINGS, MEASURES, IMAGES, FUNCTIONS, LOCATIONS, STACKS, LABELS };

/* The rows that a table gained since the last parcel. */
struct gained {
    uint32_t count;
    char *rows;
};

enum { ID_COLUMNS = 7 };

struct pf_parcel {
    size_t size;
    struct pf_batch batch;
    struct content {
        struct gained gained[PF_PARCEL_TABLES];
        /* columns of the batch; ids are the sender's until the parcel is unpacked */
        uint32_t *ids[ID_COLUMNS];
        struct pf_value_column *values;
    } content;
    max_align_t data[];
};

/* The table that the ids of each column are from. */
static const enum table column_tables[ID_COLUMNS] = {STACKS,  LOCATIONS, LOCATIONS, LABELS,
                                                     STRINGS, STRINGS,   STRINGS};

static void find_columns(struct pf_batch *batch, const uint32_t **columns[ID_COLUMNS])
{
    const uint32_t **found[ID_COLUMNS] = {&batch->stack,  &batch->location, &batch->callee,
                                          &batch->labels, &batch->origin,   &batch->key,
                                          &batch->value};
    memcpy(columns, found, sizeof found);
}

void pf_unpacked_free(struct pf_unpacked *unpacked)
{
    for (size_t i = 0; i < PF_PARCEL_TABLES; i++)
        free(unpacked->tables[i].to);
    *unpacked = (struct pf_unpacked){0};
}

void pf_parcel_free(struct pf_parcel *parcel)
{
    free(parcel);
}

size_t pf_parcel_size(const struct pf_parcel *parcel)
{
    return parcel->size;
}

/* --- packing ---------------------------------------------------------------------------------- */

/* Divides a block of memory into parts; with data NULL it only adds up their sizes. */
struct room {
    char *data;
    size_t used;
};

static char *take(struct room *room, size_t size)
{
    char *part = room->data ? room->data + room->used : NULL;
    room->used += (size + sizeof(uint64_t) - 1) & ~(sizeof(uint64_t) - 1);
    return part;
}

/* NULL: the batch has no such column. */
static char *copy(struct room *room, const void *bytes, size_t size)
{
    char *part = bytes ? take(room, size) : NULL;
    if (part && size)
        memcpy(part, bytes, size);
    return part;
}

static const struct pf_table *table_of(const struct pf_dict *dict, enum table table)
{
    const struct pf_table *tables[PF_PARCEL_TABLES] = {
        NULL,          &dict->measures.table, &dict->images, &dict->functions, &dict->locations,
        &dict->stacks, &dict->labels,
    };
    return tables[table];
}

static void pack_strings(struct room *room, const struct pf_strings *strings, uint32_t from,
                         struct gained *gained)
{
    size_t size = 0;
    gained->count = strings->count - from;
    gained->rows = copy(room, strings->rows + from, gained->count * sizeof *strings->rows);
    for (uint32_t id = from; id < strings->count; id++)
        size += strings->rows[id].size;
    char *bytes = take(room, size);
    if (!bytes)
        return;
    struct pf_string *rows = (struct pf_string *)(void *)gained->rows;
    for (uint32_t i = 0; i < gained->count; i++) {
        memcpy(bytes, rows[i].data, rows[i].size);
        rows[i].data = bytes;
        bytes += rows[i].size;
    }
}

static void pack_tables(struct room *room, const struct pf_dict *dict,
                        const struct pf_packed *packed, struct gained *gained)
{
    pack_strings(room, &dict->strings, packed->counts[STRINGS] ? packed->counts[STRINGS] : 1,
                 &gained[STRINGS]);
    for (enum table i = MEASURES; i <= LABELS; i++) {
        const struct pf_table *table = table_of(dict, i);
        uint32_t from = packed->counts[i] ? packed->counts[i] : 1;
        gained[i].count = table->count - from;
        gained[i].rows = copy(room, pf_table_row(table, from), gained[i].count * table->row_size);
    }
}

static void pack_ids(struct room *room, struct pf_batch *batch, uint32_t *ids[ID_COLUMNS])
{
    const uint32_t **columns[ID_COLUMNS];
    find_columns(batch, columns);
    for (size_t i = 0; i < ID_COLUMNS; i++)
        *columns[i] = ids[i] =
            (uint32_t *)(void *)copy(room, *columns[i], batch->rows * sizeof *ids[i]);
}

static void pack_values(struct room *room, struct pf_batch *batch, struct pf_value_column **result)
{
    if (!batch->value_count)
        return;
    char *part = copy(room, batch->values, batch->value_count * sizeof *batch->values);
    struct pf_value_column *values = (struct pf_value_column *)(void *)part;
    for (uint32_t i = 0; i < batch->value_count; i++) {
        char *data = copy(room, batch->values[i].data, batch->rows * sizeof *batch->values[i].data);
        if (values)
            values[i].data = (const int64_t *)(void *)data;
    }
    batch->values = *result = values;
}

static struct pf_bytes pack_bytes(struct room *room, struct pf_bytes bytes)
{
    return (struct pf_bytes){copy(room, bytes.data, bytes.size), bytes.size};
}

static void pack_texts(struct room *room, struct pf_batch *batch)
{
    if (!batch->texts)
        return;
    char *part = copy(room, batch->texts, batch->rows * sizeof *batch->texts);
    struct pf_text *texts = (struct pf_text *)(void *)part;
    for (uint32_t i = 0; i < batch->rows; i++) {
        struct pf_bytes name = pack_bytes(room, batch->texts[i].name),
                        text = pack_bytes(room, batch->texts[i].text);
        if (texts) {
            texts[i].name = name;
            texts[i].name_string = 0; /* of another dictionary */
            texts[i].text = text;
        }
    }
    batch->texts = texts;
}

static void pack(struct room *room, const struct pf_dict *dict, const struct pf_packed *packed,
                 struct pf_batch *batch, struct content *content)
{
    *content = (struct content){0};
    if (dict)
        pack_tables(room, dict, packed, content->gained);
    pack_ids(room, batch, content->ids);
    batch->time =
        (const int64_t *)(void *)copy(room, batch->time, batch->rows * sizeof *batch->time);
    pack_values(room, batch, &content->values);
    pack_texts(room, batch);
}

static struct pf_parcel *make_parcel(const struct pf_packed *packed, const struct pf_dict *dict,
                                     const struct pf_batch *batch)
{
    struct room room = {0};
    struct content ignored;
    struct pf_batch counted = *batch;
    pack(&room, dict, packed, &counted, &ignored);

    struct pf_parcel *parcel = malloc(sizeof *parcel + room.used);
    if (!parcel)
        return NULL;
    parcel->size = sizeof *parcel + room.used;
    parcel->batch = *batch;
    room = (struct room){.data = (char *)parcel->data};
    pack(&room, dict, packed, &parcel->batch, &parcel->content);
    return parcel;
}

struct pf_parcel *pf_parcel_pack(struct pf_packed *packed, const struct pf_dict *dict,
                                 const struct pf_batch *batch)
{
    struct pf_parcel *parcel = make_parcel(packed, dict, batch);
    if (parcel)
        packed->counts[STRINGS] = dict->strings.count;
    for (enum table i = MEASURES; parcel && i <= LABELS; i++)
        packed->counts[i] = table_of(dict, i)->count;
    return parcel;
}

struct pf_parcel *pf_parcel_copy(const struct pf_batch *batch)
{
    return make_parcel(NULL, NULL, batch);
}

const struct pf_batch *pf_parcel_batch(const struct pf_parcel *parcel)
{
    return &parcel->batch;
}

/* --- unpacking -------------------------------------------------------------------------------- */

static uint32_t mapped(const struct pf_unpacked *unpacked, enum table table, uint32_t id)
{
    return id ? unpacked->tables[table].to[id] : 0;
}

static uint32_t unpack_image(const struct pf_unpacked *unpacked, struct pf_dict *dict,
                             struct pf_image row)
{
    row.name = mapped(unpacked, STRINGS, row.name);
    row.identifier = mapped(unpacked, STRINGS, row.identifier);
    return pf_dict_add_image(dict, &row);
}

static uint32_t unpack_measure(const struct pf_unpacked *unpacked, struct pf_dict *dict,
                               struct pf_measure row)
{
    row.name = mapped(unpacked, STRINGS, row.name);
    row.unit = mapped(unpacked, STRINGS, row.unit);
    row.raw_unit = mapped(unpacked, STRINGS, row.raw_unit);
    return pf_measures_intern(&dict->measures, &row) + 1;
}

static uint32_t unpack_function(const struct pf_unpacked *unpacked, struct pf_dict *dict,
                                struct pf_function row)
{
    row.name = mapped(unpacked, STRINGS, row.name);
    row.system_name = mapped(unpacked, STRINGS, row.system_name);
    row.file = mapped(unpacked, STRINGS, row.file);
    return pf_dict_add_function(dict, &row);
}

static uint32_t unpack_location(const struct pf_unpacked *unpacked, struct pf_dict *dict,
                                struct pf_location row)
{
    row.function = mapped(unpacked, FUNCTIONS, row.function);
    row.image = mapped(unpacked, IMAGES, row.image);
    return pf_dict_add_location(dict, &row);
}

static uint32_t unpack_stack(const struct pf_unpacked *unpacked, struct pf_dict *dict,
                             struct pf_stack row)
{
    return pf_dict_add_frame(dict, mapped(unpacked, STACKS, row.parent),
                             mapped(unpacked, LOCATIONS, row.location));
}

static uint32_t unpack_label(const struct pf_unpacked *unpacked, struct pf_dict *dict,
                             struct pf_label row)
{
    row.parent = mapped(unpacked, LABELS, row.parent);
    row.key = mapped(unpacked, STRINGS, row.key);
    row.text = mapped(unpacked, STRINGS, row.text);
    return pf_dict_chain_label(dict, &row);
}

static uint32_t unpack_string(struct pf_dict *dict, const struct pf_string *row)
{
    return pf_dict_intern(dict, (struct pf_bytes){row->data, row->size}, row->flags);
}

static uint32_t unpack_row(const struct pf_unpacked *unpacked, struct pf_dict *dict,
                           enum table table, const void *rows, size_t i)
{
    switch (table) {
    case STRINGS: return unpack_string(dict, (const struct pf_string *)rows + i);
    case MEASURES: return unpack_measure(unpacked, dict, ((const struct pf_measure *)rows)[i]);
    case IMAGES: return unpack_image(unpacked, dict, ((const struct pf_image *)rows)[i]);
    case FUNCTIONS: return unpack_function(unpacked, dict, ((const struct pf_function *)rows)[i]);
    case LOCATIONS: return unpack_location(unpacked, dict, ((const struct pf_location *)rows)[i]);
    case STACKS: return unpack_stack(unpacked, dict, ((const struct pf_stack *)rows)[i]);
    case LABELS:
    default: return unpack_label(unpacked, dict, ((const struct pf_label *)rows)[i]);
    }
}

static bool unpack_table(struct pf_unpacked *unpacked, struct pf_dict *dict, enum table table,
                         const struct gained *gained)
{
    struct pf_unpacked_ids *ids = &unpacked->tables[table];
    size_t first = ids->count ? ids->count : 1;
    if (!pf_grow(&ids->to, &ids->capacity, first + gained->count, sizeof *ids->to))
        return false;
    ids->to[0] = 0;
    ids->count = first;
    for (uint32_t i = 0; i < gained->count; i++)
        ids->to[ids->count++] = unpack_row(unpacked, dict, table, gained->rows, i);
    return true;
}

static void unpack_batch(const struct pf_unpacked *unpacked, struct pf_parcel *parcel)
{
    for (size_t column = 0; column < ID_COLUMNS; column++) {
        uint32_t *ids = parcel->content.ids[column];
        for (uint32_t i = 0; ids && i < parcel->batch.rows; i++)
            ids[i] = mapped(unpacked, column_tables[column], ids[i]);
    }
    for (uint32_t i = 0; i < parcel->batch.value_count; i++) {
        uint32_t *measure = &parcel->content.values[i].measure;
        *measure = mapped(unpacked, MEASURES, *measure + 1) - 1;
    }
}

int pf_parcel_unpack(struct pf_parcel *parcel, struct pf_unpacked *unpacked, struct pf_dict *dict,
                     struct pf_batch *batch)
{
    for (enum table i = STRINGS; i <= LABELS; i++)
        if (!unpack_table(unpacked, dict, i, &parcel->content.gained[i]))
            return PF_NOMEM;
    if (pf_dict_status(dict) != PF_OK)
        return pf_dict_status(dict);
    unpack_batch(unpacked, parcel);
    *batch = parcel->batch;
    return PF_OK;
}

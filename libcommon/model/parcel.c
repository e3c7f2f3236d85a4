#include "model/parcel.h"

#include "base/error.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* The rows that a table gained since the last parcel. */
struct gained {
    uint32_t count;
    char *rows;
};

struct pf_parcel {
    size_t size;
    struct pf_batch batch;
    struct content {
        struct gained gained[PF_TABLES];
        /* columns of the batch; ids are the sender's until the parcel is unpacked */
        uint32_t *ids[PF_ID_COLUMNS];
        struct pf_value_column *values;
    } content;
    max_align_t data[];
};

void pf_unpacked_free(struct pf_unpacked *unpacked)
{
    for (size_t i = 0; i < PF_TABLES; i++)
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

/* Divides a block of memory into parts; with data NULL only adds up the sizes. */
struct room {
    char *data;
    size_t used;
};

static char *next_part(struct room *room, size_t size)
{
    char *part = room->data ? room->data + room->used : NULL;
    room->used += (size + sizeof(uint64_t) - 1) & ~(sizeof(uint64_t) - 1);
    return part;
}

/* NULL: the batch has no such column. */
static char *copy(struct room *room, const void *bytes, size_t size)
{
    char *part = bytes ? next_part(room, size) : NULL;
    if (part && size)
        memcpy(part, bytes, size);
    return part;
}

static void pack_strings(struct room *room, const struct pf_strings *strings, uint32_t from,
                         struct gained *gained)
{
    size_t size = 0;
    gained->count = strings->count - from;
    gained->rows = copy(room, strings->rows + from, gained->count * sizeof *strings->rows);
    for (uint32_t id = from; id < strings->count; id++)
        size += strings->rows[id].size;
    char *bytes = next_part(room, size);
    if (!bytes)
        return;
    struct pf_string *rows = (struct pf_string *)(void *)gained->rows;
    for (uint32_t i = 0; i < gained->count; i++) {
        memcpy(bytes, rows[i].data, rows[i].size);
        rows[i].data = bytes;
        bytes += rows[i].size;
    }
}

/* The first row of a table that is not in an earlier parcel. */
static uint32_t first_row(const struct pf_packed *packed, unsigned table)
{
    return packed->counts[table] ? packed->counts[table] : 1;
}

static void pack_tables(struct room *room, const struct pf_dict *dict,
                        const struct pf_packed *packed, struct gained *gained)
{
    pack_strings(room, &dict->strings, first_row(packed, PF_TABLE_STRINGS),
                 &gained[PF_TABLE_STRINGS]);
    for (unsigned i = PF_TABLE_STRINGS + 1; i < PF_TABLES; i++) {
        const struct pf_table *table = pf_dict_rows(dict, (enum pf_dict_table)i);
        uint32_t from = first_row(packed, i);

        gained[i].count = table->count - from;
        gained[i].rows = copy(room, pf_table_row(table, from), gained[i].count * table->row_size);
    }
}

/* Packs the columns that batches of this kind have. */
static void pack_ids(struct room *room, struct pf_batch *batch, uint32_t *ids[PF_ID_COLUMNS])
{
    struct pf_batch from = *batch;

    *batch = (struct pf_batch){.kind = from.kind,
                               .rows = from.rows,
                               .time = from.time,
                               .values = from.values,
                               .value_count = from.value_count,
                               .texts = from.texts};
    for (unsigned i = 0; i < PF_ID_COLUMNS; i++)
        if (pf_batch_tables[from.kind][i] != PF_TABLE_NONE)
            *pf_batch_ids(batch, i) = ids[i] =
                (uint32_t *)(void *)copy(room, *pf_batch_ids(&from, i), from.rows * sizeof *ids[i]);
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

    for (unsigned i = PF_TABLE_STRINGS; parcel && i < PF_TABLES; i++)
        packed->counts[i] = pf_dict_count(dict, (enum pf_dict_table)i);
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

static uint32_t mapped(const void *arg, enum pf_dict_table table, uint32_t id)
{
    const struct pf_unpacked *unpacked = arg;

    return id ? unpacked->tables[table].to[id] : 0;
}

static uint32_t unpack_row(const struct pf_unpacked *unpacked, struct pf_dict *dict,
                           enum pf_dict_table table, const char *rows, size_t i)
{
    if (table == PF_TABLE_STRINGS) {
        const struct pf_string *row = (const struct pf_string *)(const void *)rows + i;

        return pf_dict_intern(dict, (struct pf_bytes){row->data, row->size}, row->flags);
    }
    union pf_any_row row;
    size_t size = pf_dict_rows(dict, table)->row_size;

    memcpy(&row, rows + i * size, size);
    if (table == PF_TABLE_STACKS) /* most rows are stacks */
        return pf_dict_add_frame(dict, mapped(unpacked, PF_TABLE_STACKS, row.stack.parent),
                                 mapped(unpacked, PF_TABLE_LOCATIONS, row.stack.location));
    pf_row_map(table, &row, mapped, unpacked);
    return pf_dict_add_row(dict, table, &row);
}

static bool unpack_table(struct pf_unpacked *unpacked, struct pf_dict *dict,
                         enum pf_dict_table table, const struct gained *gained)
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
    for (unsigned column = 0; column < PF_ID_COLUMNS; column++) {
        uint32_t *ids = parcel->content.ids[column];
        enum pf_dict_table table = (enum pf_dict_table)pf_batch_tables[parcel->batch.kind][column];

        for (uint32_t i = 0; ids && i < parcel->batch.rows; i++)
            ids[i] = mapped(unpacked, table, ids[i]);
    }
    for (uint32_t i = 0; i < parcel->batch.value_count; i++) {
        uint32_t *measure = &parcel->content.values[i].measure;
        *measure = mapped(unpacked, PF_TABLE_MEASURES, *measure + 1) - 1;
    }
}

int pf_parcel_unpack(struct pf_parcel *parcel, struct pf_unpacked *unpacked, struct pf_dict *dict,
                     struct pf_batch *batch)
{
    for (unsigned i = PF_TABLE_STRINGS; i < PF_TABLES; i++)
        if (!unpack_table(unpacked, dict, (enum pf_dict_table)i, &parcel->content.gained[i]))
            return PF_NOMEM;
    if (pf_dict_status(dict) != PF_OK)
        return pf_dict_status(dict);
    unpack_batch(unpacked, parcel);
    *batch = parcel->batch;
    return PF_OK;
}

#include "model/tables.h"

#include <stddef.h>
#include <string.h>

/* clang-format off */
#define FIELD(row, field, refers, limit)                                                           \
    {offsetof(struct row, field), sizeof(((struct row *)0)->field), refers, limit, false}
#define ID(row, field, table) FIELD(row, field, table, 0)
#define BELOW(row, field, limit) FIELD(row, field, PF_TABLE_NONE, limit)
#define NUMBER(row, field) FIELD(row, field, PF_TABLE_NONE, 0)

const struct pf_row_layout pf_row_layouts[PF_TABLES] = {
    [PF_TABLE_STRINGS] = {.name = "strings"},
    [PF_TABLE_MEASURES] = {
        .name = "measures",
        .field_count = 14,
        .fields = {
            ID(pf_measure, name, PF_TABLE_STRINGS),
            ID(pf_measure, unit, PF_TABLE_STRINGS),
            BELOW(pf_measure, kind, PF_RECORD_KINDS),
            BELOW(pf_measure, role, PF_COUNT + 1),
            BELOW(pf_measure, nature, PF_EXACT + 1),
            BELOW(pf_measure, aggregation, PF_MAX + 1),
            NUMBER(pf_measure, num),
            NUMBER(pf_measure, den),
            NUMBER(pf_measure, period),
            ID(pf_measure, raw_unit, PF_TABLE_STRINGS),
            BELOW(pf_measure, main, 2),
            NUMBER(pf_measure, period_parts),
            {offsetof(struct pf_measure, side), sizeof(uint32_t), PF_TABLE_NONE, PF_SIDES, true},
            {offsetof(struct pf_measure, runs), sizeof(uint16_t), PF_TABLE_NONE, 2, true},
        },
    },
    [PF_TABLE_IMAGES] = {
        .name = "images",
        .field_count = 8,
        .fields = {
            ID(pf_image, name, PF_TABLE_STRINGS),
            ID(pf_image, identifier, PF_TABLE_STRINGS),
            NUMBER(pf_image, start),
            NUMBER(pf_image, limit),
            NUMBER(pf_image, offset),
            NUMBER(pf_image, text_start),
            NUMBER(pf_image, text_size),
            NUMBER(pf_image, flags),
        },
    },
    [PF_TABLE_FUNCTIONS] = {
        .name = "functions",
        .field_count = 4,
        .fields = {
            ID(pf_function, name, PF_TABLE_STRINGS),
            ID(pf_function, system_name, PF_TABLE_STRINGS),
            ID(pf_function, file, PF_TABLE_STRINGS),
            NUMBER(pf_function, start_line),
        },
    },
    [PF_TABLE_LOCATIONS] = {
        .name = "locations",
        .field_count = 7,
        .fields = {
            ID(pf_location, function, PF_TABLE_FUNCTIONS),
            NUMBER(pf_location, line),
            ID(pf_location, image, PF_TABLE_IMAGES),
            NUMBER(pf_location, address),
            NUMBER(pf_location, column),
            BELOW(pf_location, kind, PF_FRAME_KINDS),
            BELOW(pf_location, inlined, 2),
        },
    },
    [PF_TABLE_STACKS] = {
        .name = "stacks",
        .field_count = 2,
        .fields = {
            ID(pf_stack, parent, PF_TABLE_STACKS),
            ID(pf_stack, location, PF_TABLE_LOCATIONS),
        },
    },
    [PF_TABLE_LABELS] = {
        .name = "labels",
        .field_count = 5,
        .fields = {
            ID(pf_label, parent, PF_TABLE_LABELS),
            ID(pf_label, key, PF_TABLE_STRINGS),
            ID(pf_label, text, PF_TABLE_STRINGS),
            BELOW(pf_label, numeric, 2),
            NUMBER(pf_label, number),
        },
    },
};
/* clang-format on */

const uint8_t pf_batch_tables[PF_TEXT + 1][PF_ID_COLUMNS] = {
    [PF_SAMPLE] = {PF_TABLE_STACKS, PF_TABLE_LABELS},
    [PF_FLAT] = {PF_TABLE_NONE, PF_TABLE_LABELS, PF_TABLE_LOCATIONS},
    [PF_EDGE] = {PF_TABLE_NONE, PF_TABLE_LABELS, PF_TABLE_LOCATIONS, PF_TABLE_LOCATIONS},
    [PF_META] = {PF_TABLE_STRINGS, PF_TABLE_STRINGS, PF_TABLE_STRINGS},
};

const uint32_t **pf_batch_ids(struct pf_batch *batch, unsigned column)
{
    bool meta = batch->kind == PF_META;

    switch (column) {
    case 0: return meta ? &batch->origin : &batch->stack;
    case 1: return meta ? &batch->key : &batch->labels;
    case 2: return meta ? &batch->value : &batch->location;
    default: return &batch->callee;
    }
}

static struct pf_table *table_of(struct pf_dict *dict, enum pf_dict_table table)
{
    switch (table) {
    case PF_TABLE_MEASURES: return &dict->measures.table;
    case PF_TABLE_IMAGES: return &dict->images;
    case PF_TABLE_FUNCTIONS: return &dict->functions;
    case PF_TABLE_LOCATIONS: return &dict->locations;
    case PF_TABLE_STACKS: return &dict->stacks;
    default: return &dict->labels;
    }
}

const struct pf_table *pf_dict_rows(const struct pf_dict *dict, enum pf_dict_table table)
{
    return table_of((struct pf_dict *)dict, table);
}

uint32_t pf_dict_count(const struct pf_dict *dict, enum pf_dict_table table)
{
    return table == PF_TABLE_STRINGS ? dict->strings.count : pf_dict_rows(dict, table)->count;
}

uint32_t pf_dict_add_row(struct pf_dict *dict, enum pf_dict_table table, const void *row)
{
    return table == PF_TABLE_MEASURES ? pf_measures_intern(&dict->measures, row) + 1
                                      : pf_table_intern(table_of(dict, table), row);
}

int64_t pf_row_get(const struct pf_row_field *field, const void *row)
{
    const char *at = (const char *)row + field->offset;
    uint64_t wide = 0;
    uint32_t word = 0;
    uint16_t half = 0;
    uint8_t byte = 0;

    switch (field->size) {
    case 8: memcpy(&wide, at, sizeof wide); return (int64_t)wide;
    case 4: memcpy(&word, at, sizeof word); return word;
    case 2: memcpy(&half, at, sizeof half); return half;
    default: memcpy(&byte, at, sizeof byte); return byte;
    }
}

void pf_row_set(const struct pf_row_field *field, void *row, int64_t value)
{
    char *at = (char *)row + field->offset;
    uint64_t wide = (uint64_t)value;
    uint32_t word = (uint32_t)wide;
    uint16_t half = (uint16_t)wide;
    uint8_t byte = (uint8_t)wide;

    switch (field->size) {
    case 8: memcpy(at, &wide, sizeof wide); break;
    case 4: memcpy(at, &word, sizeof word); break;
    case 2: memcpy(at, &half, sizeof half); break;
    default: memcpy(at, &byte, sizeof byte); break;
    }
}

void pf_row_map(enum pf_dict_table table, void *row,
                uint32_t (*map)(const void *arg, enum pf_dict_table, uint32_t id), const void *arg)
{
    const struct pf_row_layout *layout = &pf_row_layouts[table];

    for (uint32_t i = 0; i < layout->field_count; i++) {
        const struct pf_row_field *field = &layout->fields[i];

        if (field->refers != PF_TABLE_NONE)
            pf_row_set(
                field, row,
                map(arg, (enum pf_dict_table)field->refers, (uint32_t)pf_row_get(field, row)));
    }
}

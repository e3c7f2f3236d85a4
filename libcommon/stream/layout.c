#include "stream/layout.h"

#include "model/dict.h"

#include <assert.h>
#include <string.h>

/* clang-format off */
#define FIELD(row, field, refers, limit)                                                           \
    {offsetof(struct row, field), sizeof(((struct row *)0)->field), refers, limit, false}
#define ID(row, field, table) FIELD(row, field, table, 0)
#define BELOW(row, field, limit) FIELD(row, field, PF_TABLE_NONE, limit)
#define NUMBER(row, field) FIELD(row, field, PF_TABLE_NONE, 0)

const struct pf_stream_layout pf_stream_layouts[PF_TABLES] = {
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

static_assert(sizeof(struct pf_measure) <= PF_STREAM_ROW_MAX, "row buffers hold any row");
static_assert(sizeof(struct pf_image) <= PF_STREAM_ROW_MAX, "row buffers hold any row");

const struct pf_table *pf_stream_rows(const struct pf_dict *dict, enum pf_stream_table table)
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

int64_t pf_stream_field_get(const struct pf_stream_field *field, const void *row)
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

void pf_stream_field_set(const struct pf_stream_field *field, void *row, int64_t value)
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

#include "stream/layout.h"

#include "model/dict.h"

#include <assert.h>
#include <string.h>

#define FIELD(type, field, refers, limit)                                                          \
    {offsetof(struct type, field), sizeof(((struct type *)0)->field), refers, limit}

const struct pf_stream_layout pf_stream_layouts[PF_TABLES] = {
    [PF_TABLE_STRINGS] = {.name = "strings"},
    [PF_TABLE_MEASURES] = {"measures", sizeof(struct pf_measure), 11, {
        FIELD(pf_measure, name, PF_TABLE_STRINGS, 0),
        FIELD(pf_measure, unit, PF_TABLE_STRINGS, 0),
        FIELD(pf_measure, kind, PF_TABLE_NONE, PF_RECORD_KINDS),
        FIELD(pf_measure, role, PF_TABLE_NONE, PF_COUNT + 1),
        FIELD(pf_measure, nature, PF_TABLE_NONE, PF_EXACT + 1),
        FIELD(pf_measure, aggregation, PF_TABLE_NONE, PF_MAX + 1),
        FIELD(pf_measure, num, PF_TABLE_NONE, 0),
        FIELD(pf_measure, den, PF_TABLE_NONE, 0),
        FIELD(pf_measure, period, PF_TABLE_NONE, 0),
        FIELD(pf_measure, raw_unit, PF_TABLE_STRINGS, 0),
        FIELD(pf_measure, main, PF_TABLE_NONE, 2)}},
    [PF_TABLE_IMAGES] = {"images", sizeof(struct pf_image), 8, {
        FIELD(pf_image, name, PF_TABLE_STRINGS, 0),
        FIELD(pf_image, identifier, PF_TABLE_STRINGS, 0),
        FIELD(pf_image, start, PF_TABLE_NONE, 0),
        FIELD(pf_image, limit, PF_TABLE_NONE, 0),
        FIELD(pf_image, offset, PF_TABLE_NONE, 0),
        FIELD(pf_image, text_start, PF_TABLE_NONE, 0),
        FIELD(pf_image, text_size, PF_TABLE_NONE, 0),
        FIELD(pf_image, flags, PF_TABLE_NONE, 0)}},
    [PF_TABLE_FUNCTIONS] = {"functions", sizeof(struct pf_function), 4, {
        FIELD(pf_function, name, PF_TABLE_STRINGS, 0),
        FIELD(pf_function, system_name, PF_TABLE_STRINGS, 0),
        FIELD(pf_function, file, PF_TABLE_STRINGS, 0),
        FIELD(pf_function, start_line, PF_TABLE_NONE, 0)}},
    [PF_TABLE_LOCATIONS] = {"locations", sizeof(struct pf_location), 7, {
        FIELD(pf_location, function, PF_TABLE_FUNCTIONS, 0),
        FIELD(pf_location, line, PF_TABLE_NONE, 0),
        FIELD(pf_location, image, PF_TABLE_IMAGES, 0),
        FIELD(pf_location, address, PF_TABLE_NONE, 0),
        FIELD(pf_location, column, PF_TABLE_NONE, 0),
        FIELD(pf_location, kind, PF_TABLE_NONE, PF_FRAME_KINDS),
        FIELD(pf_location, inlined, PF_TABLE_NONE, 2)}},
    [PF_TABLE_STACKS] = {"stacks", sizeof(struct pf_stack), 2, {
        FIELD(pf_stack, parent, PF_TABLE_STACKS, 0),
        FIELD(pf_stack, location, PF_TABLE_LOCATIONS, 0)}},
    [PF_TABLE_LABELS] = {"labels", sizeof(struct pf_label), 5, {
        FIELD(pf_label, parent, PF_TABLE_LABELS, 0),
        FIELD(pf_label, key, PF_TABLE_STRINGS, 0),
        FIELD(pf_label, text, PF_TABLE_STRINGS, 0),
        FIELD(pf_label, numeric, PF_TABLE_NONE, 2),
        FIELD(pf_label, number, PF_TABLE_NONE, 0)}},
};

static_assert(sizeof(struct pf_measure) <= PF_STREAM_ROW_MAX, "row buffers hold any row");
static_assert(sizeof(struct pf_image) <= PF_STREAM_ROW_MAX, "row buffers hold any row");

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

#include "model/dict.h"

#include "base/error.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static_assert(sizeof(struct pf_image) == 56 && sizeof(struct pf_function) == 24 &&
                  sizeof(struct pf_location) == 32 && sizeof(struct pf_stack) == 8 &&
                  sizeof(struct pf_label) == 24,
              "rows of a table have no padding");

int pf_dict_init(struct pf_dict *dict)
{
    memset(dict, 0, sizeof *dict);
    pf_strings_init(&dict->strings);
    pf_measures_init(&dict->measures);
    pf_table_init(&dict->images, sizeof(struct pf_image));
    pf_table_init(&dict->functions, sizeof(struct pf_function));
    pf_table_init(&dict->locations, sizeof(struct pf_location));
    pf_table_init(&dict->stacks, sizeof(struct pf_stack));
    pf_table_init(&dict->labels, sizeof(struct pf_label));
    if (pf_dict_status(dict) == PF_OK)
        dict->section_key = pf_dict_intern(dict, PF_BYTES("section"), 0);
    return pf_dict_status(dict);
}

void pf_dict_free(struct pf_dict *dict)
{
    pf_strings_free(&dict->strings);
    pf_measures_free(&dict->measures);
    pf_table_free(&dict->images);
    pf_table_free(&dict->functions);
    pf_table_free(&dict->locations);
    pf_table_free(&dict->stacks);
    pf_table_free(&dict->labels);
}

int pf_dict_status(const struct pf_dict *dict)
{
    const struct pf_table *tables[] = {&dict->measures.table, &dict->images, &dict->functions,
                                       &dict->locations,      &dict->stacks, &dict->labels};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (tables[i]->status)
            return tables[i]->status;
    return dict->strings.status;
}

uint32_t pf_dict_add_image(struct pf_dict *dict, const struct pf_image *image)
{
    return pf_table_intern(&dict->images, image);
}

uint32_t pf_dict_add_function(struct pf_dict *dict, const struct pf_function *function)
{
    return pf_table_intern(&dict->functions, function);
}

uint32_t pf_dict_add_location(struct pf_dict *dict, const struct pf_location *location)
{
    return pf_table_intern(&dict->locations, location);
}

uint32_t pf_dict_add_named(struct pf_dict *dict, struct pf_bytes name)
{
    struct pf_function function = {.name = pf_dict_intern_text(dict, name)};
    struct pf_location location = {.function = pf_dict_add_function(dict, &function)};

    return pf_dict_add_location(dict, &location);
}

uint32_t pf_dict_add_frame(struct pf_dict *dict, uint32_t parent, uint32_t location)
{
    if (!location)
        return parent;
    struct pf_stack row = {parent, location};
    return pf_table_intern(&dict->stacks, &row);
}

struct pf_measure pf_measure_make_named(struct pf_dict *dict, uint32_t name, const char *unit,
                                        enum pf_kind kind, enum pf_role role, enum pf_nature nature)
{
    return (struct pf_measure){
        .name = name,
        .unit = unit ? pf_dict_intern_text(dict, pf_bytes_of(unit)) : 0,
        .kind = (uint8_t)kind,
        .role = (uint8_t)role,
        .nature = (uint8_t)nature,
        .aggregation = PF_SUM,
        .num = 1,
        .den = 1,
    };
}

struct pf_measure pf_measure_make(struct pf_dict *dict, const char *name, const char *unit,
                                  enum pf_kind kind, enum pf_role role, enum pf_nature nature)
{
    uint32_t id = name ? pf_dict_intern_text(dict, pf_bytes_of(name)) : 0;

    return pf_measure_make_named(dict, id, unit, kind, role, nature);
}

uint32_t pf_dict_intern_buffer(struct pf_dict *dict, struct pf_buffer *text, unsigned flags)
{
    uint32_t id = 0;

    if (text->failed)
        dict->strings.status = PF_NOMEM;
    else
        id = pf_dict_intern(dict, (struct pf_bytes){text->data, text->size}, flags);
    pf_buffer_free(text);
    return id;
}

uint32_t pf_dict_side_name(struct pf_dict *dict, uint32_t name, enum pf_side side)
{
    struct pf_bytes stem = pf_dict_string(dict, name), word = pf_bytes_of(pf_side_word(side));
    struct pf_buffer text = {0};

    pf_buffer_append(&text, stem.data, stem.size);
    pf_buffer_byte(&text, '.');
    pf_buffer_append(&text, word.data, word.size);
    return pf_dict_intern_buffer(dict, &text, dict->strings.rows[name].flags);
}

uint32_t pf_dict_add_measure(struct pf_dict *dict, struct pf_measure measure)
{
    enum pf_side told = pf_side_of_name(pf_dict_string(dict, measure.name));

    if (measure.side == PF_NO_SIDE)
        measure.side = told;
    else if (measure.side != told && (measure.name = pf_dict_side_name(
                                          dict, measure.name, (enum pf_side)measure.side)) == 0)
        return UINT32_MAX;
    return pf_measures_intern(&dict->measures, &measure);
}

uint32_t pf_dict_chain_label(struct pf_dict *dict, const struct pf_label *label)
{
    return pf_table_intern(&dict->labels, label);
}

bool pf_dict_has_address(const struct pf_dict *dict, const struct pf_location *location)
{
    const struct pf_image *image = pf_dict_image(dict, location->image);
    return location->address != 0 || (location->function == 0 && location->line == 0 &&
                                      image->text_size != 0 && image->text_start == 0);
}

struct pf_bytes pf_dict_frame_name(const struct pf_dict *dict, uint32_t location, char *scratch)
{
    const struct pf_location *row = pf_dict_location(dict, location);
    const struct pf_function *function = pf_dict_function(dict, row->function);
    if (function->name)
        return pf_dict_string(dict, function->name);
    if (!pf_dict_has_address(dict, row))
        return PF_BYTES("[unknown]");
    int size = snprintf(scratch, 32, "0x%" PRIx64, row->address);
    return (struct pf_bytes){scratch, (size_t)size};
}

const char *pf_frame_kind_name(unsigned kind)
{
    static const char *const names[PF_FRAME_KINDS] = {"",     "sub",    "xsub",   "eval",
                                                      "main", "native", "kernel", "jit"};

    return kind < PF_FRAME_KINDS ? names[kind] : "";
}

#include "model/dict.h"

#include "base/error.h"
#include "base/number.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static_assert(sizeof(struct pf_image) == 56 && sizeof(struct pf_function) == 24 && sizeof(struct pf_location) == 32 &&
                  sizeof(struct pf_stack) == 8 && sizeof(struct pf_label) == 24,
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
                                       &dict->locations, &dict->stacks, &dict->labels};
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

uint32_t pf_dict_add_frame(struct pf_dict *dict, uint32_t parent, uint32_t location)
{
    if (!location)
        return parent;
    struct pf_stack row = {parent, location};
    return pf_table_intern(&dict->stacks, &row);
}

uint32_t pf_dict_chain_label(struct pf_dict *dict, const struct pf_label *label)
{
    return pf_table_intern(&dict->labels, label);
}

/* Order of labels in a set: by key, then text before number, then value. Sections among themselves: equal, so that
 * a new one goes behind the others. */
static int compare_labels(const struct pf_dict *dict, const struct pf_label *a, const struct pf_label *b)
{
    if (a->key != b->key)
        return pf_bytes_compare(pf_dict_string(dict, a->key), pf_dict_string(dict, b->key));
    if (a->key == dict->section_key)
        return 0;
    if (a->numeric != b->numeric)
        return a->numeric < b->numeric ? -1 : 1;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    return pf_bytes_compare(pf_dict_string(dict, a->text), pf_dict_string(dict, b->text));
}

static bool same_label(const struct pf_label *a, const struct pf_label *b)
{
    return a->key == b->key && a->text == b->text && a->numeric == b->numeric && a->number == b->number;
}

/* Sets rarely hold more than a dozen labels, and a set is built once per distinct one: walking down and chaining up again
 * costs nothing that shows. Labels above the place go to `moved`, last first. */
static uint32_t insert_label(struct pf_dict *dict, uint32_t labels, struct pf_label label)
{
    struct pf_label moved[64];
    size_t count = 0, capacity = sizeof moved / sizeof *moved;
    uint32_t at = labels;
    while (at && count < capacity) {
        const struct pf_label *row = pf_dict_label(dict, at);
        if (label.key != dict->section_key && same_label(row, &label))
            return labels;
        if (compare_labels(dict, row, &label) <= 0)
            break;
        moved[count++] = *row;
        at = row->parent;
    }
    if (count == capacity) { /* rare: insert below, then put back what was moved */
        at = insert_label(dict, at, label);
    } else {
        label.parent = at;
        at = pf_dict_chain_label(dict, &label);
    }
    while (count) {
        struct pf_label row = moved[--count];
        row.parent = at;
        at = pf_dict_chain_label(dict, &row);
    }
    return at;
}

uint32_t pf_dict_add_label(struct pf_dict *dict, uint32_t labels, uint32_t key, uint32_t text)
{
    return insert_label(dict, labels, (struct pf_label){.key = key, .text = text});
}

uint32_t pf_dict_add_number(struct pf_dict *dict, uint32_t labels, uint32_t key, int64_t number, uint32_t unit)
{
    return insert_label(dict, labels, (struct pf_label){.key = key, .text = unit, .numeric = 1, .number = number});
}

uint32_t pf_dict_drop_label(struct pf_dict *dict, uint32_t labels, uint32_t key)
{
    uint32_t last = 0; /* the innermost label of this key */
    for (uint32_t at = labels; at; at = pf_dict_label(dict, at)->parent)
        if (pf_dict_label(dict, at)->key == key)
            last = at;
    if (!last)
        return labels;
    uint32_t kept = pf_dict_label(dict, last)->parent;
    /* Rebuild what stands above it, from the inside out: quadratic in the size of a set, which is small. */
    for (uint32_t below = last; below != labels;) {
        uint32_t next = labels;
        while (pf_dict_label(dict, next)->parent != below)
            next = pf_dict_label(dict, next)->parent;
        struct pf_label row = *pf_dict_label(dict, next);
        if (row.key != key) {
            row.parent = kept;
            kept = pf_dict_chain_label(dict, &row);
        }
        below = next;
    }
    return kept;
}

bool pf_dict_has_address(const struct pf_dict *dict, const struct pf_location *location)
{
    const struct pf_image *image = pf_dict_image(dict, location->image);
    return location->address != 0 ||
           (location->function == 0 && location->line == 0 && image->text_size != 0 && image->text_start == 0);
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

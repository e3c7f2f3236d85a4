#include "analysis/names/key.h"

#include "analysis/names/anonymous.h"
#include "analysis/names/package.h"
#include "base/error.h"
#include "base/scan.h"
#include "model/utf8.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static_assert(sizeof(struct pf_key) == 40, "rows of a table have no padding");

bool pf_by_find(const char *name, struct pf_dict *dict, enum pf_by *by, uint32_t *label)
{
    static const char *const names[] = {"function", "name",  "file",   "line",
                                        "address",  "image", "package"};
    static const char *const peers[] = {"func", "symbol", "files", "srcline",
                                        "addr", "dso",    "module"};
    bool section = strcmp(name, "section") == 0;

    *label = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0 || strcmp(name, peers[i]) == 0) {
            *by = (enum pf_by)i;
            return true;
        }
    if (!section && (strncmp(name, "label:", 6) != 0 || name[6] == '\0'))
        return false;
    *by = PF_BY_LABEL;
    *label = section ? dict->section_key : pf_dict_intern(dict, pf_bytes_of(name + 6), PF_UTF8);
    return true;
}

int pf_keys_init(struct pf_keys *keys, struct pf_dict *dict, enum pf_by by, uint32_t label)
{
    *keys = (struct pf_keys){.dict = dict, .by = by, .label = label};
    keys->status = pf_table_init(&keys->table, sizeof(struct pf_key));
    keys->places_done = keys->images_known = 1;
    if (keys->status == PF_OK)
        keys->status = pf_image_forms_init(&keys->images);
    keys->places = calloc(1, sizeof *keys->places);
    keys->place_count = keys->place_capacity = 1;
    if (!keys->places)
        keys->status = PF_NOMEM;
    return keys->status;
}

void pf_keys_free(struct pf_keys *keys)
{
    pf_table_free(&keys->table);
    pf_forms_free(&keys->images);
    free(keys->lines);
    free(keys->inlined);
    free(keys->places);
    free(keys->first_lines);
}

/* One string for all strings that are shown alike: valid UTF-8 with or without the flag, and
 * Latin-1 converted to UTF-8. */
static uint32_t shown_alike(struct pf_keys *keys, uint32_t string)
{
    struct pf_bytes bytes = pf_dict_string(keys->dict, string);
    unsigned flags = keys->dict->strings.rows[string].flags;
    struct pf_buffer latin = {0};

    if (pf_ascii(bytes) || (flags & PF_UTF8 && !pf_utf8_valid(bytes)))
        return string;
    pf_shown_name(bytes, flags, &latin, &bytes);
    string = bytes.size <= PF_STRING_MAX ? pf_dict_intern(keys->dict, bytes, PF_UTF8) : string;
    if (latin.failed || keys->dict->strings.status != PF_OK)
        keys->status = PF_NOMEM;
    pf_buffer_free(&latin);
    return string;
}

static uint32_t package_of(struct pf_keys *keys, const struct pf_location *place,
                           const struct pf_function *function)
{
    uint32_t id = pf_package_of(keys->dict, place, function);

    if (keys->dict->strings.status != PF_OK)
        keys->status = PF_NOMEM;
    return id;
}

/* The file of a function for PF_BY_FILE. Subroutines in C have no file: those of a Perl package are
 * put under "xs:PACKAGE", as in Devel::StatProfiler's reports. */
static uint32_t file_of(struct pf_keys *keys, const struct pf_location *place,
                        const struct pf_function *function)
{
    struct pf_buffer text = {0};
    struct pf_bytes package;
    uint32_t file;

    if (function->file != 0 || place->kind != PF_FRAME_XSUB)
        return function->file;
    package = pf_dict_string(keys->dict, package_of(keys, place, function));
    pf_buffer_append(&text, "xs:", 3);
    pf_buffer_append(&text, package.data, package.size);
    file = text.failed || text.size > PF_STRING_MAX
               ? 0
               : pf_dict_intern(keys->dict, (struct pf_bytes){text.data, text.size},
                                keys->dict->strings.rows[function->name].flags);
    if (text.failed || keys->dict->strings.status != PF_OK)
        keys->status = PF_NOMEM;
    pf_buffer_free(&text);
    return file;
}

/* Sets name, file and image, and the address of a function without a name. */
static void set_function(const struct pf_keys *keys, struct pf_key *key,
                         const struct pf_location *place, const struct pf_function *function)
{
    key->first = keys->first_lines[place->function];
    key->name = function->name;
    key->file = function->file;
    key->image = place->image;
    key->address = function->name == 0 ? place->address : 0;
}

/* True if a location has no function but the valid address 0. */
static bool at_zero(const struct pf_keys *keys, const struct pf_location *place)
{
    return place->address == 0 &&
           (keys->by <= PF_BY_NAME || keys->by == PF_BY_LINE || keys->by == PF_BY_ADDRESS) &&
           pf_dict_has_address(keys->dict, place);
}

/* A function with the final names of evals. */
static struct pf_function function_of(struct pf_keys *keys, uint32_t id)
{
    struct pf_function function = *pf_dict_function(keys->dict, id);

    if (keys->evals && keys->evals->renamed > 0) {
        function.name = pf_evals_name(keys->evals, function.name);
        function.file = pf_evals_name(keys->evals, function.file);
        if (keys->dict->strings.status != PF_OK)
            keys->status = PF_NOMEM;
    }
    return function;
}

/* The key of a place, with the names as the profile has them. */
static struct pf_key key_of(struct pf_keys *keys, const struct pf_location *place)
{
    const struct pf_function row = function_of(keys, place->function), *function = &row;
    struct pf_key key = {.present = at_zero(keys, place) ? PF_KEY_AT_ZERO : PF_KEY_PRESENT};

    switch (keys->by) {
    case PF_BY_FUNCTION: set_function(keys, &key, place, function); break;
    case PF_BY_NAME:
        key.name = function->name;
        key.address = function->name == 0 ? place->address : 0;
        break;
    case PF_BY_FILE: key.file = file_of(keys, place, function); break;
    case PF_BY_LINE:
        set_function(keys, &key, place, function);
        key.line = place->line > 0 ? place->line : 0;
        break;
    case PF_BY_ADDRESS:
        set_function(keys, &key, place, function);
        key.address = place->address;
        break;
    case PF_BY_IMAGE: key.image = place->image; break;
    case PF_BY_PACKAGE: key.name = package_of(keys, place, function); break;
    case PF_BY_LABEL: break;
    }
    return key;
}

/* The row of a key whose names are as the profile has them. */
static uint32_t row_of(struct pf_keys *keys, struct pf_key key)
{
    if (key.name != 0)
        key.name = shown_alike(keys, key.name);
    if (key.file != 0)
        key.file = shown_alike(keys, key.file);
    if (key.image != 0)
        key.image = shown_alike(keys, pf_dict_image(keys->dict, key.image)->name);
    return pf_table_intern(&keys->table, &key);
}

static void keep_line(struct pf_keys *keys, uint32_t key, int64_t line)
{
    if (!pf_grow_zeroed(&keys->lines, &keys->line_count, &keys->line_capacity, (size_t)key + 1,
                        sizeof *keys->lines)) {
        keys->status = PF_NOMEM;
        return;
    }
    if (line > 0 && (keys->lines[key] == 0 || line < keys->lines[key]))
        keys->lines[key] = line;
}

static void keep_inlined(struct pf_keys *keys, uint32_t key, bool inlined)
{
    if (!pf_grow_zeroed(&keys->inlined, &keys->inlined_count, &keys->inlined_capacity,
                        (size_t)key + 1, 1))
        keys->status = PF_NOMEM;
    else
        keys->inlined[key] |= inlined ? PF_KEY_INLINED : PF_KEY_CALLED;
}

unsigned pf_keys_inlined(const struct pf_keys *keys, uint32_t key)
{
    unsigned marks = key < keys->inlined_count ? keys->inlined[key] : 0;

    return marks & PF_KEY_INLINED ? marks : 0;
}

/* A location moved to the form of its image that stands for all forms. */
static struct pf_location place_of(const struct pf_keys *keys, uint32_t location)
{
    struct pf_location place = *pf_dict_location(keys->dict, location);
    const struct pf_form *form =
        keys->moved && place.image != 0 ? pf_forms_of(&keys->images, place.image) : NULL;

    if (form)
        pf_image_slide(keys->dict, &place, keys->open ? form->first : form->least);
    return place;
}

static void enter_images(struct pf_keys *keys)
{
    struct pf_form *form;

    for (; keys->images_known < keys->dict->images.count && keys->status == PF_OK;
         keys->images_known++) {
        keys->status = pf_image_forms_enter(&keys->images, keys->dict, keys->images_known, &form);
        keys->moved = keys->moved || (form && form->first != keys->images_known);
    }
}

static void add_place(struct pf_keys *keys, uint32_t location)
{
    const struct pf_location row = place_of(keys, location), *place = &row;
    struct pf_key key = key_of(keys, place);
    uint32_t id = keys->last_id;

    if (memcmp(&key, &keys->last, sizeof key) != 0) {
        id = keys->last_id = row_of(keys, key);
        keys->last = key;
    }
    if (keys->table.status != PF_OK)
        keys->status = keys->table.status;
    if (keys->by == PF_BY_FUNCTION)
        keep_line(keys, id, pf_dict_function(keys->dict, place->function)->start_line);
    else if (keys->by == PF_BY_ADDRESS)
        keep_line(keys, id, place->line);
    if (keys->by <= PF_BY_NAME || keys->by == PF_BY_LINE || keys->by == PF_BY_ADDRESS)
        keep_inlined(keys, id, place->inlined != 0);
    keys->places[location] = id;
}

/* Calls pf_anonymous_line once for each function: it reads the whole name, and functions are far
 * fewer than locations. */
static void find_first_lines(struct pf_keys *keys)
{
    size_t known = keys->first_line_count, count = keys->dict->functions.count;

    if (!pf_grow(&keys->first_lines, &keys->first_line_capacity, count,
                 sizeof *keys->first_lines)) {
        keys->status = PF_NOMEM;
        return;
    }
    for (; known < count; known++)
        keys->first_lines[known] =
            pf_anonymous_line(keys->dict, pf_dict_function(keys->dict, (uint32_t)known));
    keys->first_line_count = count;
}

int pf_keys_places(struct pf_keys *keys)
{
    size_t count = keys->dict->locations.count;

    if (keys->place_count < count) {
        if (!pf_grow(&keys->places, &keys->place_capacity, count, sizeof *keys->places))
            return keys->status = PF_NOMEM;
        keys->place_count = count;
    }
    enter_images(keys);
    find_first_lines(keys);
    for (; keys->places_done < count && keys->status == PF_OK; keys->places_done++)
        add_place(keys, (uint32_t)keys->places_done);
    return keys->status;
}

uint32_t pf_keys_value(struct pf_keys *keys, const struct pf_label *label)
{
    struct pf_key key = {.present = PF_KEY_PRESENT,
                         .name = shown_alike(keys, label->text),
                         .numeric = label->numeric != 0,
                         .line = label->number};
    uint32_t id = pf_table_intern(&keys->table, &key);

    if (keys->table.status != PF_OK)
        keys->status = keys->table.status;
    return id;
}

int64_t pf_keys_line(const struct pf_keys *keys, uint32_t key)
{
    if (keys->by == PF_BY_LINE)
        return pf_keys_row(keys, key)->line;
    return key < keys->line_count ? keys->lines[key] : 0;
}

static bool has_address(const struct pf_key *row)
{
    return row->address != 0 || row->present == PF_KEY_AT_ZERO;
}

/* The string that names a key. */
static uint32_t string_of(const struct pf_keys *keys, const struct pf_key *row)
{
    return keys->by == PF_BY_FILE ? row->file : keys->by == PF_BY_IMAGE ? row->image : row->name;
}

/* The name of a key, except for numbers of labels. */
static struct pf_bytes name_of(const struct pf_keys *keys, const struct pf_key *row,
                               char scratch[32])
{
    bool function = keys->by <= PF_BY_NAME || keys->by == PF_BY_LINE || keys->by == PF_BY_ADDRESS;
    uint32_t string = string_of(keys, row);

    if (!function || row->name != 0)
        return pf_dict_string(keys->dict, string);
    if (!has_address(row))
        return PF_BYTES("[unknown]");
    return (struct pf_bytes){scratch, (size_t)snprintf(scratch, 32, "0x%" PRIx64, row->address)};
}

/* A label's number with its unit: 4096 bytes. */
static struct pf_bytes number_name(const struct pf_keys *keys, const struct pf_key *key,
                                   struct pf_buffer *scratch)
{
    char text[32];
    struct pf_bytes unit = pf_dict_string(keys->dict, key->name);
    int size = snprintf(text, sizeof text, unit.size > 0 ? "%" PRId64 " " : "%" PRId64, key->line);

    scratch->size = 0;
    pf_buffer_append(scratch, text, (size_t)size);
    pf_buffer_append(scratch, unit.data, unit.size);
    return scratch->failed ? PF_BYTES("") : (struct pf_bytes){scratch->data, scratch->size};
}

struct pf_bytes pf_keys_name(const struct pf_keys *keys, uint32_t key, struct pf_buffer *scratch,
                             unsigned *flags)
{
    const struct pf_key *row = pf_keys_row(keys, key);
    uint32_t string = string_of(keys, row);
    char text[32];
    struct pf_bytes name;

    if (flags)
        *flags = keys->dict->strings.rows[string].flags;
    if (row->numeric)
        return number_name(keys, row, scratch);
    name = name_of(keys, row, text);
    if (name.data != text)
        return name;
    scratch->size = 0;
    /* with a NUL after it, like every string of a dictionary */
    pf_buffer_append(scratch, text, name.size + 1);
    return scratch->failed ? PF_BYTES("") : (struct pf_bytes){scratch->data, name.size};
}

static int compare_int(int64_t a, int64_t b)
{
    return a < b ? -1 : a > b;
}

struct pf_key pf_keys_function(const struct pf_keys *keys, uint32_t key)
{
    struct pf_key row = *pf_keys_row(keys, key);

    if (keys->by == PF_BY_LINE || keys->by == PF_BY_ADDRESS) {
        row.line = 0;
        row.address = row.name == 0 ? row.address : 0;
        row.present = row.name == 0 ? row.present : PF_KEY_PRESENT;
    }
    return row;
}

bool pf_keys_same_function(const struct pf_keys *keys, uint32_t a, uint32_t b)
{
    const struct pf_key x = pf_keys_function(keys, a), y = pf_keys_function(keys, b);

    return memcmp(&x, &y, sizeof x) == 0;
}

bool pf_keys_has_address(const struct pf_keys *keys, uint32_t key)
{
    return has_address(pf_keys_row(keys, key));
}

static unsigned hex_digits(uint64_t number)
{
    unsigned digits = 1;

    while (number >>= 4)
        digits++;
    return digits;
}

/* Order of the texts 0x... without printing them: there may be millions. */
static int compare_addresses(uint64_t a, uint64_t b)
{
    unsigned digits_a = hex_digits(a), digits_b = hex_digits(b);
    uint64_t left = a << 4 * (16 - digits_a), right = b << 4 * (16 - digits_b);

    return left != right ? (left < right ? -1 : 1) : (digits_a > digits_b) - (digits_a < digits_b);
}

/* Functions without a name are sorted by the text that is shown for them. */
static int compare_names(const struct pf_keys *keys, uint32_t a, uint32_t b)
{
    const struct pf_key *x = pf_keys_row(keys, a), *y = pf_keys_row(keys, b);
    char scratch_a[32], scratch_b[32];

    if (x->name == y->name && x->name != 0)
        return 0;
    if (x->name == 0 && y->name == 0 && x->address != 0 && y->address != 0)
        return compare_addresses(x->address, y->address);
    return pf_bytes_compare(name_of(keys, x, scratch_a), name_of(keys, y, scratch_b));
}

int pf_keys_compare(const struct pf_keys *keys, uint32_t a, uint32_t b)
{
    const struct pf_dict *dict = keys->dict;
    const struct pf_key *x = pf_keys_row(keys, a), *y = pf_keys_row(keys, b);
    int order = compare_names(keys, a, b);

    if (order == 0 && x->file != y->file)
        order = pf_bytes_compare(pf_dict_string(dict, x->file), pf_dict_string(dict, y->file));
    if (order == 0 && x->image != y->image)
        order = pf_bytes_compare(pf_dict_string(dict, x->image), pf_dict_string(dict, y->image));
    if (order == 0)
        order = compare_int(x->first, y->first);
    if (order == 0)
        order = compare_int(x->line, y->line);
    if (order == 0)
        order = x->address < y->address ? -1 : x->address > y->address;
    return order != 0 ? order : compare_int(a, b);
}

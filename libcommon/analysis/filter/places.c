#include "analysis/filter/places.h"

#include "model/utf8.h"

#include <stdlib.h>
#include <string.h>

void pf_places_free(struct pf_places *places)
{
    for (size_t i = 0; i < places->rename_count; i++)
        pf_substitution_free(&places->renames[i].substitution);
    free(places->renames);
    free(places->trims);
    pf_id_map_free(&places->coarse);
    pf_id_map_free(&places->named);
    pf_id_map_free(&places->functions);
    pf_id_map_free(&places->images);
    pf_buffer_free(&places->text);
    pf_buffer_free(&places->other);
    pf_buffer_free(&places->shown);
}

int pf_places_trim(struct pf_places *places, const char *path, struct pf_error *error)
{
    struct pf_bytes bytes = pf_bytes_of(path);

    while (bytes.size > 0 && bytes.data[bytes.size - 1] == '/')
        bytes.size--;
    if (path[0] == '\0')
        return pf_error_set(error, PF_USAGE, "--trim-path takes a directory, not an empty name");
    if (!pf_grow(&places->trims, &places->trim_capacity, places->trim_count + 1,
                 sizeof *places->trims))
        return pf_error_nomem(error);
    places->trims[places->trim_count++] = (struct pf_trim){.path = bytes};
    return PF_OK;
}

/* Reads "function:", "label:KEY:" and so on, and moves *text after it. */
static int read_target(struct pf_rename *rename, const char **text, struct pf_error *error)
{
    static const struct {
        struct pf_bytes name;
        enum pf_rename_target target;
    } targets[] = {{{"function:", 9}, PF_RENAME_FUNCTION},
                   {{"file:", 5}, PF_RENAME_FILE},
                   {{"image:", 6}, PF_RENAME_IMAGE},
                   {{"label:", 6}, PF_RENAME_LABEL}};
    const char *end;

    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        if (strncmp(*text, targets[i].name.data, targets[i].name.size) == 0) {
            rename->target = targets[i].target;
            *text += targets[i].name.size;
            break;
        }
    if (rename->target != PF_RENAME_LABEL)
        return PF_OK;
    end = strchr(*text, ':');
    if (!end || end == *text)
        return pf_error_set(error, PF_USAGE, "'%s' is not of the form label:KEY:s/RE/TEXT/",
                            rename->text);
    rename->key = (struct pf_bytes){*text, (size_t)(end - *text)};
    *text = end + 1;
    return PF_OK;
}

int pf_places_rename(struct pf_places *places, const char *text, unsigned flags,
                     struct pf_error *error)
{
    struct pf_rename rename = {.text = text};
    int status = read_target(&rename, &text, error);

    if (status == PF_OK && !pf_grow(&places->renames, &places->rename_capacity,
                                    places->rename_count + 1, sizeof *places->renames))
        status = pf_error_nomem(error);
    if (status == PF_OK)
        status = pf_substitution_parse(&rename.substitution, text, flags, error);
    if (status != PF_OK)
        return status;
    places->renames[places->rename_count++] = rename;
    places->targets |= 1u << rename.target;
    return PF_OK;
}

bool pf_places_change_nothing(const struct pf_places *places)
{
    return places->granularity == PF_GRANULARITY_FULL && places->trim_count == 0 &&
           places->targets == 0;
}

/* --- granularity ------------------------------------------------------------------------------ */

/* Replaces a location by a frame with this name, file and image, and nothing else. */
static void make_plain(struct pf_dict *dict, struct pf_location *row, uint32_t name, uint32_t file,
                       uint32_t image)
{
    struct pf_function function = {.name = name, .file = file};

    *row = (struct pf_location){.function = pf_dict_add_function(dict, &function), .image = image};
}

static uint32_t make_coarse(struct pf_places *places, uint32_t location)
{
    struct pf_dict *dict = places->dict;
    struct pf_location row = *pf_dict_location(dict, location);
    uint32_t file = pf_dict_function(dict, row.function)->file;
    uint32_t image = pf_dict_image(dict, row.image)->name;

    if (places->granularity == PF_GRANULARITY_FILE && file != 0) {
        make_plain(dict, &row, file, file, 0);
    } else if (places->granularity == PF_GRANULARITY_IMAGE && image != 0) {
        make_plain(dict, &row, image, 0, row.image);
    } else if (row.function != 0) {
        row.address = 0;
        row.column = 0;
        if (places->granularity != PF_GRANULARITY_LINE)
            row.line = 0;
    }
    return pf_dict_add_location(dict, &row);
}

static void put_id(struct pf_places *places, struct pf_id_map *map, uint32_t from, uint32_t to)
{
    if (pf_dict_status(places->dict) != PF_OK || !pf_id_map_put(map, from, to))
        places->status = PF_NOMEM;
}

uint32_t pf_places_coarse(struct pf_places *places, uint32_t location)
{
    uint32_t to;

    if (places->granularity == PF_GRANULARITY_FULL || location == 0)
        return location;
    if (!pf_id_map_get(&places->coarse, location, &to)) {
        to = make_coarse(places, location);
        put_id(places, &places->coarse, location, to);
    }
    return to;
}

/* --- names ------------------------------------------------------------------------------------ */

static bool trim_path(struct pf_places *places, struct pf_bytes *file)
{
    for (size_t i = 0; i < places->trim_count; i++) {
        struct pf_bytes path = places->trims[i].path;

        if (file->size <= path.size || file->data[path.size] != '/' ||
            !pf_bytes_equal((struct pf_bytes){file->data, path.size}, path))
            continue;
        file->data += path.size;
        file->size -= path.size;
        while (file->size > 0 && file->data[0] == '/') {
            file->data++;
            file->size--;
        }
        places->trims[i].matched = true;
        return true;
    }
    return false;
}

/* Applies a rename to *name, or if it does not match to the shown form of *name. The result is in
 * places->text; places->other takes the next result. */
static bool apply_rename(struct pf_places *places, struct pf_rename *rename, struct pf_bytes *name,
                         unsigned *flags)
{
    struct pf_bytes shown;
    struct pf_buffer result;

    if (!pf_substitution_apply(&rename->substitution, *name, &places->other)) {
        if (!rename->substitution.pattern.typed ||
            !pf_shown_name(*name, *flags, &places->shown, &shown) ||
            !pf_substitution_apply(&rename->substitution, shown, &places->other))
            return false;
        *flags |= PF_UTF8;
    }
    result = places->other;
    places->other = places->text;
    places->text = result;
    *name = (struct pf_bytes){result.data, result.size};
    rename->matched = true;
    return true;
}

/* Applies all renames of a target, one after another. */
static bool apply_renames(struct pf_places *places, enum pf_rename_target target,
                          struct pf_bytes key, struct pf_bytes *name, unsigned *flags)
{
    bool changed = false;

    for (size_t i = 0; i < places->rename_count; i++) {
        struct pf_rename *rename = &places->renames[i];

        if (rename->target != target ||
            (target == PF_RENAME_LABEL && !pf_bytes_equal(rename->key, key)))
            continue;
        changed |= apply_rename(places, rename, name, flags);
        if (places->other.failed || places->shown.failed ||
            rename->substitution.pattern.status != PF_OK)
            places->status = PF_NOMEM;
    }
    return changed;
}

/* The string `id` after the edits of its target. A new text that is not ASCII counts as UTF-8 if it
 * is valid. */
static uint32_t edit_name(struct pf_places *places, enum pf_rename_target target,
                          struct pf_bytes key, uint32_t id)
{
    struct pf_bytes name = pf_dict_string(places->dict, id);
    unsigned flags = places->dict->strings.rows[id].flags;
    bool ascii = pf_ascii(name);
    bool changed = target == PF_RENAME_FILE && trim_path(places, &name);

    changed |= apply_renames(places, target, key, &name, &flags);
    if (!changed)
        return id;
    if (ascii && pf_utf8_valid(name))
        flags |= PF_UTF8;
    return pf_dict_intern(places->dict, name, flags);
}

uint32_t pf_places_file(struct pf_places *places, uint32_t file)
{
    return file == 0 ? 0 : edit_name(places, PF_RENAME_FILE, (struct pf_bytes){"", 0}, file);
}

uint32_t pf_places_function(struct pf_places *places, uint32_t name)
{
    return name == 0 ? 0 : edit_name(places, PF_RENAME_FUNCTION, (struct pf_bytes){"", 0}, name);
}

uint32_t pf_places_label(struct pf_places *places, uint32_t key, uint32_t value)
{
    return edit_name(places, PF_RENAME_LABEL, pf_dict_string(places->dict, key), value);
}

static uint32_t image_name(struct pf_places *places, uint32_t name)
{
    return name == 0 ? 0 : edit_name(places, PF_RENAME_IMAGE, (struct pf_bytes){"", 0}, name);
}

/* Edits a function. A frame that stands for a file or an image gets the edited name of the file or
 * image. */
static uint32_t make_function(struct pf_places *places, uint32_t function, bool is_image)
{
    struct pf_function row = *pf_dict_function(places->dict, function);
    uint32_t name = row.name, file = pf_places_file(places, row.file);

    if (places->granularity == PF_GRANULARITY_FILE && name == row.file)
        name = file;
    else if (is_image)
        name = image_name(places, name);
    name = pf_places_function(places, name);
    if (name != row.name)
        row.system_name = 0;
    row.name = name;
    row.file = file;
    return pf_dict_add_function(places->dict, &row);
}

static uint32_t edit_function(struct pf_places *places, uint32_t function, uint32_t image)
{
    const struct pf_function *row = pf_dict_function(places->dict, function);
    uint32_t to;

    if (function == 0)
        return 0;
    if (!pf_id_map_get(&places->functions, function, &to)) {
        to = make_function(places, function,
                           places->granularity == PF_GRANULARITY_IMAGE && row->file == 0 &&
                               row->name == pf_dict_image(places->dict, image)->name);
        put_id(places, &places->functions, function, to);
    }
    return to;
}

static uint32_t edit_image(struct pf_places *places, uint32_t image)
{
    uint32_t to;

    if (image == 0 || !(places->targets >> PF_RENAME_IMAGE & 1))
        return image;
    if (!pf_id_map_get(&places->images, image, &to)) {
        struct pf_image row = *pf_dict_image(places->dict, image);

        row.name = image_name(places, row.name);
        to = pf_dict_add_image(places->dict, &row);
        put_id(places, &places->images, image, to);
    }
    return to;
}

uint32_t pf_places_named(struct pf_places *places, uint32_t location)
{
    struct pf_location row;
    uint32_t to;

    if ((places->trim_count == 0 && places->targets == 0) || location == 0)
        return location;
    if (!pf_id_map_get(&places->named, location, &to)) {
        row = *pf_dict_location(places->dict, location);
        row.function = edit_function(places, row.function, row.image);
        row.image = edit_image(places, row.image);
        to = pf_dict_add_location(places->dict, &row);
        put_id(places, &places->named, location, to);
    }
    return to;
}

void pf_places_report(const struct pf_places *places, const struct pf_report *report)
{
    for (size_t i = 0; i < places->trim_count; i++)
        if (!places->trims[i].matched)
            pf_report_send(report, PF_WARNING, "no file is below '%s'",
                           pf_clip(places->trims[i].path).text);
    for (size_t i = 0; i < places->rename_count; i++)
        if (!places->renames[i].matched)
            pf_report_send(report, PF_WARNING, "'%s' renames nothing", places->renames[i].text);
}

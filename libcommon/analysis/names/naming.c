#include "analysis/names/naming.h"

#include "base/memory.h"
#include "codec/java_name.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A source of names. */
struct source {
    const char *name;
    /* one of these three is set */
    struct pf_symbols *symbols;
    struct pf_image_files *files;
    struct pf_binary *binary;
    uint8_t *matches; /* by image: enum pf_binary_match + 1; 0: not compared yet */
    size_t match_count, match_capacity;
    uint64_t named;
    uint32_t image; /* the image that got the last name */
    bool images;    /* several images got names */
};

static const uint32_t SEEN = UINT32_MAX;

/* The locations that replace a location, innermost first. */
struct place {
    bool known, asked;
    struct pf_image_answer answer; /* of naming->files, if asked */
    uint32_t first, count;
};

struct pf_naming {
    struct source *sources; /* binaries, files, symbols */
    size_t source_count, source_capacity;
    struct pf_image_files *files; /* of the sources; NULL: none */
    bool no_inlines;

    struct place *places; /* by location */
    size_t place_count, place_capacity;
    uint32_t *locations;
    size_t location_count, location_capacity;
    /* by stack: the new stack + 1; 0: not known yet; SEEN: not known yet, but its locations are
     * asked for */
    uint32_t *stacks;
    size_t stack_count, stack_capacity;
    struct pf_buffer path; /* scratch: stacks to be made, innermost first */
    uint64_t addresses, named;
    uint32_t columns[3][PF_BATCH_ROWS];
};

struct pf_naming *pf_naming_new(void)
{
    return calloc(1, sizeof(struct pf_naming));
}

void pf_naming_free(struct pf_naming *naming)
{
    if (!naming)
        return;
    for (size_t k = 0; k < naming->source_count; k++) {
        pf_symbols_free(naming->sources[k].symbols);
        pf_image_files_free(naming->sources[k].files);
        pf_binary_close(naming->sources[k].binary);
        free(naming->sources[k].matches);
    }
    free(naming->sources);
    free(naming->places);
    free(naming->locations);
    free(naming->stacks);
    pf_buffer_free(&naming->path);
    free(naming);
}

/* False: out of memory. */
static bool add_source(struct pf_naming *naming, size_t at, struct source source)
{
    if (!pf_grow(&naming->sources, &naming->source_capacity, naming->source_count + 1,
                 sizeof *naming->sources)) {
        pf_symbols_free(source.symbols);
        pf_image_files_free(source.files);
        pf_binary_close(source.binary);
        return false;
    }
    memmove(naming->sources + at + 1, naming->sources + at,
            (naming->source_count++ - at) * sizeof *naming->sources);
    naming->sources[at] = source;
    return true;
}

static size_t count_binaries(const struct pf_naming *naming)
{
    size_t count = 0;

    while (count < naming->source_count && naming->sources[count].binary)
        count++;
    return count;
}

bool pf_naming_add_symbols(struct pf_naming *naming, struct pf_symbols *symbols, const char *name)
{
    return add_source(naming, naming->source_count,
                      (struct source){.name = name, .symbols = symbols});
}

bool pf_naming_add_binary(struct pf_naming *naming, struct pf_binary *binary, const char *name)
{
    return add_source(naming, count_binaries(naming),
                      (struct source){.name = name, .binary = binary});
}

bool pf_naming_add_files(struct pf_naming *naming, struct pf_image_files *files, const char *name)
{
    bool added =
        add_source(naming, count_binaries(naming), (struct source){.name = name, .files = files});

    naming->files = added ? files : NULL;
    return added;
}

void pf_naming_no_inlines(struct pf_naming *naming)
{
    naming->no_inlines = true;
}

/* --- locations -------------------------------------------------------------------------------- */

static size_t symbol_frames(const struct source *source, const struct pf_image *image,
                            uint64_t address, struct pf_frame *frame)
{
    const struct pf_symbol *symbol = NULL;

    if (image->start != 0 && address >= image->start)
        symbol = pf_symbols_find(source->symbols, address - image->start + image->offset);
    if (!symbol)
        symbol = pf_symbols_find(source->symbols, address);
    if (!symbol)
        return 0;
    *frame =
        (struct pf_frame){.name = symbol->name, .file = symbol->file, .start_line = symbol->line};
    return 1;
}

/* How the image matches the source's binary. False: out of memory. */
static bool match_of(struct source *source, const struct pf_dict *dict, uint32_t image,
                     enum pf_binary_match *match)
{
    if (!pf_grow_zeroed(&source->matches, &source->match_count, &source->match_capacity,
                        (size_t)image + 1, sizeof *source->matches))
        return false;
    if (source->matches[image] == 0)
        source->matches[image] =
            (uint8_t)(pf_binary_match(source->binary, dict, pf_dict_image(dict, image)) + 1);
    *match = source->matches[image] - 1;
    return true;
}

/* The frames of a location by one source; returns their number, or SIZE_MAX: out of memory. */
static size_t source_frames(struct source *source, const struct pf_dict *dict,
                            const struct pf_location *row, struct pf_image_answer answer,
                            struct pf_frame *frames)
{
    const struct pf_image *image = pf_dict_image(dict, row->image);
    enum pf_binary_match match;

    if (source->symbols)
        return symbol_frames(source, image, row->address, frames);
    if (source->files)
        return pf_image_files_frames(source->files, answer, frames);
    if (!match_of(source, dict, row->image, &match))
        return SIZE_MAX;
    return match == PF_BINARY_SAME ? pf_binary_frames(source->binary, image, row->address, frames)
                                   : 0;
}

/* True if a location has no name, or only the name that a format gives a frame whose image alone is
 * known: [unknown], [libc.so.6]. */
static bool is_unnamed(const struct pf_dict *dict, const struct pf_location *row)
{
    struct pf_bytes name = pf_dict_string(dict, pf_dict_function(dict, row->function)->name);

    if (row->function == 0)
        return true;
    return row->line == 0 && name.size > 2 && name.data[0] == '[' &&
           name.data[name.size - 1] == ']' && pf_dict_function(dict, row->function)->file == 0;
}

static bool add_location(struct pf_naming *naming, uint32_t location)
{
    if (!pf_grow(&naming->locations, &naming->location_capacity, naming->location_count + 1,
                 sizeof *naming->locations))
        return false;
    naming->locations[naming->location_count++] = location;
    return true;
}

static bool add_frame(struct pf_naming *naming, struct pf_dict *dict, struct pf_location row,
                      const struct pf_frame *frame, bool inlined)
{
    struct pf_function function = {
        .system_name = pf_dict_intern_text(dict, frame->system_name),
        .file = pf_dict_intern_text(dict, frame->file),
        .start_line = frame->start_line,
    };

    pf_function_symbol(dict, &function, frame->name, pf_utf8_valid(frame->name) ? PF_UTF8 : 0);
    row.function = pf_dict_add_function(dict, &function);
    row.line = frame->line;
    row.column = frame->column;
    row.inlined = inlined;
    return add_location(naming, pf_dict_add_location(dict, &row));
}

static bool wants_name(const struct pf_dict *dict, const struct pf_location *row)
{
    return is_unnamed(dict, row) && pf_dict_has_address(dict, row);
}

/* Finds the locations that replace a location. */
static bool name_location(struct pf_naming *naming, struct pf_dict *dict, uint32_t location,
                          struct pf_image_answer answer)
{
    struct pf_location row = *pf_dict_location(dict, location);
    struct pf_frame frames[PF_ADDRESS_FRAMES];
    struct source *source = naming->sources;
    size_t count = 0;
    bool good = true;

    if (!wants_name(dict, &row))
        return add_location(naming, location);
    naming->addresses++;
    for (size_t k = 0; k < naming->source_count && count == 0; k++) {
        source = &naming->sources[k];
        count = source_frames(source, dict, &row, answer, frames);
    }
    if (count == SIZE_MAX)
        return false;
    if (count == 0 && naming->files && answer.file == 0 &&
        !pf_image_files_count_unknown(naming->files, pf_dict_image(dict, row.image)))
        return false;
    if (count == 0)
        return add_location(naming, location);
    source->images = source->images || (source->named > 0 && source->image != row.image);
    source->image = row.image;
    source->named++;
    naming->named++;
    for (size_t k = naming->no_inlines ? count - 1 : 0; good && k < count; k++)
        good = add_frame(naming, dict, row, &frames[k], k + 1 < count);
    return good;
}

/* The place of a location, which may be new; NULL: out of memory. */
static struct place *make_place(struct pf_naming *naming, uint32_t location)
{
    return pf_grow_zeroed(&naming->places, &naming->place_count, &naming->place_capacity,
                          (size_t)location + 1, sizeof *naming->places)
               ? &naming->places[location]
               : NULL;
}

static const struct place *place_of(struct pf_naming *naming, struct pf_dict *dict,
                                    uint32_t location)
{
    struct place *place = make_place(naming, location);

    if (place && !place->known) {
        place->first = (uint32_t)naming->location_count;
        if (!name_location(naming, dict, location, place->answer))
            return NULL;
        place->count = (uint32_t)naming->location_count - place->first;
        place->known = true;
    }
    return place;
}

static bool innermost(struct pf_naming *naming, struct pf_dict *dict, uint32_t location,
                      uint32_t *named)
{
    const struct place *place = place_of(naming, dict, location);

    *named = place ? naming->locations[place->first] : 0;
    return place;
}

static bool outermost(struct pf_naming *naming, struct pf_dict *dict, uint32_t location,
                      uint32_t *named)
{
    const struct place *place = place_of(naming, dict, location);

    *named = place ? naming->locations[place->first + place->count - 1] : 0;
    return place;
}

/* --- batches ---------------------------------------------------------------------------------- */

static bool reserve_stack(struct pf_naming *naming, uint32_t stack)
{
    if (!pf_grow_zeroed(&naming->stacks, &naming->stack_count, &naming->stack_capacity,
                        (size_t)stack + 1, sizeof *naming->stacks))
        return false;
    naming->stacks[0] = 1;
    return true;
}

/* Makes the new stack, from the innermost parent that is known already. */
static bool map_stack(struct pf_naming *naming, struct pf_dict *dict, uint32_t stack,
                      uint32_t *named)
{
    if (!reserve_stack(naming, stack))
        return false;
    naming->path.size = 0;
    for (; naming->stacks[stack] == 0 || naming->stacks[stack] == SEEN;
         stack = pf_dict_stack(dict, stack)->parent)
        pf_buffer_append(&naming->path, &stack, sizeof stack);
    *named = naming->stacks[stack] - 1;
    while (naming->path.size > 0 && !naming->path.failed) {
        naming->path.size -= sizeof stack;
        memcpy(&stack, naming->path.data + naming->path.size, sizeof stack);
        const struct place *place = place_of(naming, dict, pf_dict_stack(dict, stack)->location);

        if (!place)
            return false;
        for (uint32_t k = place->count; k-- > 0;)
            *named = pf_dict_add_frame(dict, *named, naming->locations[place->first + k]);
        naming->stacks[stack] = *named + 1;
    }
    return !naming->path.failed;
}

/* Asks the files for a location that is not named yet. */
static bool ask_location(struct pf_naming *naming, struct pf_dict *dict, uint32_t location,
                         uint32_t *unused)
{
    const struct pf_location *row = pf_dict_location(dict, location);
    struct place *place = make_place(naming, location);

    (void)unused;
    if (!place || place->known || place->asked || !wants_name(dict, row))
        return place != NULL;
    place->asked = true;
    return pf_image_files_ask(naming->files, dict, row->image, row->address, &place->answer);
}

/* Asks the files for the locations of a stack. */
static bool ask_stack(struct pf_naming *naming, struct pf_dict *dict, uint32_t stack,
                      uint32_t *unused)
{
    if (!reserve_stack(naming, stack))
        return false;
    for (; naming->stacks[stack] == 0; stack = pf_dict_stack(dict, stack)->parent) {
        naming->stacks[stack] = SEEN;
        if (!ask_location(naming, dict, pf_dict_stack(dict, stack)->location, unused))
            return false;
    }
    return true;
}

static bool map_column(struct pf_naming *naming, struct pf_dict *dict, const uint32_t *from,
                       uint32_t rows, uint32_t *to,
                       bool (*map)(struct pf_naming *, struct pf_dict *, uint32_t, uint32_t *))
{
    for (uint32_t row = 0; row < rows; row++)
        if (!map(naming, dict, from[row], &to[row]))
            return false;
    return true;
}

/* Asks the files for all new addresses of a batch at once, so that threads share the work. */
static int ask_files(struct pf_naming *naming, struct pf_dict *dict, const struct pf_batch *batch,
                     struct pf_error *error)
{
    uint32_t *unused = naming->columns[0], rows = batch->rows;
    bool good = true;

    if (batch->stack)
        good = map_column(naming, dict, batch->stack, rows, unused, ask_stack);
    if (good && batch->location)
        good = map_column(naming, dict, batch->location, rows, unused, ask_location);
    if (good && batch->callee)
        good = map_column(naming, dict, batch->callee, rows, unused, ask_location);
    return good ? pf_image_files_search(naming->files, error) : pf_error_nomem(error);
}

int pf_naming_batch(struct pf_naming *naming, struct pf_dict *dict, const struct pf_batch *from,
                    struct pf_batch *to, struct pf_error *error)
{
    bool good = true;

    *to = *from;
    if (from->kind >= PF_RECORD_KINDS)
        return PF_OK;
    if (naming->files && ask_files(naming, dict, from, error) != PF_OK)
        return error->code;
    if (from->stack) {
        good = map_column(naming, dict, from->stack, from->rows, naming->columns[0], map_stack);
        to->stack = naming->columns[0];
    }
    if (good && from->location) {
        good = map_column(naming, dict, from->location, from->rows, naming->columns[1], innermost);
        to->location = naming->columns[1];
    }
    if (good && from->callee) {
        good = map_column(naming, dict, from->callee, from->rows, naming->columns[2], outermost);
        to->callee = naming->columns[2];
    }
    return good && pf_dict_status(dict) == PF_OK ? PF_OK : pf_error_nomem(error);
}

/* --- the end ---------------------------------------------------------------------------------- */

static void report_changed(const struct source *source, const struct pf_dict *dict,
                           const struct pf_report *report)
{
    for (uint32_t k = 0; k < source->match_count; k++) {
        if (source->matches[k] != PF_BINARY_CHANGED + 1)
            continue;
        const struct pf_image *image = pf_dict_image(dict, k);

        pf_report_send(report, PF_WARNING,
                       "%s: not the '%s' of the profile, which has build id %s, not %s: no address "
                       "of the image is named",
                       source->name, pf_dict_string(dict, image->name).data,
                       pf_dict_string(dict, image->identifier).data,
                       pf_binary_build_id(source->binary));
    }
}

static void report_files(const struct source *source, const struct pf_dict *dict,
                         uint64_t addresses, const struct pf_report *report)
{
    size_t used = pf_image_files_report(source->files, dict, report);

    if (used > 0 && source->named == 0)
        pf_report_send(report, PF_WARNING,
                       "%s: none of the %" PRIu64
                       " unnamed addresses is in the %zu file%s with their build ids",
                       source->name, addresses, used, used == 1 ? "" : "s");
    else
        pf_report_send(report, PF_NOTE, "%s: %" PRIu64 " of %" PRIu64 " addresses named, %zu files",
                       source->name, source->named, addresses, used);
}

static void report_source(const struct source *source, const struct pf_dict *dict,
                          uint64_t addresses, const struct pf_report *report)
{
    report_changed(source, dict, report);
    if (addresses > 0 && source->named == 0)
        pf_report_send(report, PF_WARNING, "%s: none of the %" PRIu64 " unnamed addresses is in %s",
                       source->name, addresses, source->symbols ? "these symbols" : "it");
    else if (source->symbols && source->images)
        pf_report_send(report, PF_WARNING,
                       "%s: addresses of several images were named: the names are right for at "
                       "most one image",
                       source->name);
    else
        pf_report_send(report, PF_NOTE, "%s: %" PRIu64 " of %" PRIu64 " addresses named",
                       source->name, source->named, addresses);
}

void pf_naming_report(const struct pf_naming *naming, const struct pf_dict *dict,
                      const struct pf_report *report)
{
    for (size_t k = 0; k < naming->source_count; k++) {
        const struct source *source = &naming->sources[k];

        if (source->files)
            report_files(source, dict, naming->addresses, report);
        else
            report_source(source, dict, naming->addresses, report);
    }
}

/* Strings, mappings, functions and locations of the output: each gets a number when a sample first
 * refers to it. */
#include "base/error.h"
#include "format/pprof/meta.h"
#include "format/pprof/profile.h"
#include "format/pprof/writer.h"
#include "io/protobuf.h"
#include "model/utf8.h"

#include <stdlib.h>
#include <string.h>

struct chain {
    /* `inner`: chain of the frames that are inlined into this frame; 0 = no frames */
    uint32_t inner, location;
};

int pf_pprof_places_init(struct pf_pprof_places *places, struct pf_dict *dict)
{
    places->dict = dict;
    if (pf_table_init(&places->chains, sizeof(struct chain)) != PF_OK)
        return PF_NOMEM;
    return pf_table_init(&places->folded, sizeof(uint64_t));
}

static void free_numbers(struct pf_pprof_numbers *numbers)
{
    pf_id_map_free(&numbers->of);
    free(numbers->ids);
}

void pf_pprof_places_free(struct pf_pprof_places *places)
{
    free_numbers(&places->strings);
    free_numbers(&places->images);
    free_numbers(&places->functions);
    free_numbers(&places->single);
    free_numbers(&places->locations);
    pf_table_free(&places->chains);
    pf_table_free(&places->folded);
}

int pf_pprof_places_status(const struct pf_pprof_places *places)
{
    return places->chains.status != PF_OK ? places->chains.status : places->folded.status;
}

/* --- numbers ---------------------------------------------------------------------------------- */

/* The number of an id; a new id gets the next number. */
static uint32_t number_of(struct pf_pprof_places *places, struct pf_pprof_numbers *numbers,
                          uint32_t id, bool *new)
{
    uint32_t known;

    *new = false;
    if (id == 0 || pf_id_map_get(&numbers->of, id, &known))
        return id == 0 ? 0 : known;
    if (!pf_grow(&numbers->ids, &numbers->capacity, numbers->count + 1, sizeof *numbers->ids) ||
        !pf_id_map_put(&numbers->of, id, (uint32_t)numbers->count + 1)) {
        places->chains.status = PF_NOMEM;
        return 0;
    }
    *new = true;
    numbers->ids[numbers->count++] = id;
    return (uint32_t)numbers->count;
}

uint32_t pf_pprof_places_string(struct pf_pprof_places *places, uint32_t string)
{
    bool new;

    return number_of(places, &places->strings, string, &new);
}

uint32_t pf_pprof_places_image(struct pf_pprof_places *places, uint32_t image)
{
    bool new;

    return number_of(places, &places->images, image, &new);
}

static const struct chain *chain_row(const struct pf_pprof_places *places, uint32_t chain)
{
    return pf_table_row(&places->chains, chain);
}

/* Gives numbers to the mappings and functions of a new location. */
static void number_frames(struct pf_pprof_places *places, uint32_t chain)
{
    bool new;

    for (; chain != 0; chain = chain_row(places, chain)->inner) {
        const struct pf_location *location =
            pf_dict_location(places->dict, chain_row(places, chain)->location);

        pf_pprof_places_image(places, location->image);
        number_of(places, &places->functions, location->function, &new);
    }
}

/* The number of the location whose outermost frame is `location`, with the frames of the chain
 * `inner` inlined into it. */
static uint32_t number_location(struct pf_pprof_places *places, uint32_t inner, uint32_t location)
{
    uint32_t chain = pf_table_intern(&places->chains, &(struct chain){inner, location});
    bool new;
    uint32_t result = number_of(places, &places->locations, chain, &new);

    if (new)
        number_frames(places, chain);
    return result;
}

static void put_number(struct pf_buffer *packed, uint32_t value)
{
    unsigned char bytes[PF_PROTO_VARINT_MAX];

    pf_buffer_append(packed, bytes, pf_proto_store(bytes, value));
}

/* The number of the location that is one frame. */
static uint32_t number_single(struct pf_pprof_places *places, uint32_t location)
{
    uint32_t result;

    if (pf_id_map_get(&places->single.of, location, &result))
        return result;
    result = number_location(places, 0, location);
    if (!pf_id_map_put(&places->single.of, location, result))
        places->chains.status = PF_NOMEM;
    return result;
}

void pf_pprof_places_location(struct pf_pprof_places *places, uint32_t location,
                              struct pf_buffer *packed)
{
    if (location != 0)
        put_number(packed, number_single(places, location));
}

/* True if a frame becomes a line of a location: it has a function or a line. */
static bool has_line(const struct pf_location *frame)
{
    return frame->function != 0 || frame->line != 0;
}

/* True if one location can hold both frames: `frame` was inlined into `outside`. */
static bool joins(const struct pf_location *frame, const struct pf_location *outside)
{
    return frame->inlined && frame->image == outside->image && frame->address == outside->address &&
           has_line(frame) && has_line(outside);
}

void pf_pprof_places_stack(struct pf_pprof_places *places, uint32_t stack, struct pf_buffer *packed)
{
    const struct pf_dict *dict = places->dict;
    uint32_t chain = 0, result;

    while (stack != 0) {
        const struct pf_stack *row = pf_dict_stack(dict, stack);

        stack = row->parent;
        if (chain == 0 && pf_id_map_get(&places->single.of, row->location, &result)) {
            put_number(packed, result);
            continue;
        }
        const struct pf_location *frame = pf_dict_location(dict, row->location);

        if (stack != 0 &&
            joins(frame, pf_dict_location(dict, pf_dict_stack(dict, stack)->location))) {
            chain = pf_table_intern(&places->chains, &(struct chain){chain, row->location});
            continue;
        }
        put_number(packed, chain == 0 && !frame->inlined
                               ? number_single(places, row->location)
                               : number_location(places, chain, row->location));
        chain = 0;
    }
}

/* --- writing ---------------------------------------------------------------------------------- */

/* Images that came without flags get the flags that all their locations have. */
static void image_flags(struct pf_pprof_places *places, uint64_t *flags)
{
    const struct pf_dict *dict = places->dict;

    for (size_t k = 0; k < places->images.count; k++)
        flags[k] = PF_IMAGE_FUNCTIONS | PF_IMAGE_FILES | PF_IMAGE_LINES;
    for (size_t k = 0; k < places->locations.count; k++) {
        const struct chain *row = chain_row(places, places->locations.ids[k]);
        const struct pf_location *location = pf_dict_location(dict, row->location);
        uint32_t image = pf_pprof_places_image(places, location->image);
        const struct pf_function *function = pf_dict_function(dict, location->function);

        if (image == 0)
            continue;
        if (location->function == 0)
            flags[image - 1] &= ~(uint64_t)PF_IMAGE_FUNCTIONS;
        if (function->file == 0)
            flags[image - 1] &= ~(uint64_t)PF_IMAGE_FILES;
        if (location->line <= 0)
            flags[image - 1] &= ~(uint64_t)PF_IMAGE_LINES;
        if (row->inner != 0)
            flags[image - 1] |= PF_IMAGE_INLINES;
    }
    for (size_t k = 0; k < places->images.count; k++) {
        uint64_t known = pf_dict_image(dict, places->images.ids[k])->flags;

        flags[k] = k < places->listed || known != 0 ? known : flags[k];
    }
}

static void write_image(struct pf_pprof_places *places, struct pf_sink *sink,
                        struct pf_buffer *message, size_t k, uint64_t flags)
{
    const struct pf_image *image = pf_dict_image(places->dict, places->images.ids[k]);

    message->size = 0;
    pf_proto_add_number(message, 1, k + 1);
    pf_proto_add_number(message, 2, image->start);
    pf_proto_add_number(message, 3, image->limit);
    pf_proto_add_number(message, 4, image->offset);
    pf_proto_add_number(message, 5, pf_pprof_places_string(places, image->name));
    pf_proto_add_number(message, 6, pf_pprof_places_string(places, image->identifier));
    for (uint32_t bit = 0; bit < PF_PPROF_MAPPING_FLAGS; bit++)
        pf_proto_add_number(message, 7 + bit, flags >> bit & 1);
    pf_proto_write_bytes(sink, PF_PPROF_MAPPING, message->data, message->size);
}

/* The number of the function without name and file, which follows the functions of the output.
 * pprof refuses a line without a function. */
static uint64_t number_nameless(struct pf_pprof_places *places)
{
    places->nameless = true;
    return places->functions.count + 1;
}

/* Adds a frame as a line to the message of a location, even if all its numbers are 0. */
static void add_line(struct pf_pprof_places *places, struct pf_buffer *message,
                     struct pf_buffer *line, uint32_t frame)
{
    const struct pf_location *location = pf_dict_location(places->dict, frame);
    int64_t at = location->line < 0 && location->kind != PF_FRAME_PLAIN ? 0 : location->line;
    bool new;
    uint64_t function = number_of(places, &places->functions, location->function, &new);

    if (function == 0 && (at != 0 || location->column != 0))
        function = number_nameless(places);
    line->size = 0;
    pf_proto_add_number(line, 1, function);
    pf_proto_add_number(line, 2, (uint64_t)at);
    pf_proto_add_number(line, 3, location->column);
    if (line->size > 0)
        pf_proto_add_bytes(message, 4, line->data, line->size);
}

/* Writes a location. Walking a chain begins with the outermost frame; the file begins with the
 * innermost. */
static void write_location(struct pf_pprof_places *places, struct pf_sink *sink,
                           struct pf_buffer *message, struct pf_buffer *line,
                           struct pf_buffer *frames, size_t k)
{
    uint32_t chain = places->locations.ids[k];
    const struct pf_location *location =
        pf_dict_location(places->dict, chain_row(places, chain)->location);
    uint64_t hash = 0;

    message->size = frames->size = 0;
    pf_proto_add_number(message, 1, k + 1);
    pf_proto_add_number(message, 2, pf_pprof_places_image(places, location->image));
    pf_proto_add_number(message, 3, location->address);
    for (; chain != 0; chain = chain_row(places, chain)->inner)
        pf_buffer_append(frames, &chain_row(places, chain)->location, sizeof(uint32_t));
    if (frames->failed)
        return;
    uint32_t *list = (uint32_t *)(void *)frames->data; /* aligned: memory of malloc */
    size_t count = frames->size / sizeof *list;

    for (size_t low = 0, high = count; low + 1 < high; low++) {
        uint32_t frame = list[low];

        list[low] = list[--high];
        list[high] = frame;
    }
    for (size_t at = 0; at < count; at++)
        add_line(places, message, line, list[at]);
    if (places->folded.count > 1)
        hash = pf_pprof_location_hash(places->dict, list, count, line);
    pf_proto_add_number(message, 5, hash != 0 && pf_table_find(&places->folded, &hash) != 0);
    pf_proto_write_bytes(sink, PF_PPROF_LOCATION, message->data, message->size);
}

/* Writes function number k + 1; the nameless function is row 0 of the dictionary. */
static void write_function(struct pf_pprof_places *places, struct pf_sink *sink,
                           struct pf_buffer *message, size_t k)
{
    const struct pf_function *function =
        pf_dict_function(places->dict, k < places->functions.count ? places->functions.ids[k] : 0);
    uint32_t system_name = function->system_name != 0 || places->bare_system_names
                               ? function->system_name
                               : function->name;

    message->size = 0;
    pf_proto_add_number(message, 1, k + 1);
    pf_proto_add_number(message, 2, pf_pprof_places_string(places, function->name));
    pf_proto_add_number(message, 3, pf_pprof_places_string(places, system_name));
    pf_proto_add_number(message, 4, pf_pprof_places_string(places, function->file));
    pf_proto_add_number(message, 5, (uint64_t)function->start_line);
    pf_proto_write_bytes(sink, PF_PPROF_FUNCTION, message->data, message->size);
}

int pf_pprof_places_write(struct pf_pprof_places *places, struct pf_sink *sink)
{
    struct pf_buffer message = {0}, line = {0}, frames = {0};
    uint64_t *flags = calloc(places->images.count + 1, sizeof *flags);
    bool failed = !flags;

    if (!failed)
        image_flags(places, flags);
    for (size_t k = 0; k < places->images.count && !failed; k++)
        write_image(places, sink, &message, k, flags[k]);
    for (size_t k = 0; k < places->locations.count && !failed; k++)
        write_location(places, sink, &message, &line, &frames, k);
    for (size_t k = 0; k < places->functions.count + places->nameless && !failed; k++)
        write_function(places, sink, &message, k);
    failed = failed || message.failed || line.failed || frames.failed;
    pf_buffer_free(&message);
    pf_buffer_free(&line);
    pf_buffer_free(&frames);
    free(flags);
    return failed ? PF_NOMEM : pf_pprof_places_status(places);
}

int pf_pprof_places_write_strings(struct pf_pprof_places *places, struct pf_sink *sink)
{
    const struct pf_strings *strings = &places->dict->strings;
    struct pf_buffer scratch = {0};

    pf_proto_write_bytes(sink, PF_PPROF_STRING, "", 0);
    for (size_t k = 0; k < places->strings.count && !scratch.failed; k++) {
        uint32_t id = places->strings.ids[k];
        struct pf_bytes text = pf_strings_bytes(strings, id);

        if (!places->own)
            text = pf_text_utf8(text, strings->rows[id].flags, &scratch);
        pf_proto_write_bytes(sink, PF_PPROF_STRING, text.data, text.size);
    }
    bool failed = scratch.failed;

    pf_buffer_free(&scratch);
    return failed ? PF_NOMEM : PF_OK;
}

#include "format/dcpi/dcpi.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/scan.h"
#include "model/strings.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int pf_dcpi_cat_open(struct pf_writer *writer)
{
    (void)writer;
    return PF_OK;
}

/* --- sources ---------------------------------------------------------------------------------- */

/* Sources are blocks of dcpicat text, then DCPI files, numbered from 1. The sources of an image are
 * chained in increasing order. */
struct sources {
    struct source {
        uint32_t image; /* the identifier in small letters, a string; 0: none */
        size_t next;    /* the next source of the image; 0: none */
    } * rows;
    size_t blocks, count; /* `blocks`: sources up to this number are blocks */
    size_t *first;        /* by string: the first source of the image; 0: none */
    size_t strings;
};

static void free_sources(struct sources *sources)
{
    free(sources->rows);
    free(sources->first);
}

/* The identifier of a source's image; empty if its lines do not agree. */
static struct pf_bytes source_image(const struct pf_dcpi_held *held, const struct pf_dict *dict,
                                    size_t source)
{
    if (source <= held->blocks.blocks)
        return pf_dcpi_cat_blocks_value(&held->blocks, dict, source, PF_BYTES("image"));
    const struct pf_dcpi_profile *file = &held->profiles.rows[source - held->blocks.blocks - 1];
    struct pf_bytes identifier = pf_dcpi_header_value(&file->header, PF_DCPI_IMAGE);

    return pf_dcpi_profile_is_of(file, identifier) ? identifier : PF_BYTES("");
}

/* Chains the sources of each image. */
static int find_sources(struct pf_writer *writer, struct sources *sources)
{
    const struct pf_dcpi_held *held = writer->state;
    struct pf_dict *dict = writer->dict;

    sources->blocks = held->blocks.blocks;
    sources->count = sources->blocks + held->profiles.count;
    sources->rows = calloc(sources->count + 1, sizeof *sources->rows);
    for (size_t k = 1; sources->rows && k <= sources->count; k++) {
        struct pf_bytes identifier = source_image(held, dict, k);

        if (pf_dcpi_is_image(identifier))
            sources->rows[k].image = pf_dcpi_identifier(dict, identifier);
    }
    sources->strings = dict->strings.count;
    sources->first = calloc(sources->strings, sizeof *sources->first);
    if (!sources->rows || !sources->first || pf_dict_status(dict) != PF_OK)
        return pf_error_nomem(&writer->error);
    for (size_t k = sources->count; k > 0; k--) {
        struct source *source = &sources->rows[k];

        source->next = sources->first[source->image];
        sources->first[source->image] = source->image != 0 ? k : 0;
    }
    return PF_OK;
}

/* --- the head --------------------------------------------------------------------------------- */

/* A column of counts. */
struct column {
    const struct pf_dcpi_event *event;
    uint64_t period, fraction;
    pf_int128 total;
    size_t line; /* line of the metadata that names the column; SIZE_MAX: no line does */
    size_t part; /* number of the image's profile that has the column */
};

/* An image and its places. The counts of one event with several periods or shares are columns of
 * several profiles, because a head names an event once: each profile is a part. */
struct profile {
    struct pf_writer *writer;
    const struct sources *sources;
    const struct pf_image *image;
    uint32_t key; /* the image's identifier in small letters, a string */
    const uint32_t *locations;
    size_t count;
    const struct column *columns; /* of all parts */
    size_t column_count, part;
};

static struct pf_dcpi_held *state_of(const struct profile *profile)
{
    return profile->writer->state;
}

static struct pf_bytes identifier(const struct profile *profile)
{
    return pf_dict_string(profile->writer->dict, profile->image->identifier);
}

static struct pf_bytes measure_name(const struct profile *profile, const struct pf_measure *measure)
{
    return pf_dict_string(profile->writer->dict, measure->name);
}

static const struct pf_measure *measure_of(const struct profile *profile,
                                           const struct pf_dcpi_event *event)
{
    return pf_measures_row(&profile->writer->dict->measures, event->measure);
}

/* The header of a DCPI file; NULL: the source is a block. */
static const struct pf_dcpi_header *header_of(const struct profile *profile, size_t source)
{
    size_t blocks = profile->sources->blocks;

    return source > blocks ? &state_of(profile)->profiles.rows[source - blocks - 1].header : NULL;
}

/* True if the source names the measure. For a block, *column (may be NULL) gets what its line
 * `event` says. */
static bool source_names(const struct profile *profile, size_t source,
                         const struct pf_measure *measure, struct column *column)
{
    const struct pf_dict *dict = profile->writer->dict;
    const struct pf_dcpi_cat_blocks *blocks = &state_of(profile)->blocks;
    const struct pf_dcpi_header *header = header_of(profile, source);
    struct pf_bytes name = pf_dict_string(dict, measure->name);
    uint64_t parts = pf_measure_period_parts(measure);
    struct pf_dcpi_cat_event event;

    if (header)
        return pf_bytes_equal(pf_dcpi_header_value(header, PF_DCPI_EVENT), name) &&
               header->number[PF_DCPI_PERIOD] == measure->period && parts == 1;
    for (size_t k = pf_dcpi_cat_block_start(blocks, source);
         k < pf_dcpi_cat_block_end(blocks, source); k++) {
        const struct pf_dcpi_cat_line *line = &blocks->lines[k];

        if (!pf_bytes_equal(pf_dict_string(dict, line->key), PF_BYTES("event")) ||
            !pf_dcpi_cat_event_parse(pf_dict_string(dict, line->value), &event) ||
            !pf_bytes_equal(event.name, name) ||
            (pf_uint128)event.events * parts != (pf_uint128)measure->period * event.parts)
            continue;
        if (column) {
            column->period = event.period;
            column->fraction = event.fraction;
            column->line = k;
        }
        return true;
    }
    return false;
}

/* True if a source belongs to the part: it names a column of the part, or no column at all. */
static bool covers_part(const struct profile *profile, size_t source)
{
    bool elsewhere = false;

    for (size_t k = 0; k < profile->column_count; k++) {
        const struct column *column = &profile->columns[k];

        if (!source_names(profile, source, measure_of(profile, column->event), NULL))
            continue;
        if (column->part == profile->part)
            return true;
        elsewhere = true;
    }
    return !elsewhere;
}

/* The next source of the image and the part; start with 0. 0: no more. */
static size_t next_source(const struct profile *profile, size_t source)
{
    const struct sources *sources = profile->sources;

    do
        source = source != 0                       ? sources->rows[source].next
                 : profile->key < sources->strings ? sources->first[profile->key]
                                                   : 0;
    while (source != 0 && !covers_part(profile, source));
    return source;
}

/* A walk over the lines of all sources. Zero-initialise. */
struct lines {
    size_t source, next; /* the next line of the source */
    struct pf_bytes word, value;
};

/* Sets word and value of the next line of the source. False: the source has no more lines. */
static bool line_of_source(const struct profile *profile, struct lines *lines)
{
    const struct pf_dict *dict = profile->writer->dict;
    const struct pf_dcpi_cat_blocks *blocks = &state_of(profile)->blocks;
    const struct pf_dcpi_header *header = header_of(profile, lines->source);
    size_t k = lines->next++;

    if (header && k < header->count) {
        lines->word = pf_dcpi_line_word(header, &header->lines[k]);
        lines->value = pf_dcpi_line_value(header, &header->lines[k]);
    }
    if (header)
        return k < header->count;
    k += pf_dcpi_cat_block_start(blocks, lines->source);
    if (k == pf_dcpi_cat_block_end(blocks, lines->source))
        return false;
    lines->word = pf_dict_string(dict, blocks->lines[k].key);
    lines->value = pf_dict_string(dict, blocks->lines[k].value);
    return true;
}

static bool next_line(const struct profile *profile, struct lines *lines)
{
    while (lines->source == 0 || !line_of_source(profile, lines)) {
        lines->source = next_source(profile, lines->source);
        lines->next = 0;
        if (lines->source == 0)
            return false;
    }
    return true;
}

/* Line feeds in a value, which DCPI files do not have, become blanks. */
static int write_line(const struct profile *profile, struct pf_bytes word, struct pf_bytes value)
{
    struct pf_sink *sink = profile->writer->sink;
    static const char blanks[] = "                     ";

    pf_sink_write(sink, word.data, word.size);
    pf_sink_write(sink, blanks, word.size < sizeof blanks - 2 ? sizeof blanks - 1 - word.size : 1);
    for (size_t k = 0; k < value.size; k++)
        pf_sink_write(sink, value.data[k] == '\n' ? " " : value.data + k, 1);
    return pf_sink_write(sink, "\n", 1);
}

static bool is_new(struct pf_strings *seen, struct pf_bytes value)
{
    uint32_t count = seen->count;

    return pf_strings_intern(seen, value, 0) == count;
}

/* Writes the values of a word that the sources have, each once, at most `most`. */
static int write_values(const struct profile *profile, const char *word, size_t most)
{
    struct lines lines = {0};
    struct pf_strings seen;
    int status = pf_strings_init(&seen);

    while (status == PF_OK && next_line(profile, &lines)) {
        if (pf_bytes_equal(lines.word, pf_bytes_of(word)) && seen.count <= most &&
            is_new(&seen, lines.value))
            write_line(profile, lines.word, lines.value);
        status = seen.status;
    }
    pf_strings_free(&seen);
    return status == PF_OK ? PF_OK : pf_error_nomem(&profile->writer->error);
}

static int write_name(const struct profile *profile)
{
    struct pf_dcpi_held *state = state_of(profile);
    const struct pf_dict *dict = profile->writer->dict;
    size_t source = next_source(profile, 0);
    struct pf_bytes name = pf_dcpi_cat_blocks_value(
        &state->blocks, dict, source <= profile->sources->blocks ? source : 0, PF_BYTES("name"));

    if (name.size == 0) {
        name = pf_dict_string(dict, profile->image->name);
        for (size_t k = name.size; k > 0; k--)
            if (name.data[k - 1] == '/' && k < name.size) {
                name = (struct pf_bytes){name.data + k, name.size - k};
                break;
            }
    }
    if (name.size == 0)
        name = identifier(profile);
    return write_line(profile, PF_BYTES("name"), name);
}

/* Writes the earliest epoch, with its seconds unless they are 0. Of each source the first epoch
 * counts. */
static int write_epoch(const struct profile *profile)
{
    char earliest[16] = "", epoch[16];
    struct lines lines = {0};
    size_t done = 0;

    while (next_line(profile, &lines)) {
        if (lines.source == done || !pf_bytes_equal(lines.word, PF_BYTES("epoch")))
            continue;
        done = lines.source;
        if (pf_dcpi_epoch(lines.value, epoch) && (!*earliest || strcmp(epoch, earliest) < 0))
            memcpy(earliest, epoch, sizeof earliest);
    }
    if (!*earliest)
        return PF_OK;
    return write_line(profile, PF_BYTES("epoch"),
                      (struct pf_bytes){earliest, strcmp(earliest + 12, "00") == 0 ? 12 : 14});
}

static int write_number(const struct profile *profile, const char *word, uint64_t number)
{
    char text[32];
    int size = snprintf(text, sizeof text, "0x%012" PRIx64, number);

    return write_line(profile, pf_bytes_of(word), (struct pf_bytes){text, (size_t)size});
}

/* --- events ----------------------------------------------------------------------------------- */

/* Sets the period and share of an event that no source names: period * 10000 / share events are one
 * count. */
static int set_share(const struct profile *profile, struct column *column)
{
    const struct pf_measure *measure = measure_of(profile, column->event);

    column->period = measure->period;
    if (!__builtin_mul_overflow(pf_measure_period_parts(measure), (uint64_t)PF_DCPI_CAT_WHOLE,
                                &column->fraction))
        return PF_OK;
    return pf_error_set(&profile->writer->error, PF_USAGE,
                        "unrepresentable: the period of '%s' overflows 64 bits",
                        measure_name(profile, measure).data);
}

/* Sets what a source says of an event; false: no source names the event. */
static bool find_event(const struct profile *profile, struct column *column)
{
    const struct pf_measure *measure = measure_of(profile, column->event);

    for (size_t source = 0; (source = next_source(profile, source)) != 0;)
        if (source_names(profile, source, measure, column))
            return true;
    return false;
}

/* Sums the counts of an event. PF_USAGE: a count is below 0. */
static int event_total(const struct profile *profile, const struct pf_dcpi_event *event,
                       pf_int128 *total, bool *counted)
{
    *total = 0;
    *counted = false;
    for (size_t k = 0; k < profile->count; k++) {
        int64_t sum = pf_dcpi_event_sum(event, profile->locations[k]);

        if (sum < 0)
            return pf_error_set(&profile->writer->error, PF_USAGE,
                                "unrepresentable: a count is negative: %" PRId64, sum);
        *total += sum;
        *counted = *counted || sum != 0;
    }
    return PF_OK;
}

static int compare_columns(const void *a, const void *b)
{
    const struct column *x = a, *y = b;

    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return (x->event > y->event) - (x->event < y->event);
}

/* Finds the events of the image, in the order in which its first head names them. */
static int find_columns(const struct profile *profile, struct column *columns, size_t *count)
{
    struct pf_dcpi_held *state = state_of(profile);

    *count = 0;
    for (size_t k = 0; k < state->counts.count; k++) {
        struct column column = {.event = &state->counts.events[k], .line = SIZE_MAX};
        bool counted, known;

        if (set_share(profile, &column) != PF_OK)
            return profile->writer->error.code;
        known = find_event(profile, &column);
        if (event_total(profile, column.event, &column.total, &counted) != PF_OK)
            return profile->writer->error.code;
        if (counted || known)
            columns[(*count)++] = column;
    }
    if (*count > 0)
        qsort(columns, *count, sizeof *columns, compare_columns);
    return PF_OK;
}

/* Puts each column into the first part that has no column of this name. Returns the number of
 * parts. */
static size_t find_parts(const struct profile *profile, struct column *columns, size_t count)
{
    size_t parts = 1;

    for (size_t k = 0; k < count; k++) {
        struct pf_bytes name = measure_name(profile, measure_of(profile, columns[k].event));
        size_t part = 0;

        for (size_t i = 0; i < k; i++) {
            const struct pf_measure *other = measure_of(profile, columns[i].event);

            if (columns[i].part >= part && pf_bytes_equal(measure_name(profile, other), name))
                part = columns[i].part + 1;
        }
        columns[k].part = part;
        parts = part + 1 > parts ? part + 1 : parts;
    }
    return parts;
}

static int write_events(const struct profile *profile)
{
    const struct column *columns = profile->columns;
    struct pf_buffer text = {0};

    for (size_t k = 0; k < profile->column_count; k++) {
        struct pf_bytes name = measure_name(profile, measure_of(profile, columns[k].event));
        char number[PF_INT128_TEXT];

        if (columns[k].part != profile->part)
            continue;
        text.size = 0;
        pf_buffer_append(&text, number, pf_print_int128(columns[k].total, number));
        pf_buffer_byte(&text, ' ');
        pf_buffer_append(&text, name.data, name.size);
        int size = snprintf(number, sizeof number, ":%" PRIu64 ":%" PRIu64, columns[k].period,
                            columns[k].fraction);
        pf_buffer_append(&text, number, (size_t)size);
        if (!text.failed)
            write_line(profile, PF_BYTES("event"), (struct pf_bytes){text.data, text.size});
    }
    if (text.failed)
        pf_error_nomem(&profile->writer->error);
    pf_buffer_free(&text);
    return profile->writer->error.code;
}

/* --- rows ------------------------------------------------------------------------------------- */

/* Writes an address and its counts. Writes nothing if all counts of the part are 0: then other
 * parts have counts of the address. */
static void write_row(const struct profile *profile, uint32_t location)
{
    uint64_t address = pf_dict_location(profile->writer->dict, location)->address;
    struct pf_sink *sink = profile->writer->sink;
    char text[48];
    bool begun = false;

    for (size_t k = 0; k < profile->column_count && !begun; k++)
        begun = profile->columns[k].part == profile->part &&
                pf_dcpi_event_sum(profile->columns[k].event, location) != 0;
    if (!begun)
        return;
    int size = snprintf(text, sizeof text, "0x%012" PRIx64, address);

    pf_sink_write(sink, text, (size_t)size);
    for (size_t k = 0; k < profile->column_count; k++) {
        if (profile->columns[k].part != profile->part)
            continue;
        size = snprintf(text, sizeof text, " %7" PRId64,
                        pf_dcpi_event_sum(profile->columns[k].event, location));
        pf_sink_write(sink, text, (size_t)size);
    }
    pf_sink_write(sink, "\n", 1);
}

static int write_rows(const struct profile *profile)
{
    struct pf_sink *sink = profile->writer->sink;
    int status = PF_OK;

    for (size_t k = 0; status == PF_OK && k < profile->count; k++) {
        write_row(profile, profile->locations[k]);
        status = pf_sink_status(sink, &profile->writer->error);
    }
    return status;
}

/* The identifier as the first source spells it; without a source as the image has it. */
static struct pf_bytes spelled_identifier(const struct profile *profile)
{
    size_t source = next_source(profile, 0);

    return source != 0 ? source_image(state_of(profile), profile->writer->dict, source)
                       : identifier(profile);
}

static int write_part(const struct profile *profile)
{
    write_name(profile);
    write_line(profile, PF_BYTES("image"), spelled_identifier(profile));
    int status = write_values(profile, "label", SIZE_MAX);

    if (status == PF_OK)
        status = write_values(profile, "path", SIZE_MAX);
    if (status == PF_OK)
        status = write_epoch(profile);
    if (status == PF_OK)
        status = write_values(profile, "platform", 1);
    write_number(profile, "text_start", profile->image->text_start);
    write_number(profile, "text_size", profile->image->text_size);
    if (status == PF_OK)
        status = write_events(profile);
    return status == PF_OK ? write_rows(profile) : status;
}

/* Writes the profiles of an image. A head needs an event: without events, the lines of the image's
 * sources are left out. */
static int write_profile(const struct profile *profile)
{
    struct pf_dcpi_held *state = state_of(profile);
    struct column *columns = malloc((state->counts.count + 1) * sizeof *columns);
    struct profile part = *profile;

    if (!columns)
        return pf_error_nomem(&profile->writer->error);
    int status = find_columns(profile, columns, &part.column_count);
    size_t parts = 0;

    if (status == PF_OK && part.column_count > 0)
        parts = find_parts(profile, columns, part.column_count);
    else if (status == PF_OK && next_source(profile, 0) != 0)
        status = pf_leave_name(profile->writer, PF_LEFT_METADATA,
                               pf_dict_intern_text(profile->writer->dict, PF_BYTES("image")));
    part.columns = columns;
    for (; status == PF_OK && part.part < parts; part.part++)
        status = write_part(&part);
    free(columns);
    return status == PF_OK ? pf_sink_status(profile->writer->sink, &profile->writer->error)
                           : status;
}

/* --- lines left out --------------------------------------------------------------------------- */

static bool header_word_fits(struct pf_bytes word, enum pf_dcpi_word known)
{
    return known == PF_DCPI_PATH || known < PF_DCPI_CPUSPEED || known == PF_DCPI_VERSION ||
           known == PF_DCPI_TSTART || pf_bytes_equal(word, PF_BYTES("label"));
}

/* Reports the lines of heads that are not written. */
static int leave_lines(struct pf_writer *writer)
{
    struct pf_dcpi_held *state = writer->state;
    int status = PF_OK;

    for (size_t k = 0; status == PF_OK && k < state->blocks.count; k++)
        if (pf_dcpi_cat_word(pf_dict_string(writer->dict, state->blocks.lines[k].key)) ==
            PF_DCPI_CAT_WORDS)
            status = pf_leave_name(writer, PF_LEFT_METADATA, state->blocks.lines[k].key);
    for (size_t i = 0; i < state->profiles.count; i++) {
        const struct pf_dcpi_header *header = &state->profiles.rows[i].header;

        for (size_t k = 0; status == PF_OK && k < header->count; k++) {
            struct pf_bytes word = pf_dcpi_line_word(header, &header->lines[k]);

            if (!header_word_fits(word, header->lines[k].known))
                status = pf_leave_name(writer, PF_LEFT_METADATA,
                                       pf_dict_intern_text(writer->dict, word));
        }
    }
    return status;
}

/* --- all images ------------------------------------------------------------------------------- */

/* Adds an image to `known`. False: `known` has the image; or out of memory, which sets the status
 * of `known`. */
static bool is_new_image(struct pf_strings *known, struct pf_dict *dict, struct pf_bytes identifier)
{
    uint32_t key = pf_dcpi_identifier(dict, identifier);

    if (key == 0 && identifier.size > 0)
        known->status = PF_NOMEM;
    return key != 0 && is_new(known, pf_dict_string(dict, key));
}

/* Adds an image that is known by the metadata alone, because no record has it. `known`: the
 * identifiers of the images so far, in small letters. */
static void add_image(struct pf_dict *dict, struct pf_strings *known, struct pf_bytes identifier,
                      struct pf_bytes name, uint64_t start, uint64_t size)
{
    if (!pf_dcpi_is_image(identifier) || !is_new_image(known, dict, identifier))
        return;
    struct pf_image image = {.name = pf_dict_intern_text(dict, name.size > 0 ? name : identifier),
                             .identifier = pf_dict_intern_text(dict, identifier),
                             .text_start = start,
                             .text_size = size};

    pf_dict_add_image(dict, &image);
}

static void add_block_image(struct pf_writer *writer, struct pf_strings *known, size_t block)
{
    const struct pf_dcpi_held *state = writer->state;
    struct pf_dict *dict = writer->dict;
    uint64_t start = 0, size = 0;

    pf_parse_address(pf_dcpi_cat_blocks_value(&state->blocks, dict, block, PF_BYTES("text_start")),
                     &start);
    pf_parse_address(pf_dcpi_cat_blocks_value(&state->blocks, dict, block, PF_BYTES("text_size")),
                     &size);
    add_image(dict, known, pf_dcpi_cat_blocks_value(&state->blocks, dict, block, PF_BYTES("image")),
              pf_dcpi_cat_blocks_value(&state->blocks, dict, block, PF_BYTES("path")), start, size);
}

static int add_source_images(struct pf_writer *writer)
{
    struct pf_dcpi_held *state = writer->state;
    struct pf_dict *dict = writer->dict;
    struct pf_strings known;
    bool good = pf_strings_init(&known) == PF_OK;

    for (uint32_t k = 1; good && k < dict->images.count; k++)
        is_new_image(&known, dict, pf_dict_string(dict, pf_dict_image(dict, k)->identifier));
    for (size_t block = 1; good && block <= state->blocks.blocks; block++)
        add_block_image(writer, &known, block);
    for (size_t k = 0; good && k < state->profiles.count; k++) {
        const struct pf_dcpi_header *header = &state->profiles.rows[k].header;

        if (state->profiles.rows[k].ended && !state->profiles.rows[k].refused)
            add_image(dict, &known, pf_dcpi_header_value(header, PF_DCPI_IMAGE),
                      pf_dcpi_header_value(header, PF_DCPI_PATH), header->number[PF_DCPI_TSTART],
                      header->number[PF_DCPI_TSIZE]);
    }
    good = good && known.status == PF_OK && pf_dict_status(dict) == PF_OK;
    pf_strings_free(&known);
    return good ? PF_OK : pf_error_nomem(&writer->error);
}

/* Writes every image with counts; without counts every image that has a source. */
static int write_images(struct pf_writer *writer, const struct sources *sources)
{
    struct pf_dcpi_held *state = writer->state;
    struct pf_dict *dict = writer->dict;
    const struct pf_dcpi_places *places = &state->places;
    size_t next = 0;

    for (uint32_t k = 1; k < dict->images.count; k++) {
        struct profile profile = {
            .writer = writer,
            .sources = sources,
            .image = pf_dict_image(dict, k),
            .locations = next < places->count ? places->locations + next : NULL,
        };

        profile.key = pf_dcpi_identifier(dict, identifier(&profile));
        if (profile.key == 0 && identifier(&profile).size > 0)
            return pf_error_nomem(&writer->error);
        while (next < places->count &&
               pf_dcpi_places_image(places, dict, places->locations[next]) == k) {
            next++;
            profile.count++;
        }
        bool wanted = profile.count > 0 || (places->count == 0 && places->image[k] == k &&
                                            next_source(&profile, 0) != 0);

        if (wanted && write_profile(&profile) != PF_OK)
            return writer->error.code;
    }
    return PF_OK;
}

int pf_dcpi_cat_finish(struct pf_writer *writer)
{
    struct pf_dcpi_held *state = writer->state;
    struct sources sources = {0};

    if (leave_lines(writer) == PF_OK && add_source_images(writer) == PF_OK &&
        find_sources(writer, &sources) == PF_OK &&
        pf_dcpi_places_find(&state->places, &state->counts, writer->dict, "dcpicat",
                            &writer->error) == PF_OK)
        write_images(writer, &sources);
    free_sources(&sources);
    return writer->error.code;
}

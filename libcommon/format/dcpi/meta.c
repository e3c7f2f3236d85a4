/* Metadata of DCPI profiles: the heads of the inputs as a stream keeps them, and the header of a
 * new file made from them. */
#include "format/dcpi/dcpi.h"

#include "base/calendar.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/scan.h"
#include "model/strings.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- rules of a merge ------------------------------------------------------------------------- */

/* The layout of the chunks and the totals belong to one file; a separator belongs to the header
 * line behind it. */
static enum pf_meta_rule merge_rule(struct pf_bytes origin, struct pf_bytes key)
{
    bool hidden = origin.size > 0 && origin.data[0] == '.';

    if (hidden &&
        (pf_bytes_equal(key, PF_BYTES("chunks")) || pf_bytes_equal(key, PF_BYTES("footer"))))
        return PF_META_SINGLE;
    return hidden && pf_bytes_equal(key, PF_BYTES("separator")) ? PF_META_PREFIX : PF_META_EACH;
}

/* The text of dcpicat may have several images, each with a header that begins with its name. */
static enum pf_meta_place place(struct pf_bytes origin, struct pf_bytes key)
{
    if (pf_bytes_equal(key, PF_BYTES("path")) || pf_bytes_equal(key, PF_BYTES("event")))
        return PF_META_LIST;
    return pf_bytes_equal(origin, PF_BYTES("dcpicat")) && pf_bytes_equal(key, PF_BYTES("name"))
               ? PF_META_BEGINS
               : PF_META_FROM_HERE;
}

static enum pf_meta_time start(struct pf_bytes origin, struct pf_bytes key, struct pf_bytes value,
                               int64_t *time)
{
    char normal[16];
    char text[PF_TIME_TEXT];

    if (origin.data[0] == '.' || !pf_bytes_equal(key, PF_BYTES("epoch")) ||
        !pf_dcpi_epoch(value, normal))
        return PF_META_NO_TIME;
    snprintf(text, sizeof text, "%.4s-%.2s-%.2sT%.2s:%.2s:%.2s", normal, normal + 4, normal + 6,
             normal + 8, normal + 10, normal + 12);
    return pf_time_parse(pf_bytes_of(text), time) ? PF_META_IS_TIME : PF_META_NO_TIME;
}

const struct pf_merging pf_dcpi_merging = {.rule = merge_rule, .place = place, .start = start};

/* --- headers of DCPI files -------------------------------------------------------------------- */

static void free_profile(struct pf_dcpi_profile *profile)
{
    pf_dcpi_header_free(&profile->header);
    free(profile->layout.texts);
}

static void profiles_free(struct pf_dcpi_profiles *profiles)
{
    for (size_t k = 0; k < profiles->count; k++)
        free_profile(&profiles->rows[k]);
    free(profiles->rows);
    pf_buffer_free(&profiles->text);
}

/* The profile whose header is still incomplete: the last profile, or a new profile. NULL: out of
 * memory. */
static struct pf_dcpi_profile *open_profile(struct pf_dcpi_profiles *profiles)
{
    if (profiles->count > 0 && !profiles->rows[profiles->count - 1].ended)
        return &profiles->rows[profiles->count - 1];
    if (!pf_grow(&profiles->rows, &profiles->capacity, profiles->count + 1, sizeof *profiles->rows))
        return NULL;
    profiles->rows[profiles->count] = (struct pf_dcpi_profile){.stride = 1};
    return &profiles->rows[profiles->count++];
}

static int add_header_line(struct pf_dcpi_profiles *profiles, const struct pf_dict *dict,
                           uint32_t word, uint32_t value)
{
    struct pf_dcpi_profile *profile = open_profile(profiles);
    struct pf_bytes separator = profiles->separator ? pf_dict_string(dict, profiles->separator)
                                                    : PF_BYTES(" ");
    struct pf_bytes parts[] = {pf_dict_string(dict, word), separator, pf_dict_string(dict, value)};
    struct pf_error error = {0};

    if (!profile)
        return PF_NOMEM;
    profiles->separator = 0;
    profiles->text.size = 0;
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        pf_buffer_append(&profiles->text, parts[k].data, parts[k].size);
    if (profiles->text.failed)
        return PF_NOMEM;
    int status = pf_dcpi_header_line(
        &profile->header, (struct pf_bytes){profiles->text.data, profiles->text.size}, 0, &error);

    profile->refused = profile->refused || status != PF_OK;
    return status == PF_NOMEM ? PF_NOMEM : PF_OK;
}

static int end_profile_header(struct pf_dcpi_profiles *profiles, struct pf_bytes pad)
{
    struct pf_dcpi_profile *profile = open_profile(profiles);
    struct pf_report quiet = {0};
    struct pf_error error = {0};

    if (!profile)
        return PF_NOMEM;
    int status = pf_dcpi_header_end(&profile->header, pad, 0, &quiet, &error);

    profile->ended = true;
    profile->refused = profile->refused || status != PF_OK;
    return status == PF_NOMEM ? PF_NOMEM : PF_OK;
}

static void set_footer(struct pf_dcpi_profile *profile, struct pf_bytes text)
{
    const char *blank = memchr(text.data, ' ', text.size);
    size_t size = blank ? (size_t)(blank - text.data) : 0;
    int64_t addresses, samples;

    profile->footed =
        blank && pf_parse_int((struct pf_bytes){text.data, size}, 0, INT64_MAX, &addresses) &&
        pf_parse_int((struct pf_bytes){blank + 1, text.size - size - 1}, 0, INT64_MAX, &samples);
    if (profile->footed) {
        profile->addresses = (uint64_t)addresses;
        profile->samples = (uint64_t)samples;
    }
}

static int add_hidden(struct pf_dcpi_profiles *profiles, const struct pf_dict *dict,
                      struct pf_bytes key, uint32_t value)
{
    struct pf_bytes text = pf_dict_string(dict, value);
    struct pf_dcpi_profile *last = profiles->count > 0 ? &profiles->rows[profiles->count - 1]
                                                       : NULL;
    int64_t stride;

    if (pf_bytes_equal(key, PF_BYTES("separator"))) {
        profiles->separator = value;
    } else if (pf_bytes_equal(key, PF_BYTES("samples"))) {
        return end_profile_header(profiles, text);
    } else if (last && pf_bytes_equal(key, PF_BYTES("stride")) &&
               pf_parse_int(text, 1, 1024, &stride)) {
        last->stride = (uint64_t)stride;
    } else if (last && pf_bytes_equal(key, PF_BYTES("footer"))) {
        set_footer(last, text);
    } else if (last && pf_bytes_equal(key, PF_BYTES("chunks"))) {
        struct pf_dcpi_layout *layout = &last->layout;

        if (!pf_grow(&layout->texts, &layout->capacity, layout->count + 1, sizeof *layout->texts))
            return PF_NOMEM;
        layout->texts[layout->count++] = value;
    }
    return PF_OK;
}

static int profiles_add(struct pf_dcpi_profiles *profiles, const struct pf_dict *dict,
                        const struct pf_batch *batch)
{
    int status = PF_OK;

    for (uint32_t row = 0; status == PF_OK && row < batch->rows; row++) {
        struct pf_bytes origin = pf_dict_string(dict, batch->origin ? batch->origin[row] : 0);
        uint32_t key = batch->key ? batch->key[row] : 0,
                 value = batch->value ? batch->value[row] : 0;

        if (pf_bytes_equal(origin, PF_BYTES("dcpi")))
            status = add_header_line(profiles, dict, key, value);
        else if (pf_bytes_equal(origin, PF_BYTES(".dcpi")))
            status = add_hidden(profiles, dict, pf_dict_string(dict, key), value);
    }
    return status;
}

bool pf_dcpi_profile_is_of(const struct pf_dcpi_profile *profile, struct pf_bytes image)
{
    const struct pf_dcpi_header *header = &profile->header;

    for (size_t k = 0; k < header->count; k++)
        if (header->lines[k].known == PF_DCPI_IMAGE &&
            !pf_dcpi_same_image(pf_dcpi_line_value(header, &header->lines[k]), image))
            return false;
    return !profile->refused && header->first[PF_DCPI_IMAGE] != 0;
}

/* --- heads of dcpicat text -------------------------------------------------------------------- */

/* Removes `:NUMBER` from the end. False: no number. */
static bool cut_number(struct pf_bytes *text, uint64_t *number)
{
    size_t at = text->size;

    while (at > 0 && text->data[at - 1] != ':')
        at--;
    if (at < 2 ||
        !pf_parse_digits((struct pf_bytes){text->data + at, text->size - at}, INT64_MAX, number))
        return false;
    text->size = at - 1;
    return true;
}

/* Sets how many events a count stands for: the period, times the share of the time in which the
 * event was counted. False: the number has more than 64 bits. */
static bool set_events(struct pf_dcpi_cat_event *event)
{
    uint64_t common = pf_gcd(PF_DCPI_CAT_WHOLE, event->fraction), up = PF_DCPI_CAT_WHOLE / common,
             down = event->fraction / common;

    common = pf_gcd(event->period, down);
    event->parts = down / common;
    return !__builtin_mul_overflow(event->period / common, up, &event->events);
}

bool pf_dcpi_cat_event_parse(struct pf_bytes value, struct pf_dcpi_cat_event *event)
{
    struct pf_bytes total = pf_scan_column(&value);
    uint64_t first, second;

    if (!pf_parse_digits(total, INT64_MAX, &first) || value.size == 0)
        return false;
    *event = (struct pf_dcpi_cat_event){
        .total = (int64_t)first, .name = value, .fraction = PF_DCPI_CAT_WHOLE};
    if (cut_number(&event->name, &second)) {
        event->period = second;
        if (cut_number(&event->name, &event->period))
            event->fraction = second;
    }
    return event->fraction > 0 && set_events(event);
}

static const char *const WORDS[PF_DCPI_CAT_WORDS] = {
    "name", "image", "label", "path", "epoch", "platform", "text_start", "text_size", "event"};

unsigned pf_dcpi_cat_word(struct pf_bytes word)
{
    unsigned k = 0;

    while (k < PF_DCPI_CAT_WORDS && !pf_bytes_equal(word, pf_bytes_of(WORDS[k])))
        k++;
    return k;
}

static void cat_blocks_free(struct pf_dcpi_cat_blocks *blocks)
{
    free(blocks->lines);
    free(blocks->starts);
}

/* Begins a block at the next line. */
static bool begin_block(struct pf_dcpi_cat_blocks *blocks)
{
    blocks->imaged = false;
    if (!pf_grow(&blocks->starts, &blocks->block_capacity, blocks->blocks + 1,
                 sizeof *blocks->starts))
        return false;
    blocks->starts[blocks->blocks++] = blocks->count;
    return true;
}

static int cat_blocks_add(struct pf_dcpi_cat_blocks *blocks, const struct pf_dict *dict,
                          const struct pf_batch *batch)
{
    for (uint32_t row = 0; row < batch->rows; row++) {
        struct pf_dcpi_cat_line line = {batch->key ? batch->key[row] : 0,
                                        batch->value ? batch->value[row] : 0};

        if (!pf_bytes_equal(pf_dict_string(dict, batch->origin ? batch->origin[row] : 0),
                            PF_BYTES("dcpicat")))
            continue;
        bool name = pf_bytes_equal(pf_dict_string(dict, line.key), PF_BYTES("name"));
        bool image = pf_bytes_equal(pf_dict_string(dict, line.key), PF_BYTES("image"));

        if ((blocks->blocks == 0 || (name && blocks->named) || (image && blocks->imaged)) &&
            !begin_block(blocks))
            return PF_NOMEM;
        blocks->named = blocks->named || name;
        blocks->imaged = blocks->imaged || image;
        if (!pf_grow(&blocks->lines, &blocks->capacity, blocks->count + 1, sizeof line))
            return PF_NOMEM;
        blocks->lines[blocks->count++] = line;
    }
    return PF_OK;
}

struct pf_bytes pf_dcpi_cat_blocks_value(const struct pf_dcpi_cat_blocks *blocks,
                                         const struct pf_dict *dict, size_t block,
                                         struct pf_bytes key)
{
    if (block == 0 || block > blocks->blocks)
        return PF_BYTES("");
    for (size_t k = pf_dcpi_cat_block_start(blocks, block);
         k < pf_dcpi_cat_block_end(blocks, block); k++)
        if (pf_bytes_equal(pf_dict_string(dict, blocks->lines[k].key), key))
            return pf_dict_string(dict, blocks->lines[k].value);
    return PF_BYTES("");
}

/* --- which profiles a file is made of --------------------------------------------------------- */

static const struct pf_report QUIET = {0};

bool pf_dcpi_subject_has(const struct pf_dcpi_subject *subject, const struct pf_dict *dict,
                         const struct pf_dcpi_profile *profile)
{
    const struct pf_dcpi_header *header = &profile->header;

    if (!profile->ended || profile->refused || header->number[PF_DCPI_PERIOD] != subject->period ||
        !pf_bytes_equal(pf_dcpi_header_value(header, PF_DCPI_EVENT), subject->event))
        return false;
    return !subject->image ||
           (header->number[PF_DCPI_TSTART] == subject->image->text_start &&
            header->number[PF_DCPI_TSIZE] == subject->image->text_size &&
            pf_dcpi_same_image(pf_dcpi_header_value(header, PF_DCPI_IMAGE),
                               pf_dict_string(dict, subject->image->identifier)));
}

static int check_same(const struct pf_dcpi_header *a, const struct pf_dcpi_header *b,
                      struct pf_error *error)
{
    const char *what = NULL;

    if (a->number[PF_DCPI_TSTART] != b->number[PF_DCPI_TSTART])
        what = "tstart";
    if (a->number[PF_DCPI_TSIZE] != b->number[PF_DCPI_TSIZE])
        what = "tsize";
    if (!pf_dcpi_same_image(pf_dcpi_header_value(a, PF_DCPI_IMAGE),
                            pf_dcpi_header_value(b, PF_DCPI_IMAGE)))
        what = "image";
    if (!what)
        return PF_OK;
    return pf_error_set(
        error, PF_USAGE,
        "merge-mismatch: a dcpi file holds one image, and these profiles differ in '%s'", what);
}

/* --- lines of a new header -------------------------------------------------------------------- */

struct joining {
    struct pf_dcpi_header *to;
    struct pf_strings seen; /* words and values of lines, without their separators */
    struct pf_buffer text;
    struct pf_error *error;
};

/* Ends the header, its length a multiple of four, as dcpiformat(4) asks. */
static int end_header(struct pf_dcpi_header *header, struct pf_error *error)
{
    size_t size = header->raw.size + strlen("samples\n");

    return pf_dcpi_header_end(header, (struct pf_bytes){"   ", (4 - size % 4) % 4}, 0, &QUIET,
                              error);
}

static int add_line(struct joining *joining, struct pf_bytes word, struct pf_bytes separator,
                    struct pf_bytes value)
{
    joining->text.size = 0;
    pf_buffer_append(&joining->text, word.data, word.size);
    pf_buffer_append(&joining->text, separator.data, separator.size);
    pf_buffer_append(&joining->text, value.data, value.size);
    if (joining->text.failed)
        return pf_error_nomem(joining->error);
    return pf_dcpi_header_line(
        joining->to, (struct pf_bytes){joining->text.data, joining->text.size}, 0, joining->error);
}

/* True if the line is new; adds it to `seen`. */
static bool is_new(struct joining *joining, struct pf_bytes word, struct pf_bytes value)
{
    uint32_t count = joining->seen.count;

    joining->text.size = 0;
    pf_buffer_append(&joining->text, word.data, word.size);
    pf_buffer_byte(&joining->text, '\n');
    pf_buffer_append(&joining->text, value.data, value.size);
    return pf_strings_intern(&joining->seen,
                             (struct pf_bytes){joining->text.data, joining->text.size}, 0) == count;
}

static int join_header(struct joining *joining, const struct pf_dcpi_header *from,
                       struct pf_bytes epoch)
{
    bool first = joining->to->count == 0;
    int status = PF_OK;

    for (size_t k = 0; status == PF_OK && k < from->count; k++) {
        const struct pf_dcpi_line *line = &from->lines[k];
        struct pf_bytes word = pf_dcpi_line_word(from, line),
                        value = pf_dcpi_line_value(from, line);
        bool known = line->known < PF_DCPI_PATH && joining->to->first[line->known] != 0;

        if (line->known == PF_DCPI_EPOCH)
            value = epoch;
        if (is_new(joining, word, value) ? first || !known : first)
            status = add_line(joining, word, pf_dcpi_line_separator(from, line), value);
    }
    if (joining->seen.status != PF_OK || joining->text.failed)
        return pf_error_nomem(joining->error);
    return status;
}

int pf_dcpi_merge_headers(struct pf_dcpi_header *header, const struct pf_dcpi_profiles *profiles,
                          const struct pf_dict *dict, const struct pf_dcpi_subject *subject,
                          const struct pf_dcpi_profile **single, struct pf_error *error)
{
    struct joining joining = {.to = header, .error = error};
    const struct pf_dcpi_header *earliest = NULL, *first = NULL;
    size_t count = 0;
    int status = PF_OK;

    for (size_t k = 0; k < profiles->count; k++) {
        const struct pf_dcpi_profile *profile = &profiles->rows[k];

        if (!pf_dcpi_subject_has(subject, dict, profile))
            continue;
        *single = count++ == 0 ? profile : NULL;
        first = first ? first : &profile->header;
        if (check_same(first, &profile->header, error) != PF_OK)
            return error->code;
        if (!earliest || strcmp(profile->header.epoch, earliest->epoch) < 0)
            earliest = &profile->header;
    }
    if (count == 0)
        return PF_EOF;
    if (pf_strings_init(&joining.seen) < 0)
        status = pf_error_nomem(error);
    for (size_t k = 0; status == PF_OK && k < profiles->count; k++)
        if (pf_dcpi_subject_has(subject, dict, &profiles->rows[k]))
            status = join_header(&joining, &profiles->rows[k].header,
                                 pf_dcpi_header_value(earliest, PF_DCPI_EPOCH));
    if (status == PF_OK)
        status = count == 1 ? pf_dcpi_header_end(header, first->pad, 0, &QUIET, error)
                            : end_header(header, error);
    pf_strings_free(&joining.seen);
    pf_buffer_free(&joining.text);
    return status;
}

/* --- a header from lines of unknown files ----------------------------------------------------- */

/* Header lines without the end of their header. NULL: there are no such lines. */
static const struct pf_dcpi_profile *pool_of(const struct pf_dcpi_profiles *profiles)
{
    const struct pf_dcpi_profile *last = profiles->count > 0 ? &profiles->rows[profiles->count - 1]
                                                             : NULL;

    return last && !last->ended && !last->refused ? last : NULL;
}

static bool fits_number(const struct pf_dcpi_line *line, struct pf_bytes value, uint64_t number)
{
    uint64_t found;

    return (line->known == PF_DCPI_TSTART ? pf_parse_hex(value, &found)
                                          : pf_parse_digits(value, UINT64_MAX, &found)) &&
           found == number;
}

/* True if the value of the line agrees with the subject. */
static bool fits(const struct pf_dcpi_subject *subject, const struct pf_dict *dict,
                 const struct pf_dcpi_line *line, struct pf_bytes value)
{
    const struct pf_image *image = subject->image;

    switch (line->known) {
    case PF_DCPI_EVENT: return pf_bytes_equal(value, subject->event);
    case PF_DCPI_PERIOD: return fits_number(line, value, subject->period);
    case PF_DCPI_IMAGE:
        return !image || pf_dcpi_same_image(value, pf_dict_string(dict, image->identifier));
    case PF_DCPI_TSTART: return !image || fits_number(line, value, image->text_start);
    case PF_DCPI_TSIZE: return !image || fits_number(line, value, image->text_size);
    default: return true;
    }
}

/* The number + 1 of the line that the new header gets for a word; 0: no line fits. */
static size_t choose_line(const struct pf_dcpi_header *pool, const struct pf_dict *dict,
                          const struct pf_dcpi_subject *subject, enum pf_dcpi_word word)
{
    char epoch[16], earliest[16] = "";
    size_t chosen = 0;

    for (size_t k = 0; k < pool->count; k++) {
        const struct pf_dcpi_line *line = &pool->lines[k];
        struct pf_bytes value = pf_dcpi_line_value(pool, line);

        if (line->known != word || !fits(subject, dict, line, value))
            continue;
        bool earlier = word == PF_DCPI_EPOCH && pf_dcpi_epoch(value, epoch) &&
                       (!*earliest || strcmp(epoch, earliest) < 0);

        if (earlier)
            memcpy(earliest, epoch, sizeof epoch);
        if (chosen == 0 || earlier)
            chosen = k + 1;
    }
    return chosen;
}

int pf_dcpi_pool_header(struct pf_dcpi_header *header, const struct pf_dcpi_profiles *profiles,
                        const struct pf_dict *dict, const struct pf_dcpi_subject *subject,
                        struct pf_error *error)
{
    const struct pf_dcpi_profile *last = pool_of(profiles);
    const struct pf_dcpi_header *pool = last ? &last->header : NULL;
    struct pf_error why = {0};
    struct joining joining = {.to = header, .error = &why};
    size_t chosen[PF_DCPI_PATH];
    int status = PF_OK;

    if (!pool)
        return PF_EOF;
    for (enum pf_dcpi_word word = 0; word < PF_DCPI_PATH; word++)
        chosen[word] = choose_line(pool, dict, subject, word);
    bool one = pf_dcpi_profile_is_of(last, pf_dcpi_header_value(pool, PF_DCPI_IMAGE));

    if (pf_strings_init(&joining.seen) < 0)
        status = pf_error_nomem(&why);
    for (size_t k = 0; status == PF_OK && k < pool->count; k++) {
        const struct pf_dcpi_line *line = &pool->lines[k];
        struct pf_bytes word = pf_dcpi_line_word(pool, line),
                        value = pf_dcpi_line_value(pool, line);

        if (line->known < PF_DCPI_PATH ? chosen[line->known] == k + 1
                                       : one && is_new(&joining, word, value))
            status = add_line(&joining, word, pf_dcpi_line_separator(pool, line), value);
    }
    if (status == PF_OK)
        status = end_header(header, &why);
    pf_strings_free(&joining.seen);
    pf_buffer_free(&joining.text);
    if (status != PF_OK && status != PF_NOMEM)
        return pf_error_set(error, PF_USAGE,
                            "the header lines of the profiles make no valid header: %s", why.text);
    return status == PF_OK ? PF_OK : pf_error_nomem(error);
}

/* --- a header from a head of dcpicat text ----------------------------------------------------- */

static void add_value(struct joining *joining, enum pf_dcpi_word word, struct pf_bytes value)
{
    add_line(joining, pf_bytes_of(pf_dcpi_word_name(word)), PF_BYTES(" "), value);
}

static void add_number(struct joining *joining, enum pf_dcpi_word word, uint64_t number)
{
    char text[32];

    snprintf(text, sizeof text, word == PF_DCPI_TSTART ? "%" PRIx64 : "%" PRIu64, number);
    add_value(joining, word, pf_bytes_of(text));
}

/* Writes ten digits if two digits are enough for the year and there are no seconds. */
static void add_epoch(struct joining *joining, struct pf_bytes value)
{
    char normal[16];

    if (pf_dcpi_epoch(value, normal) && memcmp(normal, "1970", 4) >= 0 &&
        memcmp(normal, "2069", 4) <= 0 && memcmp(normal + 12, "00", 2) == 0)
        value = (struct pf_bytes){normal + 2, 10};
    add_value(joining, PF_DCPI_EPOCH, value);
}

/* Adds the lines of the block and the subject. The first failure stays in the error. */
static int make_lines(struct joining *joining, const struct pf_dcpi_cat_blocks *blocks,
                      const struct pf_dict *dict, const struct pf_dcpi_subject *subject,
                      size_t block)
{
    add_value(joining, PF_DCPI_VERSION, PF_BYTES("pdb-0.07"));
    add_value(joining, PF_DCPI_IMAGE,
              pf_dcpi_cat_blocks_value(blocks, dict, block, PF_BYTES("image")));
    add_epoch(joining, pf_dcpi_cat_blocks_value(blocks, dict, block, PF_BYTES("epoch")));
    add_value(joining, PF_DCPI_PLATFORM,
              pf_dcpi_cat_blocks_value(blocks, dict, block, PF_BYTES("platform")));
    add_value(joining, PF_DCPI_EVENT, subject->event);
    add_number(joining, PF_DCPI_PERIOD, subject->period);
    add_number(joining, PF_DCPI_TSTART, subject->image->text_start);
    add_number(joining, PF_DCPI_TSIZE, subject->image->text_size);
    add_number(joining, PF_DCPI_CPUSPEED, 0);
    for (size_t k = pf_dcpi_cat_block_start(blocks, block);
         k < pf_dcpi_cat_block_end(blocks, block); k++) {
        struct pf_bytes key = pf_dict_string(dict, blocks->lines[k].key);

        if (pf_bytes_equal(key, PF_BYTES("path")) || pf_bytes_equal(key, PF_BYTES("label")))
            add_line(joining, key, PF_BYTES(" "), pf_dict_string(dict, blocks->lines[k].value));
    }
    return joining->error->code == PF_OK ? end_header(joining->to, joining->error)
                                         : joining->error->code;
}

/* The image of a profile without counts: the image of the only block. NULL: there are several
 * blocks. */
static const struct pf_image *only_image(const struct pf_dcpi_cat_blocks *blocks,
                                         const struct pf_dict *dict)
{
    struct pf_bytes identifier = pf_dcpi_cat_blocks_value(blocks, dict, 1, PF_BYTES("image"));

    for (uint32_t k = 1; blocks->blocks == 1 && k < dict->images.count; k++)
        if (pf_dcpi_same_image(pf_dict_string(dict, pf_dict_image(dict, k)->identifier),
                               identifier))
            return pf_dict_image(dict, k);
    return NULL;
}

/* The first block of an image; 0: no block. */
static size_t find_block(const struct pf_dcpi_cat_blocks *blocks, const struct pf_dict *dict,
                         const struct pf_image *image)
{
    struct pf_bytes identifier = pf_dict_string(dict, image->identifier);

    for (size_t block = 1; identifier.size > 0 && block <= blocks->blocks; block++)
        if (pf_dcpi_same_image(pf_dcpi_cat_blocks_value(blocks, dict, block, PF_BYTES("image")),
                               identifier))
            return block;
    return 0;
}

int pf_dcpi_make_header(struct pf_dcpi_header *header, const struct pf_dcpi_cat_blocks *blocks,
                        const struct pf_dict *dict, const struct pf_dcpi_subject *about,
                        struct pf_error *error)
{
    struct pf_error why = {0};
    struct joining joining = {.to = header, .error = &why};
    struct pf_dcpi_subject found = *about, *subject = &found;

    if (!found.image)
        found.image = only_image(blocks, dict);
    size_t block = found.image ? find_block(blocks, dict, found.image) : 0;

    if (block == 0)
        return pf_error_set(error, PF_USAGE,
                            "dcpi needs the image, epoch and platform of a profile, and the "
                            "metadata do not have them");
    int status = make_lines(&joining, blocks, dict, subject, block);

    pf_buffer_free(&joining.text);
    if (status != PF_OK && status != PF_NOMEM)
        return pf_error_set(error, PF_USAGE, "dcpi cannot hold this header: %s", why.text);
    return status == PF_OK ? PF_OK : pf_error_nomem(error);
}

/* --- what writers hold ------------------------------------------------------------------------ */

int pf_dcpi_held_write(struct pf_writer *writer, const struct pf_batch *batch)
{
    struct pf_dcpi_held *held = writer->state;

    if (batch->kind != PF_META)
        return pf_dcpi_counts_add(&held->counts, writer->dict, batch, &writer->error);
    if (profiles_add(&held->profiles, writer->dict, batch) != PF_OK ||
        cat_blocks_add(&held->blocks, writer->dict, batch) != PF_OK)
        return pf_error_nomem(&writer->error);
    return PF_OK;
}

void pf_dcpi_held_close(struct pf_writer *writer)
{
    struct pf_dcpi_held *held = writer->state;

    profiles_free(&held->profiles);
    cat_blocks_free(&held->blocks);
    pf_dcpi_counts_free(&held->counts);
    pf_dcpi_places_free(&held->places);
}

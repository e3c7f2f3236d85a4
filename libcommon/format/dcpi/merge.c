#include "format/dcpi/dcpi.h"

#include "model/strings.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct pf_report QUIET = {0};

bool pf_dcpi_subject_has(const struct pf_dcpi_subject *subject, const struct pf_dict *dict, const struct pf_dcpi_profile *profile)
{
    const struct pf_dcpi_header *header = &profile->header;

    if (!profile->ended || profile->refused || header->number[PF_DCPI_PERIOD] != subject->period ||
        !pf_bytes_equal(pf_dcpi_header_value(header, PF_DCPI_EVENT), subject->event))
        return false;
    return !subject->image || (header->number[PF_DCPI_TSTART] == subject->image->text_start &&
                               header->number[PF_DCPI_TSIZE] == subject->image->text_size &&
                               pf_dcpi_same_image(pf_dcpi_header_value(header, PF_DCPI_IMAGE),
                                                  pf_dict_string(dict, subject->image->identifier)));
}

static int check_same(const struct pf_dcpi_header *a, const struct pf_dcpi_header *b, struct pf_error *error)
{
    const char *what = NULL;

    if (a->number[PF_DCPI_TSTART] != b->number[PF_DCPI_TSTART])
        what = "tstart";
    if (a->number[PF_DCPI_TSIZE] != b->number[PF_DCPI_TSIZE])
        what = "tsize";
    if (!pf_dcpi_same_image(pf_dcpi_header_value(a, PF_DCPI_IMAGE), pf_dcpi_header_value(b, PF_DCPI_IMAGE)))
        what = "image";
    if (!what)
        return PF_OK;
    return pf_error_set(error, PF_USAGE, "merge-mismatch: dcpi holds one image in a file, and these profiles differ in '%s'", what);
}

/* --- lines of a new header -------------------------------------------------------------------------------- */

struct joining {
    struct pf_dcpi_header *to;
    struct pf_strings seen; /* lines without what separates word and value */
    struct pf_buffer text;
    struct pf_error *error;
};

/* Ends the header, its length a multiple of four, as dcpiformat(4) asks. */
static int end_header(struct pf_dcpi_header *header, struct pf_error *error)
{
    size_t size = header->raw.size + strlen("samples\n");

    return pf_dcpi_header_end(header, (struct pf_bytes){"   ", (4 - size % 4) % 4}, 0, &QUIET, error);
}

static int add_line(struct joining *joining, struct pf_bytes word, struct pf_bytes separator, struct pf_bytes value)
{
    joining->text.size = 0;
    pf_buffer_append(&joining->text, word.data, word.size);
    pf_buffer_append(&joining->text, separator.data, separator.size);
    pf_buffer_append(&joining->text, value.data, value.size);
    if (joining->text.failed)
        return pf_error_nomem(joining->error);
    return pf_dcpi_header_line(joining->to, (struct pf_bytes){joining->text.data, joining->text.size}, 0, joining->error);
}

/* Whether the line was not seen before. */
static bool is_new(struct joining *joining, struct pf_bytes word, struct pf_bytes value)
{
    uint32_t count = joining->seen.count;

    joining->text.size = 0;
    pf_buffer_append(&joining->text, word.data, word.size);
    pf_buffer_byte(&joining->text, '\n');
    pf_buffer_append(&joining->text, value.data, value.size);
    return pf_strings_intern(&joining->seen, (struct pf_bytes){joining->text.data, joining->text.size}, 0) == count;
}

static int join_header(struct joining *joining, const struct pf_dcpi_header *from, struct pf_bytes epoch)
{
    bool first = joining->to->count == 0;
    int status = PF_OK;

    for (size_t k = 0; status == PF_OK && k < from->count; k++) {
        const struct pf_dcpi_line *line = &from->lines[k];
        struct pf_bytes word = pf_dcpi_line_word(from, line), value = pf_dcpi_line_value(from, line);
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

int pf_dcpi_merge_headers(struct pf_dcpi_header *header, const struct pf_dcpi_profiles *profiles, const struct pf_dict *dict,
                          const struct pf_dcpi_subject *subject, const struct pf_dcpi_profile **single, struct pf_error *error)
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
            status = join_header(&joining, &profiles->rows[k].header, pf_dcpi_header_value(earliest, PF_DCPI_EPOCH));
    if (status == PF_OK)
        status = count == 1 ? pf_dcpi_header_end(header, first->pad, 0, &QUIET, error) : end_header(header, error);
    pf_strings_free(&joining.seen);
    pf_buffer_free(&joining.text);
    return status;
}

/* --- from a pool of lines --------------------------------------------------------------------------------- */

/* The lines that no end of a header follows. */
static const struct pf_dcpi_profile *pool_of(const struct pf_dcpi_profiles *profiles)
{
    const struct pf_dcpi_profile *last = profiles->count > 0 ? &profiles->rows[profiles->count - 1] : NULL;

    return last && !last->ended && !last->refused ? last : NULL;
}

static bool fits_number(const struct pf_dcpi_line *line, struct pf_bytes value, uint64_t number)
{
    char text[32];
    int size = line->known == PF_DCPI_TSTART ? snprintf(text, sizeof text, "%" PRIx64, number)
                                             : snprintf(text, sizeof text, "%" PRIu64, number);

    for (; value.size > (size_t)size && *value.data == '0'; value.size--)
        value.data++;
    return pf_dcpi_same_image(value, (struct pf_bytes){text, (size_t)size});
}

/* Whether the line may stand in the subject's header, were it the only one of its word. */
static bool fits(const struct pf_dcpi_subject *subject, const struct pf_dict *dict, const struct pf_dcpi_line *line,
                 struct pf_bytes value)
{
    const struct pf_image *image = subject->image;

    switch (line->known) {
    case PF_DCPI_EVENT:
        return pf_bytes_equal(value, subject->event);
    case PF_DCPI_PERIOD:
        return fits_number(line, value, subject->period);
    case PF_DCPI_IMAGE:
        return !image || pf_dcpi_same_image(value, pf_dict_string(dict, image->identifier));
    case PF_DCPI_TSTART:
        return !image || fits_number(line, value, image->text_start);
    case PF_DCPI_TSIZE:
        return !image || fits_number(line, value, image->text_size);
    default:
        return true;
    }
}

/* The number of the line of a word to take + 1; 0 where there is none. */
static size_t choose_line(const struct pf_dcpi_header *pool, const struct pf_dict *dict, const struct pf_dcpi_subject *subject,
                          enum pf_dcpi_word word)
{
    char epoch[16], earliest[16] = "";
    size_t chosen = 0;

    for (size_t k = 0; k < pool->count; k++) {
        const struct pf_dcpi_line *line = &pool->lines[k];
        struct pf_bytes value = pf_dcpi_line_value(pool, line);

        if (line->known != word || !fits(subject, dict, line, value))
            continue;
        bool earlier = word == PF_DCPI_EPOCH && pf_dcpi_epoch(value, epoch) && (!*earliest || strcmp(epoch, earliest) < 0);

        if (earlier)
            memcpy(earliest, epoch, sizeof epoch);
        if (chosen == 0 || earlier)
            chosen = k + 1;
    }
    return chosen;
}

int pf_dcpi_pool_header(struct pf_dcpi_header *header, const struct pf_dcpi_profiles *profiles, const struct pf_dict *dict,
                        const struct pf_dcpi_subject *subject, struct pf_error *error)
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
        struct pf_bytes word = pf_dcpi_line_word(pool, line), value = pf_dcpi_line_value(pool, line);

        if (line->known < PF_DCPI_PATH ? chosen[line->known] == k + 1 : one && is_new(&joining, word, value))
            status = add_line(&joining, word, pf_dcpi_line_separator(pool, line), value);
    }
    if (status == PF_OK)
        status = end_header(header, &why);
    pf_strings_free(&joining.seen);
    pf_buffer_free(&joining.text);
    if (status != PF_OK && status != PF_NOMEM)
        return pf_error_set(error, PF_USAGE, "the lines of the headers here make no header: %s", why.text);
    return status == PF_OK ? PF_OK : pf_error_nomem(error);
}

/* --- from dcpicat ----------------------------------------------------------------------------------------- */

static int add_number(struct joining *joining, enum pf_dcpi_word word, uint64_t number, bool hex)
{
    char text[32];
    int size = hex ? snprintf(text, sizeof text, "%" PRIx64, number) : snprintf(text, sizeof text, "%" PRIu64, number);

    return add_line(joining, pf_bytes_of(pf_dcpi_word_name(word)), PF_BYTES(" "), (struct pf_bytes){text, (size_t)size});
}

static int add_value(struct joining *joining, enum pf_dcpi_word word, struct pf_bytes value)
{
    return add_line(joining, pf_bytes_of(pf_dcpi_word_name(word)), PF_BYTES(" "), value);
}

/* Ten digits where two are enough for the year and there are no seconds. */
static int add_epoch(struct joining *joining, struct pf_bytes value)
{
    char normal[16];

    if (pf_dcpi_epoch(value, normal) && memcmp(normal, "1970", 4) >= 0 && memcmp(normal, "2069", 4) <= 0 &&
        memcmp(normal + 12, "00", 2) == 0)
        value = (struct pf_bytes){normal + 2, 10};
    return add_value(joining, PF_DCPI_EPOCH, value);
}

static int add_paths(struct joining *joining, const struct pf_dcpi_cat_blocks *blocks, const struct pf_dict *dict, size_t block)
{
    int status = PF_OK;

    for (size_t k = 0; status == PF_OK && k < blocks->count; k++) {
        struct pf_bytes key = pf_dict_string(dict, blocks->lines[k].key);

        if (blocks->lines[k].block == block && (pf_bytes_equal(key, PF_BYTES("path")) || pf_bytes_equal(key, PF_BYTES("label"))))
            status = add_line(joining, key, PF_BYTES(" "), pf_dict_string(dict, blocks->lines[k].value));
    }
    return status;
}

static int make_lines(struct joining *joining, const struct pf_dcpi_cat_blocks *blocks, const struct pf_dict *dict,
                      const struct pf_dcpi_subject *subject, size_t block)
{
    int status = add_value(joining, PF_DCPI_VERSION, PF_BYTES("pdb-0.07"));

    if (status == PF_OK)
        status = add_value(joining, PF_DCPI_IMAGE, pf_dcpi_cat_blocks_value(blocks, dict, block, PF_BYTES("image")));
    if (status == PF_OK)
        status = add_epoch(joining, pf_dcpi_cat_blocks_value(blocks, dict, block, PF_BYTES("epoch")));
    if (status == PF_OK)
        status = add_value(joining, PF_DCPI_PLATFORM, pf_dcpi_cat_blocks_value(blocks, dict, block, PF_BYTES("platform")));
    if (status == PF_OK)
        status = add_value(joining, PF_DCPI_EVENT, subject->event);
    if (status == PF_OK)
        status = add_number(joining, PF_DCPI_PERIOD, subject->period, false);
    if (status == PF_OK)
        status = add_number(joining, PF_DCPI_TSTART, subject->image->text_start, true);
    if (status == PF_OK)
        status = add_number(joining, PF_DCPI_TSIZE, subject->image->text_size, false);
    if (status == PF_OK)
        status = add_number(joining, PF_DCPI_CPUSPEED, 0, false);
    if (status == PF_OK)
        status = add_paths(joining, blocks, dict, block);
    return status == PF_OK ? end_header(joining->to, joining->error) : status;
}

/* The image of a profile without counts: that of the only block there is. */
static const struct pf_image *only_image(const struct pf_dcpi_cat_blocks *blocks, const struct pf_dict *dict)
{
    struct pf_bytes identifier = pf_dcpi_cat_blocks_value(blocks, dict, 1, PF_BYTES("image"));

    for (uint32_t k = 1; blocks->blocks == 1 && k < dict->images.count; k++)
        if (pf_dcpi_same_image(pf_dict_string(dict, pf_dict_image(dict, k)->identifier), identifier))
            return pf_dict_image(dict, k);
    return NULL;
}

int pf_dcpi_make_header(struct pf_dcpi_header *header, const struct pf_dcpi_cat_blocks *blocks, const struct pf_dict *dict,
                        const struct pf_dcpi_subject *about, struct pf_error *error)
{
    struct pf_error why = {0};
    struct joining joining = {.to = header, .error = &why};
    struct pf_dcpi_subject found = *about, *subject = &found;
    size_t block = 0;

    if (!found.image)
        found.image = only_image(blocks, dict);
    if (found.image)
        block = pf_dcpi_cat_blocks_find(blocks, dict, pf_dict_string(dict, found.image->identifier), 0);
    if (block == 0)
        return pf_error_set(error, PF_USAGE,
                            "dcpi needs the image, epoch and platform of a profile, which the metadata here do not tell");
    int status = make_lines(&joining, blocks, dict, subject, block);

    pf_buffer_free(&joining.text);
    if (status != PF_OK && status != PF_NOMEM)
        return pf_error_set(error, PF_USAGE, "dcpi cannot hold this header: %s", why.text);
    return status == PF_OK ? PF_OK : pf_error_nomem(error);
}

#include "format/dcpi/dcpi.h"

#include "base/number.h"

#include <stdlib.h>
#include <string.h>

static void free_profile(struct pf_dcpi_profile *profile)
{
    pf_dcpi_header_free(&profile->header);
    free(profile->layout.texts);
}

void pf_dcpi_profiles_free(struct pf_dcpi_profiles *profiles)
{
    for (size_t k = 0; k < profiles->count; k++)
        free_profile(&profiles->rows[k]);
    free(profiles->rows);
    pf_buffer_free(&profiles->text);
}

/* The profile whose header is being told; a new one where that of the last one is complete. NULL: out of memory. */
static struct pf_dcpi_profile *open_profile(struct pf_dcpi_profiles *profiles)
{
    if (profiles->count > 0 && !profiles->rows[profiles->count - 1].ended)
        return &profiles->rows[profiles->count - 1];
    if (!pf_grow(&profiles->rows, &profiles->capacity, profiles->count + 1, sizeof *profiles->rows))
        return NULL;
    profiles->rows[profiles->count] = (struct pf_dcpi_profile){.stride = 1};
    return &profiles->rows[profiles->count++];
}

static int add_line(struct pf_dcpi_profiles *profiles, const struct pf_dict *dict, uint32_t word, uint32_t value)
{
    struct pf_dcpi_profile *profile = open_profile(profiles);
    struct pf_bytes separator = profiles->separator ? pf_dict_string(dict, profiles->separator) : PF_BYTES(" ");
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
    int status = pf_dcpi_header_line(&profile->header, (struct pf_bytes){profiles->text.data, profiles->text.size}, 0, &error);

    profile->refused = profile->refused || status != PF_OK;
    return status == PF_NOMEM ? PF_NOMEM : PF_OK;
}

static int end_header(struct pf_dcpi_profiles *profiles, struct pf_bytes pad)
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

    profile->footed = blank && pf_parse_int((struct pf_bytes){text.data, size}, 0, INT64_MAX, &addresses) &&
                      pf_parse_int((struct pf_bytes){blank + 1, text.size - size - 1}, 0, INT64_MAX, &samples);
    if (profile->footed) {
        profile->addresses = (uint64_t)addresses;
        profile->samples = (uint64_t)samples;
    }
}

static int add_hidden(struct pf_dcpi_profiles *profiles, const struct pf_dict *dict, struct pf_bytes key, uint32_t value)
{
    struct pf_bytes text = pf_dict_string(dict, value);
    struct pf_dcpi_profile *last = profiles->count > 0 ? &profiles->rows[profiles->count - 1] : NULL;
    int64_t stride;

    if (pf_bytes_equal(key, PF_BYTES("separator"))) {
        profiles->separator = value;
    } else if (pf_bytes_equal(key, PF_BYTES("samples"))) {
        return end_header(profiles, text);
    } else if (last && pf_bytes_equal(key, PF_BYTES("stride")) && pf_parse_int(text, 1, 1024, &stride)) {
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

int pf_dcpi_profiles_add(struct pf_dcpi_profiles *profiles, const struct pf_dict *dict, const struct pf_batch *batch)
{
    int status = PF_OK;

    for (uint32_t row = 0; status == PF_OK && row < batch->rows; row++) {
        struct pf_bytes origin = pf_dict_string(dict, batch->origin ? batch->origin[row] : 0);
        uint32_t key = batch->key ? batch->key[row] : 0, value = batch->value ? batch->value[row] : 0;

        if (pf_bytes_equal(origin, PF_BYTES("dcpi")))
            status = add_line(profiles, dict, key, value);
        else if (pf_bytes_equal(origin, PF_BYTES(".dcpi")))
            status = add_hidden(profiles, dict, pf_dict_string(dict, key), value);
    }
    return status;
}

bool pf_dcpi_profile_is_of(const struct pf_dcpi_profile *profile, struct pf_bytes image)
{
    const struct pf_dcpi_header *header = &profile->header;

    for (size_t k = 0; k < header->count; k++)
        if (header->lines[k].known == PF_DCPI_IMAGE && !pf_dcpi_same_image(pf_dcpi_line_value(header, &header->lines[k]), image))
            return false;
    return !profile->refused && header->first[PF_DCPI_IMAGE] != 0;
}

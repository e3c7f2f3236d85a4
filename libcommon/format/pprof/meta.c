/* The metadata of a profile as rows, and back. */
#include "format/pprof/meta.h"

#include "base/hash.h"
#include "base/number.h"
#include "base/scan.h"
#include "format/pprof/profile.h"

#include <inttypes.h>
#include <string.h>

/* --- making ----------------------------------------------------------------------------------- */

static void add_row(struct pf_rows *rows, const char *origin, const char *key, uint32_t value)
{
    uint32_t id = pf_dict_intern_word(rows->dict, origin);

    pf_rows_meta_strings(rows, id, pf_dict_intern_word(rows->dict, key), value);
}

static void add_text(struct pf_rows *rows, const char *origin, const char *key,
                     struct pf_buffer *text)
{
    struct pf_bytes bytes = {text->data, text->size};

    if (text->failed || bytes.size > PF_STRING_MAX)
        rows->dict->strings.status = text->failed ? PF_NOMEM : PF_UNSUPPORTED;
    else
        add_row(rows, origin, key, pf_dict_intern_text(rows->dict, bytes));
    text->size = 0;
}

static void put_escaped(struct pf_buffer *text, struct pf_bytes name)
{
    for (size_t k = 0; k < name.size; k++) {
        unsigned char c = (unsigned char)name.data[k];

        if (c <= ' ' || c == '/' || c == '%' || c == 127)
            pf_buffer_printf(text, "%%%02x", (unsigned)c);
        else
            pf_buffer_byte(text, c);
    }
}

static void add_string(struct pf_rows *rows, const struct pf_pprof_profile *profile,
                       struct pf_pprof_names *names, const char *key, uint64_t number)
{
    uint32_t id;

    if (pf_pprof_names_string(names, profile, number, profile->end, &id))
        add_row(rows, PF_PPROF_ORIGIN, key, id);
}

static void add_strings(struct pf_rows *rows, const struct pf_pprof_profile *profile,
                        struct pf_pprof_names *names)
{
    static const struct {
        unsigned number;
        const char *key;
    } single[] = {
        {PF_PPROF_DROP_FRAMES, "drop_frames"},
        {PF_PPROF_KEEP_FRAMES, "keep_frames"},
        {PF_PPROF_DEFAULT_TYPE, "default_sample_type"},
        {PF_PPROF_DOC_URL, "doc_url"},
    };

    for (size_t k = 0; k < sizeof single / sizeof *single; k++) {
        uint64_t number = profile->count.scalars.value[single[k].number];

        if (number != 0)
            add_string(rows, profile, names, single[k].key, number);
    }
    for (size_t k = 0; k < profile->count.comments; k++)
        add_string(rows, profile, names, "comment", profile->comments[k]);
}

static void add_period(struct pf_rows *rows, const struct pf_pprof_profile *profile,
                       struct pf_pprof_names *names, struct pf_buffer *text)
{
    const struct pf_pprof_type *type = &profile->count.scalars.period_type;
    uint64_t period = profile->count.scalars.value[PF_PPROF_PERIOD];
    uint32_t name, unit;

    if (!pf_pprof_names_string(names, profile, type->type, type->offset, &name) ||
        !pf_pprof_names_string(names, profile, type->unit, type->offset, &unit) ||
        (period == 0 && name == 0 && unit == 0))
        return;
    pf_buffer_printf(text, "%" PRId64 " ", (int64_t)period);
    put_escaped(text, pf_dict_string(rows->dict, name));
    pf_buffer_byte(text, '/');
    put_escaped(text, pf_dict_string(rows->dict, unit));
    add_text(rows, PF_PPROF_ORIGIN, "period", text);
}

static void add_number(struct pf_rows *rows, const struct pf_pprof_profile *profile, unsigned field,
                       const char *key)
{
    uint64_t number = profile->count.scalars.value[field];

    if (number != 0)
        pf_rows_meta_number(rows, PF_PPROF_ORIGIN, key, (int64_t)number);
}

/* Appends `SIZE:BYTES` of a string. */
static void put_string(struct pf_buffer *text, const struct pf_dict *dict, uint32_t string)
{
    struct pf_bytes bytes = pf_dict_string(dict, string);

    pf_buffer_printf(text, "%zx:", bytes.size);
    pf_buffer_append(text, bytes.data, bytes.size);
}

static void add_mappings(struct pf_rows *rows, const struct pf_pprof_profile *profile,
                         struct pf_pprof_names *names, struct pf_buffer *text)
{
    for (size_t k = 0; k < profile->count.mappings; k++) {
        const struct pf_pprof_mapping *mapping = &profile->mappings[k];
        uint32_t build_id, name;

        if (names->damage.code != PF_OK && mapping->offset >= names->damage.offset)
            continue;
        if (!pf_pprof_names_string(names, profile, mapping->file, mapping->offset, &name) ||
            !pf_pprof_names_string(names, profile, mapping->build_id, mapping->offset, &build_id))
            continue;
        struct pf_bytes file = pf_dict_string(rows->dict, name);

        pf_buffer_printf(text, "%" PRIx64 " %" PRIx64 " %" PRIx64 " %x ", mapping->start,
                         mapping->limit, mapping->shift, (unsigned)mapping->flags);
        put_string(text, rows->dict, build_id);
        pf_buffer_byte(text, ' ');
        pf_buffer_append(text, file.data, file.size);
        add_text(rows, PF_PPROF_PRIVATE, PF_PPROF_KEY_MAPPING, text);
    }
}

uint64_t pf_pprof_location_hash(const struct pf_dict *dict, const uint32_t *frames, size_t count,
                                struct pf_buffer *scratch)
{
    const struct pf_location *place = pf_dict_location(dict, frames[0]);
    const struct pf_image *image = pf_dict_image(dict, place->image);
    uint64_t numbers[] = {image->start, image->limit, image->offset, image->flags, place->address};

    scratch->size = 0;
    pf_buffer_append(scratch, numbers, sizeof numbers);
    put_string(scratch, dict, image->name);
    put_string(scratch, dict, image->identifier);
    for (size_t k = 0; k < count; k++) {
        const struct pf_location *frame = pf_dict_location(dict, frames[k]);
        const struct pf_function *function = pf_dict_function(dict, frame->function);
        int64_t lines[] = {function->start_line, frame->line, frame->column};

        pf_buffer_append(scratch, lines, sizeof lines);
        put_string(scratch, dict, function->name);
        put_string(scratch, dict, function->system_name);
        put_string(scratch, dict, function->file);
    }
    uint64_t hash = pf_xxh64(scratch->data, scratch->size);

    return hash != 0 ? hash : 1;
}

static void add_folded(struct pf_rows *rows, const struct pf_pprof_profile *profile,
                       const struct pf_pprof_names *names, struct pf_buffer *text)
{
    for (size_t k = 0; k < profile->count.locations; k++) {
        const struct pf_pprof_span *span = &names->spans[k];

        if (!profile->locations[k].folded || span->count == 0)
            continue;
        uint64_t hash =
            pf_pprof_location_hash(rows->dict, names->frames + span->first, span->count, text);

        text->size = 0;
        pf_buffer_printf(text, "%" PRIx64, hash);
        add_text(rows, PF_PPROF_PRIVATE, PF_PPROF_KEY_FOLDED, text);
    }
}

void pf_pprof_meta_make(struct pf_rows *rows, const struct pf_pprof_profile *profile,
                        struct pf_pprof_names *names)
{
    struct pf_buffer text = {0};

    add_number(rows, profile, PF_PPROF_TIME, "time_nanos");
    add_number(rows, profile, PF_PPROF_DURATION, "duration_nanos");
    add_period(rows, profile, names, &text);
    add_strings(rows, profile, names);
    add_mappings(rows, profile, names, &text);
    add_folded(rows, profile, names, &text);
    if (names->bare_system_names)
        add_row(rows, PF_PPROF_PRIVATE, PF_PPROF_KEY_SYSTEM_NAMES,
                pf_dict_intern(rows->dict, PF_BYTES("bare"), 0));
    pf_buffer_free(&text);
}

/* --- parsing ---------------------------------------------------------------------------------- */

/* Reads hexadecimal digits and the text `end` after them. */
static bool read_hex(struct pf_bytes *text, struct pf_bytes end, uint64_t *number)
{
    return pf_scan_hex(text, number) && pf_scan_past(text, end);
}

static uint32_t unescape(struct pf_dict *dict, struct pf_bytes text)
{
    struct pf_buffer name = {0};
    uint32_t id;

    for (size_t k = 0; k < text.size; k++) {
        int byte = pf_percent_byte(pf_bytes_skip(text, k));

        pf_buffer_byte(&name, (unsigned char)(byte < 0 ? text.data[k] : byte));
        k += byte < 0 ? 0 : 2;
    }
    struct pf_bytes bytes = {name.data, name.size};

    id = pf_dict_intern_text(dict, bytes);
    if (name.failed)
        dict->strings.status = PF_NOMEM;
    pf_buffer_free(&name);
    return id;
}

bool pf_pprof_period_parse(struct pf_dict *dict, struct pf_bytes value, int64_t *period,
                           uint32_t *type, uint32_t *unit)
{
    const char *blank = value.size > 0 ? memchr(value.data, ' ', value.size) : NULL;
    size_t size = blank ? (size_t)(blank - value.data) : value.size;
    struct pf_bytes names = {value.data + size + 1, blank ? value.size - size - 1 : 0};
    const char *slash = names.size > 0 ? memchr(names.data, '/', names.size) : NULL;

    if (!slash || !pf_parse_int((struct pf_bytes){value.data, size}, INT64_MIN, INT64_MAX, period))
        return false;
    size = (size_t)(slash - names.data);
    *type = unescape(dict, (struct pf_bytes){names.data, size});
    *unit = unescape(dict, (struct pf_bytes){slash + 1, names.size - size - 1});
    return true;
}

bool pf_pprof_mapping_parse(struct pf_dict *dict, struct pf_bytes value, struct pf_image *image)
{
    uint64_t size;

    *image = (struct pf_image){0};
    if (!read_hex(&value, PF_BYTES(" "), &image->start) ||
        !read_hex(&value, PF_BYTES(" "), &image->limit) ||
        !read_hex(&value, PF_BYTES(" "), &image->offset) ||
        !read_hex(&value, PF_BYTES(" "), &image->flags) ||
        !read_hex(&value, PF_BYTES(":"), &size) || size >= value.size || value.data[size] != ' ')
        return false;
    struct pf_bytes build = {value.data, (size_t)size},
                    file = {value.data + size + 1, value.size - (size_t)size - 1};

    image->identifier = pf_dict_intern_text(dict, build);
    image->name = pf_dict_intern_text(dict, file);
    return true;
}

bool pf_pprof_folded_parse(struct pf_bytes value, uint64_t *hash)
{
    return pf_parse_hex(value, hash) && *hash != 0;
}

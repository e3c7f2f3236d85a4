#include "format/pprof/facts.h"

#include "base/number.h"
#include "format/pprof/profile.h"
#include "format/pprof/meta.h"

#include <stdlib.h>

void pf_pprof_facts_free(struct pf_pprof_facts *facts)
{
    free(facts->comments);
}

static int add_comment(struct pf_pprof_facts *facts, uint32_t comment, struct pf_error *error)
{
    if (!pf_grow(&facts->comments, &facts->comment_capacity, facts->comment_count + 1, sizeof *facts->comments))
        return pf_error_nomem(error);
    facts->comments[facts->comment_count++] = comment;
    return PF_OK;
}

/* Metadata of another format: `ORIGIN.KEY: VALUE`. */
static int add_foreign(struct pf_pprof_facts *facts, struct pf_dict *dict, struct pf_bytes origin, struct pf_bytes key,
                       struct pf_bytes value, struct pf_error *error)
{
    struct pf_buffer text = {0};
    uint32_t comment = 0;

    pf_buffer_append(&text, origin.data, origin.size);
    pf_buffer_byte(&text, '.');
    pf_buffer_append(&text, key.data, key.size);
    pf_buffer_append(&text, ": ", 2);
    pf_buffer_append(&text, value.data, value.size);
    struct pf_bytes bytes = {text.data, text.size};

    if (bytes.size > PF_STRING_MAX)
        bytes.size = PF_STRING_MAX;
    if (!text.failed)
        comment = pf_dict_intern_text(dict, bytes);
    pf_buffer_free(&text);
    return comment != 0 ? add_comment(facts, comment, error) : pf_error_nomem(error);
}

static void add_period(struct pf_pprof_facts *facts, struct pf_dict *dict, struct pf_bytes value)
{
    int64_t period;
    uint32_t type, unit;

    if (!pf_pprof_period_parse(dict, value, &period, &type, &unit))
        return;
    if (facts->has_period && (facts->period_type != type || facts->period_unit != unit)) {
        facts->other_periods = true;
        return;
    }
    if (!facts->has_period || period > facts->period)
        facts->period = period;
    facts->has_period = true;
    facts->period_type = type;
    facts->period_unit = unit;
}

static int add_times(struct pf_pprof_facts *facts, struct pf_bytes key, struct pf_bytes value, struct pf_error *error)
{
    int64_t number;

    if (!pf_parse_int(value, INT64_MIN, INT64_MAX, &number))
        return PF_OK;
    if (pf_bytes_equal(key, PF_BYTES("duration_nanos")))
        return pf_add64(facts->duration, number, &facts->duration)
                   ? PF_OK
                   : pf_error_set(error, PF_OVERFLOW, "the sum of the durations leaves 64 bits");
    if (!facts->has_time || number < facts->time)
        facts->time = number;
    facts->has_time = true;
    return PF_OK;
}

static int add_own(struct pf_pprof_facts *facts, struct pf_dict *dict, struct pf_bytes key, uint32_t value, struct pf_error *error)
{
    const struct {
        const char *key;
        uint32_t *to;
    } strings[] = {
        {"drop_frames", &facts->drop_frames},
        {"keep_frames", &facts->keep_frames},
        {"default_sample_type", &facts->default_type},
        {"doc_url", &facts->doc_url},
    };

    if (pf_bytes_equal(key, PF_BYTES("comment")))
        return add_comment(facts, value, error);
    if (pf_bytes_equal(key, PF_BYTES("time_nanos")) || pf_bytes_equal(key, PF_BYTES("duration_nanos")))
        return add_times(facts, key, pf_dict_string(dict, value), error);
    if (pf_bytes_equal(key, PF_BYTES("period")))
        add_period(facts, dict, pf_dict_string(dict, value));
    for (size_t k = 0; k < sizeof strings / sizeof *strings; k++)
        if (pf_bytes_equal(key, pf_bytes_of(strings[k].key)) && *strings[k].to == 0)
            *strings[k].to = value;
    return PF_OK;
}

static void add_mapping(struct pf_pprof_places *places, struct pf_bytes value)
{
    struct pf_image image;

    if (!pf_pprof_mapping_parse(places->dict, value, &image))
        return;
    if (pf_pprof_places_image(places, pf_pprof_add_image(places->dict, image)) == places->listed + 1)
        places->listed++;
}

static void add_private(struct pf_pprof_places *places, struct pf_bytes key, struct pf_bytes value)
{
    uint64_t hash;

    if (pf_bytes_equal(key, PF_BYTES(PF_PPROF_KEY_MAPPING)))
        add_mapping(places, value);
    if (pf_bytes_equal(key, PF_BYTES(PF_PPROF_KEY_SYSTEM_NAMES)))
        places->bare_system_names = true;
    if (pf_bytes_equal(key, PF_BYTES(PF_PPROF_KEY_FOLDED)) && pf_pprof_folded_parse(value, &hash))
        pf_table_intern(&places->folded, &hash);
}

static int add_row(struct pf_pprof_facts *facts, struct pf_pprof_places *places, struct pf_bytes origin, struct pf_bytes key,
                   uint32_t value, struct pf_error *error)
{
    struct pf_dict *dict = places->dict;
    struct pf_bytes text = pf_dict_string(dict, value);

    if (pf_bytes_equal(origin, PF_BYTES(PF_PPROF_ORIGIN)))
        return add_own(facts, dict, key, value, error);
    if (pf_bytes_equal(origin, PF_BYTES(PF_PPROF_PRIVATE)))
        add_private(places, key, text);
    if (pf_bytes_equal(origin, PF_BYTES("profutils"))) {
        bool source = pf_bytes_equal(key, PF_BYTES("source_format")), own = pf_bytes_equal(text, PF_BYTES("pprof"));

        facts->from_pprof |= source && own;
        facts->from_others |= source && !own;
        return PF_OK;
    }
    return origin.size > 0 && origin.data[0] == '.' ? PF_OK : add_foreign(facts, dict, origin, key, text, error);
}

int pf_pprof_facts_add(struct pf_pprof_facts *facts, struct pf_pprof_places *places, const struct pf_batch *batch,
                       struct pf_error *error)
{
    struct pf_dict *dict = places->dict;
    int status = PF_OK;

    for (uint32_t row = 0; row < batch->rows && status == PF_OK; row++) {
        struct pf_bytes origin = pf_dict_string(dict, batch->origin[row]), key = pf_dict_string(dict, batch->key[row]);

        status = add_row(facts, places, origin, key, batch->value[row], error);
    }
    return status;
}

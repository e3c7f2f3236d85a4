#include "format/pprof/drop.h"

#include "analysis/filter/pattern.h"
#include "base/memory.h"
#include "format/pprof/profile.h"

#include <stdlib.h>
#include <string.h>

enum { UNKNOWN, STAYS, GOES };

struct drop {
    const struct pf_dict *dict;
    struct pf_pattern patterns[2]; /* what goes, and what stays all the same */
    size_t pattern_count;
    unsigned char *verdicts; /* by function */
    struct pf_buffer name;
};

/* The expression must match the whole name. */
static int compile(struct drop *drop, const struct pf_pprof_profile *profile, unsigned field, const char *key, struct pf_buffer *text,
                   struct pf_error *error)
{
    uint64_t number = profile->count.scalars.value[field];
    struct pf_error why = {0};
    uint32_t string;

    if (pf_pprof_string(profile, number, profile->end, &string, error) != PF_OK)
        return error->code;
    struct pf_bytes given = pf_dict_string(drop->dict, string);
    pf_buffer_append(text, "^(", 2);
    pf_buffer_append(text, given.data, given.size);
    pf_buffer_append(text, ")$", 3);
    if (text->failed)
        return pf_error_nomem(error);
    int status = pf_pattern_compile(&drop->patterns[drop->pattern_count], text->data, 0, &why);
    if (status != PF_OK)
        return status == PF_NOMEM ? pf_error_nomem(error)
                                  : pf_error_at(error, PF_FAILED, profile->end, "%s is no expression: %s", key, why.text);
    drop->pattern_count++;
    return PF_OK;
}

/* The size of what begins the text with a bracket that is not that of arguments. */
static size_t part_of_name(struct pf_bytes text)
{
    static const struct pf_bytes parts[] = {{"(anonymous namespace)", 21}, {"operator()", 10}};

    for (size_t k = 0; k < 2; k++)
        if (pf_bytes_starts(text, parts[k]))
            return parts[k].size;
    return 0;
}

/* Without the dot of PowerPC, and up to the arguments. */
static struct pf_bytes simple_name(struct drop *drop, struct pf_bytes name)
{
    size_t at = 0, size;

    if (pf_bytes_starts(name, PF_BYTES(".")))
        name = pf_bytes_skip(name, 1);
    for (; at < name.size; at += size > 0 ? size : 1) {
        size = part_of_name(pf_bytes_skip(name, at));
        if (size == 0 && name.data[at] == '(')
            break;
    }
    drop->name.size = 0;
    pf_buffer_append(&drop->name, name.data, at);
    pf_buffer_byte(&drop->name, '\0');
    return (struct pf_bytes){drop->name.data, drop->name.failed ? 0 : at};
}

static bool goes(struct drop *drop, uint32_t location)
{
    uint32_t function = pf_dict_location(drop->dict, location)->function;

    if (drop->verdicts[function] == UNKNOWN) {
        struct pf_bytes name = pf_dict_string(drop->dict, pf_dict_function(drop->dict, function)->name);
        bool match = name.size > 0;

        if (match) {
            name = simple_name(drop, name);
            match = !drop->name.failed && pf_pattern_match(&drop->patterns[0], name) &&
                    (drop->pattern_count == 1 || !pf_pattern_match(&drop->patterns[1], name));
        }
        drop->verdicts[function] = match ? GOES : STAYS;
    }
    return drop->verdicts[function] == GOES;
}

/* The outermost frame of a location that goes takes those that are inlined into it. */
static void cut_location(struct drop *drop, struct pf_pprof_names *names, size_t place)
{
    struct pf_pprof_span *span = &names->spans[place];
    uint32_t left = span->count;

    while (left > 0 && !goes(drop, names->frames[span->first + left - 1]))
        left--;
    if (left == 0)
        return;
    names->single[place] = 0;
    names->cuts[place] = left == span->count ? PF_PPROF_DROPPED : PF_PPROF_CUT;
    if (left < span->count) {
        span->first += left;
        span->count -= left;
    }
}

int pf_pprof_drop_find(struct pf_pprof_names *names, const struct pf_pprof_profile *profile, const struct pf_dict *dict,
                       struct pf_error *error)
{
    struct drop drop = {.dict = dict};
    struct pf_buffer texts[2] = {0};
    int status = PF_OK;

    if (profile->count.scalars.value[PF_PPROF_DROP_FRAMES] == 0)
        return PF_OK;
    status = compile(&drop, profile, PF_PPROF_DROP_FRAMES, "drop_frames", &texts[0], error);
    if (status == PF_OK && profile->count.scalars.value[PF_PPROF_KEEP_FRAMES] != 0)
        status = compile(&drop, profile, PF_PPROF_KEEP_FRAMES, "keep_frames", &texts[1], error);
    names->cuts = calloc(profile->count.locations + 1, sizeof *names->cuts);
    drop.verdicts = calloc(dict->functions.count, sizeof *drop.verdicts);
    if (status == PF_OK && (names->cuts == NULL || drop.verdicts == NULL))
        status = pf_error_nomem(error);
    for (size_t place = 0; place < profile->count.locations && status == PF_OK; place++)
        cut_location(&drop, names, place);
    for (size_t k = 0; k < drop.pattern_count; k++) {
        if (status == PF_OK && (drop.patterns[k].status != PF_OK || drop.name.failed))
            status = pf_error_nomem(error);
        pf_pattern_free(&drop.patterns[k]);
    }
    for (size_t k = 0; k < 2; k++)
        pf_buffer_free(&texts[k]);
    pf_buffer_free(&drop.name);
    free(drop.verdicts);
    return status;
}

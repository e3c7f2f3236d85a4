#include "format/statprofiler/statprofiler.h"

enum { LOOK_AHEAD = 65536 };

/* Fields of a record with a length; unknown tags have bytes nobody knows. */
static const char *layout_of(unsigned tag)
{
    switch (tag) {
    case PF_SP_SAMPLE_START:
        return "lvvs";
    case PF_SP_SUB:
        return "lsssv";
    case PF_SP_SECTION_START:
    case PF_SP_SECTION_END:
        return "ls";
    case PF_SP_METADATA:
        return "lss";
    case PF_SP_PERL_VERSION:
        return "lvvv";
    case PF_SP_TICK:
    case PF_SP_DEPTH:
        return "lv";
    case PF_SP_LIBRARY_VERSION:
        return "lvv";
    case PF_SP_SAMPLE_END:
    case PF_SP_HEADER_END:
        return "";
    default:
        return "lp";
    }
}

static bool fills(const struct pf_sp_record *record)
{
    return record->size - record->payload == record->length;
}

/* The plan leaves the payload of an eval frame open: file and line where they fill the length, as in the
 * real dialect, else unknown bytes. */
static enum pf_sp_parse parse_eval(struct pf_sp_record *record, const unsigned char *p, size_t size, bool lsb)
{
    enum pf_sp_parse result = pf_sp_record_parse(record, p, size, "lsv", lsb);

    if (result == PF_SP_WHOLE && fills(record))
        return result;
    return pf_sp_record_parse(record, p, size, "lp", lsb);
}

enum pf_sp_parse pf_sp_plan_parse(struct pf_sp_record *record, const unsigned char *p, size_t have, bool lsb,
                                  bool *fits)
{
    const char *layout = have > 0 ? layout_of(*p) : "";
    *fits = true;
    /* A length says what must be there before any field does. */
    enum pf_sp_parse result = pf_sp_record_parse(record, p, have, *layout ? "lp" : "", lsb);
    if (result != PF_SP_WHOLE || !*layout)
        return result;
    size_t size = record->size;
    if (record->tag == PF_SP_EVAL)
        return parse_eval(record, p, size, lsb);
    result = pf_sp_record_parse(record, p, size, layout, lsb);
    *fits = result == PF_SP_WHOLE && fills(record);
    if (!*fits && record->tag == PF_SP_SUB) {
        result = pf_sp_record_parse(record, p, size, "lssv", lsb);
        *fits = result == PF_SP_WHOLE && fills(record);
    }
    return result == PF_SP_MISSING ? PF_SP_WHOLE : result;
}

bool pf_sp_plan_sample(const unsigned char *p, size_t have)
{
    struct pf_sp_record record;
    return pf_sp_record_parse(&record, p, have, "lvvs", false) == PF_SP_WHOLE && fills(&record);
}

enum verdict { NOTHING, MSB, LSB };

/* What the varints among these bytes say: `layout` tells where they stand. Both directions end a varint at the same
 * byte, but the size of a string depends on it. */
static enum verdict look(const unsigned char *p, const unsigned char *end, const char *layout, bool lsb)
{
    for (; *layout && p < end; layout++) {
        if (*layout == 's')
            p++;
        if (*layout == 'p')
            return NOTHING;
        const unsigned char *first = p;
        while (p < end && *p & 0x80)
            p++;
        if (p >= end)
            return NOTHING;
        if (p > first && *first == 0x80)
            return LSB;
        if (p > first && *p == 0)
            return MSB;
        p++;
        if (*layout == 's') {
            uint64_t size = 0;
            for (const unsigned char *q = first; q < p; q++)
                size = lsb ? size | (uint64_t)(*q & 0x7f) << 7 * ((q - first) & 7) : size << 7 | (*q & 0x7f);
            if (size > (uint64_t)(end - p))
                return NOTHING;
            p += size;
        }
    }
    return NOTHING;
}

/* Walks over the records until one decides. *walked: how far the lengths fitted. */
static enum verdict walk(const unsigned char *bytes, size_t size, bool lsb, size_t *walked)
{
    size_t at = 0;
    while (at < size) {
        struct pf_sp_record record;
        bool fits;
        const char *layout = layout_of(bytes[at]);
        if (bytes[at] == 0) { /* the length of a record without payload, which may be there or not */
            at++;
            continue;
        }
        enum verdict verdict = look(bytes + at + 1, bytes + size, layout, lsb);
        if (verdict != NOTHING)
            return verdict;
        enum pf_sp_parse result = pf_sp_plan_parse(&record, bytes + at, size - at, lsb, &fits);
        if (result != PF_SP_WHOLE || !fits)
            break;
        at += record.size;
    }
    *walked = at;
    return NOTHING;
}

bool pf_sp_plan_is_lsb(struct pf_source *source, size_t start)
{
    size_t have, msb_walked = 0, lsb_walked = 0;
    const unsigned char *bytes = pf_source_peek(source, start + LOOK_AHEAD, &have);
    if (have <= start)
        return false;
    enum verdict verdict = walk(bytes + start, have - start, false, &msb_walked);
    if (verdict == NOTHING)
        verdict = walk(bytes + start, have - start, true, &lsb_walked);
    else
        return verdict == LSB;
    return verdict == LSB || (verdict == NOTHING && lsb_walked > msb_walked);
}

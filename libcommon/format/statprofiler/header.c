#include "format/statprofiler/statprofiler.h"

#include "base/number.h"

#include <stdio.h>
#include <string.h>

/* Times of start that are taken for such: 2013-03 (before there was a StatProfiler) to 2045. */
enum { START_LOW = 0x51300000 };
#define START_HIGH 0x8e000000u

static uint32_t load32be(const unsigned char *p)
{
    return (uint32_t)pf_load16be(p) << 16 | pf_load16be(p + 2);
}

static void print_id(char text[PF_SP_ID_TEXT], const unsigned char *words, bool big)
{
    for (size_t i = 0; i < PF_SP_ID_WORDS; i++) {
        const unsigned char *p = words + 4 * i;
        uint32_t word = big ? load32be(p) : pf_load32le(p);
        snprintf(text + 8 * i, 9, "%08lx", (unsigned long)word);
    }
}

static bool is_start(uint32_t time)
{
    return time >= START_LOW && time <= START_HIGH;
}

/* The ids are words of the machine that wrote them: the file's name has the right spelling; else the third word is a time, and where
 * it is one both ways, the second the number of a thread, which is small. */
static bool words_are_big(const unsigned char *words, const char *path)
{
    char little[PF_SP_ID_TEXT], big[PF_SP_ID_TEXT];
    print_id(little, words, false);
    print_id(big, words, true);
    if (strstr(path, little))
        return false;
    if (strstr(path, big))
        return true;
    if (is_start(pf_load32le(words + 8)))
        return is_start(load32be(words + 8)) && load32be(words + 4) < pf_load32le(words + 4);
    return is_start(load32be(words + 8));
}

static const char *layout_of(unsigned tag)
{
    switch (tag) {
    case PF_SP_PERL_VERSION:
        return "vvv";
    case PF_SP_TICK:
    case PF_SP_DEPTH:
        return "v";
    case PF_SP_LIBRARY_VERSION:
        return "vv";
    case PF_SP_GENEALOGY:
        return "vvw";
    case PF_SP_METADATA:
        return "ss";
    case PF_SP_HEADER_END:
        return "";
    default:
        return NULL;
    }
}

/* Layout of a whole header record; only that of metadata has a length, and in the plan all but the end have one. */
static const char *whole_layout(const struct pf_sp_header *header, unsigned tag, char scratch[8])
{
    const char *layout = layout_of(tag);
    bool plan = header->dialect == PF_SP_PLAN;
    if (!layout)
        return plan ? "lp" : NULL;
    if (tag == PF_SP_HEADER_END || (tag != PF_SP_METADATA && !plan))
        return layout;
    snprintf(scratch, 8, "l%s", layout);
    return scratch;
}

static bool keep_metadata(struct pf_sp_events *metadata, struct pf_dict *dict, const struct pf_sp_record *record)
{
    uint32_t key = pf_dict_intern(dict, record->text[0].bytes, record->text[0].flags);
    uint32_t value = pf_dict_intern(dict, record->text[1].bytes, record->text[1].flags);
    return pf_sp_events_add(metadata, PF_SP_EVENT_METADATA, key, value);
}

static void keep_record(struct pf_sp_header *header, const struct pf_sp_record *record, const char *path)
{
    if (record->tag >= PF_SP_METADATA && record->tag <= PF_SP_GENEALOGY)
        header->seen |= 1u << (record->tag - PF_SP_METADATA);
    switch (record->tag) {
    case PF_SP_PERL_VERSION:
        header->has_perl = record->number[0] != 0; /* 0.0.0 is written where it is not known */
        memcpy(header->perl, record->number, sizeof header->perl);
        break;
    case PF_SP_TICK:
        header->tick_ns = (uint64_t)record->number[0] * (header->dialect == PF_SP_PLAN ? 1 : 1000);
        break;
    case PF_SP_DEPTH:
        header->depth = record->number[0];
        break;
    case PF_SP_LIBRARY_VERSION:
        header->has_library = true;
        memcpy(header->library, record->number, sizeof header->library);
        break;
    case PF_SP_GENEALOGY: {
        bool big = words_are_big(record->words, path);
        header->has_genealogy = true;
        header->ordinal = record->number[0];
        header->parent_ordinal = record->number[1];
        print_id(header->id, record->words, big);
        print_id(header->parent, record->words + PF_SP_ID_SIZE, big);
        break;
    }
    default:
        break;
    }
}

/* Brings in and parses the header record at hand. */
static int next_record(const struct pf_sp_header *header, struct pf_sp_input *input, struct pf_sp_record *record,
                       struct pf_error *error)
{
    char scratch[96];
    uint64_t at = pf_sp_input_offset(input);
    size_t need = 1;
    for (;;) {
        int status = pf_sp_input_fill(input, need, error);
        if (status == PF_EOF)
            return pf_sp_input_fail(input, error, PF_FAILED, at, "the file ends inside its header");
        if (status != PF_OK)
            return status;
        const char *layout = whole_layout(header, *input->source->cursor, scratch);
        if (!layout)
            return pf_sp_input_fail(input, error, PF_FAILED, at,
                                    "tag %u is not known in a header, and header records cannot be passed over",
                                    (unsigned)*input->source->cursor);
        size_t have = pf_sp_input_have(input);
        enum pf_sp_parse result = pf_sp_record_parse(record, input->source->cursor, have, layout, header->lsb);
        if (result == PF_SP_MISSING) {
            need = have + record->missing;
            continue;
        }
        if (result != PF_SP_WHOLE)
            return pf_sp_input_fail(input, error, PF_FAILED, at, "header record with tag %u: %s", record->tag,
                                    pf_sp_parse_text(result, record, scratch));
        if (header->dialect == PF_SP_PLAN && record->tag != PF_SP_HEADER_END &&
            record->size - record->payload != record->length)
            return pf_sp_input_fail(input, error, PF_FAILED, at,
                                    "header record with tag %u has %lu bytes, but its length says %lu", record->tag,
                                    (unsigned long)(record->size - record->payload), (unsigned long)record->length);
        return PF_OK;
    }
}

int pf_sp_header_read(struct pf_sp_header *header, struct pf_sp_input *input, const char *path, struct pf_dict *dict,
                      struct pf_sp_events *metadata, const struct pf_report *report, struct pf_error *error)
{
    char text[64];
    bool warned = false;
    if (header->bare)
        return PF_OK;
    for (;;) {
        struct pf_sp_record record;
        int status = next_record(header, input, &record, error);
        if (status != PF_OK)
            return status;
        if (!layout_of(record.tag) && report && !warned) {
            snprintf(text, sizeof text, "header record with the unknown tag %u: passed over", record.tag);
            pf_sp_input_warn(input, report, text);
            warned = true;
        }
        if (record.tag == PF_SP_METADATA && dict && !keep_metadata(metadata, dict, &record))
            return pf_error_nomem(error);
        keep_record(header, &record, path);
        pf_source_take(input->source, record.size);
        if (record.tag == PF_SP_HEADER_END)
            return header->dialect == PF_SP_PLAN ? pf_sp_input_skip_zero(input, error) : PF_OK;
    }
}

void pf_sp_header_warn_missing(const struct pf_sp_header *header, const struct pf_report *report)
{
    static const struct {
        unsigned tag;
        const char *name;
    } required[] = {{PF_SP_PERL_VERSION, "Perl version"},
                    {PF_SP_TICK, "tick duration"},
                    {PF_SP_DEPTH, "stack depth"},
                    {PF_SP_LIBRARY_VERSION, "Devel::StatProfiler version"}};
    char list[160] = "";
    size_t used = 0;

    for (size_t i = 0; i < sizeof required / sizeof *required; i++)
        if (!(header->seen >> (required[i].tag - PF_SP_METADATA) & 1))
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s (tag %u)", used > 0 ? ", " : "",
                                     required[i].name, required[i].tag);
    if (used > 0)
        pf_report_send(report, PF_WARNING, "the header lacks mandatory records: %s", list);
}

bool pf_sp_header_has_process(const struct pf_sp_header *header)
{
    return header->has_genealogy && strspn(header->id, "0") < strlen(header->id);
}

/* True when the header can be read to its end in this dialect. */
static bool header_fits(const struct pf_sp_header *sniffed, struct pf_source *source, enum pf_sp_dialect dialect)
{
    struct pf_sp_header header = *sniffed;
    struct pf_sp_input input;
    struct pf_error ignored = {0};
    header.dialect = dialect;
    int status = pf_sp_input_open(&input, source, header.blocks, true, &ignored);
    if (status == PF_OK)
        status = pf_sp_header_read(&header, &input, "", NULL, NULL, NULL, &ignored);
    pf_sp_input_close(&input);
    return status == PF_OK;
}

void pf_sp_header_sniff(struct pf_sp_header *header, struct pf_source *source)
{
    size_t have;
    const unsigned char *bytes = pf_source_peek(source, PF_SP_START + 2, &have);
    unsigned first = have > PF_SP_START ? bytes[PF_SP_START] : PF_SP_HEADER_END;
    unsigned second = have > PF_SP_START + 1 ? bytes[PF_SP_START + 1] : 0;
    memset(header, 0, sizeof *header);
    header->dialect = PF_SP_REAL;
    if (first < PF_SP_METADATA) {
        /* A sample start may stand there: the first weeks of the format had no header. */
        header->blocks = first != PF_SP_SAMPLE_START || pf_sp_input_block_first(source);
        header->bare = !header->blocks;
        header->dialect = header->blocks ? PF_SP_REAL : PF_SP_UNDECIDED;
    } else if (first == PF_SP_HEADER_END) {
        header->dialect = PF_SP_UNDECIDED;
    } else if (first == PF_SP_PERL_VERSION) {
        /* Perl 5 in the real dialect; in the plan a length, of three small numbers. */
        header->dialect = second == 3 || second == 4 ? PF_SP_PLAN : PF_SP_REAL;
    } else {
        header->lsb = pf_sp_plan_is_lsb(source, PF_SP_START);
        if (!header_fits(header, source, PF_SP_REAL) && header_fits(header, source, PF_SP_PLAN))
            header->dialect = PF_SP_PLAN;
    }
    header->lsb = header->dialect != PF_SP_REAL && pf_sp_plan_is_lsb(source, PF_SP_START);
}

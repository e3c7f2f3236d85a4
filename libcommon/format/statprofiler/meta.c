/* All of a StatProfiler file but its samples: the header, metadata and the marks of sections, the
 * series of files of one process, and the metadata of a merge. */
#include "format/statprofiler/statprofiler.h"

#include "base/calendar.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/scan.h"
#include "model/strings.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- marks of sections ------------------------------------------------------------------------ */

bool pf_sp_events_add(struct pf_sp_events *events, enum pf_sp_event_type type, uint32_t key,
                      uint32_t value)
{
    if (!pf_grow(&events->rows, &events->capacity, events->count + 1, sizeof *events->rows))
        return false;
    events->rows[events->count++] = (struct pf_sp_event){type, key, value};
    return true;
}

bool pf_sp_events_add_metadata(struct pf_sp_events *events, struct pf_dict *dict,
                               const struct pf_sp_record *record)
{
    const struct pf_sp_string *text = record->text;
    uint32_t key = pf_dict_intern(dict, text[0].bytes, text[0].flags);
    uint32_t value = pf_dict_intern(dict, text[1].bytes, text[1].flags);
    return pf_sp_events_add(events, PF_SP_EVENT_METADATA, key, value);
}

void pf_sp_events_free(struct pf_sp_events *events)
{
    free(events->rows);
    memset(events, 0, sizeof *events);
}

bool pf_sp_open_start(struct pf_sp_open *open, uint32_t name)
{
    if (!pf_grow(&open->names, &open->capacity, open->count + 1, sizeof *open->names))
        return false;
    open->names[open->count++] = name;
    return true;
}

size_t pf_sp_open_end(struct pf_sp_open *open, uint32_t name)
{
    for (size_t i = open->count; i-- > 0;) {
        if (open->names[i] != name)
            continue;
        open->count--;
        memmove(open->names + i, open->names + i + 1, (open->count - i) * sizeof *open->names);
        return i;
    }
    return SIZE_MAX;
}

bool pf_sp_open_copy(struct pf_sp_open *to, const struct pf_sp_open *from)
{
    if (!pf_grow(&to->names, &to->capacity, from->count, sizeof *to->names))
        return false;
    if (from->count > 0)
        memcpy(to->names, from->names, from->count * sizeof *to->names);
    to->count = from->count;
    return true;
}

bool pf_sp_open_equal(const struct pf_sp_open *a, const struct pf_sp_open *b)
{
    return a->count == b->count &&
           (a->count == 0 || memcmp(a->names, b->names, a->count * sizeof *a->names) == 0);
}

void pf_sp_open_free(struct pf_sp_open *open)
{
    free(open->names);
    memset(open, 0, sizeof *open);
}

/* Adds ends for the sections of `from` without `keep`, then starts for to[kept...]. */
static bool add_changes(const struct pf_sp_open *from, const bool *keep, size_t kept,
                        const struct pf_sp_open *to, struct pf_sp_events *marks)
{
    bool ok = true;
    for (size_t i = from->count; i-- > 0 && ok;)
        if (!keep[i])
            ok = pf_sp_events_add(marks, PF_SP_EVENT_END, from->names[i], 0);
    for (size_t i = kept; i < to->count && ok; i++)
        ok = pf_sp_events_add(marks, PF_SP_EVENT_START, to->names[i], 0);
    return ok;
}

bool pf_sp_events_derive(const struct pf_sp_open *from, const struct pf_sp_open *to,
                         struct pf_sp_events *marks)
{
    struct pf_sp_open trial = {0};
    bool *keep = calloc(from->count + 1, sizeof *keep);
    bool ok = keep && pf_sp_open_copy(&trial, from);
    size_t kept = 0, before = marks->count;
    for (size_t i = 0; ok && i < from->count; i++) {
        keep[i] = kept < to->count && from->names[i] == to->names[kept];
        kept += keep[i];
    }
    ok = ok && add_changes(from, keep, kept, to, marks);
    /* An end closes the last section of its name, which may not be the section to close. */
    struct pf_sp_events added = {marks->rows ? marks->rows + before : NULL, marks->count - before,
                                 0};
    if (ok && !(pf_sp_events_apply(&added, &trial) && pf_sp_open_equal(&trial, to))) {
        marks->count = before;
        for (kept = 0;
             kept < from->count && kept < to->count && from->names[kept] == to->names[kept]; kept++)
            ;
        for (size_t i = 0; i < from->count; i++)
            keep[i] = i < kept;
        ok = add_changes(from, keep, kept, to, marks);
    }
    free(keep);
    pf_sp_open_free(&trial);
    return ok;
}

bool pf_sp_events_plain(const struct pf_sp_events *events, const struct pf_sp_open *from,
                        const struct pf_sp_open *to, bool *ok)
{
    struct pf_sp_events marks = {0};
    size_t first = 0;
    while (first < events->count && events->rows[first].type == PF_SP_EVENT_METADATA)
        first++;
    *ok = pf_sp_events_derive(from, to, &marks);
    bool same = *ok && marks.count == events->count - first;
    for (size_t i = 0; same && i < marks.count; i++)
        same = events->rows[first + i].type == marks.rows[i].type &&
               events->rows[first + i].key == marks.rows[i].key;
    pf_sp_events_free(&marks);
    return same;
}

bool pf_sp_events_apply(const struct pf_sp_events *events, struct pf_sp_open *open)
{
    for (size_t i = 0; i < events->count; i++) {
        const struct pf_sp_event *event = &events->rows[i];
        bool fits = true;
        if (event->type == PF_SP_EVENT_START)
            fits = pf_sp_open_start(open, event->key);
        else if (event->type == PF_SP_EVENT_END)
            fits = pf_sp_open_end(open, event->key) != SIZE_MAX;
        else if (event->type == PF_SP_EVENT_UNMATCHED)
            fits = pf_sp_open_end(open, event->key) == SIZE_MAX;
        if (!fits)
            return false;
    }
    return true;
}

/* --- the header ------------------------------------------------------------------------------- */

/* Times of start are between 2013-03, before the first StatProfiler, and 2045. */
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

/* True if the words of the ids are big-endian. A path that contains the id shows the order. Else
 * the third word must be a time; if it is a time in both orders, the second word decides: it is the
 * number of a thread, which is small. */
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
    case PF_SP_PERL_VERSION: return "vvv";
    case PF_SP_TICK:
    case PF_SP_DEPTH: return "v";
    case PF_SP_LIBRARY_VERSION: return "vv";
    case PF_SP_GENEALOGY: return "vvw";
    case PF_SP_METADATA: return "ss";
    case PF_SP_HEADER_END: return "";
    default: return NULL;
    }
}

/* The layout of a header record, with its length. Only metadata have a length; in the
 * dialect "plan" all records except the end have a length. */
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

static void keep_record(struct pf_sp_header *header, const struct pf_sp_record *record,
                        const char *path)
{
    if (record->tag >= PF_SP_METADATA && record->tag <= PF_SP_GENEALOGY)
        header->seen |= 1u << (record->tag - PF_SP_METADATA);
    switch (record->tag) {
    case PF_SP_PERL_VERSION:
        header->has_perl = record->number[0] != 0; /* 0.0.0: not known */
        memcpy(header->perl, record->number, sizeof header->perl);
        break;
    case PF_SP_TICK:
        header->tick_ns = (uint64_t)record->number[0] * (header->dialect == PF_SP_PLAN ? 1 : 1000);
        break;
    case PF_SP_DEPTH: header->depth = record->number[0]; break;
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
    default: break;
    }
}

/* Parses the next header record. */
static int next_record(const struct pf_sp_header *header, struct pf_sp_input *input,
                       struct pf_sp_record *record, struct pf_error *error)
{
    char scratch[96];
    uint64_t at = pf_sp_input_offset(input);
    size_t need = 1;
    for (;;) {
        int status = pf_sp_input_fill(input, need, error);
        if (status == PF_EOF)
            return pf_sp_input_fail(input, error, at, "the file ends inside its header");
        if (status != PF_OK)
            return status;
        const char *layout = whole_layout(header, *input->source->cursor, scratch);
        if (!layout)
            return pf_sp_input_fail(
                input, error, at, "unknown tag %u in the header: header records cannot be skipped",
                (unsigned)*input->source->cursor);
        size_t have = pf_sp_input_have(input);
        enum pf_sp_parse result =
            pf_sp_record_parse(record, input->source->cursor, have, layout, header->lsb);
        if (result == PF_SP_MISSING) {
            need = have + record->missing;
            continue;
        }
        if (result != PF_SP_WHOLE)
            return pf_sp_input_fail(input, error, at, "header record with tag %u: %s", record->tag,
                                    pf_sp_parse_text(result, record, scratch));
        if (header->dialect == PF_SP_PLAN && record->tag != PF_SP_HEADER_END &&
            record->size - record->payload != record->length)
            return pf_sp_input_fail(
                input, error, at,
                "header record with tag %u has %lu bytes, but its length says %lu", record->tag,
                (unsigned long)(record->size - record->payload), (unsigned long)record->length);
        return PF_OK;
    }
}

int pf_sp_header_read(struct pf_sp_header *header, struct pf_sp_input *input, const char *path,
                      struct pf_dict *dict, struct pf_sp_events *metadata,
                      const struct pf_report *report, struct pf_error *error)
{
    bool warned = false;
    if (header->bare)
        return PF_OK;
    for (;;) {
        struct pf_sp_record record;
        int status = next_record(header, input, &record, error);
        if (status != PF_OK)
            return status;
        if (!layout_of(record.tag) && report && !warned) {
            pf_source_warn(input->source, report, pf_sp_input_offset(input),
                           "header record with unknown tag %u: skipped", record.tag);
            warned = true;
        }
        if (record.tag == PF_SP_METADATA && dict &&
            !pf_sp_events_add_metadata(metadata, dict, &record))
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
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s (tag %u)",
                                     used > 0 ? ", " : "", required[i].name, required[i].tag);
    if (used > 0)
        pf_report_send(report, PF_WARNING, "the header lacks mandatory records: %s", list);
}

bool pf_sp_header_has_process(const struct pf_sp_header *header)
{
    return header->has_genealogy && strspn(header->id, "0") < strlen(header->id);
}

/* True if the whole header can be read in this dialect. */
static bool header_fits(const struct pf_sp_header *sniffed, struct pf_source *source,
                        enum pf_sp_dialect dialect)
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
        /* A sample start: in its first weeks the format had no header. */
        header->blocks = first != PF_SP_SAMPLE_START || pf_sp_input_block_first(source);
        header->bare = !header->blocks;
        header->dialect = header->blocks ? PF_SP_REAL : PF_SP_UNDECIDED;
    } else if (first == PF_SP_HEADER_END) {
        header->dialect = PF_SP_UNDECIDED;
    } else if (first == PF_SP_PERL_VERSION) {
        /* The real dialect has Perl 5 here, "plan" the length of three small numbers. */
        header->dialect = second == 3 || second == 4 ? PF_SP_PLAN : PF_SP_REAL;
    } else {
        header->lsb = pf_sp_plan_is_lsb(source, PF_SP_START);
        if (!header_fits(header, source, PF_SP_REAL) && header_fits(header, source, PF_SP_PLAN))
            header->dialect = PF_SP_PLAN;
    }
    header->lsb = header->dialect != PF_SP_REAL && pf_sp_plan_is_lsb(source, PF_SP_START);
}

/* --- series of files -------------------------------------------------------------------------- */

struct process {
    struct process *next;
    char id[PF_SP_ID_TEXT];
    uint64_t ordinal;         /* ordinal of the last file */
    struct pf_sp_open open;   /* the sections open at the end of this file, in `names` */
    struct pf_strings *names; /* of all processes, because inputs may have different dictionaries */
};

struct processes {
    struct process *first;
    struct pf_strings names;
};

static void free_processes(void *object)
{
    struct processes *processes = object;
    while (processes->first) {
        struct process *process = processes->first;
        processes->first = process->next;
        pf_sp_open_free(&process->open);
        free(process);
    }
    pf_strings_free(&processes->names);
}

static const char OWNER = 0;

static struct process *find_process(struct pf_reader *reader, const struct pf_sp_header *header,
                                    bool *ok)
{
    *ok = true;
    if (!reader->shared || !pf_sp_header_has_process(header))
        return NULL;
    struct processes *processes =
        pf_shared_get(reader->shared, &OWNER, sizeof *processes, free_processes);
    *ok = processes && (processes->names.count > 0 || pf_strings_init(&processes->names) == PF_OK);
    if (!*ok)
        return NULL;
    for (struct process *process = processes->first; process; process = process->next)
        if (strcmp(process->id, header->id) == 0)
            return process;
    struct process *process = calloc(1, sizeof *process);
    *ok = process != NULL;
    if (!process)
        return NULL;
    memcpy(process->id, header->id, sizeof process->id);
    process->names = &processes->names;
    process->next = processes->first;
    processes->first = process;
    return process;
}

static void warn_missing(struct pf_reader *reader, const struct pf_sp_header *header, uint64_t last)
{
    unsigned long long first = last + 1, before = header->ordinal - 1ull;
    char range[64] = "";
    if (first < before)
        snprintf(range, sizeof range, "s %llu to %llu are", first, before);
    else
        snprintf(range, sizeof range, " %llu is", first);
    pf_report_send(
        &reader->report, PF_WARNING,
        "ordinal%s missing before ordinal %lu of process %s: sections opened there are not known",
        range, (unsigned long)header->ordinal, header->id);
}

int pf_sp_series_begin(struct pf_reader *reader, const struct pf_sp_header *header,
                       struct pf_sp_open *open)
{
    bool ok;
    struct process *process = find_process(reader, header, &ok);
    if (!ok)
        return PF_NOMEM;
    uint64_t last = process ? process->ordinal : 0;
    if (!pf_sp_header_has_process(header))
        return PF_OK;
    if (header->ordinal > last + 1)
        warn_missing(reader, header, last);
    if (!process || header->ordinal != last + 1)
        return PF_OK;
    for (size_t i = 0; i < process->open.count; i++) {
        uint32_t name = process->open.names[i];
        if (!pf_sp_open_start(open,
                              pf_dict_intern(reader->dict, pf_strings_bytes(process->names, name),
                                             process->names->rows[name].flags)))
            return PF_NOMEM;
    }
    return PF_OK;
}

int pf_sp_series_end(struct pf_reader *reader, const struct pf_sp_header *header,
                     const struct pf_sp_open *open)
{
    bool ok;
    struct process *process = find_process(reader, header, &ok);
    if (!process)
        return ok ? PF_OK : PF_NOMEM;
    process->open.count = 0;
    process->ordinal = header->ordinal;
    for (size_t i = 0; i < open->count; i++) {
        uint32_t name = pf_strings_intern(process->names,
                                          pf_dict_string(reader->dict, open->names[i]),
                                          reader->dict->strings.rows[open->names[i]].flags);
        if (!pf_sp_open_start(&process->open, name))
            return PF_NOMEM;
    }
    return process->names->status;
}

int pf_sp_series_find(struct pf_source *source, struct pf_series *series)
{
    size_t have;
    struct pf_sp_header header;
    struct pf_sp_input input;
    struct pf_error ignored = {0};
    const unsigned char *bytes = pf_source_peek(source, PF_SP_START, &have);
    if (have < PF_SP_START || memcmp(bytes, PF_SP_MAGIC "\1", PF_SP_START) != 0)
        return PF_EOF;
    pf_sp_header_sniff(&header, source);
    if (pf_sp_input_open(&input, source, header.blocks, true, &ignored) == PF_OK)
        pf_sp_header_read(&header, &input, "", NULL, NULL, NULL, &ignored);
    pf_sp_input_close(&input);
    if (!pf_sp_header_has_process(&header) || header.ordinal == 0)
        return PF_EOF;
    memcpy(series->key, header.id, sizeof header.id);
    memcpy(series->parent, header.parent, sizeof header.parent);
    series->ordinal = header.ordinal;
    return PF_OK;
}

/* --- the metadata of a merge ------------------------------------------------------------------ */

/* Hexadecimal digits of an id: process, thread, time of start, three random words
 * (FORMAT.md, section 7). */
enum { WORD = 8, ID = 6 * WORD };

static enum pf_meta_rule merge_rule(struct pf_bytes origin, struct pf_bytes key)
{
    static const char *const of_a_process[] = {"ordinal", "parent_id", "parent_ordinal"};

    if (origin.size > 0 && origin.data[0] == '.')
        return PF_META_NEVER;
    if (!pf_bytes_equal(origin, PF_BYTES("statprofiler")))
        return PF_META_ONCE;
    for (size_t k = 0; k < sizeof of_a_process / sizeof *of_a_process; k++)
        if (pf_bytes_equal(key, pf_bytes_of(of_a_process[k])))
            return PF_META_SAME;
    return pf_bytes_equal(key, PF_BYTES("process_id")) ? PF_META_IDENTITY : PF_META_ONCE;
}

/* XXH64 of `salt` and the ids. False: out of memory. */
static bool hash_ids(const struct pf_bytes *ids, size_t count, char salt, uint64_t *hash)
{
    struct pf_buffer text = {0};
    bool good;

    pf_buffer_byte(&text, (unsigned char)salt);
    for (size_t k = 0; k < count; k++)
        pf_buffer_append(&text, ids[k].data, ids[k].size);
    good = !text.failed;
    if (good)
        *hash = pf_xxh64(text.data, text.size);
    pf_buffer_free(&text);
    return good;
}

/* Makes the id of a merge. Threads have numbers from 2, so 0 marks a merge. The third word is the
 * earliest start, because readers find the byte order by this time. */
static bool make_identity(const struct pf_bytes *ids, size_t count, char text[PF_IDENTITY_TEXT])
{
    const char *start = NULL;
    uint64_t a, b;

    if (!hash_ids(ids, count, 'a', &a) || !hash_ids(ids, count, 'b', &b))
        return false;
    for (size_t k = 0; k < count; k++)
        if (ids[k].size == ID && (!start || memcmp(ids[k].data + 2 * WORD, start, WORD) < 0))
            start = ids[k].data + 2 * WORD;
    snprintf(text, PF_IDENTITY_TEXT, "%08" PRIx32 "00000000%.8s%08" PRIx32 "%016" PRIx64,
             (uint32_t)(a >> 32), start ? start : "00000000", (uint32_t)a, b);
    return true;
}

static bool is_merged(struct pf_bytes id)
{
    return id.size == ID && memcmp(id.data + WORD, "00000000", WORD) == 0;
}

static enum pf_meta_place place(struct pf_bytes origin, struct pf_bytes key)
{
    if (pf_bytes_equal(origin, PF_BYTES(PF_SP_CUSTOM_ORIGIN)))
        return PF_META_MARK;
    return pf_bytes_equal(key, PF_BYTES("ordinal")) ? PF_META_ORDINAL : PF_META_FROM_HERE;
}

/* The third word of the id of a process is its start (FORMAT.md, section 7). */
static enum pf_meta_time start(struct pf_bytes origin, struct pf_bytes key, struct pf_bytes value,
                               int64_t *time)
{
    uint64_t seconds;

    if (!pf_bytes_equal(origin, PF_BYTES(PF_SP_HEADER_ORIGIN)) ||
        !pf_bytes_equal(key, PF_BYTES("process_id")) || value.size != ID ||
        !pf_parse_hex((struct pf_bytes){value.data + 2 * WORD, WORD}, &seconds) || seconds == 0 ||
        !pf_time_of_seconds((int64_t)seconds, time))
        return PF_META_NO_TIME;
    return PF_META_HAS_TIME;
}

const struct pf_merging pf_sp_merging = {
    .rule = merge_rule, .make = make_identity, .made = is_merged, .place = place, .start = start};

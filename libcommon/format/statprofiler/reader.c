/* Devel::StatProfiler: the reader of binary files, and the format. Releases 0.01 to 0.56 write one
 * binary form in snappy blocks; older forms and the dialect "plan" are recognized by their content
 * (FORMAT.md, sections 1 and 10). */
#include "format/statprofiler/statprofiler.h"

#include "base/memory.h"
#include "base/number.h"
#include "codec/codec.h"
#include "model/strings.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Faults that do not stop the reader: it warns of the first of a kind, and reports their number at
 * the end. */
enum oddity {
    ODD_TAG,
    ODD_SAMPLE_END,
    ODD_SAMPLE_START,
    ODD_FRAME,
    ODD_MARK,
    ODD_UNMATCHED,
    ODD_AFTER_END,
    ODD_SECTIONS,
    ODD_COUNT,
    ODDITIES
};

struct records {
    struct pf_sp_input input;
    struct pf_sp_header header;
    struct pf_sp_rows rows;
    struct pf_sp_frames frames;
    enum pf_sp_form form;
    int result; /* PF_OK while more records may come */

    bool in_sample;
    uint32_t op; /* string: op of the current sample */
    int64_t weight;
    uint64_t sample_at; /* offset of the sample start */
    uint32_t promised;  /* number of frames that the sample start says (dialect "plan") */

    struct pf_sp_labels labels; /* current sections and label sets */
    struct pf_sp_open before;   /* sections open at the last sample */

    struct pf_sp_events events; /* since the last sample */
    struct pf_sp_events late;   /* marks inside a sample: they hold from the next sample on */

    struct pf_text text; /* the last text */
    char text_name[24];

    unsigned finish; /* PF_SP_FILE_END or PF_SP_STREAM_END after such a record; else 0 */
    uint64_t odd[ODDITIES];
};

/* A program with more open sections never ends them. Each sample has all open sections as
 * labels. */
enum { OPEN_MAX = 4096 };
/* Each op has its own label sets for the open sections. Above this number of sets, memory may only
 * grow with the size of the input. */
enum { SETS_MAX = 400000 };
/* The first sample start has fewer bytes, because names of ops are short. */
enum { SAMPLE_START_MAX = 4096 };
/* A result of next_record in addition to enum pf_status. */
enum { WAIT = 2 };

/* --- failures and oddities -------------------------------------------------------------------- */

/* Sets the error of a record that begins at `at`. */
static int fail(struct pf_reader *reader, struct records *r, uint64_t at, const char *text)
{
    return pf_sp_input_fail(&r->input, &reader->error, at, "%s", text);
}

/* The same for data that end inside a record. */
static int fail_cut(struct pf_reader *reader, struct records *r, uint64_t at)
{
    return pf_sp_input_fail(&r->input, &reader->error, at,
                            "the file ends inside a record, %" PRIu64 " bytes after its start",
                            r->input.source->limit_offset - at);
}

static void note_odd(struct pf_reader *reader, struct records *r, enum oddity what,
                     const char *text)
{
    if (r->odd[what]++ == 0)
        pf_source_warn(r->input.source, &reader->report, pf_sp_input_offset(&r->input), "%s", text);
}

static void report_odd(struct pf_reader *reader, const struct records *r)
{
    static const char *const names[ODDITIES] = {"records with unknown tags",
                                                "sample ends without a start",
                                                "samples without an end",
                                                "frames outside a sample",
                                                "section marks inside a sample",
                                                "section ends without a start",
                                                "records after the end",
                                                "sections left out",
                                                "sample starts with a wrong number of frames"};
    for (size_t i = 0; i < ODDITIES; i++)
        if (r->odd[i] > 1)
            pf_report_send(&reader->report, PF_WARNING, "%s: %llu in all", names[i],
                           (unsigned long long)r->odd[i]);
}

/* --- samples ---------------------------------------------------------------------------------- */

/* Adds the events before a sample or the end. Marks are added only if the writer would not make
 * them. */
static int add_events(struct records *r, const struct pf_sp_open *target, bool finishes,
                      bool *plain)
{
    bool ok = true;
    *plain = (r->events.count == 0 && !finishes) ||
             pf_sp_events_plain(&r->events, &r->before, target, &ok);
    if (!ok)
        return PF_NOMEM;
    pf_sp_rows_events(&r->rows, &r->events, *plain);
    r->events.count = 0;
    return PF_OK;
}

/* Checks the number of frames of a sample, which the sample start says in the dialect "plan". */
static void check_depth(struct pf_reader *reader, struct records *r)
{
    if (r->header.dialect == PF_SP_PLAN && reader->rows.depth != r->promised &&
        r->odd[ODD_COUNT]++ == 0)
        pf_source_warn(r->input.source, &reader->report, r->sample_at,
                       "sample start announces %" PRIu32 " frames, %zu found", r->promised,
                       reader->rows.depth);
}

static int end_sample(struct pf_reader *reader, struct records *r)
{
    bool plain;
    r->in_sample = false;
    check_depth(reader, r);
    /* After the end the profiler writes an empty sample if metadata or the end of a section are
     * pending. */
    if (r->finish != 0 && (r->weight > 0 || reader->rows.depth > 0))
        note_odd(reader, r, ODD_AFTER_END, "sample after the end of the stream: read");
    if (r->events.count > 0) {
        if (add_events(r, &r->labels.open, false, &plain) != PF_OK ||
            !pf_sp_open_copy(&r->before, &r->labels.open))
            return pf_error_nomem(&reader->error);
    }
    uint32_t labels;
    if (!pf_sp_labels_find(&r->labels, reader->dict, r->op, &labels))
        return pf_error_nomem(&reader->error);
    if (r->labels.with_op.pairs.count > 1 + SETS_MAX + pf_sp_input_offset(&r->input) / 4)
        return fail(reader, r, pf_sp_input_offset(&r->input),
                    "too many sections are open under too many ops");
    pf_sp_rows_sample(&r->rows, labels, r->weight);
    return PF_OK;
}

/* Interns the name of an op or a section. */
static int intern_name(struct pf_reader *reader, struct records *r, struct pf_sp_string string,
                       uint32_t *name)
{
    *name = pf_sp_name_intern(reader->dict, &r->frames.name, string);
    if (*name != 0 || string.bytes.size == 0)
        return PF_OK;
    if (r->frames.name.failed || pf_dict_status(reader->dict) != PF_OK)
        return pf_error_nomem(&reader->error);
    return fail(reader, r, pf_sp_input_offset(&r->input), "a name is too long");
}

/* --- sections --------------------------------------------------------------------------------- */

static int mark_section(struct pf_reader *reader, struct records *r, enum pf_sp_event_type type,
                        uint32_t name)
{
    if (type == PF_SP_EVENT_START) {
        if (r->labels.open.count >= OPEN_MAX) {
            note_odd(reader, r, ODD_SECTIONS,
                     "4096 sections are open at once: further starts are left out");
            return PF_OK;
        }
        if (!pf_sp_labels_start(&r->labels, reader->dict, name))
            return pf_error_nomem(&reader->error);
    } else if (!pf_sp_labels_end(&r->labels, reader->dict, name)) {
        type = PF_SP_EVENT_UNMATCHED;
        if (r->odd[ODD_UNMATCHED]++ == 0)
            pf_source_warn(r->input.source, &reader->report, pf_sp_input_offset(&r->input),
                           "end of section '%s' which was not started: skipped",
                           pf_clip(pf_dict_string(reader->dict, name)).text);
    }
    return pf_sp_events_add(&r->events, type, name, 0) ? PF_OK : pf_error_nomem(&reader->error);
}

static int read_mark(struct pf_reader *reader, struct records *r, const struct pf_sp_record *record)
{
    bool start = record->tag == PF_SP_SECTION_START;
    enum pf_sp_event_type type = start ? PF_SP_EVENT_START : PF_SP_EVENT_END;
    uint32_t name;
    int status = intern_name(reader, r, record->text[0], &name);
    if (status != PF_OK)
        return status;
    if (!r->in_sample)
        return mark_section(reader, r, type, name);
    note_odd(reader, r, ODD_MARK, "section mark inside a sample: applied from the next sample on");
    return pf_sp_events_add(&r->late, type, name, 0) ? PF_OK : pf_error_nomem(&reader->error);
}

static int apply_late(struct pf_reader *reader, struct records *r)
{
    int status = PF_OK;
    for (size_t i = 0; i < r->late.count && status == PF_OK; i++)
        status = mark_section(reader, r, r->late.rows[i].type, r->late.rows[i].key);
    r->late.count = 0;
    return status;
}

/* --- records ---------------------------------------------------------------------------------- */

static const char *layout_of(unsigned tag)
{
    switch (tag) {
    case PF_SP_SAMPLE_START: return "lvs";
    case PF_SP_SUB:
    case PF_SP_EVAL:
    case PF_SP_XSUB:
    case PF_SP_MAIN: return pf_sp_frame_layout(tag, PF_SP_FORM_NEW);
    case PF_SP_EVAL_STRING:
    case PF_SP_METADATA: return "lss";
    case PF_SP_EVAL_NUMBER: return "lsv";
    case PF_SP_SECTION_START:
    case PF_SP_SECTION_END: return "ls";
    case PF_SP_HEADER_END: return "";
    default: return "l";
    }
}

/* The first sample of a file without a header shows the dialect. */
static int decide_dialect(struct pf_reader *reader, struct records *r)
{
    int status = pf_sp_input_fill(&r->input, SAMPLE_START_MAX, &reader->error);
    if (status < 0)
        return status;
    bool plan = pf_sp_plan_sample(r->input.source->cursor, pf_sp_input_have(&r->input));
    r->header.dialect = plan ? PF_SP_PLAN : PF_SP_REAL;
    r->form = plan ? PF_SP_FORM_PLAN : PF_SP_FORM_UNDECIDED;
    if (plan)
        pf_sp_header_warn_missing(&r->header, &reader->report);
    return PF_OK;
}

static enum pf_sp_parse parse(struct records *r, struct pf_sp_record *record, bool *fits)
{
    const unsigned char *p = r->input.source->cursor;
    size_t have = pf_sp_input_have(&r->input);
    *fits = true;
    if (r->header.dialect == PF_SP_PLAN)
        return pf_sp_plan_parse(record, p, have, r->header.lsb, fits);
    if (*p == PF_SP_SUB && r->form == PF_SP_FORM_UNDECIDED) {
        enum pf_sp_parse result =
            pf_sp_record_parse(record, p, have, pf_sp_frame_layout(*p, PF_SP_FORM_OLD), false);
        if (result != PF_SP_WHOLE)
            return result;
        r->form = pf_sp_frame_form(record);
    }
    const char *layout = *p == PF_SP_SUB ? pf_sp_frame_layout(*p, r->form) : layout_of(*p);
    return pf_sp_record_parse(record, p, have, layout, false);
}

/* Parses the next record. PF_OK; PF_EOF: no more records; WAIT: the producer is slow, so samples
 * should be sent now; or a failure. */
static int next_record(struct pf_reader *reader, struct records *r, struct pf_sp_record *record)
{
    char scratch[96];
    bool fits;
    uint64_t at = pf_sp_input_offset(&r->input);
    size_t need = 1;
    for (;;) {
        size_t have = pf_sp_input_have(&r->input);
        if (have < need && reader->flush && !pf_rows_empty(&reader->rows) &&
            pf_source_would_block(reader->source))
            return WAIT;
        int status = pf_sp_input_fill(&r->input, need, &reader->error);
        if (status == PF_EOF)
            return have > 0 ? fail_cut(reader, r, at) : PF_EOF;
        if (status == PF_OK && r->header.dialect == PF_SP_UNDECIDED &&
            *r->input.source->cursor == PF_SP_SAMPLE_START)
            status = decide_dialect(reader, r);
        if (status != PF_OK)
            return status;
        enum pf_sp_parse result = parse(r, record, &fits);
        if (result == PF_SP_MISSING) {
            need = pf_sp_input_have(&r->input) + record->missing;
            continue;
        }
        if (result == PF_SP_WHOLE && fits)
            return PF_OK;
        return pf_sp_input_fail(
            &r->input, &reader->error, at, "record with tag %u: %s", record->tag,
            fits ? pf_sp_parse_text(result, record, scratch) : "the fields do not fill the record");
    }
}

static int read_frame(struct pf_reader *reader, struct records *r,
                      const struct pf_sp_record *record)
{
    const char *why;
    uint64_t at = pf_sp_input_offset(&r->input);
    if (!r->in_sample) {
        note_odd(reader, r, ODD_FRAME, "frame outside a sample: skipped");
        return PF_OK;
    }
    if (reader->rows.depth == PF_STACK_DEPTH_MAX)
        return fail(reader, r, at, PF_TOO_DEEP);
    uint32_t location = pf_sp_frames_find(&r->frames, reader->dict, r->input.source->cursor,
                                          record->size, r->form, r->header.lsb, &why);
    if (location == 0 && why)
        return pf_sp_input_fail(&r->input, &reader->error, at, "frame with tag %u: %s", record->tag,
                                why);
    return location == 0 ? pf_error_nomem(&reader->error)
                         : pf_rows_frame(&reader->rows, location, &reader->error, at);
}

static int start_sample(struct pf_reader *reader, struct records *r,
                        const struct pf_sp_record *record)
{
    if (r->in_sample)
        note_odd(reader, r, ODD_SAMPLE_START,
                 "sample start inside a sample: the earlier sample is left out");
    r->in_sample = true;
    reader->rows.depth = 0;
    r->weight = record->number[0];
    r->promised = record->number[1];
    r->sample_at = pf_sp_input_offset(&r->input);
    int status = intern_name(reader, r, record->text[0], &r->op);
    return status == PF_OK ? apply_late(reader, r) : status;
}

/* Skips the bytes of a record after its fields; all bytes of an unknown record. */
static int skip_record(struct pf_reader *reader, struct records *r,
                       const struct pf_sp_record *record)
{
    uint64_t at = pf_sp_input_offset(&r->input), size = record->size;
    if (record->tag == 0 || record->tag == PF_SP_CONTINUATION)
        return pf_sp_input_fail(&r->input, &reader->error, at, "unknown tag %u", record->tag);
    if (record->tag != PF_SP_SAMPLE_END && r->odd[ODD_TAG]++ == 0)
        pf_source_warn(r->input.source, &reader->report, at,
                       "record with unknown tag %u, %" PRIu32 " bytes: skipped", record->tag,
                       record->length);
    if (r->header.dialect != PF_SP_PLAN)
        size += record->length;
    int status = pf_sp_input_skip(&r->input, size, &reader->error);
    return status == PF_EOF ? fail_cut(reader, r, at) : status;
}

static int read_sample_end(struct pf_reader *reader, struct records *r,
                           const struct pf_sp_record *record)
{
    bool had = r->in_sample;
    if (!had)
        note_odd(reader, r, ODD_SAMPLE_END, "sample end without a sample: skipped");
    int status = skip_record(reader, r, record);
    if (status == PF_OK && r->header.dialect == PF_SP_PLAN)
        status = pf_sp_input_skip_zero(&r->input, &reader->error);
    if (status == PF_OK && had)
        status = end_sample(reader, r);
    return status == PF_OK ? apply_late(reader, r) : status;
}

static int read_end(struct pf_reader *reader, struct records *r, const struct pf_sp_record *record)
{
    r->finish = record->tag == PF_SP_FILE_END ? PF_SP_FILE_END : PF_SP_STREAM_END;
    if (record->tag == PF_SP_HEADER_END) {
        r->input.source->cursor += record->size;
        return r->header.dialect == PF_SP_PLAN ? pf_sp_input_skip_zero(&r->input, &reader->error)
                                               : PF_OK;
    }
    return pf_sp_input_skip(&r->input, record->size + (uint64_t)record->length, &reader->error);
}

/* Makes a batch of the source of an eval. Its bytes are valid until the next read. */
static void set_text(struct records *r, const struct pf_sp_record *record, struct pf_batch *batch)
{
    struct pf_text *text = &r->text;
    text->text = record->text[0].bytes;
    text->text_flags = record->text[0].flags;
    text->name = record->text[1].bytes;
    text->name_flags = record->text[1].flags;
    if (record->tag == PF_SP_EVAL_NUMBER) {
        snprintf(r->text_name, sizeof r->text_name, "(eval %lu)", (unsigned long)record->number[0]);
        text->name = pf_bytes_of(r->text_name);
        text->name_flags = 0;
    }
    batch->kind = PF_TEXT;
    batch->rows = 1;
    batch->texts = text;
    r->rows.in_body = true;
    r->input.source->cursor += record->size;
}

/* Reads a record that is not a text. */
static int read_record(struct pf_reader *reader, struct records *r,
                       const struct pf_sp_record *record)
{
    int status;
    bool plan = r->header.dialect == PF_SP_PLAN;
    switch (record->tag) {
    case PF_SP_SAMPLE_START: status = start_sample(reader, r, record); break;
    case PF_SP_SAMPLE_END: return read_sample_end(reader, r, record);
    case PF_SP_XSUB:
    case PF_SP_MAIN:
        if (plan)
            return skip_record(reader, r, record);
        status = read_frame(reader, r, record);
        break;
    case PF_SP_EVAL:
    case PF_SP_SUB: status = read_frame(reader, r, record); break;
    case PF_SP_SECTION_START:
    case PF_SP_SECTION_END: status = read_mark(reader, r, record); break;
    case PF_SP_METADATA:
        status = pf_sp_events_add_metadata(&r->events, reader->dict, record)
                     ? PF_OK
                     : pf_error_nomem(&reader->error);
        break;
    case PF_SP_FILE_END:
    case PF_SP_STREAM_END:
    case PF_SP_HEADER_END: return read_end(reader, r, record);
    default: return skip_record(reader, r, record);
    }
    r->input.source->cursor += record->size;
    return status;
}

/* Reads the next frames while they are whole and known. */
static int read_frames(struct pf_reader *reader, struct records *r)
{
    size_t found = PF_SP_FRAMES_ROW, size;
    if (!r->in_sample || (r->form != PF_SP_FORM_NEW && r->form != PF_SP_FORM_OLD))
        return PF_OK;
    while (found == PF_SP_FRAMES_ROW &&
           reader->rows.depth + PF_SP_FRAMES_ROW <= PF_STACK_DEPTH_MAX) {
        if (!pf_rows_frame_room(&reader->rows, PF_SP_FRAMES_ROW))
            return pf_error_nomem(&reader->error);
        found = pf_sp_frames_find_row(&r->frames, r->input.source->cursor,
                                      pf_sp_input_have(&r->input), r->form,
                                      reader->rows.frames + reader->rows.depth, &size);
        reader->rows.depth += found;
        pf_source_take(r->input.source, size);
    }
    return PF_OK;
}

/* At the end of the data: adds pending events, and a row that says how the file ends if the end is
 * unusual. */
static int finish(struct pf_reader *reader, struct records *r, int result)
{
    struct pf_sp_open none = {0};
    bool plain;
    if (result == PF_EOF && r->in_sample)
        result = fail(reader, r, pf_sp_input_offset(&r->input), "the file ends inside a sample");
    bool usual = result == PF_EOF && r->finish == PF_SP_STREAM_END;
    if (result == PF_EOF && r->finish == 0)
        pf_source_warn(
            r->input.source, &reader->report, pf_sp_input_offset(&r->input),
            "the file ends without an end record: the process was killed, or is running");
    if (usual && add_events(r, &none, true, &plain) != PF_OK)
        result = pf_error_nomem(&reader->error);
    if (!usual)
        pf_sp_rows_events(&r->rows, &r->events, false);
    if (result == PF_EOF && !(usual && plain))
        pf_sp_rows_finish(&r->rows, r->finish == PF_SP_FILE_END     ? PF_SP_FINISH_FILE
                                    : r->finish == PF_SP_STREAM_END ? PF_SP_FINISH_STREAM
                                                                    : PF_SP_FINISH_NONE);
    r->events.count = 0;
    report_odd(reader, r);
    if (pf_sp_series_end(reader, &r->header, &r->labels.open) != PF_OK && result == PF_EOF)
        result = pf_error_nomem(&reader->error);
    return result;
}

/* Opens the reader of binary files. `tick_ns`: nanoseconds of a tick if the file does not say it;
 * 0: unknown. The source is at offset 0, and the version is checked. Results as in
 * codec/format.h. */
static int records_open(struct pf_reader *reader, struct records *r, uint64_t tick_ns)
{
    struct pf_sp_events custom = {0};
    pf_sp_header_sniff(&r->header, reader->source);
    if (r->header.dialect == PF_SP_PLAN)
        r->form = PF_SP_FORM_PLAN;
    pf_source_take(reader->source, PF_SP_START);
    int status =
        pf_sp_input_open(&r->input, reader->source, r->header.blocks, false, &reader->error);
    if (status == PF_OK)
        status = pf_sp_header_read(&r->header, &r->input, reader->name, reader->dict, &custom,
                                   &reader->report, &reader->error);
    if (status == PF_OK && r->header.dialect == PF_SP_PLAN)
        pf_sp_header_warn_missing(&r->header, &reader->report);
    if (status == PF_OK)
        status = pf_sp_rows_open(&r->rows, &reader->rows,
                                 r->header.tick_ns ? r->header.tick_ns : tick_ns);
    if (status == PF_OK) {
        pf_sp_rows_header(&r->rows, &r->header, &custom);
        pf_sp_labels_open(&r->labels, reader->dict);
        if (!pf_sp_frames_open(&r->frames))
            status = pf_error_nomem(&reader->error);
    }
    if (status == PF_OK && pf_sp_series_begin(reader, &r->header, &r->before) != PF_OK)
        status = pf_error_nomem(&reader->error);
    for (size_t i = 0; i < r->before.count && status == PF_OK; i++)
        if (!pf_sp_labels_start(&r->labels, reader->dict, r->before.names[i]))
            status = pf_error_nomem(&reader->error);
    pf_sp_events_free(&custom);
    return status;
}

static int records_read(struct pf_reader *reader, struct records *r, struct pf_batch *batch)
{
    while (r->result == PF_OK && !pf_rows_ready(&reader->rows)) {
        struct pf_sp_record record;
        int status = read_frames(reader, r);
        if (status == PF_OK)
            status = next_record(reader, r, &record);
        if (status == WAIT)
            break;
        bool text = status == PF_OK && r->header.dialect != PF_SP_PLAN &&
                    (record.tag == PF_SP_EVAL_STRING || record.tag == PF_SP_EVAL_NUMBER);
        if (text && !pf_rows_empty(&reader->rows))
            break; /* parse it again when the records before it are sent */
        if (text) {
            set_text(r, &record, batch);
            return PF_OK;
        }
        if (status == PF_OK)
            status = read_record(reader, r, &record);
        if (status != PF_OK)
            r->result = finish(reader, r, status);
    }
    return pf_rows_give(&reader->rows, batch) ? PF_OK : r->result;
}

static void records_close(struct records *r)
{
    pf_sp_input_close(&r->input);
    pf_sp_frames_close(&r->frames);
    pf_sp_labels_close(&r->labels);
    pf_sp_open_free(&r->before);
    pf_sp_events_free(&r->events);
    pf_sp_events_free(&r->late);
}

/* --- the format ------------------------------------------------------------------------------- */

static const struct pf_option options[] = {
    {"tick", "microseconds in a tick, if the input does not say", NULL, true, true},
    {"dialect", "the form to write: the profiler's, the form of its plan, or the earlier text form",
     "real|plan|text", false, true},
    {"names", "dialect=plan: a function's name as one string, or package and sub as two",
     "whole|split", false, true},
    {NULL, NULL, NULL, false, false},
};

struct state {
    union {
        struct pf_sp_lines lines;
        struct records records;
    } as; /* first, because pf_sp_lines must be first */
    bool text;
};

static int bid(struct pf_source *source, const char *path)
{
    size_t have;
    const unsigned char *bytes = pf_source_peek(source, 64, &have);
    (void)path;
    size_t size = have < PF_SP_MAGIC_SIZE ? have : PF_SP_MAGIC_SIZE;
    /* A file that is cut inside the magic counts as damaged, not as unknown. */
    if (size > 3 && memcmp(bytes, PF_SP_MAGIC, size) == 0)
        return (int)(8 * size);
    return pf_sp_lines_bid(source) ? 24 : 0;
}

static int open_binary(struct pf_reader *reader, struct state *state, uint64_t tick_ns)
{
    size_t have;
    const unsigned char *bytes = pf_source_peek(reader->source, PF_SP_START, &have);
    if (have < PF_SP_START && pf_source_status(reader->source, &reader->error) != PF_OK)
        return reader->error.code;
    if (have < PF_SP_START)
        return pf_error_at(&reader->error, PF_FAILED, have,
                           "the file ends before its format version");
    if (pf_reader_check_mark(reader) != PF_OK)
        return reader->error.code;
    if (bytes[PF_SP_MAGIC_SIZE] != 1)
        return pf_error_at(&reader->error, PF_UNSUPPORTED, PF_SP_MAGIC_SIZE,
                           "unknown StatProfiler format version %u, expected 1",
                           (unsigned)bytes[PF_SP_MAGIC_SIZE]);
    return records_open(reader, &state->as.records, tick_ns);
}

static int open_reader(struct pf_reader *reader)
{
    struct state *state = reader->state;
    const char *tick = pf_options_get(reader->options, "tick");
    int64_t tick_us = 0;
    size_t have;
    if (tick && !pf_parse_int(pf_bytes_of(tick), 1, UINT32_MAX, &tick_us))
        return pf_error_set(&reader->error, PF_USAGE, "tick=%s is not a number of microseconds",
                            tick);
    const unsigned char *bytes = pf_source_peek(reader->source, PF_SP_MAGIC_SIZE, &have);
    state->text = have > 0 && bytes[0] != '=';
    if (state->text)
        return pf_sp_lines_open(reader, (uint64_t)tick_us * 1000);
    return open_binary(reader, state, (uint64_t)tick_us * 1000);
}

static const char *variant(const struct state *state)
{
    if (state->text)
        return "text";
    const struct records *records = &state->as.records;
    if (records->header.dialect == PF_SP_PLAN)
        return records->header.lsb ? "plan, least significant group first" : "plan";
    return records->input.blocks ? NULL : "uncompressed";
}

static int read_batch(struct pf_reader *reader, struct pf_batch *batch)
{
    struct state *state = reader->state;
    int status = state->text ? pf_rows_read(reader, batch)
                             : records_read(reader, &state->as.records, batch);
    reader->variant = variant(state);
    return status;
}

static void close_reader(struct pf_reader *reader)
{
    struct state *state = reader->state;
    if (!state->text)
        records_close(&state->as.records);
}

const struct pf_format pf_format_statprofiler = {
    .name = "statprofiler",
    .about = "Devel::StatProfiler, all forms of its files",
    .suffixes = ".statprof",
    .losses = "labels but section and op, all measures but one, how many samples a record stands "
              "for, images, columns, addresses, inlining; "
              "dialect=plan: first lines, eval sources, process and ordinal, metadata of the "
              "header apart; "
              "dialect=text: these, and sections, metadata, the length of a tick",
    .caps = PF_HOLDS_SAMPLE | PF_IS_STREAM | PF_COMPRESSES | PF_READS_TEXT,
    .options = options,
    .merging = &pf_sp_merging,
    .bid = bid,
    .series = pf_sp_series_find,
    .reader_size = sizeof(struct state),
    .open_reader = open_reader,
    .read = read_batch,
    .close_reader = close_reader,
    .writer_size = sizeof(struct pf_sp_writer),
    .open_writer = pf_sp_writer_open,
    .write = pf_sp_writer_write,
    .flush = pf_sp_writer_flush,
    .finish = pf_sp_writer_finish,
    .close_writer = pf_sp_writer_close,
};

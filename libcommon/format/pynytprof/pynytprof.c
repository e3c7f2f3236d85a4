/* Pynytprof, a profiler of Python that meant to write NYTProf's format and wrote a format of its
 * own. Detection, the reader, and the rules for metadata in a merge. */
#include "format/pynytprof/pynytprof.h"

#include "base/calendar.h"
#include "base/number.h"
#include "model/units.h"

#include <inttypes.h>
#include <stdlib.h>

enum { CALLS, INCL, EXCL, VALUES };

/* --- metadata --------------------------------------------------------------------------------- */

/* Adds private rows of metadata for what the model cannot hold: numbers, flags, and definitions
 * that no record uses. */
static void keep_entries(struct pf_reader *reader, const char *key, const struct pf_pyn_list *list,
                         size_t numbers)
{
    struct pf_pyn_content *content = reader->state;
    struct pf_buffer text = {0};

    for (size_t k = 0; k < list->count; k++) {
        const struct pf_pyn_entry *entry = &list->rows[k];
        struct pf_bytes name = pf_dict_string(reader->dict, entry->text);

        if (entry->replaced)
            continue;
        text.size = 0;
        pf_buffer_printf(&text, "%" PRIu32, entry->id);
        for (size_t n = 0; n < numbers && !entry->absent; n++)
            pf_buffer_printf(&text, " %" PRIu32, entry->numbers[n]);
        if (!entry->absent) {
            pf_buffer_byte(&text, ' ');
            pf_buffer_append(&text, name.data, name.size);
        }
        pf_rows_meta(&reader->rows, PF_PYN_PRIVATE, pf_bytes_of(key),
                     (struct pf_bytes){text.data, text.size});
    }
    content->failed = content->failed || text.failed;
    pf_buffer_free(&text);
}

/* --- names ------------------------------------------------------------------------------------ */

/* Adds an entry for an id that no chunk defines. Such entries are in the order of their last use.
 */
static void add_absent(struct pf_pyn_content *content, struct pf_pyn_list *list, uint32_t id)
{
    const struct pf_pyn_entry *known = pf_pyn_list_find(list, id);

    if (known && (!known->absent || known == &list->rows[list->count - 1]))
        return;
    if (!pf_pyn_list_add(list, &(struct pf_pyn_entry){.id = id, .absent = true}))
        content->failed = true;
}

static void add_absent_entries(struct pf_pyn_content *content)
{
    struct pf_pyn_list *files = &content->files, *subs = &content->subs;
    size_t defined = subs->count;

    for (size_t k = 0; k < content->lines.count; k++)
        add_absent(content, files, content->lines.rows[k].words[0]);
    for (size_t k = 0; k < defined && content->ranged; k++)
        add_absent(content, files, subs->rows[k].numbers[0]);
    for (size_t k = 0; k < content->calls.count; k++) {
        const uint32_t *words = content->calls.rows[k].words;

        add_absent(content, content->ranged ? files : subs, words[0]);
        add_absent(content, subs, words[content->ranged ? 2 : 1]);
    }
}

static bool name_entries(struct pf_reader *reader)
{
    struct pf_pyn_content *content = reader->state;

    add_absent_entries(content);
    if (!pf_pyn_list_name(&content->files, reader->dict, "file") ||
        !pf_pyn_list_name(&content->subs, reader->dict, "sub"))
        return false;
    keep_entries(reader, PF_PYN_FILE, &content->files, 3);
    if (!content->ranged)
        keep_entries(reader, PF_PYN_SUB, &content->subs, 1);
    return !content->failed;
}

/* The location of a line of a file. */
static uint32_t line_location(struct pf_reader *reader, uint32_t fid, uint32_t line)
{
    struct pf_pyn_content *content = reader->state;
    struct pf_pyn_entry *file = pf_pyn_list_find(&content->files, fid);

    if (file->function == 0)
        file->function = pf_dict_add_function(
            reader->dict, &(struct pf_function){.system_name = file->alias, .file = file->name});
    return pf_dict_add_location(reader->dict,
                                &(struct pf_location){.function = file->function, .line = line});
}

static uint32_t sub_location(struct pf_reader *reader, uint32_t sid)
{
    struct pf_pyn_content *content = reader->state;
    struct pf_pyn_entry *sub = pf_pyn_list_find(&content->subs, sid);

    if (sub->function == 0) {
        struct pf_function function = {.name = sub->name, .system_name = sub->alias};

        if (content->ranged && !sub->absent) {
            function.file = pf_pyn_list_find(&content->files, sub->numbers[0])->name;
            function.start_line = sub->numbers[1];
        }
        sub->function = pf_dict_add_function(reader->dict, &function);
    }
    return pf_dict_add_location(reader->dict, &(struct pf_location){.function = sub->function});
}

/* --- reading ---------------------------------------------------------------------------------- */

/* The first value that records of a kind have: edges have no number of calls if subs have line
 * ranges. */
static unsigned first_value(const struct pf_pyn_content *content, enum pf_kind kind)
{
    return kind == PF_EDGE && content->ranged ? INCL : CALLS;
}

static unsigned end_of_values(const struct pf_pyn_content *content, enum pf_kind kind)
{
    return kind == PF_EDGE && content->own_unknown ? EXCL : VALUES;
}

/* Begins records of a kind, and declares their measures. */
static void begin_records(struct pf_reader *reader, enum pf_kind kind)
{
    static const char *const names[] = {"calls", "incl", "excl"};
    static const enum pf_role roles[] = {PF_COUNT, PF_INCLUSIVE, PF_SELF};
    struct pf_pyn_content *content = reader->state;
    struct pf_dict *dict = reader->dict;

    pf_rows_begin(&reader->rows, kind);
    for (unsigned k = first_value(content, kind); k < end_of_values(content, kind); k++) {
        bool time = k != CALLS;
        struct pf_measure measure = pf_measure_make(dict, names[k], time ? "nanoseconds" : "count",
                                                    kind, roles[k], time ? PF_TIMED : PF_EXACT);

        if (time) {
            measure.raw_unit = pf_dict_intern(dict, PF_BYTES("tick"), 0);
            pf_measure_set_scale(&measure, PF_SECOND, content->ticks);
        }
        measure.main = k == (kind == PF_EDGE && content->own_unknown ? INCL : EXCL);
        pf_rows_measure(&reader->rows, pf_dict_add_measure(dict, measure));
    }
}

static int open_reader(struct pf_reader *reader)
{
    struct pf_pyn_content *content = reader->state;

    content->ticks = PF_PYN_TICKS;
    return pf_pyn_header_read(reader, content);
}

static void close_reader(struct pf_reader *reader)
{
    struct pf_pyn_content *content = reader->state;

    pf_pyn_list_free(&content->files);
    pf_pyn_list_free(&content->subs);
    free(content->lines.rows);
    free(content->calls.rows);
}

/* True if the two times of each call are equal: versions without exclusive times wrote the
 * inclusive time twice. */
static bool times_equal(const struct pf_pyn_rows *calls)
{
    for (size_t k = 0; k < calls->count; k++)
        if (calls->rows[k].incl != calls->rows[k].excl)
            return false;
    return calls->count > 0;
}

static void warn_of_lines(struct pf_reader *reader, const struct pf_pyn_rows *lines)
{
    size_t count = 0;

    for (size_t k = 0; k < lines->count; k++)
        count += lines->rows[k].excl > lines->rows[k].incl;
    if (count > 0)
        pf_report_send(&reader->report, PF_WARNING, "%zu line%s more exclusive than inclusive time",
                       count, count == 1 ? " has" : "s have");
}

static void set_values(struct pf_reader *reader, enum pf_kind kind, const struct pf_pyn_row *row)
{
    const int64_t values[VALUES] = {row->words[2], row->incl, row->excl};

    pf_rows_set_values(&reader->rows, 0, values + first_value(reader->state, kind),
                       (uint32_t)pf_rows_column_count(&reader->rows));
}

static void add_line(struct pf_reader *reader, const struct pf_pyn_row *row)
{
    pf_rows_flat(&reader->rows, line_location(reader, row->words[0], row->words[1]), 0);
    set_values(reader, PF_FLAT, row);
}

/* Adds a call as a record. `ranged`: subs have line ranges, and calls come from lines. */
static void add_call(struct pf_reader *reader, const struct pf_pyn_row *row, bool ranged)
{
    uint32_t caller = ranged ? line_location(reader, row->words[0], row->words[1])
                             : sub_location(reader, row->words[0]);

    pf_rows_edge(&reader->rows, caller, sub_location(reader, row->words[ranged ? 2 : 1]), 0);
    set_values(reader, PF_EDGE, row);
}

/* Reads the whole file, because chunks come in any order. The error of a damaged file follows its
 * good rows. */
static int read_file(struct pf_reader *reader)
{
    struct pf_pyn_content *content = reader->state;
    int status = pf_pyn_chunks_read(reader, content);

    if (status < 0 && status != PF_FAILED) { /* then even the metadata stay unknown */
        pf_rows_free(&reader->rows);
        pf_rows_init(&reader->rows, reader->dict);
        return status;
    }
    content->is_read = true;
    content->status = status == PF_OK ? PF_EOF : status;
    if (!content->ticks_known)
        pf_report_send(&reader->report, PF_NOTE, "no ticks_per_sec: ticks of 100 ns");
    if (reader->salvage && content->damages > 1)
        pf_report_send(&reader->report, PF_WARNING,
                       "%" PRIu64 " more chunks or records were skipped", content->damages - 1);
    if (!name_entries(reader))
        return pf_error_nomem(&reader->error);
    content->own_unknown = times_equal(&content->calls);
    warn_of_lines(reader, &content->lines);
    reader->variant = content->variant;
    begin_records(reader, PF_FLAT);
    pf_rows_declare_ahead(&reader->rows);
    begin_records(reader, PF_EDGE);
    pf_rows_declare_ahead(&reader->rows);
    return PF_OK;
}

/* Reads the file, then makes one row of a record: the rows of all records at once would take as
 * much memory again as the records. */
static int step(struct pf_reader *reader)
{
    struct pf_pyn_content *content = reader->state;

    if (!content->is_read)
        return read_file(reader);
    if (content->next_line < content->lines.count) {
        if (content->next_line == 0)
            begin_records(reader, PF_FLAT);
        add_line(reader, &content->lines.rows[content->next_line++]);
        return PF_OK;
    }
    if (content->next_call == content->calls.count)
        return content->status;
    if (content->next_call == 0)
        begin_records(reader, PF_EDGE);
    add_call(reader, &content->calls.rows[content->next_call++], content->ranged);
    return PF_OK;
}

/* --- merging ---------------------------------------------------------------------------------- */

/* Numbers of subs hold for one file only. Rows about files stay, input by input: the row `version`
 * begins each input. */
static enum pf_meta_rule rule(struct pf_bytes origin, struct pf_bytes key)
{
    if (!pf_bytes_equal(origin, PF_BYTES(PF_PYN_PRIVATE)))
        return PF_META_ONCE;
    return pf_bytes_equal(key, PF_BYTES(PF_PYN_SUB)) ? PF_META_NEVER : PF_META_EACH;
}

static enum pf_meta_name names(struct pf_bytes origin, struct pf_bytes key)
{
    if (!pf_bytes_equal(origin, PF_BYTES(PF_PYN_PRIVATE)))
        return PF_META_NO_NAME;
    if (pf_bytes_equal(key, PF_BYTES(PF_PYN_FILE)))
        return PF_META_FILE;
    return pf_bytes_equal(key, PF_BYTES(PF_PYN_SUB)) ? PF_META_FUNCTION : PF_META_NO_NAME;
}

/* Where the name begins in a private row: after the numbers and their blanks. */
static size_t name_at(struct pf_bytes key, struct pf_bytes value)
{
    size_t numbers = pf_bytes_equal(key, PF_BYTES(PF_PYN_FILE)) ? PF_PYN_FILE_NUMBERS
                                                                : PF_PYN_SUB_NUMBERS,
           at = 0;

    for (size_t k = 0; k < numbers && at < value.size; k++) {
        const char *blank = memchr(value.data + at, ' ', value.size - at);

        at = blank ? (size_t)(blank - value.data) + 1 : value.size;
    }
    return at;
}

static enum pf_meta_time start(struct pf_bytes origin, struct pf_bytes key, struct pf_bytes value,
                               int64_t *time)
{
    bool has = (pf_bytes_equal(origin, PF_BYTES(PF_PYN_ATTRIBUTE)) &&
                pf_bytes_equal(key, PF_BYTES("basetime"))) ||
               (pf_bytes_equal(origin, PF_BYTES(PF_PYN_CHUNK)) &&
                pf_bytes_equal(key, PF_BYTES("start_time")));

    return has && pf_time_parse_seconds(value, time) ? PF_META_IS_TIME : PF_META_NO_TIME;
}

static const struct pf_merging merging = {
    .rule = rule, .names = names, .name_at = name_at, .start = start};

const struct pf_format pf_format_pynytprof = {
    .name = "pynytprof",
    .about =
        "Pynytprof, all layouts that have lengths; written as Pynytprof's note of July 2025 says",
    .suffixes = ".pynytprof",
    .losses = "samples, labels, all measures but calls and times, lines of calls, files of subs, "
              "source texts, times finer than "
              "100 ns; where only inclusive or only own times are known they stand for both",
    .caps = PF_HOLDS_FLAT | PF_HOLDS_EDGE,
    .merging = &merging,
    .bid = pf_pyn_bid,
    .reader_size = sizeof(struct pf_pyn_content),
    .open_reader = open_reader,
    .step = step,
    .close_reader = close_reader,
    .writer_size = sizeof(struct pf_pyn_writer),
    .open_writer = pf_pyn_writer_open,
    .holds_label = pf_holds_no_label,
    .write = pf_pyn_writer_write,
    .finish = pf_pyn_writer_finish,
    .close_writer = pf_pyn_writer_close,
};

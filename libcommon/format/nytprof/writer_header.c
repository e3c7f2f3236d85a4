/* What the writer of NYTProf streams writes before a record: header lines, processes, files, names,
 * source texts. Also its opening and closing. */
#include "format/nytprof/writer.h"

#include "base/memory.h"
#include "base/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define ZLIB_CONST /* input is read only */
#include <zlib.h>

/* LIMIT, the default of the option `limit`: 2^24 statements are 70 MB. */
enum { LEVEL = 6, OUR_PID = 1, LIMIT = 1 << 24 };

/* --- header lines ----------------------------------------------------------------------------- */

static void header_init(struct pf_nyt_header *header, struct pf_dict *dict, struct pf_nyt_out *out)
{
    *header = (struct pf_nyt_header){
        .dict = dict,
        .out = out,
        .application_key = pf_dict_intern_word(dict, "application"),
        .overhead_key = pf_dict_intern_word(dict, "cumulative_overhead_ticks"),
        .basetime_key = pf_dict_intern_word(dict, "basetime"),
        .rate_key = pf_dict_intern_word(dict, "ticks_per_sec"),
        .nv_key = pf_dict_intern_word(dict, "nv_size"),
    };
}

static void header_free(struct pf_nyt_header *header)
{
    pf_pair_map_free(&header->written);
    free(header->applications);
}

static void write_header_line(struct pf_nyt_out *out, enum pf_nyt_tag tag, struct pf_bytes text,
                              struct pf_bytes value)
{
    char mark = (char)tag;
    pf_nyt_out_bytes(out, &mark, 1);
    pf_nyt_out_bytes(out, text.data, text.size);
    if (tag != PF_NYT_COMMENT) {
        pf_nyt_out_bytes(out, "=", 1);
        pf_nyt_out_bytes(out, value.data, value.size);
    }
    pf_nyt_out_bytes(out, "\n", 1);
}

static void write_header_pair(struct pf_nyt_header *header, bool option, uint32_t key,
                              uint32_t value)
{
    header->failed |= !pf_pair_map_put(&header->written, key, option, value);
    write_header_line(header->out, option ? PF_NYT_OPTION : PF_NYT_ATTRIBUTE,
                      pf_dict_string(header->dict, key), pf_dict_string(header->dict, value));
}

static bool one_line(struct pf_bytes text)
{
    return text.size == 0 || !memchr(text.data, '\n', text.size);
}

bool pf_nyt_header_comment(struct pf_nyt_header *header, struct pf_bytes text)
{
    if (!one_line(text))
        return false;
    write_header_line(header->out, PF_NYT_COMMENT, text, text);
    return true;
}

/* --- header lines of several inputs ----------------------------------------------------------- */

static double number_of(struct pf_bytes text)
{
    char copy[64];
    size_t size = text.size < sizeof copy - 1 ? text.size : sizeof copy - 1;
    memcpy(copy, text.data, size);
    copy[size] = 0;
    return strtod(copy, NULL);
}

/* Adds an application. Applications are sorted by name, as nytprofmerge sorts them. */
static void add_application(struct pf_nyt_header *header, uint32_t name)
{
    struct pf_bytes text = pf_dict_string(header->dict, name);
    size_t at = header->application_count;
    while (at > 0 && pf_bytes_compare(
                         pf_dict_string(header->dict, header->applications[at - 1].name), text) > 0)
        at--;
    if (at > 0 && header->applications[at - 1].name == name) {
        header->applications[at - 1].runs++;
        return;
    }
    if (!pf_grow(&header->applications, &header->application_capacity,
                 header->application_count + 1, sizeof *header->applications)) {
        header->failed = true;
        return;
    }
    memmove(header->applications + at + 1, header->applications + at,
            (header->application_count++ - at) * sizeof *header->applications);
    header->applications[at] = (struct pf_nyt_application){name, 1};
}

static void end_input(struct pf_nyt_header *header)
{
    header->all_overhead += header->input_rate ? header->overhead / (double)header->input_rate
                                               : header->overhead;
    header->overhead = 0;
    if (header->application != 0)
        add_application(header, header->application);
    header->application = 0;
}

void pf_nyt_header_restart(struct pf_nyt_header *header)
{
    end_input(header);
    header->attributed = false;
    header->input_rate = 0;
}

static void note_attribute(struct pf_nyt_header *header, uint32_t key, uint32_t value)
{
    struct pf_bytes text = pf_dict_string(header->dict, value);
    int64_t number;
    if (key == header->application_key) {
        header->application = value;
    } else if (key == header->overhead_key) {
        header->overhead = number_of(text);
        header->overhead_known = true;
    } else if (key == header->basetime_key) {
        if (header->basetime == 0 ||
            number_of(text) < number_of(pf_dict_string(header->dict, header->basetime)))
            header->basetime = value;
    } else if (key == header->rate_key && pf_parse_int(text, 1, INT64_MAX, &number)) {
        header->input_rate = (uint64_t)number;
        if (header->inputs == 1)
            header->rate = header->input_rate;
    }
}

bool pf_nyt_header_pair(struct pf_nyt_header *header, bool option, uint32_t key, uint32_t value)
{
    struct pf_bytes name = pf_dict_string(header->dict, key);
    uint32_t written;
    if (!one_line(name) || !one_line(pf_dict_string(header->dict, value)) ||
        (name.size > 0 && memchr(name.data, '=', name.size)))
        return false;
    header->inputs += !header->attributed;
    header->attributed = true;
    if (!option)
        note_attribute(header, key, value);
    if (!option && key == header->nv_key)
        value = pf_dict_intern_word(header->dict, "8");
    if (header->inputs == 1 || (!pf_pair_map_get(&header->written, key, option, &written) &&
                                (option || key != header->rate_key)))
        write_header_pair(header, option, key, value);
    return true;
}

static void rewrite_attribute(struct pf_nyt_header *header, uint32_t key, const char *text)
{
    uint32_t value = pf_dict_intern_word(header->dict, text), written;
    if (!pf_pair_map_get(&header->written, key, 0, &written) || written != value)
        write_header_pair(header, false, key, value);
}

/* Writes the attribute `application` of all inputs: `a (2 runs), b and c`. */
static void write_applications(struct pf_nyt_header *header)
{
    struct pf_buffer text = {0};
    char runs[32];
    for (size_t k = 0; k < header->application_count; k++) {
        struct pf_bytes name = pf_dict_string(header->dict, header->applications[k].name);
        const char *between = k == 0 ? "" : k + 1 < header->application_count ? ", " : " and ";
        pf_buffer_append(&text, between, strlen(between));
        pf_buffer_append(&text, name.data, name.size);
        snprintf(runs, sizeof runs, " (%" PRIu64 " runs)", header->applications[k].runs);
        if (header->applications[k].runs > 1)
            pf_buffer_append(&text, runs, strlen(runs));
    }
    pf_buffer_byte(&text, 0);
    if (text.failed)
        header->failed = true;
    else if (header->application_count > 0)
        rewrite_attribute(header, header->application_key, text.data);
    pf_buffer_free(&text);
}

void pf_nyt_header_finish(struct pf_nyt_header *header)
{
    char text[64];
    end_input(header);
    if (header->inputs < 2)
        return;
    write_applications(header);
    if (header->basetime)
        rewrite_attribute(header, header->basetime_key,
                          pf_dict_string(header->dict, header->basetime).data);
    snprintf(text, sizeof text, "%.15g",
             header->all_overhead * (header->rate ? (double)header->rate : 1));
    if (header->overhead_known)
        rewrite_attribute(header, header->overhead_key, text);
}

/* --- a new header ----------------------------------------------------------------------------- */

void pf_nyt_header_rate(struct pf_nyt_header *header, uint64_t rate)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, rate);
    write_header_pair(header, false, header->rate_key, pf_dict_intern_word(header->dict, text));
    header->rate = rate;
}

/* Interns a text as one line: control bytes become '?'. */
static uint32_t line_word(struct pf_nyt_header *header, struct pf_bytes text)
{
    struct pf_buffer line = {0};
    for (size_t k = 0; k < text.size; k++)
        pf_buffer_byte(&line,
                       (unsigned char)text.data[k] < ' ' ? '?' : (unsigned char)text.data[k]);
    header->failed |= line.failed;
    return pf_dict_intern_buffer(header->dict, &line, 0);
}

/* Writes a header for records of other formats. */
static void header_make(struct pf_nyt_header *header, struct pf_bytes application, uint64_t rate,
                        int level)
{
    static const char *const options[][2] = {
        {"usecputime", "0"}, {"subs", "1"},   {"blocks", "0"},     {"leave", "1"},
        {"expand", "0"},     {"trace", "0"},  {"use_db_sub", "0"}, {"compress", ""},
        {"clock", "-1"},     {"stmts", "1"},  {"slowops", "0"},    {"findcaller", "0"},
        {"forkdepth", "0"},  {"perldb", "0"}, {"nameevals", "1"},  {"nameanonsubs", "1"},
        {"calls", "1"},      {"evals", "0"},
    };
    static const char *const attributes[][2] = {
        {"perl_version", "unknown"}, {"nv_size", "8"},   {"xs_version", "unknown"},
        {"PL_perldb", "0"},          {"clock_id", "-1"}, {"cumulative_overhead_ticks", "0"}};
    char text[16];
    header->basetime = pf_dict_intern_word(header->dict, "0");
    header->application = line_word(header, application);
    write_header_pair(header, false, header->basetime_key, header->basetime);
    write_header_pair(header, false, header->application_key, header->application);
    for (size_t k = 0; k < sizeof attributes / sizeof *attributes; k++)
        write_header_pair(header, false, pf_dict_intern_word(header->dict, attributes[k][0]),
                          pf_dict_intern_word(header->dict, attributes[k][1]));
    pf_nyt_header_rate(header, rate);
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        snprintf(text, sizeof text, "%d", level);
        write_header_pair(header, true, pf_dict_intern_word(header->dict, options[k][0]),
                          pf_dict_intern_word(header->dict, *options[k][1] ? options[k][1] : text));
    }
    header->inputs = 1;
}

/* --- opening and closing ---------------------------------------------------------------------- */

static int level(const struct pf_writer *writer)
{
    return writer->compression < 0 ? LEVEL : writer->compression;
}

int pf_nyt_writer_open(struct pf_writer *writer)
{
    static const struct pf_bytes BANNER = {"NYTProf 5 0\n", 12};
    struct pf_nyt_writer *w = writer->state;
    const char *text = pf_options_get(writer->options, "limit");
    int64_t limit = LIMIT;
    if (text && !pf_parse_int(pf_bytes_of(text), 0, INT64_MAX, &limit))
        return pf_error_set(&writer->error, PF_USAGE,
                            "nytprof: limit is a number of records, not '%.40s'", text);
    w->limit = (uint64_t)limit;
    w->own_limit = text ? w->limit : UINT32_MAX;
    w->call_time = (struct pf_nyt_time){1, 0, 1}; /* until samples have a time */
    w->attribute_origin = pf_dict_intern_word(writer->dict, PF_NYT_ATTRIBUTE_ORIGIN);
    w->option_origin = pf_dict_intern_word(writer->dict, PF_NYT_OPTION_ORIGIN);
    w->comment_origin = pf_dict_intern_word(writer->dict, PF_NYT_COMMENT_ORIGIN);
    w->private_origin = pf_dict_intern_word(writer->dict, PF_NYT_PRIVATE_ORIGIN);
    w->tool_origin = pf_dict_intern_word(writer->dict, "profutils");
    w->input_key = pf_dict_intern_word(writer->dict, "input");
    w->fid_key = pf_dict_intern_word(writer->dict, "fid");
    w->block_key = pf_dict_intern_word(writer->dict, "block");
    w->sub_key = pf_dict_intern_word(writer->dict, "sub");
    w->unknown = pf_dict_intern_word(writer->dict, "[unknown]");
    header_init(&w->header, writer->dict, &w->out);
    int out = pf_nyt_out_open(&w->out, writer->sink);
    int numbers = pf_nyt_numbers_init(&w->numbers), subs = pf_nyt_subs_init(&w->subs);
    int calls = pf_nyt_calls_init(&w->calls, writer->dict);
    w->ready = true;
    if (out || numbers || subs || calls)
        return pf_error_nomem(&writer->error);
    pf_nyt_out_bytes(&w->out, BANNER.data, BANNER.size);
    return PF_OK;
}

void pf_nyt_writer_close(struct pf_writer *writer)
{
    struct pf_nyt_writer *w = writer->state;
    if (!w->ready)
        return;
    pf_nyt_out_close(&w->out);
    header_free(&w->header);
    pf_nyt_numbers_free(&w->numbers);
    pf_nyt_subs_free(&w->subs);
    pf_nyt_calls_free(&w->calls);
    pf_nyt_stacks_free(&w->stacks);
    pf_callers_free(w->callers);
}

/* --- before the first record ------------------------------------------------------------------ */

static void start_process(struct pf_nyt_writer *w)
{
    const uint32_t numbers[] = {OUR_PID, 0};
    pf_nyt_out_numbers(&w->out, PF_NYT_PID_START, numbers, 2);
    pf_nyt_out_nv(&w->out, 0);
    w->process = true;
}

static void write_process_end(struct pf_nyt_writer *w, uint32_t pid, double time)
{
    pf_nyt_out_numbers(&w->out, PF_NYT_PID_END, &pid, 1);
    pf_nyt_out_nv(&w->out, time);
}

void pf_nyt_end_process(struct pf_writer *writer)
{
    struct pf_nyt_writer *w = writer->state;
    if (!w->process)
        return;
    write_process_end(w, OUR_PID, w->seconds > w->call_seconds ? w->seconds : w->call_seconds);
    w->process = false;
}

/* Begins to deflate the output. `from_input`: the deflated data of the input begin here; then the
 * comment is written only if the input has a comment. */
static void start_deflate(struct pf_writer *writer, bool from_input)
{
    struct pf_nyt_writer *w = writer->state;
    char text[80], same[40];
    struct pf_bytes comment = pf_dict_string(writer->dict, w->packed_comment);
    int size = snprintf(text, sizeof text, "Compressed at level %d with zlib %s", level(writer),
                        zlibVersion());
    int start = snprintf(same, sizeof same, "Compressed at level %d ", level(writer));
    if (comment.size < (size_t)start || memcmp(comment.data, same, (size_t)start) != 0)
        comment = (struct pf_bytes){text, size < (int)sizeof text ? (size_t)size : sizeof text - 1};
    if (!from_input || w->packed_comment)
        pf_nyt_header_comment(&w->header, comment);
    w->packed_comment = 0;
    pf_nyt_out_deflate(&w->out, level(writer));
}

int pf_nyt_begin_deflated(struct pf_writer *writer)
{
    struct pf_nyt_writer *w = writer->state;
    if (!w->begun && level(writer) > 0)
        start_deflate(writer, true);
    w->packed_comment = 0;
    w->begun = w->begun || w->out.deflated;
    return w->out.status == PF_OK ? PF_OK : pf_error_nomem(&writer->error);
}

int pf_nyt_begin(struct pf_writer *writer, const struct pf_nyt_time *time)
{
    struct pf_nyt_writer *w = writer->state;
    if (w->begun)
        return PF_OK;
    w->begun = true;
    if (!w->genuine && w->header.inputs == 0) {
        uint64_t rate = time ? pf_nyt_time_rate(time, 0, false) : 0;
        struct pf_bytes input = w->input ? pf_dict_string(writer->dict, w->input)
                                         : PF_BYTES("profile");
        header_make(&w->header, input, rate ? rate : PF_NYT_RATE_DEFAULT, level(writer));
    }
    if (level(writer) > 0)
        start_deflate(writer, false);
    if (!w->genuine)
        start_process(w);
    return w->out.status == PF_OK ? PF_OK : pf_error_nomem(&writer->error);
}

/* --- files ------------------------------------------------------------------------------------ */

/* Defines a file that no row of an input defines. */
static void write_file(struct pf_writer *writer, uint32_t fid, uint32_t name)
{
    enum { VIA_STMT = 0x02, HAS_SRC = 0x10, IS_FAKE = 0x80 };
    struct pf_nyt_writer *w = writer->state;
    const uint32_t numbers[] = {fid, 0, 0, name == w->unknown ? IS_FAKE : VIA_STMT | HAS_SRC, 0, 0};
    pf_nyt_out_numbers(&w->out, PF_NYT_NEW_FID, numbers, 6);
    pf_nyt_write_name(writer, name);
}

int pf_nyt_writer_fid(struct pf_writer *writer, uint32_t name, uint32_t label, uint32_t *fid)
{
    struct pf_nyt_writer *w = writer->state;
    bool write;
    name = name == 0 && label != 0 && !w->own ? w->unknown : name;
    *fid = pf_nyt_numbers_find(&w->numbers, name, label, &write);
    if (w->numbers.status == PF_USAGE)
        return pf_error_set(&writer->error, PF_USAGE,
                            "nytprof numbers files with 32 bits; there are no numbers left");
    if (write)
        write_file(writer, *fid, name);
    return w->numbers.status == PF_OK ? PF_OK : pf_error_nomem(&writer->error);
}

int pf_nyt_writer_line(struct pf_writer *writer, int64_t from, uint32_t *line)
{
    if (from > UINT32_MAX)
        return pf_error_set(&writer->error, PF_USAGE,
                            "nytprof holds lines of 32 bits, not line %lld", (long long)from);
    *line = from > 0 ? (uint32_t)from : 0;
    return PF_OK;
}

void pf_nyt_write_name(struct pf_writer *writer, uint32_t name)
{
    struct pf_nyt_writer *w = writer->state;
    pf_nyt_out_string(&w->out, pf_dict_string(writer->dict, name),
                      writer->dict->strings.rows[name].flags & PF_UTF8);
}

/* --- rows held back --------------------------------------------------------------------------- */

void pf_nyt_write_held(struct pf_writer *writer)
{
    struct pf_nyt_writer *w = writer->state;
    if (w->packed_comment != 0)
        pf_nyt_header_comment(&w->header, pf_dict_string(writer->dict, w->packed_comment));
    if (w->ended)
        write_process_end(w, w->end_pid, w->end_time);
    w->packed_comment = 0;
    w->ended = false;
}

/* --- source texts ----------------------------------------------------------------------------- */

static void write_source(struct pf_nyt_writer *w, uint32_t fid, uint32_t line, struct pf_bytes text,
                         bool utf8)
{
    const uint32_t numbers[] = {fid, line};
    pf_nyt_out_numbers(&w->out, PF_NYT_SRC_LINE, numbers, 2);
    pf_nyt_out_string(&w->out, text, utf8);
}

/* Writes a text of many lines, from another format. */
static void write_lines(struct pf_nyt_writer *w, uint32_t fid, struct pf_bytes text, bool utf8)
{
    for (uint32_t line = 1; text.size > 0; line++) {
        const char *feed = memchr(text.data, '\n', text.size);
        size_t size = feed ? (size_t)(feed - text.data) + 1 : text.size;
        write_source(w, fid, line, (struct pf_bytes){text.data, size}, utf8);
        text.data += size;
        text.size -= size;
    }
}

int pf_nyt_write_texts(struct pf_writer *writer, const struct pf_batch *batch)
{
    struct pf_nyt_writer *w = writer->state;
    int status = batch->rows > 0 ? pf_nyt_begin(writer, NULL) : PF_OK;
    pf_nyt_write_held(writer);
    for (uint32_t k = 0; status == PF_OK && k < batch->rows; k++) {
        const struct pf_text *text = &batch->texts[k];
        uint32_t name = pf_dict_intern(writer->dict, text->name, text->name_flags), fid = 0,
                 line = 0;
        status = pf_nyt_writer_fid(writer, name, w->source_fid, &fid);
        if (status == PF_OK)
            status = pf_nyt_writer_line(
                writer, text->line < INT64_MAX ? (int64_t)text->line : INT64_MAX, &line);
        if (status != PF_OK || !pf_nyt_numbers_text(&w->numbers, fid))
            continue;
        if (w->own)
            write_source(w, fid, line, text->text, text->text_flags & PF_UTF8);
        else
            write_lines(w, fid, text->text, text->text_flags & PF_UTF8);
    }
    return status;
}

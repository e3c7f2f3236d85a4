#include "format/nytprof/writer.h"

#include "base/memory.h"
#include "base/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* 2^24 statements are 70 MB. */
enum { LEVEL = 6, OUR_PID = 1, LIMIT = 1 << 24 };

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
        return pf_error_set(&writer->error, PF_USAGE, "nytprof: limit is a number of records, not '%.40s'", text);
    w->limit = (uint64_t)limit;
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
    int out = pf_nyt_out_open(&w->out, writer->sink), header = pf_nyt_header_init(&w->header, writer->dict, &w->out);
    int numbers = pf_nyt_numbers_init(&w->numbers), subs = pf_nyt_subs_init(&w->subs);
    int calls = pf_nyt_calls_init(&w->calls, writer->dict);
    w->ready = true;
    if (out || header || numbers || subs || calls)
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
    pf_nyt_header_free(&w->header);
    pf_nyt_numbers_free(&w->numbers);
    pf_nyt_subs_free(&w->subs);
    pf_nyt_calls_free(&w->calls);
    pf_nyt_stacks_free(&w->stacks);
    pf_callers_free(w->callers);
}

/* ---- What stands before records ---- */

static void start_process(struct pf_nyt_writer *w)
{
    const uint32_t numbers[] = {OUR_PID, 0};
    pf_nyt_out_numbers(&w->out, PF_NYT_PID_START, numbers, 2);
    pf_nyt_out_nv(&w->out, 0);
    w->process = true;
}

void pf_nyt_end_process(struct pf_writer *writer)
{
    struct pf_nyt_writer *w = writer->state;
    const uint32_t pid = OUR_PID;
    if (!w->process)
        return;
    pf_nyt_out_numbers(&w->out, PF_NYT_PID_END, &pid, 1);
    pf_nyt_out_nv(&w->out, w->seconds > w->call_seconds ? w->seconds : w->call_seconds);
    w->process = false;
}

/* `said`: the input is deflated from here on, with a comment before it or none. */
static void start_deflate(struct pf_writer *writer, bool said)
{
    struct pf_nyt_writer *w = writer->state;
    char text[80], same[40];
    struct pf_bytes comment = pf_dict_string(writer->dict, w->packed_comment);
    int size = snprintf(text, sizeof text, "Compressed at level %d with zlib %s", level(writer), zlibVersion());
    int start = snprintf(same, sizeof same, "Compressed at level %d ", level(writer));
    if (comment.size < (size_t)start || memcmp(comment.data, same, (size_t)start) != 0)
        comment = (struct pf_bytes){text, size < (int)sizeof text ? (size_t)size : sizeof text - 1};
    if (!said || w->packed_comment)
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
    w->begun = w->begun || w->out.deflated != NULL;
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
        struct pf_bytes input = w->input ? pf_dict_string(writer->dict, w->input) : PF_BYTES("profile");
        pf_nyt_header_make(&w->header, input, rate ? rate : PF_NYT_RATE_CUSTOM, level(writer));
    }
    if (level(writer) > 0)
        start_deflate(writer, false);
    if (!w->genuine)
        start_process(w);
    return w->out.status == PF_OK ? PF_OK : pf_error_nomem(&writer->error);
}

/* ---- Files ---- */

/* A file no row of an input defined. */
static void write_file(struct pf_writer *writer, uint32_t fid, uint32_t name)
{
    enum { VIA_STMT = 0x02, HAS_SRC = 0x10, IS_FAKE = 0x80 };
    struct pf_nyt_writer *w = writer->state;
    const uint32_t numbers[] = {fid, 0, 0, name == w->unknown ? IS_FAKE : VIA_STMT | HAS_SRC, 0, 0};
    pf_nyt_out_numbers(&w->out, PF_NYT_NEW_FID, numbers, 6);
    pf_nyt_out_string(&w->out, pf_dict_string(writer->dict, name), writer->dict->strings.rows[name].flags & PF_UTF8);
}

int pf_nyt_writer_fid(struct pf_writer *writer, uint32_t name, uint32_t label, uint32_t *fid)
{
    struct pf_nyt_writer *w = writer->state;
    bool write;
    name = name == 0 && label != 0 && !w->own ? w->unknown : name;
    *fid = pf_nyt_numbers_find(&w->numbers, name, label, &write);
    if (w->numbers.status == PF_USAGE)
        return pf_error_set(&writer->error, PF_USAGE, "nytprof numbers files with 32 bits; there are no numbers left");
    if (write)
        write_file(writer, *fid, name);
    return w->numbers.status == PF_OK ? PF_OK : pf_error_nomem(&writer->error);
}

int pf_nyt_writer_line(struct pf_writer *writer, int64_t from, uint32_t *line)
{
    if (from > UINT32_MAX)
        return pf_error_set(&writer->error, PF_USAGE, "nytprof holds lines of 32 bits, not line %lld", (long long)from);
    *line = from > 0 ? (uint32_t)from : 0;
    return PF_OK;
}

/* ---- The order ---- */

int pf_nyt_writer_write(struct pf_writer *writer, const struct pf_batch *batch)
{
    struct pf_nyt_writer *w = writer->state;
    int status = PF_OK;
    if (batch->kind == PF_META)
        status = pf_nyt_write_metadata(writer, batch);
    else if (batch->kind == PF_TEXT)
        status = pf_nyt_write_texts(writer, batch);
    else
        status = pf_nyt_write_records(writer, batch);
    if (status != PF_OK)
        return status;
    if (w->out.status != PF_OK || w->numbers.status == PF_NOMEM || w->header.failed || w->subs.failed)
        return pf_error_nomem(&writer->error);
    return pf_sink_status(writer->sink, &writer->error);
}

static int write_subs(struct pf_writer *writer)
{
    struct pf_nyt_writer *w = writer->state;
    struct pf_nyt_sub_place place;
    for (size_t k = 1; k < w->subs.count; k++) {
        uint32_t numbers[3];
        if (!pf_nyt_subs_place(&w->subs, writer->dict, k, &place))
            continue;
        struct pf_bytes name = pf_dict_string(writer->dict, place.name);
        bool utf8 = writer->dict->strings.rows[place.name].flags & PF_UTF8;
        if (place.last == 0) {
            pf_nyt_write_xsub(writer, place.name);
            continue;
        }
        if (pf_nyt_writer_fid(writer, place.file, 0, &numbers[0]) != PF_OK ||
            pf_nyt_writer_line(writer, place.first, &numbers[1]) != PF_OK || pf_nyt_writer_line(writer, place.last, &numbers[2]) != PF_OK)
            return writer->error.code;
        pf_nyt_subs_define(&w->subs, place.name, place.file, numbers[0], numbers[1], numbers[2]);
        pf_nyt_out_numbers(&w->out, PF_NYT_SUB_INFO, numbers, 1);
        pf_nyt_out_string(&w->out, name, utf8);
        pf_nyt_out_number(&w->out, numbers[1]);
        pf_nyt_out_number(&w->out, numbers[2]);
    }
    return PF_OK;
}

int pf_nyt_writer_finish(struct pf_writer *writer)
{
    static const unsigned char CUT = PF_NYT_PID_END;
    struct pf_nyt_writer *w = writer->state;
    int status = pf_nyt_write_stacks(writer);
    if (status == PF_OK)
        status = pf_nyt_write_callers(writer);
    if (status == PF_OK && !w->genuine && w->header.inputs == 0)
        status = pf_nyt_begin(writer, NULL);
    if (status == PF_OK)
        status = write_subs(writer);
    if (status != PF_OK)
        return status;
    pf_nyt_write_held(writer);
    pf_nyt_header_finish(&w->header);
    /* Every reader sees that a record is cut. */
    if (writer->failed_input)
        pf_nyt_out_bytes(&w->out, &CUT, 1);
    else
        pf_nyt_end_process(writer);
    pf_nyt_out_finish(&w->out);
    if (w->out.status != PF_OK || w->numbers.status == PF_NOMEM || w->header.failed || w->subs.failed)
        return pf_error_nomem(&writer->error);
    return pf_sink_status(writer->sink, &writer->error);
}

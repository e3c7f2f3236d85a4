/* Metadata and source texts as records. */
#include "format/nytprof/writer.h"

#include "base/memory.h"
#include "base/number.h"

#include <stdlib.h>
#include <string.h>

/* ---- Private rows ---- */

enum { WORDS = 8 };

/* Words between single spaces; their number, WORDS at most. */
static size_t split(struct pf_bytes text, struct pf_bytes words[WORDS])
{
    size_t count = 0, start = 0;
    for (size_t k = 0; k <= text.size && count < WORDS; k++) {
        if (k < text.size && text.data[k] != ' ')
            continue;
        words[count++] = (struct pf_bytes){text.data + start, k - start};
        start = k + 1;
    }
    return count;
}

static bool numbers_of(const struct pf_bytes *words, size_t count, uint32_t *numbers)
{
    for (size_t k = 0; k < count; k++) {
        int64_t number;
        if (!pf_parse_int(words[k], 0, UINT32_MAX, &number))
            return false;
        numbers[k] = (uint32_t)number;
    }
    return true;
}

/* 16 hexadecimal digits of a double. */
static bool time_of(struct pf_bytes word, double *time)
{
    uint64_t bits = 0;
    if (word.size != 16)
        return false;
    for (size_t k = 0; k < word.size; k++) {
        const char *digits = "0123456789abcdef", *digit = memchr(digits, word.data[k], 16);
        if (!digit)
            return false;
        bits = bits << 4 | (uint64_t)(digit - digits);
    }
    memcpy(time, &bits, sizeof *time);
    return true;
}

static void write_name(struct pf_writer *writer, uint32_t name)
{
    struct pf_nyt_writer *w = writer->state;
    pf_nyt_out_string(&w->out, pf_dict_string(writer->dict, name), writer->dict->strings.rows[name].flags & PF_UTF8);
}

static void write_fid(struct pf_writer *writer, const uint32_t *n, uint32_t name, bool renamed)
{
    struct pf_nyt_writer *w = writer->state;
    struct pf_nyt_file file = {name, n[1], n[2], n[3], n[4], n[5]};
    bool write;
    uint32_t fid = pf_nyt_numbers_define(&w->numbers, n[0], &file, renamed, &write);
    const uint32_t numbers[] = {fid, file.eval_fid, file.eval_line, file.flags, file.size, file.mtime};
    if (!write)
        return;
    pf_nyt_out_numbers(&w->out, PF_NYT_NEW_FID, numbers, 6);
    write_name(writer, name);
}

static void write_sub(struct pf_writer *writer, const uint32_t *n, uint32_t name)
{
    struct pf_nyt_writer *w = writer->state;
    uint32_t fid = pf_nyt_numbers_of(&w->numbers, n[0]), file;
    pf_nyt_files_name(&w->numbers.input, n[0], &file);
    if (!pf_nyt_subs_define(&w->subs, name, file, fid, n[1], n[2]))
        return;
    pf_nyt_out_numbers(&w->out, PF_NYT_SUB_INFO, &fid, 1);
    write_name(writer, name);
    pf_nyt_out_number(&w->out, n[1]);
    pf_nyt_out_number(&w->out, n[2]);
}

void pf_nyt_write_xsub(struct pf_writer *writer, uint32_t name)
{
    struct pf_nyt_writer *w = writer->state;
    const uint32_t nowhere[] = {0, 0};
    pf_nyt_subs_define_xsub(&w->subs, name);
    pf_nyt_out_numbers(&w->out, PF_NYT_SUB_CALLERS, nowhere, 2);
    pf_nyt_out_string(&w->out, PF_BYTES(""), false);
    pf_nyt_out_number(&w->out, 0);
    for (int k = 0; k < 3; k++)
        pf_nyt_out_nv(&w->out, 0);
    pf_nyt_out_number(&w->out, 0);
    write_name(writer, name);
}

static void write_process(struct pf_nyt_writer *w, enum pf_nyt_tag tag, const uint32_t *numbers, size_t count, double time)
{
    pf_nyt_out_numbers(&w->out, tag, numbers, count);
    pf_nyt_out_nv(&w->out, time);
}

/* A row of a NYTProf file; what cannot be one is passed over. */
static int write_private(struct pf_writer *writer, uint32_t key, uint32_t value)
{
    struct pf_nyt_writer *w = writer->state;
    struct pf_bytes words[WORDS];
    uint32_t n[6];
    double time;
    size_t count = split(pf_dict_string(writer->dict, key), words);
    w->genuine = w->own = true;
    if (pf_bytes_equal(words[0], PF_BYTES("deflate")))
        return pf_nyt_begin_deflated(writer);
    if (pf_bytes_equal(words[0], PF_BYTES("source")) && count == 2 && numbers_of(words + 1, 1, n)) {
        w->source_fid = n[0];
        return PF_OK;
    }
    if (pf_bytes_equal(words[0], PF_BYTES("discounts")) && count == 2) {
        int64_t discounts;
        if (pf_parse_int(words[1], 0, UINT32_MAX, &discounts))
            w->discounts_wanted += (uint64_t)discounts;
        pf_nyt_write_discounts(writer);
        return PF_OK;
    }
    int status = pf_nyt_write_stacks(writer);
    pf_nyt_write_held(writer);
    if (status == PF_OK)
        status = pf_nyt_begin(writer, NULL);
    if (status != PF_OK)
        return status;
    if (pf_bytes_equal(words[0], PF_BYTES("fid")) && count == 7 && numbers_of(words + 1, 6, n))
        write_fid(writer, n, value, false);
    else if (pf_bytes_equal(words[0], PF_BYTES("renamed")) && count == 8 && numbers_of(words + 2, 6, n))
        write_fid(writer, n, value, true);
    else if (pf_bytes_equal(words[0], PF_BYTES("sub")) && count == 4 && numbers_of(words + 1, 3, n))
        write_sub(writer, n, value);
    else if (pf_bytes_equal(words[0], PF_BYTES("xsub")) && count == 1)
        pf_nyt_write_xsub(writer, value);
    else if (pf_bytes_equal(words[0], PF_BYTES("start")) && count == 4 && numbers_of(words + 1, 2, n) && time_of(words[3], &time)) {
        pf_nyt_end_process(writer);
        write_process(w, PF_NYT_PID_START, n, 2, time);
    }
    else if (pf_bytes_equal(words[0], PF_BYTES("end")) && count == 3 && numbers_of(words + 1, 1, n) && time_of(words[2], &time))
        w->end_key = key;
    return w->numbers.status == PF_USAGE
               ? pf_error_set(&writer->error, PF_USAGE, "nytprof numbers files with 32 bits; there are no numbers left") : PF_OK;
}

void pf_nyt_write_held(struct pf_writer *writer)
{
    struct pf_nyt_writer *w = writer->state;
    struct pf_bytes words[WORDS];
    uint32_t pid;
    double time;
    if (w->packed_comment != 0)
        pf_nyt_header_comment(&w->header, pf_dict_string(writer->dict, w->packed_comment));
    if (w->end_key != 0 && split(pf_dict_string(writer->dict, w->end_key), words) == 3 && numbers_of(words + 1, 1, &pid) &&
        time_of(words[2], &time))
        write_process(w, PF_NYT_PID_END, &pid, 1, time);
    w->packed_comment = w->end_key = 0;
}

/* ---- All rows ---- */

/* The comment that the profiler writes before deflated data, which holds where the same follows. */
static bool says_deflated(struct pf_bytes text)
{
    static const struct pf_bytes WORDS_OF_IT = {"Compressed at level ", 20};
    return text.size > WORDS_OF_IT.size && memcmp(text.data, WORDS_OF_IT.data, WORDS_OF_IT.size) == 0;
}

static int write_pair(struct pf_writer *writer, bool option, uint32_t key, uint32_t value)
{
    struct pf_nyt_writer *w = writer->state;
    if (pf_nyt_header_pair(&w->header, option, key, value))
        return PF_OK;
    return pf_error_set(&writer->error, PF_USAGE, "nytprof holds metadata in lines KEY=VALUE; '%.60s' does not fit one",
                        pf_dict_string(writer->dict, key).data);
}

static int write_row(struct pf_writer *writer, uint32_t origin, uint32_t key, uint32_t value)
{
    struct pf_nyt_writer *w = writer->state;
    if (origin == w->private_origin)
        return write_private(writer, key, value);
    if (origin == w->tool_origin && key == w->input_key) {
        int status = pf_nyt_write_stacks(writer);
        if (status != PF_OK)
            return status;
        w->input = w->input ? w->input : value;
        pf_nyt_header_restart(&w->header);
        if (w->genuine || w->begun)
            pf_nyt_numbers_restart(&w->numbers);
        w->source_fid = 0;
        w->own = w->given = false;
        return PF_OK;
    }
    if (origin != w->attribute_origin && origin != w->option_origin && origin != w->comment_origin)
        return PF_OK;
    int status = pf_nyt_write_stacks(writer);
    if (status != PF_OK)
        return status;
    pf_nyt_write_held(writer);
    if (origin != w->comment_origin)
        return write_pair(writer, origin == w->option_origin, key, value);
    struct pf_bytes text = pf_dict_string(writer->dict, value);
    if (says_deflated(text) && memchr(text.data, '\n', text.size) == NULL) {
        w->packed_comment = value;
        return PF_OK;
    }
    if (pf_nyt_header_comment(&w->header, text))
        return PF_OK;
    return pf_error_set(&writer->error, PF_USAGE, "nytprof holds comments of one line, not '%.60s'", text.data);
}

int pf_nyt_write_metadata(struct pf_writer *writer, const struct pf_batch *batch)
{
    int status = PF_OK;
    for (uint32_t k = 0; status == PF_OK && k < batch->rows; k++)
        status = write_row(writer, batch->origin[k], batch->key[k], batch->value[k]);
    return status;
}

/* ---- Source texts ---- */

static void write_source(struct pf_nyt_writer *w, uint32_t fid, uint32_t line, struct pf_bytes text, bool utf8)
{
    const uint32_t numbers[] = {fid, line};
    pf_nyt_out_numbers(&w->out, PF_NYT_SRC_LINE, numbers, 2);
    pf_nyt_out_string(&w->out, text, utf8);
}

/* A text of many lines, as other formats have them. */
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
        uint32_t name = pf_dict_intern(writer->dict, text->name, text->name_flags), fid, line;
        status = pf_nyt_writer_fid(writer, name, w->source_fid, &fid);
        if (status == PF_OK)
            status = pf_nyt_writer_line(writer, text->line < INT64_MAX ? (int64_t)text->line : INT64_MAX, &line);
        if (status != PF_OK || !pf_nyt_numbers_text(&w->numbers, fid))
            continue;
        if (w->own)
            write_source(w, fid, line, text->text, text->text_flags & PF_UTF8);
        else
            write_lines(w, fid, text->text, text->text_flags & PF_UTF8);
    }
    return status;
}

#include "format/nytprof/writer_header.h"

#include "base/memory.h"
#include "base/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int pf_nyt_header_init(struct pf_nyt_header *header, struct pf_dict *dict, struct pf_nyt_out *out)
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
    return pf_nyt_map_init(&header->written);
}

void pf_nyt_header_free(struct pf_nyt_header *header)
{
    pf_nyt_map_free(&header->written);
    free(header->applications);
}

/* ---- Lines ---- */

static void write_line(struct pf_nyt_out *out, enum pf_nyt_tag tag, struct pf_bytes text, struct pf_bytes value)
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

static void write_pair(struct pf_nyt_header *header, bool option, uint32_t key, uint32_t value)
{
    uint64_t *entry = pf_nyt_map_entry(&header->written, key, option);
    if (!entry) {
        header->failed = true;
        return;
    }
    *entry = (uint64_t)value + 1;
    write_line(header->out, option ? PF_NYT_OPTION : PF_NYT_ATTRIBUTE, pf_dict_string(header->dict, key),
               pf_dict_string(header->dict, value));
}

static bool one_line(struct pf_bytes text)
{
    return text.size == 0 || !memchr(text.data, '\n', text.size);
}

bool pf_nyt_header_comment(struct pf_nyt_header *header, struct pf_bytes text)
{
    if (!one_line(text))
        return false;
    write_line(header->out, PF_NYT_COMMENT, text, text);
    return true;
}

/* ---- What inputs have together ---- */

static double number_of(struct pf_bytes text)
{
    char copy[64];
    size_t size = text.size < sizeof copy - 1 ? text.size : sizeof copy - 1;
    memcpy(copy, text.data, size);
    copy[size] = 0;
    return strtod(copy, NULL);
}

/* Sorted by name, as nytprofmerge has them. */
static void add_application(struct pf_nyt_header *header, uint32_t name)
{
    struct pf_bytes text = pf_dict_string(header->dict, name);
    size_t at = header->application_count;
    while (at > 0 && pf_bytes_compare(pf_dict_string(header->dict, header->applications[at - 1].name), text) > 0)
        at--;
    if (at > 0 && header->applications[at - 1].name == name) {
        header->applications[at - 1].runs++;
        return;
    }
    if (!pf_grow(&header->applications, &header->application_capacity, header->application_count + 1, sizeof *header->applications)) {
        header->failed = true;
        return;
    }
    memmove(header->applications + at + 1, header->applications + at,
            (header->application_count++ - at) * sizeof *header->applications);
    header->applications[at] = (struct pf_nyt_application){name, 1};
}

static void end_input(struct pf_nyt_header *header)
{
    header->all_overhead += header->input_rate ? header->overhead / (double)header->input_rate : header->overhead;
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

static void keep(struct pf_nyt_header *header, uint32_t key, uint32_t value)
{
    struct pf_bytes text = pf_dict_string(header->dict, value);
    int64_t number;
    if (key == header->application_key) {
        header->application = value;
    } else if (key == header->overhead_key) {
        header->overhead = number_of(text);
        header->overhead_known = true;
    } else if (key == header->basetime_key) {
        if (header->basetime == 0 || number_of(text) < number_of(pf_dict_string(header->dict, header->basetime)))
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
    if (!one_line(name) || !one_line(pf_dict_string(header->dict, value)) || (name.size > 0 && memchr(name.data, '=', name.size)))
        return false;
    header->inputs += !header->attributed;
    header->attributed = true;
    if (!option)
        keep(header, key, value);
    if (!option && key == header->nv_key)
        value = pf_dict_intern_word(header->dict, "8");
    if (header->inputs == 1 || (pf_nyt_map_get(&header->written, key, option) == 0 && (option || key != header->rate_key)))
        write_pair(header, option, key, value);
    return true;
}

static void write_again(struct pf_nyt_header *header, uint32_t key, const char *text)
{
    uint32_t value = pf_dict_intern_word(header->dict, text);
    if (pf_nyt_map_get(&header->written, key, 0) != (uint64_t)value + 1)
        write_pair(header, false, key, value);
}

/* `a (2 runs), b and c` */
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
        write_again(header, header->application_key, text.data);
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
        write_again(header, header->basetime_key, pf_dict_string(header->dict, header->basetime).data);
    snprintf(text, sizeof text, "%.15g", header->all_overhead * (header->rate ? (double)header->rate : 1));
    if (header->overhead_known)
        write_again(header, header->overhead_key, text);
}

/* ---- A header of our own ---- */

void pf_nyt_header_rate(struct pf_nyt_header *header, uint64_t rate)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, rate);
    write_pair(header, false, header->rate_key, pf_dict_intern_word(header->dict, text));
    header->rate = rate;
}

/* In one line: control bytes become '?'. */
static uint32_t line_word(struct pf_nyt_header *header, struct pf_bytes text)
{
    struct pf_buffer line = {0};
    for (size_t k = 0; k < text.size; k++)
        pf_buffer_byte(&line, (unsigned char)text.data[k] < ' ' ? '?' : (unsigned char)text.data[k]);
    uint32_t id = line.failed ? 0 : pf_dict_intern(header->dict, (struct pf_bytes){line.data, line.size}, 0);
    header->failed |= line.failed;
    pf_buffer_free(&line);
    return id;
}

void pf_nyt_header_make(struct pf_nyt_header *header, struct pf_bytes application, uint64_t rate, int level)
{
    static const char *const options[][2] = {
        {"usecputime", "0"}, {"subs", "1"},    {"blocks", "0"},      {"leave", "1"},      {"expand", "0"},    {"trace", "0"},
        {"use_db_sub", "0"}, {"compress", ""}, {"clock", "-1"},      {"stmts", "1"},      {"slowops", "0"},   {"findcaller", "0"},
        {"forkdepth", "0"},  {"perldb", "0"},  {"nameevals", "1"},   {"nameanonsubs", "1"}, {"calls", "1"},   {"evals", "0"},
    };
    static const char *const attributes[][2] = {{"perl_version", "unknown"}, {"nv_size", "8"}, {"xs_version", "unknown"}, {"PL_perldb", "0"},
                                                {"clock_id", "-1"}, {"cumulative_overhead_ticks", "0"}};
    char text[16];
    header->basetime = pf_dict_intern_word(header->dict, "0");
    header->application = line_word(header, application);
    write_pair(header, false, header->basetime_key, header->basetime);
    write_pair(header, false, header->application_key, header->application);
    for (size_t k = 0; k < sizeof attributes / sizeof *attributes; k++)
        write_pair(header, false, pf_dict_intern_word(header->dict, attributes[k][0]), pf_dict_intern_word(header->dict, attributes[k][1]));
    pf_nyt_header_rate(header, rate);
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        snprintf(text, sizeof text, "%d", level);
        write_pair(header, true, pf_dict_intern_word(header->dict, options[k][0]), pf_dict_intern_word(header->dict, *options[k][1] ? options[k][1] : text));
    }
    header->inputs = 1;
}

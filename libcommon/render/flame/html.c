/* Flame graphs as HTML: one file that needs no other file. It has the whole tree of calls, for all
 * measures and sections, as arrays of numbers; a script in the file draws, searches and sums. */
#include "analysis/sum/sort.h"
#include "analysis/table/flame.h"
#include "codec/format.h"
#include "model/json.h"
#include "model/utf8.h"
#include "render/flame/palette.h"
#include "render/flame/verdict.h"
#include "render/flame/xml.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char page[] =
#include "render/flame/html.html.h"
    ;
static const char script[] =
#include "render/flame/html.js.h"
    ;
static const char style[] =
#include "render/flame/html.css.h"
    ;

struct html_writer {
    struct pf_flame flame;
    struct pf_palette palette;
    struct pf_flame_subject *subjects;
    size_t subject_count, main;
    /* functions of the tree: first 0, the root, then by number of nodes, the greatest first */
    uint32_t *keys;
    uint32_t *numbers; /* by function: its place in `keys` */
    uint32_t key_count;
    uint32_t *records; /* pf_flame_records */
    size_t record_count;
    struct pf_buffer scratch, line;
    bool failed; /* out of memory */
};

static const struct pf_option options[] = {
    {"title", "the heading (Flame Graph)", NULL, false, true},
    {"subtitle", "a second line", NULL, false, true},
    {"colors", "hue of the frames, their shades go by the names (hot)", PF_PALETTES, false, true},
    {"label", "key of the label whose values the page offers to choose from (section)", NULL, false,
     true},
    {"inverted", "the root at the top when the page opens: an icicle graph", "yes", false, true},
    {"reverse", "leaves at the root, and above them who called them", "yes", false, true},
    {"by", "what is one frame: name, file and image (function), or the name alone", "function|name",
     false, true},
    {"negate", "differences: blue is more and red is less", "yes", false, true},
    {"delta",
     "differences: colour by the change of the total or of the frame's own part when the page "
     "opens",
     "total|self", false, true},
    {0},
};

static int open_writer(struct pf_writer *writer)
{
    struct html_writer *state = writer->state;
    const char *label = pf_options_get(writer->options, "label");

    state->flame.label = label ? pf_dict_intern(writer->dict, pf_bytes_of(label), PF_UTF8)
                               : writer->dict->section_key;
    return pf_flame_open(&state->flame, writer);
}

static void close_writer(struct pf_writer *writer)
{
    struct html_writer *state = writer->state;

    pf_flame_free(&state->flame);
    pf_palette_free(&state->palette);
    free(state->subjects);
    free(state->keys);
    free(state->numbers);
    free(state->records);
    pf_buffer_free(&state->scratch);
    pf_buffer_free(&state->line);
}

static int write_batch(struct pf_writer *writer, const struct pf_batch *batch)
{
    struct html_writer *state = writer->state;

    return pf_flame_add(&state->flame, batch, &writer->error);
}

static void write_item(struct pf_sink *sink, bool first, int64_t value)
{
    if (!first)
        pf_sink_write(sink, ",", 1);
    pf_sink_number(sink, value);
}

/* --- functions -------------------------------------------------------------------------------- */

static int compare_counts(const void *arg, const void *a, const void *b)
{
    const uint32_t *counts = arg, *x = a, *y = b;

    if (counts[*x] != counts[*y])
        return counts[*x] > counts[*y] ? -1 : 1;
    return *x < *y ? -1 : *x > *y;
}

/* Numbers the functions so that the most frequent functions have the shortest numbers. */
static int number_functions(struct html_writer *state)
{
    const struct pf_flame *flame = &state->flame;
    size_t count = flame->keys.table.count;
    uint32_t *counts = calloc(count, sizeof *counts);
    int status = PF_NOMEM;

    state->keys = calloc(count, sizeof *state->keys);
    state->numbers = calloc(count, sizeof *state->numbers);
    if (counts && state->keys && state->numbers) {
        for (uint32_t node = 1; node < flame->count; node++)
            counts[flame->key[node]]++;
        state->key_count = 1;
        for (uint32_t key = 1; key < count; key++)
            if (counts[key] > 0)
                state->keys[state->key_count++] = key;
        status = pf_sort(state->keys + 1, state->key_count - 1, sizeof *state->keys, compare_counts,
                         counts);
    }
    for (uint32_t i = 0; status == PF_OK && i < state->key_count; i++)
        state->numbers[state->keys[i]] = i;
    free(counts);
    return status;
}

static void write_string(struct pf_writer *writer, struct pf_bytes text, unsigned flags)
{
    struct html_writer *state = writer->state;

    pf_json_html_string(writer->sink, pf_text_line(text, flags, &state->line), PF_UTF8,
                        &state->scratch);
}

static struct pf_bytes name_of(struct html_writer *state, uint32_t key, unsigned *flags)
{
    *flags = 0;
    return key == 0 ? PF_BYTES("all")
                    : pf_keys_name(&state->flame.keys, key, &state->scratch, flags);
}

static void write_names(struct pf_writer *writer)
{
    struct html_writer *state = writer->state;
    unsigned flags;

    pf_sink_text(writer->sink, ",\n\"functions\":[");
    for (uint32_t i = 0; i < state->key_count; i++) {
        struct pf_bytes name = name_of(state, state->keys[i], &flags);
        pf_sink_text(writer->sink, i > 0 ? "," : "");
        write_string(writer, name, flags);
    }
    pf_sink_text(writer->sink, "],\n\"colors\":\"");
    for (uint32_t i = 0; i < state->key_count; i++) {
        struct pf_bytes name = name_of(state, state->keys[i], &flags);
        pf_sink_printf(writer->sink, "%06x",
                       pf_palette_color(&state->palette, state->keys[i], name));
    }
    pf_sink_text(writer->sink, "\"");
}

/* Writes each file once, and for each function the number of its file, and its line. */
static void write_places(struct pf_writer *writer)
{
    struct html_writer *state = writer->state;
    struct pf_table files = {0};

    if (pf_table_init(&files, sizeof(uint32_t)) != PF_OK)
        state->failed = true;
    pf_sink_text(writer->sink, ",\n\"file\":[");
    for (uint32_t i = 0; i < state->key_count && !state->failed; i++)
        write_item(writer->sink, i == 0,
                   pf_table_intern(&files, &pf_keys_row(&state->flame.keys, state->keys[i])->file));
    pf_sink_text(writer->sink, "],\n\"line\":[");
    for (uint32_t i = 0; i < state->key_count; i++) {
        int64_t line = pf_keys_line(&state->flame.keys, state->keys[i]);
        write_item(writer->sink, i == 0, line < 0 ? 0 : line);
    }
    pf_sink_text(writer->sink, "],\n\"files\":[\"\"");
    for (uint32_t i = 1; i < files.count && !state->failed; i++) {
        uint32_t file = *(const uint32_t *)pf_table_row(&files, i);
        pf_sink_text(writer->sink, ",");
        write_string(writer, pf_dict_string(writer->dict, file),
                     writer->dict->strings.rows[file].flags);
    }
    pf_sink_text(writer->sink, "]");
    state->failed = state->failed || files.status != PF_OK;
    pf_table_free(&files);
}

/* --- the tree and its values ------------------------------------------------------------------ */

/* Writes the nodes in preorder. `up`: how many frames end before a node begins; 0: it is called by
 * the node before. */
static void write_nodes(struct pf_writer *writer)
{
    const struct html_writer *state = writer->state;
    const struct pf_flame *flame = &state->flame;

    pf_sink_text(writer->sink, ",\n\"up\":[0");
    for (uint32_t node = 1; node < flame->count; node++)
        write_item(writer->sink, false, (int64_t)flame->depth[node - 1] + 1 - flame->depth[node]);
    pf_sink_text(writer->sink, "],\n\"function\":[0");
    for (uint32_t node = 1; node < flame->count; node++)
        write_item(writer->sink, false, state->numbers[flame->key[node]]);
    pf_sink_text(writer->sink, "]");
}

/* Writes the values of the label, and slices: sets of values. A slice is [value, slice without this
 * value]; slice 0 has no value. */
static void write_slices(struct pf_writer *writer)
{
    struct html_writer *state = writer->state;
    const struct pf_slices *slices = &state->flame.slices;

    pf_sink_text(writer->sink, ",\n\"label\":");
    write_string(writer, pf_dict_string(writer->dict, state->flame.label),
                 writer->dict->strings.rows[state->flame.label].flags);
    pf_sink_text(writer->sink, ",\"values\":[");
    for (uint32_t value = 1; value < slices->keys.table.count; value++) {
        unsigned flags;
        struct pf_bytes name = pf_keys_name(&slices->keys, value, &state->scratch, &flags);
        pf_sink_text(writer->sink, value > 1 ? "," : "");
        write_string(writer, name, flags);
    }
    pf_sink_text(writer->sink, "],\"slices\":[[]");
    for (uint32_t slice = 1; slice < slices->sets.count; slice++) {
        const struct pf_slice *row = pf_slices_row(slices, slice);

        pf_sink_text(writer->sink, ",[");
        write_item(writer->sink, true, (int64_t)row->value - 1);
        write_item(writer->sink, false, row->parent);
        pf_sink_text(writer->sink, "]");
    }
    pf_sink_text(writer->sink, "]");
}

/* Adds up a run of records with the same node and slice. *next: the first record after the run. */
static int amount_of(struct pf_writer *writer, const struct pf_flame_subject *subject,
                     const struct pf_sums *sums, size_t first, size_t *next, int64_t *amount)
{
    const struct html_writer *state = writer->state;
    const struct pf_flame *flame = &state->flame;
    uint32_t node = flame->places[state->records[first]],
             slice = pf_flame_slice(flame, state->records[first]);
    int64_t sum = 0;
    size_t i = first;

    for (; i < state->record_count && flame->places[state->records[i]] == node &&
           pf_flame_slice(flame, state->records[i]) == slice;
         i++)
        if (!pf_add64(sum, pf_sums_at(sums, state->records[i]), &sum))
            return pf_error_set(&writer->error, PF_OVERFLOW,
                                "the sum of measure '%s' in one frame overflows 64 bits",
                                pf_clip(subject->name).text);
    *next = i;
    return pf_scale_amount(&subject->scale, sum, amount, &writer->error);
}

/* Writes a slice: its number, its nodes with an amount (each as distance from the node before), and
 * their amounts. */
static int write_slice(struct pf_writer *writer, const struct pf_flame_subject *subject,
                       const struct pf_sums *sums, size_t first, size_t end,
                       struct pf_buffer *values)
{
    const struct html_writer *state = writer->state;
    uint32_t last = 0;
    int status = PF_OK;
    size_t next = first;

    values->size = 0;
    pf_sink_number(writer->sink, pf_flame_slice(&state->flame, state->records[first]));
    pf_sink_text(writer->sink, ",[");
    for (size_t i = first; i < end && status == PF_OK; i = next) {
        uint32_t node = state->flame.places[state->records[i]];
        int64_t amount;
        status = amount_of(writer, subject, sums, i, &next, &amount);
        if (status != PF_OK || amount == 0)
            continue;
        write_item(writer->sink, values->size == 0, (int64_t)node - last);
        if (!pf_buffer_append(values, &amount, sizeof amount))
            status = pf_error_nomem(&writer->error);
        last = node;
    }
    pf_sink_text(writer->sink, "],[");
    for (size_t i = 0; i < values->size / sizeof(int64_t) && status == PF_OK; i++) {
        int64_t amount;
        memcpy(&amount, values->data + i * sizeof amount, sizeof amount);
        write_item(writer->sink, i == 0, amount);
    }
    pf_sink_text(writer->sink, "]");
    return status;
}

static int write_self(struct pf_writer *writer, const struct pf_flame_subject *subject,
                      const struct pf_sums *sums)
{
    struct html_writer *state = writer->state;
    struct pf_buffer values = {0};
    int status = PF_OK;

    for (size_t first = 0, end; first < state->record_count && status == PF_OK; first = end) {
        uint32_t slice = pf_flame_slice(&state->flame, state->records[first]);
        for (end = first; end < state->record_count &&
                          pf_flame_slice(&state->flame, state->records[end]) == slice;)
            end++;
        pf_sink_text(writer->sink, first > 0 ? ",\n" : "\n");
        status = write_slice(writer, subject, sums, first, end, &values);
    }
    state->failed = state->failed || values.failed;
    pf_buffer_free(&values);
    return status;
}

/* Writes the verdicts of the functions as a string of one character each, the different texts, and
 * for each function the number of its text. */
static void write_marks(struct pf_writer *writer, const struct pf_verdict_marks *marks)
{
    struct html_writer *state = writer->state;
    struct pf_strings texts = {0};
    char text[PF_VERDICT_TEXT];
    bool good = pf_strings_init(&texts) == PF_OK;

    pf_sink_text(writer->sink, ",\n\"verdicts\":\"");
    for (uint32_t i = 0; i < state->key_count; i++)
        pf_sink_write(writer->sink, (char[]){pf_verdict_mark(marks, state->keys[i])}, 1);
    pf_sink_text(writer->sink, "\",\"verdict\":[");
    for (uint32_t i = 0; i < state->key_count && good; i++) {
        pf_verdict_text(marks, state->keys[i], text);
        write_item(writer->sink, i == 0, pf_strings_intern(&texts, pf_bytes_of(text), 0));
    }
    pf_sink_text(writer->sink, "],\"words\":[");
    for (uint32_t i = 0; i < texts.count && good; i++) {
        pf_sink_text(writer->sink, i > 0 ? "," : "");
        write_string(writer, pf_strings_bytes(&texts, i), 0);
    }
    pf_sink_text(writer->sink, "]");
    state->failed = state->failed || !good || texts.status != PF_OK;
    pf_strings_free(&texts);
}

static void write_verdicts(struct pf_writer *writer, const struct pf_flame_subject *subject)
{
    struct html_writer *state = writer->state;
    struct pf_verdict_marks marks = {0};

    if (pf_verdict_marks_find(&marks, writer->verdicts, &state->flame, subject) != PF_OK)
        state->failed = true;
    else if (marks.table)
        write_marks(writer, &marks);
    pf_verdict_marks_free(&marks);
}

static int write_subject(struct pf_writer *writer, const struct pf_flame_subject *subject)
{
    int status;

    pf_sink_text(writer->sink, "{\"name\":");
    write_string(writer, subject->name, subject->name_flags);
    pf_sink_text(writer->sink, ",\"unit\":");
    write_string(writer, subject->scale.name, PF_UTF8);
    if (subject->parts > 1)
        pf_sink_printf(writer->sink, ",\"parts\":%" PRIu64, subject->parts);
    pf_sink_text(writer->sink, subject->sums[1] ? ",\"before\":[" : ",\"self\":[");
    status = write_self(writer, subject, subject->sums[0]);
    if (status == PF_OK && subject->sums[1]) {
        pf_sink_text(writer->sink, "],\"after\":[");
        status = write_self(writer, subject, subject->sums[1]);
    }
    pf_sink_text(writer->sink, "]");
    write_verdicts(writer, subject);
    pf_sink_text(writer->sink, "}");
    return status;
}

/* --- the page --------------------------------------------------------------------------------- */

static void write_flag(struct pf_writer *writer, const char *name, bool set)
{
    pf_sink_printf(writer->sink, ",\"%s\":%s", name, set ? "true" : "false");
}

static const char *title_of(const struct pf_writer *writer)
{
    const struct html_writer *state = writer->state;
    const char *title = pf_options_get(writer->options, "title");

    if (title)
        return title;
    return state->subject_count > 0 && state->subjects[state->main].sums[1]
               ? "Differential Flame Graph"
               : "Flame Graph";
}

static int write_profile(struct pf_writer *writer)
{
    struct html_writer *state = writer->state;
    const char *subtitle = pf_options_get(writer->options, "subtitle"),
               *delta = pf_options_get(writer->options, "delta");
    int status = PF_OK;

    pf_sink_text(writer->sink, "<script type=\"application/json\" id=\"profile\">\n{\"title\":");
    write_string(writer, pf_bytes_of(title_of(writer)), PF_UTF8);
    pf_sink_text(writer->sink, ",\"subtitle\":");
    write_string(writer, pf_bytes_of(subtitle ? subtitle : ""), PF_UTF8);
    write_flag(writer, "complete", !writer->failed_input);
    write_flag(writer, "inverted", pf_options_get(writer->options, "inverted"));
    write_flag(writer, "reverse", state->flame.reverse);
    write_flag(writer, "negate", pf_options_get(writer->options, "negate"));
    write_flag(writer, "own", delta && strcmp(delta, "self") == 0);
    write_slices(writer);
    write_names(writer);
    write_places(writer);
    write_nodes(writer);
    pf_sink_printf(writer->sink, ",\n\"main\":%zu,\"measures\":[", state->main);
    for (size_t i = 0; i < state->subject_count && status == PF_OK; i++) {
        pf_sink_text(writer->sink, i > 0 ? ",\n" : "\n");
        status = write_subject(writer, &state->subjects[i]);
    }
    if (status == PF_OK && (state->failed || state->scratch.failed || state->line.failed))
        status = pf_error_nomem(&writer->error);
    if (status == PF_OK)
        pf_sink_text(writer->sink, "]}\n</script>\n");
    return status;
}

static int write_page(struct pf_writer *writer)
{
    struct html_writer *state = writer->state;
    int status;

    pf_sink_text(writer->sink,
                 "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>");
    pf_xml_text(writer->sink, pf_text_line(pf_bytes_of(title_of(writer)), PF_UTF8, &state->line));
    pf_sink_printf(writer->sink,
                   "</title>\n<meta name=\"viewport\" content=\"width=device-width, "
                   "initial-scale=1\">\n<style>\n%s</style>\n</head>\n%s",
                   style, page);
    status = write_profile(writer);
    if (status == PF_OK)
        pf_sink_printf(writer->sink, "<script>\n%s</script>\n</body>\n</html>\n", script);
    return status;
}

static int finish(struct pf_writer *writer)
{
    struct html_writer *state = writer->state;
    const char *colors = pf_options_get(writer->options, "colors");
    int status = pf_flame_make(&state->flame, &writer->error);

    if (status == PF_OK)
        status = pf_flame_subjects(&state->flame, &state->subjects, &state->subject_count,
                                   &state->main, &writer->error);
    for (size_t i = 0; i < state->subject_count && status == PF_OK; i++) {
        struct pf_flame_amounts amounts = {0}; /* only to check for overflow */
        status = pf_flame_measure(&state->flame, &state->subjects[i], &amounts, &writer->error);
        pf_flame_amounts_free(&amounts);
    }
    if (status == PF_OK)
        status = pf_flame_order(&state->flame, NULL, 0, &writer->error);
    if (status != PF_OK)
        return status;
    state->records = pf_flame_records(&state->flame, &state->record_count);
    if (!state->records || pf_palette_init(&state->palette, colors, &state->flame.keys) != PF_OK ||
        number_functions(state) != PF_OK)
        return pf_error_nomem(&writer->error);
    status = write_page(writer);
    return status == PF_OK ? pf_sink_status(writer->sink, &writer->error) : status;
}

const struct pf_format pf_format_html = {
    .name = "html",
    .about = "a page of its own: flame graph, also of differences, with zoom, search, choice of "
             "measure and section, and a table",
    .suffixes = ".html .htm",
    .losses = "everything but functions, measures and one label",
    .caps = PF_HOLDS_SAMPLE | PF_HOLDS_DIFFERENCE | PF_IS_TEXT | PF_IS_VIEW | PF_SUMS_ALL |
            PF_SHOWS_VERDICTS,
    .options = options,
    .writer_size = sizeof(struct html_writer),
    .open_writer = open_writer,
    .write = write_batch,
    .finish = finish,
    .close_writer = close_writer,
};

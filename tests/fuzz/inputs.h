/* Inputs of the damage test: the files of a corpus, and others made from them in memory. FILE@raw
 * is a StatProfiler file without its snappy blocks, FILE@gz a gzipped file, and FILE@pfs, FILE@pfsz
 * and FILE@pfs2 are native streams of a file: plain, deflated, and twice in a row (two segments).
 * kinds@made is a native stream with everything that these files lack: records of all kinds, times,
 * addresses, numeric labels, source texts, wide columns. */
#ifndef PF_TESTS_INPUTS_H
#define PF_TESTS_INPUTS_H

#include "base/memory.h"
#include "codec/codec.h"
#include "codec/registry.h"

#include <dirent.h>
#include <snappy-c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct input {
    char name[1024];
    struct pf_buffer bytes;
};

struct input_list {
    struct input *rows;
    size_t count, capacity;
};

static bool file_read(const char *path, struct pf_buffer *bytes)
{
    FILE *file = fopen(path, "rb");
    char block[65536];
    size_t got;
    if (!file)
        return false;
    while ((got = fread(block, 1, sizeof block, file)) > 0)
        pf_buffer_append(bytes, block, got);
    fclose(file);
    return !bytes->failed;
}

/* Removes the blocks of a StatProfiler file: the records follow its magic and version directly, as
 * development builds wrote them. */
static bool make_raw(struct pf_buffer *bytes)
{
    struct pf_buffer raw = {0};
    const char *data = bytes->data;
    if (bytes->size < 16 || memcmp(data, "=statprofiler", 13) != 0 ||
        (unsigned char)data[14] >= 200)
        return false;
    pf_buffer_append(&raw, data, 14);
    for (size_t at = 14; bytes->size - at > 2;) {
        size_t size = pf_load16be(data + at), length = 0;
        if (size > bytes->size - at - 2 ||
            snappy_uncompressed_length(data + at + 2, size, &length) != SNAPPY_OK ||
            length > 32000 ||
            snappy_uncompress(data + at + 2, size, pf_buffer_extend(&raw, length), &length) !=
                SNAPPY_OK)
            break;
        at += 2 + size;
    }
    pf_buffer_free(bytes);
    *bytes = raw;
    return raw.size > 14;
}

static void sink_take(struct pf_sink *sink, struct pf_buffer *bytes)
{
    size_t size;
    const void *made = pf_sink_memory(sink, &size);
    pf_buffer_free(bytes);
    *bytes = (struct pf_buffer){0};
    pf_buffer_append(bytes, made, size);
    pf_sink_abort(sink);
}

static bool copy_records(struct pf_source *source, const struct pf_format *format,
                         struct pf_sink *sink, struct pf_dict *dict, int compression)
{
    static const struct pf_options none;
    struct pf_error error = {0};
    struct pf_reader *reader = NULL;
    struct pf_writer *writer = NULL;
    struct pf_batch batch;
    struct pf_reader from = {
        .format = format, .source = source, .dict = dict, .options = &none, .name = "input"};
    struct pf_writer to = {.format = pf_registry_find(PF_BYTES("pfs")),
                           .sink = sink,
                           .dict = dict,
                           .options = &none,
                           .compression = compression};
    int status = pf_reader_open(&reader, &from, &error);
    if (status == PF_OK)
        status = pf_writer_open(&writer, &to, &error);
    while (status == PF_OK && (status = pf_reader_next(reader, &batch)) == PF_OK)
        status = pf_writer_write(writer, &batch);
    if (status == PF_EOF)
        status = pf_writer_finish(writer, false);
    pf_writer_close(writer);
    pf_reader_close(reader);
    return status == PF_OK;
}

static bool make_pfs(struct pf_buffer *bytes, const struct pf_format *format, int compression)
{
    struct pf_error error = {0};
    struct pf_source *source = NULL;
    struct pf_sink *sink = NULL;
    struct pf_dict dict;
    bool made = pf_dict_init(&dict) == PF_OK &&
                pf_source_open_memory(&source, bytes->data, bytes->size, &error) == PF_OK &&
                pf_sink_open_memory(&sink, &error) == PF_OK &&
                copy_records(source, format, sink, &dict, compression);
    pf_source_close(source);
    if (made)
        sink_take(sink, bytes);
    else
        pf_sink_abort(sink);
    pf_dict_free(&dict);
    return made;
}

enum { MADE_ROWS = 40 };

static uint32_t made_string(struct pf_dict *dict, const char *text)
{
    return pf_dict_intern(dict, pf_bytes_of(text), PF_UTF8);
}

static uint32_t made_measure(struct pf_dict *dict, const char *name, enum pf_kind kind,
                             enum pf_aggregation aggregation)
{
    struct pf_measure measure = {.name = made_string(dict, name),
                                 .unit = made_string(dict, "events"),
                                 .kind = (uint8_t)kind,
                                 .aggregation = (uint8_t)aggregation,
                                 .num = 3,
                                 .den = 7,
                                 .period = 65536};
    return pf_measures_intern(&dict->measures, &measure);
}

static uint32_t made_location(struct pf_dict *dict, uint32_t k)
{
    struct pf_image image = {.name = made_string(dict, "/usr/lib/libm.so"),
                             .identifier = made_string(dict, "c0ffee"),
                             .start = UINT64_C(0x7f0000000000),
                             .limit = UINT64_C(0x7f0000100000),
                             .flags = PF_IMAGE_LINES};
    struct pf_function function = {.name = made_string(dict, "sin"),
                                   .system_name = made_string(dict, "__sin_fma"),
                                   .start_line = -1};
    struct pf_location location = {.function = k % 3 ? pf_dict_add_function(dict, &function) : 0,
                                   .image = pf_dict_add_image(dict, &image),
                                   .address = image.start + k * 16,
                                   .line = k,
                                   .column = k % 5,
                                   .kind = PF_FRAME_NATIVE,
                                   .inlined = k % 2};
    return pf_dict_add_location(dict, &location);
}

/* Writes blocks of all kinds, each with the columns of its kind. */
static int write_kinds(struct pf_writer *writer)
{
    static uint32_t stacks[MADE_ROWS], places[MADE_ROWS], labels[MADE_ROWS], names[MADE_ROWS];
    static int64_t wide[MADE_ROWS], wider[MADE_ROWS], small[MADE_ROWS];
    struct pf_dict *dict = writer->dict;
    for (uint32_t k = 0; k < MADE_ROWS; k++) {
        places[k] = made_location(dict, k);
        stacks[k] = pf_dict_add_frame(dict, k ? stacks[k / 2] : 0, places[k]);
        labels[k] = pf_dict_add_number(dict, 0, made_string(dict, "size"), k % 4,
                                       made_string(dict, "bytes"));
        names[k] = made_string(dict, k % 2 ? "host" : "\xd0\xb0");
        wide[k] = (int64_t)k * 1000003;
        wider[k] = (int64_t)k * INT64_C(4000000000000) - 7;
        small[k] = k % 7;
    }
    struct pf_text text = {
        .name = PF_BYTES("a.pl"), .text = PF_BYTES("print 1;\n"), .text_flags = PF_UTF8, .line = 3};
    struct pf_batch batches[] = {
        {.kind = PF_META, .rows = 2, .origin = names, .key = names, .value = names},
        {.kind = PF_SAMPLE,
         .rows = MADE_ROWS,
         .stack = stacks,
         .labels = labels,
         .time = wider,
         .value_count = 2,
         .values =
             (struct pf_value_column[]){{made_measure(dict, "ticks", PF_SAMPLE, PF_SUM), wide},
                                        {made_measure(dict, "bytes", PF_SAMPLE, PF_SUM), wider}}},
        {.kind = PF_FLAT,
         .rows = MADE_ROWS,
         .location = places,
         .labels = labels,
         .time = wide,
         .value_count = 1,
         .values =
             (struct pf_value_column[]){{made_measure(dict, "cycles", PF_FLAT, PF_SUM), wider}}},
        {.kind = PF_META, .rows = 1, .origin = names, .key = names, .value = names},
        {.kind = PF_EDGE,
         .rows = MADE_ROWS - 1,
         .location = places,
         .callee = places + 1,
         .value_count = 2,
         .values =
             (struct pf_value_column[]){{made_measure(dict, "calls", PF_EDGE, PF_SUM), small},
                                        {made_measure(dict, "depth", PF_EDGE, PF_MAX), wide}}},
        {.kind = PF_TEXT, .rows = 1, .texts = &text},
    };
    int status = PF_OK;
    for (size_t k = 0; status == PF_OK && k < sizeof batches / sizeof *batches; k++)
        status = pf_writer_write(writer, &batches[k]);
    return status == PF_OK ? pf_writer_finish(writer, false) : status;
}

/* Makes a native stream: `write` writes the batches and finishes the writer. */
static bool make_stream(struct pf_buffer *bytes, int (*write)(struct pf_writer *))
{
    static const struct pf_options none;
    struct pf_error error = {0};
    struct pf_writer *writer = NULL;
    struct pf_sink *sink = NULL;
    struct pf_dict dict;
    struct pf_writer to = {.format = pf_registry_find(PF_BYTES("pfs")),
                           .dict = &dict,
                           .options = &none,
                           .compression = 0};
    bool made = pf_dict_init(&dict) == PF_OK && pf_sink_open_memory(&sink, &error) == PF_OK;
    to.sink = sink;
    made = made && pf_writer_open(&writer, &to, &error) == PF_OK && write(writer) == PF_OK;
    pf_writer_close(writer);
    if (made)
        sink_take(sink, bytes);
    else
        pf_sink_abort(sink);
    pf_dict_free(&dict);
    return made;
}

static bool make_kinds(struct pf_buffer *bytes)
{
    return make_stream(bytes, write_kinds);
}

static bool make_gzip(struct pf_buffer *bytes)
{
    struct pf_error error = {0};
    struct pf_sink *sink;
    if (pf_sink_open_memory(&sink, &error) != PF_OK)
        return false;
    if (pf_sink_gzip(sink, 6) != PF_OK || pf_sink_write(sink, bytes->data, bytes->size) != PF_OK ||
        pf_sink_finish(sink) != PF_OK) {
        pf_sink_abort(sink);
        return false;
    }
    sink_take(sink, bytes);
    return true;
}

/* The format of a file: the name of its folder in the corpus. */
static const struct pf_format *format_of(const char *path)
{
    for (size_t k = 0; pf_registry_format(k); k++) {
        char folder[64];
        snprintf(folder, sizeof folder, "/%s/", pf_registry_format(k)->name);
        if (strstr(path, folder))
            return pf_registry_format(k);
    }
    return NULL;
}

/* Reads the file of a name and makes the form that follows the '@'. */
static bool input_load(struct input *input, const char *name)
{
    char path[sizeof input->name];
    memset(input, 0, sizeof *input);
    snprintf(input->name, sizeof input->name, "%s", name);
    snprintf(path, sizeof path, "%s", name);
    char *kind = strrchr(path, '@');
    if (!kind || strchr(kind, '/'))
        return file_read(path, &input->bytes);
    *kind++ = '\0';
    if (!strcmp(kind, "made"))
        return make_kinds(&input->bytes);
    const struct pf_format *format = format_of(path);
    if (!format || !file_read(path, &input->bytes))
        return false;
    if (!strcmp(kind, "raw"))
        return make_raw(&input->bytes);
    if (!strcmp(kind, "gz"))
        return make_gzip(&input->bytes);
    if (!make_pfs(&input->bytes, format, !strcmp(kind, "pfsz") ? 6 : 0))
        return false;
    if (!strcmp(kind, "pfs2")) {
        struct pf_buffer twice = {0};
        pf_buffer_append(&twice, input->bytes.data, input->bytes.size);
        pf_buffer_append(&twice, input->bytes.data, input->bytes.size);
        pf_buffer_free(&input->bytes);
        input->bytes = twice;
    }
    return true;
}

static inline void list_add(struct input_list *list, const char *path, const char *kind)
{
    char name[sizeof list->rows->name];
    snprintf(name, sizeof name, "%s%s", path, kind);
    if (pf_grow(&list->rows, &list->capacity, list->count + 1, sizeof *list->rows) &&
        input_load(&list->rows[list->count], name))
        list->count++;
    else
        pf_buffer_free(&list->rows[list->count].bytes);
}

static inline void list_free(struct input_list *list)
{
    for (size_t k = 0; k < list->count; k++)
        pf_buffer_free(&list->rows[k].bytes);
    free(list->rows);
}

static bool is_expectation(const char *name)
{
    static const char *const other[] = {".expected.",  ".realreader.", ".pynreader.",
                                        "README",      "index.json",   "expect.json",
                                        ".stderr.txt", ".mergelog.txt"};
    const char *dot = strrchr(name, '.');
    for (size_t k = 0; k < sizeof other / sizeof *other; k++)
        if (strstr(name, other[k]))
            return true;
    return name[0] == '.' || (dot && (!strcmp(dot, ".py") || !strcmp(dot, ".bin")));
}

/* True if the file is X.json next to an X.prof, which it describes. */
static bool stands_beside(const char *path)
{
    char beside[1024];
    size_t size = strlen(path), end = strlen(".json");
    struct stat info;
    return size > end && !strcmp(path + size - end, ".json") &&
           (size_t)snprintf(beside, sizeof beside, "%.*s.prof", (int)(size - end), path) <
               sizeof beside &&
           stat(beside, &info) == 0;
}

/* Adds all files below a directory, in the order of their names. */
static void list_files(struct input_list *list, const char *directory,
                       void (*add)(struct input_list *, const char *))
{
    struct dirent **entries;
    int count = scandir(directory, &entries, NULL, alphasort);
    for (int k = 0; k < count; k++) {
        char path[1024];
        struct stat info;
        snprintf(path, sizeof path, "%s/%s", directory, entries[k]->d_name);
        bool skip = is_expectation(entries[k]->d_name) || stands_beside(path) ||
                    stat(path, &info) != 0;
        if (!skip && S_ISDIR(info.st_mode))
            list_files(list, path, add);
        else if (!skip)
            add(list, path);
        free(entries[k]);
    }
    if (count >= 0)
        free(entries);
}

#endif

/* Inputs of the damage test: the files of a corpus, and others made of them in memory. A name FILE@raw is a StatProfiler
 * file without its snappy blocks, FILE@gz a file gzipped, FILE@pfs FILE@pfsz FILE@pfs2 native streams of it: plain,
 * deflated, and twice in a row (two segments). */
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
    size_t boundary; /* end of the first of two segments; 0 = there is one */
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

/* The records of a StatProfiler file behind its magic and version, as development builds wrote them. */
static bool make_raw(struct pf_buffer *bytes)
{
    struct pf_buffer raw = {0};
    const char *data = bytes->data;
    if (bytes->size < 16 || (unsigned char)data[14] >= 200)
        return false;
    pf_buffer_append(&raw, data, 14);
    for (size_t at = 14; bytes->size - at > 2;) {
        size_t size = pf_load16be(data + at), length = 0;
        if (size > bytes->size - at - 2 || snappy_uncompressed_length(data + at + 2, size, &length) != SNAPPY_OK ||
            length > 32000 || snappy_uncompress(data + at + 2, size, pf_buffer_extend(&raw, length), &length) != SNAPPY_OK)
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

static bool copy_records(struct pf_source *source, const struct pf_format *format, struct pf_sink *sink, struct pf_dict *dict,
                         int compression)
{
    static const struct pf_options none;
    struct pf_error error = {0};
    struct pf_reader *reader = NULL;
    struct pf_writer *writer = NULL;
    struct pf_batch batch;
    struct pf_reader from = {.format = format, .source = source, .dict = dict, .options = &none, .name = "input"};
    struct pf_writer to = {.format = pf_registry_find(PF_BYTES("pfs")), .sink = sink, .dict = dict, .options = &none,
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
    bool made = pf_dict_init(&dict) == PF_OK && pf_source_open_memory(&source, bytes->data, bytes->size, &error) == PF_OK &&
                pf_sink_open_memory(&sink, &error) == PF_OK && copy_records(source, format, sink, &dict, compression);
    pf_source_close(source);
    if (made)
        sink_take(sink, bytes);
    else
        pf_sink_abort(sink);
    pf_dict_free(&dict);
    return made;
}

static bool make_gzip(struct pf_buffer *bytes)
{
    struct pf_error error = {0};
    struct pf_sink *sink;
    if (pf_sink_open_memory(&sink, &error) != PF_OK)
        return false;
    if (pf_sink_gzip(sink, 6) != PF_OK || pf_sink_write(sink, bytes->data, bytes->size) != PF_OK || pf_sink_finish(sink) != PF_OK) {
        pf_sink_abort(sink);
        return false;
    }
    sink_take(sink, bytes);
    return true;
}

/* The format of a file is the folder of the corpus it stands in. */
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

/* Reads the file of a name and makes of it what stands behind the '@'. */
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
        input->boundary = input->bytes.size;
        struct pf_buffer twice = {0};
        pf_buffer_append(&twice, input->bytes.data, input->bytes.size);
        pf_buffer_append(&twice, input->bytes.data, input->bytes.size);
        pf_buffer_free(&input->bytes);
        input->bytes = twice;
    }
    return true;
}

static void list_add(struct input_list *list, const char *path, const char *kind)
{
    char name[sizeof list->rows->name];
    snprintf(name, sizeof name, "%s%s", path, kind);
    if (pf_grow(&list->rows, &list->capacity, list->count + 1, sizeof *list->rows) &&
        input_load(&list->rows[list->count], name))
        list->count++;
    else
        pf_buffer_free(&list->rows[list->count].bytes);
}

static void list_free(struct input_list *list)
{
    for (size_t k = 0; k < list->count; k++)
        pf_buffer_free(&list->rows[k].bytes);
    free(list->rows);
}

static bool is_expectation(const char *name)
{
    return strstr(name, ".expected.") || strstr(name, ".realreader.") || strstr(name, "README") || name[0] == '.';
}

/* All files below a directory, in the order of their names. */
static void list_files(struct input_list *list, const char *directory, void (*add)(struct input_list *, const char *))
{
    struct dirent **entries;
    int count = scandir(directory, &entries, NULL, alphasort);
    for (int k = 0; k < count; k++) {
        char path[1024];
        struct stat info;
        snprintf(path, sizeof path, "%s/%s", directory, entries[k]->d_name);
        bool skip = is_expectation(entries[k]->d_name) || stat(path, &info) != 0;
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

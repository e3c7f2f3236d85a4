#include "analysis/names/sources.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LINES_MAX = 1000 * 1000 };
#define FILE_MAX ((size_t)64 * 1024 * 1024)

void pf_lines_free(struct pf_lines *lines)
{
    free(lines->lines);
    free(lines->file);
    *lines = (struct pf_lines){0};
}

static bool set_line(struct pf_lines *lines, uint64_t number, struct pf_bytes text)
{
    if (number > LINES_MAX)
        return true;
    if (number > lines->count) {
        if (!pf_grow(&lines->lines, &lines->capacity, (size_t)number, sizeof *lines->lines))
            return false;
        memset(lines->lines + lines->count, 0,
               ((size_t)number - lines->count) * sizeof *lines->lines);
        lines->count = (size_t)number;
    }
    while (text.size > 0 && (text.data[text.size - 1] == '\n' || text.data[text.size - 1] == '\r'))
        text.size--;
    lines->lines[number - 1] = text;
    return true;
}

static bool split(struct pf_lines *lines, struct pf_bytes text)
{
    uint64_t number = 0;

    while (text.size > 0) {
        const char *end = memchr(text.data, '\n', text.size);
        size_t size = end ? (size_t)(end - text.data) : text.size, taken = end ? size + 1 : size;
        if (!set_line(lines, ++number, (struct pf_bytes){text.data, size}))
            return false;
        text.data += taken;
        text.size -= taken;
    }
    return true;
}

/* Reads a regular file. *data is NULL if there is no such file, or the user may not read it; the
 * caller frees it. */
static int read_file(const char *path, char **data, size_t *size, struct pf_error *error)
{
    int status = PF_OK;
    struct stat info;
    FILE *file;

    *data = NULL;
    *size = 0;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode) || (uint64_t)info.st_size > FILE_MAX)
        return PF_OK;
    file = fopen(path, "rb");
    if (!file && errno == ENOMEM)
        return pf_error_nomem(error);
    if (!file)
        return errno == EACCES || errno == EPERM || errno == ENOENT
                   ? PF_OK
                   : pf_error_system(error, "cannot open '%s'", path);
    *data = malloc((size_t)info.st_size + 1);
    if (!*data)
        status = pf_error_nomem(error);
    else
        *size = fread(*data, 1, (size_t)info.st_size, file);
    if (status == PF_OK && ferror(file))
        status = pf_error_system(error, "cannot read '%s'", path);
    fclose(file);
    return status;
}

int pf_sources_lines(const struct pf_notes *sources, struct pf_bytes name, struct pf_lines *lines,
                     struct pf_error *error)
{
    int status = PF_OK;
    char *path;
    size_t size;
    bool good = true;

    *lines = (struct pf_lines){0};
    for (size_t i = 0; i < sources->text_count && good; i++) {
        const struct pf_text *text = &sources->texts[i];
        if (pf_bytes_equal(text->name, name))
            good = text->line == 0 ? split(lines, text->text)
                                   : set_line(lines, text->line, text->text);
    }
    if (good && lines->count == 0 && !memchr(name.data, '\0', name.size)) {
        path = malloc(name.size + 1);
        if (!path)
            return pf_error_nomem(error);
        memcpy(path, name.data, name.size);
        path[name.size] = '\0';
        status = read_file(path, &lines->file, &size, error);
        free(path);
        if (status == PF_OK && lines->file)
            good = split(lines, (struct pf_bytes){lines->file, size});
    }
    if (!good)
        status = pf_error_nomem(error);
    return status != PF_OK ? status : lines->count > 0 ? PF_OK : PF_EOF;
}

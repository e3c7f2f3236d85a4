#include "analysis/names/sources.h"

#include "io/content.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINES_MAX = 1000 * 1000 };
#define FILE_MAX ((size_t)64 * 1024 * 1024)

void pf_lines_free(struct pf_lines *lines)
{
    free(lines->lines);
    pf_buffer_free(&lines->file);
    *lines = (struct pf_lines){0};
}

static bool set_line(struct pf_lines *lines, uint64_t number, struct pf_bytes text)
{
    if (number > LINES_MAX)
        return true;
    if (!pf_grow_clear(&lines->lines, &lines->capacity, (size_t)number, sizeof *lines->lines))
        return false;
    if (number > lines->count)
        lines->count = (size_t)number;
    while (text.size > 0 && (text.data[text.size - 1] == '\n' || text.data[text.size - 1] == '\r'))
        text.size--;
    lines->lines[number - 1] = text;
    return true;
}

static bool split_lines(struct pf_lines *lines, struct pf_bytes text)
{
    for (uint64_t number = 1; text.size > 0; number++)
        if (!set_line(lines, number, pf_bytes_line(&text)))
            return false;
    return true;
}

/* Reads a regular file. The text stays empty if the file is missing or the user may not read the
 * file. A file of size 0 is not read: in /proc such files may give bytes without end. */
static int read_file(const char *path, struct pf_buffer *text, struct pf_error *error)
{
    struct stat info;

    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size == 0 ||
        (uint64_t)info.st_size > FILE_MAX || access(path, R_OK) != 0)
        return PF_OK;
    return pf_content_text(path, text, error);
}

int pf_sources_lines(const struct pf_notes *sources, struct pf_bytes name, struct pf_lines *lines,
                     struct pf_error *error)
{
    int status = PF_OK;
    bool good = true;

    *lines = (struct pf_lines){0};
    for (size_t i = 0; i < sources->text_count && good; i++) {
        const struct pf_text *text = &sources->texts[i];

        if (pf_bytes_equal(text->name, name))
            good = text->line == 0 ? split_lines(lines, text->text)
                                   : set_line(lines, text->line, text->text);
    }
    if (good && lines->count == 0 && !memchr(name.data, '\0', name.size)) {
        status = read_file(name.data, &lines->file, error);
        if (status == PF_OK)
            good = split_lines(lines, (struct pf_bytes){lines->file.data, lines->file.size});
    }
    if (!good)
        status = pf_error_nomem(error);
    if (status != PF_OK)
        pf_lines_free(lines);
    return status != PF_OK ? status : lines->count > 0 ? PF_OK : PF_EOF;
}

#include "cli/operands.h"

#include "base/memory.h"
#include "codec/registry.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DIRECTORY_DEPTH = 64 };

void pf_operands_add(struct pf_operands *operands, struct pf_common *common, struct pf_bytes name)
{
    char *copy = strndup(name.data, name.size);
    if (!copy ||
        !pf_grow(&operands->names, &operands->capacity, operands->count + 2,
                 sizeof *operands->names) ||
        !pf_grow(&operands->groups, &operands->group_capacity, operands->count + 1,
                 sizeof *operands->groups))
        pf_tool_nomem(&common->tool);
    operands->groups[operands->count] = operands->group;
    operands->names[operands->count++] = copy;
    operands->names[operands->count] = NULL;
}

/* Reports an operand that cannot be used, as an error of an input. */
static void fail(struct pf_common *common, const char *name, const struct pf_error *error)
{
    if (!common->tool.keep_going)
        pf_tool_die(&common->tool, name, error, false);
    pf_tool_fail(&common->tool, name, error, false);
}

void pf_operands_add_list(struct pf_operands *operands, struct pf_common *common, const char *path)
{
    struct pf_error error = {0};
    struct pf_source *source;
    struct pf_bytes line;
    int status = pf_common_open_source(common, &source, path, &error);
    while (status == PF_OK && (status = pf_source_line(source, &line, &error)) == PF_OK)
        if (line.size)
            pf_operands_add(operands, common, line);
    pf_source_close(source);
    if (status < 0)
        fail(common, path, &error);
}

/* Peeks at the next name. Returns the size of the name and of the NUL, if one follows; 0: no name
 * is left. */
static size_t next_name(struct pf_source *source, struct pf_bytes *name)
{
    size_t searched = 0, have;
    const char *end = NULL;
    for (;;) {
        const char *ahead = (const char *)pf_source_peek(source, searched + 1, &have);
        if (have > searched)
            end = memchr(ahead + searched, '\0', have - searched);
        *name = (struct pf_bytes){ahead, end ? (size_t)(end - ahead) : have};
        if (end || have == searched)
            return end ? name->size + 1 : name->size;
        searched = have;
    }
}

void pf_operands_add_files0(struct pf_operands *operands, struct pf_common *common,
                            const char *path)
{
    struct pf_error error = {0};
    struct pf_source *source;
    struct pf_bytes name;
    if (pf_common_open_source(common, &source, path, &error) < 0)
        pf_tool_die(&common->tool, path, &error, false);
    for (size_t size; (size = next_name(source, &name)) > 0; pf_source_take(source, size))
        if (name.size)
            pf_operands_add(operands, common, name);
    if (pf_source_status(source, &error) < 0)
        pf_tool_die(&common->tool, path, &error, false);
    pf_source_close(source);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* A directory on the way to the current directory, and the directories above it. */
struct way {
    dev_t device;
    ino_t number;
    const struct way *above;
};

static bool on_way(const struct way *way, const struct stat *info)
{
    for (; way; way = way->above)
        if (way->device == info->st_dev && way->number == info->st_ino)
            return true;
    return false;
}

static struct way way_to(const char *path, const struct way *above)
{
    struct stat info;
    return stat(path, &info) == 0 ? (struct way){info.st_dev, info.st_ino, above}
                                  : (struct way){0, 0, above};
}

/* Adds the files of a directory and below it. A link back to a directory on the way would be
 * followed without end, and is skipped. */
static void add_entries(struct pf_operands *operands, struct pf_common *common, const char *path,
                        const struct way *way)
{
    struct pf_error error = {0};
    struct dirent **entries;
    int count = scandir(path, &entries, visible, by_name);
    if (count < 0) {
        pf_error_system(&error, "cannot read the directory '%s'", path);
        fail(common, path, &error);
        return;
    }
    for (int i = 0; i < count; i++) {
        struct pf_buffer name = {0};
        struct stat info;
        size_t size = strlen(path);
        pf_buffer_append(&name, path, size);
        if (size && path[size - 1] != '/')
            pf_buffer_byte(&name, '/');
        pf_buffer_append(&name, entries[i]->d_name, strlen(entries[i]->d_name) + 1);
        if (name.failed)
            pf_tool_nomem(&common->tool);
        bool there = stat(name.data, &info) == 0;
        if (there && S_ISDIR(info.st_mode) && on_way(way, &info))
            pf_tool_warn(&common->tool,
                         "'%s': a link back to a directory that contains it; skipped", name.data);
        else if (!there || S_ISREG(info.st_mode) || S_ISDIR(info.st_mode))
            pf_operands_add(operands, common, (struct pf_bytes){name.data, name.size - 1});
        pf_buffer_free(&name);
        free(entries[i]);
    }
    free(entries);
}

void pf_operands_add_entries(struct pf_operands *operands, struct pf_common *common,
                             const char *path)
{
    struct way way = way_to(path, NULL);
    add_entries(operands, common, path, &way);
}

bool pf_operands_directory(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static void add_directory(struct pf_operands *operands, struct pf_common *common, const char *path,
                          unsigned depth, const struct way *above)
{
    struct pf_operands entries = {0};
    struct way way = way_to(path, above);
    if (depth < DIRECTORY_DEPTH) {
        add_entries(&entries, common, path, &way);
    } else {
        struct pf_error error = {0};
        pf_error_set(&error, PF_FAILED, "directories nested more than %d deep", DIRECTORY_DEPTH);
        fail(common, path, &error);
    }
    for (size_t i = 0; i < entries.count; i++)
        if (pf_operands_directory(entries.names[i]))
            add_directory(operands, common, entries.names[i], depth + 1, &way);
        else
            pf_operands_add(operands, common, pf_bytes_of(entries.names[i]));
    pf_operands_free(&entries);
}

void pf_operands_add_directory(struct pf_operands *operands, struct pf_common *common,
                               const char *path, const char *inside)
{
    struct way way = {0};
    if (inside)
        way = way_to(inside, NULL);
    add_directory(operands, common, path, 0, inside ? &way : NULL);
}

void pf_operands_add_operand(struct pf_operands *operands, struct pf_common *common,
                             const char *name)
{
    if (name[0] == '@' && name[1])
        pf_operands_add_list(operands, common, name + 1);
    else if (common->recursive && pf_operands_directory(name))
        pf_operands_add_directory(operands, common, name, NULL);
    else
        pf_operands_add(operands, common, pf_bytes_of(name));
}

/* --- series ----------------------------------------------------------------------------------- */

/* Sets the series of a file; *series stays zero if the file has no series. */
static void find_series(const struct pf_common *common, const char *name, struct pf_series *series)
{
    struct pf_error error = {0};
    struct pf_source *source;
    struct stat info;

    if (stat(name, &info) != 0 || !S_ISREG(info.st_mode) ||
        pf_common_open_source(common, &source, name, &error) < 0)
        return;
    pf_source_no_thread(source);
    const struct pf_format *format = common->from ? common->from
                                                  : pf_registry_guess_series(source, name);
    if (!format || !format->series || format->series(source, series) != PF_OK)
        memset(series, 0, sizeof *series);
    pf_source_close(source);
}

static int by_key(const void *a, const void *b)
{
    const struct pf_series_file *x = a, *y = b;
    int order = strcmp(x->series.key, y->series.key);

    return order ? order : x->position < y->position ? -1 : 1;
}

struct pf_series_file *pf_operands_series(struct pf_common *common, char *const *names,
                                          size_t count)
{
    struct pf_series_file *files = pf_tool_calloc(&common->tool, count + 1, sizeof *files);

    for (size_t i = 0; i < count; i++) {
        files[i].position = i;
        find_series(common, names[i], &files[i].series);
    }
    qsort(files, count, sizeof *files, by_key);
    for (size_t i = 0; i < count; i++) {
        bool more = files[i].series.key[0] != '\0' && i > 0 &&
                    strcmp(files[i].series.key, files[i - 1].series.key) == 0;

        files[i].first = more ? files[i - 1].first : files[i].position;
    }
    return files;
}

static int by_place(const void *a, const void *b)
{
    const struct pf_series_file *x = a, *y = b;

    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    if (x->series.ordinal != y->series.ordinal)
        return x->series.ordinal < y->series.ordinal ? -1 : 1;
    return x->position < y->position ? -1 : 1;
}

/* Moves the files of a series to the place of the first of them, in the order of their ordinals. */
void pf_operands_order(struct pf_operands *operands, struct pf_common *common)
{
    struct pf_operands was = *operands;
    struct pf_series_file *files = pf_operands_series(common, was.names, was.count);

    qsort(files, was.count, sizeof *files, by_place);
    operands->names = pf_tool_calloc(&common->tool, was.count + 1, sizeof *operands->names);
    operands->groups = pf_tool_calloc(&common->tool, was.count + 1, sizeof *operands->groups);
    operands->first = pf_tool_calloc(&common->tool, was.count + 1, sizeof *operands->first);
    operands->capacity = operands->group_capacity = was.count + 1;
    for (size_t i = 0; i < was.count; i++) {
        bool continues = i > 0 && files[i].first == files[i - 1].first &&
                         files[i].series.ordinal != files[i - 1].series.ordinal;

        operands->names[i] = was.names[files[i].position];
        operands->groups[i] = was.groups[files[i].position];
        operands->first[i] = continues ? operands->first[i - 1] : i;
    }
    free(was.names);
    free(was.groups);
    free(was.first);
    free(files);
}

void pf_operands_finish(struct pf_operands *operands, struct pf_common *common)
{
    for (size_t i = 0; i < operands->count; i++)
        if (strcmp(operands->names[i], "-") == 0 && isatty(STDIN_FILENO))
            pf_tool_usage(&common->tool,
                          "no input: standard input is a terminal; give a FILE or a pipe");
    if (operands->count == 0) {
        struct pf_error error = {0};
        pf_error_set(&error, PF_FAILED, "the given lists and directories contain no file");
        pf_tool_die(&common->tool, NULL, &error, false);
    }
    if (operands->count > 1)
        pf_operands_order(operands, common);
}

void pf_operands_expand(struct pf_operands *operands, struct pf_common *common)
{
    memset(operands, 0, sizeof *operands);
    if (common->files0_from)
        pf_operands_add_files0(operands, common, common->files0_from);
    for (unsigned i = 0; i < common->operand_count; i++)
        pf_operands_add_operand(operands, common, common->operands[i]);
    bool from_stdin = !common->files0_from && !common->operand_count;
    if (from_stdin)
        pf_operands_add(operands, common, PF_BYTES("-"));
    pf_operands_finish(operands, common);
}

void pf_operands_free(struct pf_operands *operands)
{
    for (size_t i = 0; i < operands->count; i++)
        free(operands->names[i]);
    free(operands->names);
    free(operands->groups);
    free(operands->first);
}

#include "cli/hint.h"

#include "cli/command.h"
#include "cli/operands.h"
#include "codec/registry.h"
#include "io/source.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* --- inputs ----------------------------------------------------------------------------------- */

static void append_program(struct pf_buffer *text, const struct pf_common *common,
                           const char *options)
{
    pf_command_text(text, common->tool.name);
    pf_command_text(text, " ");
    pf_command_text(text, options);
}

static bool is_perf_data(const char *name)
{
    struct pf_error ignored = {0};
    struct pf_source *source;
    const unsigned char *p;
    size_t have;
    bool found;

    if (pf_source_open(&source, name, &ignored) < 0)
        return false;
    pf_source_no_thread(source);
    p = pf_source_peek(source, 8, &have);
    found = have >= 8 && (memcmp(p, "PERFILE2", 8) == 0 || memcmp(p, "2ELIFREP", 8) == 0);
    pf_source_close(source);
    return found;
}

/* True if an operand that should be an input looks like the name of an output. */
static bool is_output(const struct pf_common *common, const char *name)
{
    struct stat info;

    return !common->output && common->operand_count > 1 &&
           (strcmp(name, common->operands[0]) == 0 ||
            strcmp(name, common->operands[common->operand_count - 1]) == 0) &&
           pf_registry_suffix(name) && stat(name, &info) != 0 && errno == ENOENT;
}

static void append_operands(struct pf_buffer *text, const struct pf_common *common, const char *but)
{
    for (unsigned i = 0; i < common->operand_count; i++)
        if (!but || strcmp(common->operands[i], but) != 0) {
            pf_command_text(text, " ");
            pf_command_word(text, common->operands[i]);
        }
}

static bool is_operand(const struct pf_common *common, const char *name)
{
    bool found = common->operand_count == 0; /* standard input */

    for (unsigned i = 0; i < common->operand_count && !found; i++)
        found = strcmp(common->operands[i], name) == 0;
    return found;
}

void pf_hint_input(const struct pf_common *common, const char *name, struct pf_error *error)
{
    struct pf_buffer text = {0};
    size_t size = strlen(error->text);

    if (pf_operands_directory(name)) {
        append_program(&text, common, "-r ");
        pf_command_word(&text, name);
    } else if (is_output(common, name)) {
        append_program(&text, common, "-o ");
        pf_command_word(&text, name);
        append_operands(&text, common, name);
    } else if (error->code == PF_UNSUPPORTED && strcmp(name, "-") != 0 && is_perf_data(name)) {
        pf_command_text(&text, "perf script -i ");
        pf_command_word(&text, name);
        pf_command_text(&text, " | ");
        pf_command_text(&text, common->tool.name);
    } else if (error->code != PF_NOMEM && !is_operand(common, name) && !common->tool.keep_going) {
        append_program(&text, common, common->recursive ? "-r --keep-going" : "--keep-going");
        append_operands(&text, common, NULL);
    }
    if (text.size > 0 && pf_buffer_byte(&text, '\0') && size + text.size + 16 < sizeof error->text)
        snprintf(error->text + size, sizeof error->text - size, "; type: %s", text.data);
    pf_buffer_free(&text);
}

/* --- two sides -------------------------------------------------------------------------------- */

/* How many bytes two names share at their beginning. */
static size_t common_start(const char *a, const char *b)
{
    size_t size = 0;

    while (a[size] != '\0' && a[size] == b[size])
        size++;
    return size;
}

static size_t common_end(const char *a, const char *b, size_t start)
{
    size_t a_size = strlen(a), b_size = strlen(b), size = 0;

    while (start + size < a_size && start + size < b_size &&
           a[a_size - 1 - size] == b[b_size - 1 - size])
        size++;
    return size;
}

/* The size of the directory before a name, with its slash. */
static size_t directory_of(const char *name)
{
    const char *slash = strrchr(name, '/');

    return slash ? (size_t)(slash - name) + 1 : 0;
}

static bool same_directory(const char *a, const char *b)
{
    size_t size = directory_of(a);

    return size == directory_of(b) && memcmp(a, b, size) == 0;
}

/* True if the pattern needs no quotes and matches `count` files. */
static bool matches(const char *pattern, size_t count)
{
    glob_t found = {0};
    bool good = !strpbrk(pattern, " \t\n'\"\\$`?[&;|<>()~#!{}") &&
                glob(pattern, 0, NULL, &found) == 0 && found.gl_pathc == count;

    globfree(&found);
    return good;
}

/* Appends DIRECTORY/ if the names are all files of one directory, as the shell makes them of
 * DIRECTORY/ and a star. */
static bool append_directory(struct pf_buffer *text, char *const *names, size_t count)
{
    struct pf_buffer pattern = {0};
    size_t size = directory_of(names[0]);
    bool good = true;

    for (size_t i = 1; i < count && good; i++)
        good = same_directory(names[0], names[i]) && strcmp(names[i - 1], names[i]) != 0;
    pf_buffer_append(&pattern, names[0], size);
    pf_buffer_append(&pattern, "*", 2);
    good = good && !pattern.failed && matches(pattern.data, count);
    if (good && size > 0)
        pf_buffer_append(text, names[0], size);
    else if (good)
        pf_command_text(text, "./");
    pf_buffer_free(&pattern);
    return good;
}

/* Appends a command that lists START*END, if this pattern matches exactly these files. False: there
 * is no such pattern. */
static bool append_glob(struct pf_buffer *text, char *const *names, size_t count)
{
    size_t start = strlen(names[0]), end = start;
    struct pf_buffer pattern = {0};
    bool good;

    for (size_t i = 1; i < count; i++) {
        size_t same = common_start(names[0], names[i]);

        start = same < start ? same : start;
    }
    for (size_t i = 1; i < count; i++) {
        size_t same = common_end(names[0], names[i], start);

        end = same < end ? same : end;
    }
    pf_buffer_append(&pattern, names[0], start);
    pf_buffer_byte(&pattern, '*');
    pf_command_text(&pattern, names[0] + strlen(names[0]) - end);
    good = pf_buffer_byte(&pattern, '\0') && matches(pattern.data, count);
    if (good) {
        pf_command_text(text, "ls ");
        pf_command_text(text, pattern.data);
    }
    pf_buffer_free(&pattern);
    return good;
}

static void append_side(struct pf_buffer *text, char *const *names, size_t count)
{
    pf_command_text(text, " ");
    if (count == 1) {
        pf_command_word(text, names[0]);
        return;
    }
    if (append_directory(text, names, count))
        return;
    pf_command_text(text, "@<(");
    if (!append_glob(text, names, count)) {
        pf_command_text(text, "printf '%s\\n'");
        for (size_t i = 0; i < count; i++) {
            pf_command_text(text, " ");
            pf_command_word(text, names[i]);
        }
    }
    pf_command_text(text, ")");
}

/* The position at which the names of the second side begin: where the directory changes, if it
 * changes once; else between the two neighbours that share the shortest beginning. */
static size_t find_split(char *const *names, size_t count)
{
    size_t split = 1, changes = 0, at = 0;

    for (size_t i = 1; i < count; i++) {
        if (common_start(names[i - 1], names[i]) < common_start(names[split - 1], names[split]))
            split = i;
        if (!same_directory(names[i - 1], names[i])) {
            at = i;
            changes++;
        }
    }
    return changes == 1 ? at : split;
}

void pf_hint_sides(struct pf_common *common, const char *what, char *const *names, size_t count)
{
    struct pf_buffer text = {0};
    size_t split = find_split(names, count);

    pf_command_text(&text, common->tool.name);
    append_side(&text, names, split);
    append_side(&text, names + split, count - split);
    if (!pf_buffer_byte(&text, '\0'))
        pf_tool_nomem(&common->tool);
    pf_tool_usage(&common->tool, "%s; there are %zu; type: %s", what, count, text.data);
}

/* --- names of frames -------------------------------------------------------------------------- */

/* True for a real name: not [unknown] or [IMAGE]. */
static bool is_name(struct pf_bytes name)
{
    return name.size > 0 && !(name.data[0] == '[' && name.data[name.size - 1] == ']');
}

static const char *first_operand(const struct pf_common *common)
{
    return common->operand_count == 1 ? common->operands[0] : "FILE";
}

static void warn_lines(struct pf_common *common, bool addresses, const char *format,
                       const char *list)
{
    struct pf_buffer text = {0};
    bool perf = strcmp(format, "perf-script") == 0;

    if (perf)
        pf_command_text(&text, "perf script -F +srcline | ");
    append_program(&text, common, perf ? "--list " : "--binary=PROG --list ");
    pf_command_word(&text, list);
    if (!perf) {
        pf_command_text(&text, " ");
        pf_command_word(&text, first_operand(common));
    }
    if (!pf_buffer_byte(&text, '\0'))
        pf_tool_nomem(&common->tool);
    if (perf || addresses)
        pf_tool_warn(&common->tool, "no frame has a line; type: %s", text.data);
    else
        pf_tool_warn(&common->tool, "no frame has a line: the profile has no lines");
    pf_buffer_free(&text);
}

void pf_hint_names(struct pf_common *common, const struct pf_dict *dict, const char *format,
                   const char *list)
{
    bool addresses = false, names = false, lines = false;
    struct pf_buffer file = {0};

    for (uint32_t k = 1; k < dict->locations.count && !(names && lines); k++) {
        const struct pf_location *row = pf_dict_location(dict, k);

        addresses |= row->address != 0;
        lines |= row->line > 0;
        names |= is_name(pf_dict_string(dict, pf_dict_function(dict, row->function)->name));
    }
    if (list && !lines && dict->locations.count > 1) {
        warn_lines(common, addresses, format, list);
        return;
    }
    if (names || !addresses)
        return;
    pf_command_word(&file, first_operand(common));
    if (!pf_buffer_byte(&file, '\0'))
        pf_tool_nomem(&common->tool);
    if (strcmp(format, "gmon") == 0)
        pf_tool_warn(&common->tool, "no address has a name; type: %s --binary=PROG %s",
                     common->tool.name, file.data);
    else
        pf_tool_warn(&common->tool, "no frame has a name: --symbols=FILE (a perf map, or the "
                                    "output of nm) or --binary=PROG names addresses");
    pf_buffer_free(&file);
}

void pf_hint_lines(struct pf_common *common, struct pf_bytes format, bool stream)
{
    const struct pf_format *from = pf_registry_find(format);
    const struct pf_option *option = from ? from->options : NULL;

    while (option && option->name && strcmp(option->name, "lines") != 0)
        option++;
    if (!option || !option->name)
        return;
    if (stream)
        pf_tool_warn(&common->tool,
                     "lines are where functions begin; for the lines that were executed make the "
                     "stream with -f %s:lines=yes",
                     from->name);
    else
        pf_tool_warn(&common->tool, "lines are where functions begin: the profile has no others");
}

#include "cli/common.h"

#include "base/number.h"
#include "cli/guess.h"
#include "codec/registry.h"
#include "model/named.h"
#include "model/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- formats ---------------------------------------------------------------------------------- */

/* Writes "pfs, statprofiler, ...": the formats that can be written (or read), cut if `names` is too
 * small. */
static void list_formats(char *names, size_t size, bool writing)
{
    size_t used = 0;
    const struct pf_format *format;
    names[0] = '\0';
    for (size_t k = 0; (format = pf_registry_format(k)) && used < size; k++)
        if (writing ? format->write != NULL : format->bid != NULL)
            used +=
                (size_t)snprintf(names + used, size - used, "%s%s", used ? ", " : "", format->name);
}

static void print_details(struct pf_sink *sink, const struct pf_format *format)
{
    if (format->suffixes)
        pf_sink_printf(sink, "    suffixes: %s\n", format->suffixes);
    for (const struct pf_option *option = format->options; option && option->name; option++)
        pf_sink_printf(sink, "    %s %s:%s=%s  %s\n",
                       option->reads ? option->writes ? "-f -t" : "-f" : "-t", format->name,
                       option->name, option->values ? option->values : "VALUE", option->about);
    if (format->losses)
        pf_sink_printf(sink, "    cannot hold: %s\n", format->losses);
}

static void print_format(struct pf_sink *sink, const struct pf_format *format, bool details)
{
    char kinds[64];
    unsigned caps = format->caps;
    snprintf(kinds, sizeof kinds, "%s%s%s", caps & PF_HOLDS_SAMPLE ? "sample " : "",
             caps & PF_HOLDS_FLAT ? "flat " : "", caps & PF_HOLDS_EDGE ? "edge " : "");
    pf_sink_printf(sink, "%-13s %s%s  %-17s %s\n", format->name, format->bid ? "r" : "-",
                   format->write ? "w" : "-", kinds, format->about);
    if (details)
        print_details(sink, format);
}

/* --formats: prints one line per format; with -v also options and losses, with -q names only. */
_Noreturn static void print_formats(struct pf_tool *tool)
{
    struct pf_error error = {0};
    struct pf_sink *sink;
    const struct pf_format *format;
    if (pf_sink_open(&sink, NULL, &error) < 0)
        pf_tool_die(tool, NULL, &error, true);
    for (size_t k = 0; (format = pf_registry_format(k)); k++) {
        if (tool->quiet)
            pf_sink_printf(sink, "%s\n", format->name);
        else
            print_format(sink, format, tool->verbose);
    }
    pf_tool_sink_exit(tool, sink);
}

/* --- options ---------------------------------------------------------------------------------- */

/* Options of tools/common.ggo that are not fields of struct pf_common. */
struct texts {
    const char *from, *to;
    int64_t level, threads, max_input;
    struct pf_texts measures, sample_indices;
    bool progress, no_progress;
};

static bool find_size(const char *text, void *field)
{
    return pf_parse_scaled(pf_bytes_of(text), PF_SIZE_SUFFIXES, field) && *(int64_t *)field > 0;
}

static const struct pf_setting settings[] = {
    PF_TEXT_SETTING("output", struct pf_common, output),
    PF_FLAG_SETTING("recursive", struct pf_common, recursive),
    PF_TEXT_SETTING("files0-from", struct pf_common, files0_from),
    PF_FLAG_SETTING("canonical", struct pf_common, canonical),
    PF_FLAG_SETTING("sync", struct pf_common, sync),
    PF_FLAG_SETTING("force", struct pf_common, tool.force),
    PF_FLAG_SETTING("salvage", struct pf_common, tool.salvage),
    PF_FLAG_SETTING("keep-going", struct pf_common, tool.keep_going),
    PF_FLAG_SETTING("quiet", struct pf_common, tool.quiet),
    PF_FLAG_SETTING("verbose", struct pf_common, tool.verbose),
    PF_WORD_SETTING("color", struct pf_common, tool.color, "auto, always or never", 0),
    PF_WORD_SETTING("evals", struct pf_common, evals, "joined or apart", PF_EVALS_JOINED),
    PF_FLAG_SETTING("no-trunc", struct pf_common, tool.no_trunc),
    PF_FLAG_SETTING("no-group", struct pf_common, tool.no_group),
    PF_SETTINGS_END,
};

static const struct pf_setting text_settings[] = {
    PF_TEXT_SETTING("from", struct texts, from),
    PF_TEXT_SETTING("to", struct texts, to),
    PF_TEXTS_SETTING("measure", struct texts, measures),
    PF_TEXTS_SETTING("sample-index", struct texts, sample_indices),
    PF_NUMBER_SETTING("compress", struct texts, level, "a level from 0 to 9", 0, 9),
    PF_NUMBER_SETTING("threads", struct texts, threads,
                      "a number from 0 (one per processor) to 1024", 0, 1024),
    PF_OTHER_SETTING("max-input", struct texts, max_input, "a size such as 500M or 64G", find_size),
    PF_FLAG_SETTING("progress", struct texts, progress),
    PF_FLAG_SETTING("no-progress", struct texts, no_progress),
    PF_SETTINGS_END,
};

/* Turns '_' in long option names to '-'. */
static void replace_underscores(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strncmp(argv[i], "--", 2) != 0)
            continue;
        for (char *p = argv[i] + 2; *p && *p != '='; p++)
            if (*p == '_')
                *p = '-';
    }
}

/* Parses `NAME:OPTIONS` as a format and its options. Exits 2 for an unknown format or option. */
static const struct pf_format *format_argument(struct pf_common *common, const char *text,
                                               bool writing, struct pf_options *options)
{
    size_t size = strcspn(text, ":");
    const struct pf_format *format = pf_registry_find((struct pf_bytes){text, size});
    bool can = format && (writing ? format->write != NULL : format->bid != NULL);
    if (!can) {
        char names[512];
        list_formats(names, sizeof names, writing);
        pf_tool_usage(&common->tool, "%s '%.*s'; formats to %s: %s",
                      format ? (writing ? "cannot write" : "cannot read") : "unknown format",
                      (int)size, text, writing ? "write" : "read", names);
    }
    struct pf_error error = {0};
    if (pf_options_parse(options, text[size] ? text + size + 1 : "", format->options, writing,
                         format->name, &error) == PF_NOMEM)
        pf_tool_nomem(&common->tool);
    if (error.code != PF_OK)
        pf_tool_usage(&common->tool, "%s", error.text);
    return format;
}

static void set_measures(struct pf_common *common, const struct texts *texts)
{
    const struct pf_texts *lists[] = {&texts->measures, &texts->sample_indices};

    common->measures = pf_tool_calloc(&common->tool,
                                      texts->measures.count + texts->sample_indices.count + 1,
                                      sizeof *common->measures);
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        for (unsigned i = 0; i < lists[k]->count; i++)
            common->measures[common->measure_count++] = lists[k]->list[i];
}

/* For a program with views: the format that the suffix of -o names; NULL: no suffix of a format.
 * Exits 2 for a format that cannot be written. */
static const char *output_name(struct pf_common *common, bool views)
{
    const struct pf_format *written = pf_registry_suffix(common->output);
    const struct pf_format *format = written ? written
                                             : pf_registry_suffix_unwritten(common->output);
    struct pf_bytes unknown = pf_registry_suffix_unknown(common->output);

    if (unknown.size > 0)
        pf_tool_usage(&common->tool,
                      "'%s': no format has the suffix %s; -t NAME chooses the format (--formats "
                      "lists the names)",
                      common->output, pf_clip(unknown).text);
    if (!written && format && !views)
        format_argument(common, format->name, true, &common->to_options);
    return format ? format->name : NULL;
}

/* Sets the formats from -f, -t and the suffix of -o. */
static void set_formats(struct pf_common *common, const struct texts *texts)
{
    if (texts->from)
        common->from = format_argument(common, texts->from, false, &common->from_options);
    if (texts->to && !common->views)
        common->to = format_argument(common, texts->to, true, &common->to_options);
    if (common->output && !*common->output)
        pf_tool_usage(&common->tool,
                      "--output takes the name of a file, or '-' for standard output");
    common->to_text = texts->to;
    if (!texts->to && common->output)
        common->to_text = output_name(common, common->views);
}

static void read_options(struct pf_common *common, const struct pf_command *command)
{
    struct texts texts = {.level = -1, .threads = 1, .max_input = (int64_t)64 << 30};
    struct pf_tool *tool = &common->tool;

    common->given = command->given;
    pf_settings_read(tool, common->given, settings, common);
    if (pf_settings_given(common->given, "help"))
        pf_tool_help(tool, command->usage, command->purpose, command->help);
    if (pf_settings_given(common->given, "version"))
        pf_tool_version(tool);
    if (pf_settings_given(common->given, "formats"))
        print_formats(tool);
    pf_settings_read(tool, common->given, text_settings, &texts);
    tool->progress = texts.no_progress ? PF_NEVER : texts.progress ? PF_ALWAYS : PF_AUTO;
    set_formats(common, &texts);
    if (texts.threads == 0)
        texts.threads = sysconf(_SC_NPROCESSORS_ONLN);
    common->threads = texts.threads > 1 ? (size_t)texts.threads : 1;
    common->compression = (int)texts.level;
    common->max_input = (uint64_t)texts.max_input;
    common->operands = command->operands;
    common->operand_count = command->operand_count;
    if (common->files0_from && common->operand_count > 0)
        pf_tool_usage(tool, "operands cannot be combined with --files0-from: '%s'",
                      common->operands[0]);
    set_measures(common, &texts);
}

void pf_common_start(struct pf_common *common, struct pf_command command, int argc, char **argv)
{
    replace_underscores(argc, argv);
    pf_tool_start(&common->tool, command.program);
    pf_guess_options(&common->tool, argc, argv, command.help);
    if (command.parse(&command, argc, argv) != 0)
        pf_tool_usage_printed(&common->tool);
    read_options(common, &command);
}

void pf_common_to(struct pf_common *common, const char *text)
{
    common->to = format_argument(common, text, true, &common->to_options);
}

int pf_common_end(struct pf_common *common)
{
    int status = pf_tool_finish(&common->tool);

    pf_options_free(&common->from_options);
    pf_options_free(&common->to_options);
    free(common->measures);
    return status;
}

int pf_common_open_source(const struct pf_common *common, struct pf_source **source,
                          const char *path, struct pf_error *error)
{
    int status = pf_source_open(source, path, error);
    if (status == PF_OK)
        pf_source_limit(*source, common->max_input);
    return status;
}

bool pf_common_wants(const struct pf_common *common, const struct pf_dict *dict, uint32_t measure,
                     unsigned *which)
{
    for (unsigned i = 0; i < common->measure_count; i++)
        if (pf_named_measure(dict, measure, common->measures[i])) {
            if (which)
                *which = i;
            return true;
        }
    return common->measure_count == 0;
}

/* --- rows of tables --------------------------------------------------------------------------- */

enum { ROWS_WITHOUT_TERMINAL = 20, WIDTH_WITHOUT_TERMINAL = 100, ROWS_LEAST = 5 };

static bool find_unit(const char *text, void *field)
{
    return pf_unit_find(text, field);
}

/* Parses a number from 0 to 100, with or without %. */
static bool find_percent(const char *text, void *field)
{
    char *end = NULL;
    double percent = strtod(text, &end);

    if (end == text || strspn(text, "0123456789.") != (size_t)(end - text) ||
        strcmp(end, &"%"[*end == '\0']) != 0 || !(percent >= 0 && percent <= 100))
        return false;
    *(double *)field = percent;
    return true;
}

static const struct pf_setting row_settings[] = {
    PF_NUMBER_SETTING("limit", struct pf_row_settings, limit, NULL, 0, INT32_MAX),
    PF_OTHER_SETTING("min-percent", struct pf_row_settings, min_percent, "a number from 0 to 100",
                     find_percent),
    PF_TEXT_SETTING("by", struct pf_row_settings, by),
    PF_WORD_SETTING("kind", struct pf_row_settings, kind, "sample, flat or edge", PF_SAMPLE),
    PF_OTHER_SETTING("unit", struct pf_row_settings, unit,
                     "auto, ns, us, ms, s, ticks, events, count or bytes", find_unit),
    PF_FLAG_SETTING("cum", struct pf_row_settings, cum),
    PF_SETTINGS_END,
};

void pf_row_settings_read(struct pf_row_settings *rows, struct pf_common *common)
{
    *rows = (struct pf_row_settings){.limit = -1, .kind = PF_RECORD_KINDS};
    pf_settings_read(&common->tool, common->given, row_settings, rows);
}

enum pf_by pf_row_settings_by(const struct pf_row_settings *rows, struct pf_common *common,
                              struct pf_dict *dict, uint32_t *label)
{
    enum pf_by by = PF_BY_FUNCTION;

    if (rows->by && !pf_by_find(rows->by, dict, &by, label))
        pf_tool_usage(&common->tool,
                      "--by takes function, name, file, line, address, image, package, section or "
                      "label:KEY, not '%s'",
                      rows->by);
    return by;
}

void pf_common_look(const struct pf_common *common, struct pf_look *look, bool text)
{
    look->color = text && pf_tool_colors(&common->tool, look->sink);
    if (look->color)
        pf_sink_raw(look->sink);
    /* the output to a file or a pipe does not depend on the locale */
    look->utf8 = look->sink->terminal && pf_tool_utf8();
    look->group = !common->tool.no_group;
    look->terminal = look->sink->columns;
    if (!common->tool.no_trunc)
        look->paths = look->sink->terminal ? look->terminal : WIDTH_WITHOUT_TERMINAL;
}

size_t pf_row_settings_limit(const struct pf_row_settings *rows, const struct pf_sink *sink,
                             bool text, unsigned others)
{
    unsigned lines = pf_tool_rows(sink);

    if (rows->limit >= 0)
        return (size_t)rows->limit;
    if (!text)
        return 0;
    if (lines == 0)
        return ROWS_WITHOUT_TERMINAL;
    return lines > others + ROWS_LEAST ? lines - others : ROWS_LEAST;
}

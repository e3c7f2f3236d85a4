#include "cli/common.h"

#include "base/number.h"
#include "cli/formats.h"
#include "codec/registry.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void pf_common_dashes(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strncmp(argv[i], "--", 2) != 0)
            continue;
        for (char *p = argv[i] + 2; *p && *p != '='; p++)
            if (*p == '_')
                *p = '-';
    }
}

static const char *last(char **values, unsigned count)
{
    return count ? values[count - 1] : NULL;
}

static enum pf_when when_named(const char *name)
{
    return !name || strcmp(name, "auto") == 0 ? PF_AUTO : strcmp(name, "always") == 0 ? PF_ALWAYS : PF_NEVER;
}

/* `NAME:options` to a format and its options; exits 2 when it is none. */
static const struct pf_format *format_argument(struct pf_common *common, const char *text, bool writing,
                                               struct pf_options *options)
{
    size_t size = strcspn(text, ":");
    const struct pf_format *format = pf_registry_find((struct pf_bytes){text, size});
    bool can = format && (writing ? format->write != NULL : format->bid != NULL);
    if (!can) {
        char names[512];
        pf_formats_names(names, sizeof names, writing);
        pf_tool_usage(&common->tool, "%s '%.*s'; formats to %s: %s",
                      format ? (writing ? "cannot write" : "cannot read") : "unknown format", (int)size, text,
                      writing ? "write" : "read", names);
    }
    struct pf_error error = {0};
    if (pf_options_parse(options, text[size] ? text + size + 1 : "", format->options, writing, format->name, &error) == PF_NOMEM)
        pf_tool_nomem(&common->tool);
    if (error.code != PF_OK)
        pf_tool_usage(&common->tool, "%s", error.text);
    return format;
}

static int compression_argument(struct pf_common *common, const char *text)
{
    int64_t level;
    if (!text)
        return -1;
    if (!pf_parse_int(pf_bytes_of(text), 0, 9, &level))
        pf_tool_usage(&common->tool, "--compress takes a level from 0 to 9, not '%s'", text);
    return (int)level;
}

static size_t threads_argument(struct pf_common *common, const char *text)
{
    int64_t threads = 1;
    if (text && !pf_parse_int(pf_bytes_of(text), 0, 1024, &threads))
        pf_tool_usage(&common->tool, "--threads takes a number from 0 (one a processor) to 1024, not '%s'", text);
    if (threads == 0)
        threads = sysconf(_SC_NPROCESSORS_ONLN);
    return threads > 1 ? (size_t)threads : 1;
}

static uint64_t size_argument(struct pf_common *common, const char *text)
{
    int64_t size;
    if (!pf_parse_scaled(pf_bytes_of(text), "k=1024,K=1024,M=1048576,G=1073741824,T=1099511627776", &size) || size < 1)
        pf_tool_usage(&common->tool, "--max-input takes a size such as 500M or 64G, not '%s'", text);
    return (uint64_t)size;
}

static void read_measures(struct pf_common *common, const struct pf_common_args *args)
{
    unsigned count = args->measure_given + args->sample_index_given;
    common->measures = calloc(count + 1, sizeof *common->measures);
    if (!common->measures)
        pf_tool_nomem(&common->tool);
    for (unsigned i = 0; i < args->measure_given; i++)
        common->measures[common->measure_count++] = args->measure[i];
    for (unsigned i = 0; i < args->sample_index_given; i++)
        common->measures[common->measure_count++] = args->sample_index[i];
}

static void read_messages(struct pf_tool *tool, const struct pf_common_args *args)
{
    tool->quiet = args->quiet_given;
    tool->verbose = args->verbose_given;
    tool->keep_going = args->keep_going_given;
    tool->salvage = args->salvage_given;
    tool->force = args->force_given;
    tool->no_trunc = args->no_trunc_given;
    tool->no_group = args->no_group_given;
    tool->color = when_named(last(args->color, args->color_given));
    tool->progress = args->no_progress_given ? PF_NEVER : args->progress_given ? PF_ALWAYS : PF_AUTO;
}

/* The format that the name of the output asks for, of a program with views; NULL: none. Exits 2 for one that is not written. */
static const char *output_name(struct pf_common *common, bool views)
{
    const struct pf_format *written = pf_registry_suffix(common->output);
    const struct pf_format *format = written ? written : pf_registry_suffix_unwritten(common->output);
    struct pf_bytes unknown = pf_registry_suffix_unknown(common->output);

    if (unknown.size > 0)
        pf_tool_usage(&common->tool, "'%s': no format has the suffix %.*s; -t NAME chooses the format (--formats lists them)",
                      common->output, (int)unknown.size, unknown.data);
    if (!written && format && !views)
        format_argument(common, format->name, true, &common->to_options);
    return format ? format->name : NULL;
}

void pf_common_read(struct pf_common *common, const struct pf_common_args *args,
                    const char *const *help, bool views, const char **to_text)
{
    read_messages(&common->tool, args);
    if (args->help_given)
        pf_tool_help(&common->tool, args->usage, args->purpose, help);
    if (args->version_given)
        pf_tool_version(&common->tool);
    if (args->formats_given)
        pf_formats_exit(&common->tool);
    const char *from = last(args->from, args->from_given), *to = last(args->to, args->to_given);
    if (from)
        common->from = format_argument(common, from, false, &common->from_options);
    if (to && !views)
        common->to = format_argument(common, to, true, &common->to_options);
    common->output = last(args->output, args->output_given);
    if (common->output && !*common->output)
        pf_tool_usage(&common->tool, "--output takes the name of a file, or '-' for standard output");
    if (!to && common->output)
        to = output_name(common, views);
    if (to_text)
        *to_text = to;
    common->compression = compression_argument(common, last(args->compress, args->compress_given));
    common->threads = threads_argument(common, last(args->threads, args->threads_given));
    common->max_input = size_argument(common, args->max_input_given ? last(args->max_input, args->max_input_given) : "64G");
    common->recursive = args->recursive_given;
    common->canonical = args->canonical_given;
    common->sync = args->sync_given;
    common->files0_from = last(args->files0_from, args->files0_from_given);
    common->operands = args->operands;
    common->operand_count = args->operand_count;
    read_measures(common, args);
}

void pf_common_to(struct pf_common *common, const char *text)
{
    common->to = format_argument(common, text, true, &common->to_options);
}

void pf_common_free(struct pf_common *common)
{
    pf_options_free(&common->from_options);
    pf_options_free(&common->to_options);
    free(common->measures);
}

int pf_common_open_source(const struct pf_common *common, struct pf_source **source, const char *path, struct pf_error *error)
{
    int status = pf_source_open(source, path, error);
    if (status == PF_OK)
        pf_source_limit(*source, common->max_input);
    return status;
}

bool pf_common_wants(const struct pf_common *common, const struct pf_dict *dict, uint32_t measure, unsigned *which)
{
    const struct pf_measure *row = pf_measures_row(&dict->measures, measure);
    struct pf_bytes name = pf_dict_string(dict, row->name);
    const char *kind = pf_kind_name(row->kind);
    size_t kind_size = strlen(kind);
    for (unsigned i = 0; i < common->measure_count; i++) {
        struct pf_bytes asked = pf_bytes_of(common->measures[i]);
        bool match = pf_bytes_equal(asked, name);
        if (!match && asked.size > kind_size && asked.data[kind_size] == ':' && memcmp(asked.data, kind, kind_size) == 0)
            match = pf_bytes_equal((struct pf_bytes){asked.data + kind_size + 1, asked.size - kind_size - 1}, name);
        if (match && which)
            *which = i;
        if (match)
            return true;
    }
    return common->measure_count == 0;
}

double pf_common_min_percent(struct pf_common *common, const char *text)
{
    char *end = NULL;
    double percent;

    if (text == NULL)
        return 0;
    percent = strtod(text, &end);
    if (end == text || strspn(text, "0123456789.") != (size_t)(end - text) || strcmp(end, &"%"[*end == '\0']) != 0 ||
        !(percent >= 0 && percent <= 100))
        pf_tool_usage(&common->tool, "--min-percent takes a number from 0 to 100, not '%s'", text);
    return percent;
}

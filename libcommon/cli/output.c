#include "cli/output.h"

#include "analysis/merge/canonical.h"
#include "base/hash.h"
#include "base/memory.h"
#include "cli/redirect.h"
#include "codec/registry.h"
#include "model/named.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct pf_output {
    struct pf_common *common;
    struct pf_inputs *inputs;
    struct pf_sink *sink;
    struct pf_temporary *temporary; /* NULL: the output is written in place */
    const struct pf_format *format;
    struct pf_writer *writer;
    const char *name;
    struct pf_output_group *group; /* borrowed; NULL: the only output */
    bool failed;
    /* -m: the selected columns of a batch */
    struct pf_value_column *columns;
    size_t column_capacity;
    bool *matched; /* which names of -m were found */
    bool measures_seen;
    struct pf_document document;
    const char *const *names;           /* of the inputs, borrowed; NULL: those of `inputs` */
    const struct pf_verdicts *verdicts; /* borrowed; NULL: none */
    struct pf_canonical *canonical;     /* --canonical: holds all batches until the close */
    struct pf_dict sorted;              /* the dictionary of the sorted batches */
    bool copied;                        /* inputs were copied to the output */
};

static bool named_gz(const char *path)
{
    size_t size = strlen(path);
    return size > 3 && strcasecmp(path + size - 3, ".gz") == 0;
}

/* Chooses the format: by -t, by the suffix of -o, or the default. */
static const struct pf_format *choose_format(struct pf_common *common, const char *path,
                                             const struct pf_sink *sink)
{
    const struct pf_format *format = common->to;
    if (!format && path)
        format = pf_registry_suffix(path);
    if (!format)
        format = pf_registry_find(sink->terminal ? PF_BYTES("text") : PF_BYTES("pfs"));
    return format;
}

static struct pf_sink *open_sink(struct pf_common *common, const char *path,
                                 struct pf_temporary **temporary)
{
    struct pf_error error = {0};
    struct pf_sink *sink;
    if (pf_sink_open(&sink, path, &error) < 0) {
        pf_tool_fail(&common->tool, NULL, &error, true);
        return NULL;
    }
    pf_sink_before_terminal(sink, pf_tool_line_over, &common->tool);
    if (!common->tool.no_trunc) {
        sink->columns = pf_tool_columns(sink);
        sink->mark = pf_tool_utf8() ? "\u2026" : "~";
    }
    if (common->sync)
        pf_sink_sync(sink);
    *temporary = pf_sink_temporary(sink) ? pf_tool_temporary(&common->tool, pf_sink_temporary(sink))
                                         : NULL;
    return sink;
}

/* Compresses the output with gzip if its name ends in .gz, or if -z is given and the format does
 * not compress by itself. */
static void compress_sink(struct pf_common *common, const char *path,
                          const struct pf_format *format, struct pf_sink *sink)
{
    unsigned caps = format ? format->caps : 0;
    bool named = path && named_gz(path) && !(caps & PF_IS_GZIP);
    if (common->compression == 0 || (!named && (common->compression < 0 || caps & PF_COMPRESSES)))
        return;
    if (sink->terminal && !common->tool.force)
        pf_tool_usage(
            &common->tool,
            "compressed output is not for a terminal: use -o FILE or a pipe (--force writes it)");
    pf_sink_gzip(sink, common->compression > 0 ? common->compression : 6);
}

static struct pf_output *new_output(struct pf_common *common, struct pf_inputs *inputs,
                                    const char *name)
{
    struct pf_output *output = pf_tool_calloc(&common->tool, 1, sizeof *output);

    output->matched =
        pf_tool_calloc(&common->tool, common->measure_count + 1, sizeof *output->matched);
    output->common = common;
    output->inputs = inputs;
    output->name = name;
    return output;
}

static void free_output(struct pf_output *output)
{
    pf_canonical_free(output->canonical);
    pf_dict_free(&output->sorted);
    free(output->columns);
    free(output->matched);
    free(output);
}

struct pf_output *pf_output_open_path(struct pf_common *common, struct pf_inputs *inputs,
                                      const char *path, struct pf_output_group *group)
{
    struct pf_output *output = new_output(common, inputs, path);

    if (!common->to)
        pf_redirect_check(common, false);
    output->group = group;
    output->sink = open_sink(common, path, &output->temporary);
    if (!output->sink) {
        free_output(output);
        return NULL;
    }
    output->format = choose_format(common, path, output->sink);
    if (!(output->format->caps & PF_IS_TEXT) && output->sink->terminal && !common->tool.force)
        pf_tool_usage(
            &common->tool,
            "%s is not for a terminal: use -o FILE or a pipe, or -t text (--force writes it)",
            output->format->name);
    if (!(output->format->caps & PF_IS_TEXT))
        pf_sink_raw(output->sink);
    compress_sink(common, path, output->format, output->sink);
    if (output->sink->live)
        pf_inputs_want(inputs, PF_WANT_FLUSH);
    return output;
}

struct pf_output *pf_output_open_sink(struct pf_common *common, struct pf_inputs *inputs,
                                      struct pf_sink *sink, const char *name)
{
    struct pf_output *output = new_output(common, inputs, name);

    output->sink = sink;
    output->format = pf_registry_find(PF_BYTES("pfs"));
    return output;
}

struct pf_output *pf_output_open(struct pf_common *common, struct pf_inputs *inputs)
{
    return pf_output_open_path(common, inputs, common->output, NULL);
}

void pf_output_names(struct pf_output *output, const char *const *names)
{
    output->names = names;
}

void pf_output_verdicts(struct pf_output *output, const struct pf_verdicts *verdicts)
{
    output->verdicts = verdicts;
}

/* True if no file of the group has printed this warning yet. */
static bool is_new(struct pf_output_group *group, const char *text)
{
    uint32_t count;

    if (!group->said.rows && pf_strings_init(&group->said) != PF_OK)
        return true;
    count = group->said.count;
    return pf_strings_intern(&group->said, pf_bytes_of(text), 0) == count ||
           group->said.status != PF_OK;
}

static void report(void *arg, enum pf_severity severity, const char *text)
{
    struct pf_output *output = arg;
    if (severity == PF_WARNING && output->group && !is_new(output->group, text))
        return;
    if (severity == PF_WARNING)
        pf_tool_warn(&output->common->tool, "%s: %s", output->format->name, text);
    else
        pf_tool_note(&output->common->tool, "%s: %s", output->format->name, text);
}

/* True if the error only follows from an input that failed: the writer may lack the records that
 * were not read. */
static bool is_consequence(const struct pf_output *output, const struct pf_error *error)
{
    return error->code != PF_IO && error->code != PF_NOMEM && pf_inputs_failed(output->inputs) &&
           !(output->common->tool.keep_going && pf_inputs_good(output->inputs) > 0);
}

static void fail(struct pf_output *output, const struct pf_error *error)
{
    output->failed = true;
    if (is_consequence(output, error))
        return;
    /* Only the sink's failures are system errors; data that the format cannot hold and overflowing
     * sums are not. */
    pf_tool_fail(&output->common->tool, output->name, error, error->code == PF_IO);
}

/* --canonical: sorts the batches, into a dictionary of their own, because writers may write rows in
 * the order of ids. The native stream numbers rows itself. Returns the writer's dictionary. */
static struct pf_dict *open_canonical(struct pf_output *output)
{
    struct pf_dict *dict = pf_inputs_dict(output->inputs), *sorted = NULL;

    if (!output->common->canonical)
        return dict;
    if (output->format != pf_registry_find(PF_BYTES("pfs"))) {
        sorted = &output->sorted;
        pf_tool_check_memory(&output->common->tool, pf_dict_init(sorted));
    }
    output->canonical = pf_canonical_new(dict, sorted);
    if (!output->canonical)
        pf_tool_nomem(&output->common->tool);
    return sorted ? sorted : dict;
}

static bool open_writer(struct pf_output *output)
{
    struct pf_common *common = output->common;
    struct pf_error error = {0};
    output->document = (struct pf_document){
        .tool = common->tool.name,
        .inputs = output->names ? output->names : pf_inputs_names(output->inputs),
    };
    struct pf_writer setup = {
        .format = output->format,
        .sink = output->sink,
        .dict = open_canonical(output),
        .options = &common->to_options,
        .report = {report, output},
        .document = &output->document,
        .compression = common->compression,
        .force = common->tool.force,
        .saturate = common->saturate,
        .verdicts = output->verdicts,
        .left_out_of_all = output->group ? &output->group->left_out : NULL,
        .dict_of_all = pf_inputs_dict(output->inputs),
    };
    if (pf_writer_open(&output->writer, &setup, &error) == PF_OK)
        return true;
    fail(output, &error);
    return false;
}

/* Removes the columns that -m does not select, but keeps the numbers of runs. False: out of memory.
 */
static bool select_measures(struct pf_output *output, struct pf_batch *batch)
{
    struct pf_common *common = output->common;
    uint32_t count = 0;
    if (!common->measure_count || batch->kind >= PF_RECORD_KINDS)
        return true;
    if (!pf_grow(&output->columns, &output->column_capacity, (size_t)batch->value_count + 1,
                 sizeof *output->columns))
        return false;
    for (uint32_t i = 0; i < batch->value_count; i++) {
        const struct pf_dict *dict = pf_inputs_dict(output->inputs);
        uint32_t measure = batch->values[i].measure;
        unsigned which;
        output->measures_seen = true;
        if (pf_common_wants(common, dict, measure, &which))
            output->matched[which] = true;
        else if (!pf_measures_row(&dict->measures, measure)->runs)
            continue;
        output->columns[count++] = batch->values[i];
    }
    batch->values = output->columns;
    batch->value_count = count;
    return true;
}

static bool fail_nomem(struct pf_output *output)
{
    struct pf_error error = {0};
    pf_error_nomem(&error);
    fail(output, &error);
    return false;
}

static bool write_batch(struct pf_output *output, const struct pf_batch *batch)
{
    if (pf_writer_write(output->writer, batch) < 0)
        fail(output, &output->writer->error);
    return !output->failed;
}

bool pf_output_write(struct pf_output *output, const struct pf_batch *given)
{
    struct pf_batch batch = *given;
    if (output->failed || (!output->writer && !open_writer(output)))
        return false;
    if (!select_measures(output, &batch))
        return fail_nomem(output);
    if (!output->canonical)
        return write_batch(output, &batch);
    return pf_canonical_add(output->canonical, &batch) == PF_OK || fail_nomem(output);
}

/* Writes out what waits, for a slow producer. */
static void flush(struct pf_output *output)
{
    if (output->failed || output->canonical || (!output->writer && !open_writer(output)))
        return;
    if (pf_writer_flush(output->writer) < 0)
        fail(output, &output->writer->error);
}

static void write_canonical(struct pf_output *output)
{
    struct pf_batch batch;
    int status = PF_OK;
    while (!output->failed && (status = pf_canonical_next(output->canonical, &batch)) == PF_OK)
        write_batch(output, &batch);
    if (status < 0)
        fail_nomem(output);
}

void pf_output_write_inputs(struct pf_output *output)
{
    const struct pf_common *common = output->common;
    struct pf_error error = {0};
    struct pf_event event;

    if (!common->canonical && !common->measure_count && common->compression < 0 &&
        !common->to_options.count && !common->from_options.count)
        output->copied = pf_inputs_copy(output->inputs, output->format, output->sink);
    if (pf_sink_status(output->sink, &error) < 0)
        fail(output, &error);
    while (!output->failed && pf_inputs_next(output->inputs, &event) == PF_OK)
        if (event.kind == PF_EVENT_BATCH)
            pf_output_write(output, &event.batch);
        else if (event.kind == PF_EVENT_FLUSH)
            flush(output);
}

static void check_measures(struct pf_output *output)
{
    struct pf_common *common = output->common;

    for (unsigned i = 0; i < common->measure_count && output->measures_seen; i++) {
        struct pf_error error = {0};

        if (output->matched[i])
            continue;
        pf_named_unknown(pf_inputs_dict(output->inputs), common->measures[i], &error);
        fail(output, &error);
    }
}

/* True if the new file may replace the old file: nothing failed, or with --keep-going at least one
 * input was good. */
static bool worth_keeping(const struct pf_common *common, const struct pf_inputs *inputs)
{
    return common->tool.status <= PF_EXIT_CONDITION ||
           (common->tool.status == PF_EXIT_INPUT && common->tool.keep_going &&
            pf_inputs_good(inputs) > 0);
}

/* Commits the output or removes it. `reported`: the output is unfinished, and the reason was
 * printed. */
static void end_sink(struct pf_common *common, const struct pf_inputs *inputs, struct pf_sink *sink,
                     const char *name, struct pf_temporary *temporary, bool reported)
{
    struct pf_error error = {0};
    bool in_place = !pf_sink_temporary(sink);
    if ((!in_place && (reported || !worth_keeping(common, inputs))) ||
        (reported && pf_sink_status(sink, NULL) < 0))
        pf_sink_abort(sink);
    else if (pf_sink_commit(sink, &error) < 0)
        pf_tool_fail(&common->tool, name, &error, true);
    pf_tool_temporary_done(temporary);
}

/* Warns about records that are left out because they have no value of a measure that the format
 * holds. */
static void warn_left_out(struct pf_output *output)
{
    const struct pf_report to = {report, output};
    struct pf_held_measures held = output->writer->measures;
    struct pf_dict *dict = pf_inputs_dict(output->inputs);
    const char *input;
    uint64_t all, count;

    for (size_t k = 0; k < held.count; k++) {
        held.rows[k].name = pf_dict_same_string(dict, output->writer->dict, held.rows[k].name);
        held.rows[k].unit = pf_dict_same_string(dict, output->writer->dict, held.rows[k].unit);
    }
    count = pf_inputs_left_out(output->inputs, &held, &all, &input);
    if (count == 0)
        return;
    struct pf_bytes name = pf_dict_string(dict, held.rows[0].name);

    pf_report_send(&to, PF_WARNING,
                   "%" PRIu64 " of %" PRIu64
                   " records have no '%s' and are left out, the first in %s%s",
                   count, all, pf_clip(name).text, input,
                   output->common->measure_count ? "" : " (-m chooses another measure)");
}

static void warn_of_format(void *arg, enum pf_severity severity, const char *text)
{
    struct pf_common *common = arg;

    (void)severity;
    pf_tool_warn(&common->tool, "%s: %s", common->to->name, text);
}

void pf_output_group_close(struct pf_common *common, struct pf_inputs *inputs,
                           struct pf_output_group *group)
{
    const struct pf_report to = {warn_of_format, common};

    pf_left_out_say_kinds(&group->left_out, common->to, &to);
    pf_left_out_say_names(&group->left_out, pf_inputs_dict(inputs), &to);
    pf_left_out_free(&group->left_out);
    pf_strings_free(&group->said);
}

bool pf_output_park(struct pf_output *output)
{
    struct pf_error error = {0};

    if (pf_sink_park(output->sink, &error) != PF_OK)
        fail(output, &error);
    return !output->failed;
}

void pf_output_abandon(struct pf_output *output)
{
    output->failed = true;
}

void pf_output_close(struct pf_output *output)
{
    if (!output)
        return;
    check_measures(output);
    bool marked = !output->copied ||
                  (output->format->caps & PF_HOLDS_FAILURE && pf_inputs_failed(output->inputs));
    if (!output->failed && !output->writer && marked)
        open_writer(output);
    if (!output->failed && output->canonical)
        write_canonical(output);
    if (!output->failed && output->writer &&
        pf_writer_finish(output->writer, pf_inputs_failed(output->inputs)) < 0)
        fail(output, &output->writer->error);
    if (!output->failed && output->writer)
        warn_left_out(output);
    pf_writer_close(output->writer);
    end_sink(output->common, output->inputs, output->sink, output->name, output->temporary,
             output->failed);
    free_output(output);
}

struct pf_sink *pf_output_sink(struct pf_common *common, struct pf_temporary **temporary)
{
    struct pf_sink *sink;

    pf_redirect_check(common, true);
    sink = open_sink(common, common->output, temporary);
    if (sink)
        compress_sink(common, common->output, NULL, sink);
    return sink;
}

void pf_output_sink_close(struct pf_common *common, struct pf_inputs *inputs, struct pf_sink *sink,
                          struct pf_temporary *temporary)
{
    end_sink(common, inputs, sink, common->output, temporary, false);
}

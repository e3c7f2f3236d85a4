#include "cli/merge/step.h"

#include "base/scan.h"
#include "cli/merge/merging.h"
#include "config.h"
#include "io/content.h"
#include "stream/layout.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The version of the files HASH.ndjson, in the name of a partial: a program never meets rows of
 * another version. */
enum { ROWS_VERSION = 2 };

/* --- kinds of steps --------------------------------------------------------------------------- */

/* Options that do not decide the bytes of a partial. */
static const char *const neutral[] = {
    "partials",    "fan-in",    "plan",      "task",    "prune",       "weight",
    "weights",     "quiet",     "color",     "verbose", "progress",    "threads",
    "no-progress", "no-trunc",  "sync",      "help",    "files0-from", "version",
    "no-group",    "canonical", "recursive", NULL,
};
/* Options of the output only. */
static const char *const writing[] = {
    "output",   "manifest", "to",         "measure", "sample-index",
    "compress", "saturate", "keep-share", NULL,
};
/* Options of every merge. Not --labels: the partials have only the labels that --labels names, and
 * the label of --replicates. */
static const char *const merging[] = {
    "measures", "granularity", "evals", "force", "keep-going", NULL,
};

static bool among(const char *option, const char *const *list)
{
    while (*list && strcmp(option, *list) != 0)
        list++;
    return *list;
}

/* True if the option concerns steps of this kind. */
static bool kind_has(enum pf_step_kind kind, const char *option)
{
    if (among(option, neutral))
        return false;
    if (among(option, merging))
        return true;
    return among(option, writing) ? kind == PF_STEP_OUTPUT : kind == PF_STEP_INPUTS;
}

const char *pf_step_foreign(enum pf_step_kind kind, const struct pf_given *given)
{
    static const char *const planned[] = {"partials", "weight", "weights", "files0-from", NULL};

    for (; given->name; given++)
        if (given->count > 0 && (among(given->name, planned) ||
                                 (!among(given->name, neutral) && !kind_has(kind, given->name))))
            return given->name;
    return NULL;
}

const char **pf_step_options(enum pf_step_kind kind, const struct pf_given *given,
                             struct pf_arena *arena)
{
    const char **list = NULL;
    size_t count = 0, capacity = 0;

    for (; given->name; given++) {
        for (unsigned k = 0; k < given->count && kind_has(kind, given->name); k++) {
            struct pf_buffer text = {0};
            char *copy;

            pf_buffer_printf(&text, "--%s", given->name);
            if (given->values && given->values[k])
                pf_buffer_printf(&text, "=%s", given->values[k]);
            copy = pf_arena_take(arena, &text);
            if (!copy || !pf_grow(&list, &capacity, count + 2, sizeof *list)) {
                free(list);
                return NULL;
            }
            list[count++] = copy;
        }
    }
    if (!pf_grow(&list, &capacity, count + 1, sizeof *list))
        return NULL;
    list[count] = NULL;
    return list;
}

/* The given options that a kind uses; the list ends with a NULL name. */
static struct pf_given *kind_given(struct pf_tool *tool, enum pf_step_kind kind,
                                   const struct pf_given *given)
{
    size_t count = 0, chosen = 0;
    struct pf_given *rows;

    while (given[count].name)
        count++;
    rows = pf_tool_calloc(tool, count + 1, sizeof *rows);
    for (size_t k = 0; k < count; k++)
        if (kind_has(kind, given[k].name))
            rows[chosen++] = given[k];
    return rows;
}

struct pf_common pf_step_common(enum pf_step_kind kind, const struct pf_common *common)
{
    struct pf_common own = *common;

    own.given = kind_given(&own.tool, kind, common->given);
    own.tool.status = PF_EXIT_DONE;
    own.canonical = true;
    if (kind != PF_STEP_INPUTS) {
        own.from = NULL;
        own.from_options = (struct pf_options){0};
        own.max_input = UINT64_MAX;
        own.tool.salvage = false;
    }
    if (kind == PF_STEP_OUTPUT)
        return own;
    own.tool.progress = PF_NEVER;
    own.to = NULL;
    own.to_options = (struct pf_options){0};
    own.output = own.to_text = NULL;
    own.measures = NULL;
    own.measure_count = 0;
    own.compression = -1;
    own.saturate = false;
    return own;
}

/* --- names ------------------------------------------------------------------------------------ */

static void add_text(struct pf_xxh128 *state, const char *text)
{
    pf_xxh128_add(state, text, strlen(text) + 1);
}

static void add_inputs(const struct pf_step *step, struct pf_xxh128 *state)
{
    for (size_t k = 0; k < step->count; k++) {
        const struct pf_step_input *input = &step->inputs[k];
        char weight[32];

        snprintf(weight, sizeof weight, "%" PRId64, input->weight);
        add_text(state, weight);
        add_text(state, input->unknown ? "unknown" : pf_hash128_text(input->print.hash).text);
        add_text(state, input->name);
    }
}

int pf_step_name(struct pf_step *step, const struct pf_given *given)
{
    enum pf_step_kind kind = step->inputs ? PF_STEP_INPUTS : PF_STEP_PARTIALS;
    struct pf_xxh128 *state = pf_xxh128_new();
    struct pf_arena arena = {0};
    const char **options = pf_step_options(kind, given, &arena);
    char versions[64];

    if (!state || !options) {
        pf_xxh128_end(state);
        free(options);
        pf_arena_free(&arena);
        return PF_NOMEM;
    }
    snprintf(versions, sizeof versions, "partial %d of %s, stream %d, rows %d", (int)kind,
             PF_VERSION, PF_STREAM_MAJOR, ROWS_VERSION);
    add_text(state, versions);
    for (size_t k = 0; options[k]; k++)
        add_text(state, options[k]);
    add_text(state, "");
    if (step->inputs)
        add_inputs(step, state);
    for (size_t k = 0; k < step->count && step->partials; k++)
        add_text(state, pf_hash128_text(step->partials[k]).text);
    step->hash = pf_xxh128_end(state);
    free(options);
    pf_arena_free(&arena);
    return PF_OK;
}

static void say_waiting(void *tool, const char *path)
{
    pf_tool_warn(tool, "waiting for another run that removes files from '%s'", path);
}

void pf_step_open_store(struct pf_tool *tool, struct pf_store *store, const char *path)
{
    struct pf_error error = {0};

    store->waits = say_waiting;
    store->arg = tool;
    if (pf_store_open(store, path, &error) != PF_OK)
        pf_tool_die(tool, NULL, &error, true);
}

static const char *path_of(struct pf_store *store, struct pf_hash128 hash, const char *suffix)
{
    return pf_store_path(store, pf_hash128_text(hash).text, suffix);
}

const char *pf_step_path(const struct pf_step *step, const char *suffix)
{
    return path_of(step->store, step->hash, suffix);
}

bool pf_step_made(const struct pf_step *step)
{
    const char *partial = pf_step_path(step, ".pfs"), *rows = pf_step_path(step, ".ndjson");

    /* rows are written first: another run may make the step now */
    if (!partial || !rows || !pf_store_has(partial))
        return false;
    if (pf_store_has(rows))
        return true;
    unlink(partial);
    return false;
}

/* --- results ---------------------------------------------------------------------------------- */

/* The last line of a file of rows, `HASH CONTENTS CHECK`. */
enum { LAST_LINE = 3 * (PF_HASH_DIGITS + 1) };

/* Appends the last line to the rows of a step. */
static void append_last(struct pf_buffer *text, struct pf_hash128 name, struct pf_hash128 contents)
{
    pf_buffer_printf(text, "%s ", pf_hash128_text(name).text);
    pf_buffer_printf(text, "%s ", pf_hash128_text(contents).text);
    if (!text->failed) {
        struct pf_hash128 check = {0, pf_xxh64(text->data, text->size)};

        pf_buffer_printf(text, "%s\n", pf_hash128_text(check).text);
    }
}

/* Reads the last line of a file of rows, which may be damaged. */
static bool parse_last(struct pf_bytes text, struct pf_hash128 *name, struct pf_hash128 *contents)
{
    struct pf_bytes last, field;
    struct pf_hash128 check;
    uint64_t found;

    if (text.size < LAST_LINE)
        return false;
    last = (struct pf_bytes){text.data + text.size - LAST_LINE, LAST_LINE - 1};
    found = pf_xxh64(text.data, text.size - PF_HASH_DIGITS - 1);
    return pf_scan_field(&last, ' ', &field) && pf_hash128_parse(name, field) &&
           pf_scan_field(&last, ' ', &field) && pf_hash128_parse(contents, field) &&
           pf_hash128_parse(&check, last) && check.high == 0 && check.low == found;
}

/* Removes a file that cannot be used, so that the step is made again. */
static int refuse(const char *path, const char *why, struct pf_error *error)
{
    if (unlink(path) != 0 && errno != ENOENT)
        return pf_error_system(error, "cannot remove '%s', which %s", path, why);
    pf_error_set(error, PF_FAILED, "'%s' %s", path, why);
    return PF_EOF;
}

int pf_step_load(const struct pf_step *step, struct pf_buffer *text, struct pf_error *error)
{
    const char *partial = pf_step_path(step, ".pfs"), *rows = pf_step_path(step, ".ndjson");
    struct pf_hash128 name, contents;
    struct pf_fingerprint print;
    int status = partial && rows ? pf_content_text(rows, text, error) : pf_error_nomem(error);

    if (status == PF_NOMEM)
        return status;
    if (status != PF_OK || !parse_last((struct pf_bytes){text->data, text->size}, &name, &contents))
        return refuse(rows, "is damaged", error);
    if (!pf_hash128_equal(name, step->hash))
        return refuse(rows, "is the file of another partial", error);
    text->size -= LAST_LINE;
    status = pf_fingerprint_take(&print, partial, error);
    if (status == PF_NOMEM)
        return status;
    if (status != PF_OK || !pf_hash128_equal(print.hash, contents))
        return refuse(partial, "is damaged, or is another partial", error);
    return PF_OK;
}

/* --- a run ------------------------------------------------------------------------------------ */

/* A run of a step: a pass over its inputs, and one pass more without the inputs that failed. */
struct running {
    struct pf_step *step;
    struct pf_common own; /* the options of the program that the step uses */
    struct pf_merge_run merging;
    struct pf_manifest manifest; /* a row for each input or partial */
    struct pf_buffer *rows; /* of the inputs below each partial; NULL: the step merges inputs */
    size_t *numbers;        /* of the inputs of the pass: their numbers in the step */
    size_t count;
    bool changed; /* an input changed, or a partial was removed */
};

/* Removes a damaged partial. */
static void remove_partial(struct running *run, const char *path)
{
    struct pf_error error = {0};

    run->changed = true;
    if (refuse(path, "is damaged", &error) != PF_EOF)
        pf_tool_die(&run->own.tool, NULL, &error, true);
}

/* Checks an input that has ended. An input that changed, or whose bytes the system did not give,
 * becomes unknown: a later run may read it, so no partial may be named after its contents. A
 * damaged partial is removed. */
static int check_input(void *arg, const struct pf_input *input, struct pf_error *error)
{
    struct running *run = arg;
    struct pf_step_input *of;
    int status;

    if (run->step->partials) {
        if (input->failure && input->failure->code != PF_NOMEM)
            remove_partial(run, input->name);
        return PF_OK;
    }
    of = &run->step->inputs[run->numbers[pf_inputs_group(run->merging.inputs, input->number)]];
    status = pf_fingerprint_check(&of->print, input->name, error);
    if (status == PF_OK && (!input->failure || input->failure->code != PF_IO))
        return PF_OK;
    run->changed = true;
    of->unknown = true;
    free(of->reason);
    of->reason = strdup(status == PF_OK ? input->failure->text : error->text);
    return !of->reason ? PF_NOMEM : status;
}

static const char *name_of(const struct running *run, size_t number)
{
    return run->step->inputs ? run->step->inputs[number].name
                             : path_of(run->step->store, run->step->partials[number], ".pfs");
}

/* Opens the inputs of a pass, with their weights. */
static void open_inputs(struct running *run)
{
    struct pf_operands operands = {0};
    struct pf_weights *weights = &run->merging.weights;

    for (size_t k = 0; k < run->count; k++) {
        const char *name = name_of(run, run->numbers[k]);
        int64_t weight = run->step->inputs ? run->step->inputs[run->numbers[k]].weight : 1;

        if (!name || pf_weights_add(weights, (struct pf_weight){weight, 1}) != PF_OK)
            pf_tool_nomem(&run->own.tool);
        operands.group = (uint32_t)k;
        pf_operands_add(&operands, &run->own, pf_bytes_of(name));
    }
    if (run->step->inputs)
        pf_operands_order(&operands, &run->own);
    weights->den = 1;
    pf_merging_open(&run->merging, &operands, true);
}

/* One pass: writes the merge of its inputs to the sink. */
static void write_pass(struct running *run, struct pf_sink *sink)
{
    struct pf_output *output;

    open_inputs(run);
    output = pf_output_open_sink(&run->own, run->merging.inputs, sink, run->step->store->path);
    pf_merging_write(&run->merging, output);
    pf_output_close(output);
    pf_merging_close(&run->merging);
}

/* Removes the inputs that failed from the next pass. False: all inputs were good. */
static bool drop_failed(struct running *run)
{
    size_t count = 0;

    for (size_t k = 0; k < run->count; k++)
        if (!run->manifest.inputs[run->numbers[k]].left_out)
            run->numbers[count++] = run->numbers[k];
    if (count == run->count)
        return false;
    run->count = count;
    return true;
}

/* Writes the rows of inputs that cannot be read, and lists the others for the first pass. */
static void list_inputs(struct running *run)
{
    struct pf_step *step = run->step;

    run->numbers = pf_tool_calloc(&run->own.tool, step->count + 1, sizeof *run->numbers);
    pf_manifest_start(&run->manifest, &run->own.tool, step->count);
    for (size_t k = 0; k < step->count; k++) {
        const struct pf_step_input *input = step->inputs ? &step->inputs[k] : NULL;
        struct pf_weight weight = {input ? input->weight : 1, 1};
        struct pf_error error = {0};

        if (!input || !input->unknown) {
            run->numbers[run->count++] = k;
            continue;
        }
        pf_error_set(&error, PF_IO, "%s", input->reason ? input->reason : "");
        pf_manifest_end(&run->manifest, k, &(struct pf_input){.name = input->name}, &weight, true,
                        &error);
    }
}

/* Checks the partials, and reads the rows of the inputs below them. A partial that cannot be used
 * is removed. */
static void load_partials(struct running *run)
{
    struct pf_step *step = run->step;

    run->rows = pf_tool_calloc(&run->own.tool, step->count, sizeof *run->rows);
    for (size_t k = 0; k < step->count; k++) {
        struct pf_step partial = {.store = step->store, .hash = step->partials[k]};
        struct pf_error error = {0};
        int status = pf_step_load(&partial, &run->rows[k], &error);

        if (status < 0)
            pf_tool_die(&run->own.tool, NULL, &error, true);
        if (status == PF_OK)
            continue;
        run->changed = true;
        pf_tool_note(&run->own.tool, "%s: the partial is made again", error.text);
    }
}

static void free_rows(struct running *run)
{
    for (size_t k = 0; run->rows && k < run->step->count; k++)
        pf_buffer_free(&run->rows[k]);
    free(run->rows);
}

/* The rows of all inputs below the step. If the step leaves a partial out, so are the inputs below
 * it. */
static void list_rows(struct running *run, struct pf_buffer *text)
{
    const struct pf_step *step = run->step;

    for (size_t k = 0; step->inputs && k < step->count; k++)
        step->inputs[k].reported = run->manifest.inputs[k].left_out;
    if (step->inputs)
        pf_manifest_text(&run->manifest, text);
    for (size_t k = 0; step->partials && k < step->count; k++) {
        const struct pf_manifest_input *row = &run->manifest.inputs[k];
        struct pf_bytes rows = {run->rows[k].data, run->rows[k].size};

        if (row->left_out)
            pf_manifest_leave_out(rows, row->reason, text);
        else
            pf_buffer_append(text, rows.data, rows.size);
    }
    if (text->failed)
        pf_tool_nomem(&run->own.tool);
}

/* Writes the rows, then gives the partial its name. */
static int publish(struct running *run, struct pf_store_file *file)
{
    struct pf_step *step = run->step;
    const char *partial = pf_step_path(step, ".pfs"), *rows = pf_step_path(step, ".ndjson");
    struct pf_fingerprint print;
    struct pf_buffer text = {0};
    struct pf_error error = {0};
    int status;

    if (run->changed)
        return PF_FAILED;
    if (!partial || !rows)
        pf_tool_nomem(&run->own.tool);
    list_rows(run, &text);
    status = pf_fingerprint_take(&print, file->temporary, &error);
    append_last(&text, step->hash, print.hash);
    if (text.failed)
        pf_tool_nomem(&run->own.tool);
    if (status == PF_OK)
        status = pf_store_write(step->store, rows, (struct pf_bytes){text.data, text.size}, &error);
    if (status == PF_OK)
        status = pf_store_publish(file, partial, &error);
    if (status != PF_OK)
        pf_tool_fail(&run->own.tool, NULL, &error, true);
    pf_buffer_free(&text);
    return status;
}

/* Makes a pass, and publishes its result unless an input failed. PF_OK; PF_EOF: make another pass;
 * PF_FAILED: printed and raised. */
static int try_pass(struct running *run)
{
    struct pf_store_file file = {0};
    struct pf_temporary *temporary = NULL;
    struct pf_error error = {0};
    int status = pf_store_begin(run->step->store, &file, &error);

    run->own.tool.status = PF_EXIT_DONE;
    if (status != PF_OK) {
        pf_tool_fail(&run->own.tool, NULL, &error, true);
    } else {
        struct pf_sink *sink = file.sink;

        temporary = pf_tool_temporary(&run->own.tool, file.temporary);
        file.sink = NULL;
        write_pass(run, sink);
        if (run->own.tool.status == PF_EXIT_INPUT && run->own.tool.keep_going && drop_failed(run))
            status = PF_EOF;
        else
            status = run->own.tool.status == PF_EXIT_DONE ? publish(run, &file) : PF_FAILED;
    }
    pf_store_end(&file);
    pf_tool_temporary_done(temporary);
    return status == PF_OK || status == PF_EOF ? status : PF_FAILED;
}

int pf_step_run(struct pf_step *step, struct pf_common *common)
{
    enum pf_step_kind kind = step->inputs ? PF_STEP_INPUTS : PF_STEP_PARTIALS;
    struct running run = {.step = step};
    int status;

    run.own = pf_step_common(kind, common);
    pf_merging_read(&run.merging, &run.own);
    list_inputs(&run);
    if (step->partials)
        load_partials(&run);
    run.merging.manifest = &run.manifest;
    run.merging.rows = run.numbers;
    run.merging.whole = true;
    run.merging.check = check_input;
    run.merging.arg = &run;
    while ((status = run.changed ? PF_EOF : try_pass(&run)) == PF_EOF && !run.changed)
        run.own.tool.quiet = true; /* the first pass has warned */
    if (run.changed && (run.own.tool.keep_going || step->partials))
        status = PF_EOF;
    else if (status != PF_OK)
        pf_tool_raise(&common->tool, run.own.tool.status);
    pf_manifest_free(&run.manifest);
    free_rows(&run);
    free(run.numbers);
    free((void *)run.own.given);
    return status;
}

#include "cli/inputs.h"

#include "base/memory.h"
#include "cli/ahead.h"
#include "cli/hint.h"
#include "cli/naming.h"
#include "cli/operands.h"
#include "cli/progress.h"
#include "cli/relabel.h"
#include "cli/selection.h"
#include "codec/codec.h"
#include "codec/registry.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct pf_inputs {
    struct pf_common *common;
    struct pf_dict dict;
    struct pf_shared *shared;
    struct pf_operands operands;
    struct pf_progress progress;
    uint64_t done; /* bytes of inputs that are through */

    size_t next; /* operand to open next */
    bool open;
    struct pf_source *source;
    struct pf_reader *reader;
    struct pf_source *early; /* operand `next`, where it is open already */
    struct pf_ahead *ahead;  /* reads the inputs from `ahead_first`; source and reader are NULL for these */
    size_t ahead_first;
    uint64_t ahead_offset;  /* in the one that is open */
    bool ahead_started;
    struct pf_input input;
    bool stopped, failed;
    unsigned good;

    bool announce; /* the input's own metadata are to be given */
    uint32_t announce_columns[3][2];
    bool want_flush, want_times, unflushed;
    bool want_ends, end_due;
    bool rejected; /* the input at hand */

    struct pf_relabel relabel;
    struct pf_naming *naming; /* NULL: nothing is named */
    struct pf_arena paths;    /* of what names */

    struct pf_selection *selection; /* NULL: all records */
    bool nothing_chosen;            /* of the last batch: it is not passed on */
    struct pf_left_measures left_measures;
    bool removed_due;               /* the input at hand has ended; what was not chosen is to be given */
};

static uint64_t total_size(const struct pf_operands *operands)
{
    uint64_t total = 0;
    for (size_t i = 0; i < operands->count; i++) {
        struct stat info;
        if (stat(operands->names[i], &info) != 0 || !S_ISREG(info.st_mode))
            return 0;
        total += (uint64_t)info.st_size;
    }
    return total;
}

/* `profcat x.pfs >>x.pfs` would read what it writes, without end. */
static void refuse_own_output(struct pf_common *common, const struct pf_operands *operands)
{
    struct stat output, input;
    if ((common->output && strcmp(common->output, "-") != 0) || fstat(STDOUT_FILENO, &output) != 0 || !S_ISREG(output.st_mode))
        return;
    for (size_t i = 0; i < operands->count; i++) {
        const char *name = operands->names[i];
        bool standard = strcmp(name, "-") == 0;
        int status = standard ? fstat(STDIN_FILENO, &input) : stat(name, &input);
        if (status != 0 || input.st_dev != output.st_dev || input.st_ino != output.st_ino)
            continue;
        if (standard)
            pf_tool_usage(&common->tool, "standard input and standard output are one file: write to another file");
        pf_tool_usage(&common->tool, "'%s' is an input and standard output: write to another file, or use -o '%s'", name, name);
    }
}

struct pf_inputs *pf_inputs_open(struct pf_common *common)
{
    struct pf_operands operands;
    pf_operands_expand(&operands, common);
    return pf_inputs_open_names(common, &operands);
}

struct pf_inputs *pf_inputs_open_names(struct pf_common *common, struct pf_operands *operands)
{
    refuse_own_output(common, operands);
    struct pf_inputs *inputs = calloc(1, sizeof *inputs);
    if (!inputs || pf_dict_init(&inputs->dict) < 0 || !(inputs->shared = pf_shared_new()))
        pf_tool_nomem(&common->tool);
    inputs->common = common;
    inputs->operands = *operands;
    pf_progress_start(&inputs->progress, &common->tool, total_size(&inputs->operands));
    return inputs;
}

/* Bytes of the open input that were read. */
static uint64_t offset(const struct pf_inputs *inputs)
{
    return inputs->source ? pf_source_raw_offset(inputs->source) : inputs->ahead_offset;
}

static void close_input(struct pf_inputs *inputs)
{
    pf_reader_close(inputs->reader);
    inputs->reader = NULL;
    inputs->done += offset(inputs);
    pf_source_close(inputs->source);
    inputs->source = NULL;
    inputs->ahead_offset = 0;
    inputs->open = false;
}

struct pf_dict *pf_inputs_dict(struct pf_inputs *inputs)
{
    return &inputs->dict;
}

void pf_inputs_set_labels(struct pf_inputs *inputs)
{
    pf_relabel_read(&inputs->relabel, inputs->common, &inputs->dict);
}

bool pf_inputs_set_names(struct pf_inputs *inputs)
{
    return pf_naming_read(&inputs->naming, &inputs->paths, inputs->common);
}

void pf_inputs_want_ends(struct pf_inputs *inputs)
{
    inputs->want_ends = true;
}

void pf_inputs_want_flush(struct pf_inputs *inputs)
{
    inputs->want_flush = true;
}

void pf_inputs_want_times(struct pf_inputs *inputs)
{
    inputs->want_times = true;
}

void pf_inputs_relocate(struct pf_inputs *inputs)
{
    inputs->common->relocate = true;
}

void pf_inputs_select(struct pf_inputs *inputs)
{
    inputs->selection = calloc(1, sizeof *inputs->selection);
    if (!inputs->selection)
        pf_tool_nomem(&inputs->common->tool);
    pf_selection_read(inputs->selection, inputs->common, &inputs->dict);
    inputs->selection->apart = true;
    inputs->want_times |= inputs->selection->timed;
}

static void say(const struct pf_inputs *inputs, const char *name, enum pf_severity severity, const char *text)
{
    struct pf_tool *tool = &inputs->common->tool;
    if (severity == PF_WARNING)
        pf_tool_warn(tool, "%s: %s", name, text);
    else
        pf_tool_note(tool, "%s: %s", name, text);
}

static void report(void *arg, enum pf_severity severity, const char *text)
{
    const struct pf_inputs *inputs = arg;
    say(inputs, inputs->input.name, severity, text);
}

/* Of inputs that were not all read nobody can say that nothing matches. */
static void close_selection(struct pf_inputs *inputs)
{
    if (!inputs->selection)
        return;
    if (inputs->next == inputs->operands.count && (inputs->selection->seen || !inputs->failed))
        pf_selection_report(inputs->selection);
    pf_selection_free(inputs->selection);
    free(inputs->selection);
}

void pf_inputs_close(struct pf_inputs *inputs)
{
    pf_ahead_stop(inputs->ahead);
    pf_source_close(inputs->early);
    close_input(inputs);
    pf_progress_end(&inputs->progress);
    if (inputs->naming && inputs->good > 0)
        pf_naming_tell(inputs->naming, &inputs->dict, &inputs->common->tool);
    pf_naming_free(inputs->naming);
    close_selection(inputs);
    pf_left_measures_free(&inputs->left_measures);
    pf_arena_free(&inputs->paths);
    pf_operands_free(&inputs->operands);
    pf_shared_free(inputs->shared);
    pf_dict_free(&inputs->dict);
    pf_relabel_free(&inputs->relabel);
    free(inputs);
}

static void input_failed(struct pf_inputs *inputs, const struct pf_error *error)
{
    pf_tool_fail(&inputs->common->tool, inputs->input.name, error, false);
    inputs->failed = true;
    inputs->stopped = !inputs->common->tool.keep_going || error->code == PF_NOMEM;
    inputs->end_due = inputs->want_ends;
    inputs->removed_due = inputs->selection != NULL;
    close_input(inputs);
}

void pf_inputs_reject(struct pf_inputs *inputs, const struct pf_error *error)
{
    pf_tool_fail(&inputs->common->tool, inputs->input.name, error, false);
    inputs->failed = true;
    inputs->good -= inputs->input.complete;
    inputs->rejected = true;
    inputs->stopped |= !inputs->common->tool.keep_going;
}

/* The operand as it appears in data: standard input is "-". */
static void prepare_announcement(struct pf_inputs *inputs)
{
    struct pf_dict *dict = &inputs->dict;
    const struct pf_format *format = inputs->input.format;
    uint32_t origin = pf_dict_intern(dict, PF_BYTES("profutils"), 0);
    inputs->announce_columns[0][0] = inputs->announce_columns[0][1] = origin;
    inputs->announce_columns[1][0] = pf_dict_intern(dict, PF_BYTES("input"), 0);
    inputs->announce_columns[1][1] = pf_dict_intern(dict, PF_BYTES("source_format"), 0);
    inputs->announce_columns[2][0] = pf_dict_intern(dict, pf_bytes_of(inputs->input.name), PF_UTF8);
    inputs->announce_columns[2][1] = pf_dict_intern_word(dict, format->name);
    inputs->announce = !(format->caps & PF_HOLDS_FAILURE); /* a native stream announces what it was made of itself */
}

/* The next operand is the input at hand; nothing is known of it yet. */
static void take_operand(struct pf_inputs *inputs)
{
    inputs->input = (struct pf_input){
        .name = inputs->operands.names[inputs->next],
        .number = (unsigned)inputs->next,
        .variant = "",
        .format = inputs->common->from,
    };
    inputs->rejected = false;
    inputs->next++;
}

/* The operand behind the one at hand, if it is a file that nobody is waited for: a compressed one is unpacked meanwhile. One that cannot be
 * opened is an error when its turn comes. */
static void open_early(struct pf_inputs *inputs)
{
    struct pf_error ignored = {0};
    struct stat info;

    inputs->early = NULL;
    if (inputs->ahead || inputs->next == inputs->operands.count || stat(inputs->operands.names[inputs->next], &info) != 0 ||
        !S_ISREG(info.st_mode) || pf_common_open_source(inputs->common, &inputs->early, inputs->operands.names[inputs->next], &ignored) != PF_OK)
        return;
    pf_source_start(inputs->early);
}

/* Opens it and finds its format. */
static int open_source(struct pf_inputs *inputs, struct pf_error *error)
{
    struct pf_common *common = inputs->common;
    take_operand(inputs);
    int status = PF_OK;
    if (inputs->early)
        inputs->source = inputs->early;
    else
        status = pf_common_open_source(common, &inputs->source, inputs->input.name, error);
    open_early(inputs);
    if (status == PF_OK && !common->from &&
        !(inputs->input.format = pf_registry_guess(inputs->source, inputs->input.name, &inputs->input.evidence, error)))
        status = error->code;
    if (status < 0)
        pf_hint_input(common, inputs->input.name, error);
    return status;
}

static int open_reader(struct pf_inputs *inputs, struct pf_error *error)
{
    const struct pf_common *common = inputs->common;
    struct pf_reader setup = {
        .format = inputs->input.format,
        .source = inputs->source,
        .dict = &inputs->dict,
        .options = &common->from_options,
        .shared = inputs->operands.count > 1 ? inputs->shared : NULL,
        .report = {report, inputs},
        .name = inputs->input.name,
        .salvage = common->tool.salvage,
        .times = inputs->want_times,
        .relocate = common->relocate,
        .flush = inputs->want_flush,
    };
    return pf_reader_open(&inputs->reader, &setup, error);
}

/* What a thread has read ahead, from here on as if it were read now. */
static int open_ahead(struct pf_inputs *inputs, struct pf_error *error)
{
    struct pf_ahead_input facts;
    struct pf_report messages = {report, inputs};
    take_operand(inputs);
    int status = pf_ahead_open(inputs->ahead, &inputs->dict, &messages, &facts, error);
    inputs->input.format = facts.format;
    inputs->input.evidence = facts.evidence;
    if (status < 0)
        pf_hint_input(inputs->common, inputs->input.name, error);
    return status;
}

static void open_input(struct pf_inputs *inputs)
{
    struct pf_error error = {0};
    int status = PF_OK;
    if (!inputs->ahead_started)
        inputs->ahead = pf_ahead_start(inputs->common, &inputs->operands, inputs->next - (inputs->source != NULL), &inputs->ahead_first);
    inputs->ahead_started = true;
    if (inputs->ahead && !inputs->source && inputs->next >= inputs->ahead_first) {
        status = open_ahead(inputs, &error);
    } else {
        if (!inputs->source)
            status = open_source(inputs, &error);
        if (status == PF_OK)
            status = open_reader(inputs, &error);
    }
    if (status < 0) {
        input_failed(inputs, &error);
        return;
    }
    inputs->open = true;
    prepare_announcement(inputs);
    pf_relabel_input(&inputs->relabel, inputs->input.name);
}

/* Files of some formats can stand one behind the other; of others an output is one file. Nothing about the records may be changed. */
static bool may_copy(const struct pf_inputs *inputs, const struct pf_format *format)
{
    return format->copy && !pf_relabel_active(&inputs->relabel) && !inputs->naming &&
           (format->caps & PF_HOLDS_FAILURE || (inputs->operands.count == 1 && !inputs->common->tool.salvage));
}

bool pf_inputs_copy(struct pf_inputs *inputs, const struct pf_format *format, struct pf_sink *sink)
{
    bool copied = false;
    while (may_copy(inputs, format) && !inputs->stopped && inputs->next < inputs->operands.count) {
        struct pf_error error = {0};
        struct pf_report messages = {report, inputs};
        uint64_t records;
        int status = open_source(inputs, &error);
        if (status == PF_OK && (inputs->input.format != format || pf_source_marked(inputs->source)))
            break;
        if (status == PF_OK) {
            copied = true;
            status = format->copy(inputs->source, sink, &messages, inputs->common->tool.salvage, &records, &error);
            if (pf_sink_status(sink, NULL) < 0)
                break;
        }
        if (status == PF_OK) {
            inputs->good++;
            close_input(inputs);
        } else {
            input_failed(inputs, &error);
        }
        pf_progress_update(&inputs->progress, inputs->done);
    }
    return copied;
}

/* Labels and names that were asked for. False: out of memory. */
static bool dress(struct pf_inputs *inputs, struct pf_batch *batch)
{
    struct pf_batch plain;
    if (pf_relabel_active(&inputs->relabel) && pf_relabel_batch(&inputs->relabel, batch) != PF_OK)
        return false;
    plain = *batch;
    return !inputs->naming || pf_naming_batch(inputs->naming, &inputs->dict, &plain, batch) == PF_OK;
}

static void give_announcement(struct pf_inputs *inputs, struct pf_batch *batch)
{
    memset(batch, 0, sizeof *batch);
    batch->kind = PF_META;
    batch->rows = inputs->input.format->caps & PF_TELLS_SOURCE ? 1 : 2;
    batch->origin = inputs->announce_columns[0];
    batch->key = inputs->announce_columns[1];
    batch->value = inputs->announce_columns[2];
    inputs->announce = false;
}

/* True when the producer lets us wait and something written is still held back. */
static bool flush_now(struct pf_inputs *inputs)
{
    if (!inputs->want_flush || !inputs->unflushed || !inputs->source || !pf_source_would_block(inputs->source))
        return false;
    inputs->unflushed = false;
    return true;
}

static void give_end(struct pf_inputs *inputs, struct pf_batch *batch)
{
    memset(batch, 0, sizeof *batch);
    batch->kind = PF_META;
    inputs->input.ended = true;
    inputs->end_due = false;
}

static int next_batch(struct pf_inputs *inputs, struct pf_batch *batch, struct pf_error *error)
{
    const char *variant;
    int status;
    if (inputs->reader) {
        status = pf_reader_next(inputs->reader, batch);
        variant = inputs->reader->variant;
        *error = inputs->reader->error;
    } else {
        struct pf_ahead_input facts;
        struct pf_report messages = {report, inputs};
        status = pf_ahead_next(inputs->ahead, &inputs->dict, &messages, batch, &facts, error);
        variant = facts.variant;
        inputs->ahead_offset = facts.offset;
    }
    if (variant)
        inputs->input.variant = variant;
    return status;
}

/* Leaves the chosen records of a batch. */
static int choose(struct pf_inputs *inputs, struct pf_batch *batch, struct pf_error *error)
{
    struct pf_batch all = *batch;
    int status;
    if (!inputs->selection)
        return PF_OK;
    pf_selection_note(inputs->selection, inputs->input.number, &all);
    status = pf_selection_batch(inputs->selection, &all, batch, error);
    inputs->nothing_chosen = all.rows > 0 && batch->rows == 0;
    return status == PF_NOMEM ? pf_error_nomem(error) : status;
}

static int read_batch(struct pf_inputs *inputs, struct pf_batch *batch)
{
    struct pf_error error = {0};
    int status = next_batch(inputs, batch, &error);
    pf_progress_update(&inputs->progress, inputs->done + offset(inputs));
    if (status == PF_EOF) {
        inputs->good += !inputs->rejected;
        inputs->input.complete = !inputs->rejected;
        inputs->end_due = inputs->want_ends;
        inputs->removed_due = inputs->selection != NULL;
        close_input(inputs);
    } else if (status < 0) {
        input_failed(inputs, &error);
    } else if ((status = choose(inputs, batch, &error)) < 0 ||
               (status = pf_left_measures_add(&inputs->left_measures, batch, inputs->input.name)) < 0 ||
               (batch->kind < PF_RECORD_KINDS && batch->rows && !dress(inputs, batch))) {
        if (status == PF_OK || status == PF_NOMEM)
            status = pf_error_nomem(&error);
        input_failed(inputs, &error);
    }
    inputs->unflushed = true;
    return status;
}

/* What was not chosen of the input that has ended. False: nothing. */
static bool give_removed(struct pf_inputs *inputs, struct pf_batch *batch)
{
    inputs->removed_due = false;
    if (pf_selection_removed(inputs->selection, batch) != PF_OK)
        pf_tool_nomem(&inputs->common->tool);
    return batch->rows > 0;
}

int pf_inputs_next(struct pf_inputs *inputs, struct pf_batch *batch, struct pf_input *input)
{
    for (;;) {
        if (inputs->removed_due && give_removed(inputs, batch)) {
            if (input)
                *input = inputs->input;
            return PF_OK;
        }
        if (inputs->end_due) {
            give_end(inputs, batch);
            if (input)
                *input = inputs->input;
            return PF_OK;
        }
        if (!inputs->open) {
            if (inputs->stopped || (!inputs->source && inputs->next == inputs->operands.count))
                return PF_EOF;
            open_input(inputs);
            continue;
        }
        if (input)
            *input = inputs->input;
        if (inputs->announce) {
            give_announcement(inputs, batch);
            if (inputs->selection)
                pf_selection_note(inputs->selection, inputs->input.number, batch);
            return PF_OK;
        }
        if (flush_now(inputs)) {
            memset(batch, 0, sizeof *batch);
            return PF_OK;
        }
        if (read_batch(inputs, batch) == PF_OK && !inputs->nothing_chosen)
            return PF_OK;
    }
}

uint64_t pf_inputs_left_out(const struct pf_inputs *inputs, const struct pf_held_measures *held, uint64_t *all, const char **input)
{
    return pf_left_measures_count(&inputs->left_measures, &inputs->dict, held, all, input);
}

bool pf_inputs_failed(const struct pf_inputs *inputs)
{
    return inputs->failed;
}

unsigned pf_inputs_count(const struct pf_inputs *inputs)
{
    return (unsigned)inputs->operands.count;
}

unsigned pf_inputs_good(const struct pf_inputs *inputs)
{
    return inputs->good;
}

uint32_t pf_inputs_group(const struct pf_inputs *inputs, unsigned number)
{
    return inputs->operands.groups[number];
}

const char *const *pf_inputs_names(const struct pf_inputs *inputs)
{
    return (const char *const *)inputs->operands.names;
}

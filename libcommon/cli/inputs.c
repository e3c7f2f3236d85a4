#include "cli/inputs.h"

#include "analysis/merge/eval_batches.h"
#include "cli/ahead.h"
#include "cli/annotation.h"
#include "cli/hint.h"
#include "cli/operands.h"
#include "cli/selection.h"
#include "codec/codec.h"
#include "codec/registry.h"
#include "io/content.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The operands, opened and read one after the other, in this thread or in threads that read ahead.
 */
struct feed {
    struct pf_common *common;
    struct pf_dict *dict;
    struct pf_operands operands; /* owned */
    unsigned wants;              /* enum pf_inputs_want */
    bool want_content;           /* hash the inputs */
    bool muted;                  /* send no messages */

    struct pf_shared *shared;
    size_t next;           /* operand to open next */
    struct pf_input input; /* the operand that was opened last */
    bool open;             /* batches can be read */
    bool ended;            /* the last batch was read */
    uint64_t done;         /* bytes of finished inputs */
    struct pf_source *source;
    struct pf_reader *reader;
    struct pf_source *early; /* operand `next`, if already open */
    struct pf_ahead
        *ahead; /* reads the inputs from `ahead_first`; source and reader are NULL for these */
    size_t ahead_first;
    uint64_t ahead_offset; /* offset in the open input */
    bool ahead_started;
};

struct pf_inputs {
    struct pf_common *common;
    struct pf_dict dict;
    struct feed feed;
    struct pf_progress progress;
    bool stopped, failed;
    unsigned good;
    struct pf_error failure; /* of the current input */

    bool announce; /* return the metadata about the input first */
    uint32_t announce_columns[3][2];
    bool unflushed; /* something was returned since the last flush */
    bool end_due;   /* return the end of the input that has ended */
    bool rejected;  /* the current input was rejected */

    struct pf_annotation annotation;
    struct pf_selection *selection; /* NULL: all records */
    struct pf_replicates replicates;
    bool nothing_chosen; /* the last batch has no record to return */
    struct pf_left_measures left_measures;
    /* the current input has ended: return the metadata of the removed records */
    bool removed_due;

    struct pf_eval_batches *evals; /* NULL: names of evals stay */
    struct pf_input eval_input;    /* the input of the batches in `evals` */
    bool eval_met, eval_due;       /* `eval_input` is set; a batch of the next input waits */
    bool eval_failed;              /* the evals failed: no more batches come */
    struct pf_batch next_batch;
    struct pf_input next_input;
};

/* --- sources ---------------------------------------------------------------------------------- */

static void report(void *arg, enum pf_severity severity, const char *text)
{
    const struct feed *feed = arg;

    if (feed->muted)
        return;
    if (severity == PF_WARNING)
        pf_tool_warn(&feed->common->tool, "%s: %s", feed->input.name, text);
    else
        pf_tool_note(&feed->common->tool, "%s: %s", feed->input.name, text);
}

/* Sends messages about the current input as warnings and notes. */
static struct pf_report feed_report(struct feed *feed)
{
    return (struct pf_report){report, feed};
}

/* True if no operand is left to open. */
static bool feed_ended(const struct feed *feed)
{
    return !feed->source && feed->next == feed->operands.count;
}

/* Makes the next operand the current input, with no facts known. */
static void next_operand(struct feed *feed)
{
    feed->input = (struct pf_input){
        .name = feed->operands.names[feed->next],
        .number = (unsigned)feed->next,
        .first = (unsigned)(feed->operands.first ? feed->operands.first[feed->next] : feed->next),
        .variant = "",
        .format = feed->common->from,
    };
    feed->next++;
}

static bool is_regular(const char *name)
{
    struct stat info;

    return stat(name, &info) == 0 && S_ISREG(info.st_mode);
}

/* True for pipes, standard input and devices, which cannot be read twice. */
static bool is_read_once(const char *name)
{
    struct stat info;

    return strcmp(name, "-") == 0 ||
           (stat(name, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode));
}

/* Hashes the current input, if this is wanted. *source: a copy of an input that cannot be read
 * twice; NULL: the input has to be opened. A file that cannot be read has no hash; opening the file
 * fails too. */
static int hash_content(struct feed *feed, struct pf_source **source, struct pf_error *error)
{
    struct pf_error ignored = {0};
    const char *name = feed->input.name;
    int file, status;

    *source = NULL;
    if (!feed->want_content)
        return PF_OK;
    if (!is_read_once(name)) {
        status = pf_content_hash(name, &feed->input.content, &ignored);
        return status == PF_NOMEM ? pf_error_nomem(error) : PF_OK;
    }
    status = pf_content_copy(name, &file, &feed->input.content, error);
    if (status == PF_OK)
        status = pf_source_open_file(source, file, strcmp(name, "-") == 0 ? "standard input" : name,
                                     error);
    if (status == PF_OK)
        pf_source_limit(*source, feed->common->max_input);
    return status;
}

/* Opens the operand after the current one, if it is a regular file: a compressed file is then
 * unpacked in a thread. A failure is reported when the operand becomes the current input. */
static void open_early(struct feed *feed)
{
    struct pf_error ignored = {0};

    feed->early = NULL;
    if (feed->ahead || feed->next == feed->operands.count ||
        !is_regular(feed->operands.names[feed->next]) ||
        pf_common_open_source(feed->common, &feed->early, feed->operands.names[feed->next],
                              &ignored) != PF_OK)
        return;
    pf_source_start(feed->early);
}

/* Opens the source of the next operand and detects its format, without a reader: for a copy of
 * its bytes. feed->input is always this operand. */
static int feed_open_source(struct feed *feed, struct pf_error *error)
{
    struct pf_common *common = feed->common;
    next_operand(feed);
    struct pf_source *copy;
    int status = hash_content(feed, &copy, error);
    if (feed->early || copy)
        feed->source = feed->early ? feed->early : copy;
    else if (status == PF_OK)
        status = pf_common_open_source(common, &feed->source, feed->input.name, error);
    open_early(feed);
    if (status == PF_OK && !common->from &&
        !(feed->input.format =
              pf_registry_guess(feed->source, feed->input.name, &feed->input.evidence, error)))
        status = error->code;
    if (status < 0)
        pf_hint_input(common, feed->input.name, error);
    return status;
}

static int open_reader(struct feed *feed, struct pf_error *error)
{
    const struct pf_common *common = feed->common;
    struct pf_reader setup = {
        .format = feed->input.format,
        .source = feed->source,
        .dict = feed->dict,
        .options = &common->from_options,
        .shared = feed->operands.count > 1 ? feed->shared : NULL,
        .report = feed_report(feed),
        .name = feed->input.name,
        .salvage = common->tool.salvage,
        .times = feed->wants & PF_WANT_TIMES,
        .relocate = common->relocate,
        .flush = feed->wants & PF_WANT_FLUSH,
    };
    return pf_reader_open(&feed->reader, &setup, error);
}

/* Opens the next input, which a thread has read ahead. */
static int open_ahead(struct feed *feed, struct pf_error *error)
{
    struct pf_ahead_input facts;
    struct pf_report messages = feed_report(feed);
    struct pf_source *none; /* threads read regular files only */
    next_operand(feed);
    int status = hash_content(feed, &none, error);
    if (status != PF_OK)
        return status;
    status = pf_ahead_open(feed->ahead, feed->dict, &messages, &facts, error);
    feed->input.format = facts.format;
    feed->input.evidence = facts.evidence;
    if (status < 0)
        pf_hint_input(feed->common, feed->input.name, error);
    return status;
}

/* Opens the next operand for reading, or the operand whose source is open. feed->input is always
 * this operand. */
static int feed_open(struct feed *feed, struct pf_error *error)
{
    int status = PF_OK;

    if (!feed->ahead_started)
        feed->ahead = pf_ahead_start(feed->common, &feed->operands, feed->wants & PF_WANT_TIMES,
                                     feed->next - (feed->source != NULL), &feed->ahead_first);
    feed->ahead_started = true;
    if (feed->ahead && !feed->source && feed->next >= feed->ahead_first) {
        status = open_ahead(feed, error);
    } else {
        if (!feed->source)
            status = feed_open_source(feed, error);
        if (status == PF_OK)
            status = open_reader(feed, error);
    }
    feed->open = status >= 0;
    feed->ended = false;
    return status;
}

static int feed_next(struct feed *feed, struct pf_batch *batch, struct pf_error *error)
{
    const char *variant;
    int status;
    if (feed->reader) {
        status = pf_reader_next(feed->reader, batch);
        variant = feed->reader->variant;
        *error = feed->reader->error;
    } else {
        struct pf_ahead_input facts;
        struct pf_report messages = feed_report(feed);
        status = pf_ahead_next(feed->ahead, feed->dict, &messages, batch, &facts, error);
        variant = facts.variant;
        feed->ahead_offset = facts.offset;
    }
    if (variant)
        feed->input.variant = variant;
    feed->ended = status != PF_OK;
    return status;
}

/* Skips the rest of the open input without messages: a file of a series is read to its end, because
 * the next file depends on it. */
static void feed_skip(struct feed *feed)
{
    struct pf_error ignored = {0};
    struct pf_batch batch;

    feed->muted = true;
    if (!feed->reader || feed->input.format->series)
        while (!feed->ended && feed_next(feed, &batch, &ignored) == PF_OK) {
        }
    feed->muted = false;
}

/* How many bytes of the open input were read. */
static uint64_t offset(const struct feed *feed)
{
    return feed->source ? pf_source_raw_offset(feed->source) : feed->ahead_offset;
}

/* The number of bytes read of all inputs. */
static uint64_t feed_bytes(const struct feed *feed)
{
    return feed->done + offset(feed);
}

/* True if a read of the open input would wait for its producer. */
static bool feed_would_block(const struct feed *feed)
{
    return feed->source && pf_source_would_block(feed->source);
}

/* Closes the open operand, if any. */
static void feed_close(struct feed *feed)
{
    pf_reader_close(feed->reader);
    feed->reader = NULL;
    feed->done += offset(feed);
    pf_source_close(feed->source);
    feed->source = NULL;
    feed->ahead_offset = 0;
    feed->open = false;
}

static void feed_free(struct feed *feed)
{
    pf_ahead_stop(feed->ahead);
    pf_source_close(feed->early);
    feed_close(feed);
    pf_operands_free(&feed->operands);
    pf_shared_free(feed->shared);
}

/* --- opening ---------------------------------------------------------------------------------- */

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

/* Exits 2 if standard output is also an input: `profcat x.pfs >>x.pfs` would read what it writes,
 * without end. */
static void refuse_own_output(struct pf_common *common, const struct pf_operands *operands)
{
    struct stat output, input;
    if ((common->output && strcmp(common->output, "-") != 0) ||
        fstat(STDOUT_FILENO, &output) != 0 || !S_ISREG(output.st_mode))
        return;
    for (size_t i = 0; i < operands->count; i++) {
        const char *name = operands->names[i];
        bool standard = strcmp(name, "-") == 0;
        int status = standard ? fstat(STDIN_FILENO, &input) : stat(name, &input);
        if (status != 0 || input.st_dev != output.st_dev || input.st_ino != output.st_ino)
            continue;
        if (standard)
            pf_tool_usage(
                &common->tool,
                "standard input and standard output are the same file: write to another file");
        pf_tool_usage(
            &common->tool,
            "'%s' is both an input and standard output: write to another file, or use -o '%s'",
            name, name);
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
    struct pf_inputs *inputs = pf_tool_calloc(&common->tool, 1, sizeof *inputs);
    pf_tool_check_memory(&common->tool, pf_dict_init(&inputs->dict));
    inputs->common = common;
    inputs->annotation.dict = &inputs->dict;
    inputs->feed = (struct feed){.common = common, .dict = &inputs->dict, .operands = *operands};
    pf_annotation_read_metadata(&inputs->annotation, common);
    inputs->feed.shared = pf_shared_new();
    if (!inputs->feed.shared)
        pf_tool_nomem(&common->tool);
    pf_progress_start(&inputs->progress, &common->tool, total_size(&inputs->feed.operands));
    return inputs;
}

struct pf_dict *pf_inputs_dict(struct pf_inputs *inputs)
{
    return &inputs->dict;
}

void pf_inputs_set_labels(struct pf_inputs *inputs)
{
    pf_annotation_read_labels(&inputs->annotation, inputs->common);
    inputs->feed.want_content = inputs->annotation.groups > 0 && !inputs->annotation.by_name;
}

unsigned pf_inputs_replicates(const struct pf_inputs *inputs, uint32_t *name)
{
    *name = inputs->annotation.replicate;
    return inputs->annotation.groups;
}

bool pf_inputs_set_names(struct pf_inputs *inputs)
{
    return pf_annotation_read_names(&inputs->annotation, inputs->common);
}

void pf_inputs_want(struct pf_inputs *inputs, unsigned wants)
{
    inputs->feed.wants |= wants;
    inputs->common->relocate = inputs->feed.wants & PF_WANT_RELOCATED;
}

void pf_inputs_select(struct pf_inputs *inputs)
{
    inputs->selection = pf_tool_calloc(&inputs->common->tool, 1, sizeof *inputs->selection);
    pf_selection_read(inputs->selection, inputs->common, &inputs->dict);
    inputs->selection->apart = true;
    if (inputs->selection->timed)
        pf_inputs_want(inputs, PF_WANT_TIMES);
}

const struct pf_evals *pf_inputs_join_evals(struct pf_inputs *inputs, bool notes)
{
    struct pf_tool *tool = &inputs->common->tool;
    bool apart = inputs->common->evals == PF_EVALS_APART;

    inputs->evals = pf_tool_calloc(tool, 1, sizeof *inputs->evals);
    pf_tool_check_memory(tool, pf_eval_batches_init(inputs->evals, &inputs->dict, apart));
    inputs->evals->notes = notes;
    return &inputs->evals->evals;
}

void pf_inputs_find_evals(struct pf_inputs *inputs, bool joins, bool several)
{
    struct pf_eval_batches *batches = inputs->evals;
    struct pf_evals *evals = &batches->evals;
    bool single = !several && batches->announced <= 1 && evals->inputs <= 1;

    evals->names_win = joins && !evals->apart;
    pf_tool_check_memory(&inputs->common->tool, pf_evals_find(evals, single));
    if (evals->bare > 0 && !single && !evals->apart)
        pf_tool_warn(&inputs->common->tool,
                     "%zu string evals have no source text: their numbers and places decide which "
                     "are the same",
                     evals->bare);
}

/* Reports expressions that matched nothing, if all inputs were read. */
static void close_selection(struct pf_inputs *inputs)
{
    if (!inputs->selection)
        return;
    if (!(inputs->feed.wants & PF_WANT_PART) && inputs->feed.next == inputs->feed.operands.count &&
        (inputs->selection->seen || !inputs->failed))
        pf_selection_report(inputs->selection);
    pf_selection_free(inputs->selection);
    free(inputs->selection);
}

/* Reports missing metadata, if all inputs were read. */
static void close_staging(struct pf_inputs *inputs)
{
    const struct pf_report report = pf_tool_report(&inputs->common->tool);

    if (!(inputs->feed.wants & PF_WANT_PART) && inputs->good > 0 &&
        inputs->feed.next == inputs->feed.operands.count &&
        pf_staging_report(&inputs->annotation.staging, &report) != PF_OK)
        pf_tool_nomem(&inputs->common->tool);
}

void pf_inputs_close(struct pf_inputs *inputs)
{
    feed_close(&inputs->feed);
    pf_progress_end(&inputs->progress);
    close_staging(inputs);
    if (inputs->good > 0)
        pf_annotation_report(&inputs->annotation, &inputs->common->tool);
    close_selection(inputs);
    if (inputs->evals)
        pf_eval_batches_free(inputs->evals);
    free(inputs->evals);
    pf_left_measures_free(&inputs->left_measures);
    pf_replicates_free(&inputs->replicates);
    feed_free(&inputs->feed);
    pf_annotation_free(&inputs->annotation);
    pf_dict_free(&inputs->dict);
    free(inputs);
}

static void input_failed(struct pf_inputs *inputs, const struct pf_error *error)
{
    inputs->failure = *error;
    inputs->feed.input.failure = &inputs->failure;
    pf_tool_fail(&inputs->common->tool, inputs->feed.input.name, error, false);
    inputs->failed = true;
    inputs->stopped = !inputs->common->tool.keep_going || error->code == PF_NOMEM;
    inputs->end_due = inputs->feed.wants & PF_WANT_ENDS;
    inputs->removed_due = inputs->selection;
    feed_close(&inputs->feed);
}

void pf_inputs_reject(struct pf_inputs *inputs, const struct pf_error *error)
{
    pf_tool_fail(&inputs->common->tool, inputs->feed.input.name, error, false);
    inputs->failed = true;
    inputs->good -= inputs->feed.input.complete;
    inputs->rejected = true;
    inputs->stopped |= !inputs->common->tool.keep_going;
}

/* Prepares the metadata about an input: the operand (standard input is "-") and the format. */
static void prepare_announcement(struct pf_inputs *inputs)
{
    struct pf_dict *dict = &inputs->dict;
    const struct pf_format *format = inputs->feed.input.format;
    uint32_t origin = pf_dict_intern(dict, PF_BYTES("profutils"), 0);
    inputs->announce_columns[0][0] = inputs->announce_columns[0][1] = origin;
    inputs->announce_columns[1][0] = pf_dict_intern(dict, PF_BYTES("input"), 0);
    inputs->announce_columns[1][1] = pf_dict_intern(dict, PF_BYTES("source_format"), 0);
    inputs->announce_columns[2][0] =
        pf_dict_intern(dict, pf_bytes_of(inputs->feed.input.name), PF_UTF8);
    inputs->announce_columns[2][1] = pf_dict_intern_word(dict, format->name);
    /* a native stream has the names of its own inputs */
    inputs->announce = !(format->caps & PF_HOLDS_FAILURE);
}

static void open_input(struct pf_inputs *inputs)
{
    struct pf_staging *staging = &inputs->annotation.staging;
    const struct pf_input *input = &inputs->feed.input;
    struct pf_error error = {0};

    inputs->rejected = false;
    if (feed_open(&inputs->feed, &error) < 0) {
        input_failed(inputs, &error);
        return;
    }
    prepare_announcement(inputs);
    pf_annotation_input(&inputs->annotation, input->name, input->content, input->first);
    if (pf_staging_active(staging)) {
        const struct pf_report report = feed_report(&inputs->feed);

        pf_staging_input(staging, inputs->feed.input.format, &report);
    }
}

/* True if inputs may be copied unchanged. Copies of several files fit one output only if the format
 * allows several profiles in a file; no option may change the records. */
static bool may_copy(const struct pf_inputs *inputs, const struct pf_format *format)
{
    return format->copy && !pf_annotation_active(&inputs->annotation) &&
           (format->caps & PF_HOLDS_FAILURE ||
            (inputs->feed.operands.count == 1 && !inputs->common->tool.salvage));
}

bool pf_inputs_copy(struct pf_inputs *inputs, const struct pf_format *format, struct pf_sink *sink)
{
    bool copied = false;
    while (may_copy(inputs, format) && !inputs->stopped &&
           inputs->feed.next < inputs->feed.operands.count) {
        struct pf_error error = {0};
        struct pf_report messages = feed_report(&inputs->feed);
        uint64_t records;
        int status = feed_open_source(&inputs->feed, &error);
        if (status == PF_OK &&
            (inputs->feed.input.format != format || pf_source_marked(inputs->feed.source)))
            break;
        if (status == PF_OK) {
            copied = true;
            status = format->copy(inputs->feed.source, sink, &messages,
                                  inputs->common->tool.salvage, &records, &error);
            if (pf_sink_status(sink, NULL) < 0)
                break;
        }
        if (status == PF_OK) {
            inputs->good++;
            feed_close(&inputs->feed);
        } else {
            input_failed(inputs, &error);
        }
        pf_progress_update(&inputs->progress, feed_bytes(&inputs->feed));
    }
    return copied;
}

static void give_announcement(struct pf_inputs *inputs, struct pf_batch *batch)
{
    memset(batch, 0, sizeof *batch);
    batch->kind = PF_META;
    batch->rows = inputs->feed.input.format->caps & PF_TELLS_SOURCE ? 1 : 2;
    batch->origin = inputs->announce_columns[0];
    batch->key = inputs->announce_columns[1];
    batch->value = inputs->announce_columns[2];
    inputs->announce = false;
}

/* True if the producer is slow and something was returned since the last flush. */
static bool flush_now(struct pf_inputs *inputs)
{
    if (!(inputs->feed.wants & PF_WANT_FLUSH) || !inputs->unflushed ||
        !feed_would_block(&inputs->feed))
        return false;
    inputs->unflushed = false;
    return true;
}

static void give_end(struct pf_inputs *inputs, struct pf_batch *batch)
{
    memset(batch, 0, sizeof *batch);
    batch->kind = PF_META;
    inputs->feed.input.ended = true;
    inputs->end_due = false;
}

/* Removes the records that are not selected from a batch. A batch without records still declares
 * its measures: an input of which nothing is selected has the amount 0, which is not the same as an
 * input that lacks the measure. */
static int select_records(struct pf_inputs *inputs, struct pf_batch *batch, struct pf_error *error)
{
    struct pf_batch all = *batch;
    int status;
    if (!inputs->selection)
        return PF_OK;
    pf_selection_note(inputs->selection, inputs->feed.input.number, &all);
    status = pf_selection_batch(inputs->selection, &all, batch, error);
    inputs->nothing_chosen = all.rows > 0 && batch->rows == 0 && batch->value_count == 0;
    return status == PF_NOMEM ? pf_error_nomem(error) : status;
}

static int hide_runs(struct pf_inputs *inputs, struct pf_batch *batch)
{
    struct pf_batch all = *batch, runs;

    if (!(inputs->feed.wants & PF_WANT_NO_RUNS) || !pf_replicates_here(&inputs->dict, batch))
        return PF_OK;
    if (pf_replicates_part(&inputs->replicates, &inputs->dict, &all, batch, &runs) != PF_OK)
        return PF_NOMEM;
    inputs->nothing_chosen = batch->rows == 0 && batch->value_count == 0;
    return PF_OK;
}

/* Notes the measures of the records; a record that counts runs has none. */
static int note_measures(struct pf_inputs *inputs, const struct pf_batch *batch)
{
    if (batch->value_count == 1 && pf_replicates_here(&inputs->dict, batch))
        return PF_OK;
    return pf_left_measures_add(&inputs->left_measures, batch, inputs->feed.input.name);
}

/* The announcement of the input, then its batches. */
static int next_of_input(void *context, struct pf_batch *batch, struct pf_error *error)
{
    struct pf_inputs *inputs = context;

    if (!inputs->announce)
        return feed_next(&inputs->feed, batch, error);
    give_announcement(inputs, batch);
    return PF_OK;
}

static int read_batch(struct pf_inputs *inputs, struct pf_batch *batch)
{
    struct pf_error error = {0};
    struct pf_staging *staging = &inputs->annotation.staging;
    int status = pf_staging_active(staging)
                     ? pf_staging_next(staging, next_of_input, inputs, batch, &error)
                     : next_of_input(inputs, batch, &error);
    inputs->nothing_chosen = false;
    pf_progress_update(&inputs->progress, feed_bytes(&inputs->feed));
    if (status == PF_EOF && pf_staging_left_out(staging)) {
        inputs->good++;
        inputs->feed.input.complete = inputs->feed.input.left_out = true;
        inputs->end_due = inputs->feed.wants & PF_WANT_ENDS;
        feed_skip(&inputs->feed);
        feed_close(&inputs->feed);
    } else if (status == PF_EOF) {
        inputs->good += !inputs->rejected;
        inputs->feed.input.complete = !inputs->rejected;
        inputs->end_due = inputs->feed.wants & PF_WANT_ENDS;
        inputs->removed_due = inputs->selection;
        feed_close(&inputs->feed);
    } else if (status < 0) {
        input_failed(inputs, &error);
    } else if ((status = select_records(inputs, batch, &error)) < 0 ||
               (status = hide_runs(inputs, batch)) < 0 ||
               (status = note_measures(inputs, batch)) < 0 ||
               (batch->kind < PF_RECORD_KINDS && batch->rows &&
                (status = pf_annotation_batch(&inputs->annotation, batch, &error)) < 0)) {
        if (status == PF_NOMEM)
            pf_error_nomem(&error);
        input_failed(inputs, &error);
    }
    inputs->unflushed = true;
    return status;
}

/* Makes a batch of metadata about the removed records of the input that has ended. False: no
 * records were removed. */
static bool give_removed(struct pf_inputs *inputs, struct pf_batch *batch)
{
    inputs->removed_due = false;
    pf_tool_check_memory(&inputs->common->tool, pf_selection_removed(inputs->selection, batch));
    return batch->rows > 0;
}

/* The next batch of an input, with the names of the input. *input is always set. */
static int next_batch(struct pf_inputs *inputs, struct pf_batch *batch, struct pf_input *input)
{
    for (;;) {
        if (inputs->removed_due && give_removed(inputs, batch)) {
            *input = inputs->feed.input;
            return PF_OK;
        }
        if (inputs->end_due) {
            give_end(inputs, batch);
            *input = inputs->feed.input;
            return PF_OK;
        }
        if (!inputs->feed.open) {
            if (inputs->stopped || feed_ended(&inputs->feed))
                return PF_EOF;
            open_input(inputs);
            continue;
        }
        *input = inputs->feed.input;
        if (flush_now(inputs)) {
            memset(batch, 0, sizeof *batch);
            return PF_OK;
        }
        if (read_batch(inputs, batch) == PF_OK && !inputs->nothing_chosen)
            return PF_OK;
    }
}

/* Gives a batch to `evals`, or ends the input there first. False: everything is read. */
static bool feed_evals(struct pf_inputs *inputs)
{
    struct pf_eval_batches *evals = inputs->evals;
    struct pf_input *next = &inputs->next_input;

    if (!inputs->eval_due && next_batch(inputs, &inputs->next_batch, next) == PF_OK)
        inputs->eval_due = true;
    if (inputs->eval_met &&
        (!inputs->eval_due || next->ended || next->number != inputs->eval_input.number)) {
        inputs->eval_met = false;
        pf_eval_batches_end(evals);
    } else if (inputs->eval_due && !next->ended) {
        const struct pf_format *format = next->format;

        evals->alone = inputs->feed.operands.count == 1 && !(format->caps & PF_HOLDS_FAILURE);
        pf_eval_batches_put(evals, &inputs->next_batch, format->caps & PF_TEXTS_FIRST);
        inputs->eval_input = *next;
        inputs->eval_met = true;
        inputs->eval_due = false;
    } else {
        return false;
    }
    return true;
}

int pf_inputs_next(struct pf_inputs *inputs, struct pf_batch *batch, struct pf_input *input)
{
    struct pf_error error = {0};
    struct pf_input of;
    int status = PF_EOF;

    if (!inputs->evals)
        return next_batch(inputs, batch, input ? input : &of);
    if (inputs->eval_failed)
        return PF_EOF;
    while ((status = pf_eval_batches_next(inputs->evals, batch, &error)) == PF_EOF &&
           feed_evals(inputs)) {
    }
    of = inputs->eval_input;
    if (status == PF_EOF && inputs->eval_due) {
        *batch = inputs->next_batch;
        of = inputs->next_input;
        inputs->eval_due = false;
        status = PF_OK;
    }
    if (status < 0) {
        pf_tool_fail(&inputs->common->tool, of.name, &error, false);
        inputs->failed = inputs->stopped = inputs->eval_failed = true;
        status = PF_EOF;
    }
    if (input)
        *input = of;
    return status;
}

uint64_t pf_inputs_left_out(const struct pf_inputs *inputs, const struct pf_held_measures *held,
                            uint64_t *all, const char **input)
{
    return pf_left_measures_count(&inputs->left_measures, &inputs->dict, held, all, input);
}

bool pf_inputs_failed(const struct pf_inputs *inputs)
{
    return inputs->failed;
}

unsigned pf_inputs_count(const struct pf_inputs *inputs)
{
    return (unsigned)inputs->feed.operands.count;
}

unsigned pf_inputs_good(const struct pf_inputs *inputs)
{
    return inputs->good;
}

uint32_t pf_inputs_group(const struct pf_inputs *inputs, unsigned number)
{
    return inputs->feed.operands.groups[number];
}

const char *const *pf_inputs_names(const struct pf_inputs *inputs)
{
    return (const char *const *)inputs->feed.operands.names;
}

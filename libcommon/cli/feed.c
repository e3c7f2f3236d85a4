#include "cli/feed.h"

#include "cli/ahead.h"
#include "cli/hint.h"
#include "codec/codec.h"
#include "codec/registry.h"
#include "codec/shared.h"
#include "io/content.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct pf_feed {
    struct pf_stage stage;
    struct pf_common *common;
    struct pf_dict *dict;
    struct pf_operands operands;
    struct pf_feed_wants wants;
    struct pf_progress progress;

    enum { BETWEEN, BEGUN, READING, ENDING } state; /* ENDING: PF_EVENT_END is next */
    struct pf_input input;                          /* the operand that was opened last */
    struct pf_error failure;                        /* of this input */
    bool rejected;                                  /* this input was rejected */
    bool ended;                                     /* the last batch of this input was read */
    bool muted;                                     /* send no messages */
    bool unflushed; /* something was given since the last PF_EVENT_FLUSH */
    bool stopped, failed;
    unsigned good;                 /* the number of completely read inputs */
    uint32_t source_columns[3][2]; /* metadata about the input */

    struct pf_shared *shared;
    size_t next;   /* operand to open next */
    uint64_t done; /* bytes of finished inputs */
    struct pf_source *source;
    struct pf_reader *reader;
    struct pf_source *early; /* operand `next`, if already open */
    struct pf_ahead
        *ahead; /* reads the inputs from `ahead_first`; source and reader are NULL for these */
    size_t ahead_first;
    uint64_t ahead_offset; /* offset in the open input */
    bool ahead_started;
};

/* --- sources ---------------------------------------------------------------------------------- */

static void report(void *arg, enum pf_severity severity, const char *text)
{
    const struct pf_feed *feed = arg;

    if (feed->muted)
        return;
    if (severity == PF_WARNING)
        pf_tool_warn(&feed->common->tool, "%s: %s", feed->input.name, text);
    else
        pf_tool_note(&feed->common->tool, "%s: %s", feed->input.name, text);
}

struct pf_report pf_feed_report(struct pf_feed *feed)
{
    return (struct pf_report){report, feed};
}

/* Makes the next operand the current input, with no facts known. */
static void next_operand(struct pf_feed *feed)
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
static int hash_content(struct pf_feed *feed, struct pf_source **source, struct pf_error *error)
{
    struct pf_error ignored = {0};
    const char *name = feed->input.name;
    int file, status;

    *source = NULL;
    if (!feed->wants.content)
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
static void open_early(struct pf_feed *feed)
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
static int open_source(struct pf_feed *feed, struct pf_error *error)
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

/* The settings of the readers of all inputs. */
static struct pf_reader settings(const struct pf_feed *feed)
{
    return (struct pf_reader){
        .options = &feed->common->from_options,
        .salvage = feed->common->tool.salvage,
        .times = feed->wants.times,
        .lines = feed->wants.lines,
        .relocate = feed->wants.relocate,
    };
}

static int open_reader(struct pf_feed *feed, struct pf_error *error)
{
    struct pf_reader setup = settings(feed);

    setup.format = feed->input.format;
    setup.source = feed->source;
    setup.dict = feed->dict;
    setup.shared = feed->operands.count > 1 ? feed->shared : NULL;
    setup.report = pf_feed_report(feed);
    setup.name = feed->input.name;
    setup.flush = feed->wants.flush;
    return pf_reader_open(&feed->reader, &setup, error);
}

/* Opens the next input, which a thread has read ahead. */
static int open_ahead(struct pf_feed *feed, struct pf_error *error)
{
    struct pf_ahead_input facts;
    struct pf_report messages = pf_feed_report(feed);
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
static int open_next(struct pf_feed *feed, struct pf_error *error)
{
    struct pf_reader setup = settings(feed);
    int status = PF_OK;

    if (!feed->ahead_started)
        feed->ahead = pf_ahead_start(feed->common, &feed->operands, &setup,
                                     feed->next - (feed->source != NULL), &feed->ahead_first);
    feed->ahead_started = true;
    if (feed->ahead && !feed->source && feed->next >= feed->ahead_first) {
        status = open_ahead(feed, error);
    } else {
        if (!feed->source)
            status = open_source(feed, error);
        if (status == PF_OK)
            status = open_reader(feed, error);
    }
    feed->ended = false;
    return status;
}

static int read_batch(struct pf_feed *feed, struct pf_batch *batch, struct pf_error *error)
{
    const char *variant;
    bool disputed;
    int status;
    if (feed->reader) {
        status = pf_reader_next(feed->reader, batch);
        variant = feed->reader->variant;
        disputed = feed->reader->disputed;
        *error = feed->reader->error;
    } else {
        struct pf_ahead_input facts;
        struct pf_report messages = pf_feed_report(feed);
        status = pf_ahead_next(feed->ahead, feed->dict, &messages, batch, &facts, error);
        variant = facts.variant;
        disputed = facts.disputed;
        feed->ahead_offset = facts.offset;
    }
    if (variant)
        feed->input.variant = variant;
    feed->input.disputed = disputed;
    feed->ended = status != PF_OK;
    return status;
}

/* Skips the rest of the open input without messages: a file of a series is read to its end, because
 * the next file depends on it. */
static void skip_rest(struct pf_feed *feed)
{
    struct pf_error ignored = {0};
    struct pf_batch batch;

    feed->muted = true;
    if (!feed->reader || feed->input.format->series)
        while (!feed->ended && read_batch(feed, &batch, &ignored) == PF_OK) {
        }
    feed->muted = false;
}

/* How many bytes of the open input were read. */
static uint64_t offset(const struct pf_feed *feed)
{
    return feed->source ? pf_source_raw_offset(feed->source) : feed->ahead_offset;
}

/* The number of bytes read of all inputs. */
static uint64_t bytes_read(const struct pf_feed *feed)
{
    return feed->done + offset(feed);
}

/* True if a read of the open input would wait for its producer. */
static bool would_block(const struct pf_feed *feed)
{
    return feed->source && pf_source_would_block(feed->source);
}

/* Closes the open operand, if any. */
static void close_input(struct pf_feed *feed)
{
    pf_reader_close(feed->reader);
    feed->reader = NULL;
    feed->done += offset(feed);
    pf_source_close(feed->source);
    feed->source = NULL;
    feed->ahead_offset = 0;
}

/* --- ends ------------------------------------------------------------------------------------- */

/* Ends an input that was read, or whose rest nobody wants. */
static void end_input(struct pf_feed *feed)
{
    feed->good += !feed->rejected;
    feed->input.complete = !feed->rejected;
    close_input(feed);
    feed->state = ENDING;
}

/* Ends an input with a failure. */
static void fail_input(struct pf_feed *feed, const struct pf_error *error)
{
    feed->failure = *error;
    feed->input.failure = &feed->failure;
    pf_tool_fail(&feed->common->tool, feed->input.name, error, false);
    feed->failed = true;
    feed->stopped = !feed->common->tool.keep_going || error->code == PF_NOMEM;
    close_input(feed);
    feed->state = ENDING;
}

void pf_feed_fail(struct pf_feed *feed, const struct pf_error *error)
{
    bool ended = feed->state == BETWEEN; /* a later stage has the end of the input */

    feed->good -= ended && feed->input.complete;
    feed->input.complete = false;
    fail_input(feed, error);
    if (ended)
        feed->state = BETWEEN;
}

void pf_feed_reject(struct pf_feed *feed, const struct pf_error *error)
{
    pf_tool_fail(&feed->common->tool, feed->input.name, error, false);
    feed->failed = true;
    feed->good -= feed->input.complete;
    feed->rejected = true;
    feed->stopped |= !feed->common->tool.keep_going;
}

static void skip(struct pf_stage *stage)
{
    struct pf_feed *feed = PF_STAGE_OWNER(stage, struct pf_feed, stage);

    if (feed->state != BEGUN && feed->state != READING)
        return;
    skip_rest(feed);
    end_input(feed);
}

/* --- events ----------------------------------------------------------------------------------- */

/* Prepares the metadata about an input: the operand (standard input is "-") and the format. */
static void name_source(struct pf_feed *feed)
{
    struct pf_dict *dict = feed->dict;
    uint32_t origin = pf_dict_intern(dict, PF_BYTES("profutils"), 0);

    feed->source_columns[0][0] = feed->source_columns[0][1] = origin;
    feed->source_columns[1][0] = pf_dict_intern(dict, PF_BYTES("input"), 0);
    feed->source_columns[1][1] = pf_dict_intern(dict, PF_BYTES("source_format"), 0);
    feed->source_columns[2][0] = pf_dict_intern(dict, pf_bytes_of(feed->input.name), PF_UTF8);
    feed->source_columns[2][1] = pf_dict_intern_word(dict, feed->input.format->name);
}

/* Opens the next operand. PF_EVENT_BEGIN or PF_EVENT_END follows. */
static void begin_input(struct pf_feed *feed)
{
    struct pf_error error = {0};

    feed->rejected = false;
    if (open_next(feed, &error) < 0) {
        fail_input(feed, &error);
        return;
    }
    name_source(feed);
    feed->state = BEGUN;
}

static struct pf_batch source_metadata(const struct pf_feed *feed)
{
    return (struct pf_batch){
        .kind = PF_META,
        .rows = feed->input.format->caps & PF_TELLS_SOURCE ? 1 : 2,
        .origin = feed->source_columns[0],
        .key = feed->source_columns[1],
        .value = feed->source_columns[2],
    };
}

/* True if the producer is slow and something was given since the last flush. */
static bool flushes(const struct pf_feed *feed)
{
    return feed->wants.flush && feed->unflushed && would_block(feed);
}

/* Reads a batch, or the end of the input: false. */
static bool read_event(struct pf_feed *feed, struct pf_event *event)
{
    struct pf_error error = {0};
    int status = read_batch(feed, &event->batch, &error);

    pf_progress_update(&feed->progress, bytes_read(feed));
    feed->unflushed = true;
    if (status < 0)
        fail_input(feed, &error);
    else if (status == PF_EOF)
        end_input(feed);
    event->kind = PF_EVENT_BATCH;
    return status == PF_OK;
}

static int next_event(struct pf_stage *stage, struct pf_event *event, struct pf_error *error)
{
    struct pf_feed *feed = PF_STAGE_OWNER(stage, struct pf_feed, stage);

    (void)error; /* a failure of an input is in its PF_EVENT_END */
    event->input = &feed->input;
    if (feed->state == BETWEEN) {
        if (feed->stopped || pf_feed_reached_last(feed))
            return PF_EOF;
        begin_input(feed);
        event->kind = PF_EVENT_BEGIN;
        if (feed->state == BEGUN)
            return PF_OK;
    }
    if (feed->state == BEGUN) {
        feed->state = READING;
        /* a native stream has the names of its own inputs */
        if (!(feed->input.format->caps & PF_HOLDS_PROFILES)) {
            *event = pf_event_batch(&feed->input, source_metadata(feed));
            feed->unflushed = true;
            return PF_OK;
        }
    }
    if (feed->state == READING && flushes(feed)) {
        feed->unflushed = false;
        event->kind = PF_EVENT_FLUSH;
        return PF_OK;
    }
    if (feed->state == READING && read_event(feed, event))
        return PF_OK;
    feed->state = BETWEEN;
    event->kind = PF_EVENT_END;
    return PF_OK;
}

/* --- copies ----------------------------------------------------------------------------------- */

/* True if inputs may be copied unchanged. Copies of several files fit one output only if the format
 * allows several profiles in a file. */
static bool may_copy(const struct pf_feed *feed, const struct pf_format *format)
{
    return format->copy && (format->caps & PF_HOLDS_PROFILES ||
                            (feed->operands.count == 1 && !feed->common->tool.salvage));
}

bool pf_feed_copy(struct pf_feed *feed, const struct pf_format *format, struct pf_sink *sink)
{
    bool copied = false;

    while (may_copy(feed, format) && !feed->stopped && feed->next < feed->operands.count) {
        struct pf_error error = {0};
        struct pf_report messages = pf_feed_report(feed);
        uint64_t records;
        int status = open_source(feed, &error);

        if (status == PF_OK && (feed->input.format != format || pf_source_marked(feed->source)))
            break;
        if (status == PF_OK) {
            copied = true;
            status = format->copy(feed->source, sink, &messages, feed->common->tool.salvage,
                                  &records, &error);
            if (pf_sink_status(sink, NULL) < 0)
                break;
        }
        if (status == PF_OK)
            end_input(feed);
        else
            fail_input(feed, &error);
        feed->state = BETWEEN;
        pf_progress_update(&feed->progress, bytes_read(feed));
    }
    return copied;
}

/* --- the whole -------------------------------------------------------------------------------- */

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

struct pf_feed *pf_feed_open(struct pf_common *common, struct pf_dict *dict,
                             struct pf_operands *operands)
{
    struct pf_feed *feed = pf_tool_calloc(&common->tool, 1, sizeof *feed);

    feed->stage = (struct pf_stage){.next = next_event, .skip = skip};
    feed->common = common;
    feed->dict = dict;
    feed->operands = *operands;
    feed->shared = pf_shared_new();
    if (!feed->shared)
        pf_tool_nomem(&common->tool);
    pf_progress_start(&feed->progress, &common->tool, total_size(&feed->operands));
    return feed;
}

void pf_feed_end(struct pf_feed *feed)
{
    close_input(feed);
    pf_progress_end(&feed->progress);
}

void pf_feed_close(struct pf_feed *feed)
{
    pf_ahead_stop(feed->ahead);
    pf_source_close(feed->early);
    pf_operands_free(&feed->operands);
    pf_shared_free(feed->shared);
    free(feed);
}

struct pf_feed_wants *pf_feed_wants(struct pf_feed *feed)
{
    return &feed->wants;
}

struct pf_stage *pf_feed_stage(struct pf_feed *feed)
{
    return &feed->stage;
}

bool pf_feed_failed(const struct pf_feed *feed)
{
    return feed->failed;
}

bool pf_feed_reached_last(const struct pf_feed *feed)
{
    return feed->state == BETWEEN && !feed->source && feed->next == feed->operands.count;
}

unsigned pf_feed_good(const struct pf_feed *feed)
{
    return feed->good;
}

const struct pf_operands *pf_feed_operands(const struct pf_feed *feed)
{
    return &feed->operands;
}

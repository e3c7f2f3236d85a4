#include "cli/feed.h"

#include "cli/hint.h"
#include "codec/registry.h"
#include "io/content.h"

#include <string.h>
#include <sys/stat.h>

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

void pf_feed_start(struct pf_feed *feed)
{
    feed->shared = pf_shared_new();
    if (!feed->shared)
        pf_tool_nomem(&feed->common->tool);
}

bool pf_feed_ended(const struct pf_feed *feed)
{
    return !feed->source && feed->next == feed->operands.count;
}

/* Makes the next operand the current input, with no facts known. */
static void take_operand(struct pf_feed *feed)
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
 * twice; NULL: the input has to be opened. A file that cannot be read has no hash; opening it fails
 * too. */
static int hash_content(struct pf_feed *feed, struct pf_source **source, struct pf_error *error)
{
    struct pf_error ignored = {0};
    const char *name = feed->input.name;
    int file, status;

    *source = NULL;
    if (!feed->want_content)
        return PF_OK;
    if (!is_read_once(name)) {
        pf_content_hash(name, &feed->input.content, &ignored);
        return PF_OK;
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
 * unpacked in a thread. If it cannot be opened, that is reported when it becomes the current
 * input. */
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

int pf_feed_open_source(struct pf_feed *feed, struct pf_error *error)
{
    struct pf_common *common = feed->common;
    take_operand(feed);
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

static int open_reader(struct pf_feed *feed, struct pf_error *error)
{
    const struct pf_common *common = feed->common;
    struct pf_reader setup = {
        .format = feed->input.format,
        .source = feed->source,
        .dict = feed->dict,
        .options = &common->from_options,
        .shared = feed->operands.count > 1 ? feed->shared : NULL,
        .report = pf_feed_report(feed),
        .name = feed->input.name,
        .salvage = common->tool.salvage,
        .times = feed->want_times,
        .relocate = common->relocate,
        .flush = feed->want_flush,
    };
    return pf_reader_open(&feed->reader, &setup, error);
}

/* Opens the next input, which a thread has read ahead. */
static int open_ahead(struct pf_feed *feed, struct pf_error *error)
{
    struct pf_ahead_input facts;
    struct pf_report messages = pf_feed_report(feed);
    struct pf_source *none; /* threads read regular files only */
    take_operand(feed);
    hash_content(feed, &none, error);
    int status = pf_ahead_open(feed->ahead, feed->dict, &messages, &facts, error);
    feed->input.format = facts.format;
    feed->input.evidence = facts.evidence;
    if (status < 0)
        pf_hint_input(feed->common, feed->input.name, error);
    return status;
}

int pf_feed_open(struct pf_feed *feed, struct pf_error *error)
{
    int status = PF_OK;

    if (!feed->ahead_started)
        feed->ahead = pf_ahead_start(feed->common, &feed->operands,
                                     feed->next - (feed->source != NULL), &feed->ahead_first);
    feed->ahead_started = true;
    if (feed->ahead && !feed->source && feed->next >= feed->ahead_first) {
        status = open_ahead(feed, error);
    } else {
        if (!feed->source)
            status = pf_feed_open_source(feed, error);
        if (status == PF_OK)
            status = open_reader(feed, error);
    }
    feed->open = status >= 0;
    feed->ended = false;
    return status;
}

int pf_feed_next(struct pf_feed *feed, struct pf_batch *batch, struct pf_error *error)
{
    const char *variant;
    int status;
    if (feed->reader) {
        status = pf_reader_next(feed->reader, batch);
        variant = feed->reader->variant;
        *error = feed->reader->error;
    } else {
        struct pf_ahead_input facts;
        struct pf_report messages = pf_feed_report(feed);
        status = pf_ahead_next(feed->ahead, feed->dict, &messages, batch, &facts, error);
        variant = facts.variant;
        feed->ahead_offset = facts.offset;
    }
    if (variant)
        feed->input.variant = variant;
    feed->ended = status != PF_OK;
    return status;
}

void pf_feed_skip(struct pf_feed *feed)
{
    struct pf_error ignored = {0};
    struct pf_batch batch;

    feed->muted = true;
    if (!feed->reader || feed->input.format->series)
        while (!feed->ended && pf_feed_next(feed, &batch, &ignored) == PF_OK) {
        }
    feed->muted = false;
}

/* How many bytes of the open input were read. */
static uint64_t offset(const struct pf_feed *feed)
{
    return feed->source ? pf_source_raw_offset(feed->source) : feed->ahead_offset;
}

uint64_t pf_feed_bytes(const struct pf_feed *feed)
{
    return feed->done + offset(feed);
}

bool pf_feed_would_block(const struct pf_feed *feed)
{
    return feed->source && pf_source_would_block(feed->source);
}

void pf_feed_close(struct pf_feed *feed)
{
    pf_reader_close(feed->reader);
    feed->reader = NULL;
    feed->done += offset(feed);
    pf_source_close(feed->source);
    feed->source = NULL;
    feed->ahead_offset = 0;
    feed->open = false;
}

void pf_feed_free(struct pf_feed *feed)
{
    pf_ahead_stop(feed->ahead);
    pf_source_close(feed->early);
    pf_feed_close(feed);
    pf_operands_free(&feed->operands);
    pf_shared_free(feed->shared);
}

#include "cli/ahead.h"

#include "base/memory.h"
#include "base/thread.h"
#include "codec/codec.h"
#include "codec/registry.h"
#include "model/parcel.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Bytes that may wait to be used, for each thread. */
static const size_t waiting_max = (size_t)64 << 20;

/* What a thread sends: "the input is open", a batch, or "the input has ended". Messages come with
 * the next item. */
struct item {
    struct item *next;
    struct pf_buffer messages; /* of each the severity in a byte, the text and a NUL */
    struct pf_parcel *parcel;  /* NULL: the input ended */
    struct pf_ahead_input facts;
    int status;
    struct pf_error error;
};

/* Inputs that one thread reads one after the other. */
struct chain {
    size_t first, end;
    struct worker *worker;      /* no thread has begun the chain */
    struct item *items, **last; /* items in the order of use */
    size_t size;                /* bytes of the items */
    bool ended;                 /* no more items will come */
};

/* A thread. Its dictionary keeps the rows of all chains that the thread has read, so that rows that
 * several chains share are sent once. */
struct worker {
    struct pf_ahead *ahead;
    pthread_t thread;
    struct pf_dict dict;
    struct pf_shared *shared;
    struct pf_packed packed;
    struct pf_unpacked unpacked; /* used by the caller, who uses the items */
};

struct pf_ahead {
    struct pf_common *common;
    const struct pf_operands *operands;
    struct pf_reader setup; /* the settings of all readers */
    struct chain *chains;
    size_t count;
    struct item *item; /* the item in use */
    size_t input;      /* the input to open next */

    struct worker *workers;
    size_t worker_count;
    pthread_mutex_t lock; /* protects the members below, and the items of chains */
    pthread_cond_t sent, used;
    size_t begun;   /* chains that a thread has begun */
    size_t current; /* chain being used */
    size_t waiting; /* bytes of all items */
    bool stopped;
};

/* --- chains ----------------------------------------------------------------------------------- */

/* For each operand: the position of the last file of its series; its own position if it has no
 * series. */
static void find_ends(struct pf_common *common, const struct pf_operands *operands, size_t from,
                      size_t *ends)
{
    size_t count = operands->count - from;
    struct pf_series_file *files = pf_operands_series(common, operands->names + from, count);

    for (size_t i = count; i-- > 0;) {
        bool same = i + 1 < count && files[i].first == files[i + 1].first;

        ends[files[i].position] = same ? ends[files[i + 1].position] : files[i].position;
    }
    free(files);
}

static bool all_regular(const struct pf_operands *operands, size_t from)
{
    struct stat info;
    for (size_t i = from; i < operands->count; i++)
        if (stat(operands->names[i], &info) == 0 && !S_ISREG(info.st_mode))
            return false;
    return true;
}

/* Divides the operands from `at` on into chains. False: out of memory. */
static bool find_chains(struct pf_ahead *ahead, size_t at)
{
    size_t count = ahead->operands->count - at;
    size_t *ends = calloc(count, sizeof *ends);
    ahead->chains = calloc(count, sizeof *ahead->chains);
    bool good = ends && ahead->chains;
    if (good)
        find_ends(ahead->common, ahead->operands, at, ends);
    for (size_t i = 0; good && i < count;) {
        size_t end = i + 1;
        for (size_t last = ends[i]; end <= last; end++)
            if (ends[end] > last)
                last = ends[end];
        struct chain *chain = &ahead->chains[ahead->count++];
        *chain = (struct chain){.first = at + i, .end = at + end};
        chain->last = &chain->items;
        i = end;
    }
    free(ends);
    return good;
}

/* --- threads ---------------------------------------------------------------------------------- */

/* A chain being read. */
struct reading {
    struct worker *worker;
    struct chain *chain;
    struct pf_source *source;
    struct pf_reader *reader;
    struct pf_ahead_input facts;
    struct pf_buffer messages; /* for the next item */
};

static void keep_message(void *arg, enum pf_severity severity, const char *text)
{
    struct reading *reading = arg;

    pf_buffer_byte(&reading->messages, (unsigned char)severity);
    pf_buffer_append(&reading->messages, text, strlen(text) + 1);
}

static void free_item(struct item *item)
{
    if (!item)
        return;
    pf_buffer_free(&item->messages);
    pf_parcel_free(item->parcel);
    free(item);
}

static size_t item_size(const struct item *item)
{
    return sizeof *item + (item->parcel ? pf_parcel_size(item->parcel) : 0);
}

/* True if an item may be sent. The chain in use has a limit of its own, so that it never waits for
 * later chains. */
static bool may_send(const struct pf_ahead *ahead, const struct chain *chain)
{
    if (chain == &ahead->chains[ahead->current])
        return ahead->stopped || chain->size < waiting_max;
    return ahead->stopped || ahead->waiting < waiting_max * ahead->worker_count;
}

/* Sends an item and takes ownership. False: reading was stopped. */
static bool send_item(struct reading *reading, struct item *item)
{
    struct pf_ahead *ahead = reading->worker->ahead;
    struct chain *chain = reading->chain;
    size_t size = item_size(item);
    pthread_mutex_lock(&ahead->lock);
    while (!may_send(ahead, chain))
        pthread_cond_wait(&ahead->used, &ahead->lock);
    bool wanted = !ahead->stopped;
    if (wanted) {
        *chain->last = item;
        chain->last = &item->next;
        chain->size += size;
        ahead->waiting += size;
        pthread_cond_signal(&ahead->sent);
    }
    pthread_mutex_unlock(&ahead->lock);
    if (!wanted)
        free_item(item);
    return wanted;
}

/* Sends a batch, or the end of the input if `status` is not PF_OK. False: do not read on in this
 * input. */
static bool send_batch(struct reading *reading, const struct pf_batch *batch, int status,
                       const struct pf_error *error)
{
    struct item *item = calloc(1, sizeof *item);
    bool failed = reading->messages.failed; /* memory ran out for a message */
    if (!item)
        return false;
    if (failed)
        pf_buffer_free(&reading->messages);
    if (status == PF_OK &&
        (failed ||
         !(item->parcel = pf_parcel_pack(&reading->worker->packed, &reading->worker->dict, batch))))
        status = pf_error_nomem(&item->error);
    else
        item->error = *error;
    item->status = status;
    item->facts = reading->facts;
    item->messages = reading->messages;
    reading->messages = (struct pf_buffer){0};
    return send_item(reading, item) && status == PF_OK;
}

static int open_input(struct reading *reading, const char *name, struct pf_error *error)
{
    const struct pf_ahead *ahead = reading->worker->ahead;
    const struct pf_common *common = ahead->common;
    struct pf_ahead_input *facts = &reading->facts;
    *facts = (struct pf_ahead_input){.format = common->from};
    int status = pf_common_open_source(common, &reading->source, name, error);
    if (status != PF_OK)
        return status;
    pf_source_no_thread(reading->source); /* this is a thread already */
    if (!facts->format &&
        !(facts->format = pf_registry_guess(reading->source, name, &facts->evidence, error)))
        return error->code;
    struct pf_reader setup = ahead->setup;
    setup.format = facts->format;
    setup.source = reading->source;
    setup.dict = &reading->worker->dict;
    setup.shared = reading->worker->shared;
    setup.report = (struct pf_report){keep_message, reading};
    setup.name = name;
    return pf_reader_open(&reading->reader, &setup, error);
}

/* Reads an input and sends its batches. False: stop. */
static bool read_input(struct reading *reading, const char *name)
{
    struct pf_error error = {0};
    struct pf_batch batch = {.kind = PF_META};
    int status = open_input(reading, name, &error);
    bool wanted = send_batch(reading, &batch, status, &error);
    bool go_on = wanted || status != PF_OK;
    while (wanted) {
        status = pf_reader_next(reading->reader, &batch);
        reading->facts.variant = reading->reader->variant;
        reading->facts.disputed = reading->reader->disputed;
        reading->facts.offset = pf_source_raw_offset(reading->source);
        wanted = send_batch(reading, &batch, status, &reading->reader->error);
        go_on = wanted || status != PF_OK;
    }
    pf_reader_close(reading->reader);
    pf_source_close(reading->source);
    reading->reader = NULL;
    reading->source = NULL;
    return go_on;
}

static void read_chain(struct worker *worker, struct chain *chain)
{
    struct pf_ahead *ahead = worker->ahead;
    struct reading reading = {.worker = worker, .chain = chain};
    bool go_on = true;
    for (size_t i = chain->first; go_on && i < chain->end; i++)
        go_on = read_input(&reading, ahead->operands->names[i]);
    pthread_mutex_lock(&ahead->lock);
    chain->ended = true;
    pthread_cond_signal(&ahead->sent);
    pthread_mutex_unlock(&ahead->lock);
}

static struct chain *next_chain(struct worker *worker)
{
    struct pf_ahead *ahead = worker->ahead;
    struct chain *chain = NULL;
    pthread_mutex_lock(&ahead->lock);
    if (!ahead->stopped && ahead->begun < ahead->count) {
        chain = &ahead->chains[ahead->begun++];
        chain->worker = worker;
    }
    pthread_mutex_unlock(&ahead->lock);
    return chain;
}

static void *run(void *arg)
{
    struct worker *worker = arg;
    struct chain *chain;
    while ((chain = next_chain(worker)) != NULL)
        read_chain(worker, chain);
    return NULL;
}

static bool start_worker(struct pf_ahead *ahead, struct worker *worker)
{
    worker->ahead = ahead;
    if (pf_dict_init(&worker->dict) == PF_OK && (worker->shared = pf_shared_new()) != NULL &&
        pf_thread_start(&worker->thread, run, worker))
        return true;
    pf_shared_free(worker->shared);
    pf_dict_free(&worker->dict);
    return false;
}

static void start_workers(struct pf_ahead *ahead, size_t wanted)
{
    while (ahead->worker_count < wanted &&
           start_worker(ahead, &ahead->workers[ahead->worker_count])) {
        pthread_mutex_lock(&ahead->lock);
        ahead->worker_count++;
        pthread_mutex_unlock(&ahead->lock);
    }
}

static void end_worker(struct worker *worker)
{
    pthread_join(worker->thread, NULL);
    pf_shared_free(worker->shared);
    pf_dict_free(&worker->dict);
    pf_unpacked_free(&worker->unpacked);
}

struct pf_ahead *pf_ahead_start(struct pf_common *common, const struct pf_operands *operands,
                                const struct pf_reader *setup, size_t at, size_t *first)
{
    if (common->threads < 2 || operands->count - at < 2 || !all_regular(operands, at))
        return NULL;
    struct pf_ahead *ahead = calloc(1, sizeof *ahead);
    if (!ahead)
        return NULL;
    ahead->common = common;
    ahead->operands = operands;
    ahead->setup = *setup;
    ahead->begun = ahead->current = 1; /* the first chain is the caller's */
    pthread_mutex_init(&ahead->lock, NULL);
    pthread_cond_init(&ahead->sent, NULL);
    pthread_cond_init(&ahead->used, NULL);
    if (find_chains(ahead, at) && ahead->count > 1) {
        size_t wanted = ahead->count - 1 < common->threads ? ahead->count - 1 : common->threads;
        *first = ahead->input = ahead->chains[1].first;
        ahead->workers = calloc(wanted, sizeof *ahead->workers);
        if (ahead->workers)
            start_workers(ahead, wanted);
    }
    if (ahead->worker_count > 0)
        return ahead;
    pf_ahead_stop(ahead);
    return NULL;
}

void pf_ahead_stop(struct pf_ahead *ahead)
{
    if (!ahead)
        return;
    pthread_mutex_lock(&ahead->lock);
    ahead->stopped = true;
    pthread_cond_broadcast(&ahead->used);
    pthread_mutex_unlock(&ahead->lock);
    for (size_t i = 0; i < ahead->worker_count; i++)
        end_worker(&ahead->workers[i]);
    free_item(ahead->item);
    for (size_t i = 0; i < ahead->count; i++) {
        struct chain *chain = &ahead->chains[i];
        while (chain->items) {
            struct item *item = chain->items;
            chain->items = item->next;
            free_item(item);
        }
    }
    pthread_cond_destroy(&ahead->used);
    pthread_cond_destroy(&ahead->sent);
    pthread_mutex_destroy(&ahead->lock);
    free(ahead->workers);
    free(ahead->chains);
    free(ahead);
}

/* --- using the items -------------------------------------------------------------------------- */

/* The next item of the chain in use, valid until the next call. NULL: its thread ran out of
 * memory. */
static struct item *receive(struct pf_ahead *ahead)
{
    free_item(ahead->item);
    pthread_mutex_lock(&ahead->lock);
    struct chain *chain = &ahead->chains[ahead->current];
    while (!chain->items && !chain->ended)
        pthread_cond_wait(&ahead->sent, &ahead->lock);
    struct item *item = ahead->item = chain->items;
    if (item) {
        size_t size = item_size(item);
        chain->items = item->next;
        if (!chain->items)
            chain->last = &chain->items;
        chain->size -= size;
        ahead->waiting -= size;
        pthread_cond_broadcast(&ahead->used);
    }
    pthread_mutex_unlock(&ahead->lock);
    return item;
}

static int use_next(struct pf_ahead *ahead, struct pf_dict *dict, const struct pf_report *report,
                    struct pf_batch *batch, struct pf_ahead_input *facts, struct pf_error *error)
{
    struct item *item = receive(ahead);
    if (!item)
        return pf_error_nomem(error);
    struct pf_bytes messages = {item->messages.data, item->messages.size};

    while (messages.size > 0) {
        const char *text = messages.data + 1;

        pf_report_send(report, (enum pf_severity) * messages.data, "%s", text);
        messages = pf_bytes_skip(messages, 1 + strlen(text) + 1);
    }
    *facts = item->facts;
    *error = item->error;
    if (item->parcel &&
        pf_parcel_unpack(item->parcel, &ahead->chains[ahead->current].worker->unpacked, dict,
                         batch) != PF_OK)
        return pf_error_nomem(error);
    return item->status;
}

int pf_ahead_open(struct pf_ahead *ahead, struct pf_dict *dict, const struct pf_report *report,
                  struct pf_ahead_input *facts, struct pf_error *error)
{
    struct pf_batch nothing;
    struct chain *chain = &ahead->chains[ahead->current];
    if (ahead->input++ == chain->end) {
        pthread_mutex_lock(&ahead->lock);
        ahead->current++;
        pthread_cond_broadcast(&ahead->used);
        pthread_mutex_unlock(&ahead->lock);
    }
    return use_next(ahead, dict, report, &nothing, facts, error);
}

int pf_ahead_next(struct pf_ahead *ahead, struct pf_dict *dict, const struct pf_report *report,
                  struct pf_batch *batch, struct pf_ahead_input *facts, struct pf_error *error)
{
    return use_next(ahead, dict, report, batch, facts, error);
}

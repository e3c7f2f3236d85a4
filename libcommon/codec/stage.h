/* A pipeline is a chain of stages. Each stage gives one event after the other, and makes them of
 * the events of the stage before it. A stage changes events, drops them or gives its own between
 * them; kinds that it does not know pass unchanged. */
#ifndef PF_CODEC_STAGE_H
#define PF_CODEC_STAGE_H

#include "base/error.h"
#include "model/batch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_format;

/* The input of an event. */
struct pf_input {
    const char *name;               /* the operand */
    const struct pf_format *format; /* NULL: unknown */
    int evidence;                   /* bits of evidence for the format; 0: set by -f */
    unsigned number;                /* from 0 in reading order */
    unsigned first;      /* number of the first input of its series; of itself without a series */
    uint64_t content;    /* hash of its bytes (io/content.h) if --replicates needs it, else 0 */
    const char *variant; /* an unusual form of the format, else ""; known at the end of the input */
    bool left_out;       /* --since and --until leave out the input, which gives only its end */
    bool complete;       /* at the end: the input was read completely */
    /* at the end: the records do not add up to a total that the profile states (a warning says so)
     */
    bool disputed;
    const struct pf_error *failure; /* at the end: why not; NULL: no failure */
};

enum pf_event_kind {
    PF_EVENT_BEGIN, /* an input has been opened */
    PF_EVENT_BATCH, /* records, metadata or texts; or, without rows, a declaration of measures */
    PF_EVENT_FLUSH, /* the producer is slow: nothing that was given may wait in a buffer */
    /* An input has ended: read completely, damaged, or impossible to open, and then without
     * PF_EVENT_BEGIN. */
    PF_EVENT_END
};

/* Valid until the next call of the stage that gave the event. */
struct pf_event {
    enum pf_event_kind kind;
    struct pf_input *input; /* of the first stage; a stage may set `left_out` */
    struct pf_batch batch;  /* PF_EVENT_BATCH */
};

/* A member of the struct of a stage, which finds itself with PF_STAGE_OWNER. */
struct pf_stage {
    /* Gives the next event. PF_OK; PF_EOF after the last event, also when called again; or a
     * failure, which ends the current input: its PF_EVENT_END follows. */
    int (*next)(struct pf_stage *, struct pf_event *, struct pf_error *);
    /* The caller wants no more batches of the current input: its PF_EVENT_END is next, without
     * messages about the rest. NULL: the stage passes the call on. */
    void (*skip)(struct pf_stage *);
    struct pf_stage *from; /* the stage before this one; NULL: none */
};

#define PF_STAGE_OWNER(stage, type, member) \
    ((type *)(void *)((char *)(stage)-offsetof(type, member)))

static inline int pf_stage_next(struct pf_stage *stage, struct pf_event *event,
                                struct pf_error *error)
{
    return stage->next(stage, event, error);
}

static inline void pf_stage_skip(struct pf_stage *stage)
{
    while (!stage->skip)
        stage = stage->from;
    stage->skip(stage);
}

/* Puts a stage after another one. Returns the stage. */
static inline struct pf_stage *pf_stage_after(struct pf_stage *stage, struct pf_stage *from)
{
    stage->from = from;
    return stage;
}

/* An event with a batch. */
static inline struct pf_event pf_event_batch(struct pf_input *input, struct pf_batch batch)
{
    return (struct pf_event){PF_EVENT_BATCH, input, batch};
}

/* True if the event has a batch with records. */
static inline bool pf_event_has_records(const struct pf_event *event)
{
    return event->kind == PF_EVENT_BATCH && event->batch.kind < PF_RECORD_KINDS &&
           event->batch.rows > 0;
}

#endif

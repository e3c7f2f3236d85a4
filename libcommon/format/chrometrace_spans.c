/* Spans of a trace become the time each stack took by itself: at every begin and end, what passed since the last one belongs to the
 * spans that are open. */
#include "format/chrometrace.h"

#include "base/memory.h"
#include "base/number.h"

#include <inttypes.h>
#include <stdlib.h>

enum { TRIED_ENDS = 1000 }; /* ends of one moment that are looked at for the innermost span: more are not of a real trace */

/* By thread and time; of those of one moment begins first, the longest first. */
static int compare_events(const void *a, const void *b)
{
    const struct pf_trace_event *x = a, *y = b;

    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    if (x->duration != y->duration)
        return x->duration > y->duration ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

struct span {
    int64_t end; /* INT64_MAX: not told; never later than that of the span outside it */
    uint32_t name, stack;
    bool matched; /* an end event is to come */
};

struct spans {
    struct pf_reader *reader;
    struct span *open;
    size_t count, capacity;
    uint32_t labels;
    int64_t last; /* where time has been given out to */
};

struct row_key {
    uint32_t stack, labels;
};

static int add_time(struct pf_reader *reader, uint32_t stack, uint32_t labels, int64_t time)
{
    struct pf_trace_reader *state = reader->state;
    struct pf_pending *rows = &state->rows;
    uint32_t id = pf_table_intern(&state->keys, &(struct row_key){stack, labels});

    if (id == 0)
        return pf_error_nomem(&reader->error);
    if (id > rows->count) {
        if (!pf_grow(&rows->stacks, &state->capacity[0], id, sizeof *rows->stacks) ||
            !pf_grow(&rows->labels, &state->capacity[1], id, sizeof *rows->labels) ||
            !pf_grow(&rows->values[0], &state->capacity[2], id, sizeof *rows->values[0]))
            return pf_error_nomem(&reader->error);
        rows->stacks[rows->count] = stack;
        rows->labels[rows->count] = labels;
        rows->values[0][rows->count++] = 0;
    }
    if (!pf_add64(rows->values[0][id - 1], time, &rows->values[0][id - 1]))
        return pf_error_set(&reader->error, PF_OVERFLOW, "record %" PRIu32 ": its time leaves 64 bits", id);
    return PF_OK;
}

/* Time passes, and spans whose end is told end on the way. */
static int pass(struct spans *spans, int64_t time)
{
    int status = PF_OK;

    while (spans->count > 0 && status == PF_OK) {
        const struct span *top = &spans->open[spans->count - 1];
        int64_t until = top->end < time ? top->end : time, passed;

        if (until > spans->last) {
            if (__builtin_sub_overflow(until, spans->last, &passed))
                return pf_error_set(&spans->reader->error, PF_OVERFLOW, "a span whose time leaves 64 bits");
            status = add_time(spans->reader, top->stack, spans->labels, passed);
            spans->last = until;
        }
        if (top->end > time)
            break;
        if (top->matched)
            ((struct pf_trace_reader *)spans->reader->state)->unclosed++;
        spans->count--;
    }
    if (time > spans->last)
        spans->last = time;
    return status;
}

static int begin(struct spans *spans, const struct pf_trace_event *event)
{
    struct pf_trace_reader *state = spans->reader->state;
    const struct span *outside = spans->count ? &spans->open[spans->count - 1] : NULL;
    int64_t end = INT64_MAX;

    if (event->duration != INT64_MAX && !pf_add64(event->time, event->duration, &end))
        return pf_error_set(&spans->reader->error, PF_OVERFLOW, "a span whose end leaves 64 bits");
    if (event->duration == 0)
        return PF_OK;
    if (spans->count >= PF_STACK_DEPTH_MAX)
        return pf_error_at(&spans->reader->error, PF_FAILED, pf_source_offset(spans->reader->source), "more than 1048575 spans within each other");
    if (outside && end > outside->end) {
        state->cut_spans += event->duration != INT64_MAX;
        end = outside->end;
    }
    uint32_t stack = pf_dict_add_frame(spans->reader->dict, outside ? outside->stack : 0, event->location);
    if (!pf_grow(&spans->open, &spans->capacity, spans->count + 1, sizeof *spans->open))
        return pf_error_nomem(&spans->reader->error);
    spans->open[spans->count++] = (struct span){end, event->name, stack, event->duration == INT64_MAX};
    return PF_OK;
}

/* Ends the innermost span by one of the ends of this moment, where one fits. */
static bool end_innermost(struct spans *spans, struct pf_trace_event *ends, size_t count)
{
    const struct span *top = spans->count ? &spans->open[spans->count - 1] : NULL;

    if (!top || !top->matched)
        return false;
    for (size_t k = 0; k < count && k < TRIED_ENDS; k++)
        if (ends[k].duration == -1 && (ends[k].name == top->name || ends[k].name == 0)) {
            ends[k].duration = -2;
            spans->count--;
            return true;
        }
    return false;
}

/* All events of one moment. */
static int moment(struct spans *spans, struct pf_trace_event *events, size_t count)
{
    struct pf_trace_reader *state = spans->reader->state;
    int status = pass(spans, events->time);
    size_t begins = 0, first;

    while (begins < count && events[begins].duration >= 0)
        begins++;
    first = begins;
    for (size_t k = 0; status == PF_OK; k++) {
        while (end_innermost(spans, events + first, count - first))
            while (first < count && events[first].duration == -2)
                first++;
        if (k == begins)
            break;
        status = begin(spans, &events[k]);
    }
    for (size_t k = first; k < count; k++)
        state->unmatched += events[k].duration == -1;
    return status;
}

/* The events of one thread, in order. */
static int give_thread(struct spans *spans, struct pf_trace_event *events, size_t count)
{
    int64_t last = INT64_MIN, end;
    int status = PF_OK;

    spans->count = 0;
    spans->last = INT64_MIN;
    for (size_t k = 0, same; k < count && status == PF_OK; k += same) {
        for (same = 1; k + same < count && events[k + same].time == events[k].time;)
            same++;
        for (size_t j = k; j < k + same; j++) {
            end = events[j].time;
            if (events[j].duration > 0 && events[j].duration != INT64_MAX)
                (void)pf_add64(events[j].time, events[j].duration, &end);
            last = end > last ? end : last;
        }
        status = moment(spans, events + k, same);
    }
    for (size_t k = 0; k < spans->count; k++)
        if (spans->open[k].end > last)
            spans->open[k].end = last;
    return status == PF_OK ? pass(spans, last) : status;
}

int pf_trace_give_spans(struct pf_reader *reader)
{
    struct pf_trace_reader *state = reader->state;
    struct pf_dict *dict = reader->dict;
    struct pf_measure wall = {.name = pf_dict_intern(dict, PF_BYTES("wall"), 0), .unit = pf_dict_intern(dict, PF_BYTES("nanoseconds"), 0),
                              .nature = PF_TIMED, .num = 1, .den = 1};
    struct spans spans = {.reader = reader};
    int status = PF_OK;

    pf_pending_column(&state->rows, pf_measures_intern(&dict->measures, &wall), NULL);
    if (state->event_count > 0)
        qsort(state->events, state->event_count, sizeof *state->events, compare_events);
    for (size_t k = 0, same; k < state->event_count && status == PF_OK; k += same) {
        for (same = 1; k + same < state->event_count && state->events[k + same].thread == state->events[k].thread;)
            same++;
        spans.labels = state->thread_rows[state->events[k].thread].labels;
        status = give_thread(&spans, state->events + k, same);
    }
    free(spans.open);
    if (state->cut_spans > 0)
        pf_report_send(&reader->report, PF_WARNING, "%" PRIu64 " spans end behind the ones they began in, and are cut there", state->cut_spans);
    if (state->unmatched > 0)
        pf_report_send(&reader->report, PF_WARNING, "%" PRIu64 " ends are of no span that is the innermost one, and are passed over",
                       state->unmatched);
    if (state->unclosed > 0)
        pf_report_send(&reader->report, PF_WARNING, "%" PRIu64 " spans have no end; they end with the last event of their thread",
                       state->unclosed);
    return status;
}

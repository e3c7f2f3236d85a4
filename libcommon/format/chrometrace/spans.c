/* The threads of a trace and their spans, which become the self time of each stack.
 *
 * First each end finds its begin. An end closes the innermost open begin of the same name in its
 * thread, whatever else is open; an end without a name closes the innermost open begin. Events of
 * one moment count in the order of the file; an end that finds no begin in that order is tried
 * again after the begins of its moment. Then there are only spans with a begin and an end. If
 * several spans begin at one moment, the shorter span lies inside the longer; of equally long
 * spans the later one in the file lies inside. A span that ends after the span around it is cut
 * there. Each moment belongs to the innermost open span. */
#include "format/chrometrace/chrometrace.h"

#include "base/memory.h"
#include "base/number.h"

#include <inttypes.h>
#include <stdlib.h>

enum { OPEN_END = -1 }; /* duration of an end event */

/* --- threads ---------------------------------------------------------------------------------- */

uint32_t pf_trace_thread(struct pf_reader *reader, uint32_t pid, uint32_t tid)
{
    struct pf_trace_reader *state = reader->state;
    struct pf_trace_thread_key key = {pid, tid, 1};
    uint32_t before = state->threads.count, id;

    if (!pf_grow(&state->thread_rows, &state->thread_capacity, (size_t)before + 1,
                 sizeof *state->thread_rows))
        return 0;
    id = pf_table_intern(&state->threads, &key);
    if (id >= before)
        state->thread_rows[id] = (struct pf_trace_thread){0};
    return id;
}

/* Adds a label: a number if the text is a number, else a text. */
static uint32_t add_label(struct pf_dict *dict, uint32_t labels, struct pf_bytes key, uint32_t text)
{
    uint32_t name = pf_dict_intern(dict, key, 0);
    int64_t number;

    if (text == 0)
        return labels;
    if (pf_parse_int(pf_dict_string(dict, text), INT64_MIN, INT64_MAX, &number))
        return pf_dict_add_number(dict, labels, name, number, 0);
    return pf_dict_add_label(dict, labels, name, text);
}

void pf_trace_label_threads(struct pf_reader *reader)
{
    struct pf_trace_reader *state = reader->state;
    struct pf_dict *dict = reader->dict;

    for (uint32_t id = 1; id < state->threads.count; id++) {
        const struct pf_trace_thread_key *key = pf_table_row(&state->threads, id);
        uint32_t process =
            pf_table_find(&state->threads, &(struct pf_trace_thread_key){key->pid, 0, 1});
        uint32_t labels = add_label(dict, 0, PF_BYTES("pid"), key->pid);

        labels = add_label(dict, labels, PF_BYTES("tid"), key->tid);
        if (process && state->thread_rows[process].process)
            labels = pf_dict_add_label(dict, labels, pf_dict_intern(dict, PF_BYTES("process"), 0),
                                       state->thread_rows[process].process);
        if (state->thread_rows[id].name)
            labels = pf_dict_add_label(dict, labels, pf_dict_intern(dict, PF_BYTES("thread"), 0),
                                       state->thread_rows[id].name);
        state->thread_rows[id].labels = labels;
    }
}

/* --- the order of events ---------------------------------------------------------------------- */

static int compare_order(const struct pf_trace_event *x, const struct pf_trace_event *y)
{
    return (x->order > y->order) - (x->order < y->order);
}

/* By thread and time, then in the order of the file. */
static int compare_events(const void *a, const void *b)
{
    const struct pf_trace_event *x = a, *y = b;

    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return compare_order(x, y);
}

/* For spans that begin at the same moment: the longest first. */
static int compare_durations(const void *a, const void *b)
{
    const struct pf_trace_event *x = a, *y = b;

    if (x->duration != y->duration)
        return x->duration > y->duration ? -1 : 1;
    return compare_order(x, y);
}

/* How many events have the time of the first. */
static size_t moment_size(const struct pf_trace_event *events, size_t count)
{
    size_t same = 1;

    while (same < count && events[same].time == events[0].time)
        same++;
    return same;
}

/* --- pairs of begin and end ------------------------------------------------------------------- */

struct pairing {
    struct pf_reader *reader;
    struct pf_trace_event *events; /* of the thread */
    uint32_t *open; /* begins (numbers of events) that may be open, outermost first */
    size_t open_count, open_capacity;
    /* by event: the open begin of the same name before it, + 1; 0 = none */
    uint32_t *below;
    size_t below_capacity;
    uint32_t *innermost; /* by name: the innermost open begin + 1; 0 = none */
};

static bool open_begin(struct pairing *pairing, uint32_t k)
{
    uint32_t *innermost = &pairing->innermost[pairing->events[k].name];

    if (!pf_grow(&pairing->open, &pairing->open_capacity, pairing->open_count + 1,
                 sizeof *pairing->open))
        return false;
    pairing->open[pairing->open_count++] = k;
    pairing->below[k] = *innermost;
    *innermost = k + 1;
    return true;
}

/* Gives the begin of an end its duration. PF_OK even if the end finds no begin: then the end keeps
 * its duration. */
static int close_begin(struct pairing *pairing, struct pf_trace_event *end)
{
    struct pf_trace_event *events = pairing->events, *begin;
    uint32_t found = pairing->innermost[end->name];

    while (pairing->open_count > 0 &&
           events[pairing->open[pairing->open_count - 1]].duration != INT64_MAX)
        pairing->open_count--;
    if (end->name == 0)
        found = pairing->open_count ? pairing->open[pairing->open_count - 1] + 1 : 0;
    if (found == 0)
        return PF_OK;
    begin = &events[found - 1];
    pairing->innermost[begin->name] = pairing->below[found - 1];
    if (__builtin_sub_overflow(end->time, begin->time, &begin->duration) ||
        begin->duration == INT64_MAX)
        return pf_error_set(&pairing->reader->error, PF_OVERFLOW,
                            "the duration of a span is out of range: more than 2^63 ns");
    end->duration = 0;
    return PF_OK;
}

/* Pairs the events of one moment: all in order, then again the ends that found no begin. */
static int pair_moment(struct pairing *pairing, size_t from, size_t count)
{
    struct pf_trace_event *events = pairing->events;
    int status = PF_OK;

    for (size_t k = from; k < from + count && status == PF_OK; k++) {
        if (events[k].duration == INT64_MAX && !open_begin(pairing, (uint32_t)k))
            status = pf_error_nomem(&pairing->reader->error);
        else if (events[k].duration == OPEN_END)
            status = close_begin(pairing, &events[k]);
    }
    for (size_t k = from; k < from + count && status == PF_OK; k++)
        if (events[k].duration == OPEN_END)
            status = close_begin(pairing, &events[k]);
    return status;
}

/* Gives the begins of a thread their durations; INT64_MAX: no end. */
static int pair_thread(struct pairing *pairing, struct pf_trace_event *events, size_t count)
{
    struct pf_trace_reader *state = pairing->reader->state;
    int status = PF_OK;

    pairing->events = events;
    pairing->open_count = 0;
    if (!pf_grow(&pairing->below, &pairing->below_capacity, count, sizeof *pairing->below))
        return pf_error_nomem(&pairing->reader->error);
    for (size_t k = 0, same; k < count && status == PF_OK; k += same) {
        same = moment_size(events + k, count - k);
        status = pair_moment(pairing, k, same);
    }
    for (size_t k = 0; k < count; k++) {
        if (events[k].duration == INT64_MAX) {
            pairing->innermost[events[k].name] = 0;
            state->unclosed++;
        }
        state->unmatched += events[k].duration == OPEN_END;
    }
    return status;
}

/* --- spans ------------------------------------------------------------------------------------ */

struct span {
    int64_t end; /* INT64_MAX: unknown; at most the end of the span around it */
    uint32_t stack;
};

struct spans {
    struct pf_reader *reader;
    struct span *open;
    size_t count, capacity;
    uint32_t labels;
    int64_t last; /* the time up to this moment has been counted */
};

struct row_key {
    uint32_t stack, labels;
};

static int add_time(struct pf_reader *reader, uint32_t stack, uint32_t labels, int64_t time)
{
    struct pf_trace_reader *state = reader->state;
    uint32_t count = state->keys.count;
    uint32_t id = pf_table_intern(&state->keys, &(struct row_key){stack, labels});

    if (id == 0)
        return pf_error_nomem(&reader->error);
    if (id == count)
        pf_rows_stack(&reader->rows, stack, labels);
    if (!pf_rows_add_to(&reader->rows, id - 1, 0, time))
        return pf_error_set(&reader->error, PF_OVERFLOW,
                            "record %" PRIu32 ": its time overflows 64 bits", id);
    return PF_OK;
}

/* Counts the time up to `time` for the innermost open spans, and closes the spans that end by then.
 */
static int count_time(struct spans *spans, int64_t time)
{
    int status = PF_OK;

    while (spans->count > 0 && status == PF_OK) {
        const struct span *top = &spans->open[spans->count - 1];
        int64_t until = top->end < time ? top->end : time, passed;

        if (until > spans->last) {
            if (__builtin_sub_overflow(until, spans->last, &passed))
                return pf_error_set(&spans->reader->error, PF_OVERFLOW,
                                    "a span whose time overflows 64 bits");
            status = add_time(spans->reader, top->stack, spans->labels, passed);
            spans->last = until;
        }
        if (top->end > time)
            break;
        spans->count--;
    }
    if (time > spans->last)
        spans->last = time;
    return status;
}

static int begin_span(struct spans *spans, const struct pf_trace_event *event)
{
    struct pf_trace_reader *state = spans->reader->state;
    const struct span *outside = spans->count ? &spans->open[spans->count - 1] : NULL;
    int64_t end = INT64_MAX;

    if (event->duration != INT64_MAX && !pf_add64(event->time, event->duration, &end))
        return pf_error_set(&spans->reader->error, PF_OVERFLOW,
                            "a span whose end overflows 64 bits");
    if (spans->count >= PF_STACK_DEPTH_MAX)
        return pf_rows_too_deep(&spans->reader->error, pf_source_offset(spans->reader->source));
    if (outside && end > outside->end) {
        if (event->duration != INT64_MAX) {
            state->cut_spans++;
            state->cut_time += (pf_int128)end - outside->end;
        }
        end = outside->end;
    }
    uint32_t stack =
        pf_dict_add_frame(spans->reader->dict, outside ? outside->stack : 0, event->location);
    if (!pf_grow(&spans->open, &spans->capacity, spans->count + 1, sizeof *spans->open))
        return pf_error_nomem(&spans->reader->error);
    spans->open[spans->count++] = (struct span){end, stack};
    return PF_OK;
}

/* Opens all spans that begin at one moment. Ends, and spans without a duration, are skipped. */
static int begin_moment(struct spans *spans, struct pf_trace_event *events, size_t count)
{
    int status = count_time(spans, events->time);

    if (count > 1)
        qsort(events, count, sizeof *events, compare_durations);
    for (size_t k = 0; k < count && events[k].duration > 0 && status == PF_OK; k++)
        status = begin_span(spans, &events[k]);
    return status;
}

/* The time at which the last event of a thread ends. */
static int64_t last_time(const struct pf_trace_event *events, size_t count)
{
    int64_t last = INT64_MIN, end;

    for (size_t k = 0; k < count; k++) {
        end = events[k].time;
        if (events[k].duration > 0 && events[k].duration != INT64_MAX)
            (void)pf_add64(events[k].time, events[k].duration, &end);
        last = end > last ? end : last;
    }
    return last;
}

/* Adds the records of a thread from its paired events, in order. */
static int add_thread(struct spans *spans, struct pf_trace_event *events, size_t count)
{
    int64_t last = last_time(events, count);
    int status = PF_OK;

    spans->count = 0;
    spans->last = INT64_MIN;
    for (size_t k = 0, same; k < count && status == PF_OK; k += same) {
        same = moment_size(events + k, count - k);
        status = begin_moment(spans, events + k, same);
    }
    for (size_t k = 0; k < spans->count; k++)
        if (spans->open[k].end > last)
            spans->open[k].end = last;
    return status == PF_OK ? count_time(spans, last) : status;
}

static void warn(struct pf_reader *reader)
{
    const struct pf_trace_reader *state = reader->state;
    char text[PF_INT128_TEXT];

    if (state->cut_spans > 0) {
        pf_print_int128(state->cut_time, text);
        pf_report_send(&reader->report, PF_WARNING,
                       "spans that end after the span around them: %" PRIu64
                       ", each cut there, %s nanoseconds left out in all",
                       state->cut_spans, text);
    }
    if (state->unmatched > 0)
        pf_report_send(&reader->report, PF_WARNING,
                       "end events without an open span of their name: %" PRIu64 ", ignored",
                       state->unmatched);
    if (state->unclosed > 0)
        pf_report_send(&reader->report, PF_WARNING,
                       "spans without an end event: %" PRIu64
                       ", each ends with the span around it or with the last event of its thread",
                       state->unclosed);
}

static int add_threads(struct pf_reader *reader)
{
    struct pf_trace_reader *state = reader->state;
    struct pairing pairing = {.reader = reader};
    struct spans spans = {.reader = reader};
    int status = PF_OK;

    pairing.innermost = calloc((size_t)reader->dict->strings.count + 1, sizeof *pairing.innermost);
    if (!pairing.innermost)
        return pf_error_nomem(&reader->error);
    for (size_t k = 0, same; k < state->event_count && status == PF_OK; k += same) {
        for (same = 1; k + same < state->event_count &&
                       state->events[k + same].thread == state->events[k].thread;)
            same++;
        spans.labels = state->thread_rows[state->events[k].thread].labels;
        status = pair_thread(&pairing, state->events + k, same);
        if (status == PF_OK)
            status = add_thread(&spans, state->events + k, same);
    }
    free(pairing.innermost);
    free(pairing.below);
    free(pairing.open);
    free(spans.open);
    return status;
}

int pf_trace_add_spans(struct pf_reader *reader)
{
    struct pf_trace_reader *state = reader->state;
    struct pf_dict *dict = reader->dict;
    struct pf_measure wall =
        pf_measure_make(dict, "wall", "nanoseconds", PF_SAMPLE, PF_SELF, PF_TIMED);

    pf_rows_measure(&reader->rows, pf_dict_add_measure(dict, wall));
    pf_rows_declare(&reader->rows);
    if (state->event_count > 0)
        qsort(state->events, state->event_count, sizeof *state->events, compare_events);
    int status = add_threads(reader);
    warn(reader);
    return status;
}

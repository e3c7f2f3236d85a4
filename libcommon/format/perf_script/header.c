#include "format/perf_script/perf_script.h"

#include "base/decimal.h"
#include "base/scan.h"

/* perf prints a period in at least so many columns, a thread id in five */
enum { PERIOD_WIDTH = 10 };

/* --- who: COMM PID/TID [CPU] ------------------------------------------------------------------ */

/* Parses a number of a process, thread or processor; perf prints -1 for an unknown number. */
static bool parse_id(struct pf_bytes token, int64_t *id)
{
    return pf_parse_whole(token, -1, INT64_MAX, id);
}

static bool cpu_token(struct pf_bytes token, int64_t *cpu)
{
    return token.size > 2 && token.data[0] == '[' && token.data[token.size - 1] == ']' &&
           parse_id((struct pf_bytes){token.data + 1, token.size - 2}, cpu);
}

static bool thread_token(struct pf_bytes token, struct pf_perf_header *header)
{
    const char *slash = token.size > 0 ? memchr(token.data, '/', token.size) : NULL;
    size_t first = slash ? (size_t)(slash - token.data) : 0;

    if (slash) {
        header->has_pid = parse_id((struct pf_bytes){token.data, first}, &header->pid);
        header->has_tid =
            header->has_pid &&
            parse_id((struct pf_bytes){slash + 1, token.size - first - 1}, &header->tid);
        header->has_pid = header->has_tid;
    } else {
        header->has_tid = parse_id(token, &header->tid);
    }
    return header->has_tid;
}

/* True for the letters of -F misc, the mode of the processor. */
static bool misc_token(struct pf_bytes token)
{
    for (size_t k = 0; k < token.size; k++)
        if (token.data[k] < 'A' || token.data[k] > 'Z')
            return false;
    return token.size > 0 && token.size <= 4;
}

static void parse_who(struct pf_bytes text, struct pf_perf_header *header)
{
    struct pf_bytes rest = text, before = rest, token = pf_scan_last_word(&rest);

    header->who = text;
    if (misc_token(token)) {
        struct pf_bytes other = rest;
        int64_t value;
        struct pf_bytes ahead = pf_scan_last_word(&other);

        if (cpu_token(ahead, &value) || thread_token(ahead, header)) {
            before = rest;
            token = pf_scan_last_word(&rest);
        }
    }
    if (cpu_token(token, &header->cpu)) {
        header->has_cpu = true;
        before = rest;
        token = pf_scan_last_word(&rest);
    }
    header->comm = pf_bytes_trim(thread_token(token, header) ? rest : before);
}

/* --- the rest: PERIOD EVENT: ... -------------------------------------------------------------- */

/* True if the text after an event is nothing or a frame. */
static bool frame_like(struct pf_bytes rest)
{
    struct pf_perf_frame frame;

    return pf_bytes_trim(rest).size == 0 ||
           (pf_perf_frame_parse(rest, &frame) && pf_perf_frame_named(&frame));
}

static bool event_token(struct pf_bytes token, struct pf_perf_header *header)
{
    if (token.size < 2 || token.data[token.size - 1] != ':')
        return false;
    header->event = (struct pf_bytes){token.data, token.size - 1};
    return true;
}

static bool parse_event(struct pf_bytes text, struct pf_perf_header *header)
{
    struct pf_bytes rest = text, token = pf_scan_word(&rest), next = rest;
    bool counted = pf_parse_whole(token, 0, INT64_MAX, &header->period);

    header->has_period = false;
    if (event_token(token, header)) {
        header->rest = rest;
        return true;
    }
    if (!counted || !event_token(pf_scan_word(&next), header))
        return false;
    header->has_period = true;
    header->rest = next;
    return true;
}

/* Parses what follows a time if no event is printed: a period, a frame, both or nothing. */
static bool parse_no_event(struct pf_bytes text, struct pf_perf_header *header)
{
    struct pf_bytes rest = text, token = pf_scan_word(&rest);

    header->event.size = 0;
    header->has_period = false;
    header->rest = text;
    if (pf_all_digits(token) && frame_like(rest) &&
        pf_parse_whole(token, 0, INT64_MAX, &header->period)) {
        header->has_period = true;
        header->rest = rest;
        return true;
    }
    return frame_like(text);
}

/* The decimals of times: perf prints six, or nine with --ns; simpleperf and scripts print other
 * numbers of decimals. */
enum places { PLACES_OF_PERF, PLACES_ANY };

/* Removes a time `SECONDS.FRACTION` from the end of the text, in nanoseconds. False: no time; with
 * *huge: a time over 64 bits. */
static bool cut_time(struct pf_bytes *text, enum places places, int64_t *time, bool *huge)
{
    struct pf_bytes token = pf_scan_last_word(text);
    const char *point = token.size > 0 ? memchr(token.data, '.', token.size) : NULL;
    size_t whole = point ? (size_t)(point - token.data) : 0,
           decimals = point ? token.size - whole - 1 : 0;
    int64_t seconds, fraction, scale = decimals == 6 ? 1000 : 1;
    bool exact;

    if (whole == 0 || decimals == 0 || !pf_digit(token.data[0]) || !pf_digit(point[1]) ||
        (places == PLACES_OF_PERF && decimals != 6 && decimals != 9))
        return false;
    if (decimals == 6 || decimals == 9) {
        if (!pf_parse_whole((struct pf_bytes){token.data, whole}, 0, INT64_MAX, &seconds) ||
            !pf_parse_whole((struct pf_bytes){point + 1, decimals}, 0, INT64_MAX, &fraction))
            return false;
        *huge = !pf_mul64(seconds, 1000000000, time) || !pf_add64(*time, fraction * scale, time);
    } else {
        if (!pf_all_digits((struct pf_bytes){token.data, whole}) ||
            !pf_all_digits((struct pf_bytes){point + 1, decimals}))
            return false;
        *huge = !pf_decimal_scale(token, 9, time, &exact);
    }
    return !*huge;
}

/* Parses a header with a time: the last time in the line that an event follows; unless `event` is
 * set, the last time that a period, a frame or nothing follows. */
static bool parse_timed(struct pf_bytes line, enum places places, bool event,
                        struct pf_perf_header *header, bool *huge)
{
    for (size_t at = line.size; at-- > 3;) {
        struct pf_bytes before = {line.data, at}, behind = {line.data + at + 1, line.size - at - 1};

        if (line.data[at] != ':' || !pf_digit(line.data[at - 1]) ||
            (behind.size > 0 && !pf_blank(behind.data[0])) ||
            !cut_time(&before, places, &header->time, huge))
            continue;
        if (event ? parse_event(behind, header) : parse_no_event(behind, header)) {
            header->has_time = true;
            parse_who(before, header);
            return true;
        }
    }
    return false;
}

/* Parses a header without a time. The event is the last word that ends with a colon, if nothing or
 * a frame follows, or if its name has another colon (a tracepoint). A number before the event is a
 * period if it is wide enough, or if the header also has a thread or a processor. */
static bool parse_untimed(struct pf_bytes line, struct pf_perf_header *header)
{
    for (size_t at = line.size; at-- > 1;) {
        struct pf_bytes before = {line.data, at + 1};

        if (line.data[at] != ':' || (at + 1 < line.size && !pf_blank(line.data[at + 1])) ||
            !event_token(pf_scan_last_word(&before), header))
            continue;
        header->rest = (struct pf_bytes){line.data + at + 1, line.size - at - 1};
        if (!frame_like(header->rest) && !memchr(header->event.data, ':', header->event.size))
            continue;
        struct pf_bytes rest = before, token = pf_scan_last_word(&rest);
        size_t end = (size_t)(token.data - line.data) + token.size, start = rest.size;
        struct pf_perf_header other = {0};

        while (start > 0 && pf_blank(line.data[start - 1]))
            start--;
        if (pf_all_digits(token)) {
            if (!pf_parse_whole(token, 0, INT64_MAX, &header->period))
                return false;
            parse_who(rest, &other);
            header->has_period = other.has_tid || other.has_cpu || end - start >= PERIOD_WIDTH;
        }
        parse_who(header->has_period ? rest : before, header);
        return true;
    }
    return false;
}

/* True if a colon in the line may end a time: a digit stands before the colon, a blank or nothing
 * behind. Few lines of other formats, which may be long, have such a colon. */
static bool has_colon_of_time(struct pf_bytes line)
{
    const char *end = line.data + line.size, *at = line.data;

    while (at < end && (at = memchr(at, ':', (size_t)(end - at)))) {
        if (at > line.data && pf_digit(at[-1]) && (at + 1 == end || pf_blank(at[1])))
            return true;
        at++;
    }
    return false;
}

bool pf_perf_header_parse(struct pf_bytes line, bool timed, struct pf_perf_header *header)
{
    bool huge = false;

    memset(header, 0, sizeof *header);
    return parse_timed(line, PLACES_OF_PERF, true, header, &huge) ||
           (has_colon_of_time(line) &&
            (parse_timed(line, PLACES_OF_PERF, false, header, &huge) ||
             (!huge && parse_timed(line, PLACES_ANY, true, header, &huge)) ||
             (!huge && parse_timed(line, PLACES_ANY, false, header, &huge)))) ||
           (!timed && !huge && parse_untimed(line, header));
}

void pf_perf_who_parse(struct pf_bytes line, struct pf_perf_header *header)
{
    memset(header, 0, sizeof *header);
    parse_who(line, header);
}

bool pf_perf_other_record(struct pf_bytes line)
{
    return pf_bytes_find(line, PF_BYTES(": PERF_RECORD_")) ||
           pf_bytes_starts(line, PF_BYTES("PERF_RECORD_"));
}

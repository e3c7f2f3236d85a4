/* Profiles of valgrind's callgrind and cachegrind, and of programs that write the same: Xdebug,
 * ruby-prof, pprof, nytprofcg. */
#include "format/callgrind/callgrind.h"

enum { LOOK = 65536, EVIDENCE = 40, MAGIC = 96 };

/* What the first lines have. */
struct marks {
    bool magic, events, description, command, other, names, files, compressed, calls, costs;
    size_t strange;
};

/* True if the line begins with one of the words; NULL ends the list. */
static bool begins_with(struct pf_bytes line, const char *const *words)
{
    for (; *words; words++)
        if (pf_bytes_starts(line, pf_bytes_of(*words)))
            return true;
    return false;
}

static void mark_header(struct pf_bytes line, struct marks *marks)
{
    static const char *const others[] = {"version:", "creator:", "positions:", "pid:", "part:",
                                         "thread:",  "event:",   "totals:",    "====", NULL};
    bool other = begins_with(line, others);

    marks->other = marks->other || other;
    marks->strange += !other && !pf_bytes_starts(line, PF_BYTES("summary:"));
}

static void mark_line(struct pf_bytes line, struct marks *marks)
{
    static const char *const names[] = {"fn=", "cfn=", NULL};
    static const char *const files[] = {
        "fl=", "fi=", "fe=", "ob=", "cob=", "cfi=", "cfl=", "jump=", "jcnd=", "jf", NULL};
    uint64_t number;
    struct pf_bytes rest = line;

    if (line.size == 0 || line.data[0] == '#')
        marks->magic = marks->magic || pf_bytes_starts(line, PF_BYTES("# callgrind format"));
    else if (pf_cg_position(pf_scan_word(&rest), UINT64_MAX / 2, &number))
        marks->costs = true;
    else if (pf_bytes_starts(line, PF_BYTES("events:")))
        marks->events = true;
    else if (pf_bytes_starts(line, PF_BYTES("desc:")))
        marks->description = true;
    else if (pf_bytes_starts(line, PF_BYTES("cmd:")))
        marks->command = true;
    else if (begins_with(line, names))
        marks->names = true;
    else if (begins_with(line, files))
        marks->files = true;
    else if (pf_bytes_starts(line, PF_BYTES("calls=")))
        marks->calls = true;
    else
        mark_header(line, marks);
    if (line.size > 4 && line.data[0] == 'f' && line.data[2] == '=' && line.data[3] == '(' &&
        pf_digit(line.data[4]))
        marks->compressed = true;
}

/* The line that begins at `at`, as far as it lies in the first LOOK bytes; NULL: no more lines.
 * Waits for no more bytes of a slow producer than the line needs. */
static const char *line_at(struct pf_source *source, size_t at, size_t *size)
{
    size_t have = 0, want = at + 1;
    const char *text, *feed;

    do {
        text = (const char *)pf_source_peek(source, want, &have);
        if (have > LOOK)
            have = LOOK;
        feed = have > at ? memchr(text + at, '\n', have - at) : NULL;
        if (feed || have < want)
            break;
        want = have + 1;
    } while (want <= LOOK);
    if (have <= at || (!feed && at > 0 && have == LOOK))
        return NULL;
    *size = feed ? (size_t)(feed - text) - at : have - at;
    return text + at;
}

static bool mark_lines(struct pf_source *source, struct marks *marks)
{
    const char *line;
    size_t at = 0, size, tolerated = 0;

    *marks = (struct marks){0};
    /* an input that begins with another line is of another format */
    while (marks->strange <= tolerated && (line = line_at(source, at, &size)) != NULL) {
        at += size + 1;
        if (size > 0 && line[size - 1] == '\r')
            size--;
        mark_line((struct pf_bytes){line, size}, marks);
        if (size > 0 && marks->strange == 0)
            tolerated = 4;
    }
    return marks->magic || (marks->events && marks->strange <= 4);
}

/* Profiles of cachegrind have a description, a command and full names, and nothing that only
 * callgrind writes. */
static bool is_cachegrind(const struct marks *marks)
{
    return !marks->magic && marks->events && (marks->description || marks->command) &&
           !marks->other && !marks->compressed && !marks->calls;
}

static int bid_callgrind(struct pf_source *source, const char *path)
{
    struct marks marks;

    (void)path;
    if (!mark_lines(source, &marks) || is_cachegrind(&marks))
        return 0;
    if (marks.magic)
        return MAGIC;
    return marks.names || marks.calls || (marks.other && !marks.costs) ? EVIDENCE : 0;
}

static int bid_cachegrind(struct pf_source *source, const char *path)
{
    struct marks marks;

    (void)path;
    return mark_lines(source, &marks) && is_cachegrind(&marks) ? EVIDENCE : 0;
}

/* Facts of one part or one run are not facts of a merge. */
static enum pf_meta_rule rule(struct pf_bytes origin, struct pf_bytes key)
{
    bool part = pf_bytes_equal(key, PF_BYTES("part")) || pf_bytes_equal(key, PF_BYTES("thread")) ||
                pf_bytes_equal(key, PF_BYTES("summary"));

    (void)origin;
    return part ? PF_META_SINGLE : PF_META_ONCE;
}

static const struct pf_merging merging = {.rule = rule};

static int open_callgrind(struct pf_reader *reader)
{
    static const struct pf_cg_dialect dialect = {.origin = "callgrind"};

    return pf_cg_reader_open(reader, &dialect);
}

static int open_cachegrind(struct pf_reader *reader)
{
    static const struct pf_cg_dialect dialect = {.origin = "cachegrind", .flat = true};

    return pf_cg_reader_open(reader, &dialect);
}

const struct pf_format pf_format_callgrind = {
    .name = "callgrind",
    .about = "callgrind.out of valgrind, and what Xdebug, ruby-prof, pprof and nytprofcg write of "
             "the kind",
    .suffixes = ".callgrind",
    .losses =
        "stacks (calls and lines are made of them), labels but 'thread', columns, first lines, "
        "kinds of frames, image addresses, "
        "summary lines (totals are written), times finer than 1 ps; files nobody knows become ???",
    .caps = PF_HOLDS_SAMPLE | PF_HOLDS_FLAT | PF_HOLDS_EDGE | PF_IS_TEXT,
    .merging = &merging,
    .bid = bid_callgrind,
    .reader_size = sizeof(struct pf_cg_reader),
    .open_reader = open_callgrind,
    .read = pf_cg_reader_read,
    .close_reader = pf_cg_reader_close,
    .writer_size = sizeof(struct pf_cg_writer),
    .open_writer = pf_cg_writer_open,
    .holds_label = pf_cg_writer_holds_label,
    .write = pf_cg_writer_write,
    .finish = pf_cg_writer_finish,
    .close_writer = pf_cg_writer_close,
};

const struct pf_format pf_format_cachegrind = {
    .name = "cachegrind",
    .about = "cachegrind.out of valgrind, cg_merge and cg_diff",
    .caps = PF_HOLDS_FLAT | PF_IS_TEXT,
    .merging = &merging,
    .bid = bid_cachegrind,
    .reader_size = sizeof(struct pf_cg_reader),
    .open_reader = open_cachegrind,
    .read = pf_cg_reader_read,
    .close_reader = pf_cg_reader_close,
};

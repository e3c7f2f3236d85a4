/* Profiles of valgrind's callgrind and cachegrind, and of other programs that write these formats:
 * Xdebug, ruby-prof, pprof, nytprofcg. */
#include "format/callgrind/callgrind.h"

#include "codec/text_reader.h"

enum { EVIDENCE = 40, MAGIC = 96 };

/* What the first lines show. */
struct marks {
    bool magic, events, description, command, other, names, files, compressed, calls, costs;
    size_t strange, tolerated;
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

/* Bits of evidence in the first lines. An input that begins with an unknown line has another
 * format. */
static int judge(struct pf_bytes line, bool whole, void *field)
{
    struct marks *marks = field;

    (void)whole;
    mark_line(line, marks);
    if (marks->strange > marks->tolerated)
        return PF_TEXT_OTHER;
    if (line.size > 0 && marks->strange == 0)
        marks->tolerated = 4;
    return PF_TEXT_MORE;
}

static bool mark_lines(struct pf_source *source, struct marks *marks)
{
    *marks = (struct marks){0};
    pf_text_bid(source, judge, marks);
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

/* The rules for metadata in a merge: facts of a part or a run are not facts of the merge. */
static enum pf_meta_rule rule(struct pf_bytes origin, struct pf_bytes key)
{
    bool part = pf_bytes_equal(key, PF_BYTES("part")) || pf_bytes_equal(key, PF_BYTES("thread")) ||
                pf_bytes_equal(key, PF_BYTES("summary"));

    (void)origin;
    return part ? PF_META_SINGLE : PF_META_ONCE;
}

/* A file may have several parts, and several runs behind each other. */
static enum pf_meta_place place(struct pf_bytes origin, struct pf_bytes key)
{
    (void)origin;
    if (pf_bytes_equal(key, PF_BYTES("summary")))
        return PF_META_BEFORE;
    return pf_bytes_equal(key, PF_BYTES("comment")) || pf_bytes_equal(key, PF_BYTES("desc"))
               ? PF_META_LIST
               : PF_META_FROM_HERE;
}

static const struct pf_merging merging = {.rule = rule, .place = place};

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
    .open_reader = pf_cg_reader_open,
    .read = pf_cg_reader_read,
    .close_reader = pf_cg_reader_close,
    .writer_size = sizeof(struct pf_cg_writer),
    .open_writer = pf_cg_writer_open,
    .holds_label = pf_cg_writer_holds_label,
    .write = pf_cg_writer_write,
    .finish = pf_cg_write_part,
    .close_writer = pf_cg_writer_close,
};

const struct pf_format pf_format_cachegrind = {
    .name = "cachegrind",
    .about = "cachegrind.out of valgrind, cg_merge and cg_diff",
    .caps = PF_HOLDS_FLAT | PF_IS_TEXT,
    .merging = &merging,
    .bid = bid_cachegrind,
    .reader_size = sizeof(struct pf_cg_reader),
    .open_reader = pf_cg_reader_open,
    .read = pf_cg_reader_read,
    .close_reader = pf_cg_reader_close,
};

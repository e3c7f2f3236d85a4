/* Stacks as DTrace's aggregations and bcc's tools (without -f) print them: blocks of indented
 * lines, innermost frame first; a line with only a number ends a block. dtrace.md has the facts. */
#include "base/number.h"
#include "base/scan.h"
#include "codec/java_name.h"
#include "codec/text_reader.h"

enum line { LINE_EMPTY, LINE_TITLE, LINE_NUMBER, LINE_FRAME };

/* True for a line below the title `CPU ID FUNCTION:NAME`: the probe that fired, `8 35077
 * :tick-60s`. */
static bool is_probe(struct pf_bytes text)
{
    for (unsigned numbers = 0; numbers < 2; numbers++)
        if (!pf_all_digits(pf_scan_word(&text)))
            return false;
    return memchr(text.data, ':', text.size) && !memchr(text.data, '`', text.size);
}

static enum line judge(struct pf_bytes line)
{
    struct pf_bytes text = pf_bytes_trim(line);
    int64_t value;

    if (text.size == 0)
        return LINE_EMPTY;
    if (!pf_blank(line.data[0]) || is_probe(text))
        return LINE_TITLE;
    return pf_parse_whole(text, INT64_MIN, INT64_MAX, &value) ? LINE_NUMBER : LINE_FRAME;
}

/* --- evidence --------------------------------------------------------------------------------- */

static bool is_title(struct pf_bytes line)
{
    return line.size > 3 && memcmp(line.data, "CPU", 3) == 0 && pf_blank(line.data[3]) &&
           pf_bytes_equal(pf_bytes_trim(line), line) && line.size > 13 &&
           memcmp(line.data + line.size - 13, "FUNCTION:NAME", 13) == 0;
}

/* What the lines so far show. DTrace's title is certain. Without a title all lines are indented,
 * and each number has frames above it. */
struct evidence {
    bool title, modules;            /* seen: the title; a MODULE`FUNCTION */
    unsigned frames, above, stacks; /* `above`: frames since the last number */
};

static int weigh_line(struct pf_bytes line, bool whole, void *field)
{
    struct evidence *so_far = field;
    enum line what = judge(line);

    if (!whole && so_far->frames > 0)
        return 0;
    if (memchr(line.data, '\0', line.size))
        return PF_TEXT_OTHER;
    so_far->title = so_far->title || is_title(pf_bytes_trim(line));
    if (what == LINE_TITLE && !so_far->title && !pf_bytes_starts(line, PF_BYTES("dtrace: ")))
        return PF_TEXT_OTHER;
    if (what == LINE_FRAME) {
        so_far->modules = so_far->modules || memchr(line.data, '`', line.size);
        so_far->frames++;
        so_far->above++;
    } else if (what == LINE_NUMBER) {
        so_far->stacks += so_far->above > 0;
        so_far->above = 0;
    }
    if (so_far->frames == 0 || (!so_far->title && so_far->stacks == 0))
        return 0;
    return so_far->title ? 40 : so_far->modules ? 24 : 13;
}

static int bid(struct pf_source *source, const char *path)
{
    struct evidence evidence = {0};

    (void)path;
    return pf_text_bid(source, weigh_line, &evidence);
}

/* --- reader ----------------------------------------------------------------------------------- */

struct dtrace_reader {
    struct pf_text_reader text;
    uint32_t labels; /* of the current block */
    uint64_t block;  /* offset of the current block */
};

/* The name without `+0x1f` or bcc's `+31` at the end. */
static struct pf_bytes without_offset(struct pf_bytes text)
{
    size_t at = text.size;

    while (at > 0 && pf_hex_digit(text.data[at - 1]) >= 0)
        at--;
    bool hex = at > 2 && at < text.size && text.data[at - 1] == 'x' && text.data[at - 2] == '0';
    if (hex)
        at -= 2;
    if (at > 1 && at < text.size && text.data[at - 1] == '+')
        text.size = at - 1;
    return text;
}

/* The location of a frame, MODULE`FUNCTION+0xOFFSET; module and offset may be missing. */
static uint32_t frame_location(struct pf_dict *dict, struct pf_bytes text)
{
    const char *tick = memchr(text.data, '`', text.size);
    struct pf_bytes name = without_offset(text);
    struct pf_image image = {0};
    struct pf_location location = {0};

    if (tick && tick > text.data && tick + 1 < text.data + name.size) {
        size_t size = (size_t)(tick - text.data);

        image.name = pf_dict_intern(dict, (struct pf_bytes){text.data, size}, PF_UTF8);
        name = (struct pf_bytes){tick + 1, name.size - size - 1};
    }
    location.image = pf_dict_add_image(dict, &image);
    if (!pf_parse_address(name, &location.address) || location.address == 0) {
        struct pf_function function = {0};
        pf_function_symbol(dict, &function, name, PF_UTF8);

        location.address = 0;
        location.function = pf_dict_add_function(dict, &function);
    }
    return pf_dict_add_location(dict, &location);
}

/* True for lines of bcc that are not frames: the last line of a stack, `- COMMAND (PID)`, which
 * gives labels, and the mark `--` between kernel and user frames. */
static bool read_bcc_line(struct pf_reader *reader, struct pf_bytes text)
{
    struct dtrace_reader *state = reader->state;
    struct pf_dict *dict = reader->dict;
    size_t open = text.size;
    int64_t pid;

    if (pf_bytes_equal(text, PF_BYTES("--")))
        return true;
    while (open > 0 && text.data[open - 1] != '(')
        open--;
    if (text.size < 6 || text.data[0] != '-' || !pf_blank(text.data[1]) || open < 2 ||
        text.data[text.size - 1] != ')' ||
        !pf_parse_whole((struct pf_bytes){text.data + open, text.size - open - 1}, INT64_MIN,
                        INT64_MAX, &pid))
        return false;
    struct pf_bytes command = pf_bytes_trim((struct pf_bytes){text.data + 1, open - 2});
    state->labels = pf_dict_add_label(dict, state->labels,
                                      pf_dict_intern(dict, PF_BYTES("comm"), 0),
                                      pf_dict_intern(dict, command, PF_UTF8));
    state->labels = pf_dict_add_word_number(dict, state->labels, "pid", pid);
    return true;
}

static int add_frame(struct pf_reader *reader, struct pf_bytes text)
{
    struct dtrace_reader *state = reader->state;
    uint64_t offset = state->text.offset;

    if (reader->rows.depth == 0 && state->labels == 0)
        state->block = offset;
    if (read_bcc_line(reader, text))
        return PF_OK;
    if (text.size > PF_STRING_MAX)
        return pf_error_at(&reader->error, PF_FAILED, offset, "a frame longer than 16 MiB");
    return pf_rows_frame(&reader->rows, frame_location(reader->dict, text), &reader->error, offset);
}

/* Reads a line; a number ends the stack. */
static int read_line(struct pf_reader *reader, struct pf_bytes line)
{
    struct dtrace_reader *state = reader->state;
    struct pf_bytes text = pf_bytes_trim(line);
    enum line what = judge(line);
    int64_t value;

    if (what == LINE_FRAME)
        return add_frame(reader, text);
    if (what == LINE_NUMBER && pf_parse_whole(text, INT64_MIN, INT64_MAX, &value)) {
        pf_rows_sample(&reader->rows, state->labels);
        pf_rows_set(&reader->rows, 0, value);
        state->labels = 0;
    }
    return PF_OK;
}

static int end_input(struct pf_reader *reader, int status)
{
    struct dtrace_reader *state = reader->state;

    if (status == PF_EOF && (reader->rows.depth > 0 || state->labels != 0))
        return pf_error_at(&reader->error, PF_FAILED, state->block,
                           "no count after this stack: the input is cut");
    return status;
}

static int open_reader(struct pf_reader *reader)
{
    struct pf_measure measure =
        pf_measure_make(reader->dict, "samples", "count", PF_SAMPLE, PF_COUNT, PF_SAMPLED);

    measure.main = 1;
    pf_text_open(reader, read_line, end_input);
    pf_rows_measure(&reader->rows, pf_dict_add_measure(reader->dict, measure));
    pf_rows_declare(&reader->rows);
    return pf_dict_status(reader->dict);
}

const struct pf_format pf_format_dtrace = {
    .name = "dtrace",
    .about = "stacks that DTrace and bcc print, each with its count below",
    .caps = PF_HOLDS_SAMPLE | PF_IS_TEXT | PF_IS_STREAM,
    .folded = PF_FOLDED_DTRACE,
    .bid = bid,
    .reader_size = sizeof(struct dtrace_reader),
    .open_reader = open_reader,
};

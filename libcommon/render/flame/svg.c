/* Flame graphs as SVG, as users of flamegraph.pl know them: one file that needs no other file, with
 * zoom and search in a browser. */
#include "analysis/table/flame.h"
#include "codec/format.h"
#include "model/utf8.h"
#include "render/flame/cache.h"
#include "render/flame/palette.h"
#include "render/flame/verdict.h"
#include "render/flame/xml.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char script[] =
#include "render/flame/svg.js.h"
    ;
static const char style[] =
#include "render/flame/svg.css.h"
    ;

enum {
    PAD = 10,
    PRECISION = 100 /* of a pixel */,
    CHARACTER = 59 /* width of a character in hundredths of the font size */
};

struct svg_writer {
    struct pf_flame flame;
    struct pf_palette palette;
    /* in pixels: width of the picture, height of a frame, size of letters */
    int64_t width, height, font_size;
    /* narrowest frame that is drawn: in hundredths of a pixel, or of a percent */
    int64_t least;
    int64_t least_width; /* `least` as an amount */
    bool least_percent, inverted, negate, delta_self;

    struct pf_flame_subject subject;
    struct pf_flame_amounts amounts;
    struct pf_verdict_marks marks;
    /* the word after amounts; empty: amounts are printed with their unit */
    struct pf_bytes counted;
    /* the greatest change of a frame; 0: not a difference, or nothing changed */
    double greatest;
    /* bits dropped from amounts in attributes, so that the script can compute with them */
    unsigned shift;
    int64_t levels, top;   /* levels: greatest depth of the drawn frames; top: y of the frames */
    struct pf_cache names; /* by function */
    struct pf_buffer scratch, line;
};

/* --- options ---------------------------------------------------------------------------------- */

static const struct pf_option options[] = {
    {"title", "the heading (Flame Graph)", NULL, false, true},
    {"subtitle", "a second line (the measure and its total)", NULL, false, true},
    {"width", "of the picture in pixels (1200)", NULL, false, true},
    {"height", "of a frame in pixels (16)", NULL, false, true},
    {"minwidth", "of frames that are drawn, in pixels, or with % of the whole (0.1)", NULL, false,
     true},
    {"fontsize", "in pixels (12)", NULL, false, true},
    {"colors", "hue of the frames, their shades go by the names (hot)", PF_PALETTES, false, true},
    {"countname", "what is counted, in place of the measure's name or unit", NULL, false, true},
    {"inverted", "the root at the top: an icicle graph", "yes", false, true},
    {"reverse", "leaves at the root, and above them who called them", "yes", false, true},
    {"by", "what is one frame: name, file and image (function), or the name alone", "function|name",
     false, true},
    {"negate", "differences: blue is more and red is less", "yes", false, true},
    {"delta", "differences: colour by the change of the total or of the frame's own part",
     "total|self", false, true},
    {0},
};

/* Reads an option: a whole number of pixels. */
static int read_size(struct pf_writer *writer, const char *name, int64_t low, int64_t high,
                     int64_t *value)
{
    const char *text = pf_options_get(writer->options, name);

    if (!text || pf_parse_int(pf_bytes_of(text), low, high, value))
        return PF_OK;
    return pf_error_set(&writer->error, PF_USAGE,
                        "svg:%s takes a number from %" PRId64 " to %" PRId64 ", not '%s'", name,
                        low, high, text);
}

static int read_least(struct pf_writer *writer)
{
    struct svg_writer *state = writer->state;
    const char *text = pf_options_get(writer->options, "minwidth");
    char number[32];
    size_t size = text ? strlen(text) : 0;

    state->least = PRECISION / 10;
    if (!text)
        return PF_OK;
    state->least_percent = size > 0 && text[size - 1] == '%';
    size -= state->least_percent;
    if (size > 0 && size < sizeof number - 1) {
        memcpy(number, text, size);
        number[size] = 'h';
        if (pf_parse_scaled((struct pf_bytes){number, size + 1}, "h=100", &state->least) &&
            state->least >= 0 && state->least <= INT32_MAX)
            return PF_OK;
    }
    return pf_error_set(&writer->error, PF_USAGE,
                        "svg:minwidth takes pixels such as 0.5 or a share such as 0.25%%, not '%s'",
                        text);
}

static int open_writer(struct pf_writer *writer)
{
    struct svg_writer *state = writer->state;
    const char *delta = pf_options_get(writer->options, "delta"),
               *counted = pf_options_get(writer->options, "countname");
    int status;

    state->width = 1200;
    state->height = 16;
    state->font_size = 12;
    state->inverted = pf_options_get(writer->options, "inverted");
    state->negate = pf_options_get(writer->options, "negate");
    state->delta_self = delta && strcmp(delta, "self") == 0;
    if ((status = read_size(writer, "width", 100, 100000, &state->width)) != PF_OK ||
        (status = read_size(writer, "height", 4, 200, &state->height)) != PF_OK ||
        (status = read_size(writer, "fontsize", 4, 100, &state->font_size)) != PF_OK ||
        (status = read_least(writer)) != PF_OK)
        return status;
    if (counted && strchr(counted, '(') != NULL) /* the script uses '(' to find the end of a name */
        return pf_error_set(&writer->error, PF_USAGE,
                            "svg:countname takes a name without '(', not '%s'", counted);
    return pf_flame_open(&state->flame, writer);
}

static void close_writer(struct pf_writer *writer)
{
    struct svg_writer *state = writer->state;

    pf_flame_amounts_free(&state->amounts);
    pf_verdict_marks_free(&state->marks);
    pf_flame_free(&state->flame);
    pf_palette_free(&state->palette);
    pf_cache_free(&state->names);
    pf_buffer_free(&state->scratch);
    pf_buffer_free(&state->line);
}

static int write_batch(struct pf_writer *writer, const struct pf_batch *batch)
{
    struct svg_writer *state = writer->state;

    return pf_flame_add(&state->flame, batch, &writer->error);
}

/* --- words ------------------------------------------------------------------------------------ */

static void clean_name(void *arg, uint32_t key, struct pf_sink *sink)
{
    struct svg_writer *state = arg;
    unsigned flags = 0;
    struct pf_bytes name =
        key == 0 ? PF_BYTES("all") : pf_keys_name(&state->flame.keys, key, &state->scratch, &flags);

    name = pf_text_line(name, flags, &state->line);
    pf_sink_write(sink, name.data, name.size);
}

static struct pf_bytes name_of(struct svg_writer *state, uint32_t key)
{
    return pf_cache_text(&state->names, key, clean_name, state);
}

static void write_clean(struct pf_writer *writer, struct pf_bytes text, unsigned flags)
{
    struct svg_writer *state = writer->state;

    pf_xml_text(writer->sink, pf_text_line(text, flags, &state->line));
}

/* Writes a number like 1,234,567.5. `sign`: with + if it is positive. */
static void write_grouped(struct pf_sink *sink, pf_int128 amount, uint64_t parts, bool sign)
{
    char text[PF_AMOUNT_TEXT];

    if (amount < 0 || sign)
        pf_sink_text(sink, amount < 0 ? "-" : "+");
    pf_print_parts(amount < 0 ? -amount : amount, parts, PF_DECIMAL_PLACES, text);
    pf_group_digits(text);
    pf_sink_text(sink, text);
}

/* Writes an amount like 3.41s or 1,234, without the counted word. */
static void write_amount(struct pf_writer *writer, int64_t amount, bool sign)
{
    struct svg_writer *state = writer->state;
    char text[PF_AMOUNT_TEXT];

    amount = pf_flame_shown(&state->subject, amount);
    if (state->counted.size > 0) {
        write_grouped(writer->sink, amount, state->subject.scale.parts, sign);
        return;
    }
    if (sign && amount >= 0)
        pf_sink_text(writer->sink, "+");
    pf_sink_text(writer->sink, pf_scale_print(&state->subject.scale, amount, text));
}

static void write_counted(struct pf_writer *writer)
{
    struct svg_writer *state = writer->state;

    if (state->counted.size == 0)
        return;
    pf_sink_text(writer->sink, " ");
    write_clean(writer, state->counted, state->subject.name_flags);
}

static void write_fraction(struct pf_sink *sink, unsigned hundredths)
{
    pf_sink_write(sink, (char[]){'.', (char)('0' + hundredths / 10), (char)('0' + hundredths % 10)},
                  3);
}

static pf_uint128 size_of(pf_int128 number)
{
    return (pf_uint128)(number < 0 ? -number : number);
}

/* Writes part / whole with two decimals, rounded half away from 0. */
static void write_hundredths(struct pf_sink *sink, pf_int128 part, pf_int128 whole, bool sign)
{
    bool negative = whole != 0 && (part < 0) != (whole < 0) && part != 0;
    pf_uint128 size = size_of(part), of = size_of(whole);
    pf_uint128 hundredths = of == 0 ? 0 : (200 * size + of) / (2 * of);

    pf_sink_text(sink, negative ? "-" : sign ? "+" : "");
    write_grouped(sink, (pf_int128)(hundredths / 100), 1, false);
    write_fraction(sink, (unsigned)(hundredths % 100));
}

/* Writes the text in parentheses after a name: "1,234 samples, 12.34%". */
static void write_plain(struct pf_writer *writer, uint32_t node)
{
    const struct svg_writer *state = writer->state;

    write_amount(writer, state->amounts.total[0][node], false);
    write_counted(writer);
    pf_sink_text(writer->sink, ", ");
    write_hundredths(writer->sink, (pf_int128)100 * state->amounts.total[0][node],
                     state->amounts.total[0][0], false);
    pf_sink_text(writer->sink, "%");
}

static bool is_difference(const struct svg_writer *state)
{
    return state->subject.sums[1];
}

static int64_t change_of(const struct svg_writer *state, uint32_t node)
{
    int64_t *const *sides = state->delta_self ? state->amounts.self : state->amounts.total;
    int64_t change;

    if (!is_difference(state))
        return sides[0][node] < 0 ? sides[0][node] : 0;
    if (__builtin_sub_overflow(sides[1][node], sides[0][node], &change))
        return sides[1][node] < 0 ? INT64_MIN : INT64_MAX;
    return change;
}

/* Writes "before 10, after 20 samples, +10, +100.00%, ratio 2.00". */
static void write_difference(struct pf_writer *writer, uint32_t node)
{
    const struct svg_writer *state = writer->state;
    int64_t before = state->amounts.total[0][node], after = state->amounts.total[1][node],
            change = 0;

    pf_sink_text(writer->sink, "before ");
    write_amount(writer, before, false);
    pf_sink_text(writer->sink, ", after ");
    write_amount(writer, after, false);
    write_counted(writer);
    pf_sink_text(writer->sink, ", ");
    if (__builtin_sub_overflow(after, before, &change))
        change = after < before ? INT64_MIN : INT64_MAX;
    write_amount(writer, change, true);
    if (before == 0) {
        pf_sink_text(writer->sink, after != 0 ? ", new" : "");
    } else {
        pf_sink_text(writer->sink, ", ");
        write_hundredths(writer->sink, (pf_int128)100 * change,
                         before < 0 ? -(pf_int128)before : before, true);
        pf_sink_text(writer->sink, after == 0 ? "%, gone" : "%, ratio ");
        if (after != 0)
            write_hundredths(writer->sink, after, before, false);
    }
    if (state->delta_self && !__builtin_sub_overflow(state->amounts.self[1][node],
                                                     state->amounts.self[0][node], &change)) {
        pf_sink_text(writer->sink, ", self ");
        write_amount(writer, change, true);
    }
}

/* Writes "; function: +9.9%, ...". */
static void write_verdict(struct pf_writer *writer, uint32_t function)
{
    const struct svg_writer *state = writer->state;
    char text[PF_VERDICT_TEXT];

    pf_verdict_text(&state->marks, function, text);
    if (text[0])
        pf_sink_text(writer->sink, "; ");
    pf_sink_text(writer->sink, text);
}

/* --- frames ----------------------------------------------------------------------------------- */

static void write_pixels(struct pf_sink *sink, int64_t hundredths)
{
    pf_sink_number(sink, hundredths / PRECISION);
    write_fraction(sink, (unsigned)(hundredths % PRECISION));
}

/* Ends the attribute before, and begins an attribute; the next call ends it. */
static void write_attribute(struct pf_sink *sink, const char *name, int64_t value)
{
    pf_sink_text(sink, "\" ");
    pf_sink_text(sink, name);
    pf_sink_text(sink, "=\"");
    pf_sink_number(sink, value);
}

/* The distance from the left edge of the frames for an amount, in hundredths of a pixel. */
static int64_t pixels_of(const struct svg_writer *state, int64_t amount)
{
    int64_t inner = (state->width - 2 * PAD) * PRECISION, whole = state->amounts.width[0];

    return whole == 0 ? 0
                      : (int64_t)(((pf_int128)2 * amount * inner + whole) / (2 * (pf_int128)whole));
}

/* The smallest amount whose frame is drawn. */
static int64_t least_amount(const struct svg_writer *state)
{
    pf_int128 whole = state->amounts.width[0],
              pixels = (pf_int128)(state->width - 2 * PAD) * PRECISION;
    pf_int128 parts = state->least_percent ? 100 * PRECISION : pixels;
    pf_int128 least = (whole * state->least + parts - 1) / parts;

    return least > INT64_MAX ? INT64_MAX : (int64_t)least;
}

/* Writes as much of the name as fits; nothing if fewer than three characters fit. */
static void write_label(struct pf_writer *writer, struct pf_bytes name, int64_t pixels)
{
    struct svg_writer *state = writer->state;
    size_t room = (size_t)(pixels / (state->font_size * CHARACTER));
    size_t size = room < 3 ? 0 : pf_text_prefix(name, room);

    if (size == name.size || size == 0) {
        pf_xml_text(writer->sink, (struct pf_bytes){name.data, size});
        return;
    }
    pf_xml_text(writer->sink, (struct pf_bytes){name.data, pf_text_prefix(name, room - 2)});
    pf_sink_text(writer->sink, "..");
}

static bool is_pale(const struct svg_writer *state, uint32_t node)
{
    return pf_verdict_pale(pf_verdict_mark(&state->marks, state->flame.key[node]));
}

static uint32_t color_of(const struct svg_writer *state, uint32_t node, struct pf_bytes name)
{
    int64_t change = change_of(state, node);
    uint32_t color;

    if (!is_difference(state) && change >= 0)
        return pf_palette_color(&state->palette, state->flame.key[node], name);
    color =
        pf_palette_change((double)change, state->greatest > 0 ? state->greatest : 1, state->negate);
    return is_pale(state, node) ? pf_palette_pale(color) : color;
}

/* Writes the classes of a frame: whether it is on one side only, and whether it is pale. A thin
 * frame gets no outline, which would cover the frame. */
static void write_classes(struct pf_writer *writer, uint32_t node, int64_t pixels)
{
    const struct svg_writer *state = writer->state;
    bool gone = is_difference(state) && state->amounts.total[1][node] == 0,
         new = is_difference(state) && state->amounts.total[0][node] == 0, outlined = gone != new,
         pale = is_pale(state, node);

    if (outlined || pale)
        pf_sink_printf(writer->sink, " class=\"%s%s%s%s\"",
                       !outlined ? ""
                       : gone    ? "gone"
                                 : "new",
                       outlined && pixels < 3 * PRECISION ? " thin" : "",
                       outlined && pale ? " " : "", pale ? "pale" : "");
}

static void write_frame(struct pf_writer *writer, uint32_t node, int64_t start)
{
    struct svg_writer *state = writer->state;
    struct pf_sink *sink = writer->sink;
    struct pf_bytes name = name_of(state, state->flame.key[node]);
    int64_t width = state->amounts.width[node], x = pixels_of(state, start),
            w = pixels_of(state, start + width) - x;
    int64_t level = state->inverted ? state->flame.depth[node]
                                    : state->levels - state->flame.depth[node];
    int64_t y = state->top + level * state->height;
    uint32_t color = color_of(state, node, name);

    if (node == 0)
        w = (state->width - 2 * PAD) * PRECISION;
    pf_sink_text(sink, "<g><title>");
    pf_xml_text(sink, name);
    pf_sink_text(sink, " (");
    if (is_difference(state))
        write_difference(writer, node);
    else
        write_plain(writer, node);
    write_verdict(writer, state->flame.key[node]);
    pf_sink_text(sink, ")</title><rect x=\"");
    write_pixels(sink, x + PAD * PRECISION);
    write_attribute(sink, "y", y);
    pf_sink_text(sink, "\" width=\"");
    write_pixels(sink, w);
    write_attribute(sink, "height", state->height - 1);
    pf_sink_printf(sink, "\" fill=\"#%06x\"", color);
    write_classes(writer, node, w);
    pf_sink_text(sink, " data-x=\"");
    pf_sink_number(sink, start >> state->shift);
    write_attribute(sink, "data-e", (start + width) >> state->shift);
    write_attribute(sink, "data-d", state->flame.depth[node]);
    pf_sink_printf(sink, "\"/><text%s x=\"", pf_palette_dark(color) ? " class=\"light\"" : "");
    write_pixels(sink, x + (PAD + 3) * PRECISION);
    write_attribute(sink, "y", y + state->height / 2 + state->font_size * 3 / 8);
    pf_sink_text(sink, "\">");
    write_label(writer, name, w);
    pf_sink_text(sink, "</text></g>\n");
}

/* Calls `see` for each frame that is drawn, in preorder; `start`: the amount at its left edge.
 * False: out of memory. */
static bool each_frame(struct pf_writer *writer,
                       void (*see)(struct pf_writer *, uint32_t node, int64_t start))
{
    struct svg_writer *state = writer->state;
    const struct pf_flame *flame = &state->flame;
    /* by depth: where the next frame starts */
    int64_t *next = calloc((size_t)flame->height + 2, sizeof *next);

    if (!next)
        return false;
    for (uint32_t node = 0; node < flame->count;) {
        uint32_t depth = flame->depth[node];
        int64_t start = next[depth];
        bool seen = node == 0 || state->amounts.width[node] >= state->least_width;
        next[depth] += state->amounts.width[node];
        next[depth + 1] = start;
        if (seen)
            see(writer, node, start);
        node = seen ? node + 1 : flame->end[node];
    }
    free(next);
    return true;
}

static void note_frame(struct pf_writer *writer, uint32_t node, int64_t start)
{
    struct svg_writer *state = writer->state;
    double change = fabs((double)change_of(state, node));

    (void)start;
    if (state->flame.depth[node] > state->levels)
        state->levels = state->flame.depth[node];
    if (change > state->greatest)
        state->greatest = change;
}

/* --- the picture ------------------------------------------------------------------------------ */

static void write_text(struct pf_writer *writer, const char *id, int64_t x, int64_t y,
                       const char *anchor, const char *text)
{
    pf_sink_printf(writer->sink,
                   "<text id=\"%s\" x=\"%" PRId64 "\" y=\"%" PRId64 "\" text-anchor=\"%s\">", id, x,
                   y, anchor);
    write_clean(writer, pf_bytes_of(text), PF_UTF8);
    pf_sink_text(writer->sink, "</text>\n");
}

/* Writes the subtitle: the option's text, else the measure and its total; for a difference also
 * what the colours mean. */
static void write_subtitle(struct pf_writer *writer, int64_t y)
{
    const struct svg_writer *state = writer->state;
    const char *option = pf_options_get(writer->options, "subtitle");
    struct pf_sink *sink = writer->sink;
    bool known = option || state->subject.sums[0];

    pf_sink_printf(
        sink, "<text id=\"subtitle\" x=\"%" PRId64 "\" y=\"%" PRId64 "\" text-anchor=\"middle\">",
        state->width / 2, y);
    if (writer->failed_input)
        pf_sink_text(sink, known ? "incomplete: an input is damaged; "
                                 : "incomplete: an input is damaged");
    if (option) {
        write_clean(writer, pf_bytes_of(option), PF_UTF8);
    } else if (known) {
        if (!pf_bytes_equal(state->counted, state->subject.name)) {
            write_clean(writer, state->subject.name, state->subject.name_flags);
            pf_sink_text(sink, ": ");
        }
        if (is_difference(state)) {
            write_difference(writer, 0);
            pf_sink_text(sink, state->negate ? "; blue is more, red is less"
                                             : "; red is more, blue is less");
            pf_sink_text(sink, state->marks.judged ? ", pale is not significant" : "");
        } else {
            write_amount(writer, state->amounts.total[0][0], false);
            write_counted(writer);
        }
    }
    pf_sink_text(sink, "</text>\n");
}

static void write_head(struct pf_writer *writer, int64_t height)
{
    const struct svg_writer *state = writer->state;
    const char *title = pf_options_get(writer->options, "title");
    int64_t font = state->font_size, right = state->width - PAD, bottom = height - font;
    struct pf_sink *sink = writer->sink;

    pf_sink_printf(sink,
                   "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg "
                   "xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"%" PRId64
                   "\" height=\"%" PRId64 "\" viewBox=\"0 0 %" PRId64 " %" PRId64
                   "\" font-size=\"%" PRId64 "\">\n",
                   state->width, height, state->width, height, font);
    pf_sink_printf(sink, "<style>\n%s</style>\n", style);
    pf_sink_printf(
        sink,
        "<defs><linearGradient id=\"paper\" x1=\"0\" y1=\"0\" x2=\"0\" y2=\"1\"><stop "
        "offset=\"5%%\" stop-color=\"#f6f6f6\"/>"
        "<stop offset=\"95%%\" stop-color=\"%s\"/></linearGradient></defs>\n"
        "<rect id=\"background\" width=\"100%%\" height=\"100%%\" fill=\"url(#paper)\"/>\n",
        /* pale red and blue are hard to see on yellow */
        is_difference(state) ? "#fdfdfd" : "#f2efc8");
    title = title ? title : is_difference(state) ? "Differential Flame Graph" : "Flame Graph";
    write_text(writer, "title", state->width / 2, font * 2, "middle", title);
    write_subtitle(writer, font * 4);
    write_text(writer, "unzoom", PAD, font * 2, "start", "Reset Zoom");
    write_text(writer, "search", right - 2 * font, font * 2, "end", "Search");
    write_text(writer, "ignorecase", right, font * 2, "end", "ic");
    write_text(writer, "details", PAD, bottom, "start", "");
    write_text(writer, "matched", right, bottom, "end", "");
}

static bool write_picture(struct pf_writer *writer)
{
    struct svg_writer *state = writer->state;
    int64_t font = state->font_size;
    bool good;

    while (state->amounts.width[0] >> state->shift > (int64_t)1 << 53)
        state->shift++;
    if (!each_frame(writer, note_frame))
        return false;
    state->top = font * 5;
    write_head(writer, state->top + (state->levels + 1) * state->height + 3 * font);
    pf_sink_printf(writer->sink,
                   "<g id=\"frames\" data-pad=\"%d\" data-inner=\"%" PRId64
                   "\" data-char=\"%" PRId64 ".%02u\">\n",
                   PAD, state->width - 2 * PAD, font * CHARACTER / 100,
                   (unsigned)(font * CHARACTER % 100));
    good = each_frame(writer, write_frame);
    pf_sink_printf(writer->sink, "</g>\n<script><![CDATA[\n%s]]></script>\n</svg>\n", script);
    return good;
}

/* The word after amounts: for counts the measure's name, for other units the unit; empty for times
 * and bytes, which are printed with their unit. */
static struct pf_bytes counted_by(const struct pf_writer *writer,
                                  const struct pf_flame_subject *subject)
{
    const char *option = pf_options_get(writer->options, "countname");
    const struct pf_scale *scale = &subject->scale;

    if (option)
        return pf_bytes_of(option);
    if (scale->time || scale->bytes)
        return PF_BYTES("");
    return pf_bytes_equal(scale->name, PF_BYTES("count")) || scale->name.size == 0 ? subject->name
                                                                                   : scale->name;
}

static int finish(struct pf_writer *writer)
{
    struct svg_writer *state = writer->state;
    int status = pf_flame_main(&state->flame, &state->subject, &writer->measures, &writer->error);

    if (status == PF_OK &&
        pf_palette_init(&state->palette, pf_options_get(writer->options, "colors"),
                        &state->flame.keys) != PF_OK)
        status = pf_error_nomem(&writer->error);
    if (status == PF_OK)
        status = pf_flame_measure(&state->flame, &state->subject, &state->amounts, &writer->error);
    if (status == PF_OK && pf_verdict_marks_find(&state->marks, writer->verdicts, &state->flame,
                                                 &state->subject) != PF_OK)
        status = pf_error_nomem(&writer->error);
    if (status == PF_OK) {
        state->least_width = least_amount(state);
        status = pf_flame_order(&state->flame, &state->amounts, state->least_width, &writer->error);
    }
    if (status != PF_OK)
        return status;
    state->counted = counted_by(writer, &state->subject);
    if (!write_picture(writer) || state->scratch.failed || state->line.failed ||
        state->names.status != PF_OK)
        return pf_error_nomem(&writer->error);
    return pf_sink_status(writer->sink, &writer->error);
}

const struct pf_format pf_format_svg = {
    .name = "svg",
    .about = "a flame graph of stacks, or of the difference of two; search and zoom in a browser",
    .suffixes = ".svg",
    .losses = "everything but functions and one measure; frames that are too narrow to be seen",
    .caps = PF_HOLDS_SAMPLE | PF_HOLDS_DIFFERENCE | PF_IS_TEXT | PF_IS_VIEW | PF_SUMS_ALL |
            PF_SHOWS_VERDICTS,
    .options = options,
    .writer_size = sizeof(struct svg_writer),
    .open_writer = open_writer,
    .write = write_batch,
    .finish = finish,
    .close_writer = close_writer,
};

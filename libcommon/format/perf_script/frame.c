#include "format/perf_script/perf_script.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/scan.h"
#include "codec/java_name.h"
#include "model/images.h"

/* the lowest kernel address of x86-64 and arm64; the vsyscall page is above it, too */
static const uint64_t KERNEL_START = UINT64_C(0xffff800000000000);

/* A hexadecimal digit as perf prints it, in small letters: FACE and BEEF are names. -1: not a
 * digit. */
static int lower_hex(char c)
{
    return c < 'A' || c > 'F' ? pf_hex_digit(c) : -1;
}

static size_t hex_digits(struct pf_bytes text)
{
    size_t size = 0;

    while (size < text.size && lower_hex(text.data[size]) >= 0)
        size++;
    return size;
}

/* Where an offset `+0x...` at the end of the text begins; the size of the text: no offset. */
static size_t offset_start(struct pf_bytes text)
{
    size_t at = text.size;

    while (at > 0 && lower_hex(text.data[at - 1]) >= 0)
        at--;
    return at >= 3 && at < text.size && memcmp(text.data + at - 3, "+0x", 3) == 0 ? at - 3
                                                                                  : text.size;
}

/* Where the bracket begins that the last byte closes; the size of the text: no such bracket. An
 * image may hold brackets, but mostly closes what it opens. */
static size_t bracket_start(struct pf_bytes text)
{
    size_t depth = 0;

    for (size_t at = text.size; at-- > 0;) {
        depth += text.data[at] == ')';
        depth -= text.data[at] == '(';
        if (depth == 0)
            return at == 0 || pf_blank(text.data[at - 1]) ? at : text.size;
    }
    return text.size;
}

/* Where the image's bracket begins: after the last offset, after `[unknown]`, or else the bracket
 * that the last byte closes. */
static size_t image_start(struct pf_bytes text)
{
    static const struct pf_bytes unknown = {"[unknown] (", 11};

    if (pf_bytes_starts(text, unknown))
        return unknown.size - 1;
    for (size_t at = text.size; at-- > 4;)
        if (text.data[at] == '(' && text.data[at - 1] == ' ' &&
            offset_start((struct pf_bytes){text.data, at - 1}) < at - 1)
            return at;
    return bracket_start(text);
}

/* Parses a frame without blanks at both ends, whose address has at least `least` digits. */
static inline bool parse_frame(struct pf_bytes text, size_t least, struct pf_perf_frame *frame)
{
    size_t digits = hex_digits(text), start;

    memset(frame, 0, sizeof *frame);
    if (digits < least || digits > 16 || (digits < text.size && !pf_blank(text.data[digits])))
        return false;
    for (size_t k = 0; k < digits; k++)
        frame->address = frame->address << 4 | (uint64_t)lower_hex(text.data[k]);
    text = pf_bytes_trim(pf_bytes_skip(text, digits));
    if (pf_bytes_ends(text, PF_BYTES(")"))) {
        start = image_start(text);
        if (start < text.size) {
            frame->image = (struct pf_bytes){text.data + start + 1, text.size - start - 2};
            text = pf_bytes_trim((struct pf_bytes){text.data, start});
        }
    }
    if (pf_bytes_equal(frame->image, PF_BYTES("inlined"))) {
        frame->inlined = true;
        frame->image.size = 0;
    }
    frame->symbol = (struct pf_bytes){text.data, offset_start(text)};
    return true;
}

bool pf_perf_frame_parse(struct pf_bytes line, struct pf_perf_frame *frame)
{
    struct pf_bytes text = pf_bytes_trim(line);

    return text.data != line.data && parse_frame(text, 1, frame);
}

bool pf_perf_frame_unindented(struct pf_bytes line, struct pf_perf_frame *frame)
{
    enum { LEAST = 4 };
    struct pf_bytes text = pf_bytes_trim(line);

    return text.data == line.data && parse_frame(text, LEAST, frame) && pf_perf_frame_named(frame);
}

bool pf_perf_source_parse(struct pf_bytes line, struct pf_perf_source *source)
{
    static const struct pf_bytes inlined = {" (inlined)", 10};
    struct pf_bytes text = pf_bytes_trim(line);

    memset(source, 0, sizeof *source);
    source->inlined = pf_bytes_ends(text, inlined);
    if (source->inlined)
        text = pf_bytes_trim((struct pf_bytes){text.data, text.size - inlined.size});
    if (text.data == line.data)
        return false;
    if (pf_bytes_ends(text, PF_BYTES("]")) && text.size > 2 &&
        lower_hex(text.data[text.size - 2]) >= 0)
        return true;
    for (size_t at = text.size; at-- > 0;)
        if (text.data[at] == ':') {
            source->file = (struct pf_bytes){text.data, at};
            if (pf_bytes_equal(source->file, PF_BYTES("??")))
                source->file.size = 0;
            return pf_parse_int(pf_bytes_skip(text, at + 1), 0, INT64_MAX, &source->line);
        }
    return false;
}

/* --- what it becomes -------------------------------------------------------------------------- */

static bool unknown(struct pf_bytes name)
{
    return pf_bytes_equal(name, PF_BYTES("[unknown]"));
}

static enum pf_frame_kind frame_kind(const struct pf_perf_frame *frame)
{
    struct pf_bytes image = frame->image;

    if (pf_image_is_kernel(image))
        return PF_FRAME_KERNEL;
    if (image.size > 0 && !unknown(image) && !pf_bytes_equal(image, PF_BYTES("[vsyscall]")) &&
        frame->address >= KERNEL_START)
        return PF_FRAME_KERNEL;
    return pf_image_is_made(image) ? PF_FRAME_JIT : PF_FRAME_NATIVE;
}

/* The name of a frame without a symbol: `[IMAGE]`, without the directory. */
static uint32_t name_of_unknown(struct pf_dict *dict, struct pf_bytes image)
{
    struct pf_bytes name = pf_base_name(image);
    struct pf_buffer text = {0};

    if (image.size == 0 || unknown(image))
        return pf_dict_intern(dict, PF_BYTES("[unknown]"), 0);
    pf_buffer_byte(&text, '[');
    pf_buffer_append(&text, name.data, name.size);
    pf_buffer_byte(&text, ']');
    return pf_dict_intern_buffer(dict, &text, PF_UTF8);
}

static uint32_t add_location(struct pf_dict *dict, const struct pf_perf_frame *frame,
                             struct pf_bytes symbol, bool inlined)
{
    struct pf_image image = {
        .name = unknown(frame->image) ? 0 : pf_dict_intern(dict, frame->image, PF_UTF8)};
    bool nameless = unknown(symbol) || (symbol.size == 0 && pf_perf_frame_named(frame));
    struct pf_function function = {0};
    struct pf_location location = {
        .image = pf_dict_add_image(dict, &image),
        .address = frame->address,
        .kind = (uint16_t)frame_kind(frame),
        .inlined = inlined,
    };

    if (nameless)
        function.name = name_of_unknown(dict, frame->image);
    else
        pf_function_symbol(dict, &function, symbol, PF_UTF8);
    location.function = pf_dict_add_function(dict, &function);
    if (location.function == 0 && location.address == 0) {
        function.name = name_of_unknown(dict, frame->image);
        location.function = pf_dict_add_function(dict, &function);
    }
    return pf_dict_add_location(dict, &location);
}

/* Where the last `->` begins; the size of the text: no arrow. */
static size_t last_arrow(struct pf_bytes text)
{
    for (size_t at = text.size; at-- > 1;)
        if (text.data[at] == '>' && text.data[at - 1] == '-')
            return at - 1;
    return text.size;
}

bool pf_perf_frame_locations(struct pf_dict *dict, const struct pf_perf_frame *frame,
                             uint32_t **locations, size_t *count, size_t *capacity)
{
    struct pf_bytes rest = frame->symbol;
    bool split = frame_kind(frame) == PF_FRAME_JIT;

    for (;;) {
        size_t arrow = split ? last_arrow(rest) : rest.size;
        bool outermost = arrow == rest.size;
        struct pf_bytes symbol = outermost ? rest : pf_bytes_skip(rest, arrow + 2);

        if (!pf_grow(locations, capacity, *count + 1, sizeof **locations))
            return false;
        (*locations)[(*count)++] = add_location(dict, frame, symbol, frame->inlined || !outermost);
        if (outermost)
            return true;
        rest.size = arrow;
    }
}

uint32_t pf_perf_source_location(struct pf_dict *dict, uint32_t id,
                                 const struct pf_perf_source *source)
{
    struct pf_location location = *pf_dict_location(dict, id);
    struct pf_function function = *pf_dict_function(dict, location.function);

    location.inlined = location.inlined || source->inlined;
    if (source->file.size == 0)
        return pf_dict_add_location(dict, &location);
    function.file = pf_dict_intern(dict, source->file, PF_UTF8);
    location.line = source->line;
    location.function = pf_dict_add_function(dict, &function);
    return pf_dict_add_location(dict, &location);
}

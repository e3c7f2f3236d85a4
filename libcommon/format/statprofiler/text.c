#include "format/statprofiler/statprofiler.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/scan.h"
#include "model/strings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes that the bid reads: the first line; up to 64 KiB if lines have no frames. */
enum { FIRST_LOOK = 64, LAST_LOOK = 65536 };

/* True if a line begins with `weight;type,`. */
static bool begins_with_frame(struct pf_bytes text)
{
    size_t weight = pf_scan_digits(text);
    if (weight == 0 || weight + 1 >= text.size || text.data[weight] != ';')
        return false;
    struct pf_bytes rest = {text.data + weight + 1, text.size - weight - 1};
    size_t type = pf_scan_digits(rest);
    return type > 0 && type < rest.size && rest.data[type] == ',';
}

static bool is_op_char(char c)
{
    return pf_digit(c) || (c >= 'a' && c <= 'z') || c == '_';
}

/* The size of the lines "weight;op" at the start, which have no frames, with a part of such a line
 * at the end. */
static size_t frameless_size(struct pf_bytes text)
{
    size_t at = 0, end;

    do {
        struct pf_bytes rest = {text.data + at, text.size - at};

        end = at;
        at += pf_scan_digits(rest);
        if (at == end || (at < text.size && text.data[at] != ';'))
            return end;
        at += at < text.size;
        while (at < text.size && is_op_char(text.data[at]))
            at++;
        if (at < text.size && text.data[at] != '\n')
            return end;
        at += at < text.size;
    } while (at < text.size);
    return at;
}

bool pf_sp_lines_bid(struct pf_source *source)
{
    size_t have = 0, before, frameless, wanted = FIRST_LOOK;
    const unsigned char *bytes;

    do {
        before = have;
        bytes = pf_source_peek(source, wanted, &have);
        have = have < wanted ? have : wanted; /* so that a file and a pipe give the same answer */
        frameless = frameless_size((struct pf_bytes){(const char *)bytes, have});
        wanted *= 2;
    } while (frameless == have && have > before && wanted <= LAST_LOOK);
    return begins_with_frame((struct pf_bytes){(const char *)bytes + frameless, have - frameless});
}

static const char *last_comma(struct pf_bytes text)
{
    for (size_t i = text.size; i-- > 0;)
        if (text.data[i] == ',')
            return text.data + i;
    return NULL;
}

static bool is_line_number(struct pf_bytes text)
{
    int64_t line;
    return pf_parse_whole(text, INT32_MIN, INT32_MAX, &line);
}

/* The size of the frame at the start of `rest`, type,name,file,line, up to a semicolon or the end.
 * Semicolons in names are not escaped, so a frame ends where its last part is a number. 0: no
 * frame. */
static size_t frame_size(struct pf_bytes rest)
{
    size_t type = pf_scan_digits(rest);
    if (type == 0 || type >= rest.size || rest.data[type] != ',')
        return 0;
    for (size_t size = type + 1; size <= rest.size; size++) {
        if (size < rest.size && rest.data[size] != ';')
            continue;
        struct pf_bytes frame = {rest.data, size};
        const char *comma = last_comma(frame);
        struct pf_bytes line = {comma + 1, (size_t)(rest.data + size - comma - 1)};
        if (comma > rest.data + type &&
            memchr(rest.data + type + 1, ',', (size_t)(comma - rest.data) - type - 1) &&
            is_line_number(line))
            return size;
    }
    return 0;
}

/* Adds the location of a frame. Versions of Perl number the types differently, so the names decide
 * the kind of the frame. */
static uint32_t add_frame(struct pf_dict *dict, struct pf_bytes frame)
{
    size_t type = pf_scan_digits(frame);
    const char *name = frame.data + type + 1, *comma = last_comma(frame);
    const char *file = memchr(name, ',', (size_t)(comma - name));
    struct pf_bytes number = {comma + 1, (size_t)(frame.data + frame.size - comma - 1)};
    int64_t line = 0;
    pf_parse_int(number, INT32_MIN, INT32_MAX, &line);
    struct pf_function function = {
        .name = pf_dict_intern(dict, (struct pf_bytes){name, (size_t)(file - name)}, 0),
        .file = pf_dict_intern(dict, (struct pf_bytes){file + 1, (size_t)(comma - file - 1)}, 0),
        .start_line = -1,
    };
    return pf_sp_frame_add(dict, PF_FRAME_PLAIN, &function, line);
}

static int bad_line(struct pf_reader *reader, const char *what)
{
    const struct pf_text_reader *text = reader->state;

    return pf_error_line(&reader->error, text->offset, text->number, (struct pf_bytes){0}, what);
}

static int read_line(struct pf_reader *reader, struct pf_bytes line)
{
    struct pf_sp_lines *r = reader->state;
    size_t weight_size = pf_scan_digits(line), size;
    struct pf_bytes rest = {line.data + weight_size, line.size - weight_size};
    int64_t weight;
    uint32_t labels = 0;
    int status = PF_OK;

    if (line.size > PF_STRING_MAX)
        return bad_line(reader, "the line is too long");
    if (pf_source_offset(reader->source) == r->text.offset + line.size)
        return bad_line(reader, "the file ends inside the line: there is no line feed");
    if (!pf_parse_int((struct pf_bytes){line.data, weight_size}, 0, INT64_MAX, &weight))
        return bad_line(reader,
                        "the weight is missing, expected weight;type,name,file,line;...;op");
    while (rest.size > 0 && rest.data[0] == ';' &&
           (size = frame_size((struct pf_bytes){rest.data + 1, rest.size - 1})) > 0) {
        status = pf_rows_frame(&reader->rows,
                               add_frame(reader->dict, (struct pf_bytes){rest.data + 1, size}),
                               &reader->error, r->text.offset);
        if (status != PF_OK)
            return status;
        rest = (struct pf_bytes){rest.data + 1 + size, rest.size - 1 - size};
    }
    if (rest.size > 0 && (rest.data[0] != ';' || memchr(rest.data + 1, ';', rest.size - 1)))
        return bad_line(reader, "a field is not a frame, expected type,name,file,line");
    if (rest.size > 1) {
        uint32_t op =
            pf_dict_intern(reader->dict, (struct pf_bytes){rest.data + 1, rest.size - 1}, 0);
        labels = pf_dict_add_label(reader->dict, 0, r->op_key, op);
    }
    pf_sp_rows_sample(&r->rows, labels, weight);
    return PF_OK;
}

int pf_sp_lines_open(struct pf_reader *reader, uint64_t tick_ns)
{
    struct pf_sp_lines *r = reader->state;

    pf_text_open(reader, read_line, NULL);
    r->op_key = pf_dict_intern(reader->dict, PF_BYTES("op"), 0);
    return pf_sp_rows_open(&r->rows, &reader->rows, tick_ns);
}

static bool has_line_end(struct pf_bytes text)
{
    return text.size > 0 &&
           (memchr(text.data, '\n', text.size) || memchr(text.data, '\r', text.size));
}

bool pf_sp_lines_put_frame(struct pf_buffer *line, const struct pf_sp_line_frame *frame)
{
    char type[16], number[16];
    size_t start = line->size + 1;
    int type_size = snprintf(type, sizeof type, ";%u,", frame->type);
    int number_size = snprintf(number, sizeof number, ",%ld", (long)frame->line);

    pf_buffer_append(line, type, (size_t)type_size);
    pf_buffer_append(line, frame->name.data, frame->name.size);
    pf_buffer_byte(line, ',');
    pf_buffer_append(line, frame->file.data, frame->file.size);
    pf_buffer_append(line, number, (size_t)number_size);
    if (line->failed)
        return true;
    return !has_line_end(frame->name) && !has_line_end(frame->file) &&
           (frame->name.size == 0 || !memchr(frame->name.data, ',', frame->name.size)) &&
           frame_size((struct pf_bytes){line->data + start, line->size - start}) ==
               line->size - start;
}

bool pf_sp_lines_op_fits(struct pf_bytes op)
{
    return op.size == 0 ||
           (!has_line_end(op) && !memchr(op.data, ';', op.size) && frame_size(op) == 0);
}

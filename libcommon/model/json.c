#include "model/json.h"

#include "model/utf8.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Writes the escape of `c`: a quote, a backslash, a control below 0x20, or `<` in HTML. */
static void escape(struct pf_sink *sink, unsigned char c)
{
    static const char letters[] = "\"\"\\\\\bb\ff\nn\rr\tt";

    for (size_t i = 0; i + 1 < sizeof letters; i += 2)
        if ((unsigned char)letters[i] == c) {
            const char two[2] = {'\\', letters[i + 1]};
            pf_sink_write(sink, two, sizeof two);
            return;
        }
    pf_sink_printf(sink, "\\u%04x", c);
}

static void write_string(struct pf_sink *sink, struct pf_bytes bytes, unsigned flags,
                         struct pf_buffer *scratch, bool html)
{
    struct pf_bytes text = pf_text_utf8(bytes, flags, scratch);
    size_t start = 0;

    pf_sink_write(sink, "\"", 1);
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (c >= 0x20 && c != '"' && c != '\\' && !(html && c == '<'))
            continue;
        pf_sink_write(sink, text.data + start, i - start);
        escape(sink, c);
        start = i + 1;
    }
    if (start < text.size)
        pf_sink_write(sink, text.data + start, text.size - start);
    pf_sink_write(sink, "\"", 1);
}

void pf_json_string(struct pf_sink *sink, struct pf_bytes bytes, unsigned flags,
                    struct pf_buffer *scratch)
{
    write_string(sink, bytes, flags, scratch, false);
}

void pf_json_html_string(struct pf_sink *sink, struct pf_bytes bytes, unsigned flags,
                         struct pf_buffer *scratch)
{
    write_string(sink, bytes, flags, scratch, true);
}

void pf_json_name(struct pf_sink *sink, const struct pf_dict *dict, uint32_t id,
                  struct pf_buffer *scratch)
{
    pf_json_string(sink, pf_dict_string(dict, id), dict->strings.rows[id].flags, scratch);
}

void pf_json_int(struct pf_sink *sink, int64_t value)
{
    pf_json_int128(sink, value);
}

void pf_json_int128(struct pf_sink *sink, pf_int128 value)
{
    char text[PF_INT128_TEXT];

    pf_sink_write(sink, text, pf_print_int128(value, text));
}

unsigned pf_json_places(pf_int128 amount, uint64_t parts)
{
    pf_uint128 whole =
        (amount < 0 ? -(pf_uint128)amount : (pf_uint128)amount) / (parts > 0 ? parts : 1);
    pf_uint128 most = INT64_MAX / 10;
    unsigned places = 0;

    for (; places < PF_DECIMAL_PLACES && whole < most; places++)
        most /= 10;
    return places;
}

void pf_json_parts(struct pf_sink *sink, pf_int128 amount, uint64_t parts)
{
    char text[PF_DECIMAL_TEXT];

    pf_sink_write(sink, text, pf_print_parts(amount, parts, pf_json_places(amount, parts), text));
}

void pf_json_real(struct pf_sink *sink, double value)
{
    char text[64];
    size_t size;

    if (!(fabs(value) < 1e15)) {
        pf_sink_text(sink, "null");
        return;
    }
    size = (size_t)snprintf(text, sizeof text, "%.4f", value);
    while (text[size - 1] == '0' && text[size - 2] >= '0' && text[size - 2] <= '9')
        size--;
    for (char *p = text; p < text + size; p++)
        if (*p == ',') /* the decimal point of the locale */
            *p = '.';
    if (size == 4 && memcmp(text, "-0.0", 4) == 0)
        pf_sink_text(sink, "0.0");
    else
        pf_sink_write(sink, text, size);
}

void pf_json_number(struct pf_sink *sink, double value)
{
    char text[64];

    if (!isfinite(value)) {
        pf_sink_text(sink, "null");
        return;
    }
    snprintf(text, sizeof text, "%.10g", value == 0 ? 0 : value);
    for (char *p = text; *p != '\0'; p++)
        if (*p == ',')
            *p = '.';
    pf_sink_text(sink, text);
    if (!strpbrk(text, ".e"))
        pf_sink_text(sink, ".0");
}

json_t *pf_json_text(struct pf_bytes bytes, unsigned flags)
{
    struct pf_buffer scratch = {0};
    struct pf_bytes text = pf_text_utf8(bytes, flags, &scratch);
    json_t *string = scratch.failed ? NULL
                                    : json_stringn_nocheck(text.size ? text.data : "", text.size);

    pf_buffer_free(&scratch);
    return string;
}

static int dump_to_sink(const char *bytes, size_t size, void *sink)
{
    return pf_sink_write(sink, bytes, size) == PF_OK ? 0 : -1;
}

bool pf_json_dump(struct pf_sink *sink, json_t *value)
{
    bool good = value &&
                json_dump_callback(value, dump_to_sink, sink, JSON_COMPACT | JSON_ENCODE_ANY) == 0;

    json_decref(value);
    return good;
}

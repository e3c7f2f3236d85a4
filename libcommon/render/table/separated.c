#include "render/table/separated.h"

#include "base/scan.h"

static void write_quoted(struct pf_sink *sink, struct pf_bytes text)
{
    pf_sink_write(sink, "\"", 1);
    for (const char *quote; (quote = memchr(text.data, '"', text.size));) {
        size_t size = (size_t)(quote - text.data) + 1;

        pf_sink_write(sink, text.data, size);
        pf_sink_write(sink, "\"", 1);
        text.data += size;
        text.size -= size;
    }
    pf_sink_write(sink, text.data, text.size);
    pf_sink_write(sink, "\"", 1);
}

static void write_escaped(struct pf_sink *sink, struct pf_bytes text)
{
    static const char from[] = "\t\n\r\\", to[] = "tnr\\";

    for (size_t k = 0; k < text.size; k++) {
        const char *special = text.data[k] ? strchr(from, text.data[k]) : NULL;

        if (special) {
            pf_sink_write(sink, "\\", 1);
            pf_sink_write(sink, to + (special - from), 1);
        } else {
            pf_sink_write(sink, text.data + k, 1);
        }
    }
}

static bool holds(struct pf_bytes text, const char *characters)
{
    for (; *characters; characters++)
        if (text.size > 0 && memchr(text.data, *characters, text.size))
            return true;
    return false;
}

/* True for a decimal number with a sign, and maybe a fraction and an exponent. */
static bool is_number(struct pf_bytes text)
{
    size_t at = 1, whole = pf_scan_digits(pf_bytes_skip(text, at)), digits = whole, size;

    at += whole;
    if (at < text.size && text.data[at] == '.') {
        size = pf_scan_digits(pf_bytes_skip(text, ++at));
        digits += size;
        at += size;
    }
    if (digits > 0 && at < text.size && (text.data[at] == 'e' || text.data[at] == 'E')) {
        at++;
        at += at < text.size && (text.data[at] == '+' || text.data[at] == '-');
        size = pf_scan_digits(pf_bytes_skip(text, at));
        digits = size;
        at += size;
    }
    return digits > 0 && at == text.size;
}

static bool is_formula(struct pf_bytes text)
{
    if (text.size == 0)
        return false;
    if (text.data[0] == '=' || text.data[0] == '@')
        return true;
    return (text.data[0] == '+' || text.data[0] == '-') && !is_number(text);
}

static void write_cell(struct pf_separated form, struct pf_sink *sink, struct pf_bytes text)
{
    if (!holds(text, form.tabs ? "\t\n\r\\" : ",\"\n\r"))
        pf_sink_write(sink, text.data, text.size);
    else if (form.tabs)
        write_escaped(sink, text);
    else
        write_quoted(sink, text);
}

void pf_separated_text(struct pf_separated form, struct pf_sink *sink, struct pf_bytes text)
{
    struct pf_buffer guarded = {0};

    if (!form.guard || !is_formula(text)) {
        write_cell(form, sink, text);
        return;
    }
    pf_buffer_byte(&guarded, '\'');
    pf_buffer_append(&guarded, text.data, text.size);
    if (!guarded.failed)
        write_cell(form, sink, pf_buffer_bytes(&guarded));
    pf_buffer_free(&guarded);
}

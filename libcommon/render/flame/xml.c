#include "render/flame/xml.h"

/* The escape for the character at `at`; NULL: it needs no escape. *size: its bytes. */
static const char *escape(const char *at, size_t left, size_t *size)
{
    *size = 1;
    switch (*at) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\xef':
        *size = 3;
        return left >= 3 &&
                       (memcmp(at, "\xef\xbf\xbe", 3) == 0 || memcmp(at, "\xef\xbf\xbf", 3) == 0)
                   ? "\xef\xbf\xbd"
                   : NULL;
    default: return NULL;
    }
}

void pf_xml_text(struct pf_sink *sink, struct pf_bytes text)
{
    size_t start = 0, size;

    for (size_t i = 0; i < text.size; i += size) {
        const char *instead = escape(text.data + i, text.size - i, &size);
        if (!instead)
            continue;
        pf_sink_write(sink, text.data + start, i - start);
        pf_sink_text(sink, instead);
        start = i + size;
    }
    pf_sink_write(sink, text.data + start, text.size - start);
}

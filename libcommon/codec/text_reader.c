#include "codec/text_reader.h"

#include <string.h>

enum { LONGEST_LINE = 16 * 1024 * 1024 };

/* --- lines ------------------------------------------------------------------------------------ */

static int next_line(struct pf_reader *reader)
{
    struct pf_text_reader *text = reader->state;
    struct pf_bytes line;
    int status;

    text->offset = pf_source_offset(reader->source);
    status = pf_source_line(reader->source, &line, &reader->error);
    if (status == PF_OK) {
        text->number++;
        status = text->line(reader, line);
    }
    return status == PF_OK || !text->end ? status : text->end(reader, status);
}

void pf_text_open(struct pf_reader *reader, int (*line)(struct pf_reader *, struct pf_bytes),
                  int (*end)(struct pf_reader *, int status))
{
    struct pf_text_reader *text = reader->state;

    text->line = line;
    text->end = end;
    reader->step = next_line;
}

/* --- evidence --------------------------------------------------------------------------------- */

/* The bytes ahead, and the number of them that were judged. */
struct ahead {
    const char *bytes;
    size_t have, at;
    bool ended;
};

/* Finds the next line; *whole: its line feed is there. False: there is no further line. */
static bool line_ahead(struct pf_source *source, struct ahead *ahead, bool wait,
                       struct pf_bytes *line, bool *whole)
{
    const char *end = NULL;

    for (;;) {
        if (ahead->at < ahead->have)
            end = memchr(ahead->bytes + ahead->at, '\n', ahead->have - ahead->at);
        if (end || !wait || ahead->ended || ahead->have == PF_TEXT_WINDOW)
            break;
        size_t have, want = ahead->have + 1;

        ahead->bytes = (const char *)pf_source_peek(source, want, &have);
        ahead->ended = have < want;
        ahead->have = have < PF_TEXT_WINDOW ? have : PF_TEXT_WINDOW;
    }
    *whole = end;
    line->data = ahead->bytes + ahead->at;
    line->size = end ? (size_t)(end - line->data) : ahead->have - ahead->at;
    if (line->size == 0 && !end)
        return false;
    ahead->at += line->size + *whole;
    if (line->size > 0 && line->data[line->size - 1] == '\r')
        line->size--;
    return true;
}

int pf_text_bid(struct pf_source *source,
                int (*judge)(struct pf_bytes line, bool whole, void *evidence), void *evidence)
{
    struct ahead ahead = {0};
    struct pf_bytes line;
    int most = 0;
    bool wait = true, whole;

    while (line_ahead(source, &ahead, wait, &line, &whole)) {
        int bits = judge(line, whole, evidence);

        if (bits == PF_TEXT_OTHER && whole)
            return 0;
        if (bits == PF_TEXT_OTHER)
            break;
        wait = bits & PF_TEXT_MORE;
        if (bits & PF_TEXT_SURE)
            return bits & ~(PF_TEXT_SURE | PF_TEXT_MORE);
        bits &= ~PF_TEXT_MORE;
        most = bits > most ? bits : most;
    }
    return most;
}

struct pf_bytes pf_text_window(struct pf_source *source, bool wait, bool *ended)
{
    size_t have, want = wait ? PF_TEXT_WINDOW : 1;
    const unsigned char *bytes = pf_source_peek(source, want, &have);

    while (have >= want && have < LONGEST_LINE && !memchr(bytes, '\n', have) &&
           !memchr(bytes, '\0', have)) {
        want = have < PF_TEXT_WINDOW ? have + 1 : have * 2;
        bytes = pf_source_peek(source, want, &have);
    }
    *ended = have < want;
    if (have > PF_TEXT_WINDOW && memchr(bytes, '\n', PF_TEXT_WINDOW)) {
        have = PF_TEXT_WINDOW;
        *ended = false;
    }
    return (struct pf_bytes){(const char *)bytes, have};
}

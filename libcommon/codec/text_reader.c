#include "codec/text_reader.h"

#include <string.h>

enum { WINDOW = 64 * 1024 };

static inline int read_rows(struct pf_reader *reader, struct pf_rows *rows, int *status,
                            int (*step)(struct pf_reader *), struct pf_batch *batch)
{
    while (*status == PF_OK && !pf_rows_ready(rows)) {
        if (reader->flush && !pf_rows_empty(rows) && pf_source_would_block(reader->source))
            break;
        *status = step(reader);
    }
    return pf_rows_give(rows, batch) ? PF_OK : *status;
}

int pf_rows_read(struct pf_reader *reader, struct pf_rows *rows, int *status,
                 int (*step)(struct pf_reader *), struct pf_batch *batch)
{
    return read_rows(reader, rows, status, step, batch);
}

/* --- lines ------------------------------------------------------------------------------------ */

void pf_text_open(struct pf_reader *reader, int (*line)(struct pf_reader *, struct pf_bytes),
                  int (*end)(struct pf_reader *, int status))
{
    struct pf_text_reader *text = reader->state;

    pf_rows_init(&text->rows, reader->dict);
    text->line = line;
    text->end = end;
}

void pf_text_close(struct pf_reader *reader)
{
    pf_rows_free(&((struct pf_text_reader *)reader->state)->rows);
}

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

int pf_text_read(struct pf_reader *reader, struct pf_batch *batch)
{
    struct pf_text_reader *text = reader->state;

    return read_rows(reader, &text->rows, &text->status, next_line, batch);
}

/* --- evidence --------------------------------------------------------------------------------- */

int pf_text_bid(struct pf_source *source,
                int (*judge)(struct pf_bytes line, bool whole, void *evidence), void *evidence)
{
    size_t have;
    const unsigned char *bytes = pf_source_peek(source, 1, &have);
    struct pf_bytes text;
    int most = 0;

    if (have < WINDOW && (have == 0 || !memchr(bytes, '\n', have)))
        bytes = pf_source_peek(source, WINDOW, &have);
    text = (struct pf_bytes){(const char *)bytes, have < WINDOW ? have : WINDOW};
    while (text.size > 0) {
        const char *end = memchr(text.data, '\n', text.size);
        size_t size = end ? (size_t)(end - text.data) : text.size;
        struct pf_bytes line = {text.data, size};
        int bits;

        if (size > 0 && line.data[size - 1] == '\r')
            line.size--;
        bits = judge(line, end, evidence);
        if (bits == PF_TEXT_OTHER && end)
            return 0;
        if (bits > 0 && bits & PF_TEXT_SURE)
            return bits & ~PF_TEXT_SURE;
        most = bits > most ? bits : most;
        text = pf_bytes_skip(text, size + (end != NULL));
    }
    return most;
}

#include "render/table/prose.h"

#include "model/utf8.h"

#include <string.h>

/* Indentation of continued lines; columns of the longest parenthesis that stays on one line. */
enum { INDENT = 4, PARENTHESIS = 24 };

static size_t blanks_at(struct pf_bytes text, size_t at)
{
    size_t end = at;

    while (end < text.size && text.data[end] == ' ')
        end++;
    return end - at;
}

static size_t word_at(struct pf_bytes text, size_t at)
{
    size_t end = at;

    while (end < text.size && text.data[end] != ' ')
        end++;
    return end - at;
}

/* The size of what stays on one line of so many columns: a word, or a short parenthesis with what
 * follows it up to the next blank. */
static size_t piece_at(struct pf_bytes text, size_t at, size_t columns)
{
    size_t size = word_at(text, at), most = columns < PARENTHESIS ? columns : PARENTHESIS;
    const char *end =
        at < text.size && text.data[at] == '(' ? memchr(text.data + at, ')', text.size - at) : NULL;

    if (!end)
        return size;
    size_t whole = (size_t)(end - text.data) - at;

    whole += word_at(text, at + whole);
    return pf_text_width((struct pf_bytes){text.data + at, whole}) <= most ? whole : size;
}

/* Writes a line end and the indentation of the next line. Returns the indentation. */
static size_t break_line(struct pf_sink *sink, size_t columns)
{
    size_t indent = columns >= 3 * INDENT ? INDENT : 0;

    pf_sink_printf(sink, "\n%*s", (int)indent, "");
    return indent;
}

static void write_words(struct pf_sink *sink, struct pf_bytes line, size_t columns,
                        const char *mark, struct pf_buffer *scratch)
{
    size_t used = 0, at = 0, room = columns > INDENT ? columns - INDENT : columns;

    if (columns == 0 || pf_text_width(line) <= columns) {
        pf_sink_write(sink, line.data, line.size);
        at = line.size;
    }
    while (at < line.size) {
        size_t blanks = blanks_at(line, at), size = piece_at(line, at + blanks, room);
        struct pf_bytes word = {line.data + at + blanks, size};
        size_t width = pf_text_width(word);

        at += blanks + size;
        if (used > 0 && used + blanks + width > columns) {
            used = break_line(sink, columns);
            blanks = 0;
        }
        word = pf_text_elide(word, columns - used - blanks, mark, scratch);
        pf_sink_printf(sink, "%*s", (int)blanks, "");
        pf_sink_write(sink, word.data, word.size);
        used += blanks + pf_text_width(word);
    }
    pf_sink_text(sink, "\n");
}

int pf_prose_write(struct pf_sink *sink, struct pf_bytes text, size_t columns, const char *mark)
{
    struct pf_buffer scratch = {0};
    bool failed;

    while (text.size > 0)
        write_words(sink, pf_bytes_line(&text), columns, mark, &scratch);
    failed = scratch.failed;
    pf_buffer_free(&scratch);
    return failed ? PF_NOMEM : PF_OK;
}

/* Writes lines; a line that is too wide loses its middle. */
static int write_elided(struct pf_sink *sink, struct pf_bytes lines, size_t columns,
                        const char *mark)
{
    struct pf_buffer scratch = {0};
    bool failed;

    while (lines.size > 0) {
        struct pf_bytes line = pf_text_elide(pf_bytes_line(&lines), columns, mark, &scratch);

        pf_sink_write(sink, line.data, line.size);
        pf_sink_text(sink, "\n");
    }
    failed = scratch.failed;
    pf_buffer_free(&scratch);
    return failed ? PF_NOMEM : PF_OK;
}

struct pf_sink *pf_prose_hold(struct pf_sink *out)
{
    struct pf_error ignored = {0};
    struct pf_sink *held = NULL;

    if (out->columns == 0)
        return out;
    return pf_sink_open_memory(&held, &ignored) == PF_OK ? held : NULL;
}

int pf_prose_release(struct pf_sink *held, struct pf_sink *out)
{
    size_t size = 0;
    const char *text;
    int status;

    if (held == out)
        return PF_OK;
    status = pf_sink_flush(held);
    text = pf_sink_memory(held, &size);
    if (status == PF_OK && size > 0)
        status = write_elided(out, (struct pf_bytes){text, size}, out->columns, out->mark);
    pf_sink_abort(held);
    return status == PF_OK ? PF_OK : PF_NOMEM;
}

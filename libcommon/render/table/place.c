#include "render/table/place.h"

#include "model/utf8.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    LEAST_FILE = 8, /* least columns of a shortened file name */
    /* least columns of a shortened function name: one character, the mark and the last 12 */
    LEAST_NAME = 14
};

static const char between[] = " -> ";

/* --- tails ------------------------------------------------------------------------------------ */

/* The number of bytes at the end that two files have in common. */
static size_t common_end(struct pf_bytes a, struct pf_bytes b)
{
    size_t size = 0;

    while (size < a.size && size < b.size && a.data[a.size - size - 1] == b.data[b.size - size - 1])
        size++;
    return size;
}

/* Orders files by their bytes from the last to the first. */
static int compare_ends(const void *left, const void *right)
{
    struct pf_bytes a = (*(struct pf_place *const *)left)->file,
                    b = (*(struct pf_place *const *)right)->file;
    size_t size = common_end(a, b);

    if (size == a.size || size == b.size)
        return (a.size > b.size) - (a.size < b.size);
    return (unsigned char)a.data[a.size - size - 1] < (unsigned char)b.data[b.size - size - 1] ? -1
                                                                                               : 1;
}

/* The size of the shortest end of the file that begins behind a slash and has more than `shared`
 * bytes; else of the file. */
static size_t tail_size(struct pf_bytes file, size_t shared)
{
    size_t at = shared < file.size ? file.size - shared - 1 : 0;

    while (at > 0 && file.data[at - 1] != '/')
        at--;
    return file.size - at;
}

void pf_place_tails(struct pf_place **places, size_t count)
{
    size_t before = 0; /* bytes that a file has in common with the file before */

    qsort(places, count, sizeof *places, compare_ends);
    for (size_t i = 0, next; i < count; i = next) {
        size_t after = 0, tail;

        for (next = i + 1; next < count; next++)
            if (!pf_bytes_equal(places[next]->file, places[i]->file)) {
                after = common_end(places[next]->file, places[i]->file);
                break;
            }
        tail = tail_size(places[i]->file, before > after ? before : after);
        for (; i < next; i++)
            places[i]->tail = tail;
        before = after;
    }
}

/* --- widths ----------------------------------------------------------------------------------- */

static struct pf_bytes file_of(const struct pf_place *place, enum pf_place_form form)
{
    if (form == PF_PLACE_TAIL)
        return pf_bytes_skip(place->file, place->file.size - place->tail);
    return form == PF_PLACE_PATH ? place->file : pf_base_name(place->file);
}

static size_t frame_width(const struct pf_place *place)
{
    return pf_text_width(place->open) + pf_text_width(place->close);
}

static size_t bare_width(const struct pf_place *place)
{
    return pf_text_width(place->lead) + pf_text_width(place->name) + pf_text_width(place->mark);
}

size_t pf_place_width(const struct pf_place *places, size_t count, enum pf_place_form form)
{
    size_t width = count > 1 ? (count - 1) * strlen(between) : 0;

    for (size_t i = 0; i < count; i++) {
        width += bare_width(&places[i]);
        if (form != PF_PLACE_BARE && places[i].file.size > 0)
            width += frame_width(&places[i]) + pf_text_width(file_of(&places[i], form));
    }
    return width;
}

/* --- text ------------------------------------------------------------------------------------- */

static void append(struct pf_buffer *line, struct pf_bytes text)
{
    pf_buffer_append(line, text.data, text.size);
}

/* Appends a text in at most `columns`. */
static void append_elided(struct pf_buffer *line, struct pf_bytes text, size_t columns,
                          const char *mark)
{
    struct pf_buffer scratch = {0};

    append(line, pf_text_elide(text, columns, mark, &scratch));
    line->failed = line->failed || scratch.failed;
    pf_buffer_free(&scratch);
}

static void append_file(struct pf_buffer *line, const struct pf_place *place, struct pf_bytes file,
                        size_t columns, const char *mark)
{
    if (file.size == 0)
        return;
    append(line, place->open);
    append_elided(line, file, columns, mark);
    append(line, place->close);
}

/* Appends lead, name and mark in at most `columns`. */
static void append_bare(struct pf_buffer *line, const struct pf_place *place, size_t columns,
                        const char *mark)
{
    size_t lead = pf_text_width(place->lead), tail = pf_text_width(place->mark);

    if (lead > columns)
        lead = pf_text_width(
            (struct pf_bytes){place->lead.data, pf_text_prefix(place->lead, columns)});
    if (lead + tail + LEAST_NAME > columns && bare_width(place) > columns)
        tail = 0;
    pf_buffer_append(line, place->lead.data, pf_text_prefix(place->lead, lead));
    append_elided(line, place->name, columns - lead - tail, mark);
    if (tail > 0)
        append(line, place->mark);
}

/* The columns of place i of two places that do not fit: half, and what the other place does not
 * need. */
static size_t share(const struct pf_place *places, size_t i, size_t columns)
{
    size_t own = bare_width(&places[i]), other = bare_width(&places[1 - i]), half;

    columns -= columns > strlen(between) ? strlen(between) : columns;
    half = i == 0 ? columns - columns / 2 : columns / 2;
    if (own <= half)
        return own;
    return other < columns - half ? columns - other : half;
}

void pf_place_append(struct pf_buffer *line, const struct pf_place *places, size_t count,
                     size_t columns, size_t paths, const char *mark)
{
    enum pf_place_form form = PF_PLACE_PATH;
    size_t left, frame = count > 0 ? frame_width(&places[0]) : 0;

    if (pf_place_width(places, count, form) > paths)
        form = PF_PLACE_TAIL;
    while (form < PF_PLACE_BARE && pf_place_width(places, count, form) > columns)
        form++;
    left = pf_place_width(places, count, PF_PLACE_BARE);
    left = columns > left ? columns - left : 0;
    for (size_t i = 0; i < count; i++) {
        pf_buffer_append(line, between, i > 0 ? strlen(between) : 0);
        append_bare(line, &places[i], count == 2 && left == 0 ? share(places, i, columns) : columns,
                    mark);
        if (form != PF_PLACE_BARE)
            append_file(line, &places[i], file_of(&places[i], form), SIZE_MAX, mark);
        else if (count == 1 && left >= frame + LEAST_FILE)
            append_file(line, &places[i], file_of(&places[i], form), left - frame, mark);
    }
}

#include "model/notes.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

void pf_notes_free(struct pf_notes *notes)
{
    for (size_t c = 0; c < 3; c++)
        free(notes->metadata[c]);
    free(notes->texts);
    pf_arena_free(&notes->bytes);
    *notes = (struct pf_notes){0};
}

static bool add_metadata(struct pf_notes *notes, const struct pf_batch *batch)
{
    const uint32_t *from[3] = {batch->origin, batch->key, batch->value};
    size_t count = notes->metadata_count + batch->rows;

    for (size_t c = 0; c < 3; c++) {
        if (!pf_grow(&notes->metadata[c], &notes->metadata_capacity[c], count,
                     sizeof *notes->metadata[c]))
            return false;
        memcpy(notes->metadata[c] + notes->metadata_count, from[c],
               batch->rows * sizeof *notes->metadata[c]);
    }
    notes->metadata_count = count;
    return true;
}

static bool copy(struct pf_arena *arena, struct pf_bytes *bytes)
{
    bytes->data = pf_arena_copy(arena, bytes->data, bytes->size);
    return bytes->data;
}

/* Copies a file name, or reuses that of the text before: most texts are lines of the same file as
 * the text before. */
static bool copy_name(struct pf_notes *notes, struct pf_bytes *name)
{
    const struct pf_text *last = notes->text_count > 0 ? &notes->texts[notes->text_count - 1]
                                                       : NULL;

    if (!last || !pf_bytes_equal(last->name, *name))
        return copy(&notes->bytes, name);
    *name = last->name;
    return true;
}

static bool add_texts(struct pf_notes *notes, const struct pf_batch *batch)
{
    if (!pf_grow(&notes->texts, &notes->text_capacity, notes->text_count + batch->rows,
                 sizeof *notes->texts))
        return false;
    for (uint32_t i = 0; i < batch->rows; i++) {
        struct pf_text text = batch->texts[i];

        if (!copy_name(notes, &text.name) || !copy(&notes->bytes, &text.text))
            return false;
        notes->texts[notes->text_count++] = text;
    }
    return true;
}

int pf_notes_add(struct pf_notes *notes, const struct pf_batch *batch)
{
    bool good = batch->rows == 0 || (batch->kind == PF_META   ? add_metadata(notes, batch)
                                     : batch->kind == PF_TEXT ? add_texts(notes, batch)
                                                              : true);

    return good ? PF_OK : PF_NOMEM;
}

struct pf_batch pf_notes_metadata(const struct pf_notes *notes)
{
    return (struct pf_batch){.kind = PF_META,
                             .rows = (uint32_t)notes->metadata_count,
                             .origin = notes->metadata[0],
                             .key = notes->metadata[1],
                             .value = notes->metadata[2]};
}

struct pf_batch pf_notes_texts(const struct pf_notes *notes)
{
    return (struct pf_batch){
        .kind = PF_TEXT, .rows = (uint32_t)notes->text_count, .texts = notes->texts};
}

struct pf_batch pf_notes_part(const struct pf_batch *batch, size_t first, size_t end)
{
    uint32_t rows = (uint32_t)(end - first);

    return batch->kind == PF_TEXT
               ? (struct pf_batch){.kind = PF_TEXT, .rows = rows, .texts = batch->texts + first}
               : (struct pf_batch){.kind = PF_META,
                                   .rows = rows,
                                   .origin = batch->origin + first,
                                   .key = batch->key + first,
                                   .value = batch->value + first};
}

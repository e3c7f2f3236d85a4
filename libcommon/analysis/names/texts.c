#include "analysis/names/texts.h"

#include "base/error.h"

void pf_merge_texts_free(struct pf_merge_texts *texts)
{
    if (!texts->ready)
        return;
    pf_table_free(&texts->rows);
    pf_strings_free(&texts->strings);
}

static bool prepare(struct pf_merge_texts *texts)
{
    if (texts->ready)
        return true;
    if (pf_strings_init(&texts->strings) != PF_OK)
        return false;
    texts->ready = pf_table_init(&texts->rows, sizeof(struct pf_merge_text)) == PF_OK;
    if (!texts->ready)
        pf_strings_free(&texts->strings);
    return texts->ready;
}

int pf_merge_texts_add(struct pf_merge_texts *texts, const struct pf_batch *batch)
{
    if (batch->rows > 0 && !prepare(texts))
        return PF_NOMEM;
    for (uint32_t i = 0; i < batch->rows; i++) {
        const struct pf_text *text = &batch->texts[i];
        struct pf_merge_text row = {
            pf_strings_intern(&texts->strings, text->name, text->name_flags),
            pf_strings_intern(&texts->strings, text->text, text->text_flags), text->line + 1};

        pf_table_intern(&texts->rows, &row);
    }
    return texts->strings.status == PF_OK && texts->rows.status == PF_OK ? PF_OK : PF_NOMEM;
}

struct pf_text pf_merge_texts_row(const struct pf_merge_texts *texts, uint32_t id)
{
    const struct pf_merge_text *row = pf_table_row(&texts->rows, id);

    return (struct pf_text){
        .name = pf_strings_bytes(&texts->strings, row->name),
        .text = pf_strings_bytes(&texts->strings, row->text),
        .name_flags = texts->strings.rows[row->name].flags,
        .text_flags = texts->strings.rows[row->text].flags,
        .line = row->line - 1,
    };
}

bool pf_merge_texts_next(struct pf_merge_texts *texts, struct pf_batch *batch)
{
    uint32_t rows = 0;

    for (; texts->ready && rows < PF_MERGE_TEXTS && texts->given + 1 < texts->rows.count; rows++)
        texts->texts[rows] = pf_merge_texts_row(texts, (uint32_t)++texts->given);
    *batch = (struct pf_batch){.kind = PF_TEXT, .rows = rows, .texts = texts->texts};
    return rows > 0;
}

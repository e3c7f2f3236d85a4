#include "analysis/merge/meta.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void pf_merge_meta_free(struct pf_merge_meta *meta)
{
    free(meta->rows);
    pf_table_free(&meta->met);
}

static enum pf_meta_rule programs_rule(struct pf_bytes key)
{
    /* merge.c sums rows `removed` and appends one row `merged` */
    return pf_bytes_equal(key, PF_BYTES("removed")) || pf_bytes_equal(key, PF_BYTES("merged"))
               ? PF_META_NEVER
               : PF_META_EACH;
}

static enum pf_meta_rule rule_of(struct pf_merge_meta *meta, const struct pf_merge_meta_row *row)
{
    struct pf_bytes origin = pf_dict_string(meta->dict, row->origin),
                    key = pf_dict_string(meta->dict, row->key);
    const struct pf_merging *merging = pf_meta_rules(origin);

    if (pf_bytes_equal(origin, PF_BYTES("profutils"))) {
        meta->sources += pf_bytes_equal(key, PF_BYTES("input"));
        return programs_rule(key);
    }
    if (!merging)
        return origin.size > 0 && origin.data[0] == '.' ? PF_META_NEVER : PF_META_ONCE;
    if (merging->own_label && meta->own_label == 0)
        meta->own_label = pf_dict_intern_word(meta->dict, merging->own_label);
    return merging->rule(origin, key);
}

/* True if a row that the result has once is new. */
static bool is_new(struct pf_merge_meta *meta, const struct pf_merge_meta_row *row)
{
    uint32_t count = meta->met.count;
    struct pf_merge_meta_row met = {row->origin, row->key, row->value, row->rule + 1};

    return pf_table_intern(&meta->met, &met) == count;
}

static bool append_row(struct pf_merge_meta *meta, struct pf_merge_meta_row row)
{
    if (!pf_grow(&meta->rows, &meta->capacity, meta->count + 1, sizeof *meta->rows))
        return false;
    meta->rows[meta->count++] = row;
    return true;
}

int pf_merge_meta_append(struct pf_merge_meta *meta, uint32_t origin, uint32_t key, uint32_t value)
{
    return append_row(meta, (struct pf_merge_meta_row){origin, key, value, PF_META_EACH})
               ? PF_OK
               : PF_NOMEM;
}

static bool add_row(struct pf_merge_meta *meta, struct pf_merge_meta_row row)
{
    row.rule = rule_of(meta, &row);
    bool once = row.rule != PF_META_EACH && row.rule != PF_META_PREFIX &&
                row.rule != PF_META_SINGLE;

    if (row.rule == PF_META_NEVER || (row.rule == PF_META_SINGLE && meta->sources > 1) ||
        (once && !is_new(meta, &row)))
        return true;
    return append_row(meta, row);
}

int pf_merge_meta_add(struct pf_merge_meta *meta, const struct pf_batch *batch)
{
    if (!meta->met.slots && pf_table_init(&meta->met, sizeof(struct pf_merge_meta_row)) != PF_OK)
        return PF_NOMEM;
    for (uint32_t i = 0; i < batch->rows; i++)
        if (!add_row(meta, (struct pf_merge_meta_row){batch->origin ? batch->origin[i] : 0,
                                                      batch->key ? batch->key[i] : 0,
                                                      batch->value ? batch->value[i] : 0, 0}))
            return PF_NOMEM;
    return meta->met.status;
}

/* --- identities ------------------------------------------------------------------------------- */

/* `merged_KEY`: the key of the identities from which a merged identity was made. */
static uint32_t parts_key(struct pf_dict *dict, uint32_t key)
{
    struct pf_bytes name = pf_dict_string(dict, key);
    struct pf_buffer text = {0};

    pf_buffer_append(&text, "merged_", strlen("merged_"));
    pf_buffer_append(&text, name.data, name.size);
    return pf_dict_intern_buffer(dict, &text, 0);
}

static int compare_bytes(const void *a, const void *b)
{
    return pf_bytes_compare(*(const struct pf_bytes *)a, *(const struct pf_bytes *)b);
}

/* Lists the identities of all inputs, sorted, each once. An identity that a merge made is replaced
 * by the identities it was made from. */
static size_t list_identities(const struct pf_merge_meta *meta, const struct pf_merging *merging,
                              const struct pf_merge_meta_row *first, uint32_t parts,
                              struct pf_bytes *list)
{
    size_t count = 0, kept = 0;
    bool merged = false;

    for (size_t k = 0; k < meta->count; k++)
        merged |= meta->rows[k].origin == first->origin && meta->rows[k].key == parts;
    for (size_t k = 0; k < meta->count; k++) {
        const struct pf_merge_meta_row *row = &meta->rows[k];
        struct pf_bytes value = pf_dict_string(meta->dict, row->value);
        bool made = row->key == first->key && merged && merging->made(value);

        if (row->origin == first->origin && (row->key == first->key || row->key == parts) && !made)
            list[count++] = value;
    }
    qsort(list, count, sizeof *list, compare_bytes);
    for (size_t k = 0; k < count; k++)
        if (kept == 0 || !pf_bytes_equal(list[kept - 1], list[k]))
            list[kept++] = list[k];
    return kept;
}

static void drop_rows(struct pf_merge_meta *meta, uint32_t origin, uint32_t key,
                      enum pf_meta_rule rule)
{
    size_t kept = 0;

    for (size_t k = 0; k < meta->count; k++) {
        const struct pf_merge_meta_row *row = &meta->rows[k];
        bool gone = row->origin == origin && (key != 0 ? row->key == key : row->rule == rule);

        if (!gone)
            meta->rows[kept++] = *row;
    }
    meta->count = kept;
}

/* Replaces several identities by one, if there are several. */
static int join_identity(struct pf_merge_meta *meta, struct pf_merge_meta_row first,
                         const struct pf_merging *merging)
{
    struct pf_dict *dict = meta->dict;
    uint32_t parts = parts_key(dict, first.key);
    struct pf_bytes *list = malloc((meta->count + 1) * sizeof *list);
    char text[PF_IDENTITY_TEXT];
    bool good = list && parts != 0;
    size_t count = good ? list_identities(meta, merging, &first, parts, list) : 0;

    if (count > 1)
        good = merging->make(list, count, text);
    if (good && count > 1) {
        drop_rows(meta, first.origin, first.key, 0);
        drop_rows(meta, first.origin, parts, 0);
        drop_rows(meta, first.origin, 0, PF_META_SAME);
        first.value = pf_dict_intern_word(dict, text);
        good = pf_grow(&meta->rows, &meta->capacity, meta->count + count + 1, sizeof *meta->rows);
        for (size_t k = 0; good && k <= count; k++) {
            struct pf_merge_meta_row row = {first.origin, parts,
                                            k > 0 ? pf_dict_intern(dict, list[k - 1], 0) : 0,
                                            PF_META_ONCE};

            meta->rows[meta->count++] = k > 0 ? row : first;
        }
    }
    free(list);
    return good && pf_dict_status(dict) == PF_OK ? PF_OK : PF_NOMEM;
}

/* Rows of PF_META_SAME: drops all rows of a key that has several different rows. */
static int drop_different(struct pf_merge_meta *meta)
{
    struct pf_table keys;
    uint32_t *found = calloc(meta->count + 2, sizeof *found);
    size_t kept = 0;
    int status = pf_table_init(&keys, 2 * sizeof(uint32_t));

    if (!found)
        status = PF_NOMEM;
    for (int pass = 0; status == PF_OK && pass < 2; pass++)
        for (size_t k = 0, count = meta->count; k < count; k++) {
            struct pf_merge_meta_row row = meta->rows[k];
            uint32_t key[2] = {row.origin, row.key};
            uint32_t id = row.rule == PF_META_SAME ? pf_table_intern(&keys, key) : 0;

            if (pass == 0)
                found[id]++;
            else if (id == 0 || found[id] == 1)
                meta->rows[kept++] = row;
        }
    if (status == PF_OK) {
        meta->count = kept;
        status = keys.status;
    }
    free(found);
    pf_table_free(&keys);
    return status;
}

int pf_merge_meta_end(struct pf_merge_meta *meta)
{
    size_t kept = 0;

    for (size_t k = 0; k < meta->count; k++)
        if (meta->rows[k].rule != PF_META_SINGLE || meta->sources <= 1)
            meta->rows[kept++] = meta->rows[k];
    meta->count = kept;
    for (size_t k = 0; k < meta->count; k++) {
        struct pf_merge_meta_row row = meta->rows[k];

        if (row.rule == PF_META_IDENTITY) {
            int status =
                join_identity(meta, row, pf_meta_rules(pf_dict_string(meta->dict, row.origin)));

            return status == PF_OK ? drop_different(meta) : status;
        }
    }
    return PF_OK;
}

void pf_merge_meta_rename(struct pf_merge_meta *meta, const struct pf_meta_edit *edit)
{
    for (size_t k = 0; k < meta->count; k++)
        pf_meta_rename(meta->dict, edit, meta->rows[k].origin, &meta->rows[k].key,
                       &meta->rows[k].value);
}

bool pf_merge_meta_next(struct pf_merge_meta *meta, struct pf_batch *batch)
{
    uint32_t rows = 0;

    for (; rows < PF_BATCH_ROWS && meta->given < meta->count; rows++, meta->given++) {
        meta->columns[0][rows] = meta->rows[meta->given].origin;
        meta->columns[1][rows] = meta->rows[meta->given].key;
        meta->columns[2][rows] = meta->rows[meta->given].value;
    }
    *batch = (struct pf_batch){.kind = PF_META,
                               .rows = rows,
                               .origin = meta->columns[0],
                               .key = meta->columns[1],
                               .value = meta->columns[2]};
    return rows > 0;
}

#include "analysis/merge/canonical.h"

#include "analysis/names/meta_names.h"
#include "base/error.h"
#include "base/memory.h"
#include "codec/format.h"
#include "codec/merging.h"
#include "model/notes.h"
#include "stream/transfer.h"

#include <stdlib.h>
#include <string.h>

/* --- the store -------------------------------------------------------------------------------- */

/* PLACE: the stack of a SAMPLE, else the location */
enum { PLACE, CALLEE, LABELS, ID_COLUMNS };

struct value_store {
    uint32_t measure;
    int64_t *data;
    size_t rows, capacity; /* a record from number `rows` on has the value 0 */
};

struct record_store {
    size_t rows;
    uint32_t *ids[ID_COLUMNS];
    size_t id_capacity[ID_COLUMNS];
    int64_t *time;
    size_t time_capacity;
    bool timed;
    struct value_store *values;
    size_t value_count, value_capacity;
};

struct sort_row {
    uint64_t key, row;
};

struct pf_canonical {
    struct pf_dict *dict;
    struct pf_transfer transfer; /* to the dictionary of the sorted batches, if they have one */
    int status;
    struct record_store records[PF_RECORD_KINDS];
    struct pf_notes notes;

    uint32_t *strings, *locations, *stacks, *labels; /* ranks, by id */
    struct sort_row *order;                          /* the sorted records of `kind` */

    enum { UNSORTED, MEASURES, METADATA, TEXTS, RECORDS } phase;
    unsigned kind;
    size_t given;
    struct pf_value_column *columns;
    size_t column_capacity;
    int64_t *value_rows;
    size_t value_row_capacity;
    uint32_t id_rows[ID_COLUMNS][PF_BATCH_ROWS];
    int64_t time_rows[PF_BATCH_ROWS];
};

struct pf_canonical *pf_canonical_new(struct pf_dict *dict, struct pf_dict *sorted)
{
    struct pf_canonical *canonical = calloc(1, sizeof *canonical);

    if (!canonical)
        return NULL;
    canonical->dict = dict;
    canonical->transfer = (struct pf_transfer){.from = dict, .to = sorted};
    return canonical;
}

static void free_records(struct record_store *store)
{
    for (unsigned k = 0; k < ID_COLUMNS; k++)
        free(store->ids[k]);
    free(store->time);
    for (size_t k = 0; k < store->value_count; k++)
        free(store->values[k].data);
    free(store->values);
}

void pf_canonical_free(struct pf_canonical *canonical)
{
    if (!canonical)
        return;
    for (unsigned kind = 0; kind < PF_RECORD_KINDS; kind++)
        free_records(&canonical->records[kind]);
    pf_notes_free(&canonical->notes);
    pf_transfer_free(&canonical->transfer);
    free(canonical->strings);
    free(canonical->locations);
    free(canonical->stacks);
    free(canonical->labels);
    free(canonical->order);
    free(canonical->columns);
    free(canonical->value_rows);
    free(canonical);
}

static bool add_ids(struct record_store *store, unsigned column, const uint32_t *ids, uint32_t rows)
{
    if (rows == 0)
        return true;
    if (!pf_grow(&store->ids[column], &store->id_capacity[column], store->rows + rows, sizeof *ids))
        return false;
    if (ids)
        memcpy(store->ids[column] + store->rows, ids, rows * sizeof *ids);
    else
        memset(store->ids[column] + store->rows, 0, rows * sizeof *ids);
    return true;
}

static struct value_store *find_values(struct record_store *store, uint32_t measure)
{
    for (size_t k = 0; k < store->value_count; k++)
        if (store->values[k].measure == measure)
            return &store->values[k];
    if (!pf_grow(&store->values, &store->value_capacity, store->value_count + 1,
                 sizeof *store->values))
        return NULL;
    store->values[store->value_count] = (struct value_store){.measure = measure};
    return &store->values[store->value_count++];
}

static bool add_values(struct record_store *store, const struct pf_value_column *column,
                       uint32_t rows)
{
    struct value_store *values = find_values(store, column->measure);

    if (!values)
        return false;
    if (rows == 0)
        return true;
    if (!pf_grow(&values->data, &values->capacity, store->rows + rows, sizeof *values->data))
        return false;
    memset(values->data + values->rows, 0, (store->rows - values->rows) * sizeof *values->data);
    memcpy(values->data + store->rows, column->data, rows * sizeof *values->data);
    values->rows = store->rows + rows;
    return true;
}

static bool add_records(struct record_store *store, const struct pf_batch *batch)
{
    bool good = add_ids(store, PLACE, batch->kind == PF_SAMPLE ? batch->stack : batch->location,
                        batch->rows) &&
                add_ids(store, LABELS, batch->labels, batch->rows);

    if (good && batch->kind == PF_EDGE)
        good = add_ids(store, CALLEE, batch->callee, batch->rows);
    if (good && batch->rows > 0 && (batch->time || store->timed)) {
        good = pf_grow(&store->time, &store->time_capacity, store->rows + batch->rows,
                       sizeof *store->time);
        if (good && !store->timed)
            memset(store->time, 0, store->rows * sizeof *store->time);
        if (good && batch->time)
            memcpy(store->time + store->rows, batch->time, batch->rows * sizeof *store->time);
        else if (good)
            memset(store->time + store->rows, 0, batch->rows * sizeof *store->time);
        store->timed = true;
    }
    for (uint32_t k = 0; good && k < batch->value_count; k++)
        good = add_values(store, &batch->values[k], batch->rows);
    store->rows += batch->rows;
    return good;
}

/* Private rows describe the order of records or of other rows, which sorting changes. Rows that
 * describe the next row are kept: sort_meta moves both together. */
static bool is_kept(struct pf_bytes origin, struct pf_bytes key)
{
    const struct pf_merging *rules;

    if (origin.size == 0 || origin.data[0] != '.')
        return true;
    rules = pf_meta_rules(origin);
    return rules && rules->rule(origin, key) == PF_META_PREFIX;
}

static bool add_meta(struct pf_canonical *canonical, const struct pf_batch *batch)
{
    bool good = true;

    for (uint32_t k = 0; k < batch->rows && good; k++) {
        struct pf_batch row = pf_notes_part(batch, k, k + 1);

        if (is_kept(pf_dict_string(canonical->dict, *row.origin),
                    pf_dict_string(canonical->dict, *row.key)))
            good = pf_notes_add(&canonical->notes, &row) == PF_OK;
    }
    return good;
}

int pf_canonical_add(struct pf_canonical *canonical, const struct pf_batch *batch)
{
    bool good = batch->kind == PF_META   ? add_meta(canonical, batch)
                : batch->kind == PF_TEXT ? pf_notes_add(&canonical->notes, batch) == PF_OK
                                         : add_records(&canonical->records[batch->kind], batch);

    if (!good)
        canonical->status = PF_NOMEM;
    return canonical->status;
}

/* --- ranks: numbers of ids in the order of the output ----------------------------------------- */

struct ranked_string {
    struct pf_bytes bytes;
    uint32_t flags, id;
};

static int compare_strings(const void *a, const void *b)
{
    const struct ranked_string *x = a, *y = b;
    int order = pf_bytes_compare(x->bytes, y->bytes);

    return order ? order : (x->flags > y->flags) - (x->flags < y->flags);
}

static uint32_t *rank_strings(const struct pf_strings *strings)
{
    struct ranked_string *order = malloc(strings->count * sizeof *order);
    uint32_t *ranks = malloc(strings->count * sizeof *ranks);

    for (uint32_t id = 0; order && ranks && id < strings->count; id++)
        order[id] =
            (struct ranked_string){pf_strings_bytes(strings, id), strings->rows[id].flags, id};
    if (order && ranks) {
        qsort(order, strings->count, sizeof *order, compare_strings);
        for (uint32_t k = 0; k < strings->count; k++)
            ranks[order[k].id] = k;
    } else {
        free(ranks);
        ranks = NULL;
    }
    free(order);
    return ranks;
}

/* A row of any table with ids replaced by ranks. Rows are compared field by field. */
enum { FIELDS_MAX = 8 };

struct ranked_row {
    uint64_t fields[FIELDS_MAX];
    uint32_t id;
};

static uint64_t signed_field(int64_t value)
{
    return (uint64_t)value ^ (uint64_t)1 << 63;
}

static int compare_rows(const void *a, const void *b)
{
    const struct ranked_row *x = a, *y = b;

    for (unsigned k = 0; k < FIELDS_MAX; k++)
        if (x->fields[k] != y->fields[k])
            return x->fields[k] < y->fields[k] ? -1 : 1;
    return 0;
}

/* Ranks of the rows of a table; rows whose fields are equal have one rank. NULL: out of memory. */
static uint32_t *rank_rows(const struct pf_table *table,
                           void (*fill)(const void *row, const void *arg, uint64_t *fields),
                           const void *arg)
{
    struct ranked_row *order = calloc(table->count, sizeof *order);
    uint32_t *ranks = malloc(table->count * sizeof *ranks);

    for (uint32_t id = 0; order && ranks && id < table->count; id++) {
        fill(pf_table_row(table, id), arg, order[id].fields);
        order[id].id = id;
    }
    if (order && ranks) {
        uint32_t rank = 0;

        qsort(order, table->count, sizeof *order, compare_rows);
        for (uint32_t k = 0; k < table->count; k++) {
            rank += k > 0 && compare_rows(&order[k - 1], &order[k]) != 0;
            ranks[order[k].id] = rank;
        }
    } else {
        free(ranks);
        ranks = NULL;
    }
    free(order);
    return ranks;
}

static void fill_image(const void *row, const void *strings, uint64_t *fields)
{
    const struct pf_image *image = row;
    const uint32_t *rank = strings;
    const uint64_t values[FIELDS_MAX] = {
        rank[image->name], rank[image->identifier], image->start,     image->limit,
        image->offset,     image->text_start,       image->text_size, image->flags};

    memcpy(fields, values, sizeof values);
}

static void fill_function(const void *row, const void *strings, uint64_t *fields)
{
    const struct pf_function *function = row;
    const uint32_t *rank = strings;

    fields[0] = rank[function->name];
    fields[1] = rank[function->file];
    fields[2] = signed_field(function->start_line);
    fields[3] = rank[function->system_name];
}

struct location_ranks {
    uint32_t *functions, *images;
};

static void fill_location(const void *row, const void *arg, uint64_t *fields)
{
    const struct pf_location *location = row;
    const struct location_ranks *ranks = arg;

    fields[0] = ranks->functions[location->function];
    fields[1] = signed_field(location->line);
    fields[2] = location->column;
    fields[3] = ranks->images[location->image];
    fields[4] = location->address;
    fields[5] = location->kind;
    fields[6] = location->inlined;
}

static uint32_t *rank_locations(const struct pf_dict *dict, const uint32_t *strings)
{
    struct location_ranks parts = {
        rank_rows(&dict->functions, fill_function, strings),
        rank_rows(&dict->images, fill_image, strings),
    };
    uint32_t *ranks =
        parts.functions && parts.images ? rank_rows(&dict->locations, fill_location, &parts) : NULL;

    free(parts.functions);
    free(parts.images);
    return ranks;
}

static void fill_label(const void *row, const void *strings, uint64_t *fields)
{
    const struct pf_label *label = row;
    const uint32_t *rank = strings;

    fields[0] = rank[label->key];
    fields[1] = label->numeric;
    fields[2] = label->numeric ? signed_field(label->number) : 0;
    fields[3] = rank[label->text];
}

static int compare_sort_rows(const void *a, const void *b)
{
    const struct sort_row *x = a, *y = b;

    return (x->key > y->key) - (x->key < y->key);
}

static uint32_t parent_of(const struct pf_table *table, uint32_t id)
{
    uint32_t parent; /* the first field of both trees' rows */

    memcpy(&parent, pf_table_row(table, id), sizeof parent);
    return parent;
}

/* Numbers the nodes of a tree in preorder. order[] has the nodes except the root, sorted by parent
 * and then by the rank of their item; next[] has one element a node, all bits set, and is scratch
 * space. */
static void number_nodes(const struct pf_table *table, const struct sort_row *order, uint32_t *next,
                         uint32_t *ranks)
{
    uint32_t children = table->count - 1, node = 0, rank = 0;

    for (uint32_t k = children; k-- > 0;)
        next[order[k].key >> 32] = k;
    ranks[0] = 0;
    for (;;) {
        uint32_t k = next[node];

        if (k < children && order[k].key >> 32 == node) {
            next[node]++;
            node = (uint32_t)order[k].row;
            ranks[node] = ++rank;
        } else if (node == 0) {
            return;
        } else {
            node = parent_of(table, node);
        }
    }
}

/* Ranks of the nodes of a tree (stacks, label sets) by node id. `item` returns the rank of a node's
 * own item (its location, its label) from `items`. NULL: out of memory. */
static uint32_t *rank_tree(const struct pf_table *table,
                           uint32_t (*item)(const struct pf_table *, uint32_t id,
                                            const uint32_t *ranks),
                           const uint32_t *items)
{
    struct sort_row *order = malloc(table->count * sizeof *order);
    uint32_t *next = calloc(table->count, sizeof *next),
             *ranks = malloc(table->count * sizeof *ranks);

    if (order && next && ranks) {
        for (uint32_t id = 1; id < table->count; id++)
            order[id - 1] = (struct sort_row){
                (uint64_t)parent_of(table, id) << 32 | item(table, id, items), id};
        qsort(order, table->count - 1, sizeof *order, compare_sort_rows);
        memset(next, 0xff, table->count * sizeof *next);
        number_nodes(table, order, next, ranks);
    } else {
        free(ranks);
        ranks = NULL;
    }
    free(order);
    free(next);
    return ranks;
}

static uint32_t stack_item(const struct pf_table *table, uint32_t id, const uint32_t *locations)
{
    return locations[((const struct pf_stack *)pf_table_row(table, id))->location];
}

static uint32_t label_item(const struct pf_table *table, uint32_t id, const uint32_t *labels)
{
    (void)table;
    return labels[id];
}

static bool rank_all(struct pf_canonical *canonical)
{
    const struct pf_dict *dict = canonical->dict;
    uint32_t *single;

    canonical->strings = rank_strings(&dict->strings);
    if (!canonical->strings)
        return false;
    canonical->locations = rank_locations(dict, canonical->strings);
    if (!canonical->locations)
        return false;
    canonical->stacks = rank_tree(&dict->stacks, stack_item, canonical->locations);
    single = rank_rows(&dict->labels, fill_label, canonical->strings);
    if (single)
        canonical->labels = rank_tree(&dict->labels, label_item, single);
    free(single);
    return canonical->stacks && canonical->labels;
}

/* --- the order -------------------------------------------------------------------------------- */

static uint64_t measure_field(const struct pf_measure *measure, const uint32_t *strings,
                              unsigned field)
{
    const uint64_t fields[] = {strings[measure->name], strings[measure->unit],
                               measure->aggregation,   strings[measure->raw_unit],
                               measure->num,           measure->den,
                               measure->period,        measure->period_parts,
                               measure->role,          measure->nature,
                               measure->main,          measure->runs};

    return field < sizeof fields / sizeof *fields ? fields[field] : UINT64_MAX;
}

static bool measure_before(const struct pf_canonical *canonical, uint32_t a, uint32_t b)
{
    for (unsigned field = 0;; field++) {
        uint64_t x = measure_field(pf_measures_row(&canonical->dict->measures, a),
                                   canonical->strings, field);
        uint64_t y = measure_field(pf_measures_row(&canonical->dict->measures, b),
                                   canonical->strings, field);

        if (x != y || x == UINT64_MAX)
            return x < y;
    }
}

/* Insertion sort: a record has few measures. */
static void sort_measures(const struct pf_canonical *canonical, struct record_store *store)
{
    for (size_t k = 1; k < store->value_count; k++)
        for (size_t j = k; j > 0 && measure_before(canonical, store->values[j].measure,
                                                   store->values[j - 1].measure);
             j--) {
            struct value_store moved = store->values[j];

            store->values[j] = store->values[j - 1];
            store->values[j - 1] = moved;
        }
}

static int64_t value_at(const struct value_store *values, uint64_t row)
{
    return row < values->rows ? values->data[row] : 0;
}

/* Order of records whose sort keys are equal: by labels (an edge's key has the callee instead),
 * time, values. */
static bool record_before(const struct pf_canonical *canonical, const struct record_store *store,
                          uint64_t a, uint64_t b)
{
    uint32_t labels_a = canonical->labels[store->ids[LABELS][a]],
             labels_b = canonical->labels[store->ids[LABELS][b]];

    if (labels_a != labels_b)
        return labels_a < labels_b;
    if (store->timed && store->time[a] != store->time[b])
        return store->time[a] < store->time[b];
    for (size_t k = 0; k < store->value_count; k++) {
        int64_t x = value_at(&store->values[k], a), y = value_at(&store->values[k], b);

        if (x != y)
            return x < y;
    }
    return false;
}

static bool sorts_before(const struct pf_canonical *canonical, const struct record_store *store,
                         struct sort_row a, struct sort_row b)
{
    return a.key != b.key ? a.key < b.key : record_before(canonical, store, a.row, b.row);
}

/* Merges sorted runs of `width` rows into runs of 2 * `width` rows. */
static void merge_runs(const struct pf_canonical *canonical, const struct record_store *store,
                       const struct sort_row *from, struct sort_row *to, size_t width)
{
    for (size_t start = 0; start < store->rows; start += 2 * width) {
        size_t middle = start + width < store->rows ? start + width : store->rows;
        size_t end = middle + width < store->rows ? middle + width : store->rows;
        size_t left = start, right = middle;

        for (size_t k = start; k < end; k++) {
            bool take_right =
                left == middle ||
                (right < end && sorts_before(canonical, store, from[right], from[left]));

            to[k] = from[take_right ? right++ : left++];
        }
    }
}

/* Merge sort, because the comparison needs the store, which qsort() cannot pass on. */
static bool sort_records(struct pf_canonical *canonical, const struct record_store *store)
{
    const uint32_t *places = canonical->kind == PF_SAMPLE ? canonical->stacks
                                                          : canonical->locations;
    struct sort_row *order, *room;

    free(canonical->order);
    canonical->order = order = malloc((store->rows + 1) * sizeof *order);
    room = malloc((store->rows + 1) * sizeof *room);
    if (!order || !room) {
        free(room);
        return false;
    }
    for (size_t row = 0; row < store->rows; row++) {
        uint32_t second = canonical->kind == PF_EDGE ? canonical->locations[store->ids[CALLEE][row]]
                                                     : canonical->labels[store->ids[LABELS][row]];

        order[row] =
            (struct sort_row){(uint64_t)places[store->ids[PLACE][row]] << 32 | second, row};
    }
    for (size_t width = 1; width < store->rows; width *= 2) {
        struct sort_row *other = room;

        merge_runs(canonical, store, order, room, width);
        room = order;
        order = other;
    }
    canonical->order = order;
    free(room);
    return true;
}

struct ranked_meta {
    uint32_t ranks[4];          /* origin, key, value, value of the prefix */
    uint32_t row[3], prefix[3]; /* origin, key, value; all 0: no prefix */
};

static int compare_meta(const void *a, const void *b)
{
    const struct ranked_meta *x = a, *y = b;

    for (unsigned k = 0; k < 4; k++)
        if (x->ranks[k] != y->ranks[k])
            return x->ranks[k] < y->ranks[k] ? -1 : 1;
    return 0;
}

static void set_meta(struct pf_notes *notes, size_t row, const uint32_t ids[3])
{
    for (unsigned c = 0; c < 3; c++)
        notes->metadata[c][row] = ids[c];
}

/* Sorts the metadata. A row that describes the next row stays before this row. */
static bool sort_meta(struct pf_canonical *canonical)
{
    struct pf_notes *notes = &canonical->notes;
    struct ranked_meta *order = malloc((notes->metadata_count + 1) * sizeof *order), next = {0};
    size_t count = 0, out = 0;

    if (!order)
        return false;
    for (size_t k = 0; k < notes->metadata_count; k++) {
        struct pf_bytes origin = pf_dict_string(canonical->dict, notes->metadata[0][k]);
        bool prefix = origin.size > 0 && origin.data[0] == '.';

        for (unsigned c = 0; c < 3; c++) {
            *(prefix ? &next.prefix[c] : &next.row[c]) = notes->metadata[c][k];
            next.ranks[c] = canonical->strings[notes->metadata[c][k]];
        }
        if (prefix)
            continue;
        next.ranks[3] = next.prefix[0] ? canonical->strings[next.prefix[2]] : 0;
        order[count++] = next;
        next = (struct ranked_meta){0};
    }
    qsort(order, count, sizeof *order, compare_meta);
    for (size_t k = 0; k < count; k++) {
        if (order[k].prefix[0])
            set_meta(notes, out++, order[k].prefix);
        set_meta(notes, out++, order[k].row);
    }
    notes->metadata_count = out;
    free(order);
    return true;
}

static int compare_texts(const void *a, const void *b)
{
    const struct pf_text *x = a, *y = b;
    int order = pf_bytes_compare(x->name, y->name);

    if (order == 0)
        order = (x->line > y->line) - (x->line < y->line);
    if (order == 0)
        order = pf_bytes_compare(x->text, y->text);
    if (order == 0)
        order = (x->name_flags > y->name_flags) - (x->name_flags < y->name_flags);
    return order ? order : (x->text_flags > y->text_flags) - (x->text_flags < y->text_flags);
}

/* --- giving ----------------------------------------------------------------------------------- */

/* Adds the row that says that metadata have lost their places between records. */
static bool add_mark(struct pf_canonical *canonical)
{
    uint32_t origin = pf_dict_intern_word(canonical->dict, "profutils"),
             key = pf_dict_intern_word(canonical->dict, "merged"), value = 0;
    const struct pf_batch mark = {
        .kind = PF_META, .rows = 1, .origin = &origin, .key = &key, .value = &value};

    const struct pf_batch rows = pf_notes_metadata(&canonical->notes);

    for (size_t k = 0; k < rows.rows; k++)
        if (rows.origin[k] == origin && rows.key[k] == key)
            return true;
    return rows.rows == 0 ||
           (pf_dict_status(canonical->dict) == PF_OK && add_meta(canonical, &mark));
}

static int prepare(struct pf_canonical *canonical)
{
    struct pf_notes *notes = &canonical->notes;
    size_t values = 0;

    if (!add_mark(canonical) || !rank_all(canonical) || !sort_meta(canonical))
        return PF_NOMEM;
    if (notes->text_count > 0)
        qsort(notes->texts, notes->text_count, sizeof *notes->texts, compare_texts);
    for (size_t k = 0; canonical->transfer.to && k < notes->text_count; k++)
        notes->texts[k].name_string = 0;
    for (unsigned kind = 0; kind < PF_RECORD_KINDS; kind++) {
        struct record_store *store = &canonical->records[kind];

        sort_measures(canonical, store);
        values = store->value_count > values ? store->value_count : values;
    }
    if (!pf_grow(&canonical->columns, &canonical->column_capacity, values + 1,
                 sizeof *canonical->columns) ||
        !pf_grow(&canonical->value_rows, &canonical->value_row_capacity,
                 (values + 1) * PF_BATCH_ROWS, sizeof(int64_t)))
        return PF_NOMEM;
    return PF_OK;
}

/* Adds a column. A record has no value of a measure that only other inputs have, but the store has
 * 0: as in the native stream, a column of zeros is left out, except from a declaration. */
static void add_column(struct pf_canonical *canonical, struct pf_batch *batch, uint32_t measure,
                       const int64_t *data)
{
    uint32_t row = 0;

    while (row < batch->rows && data[row] == 0)
        row++;
    if (row < batch->rows || batch->rows == 0)
        canonical->columns[batch->value_count++] = (struct pf_value_column){measure, data};
    batch->values = canonical->columns;
}

static bool give_measures(struct pf_canonical *canonical, struct pf_batch *batch)
{
    while (canonical->kind < PF_RECORD_KINDS &&
           canonical->records[canonical->kind].value_count == 0)
        canonical->kind++;
    if (canonical->kind == PF_RECORD_KINDS)
        return false;
    batch->kind = (enum pf_kind)canonical->kind;
    const struct record_store *store = &canonical->records[canonical->kind++];
    for (size_t k = 0; k < store->value_count; k++)
        add_column(canonical, batch, store->values[k].measure, canonical->value_rows);
    return true;
}

static uint32_t next_rows(struct pf_canonical *canonical, size_t count)
{
    size_t left = count - canonical->given, rows = left < PF_BATCH_ROWS ? left : PF_BATCH_ROWS;

    canonical->given += rows;
    return (uint32_t)rows;
}

/* Gives the next rows of all metadata, or of all texts. */
static bool give_notes(struct pf_canonical *canonical, struct pf_batch all, struct pf_batch *batch)
{
    size_t first = canonical->given;

    *batch = pf_notes_part(&all, first, first + next_rows(canonical, all.rows));
    return batch->rows > 0;
}

static bool give_records(struct pf_canonical *canonical, struct pf_batch *batch)
{
    const struct record_store *store = &canonical->records[canonical->kind];
    const struct sort_row *order = canonical->order + canonical->given;

    if (canonical->given == store->rows)
        return false;
    batch->kind = (enum pf_kind)canonical->kind;
    batch->rows = next_rows(canonical, store->rows);
    for (unsigned column = 0; column < ID_COLUMNS; column++)
        for (uint32_t row = 0; store->ids[column] && row < batch->rows; row++)
            canonical->id_rows[column][row] = store->ids[column][order[row].row];
    for (uint32_t row = 0; store->timed && row < batch->rows; row++)
        canonical->time_rows[row] = store->time[order[row].row];
    for (size_t k = 0; k < store->value_count; k++) {
        int64_t *data = canonical->value_rows + k * PF_BATCH_ROWS;

        for (uint32_t row = 0; row < batch->rows; row++)
            data[row] = value_at(&store->values[k], order[row].row);
        add_column(canonical, batch, store->values[k].measure, data);
    }
    if (batch->kind == PF_SAMPLE)
        batch->stack = canonical->id_rows[PLACE];
    else
        batch->location = canonical->id_rows[PLACE];
    batch->callee = batch->kind == PF_EDGE ? canonical->id_rows[CALLEE] : NULL;
    batch->labels = canonical->id_rows[LABELS];
    batch->time = store->timed ? canonical->time_rows : NULL;
    return true;
}

/* Fills the next batch of the current phase; false at the end of the phase. */
static bool fill_batch(struct pf_canonical *canonical, struct pf_batch *batch)
{
    memset(batch, 0, sizeof *batch);
    switch (canonical->phase) {
    case MEASURES: return give_measures(canonical, batch);
    case METADATA: return give_notes(canonical, pf_notes_metadata(&canonical->notes), batch);
    case TEXTS: return give_notes(canonical, pf_notes_texts(&canonical->notes), batch);
    case RECORDS: return give_records(canonical, batch);
    default: return false;
    }
}

/* Begins the next phase, or the next kind of records, which are then sorted. False at the end. */
static bool next_phase(struct pf_canonical *canonical)
{
    canonical->given = 0;
    if (canonical->phase == RECORDS) {
        canonical->kind++;
    } else {
        canonical->phase++;
        canonical->kind = 0;
    }
    if (canonical->phase < RECORDS)
        return true;
    if (canonical->kind == PF_RECORD_KINDS)
        return false;
    if (!sort_records(canonical, &canonical->records[canonical->kind]))
        canonical->status = PF_NOMEM;
    return true;
}

int pf_canonical_next(struct pf_canonical *canonical, struct pf_batch *batch)
{
    if (canonical->status == PF_OK && canonical->phase == UNSORTED) {
        canonical->phase = MEASURES;
        canonical->status = prepare(canonical);
    }
    while (canonical->status == PF_OK && !fill_batch(canonical, batch))
        if (!next_phase(canonical))
            canonical->status = PF_EOF;
    if (canonical->status == PF_OK && canonical->transfer.to)
        canonical->status = pf_transfer_batch(&canonical->transfer, batch);
    return canonical->status;
}

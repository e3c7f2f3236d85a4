/* Samples of StatProfiler files as batches: label sets of the open sections, and the rows with the
 * events between samples. */
#include "format/statprofiler/statprofiler.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>

/* --- label sets ------------------------------------------------------------------------------- */

void pf_sp_labels_open(struct pf_sp_labels *labels, struct pf_dict *dict)
{
    labels->op_key = pf_dict_intern(dict, PF_BYTES("op"), 0);
}

void pf_sp_labels_close(struct pf_sp_labels *labels)
{
    pf_sp_open_free(&labels->open);
    free(labels->sets);
    pf_pair_map_free(&labels->with_op);
}

static uint32_t set_of(const struct pf_sp_labels *labels, size_t count)
{
    return count > 0 ? labels->sets[count - 1] : 0;
}

static uint32_t add_section(struct pf_dict *dict, uint32_t parent, uint32_t name)
{
    struct pf_label label = {.parent = parent, .key = dict->section_key, .text = name};
    return pf_dict_chain_label(dict, &label);
}

bool pf_sp_labels_start(struct pf_sp_labels *labels, struct pf_dict *dict, uint32_t name)
{
    size_t count = labels->open.count;
    if (!pf_grow(&labels->sets, &labels->set_capacity, count + 1, sizeof *labels->sets) ||
        !pf_sp_open_start(&labels->open, name))
        return false;
    labels->sets[count] = add_section(dict, set_of(labels, count), name);
    return true;
}

bool pf_sp_labels_end(struct pf_sp_labels *labels, struct pf_dict *dict, uint32_t name)
{
    size_t place = pf_sp_open_end(&labels->open, name);
    if (place == SIZE_MAX)
        return false;
    for (size_t i = place; i < labels->open.count; i++)
        labels->sets[i] = add_section(dict, set_of(labels, i), labels->open.names[i]);
    return true;
}

bool pf_sp_labels_find(struct pf_sp_labels *labels, struct pf_dict *dict, uint32_t op,
                       uint32_t *found)
{
    size_t count = labels->open.count, known = count + 1;
    struct pf_label label = {.key = labels->op_key, .text = op};
    uint32_t set = set_of(labels, count);
    bool seen = false;
    *found = set;
    if (op == 0)
        return true;
    /* Finds the longest list of sections whose set with this op is known; then adds one section at
     * a time. */
    while (!seen && known > 0)
        seen = pf_pair_map_get(&labels->with_op, set_of(labels, --known), op, &set);
    if (!seen) {
        set = pf_dict_chain_label(dict, &label);
        if (!pf_pair_map_put(&labels->with_op, 0, op, set))
            return false;
    }
    for (; known < count; known++) {
        set = add_section(dict, set, labels->open.names[known]);
        if (!pf_pair_map_put(&labels->with_op, labels->sets[known], op, set))
            return false;
    }
    *found = set;
    return true;
}

/* --- rows ------------------------------------------------------------------------------------- */

int pf_sp_rows_open(struct pf_sp_rows *out, struct pf_rows *rows, uint64_t tick_ns)
{
    struct pf_dict *dict = rows->dict;

    out->rows = rows;
    out->private_origin = pf_dict_intern_word(dict, PF_SP_PRIVATE);
    out->custom_origin = pf_dict_intern_word(dict, PF_SP_CUSTOM_ORIGIN);
    out->header_origin = pf_dict_intern_word(dict, PF_SP_HEADER_ORIGIN);
    struct pf_measure wall = pf_measure_make(dict, "wall", tick_ns ? "nanoseconds" : "tick",
                                             PF_SAMPLE, PF_SELF, PF_SAMPLED);

    wall.raw_unit = tick_ns ? pf_dict_intern_word(dict, "tick") : 0;
    wall.num = tick_ns ? tick_ns : 1;
    wall.main = 1;
    struct pf_measure samples =
        pf_measure_make(dict, "samples", "count", PF_SAMPLE, PF_COUNT, PF_SAMPLED);

    pf_rows_measure(rows, pf_dict_add_measure(dict, wall));
    pf_rows_measure(rows, pf_dict_add_measure(dict, samples));
    pf_rows_declare(rows);
    return pf_dict_status(dict);
}

static void add_words(struct pf_sp_rows *rows, uint32_t origin, const char *key, uint32_t value)
{
    pf_rows_meta_strings(rows->rows, origin, pf_dict_intern_word(rows->rows->dict, key), value);
}

static void add_fact(struct pf_sp_rows *rows, const char *key, const char *value)
{
    add_words(rows, rows->header_origin, key, pf_dict_intern_word(rows->rows->dict, value));
}

static void add_number(struct pf_sp_rows *rows, const char *key, uint64_t number)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)number);
    add_fact(rows, key, text);
}

void pf_sp_rows_header(struct pf_sp_rows *rows, const struct pf_sp_header *header,
                       const struct pf_sp_events *custom)
{
    char text[48];
    if (header->has_perl) {
        snprintf(text, sizeof text, "%lu.%lu.%lu", (unsigned long)header->perl[0],
                 (unsigned long)header->perl[1], (unsigned long)header->perl[2]);
        add_fact(rows, "perl_version", text);
    }
    if (header->tick_ns % 1000 != 0)
        add_number(rows, "tick_ns", header->tick_ns);
    else if (header->tick_ns != 0)
        add_number(rows, "tick_us", header->tick_ns / 1000);
    if (header->depth != 0)
        add_number(rows, "depth", header->depth);
    if (header->has_library) {
        snprintf(text, sizeof text, "%lu.%lu", (unsigned long)header->library[0],
                 (unsigned long)header->library[1]);
        add_fact(rows, "library_version", text);
    }
    if (pf_sp_header_has_process(header) || header->ordinal > 1 || header->parent_ordinal > 0) {
        add_fact(rows, "process_id", header->id);
        add_number(rows, "ordinal", header->ordinal);
        add_fact(rows, "parent_id", header->parent);
        add_number(rows, "parent_ordinal", header->parent_ordinal);
    }
    for (size_t i = 0; i < custom->count; i++)
        pf_rows_meta_strings(rows->rows, rows->custom_origin, custom->rows[i].key,
                             custom->rows[i].value);
}

void pf_sp_rows_events(struct pf_sp_rows *rows, const struct pf_sp_events *events, bool plain)
{
    static const char *const keys[] = {NULL, PF_SP_KEY_START, PF_SP_KEY_END, PF_SP_KEY_UNMATCHED};
    for (size_t i = 0; i < events->count; i++) {
        const struct pf_sp_event *event = &events->rows[i];
        if (event->type != PF_SP_EVENT_METADATA) {
            if (!plain)
                add_words(rows, rows->private_origin, keys[event->type], event->key);
            continue;
        }
        if (!rows->in_body)
            add_words(rows, rows->private_origin, PF_SP_KEY_BODY, 0);
        rows->in_body = true;
        pf_rows_meta_strings(rows->rows, rows->custom_origin, event->key, event->value);
    }
}

void pf_sp_rows_finish(struct pf_sp_rows *rows, const char *how)
{
    add_words(rows, rows->private_origin, PF_SP_KEY_FINISH,
              pf_dict_intern_word(rows->rows->dict, how));
}

void pf_sp_rows_sample(struct pf_sp_rows *rows, uint32_t labels, int64_t weight)
{
    bool has_frames = rows->rows->depth > 0;

    pf_rows_sample(rows->rows, labels);
    pf_rows_set(rows->rows, 0, weight);
    pf_rows_set(rows->rows, 1, has_frames || weight != 0);
    rows->in_body = true;
}

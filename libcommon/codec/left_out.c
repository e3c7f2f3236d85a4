#include "codec/left_out.h"

#include "base/error.h"
#include "base/memory.h"
#include "codec/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static int add_name(struct pf_left_list *list, uint32_t name)
{
    if (!pf_grow_zeroed(&list->met, &list->met_count, &list->met_capacity, (size_t)name + 1,
                        sizeof *list->met))
        return PF_NOMEM;
    if (list->met[name])
        return PF_OK;
    list->met[name] = true;
    if (list->count < PF_LEFT_NAMES)
        list->names[list->count] = name;
    list->count++;
    return PF_OK;
}

int pf_leave_name(struct pf_writer *writer, enum pf_left what, uint32_t name)
{
    if (add_name(&writer->left_out.lists[what], name) != PF_OK)
        return pf_error_nomem(&writer->error);
    return PF_OK;
}

int pf_leave_measure(struct pf_writer *writer, uint32_t measure)
{
    const struct pf_measure *row = pf_measures_row(&writer->dict->measures, measure);

    return pf_leave_name(writer, (enum pf_left)row->kind, row->name);
}

void pf_leave_texts(struct pf_writer *writer)
{
    writer->left_out.texts = true;
}

int pf_refuse_negative(struct pf_writer *writer, uint32_t name)
{
    return pf_error_set(&writer->error, PF_USAGE,
                        "%s cannot hold negative amounts, and '%s' has some", writer->format->name,
                        pf_clip(pf_dict_string(writer->dict, name)).text);
}

bool pf_holds_no_label(struct pf_writer *writer, const struct pf_label *label)
{
    (void)writer;
    (void)label;
    return false;
}

void pf_left_out_records(struct pf_writer *writer, const struct pf_batch *batch)
{
    const struct pf_measures *measures = &writer->dict->measures;

    writer->left_out.records[batch->kind] += batch->rows;
    for (uint32_t k = 0; batch->kind == PF_EDGE && k < batch->value_count; k++)
        writer->left_out.calls |= pf_measures_row(measures, batch->values[k].measure)->role ==
                                  PF_INCLUSIVE;
}

int pf_left_out_labels(struct pf_writer *writer, const struct pf_batch *batch)
{
    struct pf_left_out *left = &writer->left_out;

    if (!writer->format->holds_label || !batch->labels)
        return PF_OK;
    if (!pf_grow_zeroed(&left->seen, &left->seen_count, &left->seen_capacity,
                        writer->dict->labels.count, sizeof *left->seen))
        return pf_error_nomem(&writer->error);
    for (uint32_t row = 0; row < batch->rows; row++)
        for (uint32_t set = batch->labels[row]; set != 0 && !left->seen[set];) {
            const struct pf_label *label = pf_dict_label(writer->dict, set);

            left->seen[set] = true;
            set = label->parent;
            if (writer->format->holds_label(writer, label))
                continue;
            left->of_samples = left->of_samples || batch->kind == PF_SAMPLE;
            if (pf_leave_name(writer, PF_LEFT_LABELS, label->key) != PF_OK)
                return PF_NOMEM;
        }
    return PF_OK;
}

static const char *hint_of(const struct pf_left_out *left, const struct pf_format *format)
{
    return format->caps & PF_HOLDS_SAMPLE && left->calls && left->held[PF_SAMPLE] == 0
               ? " (profcat --expand-edges makes approximate stacks of them)"
               : "";
}

int pf_left_out_check_kinds(struct pf_writer *writer, bool drawn)
{
    const struct pf_left_out *left = &writer->left_out;
    char kinds[128];
    size_t used = 0;
    uint64_t held = 0;

    for (int kind = 0; kind < PF_RECORD_KINDS; kind++) {
        held += left->held[kind];
        if (left->records[kind] > 0)
            used += (size_t)snprintf(kinds + used, sizeof kinds - used, "%s%s",
                                     used > 0 ? " and " : "", pf_kind_name((enum pf_kind)kind));
    }
    if (used > 0 && held == 0 && !drawn)
        return pf_error_set(&writer->error, PF_USAGE, "%s cannot hold %s records%s",
                            writer->format->name, kinds, hint_of(left, writer->format));
    return PF_OK;
}

void pf_left_out_say_kinds(const struct pf_left_out *left, const struct pf_format *format,
                           const struct pf_report *report)
{
    char counts[192];
    size_t used = 0;

    for (int kind = 0; kind < PF_RECORD_KINDS; kind++)
        if (left->records[kind] > 0)
            used += (size_t)snprintf(counts + used, sizeof counts - used, "%s%" PRIu64 " %s",
                                     used > 0 ? " and " : "", left->records[kind],
                                     pf_kind_name((enum pf_kind)kind));
    if (used > 0)
        pf_report_send(report, PF_WARNING, "%s records have no place and are left out%s", counts,
                       hint_of(left, format));
}

static void warn_list(const struct pf_left_list *list, const struct pf_dict *dict,
                      const struct pf_report *report, const char *what, const char *hint)
{
    size_t named = list->count < PF_LEFT_NAMES ? list->count : PF_LEFT_NAMES;
    struct pf_buffer names = {0};

    for (size_t k = 0; k < named; k++) {
        struct pf_bytes name = pf_dict_string(dict, list->names[k]);

        pf_buffer_printf(&names, "%s%s", k > 0 ? ", " : "", pf_clip(name).text);
    }
    if (list->count > named)
        pf_buffer_printf(&names, " and %zu more", list->count - named);
    if (list->count > 0)
        pf_report_send(report, PF_WARNING, "%s and are left out: %.*s%s", what, (int)names.size,
                       names.data ? names.data : "", hint);
    pf_buffer_free(&names);
}

void pf_left_out_say_names(const struct pf_left_out *left, const struct pf_dict *dict,
                           const struct pf_report *report)
{
    static const char *const texts[PF_LEFT_LISTS] = {
        [PF_LEFT_SAMPLE_MEASURES] = "measures of sample records have no place",
        [PF_LEFT_FLAT_MEASURES] = "measures of flat records have no place",
        [PF_LEFT_EDGE_MEASURES] = "measures of edge records have no place",
        [PF_LEFT_FRACTIONS] = "measures are not counted in whole numbers",
        [PF_LEFT_LABELS] = "labels have no place",
        [PF_LEFT_METADATA] = "metadata have no place",
    };

    for (size_t k = 0; k < PF_LEFT_LISTS; k++)
        warn_list(&left->lists[k], dict, report, texts[k],
                  k == PF_LEFT_LABELS && left->of_samples
                      ? " (proffilter --root-label=KEY makes frames of them)"
                      : "");
    if (left->texts)
        pf_report_send(report, PF_WARNING, "source texts have no place and are left out");
}

/* Adds the names of `list`: the first in their order, then the others by number. */
static int join_list(struct pf_left_list *all, struct pf_dict *to, const struct pf_left_list *list,
                     const struct pf_dict *from)
{
    int status = PF_OK;

    for (size_t k = 0; k < list->count && k < PF_LEFT_NAMES && status == PF_OK; k++)
        status = add_name(all, pf_dict_same_string(to, from, list->names[k]));
    for (size_t name = 0; name < list->met_count && status == PF_OK; name++)
        if (list->met[name])
            status = add_name(all, pf_dict_same_string(to, from, (uint32_t)name));
    return status;
}

int pf_left_out_join(struct pf_left_out *all, struct pf_dict *to, const struct pf_left_out *left,
                     const struct pf_dict *from)
{
    int status = PF_OK;

    for (int kind = 0; kind < PF_RECORD_KINDS; kind++) {
        all->records[kind] += left->records[kind];
        all->held[kind] += left->held[kind];
    }
    all->calls |= left->calls;
    all->of_samples |= left->of_samples;
    all->texts |= left->texts;
    for (size_t k = 0; k < PF_LEFT_LISTS && status == PF_OK; k++)
        status = join_list(&all->lists[k], to, &left->lists[k], from);
    return status == PF_OK ? pf_dict_status(to) : status;
}

void pf_left_out_free(struct pf_left_out *left)
{
    for (size_t k = 0; k < PF_LEFT_LISTS; k++)
        free(left->lists[k].met);
    free(left->seen);
}

/* --- records without a measure that is written ------------------------------------------------ */

void pf_held_measures_add(struct pf_held_measures *held, const struct pf_measure *measure)
{
    if (held->count < PF_HELD_MEASURES)
        held->rows[held->count++] = *measure;
}

void pf_left_measures_free(struct pf_left_measures *left)
{
    pf_strings_free(&left->keys);
    pf_buffer_free(&left->key);
    free(left->sets);
}

/* A set of measures is interned as a string of its kind and measures, so that thousands of sets
 * need no search. */
int pf_left_measures_add(struct pf_left_measures *left, const struct pf_batch *batch,
                         const char *input)
{
    uint32_t kind = batch->kind, id;

    if (batch->kind >= PF_RECORD_KINDS || batch->rows == 0 || batch->value_count == 0)
        return PF_OK;
    if (!left->keys.rows && pf_strings_init(&left->keys) != PF_OK)
        return PF_NOMEM;
    left->key.size = 0;
    pf_buffer_append(&left->key, &kind, sizeof kind);
    for (uint32_t k = 0; k < batch->value_count; k++)
        pf_buffer_append(&left->key, &batch->values[k].measure, sizeof(uint32_t));
    if (left->key.failed)
        return PF_NOMEM;
    id = pf_strings_intern(&left->keys, (struct pf_bytes){left->key.data, left->key.size}, 0);
    if (id == 0 || !pf_grow_zeroed(&left->sets, &left->count, &left->capacity, (size_t)id + 1,
                                   sizeof *left->sets))
        return PF_NOMEM;
    if (left->sets[id].rows == 0)
        left->sets[id].input = input;
    left->sets[id].rows += batch->rows;
    return PF_OK;
}

/* True if a held measure is in the set. `words`: the kind of the set, then its measures. */
static bool holds(const uint32_t *words, size_t count, const struct pf_dict *dict,
                  const struct pf_held_measures *held)
{
    for (size_t k = 1; k < count; k++)
        for (size_t i = 0; i < held->count; i++)
            if (pf_measure_same(pf_measures_row(&dict->measures, words[k]), &held->rows[i]))
                return true;
    return false;
}

uint64_t pf_left_measures_count(const struct pf_left_measures *left, const struct pf_dict *dict,
                                const struct pf_held_measures *held, uint64_t *all,
                                const char **input)
{
    uint64_t lacking = 0;

    *all = 0;
    *input = NULL;
    for (uint32_t k = 1; k < left->keys.count && k < left->count; k++) {
        const struct pf_measure_set *set = &left->sets[k];
        struct pf_bytes key = pf_strings_bytes(&left->keys, k);
        const uint32_t *words = (const uint32_t *)(const void *)key.data;

        if (held->count == 0 || words[0] != (uint32_t)held->rows[0].kind)
            continue;
        *all += set->rows;
        if (holds(words, key.size / sizeof *words, dict, held))
            continue;
        lacking += set->rows;
        *input = *input ? *input : set->input;
    }
    /* if no record has a held measure, the writer has made the measure itself (differences, stacks
     * made of calls) */
    return lacking < *all ? lacking : 0;
}

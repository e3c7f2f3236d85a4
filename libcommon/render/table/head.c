#include "model/units.h"
#include "model/utf8.h"
#include "render/table/prose.h"
#include "render/table/view.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool count_samples(const struct pf_top *top, const struct pf_top_block *block,
                          pf_int128 *samples, uint64_t *parts)
{
    const struct pf_accumulator *accumulator = top->accumulator;
    struct pf_error ignored = {0};
    struct pf_scale scale;

    for (uint32_t i = 0; i < accumulator->ledger.count; i++) {
        const struct pf_measure *measure = &accumulator->ledger.sums[i].quantity.measure;

        if (measure->kind != PF_SAMPLE || !pf_measure_is_samples(top->look.dict, measure))
            continue;
        pf_quantity_scale(&accumulator->ledger.sums[i].quantity, top->look.dict, PF_UNIT_AUTO,
                          &scale, &ignored);
        *samples = pf_scale_total(&scale, pf_sums_total(&accumulator->ledger.sums[i]));
        *parts = scale.parts;
        return &accumulator->ledger.sums[i] != block->subject.shown;
    }
    *samples = 0;
    *parts = 1;
    return false;
}

/* Appends ", 1,243 samples" or ", 1 section". */
static void append_count(const struct pf_top *top, struct pf_buffer *line, pf_int128 count,
                         uint64_t parts, const char *noun)
{
    const struct pf_scale scale = {.parts = parts, .group = top->look.group};
    char text[PF_AMOUNT_TEXT];

    pf_buffer_printf(line, ", %s %s%s", pf_scale_print(&scale, count, text), noun,
                     count != (pf_int128)parts ? "s" : "");
}

static void append_amount(struct pf_buffer *line, const struct pf_scale *scale, pf_int128 amount)
{
    char text[PF_AMOUNT_TEXT];
    struct pf_buffer scratch = {0};
    struct pf_bytes unit = pf_text_line(scale->name, PF_UTF8, &scratch);
    bool count = unit.size == 0 || pf_bytes_equal(unit, PF_BYTES("count"));

    pf_buffer_printf(line, "%s", pf_scale_print(scale, amount, text));
    if (!count && ((!scale->time && !scale->bytes) || scale->shown == PF_UNIT_COUNT))
        pf_buffer_printf(line, " %.*s", (int)unit.size, unit.data);
    line->failed |= scratch.failed;
    pf_buffer_free(&scratch);
}

/* Counts the sections of the records as --by=section does: several label values may have the same
 * text. PF_OK or PF_NOMEM. */
static int count_sections(const struct pf_top *top, size_t *count)
{
    const struct pf_accumulator *accumulator = top->accumulator;
    bool *seen = calloc(accumulator->label_count + 1, sizeof *seen);
    struct pf_keys keys;
    int status = pf_keys_init(&keys, top->look.dict, PF_BY_LABEL, top->look.dict->section_key);

    if (!seen)
        status = PF_NOMEM;
    for (uint32_t i = 0; i < accumulator->label_count && status == PF_OK; i++)
        for (uint32_t at = accumulator->labels[i] ? i : 0; at != 0 && !seen[at];
             at = pf_dict_label(top->look.dict, at)->parent) {
            seen[at] = true;
            if (pf_dict_label(top->look.dict, at)->key == top->look.dict->section_key)
                pf_keys_value(&keys, pf_dict_label(top->look.dict, at));
        }
    *count = keys.table.count > 0 ? keys.table.count - 1 : 0;
    status = status != PF_OK ? status : keys.status;
    pf_keys_free(&keys);
    free(seen);
    return status;
}

/* Appends "web.out, db.out and 2 more"; `brief`: without directories. */
static void append_inputs(const struct pf_top *top, bool brief, struct pf_buffer *line)
{
    const struct pf_facts *facts = top->facts;
    struct pf_buffer scratch = {0};
    size_t count = facts->input_count;

    while (facts->input_count == 0 && top->operands[count])
        count++;
    if (facts->input_count == 0 && count == 1 && strcmp(top->operands[0], "-") == 0)
        return;
    for (size_t i = 0; i < count && i < (count > 3 ? 2 : 3); i++) {
        uint32_t id = facts->input_count > 0 ? facts->inputs[i] : 0;
        struct pf_bytes name = facts->input_count > 0 ? pf_dict_string(top->look.dict, id)
                                                      : pf_bytes_of(top->operands[i]);

        name = pf_text_line(
            name, facts->input_count > 0 ? top->look.dict->strings.rows[id].flags : PF_UTF8,
            &scratch);
        name = brief ? pf_base_name(name) : name;
        pf_buffer_printf(line, "%s%.*s", i > 0 ? ", " : "", (int)name.size, name.data);
    }
    if (count > 3)
        pf_buffer_printf(line, " and %zu more", count - 2);
    line->failed = line->failed || scratch.failed;
    pf_buffer_free(&scratch);
}

/* Prints "64 %" or "1.2 %". */
static const char *share_of(double percent, char text[48])
{
    double size = fabs(percent);

    if (size > 0 && size < 0.00995)
        return percent < 0 ? ">-0.01 %" : "<0.01 %";
    snprintf(text, 48, size >= 10 || size == 0 ? "%.0f %%" : "%.2g %%", percent);
    return text;
}

static void append_total(const struct pf_top_block *block, struct pf_buffer *line)
{
    const struct pf_subject *subject = &block->subject;
    double percent = pf_percent(subject->total, block->whole);
    char share[48];

    append_amount(line, &subject->whole_scale, subject->total);
    if (block->whole == subject->total) {
        pf_buffer_printf(line, " total");
        return;
    }
    pf_buffer_printf(line, ", %s of ", share_of(percent, share));
    append_amount(line, &subject->whole_scale, block->whole);
}

/* Appends the other kinds of records: "also here: flat (stmts, time); --kind shows them". */
static void append_kinds(const struct pf_top *top, enum pf_kind shown, struct pf_buffer *line)
{
    const struct pf_ledger *ledger = &top->accumulator->ledger;

    for (enum pf_kind kind = PF_SAMPLE; kind < PF_RECORD_KINDS; kind++) {
        const char *before = " (";
        if (kind == shown || top->accumulator->records[kind] == 0)
            continue;
        pf_buffer_printf(line, "%s%s", line->size > 0 ? ", " : "also here: ", pf_kind_name(kind));
        for (uint32_t i = 0; i < ledger->count; i++) {
            const struct pf_measure *measure = &ledger->sums[i].quantity.measure;
            if (measure->kind != kind)
                continue;
            pf_buffer_printf(line, "%s", before);
            pf_look_string(&top->look, measure->name, line);
            before = ", ";
        }
        pf_buffer_printf(line, "%s", before[0] == ',' ? ")" : "");
    }
    if (line->size > 0)
        pf_buffer_printf(line, "; --kind shows them");
}

/* Appends "duration 13.10s, utilisation 94.89%", if the profile has a duration. */
static void append_duration(const struct pf_top *top, const struct pf_top_block *block,
                            struct pf_buffer *line)
{
    const struct pf_scale *scale = &block->subject.whole_scale, time = {.time = true, .parts = 1};
    char text[PF_AMOUNT_TEXT], percent[PF_PERCENT_TEXT];
    pf_int128 duration = top->facts->duration, whole;

    if (duration <= 0)
        return;
    pf_buffer_printf(line, "duration %s", pf_scale_print(&time, duration, text));
    if (scale->time && !__builtin_mul_overflow(
                           duration, (pf_int128)(scale->parts > 0 ? scale->parts : 1), &whole)) {
        pf_look_percent(pf_percent(block->whole, whole), percent);
        pf_buffer_printf(line, ", utilisation %s", percent);
    }
}

/* Appends the measures of the columns: "wall", or "excl, cum incl" if flat and cumulative values
 * have different measures. */
static void append_measures(const struct pf_top_page *page, struct pf_buffer *line)
{
    const struct pf_top *top = page->top;
    const struct pf_subject *subject = &page->block->subject;
    uint32_t flat = pf_subject_flat(subject)->name, cum = pf_subject_cum(subject)->name;

    if (page->view->of_calls && !top->callers && !top->callees)
        flat = cum = subject->shown->quantity.measure.name;
    pf_look_string(&top->look, flat, line);
    if (flat == cum)
        return;
    pf_buffer_printf(line, ", cum ");
    pf_look_string(&top->look, cum, line);
}

/* True for a table with only main::RUNTIME, whose time is computed from records of another kind. */
static bool has_only_runtime(const struct pf_accumulator *accumulator, enum pf_kind kind)
{
    return accumulator->records[kind] == 0 && accumulator->file_scope;
}

static void append_line(const struct pf_top_page *page, struct pf_buffer *line)
{
    const struct pf_top *top = page->top;
    const struct pf_top_block *block = page->block;
    enum pf_kind kind = block->subject.kind;
    pf_int128 samples;
    uint64_t parts;
    size_t sections;

    append_measures(page, line);
    pf_buffer_printf(line, ": ");
    append_total(block, line);
    if (kind == PF_SAMPLE && count_samples(top, block, &samples, &parts))
        append_count(top, line, samples, parts, "sample");
    else if ((kind != PF_SAMPLE || samples == 0) && !has_only_runtime(top->accumulator, kind))
        append_count(top, line, (pf_int128)top->accumulator->records[kind], 1, "record");
    line->failed = count_sections(top, &sections) != PF_OK || line->failed;
    if (sections > 0)
        append_count(top, line, (pf_int128)sections, 1, "section");
}

int pf_top_head(const struct pf_top_page *page)
{
    const struct pf_top *top = page->top;
    struct pf_buffer line = {0}, inputs = {0}, brief = {0};
    int status = PF_NOMEM;

    append_line(page, &line);
    append_inputs(top, false, &inputs);
    append_inputs(top, true, &brief);
    if (!line.failed && !inputs.failed && !brief.failed)
        status = pf_look_headline(&top->look, pf_buffer_bytes(&line), pf_buffer_bytes(&inputs),
                                  pf_buffer_bytes(&brief));
    line.size = 0;
    append_duration(top, page->block, &line);
    if (status == PF_OK)
        status = pf_look_prose(&top->look, &line);
    line.size = 0;
    append_kinds(top, page->block->subject.kind, &line);
    if (status == PF_OK)
        status = pf_look_prose(&top->look, &line);
    pf_buffer_free(&line);
    pf_buffer_free(&inputs);
    pf_buffer_free(&brief);
    return status;
}

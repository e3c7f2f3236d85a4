#include "model/units.h"
#include "model/utf8.h"
#include "render/table/prose.h"
#include "render/table/view.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OTHERS = 8 }; /* measures that the head names */

/* The sums of the number of samples; NULL: the profile has none. */
static const struct pf_sums *samples_of(const struct pf_top *top)
{
    const struct pf_ledger *ledger = &top->accumulator->ledger;

    for (uint32_t i = 0; i < ledger->count; i++)
        if (ledger->sums[i].quantity.measure.kind == PF_SAMPLE &&
            pf_measure_is_samples(top->look.dict, &ledger->sums[i].quantity.measure))
            return &ledger->sums[i];
    return NULL;
}

/* Appends ", 1,243 samples" or ", 1 section"; `before`: words before the number, or "". */
static void append_count(const struct pf_top *top, struct pf_buffer *line, const char *before,
                         pf_int128 count, uint64_t parts, const char *noun)
{
    const struct pf_scale scale = {.parts = parts, .group = top->look.group};
    char text[PF_AMOUNT_TEXT];

    pf_buffer_printf(line, ", %s%s %s%s", before, pf_scale_print(&scale, count, text), noun,
                     count != (pf_int128)parts ? "s" : "");
}

/* True for a table with only main::RUNTIME, whose time is computed from records of another kind. */
static bool has_only_runtime(const struct pf_accumulator *accumulator, enum pf_kind kind)
{
    return accumulator->records[kind] == 0 && accumulator->file_scope;
}

/* Appends ", 1,243 samples", those of the shown measure; or the number of records, if the profile
 * does not count samples. */
static void append_samples(const struct pf_top *top, const struct pf_top_block *block,
                           struct pf_buffer *line)
{
    const struct pf_accumulator *accumulator = top->accumulator;
    enum pf_kind kind = block->subject.kind;
    const struct pf_sums *sums = kind == PF_SAMPLE ? samples_of(top) : NULL;
    struct pf_error ignored = {0};
    struct pf_scale scale = {0};
    pf_int128 samples = 0;
    bool most = false;

    if (sums) {
        pf_quantity_scale(&sums->quantity, top->look.dict, PF_UNIT_AUTO, &scale, &ignored);
        samples = pf_scale_total(
            &scale, pf_accumulator_samples(accumulator, block->subject.shown, sums, &most));
    }
    if (sums && sums != block->subject.shown)
        append_count(top, line, most ? "at most " : "", samples, scale.parts, "sample");
    else if ((kind != PF_SAMPLE || samples == 0) && !has_only_runtime(accumulator, kind))
        append_count(top, line, "", (pf_int128)accumulator->records[kind], 1, "record");
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

/* True if the block shows the sums. */
static bool shows(const struct pf_subject *subject, const struct pf_sums *sums)
{
    return sums == subject->shown || sums == subject->self || sums == subject->inclusive ||
           sums == subject->told || sums == subject->calls || sums == subject->whole;
}

/* True for a measure with values that the block does not show, of its kind and its side of a
 * difference. The head has the number of samples. */
static bool is_other(const struct pf_top *top, const struct pf_top_block *block,
                     const struct pf_sums *sums)
{
    const struct pf_measure *measure = &sums->quantity.measure;

    return !measure->runs && measure->kind == block->subject.kind && pf_sums_total(sums) != 0 &&
           measure->side == block->subject.shown->quantity.measure.side &&
           (measure->kind != PF_SAMPLE || !pf_measure_is_samples(top->look.dict, measure)) &&
           !shows(&block->subject, sums);
}

/* Appends the other measures of the shown kind: "also here: cycles, faults and 3 more". Returns
 * their number. */
static size_t append_others(const struct pf_top *top, const struct pf_top_block *block,
                            struct pf_buffer *line)
{
    const struct pf_ledger *ledger = &top->accumulator->ledger;
    size_t count = 0;

    for (uint32_t i = 0; i < ledger->count; i++) {
        if (!is_other(top, block, &ledger->sums[i]))
            continue;
        if (count++ >= MOST_OTHERS)
            continue;
        pf_buffer_printf(line, "%s", count > 1 ? ", " : "also here: ");
        pf_look_string(&top->look, ledger->sums[i].quantity.measure.name, line);
    }
    if (count > MOST_OTHERS)
        pf_buffer_printf(line, " and %zu more", count - MOST_OTHERS);
    return count;
}

/* Appends the other measures and kinds of records: "also here: depth, flat (stmts, time); -m and
 * --kind show them". */
static void append_kinds(const struct pf_top *top, const struct pf_top_block *block,
                         struct pf_buffer *line)
{
    const struct pf_ledger *ledger = &top->accumulator->ledger;
    size_t others = append_others(top, block, line);
    bool kinds = false;

    for (enum pf_kind kind = PF_SAMPLE; kind < PF_RECORD_KINDS; kind++) {
        const char *before = " (";
        if (kind == block->subject.kind || top->accumulator->records[kind] == 0)
            continue;
        kinds = true;
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
        pf_buffer_printf(line, "; %s",
                         others == 0   ? "--kind shows them"
                         : kinds       ? "-m and --kind show them"
                         : others == 1 ? "-m shows it"
                                       : "-m shows them");
}

bool pf_top_has_others(const struct pf_top *top)
{
    struct pf_buffer line = {0};

    if (top->block_count > 0)
        append_kinds(top, &top->blocks[0], &line);
    bool any = line.size > 0 || line.failed;

    pf_buffer_free(&line);
    return any;
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

static void append_line(const struct pf_top_page *page, struct pf_buffer *line)
{
    const struct pf_top *top = page->top;
    const struct pf_top_block *block = page->block;
    size_t sections;

    append_measures(page, line);
    pf_buffer_printf(line, ": ");
    append_total(block, line);
    append_samples(top, block, line);
    line->failed = count_sections(top, &sections) != PF_OK || line->failed;
    if (sections > 0)
        append_count(top, line, "", (pf_int128)sections, 1, "section");
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
    append_kinds(top, page->block, &line);
    if (status == PF_OK)
        status = pf_look_prose(&top->look, &line);
    pf_buffer_free(&line);
    pf_buffer_free(&inputs);
    pf_buffer_free(&brief);
    return status;
}

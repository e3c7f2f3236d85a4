/* The writer, of all three dialects. */
#include "format/statprofiler/statprofiler.h"

#include "base/number.h"
#include "base/scan.h"
#include "model/main_measure.h"
#include "model/stacks.h"
#include "model/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Most bytes of encoded frames that are kept. */
enum { KEPT_MAX = 1 << 30 };

/* --- weights ---------------------------------------------------------------------------------- */

/* A record becomes at most this many samples of the greatest weight. */
enum { PIECES_MAX = 65536 };

static const char *measure_name(const struct pf_writer *writer, const struct pf_measure *measure)
{
    return pf_dict_string(writer->dict, measure->name).data;
}

static void choose(struct pf_sp_weight *weight, const struct pf_writer *writer,
                   const struct pf_batch *batch)
{
    struct pf_main_choice choice = {0};
    for (uint32_t i = 0; i < batch->value_count; i++) {
        const struct pf_measure *measure =
            pf_measures_row(&writer->dict->measures, batch->values[i].measure);
        if (measure->kind == PF_SAMPLE && pf_main_offer(&choice, writer->dict, measure)) {
            weight->measure = batch->values[i].measure;
            weight->chosen = true;
        }
    }
}

/* Sets how many ticks a raw unit is: a raw unit has num/den units, a tick `unit` units. */
static bool set_ratio(struct pf_sp_weight *weight, uint64_t num, uint64_t den, uint64_t unit)
{
    uint64_t common = pf_gcd(num, den);
    num /= common;
    den /= common;
    common = pf_gcd(num, unit);
    weight->num = num / common;
    return !__builtin_mul_overflow(den, unit / common, &weight->den) && weight->den <= INT64_MAX;
}

/* Chooses the main measure of a batch, once. `plan`: the dialect. PF_OK, also if the batch has no
 * measure; PF_USAGE. */
static int weight_choose(struct pf_sp_weight *weight, struct pf_writer *writer,
                         const struct pf_batch *batch, bool plan)
{
    const char *option = pf_options_get(writer->options, "tick");
    uint64_t unit = plan ? 1 : 1000; /* nanoseconds in a unit of the header's tick */
    int64_t tick_us = 0;
    if (weight->chosen)
        return PF_OK;
    if (option &&
        !pf_parse_int(pf_bytes_of(option), 1, plan ? UINT32_MAX / 1000 : UINT32_MAX, &tick_us))
        return pf_error_set(&writer->error, PF_USAGE,
                            "tick=%s is not a number of microseconds in range", option);
    choose(weight, writer, batch);
    if (!weight->chosen)
        return PF_OK;
    const struct pf_measure *measure = pf_measures_row(&writer->dict->measures, weight->measure);
    const char *name = measure_name(writer, measure);
    uint64_t given = (uint64_t)tick_us * 1000 / unit;
    bool fits;
    if (!pf_measure_is_time(writer->dict, measure)) {
        weight->tick = given;
        fits = set_ratio(weight, measure->num, measure->den, 1);
        if (!given && !weight->without_tick &&
            !pf_bytes_equal(pf_dict_string(writer->dict, measure->unit), PF_BYTES("tick")))
            pf_report_send(&writer->report, PF_WARNING,
                           "'%s' is not a time: the tick is written as 0 (unknown); "
                           "tick=MICROSECONDS sets the tick",
                           name);
    } else {
        uint64_t whole = measure->num % measure->den == 0 ? measure->num / measure->den : 0;
        bool even = whole > 0 && whole % unit == 0 && whole / unit <= UINT32_MAX;
        weight->tick = given ? given : even ? whole / unit : 1;
        fits = set_ratio(weight, measure->num, measure->den, weight->tick * unit);
    }
    return fits ? PF_OK
                : pf_error_set(&writer->error, PF_USAGE, "the unit of '%s' is too fine for ticks",
                               name);
}

static bool counts_something(const struct pf_value_column *column, uint32_t rows)
{
    for (uint32_t row = 0; row < rows; row++)
        if (column->data[row] != 0)
            return true;
    return false;
}

/* Checks a column that is not the weight. PF_USAGE: the column should have been the weight. */
static int check_other(const struct pf_sp_weight *weight, struct pf_writer *writer,
                       const struct pf_value_column *column, uint32_t rows)
{
    const struct pf_measure *ours = pf_measures_row(&writer->dict->measures, weight->measure);
    const struct pf_measure *other = pf_measures_row(&writer->dict->measures, column->measure);
    if (pf_measure_same(ours, other) && (ours->num != other->num || ours->den != other->den))
        return pf_error_set(
            &writer->error, PF_USAGE,
            "the inputs have ticks of different lengths (%llu and %llu ns), and a StatProfiler "
            "file has one: write one file for each, or merge the inputs first",
            (unsigned long long)(ours->num / ours->den),
            (unsigned long long)(other->num / other->den));
    if (pf_measure_same(ours, other) && !pf_measure_same_period(ours, other))
        return pf_error_set(&writer->error, PF_USAGE,
                            "the inputs count '%s' with different periods, and a StatProfiler file "
                            "has none: write one file for each, or merge the inputs first",
                            measure_name(writer, ours));
    if (!pf_measure_same(ours, other) && other->main && counts_something(column, rows))
        return pf_error_set(
            &writer->error, PF_USAGE,
            "the inputs count different things ('%s' and '%s'), and a StatProfiler file holds one: "
            "write one file for each",
            measure_name(writer, ours), measure_name(writer, other));
    return PF_OK;
}

/* The column of the measure in a batch; NULL: no column, so all weights are 0. PF_USAGE: the batch
 * has the measure with another tick, or another main measure. */
static int weight_column(const struct pf_sp_weight *weight, struct pf_writer *writer,
                         const struct pf_batch *batch, const int64_t **column)
{
    int status = PF_OK;
    *column = NULL;
    for (uint32_t i = 0; i < batch->value_count && weight->chosen; i++)
        if (batch->values[i].measure == weight->measure)
            *column = batch->values[i].data;
    if (*column || !weight->chosen)
        return PF_OK;
    const struct pf_measure *ours = pf_measures_row(&writer->dict->measures, weight->measure);
    for (uint32_t i = 0; i < batch->value_count && status == PF_OK; i++) {
        status = check_other(weight, writer, &batch->values[i], batch->rows);
        if (pf_measure_same(ours,
                            pf_measures_row(&writer->dict->measures, batch->values[i].measure)))
            *column = batch->values[i].data;
    }
    return status;
}

/* The weight in ticks. PF_USAGE with the number of the record: a negative weight or a fraction of a
 * tick. */
static int weight_ticks(const struct pf_sp_weight *weight, struct pf_writer *writer,
                        uint64_t record, int64_t value, uint64_t *ticks)
{
    unsigned long long number = record;
    if (value < 0)
        return pf_error_set(
            &writer->error, PF_USAGE,
            "record %llu has the weight %lld; StatProfiler samples have no negative weights",
            number, (long long)value);
    /* records that come before any measure have no scale */
    *ticks = 0;
    if (value == 0)
        return PF_OK;
    pf_uint128 product = (pf_uint128)(uint64_t)value * weight->num;
    if (product % weight->den != 0)
        return pf_error_set(
            &writer->error, PF_USAGE,
            "record %llu: the weight of %lld raw units is not a whole number of ticks", number,
            (long long)value);
    product /= weight->den;
    if (product > (pf_uint128)PIECES_MAX * UINT32_MAX)
        return pf_error_set(&writer->error, PF_USAGE,
                            "record %llu: a weight of %lld raw units is too large", number,
                            (long long)value);
    *ticks = (uint64_t)product;
    return PF_OK;
}

/* --- records ---------------------------------------------------------------------------------- */

static struct pf_sp_field text_field(const struct pf_dict *dict, uint32_t id)
{
    return pf_sp_text(pf_dict_string(dict, id), dict->strings.rows[id].flags);
}

static enum pf_sp_length length_kind(const struct pf_sp_writer *w)
{
    return w->plan ? PF_SP_LENGTH_TRUE : PF_SP_LENGTH_PROFILER;
}

static void put_record(struct pf_sp_writer *w, unsigned tag, const struct pf_sp_field *fields,
                       size_t count)
{
    pf_sp_output_record(&w->output, tag, fields, count, length_kind(w));
}

static void put_bare(struct pf_sp_writer *w, unsigned tag)
{
    pf_sp_output_record(&w->output, tag, NULL, 0,
                        w->plan ? PF_SP_LENGTH_NONE : PF_SP_LENGTH_PROFILER);
}

/* --- header ----------------------------------------------------------------------------------- */

static void put_numbers(struct pf_sp_writer *w, unsigned tag, const uint32_t *numbers, size_t count)
{
    struct pf_sp_field fields[3];
    for (size_t i = 0; i < count; i++)
        fields[i] = pf_sp_number(numbers[i]);
    pf_sp_output_record(&w->output, tag, fields, count,
                        w->plan ? PF_SP_LENGTH_TRUE : PF_SP_LENGTH_NONE);
}

/* Turns 48 hexadecimal digits into six little-endian words, as the profiler writes them. */
static bool parse_id(const char *text, unsigned char bytes[PF_SP_ID_SIZE])
{
    memset(bytes, 0, PF_SP_ID_SIZE);
    if (strlen(text) != 2 * PF_SP_ID_SIZE)
        return false;
    for (size_t i = 0; i < 2 * PF_SP_ID_SIZE; i++) {
        int digit = pf_hex_digit(text[i]);
        if (digit < 0)
            return false;
        size_t at = i / 8 * 4 + 3 - i % 8 / 2;
        bytes[at] = (unsigned char)(bytes[at] << 4 | digit);
    }
    return true;
}

static void put_genealogy(struct pf_sp_writer *w)
{
    unsigned char words[2 * PF_SP_ID_SIZE];
    uint32_t numbers[2] = {w->header.ordinal, w->header.parent_ordinal};
    parse_id(w->header.id, words);
    parse_id(w->header.parent, words + PF_SP_ID_SIZE);
    put_numbers(w, PF_SP_GENEALOGY, numbers, 2);
    pf_sp_output_put(&w->output, words, sizeof words);
}

static void put_metadata(struct pf_writer *writer, struct pf_sp_writer *w,
                         const struct pf_sp_event *event)
{
    struct pf_sp_field fields[2] = {text_field(writer->dict, event->key),
                                    text_field(writer->dict, event->value)};
    put_record(w, PF_SP_METADATA, fields, 2);
}

static void put_header(struct pf_writer *writer, struct pf_sp_writer *w)
{
    const uint32_t tick = (uint32_t)w->weight.tick;
    if (w->header_written)
        return;
    w->header_written = true;
    if (w->text)
        return;
    put_numbers(w, PF_SP_PERL_VERSION, w->header.perl, 3);
    put_numbers(w, PF_SP_TICK, &tick, 1);
    put_numbers(w, PF_SP_DEPTH, &w->header.depth, 1);
    if (w->plan)
        put_numbers(w, PF_SP_LIBRARY_VERSION, w->header.library, 2);
    else
        put_genealogy(w);
    for (size_t i = 0; i < w->custom.count; i++)
        put_metadata(writer, w, &w->custom.rows[i]);
    pf_sp_output_record(&w->output, PF_SP_HEADER_END, NULL, 0, PF_SP_LENGTH_NONE);
    pf_sp_output_flush(&w->output);
}

/* --- metadata --------------------------------------------------------------------------------- */

static void parse_version(const char *text, uint32_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t size = strcspn(text, ".");
        int64_t number;
        if (!pf_parse_int((struct pf_bytes){text, size}, 0, UINT32_MAX, &number))
            return;
        numbers[i] = (uint32_t)number;
        text += size + (text[size] == '.');
    }
}

static void parse_number(const char *text, uint32_t *number)
{
    int64_t value;
    if (pf_parse_int(pf_bytes_of(text), 0, UINT32_MAX, &value))
        *number = (uint32_t)value;
}

static int set_process(struct pf_writer *writer, struct pf_sp_writer *w, const char *id)
{
    unsigned char bytes[PF_SP_ID_SIZE];
    if (!parse_id(id, bytes))
        return PF_OK;
    if (w->header.has_genealogy && strcmp(w->header.id, id) != 0 && !w->plan && !w->text)
        return pf_error_set(&writer->error, PF_USAGE,
                            "the inputs have several processes (%s and %s), and a StatProfiler "
                            "file has one: write one file for each",
                            w->header.id, id);
    w->header.has_genealogy = true;
    memcpy(w->header.id, id, PF_SP_ID_TEXT);
    return PF_OK;
}

/* Keeps a fact of the header of an input, unless an earlier input had it. */
static int set_fact(struct pf_writer *writer, struct pf_sp_writer *w, const char *key,
                    const char *value)
{
    unsigned char bytes[PF_SP_ID_SIZE];
    w->finish = 0;
    if (strcmp(key, "process_id") == 0)
        return set_process(writer, w, value);
    if (w->header_written)
        return PF_OK;
    if (strcmp(key, "perl_version") == 0)
        parse_version(value, w->header.perl, 3);
    else if (strcmp(key, "library_version") == 0)
        parse_version(value, w->header.library, 2);
    else if (strcmp(key, "depth") == 0)
        parse_number(value, &w->header.depth);
    else if (strcmp(key, "ordinal") == 0)
        parse_number(value, &w->header.ordinal);
    else if (strcmp(key, "parent_ordinal") == 0)
        parse_number(value, &w->header.parent_ordinal);
    else if (strcmp(key, "parent_id") == 0 && parse_id(value, bytes))
        memcpy(w->header.parent, value, PF_SP_ID_TEXT);
    return PF_OK;
}

static bool add_private(struct pf_sp_writer *w, const char *key, uint32_t value)
{
    if (strcmp(key, PF_SP_KEY_BODY) == 0)
        w->in_body = true;
    else if (strcmp(key, PF_SP_KEY_FINISH) == 0)
        w->finish = value;
    else if (strcmp(key, PF_SP_KEY_START) == 0)
        return pf_sp_events_add(&w->pending, PF_SP_EVENT_START, value, 0);
    else if (strcmp(key, PF_SP_KEY_END) == 0)
        return pf_sp_events_add(&w->pending, PF_SP_EVENT_END, value, 0);
    else if (strcmp(key, PF_SP_KEY_UNMATCHED) == 0)
        return pf_sp_events_add(&w->pending, PF_SP_EVENT_UNMATCHED, value, 0);
    return true;
}

/* The string of a row; 0 if the batch does not have the column. */
static uint32_t string_at(const uint32_t *column, uint32_t row)
{
    return column ? column[row] : 0;
}

static int write_meta(struct pf_writer *writer, struct pf_sp_writer *w,
                      const struct pf_batch *batch)
{
    for (uint32_t i = 0; i < batch->rows; i++) {
        uint32_t key = string_at(batch->key, i), value = string_at(batch->value, i);
        const char *origin = pf_dict_string(writer->dict, string_at(batch->origin, i)).data;
        const char *name = pf_dict_string(writer->dict, key).data;
        bool ok = true;
        if (strcmp(origin, PF_SP_HEADER_ORIGIN) == 0) {
            int status = set_fact(writer, w, name, pf_dict_string(writer->dict, value).data);
            if (status != PF_OK)
                return status;
        } else if (w->text) {
            w->lost_metadata = w->lost_metadata || strcmp(origin, PF_SP_CUSTOM_ORIGIN) == 0;
        } else if (strcmp(origin, PF_SP_PRIVATE) == 0) {
            ok = add_private(w, name, value);
        } else if (strcmp(origin, PF_SP_CUSTOM_ORIGIN) == 0) {
            struct pf_sp_events *list = w->header_written || w->in_body ? &w->pending : &w->custom;
            ok = pf_sp_events_add(list, PF_SP_EVENT_METADATA, key, value);
        }
        if (!ok)
            return pf_error_nomem(&writer->error);
    }
    return PF_OK;
}

/* --- sections --------------------------------------------------------------------------------- */

static void put_marks(struct pf_writer *writer, struct pf_sp_writer *w,
                      const struct pf_sp_events *events, bool marks)
{
    for (size_t i = 0; i < events->count; i++) {
        const struct pf_sp_event *event = &events->rows[i];
        if (event->type == PF_SP_EVENT_METADATA) {
            put_metadata(writer, w, event);
        } else if (marks) {
            struct pf_sp_field name = text_field(writer->dict, event->key);
            put_record(w,
                       event->type == PF_SP_EVENT_START ? PF_SP_SECTION_START : PF_SP_SECTION_END,
                       &name, 1);
        }
    }
}

/* Writes pending events and the marks that lead to the target sections: the marks of the profile if
 * they lead there (a filter may have removed samples), else marks made from the labels. `free_end`:
 * any sections may be open afterwards. */
static bool put_pending(struct pf_writer *writer, struct pf_sp_writer *w, bool free_end)
{
    struct pf_sp_events marks = {0};
    bool ok = pf_sp_open_copy(&w->trial, &w->open);
    bool fits = ok && pf_sp_events_apply(&w->pending, &w->trial);
    if (fits && !free_end)
        fits = pf_sp_open_equal(&w->trial, &w->target);
    put_marks(writer, w, &w->pending, fits);
    w->pending.count = 0;
    if (fits)
        return pf_sp_open_copy(&w->open, &w->trial);
    ok = ok && pf_sp_events_derive(&w->open, &w->target, &marks);
    put_marks(writer, w, &marks, true);
    pf_sp_events_free(&marks);
    return ok && pf_sp_open_copy(&w->open, &w->target);
}

/* Sets sections and op from a set of labels and reports other labels. */
static bool set_labels(struct pf_writer *writer, struct pf_sp_writer *w, uint32_t labels)
{
    const struct pf_dict *dict = writer->dict;
    w->labels = labels;
    w->op = 0;
    w->target.count = 0;
    for (; labels; labels = pf_dict_label(dict, labels)->parent) {
        const struct pf_label *label = pf_dict_label(dict, labels);
        if (label->key == dict->section_key && !label->numeric && !w->text) {
            if (!pf_sp_open_start(&w->target, label->text))
                return false;
        } else if (label->key == w->op_key && !label->numeric && w->op == 0) {
            w->op = label->text;
        } else if (pf_leave_name(writer, PF_LEFT_LABELS, label->key) != PF_OK) {
            return false;
        }
    }
    for (size_t i = 0, j = w->target.count; i + 1 < j; i++) {
        uint32_t name = w->target.names[i];
        w->target.names[i] = w->target.names[--j];
        w->target.names[j] = name;
    }
    return true;
}

/* --- frames ----------------------------------------------------------------------------------- */

/* A line as the file stores it: 32 bits, signed. */
static uint32_t line_number(int64_t line)
{
    return line >= INT32_MIN && line <= INT32_MAX ? (uint32_t)line : 0;
}

/* Sets the error of a name that the text form cannot hold. */
static bool refuse_name(struct pf_writer *writer, const char *what, struct pf_bytes name)
{
    pf_error_set(&writer->error, PF_USAGE,
                 "%s '%s' has characters that separate fields in StatProfiler's text form, which "
                 "has no quoting",
                 what, pf_clip(name).text);
    return false;
}

/* Writes a frame of the text form. False: no memory, or the error is set. */
static bool put_line_frame(struct pf_writer *writer, struct pf_sp_writer *w, uint32_t id)
{
    const struct pf_dict *dict = writer->dict;
    const struct pf_location *location = pf_dict_location(dict, id);
    char scratch[32];
    struct pf_sp_line_frame frame = {
        .type = PF_SP_TYPE_SUB,
        .file = pf_dict_string(dict, pf_dict_function(dict, location->function)->file),
        .line = (int32_t)line_number(location->line),
    };

    if (location->kind == PF_FRAME_EVAL)
        frame.type = PF_SP_TYPE_EVAL;
    else if (location->kind == PF_FRAME_MAIN)
        frame.type = PF_SP_TYPE_MAIN;
    else
        frame.name = pf_dict_frame_name(dict, id, scratch);
    if (location->kind == PF_FRAME_XSUB) {
        frame.file = PF_BYTES("");
        frame.line = -1;
    }
    w->line.size = 0;
    if (!pf_sp_lines_put_frame(&w->line, &frame))
        return refuse_name(writer, "the frame",
                           (struct pf_bytes){w->line.data + 1, w->line.size - 1});
    pf_sp_output_put(&w->output, w->line.data, w->line.size);
    return !w->line.failed;
}

/* Splits the name of a function: the sub is the system name if the name ends with it, else the part
 * behind the last ::. */
static void split_name(const struct pf_dict *dict, const struct pf_function *function,
                       struct pf_bytes name, bool sub, struct pf_sp_field fields[2])
{
    struct pf_bytes system = pf_dict_string(dict, sub ? function->system_name : 0);
    unsigned flags = dict->strings.rows[function->name].flags;
    size_t start = system.size > 0 && pf_bytes_ends(name, system) ? name.size - system.size
                                                                  : pf_sp_sub_start(name);
    struct pf_bytes package = {name.data, start >= 2 ? start - 2 : 0};
    fields[0] = pf_sp_text(package, pf_ascii(package) ? 0 : flags);
    struct pf_bytes last = pf_bytes_skip(name, start);
    fields[1] = pf_sp_text(last, pf_ascii(last) ? 0 : flags);
}

/* Writes a frame of the dialect "plan", which has only one kind of frame. The name of a frame is
 * one string, or package and sub. The fields are package, sub, file, line; field 0 is the whole
 * name if names are whole. */
static void put_plan_frame(struct pf_sp_writer *w, struct pf_sp_field *fields)
{
    if (w->whole_names)
        fields[1] = fields[0];
    put_record(w, PF_SP_SUB, fields + w->whole_names, 4 - (size_t)w->whole_names);
}

static bool put_frame(struct pf_writer *writer, struct pf_sp_writer *w, uint32_t id)
{
    const struct pf_dict *dict = writer->dict;
    const struct pf_location *location = pf_dict_location(dict, id);
    const struct pf_function *function = pf_dict_function(dict, location->function);
    bool scope = location->kind == PF_FRAME_EVAL || location->kind == PF_FRAME_MAIN;
    bool sub = location->kind == PF_FRAME_SUB, xsub = location->kind == PF_FRAME_XSUB;
    int64_t first = sub || function->start_line != 0 ? function->start_line : -1;
    char scratch[32];
    struct pf_sp_field fields[5];

    if (w->text)
        return put_line_frame(writer, w, id);
    fields[0] = fields[1] = pf_sp_text(PF_BYTES(""), 0);
    /* A sub may have no name, but in "plan" a frame without a name is a main program. */
    if (!scope && w->plan && w->whole_names)
        fields[0] = pf_sp_text(pf_dict_frame_name(dict, id, scratch),
                               dict->strings.rows[function->name].flags);
    else if (!scope && (function->name != 0 || w->plan || !(sub || xsub)))
        split_name(dict, function, pf_dict_frame_name(dict, id, scratch), sub || xsub, fields);
    fields[2] = text_field(dict, xsub ? 0 : function->file);
    fields[3] = pf_sp_number(line_number(xsub ? -1 : location->line));
    fields[4] = pf_sp_number(line_number(first));
    if (w->plan)
        put_plan_frame(w, fields);
    else if (scope)
        put_record(w, location->kind == PF_FRAME_EVAL ? PF_SP_EVAL : PF_SP_MAIN, fields + 2, 2);
    else if (xsub)
        put_record(w, PF_SP_XSUB, fields, 2);
    else
        put_record(w, PF_SP_SUB, fields, 5);
    return true;
}

/* Writes a frame, and keeps its bytes, because they are the same each time. */
static bool put_frame_again(struct pf_writer *writer, struct pf_sp_writer *w, uint32_t id)
{
    if (id >= w->frame_count && !pf_grow_zeroed(&w->frames, &w->frame_count, &w->frame_capacity,
                                                writer->dict->locations.count, sizeof *w->frames))
        return false;
    struct pf_sp_encoded *frame = &w->frames[id];
    if (frame->size == 0 && w->encoded.size < KEPT_MAX) {
        size_t start = w->encoded.size;
        w->output.capture = &w->encoded;
        bool ok = put_frame(writer, w, id);
        w->output.capture = NULL;
        if (!ok || w->encoded.failed)
            return false;
        if (w->encoded.size - start <= PF_SP_BLOCK_MAX)
            *frame = (struct pf_sp_encoded){(uint32_t)(w->encoded.size - start), (uint32_t)start};
        else
            w->encoded.size = start;
    }
    if (frame->size == 0)
        return put_frame(writer, w, id);
    pf_sp_output_put(&w->output, w->encoded.data + frame->start, frame->size);
    return true;
}

/* --- samples ---------------------------------------------------------------------------------- */

static bool put_frames(struct pf_writer *writer, struct pf_sp_writer *w, uint32_t stack)
{
    for (; stack; stack = pf_dict_stack(writer->dict, stack)->parent)
        if (!put_frame_again(writer, w, pf_dict_stack(writer->dict, stack)->location))
            return false;
    return true;
}

/* Writes a line `weight;frames;op`. */
static bool put_line(struct pf_writer *writer, struct pf_sp_writer *w, uint32_t stack,
                     uint64_t weight)
{
    struct pf_bytes op = pf_dict_string(writer->dict, w->op);
    char text[24];
    int size = snprintf(text, sizeof text, "%llu", (unsigned long long)weight);

    if (!pf_sp_lines_op_fits(op))
        return refuse_name(writer, "the op", op);
    pf_sp_output_put(&w->output, text, (size_t)size);
    if (!put_frames(writer, w, stack))
        return false;
    pf_sp_output_put(&w->output, ";", 1);
    pf_sp_output_put(&w->output, op.data, op.size);
    pf_sp_output_put(&w->output, "\n", 1);
    return true;
}

static bool put_sample(struct pf_writer *writer, struct pf_sp_writer *w, uint32_t stack,
                       uint32_t weight)
{
    const struct pf_dict *dict = writer->dict;
    struct pf_sp_field fields[3] = {pf_sp_number(weight)};
    size_t count = 1;
    if (w->plan)
        fields[count++] = pf_sp_number(pf_stack_depth(dict, stack));
    fields[count++] = text_field(dict, w->op);
    put_record(w, PF_SP_SAMPLE_START, fields, count);
    if (!put_frames(writer, w, stack))
        return false;
    put_bare(w, PF_SP_SAMPLE_END);
    return true;
}

static int write_row(struct pf_writer *writer, struct pf_sp_writer *w, uint32_t stack,
                     uint32_t labels, int64_t value)
{
    uint64_t ticks;
    int status = weight_ticks(&w->weight, writer, ++w->records, value, &ticks);
    if (status != PF_OK)
        return status;
    bool ok = labels == w->labels || set_labels(writer, w, labels);
    if (ok && w->text)
        return put_line(writer, w, stack, ticks) ? PF_OK : pf_error_nomem(&writer->error);
    if (ok && (w->pending.count > 0 || !pf_sp_open_equal(&w->open, &w->target)))
        ok = put_pending(writer, w, false);
    w->finish = 0;
    for (; ok && ticks > UINT32_MAX; ticks -= UINT32_MAX)
        ok = put_sample(writer, w, stack, UINT32_MAX);
    return ok && put_sample(writer, w, stack, (uint32_t)ticks) ? PF_OK
                                                               : pf_error_nomem(&writer->error);
}

/* True if a column may be left out without a warning: the weight, or a number of samples that is 1
 * in each record. */
static bool is_implied(const struct pf_writer *writer, struct pf_sp_writer *w,
                       const struct pf_value_column *column, uint32_t rows)
{
    const struct pf_measures *measures = &writer->dict->measures;
    const struct pf_measure *measure = pf_measures_row(measures, column->measure);
    if (w->weight.chosen && pf_measure_same(measure, pf_measures_row(measures, w->weight.measure)))
        return true;
    bool counts = measure->role == PF_COUNT &&
                  pf_bytes_equal(pf_dict_string(writer->dict, measure->name), PF_BYTES("samples"));
    for (uint32_t row = 0; row < rows && counts; row++)
        if (column->data[row] < 0 || column->data[row] > 1)
            w->lost_counts = true;
    return counts;
}

static int note_measures(struct pf_writer *writer, struct pf_sp_writer *w,
                         const struct pf_batch *batch)
{
    int status = PF_OK;

    for (uint32_t i = 0; status == PF_OK && i < batch->value_count; i++)
        if (!is_implied(writer, w, &batch->values[i], batch->rows))
            status = pf_leave_measure(writer, batch->values[i].measure);
    return status;
}

static int write_samples(struct pf_writer *writer, struct pf_sp_writer *w,
                         const struct pf_batch *batch)
{
    const int64_t *values;
    int status = weight_choose(&w->weight, writer, batch, w->plan);
    if (status != PF_OK || batch->rows == 0)
        return status;
    status = weight_column(&w->weight, writer, batch, &values);
    put_header(writer, w);
    if (status == PF_OK)
        status = note_measures(writer, w, batch);
    for (uint32_t row = 0; row < batch->rows && status == PF_OK; row++)
        status = write_row(writer, w, string_at(batch->stack, row), string_at(batch->labels, row),
                           values ? values[row] : 0);
    return status;
}

/* --- sources ---------------------------------------------------------------------------------- */

/* Reads the number of a name "(eval NUMBER)". False: another name. */
static bool eval_number(struct pf_bytes name, uint32_t *number)
{
    char text[32];
    int64_t value;
    if (name.size < 8 || memcmp(name.data, "(eval ", 6) != 0 ||
        !pf_parse_int((struct pf_bytes){name.data + 6, name.size - 7}, 0, UINT32_MAX, &value))
        return false;
    *number = (uint32_t)value;
    int size = snprintf(text, sizeof text, "(eval %lu)", (unsigned long)*number);
    return pf_bytes_equal(name, (struct pf_bytes){text, (size_t)size});
}

static void write_texts(struct pf_writer *writer, struct pf_sp_writer *w,
                        const struct pf_batch *batch)
{
    for (uint32_t i = 0; i < batch->rows; i++) {
        const struct pf_text *text = &batch->texts[i];
        struct pf_sp_field fields[2] = {pf_sp_text(text->text, text->text_flags)};
        uint32_t number;
        if (w->plan || w->text || text->line != 0) {
            w->lost_texts = true;
            continue;
        }
        put_header(writer, w);
        if (eval_number(text->name, &number)) {
            fields[1] = pf_sp_number(number);
            put_record(w, PF_SP_EVAL_NUMBER, fields, 2);
        } else {
            /* Readers since release 0.40 do not know the tag: they find the next record by the
             * length. */
            fields[1] = pf_sp_text(text->name, text->name_flags);
            pf_sp_output_record(&w->output, PF_SP_EVAL_STRING, fields, 2, PF_SP_LENGTH_TRUE);
        }
    }
}

/* --- from the outside ------------------------------------------------------------------------- */

int pf_sp_writer_open(struct pf_writer *writer)
{
    struct pf_sp_writer *w = writer->state;
    const char *dialect = pf_options_get(writer->options, "dialect");
    const char *names = pf_options_get(writer->options, "names");

    w->plan = dialect && strcmp(dialect, "plan") == 0;
    w->text = dialect && strcmp(dialect, "text") == 0;
    w->weight.without_tick = w->text;
    w->whole_names = !names || strcmp(names, "whole") == 0;
    if (names && !w->plan)
        return pf_error_set(&writer->error, PF_USAGE, "statprofiler:names needs dialect=plan");
    w->header.ordinal = 1;
    w->op_key = pf_dict_intern(writer->dict, PF_BYTES("op"), 0);
    if (w->text)
        w->output.sink = writer->sink; /* no magic */
    else
        pf_sp_output_open(&w->output, writer->sink, !w->plan && writer->compression != 0);
    return pf_sink_status(writer->sink, &writer->error);
}

int pf_sp_writer_write(struct pf_writer *writer, const struct pf_batch *batch)
{
    struct pf_sp_writer *w = writer->state;
    int status = PF_OK;
    if (batch->kind == PF_SAMPLE)
        status = write_samples(writer, w, batch);
    else if (batch->kind == PF_META)
        status = write_meta(writer, w, batch);
    else if (batch->kind == PF_TEXT)
        write_texts(writer, w, batch);
    return status == PF_OK ? pf_sink_status(writer->sink, &writer->error) : status;
}

static void report_losses(struct pf_writer *writer, struct pf_sp_writer *w)
{
    writer->left_out.of_samples = true;
    if (w->weight.chosen)
        pf_held_measures_add(&writer->measures,
                             pf_measures_row(&writer->dict->measures, w->weight.measure));
    if (w->lost_counts)
        pf_report_send(&writer->report, PF_WARNING,
                       "a record of several samples is one sample in a StatProfiler file: the "
                       "number of samples is left out");
    if (w->text &&
        (w->header.has_genealogy || w->lost_metadata || w->lost_texts || w->weight.tick > 0))
        pf_report_send(&writer->report, PF_WARNING,
                       "the text form has no place for%s%s%s%s first lines, evals under another "
                       "name: left out",
                       w->weight.tick > 0
                           ? " the length of a tick (-f statprofiler:tick=MICROSECONDS gives it),"
                           : "",
                       w->header.has_genealogy ? " process and ordinal," : "",
                       w->lost_metadata ? " metadata," : "", w->lost_texts ? " eval sources," : "");
    else if (w->lost_texts && !w->plan)
        pf_report_send(&writer->report, PF_WARNING,
                       "StatProfiler files hold sources of evals only: others are left out");
    if (w->plan && (w->lost_texts || w->header.has_genealogy))
        pf_report_send(&writer->report, PF_WARNING,
                       "the plan's dialect has no place for first lines, evals under another "
                       "name%s%s: left out",
                       w->lost_texts ? ", eval sources" : "",
                       w->header.has_genealogy ? ", process and ordinal" : "");
}

static void put_end(struct pf_writer *writer, struct pf_sp_writer *w)
{
    struct pf_bytes finish = pf_dict_string(writer->dict, w->finish);
    if (w->text || pf_bytes_equal(finish, PF_BYTES(PF_SP_FINISH_NONE)))
        return;
    if (w->plan)
        put_bare(w, PF_SP_HEADER_END);
    else
        put_bare(w, pf_bytes_equal(finish, PF_BYTES(PF_SP_FINISH_FILE)) ? PF_SP_FILE_END
                                                                        : PF_SP_STREAM_END);
}

int pf_sp_writer_flush(struct pf_writer *writer)
{
    struct pf_sp_writer *w = writer->state;

    if (!writer->sink->live)
        return PF_OK;
    pf_sp_output_flush(&w->output);
    return pf_sink_flush(writer->sink);
}

int pf_sp_writer_finish(struct pf_writer *writer)
{
    struct pf_sp_writer *w = writer->state;
    put_header(writer, w);
    w->target.count = 0;
    bool ok = put_pending(writer, w, true);
    /* If the input says how its file ends, open sections stay open. A failed input has no end. */
    if (ok && w->finish == 0 && !writer->failed_input)
        ok = put_pending(writer, w, false);
    if (!writer->failed_input)
        put_end(writer, w);
    pf_sp_output_flush(&w->output);
    report_losses(writer, w);
    return ok ? pf_sink_status(writer->sink, &writer->error) : pf_error_nomem(&writer->error);
}

void pf_sp_writer_close(struct pf_writer *writer)
{
    struct pf_sp_writer *w = writer->state;
    pf_sp_events_free(&w->custom);
    pf_sp_events_free(&w->pending);
    pf_sp_open_free(&w->open);
    pf_sp_open_free(&w->target);
    pf_sp_open_free(&w->trial);
    free(w->frames);
    pf_buffer_free(&w->line);
    pf_buffer_free(&w->encoded);
}

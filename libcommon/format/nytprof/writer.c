/* The writer of NYTProf streams: records become statements, callers and returns; private rows of
 * metadata become records again. */
#include "format/nytprof/writer.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/scan.h"
#include "model/units.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* --- measures --------------------------------------------------------------------------------- */

enum { SLOTS = 5 };

/* A field of records of one kind. The measure with this name fills the field; without such a
 * measure, and if `any` is set, another measure with the same role. */
struct slot {
    const char *name;
    enum pf_role role;
    enum pf_aggregation aggregation;
    bool time, any;
};

static const struct slot FLAT_SLOTS[] = {{"stmts", PF_COUNT, PF_SUM, false, true},
                                         {"time", PF_SELF, PF_SUM, true, true}};
static const struct slot EDGE_SLOTS[] = {{"incl", PF_INCLUSIVE, PF_SUM, true, true},
                                         {"excl", PF_SELF, PF_SUM, true, true},
                                         {"reci", PF_INCLUSIVE, PF_SUM, true, false},
                                         {"calls", PF_COUNT, PF_SUM, false, true},
                                         {"depth", PF_COUNT, PF_MAX, false, false}};
static const struct slot SAMPLE_SLOTS[] = {{"calls", PF_COUNT, PF_SUM, false, false},
                                           {"excl", PF_SELF, PF_SUM, true, true},
                                           {"samples", PF_COUNT, PF_SUM, false, false}};
enum { FLAT_COUNT, FLAT_TIME };
enum { EDGE_TIMES, EDGE_CALLS = 3, EDGE_DEPTH };
enum { SAMPLE_CALLS, SAMPLE_SELF, SAMPLE_HITS };

/* Columns of a batch by slot. */
struct columns {
    const struct slot *slots;
    size_t count;
    uint32_t chosen[SLOTS]; /* column + 1; 0: no column */
    const int64_t *data[SLOTS];
    struct pf_nyt_time time[SLOTS];
    /* columns that readers compute from other records: not written; NULL: no column */
    const int64_t *derived[2];
};

static bool fits(const struct pf_dict *dict, const struct pf_measure *measure,
                 const struct slot *slot, struct pf_nyt_time *time)
{
    if (measure->role != slot->role || measure->aggregation != slot->aggregation)
        return false;
    return slot->time ? pf_nyt_time_of(dict, measure, time)
                      : pf_measure_is_count(dict, measure) && measure->num == measure->den;
}

static bool is_chosen(const struct columns *columns, uint32_t column)
{
    for (size_t k = 0; k < columns->count; k++)
        if (columns->chosen[k] == column + 1)
            return true;
    return false;
}

/* True for the times of blocks and subs: a reader computes them from the statements. */
static bool is_derived_measure(const struct pf_dict *dict, const struct pf_measure *measure)
{
    struct pf_bytes name = pf_dict_string(dict, measure->name);
    return pf_bytes_equal(name, PF_BYTES("block_time")) ||
           pf_bytes_equal(name, PF_BYTES("sub_time"));
}

static void choose_slots(const struct pf_dict *dict, const struct pf_batch *batch,
                         struct columns *columns)
{
    for (unsigned pass = 0; pass < 2; pass++) {
        for (size_t s = 0; s < columns->count; s++) {
            const struct slot *slot = &columns->slots[s];
            columns->time[s] = columns->chosen[s] ? columns->time[s]
                                                  : (struct pf_nyt_time){1, 0, 1};
            for (uint32_t k = 0; k < batch->value_count && columns->chosen[s] == 0; k++) {
                const struct pf_measure *measure =
                    pf_measures_row(&dict->measures, batch->values[k].measure);
                bool named =
                    pf_bytes_equal(pf_dict_string(dict, measure->name), pf_bytes_of(slot->name));
                if ((pass == 0 ? !named : !slot->any) || is_chosen(columns, k) ||
                    is_derived_measure(dict, measure) ||
                    !fits(dict, measure, slot, &columns->time[s]))
                    continue;
                columns->chosen[s] = k + 1;
                columns->data[s] = batch->values[k].data;
            }
        }
    }
}

static int64_t slot_value(const struct columns *columns, size_t slot, uint32_t row)
{
    return columns->data[slot] ? columns->data[slot][row] : 0;
}

static int leave_measure(struct pf_writer *writer, uint32_t measure)
{
    const struct pf_measure *row = pf_measures_row(&writer->dict->measures, measure);

    if (row->num != row->den && pf_measure_is_count(writer->dict, row))
        return pf_leave_name(writer, PF_LEFT_FRACTIONS, row->name);
    return pf_leave_measure(writer, measure);
}

static bool has_line(const struct pf_dict *dict, uint32_t location)
{
    const struct pf_location *place = pf_dict_location(dict, location);
    return pf_dict_function(dict, place->function)->file != 0 && place->line != 0;
}

/* Chooses the columns to write and reports the others. PF_OK; PF_EOF: all columns are computed from
 * other records; PF_USAGE: the format has no place for any column. */
static int choose_columns(struct pf_writer *writer, const struct pf_batch *batch,
                          struct columns *columns)
{
    const struct pf_nyt_writer *w = writer->state;
    bool any = false;
    size_t derived = 0;
    choose_slots(writer->dict, batch, columns);
    for (size_t s = 0; s < columns->count; s++)
        any |= columns->chosen[s] != 0 && columns->slots[s].name != SAMPLE_SLOTS[SAMPLE_HITS].name;
    for (uint32_t k = 0; k < batch->value_count && derived < 2; k++)
        if (is_derived_measure(writer->dict,
                               pf_measures_row(&writer->dict->measures, batch->values[k].measure)))
            columns->derived[derived++] = batch->values[k].data;
    if (!any && derived > 0)
        return PF_EOF;
    for (uint32_t k = 0; any && k < batch->value_count; k++) {
        uint32_t measure = batch->values[k].measure;
        const struct pf_measure *row = pf_measures_row(&writer->dict->measures, measure);
        if (!is_chosen(columns, k) && !is_derived_measure(writer->dict, row) &&
            !pf_callers_told(w->callers, row) && leave_measure(writer, measure) != PF_OK)
            return writer->error.code;
    }
    if (any)
        return PF_OK;
    const struct pf_measure *first =
        pf_measures_row(&writer->dict->measures, batch->values[0].measure);
    uint32_t name = first->name;
    if (pf_measure_is_count(writer->dict, first) && first->num != first->den)
        return pf_error_set(&writer->error, PF_USAGE,
                            "nytprof has a record for each statement and call; '%s' is not counted "
                            "in whole numbers",
                            pf_dict_string(writer->dict, name).data);
    return pf_error_set(
        &writer->error, PF_USAGE,
        "nytprof holds times and counts of lines and calls of subs; '%s' is neither%s",
        pf_dict_string(writer->dict, name).data,
        batch->kind == PF_FLAT && batch->location && !has_line(writer->dict, batch->location[0])
            ? ", and the records have no lines"
            : "");
}

/* --- places ----------------------------------------------------------------------------------- */

struct labels {
    uint32_t fid, block, sub;
};

/* The member of `labels` for a label; NULL: the format has no place for the label. */
static uint32_t *member_of(const struct pf_nyt_writer *w, struct labels *labels,
                           const struct pf_label *label)
{
    if (!label->numeric || label->number < 0 || label->number > UINT32_MAX)
        return NULL;
    return label->key == w->fid_key     ? &labels->fid
           : label->key == w->block_key ? &labels->block
           : label->key == w->sub_key   ? &labels->sub
                                        : NULL;
}

bool pf_nyt_writer_holds_label(struct pf_writer *writer, const struct pf_label *label)
{
    struct labels labels;
    return member_of(writer->state, &labels, label);
}

static struct labels read_labels(struct pf_writer *writer, const struct pf_batch *batch,
                                 uint32_t row)
{
    struct labels labels = {0};
    for (uint32_t id = batch->labels ? batch->labels[row] : 0, parent; id != 0; id = parent) {
        const struct pf_label *label = pf_dict_label(writer->dict, id);
        uint32_t *to = member_of(writer->state, &labels, label);
        if (to)
            *to = (uint32_t)label->number;
        parent = label->parent;
    }
    return labels;
}

/* True if nothing in the current input says that it was a NYTProf file. */
static bool is_foreign(const struct pf_nyt_writer *w)
{
    return !w->own && !w->header.attributed;
}

struct caller {
    uint32_t fid, line, caller, callee;
    int64_t calls, depth, values[3]; /* inclusive, exclusive, recursive */
};

/* Sets the file, the line and the sub of a call. Unknown parts get names, because programs that
 * read the file need them. */
static int find_caller(struct pf_writer *writer, uint32_t location, uint32_t label,
                       struct caller *caller)
{
    struct pf_nyt_writer *w = writer->state;
    const struct pf_location *place = pf_dict_location(writer->dict, location);
    uint32_t file = pf_dict_function(writer->dict, place->function)->file;
    caller->caller = location == 0 && is_foreign(w)
                         ? pf_dict_intern(writer->dict, PF_BYTES("main::RUNTIME"), 0)
                         : pf_nyt_sub_name(writer->dict, location);
    int status = pf_nyt_writer_fid(
        writer, file == 0 && label == 0 && is_foreign(w) ? w->unknown : file, label, &caller->fid);
    return status == PF_OK ? pf_nyt_writer_line(writer, place->line, &caller->line) : status;
}

/* --- records ---------------------------------------------------------------------------------- */

/* Chooses the ticks per second for a time and writes `ticks_per_sec` if it changes. Returns it; 0:
 * unknown. */
static uint64_t set_rate(struct pf_writer *writer, const struct pf_nyt_time *time, bool fractions)
{
    struct pf_nyt_writer *w = writer->state;
    uint64_t rate = pf_nyt_time_rate(time, w->header.rate, fractions);
    if (rate != w->header.rate && rate != 0)
        pf_nyt_header_rate(&w->header, rate);
    return rate;
}

static const char *name_at(struct pf_writer *writer, uint32_t name)
{
    return pf_dict_string(writer->dict, name).data;
}

/* Each statement and call becomes a record. In NYTProf's own files each was a record before; in
 * other formats a few bytes can claim any number. A native stream can claim that it was made from a
 * NYTProf file, so profiles of NYTProf have a limit too. */
static int check_limit(struct pf_writer *writer, uint64_t count)
{
    struct pf_nyt_writer *w = writer->state;
    uint64_t limit = is_foreign(w) ? w->limit : w->own_limit;
    if (count <= limit && w->wanted <= limit - count) {
        w->wanted += count;
        return PF_OK;
    }
    return pf_error_set(&writer->error, PF_USAGE,
                        "nytprof has a record for each statement and call: this profile needs too "
                        "many (-t nytprof:limit=N allows N)");
}

static size_t make_statement(unsigned char *p, const struct pf_nyt_statement *statement,
                             int64_t ticks, bool counted)
{
    unsigned char *start = p;
    bool blocks = statement->block != 0 || statement->sub != 0;
    if (!counted)
        *p++ = PF_NYT_DISCOUNT;
    *p++ = blocks ? PF_NYT_TIME_BLOCK : PF_NYT_TIME_LINE;
    p = pf_nyt_put_varint(p, (uint32_t)ticks);
    p = pf_nyt_put_varint(pf_nyt_put_varint(p, statement->fid), statement->line);
    if (blocks)
        p = pf_nyt_put_varint(pf_nyt_put_varint(p, statement->block), statement->sub);
    return (size_t)(p - start);
}

static int write_statement(struct pf_writer *writer, const struct pf_nyt_statement *statement,
                           const struct pf_nyt_time *time)
{
    /* A record holds 2^31 ticks. Up to this many records are added to hold the time of a line: 80
     * days in the usual ticks of 100 ns. */
    enum { TIME_RECORDS = 1 << 15 };
    struct pf_nyt_writer *w = writer->state;
    unsigned char record[1 + PF_NYT_STATEMENT_MAX];
    bool rounded = false;
    int64_t ticks, count = statement->count;
    uint64_t rate = set_rate(writer, time, false);
    if (count < 0 || count > UINT32_MAX)
        return pf_error_set(&writer->error, count < 0 ? PF_USAGE : PF_OVERFLOW,
                            "nytprof has a record for each statement; line %" PRIu32
                            " of file %" PRIu32 " would have %" PRId64,
                            statement->line, statement->fid, count);
    if (check_limit(writer, (uint64_t)count) != PF_OK)
        return writer->error.code;
    if (!pf_nyt_time_ticks(time, rate, statement->value, &ticks, &rounded))
        return pf_error_set(&writer->error, PF_OVERFLOW,
                            "the time of line %" PRIu32 " of file %" PRIu32
                            " overflows 64 bits of ticks",
                            statement->line, statement->fid);
    if (rounded && !w->rounded)
        pf_report_send(&writer->report, PF_WARNING, "times are rounded to nanoseconds");
    w->rounded |= rounded;
    w->seconds += rate ? (double)ticks / (double)rate : 0;
    if ((ticks < 0 ? -(uint64_t)ticks : (uint64_t)ticks) >> 31 > (uint64_t)count + TIME_RECORDS)
        return pf_error_set(&writer->error, PF_OVERFLOW,
                            "%" PRId64 " ticks in %" PRId64 " statements of line %" PRIu32
                            " of file %" PRIu32 ": nytprof holds at most 2^31 in each",
                            ticks, count, statement->line, statement->fid);
    w->statements += (uint64_t)count;
    for (bool first = true; first || ticks != 0; first = false) {
        int64_t part = ticks > INT32_MAX ? INT32_MAX : ticks < INT32_MIN ? INT32_MIN : ticks;
        pf_nyt_out_bytes(&w->out, record, make_statement(record, statement, part, count > 0));
        w->discounts += count == 0;
        count -= count > 0;
        ticks -= part;
    }
    pf_nyt_out_repeat(&w->out, record, make_statement(record, statement, 0, true), (uint64_t)count);
    w->last = *statement;
    w->stated = true;
    return PF_OK;
}

/* Adds discounted records without time until the output has as many as the input. Inputs hardly
 * have more of them than statements, because such a record has time of a statement that another
 * record counts, or no record: so the number to add is limited. */
static void write_discounts(struct pf_writer *writer)
{
    enum { MORE_MAX = 65536 };
    struct pf_nyt_writer *w = writer->state;
    unsigned char record[1 + PF_NYT_STATEMENT_MAX];
    if (!w->stated || w->discounts >= w->discounts_wanted)
        return;
    uint64_t more = w->discounts_wanted - w->discounts;
    more = more < w->statements + MORE_MAX ? more : w->statements + MORE_MAX;
    pf_nyt_out_repeat(&w->out, record, make_statement(record, &w->last, 0, false), more);
    w->discounts = w->discounts_wanted;
}

static int check_caller(struct pf_writer *writer, const struct caller *caller, uint64_t records)
{
    if (caller->calls < 0 || caller->depth < 0 || caller->depth > UINT32_MAX)
        return pf_error_set(&writer->error, PF_USAGE,
                            "%" PRId64 " calls of '%.100s' to a depth of %" PRId64
                            ": nytprof holds 0 to 2^32-1",
                            caller->calls, name_at(writer, caller->callee), caller->depth);
    if (caller->fid == 0 && caller->line == 0 && (uint64_t)caller->calls < records)
        return pf_error_set(&writer->error, PF_USAGE,
                            "a time of '%.100s' without a number of calls or a place of its "
                            "caller: in nytprof such a record has another meaning",
                            name_at(writer, caller->callee));
    if (records > UINT16_MAX)
        return pf_error_set(&writer->error, PF_OVERFLOW,
                            "calls of '%.100s' are too many for nytprof",
                            name_at(writer, caller->callee));
    return PF_OK;
}

static int write_caller(struct pf_writer *writer, const struct caller *caller,
                        const struct pf_nyt_time times[3])
{
    struct pf_nyt_writer *w = writer->state;
    int64_t left = caller->calls, values[3];
    uint64_t records = ((uint64_t)caller->calls + UINT32_MAX - 1) / UINT32_MAX;
    memcpy(values, caller->values, sizeof values);
    for (int k = 0; k < 3; k++)
        records = records > pf_nyt_time_parts(values[k]) ? records : pf_nyt_time_parts(values[k]);
    records = records > 0 ? records : 1;
    if (caller->calls == 0 && !values[0] && !values[1] && !values[2] && caller->fid == 0 &&
        caller->line == 0)
        return PF_OK;
    if (check_caller(writer, caller, records) != PF_OK)
        return writer->error.code;
    for (; records > 0; records--) {
        /* Leaves a call for each later record: a record without calls and place would mark a sub as
         * written in C. */
        int64_t now = left - (int64_t)records + 1;
        now = now < 0 ? 0 : now > UINT32_MAX ? UINT32_MAX : now;
        now = records == 1 || left < (int64_t)records ? (left > UINT32_MAX ? UINT32_MAX : left)
                                                      : now;
        const uint32_t place[] = {caller->fid, caller->line};
        pf_nyt_out_numbers(&w->out, PF_NYT_SUB_CALLERS, place, 2);
        pf_nyt_write_name(writer, caller->caller);
        pf_nyt_out_number(&w->out, (uint32_t)now);
        for (int k = 0; k < 3; k++)
            pf_nyt_out_nv(&w->out, pf_nyt_time_seconds(&times[k], pf_nyt_time_part(&values[k])));
        pf_nyt_out_number(&w->out, (uint32_t)caller->depth);
        pf_nyt_write_name(writer, caller->callee);
        left -= now;
    }
    return PF_OK;
}

/* --- rows ------------------------------------------------------------------------------------- */

static bool is_derived(const struct columns *columns, uint32_t row)
{
    for (size_t k = 0; k < 2; k++)
        if (columns->derived[k] && columns->derived[k][row] != 0)
            return slot_value(columns, FLAT_COUNT, row) == 0 &&
                   slot_value(columns, FLAT_TIME, row) == 0;
    return false;
}

static int write_line(struct pf_writer *writer, const struct pf_batch *batch,
                      const struct columns *columns, uint32_t row)
{
    struct pf_nyt_writer *w = writer->state;
    uint32_t location = batch->location ? batch->location[row] : 0;
    const struct pf_location *place = pf_dict_location(writer->dict, location);
    struct labels labels = read_labels(writer, batch, row);
    struct pf_nyt_statement statement = {.block = labels.block,
                                         .sub = labels.sub,
                                         .count = slot_value(columns, FLAT_COUNT, row),
                                         .value = slot_value(columns, FLAT_TIME, row)};
    uint32_t file = pf_dict_function(writer->dict, place->function)->file;
    if (is_derived(columns, row))
        return PF_OK;
    if (file == 0 && labels.fid == 0 && !w->own)
        return pf_error_set(
            &writer->error, PF_USAGE,
            "nytprof holds times and counts of lines and calls of subs; these records have %s",
            pf_dict_has_address(writer->dict, place) ? "addresses without a line" : "no file");
    if (pf_nyt_writer_fid(writer, file, labels.fid, &statement.fid) != PF_OK ||
        pf_nyt_writer_line(writer, place->line, &statement.line) != PF_OK)
        return writer->error.code;
    pf_nyt_subs_note(&w->subs, writer->dict, location, is_foreign(w));
    return write_statement(writer, &statement, &columns->time[FLAT_TIME]);
}

static int write_edge(struct pf_writer *writer, const struct pf_batch *batch,
                      const struct columns *columns, uint32_t row)
{
    struct pf_nyt_writer *w = writer->state;
    uint32_t from = batch->location ? batch->location[row] : 0,
             to = batch->callee ? batch->callee[row] : 0;
    struct caller caller = {.callee = pf_nyt_sub_name(writer->dict, to),
                            .calls = slot_value(columns, EDGE_CALLS, row),
                            .depth = slot_value(columns, EDGE_DEPTH, row)};
    for (size_t k = 0; k < 3; k++)
        caller.values[k] = slot_value(columns, EDGE_TIMES + k, row);
    if (find_caller(writer, from, read_labels(writer, batch, row).fid, &caller) != PF_OK)
        return writer->error.code;
    pf_nyt_subs_note(&w->subs, writer->dict, from, is_foreign(w));
    pf_nyt_subs_note(&w->subs, writer->dict, to, is_foreign(w));
    return write_caller(writer, &caller, columns->time + EDGE_TIMES);
}

static int keep_stack(struct pf_writer *writer, const struct pf_batch *batch,
                      const struct columns *columns, uint32_t row)
{
    struct pf_nyt_writer *w = writer->state;
    uint32_t stack = batch->stack ? batch->stack[row] : 0;
    int64_t self = slot_value(columns, SAMPLE_SELF, row),
            hits = columns->data[SAMPLE_HITS] ? columns->data[SAMPLE_HITS][row] : 1;
    if (stack == 0)
        return self == 0
                   ? PF_OK
                   : leave_measure(writer, batch->values[columns->chosen[SAMPLE_SELF] - 1].measure);
    int64_t number = slot_value(columns, SAMPLE_CALLS, row);
    int status = number > 0 ? check_limit(writer, (uint64_t)number) : PF_OK;
    if (status == PF_OK)
        status = pf_nyt_calls_add(&w->calls, stack, self, number, &writer->error);
    if (status == PF_OK && is_foreign(w) && !w->detailed)
        status = pf_nyt_stacks_add(&w->stacks, stack, self, hits, &writer->error);
    return status;
}

static int write_stacks(struct pf_writer *writer);

/* All calls that are held have one unit of time: writes them before the unit changes. */
static int set_call_time(struct pf_writer *writer, const struct columns *columns)
{
    struct pf_nyt_writer *w = writer->state;
    struct pf_nyt_time time = columns->time[SAMPLE_SELF];
    if (columns->chosen[SAMPLE_SELF] == 0 ||
        (time.num == w->call_time.num && time.rate == w->call_time.rate &&
         time.den == w->call_time.den))
        return PF_OK;
    int status = write_stacks(writer);
    w->call_time = time;
    return status;
}

static int write_row(struct pf_writer *writer, const struct pf_batch *batch,
                     const struct columns *columns, uint32_t row)
{
    return batch->kind == PF_FLAT   ? write_line(writer, batch, columns, row)
           : batch->kind == PF_EDGE ? write_edge(writer, batch, columns, row)
                                    : keep_stack(writer, batch, columns, row);
}

/* Writes the records of a batch. `held`: w->callers has kept the batch, so only its columns and
 * labels are checked. */
static int write_records(struct pf_writer *writer, const struct pf_batch *batch, bool held)
{
    struct pf_nyt_writer *w = writer->state;
    struct columns columns = {.slots = FLAT_SLOTS, .count = sizeof FLAT_SLOTS / sizeof *FLAT_SLOTS};
    if (batch->kind == PF_EDGE)
        columns =
            (struct columns){.slots = EDGE_SLOTS, .count = sizeof EDGE_SLOTS / sizeof *EDGE_SLOTS};
    if (batch->kind == PF_SAMPLE)
        columns = (struct columns){.slots = SAMPLE_SLOTS,
                                   .count = sizeof SAMPLE_SLOTS / sizeof *SAMPLE_SLOTS};
    int status = choose_columns(writer, batch, &columns);
    if (status != PF_OK)
        return status == PF_EOF ? PF_OK : status;
    pf_nyt_write_held(writer);
    if (batch->kind != PF_SAMPLE && !w->detailed) {
        pf_nyt_stacks_free(&w->stacks);
        w->detailed = true;
    }
    if (batch->kind == PF_SAMPLE)
        status = set_call_time(writer, &columns);
    else if (batch->kind == PF_EDGE)
        status = write_stacks(writer);
    if (status == PF_OK && batch->kind != PF_SAMPLE)
        status =
            pf_nyt_begin(writer, &columns.time[batch->kind == PF_FLAT ? FLAT_TIME : EDGE_TIMES]);
    for (uint32_t k = 0; status == PF_OK && k < batch->rows; k++)
        if (held)
            read_labels(writer, batch, k);
        else
            status = write_row(writer, batch, &columns, k);
    return status;
}

static int add_records(struct pf_writer *writer, const struct pf_batch *batch)
{
    struct pf_nyt_writer *w = writer->state;
    bool held = false;
    int status = PF_OK;
    if (batch->rows == 0 || batch->value_count == 0)
        return PF_OK;
    if (batch->kind != PF_SAMPLE && is_foreign(w))
        status = pf_callers_take(&w->callers, writer->dict, batch, &held, &writer->error);
    return status == PF_OK ? write_records(writer, batch, held) : status;
}

static int write_callers(struct pf_writer *writer)
{
    struct pf_nyt_writer *w = writer->state;
    struct pf_batch batch;
    int status = PF_OK;
    while (status == PF_OK &&
           (status = pf_callers_next(w->callers, true, &batch, &writer->error)) == PF_OK)
        status = write_records(writer, &batch, false);
    return status == PF_EOF ? PF_OK : status;
}

/* --- stacks ----------------------------------------------------------------------------------- */

/* The location of the innermost frame with a file and a line; 0: no frame has them. */
static uint32_t line_of_stack(const struct pf_dict *dict, uint32_t stack)
{
    for (; stack != 0; stack = pf_dict_stack(dict, stack)->parent) {
        const struct pf_location *place =
            pf_dict_location(dict, pf_dict_stack(dict, stack)->location);
        if (place->line > 0 && pf_dict_function(dict, place->function)->file != 0)
            return pf_dict_stack(dict, stack)->location;
    }
    return 0;
}

static int write_stack_line(struct pf_writer *writer, uint32_t stack)
{
    struct pf_nyt_writer *w = writer->state;
    const struct pf_nyt_stack *row = &w->stacks.rows[stack];
    uint32_t location = line_of_stack(writer->dict, stack);
    struct pf_nyt_statement statement = {.count = row->hits, .value = row->self};
    if (location == 0 || (row->self == 0 && row->hits == 0))
        return PF_OK;
    const struct pf_location *place = pf_dict_location(writer->dict, location);
    int status = pf_nyt_writer_fid(writer, pf_dict_function(writer->dict, place->function)->file, 0,
                                   &statement.fid);
    if (status == PF_OK)
        status = pf_nyt_writer_line(writer, place->line, &statement.line);
    return status == PF_OK ? write_statement(writer, &statement, &w->call_time) : status;
}

static int write_stack_caller(struct pf_writer *writer, uint32_t stack)
{
    struct pf_nyt_writer *w = writer->state;
    const struct pf_nyt_stack *row = &w->stacks.rows[stack];
    const struct pf_stack *node = pf_dict_stack(writer->dict, stack);
    uint32_t from = pf_dict_stack(writer->dict, node->parent)->location;
    struct caller caller = {.callee = pf_nyt_sub_name(writer->dict, node->location),
                            .calls = 1,
                            .depth = row->recursion};
    const struct pf_nyt_time times[3] = {w->call_time, w->call_time, w->call_time};
    unsigned kind = pf_dict_location(writer->dict, node->location)->kind;
    pf_nyt_subs_note(&w->subs, writer->dict, node->location, true);
    if (node->parent == 0 && (kind == PF_FRAME_MAIN || kind == PF_FRAME_EVAL))
        return PF_OK;
    caller.values[row->recursion > 0 ? 2 : 0] = row->total;
    caller.values[1] = row->self;
    int status = find_caller(writer, from, 0, &caller);
    if (node->parent == 0)
        caller.caller = pf_dict_intern(writer->dict, PF_BYTES("main::RUNTIME"), 0);
    return status == PF_OK ? write_caller(writer, &caller, times) : status;
}

static int write_stacks(struct pf_writer *writer)
{
    struct pf_nyt_writer *w = writer->state;
    if (pf_nyt_calls_empty(&w->calls))
        return PF_OK;
    int status = pf_nyt_begin(writer, &w->call_time);
    uint64_t rate = set_rate(writer, &w->call_time, w->stacks.count == 0);
    if (status == PF_OK)
        status = pf_nyt_stacks_finish(&w->stacks, writer->dict, &writer->error);
    for (uint32_t k = 1; status == PF_OK && k < w->stacks.count; k++)
        status = w->stacks.rows[k].used ? write_stack_line(writer, k) : PF_OK;
    if (status == PF_OK)
        status = pf_nyt_calls_write(&w->calls, &w->out, &w->call_time, rate, &writer->error);
    w->call_seconds += rate ? w->calls.ticks / (double)rate : 0;
    for (uint32_t k = 1; status == PF_OK && k < w->stacks.count; k++)
        status = w->stacks.rows[k].used ? write_stack_caller(writer, k) : PF_OK;
    pf_nyt_stacks_free(&w->stacks);
    return status;
}

/* --- subs ------------------------------------------------------------------------------------- */

static void write_sub_info(struct pf_writer *writer, uint32_t name, const uint32_t place[3])
{
    struct pf_nyt_writer *w = writer->state;
    pf_nyt_out_numbers(&w->out, PF_NYT_SUB_INFO, place, 1);
    pf_nyt_write_name(writer, name);
    pf_nyt_out_number(&w->out, place[1]);
    pf_nyt_out_number(&w->out, place[2]);
}

/* --- private rows ----------------------------------------------------------------------------- */

enum { WORDS = 8 };

/* Splits a text at single spaces into at most WORDS words. Returns their number. */
static size_t split_words(struct pf_bytes text, struct pf_bytes words[WORDS])
{
    size_t count = 0, start = 0;
    for (size_t k = 0; k <= text.size && count < WORDS; k++) {
        if (k < text.size && text.data[k] != ' ')
            continue;
        words[count++] = (struct pf_bytes){text.data + start, k - start};
        start = k + 1;
    }
    return count;
}

static bool parse_numbers(const struct pf_bytes *words, size_t count, uint32_t *numbers)
{
    for (size_t k = 0; k < count; k++) {
        int64_t number;
        if (!pf_parse_int(words[k], 0, UINT32_MAX, &number))
            return false;
        numbers[k] = (uint32_t)number;
    }
    return true;
}

/* Reads a double written as 16 hexadecimal digits of its bits. */
static bool parse_time(struct pf_bytes word, double *time)
{
    uint64_t bits;
    if (word.size != 16 || !pf_parse_hex(word, &bits))
        return false;
    *time = pf_double_of(bits);
    return true;
}

static void write_fid(struct pf_writer *writer, const uint32_t *n, uint32_t name, bool renamed)
{
    struct pf_nyt_writer *w = writer->state;
    struct pf_nyt_file file = {name, n[1], n[2], n[3], n[4], n[5]};
    bool write;
    uint32_t fid = pf_nyt_numbers_define(&w->numbers, n[0], &file, renamed, &write);
    const uint32_t numbers[] = {fid,        file.eval_fid, file.eval_line,
                                file.flags, file.size,     file.mtime};
    if (!write)
        return;
    pf_nyt_out_numbers(&w->out, PF_NYT_NEW_FID, numbers, 6);
    pf_nyt_write_name(writer, name);
}

static void write_sub(struct pf_writer *writer, const uint32_t *n, uint32_t name)
{
    struct pf_nyt_writer *w = writer->state;
    uint32_t fid = pf_nyt_numbers_of(&w->numbers, n[0]), file;
    pf_nyt_files_name(&w->numbers.input, n[0], &file);
    if (!pf_nyt_subs_define(&w->subs, name, file, fid, n[1], n[2]))
        return;
    write_sub_info(writer, name, (const uint32_t[]){fid, n[1], n[2]});
}

/* Writes the marker that a sub is written in C. */
static void write_xsub(struct pf_writer *writer, uint32_t name)
{
    struct pf_nyt_writer *w = writer->state;
    const uint32_t nowhere[] = {0, 0};
    pf_nyt_subs_define_xsub(&w->subs, name);
    pf_nyt_out_numbers(&w->out, PF_NYT_SUB_CALLERS, nowhere, 2);
    pf_nyt_out_string(&w->out, PF_BYTES(""), false);
    pf_nyt_out_number(&w->out, 0);
    for (int k = 0; k < 3; k++)
        pf_nyt_out_nv(&w->out, 0);
    pf_nyt_out_number(&w->out, 0);
    pf_nyt_write_name(writer, name);
}

/* Writes a private row of a NYTProf file; ignores rows of another form. */
static int write_private(struct pf_writer *writer, uint32_t key, uint32_t value)
{
    struct pf_nyt_writer *w = writer->state;
    struct pf_bytes words[WORDS];
    uint32_t n[6];
    double time;
    size_t count = split_words(pf_dict_string(writer->dict, key), words);
    w->genuine = w->own = true;
    if (pf_bytes_equal(words[0], PF_BYTES("deflate")))
        return pf_nyt_begin_deflated(writer);
    if (pf_bytes_equal(words[0], PF_BYTES("source")) && count == 2 &&
        parse_numbers(words + 1, 1, n)) {
        w->source_fid = n[0];
        return PF_OK;
    }
    if (pf_bytes_equal(words[0], PF_BYTES("discounts")) && count == 2) {
        int64_t discounts;
        if (pf_parse_int(words[1], 0, UINT32_MAX, &discounts))
            w->discounts_wanted += (uint64_t)discounts;
        write_discounts(writer);
        return PF_OK;
    }
    int status = write_stacks(writer);
    pf_nyt_write_held(writer);
    if (status == PF_OK)
        status = pf_nyt_begin(writer, NULL);
    if (status != PF_OK)
        return status;
    if (pf_bytes_equal(words[0], PF_BYTES("fid")) && count == 7 && parse_numbers(words + 1, 6, n))
        write_fid(writer, n, value, false);
    else if (pf_bytes_equal(words[0], PF_BYTES("renamed")) && count == 8 &&
             parse_numbers(words + 2, 6, n))
        write_fid(writer, n, value, true);
    else if (pf_bytes_equal(words[0], PF_BYTES("sub")) && count == 4 &&
             parse_numbers(words + 1, 3, n))
        write_sub(writer, n, value);
    else if (pf_bytes_equal(words[0], PF_BYTES("xsub")) && count == 1)
        write_xsub(writer, value);
    else if (pf_bytes_equal(words[0], PF_BYTES("start")) && count == 4 &&
             parse_numbers(words + 1, 2, n) && parse_time(words[3], &time)) {
        pf_nyt_end_process(writer);
        pf_nyt_out_numbers(&w->out, PF_NYT_PID_START, n, 2);
        pf_nyt_out_nv(&w->out, time);
    } else if (pf_bytes_equal(words[0], PF_BYTES("end")) && count == 3 &&
               parse_numbers(words + 1, 1, n) && parse_time(words[2], &time)) {
        w->ended = true;
        w->end_pid = n[0];
        w->end_time = time;
    }
    return w->numbers.status == PF_USAGE
               ? pf_error_set(&writer->error, PF_USAGE,
                              "nytprof numbers files with 32 bits; there are no numbers left")
               : PF_OK;
}

/* --- all rows --------------------------------------------------------------------------------- */

/* True for the comment that the profiler writes before deflated data. */
static bool says_deflated(struct pf_bytes text)
{
    static const struct pf_bytes START = {"Compressed at level ", 20};
    return text.size > START.size && memcmp(text.data, START.data, START.size) == 0;
}

static int write_metadata_pair(struct pf_writer *writer, bool option, uint32_t key, uint32_t value)
{
    struct pf_nyt_writer *w = writer->state;
    if (pf_nyt_header_pair(&w->header, option, key, value))
        return PF_OK;
    return pf_error_set(&writer->error, PF_USAGE,
                        "nytprof holds metadata in lines KEY=VALUE; '%.60s' does not fit one",
                        pf_dict_string(writer->dict, key).data);
}

static int write_metadata_row(struct pf_writer *writer, uint32_t origin, uint32_t key,
                              uint32_t value)
{
    struct pf_nyt_writer *w = writer->state;
    if (origin == w->private_origin)
        return write_private(writer, key, value);
    if (origin == w->tool_origin && key == w->input_key) {
        int status = write_stacks(writer);
        if (status != PF_OK)
            return status;
        w->input = w->input ? w->input : value;
        pf_nyt_header_restart(&w->header);
        if (w->genuine || w->begun)
            pf_nyt_numbers_restart(&w->numbers);
        w->source_fid = 0;
        w->own = w->detailed = false;
        return PF_OK;
    }
    if (origin != w->attribute_origin && origin != w->option_origin && origin != w->comment_origin)
        return PF_OK;
    int status = write_stacks(writer);
    if (status != PF_OK)
        return status;
    pf_nyt_write_held(writer);
    if (origin != w->comment_origin)
        return write_metadata_pair(writer, origin == w->option_origin, key, value);
    struct pf_bytes text = pf_dict_string(writer->dict, value);
    if (says_deflated(text) && !memchr(text.data, '\n', text.size)) {
        w->packed_comment = value;
        return PF_OK;
    }
    if (pf_nyt_header_comment(&w->header, text))
        return PF_OK;
    return pf_error_set(&writer->error, PF_USAGE, "nytprof holds comments of one line, not '%.60s'",
                        text.data);
}

static int write_metadata(struct pf_writer *writer, const struct pf_batch *batch)
{
    int status = PF_OK;
    for (uint32_t k = 0; status == PF_OK && k < batch->rows; k++)
        status = write_metadata_row(writer, batch->origin[k], batch->key[k], batch->value[k]);
    return status;
}

/* --- the order -------------------------------------------------------------------------------- */

/* PF_OK, or the failure of the output so far. */
static int output_status(struct pf_writer *writer)
{
    const struct pf_nyt_writer *w = writer->state;
    if (w->out.status != PF_OK || w->numbers.status == PF_NOMEM || w->header.failed ||
        w->subs.failed)
        return pf_error_nomem(&writer->error);
    return pf_sink_status(writer->sink, &writer->error);
}

int pf_nyt_writer_write(struct pf_writer *writer, const struct pf_batch *batch)
{
    int status = batch->kind == PF_META   ? write_metadata(writer, batch)
                 : batch->kind == PF_TEXT ? pf_nyt_write_texts(writer, batch)
                                          : add_records(writer, batch);
    return status == PF_OK ? output_status(writer) : status;
}

static int write_subs(struct pf_writer *writer)
{
    struct pf_nyt_writer *w = writer->state;
    struct pf_nyt_sub_place place;
    for (size_t k = 1; k < w->subs.count; k++) {
        uint32_t numbers[3];
        if (!pf_nyt_subs_place(&w->subs, writer->dict, k, &place))
            continue;
        if (place.last == 0) {
            write_xsub(writer, place.name);
            continue;
        }
        if (pf_nyt_writer_fid(writer, place.file, 0, &numbers[0]) != PF_OK ||
            pf_nyt_writer_line(writer, place.first, &numbers[1]) != PF_OK ||
            pf_nyt_writer_line(writer, place.last, &numbers[2]) != PF_OK)
            return writer->error.code;
        pf_nyt_subs_define(&w->subs, place.name, place.file, numbers[0], numbers[1], numbers[2]);
        write_sub_info(writer, place.name, numbers);
    }
    return PF_OK;
}

int pf_nyt_writer_finish(struct pf_writer *writer)
{
    static const unsigned char CUT = PF_NYT_PID_END;
    struct pf_nyt_writer *w = writer->state;
    int status = write_stacks(writer);
    if (status == PF_OK)
        status = write_callers(writer);
    if (status == PF_OK && !w->genuine && w->header.inputs == 0)
        status = pf_nyt_begin(writer, NULL);
    if (status == PF_OK)
        status = write_subs(writer);
    if (status != PF_OK)
        return status;
    pf_nyt_write_held(writer);
    pf_nyt_header_finish(&w->header);
    /* The input failed: the file ends inside a record, so that every reader reports it. */
    if (writer->failed_input)
        pf_nyt_out_bytes(&w->out, &CUT, 1);
    else
        pf_nyt_end_process(writer);
    pf_nyt_out_finish(&w->out);
    return output_status(writer);
}

/* The writer. It writes the layout of the note (FORMAT.md, sections 1 and 2) for all inputs. */
#include "format/pynytprof/pynytprof.h"
#include "model/units.h"

#include <inttypes.h>
#include <stdlib.h>

enum { TICK_NS = 100 };

int pf_pyn_writer_open(struct pf_writer *writer)
{
    struct pf_pyn_writer *state = writer->state;

    for (unsigned k = 0; k < PF_PYN_SLOTS; k++)
        state->lines.slots[k].wide = state->calls.slots[k].wide = true;
    state->private_origin = pf_dict_intern(writer->dict, PF_BYTES(PF_PYN_PRIVATE), 0);
    state->version_key = pf_dict_intern(writer->dict, PF_BYTES(PF_PYN_VERSION), 0);
    state->file_key = pf_dict_intern(writer->dict, PF_BYTES(PF_PYN_FILE), 0);
    state->sub_key = pf_dict_intern(writer->dict, PF_BYTES(PF_PYN_SUB), 0);
    if (pf_pyn_banner_init(&state->banner) != PF_OK ||
        pf_pyn_register_init(&state->files, "file") != PF_OK ||
        pf_pyn_register_init(&state->subs, "sub") != PF_OK ||
        pf_table_init(&state->lines.keys, 3 * sizeof(uint32_t)) != PF_OK ||
        pf_table_init(&state->calls.keys, 3 * sizeof(uint32_t)) != PF_OK)
        return pf_error_nomem(&writer->error);
    return PF_OK;
}

void pf_pyn_writer_close(struct pf_writer *writer)
{
    struct pf_pyn_writer *state = writer->state;

    pf_pyn_banner_free(&state->banner);
    pf_pyn_register_free(&state->files);
    pf_pyn_register_free(&state->subs);
    pf_table_free(&state->lines.keys);
    pf_table_free(&state->calls.keys);
    for (unsigned k = 0; k < PF_PYN_SLOTS; k++) {
        pf_sums_free(&state->lines.slots[k]);
        pf_sums_free(&state->calls.slots[k]);
    }
    pf_callers_free(state->callers);
}

/* --- metadata --------------------------------------------------------------------------------- */

static bool keep_private(struct pf_writer *writer, uint32_t key, uint32_t value)
{
    struct pf_pyn_writer *state = writer->state;
    struct pf_bytes row = pf_dict_string(writer->dict, value);

    if (key == state->version_key)
        return pf_pyn_register_restart(&state->files) == PF_OK &&
               pf_pyn_register_restart(&state->subs) == PF_OK;
    if (key == state->file_key)
        return pf_pyn_register_keep(&state->files, writer->dict, row, 3);
    return key != state->sub_key || pf_pyn_register_keep(&state->subs, writer->dict, row, 1);
}

static int keep_metadata(struct pf_writer *writer, const struct pf_batch *batch)
{
    struct pf_pyn_writer *state = writer->state;
    bool good = true;

    for (uint32_t k = 0; good && k < batch->rows; k++) {
        uint32_t key = batch->key ? batch->key[k] : 0, value = batch->value ? batch->value[k] : 0;

        good = pf_pyn_banner_keep(&state->banner, writer->dict,
                                  batch->origin ? batch->origin[k] : 0, key, value) &&
               (!batch->origin || batch->origin[k] != state->private_origin ||
                keep_private(writer, key, value));
    }
    return good ? PF_OK : pf_error_nomem(&writer->error);
}

/* --- measures --------------------------------------------------------------------------------- */

/* A column of a batch, and the slot that it fills. */
struct input {
    const int64_t *data;
    int64_t factor;
    enum pf_pyn_slot slot;
};

/* True if the measure has a name of the slot. */
static bool has_name(const struct pf_dict *dict, const struct pf_measure *measure,
                     enum pf_pyn_slot slot)
{
    static const char *const names[][2] = {{"calls", "stmts"}, {"incl", "incl"}, {"excl", "time"}};
    struct pf_bytes name = pf_dict_string(dict, measure->name);

    return pf_bytes_equal(name, pf_bytes_of(names[slot][0])) ||
           (measure->kind == PF_FLAT && pf_bytes_equal(name, pf_bytes_of(names[slot][1])));
}

static bool fits(const struct pf_dict *dict, const struct pf_measure *measure,
                 enum pf_pyn_slot slot)
{
    static const uint8_t roles[] = {PF_COUNT, PF_INCLUSIVE, PF_SELF};

    return measure->role == roles[slot] && measure->aggregation == PF_SUM &&
           (slot == PF_PYN_CALLS ? pf_measure_is_count(dict, measure)
                                 : pf_measure_is_time(dict, measure));
}

/* Finds the slot of a measure: by its name, or, if `by_name` is false, by role and unit among slots
 * whose name no measure has. False: no slot fits. */
static bool choose_slot(struct pf_writer *writer, struct pf_pyn_sums *sums, uint32_t index,
                        bool by_name, enum pf_pyn_slot *slot)
{
    const struct pf_measure *measure = pf_measures_row(&writer->dict->measures, index);

    for (unsigned k = 0; k < PF_PYN_SLOTS; k++) {
        *slot = (enum pf_pyn_slot)k;
        if (!fits(writer->dict, measure, *slot))
            continue;
        if (by_name && has_name(writer->dict, measure, *slot))
            return true;
        if (!by_name && !has_name(writer->dict, measure, *slot) &&
            (sums->chosen[k] == index + 1 || !sums->slots[k].quantity.joined)) {
            sums->chosen[k] = index + 1;
            return true;
        }
    }
    return false;
}

static int too_big(struct pf_writer *writer, const struct pf_quantity *quantity)
{
    struct pf_bytes name = pf_dict_string(writer->dict, quantity->measure.name);

    return pf_error_set(&writer->error, PF_OVERFLOW, "a sum of '%s' is too large for pynytprof",
                        pf_clip(name).text);
}

/* Adds the measure to the sums of its slot, and sets the factor of its values. */
static int join_measure(struct pf_writer *writer, struct pf_pyn_sums *sums, uint32_t index,
                        struct input *input)
{
    return pf_sums_join(&sums->slots[input->slot], writer->dict,
                        pf_measures_row(&writer->dict->measures, index), &input->factor,
                        &writer->error);
}

static int refuse_batch(struct pf_writer *writer, const struct pf_batch *batch)
{
    struct pf_bytes name = pf_dict_string(
        writer->dict, pf_measures_row(&writer->dict->measures, batch->values[0].measure)->name);

    return pf_error_set(&writer->error, PF_USAGE,
                        "pynytprof holds numbers of calls and times; '%s' is neither",
                        pf_clip(name).text);
}

/* Reports measures without a slot. PF_USAGE if no measure of the profile has a slot. */
static int leave_out(struct pf_writer *writer, struct pf_pyn_sums *sums,
                     const struct pf_batch *batch, bool any)
{
    enum pf_pyn_slot slot;

    for (unsigned k = 0; k < PF_PYN_SLOTS; k++)
        any = any || sums->slots[k].quantity.joined;
    if (!any)
        return refuse_batch(writer, batch);
    for (uint32_t k = 0; k < batch->value_count; k++) {
        uint32_t index = batch->values[k].measure;

        if (!choose_slot(writer, sums, index, true, &slot) &&
            !choose_slot(writer, sums, index, false, &slot) &&
            pf_leave_measure(writer, index) != PF_OK)
            return writer->error.code;
    }
    return PF_OK;
}

/* Most columns of a batch that fill slots: two names for each slot or another measure, and a column
 * that fills two slots. */
enum { INPUTS = 3 * PF_PYN_SLOTS + 1 };

static int choose_inputs(struct pf_writer *writer, struct pf_pyn_sums *sums,
                         const struct pf_batch *batch, struct input *inputs, size_t *count)
{
    uint32_t filled[PF_PYN_SLOTS] = {0}; /* column + 1 */

    *count = 0;
    for (unsigned pass = 0; pass < 2; pass++) {
        for (uint32_t k = 0; k < batch->value_count && *count < INPUTS - 1; k++) {
            struct input input = {.data = batch->values[k].data};

            if (!choose_slot(writer, sums, batch->values[k].measure, pass == 0, &input.slot))
                continue;
            if (join_measure(writer, sums, batch->values[k].measure, &input) != PF_OK)
                return writer->error.code;
            filled[input.slot] = k + 1;
            sums->declared[input.slot] = true;
            inputs[(*count)++] = input;
        }
    }
    /* As the note says (FORMAT.md, section 3): if only one of the two times is known, both fields
     * have it. */
    for (unsigned k = PF_PYN_INCL; k <= PF_PYN_EXCL; k++) {
        uint32_t column = filled[k == PF_PYN_INCL ? PF_PYN_EXCL : PF_PYN_INCL];

        if (sums->declared[k] || column == 0)
            continue;
        inputs[*count] =
            (struct input){.data = batch->values[column - 1].data, .slot = (enum pf_pyn_slot)k};
        return join_measure(writer, sums, batch->values[column - 1].measure, &inputs[(*count)++]);
    }
    return PF_OK;
}

/* --- records ---------------------------------------------------------------------------------- */

static int check_name(struct pf_writer *writer, struct pf_bytes name)
{
    if (name.size == 0 || !memchr(name.data, 0, name.size))
        return PF_OK;
    return pf_error_set(&writer->error, PF_USAGE,
                        "pynytprof ends names with a NUL; this name has a NUL inside: '%s...'",
                        pf_clip(name).text);
}

static int no_number(struct pf_writer *writer, const struct pf_pyn_register *reg,
                     struct pf_bytes name)
{
    if (check_name(writer, name) != PF_OK)
        return writer->error.code;
    if (reg->next == UINT32_MAX)
        return pf_error_set(&writer->error, PF_USAGE,
                            "pynytprof numbers %ss with 32 bits; there are more", reg->kind);
    return pf_error_nomem(&writer->error);
}

static int find_number(struct pf_writer *writer, struct pf_pyn_register *reg,
                       const struct pf_pyn_key *key, uint32_t flags, uint32_t *number)
{
    struct pf_bytes name = pf_dict_string(writer->dict, key->text);

    if ((name.size > 0 && memchr(name.data, 0, name.size)) ||
        !pf_pyn_register_find(reg, key, flags, number))
        return no_number(writer, reg, name);
    return PF_OK;
}

/* Sets fid and line of a FLAT record. */
static int line_key(struct pf_writer *writer, uint32_t location, uint32_t key[3])
{
    enum { HAS_SRC = 0x10 };
    struct pf_pyn_writer *state = writer->state;
    const struct pf_location *row = pf_dict_location(writer->dict, location);
    const struct pf_function *function = pf_dict_function(writer->dict, row->function);
    struct pf_pyn_key file = {
        .text = function->file, .alias = function->name ? 0 : function->system_name, .used = 1};

    if (function->file == 0 && row->address != 0)
        return pf_error_set(&writer->error, PF_USAGE,
                            "pynytprof holds costs by line of a file; address 0x%" PRIx64
                            " has neither",
                            row->address);
    if (row->line > UINT32_MAX)
        return pf_error_set(&writer->error, PF_USAGE,
                            "pynytprof holds lines of 32 bits, not line %" PRId64, row->line);
    key[1] = row->line > 0 ? (uint32_t)row->line : 0;
    key[2] = 1;
    return find_number(writer, &state->files, &file, HAS_SRC, &key[0]);
}

/* Sets the sid of the caller or the callee of an edge. */
static int sub_number(struct pf_writer *writer, uint32_t location, uint32_t *number)
{
    struct pf_pyn_writer *state = writer->state;
    const struct pf_function *function =
        pf_dict_function(writer->dict, pf_dict_location(writer->dict, location)->function);
    struct pf_pyn_key sub = {
        .text = function->name, .alias = function->system_name, .file = function->file, .used = 1};

    if (function->name == 0) {
        char scratch[32];
        sub.text =
            pf_dict_intern(writer->dict, pf_dict_frame_name(writer->dict, location, scratch), 0);
    }
    return find_number(writer, &state->subs, &sub, 0, number);
}

static int record_key(struct pf_writer *writer, const struct pf_batch *batch, uint32_t k,
                      uint32_t key[3])
{
    uint32_t location = batch->location ? batch->location[k] : 0;

    if (batch->kind == PF_FLAT)
        return line_key(writer, location, key);
    key[2] = 1;
    if (sub_number(writer, location, &key[0]) != PF_OK)
        return writer->error.code;
    return sub_number(writer, batch->callee ? batch->callee[k] : 0, &key[1]);
}

static int add_row(struct pf_writer *writer, struct pf_pyn_sums *sums, const uint32_t key[3],
                   const struct input *inputs, size_t count, uint32_t k)
{
    uint32_t id = pf_table_intern(&sums->keys, key);

    if (id == 0)
        return pf_error_nomem(&writer->error);
    for (size_t n = 0; n < count; n++) {
        struct pf_sums *slot = &sums->slots[inputs[n].slot];

        if (!pf_sums_reserve(slot, sums->keys.count))
            return pf_error_nomem(&writer->error);
        if (pf_sums_add(slot, &id, &inputs[n].data[k], 1, inputs[n].factor) == 0)
            return too_big(writer, &slot->quantity);
    }
    return PF_OK;
}

/* Adds the records of a batch to the sums. `held`: state->callers has kept the batch, so only its
 * columns are checked. */
static int add_records(struct pf_writer *writer, const struct pf_batch *batch, bool held)
{
    struct pf_pyn_writer *state = writer->state;
    struct pf_pyn_sums *sums = batch->kind == PF_FLAT ? &state->lines : &state->calls;
    struct input inputs[INPUTS];
    size_t count;
    int status = choose_inputs(writer, sums, batch, inputs, &count);

    if (status != PF_OK || batch->rows == 0 || batch->value_count == 0)
        return status;
    status = leave_out(writer, sums, batch, count > 0);
    if (status != PF_OK || count == 0)
        return status;
    for (uint32_t k = 0; status == PF_OK && !held && k < batch->rows; k++) {
        uint32_t key[3];

        status = record_key(writer, batch, k, key);
        if (status == PF_OK)
            status = add_row(writer, sums, key, inputs, count, k);
    }
    return status;
}

static int write_records(struct pf_writer *writer, const struct pf_batch *batch)
{
    struct pf_pyn_writer *state = writer->state;
    bool held;
    int status = pf_callers_take(&state->callers, writer->dict, batch, &held, &writer->error);

    return status == PF_OK ? add_records(writer, batch, held) : status;
}

static int add_callers(struct pf_writer *writer)
{
    struct pf_pyn_writer *state = writer->state;
    struct pf_batch batch;
    int status = PF_OK;

    while (status == PF_OK &&
           (status = pf_callers_next(state->callers, false, &batch, &writer->error)) == PF_OK)
        status = add_records(writer, &batch, false);
    return status == PF_EOF ? PF_OK : status;
}

int pf_pyn_writer_write(struct pf_writer *writer, const struct pf_batch *batch)
{
    switch (batch->kind) {
    case PF_META: return keep_metadata(writer, batch);
    case PF_FLAT:
    case PF_EDGE: return write_records(writer, batch);
    case PF_TEXT: pf_leave_texts(writer); return PF_OK;
    default: return PF_OK;
    }
}

/* --- output ----------------------------------------------------------------------------------- */

static int write_head(struct pf_writer *writer, char tag, uint64_t size)
{
    unsigned char head[5] = {(unsigned char)tag};

    if (size > UINT32_MAX)
        return pf_error_set(&writer->error, PF_USAGE,
                            "pynytprof holds 4 GiB in a chunk; %c would have %" PRIu64 " bytes",
                            tag, size);
    pf_store32le(head + 1, (uint32_t)size);
    pf_sink_write(writer->sink, head, sizeof head);
    return PF_OK;
}

/* Writes an F or D chunk: for each entry numbers, and a name with a NUL. */
static int write_entries(struct pf_writer *writer, char tag, const struct pf_pyn_register *reg,
                         size_t numbers)
{
    uint64_t size = 0;
    unsigned char head[16];

    for (size_t k = 0; k < reg->list.count; k++)
        if (!reg->list.rows[k].absent)
            size += 4 + 4 * numbers + pf_dict_string(writer->dict, reg->list.rows[k].text).size + 1;
    int status = write_head(writer, tag, size);
    for (size_t k = 0; status == PF_OK && k < reg->list.count; k++) {
        const struct pf_pyn_entry *entry = &reg->list.rows[k];
        struct pf_bytes name = pf_dict_string(writer->dict, entry->text);

        if (entry->absent)
            continue;
        if (check_name(writer, name) != PF_OK) /* a name from metadata may have any byte */
            return writer->error.code;
        pf_store32le(head, entry->id);
        for (size_t n = 0; n < numbers; n++)
            pf_store32le(head + 4 + 4 * n, entry->numbers[n]);
        pf_sink_write(writer->sink, head, 4 + 4 * numbers);
        pf_sink_write(writer->sink, name.data, name.size);
        pf_sink_write(writer->sink, "", 1);
    }
    return status;
}

static int written_value(struct pf_writer *writer, const struct pf_pyn_sums *sums, uint32_t key,
                         enum pf_pyn_slot slot, int64_t *value)
{
    struct pf_pyn_writer *state = writer->state;
    const struct pf_quantity *quantity = &sums->slots[slot].quantity;
    uint64_t num = quantity->measure.num, den = quantity->measure.den,
             unit = slot == PF_PYN_CALLS ? 1 : TICK_NS;
    uint64_t common = pf_gcd(num, unit);
    pf_int128 sum = pf_sums_wide_at(&sums->slots[slot], key), exact;

    *value = 0;
    if (!quantity->joined || sum == 0)
        return PF_OK;
    if (sum < 0)
        return pf_refuse_negative(writer, quantity->measure.name);
    bool fits64 = !__builtin_mul_overflow(den, unit / common, &den) &&
                  pf_scale64(sum, num / common, den, value);

    if (slot == PF_PYN_CALLS && (!fits64 || *value > UINT32_MAX))
        return pf_error_set(&writer->error, PF_USAGE,
                            "pynytprof holds counts of 32 bits, and a sum of '%s' is larger",
                            pf_dict_string(writer->dict, quantity->measure.name).data);
    if (!fits64)
        return too_big(writer, quantity);
    bool *rounded = &state->rounded[slot == PF_PYN_CALLS];

    if (!*rounded && !__builtin_mul_overflow(sum, (pf_int128)(num / common), &exact) &&
        exact % den != 0) {
        pf_report_send(&writer->report, PF_WARNING,
                       slot == PF_PYN_CALLS ? "calls are rounded to whole numbers"
                                            : "times are rounded to ticks of 100 ns");
        *rounded = true;
    }
    return PF_OK;
}

/* Writes an S or C chunk. */
static int write_rows(struct pf_writer *writer, char tag, const struct pf_pyn_sums *sums)
{
    int status = write_head(writer, tag, (uint64_t)(sums->keys.count - 1) * PF_PYN_ROW);

    for (uint32_t k = 1; status == PF_OK && k < sums->keys.count; k++) {
        const uint32_t *key = pf_table_row(&sums->keys, k);
        unsigned char bytes[PF_PYN_ROW];
        int64_t values[PF_PYN_SLOTS];

        for (unsigned slot = 0; status == PF_OK && slot < PF_PYN_SLOTS; slot++)
            status = written_value(writer, sums, k, (enum pf_pyn_slot)slot, &values[slot]);
        if (status != PF_OK)
            break;
        pf_store32le(bytes, key[0]);
        pf_store32le(bytes + 4, key[1]);
        pf_store32le(bytes + 8, (uint32_t)values[PF_PYN_CALLS]);
        pf_store64le(bytes + 12, (uint64_t)values[PF_PYN_INCL]);
        pf_store64le(bytes + 20, (uint64_t)values[PF_PYN_EXCL]);
        pf_sink_write(writer->sink, bytes, sizeof bytes);
    }
    return status;
}

/* If an input failed, writes no end chunk, so that readers see that the file is not complete. */
int pf_pyn_writer_finish(struct pf_writer *writer)
{
    struct pf_pyn_writer *state = writer->state;

    if (add_callers(writer) != PF_OK)
        return writer->error.code;
    if (state->files.differ)
        pf_report_send(
            &writer->report, PF_WARNING,
            "inputs have different flags, sizes or times of one file: the newest time is used");
    pf_pyn_banner_write(&state->banner, writer->dict, writer->sink);
    int status = write_entries(writer, 'F', &state->files, 3);
    if (status == PF_OK)
        status = write_rows(writer, 'S', &state->lines);
    if (status == PF_OK)
        status = write_entries(writer, 'D', &state->subs, 1);
    if (status == PF_OK)
        status = write_rows(writer, 'C', &state->calls);
    if (status == PF_OK && !writer->failed_input)
        status = write_head(writer, 'E', 0);
    return status == PF_OK ? pf_sink_status(writer->sink, &writer->error) : status;
}

/* What the forms of text share: measures, metadata, functions, mapped files, and the current
 * record. */
#include "format/gperftools/gperftools.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/scan.h"
#include "model/stacks.h"
#include "model/units.h"

#include <stdlib.h>
#include <string.h>

/* --- what all profiles declare ---------------------------------------------------------------- */

int pf_gperftools_measure(struct pf_reader *reader, struct pf_bytes name, const char *unit,
                          enum pf_nature nature, bool main)
{
    struct pf_gperftools *state = reader->state;
    uint32_t index;
    struct pf_measure measure =
        pf_measure_make_named(reader->dict, pf_dict_intern_text(reader->dict, name), unit,
                              PF_SAMPLE, strcmp(unit, "count") == 0 ? PF_COUNT : PF_SELF, nature);
    struct pf_unit_size size;

    measure.main = main;
    if (pf_unit_parse(pf_bytes_of(unit), PF_UNITS_TIME | PF_UNITS_FINE, &size) &&
        strcmp(unit, size.base) != 0) {
        measure.raw_unit = measure.unit;
        measure.unit = pf_dict_intern_word(reader->dict, size.base);
        measure.num = size.num;
        measure.den = size.den;
    }
    index = pf_dict_add_measure(reader->dict, measure);
    pf_rows_measure(&reader->rows, index);
    state->measures++;
    return index == UINT32_MAX ? pf_error_nomem(&reader->error) : PF_OK;
}

bool pf_gperftools_meta(struct pf_reader *reader, const char *key, struct pf_bytes value)
{
    pf_rows_meta(&reader->rows, "gperftools", pf_bytes_of(key), value);
    return pf_dict_status(reader->dict) != PF_NOMEM;
}

bool pf_gperftools_meta_number(struct pf_reader *reader, const char *key, int64_t value)
{
    pf_rows_meta_number(&reader->rows, "gperftools", key, value);
    return pf_dict_status(reader->dict) != PF_NOMEM;
}

int pf_gperftools_bad_line(struct pf_reader *reader, uint64_t offset, struct pf_bytes line,
                           const char *expected)
{
    return pf_error_at(&reader->error, PF_FAILED, offset, "expected %s, found '%s'", expected,
                       pf_clip(line).text);
}

bool pf_gperftools_to_whole(double number, int64_t *whole)
{
    if (!(number > -0x1p63 && number < 0x1p63))
        return false;
    *whole = (int64_t)number;
    return true;
}

/* --- functions -------------------------------------------------------------------------------- */

uint32_t pf_gperftools_function(struct pf_dict *dict, struct pf_bytes name, struct pf_bytes file)
{
    struct pf_function function = {
        .name = pf_dict_intern_text(dict, name),
        .file = pf_dict_intern_text(dict, file),
    };

    return pf_dict_add_function(dict, &function);
}

struct pf_bytes pf_gperftools_file_line(struct pf_bytes place, int64_t *line)
{
    size_t colon = place.size;

    *line = 0;
    while (colon > 0 && place.data[colon - 1] != ':')
        colon--;
    if (colon > 1 && pf_parse_int((struct pf_bytes){place.data + colon, place.size - colon},
                                  INT32_MIN, INT32_MAX, line))
        place.size = colon - 1;
    return place;
}

bool pf_gperftools_java_line(struct pf_reader *reader, struct pf_bytes line, bool *known)
{
    struct pf_gperftools *state = reader->state;
    struct pf_bytes name = pf_bytes_trim(line), file = {NULL, 0};
    struct pf_gperftools_frame frame = {0};
    uint64_t number;

    *known = name.size > 2 && memcmp(name.data, "0x", 2) == 0 &&
             pf_gperftools_hex(&name, &number) && name.size > 0 &&
             (*name.data == ' ' || *name.data == '\t') && name.size < PF_STRING_MAX;
    if (!*known)
        return true;
    name = pf_bytes_trim(name);
    for (size_t at = name.size; name.size > 0 && name.data[name.size - 1] == ')' && at-- > 1;) {
        if (name.data[at] != '(')
            continue;
        if (name.data[at - 1] == ' ') {
            file = pf_gperftools_file_line(
                (struct pf_bytes){name.data + at + 1, name.size - at - 2}, &frame.line);
            name = pf_bytes_trim((struct pf_bytes){name.data, at});
        }
        break;
    }
    state->names.numbers = true;
    frame.function = pf_gperftools_function(reader->dict, name, file);
    return pf_gperftools_names_set(&state->names, number, &frame, 1);
}

/* --- what was mapped -------------------------------------------------------------------------- */

bool pf_gperftools_begins_maps(struct pf_bytes line)
{
    return pf_bytes_starts(line, PF_BYTES("MAPPED_LIBRARIES:")) ||
           pf_bytes_starts(line, PF_BYTES("--- Memory map:"));
}

int pf_gperftools_read_maps(struct pf_reader *reader)
{
    struct pf_gperftools *state = reader->state;
    struct pf_bytes line;
    int status = PF_OK;

    while (status == PF_OK) {
        uint64_t offset = pf_source_offset(reader->source);

        status = pf_source_line(reader->source, &line, &reader->error);
        if (status == PF_OK)
            status =
                pf_gperftools_maps_line(&state->maps, reader->dict, line, offset, &reader->error);
    }
    return status;
}

/* --- lines of texts --------------------------------------------------------------------------- */

int pf_gperftools_expected(struct pf_gperftools_text *text, const char *what)
{
    return pf_gperftools_bad_line(text->reader, text->offset, text->line, what);
}

bool pf_gperftools_numbers(struct pf_bytes *text, const char *pattern, int64_t *numbers)
{
    struct pf_bytes rest = *text;

    for (; *pattern; pattern++) {
        size_t size = 0;

        pf_scan_blanks(&rest);
        if (*pattern == 'd') {
            size += rest.size > 0 && *rest.data == '-';
            size += pf_scan_digits(pf_bytes_skip(rest, size));
            if (!pf_parse_int((struct pf_bytes){rest.data, size}, INT64_MIN, INT64_MAX, numbers++))
                return false;
        } else {
            if (rest.size == 0 || *rest.data != *pattern)
                return false;
            size = 1;
        }
        rest = pf_bytes_skip(rest, size);
    }
    *text = rest;
    return true;
}

int pf_gperftools_declare(struct pf_gperftools_text *text, const char *name, const char *unit,
                          enum pf_nature nature, bool main)
{
    return pf_gperftools_measure(text->reader, pf_bytes_of(name), unit, nature, main);
}

/* --- records of texts ------------------------------------------------------------------------- */

int pf_gperftools_addresses(struct pf_gperftools_text *text, struct pf_bytes rest)
{
    uint64_t address;

    for (;;) {
        pf_scan_blanks(&rest);
        if (rest.size == 0 || *rest.data == '\r')
            return PF_OK;
        if (!pf_gperftools_hex(&rest, &address) || (rest.size > 0 && !pf_blank(*rest.data)))
            return pf_gperftools_expected(text, "addresses after the @");
        if (text->depth == PF_STACK_DEPTH_MAX)
            return pf_rows_too_deep(&text->reader->error, text->offset);
        if (!pf_grow(&text->addresses, &text->capacity, text->depth + 1, sizeof *text->addresses))
            return pf_error_nomem(&text->reader->error);
        text->addresses[text->depth++] = address;
    }
}

void pf_gperftools_step_back(struct pf_gperftools_text *text)
{
    for (size_t k = 0; k < text->depth; k++)
        text->addresses[k] -= text->addresses[k] > 0;
}

static int compare_runs(const void *a, const void *b)
{
    const struct pf_gperftools_run *x = a, *y = b;

    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

/* Finds the first run of each address of the record, sorted by address. False: out of memory. */
static bool find_runs(struct pf_gperftools_text *text, size_t *count)
{
    size_t all = 0;

    *count = 0;
    if (!pf_grow(&text->runs, &text->run_capacity, text->depth + 1, sizeof *text->runs))
        return false;
    for (size_t at = 0; at < text->depth; at++) {
        if (at > 0 && text->addresses[at] == text->addresses[at - 1])
            text->runs[all - 1].times++;
        else
            text->runs[all++] = (struct pf_gperftools_run){text->addresses[at], at, 1};
    }
    qsort(text->runs, all, sizeof *text->runs, compare_runs);
    for (size_t k = 0; k < all; k++)
        if (k == 0 || text->runs[k].address != text->runs[*count - 1].address)
            text->runs[(*count)++] = text->runs[k];
    return true;
}

static int compare_address(const void *address, const void *run)
{
    uint64_t x = *(const uint64_t *)address, y = ((const struct pf_gperftools_run *)run)->address;

    return (x > y) - (x < y);
}

/* Gives addresses of the record the names that its comments say. Several comments for one address
 * are inlined calls, unless the stack has the address as often. */
static int name_addresses(struct pf_gperftools_text *text)
{
    size_t runs;

    if (!find_runs(text, &runs))
        return pf_error_nomem(&text->reader->error);
    for (size_t from = 0, to; from < text->comment_count; from = to) {
        uint64_t address = text->comments[from];

        for (to = from; to < text->comment_count && text->comments[to] == address; to++)
            ;
        const struct pf_gperftools_run *run =
            bsearch(&address, text->runs, runs, sizeof *run, compare_address);
        size_t count = run && (to - from) % run->times == 0 ? (to - from) / run->times : 1;

        if (!pf_gperftools_names_set(&text->state->names, address, text->frames + from, count))
            return pf_error_nomem(&text->reader->error);
    }
    text->comment_count = 0;
    return PF_OK;
}

static int join_labels(struct pf_gperftools_text *text)
{
    struct pf_reader *reader = text->reader;

    if (!pf_labels_add_set(&text->added, reader->dict, text->labels))
        return pf_error_nomem(&reader->error);
    return pf_labels_take_checked(&text->added, reader->dict, &text->labels, &reader->error,
                                  text->pending_offset);
}

int pf_gperftools_end_record(struct pf_gperftools_text *text)
{
    struct pf_error *error = &text->reader->error;

    if (text->comment_count > 0 && name_addresses(text) != PF_OK)
        return error->code;
    if (!text->pending)
        return PF_OK;
    text->pending = false;
    if (text->added.count > 0 && join_labels(text) != PF_OK)
        return error->code;
    return pf_gperftools_rows_add(&text->state->rows, text->labels, text->addresses, text->depth,
                                  text->values, text->pending_offset, error);
}

void pf_gperftools_begin_record(struct pf_gperftools_text *text)
{
    text->pending = true;
    text->pending_offset = text->offset;
    text->labels = 0;
    text->added.count = 0;
}

#include "model/units.h"

#include "base/error.h"
#include "base/number.h"

#include <stddef.h>

#define GREEK_MU   "\xce\xbc" /* U+03BC */
#define MICRO_SIGN "\xc2\xb5" /* U+00B5 */

enum { NAMES = 5 };

static const struct unit {
    const char *names[NAMES];
    unsigned sets;
    struct pf_unit_size size;
} units[] = {
    {{"ps", "picosecond", "picoseconds"}, PF_UNITS_FINE, {"nanoseconds", 1, 1000}},
    {{"ns", "nanosecond", "nanoseconds"}, PF_UNITS_TIME, {"nanoseconds", 1, 1}},
    {{"us", "microsecond", "microseconds", GREEK_MU "s", MICRO_SIGN "s"},
     PF_UNITS_TIME,
     {"nanoseconds", 1000, 1}},
    {{"ms", "millisecond", "milliseconds"}, PF_UNITS_TIME, {"nanoseconds", 1000000, 1}},
    {{"s", "second", "seconds"}, PF_UNITS_TIME, {"nanoseconds", PF_SECOND, 1}},
    {{"bytes"}, PF_UNITS_BYTES | PF_UNITS_SIZES, {"bytes", 1, 1}},
    {{"B"}, PF_UNITS_BYTES, {"bytes", 1, 1}},
    {{"b", "byte"}, PF_UNITS_SIZES, {"bytes", 1, 1}},
    {{"kb", "kilobyte", "kilobytes"}, PF_UNITS_SIZES, {"bytes", 1 << 10, 1}},
    {{"mb", "megabyte", "megabytes"}, PF_UNITS_SIZES, {"bytes", 1 << 20, 1}},
    {{"gb", "gigabyte", "gigabytes"}, PF_UNITS_SIZES, {"bytes", 1 << 30, 1}},
    {{"count"}, PF_UNITS_COUNT, {"count", 1, 1}},
};

static bool has_name(const struct unit *unit, struct pf_bytes name)
{
    for (size_t k = 0; k < NAMES && unit->names[k]; k++)
        if (pf_bytes_equal(name, pf_bytes_of(unit->names[k])))
            return true;
    return false;
}

bool pf_unit_parse(struct pf_bytes spelling, unsigned sets, struct pf_unit_size *size)
{
    for (size_t k = 0; k < sizeof units / sizeof *units; k++)
        if (units[k].sets & sets && has_name(&units[k], spelling)) {
            *size = units[k].size;
            return true;
        }
    return false;
}

const struct pf_unit_step pf_time_steps[] = {
    {"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}, {NULL, 1},
};
const struct pf_unit_step pf_byte_steps[] = {
    {"TB", 0x1p40}, {"GB", 0x1p30}, {"MB", 0x1p20}, {"kB", 0x1p10}, {"B", 1}, {NULL, 1},
};

/* N for `1/N`, 10^N for `1e-N`; 0: neither. */
static uint64_t parts_in(struct pf_bytes text)
{
    int64_t number = 0, parts = 1;

    if (pf_bytes_starts(text, PF_BYTES("1/")))
        return pf_parse_int(pf_bytes_skip(text, 2), 1, INT64_MAX, &number) ? (uint64_t)number : 0;
    if (!pf_bytes_starts(text, PF_BYTES("1e-")) ||
        !pf_parse_int(pf_bytes_skip(text, 3), 1, 18, &number))
        return 0;
    while (number-- > 0)
        parts *= 10;
    return (uint64_t)parts;
}

uint64_t pf_unit_parts(struct pf_bytes raw_unit, struct pf_bytes *whole)
{
    size_t end = 0;
    uint64_t parts;

    while (end < raw_unit.size && raw_unit.data[end] != ' ')
        end++;
    parts = parts_in((struct pf_bytes){raw_unit.data, end});
    end += end < raw_unit.size;
    *whole = parts != 0 ? pf_bytes_skip(raw_unit, end) : raw_unit;
    return parts != 0 ? parts : 1;
}

void pf_unit_take_parts(struct pf_dict *dict, struct pf_measure *measure)
{
    struct pf_bytes whole;
    uint64_t parts = pf_unit_parts(pf_dict_string(dict, measure->unit), &whole);

    if (parts == 1 || whole.size == 0 || measure->num != 1 || measure->den != 1)
        return;
    measure->raw_unit = measure->unit;
    measure->unit = pf_dict_intern(dict, whole, dict->strings.rows[measure->unit].flags);
    measure->den = parts;
}

uint32_t pf_unit_decimal(struct pf_dict *dict, unsigned places, struct pf_bytes unit)
{
    struct pf_buffer text = {0};
    uint32_t id;

    pf_buffer_printf(&text, "1e-%u%s", places, unit.size > 0 ? " " : "");
    pf_buffer_append(&text, unit.data, unit.size);
    if (text.failed)
        dict->strings.status = PF_NOMEM;
    id = pf_dict_intern_text(dict, (struct pf_bytes){text.data, text.size});
    pf_buffer_free(&text);
    return id;
}

static bool is_in(const struct pf_dict *dict, const struct pf_measure *measure,
                  struct pf_bytes unit)
{
    return pf_bytes_equal(pf_dict_string(dict, measure->unit), unit);
}

bool pf_measure_is_time(const struct pf_dict *dict, const struct pf_measure *measure)
{
    return is_in(dict, measure, PF_BYTES("nanoseconds"));
}

bool pf_measure_is_bytes(const struct pf_dict *dict, const struct pf_measure *measure)
{
    return is_in(dict, measure, PF_BYTES("bytes"));
}

bool pf_measure_is_count(const struct pf_dict *dict, const struct pf_measure *measure)
{
    return is_in(dict, measure, PF_BYTES("count"));
}

bool pf_measure_is_samples(const struct pf_dict *dict, const struct pf_measure *measure)
{
    struct pf_bytes name = pf_dict_string(dict, measure->name);

    return pf_measure_is_count(dict, measure) &&
           (pf_bytes_equal(name, PF_BYTES("samples")) ||
            (pf_bytes_equal(name, PF_BYTES("hits")) && measure->nature == PF_SAMPLED));
}

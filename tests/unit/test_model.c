/* Tests of the dictionary: equal rows get one id, label sets keep their order, stacks are nodes. */
#include "base/error.h"
#include "model/dict.h"
#include "model/replicates.h"
#include "model/stacks.h"
#include "model/units.h"
#include "tap.h"

static uint32_t str(struct pf_dict *dict, const char *text)
{
    return pf_dict_intern(dict, pf_bytes_of(text), 0);
}

/* Prints a label set as "key=value,key=value", outermost first. */
static const char *show(const struct pf_dict *dict, uint32_t labels, char *text, size_t size)
{
    uint32_t chain[32];
    size_t count = 0, used = 0;
    for (; labels; labels = pf_dict_label(dict, labels)->parent)
        chain[count++] = labels;
    text[0] = '\0';
    while (count--) {
        const struct pf_label *row = pf_dict_label(dict, chain[count]);
        used += (size_t)snprintf(text + used, size - used, "%s%s=", used ? "," : "",
                                 pf_dict_string(dict, row->key).data);
        if (row->numeric)
            used += (size_t)snprintf(text + used, size - used, "%" PRId64, row->number);
        used +=
            (size_t)snprintf(text + used, size - used, "%s", pf_dict_string(dict, row->text).data);
    }
    return text;
}

static void test_strings(struct pf_dict *dict)
{
    uint32_t latin = pf_dict_intern(dict, PF_BYTES("\xc3\xa9"), 0),
             utf8 = pf_dict_intern(dict, PF_BYTES("\xc3\xa9"), PF_UTF8);
    tap_ok(str(dict, "") == 0, "the empty string is 0");
    tap_ok(str(dict, "main") == str(dict, "main"), "equal strings are one");
    tap_ok(latin != utf8, "bytes with the flag UTF-8 differ from the same bytes without the flag");
    tap_ok(pf_dict_intern(dict, PF_BYTES("main"), PF_UTF8) == str(dict, "main"),
           "for ASCII the flag UTF-8 changes nothing");
    tap_ok(pf_dict_intern(dict, PF_BYTES("a\0b"), 0) != str(dict, "a"),
           "a NUL does not end a string");
    bool same = true;
    uint32_t ids[20000];
    for (unsigned pass = 0; pass < 2; pass++) {
        for (unsigned i = 0; i < 20000; i++) {
            char name[16];
            snprintf(name, sizeof name, "n%u", i);
            uint32_t id = str(dict, name);
            same = same && (pass == 0 || ids[i] == id) &&
                   strcmp(pf_dict_string(dict, id).data, name) == 0;
            ids[i] = id;
        }
    }
    tap_ok(same, "20,000 strings keep their ids while the table grows");
}

static void test_labels(struct pf_dict *dict)
{
    char text[256];
    uint32_t section = dict->section_key, op = str(dict, "op"), tid = str(dict, "tid"),
             req = str(dict, "req"), db = str(dict, "db");
    uint32_t set = pf_dict_add_label(dict, 0, section, req);
    set = pf_dict_add_label(dict, set, section, db);
    set = pf_dict_add_label(dict, set, section, req);
    tap_text(show(dict, set, text, sizeof text), "section=req,section=db,section=req",
             "sections keep the order of opening");
    uint32_t with_op = pf_dict_add_label(dict, set, op, str(dict, "print"));
    tap_text(show(dict, with_op, text, sizeof text), "op=print,section=req,section=db,section=req",
             "other keys are sorted");
    uint32_t with_tid = pf_dict_add_number(dict, with_op, tid, 7, 0);
    tap_text(show(dict, with_tid, text, sizeof text),
             "op=print,section=req,section=db,section=req,tid=7", "numbers are labels too");
    tap_ok(pf_dict_add_label(dict, with_tid, op, str(dict, "print")) == with_tid,
           "a label that is added twice is there once");
    tap_text(show(dict, pf_dict_add_label(dict, with_op, op, str(dict, "add")), text, sizeof text),
             "op=add,op=print,section=req,section=db,section=req", "values of one key are sorted");
    tap_text(show(dict, pf_dict_drop_label(dict, with_tid, section), text, sizeof text),
             "op=print,tid=7", "dropping a key drops all its labels");
    tap_ok(pf_dict_drop_label(dict, with_op, tid) == with_op,
           "dropping an absent key changes nothing");
    uint32_t many = 0;
    for (int64_t i = 200; i > 0; i--)
        many = pf_dict_add_number(dict, many, tid, i, 0);
    bool sorted = true;
    int64_t expected = 200;
    for (uint32_t at = many; at; at = pf_dict_label(dict, at)->parent)
        sorted = sorted && pf_dict_label(dict, at)->number == expected--;
    tap_ok(sorted && expected == 0, "200 labels added backwards stand in order");
}

static void test_stacks(struct pf_dict *dict)
{
    uint32_t location[4], leaf_first[3], other_first[3];
    for (uint32_t i = 0; i < 4; i++) {
        char name[8];
        snprintf(name, sizeof name, "f%" PRIu32, i);
        struct pf_function function = {.name = str(dict, name)};
        struct pf_location row = {.function = pf_dict_add_function(dict, &function)};
        location[i] = pf_dict_add_location(dict, &row);
    }
    memcpy(leaf_first, (uint32_t[]){location[2], location[1], location[0]}, sizeof leaf_first);
    memcpy(other_first, (uint32_t[]){location[3], location[1], location[0]}, sizeof other_first);
    struct pf_stack_memo *memo = pf_stack_memo_new();
    uint32_t a = pf_stack_memo_intern(memo, dict, leaf_first, 3),
             b = pf_stack_memo_intern(memo, dict, other_first, 3);
    uint32_t count = dict->stacks.count;
    tap_ok(pf_stack_memo_intern(memo, dict, leaf_first, 3) == a && dict->stacks.count == count,
           "a stack seen before is the same node");
    tap_ok(pf_dict_stack(dict, a)->parent == pf_dict_stack(dict, b)->parent,
           "stacks share their common frames");
    tap_ok(pf_stack_memo_intern(memo, dict, leaf_first + 1, 2) == pf_dict_stack(dict, a)->parent,
           "a caller's stack is the parent");
    tap_ok(pf_stack_memo_intern(memo, dict, NULL, 0) == 0, "no frames are stack 0");
    tap_int(pf_stack_depth(dict, a), 3, "three frames deep");
    bool found = true;
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < 30000; i++) {
            uint32_t path[6];
            for (uint32_t k = 0, rest = i; k < 6; k++, rest /= 4)
                path[k] = location[rest % 4];
            uint32_t stack = pf_stack_memo_intern(memo, dict, path, 6);
            for (uint32_t k = 0; k < 6; k++, stack = pf_dict_stack(dict, stack)->parent)
                found = found && pf_dict_stack(dict, stack)->location == path[k];
            found = found && stack == 0;
        }
    }
    tap_ok(found, "30,000 stacks read back as they were given");
    pf_stack_memo_free(memo);
}

static void test_names(struct pf_dict *dict)
{
    char scratch[32];
    struct pf_location address = {.address = 0x12006cbb8}, nothing = {.line = 3};
    struct pf_bytes name = pf_dict_frame_name(dict, pf_dict_add_location(dict, &address), scratch);
    tap_ok(pf_bytes_equal(name, PF_BYTES("0x12006cbb8")),
           "an address without a name is its own name");
    tap_ok(pf_bytes_equal(pf_dict_frame_name(dict, pf_dict_add_location(dict, &nothing), scratch),
                          PF_BYTES("[unknown]")),
           "a place without function and address is unknown");
}

static void test_measures(struct pf_dict *dict)
{
    struct pf_measure fine = {.name = str(dict, "wall"),
                              .unit = str(dict, "nanoseconds"),
                              .num = 1000000,
                              .den = 1},
                      coarse = fine;
    coarse.num = 10000000;
    uint32_t a = pf_measures_intern(&dict->measures, &fine),
             b = pf_measures_intern(&dict->measures, &coarse);
    tap_ok(a == 0 && b == 1 && pf_measures_count(&dict->measures) == 2,
           "measures are numbered from 0, and another scale is another number");
    tap_ok(pf_measure_same(&fine, &coarse), "a scale does not make another measure");
    coarse.side = PF_AFTER;
    tap_ok(!pf_measure_same(&fine, &coarse), "a side makes another measure");
}

static void test_sides(struct pf_dict *dict)
{
    static const struct {
        const char *name, *stem;
        enum pf_side side;
    } rows[] = {
        {"wall.before", "wall.", PF_BEFORE},
        {"wall.after", "wall.", PF_AFTER},
        {"wall.delta", "wall.", PF_DELTA},
        {"before", "", PF_BEFORE},
        {"after", "", PF_AFTER},
        {"delta", "delta", PF_NO_SIDE},
        {".delta", ".", PF_DELTA},
        {"wall", "wall", PF_NO_SIDE},
        {"hereafter", "hereafter", PF_NO_SIDE},
        {"", "", PF_NO_SIDE},
    };
    bool good = true;

    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct pf_measure measure =
            pf_measure_make(dict, rows[k].name, "count", PF_FLAT, PF_SELF, PF_EXACT);
        const struct pf_measure *row =
            pf_measures_row(&dict->measures, pf_dict_add_measure(dict, measure));

        good = good && row->side == rows[k].side &&
               pf_bytes_equal(pf_side_stem(pf_bytes_of(rows[k].name), rows[k].side),
                              pf_bytes_of(rows[k].stem));
    }
    tap_ok(good, "a measure without a side gets the side of its name's suffix");
    struct pf_measure measure =
        pf_measure_make(dict, "x.before", "count", PF_FLAT, PF_SELF, PF_EXACT);

    measure.side = PF_DELTA;
    uint32_t id = pf_dict_add_measure(dict, measure);
    tap_ok(pf_measures_row(&dict->measures, id)->side == PF_DELTA &&
               pf_measures_row(&dict->measures, id)->name == str(dict, "x.before.delta"),
           "a name without the suffix of its side gets the suffix");
}

static void test_making(struct pf_dict *dict)
{
    struct pf_measure measure =
        pf_measure_make(dict, "ct", "count", PF_EDGE, PF_INCLUSIVE, PF_EXACT);

    tap_ok(measure.name == str(dict, "ct") && measure.unit == str(dict, "count") &&
               measure.kind == PF_EDGE && measure.role == PF_INCLUSIVE &&
               measure.nature == PF_EXACT,
           "a measure is made of name, unit, kind, role and nature");
    tap_ok(measure.num == 1 && measure.den == 1 && measure.period == 0 && measure.raw_unit == 0 &&
               !measure.main && measure.aggregation == PF_SUM,
           "a new measure counts base units without a period and is not the main one");
    pf_measure_set_scale(&measure, 1000000000, 60);
    tap_ok(measure.num == 50000000 && measure.den == 3,
           "the scale of 60 ticks a second is 50000000/3 in lowest terms");
    uint32_t id = pf_dict_add_measure(dict, measure);
    tap_ok(pf_dict_add_measure(dict, measure) == id,
           "adding the same measure twice gives one number");
    tap_ok(pf_measure_is_count(dict, &measure) && !pf_measure_is_time(dict, &measure) &&
               !pf_measure_is_samples(dict, &measure),
           "a measure of counts with another name than samples is neither samples nor time");
}

static void test_units(void)
{
    static const struct {
        const char *spelling;
        unsigned sets;
        const char *base; /* NULL: unknown */
        uint64_t num, den;
    } cases[] = {
        {"ps", PF_UNITS_TIME, NULL, 0, 0},
        {"ps", PF_UNITS_TIME | PF_UNITS_FINE, "nanoseconds", 1, 1000},
        {"nanoseconds", PF_UNITS_TIME, "nanoseconds", 1, 1},
        {"\xce\xbcs", PF_UNITS_TIME, "nanoseconds", 1000, 1},
        {"\xc2\xb5s", PF_UNITS_TIME, "nanoseconds", 1000, 1},
        {"millisecond", PF_UNITS_TIME, "nanoseconds", 1000000, 1},
        {"seconds", PF_UNITS_TIME, "nanoseconds", 1000000000, 1},
        {"S", PF_UNITS_TIME, NULL, 0, 0},
        {"", PF_UNITS_TIME, NULL, 0, 0},
        {"B", PF_UNITS_BYTES, "bytes", 1, 1},
        {"B", PF_UNITS_SIZES, NULL, 0, 0},
        {"b", PF_UNITS_BYTES, NULL, 0, 0},
        {"bytes", PF_UNITS_SIZES, "bytes", 1, 1},
        {"gigabyte", PF_UNITS_SIZES, "bytes", 1073741824, 1},
        {"count", PF_UNITS_TIME | PF_UNITS_SIZES, NULL, 0, 0},
        {"count", PF_UNITS_COUNT, "count", 1, 1},
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct pf_unit_size size;
        bool known = pf_unit_parse(pf_bytes_of(cases[k].spelling), cases[k].sets, &size);

        tap_ok(known == (cases[k].base != NULL) &&
                   (!known || (strcmp(size.base, cases[k].base) == 0 && size.num == cases[k].num &&
                               size.den == cases[k].den)),
               "unit '%s' in the sets %u", cases[k].spelling, cases[k].sets);
    }
}

static void test_parts(struct pf_dict *dict)
{
    struct pf_bytes whole;
    struct pf_measure measure =
        pf_measure_make(dict, "x", "1/3 tick", PF_SAMPLE, PF_SELF, PF_EXACT);

    tap_ok(pf_unit_parts(PF_BYTES("1/3 tick"), &whole) == 3 &&
               pf_bytes_equal(whole, PF_BYTES("tick")),
           "1/3 tick is a third of a tick");
    tap_ok(pf_unit_parts(PF_BYTES("1/0 tick"), &whole) == 1 && whole.size == 8,
           "1/0 tick is a name of its own");
    tap_ok(pf_unit_parts(pf_dict_string(dict, pf_unit_decimal(dict, 12, PF_BYTES("tick"))),
                         &whole) == 1000000000000 &&
               pf_bytes_equal(whole, PF_BYTES("tick")),
           "the name of a decimal part reads back");
    pf_unit_take_parts(dict, &measure);
    tap_ok(measure.raw_unit == str(dict, "1/3 tick") && measure.unit == str(dict, "tick") &&
               measure.den == 3,
           "a unit of thirds becomes the raw unit");
}

/* A batch without rows declares measures, also one that counts runs. The sanitizers watch this. */
static void test_replicates(struct pf_dict *dict)
{
    struct pf_measure counter =
        pf_measure_make(dict, "runs", "count", PF_SAMPLE, PF_COUNT, PF_EXACT);
    struct pf_batch batch = {.kind = PF_SAMPLE, .value_count = 1}, plain, runs;
    struct pf_replicates replicates = {0};

    counter.runs = 1;
    struct pf_value_column column = {.measure = pf_dict_add_measure(dict, counter)};

    batch.values = &column;
    tap_int(pf_replicates_part(&replicates, dict, &batch, &plain, &runs), PF_OK,
            "a batch without rows is divided");
    tap_ok(plain.rows == 0 && plain.value_count == 0 && runs.rows == 0 && runs.value_count == 1,
           "the part that counts runs declares their measure");
    pf_replicates_free(&replicates);
}

int main(void)
{
    struct pf_dict dict;
    tap_ok(pf_dict_init(&dict) == PF_OK, "an empty dictionary is made");
    test_strings(&dict);
    test_labels(&dict);
    test_stacks(&dict);
    test_names(&dict);
    test_measures(&dict);
    test_sides(&dict);
    test_making(&dict);
    test_units();
    test_parts(&dict);
    test_replicates(&dict);
    tap_int(pf_dict_status(&dict), PF_OK, "the dictionary has no failure");
    pf_dict_free(&dict);
    return tap_done();
}

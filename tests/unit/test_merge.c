/* Tests of parts of merging: weights, rounding, names of evals, and maps that exist only after a
 * change. */
#include "analysis/merge/columns.h"
#include "analysis/merge/labels.h"
#include "analysis/merge/map.h"
#include "analysis/merge/weight.h"
#include "analysis/names/evals.h"
#include "tap.h"

static bool parses(const char *text, int64_t num, uint64_t den)
{
    struct pf_error error = {0};
    struct pf_weight weight = {0, 0};

    return pf_weight_parse(&weight, pf_bytes_of(text), &error) == PF_OK && weight.num == num &&
           weight.den == den;
}

static bool refuses(const char *text)
{
    struct pf_error error = {0};
    struct pf_weight weight;

    return pf_weight_parse(&weight, pf_bytes_of(text), &error) == PF_USAGE && error.text[0] != '\0';
}

static void test_weights(void)
{
    static const char *const wrong[] = {"",
                                        "x",
                                        "1x",
                                        " 1",
                                        "1 ",
                                        ".",
                                        "1.",
                                        "1.x",
                                        "-",
                                        "1/",
                                        "/2",
                                        "1/0",
                                        "1/-2",
                                        "1.5/2",
                                        "1/2/3",
                                        "1e3",
                                        "9223372036854775808",
                                        "1/2147483648",
                                        "0.1234567891",
                                        "0x10",
                                        "--1"};
    bool good = true;

    tap_ok(parses("2", 2, 1) && parses("-1", -1, 1) && parses("+3", 3, 1) && parses("0", 0, 1),
           "integers are weights");
    tap_ok(parses("0.25", 1, 4) && parses("-1.50", -3, 2) && parses(".5", 1, 2) &&
               parses("-.5", -1, 2) && parses("1.000", 1, 1),
           "decimal numbers are weights in lowest terms");
    tap_ok(parses("1/3", 1, 3) && parses("-4/6", -2, 3) && parses("0/7", 0, 1) &&
               parses("1/2147483647", 1, 2147483647),
           "fractions are weights in lowest terms");
    tap_ok(parses("4294967296/8589934592", 1, 2),
           "a fraction is reduced before its denominator is checked");
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        if (!refuses(wrong[k])) {
            printf("# taken: '%s'\n", wrong[k]);
            good = false;
        }
    tap_ok(good, "weights out of range are refused with a reason");
}

static void test_denominators(void)
{
    struct pf_weights weights = {0};
    struct pf_error error = {0};

    pf_weights_add(&weights, (struct pf_weight){1, 3});
    pf_weights_add(&weights, (struct pf_weight){-1, 4});
    pf_weights_add(&weights, (struct pf_weight){5, 1});
    tap_ok(pf_weights_join(&weights, &error) == PF_OK && weights.den == 12 &&
               weights.rows[0].num == 4 && weights.rows[1].num == -3 && weights.rows[2].num == 60,
           "weights are converted to their least common denominator");
    pf_weights_add(&weights, (struct pf_weight){1, 2147483647});
    tap_int(pf_weights_join(&weights, &error), PF_USAGE,
            "a common denominator of more than 31 bits is refused");
    pf_weights_free(&weights);
}

static void test_rounding(void)
{
    static const struct {
        int64_t sum, pieces, want;
    } cases[] = {{5, 2, 2}, {7, 2, 4}, {-5, 2, -2}, {-7, 2, -4}, {5, -2, -2}, {7, -2, -4},
                 {1, 3, 0}, {2, 3, 1}, {-2, 3, -1}, {1, 2, 0},   {3, 2, 2},   {-1, 2, 0},
                 {0, 7, 0}, {6, 3, 2}, {-6, 3, -2}, {10, 4, 2}};
    pf_int128 big = ((pf_int128)1 << 126) + 1;
    bool good = true;

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        good &= pf_divide128(cases[k].sum, cases[k].pieces) == cases[k].want;
    tap_ok(good, "sums are rounded once, half to even, on both sides of 0");
    tap_ok(pf_divide128(big, 2) == (pf_int128)1 << 125 && pf_divide128(-big, big) == -1,
           "sums that use all 128 bits are rounded once");
}

static uint32_t str(struct pf_dict *dict, const char *text)
{
    return pf_dict_intern(dict, pf_bytes_of(text), 0);
}

static void take_text(struct pf_evals *evals, struct pf_merge_texts *texts, const char *name,
                      uint64_t line, const char *text)
{
    struct pf_text row = {.name = pf_bytes_of(name), .text = pf_bytes_of(text), .line = line};
    struct pf_batch batch = {.kind = PF_TEXT, .rows = 1, .texts = &row};

    pf_evals_take(evals, &batch);
    if (texts)
        pf_merge_texts_add(texts, &batch);
}

static bool becomes(const struct pf_evals *evals, const char *name, uint32_t now)
{
    bool good = now == str(evals->dict, name);

    if (!good)
        printf("# %s became %s\n", name, pf_dict_string(evals->dict, now).data);
    return good;
}

static void test_evals(struct pf_dict *dict)
{
    struct pf_merge_texts texts = {0};
    struct pf_evals evals;
    struct pf_batch batch;
    static const struct {
        const char *name, *now;
    } cases[] = {
        {"(eval 12)[x.pl:9]", "(eval 3)[x.pl:9]"},
        {"(eval 3)[x.pl:9]", "(eval 3)[x.pl:9]"},
        {"(eval 5)[x.pl:9]", "(eval 5)[x.pl:9]"},
        {"(eval 12)[y.pl:9]", "(eval 12)[y.pl:9]"},
        {"main::__ANON__[(eval 12)[x.pl:9]:1]", "main::__ANON__[(eval 3)[x.pl:9]:1]"},
        {"(eval 20)[(eval 12)[x.pl:9]:2]", "(eval 20)[(eval 3)[x.pl:9]:2]"},
        {"(eval 7)[(eval 12)[x.pl:9]:4]", "(eval 6)[(eval 3)[x.pl:9]:4]"},
        {"(eval 12)", "(eval 12)"},
        {"(eval 12)[x", "(eval 12)[x"},
        {"(eval )[x]", "(eval )[x]"},
        {"main::f", "main::f"},
    };
    bool good = true;

    pf_evals_init(&evals, dict, false);
    take_text(&evals, &texts, "(eval 12)[x.pl:9]", 1, "sub f { 1 }\n");
    take_text(&evals, &texts, "(eval 12)[x.pl:9]", 2, "f()\n");
    take_text(&evals, &texts, "(eval 3)[x.pl:9]", 2, "f()\n");
    take_text(&evals, &texts, "(eval 3)[x.pl:9]", 1, "sub f { 1 }\n");
    take_text(&evals, &texts, "(eval 5)[x.pl:9]", 1, "f()\n");
    take_text(&evals, &texts, "(eval 12)[y.pl:9]", 1, "sub f { 1 }\n");
    take_text(&evals, &texts, "(eval 12)[y.pl:9]", 2, "f()\n");
    take_text(&evals, &texts, "(eval 6)[(eval 3)[x.pl:9]:4]", 1, "2\n");
    take_text(&evals, &texts, "(eval 7)[(eval 12)[x.pl:9]:4]", 1, "2\n");
    take_text(&evals, &texts, "(eval 8)[z.pl:1]", 1, "");
    take_text(&evals, &texts, "(eval 9)[z.pl:1]", 1, "");
    pf_evals_end(&evals);
    tap_int(pf_evals_find(&evals, true), PF_OK, "evals are found by their texts");
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        good &= becomes(&evals, cases[k].now, pf_evals_name(&evals, str(dict, cases[k].name)));
    tap_ok(good, "evals of one input with the same text at the same place get the least of their "
                 "names, in any order");
    tap_ok(pf_evals_name(&evals, str(dict, "(eval 9)[z.pl:1]")) == str(dict, "(eval 9)[z.pl:1]"),
           "evals without a text stay as they are");
    pf_evals_texts(&evals, &texts);
    tap_ok(pf_merge_texts_next(&texts, &batch) && batch.rows == 8, "texts of evals are kept once");
    pf_evals_free(&evals);
    pf_merge_texts_free(&texts);
}

/* The names of three inputs: X X Y; X Y X, another text Z at another place, and an eval in Y; and
 * an eval without a text. */
static void test_evals_of_inputs(struct pf_dict *dict, bool backwards)
{
    static const struct {
        unsigned input;
        const char *name, *text, *final;
    } rows[] = {
        {0, "(eval 1)[x.pl:9]", "X", "(eval 1)[x.pl:9]"},
        {0, "(eval 2)[x.pl:9]", "X", "(eval 1)[x.pl:9]"},
        {0, "(eval 3)[x.pl:9]", "Y", "(eval 2)[x.pl:9]"},
        {0, "(eval 4)[(eval 3)[x.pl:9]:1]", "X Y", "(eval 3)[(eval 2)[x.pl:9]:1]"},
        {1, "(eval 1)[x.pl:9]", "X", "(eval 1)[x.pl:9]"},
        {1, "(eval 2)[x.pl:9]", "Y", "(eval 2)[x.pl:9]"},
        {1, "(eval 3)[(eval 2)[x.pl:9]:1]", "X Y", "(eval 3)[(eval 2)[x.pl:9]:1]"},
        {1, "(eval 4)[y.pl:5]", "X", "(eval 1)[x.pl:9]"},
        {2, "(eval 3)[x.pl:9]", NULL, "(eval 3)[x.pl:9]"},
        {2, "(eval 4)[y.pl:5]", NULL, "(eval 4)[y.pl:5]"},
    };
    uint32_t now[sizeof rows / sizeof *rows];
    struct pf_evals evals;
    bool good = true;

    pf_evals_init(&evals, dict, false);
    for (unsigned k = 0; k < 3; k++) {
        unsigned input = backwards ? 2 - k : k;

        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
            if (rows[r].input == input && rows[r].text)
                take_text(&evals, NULL, rows[r].name, 1, rows[r].text);
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
            if (rows[r].input == input)
                now[r] = pf_evals_now(&evals, str(dict, rows[r].name), true);
        pf_evals_end(&evals);
    }
    tap_int(pf_evals_find(&evals, false), PF_OK, "evals of several inputs are found");
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        good &= becomes(&evals, rows[r].final, pf_evals_name(&evals, now[r]));
    tap_ok(good, "evals of several inputs are the same if their texts are, whatever their names");
    tap_ok(now[2] != now[8] && now[1] != now[5],
           "evals with one name and different texts have different names in batches");
    pf_evals_free(&evals);
}

static uint32_t drop_lines(void *arg, uint32_t location)
{
    struct pf_dict *dict = arg;
    struct pf_location row = *pf_dict_location(dict, location);

    row.line = 0;
    return pf_dict_add_location(dict, &row);
}

static uint32_t place(struct pf_dict *dict, const char *name, int64_t line)
{
    struct pf_function function = {.name = str(dict, name)};
    struct pf_location row = {.function = pf_dict_add_function(dict, &function), .line = line};

    return pf_dict_add_location(dict, &row);
}

static void test_maps(struct pf_dict *dict)
{
    struct pf_merge_map map = {.dict = dict, .place = drop_lines, .arg = dict};
    uint32_t a = pf_dict_add_frame(dict, 0, place(dict, "f", 0)),
             b = pf_dict_add_frame(dict, a, place(dict, "g", 0)), c, d;

    tap_ok(pf_merge_map_extend(&map) == PF_OK && !map.locations.to && !map.stacks.to,
           "without changes there is no map");
    c = pf_dict_add_frame(dict, a, place(dict, "g", 7));
    d = pf_dict_add_frame(dict, c, place(dict, "h", 1));
    pf_merge_map_extend(&map);
    tap_ok(pf_merge_id(&map.stacks, a) == a && pf_merge_id(&map.stacks, b) == b &&
               pf_merge_id(&map.stacks, c) == b &&
               pf_merge_id(&map.stacks, d) == pf_dict_add_frame(dict, b, place(dict, "h", 0)),
           "stacks are rebuilt from the new locations of their frames");
    for (uint32_t k = 0; k < dict->stacks.count; k++)
        if (pf_merge_id(&map.stacks, pf_merge_id(&map.stacks, k)) != pf_merge_id(&map.stacks, k))
            d = 0;
    tap_ok(d != 0, "a mapped stack maps to itself");
    pf_merge_map_free(&map);
}

static void test_labels(struct pf_dict *dict)
{
    struct pf_merge_labels only = {.dict = dict}, without = {.dict = dict};
    uint32_t host = pf_dict_add_label(dict, 0, str(dict, "host"), str(dict, "a"));
    uint32_t both = pf_dict_add_label(dict, host, str(dict, "zone"), str(dict, "n"));

    pf_merge_labels_only(&only, "zone,,other");
    pf_merge_labels_extend(&only);
    tap_ok(pf_merge_id(&only.sets, both) ==
                   pf_dict_add_label(dict, 0, str(dict, "zone"), str(dict, "n")) &&
               pf_merge_id(&only.sets, host) == 0,
           "labels that do not count are removed");
    pf_merge_labels_add(&without, str(dict, "zone"));
    pf_merge_labels_extend(&without);
    tap_ok(pf_merge_id(&without.sets, both) == host && pf_merge_id(&without.sets, host) == host,
           "all labels except some are kept");
    pf_merge_labels_free(&only);
    pf_merge_labels_free(&without);
}

int main(void)
{
    struct pf_dict dict;

    if (pf_dict_init(&dict) != PF_OK)
        return 1;
    test_weights();
    test_denominators();
    test_rounding();
    test_evals(&dict);
    test_evals_of_inputs(&dict, false);
    test_evals_of_inputs(&dict, true);
    test_maps(&dict);
    test_labels(&dict);
    pf_dict_free(&dict);
    return tap_done();
}

/* Tests of model/rows: records, declarations and metadata become batches in the order of adding. */
#include "model/rows.h"
#include "tap.h"

static uint32_t measure_of(struct pf_dict *dict, const char *name, enum pf_kind kind)
{
    struct pf_measure measure = {
        .name = pf_dict_intern_word(dict, name),
        .unit = pf_dict_intern_word(dict, "count"),
        .kind = (uint8_t)kind,
        .num = 1,
        .den = 1,
    };

    return pf_measures_intern(&dict->measures, &measure);
}

static uint32_t location_of(struct pf_dict *dict, const char *name)
{
    struct pf_function function = {.name = pf_dict_intern_word(dict, name)};
    struct pf_location location = {.function = pf_dict_add_function(dict, &function)};

    return pf_dict_add_location(dict, &location);
}

/* Prints each waiting batch as "sample 2: a=1 b=0, a=2 b=5", with "; " between batches. A stack is
 * its frames, root first; an edge is CALLER>CALLEE. */
static const char *show(struct pf_rows *rows, char *text, size_t size)
{
    const struct pf_dict *dict = rows->dict;
    struct pf_batch batch;
    size_t used = 0;

#define ADD(...) used += (size_t)snprintf(text + used, size - used, __VA_ARGS__)
    text[0] = '\0';
    while (pf_rows_give(rows, &batch)) {
        ADD("%s%s %" PRIu32, used ? "; " : "", pf_kind_name(batch.kind), batch.rows);
        for (uint32_t k = 0; batch.rows == 0 && k < batch.value_count; k++) {
            const struct pf_measure *measure =
                pf_measures_row(&dict->measures, batch.values[k].measure);

            ADD(" %s", pf_dict_string(dict, measure->name).data);
        }
        for (uint32_t row = 0; row < batch.rows && batch.kind == PF_META; row++)
            ADD(" %s=%s", pf_dict_string(dict, batch.key[row]).data,
                pf_dict_string(dict, batch.value[row]).data);
        for (uint32_t row = 0; row < batch.rows && batch.kind != PF_META; row++) {
            char frames[64] = "", scratch[32];

            for (uint32_t stack = batch.stack ? batch.stack[row] : 0; stack;
                 stack = pf_dict_stack(dict, stack)->parent) {
                char longer[64];

                snprintf(
                    longer, sizeof longer, "%s%s",
                    pf_dict_frame_name(dict, pf_dict_stack(dict, stack)->location, scratch).data,
                    frames);
                memcpy(frames, longer, sizeof frames);
            }
            ADD(" %s", frames);
            if (batch.location)
                ADD("%s", pf_dict_frame_name(dict, batch.location[row], scratch).data);
            if (batch.callee)
                ADD(">%s", pf_dict_frame_name(dict, batch.callee[row], scratch).data);
            for (uint32_t k = 0; k < batch.value_count; k++)
                ADD("%c%" PRId64, k ? ',' : ':', batch.values[k].data[row]);
            if (batch.time)
                ADD("@%" PRId64, batch.time[row]);
        }
    }
#undef ADD
    return text;
}

static void test_order(struct pf_dict *dict)
{
    uint32_t a = location_of(dict, "a"), b = location_of(dict, "b");
    struct pf_error error = {0};
    struct pf_rows rows;
    char text[512];

    pf_rows_init(&rows, dict);
    tap_ok(pf_rows_empty(&rows) && !pf_rows_ready(&rows), "a new builder has nothing to give");
    pf_rows_meta(&rows, "test", PF_BYTES("k"), PF_BYTES("v"));
    tap_ok(!pf_rows_ready(&rows), "metadata wait for more metadata");
    pf_rows_measure(&rows, measure_of(dict, "x", PF_SAMPLE));
    pf_rows_count(&rows, measure_of(dict, "n", PF_SAMPLE));
    rows.root_first = true;
    pf_rows_frame(&rows, a, &error, 0);
    pf_rows_frame(&rows, b, &error, 0);
    pf_rows_sample(&rows, 0);
    pf_rows_set(&rows, 0, 7);
    tap_ok(pf_rows_ready(&rows), "a record after metadata makes a batch ready");
    pf_rows_sample(&rows, 0);
    tap_text(show(&rows, text, sizeof text), "meta 1 k=v; sample 0 x n; sample 2 ab:7,1 :0,1",
             "the first record declares the measures; values that are not set are 0; the count is "
             "1 and last");
    pf_rows_meta_number(&rows, "test", "m", -3);
    pf_rows_stack(&rows, 0, 0);
    pf_rows_set(&rows, 0, 1);
    pf_rows_time(&rows, 9);
    pf_rows_begin(&rows, PF_EDGE);
    pf_rows_measure(&rows, measure_of(dict, "y", PF_EDGE));
    pf_rows_declare(&rows);
    pf_rows_edge(&rows, a, b, 0);
    pf_rows_set(&rows, 0, 4);
    pf_rows_begin(&rows, PF_FLAT);
    pf_rows_measure(&rows, measure_of(dict, "z", PF_FLAT));
    pf_rows_flat(&rows, b, 0);
    pf_rows_set(&rows, 0, 5);
    tap_text(show(&rows, text, sizeof text),
             "meta 1 m=-3; sample 1 :1,1@9; edge 0 y; edge 1 a>b:4@0; flat 1 b:5@0",
             "kinds follow each other in the order of adding");
    pf_rows_meta_number(&rows, "test", "m", 1);
    pf_rows_begin(&rows, PF_FLAT);
    pf_rows_measure(&rows, measure_of(dict, "z", PF_FLAT));
    pf_rows_declare_ahead(&rows);
    pf_rows_begin(&rows, PF_EDGE);
    pf_rows_measure(&rows, measure_of(dict, "y", PF_EDGE));
    pf_rows_declare_ahead(&rows);
    tap_text(show(&rows, text, sizeof text), "flat 0 z; edge 0 y; meta 1 m=1",
             "declarations may come before metadata");
    pf_rows_free(&rows);
}

static void test_columns(struct pf_dict *dict)
{
    uint32_t x = measure_of(dict, "x", PF_SAMPLE), y = measure_of(dict, "y", PF_SAMPLE);
    struct pf_rows rows;
    struct pf_batch batch;
    char text[256];

    pf_rows_init(&rows, dict);
    pf_rows_measure(&rows, x);
    pf_rows_stack(&rows, 0, 0);
    pf_rows_set(&rows, 0, 1);
    tap_int(pf_rows_measure(&rows, y), 1, "a second measure is column 1");
    tap_int(pf_rows_measure(&rows, x), 0, "a measure has one column");
    pf_rows_stack(&rows, 0, 0);
    pf_rows_set(&rows, 1, 2);
    tap_text(show(&rows, text, sizeof text), "sample 0 x; sample 2 :1,0 :0,2",
             "a column may be added after the first record");
    pf_rows_begin(&rows, PF_SAMPLE);
    pf_rows_measure(&rows, y);
    pf_rows_stack(&rows, 0, 0);
    tap_text(show(&rows, text, sizeof text), "sample 1 :0", "new columns have no old values");

    pf_rows_begin(&rows, PF_SAMPLE);
    pf_rows_measure(&rows, x);
    pf_rows_stack(&rows, 0, 0);
    pf_rows_set(&rows, 0, 3);
    pf_rows_begin(&rows, PF_SAMPLE);
    pf_rows_measure(&rows, y);
    pf_rows_stack(&rows, 0, 0);
    pf_rows_set(&rows, 0, 4);
    tap_ok(pf_rows_give(&rows, &batch) && batch.values[0].measure == x &&
               batch.values[0].data[0] == 3,
           "records with other columns begin a new batch");
    pf_rows_stack(&rows, 0, 0);
    pf_rows_set(&rows, 0, 5);
    tap_text(show(&rows, text, sizeof text), "sample 2 :4 :5",
             "records are added to the rows that wait after a batch");
    pf_rows_free(&rows);
}

static void test_places(struct pf_dict *dict)
{
    struct pf_location a = *pf_dict_location(dict, location_of(dict, "a")),
                       b = *pf_dict_location(dict, location_of(dict, "b"));
    static const int64_t values[2] = {6, 7};
    struct pf_rows rows;
    char text[256];

    pf_rows_init(&rows, dict);
    pf_rows_begin(&rows, PF_EDGE);
    pf_rows_measure(&rows, measure_of(dict, "x", PF_EDGE));
    pf_rows_measure(&rows, measure_of(dict, "y", PF_EDGE));
    pf_rows_edge_at(&rows, &a, &b, 0);
    pf_rows_set_values(&rows, 0, values, 2);
    pf_rows_edge(&rows, location_of(dict, "b"), location_of(dict, "b"), 0);
    pf_rows_set_values(&rows, 1, values, 1);
    pf_rows_begin(&rows, PF_FLAT);
    pf_rows_measure(&rows, measure_of(dict, "z", PF_FLAT));
    pf_rows_flat_at(&rows, &b, 0);
    pf_rows_set_values(&rows, 0, values, 2);
    tap_text(show(&rows, text, sizeof text), "edge 0 x y; edge 2 a>b:6,7 b>b:0,6; flat 1 b:0",
             "places become locations; values have columns or are left out");
    pf_rows_flat_at(&rows, &a, 0);
    tap_text(show(&rows, text, sizeof text), "flat 1 a:0", "memory for places is reused");
    pf_rows_free(&rows);
}

static void test_room(struct pf_dict *dict)
{
    uint32_t a = location_of(dict, "a"), b = location_of(dict, "b");
    uint32_t label =
        pf_dict_add_label(dict, 0, pf_dict_intern_word(dict, "k"), pf_dict_intern_word(dict, "v"));
    struct pf_rows rows;
    struct pf_batch batch;

    pf_rows_init(&rows, dict);
    pf_rows_begin(&rows, PF_FLAT);
    pf_rows_measure(&rows, measure_of(dict, "z", PF_FLAT));
    pf_rows_flat(&rows, a, 0);
    tap_ok(pf_rows_room(&rows, PF_BATCH_ROWS), "there can be more records than a batch holds");
    for (size_t k = 0; k < PF_BATCH_ROWS; k++) {
        rows.places[rows.count + k] = b;
        rows.values[0][rows.count + k] = (int64_t)k;
    }
    pf_rows_wrote(&rows, PF_BATCH_ROWS, label);
    tap_int((int64_t)pf_rows_waiting(&rows), PF_BATCH_ROWS + 1,
            "records written in place wait for a batch");
    pf_rows_give(&rows, &batch);
    tap_ok(pf_rows_give(&rows, &batch) && batch.rows == PF_BATCH_ROWS && batch.location[0] == a &&
               batch.labels[0] == 0 && batch.location[1] == b && batch.labels[1] == label &&
               batch.values[0].data[8191] == 8190,
           "records written in place come after earlier records, with labels");
    tap_ok(pf_rows_give(&rows, &batch) && batch.rows == 1 && batch.values[0].data[0] == 8191,
           "the last record written in place is the next batch");
    pf_rows_free(&rows);
}

/* Ten batches of rows, taken all at the end or each when it is ready, are the same. */
static void test_many(struct pf_dict *dict)
{
    enum { ROWS = 10 * PF_BATCH_ROWS + 5 };
    uint32_t places[7];
    struct pf_rows rows;
    struct pf_batch batch;

    for (unsigned k = 0; k < 7; k++)
        places[k] = location_of(dict, (char[2]){(char)('p' + k), '\0'});
    for (unsigned whole = 0; whole < 2; whole++) {
        int64_t next = 0;
        bool good = true, small = true;

        pf_rows_init(&rows, dict);
        pf_rows_measure(&rows, measure_of(dict, "x", PF_SAMPLE));
        for (int64_t k = 0; k <= ROWS; k++) {
            if (k < ROWS) {
                pf_rows_sample_of(&rows, &places[k % 7], 1, 0);
                pf_rows_set(&rows, 0, k);
            }
            while (k == ROWS || (!whole && pf_rows_ready(&rows))) {
                if (!pf_rows_give(&rows, &batch))
                    break;
                small = small && batch.rows <= PF_BATCH_ROWS;
                for (uint32_t row = 0; row < batch.rows; row++, next++)
                    good = good && batch.values[0].data[row] == next &&
                           pf_dict_stack(dict, batch.stack[row])->location == places[next % 7];
            }
        }
        tap_ok(good && small && next == ROWS, "%d records keep their order, %s", ROWS,
               whole ? "added at once" : "given while records are added");
        tap_ok(whole || rows.capacity <= 2 * PF_BATCH_ROWS, "room is used again");
        pf_rows_free(&rows);
    }
}

/* A reader that ends early leaves no record in the stacks that the next reader uses. */
static void test_shared_stacks(struct pf_dict *dict)
{
    uint32_t places[2] = {location_of(dict, "leaf"), location_of(dict, "root")};
    struct pf_stack_memo *memo = pf_stack_memo_new();
    char text[2][256];

    for (unsigned k = 0; k < 2; k++) {
        struct pf_rows rows;

        pf_rows_init(&rows, dict);
        pf_rows_share_stacks(&rows, memo);
        pf_rows_sample_of(&rows, places, 2, 0);
        show(&rows, text[k], sizeof text[k]);
        pf_rows_sample_of(&rows, places, 2, 0);
        pf_rows_free(&rows);
    }
    tap_text(text[0], "sample 0; sample 1 rootleaf", "the owner's memo finds stacks");
    tap_text(text[1], text[0], "the owner's memo stays for the next reader");
    pf_stack_memo_free(memo);
}

static void test_depth(struct pf_dict *dict)
{
    struct pf_error error = {0};
    struct pf_rows rows;
    int status = PF_OK;

    pf_rows_init(&rows, dict);
    for (size_t k = 0; k < PF_STACK_DEPTH_MAX && status == PF_OK; k++)
        status = pf_rows_frame(&rows, 1, &error, 5);
    tap_ok(status == PF_OK && rows.depth == 1048575, "a sample may have 1048575 frames");
    status = pf_rows_frame(&rows, 1, &error, 5);
    tap_ok(status == PF_FAILED && error.has_offset && error.offset == 5,
           "a sample with more frames is refused");
    tap_text(error.text, "more than 1048575 frames", "the message names the limit");
    pf_rows_free(&rows);
}

int main(void)
{
    struct pf_dict dict;

    if (pf_dict_init(&dict) != PF_OK)
        return 1;
    test_order(&dict);
    test_columns(&dict);
    test_places(&dict);
    test_room(&dict);
    test_many(&dict);
    test_shared_stacks(&dict);
    test_depth(&dict);
    pf_dict_free(&dict);
    return tap_done();
}

/* Tests of the native stream. Without arguments prints TAP. Subcommands for comparison with
 * tests/reference/pfs.py:
 *
 *     test_stream dump FILE             prints what the reader gives, in the lines of pfs.py
 *     test_stream rewrite IN OUT CUT Z  reads and writes, with batches cut into at most CUT rows
 *                                       and deflated at level Z
 *     test_stream copy IN OUT           copies frame by frame
 *     test_stream frames FILE           prints a line for each frame */
#include "tap.h"

#include "base/number.h"
#include "codec/codec.h"
#include "stream/frame.h"
#include "stream/stream.h"

#include <stdlib.h>

extern const struct pf_format pf_format_pfs;

static const struct pf_options no_options;

static struct pf_reader *open_reader(struct pf_source *source, struct pf_dict *dict,
                                     struct pf_error *error)
{
    struct pf_reader *reader;
    struct pf_reader setup = {.format = &pf_format_pfs,
                              .source = source,
                              .dict = dict,
                              .options = &no_options,
                              .name = "test"};

    pf_reader_open(&reader, &setup, error);
    return reader;
}

static struct pf_writer *open_writer(struct pf_sink *sink, struct pf_dict *dict, int compression,
                                     struct pf_error *error)
{
    struct pf_writer *writer;
    struct pf_writer setup = {.format = &pf_format_pfs,
                              .sink = sink,
                              .dict = dict,
                              .options = &no_options,
                              .compression = compression};

    pf_writer_open(&writer, &setup, error);
    return writer;
}

/* --- dump ------------------------------------------------------------------------------------- */

struct dump {
    const struct pf_dict *dict;
    FILE *kinds[PF_RECORD_KINDS];
    char *texts[PF_RECORD_KINDS];
    size_t sizes[PF_RECORD_KINDS];
    char **measures;
    size_t measure_count, measure_capacity;
};

static void put_bytes(FILE *out, struct pf_bytes bytes, unsigned flags)
{
    for (size_t i = 0; i < bytes.size; i++)
        fprintf(out, "%02x", (unsigned char)bytes.data[i]);
    if ((flags & PF_UTF8) && !pf_ascii(bytes))
        putc('u', out);
}

static void put_string(FILE *out, const struct pf_dict *dict, uint32_t id)
{
    put_bytes(out, pf_dict_string(dict, id), dict->strings.rows[id].flags);
}

static void put_measure(FILE *out, const struct pf_dict *dict, uint32_t k)
{
    const struct pf_measure *row = pf_measures_row(&dict->measures, k);

    put_string(out, dict, row->name);
    putc(',', out);
    put_string(out, dict, row->unit);
    fprintf(out, ",%s,%d,%d,%d,%" PRIu64 ",%" PRIu64 ",%" PRIu64 "/%" PRIu64 ",",
            pf_kind_name((enum pf_kind)row->kind), row->role, row->nature, row->aggregation,
            row->num, row->den, row->period, pf_measure_period_parts(row));
    put_string(out, dict, row->raw_unit);
    fprintf(out, ",%d,%s%s", row->main, row->runs ? "runs" : "",
            row->side == PF_NO_SIDE ? "" : pf_side_word((enum pf_side)row->side));
}

static void put_location(FILE *out, const struct pf_dict *dict, uint32_t id)
{
    const struct pf_location *row = pf_dict_location(dict, id);
    const struct pf_function *function = pf_dict_function(dict, row->function);
    const struct pf_image *image = pf_dict_image(dict, row->image);

    if (id == 0)
        return;
    putc('(', out);
    if (row->function != 0) {
        put_string(out, dict, function->name);
        putc(',', out);
        put_string(out, dict, function->system_name);
        putc(',', out);
        put_string(out, dict, function->file);
        fprintf(out, ",%" PRId64, function->start_line);
    }
    fputs(")(", out);
    if (row->image != 0) {
        put_string(out, dict, image->name);
        putc(',', out);
        put_string(out, dict, image->identifier);
        fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
                image->start, image->limit, image->offset, image->text_start, image->text_size,
                image->flags);
    }
    fprintf(out, "),%" PRId64 ",%" PRIu64 ",%" PRIu32 ",%u,%u", row->line, row->address,
            row->column, row->kind, row->inlined);
}

static void put_stack(FILE *out, const struct pf_dict *dict, uint32_t id)
{
    const struct pf_stack *row = pf_dict_stack(dict, id);

    if (row->parent != 0) {
        put_stack(out, dict, row->parent);
        putc(';', out);
    }
    put_location(out, dict, row->location);
}

static void put_labels(FILE *out, const struct pf_dict *dict, uint32_t id)
{
    const struct pf_label *row = pf_dict_label(dict, id);

    if (id == 0)
        return;
    if (row->parent != 0) {
        put_labels(out, dict, row->parent);
        putc(' ', out);
    }
    put_string(out, dict, row->key);
    putc('=', out);
    put_string(out, dict, row->text);
    fprintf(out, ",%" PRIu32 ",%" PRId64, row->numeric, row->number);
}

static uint32_t at(const uint32_t *ids, uint32_t row)
{
    return !ids ? 0 : ids[row];
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Prints values sorted, because the order of the columns depends on the segment. */
static void put_values(FILE *out, const struct pf_dict *dict, const struct pf_batch *batch,
                       uint32_t row)
{
    char *texts[64];
    size_t count = 0, size;

    for (uint32_t i = 0; i < batch->value_count; i++) {
        if (batch->values[i].data[row] == 0)
            continue;
        FILE *text = open_memstream(&texts[count++], &size);
        put_measure(text, dict, batch->values[i].measure);
        fprintf(text, ":%" PRId64, batch->values[i].data[row]);
        fclose(text);
    }
    qsort(texts, count, sizeof *texts, compare_lines);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%s%s", i == 0 ? "" : " ", texts[i]);
        free(texts[i]);
    }
}

static void put_record(FILE *out, const struct pf_dict *dict, const struct pf_batch *batch,
                       uint32_t row)
{
    fprintf(out, "%s %" PRId64 " [", pf_kind_name(batch->kind),
            !batch->time ? 0 : batch->time[row]);
    put_labels(out, dict, at(batch->labels, row));
    fputs("] ", out);
    if (batch->kind == PF_SAMPLE) {
        put_stack(out, dict, at(batch->stack, row));
    } else {
        put_location(out, dict, at(batch->location, row));
        if (batch->kind == PF_EDGE) {
            putc(' ', out);
            put_location(out, dict, at(batch->callee, row));
        }
    }
    fputs(" {", out);
    put_values(out, dict, batch, row);
    fputs("}\n", out);
}

static void note_measure(struct dump *dump, uint32_t k)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    fputs("measure ", out);
    put_measure(out, dump->dict, k);
    fclose(out);
    for (size_t i = 0; i < dump->measure_count; i++)
        if (strcmp(dump->measures[i], text) == 0) {
            free(text);
            return;
        }
    if (!pf_grow(&dump->measures, &dump->measure_capacity, dump->measure_count + 1,
                 sizeof *dump->measures))
        abort();
    dump->measures[dump->measure_count++] = text;
}

/* Records of different kinds have no order, but none moves past metadata or source texts. */
static void barrier(struct dump *dump)
{
    for (size_t i = 0; i < PF_RECORD_KINDS; i++) {
        if (!dump->kinds[i])
            continue;
        fclose(dump->kinds[i]);
        fwrite(dump->texts[i], 1, dump->sizes[i], stdout);
        free(dump->texts[i]);
        dump->kinds[i] = NULL;
    }
}

static void dump_batch(struct dump *dump, const struct pf_batch *batch)
{
    for (uint32_t i = 0; i < batch->value_count; i++)
        note_measure(dump, batch->values[i].measure);
    if (batch->kind >= PF_RECORD_KINDS && batch->rows > 0)
        barrier(dump);
    for (uint32_t row = 0; row < batch->rows; row++) {
        if (batch->kind < PF_RECORD_KINDS) {
            FILE **out = &dump->kinds[batch->kind];
            if (!*out)
                *out = open_memstream(&dump->texts[batch->kind], &dump->sizes[batch->kind]);
            put_record(*out, dump->dict, batch, row);
        } else if (batch->kind == PF_META) {
            fputs("meta ", stdout);
            put_string(stdout, dump->dict, at(batch->origin, row));
            putchar(' ');
            put_string(stdout, dump->dict, at(batch->key, row));
            putchar(' ');
            put_string(stdout, dump->dict, at(batch->value, row));
            putchar('\n');
        } else {
            printf("text %" PRIu64 " ", batch->texts[row].line);
            put_bytes(stdout, batch->texts[row].name, batch->texts[row].name_flags);
            putchar(' ');
            put_bytes(stdout, batch->texts[row].text, batch->texts[row].text_flags);
            putchar('\n');
        }
    }
}

static int run_dump(const char *path)
{
    struct pf_error error = {0};
    struct pf_source *source;
    struct pf_dict dict;
    struct pf_batch batch;
    struct dump dump = {.dict = &dict};

    pf_dict_init(&dict);
    if (pf_source_open(&source, path, &error) != PF_OK)
        return 2;
    struct pf_reader *reader = open_reader(source, &dict, &error);
    while (pf_reader_next(reader, &batch) == PF_OK)
        dump_batch(&dump, &batch);
    barrier(&dump);
    if (dump.measure_count > 0)
        qsort(dump.measures, dump.measure_count, sizeof *dump.measures, compare_lines);
    for (size_t i = 0; i < dump.measure_count; i++) {
        puts(dump.measures[i]);
        free(dump.measures[i]);
    }
    free(dump.measures);
    puts(reader->status == PF_EOF           ? "whole"
         : reader->status == PF_UNSUPPORTED ? "newer"
                                            : "failed");
    if (reader->status < 0)
        fprintf(stderr, "offset %" PRIu64 ": %s\n", reader->error.offset, reader->error.text);
    pf_reader_close(reader);
    pf_source_close(source);
    pf_dict_free(&dict);
    return 0;
}

/* --- rewrite ---------------------------------------------------------------------------------- */

/* Rows `first` to `first + rows` of the batch. */
static struct pf_batch slice(const struct pf_batch *batch, uint32_t first, uint32_t rows,
                             struct pf_value_column *values)
{
    struct pf_batch part = *batch;

    part.rows = rows;
    part.stack = !batch->stack ? NULL : batch->stack + first;
    part.labels = !batch->labels ? NULL : batch->labels + first;
    part.location = !batch->location ? NULL : batch->location + first;
    part.callee = !batch->callee ? NULL : batch->callee + first;
    part.time = !batch->time ? NULL : batch->time + first;
    part.origin = !batch->origin ? NULL : batch->origin + first;
    part.key = !batch->key ? NULL : batch->key + first;
    part.value = !batch->value ? NULL : batch->value + first;
    part.texts = !batch->texts ? NULL : batch->texts + first;
    for (uint32_t i = 0; i < batch->value_count; i++)
        values[i] =
            (struct pf_value_column){batch->values[i].measure, batch->values[i].data + first};
    part.values = values;
    return part;
}

static int write_pieces(struct pf_writer *writer, const struct pf_batch *batch, uint32_t cut)
{
    struct pf_value_column values[64];
    int status = batch->rows == 0 ? pf_writer_write(writer, batch) : PF_OK;

    for (uint32_t first = 0; first < batch->rows && status == PF_OK; first += cut) {
        struct pf_batch part =
            slice(batch, first, batch->rows - first < cut ? batch->rows - first : cut, values);
        status = pf_writer_write(writer, &part);
    }
    return status;
}

/* Copies from source to sink. Returns the reader's last status. */
static int rewrite(struct pf_source *source, struct pf_sink *sink, uint32_t cut, int compression)
{
    struct pf_error error = {0};
    struct pf_dict dict;
    struct pf_batch batch;
    int status, written = PF_OK;

    pf_dict_init(&dict);
    struct pf_reader *reader = open_reader(source, &dict, &error);
    struct pf_writer *writer = open_writer(sink, &dict, compression, &error);
    while ((status = pf_reader_next(reader, &batch)) == PF_OK && written == PF_OK)
        written = write_pieces(writer, &batch, cut);
    if (written == PF_OK)
        written = pf_writer_finish(writer, status < 0);
    if (written != PF_OK)
        fprintf(stderr, "%s\n", writer->error.text);
    pf_writer_close(writer);
    pf_reader_close(reader);
    pf_dict_free(&dict);
    return written == PF_OK ? status : PF_IO;
}

static int run_rewrite(char **words)
{
    struct pf_error error = {0};
    struct pf_source *source;
    struct pf_sink *sink;
    if (pf_source_open(&source, words[0], &error) != PF_OK ||
        pf_sink_open(&sink, words[1], &error) != PF_OK)
        return 2;
    rewrite(source, sink, (uint32_t)strtoul(words[2], NULL, 10), (int)strtol(words[3], NULL, 10));
    pf_source_close(source);
    return pf_sink_commit(sink, &error) == PF_OK ? 0 : 2;
}

static int run_copy(char **words)
{
    struct pf_error error = {0};
    struct pf_report report = {0};
    struct pf_source *source;
    struct pf_sink *sink;
    uint64_t records;

    if (pf_source_open(&source, words[0], &error) != PF_OK ||
        pf_sink_open(&sink, words[1], &error) != PF_OK)
        return 2;
    int status = pf_stream_copy(source, sink, &report, false, &records, &error);
    pf_source_close(source);
    puts(status == PF_OK ? "whole" : status == PF_UNSUPPORTED ? "newer" : "failed");
    return pf_sink_commit(sink, &error) == PF_OK ? 0 : 2;
}

static int print_frame(void *arg, const struct pf_frame *frame, bool good)
{
    (void)arg;
    printf("%" PRIu64 " %c %u %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %u%s\n",
           frame->offset, frame->type, frame->domain, frame->rows, frame->base, frame->size,
           frame->raw, frame->flags, good ? "" : " damaged");
    return PF_OK;
}

static int run_frames(const char *path)
{
    struct pf_error error = {0};
    struct pf_source *source;

    if (pf_source_open(&source, path, &error) != PF_OK)
        return 2;
    pf_frame_walk(source, print_frame, NULL, &error);
    pf_source_close(source);
    return 0;
}

/* --- TAP -------------------------------------------------------------------------------------- */

/* Writes a profile: samples with stacks, labels and two measures, flat records, edges, metadata, a
 * source text. */
static void write_profile(struct pf_writer *writer, struct pf_dict *dict, uint32_t rows)
{
    static uint32_t stack[20000], labels[20000], location[20000], callee[20000];
    static int64_t ticks[20000], ones[20000], calls[20000];
    uint32_t places[3], stacks[3], ticks_name = pf_dict_intern(dict, PF_BYTES("wall"), 0),
                                   ns = pf_dict_intern(dict, PF_BYTES("nanoseconds"), 0);
    uint32_t count = pf_dict_intern(dict, PF_BYTES("count"), 0),
             key = pf_dict_intern(dict, PF_BYTES("op"), 0);
    uint32_t wall = pf_measures_intern(
        &dict->measures,
        &(struct pf_measure){.name = ticks_name, .unit = ns, .num = 10000, .den = 1, .main = 1});
    uint32_t samples = pf_measures_intern(
        &dict->measures, &(struct pf_measure){.name = count, .unit = count, .num = 1, .den = 1});
    uint32_t depth = pf_measures_intern(&dict->measures, &(struct pf_measure){.name = key,
                                                                              .unit = count,
                                                                              .kind = PF_EDGE,
                                                                              .aggregation = PF_MAX,
                                                                              .num = 1,
                                                                              .den = 1});

    for (uint32_t i = 0; i < 3; i++) {
        char name[] = {(char)('a' + (char)i), '\0'};
        struct pf_function function = {.name = pf_dict_intern(dict, pf_bytes_of(name), 0),
                                       .start_line = -1};
        places[i] = pf_dict_add_location(
            dict, &(struct pf_location){.function = pf_dict_add_function(dict, &function),
                                        .line = 10 + i});
        stacks[i] = pf_dict_add_frame(dict, i == 0 ? 0 : stacks[i - 1], places[i]);
    }
    for (uint32_t i = 0; i < rows; i++) {
        stack[i] = i % 7 == 0 ? 0 : stacks[(i * i + 1) % 3];
        labels[i] =
            i % 5 == 0
                ? pf_dict_add_label(dict, 0, key,
                                    pf_dict_intern(dict, pf_bytes_of(i % 2 == 0 ? "x" : "y"), 0))
                : 0;
        location[i] = places[i % 3];
        callee[i] = places[(i + 1) % 3];
        ticks[i] = (int64_t)i * i - 50;
        ones[i] = 1;
        calls[i] = -(int64_t)i - 1;
    }
    struct pf_value_column both[] = {{wall, ticks}, {samples, ones}}, deepest[] = {{depth, calls}};
    struct pf_text text = {.name = PF_BYTES("f.pl"), .text = PF_BYTES("print 1;\n"), .line = 3};
    struct pf_batch batches[] = {
        {.kind = PF_SAMPLE, .values = both, .value_count = 2},
        {.kind = PF_META, .rows = 1, .origin = &key, .key = &count, .value = &ns},
        {.kind = PF_SAMPLE,
         .rows = rows,
         .stack = stack,
         .labels = labels,
         .values = both,
         .value_count = 2},
        {.kind = PF_FLAT, .rows = rows, .location = location},
        {.kind = PF_EDGE,
         .rows = rows,
         .location = location,
         .callee = callee,
         .labels = labels,
         .values = deepest,
         .value_count = 1},
        {.kind = PF_TEXT, .rows = 1, .texts = &text},
        {.kind = PF_SAMPLE,
         .rows = 1,
         .stack = stacks,
         .time = ticks,
         .values = both,
         .value_count = 1},
    };
    for (size_t i = 0; i < sizeof batches / sizeof *batches; i++)
        pf_writer_write(writer, &batches[i]);
}

static struct pf_sink *profile(uint32_t rows, bool failed_input)
{
    struct pf_error error = {0};
    struct pf_sink *sink;
    struct pf_dict dict;

    pf_dict_init(&dict);
    pf_sink_open_memory(&sink, &error);
    struct pf_writer *writer = open_writer(sink, &dict, 0, &error);
    write_profile(writer, &dict, rows);
    pf_writer_finish(writer, failed_input);
    pf_writer_close(writer);
    pf_dict_free(&dict);
    return sink;
}

/* Reads everything. Returns the last status, and in *records the number of records. */
static int read_bytes(const void *bytes, size_t size, uint64_t *records, struct pf_error *error)
{
    struct pf_source *source;
    struct pf_dict dict;
    struct pf_batch batch;
    int status;

    pf_dict_init(&dict);
    pf_source_open_memory(&source, bytes, size, error);
    struct pf_reader *reader = open_reader(source, &dict, error);
    while ((status = pf_reader_next(reader, &batch)) == PF_OK)
        continue;
    *error = reader->error;
    *records = reader->records;
    pf_reader_close(reader);
    pf_source_close(source);
    pf_dict_free(&dict);
    return status;
}

static bool same_bytes(struct pf_sink *a, struct pf_sink *b)
{
    size_t a_size, b_size;
    const void *a_bytes = pf_sink_memory(a, &a_size), *b_bytes = pf_sink_memory(b, &b_size);

    return a_size == b_size && memcmp(a_bytes, b_bytes, a_size) == 0;
}

static void test_cuts(const char *bytes, size_t size)
{
    struct pf_error error;
    uint64_t records;
    size_t missed = 0, more = 0;

    for (size_t cut = 0; cut < size; cut++) {
        error = (struct pf_error){0};
        missed += read_bytes(bytes, cut, &records, &error) != PF_FAILED || !error.has_offset;
        more += records > 4;
    }
    tap_int((int64_t)missed, 0, "every cut of a segment is detected, with its offset");
    tap_int((int64_t)more, 0, "no cut adds records");
}

static void test_flips(const char *bytes, size_t size)
{
    struct pf_error error;
    uint64_t records;
    size_t missed = 0;
    char *copy = malloc(size);

    memcpy(copy, bytes, size);
    for (size_t bit = 0; bit < size * 8; bit++) {
        copy[bit / 8] = (char)(copy[bit / 8] ^ 1 << bit % 8);
        error = (struct pf_error){0};
        missed += read_bytes(copy, size, &records, &error) != PF_FAILED || !error.has_offset;
        copy[bit / 8] = bytes[bit / 8];
    }
    free(copy);
    tap_int((int64_t)missed, 0, "every flipped bit is detected, with its offset");
}

static struct pf_sink *copied(const void *bytes, size_t size, bool salvage, int *status)
{
    struct pf_error error = {0};
    struct pf_report report = {0};
    struct pf_source *source;
    struct pf_sink *sink;
    uint64_t records;

    pf_source_open_memory(&source, bytes, size, &error);
    pf_sink_open_memory(&sink, &error);
    *status = pf_stream_copy(source, sink, &report, salvage, &records, &error);
    pf_source_close(source);
    return sink;
}

/* A copy of a cut or damaged stream says that it is incomplete; with salvage it is a whole stream
 * of the records before the damage. */
static void test_damaged_copies(const char *bytes, size_t size)
{
    struct pf_error error;
    size_t missed = 0, unsaved = 0, lost = 0;

    for (size_t cut = 0; cut < size; cut++) {
        for (int salvage = 0; salvage < 2; salvage++) {
            int status;
            size_t copy_size;
            uint64_t before, after;
            struct pf_sink *sink = copied(bytes, cut, salvage, &status);
            const void *copy = pf_sink_memory(sink, &copy_size);
            error = (struct pf_error){0};
            int read = read_bytes(copy, copy_size, &after, &error);
            if (salvage)
                unsaved += status != PF_OK || read != PF_EOF;
            else
                missed += status != PF_FAILED || read != PF_FAILED ||
                          !strstr(error.text, "incomplete");
            error = (struct pf_error){0};
            read_bytes(bytes, cut, &before, &error);
            lost += before != after;
            pf_sink_abort(sink);
        }
    }
    tap_int((int64_t)missed, 0, "the copy of a cut stream is marked incomplete");
    tap_int((int64_t)unsaved, 0, "the salvaged copy of a cut stream is whole");
    tap_int((int64_t)lost, 0, "the copy of a cut stream has its records");
}

static void test_pieces(void)
{
    static const uint32_t cuts[] = {1, 7, 4096, 8191, 8192};
    struct pf_error error = {0};
    struct pf_sink *whole = profile(20000, false);
    size_t size;
    const void *bytes = pf_sink_memory(whole, &size);
    bool same = true;

    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        struct pf_source *source;
        struct pf_sink *sink;
        pf_source_open_memory(&source, bytes, size, &error);
        pf_sink_open_memory(&sink, &error);
        same = rewrite(source, sink, cuts[i], 0) == PF_EOF && same_bytes(whole, sink) && same;
        pf_sink_abort(sink);
        pf_source_close(source);
    }
    tap_ok(same, "written bytes do not depend on the sizes of batches");
    pf_sink_abort(whole);
}

static void test_marks(void)
{
    struct pf_error error = {0};
    uint64_t records;
    size_t size, twice;
    int status;
    struct pf_sink *failed = profile(3, true), *whole = profile(3, false);
    const char *bytes = pf_sink_memory(failed, &size);
    char *both = malloc(2 * size);

    memcpy(both, bytes, size);
    memcpy(both + size, pf_sink_memory(whole, &twice), size);
    tap_int(read_bytes(both, 2 * size, &records, &error), PF_FAILED,
            "a stream with an incomplete segment fails");
    tap_int((int64_t)records, 20,
            "a stream with an incomplete segment first gives all records of all segments");
    tap_text(error.text, "the stream is marked incomplete: an earlier stage failed",
             "and says why");
    struct pf_sink *copy = copied(both, 2 * size, false, &status);
    tap_ok(status == PF_FAILED && memcmp(pf_sink_memory(copy, &twice), both, 2 * size) == 0 &&
               twice == 2 * size,
           "a copy keeps the mark of an incomplete stream");
    pf_sink_abort(copy);
    free(both);
    pf_sink_abort(failed);
    pf_sink_abort(whole);
}

/* A recursive stack may be as deep as the limit; one frame more is refused. */
static void test_depth(uint32_t depth, int expected, const char *sentence)
{
    struct pf_error error = {0};
    struct pf_sink *sink;
    struct pf_dict dict;
    uint64_t records;
    uint32_t stack = 0;
    size_t size;

    pf_dict_init(&dict);
    pf_sink_open_memory(&sink, &error);
    struct pf_writer *writer = open_writer(sink, &dict, 0, &error);
    uint32_t place = pf_dict_add_location(&dict, &(struct pf_location){.line = 1});
    for (uint32_t i = 0; i < depth; i++)
        stack = pf_dict_add_frame(&dict, stack, place);
    pf_writer_write(writer, &(struct pf_batch){.kind = PF_SAMPLE, .rows = 1, .stack = &stack});
    pf_writer_finish(writer, false);
    pf_writer_close(writer);
    pf_dict_free(&dict);
    const void *bytes = pf_sink_memory(sink, &size);
    tap_int(read_bytes(bytes, size, &records, &error), expected, sentence);
    pf_sink_abort(sink);
}

/* Writes and reads a batch. Returns the last status, and in *records the number of records. */
static int pass(struct pf_dict *dict, const struct pf_batch *batch, int compression,
                uint64_t *records)
{
    struct pf_error error = {0};
    struct pf_sink *sink;
    size_t size;

    pf_sink_open_memory(&sink, &error);
    struct pf_writer *writer = open_writer(sink, dict, compression, &error);
    int status = pf_writer_write(writer, batch);
    if (status == PF_OK)
        status = pf_writer_finish(writer, false);
    pf_writer_close(writer);
    const void *bytes = pf_sink_memory(sink, &size);
    if (status == PF_OK)
        status = read_bytes(bytes, size, records, &error);
    pf_sink_abort(sink);
    return status;
}

static void test_strings(void)
{
    struct pf_dict dict;
    uint64_t records;
    char *bytes = calloc(1, PF_STRING_MAX);
    struct pf_text text = {.name = {bytes, 1}, .text = {bytes, PF_STRING_MAX - 1}};
    struct pf_batch texts = {.kind = PF_TEXT, .rows = 1, .texts = &text};

    pf_dict_init(&dict);
    uint32_t longest = pf_dict_intern(&dict, (struct pf_bytes){bytes, PF_STRING_MAX}, 0);
    struct pf_batch metadata = {
        .kind = PF_META, .rows = 1, .origin = &longest, .key = &longest, .value = &longest};
    tap_int(pass(&dict, &metadata, 0, &records), PF_EOF, "the longest string passes");
    tap_int(pass(&dict, &metadata, 1, &records), PF_EOF, "deflated too");
    tap_int(pass(&dict, &texts, 0, &records), PF_EOF, "the longest source text passes");
    text.text.size++;
    tap_int(pass(&dict, &texts, 0, &records), PF_UNSUPPORTED, "a longer source text is refused");
    free(bytes);
    pf_dict_free(&dict);
}

static void test_measures(void)
{
    enum { ROWS = 8192, MANY = 1025 };
    struct pf_value_column *values = calloc(MANY, sizeof *values);
    int64_t *wide = calloc(ROWS, sizeof *wide);
    struct pf_batch batch = {.kind = PF_FLAT, .rows = ROWS, .values = values, .value_count = 400};
    struct pf_dict dict;
    uint64_t records = 0;

    wide[1] = INT64_MAX;
    wide[2] = INT64_MIN;
    pf_dict_init(&dict);
    for (uint32_t i = 0; i < MANY; i++) {
        char name[16];
        snprintf(name, sizeof name, "m%" PRIu32, i);
        struct pf_measure row = {.name = pf_dict_intern(&dict, pf_bytes_of(name), 0),
                                 .kind = PF_FLAT,
                                 .num = 1,
                                 .den = 1};
        values[i] = (struct pf_value_column){pf_measures_intern(&dict.measures, &row), wide};
    }
    tap_int(pass(&dict, &batch, 0, &records), PF_EOF,
            "a block that is too large for a frame is divided");
    tap_int((int64_t)records, ROWS, "a divided block keeps its records");
    batch.rows = 1;
    batch.value_count = MANY - 1;
    tap_int(pass(&dict, &batch, 0, &records), PF_EOF, "1024 measures pass");
    batch.value_count = MANY;
    tap_int(pass(&dict, &batch, 0, &records), PF_UNSUPPORTED, "more do not");
    pf_dict_free(&dict);
    free(values);
    free(wide);
}

/* The same measure with another scale begins a new segment, and both keep their values. */
static void test_scales(void)
{
    struct pf_error error = {0};
    struct pf_sink *sink;
    struct pf_dict dict;
    uint64_t records;
    size_t size, heads = 0;
    int64_t value = 5;

    pf_dict_init(&dict);
    uint32_t name = pf_dict_intern(&dict, PF_BYTES("wall"), 0);
    pf_sink_open_memory(&sink, &error);
    struct pf_writer *writer = open_writer(sink, &dict, 0, &error);
    for (uint32_t i = 0; i < 4; i++) {
        struct pf_measure row = {.name = name, .num = 1 + i / 2, .den = 1};
        struct pf_value_column column = {pf_measures_intern(&dict.measures, &row), &value};
        pf_writer_write(
            writer,
            &(struct pf_batch){.kind = PF_SAMPLE, .rows = 1, .values = &column, .value_count = 1});
    }
    pf_writer_finish(writer, false);
    pf_writer_close(writer);
    const char *bytes = pf_sink_memory(sink, &size);
    for (size_t i = 0; i + 8 <= size; i += 8)
        heads += memcmp(bytes + i, "\x89PFSH", 5) == 0;
    tap_int((int64_t)heads, 2, "a measure with another scale begins a new segment");
    tap_int(read_bytes(bytes, size, &records, &error), PF_EOF, "which is read");
    tap_int((int64_t)records, 4, "the new segment has all its records");
    pf_sink_abort(sink);
    pf_dict_free(&dict);
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "dump") == 0)
        return run_dump(argv[2]);
    if (argc == 6 && strcmp(argv[1], "rewrite") == 0)
        return run_rewrite(argv + 2);
    if (argc == 4 && strcmp(argv[1], "copy") == 0)
        return run_copy(argv + 2);
    if (argc == 3 && strcmp(argv[1], "frames") == 0)
        return run_frames(argv[2]);

    struct pf_error error = {0};
    uint64_t records;
    size_t size;
    int status;
    struct pf_sink *sink = profile(1, false);
    const char *bytes = pf_sink_memory(sink, &size);
    tap_int(read_bytes(bytes, size, &records, &error), PF_EOF, "a written stream can be read");
    tap_int((int64_t)records, 4, "a written stream has its records");
    test_cuts(bytes, size);
    test_flips(bytes, size);
    test_damaged_copies(bytes, size);
    struct pf_sink *copy = copied(bytes, size, false, &status);
    tap_ok(status == PF_OK && same_bytes(sink, copy), "a copy has the same bytes");
    pf_sink_abort(copy);
    pf_sink_abort(sink);
    test_pieces();
    test_marks();
    test_depth(PF_STACK_DEPTH_MAX, PF_EOF, "a stack of 1048575 frames passes");
    test_depth(PF_STACK_DEPTH_MAX + 1, PF_FAILED, "a deeper stack is refused");
    test_strings();
    test_measures();
    test_scales();
    return tap_done();
}

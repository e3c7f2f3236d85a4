/* Makes the inputs of the benchmark on standard output, the same bytes on every machine, and a baseline to hold against:
 *
 *     gen statprofiler N   a StatProfiler file of N samples, depth 15 to 20, nearly all stacks distinct, in sections
 *     gen native N         a native stream of N samples on 200,000 stacks
 *     gen unpack <FILE     unpacks the blocks of a StatProfiler file, nothing more; prints the bytes of records
 */
#include "base/hash.h"
#include "codec/codec.h"
#include "codec/registry.h"
#include "model/dict.h"

#include <inttypes.h>
#include <snappy-c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PACKAGES = 300, SUBS = 8, FUNCTIONS = PACKAGES * SUBS, CALLEES = 4, STACKS = 200000, BLOCK = 32000 };

static uint64_t random_state = 20140616;

static uint32_t below(uint32_t limit)
{
    random_state += 0x9e3779b97f4a7c15u;
    return (uint32_t)((pf_hash_mix(random_state) >> 32) * limit >> 32);
}

struct sub {
    char package[40], name[24], full[80], file[64];
    uint32_t first;
    uint32_t callees[CALLEES];
};

static struct sub subs[FUNCTIONS];

/* A program of a few hundred modules, named as such programs are: about 57 bytes a frame in a StatProfiler file. */
static void make_program(void)
{
    static const char *const area[] = {"Controller", "Model", "View", "Schema", "Plugin", "Util"};
    static const char *const noun[] = {"Order", "User", "Bill", "Login", "Cart", "Price", "Stock", "Item", "Find", "Mail"};
    static const char *const verb[] = {"get", "set", "find", "draw", "save", "test", "make", "_load"};
    static const char *const tail[] = {"_all", "", "_id", "_rows", "_cached", "_list", "_html", "_one"};
    for (uint32_t k = 0; k < FUNCTIONS; k++) {
        uint32_t package = k / SUBS;
        const char *in = area[package % 6], *what = noun[package / 6 % 10];
        snprintf(subs[k].package, sizeof subs[k].package, "Shop::%s::%s%" PRIu32, in, what, package / 60);
        snprintf(subs[k].name, sizeof subs[k].name, "%s%s", verb[k % SUBS], tail[package % 8]);
        snprintf(subs[k].full, sizeof subs[k].full, "Shop::%s::%s%" PRIu32 "::%s%s", in, what, package / 60,
                 verb[k % SUBS], tail[package % 8]);
        snprintf(subs[k].file, sizeof subs[k].file, "lib/Shop/%s/%s%" PRIu32 ".pm", in, what, package / 60);
        subs[k].first = 20 + k % SUBS * 60;
        for (int c = 0; c < CALLEES; c++)
            subs[k].callees[c] = below(FUNCTIONS);
    }
}

/* One of a sub's calls; the first is the most frequent, as in real call graphs. */
static uint32_t call(void)
{
    uint32_t r = below(16);
    return r < 8 ? 0 : r < 12 ? 1 : r < 14 ? 2 : 3;
}

/* The line of a call: each of a sub's calls stands in two places of it. */
static uint32_t call_site(uint32_t sub, uint32_t which)
{
    return subs[sub].first + which * 9 + below(2) * 4;
}

/* --- StatProfiler ------------------------------------------------------------------------------------------- */

static struct {
    unsigned char raw[BLOCK];
    size_t used;
    uint64_t total;
} block;

static void block_end(void)
{
    char packed[BLOCK * 2];
    size_t size = sizeof packed;
    if (!block.used || snappy_compress((const char *)block.raw, block.used, packed, &size) != SNAPPY_OK)
        return;
    putchar((int)(size >> 8));
    putchar((int)(size & 255));
    fwrite(packed, 1, size, stdout);
    block.total += block.used;
    block.used = 0;
}

static void put(const void *bytes, size_t size)
{
    for (const unsigned char *p = bytes; size;) {
        size_t part = BLOCK - block.used < size ? BLOCK - block.used : size;
        memcpy(block.raw + block.used, p, part);
        block.used += part;
        p += part;
        size -= part;
        if (block.used == BLOCK)
            block_end();
    }
}

static size_t varint(unsigned char *to, uint32_t value)
{
    size_t size = 1;
    for (uint32_t rest = value >> 7; rest; rest >>= 7)
        size++;
    for (size_t k = 0; k < size; k++)
        to[k] = (unsigned char)((value >> 7 * (size - 1 - k) & 127) | (k + 1 < size ? 128 : 0));
    return size;
}

struct record {
    unsigned char bytes[512];
    size_t size, strings;
};

static void record_number(struct record *record, uint32_t value)
{
    record->size += varint(record->bytes + record->size, value);
}

static void record_string(struct record *record, const char *string)
{
    size_t size = strlen(string);
    record->bytes[record->size++] = 0;
    record_number(record, (uint32_t)size);
    memcpy(record->bytes + record->size, string, size);
    record->size += size;
    record->strings++;
}

/* The length leaves out the flag byte of each string, as the profiler's own does. */
static void record_put(const struct record *record, unsigned char tag)
{
    unsigned char head[8] = {tag};
    size_t size = 1 + varint(head + 1, (uint32_t)(record->size - record->strings));
    put(head, size);
    put(record->bytes, record->size);
}

static void put_section(unsigned char tag, const char *name)
{
    struct record record = {.size = 0};
    record_string(&record, name);
    record_put(&record, tag);
}

static void put_sample(uint32_t depth)
{
    static const char *const ops[] = {"entersub", "padsv", "helem", "aelem", "concat", "match", "nextstate", "method_named"};
    static const struct record empty = {.size = 0};
    uint32_t path[20], line[20];
    struct record record = {.size = 0};
    record_number(&record, 1 + below(3));
    record_string(&record, ops[below(8)]);
    record_put(&record, 1);
    path[0] = below(6);
    for (uint32_t k = 1; k < depth; k++) {
        uint32_t which = call();
        path[k] = subs[path[k - 1]].callees[which];
        line[k - 1] = call_site(path[k - 1], which);
    }
    line[depth - 1] = subs[path[depth - 1]].first + below(40);
    for (uint32_t k = depth; k-- > 0;) {
        const struct sub *sub = &subs[path[k]];
        record = empty;
        record_string(&record, sub->package);
        record_string(&record, sub->name);
        record_string(&record, sub->file);
        record_number(&record, line[k]);
        record_number(&record, sub->first);
        record_put(&record, 3);
    }
    record = empty;
    record_string(&record, "bin/shop.psgi");
    record_number(&record, 12);
    record_put(&record, 6);
    record = empty;
    record_put(&record, 2);
}

/* Requests of 100 samples; the middle of each is database work, the end rendering. */
static int statprofiler(uint64_t samples)
{
    static const unsigned char header[] = {201, 5, 36, 0, 202, 0x87, 0x68, 203, 20, 254};
    static const unsigned char end[] = {197, 0};
    fwrite("=statprofiler\001", 1, 14, stdout);
    put(header, sizeof header);
    block_end();
    for (uint64_t k = 0; k < samples; k++) {
        uint64_t at = k % 100;
        if (at == 10)
            put_section(198, "req");
        if (at == 40)
            put_section(198, "db");
        if (at == 70) {
            put_section(199, "db");
            put_section(198, "render");
        }
        if (at == 95) {
            put_section(199, "render");
            put_section(199, "req");
        }
        put_sample(14 + below(6));
    }
    put(end, sizeof end);
    block_end();
    fprintf(stderr, "%" PRIu64 "\n", block.total);
    return fflush(stdout) || ferror(stdout);
}

static int unpack(void)
{
    static char packed[65536], raw[65536];
    uint64_t total = 0;
    unsigned char head[2];
    if (fread(packed, 1, 14, stdin) != 14)
        return 1;
    while (fread(head, 1, 2, stdin) == 2) {
        size_t size = (size_t)head[0] << 8 | head[1], length = sizeof raw;
        if (fread(packed, 1, size, stdin) != size || snappy_uncompress(packed, size, raw, &length) != SNAPPY_OK)
            return 1;
        total += length;
    }
    printf("%" PRIu64 "\n", total);
    return 0;
}

/* --- the native stream ------------------------------------------------------------------------------------------- */

static uint32_t string(struct pf_dict *dict, const char *text)
{
    return pf_dict_intern(dict, pf_bytes_of(text), 0);
}

/* A tree of STACKS frames, depth up to 20 or so: stack k hangs below one of the stacks before it. */
static void make_stacks(struct pf_dict *dict, uint32_t *stacks)
{
    static uint32_t functions[FUNCTIONS], depth[STACKS], sub_of[STACKS];
    for (uint32_t k = 0; k < FUNCTIONS; k++) {
        struct pf_function function = {.name = string(dict, subs[k].full), .file = string(dict, subs[k].file), .start_line = subs[k].first};
        functions[k] = pf_dict_add_function(dict, &function);
    }
    for (uint32_t k = 0, parent; k < STACKS;) {
        parent = k < 8 ? 0 : below(k);
        if (k >= 8 && depth[parent] > 20)
            continue;
        sub_of[k] = k < 8 ? k : subs[sub_of[parent]].callees[call()];
        struct pf_location location = {.function = functions[sub_of[k]], .line = subs[sub_of[k]].first + below(40), .kind = PF_FRAME_SUB};
        stacks[k] = pf_dict_add_frame(dict, k < 8 ? 0 : stacks[parent], pf_dict_add_location(dict, &location));
        depth[k] = k < 8 ? 1 : depth[parent] + 1;
        k++;
    }
}

static uint32_t sections(struct pf_dict *dict, const char *outer, const char *inner)
{
    uint32_t labels = pf_dict_add_label(dict, 0, dict->section_key, string(dict, outer));
    return inner ? pf_dict_add_label(dict, labels, dict->section_key, string(dict, inner)) : labels;
}

static int write_samples(struct pf_writer *writer, const uint32_t *stacks, uint64_t samples)
{
    static uint32_t stack[PF_BATCH_ROWS], label[PF_BATCH_ROWS];
    static int64_t wall[PF_BATCH_ROWS], one[PF_BATCH_ROWS];
    struct pf_dict *dict = writer->dict;
    struct pf_measure ticks = {.name = string(dict, "wall"), .unit = string(dict, "nanoseconds"), .raw_unit = string(dict, "tick"),
                               .kind = PF_SAMPLE, .nature = PF_SAMPLED, .num = 10000000, .den = 1, .main = 1};
    struct pf_measure count = {.name = string(dict, "samples"), .unit = string(dict, "count"), .kind = PF_SAMPLE, .role = PF_COUNT,
                               .nature = PF_SAMPLED, .num = 1, .den = 1};
    struct pf_value_column values[2] = {{pf_measures_intern(&dict->measures, &ticks), wall},
                                        {pf_measures_intern(&dict->measures, &count), one}};
    uint32_t sets[4] = {0, sections(dict, "req", NULL), sections(dict, "req", "db"), sections(dict, "req", "render")};
    for (uint64_t done = 0; done < samples;) {
        struct pf_batch batch = {.kind = PF_SAMPLE, .stack = stack, .labels = label, .values = values, .value_count = 2};
        batch.rows = samples - done < PF_BATCH_ROWS ? (uint32_t)(samples - done) : PF_BATCH_ROWS;
        for (uint32_t row = 0; row < batch.rows; row++) {
            /* few stacks are hot, as everywhere: the rank falls off like a power of a uniform number */
            double u = below(UINT32_MAX) / 4294967296.0;
            stack[row] = stacks[(uint32_t)(u * u * u * STACKS)];
            label[row] = sets[below(4)];
            wall[row] = 1 + below(3);
            one[row] = 1;
        }
        if (pf_writer_write(writer, &batch) != PF_OK)
            return 1;
        done += batch.rows;
    }
    return pf_writer_finish(writer, false) != PF_OK;
}

static int native(uint64_t samples)
{
    static const struct pf_options none;
    static uint32_t stacks[STACKS];
    struct pf_error error = {0};
    struct pf_sink *sink;
    struct pf_writer *writer;
    struct pf_dict dict;
    if (pf_dict_init(&dict) != PF_OK || pf_sink_open(&sink, NULL, &error) != PF_OK)
        return 1;
    make_stacks(&dict, stacks);
    struct pf_writer setup = {.format = pf_registry_find(PF_BYTES("pfs")), .sink = sink, .dict = &dict, .options = &none, .compression = -1};
    int status = pf_writer_open(&writer, &setup, &error) != PF_OK || write_samples(writer, stacks, samples);
    pf_writer_close(writer);
    status |= pf_sink_commit(sink, &error) != PF_OK;
    pf_dict_free(&dict);
    if (status)
        fprintf(stderr, "gen: %s\n", error.text);
    return status;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    uint64_t samples = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    make_program();
    if (!strcmp(what, "statprofiler") && samples)
        return statprofiler(samples);
    if (!strcmp(what, "native") && samples)
        return native(samples);
    if (!strcmp(what, "unpack"))
        return unpack();
    fprintf(stderr, "usage: gen statprofiler N | gen native N | gen unpack <FILE\n");
    return 2;
}

/* Makes the inputs of the benchmark on standard output, the same bytes on every machine, and does
 * the least work that a reader of them must do, for comparison:
 *
 *     gen statprofiler N   a StatProfiler file of N samples, depth 15 to 20, nearly all stacks
 *                          distinct, in sections
 *     gen host K           a StatProfiler file of host K of a fleet: 20,000 samples of 21 to 30
 *                          frames, 14,000 of them the same on all hosts
 *     gen fleet N DIR      N StatProfiler files in DIR of 64 programs: 300 samples each, of the
 * 2,000 stacks of its program, few of which are hot gen native N         a native stream of N
 * samples on 200,000 stacks gen nytprof N        a plain NYTProf file of N statements and discounts
 *     gen nytcalls N       a plain NYTProf file with calls=2: N statements, discounts, entries and
 *                          returns of calls
 *     gen nytevals N       a plain NYTProf file with N string evals, each with source text,
 *                          statements, a sub and a call of the sub
 *     gen deflate <FILE    a plain NYTProf file deflated as the profiler deflates it
 *     gen unpack <FILE     only unpacks the blocks of a StatProfiler file; prints the bytes of
 *                          records
 *     gen inflate <FILE    only inflates a deflated NYTProf file; prints the bytes of records */
#include "base/hash.h"
#include "codec/codec.h"
#include "codec/registry.h"
#include "model/dict.h"

#include <inttypes.h>
#include <snappy-c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
    PACKAGES = 300,
    SUBS = 8,
    FUNCTIONS = PACKAGES * SUBS,
    CALLEES = 4,
    STACKS = 200000,
    BLOCK = 32000,
    DEPTH = 32
};
enum { FLEET_PROGRAMS = 64, FLEET_SAMPLES = 300, FLEET_STACKS = 2000 };
enum { HOST_SAMPLES = 20000, HOST_SHARED = 14000, HOST_CALLERS = 1000, TAIL = 4 };

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

/* Makes the names and calls of a program of 300 modules. A frame takes about 57 bytes in a
 * StatProfiler file, as in real programs. */
static void make_program(void)
{
    static const char *const area[] = {"Controller", "Model", "View", "Schema", "Plugin", "Util"};
    static const char *const noun[] = {"Order", "User",  "Bill", "Login", "Cart",
                                       "Price", "Stock", "Item", "Find",  "Mail"};
    static const char *const verb[] = {"get",  "set",  "find", "draw",
                                       "save", "test", "make", "_load"};
    static const char *const tail[] = {"_all",    "",      "_id",   "_rows",
                                       "_cached", "_list", "_html", "_one"};
    for (uint32_t k = 0; k < FUNCTIONS; k++) {
        uint32_t package = k / SUBS;
        const char *in = area[package % 6], *what = noun[package / 6 % 10];
        snprintf(subs[k].package, sizeof subs[k].package, "Shop::%s::%s%" PRIu32, in, what,
                 package / 60);
        snprintf(subs[k].name, sizeof subs[k].name, "%s%s", verb[k % SUBS], tail[package % 8]);
        snprintf(subs[k].full, sizeof subs[k].full, "Shop::%s::%s%" PRIu32 "::%s%s", in, what,
                 package / 60, verb[k % SUBS], tail[package % 8]);
        snprintf(subs[k].file, sizeof subs[k].file, "lib/Shop/%s/%s%" PRIu32 ".pm", in, what,
                 package / 60);
        subs[k].first = 20 + k % SUBS * 60;
        for (int c = 0; c < CALLEES; c++)
            subs[k].callees[c] = below(FUNCTIONS);
    }
}

/* Picks one of a sub's calls; the first is the most frequent, as in real call graphs. */
static uint32_t call(void)
{
    uint32_t r = below(16);
    return r < 8 ? 0 : r < 12 ? 1 : r < 14 ? 2 : 3;
}

/* The line of a call. Each of a sub's calls is on two lines. */
static uint32_t call_site(uint32_t sub, uint32_t which)
{
    return subs[sub].first + which * 9 + below(2) * 4;
}

/* --- StatProfiler ----------------------------------------------------------------------------- */

static struct {
    unsigned char raw[BLOCK];
    size_t used;
    uint64_t total;
} block;

static void block_end(void)
{
    char packed[BLOCK * 2];
    size_t size = sizeof packed;
    if (!block.used ||
        snappy_compress((const char *)block.raw, block.used, packed, &size) != SNAPPY_OK)
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

/* Writes one record. Its length does not count the flag byte of each string, as in the profiler's
 * files. */
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

/* Writes one sample. `tail` is the random state from which the innermost TAIL frames are drawn; 0:
 * they are drawn like the other frames. */
static void put_sample(uint32_t depth, uint64_t tail)
{
    static const char *const ops[] = {"entersub", "padsv", "helem",     "aelem",
                                      "concat",   "match", "nextstate", "method_named"};
    static const struct record empty = {.size = 0};
    uint32_t path[DEPTH], line[DEPTH];
    struct record record = {.size = 0};
    record_number(&record, 1 + below(3));
    record_string(&record, ops[below(8)]);
    record_put(&record, 1);
    path[0] = below(6);
    for (uint32_t k = 1; k < depth; k++) {
        if (tail != 0 && k == depth - TAIL)
            random_state = tail;
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

static void put_start(void)
{
    static const unsigned char header[] = {201, 5, 36, 0, 202, 0x87, 0x68, 203, 20, 254};
    fwrite("=statprofiler\001", 1, 14, stdout);
    put(header, sizeof header);
    block_end();
}

static bool quiet; /* print no sizes */

static int put_finish(void)
{
    static const unsigned char end[] = {197, 0};
    put(end, sizeof end);
    block_end();
    if (!quiet)
        fprintf(stderr, "%" PRIu64 "\n", block.total);
    return fflush(stdout) || ferror(stdout);
}

/* Samples come in requests of 100; the middle of each is database work, the end rendering. */
static int statprofiler(uint64_t samples)
{
    put_start();
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
        put_sample(14 + below(6), 0);
    }
    return put_finish();
}

/* The samples of host `number`. The first HOST_SHARED samples are the same on all hosts; the
 * innermost frames of the others depend on the host. As in real programs most of a stack is shared
 * with many others: the outer frames are those of one of HOST_CALLERS callers. */
static int host(uint64_t number)
{
    put_start();
    for (uint64_t k = 0; k < HOST_SAMPLES; k++) {
        random_state = pf_hash_mix(k % HOST_CALLERS + 1);
        put_sample(20 + below(10), pf_hash_mix((k < HOST_SHARED ? 1 : number + 2) << 32 | k));
    }
    return put_finish();
}

/* The profile `number` of a fleet. */
static int fleet_profile(uint64_t number)
{
    uint64_t program = number % FLEET_PROGRAMS;

    put_start();
    for (uint64_t k = 0; k < FLEET_SAMPLES; k++) {
        random_state = pf_hash_mix(number << 16 | k);
        double u = below(UINT32_MAX) / 4294967296.0;
        uint64_t stack = (uint64_t)(u * u * u * FLEET_STACKS);
        random_state = pf_hash_mix(program << 32 | (stack / 20 + 1));
        put_sample(10 + below(10), pf_hash_mix(program << 32 | stack));
    }
    return put_finish();
}

static int fleet(uint64_t profiles, const char *directory)
{
    int status = 0;

    quiet = true;
    for (uint64_t k = 0; k < profiles && status == 0; k++) {
        char path[512];

        snprintf(path, sizeof path, "%s/program%02u-%06" PRIu64 ".out", directory,
                 (unsigned)(k % FLEET_PROGRAMS), k / FLEET_PROGRAMS);
        if (!freopen(path, "wb", stdout)) {
            perror(path);
            return 1;
        }
        block.total = 0;
        status = fleet_profile(k);
    }
    return status;
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
        if (fread(packed, 1, size, stdin) != size ||
            snappy_uncompress(packed, size, raw, &length) != SNAPPY_OK)
            return 1;
        total += length;
    }
    printf("%" PRIu64 "\n", total);
    return 0;
}

/* --- NYTProf ---------------------------------------------------------------------------------- */

static const double NYT_START = 1751976000.25;

static void nyt_varint(uint32_t value)
{
    static const struct {
        uint64_t limit;
        uint32_t mark;
        int more;
    } forms[] = {{0x80, 0, 0},
                 {0x4000, 0x80, 1},
                 {0x200000, 0xc0, 2},
                 {0x10000000, 0xe0, 3},
                 {UINT64_MAX, 0, 3}};
    int form = 0;
    while (value >= forms[form].limit)
        form++;
    if (form == 4)
        putchar(0xff);
    for (int k = forms[form].more; k >= 0; k--)
        putchar((int)((value >> 8 * k & 0xff) | (k == forms[form].more ? forms[form].mark : 0)));
}

static void nyt_numbers(char tag, const uint32_t *values, int count)
{
    putchar(tag);
    for (int k = 0; k < count; k++)
        nyt_varint(values[k]);
}

static void nyt_real(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    for (int k = 0; k < 8; k++)
        putchar((int)(bits >> 8 * k & 0xff));
}

static void nyt_string(const char *text)
{
    putchar('\'');
    nyt_varint((uint32_t)strlen(text));
    fputs(text, stdout);
}

static void nyt_header(int calls)
{
    static const char *const options[] = {
        "usecputime=0", "subs=1",     "blocks=0",    "leave=1",        "expand=0",  "trace=0",
        "use_db_sub=0", "compress=0", "clock=1",     "stmts=1",        "slowops=2", "findcaller=0",
        "forkdepth=-1", "perldb=0",   "nameevals=1", "nameanonsubs=1", "evals=0"};
    fputs("NYTProf 5 0\n#Perl profile database. Generated by Devel::NYTProf 6.12 on Tue Jul  8 "
          "12:00:00 2025\n"
          ":basetime=1751976000\n:application=bin/"
          "shop.pl\n:perl_version=5.36.0\n:nv_size=8\n:xs_version=6.12\n"
          ":PL_perldb=1810\n:clock_id=1\n:ticks_per_sec=10000000\n",
          stdout);
    for (size_t k = 0; k < sizeof options / sizeof *options; k++)
        printf("!%s\n", options[k]);
    printf("!calls=%d\n", calls);
    nyt_numbers('P', (const uint32_t[]){4711, 1}, 2);
    nyt_real(NYT_START);
}

static void nyt_file(uint32_t fid, uint32_t eval_fid, uint32_t eval_line, const char *name)
{
    nyt_numbers('@', (const uint32_t[]){fid, eval_fid, eval_line, eval_fid ? 0x112 : 0x12, 0, 0},
                6);
    nyt_string(name);
}

static void nyt_sub(uint32_t fid, const char *name, uint32_t first, uint32_t last)
{
    nyt_numbers('s', &fid, 1);
    nyt_string(name);
    nyt_varint(first);
    nyt_varint(last);
}

static void nyt_caller(uint32_t fid, uint32_t line, const char *caller, uint32_t count,
                       double seconds, const char *called)
{
    nyt_numbers('c', (const uint32_t[]){fid, line}, 2);
    nyt_string(caller);
    nyt_varint(count);
    nyt_real(seconds * 2);
    nyt_real(seconds);
    nyt_real(0);
    nyt_varint(0);
    nyt_string(called);
}

static int64_t nyt_elapsed;

static void nyt_end(void)
{
    fputs(":cumulative_overhead_ticks=1000\n", stdout);
    nyt_numbers('p', (const uint32_t[]){4711}, 1);
    nyt_real(NYT_START + (double)nyt_elapsed / 1e7);
}

/* Writes one statement, in units of 100 ns. Most take less than 13 microseconds; once in 1024 the
 * clock goes backwards. */
static void nyt_statement(uint32_t fid, uint32_t line)
{
    uint32_t r = below(1024);
    uint32_t ticks = r < 768    ? below(128)
                     : r < 1020 ? below(4000)
                     : r < 1023 ? below(2000000)
                                : (uint32_t)-1 - below(50);
    nyt_elapsed += (int32_t)ticks;
    nyt_numbers('+', (const uint32_t[]){ticks, fid, line}, 3);
}

/* Only one sub of each package runs, which gives 6,000 lines. */
static uint32_t nyt_hot(uint32_t sub)
{
    uint32_t package = sub / SUBS;
    return package * SUBS + package % SUBS;
}

/* Walks through the program: statements in order, loops, calls and returns, and a discount after
 * each return. */
static int nytprof(uint64_t records, bool calls)
{
    struct {
        uint32_t sub, at;
    } stack[20] = {{0}};
    uint32_t depth = 1;
    nyt_header(calls ? 2 : 0);
    for (uint32_t package = 0; package < PACKAGES; package++)
        nyt_file(package + 1, 0, 0, subs[package * SUBS].file);
    for (uint64_t done = 0; done < records; done++) {
        uint32_t sub = stack[depth - 1].sub, fid = sub / SUBS + 1,
                 line = subs[sub].first + stack[depth - 1].at, what = below(16);
        nyt_statement(fid, line);
        stack[depth - 1].at = what < 3 ? 0 : (stack[depth - 1].at + 2) % 40;
        if (what >= 14 && depth < 20) {
            uint32_t which = call();
            stack[depth++].sub = nyt_hot(subs[sub].callees[which]);
            stack[depth - 1].at = 0;
            if (calls && ++done)
                nyt_numbers('>', (const uint32_t[]){fid, line}, 2);
        } else if (what >= 12 && depth > 1) {
            if (calls && ++done) {
                nyt_numbers('<', &(const uint32_t){--depth}, 1);
                nyt_real(5 + below(9000));
                nyt_real(below(300));
                nyt_string(subs[sub].full);
            } else {
                depth--;
            }
            putchar('-');
            done++;
        } else if (depth == 1 && what == 12) {
            stack[0].sub = nyt_hot(below(FUNCTIONS));
        }
    }
    for (uint32_t k = 0; k < FUNCTIONS; k++) {
        nyt_sub(k / SUBS + 1, subs[k].full, subs[k].first, subs[k].first + 45);
        for (int c = 0; c < CALLEES; c++)
            nyt_caller(k / SUBS + 1, subs[k].first + 4, subs[k].full, 1 + below(1000),
                       below(1000000) / 1e7, subs[subs[k].callees[c]].full);
    }
    nyt_end();
    return fflush(stdout) || ferror(stdout);
}

static int nytevals(uint64_t evals)
{
    char name[64], sub[96];
    nyt_header(0);
    nyt_file(1, 0, 0, "bin/shop.pl");
    for (uint32_t k = 1; k <= evals; k++) {
        snprintf(name, sizeof name, "(eval %" PRIu32 ")[bin/shop.pl:%" PRIu32 "]", k, 10 + k % 7);
        nyt_file(k + 1, 1, 10 + k % 7, name);
        for (uint32_t line = 1; line <= 3; line++)
            nyt_statement(k + 1, line);
        putchar('-');
        nyt_statement(1, 10 + k % 7);
    }
    for (uint32_t k = 1; k <= evals; k++)
        for (uint32_t line = 1; line <= 3; line++) {
            snprintf(name, sizeof name, "my $row = $_[0] + %" PRIu32 ";\n", below(1000));
            nyt_numbers('S', (const uint32_t[]){k + 1, line}, 2);
            nyt_string(name);
        }
    for (uint32_t k = 1; k <= evals; k++) {
        snprintf(sub, sizeof sub, "main::__ANON__[(eval %" PRIu32 ")[bin/shop.pl:%" PRIu32 "]:2]",
                 k, 10 + k % 7);
        nyt_sub(k + 1, sub, 1, 2);
        nyt_caller(1, 10 + k % 7, "main::RUNTIME", 1, below(1000) / 1e7, sub);
    }
    nyt_end();
    return fflush(stdout) || ferror(stdout);
}

/* Copies the text lines at the start of a NYTProf file to `to` (NULL: skips them). Returns the tag
 * of the first record after them. */
static int nyt_text(FILE *to)
{
    int byte = getchar();
    for (bool first = true; byte != EOF && (first || strchr("#:!", byte));
         first = false, byte = getchar()) {
        for (; byte != EOF && byte != '\n'; byte = getchar())
            if (to)
                putc(byte, to);
        if (to && byte != EOF)
            putc(byte, to);
    }
    return byte;
}

static int nyt_deflate(void)
{
    static unsigned char in[163840], out[65536];
    z_stream z = {0};
    int tag = nyt_text(stdout), result = Z_OK;
    if (tag == EOF || deflateInit2(&z, 6, Z_DEFLATED, 15, 9, Z_DEFAULT_STRATEGY) != Z_OK)
        return 1;
    fputs("#Compressed at level 6 with zlib 1.2.13\nz", stdout);
    ungetc(tag, stdin);
    while (result != Z_STREAM_END) {
        z.next_in = in;
        z.avail_in = (uInt)fread(in, 1, sizeof in, stdin);
        int flush = z.avail_in ? Z_NO_FLUSH : Z_FINISH;
        do {
            z.next_out = out;
            z.avail_out = sizeof out;
            result = deflate(&z, flush);
            fwrite(out, 1, sizeof out - z.avail_out, stdout);
        } while (z.avail_out == 0);
    }
    deflateEnd(&z);
    return fflush(stdout) || ferror(stdout);
}

static int nyt_inflate(void)
{
    static unsigned char in[65536], out[65536];
    z_stream z = {0};
    int result = Z_OK;
    if (nyt_text(NULL) != 'z' || inflateInit(&z) != Z_OK)
        return 1;
    while (result == Z_OK) {
        if (z.avail_in == 0) {
            z.next_in = in;
            z.avail_in = (uInt)fread(in, 1, sizeof in, stdin);
        }
        z.next_out = out;
        z.avail_out = sizeof out;
        result = inflate(&z, Z_NO_FLUSH);
    }
    printf("%lu\n", z.total_out);
    inflateEnd(&z);
    return result != Z_STREAM_END;
}

/* --- the native stream ------------------------------------------------------------------------ */

static uint32_t string(struct pf_dict *dict, const char *text)
{
    return pf_dict_intern(dict, pf_bytes_of(text), 0);
}

/* Makes a tree of STACKS frames, up to 21 deep: stack k is a child of one of the stacks before
 * it. */
static void make_stacks(struct pf_dict *dict, uint32_t *stacks)
{
    static uint32_t functions[FUNCTIONS], depth[STACKS], sub_of[STACKS];
    for (uint32_t k = 0; k < FUNCTIONS; k++) {
        struct pf_function function = {.name = string(dict, subs[k].full),
                                       .file = string(dict, subs[k].file),
                                       .start_line = subs[k].first};
        functions[k] = pf_dict_add_function(dict, &function);
    }
    for (uint32_t k = 0, parent; k < STACKS;) {
        parent = k < 8 ? 0 : below(k);
        if (k >= 8 && depth[parent] > 20)
            continue;
        sub_of[k] = k < 8 ? k : subs[sub_of[parent]].callees[call()];
        struct pf_location location = {.function = functions[sub_of[k]],
                                       .line = subs[sub_of[k]].first + below(40),
                                       .kind = PF_FRAME_SUB};
        stacks[k] = pf_dict_add_frame(dict, k < 8 ? 0 : stacks[parent],
                                      pf_dict_add_location(dict, &location));
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
    struct pf_measure ticks = {.name = string(dict, "wall"),
                               .unit = string(dict, "nanoseconds"),
                               .raw_unit = string(dict, "tick"),
                               .kind = PF_SAMPLE,
                               .nature = PF_SAMPLED,
                               .num = 10000000,
                               .den = 1,
                               .main = 1};
    struct pf_measure count = {.name = string(dict, "samples"),
                               .unit = string(dict, "count"),
                               .kind = PF_SAMPLE,
                               .role = PF_COUNT,
                               .nature = PF_SAMPLED,
                               .num = 1,
                               .den = 1};
    struct pf_value_column values[2] = {{pf_measures_intern(&dict->measures, &ticks), wall},
                                        {pf_measures_intern(&dict->measures, &count), one}};
    uint32_t sets[4] = {0, sections(dict, "req", NULL), sections(dict, "req", "db"),
                        sections(dict, "req", "render")};
    for (uint64_t done = 0; done < samples;) {
        struct pf_batch batch = {
            .kind = PF_SAMPLE, .stack = stack, .labels = label, .values = values, .value_count = 2};
        batch.rows = samples - done < PF_BATCH_ROWS ? (uint32_t)(samples - done) : PF_BATCH_ROWS;
        for (uint32_t row = 0; row < batch.rows; row++) {
            /* as in real profiles, few stacks are hot: the rank is a power of a uniform number */
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
    struct pf_writer setup = {.format = pf_registry_find(PF_BYTES("pfs")),
                              .sink = sink,
                              .dict = &dict,
                              .options = &none,
                              .compression = -1};
    int status = pf_writer_open(&writer, &setup, &error) != PF_OK ||
                 write_samples(writer, stacks, samples);
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
    if (!strcmp(what, "host"))
        return host(samples);
    if (!strcmp(what, "fleet") && argc > 3)
        return fleet(samples, argv[3]);
    if (!strcmp(what, "native") && samples)
        return native(samples);
    if ((!strcmp(what, "nytprof") || !strcmp(what, "nytcalls")) && samples)
        return nytprof(samples, !strcmp(what, "nytcalls"));
    if (!strcmp(what, "nytevals") && samples)
        return nytevals(samples);
    if (!strcmp(what, "deflate"))
        return nyt_deflate();
    if (!strcmp(what, "unpack"))
        return unpack();
    if (!strcmp(what, "inflate"))
        return nyt_inflate();
    fprintf(
        stderr,
        "usage: gen statprofiler|host|native|nytprof|nytcalls|nytevals N | gen fleet N DIR | gen "
        "unpack|deflate|inflate <FILE\n");
    return 2;
}

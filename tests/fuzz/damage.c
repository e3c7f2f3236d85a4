/* The damage test: every reader of the registry reads its files whole, cut and mutated, all in one
 * process.
 *
 *     damage [--mutations N] [--only FORMAT] CORPUS...
 *         prints a table; status 1 if anything is wrong
 *     damage FORMAT FILE --mutation N | --cut N | --flip N | --whole
 *         repeats one input
 *
 * The files of a format come from the first CORPUS that has a folder of that name.
 *
 * Each input must end in a valid result or in an error that names the place. It may take at most 10
 * seconds of processor time and at most 64 MiB plus 16 times its size of memory, and must leave
 * nothing allocated. Meant to run with AddressSanitizer, whose hooks count the memory; without it
 * memory is not checked. */
#include "examine.h"
#include "inputs.h"
#include "mutate.h"

#include "base/number.h"

#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum {
    WHOLE_CUTS = 8192,
    WHOLE_CUTS_MADE = 2048,
    SEEDED_CUTS = 500,
    FLIPPED = 2,
    SECONDS = 10 /* of processor time */,
    FAILURES_SHOWN = 10
};
static const size_t memory_base = (size_t)64 << 20, memory_factor = 16;

/* --- memory, counted by AddressSanitizer ------------------------------------------------------ */

size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));
int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void *, size_t),
                                              void (*)(const volatile void *))
    __attribute__((weak));
void __sanitizer_set_death_callback(void (*)(void)) __attribute__((weak));

static struct {
    size_t base, peak, since;
} memory;

/* A query of the current amount takes a microsecond, so only one is made for every 64 KiB. */
static void allocated(const volatile void *bytes, size_t size)
{
    (void)bytes;
    memory.since += size;
    if (memory.since < 65536)
        return;
    memory.since = 0;
    size_t now = __sanitizer_get_current_allocated_bytes();
    if (now > memory.base && now - memory.base > memory.peak)
        memory.peak = now - memory.base;
}

static void freed(const volatile void *bytes)
{
    (void)bytes;
}

static size_t memory_now(void)
{
    return __sanitizer_get_current_allocated_bytes ? __sanitizer_get_current_allocated_bytes() : 0;
}

/* --- the current step, for the message of a crash or a hang ----------------------------------- */

static char doing[2048];

static void say_doing(void)
{
    if (write(STDERR_FILENO, doing, strlen(doing)) < 0)
        return;
}

/* Handles the timer's signal and the SIGABRT of UBSAN_OPTIONS=abort_on_error=1. */
static void fatal(int number)
{
    static const char text[] = "not ok: still reading after 10 seconds: ";
    if (number != SIGPROF || write(STDERR_FILENO, text, sizeof text - 1) > 0)
        say_doing();
    _exit(1);
}

/* --- one input -------------------------------------------------------------------------------- */

struct totals {
    const struct pf_format *format;
    uint64_t inputs, cuts, flips, mutations, reads, good, failed, other, written;
    size_t peak;
    double slowest, seconds;
    unsigned wrong;
};

enum what { WHOLE, CUT, FLIP, MUTATION };
static const char *const what_names[] = {"whole", "cut", "flip", "mutation"};

struct trial {
    struct totals *totals;
    const struct input *input;
    enum what what;
    uint64_t number;
    const void *bytes;
    size_t size;
    bool must_fail, must_read;
    uint64_t records_limit;
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void pass(const struct trial *trial, bool salvage, const struct pf_format *writer,
                 struct outcome *outcome)
{
    struct examination what = {trial->totals->format, trial->bytes, trial->size, salvage, writer};
    snprintf(doing, sizeof doing, "damage %s '%s' --%s %" PRIu64 "%s%s%s\n",
             trial->totals->format->name, trial->input->name, what_names[trial->what],
             trial->number, salvage ? ", salvaging" : "", writer ? ", writing " : "",
             writer ? writer->name : "");
    memset(outcome, 0, sizeof *outcome);
    memory.base = memory_now();
    memory.peak = memory.since = 0;
    double begun = now();
    setitimer(ITIMER_PROF, &(struct itimerval){.it_value = {.tv_sec = SECONDS}}, NULL);
    examine(&what, outcome);
    setitimer(ITIMER_PROF, &(struct itimerval){0}, NULL);
    double seconds = now() - begun;
    size_t input_size = outcome->offset > trial->size ? (size_t)outcome->offset : trial->size;
    if (seconds > trial->totals->slowest)
        trial->totals->slowest = seconds;
    if (!writer && memory.peak > trial->totals->peak)
        trial->totals->peak = memory.peak;
    if (!writer && memory.peak > memory_base + memory_factor * input_size)
        blame(outcome, "%zu KiB of memory for an input of %zu bytes", memory.peak / 1024,
              input_size);
    trial->totals->reads++;
}

/* Memory that stays allocated after the first reading may belong to a library; memory that stays
 * after the second is a leak. */
static void pass_twice_if_it_leaks(const struct trial *trial, bool salvage,
                                   const struct pf_format *writer, struct outcome *outcome)
{
    for (int times = 0; times < 2; times++) {
        pass(trial, salvage, writer, outcome);
        if (memory_now() <= memory.base)
            return;
    }
    blame(outcome, "%zu bytes stay allocated", memory_now() - memory.base);
}

static const struct pf_format *writer_for(uint64_t number)
{
    size_t count = 0, which;
    for (size_t k = 0; pf_registry_format(k); k++)
        count += pf_registry_format(k)->write != NULL;
    which = number % count;
    for (size_t k = 0;; k++)
        if (pf_registry_format(k)->write && which-- == 0)
            return pf_registry_format(k);
}

static void report(const struct trial *trial, const struct outcome *outcome)
{
    if (!outcome->wrong[0])
        return;
    if (trial->totals->wrong++ < FAILURES_SHOWN)
        printf("not ok: %s\n    %s", outcome->wrong, doing);
    fflush(stdout);
}

static void judge(const struct trial *trial, struct outcome *outcome)
{
    if (trial->must_fail && outcome->status == PF_EOF)
        blame(outcome, "the damage is not seen: %" PRIu64 " records", outcome->records);
    if (trial->must_read && outcome->status != PF_EOF)
        blame(outcome, "cannot be read: %s", outcome->text);
    /* Only for streams: a format whose reader adds up records may have more sums when a cut removes
     * what would have joined them. */
    if (trial->totals->format->caps & PF_IS_STREAM && outcome->records > trial->records_limit)
        blame(outcome, "%" PRIu64 " records, the whole file has %" PRIu64, outcome->records,
              trial->records_limit);
}

/* A salvaging reader gives the same records as the strict reader gave before its failure, and does
 * not fail. */
static void judge_salvage(const struct outcome *strict, struct outcome *outcome)
{
    if (!strict->opened || strict->status == PF_UNSUPPORTED || strict->status == PF_OVERFLOW)
        return;
    if (outcome->status != PF_EOF)
        blame(outcome, "salvage ends with %d: %s", outcome->status, outcome->text);
    if (outcome->records != strict->records)
        blame(outcome, "salvage keeps %" PRIu64 " of %" PRIu64 " records: %s", outcome->records,
              strict->records, strict->text);
    if (strict->status == PF_FAILED && !outcome->warnings)
        blame(outcome, "salvage says nothing of: %s", strict->text);
}

static struct outcome try_input(const struct trial *trial)
{
    struct outcome strict, other;
    bool all = trial->what == WHOLE;
    pass_twice_if_it_leaks(trial, false, NULL, &strict);
    judge(trial, &strict);
    report(trial, &strict);
    trial->totals->good += strict.status == PF_EOF;
    trial->totals->failed += strict.status == PF_FAILED;
    trial->totals->other += strict.status != PF_EOF && strict.status != PF_FAILED;
    if (all || trial->number % 4 == 1) {
        pass_twice_if_it_leaks(trial, true, NULL, &other);
        judge_salvage(&strict, &other);
        report(trial, &other);
    }
    for (size_t k = 0; k < (all ? 16 : trial->number % 8 == 3); k++) {
        const struct pf_format *writer = all ? pf_registry_format(k)
                                             : writer_for(trial->number / 8);
        if (!writer)
            break;
        if (!writer->write)
            continue;
        pass_twice_if_it_leaks(trial, false, writer, &other);
        report(trial, &other);
        trial->totals->written++;
    }
    return strict;
}

/* --- all inputs of a format ------------------------------------------------------------------- */

/* True if the file's .expected.json says that the profiler's own tools, or the decoder it was
 * compared with, found an error in the file. */
static bool error_expected(const char *name, size_t size)
{
    char path[1024];
    struct pf_buffer text = {0};
    const char *dot = strrchr(name, '.');
    bool found = dot && dot < name + size &&
                 (size_t)snprintf(path, sizeof path, "%.*s.expected.json", (int)(dot - name),
                                  name) < sizeof path &&
                 file_read(path, &text) && pf_buffer_byte(&text, 0) &&
                 (strstr(text.data, "error\":\"") || strstr(text.data, "error\": \""));
    pf_buffer_free(&text);
    return found;
}

/* True if a file of the corpus must be readable. Files under edge/, bad/ or malformed/ are odd in
 * some way; a name that ends in '_' marks the file of a killed process. */
static bool must_read(const char *name)
{
    const char *at = strrchr(name, '@');
    size_t size = at ? (size_t)(at - name) : strlen(name);
    return !strstr(name, "/edge/") && !strstr(name, "/bad/") && !strstr(name, "/malformed/") &&
           name[size - 1] != '_' && !error_expected(name, size);
}

/* True if the bytes look like another format: a folder may have files of several (Go's debug texts
 * next to its pprof). */
static bool is_of_others(const struct totals *totals, const struct input *input)
{
    struct pf_error error = {0};
    struct pf_source *source = NULL;
    const struct pf_format *guess = NULL;
    if (pf_source_open_memory(&source, input->bytes.data, input->bytes.size, &error) == PF_OK)
        guess = pf_registry_guess(source, input->name, NULL, &error);
    pf_source_close(source);
    return guess && guess != totals->format;
}

static uint64_t try_whole(struct totals *totals, const struct input *input)
{
    struct trial trial = {.totals = totals,
                          .input = input,
                          .what = WHOLE,
                          .bytes = input->bytes.data,
                          .size = input->bytes.size,
                          .must_read = must_read(input->name) && !is_of_others(totals, input),
                          .records_limit = UINT64_MAX};
    struct outcome outcome = try_input(&trial);
    return outcome.status == PF_EOF ? outcome.records : UINT64_MAX;
}

/* True if the first `size` bytes end with a segment of a native stream, deflated or not: then they
 * are a complete stream. */
static bool ends_segment(const struct input *input, size_t size)
{
    const struct mutant stream = {.data = (unsigned char *)input->bytes.data, .size = size};
    size_t at = 0, step;
    char last = 0;

    while (at < size && (step = pfs_step(&stream, at)) > 0) {
        last = (char)stream.data[at + 4];
        at += step;
    }
    return at == size && last == 'E';
}

static void try_cut(struct totals *totals, const struct input *input, size_t size,
                    uint64_t records_limit)
{
    /* A copy of exactly this size, so that AddressSanitizer sees reading beyond its end. */
    unsigned char *copy = malloc(size ? size : 1);
    if (size)
        memcpy(copy, input->bytes.data, size);
    struct trial trial = {.totals = totals,
                          .input = input,
                          .what = CUT,
                          .number = size,
                          .bytes = copy,
                          .size = size,
                          .must_fail = totals->format->caps & PF_HOLDS_FAILURE &&
                                       !ends_segment(input, size),
                          .records_limit = records_limit};
    try_input(&trial);
    free(copy);
    totals->cuts++;
}

/* Flips one bit of a native stream. Wherever the bit is, the stream's check words and rules must
 * find it. */
static void try_flip(struct totals *totals, const struct input *input, size_t bit)
{
    unsigned char *copy = malloc(input->bytes.size);
    memcpy(copy, input->bytes.data, input->bytes.size);
    copy[bit / 8] ^= (unsigned char)(1u << bit % 8);
    struct trial trial = {.totals = totals,
                          .input = input,
                          .what = FLIP,
                          .number = bit,
                          .bytes = copy,
                          .size = input->bytes.size,
                          .must_fail = true,
                          .records_limit = UINT64_MAX};
    try_input(&trial);
    free(copy);
    totals->flips++;
}

static void try_mutation(struct totals *totals, const struct input *input, uint64_t seed)
{
    struct mutant mutant = {NULL, input->bytes.size, input->bytes.size + MUTANT_GROWTH};
    bool sealed;
    mutant.data = malloc(mutant.capacity);
    if (mutant.size)
        memcpy(mutant.data, input->bytes.data, mutant.size);
    mutate(&mutant, seed, totals->format->caps & PF_HOLDS_FAILURE, &sealed);
    bool same = mutant.size == input->bytes.size &&
                (!mutant.size || !memcmp(mutant.data, input->bytes.data, mutant.size));
    unsigned char *fitted = realloc(mutant.data, mutant.size ? mutant.size : 1);
    struct trial trial = {.totals = totals,
                          .input = input,
                          .what = MUTATION,
                          .number = seed,
                          .bytes = fitted,
                          .size = mutant.size,
                          .must_fail = sealed && !same,
                          .records_limit = UINT64_MAX};
    try_input(&trial);
    free(fitted);
    totals->mutations++;
}

static void add_file(struct input_list *list, const char *path)
{
    size_t size = strlen(path);
    bool packed = size > 3 && !strcmp(path + size - 3, ".gz");
    list_add(list, path, "");
    if (list->count % 3 == 0)
        list_add(list, path, "@raw");
    if (!packed && list->count % 16 == 1)
        list_add(list, path, "@gz");
}

static void add_stream(struct input_list *list, const char *path)
{
    static const char *const kinds[] = {"@pfs", "@pfsz", "@pfs2"};
    list_add(list, path, kinds[list->count % 3]);
}

static void collect(struct input_list *list, char *const *corpora, const struct pf_format *format,
                    void (*add)(struct input_list *, const char *))
{
    size_t before = list->count;
    for (; *corpora && list->count == before; corpora++) {
        char directory[1024];
        snprintf(directory, sizeof directory, "%s/%s", *corpora, format->name);
        list_files(list, directory, add);
    }
}

/* PF_HOLDS_FAILURE marks the native stream, whose inputs are made from the other formats' files. */
static void collect_all(struct input_list *list, char *const *corpora,
                        const struct pf_format *format)
{
    if (format->caps & PF_HOLDS_FAILURE)
        list_add(list, "kinds", "@made");
    collect(list, corpora, format, add_file);
    for (size_t k = 0; format->caps & PF_HOLDS_FAILURE && pf_registry_format(k); k++)
        if (pf_registry_format(k) != format && pf_registry_format(k)->bid)
            collect(list, corpora, pf_registry_format(k), add_stream);
}

/* Tries every prefix of small inputs and 500 prefixes of larger ones. The limit is lower for the
 * streams that this test makes, which are many and similar. */
static void try_cuts(struct totals *totals, const struct input *input, uint64_t seed,
                     uint64_t records)
{
    size_t whole = strchr(input->name, '@') ? WHOLE_CUTS_MADE : WHOLE_CUTS;
    struct random random = {seed};
    if (input->bytes.size <= whole)
        for (size_t size = 0; size < input->bytes.size; size++)
            try_cut(totals, input, size, records);
    else
        for (int cut = 0; cut < SEEDED_CUTS; cut++)
            try_cut(totals, input, random_below(&random, input->bytes.size), records);
}

static void try_format(struct totals *totals, char *const *corpora, uint64_t mutations)
{
    struct input_list list = {0};
    double begun = now();
    size_t flipped = 0;
    collect_all(&list, corpora, totals->format);
    totals->inputs = list.count;
    for (size_t k = 0; k < list.count; k++) {
        const struct input *input = &list.rows[k];
        uint64_t records = try_whole(totals, input);
        try_cuts(totals, input, k, records);
        bool flips = totals->format->caps & PF_HOLDS_FAILURE &&
                     input->bytes.size <= WHOLE_CUTS_MADE && flipped++ < FLIPPED;
        for (size_t bit = 0; flips && bit < input->bytes.size * 8; bit++)
            try_flip(totals, input, bit);
    }
    /* half of the mutations of the native format use the stream that has everything */
    for (uint64_t seed = 0; list.count && seed < mutations; seed++)
        try_mutation(
            totals,
            &list.rows[totals->format->caps & PF_HOLDS_FAILURE && seed % 2 ? 0 : seed % list.count],
            seed);
    list_free(&list);
    totals->seconds = now() - begun;
}

static int try_all(char *const *corpora, const char *only, uint64_t mutations)
{
    unsigned wrong = 0;
    printf("%-14s %6s %7s %7s %9s %8s %8s %7s %7s %8s %9s %8s\n", "format", "inputs", "cuts",
           "flips", "mutations", "reads", "valid", "failed", "other", "peak MiB", "slow ms",
           "seconds");
    for (size_t k = 0; pf_registry_format(k); k++) {
        struct totals totals = {.format = pf_registry_format(k)};
        if (!totals.format->bid || (only && strcmp(only, totals.format->name) != 0))
            continue;
        try_format(&totals, corpora, mutations);
        if (!totals.inputs) {
            printf("not ok: no inputs for %s\n", totals.format->name);
            wrong++;
        }
        printf("%-14s %6" PRIu64 " %7" PRIu64 " %7" PRIu64 " %9" PRIu64 " %8" PRIu64 " %8" PRIu64
               " %7" PRIu64 " %7" PRIu64 " %8.1f %9.1f %8.1f\n",
               totals.format->name, totals.inputs, totals.cuts, totals.flips, totals.mutations,
               totals.reads, totals.good, totals.failed, totals.other,
               (double)totals.peak / 1048576, totals.slowest * 1000, totals.seconds);
        fflush(stdout);
        wrong += totals.wrong;
    }
    printf("%u wrong\n", wrong);
    return wrong > 0;
}

static int try_one(const char *format, const char *name, const char *what, const char *number)
{
    struct totals totals = {.format = pf_registry_find(pf_bytes_of(format))};
    struct input input;
    int64_t value = 0;
    if (!totals.format || !input_load(&input, name) ||
        (number && !pf_parse_int(pf_bytes_of(number), 0, INT64_MAX, &value))) {
        fprintf(stderr, "damage: no such format, file or number\n");
        return 2;
    }
    uint64_t records = try_whole(&totals, &input);
    if (!strcmp(what, "--cut") && (uint64_t)value < input.bytes.size)
        try_cut(&totals, &input, (size_t)value, records);
    else if (!strcmp(what, "--flip") && (uint64_t)value < input.bytes.size * 8)
        try_flip(&totals, &input, (size_t)value);
    else if (!strcmp(what, "--mutation"))
        try_mutation(&totals, &input, (uint64_t)value);
    printf("%s %s %s %" PRIi64 ": %u wrong\n", format, name, what, value, totals.wrong);
    pf_buffer_free(&input.bytes);
    return totals.wrong > 0;
}

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_handler = fatal};
    const char *only = NULL;
    int64_t mutations = 1000;
    sigaction(SIGPROF, &action, NULL);
    sigaction(SIGABRT, &action, NULL);
    if (__sanitizer_set_death_callback)
        __sanitizer_set_death_callback(say_doing);
    if (__sanitizer_install_malloc_and_free_hooks)
        __sanitizer_install_malloc_and_free_hooks(allocated, freed);
    if (argc > 3 && argv[1][0] != '-' && !strncmp(argv[3], "--", 2))
        return try_one(argv[1], argv[2], argv[3], argv[4]);
    for (argv++; argv[0] && argv[1] && !strncmp(argv[0], "--", 2); argv += 2) {
        if (!strcmp(argv[0], "--only"))
            only = argv[1];
        else if (strcmp(argv[0], "--mutations") != 0 ||
                 !pf_parse_int(pf_bytes_of(argv[1]), 0, INT32_MAX, &mutations))
            break;
    }
    if (argv[0] && argv[0][0] != '-')
        return try_all(argv, only, (uint64_t)mutations);
    fprintf(stderr, "usage: damage [--mutations N] [--only FORMAT] CORPUS...\n"
                    "       damage FORMAT FILE --mutation N | --cut N | --flip N | --whole\n");
    return 2;
}

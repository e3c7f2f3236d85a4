/* libFuzzer driver (make fuzz). An input is a header of 8 bytes, then a profile. Header bytes:
 *
 *     0     the format to read
 *     1     the format to write, 0 = none
 *     2     the analysis (analyses.h)
 *     3     bit 0: salvage; the rest: where to cut the second input of a merge or difference
 *     4..7  options of the analysis
 *
 * FUZZ_SECONDS=SECONDS ends the run when the process has used so much processor time.
 * FUZZ_FORMAT=NAME fixes the format to read. FUZZ_FORMAT=words reads lines of expressions, amounts
 * and options instead of a profile. After each mutation of a native stream the check words of its
 * frames are corrected, so that readers get as far as the damage. */
#include "analyses.h"
#include "mutate.h"
#include "words.h"

#include <signal.h>
#include <time.h>

enum { HEADER = 8 };

int LLVMFuzzerInitialize(int *, char ***);
int LLVMFuzzerTestOneInput(const uint8_t *, size_t);
size_t LLVMFuzzerCustomMutator(uint8_t *, size_t, size_t, unsigned);
size_t LLVMFuzzerMutate(uint8_t *, size_t, size_t);

static struct {
    const struct pf_format *readers[64], *writers[64];
    size_t reader_count, writer_count;
    const struct pf_format *only;
    bool words;
    double seconds; /* of processor time, 0 = no limit */
} formats;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *name = getenv("FUZZ_FORMAT"), *seconds = getenv("FUZZ_SECONDS");
    const struct pf_format *format;

    (void)argc;
    (void)argv;
    formats.writer_count = 1;
    for (size_t k = 0; k < 63 && (format = pf_registry_format(k)); k++) {
        if (format->bid)
            formats.readers[formats.reader_count++] = format;
        if (format->write)
            formats.writers[formats.writer_count++] = format;
    }
    formats.seconds = seconds ? strtod(seconds, NULL) : 0;
    formats.words = name && !strcmp(name, "words");
    if (name && !formats.words && !(formats.only = pf_registry_find(pf_bytes_of(name)))) {
        fprintf(stderr, "FUZZ_FORMAT: no format '%s'\n", name);
        exit(2);
    }
    return 0;
}

static const struct pf_format *reader_of(uint8_t byte)
{
    return formats.only ? formats.only : formats.readers[byte % formats.reader_count];
}

static void stop_if_wrong(const struct outcome *outcome)
{
    if (!outcome->wrong[0])
        return;
    fprintf(stderr, "%s\n", outcome->wrong);
    abort();
}

/* libFuzzer's own limit is wall-clock time, of which a process gets only a part on a busy machine.
 * At SIGUSR1 libFuzzer ends as it does after a complete run. */
static void stop_if_over(void)
{
    if (formats.seconds > 0 && (double)clock() / CLOCKS_PER_SEC >= formats.seconds)
        raise(SIGUSR1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct outcome outcome = {0};

    stop_if_over();
    if (formats.words) {
        try_words(&outcome, data, size);
    } else if (size > HEADER) {
        struct study study = {.reader = reader_of(data[0]),
                              .writer = formats.writers[data[1] % formats.writer_count],
                              .bytes = data + HEADER,
                              .size = size - HEADER,
                              .salvage = data[3] & 1,
                              .outcome = &outcome};
        study.cut = study.size * (data[3] / 2u) / 128;
        memcpy(study.choices, data + 4, sizeof study.choices);
        analyse(&study, data[2] % ANALYSES);
    }
    stop_if_wrong(&outcome);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    size_t made = LLVMFuzzerMutate(data, size, most);

    /* one mutation in 8 changes the writer, one in 8 the analysis */
    if (!formats.words && made > HEADER && seed % 8 < 2)
        data[1 + seed % 8] = (uint8_t)(seed >> 8);
    /* one mutation in 16 leaves the check words wrong, which the reader must find */
    if (!formats.words && made > HEADER && seed % 16 && !strcmp(reader_of(data[0])->name, "pfs"))
        pfs_repair(&(struct mutant){
            .data = data + HEADER, .size = made - HEADER, .capacity = most - HEADER});
    return made;
}

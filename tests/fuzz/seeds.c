/* Writes the seeds of the fuzzing driver. seeds OUT DIRECTORY... unpacks every profile below the
 * directories and writes it to OUT/FORMAT/NUMBER behind a header (fuzz.c); the headers go through
 * all writers and analyses. Each file gives a native stream as well, and a StatProfiler file also a
 * copy without snappy blocks. Long files are left out, because a fuzzer works on small ones.
 *
 * Options that random headers seldom choose together are targets: differences with a gate, runs in
 * a profile, string evals, groups of runs. Each file is a seed of one of them, and a native stream
 * made for them (write_runs) a seed of each. */
#include "analyses.h"
#include "inputs.h"

#include "base/hash.h"
#include "base/number.h"

#include <inttypes.h>
#include <unistd.h>

enum { LONGEST = 24 << 10, HEADER = 8 };

static struct {
    const char *directory;
    uint64_t number, failed;
} out;

/* Puts all bytes of a file into `bytes`, unpacked. Returns their format, or NULL. */
static const struct pf_format *unpack(const struct pf_buffer *packed, struct pf_buffer *bytes)
{
    struct pf_error error = {0};
    struct pf_source *source = NULL;
    const struct pf_format *format = NULL;
    const unsigned char *ahead;
    size_t have;

    if (pf_source_open_memory(&source, packed->data, packed->size, &error) != PF_OK)
        return NULL;
    ahead = pf_source_peek(source, LONGEST + 1, &have);
    if (have > 0 && have <= LONGEST &&
        (format = pf_registry_guess(source, "input", NULL, &error))) {
        ahead = pf_source_peek(source, LONGEST + 1, &have);
        pf_buffer_append(bytes, ahead, have);
    }
    pf_source_close(source);
    return bytes->failed ? NULL : format;
}

/* Headers (fuzz.c) of the targets: the analysis, where to cut the second input, and the options
 * (analyses.h). */
static const unsigned char targets[][HEADER] = {
    {0, 0, ANALYSE_DIFF, 255, 0, 0, 32 | 4, 0},             /* the gate, three runs a side */
    {0, 0, ANALYSE_DIFF, 255, 1, 0, 64 | 32, 8},            /* the gate, forced, one run a side */
    {0, 0, ANALYSE_DIFF, 255, 0, 0, 16 | 8 | 4, 2},         /* means of runs, Welch's test, cum */
    {0, 0, ANALYSE_DIFFERENCE, 255, 0, 0, 8, 0},            /* runs are sections */
    {0, 0, ANALYSE_DIFFERENCE, 255, 0, 0, 32 | 16 | 8, 16}, /* groups of runs, evals */
    {0, 0, ANALYSE_DIFFERENCE, 255, 0, 0, 4, 16 | 8 | 4},   /* records: evals, builds, shares */
    {0, 0, ANALYSE_DIFF, 255, 0, 0, 2, 128 | 64 | 16},      /* evals are joined by text */
    {0, 0, ANALYSE_DIFF, 255, 0, 3, 2, 32 | 16},            /* evals stay apart */
    {0, 0, ANALYSE_MERGE, 255, 128, 0, 0, 64 | 16},         /* a merge into groups, evals */
};
enum { TARGETS = sizeof targets / sizeof *targets };

static void write_seed(const char *format, const struct pf_buffer *bytes,
                       const unsigned char header[HEADER])
{
    char path[1024];

    snprintf(path, sizeof path, "%s/%s", out.directory, format);
    if (mkdir(path, 0777) != 0 && access(path, W_OK) != 0)
        out.failed++;
    snprintf(path, sizeof path, "%s/%s/%06" PRIu64, out.directory, format, out.number++);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(header, 1, HEADER, file) != HEADER ||
        fwrite(bytes->data, 1, bytes->size, file) != bytes->size)
        out.failed++;
    if (file && fclose(file) != 0)
        out.failed++;
}

static bool fits(const struct pf_buffer *bytes)
{
    return bytes->size > 0 && bytes->size <= LONGEST;
}

/* Writes three seeds with different headers, so that the first seeds of a format do not all ask for
 * the same analysis, and a seed of a target. */
static void write_seeds(const char *format, const struct pf_buffer *bytes)
{
    for (int k = 0; k < 3 && fits(bytes); k++) {
        uint64_t mix = pf_hash_mix(out.number);
        unsigned char header[HEADER] = {0, (unsigned char)(out.number / ANALYSES),
                                        (unsigned char)(out.number % ANALYSES), 64};

        memcpy(header + 4, &mix, 4);
        write_seed(format, bytes, header);
    }
    if (fits(bytes))
        write_seed(format, bytes, targets[out.number / 4 % TARGETS]);
}

/* --- runs in a profile ------------------------------------------------------------------------ */

enum { RUNS = 4, EVALS = 3, RUN_ROWS = RUNS * EVALS };

/* A stack of main and a function of string eval number `k`. */
static uint32_t eval_stack(struct pf_dict *dict, uint32_t k)
{
    char file[32];
    struct pf_function whole = {.name = made_string(dict, "main")}, part = {0};

    snprintf(file, sizeof file, "(eval %u)[a.pl:3]", k + 1);
    part = (struct pf_function){.name = made_string(dict, "f"), .file = made_string(dict, file)};
    struct pf_location from = {.function = pf_dict_add_function(dict, &whole)},
                       to = {.function = pf_dict_add_function(dict, &part), .line = 1};

    return pf_dict_add_frame(dict, pf_dict_add_frame(dict, 0, pf_dict_add_location(dict, &from)),
                             pf_dict_add_location(dict, &to));
}

/* Writes records of runs in sections and in groups, and the source texts of evals: the first and
 * the last eval have one text. */
static int write_runs(struct pf_writer *writer)
{
    static const char *const sections[RUNS] = {"a", "b", "c", "d"};
    static uint32_t stacks[RUN_ROWS], labels[RUN_ROWS], none[RUNS], groups[RUNS];
    static int64_t values[RUN_ROWS], counts[RUNS];
    struct pf_dict *dict = writer->dict;
    struct pf_text texts[EVALS];
    char names[EVALS][32];
    const struct pf_measure runs = pf_replicate_measure(dict);

    for (uint32_t k = 0; k < RUNS; k++) {
        groups[k] =
            pf_dict_add_label(dict, 0, pf_replicate_key(dict), pf_replicate_name(dict, k, RUNS));
        counts[k] = 1 + k % 2;
    }
    for (uint32_t k = 0; k < RUN_ROWS; k++) {
        stacks[k] = eval_stack(dict, k % EVALS);
        labels[k] = pf_dict_add_label(dict, groups[k / EVALS], dict->section_key,
                                      made_string(dict, sections[k / EVALS]));
        values[k] = 1000 + 100 * (int64_t)(k % EVALS) + k;
    }
    for (uint32_t k = 0; k < EVALS; k++) {
        snprintf(names[k], sizeof names[k], "(eval %u)[a.pl:3]", k + 1);
        texts[k] =
            (struct pf_text){.name = pf_bytes_of(names[k]),
                             .text = k == 1 ? PF_BYTES("sub f { 1 }\n") : PF_BYTES("sub f { 2 }\n"),
                             .text_flags = PF_UTF8,
                             .line = 1};
    }
    struct pf_value_column ticks = {made_measure(dict, "ticks", PF_SAMPLE, PF_SUM), values},
                           count = {pf_measures_intern(&dict->measures, &runs), counts};
    struct pf_batch batches[] = {
        {.kind = PF_TEXT, .rows = EVALS, .texts = texts},
        {.kind = PF_SAMPLE,
         .rows = RUN_ROWS,
         .stack = stacks,
         .labels = labels,
         .value_count = 1,
         .values = &ticks},
        {.kind = PF_SAMPLE,
         .rows = RUNS,
         .stack = none,
         .labels = groups,
         .value_count = 1,
         .values = &count},
    };
    int status = PF_OK;

    for (size_t k = 0; status == PF_OK && k < sizeof batches / sizeof *batches; k++)
        status = pf_writer_write(writer, &batches[k]);
    return status == PF_OK ? pf_writer_finish(writer, false) : status;
}

/* True if the analysis of a target accepts the stream. */
static bool try_target(const struct pf_buffer *bytes, const unsigned char header[HEADER])
{
    struct outcome outcome = {0};
    struct study study = {.reader = pf_registry_find(PF_BYTES("pfs")),
                          .bytes = (const unsigned char *)bytes->data,
                          .size = bytes->size,
                          .cut = bytes->size * (header[3] / 2u) / 128,
                          .outcome = &outcome};

    memcpy(study.choices, header + 4, sizeof study.choices);
    analyse(&study, header[2]);
    if (outcome.wrong[0])
        fprintf(stderr, "seeds: %s\n", outcome.wrong);
    return !outcome.wrong[0];
}

/* Writes a stream of runs as a seed of each target. */
static void write_targets(void)
{
    struct pf_buffer bytes = {0};

    if (!make_stream(&bytes, write_runs))
        out.failed++;
    for (size_t k = 0; k < TARGETS && fits(&bytes); k++) {
        write_seed("pfs", &bytes, targets[k]);
        out.failed += !try_target(&bytes, targets[k]);
    }
    pf_buffer_free(&bytes);
}

/* --- files ------------------------------------------------------------------------------------ */

static void make_seeds(struct input_list *list, const char *path)
{
    struct pf_buffer packed = {0}, bytes = {0};
    const struct pf_format *format;

    (void)list;
    if (file_read(path, &packed) && (format = unpack(&packed, &bytes)) != NULL) {
        write_seeds(format->name, &bytes);
        if (!(format->caps & PF_HOLDS_FAILURE) && make_pfs(&packed, format, 0))
            write_seeds("pfs", &packed);
        if (make_raw(&bytes))
            write_seeds(format->name, &bytes);
    }
    pf_buffer_free(&packed);
    pf_buffer_free(&bytes);
}

int main(int argc, char **argv)
{
    struct input_list none = {0};
    struct pf_buffer kinds = {0};

    if (argc < 3) {
        fprintf(stderr, "usage: seeds OUT DIRECTORY...\n");
        return 2;
    }
    out.directory = argv[1];
    if (make_kinds(&kinds))
        write_seeds("pfs", &kinds);
    pf_buffer_free(&kinds);
    write_targets();
    for (int k = 2; k < argc; k++)
        list_files(&none, argv[k], make_seeds);
    printf("%" PRIu64 " seeds\n", out.number);
    return out.failed > 0 || out.number == 0;
}

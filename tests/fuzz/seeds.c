/* Writes the seeds of the fuzzing driver. seeds OUT DIRECTORY... unpacks every profile below the
 * directories and writes it to OUT/FORMAT/NUMBER behind a header (fuzz.c); the headers go through
 * all writers and analyses. Each file gives a native stream as well, and a StatProfiler file also a
 * copy without snappy blocks. Long files are left out, because a fuzzer works on small ones. */
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

static void write_seed(const char *format, const struct pf_buffer *bytes)
{
    uint64_t mix = pf_hash_mix(out.number);
    unsigned char header[HEADER] = {0, (unsigned char)(out.number / 7),
                                    (unsigned char)(out.number % 7), 64};
    char path[1024];

    memcpy(header + 4, &mix, 4);
    snprintf(path, sizeof path, "%s/%s", out.directory, format);
    if (mkdir(path, 0777) != 0 && access(path, W_OK) != 0)
        out.failed++;
    snprintf(path, sizeof path, "%s/%s/%06" PRIu64, out.directory, format, out.number++);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(header, 1, sizeof header, file) != sizeof header ||
        fwrite(bytes->data, 1, bytes->size, file) != bytes->size)
        out.failed++;
    if (file && fclose(file) != 0)
        out.failed++;
}

/* Writes three seeds with different headers, so that the first seeds of a format do not all ask for
 * the same analysis. */
static void write_seeds(const char *format, const struct pf_buffer *bytes)
{
    if (bytes->size > 0 && bytes->size <= LONGEST)
        for (int k = 0; k < 3; k++)
            write_seed(format, bytes);
}

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
    for (int k = 2; k < argc; k++)
        list_files(&none, argv[k], make_seeds);
    printf("%" PRIu64 " seeds\n", out.number);
    return out.failed > 0 || out.number == 0;
}

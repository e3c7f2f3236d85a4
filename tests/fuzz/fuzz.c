/* libFuzzer driver (make fuzz): the first byte of an input says which format reads it, with or without salvage, and
 * which format is written along. */
#include "examine.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct pf_format *readers[64], *writers[64] = {NULL};
    size_t reader_count = 0, writer_count = 1;
    const struct pf_format *format;
    for (size_t k = 0; k < 63 && (format = pf_registry_format(k)); k++) {
        if (format->bid)
            readers[reader_count++] = format;
        if (format->write)
            writers[writer_count++] = format;
    }
    if (!size)
        return 0;
    struct outcome outcome = {0};
    unsigned choice = data[0] / 2u;
    examine(&(struct examination){.format = readers[choice % reader_count], .bytes = data + 1, .size = size - 1,
                                  .salvage = data[0] & 1, .writer = writers[choice / reader_count % writer_count]},
            &outcome);
    if (outcome.wrong[0]) {
        fprintf(stderr, "%s\n", outcome.wrong);
        abort();
    }
    return 0;
}

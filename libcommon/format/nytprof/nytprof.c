/* Devel::NYTProf, the genuine format: every file that releases since 4.00 write. */
#include "codec/format.h"
#include "format/nytprof/merging.h"
#include "format/nytprof/reader.h"
#include "format/nytprof/writer.h"

#include <string.h>

enum { WINDOW = 16 * 1024 };

/* What other programs wrote under the same first line: behind the text, chunks with lengths instead of records. */
static bool foreign(const char *bytes, size_t size)
{
    size_t at = 0;
    while (at < size && (at == 0 || memchr("#:!", bytes[at], 3))) {
        const char *feed = memchr(bytes + at, '\n', size - at);
        if (!feed)
            return false;
        at = (size_t)(feed - bytes) + 1;
    }
    return at < size && (memchr("\nFDCEAHBTS", bytes[at], 10) ||
                         (size - at > 4 && memcmp(bytes + at, "P\x10\0\0\0", 5) == 0));
}

static int bid(struct pf_source *source, const char *path)
{
    size_t have;
    const char *bytes = (const char *)pf_source_peek(source, 64, &have);
    (void)path;
    if (have < 8 || memcmp(bytes, "NYTProf ", 8) != 0)
        return have >= 4 && have < 8 && memcmp(bytes, "NYTProf ", have) == 0 ? (int)(8 * have) : 0;
    return foreign(bytes, have < WINDOW ? have : WINDOW) ? 48 : 64;
}

static const struct pf_option options[] = {
    {"limit", "how many statements and calls of other formats are written at most, each a record: 16777216 where nothing is said", NULL,
     false, true},
    {NULL, NULL, NULL, false, false},
};

const struct pf_format pf_format_nytprof = {
    .name = "nytprof",
    .about = "Devel::NYTProf, the Perl profiler: lines, callers, call stacks, sources",
    .suffixes = ".nyt",
    .losses = "labels; measures but times, statements, calls and depth; columns, images, addresses, positions of entries among returns; "
              "records without a file, negative numbers and samples that are no times are refused; stacks without numbers of calls "
              "count as one call each, a sub has one place, times of lines finer than a nanosecond are rounded",
    .caps = PF_HOLDS_SAMPLE | PF_HOLDS_FLAT | PF_HOLDS_EDGE | PF_COMPRESSES | PF_CALLS_TELL,
    .merging = &pf_nyt_merging,
    .options = options,
    .bid = bid,
    .reader_size = sizeof(struct pf_nyt_reader),
    .open_reader = pf_nyt_open_reader,
    .read = pf_nyt_read,
    .close_reader = pf_nyt_close_reader,
    .writer_size = sizeof(struct pf_nyt_writer),
    .open_writer = pf_nyt_writer_open,
    .holds_label = pf_nyt_writer_holds_label,
    .write = pf_nyt_writer_write,
    .finish = pf_nyt_writer_finish,
    .close_writer = pf_nyt_writer_close,
};

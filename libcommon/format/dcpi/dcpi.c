/* DCPI profiles, dcpiformat(4): what the Digital Continuous Profiling Infrastructure kept of one event in one image. */
#include "format/dcpi/dcpi.h"

#include <string.h>

enum {
    WINDOW = 64 * 1024, /* looked at */
    ENOUGH = 3,         /* known lines that make a profile */
    LINE_BITS = 8
};

static const struct pf_option options[] = {
    {"stride", "bytes from one count's address to the next one's: 1 as the description of the format has it, 4 for true Alpha code",
     NULL, true, true},
    {NULL, NULL, NULL, false, false},
};

/* The word of a line that is known and whose value begins as it should. */
static enum pf_dcpi_word line_word(struct pf_bytes line)
{
    size_t size = 0, blanks = 0;

    while (size < line.size && line.data[size] != ' ' && line.data[size] != '\t')
        size++;
    while (size + blanks < line.size && (line.data[size + blanks] == ' ' || line.data[size + blanks] == '\t'))
        blanks++;
    if (blanks == 0 || size + blanks == line.size)
        return PF_DCPI_OTHER;
    return pf_dcpi_word_find((struct pf_bytes){line.data, size});
}

/* How many of the known lines stand among the bytes, each once. *ended: the header's end is there too, or it is none. */
static unsigned known_lines(struct pf_bytes text, bool *ended)
{
    bool met[PF_DCPI_OTHER] = {false};
    unsigned count = 0;
    const char *end;

    *ended = false;
    for (; !*ended && (end = memchr(text.data, '\n', text.size)); text.size -= (size_t)(end - text.data) + 1, text.data = end + 1) {
        struct pf_bytes line = {text.data, (size_t)(end - text.data)};
        enum pf_dcpi_word word = line_word(line);

        if (word != PF_DCPI_OTHER && !met[word]) {
            met[word] = true;
            count++;
        }
        *ended = memchr(line.data, '\0', line.size) || (line.size >= 7 && memcmp(line.data, "samples", 7) == 0);
        if (line.size > 10 && memcmp(line.data, "text_start", 10) == 0) /* of dcpicat's text */
            return 0;
    }
    return count;
}

/* A producer that is slow is waited for only when the first line looks like one of ours. */
static int bid(struct pf_source *source, const char *path)
{
    size_t have = 0, want = 1;
    unsigned known;
    bool ended;

    (void)path;
    do {
        const unsigned char *bytes = pf_source_peek(source, want, &have);

        if (have > WINDOW)
            have = WINDOW;
        known = known_lines((struct pf_bytes){(const char *)bytes, have}, &ended);
        if (have < want)
            break;
        want = have + 1;
    } while (known > 0 && known < ENOUGH && !ended && want <= WINDOW);
    return known >= ENOUGH ? (int)known * LINE_BITS : 0;
}

const struct pf_format pf_format_dcpi = {
    .name = "dcpi",
    .about = "DCPI profiles 0.06 and 0.07, one event of one image",
    .suffixes = ".dcpi",
    .losses = "all but the counts by address of one event in one image: functions, files, lines, labels; counts and totals over 32 bits",
    .caps = PF_HOLDS_FLAT | PF_READS_TEXT,
    .options = options,
    .merging = &pf_dcpi_merging,
    .bid = bid,
    .reader_size = sizeof(struct pf_dcpi_reader),
    .open_reader = pf_dcpi_reader_open,
    .read = pf_dcpi_reader_read,
    .close_reader = pf_dcpi_reader_close,
    .copy = pf_dcpi_copy,
    .writer_size = sizeof(struct pf_dcpi_writer),
    .open_writer = pf_dcpi_writer_open,
    .holds_label = pf_holds_no_label,
    .write = pf_dcpi_writer_write,
    .finish = pf_dcpi_writer_finish,
    .close_writer = pf_dcpi_writer_close,
};

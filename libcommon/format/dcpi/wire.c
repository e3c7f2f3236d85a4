/* The bytes of a DCPI profile, dcpiformat(4): the ASCII header, the chunks of counts after it, and
 * the text that says where the chunks lie. */
#include "format/dcpi/dcpi.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/number.h"
#include "base/scan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Limits of this reader, so that a stream without line ends does not fill the memory. */
enum { LINE_LIMIT = 64 * 1024, HEADER_LIMIT = 1024 * 1024 };

enum shape { REST, IDENTIFIER, HEX, DIGITS, TIME, RELEASE };

static const struct {
    const char *name;
    enum shape shape;
} WORDS[PF_DCPI_OTHER] = {
    [PF_DCPI_IMAGE] = {"image", IDENTIFIER},   [PF_DCPI_EPOCH] = {"epoch", TIME},
    [PF_DCPI_PLATFORM] = {"platform", REST},   [PF_DCPI_EVENT] = {"event", REST},
    [PF_DCPI_PERIOD] = {"period", DIGITS},     [PF_DCPI_TSIZE] = {"tsize", DIGITS},
    [PF_DCPI_CPUSPEED] = {"cpuspeed", DIGITS}, [PF_DCPI_VERSION] = {"version", RELEASE},
    [PF_DCPI_TSTART] = {"tstart", HEX},        [PF_DCPI_CPUAMASK] = {"cpuamask", HEX},
    [PF_DCPI_CPUIMPLV] = {"cpuimplv", DIGITS}, [PF_DCPI_CPUCOUNT] = {"cpucount", DIGITS},
    [PF_DCPI_PATH] = {"path", REST},
};

/* --- values ----------------------------------------------------------------------------------- */

bool pf_dcpi_is_image(struct pf_bytes text)
{
    for (size_t k = 0; k < text.size; k++)
        if (pf_hex_digit(text.data[k]) < 0)
            return false;
    return text.size > 0;
}

bool pf_dcpi_same_image(struct pf_bytes a, struct pf_bytes b)
{
    if (a.size != b.size)
        return false;
    for (size_t k = 0; k < a.size; k++)
        if (a.data[k] != b.data[k] &&
            (pf_hex_digit(a.data[k]) < 0 || pf_hex_digit(a.data[k]) != pf_hex_digit(b.data[k])))
            return false;
    return true;
}

uint32_t pf_dcpi_identifier(struct pf_dict *dict, struct pf_bytes image)
{
    struct pf_buffer small = {0};

    pf_buffer_append(&small, image.data, image.size);
    for (size_t k = 0; k < small.size; k++)
        if (small.data[k] >= 'A' && small.data[k] <= 'F')
            small.data[k] = (char)(small.data[k] - 'A' + 'a');
    return pf_dict_intern_buffer(dict, &small, pf_utf8_valid(image) ? PF_UTF8 : 0);
}

bool pf_dcpi_epoch(struct pf_bytes text, char normal[16])
{
    static const struct {
        char low[3], high[3];
    } parts[] = {{"01", "12"}, {"01", "31"}, {"00", "23"}, {"00", "59"}, {"00", "60"}};
    size_t century = text.size == 10 ? 2 : 0;

    if ((text.size != 10 && text.size != 12 && text.size != 14) || !pf_all_digits(text))
        return false;
    memcpy(normal, "20000000000000\0", 16);
    if (century)
        memcpy(normal, text.data[0] >= '7' ? "19" : "20", 2);
    memcpy(normal + century, text.data, text.size);
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        if (memcmp(normal + 4 + 2 * k, parts[k].low, 2) < 0 ||
            memcmp(normal + 4 + 2 * k, parts[k].high, 2) > 0)
            return false;
    return true;
}

/* `pdb-` major `.` minor. */
static bool parse_release(struct pf_bytes text, struct pf_bytes *major, struct pf_bytes *minor)
{
    if (!pf_scan_past(&text, PF_BYTES("pdb-")) || !pf_scan_field(&text, '.', major))
        return false;
    *minor = text;
    return pf_all_digits(*major) && pf_all_digits(*minor);
}

static bool read_version(struct pf_bytes text)
{
    struct pf_bytes major, minor;
    uint64_t high, low;

    return parse_release(text, &major, &minor) && pf_parse_digits(major, UINT64_MAX, &high) &&
           pf_parse_digits(minor, UINT64_MAX, &low) && high == 0 && (low == 6 || low == 7);
}

/* Checks the value of a line and keeps it. NULL, or what was expected. */
static const char *check_value(struct pf_dcpi_header *header, enum pf_dcpi_word word,
                               struct pf_bytes value)
{
    struct pf_bytes major, minor;
    uint64_t number;
    bool first = header->first[word] == 0;
    char epoch[16];

    switch (WORDS[word].shape) {
    case IDENTIFIER: return pf_dcpi_is_image(value) ? NULL : "hexadecimal digits";
    case HEX:
        if (!pf_parse_hex(value, &number))
            return "a hexadecimal number of 64 bits";
        break;
    case DIGITS:
        if (!pf_parse_digits(value, UINT64_MAX, &number))
            return "a decimal number of 64 bits";
        break;
    case TIME:
        if (!pf_dcpi_epoch(value, epoch))
            return "a time YYMMDDHHMM or YYYYMMDDHHMMSS";
        if (first)
            memcpy(header->epoch, epoch, sizeof epoch);
        return NULL;
    case RELEASE: return parse_release(value, &major, &minor) ? NULL : "pdb-MAJOR.MINOR";
    default: return NULL;
    }
    if (first)
        header->number[word] = number;
    return NULL;
}

/* --- lines ------------------------------------------------------------------------------------ */

enum pf_dcpi_word pf_dcpi_word_find(struct pf_bytes word)
{
    enum pf_dcpi_word k = 0;

    while (k < PF_DCPI_OTHER && !pf_bytes_equal(word, pf_bytes_of(WORDS[k].name)))
        k++;
    return k;
}

const char *pf_dcpi_word_name(enum pf_dcpi_word word)
{
    return WORDS[word].name;
}

struct pf_bytes pf_dcpi_line_word(const struct pf_dcpi_header *header,
                                  const struct pf_dcpi_line *line)
{
    return (struct pf_bytes){header->raw.data + line->start, line->word_size};
}

struct pf_bytes pf_dcpi_line_separator(const struct pf_dcpi_header *header,
                                       const struct pf_dcpi_line *line)
{
    return (struct pf_bytes){header->raw.data + line->start + line->word_size,
                             line->separator_size};
}

struct pf_bytes pf_dcpi_line_value(const struct pf_dcpi_header *header,
                                   const struct pf_dcpi_line *line)
{
    return (struct pf_bytes){
        header->raw.data + line->start + line->word_size + line->separator_size, line->value_size};
}

struct pf_bytes pf_dcpi_header_value(const struct pf_dcpi_header *header, enum pf_dcpi_word word)
{
    if (header->first[word] == 0)
        return PF_BYTES("");
    return pf_dcpi_line_value(header, &header->lines[header->first[word] - 1]);
}

void pf_dcpi_header_free(struct pf_dcpi_header *header)
{
    pf_buffer_free(&header->raw);
    free(header->lines);
    *header = (struct pf_dcpi_header){0};
}

int pf_dcpi_header_line(struct pf_dcpi_header *header, struct pf_bytes text, uint64_t offset,
                        struct pf_error *error)
{
    struct pf_dcpi_line line = {.start = header->raw.size};
    const char *expected = NULL;

    if (text.size > LINE_LIMIT || header->raw.size + text.size >= HEADER_LIMIT)
        return pf_error_at(
            error, PF_FAILED, offset,
            "header-too-long: a line of more than %d or a header of more than %d bytes", LINE_LIMIT,
            HEADER_LIMIT);
    if (memchr(text.data, '\0', text.size))
        return pf_error_at(error, PF_FAILED, offset,
                           "header-nul: a header line holds a zero byte, where text was expected");
    if (text.size > 0 && text.data[text.size - 1] == '\r')
        return pf_error_at(error, PF_FAILED, offset,
                           "header-crlf: a header line ends in CR LF: the file was copied as text, "
                           "its counts are surely damaged");
    while (line.word_size < text.size && !pf_blank(text.data[line.word_size]))
        line.word_size++;
    while (line.word_size + line.separator_size < text.size &&
           pf_blank(text.data[line.word_size + line.separator_size]))
        line.separator_size++;
    line.value_size = text.size - line.word_size - line.separator_size;
    if (line.word_size == 0 || line.value_size == 0 || memchr(text.data, '\n', text.size))
        return pf_error_at(error, PF_FAILED, offset,
                           "bad-line: header line '%s' is not a word, blanks and a value",
                           pf_clip(text).text);
    line.known = pf_dcpi_word_find((struct pf_bytes){text.data, line.word_size});
    if (line.known != PF_DCPI_OTHER)
        expected = check_value(
            header, line.known,
            (struct pf_bytes){text.data + line.word_size + line.separator_size, line.value_size});
    if (expected)
        return pf_error_at(error, PF_FAILED, offset,
                           "bad-value: the value of header line '%s' is not %s",
                           pf_dcpi_word_name(line.known), expected);
    pf_buffer_append(&header->raw, text.data, text.size);
    if (!pf_buffer_byte(&header->raw, '\n') ||
        !pf_grow(&header->lines, &header->capacity, header->count + 1, sizeof line))
        return pf_error_nomem(error);
    header->lines[header->count++] = line;
    if (line.known != PF_DCPI_OTHER && header->first[line.known] == 0)
        header->first[line.known] = header->count;
    return PF_OK;
}

/* --- the header as a whole -------------------------------------------------------------------- */

static int check_lines(const struct pf_dcpi_header *header, uint64_t offset, struct pf_error *error)
{
    for (size_t k = 0; k < header->count; k++) {
        enum pf_dcpi_word word = header->lines[k].known;

        if (word < PF_DCPI_SINGLE && header->first[word] != k + 1)
            return pf_error_at(error, PF_FAILED, offset,
                               "duplicate-line: the header has more than one line '%s'",
                               pf_dcpi_word_name(word));
    }
    for (enum pf_dcpi_word word = 0; word < PF_DCPI_REQUIRED; word++)
        if (header->first[word] == 0)
            return pf_error_at(error, PF_FAILED, offset,
                               "missing-line: the header has no line '%s'",
                               pf_dcpi_word_name(word));
    struct pf_bytes version = pf_dcpi_header_value(header, PF_DCPI_VERSION);

    if (version.size > 0 && !read_version(version))
        return pf_error_at(error, PF_UNSUPPORTED, offset,
                           "unsupported-version: the file is of version '%s'; only 0.06 and 0.07 "
                           "are documented and read"
                           " (the text dcpicat prints of others is read)",
                           pf_clip(version).text);
    return PF_OK;
}

static void report_oddities(const struct pf_dcpi_header *header, const struct pf_report *report)
{
    size_t epoch_size = pf_dcpi_header_value(header, PF_DCPI_EPOCH).size;

    if (epoch_size != 10)
        pf_report_send(report, epoch_size == 12 ? PF_WARNING : PF_NOTE,
                       "the epoch has %zu digits where 10 are usual", epoch_size);
    for (size_t k = 0; k < header->count; k++) {
        enum pf_dcpi_word word = header->lines[k].known;

        if (word == PF_DCPI_OTHER &&
            pf_bytes_equal(pf_dcpi_line_word(header, &header->lines[k]), PF_BYTES("samples")))
            pf_report_send(report, PF_WARNING,
                           "a header line 'samples' with a value is read as an unknown line");
        if (word >= PF_DCPI_SINGLE && word < PF_DCPI_PATH && header->first[word] != k + 1)
            pf_report_send(report, PF_WARNING,
                           "the header has more than one line '%s': the first line is used",
                           pf_dcpi_word_name(word));
    }
    if (header->raw.size % 4 != 0)
        pf_report_send(report, PF_NOTE, "the header has %zu bytes, not a multiple of four",
                       header->raw.size);
    if (header->first[PF_DCPI_TSTART] == 0)
        pf_report_send(
            report, PF_NOTE,
            "the header has no line 'tstart': addresses count from the start of the text");
}

int pf_dcpi_header_end(struct pf_dcpi_header *header, struct pf_bytes pad, uint64_t offset,
                       const struct pf_report *report, struct pf_error *error)
{
    size_t pad_start = header->raw.size + strlen("samples");

    for (size_t k = 0; k < pad.size; k++)
        if (!pf_blank(pad.data[k]))
            return pf_error_at(error, PF_FAILED, offset,
                               "bad-line: text after 'samples', expected only blanks");
    if (pad.size > LINE_LIMIT || pad_start + pad.size >= HEADER_LIMIT)
        return pf_error_at(error, PF_FAILED, offset,
                           "header-too-long: a header of more than %d bytes", HEADER_LIMIT);
    pf_buffer_append(&header->raw, "samples", strlen("samples"));
    pf_buffer_append(&header->raw, pad.data, pad.size);
    if (!pf_buffer_byte(&header->raw, '\n'))
        return pf_error_nomem(error);
    header->pad = (struct pf_bytes){header->raw.data + pad_start, pad.size};
    if (check_lines(header, offset, error) != PF_OK)
        return error->code;
    report_oddities(header, report);
    return PF_OK;
}

/* Removes the next line from the source; it is valid until the next call on the source. */
static int next_line(struct pf_source *source, struct pf_bytes *line, struct pf_error *error)
{
    uint64_t offset = pf_source_offset(source);
    size_t have, searched = 0;

    for (;;) {
        const unsigned char *bytes = pf_source_peek(source, searched + 1, &have);
        const unsigned char *end = have > searched ? memchr(bytes + searched, '\n', have - searched)
                                                   : NULL;
        size_t size = end ? (size_t)(end - bytes) : have;

        if (size > LINE_LIMIT)
            return pf_error_at(error, PF_FAILED, offset,
                               "header-too-long: a header line of more than %d bytes", LINE_LIMIT);
        *line = (struct pf_bytes){(const char *)bytes, size};
        if (end) {
            pf_source_take(source, size + 1);
            return PF_OK;
        }
        if (have > searched) {
            searched = have;
            continue;
        }
        if (pf_source_status(source, error) != PF_OK)
            return error->code;
        if (memchr(bytes, '\0', size))
            return pf_error_at(error, PF_FAILED, offset,
                               "header-nul: the header holds a zero byte, where text was expected");
        return pf_error_at(error, PF_FAILED, offset + size,
                           "missing-terminator: the file ends before the line 'samples'");
    }
}

int pf_dcpi_header_read(struct pf_dcpi_header *header, struct pf_source *source,
                        const struct pf_report *report, struct pf_error *error)
{
    struct pf_bytes line, word = PF_BYTES("samples");
    size_t have;

    pf_source_peek(source, 1, &have);
    if (have == 0 && pf_source_status(source, error) == PF_OK)
        return pf_error_at(error, PF_FAILED, 0, "empty-input: expected a profile");
    if (pf_source_marked(source)) /* the mark would belong to the first word */
        return pf_error_at(error, PF_FAILED, 0,
                           "missing-line: the file begins with a byte order mark: was the file "
                           "converted as text?");
    for (;;) {
        uint64_t offset = pf_source_offset(source);
        int status = next_line(source, &line, error);
        size_t blanks = word.size;

        if (status != PF_OK)
            return status;
        while (blanks < line.size && pf_blank(line.data[blanks]))
            blanks++;
        if (line.size >= word.size && blanks == line.size &&
            memcmp(line.data, word.data, word.size) == 0)
            return pf_dcpi_header_end(
                header, (struct pf_bytes){line.data + word.size, line.size - word.size}, offset,
                report, error);
        status = pf_dcpi_header_line(header, line, offset, error);
        if (status != PF_OK)
            return status;
    }
}

/* --- chunks of counts and the footer ---------------------------------------------------------- */

enum { WORD = 4, PAIR = 8 };

static int check_head(struct pf_dcpi_body *body, uint32_t offset, uint32_t number, uint64_t at,
                      struct pf_error *error)
{
    if (number == 0)
        return pf_error_at(error, PF_FAILED, at,
                           "empty-chunk: the chunk at offset 0x%" PRIx32 " has no counts", offset);
    if ((uint64_t)offset + number > (uint64_t)UINT32_MAX + 1)
        return pf_error_at(error, PF_FAILED, at,
                           "range-overflow: the chunk at offset 0x%" PRIx32 " has %" PRIu32
                           " counts and ends beyond 32 bits",
                           offset, number);
    if (body->begun && offset <= body->last)
        return pf_error_at(error, PF_FAILED, at,
                           "chunk-order: a chunk at offset 0x%" PRIx32
                           " follows the one at 0x%" PRIx32,
                           offset, body->last);
    if (offset < body->end)
        return pf_error_at(error, PF_FAILED, at,
                           "chunk-overlap: the chunk at offset 0x%" PRIx32
                           " begins inside the one before, which ends at 0x%" PRIx64,
                           offset, body->end);
    if (offset < body->place)
        return pf_error_at(error, PF_FAILED, at,
                           "stride-overlap: with a stride of %" PRIu64
                           " the chunk at offset 0x%" PRIx32
                           " begins inside the one before: the file has another stride",
                           body->stride, offset);
    if (offset + (number - 1) * body->stride > UINT64_MAX - body->start)
        return pf_error_at(error, PF_FAILED, at,
                           "address-overflow: the chunk at offset 0x%" PRIx32 " has %" PRIu32
                           " counts and, with a text at 0x%" PRIx64 ", ends beyond 64 bits",
                           offset, number, body->start);
    return PF_OK;
}

static int check_footer(const struct pf_dcpi_body *body, uint32_t offsets, uint32_t samples,
                        uint64_t at, struct pf_error *error)
{
    if (offsets != body->nonzero)
        return pf_error_at(error, PF_FAILED, at,
                           "footer-offsets: the footer says that %" PRIu32
                           " addresses have samples, but %" PRIu64 " have",
                           offsets, body->nonzero);
    if (body->total > UINT32_MAX)
        return pf_error_at(error, PF_FAILED, at + WORD,
                           "total-overflow: the counts sum to %" PRIu64
                           ", which no footer of 32 bits can hold",
                           body->total);
    if (samples != body->total)
        return pf_error_at(error, PF_FAILED, at + WORD,
                           "footer-samples: the footer says %" PRIu32
                           " samples, but the counts sum to %" PRIu64,
                           samples, body->total);
    return PF_OK;
}

static int counts_ahead(struct pf_dcpi_body *body, struct pf_source *source, uint32_t most,
                        struct pf_dcpi_piece *piece, struct pf_error *error)
{
    size_t have;
    const unsigned char *bytes = pf_source_peek(source, WORD, &have);
    uint32_t number = body->left < most ? body->left : most;

    if (have < WORD && pf_source_status(source, error) != PF_OK)
        return error->code;
    if (have < WORD)
        return pf_error_at(error, PF_FAILED, pf_source_offset(source) + have,
                           "truncated-chunk: the file ends, expected %" PRIu32
                           " more counts of a chunk",
                           body->left);
    if (number > have / WORD)
        number = (uint32_t)(have / WORD);
    *piece = (struct pf_dcpi_piece){.kind = PF_DCPI_COUNTS,
                                    .bytes = bytes,
                                    .size = (size_t)number * WORD,
                                    .number = number,
                                    .place = body->place};
    body->left -= number;
    body->place += number * body->stride;
    return PF_OK;
}

int pf_dcpi_body_next(struct pf_dcpi_body *body, struct pf_source *source, uint32_t most,
                      struct pf_dcpi_piece *piece, struct pf_error *error)
{
    size_t have;

    if (body->left > 0)
        return counts_ahead(body, source, most, piece, error);
    const unsigned char *bytes = pf_source_peek(source, PAIR + 1, &have);
    uint64_t at = pf_source_offset(source);

    if (have <= PAIR && pf_source_status(source, error) != PF_OK)
        return error->code;
    if (have < PAIR)
        return pf_error_at(
            error, PF_FAILED, at + have,
            "truncated-footer: %zu bytes are left, expected the eight bytes of a footer", have);
    uint32_t first = pf_load32le(bytes), second = pf_load32le(bytes + WORD);

    if (have == PAIR) {
        *piece = (struct pf_dcpi_piece){.kind = PF_DCPI_FOOTER, .bytes = bytes, .size = PAIR};
        return check_footer(body, first, second, at, error) == PF_OK ? PF_EOF : error->code;
    }
    if (check_head(body, first, second, at, error) != PF_OK)
        return error->code;
    *piece = (struct pf_dcpi_piece){.kind = PF_DCPI_HEAD,
                                    .bytes = bytes,
                                    .size = PAIR,
                                    .number = second,
                                    .place = first,
                                    .gap = first - body->end};
    body->begun = true;
    body->last = first;
    body->left = second;
    body->place = first;
    body->end = (uint64_t)first + second;
    return PF_OK;
}

void pf_dcpi_body_count(struct pf_dcpi_body *body, const unsigned char *counts, uint32_t number)
{
    uint64_t total = 0;
    uint32_t nonzero = 0;

    for (uint32_t k = 0; k < number; k++) {
        uint32_t count = pf_load32le(counts + (size_t)k * WORD);

        total += count;
        nonzero += count != 0;
    }
    body->total += total;
    body->nonzero += nonzero;
}

/* --- the layout of the chunks, as text -------------------------------------------------------- */

bool pf_dcpi_layout_add(struct pf_buffer *text, uint64_t gap, uint32_t number)
{
    char room[40], *end = room + sizeof room, *start = end;

    *--start = ' ';
    start = pf_print_before(start, number);
    *--start = '+';
    start = pf_print_before(start, gap);
    return pf_buffer_append(text, start, (size_t)(end - start));
}

/* Scans a number and the byte after it. */
static bool scan_number(struct pf_bytes text, size_t *at, char behind, uint64_t *number)
{
    struct pf_bytes rest = pf_bytes_skip(text, *at);

    if (!pf_scan_number(&rest, UINT32_MAX, number) || rest.size == 0 || *rest.data != behind)
        return false;
    *at = text.size - rest.size + 1;
    return true;
}

int pf_dcpi_chunks_next(struct pf_dcpi_chunks *chunks, struct pf_dcpi_chunk *chunk)
{
    const struct pf_dcpi_layout *layout = chunks->layout;
    uint64_t gap, number;

    while (chunks->text < layout->count &&
           chunks->at == pf_dict_string(chunks->dict, layout->texts[chunks->text]).size) {
        chunks->text++;
        chunks->at = 0;
    }
    if (chunks->text == layout->count)
        return PF_EOF;
    struct pf_bytes text = pf_dict_string(chunks->dict, layout->texts[chunks->text]);

    if (!scan_number(text, &chunks->at, '+', &gap) ||
        !scan_number(text, &chunks->at, ' ', &number) || number == 0 ||
        chunks->end + gap + number > (uint64_t)UINT32_MAX + 1)
        return PF_FAILED;
    *chunk = (struct pf_dcpi_chunk){chunks->end + gap, (uint32_t)number};
    chunks->end = chunk->offset + number;
    return PF_OK;
}

#include "format/dcpi/dcpi.h"

#include "base/error.h"
#include "base/scan.h"

static char *print_number(char *end, uint64_t number)
{
    do
        *--end = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    return end;
}

bool pf_dcpi_layout_add(struct pf_buffer *text, uint64_t gap, uint32_t number)
{
    char room[40], *end = room + sizeof room, *start = end;

    *--start = ' ';
    start = print_number(start, number);
    *--start = '+';
    start = print_number(start, gap);
    return pf_buffer_append(text, start, (size_t)(end - start));
}

/* Digits and the byte behind them. */
static bool take_number(struct pf_bytes text, size_t *at, char behind, uint64_t *number)
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

    if (!take_number(text, &chunks->at, '+', &gap) || !take_number(text, &chunks->at, ' ', &number) || number == 0 ||
        chunks->end + gap + number > (uint64_t)UINT32_MAX + 1)
        return PF_FAILED;
    *chunk = (struct pf_dcpi_chunk){chunks->end + gap, (uint32_t)number};
    chunks->end = chunk->offset + number;
    return PF_OK;
}

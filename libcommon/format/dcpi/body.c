#include "format/dcpi/dcpi.h"

#include "base/bytes.h"

#include <inttypes.h>

enum { WORD = 4, PAIR = 8 };

static int check_head(struct pf_dcpi_body *body, uint32_t offset, uint32_t number, uint64_t at, struct pf_error *error)
{
    if (number == 0)
        return pf_error_at(error, PF_FAILED, at, "empty-chunk: the chunk at offset 0x%" PRIx32 " has no counts", offset);
    if ((uint64_t)offset + number > (uint64_t)UINT32_MAX + 1)
        return pf_error_at(error, PF_FAILED, at,
                           "range-overflow: the chunk at offset 0x%" PRIx32 " has %" PRIu32 " counts and ends beyond 32 bits", offset,
                           number);
    if (body->begun && offset <= body->last)
        return pf_error_at(error, PF_FAILED, at, "chunk-order: a chunk at offset 0x%" PRIx32 " follows the one at 0x%" PRIx32, offset,
                           body->last);
    if (offset < body->end)
        return pf_error_at(error, PF_FAILED, at,
                           "chunk-overlap: the chunk at offset 0x%" PRIx32 " begins inside the one before, which ends at 0x%" PRIx64,
                           offset, body->end);
    if (offset < body->place)
        return pf_error_at(error, PF_FAILED, at,
                           "stride-overlap: with a stride of %" PRIu64 " the chunk at offset 0x%" PRIx32
                           " begins inside the one before: the file has another stride",
                           body->stride, offset);
    if (offset + (number - 1) * body->stride > UINT64_MAX - body->start)
        return pf_error_at(error, PF_FAILED, at,
                           "address-overflow: the chunk at offset 0x%" PRIx32 " has %" PRIu32
                           " counts and, with a text at 0x%" PRIx64 ", ends beyond 64 bits",
                           offset, number, body->start);
    return PF_OK;
}

static int check_footer(const struct pf_dcpi_body *body, uint32_t offsets, uint32_t samples, uint64_t at, struct pf_error *error)
{
    if (offsets != body->nonzero)
        return pf_error_at(error, PF_FAILED, at,
                           "footer-offsets: the footer says that %" PRIu32 " addresses have samples, but %" PRIu64 " have", offsets,
                           body->nonzero);
    if (body->total > UINT32_MAX)
        return pf_error_at(error, PF_FAILED, at + WORD,
                           "total-overflow: the counts sum to %" PRIu64 ", which no footer of 32 bits can hold", body->total);
    if (samples != body->total)
        return pf_error_at(error, PF_FAILED, at + WORD,
                           "footer-samples: the footer says %" PRIu32 " samples, but the counts sum to %" PRIu64, samples,
                           body->total);
    return PF_OK;
}

static int counts_ahead(struct pf_dcpi_body *body, struct pf_source *source, uint32_t most, struct pf_dcpi_piece *piece,
                        struct pf_error *error)
{
    size_t have;
    const unsigned char *bytes = pf_source_peek(source, WORD, &have);
    uint32_t number = body->left < most ? body->left : most;

    if (have < WORD && pf_source_status(source, error) != PF_OK)
        return error->code;
    if (have < WORD)
        return pf_error_at(error, PF_FAILED, pf_source_offset(source) + have,
                           "truncated-chunk: the file ends where %" PRIu32 " more counts of a chunk were expected", body->left);
    if (number > have / WORD)
        number = (uint32_t)(have / WORD);
    *piece = (struct pf_dcpi_piece){
        .kind = PF_DCPI_COUNTS, .bytes = bytes, .size = (size_t)number * WORD, .number = number, .place = body->place};
    body->left -= number;
    body->place += number * body->stride;
    return PF_OK;
}

int pf_dcpi_body_next(struct pf_dcpi_body *body, struct pf_source *source, uint32_t most, struct pf_dcpi_piece *piece,
                      struct pf_error *error)
{
    size_t have;

    if (body->left > 0)
        return counts_ahead(body, source, most, piece, error);
    const unsigned char *bytes = pf_source_peek(source, PAIR + 1, &have);
    uint64_t at = pf_source_offset(source);

    if (have <= PAIR && pf_source_status(source, error) != PF_OK)
        return error->code;
    if (have < PAIR)
        return pf_error_at(error, PF_FAILED, at + have, "truncated-footer: %zu bytes are left where the eight of a footer were expected",
                           have);
    uint32_t first = pf_load32le(bytes), second = pf_load32le(bytes + WORD);

    if (have == PAIR) {
        *piece = (struct pf_dcpi_piece){.kind = PF_DCPI_FOOTER, .bytes = bytes, .size = PAIR};
        return check_footer(body, first, second, at, error) == PF_OK ? PF_EOF : error->code;
    }
    if (check_head(body, first, second, at, error) != PF_OK)
        return error->code;
    *piece = (struct pf_dcpi_piece){
        .kind = PF_DCPI_HEAD, .bytes = bytes, .size = PAIR, .number = second, .place = first, .gap = first - body->end};
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

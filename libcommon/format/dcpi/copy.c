#include "format/dcpi/dcpi.h"


int pf_dcpi_copy(struct pf_source *source, struct pf_sink *sink, const struct pf_report *report, bool salvage, uint64_t *records,
                 struct pf_error *error)
{
    struct pf_dcpi_header header = {0};
    struct pf_dcpi_body body = {.stride = 1};
    struct pf_dcpi_piece piece;
    int status = pf_dcpi_header_read(&header, source, report, error), written = PF_OK;

    (void)salvage;
    body.start = header.number[PF_DCPI_TSTART];
    if (status == PF_OK)
        written = pf_sink_write(sink, header.raw.data, header.raw.size);
    while (status == PF_OK && written == PF_OK) {
        status = pf_dcpi_body_next(&body, source, UINT32_MAX, &piece, error);
        if (status < 0) {
            pf_sink_write(sink, pf_dcpi_broken, sizeof pf_dcpi_broken);
            break;
        }
        if (piece.kind == PF_DCPI_COUNTS)
            pf_dcpi_body_count(&body, piece.bytes, piece.number);
        written = pf_sink_write(sink, piece.bytes, piece.size);
        pf_source_take(source, piece.size);
    }
    *records = body.nonzero;
    pf_dcpi_header_free(&header);
    if (status < 0)
        return status;
    return written == PF_OK ? PF_OK : pf_sink_status(sink, error);
}

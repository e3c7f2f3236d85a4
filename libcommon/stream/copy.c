/* Concatenates streams without reading their records: checks frames and copies them unchanged. */
#include "stream/stream.h"

#include "stream/emit.h"
#include "stream/frame.h"

#include <inttypes.h>
#include <string.h>

struct copy {
    struct pf_source *source;
    struct pf_sink *sink;
    struct pf_sequence sequence;
    struct pf_emit emit;
    bool salvage;
    struct pf_error input; /* the failure of the source */
};

/* True if the frame is an end frame whose mark "incomplete" must be removed (salvage). */
static bool must_unmark(const struct copy *copy, const struct pf_frame *frame)
{
    return copy->salvage && frame->type == 'E' && (frame->base & PF_END_INCOMPLETE);
}

static int write_unmarked(struct copy *copy, struct pf_frame frame, const unsigned char *payload)
{
    unsigned char header[PF_FRAME_HEADER];

    frame.base &= ~(uint32_t)PF_END_INCOMPLETE;
    pf_frame_store(&frame, payload, header);
    int status = pf_sink_write(copy->sink, header, sizeof header);
    return status == PF_OK
               ? pf_sink_write(copy->sink, payload, pf_frame_total(&frame) - PF_FRAME_HEADER)
               : status;
}

/* Checks the complete frames among the bytes ahead and returns their total size. Stops before
 * damage, which is then in copy->input. Stops at an end frame that must be rewritten: after this
 * frame if it is the first, else before it. */
static size_t check_frames(struct copy *copy, const unsigned char *bytes, size_t have,
                           struct pf_frame *last)
{
    uint64_t offset = pf_source_offset(copy->source);
    size_t run = 0;

    while (have - run >= PF_FRAME_HEADER) {
        struct pf_frame frame;
        struct pf_end end;
        const unsigned char *payload = bytes + run + PF_FRAME_HEADER;
        if (pf_frame_parse(bytes + run, offset + run, &frame, &copy->input) != PF_OK ||
            have - run < pf_frame_total(&frame))
            break;
        if (must_unmark(copy, &frame) && run > 0)
            break;
        if (pf_frame_verify(&frame, payload, &copy->input) != PF_OK ||
            pf_sequence_take(&copy->sequence, &frame, payload, &end, &copy->input) != PF_OK)
            break;
        if (frame.type == 'H')
            copy->emit.start = pf_sink_offset(copy->sink) + run;
        run += pf_frame_total(&frame);
        *last = frame;
        if (must_unmark(copy, &frame))
            break;
    }
    return run;
}

/* Copies the frames that are in memory, at least one. PF_OK; PF_EOF; a failure of the sink; or
 * PF_FAILED with copy->input set. */
static int copy_some(struct copy *copy)
{
    struct pf_frame frame;
    const unsigned char *payload;
    size_t have, run;
    int status = pf_frame_peek(copy->source, &frame, &payload, &copy->input);

    if (status != PF_OK)
        return status == PF_EOF ? PF_EOF : PF_FAILED;
    const unsigned char *bytes = pf_source_peek(copy->source, pf_frame_total(&frame), &have);
    run = check_frames(copy, bytes, have, &frame);
    if (run > 0 && must_unmark(copy, &frame))
        status = write_unmarked(copy, frame, bytes + PF_FRAME_HEADER);
    else if (run > 0)
        status = pf_sink_write(copy->sink, bytes, run);
    if (status == PF_OK)
        pf_source_take(copy->source, run);
    return status == PF_OK && copy->input.code != PF_OK ? PF_FAILED : status;
}

/* Ends the segment that the damage left open. If the damage is between segments, an empty segment
 * carries the mark, unless an earlier segment does. */
static int end_segment(struct copy *copy)
{
    bool marked = copy->salvage ? copy->sequence.segments > 0 : copy->sequence.incomplete;
    int status = PF_OK;

    if (!copy->sequence.open && !marked) {
        status = pf_emit_head(&copy->emit);
        copy->sequence.open = true;
        copy->sequence.records = 0;
    }
    if (status == PF_OK && copy->sequence.open)
        status = pf_emit_end(&copy->emit, copy->sequence.records, NULL, 0, !copy->salvage);
    return status;
}

/* Salvage: warns of the damage, with the numbers of records kept and bytes lost. */
static void warn(struct copy *copy, const struct pf_report *report)
{
    uint64_t at = copy->input.has_offset ? copy->input.offset : pf_source_offset(copy->source);

    pf_source_skip(copy->source, UINT64_MAX);
    uint64_t end = pf_source_offset(copy->source);
    pf_report_send(report, PF_WARNING,
                   "offset %" PRIu64 ": %s; %" PRIu64 " records kept, %" PRIu64 " bytes lost", at,
                   copy->input.text, copy->sequence.all_records, end > at ? end - at : 0);
}

/* Ends the output after a failure of the source. */
static int end_after_failure(struct copy *copy, const struct pf_report *report,
                             struct pf_error *error)
{
    copy->salvage = copy->salvage && copy->input.code == PF_FAILED;
    int status = end_segment(copy);
    pf_emit_free(&copy->emit);
    if (status != PF_OK)
        return pf_sink_status(copy->sink, error) != PF_OK ? error->code : pf_error_nomem(error);
    if (copy->salvage) {
        warn(copy, report);
        return PF_OK;
    }
    *error = copy->input;
    return error->code;
}

int pf_stream_copy(struct pf_source *source, struct pf_sink *sink, const struct pf_report *report,
                   bool salvage, uint64_t *records, struct pf_error *error)
{
    struct copy copy = {.source = source, .sink = sink, .emit = {.sink = sink}, .salvage = salvage};
    int status = PF_OK;

    while (status == PF_OK) {
        if (sink->live && pf_source_would_block(source))
            pf_sink_flush(sink);
        status = copy_some(&copy);
    }
    *records = copy.sequence.all_records;
    if (status == PF_EOF)
        status = pf_sequence_end(&copy.sequence, pf_source_offset(source), &copy.input);
    if (status == PF_EOF)
        return PF_OK;
    if (copy.input.code == PF_OK)
        return pf_sink_status(sink, error);
    return end_after_failure(&copy, report, error);
}

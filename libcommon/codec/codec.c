#include "codec/codec.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A program that put UTF-8's mark before binary data has changed other bytes too. */
int pf_reader_check_mark(struct pf_reader *reader)
{
    size_t have;
    pf_source_peek(reader->source, 1, &have);
    if (pf_source_marked(reader->source))
        return pf_error_at(
            &reader->error, PF_FAILED, 0,
            "the file begins with a byte order mark: was the file converted as text?");
    return PF_OK;
}

/* Completes the error of a reader. If a table of the dictionary ran out of memory, this is the
 * reason, whatever the reader reports. A failure without a text gets the text of the source's
 * failure, or a general text. */
static int explained_read(struct pf_reader *reader, int status)
{
    int dict_status = pf_dict_status(reader->dict);
    if (dict_status == PF_NOMEM || status == PF_NOMEM) {
        reader->error = (struct pf_error){0};
        return pf_error_nomem(&reader->error);
    }
    if (status == PF_OK && dict_status < 0)
        return pf_error_set(&reader->error, dict_status, "a string is longer than %zu bytes",
                            PF_STRING_MAX);
    if (status < 0 && !reader->error.code &&
        pf_source_status(reader->source, &reader->error) == PF_OK)
        pf_error_set(&reader->error, status, "cannot read %s", reader->format->name);
    return status;
}

int pf_reader_open(struct pf_reader **result, const struct pf_reader *setup, struct pf_error *error)
{
    *result = NULL;
    const struct pf_format *format = setup->format;
    if (!format->bid)
        return pf_error_set(error, PF_USAGE, "the format %s is only written, never read",
                            format->name);
    struct pf_reader *reader = malloc(sizeof *reader);
    if (!reader)
        return pf_error_nomem(error);
    *reader = *setup;
    memset(&reader->error, 0, sizeof reader->error);
    reader->status = PF_OK;
    reader->records = 0;
    pf_rows_init(&reader->rows, reader->dict);
    reader->step = format->step;
    reader->state = calloc(1, format->reader_size ? format->reader_size : 1);
    int status = reader->state ? PF_OK : pf_error_nomem(&reader->error);
    if (status == PF_OK && !(format->caps & (PF_IS_TEXT | PF_READS_TEXT)))
        status = pf_reader_check_mark(reader);
    if (status == PF_OK)
        status = format->open_reader(reader);
    status = explained_read(reader, status);
    if (status < 0) {
        *error = reader->error;
        pf_reader_close(reader);
        return status;
    }
    *result = reader;
    return PF_OK;
}

/* Turns damage into a warning and the end of the input. */
static int salvaged(struct pf_reader *reader)
{
    /* damage of the compression has an offset in the file, other damage an offset in the
     * decompressed bytes */
    struct pf_error of_source = {0};
    uint64_t at = reader->error.has_offset ? reader->error.offset
                                           : pf_source_offset(reader->source),
             end;
    bool coding = pf_source_status(reader->source, &of_source) == PF_FAILED &&
                  of_source.has_offset && of_source.offset == at;
    char lost[64] = "";

    pf_source_skip(reader->source, UINT64_MAX);
    end = coding ? pf_source_raw_size(reader->source) : pf_source_offset(reader->source);
    /* at the end of the data no bytes are lost */
    if (end > at)
        snprintf(lost, sizeof lost, ", %" PRIu64 " bytes %slost", end - at,
                 coding ? "of the file " : "");
    pf_report_send(&reader->report, PF_WARNING,
                   "offset %" PRIu64 ": %s; %" PRIu64 " records kept%s", at, reader->error.text,
                   reader->records, lost);
    return PF_EOF;
}

int pf_rows_read(struct pf_reader *reader, struct pf_batch *batch)
{
    struct pf_rows *rows = &reader->rows;

    while (reader->step_status == PF_OK && !pf_rows_ready(rows)) {
        if (reader->flush && !pf_rows_empty(rows) && pf_source_would_block(reader->source))
            break;
        reader->step_status = reader->step(reader);
    }
    return pf_rows_give(rows, batch) ? PF_OK : reader->step_status;
}

int pf_reader_next(struct pf_reader *reader, struct pf_batch *batch)
{
    int (*read)(struct pf_reader *, struct pf_batch *) = reader->format->read ? reader->format->read
                                                                              : pf_rows_read;

    while (reader->status == PF_OK) {
        memset(batch, 0, sizeof *batch);
        int status = explained_read(reader, read(reader, batch));
        if (status == PF_FAILED && reader->salvage)
            status = salvaged(reader);
        reader->status = status;
        if (status == PF_OK && batch->kind < PF_RECORD_KINDS)
            reader->records += batch->rows;
        if (status == PF_OK && (batch->rows || batch->value_count))
            return PF_OK;
    }
    return reader->status;
}

void pf_reader_close(struct pf_reader *reader)
{
    if (!reader)
        return;
    if (reader->state && reader->format->close_reader)
        reader->format->close_reader(reader);
    pf_rows_free(&reader->rows);
    free(reader->state);
    free(reader);
}

/* Completes the error of a writer: a failure without a text gets the text of the sink's failure. If
 * the dictionary ran out of memory, this is the reason, whatever the writer reports. */
static int explained(struct pf_writer *writer, int status)
{
    if (pf_dict_status(writer->dict) == PF_NOMEM) {
        writer->error = (struct pf_error){0};
        return pf_error_nomem(&writer->error);
    }
    if (status < 0 && !writer->error.code && pf_sink_status(writer->sink, &writer->error) == PF_OK)
        return status == PF_NOMEM
                   ? pf_error_nomem(&writer->error)
                   : pf_error_set(&writer->error, status, "cannot write %s", writer->format->name);
    return status;
}

int pf_writer_open(struct pf_writer **result, const struct pf_writer *setup, struct pf_error *error)
{
    *result = NULL;
    const struct pf_format *format = setup->format;
    if (!format->write)
        return pf_error_set(error, PF_USAGE, "the format %s is only read, never written",
                            format->name);
    struct pf_writer *writer = malloc(sizeof *writer);
    if (!writer)
        return pf_error_nomem(error);
    *writer = *setup;
    memset(&writer->error, 0, sizeof writer->error);
    memset(&writer->left_out, 0, sizeof writer->left_out);
    memset(&writer->measures, 0, sizeof writer->measures);
    memset(&writer->replicates, 0, sizeof writer->replicates);
    writer->state = calloc(1, format->writer_size ? format->writer_size : 1);
    int status = writer->state ? explained(writer, format->open_writer(writer))
                               : pf_error_nomem(&writer->error);
    if (status < 0) {
        *error = writer->error;
        pf_writer_close(writer);
        return status;
    }
    *result = writer;
    return PF_OK;
}

/* Leaves out the records that count runs. A picture does so without a warning: it shows one
 * measure. */
static int leave_runs(struct pf_writer *writer, const struct pf_batch *batch,
                      struct pf_batch *plain)
{
    struct pf_batch runs;

    if (pf_replicates_part(&writer->replicates, writer->dict, batch, plain, &runs) != PF_OK)
        return pf_error_nomem(&writer->error);
    for (uint32_t k = 0; k < runs.value_count && !(writer->format->caps & PF_IS_VIEW); k++)
        if (pf_leave_measure(writer, runs.values[k].measure) != PF_OK)
            return writer->error.code;
    return PF_OK;
}

static int write_batch(struct pf_writer *writer, const struct pf_batch *batch)
{
    bool record = batch->kind < PF_RECORD_KINDS;
    if (record && batch->rows && !(writer->format->caps & (1u << batch->kind))) {
        pf_left_out_records(writer, batch);
        return writer->format->caps & PF_SUMS_ALL
                   ? explained(writer, writer->format->write(writer, batch))
                   : PF_OK;
    }
    if (record)
        writer->left_out.held[batch->kind] += batch->rows;
    if (record && pf_left_out_labels(writer, batch) != PF_OK)
        return writer->error.code;
    return explained(writer, writer->format->write(writer, batch));
}

int pf_writer_write(struct pf_writer *writer, const struct pf_batch *batch)
{
    struct pf_batch plain;

    if (writer->format->caps & PF_HOLDS_RUNS || !pf_replicates_here(writer->dict, batch))
        return write_batch(writer, batch);
    if (leave_runs(writer, batch, &plain) != PF_OK)
        return writer->error.code;
    return plain.rows > 0 || plain.value_count > 0 ? write_batch(writer, &plain) : PF_OK;
}

int pf_writer_flush(struct pf_writer *writer)
{
    return writer->format->flush ? explained(writer, writer->format->flush(writer)) : PF_OK;
}

/* Records of kinds that the format cannot hold are left out with a warning; if no other records are
 * left, the result is PF_USAGE, except for a format that may have drawn sums of these records. */
int pf_writer_finish(struct pf_writer *writer, bool failed_input)
{
    bool draws = writer->format->caps & PF_SUMS_ALL;
    int status;

    writer->failed_input = failed_input;
    if (!draws && pf_left_out_check_kinds(writer, false) != PF_OK)
        return writer->error.code;
    if (!draws && !writer->left_out_of_all)
        pf_left_out_say_kinds(&writer->left_out, writer->format, &writer->report);
    status = explained(writer, writer->format->finish(writer));
    if (draws && status >= 0 && pf_left_out_check_kinds(writer, status == PF_OK) != PF_OK)
        return writer->error.code;
    if (status < 0)
        return status;
    if (writer->left_out_of_all) {
        if (pf_left_out_join(writer->left_out_of_all, writer->dict_of_all, &writer->left_out,
                             writer->dict) != PF_OK)
            return pf_error_nomem(&writer->error);
    } else {
        if (draws)
            pf_left_out_say_kinds(&writer->left_out, writer->format, &writer->report);
        pf_left_out_say_names(&writer->left_out, writer->dict, &writer->report);
    }
    return draws ? PF_OK : status;
}

void pf_writer_close(struct pf_writer *writer)
{
    if (!writer)
        return;
    if (writer->state)
        writer->format->close_writer(writer);
    pf_left_out_free(&writer->left_out);
    pf_replicates_free(&writer->replicates);
    free(writer->state);
    free(writer);
}

#include "analysis/merge/spill.h"

#include "codec/codec.h"
#include "codec/registry.h"
#include "io/content.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct pf_spill {
    struct pf_options options;
    struct pf_dict *dict;
    const struct pf_format *format;
    int file; /* to be read from; -1: it is the source's */
    struct pf_sink *sink;
    struct pf_writer *writer;
    struct pf_source *source;
    struct pf_reader *reader;
};

static int make_file(struct pf_spill *spill, struct pf_error *error)
{
    int file, status = pf_temporary_file(&file, error);

    spill->file = status == PF_OK ? dup(file) : -1;
    if (spill->file >= 0)
        return pf_sink_open_file(&spill->sink, file, "temporary file", error);
    if (status == PF_OK) {
        status = pf_error_system(error, "cannot make a temporary file");
        close(file);
    }
    return status;
}

int pf_spill_open(struct pf_spill **result, struct pf_dict *dict, struct pf_error *error)
{
    struct pf_spill *spill = calloc(1, sizeof *spill);
    struct pf_writer setup;
    int status;

    *result = NULL;
    if (!spill)
        return pf_error_nomem(error);
    spill->file = -1;
    spill->dict = dict;
    spill->format = pf_registry_find(PF_BYTES("pfs"));
    status = make_file(spill, error);
    if (status == PF_OK) {
        setup = (struct pf_writer){
            .format = spill->format, .sink = spill->sink, .dict = dict, .options = &spill->options};
        status = pf_writer_open(&spill->writer, &setup, error);
    }
    if (status != PF_OK) {
        pf_spill_close(spill);
        return status;
    }
    *result = spill;
    return PF_OK;
}

void pf_spill_close(struct pf_spill *spill)
{
    if (!spill)
        return;
    pf_writer_close(spill->writer);
    pf_sink_abort(spill->sink);
    pf_reader_close(spill->reader);
    pf_source_close(spill->source);
    if (spill->file >= 0)
        close(spill->file);
    free(spill);
}

int pf_spill_write(struct pf_spill *spill, const struct pf_batch *batch, struct pf_error *error)
{
    int status = pf_writer_write(spill->writer, batch);

    if (status != PF_OK)
        *error = spill->writer->error;
    return status;
}

int pf_spill_rewind(struct pf_spill *spill, struct pf_error *error)
{
    struct pf_reader setup;
    struct pf_sink *sink = spill->sink;
    int status = pf_writer_finish(spill->writer, false);

    if (status != PF_OK) {
        *error = spill->writer->error;
        return status;
    }
    pf_writer_close(spill->writer);
    spill->writer = NULL;
    spill->sink = NULL;
    status = pf_sink_commit(sink, error);
    if (status == PF_OK && lseek(spill->file, 0, SEEK_SET) != 0)
        status = pf_error_system(error, "cannot read the temporary file");
    if (status != PF_OK)
        return status;
    status = pf_source_open_file(&spill->source, spill->file, "temporary file", error);
    spill->file = -1;
    if (status != PF_OK)
        return status;
    setup = (struct pf_reader){.format = spill->format,
                               .source = spill->source,
                               .dict = spill->dict,
                               .options = &spill->options,
                               .name = "temporary file"};
    return pf_reader_open(&spill->reader, &setup, error);
}

int pf_spill_next(struct pf_spill *spill, struct pf_batch *batch, struct pf_error *error)
{
    int status = pf_reader_next(spill->reader, batch);

    if (status < 0)
        *error = spill->reader->error;
    return status;
}

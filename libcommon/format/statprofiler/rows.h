/* Samples and what stands between them, put together into batches: records, metadata and source texts, each in its place. */
#ifndef PF_FORMAT_STATPROFILER_ROWS_H
#define PF_FORMAT_STATPROFILER_ROWS_H

#include "codec/format.h"
#include "format/statprofiler/events.h"
#include "format/statprofiler/header.h"
#include "model/batch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Private metadata (origin .statprofiler) and what its keys say. */
#define PF_SP_PRIVATE ".statprofiler"
#define PF_SP_KEY_BODY "body"                   /* custom metadata from here on are of the body */
#define PF_SP_KEY_START "section start"         /* marks that do not follow from the samples: */
#define PF_SP_KEY_END "section end"             /*   the value is the section's name */
#define PF_SP_KEY_UNMATCHED "unmatched section end"
#define PF_SP_KEY_FINISH "finish"               /* how the file ends: */
#define PF_SP_FINISH_FILE "file end"            /*   the process goes on in another */
#define PF_SP_FINISH_STREAM "stream end"        /*   as usual, but not all sections are closed in order */
#define PF_SP_FINISH_NONE "none"                /*   without an end record */
#define PF_SP_HEADER_ORIGIN "statprofiler"
#define PF_SP_CUSTOM_ORIGIN "statprofiler.custom"

struct pf_sp_sample {
    uint32_t stack, labels;
    bool has_frames;
    int64_t weight;
};

struct pf_sp_rows {
    struct pf_reader *reader;
    struct pf_value_column values[2]; /* wall, samples */
    uint32_t private_origin, custom_origin, header_origin;
    bool declared;       /* the first batch was given */
    bool in_body;        /* a sample, a text or PF_SP_KEY_BODY was given */

    uint32_t count;
    uint32_t stack[PF_BATCH_ROWS], labels[PF_BATCH_ROWS];
    int64_t wall[PF_BATCH_ROWS], samples[PF_BATCH_ROWS];

    uint32_t *origin, *key, *value; /* metadata to be given before the sample that is held */
    size_t meta_count, meta_given, origin_capacity, key_capacity, value_capacity;
    bool failed;         /* memory ran out */
    bool held;
    struct pf_sp_sample sample;
};

/* Declares the measures; `tick_ns` 0 when the length of a tick is not known. PF_OK or PF_NOMEM. */
int pf_sp_rows_open(struct pf_sp_rows *, struct pf_reader *, uint64_t tick_ns);
void pf_sp_rows_close(struct pf_sp_rows *);

/* Metadata of the header, and its custom metadata. Before any sample. */
void pf_sp_rows_header(struct pf_sp_rows *, const struct pf_sp_header *, const struct pf_sp_events *custom);
/* What comes before the next sample. `plain`: the marks among the events are left out. */
void pf_sp_rows_events(struct pf_sp_rows *, const struct pf_sp_events *, bool plain);
/* A private row at the end. */
void pf_sp_rows_finish(struct pf_sp_rows *, const char *how);
/* A sample, behind all metadata given before. Its stack goes where the result points to, before pf_sp_rows_give is called. */
uint32_t *pf_sp_rows_sample(struct pf_sp_rows *, struct pf_sp_sample);

/* True when a batch has to be given before more may be added. */
static inline bool pf_sp_rows_full(const struct pf_sp_rows *rows)
{
    return rows->count == PF_BATCH_ROWS || rows->meta_given < rows->meta_count;
}

/* The next batch, in order. PF_EOF when there is nothing to give; PF_NOMEM. */
int pf_sp_rows_give(struct pf_sp_rows *, struct pf_batch *);

#endif

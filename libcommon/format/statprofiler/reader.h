/* Reader of StatProfiler files with the magic: header, then records, in the real dialect and the plan's. */
#ifndef PF_FORMAT_STATPROFILER_READER_H
#define PF_FORMAT_STATPROFILER_READER_H

#include "codec/format.h"
#include "format/statprofiler/frames.h"
#include "format/statprofiler/header.h"
#include "format/statprofiler/labels.h"
#include "format/statprofiler/rows.h"
#include "model/stacks.h"

/* What is wrong but no reason to stop: told once, and how many more there were at the end. */
enum pf_sp_oddity {
    PF_SP_ODD_TAG,
    PF_SP_ODD_SAMPLE_END,
    PF_SP_ODD_SAMPLE_START,
    PF_SP_ODD_FRAME,
    PF_SP_ODD_MARK,
    PF_SP_ODD_UNMATCHED,
    PF_SP_ODD_AFTER_END,
    PF_SP_ODD_SECTIONS,
    PF_SP_ODD_COUNT,
    PF_SP_ODDITIES
};

struct pf_sp_records {
    struct pf_sp_input input;
    struct pf_sp_header header;
    struct pf_sp_rows rows;
    struct pf_sp_frames frames;
    struct pf_stack_memo *stacks;
    enum pf_sp_form form;
    int result; /* PF_OK while there is more */

    bool in_sample;
    uint32_t op;             /* string, of the sample begun */
    int64_t weight;
    uint64_t sample_at;      /* offset of the sample start */
    uint32_t promised;       /* frames the sample has by its start (plan only) */
    uint32_t *locations;     /* leaf first */
    size_t depth, capacity;

    struct pf_sp_labels labels;  /* now */
    struct pf_sp_open before;    /* sections open at the last sample */

    struct pf_sp_events events; /* since the last sample */
    struct pf_sp_events late;   /* marks inside a sample: they count from the next one on */

    struct pf_text text;     /* the one given last */
    char text_name[24];

    unsigned finish;         /* PF_SP_FILE_END or _STREAM_END when a record said so; 0 */
    uint64_t odd[PF_SP_ODDITIES];
};

/* `tick_ns`: length of a tick where the file does not say (0 = not known). The source stands at offset 0, and the version was
 * looked at. Results as in pf_format. */
int pf_sp_records_open(struct pf_reader *, struct pf_sp_records *, uint64_t tick_ns);
int pf_sp_records_read(struct pf_reader *, struct pf_sp_records *, struct pf_batch *);
void pf_sp_records_close(struct pf_sp_records *);

#endif

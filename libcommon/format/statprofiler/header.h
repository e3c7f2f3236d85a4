/* What a StatProfiler file says before its first record, and which of the dialects it is written in (formats page, sections 1,
 * 4 and 10). */
#ifndef PF_FORMAT_STATPROFILER_HEADER_H
#define PF_FORMAT_STATPROFILER_HEADER_H

#include "format/statprofiler/events.h"
#include "format/statprofiler/input.h"
#include "format/statprofiler/wire.h"
#include "model/dict.h"

#include <stdbool.h>
#include <stdint.h>

enum pf_sp_dialect {
    PF_SP_UNDECIDED, /* no header: the first sample tells */
    PF_SP_REAL,      /* what the profiler writes */
    PF_SP_PLAN       /* what its plan said before there was code: a length that is right in every record */
};

enum { PF_SP_ID_TEXT = 8 * PF_SP_ID_WORDS + 1 };

struct pf_sp_header {
    bool blocks;                /* snappy blocks */
    bool bare;                  /* no header at all (December 2013) */
    enum pf_sp_dialect dialect;
    bool lsb;                   /* varints are least significant group first (plan only) */
    bool has_perl, has_library, has_genealogy;
    uint32_t perl[3], library[2];
    uint64_t tick_ns;           /* 0 = not known */
    uint32_t depth;             /* 0 = not known */
    unsigned seen;              /* bit tag - PF_SP_METADATA of each header record */
    uint32_t ordinal, parent_ordinal;
    char id[PF_SP_ID_TEXT], parent[PF_SP_ID_TEXT]; /* 48 hex digits */
};

/* Looks at what stands behind the version byte and fills the first four fields. Peeks only; `source` stands at offset 0. */
void pf_sp_header_sniff(struct pf_sp_header *, struct pf_source *);

/* Reads the header, up to and with its end. Custom metadata become events when `dict` is given. `path` helps to find the byte
 * order of the ids. PF_OK, PF_FAILED with the offset, or what the source says. */
int pf_sp_header_read(struct pf_sp_header *, struct pf_sp_input *, const char *path, struct pf_dict *dict,
                      struct pf_sp_events *metadata, const struct pf_report *, struct pf_error *);

/* Warns of header records that the plan's dialect requires and this header lacks. */
void pf_sp_header_warn_missing(const struct pf_sp_header *, const struct pf_report *);

/* True when the genealogy tells which process the file is of. */
bool pf_sp_header_has_process(const struct pf_sp_header *);

#endif

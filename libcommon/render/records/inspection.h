/* Descriptions of inputs: probe, metadata, counts and frames by profcat, as lines for people, as a
 * JSON document or as JSON rows; rows of profmerge's manifest. */
#ifndef PF_RENDER_RECORDS_INSPECTION_H
#define PF_RENDER_RECORDS_INSPECTION_H

#include "analysis/table/inventory.h"
#include "base/memory.h"
#include "io/sink.h"
#include "render/table/sheet.h"
#include "stream/frame.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* Zero-initialise all fields except the first three. The sink keeps failed writes, scratch keeps
 * failed allocations. */
struct pf_inspection {
    struct pf_sink *sink;
    enum pf_sheet_form form; /* TEXT, JSON or NDJSON */
    bool several;            /* there are several inputs: lines name the input */
    uint64_t rows, records;
    const char *shown; /* the input whose metadata or frames are being listed */
    bool group;        /* 1,234 instead of 1234 */
    struct pf_buffer scratch;
};

/* One input that was read. */
struct pf_inspected {
    const char *input, *format; /* format "": not known */
    const char *variant;        /* the form of the format, "" for the usual one */
    int evidence;               /* bits; 0: set by the user */
    bool complete;
};

/* `schema` without the version: profutils.probe. */
void pf_inspection_begin(struct pf_inspection *, const char *schema);
/* Writes and releases the meta object (NULL: out of memory). PF_OK or PF_NOMEM. */
int pf_inspection_end(struct pf_inspection *, json_t *meta);

/* profutils.probe/1. The inventory must be complete. */
void pf_inspection_probe(struct pf_inspection *, const struct pf_inspected *,
                         const struct pf_inventory *);
/* profutils.count/1: {"input","records","complete"}. */
void pf_inspection_count(struct pf_inspection *, const struct pf_inspected *, uint64_t records);
/* Lines of counts end with the sum of all. */
void pf_inspection_count_total(struct pf_inspection *);
/* profutils.metadata/1: {"input","origin","key","value"} for each public row of a META batch. */
void pf_inspection_metadata(struct pf_inspection *, const char *input, const struct pf_dict *,
                            const struct pf_batch *);
/* profutils.manifest/1, always a JSON row:
 * {"counted","input","weight","format","complete","records","measures","chosen","reason"}. Of the
 * inventory only records and measures count. `weight`: an integer, decimal or fraction as text.
 * `chosen` false: --since and --until have left out the input. `reason`: why the input is not
 * counted, or counted in part; else "". */
struct pf_manifest_facts {
    bool counted, chosen;
    const char *weight, *reason;
};
void pf_inspection_manifest(struct pf_inspection *, const struct pf_inspected *,
                            const struct pf_inventory *, const struct pf_manifest_facts *);
/* profutils.frames/1: {"input","offset","type","about","rows","base","size","raw","good"}. */
void pf_inspection_frame(struct pf_inspection *, const char *input, const struct pf_frame *,
                         bool good);

#endif

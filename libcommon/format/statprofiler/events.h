/* What stands between two samples of a StatProfiler file: metadata, and the marks where sections start and end. Which marks a
 * writer sets by itself, from the sections of one sample and the next, is decided here, so that a reader passes on
 * only those marks that would not come back. */
#ifndef PF_FORMAT_STATPROFILER_EVENTS_H
#define PF_FORMAT_STATPROFILER_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pf_sp_event_type {
    PF_SP_EVENT_METADATA,
    PF_SP_EVENT_START,
    PF_SP_EVENT_END,
    PF_SP_EVENT_UNMATCHED /* the end of a section that is not open */
};

struct pf_sp_event {
    enum pf_sp_event_type type;
    uint32_t key;   /* string: of the metadata, or the section's name */
    uint32_t value; /* string, of metadata */
};

/* Zero-initialise; free with pf_sp_events_free. */
struct pf_sp_events {
    struct pf_sp_event *rows;
    size_t count, capacity;
};

bool pf_sp_events_add(struct pf_sp_events *, enum pf_sp_event_type, uint32_t key, uint32_t value); /* false: no memory */
void pf_sp_events_free(struct pf_sp_events *);

/* Names (strings) of the sections that are open, in order of opening; a name may stand in it several times. Zero-initialise;
 * free with pf_sp_open_free. */
struct pf_sp_open {
    uint32_t *names;
    size_t count, capacity;
};

bool pf_sp_open_start(struct pf_sp_open *, uint32_t name); /* false: no memory */
/* Closes the last one of that name. Its place, or SIZE_MAX when there was none. */
size_t pf_sp_open_end(struct pf_sp_open *, uint32_t name);
bool pf_sp_open_copy(struct pf_sp_open *, const struct pf_sp_open *); /* false: no memory */
bool pf_sp_open_equal(const struct pf_sp_open *, const struct pf_sp_open *);
void pf_sp_open_free(struct pf_sp_open *);

/* The marks that lead from one set of open sections to another: what is left out is closed, last opened first, then the new
 * ones are opened. False: no memory. */
bool pf_sp_events_derive(const struct pf_sp_open *from, const struct pf_sp_open *to, struct pf_sp_events *marks);

/* True when the events are metadata, then just the marks that pf_sp_events_derive gives. *ok false: no memory. */
bool pf_sp_events_plain(const struct pf_sp_events *, const struct pf_sp_open *from, const struct pf_sp_open *to,
                        bool *ok);

/* Applies the marks of `events` to `open`. False when one does not fit: the end of a section that is not open, an
 * unmatched end of one that is, or no memory. */
bool pf_sp_events_apply(const struct pf_sp_events *, struct pf_sp_open *open);

#endif

#include "format/statprofiler/statprofiler.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

bool pf_sp_events_add(struct pf_sp_events *events, enum pf_sp_event_type type, uint32_t key, uint32_t value)
{
    if (!pf_grow(&events->rows, &events->capacity, events->count + 1, sizeof *events->rows))
        return false;
    events->rows[events->count++] = (struct pf_sp_event){type, key, value};
    return true;
}

void pf_sp_events_free(struct pf_sp_events *events)
{
    free(events->rows);
    memset(events, 0, sizeof *events);
}

bool pf_sp_open_start(struct pf_sp_open *open, uint32_t name)
{
    if (!pf_grow(&open->names, &open->capacity, open->count + 1, sizeof *open->names))
        return false;
    open->names[open->count++] = name;
    return true;
}

size_t pf_sp_open_end(struct pf_sp_open *open, uint32_t name)
{
    for (size_t i = open->count; i-- > 0;) {
        if (open->names[i] != name)
            continue;
        open->count--;
        memmove(open->names + i, open->names + i + 1, (open->count - i) * sizeof *open->names);
        return i;
    }
    return SIZE_MAX;
}

bool pf_sp_open_copy(struct pf_sp_open *to, const struct pf_sp_open *from)
{
    if (!pf_grow(&to->names, &to->capacity, from->count, sizeof *to->names))
        return false;
    if (from->count > 0)
        memcpy(to->names, from->names, from->count * sizeof *to->names);
    to->count = from->count;
    return true;
}

bool pf_sp_open_equal(const struct pf_sp_open *a, const struct pf_sp_open *b)
{
    return a->count == b->count && (a->count == 0 || memcmp(a->names, b->names, a->count * sizeof *a->names) == 0);
}

void pf_sp_open_free(struct pf_sp_open *open)
{
    free(open->names);
    memset(open, 0, sizeof *open);
}

/* Ends all of `from` that `keep` does not name by its place, then starts to[kept...]. */
static bool change(const struct pf_sp_open *from, const bool *keep, size_t kept, const struct pf_sp_open *to,
                   struct pf_sp_events *marks)
{
    bool ok = true;
    for (size_t i = from->count; i-- > 0 && ok;)
        if (!keep[i])
            ok = pf_sp_events_add(marks, PF_SP_EVENT_END, from->names[i], 0);
    for (size_t i = kept; i < to->count && ok; i++)
        ok = pf_sp_events_add(marks, PF_SP_EVENT_START, to->names[i], 0);
    return ok;
}

bool pf_sp_events_derive(const struct pf_sp_open *from, const struct pf_sp_open *to, struct pf_sp_events *marks)
{
    struct pf_sp_open trial = {0};
    bool *keep = calloc(from->count + 1, sizeof *keep);
    bool ok = keep && pf_sp_open_copy(&trial, from);
    size_t kept = 0, before = marks->count;
    for (size_t i = 0; ok && i < from->count; i++) {
        keep[i] = kept < to->count && from->names[i] == to->names[kept];
        kept += keep[i];
    }
    ok = ok && change(from, keep, kept, to, marks);
    /* An end closes the last one of its name, which may not be the one that was meant. */
    struct pf_sp_events added = {marks->rows ? marks->rows + before : NULL, marks->count - before, 0};
    if (ok && !(pf_sp_events_apply(&added, &trial) && pf_sp_open_equal(&trial, to))) {
        marks->count = before;
        for (kept = 0; kept < from->count && kept < to->count && from->names[kept] == to->names[kept]; kept++)
            ;
        for (size_t i = 0; i < from->count; i++)
            keep[i] = i < kept;
        ok = change(from, keep, kept, to, marks);
    }
    free(keep);
    pf_sp_open_free(&trial);
    return ok;
}

bool pf_sp_events_plain(const struct pf_sp_events *events, const struct pf_sp_open *from,
                        const struct pf_sp_open *to, bool *ok)
{
    struct pf_sp_events marks = {0};
    size_t first = 0;
    while (first < events->count && events->rows[first].type == PF_SP_EVENT_METADATA)
        first++;
    *ok = pf_sp_events_derive(from, to, &marks);
    bool same = *ok && marks.count == events->count - first;
    for (size_t i = 0; same && i < marks.count; i++)
        same = events->rows[first + i].type == marks.rows[i].type && events->rows[first + i].key == marks.rows[i].key;
    pf_sp_events_free(&marks);
    return same;
}

bool pf_sp_events_apply(const struct pf_sp_events *events, struct pf_sp_open *open)
{
    for (size_t i = 0; i < events->count; i++) {
        const struct pf_sp_event *event = &events->rows[i];
        bool fits = true;
        if (event->type == PF_SP_EVENT_START)
            fits = pf_sp_open_start(open, event->key);
        else if (event->type == PF_SP_EVENT_END)
            fits = pf_sp_open_end(open, event->key) != SIZE_MAX;
        else if (event->type == PF_SP_EVENT_UNMATCHED)
            fits = pf_sp_open_end(open, event->key) == SIZE_MAX;
        if (!fits)
            return false;
    }
    return true;
}

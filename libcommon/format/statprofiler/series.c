#include "format/statprofiler/statprofiler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct name {
    char *bytes;
    size_t size;
    unsigned flags;
};

struct process {
    struct process *next;
    char id[PF_SP_ID_TEXT];
    uint64_t ordinal; /* of the last file */
    struct name *names;
    size_t count;
};

struct processes {
    struct process *first;
};

static void drop_names(struct process *process)
{
    for (size_t i = 0; i < process->count; i++)
        free(process->names[i].bytes);
    free(process->names);
    process->names = NULL;
    process->count = 0;
}

static void destroy(void *object)
{
    struct processes *processes = object;
    while (processes->first) {
        struct process *process = processes->first;
        processes->first = process->next;
        drop_names(process);
        free(process);
    }
}

static const char owner = 0;

static struct process *find(struct pf_reader *reader, const struct pf_sp_header *header, bool *ok)
{
    *ok = true;
    if (!reader->shared || !pf_sp_header_has_process(header))
        return NULL;
    struct processes *processes = pf_shared_get(reader->shared, &owner, sizeof *processes, destroy);
    *ok = processes != NULL;
    if (!processes)
        return NULL;
    for (struct process *process = processes->first; process; process = process->next)
        if (strcmp(process->id, header->id) == 0)
            return process;
    struct process *process = calloc(1, sizeof *process);
    *ok = process != NULL;
    if (!process)
        return NULL;
    memcpy(process->id, header->id, sizeof process->id);
    process->next = processes->first;
    processes->first = process;
    return process;
}

static void warn_missing(struct pf_reader *reader, const struct pf_sp_header *header, uint64_t last)
{
    unsigned long long first = last + 1, before = header->ordinal - 1ull;
    char range[64] = "";
    if (first < before)
        snprintf(range, sizeof range, "s %llu to %llu are", first, before);
    else
        snprintf(range, sizeof range, " %llu is", first);
    pf_report_send(&reader->report, PF_WARNING,
                   "ordinal%s missing before ordinal %lu of process %s: sections opened there are not known", range,
                   (unsigned long)header->ordinal, header->id);
}

int pf_sp_series_begin(struct pf_reader *reader, const struct pf_sp_header *header, struct pf_sp_open *open)
{
    bool ok;
    struct process *process = find(reader, header, &ok);
    if (!ok)
        return PF_NOMEM;
    uint64_t last = process ? process->ordinal : 0;
    if (!pf_sp_header_has_process(header))
        return PF_OK;
    if (header->ordinal > last + 1)
        warn_missing(reader, header, last);
    if (!process || header->ordinal != last + 1)
        return PF_OK;
    for (size_t i = 0; i < process->count; i++) {
        const struct name *name = &process->names[i];
        uint32_t id = pf_dict_intern(reader->dict, (struct pf_bytes){name->bytes, name->size}, name->flags);
        if (!pf_sp_open_start(open, id))
            return PF_NOMEM;
    }
    return PF_OK;
}

int pf_sp_series_end(struct pf_reader *reader, const struct pf_sp_header *header, const struct pf_sp_open *open)
{
    bool ok;
    struct process *process = find(reader, header, &ok);
    if (!process)
        return ok ? PF_OK : PF_NOMEM;
    drop_names(process);
    process->ordinal = header->ordinal;
    process->names = calloc(open->count + 1, sizeof *process->names);
    if (!process->names)
        return PF_NOMEM;
    for (size_t i = 0; i < open->count; i++) {
        struct pf_bytes bytes = pf_dict_string(reader->dict, open->names[i]);
        struct name *name = &process->names[i];
        name->bytes = malloc(bytes.size + 1);
        if (!name->bytes)
            return PF_NOMEM;
        memcpy(name->bytes, bytes.data, bytes.size);
        name->size = bytes.size;
        name->flags = reader->dict->strings.rows[open->names[i]].flags;
        process->count = i + 1;
    }
    return PF_OK;
}

int pf_sp_series_find(struct pf_source *source, struct pf_series *series)
{
    size_t have;
    struct pf_sp_header header;
    struct pf_sp_input input;
    struct pf_error ignored = {0};
    const unsigned char *bytes = pf_source_peek(source, PF_SP_START, &have);
    if (have < PF_SP_START || memcmp(bytes, PF_SP_MAGIC "\1", PF_SP_START) != 0)
        return PF_EOF;
    pf_sp_header_sniff(&header, source);
    if (pf_sp_input_open(&input, source, header.blocks, true, &ignored) == PF_OK)
        pf_sp_header_read(&header, &input, "", NULL, NULL, NULL, &ignored);
    pf_sp_input_close(&input);
    if (!pf_sp_header_has_process(&header) || header.ordinal == 0)
        return PF_EOF;
    memcpy(series->key, header.id, sizeof header.id);
    memcpy(series->parent, header.parent, sizeof header.parent);
    series->ordinal = header.ordinal;
    return PF_OK;
}

/* One profile as a file has it, held until its end: names come last in what Go writes. Samples stay in their own bytes. */
#ifndef PF_FORMAT_PPROF_PROFILE_H
#define PF_FORMAT_PPROF_PROFILE_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"
#include "io/protobuf.h"
#include "model/dict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers of strings are as the file has them, not checked. `offset` is where the field begins. */
struct pf_pprof_type {
    uint64_t type, unit, offset;
};
struct pf_pprof_mapping {
    uint64_t id, start, limit, shift, file, build_id;
    uint64_t offset : 60, flags : 4;
};
struct pf_pprof_line {
    uint64_t function;
    int64_t line, column;
};
struct pf_pprof_location {
    uint64_t id, mapping, address, line;
    uint64_t offset : 63, folded : 1;
    uint32_t line_count;
};
struct pf_pprof_function {
    uint64_t id, name, system_name, file;
    int64_t start_line;
    uint64_t offset;
};
/* Samples that follow each other: where the first lies among the held bytes, and in the input. */
struct pf_pprof_run {
    size_t at;
    uint64_t offset;
};
/* Fields of Profile that are there once; by their number. */
struct pf_pprof_scalars {
    uint64_t value[16];
    struct pf_pprof_type period_type;
};

/* How much there was at some point. */
struct pf_pprof_mark {
    size_t types, mappings, lines, locations, functions, strings, comments, runs, sample_bytes;
    struct pf_pprof_scalars scalars;
};

/* Where the next profile may begin. */
struct pf_pprof_seam {
    bool set;
    struct pf_pprof_mark count; /* what is there before it */
    struct pf_pprof_mark run;  /* what is there before the last fields of one kind before it */
    uint32_t run_since;        /* those fields, by bit */
    uint32_t before;           /* number of the messages before it that may be the next one's, at least some of them; PF_PPROF_FIELDS: more
                                * than those; 0: none */
    uint32_t first, since;     /* number of the field there; those met from there on, by bit */
    uint64_t offset;
};

struct pf_pprof_profile {
    struct pf_pprof_mark count;
    struct pf_pprof_type *types;
    struct pf_pprof_mapping *mappings;
    struct pf_pprof_line *lines;
    struct pf_pprof_location *locations;
    struct pf_pprof_function *functions;
    uint32_t *strings; /* of the dictionary */
    uint32_t *comments;
    struct pf_pprof_run *runs;
    struct pf_buffer samples; /* each with the varint of its size before it */
    struct {
        size_t types, mappings, lines, locations, functions, strings, comments, runs;
    } capacity;
    uint32_t first, last, seen; /* numbers of fields met; all, by bit */
    uint32_t without_id;        /* those of rows whose id is 0, by bit: one row of a kind is kept, for the message */
    struct pf_pprof_seams {   /* of pprof_seam.c */
        struct pf_pprof_seam member, again, same, empty;
        bool scattered;       /* `again` is one place of many */
        bool goes_on;         /* a table did, just before, or before the last samples */
        struct pf_pprof_mark run; /* what there was before the fields of the last kind */
        uint32_t run_since;   /* those met since, by bit */
        uint32_t met, before; /* fields behind the last string, by bit; the number of the last message there, or 0 */
        bool is_weak;         /* `again` may be the profile's own as well */
        bool asked, is_whole; /* what is before `empty` */
        size_t values;        /* of the first sample, and 1; 0: not counted yet */
    } seams;
    uint32_t doubt_begin, doubt_end; /* the seams' `before` */
    uint64_t end;             /* offset of what follows it */
};

/* Zero-initialise. */
void pf_pprof_profile_free(struct pf_pprof_profile *);
/* Empty, with the room it had. */
void pf_pprof_profile_clear(struct pf_pprof_profile *);

/* Reads fields up to the end of the profile: that of the input, or where the next profile of several begins, of which then `next` has what
 * was read. PF_OK, PF_EOF where no field is ahead and the profile is empty, or a negative code in `error`. */
int pf_pprof_profile_read(struct pf_pprof_profile *, struct pf_pprof_profile *next, struct pf_source *, struct pf_dict *,
                          struct pf_error *error);

/* Where in the input the sample lies whose bytes begin at `at`. */
uint64_t pf_pprof_profile_offset(const struct pf_pprof_profile *, size_t at);
/* Where the bytes end of the samples that lie before an offset of the input. */
size_t pf_pprof_profile_before(const struct pf_pprof_profile *, uint64_t offset);

#endif

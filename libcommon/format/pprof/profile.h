/* One profile as a file has it (FORMAT.md, section 1). It is held until its end, because names may
 * come last, as in the files of Go. Samples are held as bytes. Also the numbers of the fields of
 * profile.proto and the origins of metadata. */
#ifndef PF_FORMAT_PPROF_PROFILE_H
#define PF_FORMAT_PPROF_PROFILE_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"
#include "io/protobuf.h"
#include "model/dict.h"
#include "model/units.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Fields of Profile. */
enum pf_pprof_field {
    PF_PPROF_SAMPLE_TYPE = 1,
    PF_PPROF_SAMPLE,
    PF_PPROF_MAPPING,
    PF_PPROF_LOCATION,
    PF_PPROF_FUNCTION,
    PF_PPROF_STRING,
    PF_PPROF_DROP_FRAMES,
    PF_PPROF_KEEP_FRAMES,
    PF_PPROF_TIME,
    PF_PPROF_DURATION,
    PF_PPROF_PERIOD_TYPE,
    PF_PPROF_PERIOD,
    PF_PPROF_COMMENT,
    PF_PPROF_DEFAULT_TYPE,
    PF_PPROF_DOC_URL,
    PF_PPROF_FIELDS
};

enum { PF_PPROF_TYPES_MAX = 1024 }; /* sample types: a stream has as many measures */
/* a comment takes one byte of the input and 16 in memory */
enum { PF_PPROF_COMMENTS_MAX = 1 << 20 };

/* The units that are scaled; a type with another unit keeps the unit as its base unit. */
enum { PF_PPROF_UNITS = PF_UNITS_TIME | PF_UNITS_SIZES };

/* The flags of a Mapping, its fields 7 to 10, are the bits of enum pf_image_flag in this order. */
enum { PF_PPROF_MAPPING_FLAGS = 4 };

/* Origins of metadata. The keys of PF_PPROF_ORIGIN are the names of Profile's fields. */
#define PF_PPROF_ORIGIN  "pprof"
#define PF_PPROF_PRIVATE ".pprof"
/* Private keys: a mapping, in the order of the file; a folded location, by a hash of all its
 * fields; a row that says that functions without a system name are written as they are (else, if
 * all inputs are pprof, the name becomes the system name). */
#define PF_PPROF_KEY_MAPPING      "mapping"
#define PF_PPROF_KEY_FOLDED       "folded"
#define PF_PPROF_KEY_SYSTEM_NAMES "system_names"

/* Messages as the file has them: numbers of strings are not checked. `offset`: where the field
 * begins in the input. */
struct pf_pprof_type {
    uint64_t type, unit, offset;
};
struct pf_pprof_line {
    uint64_t function;
    int64_t line, column;
};
/* The beginning of the structs of messages with an id. */
struct pf_pprof_row {
    uint64_t id, offset;
};
struct pf_pprof_mapping {
    uint64_t id, offset, start, limit, shift, file, build_id;
    uint32_t flags;
};
struct pf_pprof_location {
    uint64_t id, offset, mapping, address, line;
    uint32_t line_count;
    bool folded;
};
struct pf_pprof_function {
    uint64_t id, offset, name, system_name, file;
    int64_t start_line;
};
/* Samples without other fields between them: where the first begins in the held bytes, and in the
 * input. */
struct pf_pprof_run {
    size_t at;
    uint64_t offset;
};
/* Fields that a profile has once: numbers, by number of the field. */
struct pf_pprof_scalars {
    uint64_t value[16];
    struct pf_pprof_type period_type;
};

/* Numbers of elements read, at some point of the input. */
struct pf_pprof_mark {
    size_t types, mappings, lines, locations, functions, strings, comments, runs, sample_bytes;
    struct pf_pprof_scalars scalars;
};

/* A place where the next profile may begin. */
struct pf_pprof_seam {
    bool set;
    struct pf_pprof_mark count; /* the counts before it */
    /* the counts before the last group of fields of one kind that precedes the seam */
    struct pf_pprof_mark run;
    uint32_t run_since; /* the fields of that group, by bit */
    /* field number of messages before it that may belong to the next profile; PF_PPROF_FIELDS: of
     * several kinds; 0: no such messages */
    uint32_t before;
    /* `first`: number of the field there; `since`: the fields from there on, by bit */
    uint32_t first, since;
    uint64_t offset;
};

struct pf_pprof_profile {
    struct pf_pprof_mark count;
    struct pf_pprof_type *types;
    struct pf_pprof_mapping *mappings;
    struct pf_pprof_line *lines;
    struct pf_pprof_location *locations;
    struct pf_pprof_function *functions;
    uint32_t *strings; /* ids of the dictionary */
    uint32_t *comments;
    struct pf_pprof_run *runs;
    struct pf_buffer samples; /* each sample follows its size, a varint */
    struct {
        size_t types, mappings, lines, locations, functions, strings, comments, runs;
    } capacity;
    /* number of the first and of the last field so far; `seen`: all fields, by bit */
    uint32_t first, last, seen;
    /* fields that had a row with id 0, by bit: one such row is kept, for the message */
    uint32_t without_id;
    struct pf_pprof_seams { /* what find_seam knows */
        struct pf_pprof_seam member, again, same, empty;
        bool scattered; /* there are several places like `again` */
        /* a table went on with the next id, just before or before the last samples */
        bool goes_on;
        struct pf_pprof_mark run; /* the counts before the last group of fields of one kind */
        uint32_t run_since;       /* the fields of that group, by bit */
        /* `after_string`: the fields after the last string, by bit; `before`: number of the last
         * message there, or 0 */
        uint32_t after_string, before;
        bool is_weak; /* the field at `again` may belong to this profile as well */
        /* `is_whole` is set: true if the part before `empty` is whole */
        bool is_whole_known, is_whole;
        size_t values; /* number of values of the first sample, + 1; 0: not counted yet */
    } seams;
    uint32_t doubt_begin, doubt_end; /* `before` of the seams at both ends */
    uint64_t end;                    /* offset of the end of the profile */
};

/* Zero-initialise. */
void pf_pprof_profile_free(struct pf_pprof_profile *);
/* Empties the profile and keeps its memory. */
void pf_pprof_profile_clear(struct pf_pprof_profile *);

/* Reads fields up to the end of the profile, which is the end of the input or the seam to the next
 * profile; then `next` gets the fields that were read after the seam. PF_OK; PF_EOF: no field is
 * ahead and the profile is empty; or a failure in `error`. */
int pf_pprof_profile_read(struct pf_pprof_profile *, struct pf_pprof_profile *next,
                          struct pf_source *, struct pf_dict *, struct pf_error *error);

/* The offset in the input of the sample that begins at `at` of the held bytes. Walks over
 * samples. */
uint64_t pf_pprof_profile_offset(const struct pf_pprof_profile *, size_t at);
/* How many held bytes the samples before an offset of the input have. */
size_t pf_pprof_profile_before(const struct pf_pprof_profile *, uint64_t offset);

#endif

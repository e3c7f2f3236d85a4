/* The writer of pprof. Each sample has a value for each measure, so the first samples wait for
 * measures that come late, up to a limit. Later samples are written as they come. Locations,
 * functions, mappings and strings get numbers when a sample first refers to them, and are written
 * after the samples. */
#ifndef PF_FORMAT_PPROF_WRITER_H
#define PF_FORMAT_PPROF_WRITER_H

#include "analysis/names/id_map.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/table.h"
#include "codec/format.h"
#include "io/sink.h"
#include "model/batch.h"
#include "model/dict.h"
#include "model/parcel.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- places.c --------------------------------------------------------------------------------- */

/* Numbers in the file: by id of the dictionary, and the id for each number - 1. */
struct pf_pprof_numbers {
    struct pf_id_map of;
    uint32_t *ids;
    size_t count, capacity;
};

struct pf_pprof_places {
    struct pf_dict *dict;
    struct pf_pprof_numbers strings; /* without number 0, which is "" */
    struct pf_pprof_numbers images, functions;
    struct pf_pprof_numbers single; /* locations of one frame: only `of` is used */
    /* the frames of a location: a chain is a frame and the chain of the frames inlined into it */
    struct pf_table chains;
    struct pf_pprof_numbers locations; /* ids of chains */
    struct pf_table folded;            /* pf_pprof_location_hash */
    uint32_t listed;                   /* images up to this number came with their own flags */
    /* Write functions without a system name as they are; false: with the name as system name.
     * pprof shortens a name that equals the system name (FORMAT.md, section 2): it cuts
     * `<lambda>` and the arguments of templates. */
    bool bare_system_names;
    /* All inputs are pprof: strings are written back with their bytes; false: as UTF-8, which
     * profile.proto demands. */
    bool own;
    bool nameless; /* a line needs a function without name and file */
};

/* PF_OK or PF_NOMEM; free in any case. */
int pf_pprof_places_init(struct pf_pprof_places *, struct pf_dict *);
void pf_pprof_places_free(struct pf_pprof_places *);

/* The number of an id; a new id gets the next number. 0 for id 0; also if memory ran out: see
 * pf_pprof_places_status. */
uint32_t pf_pprof_places_string(struct pf_pprof_places *, uint32_t string);
uint32_t pf_pprof_places_image(struct pf_pprof_places *, uint32_t image);
/* Appends the numbers of a stack's locations, leaf first, or the number of one location, as
 * varints. Failures: `packed`, pf_pprof_places_status. */
void pf_pprof_places_stack(struct pf_pprof_places *, uint32_t stack, struct pf_buffer *packed);
void pf_pprof_places_location(struct pf_pprof_places *, uint32_t location,
                              struct pf_buffer *packed);
/* PF_OK or PF_NOMEM. */
int pf_pprof_places_status(const struct pf_pprof_places *);

/* Write fields 3 to 5 of Profile, and, when all strings have their numbers, field 6. The caller
 * has set `bare_system_names` and `own`. PF_OK or PF_NOMEM. */
int pf_pprof_places_write(struct pf_pprof_places *, struct pf_sink *);
int pf_pprof_places_write_strings(struct pf_pprof_places *, struct pf_sink *);

/* --- writer.c --------------------------------------------------------------------------------- */

/* Fields of the output that come from metadata. */
struct pf_pprof_facts {
    int64_t time, duration, period;
    bool has_time, has_period;
    /* strings of the dictionary */
    uint32_t period_type, period_unit, drop_frames, keep_frames, default_type, doc_url;
    uint32_t *comments;
    size_t comment_count, comment_capacity;
    bool from_pprof, from_others; /* an input was pprof; an input was another format */
    /* inputs had periods of other types */
    bool other_periods;
};

/* The sample types of the profile, made from measures. Zero-initialise. */
struct pf_pprof_types {
    struct pf_pprof_out_type {
        struct pf_measure measure;
        uint32_t unit;     /* string: the unit in the file */
        uint64_t num, den; /* base units in a unit of the file */
        bool rounded;      /* values are rounded to whole units */
        int64_t *held;     /* values of the waiting flat records */
        size_t held_capacity;
    } * rows;
    size_t count, capacity;
    struct pf_pprof_member {
        uint32_t type;     /* type + 1; 0 = not known yet */
        uint64_t num, den; /* factor from the measure's values to values in the file */
    } * members;           /* by measure */
    size_t member_count, member_capacity;
};

struct pf_pprof_writer {
    struct pf_pprof_places places;
    struct pf_pprof_facts facts;
    struct pf_pprof_types types, flat_types;
    bool begun;                 /* sample types are written */
    struct pf_parcel **waiting; /* batches of samples that wait for the sample types */
    size_t waiting_count, waiting_capacity, waiting_size;
    /* location and labels of flat records, which wait: only an output without samples gets them */
    struct pf_table flats;
    struct pf_buffer labels; /* label sets as fields of the file */
    /* by label set: where it begins in `labels`; its size is before it */
    struct pf_id_map label_of;
    const int64_t **columns; /* of the current batch, by type; NULL = absent */
    struct pf_pprof_member *scales;
    size_t column_capacity, scale_capacity;
    struct pf_buffer stack, values, message, chain;
};

int pf_pprof_open_writer(struct pf_writer *);
int pf_pprof_write(struct pf_writer *, const struct pf_batch *);
int pf_pprof_finish(struct pf_writer *);
void pf_pprof_close_writer(struct pf_writer *);

#endif

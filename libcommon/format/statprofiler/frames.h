/* Frame records of StatProfiler files as locations. A program has few places and a profile names each of them over and over,
 * so a frame is looked up by its bytes as they stand in the file. */
#ifndef PF_FORMAT_STATPROFILER_FRAMES_H
#define PF_FORMAT_STATPROFILER_FRAMES_H

#include "base/memory.h"
#include "format/statprofiler/plan.h"
#include "format/statprofiler/wire.h"
#include "model/dict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which fields a sub frame has (formats page, sections 1 and 10). */
enum pf_sp_form {
    PF_SP_FORM_UNDECIDED,
    PF_SP_FORM_NEW, /* package, sub, file, line, first line */
    PF_SP_FORM_OLD, /* no first line (before 2014-06-23) */
    PF_SP_FORM_PLAN
};

struct pf_sp_frame_slot {
    uint32_t tag; /* lower half of the hash, which says where the slot is as well */
    uint32_t location;
    const char *bytes; /* four for the size of the record, then the record; NULL: free */
};

struct pf_sp_frames {
    struct pf_sp_frame_slot *slots;
    size_t mask, used;
    struct pf_arena bytes;
    struct pf_buffer name; /* scratch */
    uint64_t seed; /* of hashes */
};

bool pf_sp_frames_open(struct pf_sp_frames *); /* false: no memory; close in any case */
void pf_sp_frames_close(struct pf_sp_frames *);

/* The location of a frame record of `size` bytes. 0: *why says what is wrong with it, or is NULL when memory ran out. `lsb`: as
 * in pf_sp_record_parse. */
uint32_t pf_sp_frames_find(struct pf_sp_frames *, struct pf_dict *, const unsigned char *bytes, size_t size,
                           enum pf_sp_form, bool lsb, const char **why);

/* Finds as many of the frame records that begin at `p` as are whole, of the ordinary kind and known; their locations go to
 * `locations` (room for PF_SP_FRAMES_ROW). Returns how many; *size: their bytes. */
enum { PF_SP_FRAMES_ROW = 32 };
size_t pf_sp_frames_find_row(const struct pf_sp_frames *, const unsigned char *p, size_t have, enum pf_sp_form,
                             uint32_t *locations, size_t *size);

/* Layout of a frame record: tags 3 to 6 of the real dialect. */
const char *pf_sp_frame_layout(unsigned tag, enum pf_sp_form);

/* The form of a sub frame that was parsed as PF_SP_FORM_OLD, by its length: does it count a first line? */
enum pf_sp_form pf_sp_frame_form(const struct pf_sp_record *);

/* Interns a name of perl's: a string of characters. Stored without the flag they are Latin-1, unless they make sense as UTF-8
 * (formats page, section 3); interned, they are UTF-8, so that a name has one spelling. `scratch` is anybody's. 0 with
 * scratch->failed: no memory, or too long. */
uint32_t pf_sp_name_intern(struct pf_dict *, struct pf_buffer *scratch, struct pf_sp_string);

/* Adds a location. `kind` says what the frame is, or PF_FRAME_PLAIN where it must be told by what is missing, as in
 * dialects that have one sort of frame: no name is main or an eval, no file an xsub. */
uint32_t pf_sp_frame_add(struct pf_dict *, enum pf_frame_kind, const struct pf_function *, int64_t line);

#endif

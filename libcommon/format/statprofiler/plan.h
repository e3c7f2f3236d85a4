/* The dialect of the profiler's plan, written down before its code (formats page, section 10): the length of a record is
 * right, but records without payload may be a tag alone or have a length of 0; a sample says how many frames it has; and
 * nobody said which way round varints are. */
#ifndef PF_FORMAT_STATPROFILER_PLAN_H
#define PF_FORMAT_STATPROFILER_PLAN_H

#include "format/statprofiler/wire.h"
#include "io/source.h"

#include <stdbool.h>
#include <stddef.h>

/* Whether varints are least significant group first, told by the records from `start` on in the uncompressed file: in
 * shortest form no number of several bytes begins with 80 (most significant first) or ends with 00 (least). The
 * first such byte decides; where none does within 64 KiB, the direction in which the lengths fit. Peeks only. */
bool pf_sp_plan_is_lsb(struct pf_source *, size_t start);

/* True when the sample start at `p` is one of the plan: with a number of frames, and the length it says. */
bool pf_sp_plan_sample(const unsigned char *p, size_t have);

/* Parses a record of the body and checks its length. Sub frames have two strings or three; an eval frame without a file
 * (text[0].bytes.data is NULL) has a payload of another form. PF_SP_WHOLE with *fits false when the fields do not fill the
 * length. */
enum pf_sp_parse pf_sp_plan_parse(struct pf_sp_record *, const unsigned char *p, size_t have, bool lsb, bool *fits);

#endif

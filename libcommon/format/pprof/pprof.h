/* What the parts of pprof's format share: the numbers of the fields of profile.proto, and the metadata they travel in. */
#ifndef PF_FORMAT_PPROF_PPROF_H
#define PF_FORMAT_PPROF_PPROF_H

#include "model/units.h"

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

enum { PF_PPROF_TYPES_MAX = 1024 }; /* sample types: as many measures as a stream has */
enum { PF_PPROF_COMMENTS_MAX = 1 << 20 }; /* a comment takes one byte of the input and 16 in memory */

/* Units that producers of pprof write: others are base units of their own. */
enum { PF_PPROF_UNITS = PF_UNITS_TIME | PF_UNITS_SIZES };

/* Bits of what a Mapping says it has, in the order of its fields 7 to 10; those of enum pf_image_flag. */
enum { PF_PPROF_MAPPING_FLAGS = 4 };

/* Origins of metadata; the keys of the first are the names of Profile's fields. */
#define PF_PPROF_ORIGIN "pprof"
#define PF_PPROF_PRIVATE ".pprof"
/* Private keys: a mapping, in the order of the file; a location that is folded, by a hash of all that is known of it; that a function without
 * a system name has none, instead of the same. */
#define PF_PPROF_KEY_MAPPING "mapping"
#define PF_PPROF_KEY_FOLDED "folded"
#define PF_PPROF_KEY_SYSTEM_NAMES "system_names"

#endif

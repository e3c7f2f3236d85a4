/* The sample types of a profile being written: what measures become. */
#ifndef PF_FORMAT_PPROF_TYPES_H
#define PF_FORMAT_PPROF_TYPES_H

#include "base/error.h"
#include "model/dict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialise. */
struct pf_pprof_types {
    struct pf_pprof_out_type {
        struct pf_measure measure;
        uint32_t unit;      /* string, as it is written */
        uint64_t num, den;  /* base units in one that is written */
        bool rounded;       /* values need not be whole numbers of it */
        int64_t *held;      /* values of records that wait, where the owner has some */
        size_t held_capacity;
    } *rows;
    size_t count, capacity;
    struct pf_pprof_member {
        uint32_t type;      /* + 1; 0 = not met */
        uint64_t num, den;  /* from its values to those that are written */
    } *members;             /* by measure */
    size_t member_count, member_capacity;
};

void pf_pprof_types_free(struct pf_pprof_types *);
/* The type of a measure, added when new. Values are written as they are where pprof knows their unit,
 * else in base units where these are whole; parts of a time (pf_unit_parts) are rounded to nanoseconds,
 * half to even. PF_OK, PF_NOMEM; PF_UNSUPPORTED: the measure and the type have no whole factor between
 * their scales, or their periods differ. */
int pf_pprof_types_find(struct pf_pprof_types *, struct pf_dict *, uint32_t measure, struct pf_pprof_member *, struct pf_error *);
/* The one tables show first; UINT32_MAX where there is none. */
uint32_t pf_pprof_types_main(const struct pf_pprof_types *, const struct pf_dict *);

#endif

/* Two builds of one program in a difference (--images=joined). A function that both builds have is
 * one function, in the table and in the records of the difference.
 *
 * If exactly one image name is only before and exactly one only after, both name one program: its
 * functions, except unnamed ones, are joined by name and file, under the name before. If more image
 * names differ, nobody can tell which belong together.
 *
 * Images of one name are builds of one program too. Their functions have equal keys, but their
 * records differ in identifier, address and first line of the function. */
#ifndef PF_ANALYSIS_DIFF_BUILDS_H
#define PF_ANALYSIS_DIFF_BUILDS_H

#include "analysis/merge/kind.h"
#include "analysis/names/key.h"

#include <stdbool.h>
#include <stdint.h>

/* The marks of what a side has; a thing of both sides has both. */
enum { PF_BUILD_BEFORE = 1, PF_BUILD_AFTER = 2, PF_BUILD_BOTH = 3 };

/* Finds the program whose image has one name before and another after. `seen` has the marks of each
 * image name, by string. True: exactly one name is only before and exactly one is only after;
 * images[] gets these two. */
bool pf_builds_program(const struct pf_dict *, const unsigned char *seen, uint32_t images[2]);
/* The key of the joined function for each key, by function or by line; the caller frees it. *any:
 * a key changes. NULL: out of memory. */
uint32_t *pf_builds_keys(const struct pf_keys *, const uint32_t images[2], bool *any);

/* Joins the functions of two builds in records. Zero-initialise; free with pf_builds_free. */
struct pf_builds {
    struct pf_dict *dict;
    struct pf_keys keys;      /* by function */
    uint32_t *joined;         /* by key: the key of the joined function; NULL: no key changes */
    unsigned char *locations; /* marks, by location */
    size_t known;             /* number of locations with marks */
    struct pf_build_function {
        unsigned char marks;
        bool rebuilt;             /* the function is in different builds */
        uint32_t image, function; /* those of its key; the function with the least first line */
    } * functions;                /* by key */
    /* a location of a rebuilt function becomes function and line, without address and identifier;
     * map.locations.to is NULL while no function is rebuilt */
    struct pf_merge_map map;
};

void pf_builds_free(struct pf_builds *);
/* Fills the map for the records of a difference, which have two sides. `dict` must outlive the
 * builds. PF_OK or PF_NOMEM; free in any case. */
int pf_builds_find(struct pf_builds *, struct pf_dict *,
                   const struct pf_merge_kind kinds[PF_RECORD_KINDS]);

#endif

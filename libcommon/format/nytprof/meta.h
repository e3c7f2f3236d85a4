/* Metadata of NYTProf files: how they are named, and a queue of rows on their way. */
#ifndef PF_FORMAT_NYTPROF_META_H
#define PF_FORMAT_NYTPROF_META_H

#include "model/batch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PF_NYT_ATTRIBUTE_ORIGIN "nytprof"
#define PF_NYT_OPTION_ORIGIN "nytprof.option"
#define PF_NYT_COMMENT_ORIGIN "nytprof.comment" /* key `comment` */
/* Private rows: the key is a word and numbers, the value a string.
 *   fid FID EVAL_FID EVAL_LINE FLAGS SIZE MTIME   NAME
 *   renamed fid ...                               NAME: it was given later, and another file may have it; then they are one
 *   sub FID FIRST LAST                            NAME
 *   xsub                                          NAME: a marker that it is in C
 *   start PID PPID TIME, end PID TIME             "": TIME is a double in 16 hexadecimal digits
 *   source FID                                    "": the source texts that follow are of this file number
 *   discounts COUNT                               "": statements whose time counts and that do not
 *   deflate                                       "": what follows was deflated */
#define PF_NYT_PRIVATE_ORIGIN ".nytprof"
#define PF_NYT_RENAMED "renamed "

struct pf_nyt_metas {
    uint32_t *origin, *key, *value; /* strings */
    size_t count, given, origin_capacity, key_capacity, value_capacity;
    bool failed;                    /* memory ran out */
};

/* Zero-initialise; free with pf_nyt_metas_free. */
void pf_nyt_metas_add(struct pf_nyt_metas *, uint32_t origin, uint32_t key, uint32_t value);
void pf_nyt_metas_free(struct pf_nyt_metas *);
/* Rows not given yet, up to index `limit`, as a batch; false when there are none. Valid until the next row is added. */
bool pf_nyt_metas_give(struct pf_nyt_metas *, size_t limit, struct pf_batch *);

#endif

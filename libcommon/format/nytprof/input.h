/* The bytes of a NYTProf stream: the file's own, and behind a `z` record those of the zlib stream in it. */
#ifndef PF_FORMAT_NYTPROF_INPUT_H
#define PF_FORMAT_NYTPROF_INPUT_H

#include "base/error.h"
#include "io/source.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_nyt_input {
    const unsigned char *p, *end;  /* bytes at hand; whoever uses them moves p */
    struct pf_source *source;      /* borrowed */
    const unsigned char *start;    /* plain: where p stood after the last fill */
    struct z_stream_s *inflater;   /* NULL: plain */
    unsigned char *buffer;         /* deflated: what p and end point into */
    size_t capacity;
    uint64_t end_offset;           /* of `end`, in the file or in the inflated bytes */
    bool ended;                    /* deflated: the zlib stream is whole and done */
    bool cut;                      /* the file ends before the zlib stream does */
    const char *damage;            /* what zlib does not like; NULL: nothing */
};

void pf_nyt_input_open(struct pf_nyt_input *, struct pf_source *);
void pf_nyt_input_close(struct pf_nyt_input *);

/* From here on the bytes are deflated. PF_OK or PF_NOMEM. */
int pf_nyt_input_inflate(struct pf_nyt_input *, struct pf_error *);

/* Brings at least `need` bytes behind p. PF_OK; PF_EOF when the data end before (what is there stays); PF_FAILED for damaged
 * deflated data, or what the source says. p and everything parsed from it move. */
int pf_nyt_input_fill(struct pf_nyt_input *, size_t need, struct pf_error *);

static inline size_t pf_nyt_input_have(const struct pf_nyt_input *input)
{
    return (size_t)(input->end - input->p);
}

/* Where p stands: an offset in the file, or in the inflated bytes. */
static inline uint64_t pf_nyt_input_offset(const struct pf_nyt_input *input)
{
    return input->end_offset - pf_nyt_input_have(input);
}

/* Sets an error about the record at p; `text` ends up in it whole. */
int pf_nyt_input_fail(const struct pf_nyt_input *, struct pf_error *, const char *text);
/* Warns of what stands at p. */
void pf_nyt_input_warn(const struct pf_nyt_input *, const struct pf_report *, const char *text);

#endif

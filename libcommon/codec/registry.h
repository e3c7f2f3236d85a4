/* All formats there are, and which one an input is. */
#ifndef PF_CODEC_REGISTRY_H
#define PF_CODEC_REGISTRY_H

#include "codec/format.h"

/* The k-th format, or NULL behind the last. */
const struct pf_format *pf_registry_format(size_t k);
/* By name; NULL when there is none. */
const struct pf_format *pf_registry_find(struct pf_bytes name);
/* By the longest suffix of a file name that a written format claims, as it stands or before .gz, in
 * any case; NULL when there is none. */
const struct pf_format *pf_registry_suffix(const char *path);
/* By a suffix that is the name of a format which is only read, or claimed by it; NULL when there is
 * none. */
const struct pf_format *pf_registry_suffix_unwritten(const char *path);
/* A suffix with letters, before .gz, that is neither, within the path; empty when there is none. */
struct pf_bytes pf_registry_suffix_unknown(const char *path);

/* The format with the most evidence in the bytes ahead; *bits (may be NULL) says how much. NULL
 * with `error` set: PF_FAILED for an empty input, PF_UNSUPPORTED for bytes nobody knows (with what
 * they look like, where that is known: an ELF program, a zip archive ...), or the source's own
 * failure. */
const struct pf_format *pf_registry_guess(struct pf_source *, const char *path, int *bits,
                                          struct pf_error *);
/* The same where only a format that knows series is of interest; NULL for all others, at once. */
const struct pf_format *pf_registry_guess_series(struct pf_source *, const char *path);

#endif

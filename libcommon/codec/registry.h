/* The list of all formats, and detection of an input's format. */
#ifndef PF_CODEC_REGISTRY_H
#define PF_CODEC_REGISTRY_H

#include "codec/format.h"

/* Format number `k`, from 0; NULL after the last. */
const struct pf_format *pf_registry_format(size_t k);
/* The format with this name; NULL if there is none. */
const struct pf_format *pf_registry_find(struct pf_bytes name);
/* The written format with the longest suffix that `path` ends with, with or without .gz, in upper
 * or lower case; NULL if there is none. */
const struct pf_format *pf_registry_suffix(const char *path);
/* The format that is only read and whose suffix or name `path` ends with; NULL if there is none. */
const struct pf_format *pf_registry_suffix_unwritten(const char *path);
/* The suffix of `path` (before .gz, and with at least one letter) that belongs to no format. Points
 * into the path; empty if there is no such suffix. */
struct pf_bytes pf_registry_suffix_unknown(const char *path);

/* Detects the format with the most evidence in the next bytes. *bits (may be NULL) is the evidence.
 * NULL with `error` set: PF_FAILED for an empty input, PF_UNSUPPORTED for unknown bytes (the
 * message names known kinds of files: an ELF program, a zip archive ...), or the source's own
 * failure. */
const struct pf_format *pf_registry_guess(struct pf_source *, const char *path, int *bits,
                                          struct pf_error *);
/* The same for formats with series only; returns NULL early for all others. */
const struct pf_format *pf_registry_guess_series(struct pf_source *, const char *path);

#endif

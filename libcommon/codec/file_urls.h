/* URLs of files. Profilers of JavaScript name a file by its URL; the model and other formats have
 * its path: `file:///x/a%20b.js` is /x/a b.js, `file:///C:/a.js` is C:/a.js. A reader keeps the
 * URLs as private metadata, from which the writer of the same format gets them back. */
#ifndef PF_CODEC_FILE_URLS_H
#define PF_CODEC_FILE_URLS_H

#include "base/table.h"
#include "codec/merging.h"
#include "model/batch.h"
#include "model/dict.h"
#include "model/rows.h"

#include <stddef.h>
#include <stdint.h>

/* Pairs of strings: for a reader from URLs to paths, for a writer from paths to URLs. */
struct pf_file_urls {
    struct pf_table from;
    uint32_t *to; /* by id in `from` */
    size_t capacity;
};

int pf_file_urls_init(struct pf_file_urls *); /* PF_OK or PF_NOMEM; free in any case */
void pf_file_urls_free(struct pf_file_urls *);
/* PF_OK, or PF_NOMEM of any call. */
static inline int pf_file_urls_status(const struct pf_file_urls *urls)
{
    return urls->from.status;
}

/* The path (a string) of the file that the string `name` is the URL of. Returns `name` if it is not
 * the URL of a file of this computer, or has a query, a fragment, or a byte that the name of a file
 * cannot have. */
uint32_t pf_file_url_path(struct pf_dict *, uint32_t name);
/* For readers: the same, and keeps the URL. */
uint32_t pf_file_urls_path(struct pf_file_urls *, struct pf_dict *, uint32_t name);
/* Adds all URLs that were kept as metadata of the format. */
void pf_file_urls_tell(const struct pf_file_urls *, struct pf_rows *, const char *format);

/* For writers: keeps the URLs in a batch of metadata. */
void pf_file_urls_keep(struct pf_file_urls *, struct pf_dict *, const struct pf_batch *,
                       const char *format);
/* The URL of a path; the path itself if its URL is not known. */
uint32_t pf_file_urls_url(const struct pf_file_urls *, uint32_t path);

/* The rules for metadata of a format whose only private metadata are URLs. */
extern const struct pf_merging pf_file_urls_merging;

#endif

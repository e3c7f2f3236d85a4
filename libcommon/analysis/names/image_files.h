/* The files of a profile's images, found in directories by build id, and the names of addresses in
 * them. A file is opened when the first of its addresses is asked for, and once only. Files are
 * opened and searched in several threads; results and messages do not depend on the number of
 * threads. */
#ifndef PF_ANALYSIS_NAMES_IMAGE_FILES_H
#define PF_ANALYSIS_NAMES_IMAGE_FILES_H

#include "analysis/names/binary.h"
#include "analysis/names/symbol_dirs.h"
#include "base/error.h"
#include "model/dict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_image_files;

/* Owns the directories, even after a failure. `threads`: the greatest number of threads, with the
 * caller's. `no_memory`: see pf_binary_open. NULL: out of memory. */
struct pf_image_files *pf_image_files_new(struct pf_symbol_dirs *, size_t threads,
                                          PF_NORETURN void (*no_memory)(void));
void pf_image_files_free(struct pf_image_files *); /* NULL is allowed */

/* The place of an answer; file 0: the image has no build id. */
struct pf_image_answer {
    uint32_t file, row;
};

/* Asks for the frames of an address of an image. The dictionary must not change before the next
 * pf_image_files_search. False: out of memory. */
bool pf_image_files_ask(struct pf_image_files *, const struct pf_dict *, uint32_t image,
                        uint64_t address, struct pf_image_answer *);
/* Answers all questions since the last search; earlier answers are lost. PF_OK; PF_IO if the system
 * fails; PF_NOMEM. */
int pf_image_files_search(struct pf_image_files *, struct pf_error *);
/* Copies the frames, innermost first, and returns their number; 0: the address has no name. The
 * texts are valid as long as the files. */
size_t pf_image_files_frames(const struct pf_image_files *, struct pf_image_answer,
                             struct pf_frame frames[PF_ADDRESS_FRAMES]);
/* Counts an address of an image without a build id that has no name in the end. False: out of
 * memory. */
bool pf_image_files_count_unknown(struct pf_image_files *, const struct pf_image *);

/* Warns of files that were refused, of build ids without a file and of images without a build id;
 * warnings give three examples each, notes the others. Returns the number of files used. */
size_t pf_image_files_report(const struct pf_image_files *, const struct pf_dict *,
                             const struct pf_report *);

#endif

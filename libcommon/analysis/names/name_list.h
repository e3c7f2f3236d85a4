/* A list of names for a message: "a, b, c" or "a, b and 17 more". */
#ifndef PF_ANALYSIS_NAMES_NAME_LIST_H
#define PF_ANALYSIS_NAMES_NAME_LIST_H

#include "base/memory.h"
#include "model/dict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialise; free with pf_name_list_free. */
struct pf_name_list {
    struct pf_bytes *names;
    size_t count, capacity;
    struct pf_arena copies;
    struct pf_buffer scratch;
};

void pf_name_list_free(struct pf_name_list *);
/* Adds a name. Without `copy` the bytes must outlive the list. PF_OK or PF_NOMEM. */
int pf_name_list_add(struct pf_name_list *, struct pf_bytes, bool copy);
/* Adds a string of a dictionary as it is shown (model/utf8.h). PF_OK or PF_NOMEM. */
int pf_name_list_add_string(struct pf_name_list *, const struct pf_dict *, uint32_t string);
/* Puts the names in the order of their bytes, each once. */
void pf_name_list_sort(struct pf_name_list *);
/* Writes the names that fit; an empty name is '', and NUL is `?`. */
void pf_name_list_join(const struct pf_name_list *, char *text, size_t size);

#endif

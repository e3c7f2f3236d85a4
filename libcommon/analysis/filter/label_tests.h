/* Which sets of labels match which expressions, their values as bytes or as they are shown. Every
 * set is looked at once. */
#ifndef PF_ANALYSIS_FILTER_LABEL_TESTS_H
#define PF_ANALYSIS_FILTER_LABEL_TESTS_H

#include "analysis/filter/pattern.h"
#include "base/memory.h"
#include "model/dict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pf_label_mark {
    PF_LABEL_SECTION = 1, /* in a section that was asked for */
    PF_LABEL_MATCHED = 2,
    PF_LABEL_IGNORED = 4,
    PF_LABEL_IN_SECTION = 8, /* in any section */
    PF_LABEL_KNOWN = 0x80
};

/* Zero-initialise; free with pf_label_tests_free. */
struct pf_label_tests {
    struct pf_label_test *tests;
    size_t count, test_capacity;
    uint8_t *sets; /* enum pf_label_mark by label set, 0 = not looked at */
    size_t set_capacity;
    uint8_t seen; /* marks of all sets looked at */
    struct pf_buffer shown;
    bool seen_outside; /* a set without any section was looked at */
};

void pf_label_tests_free(struct pf_label_tests *);
/* PF_LABEL_SECTION: `text` is a glob. PF_LABEL_MATCHED and _IGNORED: KEY, KEY=RE or KEY=LOW:HIGH,
 * numbers with the ends, one of which may be left out, with k, M or G for thousands. `text` must
 * outlive this. PF_OK, PF_USAGE, PF_NOMEM. */
int pf_label_tests_add(struct pf_label_tests *, enum pf_label_mark, const char *text,
                       unsigned flags, struct pf_error *);

/* Before ids of new sets are looked at. PF_OK or PF_NOMEM. */
int pf_label_tests_prepare(struct pf_label_tests *, const struct pf_dict *);
uint8_t pf_label_tests_look(struct pf_label_tests *, const struct pf_dict *, uint32_t labels);
/* The marks of a set and PF_LABEL_KNOWN. */
static inline uint8_t pf_label_tests_marks(struct pf_label_tests *tests, const struct pf_dict *dict,
                                           uint32_t labels)
{
    uint8_t marks = tests->sets[labels];
    return marks != 0 ? marks : pf_label_tests_look(tests, dict, labels);
}

/* PF_OK, or PF_NOMEM when matching ran out of memory. */
int pf_label_tests_status(const struct pf_label_tests *);
/* Says of each expression that matched no set looked at that it did, and what there is instead.
 * `format` (may be NULL) is the name of the profiles' format. PF_OK or PF_NOMEM. */
int pf_label_tests_report(const struct pf_label_tests *, const struct pf_dict *, const char *format,
                          const struct pf_report *);

#endif

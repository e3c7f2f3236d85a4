/* Matches label sets against expressions. Values are matched both as stored and as shown. Every set
 * is tested once. */
#ifndef PF_ANALYSIS_FILTER_LABEL_TESTS_H
#define PF_ANALYSIS_FILTER_LABEL_TESTS_H

#include "analysis/filter/pattern.h"
#include "base/memory.h"
#include "model/dict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pf_label_mark {
    PF_LABEL_SECTION = 1, /* a section matches a requested section */
    /* a label matches an expression */
    PF_LABEL_MATCHED = 2,
    /* a label matches an expression to be ignored */
    PF_LABEL_IGNORED = 4,
    PF_LABEL_IN_SECTION = 8, /* the set has any section */
    /* the set has been tested */
    PF_LABEL_KNOWN = 0x80
};

/* Zero-initialise; free with pf_label_tests_free. */
struct pf_label_tests {
    struct pf_label_test *tests;
    size_t count, test_capacity;
    uint8_t *sets; /* enum pf_label_mark, by label set; 0: not tested */
    size_t set_capacity;
    uint8_t seen; /* the marks of all tested sets together */
    struct pf_buffer shown;
    bool seen_outside; /* a set without any section was tested */
};

void pf_label_tests_free(struct pf_label_tests *);
/* Adds an expression. For PF_LABEL_SECTION `text` is a glob. For PF_LABEL_MATCHED and
 * PF_LABEL_IGNORED it is KEY, KEY=RE or KEY=LOW:HIGH; the range includes LOW and HIGH, one of them
 * may be omitted, and they may end in k, M or G for thousands, millions or billions. `text` must
 * outlive the tests. PF_OK, PF_USAGE with the reason, PF_NOMEM. */
int pf_label_tests_add(struct pf_label_tests *, enum pf_label_mark, const char *text,
                       unsigned flags, struct pf_error *);

/* Makes room for the sets of the dictionary. Call before pf_label_tests_marks whenever the
 * dictionary has grown. PF_OK or PF_NOMEM. */
int pf_label_tests_prepare(struct pf_label_tests *, const struct pf_dict *);
/* Tests a set and stores its marks. For pf_label_tests_marks. */
uint8_t pf_label_tests_look(struct pf_label_tests *, const struct pf_dict *, uint32_t labels);
/* The marks of a set and PF_LABEL_KNOWN. The set must have existed at the last
 * pf_label_tests_prepare. */
static inline uint8_t pf_label_tests_marks(struct pf_label_tests *tests, const struct pf_dict *dict,
                                           uint32_t labels)
{
    uint8_t marks = tests->sets[labels];
    return marks != 0 ? marks : pf_label_tests_look(tests, dict, labels);
}

/* PF_OK, or PF_NOMEM if matching ran out of memory. */
int pf_label_tests_status(const struct pf_label_tests *);
/* Warns of the expressions that matched no set, and names the sections, labels or values that
 * exist. `format` (may be NULL) is the name of the profiles' format. PF_OK or PF_NOMEM. */
int pf_label_tests_report(const struct pf_label_tests *, const struct pf_dict *, const char *format,
                          const struct pf_report *);

#endif

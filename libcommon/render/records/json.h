/* Records as JSON (schema profutils.samples/1): the reader, codec/format.h. Both forms are told
 * apart by what is ahead: a document, or a row after the other. */
#ifndef PF_RENDER_RECORDS_JSON_H
#define PF_RENDER_RECORDS_JSON_H

#include "base/number.h"
#include "codec/json_reader.h"
#include "codec/text_reader.h"
#include "model/labels.h"

#include <stdbool.h>
#include <stdint.h>

enum { PF_SAMPLES_COLUMNS = 1024 }; /* as many as a segment of the native stream holds */

/* Values that repeat are known by their bytes. Zero-initialise but for `texts` and `make`. */
struct pf_samples_memo {
    struct pf_strings texts;
    uint32_t (*make)(struct pf_reader *, const json_t *); /* of a value that is new */
    uint32_t *ids;                                        /* by string, + 1 */
    size_t count, capacity;
    uint32_t id; /* of the value that was read last */
};

/* What a row, or the document, says of a measure but its name and unit. */
struct pf_samples_facts {
    uint32_t key;              /* of the values */
    struct pf_measure measure; /* whole but for its kind; unit 0: the unit of the values */
};

struct pf_samples_reader {
    struct pf_json_cut cut;
    struct pf_samples_memo frames;
    struct pf_samples_memo sections, labels; /* the id: 0 where the row has none */
    /* the id: 1 + the place of the first in facts; 0 where the row has none */
    struct pf_samples_memo measures;
    /* those of a row that reads the same stand beside each other and are followed by the key
     * UINT32_MAX */
    struct pf_samples_facts *facts;
    size_t fact_count, fact_capacity;
    struct pf_rows rows;
    struct pf_rows behind; /* metadata that stand behind all rows */
    bool document, ended, incomplete;
    int status;

    /* the row that was read last */
    enum pf_kind kind;               /* PF_META: it has no record */
    uint32_t formats, formats_given; /* where the row and those before it came from: strings */
    uint32_t own_format;             /* for rows that do not say it */
    struct pf_labels row_labels;     /* while they are joined */
    struct pf_samples_value {
        uint32_t name, unit, measure, column;
        pf_int128 wide; /* as it is written, of 10^-wide_places */
        int wide_places;
        uint64_t offset;
        int64_t value; /* of 10^-places, or of the measure's raw units */
        int places;
    } * values;
    size_t value_count, value_capacity;
    /* the most decimals that values of the name have had: the next ones are counted in as many */
    struct pf_samples_scale {
        enum pf_kind kind;
        uint32_t name, unit;
        int places;
    } * scales;
    size_t scale_count, scale_capacity;

    uint32_t *declared; /* measures told behind the rows */
    size_t declared_count, declared_capacity;
};

int pf_samples_bid_document(struct pf_source *, const char *path);
int pf_samples_bid_rows(struct pf_source *, const char *path);
int pf_samples_open_reader(struct pf_reader *);
int pf_samples_read(struct pf_reader *, struct pf_batch *);
void pf_samples_close_reader(struct pf_reader *);

#endif

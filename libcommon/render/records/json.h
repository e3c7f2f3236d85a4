/* Reader of JSON records (schema profutils.samples/1). The first bytes decide between the two
 * forms: a document, or rows. */
#ifndef PF_RENDER_RECORDS_JSON_H
#define PF_RENDER_RECORDS_JSON_H

#include "base/number.h"
#include "codec/json_reader.h"
#include "codec/text_reader.h"
#include "model/labels.h"

#include <stdbool.h>
#include <stdint.h>

enum { PF_SAMPLES_COLUMNS = 1024 }; /* as many as a segment of the native stream holds */

/* Caches repeated JSON values by their bytes. Zero-initialise all fields except `texts` and
 * `make`. */
struct pf_samples_memo {
    struct pf_strings texts;
    /* makes the id of a new value, which stands at `offset`; PF_OK, or an error of the cutter */
    int (*make)(struct pf_json_cut *, uint64_t offset, const json_t *, uint32_t *id);
    uint32_t *ids; /* by string, + 1 */
    size_t count, capacity;
    uint32_t id; /* id of the last value */
};

/* The facts about a measure in a row or the document, except name and unit. */
struct pf_samples_facts {
    uint32_t key;              /* key in `values` */
    struct pf_measure measure; /* complete except for its kind; unit 0: the unit of the values */
};

struct pf_samples_reader {
    struct pf_json_cut cut;
    struct pf_samples_memo frames;
    struct pf_samples_memo sections, labels; /* id: the label set; 0: empty */
    /* id: 1 + the index in `facts` of the row's first; 0: the row has no facts */
    struct pf_samples_memo measures;
    /* the facts of a row are adjacent and end with the key UINT32_MAX */
    struct pf_samples_facts *facts;
    size_t fact_count, fact_capacity;
    struct pf_rows behind; /* metadata after all rows */
    bool document, ended, incomplete;

    /* the last row */
    enum pf_kind kind;               /* PF_META: the row has no record */
    uint32_t formats, formats_given; /* source formats of the row and of earlier rows: strings */
    uint32_t own_format;             /* for rows without a source format */
    struct pf_labels row_labels;     /* while they are joined */
    struct pf_samples_value {
        uint32_t name, unit, measure, column;
        pf_int128 wide; /* as written, in units of 10^-wide_places */
        int wide_places;
        uint64_t offset;
        int64_t value; /* in units of 10^-places, or in the measure's raw units */
        int places;
    } * values;
    size_t value_count, value_capacity;
    /* the most decimals of earlier values of the name: the next values have as many */
    struct pf_samples_scale {
        enum pf_kind kind;
        uint32_t name, unit;
        int places;
    } * scales;
    size_t scale_count, scale_capacity;

    uint32_t *declared; /* measures declared after the rows */
    size_t declared_count, declared_capacity;
};

/* --- parts of rows that repeat ---------------------------------------------------------------- */

/* Prepares the memos for frames, sections, labels and measures. PF_OK or PF_NOMEM; free the memos
 * in any case. */
int pf_samples_memos_open(struct pf_samples_reader *);
void pf_samples_memos_free(struct pf_samples_reader *);
/* Reads the value ahead into the memo at `field`: memo->id is its id. A text that the memo has is
 * not parsed again. */
pf_json_read pf_samples_read_known;
/* The text of a string; empty for other values. */
struct pf_bytes pf_samples_text(const json_t *value);
/* The number of the member's text among `count` words; 0 if the text is not one of them. */
uint8_t pf_samples_word(const json_t *object, const char *key, const char *(*word)(unsigned),
                        unsigned count);
/* Adds the facts that `measure`, an object, has about the measure `key`. NULL ends the facts of a
 * row. PF_OK or PF_NOMEM. */
int pf_samples_add_facts(struct pf_reader *, uint32_t key, const json_t *measure);

/* --- the reader ------------------------------------------------------------------------------- */

int pf_samples_bid_document(struct pf_source *, const char *path);
int pf_samples_bid_rows(struct pf_source *, const char *path);
int pf_samples_open_reader(struct pf_reader *);
int pf_samples_step(struct pf_reader *);
int pf_samples_read(struct pf_reader *, struct pf_batch *);
void pf_samples_close_reader(struct pf_reader *);

#endif

/* The reader of callgrind's and cachegrind's profiles. */
#ifndef PF_FORMAT_CALLGRIND_READER_H
#define PF_FORMAT_CALLGRIND_READER_H

#include "base/number.h"
#include "codec/format.h"
#include "format/callgrind/names.h"

/* Private to the format: lines of a function that come from another file have a function of their own, of the same name and that
 * file, whose system name is the file of the function they stand in. The first edge into it (0 calls) says what all of them cost. */

/* Measures of edges that are no calls: executed jumps, and how often conditional ones were reached and taken. */
#define PF_CG_JUMPS "jumps"
#define PF_CG_BRANCHES "branches"
#define PF_CG_TAKEN "branches_taken"
enum { PF_CG_JUMP_MEASURES = 3 };

/* Private metadata, once a part: files without a name are so in the file, not for want of knowledge. */
#define PF_CG_PRIVATE ".callgrind"
#define PF_CG_AS_READ "as_read"

#define PF_CG_THREAD "thread" /* key of the label, and of the metadata */

/* The dialect, and what its metadata are called. */
struct pf_cg_dialect {
    const char *origin;
    bool flat; /* cachegrind: lines alone, and a summary at the end */
};

enum { PF_CG_INSTR, PF_CG_LINE, PF_CG_SUBPOSITIONS };
enum { PF_CG_EVENTS = 256 };
enum pf_cg_mode { PF_CG_COSTS, PF_CG_CALL, PF_CG_JUMP }; /* what the next line of costs is about */

struct pf_cg_place {
    uint64_t at[PF_CG_SUBPOSITIONS];
};

struct pf_cg_rows {
    uint32_t count, *location, *callee, *labels;
    struct pf_location *places, *targets; /* what the first two columns are made of, all at once */
    int64_t *data; /* columns of PF_BATCH_ROWS */
    struct pf_value_column *columns;
    uint32_t column_count;
    bool declared;
};

struct pf_cg_reader {
    const struct pf_cg_dialect *dialect;
    struct pf_cg_names objects, files, functions;
    struct pf_bytes line;
    bool held;                /* the line waits for what is to be given before it */
    uint64_t offset, number;  /* of the line */
    int status;

    uint8_t order[PF_CG_SUBPOSITIONS]; /* what the subpositions are */
    size_t order_count;
    uint32_t *definitions;    /* strings behind `event:` */
    size_t definition_count, definition_capacity;
    uint32_t events;
    int64_t last_costs[PF_CG_EVENTS], costs[PF_CG_EVENTS];
    bool relative_costs;      /* costs are compressed as positions are */
    bool has_jumps;

    uint32_t object, file, owner, function; /* strings; owner: file of the function itself */
    uint32_t image, place;    /* rows of the dictionary: the object, and the function with the file at hand; 0: to be made */
    uint32_t callee_object, callee_file, callee;
    bool has_object, has_file, has_callee;  /* of the next call or jump */
    struct pf_cg_place last, target;
    enum pf_cg_mode mode;
    int64_t count, reached;   /* calls or jumps; how often a conditional one was reached, -1: it is not conditional */
    int64_t inlined[PF_CG_EVENTS];
    bool inlined_any;

    uint32_t labels;
    struct pf_cg_rows flat, edge;
    uint32_t *origin, *key, *value;
    size_t meta_count, origin_capacity, key_capacity, value_capacity;

    pf_int128 sums[PF_CG_EVENTS];
    pf_int128 expected[PF_CG_EVENTS]; /* of the summary or the totals */
    bool has_summary, has_totals, ended, must_end;
};
int pf_cg_reader_open(struct pf_reader *, const struct pf_cg_dialect *);
int pf_cg_reader_read(struct pf_reader *, struct pf_batch *);
void pf_cg_reader_close(struct pf_reader *);

#endif

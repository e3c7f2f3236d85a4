/* Private to the formats of valgrind's callgrind and cachegrind (FORMAT.md). */
#ifndef PF_FORMAT_CALLGRIND_CALLGRIND_H
#define PF_FORMAT_CALLGRIND_CALLGRIND_H

#include "analysis/sum/accumulate.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/scan.h"
#include "base/table.h"
#include "codec/format.h"
#include "io/sink.h"
#include "model/dict.h"
#include "model/rows.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- words of a line -------------------------------------------------------------------------- */

/* The characters that begin a line of costs. */
#define PF_CG_COST_BEGINS "0123456789+-*"

/* True for the characters of the word before the `:` or `=` of a line. */
static inline bool pf_cg_word_char(char c)
{
    return pf_word_char(c) || c == '-';
}

/* True for a comment, or for a line of `=` that Xdebug writes between profiles. */
static inline bool pf_cg_comment(struct pf_bytes line)
{
    return pf_bytes_starts(line, PF_BYTES("#")) || pf_bytes_starts(line, PF_BYTES("===="));
}

/* A whole number without a sign, decimal or hexadecimal with 0x. False: something else, or more
 * than 64 bits. */
static inline bool pf_cg_number(struct pf_bytes word, uint64_t *value)
{
    return pf_scan_0x(&word) ? pf_parse_hex(word, value) : pf_parse_digits(word, UINT64_MAX, value);
}

/* A whole number of 64 bits with an optional `-`. False: something else. */
static inline bool pf_cg_signed(struct pf_bytes word, int64_t *value)
{
    bool negative = word.size > 1 && word.data[0] == '-';
    uint64_t number;

    if (negative)
        word = (struct pf_bytes){word.data + 1, word.size - 1};
    if (!pf_cg_number(word, &number) || number > (uint64_t)INT64_MAX + negative)
        return false;
    *value = negative ? (int64_t)(0 - number) : (int64_t)number;
    return true;
}

/* A subposition: absolute, or `+n`, `-n`, `*` relative to `last`. False: something else, or outside
 * 0 to 2^64-1. */
static inline bool pf_cg_position(struct pf_bytes word, uint64_t last, uint64_t *value)
{
    uint64_t number;

    if (word.size == 1 && word.data[0] == '*') {
        *value = last;
        return true;
    }
    if (word.size > 1 && (word.data[0] == '+' || word.data[0] == '-')) {
        if (!pf_cg_number((struct pf_bytes){word.data + 1, word.size - 1}, &number))
            return false;
        return word.data[0] == '+' ? !__builtin_add_overflow(last, number, value)
                                   : !__builtin_sub_overflow(last, number, value);
    }
    return pf_cg_number(word, value);
}

/* --- events.c --------------------------------------------------------------------------------- */

/* The name of an event may contain its unit, as Xdebug's `Time_(10ns)` and pprof's `cpu(ms)`, and
 * so may its long name (`event: sysTime : sysTime (elapsed ns)`). ruby-prof's times are
 * microseconds, but have no unit in the name (FORMAT.md, section 6). */

/* Sets the measure of an event: name, units, scale and nature. The caller sets kind and role.
 * `long_name` may be empty. */
void pf_cg_event_measure(struct pf_dict *, struct pf_bytes event, struct pf_bytes long_name,
                         struct pf_measure *);

/* Splits the text behind `event:` into the short and the long name. False: a sum of other events,
 * or no name. */
bool pf_cg_event_split(struct pf_bytes definition, struct pf_bytes *event,
                       struct pf_bytes *long_name);

/* Appends a name of an event that readers take for this measure. Multiply values by *num / *den
 * before writing; 1 / 1 if the name has the scale. */
void pf_cg_event_name(const struct pf_dict *, const struct pf_measure *, struct pf_buffer *,
                      uint64_t *num, uint64_t *den);

/* True if both have the same name, unit and scale. */
bool pf_cg_event_same(const struct pf_measure *, const struct pf_measure *);

/* --- costs.c ---------------------------------------------------------------------------------- */

/* Costs of lines and calls in one part of a profile: a row for each place, or for each pair of
 * places. */

/* Columns behind the columns of the events. */
enum pf_cg_extra {
    PF_CG_CALLS,
    PF_CG_JUMP_COUNT,
    PF_CG_REACHED_COUNT,
    PF_CG_TAKEN_COUNT,
    PF_CG_EXTRAS
};

/* Sums of the values of records, and numbers of records. */
struct pf_cg_records {
    struct pf_accumulator sums;
    unsigned char
        *places;   /* by location: 1 if a FLAT record has this location, even with values 0 */
    int64_t *hits; /* by stack: number of records; costs.c adds the records of its subtree */
    size_t place_count, place_capacity, hit_count, hit_capacity;
};

struct pf_cg_event {
    struct pf_buffer name; /* with the unit */
    struct pf_cg_column {
        struct pf_sums *sums; /* NULL: no sums */
        uint64_t num, den;    /* factor of written values */
    } self, inclusive;
    bool self_of_calls; /* the self costs come from records of calls */
};

struct pf_cg_costs {
    struct pf_dict *dict;
    struct pf_cg_event *events;
    size_t count, capacity;
    struct pf_table keys; /* struct pf_edge: `caller` is the place, `callee` the called function, 0
                             for a line */
    int64_t *values;      /* rows of count + PF_CG_EXTRAS values, also for the key 0 */
    size_t value_capacity;
};

void pf_cg_records_free(struct pf_cg_records *);

/* Adds a batch of records; see pf_accumulator_add. */
int pf_cg_records_add(struct pf_cg_records *, const struct pf_batch *, struct pf_error *);

/* Makes the events and the rows: from records of lines and calls if there are any, else from
 * stacks, whose sums become sums of subtrees. Reports what is left out. PF_OK; PF_NOMEM;
 * PF_OVERFLOW; PF_USAGE: no event. Free in any case. */
int pf_cg_costs_make(struct pf_cg_costs *, struct pf_cg_records *, struct pf_writer *);
void pf_cg_costs_free(struct pf_cg_costs *);

/* The values of a row: those of the events, then PF_CG_EXTRAS more. */
static inline int64_t *pf_cg_costs_row(const struct pf_cg_costs *costs, uint32_t row)
{
    return costs->values + (size_t)row * (costs->count + PF_CG_EXTRAS);
}

/* --- reader.c --------------------------------------------------------------------------------- */

/* Lines of a function that come from another file (inlined code) get a separate function: with the
 * same name, the other file, and the file of the outer function as system name. The first edge (0
 * calls) from the outer function to this function has the costs of all these lines. */

/* Measures of jumps: executed jumps, and how often conditional jumps were reached and taken. */
#define PF_CG_JUMPS "jumps"

#define PF_CG_BRANCHES "branches"

#define PF_CG_TAKEN "branches_taken"

/* Private metadata, once for each part: write files without a name as the input has them. */
#define PF_CG_PRIVATE ".callgrind"

#define PF_CG_AS_READ "as_read"

#define PF_CG_THREAD "thread" /* key of the label and of the metadata */

enum { PF_CG_INSTR, PF_CG_LINE, PF_CG_SUBPOSITIONS };

enum { PF_CG_EVENTS = 256 };

/* What the next line of costs describes: a line, a call or a jump. */
enum pf_cg_mode { PF_CG_COSTS, PF_CG_CALL, PF_CG_JUMP };

/* `(id) name` defines an id, `(id)` refers to the name. Objects, files and functions have separate
 * ids (FORMAT.md, section 3). */
struct pf_cg_names {
    struct pf_table ids; /* uint64_t: id + 1 */
    uint32_t *strings;   /* by row of `ids` */
    size_t capacity;
};

struct pf_cg_place {
    uint64_t at[PF_CG_SUBPOSITIONS];
};

struct pf_cg_reader {
    bool flat; /* cachegrind: only lines, and a summary at the end */
    struct pf_cg_names objects, files, functions;
    struct pf_bytes line;
    bool held;               /* the line waits until the rows before it are sent */
    uint64_t offset, number; /* of the line */
    int status;

    uint8_t order[PF_CG_SUBPOSITIONS]; /* kinds of the subpositions */
    size_t order_count;
    uint32_t *definitions; /* strings behind `event:` */
    size_t definition_count, definition_capacity;
    uint32_t events;
    int64_t last_costs[PF_CG_EVENTS], costs[PF_CG_EVENTS];
    bool relative_costs; /* costs are relative to the costs before, like positions */
    bool has_jumps;

    uint32_t object, file, owner, function; /* strings; owner: the file of the function */
    /* ids of the dictionary: the image of the object, and the function in the current file; 0: not
     * made yet */
    uint32_t image, place;
    uint32_t callee_object, callee_file, callee;
    bool has_object, has_file, has_callee; /* of the next call or jump */
    struct pf_cg_place last, target;
    enum pf_cg_mode mode;
    /* calls or jumps; how often a conditional jump was reached, -1: not conditional */
    int64_t count, reached;
    int64_t inlined[PF_CG_EVENTS];
    bool inlined_any;

    uint32_t labels;
    struct pf_rows
        edge;  /* calls and jumps, filled along with the rows of lines; metadata come after edges */
    bool meta; /* metadata wait */

    pf_int128 sums[PF_CG_EVENTS];
    pf_int128 expected[PF_CG_EVENTS]; /* of the summary or the totals */
    bool has_summary, has_totals, ended, must_end;
    bool xdebug; /* Xdebug wrote the file: its summary counts more than its lines do */
};

int pf_cg_reader_open(struct pf_reader *);
int pf_cg_reader_read(struct pf_reader *, struct pf_batch *);
void pf_cg_reader_close(struct pf_reader *);

/* --- writer.c --------------------------------------------------------------------------------- */

struct pf_cg_group;

/* A part is written when the next part begins, or at the end. */
struct pf_cg_writer {
    uint32_t origin, cachegrind, private_origin; /* strings */
    uint32_t thread_key;
    struct pf_cg_header {
        uint32_t key, value;
    } * header; /* of the part */
    size_t header_count, header_capacity;
    struct pf_cg_group **groups; /* records of the part by thread */
    size_t group_count, group_capacity;
    uint32_t *measures; /* all measures, in order */
    size_t measure_count, measure_capacity;
    bool as_read; /* write files without a name as the input has them */
    bool written;
};

int pf_cg_writer_open(struct pf_writer *);
bool pf_cg_writer_holds_label(struct pf_writer *, const struct pf_label *);
int pf_cg_writer_write(struct pf_writer *, const struct pf_batch *);
/* Writes the current part; also the `finish` of the format. */
int pf_cg_write_part(struct pf_writer *);
void pf_cg_writer_close(struct pf_writer *);

#endif

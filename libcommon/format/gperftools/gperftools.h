/* Private to the format gperftools: profiles of gperftools, and of other programs that write the
 * same forms of text. */
#ifndef PF_FORMAT_GPERFTOOLS_GPERFTOOLS_H
#define PF_FORMAT_GPERFTOOLS_GPERFTOOLS_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/table.h"
#include "codec/text_reader.h"
#include "model/dict.h"
#include "model/labels.h"
#include "model/strings.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- records.c: mapped files ------------------------------------------------------------------ */

/* The mapped files behind a profile: lines as in /proc/PID/maps.
 *     START-LIMIT PERMISSIONS OFFSET DEVICE INODE FILE
 *     START-LIMIT: FILE (@OFFSET)
 * Lines with permissions count only if they are executable. After a line NAME=TEXT, $NAME stands
 * for TEXT; of several names that fit, the first defined one counts. */

/* Zero-initialise. */
struct pf_gperftools_maps {
    struct pf_gperftools_map {
        uint64_t start, limit, offset;
        uint32_t name;  /* string */
        uint32_t image; /* 0: not made yet */
    } * rows;
    size_t count, capacity;
    /* a tree of names: a row is the row of the name without its last byte, and that byte + 1 */
    struct pf_table names;
    struct pf_gperftools_substitute {
        uint32_t order; /* 1, 2, ...; 0: no name ends here */
        uint32_t text;  /* string */
    } * substitutes;    /* by row of `names` */
    size_t substitute_capacity;
    uint32_t substitute_count, known;
    uint64_t replaced; /* bytes that replaced names so far */
    struct pf_buffer line;
};

void pf_gperftools_maps_free(struct pf_gperftools_maps *);

/* Reads a line; `offset` is for messages. Skips a line of unknown form. PF_OK; PF_FAILED: the texts
 * of names are more than 16 MiB in all; PF_NOMEM. */
int pf_gperftools_maps_line(struct pf_gperftools_maps *, struct pf_dict *, struct pf_bytes line,
                            uint64_t offset, struct pf_error *);

/* Sorts the mapped files; call it after the last line. */
void pf_gperftools_maps_end(struct pf_gperftools_maps *);

/* Removes a hexadecimal number, with or without 0x, from the beginning. False: no number, or over
 * 64 bits. */
bool pf_gperftools_hex(struct pf_bytes *text, uint64_t *number);

/* --- records.c: names of addresses ------------------------------------------------------------ */

/* Names of addresses, from Go's comments and Java's table. An address has one location, or several
 * if calls are inlined. */

struct pf_gperftools_frame {
    uint32_t function; /* of the dictionary */
    int64_t line;
};

struct pf_gperftools_names {
    struct pf_table addresses;
    struct pf_gperftools_place {
        size_t first, count; /* frames, innermost first */
        size_t location;     /* its first location in `locations`; SIZE_MAX: not made yet */
        size_t locations;
    } * places; /* by id of address */
    size_t place_count, place_capacity;
    struct pf_gperftools_frame *frames;
    size_t frame_count, frame_capacity;
    uint32_t *locations;
    size_t location_count, location_capacity;
    bool numbers;          /* addresses are numbers of names, not addresses of the program */
    struct pf_table named; /* frames with a name in their line: address and function */
};

/* Keys from here on stand for frames with a name in their line: no program has code at such
 * addresses. */
#define PF_GPERFTOOLS_NAMED UINT64_C(0x8000000000000000)

static inline bool pf_gperftools_is_named(uint64_t key)
{
    return key >= PF_GPERFTOOLS_NAMED && key <= PF_GPERFTOOLS_NAMED + UINT32_MAX;
}

int pf_gperftools_names_init(struct pf_gperftools_names *);
void pf_gperftools_names_free(struct pf_gperftools_names *);

/* Sets the frames of an address, innermost first, unless it has frames. False: out of memory. */
bool pf_gperftools_names_set(struct pf_gperftools_names *, uint64_t address,
                             const struct pf_gperftools_frame *, size_t count);

/* The key of a frame with a name in its line, in place of its address (0: no address). 0: out of
 * memory. */
uint64_t pf_gperftools_names_key(struct pf_gperftools_names *, uint64_t address, uint32_t function);

/* The locations of an address, innermost first, at least one; valid until the next call. NULL: out
 * of memory. */
const uint32_t *pf_gperftools_names_get(struct pf_gperftools_names *, struct pf_dict *,
                                        struct pf_gperftools_maps *, uint64_t address,
                                        size_t *count);

/* --- records.c: records ----------------------------------------------------------------------- */

/* The records of a profile, with the values of equal stacks added up. They are held to the end,
 * because mapped files and names of addresses follow them. */

enum { PF_GPERFTOOLS_VALUES = 4 };

struct pf_gperftools_row {
    int64_t values[PF_GPERFTOOLS_VALUES];
    uint64_t times;  /* records of this stack in the file */
    uint64_t offset; /* of the first record */
};

struct pf_gperftools_rows {
    struct pf_strings keys; /* labels and addresses; row k has the id k + 1 */
    struct pf_gperftools_row *rows;
    size_t count, capacity;
    uint64_t records; /* in the file */
    struct pf_buffer key;
};

int pf_gperftools_rows_init(struct pf_gperftools_rows *);
void pf_gperftools_rows_free(struct pf_gperftools_rows *);

/* Adds a record: addresses leaf first, at most PF_STACK_DEPTH_MAX. PF_OVERFLOW names the offset of
 * the record. */
int pf_gperftools_rows_add(struct pf_gperftools_rows *, uint32_t labels, const uint64_t *addresses,
                           size_t depth, const int64_t values[PF_GPERFTOOLS_VALUES],
                           uint64_t offset, struct pf_error *);

/* The labels and addresses of row k. *addresses (unaligned) is valid until more rows are added. */
uint32_t pf_gperftools_rows_stack(const struct pf_gperftools_rows *, size_t k,
                                  const char **addresses, size_t *depth);

/* As in pprof, an address that comes second in most records belongs to a signal handler. Returns
 * the next such address, or 0; `removed` are the addresses known so far. */
uint64_t pf_gperftools_rows_handler(const struct pf_gperftools_rows *, const uint64_t *removed,
                                    size_t count, struct pf_error *);

/* Copies the addresses of a stack to `to`, without `removed` addresses after the leaf. Returns the
 * depth. */
size_t pf_gperftools_rows_strip(const char *addresses, size_t depth, const uint64_t *removed,
                                size_t count, uint64_t *to);

/* --- what a sample stands for ----------------------------------------------------------------- */

enum { PF_GPERFTOOLS_JAVA_PERIOD = 512 * 1024 };

/* How samples of a heap profile are scaled: one allocation in `period` bytes was sampled on
 * average; 0 or 1: all allocations were. */
struct pf_gperftools_scale {
    int64_t period;
    bool both; /* values for what was allocated and for what is in use */
    bool go;
    bool objects; /* only objects and their space: growth, fragmentation */
};

struct pf_gperftools_clock {
    /* cycles a second, 0: unknown; one in `period` contentions is counted */
    int64_t frequency, period;
    char resolution[32]; /* Java: the unit */
};

/* --- state ------------------------------------------------------------------------------------ */

enum { PF_GPERFTOOLS_HANDLERS = 2 }; /* most frames of a signal handler */

struct pf_gperftools {
    bool is_read;
    int status; /* result of reading the input */
    struct pf_gperftools_rows rows;
    struct pf_gperftools_maps maps;
    struct pf_gperftools_names names;

    uint32_t measures;
    bool twice;       /* the leaf may come twice */
    bool interrupted; /* after the leaf may come frames of a signal handler: */
    uint64_t handlers[PF_GPERFTOOLS_HANDLERS];
    size_t handler_count;

    size_t next;                        /* row to send next */
    uint64_t *addresses;                /* of the current record */
    struct pf_gperftools_frame *frames; /* of the current symbol */
    size_t address_capacity, frame_capacity;
};

/* The forms of text, by their first line. */
enum pf_gperftools_form {
    PF_GPERFTOOLS_NONE,
    PF_GPERFTOOLS_HEAP,
    PF_GPERFTOOLS_JEMALLOC,
    PF_GPERFTOOLS_COUNT, /* Go: counts of goroutines, threads and the like */
    PF_GPERFTOOLS_CONTENTION,
    PF_GPERFTOOLS_JAVA_HEAP,
    PF_GPERFTOOLS_THREADS,
    PF_GPERFTOOLS_DUMP /* Go: stacks of all goroutines */
};

/* An address that a record has `times` times in a row, from place `at` on. */
struct pf_gperftools_run {
    uint64_t address;
    size_t at, times;
};

/* The text that is being read: a line for each stack, with counts before an @ and addresses after
 * the @. */
struct pf_gperftools_text {
    struct pf_reader *reader;
    struct pf_gperftools *state;
    enum pf_gperftools_form form;
    bool java, split; /* split: jemalloc, records of threads instead of their sum */
    struct pf_gperftools_scale scale;
    struct pf_gperftools_clock clock;

    uint64_t offset; /* of the current line */
    struct pf_bytes line;
    bool memstats; /* the next comments are Go's MemStats */
    /* sum of the counts: as the first line says (-1: unknown), and so far */
    int64_t expected, seen;

    /* the current record; its comments follow its line */
    bool pending, known; /* known: for jemalloc, a stack line came */
    uint64_t pending_offset;
    uint32_t labels;
    struct pf_labels added; /* added to `labels` at the end of the record */
    int64_t values[PF_GPERFTOOLS_VALUES];
    uint64_t *addresses;
    size_t depth, capacity;
    struct pf_gperftools_run *runs;
    size_t run_capacity;
    uint64_t *comments;                 /* addresses that comments name */
    struct pf_gperftools_frame *frames; /* the frame of each comment */
    size_t comment_count, comment_capacity, frame_capacity;
    struct pf_buffer scratch;
};

/* --- lines.c ---------------------------------------------------------------------------------- */

/* Declares the next measure, values[k] of the records. Declare the main measure last. PF_OK or
 * PF_NOMEM. */
int pf_gperftools_measure(struct pf_reader *, struct pf_bytes name, const char *unit,
                          enum pf_nature, bool main);
/* The same for a text. */
int pf_gperftools_declare(struct pf_gperftools_text *, const char *name, const char *unit,
                          enum pf_nature, bool main);
/* Adds metadata. False: out of memory. */
bool pf_gperftools_meta(struct pf_reader *, const char *key, struct pf_bytes value);
bool pf_gperftools_meta_number(struct pf_reader *, const char *key, int64_t value);

/* Sets the error of a line: what was expected, and how the line begins. Returns PF_FAILED. */
int pf_gperftools_bad_line(struct pf_reader *, uint64_t offset, struct pf_bytes line,
                           const char *expected);
/* The same for the current line of a text. */
int pf_gperftools_expected(struct pf_gperftools_text *, const char *what);

/* True if the line begins the list of mapped files. */
bool pf_gperftools_begins_maps(struct pf_bytes line);
/* Reads the list of mapped files up to the end of the input. PF_EOF or a failure. */
int pf_gperftools_read_maps(struct pf_reader *);

/* Reads a line of Java's table, `0xNUMBER NAME (FILE:LINE)`. *known: it is such a line. False: out
 * of memory. */
bool pf_gperftools_java_line(struct pf_reader *, struct pf_bytes line, bool *known);
/* The function of a file; 0: out of memory. */
uint32_t pf_gperftools_function(struct pf_dict *, struct pf_bytes name, struct pf_bytes file);
/* Splits FILE:LINE. Returns the file; the line is 0 if there is no number. */
struct pf_bytes pf_gperftools_file_line(struct pf_bytes place, int64_t *line);

/* Rounds a number towards 0. The computation must be in double, as pprof's: another precision may
 * differ by one. False: over 64 bits. */
bool pf_gperftools_to_whole(double number, int64_t *whole);
/* Reads numbers from the beginning of the text by a pattern: d stands for a number, other
 * characters for themselves; blanks may come between. Removes what it read. False: the text has
 * another form. */
bool pf_gperftools_numbers(struct pf_bytes *text, const char *pattern, int64_t *numbers);
/* Adds the addresses in the rest of a line to the record. PF_OK, PF_FAILED or PF_NOMEM. */
int pf_gperftools_addresses(struct pf_gperftools_text *, struct pf_bytes rest);
/* Subtracts one from the addresses of callers, which are return addresses: the result lies within
 * the call. */
void pf_gperftools_step_back(struct pf_gperftools_text *);
void pf_gperftools_begin_record(struct pf_gperftools_text *);
/* Adds the current record, if there is one, and the names that its comments give. */
int pf_gperftools_end_record(struct pf_gperftools_text *);

/* --- the texts -------------------------------------------------------------------------------- */

/* cpu.c: bits of evidence in the bytes ahead. */
int pf_gperftools_cpu_bid(struct pf_source *);
/* Reads the whole input: PF_EOF or a failure. The records before a failure are in `rows`. */
int pf_gperftools_cpu_read(struct pf_reader *);

/* heap.c: first lines; values of a record (objects and bytes in use, then objects and bytes ever
 * allocated); lines of jemalloc. PF_OK or a failure. */
int pf_gperftools_heap_head(struct pf_gperftools_text *, struct pf_bytes line);
int pf_gperftools_heap_record(struct pf_gperftools_text *, const int64_t numbers[4]);
int pf_gperftools_jemalloc_head(struct pf_gperftools_text *, struct pf_bytes line);
int pf_gperftools_jemalloc_line(struct pf_gperftools_text *, struct pf_bytes line);

/* contention.c: lines NAME = VALUE before the records of contention and of Java's heap. */
int pf_gperftools_attribute(struct pf_gperftools_text *, struct pf_bytes line, const char *equals);
/* Declares the measures of contention and of Java's heap, after the last attribute. */
int pf_gperftools_end_attributes(struct pf_gperftools_text *);
/* Sets contentions and their delay in nanoseconds: cycles * period / (frequency / 10^9), cut to a
 * whole number, in double as pprof does. PF_OK or PF_OVERFLOW. */
int pf_gperftools_delay(const struct pf_gperftools_clock *, int64_t delay, int64_t count,
                        int64_t *values, uint64_t offset, struct pf_error *);
/* Reads stacks of all threads, as pf_gperftools_cpu_read. */
int pf_gperftools_threads_read(struct pf_reader *);

/* go.c: reads a comment of ?debug=1: a name of an address, labels, or metadata. */
int pf_gperftools_go_comment(struct pf_gperftools_text *, struct pf_bytes line);
/* True if a text with this first line is stacks of goroutines. */
bool pf_gperftools_dump_begins(struct pf_bytes line);
/* Reads stacks of all goroutines, as pf_gperftools_cpu_read. */
int pf_gperftools_dump_read(struct pf_reader *);

#endif

/* Private to the format gperftools: profiles of gperftools, and of other programs that write the
 * same forms of text (FORMAT.md). */
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
    uint32_t substitute_count;
    uint64_t replaced; /* bytes that replaced names so far */
    struct pf_buffer line;
};

void pf_gperftools_maps_free(struct pf_gperftools_maps *);

/* Reads a line as a mapped file; skips a line of another form. PF_OK; PF_FAILED: the texts of names
 * are more than 16 MiB in all; PF_NOMEM. */
int pf_gperftools_map_line(struct pf_reader *, struct pf_bytes line);
/* True if the line begins the list of mapped files: then the lines after it are read as such. */
bool pf_gperftools_begin_maps(struct pf_reader *, struct pf_bytes line);
/* Sorts the mapped files; call it after the last line. */
void pf_gperftools_maps_end(struct pf_gperftools_maps *);

/* --- records.c: names of addresses ------------------------------------------------------------ */

struct pf_gperftools_frame {
    uint32_t function; /* of the dictionary */
    int64_t line;
};

/* Names of addresses, from Go's comments and Java's table. An address has one location, or several
 * if calls are inlined. If memory runs out, the status of `addresses` is set. */
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
    struct pf_table named; /* frames with a name in their line: address, function and line */
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

/* Sets the frames of an address, innermost first, unless it has frames. */
void pf_gperftools_names_set(struct pf_gperftools_names *, uint64_t address,
                             const struct pf_gperftools_frame *, size_t count);

/* The key that replaces the address of a frame with a name in its line. `address` 0: the line has
 * no address. Returns 0 if out of memory. */
uint64_t pf_gperftools_names_key(struct pf_gperftools_names *, uint64_t address,
                                 struct pf_gperftools_frame);

/* The locations of an address, innermost first, at least one; valid until the next call. NULL: out
 * of memory. */
const uint32_t *pf_gperftools_names_get(struct pf_gperftools_names *, struct pf_dict *,
                                        struct pf_gperftools_maps *, uint64_t address,
                                        size_t *count);

/* --- records.c: records ----------------------------------------------------------------------- */

enum {
    PF_GPERFTOOLS_VALUES = 4,
    PF_GPERFTOOLS_HANDLERS = 2 /* most frames of a signal handler */
};

/* The record that is being read. */
struct pf_gperftools_record {
    bool open; /* the record has begun */
    uint64_t offset;
    uint32_t labels;
    int64_t values[PF_GPERFTOOLS_VALUES];
    uint64_t *addresses; /* leaf first: addresses, or keys of named frames */
    size_t depth, capacity;
};

/* The records of a profile, with the values of equal stacks added up. They are held to the end,
 * because mapped files and names of addresses follow them. */
struct pf_gperftools_rows {
    struct pf_strings keys; /* labels and addresses; row k has the id k + 1 */
    struct pf_gperftools_row {
        int64_t values[PF_GPERFTOOLS_VALUES];
        uint64_t times;  /* records of this stack in the file */
        uint64_t offset; /* of the first record */
    } * rows;
    size_t count, capacity;
    uint64_t records; /* in the file */
    struct pf_buffer key;
    bool twice;       /* a stack may repeat the leaf */
    bool interrupted; /* after the leaf may come frames of a signal handler: */
    uint64_t handlers[PF_GPERFTOOLS_HANDLERS];
    size_t handler_count;
    uint64_t *stack; /* of the last pf_gperftools_rows_get */
    size_t stack_capacity;
};

int pf_gperftools_rows_init(struct pf_gperftools_rows *);
void pf_gperftools_rows_free(struct pf_gperftools_rows *);

/* Adds an address to the current record. PF_OK; PF_FAILED: too many; PF_NOMEM. */
int pf_gperftools_push(struct pf_reader *, uint64_t address);
/* Begins a record at the current line, with the addresses that the caller adds. */
void pf_gperftools_begin_record(struct pf_reader *);
/* Adds the current record, if it is open. PF_OVERFLOW names the offset of the record. */
int pf_gperftools_end_record(struct pf_reader *);

/* Finds the frames of a signal handler, after the last record. As in pprof, an address that comes
 * second in most records belongs to a signal handler (FORMAT.md, section 1). PF_OK or PF_NOMEM. */
int pf_gperftools_rows_find_handlers(struct pf_gperftools_rows *);
/* The addresses of row k, leaf first, without frames of the profiler; valid until the next call.
 * NULL: out of memory. */
const uint64_t *pf_gperftools_rows_get(struct pf_gperftools_rows *, size_t k, uint32_t *labels,
                                       size_t *depth);

/* --- state ------------------------------------------------------------------------------------ */

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

/* texts.c: a text with a line for each stack, with counts before an @ and addresses after the @. */
struct pf_gperftools_text {
    enum pf_gperftools_form form;
    bool java, split; /* split: jemalloc, records of threads instead of their sum */
    /* heaps: one allocation in `period` bytes was sampled on average; 0 or 1: all allocations
     * were */
    int64_t period;
    bool both; /* heaps: values for allocated and for used memory */
    struct pf_gperftools_clock {
        /* cycles a second, 0: unknown; one in `period` contentions is counted */
        int64_t frequency, period;
        char resolution[32]; /* Java: the unit */
    } clock;
    bool memstats; /* the next comments are Go's MemStats */
    bool known;    /* jemalloc: a line of addresses came */
    /* the sums that the first lines state, and those of the records so far: objects and bytes in
     * use, objects and bytes allocated; or the count alone */
    int64_t expected[4], seen[4];
    unsigned totals; /* number of these sums that can be compared */

    /* comments follow the line of their record: */
    struct pf_labels added;             /* labels, for the end of the record */
    uint64_t *comments;                 /* addresses that comments name */
    struct pf_gperftools_frame *frames; /* the frame of each comment */
    size_t comment_count, comment_capacity, frame_capacity;
    struct pf_gperftools_run *runs;
    size_t run_capacity;
    struct pf_buffer scratch;
};

void pf_gperftools_text_free(struct pf_gperftools_text *);

struct pf_gperftools {
    bool is_read;
    int status; /* result of reading the input */
    struct pf_gperftools_maps maps;
    struct pf_gperftools_names names;
    struct pf_gperftools_rows rows;
    size_t next; /* row to send next */

    /* the current line, and the functions that read this part of the input: `read_line`
     * returns PF_OK or a failure; `end` (may be NULL) ends the current record after the last line,
     * with PF_EOF or the failure that ended the input */
    uint64_t offset;
    struct pf_bytes line;
    int (*read_line)(struct pf_reader *, struct pf_bytes line);
    int (*end)(struct pf_reader *, int status);
    struct pf_gperftools_record record;

    struct pf_gperftools_text text;
    struct pf_gperftools_frame *frames; /* of a symbol */
    size_t frame_capacity;
    bool same_stack;       /* threads: a thread has begun, with the frames of the thread before */
    struct pf_buffer name; /* goroutines: of a frame whose file and line are in the next line */
};

/* --- records.c: declarations and pieces of lines ---------------------------------------------- */

/* Declares the next measure, values[k] of the records. Declare the main measure last. If memory
 * runs out, the status of the dictionary is set; the same for metadata and functions. */
void pf_gperftools_measure(struct pf_reader *, struct pf_bytes name, const char *unit,
                           enum pf_nature, bool main);
void pf_gperftools_meta(struct pf_reader *, const char *key, struct pf_bytes value);
void pf_gperftools_meta_number(struct pf_reader *, const char *key, int64_t value);
/* Adds the function with this name and file (empty: unknown) to the dictionary. */
uint32_t pf_gperftools_function(struct pf_dict *, struct pf_bytes name, struct pf_bytes file);

/* Sets the error of the current line: what was expected, and how the line begins. Returns
 * PF_FAILED. */
int pf_gperftools_expected(struct pf_reader *, const char *what);

/* Removes a hexadecimal number, with or without 0x, from the beginning. False: no number, or over
 * 64 bits. */
bool pf_gperftools_hex(struct pf_bytes *text, uint64_t *number);
/* Reads numbers from the beginning of the text by a pattern: d stands for a number, other
 * characters for themselves; blanks may come between. Removes what it read. False: the text has
 * another form. */
bool pf_gperftools_numbers(struct pf_bytes *text, const char *pattern, int64_t *numbers);
/* Splits FILE:LINE. Returns the file; without a number the line is 0. */
struct pf_bytes pf_gperftools_file_line(struct pf_bytes place, int64_t *line);
/* Removes +0xOFFSET and what follows from the end of a name; the last such offset counts. */
struct pf_bytes pf_gperftools_without_offset(struct pf_bytes name);
/* Reads a line of Java's table, `0xNUMBER NAME (FILE:LINE)`. False: another line. */
bool pf_gperftools_java_line(struct pf_reader *, struct pf_bytes line);

/* --- the parts of an input -------------------------------------------------------------------- */

/* cpu.c: bits of evidence in the bytes ahead. */
int pf_gperftools_cpu_bid(struct pf_source *);
/* Reads the records, up to the text that follows: PF_OK, or a failure. */
int pf_gperftools_cpu_read(struct pf_reader *);

/* The next three begin a text with its first line: PF_OK or a failure. */
/* texts.c. `name`: for a count its name. */
int pf_gperftools_begin_text(struct pf_reader *, enum pf_gperftools_form, struct pf_bytes line,
                             struct pf_bytes name);
/* stacks.c: stacks of all threads; of all goroutines: */
int pf_gperftools_begin_threads(struct pf_reader *, struct pf_bytes line);
int pf_gperftools_begin_dump(struct pf_reader *, struct pf_bytes line);
/* True if a text with this first line is stacks of goroutines. */
bool pf_gperftools_is_dump(struct pf_bytes line);

#endif

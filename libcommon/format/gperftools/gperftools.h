/* The profiles of gperftools and of what followed it: what the readers of their forms share. */
#ifndef PF_FORMAT_GPERFTOOLS_GPERFTOOLS_H
#define PF_FORMAT_GPERFTOOLS_GPERFTOOLS_H

#include "codec/format.h"
#include "format/gperftools/maps.h"
#include "format/gperftools/names.h"
#include "format/gperftools/rows.h"
#include "model/metadata.h"
#include "model/stacks.h"

#include <stdbool.h>
#include <stdint.h>

enum { PF_GPERFTOOLS_HANDLERS = 2 }; /* frames of a signal's handler, at most */

struct pf_gperftools {
    bool (*step)(struct pf_reader *, struct pf_batch *); /* what is given next */
    int status;                                          /* what follows the records */
    struct pf_gperftools_rows rows;
    struct pf_gperftools_maps maps;
    struct pf_gperftools_names names;
    struct pf_metadata meta;

    struct pf_value_column columns[PF_GPERFTOOLS_VALUES];
    uint32_t measures;
    bool twice;           /* the leaf may stand twice */
    bool interrupted;     /* behind the leaf there may be frames of a signal's handler: */
    uint64_t handlers[PF_GPERFTOOLS_HANDLERS];
    size_t handler_count;

    size_t next;          /* row to be given */
    struct pf_stack_memo *memo;
    uint64_t *addresses;  /* of a record */
    uint32_t *locations;
    struct pf_gperftools_frame *frames; /* of a symbol */
    size_t address_capacity, location_capacity, frame_capacity;
    uint32_t stacks[PF_BATCH_ROWS], labels[PF_BATCH_ROWS];
    int64_t values[PF_GPERFTOOLS_VALUES][PF_BATCH_ROWS];
};

/* The next measure: what values[k] of the records is. The last one is the main one; `num` base units make a raw unit. */
int pf_gperftools_measure(struct pf_reader *, struct pf_bytes name, const char *unit, enum pf_nature, bool main);
bool pf_gperftools_meta(struct pf_reader *, const char *key, struct pf_bytes value);
bool pf_gperftools_meta_number(struct pf_reader *, const char *key, int64_t value);

/* Evidence in the bytes ahead, in bits. */
int pf_gperftools_cpu_bid(struct pf_source *);
int pf_gperftools_text_bid(struct pf_source *);
/* All of the input: PF_EOF or a failure; what came before it is in `rows`. */
int pf_gperftools_cpu_read(struct pf_reader *);
int pf_gperftools_text_read(struct pf_reader *);
int pf_gperftools_dump_read(struct pf_reader *);
int pf_gperftools_threads_read(struct pf_reader *);
/* Whether a first line is one of a dump. */
bool pf_gperftools_dump_begins(struct pf_bytes line);

/* A failure at a line: what was expected, and the first characters of what was found. */
int pf_gperftools_bad_line(struct pf_reader *, uint64_t offset, struct pf_bytes line, const char *expected);
/* Whether the mapped files follow a line, and reads them up to the end of the input. */
bool pf_gperftools_begins_maps(struct pf_bytes line);
int pf_gperftools_read_maps(struct pf_reader *);

/* A line of Java's table, `0xNUMBER NAME (FILE:LINE)`: *known tells whether it is one. False: out of memory. */
bool pf_gperftools_java_line(struct pf_reader *, struct pf_bytes line, bool *known);
/* Function and line of a file; the id 0 when memory ran out. */
uint32_t pf_gperftools_function(struct pf_dict *, struct pf_bytes name, struct pf_bytes file);
/* Cuts FILE:LINE; without a number the line is 0. */
struct pf_bytes pf_gperftools_file_line(struct pf_bytes place, int64_t *line);

#endif

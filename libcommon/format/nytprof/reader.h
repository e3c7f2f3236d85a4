/* The reader of NYTProf streams. Statements, calls and callers are summed by what they are about and given once at the end, when
 * the subs' places are known; metadata and source texts are given as they come. Metadata behind the first statement or call are
 * given behind the sums of these, but for file numbers, which the source texts need. */
#ifndef PF_FORMAT_NYTPROF_READER_H
#define PF_FORMAT_NYTPROF_READER_H

#include "codec/format.h"
#include "format/nytprof/edges.h"
#include "format/nytprof/lines.h"
#include "format/nytprof/meta.h"
#include "format/nytprof/places.h"
#include "format/nytprof/tree.h"
#include "format/nytprof/wire.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PF_NYT_TEXTS = 256, PF_NYT_EPOCHS = 16, PF_NYT_COLUMNS = 5 };

/* Statements and calls while one length of tick holds. */
struct pf_nyt_epoch {
    struct pf_nyt_clock clock;
    struct pf_nyt_lines lines;
    struct pf_nyt_tree tree;
};

enum pf_nyt_phase {
    PF_NYT_DECLARE,
    PF_NYT_PARSE,
    PF_NYT_GIVE_LINES,
    PF_NYT_GIVE_BLOCKS,
    PF_NYT_GIVE_BLOCK_TIMES,
    PF_NYT_GIVE_STACKS,
    PF_NYT_GIVE_BEFORE_EDGES,
    PF_NYT_GIVE_EDGES,
    PF_NYT_GIVE_REST,
    PF_NYT_DONE
};

/* What is being given, and how far that is. */
struct pf_nyt_giver {
    enum pf_nyt_phase phase;
    size_t epoch, next;
    struct pf_nyt_line *rows;   /* FLAT: what is given; owned where `owned` */
    struct pf_nyt_line *owned;
    uint32_t *locations;        /* of each of the rows */
    size_t row_count;
    struct pf_nyt_step {
        uint32_t node, stack;   /* to be visited, and the stack of its caller */
        bool alone;             /* not the siblings behind it, which were */
    } *steps;
    size_t step_count, step_capacity;
    struct pf_value_column values[PF_NYT_COLUMNS];
    uint32_t first[PF_BATCH_ROWS], second[PF_BATCH_ROWS], labels[PF_BATCH_ROWS];
    int64_t numbers[PF_NYT_COLUMNS][PF_BATCH_ROWS];
};

struct pf_nyt_reader {
    struct pf_source *source;    /* of the records: the file, or what is inflated of it */
    struct pf_nyt_nv nv;
    struct pf_nyt_clock clock;
    struct pf_nyt_places places;
    struct pf_nyt_edges edges;
    struct pf_nyt_epoch *epochs;
    size_t epoch_count, epoch;
    unsigned count;              /* 0: the next statement is discounted */
    uint64_t discounts;
    bool eventful;               /* there were statements or calls */
    bool called;                 /* and callers: `before_edges` held rows come before them */
    bool odd_line;               /* a line without `=` was warned of */
    size_t before_edges;
    uint64_t started, ended;     /* processes */
    struct pf_nyt_metas ready, held;
    struct pf_text texts[PF_NYT_TEXTS];
    size_t text_count;
    bool texted;                 /* source texts were given, of the file `text_fid` if its name does not tell */
    uint32_t text_fid;
    uint32_t attribute_origin, option_origin, comment_origin, private_origin, comment_key;
    uint32_t stmts, block_key, sub_key;
    int result;                  /* what follows all that is given; an error stands in `error` */
    struct pf_error error;
    struct pf_nyt_giver giver;
};

int pf_nyt_open_reader(struct pf_reader *);
int pf_nyt_read(struct pf_reader *, struct pf_batch *);
void pf_nyt_close_reader(struct pf_reader *);

/* Reads on until there is metadata or text to be given; the giver's phase is no more PARSE at the end. PF_OK or PF_NOMEM. */
int pf_nyt_parse(struct pf_reader *, struct pf_nyt_reader *);

#endif

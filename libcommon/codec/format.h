/* The interface of formats: one const struct for each format in stream/, format/ and render/,
 * listed in formats.def. */
#ifndef PF_CODEC_FORMAT_H
#define PF_CODEC_FORMAT_H

#include "base/error.h"
#include "codec/left_out.h"
#include "codec/merging.h"
#include "codec/options.h"
#include "codec/shared.h"
#include "io/sink.h"
#include "io/source.h"
#include "model/batch.h"
#include "model/dict.h"
#include "model/replicates.h"
#include "model/rows.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pf_caps {
    PF_HOLDS_SAMPLE = 1 << PF_SAMPLE,
    PF_HOLDS_FLAT = 1 << PF_FLAT,
    PF_HOLDS_EDGE = 1 << PF_EDGE,
    PF_IS_TEXT = 1 << 8, /* its output may go to a terminal */
    /* reads and writes without holding a whole input; a live pipe gets partial output */
    PF_IS_STREAM = 1 << 9,
    PF_HOLDS_FAILURE = 1 << 10, /* can record in its output that an input failed */
    PF_IS_VIEW = 1 << 11,       /* written for people and notebooks, not read back */
    /* compresses its output itself with -z; the output of other formats goes through gzip */
    PF_COMPRESSES = 1 << 12,
    /* holds the values before and after of a difference side by side */
    PF_HOLDS_DIFFERENCE = 1 << 13,
    /* its output is gzip already: a file name that ends in .gz adds no compression */
    PF_IS_GZIP = 1 << 14,
    /* reads text forms too, although its output is binary; refuses UTF-8's mark before binary
     * forms itself */
    PF_READS_TEXT = 1 << 15,
    /* its reader returns the metadata `source_format`: the original format of the records */
    PF_TELLS_SOURCE = 1 << 16,
    /* the writer also gets records of kinds it cannot hold, and may draw their sums */
    PF_SUMS_ALL = 1 << 17,
    /* the costs of functions are more exact from its calls than from its stacks, and calls and
     * lines together give the time outside of all functions (NYTProf) */
    PF_CALLS_TELL = 1 << 18,
    /* holds records that count runs (model/replicates.h) */
    PF_HOLDS_RUNS = 1 << 19,
    /* its reader returns the source texts of an input before the records */
    PF_TEXTS_FIRST = 1 << 20,
    /* shows the verdicts of a difference, if the owner of the writer has them */
    PF_SHOWS_VERDICTS = 1 << 21,
    /* its reader returns the metadata after the records, without their places */
    PF_METADATA_LAST = 1 << 22,
    /* a file can hold several profiles, each with the metadata of its own inputs; files joined with
     * `cat` are a file */
    PF_HOLDS_PROFILES = 1 << 23
};

/* How folded stacks spell names: as the script of FlameGraph for this input does,
 * stackcollapse-perf.pl, stackcollapse.pl (DTrace), stackcollapse-bpftrace.pl. The command of a
 * sample, or the other parts of its key, becomes the outermost frame. */
enum pf_folded_style { PF_FOLDED_PLAIN, PF_FOLDED_PERF, PF_FOLDED_DTRACE, PF_FOLDED_BPFTRACE };

struct pf_reader {
    const struct pf_format *format;
    struct pf_source *source; /* borrowed */
    /* borrowed: the dictionary of the batches' ids, which may already have rows of other inputs */
    struct pf_dict *dict;
    const struct pf_options *options; /* borrowed, never NULL */
    /* borrowed: state shared by the inputs of one run; NULL: none */
    struct pf_shared *shared;
    struct pf_report report;
    const char *name; /* the operand, for formats that use the file name; never NULL */
    /* set by the owner: damage becomes a warning and ends the input */
    bool salvage;
    /* set by the owner: read the times of records, even if the format does so on request only */
    bool times;
    /* set by the owner: read the lines that were executed, even if the format does so on request
     * only */
    bool lines;
    /* set by the owner: addresses count from the start of their image, so the reader may return an
     * image as mapped where the dictionary has it */
    bool relocate;
    /* set by the owner: return short batches instead of waiting for a slow producer */
    bool flush;
    struct pf_error error; /* the message of a negative result */
    int status;            /* the last result of read; failures stay */
    /* name of an unusual form of the format, for --probe; set by the format; NULL: the usual
     * form */
    const char *variant;
    /* set by the format, with a warning: the records do not add up to a total that the profile
     * states, so some may be missing */
    bool disputed;
    uint64_t records;    /* SAMPLE, FLAT and EDGE rows returned so far */
    struct pf_rows rows; /* for the format's `step`; the codec initialises and frees them */
    int (*step)(struct pf_reader *); /* the format's `step`, unless open_reader sets another */
    int step_status;                 /* the last result of `step` */
    void *state;                     /* reader_size bytes, zeroed */
};

struct pf_verdicts;

struct pf_writer {
    const struct pf_format *format;
    struct pf_sink *sink; /* borrowed */
    /* borrowed: the dictionary of the batches; a writer may intern strings */
    struct pf_dict *dict;
    const struct pf_options *options; /* borrowed, never NULL */
    struct pf_report report;
    /* facts for self-describing documents; may be NULL */
    const struct pf_document *document;
    int compression; /* -1: the format's default; 0: plain; 1..9 */
    bool force;
    /* clamp counts that overflow, with a warning, instead of refusing them */
    bool saturate;
    /* for a format with PF_SHOWS_VERDICTS: analysis/diff/verdicts.h; borrowed; NULL: none */
    const struct pf_verdicts *verdicts;
    /* set before `finish`: an input failed, so the output is incomplete */
    bool failed_input;
    struct pf_left_out left_out;
    struct pf_replicates replicates; /* for a format without PF_HOLDS_RUNS */
    /* set by the owner: collects what several files leave out, and the owner warns; borrowed. NULL:
     * the writer warns. The names are strings of dict_of_all, also borrowed */
    struct pf_left_out *left_out_of_all;
    struct pf_dict *dict_of_all;
    /* for a format with room for few measures: the measures it wrote; valid after `finish` */
    struct pf_held_measures measures;
    struct pf_error error;
    void *state; /* writer_size bytes, zeroed */
};

/* Facts for the `meta` object of JSON documents. */
struct pf_document {
    const char *tool;
    const char *const *inputs; /* NULL-terminated: the operands */
};

/* In a bid: the format is certain. Other formats are not asked, because they might wait for more
 * bytes of a live pipe. */
enum { PF_SURE = 1 << 16 };

/* The place of a file in a series that must be read in order (StatProfiler's ordinals). */
struct pf_series {
    char key[64];    /* equal for all files of a series */
    char parent[64]; /* key of the series whose process started this one; "" = none */
    uint64_t ordinal;
};

struct pf_format {
    const char *name;
    const char *about;    /* one line for --formats */
    const char *suffixes; /* suffixes of -o FILE, separated by blanks: ".pb.gz .pprof"; or NULL */
    /* data that the format cannot hold, for --formats -v; NULL: nothing is lost */
    const char *losses;
    unsigned caps;
    enum pf_folded_style folded;      /* how folded stacks spell the frames of this format */
    const struct pf_option *options;  /* ends with a NULL name; NULL: none */
    const struct pf_merging *merging; /* NULL: public metadata once, no private metadata */

    /* Reading; bid NULL: the format is not read. */

    /* Bits of evidence in the next bytes (a 4-byte magic is 32), 0 for none; with PF_SURE if no
     * other format begins so. Peeks, never consumes. `path` only breaks ties. */
    int (*bid)(struct pf_source *, const char *path);
    /* PF_OK and *series if the input belongs to a series, else PF_EOF. Peeks only. May be NULL. */
    int (*series)(struct pf_source *, struct pf_series *series);
    size_t reader_size;
    int (*open_reader)(struct pf_reader *);
    /* Adds rows to reader->rows: PF_OK, PF_EOF, or a negative code with reader->error set. */
    int (*step)(struct pf_reader *);
    /* PF_OK and a batch, PF_EOF, or a negative code with reader->error set. All records before
     * the damage are returned before the code. Not called again after PF_EOF or an error. The
     * first batch of a profile, with or without rows, has value columns for all measures known
     * so far: this declares the measures, so that a profile without records keeps them. NULL:
     * pf_rows_read, which calls `step`. */
    int (*read)(struct pf_reader *, struct pf_batch *);
    /* frees the memory of the state; called once, also if open failed; may be NULL */
    void (*close_reader)(struct pf_reader *);
    /* Copies an input unchanged, with the same checks as reading it, if the output has the same
     * format and no option changes the records. Called at the first byte of the input. NULL: the
     * format is always copied through records. A failure of the input is in `error`, and the
     * output is then recognizably incomplete; a failure of the sink is in the sink's status.
     * Formats with PF_HOLDS_PROFILES may be copied one after the other and with `salvage`, others
     * not. *records: the number of copied records. */
    int (*copy)(struct pf_source *, struct pf_sink *, const struct pf_report *, bool salvage,
                uint64_t *records, struct pf_error *error);

    /* Writing; write NULL: the format is not written. */
    size_t writer_size;
    int (*open_writer)(struct pf_writer *);
    /* True if the format can hold a label, whatever else is in its set. A warning at the end
     * names the other labels. NULL: the format holds all labels, or the writer warns itself, or
     * the format is a view. */
    bool (*holds_label)(struct pf_writer *, const struct pf_label *);
    int (*write)(struct pf_writer *, const struct pf_batch *);
    /* Writes out everything that waits, if the sink is live; NULL: nothing waits. */
    int (*flush)(struct pf_writer *);
    /* writes everything to the sink; not called after a failure */
    int (*finish)(struct pf_writer *);
    void (*close_writer)(struct pf_writer *);
};

/* Calls reader->step until a batch of reader->rows is ready, and gives the batch. Rows that were
 * added before a failure are given before the failure is returned. With reader->flush it gives a
 * short batch instead of waiting for a slow producer. PF_OK, PF_EOF, or a failure. */
int pf_rows_read(struct pf_reader *, struct pf_batch *);

#endif

/* What a format is: one const struct per file in stream/, format/ and render/, named once in
 * formats.def. */
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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pf_caps {
    PF_HOLDS_SAMPLE = 1 << PF_SAMPLE,
    PF_HOLDS_FLAT = 1 << PF_FLAT,
    PF_HOLDS_EDGE = 1 << PF_EDGE,
    PF_IS_TEXT = 1 << 8, /* may go to a terminal */
    /* reads and writes without holding a whole input; a live pipe gets partial output */
    PF_IS_STREAM = 1 << 9,
    PF_HOLDS_FAILURE = 1 << 10,    /* can say in its own bytes that an input failed */
    PF_IS_VIEW = 1 << 11,          /* written for people and notebooks, never read back */
    PF_COMPRESSES = 1 << 12,       /* takes -z itself; the output of others passes through gzip */
    PF_HOLDS_DIFFERENCE = 1 << 13, /* what was before and what after, beside each other */
    PF_IS_GZIP = 1 << 14, /* its own bytes are gzip: a name that ends in .gz asks for no more */
    /* what it reads may be text, although what it writes is not; refuses UTF-8's mark itself where
     * it is none */
    PF_READS_TEXT = 1 << 15,
    /* its reader gives the metadata `source_format`: what the records were before */
    PF_TELLS_SOURCE = 1 << 16,
    /* is given records of kinds it does not hold too, and may draw sums of them */
    PF_SUMS_ALL = 1 << 17,
    PF_CALLS_TELL =
        1 << 18 /* the calls that it reads tell better what functions cost than its stacks do, and
                 * with its lines the time outside of all functions (NYTProf) */
};

/* FlameGraph's script whose names are written: stackcollapse-perf.pl, stackcollapse.pl (DTrace),
 * stackcollapse-bpftrace.pl. The command of a sample, or the other parts of its key, become the
 * outermost frame. */
enum pf_folded_style { PF_FOLDED_PLAIN, PF_FOLDED_PERF, PF_FOLDED_DTRACE, PF_FOLDED_BPFTRACE };

struct pf_reader {
    const struct pf_format *format;
    struct pf_source *source; /* borrowed */
    /* borrowed: where ids come from; may hold other inputs' rows already */
    struct pf_dict *dict;
    const struct pf_options *options; /* borrowed, never NULL */
    /* borrowed: what inputs of one run tell each other; NULL: nothing */
    struct pf_shared *shared;
    struct pf_report report;
    const char *name; /* the operand, for formats that look at names; never NULL */
    /* what is damaged is reported and ends the input, nothing more */
    bool salvage;
    /* set by the owner: times of records are wanted, also where they are kept on request only */
    bool times;
    bool relocate; /* the owner counts addresses from the start of their image: one that was met
                    * before, mapped elsewhere, may be given as if it were mapped there again */
    /* set by the owner: give short batches rather than wait for a slow producer */
    bool flush;
    struct pf_error error; /* text of a negative result */
    int status;            /* sticky result of read */
    /* a form of the format other than the usual, for --probe; set by the format; NULL: none */
    const char *variant;
    uint64_t records; /* SAMPLE, FLAT and EDGE rows given so far */
    void *state;      /* reader_size bytes, zeroed */
};

struct pf_writer {
    const struct pf_format *format;
    struct pf_sink *sink; /* borrowed */
    /* borrowed: ids of the batches; a writer may intern strings of its own */
    struct pf_dict *dict;
    const struct pf_options *options; /* borrowed, never NULL */
    struct pf_report report;
    /* what a self-describing document says of itself; may be NULL */
    const struct pf_document *document;
    int compression; /* -1: the format's custom; 0: plain; 1..9 */
    bool force;
    /* counts that do not fit are clamped, with a warning, instead of refused */
    bool saturate;
    /* set before finish: an input failed, what was written is incomplete */
    bool failed_input;
    uint64_t held[PF_RECORD_KINDS]; /* records of the kinds that the format holds */
    struct pf_left_out left_out;
    /* those written, of a format with room for few; known after finish */
    struct pf_held_measures measures;
    struct pf_error error;
    void *state; /* writer_size bytes, zeroed */
};

/* Facts for the `meta` object of JSON documents. */
struct pf_document {
    const char *tool;
    const char *const *inputs; /* NULL-terminated: the operands */
};

/* In a bid: no other format need be asked, which might want to look at more bytes than a live pipe
 * has so far. */
enum { PF_SURE = 1 << 16 };

/* The place of a file in a series that must be read in order (StatProfiler's ordinals). */
struct pf_series {
    char key[64];    /* equal for the files of one series */
    char parent[64]; /* key of the series whose process started this one; "" = none */
    uint64_t ordinal;
};

struct pf_format {
    const char *name;
    const char *about;    /* one line for --formats */
    const char *suffixes; /* of -o FILE: ".pb.gz .pprof", or NULL */
    const char *losses;   /* what it cannot hold, for --formats -v; NULL: nothing is lost */
    unsigned caps;
    enum pf_folded_style folded;      /* how folded stacks spell the frames that it reads */
    const struct pf_option *options;  /* ends with a NULL name; NULL: none */
    const struct pf_merging *merging; /* NULL: public metadata once, private ones never */

    /* Reading; bid NULL: the format is not read. */

    /* Bits of evidence in the bytes ahead (a 4-byte magic is 32), 0 for none; with PF_SURE where
     * nothing else begins so. Peeks, never takes. `path` breaks ties only. */
    int (*bid)(struct pf_source *, const char *path);
    /* PF_OK and *series filled when the input is one of a series; PF_EOF when not. Peeks only. May
     * be NULL. */
    int (*series)(struct pf_source *, struct pf_series *series);
    size_t reader_size;
    int (*open_reader)(struct pf_reader *);
    /* PF_OK and a batch, PF_EOF, or a negative code with reader->error set. All records before the
     * damage are given before the code is. Called no more after PF_EOF or an error. The first batch
     * of a profile has no rows (or some) and value columns for all measures known so far: it
     * declares them, so that a profile without records keeps them. */
    int (*read)(struct pf_reader *, struct pf_batch *);
    /* frees what state points to; called once, also when open failed */
    void (*close_reader)(struct pf_reader *);
    /* Checks an input whose first byte is ahead as reading it would, and passes its bytes on as
     * they are, for an output of the same format with nothing about it asked to differ. NULL:
     * through records only. A failure of the input is in `error`, and what was written can then not
     * be taken for whole; a failure of the sink is its status. Formats with PF_HOLDS_FAILURE may be
     * copied one behind the other and with `salvage`, others not. *records: how many passed. */
    int (*copy)(struct pf_source *, struct pf_sink *, const struct pf_report *, bool salvage,
                uint64_t *records, struct pf_error *error);

    /* Writing; write NULL: the format is not written. */
    size_t writer_size;
    int (*open_writer)(struct pf_writer *);
    /* Whether a label of records has a place, whatever else is in its set; those without are told
     * of at the end. NULL: all have, or the writer tells of them itself, or it is a view. */
    bool (*holds_label)(struct pf_writer *, const struct pf_label *);
    int (*write)(struct pf_writer *, const struct pf_batch *);
    /* everything is out to the sink; not called after a failure */
    int (*finish)(struct pf_writer *);
    void (*close_writer)(struct pf_writer *);
};

#endif

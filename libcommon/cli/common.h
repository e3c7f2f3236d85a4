/* The options all programs share (tools/common.ggo), checked and in one struct. */
#ifndef PF_CLI_COMMON_H
#define PF_CLI_COMMON_H

#include "analysis/names/key.h"
#include "analysis/sum/units.h"
#include "cli/settings.h"
#include "codec/format.h"
#include "model/measure.h"
#include "render/table/look.h"

struct pf_common {
    struct pf_tool tool;
    const struct pf_format *from, *to; /* NULL: find out; the custom */
    struct pf_options from_options, to_options;
    const char *output;    /* NULL: standard output */
    const char **measures; /* names as given with -m; owned */
    unsigned measure_count;
    int compression;    /* -1: the format's custom */
    size_t threads;     /* that read inputs ahead; 1: none does */
    uint64_t max_input; /* decompressed bytes of one input */
    bool recursive, canonical;
    bool sync;     /* wait until the output is on the disk */
    bool saturate; /* the program's own: writers clamp what does not fit */
    /* readers may tell an image mapped elsewhere as one met before (codec/format.h) */
    bool relocate;
    /* hashes of the first warnings of outputs: what many files have in common is said once */
    uint64_t told[16];
    unsigned told_count;
    const char *files0_from;      /* NULL: none */
    const struct pf_given *given; /* all options of the program */
    char *const *operands;
    unsigned operand_count;
    /* the program sets it before the start: -t may name its own tables */
    bool views;
    /* with views: -t, or the format that the suffix of -o names; NULL: neither */
    const char *to_text;
};

/* First thing in main: starts the tool and reads the command line. The struct is zero but for
 * `views`. Prints --help, --version and --formats and exits for them; exits 2 with a message for
 * anything wrong. With `views` -t is left to the program: `to` stays NULL. */
void pf_common_start(struct pf_common *, struct pf_command, int argc, char **argv);
/* Last thing in main: frees, and returns the exit status. */
int pf_common_end(struct pf_common *);
/* -t of a program with views, where it names a format after all: sets `to` and its options, or
 * exits 2. */
void pf_common_to(struct pf_common *, const char *text);

/* pf_source_open, with the limit of --max-input. */
int pf_common_open_source(const struct pf_common *, struct pf_source **, const char *path,
                          struct pf_error *);

/* Whether -m asks for this measure: its name, or KIND:NAME, is one of those given, or none is.
 * *which (may be NULL) is the number of the one that matched. */
bool pf_common_wants(const struct pf_common *, const struct pf_dict *, uint32_t measure,
                     unsigned *which);

/* The options of tables that proftop and profdiff share: which rows, how many, in what unit. */
struct pf_row_settings {
    int64_t limit; /* -1: not given */
    double min_percent;
    const char *by;    /* NULL: not given */
    enum pf_kind kind; /* PF_RECORD_KINDS: not given */
    enum pf_unit unit;
    bool cum;
};

/* Reads these options. Exits 2 with a message for a bad argument. */
void pf_row_settings_read(struct pf_row_settings *, struct pf_common *);
/* --by, with the key of a label in `label`; without --by a function. Exits 2 for another word. */
enum pf_by pf_row_settings_by(const struct pf_row_settings *, struct pf_common *, struct pf_dict *,
                              uint32_t *label);
/* Sets how tables look on look->sink: color, utf8, group and terminal. */
void pf_common_look(const struct pf_common *, struct pf_look *);
/* --limit, else for text as many rows as the terminal has lines behind `others`, and 20 without a
 * terminal; for other forms all. */
size_t pf_row_settings_limit(const struct pf_row_settings *, const struct pf_sink *, bool text,
                             unsigned others);

#endif

/* The options that all programs share (tools/common.ggo), checked, in one struct. */
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
    const struct pf_format *from, *to; /* NULL: detect; default */
    struct pf_options from_options, to_options;
    const char *output;    /* NULL: standard output */
    const char **measures; /* the arguments of -m; owned */
    unsigned measure_count;
    int compression;    /* -1: the format's default */
    size_t threads;     /* threads that read inputs ahead; 1: none */
    uint64_t max_input; /* decompressed bytes of one input */
    bool recursive, canonical;
    bool sync;     /* wait until the output is on the disk */
    bool saturate; /* set by the program: writers clamp values that overflow */
    enum pf_evals_choice evals;
    const char *files0_from;      /* NULL: none */
    const struct pf_given *given; /* all options of the program */
    char *const *operands;
    unsigned operand_count;
    /* set by the program before the start: -t may name its own tables */
    bool views;
    /* -t, or the format that the suffix of -o names; NULL: neither */
    const char *to_text;
    bool redirected; /* standard output was checked (cli/redirect.h) */
};

/* Call first in main: starts the tool and reads the command line. All fields except `views` must
 * be zero. Handles --help, --version and --formats and exits; exits 2 with a message for a wrong
 * command line. With `views` the program handles -t: `to` stays NULL. */
void pf_common_start(struct pf_common *, struct pf_command, int argc, char **argv);
/* Call last in main: frees, and returns the exit status. */
int pf_common_end(struct pf_common *);
/* For a program with views whose -t names a format: sets `to` and its options, or exits 2. */
void pf_common_to(struct pf_common *, const char *text);

/* pf_source_open, with the limit of --max-input. */
int pf_common_open_source(const struct pf_common *, struct pf_source **, const char *path,
                          struct pf_error *);

/* True if -m selects this measure: an argument is its name or KIND:NAME, or -m is not given. *which
 * (may be NULL) is the number of the matching argument. */
bool pf_common_wants(const struct pf_common *, const struct pf_dict *, uint32_t measure,
                     unsigned *which);

/* The options of tables that proftop and profdiff share: rows, limits, units. */
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
/* The value of --by, with the key of a label in `label`; default: function. Exits 2 for an
 * unknown word. */
enum pf_by pf_row_settings_by(const struct pf_row_settings *, struct pf_common *, struct pf_dict *,
                              uint32_t *label);
/* Sets the fields color, utf8, group and terminal of a look, for look->sink. `text`: the output is
 * a table in text, which escapes names itself and may have colours. */
void pf_common_look(const struct pf_common *, struct pf_look *, bool text);
/* The value of --limit; default for text: the lines of the terminal less `others`, or 20 without
 * a terminal; for other forms: all rows. */
size_t pf_row_settings_limit(const struct pf_row_settings *, const struct pf_sink *, bool text,
                             unsigned others);

#endif

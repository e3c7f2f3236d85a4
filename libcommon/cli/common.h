/* The options all programs share (tools/common.ggo), checked and in one struct. */
#ifndef PF_CLI_COMMON_H
#define PF_CLI_COMMON_H

#include "cli/tool.h"
#include "codec/format.h"

/* What the generated parsers hold for tools/common.ggo, in every program alike. */
struct pf_common_args {
    char **from, **to, **output, **measure, **sample_index, **compress, **files0_from, **color, **threads, **max_input;
    unsigned from_given, to_given, output_given, measure_given, sample_index_given, compress_given, files0_from_given,
        color_given, threads_given, max_input_given;
    unsigned recursive_given, canonical_given, quiet_given, verbose_given, keep_going_given, salvage_given, progress_given,
        no_progress_given, no_trunc_given, no_group_given, force_given, sync_given, formats_given, help_given, version_given;
    char *const *operands;
    unsigned operand_count;
    const char *usage, *purpose; /* generated, the head of --help */
};

/* Fills a struct pf_common_args from a generated `struct args`: the generated types differ by program only. */
#define PF_COMMON_ARGS(a)                                                                                              \
    {                                                                                                                  \
        .from = (a).from_arg, .to = (a).to_arg, .output = (a).output_arg, .measure = (a).measure_arg,                  \
        .sample_index = (a).sample_index_arg, .sample_index_given = (a).sample_index_given,                            \
        .compress = (a).compress_arg, .files0_from = (a).files0_from_arg, .color = (a).color_arg,                      \
        .threads = (a).threads_arg, .threads_given = (a).threads_given,                                                \
        .max_input = (a).max_input_arg, .max_input_given = (a).max_input_given,                                        \
        .from_given = (a).from_given, .to_given = (a).to_given, .output_given = (a).output_given,                      \
        .measure_given = (a).measure_given, .compress_given = (a).compress_given,                                      \
        .files0_from_given = (a).files0_from_given, .color_given = (a).color_given,                                    \
        .recursive_given = (a).recursive_given, .canonical_given = (a).canonical_given,                                \
        .quiet_given = (a).quiet_given, .verbose_given = (a).verbose_given, .keep_going_given = (a).keep_going_given,  \
        .salvage_given = (a).salvage_given, .progress_given = (a).progress_given,                                      \
        .no_progress_given = (a).no_progress_given, .no_trunc_given = (a).no_trunc_given,                              \
        .no_group_given = (a).no_group_given,                                                                          \
        .force_given = (a).force_given, .sync_given = (a).sync_given,                \
        .formats_given = (a).formats_given, .help_given = (a).help_given,                                              \
        .version_given = (a).version_given, .operands = (a).inputs, .operand_count = (a).inputs_num,                   \
        .usage = args_usage, .purpose = args_purpose                                                                   \
    }

struct pf_common {
    struct pf_tool tool;
    const struct pf_format *from, *to; /* NULL: find out; the custom */
    struct pf_options from_options, to_options;
    const char *output;                /* NULL: standard output */
    const char **measures;             /* names as given with -m; owned */
    unsigned measure_count;
    int compression;                   /* -1: the format's custom */
    size_t threads;                    /* that read inputs ahead; 1: none does */
    uint64_t max_input;                /* decompressed bytes of one input */
    bool recursive, canonical;
    bool sync;                         /* wait until the output is on the disk */
    bool saturate;                     /* the program's own: writers clamp what does not fit */
    bool relocate;                     /* readers may tell an image mapped elsewhere as one met before (codec/format.h) */
    uint64_t told[16];                 /* hashes of the first warnings of outputs: what many files have in common is said once */
    unsigned told_count;
    const char *files0_from;           /* NULL: none */
    char *const *operands;
    unsigned operand_count;
};

/* Turns '_' in long option names to '-' in argv (a copy the caller keeps until exit). */
void pf_common_dashes(int argc, char **argv);

/* Checks and fills a zeroed struct whose tool is started; prints --help (`help` is the generated
 * text), --version and --formats and exits for them; exits 2 with a message for anything wrong. `views`: formats of `to` are tables of the program's own (proftop), so -t is left to it: `to` stays NULL and
 * `to_text` has the argument, without one the format that the suffix of -o names, or NULL. */
void pf_common_read(struct pf_common *, const struct pf_common_args *, const char *const *help, bool views,
                    const char **to_text);
void pf_common_free(struct pf_common *);
/* -t of a program with views, where it names a format after all: sets `to` and its options, or exits 2. */
void pf_common_to(struct pf_common *, const char *text);

/* pf_source_open, with the limit of --max-input. */
int pf_common_open_source(const struct pf_common *, struct pf_source **, const char *path, struct pf_error *);

/* Whether -m asks for this measure: its name, or KIND:NAME, is one of those given, or none is. *which (may be NULL) is the number of
 * the one that matched. */
bool pf_common_wants(const struct pf_common *, const struct pf_dict *, uint32_t measure, unsigned *which);

/* Reads --min-percent; NULL gives 0. Exits 2 where the text is no number from 0 to 100. */
double pf_common_min_percent(struct pf_common *, const char *text);

#endif

/* The output of a run: a sink and a writer; the format is chosen by -t, by the suffix of -o, or
 * by default. */
#ifndef PF_CLI_OUTPUT_H
#define PF_CLI_OUTPUT_H

#include "cli/common.h"
#include "cli/inputs.h"
#include "codec/codec.h"

struct pf_output;

/* Opens -o or standard output for records. Exits 2 for a binary stream to a terminal without
 * --force. The writer itself is opened at the first batch, when the measures of -m can be looked
 * up. NULL after a failure, which is printed and has raised the exit status. */
struct pf_output *pf_output_open(struct pf_common *, struct pf_inputs *);
/* The warnings of the files of a split: data that the format cannot hold are counted over all
 * files, and each other warning is printed once. Zero-initialise. */
struct pf_output_group {
    struct pf_left_out left_out;
    struct pf_strings said; /* warnings that are printed */
};
/* The same for one of several files (proffilter --split): `path` instead of -o. The format is that
 * of -t (`to` of the options). The group outlives the output; NULL: there is no other file. */
struct pf_output *pf_output_open_path(struct pf_common *, struct pf_inputs *, const char *path,
                                      struct pf_output_group *);
/* The same for an open sink, which the output owns from now on; `name` is for messages. The format
 * is the native stream. */
struct pf_output *pf_output_open_sink(struct pf_common *, struct pf_inputs *, struct pf_sink *,
                                      const char *name);
/* Call after the close of all outputs of the group: prints the warnings about data that the files
 * left out, and frees. */
void pf_output_group_close(struct pf_common *, struct pf_inputs *, struct pf_output_group *);

/* Gives the writer other names of inputs than those of pf_inputs: documents list them. Call before
 * the first pf_output_write; the NULL-terminated list must outlive the output. */
void pf_output_names(struct pf_output *, const char *const *names);
/* Gives verdicts to the writer. Call before the first pf_output_write; they must outlive the
 * output. */
void pf_output_verdicts(struct pf_output *, const struct pf_verdicts *);

/* Keeps the file closed except during writes (pf_sink_park), for a run with many outputs. False
 * after a failure, which is printed and has raised the exit status. */
bool pf_output_park(struct pf_output *);

/* Writes all inputs. Copies the first inputs unchanged if they have the output's format, the format
 * can be copied and no option changes the records. */
void pf_output_write_inputs(struct pf_output *);

/* False after a failure, which is printed and has raised the exit status: stop. */
bool pf_output_write(struct pf_output *, const struct pf_batch *);
/* Call after a failure: pf_output_close then leaves the output unfinished, so that its readers
 * notice. */
void pf_output_abandon(struct pf_output *);
/* Finishes the writer, commits the file (or keeps the old one after a failure), frees. NULL is
 * allowed. */
void pf_output_close(struct pf_output *);

/* A sink only, for tables: -o or standard output. NULL after a failure, which is printed and has
 * raised the exit status. The temporary file is for the close. */
struct pf_sink *pf_output_sink(struct pf_common *, struct pf_temporary **);
/* Commits the sink, or aborts it after a failure; raises the exit status. */
void pf_output_sink_close(struct pf_common *, struct pf_inputs *, struct pf_sink *,
                          struct pf_temporary *);

#endif

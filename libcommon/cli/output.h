/* The output of a run: a sink and a writer on it, chosen by -t, by the suffix of -o, or by
 * custom. */
#ifndef PF_CLI_OUTPUT_H
#define PF_CLI_OUTPUT_H

#include "cli/common.h"
#include "cli/inputs.h"
#include "codec/codec.h"

struct pf_output;

/* Opens -o or standard output for records. Exits 2 for a binary stream to a terminal without
 * --force. The writer itself is opened at the first batch, when the measures of -m can be looked
 * up. NULL after a failure, printed and raised. */
struct pf_output *pf_output_open(struct pf_common *, struct pf_inputs *);
/* The same for one of several files (proffilter --split): `path` instead of -o. */
struct pf_output *pf_output_open_path(struct pf_common *, struct pf_inputs *, const char *path);

/* Inputs of the output's format pass as they are, where it can be copied and nothing about it is
 * asked to differ; the others are left to pf_inputs_next. Before both. False after a failure,
 * printed and raised: stop. */
bool pf_output_copy(struct pf_output *);

/* False after a failure, printed and raised: stop. */
bool pf_output_write(struct pf_output *, const struct pf_batch *);
/* The program failed: close leaves what was written unfinished, so that who reads it sees that it
 * is. */
void pf_output_abandon(struct pf_output *);
/* Finishes the writer and commits the file (or leaves the old one, CLI.md -o), frees. NULL is
 * allowed. */
void pf_output_close(struct pf_output *);

/* A sink only, for tables: -o or standard output. NULL after a failure, printed and raised. `slot`
 * is for the close. */
struct pf_sink *pf_output_sink(struct pf_common *, int *slot);
/* Commits or aborts it as CLI.md says of -o, raising the status. */
void pf_output_sink_close(struct pf_common *, struct pf_inputs *, struct pf_sink *, int slot);

#endif

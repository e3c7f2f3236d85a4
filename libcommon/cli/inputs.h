/* All inputs of a run, one after the other, as one sequence of batches in one dictionary: operands
 * expanded (@LIST, --files0-from, directories with -r), files of a series put in order, formats
 * guessed, damage reported, progress shown. */
#ifndef PF_CLI_INPUTS_H
#define PF_CLI_INPUTS_H

#include "cli/common.h"
#include "cli/feed.h"
#include "codec/left_out.h"
#include "model/batch.h"

struct pf_inputs;

/* Expands the operands; exits 2 on usage errors (a terminal as standard input, a missing @LIST file
 * is status 3). Never NULL. */
struct pf_inputs *pf_inputs_open(struct pf_common *);
/* The same for names that are expanded already and in order, which are taken over. */
struct pf_operands;
struct pf_inputs *pf_inputs_open_names(struct pf_common *, struct pf_operands *);
void pf_inputs_close(struct pf_inputs *);

/* The dictionary all batches refer to. */
struct pf_dict *pf_inputs_dict(struct pf_inputs *);

/* --set-label and --label-source: labels for every record (cli/annotation.h). Call before the first
 * pf_inputs_next. */
void pf_inputs_set_labels(struct pf_inputs *);
/* --binary, --symbols and --no-inlines: names for addresses without one (cli/annotation.h). Call
 * before the first pf_inputs_next. False after a failure, printed and raised: stop. */
bool pf_inputs_set_names(struct pf_inputs *);
/* The options of tools/selection.part: every input then gives the chosen records, as if a filter
 * stood in front of it, and at its end the metadata of what was not chosen. Exits 2 for a bad
 * expression. What matched nothing in all inputs is said when they are closed. Call before the
 * first pf_inputs_next. */
void pf_inputs_select(struct pf_inputs *);

/* PF_OK and a batch, or PF_EOF when all is read or reading stopped. Failures of inputs are printed
 * and raise the tool's status; with --keep-going reading goes on with the next input. Each input of
 * a foreign format is announced by a META batch with origin `profutils`: `input` (the operand) and
 * `source_format`. *input (may be NULL) says which input it is. `want_flush`: a batch of no rows
 * and no columns is given when the producer lets us wait, so that a live pipe is not held back. */
int pf_inputs_next(struct pf_inputs *, struct pf_batch *, struct pf_input *input);
void pf_inputs_want_flush(struct pf_inputs *);
/* Records are to carry the times their input tells, also of formats that keep them on request only.
 * Before the first pf_inputs_next. */
void pf_inputs_want_times(struct pf_inputs *);
/* Addresses count from the start of their image (codec/format.h): less to tell apart where many
 * hosts mapped one. Before the first pf_inputs_next. */
void pf_inputs_relocate(struct pf_inputs *);
/* Each input, also one that cannot be opened, ends with a META batch of no rows for which
 * input->ended is set. */
void pf_inputs_want_ends(struct pf_inputs *);

/* Copies inputs to the sink as they are, for as long as they have this format and it can be copied;
 * pf_inputs_next goes on with the first that has not. Nothing is copied where labels are to be set.
 * Before the first pf_inputs_next. True: something went to the sink, whose status is the caller's
 * to ask. */
bool pf_inputs_copy(struct pf_inputs *, const struct pf_format *, struct pf_sink *);

/* The input of the last batch, or end, could not be used: its failure is printed and it counts as
 * one that failed. Its batches go on to come. Without --keep-going reading stops. */
void pf_inputs_reject(struct pf_inputs *, const struct pf_error *);
/* As pf_left_measures_count, over all records read so far. */
uint64_t pf_inputs_left_out(const struct pf_inputs *, const struct pf_held_measures *,
                            uint64_t *all, const char **input);
/* True when an input failed or was incomplete: what is written must say so. */
bool pf_inputs_failed(const struct pf_inputs *);
/* Number of inputs, and how many were read to their end. */
unsigned pf_inputs_count(const struct pf_inputs *);
unsigned pf_inputs_good(const struct pf_inputs *);
/* The group of operands (cli/operands.h) that an input, by its number, is of. */
uint32_t pf_inputs_group(const struct pf_inputs *, unsigned number);
/* The operands in reading order, NULL-terminated. */
const char *const *pf_inputs_names(const struct pf_inputs *);

#endif

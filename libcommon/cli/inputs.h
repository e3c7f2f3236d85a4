/* All inputs of a run as one pipeline with one dictionary: the stages that the options and the
 * program ask for, in their order. */
#ifndef PF_CLI_INPUTS_H
#define PF_CLI_INPUTS_H

#include "analysis/names/evals.h"
#include "cli/common.h"
#include "codec/left_out.h"
#include "codec/stage.h"

struct pf_inputs;

/* Expands the operands. Exits 2 for usage errors such as a terminal as standard input, 3 for a
 * missing @LIST file. Never NULL. */
struct pf_inputs *pf_inputs_open(struct pf_common *);
/* The same for names that are already expanded and sorted; takes ownership of the list. */
struct pf_operands;
struct pf_inputs *pf_inputs_open_names(struct pf_common *, struct pf_operands *);
void pf_inputs_close(struct pf_inputs *);

/* The dictionary of all batches. */
struct pf_dict *pf_inputs_dict(struct pf_inputs *);

/* What a program wants of its inputs; a second call adds to the first. Call before the first
 * pf_inputs_next. */
enum pf_inputs_want {
    /* PF_EVENT_FLUSH when the producer is slow, so that a live pipe is not held back */
    PF_WANT_FLUSH = 1,
    /* the times of records, even if the format gives them on request only */
    PF_WANT_TIMES = 2,
    /* addresses count from the start of their image (codec/format.h), so that images mapped by many
     * hosts have fewer different addresses */
    PF_WANT_RELOCATED = 4,
    /* no records that count the runs of a group (model/replicates.h) */
    PF_WANT_NO_RUNS = 8,
    /* the inputs are a part of the inputs of the run: no messages about expressions that match
     * nothing in this part, or metadata that this part lacks */
    PF_WANT_PART = 16,
    /* the lines that were executed, even if the format gives them on request only */
    PF_WANT_LINES = 32
};
void pf_inputs_want(struct pf_inputs *, unsigned wants);

/* --set-label, --label-source and --replicates: labels for every record (cli/annotation.h). Call
 * before the first pf_inputs_next. */
void pf_inputs_set_labels(struct pf_inputs *);
/* The K of --replicates, 0 without the option; *name: the group of the current input
 * (model/replicates.h). */
unsigned pf_inputs_replicates(const struct pf_inputs *, uint32_t *name);
/* --binary, --symbols-from, --symbols and --no-inlines: names for addresses without one
 * (cli/annotation.h). Call before the first pf_inputs_next. False after a failure, which is printed
 * and has raised the exit status: stop. */
bool pf_inputs_set_names(struct pf_inputs *);
/* The options of tools/selection.part: every input then gives only the selected records, and at its
 * end the metadata of the removed records. Exits 2 for a bad expression. pf_inputs_close reports
 * the expressions that matched nothing. Call before the first pf_inputs_next. */
void pf_inputs_select(struct pf_inputs *);
/* The same with the options that only proffilter has, and its edits of frames. Metadata of removed
 * records are given once, after the last input. */
void pf_inputs_filter(struct pf_inputs *);
/* Call after the last pf_inputs_next, with pf_inputs_filter: true if a record was left. */
bool pf_inputs_left_records(const struct pf_inputs *);
/* Prints the expressions that matched nothing now, before the messages of the output's end, and not
 * in pf_inputs_close. */
void pf_inputs_report_filters(struct pf_inputs *);

/* Keeps string evals of different inputs apart if they have the same name and different texts, and
 * finds evals that are the same (analysis/names/evals.h), as --evals says. `notes`: metadata and
 * texts get the names of the records, too. Call before the first pf_inputs_next. The result is
 * valid until pf_inputs_close. */
const struct pf_evals *pf_inputs_join_evals(struct pf_inputs *, bool notes);
/* Call after the last pf_inputs_next, once: finds the final names of evals. `joins`: an eval
 * without a text joins the eval of the same name, if only one text has this name. `several`: there
 * are several inputs, even if some could not be read. Warns if evals without texts were compared by
 * their numbers and places. */
void pf_inputs_find_evals(struct pf_inputs *, bool joins, bool several);

/* PF_OK and an event, or PF_EOF if everything is read or reading stopped. Failures of inputs are
 * printed and raise the exit status; with --keep-going reading continues with the next input. */
int pf_inputs_next(struct pf_inputs *, struct pf_event *);
/* Copies inputs unchanged to the sink while they have this format and can be copied;
 * pf_inputs_next continues with the first other input. With options for labels nothing is
 * copied. Call before the first pf_inputs_next. True: bytes went to the sink, and the caller
 * checks its status. */
bool pf_inputs_copy(struct pf_inputs *, const struct pf_format *, struct pf_sink *);

/* Rejects the input of the last event: prints the error and counts the input as failed. Its other
 * events are still given. Without --keep-going reading stops. */
void pf_inputs_reject(struct pf_inputs *, const struct pf_error *);
/* As pf_left_measures_count, over all records read so far. */
uint64_t pf_inputs_left_out(const struct pf_inputs *, const struct pf_held_measures *,
                            uint64_t *all, const char **input);
/* True if an input failed or was incomplete: the output must be marked. */
bool pf_inputs_failed(const struct pf_inputs *);
/* The number of inputs, and the number of completely read inputs. */
unsigned pf_inputs_count(const struct pf_inputs *);
unsigned pf_inputs_good(const struct pf_inputs *);
/* The group (cli/operands.h) of the input with this number. */
uint32_t pf_inputs_group(const struct pf_inputs *, unsigned number);
/* The operands in reading order, NULL-terminated. */
const char *const *pf_inputs_names(const struct pf_inputs *);

#endif

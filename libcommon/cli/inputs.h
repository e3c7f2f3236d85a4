/* All inputs of a run as one sequence of batches with one dictionary. Expands operands (@LIST,
 * --files0-from, directories with -r), sorts files of a series, detects formats, reports damage,
 * shows progress. */
#ifndef PF_CLI_INPUTS_H
#define PF_CLI_INPUTS_H

#include "analysis/names/evals.h"
#include "cli/common.h"
#include "codec/left_out.h"
#include "model/batch.h"

struct pf_inputs;

/* The input of a batch. */
struct pf_input {
    const char *name;               /* the operand */
    const struct pf_format *format; /* NULL: unknown */
    int evidence;                   /* bits of evidence for the format; 0: set by -f */
    unsigned number;                /* from 0 in reading order */
    unsigned first;      /* number of the first input of its series; of itself without a series */
    uint64_t content;    /* hash of its bytes (io/content.h) if --replicates needs it, else 0 */
    const char *variant; /* an unusual form of the format, else ""; known at the end of the input */
    bool left_out;       /* --since and --until leave out the input, which returns only its end */
    bool ended, complete; /* with PF_WANT_ENDS: the input has ended; it was read completely */
    /* with `ended`: why the input is not complete; NULL: no failure. Valid until the next batch. */
    const struct pf_error *failure;
};

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
    /* each input, even if it cannot be opened, ends with a META batch without rows and input->ended
     * set */
    PF_WANT_ENDS = 1,
    /* a batch without rows and columns is returned when the producer is slow, so that a live pipe
     * is not held back */
    PF_WANT_FLUSH = 2,
    /* the times of records, even if the format gives them on request only */
    PF_WANT_TIMES = 4,
    /* addresses count from the start of their image (codec/format.h), so that images mapped by many
     * hosts have fewer different addresses */
    PF_WANT_RELOCATED = 8,
    /* no records that count the runs of a group (model/replicates.h) */
    PF_WANT_NO_RUNS = 16,
    /* the inputs are a part of the inputs of the run: no messages about expressions that match
     * nothing in this part, or metadata that this part lacks */
    PF_WANT_PART = 32
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
/* The options of tools/selection.part: every input then returns only the selected records, and
 * at its end the metadata of the removed records, like proffilter. Exits 2 for a bad expression.
 * pf_inputs_close reports the expressions that matched nothing. Call before the first
 * pf_inputs_next. */
void pf_inputs_select(struct pf_inputs *);

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

/* PF_OK and a batch, or PF_EOF if everything is read or reading stopped. Failures of inputs are
 * printed and raise the exit status; with --keep-going reading continues with the next input.
 * Each input of a foreign format begins with a META batch of origin `profutils`: `input` (the
 * operand) and `source_format`. *input (may be NULL) is the input of the batch. */
int pf_inputs_next(struct pf_inputs *, struct pf_batch *, struct pf_input *input);

/* Copies inputs unchanged to the sink while they have this format and can be copied;
 * pf_inputs_next continues with the first other input. With options for labels nothing is
 * copied. Call before the first pf_inputs_next. True: bytes went to the sink, and the caller
 * checks its status. */
bool pf_inputs_copy(struct pf_inputs *, const struct pf_format *, struct pf_sink *);

/* Rejects the input of the last batch or end: prints the error and counts the input as failed.
 * Its other batches are still returned. Without --keep-going reading stops. */
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

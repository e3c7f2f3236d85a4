/* A task: a step of a merge in a tree, written to a file in the directory of partials, so that
 * another process, perhaps on another host, can make the step.
 *
 *   profutils task 2
 *   stage inputs|partials|output
 *   directory DIRECTORY          where the plan was made: names of files are relative to it
 *   option --NAME[=ARGUMENT]     of the program
 *   input WEIGHT HASH NAME       for inputs
 *   unknown WEIGHT NAME          for an input that could not be read, and then
 *   reason TEXT
 *   partial HASH                 for partials and output
 *   result HASH
 *   end
 *
 * Control characters and % are %XX. The file is named HASH.task by the result. The task that writes
 * the output is named HASH.output.task by its own text, because plans with other outputs have the
 * same last partial. */
#ifndef PF_CLI_MERGE_TASK_H
#define PF_CLI_MERGE_TASK_H

#include "cli/merge/step.h"

struct pf_task {
    enum pf_step_kind kind;
    const char *directory;
    struct pf_step step; /* `hash` is the result */
    struct pf_store store;
    char **arguments; /* the options of the task, then those of the command line */
    int argument_count;
    struct pf_error error; /* why the task cannot be read */
    struct pf_arena texts;
    char *text; /* of the file */
    size_t input_capacity, partial_capacity, argument_capacity;
};

/* Appends the text of a task. False: out of memory. */
bool pf_task_text(enum pf_step_kind, const struct pf_step *, const struct pf_given *,
                  const char *directory, struct pf_buffer *);

/* The path of the file for the text of a task. NULL: out of memory. */
const char *pf_task_path(enum pf_step_kind, const struct pf_step *, struct pf_bytes text);

/* If the command line has --task=FILE: reads the task, goes to its directory, and replaces the
 * command line. Failures are in task->error, and the command line stays. Zero-initialise; free with
 * pf_task_free after the program's last use of its options. */
void pf_task_start(struct pf_task *, int *argc, char ***argv);
void pf_task_free(struct pf_task *);

/* Makes the step of the task, unless the directory has its partial. For PF_STEP_OUTPUT only opens
 * the store: the caller writes the output. Prints failures and raises the exit status. */
void pf_task_run(struct pf_task *, struct pf_common *);

/* For a plan that does not fit the files any more: prints "WHAT: WHY: make the plan again" and
 * exits 3. */
_Noreturn void pf_task_refuse(struct pf_tool *, const char *what, const char *why);

#endif

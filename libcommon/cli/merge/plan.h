/* The plan of a merge in a tree, for other processes: the steps to make, as a Makefile or as tasks,
 * a line each. */
#ifndef PF_CLI_MERGE_PLAN_H
#define PF_CLI_MERGE_PLAN_H

#include "cli/merge/branches.h"

enum pf_plan { PF_PLAN_NONE, PF_PLAN_MAKE, PF_PLAN_TASKS };

/* Exits 2 if a plan of this kind cannot name the directory of partials or the output (NULL: none).
 */
void pf_plan_check(struct pf_tool *, enum pf_plan, const char *directory, const char *output);
/* Writes a task file for each step to make and for the output, and prints the plan to standard
 * output. Failures are printed and raise the exit status. */
void pf_plan_print(struct pf_branches *, enum pf_plan);

#endif

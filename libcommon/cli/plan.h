/* The plan of a merge in a tree, for other processes: the steps that have to be made, as a Makefile
 * or as tasks, a line each. */
#ifndef PF_CLI_PLAN_H
#define PF_CLI_PLAN_H

#include "cli/branches.h"
#include "cli/partials.h"

/* Writes a task file for each step that is needed, and for the output, and prints the plan to
 * standard output. Failures are printed and raise the exit status. */
void pf_plan_print(struct pf_branches *, const struct pf_partials *);

#endif

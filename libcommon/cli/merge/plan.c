#include "cli/merge/plan.h"

#include "base/memory.h"
#include "cli/merge/task.h"

#include <stdlib.h>
#include <string.h>

struct plan {
    struct pf_branches *branches;
    enum pf_plan how;
    struct pf_tool *tool;
    struct pf_sink *sink;
    char *directory; /* the current directory */
};

static const char *path_of(const struct plan *plan, const struct pf_step *step, const char *suffix)
{
    const char *path = pf_step_path(step, suffix);

    if (!path)
        pf_tool_nomem(plan->tool);
    return path;
}

/* Writes the task of a step; returns the path of its file. */
static const char *write_task(struct plan *plan, enum pf_step_kind kind, const struct pf_step *step)
{
    struct pf_buffer text = {0};
    struct pf_error error = {0};
    const char *path = NULL;

    if (pf_task_text(kind, step, plan->branches->common->given, plan->directory, &text))
        path = pf_task_path(kind, step, (struct pf_bytes){text.data, text.size});
    if (!path)
        pf_tool_nomem(plan->tool);
    if (pf_store_write(plan->branches->store, path, (struct pf_bytes){text.data, text.size},
                       &error) != PF_OK)
        pf_tool_die(plan->tool, NULL, &error, true);
    pf_buffer_free(&text);
    return path;
}

/* Names in a plan end at a line feed, those of tasks at a tab. The names of partials are targets:
 * make has no way to write some characters there. */
void pf_plan_check(struct pf_tool *tool, enum pf_plan how, const char *directory,
                   const char *output)
{
    const char *bad = how == PF_PLAN_MAKE ? "\t\n%;|&*?[]~=\\" : "\t\n";

    if (strpbrk(directory, bad))
        pf_tool_usage(tool, "--plan=%s cannot name the directory '%s': use a plainer name",
                      how == PF_PLAN_MAKE ? "make" : "tasks", directory);
    if (output && strpbrk(output, "\t\n"))
        pf_tool_usage(tool, "--plan cannot name '%s': the name has a tab or a line feed", output);
}

/* --- make ------------------------------------------------------------------------------------- */

/* Writes the name of a file as a target or prerequisite: make takes blanks, # and : for its own
 * signs unless a backslash is before them. */
static void write_target(struct plan *plan, const char *path)
{
    for (; *path; path++) {
        if (strchr(" #:", *path))
            pf_sink_text(plan->sink, "\\");
        pf_sink_write(plan->sink, *path == '$' ? "$$" : path, *path == '$' ? 2 : 1);
    }
}

/* Writes the name as a word for the shell in a recipe. */
static void write_word(struct plan *plan, const char *path)
{
    pf_sink_text(plan->sink, "'");
    for (; *path; path++)
        if (*path == '\'')
            pf_sink_text(plan->sink, "'\\''");
        else
            pf_sink_write(plan->sink, *path == '$' ? "$$" : path, *path == '$' ? 2 : 1);
    pf_sink_text(plan->sink, "'\n");
}

static void write_recipe(struct plan *plan, const char *task)
{
    pf_sink_text(plan->sink, "\t$(PROFMERGE) --task=");
    write_word(plan, task);
}

static void write_rule(struct plan *plan, const struct pf_step *step, const char *task)
{
    write_target(plan, path_of(plan, step, ".pfs"));
    pf_sink_text(plan->sink, ":");
    for (size_t k = 0; step->partials && k < step->count; k++) {
        struct pf_step partial = {.store = step->store, .hash = step->partials[k]};
        /* a partial is named by its contents: its age does not matter */
        pf_sink_text(plan->sink, k == 0 ? " | " : " ");
        write_target(plan, path_of(plan, &partial, ".pfs"));
    }
    pf_sink_text(plan->sink, "\n");
    write_recipe(plan, task);
}

static void begin_make(struct plan *plan)
{
    const struct pf_step *root = pf_branches_root(plan->branches);

    pf_sink_text(plan->sink, "# A plan of profmerge --plan=make\n"
                             "PROFMERGE = profmerge\n"
                             "MAKEFLAGS += --no-builtin-rules\n");
    /* else the commands that make prints and the output of the last step would be mixed */
    if (!plan->branches->common->output)
        pf_sink_text(plan->sink, ".SILENT:\n");
    pf_sink_text(plan->sink, ".PHONY: all\n"
                             "all: | ");
    write_target(plan, path_of(plan, root, ".pfs"));
    pf_sink_text(plan->sink, "\n");
}

/* --- both ------------------------------------------------------------------------------------- */

static void print_step(struct plan *plan, const struct pf_branch *branch)
{
    const struct pf_step *step = &branch->step;
    const char *task = write_task(plan, step->inputs ? PF_STEP_INPUTS : PF_STEP_PARTIALS, step);

    if (plan->how == PF_PLAN_MAKE)
        write_rule(plan, step, task);
    else
        pf_sink_printf(plan->sink, "%zu\t%s\t%s\n", branch->level + 1, path_of(plan, step, ".pfs"),
                       task);
}

/* The last task of a plan copies the last partial to the output. */
static const char *write_last(struct plan *plan)
{
    struct pf_step last = *pf_branches_root(plan->branches);

    last.inputs = NULL;
    last.partials = &last.hash;
    last.count = 1;
    return write_task(plan, PF_STEP_OUTPUT, &last);
}

void pf_plan_print(struct pf_branches *branches, enum pf_plan how)
{
    struct plan plan = {branches, how, &branches->common->tool, NULL, NULL};
    const char *output = branches->common->output, *last;
    struct pf_error error = {0};

    plan.directory = realpath(".", NULL);
    if (!plan.directory)
        pf_tool_nomem(plan.tool);
    if (pf_sink_open(&plan.sink, NULL, &error) != PF_OK)
        pf_tool_die(plan.tool, NULL, &error, true);
    last = write_last(&plan);
    if (how == PF_PLAN_MAKE) {
        begin_make(&plan);
        write_recipe(&plan, last);
    }
    for (size_t k = 0; k < branches->step_count; k++)
        if (branches->steps[k].needed)
            print_step(&plan, &branches->steps[k]);
    if (how == PF_PLAN_TASKS)
        pf_sink_printf(plan.sink, "%zu\t%s\t%s\n",
                       branches->steps[branches->step_count - 1].level + 2, output ? output : "-",
                       last);
    if (pf_sink_commit(plan.sink, &error) != PF_OK)
        pf_tool_fail(plan.tool, NULL, &error, true);
    free(plan.directory);
}

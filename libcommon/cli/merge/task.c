#include "cli/merge/task.h"

#include "base/scan.h"
#include "io/content.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char first_line[] = "profutils task 2";
static const char *const stages[] = {"inputs", "partials", "output"};

/* --- writing ---------------------------------------------------------------------------------- */

static void append_line(struct pf_buffer *text, const char *word, const char *bytes)
{
    pf_buffer_printf(text, "%s ", word);
    for (; *bytes; bytes++)
        if ((unsigned char)*bytes < ' ' || *bytes == 0x7f || *bytes == '%')
            pf_buffer_printf(text, "%%%02X", (unsigned)(unsigned char)*bytes);
        else
            pf_buffer_byte(text, (unsigned char)*bytes);
    pf_buffer_byte(text, '\n');
}

static void append_input(struct pf_buffer *text, const struct pf_step_input *input)
{
    char before[PF_HASH_DIGITS + 64];

    if (input->unknown) {
        snprintf(before, sizeof before, "unknown %" PRId64, input->weight);
        append_line(text, before, input->name);
        append_line(text, "reason", input->reason ? input->reason : "");
    } else {
        snprintf(before, sizeof before, "input %" PRId64 " %s", input->weight,
                 pf_hash128_text(input->print.hash).text);
        append_line(text, before, input->name);
    }
}

bool pf_task_text(enum pf_step_kind kind, const struct pf_step *step, const struct pf_given *given,
                  const char *directory, struct pf_buffer *text)
{
    struct pf_arena arena = {0};
    const char **options = pf_step_options(kind, given, &arena);

    pf_buffer_printf(text, "%s\nstage %s\n", first_line, stages[kind]);
    append_line(text, "directory", directory);
    for (size_t k = 0; options && options[k]; k++)
        append_line(text, "option", options[k]);
    for (size_t k = 0; k < step->count; k++)
        if (step->inputs)
            append_input(text, &step->inputs[k]);
        else
            append_line(text, "partial", pf_hash128_text(step->partials[k]).text);
    append_line(text, "result", pf_hash128_text(step->hash).text);
    pf_buffer_printf(text, "end\n");
    text->failed |= !options;
    free(options);
    pf_arena_free(&arena);
    return !text->failed;
}

const char *pf_task_path(enum pf_step_kind kind, const struct pf_step *step, struct pf_bytes text)
{
    struct pf_step named = *step;
    struct pf_xxh128 *state;

    if (kind != PF_STEP_OUTPUT)
        return pf_step_path(step, ".task");
    state = pf_xxh128_new();
    if (!state)
        return NULL;
    pf_xxh128_add(state, text.data, text.size);
    named.hash = pf_xxh128_end(state);
    return pf_step_path(&named, ".output.task");
}

/* --- reading ---------------------------------------------------------------------------------- */

/* A copy of the text with each %XX as one byte; NULL: out of memory, or another character follows a
 * %. */
static const char *unescape(struct pf_task *task, struct pf_bytes text)
{
    char *copy = pf_arena_copy(&task->texts, text.data, text.size), *to = copy;

    for (size_t k = 0; copy && k < text.size; k++) {
        char c = text.data[k];

        if (c == '%') {
            int byte = pf_percent_byte(pf_bytes_skip(text, k));

            if (byte < 0)
                return NULL;
            c = (char)byte;
            k += 2;
        }
        *to++ = c;
    }
    if (copy)
        *to = '\0';
    return copy;
}

static bool add_argument(struct pf_task *task, const char *argument)
{
    if (!pf_grow(&task->arguments, &task->argument_capacity, (size_t)task->argument_count + 2,
                 sizeof *task->arguments))
        return false;
    /* getopt may write to the array, never to the texts */
    task->arguments[task->argument_count++] = (char *)(uintptr_t)argument;
    task->arguments[task->argument_count] = NULL;
    return true;
}

static bool add_input(struct pf_task *task, struct pf_bytes rest, bool unknown)
{
    struct pf_bytes weight, hash;
    struct pf_step *step = &task->step;
    struct pf_step_input *input;

    if (step->partials ||
        !pf_grow_clear(&step->inputs, &task->input_capacity, step->count + 1, sizeof *step->inputs))
        return false;
    input = &step->inputs[step->count];
    input->unknown = unknown;
    if (!pf_scan_field(&rest, ' ', &weight) ||
        !pf_parse_whole(weight, INT64_MIN, INT64_MAX, &input->weight) ||
        (!unknown &&
         (!pf_scan_field(&rest, ' ', &hash) || !pf_hash128_parse(&input->print.hash, hash))))
        return false;
    input->name = unescape(task, rest);
    step->count++;
    return input->name;
}

static bool add_reason(struct pf_task *task, struct pf_bytes rest)
{
    struct pf_step *step = &task->step;
    const char *reason = unescape(task, rest);

    if (!step->inputs || step->count == 0 || step->inputs[step->count - 1].reason || !reason)
        return false;
    step->inputs[step->count - 1].reason = strdup(reason);
    return step->inputs[step->count - 1].reason;
}

static bool add_partial(struct pf_task *task, struct pf_bytes rest)
{
    struct pf_step *step = &task->step;

    return !step->inputs &&
           pf_grow(&step->partials, &task->partial_capacity, step->count + 1,
                   sizeof *step->partials) &&
           pf_hash128_parse(&step->partials[step->count++], rest);
}

static bool add_stage(struct pf_task *task, struct pf_bytes rest)
{
    for (size_t k = 0; k < sizeof stages / sizeof *stages; k++) {
        task->kind = (enum pf_step_kind)k;
        if (pf_bytes_equal(rest, pf_bytes_of(stages[k])))
            return true;
    }
    return false;
}

static bool add_line(struct pf_task *task, struct pf_bytes line, bool *result)
{
    struct pf_bytes word;
    const char *option;

    pf_scan_field(&line, ' ', &word);
    if (pf_bytes_equal(word, PF_BYTES("stage")))
        return add_stage(task, line);
    if (pf_bytes_equal(word, PF_BYTES("directory")))
        return (task->directory = unescape(task, line));
    if (pf_bytes_equal(word, PF_BYTES("option")))
        return (option = unescape(task, line)) && add_argument(task, option);
    if (pf_bytes_equal(word, PF_BYTES("reason")))
        return add_reason(task, line);
    if (pf_bytes_equal(word, PF_BYTES("partial")))
        return add_partial(task, line);
    if (pf_bytes_equal(word, PF_BYTES("result")))
        return (*result = pf_hash128_parse(&task->step.hash, line));
    return (pf_bytes_equal(word, PF_BYTES("input")) && add_input(task, line, false)) ||
           (pf_bytes_equal(word, PF_BYTES("unknown")) && add_input(task, line, true));
}

static int parse(struct pf_task *task, const char *path, struct pf_bytes text)
{
    struct pf_bytes line = {0};
    uint64_t number = 0;
    bool good = true, result = false, ended = false;

    while (good && text.size > 0 && !ended) {
        line = pf_bytes_line(&text);
        number++;
        ended = pf_bytes_equal(line, PF_BYTES("end"));
        if (number == 1)
            good = pf_bytes_equal(line, pf_bytes_of(first_line));
        else if (!ended)
            good = add_line(task, line, &result);
    }
    if (!good)
        return pf_error_set(&task->error, PF_FAILED,
                            "%s: line %" PRIu64 ": not a line of a task: '%s'", path, number,
                            pf_clip(line).text);
    if (!ended || !result || !task->directory)
        return pf_error_set(&task->error, PF_FAILED, "%s: not a whole task: make the plan again",
                            path);
    return PF_OK;
}

/* The directory of the file `path`, whatever the current directory. The file must have the name
 * that the plan gave it: a copy of another task would make another result. */
static int find_store(struct pf_task *task, const char *path, struct pf_bytes text)
{
    char *whole = realpath(path, NULL), *slash;
    const char *planned;
    bool same;

    if (!whole)
        return pf_error_system(&task->error, "cannot open '%s'", path);
    slash = strrchr(whole, '/');
    *slash = '\0';
    task->store.lock = -1;
    task->store.path = whole;
    task->step.store = &task->store;
    planned = pf_task_path(task->kind, &task->step, text);
    if (!planned)
        return pf_error_nomem(&task->error);
    same = strcmp(strrchr(planned, '/') + 1, slash + 1) == 0;
    if (slash == whole)
        memcpy(whole, "/", sizeof "/");
    return same ? PF_OK
                : pf_error_set(&task->error, PF_FAILED,
                               "%s: the name is not that of the task: the file was renamed or "
                               "edited: make the plan again",
                               path);
}

static const char *task_argument(int argc, char **argv)
{
    const char *path = NULL;

    for (int k = 1; k < argc && strcmp(argv[k], "--") != 0; k++) {
        if (strncmp(argv[k], "--task=", 7) == 0)
            path = argv[k] + 7;
        else if (strcmp(argv[k], "--task") == 0 && k + 1 < argc)
            path = argv[k + 1];
    }
    return path;
}

void pf_task_start(struct pf_task *task, int *argc, char ***argv)
{
    const char *path = task_argument(*argc, *argv);
    struct pf_buffer text = {0};
    int status;

    if (!path)
        return;
    status = add_argument(task, (*argv)[0]) ? PF_OK : pf_error_nomem(&task->error);
    if (status == PF_OK)
        status = pf_content_text(path, &text, &task->error);
    task->text = text.data;
    if (status == PF_OK)
        status = parse(task, path, (struct pf_bytes){text.data, text.size});
    if (status == PF_OK)
        status = find_store(task, path, (struct pf_bytes){text.data, text.size});
    for (int k = 1; k < *argc && status == PF_OK; k++)
        if (!add_argument(task, (*argv)[k]))
            status = pf_error_nomem(&task->error);
    if (status == PF_OK && chdir(task->directory) != 0)
        status = pf_error_system(&task->error, "cannot go to the directory '%s'", task->directory);
    if (status != PF_OK)
        return;
    *argc = task->argument_count;
    *argv = task->arguments;
}

void pf_task_free(struct pf_task *task)
{
    for (size_t k = 0; task->step.inputs && k < task->step.count; k++)
        free(task->step.inputs[k].reason);
    free(task->step.inputs);
    free(task->step.partials);
    free(task->arguments);
    free(task->text);
    pf_arena_free(&task->texts);
    if (task->store.path)
        pf_store_close(&task->store);
}

/* --- running ---------------------------------------------------------------------------------- */

_Noreturn void pf_task_refuse(struct pf_tool *tool, const char *what, const char *why)
{
    pf_tool_error(tool, "%s: %s: make the plan again", what, why);
    pf_tool_raise(tool, PF_EXIT_INPUT);
    pf_tool_quit(tool);
}

/* Checks that all inputs have the contents that the plan names. */
static void check_inputs(struct pf_task *task, struct pf_tool *tool)
{
    for (size_t k = 0; k < task->step.count; k++) {
        struct pf_step_input *input = &task->step.inputs[k];
        struct pf_hash128 planned = input->print.hash;
        struct pf_error error = {0};

        if (input->unknown)
            continue;
        if (pf_fingerprint_take(&input->print, input->name, &error) != PF_OK)
            pf_tool_die(tool, input->name, &error, error.code == PF_NOMEM);
        if (!pf_hash128_equal(planned, input->print.hash))
            pf_task_refuse(tool, input->name, "the file has changed since the plan was made");
    }
}

static void check_partials(const struct pf_task *task, struct pf_tool *tool)
{
    for (size_t k = 0; k < task->step.count; k++) {
        struct pf_step partial = {.store = task->step.store, .hash = task->step.partials[k]};

        if (!pf_step_made(&partial))
            pf_task_refuse(tool, pf_step_path(&partial, ".pfs"), "the partial profile is missing");
    }
}

void pf_task_run(struct pf_task *task, struct pf_common *common)
{
    struct pf_tool *tool = &common->tool;
    struct pf_step *step = &task->step;
    struct pf_hash128 planned = step->hash;
    char *path = task->store.path;

    pf_step_open_store(tool, &task->store, path);
    free(path);
    step->store = &task->store;
    if (task->kind == PF_STEP_OUTPUT) {
        check_partials(task, tool);
        return;
    }
    pf_tool_check_memory(tool, pf_step_name(step, common->given));
    if (!pf_hash128_equal(planned, step->hash))
        pf_task_refuse(tool, pf_hash128_text(planned).text,
                       "the task is from another version of the program, or was edited, or has "
                       "other options than the plan");
    if (pf_step_made(step))
        return;
    if (step->inputs)
        check_inputs(task, tool);
    else
        check_partials(task, tool);
    if (pf_step_run(step, common) == PF_EOF)
        pf_task_refuse(tool, pf_step_path(step, ".pfs"),
                       "an input changed, or a partial is damaged");
}

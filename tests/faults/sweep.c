/* Runs commands with one fault each and examines the result.
 *
 *     sweep [OPTION]... SHIM BIN WORK <COMMANDS
 *
 *     SHIM          faults.so
 *     BIN           the folder of the programs
 *     WORK          a folder that holds only `in`, the inputs
 *     COMMANDS      one per line: [|] [~] PROGRAM WORD... [<FILE]. With `|` standard output is a
 *                   pipe, else a file. With `~` only memory that the program itself allocates
 *                   fails, because a library would crash. A command finds `in`, the inputs; `out`,
 *                   a folder for outputs that holds the file `old`; and `tmp`, which is TMPDIR
 *     -j JOBS       processes at a time
 *     -n RUNS       a random sample of about RUNS runs instead of all
 *     -s SEED       seed of the sample
 *     -k KIND       faults of this kind only
 *
 * Each command first runs without a fault, and its calls are counted. Then it runs twice for each
 * call: once this call fails, once all later calls of its kind fail too. A result is right if it
 * equals that of the run without a fault. It is also right if the status is 3 or 4, the message
 * names what failed, the output files are as before the run, no temporary file is left, and
 * standard output holds no complete stream. Prints each wrong result (one for each place of a
 * failure) and a table. Status 1: something is wrong. */
#define _GNU_SOURCE
#include "faults.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS = 64, PROGRAMS = 16, COLUMNS = 2 * FAULT_KINDS, SEEN = 65536, LINES = 4096 };

static const char *const kinds[FAULT_KINDS] = {"memory", "read",   "write", "close",
                                               "open",   "rename", "fstat", "thread"};

/* A right message for a fault of each kind contains one of these texts. */
static const char *const messages[FAULT_KINDS][3] = {
    {"out of memory", "Cannot allocate memory"},
    {"Input/output error"},
    {"No space left on device"},
    {"Input/output error"},
    {"Too many open files"},
    {"Input/output error"},
    {"Input/output error"},
    {"Resource temporarily unavailable", "out of memory"},
};

struct bytes {
    char *data;
    size_t size;
};

struct result {
    int status; /* from waitpid */
    struct bytes out, err, files;
};

struct command {
    char text[1024];
    char *words[WORDS + 1];
    char copy[1024];
    const char *input;
    bool pipe, own_memory;
    struct result clean;
    uint64_t calls[FAULT_KINDS];
};

/* Shared by all jobs. */
struct board {
    atomic_size_t next;
    atomic_uint_fast64_t total; /* calls of all commands together */
    atomic_uint_fast64_t runs[PROGRAMS][COLUMNS], wrong[PROGRAMS][COLUMNS];
    atomic_uint_fast64_t seen[SEEN]; /* hashes of the places of wrong results */
};

static struct board *board;
static char programs[PROGRAMS][32];
static size_t program_count;
static char lines[LINES][1024];
static size_t line_count;
static const char *shim, *bin, *work;
static uint64_t sample, seed = 1;
static int only = -1;

/* Each job has its own. */
static struct fault_plan *plan;
static int plan_file, in_file, out_file, err_file, out_pipe[2], orders, ends;
static pid_t server;
static struct bytes before;

static void stop(const char *what)
{
    perror(what);
    exit(2);
}

static uint64_t mix(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *p = bytes;

    for (size_t i = 0; i < size; i++)
        hash = (hash ^ p[i]) * 1099511628211u;
    return hash ^ hash >> 29;
}

static bool same(struct bytes a, struct bytes b)
{
    return a.size == b.size && memcmp(a.data, b.data, a.size) == 0;
}

static void append(struct bytes *to, const void *data, size_t size)
{
    to->data = realloc(to->data, to->size + size + 1);
    if (!to->data)
        stop("memory");
    memcpy(to->data + to->size, data, size);
    to->size += size;
    to->data[to->size] = '\0';
}

/* All bytes of a descriptor from its current position to the end. */
static struct bytes slurp(int fd)
{
    struct bytes bytes = {0};
    char part[65536];
    ssize_t size;

    append(&bytes, "", 0);
    while ((size = read(fd, part, sizeof part)) > 0)
        append(&bytes, part, (size_t)size);
    return bytes;
}

static void free_result(struct result *result)
{
    free(result->out.data);
    free(result->err.data);
    free(result->files.data);
}

/* --- folders of a job ------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Appends the names and contents of a folder's files to *to; `clear` removes the files. */
static void snapshot(const char *folder, bool clear, struct bytes *to)
{
    char *names[256], path[4096];
    size_t count = 0;
    struct dirent *entry;
    DIR *dir = opendir(folder);

    if (!dir)
        stop(folder);
    while ((entry = readdir(dir)) != NULL && count < 256)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            names[count++] = strdup(entry->d_name);
    closedir(dir);
    qsort(names, count, sizeof *names, by_name);
    for (size_t i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        int file = open(path, O_RDONLY | O_CLOEXEC);
        struct bytes content = slurp(file);
        char head[4200];

        append(to, head, (size_t)snprintf(head, sizeof head, "\n== %s %zu\n", path, content.size));
        append(to, content.data, content.size);
        close(file);
        free(content.data);
        if (clear)
            unlink(path);
        free(names[i]);
    }
}

static void put_old(void)
{
    int file = open("out/old", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

    if (file < 0 || write(file, "old\n", 4) != 4)
        stop("out/old");
    close(file);
}

/* --- runs ------------------------------------------------------------------------------------- */

static void parse(struct command *command, const char *line)
{
    size_t count = 0;

    memset(command, 0, sizeof *command);
    snprintf(command->text, sizeof command->text, "%s", line);
    snprintf(command->copy, sizeof command->copy, "%s", line);
    for (char *word = command->copy, *end; word && count < WORDS; word = end) {
        end = strchr(word, ' ');
        if (end)
            *end++ = '\0';
        if (strcmp(word, "|") == 0)
            command->pipe = true;
        else if (strcmp(word, "~") == 0)
            command->own_memory = true;
        else if (word[0] == '<')
            command->input = word + 1;
        else
            command->words[count++] = word;
    }
}

static size_t program_of(const struct command *command)
{
    size_t k = 0;

    while (k < program_count && strcmp(programs[k], command->words[0]) != 0)
        k++;
    return k;
}

static void start_server(const struct command *command)
{
    char path[4096], preload[4096],
        *variables[] = {"FAULT_SERVER=1", preload, "TMPDIR=tmp", "LC_ALL=C", "TZ=UTC", NULL};
    int to_server[2], from_server[2];
    posix_spawn_file_actions_t actions;

    snprintf(path, sizeof path, "%s/%s", bin, command->words[0]);
    snprintf(preload, sizeof preload, "LD_PRELOAD=%s", shim);
    if (pipe2(to_server, O_CLOEXEC) != 0 || pipe2(from_server, O_CLOEXEC) != 0)
        stop("pipe");
    posix_spawn_file_actions_init(&actions);
    in_file = open(command->input ? command->input : "/dev/null", O_RDONLY | O_CLOEXEC);
    if (in_file < 0)
        stop(command->input);
    posix_spawn_file_actions_adddup2(&actions, in_file, 0);
    posix_spawn_file_actions_adddup2(&actions, command->pipe ? out_pipe[1] : out_file, 1);
    posix_spawn_file_actions_adddup2(&actions, err_file, 2);
    posix_spawn_file_actions_adddup2(&actions, to_server[0], FAULT_DESCRIPTOR);
    posix_spawn_file_actions_adddup2(&actions, from_server[1], FAULT_DESCRIPTOR + 1);
    posix_spawn_file_actions_adddup2(&actions, plan_file, FAULT_DESCRIPTOR + 2);
    if (posix_spawn(&server, path, &actions, NULL, command->words, variables) != 0)
        stop(path);
    posix_spawn_file_actions_destroy(&actions);
    close(to_server[0]);
    close(from_server[1]);
    orders = to_server[1];
    ends = from_server[0];
}

static void stop_server(void)
{
    close(orders);
    close(ends);
    close(in_file);
    waitpid(server, NULL, 0);
}

static void run(const struct command *command, int kind, uint64_t number, bool onward,
                struct result *result)
{
    plan->kind = (enum fault_kind)kind;
    plan->number = number;
    plan->onward = onward;
    plan->own_memory = command->own_memory;
    plan->failed = false;
    for (int i = 0; i < FAULT_KINDS; i++)
        plan->calls[i] = 0;
    if (ftruncate(out_file, 0) != 0 || ftruncate(err_file, 0) != 0)
        stop("truncate");
    lseek(in_file, 0, SEEK_SET);
    lseek(out_file, 0, SEEK_SET);
    lseek(err_file, 0, SEEK_SET);
    if (write(orders, "r", 1) != 1 ||
        read(ends, &result->status, sizeof result->status) != sizeof result->status) {
        fprintf(stderr, "sweep: the program did not start: %s\n", command->text);
        exit(2);
    }
    lseek(out_file, 0, SEEK_SET);
    lseek(err_file, 0, SEEK_SET);
    result->out = slurp(command->pipe ? out_pipe[0] : out_file);
    result->err = slurp(err_file);
    result->files = (struct bytes){0};
    snapshot("out", true, &result->files);
    snapshot("tmp", true, &result->files);
    put_old();
}

/* --- verdicts --------------------------------------------------------------------------------- */

/* True if at least one line of `err` is a right message for the fault, and every other line is a
 * warning or is in `clean`, the messages without a fault. */
static bool message_is_true(struct bytes err, struct bytes clean, int kind)
{
    bool found = false;
    char *line = err.data, *end;

    for (; line && *line; line = end ? end + 1 : NULL) {
        bool named = false;

        end = strchr(line, '\n');
        if (end)
            *end = '\0';
        for (int i = 0; i < 3 && messages[kind][i]; i++)
            named = named || strstr(line, messages[kind][i]);
        bool known = named || strstr(line, ": warning: ") ||
                     strstr(line, ": no run could be read") || strstr(clean.data, line);
        if (end)
            *end = '\n';
        if (!known)
            return false;
        found = found || named;
    }
    return found;
}

/* True if every file that is there is whole. With %s in the name of the output, several files
 * appear one after the other; with --manifest the output and then the manifest. */
static bool files_are_whole(struct bytes files, struct bytes clean)
{
    for (const char *part = files.data; part && *part;) {
        const char *next = strstr(part + 1, "\n== ");
        size_t size = next ? (size_t)(next - part) : strlen(part);

        if (!memmem(clean.data, clean.size, part, size))
            return false;
        part = next;
    }
    return true;
}

/* True if a reader would take `out` for a whole stream. Outputs of formats that do not say whether
 * they are complete count as incomplete. */
static bool is_complete(struct bytes out)
{
    static uint64_t known[1024];
    static bool answers[1024];
    uint64_t hash = mix(seed, out.data, out.size) | 1;
    char line[4200];

    if (out.size < 4 || memcmp(out.data, "\x89PFS", 4) != 0)
        return memmem(out.data, out.size, "\"complete\":true", 15) &&
               (!memmem(out.data, out.size, "<html", 5) ||
                memmem(out.data, out.size, "</html>", 7));
    if (known[hash % 1024] != hash) {
        int file = open("look", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        if (file < 0 || write(file, out.data, out.size) != (ssize_t)out.size)
            stop("look");
        close(file);
        snprintf(line, sizeof line, "%s/profcat -q -c look >/dev/null 2>&1", bin);
        known[hash % 1024] = hash;
        answers[hash % 1024] = system(line) == 0;
    }
    return answers[hash % 1024];
}

/* True if every file would also be there without a fault. The contents may differ: with
 * --keep-going the other inputs make the output. */
static bool files_are_known(struct bytes files, struct bytes clean)
{
    for (const char *part = files.data; part && *part; part = strstr(part + 1, "\n== ")) {
        size_t size = strcspn(part + 4, " ") + 4;

        if (!memmem(clean.data, clean.size, part, size))
            return false;
    }
    return true;
}

/* NULL if the result is right, else what is wrong. */
static const char *judge(const struct command *command, const struct result *result, int kind)
{
    const struct result *clean = &command->clean;
    bool prefix = result->out.size <= clean->out.size &&
                  memcmp(result->out.data, clean->out.data, result->out.size) == 0;
    int status = WIFEXITED(result->status) ? WEXITSTATUS(result->status) : -1;
    bool parts = strstr(command->text, "%s") || strstr(command->text, "--manifest"),
         keeps = strstr(command->text, "--keep-going");

    if (status < 0)
        return "killed by a signal";
    if (result->status == clean->status && same(result->out, clean->out) &&
        same(result->files, clean->files))
        return NULL;
    if (status != 3 && status != 4)
        return result->status == clean->status ? "another output, and the status of success"
                                               : "a wrong status";
    if (result->status == clean->status && same(result->err, clean->err))
        return prefix ? NULL : "another output";
    if (!message_is_true(result->err, clean->err, kind))
        return "a wrong message";
    if (!same(result->files, before) && !(parts && files_are_whole(result->files, clean->files)) &&
        !(keeps && status == 3 && files_are_known(result->files, clean->files)))
        return "a file is left";
    if ((!prefix || (same(result->out, clean->out) && kind != FAULT_CLOSE)) &&
        is_complete(result->out))
        return "a complete stream after a failure";
    return NULL;
}

/* --- findings --------------------------------------------------------------------------------- */

/* False if this place has been shown before. */
static bool is_new(const char *what, const struct command *command)
{
    uint64_t hash = mix(14695981039346656037u, what, strlen(what));

    hash = mix(hash, command->words[0], strlen(command->words[0]));
    for (int i = 0, used = 0; i < plan->frame_count && used < 5; i++) {
        uintptr_t at = plan->frames[i] - plan->base;
        if (at < 1 << 26)
            hash = mix(hash, &at, sizeof at), used++;
    }
    hash |= 1;
    for (size_t k = hash % SEEN;; k = (k + 1) % SEEN) {
        uint_fast64_t free_slot = 0;
        if (atomic_compare_exchange_strong(&board->seen[k], &free_slot, hash))
            return true;
        if (free_slot == hash)
            return false;
    }
}

static void show_place(const struct command *command, struct bytes *text)
{
    char line[4096];
    int used = snprintf(line, sizeof line, "addr2line 2>/dev/null -f -s -p -e %s/%s", bin,
                        command->words[0]);
    FILE *from;

    for (int i = 0; i < plan->frame_count; i++)
        if (plan->frames[i] - plan->base < 1 << 26)
            used += snprintf(line + used, sizeof line - (size_t)used, " %#lx",
                             (unsigned long)(plan->frames[i] - plan->base - 1));
    from = popen(line, "r");
    while (from && fgets(line, sizeof line, from)) {
        append(text, "    ", 4);
        append(text, line, strlen(line));
    }
    if (from)
        pclose(from);
}

static void show(const struct command *command, const struct result *result, const char *what,
                 int kind, uint64_t number, bool onward)
{
    struct bytes text = {0};
    char line[2048];

    append(&text, line,
           (size_t)snprintf(line, sizeof line, "not ok: %s\n    %s call %llu%s, status %#x: %s\n",
                            command->text, kinds[kind], (unsigned long long)number,
                            onward ? " and later" : "", (unsigned)result->status, what));
    append(&text, result->err.data, result->err.size < 600 ? result->err.size : 600);
    if (strcmp(what, "a file is left") == 0)
        append(&text, result->files.data, result->files.size < 200 ? result->files.size : 200);
    for (size_t i = 0; i < text.size; i++)
        if ((unsigned char)text.data[i] >= 0x7f ||
            ((unsigned char)text.data[i] < ' ' && text.data[i] != '\n'))
            text.data[i] = '?';
    show_place(command, &text);
    if (write(STDOUT_FILENO, text.data, text.size) < 0)
        stop("standard output");
    free(text.data);
}

/* --- jobs ------------------------------------------------------------------------------------- */

static bool chosen(size_t line, int kind, uint64_t number, bool onward)
{
    uint64_t what[] = {seed, line, (uint64_t)kind, number, onward};

    return sample == 0 || sample >= 2 * board->total ||
           mix(14695981039346656037u, what, sizeof what) % (2 * board->total) < sample;
}

static void sweep_command(size_t line, struct command *command)
{
    for (int kind = 0; kind < FAULT_KINDS; kind++)
        for (uint64_t i = 0; (only < 0 || only == kind) && i < 2 * command->calls[kind]; i++) {
            bool onward = i % 2 != 0;
            size_t program = program_of(command), column = (size_t)kind * 2 + onward;
            struct result result;
            const char *what;

            if (!chosen(line, kind, i / 2 + 1, onward))
                continue;
            run(command, kind, i / 2 + 1, onward, &result);
            what = judge(command, &result, kind);
            board->runs[program][column]++;
            if (what) {
                board->wrong[program][column]++;
                if (is_new(what, command))
                    show(command, &result, what, kind, i / 2 + 1, onward);
            }
            free_result(&result);
        }
}

/* Takes commands until none is left. The first pass counts the calls of all commands, the second
 * makes the faults. */
static void work_off(bool counting)
{
    struct command command;
    size_t line;

    while ((line = board->next++) < line_count) {
        parse(&command, lines[line]);
        start_server(&command);
        run(&command, 0, 0, false, &command.clean);
        for (int i = 0; i < FAULT_KINDS; i++)
            command.calls[i] = plan->calls[i];
        if (counting && WEXITSTATUS(command.clean.status) > 1)
            printf("status %d without a fault: %s\n%s", WEXITSTATUS(command.clean.status),
                   command.text, command.clean.err.data);
        if (counting)
            for (int i = 0; i < FAULT_KINDS; i++)
                board->total += command.calls[i];
        else
            sweep_command(line, &command);
        stop_server();
        free_result(&command.clean);
    }
}

static int memory_file(const char *name)
{
    int file = memfd_create(name, MFD_CLOEXEC);

    if (file < 0)
        stop(name);
    return file;
}

static void start_job(int number)
{
    char folder[4096];

    snprintf(folder, sizeof folder, "%s/job%d", work, number);
    if ((mkdir(folder, 0777) != 0 && errno != EEXIST) || chdir(folder) != 0)
        stop(folder);
    if (symlink("../in", "in") == 0 && (mkdir("out", 0777) != 0 || mkdir("tmp", 0777) != 0))
        stop(folder);
    put_old();
    snapshot("out", false, &before);
    out_file = open("stdout", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    err_file = memory_file("err");
    plan_file = memory_file("plan");
    if (out_file < 0 || ftruncate(plan_file, sizeof *plan) != 0)
        stop("stdout");
    plan = mmap(NULL, sizeof *plan, PROT_READ | PROT_WRITE, MAP_SHARED, plan_file, 0);
    if (plan == MAP_FAILED || pipe2(out_pipe, O_CLOEXEC) != 0)
        stop("mmap");
    fcntl(out_pipe[1], F_SETPIPE_SZ, 1024 * 1024);
    fcntl(out_pipe[0], F_SETFL, O_NONBLOCK);
}

static void run_jobs(int jobs, bool counting)
{
    int status;

    fflush(stdout);
    board->next = 0;
    for (int i = 0; i < jobs; i++)
        if (fork() == 0) {
            start_job(i);
            work_off(counting);
            exit(0);
        }
    for (int i = 0; i < jobs; i++)
        if (wait(&status) < 0 || status != 0)
            exit(2);
}

static uint64_t print_table(void)
{
    uint64_t sum = 0, wrong = 0;

    printf("%-12s", "runs/wrong");
    for (int k = 0; k < COLUMNS; k++)
        printf(" %11s%s", kinds[k / 2], k % 2 ? "+" : " ");
    printf("\n");
    for (size_t p = 0; p < program_count; p++) {
        printf("%-12s", programs[p]);
        for (int k = 0; k < COLUMNS; k++) {
            char cell[48];
            snprintf(cell, sizeof cell, "%llu/%llu", (unsigned long long)board->runs[p][k],
                     (unsigned long long)board->wrong[p][k]);
            printf(" %12s", cell);
            sum += board->runs[p][k];
            wrong += board->wrong[p][k];
        }
        printf("\n");
    }
    printf("%llu runs of %llu, %llu wrong (+: all later calls of the kind fail too)\n",
           (unsigned long long)sum, (unsigned long long)(2 * board->total),
           (unsigned long long)wrong);
    return wrong;
}

static void read_commands(void)
{
    while (line_count < LINES && fgets(lines[line_count], sizeof lines[0], stdin)) {
        struct command command;
        lines[line_count][strcspn(lines[line_count], "\n")] = '\0';
        if (lines[line_count][0] == '\0' || lines[line_count][0] == '#')
            continue;
        parse(&command, lines[line_count++]);
        if (program_of(&command) == program_count && program_count < PROGRAMS)
            snprintf(programs[program_count++], sizeof programs[0], "%s", command.words[0]);
    }
}

int main(int argc, char **argv)
{
    int option, jobs = 1;

    while ((option = getopt(argc, argv, "j:n:s:k:")) >= 0) {
        if (option == 'j')
            jobs = (int)strtol(optarg, NULL, 10);
        else if (option == 'n')
            sample = strtoull(optarg, NULL, 10);
        else if (option == 's')
            seed = strtoull(optarg, NULL, 10);
        else
            for (only = 0; only < FAULT_KINDS - 1 && strcmp(kinds[only], optarg) != 0;)
                only++;
    }
    if (argc - optind != 3) {
        fprintf(stderr,
                "usage: sweep [-j JOBS] [-n RUNS] [-s SEED] [-k KIND] SHIM BIN WORK <COMMANDS\n");
        return 2;
    }
    shim = argv[optind];
    bin = argv[optind + 1];
    work = argv[optind + 2];
    board = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (board == MAP_FAILED)
        stop("mmap");
    signal(SIGPIPE, SIG_IGN);
    read_commands();
    run_jobs(jobs, true);
    run_jobs(jobs, false);
    return print_table() > 0 ? 1 : 0;
}

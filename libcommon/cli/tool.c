#include "cli/tool.h"

#include "base/escape.h"
#include "base/memory.h"
#include "base/number.h"
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>
#include <zlib.h>

/* A file to remove at the end. Entries are reused and never freed, so that a signal may come at any
 * time, also in another thread. */
struct pf_temporary {
    char *volatile path; /* NULL: the entry is free */
    struct pf_temporary *next, *next_free;
};

/* Global, because signal and exit handlers take no argument. */
static struct pf_temporary *volatile temporaries;
static struct pf_temporary *free_temporaries;

static void remove_temporaries(void)
{
    for (const struct pf_temporary *entry = temporaries; entry; entry = entry->next)
        if (entry->path)
            unlink(entry->path);
}

static void remove_and_die(int number)
{
    remove_temporaries();
    raise(number); /* SA_RESETHAND: now the default action */
}

/* Some libraries cannot report that memory runs out: snappy throws a C++ exception, jansson fails
 * an assertion. Their allocations end the program, in any thread: by _exit, as two threads must not
 * call exit at once. */
static const char *program;

void pf_tool_end_without_memory(void)
{
    struct pf_tool tool = {.name = program};
    pf_tool_error(&tool, "out of memory");
    remove_temporaries();
    _exit(PF_EXIT_FAILURE);
}

static void *allocate_or_end(size_t size)
{
    void *memory = malloc(size);
    if (!memory)
        pf_tool_end_without_memory();
    return memory;
}

/* std::set_new_handler under the name that C++ compilers give it; NULL if no library is in C++. */
extern void (*set_new_handler(void (*)(void)))(void) __asm__("_ZSt15set_new_handlerPFvvE")
    __attribute__((weak));

static void guard_libraries(void)
{
    json_set_alloc_funcs(allocate_or_end, free);
    if (set_new_handler)
        set_new_handler(pf_tool_end_without_memory);
}

struct pf_temporary *pf_tool_temporary(struct pf_tool *tool, const char *path)
{
    struct pf_temporary *entry = free_temporaries;
    char *copy = strdup(path);

    if (entry)
        free_temporaries = entry->next_free;
    else if (copy && (entry = calloc(1, sizeof *entry)) != NULL) {
        entry->next = temporaries;
        temporaries = entry;
    }
    if (!copy || !entry) {
        unlink(path);
        pf_tool_nomem(tool);
    }
    entry->path = copy;
    return entry;
}

void pf_tool_temporary_done(struct pf_temporary *entry)
{
    if (!entry)
        return;
    char *path = entry->path;
    entry->path = NULL;
    free(path);
    entry->next_free = free_temporaries;
    free_temporaries = entry;
}

/* The next file that is opened would get the number of a closed standard descriptor, and messages
 * would end up in that file. /dev/null takes the number, opened in the wrong direction, so that
 * using the descriptor still fails. In ascending order: open returns the lowest free number. */
static void open_missing(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            _exit(PF_EXIT_FAILURE);
}

void pf_tool_start(struct pf_tool *tool, const char *name)
{
    open_missing();
    memset(tool, 0, sizeof *tool);
    tool->name = program = name;
    guard_libraries();
    if (atexit(remove_temporaries) != 0)
        pf_tool_nomem(tool);
    struct sigaction action = {.sa_handler = remove_and_die,
                               .sa_flags = (int)(SA_RESETHAND | SA_NODEFER)};
    sigemptyset(&action.sa_mask);
    /* a parent may have ignored SIGPIPE; a closed pipe must end the program quietly */
    sigaction(SIGPIPE, &action, NULL);
    static const int ends[] = {SIGINT,  SIGTERM, SIGHUP,    SIGQUIT, SIGALRM,
                               SIGUSR1, SIGUSR2, SIGVTALRM, SIGPROF, SIGXCPU};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct sigaction before;
        if (sigaction(ends[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(ends[i], &action, NULL);
    }
    /* at a limit on the size of files a write must fail, with a message */
    action.sa_handler = SIG_IGN;
    sigaction(SIGXFSZ, &action, NULL);
}

/* Shows a line of progress on standard error in place of the line before; NULL removes it. */
static void show_line(struct pf_tool *tool, const char *text)
{
    bool terminal = isatty(STDERR_FILENO);
    if (text && terminal && tool->line_over)
        return;
    if (text)
        fprintf(stderr, terminal ? "\r%s: %s\033[K" : "%s: %s\n", tool->name, text);
    else if (tool->line_shown)
        fputs("\r\033[K", stderr);
    tool->line_shown = text && terminal;
}

/* Prints a text. Names in messages come from files, so characters that control a terminal or change
 * the direction of text are escaped, as in tables. */
static void print_safely(FILE *stream, struct pf_bytes rest)
{
    while (rest.size > 0) {
        char escape[PF_TEXT_ESCAPE];
        size_t size = pf_text_next(rest, escape);

        if (escape[0])
            fputs(escape, stream);
        else
            fwrite(rest.data, 1, size, stream);
        rest.data += size;
        rest.size -= size;
    }
}

static void print_message(struct pf_tool *tool, const char *prefix, const char *format,
                          va_list args)
{
    char text[4096];
    show_line(tool, NULL);
    vsnprintf(text, sizeof text, format, args);
    fprintf(stderr, "%s: %s", tool->name, prefix);
    print_safely(stderr, pf_bytes_of(text));
    fputc('\n', stderr);
}

void pf_tool_note(struct pf_tool *tool, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (tool->verbose)
        print_message(tool, "", format, args);
    va_end(args);
}

void pf_tool_warn(struct pf_tool *tool, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!tool->quiet)
        print_message(tool, "warning: ", format, args);
    va_end(args);
}

void pf_tool_error(struct pf_tool *tool, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_message(tool, "", format, args);
    va_end(args);
}

static void report(void *arg, enum pf_severity severity, const char *text)
{
    struct pf_tool *tool = arg;

    if (severity == PF_WARNING)
        pf_tool_warn(tool, "%s", text);
    else
        pf_tool_note(tool, "%s", text);
}

struct pf_report pf_tool_report(struct pf_tool *tool)
{
    return (struct pf_report){report, tool};
}

void pf_tool_usage(struct pf_tool *tool, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_message(tool, "", format, args);
    va_end(args);
    pf_tool_usage_printed(tool);
}

void pf_tool_check(struct pf_tool *tool, int status, const struct pf_error *error)
{
    if (status == PF_NOMEM)
        pf_tool_nomem(tool);
    if (status != PF_OK)
        pf_tool_usage(tool, "%s", error->text);
}

void pf_tool_usage_printed(struct pf_tool *tool)
{
    fprintf(stderr, "Try '%s --help' for more information.\n", tool->name);
    exit(PF_EXIT_USAGE);
}

void pf_tool_raise(struct pf_tool *tool, enum pf_exit status)
{
    if (status > tool->status)
        tool->status = status;
}

void pf_tool_fail(struct pf_tool *tool, const char *what, const struct pf_error *error, bool output)
{
    char offset[48] = "";
    if (error->code == PF_IO)
        what = NULL; /* the text already names what the system refused */
    if (error->has_offset)
        snprintf(offset, sizeof offset, "offset %" PRIu64 ": ", error->offset);
    pf_tool_error(tool, "%s%s%s%s", what ? what : "", what ? ": " : "", offset, error->text);
    pf_tool_raise(tool, error->code == PF_USAGE             ? PF_EXIT_USAGE
                        : output || error->code == PF_NOMEM ? PF_EXIT_FAILURE
                                                            : PF_EXIT_INPUT);
}

void pf_tool_die(struct pf_tool *tool, const char *what, const struct pf_error *error, bool output)
{
    pf_tool_fail(tool, what, error, output);
    exit((int)tool->status);
}

void pf_tool_nomem(struct pf_tool *tool)
{
    struct pf_error error = {0};
    pf_error_nomem(&error);
    pf_tool_die(tool, NULL, &error, true);
}

bool pf_tool_good(struct pf_tool *tool, const char *what, int status, const struct pf_error *error)
{
    if (status == PF_NOMEM)
        pf_tool_nomem(tool);
    if (status != PF_OK)
        pf_tool_fail(tool, what, error, false);
    return status == PF_OK;
}

void pf_tool_check_memory(struct pf_tool *tool, int status)
{
    if (status != PF_OK)
        pf_tool_nomem(tool);
}

void *pf_tool_calloc(struct pf_tool *tool, size_t count, size_t size)
{
    return pf_tool_checked(tool->name, calloc(count, size));
}

void pf_tool_stop_failed(const struct pf_tool *tool)
{
    if (tool->status >= PF_EXIT_INPUT && !tool->keep_going)
        pf_tool_quit(tool);
}

void pf_tool_quit(const struct pf_tool *tool)
{
    exit((int)tool->status);
}

void *pf_tool_checked(const char *name, void *memory)
{
    struct pf_tool tool = {.name = name};
    if (!memory)
        pf_tool_nomem(&tool);
    return memory;
}

int pf_tool_print(FILE *stream, const char *format, ...)
{
    struct pf_buffer text = {0};
    bool ended;
    va_list args;

    va_start(args, format);
    pf_buffer_vprintf(&text, format, args);
    va_end(args);
    ended = text.size > 0 && text.data[text.size - 1] == '\n';
    print_safely(stream, (struct pf_bytes){text.data, text.size - ended});
    if (ended)
        fputc('\n', stream);
    pf_buffer_free(&text);
    return 0;
}

/* Closes standard output and exits: 0, or 4 if a write or the close failed. */
static _Noreturn void end_stdout(struct pf_tool *tool)
{
    bool failed = ferror(stdout) != 0;
    if (fclose(stdout) != 0 || failed) {
        pf_tool_error(tool, "cannot write standard output: %s", strerror(errno));
        exit(PF_EXIT_FAILURE);
    }
    exit(PF_EXIT_DONE);
}

void pf_tool_help(struct pf_tool *tool, const char *usage, const char *purpose,
                  const char *const *lines)
{
    printf("%s\n\n%s\n\n", usage, purpose);
    for (; *lines; lines++)
        puts(*lines);
    end_stdout(tool);
}

void pf_tool_version(struct pf_tool *tool)
{
    printf("%s (profutils) %s\n", tool->name, PF_VERSION);
#if defined(__clang__)
    printf("built with clang %d.%d", __clang_major__, __clang_minor__);
#elif defined(__GNUC__)
    printf("built with gcc %d.%d", __GNUC__, __GNUC_MINOR__);
#endif
    printf("; runs with zlib %s, jansson %s, xxhash %u.%u.%u\n", zlibVersion(),
           jansson_version_str(), XXH_versionNumber() / 10000, XXH_versionNumber() / 100 % 100,
           XXH_versionNumber() % 100);
    if (tool->verbose)
        printf("hardening: %s\n", PF_HARDENED);
    end_stdout(tool);
}

void pf_tool_sink_exit(struct pf_tool *tool, struct pf_sink *sink)
{
    struct pf_error error = {0};
    if (pf_sink_commit(sink, &error) < 0)
        pf_tool_fail(tool, NULL, &error, true);
    exit((int)tool->status);
}

int pf_tool_finish(struct pf_tool *tool)
{
    show_line(tool, NULL);
    return (int)tool->status;
}

void pf_tool_line_over(void *tool)
{
    struct pf_tool *own = tool;
    show_line(own, NULL);
    own->line_over = true;
}

/* --- progress --------------------------------------------------------------------------------- */

enum { QUIET_MS = 1000, STEP_MS = 250 };

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void pf_progress_start(struct pf_progress *progress, struct pf_tool *tool, uint64_t total)
{
    progress->tool = tool;
    progress->total = total;
    progress->wanted = tool->progress == PF_ALWAYS ||
                       (tool->progress == PF_AUTO && !tool->quiet && isatty(STDERR_FILENO));
    progress->started = progress->shown = progress->wanted ? now_ms() : 0;
    progress->shown += QUIET_MS - STEP_MS;
}

void pf_progress_update(struct pf_progress *progress, uint64_t done)
{
    int64_t now;

    if (!progress->wanted || (now = now_ms()) < progress->shown + STEP_MS)
        return;
    progress->shown = now;
    char text[128];
    double seconds = (double)(now - progress->started) / 1000, mib = (double)done / (1024 * 1024);
    int used = snprintf(text, sizeof text, "%.1f MiB, %.1f MiB/s", mib, mib / seconds);
    if (progress->total && done && done <= progress->total)
        snprintf(text + used, sizeof text - (size_t)used, ", %.0f%%, eta %.0f s",
                 100 * (double)done / (double)progress->total,
                 seconds * (double)(progress->total - done) / (double)done);
    show_line(progress->tool, text);
}

void pf_progress_end(struct pf_progress *progress)
{
    if (progress->wanted)
        show_line(progress->tool, NULL);
}

/* --- terminal --------------------------------------------------------------------------------- */

bool pf_tool_colors(const struct pf_tool *tool, const struct pf_sink *sink)
{
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    if (tool->color != PF_AUTO)
        return tool->color == PF_ALWAYS;
    return sink->terminal && !(no_color && *no_color) && !(term && strcmp(term, "dumb") == 0);
}

/* The locale decides only how the output looks. Comparing and matching work on bytes, so the output
 * of a program does not depend on the locale. */
bool pf_tool_utf8(void)
{
    locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
    if (!locale)
        return false;
    bool utf8 = strcmp(nl_langinfo_l(CODESET, locale), "UTF-8") == 0;
    freelocale(locale);
    return utf8;
}

static unsigned terminal_size(const struct pf_sink *sink, bool columns)
{
    struct winsize size;
    const char *said = getenv(columns ? "COLUMNS" : "LINES");
    int64_t number;
    if (!sink->terminal)
        return 0;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col && size.ws_row)
        return columns ? size.ws_col : size.ws_row;
    if (said && pf_parse_int(pf_bytes_of(said), 1, UINT16_MAX, &number))
        return (unsigned)number;
    return columns ? 80 : 24;
}

unsigned pf_tool_columns(const struct pf_sink *sink)
{
    return terminal_size(sink, true);
}

unsigned pf_tool_rows(const struct pf_sink *sink)
{
    return terminal_size(sink, false);
}

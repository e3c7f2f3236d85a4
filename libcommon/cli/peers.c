#include "cli/peers.h"

#include "base/decimal.h"
#include "base/error.h"
#include "base/scan.h"
#include "cli/command.h"

#include <inttypes.h>
#include <string.h>

enum { STRONG = PF_ALL + 1 };

/* Words that users of other tools type, and the option that does the same here. Words are separated
 * by blanks; '_' is written '-'. `word=` needs an argument, `word=VALUE` this argument. `programs`:
 * the programs of the answer; STRONG: the word counts even if it is short for an option of the
 * program, or is an option of proffilter. In an answer @ is replaced by the word, and <TEXT> by the
 * argument that was typed:
 * <*TEXT> by 100 times a fraction, <,TEXT> with a backslash before commas, <N%> with a % behind a
 * number, <KEY=RE> by KEY=ARGUMENT unless the argument names a key. The first line that fits
 * counts. */
static const struct pf_peer {
    const char *words;
    unsigned programs;
    const char *answer;
} peers[] = {
    {"json csv tsv ndjson", PF_ALL, "-t @"},
    {"text", PF_ALL, "-t text"},
    {"svg html", PF_CAT | PF_MERGE | PF_DIFF | PF_FILTER, "-t @"},
    {"svg html", PF_TOP, "profcat -t @"},
    {"http web flame flamegraph", PF_ALL, "profcat -t html -o profile.html FILE"},
    {"dot gif png pdf ps eog evince gv", PF_ALL, "profcat -t svg -o profile.svg FILE"},
    {"proto", PF_CAT | PF_MERGE | PF_FILTER, "-o profile.pb.gz"},
    {"proto", PF_TOP | PF_DIFF, "profcat -o profile.pb.gz FILE"},
    {"collapsed", PF_CAT | PF_MERGE | PF_DIFF | PF_FILTER, "-t folded"},
    {"collapsed", PF_TOP, "profcat -t folded FILE"},
    {"folded", PF_DIFF, "-t folded"},
    {"callgrind folded pprof speedscope", PF_CAT | PF_MERGE | PF_FILTER, "-t @"},
    {"callgrind folded pprof speedscope", PF_TOP | PF_DIFF, "profcat -t @ FILE"},
    {"raw traces", PF_ALL, "profcat -t text FILE"},
    {"format=flamegraph output-format=flamegraph", PF_ALL, "profcat -t svg -o profile.svg FILE"},
    {"format=raw output-format=raw format=collapsed output-format=collapsed",
     PF_CAT | PF_MERGE | PF_FILTER, "-t folded"},
    {"format=raw output-format=raw format=collapsed output-format=collapsed", PF_TOP | PF_DIFF,
     "profcat -t folded FILE"},
    {"format=folded format=pprof format=callgrind format=speedscope format=svg format=html", PF_TOP,
     "profcat -t <FORMAT> FILE"},
    {"format output-format", PF_ALL | STRONG, "-t <FORMAT>"},
    {"input-format", PF_ALL, "-f <FORMAT>"},
    {"input", PF_ALL, "the file alone: <FILE>"},
    {"jobs", PF_ALL, "--threads=<N>"},
    {"event metric sample-type", PF_ALL, "--measure=<NAME>"},
    {"top", PF_TOP, "-n <N> (the table of the top rows is the default)"},
    {"top", PF_CAT | PF_MERGE | PF_DIFF | PF_FILTER, "proftop"},
    {"nodecount number head", PF_TOP | PF_DIFF, "--limit=<N>"},
    {"trim", PF_TOP | PF_DIFF, "-n 0 for all rows"},
    {"threshold=99 threshold=100", PF_TOP, "-n 0 for all rows"},
    {"percent-limit threshold", PF_TOP, "--min-percent=<PERCENT>"},
    {"nodefraction", PF_TOP, "--min-percent=<*PERCENT>"},
    {"cumulative inclusive total children", PF_TOP | PF_DIFF, "--cum"},
    {"self flat exclusive no-children", PF_TOP, "--sort=flat (the default)"},
    {"functions", PF_TOP | PF_DIFF, "--by=function"},
    {"lines", PF_TOP | PF_DIFF, "--by=line"},
    {"files", PF_TOP | PF_DIFF | STRONG, "--by=file"},
    {"functions", PF_CAT | PF_MERGE | PF_FILTER, "proftop --by=function"},
    {"lines", PF_CAT | PF_MERGE | PF_FILTER, "proftop --by=line"},
    {"files", PF_CAT | PF_MERGE | PF_FILTER | STRONG, "proftop --by=file"},
    {"addresses", PF_TOP | PF_DIFF, "--by=address"},
    {"dsos= dso=", PF_TOP, "proffilter --leaf=<RE> FILE | proftop"},
    {"dsos= dso=", PF_FILTER, "--leaf=<RE>"},
    {"dsos dso", PF_TOP | PF_DIFF, "--by=image"},
    {"comms= comm=", PF_TOP | PF_CAT, "proffilter --label=comm=<RE> FILE | proftop"},
    {"comms= comm=", PF_FILTER | PF_MERGE | PF_DIFF, "--label=comm=<RE>"},
    {"comms comm", PF_TOP | PF_DIFF, "--by=label:comm"},
    {"tid= pid=", PF_TOP | PF_CAT, "proffilter --label=@=<N> FILE | proftop"},
    {"tid= pid=", PF_FILTER | PF_MERGE | PF_DIFF, "--label=@=<N>"},
    {"tid pid", PF_TOP | PF_DIFF, "--by=label:@"},
    {"granularity=functions granularity=filefunctions", PF_TOP | PF_DIFF | STRONG, "--by=function"},
    {"granularity=files", PF_TOP | PF_DIFF | STRONG, "--by=file"},
    {"granularity=lines", PF_TOP | PF_DIFF | STRONG, "--by=line"},
    {"granularity=addresses", PF_TOP | PF_DIFF | STRONG, "--by=address"},
    {"group-by groupby", PF_TOP | PF_DIFF, "--by=<KEY>"},
    {"tags", PF_TOP | PF_DIFF, "--by=label:KEY"},
    {"auto", PF_TOP, "--list=."},
    {"weblist disasm annotate", PF_TOP, "--list=<RE>"},
    {"call-graph", PF_TOP, "--tree"},
    {"units", PF_TOP | PF_DIFF, "--unit=<UNIT>"},
    {"noinlines", PF_CAT | PF_TOP | PF_DIFF, "--no-inlines"},
    {"symbolize", PF_CAT | PF_TOP | PF_DIFF, "--binary=PROG"},
    {"symbolize", PF_MERGE | PF_FILTER, "profcat --binary=PROG first"},
    {"exe executable objfile", PF_CAT | PF_TOP | PF_DIFF, "--binary=<PROG>"},
    {"exe executable objfile binary", PF_MERGE | PF_FILTER, "profcat --binary=<PROG> first"},
    {"symbols", PF_MERGE | PF_FILTER, "profcat --symbols=<FILE> first"},
    {"debuginfod", PF_CAT | PF_TOP | PF_DIFF, "--symbols-from=DIR"},
    {"debuginfod", PF_MERGE | PF_FILTER, "profcat --symbols-from=DIR first"},
    {"buildid-dir debug-dir debug-file-directory symbol-dir symfs", PF_CAT | PF_TOP | PF_DIFF,
     "--symbols-from=<DIR>"},
    {"buildid-dir debug-dir debug-file-directory symbol-dir symfs symbols-from",
     PF_MERGE | PF_FILTER, "profcat --symbols-from=<DIR> first"},
    {"base diff-base compare diff", PF_ALL, "profdiff <BEFORE> AFTER"},
    {"threshold", PF_DIFF, "--fail-above=<N%>"},
    {"fail-above min-delta only stats", PF_CAT | PF_MERGE | PF_FILTER | PF_TOP, "profdiff --@"},
    {"cum by tree peek list callers callees edges sort limit min-percent unit",
     PF_CAT | PF_MERGE | PF_FILTER, "proftop --@"},
    {"tree peek list callers callees edges", PF_DIFF, "profdiff -t pfs BEFORE AFTER | proftop --@"},
    {"merge", PF_CAT | PF_FILTER | PF_TOP | PF_DIFF, "profmerge FILE..."},
    {"weight weights mean", PF_CAT | PF_FILTER | PF_TOP | PF_DIFF, "profmerge --@"},
    {"probe info", PF_MERGE | PF_FILTER | PF_TOP | PF_DIFF, "profcat --probe FILE"},
    {"header count set-label expand-edges", PF_MERGE | PF_FILTER | PF_TOP | PF_DIFF, "profcat --@"},
    {"split", PF_CAT | PF_MERGE | PF_TOP | PF_DIFF,
     "proffilter --split=<KEY> -o 'DIR/%s.pfs' FILE"},
    {"colors=auto colors=always colors=never", PF_ALL, "--color=<WHEN>"},
    {"inverted", PF_TOP, "--tree"},
    {"title subtitle width height minwidth fontsize colors countname",
     PF_CAT | PF_MERGE | PF_DIFF | PF_FILTER, "-t svg:@=<,VALUE>"},
    {"title subtitle width height minwidth fontsize colors countname", PF_TOP,
     "profcat -t svg:@=<,VALUE> -o profile.svg FILE"},
    {"inverted reverse negate", PF_CAT | PF_MERGE | PF_DIFF | PF_FILTER, "-t svg:@=yes"},
    {"reverse negate", PF_TOP, "profcat -t svg:@=yes -o profile.svg FILE"},
    {"tagfocus tag", PF_FILTER | PF_MERGE | PF_DIFF, "--label=<KEY=RE>"},
    {"tagignore", PF_FILTER | PF_MERGE | PF_DIFF, "--ignore-label=<KEY=RE>"},
    {"tagroot", PF_FILTER, "--root-label=<KEY>"},
    {"tagleaf", PF_FILTER, "--leaf-label=<KEY>"},
    {"filter include match grep", PF_FILTER | PF_MERGE | PF_DIFF, "--focus=<RE>"},
    {"exclude", PF_FILTER | PF_MERGE | PF_DIFF, "--ignore=<RE>"},
    {"invert-match", PF_FILTER, "--invert"},
    {"depth", PF_FILTER, "--max-depth=<N>"},
};

unsigned pf_peer_program(const char *name)
{
    static const char *const names[] = {"profcat", "profmerge", "profdiff", "proffilter",
                                        "proftop"};

    for (unsigned k = 0; k < sizeof names / sizeof *names; k++)
        if (strcmp(name, names[k]) == 0)
            return 1u << k;
    return 0;
}

/* --- searching -------------------------------------------------------------------------------- */

/* True if the words have the option: `name`, `name=` and an argument, or `name=VALUE`. */
static bool has_option(const char *words, struct pf_bytes option, const char *argument)
{
    for (const char *at = words; *at != '\0';) {
        size_t size = strcspn(at, " "), name = strcspn(at, "= ");
        struct pf_bytes value = {at + name + 1, size - name - (name < size)};

        if (pf_bytes_equal((struct pf_bytes){at, name}, option) &&
            (name == size ||
             (argument && (value.size == 0 || pf_bytes_equal(value, pf_bytes_of(argument))))))
            return true;
        at += size + strspn(at + size, " ");
    }
    return false;
}

const struct pf_peer *pf_peer_find(unsigned program, struct pf_bytes name, const char *value,
                                   bool strong)
{
    for (size_t k = 0; k < sizeof peers / sizeof *peers; k++)
        if (peers[k].programs & program && (!strong || peers[k].programs & STRONG) &&
            has_option(peers[k].words, name, value))
            return &peers[k];
    return NULL;
}

/* --- answers ---------------------------------------------------------------------------------- */

/* 100 times a fraction: 5 for 0.05. An argument that is not a number stays. */
static void append_percent(struct pf_buffer *text, const char *fraction)
{
    int64_t value;
    unsigned places;

    if (pf_decimal_shortest(pf_bytes_of(fraction), &value, &places) == PF_OK &&
        value <= INT64_MAX / 100) {
        char number[PF_DECIMAL_TEXT];

        pf_print_parts((pf_int128)value * 100, (uint64_t)pf_power_of_ten(places), PF_POWER_MAX,
                       number);
        pf_command_text(text, number);
    } else {
        pf_command_word(text, fraction);
    }
}

/* Reads a limit of a range as pprof writes it, such as 32mb; none: *limit is empty. */
static bool read_limit(struct pf_bytes text, struct pf_buffer *limit)
{
    static const char suffixes[] = "b=1,kb=1024,mb=1048576,gb=1073741824,B=1,kB=1024,MB=1048576,"
                                   "GB=1073741824,ns=1,us=1000,ms=1000000,s=1000000000";
    int64_t value;

    if (text.size == 0)
        return true;
    if (!pf_parse_scaled(text, suffixes, &value))
        return false;
    pf_buffer_printf(limit, "%" PRId64, value);
    return true;
}

/* Appends a range of numbers LOW:HIGH, or a number as the range from itself to itself. False:
 * something else, nothing is appended. */
static bool append_range(struct pf_buffer *text, struct pf_bytes range)
{
    struct pf_bytes rest = range, low;
    struct pf_buffer from = {0}, to = {0};
    bool two = pf_scan_field(&rest, ':', &low), good = read_limit(low, &from) &&
                                                       read_limit(two ? rest : low, &to) &&
                                                       from.size + to.size > 0;

    if (good) {
        pf_buffer_append(text, from.data, from.size);
        pf_command_text(text, ":");
        pf_buffer_append(text, to.data, to.size);
    }
    text->failed |= from.failed || to.failed;
    pf_buffer_free(&from);
    pf_buffer_free(&to);
    return good;
}

void pf_peer_label(struct pf_buffer *text, const char *argument)
{
    struct pf_buffer word = {0};
    struct pf_bytes value = pf_bytes_of(argument);
    size_t name = strcspn(argument, ":=");

    pf_command_text(&word, "KEY=");
    if (!append_range(&word, value)) {
        if (name < value.size) {
            word.size = 0;
            value = pf_bytes_skip(value, name + 1);
            pf_buffer_append(&word, argument, name);
            pf_command_text(&word, "=");
        }
        if (name == strlen(argument) || !append_range(&word, value))
            pf_buffer_append(&word, value.data, value.size);
    }
    text->failed |= !pf_buffer_byte(&word, '\0');
    if (!text->failed)
        pf_command_word(text, word.data);
    pf_buffer_free(&word);
}

/* A value of an option of a format: a backslash stands before commas and backslashes. */
static void append_value(struct pf_buffer *text, const char *argument)
{
    struct pf_buffer word = {0};

    for (; *argument != '\0'; argument++) {
        if (*argument == ',' || *argument == '\\')
            pf_buffer_byte(&word, '\\');
        pf_buffer_append(&word, argument, 1);
    }
    text->failed |= !pf_buffer_byte(&word, '\0');
    if (!text->failed)
        pf_command_word(text, word.data);
    pf_buffer_free(&word);
}

/* Appends the argument that was typed, as the placeholder says; NULL: the placeholder itself. */
static void append_argument(struct pf_buffer *text, struct pf_bytes placeholder,
                            const char *argument)
{
    bool marked = placeholder.data[0] == '*' || placeholder.data[0] == ',';
    size_t size = argument ? strlen(argument) : 0;

    if (!argument) {
        placeholder = pf_bytes_skip(placeholder, marked);
        pf_buffer_append(text, placeholder.data, placeholder.size);
    } else if (placeholder.data[0] == '*') {
        append_percent(text, argument);
    } else if (placeholder.data[0] == ',') {
        append_value(text, argument);
    } else if (memchr(placeholder.data, '=', placeholder.size)) {
        pf_peer_label(text, argument);
    } else {
        pf_command_word(text, argument);
        if (pf_bytes_ends(placeholder, PF_BYTES("%")) && size > 0 && pf_digit(argument[size - 1]))
            pf_command_text(text, "%");
    }
}

void pf_peer_answer(const struct pf_peer *peer, struct pf_bytes name, const char *value,
                    struct pf_buffer *text)
{
    for (const char *p = peer->answer; *p != '\0'; p++) {
        size_t size = strcspn(p, ">");

        if (*p == '@') {
            pf_buffer_append(text, name.data, name.size);
            if (value && strstr(peer->answer, "--@")) {
                pf_command_text(text, "=");
                pf_command_word(text, value);
            }
        } else if (*p == '<') {
            append_argument(text, (struct pf_bytes){p + 1, size - 1}, value);
            p += size;
        } else {
            pf_buffer_append(text, p, 1);
        }
    }
}

#include "codec/registry.h"

#include "base/scan.h"
#include "io/json_look.h"

#include <string.h>
#include <strings.h>

/* bytes in which formats look for evidence; bytes in which other kinds of files are recognised */
enum { WINDOW = 64 * 1024, HEAD = 256 };

#define PF_FORMAT(name) extern const struct pf_format pf_format_##name;
#include "codec/formats.def"
#undef PF_FORMAT

static const struct pf_format *const formats[] = {
#define PF_FORMAT(name) &pf_format_##name,
#include "codec/formats.def"
#undef PF_FORMAT
};

const struct pf_format *pf_registry_format(size_t k)
{
    return k < sizeof formats / sizeof *formats ? formats[k] : NULL;
}

const struct pf_format *pf_registry_find(struct pf_bytes name)
{
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++)
        if (pf_bytes_equal(pf_bytes_of(formats[k]->name), name))
            return formats[k];
    return NULL;
}

/* Ignores case. False if `end` is all of `path`. */
static bool ends_with(struct pf_bytes path, const char *end, size_t size)
{
    return size < path.size && strncasecmp(path.data + path.size - size, end, size) == 0;
}

/* Length of the longest of the suffixes (separated by blanks) that `path` ends with; 0: none. */
static size_t suffix_match(const char *suffixes, struct pf_bytes path)
{
    size_t best = 0;
    for (const char *at = suffixes; at && *at;) {
        size_t size = strcspn(at, " ");
        if (size > best && ends_with(path, at, size))
            best = size;
        at += size + strspn(at + size, " ");
    }
    return best;
}

static const struct pf_format *written_as(struct pf_bytes path)
{
    const struct pf_format *found = NULL;
    size_t best = 0;
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
        size_t size = formats[k]->write ? suffix_match(formats[k]->suffixes, path) : 0;
        if (size > best) {
            best = size;
            found = formats[k];
        }
    }
    return found;
}

static const struct pf_format *read_as(struct pf_bytes path)
{
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
        size_t size = strlen(formats[k]->name);
        bool called = ends_with(path, formats[k]->name, size) &&
                      path.data[path.size - size - 1] == '.';
        if (!formats[k]->write && (called || suffix_match(formats[k]->suffixes, path) > 0))
            return formats[k];
    }
    return NULL;
}

static struct pf_bytes without_gz(struct pf_bytes path)
{
    return (struct pf_bytes){path.data, path.size - (ends_with(path, ".gz", 3) ? 3 : 0)};
}

const struct pf_format *pf_registry_suffix(const char *path)
{
    const struct pf_format *found = written_as(pf_bytes_of(path));
    return found ? found : written_as(without_gz(pf_bytes_of(path)));
}

const struct pf_format *pf_registry_suffix_unwritten(const char *path)
{
    return pf_registry_suffix(path) ? NULL : read_as(without_gz(pf_bytes_of(path)));
}

struct pf_bytes pf_registry_suffix_unknown(const char *path)
{
    const char *slash = strrchr(path, '/');
    struct pf_bytes name = without_gz(pf_bytes_of(slash ? slash + 1 : path));
    size_t dot = name.size;
    bool letters = false;
    while (dot > 0 && (pf_letter(name.data[dot - 1]) || pf_digit(name.data[dot - 1])))
        letters |= pf_letter(name.data[--dot]);
    if (dot < 2 || name.data[dot - 1] != '.' || !letters || pf_registry_suffix(path) ||
        pf_registry_suffix_unwritten(path))
        return (struct pf_bytes){"", 0};
    return pf_bytes_skip(name, dot - 1);
}

/* Recognises files that users pass by mistake, so that the message can say more than "unknown": by
 * their first bytes, and by a text near the beginning. *bits is the evidence. NULL: not
 * recognised. */
static const char *looks_like(const unsigned char *p, size_t have, int *bits)
{
    static const struct {
        const char *magic, *inside, *what;
        size_t size;
    } known[] = {
        {"\x7f"
         "ELF",
         "", "an ELF program; use the profile that the program wrote", 4},
        {"PK\x03\x04", "", "a zip archive; unpack it first", 4},
        {"\x28\xb5\x2f\xfd", "", "zstd data; decompress the file first", 4},
        {"\xfd"
         "7zXZ",
         "", "xz data; decompress the file first", 5},
        {"BZh", "", "bzip2 data; decompress the file first", 3},
        {"PERFILE2", "", "perf.data; use the output of perf script", 8},
        {"2ELIFREP", "", "perf.data; use the output of perf script", 8},
        {"PERFFILE", "", "perf.data of an old perf; use the output of its perf script", 8},
        {"SQLite format 3", "", "an SQLite database", 15},
        {"FLR\0", "",
         "a recording of Java's Flight Recorder; convert the recording to folded stacks with "
         "jfrconv",
         4},
        {"\x04\x08{", "", "a dump of Ruby objects; use stackprof's JSON", 3},
        {"MOJ", "",
         "Austin's binary form; convert the file to text (austin2speedscope, mojo2austin)", 3},
        {"bplist", "", "a binary property list", 6},
        {"<?xml", "<trace-query-result",
         "an export of xctrace; convert Instruments' profile to folded stacks", 5},
        {"Analysis of sampling ", "",
         "a report of macOS' sample; convert the report to folded stacks "
         "(stackcollapse-sample.awk)",
         21},
        {"Weight\tSelf Weight\t", "",
         "a deep copy of Instruments; convert the copy to folded stacks "
         "(stackcollapse-instruments.pl)",
         19},
        {"\t", "Time and Allocation Profiling Report",
         "a profile of GHC; convert the profile to folded stacks (stackcollapse-ghc)", 1},
        {"Version: ", "\nTRACE START", "a trace of Xdebug; use the profile of xdebug.mode=profile",
         9},
    };
    struct pf_bytes text = {(const char *)p, have};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        bool found = have >= known[i].size && memcmp(p, known[i].magic, known[i].size) == 0;

        *bits = 8 * (int)(known[i].size + strlen(known[i].inside));
        if (found && pf_bytes_find(text, pf_bytes_of(known[i].inside)))
            return known[i].what;
    }
    *bits = 0;
    return NULL;
}

static const char diff_table[] = "profdiff's table; use its records instead (profdiff -t pfs)";

/* Recognises tables of profutils and of pprof by two words near the beginning. */
static const char *looks_like_table(struct pf_bytes text)
{
    static const struct {
        const char *first, *second, *what;
    } known[] = {
        {" before, ", " after", diff_table},
        {"flat_before", "flat_after", diff_table},
        {"range%", "mean", "a table of profdiff --stats; use the profiles themselves"},
        {"flat%", "cum%", "a table of proftop or pprof; use the profile itself"},
        {"flat_pct", "cum_pct", "a table of proftop; use the profile itself"},
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (pf_bytes_find(text, pf_bytes_of(known[i].first)) &&
            pf_bytes_find(text, pf_bytes_of(known[i].second)))
            return known[i].what;
    return NULL;
}

/* Recognises kinds of JSON by members of their objects. */
static const char *looks_like_json(struct pf_source *source)
{
    static const char *const paths[] = {"meta.preprocessedProfileVersion",
                                        "meta.processType",
                                        "profile.meta.processType",
                                        "profile.libs[].breakpadId",
                                        "libs[].breakpadId",
                                        "root_frame",
                                        "resourceProfiles",
                                        "linux-perf-json-version",
                                        "schema=profutils.diff",
                                        "schema=profutils.",
                                        "children[].children",
                                        NULL};
    static const char firefox[] = "a profile of the Firefox Profiler: this JSON is not read; write "
                                  "pprof or folded stacks with the profiler";
    static const char *const what[] = {
        firefox,
        firefox,
        firefox,
        firefox,
        firefox,
        "pyinstrument's JSON; use the output of pyinstrument -r speedscope",
        "OTLP profiles as JSON: this format is not read",
        "JSON of perf data convert; use the output of perf script, which has events and periods",
        diff_table,
        "a table of these programs; only records (profutils.samples/1) are read back",
        "a flame graph of nested objects; only records are read back"};
    uint32_t found = pf_json_look(source, paths);

    for (unsigned k = 0; paths[k]; k++)
        if (found >> k & 1)
            return what[k];
    return NULL;
}

/* The format with the highest bid; NULL if no format bids. */
static const struct pf_format *best_bid(struct pf_source *source, const char *path, int *bits)
{
    const struct pf_format *found = NULL;
    *bits = 0;
    for (size_t k = 0; k < sizeof formats / sizeof *formats && *bits < PF_SURE; k++) {
        int evidence = formats[k]->bid ? formats[k]->bid(source, path) : 0;
        if (evidence > *bits) {
            *bits = evidence;
            found = formats[k];
        }
    }
    return found;
}

/* Waits for more bytes of a pipe than the bids have seen. False at the end, and if all the bytes
 * that bids look at are there. */
static bool see_more(struct pf_source *source)
{
    size_t have, more;
    pf_source_peek(source, 1, &have);
    if (have == 0 || have >= WINDOW)
        return false;
    pf_source_peek(source, have + 1, &more);
    return more > have;
}

/* Sets the error for an input whose format is unknown; `what` says what it looks like, or is
 * NULL. */
static const struct pf_format *unknown(struct pf_source *source, struct pf_error *error,
                                       const char *what)
{
    size_t have;
    const unsigned char *p = pf_source_peek(source, 1, &have);
    if (pf_source_status(source, error) < 0)
        return NULL;
    if (!what)
        what = looks_like_json(source);
    if (!what)
        what = looks_like_table((struct pf_bytes){(const char *)p, have < HEAD ? have : HEAD});
    if (have == 0)
        pf_error_at(error, PF_FAILED, 0, "the input is empty: expected a profile");
    else if (what)
        pf_error_at(error, PF_UNSUPPORTED, 0, "this is %s", what);
    else
        pf_error_at(error, PF_UNSUPPORTED, 0,
                    "unknown profile format (--formats lists the known formats)");
    return NULL;
}

const struct pf_format *pf_registry_guess(struct pf_source *source, const char *path, int *bits,
                                          struct pf_error *error)
{
    const struct pf_format *found;
    int evidence, against;
    size_t have;
    while (!(found = best_bid(source, path, &evidence)) && see_more(source))
        ;
    /* bytes that could not be read might have decided between two formats; damage is left to the
     * reader, which may salvage */
    if (pf_source_status(source, NULL) == PF_IO || pf_source_status(source, NULL) == PF_NOMEM) {
        pf_source_status(source, error);
        return NULL;
    }
    const unsigned char *p = pf_source_peek(source, 1, &have);
    const char *what = looks_like(p, have < HEAD ? have : HEAD, &against);
    if (bits)
        *bits = evidence & ~PF_SURE;
    return found && evidence > against ? found : unknown(source, error, what);
}

const struct pf_format *pf_registry_guess_series(struct pf_source *source, const char *path)
{
    struct pf_error ignored = {0};
    bool possible = false;
    for (size_t k = 0; k < sizeof formats / sizeof *formats && !possible; k++)
        possible = formats[k]->series && formats[k]->bid && formats[k]->bid(source, path) > 0;
    return possible ? pf_registry_guess(source, path, NULL, &ignored) : NULL;
}

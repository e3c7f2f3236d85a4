#include "analysis/filter/pattern.h"

#include "base/memory.h"
#include "base/scan.h"

#include <errno.h>
#include <string.h>

static const char special[] = "\\^$.[]|()*+?{}";

/* The regular expression that matches `text` itself, so that one engine serves both kinds of
 * pattern. */
static char *quoted(const char *text, struct pf_buffer *buffer)
{
    for (; *text != '\0'; text++) {
        if (pf_one_of(*text, special))
            pf_buffer_byte(buffer, '\\');
        pf_buffer_byte(buffer, (unsigned char)*text);
    }
    return pf_buffer_byte(buffer, '\0') ? buffer->data : NULL;
}

/* --- limits ----------------------------------------------------------------------------------- */

/* Limits for what regcomp gets. It writes repeats out: (((a{255}){255}){255}) took 3.5 GB. It
 * writes each + out twice. It calls itself for each group, and 30,000 groups overflow the stack.
 * For each choice (each place where matching may continue in two ways) it lists the places that can
 * be reached without a character: ((a?){255}){8} has 2,040 choices and takes 0.3 s, and the time
 * grows with the square of their number: ((a?){255}){255} takes hours. */
enum {
    NESTING_MAX = 1000,
    REPEAT_MAX = 255,
    PRODUCT_MAX = 65536,
    SIZE_LIMIT = 1024 * 1024,
    CHOICES_MAX = 2048
};

/* Size of a part of an expression with repeats written out: number of elements, number of choices,
 * and the largest product of nested repeat counts. */
struct extent {
    uint64_t size, choices, product;
};

/* State of the scan: the open groups, and the last element, which a repeat would apply to. */
struct scan {
    struct extent groups[NESTING_MAX + 1], last;
    size_t depth;
    bool empty; /* the current alternative has no element so far */
};

static const char *close_element(struct scan *scan)
{
    struct extent *group = &scan->groups[scan->depth];

    group->size += scan->last.size;
    group->choices += scan->last.choices;
    if (scan->last.product > group->product)
        group->product = scan->last.product;
    scan->last = (struct extent){0, 0, 0};
    return group->choices > CHOICES_MAX ? "more than 2048 choices, repeats written out" : NULL;
}

/* Repeats the last element: it occurs at most `count` times, and regcomp writes it out `written`
 * times with `choices` new choices. */
static const char *repeat(struct scan *scan, uint64_t count, uint64_t written, uint64_t choices)
{
    struct extent *last = &scan->last;

    last->size *= written > 0 ? written : 1;
    last->choices = last->choices * (written > 0 ? written : 1) + choices;
    last->product *= count > 0 ? count : 1;
    if (count > REPEAT_MAX)
        return "a repeat count over 255";
    if (last->product > PRODUCT_MAX)
        return "nested repeats of more than 65536 in all";
    if (last->size > SIZE_LIMIT)
        return "repeats that are too long when written out";
    return last->choices > CHOICES_MAX ? "more than 2048 choices, repeats written out" : NULL;
}

/* Reads the number at *text and moves *text after it. A number over REPEAT_MAX becomes any number
 * over REPEAT_MAX. */
static uint64_t read_count(const char **text)
{
    uint64_t count = 0;

    for (; pf_digit(**text); ++*text)
        count = count <= REPEAT_MAX ? count * 10 + (uint64_t)(**text - '0') : count;
    return count;
}

/* Reads a repeat after its '{' and moves *text after its '}'. Anything else is left to
 * regcomp. */
static const char *read_repeat(struct scan *scan, const char **text)
{
    const char *at = *text;
    uint64_t least = read_count(&at), most = least, written;
    bool open = false;

    if (*at == ',') {
        at++;
        open = *at == '}';
        most = read_count(&at);
    }
    if (*at != '}')
        return NULL;
    *text = at + 1;
    most = most > least ? most : least;
    written = most + open;
    return repeat(scan, most, written, most - least + open);
}

/* The end of the bracket expression that `text` is inside of, after its ']'. */
static const char *bracket_end(const char *text)
{
    text += *text == '^';
    text += *text == ']';
    while (*text != '\0' && *text != ']') {
        char class =
            text[0] == '[' && (text[1] == ':' || text[1] == '.' || text[1] == '=') ? text[1] : '\0';
        const char *end = class != '\0' ? strchr(text + 2, class) : NULL;

        text = end && end[1] == ']' ? end + 2 : text + 1;
    }
    return *text == ']' ? text + 1 : text;
}

/* Reads one element, or a repeat of the element before, and moves *text after it. */
static const char *read_element(struct scan *scan, const char **text)
{
    char c = *(*text)++;
    const char *excess;

    if (c == '*' || c == '?')
        return repeat(scan, 1, 1, 1);
    if (c == '+')
        return repeat(scan, 1, 2, 1);
    if (c == '{')
        return read_repeat(scan, text);
    excess = close_element(scan);
    if (excess)
        return excess;
    scan->groups[scan->depth].choices += scan->empty && (c == '|' || c == ')');
    scan->empty = c == '|' || c == '(';
    if (c == '|')
        return NULL;
    if (c == '(') {
        if (scan->depth == NESTING_MAX)
            return "groups nested more than 1000 deep";
        scan->groups[++scan->depth] = (struct extent){0, 0, 1};
        return NULL;
    }
    scan->last = (struct extent){1, 0, 1};
    if (c == ')' && scan->depth > 0) {
        scan->last = scan->groups[scan->depth--];
        scan->last.size += scan->last.size == 0;
    } else if (c == '[') {
        *text = bracket_end(*text);
    } else if (c == '\\' && **text != '\0') {
        ++*text;
    }
    return NULL;
}

/* The limit that an expression exceeds, as text for a message; NULL: none. */
static const char *find_excess(const char *text)
{
    struct scan scan;
    const char *excess = NULL;

    scan.depth = 0;
    scan.empty = true;
    scan.last = (struct extent){0, 0, 0};
    scan.groups[0] = (struct extent){0, 0, 1};
    while (*text != '\0' && !excess)
        excess = read_element(&scan, &text);
    return excess;
}

/* --- expressions ------------------------------------------------------------------------------ */

bool pf_pattern_typed(const char *text)
{
    struct pf_bytes bytes = pf_bytes_of(text);

    return !pf_ascii(bytes) && pf_utf8_valid(bytes);
}

int pf_pattern_compile(struct pf_pattern *pattern, const char *text, unsigned flags,
                       struct pf_error *error)
{
    struct pf_buffer buffer = {0};
    bool fixed = (flags & PF_PATTERN_FIXED) != 0;
    const char *source = fixed ? quoted(text, &buffer) : text;
    const char *excess = fixed ? NULL : find_excess(text);
    char reason[256];
    int failed;

    *pattern = (struct pf_pattern){.text = text, .typed = pf_pattern_typed(text)};
    if (!source) {
        pf_buffer_free(&buffer);
        return pf_error_nomem(error);
    }
    if (excess)
        return pf_error_set(error, PF_USAGE, "regular expression with %s: '%.200s'", excess, text);
    failed = regcomp(&pattern->regex, source,
                     REG_EXTENDED | (flags & PF_PATTERN_IGNORE_CASE ? REG_ICASE : 0));
    pf_buffer_free(&buffer);
    if (failed == 0)
        return PF_OK;
    if (failed == REG_ESPACE)
        return pf_error_nomem(error);
    regerror(failed, &pattern->regex, reason, sizeof reason);
    return pf_error_set(error, PF_USAGE, "invalid regular expression '%s': %s", text, reason);
}

void pf_pattern_free(struct pf_pattern *pattern)
{
    regfree(&pattern->regex);
}

/* Where the part of the name that begins at `start` ends: at a NUL inside or after the name. */
static size_t part_end(struct pf_bytes name, size_t start)
{
    return start + strlen(name.data + start);
}

/* Searches the bytes from `start` to `end`, the end of a part of the name. `^` matches at the
 * beginning of the name only, `$` at its end only. groups[0] is always needed: the range is passed
 * there. */
static bool search_part(struct pf_pattern *pattern, struct pf_bytes name, size_t start, size_t end,
                        size_t count, regmatch_t *groups)
{
    int flags = REG_STARTEND | (start == 0 ? 0 : REG_NOTBOL) | (end < name.size ? REG_NOTEOL : 0);
    int result;

    groups[0] = (regmatch_t){.rm_so = 0, .rm_eo = (regoff_t)(end - start)};
    errno = 0;
    result = regexec(&pattern->regex, name.data + start, count, groups, flags);
    /* glibc's regexec returns "no match" when memory runs out */
    if (result == REG_ESPACE || (result != 0 && errno == ENOMEM))
        pattern->status = PF_NOMEM;
    return result == 0;
}

bool pf_pattern_match(struct pf_pattern *pattern, struct pf_bytes name)
{
    regmatch_t range;
    size_t end;

    for (size_t start = 0; start <= name.size; start = end + 1) {
        end = part_end(name, start);
        if (search_part(pattern, name, start, end, 0, &range))
            return true;
    }
    return false;
}

bool pf_pattern_find(struct pf_pattern *pattern, struct pf_bytes name, size_t from, size_t *end,
                     regmatch_t groups[PF_PATTERN_GROUPS])
{
    for (size_t start = from; start <= name.size; start = *end + 1) {
        if (start == 0 || start > *end)
            *end = part_end(name, start);
        if (!search_part(pattern, name, start, *end, PF_PATTERN_GROUPS, groups))
            continue;
        for (size_t g = 0; g < PF_PATTERN_GROUPS; g++)
            if (groups[g].rm_so >= 0) {
                groups[g].rm_so += (regoff_t)start;
                groups[g].rm_eo += (regoff_t)start;
            }
        return true;
    }
    return false;
}

/* --- globs ------------------------------------------------------------------------------------ */

static unsigned char fold(unsigned char c, bool ignore_case)
{
    return ignore_case && c >= 'A' && c <= 'Z' ? (unsigned char)(c + 32) : c;
}

/* Skips a set such as [a-z]: `glob` points after the '[', the result after the ']'. NULL: the set
 * has no ']'. */
static const char *set_end(const char *glob)
{
    if (*glob == '!' || *glob == '^')
        glob++;
    if (*glob == ']')
        glob++;
    while (*glob != '\0' && *glob != ']')
        glob++;
    return *glob == ']' ? glob + 1 : NULL;
}

static bool set_holds(const char *set, const char *end, unsigned char byte, bool ignore_case)
{
    bool inverse = *set == '!' || *set == '^', found = false;

    for (set += inverse; set < end - 1; set++) {
        unsigned char low = (unsigned char)*set, high = low;

        if (set + 2 < end - 1 && set[1] == '-') {
            high = (unsigned char)set[2];
            set += 2;
        }
        found |= (byte >= low && byte <= high) ||
                 (ignore_case && fold(byte, true) >= fold(low, true) &&
                  fold(byte, true) <= fold(high, true));
    }
    return found != inverse;
}

/* The number of bytes at the beginning of `name` that the element at *glob matches, 0 if it does
 * not match; moves *glob after the element. */
static size_t match_one(const char **glob, bool ignore_case, struct pf_bytes name)
{
    const char *end = **glob == '[' ? set_end(*glob + 1) : NULL;
    unsigned char byte = (unsigned char)name.data[0];

    if (end) {
        const char *set = *glob + 1;

        *glob = end;
        return set_holds(set, end, byte, ignore_case) ? 1 : 0;
    }
    if (**glob == '?') {
        size_t size = pf_utf8_char((const unsigned char *)name.data, name.size);

        ++*glob;
        return size > 0 ? size : 1;
    }
    if (**glob == '\\' && (*glob)[1] != '\0')
        ++*glob;
    return fold((unsigned char)*(*glob)++, ignore_case) == fold(byte, ignore_case) ? 1 : 0;
}

static bool same(const char *string, bool ignore_case, struct pf_bytes name)
{
    if (strlen(string) != name.size)
        return false;
    for (size_t i = 0; i < name.size; i++)
        if (fold((unsigned char)string[i], ignore_case) !=
            fold((unsigned char)name.data[i], ignore_case))
            return false;
    return true;
}

bool pf_glob_match(const char *glob, unsigned flags, struct pf_bytes name)
{
    bool ignore_case = (flags & PF_PATTERN_IGNORE_CASE) != 0;
    const char *star = NULL;
    size_t at = 0, star_at = 0;

    if (flags & PF_PATTERN_FIXED)
        return same(glob, ignore_case, name);
    while (at < name.size || *glob != '\0') {
        size_t taken = 0;

        if (*glob == '*') {
            star = ++glob;
            star_at = at;
            continue;
        }
        if (*glob != '\0' && at < name.size)
            taken =
                match_one(&glob, ignore_case, (struct pf_bytes){name.data + at, name.size - at});
        at += taken;
        if (taken > 0)
            continue;
        /* only the last star has to be tried again, with one byte more */
        if (!star || star_at >= name.size)
            return false;
        glob = star;
        at = ++star_at;
    }
    return true;
}

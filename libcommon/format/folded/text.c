/* The text of folded stacks: counts at the ends of lines, and the names of frames as FlameGraph's
 * scripts spell them. */
#include "format/folded/folded.h"

#include "base/decimal.h"
#include "base/memory.h"
#include "base/scan.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* --- counts ----------------------------------------------------------------------------------- */

static enum pf_folded_result parse_count(struct pf_bytes text, struct pf_folded_count *count)
{
    uint64_t number;
    bool negative = pf_bytes_starts(text, PF_BYTES("-"));

    if (pf_parse_digits(text, INT64_MAX, &number)) {
        *count = (struct pf_folded_count){(int64_t)number, 0};
        return PF_FOLDED_GOOD;
    }
    if (pf_scan_digits(pf_bytes_skip(text, negative)) == 0)
        return PF_FOLDED_NO_COUNT;
    switch (pf_decimal_shortest(text, &count->value, &count->decimals)) {
    case PF_OK: return PF_FOLDED_GOOD;
    case PF_OVERFLOW: return PF_FOLDED_TOO_BIG;
    default: return PF_FOLDED_NO_COUNT;
    }
}

enum pf_folded_result pf_folded_split(struct pf_bytes line, struct pf_bytes *stack,
                                      struct pf_folded_count *count)
{
    struct pf_bytes last = pf_scan_last_word(&line);

    *stack = pf_bytes_trim(line);
    return parse_count(last, count);
}

bool pf_folded_comment(struct pf_bytes line)
{
    struct pf_bytes stack;
    struct pf_folded_count count;

    if (line.size == 0)
        return false;
    if (line.data[0] == '#')
        return true;
    return line.size > 1 && line.data[0] == '/' && line.data[1] == '/' &&
           pf_folded_split(line, &stack, &count) == PF_FOLDED_NO_COUNT;
}

/* --- names of frames -------------------------------------------------------------------------- */

char pf_folded_mark(struct pf_bytes name)
{
    const char *end = name.data + name.size - PF_FOLDED_MARK;

    return name.size > PF_FOLDED_MARK && end[0] == '_' && end[1] == '[' && end[3] == ']' &&
                   memchr("kji", end[2], 3)
               ? end[2]
               : 0;
}

/* True for `.(*T).`: the brackets hold the receiver of a method. */
static bool go_method(struct pf_bytes name)
{
    const char *open = pf_bytes_find(name, PF_BYTES(".("));

    return open && pf_bytes_find(pf_bytes_skip(name, (size_t)(open - name.data)), PF_BYTES(")."));
}

/* The size of a name up to the bracket before the types of arguments, which is not the bracket of
 * an anonymous namespace. A name that begins with a bracket is `(anonymous)` or similar. */
static size_t without_arguments(struct pf_bytes name)
{
    if (name.size == 0 || !memchr(name.data, '(', name.size) || go_method(name))
        return name.size;
    for (size_t at = 1; at < name.size; at++)
        if (name.data[at] == '(' &&
            !pf_bytes_starts(pf_bytes_skip(name, at), PF_BYTES("(anonymous namespace)")))
            return at;
    return name.size;
}

/* Appends a name as stackcollapse-perf.pl writes it. */
static void tidy(struct pf_buffer *text, struct pf_bytes name)
{
    name.size = without_arguments(name);
    for (size_t k = 0; k < name.size; k++)
        if (name.data[k] != '"' && name.data[k] != '\'')
            pf_buffer_byte(text, (unsigned char)name.data[k]);
}

/* --- DTrace ----------------------------------------------------------------------------------- */

/* The size of a name up to the last bracket, ( or <, after a `::`: stackcollapse.pl cuts there. */
static size_t without_parameters(struct pf_bytes name)
{
    const char *colons = pf_bytes_find(name, PF_BYTES("::"));

    for (size_t at = name.size; colons && name.data + at > colons + 2; at--)
        if (name.data[at - 1] == '(' || name.data[at - 1] == '<')
            return at - 1;
    return name.size;
}

/* The size of a name without Rust's hash, `::h` and 16 digits. */
static size_t without_hash(struct pf_bytes name)
{
    enum { HASH = 19 };

    while (name.size > 0 && name.data[name.size - 1] == ' ')
        name.size--;
    if (name.size <= HASH)
        return name.size;
    struct pf_bytes end = pf_bytes_skip(name, name.size - HASH);

    return pf_scan_past(&end, PF_BYTES("::h")) && pf_all_of(end, "0123456789abcdef")
               ? name.size - HASH
               : name.size;
}

/* Appends a character or one of Rust's escapes as DTrace leaves them: `$LT$` is <, `$u7b$` is {,
 * `..` is `::`. Returns its size in the name. */
static size_t unescape(struct pf_bytes rest, struct pf_buffer *text)
{
    static const struct {
        const char *escape, *means;
    } escapes[] = {{"$LT$", "<"},  {"$GT$", ">"},  {"$LP$", "("},   {"$RP$", ")"},  {"$RF$", "&"},
                   {"$BP$", "*"},  {"$SP$", "@"},  {"$C$", ","},    {"$u20$", " "}, {"$u27$", "'"},
                   {"$u5b$", "["}, {"$u5d$", "]"}, {"$u7b$", "{"},  {"$u7d$", "}"}, {"$u7e$", "~"},
                   {"$u3b$", ";"}, {"$u2b$", "+"}, {"$u22$", "\""}, {"..", "::"}};

    for (size_t k = 0; k < sizeof escapes / sizeof *escapes; k++) {
        if (pf_bytes_starts(rest, pf_bytes_of(escapes[k].escape))) {
            pf_buffer_append(text, escapes[k].means, strlen(escapes[k].means));
            return strlen(escapes[k].escape);
        }
    }
    pf_buffer_byte(text, (unsigned char)rest.data[0]);
    return 1;
}

static void spell_dtrace(struct pf_buffer *text, struct pf_bytes image, struct pf_bytes name)
{
    if (image.size > 0) {
        pf_buffer_append(text, image.data, image.size);
        pf_buffer_byte(text, '`');
    }
    name.size = without_parameters(name);
    name.size = without_hash(name);
    if (!pf_bytes_find(name, PF_BYTES("$"))) {
        pf_buffer_append(text, name.data, name.size);
        return;
    }
    if (name.size > 1 && name.data[0] == '_' && name.data[1] == '$') {
        name.data++;
        name.size--;
    }
    while (name.size > 0) {
        size_t size = unescape(name, text);

        name = pf_bytes_skip(name, size);
    }
}

/* --- frames ----------------------------------------------------------------------------------- */

/* True if the input had a mark, which is written again. */
static bool marked(const struct pf_dict *dict, const struct pf_function *function)
{
    struct pf_bytes name = pf_dict_string(dict, function->name),
                    full = pf_dict_string(dict, function->system_name);

    return full.size == name.size + PF_FOLDED_MARK && pf_folded_mark(full) &&
           memcmp(full.data, name.data, name.size) == 0;
}

void pf_folded_spell(struct pf_buffer *text, const struct pf_dict *dict, uint32_t id,
                     const struct pf_folded_spelling *spelling)
{
    const struct pf_location *location = pf_dict_location(dict, id);
    const struct pf_function *function = pf_dict_function(dict, location->function);
    char scratch[32];
    struct pf_bytes name = pf_dict_frame_name(dict, id, scratch),
                    full = pf_dict_string(dict, function->system_name);
    bool made = location->kind == PF_FRAME_JIT;

    if (marked(dict, function) ||
        (spelling->style == PF_FOLDED_BPFTRACE && pf_bytes_starts(full, name)))
        name = full;
    if (spelling->addresses && name.size > 1 && name.data[0] == '[' &&
        name.data[name.size - 1] == ']') {
        int size = snprintf(scratch, sizeof scratch, " <%" PRIx64 ">]", location->address);

        pf_buffer_append(text, name.data, name.size - 1);
        pf_buffer_append(text, scratch, (size_t)size);
    } else if (spelling->style == PF_FOLDED_PERF) {
        tidy(text, name);
    } else if (spelling->style == PF_FOLDED_DTRACE) {
        spell_dtrace(text, pf_dict_string(dict, pf_dict_image(dict, location->image)->name), name);
    } else {
        pf_buffer_append(text, name.data, name.size);
    }
    if (pf_folded_mark(name))
        return;
    if (spelling->annotate || spelling->style == PF_FOLDED_PERF) {
        if (made && location->inlined)
            pf_buffer_append(text, "_[i]", PF_FOLDED_MARK);
        else if (spelling->annotate && location->kind == PF_FRAME_KERNEL)
            pf_buffer_append(text, "_[k]", PF_FOLDED_MARK);
        else if (spelling->annotate && made)
            pf_buffer_append(text, "_[j]", PF_FOLDED_MARK);
    }
}

/* --- frames made of labels -------------------------------------------------------------------- */

static void append_value(struct pf_buffer *text, const struct pf_dict *dict,
                         const struct pf_label *label)
{
    struct pf_bytes value = pf_dict_string(dict, label->text);
    char number[24];
    int size;

    if (label->numeric) {
        size = snprintf(number, sizeof number, "%" PRId64, label->number);
        pf_buffer_append(text, number, (size_t)size);
    } else {
        pf_buffer_append(text, value.data, value.size);
    }
}

/* The label of this key nearest to the end of the set; 0: no such label. */
static uint32_t find_label(const struct pf_dict *dict, uint32_t labels, const char *key)
{
    while (labels && !pf_bytes_equal(pf_dict_string(dict, pf_dict_label(dict, labels)->key),
                                     pf_bytes_of(key)))
        labels = pf_dict_label(dict, labels)->parent;
    return labels;
}

static void append_label(struct pf_buffer *text, const struct pf_dict *dict, uint32_t label)
{
    if (label)
        append_value(text, dict, pf_dict_label(dict, label));
    else
        pf_buffer_byte(text, '?');
}

/* Appends the values of the label `key`, or of `key1`, `key2` and so on. False: no such label. */
static bool append_keys(struct pf_buffer *text, const struct pf_dict *dict, uint32_t labels)
{
    uint32_t label = find_label(dict, labels, "key");
    char key[32];

    if (label)
        append_value(text, dict, pf_dict_label(dict, label));
    for (unsigned k = 1; !label || k > 1; k++) {
        snprintf(key, sizeof key, "key%u", k);
        label = find_label(dict, labels, key);
        if (!label)
            return k > 1;
        if (k > 1)
            pf_buffer_append(text, ", ", 2);
        append_value(text, dict, pf_dict_label(dict, label));
    }
    return true;
}

bool pf_folded_spell_root(struct pf_buffer *text, const struct pf_dict *dict, uint32_t labels,
                          const struct pf_folded_spelling *spelling)
{
    uint32_t command = find_label(dict, labels, "comm");
    size_t start = text->size;

    if (!command)
        return spelling->style == PF_FOLDED_BPFTRACE && append_keys(text, dict, labels);
    append_value(text, dict, pf_dict_label(dict, command));
    for (size_t k = start; k < text->size; k++)
        text->data[k] = text->data[k] == ' ' ? '_' : text->data[k];
    if (spelling->thread) {
        pf_buffer_byte(text, '-');
        append_label(text, dict, find_label(dict, labels, "pid"));
        pf_buffer_byte(text, '/');
        append_label(text, dict, find_label(dict, labels, "tid"));
    }
    return true;
}

#include "analysis/names/anonymous.h"

#include "base/scan.h"

#include <stdbool.h>
#include <string.h>

/* The text after the last `::`, `.` or `\` that is not in brackets and not at the end. */
static struct pf_bytes last_part(struct pf_bytes name)
{
    enum { OTHER, OPENS, CLOSES, COLON, SEPARATOR };
    static const unsigned char kinds[256] = {
        ['('] = OPENS,     ['<'] = OPENS,      ['{'] = OPENS,  ['['] = OPENS,
        ['.'] = SEPARATOR, [')'] = CLOSES,     ['>'] = CLOSES, ['}'] = CLOSES,
        [']'] = CLOSES,    ['\\'] = SEPARATOR, [':'] = COLON};
    size_t start = 0;
    unsigned depth = 0;

    for (size_t i = 0; i + 1 < name.size; i++) {
        unsigned kind = kinds[(unsigned char)name.data[i]];

        if (kind == OTHER)
            continue;
        if (kind == OPENS)
            depth++;
        else if (kind == CLOSES)
            depth -= depth > 0;
        else if (depth == 0 && (kind == SEPARATOR || (i > 0 && name.data[i - 1] == ':')))
            start = i + 1;
    }
    return (struct pf_bytes){name.data + start, name.size - start};
}

/* True if the name ends in .func1, .func1.2, .func1.2.3 ... */
static bool is_go_literal(struct pf_bytes name)
{
    static const struct pf_bytes FUNC = {".func", 5};

    for (size_t i = name.size; i-- > 0;) {
        size_t at = i + FUNC.size;
        if (!pf_bytes_starts((struct pf_bytes){name.data + i, name.size - i}, FUNC))
            continue;
        for (size_t end; (end = at + pf_scan_digits(pf_bytes_skip(name, at))) > at; at = end + 1)
            if (end == name.size)
                return true;
            else if (name.data[end] != '.')
                return false;
        return false;
    }
    return false;
}

/* True if the name tells only the kind of function. */
static bool is_anonymous(struct pf_bytes name, struct pf_bytes file)
{
    static const struct pf_bytes whole[] = {{"__ANON__", 8}, {"BEGIN", 5}, {"UNITCHECK", 9},
                                            {"CHECK", 5},    {"INIT", 4},  {"END", 3},
                                            {"anonymous", 9}};
    static const struct pf_bytes file_scopes[] = {{"<module", 7}, {"<main", 5}, {"<top ", 5}};
    struct pf_bytes part = last_part(name);

    if (part.size == 0)
        return false;
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (pf_bytes_equal(part, whole[i]))
            return true;
    for (size_t i = 0; i < sizeof file_scopes / sizeof *file_scopes; i++)
        if (pf_bytes_starts(part, file_scopes[i]))
            return false;
    return part.data[0] == '<' || part.data[0] == '{' ||
           pf_bytes_starts(part, PF_BYTES("(anonymous")) ||
           pf_bytes_starts(name, PF_BYTES("block in ")) ||
           pf_bytes_starts(name, PF_BYTES("block (")) || pf_bytes_ends(name, PF_BYTES("/<")) ||
           (pf_bytes_ends(file, PF_BYTES(".go")) && is_go_literal(name));
}

int64_t pf_anonymous_line(const struct pf_dict *dict, const struct pf_function *function)
{
    struct pf_bytes name = pf_dict_string(dict, function->name);

    if (function->start_line <= 0 || !is_anonymous(name, pf_dict_string(dict, function->file)))
        return 0;
    return function->start_line;
}

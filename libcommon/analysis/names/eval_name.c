#include "analysis/names/eval_name.h"

#include "base/scan.h"

#include <string.h>

static const struct pf_bytes HEAD = {"(eval ", 6};

enum { NESTING_MAX = 64 };

/* Sets place, place_end and bare_end. False: brackets do not match. */
static bool parse_place(struct pf_bytes text, struct pf_eval_name *eval)
{
    size_t i = eval->number_end + 1;
    unsigned open = 1;
    const char *end;

    eval->place = eval->place_end = eval->bare_end = i;
    if (i == text.size || text.data[i] != '[')
        return true;
    eval->place = ++i;
    end = memchr(text.data + i, ']', text.size - i);
    if (end && !memchr(text.data + i, '[', (size_t)(end - text.data) - i)) {
        eval->place_end = (size_t)(end - text.data);
        eval->bare_end = eval->place_end + 1;
        return true;
    }
    for (; i < text.size && open > 0; i++)
        open += text.data[i] == '[' ? 1u : text.data[i] == ']' ? -1u : 0u;
    eval->bare_end = i;
    eval->place_end = i - 1;
    return open == 0;
}

static bool parse_at(struct pf_bytes text, size_t at, struct pf_eval_name *eval)
{
    size_t digits;

    eval->start = at;
    eval->number = at + HEAD.size;
    eval->number_end = eval->number + pf_scan_digits(pf_bytes_skip(text, eval->number));
    if (eval->number_end == eval->number || eval->number_end == text.size ||
        text.data[eval->number_end] != ')' || !parse_place(text, eval))
        return false;
    eval->end = eval->bare_end;
    if (text.size - eval->end > 2 && memcmp(text.data + eval->end, " #", 2) == 0 &&
        (digits = pf_scan_digits(pf_bytes_skip(text, eval->end + 2))) > 0)
        eval->end += 2 + digits;
    return true;
}

bool pf_eval_name_find(struct pf_bytes text, size_t from, struct pf_eval_name *eval)
{
    const char *found;

    /* the limit bounds the time for texts with many brackets that do not match */
    for (unsigned tries = 0; tries < NESTING_MAX && from + HEAD.size < text.size; from++) {
        found = memchr(text.data + from, '(', text.size - from);
        if (!found)
            return false;
        from = (size_t)(found - text.data);
        if (!pf_bytes_starts(pf_bytes_skip(text, from), HEAD))
            continue;
        if (parse_at(text, from, eval))
            return true;
        tries++;
    }
    return false;
}

bool pf_eval_name_is(struct pf_bytes text, struct pf_eval_name *eval)
{
    return pf_bytes_starts(text, HEAD) && parse_at(text, 0, eval) && eval->end == text.size;
}

unsigned pf_eval_name_nesting(struct pf_bytes text)
{
    struct pf_eval_name eval;
    unsigned depth = 0;

    for (; depth < NESTING_MAX && pf_eval_name_find(text, 0, &eval); depth++)
        text = (struct pf_bytes){text.data + eval.place, eval.place_end - eval.place};
    return depth;
}

bool pf_eval_name_replace(struct pf_dict *dict, uint32_t name, struct pf_eval_part part,
                          uint32_t (*now)(void *arg, uint32_t eval), void *arg,
                          struct pf_buffer *to)
{
    struct pf_bytes whole = pf_dict_string(dict, name), text = {whole.data, part.to};
    struct pf_eval_name eval;
    size_t at = 0;

    while (pf_eval_name_find(text, at < part.from ? part.from : at, &eval)) {
        struct pf_bytes found = {text.data + eval.start, eval.end - eval.start};
        uint32_t id = pf_dict_intern(dict, found, dict->strings.rows[name].flags);
        struct pf_bytes new = pf_dict_string(dict, now(arg, id));

        pf_buffer_append(to, text.data + at, eval.start - at);
        pf_buffer_append(to, new.data, new.size);
        at = eval.end;
    }
    pf_buffer_append(to, text.data + at, part.end - at);
    return !to->failed && pf_dict_status(dict) == PF_OK;
}

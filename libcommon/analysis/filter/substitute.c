#include "analysis/filter/substitute.h"

#include <stdlib.h>
#include <string.h>

/* Copies the part of a command up to `delimiter` and moves *text after it. Sets *unended if the
 * command has no delimiter. An escaped delimiter becomes a plain one, unless the delimiter has a
 * special meaning: then it stays escaped. NULL: out of memory. */
static char *copy_part(const char **text, char delimiter, bool expression, bool *unended)
{
    struct pf_buffer part = {0};
    const char *p = *text;

    for (; *p != '\0' && *p != delimiter; p++) {
        bool keep = true;

        if (*p == '\\' && p[1] != '\0') {
            keep = p[1] != delimiter || (expression && strchr("^$.[]|()*+?{}", delimiter)) ||
                   (!expression && delimiter == '&');
            if (keep)
                pf_buffer_byte(&part, '\\');
            p++;
        }
        pf_buffer_byte(&part, (unsigned char)*p);
    }
    *unended = *p == '\0';
    *text = *unended ? p : p + 1;
    if (!pf_buffer_byte(&part, '\0'))
        pf_buffer_free(&part);
    return part.data;
}

static int parse_flags(struct pf_substitution *sub, const char *flags, unsigned *pattern_flags,
                       const char *text, struct pf_error *error)
{
    for (; *flags != '\0'; flags++) {
        if (*flags == 'g')
            sub->all = true;
        else if (*flags == 'i' || *flags == 'I')
            *pattern_flags |= PF_PATTERN_IGNORE_CASE;
        else
            return pf_error_set(error, PF_USAGE, "'%s': unknown flag '%c'; flags: g and i", text,
                                *flags);
    }
    return PF_OK;
}

/* Checks that \1 to \9 are groups of the expression. */
static int check_groups(const struct pf_substitution *sub, const char *text, struct pf_error *error)
{
    for (const char *p = sub->replacement; *p != '\0'; p++) {
        if (*p != '\\')
            continue;
        p++;
        if (*p >= '1' && *p <= '9' && (size_t)(*p - '0') > sub->pattern.regex.re_nsub)
            return pf_error_set(error, PF_USAGE, "'%s': there is no group \\%c in the expression",
                                text, *p);
        if (*p == '\0')
            return pf_error_set(error, PF_USAGE, "'%s': the text ends with a backslash", text);
    }
    return PF_OK;
}

int pf_substitution_parse(struct pf_substitution *sub, const char *text, unsigned flags,
                          struct pf_error *error)
{
    const char *rest = text + 1;
    bool unended = true;
    int status;

    *sub = (struct pf_substitution){0};
    if (text[0] == 's' && text[1] != '\0' && text[1] != '\\' && text[1] != '\n') {
        char delimiter = *rest++;

        sub->expression = copy_part(&rest, delimiter, true, &unended);
        if (!unended)
            sub->replacement = copy_part(&rest, delimiter, false, &unended);
    }
    if (rest > text + 1 && (!sub->expression || (!unended && !sub->replacement)))
        status = pf_error_nomem(error);
    else if (unended)
        status = pf_error_set(error, PF_USAGE, "'%s' is not of the form s/RE/TEXT/", text);
    else if ((status = parse_flags(sub, rest, &flags, text, error)) == PF_OK)
        status = pf_pattern_compile(&sub->pattern, sub->expression, flags, error);
    if (status != PF_OK) {
        free(sub->expression);
        free(sub->replacement);
        return status;
    }
    status = check_groups(sub, text, error);
    if (status != PF_OK)
        pf_substitution_free(sub);
    return status;
}

void pf_substitution_free(struct pf_substitution *sub)
{
    pf_pattern_free(&sub->pattern);
    free(sub->expression);
    free(sub->replacement);
}

static void append_group(struct pf_bytes name, const regmatch_t *group, struct pf_buffer *out)
{
    if (group->rm_so >= 0)
        pf_buffer_append(out, name.data + group->rm_so, (size_t)(group->rm_eo - group->rm_so));
}

static void append_replacement(const char *text, struct pf_bytes name, const regmatch_t *groups,
                               struct pf_buffer *out)
{
    for (; *text != '\0'; text++) {
        if (*text == '&') {
            append_group(name, &groups[0], out);
        } else if (*text != '\\') {
            pf_buffer_byte(out, (unsigned char)*text);
        } else if (*++text >= '1' && *text <= '9') {
            append_group(name, &groups[*text - '0'], out);
        } else {
            pf_buffer_byte(out, *text == 'n' ? '\n' : (unsigned char)*text);
        }
    }
}

bool pf_substitution_apply(struct pf_substitution *sub, struct pf_bytes name, struct pf_buffer *out)
{
    regmatch_t groups[PF_PATTERN_GROUPS];
    size_t copied = 0, from = 0, part = 0;
    bool found = false;

    out->size = 0;
    while (from <= name.size && (!found || sub->all) &&
           pf_pattern_find(&sub->pattern, name, from, &part, groups)) {
        size_t start = (size_t)groups[0].rm_so, end = (size_t)groups[0].rm_eo;

        /* as in sed, an empty match right after the last match does not count */
        if (!found || end > start || start > copied) {
            pf_buffer_append(out, name.data + copied, start - copied);
            append_replacement(sub->replacement, name, groups, out);
            copied = end;
            found = true;
        }
        from = end > start ? end : end + 1;
    }
    if (!found)
        return false;
    pf_buffer_append(out, name.data + copied, name.size - copied);
    if (pf_buffer_byte(out, '\0'))
        out->size--;
    return !out->failed;
}

#include "codec/options.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct pf_option *find(const struct pf_option *known, struct pf_bytes name,
                                    bool writing)
{
    for (; known && known->name; known++)
        if ((writing ? known->writes : known->reads) &&
            pf_bytes_equal(pf_bytes_of(known->name), name))
            return known;
    return NULL;
}

static bool value_allowed(const char *values, struct pf_bytes value)
{
    while (values) {
        size_t size = strcspn(values, "|");
        if (pf_bytes_equal((struct pf_bytes){values, size}, value))
            return true;
        values = values[size] ? values + size + 1 : NULL;
    }
    return false;
}

static int unknown(struct pf_bytes name, const struct pf_option *known, bool writing,
                   const char *format_name, struct pf_error *error)
{
    char list[256] = "";
    size_t used = 0;
    for (; known && known->name; known++)
        if ((writing ? known->writes : known->reads) && used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "",
                                     known->name);
    return pf_error_set(error, PF_USAGE, "%s has no option '%s' for %s; it has: %s", format_name,
                        pf_clip(name).text, writing ? "writing" : "reading", used ? list : "none");
}

static int parse_one(struct pf_options *options, size_t *capacity, struct pf_bytes item,
                     const struct pf_option *known, bool writing, const char *format_name,
                     struct pf_error *error)
{
    const char *equals = memchr(item.data, '=', item.size);
    size_t name_size = equals ? (size_t)(equals - item.data) : item.size;
    struct pf_bytes name = {item.data, name_size};
    struct pf_bytes value = equals ? (struct pf_bytes){equals + 1, item.size - name_size - 1}
                                   : PF_BYTES("yes");
    const struct pf_option *option = find(known, name, writing);
    if (!option)
        return unknown(name, known, writing, format_name, error);
    if (option->values && !value_allowed(option->values, value))
        return pf_error_set(error, PF_USAGE, "%s:%s is one of %s, not '%s'", format_name,
                            option->name, option->values, pf_clip(value).text);
    if (!pf_grow(&options->values, capacity, options->count + 1, sizeof *options->values))
        return pf_error_nomem(error);
    options->values[options->count++] = (struct pf_option_value){name, value};
    return PF_OK;
}

/* Cuts off the item that begins at `at`: puts a NUL after it, and removes the backslashes before
 * its commas. *size: its size. Returns the beginning of the next item. */
static char *cut_item(char *at, size_t *size)
{
    char *from = at, *to = at;
    bool more;

    while (*from != '\0' && *from != ',') {
        from += *from == '\\' && (from[1] == ',' || from[1] == '\\');
        *to++ = *from++;
    }
    more = *from == ',';
    *to = '\0';
    *size = (size_t)(to - at);
    return from + more;
}

int pf_options_parse(struct pf_options *options, const char *text, const struct pf_option *known,
                     bool writing, const char *format_name, struct pf_error *error)
{
    memset(options, 0, sizeof *options);
    options->text = strdup(text);
    if (!options->text)
        return pf_error_nomem(error);
    size_t capacity = 0;
    for (char *at = options->text, *next; *at; at = next) {
        size_t size;
        next = cut_item(at, &size);
        int result = size ? parse_one(options, &capacity, (struct pf_bytes){at, size}, known,
                                      writing, format_name, error)
                          : PF_OK;
        if (result) {
            pf_options_free(options);
            return result;
        }
    }
    return PF_OK;
}

void pf_options_free(struct pf_options *options)
{
    free(options->text);
    free(options->values);
    memset(options, 0, sizeof *options);
}

const char *pf_options_get(const struct pf_options *options, const char *name)
{
    for (size_t i = options->count; i-- > 0;)
        if (pf_bytes_equal(options->values[i].name, pf_bytes_of(name)))
            return options->values[i].value.data;
    return NULL;
}

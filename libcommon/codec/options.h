/* `NAME:option=value,option=value`: the argument of -f and -t. A comma or backslash after a
 * backslash belongs to the value. */
#ifndef PF_CODEC_OPTIONS_H
#define PF_CODEC_OPTIONS_H

#include "base/bytes.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* An option of a format; lists end with a NULL name. */
struct pf_option {
    const char *name;
    const char *about;
    const char *values; /* "a|b|c", or NULL = any */
    bool reads, writes; /* allowed with -f, with -t */
};

/* Parsed options. Zero-initialised: none. */
struct pf_options {
    char *text; /* owned copy that the views point into */
    struct pf_option_value {
        struct pf_bytes name, value; /* `option` without `=value` has the value "yes" */
    } * values;
    size_t count;
};

/* Parses the text after the colon. `known` lists the options of the format (NULL: none); `writing`:
 * for -t, else for -f. PF_OK; PF_USAGE with a message that lists the known names; PF_NOMEM. Free
 * with pf_options_free after PF_OK. */
int pf_options_parse(struct pf_options *, const char *text, const struct pf_option *known,
                     bool writing, const char *format_name, struct pf_error *);
void pf_options_free(struct pf_options *);

/* The last value given for option `name`, with a NUL after it; NULL if the option was not
 * given. */
const char *pf_options_get(const struct pf_options *, const char *name);

#endif

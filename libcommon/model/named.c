#include "model/named.h"

#include "base/memory.h"

#include <string.h>

bool pf_named_measure(const struct pf_dict *dict, uint32_t measure, const char *name)
{
    const struct pf_measure *row = pf_measures_row(&dict->measures, measure);
    struct pf_bytes asked = pf_bytes_of(name), known = pf_dict_string(dict, row->name);
    const char *kind = pf_kind_name(row->kind);
    size_t size = strlen(kind);

    if (pf_bytes_equal(asked, known))
        return true;
    return asked.size > size && asked.data[size] == ':' && memcmp(asked.data, kind, size) == 0 &&
           pf_bytes_equal((struct pf_bytes){asked.data + size + 1, asked.size - size - 1}, known);
}

/* True if no earlier measure has this name. Measures of several kinds and units may share a
 * name. */
static bool is_first(const struct pf_measures *measures, uint32_t measure)
{
    for (uint32_t k = 0; k < measure; k++)
        if (pf_measures_row(measures, k)->name == pf_measures_row(measures, measure)->name)
            return false;
    return true;
}

int pf_named_unknown(const struct pf_dict *dict, const char *name, struct pf_error *error)
{
    const struct pf_measures *measures = &dict->measures;
    struct pf_buffer names = {0};

    for (uint32_t k = 0; k < pf_measures_count(measures); k++) {
        struct pf_bytes known = pf_dict_string(dict, pf_measures_row(measures, k)->name);

        if (!is_first(measures, k))
            continue;
        pf_buffer_append(&names, ", ", names.size > 0 ? 2 : 0);
        pf_buffer_append(&names, known.data, known.size);
    }
    if (names.failed)
        pf_error_nomem(error);
    else
        pf_error_set(error, PF_USAGE, "there is no measure '%s'; measures: %.*s", name,
                     (int)names.size, names.size > 0 ? names.data : "");
    pf_buffer_free(&names);
    return error->code;
}

#include "format/callgrind/callgrind.h"

#include "base/memory.h"
#include "base/scan.h"

#include <stdlib.h>

int pf_cg_names_init(struct pf_cg_names *names)
{
    return pf_table_init(&names->ids, sizeof(uint64_t));
}

void pf_cg_names_free(struct pf_cg_names *names)
{
    pf_table_free(&names->ids);
    free(names->strings);
}

/* `(digits)` at the beginning: the number and what is behind it. *fits: it has 63 bits. */
static bool take_id(struct pf_bytes *text, uint64_t *id, bool *fits)
{
    struct pf_bytes rest = *text;
    size_t digits;

    pf_scan_blanks(&rest);
    if (!pf_scan_past(&rest, PF_BYTES("(")))
        return false;
    digits = pf_scan_digits(rest);
    *fits = pf_scan_number(&rest, INT64_MAX, id);
    if (!*fits)
        rest = pf_bytes_skip(rest, digits);
    if (digits == 0 || !pf_scan_past(&rest, PF_BYTES(")")))
        return false;
    *text = rest;
    return true;
}

static int define(struct pf_cg_names *names, uint32_t row, uint32_t string)
{
    if (row == 0 || !pf_grow(&names->strings, &names->capacity, (size_t)row + 1, sizeof *names->strings))
        return PF_NOMEM;
    names->strings[row] = string;
    if (names->count <= row)
        names->count = (size_t)row + 1;
    return PF_OK;
}

int pf_cg_names_read(struct pf_cg_names *names, struct pf_dict *dict, struct pf_bytes text, uint32_t *string, const char **what)
{
    uint64_t id = 0;
    bool fits, compressed = take_id(&text, &id, &fits);

    if (compressed && !fits) {
        *what = "the number of a name has more than 63 bits";
        return PF_FAILED;
    }
    uint64_t key = compressed ? id + 1 : 0;
    if (compressed && text.size == 0) {
        uint32_t row = pf_table_find(&names->ids, &key);
        *what = "the number of a name that no line before defined";
        *string = row != 0 ? names->strings[row] : 0;
        return row != 0 ? PF_OK : PF_FAILED;
    }
    if (compressed && text.data[0] == ' ') {
        text.data++;
        text.size--;
    }
    if (text.size > PF_STRING_MAX) {
        *what = "a name longer than 16 MiB";
        return PF_FAILED;
    }
    *string = pf_dict_intern_text(dict, text);
    return compressed ? define(names, pf_table_intern(&names->ids, &key), *string) : PF_OK;
}

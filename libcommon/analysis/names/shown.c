#include "analysis/names/shown.h"

#include "model/strings.h"
#include "model/utf8.h"

bool pf_shown_name(struct pf_bytes bytes, unsigned flags, struct pf_buffer *scratch,
                   struct pf_bytes *name)
{
    if (flags & PF_UTF8 || pf_utf8_valid(bytes))
        return false;
    scratch->size = 0;
    pf_latin_append(scratch, bytes);
    if (pf_buffer_byte(scratch, '\0'))
        *name = (struct pf_bytes){scratch->data, scratch->size - 1};
    else
        *name = (struct pf_bytes){"", 0};
    return true;
}

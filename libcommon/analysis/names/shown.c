#include "analysis/names/shown.h"

#include "model/strings.h"

bool pf_shown_name(struct pf_bytes bytes, unsigned flags, struct pf_buffer *scratch,
                   struct pf_bytes *name)
{
    if (flags & PF_UTF8 || pf_utf8_valid(bytes))
        return false;
    scratch->size = 0;
    for (size_t i = 0; i < bytes.size; i++) {
        unsigned char c = (unsigned char)bytes.data[i];

        if (c >= 0x80) {
            pf_buffer_byte(scratch, (unsigned char)(0xc0 | c >> 6));
            c = 0x80 | (c & 0x3f);
        }
        pf_buffer_byte(scratch, c);
    }
    if (pf_buffer_byte(scratch, '\0'))
        *name = (struct pf_bytes){scratch->data, scratch->size - 1};
    else
        *name = (struct pf_bytes){"", 0};
    return true;
}

#include "base/scan.h"

bool pf_all_of(struct pf_bytes text, const char *set)
{
    size_t size = 0;

    while (size < text.size && pf_one_of(text.data[size], set))
        size++;
    return size == text.size;
}

bool pf_parse_hex(struct pf_bytes text, uint64_t *number)
{
    uint64_t value;

    if (!pf_scan_hex(&text, &value) || text.size > 0)
        return false;
    *number = value;
    return true;
}

bool pf_parse_address(struct pf_bytes text, uint64_t *address)
{
    return pf_scan_past(&text, PF_BYTES("0x")) && pf_parse_hex(text, address);
}

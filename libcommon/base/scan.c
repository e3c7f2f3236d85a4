#include "base/scan.h"

const unsigned char pf_hex_values[256] = {
    ['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,  ['6'] = 7,  ['7'] = 8,
    ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
    ['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

bool pf_all_of(struct pf_bytes text, const char *set)
{
    size_t size = 0;

    while (size < text.size && pf_one_of(text.data[size], set))
        size++;
    return size == text.size;
}

bool pf_is_whole(struct pf_bytes text)
{
    pf_scan_past(&text, PF_BYTES("-"));
    return pf_all_digits(text);
}

bool pf_parse_hex(struct pf_bytes text, uint64_t *number)
{
    uint64_t value;

    if (!pf_scan_hex(&text, &value) || text.size > 0)
        return false;
    *number = value;
    return true;
}

int pf_percent_byte(struct pf_bytes text)
{
    int high = text.size > 2 && text.data[0] == '%' ? pf_hex_digit(text.data[1]) : -1;
    int low = high >= 0 ? pf_hex_digit(text.data[2]) : -1;

    return low >= 0 ? high << 4 | low : -1;
}

bool pf_parse_address(struct pf_bytes text, uint64_t *address)
{
    return pf_scan_past(&text, PF_BYTES("0x")) && pf_parse_hex(text, address);
}

#include "analysis/names/symbols.h"

#include "base/memory.h"
#include "base/scan.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW = 64 * 1024 }; /* bytes read to find the form of the lines */

struct pf_symbols {
    struct pf_symbol *rows;
    size_t count, capacity;
    struct pf_arena texts;
};

/* --- lines ------------------------------------------------------------------------------------ */

static bool parse_hex(struct pf_bytes text, uint64_t *number)
{
    pf_scan_0x(&text);
    return pf_parse_hex(text, number);
}

static bool is_type(struct pf_bytes token)
{
    return token.size == 1 && pf_one_of(*token.data, "AaBbCcDdGgIiNnpRrSsTtUuVvWw-?");
}

/* Parses a line of nm, with a size or without: address, size and name; *type is the letter. */
static bool parse_nm(struct pf_bytes line, struct pf_symbol *symbol, char *type)
{
    struct pf_bytes first = pf_scan_column(&line), second = pf_scan_column(&line), rest = line,
                    third = pf_scan_column(&rest);

    *symbol = (struct pf_symbol){0};
    if (!parse_hex(first, &symbol->address))
        return false;
    if (is_type(third) && rest.size > 0 && second.size > 1 && parse_hex(second, &symbol->size)) {
        *type = *third.data;
        symbol->name = rest;
        return true;
    }
    symbol->size = 0;
    *type = second.size > 0 ? *second.data : '\0';
    symbol->name = line;
    return is_type(second) && line.size > 0;
}

/* Parses a line of a perf map; *type becomes '\0'. */
static bool parse_map(struct pf_bytes line, struct pf_symbol *symbol, char *type)
{
    struct pf_bytes first = pf_scan_column(&line), second = pf_scan_column(&line);

    *symbol = (struct pf_symbol){.name = line};
    *type = '\0';
    return parse_hex(first, &symbol->address) && parse_hex(second, &symbol->size) && line.size > 0;
}

/* True if at least as many of the next lines fit nm as fit a perf map. */
static bool looks_like_nm(struct pf_source *source)
{
    size_t have, nm = 0, map = 0;
    const unsigned char *bytes = pf_source_peek(source, WINDOW, &have);
    struct pf_bytes text = {(const char *)bytes, have < WINDOW ? have : WINDOW};
    const char *end;
    struct pf_symbol symbol;
    char type;

    for (; (end = memchr(text.data, '\n', text.size)) != NULL;
         text.size -= (size_t)(end - text.data) + 1, text.data = end + 1) {
        struct pf_bytes line = {text.data, (size_t)(end - text.data)};
        bool is_nm = parse_nm(line, &symbol, &type);

        nm += is_nm;
        map += !is_nm && parse_map(line, &symbol, &type);
    }
    return nm >= map;
}

/* --- reading ---------------------------------------------------------------------------------- */

static bool keep_text(struct pf_symbols *symbols, struct pf_bytes *text)
{
    char *copy = pf_arena_copy(&symbols->texts, text->data, text->size);

    text->data = copy;
    return copy;
}

/* Splits off the text after a tab: FILE:LINE of nm -l. Other text there (the module of a kernel
 * symbol) is removed too. */
static void split_place(struct pf_symbol *symbol)
{
    const char *tab = memchr(symbol->name.data, '\t', symbol->name.size);
    uint64_t line = 0;

    if (!tab)
        return;
    struct pf_bytes place = {tab + 1, symbol->name.size - (size_t)(tab - symbol->name.data) - 1};
    size_t colon = pf_without_digits(place).size;

    symbol->name.size = (size_t)(tab - symbol->name.data);
    if (colon < 2 || place.data[colon - 1] != ':' ||
        !pf_parse_digits(pf_bytes_skip(place, colon), UINT32_MAX, &line))
        return;
    symbol->file = (struct pf_bytes){place.data, colon - 1};
    symbol->line = (uint32_t)line;
}

/* The rank of a type of symbol of nm; '\0' is a perf map's. */
static uint32_t rank_of(char type)
{
    switch (type) {
    case '\0':
    case 'T': return PF_SYMBOL_GLOBAL;
    case 'W':
    case 'w':
    case 'i': return PF_SYMBOL_WEAK;
    case 't': return PF_SYMBOL_LOCAL;
    default: return PF_SYMBOL_DATA;
    }
}

bool pf_symbols_add(struct pf_symbols *symbols, const struct pf_symbol *symbol)
{
    struct pf_symbol row = *symbol;

    row.order = (uint32_t)symbols->count;
    if (row.rank == PF_SYMBOL_DATA)
        row.name.size = 0;
    if ((row.name.size > 0 && !keep_text(symbols, &row.name)) ||
        (row.file.size > 0 && !keep_text(symbols, &row.file)) ||
        !pf_grow(&symbols->rows, &symbols->capacity, symbols->count + 1, sizeof row))
        return false;
    symbols->rows[symbols->count++] = row;
    return true;
}

/* Adds the symbol of a line, if its type has an address in the program. */
static int add_line(struct pf_symbols *symbols, struct pf_symbol *symbol, char type,
                    struct pf_error *error)
{
    if (pf_one_of(type, "AaNnUu-?"))
        return PF_OK;
    symbol->rank = rank_of(type);
    split_place(symbol);
    return pf_symbols_add(symbols, symbol) ? PF_OK : pf_error_nomem(error);
}

static int compare_symbols(const void *a, const void *b)
{
    const struct pf_symbol *x = a, *y = b;

    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* Sorts the symbols and keeps one for each address. */
void pf_symbols_sort(struct pf_symbols *symbols)
{
    size_t kept = 0;

    if (symbols->count > 0)
        qsort(symbols->rows, symbols->count, sizeof *symbols->rows, compare_symbols);
    for (size_t k = 0; k < symbols->count; k++)
        if (k + 1 == symbols->count || symbols->rows[k].address != symbols->rows[k + 1].address)
            symbols->rows[kept++] = symbols->rows[k];
    symbols->count = kept;
}

static int read_lines(struct pf_symbols *symbols, struct pf_source *source, struct pf_error *error)
{
    bool nm = looks_like_nm(source);
    struct pf_bytes line;
    struct pf_symbol symbol;
    char type;
    int status;

    while ((status = pf_source_line(source, &line, error)) == PF_OK)
        if ((nm ? parse_nm : parse_map)(line, &symbol, &type) &&
            add_line(symbols, &symbol, type, error) != PF_OK)
            return error->code;
    if (status != PF_EOF)
        return status;
    if (symbols->count == 0)
        return pf_error_at(
            error, PF_FAILED, 0,
            "no line has the form of nm (ADDRESS TYPE NAME) or of a perf map (ADDRESS SIZE NAME)");
    pf_symbols_sort(symbols);
    return PF_OK;
}

struct pf_symbols *pf_symbols_new(void)
{
    return calloc(1, sizeof(struct pf_symbols));
}

int pf_symbols_read(struct pf_symbols **result, struct pf_source *source, struct pf_error *error)
{
    struct pf_symbols *symbols = pf_symbols_new();

    *result = NULL;
    if (!symbols)
        return pf_error_nomem(error);
    int status = read_lines(symbols, source, error);

    if (status == PF_OK)
        *result = symbols;
    else
        pf_symbols_free(symbols);
    return status;
}

void pf_symbols_free(struct pf_symbols *symbols)
{
    if (!symbols)
        return;
    free(symbols->rows);
    pf_arena_free(&symbols->texts);
    free(symbols);
}

const struct pf_symbol *pf_symbols_find(const struct pf_symbols *symbols, uint64_t address)
{
    const struct pf_symbol *symbol =
        pf_last_up_to(symbols->rows, symbols->count, sizeof *symbols->rows, address);

    if (!symbol || symbol->name.size == 0 ||
        (symbol->size > 0 && address - symbol->address >= symbol->size))
        return NULL;
    return symbol;
}

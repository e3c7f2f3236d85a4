#include "analysis/symbols.h"

#include "base/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW = 64 * 1024 }; /* looked at to tell what a file is */

struct symbol {
    uint64_t address, size;  /* size 0: to the next one */
    struct pf_bytes name;    /* empty: data, where a function ends */
    struct pf_bytes file;
    uint32_t line, function; /* function: of the dictionary, 0 = not made yet */
    uint32_t rank, order;    /* of those at one place the greatest rank counts, then order */
};

/* Ids before and after, by the id before; 0 = not known yet, else the id after + 1. */
struct id_map {
    uint32_t *ids;
    size_t count, capacity;
};

struct pf_symbols {
    struct symbol *rows;
    size_t count, capacity;
    struct pf_arena texts;

    struct id_map locations, stacks;
    struct pf_buffer path; /* stacks to be made, innermost first */
    uint64_t addresses, named;
    uint32_t image;        /* the first one that got a name */
    bool images;           /* so did another */
    uint32_t columns[3][PF_BATCH_ROWS];
};

/* --- lines ------------------------------------------------------------------------------------------------ */

struct parsed {
    uint64_t address, size;
    char type; /* 0: a perf map has none */
    struct pf_bytes name;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static struct pf_bytes take_token(struct pf_bytes *text)
{
    struct pf_bytes token = {text->data, 0};

    while (token.size < text->size && !is_blank(token.data[token.size]))
        token.size++;
    text->data += token.size;
    text->size -= token.size;
    while (text->size > 0 && is_blank(*text->data)) {
        text->data++;
        text->size--;
    }
    return token;
}

static bool parse_hex(struct pf_bytes text, uint64_t *number)
{
    if (text.size > 2 && memcmp(text.data, "0x", 2) == 0)
        text = (struct pf_bytes){text.data + 2, text.size - 2};
    *number = 0;
    for (size_t k = 0; k < text.size; k++) {
        char c = text.data[k];
        int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;

        if (digit < 0)
            return false;
        *number = *number << 4 | (unsigned)digit;
    }
    return text.size > 0 && text.size <= 16;
}

static bool is_type(struct pf_bytes token)
{
    return token.size == 1 && strchr("AaBbCcDdGgIiNnpRrSsTtUuVvWw-?", *token.data) != NULL;
}

/* A line of nm: with a size, or without. */
static bool parse_nm(struct pf_bytes line, struct parsed *parsed)
{
    struct pf_bytes first = take_token(&line), second = take_token(&line), rest = line, third = take_token(&rest);

    *parsed = (struct parsed){0};
    if (!parse_hex(first, &parsed->address))
        return false;
    if (is_type(third) && rest.size > 0 && second.size > 1 && parse_hex(second, &parsed->size)) {
        parsed->type = *third.data;
        parsed->name = rest;
        return true;
    }
    parsed->size = 0;
    parsed->type = second.size > 0 ? *second.data : '\0';
    parsed->name = line;
    return is_type(second) && line.size > 0;
}

static bool parse_map(struct pf_bytes line, struct parsed *parsed)
{
    struct pf_bytes first = take_token(&line), second = take_token(&line);

    *parsed = (struct parsed){.name = line};
    return parse_hex(first, &parsed->address) && parse_hex(second, &parsed->size) && line.size > 0;
}

/* Whether most lines ahead are nm's. */
static bool looks_like_nm(struct pf_source *source)
{
    size_t have, nm = 0, map = 0;
    const unsigned char *bytes = pf_source_peek(source, WINDOW, &have);
    struct pf_bytes text = {(const char *)bytes, have < WINDOW ? have : WINDOW};
    const char *end;
    struct parsed parsed;

    for (; (end = memchr(text.data, '\n', text.size)) != NULL; text.size -= (size_t)(end - text.data) + 1, text.data = end + 1) {
        struct pf_bytes line = {text.data, (size_t)(end - text.data)};
        bool is_nm = parse_nm(line, &parsed);

        nm += is_nm;
        map += !is_nm && parse_map(line, &parsed);
    }
    return nm >= map;
}

/* --- reading ---------------------------------------------------------------------------------------------- */

static bool keep_text(struct pf_symbols *symbols, struct pf_bytes *text)
{
    char *copy = pf_arena_copy(&symbols->texts, text->data, text->size);

    text->data = copy;
    return copy != NULL;
}

/* What nm -l says behind a tab: FILE:LINE. Anything else there (the module of a kernel's symbol) is left out of the name, too. */
static void split_place(struct symbol *symbol)
{
    const char *tab = memchr(symbol->name.data, '\t', symbol->name.size);
    uint64_t line = 0;

    if (!tab)
        return;
    struct pf_bytes place = {tab + 1, symbol->name.size - (size_t)(tab - symbol->name.data) - 1};
    size_t colon = place.size;

    symbol->name.size = (size_t)(tab - symbol->name.data);
    while (colon > 0 && place.data[colon - 1] >= '0' && place.data[colon - 1] <= '9')
        colon--;
    for (size_t k = colon; k < place.size && line < UINT32_MAX / 16; k++)
        line = line * 10 + (uint64_t)(place.data[k] - '0');
    if (colon < 2 || colon == place.size || place.data[colon - 1] != ':')
        return;
    symbol->file = (struct pf_bytes){place.data, colon - 1};
    symbol->line = (uint32_t)line;
}

/* Symbols of code have a rank: those that are global first. */
static uint32_t rank_of(char type)
{
    switch (type) {
    case '\0':
    case 'T':
        return 3;
    case 'W':
    case 'w':
    case 'i':
        return 2;
    case 't':
        return 1;
    default:
        return 0;
    }
}

static int add_symbol(struct pf_symbols *symbols, const struct parsed *parsed, struct pf_error *error)
{
    struct symbol symbol = {.address = parsed->address, .size = parsed->size, .rank = rank_of(parsed->type)};

    if (parsed->type != '\0' && strchr("AaNnUu-?", parsed->type))
        return PF_OK;
    symbol.order = (uint32_t)symbols->count;
    if (symbol.rank > 0) {
        symbol.name = parsed->name;
        split_place(&symbol);
        if (!keep_text(symbols, &symbol.name) || (symbol.file.size > 0 && !keep_text(symbols, &symbol.file)))
            return pf_error_nomem(error);
    }
    if (!pf_grow(&symbols->rows, &symbols->capacity, symbols->count + 1, sizeof symbol))
        return pf_error_nomem(error);
    symbols->rows[symbols->count++] = symbol;
    return PF_OK;
}

static int compare_symbols(const void *a, const void *b)
{
    const struct symbol *x = a, *y = b;

    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* One symbol for each address, in order. */
static void sort_symbols(struct pf_symbols *symbols)
{
    size_t kept = 0;

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
    struct parsed parsed;
    int status;

    while ((status = pf_source_line(source, &line, error)) == PF_OK)
        if ((nm ? parse_nm(line, &parsed) : parse_map(line, &parsed)) && add_symbol(symbols, &parsed, error) != PF_OK)
            return error->code;
    if (status != PF_EOF)
        return status;
    if (symbols->count == 0)
        return pf_error_at(error, PF_FAILED, 0, "no line is one of nm (ADDRESS TYPE NAME) or of a perf map (ADDRESS SIZE NAME)");
    sort_symbols(symbols);
    return PF_OK;
}

int pf_symbols_read(struct pf_symbols **result, struct pf_source *source, struct pf_error *error)
{
    struct pf_symbols *symbols = calloc(1, sizeof *symbols);

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
    free(symbols->locations.ids);
    free(symbols->stacks.ids);
    pf_buffer_free(&symbols->path);
    pf_arena_free(&symbols->texts);
    free(symbols);
}

/* --- naming ----------------------------------------------------------------------------------------------- */

/* The symbol an address is in, or NULL. */
static struct symbol *find_symbol(const struct pf_symbols *symbols, uint64_t address)
{
    size_t low = 0, high = symbols->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (symbols->rows[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    struct symbol *symbol = low > 0 ? &symbols->rows[low - 1] : NULL;

    if (!symbol || symbol->name.size == 0 || (symbol->size > 0 && address - symbol->address >= symbol->size))
        return NULL;
    return symbol;
}

static uint32_t function_of(struct symbol *symbol, struct pf_dict *dict)
{
    if (symbol->function == 0) {
        struct pf_function function = {
            .name = pf_dict_intern(dict, symbol->name, pf_utf8_valid(symbol->name) ? PF_UTF8 : 0),
            .file = pf_dict_intern(dict, symbol->file, pf_utf8_valid(symbol->file) ? PF_UTF8 : 0),
            .start_line = symbol->line,
        };

        symbol->function = pf_dict_add_function(dict, &function);
    }
    return symbol->function;
}

static uint32_t name_location(struct pf_symbols *symbols, struct pf_dict *dict, uint32_t location)
{
    struct pf_location row = *pf_dict_location(dict, location);
    const struct pf_image *image = pf_dict_image(dict, row.image);
    struct symbol *symbol = NULL;

    if (row.function != 0 || !pf_dict_has_address(dict, &row))
        return location;
    symbols->addresses++;
    if (image->start != 0 && row.address >= image->start)
        symbol = find_symbol(symbols, row.address - image->start + image->offset);
    if (!symbol)
        symbol = find_symbol(symbols, row.address);
    if (!symbol)
        return location;
    symbols->images = symbols->images || (symbols->named > 0 && symbols->image != row.image);
    symbols->image = row.image;
    symbols->named++;
    row.function = function_of(symbol, dict);
    return pf_dict_add_location(dict, &row);
}

/* Room for all ids there are, with 0 in what is new. */
static bool grow_map(struct id_map *map, size_t count)
{
    if (map->count >= count)
        return true;
    if (!pf_grow(&map->ids, &map->capacity, count, sizeof *map->ids))
        return false;
    memset(map->ids + map->count, 0, (count - map->count) * sizeof *map->ids);
    map->count = count;
    return true;
}

static bool map_location(struct pf_symbols *symbols, struct pf_dict *dict, uint32_t location, uint32_t *named)
{
    struct id_map *map = &symbols->locations;

    if (location >= map->count && !grow_map(map, dict->locations.count))
        return false;
    if (map->ids[location] == 0)
        map->ids[location] = name_location(symbols, dict, location) + 1;
    *named = map->ids[location] - 1;
    return true;
}

/* From the nearest frame outside that is known inwards. */
static bool map_stack(struct pf_symbols *symbols, struct pf_dict *dict, uint32_t stack, uint32_t *named)
{
    struct id_map *map = &symbols->stacks;
    uint32_t location;

    if (stack >= map->count && !grow_map(map, dict->stacks.count))
        return false;
    map->ids[0] = 1;
    symbols->path.size = 0;
    for (; map->ids[stack] == 0; stack = pf_dict_stack(dict, stack)->parent)
        pf_buffer_append(&symbols->path, &stack, sizeof stack);
    *named = map->ids[stack] - 1;
    while (symbols->path.size > 0 && !symbols->path.failed) {
        symbols->path.size -= sizeof stack;
        memcpy(&stack, symbols->path.data + symbols->path.size, sizeof stack);
        if (!map_location(symbols, dict, pf_dict_stack(dict, stack)->location, &location))
            return false;
        *named = pf_dict_add_frame(dict, *named, location);
        map->ids[stack] = *named + 1;
    }
    return !symbols->path.failed;
}

static bool map_column(struct pf_symbols *symbols, struct pf_dict *dict, const uint32_t *from, uint32_t rows, uint32_t *to,
                       bool (*map)(struct pf_symbols *, struct pf_dict *, uint32_t, uint32_t *))
{
    for (uint32_t row = 0; row < rows; row++)
        if (!map(symbols, dict, from[row], &to[row]))
            return false;
    return true;
}

int pf_symbols_batch(struct pf_symbols *symbols, struct pf_dict *dict, const struct pf_batch *from, struct pf_batch *to)
{
    bool good = true;

    *to = *from;
    if (from->kind >= PF_RECORD_KINDS)
        return PF_OK;
    if (from->stack) {
        good = map_column(symbols, dict, from->stack, from->rows, symbols->columns[0], map_stack);
        to->stack = symbols->columns[0];
    }
    if (good && from->location) {
        good = map_column(symbols, dict, from->location, from->rows, symbols->columns[1], map_location);
        to->location = symbols->columns[1];
    }
    if (good && from->callee) {
        good = map_column(symbols, dict, from->callee, from->rows, symbols->columns[2], map_location);
        to->callee = symbols->columns[2];
    }
    return good && pf_dict_status(dict) == PF_OK ? PF_OK : PF_NOMEM;
}

void pf_symbols_report(const struct pf_symbols *symbols, const struct pf_report *report)
{
    if (symbols->addresses > 0 && symbols->named == 0)
        pf_report_send(report, PF_WARNING, "none of the %llu addresses without a name is in these symbols",
                       (unsigned long long)symbols->addresses);
    else if (symbols->images)
        pf_report_send(report, PF_WARNING, "addresses of several images were named: the names are right for one of them at most");
    else
        pf_report_send(report, PF_NOTE, "%llu of %llu addresses named", (unsigned long long)symbols->named,
                       (unsigned long long)symbols->addresses);
}

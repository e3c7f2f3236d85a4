#include "analysis/names/dwarf.h"

#include "config.h"

#if PF_ELFUTILS

#include "base/error.h"
#include "base/memory.h"
#include "base/table.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <stdlib.h>
#include <string.h>

enum {
    DEPTH_MAX = 256,     /* depth of the tree of entries; deeper entries are skipped */
    REFERENCES_MAX = 16, /* from an entry to the entry that has its name */
    SCOPES_MAX = 64,     /* scopes around a name */
    RANGES_MAX = 1 << 20 /* ranges of one entry; further ranges are skipped */
};

static const uint32_t NONE = UINT32_MAX;

/* A subprogram, or an inlined call of a subprogram. */
struct function {
    Dwarf_Die die;
    uint32_t parent; /* the function it is inlined into; NONE: not inlined */
    bool described;
    struct pf_bytes name, system_name;
    const char *file; /* the file of its declaration; NULL: not known */
    int64_t start_line;
};

/* Addresses of units or of the functions of a unit, sorted by `low` after sort_ranges. */
struct ranges {
    struct range {
        uint64_t low, high;
        uint32_t owner;     /* number of the unit or the function */
        uint32_t enclosing; /* the innermost range around it; NONE: no range */
    } * rows;
    size_t count, capacity;
};

/* A scope of names: a namespace, a type. */
struct scope {
    uint64_t start; /* offset of its entry */
    uint64_t end;   /* 1 after the offset of the last entry inside */
    uint32_t parent;
    const char *name;
};

struct unit {
    /* body: the entries; differs from `die` if they are in a file of their own */
    Dwarf_Die die, body;
    bool indexed;
    struct function *functions;
    struct scope *scopes;
    size_t function_count, scope_count;
    size_t function_capacity, scope_capacity;
    struct ranges ranges; /* of functions */
};

struct pf_dwarf {
    struct unit *units;
    size_t unit_count, unit_capacity;
    struct pf_table bodies; /* addresses of struct Dwarf_CU; the row of a unit is its number + 1 */
    struct ranges ranges;   /* of units */
    struct pf_arena texts;
    bool failed; /* out of memory */
};

/* --- ranges ----------------------------------------------------------------------------------- */

/* Adds the addresses of an entry. */
static void add_ranges(struct pf_dwarf *dwarf, struct ranges *ranges, Dwarf_Die *die, size_t owner)
{
    Dwarf_Addr base = 0, low, high;
    ptrdiff_t at = 0;

    for (unsigned n = 0; n < RANGES_MAX && (at = dwarf_ranges(die, at, &base, &low, &high)) > 0;
         n++) {
        if (low >= high)
            continue;
        if (!pf_grow(&ranges->rows, &ranges->capacity, ranges->count + 1, sizeof *ranges->rows)) {
            dwarf->failed = true;
            return;
        }
        ranges->rows[ranges->count++] = (struct range){low, high, (uint32_t)owner, NONE};
    }
}

static int compare_ranges(const void *a, const void *b)
{
    const struct range *x = a, *y = b;

    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    if (x->high != y->high)
        return x->high > y->high ? -1 : 1;
    return (x->owner > y->owner) - (x->owner < y->owner);
}

static void sort_ranges(struct ranges *ranges)
{
    uint32_t around = NONE;

    if (ranges->count > 0)
        qsort(ranges->rows, ranges->count, sizeof *ranges->rows, compare_ranges);
    for (size_t k = 0; k < ranges->count; k++) {
        while (around != NONE && ranges->rows[around].high <= ranges->rows[k].low)
            around = ranges->rows[around].enclosing;
        ranges->rows[k].enclosing = around;
        around = (uint32_t)k;
    }
}

/* The owner of the innermost range that contains an address; NONE: no range does. */
static uint32_t find_owner(const struct ranges *ranges, uint64_t address)
{
    const struct range *range =
        pf_last_up_to(ranges->rows, ranges->count, sizeof *ranges->rows, address);

    while (range && address >= range->high)
        range = range->enclosing != NONE ? &ranges->rows[range->enclosing] : NULL;
    return range ? range->owner : NONE;
}

/* --- units ------------------------------------------------------------------------------------ */

static void add_unit(struct pf_dwarf *dwarf, const Dwarf_Die *die, const Dwarf_Die *body,
                     uint8_t type)
{
    struct unit unit = {.die = *die, .body = type == DW_UT_skeleton && body->addr ? *body : *die};
    uint32_t row = pf_table_intern(&dwarf->bodies, &unit.body.cu);

    if (row == 0 ||
        !pf_grow(&dwarf->units, &dwarf->unit_capacity, dwarf->unit_count + 1, sizeof unit)) {
        dwarf->failed = true;
        return;
    }
    if (row <= dwarf->unit_count) /* the same body again: a damaged file */
        return;
    dwarf->units[dwarf->unit_count] = unit;
    add_ranges(dwarf, &dwarf->ranges, &unit.die, dwarf->unit_count++);
}

struct pf_dwarf *pf_dwarf_open(struct Dwarf *debug)
{
    struct pf_dwarf *dwarf = calloc(1, sizeof *dwarf);
    Dwarf_CU *unit = NULL;
    Dwarf_Half version;
    uint8_t type;
    Dwarf_Die die, body;

    if (dwarf)
        dwarf->failed = pf_table_init(&dwarf->bodies, sizeof unit) != PF_OK;
    while (dwarf && !dwarf->failed) {
        memset(&body, 0, sizeof body);
        if (dwarf_get_units(debug, unit, &unit, &version, &type, &die, &body) != 0)
            break;
        if (die.addr)
            add_unit(dwarf, &die, &body, type);
    }
    if (dwarf && dwarf->failed) {
        pf_dwarf_close(dwarf);
        return NULL;
    }
    if (dwarf)
        sort_ranges(&dwarf->ranges);
    return dwarf;
}

void pf_dwarf_close(struct pf_dwarf *dwarf)
{
    if (!dwarf)
        return;
    for (size_t k = 0; k < dwarf->unit_count; k++) {
        free(dwarf->units[k].functions);
        free(dwarf->units[k].ranges.rows);
        free(dwarf->units[k].scopes);
    }
    free(dwarf->units);
    free(dwarf->ranges.rows);
    pf_table_free(&dwarf->bodies);
    pf_arena_free(&dwarf->texts);
    free(dwarf);
}

/* --- index of a unit -------------------------------------------------------------------------- */

struct walk {
    struct pf_dwarf *dwarf;
    struct unit *unit;
    uint64_t last; /* offset of the last entry so far */
};

static uint32_t add_scope(struct walk *walk, Dwarf_Die *die, uint32_t parent)
{
    struct unit *unit = walk->unit;
    const char *name = dwarf_diename(die);

    if (!pf_grow(&unit->scopes, &unit->scope_capacity, unit->scope_count + 1,
                 sizeof *unit->scopes)) {
        walk->dwarf->failed = true;
        return NONE;
    }
    if (!name && dwarf_tag(die) == DW_TAG_namespace)
        name = "(anonymous namespace)";
    unit->scopes[unit->scope_count] =
        (struct scope){dwarf_dieoffset(die), UINT64_MAX, parent, name};
    return (uint32_t)unit->scope_count++;
}

static uint32_t add_function(struct walk *walk, Dwarf_Die *die, uint32_t parent)
{
    struct unit *unit = walk->unit;

    if (!pf_grow(&unit->functions, &unit->function_capacity, unit->function_count + 1,
                 sizeof *unit->functions)) {
        walk->dwarf->failed = true;
        return NONE;
    }
    add_ranges(walk->dwarf, &unit->ranges, die, unit->function_count);
    unit->functions[unit->function_count] = (struct function){.die = *die, .parent = parent};
    return (uint32_t)unit->function_count++;
}

static void walk_children(struct walk *walk, Dwarf_Die *parent, uint32_t scope, uint32_t function,
                          unsigned depth);

static void walk_entry(struct walk *walk, Dwarf_Die *die, uint32_t scope, uint32_t function,
                       unsigned depth)
{
    switch (dwarf_tag(die)) {
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
    case DW_TAG_interface_type:
    case DW_TAG_enumeration_type: /* in Rust an enumeration has functions */
        scope = add_scope(walk, die, scope);
        walk_children(walk, die, scope, function, depth + 1);
        if (scope != NONE)
            walk->unit->scopes[scope].end = walk->last + 1;
        break;
    case DW_TAG_subprogram:
        walk_children(walk, die, scope, add_function(walk, die, NONE), depth + 1);
        break;
    case DW_TAG_inlined_subroutine:
        walk_children(walk, die, scope, add_function(walk, die, function), depth + 1);
        break;
    case DW_TAG_lexical_block:
    case DW_TAG_try_block:
    case DW_TAG_catch_block: walk_children(walk, die, scope, function, depth + 1); break;
    default: break;
    }
}

/* Reads the children of an entry. Offsets must ascend: damaged entries may refer back, and are
 * skipped. */
static void walk_children(struct walk *walk, Dwarf_Die *parent, uint32_t scope, uint32_t function,
                          unsigned depth)
{
    Dwarf_Die die;
    uint64_t offset;

    if (depth > DEPTH_MAX || walk->dwarf->failed || dwarf_child(parent, &die) != 0)
        return;
    do {
        offset = dwarf_dieoffset(&die);
        if (offset <= walk->last)
            return;
        walk->last = offset;
        walk_entry(walk, &die, scope, function, depth);
    } while (!walk->dwarf->failed && dwarf_siblingof(&die, &die) == 0);
}

static void index_unit(struct pf_dwarf *dwarf, struct unit *unit)
{
    struct walk walk = {.dwarf = dwarf, .unit = unit, .last = dwarf_dieoffset(&unit->body)};

    if (unit->indexed)
        return;
    unit->indexed = true;
    walk_children(&walk, &unit->body, NONE, NONE, 0);
    sort_ranges(&unit->ranges);
}

/* --- names ------------------------------------------------------------------------------------ */

/* The unit of an entry, which may differ from the unit that refers to it. NULL: not found. */
static struct unit *unit_of(struct pf_dwarf *dwarf, Dwarf_Die *die)
{
    Dwarf_Die top;
    uint32_t row = dwarf_diecu(die, &top, NULL, NULL) ? pf_table_find(&dwarf->bodies, &top.cu) : 0;

    return row != 0 ? &dwarf->units[row - 1] : NULL;
}

/* Finds the declaration of a function; `die` is the body of the function or an inlined copy. */
static Dwarf_Die declaration_of(Dwarf_Die die)
{
    static const unsigned ATTRIBUTES[] = {DW_AT_abstract_origin, DW_AT_specification};

    for (unsigned n = 0; n < REFERENCES_MAX; n++) {
        Dwarf_Attribute attribute;
        Dwarf_Die next;
        bool found = false;

        for (size_t k = 0; k < 2 && !found; k++)
            found = dwarf_attr(&die, ATTRIBUTES[k], &attribute) &&
                    dwarf_formref_die(&attribute, &next);
        if (!found)
            break;
        die = next;
    }
    return die;
}

static uint32_t scope_of(const struct unit *unit, uint64_t offset)
{
    const struct scope *scope = offset > 0 ? pf_last_up_to(unit->scopes, unit->scope_count,
                                                           sizeof *unit->scopes, offset - 1)
                                           : NULL;
    uint32_t k = scope ? (uint32_t)(scope - unit->scopes) : NONE;

    while (k != NONE && offset >= unit->scopes[k].end)
        k = unit->scopes[k].parent;
    return k;
}

/* NAMESPACE::CLASS::NAME, as far as the scopes have names. */
static struct pf_bytes qualified(struct pf_dwarf *dwarf, Dwarf_Die *declaration, const char *name)
{
    struct unit *unit = unit_of(dwarf, declaration);
    const char *around[SCOPES_MAX];
    size_t count = 0;
    struct pf_buffer text = {0};

    if (unit)
        index_unit(dwarf, unit);
    for (uint32_t k = unit ? scope_of(unit, dwarf_dieoffset(declaration)) : NONE;
         k != NONE && count < SCOPES_MAX; k = unit->scopes[k].parent)
        if (unit->scopes[k].name)
            around[count++] = unit->scopes[k].name;
    if (count == 0)
        return pf_bytes_of(name);
    while (count-- > 0)
        pf_buffer_printf(&text, "%s::", around[count]);
    pf_buffer_append(&text, name, strlen(name));
    const char *copy = pf_arena_take(&dwarf->texts, &text);

    return pf_bytes_of(copy ? copy : name);
}

/* A file's name; if it has no directory, with the directory of the compilation. */
static const char *full_path(struct pf_dwarf *dwarf, struct unit *unit, const char *file)
{
    Dwarf_Attribute attribute;
    const char *directory;
    struct pf_buffer text = {0};

    if (!file || *file == '/' || !dwarf_attr(&unit->die, DW_AT_comp_dir, &attribute) ||
        !(directory = dwarf_formstring(&attribute)))
        return file;
    pf_buffer_append(&text, directory, strlen(directory));
    pf_buffer_byte(&text, '/');
    pf_buffer_append(&text, file, strlen(file));
    const char *copy = pf_arena_take(&dwarf->texts, &text);

    return copy ? copy : file;
}

static bool number_of(Dwarf_Die *die, unsigned name, uint64_t *number)
{
    Dwarf_Attribute attribute;
    Dwarf_Word word = 0;
    bool found = dwarf_attr_integrate(die, name, &attribute) &&
                 dwarf_formudata(&attribute, &word) == 0;

    *number = word;
    return found;
}

/* The file of the unit whose number is in an attribute; NULL: none. */
static const char *file_of(struct pf_dwarf *dwarf, struct unit *unit, Dwarf_Die *die,
                           unsigned attribute)
{
    Dwarf_Files *files;
    size_t count;
    uint64_t number;
    const char *file;

    if (!number_of(die, attribute, &number) ||
        dwarf_getsrcfiles(&unit->body, &files, &count) != 0 || number >= count)
        return NULL;
    file = dwarf_filesrc(files, number, NULL, NULL);
    /* DWARF 2 to 4 number files from 1; libdw names file 0 "???" */
    return file && strcmp(file, "???") == 0 ? NULL : full_path(dwarf, unit, file);
}

static void describe_function(struct pf_dwarf *dwarf, struct unit *unit, struct function *function)
{
    Dwarf_Attribute attribute;
    Dwarf_Die declaration = declaration_of(function->die);
    const char *name = dwarf_diename(&function->die), *linkage = NULL;
    int line = 0;

    if (dwarf_attr_integrate(&function->die, DW_AT_linkage_name, &attribute) ||
        dwarf_attr_integrate(&function->die, DW_AT_MIPS_linkage_name, &attribute))
        linkage = dwarf_formstring(&attribute);
    function->described = true;
    if (name)
        function->name = qualified(dwarf, &declaration, name);
    else if (linkage)
        function->name = pf_bytes_of(linkage);
    if (name && linkage && strcmp(name, linkage) != 0)
        function->system_name = pf_bytes_of(linkage);
    if (dwarf_decl_line(&function->die, &line) == 0 && line > 0) {
        struct unit *declared = unit_of(dwarf, &declaration);

        function->start_line = line;
        function->file =
            file_of(dwarf, declared ? declared : unit, &function->die, DW_AT_decl_file);
    }
}

/* --- frames ----------------------------------------------------------------------------------- */

static void set_line(struct pf_dwarf *dwarf, struct unit *unit, uint64_t address,
                     struct pf_frame *frame, const char **file)
{
    Dwarf_Line *line = dwarf_getsrc_die(&unit->die, address);
    int number = 0, column = 0;

    if (!line)
        return;
    *file = full_path(dwarf, unit, dwarf_linesrc(line, NULL, NULL));
    if (dwarf_lineno(line, &number) == 0 && number > 0)
        frame->line = number;
    if (dwarf_linecol(line, &column) == 0 && column > 0)
        frame->column = (uint32_t)column;
}

/* Sets file and line of an inlined call, in the function it is inlined into. */
static void set_call(struct pf_dwarf *dwarf, struct unit *unit, Dwarf_Die *call,
                     struct pf_frame *frame, const char **file)
{
    uint64_t line, column;

    number_of(call, DW_AT_call_line, &line);
    number_of(call, DW_AT_call_column, &column);
    *file = file_of(dwarf, unit, call, DW_AT_call_file);
    frame->line = line <= INT32_MAX ? (int64_t)line : 0;
    frame->column = column <= INT32_MAX ? (uint32_t)column : 0;
}

static void finish_frame(struct pf_frame *frame, const struct function *function, const char *file)
{
    if (file)
        frame->file = pf_bytes_of(file);
    if (!function)
        return;
    frame->name = function->name;
    frame->system_name = function->system_name;
    if (!file && function->file)
        frame->file = pf_bytes_of(function->file);
    if (function->file && (!file || strcmp(file, function->file) == 0))
        frame->start_line = function->start_line;
}

size_t pf_dwarf_frames(struct pf_dwarf *dwarf, uint64_t address,
                       struct pf_frame frames[PF_ADDRESS_FRAMES])
{
    uint32_t number = find_owner(&dwarf->ranges, address), k;
    const char *file = NULL;
    size_t count = 0;

    if (number == NONE)
        return 0;
    struct unit *unit = &dwarf->units[number];

    index_unit(dwarf, unit);
    frames[0] = (struct pf_frame){0};
    set_line(dwarf, unit, address, &frames[0], &file);
    k = find_owner(&unit->ranges, address);
    if (k == NONE) {
        finish_frame(&frames[0], NULL, file);
        return file != NULL;
    }
    for (;;) {
        struct function *function = &unit->functions[k];

        if (!function->described)
            describe_function(dwarf, unit, function);
        finish_frame(&frames[count++], function, file);
        k = function->parent;
        if (k == NONE || count == PF_ADDRESS_FRAMES)
            return count;
        frames[count] = (struct pf_frame){0};
        file = NULL;
        set_call(dwarf, unit, &function->die, &frames[count], &file);
    }
}

#endif

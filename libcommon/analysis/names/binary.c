#include "analysis/names/binary.h"

#include "analysis/names/dwarf.h"
#include "analysis/names/symbols.h"
#include "base/scan.h"
#include "config.h"

#if PF_ELFUTILS

#include <elfutils/libdwfl.h>
#include <gelf.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { BUILD_ID_MAX = 64, SEGMENTS_MAX = 64 };

/* A part of the file that is mapped into memory. */
struct segment {
    uint64_t offset, address, size;
    bool executable;
};

struct pf_binary {
    const char *path;
    Dwfl *dwfl;
    Dwfl_Module *module;
    /* what libdwfl adds to the addresses of the file, and of its debugging information */
    GElf_Addr bias, debug_bias;
    struct segment segments[SEGMENTS_MAX];
    size_t segment_count;
    char build_id[2 * BUILD_ID_MAX + 1];
    struct pf_dwarf *dwarf; /* NULL: no debugging information */
    struct pf_symbols *symbols;
};

static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
};

/* --- opening ---------------------------------------------------------------------------------- */

static int elf_error(struct pf_error *error, const char *what)
{
    const char *text = dwfl_errmsg(-1);

    return pf_error_set(error, PF_FAILED, "%s: %s", what, text ? text : "damaged");
}

static int check_file(const char *path, struct pf_error *error)
{
    struct stat info;

    if (stat(path, &info) != 0)
        return pf_error_system(error, "cannot open '%s'", path);
    if (!S_ISREG(info.st_mode))
        return pf_error_set(error, PF_FAILED, "not a regular file");
    return PF_OK;
}

static int read_segments(struct pf_binary *binary, Elf *elf, struct pf_error *error)
{
    size_t count;
    GElf_Phdr header;

    if (elf_getphdrnum(elf, &count) != 0)
        return elf_error(error, "no program headers");
    for (size_t k = 0; k < count && binary->segment_count < SEGMENTS_MAX; k++)
        if (gelf_getphdr(elf, (int)k, &header) && header.p_type == PT_LOAD && header.p_filesz > 0)
            binary->segments[binary->segment_count++] = (struct segment){
                header.p_offset, header.p_vaddr, header.p_filesz, (header.p_flags & PF_X) != 0};
    return PF_OK;
}

static void read_build_id(struct pf_binary *binary)
{
    static const char DIGITS[] = "0123456789abcdef";
    const unsigned char *bytes;
    GElf_Addr address;
    int size = dwfl_module_build_id(binary->module, &bytes, &address);

    for (int k = 0; k < size && k < BUILD_ID_MAX; k++) {
        binary->build_id[2 * k] = DIGITS[bytes[k] >> 4];
        binary->build_id[2 * k + 1] = DIGITS[bytes[k] & 15];
    }
}

static bool is_code(Elf *elf, GElf_Word section)
{
    GElf_Shdr header;
    Elf_Scn *found = elf ? elf_getscn(elf, section) : NULL;

    return found && gelf_getshdr(found, &header) && (header.sh_flags & SHF_EXECINSTR);
}

static bool add_symbol(struct pf_binary *binary, const char *name, const GElf_Sym *symbol,
                       uint64_t address)
{
    int bind = GELF_ST_BIND(symbol->st_info);
    struct pf_symbol row = {
        .address = address - binary->bias,
        .size = symbol->st_size,
        .name = pf_bytes_of(name),
        .rank = bind == STB_LOCAL  ? PF_SYMBOL_LOCAL
                : bind == STB_WEAK ? PF_SYMBOL_WEAK
                                   : PF_SYMBOL_GLOBAL,
    };

    return pf_symbols_add(binary->symbols, &row);
}

/* Reads the functions of .symtab. A file without .symtab has its functions in .dynsym. */
static int read_symbols(struct pf_binary *binary, size_t *named, struct pf_error *error)
{
    int count = dwfl_module_getsymtab(binary->module);

    *named = 0;
    binary->symbols = pf_symbols_new();
    if (!binary->symbols)
        return pf_error_nomem(error);
    for (int k = 1; k < count; k++) {
        GElf_Sym symbol;
        GElf_Addr address;
        GElf_Word section;
        Elf *elf = NULL;
        Dwarf_Addr bias;
        const char *name =
            dwfl_module_getsym_info(binary->module, k, &symbol, &address, &section, &elf, &bias);
        int type = name ? GELF_ST_TYPE(symbol.st_info) : STT_OBJECT;

        if ((type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE) || *name == '\0' ||
            *name == '$' || section == SHN_UNDEF)
            continue;
        if (section >= SHN_LORESERVE || !is_code(elf, section))
            continue;
        if (!add_symbol(binary, name, &symbol, address))
            return pf_error_nomem(error);
        ++*named;
    }
    pf_symbols_sort(binary->symbols);
    return PF_OK;
}

static int open_module(struct pf_binary *binary, PF_NORETURN void (*no_memory)(void),
                       struct pf_error *error)
{
    size_t named;
    Elf *elf;

    binary->dwfl = dwfl_begin(&callbacks);
    if (!binary->dwfl)
        return elf_error(error, "elfutils");
    dwfl_report_begin(binary->dwfl);
    binary->module = dwfl_report_offline(binary->dwfl, "", binary->path, -1);
    if (!binary->module || dwfl_report_end(binary->dwfl, NULL, NULL) != 0)
        return elf_error(error, "not an ELF file");
    elf = dwfl_module_getelf(binary->module, &binary->bias);
    if (!elf)
        return elf_error(error, "not an ELF file");
    if (read_segments(binary, elf, error) != PF_OK)
        return error->code;
    read_build_id(binary);
    Dwarf *debug = dwfl_module_getdwarf(binary->module, &binary->debug_bias);

    if (debug)
        dwarf_new_oom_handler(debug, no_memory);
    if (debug && !(binary->dwarf = pf_dwarf_open(debug)))
        return pf_error_nomem(error);
    if (read_symbols(binary, &named, error) != PF_OK)
        return error->code;
    if (!debug && named == 0)
        return pf_error_set(
            error, PF_FAILED,
            "the file has neither function symbols nor debugging information (stripped)");
    return PF_OK;
}

int pf_binary_open(struct pf_binary **result, const char *path, PF_NORETURN void (*no_memory)(void),
                   struct pf_error *error)
{
    struct pf_error why = {0};
    struct pf_binary *binary = calloc(1, sizeof *binary);
    int status = binary ? check_file(path, &why) : pf_error_nomem(&why);

    *result = NULL;
    if (status == PF_OK) {
        binary->path = path;
        /* elfutils goes on if it lacks memory for something, and only errno tells */
        errno = 0;
        status = open_module(binary, no_memory, &why);
        if (errno == ENOMEM) {
            why = (struct pf_error){0};
            status = pf_error_nomem(&why);
        }
    }
    if (status == PF_OK) {
        *result = binary;
    } else {
        *error = why;
        pf_binary_close(binary);
    }
    return status;
}

void pf_binary_close(struct pf_binary *binary)
{
    if (!binary)
        return;
    pf_dwarf_close(binary->dwarf);
    pf_symbols_free(binary->symbols);
    if (binary->dwfl)
        dwfl_end(binary->dwfl);
    free(binary);
}

const char *pf_binary_build_id(const struct pf_binary *binary)
{
    return binary->build_id;
}

/* --- images ----------------------------------------------------------------------------------- */

static struct pf_bytes last_part(struct pf_bytes path)
{
    size_t start = path.size;

    while (start > 0 && path.data[start - 1] != '/')
        start--;
    return (struct pf_bytes){path.data + start, path.size - start};
}

static struct pf_bytes without_end(struct pf_bytes text, struct pf_bytes end)
{
    if (text.size > end.size && memcmp(text.data + text.size - end.size, end.data, end.size) == 0)
        text.size -= end.size;
    return text;
}

/* True if an identifier is a build id: it has the length of the ids that linkers make. DCPI's
 * identifiers have another length. */
static bool is_build_id(struct pf_bytes text)
{
    return pf_all_of(text, "0123456789abcdefABCDEF") &&
           (text.size == 16 || text.size == 32 || text.size == 40 || text.size == 64);
}

static bool same_id(const char *ours, struct pf_bytes theirs)
{
    if (strlen(ours) != theirs.size)
        return false;
    for (size_t k = 0; k < theirs.size; k++)
        if (ours[k] != (theirs.data[k] >= 'A' && theirs.data[k] <= 'F' ? theirs.data[k] - 'A' + 'a'
                                                                       : theirs.data[k]))
            return false;
    return true;
}

enum pf_binary_match pf_binary_match(const struct pf_binary *binary, const struct pf_dict *dict,
                                     const struct pf_image *image)
{
    struct pf_bytes name = without_end(pf_dict_string(dict, image->name), PF_BYTES(" (deleted)"));
    struct pf_bytes identifier = pf_dict_string(dict, image->identifier);
    struct pf_bytes ours = without_end(last_part(pf_bytes_of(binary->path)), PF_BYTES(".debug"));
    bool named = name.size == 0 || pf_bytes_equal(last_part(name), ours);

    if (binary->build_id[0] && is_build_id(identifier) && same_id(binary->build_id, identifier))
        return PF_BINARY_SAME;
    if (!named)
        return PF_BINARY_OTHER;
    return binary->build_id[0] && is_build_id(identifier) ? PF_BINARY_CHANGED : PF_BINARY_SAME;
}

/* --- addresses -------------------------------------------------------------------------------- */

static bool has_code(const struct pf_binary *binary, uint64_t address)
{
    for (size_t k = 0; k < binary->segment_count; k++) {
        const struct segment *segment = &binary->segments[k];

        if (segment->executable && address >= segment->address &&
            address - segment->address < segment->size)
            return true;
    }
    return false;
}

/* Finds the link-time address of an address of the profile. */
static bool link_address(const struct pf_binary *binary, const struct pf_image *image,
                         uint64_t address, uint64_t *linked)
{
    if (image->limit > image->start && address >= image->start) {
        uint64_t offset = address - image->start + image->offset;

        for (size_t k = 0; k < binary->segment_count; k++) {
            const struct segment *segment = &binary->segments[k];

            *linked = offset - segment->offset + segment->address;
            if (segment->executable && offset >= segment->offset &&
                offset - segment->offset < segment->size)
                return true;
        }
    }
    *linked = address;
    if (has_code(binary, address))
        return true;
    /* the profile counts offsets from the image's first byte */
    *linked = binary->segment_count > 0 ? binary->segments[0].address + address : 0;
    return image->text_size > 0 && image->text_start == 0 && has_code(binary, *linked);
}

size_t pf_binary_frames(struct pf_binary *binary, const struct pf_image *image, uint64_t address,
                        struct pf_frame frames[PF_ADDRESS_FRAMES])
{
    uint64_t linked;
    size_t count = 0;

    if (!link_address(binary, image, address, &linked))
        return 0;
    errno = 0;
    if (binary->dwarf)
        count = pf_dwarf_frames(binary->dwarf, linked + binary->bias - binary->debug_bias, frames);
    if (errno == ENOMEM)
        return SIZE_MAX;
    if (count > 0 && frames[count - 1].name.size > 0)
        return count;
    const struct pf_symbol *symbol = pf_symbols_find(binary->symbols, linked);

    if (!symbol)
        return 0;
    if (count == 0)
        frames[count++] = (struct pf_frame){0};
    frames[count - 1].name = symbol->name;
    return count;
}

#else

int pf_binary_open(struct pf_binary **binary, const char *path, PF_NORETURN void (*no_memory)(void),
                   struct pf_error *error)
{
    *binary = NULL;
    (void)path;
    (void)no_memory;
    return pf_error_set(
        error, PF_USAGE,
        "this build has no elfutils and cannot read programs; --symbols reads the output of nm");
}

void pf_binary_close(struct pf_binary *binary)
{
    (void)binary;
}

const char *pf_binary_build_id(const struct pf_binary *binary)
{
    (void)binary;
    return "";
}

enum pf_binary_match pf_binary_match(const struct pf_binary *binary, const struct pf_dict *dict,
                                     const struct pf_image *image)
{
    (void)binary;
    (void)dict;
    (void)image;
    return PF_BINARY_OTHER;
}

size_t pf_binary_frames(struct pf_binary *binary, const struct pf_image *image, uint64_t address,
                        struct pf_frame frames[PF_ADDRESS_FRAMES])
{
    (void)binary;
    (void)image;
    (void)address;
    (void)frames;
    return 0;
}

#endif

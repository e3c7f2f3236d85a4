#include "analysis/names/binary.h"

#include "analysis/names/dwarf.h"
#include "analysis/names/symbols.h"
#include "base/scan.h"
#include "config.h"

/* --- build ids -------------------------------------------------------------------------------- */

bool pf_binary_id_of(struct pf_bytes identifier, char build_id[PF_BUILD_ID_SIZE])
{
    size_t size = identifier.size;

    if ((size != 16 && size != 32 && size != 40 && size != 64) ||
        !pf_all_of(identifier, "0123456789abcdefABCDEF"))
        return false;
    for (size_t k = 0; k < size; k++)
        build_id[k] = identifier.data[k] | 0x20; /* digits have this bit */
    build_id[size] = '\0';
    return true;
}

#if PF_ELFUTILS

#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <gelf.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SEGMENTS_MAX = 64 };

/* A part of the program that is mapped into memory. */
struct segment {
    uint64_t offset, address, size;
    bool executable;
    bool bare; /* the file is debugging information alone, which lacks the code and its offset */
};

/* A file with debugging information is looked for in these directories. */
struct search {
    struct pf_symbol_dirs *dirs; /* NULL: where elfutils does */
    bool walked;
    const struct pf_report *report;
    struct pf_error *error; /* a failure of the system, not of a file */
};

struct pf_binary {
    const char *path;
    char *own_path; /* NULL: `path` is borrowed */
    struct search search;
    Dwfl *dwfl;
    Dwfl_Module *module;
    /* what libdwfl adds to the addresses of the file, and of its debugging information */
    GElf_Addr bias, debug_bias;
    struct segment segments[SEGMENTS_MAX];
    size_t segment_count;
    char build_id[PF_BUILD_ID_SIZE];
    struct pf_dwarf *dwarf; /* NULL: no debugging information */
    struct pf_symbols *symbols;
};

int pf_binary_supported(struct pf_error *error)
{
    (void)error;
    return PF_OK;
}

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

/* True for debugging information without the program's code. */
static bool is_hollow(Elf *elf)
{
    GElf_Shdr header;

    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section)) != NULL;)
        if (gelf_getshdr(section, &header) && (header.sh_flags & SHF_EXECINSTR) &&
            header.sh_type != SHT_NOBITS)
            return false;
    return true;
}

/* Keeps a segment. objcopy --only-keep-debug leaves sizes of 0 and offsets without a meaning, but
 * for the segment at the start of the file. eu-strip leaves the segments as they were. */
static void add_segment(struct pf_binary *binary, const GElf_Phdr *header, bool hollow)
{
    bool executable = header->p_flags & PF_X;
    bool cut = hollow && executable && header->p_filesz < header->p_memsz;

    if (header->p_filesz == 0 && !cut)
        return;
    binary->segments[binary->segment_count++] = (struct segment){
        .offset = header->p_offset,
        .address = header->p_vaddr,
        .size = cut ? header->p_memsz : header->p_filesz,
        .executable = executable,
        .bare = cut && (header->p_filesz == 0 || header->p_offset != 0),
    };
}

static int read_segments(struct pf_binary *binary, Elf *elf, struct pf_error *error)
{
    size_t count;
    GElf_Phdr header;
    bool hollow = is_hollow(elf);

    if (elf_getphdrnum(elf, &count) != 0)
        return elf_error(error, "no program headers");
    for (size_t k = 0; k < count && binary->segment_count < SEGMENTS_MAX; k++)
        if (gelf_getphdr(elf, (int)k, &header) && header.p_type == PT_LOAD)
            add_segment(binary, &header, hollow);
    return PF_OK;
}

/* Writes a build id in hexadecimal digits; "" for a size of 0 or less. */
static void write_id(char text[PF_BUILD_ID_SIZE], const void *id, ssize_t size)
{
    static const char DIGITS[] = "0123456789abcdef";
    const unsigned char *bytes = id;
    size_t at = 0;

    for (; (ssize_t)(at / 2) < size && at + 2 < PF_BUILD_ID_SIZE; at += 2) {
        text[at] = DIGITS[bytes[at / 2] >> 4];
        text[at + 1] = DIGITS[bytes[at / 2] & 15];
    }
    text[at] = '\0';
}

static void read_build_id(struct pf_binary *binary)
{
    const unsigned char *bytes = NULL;
    GElf_Addr address;
    int size = dwfl_module_build_id(binary->module, &bytes, &address);

    write_id(binary->build_id, bytes, size);
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

/* Says what is wrong with a file, or PF_IO if the system is the reason. */
static void file_error(struct pf_error *why, const char *what)
{
    if (pf_symbol_dirs_io(errno))
        pf_error_system(why, "%s", what);
    else
        pf_error_set(why, PF_FAILED, "%s", what);
}

/* Opens a file for reading. Returns -1 after a failure. *why stays empty if the file does not
 * exist; else *why gets PF_IO if the system failed, PF_FAILED if the file cannot be used. */
static int open_file(const char *path, struct pf_error *why)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat info;

    if (fd < 0 && errno != ENOENT && errno != ENOTDIR) {
        pf_error_system(why, "cannot open the file");
        why->code = pf_symbol_dirs_io(errno) ? PF_IO : PF_FAILED;
    }
    if (fd < 0)
        return -1;
    if (fstat(fd, &info) != 0)
        pf_error_system(why, "cannot open the file");
    else if (S_ISREG(info.st_mode))
        return fd;
    else if (!S_ISDIR(info.st_mode)) /* perf's layout has directories */
        pf_error_set(why, PF_FAILED, "not a regular file");
    close(fd);
    return -1;
}

/* True if the file is an ELF file with this build id; else *why says what is wrong. */
static bool check_id(int fd, const char *build_id, struct pf_error *why)
{
    char found[PF_BUILD_ID_SIZE];
    const void *bytes = NULL;

    errno = 0;
    Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    bool is_elf = elf && elf_kind(elf) == ELF_K_ELF;
    ssize_t size = is_elf ? dwelf_elf_gnu_build_id(elf, &bytes) : 0;

    write_id(found, bytes, size);
    if (!is_elf)
        file_error(why, "not an ELF file");
    if (why->code == PF_OK && found[0] == '\0')
        pf_error_set(why, PF_FAILED, "the file has no build id, not %s", build_id);
    else if (why->code == PF_OK && strcmp(found, build_id) != 0)
        pf_error_set(why, PF_FAILED, "the file has build id %s, not %s", found, build_id);
    elf_end(elf);
    return why->code == PF_OK;
}

/* Reports a file that cannot be used. False: the system is the reason, which is an error. */
static bool skip_file(const struct search *search, const char *path, const struct pf_error *why)
{
    if (why->code == PF_IO || why->code == PF_NOMEM)
        pf_error_set(search->error, why->code, "'%s': %s", path, why->text);
    else if (why->code != PF_OK)
        pf_report_send(search->report, PF_WARNING, "'%s': %s", path, why->text);
    return search->error->code == PF_OK;
}

/* Opens the next file of a kind that has the build id, from name *n on. Returns -1 after the last
 * file, or with search->error set. */
static int find_file(const struct search *search, const char *build_id, enum pf_symbol_file kind,
                     size_t *n, struct pf_buffer *path)
{
    struct pf_error why = {0};

    while (skip_file(search, path->data, &why) &&
           pf_symbol_dirs_name(search->dirs, build_id, kind, search->walked, (*n)++, path,
                               search->error) == PF_OK) {
        why = (struct pf_error){0};
        int fd = open_file(path->data, &why);

        if (fd >= 0 && check_id(fd, build_id, &why))
            return fd;
        if (fd >= 0)
            close(fd);
    }
    return -1;
}

/* The build id of the file that libdwfl looks for: the debugging information of a program, or the
 * common part of several (dwz), which a program's debugging information names. */
static void wanted_id(const struct pf_binary *binary, Dwfl_Module *module,
                      char id[PF_BUILD_ID_SIZE])
{
    Dwarf_Addr bias;
    const char *name;
    const void *bytes = NULL;
    Dwarf *debug = dwfl_module_getdwarf(module, &bias); /* NULL until it is found */
    ssize_t size = debug ? dwelf_dwarf_gnu_debugaltlink(debug, &name, &bytes) : 0;

    if (debug)
        write_id(id, bytes, size);
    else
        memcpy(id, binary->build_id, sizeof binary->build_id);
}

static int find_debug(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
                      const char *file, const char *link, GElf_Word check, char **found)
{
    struct pf_binary *binary = *data;
    struct pf_buffer path = {0};
    char id[PF_BUILD_ID_SIZE] = "";
    size_t n = 0;
    int fd = -1;

    free(*found); /* of an earlier call whose file libdwfl could not use: else a leak */
    *found = NULL;
    if (binary && binary->search.dirs)
        wanted_id(binary, module, id);
    if (id[0] && id[1])
        fd = find_file(&binary->search, id, PF_SYMBOL_DEBUG, &n, &path);
    if (fd >= 0) {
        *found = path.data; /* libdwfl frees the name */
        return fd;
    }
    pf_buffer_free(&path);
    if (binary && binary->search.dirs && binary->search.error->code != PF_OK)
        return -1;
    return dwfl_standard_find_debuginfo(module, data, name, base, file, link, check, found);
}

static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = find_debug,
    .section_address = dwfl_offline_section_address,
};

/* Tells libdwfl about the program. `fd` is -1, or the open file, which is closed in any case. */
static int report_module(struct pf_binary *binary, int fd, struct pf_error *error)
{
    void **data;

    binary->dwfl = dwfl_begin(&callbacks);
    if (binary->dwfl) {
        dwfl_report_begin(binary->dwfl);
        binary->module = dwfl_report_offline(binary->dwfl, "", binary->path, fd);
    }
    if (!binary->module && fd >= 0)
        close(fd);
    if (!binary->dwfl)
        return elf_error(error, "elfutils");
    if (!binary->module || dwfl_report_end(binary->dwfl, NULL, NULL) != 0)
        return elf_error(error, "not an ELF file");
    dwfl_module_info(binary->module, &data, NULL, NULL, NULL, NULL, NULL, NULL);
    *data = binary;
    return PF_OK;
}

static int open_module(struct pf_binary *binary, int fd, PF_NORETURN void (*no_memory)(void),
                       struct pf_error *error)
{
    size_t named;
    Elf *elf;

    if (report_module(binary, fd, error) != PF_OK)
        return error->code;
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

/* elfutils may go on after it ran out of memory: then only errno shows the failure. */
static int open_checked(struct pf_binary *binary, int fd, PF_NORETURN void (*no_memory)(void),
                        struct pf_error *error)
{
    errno = 0;
    open_module(binary, fd, no_memory, error);
    if (errno == ENOMEM) {
        *error = (struct pf_error){0};
        pf_error_nomem(error);
    } else if (error->code == PF_FAILED && pf_symbol_dirs_io(errno)) {
        *error = (struct pf_error){0};
        pf_error_system(error, "cannot read the file");
    }
    return error->code;
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
        status = open_checked(binary, -1, no_memory, &why);
    }
    if (status == PF_OK) {
        *result = binary;
    } else {
        *error = why;
        pf_binary_close(binary);
    }
    return status;
}

/* Opens a file that has the build id; owns the path. PF_EOF: the file cannot be used, and the
 * report says why. */
static int open_found(struct pf_binary **result, const struct search *search, int fd,
                      struct pf_buffer *path, PF_NORETURN void (*no_memory)(void))
{
    struct pf_binary *binary = calloc(1, sizeof *binary);
    struct pf_error why = {0};

    if (!binary) {
        close(fd);
        return pf_error_nomem(search->error);
    }
    binary->search = *search;
    binary->path = binary->own_path = path->data;
    *path = (struct pf_buffer){0};
    open_checked(binary, fd, no_memory, &why);
    if (skip_file(search, binary->path, &why) && why.code == PF_OK) {
        binary->search = (struct search){0}; /* report and error may end before the binary */
        *result = binary;
        return PF_OK;
    }
    pf_binary_close(binary);
    return search->error->code != PF_OK ? search->error->code : PF_EOF;
}

/* Opens the first file of a kind with the build id. PF_EOF: no file of the kind has the id. */
static int open_kind(struct pf_binary **result, const struct search *search, const char *build_id,
                     enum pf_symbol_file kind, PF_NORETURN void (*no_memory)(void))
{
    struct pf_buffer path = {0};
    size_t n = 0;
    int fd, status = PF_EOF;

    while (status == PF_EOF && (fd = find_file(search, build_id, kind, &n, &path)) >= 0)
        status = open_found(result, search, fd, &path, no_memory);
    pf_buffer_free(&path);
    return search->error->code != PF_OK ? search->error->code : status;
}

int pf_binary_open_id(struct pf_binary **result, struct pf_symbol_dirs *dirs, const char *build_id,
                      PF_NORETURN void (*no_memory)(void), const struct pf_report *report,
                      struct pf_error *error)
{
    int status = PF_EOF;

    *result = NULL;
    elf_version(EV_CURRENT);
    for (int k = 0; k < 4 && status == PF_EOF; k++) {
        struct search search = {dirs, k >= 2, report, error};

        status = open_kind(result, &search, build_id, k % 2 ? PF_SYMBOL_DEBUG : PF_SYMBOL_PROGRAM,
                           no_memory);
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
    free(binary->own_path);
    free(binary);
}

const char *pf_binary_build_id(const struct pf_binary *binary)
{
    return binary->build_id;
}

/* --- images ----------------------------------------------------------------------------------- */

static struct pf_bytes without_end(struct pf_bytes text, struct pf_bytes end)
{
    if (text.size > end.size && pf_bytes_ends(text, end))
        text.size -= end.size;
    return text;
}

enum pf_binary_match pf_binary_match(const struct pf_binary *binary, const struct pf_dict *dict,
                                     const struct pf_image *image)
{
    struct pf_bytes name = without_end(pf_dict_string(dict, image->name), PF_BYTES(" (deleted)"));
    struct pf_bytes identifier = pf_dict_string(dict, image->identifier);
    struct pf_bytes ours = without_end(pf_base_name(pf_bytes_of(binary->path)), PF_BYTES(".debug"));
    bool named = name.size == 0 || pf_bytes_equal(pf_base_name(name), ours);
    char theirs[PF_BUILD_ID_SIZE];
    bool known = binary->build_id[0] && pf_binary_id_of(identifier, theirs);

    if (known && strcmp(binary->build_id, theirs) == 0)
        return PF_BINARY_SAME;
    if (!named)
        return PF_BINARY_OTHER;
    return known ? PF_BINARY_CHANGED : PF_BINARY_SAME;
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

/* Finds the address of the first page of a segment whose offset is not known. The kernel maps whole
 * pages, so a mapping of the segment has the size of its pages; profilers may know the size without
 * the rest of the pages. False: the mapping has another size. */
static bool mapped_start(const struct segment *segment, const struct pf_image *image,
                         uint64_t *start)
{
    static const uint64_t PAGES[] = {1, 4096, 16384, 65536};
    uint64_t size = image->limit - image->start;

    for (size_t k = 0; k < sizeof PAGES / sizeof *PAGES; k++) {
        uint64_t below = segment->address % PAGES[k];

        *start = segment->address - below;
        if (size == (below + segment->size + PAGES[k] - 1) / PAGES[k] * PAGES[k])
            return true;
    }
    return false;
}

/* Finds the link-time address of an address of a mapped image. */
static bool mapped_address(const struct segment *segment, const struct pf_image *image,
                           uint64_t address, uint64_t *linked)
{
    uint64_t offset = address - image->start + image->offset, start;

    if (!segment->bare) {
        *linked = offset - segment->offset + segment->address;
        return segment->executable && offset >= segment->offset &&
               offset - segment->offset < segment->size;
    }
    if (!mapped_start(segment, image, &start))
        return false;
    *linked = address - image->start + start;
    return *linked >= segment->address && *linked - segment->address < segment->size;
}

/* Finds the link-time address of an address of the profile. */
static bool link_address(const struct pf_binary *binary, const struct pf_image *image,
                         uint64_t address, uint64_t *linked)
{
    /* profilers that write link-time addresses may write a mapping of all addresses */
    bool mapped = image->start > 0 || image->offset > 0 ||
                  (image->limit > 0 && image->limit < UINT64_MAX);

    if (mapped && image->limit > image->start && address >= image->start)
        for (size_t k = 0; k < binary->segment_count; k++)
            if (mapped_address(&binary->segments[k], image, address, linked))
                return true;
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

int pf_binary_supported(struct pf_error *error)
{
    return pf_error_set(
        error, PF_USAGE,
        "this build has no elfutils and cannot read programs; --symbols reads the output of nm");
}

int pf_binary_open(struct pf_binary **binary, const char *path, PF_NORETURN void (*no_memory)(void),
                   struct pf_error *error)
{
    *binary = NULL;
    (void)path;
    (void)no_memory;
    return pf_binary_supported(error);
}

int pf_binary_open_id(struct pf_binary **binary, struct pf_symbol_dirs *dirs, const char *build_id,
                      PF_NORETURN void (*no_memory)(void), const struct pf_report *report,
                      struct pf_error *error)
{
    *binary = NULL;
    (void)error;
    (void)dirs;
    (void)build_id;
    (void)no_memory;
    (void)report;
    return PF_EOF;
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

#include "analysis/names/package.h"

#include "analysis/names/package_name.h"
#include "base/scan.h"
#include "model/images.h"

/* What is known of a function. */
struct code {
    struct pf_bytes name, file, image;
    unsigned kind;
};

enum language { UNKNOWN, NATIVE, GO, JAVA, JAVASCRIPT, PERL, PHP, PYTHON, RUBY };

static const struct pf_bytes NONE = {"", 0};

/* True for a shared library or a program of Windows: libc.so.6, x.dylib. */
static bool is_library(struct pf_bytes file)
{
    file = pf_base_name(file);
    return pf_bytes_ends(file, PF_BYTES(".so")) || pf_bytes_ends(file, PF_BYTES(".dylib")) ||
           pf_bytes_ends(file, PF_BYTES(".dll")) || pf_bytes_ends(file, PF_BYTES(".exe")) ||
           pf_bytes_find(file, PF_BYTES(".so.")) != NULL;
}

/* --- the language of a file ------------------------------------------------------------------- */

/* Files that have no suffix, by their beginning. */
static enum language language_of_beginning(struct pf_bytes file)
{
    static const struct {
        const char *beginning;
        enum language language;
    } beginnings[] = {
        {"node:", JAVASCRIPT},
        {"http://", JAVASCRIPT},
        {"https://", JAVASCRIPT},
        {"webpack", JAVASCRIPT},
        {"wasm://", JAVASCRIPT},
        {"chrome-extension://", JAVASCRIPT},
        {"evalmachine", JAVASCRIPT},
        {"<frozen ", PYTHON},
        {"<string>", PYTHON},
        {"<stdin>", PYTHON},
        {"<ipython-input", PYTHON},
        {"<cfunc>", RUBY},
        {"<internal:", RUBY},
        {"php:internal", PHP},
        {"(eval ", PERL},
    };

    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (pf_bytes_starts(file, pf_bytes_of(beginnings[i].beginning)))
            return beginnings[i].language;
    return UNKNOWN;
}

static enum language language_of_file(struct pf_bytes file)
{
    static const struct {
        const char *suffixes; /* each with a blank before and behind */
        enum language language;
    } all[] = {
        {" py pyx pyw pyi ", PYTHON},
        {" js mjs cjs jsx ts mts cts tsx vue svelte wasm ", JAVASCRIPT},
        {" java kt kts scala groovy clj ", JAVA},
        {" go ", GO},
        {" pl pm t psgi ", PERL},
        {" rb rake erb ", RUBY},
        {" php phtml ", PHP},
        {" c h cc cp cpp cxx c++ C hh hpp hxx inl ipp tcc cu m mm rs d f f90 S asm ", NATIVE},
    };
    enum language language = language_of_beginning(file);
    struct pf_bytes name = pf_base_name(file);
    size_t size = name.size;
    char suffix[16] = " ";

    if (language != UNKNOWN)
        return language;
    if (pf_bytes_find(file, PF_BYTES(".php(")) != NULL) /* PHP: x.php(8) : eval()'d code */
        return PHP;
    while (size > 0 && name.data[size - 1] != '.')
        size--;
    if (size == 0 || name.size - size > sizeof suffix - 3)
        return UNKNOWN;
    memcpy(suffix + 1, name.data + size, name.size - size);
    suffix[1 + name.size - size] = ' ';
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strstr(all[i].suffixes, suffix))
            return all[i].language;
    return UNKNOWN;
}

static enum language language_of(const struct code *code)
{
    enum language language = language_of_file(code->file);

    if (language == UNKNOWN && code->kind >= PF_FRAME_SUB && code->kind <= PF_FRAME_MAIN)
        return PERL;
    return language;
}

/* --- names that contain a file or an image ---------------------------------------------------- */

/* Removes :LINE or :LINE:COLUMN from the end. */
static struct pf_bytes without_line(struct pf_bytes file)
{
    for (unsigned k = 0; k < 2; k++) {
        struct pf_bytes shorter = pf_without_digits(file);
        if (shorter.size < file.size && shorter.size > 1 && pf_bytes_ends(shorter, PF_BYTES(":")))
            file = pf_bytes_first(shorter, shorter.size - 1);
    }
    return file;
}

/* Splits NAME (FILE:LINE), as py-spy writes it; the file may be a library. */
static void split_place(struct code *code)
{
    struct pf_bytes name = code->name, file;
    size_t open = name.size;

    while (open > 0 && name.data[open - 1] != '(')
        open--;
    if (open < 3 || name.data[open - 2] != ' ' || !pf_bytes_ends(name, PF_BYTES(")")))
        return;
    file = without_line((struct pf_bytes){name.data + open, name.size - open - 1});
    if (!is_library(file) && language_of_file(file) == UNKNOWN)
        return;
    code->file = file;
    code->name = pf_bytes_first(name, open - 2);
}

/* Splits what V8 and CPython write into perf's maps: LazyCompile:*NAME FILE:LINE, py::NAME:FILE. */
static void split_map_name(struct code *code)
{
    static const char *const prefixes[] = {"LazyCompile:", "Function:", "JS:", "Script:", "Eval:"};
    struct pf_bytes name = code->name, file = name;

    if (pf_bytes_starts(name, PF_BYTES("py::"))) {
        while (file.size > 0 && *file.data != '/' && *file.data != '<')
            file = pf_bytes_skip(file, 1);
        code->file = language_of_file(file) == PYTHON ? file : code->file;
    }
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (pf_scan_past(&name, pf_bytes_of(prefixes[i])))
            code->file = without_line(pf_scan_last_word(&name));
}

/* Splits IMAGE`NAME, as stackcollapse scripts write it, and takes [IMAGE] for the image if the
 * name is that of a library. */
static void split_image(struct code *code)
{
    struct pf_bytes name = code->name, image;

    if (pf_scan_field(&name, '`', &image)) {
        code->name = name;
    } else {
        if (pf_bytes_starts(image, PF_BYTES("[")) && pf_bytes_ends(image, PF_BYTES("]")))
            image = (struct pf_bytes){image.data + 1, image.size - 2};
        if (!is_library(image) || !pf_bytes_equal(image, pf_base_name(image)))
            return;
        code->name = NONE;
    }
    code->image = code->image.size == 0 ? image : code->image;
}

/* --- Python ----------------------------------------------------------------------------------- */

/* The module of a type: `re` of re.Pattern; types without a module are built-in. */
static struct pf_bytes module_of_type(struct pf_bytes type)
{
    size_t dot = type.size;

    while (dot > 0 && type.data[dot - 1] != '.')
        dot--;
    return dot > 0 ? pf_bytes_first(type, dot - 1) : PF_BYTES("builtins");
}

/* The module of a function in C, as cProfile and pstats name it: <built-in method time.sleep>,
 * <method 'findall' of 're.Pattern' objects>, {built-in method builtins.len}, <math.sqrt>. False:
 * another name. */
static bool built_in_module(const struct code *code, struct pf_bytes *module)
{
    struct pf_bytes text = code->name, type;

    if (!((pf_bytes_starts(text, PF_BYTES("<")) && pf_bytes_ends(text, PF_BYTES(">"))) ||
          (pf_bytes_starts(text, PF_BYTES("{")) && pf_bytes_ends(text, PF_BYTES("}")))))
        return false;
    text = (struct pf_bytes){text.data + 1, text.size - 2};
    *module = NONE;
    if (pf_scan_past(&text, PF_BYTES("built-in method "))) {
        /* `fromkeys` and `now` belong to a type that is not told */
        type = pf_scan_word(&text);
        if (type.size > 0 && pf_bytes_find(type, PF_BYTES(".")) != NULL)
            *module = module_of_type(type);
        else if (pf_bytes_starts(text, PF_BYTES(" of type object")))
            *module = PF_BYTES("builtins");
        return true;
    }
    if (pf_bytes_starts(text, PF_BYTES("method '")) ||
        pf_bytes_starts(text, PF_BYTES("slot wrapper '"))) {
        const char *of = pf_bytes_find(text, PF_BYTES("' of '"));
        text = of ? pf_bytes_skip(text, (size_t)(of - text.data) + 6) : NONE;
        if (pf_scan_field(&text, '\'', &type))
            *module = module_of_type(type);
        return true;
    }
    if (!pf_bytes_equal(code->file, PF_BYTES("~")))
        return false;
    *module = module_of_type(text);
    return true;
}

static bool is_separator(char c)
{
    return c == '/' || c == '\\';
}

/* True for a directory that modules are imported from. `src` counts, unless an installed directory
 * is above it. */
static bool is_module_root(struct pf_bytes part, bool installed)
{
    struct pf_bytes rest = part;

    if (pf_bytes_ends(part, PF_BYTES("-packages")) || pf_bytes_ends(part, PF_BYTES(".zip")) ||
        pf_bytes_ends(part, PF_BYTES(".egg")) || pf_bytes_ends(part, PF_BYTES(".whl")) ||
        pf_bytes_ends(part, PF_BYTES(".pex")) || pf_bytes_equal(part, PF_BYTES("Lib")))
        return true;
    if (!installed && pf_bytes_equal(part, PF_BYTES("src")))
        return true;
    if (!pf_scan_past(&rest, PF_BYTES("python")) && !pf_scan_past(&rest, PF_BYTES("pypy")))
        return false;
    return rest.size > 1 && pf_digit(*rest.data) && pf_bytes_find(rest, PF_BYTES(".")) != NULL;
}

/* The part of a path behind the last directory that modules are imported from. A relative path is
 * such a part. False: the path does not tell the directory. */
static bool below_module_root(struct pf_bytes *path)
{
    struct pf_bytes below = *path, rest = *path;
    bool known = false, installed = false;

    while (pf_scan_past(&rest, PF_BYTES("./")) || pf_scan_past(&rest, PF_BYTES("../")))
        below = rest;
    known = rest.size > 0 && !is_separator(*rest.data) && (rest.size < 2 || rest.data[1] != ':');
    for (size_t at = 0, part = 0; at < path->size; at++) {
        struct pf_bytes directory = {path->data + part, at - part};
        if (!is_separator(path->data[at]))
            continue;
        part = at + 1;
        if (!is_module_root(directory, installed))
            continue;
        installed = installed || !pf_bytes_equal(directory, PF_BYTES("src"));
        below = pf_bytes_skip(*path, part);
        known = true;
    }
    *path = below;
    return known;
}

static struct pf_bytes python_package(const struct code *code, struct pf_buffer *text)
{
    static const struct pf_bytes init = {"__init__", 8};
    struct pf_bytes path = code->file;
    bool dotted;

    if (pf_scan_past(&path, PF_BYTES("<frozen ")))
        return pf_bytes_ends(path, PF_BYTES(">")) ? pf_bytes_first(path, path.size - 1) : path;
    if (pf_bytes_starts(path, PF_BYTES("<stdin>")) ||
        pf_bytes_starts(path, PF_BYTES("<ipython-input")) ||
        pf_bytes_find(path, PF_BYTES("/ipykernel_")) != NULL)
        return PF_BYTES("__main__");
    if (pf_bytes_starts(path, PF_BYTES("<")))
        return NONE;
    dotted = below_module_root(&path);
    while (path.size > 0 && path.data[path.size - 1] != '.')
        path.size--;
    path.size -= path.size > 0;
    if (pf_bytes_ends(path, PF_BYTES("/__init__")) || pf_bytes_ends(path, PF_BYTES("\\__init__")))
        path.size -= init.size + 1;
    if (!dotted)
        return path;
    for (size_t at = 0; at < path.size; at++)
        pf_buffer_byte(text, is_separator(path.data[at]) ? '.' : (unsigned char)path.data[at]);
    return pf_buffer_bytes(text);
}

/* --- JavaScript ------------------------------------------------------------------------------- */

/* The name of the package below the last node_modules: lodash, @babel/core. Empty: none. */
static struct pf_bytes node_package(struct pf_bytes path)
{
    static const struct pf_bytes modules = {"node_modules", 12};
    struct pf_bytes below = NONE;
    size_t size = 0;

    for (size_t at = 0; at < path.size; at++) {
        struct pf_bytes rest = pf_bytes_skip(path, at);
        if ((at == 0 || is_separator(path.data[at - 1])) && pf_scan_past(&rest, modules) &&
            rest.size > 1 && is_separator(*rest.data))
            below = pf_bytes_skip(rest, 1);
    }
    for (unsigned parts = pf_bytes_starts(below, PF_BYTES("@")) ? 2 : 1; size < below.size; size++)
        if (is_separator(below.data[size]) && --parts == 0)
            break;
    return size < below.size ? pf_bytes_first(below, size) : NONE;
}

static struct pf_bytes javascript_package(struct pf_bytes path)
{
    struct pf_bytes package = node_package(path);
    size_t size;

    if (package.size > 0)
        return package;
    pf_scan_past(&path, PF_BYTES("file://"));
    if (pf_bytes_starts(path, PF_BYTES("evalmachine")))
        return NONE;
    for (size = path.size; size > 0 && !is_separator(path.data[size - 1]);)
        size--;
    if (size == 0) /* node:fs is a module, x.js a file in the current directory */
        return pf_bytes_starts(path, PF_BYTES("node:")) ? path : PF_BYTES(".");
    return size > 1 ? pf_bytes_first(path, size - 1) : pf_bytes_first(path, size);
}

/* --- images ----------------------------------------------------------------------------------- */

static struct pf_bytes kernel_package(struct pf_bytes image, struct pf_buffer *text)
{
    struct pf_bytes name = pf_base_name(image);

    if (pf_bytes_ends(name, PF_BYTES(".ko"))) {
        pf_buffer_byte(text, '[');
        pf_buffer_append(text, name.data, name.size - 3);
        pf_buffer_byte(text, ']');
        return pf_buffer_bytes(text);
    }
    return image.size == 0 || pf_image_is_kernel(image) ? PF_BYTES("[kernel]") : name;
}

static struct pf_bytes image_package(struct pf_bytes image)
{
    static const struct pf_bytes deleted = {" (deleted)", 10};

    if (pf_image_is_made(image) || pf_bytes_starts(image, PF_BYTES("//")) ||
        pf_bytes_starts(image, PF_BYTES("[anon")) || pf_bytes_equal(image, PF_BYTES("[unknown]")) ||
        pf_bytes_equal(image, PF_BYTES("???")))
        return NONE;
    image = pf_base_name(image);
    return pf_bytes_ends(image, PF_BYTES(" (deleted)"))
               ? pf_bytes_first(image, image.size - deleted.size)
               : image;
}

/* --- all -------------------------------------------------------------------------------------- */

/* The package by the language's rules; the buffer is empty. Empty: the language knows none. */
static struct pf_bytes package_of_language(const struct code *code, struct pf_buffer *text)
{
    switch (language_of(code)) {
    case NATIVE: return pf_package_scope(code->name, text);
    case GO: return pf_package_go(code->name, text);
    case JAVA: return pf_package_java(code->name, text);
    case JAVASCRIPT: return javascript_package(code->file);
    case PERL: return pf_package_perl(code->name);
    case PHP: return pf_package_php(code->name);
    case PYTHON: return python_package(code, text);
    case RUBY: return pf_package_ruby(code->name);
    case UNKNOWN: break;
    }
    return pf_package_any(code->name, text);
}

static struct pf_bytes package_of(struct code *code, struct pf_buffer *text)
{
    struct pf_bytes package;

    if (code->kind == PF_FRAME_KERNEL || pf_image_is_kernel(code->image))
        return kernel_package(code->image, text);
    if (built_in_module(code, &package))
        return package;
    if (code->file.size == 0) {
        split_place(code);
        split_map_name(code);
        split_image(code);
    }
    if (is_library(code->file)) {
        code->image = code->file;
        code->file = NONE;
    }
    package = package_of_language(code, text);
    return package.size > 0 ? package : image_package(code->image);
}

uint32_t pf_package_of(struct pf_dict *dict, const struct pf_location *place,
                       const struct pf_function *function)
{
    struct code code = {
        .name = pf_dict_string(dict, function->name),
        .file = pf_dict_string(dict, function->file),
        .image = pf_dict_string(dict, pf_dict_image(dict, place->image)->name),
        .kind = place->kind,
    };
    struct pf_buffer text = {0};
    struct pf_bytes package;
    struct pf_bytes spelling = pf_dict_string(dict, function->system_name);
    uint32_t id;

    if (pf_bytes_starts(spelling, PF_BYTES("L")) && pf_bytes_find(spelling, PF_BYTES(";")))
        code.name = spelling; /* Java: the JVM's spelling tells package and class apart */
    package = package_of(&code, &text);
    id = text.failed ? 0 : pf_dict_intern_text(dict, package);
    if (text.failed)
        dict->strings.status = PF_NOMEM;
    pf_buffer_free(&text);
    return id;
}

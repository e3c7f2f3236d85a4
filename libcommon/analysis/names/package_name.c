#include "analysis/names/package_name.h"

#include "base/scan.h"

static const struct pf_bytes NONE = {"", 0};

static bool begins(struct pf_bytes text, size_t at, const char *what)
{
    return pf_bytes_starts(pf_bytes_skip(text, at), pf_bytes_of(what));
}

static bool has(struct pf_bytes text, const char *what)
{
    return pf_bytes_find(text, pf_bytes_of(what)) != NULL;
}

/* The offset of the last such character; text.size: none. */
static size_t last_of(struct pf_bytes text, char c)
{
    for (size_t at = text.size; at-- > 0;)
        if (text.data[at] == c)
            return at;
    return text.size;
}

/* A character of an identifier; letters beyond ASCII count. */
static bool is_ident(char c)
{
    return pf_word_char(c) || c == '$' || (unsigned char)c >= 0x80;
}

/* True if the identifier at the beginning of the text is that of a class: in upper case, after
 * marks of private names. */
static bool is_class(struct pf_bytes text)
{
    while (text.size > 0 && (*text.data == '_' || *text.data == '$'))
        text = pf_bytes_skip(text, 1);
    return text.size > 0 && *text.data >= 'A' && *text.data <= 'Z';
}

/* True if the text is only identifiers and such separators. */
static bool is_path(struct pf_bytes text, const char *separators)
{
    for (size_t i = 0; i < text.size; i++)
        if (!is_ident(text.data[i]) && !pf_one_of(text.data[i], separators))
            return false;
    return text.size > 0;
}

/* --- what compilers and linkers append -------------------------------------------------------- */

/* Removes a number at the end and the sign before it: f.123, f'2. */
static struct pf_bytes without_number(struct pf_bytes name, char sign)
{
    size_t size = pf_without_digits(name).size;

    return size > 1 && size < name.size && name.data[size - 1] == sign
               ? pf_bytes_first(name, size - 1)
               : name;
}

/* Removes what compilers, linkers and callgrind append to a name: parameters, f.part.0, f.cold,
 * f@@GLIBC_2.34, f@plt, f'2. */
static struct pf_bytes bare_name(struct pf_bytes name)
{
    static const struct pf_bytes clones[] = {
        {".part", 5},     {".isra", 5}, {".constprop", 10}, {".cold", 5},
        {".lto_priv", 9}, {".llvm", 5}, {".localalias", 11}};
    struct pf_bytes bare = {name.data, 0};
    size_t size;

    for (char before = '.'; bare.size < name.size; before = name.data[bare.size++]) {
        char c = name.data[bare.size];
        if (before != '.' && (c == '(' || c == '@' || (c == '[' && before == ' ')))
            break;
    }
    bare = without_number(bare, '\'');
    do {
        size = bare.size;
        bare = without_number(bare, '.');
        for (size_t i = 0; i < sizeof clones / sizeof *clones; i++)
            if (bare.size > clones[i].size && pf_bytes_ends(bare, clones[i]))
                bare.size -= clones[i].size;
    } while (bare.size < size);
    return bare;
}

/* --- C++ and Rust ----------------------------------------------------------------------------- */

/* Decodes the escapes of Rust's older symbols: _$LT$a..B$u20$as$u20$c..D$GT$ is <a::B as c::D>. */
static struct pf_bytes decode_rust(struct pf_bytes name, struct pf_buffer *text)
{
    static const struct {
        struct pf_bytes escape;
        const char *meaning;
    } escapes[] = {
        {PF_BYTES("$LT$"), "<"},  {PF_BYTES("$GT$"), ">"},  {PF_BYTES("$LP$"), "("},
        {PF_BYTES("$RP$"), ")"},  {PF_BYTES("$RF$"), "&"},  {PF_BYTES("$BP$"), "*"},
        {PF_BYTES("$C$"), ","},   {PF_BYTES("$u20$"), " "}, {PF_BYTES("$u27$"), "'"},
        {PF_BYTES("$u5b$"), "["}, {PF_BYTES("$u5d$"), "]"}, {PF_BYTES("$u7b$"), "{"},
        {PF_BYTES("$u7d$"), "}"}, {PF_BYTES("$u7e$"), "~"}, {PF_BYTES(".."), "::"},
    };
    enum { COUNT = sizeof escapes / sizeof *escapes };

    if (!has(name, "$LT$") && !has(name, "$u7b$"))
        return name;
    for (size_t at = 0, k; at < name.size;) {
        bool begin = at == 0 || name.data[at - 1] == ':';
        if (begin && begins(name, at, "_$")) /* an underscore before an escape */
            at++;
        for (k = 0; k < COUNT && !pf_bytes_starts(pf_bytes_skip(name, at), escapes[k].escape);)
            k++;
        if (k < COUNT)
            pf_buffer_printf(text, "%s", escapes[k].meaning);
        else
            pf_buffer_byte(text, (unsigned char)name.data[at]);
        at += k < COUNT ? escapes[k].escape.size : 1;
    }
    return pf_buffer_bytes(text);
}

/* Removes clones of the compiler and the hash of a Rust symbol: f::h0123456789abcdef. */
static struct pf_bytes without_hash(struct pf_bytes name)
{
    enum { DIGITS = 16, HASH = DIGITS + 3 };
    const char *clone = pf_bytes_find(name, PF_BYTES(" (.llvm."));
    struct pf_bytes hash;

    if (clone)
        name.size = (size_t)(clone - name.data);
    if (name.size <= HASH)
        return name;
    hash = pf_bytes_skip(name, name.size - HASH);
    return pf_scan_past(&hash, PF_BYTES("::h")) && pf_all_of(hash, "0123456789abcdef")
               ? pf_bytes_first(name, name.size - HASH)
               : name;
}

/* The offset behind a bracket that opens at `at`, or of the end. `->` closes no bracket. */
static size_t behind_bracket(struct pf_bytes text, size_t at)
{
    unsigned depth = 0;

    for (; at < text.size; at++) {
        char c = text.data[at];
        depth += pf_one_of(c, "(<[{");
        if (pf_one_of(c, ")>]}") && (c != '>' || text.data[at - 1] != '-') && --depth == 0)
            return at + 1;
    }
    return text.size;
}

/* True for the part of a closure, which lies in a function: {lambda()#1}, {{closure}}, 'lambda',
 * $_0. */
static bool is_closure(struct pf_bytes part)
{
    return (begins(part, 0, "{") && !begins(part, 0, "{impl") && !begins(part, 0, "{{impl")) ||
           begins(part, 0, "'lambda") ||
           (begins(part, 0, "$_") && part.size > 2 && pf_digit(part.data[2]));
}

static bool is_operator(struct pf_bytes name, size_t at)
{
    enum { SIZE = 8 };

    return begins(name, at, "operator") && (at == 0 || !is_ident(name.data[at - 1])) &&
           at + SIZE < name.size && !is_ident(name.data[at + SIZE]) &&
           !pf_one_of(name.data[at + SIZE], ":.");
}

/* The offset of the last `::` before the parameters that is outside of brackets and not inside a
 * function; 0: none. */
static size_t scope_end(struct pf_bytes name)
{
    static const struct pf_bytes anonymous = {"(anonymous namespace)", 21};
    size_t end = 0;

    for (size_t at = 0; at < name.size && !is_operator(name, at);) {
        if (pf_bytes_starts(pf_bytes_skip(name, at), anonymous)) {
            at += anonymous.size;
        } else if (name.data[at] == '(') {
            break;
        } else if (pf_one_of(name.data[at], "<[{")) {
            at = behind_bracket(name, at);
        } else if (begins(name, at, "::")) {
            if (is_closure(pf_bytes_skip(name, at + 2)))
                break;
            end = at;
            at += 2;
        } else {
            at++;
        }
    }
    return end;
}

/* Appends a path without the arguments of its types. */
static void append_path(struct pf_buffer *path, struct pf_bytes text)
{
    for (size_t at = 0; at < text.size;) {
        if (text.data[at] == '<') {
            at = behind_bracket(text, at);
        } else if (begins(text, at, "::")) {
            if (!pf_bytes_ends(pf_buffer_bytes(path), PF_BYTES("::")))
                pf_buffer_append(path, "::", 2);
            at += 2;
        } else if (is_ident(text.data[at])) {
            pf_buffer_byte(path, (unsigned char)text.data[at++]);
        } else {
            break;
        }
    }
}

/* Removes what stands before the path of a Rust type: &mut dyn T. */
static struct pf_bytes bare_type(struct pf_bytes type)
{
    static const struct pf_bytes before[] = {
        {"&", 1}, {"*", 1}, {"mut ", 4}, {"const ", 6}, {"dyn ", 4}};

    for (size_t i = 0; i < sizeof before / sizeof *before; i++)
        pf_scan_past(&type, before[i]);
    return type;
}

/* Splits "A as B", or "impl B for A", into type and trait. Brackets may contain the word. */
static struct pf_bytes split_type(struct pf_bytes text, struct pf_bytes *trait)
{
    bool reversed = pf_scan_past(&text, PF_BYTES("impl "));
    struct pf_bytes word = reversed ? PF_BYTES(" for ") : PF_BYTES(" as ");

    *trait = NONE;
    for (size_t at = 0; at < text.size;) {
        struct pf_bytes rest = pf_bytes_skip(text, at);
        if (pf_bytes_starts(rest, word)) {
            *trait = reversed ? pf_bytes_first(text, at) : pf_bytes_skip(rest, word.size);
            return reversed ? pf_bytes_skip(rest, word.size) : pf_bytes_first(text, at);
        }
        at = pf_one_of(*rest.data, "(<[{") ? behind_bracket(text, at) : at + 1;
    }
    return text;
}

/* Appends the path of a type in brackets: a::B of <a::B<T> as c::D>. A type without a path of its
 * own, like &T and [T], has that of the trait. */
static void append_type(struct pf_buffer *path, struct pf_bytes text)
{
    struct pf_bytes trait, type = bare_type(split_type(text, &trait));
    size_t before = path->size;

    append_path(path, type);
    if (trait.size == 0 || has(pf_bytes_skip(pf_buffer_bytes(path), before), "::"))
        return;
    path->size = before;
    append_path(path, trait);
}

/* Appends a scope without return type and template arguments. */
static void append_scope(struct pf_buffer *path, struct pf_bytes scope)
{
    for (size_t at = 0, end; at < scope.size; at = end) {
        char c = scope.data[at];
        bool colons = begins(scope, at, "::");

        end = pf_one_of(c, "(<[{") ? behind_bracket(scope, at) : at + 1 + colons;
        if (c == ' ')
            path->size = 0;
        else if (c == '<' && path->size == 0)
            append_type(path, (struct pf_bytes){scope.data + at + 1, end - at - 2});
        else if (c != '<' && !(colons && pf_bytes_ends(pf_buffer_bytes(path), PF_BYTES("::"))))
            pf_buffer_append(path, scope.data + at, end - at);
    }
    if (pf_bytes_ends(pf_buffer_bytes(path), PF_BYTES("::")))
        path->size -= 2;
}

struct pf_bytes pf_package_scope(struct pf_bytes name, struct pf_buffer *text)
{
    struct pf_buffer decoded = {0};
    struct pf_bytes scope = without_hash(name);

    scope = decode_rust(scope, &decoded);
    append_scope(text, pf_bytes_first(scope, scope_end(scope)));
    text->failed = text->failed || decoded.failed;
    pf_buffer_free(&decoded);
    return pf_buffer_bytes(text);
}

/* --- Perl, Ruby, PHP -------------------------------------------------------------------------- */

struct pf_bytes pf_package_perl(struct pf_bytes name)
{
    size_t end = 0;

    /* the place of an anonymous sub is in brackets */
    for (size_t at = 0; at + 1 < name.size && name.data[at] != '['; at++)
        if (name.data[at] == ':' && name.data[at + 1] == ':')
            end = at;
    return pf_bytes_first(name, end);
}

/* Removes "block in ", "block (2 levels) in ", "rescue in ", "ensure in ". */
static struct pf_bytes without_block(struct pf_bytes name)
{
    static const struct pf_bytes in = {" in ", 4};

    while (begins(name, 0, "block ") || begins(name, 0, "rescue in ") ||
           begins(name, 0, "ensure in ")) {
        const char *at = pf_bytes_find(name, in);
        if (!at)
            break;
        name = pf_bytes_skip(name, (size_t)(at - name.data) + in.size);
    }
    return name;
}

struct pf_bytes pf_package_ruby(struct pf_bytes name)
{
    name = without_block(name);
    for (const char *sign = "#."; *sign != '\0'; sign++) {
        size_t end = last_of(name, *sign);
        if (end < name.size)
            return is_class(name) && is_path(pf_bytes_first(name, end), ":")
                       ? pf_bytes_first(name, end)
                       : NONE;
    }
    return NONE;
}

struct pf_bytes pf_package_php(struct pf_bytes name)
{
    size_t end = 0;

    if (pf_bytes_starts(name, PF_BYTES("php::")))
        return pf_bytes_first(name, 3);
    pf_scan_past(&name, PF_BYTES("\\"));
    for (size_t at = 0; at < name.size && (is_ident(name.data[at]) || name.data[at] == '\\'); at++)
        if (name.data[at] == '\\')
            end = at;
    return pf_bytes_first(name, end);
}

/* --- Java ------------------------------------------------------------------------------------- */

/* True for the JVM's own spelling of a class and its method: La/b/C;.m, La/b/C;::m. */
static bool is_jvm_name(struct pf_bytes name)
{
    struct pf_bytes rest = name, class;

    return pf_scan_past(&rest, PF_BYTES("L")) && pf_scan_field(&rest, ';', &class) &&
           is_path(class, "/-") && (begins(rest, 0, ".") || begins(rest, 0, "::"));
}

/* True for a/b/C.m and a.b.C/0x123.m: a class is before the first dot behind a slash, and no domain
 * is before the first slash (github.com/A/b.F). */
static bool is_java_path(struct pf_bytes name)
{
    bool dots = false, slashes = false;

    for (size_t at = 0, part = 0; at < name.size; at++) {
        if (at == part && at > 0 && is_class(pf_bytes_skip(name, at)) && !(dots && slashes))
            return true;
        dots = dots || name.data[at] == '.';
        slashes = slashes || name.data[at] == '/';
        if (dots && slashes)
            return false;
        part = pf_one_of(name.data[at], "./") ? at + 1 : part;
    }
    return false;
}

struct pf_bytes pf_package_java(struct pf_bytes name, struct pf_buffer *text)
{
    bool jvm = is_jvm_name(name), slashes;
    struct pf_bytes rest = jvm ? pf_bytes_skip(name, 1) : name;
    size_t end = 0;

    pf_scan_field(&rest, jvm ? ';' : '(', &name);
    if (!jvm)
        name = pf_scan_last_word(&name); /* behind the type of the result */
    for (size_t at = 0, part = 0; at <= name.size; at++) {
        if (at < name.size && !pf_one_of(name.data[at], "./:"))
            continue;
        if (part > 0 && name.data[part - 1] != ':')
            end = part - 1;
        if (!jvm && is_class(pf_bytes_skip(name, part))) {
            end = part > 0 ? part - 1 : 0;
            break;
        }
        part = at + 1;
    }
    name = pf_bytes_first(name, end);
    slashes = last_of(name, '/') < name.size;
    for (size_t at = 0; slashes && at < name.size; at++)
        pf_buffer_byte(text, name.data[at] == '/' ? '.' : (unsigned char)name.data[at]);
    return slashes ? pf_buffer_bytes(text) : name;
}

/* --- Go --------------------------------------------------------------------------------------- */

struct pf_bytes pf_package_go(struct pf_bytes name, struct pf_buffer *text)
{
    static const struct pf_bytes made[] = {
        {"type:.eq.", 9}, {"type:.hash.", 11}, {"type..eq.", 9}, {"type..hash.", 11}};
    size_t slash = 0, end;

    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        pf_scan_past(&name, made[i]);
    /* the type arguments of f[...] have packages of their own */
    for (size_t at = 0; at < name.size && name.data[at] != '[' && name.data[at] != '('; at++)
        slash = name.data[at] == '/' ? at + 1 : slash;
    end = slash;
    while (end < name.size && name.data[end] != '.')
        end++;
    if (end == name.size)
        return NONE;
    name = pf_bytes_first(name, end);
    if (last_of(name, '%') == name.size)
        return name;
    /* the linker writes %2e for a dot in the last part of the path */
    for (size_t at = 0; at < name.size;) {
        int byte = pf_percent_byte(pf_bytes_skip(name, at));
        pf_buffer_byte(text, byte < 0 ? (unsigned char)name.data[at] : (unsigned char)byte);
        at += byte < 0 ? 1 : 3;
    }
    return pf_buffer_bytes(text);
}

/* True for a function literal, func1, or what the compiler makes of method values, m-fm. */
static bool is_go_part(struct pf_bytes part)
{
    return pf_scan_past(&part, PF_BYTES("func")) && pf_scan_digits(part) > 0;
}

/* --- names of unknown languages --------------------------------------------------------------- */

/* The parts of a name that are separated by dots. Offsets of dots: 0: none. */
struct parts {
    size_t class; /* where the first part in upper case begins; SIZE_MAX: none */
    size_t first_dot, last_dot, dot_before;
    bool go; /* a part is Go's: func1, (*T) */
};

/* False: the text is not a name of parts. */
static bool read_parts(struct pf_bytes name, struct parts *parts)
{
    size_t at = 0, part = 0;

    *parts = (struct parts){.class = SIZE_MAX};
    if (name.size == 0 || !is_ident(*name.data) || pf_digit(*name.data))
        return false;
    for (; at < name.size && (is_ident(name.data[at]) || name.data[at] == '.'); at++) {
        if (at == part && name.data[at] == '.')
            break; /* an empty part: main.glob..func1 */
        if (at == part && is_class(pf_bytes_skip(name, at)) && parts->class == SIZE_MAX)
            parts->class = at;
        parts->go = parts->go || (at == part && at > 0 && is_go_part(pf_bytes_skip(name, at)));
        if (name.data[at] != '.')
            continue;
        parts->dot_before = parts->last_dot;
        parts->first_dot = parts->first_dot > 0 ? parts->first_dot : at;
        parts->last_dot = at;
        part = at + 1;
    }
    if (at == part && at < name.size && name.data[at] == '.')
        parts->last_dot = parts->dot_before;
    parts->go = parts->go || (at == part && begins(name, at, "(*"));
    if (begins(name, at, "<locals>")) /* Python: a function in a function */
        parts->last_dot = parts->dot_before;
    return at == name.size || pf_one_of(name.data[at], "<[.-") || parts->go ||
           (name.data[at] == '/' && parts->class != SIZE_MAX);
}

/* a.b.C.m, a.b.m, a.(*T).m, A.m. */
static struct pf_bytes dotted_package(struct pf_bytes name)
{
    struct pf_bytes bare = bare_name(name);
    size_t space = bare.size < name.size && name.data[bare.size] == '(' ? last_of(bare, ' ')
                                                                        : bare.size;
    struct parts parts;

    if (space < bare.size) /* a return type */
        bare = pf_bytes_skip(bare, space + 1);
    if (!read_parts(bare, &parts))
        return NONE;
    if (parts.go)
        return pf_bytes_first(bare, parts.first_dot);
    if (parts.class > 0 && parts.class <= parts.last_dot)
        return pf_bytes_first(bare, parts.class - 1);
    return pf_bytes_first(bare, parts.last_dot);
}

/* True for A::B.m and A#m. */
static bool is_ruby_name(struct pf_bytes name)
{
    size_t at = 0;

    name = without_block(name);
    while (at < name.size && (is_ident(name.data[at]) || name.data[at] == ':'))
        at++;
    return is_class(name) && at + 1 < name.size &&
           (name.data[at] == '#' ||
            (name.data[at] == '.' && last_of(pf_bytes_first(name, at), ':') < at &&
             !pf_bytes_ends(pf_bytes_first(name, at), PF_BYTES(":"))));
}

/* True for a.b.C::m. */
static bool is_java_scope(struct pf_bytes name)
{
    const char *colons = pf_bytes_find(name, PF_BYTES("::"));
    struct pf_bytes class = pf_bytes_first(name, colons ? (size_t)(colons - name.data) : 0);

    return is_path(class, ".") && last_of(class, '.') < class.size && !is_class(class);
}

struct pf_bytes pf_package_any(struct pf_bytes name, struct pf_buffer *text)
{
    size_t backslash = last_of(name, '\\'), at = 0;

    if (begins(name, 0, "_GLOBAL__")) /* C++: initialisers of a file, _GLOBAL__sub_I_main.cc */
        return NONE;
    if (is_jvm_name(name) || is_java_scope(name))
        return pf_package_java(name, text);
    if (backslash < name.size && is_path(pf_bytes_first(name, backslash), "\\"))
        return pf_package_php(name);
    if (is_ruby_name(bare_name(name)))
        return pf_package_ruby(bare_name(name));
    if (has(name, "::"))
        return pf_package_scope(name, text);
    while (at < name.size && (is_ident(name.data[at]) || pf_one_of(name.data[at], ".-~%")))
        at++;
    if (at == 0 || at == name.size || name.data[at] != '/' || is_class(name))
        return dotted_package(name);
    while (at < name.size && (is_ident(name.data[at]) || pf_one_of(name.data[at], "/.-~%+")))
        at++;
    if (at < name.size && !pf_one_of(name.data[at], "[(<"))
        return NONE;
    return is_java_path(name) ? pf_package_java(name, text) : pf_package_go(name, text);
}

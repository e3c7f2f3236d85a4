/* How frames are spelled in folded stacks. */
#include "format/folded.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

char pf_folded_mark(struct pf_bytes name)
{
    const char *end = name.data + name.size - PF_FOLDED_MARK;

    return name.size > PF_FOLDED_MARK && end[0] == '_' && end[1] == '[' && end[3] == ']' && memchr("kji", end[2], 3) ? end[2] : 0;
}

static bool find(struct pf_bytes text, const char *what, size_t *at)
{
    size_t size = strlen(what);

    for (; *at + size <= text.size; ++*at)
        if (memcmp(text.data + *at, what, size) == 0)
            return true;
    return false;
}

/* `.(*T).`: what stands in the brackets is the receiver of a method. */
static bool go_method(struct pf_bytes name)
{
    size_t open = 0, close;

    if (!find(name, ".(", &open))
        return false;
    close = open;
    return find(name, ").", &close);
}

/* Up to the first bracket that opens no anonymous namespace: behind it there are types of arguments. */
static size_t without_arguments(struct pf_bytes name)
{
    static const char anonymous[] = "(anonymous namespace)";

    for (size_t at = 0; !go_method(name) && at < name.size; at++)
        if (name.data[at] == '(' && (name.size - at < sizeof anonymous - 1 || memcmp(name.data + at, anonymous, sizeof anonymous - 1) != 0))
            return at;
    return name.size;
}

/* What stackcollapse-perf.pl makes of a name, of `Lpackage/Class;::method` too. */
static void tidy(struct pf_buffer *text, struct pf_bytes name, bool made)
{
    if (made && name.size > 0 && name.data[0] == 'L' && memchr(name.data, '/', name.size)) {
        name.data++;
        name.size--;
    }
    name.size = without_arguments(name);
    for (size_t k = 0; k < name.size; k++)
        if (name.data[k] != '"' && name.data[k] != '\'')
            pf_buffer_byte(text, (unsigned char)name.data[k]);
}

/* A mark that the input had goes back. */
static bool marked(const struct pf_dict *dict, const struct pf_function *function)
{
    struct pf_bytes name = pf_dict_string(dict, function->name), full = pf_dict_string(dict, function->system_name);

    return full.size == name.size + PF_FOLDED_MARK && pf_folded_mark(full) && memcmp(full.data, name.data, name.size) == 0;
}

void pf_folded_spell(struct pf_buffer *text, const struct pf_dict *dict, uint32_t id, const struct pf_folded_spelling *spelling)
{
    const struct pf_location *location = pf_dict_location(dict, id);
    const struct pf_function *function = pf_dict_function(dict, location->function);
    char scratch[32];
    struct pf_bytes name = pf_dict_frame_name(dict, id, scratch);
    bool made = location->kind == PF_FRAME_JIT;

    if (marked(dict, function))
        name = pf_dict_string(dict, function->system_name);
    if (spelling->addresses && name.size > 1 && name.data[0] == '[' && name.data[name.size - 1] == ']') {
        int size = snprintf(scratch, sizeof scratch, " <%" PRIx64 ">]", location->address);

        pf_buffer_append(text, name.data, name.size - 1);
        pf_buffer_append(text, scratch, (size_t)size);
    } else if (spelling->perf) {
        tidy(text, name, made);
    } else {
        pf_buffer_append(text, name.data, name.size);
    }
    if (pf_folded_mark(name))
        return;
    if (spelling->annotate || spelling->perf) {
        if (made && location->inlined)
            pf_buffer_append(text, "_[i]", PF_FOLDED_MARK);
        else if (spelling->annotate && location->kind == PF_FRAME_KERNEL)
            pf_buffer_append(text, "_[k]", PF_FOLDED_MARK);
        else if (spelling->annotate && made)
            pf_buffer_append(text, "_[j]", PF_FOLDED_MARK);
    }
}

bool pf_folded_spell_command(struct pf_buffer *text, const struct pf_dict *dict, uint32_t labels, const struct pf_folded_spelling *spelling)
{
    struct pf_bytes command = {0};
    char pid[24] = "?", tid[24] = "?";
    bool found = false;

    for (; labels; labels = pf_dict_label(dict, labels)->parent) {
        const struct pf_label *label = pf_dict_label(dict, labels);
        struct pf_bytes key = pf_dict_string(dict, label->key);

        if (pf_bytes_equal(key, PF_BYTES("comm")) && !label->numeric) {
            command = pf_dict_string(dict, label->text);
            found = true;
        } else if (label->numeric && pf_bytes_equal(key, PF_BYTES("pid"))) {
            snprintf(pid, sizeof pid, "%" PRId64, label->number);
        } else if (label->numeric && pf_bytes_equal(key, PF_BYTES("tid"))) {
            snprintf(tid, sizeof tid, "%" PRId64, label->number);
        }
    }
    for (size_t k = 0; found && k < command.size; k++)
        pf_buffer_byte(text, (unsigned char)(command.data[k] == ' ' ? '_' : command.data[k]));
    if (found && spelling->thread) {
        pf_buffer_byte(text, '-');
        pf_buffer_append(text, pid, strlen(pid));
        pf_buffer_byte(text, '/');
        pf_buffer_append(text, tid, strlen(tid));
    }
    return found;
}

#include "format/statprofiler/statprofiler.h"

#include "model/strings.h"
#include "model/utf8.h"

#include <stdlib.h>
#include <string.h>

/* Longer records (a name of a kilobyte) are rare; they are not kept. */
enum { REMEMBERED_MAX = 1024, FIRST_SLOTS = 4096 };

static const char too_long[] = "the name is too long";

bool pf_sp_frames_open(struct pf_sp_frames *frames)
{
    frames->slots = calloc(FIRST_SLOTS, sizeof *frames->slots);
    frames->mask = FIRST_SLOTS - 1;
    frames->seed = pf_hash_seed();
    return frames->slots;
}

void pf_sp_frames_close(struct pf_sp_frames *frames)
{
    free(frames->slots);
    pf_arena_free(&frames->bytes);
    pf_buffer_free(&frames->name);
}

const char *pf_sp_frame_layout(unsigned tag, enum pf_sp_form form)
{
    switch (tag) {
    case PF_SP_EVAL:
    case PF_SP_MAIN: return "lsv";
    case PF_SP_XSUB: return "lss";
    default: return form == PF_SP_FORM_OLD ? "lsssv" : "lsssvv";
    }
}

enum pf_sp_form pf_sp_frame_form(const struct pf_sp_record *record)
{
    size_t size = pf_sp_counted_size(record->number[0]);
    for (size_t i = 0; i < 3; i++)
        size +=
            pf_sp_counted_size((uint32_t)record->text[i].bytes.size) + record->text[i].bytes.size;
    return record->length == size ? PF_SP_FORM_OLD : PF_SP_FORM_NEW;
}

/* True if a name gets PF_UTF8: the part has characters beyond ASCII, stored with the flag or as
 * Latin-1. */
static bool has_characters(struct pf_sp_string part)
{
    return part.flags ? !pf_ascii(part.bytes) : !pf_utf8_valid(part.bytes);
}

/* Appends a part to the name; converts Latin-1 to UTF-8. */
static void append(struct pf_buffer *name, struct pf_sp_string part)
{
    if (part.flags || pf_utf8_valid(part.bytes))
        pf_buffer_append(name, part.bytes.data, part.bytes.size);
    else
        pf_latin_append(name, part.bytes);
}

uint32_t pf_sp_name_intern(struct pf_dict *dict, struct pf_buffer *scratch,
                           struct pf_sp_string string)
{
    bool characters = has_characters(string);
    if (!characters || string.flags)
        return pf_dict_intern(dict, string.bytes, characters ? PF_UTF8 : 0);
    scratch->size = 0;
    append(scratch, string);
    if (scratch->failed || scratch->size > PF_STRING_MAX)
        return 0;
    return pf_dict_intern(dict, (struct pf_bytes){scratch->data, scratch->size}, PF_UTF8);
}

size_t pf_sp_sub_start(struct pf_bytes name)
{
    for (size_t i = name.size; i >= 2; i--)
        if (name.data[i - 1] == ':' && name.data[i - 2] == ':')
            return i;
    return 0;
}

/* Names the function Package::sub, or sub alone. If the last :: does not separate package and sub,
 * the system name is the sub. */
static bool name_function(struct pf_sp_frames *frames, struct pf_dict *dict,
                          struct pf_sp_string package, struct pf_sp_string sub,
                          struct pf_function *function)
{
    struct pf_buffer *name = &frames->name;
    bool characters = has_characters(package) || has_characters(sub);
    name->size = 0;
    append(name, package);
    if (package.bytes.size > 0)
        pf_buffer_append(name, "::", 2);
    size_t start = name->size;
    append(name, sub);
    if (name->failed || name->size > PF_STRING_MAX)
        return false;
    unsigned flags = characters ? PF_UTF8 : 0;
    struct pf_bytes whole = {name->data, name->size};
    function->name = pf_dict_intern(dict, whole, flags);
    if (pf_sp_sub_start(whole) != start)
        function->system_name = pf_dict_intern(dict, pf_bytes_skip(whole, start), flags);
    return true;
}

uint32_t pf_sp_frame_add(struct pf_dict *dict, enum pf_frame_kind kind,
                         const struct pf_function *given, int64_t line)
{
    struct pf_function function = *given;
    struct pf_bytes file = pf_dict_string(dict, function.file);
    if (kind == PF_FRAME_PLAIN) {
        bool eval = file.size > 6 && memcmp(file.data, "(eval ", 6) == 0;
        kind = PF_FRAME_SUB;
        if (function.name == 0)
            kind = eval ? PF_FRAME_EVAL : PF_FRAME_MAIN;
        else if (function.file == 0 && line == -1)
            kind = PF_FRAME_XSUB;
    }
    if (kind == PF_FRAME_EVAL)
        function.name = pf_dict_intern(dict, PF_BYTES("(eval)"), 0);
    else if (kind == PF_FRAME_MAIN)
        function.name = pf_dict_intern(dict, PF_BYTES("(main)"), 0);
    if (kind != PF_FRAME_SUB)
        function.start_line = 0;
    struct pf_location location = {.function = pf_dict_add_function(dict, &function),
                                   .line = kind == PF_FRAME_XSUB ? 0 : line,
                                   .kind = (uint16_t)kind};
    return pf_dict_add_location(dict, &location);
}

/* Lines are signed; -1: no line. */
static int64_t line_of(uint32_t number)
{
    return number > INT32_MAX ? (int64_t)number - ((int64_t)1 << 32) : (int64_t)number;
}

static uint32_t intern(struct pf_dict *dict, struct pf_sp_string string)
{
    return pf_dict_intern(dict, string.bytes, string.flags);
}

static uint32_t add_record(struct pf_sp_frames *frames, struct pf_dict *dict,
                           const struct pf_sp_record *record, enum pf_sp_form form)
{
    struct pf_function function = {0};
    const struct pf_sp_string *text = record->text;
    int64_t line = line_of(record->number[0]);
    if (record->tag == PF_SP_EVAL || record->tag == PF_SP_MAIN) {
        function.file = intern(dict, text[0]);
        return pf_sp_frame_add(dict, record->tag == PF_SP_EVAL ? PF_FRAME_EVAL : PF_FRAME_MAIN,
                               &function, line);
    }
    if (record->tag == PF_SP_SUB && !text[2].bytes.data) { /* "plan": two strings */
        function.name = pf_sp_name_intern(dict, &frames->name, text[0]);
        function.file = intern(dict, text[1]);
    } else {
        if (!name_function(frames, dict, text[0], text[1], &function))
            return 0;
        function.file = intern(dict, text[2]);
    }
    function.start_line = form == PF_SP_FORM_NEW ? line_of(record->number[1]) : -1;
    enum pf_frame_kind kind = form == PF_SP_FORM_NEW ? PF_FRAME_SUB : PF_FRAME_PLAIN;
    return pf_sp_frame_add(dict, record->tag == PF_SP_XSUB ? PF_FRAME_XSUB : kind, &function, line);
}

static uint32_t parse_frame(struct pf_sp_frames *frames, struct pf_dict *dict,
                            const unsigned char *bytes, size_t size, enum pf_sp_form form, bool lsb,
                            const char **why)
{
    struct pf_sp_record record;
    bool fits = true;
    enum pf_sp_parse result = PF_SP_WHOLE;
    if (form == PF_SP_FORM_PLAN)
        result = pf_sp_plan_parse(&record, bytes, size, lsb, &fits);
    else
        result = pf_sp_record_parse(&record, bytes, size, pf_sp_frame_layout(*bytes, form), false);
    *why = NULL;
    if (result != PF_SP_WHOLE || !fits) {
        *why = fits ? "a number has more than 32 bits or 10 bytes"
                    : "the fields do not fill the record";
        return 0;
    }
    uint32_t location = add_record(frames, dict, &record, form);
    if (location == 0 && !frames->name.failed && pf_dict_status(dict) == PF_OK)
        *why = too_long;
    return location;
}

static bool add_slot(struct pf_sp_frames *frames, const unsigned char *bytes, size_t size,
                     uint32_t tag, uint32_t location)
{
    uint32_t stored = (uint32_t)size;
    if (frames->used >= frames->mask / 2 &&
        !pf_slots_double(&frames->slots, &frames->mask, sizeof *frames->slots))
        return false;
    char *copy = pf_arena_alloc(&frames->bytes, sizeof stored + size);
    if (!copy)
        return false;
    memcpy(copy, &stored, sizeof stored);
    memcpy(copy + sizeof stored, bytes, size);
    size_t at = tag & frames->mask;
    while (frames->slots[at].bytes)
        at = (at + 1) & frames->mask;
    frames->slots[at] = (struct pf_sp_frame_slot){{tag, location}, copy};
    frames->used++;
    return true;
}

static bool holds(const struct pf_sp_frame_slot *slot, const unsigned char *bytes, size_t size)
{
    uint32_t stored;
    memcpy(&stored, slot->bytes, sizeof stored);
    return stored == size && memcmp(slot->bytes + sizeof stored, bytes, size) == 0;
}

/* The location of a known record; 0: the record is new. */
static uint32_t look_up(const struct pf_sp_frames *frames, const unsigned char *bytes, size_t size,
                        uint32_t tag)
{
    for (size_t at = tag & frames->mask; frames->slots[at].bytes; at = (at + 1) & frames->mask)
        if (frames->slots[at].known.tag == tag && holds(&frames->slots[at], bytes, size))
            return frames->slots[at].known.id;
    return 0;
}

uint32_t pf_sp_frames_find(struct pf_sp_frames *frames, struct pf_dict *dict,
                           const unsigned char *bytes, size_t size, enum pf_sp_form form, bool lsb,
                           const char **why)
{
    uint32_t tag = (uint32_t)pf_hash(bytes, size, frames->seed);
    uint32_t location = look_up(frames, bytes, size, tag);
    if (location != 0)
        return location;
    location = parse_frame(frames, dict, bytes, size, form, lsb, why);
    if (location != 0 && size <= REMEMBERED_MAX && !add_slot(frames, bytes, size, tag, location)) {
        *why = NULL;
        return 0;
    }
    return location;
}

/* The offset after the varint at `at`; above `have` if the varint does not end within `have`. */
static inline size_t after_varint(const unsigned char *p, size_t have, size_t at)
{
    while (at < have && p[at] & 0x80)
        at++;
    return at + 1;
}

/* The offset after the string at `at`; above `have` if the string does not end within `have` or has
 * 128 bytes or more. */
static inline size_t after_string(const unsigned char *p, size_t have, size_t at)
{
    return at + 2 > have || p[at + 1] & 0x80 ? have + 1 : at + 2 + p[at + 1];
}

/* Size of the frame record at `p`, or 0 if the record does not end within `have` bytes or has a
 * string of 128 bytes or more. */
static size_t frame_size(const unsigned char *p, size_t have, enum pf_sp_form form)
{
    size_t at = after_string(p, have, after_varint(p, have, 1));
    if (*p == PF_SP_SUB)
        at = after_string(p, have, after_string(p, have, at));
    if (*p == PF_SP_SUB && form != PF_SP_FORM_OLD)
        at = after_varint(p, have, at);
    at = *p == PF_SP_XSUB ? after_string(p, have, at) : after_varint(p, have, at);
    return at <= have ? at : 0;
}

size_t pf_sp_frames_find_row(const struct pf_sp_frames *frames, const unsigned char *p, size_t have,
                             enum pf_sp_form form, uint32_t *locations, size_t *size)
{
    /* Slots and kept bytes are seldom in a cache: prefetch all of a row before the first
     * comparison. */
    const struct pf_sp_frame_slot *slots[PF_SP_FRAMES_ROW];
    uint32_t tags[PF_SP_FRAMES_ROW];
    size_t at[PF_SP_FRAMES_ROW + 1], count = 0, found = 0;
    at[0] = 0;
    while (count < PF_SP_FRAMES_ROW && at[count] < have && p[at[count]] >= PF_SP_SUB &&
           p[at[count]] <= PF_SP_MAIN) {
        size_t one = frame_size(p + at[count], have - at[count], form);
        if (one == 0)
            break;
        tags[count] = (uint32_t)pf_hash(p + at[count], one, frames->seed);
        slots[count] = &frames->slots[tags[count] & frames->mask];
        pf_prefetch(slots[count]);
        at[count + 1] = at[count] + one;
        count++;
    }
    for (size_t i = 0; i < count; i++)
        if (slots[i]->bytes) {
            pf_prefetch(slots[i]->bytes);
            pf_prefetch(slots[i]->bytes + 64); /* most records do not fit one line of the cache */
        }
    for (; found < count; found++) {
        locations[found] = look_up(frames, p + at[found], at[found + 1] - at[found], tags[found]);
        if (locations[found] == 0)
            break;
    }
    *size = at[found];
    return found;
}

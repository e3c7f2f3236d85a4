#include "analysis/names/evals.h"

#include "analysis/names/eval_name.h"
#include "base/hash.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { PLAIN = 1, EVAL, CONTAINS }; /* what a name contains */

struct other_key {
    uint32_t raw, has_text;
    uint64_t text;
};

struct line_key {
    uint32_t text, one; /* one: always 1, so that no key is all 0 */
    uint64_t line;
};

int pf_evals_init(struct pf_evals *evals, struct pf_dict *dict, bool apart)
{
    *evals = (struct pf_evals){.dict = dict, .apart = apart, .input = 1, .count = 1, .plain = true};
    evals->status = pf_table_init(&evals->others, sizeof(struct other_key));
    if (evals->status == PF_OK)
        evals->status = pf_table_init(&evals->lines, sizeof(struct line_key));
    if (evals->status == PF_OK &&
        (!pf_grow(&evals->rows, &evals->capacity, 1, sizeof *evals->rows) ||
         !pf_grow_zeroed(&evals->strings, &evals->string_count, &evals->string_capacity, 1,
                         sizeof *evals->strings)))
        evals->status = PF_NOMEM;
    return evals->status;
}

void pf_evals_free(struct pf_evals *evals)
{
    free(evals->rows);
    free(evals->strings);
    free(evals->texts);
    free(evals->claims);
    pf_table_free(&evals->others);
    pf_table_free(&evals->lines);
    pf_id_map_free(&evals->numbers);
    pf_id_map_free(&evals->names);
}

bool pf_evals_any(const struct pf_evals *evals)
{
    return evals->with_text + evals->text_count > 0;
}

/* --- strings ---------------------------------------------------------------------------------- */

/* What is known about a string, valid until the next call. */
static struct pf_eval_string *string_at(struct pf_evals *evals, uint32_t name)
{
    if (name < evals->string_count)
        return &evals->strings[name];
    if (pf_grow_zeroed(&evals->strings, &evals->string_count, &evals->string_capacity,
                       evals->dict->strings.count, sizeof *evals->strings))
        return &evals->strings[name];
    evals->status = PF_NOMEM;
    return &evals->strings[0];
}

static unsigned find_content(struct pf_evals *evals, uint32_t name)
{
    struct pf_eval_string *string = string_at(evals, name);
    struct pf_bytes text = pf_dict_string(evals->dict, name);
    struct pf_eval_name eval;

    if (string->is == 0)
        string->is = !pf_eval_name_find(text, 0, &eval)         ? PLAIN
                     : eval.start == 0 && eval.end == text.size ? EVAL
                                                                : CONTAINS;
    return string->is;
}

bool pf_evals_contains(struct pf_evals *evals, uint32_t name)
{
    return name != 0 && find_content(evals, name) != PLAIN;
}

/* --- texts of the current input --------------------------------------------------------------- */

/* The text of an eval in the current input. NULL: the eval has no text so far. */
static const struct pf_eval_text *text_of(struct pf_evals *evals, uint32_t name)
{
    const struct pf_eval_string *string = string_at(evals, name);

    return string->texted == evals->input ? &evals->texts[string->text] : NULL;
}

/* Finds or adds the text of an eval in the current input. NULL: out of memory. */
static struct pf_eval_text *text_for(struct pf_evals *evals, uint32_t name)
{
    struct pf_eval_string *string = string_at(evals, name);

    if (string->texted == evals->input)
        return &evals->texts[string->text];
    if (evals->status != PF_OK || !pf_grow(&evals->texts, &evals->text_capacity,
                                           evals->text_count + 1, sizeof *evals->texts)) {
        evals->status = PF_NOMEM;
        return NULL;
    }
    string->texted = evals->input;
    string->text = (uint32_t)evals->text_count;
    evals->texts[evals->text_count] = (struct pf_eval_text){.name = name};
    return &evals->texts[evals->text_count++];
}

static bool is_new_line(struct pf_evals *evals, const struct pf_eval_text *text, uint64_t line)
{
    struct line_key key = {(uint32_t)(text - evals->texts), 1, line};
    uint32_t count = evals->lines.count;
    bool isnew = pf_table_intern(&evals->lines, &key) == count;

    if (evals->lines.status != PF_OK)
        evals->status = PF_NOMEM;
    return isnew;
}

/* Notes a line of a text. True: the line is new. The lines of most texts come in order and need no
 * list. */
static bool note_line(struct pf_evals *evals, struct pf_eval_text *text, uint64_t line)
{
    if (!text->listed && text->first == text->last) {
        text->first = line;
        text->last = line + 1;
        return true;
    }
    if (!text->listed && line == text->last)
        return ++text->last != 0;
    if (!text->listed && line >= text->first && line < text->last)
        return false;
    for (uint64_t k = text->first; !text->listed && k != text->last; k++)
        is_new_line(evals, text, k);
    text->listed = true;
    return is_new_line(evals, text, line);
}

static void add_line(struct pf_evals *evals, struct pf_eval_text *text, const struct pf_text *row)
{
    if (!note_line(evals, text, row->line))
        return;
    text->has_text |= row->text.size > 0;
    text->text += pf_hash_mix(pf_xxh64(row->text.data, row->text.size) +
                              row->line * UINT64_C(0x9e3779b97f4a7c15));
}

void pf_evals_take(struct pf_evals *evals, const struct pf_batch *batch)
{
    struct pf_bytes last = {NULL, 0};
    uint32_t name = 0;
    struct pf_eval_text *text = NULL;

    for (uint32_t i = 0; batch->kind == PF_TEXT && i < batch->rows; i++) {
        const struct pf_text *row = &batch->texts[i];

        if (row->name.data != last.data || row->name.size != last.size) {
            last = row->name;
            name = !pf_bytes_starts(last, PF_BYTES("(eval ")) ? 0
                   : row->name_string != 0                    ? row->name_string
                                           : pf_dict_intern(evals->dict, last, row->name_flags);
            text = name != 0 && find_content(evals, name) == EVAL ? text_for(evals, name) : NULL;
        }
        if (text)
            add_line(evals, text, row);
    }
    if (pf_dict_status(evals->dict) != PF_OK)
        evals->status = PF_NOMEM;
}

/* --- names in batches ------------------------------------------------------------------------- */

struct walk {
    struct pf_evals *evals;
    bool all, wait, differs;
};

static uint32_t name_now(struct walk *, uint32_t name);

static uint32_t eval_now(void *arg, uint32_t eval)
{
    struct walk *walk = arg;
    uint32_t now = name_now(walk, eval);

    walk->wait |= now == PF_EVALS_WAIT;
    walk->differs |= now != eval;
    return now == PF_EVALS_WAIT ? eval : now;
}

/* True if an eval in a part of a name gets another name. */
static bool differs(struct walk *walk, struct pf_bytes part, unsigned flags)
{
    struct pf_eval_name eval;
    bool before = walk->differs, is;

    walk->differs = false;
    for (size_t at = 0; pf_eval_name_find(part, at, &eval); at = eval.end)
        eval_now(walk,
                 pf_dict_intern(walk->evals->dict,
                                (struct pf_bytes){part.data + eval.start, eval.end - eval.start},
                                flags));
    is = walk->differs && !walk->wait;
    walk->differs = before;
    return is;
}

/* A string with the names in batches of the evals in its bytes from `from` to `to`. */
static uint32_t replace_evals(struct walk *walk, uint32_t name, size_t from, size_t to)
{
    struct pf_dict *dict = walk->evals->dict;
    struct pf_bytes text = pf_dict_string(dict, name);
    unsigned flags = dict->strings.rows[name].flags;
    struct pf_buffer whole = {0};

    if (!differs(walk, (struct pf_bytes){text.data + from, to - from}, flags))
        return name;
    pf_eval_name_replace(dict, name, (struct pf_eval_part){from, to, text.size}, eval_now, walk,
                         &whole);
    name = pf_dict_intern_buffer(dict, &whole, flags);
    if (pf_dict_status(dict) != PF_OK)
        walk->evals->status = PF_NOMEM;
    return name;
}

/* A new name for an eval: its own name belongs to another eval. */
static uint32_t free_name(struct pf_evals *evals, uint32_t raw)
{
    struct pf_dict *dict = evals->dict;
    struct pf_bytes text = pf_dict_string(dict, raw);
    struct pf_eval_name eval;
    uint32_t string = raw;

    pf_eval_name_is(text, &eval);
    for (unsigned k = 2; string_at(evals, string)->owner != 0; k++) {
        struct pf_buffer name = {0};

        pf_buffer_append(&name, text.data, eval.bare_end);
        pf_buffer_printf(&name, " #%u", k);
        string = pf_dict_intern_buffer(dict, &name, dict->strings.rows[raw].flags);
    }
    if (pf_dict_status(dict) != PF_OK)
        evals->status = PF_NOMEM;
    return string;
}

/* True if the name of an eval may end in ` #K`. */
static bool ends_in_number(const struct pf_dict *dict, uint32_t name)
{
    struct pf_bytes text = pf_dict_string(dict, name);

    return text.size > 0 && !pf_one_of(text.data[text.size - 1], "])");
}

/* Adds an eval; 0: out of memory. */
static uint32_t add_eval(struct pf_evals *evals, uint32_t raw, uint32_t string, bool simple)
{
    uint32_t number = (uint32_t)evals->count;

    if (evals->status != PF_OK ||
        !pf_grow(&evals->rows, &evals->capacity, evals->count + 1, sizeof *evals->rows)) {
        evals->status = PF_NOMEM;
        return 0;
    }
    evals->rows[evals->count++] =
        (struct pf_eval){.raw = raw, .string = string, .simple = simple, .inputs = 1};
    string_at(evals, string)->owner = number;
    evals->plain = evals->plain && string == raw && (simple || !ends_in_number(evals->dict, raw));
    return number;
}

/* The first eval with a name keeps the name, whatever its text will be. */
static uint32_t claim_name(struct pf_evals *evals, uint32_t name, uint32_t raw, bool simple)
{
    uint32_t number = add_eval(evals, raw, raw, simple), *claims;

    if (!pf_grow(&evals->claims, &evals->claim_capacity, evals->claim_count + 2,
                 sizeof *evals->claims)) {
        evals->status = PF_NOMEM;
        return raw;
    }
    claims = evals->claims + evals->claim_count;
    claims[0] = name;
    claims[1] = number;
    evals->claim_count += 2;
    return raw;
}

/* Finds or adds an eval whose name `raw` is in use, and returns its name in batches. `text` NULL:
 * the eval has no text. */
static uint32_t find_other(struct pf_evals *evals, uint32_t raw, const struct pf_eval_text *text,
                           bool simple)
{
    bool has_text = text && text->has_text;
    struct other_key key = {raw, has_text + 1u, has_text ? text->text : 0};
    struct pf_eval *owner = &evals->rows[string_at(evals, raw)->owner];
    uint32_t row, number;

    if (owner->raw == raw && owner->has_text == has_text && owner->text == key.text) {
        owner->inputs++;
        return raw;
    }
    row = pf_table_intern(&evals->others, &key);
    if (row != 0 && pf_id_map_get(&evals->numbers, row, &number)) {
        evals->rows[number].inputs++;
        return evals->rows[number].string;
    }
    number = add_eval(evals, raw, free_name(evals, raw), simple);
    if (number == 0 || row == 0 || !pf_id_map_put(&evals->numbers, row, number)) {
        evals->status = PF_NOMEM;
        return raw;
    }
    evals->rows[number].has_text = has_text;
    evals->rows[number].text = key.text;
    evals->with_text += has_text;
    return evals->rows[number].string;
}

static uint32_t find_eval(struct walk *walk, uint32_t name)
{
    struct pf_evals *evals = walk->evals;
    struct pf_bytes text = pf_dict_string(evals->dict, name);
    const struct pf_eval_text *of = text_of(evals, name);
    struct pf_eval_name eval;
    uint32_t raw = name;
    bool nested, simple;

    nested = memchr(text.data + 1, '(', text.size - 1) != NULL;
    if (nested && pf_eval_name_is(text, &eval))
        raw = replace_evals(walk, name, eval.place, eval.place_end);
    if (walk->wait)
        return PF_EVALS_WAIT;
    simple = !nested && !ends_in_number(evals->dict, name);
    if (string_at(evals, raw)->owner == 0)
        return claim_name(evals, name, raw, simple);
    return of || walk->all ? find_other(evals, raw, of, simple) : PF_EVALS_WAIT;
}

static uint32_t name_now(struct walk *walk, uint32_t name)
{
    struct pf_evals *evals = walk->evals;
    unsigned is = find_content(evals, name);
    uint32_t now;

    if (is == PLAIN || evals->status != PF_OK)
        return name;
    if (evals->strings[name].input == evals->input)
        return evals->strings[name].now;
    now = is == EVAL ? find_eval(walk, name)
                     : replace_evals(walk, name, 0, pf_dict_string(evals->dict, name).size);
    if (walk->wait || now == PF_EVALS_WAIT || evals->status != PF_OK)
        return PF_EVALS_WAIT;
    evals->strings[name].input = evals->input;
    evals->strings[name].now = now;
    return now;
}

uint32_t pf_evals_now(struct pf_evals *evals, uint32_t name, bool all)
{
    struct walk walk = {.evals = evals, .all = all};

    return name != 0 ? name_now(&walk, name) : 0;
}

/* True if the name has one eval, and this eval is the file. */
static bool repeats_file(const struct pf_evals *evals, uint32_t name, uint32_t file)
{
    struct pf_bytes text = pf_dict_string(evals->dict, name),
                    what = pf_dict_string(evals->dict, file);
    const char *found = memchr(text.data, '(', text.size);

    if (found)
        text = pf_bytes_skip(text, (size_t)(found - text.data));
    return found && pf_bytes_starts(text, what) &&
           !memchr(text.data + what.size, '(', text.size - what.size);
}

bool pf_evals_function(struct pf_evals *evals, struct pf_function *function, bool all)
{
    uint32_t file = pf_evals_now(evals, function->file, all);

    /* most functions with an eval in their name have this eval as their file */
    if (function->system_name == 0 && file == function->file && file != 0 &&
        (!pf_evals_contains(evals, function->name) || repeats_file(evals, function->name, file)))
        return true;
    function->name = pf_evals_now(evals, function->name, all);
    function->system_name = pf_evals_now(evals, function->system_name, all);
    function->file = file;
    return function->name != PF_EVALS_WAIT && function->system_name != PF_EVALS_WAIT &&
           file != PF_EVALS_WAIT;
}

/* Stores the texts of the evals in `claims`. */
static void set_claimed_texts(struct pf_evals *evals)
{
    for (size_t k = 0; k < evals->claim_count; k += 2) {
        struct pf_eval *eval = &evals->rows[evals->claims[k + 1]];
        const struct pf_eval_text *text = text_of(evals, evals->claims[k]);

        if (text && text->has_text) {
            eval->has_text = true;
            eval->text = text->text;
            evals->with_text++;
        }
    }
    evals->claim_count = 0;
}

void pf_evals_end(struct pf_evals *evals)
{
    for (size_t k = 0; k < evals->text_count && evals->status == PF_OK; k++)
        pf_evals_now(evals, evals->texts[k].name, true);
    if (evals->status == PF_OK)
        set_claimed_texts(evals);
    evals->text_count = 0;
    if (evals->lines.count > 1)
        pf_table_truncate(&evals->lines, 1);
    evals->input++;
}

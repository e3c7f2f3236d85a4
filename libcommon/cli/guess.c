#include "cli/guess.h"

#include "base/escape.h"
#include "base/scan.h"
#include "cli/command.h"
#include "cli/peers.h"

#include <stdlib.h>
#include <string.h>

/* --- selections --------------------------------------------------------------------------------
 */

/* Options of proffilter that other programs lack. `letter`: the short option, or 0; `argument`: the
 * option has an argument; `also`: words of other tools for the option. */
static const struct selection {
    const char *name, *also;
    char letter;
    bool argument;
} selections[] = {
    {"section", "", 0, true},
    {"no-section", "", 0, false},
    {"label", "tagfocus tag", 'l', true},
    {"ignore-label", "tagignore", 0, true},
    {"focus", "filter include match grep", 'F', true},
    {"ignore", "exclude", 'I', true},
    {"leaf", "", 0, true},
    {"root", "", 0, true},
    {"time", "", 0, true},
    {"min-value", "", 0, true},
    {"invert", "invert-match", 0, false},
    {"show", "", 0, true},
    {"hide", "", 0, true},
    {"show-from", "", 0, true},
    {"prune-from", "", 0, true},
    {"granularity", "", 'g', true},
    {"collapse-recursion", "", 0, false},
    {"max-depth", "depth", 0, true},
    {"trim-path", "", 0, true},
    {"rename", "", 0, true},
    {"root-label", "tagroot", 0, true},
    {"leaf-label", "tagleaf", 0, true},
    {"ignore-case", "", 'i', false},
    {"fixed-strings", "", 0, false},
};

/* --- what the program has --------------------------------------------------------------------- */

enum { OPTIONS = 128, WORD = 64 };

struct option {
    struct pf_bytes name;
    char letter;
    bool required, optional; /* the option requires an argument; may have an argument */
};

struct line {
    struct pf_tool *tool;
    unsigned program;
    int argc;
    char *const *argv;
    struct option options[OPTIONS];
    size_t option_count;
};

/* Reads a line of --help, " -h, --help TEXT" or " --name=ARGUMENT TEXT". False: another line. */
static bool parse_help(const char *text, struct option *option)
{
    const char *p = text + strspn(text, " ");
    size_t size;

    *option = (struct option){0};
    if (p == text || *p != '-')
        return false;
    if (p[1] != '-') {
        option->letter = p[1];
        p += strcspn(p, ",");
        p += strspn(p, ", ");
    }
    if (strncmp(p, "--", 2) != 0)
        return false;
    size = strcspn(p + 2, "=[ \n");
    option->name = (struct pf_bytes){p + 2, size};
    option->required = p[2 + size] == '=';
    option->optional = p[2 + size] == '[';
    return true;
}

static const struct option *find_option(const struct line *line, struct pf_bytes name)
{
    for (size_t k = 0; k < line->option_count; k++)
        if (pf_bytes_equal(line->options[k].name, name))
            return &line->options[k];
    return NULL;
}

static const struct option *find_letter(const struct line *line, char letter)
{
    for (size_t k = 0; k < line->option_count; k++)
        if (line->options[k].letter == letter)
            return &line->options[k];
    return NULL;
}

/* An option whose name begins with `name`; *count: how many do. NULL: no option. */
static const struct option *find_prefix(const struct line *line, struct pf_bytes name,
                                        size_t *count)
{
    const struct option *found = NULL;

    *count = 0;
    for (size_t k = 0; k < line->option_count; k++)
        if (pf_bytes_starts(line->options[k].name, name)) {
            found = &line->options[k];
            ++*count;
        }
    return found;
}

static bool has_word(const char *words, struct pf_bytes word)
{
    for (const char *at = words; *at != '\0';) {
        size_t size = strcspn(at, " ");

        if (pf_bytes_equal((struct pf_bytes){at, size}, word))
            return true;
        at += size + strspn(at + size, " ");
    }
    return false;
}

/* Finds an option of proffilter that this program lacks, by its name or by the word of another
 * tool. NULL: no such option. */
static const struct selection *find_selection(const struct line *line, struct pf_bytes word)
{
    for (size_t k = 0; k < sizeof selections / sizeof *selections; k++) {
        const struct selection *selection = &selections[k];

        if ((pf_bytes_equal(pf_bytes_of(selection->name), word) ||
             has_word(selection->also, word)) &&
            !find_option(line, pf_bytes_of(selection->name)))
            return selection;
    }
    return NULL;
}

/* --- the elements of a command line ----------------------------------------------------------- */

struct element {
    enum element_kind { OPERAND, OPTION, SELECTION, UNKNOWN, DASHES } kind;
    int first, count;     /* place and number of its words in argv */
    struct pf_bytes name; /* without dashes; '_' is replaced by '-' */
    const char *value;    /* NULL: no argument */
    bool single;          /* one dash before a long name */
    bool ambiguous;       /* short for several options */
    /* in argv: a letter that is not an option; NULL: no such letter */
    const char *letter;
    const struct option *option;       /* OPTION: of several letters the first */
    const struct selection *selection; /* SELECTION */
    char word[WORD];
};

/* Copies the name of a long option. */
static void read_name(struct element *element, const char *text)
{
    size_t size = strcspn(text, "=");

    element->value = text[size] == '=' ? text + size + 1 : NULL;
    if (size >= WORD)
        size = WORD - 1;
    memcpy(element->word, text, size);
    for (size_t k = 0; k < size; k++)
        if (element->word[k] == '_')
            element->word[k] = '-';
    element->word[size] = '\0';
    element->name = (struct pf_bytes){element->word, size};
}

/* Sets the argument of an option that has none yet: the next word of argv. */
static void take_argument(const struct line *line, struct element *element)
{
    if (!element->value && element->first + 1 < line->argc) {
        element->value = line->argv[element->first + 1];
        element->count = 2;
    }
}

static void read_long(const struct line *line, struct element *element)
{
    size_t alike = 0;

    element->option = find_option(line, element->name);
    if (!element->option && !pf_peer_find(line->program, element->name, element->value, true)) {
        element->selection = find_selection(line, element->name);
        if (!element->selection)
            element->option = find_prefix(line, element->name, &alike);
    }
    element->ambiguous = alike > 1;
    element->kind = element->option ? OPTION : element->selection ? SELECTION : UNKNOWN;
    if ((element->option && element->option->required) ||
        (element->selection && element->selection->argument))
        take_argument(line, element);
}

/* Reads one letter or several; the rest after a letter with an argument is the argument. */
static void read_letters(const struct line *line, struct element *element, const char *text)
{
    element->kind = OPTION;
    for (const char *p = text; *p != '\0'; p++) {
        const struct option *option = find_letter(line, *p);

        if (!element->option)
            element->option = option;
        if (!option && p == text)
            for (size_t k = 0; k < sizeof selections / sizeof *selections; k++)
                if (selections[k].letter == *p)
                    element->selection = &selections[k];
        if (element->selection)
            element->kind = SELECTION;
        if (!option && !element->selection) {
            element->letter = p;
            return;
        }
        if (!option ? element->selection->argument : option->required) {
            element->value = p[1] != '\0' ? p + 1 : NULL;
            take_argument(line, element);
            return;
        }
        if (!option || option->optional)
            return;
    }
}

/* Reads the element that begins at argv[at]. */
static void read_element(const struct line *line, int at, struct element *element)
{
    const char *text = line->argv[at];

    *element = (struct element){.kind = OPERAND, .first = at, .count = 1};
    if (text[0] != '-' || text[1] == '\0')
        return;
    if (strcmp(text, "--") == 0) {
        element->kind = DASHES;
        return;
    }
    if (text[1] == '-') {
        read_name(element, text + 2);
        read_long(line, element);
        return;
    }
    read_name(element, text + 1);
    element->single = element->name.size > 1 &&
                      (find_option(line, element->name) || find_selection(line, element->name) ||
                       pf_peer_find(line->program, element->name, element->value, false));
    if (element->single) {
        read_long(line, element);
    } else {
        element->value = NULL;
        read_letters(line, element, text + 1);
    }
}

/* --- answers ---------------------------------------------------------------------------------- */

/* Appends a blank and a word. */
static void append_word(struct pf_buffer *text, const char *word)
{
    pf_command_text(text, " ");
    pf_command_word(text, word);
}

static _Noreturn void answer(const struct line *line, const struct element *element,
                             const char *what, struct pf_buffer *text)
{
    if (!pf_buffer_byte(text, '\0'))
        pf_tool_nomem(line->tool);
    pf_tool_usage(line->tool, "unrecognized option '%s%s'; %s%s", element->single ? "-" : "--",
                  pf_clip(element->name).text, what, text->data);
}

/* True for options that say how inputs are read: in a suggested pipe they go to proffilter. */
static bool is_input_option(const struct option *option)
{
    static const char names[] = "from recursive files0-from salvage keep-going threads";

    return option && has_word(names, option->name);
}

/* Appends the argument of a selection, if it has one. */
static void append_expression(const struct element *element, struct pf_buffer *text)
{
    if (element->value && has_word("tagfocus tagignore tag", element->name)) {
        pf_command_text(text, " ");
        pf_peer_label(text, element->value);
    } else if (element->value) {
        append_word(text, element->value);
    }
}

/* Appends one side of a suggested pipe. Front: selections, inputs and options for reading; back:
 * the other options. */
static void append_side(const struct line *line, bool front, struct pf_buffer *text)
{
    struct element element;
    bool operands = false;

    for (int at = 1; at < line->argc; at += element.count) {
        read_element(line, at, &element);
        if (operands)
            element = (struct element){.kind = OPERAND, .first = at, .count = 1};
        operands = operands || element.kind == DASHES;
        if (element.kind == SELECTION && front) {
            pf_command_text(text, " --");
            pf_command_text(text, element.selection->name);
            append_expression(&element, text);
        } else if (element.kind != SELECTION &&
                   front == (element.kind == OPERAND || element.kind == DASHES ||
                             is_input_option(element.option))) {
            for (int k = 0; k < element.count; k++)
                append_word(text, line->argv[at + k]);
        }
    }
}

/* Answers a selection that this program lacks: suggests a pipe from proffilter, or to filter each
 * input first. */
static _Noreturn void answer_selection(const struct line *line, const struct element *element)
{
    struct element named = *element;
    struct pf_buffer text = {0};

    if (line->argv[element->first][1] != '-' && !element->single) {
        named.single = true;
        named.name = (struct pf_bytes){line->argv[element->first] + 1, 1};
    }
    pf_command_text(&text, "proffilter");
    if (line->program & (PF_CAT | PF_TOP)) {
        append_side(line, true, &text);
        pf_command_text(&text, " | ");
        pf_command_text(&text, line->tool->name);
        append_side(line, false, &text);
        answer(line, &named, "type: ", &text);
    }
    pf_command_text(&text, " --");
    pf_command_text(&text, element->selection->name);
    append_expression(element, &text);
    pf_command_text(&text, " FILE -o FILTERED.pfs");
    answer(line, &named, "filter each input first: ", &text);
}

static _Noreturn void answer_peer(const struct line *line, const struct element *element,
                                  const struct pf_peer *peer)
{
    struct pf_buffer text = {0};

    pf_peer_answer(peer, element->name, element->value, &text);
    answer(line, element, "type ", &text);
}

static _Noreturn void answer_option(const struct line *line, const struct element *element,
                                    const char *what, const struct option *option)
{
    struct pf_buffer text = {0};

    pf_command_text(&text, "--");
    pf_buffer_append(&text, option->name.data, option->name.size);
    if (element->value && option->required) {
        pf_command_text(&text, "=");
        pf_command_word(&text, element->value);
    }
    answer(line, element, what, &text);
}

/* --- typing mistakes -------------------------------------------------------------------------- */

/* How many letters must be changed, added, removed or swapped to get from one word to the other;
 * both are shorter than WORD. */
static size_t distance(struct pf_bytes a, struct pf_bytes b)
{
    size_t rows[3][WORD + 1];

    for (size_t j = 0; j <= b.size; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a.size; i++) {
        size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];

        row[0] = i;
        for (size_t j = 1; j <= b.size; j++) {
            size_t least = above[j - 1] + (a.data[i - 1] != b.data[j - 1]);

            least = above[j] + 1 < least ? above[j] + 1 : least;
            least = row[j - 1] + 1 < least ? row[j - 1] + 1 : least;
            if (i > 1 && j > 1 && a.data[i - 1] == b.data[j - 2] &&
                a.data[i - 2] == b.data[j - 1] && before[j - 2] + 1 < least)
                least = before[j - 2] + 1;
            row[j] = least;
        }
    }
    return rows[a.size % 3][b.size];
}

/* How many letters may be wrong: one in three, at most three. */
static size_t allowed(struct pf_bytes name)
{
    return name.size / 3 < 3 ? name.size / 3 : 3;
}

/* True if `known` is nearer to the name than *best, or as near and the `first` candidate. Then sets
 * *best. */
static bool is_nearer(struct pf_bytes name, struct pf_bytes known, bool first, size_t *best)
{
    size_t far = known.size < WORD ? distance(name, known) : WORD;

    if (far > *best || (far == *best && !first))
        return false;
    *best = far;
    return true;
}

static const struct option *nearest(const struct line *line, struct pf_bytes name)
{
    const struct option *found = NULL;
    size_t best = allowed(name);

    for (size_t k = 0; k < line->option_count; k++)
        if (is_nearer(name, line->options[k].name, !found, &best))
            found = &line->options[k];
    return found;
}

static const struct selection *nearest_selection(const struct line *line, struct pf_bytes name)
{
    const struct selection *found = NULL;
    size_t best = allowed(name);

    for (size_t k = 0; k < sizeof selections / sizeof *selections; k++)
        if (!find_option(line, pf_bytes_of(selections[k].name)) &&
            is_nearer(name, pf_bytes_of(selections[k].name), !found, &best))
            found = &selections[k];
    return found;
}

static _Noreturn void answer_mistaken(const struct line *line, const struct element *element,
                                      const struct selection *selection)
{
    struct pf_buffer text = {0};

    pf_command_text(&text, selection->name);
    answer(line, element, "did you mean proffilter --", &text);
}

/* Answers a name that is short for several options. Without this answer getopt would print control
 * characters of the word as they are. */
static _Noreturn void answer_ambiguous(const struct line *line, const struct element *element)
{
    struct pf_buffer text = {0};

    for (size_t k = 0; k < line->option_count; k++)
        if (pf_bytes_starts(line->options[k].name, element->name)) {
            pf_command_text(&text, " '--");
            pf_buffer_append(&text, line->options[k].name.data, line->options[k].name.size);
            pf_command_text(&text, "'");
        }
    if (!pf_buffer_byte(&text, '\0'))
        pf_tool_nomem(line->tool);
    pf_tool_usage(line->tool, "option '%s' is ambiguous; possibilities:%s",
                  line->argv[element->first], text.data);
}

static _Noreturn void answer_letter(const struct line *line, const struct element *element)
{
    char escape[PF_TEXT_ESCAPE];
    struct pf_bytes rest = pf_bytes_of(element->letter);

    if (pf_scan_digits(rest) == rest.size && element->letter[-1] == '-')
        pf_tool_usage(line->tool, "unrecognized option '-%s'; type %s-n %s", element->letter,
                      line->program & (PF_TOP | PF_DIFF) ? "" : "proftop ", element->letter);
    pf_tool_usage(line->tool, "invalid option -- '%.*s'",
                  (int)pf_text_next(pf_bytes_of(element->letter), escape), element->letter);
}

/* --- the command line ------------------------------------------------------------------------- */

static void check_element(const struct line *line, const struct element *element)
{
    const struct selection *selection;
    const struct pf_peer *peer;
    const struct option *option;

    if (element->kind == SELECTION)
        answer_selection(line, element);
    if (element->single && element->kind == OPTION)
        answer_option(line, element, "type ", element->option);
    if (element->letter)
        answer_letter(line, element);
    if (element->ambiguous)
        answer_ambiguous(line, element);
    if (element->kind != UNKNOWN)
        return;
    peer = pf_peer_find(line->program, element->name, element->value, false);
    if (peer)
        answer_peer(line, element, peer);
    option = nearest(line, element->name);
    if (option)
        answer_option(line, element, "did you mean ", option);
    selection = nearest_selection(line, element->name);
    if (selection)
        answer_mistaken(line, element, selection);
    pf_tool_usage(line->tool, "unrecognized option '%s'", line->argv[element->first]);
}

void pf_guess_options(struct pf_tool *tool, int argc, char *const *argv, const char *const *help)
{
    struct line line = {.tool = tool, .argc = argc, .argv = argv};
    struct element element;

    line.program = pf_peer_program(tool->name);
    for (; *help && line.option_count < OPTIONS; help++)
        line.option_count += parse_help(*help, &line.options[line.option_count]);
    for (int at = 1; at < argc; at += element.count) {
        read_element(&line, at, &element);
        if (element.kind == DASHES)
            return;
        check_element(&line, &element);
    }
}

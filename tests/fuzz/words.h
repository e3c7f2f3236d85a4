/* Words that people type: lines of expressions, amounts, names and options. Each is given to every
 * parser of words. */
#ifndef PF_TESTS_WORDS_H
#define PF_TESTS_WORDS_H

#include "analysis/filter/pattern.h"
#include "analysis/filter/rewrite.h"
#include "analysis/filter/select.h"
#include "analysis/sum/bound.h"
#include "codec/registry.h"

#include "examine.h"

#include <stdlib.h>

static void judge_word(struct outcome *outcome, const char *what, int status,
                       const struct pf_error *error)
{
    if (status != PF_OK && (status != PF_USAGE || !error->text[0]))
        blame(outcome, "%s gives %d and the text '%s'", what, status, error->text);
}

static void try_patterns(struct outcome *outcome, const char *word)
{
    static const struct pf_bytes names[] = {PF_BYTES(""), PF_BYTES("main::req"),
                                            PF_BYTES("aaaaaaaaaaaaaaaaaaaaaaaa"),
                                            PF_BYTES("\xc3\xa9\xff\n")};
    regmatch_t groups[PF_PATTERN_GROUPS];
    size_t end = 0;

    for (unsigned flags = 0; flags < 4; flags++) {
        struct pf_error error = {0};
        struct pf_pattern pattern;
        int status = pf_pattern_compile(&pattern, word, flags, &error);

        judge_word(outcome, "an expression", status, &error);
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            outcome->sum += pf_glob_match(word, flags, names[k]);
            if (status == PF_OK)
                outcome->sum += pf_pattern_match(&pattern, names[k]) +
                                pf_pattern_find(&pattern, names[k], 0, &end, groups);
        }
        if (status == PF_OK)
            pf_pattern_free(&pattern);
    }
}

static void try_filters(struct outcome *outcome, struct pf_dict *dict, const char *word)
{
    struct pf_error error[8] = {{0}};
    struct pf_select *select = pf_select_new(dict);
    struct pf_rewrite *rewrite = pf_rewrite_new(dict, &(struct pf_rewrite_settings){0});

    if (select && rewrite) {
        judge_word(outcome, "--section",
                   pf_select_add(select, PF_SELECT_SECTION, word, 0, &error[0]), &error[0]);
        judge_word(outcome, "--label", pf_select_add(select, PF_SELECT_LABEL, word, 0, &error[1]),
                   &error[1]);
        judge_word(outcome, "--focus", pf_select_add(select, PF_SELECT_FOCUS, word, 0, &error[2]),
                   &error[2]);
        judge_word(outcome, "--time", pf_select_add(select, PF_SELECT_TIME, word, 0, &error[3]),
                   &error[3]);
        judge_word(outcome, "--min-value", pf_select_min_value(select, word, NULL, &error[4]),
                   &error[4]);
        judge_word(outcome, "--rename",
                   pf_rewrite_add(rewrite, PF_REWRITE_RENAME, word, 0, &error[5]), &error[5]);
        judge_word(outcome, "--trim-path",
                   pf_rewrite_add(rewrite, PF_REWRITE_TRIM_PATH, word, 0, &error[6]), &error[6]);
        judge_word(outcome, "--root-label",
                   pf_rewrite_add(rewrite, PF_REWRITE_ROOT_LABEL, word, 0, &error[7]), &error[7]);
    }
    pf_select_free(select);
    pf_rewrite_free(rewrite);
}

static void try_options(struct outcome *outcome, const char *word)
{
    const struct pf_format *format;

    for (size_t k = 0; (format = pf_registry_format(k)); k++)
        for (int writing = 0; writing < 2; writing++) {
            struct pf_options options = {0};
            struct pf_error error = {0};

            judge_word(
                outcome, "an option",
                pf_options_parse(&options, word, format->options, writing, format->name, &error),
                &error);
            pf_options_free(&options);
        }
}

static void try_word(struct outcome *outcome, struct pf_dict *dict, const char *word)
{
    struct pf_bound bound;
    enum pf_by by;
    uint32_t label;

    try_patterns(outcome, word);
    try_filters(outcome, dict, word);
    try_options(outcome, word);
    outcome->sum += pf_bound_parse(word, &bound) + pf_by_find(word, dict, &by, &label);
    outcome->sum += pf_registry_suffix(word) != NULL;
    outcome->sum += pf_registry_suffix_unknown(word).size;
}

/* A word ends at a newline or NUL; at most 16 words of an input are tried. */
static void try_words(struct outcome *outcome, const uint8_t *data, size_t size)
{
    struct pf_dict dict;
    char *word = malloc(size + 1);

    if (word && pf_dict_init(&dict) == PF_OK) {
        for (size_t at = 0, words = 0; at < size && words < 16 && !outcome->wrong[0]; words++) {
            size_t length = 0;

            while (at + length < size && data[at + length] != '\n' && data[at + length] != '\0')
                length++;
            memcpy(word, data + at, length);
            word[length] = '\0';
            try_word(outcome, &dict, word);
            at += length + 1;
        }
        pf_dict_free(&dict);
    }
    free(word);
}

#endif

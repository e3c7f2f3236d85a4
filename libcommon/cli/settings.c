#include "cli/settings.h"

#include "analysis/sum/bound.h"
#include "base/bytes.h"
#include "base/number.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static_assert(sizeof(enum pf_takes) == sizeof(int), "fields of words are enums");

const struct pf_given *pf_settings_given(const struct pf_given *given, const char *option)
{
    for (; given->name; given++)
        if (strcmp(given->name, option) == 0 && given->count > 0)
            return given;
    return NULL;
}

static _Noreturn void refuse(struct pf_tool *tool, const struct pf_setting *setting,
                             const char *text)
{
    char number[80];

    snprintf(number, sizeof number, "a number from %" PRId64 " to %" PRId64, setting->low,
             setting->high);
    pf_tool_usage(tool, "--%s takes %s, not '%s'", setting->option,
                  setting->what ? setting->what : number, text);
}

/* Finds the number of a word in a list "a, b or c". False: the list does not have the word. */
static bool find_word(const char *words, struct pf_bytes text, int *number)
{
    *number = 0;
    for (const char *at = words; *at != '\0';) {
        struct pf_bytes word = {at, strcspn(at, " ,")};

        at += word.size + strspn(at + word.size, " ,");
        if (*at != '\0' && pf_bytes_equal(word, PF_BYTES("or")))
            continue;
        if (pf_bytes_equal(word, text))
            return true;
        ++*number;
    }
    return false;
}

static void read_setting(struct pf_tool *tool, const struct pf_setting *setting,
                         const struct pf_given *given, void *field)
{
    const char *text = given->values ? given->values[given->count - 1] : NULL;
    bool good = true;
    int word;

    if (!text)
        text = "";
    switch (setting->takes) {
    case PF_TAKES_NOTHING: *(bool *)field = true; break;
    case PF_TAKES_TEXT: *(const char **)field = text; break;
    case PF_TAKES_TEXTS:
        *(struct pf_texts *)field = (struct pf_texts){given->values, given->count};
        break;
    case PF_TAKES_NUMBER:
        good = pf_parse_int(pf_bytes_of(text), setting->low, setting->high, field);
        break;
    case PF_TAKES_WORD:
        good = find_word(setting->what, pf_bytes_of(text), &word);
        word += (int)setting->low;
        if (good)
            memcpy(field, &word, sizeof word);
        break;
    case PF_TAKES_OTHER: good = setting->find(text, field); break;
    }
    if (!good)
        refuse(tool, setting, text);
}

void pf_settings_read(struct pf_tool *tool, const struct pf_given *given,
                      const struct pf_setting *settings, void *fields)
{
    for (; settings->option; settings++) {
        const struct pf_given *option = pf_settings_given(given, settings->option);

        if (option)
            read_setting(tool, settings, option, (char *)fields + settings->field);
    }
}

const char *pf_settings_first(const struct pf_given *given, const char *const *options)
{
    while (*options && !pf_settings_given(given, *options))
        options++;
    return *options;
}

bool pf_find_fraction(const char *text, void *field)
{
    struct pf_bound bound;

    if (!pf_bound_parse(text, &bound) || !bound.percent)
        return false;
    *(double *)field = (double)bound.amount / 1e8;
    return true;
}

bool pf_find_share(const char *text, void *field)
{
    struct pf_bound *share = field;
    char percent[64];
    int size = snprintf(percent, sizeof percent, "%s%%", text);

    if (size <= 0 || (size_t)size >= sizeof percent)
        return false;
    if (strchr(text, '%'))
        percent[size - 1] = '\0';
    return pf_bound_parse(percent, share) && share->amount <= 100 * INT64_C(1000000);
}

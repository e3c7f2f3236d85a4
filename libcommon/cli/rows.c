#include "cli/rows.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS_WITHOUT_TERMINAL = 20, ROWS_LEAST = 5 };

static bool find_unit(const char *text, void *field)
{
    return pf_unit_find(text, field);
}

/* A number from 0 to 100, with or without %. */
static bool find_percent(const char *text, void *field)
{
    char *end = NULL;
    double percent = strtod(text, &end);

    if (end == text || strspn(text, "0123456789.") != (size_t)(end - text) ||
        strcmp(end, &"%"[*end == '\0']) != 0 || !(percent >= 0 && percent <= 100))
        return false;
    *(double *)field = percent;
    return true;
}

static const struct pf_setting settings[] = {
    PF_NUMBER_SETTING("limit", struct pf_row_settings, limit, NULL, 0, INT32_MAX),
    PF_OTHER_SETTING("min-percent", struct pf_row_settings, min_percent, "a number from 0 to 100",
                     find_percent),
    PF_TEXT_SETTING("by", struct pf_row_settings, by),
    PF_WORD_SETTING("kind", struct pf_row_settings, kind, "sample, flat or edge", PF_SAMPLE),
    PF_OTHER_SETTING("unit", struct pf_row_settings, unit,
                     "auto, ns, us, ms, s, ticks, events, count or bytes", find_unit),
    PF_FLAG_SETTING("cum", struct pf_row_settings, cum),
    PF_SETTINGS_END,
};

void pf_row_settings_read(struct pf_row_settings *rows, struct pf_common *common)
{
    *rows = (struct pf_row_settings){.limit = -1, .kind = PF_RECORD_KINDS};
    pf_settings_read(&common->tool, common->given, settings, rows);
}

enum pf_by pf_row_settings_by(const struct pf_row_settings *rows, struct pf_common *common,
                              struct pf_dict *dict, uint32_t *label)
{
    enum pf_by by = PF_BY_FUNCTION;

    if (rows->by != NULL && !pf_by_find(rows->by, dict, &by, label))
        pf_tool_usage(&common->tool,
                      "--by takes function, name, file, line, address, image, package, section or "
                      "label:KEY, not '%s'",
                      rows->by);
    return by;
}

size_t pf_row_settings_limit(const struct pf_row_settings *rows, const struct pf_sink *sink,
                             bool text, unsigned others)
{
    unsigned lines = pf_tool_rows(sink);

    if (rows->limit >= 0)
        return (size_t)rows->limit;
    if (!text)
        return 0;
    if (lines == 0)
        return ROWS_WITHOUT_TERMINAL;
    return lines > others + ROWS_LEAST ? lines - others : ROWS_LEAST;
}

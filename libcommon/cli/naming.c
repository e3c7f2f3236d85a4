#include "cli/naming.h"

#include <string.h>
#include <sys/stat.h>

struct texts {
    struct pf_texts binaries; /* each one program, or several with commas between them */
    const char *symbols;
    bool no_inlines;
};

static const struct pf_setting settings[] = {
    PF_TEXTS_SETTING("binary", struct texts, binaries),
    PF_TEXT_SETTING("symbols", struct texts, symbols),
    PF_FLAG_SETTING("no-inlines", struct texts, no_inlines),
    PF_SETTINGS_END,
};

static int add_symbols(struct pf_naming *naming, const struct pf_common *common, const char *path,
                       struct pf_error *error)
{
    struct pf_source *source;
    struct pf_symbols *symbols = NULL;
    int status = pf_common_open_source(common, &source, path, error);

    if (status == PF_OK) {
        status = pf_symbols_read(&symbols, source, error);
        pf_source_close(source);
    }
    if (status == PF_OK && !pf_naming_add_symbols(naming, symbols, path))
        status = pf_error_nomem(error);
    return status;
}

static bool add_binary(struct pf_naming *naming, struct pf_tool *tool, const char *path)
{
    struct pf_error error = {0};
    struct pf_binary *binary;
    int status = pf_binary_open(&binary, path, pf_tool_end_without_memory, &error);

    if (status == PF_OK && !pf_naming_add_binary(naming, binary, path))
        status = pf_error_nomem(&error);
    if (status < 0)
        pf_tool_fail(tool, path, &error, false);
    return status == PF_OK;
}

/* A file's own name may hold commas; other commas stand between names. */
static bool add_binaries(struct pf_naming *naming, struct pf_arena *paths, struct pf_tool *tool,
                         const char *list)
{
    struct stat info;

    if (!strchr(list, ',') || stat(list, &info) == 0)
        return add_binary(naming, tool, list);
    for (const char *at = list; *at;) {
        size_t size = strcspn(at, ",");
        char *path = pf_arena_copy(paths, at, size);

        if (!path)
            pf_tool_nomem(tool);
        if (size > 0 && !add_binary(naming, tool, path))
            return false;
        at += size + (at[size] == ',');
    }
    return true;
}

bool pf_naming_read(struct pf_naming **naming, struct pf_arena *paths, struct pf_common *common)
{
    struct texts texts = {0};
    struct pf_error error = {0};

    *naming = NULL;
    pf_settings_read(&common->tool, common->given, settings, &texts);
    if (texts.binaries.count == 0 && !texts.symbols)
        return true;
    if (!(*naming = pf_naming_new()))
        pf_tool_nomem(&common->tool);
    for (unsigned k = 0; k < texts.binaries.count; k++)
        if (!add_binaries(*naming, paths, &common->tool, texts.binaries.list[k]))
            return false;
    if (texts.symbols && add_symbols(*naming, common, texts.symbols, &error) < 0) {
        pf_tool_fail(&common->tool, texts.symbols, &error, false);
        return false;
    }
    if (texts.no_inlines)
        pf_naming_no_inlines(*naming);
    return true;
}

void pf_naming_tell(struct pf_naming *naming, struct pf_dict *dict, struct pf_tool *tool)
{
    const struct pf_report messages = pf_tool_report(tool);

    pf_naming_report(naming, dict, &messages);
}

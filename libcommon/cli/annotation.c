#include "cli/annotation.h"

#include "base/calendar.h"
#include "base/hash.h"
#include "base/memory.h"
#include "model/replicates.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* --- labels ----------------------------------------------------------------------------------- */

struct label_texts {
    struct pf_texts set_label;
    const char *label_source;
    int64_t groups;
    unsigned by;
};

static const struct pf_setting label_settings[] = {
    PF_TEXTS_SETTING("set-label", struct label_texts, set_label),
    PF_TEXT_SETTING("label-source", struct label_texts, label_source),
    PF_NUMBER_SETTING("replicates", struct label_texts, groups, NULL, 1, PF_REPLICATES_MAX),
    PF_WORD_SETTING("replicates-by", struct label_texts, by, "content or name", 0),
    PF_SETTINGS_END,
};

static void read_replicates(struct pf_annotation *annotation, struct pf_common *common,
                            const struct label_texts *texts)
{
    annotation->groups = (unsigned)texts->groups;
    annotation->by_name = texts->by == 1;
    if (annotation->groups > 0)
        annotation->replicate_key = pf_replicate_key(annotation->dict);
    else if (pf_settings_given(common->given, "replicates-by"))
        pf_tool_usage(&common->tool, "--replicates-by needs the number of groups: --replicates=32");
}

void pf_annotation_read_labels(struct pf_annotation *annotation, struct pf_common *common)
{
    struct label_texts texts = {0};

    pf_settings_read(&common->tool, common->given, label_settings, &texts);
    annotation->set =
        pf_tool_calloc(&common->tool, (size_t)texts.set_label.count + 1, sizeof *annotation->set);
    for (unsigned k = 0; k < texts.set_label.count; k++) {
        const char *text = texts.set_label.list[k], *equals = strchr(text, '=');

        if (!equals || equals == text)
            pf_tool_usage(&common->tool, "--set-label takes KEY=VALUE, not '%s'", text);
        annotation->set[annotation->set_count++] = (struct pf_set_label){
            pf_dict_intern(annotation->dict, (struct pf_bytes){text, (size_t)(equals - text)},
                           PF_UTF8),
            pf_dict_intern(annotation->dict, pf_bytes_of(equals + 1), PF_UTF8),
        };
    }
    if (texts.label_source)
        annotation->source_key = pf_dict_intern(
            annotation->dict, pf_bytes_of(*texts.label_source ? texts.label_source : "source"),
            PF_UTF8);
    read_replicates(annotation, common, &texts);
}

static uint32_t replace_label(struct pf_dict *dict, uint32_t labels, uint32_t key, uint32_t value)
{
    return pf_dict_add_label(dict, pf_dict_drop_label(dict, labels, key), key, value);
}

static uint32_t replace_labels(const struct pf_annotation *annotation, uint32_t labels)
{
    for (size_t i = 0; i < annotation->set_count; i++)
        labels = replace_label(annotation->dict, labels, annotation->set[i].key,
                               annotation->set[i].value);
    if (annotation->source_key)
        labels = replace_label(
            annotation->dict, labels, annotation->source_key,
            pf_dict_intern(annotation->dict, pf_bytes_of(annotation->source), PF_UTF8));
    if (annotation->replicate_key &&
        pf_label_find(annotation->dict, labels, annotation->replicate_key) == 0)
        labels = pf_dict_add_label(annotation->dict, labels, annotation->replicate_key,
                                   annotation->replicate);
    return labels;
}

static bool changes_labels(const struct pf_annotation *annotation)
{
    return annotation->set_count > 0 || annotation->source_key != 0 ||
           annotation->replicate_key != 0;
}

/* False: out of memory. */
static bool set_labels(struct pf_annotation *annotation, struct pf_batch *batch)
{
    for (uint32_t i = 0; i < batch->rows; i++) {
        uint32_t labels = batch->labels ? batch->labels[i] : 0;

        if (labels >= annotation->relabelled_count &&
            !pf_grow_zeroed(&annotation->relabelled, &annotation->relabelled_count,
                            &annotation->relabelled_capacity, annotation->dict->labels.count,
                            sizeof *annotation->relabelled))
            return false;
        if (!annotation->relabelled[labels])
            annotation->relabelled[labels] = replace_labels(annotation, labels) + 1;
        annotation->column[i] = annotation->relabelled[labels] - 1;
    }
    batch->labels = annotation->column;
    return pf_dict_status(annotation->dict) == PF_OK;
}

/* --- metadata --------------------------------------------------------------------------------- */

struct metadata_texts {
    struct pf_texts label_meta;
    const char *since, *until;
};

static const struct pf_setting metadata_settings[] = {
    PF_TEXTS_SETTING("label-meta", struct metadata_texts, label_meta),
    PF_TEXT_SETTING("since", struct metadata_texts, since),
    PF_TEXT_SETTING("until", struct metadata_texts, until),
    PF_SETTINGS_END,
};

/* Reads a key up to the next comma; `\,` is a comma of the key, and `\\` a backslash. */
static const char *scan_key(struct pf_annotation *annotation, struct pf_tool *tool,
                            const char *text)
{
    struct pf_in_force *force = &annotation->staging.force;
    char *key = pf_arena_alloc(&annotation->texts, strlen(text) + 1);
    struct pf_bytes name = {key, 0};

    if (!key)
        pf_tool_nomem(tool);
    for (; *text && *text != ','; text++) {
        if (*text == '\\' && (text[1] == ',' || text[1] == '\\'))
            text++;
        key[name.size++] = *text;
    }
    if (name.size == 0)
        pf_tool_usage(tool, "--label-meta takes keys of metadata, as profcat -H shows them: "
                            "KEY[,KEY...]");
    for (size_t k = 0; k < force->key_count; k++)
        if (pf_bytes_equal(force->keys[k].name, name))
            return text;
    pf_tool_check_memory(tool, pf_in_force_choose(force, name));
    return text;
}

/* False: the option is not given. */
static bool read_time(struct pf_tool *tool, const char *option, const char *text, int64_t *time)
{
    if (text && !pf_time_parse(pf_bytes_of(text), time))
        pf_tool_usage(tool,
                      "--%s takes a time such as 2026-11-23, 2026-11-23T14:05Z or @1795208304, not "
                      "'%s'",
                      option, text);
    return text;
}

void pf_annotation_read_metadata(struct pf_annotation *annotation, struct pf_common *common)
{
    struct pf_staging *staging = &annotation->staging;
    struct metadata_texts texts = {0};

    pf_settings_read(&common->tool, common->given, metadata_settings, &texts);
    pf_tool_check_memory(&common->tool, pf_staging_init(staging, annotation->dict));
    for (unsigned k = 0; k < texts.label_meta.count; k++) {
        const char *at = scan_key(annotation, &common->tool, texts.label_meta.list[k]);

        while (*at)
            at = scan_key(annotation, &common->tool, at + 1);
    }
    staging->selects |= read_time(&common->tool, "since", texts.since, &staging->since);
    staging->selects |= read_time(&common->tool, "until", texts.until, &staging->until);
    if (staging->since >= staging->until)
        pf_tool_usage(&common->tool, "--since must be before --until");
}

/* --- names ------------------------------------------------------------------------------------ */

struct name_texts {
    struct pf_texts
        binaries;         /* each text is a program, or a list of programs separated by commas */
    struct pf_texts dirs; /* of --symbols-from */
    const char *symbols;
    bool no_inlines;
};

static const struct pf_setting name_settings[] = {
    PF_TEXTS_SETTING("binary", struct name_texts, binaries),
    PF_TEXTS_SETTING("symbols-from", struct name_texts, dirs),
    PF_TEXT_SETTING("symbols", struct name_texts, symbols),
    PF_FLAG_SETTING("no-inlines", struct name_texts, no_inlines),
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

/* Adds the programs of a list. A list that is the name of a file is one program; else commas
 * separate the names. False after a failure, printed and raised. */
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

/* Adds the directories of --symbols-from. False after a failure, printed and raised. */
static bool add_dirs(struct pf_naming *naming, const struct pf_common *common, struct pf_tool *tool,
                     const struct pf_texts *names)
{
    struct pf_error error = {0};
    struct pf_symbol_dirs *dirs = pf_symbol_dirs_new();
    int status = dirs ? pf_binary_supported(&error) : pf_error_nomem(&error);
    unsigned k = 0;

    while (status == PF_OK && k < names->count) {
        status = pf_symbol_dirs_add(dirs, names->list[k], &error);
        k += status == PF_OK;
    }
    if (status != PF_OK) {
        pf_tool_fail(tool, names->list[k], &error, false);
        pf_symbol_dirs_free(dirs);
        return false;
    }
    struct pf_image_files *files =
        pf_image_files_new(dirs, common->threads, pf_tool_end_without_memory);

    if (!files || !pf_naming_add_files(naming, files, "--symbols-from"))
        pf_tool_nomem(tool);
    return true;
}

bool pf_annotation_read_names(struct pf_annotation *annotation, struct pf_common *common)
{
    struct name_texts texts = {0};
    struct pf_error error = {0};

    pf_settings_read(&common->tool, common->given, name_settings, &texts);
    if (texts.binaries.count == 0 && texts.dirs.count == 0 && !texts.symbols)
        return true;
    annotation->naming = pf_naming_new();
    if (!annotation->naming)
        pf_tool_nomem(&common->tool);
    for (unsigned k = 0; k < texts.binaries.count; k++)
        if (!add_binaries(annotation->naming, &annotation->texts, &common->tool,
                          texts.binaries.list[k]))
            return false;
    if (texts.dirs.count > 0 && !add_dirs(annotation->naming, common, &common->tool, &texts.dirs))
        return false;
    if (texts.symbols && add_symbols(annotation->naming, common, texts.symbols, &error) < 0) {
        pf_tool_fail(&common->tool, texts.symbols, &error, false);
        return false;
    }
    if (texts.no_inlines)
        pf_naming_no_inlines(annotation->naming);
    return true;
}

void pf_annotation_report(const struct pf_annotation *annotation, struct pf_tool *tool)
{
    const struct pf_report messages = pf_tool_report(tool);

    if (annotation->naming)
        pf_naming_report(annotation->naming, annotation->dict, &messages);
}

/* --- all of them ------------------------------------------------------------------------------ */

bool pf_annotation_active(const struct pf_annotation *annotation)
{
    return changes_labels(annotation) || annotation->naming ||
           pf_staging_active(&annotation->staging);
}

/* The files of a series belong to the group of the first file that can be opened. */
static void choose_group(struct pf_annotation *annotation, const char *name, uint64_t content,
                         unsigned first)
{
    uint64_t hash = annotation->by_name ? pf_xxh64(name, strlen(name)) : content;

    if (annotation->replicate == 0 || annotation->first != first)
        annotation->replicate = pf_replicate_name(
            annotation->dict, (unsigned)(hash % annotation->groups), annotation->groups);
    annotation->first = first;
}

static void begin_input(struct pf_annotation *annotation, const struct pf_input *input)
{
    if (annotation->groups > 0)
        choose_group(annotation, input->name, input->content, input->first);
    annotation->source = input->name;
    if (annotation->source_key || annotation->groups > 0)
        annotation->relabelled_count = 0;
}

/* Adds labels and names to a batch of records; the columns are valid until the next call. */
static int annotate(struct pf_annotation *annotation, struct pf_batch *batch,
                    struct pf_error *error)
{
    struct pf_batch plain;

    if (changes_labels(annotation) && !set_labels(annotation, batch))
        return pf_error_nomem(error);
    plain = *batch;
    return annotation->naming
               ? pf_naming_batch(annotation->naming, annotation->dict, &plain, batch, error)
               : PF_OK;
}

static int next_event(struct pf_stage *stage, struct pf_event *event, struct pf_error *error)
{
    struct pf_annotation *annotation = PF_STAGE_OWNER(stage, struct pf_annotation, stage);
    int status = pf_stage_next(stage->from, event, error);

    if (status == PF_OK && event->kind == PF_EVENT_BEGIN)
        begin_input(annotation, event->input);
    else if (status == PF_OK && pf_event_has_records(event))
        status = annotate(annotation, &event->batch, error);
    return status == PF_NOMEM ? pf_error_nomem(error) : status;
}

struct pf_stage *pf_annotation_add(struct pf_annotation *annotation, struct pf_stage *from)
{
    annotation->stage.next = next_event;
    return pf_stage_after(&annotation->stage, from);
}

void pf_annotation_free(struct pf_annotation *annotation)
{
    pf_naming_free(annotation->naming);
    pf_staging_free(&annotation->staging);
    pf_arena_free(&annotation->texts);
    free(annotation->relabelled);
    free(annotation->set);
}

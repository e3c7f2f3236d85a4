#include "cli/rewriting.h"

struct texts {
    struct pf_texts show, hide, show_from, prune_from, trim_path, rename, root_label, leaf_label;
    enum pf_granularity granularity;
    bool collapse_recursion;
    int64_t max_depth;
};

static const struct pf_setting settings[] = {
    PF_TEXTS_SETTING("show", struct texts, show),
    PF_TEXTS_SETTING("hide", struct texts, hide),
    PF_TEXTS_SETTING("show-from", struct texts, show_from),
    PF_TEXTS_SETTING("prune-from", struct texts, prune_from),
    PF_WORD_SETTING("granularity", struct texts, granularity, "function, file, line or image",
                    PF_GRANULARITY_FUNCTION),
    PF_FLAG_SETTING("collapse-recursion", struct texts, collapse_recursion),
    PF_NUMBER_SETTING("max-depth", struct texts, max_depth, NULL, 1, PF_STACK_DEPTH_MAX),
    PF_TEXTS_SETTING("trim-path", struct texts, trim_path),
    PF_TEXTS_SETTING("rename", struct texts, rename),
    PF_TEXTS_SETTING("root-label", struct texts, root_label),
    PF_TEXTS_SETTING("leaf-label", struct texts, leaf_label),
    PF_SETTINGS_END,
};

static void add_frames(struct pf_rewrite *rewrite, struct pf_tool *tool,
                       enum pf_rewrite_frame which, const struct pf_texts *texts, unsigned flags)
{
    struct pf_error error = {0};

    for (unsigned i = 0; i < texts->count; i++)
        pf_tool_check(tool, pf_rewrite_frames(rewrite, which, texts->list[i], flags, &error),
                      &error);
}

static void add_labels(struct pf_rewrite *rewrite, struct pf_tool *tool,
                       const struct pf_texts *texts, bool leaf)
{
    struct pf_error error = {0};

    for (unsigned i = 0; i < texts->count; i++)
        pf_tool_check(tool, pf_rewrite_label_frames(rewrite, texts->list[i], leaf, &error), &error);
}

struct pf_rewrite *pf_rewriting_read(struct pf_common *common, struct pf_dict *dict, unsigned flags)
{
    struct pf_rewrite *rewrite = pf_rewrite_new(dict);
    struct pf_tool *tool = &common->tool;
    struct texts texts = {0};
    struct pf_error error = {0};

    if (rewrite == NULL)
        pf_tool_nomem(tool);
    pf_settings_read(tool, common->given, settings, &texts);
    add_frames(rewrite, tool, PF_REWRITE_SHOW, &texts.show, flags);
    add_frames(rewrite, tool, PF_REWRITE_HIDE, &texts.hide, flags);
    add_frames(rewrite, tool, PF_REWRITE_SHOW_FROM, &texts.show_from, flags);
    add_frames(rewrite, tool, PF_REWRITE_PRUNE_FROM, &texts.prune_from, flags);
    if (texts.granularity != PF_GRANULARITY_FULL)
        pf_rewrite_granularity(rewrite, texts.granularity);
    if (texts.collapse_recursion)
        pf_rewrite_collapse(rewrite);
    if (texts.max_depth > 0)
        pf_rewrite_max_depth(rewrite, (uint32_t)texts.max_depth);
    for (unsigned i = 0; i < texts.trim_path.count; i++)
        pf_tool_check(tool, pf_rewrite_trim_path(rewrite, texts.trim_path.list[i], &error), &error);
    for (unsigned i = 0; i < texts.rename.count; i++)
        pf_tool_check(tool, pf_rewrite_rename(rewrite, texts.rename.list[i], flags, &error),
                      &error);
    add_labels(rewrite, tool, &texts.root_label, false);
    add_labels(rewrite, tool, &texts.leaf_label, true);
    return rewrite;
}

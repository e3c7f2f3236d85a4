#include "render/diff/parts.h"

#include "model/json.h"
#include "render/table/meta.h"
#include "model/utf8.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct pf_top pf_diff_top(const struct pf_diff_view *view)
{
    return (struct pf_top){
        .sink = view->sink,
        .dict = view->diff->dict,
        .by = view->diff->by,
        .label = view->diff->label,
        .color = view->color,
        .utf8 = view->utf8,
        .group = view->group,
        .terminal = view->terminal,
    };
}

struct pf_bytes pf_diff_unit(const struct pf_diff_view *view, const struct pf_diff_block *block)
{
    return view->diff->normalize ? PF_BYTES("ppb") : block->scale.name;
}

void pf_diff_place_cells(const struct pf_diff_view *view, const struct pf_diff_block *block, uint32_t key, struct pf_cell *cells,
                         struct pf_buffer *scratch)
{
    const struct pf_dict *dict = view->diff->dict;
    uint32_t name = block->name;

    pf_top_place_cells(&view->diff->keys, key, cells, scratch);
    cells[4] = (struct pf_cell){.text = pf_dict_string(dict, name), .flags = dict->strings.rows[name].flags};
    cells[5] = (struct pf_cell){.text = pf_diff_unit(view, block), .flags = PF_UTF8};
}

const char *pf_diff_added_column(const struct pf_diff_view *view)
{
    const struct pf_diff *diff = view->diff;

    if (diff->by == PF_BY_LABEL)
        return diff->label == diff->dict->section_key ? "section" : "label";
    return diff->by == PF_BY_ADDRESS ? "address" : diff->by == PF_BY_PACKAGE ? "package" : NULL;
}

struct pf_cell pf_diff_added_cell(const struct pf_diff_view *view, uint32_t key, struct pf_buffer *scratch, char address[32])
{
    const struct pf_keys *keys = &view->diff->keys;
    struct pf_cell cell = {0};

    if (view->diff->by != PF_BY_ADDRESS) {
        cell.text = pf_keys_name(keys, key, scratch, &cell.flags);
        return cell;
    }
    snprintf(address, 32, "0x%" PRIx64, pf_keys_row(keys, key)->address);
    cell.text = pf_bytes_of(pf_keys_has_address(keys, key) ? address : "");
    return cell;
}

struct pf_sheet_head pf_diff_document(const struct pf_diff_view *view, const char *schema,
                                      void (*measures)(const void *arg, struct pf_sink *), const void *arg)
{
    return (struct pf_sheet_head){
        .schema = schema,
        .meta = pf_meta_json(view->diff->dict, &view->diff->facts, view->tool, view->operands, !view->incomplete),
        .measures = measures,
        .arg = arg,
    };
}

const char *pf_diff_print(const struct pf_diff_view *view, const struct pf_diff_block *block, pf_int128 amount, uint64_t parts, bool sign,
                          char text[PF_AMOUNT_TEXT])
{
    struct pf_scale scale = block->scale;
    char plain[PF_AMOUNT_TEXT];
    const char *number = plain;

    scale.parts = parts;
    scale.group = view->group;
    if (view->diff->normalize)
        pf_top_percent((double)amount * 100 / PF_DIFF_WHOLE, plain);
    else
        number = pf_scale_print(&scale, amount, plain);
    snprintf(text, PF_AMOUNT_TEXT, "%s%.*s", sign && amount > 0 ? "+" : "", PF_AMOUNT_TEXT - 2, number);
    return text;
}

/* Names of sides, without directories where `brief`. */
static void append_sides(const struct pf_diff_view *view, bool brief, struct pf_buffer *line)
{
    struct pf_buffer scratch = {0};

    for (size_t i = 0; i < view->side_count; i++) {
        struct pf_bytes name = pf_text_line(pf_bytes_of(view->sides[i]), PF_UTF8, &scratch);
        size_t runs = pf_diff_runs(view->diff, (unsigned)i);

        name = brief ? pf_place_basename(name) : name;
        pf_buffer_append(line, ", ", i > 0 ? 2 : 0);
        if (i == 3 && view->side_count > 4) {
            pf_buffer_printf(line, "and %zu more", view->side_count - 3);
            break;
        }
        pf_buffer_append(line, name.data, name.size);
        if (runs != 1)
            pf_buffer_printf(line, " (%zu runs)", runs);
    }
    line->failed = line->failed || scratch.failed;
    pf_buffer_free(&scratch);
}

/* Whether the sides can be told apart without their directories. */
static bool brief_names(const struct pf_diff_view *view)
{
    for (size_t i = 0; i < view->side_count; i++)
        for (size_t k = 0; k < i; k++)
            if (pf_bytes_equal(pf_place_basename(pf_bytes_of(view->sides[i])), pf_place_basename(pf_bytes_of(view->sides[k]))))
                return false;
    return true;
}

int pf_diff_headline(const struct pf_diff_view *view, const struct pf_buffer *left)
{
    const struct pf_top top = pf_diff_top(view);
    struct pf_buffer right = {0}, brief = {0};
    int status = PF_NOMEM;

    append_sides(view, false, &right);
    append_sides(view, view->side_count <= 4 && brief_names(view), &brief);
    if (!left->failed && !right.failed && !brief.failed)
        status = pf_top_headline(&top, (struct pf_bytes){left->data, left->size}, (struct pf_bytes){right.data, right.size},
                                 (struct pf_bytes){brief.data, brief.size});
    pf_buffer_free(&right);
    pf_buffer_free(&brief);
    return status;
}

const char *pf_diff_mark(const struct pf_diff_view *view)
{
    const struct pf_top top = pf_diff_top(view);

    return pf_top_mark(&top);
}

const char *pf_diff_noun(const struct pf_diff_view *view, bool many)
{
    const struct pf_top top = pf_diff_top(view);

    return pf_top_noun(&top, many);
}

size_t pf_diff_shown(const struct pf_diff_view *view, size_t count)
{
    return view->limit > 0 && view->limit < count ? view->limit : count;
}

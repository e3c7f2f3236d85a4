#include "analysis/merge/frames.h"

#include "analysis/names/anonymous.h"
#include "base/error.h"

#include <string.h>

/* --- functions -------------------------------------------------------------------------------- */

struct function_key {
    /* always 1: a key must not be all zero, and a function may have nothing but a first line */
    uint32_t name, system_name, file, one;
    int64_t line;
};

static uint32_t same_function(struct pf_merge_frames *frames, uint32_t function)
{
    struct pf_dict *dict = frames->now.dict;
    const struct pf_function *row = pf_dict_function(dict, function);
    struct pf_form *form = pf_forms_of(&frames->functions, function);

    if (function == 0 || form)
        return form ? form->first : 0;

    struct function_key key = {row->name, row->system_name, row->file, 1,
                               pf_anonymous_line(dict, row)};

    form = pf_forms_enter(&frames->functions, &key, function);
    if (!form) {
        frames->status = PF_NOMEM;
        return 0;
    }
    int64_t least = pf_dict_function(dict, form->least)->start_line;

    if (row->start_line > 0 && (least <= 0 || row->start_line < least))
        form->least = function;
    return form->first;
}

/* --- the first form: while reading ------------------------------------------------------------ */

static struct pf_form *image_forms(struct pf_merge_frames *frames, uint32_t image)
{
    struct pf_form *form;

    if (pf_image_forms_enter(&frames->images, frames->now.dict, image, &form) != PF_OK)
        frames->status = PF_NOMEM;
    return form;
}

static uint32_t place_now(void *arg, uint32_t location)
{
    struct pf_merge_frames *frames = arg;
    struct pf_dict *dict = frames->now.dict;
    uint32_t coarse = pf_places_coarse(&frames->places, location);
    struct pf_location place = *pf_dict_location(dict, coarse), was = place;
    bool whole = frames->places.granularity == PF_GRANULARITY_FULL || place.function == 0;

    if (whole) {
        struct pf_form *form = place.image != 0 ? image_forms(frames, place.image) : NULL;

        if (form && form->first != place.image)
            pf_image_slide(dict, &place, form->first);
    } else {
        place.image = pf_image_plain(dict, place.image);
        place.function = same_function(frames, place.function);
    }
    return memcmp(&place, &was, sizeof place) == 0 ? coarse : pf_dict_add_location(dict, &place);
}

int pf_merge_frames_extend(struct pf_merge_frames *frames)
{
    /* All images count, also those no location has because the reader replaced them by another
     * form. */
    for (; frames->images_known < frames->now.dict->images.count; frames->images_known++)
        image_forms(frames, frames->images_known);
    int status = pf_merge_map_extend(&frames->now);

    if (status != PF_OK || frames->status != PF_OK || frames->places.status != PF_OK)
        return PF_NOMEM;
    return PF_OK;
}

/* --- the least form: at the end --------------------------------------------------------------- */

static uint32_t final_function(struct pf_merge_frames *frames, uint32_t function)
{
    struct pf_dict *dict = frames->now.dict;
    const struct pf_form *form = pf_forms_of(&frames->functions, function);
    struct pf_function row;

    if (form)
        function = form->least;
    if (function == 0 || !frames->evals)
        return function;
    row = *pf_dict_function(dict, function);
    row.name = pf_evals_name(frames->evals, row.name);
    row.system_name = pf_evals_name(frames->evals, row.system_name);
    row.file = pf_evals_name(frames->evals, row.file);
    return pf_dict_add_function(dict, &row);
}

static uint32_t place_finally(void *arg, uint32_t location)
{
    struct pf_merge_frames *frames = arg;
    struct pf_dict *dict = frames->now.dict;
    struct pf_location place = *pf_dict_location(dict, location), was = place;
    const struct pf_form *form = place.image != 0 ? pf_forms_of(&frames->images, place.image)
                                                  : NULL;

    if (form && form->least != place.image)
        pf_image_slide(dict, &place, form->least);
    place.function = final_function(frames, place.function);
    return memcmp(&place, &was, sizeof place) == 0 ? location : pf_dict_add_location(dict, &place);
}

int pf_merge_frames_end(struct pf_merge_frames *frames, const struct pf_evals *evals)
{
    frames->evals = evals && evals->renamed > 0 ? evals : NULL;
    if (!frames->evals && pf_forms_settled(&frames->images) && pf_forms_settled(&frames->functions))
        return PF_OK;
    return pf_merge_map_extend(&frames->final);
}

int pf_merge_frames_init(struct pf_merge_frames *frames, struct pf_dict *dict,
                         enum pf_granularity granularity)
{
    *frames = (struct pf_merge_frames){
        .places = {.dict = dict, .granularity = granularity},
        .now = {.dict = dict, .place = place_now, .arg = frames},
        .final = {.dict = dict, .place = place_finally, .arg = frames, .before = &frames->now},
    };
    frames->status = pf_image_forms_init(&frames->images);
    if (frames->status == PF_OK)
        frames->status = pf_forms_init(&frames->functions, sizeof(struct function_key));
    return frames->status;
}

void pf_merge_frames_free(struct pf_merge_frames *frames)
{
    pf_places_free(&frames->places);
    pf_merge_map_free(&frames->now);
    pf_merge_map_free(&frames->final);
    pf_forms_free(&frames->images);
    pf_forms_free(&frames->functions);
}

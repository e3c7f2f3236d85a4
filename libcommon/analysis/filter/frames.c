#include "analysis/filter/frames.h"

#include "model/utf8.h"

#include <stdlib.h>

void pf_frames_free(struct pf_frames *frames)
{
    for (size_t i = 0; i < frames->count; i++)
        pf_pattern_free(&frames->tests[i].pattern);
    free(frames->tests);
    free(frames->locations);
    free(frames->strings);
    pf_buffer_free(&frames->shown);
    *frames = (struct pf_frames){0};
}

int pf_frames_add(struct pf_frames *frames, uint8_t mark, const char *text, unsigned flags,
                  struct pf_error *error)
{
    struct pf_frame_test *test;
    int status;

    if (!pf_grow(&frames->tests, &frames->test_capacity, frames->count + 1, sizeof *frames->tests))
        return pf_error_nomem(error);
    test = &frames->tests[frames->count];
    *test = (struct pf_frame_test){.mark = mark};
    status = pf_pattern_compile(&test->pattern, text, flags, error);
    if (status != PF_OK)
        return status;
    frames->count++;
    frames->marks |= mark;
    return PF_OK;
}

int pf_frames_prepare(struct pf_frames *frames, const struct pf_dict *dict)
{
    if (!pf_grow_clear(&frames->locations, &frames->location_capacity, dict->locations.count, 1) ||
        !pf_grow_clear(&frames->strings, &frames->string_capacity, dict->strings.count, 1))
        return PF_NOMEM;
    frames->locations[0] = PF_FRAME_KNOWN; /* location 0 stands for "no location" */
    return PF_OK;
}

/* The marks of a name. `shown`: the name is as shown, not as stored. */
static uint8_t marks_of_name(struct pf_frames *frames, struct pf_bytes name, bool shown)
{
    uint8_t marks = PF_FRAME_KNOWN;

    for (size_t i = 0; i < frames->count; i++) {
        struct pf_frame_test *test = &frames->tests[i];

        if ((!shown || test->pattern.typed) && pf_pattern_match(&test->pattern, name)) {
            marks |= test->mark;
            test->matched = true;
        }
    }
    return marks;
}

static uint8_t marks_of_string(struct pf_frames *frames, const struct pf_dict *dict, uint32_t id)
{
    struct pf_bytes name = pf_dict_string(dict, id), shown;

    if (id == 0)
        return 0;
    if (frames->strings[id] == 0) {
        frames->strings[id] = marks_of_name(frames, name, false);
        if (pf_shown_name(name, dict->strings.rows[id].flags, &frames->shown, &shown))
            frames->strings[id] |= marks_of_name(frames, shown, true);
    }
    return frames->strings[id];
}

uint8_t pf_frames_look(struct pf_frames *frames, const struct pf_dict *dict, uint32_t location)
{
    const struct pf_location *row = pf_dict_location(dict, location);
    const struct pf_function *function = pf_dict_function(dict, row->function);
    uint8_t marks = PF_FRAME_KNOWN;
    char scratch[32];

    if (function->name != 0)
        marks |= marks_of_string(frames, dict, function->name);
    else
        marks |= marks_of_name(frames, pf_dict_frame_name(dict, location, scratch), false);
    marks |= marks_of_string(frames, dict, function->system_name);
    marks |= marks_of_string(frames, dict, function->file);
    marks |= marks_of_string(frames, dict, pf_dict_image(dict, row->image)->name);
    frames->locations[location] = marks;
    return marks;
}

int pf_frames_status(const struct pf_frames *frames)
{
    if (frames->shown.failed)
        return PF_NOMEM;
    for (size_t i = 0; i < frames->count; i++)
        if (frames->tests[i].pattern.status != PF_OK)
            return frames->tests[i].pattern.status;
    return PF_OK;
}

void pf_frames_report(const struct pf_frames *frames, const struct pf_report *report)
{
    for (size_t i = 0; i < frames->count; i++)
        if (!frames->tests[i].matched)
            pf_report_send(report, PF_WARNING, "no frame matches '%s'",
                           frames->tests[i].pattern.text);
}

/* Matches frames against expressions. A frame matches by its function, its function's system name,
 * its file or its image; a frame without a name by the text that is shown for it (0x12006cbb8,
 * [unknown]). Names are matched both as stored and as shown. Every name and location is tested
 * once. */
#ifndef PF_ANALYSIS_FILTER_FRAMES_H
#define PF_ANALYSIS_FILTER_FRAMES_H

#include "analysis/filter/pattern.h"
#include "base/memory.h"
#include "model/dict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In marks: the frame, or the name, has been tested. */
enum { PF_FRAME_KNOWN = 0x80 };

/* Zero-initialise; free with pf_frames_free. */
struct pf_frames {
    struct pf_frame_test {
        struct pf_pattern pattern;
        uint8_t mark; /* one bit below PF_FRAME_KNOWN */
        bool matched;
    } * tests;
    size_t count, test_capacity;
    uint8_t marks;      /* the marks of all tests together */
    uint8_t *locations; /* marks by location; 0: not tested */
    uint8_t *strings;   /* marks by string; 0: not tested */
    size_t location_capacity, string_capacity;
    struct pf_buffer shown;
};

void pf_frames_free(struct pf_frames *);
/* Adds a test: frames that match `text` get `mark`; several tests may have the same mark. `text`
 * must outlive the tests. PF_OK, PF_USAGE, PF_NOMEM. */
int pf_frames_add(struct pf_frames *, uint8_t mark, const char *text, unsigned flags,
                  struct pf_error *);

/* Makes room for the rows of the dictionary. Call before pf_frames_marks whenever the dictionary
 * has grown. PF_OK or PF_NOMEM. */
int pf_frames_prepare(struct pf_frames *, const struct pf_dict *);
/* Tests a location and stores its marks. For pf_frames_marks. */
uint8_t pf_frames_look(struct pf_frames *, const struct pf_dict *, uint32_t location);
/* The marks of a location and PF_FRAME_KNOWN. `location` must have existed at the last
 * pf_frames_prepare. */
static inline uint8_t pf_frames_marks(struct pf_frames *frames, const struct pf_dict *dict,
                                      uint32_t location)
{
    uint8_t marks = frames->locations[location];
    return marks != 0 ? marks : pf_frames_look(frames, dict, location);
}

/* PF_OK, or PF_NOMEM if matching ran out of memory. */
int pf_frames_status(const struct pf_frames *);
/* Warns of the expressions that matched no frame. */
void pf_frames_report(const struct pf_frames *, const struct pf_report *);

#endif

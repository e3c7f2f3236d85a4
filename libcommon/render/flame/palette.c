#include "render/flame/palette.h"

#include "analysis/names/package.h"
#include "base/error.h"
#include "base/hash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A hue: each channel of a colour lies between low and high; all channels move together (shades of
 * one colour) or each on its own. */
struct hue {
    const char *name;
    unsigned char low[3], high[3];
    bool alike;
};

/* Black text is readable on all colours: the contrast is at least 4.5 : 1. */
static const struct hue hues[] = {
    {"hot", {218, 68, 30}, {255, 214, 72}, false},
    {"mem", {40, 176, 96}, {90, 238, 204}, false},
    {"io", {98, 114, 198}, {150, 164, 246}, false},
    {"red", {222, 72, 72}, {255, 138, 138}, true},
    {"orange", {222, 112, 20}, {255, 164, 72}, true},
    {"yellow", {196, 180, 40}, {232, 218, 86}, true},
    {"green", {70, 172, 70}, {126, 226, 126}, true},
    {"aqua", {58, 166, 176}, {114, 218, 226}, true},
    {"blue", {92, 120, 214}, {146, 170, 255}, true},
    {"purple", {176, 92, 196}, {226, 150, 240}, true},
};

enum {
    HOT = 0,
    FIRST_PLAIN = 3,
    ORANGE = 4,
    YELLOW = 5,
    GREEN = 6,
    AQUA = 7,
    HUES = sizeof hues / sizeof *hues,
    PACKAGE = HUES,
    KIND
};
enum { INLINED = PF_FRAME_KINDS };
enum { SAME = 0xf0f0f0 }; /* the colour of no change */

static unsigned palette_number(const char *name)
{
    unsigned number = 0;

    while (number < HUES && strcmp(hues[number].name, name) != 0)
        number++;
    return number < HUES ? number : strcmp(name, "package") == 0 ? PACKAGE : KIND;
}

static unsigned char hue_of_kind(const struct pf_location *place)
{
    static const unsigned char by_kind[] = {
        [PF_FRAME_PLAIN] = HOT,     [PF_FRAME_SUB] = GREEN,  [PF_FRAME_XSUB] = YELLOW,
        [PF_FRAME_EVAL] = AQUA,     [PF_FRAME_MAIN] = GREEN, [PF_FRAME_NATIVE] = FIRST_PLAIN,
        [PF_FRAME_KERNEL] = ORANGE, [PF_FRAME_JIT] = GREEN,  [INLINED] = AQUA,
    };

    return by_kind[place->inlined ? INLINED : place->kind];
}

static unsigned char hue_of_package(struct pf_dict *dict, const struct pf_location *place)
{
    struct pf_bytes package =
        pf_dict_string(dict, pf_package_of(dict, place, pf_dict_function(dict, place->function)));

    return (unsigned char)(FIRST_PLAIN +
                           pf_xxh64(package.data, package.size) % (HUES - FIRST_PLAIN));
}

int pf_palette_init(struct pf_palette *palette, const char *name, const struct pf_keys *keys)
{
    *palette = (struct pf_palette){.number = name != NULL ? palette_number(name) : HOT};
    if (palette->number != KIND && palette->number != PACKAGE)
        return PF_OK;
    if ((palette->hues = calloc(keys->table.count, 1)) == NULL)
        return PF_NOMEM;
    for (uint32_t i = 1; i < keys->place_count; i++) {
        const struct pf_location *place = pf_dict_location(keys->dict, i);
        palette->hues[keys->places[i]] =
            palette->number == PACKAGE ? hue_of_package(keys->dict, place) : hue_of_kind(place);
    }
    return keys->dict->strings.status;
}

void pf_palette_free(struct pf_palette *palette)
{
    free(palette->hues);
}

static uint32_t shade(const struct hue *hue, uint64_t hash)
{
    uint32_t color = 0;

    for (unsigned channel = 0; channel < 3; channel++) {
        unsigned part = (unsigned)(hash >> (hue->alike ? 0 : 16 * channel)) & 0xffff;
        color = color << 8 |
                (hue->low[channel] +
                 ((unsigned)(hue->high[channel] - hue->low[channel]) * part + 0x7fff) / 0xffff);
    }
    return color;
}

uint32_t pf_palette_color(const struct pf_palette *palette, uint32_t key, struct pf_bytes name)
{
    unsigned hue = palette->hues ? palette->hues[key] : palette->number;

    return shade(&hues[hue], pf_xxh64(name.data, name.size));
}

uint32_t pf_palette_change(double change, double greatest, bool negate)
{
    double share = fmin(1, fabs(change) / greatest);
    uint32_t rest = 240 - (uint32_t)(200 * sqrt(share) + 0.5);

    if (change == 0)
        return SAME;
    return (change > 0) != negate ? 0xff0000 | rest << 8 | rest : rest << 16 | rest << 8 | 0xff;
}

uint32_t pf_palette_pale(uint32_t color)
{
    uint32_t pale = 0;

    for (unsigned shift = 0; shift < 24; shift += 8)
        pale |= ((color >> shift & 0xff) + 5 * (SAME >> shift & 0xff)) / 6 << shift;
    return pale;
}

static double linear(uint32_t channel)
{
    double share = (channel & 0xff) / 255.0;

    return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4);
}

bool pf_palette_dark(uint32_t color)
{
    return 0.2126 * linear(color >> 16) + 0.7152 * linear(color >> 8) + 0.0722 * linear(color) <
           0.179;
}

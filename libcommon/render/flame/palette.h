/* Colours of frames. They depend on names alone, so that two pictures of one program agree. */
#ifndef PF_RENDER_FLAME_PALETTE_H
#define PF_RENDER_FLAME_PALETTE_H

#include "analysis/names/key.h"
#include "base/bytes.h"
#include "model/dict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the option `colors` takes, as pf_option.values wants it. Each hue's shade goes by the hash
 * of the name; `package`: the hue by that of the package too; `kind`: the hue by what kind of code
 * it is. */
#define PF_PALETTES "hot|mem|io|red|orange|yellow|green|aqua|blue|purple|package|kind"

struct pf_palette {
    unsigned number;
    unsigned char *kinds; /* of each function, `kind` alone */
};

/* `name`: one of PF_PALETTES, NULL: hot. `keys`: of functions, with their places. PF_OK or
 * PF_NOMEM. */
int pf_palette_init(struct pf_palette *, const char *name, const struct pf_keys *);
void pf_palette_free(struct pf_palette *);

/* 0xRRGGBB for the function `key`, which is called `name`. */
uint32_t pf_palette_color(const struct pf_palette *, uint32_t key, struct pf_bytes name);
/* For a change of so much where the greatest is `greatest` (above 0): red for more, blue for less,
 * the other way round with `negate`; the stronger the greater, by the square root, so that small
 * ones are seen. */
uint32_t pf_palette_change(double change, double greatest, bool negate);
/* Whether white is read better than black on it. What is chosen has a contrast of at least 4.5 : 1
 * (WCAG 2.1, relative luminance). */
bool pf_palette_dark(uint32_t color);

#endif

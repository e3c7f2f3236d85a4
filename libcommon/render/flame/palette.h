/* Colours of frames. They depend on names only, so two flame graphs of one program have equal
 * colours. */
#ifndef PF_RENDER_FLAME_PALETTE_H
#define PF_RENDER_FLAME_PALETTE_H

#include "analysis/names/key.h"
#include "base/bytes.h"
#include "model/dict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The values of the option `colors`, for pf_option.values. The shade of a hue depends on the
 * hash of the name; `package`: the hue on the hash of the package; `kind`: the hue on the kind
 * of code. */
#define PF_PALETTES "hot|mem|io|red|orange|yellow|green|aqua|blue|purple|package|kind"

struct pf_palette {
    unsigned number;
    unsigned char *hues; /* by key, with `package` and `kind` only */
};

/* `name`: one of PF_PALETTES, NULL: hot. `keys`: the functions, with their places. PF_OK or
 * PF_NOMEM. */
int pf_palette_init(struct pf_palette *, const char *name, const struct pf_keys *);
void pf_palette_free(struct pf_palette *);

/* The colour 0xRRGGBB of the function `key` with this name. */
uint32_t pf_palette_color(const struct pf_palette *, uint32_t key, struct pf_bytes name);
/* The colour of a change, relative to `greatest` (above 0): red for more, blue for less,
 * reversed with `negate`. The strength grows with the square root, so that small changes are
 * visible. */
uint32_t pf_palette_change(double change, double greatest, bool negate);
/* The pale form of the colour of a change: nearly the colour of an unchanged frame. */
uint32_t pf_palette_pale(uint32_t color);
/* True if white text is more readable than black text on this colour. The better of the two has a
 * contrast of at least 4.5 : 1 (WCAG 2.1, relative luminance). */
bool pf_palette_dark(uint32_t color);

#endif

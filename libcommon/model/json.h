/* Writes JSON. Rows are written piece by piece, because there may be millions; objects that
 * occur once in a document are built with jansson and written whole. All output is valid UTF-8,
 * whatever the bytes of the profile. */
#ifndef PF_MODEL_JSON_H
#define PF_MODEL_JSON_H

#include "base/bytes.h"
#include "base/decimal.h"
#include "base/memory.h"
#include "base/number.h"
#include "io/sink.h"
#include "model/dict.h"

#include <jansson.h>
#include <stdint.h>

/* The writing functions return nothing: the sink keeps a failed write (pf_sink_status), and
 * `scratch`, any buffer of the caller, keeps a failed allocation (`failed`). Check both once at
 * the end. */

/* Writes a quoted string: invalid bytes as in pf_text_utf8; C0 controls, quotes and backslashes
 * are escaped. `flags`: PF_UTF8 or 0. */
void pf_json_string(struct pf_sink *, struct pf_bytes, unsigned flags, struct pf_buffer *scratch);
/* The same without `<`, for script elements of HTML: neither `</script>` nor `<!--` can occur. */
void pf_json_html_string(struct pf_sink *, struct pf_bytes, unsigned flags,
                         struct pf_buffer *scratch);
/* The string `id` of a dictionary. */
void pf_json_name(struct pf_sink *, const struct pf_dict *, uint32_t id, struct pf_buffer *scratch);
void pf_json_int(struct pf_sink *, int64_t);
void pf_json_int128(struct pf_sink *, pf_int128);
/* amount / parts as pf_print_parts prints it, with fewer decimals if the digits would overflow
 * 64 bits. */
void pf_json_parts(struct pf_sink *, pf_int128 amount, uint64_t parts);
/* The most decimals that pf_json_parts writes: six, or fewer so that the digits fit 64 bits,
 * which readers of records require. */
unsigned pf_json_places(pf_int128 amount, uint64_t parts);
/* One to four decimals (12.5, 0.0), the same in every locale; null for NaN and infinity. */
void pf_json_real(struct pf_sink *, double);
/* Ten significant digits (1.5, 3.2e-12); null for NaN and infinity. */
void pf_json_number(struct pf_sink *, double);

/* A jansson string of the bytes; NULL when out of memory. */
json_t *pf_json_text(struct pf_bytes, unsigned flags);
/* Writes a value in one line and releases it; false if `value` is NULL (out of memory) or the
 * sink failed. */
bool pf_json_dump(struct pf_sink *, json_t *value);

#endif

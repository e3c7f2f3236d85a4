/* JSON on its way out. Rows are written piece by piece, for there may be millions; objects that
 * stand once in a document are built with jansson and written whole. Everything is valid UTF-8,
 * whatever the bytes of the profile are. */
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

/* The writing functions give no result: a failed write stays with the sink (pf_sink_status), a
 * failed allocation with `scratch` (its `failed`), which may be any buffer of the caller: look at
 * both once at the end. */

/* A quoted string: bad bytes as pf_text_utf8 says, C0 controls, quotes and backslashes escaped.
 * `flags`: PF_UTF8 or 0. */
void pf_json_string(struct pf_sink *, struct pf_bytes, unsigned flags, struct pf_buffer *scratch);
/* The same without a `<`, so that a script element of HTML can hold it: neither `</script>` nor
 * `<!--` can be in it. */
void pf_json_html_string(struct pf_sink *, struct pf_bytes, unsigned flags,
                         struct pf_buffer *scratch);
/* The string `id` of a dictionary. */
void pf_json_name(struct pf_sink *, const struct pf_dict *, uint32_t id, struct pf_buffer *scratch);
void pf_json_int(struct pf_sink *, int64_t);
void pf_json_int128(struct pf_sink *, pf_int128);
/* amount / parts, as pf_print_parts has it, with fewer decimals where the digits would leave 64
 * bits. */
void pf_json_parts(struct pf_sink *, pf_int128 amount, uint64_t parts);
/* How many decimals pf_json_parts writes at most: six, and no more than leave the digits within 64
 * bits, which is what readers of records have room for. */
unsigned pf_json_places(pf_int128 amount, uint64_t parts);
/* At most four decimals and at least one (12.5, 0.0), the same in every locale; null for what is no
 * number. */
void pf_json_real(struct pf_sink *, double);
/* Ten digits, however small or great the number is (1.5, 3.2e-12); null for what is no number. */
void pf_json_number(struct pf_sink *, double);

/* A jansson string of the bytes; NULL when out of memory. */
json_t *pf_json_text(struct pf_bytes, unsigned flags);
/* Writes a value in one line and drops the reference; false when `value` is NULL (out of memory) or
 * the sink failed. */
bool pf_json_dump(struct pf_sink *, json_t *value);

#endif

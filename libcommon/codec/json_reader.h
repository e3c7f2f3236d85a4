/* Readers of JSON: a cutter on the source of a reader, for tables of members (io/json.h).
 * cut->owner is the reader. */
#ifndef PF_CODEC_JSON_READER_H
#define PF_CODEC_JSON_READER_H

#include "codec/format.h"
#include "io/json.h"

/* Opens the cutter; the reader's state closes it with pf_json_cut_close. */
void pf_json_reader_open(struct pf_json_cut *, struct pf_reader *);

/* For member tables: interns a string, or the text of a number, and stores its id, a uint32_t. */
pf_json_read pf_json_read_text;

#endif

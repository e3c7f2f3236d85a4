/* Options of other tools, such as pprof, perf and FlameGraph, and what does the same here. */
#ifndef PF_CLI_PEERS_H
#define PF_CLI_PEERS_H

#include "base/bytes.h"
#include "base/memory.h"

#include <stdbool.h>

/* The programs, as bits. */
enum { PF_CAT = 1, PF_MERGE = 2, PF_DIFF = 4, PF_FILTER = 8, PF_TOP = 16, PF_ALL = 31 };
/* The bit of a program; 0: another name. */
unsigned pf_peer_program(const char *name);

/* Finds an option of another tool, for a program that lacks the option. `value`: its argument;
 * NULL: none. `strong`: only options that count even if they are short for an option of the
 * program, or are options of proffilter. NULL: no such option. */
struct pf_peer;
const struct pf_peer *pf_peer_find(unsigned program, struct pf_bytes name, const char *value,
                                   bool strong);
/* Appends what to type instead. If memory runs out, text->failed is set. */
void pf_peer_answer(const struct pf_peer *, struct pf_bytes name, const char *value,
                    struct pf_buffer *text);
/* Appends the argument of --label for the argument of pprof's -tagfocus: RE of any key, key:RE,
 * key=RE, or in place of RE a number or a range with units (1kb:10kb). */
void pf_peer_label(struct pf_buffer *text, const char *argument);

#endif

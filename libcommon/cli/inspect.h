/* profcat --probe, --header, --count and --frames: describes inputs instead of writing their
 * records. */
#ifndef PF_CLI_INSPECT_H
#define PF_CLI_INSPECT_H

#include "cli/inputs.h"

enum pf_inspect {
    PF_INSPECT_NOTHING,
    PF_INSPECT_PROBE,
    PF_INSPECT_HEADER,
    PF_INSPECT_COUNT,
    PF_INSPECT_FRAMES
};

/* Describes all inputs, to -o or standard output, as text, json or ndjson (-t; exits 2 for other
 * formats). If an input cannot be read, the others are still described; the exit status reports
 * the failure. */
void pf_inspect(struct pf_common *, enum pf_inspect);

#endif

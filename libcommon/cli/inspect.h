/* profcat --probe, --header, --count and --frames: inputs are described instead of passed on. */
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

/* Does it for all inputs, to -o or standard output, as text, json or ndjson (-t; exits 2 for other
 * formats). An input that cannot be read does not keep the others from being described; the status
 * says so at the end. */
void pf_inspect(struct pf_common *, enum pf_inspect);

#endif

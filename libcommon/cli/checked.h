/* Allocation for the option parsers that gengetopt generates, which do not check it: when memory runs out the program prints
 * "NAME: out of memory" and exits 4. Include it last (tools/options.awk does); CMDLINE_PARSER_PACKAGE is the program's name. */
#ifndef PF_CLI_CHECKED_H
#define PF_CLI_CHECKED_H

#include "cli/tool.h"

#define malloc(size) pf_tool_checked(CMDLINE_PARSER_PACKAGE, malloc(size))
#define realloc(memory, size) pf_tool_checked(CMDLINE_PARSER_PACKAGE, realloc(memory, size))

#endif

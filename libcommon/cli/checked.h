/* For the option parsers that gengetopt generates. They do not check allocations: when memory runs
 * out the program prints "NAME: out of memory" and exits 4. Their messages hold words of the command
 * line, whose control characters are escaped here. Include it last (tools/options.awk does);
 * CMDLINE_PARSER_PACKAGE is the program's name. */
#ifndef PF_CLI_CHECKED_H
#define PF_CLI_CHECKED_H

#include "cli/tool.h"

#define malloc(size) pf_tool_checked(CMDLINE_PARSER_PACKAGE, malloc(size))
#define realloc(memory, size) pf_tool_checked(CMDLINE_PARSER_PACKAGE, realloc(memory, size))
#define fprintf pf_tool_print

#endif

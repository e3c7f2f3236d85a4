# Patches an option parser that gengetopt generated and adds the list of options that cli/settings.h reads:
# awk -f options.awk OPTIONS PARSER.c, with OPTIONS from man/options.awk. A patch whose pattern is not in the
# parser fails, as gengetopt then generates other code than these patches know.

function patched(name) { done[name]++ }

BEGIN {
    FS = "\t"
    names = "split escape include flags long words version"
}

NR == FNR {
    long[++options] = $2
    argument[options] = $4
    next
}

# The parser splits the argument of an option that may be repeated at commas. Regular expressions and
# labels hold commas: the two searches for a comma find none.
gsub(/strchr \([a-z+1]*, ','\)/, "0") { patched("split") }
gsub(/\] == ','\)/, "] == '\\0')") { patched("escape") }

# The parser does not check its allocations: when memory runs out the program prints "NAME: out of memory" and exits 4.
# Its messages hold words of the command line: pf_tool_print escapes their control characters.
/^#include "prof.*_options\.h"/ {
    print
    print "#include \"cli/settings.h\""
    print "#define malloc(size) pf_tool_checked (CMDLINE_PARSER_PACKAGE, malloc (size))"
    print "#define realloc(memory, size) pf_tool_checked (CMDLINE_PARSER_PACKAGE, realloc (memory, size))"
    print "#define fprintf pf_tool_print"
    patched("include")
    next
}

# getopt_long takes the first of several long options that a prefix could mean if all have the same flag:
# each option gets a flag of its own.
/^const char .args_purpose/ {
    print "static int flags[16384];"
    patched("flags")
}
gsub(/, NULL, 0 }/, ", \\&flags[__LINE__], 0 }") { patched("long") }

# The message about a word that is not allowed names the words.
/possible_values && \(found = / {
    print
    print "    {"
    print "      fprintf (stderr, \"%s: --%s takes %s\", package_name, long_opt, possible_values[0]);"
    print "      for (found = 1; possible_values[found]; found++)"
    print "        fprintf (stderr, \"%s%s\", possible_values[found + 1] ? \", \" : \" or \", possible_values[found]);"
    print "      fprintf (stderr, \", not '%s'\\n\", value);"
    print "      return 1;"
    print "    }"
    skipping = 1
    patched("words")
}
skipping {
    if (/^    }$/) skipping = 0
    next
}

# --version reads on, for --verbose may follow.
/"version", 'V',/ { in_version = 1 }
in_version && /cmdline_parser_free/ { next }
in_version && /return 0;/ {
    in_version = 0
    patched("version")
    next
}

{ print }

END {
    count = split(names, name, " ")
    for (k = 1; k <= count; k++)
        if (!done[name[k]]) {
            print "tools/options.awk: the parser that gengetopt generated has no place for the patch '" name[k] "'" | "cat >&2"
            failed = 1
        }
    if (failed || skipping || !options) exit 1
    print ""
    print "static struct args args;"
    print ""
    print "static int parse (struct pf_command *command, int argc, char **argv)"
    print "{"
    print "  static struct pf_given given[" options + 1 "];"
    print "  int status = cmdline_parser (argc, argv, &args);"
    print ""
    for (k = 1; k <= options; k++) {
        field = long[k]
        gsub(/-/, "_", field)
        values = argument[k] != "" ? "args." field "_arg" : "0"
        print "  given[" k - 1 "] = (struct pf_given) { \"" long[k] "\", " values ", args." field "_given };"
    }
    print "  command->given = given;"
    print "  command->operands = args.inputs;"
    print "  command->operand_count = args.inputs_num;"
    print "  return status;"
    print "}"
    print ""
    print "struct pf_command pf_command_line (void)"
    print "{"
    print "  return (struct pf_command) { .program = CMDLINE_PARSER_PACKAGE, .usage = args_usage,"
    print "    .purpose = args_purpose, .help = args_help, .parse = parse };"
    print "}"
}

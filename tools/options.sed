# What of gengetopt's parser is not wanted. It splits the argument of an option that may be repeated at commas, but regular
# expressions and labels hold commas: the two searches for one are taken out.
s/strchr ([a-z+1]*, ',')/0/
s/\] == ',')/] == '\\0')/
# Memory that runs out ends the program; the parser itself would go on without the option.
/^#include "prof.*_options.h"/a\
#include "cli/checked.h"
# Long options are given a flag each, as getopt_long takes the first of several that a prefix could mean where all are alike.
s/^const char .args_purpose/static int flags[16384]; &/
s/, NULL, 0 }/, \&flags[__LINE__], 0 }/
# Who gives a word that is none of those allowed is told those.
/possible_values && (found = /{
n
:block
N
/\n    }$/!b block
c\
    {\
      fprintf (stderr, "%s: --%s takes %s", package_name, long_opt, possible_values[0]);\
      for (found = 1; possible_values[found]; found++)\
        fprintf (stderr, "%s%s", possible_values[found + 1] ? ", " : " or ", possible_values[found]);\
      fprintf (stderr, ", not '%s'\\n", value);\
      return 1;\
    }
}

# --version reads on, for --verbose may follow
/"version", 'V',/,/return 0;/{
    /cmdline_parser_free/d
    /return 0;/d
}

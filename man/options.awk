# Reads gengetopt option files and writes one line per option, in their order, fields separated by tabs:
#   section  long  short  argument  kind  values  description
# section      the heading the option stands under
# short        empty when there is none
# argument     what the option's argument is called; empty when it takes none
# kind         "required", "optional" (the argument may be left out, [=ARGUMENT]) or empty
# values       the words allowed, separated by blanks; empty when any is
# description  with line breaks turned into blanks; details, where given, follow it
# With -v field=NAME only the text of that file-level field (purpose, usage, package) is printed.

# One token of the text from position at: a string without its quotes (the variable quoted is then set) or a word.
function token(    c, s) {
    quoted = 0
    while (at <= size) {
        c = substr(text, at, 1)
        if (c == "#") {
            while (at <= size && substr(text, at, 1) != "\n") at++
        } else if (c ~ /[ \t\n\r]/) {
            at++
        } else {
            break
        }
    }
    if (at > size) return ""
    s = ""
    if (c == "\"") {
        quoted = 1
        for (at++; at <= size && (c = substr(text, at, 1)) != "\""; at++) {
            if (c == "\\" && substr(text, at + 1, 1) ~ /["\\]/) c = substr(text, ++at, 1)
            s = s c
        }
        at++
        return s
    }
    if (c ~ /[=,]/) {
        at++
        return c
    }
    while (at <= size && (c = substr(text, at, 1)) !~ /[ \t\n\r=,"#]/) {
        s = s c
        at++
    }
    return s
}

function flat(s) {
    gsub(/[ \t\r]*\n[ \t\r]*/, " ", s)
    gsub(/\t/, " ", s)
    return s
}

function flush_option() {
    if (long == "help") help = 1
    if (long != "" && !hidden)
        print section "\t" long "\t" short "\t" argument "\t" kind "\t" values "\t" flat(about)
    long = ""
}

{ text = text $0 "\n" }

END {
    size = length(text)
    at = 1
    word = token()
    while (at <= size || word != "") {
        if (!quoted && word == "section") {
            flush_option()
            section = token()
        } else if (!quoted && (word == "option" || word == "groupoption" || word == "modeoption")) {
            flush_option()
            long = token()
            short = token()
            if (short == "-") short = ""
            about = token()
            argument = kind = values = ""
            hidden = 0
        } else if (!quoted && (word == "package" || word == "purpose" || word == "usage" || word == "description")) {
            name = word
            value = token()
            if (field == name) print value
        } else if (!quoted && long != "") {
            if (word ~ /^(string|int|short|long|float|double|longdouble|longlong|enum)$/) {
                if (argument == "") argument = toupper(word)
                if (kind == "") kind = "required"
            } else if (word == "argoptional") {
                kind = "optional"
            } else if (word == "hidden") {
                hidden = 1
            } else if (word ~ /^(typestr|details|values|default|dependon|group|mode)$/) {
                name = word
                token()
                value = token()
                if (name == "typestr") argument = value
                else if (name == "details") about = about " " value
                else if (name == "values") {
                    values = value
                    while ((word = token()) == "," && !quoted) values = values " " token()
                    continue
                }
            }
        }
        word = token()
    }
    flush_option()
    # gengetopt adds these two by itself
    if (!help && field == "") {
        print section "\thelp\th\t\t\t\tprint a summary of the options and exit"
        print section "\tversion\tV\t\t\t\tprint the version and exit (with -v: how the program is hardened)"
    }
}

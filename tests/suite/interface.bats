# The interface of every program: options, manual pages, completions, and the mistakes of users.

load ../lib/expect

setup_file()
{
    cd "$BATS_FILE_TMPDIR" || return
    printf 'main;work;read 3\nmain;work;parse 5\nmain;idle 2\n' >a.folded
    for ggo in "$PROFUTILS_SRC"/tools/*.ggo; do
        program=$(basename "$ggo" .ggo)
        if [ "$program" != common ]; then echo "$program"; fi
    done >programs
}

setup()
{
    cd "$BATS_FILE_TMPDIR" || return
    PATH=$PROFUTILS_BIN:$PATH
    bad=0
}

# each: the next program, and inputs that it can read
each()
{
    read -r program || return 1
    inputs=(a.folded)
    if [ "$program" = profdiff ]; then inputs=(a.folded a.folded); fi
}

# wrong TEXT...: records a failure; the test goes on with the next row
wrong()
{
    echo "$program: $*"
    [ ! -s err ] || sed 's/^/    /' err
    bad=$((bad + 1))
}

# usage PATTERN ARGUMENT...: the program exits with 2, a message that matches, and a hint where to find
# help
usage()
{
    local pattern=$1 got=0
    shift
    "$program" "$@" >out 2>err </dev/null || got=$?
    [ "$got" -eq 2 ] || wrong "status $got, expected 2: $*"
    head -n 1 err | grep -qE "^$program: .*($pattern)" || wrong "no message with '$pattern': $*"
    grep -q "$program --help" err || wrong "no hint at --help: $*"
    [ ! -s out ] || wrong "output with a usage error: $*"
}

# declared PROGRAM [WORD]: its long options from the option files; with WORD only lines that contain it
declared()
{
    grep '^option ' "$PROFUTILS_BUILD/tools/$1.opts" | grep -v ' hidden' |
        grep -e "${2:-option}" | sed 's/^option "\([^"]*\)".*/--\1/' | sort
}

same()
{
    diff "$1" "$2" || wrong "the lists differ ($1 $2)"
}

@test "--help names every option of the option file, and no other" {
    while each; do
        { declared "$program"; printf '%s\n' --help --version; } | sort -u >want
        "$program" --help >help 2>err || wrong "status $?"
        [ ! -s err ] || wrong "messages"
        grep -oE '^ +(-[A-Za-z], +)?--[a-z0-9-]+' help | grep -oE -e '--[a-z0-9-]+' | sort >got
        same want got
        head -n 3 help | grep -qi "usage: $program" || wrong "no usage line"
    done <programs
    [ "$bad" -eq 0 ]
}

@test "the manual page has every option of --help, and no other" {
    while each; do
        page=$PROFUTILS_BUILD/man/$program.1
        "$program" --help | grep -oE '^ +(-[A-Za-z], +)?--[a-z0-9-]+' | tr -d ' ' | sort >want
        sed 's/\\-/-/g; s/\\f[A-Z]//g' "$page" | grep -oE '^(-[A-Za-z], +)?--[a-z0-9-]+' | tr -d ' ' | sort -u >got
        same want got
        # an option that the text names must exist
        sed 's/\\-/-/g; s/\\f[A-Z]//g' "$page" | grep -oE '(^|[^a-z-])--[a-z][a-z0-9-]+' | grep -oE -e '--[a-z0-9-]+' | sort -u >named
        for option in $(comm -13 <(cat programs | while read -r p; do "$p" --help; done | grep -oE -e '--[a-z0-9-]+' | sort -u) named); do
            wrong "the page names $option, which no program has"
        done
    done <programs
    [ "$bad" -eq 0 ]
}

@test "the pages are clean for man" {
    command -v man >/dev/null 2>&1 && command -v groff >/dev/null 2>&1 || skip "no man here"
    for page in "$PROFUTILS_BUILD"/man/*.[157] "$PROFUTILS_SRC"/man/*.[157]; do
        [ -f "$page" ] || continue
        program=$(basename "$page")
        LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 "$page" 2>err >/dev/null || wrong "status $?"
        [ ! -s err ] || wrong "warnings"
    done
    [ "$bad" -eq 0 ]
}

@test "the three completions have every option of --help, and no other" {
    while each; do
        "$program" --help | grep -oE '^ +(-[A-Za-z], +)?--[a-z0-9-]+' | grep -oE -e '--[a-z0-9-]+' | sort >want
        grep -oE -e '--[a-z0-9][a-z0-9-]*' "$PROFUTILS_BUILD/completions/$program.bash" | grep -v -e '--option' | sort -u >bash
        grep -oE -e "'[^']*--[a-z0-9-]+" "$PROFUTILS_BUILD/completions/_$program" | grep -oE -e '--[a-z0-9-]+' | sort -u >zsh
        grep -oE -e ' -l [a-z0-9-]+' "$PROFUTILS_BUILD/completions/$program.fish" | sed 's/ -l /--/' | sort -u >fish
        # in all three shells the program itself gives the list of formats
        for shell in bash zsh fish; do same want $shell; done
    done <programs
    [ "$bad" -eq 0 ]
}

# words_of PROGRAM: the words of the file words for it, one per line: OPTION WORD
words_of()
{
    awk -v program="$1" '$1 == program { for (i = 3; i <= NF; i++) print $2, $i }' "$PROFUTILS_SRC/completions/words"
}

@test "completion offers exactly the words that the program accepts as arguments" {
    while each; do
        while read -r option word; do
            grep -q "^option \"$option\"" "$PROFUTILS_BUILD/tools/$program.opts" || wrong "no --$option"
            case $word in *:) word=${word}x ;; esac
            "$program" "--$option=$word" "${inputs[@]}" >out 2>err && continue
            # a message that this profile has no such data means that the word was understood
            grep -qE 'there are no|the input has no|is not a time|has no period|does not count|no number of calls|duration' err || wrong "--$option=$word"
        done < <(words_of "$program")
        # and the message about a wrong word lists exactly these
        for option in $(words_of "$program" | cut -d ' ' -f 1 | sort -u); do
            [ "$option" != to ] && [ "$option" != normalize ] || continue
            "$program" "--$option=nonsense" "${inputs[@]}" >out 2>err || true
            words_of "$program" | sed -n "s/^$option //p" | sed 's/:$/:KEY/' | sort >want
            sed -n "1s/.* takes \(.*\), not .*/\1/p" err | sed 's/, /\n/g; s/ or /\n/' | sort | same want -
        done
    done <programs
    # wrong words for options of the option files are refused with a list, too
    program=proffilter
    usage '--color takes auto, always or never, not .sometimes.' --color=sometimes a.folded
    usage '--kind takes sample, flat or edge, not .leaf.' --kind=leaf a.folded
    usage '--granularity takes function, file, line or image, not .column.' -g column a.folded
    program=profmerge
    usage '--measures takes union, intersect or same, not .some.' --measures=some a.folded
    [ "$bad" -eq 0 ]
}

# complete_bash WORD...: the completions that bash offers for the last word
complete_bash()
{
    # shellcheck disable=SC2016 # for the inner bash
    bash --norc -c '
        compopt() { :; }
        source "$1"
        shift
        COMP_WORDS=("$@")
        COMP_CWORD=$(($# - 1))
        "_$1"
        printf "%s\n" "${COMPREPLY[@]}"' complete "$PROFUTILS_BUILD/completions/$1.bash" "$@"
}

@test "completion works in bash" {
    program=bash
    [ "$(complete_bash proftop --lim)" = --limit= ] || wrong "--lim"
    [ "$(complete_bash profcat --prob)" = --probe ] || wrong "--prob"
    [ "$(complete_bash proftop --color = al)" = always ] || wrong "--color=al"
    [ "$(complete_bash profcat -t statp)" = statprofiler ] || wrong "-t statp"
    [ "$(complete_bash profcat --to = ndj)" = ndjson ] || wrong "--to=ndj"
    [ "$(complete_bash profcat a.fol)" = a.folded ] || wrong "a file"
    [ "$(complete_bash proftop --sort = c | xargs)" = 'cum calls' ] || wrong "--sort=c"
    [ "$(complete_bash profdiff -b li)" = line ] || wrong "-b li"
    [ "$(complete_bash proftop -t '' | xargs)" = 'text json ndjson csv tsv json:flame' ] || wrong "-t of tables"
    # formats that are only written are not offered for reading, and the other way round
    [ -z "$(complete_bash profcat -f sv)" ] && [ "$(complete_bash profcat -t sv)" = svg ] || wrong "svg"
    [ -z "$(complete_bash profcat -t gperf)" ] && [ "$(complete_bash profcat -f gperf)" = gperftools ] || wrong "gperftools"
    [ "$bad" -eq 0 ]
}

@test "completion works in zsh" {
    command -v zsh >/dev/null 2>&1 || skip "no zsh"
    while each; do
        zsh -fn "$PROFUTILS_BUILD/completions/_$program" 2>err || wrong "not for zsh"
        [ ! -s err ] || wrong "messages"
        head -n 1 "$PROFUTILS_BUILD/completions/_$program" | grep -q "^#compdef $program" || wrong "no #compdef"
    done <programs
    [ "$bad" -eq 0 ]
}

@test "completion works in fish" {
    command -v fish >/dev/null 2>&1 || skip "no fish"
    export HOME=$PWD XDG_CONFIG_HOME=$PWD/fish.config
    offers() { fish --no-config -c "source '$PROFUTILS_BUILD/completions/$program.fish'; complete -C '$1'" 2>err | cut -f 1; }
    while each; do
        offers "$program --" | grep -e '^--' | sed 's/=$//' | sort -u >got
        "$program" --help | grep -oE '^ +(-[A-Za-z], +)?--[a-z0-9-]+' | grep -oE -e '--[a-z0-9-]+' | sort >want
        same want got
        [ "$(offers "$program --color al")" = always ] || wrong "--color al"
        [ "$(offers "$program -f gperf")" = gperftools ] || wrong "-f gperf"
        [ -z "$(offers "$program -f sv")" ] || wrong "-f sv"
    done <programs
    [ "$bad" -eq 0 ]
}

@test "-V and --version print program and version" {
    while each; do
        for option in -V --version; do
            "$program" $option >out 2>err || wrong "status $?"
            head -n 1 out | grep -qF "$program (profutils) $PROFUTILS_VERSION" || wrong "not the version"
            grep -q '^hardening: ' out && wrong "hardening without -v"
            for both in "$option -v" "-v $option"; do
                # shellcheck disable=SC2086  # two options
                "$program" $both >out 2>err || wrong "$both: status $?"
                grep -qE '^hardening: [a-z].*' out || wrong "$both: no line about hardening"
            done
        done
    done <programs
    [ "$bad" -eq 0 ]
}

@test "--version -v is right about hardening" {
    command -v readelf >/dev/null || skip "no readelf"
    while each; do
        hardening=$("$program" --version -v | sed -n 's/^hardening: //p')
        readelf -dlsW "$PROFUTILS_BIN/$program" >elf 2>/dev/null
        while IFS='|' read -r claim proof; do
            case $hardening in *"$claim"*) grep -qE "$proof" elf || wrong "$claim" ;; esac
        done <<'END'
fortified libc calls|__[a-z]+_chk@
stack protector|__stack_chk_fail
PIE|Elf file type is DYN
full RELRO|BIND_NOW|NOW
END
    done <programs
    [ "$bad" -eq 0 ]
}

@test "unknown options, missing arguments and wrong words exit 2" {
    while each; do
        usage 'nonsense' --nonsense "${inputs[@]}"
        usage 'Y' -Y "${inputs[@]}"
        usage 'ambiguous' --no "${inputs[@]}"
        for option in $(declared "$program" ' typestr='); do
            grep "^option \"${option#--}\"" "$PROFUTILS_BUILD/tools/$program.opts" | grep -q argoptional ||
                usage "${option#--}|argument" "${inputs[@]}" "$option"
        done
        usage 'sometimes|color' --color=sometimes "${inputs[@]}"
        usage 'yes|argument' --quiet=yes "${inputs[@]}"
    done <programs
    # text that separates the message's words, two words, the start of a word
    program=profdiff
    for word in '' or ', ' 'abs, delta' 'q or name' ab ABS; do
        usage "--sort takes abs, delta, ratio, q or name, not '$word'" --sort="$word" a.folded a.folded
        usage "--kind takes sample, flat or edge, not '$word'" --kind="$word" a.folded a.folded
    done
    [ "$bad" -eq 0 ]
}

@test "numbers are checked: too big, negative, not a number, empty" {
    while each; do
        for option in $(declared "$program" ' typestr="\(N\|LEVEL\)"\|min-percent'); do
            for number in 99999999999999 -99999999999999 99999999999999999999999999 abc 1x 0x10 '' ' 1' 1.5.2; do
                usage "${option#--}" "$option=$number" "${inputs[@]}"
            done
            usage "${option#--}" "$option=-1" "${inputs[@]}"
        done
    done <programs
    [ "$bad" -eq 0 ]
}

@test "messages about unknown formats and unknown options of formats list the known ones" {
    while each; do
        usage 'nonsense.*text.*json.*ndjson.*csv.*tsv' -t nonsense "${inputs[@]}"
        usage 'nonsense.*statprofiler.*folded' -f nonsense "${inputs[@]}"
        usage 'cannot read.*csv.*pfs.*statprofiler' -f csv "${inputs[@]}"
        usage 'nonsense' -t json:nonsense "${inputs[@]}"
        usage 'no option .nonsense.' -f folded:nonsense=1 "${inputs[@]}"
    done <programs
    [ "$bad" -eq 0 ]
}

@test "_ stands for - in long options" {
    while each; do
        for option in $(declared "$program" | grep -e '--.*-'); do
            one=0 two=0
            "$program" "$option" "${inputs[@]}" >out1 2>err1 </dev/null || one=$?
            "$program" "--$(printf '%s' "${option#--}" | tr - _)" "${inputs[@]}" >out2 2>err2 </dev/null || two=$?
            [ "$one" -eq "$two" ] && cmp -s out1 out2 || wrong "$option with _ differs: $one $two"
        done
        "$program" --files0_from=/dev/null 2>err >out && wrong "an empty list"
        ! grep -q 'unrecognized' err || wrong "--files0_from="
    done <programs
    printf 'x_y;b_c 1\n' >under_score.folded
    profcat --label_source=my_key under_score.folded -t ndjson | grep -q '"my_key":\["under_score.folded"\]'
    [ "$bad" -eq 0 ]
}

@test "options may follow operands, and after -- all words are operands" {
    while each; do
        "$program" -t json "${inputs[@]}" >want 2>err || wrong "status $?"
        "$program" "${inputs[@]}" -t json >got 2>err || wrong "status $?"
        cmp -s want got || wrong "order matters"
        cp a.folded ./-t
        "$program" -t json -- "${inputs[@]/a.folded/-t}" >got 2>err || wrong "-- does not end the options"
        got=0
        "$program" -- -t json >out 2>err || got=$?
        [ "$got" -eq 3 ] || wrong "json is an operand here: status $got"
    done <programs
    [ "$bad" -eq 0 ]
}

@test "if an option is given twice, the last one counts" {
    while each; do
        "$program" -t csv "${inputs[@]}" >want 2>err || wrong "status $?"
        "$program" -t json "${inputs[@]}" --to=csv >got 2>err || wrong "status $?"
        cmp -s want got || wrong "-t"
        rm -f first second
        "$program" -t csv -o first "${inputs[@]}" -o second 2>err || wrong "status $?"
        [ ! -e first ] && [ -s second ] || wrong "-o"
        "$program" -t csv --color=always --color=never "${inputs[@]}" >got 2>err || wrong "status $?"
        cmp -s want got || wrong "--color"
        "$program" -t csv -q -q -v -v "${inputs[@]}" >got 2>err || wrong "a flag twice: status $?"
    done <programs
    [ "$bad" -eq 0 ]
}

@test "commas in arguments and operands are kept" {
    cp a.folded 'x,y.folded'
    while each; do
        rm -f o,p*
        "$program" "${inputs[@]/a.folded/x,y.folded}" -t csv -o 'o,p.csv' 2>err || wrong "status $?"
        [ -s 'o,p.csv' ] && [ "$(echo o,p*)" = o,p.csv ] || wrong "-o o,p.csv"
        printf '%s\0' "${inputs[@]/a.folded/x,y.folded}" >'l,0'
        "$program" --files0-from='l,0' -t csv >got 2>err || wrong "--files0-from=l,0"
    done <programs
    program=profcat
    profcat --set-label 'who=a,b' a.folded -t ndjson >out 2>err || wrong "status $?"
    grep -q '"who":\["a,b"\]' out || wrong "--set-label"
    [ "$bad" -eq 0 ]
}

@test "--formats lists which formats are read and written; -v adds losses, -q prints names only" {
    while each; do
        "$program" --formats >out 2>err || wrong "status $?"
        for format in pfs statprofiler folded text json ndjson csv tsv; do
            grep -q "^$format" out || wrong "no $format"
            "$program" --formats -q | grep -qx "$format" || wrong "no $format with -q"
        done
        [ "$("$program" --formats -v | wc -c)" -gt "$(wc -c <out)" ] || wrong "-v says no more"
    done <programs
    [ "$bad" -eq 0 ]
}

@test "the message about an unknown measure lists the known measures" {
    while each; do
        got=0
        "$program" -m nonsense "${inputs[@]}" >out 2>err || got=$?
        [ "$got" -eq 2 ] || wrong "status $got, expected 2"
        grep -qE "^$program: .*'nonsense'.*samples" err || wrong "no message"
    done <programs
    [ "$bad" -eq 0 ]
}

@test "a terminal as input is refused, and so is a binary stream to a terminal" {
    needs_terminal
    while each; do
        got=0
        none=''
        if [ "$program" = profdiff ]; then none='- a.folded'; fi
        terminal "$program $none" >out 2>err || got=$?
        [ "$got" -eq 2 ] && grep -qi 'terminal' out || wrong "standard input is a terminal: $got $(cat out)"
        terminal "$program ${inputs[*]}" >out 2>err || wrong "status $?"
        grep -q work out || wrong "no text on a terminal"
    done <programs
    program=profcat
    got=0
    terminal "profcat -t pfs a.folded" >out 2>err || got=$?
    [ "$got" -eq 2 ] && ! grep -q PFS out || wrong "a binary stream went to the terminal: $got"
    terminal "profcat -t pfs --force a.folded" >out 2>err || wrong "--force: status $?"
    grep -aq PFS out || wrong "--force"
    for program in "profcat -t csv" "profcat -H" "proffilter -t text" proftop; do
        got=0
        terminal "$program -z 6 a.folded" >out 2>err || got=$?
        [ "$got" -eq 2 ] && grep -q 'not for a terminal' out || wrong "$program: gzip went to the terminal: $got"
    done
    [ "$bad" -eq 0 ]
}

@test "a file behind > with the suffix of another format: exit 2 and what to type; without a suffix a line says what is written" {
    [ -e /proc/self/fd/1 ] || skip "no /proc"
    local status words file command
    mkdir -p "$BATS_TEST_TMPDIR/here"
    cp a.folded "$BATS_TEST_TMPDIR/here"
    cd "$BATS_TEST_TMPDIR/here"
    while IFS='|' read -r status words file command; do
        got=0
        eval "$command" >"$file" 2>err || got=$?
        [ "$got" -eq "$status" ] || wrong "$command >$file: status $got, expected $status: $(cat err)"
        if [ -n "$words" ]; then
            grep -qF "$words" err || wrong "$command >$file: expected '$words': $(cat err)"
            [ "$(grep -vc '^Try ' err)" -eq 1 ] || wrong "$command >$file: $(cat err)"
        elif [ -s err ]; then
            wrong "$command >$file: $(cat err)"
        fi
    done <<'END'
2|standard output is 'm.pb.gz', but a native stream would be written there; type -o m.pb.gz in place of > (-t pfs|m.pb.gz|profmerge a.folded a.folded
2|type -o 'a b.svg' in place of >|a b.svg|profcat a.folded
2|type -o x.folded in place of >|x.folded|proffilter -F work a.folded
2|type -o m.pfs.gz in place of >|m.pfs.gz|profcat a.folded
2|no program writes austin|x.austin|profcat a.folded
2|standard output is 'x.csv', but a table would be written there; type -o x.csv in place of > (-t text|x.csv|proftop a.folded
2|type profcat -o x.pb.gz in place of >|x.pb.gz|proftop a.folded
2|type -o d.svg in place of >|d.svg|profdiff a.folded a.folded
2|type -o d.pfs in place of >|d.pfs|profdiff a.folded a.folded
2|type -o x.json in place of >|x.json|profcat --count a.folded
2|type -o x.svg in place of >|x.svg|profmerge --partials=not-made a.folded
0|profcat: warning: 'stream' gets a native stream: -o FILE chooses the format by the suffix, -t by the name of the format|stream|profcat a.folded
0|'/|../stream|profmerge a.folded
0||x.pfs|profcat a.folded
0||x.PFS|proffilter a.folded
0||x.svg|profcat -q a.folded
0||x.svg|profcat -t pfs a.folded
0||x.folded|profcat -t folded a.folded
0||x.txt|proftop a.folded
0||table|profdiff -q a.folded a.folded
0||x.csv|proftop -q a.folded
0||x.gz|proftop -z 6 a.folded
0||plan.txt|profmerge --partials=parts --plan=make a.folded
0||x.json|profcat --formats
0||/dev/null|profcat a.folded
END
    [ ! -e not-made ] || wrong "--partials worked before the refusal"
    # pipes, and files without a name
    profcat a.folded 2>err | cat >x.svg
    [ ! -s err ] || wrong "a pipe: $(cat err)"
    { rm gone && profcat a.folded; } >gone 2>err
    [ ! -s err ] || wrong "a file without a name: $(cat err)"
    [ "$bad" -eq 0 ]
}

# slowly COMMAND: runs it on a terminal with an input that is slow enough for progress to be shown
slowly()
{
    terminal "(cat a.folded; sleep 1.3; cat a.folded) | $1"
}

@test "the progress line is removed before output appears on the terminal" {
    needs_terminal
    clear=$(printf '\033')'\[K'
    while each; do
        case $program in
            proftop) rest='' ;;
            profdiff) rest='- a.folded' ;;
            *) rest='-t folded' ;;
        esac
        slowly "$program $rest" >out 2>err || wrong "status $?"
        grep -q 'MiB/s' out || wrong "no progress"
        grep -q work out || wrong "no output"
        grep -q "MiB/s${clear}[^$(printf '\r')]" out && wrong "$(head -n 1 out)"
    done <programs
    [ "$bad" -eq 0 ]
}

@test "the locale changes no byte of the output, and only a terminal gets colour" {
    while each; do
        "$program" -t text "${inputs[@]}" >want 2>err || wrong "status $?"
        for locale in C POSIX C.UTF-8; do
            LC_ALL=$locale "$program" -t csv "${inputs[@]}" >"got.$locale" 2>err || wrong "status $?"
            cmp -s got.C "got.$locale" || wrong "csv in $locale"
        done
        ! grep -q "$(printf '\033')" want || wrong "colour into a file"
    done <programs
    [ "$bad" -eq 0 ]
}

@test "the patches of the option parser fail if gengetopt generates other code" {
    printf 'Input\tfrom\tf\tFORMAT\trequired\t\tread FORMAT\n' >options
    cat >parser.c <<'END'
#include "profcat_options.h"
const char *args_purpose = "x";
  tok = strchr (arg, ',');
  arg[ i + 1 ] == ',')
  { "from", 1, NULL, 0 },
  if (possible_values && (found = x)
    }
  "version", 'V', return 0;
END
    awk -f "$PROFUTILS_SRC/tools/options.awk" options parser.c >patched.c
    grep -q 'given\[0\] = .* "from", args.from_arg, args.from_given' patched.c
    for line in 1 2 3 4 5 6 8; do
        sed "${line}d" parser.c >other.c
        ! awk -f "$PROFUTILS_SRC/tools/options.awk" options other.c >patched.c 2>err || wrong "line $line is not missed"
        grep -q 'has no place for the patch' err || wrong "no message for line $line"
    done
    [ "$bad" -eq 0 ]
}

@test "all programs and writers choose the same main measure" {
    expect python3 "$PROFUTILS_SRC/tests/check/main_measure.py" "$PROFUTILS_BIN" "$BATS_TEST_TMPDIR" 1 25 </dev/null
}

# Helpers that check a program's output and messages, for bats files: load ../lib/expect

# stream FILE <DESCRIPTION: writes a native stream through tests/check/make_stream.py, which does not use the library
stream()
{
    command -v python3 >/dev/null || skip "python3 is missing"
    python3 "$PROFUTILS_SRC/tests/check/make_stream.py" >"$1"
}

# expect COMMAND... <TEXT: the command's output must equal the text on standard input
expect()
{
    cat >want
    "$@" >got
    diff -u want got
}

# fails STATUS PATTERN COMMAND...: the command must end with this status and print a message that
# matches PATTERN (ERE). Its output is in the file out and in $output
fails()
{
    local want=$1 pattern=$2 got=0
    shift 2
    "$@" >out 2>err || got=$?
    # shellcheck disable=SC2034  # for the test
    output=$(cat out)
    if [ "$got" -ne "$want" ] || ! grep -qE -- "$pattern" err; then
        echo "$*: status $got, expected $want and '$pattern'"
        cat err
        return 1
    fi
}

# cells FIELDS OPTION...: columns, by number, of the rows of proftop or of the program in $table, separated by blanks. Of
# profdiff's table the row `total` is left out, and the columns `row`, ratio_low to ratio_q_high, `tested` and `hint`.
cells()
{
    local fields=$1
    shift
    "${table:-proftop}" -t tsv "$@" | awk -F '\t' '
        NR == 1 { all = $1 != "row"; for (i = 1; i <= NF; i++) keep[i] = all || $i !~ /^(row|ratio_.*|tested|hint)$/; next }
        all || $1 != "total" { line = ""; for (i = 1; i <= NF; i++) if (keep[i]) line = line $i "\t"; print substr(line, 1, length(line) - 1) }' |
        cut -f "$fields" | tr '\t' ' ' | sed 's/ *$//'
}

# from_json EXPRESSION: the value of a Python expression over the JSON document 'd' on standard input, as JSON
from_json()
{
    command -v python3 >/dev/null || skip "python3 is missing"
    python3 -c 'import json, sys; d = json.load(sys.stdin); print(json.dumps(eval(sys.argv[1])))' "$1"
}

# needs_terminal: skips the test if no pseudo-terminal can be opened; call it at the top of a test, not in a pipe
needs_terminal()
{
    command -v script >/dev/null || skip "script is missing"
    script -qec true /dev/null </dev/null >/dev/null 2>&1 || skip "no pseudo-terminal can be opened"
}

# terminal COMMAND: runs the command on its own pseudo-terminal
terminal()
{
    script -qec "$1" /dev/null </dev/null
}

# What a program prints and says, for bats files: load ../lib/expect

# stream FILE <DESCRIPTION: a native stream, by the second writer under tests/reference
stream()
{
    command -v python3 >/dev/null || skip "python3 is missing"
    python3 "$PROFUTILS_SRC/tests/check/make_stream.py" >"$1"
}

# expect COMMAND...: its output is what comes from standard input
expect()
{
    cat >want
    "$@" >got
    diff -u want got
}

# fails STATUS PATTERN COMMAND...: ends so, and says so; its output is in the file out and in $output
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

# cells FIELDS OPTION...: columns of the rows of proftop, or of the program that $table names, by number, separated by blanks
cells()
{
    local fields=$1
    shift
    "${table:-proftop}" -t tsv "$@" | tail -n +2 | cut -f "$fields" | tr '\t' ' ' | sed 's/ *$//'
}

# from_json EXPRESSION: the value of a Python expression over the JSON document 'd' on standard input, as JSON
from_json()
{
    command -v python3 >/dev/null || skip "python3 is missing"
    python3 -c 'import json, sys; d = json.load(sys.stdin); print(json.dumps(eval(sys.argv[1])))' "$1"
}

# needs_terminal: skips the test where no pseudo-terminal can be opened; called at the top of a test, not in a pipe
needs_terminal()
{
    command -v script >/dev/null || skip "script is missing"
    script -qec true /dev/null </dev/null >/dev/null 2>&1 || skip "no pseudo-terminal can be opened"
}

# terminal COMMAND: runs it on a terminal of its own
terminal()
{
    script -qec "$1" /dev/null </dev/null
}

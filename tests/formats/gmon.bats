# gmon.out, and names of addresses from programs (--binary). Expected numbers come from gprof and
# addr2line.

bats_require_minimum_version 1.5.0

setup()
{
    cd "$BATS_TEST_TMPDIR" || return
    PATH=$PROFUTILS_BIN:$PATH
    # shellcheck disable=SC2086  # a command and its options
    if ! echo 'int main(void) { return 0; }' | ${CC:-cc} -x c - -o try 2>/dev/null || ! command -v addr2line >/dev/null; then
        skip "no compiler or no addr2line"
    fi
    [[ $(profcat --binary=try /dev/null 2>&1) != *"no elfutils"* ]] || skip "built without elfutils"
}

check() { python3 "$PROFUTILS_SRC/tests/check/binary.py" "$@"; }

@test "times and calls equal gprof's" { check gprof "$CORPUS"; }
@test "functions, lines and inlined calls equal addr2line's" { check lines .; }
@test "a program without debugging information gets the names of nm" { check symbols .; }
@test "--binary names addresses of every format" { check formats .; }

@test "damaged programs give a message and no crash" {
    [ -z "$PROFUTILS_SAN_BIN" ] || PROFUTILS_BIN=$PROFUTILS_SAN_BIN
    check hostile .
}

@test "gmon.out of every layout is read, and damage is reported" {
    python3 "$PROFUTILS_SRC/tests/check/gmon.py" made .
}

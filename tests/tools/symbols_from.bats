# --symbols-from: names of addresses by build id. Expected names come from addr2line.

bats_require_minimum_version 1.5.0

setup()
{
    cd "$BATS_TEST_TMPDIR" || return
    PATH=$PROFUTILS_BIN:$PATH
    # shellcheck disable=SC2086  # a command and its options
    if ! echo 'int main(void) { return 0; }' | ${CC:-cc} -x c - -o try 2>/dev/null || ! command -v addr2line >/dev/null; then
        skip "no compiler or no addr2line"
    fi
    [[ $(profcat --symbols-from=. /dev/null 2>&1) != *"no elfutils"* ]] || skip "built without elfutils"
}

check() { python3 "$PROFUTILS_SRC/tests/check/symbols_from.py" "$@"; }

@test "every layout of a directory gives the frames of addr2line" { check layouts .; }
@test "a file with another build id is never used, damaged files and links do no harm" { check refused .; }
@test "64 images: the output does not depend on the number of threads, a file is opened once" { check many .; }
@test "merged profiles of several programs are named at the root" { check merged .; }
@test "one message for build ids without a file, one for images without a build id" { check messages .; }

@test "damaged programs in the directory give no crash" {
    [ -z "$PROFUTILS_SAN_BIN" ] || PROFUTILS_BIN=$PROFUTILS_SAN_BIN
    check hostile .
}
